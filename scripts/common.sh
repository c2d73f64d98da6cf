# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# What every shell script here begins with: stop at the first failure, work in the root of the tree.
set -eu
# A build tree knows its source tree; without a locale of its own a machine may lack UTF-8.
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/.."

# What is closed would become the first file that is opened, and get what is printed.
{ true 3<&0; } 2>/dev/null || exec </dev/null
{ true 3>&1; } 2>/dev/null || exec >/dev/null
true 3>&2 || exec 2>/dev/null

BUILD=${BUILD:-build}

fail() {
	printf '%s: %s\n' "$(basename "$0")" "$*" >&2
	exit 1
}

# may_write FOLDER: or, where it is not there, the first one above it; ends with a sentence
may_write() {
	folder=$1
	while [ ! -e "$folder" ]; do
		folder=$(dirname "$folder")
	done
	[ -w "$folder" ] || fail "$folder cannot be written to; become root, have it mounted read-write, or name another prefix="
}

# version: ntime's, from the one place that has it
version() {
	sed -n "s/^ *version: '\(.*\)',\$/\1/p" meson.build
}
