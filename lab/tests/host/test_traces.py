#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Real traces in guests against what the device itself logged: mmiotrace of Linux, and QEMU's VFIO events of a virtual machine in a guest with an
IOMMU. Cards are lent and given back there by ntime trace bind and unbind. Speaks TAP."""
import contextlib
import csv
import functools
import glob
import io
import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, ROOT)
sys.dont_write_bytecode = True
from lab import build, cache, debian, driver, guest, machine, qemu, run  # noqa: E402
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../../base/tests'))
from tap import Skip, equal, holds, main, test    # noqa: E402

TRACED, CARD, NETWORK = '0000:00:05.0', '0000:01:00.0', '0000:00:06'
# No result depends on it: a machine may be slow.
PATIENCE = 500
MARK = '=== '
# Of poke.c: accesses of its loops, its random ones, and those before and behind.
POKED = 40 + 400 + 5


@contextlib.contextmanager
def unavailable_skips():
    """What this machine cannot have is a reason to skip."""
    try:
        yield
    except cache.Unavailable as e:
        raise Skip(str(e)) from None


class Result:
    """What a guest said, in parts that begin with "=== NAME", and what its devices logged."""

    def __init__(self, out, err, truth):
        self.parts, self.err, self.truth = {}, err, truth
        name = ''
        for line in out.split('\n'):
            if line.startswith(MARK):
                name = line[len(MARK):]
            self.parts[name] = self.parts.get(name, '') + ('' if line.startswith(MARK) else line + '\n')

    def part(self, name):
        """Text of one part."""
        if name not in self.parts:
            raise AssertionError(f'the guest said nothing of {name!r}: {sorted(self.parts)}\n{self.err}')
        return self.parts[name].strip('\n')


def once(function):
    """Its result, or the exception it raised, for all who ask: a guest that does not come up is tried once."""
    kept = []

    @functools.wraps(function)
    def kept_or_made():
        if not kept:
            try:
                kept.append((function(), None))
            except (AssertionError, Skip) as e:
                kept.append((None, e))
        result, error = kept[0]
        if error:
            raise error
        return result
    return kept_or_made


def run_script(name, script, files=(), has_driver=False):
    """Run a shell script in a guest to its end."""
    out, err = bytearray(), bytearray()
    settings = {'files': files, 'driver': has_driver, 'timeout': PATIENCE,
                'out': lambda fd, data: (out if fd == 1 else err).extend(data)}
    with unavailable_skips(), run.Run(guest.find(name), ['sh', '-c', script], **settings) as one:
        try:
            one.start()
            one.watch()
            one.check_log()
        except run.RunError as e:
            lines = [str(e), *getattr(e, 'lines', ()), *one.last_words(), err.decode('utf-8', 'replace')]
            raise AssertionError('\n'.join(lines)) from None
        with open(one.proxies.log, encoding='utf-8') as f:
            truth = f.read()
    return Result(out.decode(), err.decode('utf-8', 'replace'), truth)


# ---- what is compared ----

def true_accesses(truth):
    """[(kind, BAR, offset, bytes, value)] of the device's own log."""
    rows = [line.split() for line in truth.split('\n') if ' bar-' in line]
    return [(row[2][4:], *(int(word, 0) for word in row[3:7])) for row in rows]


def ntime(*words, given=None):
    """Run the host's ntime; its standard output."""
    command = os.path.join(build.folder(debian.host_arch()), 'count/cli/ntime')
    done = subprocess.run([command, *words], input=given, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode:
        raise AssertionError(f'{" ".join(words)} ended with {done.returncode}: {done.stderr.decode()}')
    return done.stdout


def records(data, *words):
    """The records that ntime reads from a trace."""
    text = ntime('trace', 'convert', '--to', 'json', '-q', *words, given=data).decode()
    return [json.loads(line) for line in text.split('\n') if line]


def read_accesses(data, *words):
    """[(kind, region, offset, bytes, value)] as ntime reads them from a trace."""
    return [(row['kind'], row['region'], int(row['offset'], 0), row['width'], int(row['value'], 0))
            for row in records(data, *words) if row['kind'] in ('read', 'write') and not row.get('synthetic')]


def same(got, wanted):
    """Fails with the first difference, and demands that there is something to compare."""
    for number, pair in enumerate(zip(got, wanted)):
        if pair[0] != pair[1]:
            raise AssertionError(f'access {number}: the trace has {pair[0]}, the device saw {pair[1]}')
    equal(len(got), len(wanted))


# ---- mmiotrace ----

MMIOTRACE = r'''
set -e
cd /sys/kernel/tracing
echo 16384 > buffer_size_kb
echo mmiotrace > current_tracer
cat trace_pipe > /tmp/log &
cat=$!
insmod /lab/ntime.ko
mkdir -p /sys/devices/ntime
mount -t ntime ntime /sys/devices/ntime
echo 1 > /sys/bus/pci/devices/0000:00:05.0/enable
cd /sys/devices/ntime/device0/mmio/ntime
for i in 0 1 2 3 4 5 6 7 8 9; do
	cat TEST_ID TEST_READS TEST_WRITES > /dev/null
	exec 3<>TEST_SCRATCH
	echo 0x${i}edcba98765432$i >&3
	cat TEST_SCRATCH TEST_VERSION > /dev/null
	exec 3>&-
done
cd /
umount /sys/devices/ntime
rmmod ntime
# The pipe is read twice a second.
until grep -q UNMAP /tmp/log; do sleep 0.2; done
kill $cat
wait $cat || true
echo nop > /sys/kernel/tracing/current_tracer
echo "=== trace"
cat /tmp/log
'''


@once
def mmiotrace():
    """A guest whose kernel traces what ntime's driver does to the test device."""
    with unavailable_skips():
        if not driver.is_here():
            raise Skip('this tree has no driver whose accesses could be traced')
    return run_script('x86-pci', MMIOTRACE, has_driver=True)


@test
def mmiotrace_has_what_the_device_saw():
    found = mmiotrace()
    wanted = true_accesses(found.truth)
    if len(wanted) < 100:
        raise AssertionError(f'the device saw {len(wanted)} accesses only')
    same(read_accesses(found.part('trace').encode() + b'\n'), wanted)


@test
def mmiotrace_knows_the_device():
    found = mmiotrace()
    rows = records(found.part('trace').encode() + b'\n')
    devices = {row['device'] for row in rows if row['kind'] in ('read', 'write')}
    equal(devices, {TRACED})
    # Through ntime's form and back, nothing is lost.
    binary = ntime('trace', 'convert', '--to', 'binary', '-q', given=found.part('trace').encode() + b'\n')
    same(read_accesses(binary), true_accesses(found.truth))


# ---- VFIO ----

VFIO = r'''
driver() { readlink /sys/bus/pci/devices/$1/driver | sed 's|.*/||'; }
say() { echo "=== $1"; }
told() { say "$1"; shift; "$@" 2>&1; echo "status $?"; }
override() { cat /sys/bus/pci/devices/$1/driver_override; }
C=0000:01:00.0 A=0000:00:06.0 B=0000:00:06.1

# The test device, and the driver that it has.
/lab/host plug test > /dev/null || exit 9
until [ -e /sys/bus/pci/devices/$C/resource0 ]; do sleep 0.1; done
echo 1234 6e74 > /sys/bus/pci/drivers/pci-stub/new_id
say drivers-before; driver $C; driver $A; driver $B
say doctor-before; ntime trace doctor --json $C

# A card with two functions, one of which is in use.
ip link set eth0 up
told network-up ntime trace bind $A
say network-up-drivers; driver $A; driver $B
ip link set eth0 down
told network-look ntime trace bind --dry-run $B
say network-look-drivers; driver $A; driver $B
told network-bind ntime trace bind $B
say network-bind-drivers; driver $A; driver $B
told network-again ntime trace bind $A
say record; cat /run/ntime-vfio/*
told network-unbind ntime trace unbind $A
say network-unbind-drivers; driver $A; driver $B; override $A; override $B; ls /sys/class/net | grep -c eth
say no-record; ls /run/ntime-vfio
told network-unbind-again ntime trace unbind $A

# The card, and a virtual machine that has it.
told bind ntime trace bind 01:00.0
say bind-driver; driver $C; override $C
say doctor-after; ntime trace doctor --json $C
group=$(readlink /sys/bus/pci/devices/$C/iommu_group | sed 's|.*/||')
exec 8<>/dev/vfio/$group
told in-use ntime trace unbind $C
say in-use-driver; driver $C
exec 8>&-
say qemu
timeout 300 qemu-system-x86_64 -L /lab/firmware -accel tcg -machine pc -m 32 -nodefaults -no-user-config -display none \
	-device vfio-pci,host=$C,x-no-mmap=on,rombar=0 -device isa-debug-exit,iobase=0xf4,iosize=4 -kernel /lab/poke \
	-trace 'vfio_region_*' -trace 'vfio_pci_*_config' -trace 'pci_update_mappings_*' -msg timestamp=on -D /tmp/vfio.log 2>&1
echo "status $?"
told unbind ntime trace unbind $C
say unbind-driver; driver $C; override $C
say trace; cat /tmp/vfio.log
# The IOMMU is switched off at the end (lab/guests/x86-iommu.toml).
/lab/host unplug test > /dev/null
until [ ! -e /sys/bus/pci/devices/$C ]; do sleep 0.1; done
'''


def nested_qemu():
    """The words of --file that put the emulator, its modules and its firmware into a guest."""
    binary = qemu.stock('amd64')
    if debian.host_arch() != 'amd64':
        raise Skip(f'the emulator of this machine is for {debian.host_arch()}, the guest is amd64')
    files = [f'{binary}:/usr/bin/qemu-system-x86_64']
    files += [f'{path}:{path}' for path in glob.glob('/usr/lib/*/qemu/accel-tcg-x86_64.so')]
    for name in ('bios-256k.bin', 'kvmvapic.bin', 'multiboot_dma.bin', 'linuxboot_dma.bin'):
        found = [os.path.join(folder, name) for folder in machine.FIRMWARE if os.path.isfile(os.path.join(folder, name))]
        if not found:
            raise Skip(f'{name} is in none of {", ".join(machine.FIRMWARE)}')
        files.append(f'{os.path.realpath(found[0])}:/lab/firmware/{name}')
    return files


@once
def vfio():
    """A guest with an IOMMU that lends its card to a virtual machine."""
    with unavailable_skips():
        files = nested_qemu()
    return run_script('x86-iommu', VFIO, files)


def states(found, part):
    """Name -> state of the checks of ntime trace doctor."""
    return {row['name']: row['state'] for row in json.loads(found.part(part))['checks']}


@test
def doctor_sees_what_the_guest_has():
    before, after = states(vfio(), 'doctor-before'), states(vfio(), 'doctor-after')
    for name in ('iommu-firmware', 'iommu-command-line', 'iommu-groups', 'vfio', 'vfio-pci', 'vfio-iommu', 'card', 'card-group', 'card-use',
                 'qemu', 'memory', 'command'):
        equal((name, before[name], after[name]), (name, 'ok', 'ok'))
    equal((before['card-driver'], after['card-driver']), ('missing', 'ok'))
    equal(('card-open' in before, after['card-open']), (False, 'ok'))


@test
def a_card_in_use_is_refused():
    found = vfio()
    holds(found.part('network-up'), f'{NETWORK}.0, of IOMMU group ')
    holds(found.part('network-up'), 'is in use: its network device eth0 is up')
    holds(found.part('network-up'), 'status 125')
    equal(found.part('network-up-drivers'), 'e1000\ne1000')


@test
def looking_changes_nothing():
    found = vfio()
    lines = [f'echo {text} > /sys/bus/pci/{path}' for one in (f'{NETWORK}.0', f'{NETWORK}.1') for text, path in
             (('vfio-pci', f'devices/{one}/driver_override'), (one, 'drivers/e1000/unbind'), (one, 'drivers/vfio-pci/bind'))]
    equal(found.part('network-look'), '\n'.join([*lines, 'status 0']))
    equal(found.part('network-look-drivers'), 'e1000\ne1000')


@test
def a_group_goes_and_comes_back_as_a_whole():
    found = vfio()
    holds(found.part('network-bind'), f'  {NETWORK}.0 8086:100e vfio-pci, lent by e1000')
    holds(found.part('network-bind'), 'status 0')
    equal(found.part('network-bind-drivers'), 'vfio-pci\nvfio-pci')
    holds(found.part('network-again'), 'nothing to do: vfio-pci already has the whole group')
    holds(found.part('record'), f'{NETWORK}.0\te1000\t-\n{NETWORK}.1\te1000\t-\nend\t2')
    holds(found.part('network-unbind'), 'status 0')
    equal(found.part('network-unbind-drivers'), 'e1000\ne1000\n(null)\n(null)\n2')
    equal(found.part('no-record'), '')
    holds(found.part('network-unbind-again'), 'nothing to do: nothing of the group is lent')


@test
def the_card_is_given_and_given_back():
    found = vfio()
    equal(found.part('drivers-before'), 'pci-stub\ne1000\ne1000')
    equal(found.part('bind-driver'), 'vfio-pci\nvfio-pci')
    holds(found.part('in-use'), 'a program has IOMMU group ')
    holds(found.part('in-use'), 'status 125')
    equal(found.part('in-use-driver'), 'vfio-pci')
    holds(found.part('unbind'), 'status 0')
    equal(found.part('unbind-driver'), 'pci-stub\n(null)')


@test
def vfio_trace_has_what_the_device_saw():
    found = vfio()
    # 3 is what poke.c ends with when the device has answered.
    holds(found.part('qemu'), 'status 3')
    wanted = true_accesses(found.truth)
    equal(len(wanted), POKED)
    same(read_accesses(found.part('trace').encode() + b'\n'), wanted)


@test
def filters_keep_what_they_name():
    found = vfio()
    wanted = [row for row in true_accesses(found.truth) if row[0] == 'write' and row[1] == 0 and row[2] == 0x404]
    equal((len(wanted), wanted[0][4]), (40, 0xdeadbeef))
    got = read_accesses(found.part('trace').encode() + b'\n', '--region', '0', '--range', '0x404+4', '--write', '--device', CARD)
    same([row for row in got if row[3] == 4], wanted)


@test
def vfio_becomes_mmiotrace_and_comes_back():
    found = vfio()
    data = ntime('trace', 'convert', '--to', 'mmiotrace', '-q', given=found.part('trace').encode() + b'\n')
    holds(data.decode(), 'PCIDEV 0100 12346e74 ')
    memory = [row for row in true_accesses(found.truth) if row[1] == 0]
    same([row for row in read_accesses(data) if row[1] == 0], memory)
    binary = ntime('trace', 'convert', '--to', 'binary', '-q', given=found.part('trace').encode() + b'\n')
    same(read_accesses(binary), true_accesses(found.truth))
    text = ntime('trace', 'convert', '--to', 'vfio', '-q', given=binary).decode()
    equal(text.rstrip('\n'), found.part('trace').rstrip('\n'))


@test
def stat_adds_up():
    found = vfio()
    table = json.loads(ntime('trace', 'stat', '--json', '-q', given=found.part('trace').encode() + b'\n'))
    wanted = true_accesses(found.truth)
    rows = table['registers']
    for kind in ('read', 'write'):
        equal((kind, sum(row[kind + 's'] for row in rows)), (kind, sum(row[0] == kind for row in wanted)))


# ---- ntime on a card ----

ASKED = ('gpu_idle', 'geom_busy', 'rop_busy')


@test
def what_ntime_does_on_a_card_derives_to_what_was_asked_for():
    """By the device's own log: mmiotrace sees no mapping of a user's."""
    result = run_script('x86-gpu', f'ntime -e {",".join(f"gpu0/{name}/" for name in ASKED)} -- /lab/host play card 5')
    lines = [f'vfio_region_read  ({TRACED}:region{bar}+{at:#x}, {size}) = {value:#x}\n' if kind == 'read' else
             f'vfio_region_write  ({TRACED}:region{bar}+{at:#x}, {value:#x}, {size})\n' for kind, bar, at, size, value in true_accesses(result.truth)]
    text = ntime('trace', 'derive', '-q', '--tsv', '-', given=''.join(lines).encode()).decode()
    said = {event.split('@')[0] for row in csv.DictReader(io.StringIO(text), delimiter='\t') for event in row['event'].split('|')}
    equal(said & set(ASKED), set(ASKED))


if __name__ == '__main__':
    sys.exit(main())
