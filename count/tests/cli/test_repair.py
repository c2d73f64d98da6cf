#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ntime doctor and what killed programs left, below a root directory where records and msr devices are plain files. Speaks TAP.

Usage: test_repair.py NTIME [-k WORD]
"""
import json
import os
import pty
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../../base/tests'))
import command as t    # noqa: E402
from command import environment, equal, err, has, has_not, ntime    # noqa: E402
from machines import BOOT, ENABLE, OURS, SELECT, Machine, line, three    # noqa: E402
test = t.test


def out(done):
    return done.stdout.decode()


def answered(answer, *args):
    """Run on a terminal and answer the question; (exit status, what was shown)."""
    pid, fd = pty.fork()
    if pid == 0:
        os.execve(t.NTIME, [t.NTIME, 'doctor', '--repair', *args], environment())
    t.GROUPS.append(pid)
    shown = ''
    while answer is not None and '[y/N]' not in shown:
        shown += os.read(fd, 4096).decode()
    if answer is not None:
        os.write(fd, answer)
    shown += t.read_all(fd)
    _, status = os.waitpid(pid, 0)
    os.close(fd)
    return os.waitstatus_to_exitcode(status), shown.replace('\r\n', '\n')


@test
def wrong_command_lines():
    for args, part in ((('--yes',), '--yes needs --repair'),
                       (('--repair', '--json'), '--repair and --json cannot be combined'),
                       (('--repair', '--record', 'x'), '--repair and --record cannot be combined'),
                       (('--repair', '--machine', 'x'), '--repair and --machine cannot be combined'),
                       (('--repair', 'uncore-0'), 'doctor takes no argument')):
        done = ntime('doctor', *args)
        equal((done.returncode, done.stdout), (125, b''), args)
        has(err(done), part)


# ---- below a root directory ----

FOUND = '''uncore of package 0, left by ntime watch (pid 4711):
  MSR_UNCORE_PERFEVTSEL2 of CPU 0: found 0x420183, now 0x20183
  MSR_UNCORE_PERFEVTSEL2 of CPU 1: found 0x400101, now 0x101
  MSR_UNCORE_PERFEVTSEL2 of CPU 2: found 0x40004d, now 0x4d
'''
LOOKED = FOUND.replace('found', 'holds').replace('now', 'off it is')


@test
def nothing_to_repair():
    nothing = 'nothing to repair: no program left counters running\n'
    with Machine(needs_msrs=False) as m:
        os.remove(os.path.join(m.name, 'run/ntime/uncore-0'))
        for args in ((), ('--yes',)):
            done = ntime('doctor', '--root', m.name, '--repair', *args)
            equal((done.returncode, out(done), err(done)), (0, nothing, ''))
        equal(answered(None, '--root', m.name), (0, nothing))


@test
def each_register_is_told():
    with three() as m:
        done = ntime('doctor', '--root', m.name, '--repair', '--yes')
        equal((done.returncode, out(done), err(done)), (0, FOUND, ''))
        equal([m.get(SELECT, cpu) for cpu in range(3)], [0x20183, 0x101, 0x4d])


@test
def nothing_is_written_where_nobody_can_be_asked():
    with three() as m:
        for answer in (b'y\n', b'n\n', b''):
            with tempfile.TemporaryFile() as file:
                file.write(answer)
                file.seek(0)
                done = ntime('doctor', '--root', m.name, '--repair', stdin=file)
            equal((done.returncode, out(done)), (125, LOOKED))
            equal(err(done), 'ntime: nothing was written, because there is no terminal to ask on: add --yes\n')
        equal(m.get(SELECT), 0x420183)


@test
def terminals_are_asked():
    for answer in (b'y\n', b'Yes\n'):
        with three() as m:
            status, shown = answered(answer, '--root', m.name)
            equal((status, m.get(SELECT)), (0, 0x20183))
            has(shown, LOOKED + 'Write these registers? [y/N] ')
            has(shown, FOUND)
    with three() as m:
        # the last one is the end of the input
        for answer in (b'n\n', b'\n', b'\x04'):
            status, shown = answered(answer, '--root', m.name)
            equal((status, m.get(SELECT)), (125, 0x420183))
            has(shown, LOOKED)
            has(shown, 'ntime: nothing was written')
            has_not(shown, 'found')
        equal(answered(None, '--root', m.name, '--yes'), (0, FOUND))


@test
def one_of_three_registers_fails():
    with three() as m:
        os.remove(os.path.join(m.name, 'dev/cpu/2/msr'))
        done = ntime('doctor', '--root', m.name, '--repair', '--yes')
        equal(done.returncode, 125)
        equal(out(done).splitlines()[:3], FOUND.splitlines()[:3])
        has(out(done), 'MSR_UNCORE_PERFEVTSEL2 of CPU 2: not switched off: ')
        has(err(done), 'ntime: 1 register of uncore-0 could not be switched off and stays on record: ')
        equal(err(done).splitlines()[1:], ['ntime: as soon as these registers can be reached: ntime doctor --repair'])


@test
def other_files_are_told():
    wrong = "ntime: /run/ntime/notes cannot be used: it is no record of ntime's; remove it when no program counts with it\n"
    with three() as m:
        m.put('run/ntime/notes', b'buy milk\n')
        done = ntime('doctor', '--root', m.name, '--repair', '--yes')
        equal((done.returncode, out(done), err(done)), (125, FOUND, wrong))
        done = ntime('doctor', '--root', m.name, '--repair', '--yes')
        equal((done.returncode, out(done), err(done)), (125, '', wrong))


@test
def a_full_stdout():
    with open('/dev/full', 'wb') as full, Machine() as m:
        equal(ntime('doctor', '--root', m.name, '--repair', '--yes', stdout=full).returncode, 125)


@test
def doctor_tells_and_repairs():
    with Machine() as m:
        root = m.name
        done = ntime('doctor', '--root', root)
        text = ' '.join(out(done).split())
        equal(done.returncode, 1)
        has(text, 'uncore of package 0 ntime watch (pid 4711) left 1 register programmed '
                  'remedy: ntime doctor --repair')
        report = json.loads(ntime('doctor', '--root', root, '--json').stdout)
        has([o['what'] for o in report['problems'] if o['remedy'] == 'ntime doctor --repair'], 'uncore of package 0')
        done = ntime('doctor', '--root', root, '--repair')
        equal(done.returncode, 125)
        has(out(done), 'MSR_UNCORE_PERFEVTSEL2 of CPU 0: holds 0x420183, off it is 0x20183')
        has(err(done), 'add --yes')
        equal((m.get(ENABLE), m.get(SELECT), m.records()), (0x80000005, 0x420183, ['uncore-0']))
        done = ntime('doctor', '--root', root, '--repair', '--yes')
        equal((done.returncode, out(done), err(done)), (0, '''uncore of package 0, left by ntime watch (pid 4711):
  MSR_UNCORE_PERFEVTSEL2 of CPU 0: found 0x420183, now 0x20183
''', ''))
        equal((m.get(ENABLE), m.get(SELECT)), (0x80000005, 0x20183))
        equal(m.records(), [])
        has(out(ntime('doctor', '--root', root, '--repair', '--yes')), 'nothing to repair')
        has_not(out(ntime('doctor', '--root', root)), '--repair')


@test
def doctor_tells_each_program_once():
    with Machine() as m:
        for bank, pid in (('uncore-1', 4711), ('cpu-0', 4712)):
            m.put(f'run/ntime/{bank}', line('ntime-claim-2', pid, 1, BOOT, f'bank {bank}', 'ntime watch') +
                  line(*OURS))
        found = {o['what']: o['reason'] for o in json.loads(ntime('doctor', '--root', m.name, '--json').stdout)['problems']
                 if o['remedy'] == 'ntime doctor --repair'}
        first = [what for what in found if 'uncore' in what][0]
        equal(sorted(first.split(', ')), ['bank uncore-1', 'uncore of package 0'])
        equal(found, {first: f'ntime watch (pid 4711) left 2 registers of 2 boxes programmed',
                      'bank cpu-0': f'ntime watch (pid 4712) left 1 register programmed'})


@test
def doctor_tells_that_perf_counts_there():
    with Machine() as m:
        m.put('sys/bus/event_source/devices/uncore/type', b'9\n')
        m.put('sys/bus/event_source/devices/uncore/cpumask', b'0\n')
        has(' '.join(out(ntime('doctor', '--root', m.name)).split()), 'programmed; the kernel\'s own driver (perf) knows nothing of it')


@test
def others_registers_stay():
    with Machine() as m:
        root = m.name
        m.set(SELECT, 0x400167)
        done = ntime('doctor', '--root', root, '--repair', '--yes')
        equal(done.returncode, 0)
        has(out(done), 'MSR_UNCORE_PERFEVTSEL2 of CPU 0: 0x400167, left unchanged: another program uses it now\n')
        equal(m.get(SELECT), 0x400167)
        equal(m.records(), [])


@test
def only_rows_and_their_stored_bits():
    """A record that says anything else is refused as a whole, and nothing is written."""
    for wrong in (('msr', '0x1a0', 64, 'CPU 0', 0, 'IA32_NOBODY_KNOWS', '0', '0x1', '0x1'),
                  # LSTAR, which the kernel is entered by, under a name that has a row
                  ('msr', '0xc0000082', 64, 'CPU 0', 0, 'MSR_UNCORE_PERFEVTSEL2', '0', '0', '0xffffffffffffffff'),
                  # bits that no field of the row stores
                  ('msr', '0x3c3', 64, 'CPU 0', 0, 'MSR_UNCORE_PERFEVTSEL3', '0', '0', '0x4000000000000000'),
                  # registers that let nothing run by themselves
                  ('msr', '0x391', 64, 'CPU 0', 0, 'MSR_UNCORE_PERF_GLOBAL_CTRL', '0x1', '0x5', '0x4'),
                  ('msr', '0x3b2', 64, 'CPU 0', 0, 'MSR_UNCORE_PMC2', '0', '0', '0'),
                  ('pci', '0x4', 16, '0000:00:1f.2', -1, 'PCI_COMMAND_REGISTER', '0', '0', '0x4')):
        for lines in ((wrong,), (OURS, wrong)):
            with Machine() as m:
                m.put('run/ntime/uncore-0', line('ntime-claim-2', 4711, 1, BOOT, 'uncore of package 0', 'ntime watch') +
                      b''.join(line(*fields) for fields in lines))
                with open(os.path.join(m.name, 'dev/cpu/0/msr'), 'rb') as f:
                    before = f.read()
                done = ntime('doctor', '--root', m.name, '--repair', '--yes')
                equal((done.returncode, out(done)), (125, ''), wrong)
                has(err(done), 'uncore-0 cannot be used: it names a register, or bits of one, that ntime has no row for')
                equal(err(done).count('\n'), 1)
                with open(os.path.join(m.name, 'dev/cpu/0/msr'), 'rb') as f:
                    equal(f.read() == before, True, wrong)
                equal(m.records(), ['uncore-0'])


@test
def only_this_boot():
    for boot, status, told in (('-', 125, 'it is not known whether it was written since this machine was started'),
                               ('11111111-2222-3333-4444-555555555555', 0, '')):
        with Machine() as m:
            m.put('run/ntime/uncore-0', line('ntime-claim-2', 4711, 1, boot, 'uncore of package 0', 'ntime watch') +
                  line(*OURS))
            done = ntime('doctor', '--root', m.name, '--repair', '--yes')
            equal(done.returncode, status, boot)
            has(err(done), told)
            equal(m.get(SELECT), 0x420183)


@test
def only_records_of_root():
    if os.geteuid():
        raise t.Skip('only root can make files of another user')
    for change in (lambda path: os.chown(path, 12345, 0), lambda path: os.chmod(path, 0o620), lambda path: os.link(path, path + '-2'),
                   lambda path: os.chown(os.path.dirname(path), 12345, 0), lambda path: os.chmod(os.path.dirname(path), 0o777)):
        with Machine() as m:
            change(os.path.join(m.name, 'run/ntime/uncore-0'))
            equal(ntime('doctor', '--root', m.name, '--repair', '--yes').returncode, 125)
            equal(m.get(SELECT), 0x420183)


@test
def registers_that_cannot_be_reached():
    with Machine() as m:
        root = m.name
        os.remove(os.path.join(root, 'dev/cpu/0/msr'))
        os.makedirs(os.path.join(root, 'proc'), exist_ok=True)
        with open(os.path.join(root, 'proc/modules'), 'w', encoding='ascii'):
            pass
        done = ntime('doctor', '--root', root, '--repair', '--yes')
        equal(done.returncode, 125)
        has(err(done), '1 register of uncore-0 could not be switched off and stays on record: no MSR device for CPU 0: the msr '
                       'driver is not loaded; remedy: modprobe msr')
        has(out(done), 'of CPU 0: not switched off: no MSR device for CPU 0: the msr driver is not loaded; remedy: modprobe msr\n')
        has(err(done), 'as soon as these registers can be reached: ntime doctor --repair\n')
        equal(m.records(), ['uncore-0'])


@test
def damaged_records():
    with Machine(needs_msrs=False) as m:
        root = m.name
        path = os.path.join(root, 'run/ntime/uncore-0')
        with open(path, 'r+b') as f:
            f.seek(300)
            f.write(b'?')
        done = ntime('doctor', '--root', root)
        equal(done.returncode, 1)
        has(' '.join(out(done).split()), '/run/ntime/uncore-0 cannot be used: a line of it is damaged remedy: see that no program '
                                         'counts with it, then: rm /run/ntime/uncore-0')
        done = ntime('doctor', '--root', root, '--repair', '--yes')
        equal((done.returncode, out(done)), (125, ''))
        has(err(done), 'a line of it is damaged')


@test
def ordinary_users():
    if os.geteuid():
        raise t.Skip('needs root, to become nobody')
    with Machine() as m:
        root = m.name
        try:
            done = ntime('doctor', '--root', root, '--repair', user=65534)
        except PermissionError as error:
            raise t.Skip(f'an ordinary user may not look into the build folder ({error})') from error
        equal((done.returncode, out(done)), (125, ''))
        has(err(done), 'in /run/ntime, which can be read by root only')
        has_not(out(ntime('doctor', '--root', root, user=65534)), '--repair')


@test
def directories_that_others_can_write_to():
    with Machine(needs_msrs=False) as m:
        root = m.name
        os.chmod(os.path.join(root, 'run/ntime'), 0o777)
        done = ntime('doctor', '--root', root, '--repair', '--yes')
        equal(done.returncode, 125)
        has(err(done), '/run/ntime is not a directory that only root can write to: remove it')
        has(out(ntime('doctor', '--root', root)), 'remedy: remove it')


if __name__ == '__main__':
    sys.exit(t.main())
