#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What strangers named does not steer the terminal of who reads it: recordings, the driver's status, dumps, traces, files. Speaks TAP.

Usage: test_terminal.py NTIME [-k WORD]
"""
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../base/tests'))
import command as t    # noqa: E402
from command import ROOT, SIM, equal, err, has, ntime    # noqa: E402
MACHINE = os.path.join(ROOT, 'count/tests/machine/intel-skx-2s.json')
test = t.test
# A window's title, colours, a C1 control, DEL, a right-to-left override, a byte that is no UTF-8, and a line of its own.
EVIL = 'a\x1b]0;title\x07\x1b[2J\x9b31m\x7f\u202e\u2066z'
LINE = 'x\nforged: yes'


def check(text, what):
    """Nothing of @text, bytes, is more than a character; newlines are ntime's."""
    try:
        text = text.decode('utf-8')
    except UnicodeDecodeError as e:
        raise AssertionError(f'{what}: no UTF-8: {e}') from e
    for c in text:
        if (ord(c) < 32 and c not in '\n\t') or 0x7f <= ord(c) < 0xa0 or 0x202a <= ord(c) <= 0x202e or 0x2066 <= ord(c) <= 0x2069:
            raise AssertionError(f'{what}: {c!r} is printed, in {text[max(0, text.index(c) - 40):text.index(c) + 40]!r}')
    if any(line.startswith('forged: yes') for line in text.split('\n')):
        raise AssertionError(f'{what}: a line is forged in {text!r}')
    return text


def harmless(*args, part='', **more):
    """What both streams say, checked; @part is in it, so that the test looks at the right thing."""
    done = ntime(*args, **more)
    text = check(done.stdout, args) + check(done.stderr, args)
    has(text, part)
    return text


def put(folder, name, text):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'wb') as f:
        f.write(text)


def machine(folder):
    """A system whose PMU, its event and their unit have evil names. Below --root, as recordings refuse such names of files."""
    put(folder, 'sys/devices/system/cpu/online', b'0\n')
    put(folder, 'sys/devices/system/cpu/possible', b'0\n')
    put(folder, 'sys/devices/system/cpu/cpu0/topology/physical_package_id', b'0\n')
    put(folder, 'proc/sys/kernel/perf_event_paranoid', b'-1\n')
    for pmu in ('plain', EVIL, LINE):
        where = f'sys/bus/event_source/devices/{pmu}'
        put(folder, f'{where}/type', b'99\n')
        put(folder, f'{where}/cpumask', b'0\n')
        put(folder, f'{where}/format/event', b'config:0-7\n')
        for event in ('good', EVIL, LINE):
            put(folder, f'{where}/events/{event}', b'event=0x04\n')
            put(folder, f'{where}/events/{event}.scale', b'2\n')
            put(folder, f'{where}/events/{event}.unit', f'M{EVIL}'.encode())
    return folder


def recording(folder):
    """A server whose memory controller counts in an evil unit."""
    with open(MACHINE, encoding='utf-8') as f:
        recorded = json.load(f)
    for name in recorded['files']:
        if name.endswith('.unit'):
            recorded['files'][name] = f'M{EVIL}\n'
    path = os.path.join(folder, 'machine')
    with open(path, 'w', encoding='utf-8') as f:
        json.dump(recorded, f)
    return path


@test
def names_of_units_and_events():
    with tempfile.TemporaryDirectory() as folder:
        machine(folder)
        for args in (('list',), ('list', '-v'), ('list', '-vv'), ('doctor',), ('doctor', '-v'), ('list', 'a'), ('list', '--names')):
            harmless(*args, '--root', folder)
        harmless('list', '--root', folder, part='a?]0;title??[2J?31m???z')


@test
def units_of_a_recording():
    with tempfile.TemporaryDirectory() as folder:
        path = recording(folder)
        events = ntime('list', '--json', '--machine', path)
        event = next(e['name'] for e in json.loads(events.stdout)['events'] if 'cas_count' in e['name'])
        check(events.stdout, 'list --json')
        harmless('list', '-v', '--machine', path)
        harmless('watch', '-n', '1', '-i', '10', '--plain', '-e', event, '--machine', path, part='Ma?]0;', exe=SIM)


@test
def json_keeps_names_exact():
    with tempfile.TemporaryDirectory() as folder:
        done = ntime('list', '--json', '--root', machine(folder))
        text = check(done.stdout, 'list --json')
        names = [event['name'] for event in json.loads(text)['events']]
        for end in (EVIL, LINE):
            equal(any(end in name for name in names), True, repr(end))


@test
def arguments_come_back_clean():
    bad = b'\xff\xc3(\xed\xa0\x80'
    for args in (('-e', EVIL, 'true'), ('-o', f'/no/such/{EVIL}', 'true'), (EVIL,), ('list', '--machine', LINE), ('reg', 'get', EVIL),
                 ('trace', 'show', f'{EVIL}{LINE}'), ('-m', LINE, 'true'), ('help', EVIL), ('watch', '-e', LINE), (bad,),
                 ('--metrics', EVIL, 'true')):
        harmless(*args)


@test
def status_of_the_driver():
    octal = ''.join(f'\\{byte:03o}' for byte in (EVIL + LINE + ' \\').encode())
    with tempfile.TemporaryDirectory() as folder:
        put(folder, 'sys/module/ntime/version', b'0.1\x1b[31m\n')
        put(folder, 'proc/self/mountinfo', b'36 35 0:1 / /sys/devices/ntime rw - ntime none rw,gid=1\x1b[31m\n')
        # With the driver's escapes, and as one without them would have it.
        put(folder, 'sys/devices/ntime/status', f'open: 1\nwriter: core0/msr/0x10 pid 1 {octal}\nold: {EVIL}\n'.encode())
        text = harmless('driver', 'status', '--root', folder, part='pid 1 a?]0;title??[2J?31m???zx?forged: yes \\\n')
        equal(text.count('\n'), 5)
        report = json.loads(check(ntime('driver', 'status', '--json', '--root', folder).stdout, 'json'))
        equal(report['status']['writers'], [f'core0/msr/0x10 pid 1 {EVIL}{LINE} \\'])
        equal(sorted(report['status']), ['old', 'open', 'writers'])


@test
def dumps_of_registers():
    with tempfile.TemporaryDirectory() as folder:
        for name, value in (('a', '0x0000000000000001'), ('b', '0x0000000000000002')):
            put(folder, name, f'# ntime registers 1, ntime 0.1\ncore0/{EVIL} {EVIL} {EVIL} {value}\n'.encode())
        harmless('reg', 'diff', os.path.join(folder, 'a'), os.path.join(folder, 'b'), part='a?]0;title')
        harmless('reg', 'diff', os.path.join(folder, 'a'), os.path.join(folder, 'none' + EVIL))


@test
def names_of_a_register_database():
    trace = 'vfio_region_write  (0000:05:00.0:region0+0x1000, 0x5, 4)\n' * 2 + f'odd {EVIL}\n'
    name = ''.join(c for c in EVIL if ord(c) >= 32)  # XML has no C0
    xml = ('<?xml version="1.0" encoding="UTF-8"?><database><domain name="D">'
           f'<reg32 offset="0x1000" name="R{name}"><bitfield name="F{name}" low="0" high="3"><value value="5" name="V{name}"/></bitfield>'
           f'<brief>{name}</brief></reg32></domain></database>')
    with tempfile.TemporaryDirectory() as folder:
        put(folder, 'log', trace.encode())
        put(folder, 'db.xml', xml.encode())
        log, db = os.path.join(folder, 'log'), os.path.join(folder, 'db.xml')
        for args in (('show',), ('stat',), ('state',), ('show', '--raw'), ('state', '-v'), ('show', '-v')):
            harmless('trace', *args, '--regs', db, log)
        harmless('trace', 'show', '--regs', db, log, part='Fa]0;title[2J')
        harmless('trace', 'lookup', '--regs', db, '0x1000', part='Ra]0;title[2J')
        harmless('trace', 'diff', '--regs', db, log, log)
        put(folder, 'marks', f'VERSION 20070824\nMARK 0.100000 {EVIL}\nW 4 0.2 1 0xc0001000 0x5 0x0 0\n'.encode())
        harmless('trace', 'show', os.path.join(folder, 'marks'), part='z')
        harmless('trace', 'convert', '--to', 'json', os.path.join(folder, 'marks'), part='\\u202e\\u2066z')


@test
def csv_is_clean_on_a_terminal_and_exact_elsewhere():
    bracket = '[31mX'
    # Escape sequences with ESC are colours of the log's line: trace/tests/cli/test_trace_vfio.py.
    name = f'q\x9b{bracket}\u202e,"z'
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, 'log')
        put(folder, 'log', f'vfio_region_write  ({name}:region0+0x1000, 0x5, 4)\n'.encode())
        put(folder, 'other', f'vfio_region_write  ({name}:region0+0x1004, 0x5, 4)\n'.encode())
        machine(folder)
        for args in (('trace', 'show', '--csv', log), ('trace', 'stat', '--csv', log), ('trace', 'state', '--csv', log),
                     ('trace', 'diff', '--csv', log, os.path.join(folder, 'other'))):
            has(ntime(*args).stdout.decode(), name.replace('"', '""'))
            _, shown = t.on_terminal(*args)
            has(check(shown.encode(), args), f'q?{bracket}?,""z')
        for args in (('trace', 'show', '--json', log), ('trace', 'stat', '--json', log), ('trace', 'state', '--json', log)):
            has(check(ntime(*args).stdout, args).lower(), f'q\\u009b{bracket}\\u202e'.lower())


@test
def names_of_processes():
    with t.Directory():
        name = 'p' + EVIL
        os.symlink('/bin/false', name)
        harmless('./' + name)
        harmless('-e', 'page-faults', '--', './none' + EVIL)
        harmless('-v', '--', './' + name)
    check(err(ntime('-p', '999999999', '--', EVIL)).encode(), '-p')


if __name__ == '__main__':
    sys.exit(t.main())
