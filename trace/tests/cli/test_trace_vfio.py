#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ntime trace doctor, bind and unbind below a root directory: files of a machine without a kernel behind them. trace/tests/vfio has one that answers,
lab/tests/host/test_traces.py a real one. Speaks TAP.

Usage: test_trace_vfio.py NTIME [-k WORD]
"""
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../../base/tests'))
import command as t    # noqa: E402
from command import equal, err, has, ntime    # noqa: E402
test = t.test
CARD, SOUND = '0000:05:00.0', '0000:05:00.1'
DEVICES = 'sys/bus/pci/devices'
ALL = ('cpu', 'iommu-firmware', 'iommu-command-line', 'iommu-groups', 'vfio', 'vfio-pci', 'vfio-iommu', 'card', 'card-driver', 'card-group',
       'card-use', 'qemu', 'memory', 'command')


class Machine:
    """A root directory with a card of two functions that nouveau and snd_hda_intel have."""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix='ntime-test-')
        self.root = self.folder.name
        os.makedirs(f'{self.root}/run')
        for driver in ('nouveau', 'snd_hda_intel', 'vfio-pci'):
            for file in ('bind', 'unbind'):
                self.write(f'sys/bus/pci/drivers/{driver}/{file}', '')
        for name, device, driver, kind in ((CARD, '0x0640', 'nouveau', '0x030000'), (SOUND, '0x0be3', 'snd_hda_intel', '0x040300')):
            for file, text in (('vendor', '0x10de'), ('device', device), ('class', kind), ('driver_override', '(null)')):
                self.write(f'{DEVICES}/{name}/{file}', text + '\n')
            os.symlink('../../../kernel/iommu_groups/14', f'{self.root}/{DEVICES}/{name}/iommu_group')
            self.bind(name, driver)
            self.write(f'sys/kernel/iommu_groups/14/devices/{name}', '')
        self.write('proc/cpuinfo', 'flags\t\t: fpu lm vmx\n')
        self.write('proc/cmdline', 'quiet intel_iommu=on\n')
        self.write('proc/self/limits', 'Max locked memory  unlimited  unlimited  bytes\n')
        self.write('proc/sys/kernel/osrelease', '6.1.0\n')
        for path in ('dev/kvm', 'dev/vfio/vfio', 'sys/firmware/acpi/tables/DMAR', 'sys/module/vfio_iommu_type1/refcnt'):
            self.write(path, '')
        self.write('qemu', '#!/bin/sh\necho "QEMU emulator version 7.2.22 (Debian)"\necho complaints >&2\n')
        os.chmod(f'{self.root}/qemu', 0o755)
        return self

    def __exit__(self, *_):
        self.folder.cleanup()

    def write(self, path, text):
        os.makedirs(os.path.dirname(f'{self.root}/{path}'), exist_ok=True)
        with open(f'{self.root}/{path}', 'w', encoding='utf-8') as f:
            f.write(text)

    def read(self, path):
        with open(f'{self.root}/{path}', encoding='utf-8') as f:
            return f.read()

    def bind(self, name, driver):
        """As the kernel does."""
        link = f'{self.root}/{DEVICES}/{name}/driver'
        if os.path.lexists(link):
            os.unlink(link)
        os.symlink(f'../../../bus/pci/drivers/{driver}', link)

    def trace(self, action, *words):
        return ntime('trace', action, '--root', self.root, *words)

    def doctor(self, *words):
        return self.trace('doctor', '--qemu', f'{self.root}/qemu', *words)

    def states(self, *words):
        """Name -> (state, reason, remedy), and the exit status."""
        done = self.doctor('--json', *words)
        answer = json.loads(done.stdout)
        equal(answer['missing'], sum(row['state'] == 'missing' for row in answer['checks']))
        return {row['name']: (row['state'], row['reason'], row['remedy']) for row in answer['checks']}, done.returncode


def refused(done, part):
    equal(done.returncode, 125)
    has(err(done), part)


@test
def wrong_command_lines():
    for words, part in ((('bind',), "'bind' takes 1 argument, not 0"), (('unbind', CARD, SOUND), "'unbind' takes 1 argument, not 2"),
                        (('bind', '--log', 'x', CARD), 'log'), (('doctor', '--force'), 'force')):
        done = ntime('trace', *words)
        equal((done.returncode, done.stdout), (125, b''), words)
        has(err(done), part)


@test
def help_tells_the_options():
    for action, options in (('doctor', ('--qemu', '--log', '--json', '--root')), ('bind', ('--force', '--dry-run')),
                            ('unbind', ('--force', '--dry-run'))):
        done = ntime('trace', action, '--help')
        equal(done.returncode, 0)
        for option in options:
            has(done.stdout.decode(), option)


@test
def doctor_finds_all():
    with Machine() as m:
        found, status = m.states(CARD)
        equal((tuple(found), status), (ALL, 1))
        equal({name for name, row in found.items() if row[0] != 'ok'}, {'card-driver', 'card-group'})
        equal(found['card-driver'][2], f'ntime trace bind {CARD}')
        has(found['card-group'][1], f'group 14, with {SOUND} (snd_hda_intel)')
        has(found['command'][1], f'{m.root}/qemu -machine q35,accel=kvm -m 4G -device vfio-pci,host={CARD},x-no-mmap=on')
        for name in (CARD, SOUND):
            m.bind(name, 'vfio-pci')
        found, status = m.states('5:0.0')
        equal(({row[0] for row in found.values()}, status), ({'ok'}, 0))


@test
def doctor_in_words():
    with Machine() as m:
        os.unlink(f'{m.root}/dev/kvm')
        done = m.doctor()
        equal((done.returncode, err(done)), (1, ''))
        lines = done.stdout.decode().split('\n')
        has(' '.join(done.stdout.decode().split()),
            'missing Virtualisation by the processor: the processor has vmx, but there is no /dev/kvm remedy: modprobe kvm_intel')
        equal(lines[-3], "QEMU's command line:")
        has(lines[-2], 'accel=tcg')


@test
def doctor_without_qemu():
    with Machine() as m:
        for words in ((), ('--qemu', '/nonexistent/qemu'), ('--qemu', 'false')):
            done = m.trace('doctor', '--json', *words)
            found = {row['name']: row for row in json.loads(done.stdout)['checks']}
            equal((done.returncode, found['qemu']['state']), (1, 'missing'))


@test
def doctor_looks_at_a_log():
    with Machine() as m:
        m.write('log', 'vfio_region_mmap Region 0000:05:00.0 BAR 1 mmaps[0] [0x0 - 0xfff]\n'
                       'vfio_region_write  (0000:05:00.0:region0+0xa404, 0xdeadbeef, 4)\nsomething else\n')
        done = m.doctor('--json', '--log', f'{m.root}/log')
        rows = [(row['state'], row['reason'], row['remedy']) for row in json.loads(done.stdout)['checks'] if row['name'].startswith('log')]
        equal(done.returncode, 1)
        equal([row[0] for row in rows], ['ok', 'missing', 'unknown'])
        has(rows[0][1], 'has 1 access')
        has(rows[1][2], 'x-no-mmap=on')
        m.write('good', '12347@1424299207.289770:vfio_region_write  (0000:05:00.0:region0+0xa404, 0xdeadbeef, 4)\n')
        equal(m.doctor('--log', f'{m.root}/good').returncode, 0)
        m.write('none', 'vfio_region_setup Device 0000:05:00.0, region 0 "0000:05:00.0 BAR 0", flags: 0x7, offset: 0x0, size: 0x1000\n')
        done = m.doctor('--log', f'{m.root}/none')
        equal(done.returncode, 1)
        has(' '.join(done.stdout.decode().split()), "QEMU needs -trace 'vfio_region_*'")
        for name, part in (('nothing', 'there is no such file'), ('proc/cpuinfo', 'it is no trace in a known format')):
            refused(m.doctor('--log', f'{m.root}/{name}'), part)


@test
def dry_run_prints_what_a_shell_could_do():
    with Machine() as m:
        done = m.trace('bind', '--dry-run', '05:00.1')
        equal((done.returncode, err(done)), (0, ''))
        equal(done.stdout.decode().split('\n'), [
            f'echo vfio-pci > /sys/bus/pci/devices/{CARD}/driver_override', f'echo {CARD} > /sys/bus/pci/drivers/nouveau/unbind',
            f'echo {CARD} > /sys/bus/pci/drivers/vfio-pci/bind', f'echo vfio-pci > /sys/bus/pci/devices/{SOUND}/driver_override',
            f'echo {SOUND} > /sys/bus/pci/drivers/snd_hda_intel/unbind', f'echo {SOUND} > /sys/bus/pci/drivers/vfio-pci/bind', ''])
        equal((m.read(f'{DEVICES}/{CARD}/driver_override'), os.path.exists(f'{m.root}/run/ntime-vfio')), ('(null)\n', False))


@test
def a_kernel_that_does_not_answer():
    """Nothing happens below this root when it is written to: so it was not bound, and all goes back."""
    with Machine() as m:
        done = m.trace('bind', CARD)
        equal((done.returncode, done.stdout), (125, b''))
        has(err(done), f'the kernel did not bind {CARD} to vfio-pci (it has nouveau)')
        has(err(done), 'all functions have the drivers again that they had')
        # A newline clears it.
        equal(m.read(f'{DEVICES}/{CARD}/driver_override'), '\n')
        equal(os.listdir(f'{m.root}/run/ntime-vfio'), [])


@test
def nothing_to_do():
    with Machine() as m:
        done = m.trace('unbind', CARD)
        equal(done.returncode, 0)
        equal(err(done), 'ntime: nothing to do: nothing of the group is lent\n')
        for name in (CARD, SOUND):
            m.bind(name, 'vfio-pci')
        done = m.trace('bind', CARD)
        equal(done.returncode, 0)
        equal(done.stdout.decode(), f'IOMMU group 14:\n  {CARD} 10de:0640 vfio-pci\n  {SOUND} 10de:0be3 vfio-pci\n')
        equal(m.trace('bind', '-q', CARD).stdout + m.trace('bind', '-q', CARD).stderr, b'')
        refused(m.trace('unbind', CARD), 'ntime did not give them to it')


@test
def what_is_in_use_or_wrong():
    with Machine() as m:
        m.write(f'{DEVICES}/{CARD}/boot_vga', '1\n')
        refused(m.trace('bind', SOUND), 'end that, or use --force')
        equal(m.trace('bind', '--force', '--dry-run', SOUND).returncode, 0)
        for word, part in (('eth0', 'not the address of a PCI function'), ('09:00.0', 'there is no PCI function 0000:09:00.0')):
            for action in ('bind', 'unbind'):
                refused(m.trace(action, word), part)
        refused(m.doctor('eth0'), 'not the address of a PCI function')
        os.unlink(f'{m.root}/{DEVICES}/{CARD}/iommu_group')
        has(err(m.trace('bind', CARD)), 'is in no IOMMU group')


if __name__ == '__main__':
    sys.exit(t.main())
