#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ntime watch: lines, CSV, JSON, screens of several sizes, time, signals. Speaks TAP.

Usage: test_watch.py NTIME [-k WORD]
No test says how long something takes.
"""
import codecs
import csv
import datetime
import fcntl
import io
import json
import os
import platform
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../../base/tests'))
import perf_here
import command as t    # noqa: E402
from screen import Screen
from command import NTIME, PATIENCE, ROOT, SIM, environment, err, equal, has, has_not, ntime    # noqa: E402
from machines import GUEST, MANY, recording, server, three    # noqa: E402
test = t.test
SOFT = ('context-switches', 'page-faults')


def watch(*args, status=0, machine=None, **more):
    if machine:
        args, more['exe'] = ('--machine', machine, *args), SIM
    done = ntime('watch', *args, **more)
    if done.returncode != status:
        raise AssertionError(f'exit status {done.returncode}, expected {status}: {err(done)}')
    return done


def out(done):
    return done.stdout.decode()


def rows_of(done):
    return list(csv.DictReader(io.StringIO(out(done))))


def objects(done):
    return [json.loads(line) for line in out(done).splitlines()]


def fast(*args, samples=2, **more):
    """A few samples soon after each other."""
    return watch('-q', '-i', '10ms', '-n', str(samples), *args, **more)


def until_row(is_it, *args, bent=''):
    """CSV rows of all CPUs until one is it."""
    child = subprocess.Popen([SIM, 'watch', '-q', '--csv', '--per', 'none', *args], env=environment(bent), stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding='utf-8')
    t.GROUPS.append(child.pid)
    rows, deadline = [], time.monotonic() + PATIENCE
    for row in csv.DictReader(child.stdout):
        rows.append(row)
        if is_it(row) or time.monotonic() > deadline:
            break
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=PATIENCE)
    equal((child.returncode, bool(rows) and is_it(rows[-1])), (0, True), f'exit status and the last of {rows[-3:]}, {said}')
    return rows


# ---- lines ----

@test
def lines_tell_values_and_rates():
    done = fast('--per', 'none', *SOFT, samples=3)
    lines = out(done).splitlines()
    equal(re.fullmatch(r'# (.*)  [0-9]{4}-[0-9]{2}-[0-9]{2} [+-][0-9]{4}  every 0\.01 s', lines[0])[1], os.uname().nodename)
    equal(lines[1].split(), ['time', 'where', 'what', 'value', 'unit', 'per_second'])
    equal(len(lines), 8)
    equal([bool(re.fullmatch(r'[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}', line.split()[0])) for line in lines[2:]], [True] * 6)
    equal([line.split()[1:4] for line in lines[2:4]], [['all', 'CPUs', 'context-switches'], ['all', 'CPUs', 'page-faults']])
    equal(err(done), '')


@test
def number_of_samples_is_kept():
    for n in (1, 2, 7):
        equal([int(row['sample']) > 0 for row in rows_of(fast('--csv', '--per', 'none', 'page-faults', samples=n))], [True] * n)


@test
def rows_are_what_was_asked_for():
    for per, names in (('socket', ['socket 0', 'socket 1']), ('core', [f'core {n}' for n in range(4)]),
                       ('thread', [f'CPU {n}' for n in range(8)]), ('none', ['all CPUs'])):
        rows = rows_of(fast('--csv', '--per', per, 'page-faults', machine=server(2, 2, 2), bent='slope', samples=1))
        equal([row['where'] for row in rows], names)
        counts = [int(row['count']) for row in rows]
        # CPUs count 1, 2, 3 ... 8 times as much in each period.
        step, once = 8 // len(names), sum(counts) // 36
        sums = [once * sum(range(n * step + 1, n * step + step + 1)) for n in range(len(names))]
        equal((counts, once > 0), (sums, True), f'counts per {per}')
        equal([int(row['value']) for row in rows], sums, f'values per {per}')


@test
def what_sockets_count_stands_above_their_cores():
    rows = rows_of(fast('--csv', '--per', 'core', 'page-faults', 'power/energy-pkg/', machine=server(2), bent='slope', samples=1))
    equal([(row['where'], row['name']) for row in rows],
          [('socket 0', 'power/energy-pkg/'), ('core 0', 'page-faults'), ('core 1', 'page-faults'),
           ('socket 1', 'power/energy-pkg/'), ('core 2', 'page-faults'), ('core 3', 'page-faults')])
    # Of its first CPU, number 2: three times as much.
    energy = [float(row['value']) for row in rows if row['where'].startswith('socket')]
    equal((energy[0] > 0, energy[1]), (True, 3 * energy[0]))
    rows = rows_of(fast('--csv', '--per', 'core', 'power/energy-pkg/', machine=server(2), samples=1))
    equal([row['where'] for row in rows], ['socket 0', 'socket 1'], 'rows when nothing is of cores')
    rows = rows_of(fast('--csv', '--per', 'thread', 'proc/user/', 'proc/running/', samples=1))
    equal([(row['where'].split()[0], row['name']) for row in rows], [('all', 'proc/running/')] + [('CPU', 'proc/user/')] * (len(rows) - 1))


@test
def states_are_not_added():
    # Degrees below the limit are in bits 22:16, and PROCHOT's log is bit 3: of CPU 3 alone.
    msr = [{'0x19c': hex(0x88000000 | (40 + cpu) << 16 | (cpu == 3) << 3)} for cpu in range(4)]
    rows = rows_of(fast('--csv', '--per', 'socket', 'thermal/headroom/', 'thermal/prochot-log/', machine=server(2, msr=msr), samples=2))
    # The coldest of two cores; logs tell the largest.
    equal([(row['where'], row['value'], row['per_second'], row['flags']) for row in rows[:4]],
          [('socket 0', '40', '', 'simulated state'), ('socket 0', '0', '', 'simulated state'),
           ('socket 1', '42', '', 'simulated state'), ('socket 1', '1', '', 'simulated state')])
    equal([row['value'] for row in rows[4:]], [row['value'] for row in rows[:4]], 'the second sample')


@test
def cores_tell_what_is_elsewhere():
    at = ('--per', 'thread', 'thermal/headroom/')
    rows = rows_of(fast('--csv', *at, machine=server(threads=2), samples=1))
    equal([(row['where'], row['value'], row['flags']) for row in rows],
          [('CPU 0', '53', 'simulated state'), ('CPU 1', '', 'simulated elsewhere state'), ('CPU 2', '53', 'simulated state'),
           ('CPU 3', '', 'simulated elsewhere state')])
    has(out(fast(*at, machine=server(threads=2), samples=1)), 'elsewhere')


@test
def without_per_it_depends():
    def where(*args):
        return [row['where'] for row in rows_of(fast('--csv', *args, machine=server(), samples=1))]
    equal(where('page-faults'), ['socket 0'])
    equal(where('thermal/headroom/'), ['core 0', 'core 1'], 'rows of a state of cores')
    equal(where('thermal-headroom'), ['core 0', 'core 1'], 'rows of a metric of such a state')
    done = watch('-v', '-n1', '-i', '10ms', '--csv', 'thermal-headroom', machine=server())
    equal([row['name'] for row in rows_of(done)], ['thermal/headroom/', 'thermal-headroom'] * 2, 'hidden events with -v')
    has(err(done), 'thermal/headroom/ is counted by thermal through replay')


@test
def groups_are_their_metrics():
    rows = rows_of(fast('--csv', 'throttling', machine=server(), samples=1))
    where = [(row['where'], row['name']) for row in rows]
    for name in (('socket 0', 'package-headroom'), ('core 0', 'thermal-headroom'), ('core 1', 'thermal-headroom')):
        has(where, name)
    equal([name for name, _ in where], sorted((name for name, _ in where), key=['socket 0', 'core 0', 'core 1'].index), 'order of the rows')
    # a group and one of its metrics: once
    equal(out(fast('--csv', 'throttling', 'thermal-headroom', machine=server(), samples=1)).count(',thermal-headroom,'), 2)


@test
def metrics_are_computed_from_sums():
    formulas = ('-m', 'x[faults/switch]=page-faults/context-switches', '-m', "y[J/fault]='power/energy-pkg/'/page-faults")
    for per in 'none', 'socket':
        rows = rows_of(fast('--csv', '--per', per, 'page-faults,context-switches,power/energy-pkg/', *formulas, machine=server(2), bent='slope', samples=1))
        for where in {row['where'] for row in rows}:
            row = {row['name']: row for row in rows if row['where'] == where}
            value = {name: float(one['value']) for name, one in row.items()}
            for name, of in (('x', value['page-faults'] / value['context-switches']), ('y', value['power/energy-pkg/'] / value['page-faults'])):
                equal(abs(value[name] / of - 1) < 1e-5, True, row)
                equal((row[name]['count'], row[name]['per_second'], row[name]['flags']), ('', '', 'simulated metric'))


@test
def time_passes_once():
    rows = rows_of(fast('--csv', '--per', 'none', 'tsc', 'page-faults', machine=server(2), samples=1))
    # At 2.5 GHz, and of 4 CPUs 2000 a second.
    equal(int(rows[0]['value']) / 2.5e9, int(rows[1]['value']) / (4 * 2000))


@test
def doubts_are_told():
    bent = 'overflowed=1 lost=1 partial=2'
    rows = rows_of(fast('--csv', '--per', 'none', MANY, machine=server(), bent=bent, samples=1))
    equal(rows[0]['flags'].split(), ['scaled', 'overflowed', 'simulated', 'lost', 'bounded'])
    equal(rows[1]['flags'].split(), ['scaled', 'simulated', 'partial', 'bounded'])
    text = out(fast('--per', 'none', MANY, machine=server(), bent=bent, samples=1))
    has(text, 'scaled overflowed simulated lost at least ')
    rows = rows_of(fast('--csv', '--per', 'none', 'cycles', machine=server(), bent='idle', samples=1))
    equal((rows[0]['value'], rows[0]['count'], rows[0]['flags']), ('', '', 'not-counted simulated'))
    has(out(fast('--per', 'none', 'cycles', machine=server(), bent='idle', samples=1)), 'not counted')


@test
def devices_that_vanish_are_told():
    """With the fourth read, which ends the second sample."""
    args, there = ('-i', '10ms', '-n', '3', '--per', 'socket', 'page-faults'), {'machine': server(2), 'bent': 'gone=4'}
    done = watch('--csv', *args, **there)
    rows = rows_of(done)
    gone = 'absent simulated lost gone'
    equal([row['flags'] for row in rows], ['simulated'] * 3 + [gone, 'simulated', gone])
    equal([int(row['value'] or 0) > 0 for row in rows[1::2]], [True, False, False], 'socket 1')
    equal(err(done), 'ntime: page-faults is gone: it was unplugged\n', 'told once')
    equal(err(watch('-q', '--csv', *args, **there)), '')
    lines = out(watch(*args, **there)).splitlines()
    equal([line.split()[4:] for line in lines[5::2]], [gone.split()] * 2)
    item = objects(watch('-q', '--json', *args, **there))[2]['rows'][1]['items'][0]
    equal((item['flags'], item['reason'], 'value' in item), (gone.split(), 'it was unplugged', False))
    # Where other rows are added to it, some CPUs are missing.
    done = watch('--csv', '--per', 'none', *args[:4], 'page-faults', **there)
    equal([row['flags'] for row in rows_of(done)], ['simulated', 'simulated partial', 'simulated partial'])
    equal(err(done), 'ntime: page-faults is gone: it was unplugged\n')


@test
def periods_that_are_not_known_are_told():
    """The fourth read is torn, and so are the two samples that it ends and begins; of this machine, as recordings have another clock."""
    args = ('-q', '-i', '10ms', '-n', '4', '--per', 'none', 'proc/page-faults/', '-m', "x='proc/page-faults/'/1", 'proc/running/')
    rows = rows_of(watch('--csv', *args, bent='torn=4'))
    words = [[row['flags'].split() for row in rows[i:i + 3]] for i in range(0, 12, 3)]
    sure, unsure = [['proc'], ['metric', 'proc'], ['state', 'proc']], [['proc', 'unsure'], ['metric', 'proc', 'unsure'], ['state', 'proc']]
    equal(words, [sure, unsure, unsure, sure])
    equal([row['count'].isdigit() for row in rows[::3]], [True] * 4, 'counts are known all the same')
    samples = objects(watch('--json', *args, bent='torn=4'))[1:]
    equal([sample['period_error_s'] for sample in samples], [0, 1000, 1000, 0])
    equal([[item['flags'] for item in sample['rows'][0]['items']] for sample in samples], words)
    lines = out(watch(*args, bent='torn=4')).splitlines()[2:]
    equal([line.endswith(' unsure') for line in lines], ['unsure' in word for four in words for word in four])


# ---- what is missing ----

@test
def missing_items_are_told_with_their_reason():
    done = watch('-n1', '-i', '10ms', 'cycles', 'instructions', 'page-faults', machine=GUEST)
    has(err(done), 'ntime: not here: cycles, instructions: the hypervisor (KVM) exposes no core PMU')
    has(err(done), 'pmu=on')
    has_not(out(done), 'cycles')
    equal(err(watch('-q', '-n1', '-i', '10ms', 'cycles', 'page-faults', machine=GUEST)), '')


@test
def reasons_of_one_code_and_thing_share_a_sentence():
    text = err(watch('-n1', '-i', '10ms', 'cycles', 'instructions', 'IPC', 'page-faults', machine=GUEST, bent='lacks'))
    equal(text.count('not here'), 1)
    has(text, 'not here: cycles, instructions, IPC: no cycles here (')


@test
def bits_are_yes_or_no():
    # Unlike other software events, time is never zero.
    bits = ('-m', 'same[1=yes]=cpu-clock / cpu-clock', '-m', 'none[1=yes]=(cpu-clock - cpu-clock) / 1')
    lines = [line.split()[3:] for line in out(watch('-q', '-n1', '-i', '0.1', '--plain', '--per', 'none', *bits)).splitlines()[2:]]
    equal(lines, [['same', 'yes'], ['none', 'no']])
    rows = rows_of(watch('-q', '-n1', '-i', '0.1', '--csv', '--per', 'none', *bits))
    equal([(row['value'], row['unit']) for row in rows], [('1', '1=yes'), ('0', '1=yes')])


@test
def json_numbers_are_short():
    for text in out(watch('-q', '-n3', '-i', '0.02', '--json', '--per', 'none', 'page-faults')).splitlines():
        for number in re.findall(r'":(-?[0-9]+\.[0-9]+)', text):
            if len(repr(float(number))) < len(number):
                raise AssertionError(f'{number} is {float(number)!r}')


@test
def ordinary_users_are_told_what_opens_registers():
    """perf's own setting does not open thermal registers."""
    if os.geteuid() or platform.machine() != 'x86_64':
        raise t.Skip('needs root, to become nobody, and model-specific registers')
    with open('/proc/sys/kernel/perf_event_paranoid', encoding='ascii') as level:
        if int(level.read()) < 1:
            raise t.Skip('ordinary users may count whole CPUs here')
    if os.path.exists('/sys/devices/ntime'):
        raise t.Skip("ntime's driver is loaded")
    try:
        text = err(watch('-n1', '-i', '10ms', 'thermal/hot/', 'context-switches', user=65534, status=125))
    except PermissionError as error:
        raise t.Skip(f'an ordinary user may not look into the build folder ({error})') from error
    has(text, 'perf_event_paranoid')
    has(text, 'ntime driver load' if os.path.exists('/proc/modules') else 'a kernel that can load modules')


@test
def nothing_to_count_is_a_failure():
    for args in (('cycles',), ('--json', 'cycles'), ('-q', 'IPC')):
        done = watch('-n1', *args, status=125, machine=GUEST)
        has(err(done), 'no core PMU')
        has(err(done), 'none of the requested events can be counted here')
        equal(out(done), '')


@test
def overview_tells_names_only():
    done = watch('-n1', '-i', '10ms', machine=GUEST)
    has(err(done), ', IPC, ')
    has(err(done), "\nntime: 'ntime watch -v' prints why\n")
    has_not(err(done), 'hypervisor')
    has(out(done), 'page-faults')
    equal(bool(re.search(r'\bIPC\b[^:]*: the hypervisor \(KVM\) exposes no core PMU', err(watch('-v', '-n1', '-i', '10ms', machine=GUEST)))), True)


@test
def unknown_names_get_the_nearest():
    done = watch('page-fautls', status=125)
    has(err(done), 'page-faults')
    equal(out(done), '')


@test
def unknown_groups_get_the_nearest():
    has(err(watch('trottling', status=125)), 'the nearest metric group is throttling')


@test
def wrong_names_are_answered_once():
    text = err(watch('trottling', status=125))
    equal(text.count('throttling'), 1, text)


@test
def misuse_is_one_sentence_and_a_hint():
    for args, part in ((('-i', 'x'), 'is not a time'), (('-i', '0.5ms'), 'at least 1ms'), (('-n', '0'), 'is not a number of samples'),
                       (('--per', 'cpu'), 'socket, core, thread, none, cgroup, unit or process'), (('--via', 'usb'), 'auto|perf|ntimefs|msr|pci'),
                       (('--csv', '--json'), 'cannot be combined'), (('--plain', '--csv'), 'cannot be combined'),
                       (('--append',), '-o FILE'), (('--append', '-o', '-'), '-o FILE'), (('-q', '-v'), 'cannot be combined'), (('',), 'is missing'),
                       (('--clear-log', '--machine', 'x'), '--machine'), (('--bogus',), '--bogus')):
        done = watch(*args, status=125)
        lines = err(done).splitlines()
        equal(len(lines), 2, f'lines of {args}: {lines}')
        has(lines[0], part)
        equal(lines[1], "Try 'ntime help watch'.")
        equal(out(done), '')


@test
def files_that_are_missing():
    has(err(watch('--metrics', '/no/such/file', status=125)), '/no/such/file')
    has(err(watch('--metrics', '/no/such/file', status=125)), '/no/such/file')
    has(err(watch('-C', '99999', 'page-faults', status=125)), '99999')
    has(err(watch('-n1', '-o', '/no/such/folder/x', 'page-faults', status=125)), '/no/such/folder/x')


@test
def failing_reads_end_it():
    with tempfile.NamedTemporaryFile() as file:
        done = watch('-q', '-i', '10ms', '-o', file.name, '--csv', 'page-faults', machine=GUEST, bent='stale=5', status=125)
        has(err(done), 'CPU 3 went off line')
        equal(len(file.read().splitlines()), 3, 'lines before the failure')
    has(err(watch('-i', '10ms', 'page-faults', machine=GUEST, bent='stale=1', status=125)), 'CPU 3 went off line')


REMEDY = 'ntime: as soon as these registers can be reached: ntime doctor --repair\n'


@test
def registers_that_stay_programmed_are_told():
    stay = 'uncore of package 0 was not restored: 3 registers stay on record'

    def of(m, bent='', is_own=True):
        return {'machine': GUEST, 'env': environment(bent, NTIME_BENT_ROOT=m.name), **({'preexec_fn': lambda: m.leave(os.getpid())} if is_own else {})}

    with three() as m:
        for bent, sentence in (('', stay), ('unplugged', stay + ': CPU 2 is gone')):
            done = fast('page-faults', **of(m, bent), status=125)
            equal(err(done), f'ntime: {sentence}\n{REMEDY}')
            equal(len(out(done).splitlines()), 4, 'what was counted is shown all the same')
        # behind why counting ended
        done = watch('-q', '-i', '10ms', 'page-faults', **of(m, 'stale=3'), status=125)
        equal([line.split()[1] for line in err(done).splitlines()], ['CPU', 'uncore', 'as'])
        # What was put back meanwhile is no matter, and what others left is theirs to tell.
        equal(err(fast('page-faults', **of(m, 'restored'))), '')
        m.leave()
        equal(err(fast('page-faults', **of(m, is_own=False))), '')
        m.put('run/ntime/uncore-0', b'buy milk\n')
        equal(err(fast('page-faults', **of(m, is_own=False))), '')
        os.chmod(os.path.join(m.name, 'run/ntime'), 0o777)
        equal(err(fast('page-faults', **of(m, is_own=False))), '')
    with three() as m:
        for cpu in range(3):
            os.remove(os.path.join(m.name, f'dev/cpu/{cpu}/msr'))
        lines = err(fast('page-faults', **of(m), status=125)).splitlines(keepends=True)
        has(lines[0], 'ntime: uncore of package 0 was not restored: 3 registers of uncore-0 could not be switched off and stay on record: no MSR device')
        equal(lines[1:], [REMEDY])


@test
def registers_that_stay_programmed_do_not_change_the_signal():
    with three() as m:
        p = subprocess.Popen([SIM, 'watch', '--machine', GUEST, '-q', '-i', '10ms', 'page-faults'], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             env=environment(NTIME_BENT_ROOT=m.name), preexec_fn=lambda: m.leave(os.getpid()))
        p.stdout.readline()
        p.terminate()
        _, errors = p.communicate(timeout=PATIENCE)
    equal(p.returncode, -signal.SIGTERM)
    has(errors.decode(), 'was not restored')


@test
def without_topology():
    flat = {'machine': GUEST, 'bent': 'flat'}
    done = watch('-q', '-n1', '-i', '10ms', '--csv', 'page-faults', **flat)
    equal(rows_of(done)[0]['where'], 'all CPUs')
    has(err(watch('--per', 'socket', 'page-faults', **flat, status=125)), 'hwloc cannot read this machine')
    rows = rows_of(watch('-q', '-n1', '-i', '10ms', '--csv', '--per', 'thread', 'page-faults', **flat))
    equal([row['where'] for row in rows], ['CPU 0', 'CPU 1'])


def on_machine(name, *args, samples=1):
    return rows_of(fast('--csv', *args, samples=samples, machine=recording(name)))


@test
def overview_of_a_recorded_server():
    rows = on_machine('intel-skx-2s.json')
    equal(sorted({row['where'] for row in rows}), ['socket 0', 'socket 1'])
    names = [row['name'] for row in rows if row['where'] == 'socket 1']
    for name in ('IPC', 'busy-frequency', 'memory-read-bandwidth', 'package-power', 'thermal-headroom', 'core-prochot', 'page-faults'):
        has(names, name)
    for row in rows:
        has(row['flags'], 'simulated')
        if row['value'] == '':
            raise AssertionError(f'nothing was counted: {row}')


@test
def groups_of_a_recorded_server():
    rows = on_machine('intel-skx-2s.json', 'memory')
    equal({row['where'] for row in rows}, {'socket 0', 'socket 1'})
    value = {(row['where'], row['name']): float(row['value']) for row in rows}
    for socket in ('socket 0', 'socket 1'):
        both = value[socket, 'memory-read-bandwidth'] + value[socket, 'memory-write-bandwidth']
        equal(abs(value[socket, 'memory-bandwidth'] - both) < 1e-5 * both, True, 'reads and writes together')
    rows = on_machine('intel-skx-2s.json', 'throttling')
    kinds = [row['where'].split()[0] for row in rows]
    equal(set(kinds), {'socket', 'core'}, 'throttling is of sockets and cores')
    for row in rows:
        for what, where in (('package-', 'socket'), ('core-', 'core')):
            if row['name'].startswith(what):
                equal(row['where'].startswith(where), True, f'{row}')
    alone = on_machine('intel-skx-2s.json', '--per', 'none', 'power')
    equal({row['where'] for row in alone}, {'all CPUs'})


# ---- what the kernel tells everybody ----

def of_kernel():
    """What /proc shows now, by the names of ntime's events."""
    def lines(path):
        with open(path, encoding='ascii') as f:
            return [line.split() for line in f]
    stat = {words[0]: [int(word) for word in words[1:]] for words in lines('/proc/stat')}
    faults = {words[0]: int(words[1]) for words in lines('/proc/vmstat')}
    told = {'proc/context-switches/': stat['ctxt'][0], 'proc/page-faults/': faults['pgfault'], 'proc/major-faults/': faults['pgmajfault']}
    for i, word in enumerate(('user', 'nice', 'system', 'idle', 'iowait', 'irq', 'softirq', 'steal')):
        # The line of all CPUs is rounded once, theirs each. Two of these may go backwards (proc(5), iowait).
        if word not in ('idle', 'iowait'):
            told[f'proc/{word}/'] = sum(values[i] for name, values in stat.items() if re.fullmatch('cpu[0-9]+', name)) * 10**7
    for what in 'cpu', 'memory', 'io':
        if os.path.exists(f'/proc/pressure/{what}'):
            some = lines(f'/proc/pressure/{what}')[0]
            told[f'proc/pressure-{what}/'] = int(some[-1].split('=')[1]) * 1000
    return told


def as_anybody(*args, **more):
    """As an ordinary user, where this is root and others may look into the build folder."""
    command = [NTIME, 'watch', '-q', *args]
    more = {'env': environment(), 'stdin': subprocess.DEVNULL, 'stdout': subprocess.PIPE, 'stderr': subprocess.PIPE, **more}
    try:
        child = subprocess.Popen(command, user=65534 if os.geteuid() == 0 else None, **more)
    except PermissionError:
        child = subprocess.Popen(command, **more)
    t.GROUPS.append(child.pid)
    return child


def clock_of(row):
    when = datetime.datetime.strptime(row['time'], '%Y-%m-%dT%H:%M:%S.%fZ').replace(tzinfo=datetime.timezone.utc)
    return when.timestamp()


@test
def what_proc_shows_is_what_is_counted():
    """
    Between two looks of this test's own as much happened as samples say that begin before the first and end behind the second, or less; and
    as those say, or more, that begin behind the first and end before the second.
    """
    names = list(of_kernel())
    child = as_anybody('--csv', '-i', '50ms', '--per', 'none', ','.join(names))
    reader, samples, looks = csv.DictReader(io.TextIOWrapper(child.stdout)), {}, []
    for row in reader:
        sample = samples.setdefault(int(row['sample']), {'end': clock_of(row)})
        sample[row['name']] = float(row['value'])
        complete = [s for s in samples.values() if len(s) == len(names) + 1]
        if len(complete) >= 3 and not looks or len(complete) >= 15 and len(looks) == 1:
            before = time.time()
            looks.append((before, of_kernel(), time.time()))
        # Two more, as the clock tells milliseconds.
        if len(looks) == 2 and len([s for s in complete if s['end'] > looks[1][2]]) >= 2:
            break
    child.send_signal(signal.SIGINT)
    child.stdout.read()
    child.communicate(timeout=PATIENCE)
    (first, old, _), (_, new, last) = looks
    order = [samples[number] for number in sorted(samples) if len(samples[number]) == len(names) + 1]
    begin = max(i for i, sample in enumerate(order) if sample['end'] < first)
    end = min(i for i, sample in enumerate(order) if sample['end'] > last)
    for name in names:
        happened = new[name] - old[name]
        # From the end of a sample before the look to the end of one behind it.
        most = sum(sample[name] for sample in order[begin:end + 2])
        least = sum(sample[name] for sample in order[begin + 3:end - 1])
        if not least <= happened <= most:
            raise AssertionError(f'{name}: {happened} happened, samples say {least} to {most}')


@test
def overview_of_anybody_has_what_the_kernel_tells():
    child = as_anybody('--json', '-n', '1', '-i', '50ms')
    text, _ = child.communicate(timeout=PATIENCE)
    head = json.loads(text.splitlines()[0])
    names = [item['name'] for item in head['items']]
    missing = [item['name'] for item in head['absent']]
    for name in ('CPU-use', 'user-share', 'system-share', 'iowait-share', 'steal-share'):
        has(names, name)
    for name, path in (('CPU-pressure', '/proc/pressure/cpu'), ('memory-pressure', '/proc/pressure/memory'),
                       ('IO-pressure', '/proc/pressure/io')):
        has(names if os.path.exists(path) else missing, name)
    # of a counter or of the kernel, once
    for word in 'context-switches', 'page-faults':
        equal(len([name for name in names if name in (word, f'proc/{word}/')]), 1, f'{word} in {names}')


@test
def groups_are_told_of_their_quota():
    """A real group, 20 ms each 100 ms, in which a program spins; of what ntime itself is in only what there is is shown."""
    has_v1 = os.path.exists('/sys/fs/cgroup/cpu')
    folders = [f'/sys/fs/cgroup/{name}ntime-{os.getpid()}' for name in (('cpu/', 'cpuacct/') if has_v1 else ('',))]
    child = None
    try:
        for folder in folders:
            os.mkdir(folder)
        with open(folders[0] + ('/cpu.cfs_quota_us' if has_v1 else '/cpu.max'), 'w', encoding='ascii') as f:
            f.write('20000' if has_v1 else '20000 100000')
        def enter():
            for folder in folders:
                with open(f'{folder}/cgroup.procs', 'w', encoding='ascii') as f:
                    f.write('0')
        child = subprocess.Popen(['sh', '-c', 'while :; do :; done'], preexec_fn=enter)  # pylint: disable=subprocess-popen-preexec-fn
        done = watch('-n', '2', '-i', '500ms', '--csv', preexec_fn=enter)
    except OSError as why:
        raise t.Skip(f'no group with a quota can be made: {why}') from why
    finally:
        if child:
            child.kill()
            child.wait()
        for folder in folders:
            if os.path.isdir(folder):
                wait_until(lambda of=folder: not open(f'{of}/cgroup.procs', encoding='ascii').read())  # pylint: disable=consider-using-with
                os.rmdir(folder)
    of = {row['name']: float(row['value']) for row in rows_of(done) if row['sample'] == '2' and row['value']}
    equal(of['proc/cgroup-quota/'], 0.2)
    equal(0.05 < of['cgroup-CPUs'] < 0.5 and of['proc/cgroup-throttled/'] > 0, True, str(of))
    has(err(done), 'limits the control group of this process to the time of 0.2 CPUs')


# ---- time ----

def must_not_drift(rows, interval_ns):
    """The k-th is taken at k intervals or later, before the next one is due, whatever happened to those before."""
    last_number = last_ns = 0
    for row in rows:
        number, at_ns, period_ns = (int(row[key].replace('.', '')) for key in ('sample', 'time_s', 'period_s'))
        if not (number > last_number and number * interval_ns <= at_ns < (number + 1) * interval_ns):
            raise AssertionError(f'sample {number} was taken at {at_ns} ns')
        equal(at_ns - last_ns, period_ns, 'period')
        last_number, last_ns = number, at_ns


@test
def samples_do_not_drift():
    must_not_drift(rows_of(fast('--csv', '--per', 'none', 'page-faults', samples=50)), 10**7)


@test
def samples_of_a_recording_do_not_drift():
    # Whatever the recording's own clock does: it goes on by 10 ms when it is looked at.
    must_not_drift(on_machine('intel-skx-2s.json', '-i', '25ms', '--per', 'none', 'page-faults', samples=5), 25 * 10**6)


@test
def missed_samples_are_left_out_and_told():
    done = watch('-i', '10ms', '-n', '3', '--csv', '--per', 'none', 'page-faults', machine=GUEST, bent='slow=35')
    rows = rows_of(done)
    numbers = [int(row['sample']) for row in rows]
    for row, number in zip(rows, numbers):
        at_ns = int(row['time_s'].replace('.', ''))
        equal(number * 10**7 <= at_ns < (number + 1) * 10**7, True, f'sample {number} at {at_ns} ns')
    equal(len(numbers), 3)
    # A read takes 35 ms: three intervals at least.
    equal(all(b - a >= 3 for a, b in zip(numbers, numbers[1:])), True, f'{numbers}')
    has(err(done), f'{numbers[-1] - 3} of {numbers[-1]} samples were left out')
    done = watch('-q', '-i', '10ms', '-n', '3', '--json', 'page-faults', machine=GUEST, bent='slow=35')
    samples = objects(done)[1:]
    equal([s['missed'] for s in samples[1:]], [b['sample'] - a['sample'] - 1 for a, b in zip(samples, samples[1:])])
    equal(err(done), '')


@test
def counters_that_wrap_are_read_in_between():
    """Time goes on by 10 ms with each look at the recording's clock, so counts tell how many reads there were in a period."""
    at = ('--machine', server())
    rows = rows_of(fast('--csv', '--per', 'none', *at, 'page-faults', bent='horizon=100000', samples=2))
    counts = {int(row['count']) for row in rows}
    once, = counts
    # Not in each period: a machine may stand still for longer than one.
    rows = until_row(lambda row: int(row['count']) >= 2 * once, '-i', '100ms', *at, 'page-faults', bent='horizon=20000')
    equal([row for row in rows if int(row['count']) < once], [], 'samples without a read')
    has(err(watch('-n1', '-i', '10ms', *at, 'page-faults', bent='horizon=50')), 'may wrap within 50 us')


@test
def late_reads_are_told_where_counters_wrap():
    has(err(fast('page-faults', machine=GUEST, bent='slow=60 horizon=50000')), 'in which the fastest may have wrapped')
    # Turns are taken each 100 ms, which has nothing to do with wrapping.
    has_not(err(fast(MANY, machine=server(), bent='slow=250')), 'wrapped')


@test
def short_intervals_are_told_to_be_dear():
    for dear in '5ms', '0.005':
        has(err(watch('-n1', '-i', dear, 'page-faults')), 'below 10 ms')
    for enough in '10ms', '0.01':
        has_not(err(watch('-n1', '-i', enough, 'page-faults')), 'below')


@test
def bare_numbers_are_seconds():
    """As in watch(1), vmstat(8) and turbostat(8)."""
    for text, seconds in (('0.02', 0.02), ('1', 1), ('20ms', 0.02)):
        head = objects(watch('-q', '-n1', '-i', text, '--json', '--per', 'none', 'page-faults'))[0]
        equal(head['interval_s'], seconds, text)
    has(err(watch('-i', '0.0005', 'page-faults', status=125)), 'at least 1ms')


# ---- machine forms ----

@test
def json_tells_all():
    names = ('page-faults', 'package-power', 'thermal-headroom')
    head, *samples = objects(watch('-n2', '-i', '10ms', '--json', *names, 'stalled-cycles-frontend', machine=server(2)))
    version = out(ntime('--version')).split()[1]
    equal((head['kind'], head['schema'], head['ntime'], head['per'], head['interval_s']), ('watch', 2, version, 'core', 0.01))
    absent, = head['absent']
    equal(absent['name'], 'stalled-cycles-frontend')
    has(absent['reason'], "the kernel's driver for cpu has no event of that generic name")
    has(absent['remedy'], 'another event')
    equal([item['name'] for item in head['items']], list(names))
    equal(head['items'][0], {'name': 'page-faults', 'unit': '', 'unit_name': 'software', 'method': 'replay', 'scope': 'thread',
                             'metric': False, 'state': False})
    equal([s['kind'] for s in samples], ['sample'] * 2)
    equal(head['host'], os.uname().nodename)
    equal([bool(re.fullmatch(r'[0-9-]{10}T[0-9:]{8}\.[0-9]{3}Z', s['time'])) for s in samples], [True] * 2)
    rows = samples[0]['rows']
    equal([row['where'] for row in rows], ['socket 0', 'core 0', 'core 1', 'socket 1', 'core 2', 'core 3'])
    equal((rows[2]['socket'], rows[2]['core'], 'cpu' in rows[2]), (0, 1, False))
    faults = rows[1]['items'][0]
    equal((faults['name'], faults['value'] > 0, faults['count'], faults['flags'], faults['method']),
          ('page-faults', True, faults['value'], ['simulated'], 'replay'))
    rate = faults['value'] / samples[0]['period_s']
    equal(abs(faults['per_second'] - rate) < 1e-6 * rate, True, 'rate')
    power = rows[0]['items'][0]
    equal((power['name'], power['flags'], 'count' in power, 'per_second' in power), ('package-power', ['simulated', 'metric'], False, False))
    has_not(err(watch('-n1', '-i', '10ms', '--json', 'cycles', 'page-faults', machine=GUEST)), 'not here')


@test
def json_without_a_number():
    sample = objects(fast('--json', '--per', 'none', 'cycles', machine=server(), bent='idle', samples=1))[1]
    equal(sample['rows'][0]['items'][0], {'name': 'cycles', 'unit': '', 'flags': ['not-counted', 'simulated'], 'method': 'replay'})


@test
def names_with_commas_are_quoted():
    done = fast('--csv', '--per', 'none', 'cpu/event=0x3c,umask=0x0/', '-m', 'a["x,y]=tsc/page-faults', machine=server(), samples=1)
    has(out(done), ',"cpu/event=0x3c,umask=0x0/",')
    equal((rows_of(done)[1]['name'], rows_of(done)[0]['unit']), ('cpu/event=0x3c,umask=0x0/', '"x,y'))


@test
def emulated_machines_are_marked():
    env = environment(NTIME_LAB_GUEST='x86-2s')
    equal(rows_of(fast('--csv', '--per', 'none', 'page-faults', env=env, samples=1))[0]['flags'], 'emulated')
    equal(objects(fast('--json', 'page-faults', env=env, samples=1))[0]['emulated'], 'x86-2s')
    has(err(watch('-n1', '-i', '10ms', 'page-faults', env=env)), 'emulated machine: x86-2s')


@test
def files_have_lines_as_they_come():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'out')
        with open(path, 'w', encoding='ascii') as f:
            f.write('old text\n')
        child = subprocess.Popen([NTIME, 'watch', '-q', '--csv', '-i', '100ms', '--per', 'none', '-o', path, 'page-faults'],
                                 env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        t.GROUPS.append(child.pid)
        deadline = time.monotonic() + PATIENCE
        lines = []
        while len(lines) < 3 and time.monotonic() < deadline:
            with open(path, encoding='ascii') as f:
                lines = f.read().splitlines()
            time.sleep(0.02)
        equal(lines[0].startswith('sample,'), True)
        child.send_signal(signal.SIGINT)
        text, error = child.communicate(timeout=PATIENCE)
        equal((child.returncode, text, error), (0, b'', b''))
        with open(path, encoding='ascii') as f:
            text = f.read()
        equal(text.endswith('\n'), True)
        equal({line.count(',') for line in text.splitlines()}, {14}, 'columns')


def started(*args, **more):
    """CSV of all CPUs, as it comes."""
    child = subprocess.Popen([NTIME, 'watch', '-q', '--csv', '--per', 'none', *args], env=environment(), stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)
    t.GROUPS.append(child.pid)
    return child


def lines_in(path):
    """None where there is no such file yet."""
    try:
        with open(path, encoding='ascii') as f:
            return f.read().splitlines()
    except FileNotFoundError:
        return []


def wait_until(is_met):
    deadline = time.monotonic() + PATIENCE
    while not is_met() and time.monotonic() < deadline:
        time.sleep(0.02)


def to_file(path, *args, status=0):
    return fast('--per', 'none', 'page-faults', '-o', path, *args, samples=1, status=status)


@test
def files_are_appended_to():
    def text_of(path):
        with open(path, encoding='ascii') as f:
            return f.read()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'out.csv')
        for lines in (2, 3):
            to_file(path, '--csv', '--append')
            equal([line.split(',')[0] == 'sample' for line in text_of(path).splitlines()], [True] + [False] * (lines - 1))
        # its last line has no end
        with open(path, 'r+', encoding='ascii') as f:
            f.truncate(os.path.getsize(path) - 1)
        to_file(path, '--csv', '--append')
        equal({line.count(',') for line in text_of(path).splitlines()}, {14}, 'columns')
        equal(len(text_of(path).splitlines()), 4)
        to_file(path, '--csv')
        equal(len(text_of(path).splitlines()), 2, 'without --append it is emptied')
        other = os.path.join(folder, 'other')
        with open(other, 'w', encoding='ascii') as f:
            f.write('a letter\n')
        has(err(to_file(other, '--csv', '--append', status=125)), 'other columns')
        equal(text_of(other), 'a letter\n')
        for form, lines in (('--json', 2), ('--plain', 3)):
            to_file(other, form, '--append')
            to_file(other, form, '--append')
            equal(len(text_of(other).splitlines()), 1 + 2 * lines, 'lines each time')
            with open(other, 'w', encoding='ascii') as f:
                f.write('a letter\n')
        # a last line without an end is ended
        with open(other, 'w', encoding='ascii') as f:
            f.write('half')
        to_file(other, '--json', '--append')
        equal([line[0] for line in text_of(other).splitlines()], ['h', '{', '{'])


def numbers_by(writer, lines):
    return [line.split(',')[0] for line in lines if f',{writer},' in line]


@test
def several_append_to_one_file():
    """Whoever makes it: each line is whole, and there is one line of names. Then all of them make another one."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'out')
        events = ('page-faults', 'context-switches', 'task-clock', 'cpu-migrations')
        children = [started('-i', '100ms', '--append', '-o', path, event) for event in events]

        def wait_for_all(name):
            wait_until(lambda: all(numbers_by(event, lines_in(name)) for event in events))

        wait_for_all(path)
        os.rename(path, path + '.1')
        for child in children:
            child.send_signal(signal.SIGHUP)
        wait_for_all(path)
        for child in children:
            child.send_signal(signal.SIGINT)
        equal([(child.communicate(timeout=PATIENCE)[1], child.returncode) for child in children], [(b'', 0)] * len(children))
        lines = []
        for name in path + '.1', path:
            part = lines_in(name)
            equal([line.startswith('sample,') for line in part], [True] + [False] * (len(part) - 1))
            equal({line.count(',') for line in part}, {14}, 'columns')
            lines += part
        for event in events:
            numbers = [int(number) for number in numbers_by(event, lines)]
            equal(numbers, sorted(set(numbers)), f'samples of {event}')


@test
def what_a_hangup_cannot_open_is_told():
    with tempfile.TemporaryDirectory() as folder:
        path, pipe = os.path.join(folder, 'out'), os.path.join(folder, 'pipe')
        os.mkfifo(pipe)
        child = started('-i', '50ms', '-o', path, 'page-faults', encoding='utf-8')

        def wait_for_line(name):
            before = len(lines_in(name))
            wait_until(lambda: len(lines_in(name)) > before)

        wait_for_line(path)
        os.rename(path, path + '.1')
        with open(path, 'w', encoding='ascii') as f:
            f.write('a letter\n')
        child.send_signal(signal.SIGHUP)
        has(child.stderr.readline(), 'begins with other columns')
        has(child.stderr.readline(), 'lines go on into the old file')
        wait_for_line(path + '.1')
        with open(path, encoding='ascii') as f:
            equal(f.read(), 'a letter\n')
        os.replace(pipe, path)
        child.send_signal(signal.SIGHUP)
        has(child.stderr.readline(), 'no regular file')
        wait_for_line(path + '.1')
        child.send_signal(signal.SIGINT)
        equal((child.communicate(timeout=PATIENCE)[1], child.returncode), ('', 0))


@test
def files_that_were_moved_are_made_anew():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'out')
        child = started('-i', '100ms', '-o', path, 'page-faults')

        def lines_of(path, at_least):
            wait_until(lambda: len(lines_in(path)) >= at_least)
            return lines_in(path)

        lines_of(path, 3)
        os.rename(path, path + '.1')
        child.send_signal(signal.SIGHUP)
        first = lines_of(path, 3)
        # The file that is still there goes on, without a second head.
        child.send_signal(signal.SIGHUP)
        second = lines_of(path, len(first) + 3)
        child.send_signal(signal.SIGINT)
        equal((child.communicate(timeout=PATIENCE), child.returncode), ((b'', b''), 0))
        old = lines_of(path + '.1', 3)
        equal([line.startswith('sample,') for line in second], [True] + [False] * (len(second) - 1))
        numbers = [int(line.split(',')[0]) for line in old[1:] + second[1:]]
        equal(numbers, sorted(set(numbers)), 'each sample once')


@test
def hangups_end_what_has_no_file():
    with tempfile.TemporaryDirectory() as folder:
        pipe = os.path.join(folder, 'pipe')
        os.mkfifo(pipe)
        child = started('-i', '100ms', '-o', pipe, 'page-faults')
        with open(pipe, encoding='ascii') as f:
            f.readline()
            f.readline()
            child.send_signal(signal.SIGHUP)
            child.communicate(timeout=PATIENCE)
        equal(child.returncode, -signal.SIGHUP)


@test
def pipes_that_are_closed_end_it_quietly():
    for form in ('--csv', '--plain', '--json'):
        done = subprocess.run(['bash', '-c', f'"{NTIME}" watch -q {form} -i 10ms page-faults | head -n 3; echo ${{PIPESTATUS[0]}}'],
                              env=environment(), stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE, check=False)
        equal(done.stderr, b'')
        lines = done.stdout.decode().splitlines()
        equal((len(lines), lines[-1]), (4, '0'))


@test
def full_devices_are_a_failure():
    for args in (('--csv',), ('--plain',), ('--json',)):
        with open('/dev/full', 'wb') as full:
            done = watch('-q', '-i', '100ms', *args, 'page-faults', status=125, stdout=full)
        has(err(done), 'No space left')
        done = watch('-q', '-i', '100ms', *args, '-o', '/dev/full', 'page-faults', status=125)
        has(err(done), '/dev/full')


# ---- signals ----

def first_line_of(*args, **more):
    child = subprocess.Popen([NTIME, 'watch', '-q', *args], env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, start_new_session=True, **more)
    t.GROUPS.append(child.pid)
    child.stdout.readline()
    child.stdout.readline()
    return child


@test
def ctrl_c_is_a_good_end():
    child = first_line_of('-i', '100ms', '--csv', 'page-faults')
    child.send_signal(signal.SIGINT)
    text, error = child.communicate(timeout=PATIENCE)
    equal((child.returncode, error), (0, b''))
    if text and not text.endswith(b'\n'):
        raise AssertionError(f'half a line: {text[-80:]}')


@test
def other_signals_kill_after_order_is_made():
    for sig in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        child = first_line_of('-i', '100ms', '--csv', 'page-faults')
        child.send_signal(sig)
        text, _ = child.communicate(timeout=PATIENCE)
        equal(child.returncode, -sig)
        equal(text == b'' or text.endswith(b'\n'), True)


@test
def signals_end_long_waits():
    child = subprocess.Popen([NTIME, 'watch', '-i', '1000s', '--json', 'page-faults'], env=environment(), stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    t.GROUPS.append(child.pid)
    head = child.stdout.readline()
    has(head.decode(), '"kind":"watch"')
    child.send_signal(signal.SIGINT)
    child.communicate(timeout=PATIENCE)
    equal(child.returncode, 0)


# ---- who uses the machine ----

@test
def processes_and_groups_have_their_use():
    work = subprocess.Popen(['sh', '-c', 'while :; do :; done'])
    try:
        # On a busy machine it may have had no time in one sample.
        rows = until_row(lambda row: row['who'] == f'{work.pid} sh' and float(row['cpu_percent']) > 10, '--per', 'process', '-i', '300ms')
        equal(rows[-1]['tasks'], '1')
        first = [float(row['cpu_percent']) for row in rows if row['sample'] == '1']
        equal(first, sorted(first, reverse=True))
        lines = objects(fast('--json', '--per', 'process', samples=1))
        has([line['who'] for line in lines], f'{work.pid} sh')
        has(out(fast('--per', 'process', samples=1)), 'CPU %')
    finally:
        work.kill()
        work.wait()
    if os.path.exists('/sys/fs/cgroup'):
        groups = rows_of(fast('--csv', '--per', 'cgroup'))
        has([row['who'] for row in groups], '/')
    for args in (('page-faults',), ('-C', '0'), ('-m', 'IPC')):
        has(err(watch('--per', 'unit', *args, status=125)), '--per cgroup, unit and process')


# ---- screens ----

HAS_SCREEN = 'built without ncursesw' not in out(ntime('watch', '--help')) if NTIME else True


def screen_test(function):
    """A test of the screen; built without ncursesw there is none."""
    def run():
        if not HAS_SCREEN:
            raise t.Skip('this ntime was built without ncursesw')
        function()
    run.__name__ = function.__name__
    return test(run)


class Terminal:
    """
    ntime watch on a terminal of its own, and what that shows.

    What is drawn at once may come in parts, so the screen is half old and half new in between: what must be on it, or not, is waited for and
    never looked at once. The last line is drawn last. It is read in small parts, so that a test which forgets this fails each time.
    """
    PART = 16

    def __init__(self, *args, rows=24, columns=80, machine=None, bent='', term='vt100', **more):
        # Other terminals have sequences of their own: what comes is kept as it is.
        self.screen = Screen(rows, columns) if term == 'vt100' else None
        env = environment(bent, **{'TERM': term, **more})
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack('HHHH', rows, columns, 0, 0))
        self.before = termios.tcgetattr(slave)
        self.slave, self.fd, self.raw = slave, master, ''
        self.decoder = codecs.getincrementaldecoder('utf-8')()

        def lead():
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)

        self.child = subprocess.Popen([*((SIM, 'watch', '--machine', machine) if machine else (NTIME, 'watch')), *args], env=env, stdin=slave, stdout=slave, stderr=slave, preexec_fn=lead)
        t.GROUPS.append(self.child.pid)

    def read(self):
        ready, _, _ = select.select([self.fd], [], [], 0.1)
        if ready:
            text = self.decoder.decode(os.read(self.fd, self.PART))
            self.raw += text
            if self.screen:
                self.screen.feed(text)

    def until(self, is_met, what):
        deadline = time.monotonic() + PATIENCE
        while not is_met(str(self.screen)):
            if time.monotonic() > deadline or (self.child.poll() is not None and not select.select([self.fd], [], [], 0)[0]):
                raise AssertionError(f'{what} is not on the screen:\n{self.screen}')
            self.read()
        return str(self.screen)

    def shows(self, *parts):
        return self.until(lambda text: all(part in text for part in parts), parts)

    def shows_not(self, part):
        return self.until(lambda text: part not in text, f'anything but {part}')

    def last_line_is(self, text):
        """Then the lines above are whole, too."""
        return self.until(lambda _: self.screen.lines()[-1] == text, text)

    def type(self, keys):
        os.write(self.fd, keys.encode())

    def resize(self, rows, columns):
        """When all that is of the old size has come."""
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack('HHHH', rows, columns, 0, 0))
        self.screen.resize(rows, columns)

    def end(self, status=0):
        while self.child.poll() is None:
            self.read()
        while select.select([self.fd], [], [], 0)[0]:
            self.read()
        equal(self.child.returncode, status, 'exit status')
        after = termios.tcgetattr(self.slave)
        equal(after[:4], self.before[:4], 'modes of the terminal')
        os.close(self.slave)
        os.close(self.fd)


@screen_test
def screen_shows_the_table():
    term = Terminal('-i', '50ms', 'page-faults', 'stalled-cycles-frontend', 'power/energy-pkg/', 'thermal/headroom/', '--per', 'socket', columns=180,
                    machine=server(2))
    text = term.shows('every 0.05 s  via replay', '2 sockets, 4 cores, 4 CPUs', 'socket 0', 'socket 1', 'page-faults /s',
                      'power/energy-pkg/ Joules/s', 'thermal/headroom/ C now', '53.00', "stalled-cycles-frontend: the kernel's driver for cpu", 'q quit',
                      's per socket', '1 not here')
    lines = text.split('\n')
    has(lines[0], 'every 0.05 s  via replay')
    has(lines[0], '2 sockets, 4 cores, 4 CPUs')
    has(lines[23], 'q quit')
    has(lines[23], 's per socket')
    has(lines[23], '1 not here')
    term.type('q')
    term.end()


@screen_test
def keys_change_the_view():
    term = Terminal('-i', '50ms', 'page-faults', 'power/energy-pkg/', '--per', 'socket', columns=180, machine=server(2))
    term.shows('socket 0', 'page-faults /s')
    term.type('d')
    # Two CPUs for 20 ms, at 2000 a second.
    term.until(lambda text: all(part in text for part in ('counts  ', '80', 'd rates')) and '/s' not in text,
               'counts without rates')
    for row, per in (('core 3', 'core'), ('CPU 3', 'thread'), ('all CPUs', 'none'), ('socket 1', 'socket')):
        term.type('s')
        term.shows(row, f's per {per}')
    term.type('p')
    term.shows('PAUSED')
    term.type('s')
    term.shows('PAUSED', 'core 3')
    term.type('pd')
    term.shows_not('PAUSED')
    term.shows('page-faults /s')
    term.type('q')
    term.end()


@screen_test
def pause_holds_the_picture():
    term = Terminal('-i', '10ms', 'page-faults', '--per', 'none', machine=GUEST)
    term.shows('page-faults /s')
    term.type('p')
    term.shows('PAUSED')

    def picture_after(keys):
        """When the last two keys have been drawn, all before them has."""
        for key, rest in ((keys + 'd', 'd rates'), ('d', 'd counts')):
            term.type(key)
            term.last_line_is(f'q quit  p pause  s per none  {rest}  arrows scroll')
        return str(term.screen)

    first = picture_after('')
    for _ in range(5):
        term.read()
    equal(picture_after('jk'), first, 'the screen while it is paused')
    term.type('q')
    term.end()


@screen_test
def small_windows():
    for rows, columns in ((24, 80), (10, 40), (5, 20), (3, 20), (2, 10), (1, 5)):
        term = Terminal('-i', '50ms', 'page-faults', 'context-switches', 'thermal/headroom/', rows=rows, columns=columns, machine=server(2))
        if rows >= 5:
            term.shows('core 0', 'page-')
        elif rows >= 2:
            # the host or the clock
            term.until(lambda text: text.strip(), 'a title')
        for line in term.screen.lines():
            if len(line) > columns:
                raise AssertionError(f'{line!r} is wider than {columns}')
        term.type('q')
        term.end()


@screen_test
def windows_scroll():
    term = Terminal('-i', '50ms', 'page-faults', 'context-switches', '--per', 'thread', rows=6, columns=40, machine=server(4, 2, 2))
    term.shows('CPU 0', '1-4/')
    has_not(str(term.screen), 'CPU 15')
    term.type('G')
    term.until(lambda text: 'CPU 15' in text and 'CPU 0\n' not in text, 'the end without the beginning')
    term.type('g')
    term.shows('1-4/')
    for _ in range(3):
        term.type('j')
    term.shows('4-7/')
    term.type('k')
    term.shows('3-6/')
    term.type('\x1bOB')
    term.shows('4-7/')
    term.type('\x1bOA')
    term.shows('3-6/')
    term.type(' ')
    term.shows('6-9/')
    term.type('q')
    term.end()


@screen_test
def windows_change_their_size():
    term = Terminal('-i', '1000s', '-q', 'page-faults', machine=server(2))
    long, short = 'q quit  p pause  s per socket  d counts  arrows scroll', 'q quit s socket p d'
    term.shows('Waiting for the first sample.')
    term.last_line_is(long)
    for rows, columns, footer in ((10, 40, short), (30, 100, long), (5, 20, short)):
        term.resize(rows, columns)
        term.last_line_is(footer)
    term.type('q')
    term.end()


@screen_test
def keys_are_heard_beside_signals():
    term = Terminal('-i', '1000s', '-q', 'page-faults', machine=server(2))
    term.shows('Waiting for the first sample.')
    for rest in ('d rates', 'd counts') * 20:
        # One that the screen does nothing about, and that ends its wait for keys.
        term.child.send_signal(signal.SIGUSR1)
        term.type('d')
        term.last_line_is(f'q quit  p pause  s per socket  {rest}  arrows scroll')
    term.type('q')
    term.end()


@screen_test
def terminals_are_restored():
    for sig, status in ((signal.SIGINT, 0), (signal.SIGTERM, -signal.SIGTERM), (signal.SIGHUP, -signal.SIGHUP), (signal.SIGQUIT, -signal.SIGQUIT)):
        term = Terminal('-i', '50ms', 'page-faults', machine=GUEST)
        term.shows('page-faults /s')
        equal(termios.tcgetattr(term.slave)[3] & termios.ICANON, 0, 'raw keys')
        term.child.send_signal(sig)
        term.end(status)
    term = Terminal('-i', '50ms', 'page-faults', machine=GUEST, bent='stale=6')
    term.end(125)
    has(term.raw.split('\x1b')[-1], 'CPU 3 went off line')
    term = Terminal('-i', '50ms', '-n', '3', 'page-faults', machine=GUEST)
    term.end(0)


@screen_test
def ctrl_c_on_a_screen():
    term = Terminal('-i', '50ms', 'page-faults', machine=GUEST)
    term.shows('page-faults /s')
    term.type('\x03')
    term.end(0)


@screen_test
def no_color_is_obeyed():
    for no_color, colours in (('', True), ('1', False)):
        term = Terminal('-i', '50ms', 'cycles', machine=server(), bent='lost', NO_COLOR=no_color, term='ansi')
        deadline = time.monotonic() + PATIENCE
        while '!' not in term.raw and time.monotonic() < deadline:
            term.read()
        term.type('q')
        term.end()
        equal(re.search(r'\x1b\[[0-9;]*33[;m]', term.raw) is not None, colours, f'yellow with NO_COLOR={no_color!r}')


@screen_test
def lines_on_a_terminal_that_cannot_be_drawn_on():
    for name in ('nonsense', 'dumb', ''):
        term = Terminal('-n1', '-i', '50ms', '-q', 'page-faults', machine=GUEST, term=name)
        term.end()
        has(term.raw, f"the terminal '{name}' cannot be drawn on")
        has(term.raw, 'per_second')


@test
def readme_shows_the_screen():
    """Its items and rows; what the kernel has no pressure for, or where perf is closed, has other ones."""
    if not HAS_SCREEN:
        raise t.Skip('this ntime was built without ncursesw')
    if not os.path.exists('/proc/pressure/cpu') or perf_here.why_not():
        raise t.Skip('the README is of a machine with pressure stall information and perf events')
    with open(os.path.join(ROOT, 'README.md'), encoding='utf-8') as file:
        shown = re.search(r'\$ ntime watch\n(.*?)\n```', file.read(), re.DOTALL)[1].split('\n')
    equal(max(map(len, shown)) <= 80, True, 'width of the block')

    def name_of(line):
        return re.sub(r' +[0-9.,kM]+[?*]?$', '', line)

    term = Terminal('-i', '100ms', '--per', 'socket', columns=180)
    text = term.shows('user-share %', 'page-faults', 'Not here', 'socket 0')
    lines = text.split('\n')
    for line in shown[1:]:
        if line and name_of(line) not in [name_of(real) for real in lines]:
            raise AssertionError(f'{name_of(line)!r} of README.md is not on the screen:\n{text}')
    for part in (r'[0-9]{2}:[0-9]{2}:[0-9]{2}', r'every [0-9.]+ s', r'via proc', r'[0-9]+ sockets?, [0-9]+ cores?, [0-9]+ CPUs', r'[0-9]+ s$'):
        for title in (shown[0], lines[0]):
            equal(bool(re.search(part, title)), True, f'{part} in {title!r}')
    term.type('q')
    term.end()


@test
def plain_lines_on_a_terminal():
    term = Terminal('--plain', '-q', '-n', '2', '-i', '50ms', '--per', 'none', 'page-faults')
    term.end()
    equal(term.raw.count('all CPUs'), 2)
    has_not(term.raw, '\x1b')


# ---- clearing logs ----

STATUS, PACKAGE = 0x19c, 0x1b1


class Registers(tempfile.TemporaryDirectory):
    """A root directory with the thermal status registers of two cores and of their package."""

    def __init__(self, *of_cores, package=0):
        super().__init__()
        self.put('sys/devices/system/cpu/online', b'0-1\n')
        self.put('proc/modules', b'')
        self.put('proc/cpuinfo', b'vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\nflags\t\t: fpu lm msr acpi tm pln pts dtherm\n')
        for cpu, value in enumerate(of_cores):
            self.put(f'sys/devices/system/cpu/cpu{cpu}/topology/physical_package_id', b'0\n')
            self.put(f'dev/cpu/{cpu}/msr', bytes(STATUS) + struct.pack('<Q', value) + bytes(PACKAGE - STATUS - 8) + struct.pack('<Q', package))

    def put(self, name, data):
        path = os.path.join(self.name, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'wb') as f:
            f.write(data)

    def values(self):
        """Of both cores, and of the package as CPU 0 has it."""
        values = []
        for cpu, address in ((0, STATUS), (1, STATUS), (0, PACKAGE)):
            with open(os.path.join(self.name, f'dev/cpu/{cpu}/msr'), 'rb') as f:
                f.seek(address)
                values += struct.unpack('<Q', f.read(8))
        return values

    def clear(self, *args, status=0):
        done = watch('-n1', '-i', '10ms', '--clear-log', *args, 'proc/user/', env=environment(NTIME_BENT_ROOT=self.name), status=status, exe=SIM)
        # On a busy machine a sample may be left out, which is told.
        return [line for line in err(done).splitlines() if 'left out' not in line]


@test
def logs_are_cleared():
    registers = Registers(0x8835000f, 0x88360000, package=0x88370008)
    with registers:
        equal(registers.clear(), ['ntime: cleared in IA32_THERM_STATUS of core0: hot_log, prochot_log',
                                  'ntime: cleared in IA32_PACKAGE_THERM_STATUS of uncore0: prochot_log'])
        equal(registers.values(), [0x88350005, 0x88360000, 0x88370000])
        equal(registers.clear(), ['ntime: no log bit was set, nothing was cleared'])
        equal(registers.clear('-q'), [])


@test
def logs_of_other_cpus_are_left_alone():
    registers = Registers(0xa, 0xa, package=0xa)
    with registers:
        equal(len(registers.clear('-C', '0')), 2)
        equal(registers.values(), [0, 0xa, 0])


@test
def logs_that_cannot_be_cleared():
    registers = Registers(0xa)
    with registers:
        has(registers.clear(status=125)[-1], 'ntime: cannot clear the log bits of IA32_THERM_STATUS of core1: there is no CPU 1')
    with tempfile.TemporaryDirectory() as nothing:
        equal(err(watch('-n1', '--clear-log', 'proc/user/', env=environment(NTIME_BENT_ROOT=nothing), status=125, exe=SIM)),
              'ntime: --clear-log: this machine has neither IA32_THERM_STATUS nor IA32_PACKAGE_THERM_STATUS, or its registers cannot be '
              "read (see 'ntime doctor')\n")


if __name__ == '__main__':
    sys.exit(t.main())
