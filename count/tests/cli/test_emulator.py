#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ntime --via emulator: counts of a program by a plugin of qemu-user. Speaks TAP.

Usage: test_emulator.py NTIME PROGRAM [--all] [--later] [-k WORD]     PROGRAM is the built emulated.c

--later: with the emulator of Debian 13's source that the lab builds, for programs of this machine.
"""
import json
import os
import platform
import re
import shutil
import stat
import subprocess
import sys
import tempfile

PROGRAM = os.path.abspath(sys.argv.pop(2))
# As many as it takes: 1,000 processes and 100 runs.
ALL = '--all' in sys.argv

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../../base/tests'))
import command as t    # noqa: E402
from command import environment, equal, err, has, ntime    # noqa: E402

test = t.test
MACHINE = platform.machine()


def counted(*command, events='instructions,branches,syscalls', status=0, options=(), env=None):
    done = ntime('--via', 'emulator', '--json', *options, '-e', events, '--', *command, env=env)
    equal(done.returncode, status, err(done))
    text = err(done)
    report = json.loads(text[text.index('{'):text.rindex('}') + 1])
    return {item['name']: item for item in report['items']}, text[:text.index('{')] + text[text.rindex('}') + 1:]


def number_here(name):
    """Whether this machine counts it without the emulator."""
    return 'absent' not in json.loads(err(ntime('--json', '-e', name, 'true')))['items'][0]


def number(name, *command, **more):
    return counted(*command, **more)[0][name]['count']


@test
def counts_are_exact_and_the_same_each_time():
    equal(len({number('instructions', 'true') for _ in range(5)}), 1)
    for name, each in (('instructions', 2), ('branches', 1)):
        # As many digits, which are read too.
        few, many = (number(name, PROGRAM, 'loop', str(n)) for n in (1000000, 2000000))
        equal(many - few, each * 1000000, name)
    equal(number('syscalls', PROGRAM, 'loop', '1'), number('syscalls', PROGRAM, 'loop', '1000000'))


# What a turn of a kernel of emulated.c has: instructions, branches, taken branches, loads, stores.
KERNELS = {
    'load': (3, 1, 1, 1, 0), 'store': (3, 1, 1, 0, 1), 'wide': (4, 1, 1, 1, 1), 'update': (3, 1, 1, 1, 1), 'atomic': (3, 1, 1, 1, 1),
    'skip': (4.5, 2, 1.5, 0, 0), 'call': (4, 2, 2, 1, 1), 'repeat': (5, 1, 1, 0, 1), 'repeat-none': (5, 1, 1, 0, 0),
}
EVENTS = 'instructions,branches,taken-branches,loads,stores'


@test
def modes_are_what_the_emulator_runs():
    done = ntime('--json', '--via', 'emulator', '-e', 'instructions,instructions:u,instructions:k,instructions:uk,branches:u', 'true')
    of = {item['name']: item for item in json.loads(done.stderr)['items']}
    equal([name for name, item in of.items() if 'absent' in item], ['instructions:k', 'instructions:uk'])
    equal(of['instructions:u']['value'], of['instructions']['value'])
    done = ntime('compare', '--json', '-n', '6', '--by', 'instructions:u', '--via', 'emulator', 'true', 'true 1')
    equal((done.returncode, json.loads(done.stdout)['by']), (0, 'instructions:u'))


@test
def each_kind_of_instruction_is_counted_as_what_it_is():
    if MACHINE != 'x86_64':
        raise t.Skip('the kernels are of x86-64')
    for name, turn in KERNELS.items():
        few, many = (counted(PROGRAM, name, str(n), events=EVENTS)[0] for n in (1000, 3000))
        equal(tuple((many[event]['count'] - few[event]['count']) / 2000 for event in EVENTS.split(',')), turn, name)
        # The same where nobody asks for more than instructions.
        alone = number('instructions', PROGRAM, name, '1000', events='instructions')
        equal(alone, few['instructions']['count'], name)
    for name in ('atomic', 'repeat'):
        few, many = (counted(PROGRAM, 'threads', str(n), name, events=EVENTS)[0] for n in (10000, 210000))
        for event, each in zip(EVENTS.split(','), KERNELS[name]):
            equal(abs(many[event]['count'] - few[event]['count'] - 8 * each * 200000) < 20000, True, (name, event))


def by_function(*command, events=EVENTS):
    """The count of each event by (file, function), and of the whole."""
    done = ntime('--via', 'emulator', '--json', '--per', 'function', '-e', events, '--', *command)
    equal(done.returncode, 0, err(done))
    report = json.loads(err(done)[err(done).index('{'):])
    rows = {(row['file'], row['function']): {item['name']: item['count'] for item in row['items']} for row in report['rows']}
    equal(len(rows), len(report['rows']))
    return rows, {item['name']: item['count'] for item in report['items']}


@test
def functions_add_up_to_the_whole():
    commands = {
        'loop': [PROGRAM, 'loop', '1000000'], 'threads': [PROGRAM, 'threads', '1000000'], 'forks': [PROGRAM, 'forks', '1000000'],
        'shell': ['sh', '-c', f'{PROGRAM} loop 300000; {PROGRAM} loop 700000 | cat'],
    }
    for name, command in commands.items():
        rows, whole = by_function(*command, events=EVENTS + ',syscalls')
        for event, count in whole.items():
            equal(sum(row[event] for row in rows.values()), count, (name, event))
        turns = rows[PROGRAM, 'turns']
        times = 8000000 if name in ('threads', 'forks') else 1000000
        equal((turns['instructions'] - 2 * times < 200, turns['branches'] - times < 100, times - turns['taken-branches'] < 100), (True, True, True), (name, turns))
        equal(turns['instructions'] >= 2 * times, True, (name, turns))


@test
def functions_whose_names_are_not_known():
    with tempfile.TemporaryDirectory() as folder:
        stripped = os.path.join(folder, 'stripped')
        subprocess.run(['strip', '-o', stripped, PROGRAM], check=True)
        rows, _ = by_function(stripped, 'loop', '1000000', events='instructions')
        equal(rows[stripped, '[.text]']['instructions'] > 2000000, True, rows)
        # A file that is no longer what ran has no say.
        other = os.path.join(folder, 'other')
        rows, _ = by_function('sh', '-c', f'cp {PROGRAM} {other}; {other} loop 1000000; cp /bin/true {other}', events='instructions')
        equal(rows[other, None]['instructions'] > 2000000, True, rows)
        done = ntime('--via', 'emulator', '--per', 'function', '-e', 'instructions', 'sh', '-c', f'cp {PROGRAM} {other}; {other} loop 1000000; rm {other}')
        has(err(done), '[unknown]  other\n')


@test
def the_table_of_functions():
    done = ntime('--via', 'emulator', '--per', 'function', '-e', 'loads,instructions', '-m', 'each=instructions / branches', PROGRAM, 'loop', '1000000')
    lines = [line.split() for line in err(done).splitlines()]
    equal(['loads', 'instructions', 'each', 'function', 'and', 'file'] in lines, True, err(done))
    (turns,) = (line for line in lines if line[-2:] == ['turns', 'emulated'])
    equal(turns[2:6], ['%', '2.000', 'M', '2.000'], err(done))
    done = ntime('--via', 'emulator', '--csv', '--per', 'function', '-e', 'instructions', PROGRAM, 'loop', '1000000')
    equal(any(line.startswith('instructions,2000') and line.endswith(f',{PROGRAM}:turns') for line in err(done).splitlines()), True, err(done))
    for options, sentence in ((['--per', 'function'], '--per function needs --via emulator'), (['--via', 'emulator', '--per', 'core'], '--per is for counts of CPUs'),
                              (['--via', 'emulator', '--per', 'function', '-r', '2'], '--per cannot be combined with -r')):
        done = ntime(*options, 'true')
        equal(done.returncode, 125)
        has(err(done), f'ntime: {sentence}')


@test
def threads_at_once_lose_no_count():
    few, many = (number('instructions', PROGRAM, 'threads', str(n)) for n in (100000, 10100000))
    # What threads execute to wait for each other differs by some hundred.
    equal(abs(many - few - 8 * 2 * 10000000) < 100000, True, many - few)
    branches = [number('branches', PROGRAM, 'threads', str(n)) for n in (100000, 10100000)]
    equal(abs(branches[1] - branches[0] - 8 * 10000000) < 50000, True)


@test
def children_that_do_not_call_exec():
    few, many = (number('instructions', PROGRAM, 'forks', str(n)) for n in (1000, 1001000))
    equal(abs(many - few - 8 * 2 * 1000000) < 10000, True, many - few)


@test
def what_a_shell_starts_is_counted_once():
    one = number('instructions', PROGRAM, 'loop', '1000000')
    runs = [number('instructions', 'sh', '-c', '; '.join([f'{PROGRAM} loop 1000000'] * n) + '; :') for n in (1, 4)]
    equal(abs(runs[1] - runs[0] - 3 * one) < 3 * 20000, True, (runs, one))
    # In place of the shell, in a pipe, in the background.
    for line in (f'exec {PROGRAM} loop 1000000', f'{PROGRAM} loop 1000000 | cat', f'{PROGRAM} loop 1000000 & wait'):
        equal(number('instructions', 'sh', '-c', line) > one, True, line)


@test
def several_processors_at_once_are_no_doubt():
    """CPU time exceeds the real one; the kernel has taken no counter off."""
    items, said = counted('sh', '-c', f'{PROGRAM} loop 90000000 & {PROGRAM} loop 90000000; wait', events='instructions,branches')
    equal([(item['flags'], 'reason' in item) for item in items.values()], [(['emulated'], False)] * 2, said)
    equal(items['branches']['count'] > 180000000, True)


@test
def a_process_that_is_killed_keeps_its_counts():
    items, _ = counted(PROGRAM, 'killed', '1000000', status=-9)
    equal(items['instructions']['count'] > 2000000, True)


@test
def scripts_are_run_by_their_interpreters():
    with tempfile.TemporaryDirectory() as folder:
        script = os.path.join(folder, 'script')
        for first, expected in (('#!/bin/sh', '1 a b\n'), ('#!/bin/sh -u', '1 a b\n'), ('#! /usr/bin/env sh', '1 a b\n')):
            with open(script, 'w', encoding='ascii') as f:
                f.write(f'{first}\necho 1 "$@"\n')
            os.chmod(script, 0o755)
            done = ntime('--via', 'emulator', '-e', 'instructions', '--', script, 'a', 'b')
            equal((done.returncode, done.stdout.decode()), (0, expected), err(done))
            done = ntime('--via', 'emulator', '-e', 'instructions', '--', 'sh', '-c', f'{script} a b')
            equal(done.stdout.decode(), expected)
        # A script of a script.
        other = os.path.join(folder, 'other')
        with open(other, 'w', encoding='ascii') as f:
            f.write(f'#!{script} x\n')
        os.chmod(other, 0o755)
        done = ntime('--via', 'emulator', '-e', 'instructions', '--', other, 'y')
        equal(done.stdout.decode(), f'1 x {other} y\n', err(done))
        equal(done.stdout, subprocess.run([other, 'y'], stdout=subprocess.PIPE, check=True).stdout)


@test
def errors_of_exec_are_the_programs():
    for line, status in (('/no/such/program', 127), ('/etc/passwd', 126), ('/', 126)):
        done = ntime('--via', 'emulator', '-e', 'instructions', '--', 'sh', '-c', line)
        equal(done.returncode, status, err(done))
    # What has no first line a shell runs itself.
    with tempfile.TemporaryDirectory() as folder:
        script = os.path.join(folder, 'bare')
        with open(script, 'w', encoding='ascii') as f:
            f.write('echo bare\n')
        os.chmod(script, 0o755)
        done = ntime('--via', 'emulator', '-e', 'instructions', '--', 'sh', '-c', script)
        equal(done.stdout, b'bare\n', err(done))
    items, said = counted(PROGRAM, 'misused', '3')
    equal((items['instructions']['flags'], 'outside' in said), (['emulated'], False))
    for command, status, sentence in ((('no-such-command',), 127, 'ntime: no-such-command: command not found\n'), (('/etc/passwd',), 126, 'ntime: /etc/passwd: Permission denied\n')):
        done = ntime('--via', 'emulator', '-e', 'instructions', '--', *command)
        equal((done.returncode, err(done)), (status, sentence))


@test
def exit_status_output_and_environment_are_the_programs():
    with tempfile.TemporaryFile() as line:
        line.write(b'line\n')
        line.seek(0)
        done = ntime('--via', 'emulator', '-q', '-e', 'instructions', '--', 'sh', '-c', 'read x; echo "$x $0 $A $#"; exit 7', 'zero', 'one', 'two', env={'A': 'b c'},
                     stdin=line)
    equal((done.returncode, done.stdout), (7, b'line zero b c 2\n'), err(done))


@test
def what_runs_outside_is_told_and_partial():
    if os.getuid():
        raise t.Skip('only root can make a set-uid program that is not its own')
    with tempfile.TemporaryDirectory() as folder:
        special = os.path.join(folder, 'special')
        shutil.copy(PROGRAM, special)
        os.chmod(special, stat.S_ISUID | 0o755)
        items, said = counted('sh', '-c', f'{special} loop 5; {PROGRAM} loop 5')
        has(said, 'ntime: 1 program ran outside of the emulator and in no count: set-uid, as another user, of another architecture, or not readable\n')
        equal('partial' in items['instructions']['flags'], True)
        # Nobody knows whether these are alike.
        done = ntime('compare', '--via', 'emulator', '-n', '6', '-S', 'sh', f'{special} loop 5; :', f'{special} loop 5000; :')
        equal(done.returncode, 125)
        has(err(done), 'ntime: --by instructions: these runs have no number of it\n')
        done = ntime('--via', 'emulator', '-e', 'instructions', '--', special, 'loop', '5')
        equal((done.returncode, err(done)), (126, f'ntime: {special} cannot be emulated: it is no program of x86_64, aarch64, riscv64 or ppc64le, or one that changes its user '
                                             '(set-uid)\n'))


# QEMU's name of an architecture, and GNU's.
FOREIGN = (('aarch64', 'aarch64'), ('riscv64', 'riscv64'), ('ppc64le', 'powerpc64le'))


def foreign_program(folder, machine, triplet):
    compiler = f'{triplet}-linux-gnu-gcc'
    if machine == MACHINE:
        raise t.Skip(f'{machine} is this machine\'s architecture')
    for program in (compiler, f'qemu-{machine}'):
        if not shutil.which(program):
            raise t.Skip(f'{program} is not installed')
    program = os.path.join(folder, machine)
    subprocess.run([compiler, '-O1', '-static', '-o', program, 'count/tests/cli/emulated.c', '-lpthread'], check=True)
    return program


def difference(name, *command, few=1000000, many=2000000, **more):
    return number(name, *command, str(many), **more) - number(name, *command, str(few), **more)


def is_counted(program):
    """What is counted of this architecture's programs is counted of others."""
    for name, each in (('instructions', 2), ('branches', 1)):
        for words in (['loop'], ['runs', program, 'loop']):
            equal(difference(name, program, *words), each * 1000000, (name, words))
        for what, slack in (('forks', 10000), ('threads', 100000)):
            more = difference(name, program, what)
            equal(abs(more - 8 * each * 1000000) < slack, True, (name, what, more))
    equal(difference('syscalls', program, 'calls', few=1000, many=2000), 1000)
    for name, each in (('instructions', 3003), ('branches', 2), ('taken-branches', 1), ('loads', 0), ('stores', 0)):
        # Alone, and with all that makes the plugin look closer.
        for events in (name, 'instructions,branches,taken-branches,loads,stores'):
            equal(difference(name, program, 'straight', few=1000, many=2000, events=events), each * 1000, (name, events))
    items, _ = counted(program, 'killed', '1000000', status=-9)
    equal(items['branches']['count'] > 1000000, True)


def is_left_alone(program, machine):
    """What the kernel runs outside of the emulator: a program of another architecture than the one before."""
    items, said = counted(program, 'runs', '/bin/true')
    has(said, 'ntime: 1 program ran outside of the emulator and in no count: ')
    equal('partial' in items['instructions']['flags'], True)
    if os.path.exists(f'/proc/sys/fs/binfmt_misc/qemu-{machine}'):
        return
    # What the kernel refuses ran nowhere.
    items, said = counted('sh', '-c', f'{program} loop 5', status=126)
    equal('ran outside' in said, False, said)
    equal('partial' in items['instructions']['flags'], False)


def is_found_with_its_libraries(folder, triplet):
    root, program = f'/usr/{triplet}-linux-gnu', os.path.join(folder, 'dynamic')
    subprocess.run([f'{triplet}-linux-gnu-gcc', '-O1', '-o', program, 'count/tests/cli/emulated.c', '-lpthread'], check=True)
    if os.path.isdir(f'{root}/lib'):
        equal(difference('instructions', program, 'runs', program, 'loop', env={'QEMU_LD_PREFIX': root}), 2000000)


def of_another_architecture(machine, triplet):
    def run():
        with tempfile.TemporaryDirectory() as folder:
            program = foreign_program(folder, machine, triplet)
            is_counted(program)
            is_left_alone(program, machine)
            is_found_with_its_libraries(folder, triplet)

    run.__name__ = f'programs_of_{machine}'
    test(run)


@test
def counts_of_this_architecture_are_exact():
    is_counted(PROGRAM)


for row in FOREIGN:
    of_another_architecture(*row)


@test
def values_say_that_they_are_emulated():
    items, _ = counted('true', events='instructions,branches,page-faults', options=['-m', 'each=instructions / branches'])
    equal({name: item['flags'] for name, item in items.items() if 'emulated' not in item['flags']}, {})
    equal(items['instructions']['method'], 'emulator')
    equal(items['each']['value'], items['instructions']['count'] / items['branches']['count'])
    done = ntime('--via', 'emulator', '--csv', '-e', 'instructions', 'true')
    has(err(done), ',emulated,')
    done = ntime('--via', 'emulator', 'true')
    has(err(done), 'EMULATED: qemu-user ran the command')


@test
def runs_that_are_alike_are_told():
    done = ntime('--via', 'emulator', '-r', '3', '-e', 'instructions', 'true')
    has(err(done), 'instructions   [same in all runs]')


@test
def runs_that_are_nearly_alike_are_told():
    with tempfile.TemporaryDirectory() as folder:
        turns = os.path.join(folder, 'turns')
        with open(turns, 'w', encoding='ascii') as f:
            f.write('1000\n')
        script = f'read -r n <{turns}; n=$((n + 1)); echo $n >{turns}; [ $n != 1004 ] || echo longer'
        done = ntime('--via', 'emulator', '-r', '4', '-e', 'instructions:u', 'sh', '-c', script)
        equal(re.search(r'\[1 of 4 runs differs, by [0-9,]+\]', err(done)) is not None, True, err(done))


@test
def a_comparison_takes_the_emulator_where_nothing_else_counts():
    if number_here('instructions'):
        raise t.Skip('this machine counts instructions')
    few, many = f'{PROGRAM} loop 1000000', f'{PROGRAM} loop 1001000'
    done = ntime('compare', '--by', 'instructions', '--fail-above', '0.05%', few, many)
    equal(done.returncode, 1, err(done))
    has(done.stdout.decode(), 'EMULATED: qemu-user ran the commands')
    has(done.stdout.decode(), 'B is 0.09')
    has(err(done), 'ntime: B is slower than A by more than --fail-above allows')
    equal(ntime('compare', '--by', 'instructions', '--fail-above', '0.2%', few, many).returncode, 0)
    done = ntime('compare', '--by', 'instructions', '--fail-above', '0.05%', few, few)
    equal(done.returncode, 0, err(done))
    has(done.stdout.decode(), 'no difference: instructions is the same in every run')


@test
def a_comparison_by_the_emulator():
    command = f'{PROGRAM} loop 1000'
    done = ntime('compare', '--via', 'emulator', '--json', '-n', '6', '-e', 'loads', command, 'true')
    report = json.loads(done.stdout)
    equal((report['by'], report['in_emulator']), ('instructions', True))
    equal({metric['name'] for metric in report['metrics']} >= {'loads', 'instructions'}, True)
    first = report['commands'][0]
    equal((set(first['values']['real']), first['values']['instructions'][0]), ({None}, number('instructions', PROGRAM, 'loop', '1000', events='instructions')))
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, 'a.json')
        with open(file, 'wb') as f:
            f.write(done.stdout)
        has(ntime('compare', file).stdout.decode(), 'EMULATED: ')
        # Runs of other days, alike and of other kinds.
        runs = {name: os.path.join(folder, f'{name}.json') for name in ('old', 'new', 'native')}
        for name, options in (('old', ['--via', 'emulator', '-e', 'instructions']), ('new', ['--via', 'emulator', '-e', 'instructions']), ('native', [])):
            equal(ntime(*options, '-r', '6', '--json', '-o', runs[name], PROGRAM, 'loop', '1000').returncode, 0)
        has(ntime('compare', runs['old'], runs['new']).stdout.decode(), 'old and new: no difference: instructions is the same in every run')
        done = ntime('compare', runs['old'], runs['native'])
        equal(done.returncode, 125)
        has(err(done), 'one was counted in the emulator and the other was not')
        equal(ntime('compare', '--via', 'emulator', '--export-csv', os.path.join(folder, 'x.csv'), 'true', 'true').returncode, 125)
    for options, sentence in ((['--via', 'msr'], '--via msr counts CPUs, not programs: write perf or emulator'),
                              (['--via', 'emulator', '--by', 'real'], "--by real: of a command in the emulator it is the emulator's, not the command's")):
        done = ntime('compare', *options, 'true', 'true')
        equal(done.returncode, 125)
        has(err(done), f'ntime: {sentence}\n')


@test
def many_threads_at_once():
    few, many = (counted(PROGRAM, 'many', str(n), events='instructions,branches')[0] for n in (10000, 1010000))
    for event, each in (('instructions', 2), ('branches', 1)):
        more = many[event]['count'] - few[event]['count']
        equal(abs(more - 101 * each * 1000000) < 300000, True, (event, more))


@test
def children_of_many_threads_have_counts_of_their_own():
    # GLib before 2.76 has a lock that a child may inherit (count/docs/emulator.md).
    few, many = (number('instructions', PROGRAM, 'heirs', str(n), env=environment(G_SLICE='always-malloc')) for n in (10000, 510000))
    equal(abs(many - few - 100 * 2 * 500000) < 300000, True, many - few)


@test
def many_short_processes():
    """Each has executed what one alone has; their shell's number is another."""
    def of_program(n):
        line = f'i=0; while [ $i -lt {n} ]; do {PROGRAM} loop 1000; i=$((i+1)); done; echo $i'
        rows, _ = by_function('sh', '-c', line, events='instructions,branches')
        own = [row for (file, _), row in rows.items() if file == PROGRAM]
        return [sum(row[event] for row in own) for event in ('instructions', 'branches')]

    n = 300 if ALL else 50
    equal(of_program(n), [n * number for number in of_program(1)])


@test
def a_make_with_two_jobs_leaves_no_file_and_counts_as_one_with_one():
    if not shutil.which('make') or not shutil.which('cc'):
        raise t.Skip('make or cc is not installed')
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as temporary:
        def file(name, text):
            with open(os.path.join(folder, name), 'w', encoding='ascii') as f:
                f.write(text)

        names = [f'f{i}' for i in range(4)]
        file('Makefile', f'all: {" ".join(n + ".o" for n in names)} main.o\n\tcc -o all $^\n%.o: %.c\n\tcc -O1 -c -o $@ $<\n')
        for i, name in enumerate(names):
            file(f'{name}.c', f'int {name}(int x) {{ int s = {i}; while (x--) s = s * 31 + x; return s; }}\n')
        file('main.c', ' '.join(f'int {n}(int);' for n in names) + f'\nint main(void) {{ return ({" + ".join(n + "(3)" for n in names)}) == 0; }}\n')
        before, runs = set(os.listdir('/dev/shm')) if os.path.isdir('/dev/shm') else set(), []
        for jobs in ('-j1', '-j2'):
            runs.append(number('instructions', 'make', '-s', '-B', '-C', folder, jobs, events='instructions', env=environment(TMPDIR=temporary)))
        equal(abs(runs[0] - runs[1]) < runs[0] / 1000, True, runs)
        equal(os.listdir(temporary), [])
        equal(set(os.listdir('/dev/shm')) - before if os.path.isdir('/dev/shm') else set(), set())
        equal(set(os.listdir(folder)), {'Makefile', 'main.c', 'main.o', 'all', *(f'{n}.{end}' for n in names for end in 'co')})
        equal(subprocess.run([os.path.join(folder, 'all')], check=False).returncode, 0)


# What is deterministic when its input is.
PROGRAMS = {
    'awk': ['awk', '{s += $1 * $2} END {print s}', 'FILE'], 'bzip2': ['bzip2', '-c', 'FILE'], 'cksum': ['cksum', 'FILE'], 'cut': ['cut', '-d ', '-f2', 'FILE'],
    'expand': ['expand', 'FILE'], 'fold': ['fold', '-w', '20', 'FILE'], 'grep': ['grep', '-c', '7', 'FILE'], 'gzip': ['gzip', '-c', 'FILE'],
    'join': ['join', 'FILE', 'FILE'], 'md5sum': ['md5sum', 'FILE'], 'od': ['od', '-A', 'n', 'FILE'], 'paste': ['paste', 'FILE', 'FILE'], 'sed': ['sed', '-n', 's/7*$//p', 'FILE'],
    'sha256sum': ['sha256sum', 'FILE'], 'sort': ['sort', '--parallel=1', '-n', 'FILE'], 'tac': ['tac', 'FILE'], 'tail': ['tail', '-n', '9', 'FILE'],
    'uniq': ['uniq', '-c', 'FILE'], 'wc': ['wc', 'FILE'], 'xz': ['xz', '-0', '-T1', '-c', 'FILE'],
}


def is_placed_by_the_kernel():
    """What the program maps, of which grep hashes addresses; up to QEMU 8 the emulator chooses them."""
    said = subprocess.run([f'qemu-{MACHINE}', '--version'], stdout=subprocess.PIPE, encoding='utf-8', check=True).stdout
    return int(re.search(r'version (\d+)', said)[1]) > 8


@test
def programs_count_the_same_each_time():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'file')
        with open(path, 'w', encoding='ascii') as f:
            f.writelines(f'{i:05} {i * 7919 % 1000003} {"x" * (i % 40)}\n' for i in range(200))
        for name, command in PROGRAMS.items():
            if not shutil.which(name) or (name == 'grep' and is_placed_by_the_kernel()):
                continue
            command = [path if word == 'FILE' else word for word in command]
            done = ntime('--via', 'emulator', '-q', '--json', '-r', '30' if ALL else '3', '-e', EVENTS, '--', *command)
            equal(done.returncode, 0, (name, err(done)))
            report = json.loads(err(done)[err(done).index('{'):])
            equal([(name, item['name'], item['min']) for item in report['items']], [(name, item['name'], item['max']) for item in report['items']])


@test
def the_command_cannot_take_the_counts_away():
    """ntime maps them, and whoever reads beyond the end of a file is killed."""
    line = 'for f in /proc/$PPID/fd/*; do case $(readlink $f) in *ntime-emulator*) truncate -s 0 $f;; esac; done; exit 5'
    items, said = counted('sh', '-c', line, status=5)
    has(said, 'truncate: ')
    equal(items['instructions']['count'] > 0, True)


@test
def what_never_began_has_no_count():
    if not shutil.which('cc'):
        raise t.Skip('cc is not installed')
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, 'program')
        subprocess.run(['cc', '-x', 'c', '-o', program, '-Wl,--dynamic-linker,/nowhere', '-'], input=b'int main(void) { return 0; }\n', check=True)
        items, said = counted(program, status=255, events='instructions')
        has(said, '/nowhere')
        equal(('count' in items['instructions'], 'not-counted' in items['instructions']['flags']), (False, True))
        has(err(ntime('--via', 'emulator', '-e', 'instructions', program)), '<not counted>: the emulator ended before the command began')
    # What began, and divides by 0, did begin.
    done = ntime('--via', 'emulator', '-e', 'instructions', '-m', 'each=instructions / (instructions - instructions)', 'true')
    has(err(done), '<not counted>: the formula divides by 0')


@test
def faults_that_the_program_handles_are_told():
    """A block that one interrupts was counted in full; blocks of one instruction tell what is right."""
    one_each = environment(QEMU_SINGLESTEP='1', QEMU_ONE_INSN_PER_TB='1')
    counts = {}
    for name, env in (('blocks', None), ('single', one_each)):
        for n in (1000, 3000):
            counts[name, n], said = counted(PROGRAM, 'faults', str(n), events=EVENTS + ',syscalls', options=['-m', 'each=instructions / branches'], env=env)
            has(said, f'ntime: the command handled {n} signals of faults (SIGSEGV, SIGBUS, SIGFPE, SIGILL), ')
            has(said, f'instructions, branches and taken-branches are too high by at most {n} blocks; QEMU_SINGLESTEP=1 in the environment')
            equal({event for event, item in counts[name, n].items() if 'at-most' in item['flags']}, {'instructions', 'branches', 'taken-branches', 'each'}, (name, n))
    more = {(name, event): counts[name, 3000][event]['count'] - counts[name, 1000][event]['count'] for name in ('blocks', 'single') for event in EVENTS.split(',')}
    for event in EVENTS.split(','):
        # The instruction at fault began twice.
        high = more['blocks', event] - more['single', event] + (2000 if event == 'instructions' else 0)
        equal((high > 0, high <= 2000 * 512) if event == 'instructions' else (high >= 0, high <= 2000), (True, True), (event, more))
    equal([more['blocks', event] for event in ('loads', 'stores')], [more['single', event] for event in ('loads', 'stores')])
    done = ntime('--via', 'emulator', '-e', 'instructions,loads', '-r', '2', PROGRAM, 'faults', '10')
    equal(len(re.findall(r'instructions .*at most: signals interrupted what had been counted', err(done))), 1, err(done))
    equal(err(done).count('signals of faults'), 1, err(done))
    # Those of others interrupt no block.
    items, said = counted('sh', '-c', 'trap : USR1; kill -USR1 $$; kill -USR1 $$')
    equal((items['instructions']['flags'], 'signals of faults' in said), (['emulated'], False), said)


@test
def a_system_call_that_qemu_lacks_is_named():
    done = ntime('--via', 'emulator', '-e', 'instructions', PROGRAM, 'lacking', '2')
    if done.returncode == 0:
        raise t.Skip('this QEMU has io_uring_setup')
    equal(done.returncode, 3)
    has(err(done), f'qemu-{MACHINE} lacks system call 425, which the command asked for: that may be why it failed\n')
    equal('lacks' in err(ntime('--via', 'emulator', '-e', 'instructions', 'false')), False)


@test
def the_emulator_is_not_there():
    with tempfile.TemporaryDirectory() as folder:
        env = {'PATH': folder}
        done = ntime('--via', 'emulator', '-e', 'instructions', '--', '/bin/true', env=env)
        equal((done.returncode, err(done)), (125, f'ntime: /bin/true needs qemu-{MACHINE}, which is not installed: install the package qemu-user\n'))
        done = ntime('list', '--methods', env=env)
        has(done.stdout.decode(), '(not here) emulator')
        has(done.stdout.decode(), 'remedy: install qemu-user\n')
        done = ntime('compare', '--by', 'instructions', '-n', '6', '/bin/true', '/bin/true', env=env)
        equal((done.returncode, 'ntime: --by instructions: ' in err(done)), (0, False) if number_here('instructions') else (125, True), err(done))
        # The plugin is something else, or QEMU knows of none: it says so, and nothing was counted.
        plugin, qemu = os.path.join(folder, 'plugin.so'), os.path.join(folder, f'qemu-{MACHINE}')
        with open(plugin, 'w', encoding='ascii') as f:
            f.write('x')
        with open(qemu, 'w', encoding='ascii') as f:
            f.write("#!/bin/sh\necho \"$0: unknown option 'plugin'\" >&2\nexit 1\n")
        done = ntime('--via', 'emulator', '-e', 'instructions', '--', '/bin/true', env=env)
        equal((done.returncode, err(done)), (125, f'ntime: /bin/true needs qemu-{MACHINE}, which cannot be executed: Permission denied\n'))
        has(ntime('list', '--methods', env=env).stdout.decode(), f'reason: qemu-{MACHINE} cannot be executed: Permission denied\n')
        os.chmod(qemu, 0o755)
        for change, words in (({'NTIME_EMULATOR_PLUGIN': plugin}, 'Could not load plugin'), ({'PATH': folder}, "unknown option 'plugin'")):
            done = ntime('--via', 'emulator', '-e', 'instructions', '--', '/bin/true', env=change)
            equal(done.returncode, 125, err(done))
            has(err(done), words)
            has(err(done), f"qemu-{MACHINE} did not load ntime's plugin, and nothing was counted: QEMU 7.2 to 10, built with plugins, is needed")
            equal('instructions' in err(done), False)
        with open(qemu, 'w', encoding='ascii') as f:
            f.write("#!/bin/sh\nkill -ABRT $$\n")
        done = ntime('--via', 'emulator', '-e', 'instructions', '--', '/bin/true', env={'PATH': folder})
        equal(done.returncode, 125, err(done))
        has(err(done), f"qemu-{MACHINE} was killed by SIGABRT before it loaded ntime's plugin, and nothing was counted")
        done = ntime('--via', 'emulator', '-e', 'instructions', '--', 'true', env={'NTIME_EMULATOR_PLUGIN': os.path.join(folder, 'a,b')})
        equal(done.returncode, 125)


@test
def options_that_do_not_go_together():
    for options in (['-a'], ['-C', '0'], ['-p', '1'], ['--delay', '1'], ['--dry-run']):
        done = ntime('--via', 'emulator', *options, '--', 'true')
        equal(done.returncode, 125)
        has(err(done), 'ntime: --via emulator counts a command that it runs, all of it: no -a, -C, -p, -t, --delay or --dry-run\n')
    equal(ntime('watch', '--via', 'emulator', '-n', '1', 'page-faults').returncode, 125)


def use_later_emulator():
    """It comes before the system's, whose emulators of other architectures are still found."""
    sys.path.insert(0, t.ROOT)
    sys.dont_write_bytecode = True
    from lab import cache, qemu     # pylint: disable=import-outside-toplevel
    try:
        emulator = qemu.user_later()
    except cache.Unavailable as error:
        print(f'1..0 # SKIP {error}')
        sys.exit(0)
    os.environ['PATH'] = os.path.dirname(emulator) + os.pathsep + os.environ['PATH']
    done = subprocess.run([f'qemu-{MACHINE}', '--version'], stdout=subprocess.PIPE, encoding='utf-8', check=True)
    print('# ' + done.stdout.partition('\n')[0])


if __name__ == '__main__':
    if '--later' in sys.argv:
        use_later_emulator()
    if not shutil.which(f'qemu-{MACHINE}'):
        print(f'1..0 # SKIP there is no qemu-{MACHINE}')
        sys.exit(0)
    sys.exit(t.main())
