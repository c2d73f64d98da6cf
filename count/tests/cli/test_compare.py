#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ntime compare as its users see it. Speaks TAP.

Usage: test_compare.py NTIME [-k WORD]
"""
import csv
import importlib.util
import json
import os
import pty
import re
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../../base/tests'))
import command as t    # noqa: E402
from command import Directory, environment, equal, err, has, has_not, ntime    # noqa: E402
sys.path.insert(0, os.path.join(os.path.dirname(__file__), '..', '..', '..'))
try:
    from lab import cache, debian  # pylint: disable=wrong-import-position
except ImportError:
    # A tree without the lab, which fetches packages.
    cache = debian = None

test = t.test


def compare(*args, status=0, **more):
    """What it prints on standard output."""
    done = ntime('compare', *args, **more)
    equal(done.returncode, status, f'exit status of {args}, which says {err(done)!r}')
    return done.stdout.decode()


def words_of(path):
    with open(path, encoding='utf-8') as f:
        return f.read().split()


def words_of_line(path):
    with open(path, encoding='utf-8') as f:
        return f.read()


@test
def what_differs_is_found():
    text = compare('-n', '12', 'sleep 0.01', 'sleep 0.03')
    has(text, 'A  sleep 0.01  12 runs  ')
    match = re.search(r'\bB is (\S+) % slower \((\S+) times\) than A \(95 %: (\S+) \.\. (\S+) %\), by real time\b', ' '.join(text.split()))
    if not match:
        raise AssertionError(text)
    slower, times, low, high = (float(match.group(i)) for i in (1, 2, 3, 4))
    # Where it ends depends on what else the machine does.
    equal(100 < low <= slower <= high and abs(1 + slower / 100 - times) < 0.006, True, text)
    text = compare('-n', '12', '--name', 'old', '--name', 'new', 'sleep 0.03', 'sleep 0.01')
    equal(bool(re.search(r'^new is \S+ % faster \(\S+ times\) than old \(95 %: ', text, re.MULTILINE)), True, text)


@test
def names_are_those_of_the_programs():
    with Directory():
        for name in ('old', 'new'):
            with open(name, 'w', encoding='utf-8') as f:
                f.write('#!/bin/sh\n')
            os.chmod(name, 0o755)
        text = compare('-n', '6', './old "a  b"', './new "$HOME"')
        has(text, 'old  ./old "a  b"   6 runs')
        has(text, 'new  ./new "$HOME"  6 runs')


@test
def runs_are_mixed_in_rounds():
    with Directory():
        compare('-n', '20', 'sh -c "echo a >>log"', 'sh -c "echo b >>log"', 'sh -c "echo c >>log"')
        log = words_of('log')
        rounds = [''.join(log[i:i + 3]) for i in range(0, 60, 3)]
        equal({''.join(sorted(r)) for r in rounds}, {'abc'})
        # Each of six orders: never the same one in twenty rounds, but once in 10^14 times.
        equal(len(set(rounds)) > 1, True, rounds)


@test
def one_command_is_measured_alone():
    with Directory():
        # Until the interval is narrow enough, or so often as is wanted.
        compare('--precision', '20%', '--json', '-o', 'j', '--export-json', 'h', '--plot', 'p.svg', '-w', '1', '-p', 'echo p >>log', 'sleep 0.01')
        with open('j', encoding='utf-8') as f:
            report = json.load(f)
        side, = report['commands']
        of = side['summary']['real']
        equal(sorted(of) == ['high', 'low', 'max', 'mean', 'median', 'min', 'sd'] and of['min'] <= of['median'] <= of['max'], True, of)
        # Wider by what the runs drift, so it may end beyond them (count/docs/compare.md).
        equal(of['low'] <= of['median'] <= of['high'], True, of)
        equal((report['by'], report['changes'], len(words_of('log'))), ('real', [], len(side['rounds']) + 1))
        text = compare('-n', '9', '-e', 'page-faults', '--name', 'nap', 'sleep 0.01')
        equal(re.findall('^(?:nap(?= )|  [a-z -]+(?= is)|real)', text, re.M), ['nap', 'real', '  user time', '  system time', '  page-faults'], text)
        equal(re.search(r'\nreal time is 1\d\.\d+ ms \(95 %: 1\d\.\d+ ms \.\. [0-9.]+ ms\)\n', text) is not None, True, text)
        has(compare('-n', '5', 'true'), '; so few runs have no interval of 95 %')
        for file in ('j', 'h'):
            os.rename(file, f'{file}.json')
            has(compare(f'{file}.json'), '\nreal time is 1')


@test
def the_shell_works_beside_the_runs():
    with Directory():
        compare('-n', '6', '-w', '1', '-s', 'echo s >>log', '-p', 'echo p >>log', '-p', 'echo q >>log', '-c', 'echo c >>log',
                'sh -c "echo a >>log"', 'sh -c "echo b >>log"')
        log = ''.join(words_of('log'))
        equal((log[0], log[-1], log.count('s'), log.count('c')), ('s', 'c', 1, 1), log)
        equal((log.count('pa'), log.count('qb'), len(log)), (7, 7, 2 + 28), log)
    done = ntime('compare', '-s', 'exit 3', 'true', 'true')
    equal((done.returncode, done.stdout, done.stderr), (125, b'', b"ntime: --setup 'exit 3' ended with status 3\n"))
    with Directory():
        # Runs that were made are reported, and what was set up is cleaned up.
        done = ntime('compare', '-n', '9', '-p', 'echo p >>log; test $(wc -l <log) -lt 6', '-c', 'echo c >>log', 'true', 'true')
        equal((done.returncode, words_of('log')), (125, ['p'] * 6 + ['c']))
        has(done.stdout.decode(), 'unfinished: fewer runs were made than were wanted')
        has(err(done), 'ended with status 1')


@test
def a_shell_is_there_when_asked_for():
    with Directory():
        compare('-n', '6', '--shell', 'sh -e', 'false; echo never >>log', 'echo 1 | cat >>log', '-i')
        equal(words_of('log'), ['1'] * 6)
        for line, way in (('a | b', "'|'"), ('a > b', "'>'"), ('a 2>&1', "'>'"), ('a $(b)', "'$'"), ('a "$b"$c', "'$'"), ('a `b`', "'`'"),
                          ('a; b', "';'"), ('a & b', "'&'"), ('a *.c', "'*'"), ('a b?', "'?'"), ('a [bc]', "'['"), ('a ~/b', "'~'"),
                          ('a # b', "'#'"), ('{ a', "'{'"), ('! a', "'!'"), ('a (b)', "'('"), ('A_1=b c', "'='")):
            done = ntime('compare', line, 'true')
            equal((done.returncode, done.stdout), (125, b''), line)
            has(err(done), f"'{line}' has {way} outside of quotes, and no shell runs it: add --shell=sh, quote it, or write sh -c '...'\n")
        has(err(ntime('compare', 'a\nb', 'true')), 'has a line break outside of quotes')
        for line, quote in (("a 'b", "'"), ('a "b\\"', '"')):
            has(err(ntime('compare', line, 'true')), f"'{line}' has a quote, {quote}, without end, and")


@test
def words_are_those_of_posix():
    with Directory():
        put('args', '#!/bin/sh\nfor a; do printf "<%s>" "$a"; done >log\n')
        os.chmod('args', 0o755)
        for line, words in (('a  b\t\'c d\'"e f"', '<a><b><c de f>'), ('"" \'\'', '<><>'), ('\\$a \\* a\\ b \\\\', '<$a><*><a b><\\>'),
                            ('"$((i+1)) $i `x`"', '<$((i+1)) $i `x`>'), ('"\\$i \\`x\\` \\" \\\\ \\n"', '<$i `x` " \\ \\n>'), ("'\\$i'", '<\\$i>'),
                            ('"a\\\nb" a\\\nb\n', '<ab><ab>'), ('a=b x#y x~ $ {a} {a,b} [ ] ! -x=1', '<a=b><x#y><x~><$><{a}><{a,b}><[><]><!><-x=1>')):
            compare('-n', '1', f' ./args {line}', 'true')
            equal(words_of_line('log'), words, line)
        text = compare('-n', '1', '--json', 'sh -c "i=0; while [ $i -lt 3 ]; do i=$((i+1)); echo $i >>count; done"', 'true')
        equal(words_of('count'), ['1', '2', '3'], text)


@test
def what_commands_write_is_hidden():
    text = compare('-n', '6', 'sh -c "cat; echo out; echo err >&2"', 'true')
    has_not(text, 'out\n')
    done = ntime('compare', '-n', '6', '--show-output', 'sh -c "cat; echo out; echo err >&2"', 'true', stdin=subprocess.DEVNULL)
    equal((done.stdout.count(b'out\n'), done.stderr.count(b'err\n')), (6, 6))
    # None of the three is open.
    done = subprocess.run(['sh', '-c', '"$0" compare -n 6 true true <&- >&- 2>&-', t.NTIME], env=environment(), timeout=t.PATIENCE, check=False)
    equal(done.returncode in (0, 125), True, done.returncode)


@test
def failures_are_in_no_number():
    with Directory():
        fails = 'sh -c "echo x >>log; test $(wc -l <log) -lt 4"'
        fails = fails.replace('$(wc -l <log)', '\\`wc -l <log\\`')
        done = ntime('compare', '-n', '8', '--name', 'bad', '--name', 'good', fails, 'true')
        equal(done.returncode, 125)
        has(err(done), 'ntime: bad failed in round 4: ended with status 1; --ignore-failure goes on')
        has(done.stdout.decode(), 'bad: not in the numbers, 1 of 4 runs: ended with status 1')
        os.unlink('log')
        text = compare('-i', '-n', '12', '--name', 'bad', '--name', 'good', fails, 'true')
        has(text, 'bad: not in the numbers, 9 of 12 runs: ended with status 1')
        has(text, 'bad and good: no verdict: 95 % needs at least 6 runs of each')
    text = compare('-i', 'false', 'true')
    has(text, 'no verdict: there is a command of which no run ended with status 0')
    done = ntime('compare', '--timeout', '50ms', 'sleep 1000', 'true')
    equal(done.returncode, 125)
    has(err(done), 'sleep failed in round 1: ended by --timeout')


@test
def few_runs_have_numbers_and_no_verdict():
    for runs in ('1', '3'):
        text = compare('-n', runs, '-N', '--command-name', 'a', '--name', 'b', 'sleep 0.001', 'true', '--export-markdown', '-')
        has(text, f'a  sleep 0.001  {runs} run')
        has(text, 'a and b: no verdict: 95 % needs at least 6 runs of each')
        has(text, '| too few runs |')


@test
def runs_that_are_far_off_are_told():
    with Directory():
        put('h.json', hyperfine(('a', [3.0] + [1 + i / 1000 for i in range(11)]), ('b', [1 + i / 1000 for i in range(11)] + [0.1]),
                                ('c', [1.0, 1.1] * 6), ('d', [9.0] * 6 + [1 + i / 1000 for i in range(30)])))
        text = ' '.join(compare('h.json').split())
        has(text, ' a: Outliers: run 1 (3.000000 s); the first run was slow: ntime compare --warmup 1 keeps it from the numbers')
        has(text, ' b: Outliers: run 12 (0.100000 s) ')
        has_not(text, ' c: Outliers')
        has(text, '5 (9.000000 s) and 1 more; the first')
        # A range has one unit.
        put('u.json', hyperfine(('a', [9.9, 11.8, 13.1]), ('b', [0.0009, 0.002, 10.5])))
        text = compare('u.json')
        has(text, '11.800 s (9.900 s .. 13.100 s)\n')
        has(text, '2.000 ms (0.900 ms .. 10,500.000 ms)\n')
        ntime('-r', '9', '-o', 'stat', 'sh', '-c', 'test -e x || sleep 0.3; touch x')
        has(' '.join(words_of('stat')), 's); the first run was slow: ntime compare --warmup 1 keeps it from the numbers')


@test
def it_stops_by_itself():
    text = compare('true', 'true')
    runs = {int(n) for n in re.findall(r' (\d+) runs ', text)}
    equal(len(runs) == 1 and 12 < min(runs) <= 1000, True, text)
    # What differs by much needs no narrow interval: 13 runs, and some more on a machine that is busy.
    text = compare('sleep 0.001', 'sleep 0.02')
    equal(13 <= int(re.search(r' (\d+) runs ', text).group(1)) < 100, True, text)


@test
def too_slow_is_a_status():
    done = ntime('compare', '-n', '10', '--fail-above', '20%', 'sleep 0.01', 'sleep 0.03')
    equal(done.returncode, 1)
    has(err(done), 'ntime: B is slower than A by more than --fail-above allows: ')
    equal(len(err(done).splitlines()), 1)
    compare('-n', '10', '--fail-above', '20 %', 'sleep 0.03', 'sleep 0.01')
    compare('-n', '10', '--fail-above', '900', 'sleep 0.01', 'sleep 0.03')


@test
def work_that_outlives_a_run_has_no_verdict():
    script = f"sh -c '({t.WORK}) &'"
    text = ' '.join(compare('-n', '6', script, 'sleep 0.01').split())
    has(text, 'processes of 6 of 6 runs ran on')
    report = json.loads(compare('-n', '6', '--json', script, 'sleep 0.01'))
    equal([c['runs_outlived'] for c in report['commands']], [6, 0])
    equal([change['metric'] for change in report['changes'] if change['metric'] != 'real' and change.get('differs')], [])
    has(err(ntime('compare', '-n', '6', '--by', 'user+sys', script, 'true')), '--wait-all')
    report = json.loads(compare('-n', '6', '--json', '--wait-all', '--by', 'user+sys', script, 'true'))
    equal(([c['runs_outlived'] for c in report['commands']], [c['differs'] for c in report['changes'] if c['decides']]), ([0, 0], [True]))


@test
def chosen_events_are_compared():
    text = compare('-n', '6', '-e', 'page-faults', 'true', 'sh -c "exit 0"')
    has(text, '\n  page-faults: ')
    text = compare('-n', '9', '--by', 'page-faults', 'true', 'sh -c "exit 0"')
    equal(bool(re.search(r'^sh has \S+ % more page-faults than true \(95 %: ', text, re.MULTILINE)), True, text)
    has(text, '\n  real time: ')
    has(compare('-n', '6', '--by', 'user+sys', 'true', 'true'), ' CPU time')
    text = compare('-n', '6', '-v', 'true', 'true')
    has(text, '\n  system time')
    done = ntime('compare', '-n', '6', '-e', 'no-such-event', 'true', 'true')
    equal((done.returncode, done.stdout), (125, b''))
    has(err(done), 'no-such-event')


@test
def ctrl_c_prints_the_verdict_so_far():
    for wanted in (9, 3):
        with tempfile.TemporaryDirectory() as folder:
            # In the middle of a run of the second one, which knows how often it ran.
            second = f'echo >>{folder}/runs; [ $(wc -l <{folder}/runs) -lt {wanted} ] || {{ kill -INT 0; sleep 9; }}'
            with subprocess.Popen([t.NTIME, 'compare', '-n', '1000', '--shell=sh', 'sleep 0.01', second], env=environment(), stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, start_new_session=True) as p:
                t.GROUPS.append(p.pid)
                out, _ = p.communicate(timeout=t.PATIENCE)
        equal(p.returncode, -signal.SIGINT)
        has(out.decode(), 'unfinished: fewer runs were made than were wanted')
        has(out.decode(), 'not in the numbers, 1 of')
        if wanted == 3:
            has(out.decode(), 'no verdict: 95 % needs at least 6 runs of each')


@test
def a_terminal_shows_how_far_it_is():
    pid, fd = pty.fork()
    if pid == 0:
        os.execve(t.NTIME, [t.NTIME, 'compare', '-n', '10', 'sleep 0.02', 'sleep 0.03'], environment())
    t.GROUPS.append(pid)
    shown = t.read_all(fd)
    os.waitpid(pid, 0)
    os.close(fd)
    equal(bool(re.search(r'\rround \d+ of 10(: B \S+ % slower \(\+-\S+ %\))?, \d+ s left\x1b\[K', shown)), True, shown)
    has(shown, '\r\x1b[KA  sleep 0.02  10 runs')


def put(name, value):
    with open(name, 'w', encoding='utf-8') as f:
        f.write(value if isinstance(value, str) else json.dumps(value))


def hyperfine(*commands):
    """As hyperfine 1.15 --export-json writes it."""
    return {'results': [{'command': line, 'mean': sum(times) / len(times), 'stddev': 0.1, 'median': times[0], 'user': 0.1, 'system': 0.0,
                         'min': min(times), 'max': max(times), 'times': times, 'exit_codes': [0] * len(times)} for line, times in commands]}


@test
def what_cannot_be_counted_has_no_number():
    """In any round, also where it is no longer tried."""
    for item in json.loads(compare('--json', '-n', '6', '-e', 'L1-dcache-loads', 'true', 'sh -c "exit 0"'))['commands']:
        for name in ('L1-dcache-loads', 'instructions:u'):
            values = item['values'].get(name, [None] * 6)
            equal(all(v is None for v in values) or all(v for v in values), True, values)


@test
def a_command_that_goes_away_has_its_status():
    with Directory():
        for line, status in (('chmod -x gone', 126), ('rm gone', 127)):
            for args in (('-r', '3', './gone'), ('compare', '-n', '6', './gone', 'true')):
                with open('gone', 'w', encoding='utf-8') as f:
                    f.write(f'#!/bin/sh\n{line}\n')
                os.chmod('gone', 0o755)
                equal(ntime(*args).returncode, status, (line, args))


@test
def results_are_kept_and_compared_again():
    with Directory():
        done = ntime('compare', '-n', '10', '-e', 'page-faults', '--json', '-o', 'both.json', 'sleep 0.01', 'sleep 0.02')
        equal((done.returncode, done.stdout, done.stderr), (0, b'', b''))
        with open('both.json', encoding='utf-8') as f:
            both = json.load(f)
        equal((both['kind'], both['interleaved'], both['finished'], both['by']), ('comparison', True, True, 'real'))
        for side in both['commands']:
            equal((side['rounds'], len(side['values']['real']), side['runs_left_out']), (list(range(10)), 10, []))
            real = sorted(side['values']['real'])
            equal((side['summary']['real']['min'], side['summary']['real']['max']), (real[0], real[-1]))
            equal(side['summary']['real']['median'], (real[4] + real[5]) / 2)
        change = [c for c in both['changes'] if c['decides']]
        equal([(c['command'], c['than'], c['metric'], c['differs']) for c in change], [('B', 'A', 'real', True)])
        equal(1 < change[0]['low'] <= change[0]['factor'] <= change[0]['high'] < 3, True, change)
        # Read back, it is the same.
        again = json.loads(compare('--json', 'both.json'))
        chosen = ntime('compare', '-n', '6', '--by', 'real', '-e', 'minor-faults', '--json', '-o', 'chosen.json', 'true', 'true')
        equal(chosen.returncode, 0)
        text = compare('chosen.json')
        equal(bool(re.search(r'^B(, real time:| is .* by real time$)', text, re.MULTILINE)), True, text)
        has(text, '\n  minor-faults: ')
        for what in ('by', 'metrics', 'commands', 'changes', 'interleaved'):
            equal(again[what], both[what], what)
        for name, length in (('base', 0.01), ('new', 0.02)):
            equal(ntime('-r', '9', '--json', '-o', f'{name}.json', 'sleep', str(length)).returncode, 0)
            # As a machine without other work runs them.
            with open(f'{name}.json', encoding='utf-8') as f:
                one = json.load(f)
            one['time']['over_runs']['real_ns']['values'] = [int(1e9 * length) + i * 4 % 9 * 1000 for i in range(9)]
            put(f'{name}.json', one)
        text = compare('base.json', 'new.json')
        has(text, 'base  sleep 0.01  9 runs')
        equal(bool(re.search('^new is [0-9.]+ % slower than base', text, re.MULTILINE)), True, text)
        has(' '.join(text.split()), 'the runs were not interleaved: intervals are wider by what quarters of the runs differ, and what changed on the machine for longer is in the differences')
        # Of several commands each is compared with itself.
        for one in both['commands']:
            one['values']['real'] = [one['summary']['real']['median'] + i * 7 % 10 / 1e5 for i in range(10)]
        put('both.json', both)
        text = compare('both.json', 'both.json')
        has(' '.join(text.split()), 'A (both.json) #3, real time: no difference found (a difference of ')
        done = ntime('compare', '--fail-above', '10%', 'base.json', 'new.json')
        equal(done.returncode, 1)


@test
def what_is_saved_is_compared_with_what_runs_now():
    with Directory():
        steady = [1 + i * 7 % 20 / 1e5 for i in range(20)]
        put('base.json', hyperfine(('sleep 1', steady)))
        put('two.json', hyperfine(('true', steady), ('sleep 0.01', [t / 100 for t in steady])))
        put('drifts.json', hyperfine(('sleep 1', sorted(steady))))
        for args, has_it, names in ((['base.json', 'sleep 0.01'], r'sleep is (?:99|9[89]\.\d+) % faster \([\d.]+ times\) than base \(95 %', ['base', 'sleep']),
                                    (['sleep 0.01', 'base.json'], r'base is [\d,.]+ % slower \([\d.]+ times\) than sleep \(95 %', ['sleep', 'base']),
                                    (['--name', 'x', '--name', 'y', 'base.json', 'sleep 0.01'], ' than x ', ['x', 'y']),
                                    (['two.json', 'sleep 0.01'], '\ntrue \\(two\\) is in one file only', ['true (two)', 'sleep 0.01 (two)', 'sleep']),
                                    (['drifts.json', 'sleep 0.01'], 'drifts and sleep: no verdict: the runs of one of them drift', ['drifts', 'sleep'])):
            text = compare('-n', '9', '--by', 'real', *args)
            equal((bool(re.search(has_it, text)), [line.split('  ')[0].strip() for line in text.splitlines()[:len(names)]]), (True, names), text)
            has(' '.join(text.split()), 'the runs were not interleaved: intervals are wider')
        # Before anything is run.
        for args, part in ((['no.json'], 'no.json: No such file'), (['two.json'], 'no command of two.json is in another file')):
            done = ntime('compare', *args, 'sh -c "echo >>ran"')
            equal((done.returncode, done.stdout, os.path.exists('ran')), (125, b'', False))
            has(err(done), part)
        for args, part in ((['--name', 'x', 'base.json'], '--name is given 1 times and there are 2 commands'), (['--by', 'cycles', 'base.json'], '--by cycles: no file has it'),
                           (['--via', 'emulator', 'base.json'], 'base.json was not counted in the emulator')):
            done = ntime('compare', *args, 'sh -c "echo >>ran"')
            equal((done.returncode, done.stdout, os.path.exists('ran')), (125, b'', False), args)
            has(err(done), part)
        # What the file had counts, whatever becomes of it.
        has(compare('-n', '9', '--by', 'real', 'base.json', 'sh -c "rm -f base.json"'), 'than base (95 %')
        put('one.json', hyperfine(('sleep 1', [1 + i / 100 for i in range(40)])))
        text = ' '.join(compare('one.json').split())
        has(text, 'The intervals are wider for that. real time is')
        low, high = re.search(r'real time is [\d,.]+ ms \(95 %: ([\d,.]+) ms .. ([\d,.]+) ms\)', text).groups()
        equal(float(high.replace(',', '')) - float(low.replace(',', '')) > 400, True, text)
        has(err(ntime('compare', '--fail-above', '3%', 'one.json')), '--fail-above needs a second command')
        done = ntime('compare', '--fail-above', '10%', '-n', '9', '--by', 'real', 'drifts.json', 'sleep 0.01')
        equal(done.returncode, 125)
        has(err(done), 'there is no verdict of sleep')


@test
def results_of_hyperfine_are_read():
    with Directory():
        # Not in order, as nothing that drifts has a verdict.
        one, other = [1.0 + i * 7 % 10 / 100 for i in range(10)], [1.5 + i * 7 % 12 / 100 for i in range(12)]
        put('h.json', hyperfine(('a x', one), ('b', other)))
        text = compare('h.json')
        has(text, 'a x  10 runs  1,045.000 ms (1,000.000 ms .. 1,090.000 ms)\n')
        # The middle of all differences of logarithms, not that of the medians.
        has(text, 'b is 49 % slower than a x (95 %: 37 .. 62 %), by real time')
        put('g.json', hyperfine(('a x', [9.0 + i * 7 % 10 / 100 for i in range(10)])))
        text = compare('g.json', 'h.json')
        has(text, 'a x (h) is 88.')
        has(text, 'b (h) is in one file only: not compared')
        # Runs that failed are in no number.
        failed = hyperfine(('a', one), ('b', other))
        failed['results'][0]['exit_codes'][3:5] = [7, None]
        put('h.json', failed)
        text = compare('h.json')
        has(text, 'a  8 runs')
        has(text, 'a: not in the numbers, 1 of 10 runs: ended with status 7')
        has(text, 'a: not in the numbers, 1 of 10 runs: killed by a signal')
        with open('ours.json', 'w', encoding='utf-8') as f:
            f.write(compare('--json', 'h.json'))
        compare('-o', 'text', '--export-json', 'again.json', 'ours.json')
        with open('again.json', encoding='utf-8') as f:
            again = json.load(f)['results'][0]
        equal([again[k] for k in ('times', 'exit_codes', 'user', 'system')], [one, failed['results'][0]['exit_codes'], 0.1, 0])
        # What it tells of memory, of CPU time in the mean, and by parameters.
        more = hyperfine(('a', one), ('a', other))
        for r, value, kilobytes in zip(more['results'], '12', (5, 4)):
            r.update(parameters={'t': value}, memory_usage_byte=[kilobytes * 1000 + i * 7 % 12 for i in range(len(r['times']))])
        put('m.json', more)
        text = compare('--by', 'max-rss', '-v', '--export-json', 'again.json', 'm.json')
        has(text, 'a t=2 has ')
        has(text, '% less max-rss than a t=1 (95 %: ')
        has(text, 'a t=1: user time is 100.000 ms in the mean; the file has no number of each run')
        with open('again.json', encoding='utf-8') as f:
            again = json.load(f)['results']
        equal([[r[k] for k in ('parameters', 'memory_usage_byte', 'user')] for r in again],
              [[r[k] for k in ('parameters', 'memory_usage_byte', 'user')] for r in more['results']])
        has(compare('m.json', 'm.json'), 'a t=2 (m.json) #4 ')
        has(err(ntime('compare', '--by', 'user', 'm.json')), '--by user: hyperfine writes its mean and not the number of each run')
        # The same file twice, and names that are the same.
        text = compare('--name', 'x', '--name', 'x', 'h.json')
        has(text, 'x #2 is ')


@test
def lists_of_values_make_commands():
    with Directory():
        text = compare('-n', '9', '-L', 't', '0.01,0.02,0.03', '--prepare', 'echo {t} >>log', 'sleep {t}')
        has(text, 't=0.01  sleep 0.01  9 runs')
        has(text, '\nt=0.03 is ')
        equal(sorted(set(words_of('log'))), ['0.01', '0.02', '0.03'])
        # A command without it is run once a round; two lists are all pairs of their values.
        text = compare('-n', '9', '--parameter-list', 'a', '1,2', '-L', 'b=x,y', 'true', 'echo {a}{b} {c} {', '-S', 'sh', '--json')
        sides = json.loads(text)['commands']
        equal([s['name'] for s in sides], ['sh', 'sh a=1 b=x', 'sh a=1 b=y', 'sh a=2 b=x', 'sh a=2 b=y'])
        equal([s['command'] for s in sides[1:]], [f'echo {w} {{c}} {{' for w in ('1x', '1y', '2x', '2y')])
        equal([s.get('parameters') for s in sides[:2]], [None, {'a': '1', 'b': 'x'}])
    for args, part in ((('-L', 't', '', 'sleep {t}'), "-L 't=' is no list"),
                       (('-L', 't', '1,,2', 'sleep {t}'), '-L t: a value is empty'),
                       (('-L', 't', '1,2', 'true', 'true'), '-L t: no command has {t} in it'),
                       (('-L', 't', '1,2', '-L', 't', '3', 'true {t}'), '-L t is given twice'),
                       (('-L', 't'), "-L 't' is no list")):
        done = ntime('compare', *args)
        equal((done.returncode, done.stdout), (125, b''), args)
        has(err(done), part)


@test
def exports_are_those_of_hyperfine():
    with Directory():
        compare('-n', '7', '-L', 't', '0.001,0.002', '--export-json', 'e.json', '--export-csv', 'e.csv', '--export-markdown', 'e.md', '-o', 'report',
                'sh -c "sleep {t}|:"')
        with open('e.json', encoding='utf-8') as f:
            results = json.load(f)['results']
        for r, value in zip(results, ('0.001', '0.002')):
            equal(sorted(r), sorted(['command', 'mean', 'stddev', 'median', 'user', 'system', 'min', 'max', 'times', 'exit_codes', 'parameters']))
            equal((r['command'], r['parameters'], r['exit_codes']), (f'sh -c "sleep {value}|:"', {'t': value}, [0] * 7))
            times = r['times']
            mean = sum(times) / 7
            equal((r['min'], r['max'], r['median']), (min(times), max(times), sorted(times)[3]))
            equal(abs(r['mean'] - mean) < 1e-9 and abs(r['stddev'] - (sum((x - mean) ** 2 for x in times) / 6) ** 0.5) < 1e-9, True, r)
        with open('e.csv', encoding='utf-8', newline='') as f:
            rows = list(csv.DictReader(f))
        equal(list(rows[0]), ['command', 'mean', 'stddev', 'median', 'user', 'system', 'min', 'max', 'parameter_t'])
        equal([(row['command'], row['parameter_t'], float(row['mean'])) for row in rows],
              [(r['command'], r['parameters']['t'], r['mean']) for r in results])
        with open('e.md', encoding='utf-8') as f:
            lines = f.read().splitlines()
        equal(len(lines), 4)
        equal({len(re.findall(r'(?<!\\)\|', line)) for line in lines}, {len(re.findall(r'\|', lines[0]))}, lines)
        has(lines[2], '| `t=0.001` | `sh -c "sleep 0.001\\|:"` | 7 | ')
        # What was exported is read.
        has(compare('e.json'), '7 runs')
    # Runs that failed are among its times, and a name is its command.
    with Directory():
        text = compare('-i', '-n', '6', '--name', 'bad', '--name', 'good', '--export-json', 'e.json', '--json', 'sh -c "exit 3"', 'true')
        put('ours.json', text)
        compare('--export-json', 'f.json', '-o', 'report', 'ours.json')
        for name in ('e.json', 'f.json'):
            with open(name, encoding='utf-8') as f:
                results = json.load(f)['results']
            equal([(r['command'], len(r['times']), r['exit_codes'], r['mean'] > 0) for r in results],
                  [('bad', 6, [3] * 6, True), ('good', 6, [0] * 6, True)])
    # Nothing is run if a file cannot be written.
    with Directory():
        done = ntime('compare', '--export-csv', '/nonexistent/e.csv', 'touch here', 'true')
        equal((done.returncode, done.stdout, os.listdir('.')), (125, b'', []))
        has(err(done), '/nonexistent/e.csv')


@test
def programs_of_hyperfine_read_our_export():
    """Its folder scripts, which is in Debian's source package."""
    if not cache:
        raise t.Skip('there is no lab in this tree, which fetches hyperfine')
    try:
        folder = os.path.join(debian.source('rust-hyperfine')[1], 'scripts')
    except cache.Unavailable as why:
        raise t.Skip(str(why)) from None
    lacking = [name for name in ('numpy', 'scipy', 'matplotlib') if not importlib.util.find_spec(name)]
    if lacking:
        raise t.Skip(f'python3-{lacking[0]} is not installed')
    with Directory():
        compare('-i', '-n', '6', '-L', 't', '0,1', '--export-json', 'e.json', 'sh -c "exit {t}"')
        for script in sorted(name for name in os.listdir(folder) if name.endswith('.py')):
            args = ['-o', 'e.png'] if script.startswith('plot') else []
            done = subprocess.run([sys.executable, f'{folder}/{script}', 'e.json', *args], capture_output=True, timeout=t.PATIENCE, check=False,
                                  env=dict(os.environ, MPLBACKEND='Agg'))
            equal(done.returncode, 0, f'{script}: {done.stderr}')


@test
def the_picture_has_each_run():
    svg = '{http://www.w3.org/2000/svg}'
    with Directory():
        compare('-n', '9', '--json', '-o', 'c.json', '--plot', 'c.svg', '--name', '<a & "b">\x1b[31m', '--name', 'ü' * 40, 'sleep 0.01', 'sleep 0.012')
        root = xml.etree.ElementTree.parse('c.svg').getroot()
        with open('c.json', encoding='utf-8') as f:
            result = json.load(f)
        equal(root.tag, f'{svg}svg')
        dots = root.findall(f'{svg}circle')
        values = [float(dot.get('data-value')) for dot in dots]
        equal(values, [v for side in result['commands'] for v in side['values']['real']])
        # Equal steps of the metric are equal steps to the right, within the picture.
        xs = [float(dot.get('cx')) for dot in dots]
        scale = (max(xs) - min(xs)) / (max(values) - min(values))
        for x, value in zip(xs, values):
            equal(abs(x - min(xs) - (value - min(values)) * scale) < 0.02 and 0 < x < float(root.get('width')), True, (x, value))
        equal(len(root.findall(f"{svg}line[@class='median']")), 2)
        band, = root.findall(f"{svg}rect[@class='interval']")
        change, = [c for c in result['changes'] if c['decides']]
        equal((float(band.get('data-low')), float(band.get('data-high'))), (change['low'], change['high']))
        names = [e.text for e in root.findall(f"{svg}text[@class='name']")]
        equal(names[1:], ['<a & "b">?[31m', 'ü' * 26 + '…'])


def kept(rounds, metrics):
    """Results of an interleaved comparison: of each metric a list of pairs."""
    sides = [{'name': name, 'command': name, 'rounds': list(range(rounds)), 'runs_left_out': [],
              'values': {m: [p[i] for p in pairs] for m, pairs in metrics.items()}} for i, name in enumerate('AB')]
    return {'ntime': 'x', 'schema': 2, 'kind': 'comparison', 'interleaved': True, 'finished': True,
            'metrics': [{'name': m, 'unit': '' if ':' in m else 'ns'} for m in metrics], 'commands': sides}


def times(pairs, by):
    return [(a * by, b * by) for a, b in pairs]


@test
def the_steadiest_decides():
    noisy = [(1e9 + i * 7919 % 13 * 1e7, 1e9 + i * 104729 % 17 * 1e7) for i in range(12)]
    steady = [(9e8 + i % 3 * 1e4, 9.1e8 + i % 2 * 1e4) for i in range(12)]
    exact = [(1e6, 1.01e6)] * 12
    with Directory():
        for by, metrics in (('real', {'real': noisy}),
                            ('user', {'real': noisy, 'user': steady, 'user+sys': noisy}),
                            ('user+sys', {'real': noisy, 'user': noisy, 'user+sys': steady}),
                            ('instructions:u', {'real': noisy, 'user': steady, 'user+sys': steady, 'instructions:u': exact}),
                            # Whole microseconds that are always the same are not steadier than one of them.
                            ('instructions:u', {'real': noisy, 'user': [(9e8, 9.1e8)] * 12, 'user+sys': [(9e8, 9.1e8)] * 12,
                                                'instructions:u': [(1e9 + i % 2, 1.01e9) for i in range(12)]}),
                            # What has no ratio, or no number, decides nothing, however steady the rest is.
                            ('user+sys', {'real': noisy, 'user': [(0, 9e8)] + steady[1:], 'user+sys': steady}),
                            ('user', {'real': noisy, 'instructions:u': [(None, None)] * 12, 'user': steady, 'user+sys': steady}),
                            # A sleeper's, that of many threads, and the smaller part of it tell nothing of speed.
                            ('real', {'real': noisy, 'user': times(steady, 0.1), 'user+sys': times(steady, 0.1), 'instructions:u': exact}),
                            ('real', {'real': noisy, 'user+sys': times(steady, 3)}),
                            ('user+sys', {'real': noisy, 'user': times(steady, 0.5), 'user+sys': steady, 'instructions:u': exact}),
                            # Real time is certain of something else.
                            ('real', {'real': [(a, b * 1.5) for a, b in noisy], 'user': steady, 'user+sys': times(steady, 1.05)})):
            put('k.json', kept(12, metrics))
            equal(json.loads(compare('--json', 'k.json'))['by'], by, metrics.keys())
        put('k.json', kept(12, {'real': noisy, 'user': steady, 'user+sys': steady, 'instructions:u': exact}))
        text = compare('k.json')
        has(text, 'B is 1.000 % slower than A (95 %: 1.000 .. 1.000 %), by instructions:u\n  real time: no difference found (a difference of ')
        text = compare('--by', 'user', 'k.json')
        has(text, ', by user time\n')
        has(text, '\n  real time: ')
        put('k.json', kept(12, {'real': [(a, b * 1.5) for a, b in noisy], 'user': steady}))
        has(compare('--by', 'user', 'k.json'), '\n  real time disagrees: 5')
        put('k.json', kept(12, {'real': [(1e9, 1e9)] * 12}))
        has(compare('k.json'), 'A and B: no difference: real time is the same in every run')
        put('k.json', kept(12, {'real': [(1e9, 3e9)] * 12}))
        has(compare('k.json'), 'B is 200.000 % slower (3.000 times) than A')
        # What is not 0 is not shown as 0.
        put('k.json', kept(12, {'real': [(4000000001, 4000000003)] * 12}))
        has(compare('k.json'), 'B is 5e-08 % slower than A (95 %: 5e-08 .. 5e-08 %)')
        put('k.json', kept(12, {'real': [(0, 1)] * 12}))
        has(compare('k.json'), 'no verdict: real time is 0 in a run')


@test
def what_may_be_too_slow_is_told():
    with Directory():
        put('k.json', kept(12, {'real': [(1e9, 1e9 * (1 + i / 100)) for i in range(12)]}))
        for above, status, part in ((20, 0, None), (5, 0, 'ntime: B may be slower than A by more than --fail-above allows: up to '), (0.5, 1, 'B is slower than A')):
            done = ntime('compare', '--fail-above', f'{above}%', 'k.json')
            equal(done.returncode, status, above)
            equal(len(err(done).splitlines()), 1 if part else 0)
            has(err(done), part or '')
        # No verdict is no pass.
        put('k.json', kept(3, {'real': [(1e9, 2e9)] * 3}))
        done = ntime('compare', '--fail-above', '2%', 'k.json')
        equal((done.returncode, err(done)), (125, 'ntime: --fail-above: there is no verdict of B\n'))
        equal(ntime('compare', '-i', '--fail-above', '2%', 'true', 'false').returncode, 125)
        put('k.json', kept(12, {'real': [(1e9, 1.001e9)] * 12}))
        equal(ntime('compare', '--fail-above', '0%', 'k.json').returncode, 1)


@test
def bad_results():
    good = hyperfine(('a', [1.0] * 9), ('b', [2.0] * 9))
    ours = json.loads(compare('-n', '6', '--json', 'true', 'true'))

    def changed(**more):
        return {**ours, **more}

    def with_first(**more):
        return {'results': [{**good['results'][0], **more}, good['results'][1]]}

    with Directory():
        for value, part in (('', 'line 1: it is no JSON, or cut short'),
                            (json.dumps(good)[:-9], 'it is no JSON, or cut short'),
                            ('[1]', 'is no result of ntime --json or of hyperfine'),
                            ({'results': []}, 'has no command'),
                            ({'results': [{'command': 'a'}]}, 'result 1 has no command and times'),
                            ({'results': [{'command': 'a', 'times': [1, 'x']}]}, "a time of 'a' is not a number"),
                            (with_first(times=[1.0] * 8 + [-0.001]), "a time of 'a' is negative"),
                            (with_first(times=[1.0] * 8 + [None]), "a time of 'a' is not a number"),
                            (with_first(exit_codes=[0] * 8), 'result 1 has 9 times and 8 exit_codes, of the same runs'),
                            (with_first(exit_codes=[0] * 8 + [256]), "an exit code of 'a' is not a number from 0 to 255"),
                            (with_first(exit_codes=[0] * 8 + ['x']), "an exit code of 'a' is not a number from 0 to 255"),
                            (with_first(memory_usage_byte=[1] * 10), 'result 1 has 9 times and 10 memory_usage_byte, of the same runs'),
                            (with_first(memory_usage_byte=[-1] * 9), "a memory_usage_byte of 'a' is negative"),
                            (with_first(user=-1), "the mean of user of 'a' is negative"),
                            (with_first(system='x'), "the mean of sys of 'a' is not a number"),
                            (with_first(parameters={'t': 1}), "the parameter 't' of 'a' is no text"),
                            (changed(commands=[{'rounds': [1, 2], 'values': {'real': [1]}}]), "command 1 has 2 rounds and 1 values of 'real'"),
                            (changed(commands=[{'rounds': [1], 'values': {'real': [-1]}}]), "a value of 'real' is negative"),
                            (changed(commands=[{'rounds': [1], 'values': {}, 'failed': [{'round': -1}]}]),
                             'the runs that command 1 left out are not such'),
                            (changed(schema=1), 'in another form (1, this is 2)'),
                            (changed(kind='interval'), "it is of kind 'interval'"),
                            (changed(metrics=[]), 'has no '),
                            (changed(commands=[]), 'has no command'),
                            (changed(commands=[{}]), 'command 1 has no rounds and values'),
                            (changed(commands=[{'rounds': [1, 1], 'values': {}}]), 'the rounds of command 1 do not rise'),
                            (changed(commands=[{'rounds': [1, 'x'], 'values': {}}]), 'the rounds of command 1 do not rise'),
                            (changed(commands=[{'rounds': [1], 'values': {'real': ['x']}}]), "a value of 'real' is not a number"),
                            (changed(commands=[{'rounds': [1], 'values': {}, 'runs_left_out': [{'status': 999, 'runs': 1}]}]),
                             'the runs that command 1 left out are not such')):
            put('bad.json', value)
            done = ntime('compare', 'bad.json')
            equal((done.returncode, done.stdout), (125, b''), value)
            has(err(done), 'ntime: bad.json')
            has(err(done), part)
            equal(len(err(done).splitlines()), 1, err(done))
        put('a.json', hyperfine(('a', [1.0])))
        put('b.json', hyperfine(('b', [1.0]), ('c', [1.0])))
        for args, part in ((('a.json', 'missing.json'), 'missing.json: No such file or directory'),
                           (('a.json', 'b.json'), 'no command of a.json is in another file'),
                           (('--by', 'cycles', 'a.json', 'a.json'), '--by cycles: no file has it'),
                           (('-n', '10', 'a.json', 'b.json'), 'files with results are not run'),
                           (('--name', 'x', 'b.json'), '--name is given 1 times and there are 2 commands')):
            done = ntime('compare', *args)
            equal((done.returncode, done.stdout), (125, b''), args)
            has(err(done), part)
        ntime('--json', '-o', 'single.json', 'true')
        has(err(ntime('compare', 'single.json', 'single.json')), 'has a single run; make it with ntime -r N --json')
        # Too few runs are shown, and are no verdict.
        has(compare('a.json', 'a.json'), 'no verdict: 95 % needs at least')


@test
def what_can_never_decide_ends_soon():
    done = ntime('compare', '--by', 'max-rss', 'true', 'true')
    if done.returncode:
        equal((done.returncode, err(done)), (125, 'ntime: --by max-rss: these runs have no number of it\n'))
    text = compare('--by', 'rusage-major-faults', 'true', 'true')
    runs = {int(n) for n in re.findall(r' (\d+) runs ', text)}
    equal(runs == {10} or 'no difference' in text, True, text)
    # Large numbers that are next to each other have no step between them.
    with Directory():
        put('k.json', kept(12, {'real': [(1e16, 1e16 + 2)] * 12}))
        compare('--plot', 'k.svg', 'k.json')
        equal(os.path.getsize('k.svg') < 100000, True)
        put('k.json', kept(12, {'real': [(1e308, 1e308)] * 12}))
        has(err(ntime('compare', 'k.json')), "a value of 'real' is not a number")


@test
def what_cleans_up_is_not_ended():
    command = ['compare', '-n', '100000', '--cleanup', 'sleep 0.1; echo done >>c']
    for commands in (['true', 'true'], ['true']):
        for _ in range(8):
            with Directory(), subprocess.Popen([t.NTIME, *command, *commands], env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                               start_new_session=True) as p:
                t.GROUPS.append(p.pid)
                time.sleep(0.15)
                p.send_signal(signal.SIGTERM)
                p.communicate(timeout=t.PATIENCE)
                equal(p.returncode, -signal.SIGTERM)
                equal(words_of('c'), ['done'])


@test
def what_cannot_be_run():
    for args, status, part in ((('nonexistent-command', 'true'), 127, 'nonexistent-command: command not found'),
                               (('/', 'true'), 126, '/'),
                               ((), 125, 'there is nothing to run: name commands, each one in quotes'),
                               (('--fail-above', '1', 'true'), 125, '--fail-above needs a second command'),
                               (('true', ''), 125, 'a command is empty'),
                               (('true', '""'), 125, 'a command is empty'),
                               (('-n', '1', '--fail-above', '1', 'true', 'true'), 125, '-n 1 is too few for --fail-above: an interval of 95 % needs at least 6 runs'),
                               (('-r', '6', '--fail-above', '1', 'true', 'true', 'true'), 125, 'needs at least 7 runs'),
                               (('--output=pipe', 'true', 'true'), 125, "--output is the file of the report, not what 'pipe' is to hyperfine: --show-output"),
                               (('--output', 'null', 'true', 'true'), 125, 'without it that goes nowhere; a file is ./null'),
                               (('--output', 'inherit', 'true', 'true'), 125, '--show-output shows what commands write'),
                               (('--input', 'x', 'true', 'true'), 125, "unknown option '--input': commands read nothing; a file is --shell=sh"),
                               (('--conclude', 'x', 'true', 'true'), 125, "unknown option '--conclude': not in ntime: --prepare is done"),
                               (('-C', 'x', 'true', 'true'), 125, "unknown option '-C': not in ntime: --prepare is done"),
                               (('--reference', 'x', 'true', 'true'), 125, "unknown option '--reference': the first command is"),
                               (('--reference-name', 'x', 'true', 'true'), 125, '--name calls it'),
                               (('--sort', 'x', 'true', 'true'), 125, "unknown option '--sort': commands are listed in the order"),
                               (('--export-orgmode', 'x', 'true', 'true'), 125, "unknown option '--export-orgmode': a table is --export-markdown"),
                               (('--export-asciidoc', 'x', 'true', 'true'), 125, "unknown option '--export-asciidoc': a table is --export-markdown"),
                               (('-u', 'second', 'true', 'true'), 125, "unknown option '-u': each number has the unit"),
                               (('--style=basic', 'true', 'true'), 125, "unknown option '--style': colours"),
                               (('-D', '1', 'true', 'true'), 125, "unknown option '-D': values are listed by -L"),
                               (('--ignore-failure=1,2', 'true', 'true'), 125, "'--ignore-failure' takes no argument: it goes on after any exit status"),
                               (('-i=1,2', 'true', 'true'), 125, 'of -i, it goes on after any exit status, and takes no list of them'),
                               (('-i', '1,2', 'true', 'true'), 125, "'1,2' is no command; of --ignore-failure, it goes on after any exit status"),
                               (('-n', '6', '--precision', '1%', 'true', 'true'), 125, '-n and --precision cannot be combined'),
                               (('--precision', '0', 'true', 'true'), 125, "--precision '0' is no width"),
                               (('--precision', '0x1%', 'true', 'true'), 125, "--precision '0x1%' is not a percentage"),
                               (('-n', 'old', 'true', 'true'), 125, "-n 'old' is not a number of runs; a name is --name old"),
                               (('--by', 'page-faults,minor-faults', 'true', 'true'), 125, 'is more than one metric'),
                               (('FOO=1 true', 'true'), 125, "'FOO=1 true' has '=' outside of quotes"),
                               (('x.json', 'true'), 125, 'x.json: No such file or directory'),
                               (('-L', 'x', '1,1', 'true {x}'), 125, '-L x: 1 is there twice'),
                               (('-L', 'x', '1,2', '-s', 'make {x}', './prog'), 125, '--setup differs and the commands do not'),
                               (('-o', 'same', '--plot', 'same', 'true', 'true'), 125, 'two reports cannot be in one file, same'),
                               (('--fail-above', '2x', 'true', 'true'), 125, "--fail-above '2x' is not a percentage"),
                               (('--name', 'a', 'true', 'true'), 125, '--name is given 1 times and there are 2 commands'),
                               (('--name', 'a', '--name', 'a', 'true', 'true'), 125, 'two commands have the same --name'),
                               (('-p', 'a', '-p', 'b', 'true', 'true', 'true'), 125, '--prepare is given 2 times and there are 3 commands'),
                               (('--timeout', '0', 'true', 'true'), 125, "--timeout '0' is out of range: more than 0"),
                               (('-e', '', 'true', 'true'), 125, 'an event or metric is missing'),
                               (('-o', '/nonexistent/file', 'true', 'true'), 125, '/nonexistent/file')):
        done = ntime('compare', *args)
        equal((done.returncode, done.stdout), (status, b''), args)
        has(err(done), part)


if __name__ == '__main__':
    sys.exit(t.main())
