#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Counts of ntime against workloads whose counts are known, getrusage(2), and perf stat. Speaks TAP.

Usage: BUILD=build test_agree.py NTIME [NAME...]
Nothing here is about how long something takes: all bounds follow from what the kernel counts where; each says why.
"""
import json
import os
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path.insert(0, os.path.join(ROOT, 'bench'))
import agree    # noqa: E402
import common   # noqa: E402

NTIME = os.path.abspath(sys.argv[1])
PERF = shutil.which('perf')
EVENTS = agree.EVENTS
CHILDREN = 100
CHILD_PAGES = 16
PAGES = 2000
SLEEPS = 200
RUNS = 5
# On a machine that does much else it may take so many until one of them is undisturbed.
MOST_RUNS = 40
# Not counted of each switch from one task to another.
SWITCH_NS = 100000
TESTS = []

# What start-up (dynamic linker, C library) and the last line of output may differ in between two runs of one program: the
# addresses are random, so tables lie on one page or on two.
FEW = 8
# Switches that nobody asked for: the scheduler takes the processor away, or moves the process at exec.
FEW_SWITCHES = 16


class Skip(Exception):
    """Cannot be tested here; the text says why."""


def test(function):
    TESTS.append(function)
    return function


def equal(got, want, what):
    if got != want:
        raise AssertionError(f'{what} is {got!r}, expected {want!r}')


def between(low, value, high, what):
    if not low <= value <= high:
        raise AssertionError(f'{what} is {value}, expected {low} to {high}')


def least(counted, most):
    """The least of several runs: what comes in between now and then, a page or a switch, only adds. Ends with one that is at most @most."""
    values = []
    while len(values) < MOST_RUNS and (not values or min(values) > most):
        values.append(counted())
    return min(values)


def same(first, second, allowance, what):
    """Both have the same least value, in runs in turns until they do: what differs each time never does."""
    pairs = []
    while len(pairs) < MOST_RUNS:
        pairs.append((first(), second()))
        low = [min(values) for values in zip(*pairs)]
        if len(pairs) >= RUNS and abs(low[0] - low[1]) <= allowance:
            return
    raise AssertionError(f'{what}: at least {low[0]} and {low[1]}, which are not within {allowance}, of {pairs}')


def command(name, n, *options):
    return [agree.workload(name), '--json', *options, str(n)]


def below_shell(name, n, *options):
    """The workload is the only child of what is measured."""
    return agree.run_ntime(NTIME, ['sh', '-c', '"$@"; exit $?', 'sh', *command(name, n)], *options)[0]


def ours(name, n, *options, **more):
    return agree.run_ntime(NTIME, command(name, n), *options, **more)


def peers(name, n, *options, **more):
    if not PERF:
        raise Skip('perf is missing: apt-get install linux-perf')
    try:
        return agree.run_perf(PERF, command(name, n), *options, **more)
    except common.CannotRun as error:
        raise Skip('perf stat cannot run here: ' + ' '.join(str(error).split())) from error


def count(run, event, who):
    if event not in run.counts:
        raise Skip(f'{who} cannot count {event} here')
    return run.counts[event]


def startup(run, event, who, part='work'):
    """What was counted beside the work."""
    return count(run, event, who) - run.told(event, part)


def same_startup(name, n, event, allowance, *options, part='work'):
    """ntime and perf see the same of one program, whatever their own children do before exec."""
    same(lambda: startup(ours(name, n, *options)[0], event, 'ntime', part), lambda: startup(peers(name, n, *options), event, 'perf', part),
         allowance, f'{event} of ntime and of perf beside the work of {name}')


def same_unseen(name, *sizes):
    """Faults of rusage that are not counted: those before exec, and those of exec itself, the same for any work of the same program."""
    def unseen(n):
        run = ours(name, n)[0]
        return run.rusage['page-faults'] - count(run, 'page-faults', 'ntime')
    same(*(lambda n=n: unseen(n) for n in sizes), FEW, f'unseen faults of {name} with {sizes}')


# ---- page toucher ----

@test
def pages_that_are_touched_are_faults():
    def work():
        run = ours('toucher', PAGES)[0]
        # What the workload did between two looks is counted in full, and rusage, which also has what came before exec, has no less.
        between(run.told('page-faults', 'work'), count(run, 'page-faults', 'ntime'), run.rusage['page-faults'], 'page-faults')
        return run.told('page-faults', 'work')
    # More where the kernel takes pages away, to move them or for want of memory.
    between(PAGES, least(work, 1.1 * PAGES), 1.1 * PAGES, 'faults of the work by getrusage')


@test
def faults_unseen_do_not_depend_on_the_work():
    same_unseen('toucher', 0, PAGES)


@test
def page_faults_are_those_of_perf():
    same_startup('toucher', PAGES, 'page-faults', FEW)


# ---- sleeper ----

@test
def sleeps_are_switches():
    run = ours('sleeper', SLEEPS)[0]
    switched = run.truth['switched_sleeps']
    # Were it zero, nothing would be tested; see sleeper.c for why it may be less than all.
    between(1, switched, SLEEPS, 'sleeps that gave the processor away')
    between(switched, count(run, 'context-switches', 'ntime'), run.rusage['context-switches'], 'context-switches')
    between(run.told('context-switches', 'work'), run.counts['context-switches'], run.rusage['context-switches'],
            'context-switches')


@test
def context_switches_are_those_of_perf():
    same_startup('sleeper', SLEEPS, 'context-switches', FEW_SWITCHES)


# ---- fork storm ----

@test
def faults_of_all_children_are_counted():
    run = ours('forkstorm', CHILDREN)[0]
    between(CHILDREN * CHILD_PAGES, run.told('page-faults', 'work'), run.rusage['page-faults'], 'faults by getrusage')
    # A child's counters are its parent's from fork on, so all of the work is in; rusage has what came before exec.
    between(run.told('page-faults', 'work'), count(run, 'page-faults', 'ntime'), run.rusage['page-faults'], 'page-faults')


@test
def faults_unseen_do_not_depend_on_the_children():
    same_unseen('forkstorm', 0, CHILDREN)


@test
def switches_of_children_are_counted():
    # Of a process that ends the last switch, and each while its memory is torn down, comes after its counters are closed: how many nobody knows.
    run = ours('forkstorm', CHILDREN)[0]
    between(run.told('context-switches', 'own'), count(run, 'context-switches', 'ntime'), run.rusage['context-switches'], 'context-switches')
    run = below_shell('sleeper', SLEEPS)
    switched = run.truth['switched_sleeps']
    between(switched, count(run, 'context-switches', 'ntime'), run.rusage['context-switches'], 'context-switches of a child')
    run = below_shell('sleeper', SLEEPS, '-i')
    between(0, count(run, 'context-switches', 'ntime'), run.rusage['context-switches'] - run.truth['switched_sleeps'],
            'context-switches without a child')


@test
def fork_storm_has_perfs_page_faults():
    same_startup('forkstorm', CHILDREN, 'page-faults', FEW)


# ---- time ----

def disturbed_ns():
    """Stolen and interrupt time of all CPUs: task-clock goes on in it, user + sys need not (proc(5): steal, irq, softirq)."""
    with open('/proc/stat', encoding='ascii') as f:
        fields = [int(field) for field in f.readline().split()[1:]]
    return sum(fields[i] for i in (5, 6, 7) if i < len(fields)) * 10**9 // os.sysconf('SC_CLK_TCK')


@test
def task_clock_is_user_and_sys():
    # Unseen by task-clock: what is before exec, the end of each process, and the switching (bench/agree.py says more). So it has at least the
    # work of a process that the process itself looked at. The toucher is long enough for the bound to mean something; the others must have
    # run at all.
    for run_it, name, n, part in ((lambda *work: ours(*work)[0], 'toucher', 10 * PAGES, 'work'), (below_shell, 'toucher', 10 * PAGES, 'work'),
                                  (lambda *work: ours(*work)[0], 'sleeper', SLEEPS, 'work'),
                                  (lambda *work: ours(*work)[0], 'forkstorm', CHILDREN, 'own')):
        before = disturbed_ns()
        run = run_it(name, n)
        # Three numbers, each of which may lack up to a tick.
        disturbed = disturbed_ns() - before + 3 * 10**9 // os.sysconf('SC_CLK_TCK')
        work, unseen = run.told('task-clock', part), run.told('context-switches', part) * SWITCH_NS
        between(max(1, 0.8 * work - unseen), count(run, 'task-clock', 'ntime'),
                1.2 * run.rusage['task-clock'] + run.rusage['context-switches'] * SWITCH_NS + disturbed, f'task-clock of {name}')


# ---- options ----

@test
def without_children_only_the_parent_counts():
    run = ours('forkstorm', CHILDREN, '-i')[0]
    own = run.told('page-faults', 'own')
    between(own, count(run, 'page-faults', 'ntime'), run.rusage['page-faults'] - CHILDREN * CHILD_PAGES, 'page-faults')
    same_startup('forkstorm', CHILDREN, 'page-faults', FEW, '-i', part='own')


@test
def repeated_runs_are_averaged():
    report = ours('toucher', PAGES, '-r', '3')[1]
    item, rusage = report['items'][0], report['time']['over_runs']
    equal((report['runs'], item['runs']), (3, 3), 'runs')
    between(PAGES, item['min'], item['value'], 'the least of three')
    between(item['value'], item['max'], rusage['minor_faults']['max'] + rusage['major_faults']['max'], 'the most of three')
    same(lambda: ours('toucher', PAGES, '-r', '3')[1]['items'][0]['value'], lambda: count(peers('toucher', PAGES, '-r', '3'), 'page-faults', 'perf'),
         FEW, 'means of page-faults')


@test
def intervals_add_up():
    for name, n in (('sleeper', SLEEPS), ('toucher', PAGES), ('forkstorm', CHILDREN)):
        run, _, text = ours(name, n, '-I', '20ms')
        lines = [json.loads(line) for line in text.splitlines()]
        equal([line['kind'] for line in lines], ['interval'] * (len(lines) - 1) + ['summary'], 'kinds')
        for event in EVENTS:
            equal(sum(agree.ntime_counts(line)[event] for line in lines[:-1]), count(run, event, 'ntime'),
                  f'sum of the intervals of {event}, {name}')
        between(run.told('page-faults', 'work'), run.counts['page-faults'], run.rusage['page-faults'], 'page-faults')


@test
def passes_of_events_that_need_no_counter_are_one():
    run, report, _ = ours('toucher', PAGES, '--passes')
    equal((report['by_pass'], report['passes'], report['runs']), (True, 1, 1), 'by_pass, passes, runs')
    between(run.told('page-faults', 'work'), count(run, 'page-faults', 'ntime'), run.rusage['page-faults'], 'page-faults')


def counted_on(*options):
    """Everything that runs there is counted, so the work at least."""
    run = agree.run_ntime(NTIME, command('toucher', PAGES), *options, events=['page-faults'])[0]
    faults = count(run, 'page-faults', 'ntime')
    between(run.told('page-faults', 'work'), faults, 2**63, f'page-faults with {options}')
    run = peers('toucher', PAGES, *options, events=['page-faults'])
    between(run.told('page-faults', 'work'), count(run, 'page-faults', 'perf'), 2**63, f'page-faults of perf with {options}')


def check_machine_wide():
    done = subprocess.run([NTIME, '--json', '-a', '-e', 'page-faults', '--', 'true'], stderr=subprocess.PIPE, text=True,
                          stdin=subprocess.DEVNULL, check=False)
    if done.returncode:
        raise Skip('the whole machine cannot be counted: ' + done.stderr.strip())
    item = json.loads(done.stderr)['items'][0]
    if 'absent' in item:
        raise Skip('the whole machine cannot be counted: ' + item['absent']['reason'])


@test
def whole_machine_has_the_work():
    check_machine_wide()
    counted_on('-a')


@test
def one_cpu_has_the_work_that_is_bound_to_it():
    check_machine_wide()
    before = os.sched_getaffinity(0)
    cpu = min(before)
    os.sched_setaffinity(0, {cpu})
    try:
        counted_on('-C', str(cpu))
    finally:
        os.sched_setaffinity(0, before)


# ---- attached ----

def attached(tool, name, n):
    """A workload that begins when the tool's first interval is out: (its truth, everything that the tool wrote)."""
    with subprocess.Popen(command(name, n, '--wait'), stdin=subprocess.PIPE, stdout=subprocess.PIPE) as victim:
        try:
            # Start-up is over: none of it is to be counted.
            equal(victim.stdout.readline(), b'ready\n', 'first line of the workload')
            with subprocess.Popen([part.replace('PID', str(victim.pid)) for part in tool], stdin=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE, text=True, env=agree.environment()) as watcher:
                first = watcher.stderr.readline()
                said, _ = victim.communicate(b'x')
                text = first + watcher.stderr.read()
        finally:
            victim.kill()
    if watcher.returncode or not said:
        raise AssertionError(f'{tool} ended with {watcher.returncode}: {text}')
    return json.loads(said), text


def attached_ntime(options, name, n):
    truth, text = attached([NTIME, '--json', '-I', '20ms', '-e', 'page-faults', *options, 'PID'], name, n)
    return truth, agree.ntime_counts(json.loads(text.splitlines()[-1]))['page-faults']


def attached_perf(options, name, n):
    if not PERF:
        raise Skip('perf is missing: apt-get install linux-perf')
    # The summary, not the sum of the intervals: perf leaves the last one out if the process has gone when it looks.
    truth, text = attached([PERF, 'stat', '-x,', '-I', '20', '--summary', '-e', 'page-faults', *options, 'PID'], name, n)
    return truth, next(int(line.split(',')[1]) for line in text.splitlines() if line.strip().startswith('summary,'))


def beside_work(tool, options, name, n, part, most):
    """All of the work is counted each time, and now and then not much more."""
    def beside():
        truth, faults = tool(options, name, n)
        work = truth[part]['faults']
        between(work, faults, 2**63, f'{tool.__name__}: page-faults of {name} with {options}')
        return faults - work
    between(0, least(beside, most), most, f'{tool.__name__}: page-faults with {options} beside the work of {name}')


@test
def attached_counts_have_the_work_and_nothing_before():
    # Behind the work come the line of output and exit: a few faults.
    for tool in (attached_ntime, attached_perf):
        for options in (['-p'], ['-t']):
            beside_work(tool, options, 'toucher', PAGES, 'work', FEW)


@test
def attached_counts_have_children_unless_forbidden():
    for tool in (attached_ntime, attached_perf):
        for options, part in ((['-p'], 'work'), (['-i', '-p'], 'own')):
            # Behind the work: the last fork made the parent's pages read-only, so each that the end writes to is a fault more.
            beside_work(tool, options, 'forkstorm', CHILDREN, part, 4 * FEW)


def check_can_count():
    """All of it needs counts of user and kernel mode; ntime says why there are none."""
    report = ours('toucher', 0)[1]
    for item in report['items']:
        if 'absent' in item:
            return f'{item["name"]}: {item["absent"]["reason"]}'
        if item['name'] not in agree.ntime_counts(report):
            return f'{item["name"]} is counted in user mode only'
    return ''


def main():
    only = sys.argv[2:] or os.environ.get('TT_ONLY', '').split()
    chosen = [t for t in TESTS if not only or t.__name__ in only]
    why = check_can_count()
    if why:
        print(f'1..0 # SKIP {why}')
        return 77
    print(f'1..{len(chosen)}')
    failed = 0
    for number, function in enumerate(chosen, 1):
        try:
            function()
            print(f'ok {number} - {function.__name__}')
        except Skip as skip:
            print(f'ok {number} - {function.__name__} # SKIP {skip}')
        except (AssertionError, common.CannotRun, KeyError, ValueError) as error:
            failed += 1
            for line in f'{type(error).__name__}: {error}'.splitlines():
                print(f'# {line}')
            print(f'not ok {number} - {function.__name__}')
        sys.stdout.flush()
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
