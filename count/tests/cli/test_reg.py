#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ntime reg and ntime driver: below another root directory, where ntime's tree and the msr devices are plain files, and with recorded
machines. Speaks TAP.

Usage: test_reg.py NTIME [-k WORD]
"""
import csv
import io
import json
import os
import signal
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../../base/tests'))
import command as t    # noqa: E402
from command import ROOT, err, equal, has, has_not, ntime    # noqa: E402
MACHINE = os.path.join(ROOT, 'count/tests/machine/intel-skx-2s.json')
AMD = os.path.join(ROOT, 'count/tests/machine/amd-zen2.json')
TREE = 'sys/devices/ntime'
test = t.test


def out(done):
    return done.stdout.decode()


def run(*args, status=0, **more):
    """Standard output of a run that ends with @status."""
    done = ntime(*args, **more)
    if done.returncode != status:
        raise AssertionError(f'exit status {done.returncode}, expected {status}: {err(done)}{out(done)}')
    return out(done)


def sentence(*args, status=125):
    """The one sentence of a run that fails, without who says it."""
    done = ntime(*args)
    equal(done.returncode, status, 'exit status')
    equal(out(done), '', 'standard output')
    lines = [line for line in err(done).split('\n') if line and not line.startswith("Try 'ntime")]
    if not lines or not all(line.startswith('ntime: ') for line in lines):
        raise AssertionError(f'not sentences: {lines}')
    return ' | '.join(line[len('ntime: '):] for line in lines)


class Tree(tempfile.TemporaryDirectory):
    """A machine of plain files: two CPUs of one package, with ntime's tree, and msr devices where they are asked for."""

    def __init__(self, has_tree=True):
        super().__init__()
        self.put('sys/devices/system/cpu/online', '0-1\n')
        self.put('proc/modules', '')
        self.put('proc/cpuinfo', 'vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 26\nflags\t\t: fpu lm\n')
        for cpu in (0, 1):
            self.put(f'sys/devices/system/cpu/cpu{cpu}/topology/physical_package_id', '0\n')
            if has_tree:
                self.register(f'core{cpu}/msr/0x10', 0x1000 + cpu)
                self.register(f'core{cpu}/msr/0x186', 0x41003c)
                self.register(f'core{cpu}/msr/0x19c', 0x88350000 + (cpu << 16))
                self.register(f'core{cpu}/msr/0x38d', 0x333)
                self.link(f'core{cpu}/intel/IA32_PERFEVTSEL0', '../msr/0x186')
                self.link(f'core{cpu}/uncore', '../uncore0')
        if has_tree:
            self.register('uncore0/msr/0x391', 0x1000000ff)
            self.register('uncore0/msr/0x3b0', 0x123456789abc)
            self.register('uncore0/pci/D16:F4/0x0d8', 0x400304)
            self.put(f'{TREE}/status', 'open: 2\nwriter: core0/msr/0x186 pid 4711 prog\nrefusals: 0\n')

    def path(self, name):
        return os.path.join(self.name, name)

    def put(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), 'w', encoding='ascii') as f:
            f.write(text)

    def register(self, name, value):
        self.put(f'{TREE}/{name}', f'0x{value:016x}\n')

    def value(self, name):
        with open(self.path(f'{TREE}/{name}'), encoding='ascii') as f:
            return int(f.read(), 0)

    def link(self, name, target):
        os.makedirs(os.path.dirname(self.path(f'{TREE}/{name}')), exist_ok=True)
        os.symlink(target, self.path(f'{TREE}/{name}'))

    def msr(self, cpu, address, value):
        name = self.path(f'dev/cpu/{cpu}/msr')
        os.makedirs(os.path.dirname(name), exist_ok=True)
        with open(name, 'r+b' if os.path.exists(name) else 'w+b') as f:
            f.seek(address)
            f.write(struct.pack('<Q', value))

    def msr_value(self, cpu, address):
        with open(self.path(f'dev/cpu/{cpu}/msr'), 'rb') as f:
            f.seek(address)
            return struct.unpack('<Q', f.read(8))[0]

    @property
    def root(self):
        return f'--root={self.name}'


# ---- ls ----

GOLDEN_LS = '''\
IA32_TIME_STAMP_COUNTER            msr    0x10       r-  ntimefs  core0..1
IA32_PERFEVTSEL0                   msr    0x186      rw  ntimefs  core0..1
IA32_THERM_STATUS                  msr    0x19c      rw  ntimefs  core0..1
IA32_FIXED_CTR_CTRL                msr    0x38d      rw  ntimefs  core0..1
MSR_UNCORE_PERF_GLOBAL_CTRL        msr    0x391      rw  ntimefs  uncore0
MSR_UNCORE_PMC0                    msr    0x3b0      rw  ntimefs  uncore0
MC_CH_PCI_PMON_CTL0                pci    0xd8       rw  ntimefs  uncore0
'''


@test
def ls_tells_the_registers_of_the_tree():
    with Tree() as name:
        equal(run('reg', 'ls', '--root', name), GOLDEN_LS)


@test
def ls_takes_patterns():
    with Tree() as name:
        for pattern in ('perfevtsel', '*PERFEVTSEL*', 'ia32_perfevtsel?', 'core1/msr/0x186'):
            text = run('reg', 'ls', '--root', name, '--names', pattern)
            equal(text, 'IA32_PERFEVTSEL0\n', pattern)
        has(run('reg', 'ls', '--root', name, 'nhm_uncore'), 'MSR_UNCORE_PMC0')
        has(sentence('reg', 'ls', '--root', name, 'nonsense'), "no register of this machine fits 'nonsense'")


@test
def ls_verbose_tells_fields_and_source():
    with Tree() as name:
        text = run('reg', 'ls', '-v', '--root', name, 'FIXED_CTR_CTRL')
        for part in ('core0/msr/0x38d  IA32_FIXED_CTR_CTRL', 'core1/msr/0x38d', 'documented: Linux 6.1', 'rw'):
            has(text, part)


@test
def ls_json_has_what_text_has():
    with Tree() as name:
        report = json.loads(run('reg', 'ls', '--json', '--root', name))
    equal(report['schema'], 2)
    regs = {reg['path']: reg for reg in report['registers']}
    one = regs['core0/msr/0x186']
    equal([one[k] for k in ('name', 'address', 'space', 'bits', 'method', 'readable', 'writable')],
          ['IA32_PERFEVTSEL0', 0x186, 'msr', 64, 'ntimefs', True, '0x00000000ffe7ffff'])
    equal([f['name'] for f in one['fields']][:2], ['event', 'umask'])
    equal(regs['uncore0/pci/D16:F4/0x0d8']['table'], 'snbep_imc')


@test
def without_a_driver_cpuid_tells():
    names = run('reg', 'ls', '--names', '--machine', MACHINE).split('\n')
    # Four general counters and three fixed ones: CPUID 0xA of the recording.
    equal([n for n in names if n.startswith('IA32_PMC')], [f'IA32_PMC{i}' for i in range(4)])
    equal([n for n in names if n.startswith('IA32_FIXED_CTR') and n[-1].isdigit()],
          [f'IA32_FIXED_CTR{i}' for i in range(3)])
    equal([n for n in names if n.startswith(('EVNTSEL', 'PERF_CT'))], [])
    names = run('reg', 'ls', '--names', '--machine', AMD).split('\n')
    equal([n for n in names if n.startswith('PERF_CTL')], [f'PERF_CTL{i}' for i in range(6)])
    equal([n for n in names if n.startswith('IA32_PMC')], [])
    has(run('reg', 'ls', '--machine', MACHINE, 'ENERGY'), 'uncore0..1')


# ---- get ----

GOLDEN_GET = '''\
core0/msr/0x186  IA32_PERFEVTSEL0  0x000000000041003c  (ntimefs)
     7:0  event              0x3c         event select code
    15:8  umask              0x0          which sub-events of the code count
    16:16 usr                0x1          count while CPL > 0
    17:17 os                 0x0          count while CPL == 0
    18:18 edge               0x0          count rising edges instead of cycles
    19:19 pc                 0x0          pin control
    20:20 int                0x0          interrupt on overflow; belongs to the kernel
    21:21 any                0x0          count for all threads of the core (version 3, until deprecated)
    22:22 en                 0x1          counter runs if the global enable agrees
    23:23 inv                0x0          invert the comparison with cmask
    31:24 cmask              0x0          count cycles with at least so many events; 0: count events
'''


@test
def get_shows_value_and_fields():
    with Tree() as name:
        equal(run('reg', 'get', '--root', name, '-C', '0', 'IA32_PERFEVTSEL0'), GOLDEN_GET)


@test
def names_and_addresses_mean_the_same():
    with Tree() as name:
        want = 'core0/msr/0x186  IA32_PERFEVTSEL0  0x000000000041003c  (ntimefs)\n'
        for typed in ('ia32_perfevtsel0', 'IA32_PERFEVTSEL', 'x86.IA32_PERFEVTSEL0', 'core0/IA32_PERFEVTSEL0',
                      '0x186', '390', 'msr:0x186', 'core0/0x186', 'core0/msr/0x186'):
            equal(run('reg', 'get', '-b', '--root', name, '-C', '0', typed), want, typed)
        for typed in ('nhm_uncore.msr_uncore_pmc0', 'uncore0/msr/0x3b0', 'NHM_UNC_UNCORE_PMC0'):
            has(run('reg', 'get', '-b', '--root', name, '-C', '1', typed), '0x0000123456789abc')
        has(run('reg', 'get', '-b', '--root', name, 'uncore0/pci/D16:F4/0x0d8'), '0x0000000000400304')


@test
def get_without_cpus_is_of_all():
    with Tree() as name:
        equal(run('reg', 'get', '-b', '--root', name, '0x10'),
              'core0/msr/0x10  IA32_TIME_STAMP_COUNTER  0x0000000000001000  (ntimefs)\n'
              'core1/msr/0x10  IA32_TIME_STAMP_COUNTER  0x0000000000001001  (ntimefs)\n')


@test
def get_json_and_csv():
    with Tree() as name:
        report = json.loads(run('reg', 'get', '--json', '--root', name, '-C', '1', 'IA32_THERM_STATUS'))
        one = report['registers'][0]
        equal([one['path'], one['value'], one['method'], one['fields']['readout']],
              ['core1/msr/0x19c', '0x0000000088360000', 'ntimefs', '0x36'])
        rows = list(csv.reader(io.StringIO(run('reg', 'get', '--csv', '--root', name, '-C', '1', '0x19c'))))
    equal(rows[0], ['path', 'name', 'method', 'field', 'value'])
    equal(rows[1], ['core1/msr/0x19c', 'IA32_THERM_STATUS', 'ntimefs', '', '0x0000000088360000'])
    if ['core1/msr/0x19c', 'IA32_THERM_STATUS', 'ntimefs', 'readout', '0x36'] not in rows:
        raise AssertionError(rows)


@test
def get_of_a_recording_goes_through_msr():
    has(run('reg', 'get', '-b', '--machine', MACHINE, '-C', '3', 'IA32_THERM_STATUS'),
        'core3/msr/0x19c  IA32_THERM_STATUS  0x0000000088350000  (msr)')


@test
def unknown_registers_have_nearest_names():
    with Tree() as name:
        has(sentence('reg', 'get', '--root', name, 'IA32_PREFEVTSEL0'), 'did you mean IA32_PERFEVTSEL0?')
        has(sentence('reg', 'get', '--root', name, '0x187'), "this machine has no register '0x187'")
        has(sentence('reg', 'get', '--root', name, 'nhm_uncore.IA32_PERFEVTSEL0'), 'has no register')


@test
def cpus_that_are_not_there():
    with Tree() as name:
        has(sentence('reg', 'get', '--root', name, '-C', '7', '0x10'), 'CPU 7 does not exist or is off line (on line: 0-1)')
        has(sentence('reg', 'get', '--root', name, '-C', 'x', '0x10'), "'x' is not a CPU list")
        has(sentence('reg', 'get', '--root', name, '-C', '0', 'core1/msr/0x10'), 'none of the CPUs 0 has a register')


@test
def rubbish_in_a_file_is_no_number():
    with Tree() as tree_name:
        with open(os.path.join(tree_name, TREE, 'core0/msr/0x10'), 'w', encoding='ascii') as f:
            f.write('hello\n')
        has(sentence('reg', 'get', '--root', tree_name, '-C', '0', '0x10'), "says 'hello', which is no number")


@test
def who_may_not_read_is_told():
    if os.geteuid() != 0:
        raise t.Skip('only root can become somebody else')
    tree = Tree()
    with tree as name:
        os.chmod(name, 0o755)
        os.chmod(tree.path(f'{TREE}/core0/msr/0x10'), 0o400)

        def become():
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
        try:
            subprocess.run([t.NTIME, '--version'], preexec_fn=become, check=True, stdout=subprocess.DEVNULL)
        except (PermissionError, subprocess.CalledProcessError) as error:
            raise t.Skip(f'an ordinary user may not look into the build folder ({error})') from error
        done = ntime('reg', 'get', '--root', name, '-C', '0', '0x10', preexec_fn=become)
        equal(done.returncode, 125)
        has(err(done), 'core0/msr/0x10 may not be read by this user: become a member of the group')
        has(run('reg', 'ls', '--root', name, 'TIME_STAMP', preexec_fn=become), ' --  -')
        # Others can be read all the same.
        has(run('reg', 'get', '-b', '--root', name, '-C', '1', '0x10', preexec_fn=become), '0x0000000000001001')


# ---- set ----

def with_msr(tree):
    for cpu in (0, 1):
        tree.msr(cpu, 0x186, 0x41003c)
        tree.msr(cpu, 0x38d, 0x333)
        tree.msr(cpu, 0x10, 0x1000)


@test
def set_stays_and_goes_around_the_driver():
    tree = Tree()
    with tree as name:
        with_msr(tree)
        equal(run('reg', 'set', '--root', name, '-C', '0', 'IA32_PERFEVTSEL0', '0x4300c0'),
              'core0/msr/0x186 IA32_PERFEVTSEL0: 0x000000000041003c -> 0x00000000004300c0 (msr)\n')
        equal(tree.msr_value(0, 0x186), 0x4300c0)
        equal(tree.msr_value(1, 0x186), 0x41003c)
        equal(tree.value('core0/msr/0x186'), 0x41003c)


@test
def set_changes_fields_and_leaves_the_rest():
    tree = Tree()
    with tree as name:
        with_msr(tree)
        run('reg', 'set', '--root', name, '-C', 'all', '--field', 'event=0xc0', '--field', 'OS=1', 'IA32_PERFEVTSEL0')
        equal([tree.msr_value(cpu, 0x186) for cpu in (0, 1)], [0x4300c0] * 2)


@test
def set_for_a_command_comes_back():
    tree = Tree()
    with tree as name:
        with_msr(tree)
        tree.put('show', '')
        done = run('reg', 'set', '--root', name, '-C', '0', 'core0/msr/0x186', '0x4300c0', '--',
                   'cp', tree.path(f'{TREE}/core0/msr/0x186'), tree.path('show'))
        has(done, '(ntimefs)')
        with open(tree.path('show'), encoding='ascii') as f:
            # The driver merges: it is handed the bits that are ours.
            equal(f.read(), '0x00000000004300c0\n')


@test
def through_msr_ntime_puts_it_back():
    tree = Tree()
    with tree as name:
        with_msr(tree)
        done = ntime('reg', 'set', '--root', name, '-C', '0', '--force', '0x186', '0x4300c0', '--',
                     'cp', tree.path('dev/cpu/0/msr'), tree.path('show'))
        equal(done.returncode, 0)
        has(out(done), '-> 0x00000000004300c0 (msr)')
        with open(tree.path('show'), 'rb') as f:
            equal(f.read()[0x186:0x18e], struct.pack('<Q', 0x4300c0))
        equal(tree.msr_value(0, 0x186), 0x41003c)


@test
def status_of_the_command_is_that_of_set():
    with Tree() as name:
        where = ('reg', 'set', '--root', name, '-C', '0', '0x38d', '0', '--')
        run(*where, 'sh', '-c', 'exit 7', status=7)
        equal(ntime(*where, 'no-such-command').returncode, 127)
        equal(ntime(*where, '/dev/null').returncode, 126)
        equal(ntime(*where, 'sh', '-c', 'kill -TERM $$').returncode, -signal.SIGTERM)


@test
def hold_ends_with_a_signal():
    with Tree() as name:
        child = subprocess.Popen([t.NTIME, 'reg', 'set', '--root', name, '-C', '0', '0x38d', '0x3', '--hold'],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=t.environment(),
                                 start_new_session=True)
        t.GROUPS.append(child.pid)
        has(child.stderr.readline().decode(), 'held until a signal ends this')
        child.send_signal(signal.SIGTERM)
        text, _ = child.communicate(timeout=t.PATIENCE)
        equal(child.returncode, 0)
        has(text.decode(), '(ntimefs)')


@test
def bits_that_are_not_ours_are_refused():
    tree = Tree()
    with tree as name:
        with_msr(tree)
        text = sentence('reg', 'set', '--root', name, '-C', '0', 'IA32_PERFEVTSEL0', '0x150003c')
        has(text, 'bits 0x100000 (int) of IA32_PERFEVTSEL0 may not be set')
        has(sentence('reg', 'set', '--root', name, '-C', '0', 'IA32_TIME_STAMP_COUNTER', '1'),
            'IA32_TIME_STAMP_COUNTER is read-only')
        equal(tree.msr_value(0, 0x186), 0x41003c)
        # In all or in none: CPU 1 has a bit set which CPU 0 has not.
        tree.msr(1, 0x186, 0x51003c)
        sentence('reg', 'set', '--root', name, '-C', 'all', 'IA32_PERFEVTSEL0', '0x150003c')
        equal([tree.msr_value(cpu, 0x186) for cpu in (0, 1)], [0x41003c, 0x51003c])


@test
def bits_of_the_system_may_go_but_not_come():
    tree = Tree()
    with tree as name:
        # Nobody would handle the interrupt of a counter that is ours: who writes may leave it or clear it.
        tree.msr(0, 0x186, 0x510000)
        run('reg', 'set', '--root', name, '-C', '0', '0x186', '0x51003c')
        equal(tree.msr_value(0, 0x186), 0x51003c)
        run('reg', 'set', '--root', name, '-C', '0', '0x186', '0x41003c')
        equal(tree.msr_value(0, 0x186), 0x41003c)
        has(sentence('reg', 'set', '--root', name, '-C', '0', '0x186', '0x51003c'), '(int)')


@test
def a_log_may_be_cleared_and_not_set():
    tree = Tree()
    with tree as name:
        # Bit 1: was hot; bit 3: PROCHOT# was asserted; bit 7: threshold 1 was crossed; bit 0 tells of now.
        tree.msr(0, 0x19c, 0x8835008b)
        where = ('--root', name, '-C', '0')
        has(sentence('reg', 'set', *where, 'IA32_THERM_STATUS', '0x8835088b'), 'bits 0x800 (power_limit_log)')
        run('reg', 'set', *where, '--field', 'hot_log=0', 'IA32_THERM_STATUS')
        equal(tree.msr_value(0, 0x19c), 0x88350089)
        run('reg', 'set', *where, 'IA32_THERM_STATUS', '0')
        equal(tree.msr_value(0, 0x19c), 0x88350001)


@test
def force_writes_what_is_given():
    tree = Tree()
    with tree as name:
        with_msr(tree)
        done = ntime('reg', 'set', '--root', name, '-C', '0', '--force', '0x186', '0x150003c')
        equal(done.returncode, 0)
        has(err(done), 'forced: written through msr')
        equal(tree.msr_value(0, 0x186), 0x150003c)


@test
def dry_run_prints_the_accesses():
    tree = Tree()
    with tree as name:
        with_msr(tree)
        equal(run('reg', 'set', '--root', name, '-C', '0', '--dry-run', '0x186', '0x4300c0'),
              'read  /dev/cpu/0/msr at 0x186: 0x000000000041003c\nwrite /dev/cpu/0/msr at 0x186: 0x00000000004300c0\n')
        equal(run('reg', 'hammer', '--root', name, '-C', '0', '--dry-run', '-n', '5', '0x186', '0x4300c0'),
              '5 times:\nread  /sys/devices/ntime/core0/msr/0x186: 0x000000000041003c\n'
              'write /sys/devices/ntime/core0/msr/0x186: 0x00000000004300c0\n')
        equal([tree.msr_value(0, 0x186), tree.value('core0/msr/0x186')], [0x41003c] * 2)


@test
def set_without_a_way_to_stay_says_so():
    with Tree() as name:
        text = sentence('reg', 'set', '--root', name, '-C', '0', '0x186', '0x4300c0')
        has(text, 'modprobe msr')
        os.remove(os.path.join(name, 'proc/modules'))
        has(sentence('reg', 'set', '--root', name, '-C', '0', '0x186', '0x4300c0'), 'CONFIG_X86_MSR=y')
        has(text, 'to set it temporarily, through ntime\'s driver: --hold, or -- COMMAND')
        text = sentence('reg', 'set', '--root', name, 'uncore0/pci/D16:F4/0x0d8', '0')
        has(text, "reached through ntime's driver alone, which gives a register back")


@test
def set_wants_one_register_and_a_value():
    with Tree() as name:
        has(sentence('reg', 'set', '--root', name, '0x186', '1'), 'name the CPUs with -C LIST, or -C all')
        has(sentence('reg', 'set', '--root', name, '-C', '0', '0x186'), 'give a value')
        has(sentence('reg', 'set', '--root', name, '-C', '0', '0x186', 'x'), "'x' is not a number")
        has(sentence('reg', 'set', '--root', name, '-C', '0', '0x186', '-1'), '-1')
        has(sentence('reg', 'set', '--root', name, '-C', '0', '0x186', '0x10000000000000000'), 'more than 64 bits')
        has(sentence('reg', 'set', '--root', name, '0x0d8', '0x100000000', '--', 'true'), 'does not fit into the 32 bits')
        has(sentence('reg', 'set', '--root', name, '-C', '0', '0x186', '--field', 'nix=1', '--', 'true'),
            "has no field 'nix'")
        has(sentence('reg', 'set', '--root', name, '-C', '0', '0x186', '--field', 'event=0x100', '--', 'true'),
            'does not fit into field event of IA32_PERFEVTSEL0, which has 8 bits')
        has(sentence('reg', 'set', '--root', name, '-C', '0', '0x186', '--field', 'event', '--', 'true'),
            '--field takes FIELD=VALUE')
    has(sentence('reg', 'set', '--machine', MACHINE, '-C', '0', 'IA32_PERFEVTSEL', '1'), 'stands for several registers')


@test
def hammer_writes_often():
    with Tree() as name:
        text = run('reg', 'hammer', '--root', name, '-C', '0', '-n', '5', '--rate', '1000', '0x38d', '0x3')
        has(text, 'core0/msr/0x38d IA32_FIXED_CTR_CTRL: 5 writes of 0x3 in ')
        has(sentence('reg', 'hammer', '--root', name, '-C', '0', '0x38d', '0x3'), 'give the number of writes with -n')
        has(sentence('reg', 'hammer', '--root', name, '-C', '0', '-n', '2', '--rate', '0', '0x38d', '0x3'), '--rate takes')


# ---- watch ----

@test
def watch_marks_what_changed():
    tree = Tree()
    with tree as name:
        child = subprocess.Popen([t.NTIME, 'reg', 'watch', '--root', name, '-C', '0', '-i', '10ms', '-n', '100000', '0x38d'],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=t.environment(),
                                 start_new_session=True)
        t.GROUPS.append(child.pid)
        first = child.stdout.readline().decode()
        has(first, '0.000 core0/msr/0x38d IA32_FIXED_CTR_CTRL 0x0000000000000333\n')
        # In place and of the same length, so that no half value can be seen.
        with open(tree.path(f'{TREE}/core0/msr/0x38d'), 'r+', encoding='ascii') as f:
            f.write('0x0000000000000331\n')
        line, deadline = '', time.monotonic() + t.PATIENCE
        while 'changed' not in line and time.monotonic() < deadline:
            line = child.stdout.readline().decode()
        has(line, '0x0000000000000331 changed 0x2\n')
        child.kill()
        child.communicate()


@test
def watch_on_a_terminal_is_in_place():
    with Tree() as name:
        primary, secondary = os.openpty()
        done = subprocess.run([t.NTIME, 'reg', 'watch', '--root', name, '-i', '0.001', '-n', '2', '0x38d'],
                              stdin=subprocess.DEVNULL, stdout=secondary, stderr=subprocess.PIPE, env=t.environment(),
                              timeout=t.PATIENCE, check=False)
        os.close(secondary)
        equal(done.returncode, 0)
        text = t.read_all(primary)
        os.close(primary)
    line = 'core{0}/msr/0x38d IA32_FIXED_CTR_CTRL 0x0000000000000333 \x1b[K\r\n'.replace(' \x1b', '\x1b')
    once = line.format(0) + line.format(1)
    equal(text, once + '\x1b[2A' + once)


@test
def watch_counts_its_looks():
    with Tree() as name:
        text = run('reg', 'watch', '--root', name, '-C', '0', '-i', '1ms', '-n', '3', '0x38d')
        equal(len(text.splitlines()), 3)
        has(sentence('reg', 'watch', '--root', name, '-i', 'often', '0x38d'), "-i 'often' is not a time")
        has(sentence('reg', 'watch', '--root', name, '-n', '0.5', '0x38d'), '-n takes a number of reads from 1')


# ---- dump and diff ----

@test
def dumps_of_both_forms_are_the_same():
    with Tree() as name, t.Directory():
        run('reg', 'dump', '--root', name, '-o', 'text')
        run('reg', 'dump', '--root', name, '--json', '-o', 'json')
        equal(run('reg', 'diff', 'text', 'json'), '')
        equal(run('reg', 'diff', '--root', name, 'json', 'live'), '')
        with open('text', encoding='ascii') as f:
            lines = f.read().splitlines()
        has(lines[0], '# ntime registers 1')
        equal(lines[1], 'core0/msr/0x10 x86 IA32_TIME_STAMP_COUNTER 0x0000000000001000')
        equal(len(lines), 12)


@test
def diff_names_the_fields():
    tree = Tree()
    with tree as name, t.Directory():
        run('reg', 'dump', '--root', name, '-o', 'before')
        tree.register('core1/msr/0x186', 0x4300c0)
        os.unlink(tree.path(f'{TREE}/uncore0/msr/0x3b0'))
        equal(run('reg', 'diff', '--root', name, 'before', 'live', status=1),
              'core1/msr/0x186 IA32_PERFEVTSEL0: 0x000000000041003c -> 0x00000000004300c0\n'
              '     7:0  event              0x3c -> 0xc0\n'
              '    17:17 os                 0x0 -> 0x1\n'
              'uncore0/msr/0x3b0 MSR_UNCORE_PMC0: only in before (0x0000123456789abc)\n')
        report = json.loads(run('reg', 'diff', '--json', '--root', name, 'before', 'live', status=1))
        equal(report['differences'][0]['fields'], {'event': ['0x3c', '0xc0'], 'os': ['0x0', '0x1']})
        equal(report['differences'][1]['after'], None)


@test
def a_register_that_refuses_is_in_the_dump_as_such():
    text = run('reg', 'dump', '--machine', MACHINE)
    has(text, '# uncore0/msr/0x639 x86 MSR_PP0_ENERGY_STATUS was not read: CPU 0 refuses to read MSR 0x639')
    report = json.loads(run('reg', 'dump', '--json', '--machine', MACHINE))
    equal(report['simulated'], True)
    has(report['unread'][0]['reason'], 'refuses to read')


@test
def a_dump_appears_whole_or_not_at_all():
    with Tree() as name, t.Directory():
        has(sentence('reg', 'dump', '--root', name, '-o', 'no/such/folder'), 'cannot write to no/such/folder')
        os.mkdir('folder')
        sentence('reg', 'dump', '--root', name, '-o', 'folder')
        equal(os.listdir('folder'), [])
        if os.path.exists('/dev/full'):
            has(sentence('reg', 'dump', '--root', name, '-o', '/dev/full'), 'No space left')


@test
def what_is_no_dump_is_refused():
    with t.Directory():
        for text, part in (('', 'is empty'), ('hello\n', 'line 1: this is not a dump'), ('{', 'line 1'), ('{}', "no array 'registers'"),
                           ('{"registers": [1]}', 'register 0: expected a path'),
                           ('# ntime registers 1\nx y z\n', 'line 2: expected a path, a table, a name and a value'),
                           ('# ntime registers 1\na b c 0xg\n', 'line 2: the value is not a 64-bit number')):
            with open('dump', 'w', encoding='ascii') as f:
                f.write(text)
            has(sentence('reg', 'diff', 'dump', 'dump'), part)
        has(sentence('reg', 'diff', 'none', 'dump'), "cannot open 'none'")
        has(sentence('reg', 'diff', '', 'dump'), "cannot open ''")
        has(sentence('reg', 'diff', '.', 'dump'), "cannot read '.': Is a directory")


# ---- command line ----

@test
def wrong_command_lines_of_reg():
    for args, part in (((), 'name an action'), (('gt', 'x'), "did you mean 'get'?"), (('frobnicate',), "reg has no action 'frobnicate'"),
                       (('get',), "'get' takes at least one name"), (('dump', 'x'), "'dump' takes no argument, but there is 'x'"),
                       (('diff', 'x'), "'diff' takes two arguments"), (('get', '--hold', 'x'), "'get' has no option --hold"),
                       (('get', '--json', '--csv', 'x'), 'cannot be combined'), (('ls', '--names', '--json'), '--names and --json cannot'),
                       (('get', 'x', '--', 'y'), "'get' does not run a command"),
                       (('set', 'x', '1', '--'), 'no command after --'), (('get', '--nix', 'x'), "unknown option '--nix'")):
        has(sentence('reg', *args), part)
    with Tree() as name:
        has(sentence('reg', 'set', '--root', name, '-C', '0', '0x186', '1', '--hold', '--', 'true'), 'cannot be combined')
    has(run('reg', '--help'), 'Usage: ntime reg ls')
    has(run('help', 'reg'), '--dry-run')


# ---- driver ----

class Kernel(Tree):
    """As if the driver was loaded and mounted."""

    def __init__(self):
        super().__init__()
        self.put('sys/module/ntime/version', '0.1.0\n')
        self.put('proc/self/mountinfo', '22 1 0:21 / /sys rw - sysfs sysfs rw\n'
                 '77 22 0:50 / /sys/devices/ntime rw,nosuid - ntime ntime rw,gid=998,mode=0440\n')


@test
def status_of_a_loaded_driver():
    with Kernel() as name:
        equal(run('driver', 'status', '--root', name),
              'loaded: yes, version 0.1.0\nmounted: /sys/devices/ntime (rw,gid=998,mode=0440)\n'
              'open: 2\nwriter: core0/msr/0x186 pid 4711 prog\nrefusals: 0\n')
        report = json.loads(run('driver', 'status', '--json', '--root', name))
        equal([report[k] for k in ('loaded', 'version', 'mounted')], [True, '0.1.0', '/sys/devices/ntime'])
        equal(report['status'], {'open': '2', 'refusals': '0', 'writers': ['core0/msr/0x186 pid 4711 prog']})


@test
def status_of_no_driver():
    with Tree(has_tree=False) as name:
        equal(run('driver', 'status', '--root', name, status=1), 'loaded: no\nmounted: no\n')
        report = json.loads(run('driver', 'status', '--json', '--root', name, status=1))
        equal([report[k] for k in ('loaded', 'version', 'mounted', 'status')], [False, None, None, None])


@test
def wrong_command_lines_of_driver():
    for args, part in (((), 'name an action'), (('lod',), "driver has no action 'lod'"), (('load', 'x'), "'load' takes no argument"),
                       (('load', '--gid', 'no-such-group'), "there is no group 'no-such-group'"),
                       (('load', '--gid', '0', '--mode', '0777'), '--mode takes read and write permissions'),
                       (('load', '--gid', '0', '--mode', '9'), '--mode takes read and write permissions'),
                       (('unload', '--user-access'), "'unload' has no option --user-access")):
        has(sentence('driver', *args), part)
    if not os.uname().machine.startswith('arm'):
        has(sentence('driver', 'load', '--user-access'), '--user-access is for 32-bit ARM: on')
    has(run('driver', '--help'), 'Usage: ntime driver load')


@test
def loading_says_what_is_wrong():
    if os.path.exists('/sys/module/ntime'):
        raise t.Skip('the driver is loaded here')
    with t.Directory():
        has(sentence('driver', 'load', '--module', 'none.ko'), "cannot open 'none.ko'")
    if not os.path.exists('/proc/modules'):
        for args in (('load', '--module', '/etc/passwd'), ('load',)):
            has(sentence('driver', *args), 'this kernel cannot load modules')
    done = ntime('driver', 'unload')
    equal([done.returncode, err(done)], [0, 'ntime: the driver is not loaded\n'])


if __name__ == '__main__':
    sys.exit(t.main())
