#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The command on the recorded machines: list, doctor, stat --dry-run and stat, with their exit statuses. Speaks TAP.

Usage: test_golden_cli.py NTIME [--write], in the root of the sources; --write makes the golden screens anew
"""
import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios

HERE = os.path.dirname(os.path.abspath(__file__))
NTIME = os.path.abspath(sys.argv[1])
# The same command where recorded machines count.
SIM = os.path.join(os.path.dirname(os.path.dirname(NTIME)), 'tests/sim/ntime-sim')
PATIENCE = 120
SKX, ZEN, ARM, ADL, KVM, RES = ('intel-skx-2s', 'amd-zen2', 'arm64-neoverse-n1', 'hybrid-adl', 'vm-kvm', 'restricted')
TESTS = []


def test(function):
    TESTS.append(function)
    return function


def ntime(machine, *args, exe=NTIME):
    """@args begin with the subcommand."""
    path = os.path.join(HERE, machine + '.json')
    env = dict(os.environ, LC_ALL='C.UTF-8', NO_COLOR='1', COLUMNS='200')
    return subprocess.run([exe, args[0], '--machine', path, *args[1:]], env=env, timeout=PATIENCE, check=False,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True)


def equal(got, want, what):
    if got != want:
        raise AssertionError(f'{what} is {got!r}, expected {want!r}')


def has(text, part):
    if part not in text:
        raise AssertionError(f'{part!r} is not in {text!r}')


def listed(machine, *args):
    done = ntime(machine, 'list', '--json', *args)
    equal(done.returncode, 0, f'exit status of list on {machine}')
    equal(done.stderr, '', f'stderr of list on {machine}')
    return json.loads(done.stdout)


def by_name(entries):
    return {entry['name']: entry for entry in entries}


# Units as list --json has them: number of them, and what is said of one. Absent keys are unknown numbers.
UNITS = (
    (SKX, 80, 'cpu', {'counters': 4, 'fixed': 3, 'usable': True, 'reason_code': None, 'remedy_kind': None}),
    (SKX, 80, 'uncore_cha_27', {'counters': 4, 'cpus': '0,28', 'usable': True}),
    (SKX, 80, 'uncore_m3upi_2', {'counters': 3, 'cpus': '0,28'}),
    (ZEN, 13, 'cpu', {'counters': 6}),
    (ZEN, 13, 'amd_l3', {'counters': 6, 'cpus': '0,2,4,6,8,10,12,14'}),
    (ARM, 49, 'armv8_pmuv3_0', {'fixed': 1, 'cpus': '0-79'}),
    (ARM, 49, 'arm_dsu_39', {'counters': 6, 'cpus': '78'}),
    (ADL, 29, 'cpu_core', {'counters': 8, 'fixed': 4, 'cpus': '0-15'}),
    (ADL, 29, 'cpu_atom', {'counters': 6, 'fixed': 3, 'cpus': '16-23'}),
    (KVM, 8, 'cpu', {'usable': False, 'reason': 'the hypervisor (KVM) exposes no core PMU to this guest',
                     'reason_code': 'hypervisor', 'about': 'core PMU', 'remedy_kind': 'elsewhere'}),
    (RES, 9, 'power', {'usable': False, 'remedy': 'sysctl kernel.perf_event_paranoid=0 (or, for ntime alone: setcap cap_perfmon+ep "$(command -v ntime)")'}),
)


@test
def units_are_listed():
    for machine, number, name, wanted in UNITS:
        report = listed(machine)
        equal(report['simulated'], True, 'simulated')
        units = by_name(report['units'])
        equal(len(units), number, f'number of units of {machine}')
        for key, value in wanted.items():
            equal(units[name].get(key), value, f'{key} of {name} on {machine}')
        equal('counters' in units[name], 'counters' in wanted, f'{name} on {machine} tells counters')


@test
def events_are_listed():
    events = by_name(listed(SKX)['events'])
    equal(events['uncore_imc_0/cas_count_read/']['unit'], 'MiB', 'unit of memory reads')
    equal(events['power/energy-pkg/']['unit'], 'Joules', 'unit of energy')
    equal(events['cycles']['unit_name'], 'cpu', 'counted by')
    equal('rapl::RAPL_ENERGY_GPU' in events, False, 'energy of graphics on a server')
    equal(all(event['usable'] for event in events.values()), True, 'usability of all events')
    usable = [event['name'] for event in listed(RES)['events'] if event['usable']]
    equal(usable, ['tsc'], 'what the restricted user can count')


@test
def patterns_choose():
    report = listed(SKX, 'cas_count_write')
    equal(sorted(event['name'] for event in report['events']),
          [f'uncore_imc_{i}/cas_count_write/' for i in range(6)], 'memory writes')


# Exit status, and lines that must be in the output.
DOCTOR = (
    (SKX, 0, ('Machine: 112 CPUs, 112 on line; 56 cores, 2 packages, 2 NUMA nodes', 'No problems found.')),
    (ARM, 1, ('Machine: 80 CPUs, 80 on line; 80 cores, 1 package, 1 NUMA node',
              'remedy: sysctl kernel.perf_user_access=1')),
    (ADL, 1, ('remedy: modprobe msr',)),
    (KVM, 1, ('the hypervisor (KVM) exposes no core PMU to this guest', 'host,pmu=on')),
    (RES, 1, ('perf_event_paranoid is 4: an ordinary user may not count anything', 'sysctl kernel.nmi_watchdog=0')),
)


@test
def doctor_tells_what_is_in_the_way():
    for machine, status, lines in DOCTOR:
        done = ntime(machine, 'doctor')
        equal(done.returncode, status, f'exit status of doctor on {machine}')
        for line in lines:
            has(done.stdout, line)


SIX_CHA = ','.join(f'uncore_cha/event=0x{0x11 + i:x}/' for i in range(6))
SEVEN = ','.join(f'cpu/event=0x{0x11 + i:x}/' for i in range(7))
# Exit status; what stdout (0) or stderr says.
DRY_RUNS = (
    (SKX, ['-v', '-a', '-e', 'uncore_imc/cas_count_read/,cycles', 'true'], 0, ['read/: replay, units uncore_imc_0 to uncore_imc_5 (6)\n', 'cycles: replay, unit cpu\n']),
    (ADL, ['-v', '-e', 'cycles', 'true'], 0, ['cycles: replay, units cpu_core to cpu_atom (2)\n']),
    (SKX, ('-e', 'cycles,instructions'), 0, ('cycles: replay, unit cpu', 'instructions: replay, unit cpu')),
    (SKX, ('-a', '-e', SIX_CHA), 0, ('uncore_cha/event=0x14/: replay, units uncore_cha_0 to uncore_cha_27 (28), pass\n    1 of 2\n',
     'uncore_cha/event=0x15/: replay, units uncore_cha_0 to uncore_cha_27 (28), pass\n    2 of 2\n', 'pass 2: 6 events need counters 0-3 of uncore_cha_0')),
    (SKX, ('-e', 'OFFCORE_RESPONSE_0:DMND_DATA_RD,OFFCORE_RESPONSE_0:DMND_RFO'), 0, ('MSR_OFFCORE_RSP_0',)),
    (ZEN, ('-e', SEVEN), 0, ('cpu/event=0x16/: replay, unit cpu, pass 1 of 2\n', 'cpu/event=0x17/: replay, unit cpu, pass 2 of 2\n')),
    (ARM, ('-e', 'cycles,branches'), 0, ('cycles: replay, unit armv8_pmuv3_0', 'branches')),
    (ZEN, ('-e', 'skx::INST_RETIRED:ANY_P'), 0, ("skx is a PMU of other processors (Intel Skylake X); this one's is",)),
    (KVM, ('-e', 'cycles'), 0, ('exposes no core PMU',)),
    (SKX, ('-e', 'cycels'), 125, ('cycles',)),
    (SKX, ('-e', '{' + SEVEN + '}'), 125, ('cpu/event=0x1',)),
    (SKX, ('-C', '200', '-e', 'cycles'), 125, ('there is no CPU 200',)),
)


@test
def dry_runs_show_the_plan():
    for machine, args, status, lines in DRY_RUNS:
        done = ntime(machine, 'stat', '--dry-run', *args)
        what = f'stat --dry-run {" ".join(args)} on {machine}'
        if done.returncode != status:
            raise AssertionError(f'{what}: status {done.returncode}: {done.stdout}{done.stderr}')
        for line in lines:
            has(done.stderr if status else done.stdout + done.stderr, line)


@test
def counts_are_simulated_and_say_so():
    done = ntime(SKX, 'stat', '--json', '-e', 'cycles,instructions,IPC,tsc', 'sh', '-c', 'exit 7', exe=SIM)
    equal(done.returncode, 7, 'exit status')
    report = json.loads(done.stderr)
    equal(report['simulated'], True, 'simulated')
    items = by_name(report['items'])
    equal(items['instructions']['value'] / items['cycles']['value'], 1.5, 'instructions per cycle')
    equal(round(items['IPC']['value'], 9), 1.5, 'IPC')
    # 2.7 GHz and a fifth more in the first half of each 100 ms, against a clock of 2.5 GHz
    equal(items['cycles']['value'] / items['tsc']['value'], 2.7 * 1.2 / 2.5, 'cycles per tick')


SCREENS = [(args, machine, columns) for args in ('list', 'doctor', 'stat') for machine in (SKX, KVM) for columns in (40, 80, 200)]


def on_terminal(args, machine, columns):
    """What a terminal of 24 lines shows."""
    fd, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack('HHHH', 24, columns, 0, 0))
    command = [SIM if args == 'stat' else NTIME, args, '--machine', os.path.join(HERE, machine + '.json')]
    if args == 'stat':
        command += ['sh', '-c', 'exit 3']
    child = subprocess.Popen(command, env=dict(os.environ, LC_ALL='C.UTF-8', NO_COLOR='1', PAGER='cat'), stdin=slave, stdout=slave, stderr=slave)
    os.close(slave)
    shown = b''
    try:
        while part := os.read(fd, 65536):
            shown += part
    except OSError:  # the other end is closed
        pass
    child.wait(timeout=PATIENCE)
    os.close(fd)
    return shown.decode().replace('\r\n', '\n')


def screen_path(args, machine, columns):
    return os.path.join(HERE, 'screens', f'{args}-{machine}-{columns}.txt')


def masked(text):
    """How many events there are depends on the version of libpfm4."""
    return re.sub(r'\d+', 'N', text)


def masked_report(text):
    """
    Numbers differ from run to run, and so does what aligns them. What ran at once has no memory of its own, and wait4(2), which counts from
    fork(2) on, may have more involuntary switches than the counter has in all: they are not told then. What ran for few ticks may have had
    "1.02 CPUs", or 98 % of one.
    """
    text = re.sub(r' +peak .*|at most | *\d+ involuntary', '', text).replace('% of a CPU', 'CPUs')
    lines = [' '.join(re.sub(r'[\d,.]+ ?([kMGT]|ms|s|us|µs)?(?= |$)', 'N', line).split()) for line in text.split('\n')]
    return [line for line in lines if line]


@test
def screens_are_the_golden_ones():
    for screen in SCREENS:
        shown = on_terminal(*screen)
        with open(screen_path(*screen), encoding='utf-8') as file:
            mask = masked_report if screen[0] == 'stat' else masked
            equal(mask(shown), mask(file.read()), f'what {screen} shows')
        # One counter a line, with a PMU and without.
        if screen[0] == 'stat' and screen[2] >= 80 and len(shown.strip().split('\n')) > (16 if screen[1] == SKX else 12):
            raise AssertionError(f'{screen} is too long:\n{shown}')
        if screen[0] == 'list' and screen[2] >= 80 and shown.count('\n') > 23:
            raise AssertionError(f'{screen} has more than one screen:\n{shown}')
        if screen[2] > 40 and max(map(len, shown.split('\n'))) > screen[2]:
            raise AssertionError(f'{screen} has a line that is too long:\n{shown}')


def write_screens():
    os.makedirs(os.path.join(HERE, 'screens'), exist_ok=True)
    for screen in SCREENS:
        with open(screen_path(*screen), 'w', encoding='utf-8') as file:
            file.write(on_terminal(*screen))


def main():
    if sys.argv[2:] == ['--write']:
        write_screens()
        return 0
    failed = 0
    only = os.environ.get('TT_ONLY', '').split()
    chosen = [t for t in TESTS if not only or t.__name__ in only]
    print(f'1..{len(chosen)}')
    for number, function in enumerate(chosen, 1):
        try:
            function()
            print(f'ok {number} - {function.__name__}')
        except Exception as error:  # pylint: disable=broad-except
            failed += 1
            print(f'not ok {number} - {function.__name__}')
            print(f'# {type(error).__name__}: {error}'.replace('\n', '\n# '))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
