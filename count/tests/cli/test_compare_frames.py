#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ntime compare of files with frames. Speaks TAP.

Usage: test_compare_frames.py NTIME [-k WORD]
"""
import ast
import json
import os
import random
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../../base/tests'))
import command as t    # noqa: E402
from command import Directory, equal, err, has, has_not, ntime    # noqa: E402
test = t.test


def put(path, text):
    os.makedirs(os.path.dirname(path) or '.', exist_ok=True)
    with open(path, 'w', encoding='utf-8') as f:
        f.write(text)


def compare(*args, status=0):
    done = ntime('compare', *args)
    equal((done.returncode, err(done)), (status, ''), args)
    return done.stdout.decode()


def changes(*args, status=0):
    """{counter: change} of the JSON report; of several operands the last one's."""
    return {c['counter']: c for c in json.loads(compare('--json', *args, status=status))['changes']}


def csv_of(rows, names=('n',), drawable=1):
    """As ntime gl --csv writes it; each row is of the counters alone."""
    lines = [f'{drawable},{i},{"" if i else "first"},0.5,{0.001 if i else 9},' + ','.join(map(str, row)) for i, row in enumerate([[999999] * len(names), *rows])]
    return '\n'.join(['drawable,frame,flags,begin_s,frame_s,' + ','.join(names), *lines, ''])


def retrace_of(rows, names=('n',)):
    lines = ['\t'.join(['frame', *map(str, row)]) for row in [[999999] * len(names), *rows]]
    return '\n'.join(['', '\t'.join(['#', *names]), *lines, '', 'Rendered 100 frames in 0.02 secs, average of 4088.43 fps', ''])


def series(values):
    return [[v] for v in values]


def noisy(seed, mean, n=160):
    r = random.Random(seed)
    return [round(r.gauss(mean, mean / 50), 3) for _ in range(n)]


def published():
    """The 42 rows of lab/tests/model/test_nvpm.py."""
    path = f'{t.ROOT}/lab/tests/model/test_nvpm.py'
    if not os.path.exists(path):
        raise t.Skip('there is no lab in this tree, which has the rows')
    with open(path, encoding='utf-8') as f:
        text = re.search(r"^PUBLISHED = (\{.*?'''\})", f.read(), re.M | re.S)[1]
    return [line.split() for chip in ast.literal_eval(text).values() for line in chip.strip().splitlines()]


@test
def forms_are_found_by_what_they_contain():
    values = [3, 5, 7, 9] * 5
    with Directory():
        put('a.csv', csv_of(series(values)))
        put('b.txt', retrace_of(series(values)))
        put('b.tsv', retrace_of(series(values)))
        put('hud/n', ''.join(f'{v}\n' for v in values))
        put('other/n.txt', ''.join(f'{v}.000000\n' for v in values))
        for other in ('b.txt', 'b.tsv', 'hud/', './hud', 'other/n.txt', 'other/'):
            of = json.loads(compare('--json', 'a.csv', other))
            # Frame 0 is in nothing.
            n = {c['name']: c for c in of['series'][0]['counters']}['n']
            equal((n['frames'], n['mean'], n['min'], n['max']), (20, 6, 3, 9), other)
            equal([(c['counter'], c['verdict'], c['difference']) for c in of['changes']], [('n', 'equal', 0)], other)
        text = compare('a.csv', 'hud/')
        has(text, 'A  a  20 frames\nB  hud  20 frames\n')
        has(text, 'on one side only: frame time (a)\n')
        equal(max(map(len, text.splitlines())) <= 80, True, text)
        # A name may have what separates fields, and a unit; a frame may have no number.
        put('q.csv', csv_of([[1, ''], [3, 4]], ('"x,""y"" [ms]"', 'z')))
        of = json.loads(compare('--json', 'q.csv', 'q.csv'))['series'][0]['counters']
        equal([(c['name'], c['unit'], c['mean']) for c in of], [('frame time', 'ns', 1e6), ('x,"y"', 'ms', 2), ('z', '', 4)])
        put('d.csv', csv_of(series(values)) + csv_of(series(values), drawable=2).partition('\n')[2])
        has(compare('d.csv', 'd.csv', '--name', 'p', '--name', 'q'), 'q (drawable 2)')


@test
def what_was_published_is_given_back():
    rows = published()
    equal(len(rows), 42)
    rows += [['tiny', '0.000185', '0', '104']]
    for name, *numbers in rows:
        mean, least, most = numbers
        block = f'OPTIONS:\nmodel=sphere model-count=27\ntexture=on\nnum-frames=100\nSTATS:\nfps=59.94\nmean={mean}%\nmin={least}%\nmax={most}%\n'
        with Directory():
            put(f'{name}.stats', block)
            put('all.txt', block.replace('model=', f'counter={name} model=') + f'OPTIONS: counter=x STATS: mean={mean}%')
            text = compare('--json', f'{name}.stats', 'all.txt')
            counters = [c for s in json.loads(text, parse_float=str, parse_int=str)['series'] for c in s['counters'] if c['name'] == name]
            equal([[c[k] for k in ('mean', 'min', 'max', 'unit')] for c in counters], [[mean, least, most, '%']] * 2)
            of = changes(f'{name}.stats', 'all.txt')
            equal(('low' in of[name], of['fps']['difference'], set(of)), (False, 0, {name, 'fps'}))
            has(' '.join(compare(f'{name}.stats', 'all.txt').split()), f'{name}: no interval: of ')
    with Directory():
        for mean, tolerance, verdict, status in ((100, '0%', 'within', 0), (102, '3%', 'within', 0), (102, '1%', 'beyond', 1), (97, '2%', 'beyond', 1)):
            put('a.stats', 'OPTIONS: counter=n STATS: mean=100%')
            put('b.stats', f'OPTIONS: counter=n STATS: mean={mean}%')
            equal(changes('--tolerance', tolerance, 'a.stats', 'b.stats', status=status)['n']['verdict'], verdict)


@test
def verdicts():
    for a, b, tolerance, verdict, status in (
            (noisy(1, 100), noisy(2, 100), None, 'alike', 0),
            (noisy(1, 100), noisy(2, 150), None, 'differs', 0),
            (noisy(1, 100), noisy(1, 100), None, 'equal', 0),
            ([8] * 50, [9] * 50, None, 'differs', 0),
            ([8] * 50, [8] * 40, None, 'equal', 0),
            ([0] * 50, [9] * 50, None, 'differs', 0),
            ([1, 2, 3], [3, 2, 1], None, 'unknown', 0),
            (noisy(1, 100), noisy(2, 100), '30%', 'within', 0),
            (noisy(1, 100), noisy(2, 150), '10%', 'beyond', 1),
            (noisy(1, 100), noisy(2, 100), '0.01%', 'unclear', 0),
            ([8] * 50, [9] * 50, '12.5%', 'within', 0),
            ([8] * 50, [9] * 50, '12.4%', 'beyond', 1),
            ([0] * 50, [0] * 50, '0%', 'equal', 0),
            ([0] * 50, [1] * 50, '100%', 'beyond', 1),
            ([1, 2, 3], [3, 2, 1], '50%', 'unclear', 0)):
        with Directory():
            put('a.csv', csv_of(series(a)))
            put('b.csv', csv_of(series(b)))
            args = ['--tolerance', tolerance] if tolerance else []
            of = changes(*args, 'a.csv', 'b.csv', status=status)['n']
            equal(of['verdict'], verdict, (a[:3], b[:3], tolerance, of))
            equal(of['in_percent'], a[0] != 0)
            if 'low' in of:
                equal(of['low'] <= of['difference'] <= of['high'], True, of)


@test
def shifts_are_told_where_they_are_clear():
    chance = random.Random(7)
    pattern = [chance.randrange(1000) for _ in range(120)]
    times = [v + 0.25 for v in pattern]
    jitter = random.Random(8)
    for a, b, shift in ((pattern, pattern, None), (pattern, [5, *pattern], 1), (pattern, pattern[3:], -3), (pattern, [1] * 8 + pattern, 8),
                        (pattern, [1] * 9 + pattern, None), ([7] * 90, [7] * 91, None), ([7] * 90, [8] * 91, None),
                        (times, [1] * 2 + [v + jitter.random() for v in times], 2), (noisy(1, 100), noisy(2, 100), None)):
        with Directory():
            put('a.csv', csv_of(series(a)))
            put('b.csv', csv_of(series(b)))
            equal(changes('a.csv', 'b.csv')['n'].get('shift'), shift, (a[:3], b[:3]))
            if shift:
                has(compare('a.csv', 'b.csv'), f'n: b is {abs(shift)} frame{"s" if abs(shift) > 1 else ""} {"later" if shift > 0 else "earlier"} than a\n')


@test
def bad_input():
    good = csv_of(series([1, 2, 3]))
    stats = 'OPTIONS: model=x STATS: mean=1%\n'
    with Directory():
        put('good.csv', good)
        put('good.stats', stats)
        put('prog.txt', '#!/bin/sh\n')
        os.chmod('prog.txt', 0o755)
        for name, text, part in (
                ('b.csv', good[:-9], 'b.csv: the last line has no end: the file is cut short'),
                ('b.csv', good.replace(',2\n', '\n'), 'b.csv: line 4: 5 fields and not 6 as in the first line'),
                ('b.csv', good.replace(',2\n', ',2,2\n'), 'b.csv: line 4: 7 fields and not 6'),
                ('b.csv', good.replace(',2\n', ',x\n'), "b.csv: line 4: 'x' is no number"),
                ('b.csv', good.replace(',2\n', ',0x2\n'), "b.csv: line 4: '0x2' is no number"),
                ('b.csv', good.replace(',2\n', ',inf\n'), "b.csv: line 4: 'inf' is no number"),
                ('b.csv', good.replace(',2\n', ',"2\n'), 'b.csv: line 4: a quote has no end'),
                ('b.csv', csv_of([]), 'b.csv: it has no frame with a number'),
                ('b.csv', csv_of([[1, 2]], ('n', 'n')), "the counter 'n' is there twice"),
                ('b.csv', 'command,mean\n', 'b.csv: line 1: it has no frames'),
                ('b.csv', '', 'b.csv: it has no frame'),
                ('b.csv', 'a\0b\n', 'b.csv: it is no text'),
                ('b.tsv', retrace_of([[1]], ('m',)), 'good.csv: no other operand has a counter that this one has'),
                ('b.tsv', retrace_of([[1], [1, 2]]), 'b.tsv: line 5: 3 fields and not 2'),
                ('b.tsv', retrace_of([]), 'b.tsv: it has no frame'),
                ('b.txt', '1\n2\nx\n', "b.txt: line 3: 'x' is no number"),
                ('hud/x', '1\n2 3\n', "hud/x: line 2: '2 3' is no number"),
                ('b.stats', 'OPTIONS: model=x\n', 'b.stats: line 1: the block that ends here has no STATS:'),
                ('b.stats', 'OPTIONS: model=x\nOPTIONS: model=y\n', "b.stats: line 2: 'OPTIONS:' is not expected here"),
                ('b.stats', stats + stats, "the counter 'b' is there twice"),
                ('b.stats', stats.replace('1%', 'x%'), "b.stats: line 1: 'x' is no number"),
                ('b.stats', stats.replace('mean', 'mode'), "b.stats: line 1: 'mode=1%' is none of fps=")):
            put(name, text)
            done = ntime('compare', 'good.csv', os.path.dirname(name) + '/' if '/' in name else name)
            equal((done.returncode, done.stdout), (125, b''), text)
            has(err(done), part)
            equal(len(err(done).splitlines()), 1, err(done))
        for args, part in ((('good.csv',), 'good.csv has frames, and there is nothing to compare them with'),
                           (('good.csv', 'true'), "good.csv has frames, which are compared with frames alone; 'true' is no existing file"),
                           (('good.csv', 'missing.csv'), "'missing.csv' is no existing file"),
                           (('good.csv', 'prog.txt'), "'prog.txt' is no existing file"),
                           (('./', 'x.json'), "./ has frames, which are compared with frames alone; 'x.json'"),
                           (('-n', '9', 'good.csv', 'good.csv'), 'files with frames are not run'),
                           (('--by', 'n', 'good.csv', 'good.csv'), 'files with frames are not run'),
                           (('--tolerance', 'x', 'good.csv', 'good.csv'), "--tolerance 'x' is not a percentage"),
                           (('--tolerance', '1%', 'true', 'true'), '--tolerance is of frames in files'),
                           (('--name', 'x', 'good.csv', 'good.csv'), '--name is given 1 times and there are 2 files')):
            done = ntime('compare', *args)
            equal((done.returncode, done.stdout), (125, b''), args)
            has(err(done), part)
        put('m.csv', csv_of(series([1]), ('n [ms]',)))
        put('s.csv', csv_of(series([1]), ('n [s]',)))
        has(err(ntime('compare', 'm.csv', 's.csv')), "s.csv: 'n' has the unit 's' here and 'ms' in m.csv")
        # Beside a command a folder is a command, and a program is none of them.
        equal(ntime('compare', './', 'true').returncode, 126)
        has_not(err(ntime('compare', '-n', '2', './prog.txt', 'true')), 'frames')


if __name__ == '__main__':
    sys.exit(t.main())
