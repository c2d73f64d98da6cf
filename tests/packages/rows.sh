#!/bin/sh
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2046,SC2086	# names and options have no blanks
# What is tried of the packages: rows.sh NAME. test_packages.py runs each row in a bare Debian of its own, in which /debs has the
# packages; debian/tests/control names those that need no more than Debian's own tests give.
set -e
tests=$(cd "$(dirname "$0")/.." && pwd)
export DEBIAN_FRONTEND=noninteractive
examples=/usr/share/doc/ntime/examples

# get [--install-recommends] NAME...: ours, else the mirror's. Of ours all have to be named: no mirror has them.
get() {
	recommends=--no-install-recommends
	for name; do
		shift
		case $name in
		--install-recommends) recommends=$name ;;
		*)
			[ ! -e "$(echo /debs/"$name"_*.deb)" ] || name=$(echo /debs/"$name"_*.deb)
			set -- "$@" "$name"
			;;
		esac
	done
	apt-get -qy "$recommends" install "$@" >/tmp/apt 2>&1 || {
		cat /tmp/apt
		exit 1
	}
}

# says STATUS PATTERN COMMAND...: it ends so, and prints a line of this pattern.
says() {
	wanted=$1
	pattern=$2
	shift 2
	status=0
	"$@" >/tmp/said 2>&1 </dev/null || status=$?
	if [ "$status" -ne "$wanted" ] || ! grep -qe "$pattern" /tmp/said; then
		cat /tmp/said
		echo "$*: exit status $status and this output, wanted: $wanted, and a line with $pattern"
		exit 1
	fi
}

# soon PATTERN COMMAND...: within a minute its output has a line of this pattern.
soon() {
	pattern=$1
	shift
	for _ in $(seq 300); do
		! "$@" 2>&1 | grep -qe "$pattern" || return 0
		sleep 0.2
	done
	says 0 "$pattern" "$@"
}

# resolves PACKAGE: all libraries that its programs and libraries need are here.
resolves() {
	: >/tmp/ldd
	for file in $(dpkg -L "$1" | grep -E '/bin/|\.so'); do
		[ ! -f "$file" ] || ldd "$file" >>/tmp/ldd
	done
	if [ ! -s /tmp/ldd ] || grep 'not found' /tmp/ldd; then
		echo "$1 has no program or library, or needs what it does not depend on"
		exit 1
	fi
}

row_command_alone() {
	get ntime
	resolves ntime
	says 0 '^ntime [0-9]' ntime --version
	says 0 page-faults ntime -e task-clock,page-faults -- true
	says 0 task-clock ntime list
	# What belongs to another package says so.
	says 125 'package ntime-gl' ntime gl list
	says 125 'package ntime-lab' ntime lab list
	says 125 'package ntime-lab' ntime model list
	says 125 'package ntime-emulator' ntime --via emulator -e instructions -- true
}

row_manual_and_completion() {
	get ntime man-db
	says 0 /ntime.1 man -w ntime
	says 0 /ntime-lab.1 man -w ntime-lab
	# shellcheck disable=SC2016	# the shell there expands it
	says 0 watch bash --norc -c '. /usr/share/bash-completion/completions/ntime
		COMP_WORDS=(ntime wat) COMP_CWORD=1; _ntime ntime wat ntime; echo "${COMPREPLY[@]}"'
}

row_libraries_alone() {
	get libntime0
	resolves libntime0
	get libntime-trace0
	resolves libntime-trace0
}

row_gl_alone() {
	get ntime-gl libntime0
	resolves ntime-gl
}

row_documents() {
	get ntime-doc
	cd /usr/share/doc/ntime
	"$tests/install/dead-links" . >/tmp/dead
	cat /tmp/dead
	says 0 '^0$' sh -c 'wc -l </tmp/dead'
	says 0 compare.md sh -c 'ls docs/*.md'
}

row_development() {
	get libntime0 libntime-dev libntime-trace0 libntime-trace-dev ntime-doc gcc pkgconf
	cd /tmp
	cc -o count $examples/count.c $(pkg-config --cflags --libs libntime)
	cc -static -o count-static $examples/count.c $(pkg-config --static --cflags --libs libntime)
	cc -o trace $examples/trace.c $(pkg-config --cflags --libs libntime-trace)
	cc -static -o trace-static $examples/trace.c $(pkg-config --static --cflags --libs libntime-trace)
	says 0 libntime.so ldd count
	says 0 libntime-trace.so ldd trace
	for how in '' -static; do
		says 0 page-faults ./count$how
		says 0 PGRAPH ./trace$how $examples/g96-vfio.log
	done
}

row_raspberry_pi() {
	get librpi-pmu0 librpi-pmu-dev libntime0 gcc libc6-dev pkgconf
	cc -o /tmp/pi $tests/install/use_rpi_pmu.c $(pkg-config --cflags --libs librpi_pmu)
	says 0 . /tmp/pi
}

row_nvperfkit() {
	get libnvperfsdk1 libnvperfsdk-dev libntime0 gcc libc6-dev pkgconf
	cc -I$tests/.. -o /tmp/nv $tests/../count/tests/compat/nvpm_client_i.c $(pkg-config --cflags --libs nvperfsdk)
	# shellcheck disable=SC2016	# it is the client's shell that knows it
	says 0 page-faults env NTIME_NVPM_EVENTS=page-faults /tmp/nv bash -c 'printf x >&$NTIME_FRAME_FD; read -r _ <&$NTIME_FRAME_FD'
}

row_emulator() {
	get --install-recommends ntime-emulator
	get ntime
	says 0 '[0-9]  *instructions' ntime --via emulator -e instructions -- true
}

row_lab() {
	get --install-recommends ntime-lab ntime
	case $(uname -m) in
	aarch64) guest=arm64 ;;
	*) guest=x86 ;;
	esac
	says 0 "^$guest " ntime lab list
	says 0 page-faults ntime lab run $guest -- ntime -q -e page-faults true
	# On the emulator with models, which the package has of amd64.
	[ $guest = arm64 ] || says 0 '[0-9]  *instructions' ntime lab run x86-nehalem -- ntime -q -e instructions loop 1000
}

row_driver() {
	get ntime-dkms "linux-headers-$(dpkg --print-architecture)"
	ls /lib/modules/*/updates/dkms/ntime.ko*
	says 0 ^ntime: getent group ntime
	says 0 '^0$' sh -c 'grep -c " /sys/devices/ntime " /proc/mounts || :'
	apt-get -qy purge ntime-dkms >/tmp/apt
	says 0 '^0$' sh -c 'find /lib/modules /usr/src /var/lib/dkms -path "*/ntime*" | wc -l'
}

# Performance Co-Pilot, without what starts it: its own folders, its daemon, the agent that reads our text, and an archive of it.
row_pcp() {
	get --install-recommends ntime
	get pcp python3-requests
	ntime export --listen 127.0.0.1:0 task-clock 2>/tmp/serving &
	soon serving cat /tmp/serving
	sed 's/.* //' /tmp/serving >/var/lib/pcp/pmdas/openmetrics/config.d/ntime.url
	install -d -o pcp -g pcp /run/pcp
	(cd /var/lib/pcp/pmns && ./Rebuild -us)
	/usr/lib/pcp/bin/pmcd -f -t 60 -l /tmp/pmcd.log -i 127.0.0.1 &
	soon value pminfo -f pmcd.numagents
	(cd /var/lib/pcp/pmdas/openmetrics && ./Install </dev/null >/tmp/install 2>&1)
	metric=openmetrics.ntime.ntime_cpu_task_clock_seconds_total
	soon cpu:0 pminfo -f $metric
	echo "log mandatory on 1 sec { $metric }" >/tmp/logged
	pmlogger -c /tmp/logged -l /tmp/pmlogger.log -s 11 /tmp/archive
	pmval -a /tmp/archive $metric >/tmp/rates
	# shellcheck disable=SC2016	# awk expands it
	says 0 '^0\.99\|^1\.00' awk '/^[0-9:.]+ +[0-9]/ { sum += $2; n++ } END { print n < 8 ? "too few" : sum / n }' /tmp/rates
}

# A command that is running is not disturbed by a new version of it.
row_upgrade() {
	get ntime
	cd /tmp
	dpkg-deb -R /debs/ntime_*.deb new
	sed -i 's/^Version: .*/&+1/' new/DEBIAN/control
	dpkg-deb -b new new.deb
	ntime -e task-clock,page-faults -- sh -c 'until [ -e /tmp/upgraded ]; do sleep 0.1; done; exit 3' >report 2>&1 &
	get ./new.deb
	says 0 '^Version: .*+1$' dpkg -s ntime
	kill -0 $!
	touch upgraded
	ended=0
	wait $! || ended=$?
	says 0 '[0-9]  *page-faults' cat report
	says 0 '^3$' echo "$ended"
}

everything() {
	find / -xdev \( -path /var/lib/apt -o -path /var/lib/dpkg -o -path /var/cache -o -path /var/log -o -path /tmp -o -path /root \) -prune \
		-o ! -path '/etc/*-' -print | sort
	cat /etc/passwd /etc/group
}

row_purge() {
	files=$(find /debs -name '*.deb' ! -name '*-dbgsym_*')
	names=$(for file in $files; do dpkg-deb -f "$file" Package; done)
	# What it needs of others comes first, and stays.
	get $(apt-get -s --no-install-recommends install $files | sed -n 's/^Inst \([^ ]*\) .*/\1/p' | grep -vxF "$names")
	everything >/tmp/before
	get $names
	# What it may leave behind: an administrator's link, and what Python compiles.
	systemctl enable sys-devices-ntime.mount
	says 0 . ntime lab list
	apt-get -qqy purge $names >/tmp/apt 2>&1
	everything >/tmp/after
	diff -u /tmp/before /tmp/after
}

"row_$1"
