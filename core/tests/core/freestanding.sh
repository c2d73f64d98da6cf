#!/bin/sh
# SPDX-License-Identifier: MIT
# core/ must compile without a C library, with -Wconversion silent, and need nothing but memcpy and memset.
# Usage: freestanding.sh SOURCE_ROOT COMPILER...
set -eu
# awk and echo fail where these are closed.
(exec 3>&1) 2>/dev/null || exec >/dev/null
(exec 3>&2) || exec 2>/dev/null
root=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

count=0
for file in "$root"/core/base/*.c "$root"/core/regs/*.c "$root"/core/seq/*.c "$root"/core/models/*.c "$root"/core/models/lab/*.c; do
	count=$((count + 1))
	"$@" -std=c11 -ffreestanding -nostdinc -isystem "$("$@" -print-file-name=include)" -I "$root" -O2 -fno-pie -fno-pic -Wall -Wextra \
		-Wconversion -Wshadow -Wundef -Wmissing-prototypes -Werror -c "$file" -o "$work/$count.o"
	# Nothing that can be written: no static state. (Position-independent code would hide constants in writable sections.)
	state=$(nm "$work/$count.o" | awk '$2 ~ /^[bBdDcC]$/ { print $3 }')
	if [ -n "$state" ]; then
		echo "$file keeps state: $state" >&2
		exit 1
	fi
done

# Together they lack nothing.
"$@" -nostdlib -r -o "$work/all.o" "$work"/[0-9]*.o
wants=$(nm -u "$work/all.o" | awk '{ print $2 }' | grep -vxE 'memcpy|memset' || true)
if [ -n "$wants" ]; then
	echo "core/ needs more than memcpy and memset: $wants" >&2
	exit 1
fi

# Every header must stand alone.
for file in "$root"/core/base/*.h "$root"/core/regs/*.h "$root"/core/seq/*.h "$root"/core/models/*.h; do
	count=$((count + 1))
	echo "#include \"${file#"$root"/}\"" >"$work/header.c"
	"$@" -std=c11 -ffreestanding -nostdinc -isystem "$("$@" -print-file-name=include)" -I "$root" -Wall -Wextra \
		-Wconversion -Werror -c "$work/header.c" -o "$work/header.o"
done

if [ "$count" -lt 4 ]; then
	echo "only $count files found below $root/core: nothing was checked" >&2
	exit 1
fi
echo "$count files of core/ are freestanding"
