#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ntime trace stat, diff and cost with the real library, on traces written here. Speaks TAP.

Usage: test_trace_compare.py NTIME [-k WORD]
"""
import csv
import io
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../../base/tests'))
import command as t    # noqa: E402
from command import equal, err, has, has_not, ntime, on_terminal    # noqa: E402
test = t.test


def write(device, region, offset, value, width=4):
    return f'vfio_region_write  ({device}:region{region}+{offset:#x}, {value:#x}, {width})'


def read(device, region, offset, value, width=4):
    return f'vfio_region_read  ({device}:region{region}+{offset:#x}, {width}) = {value:#x}'


CARD = '0000:05:00.0'


def accesses(*words):
    """"W10=5" and "R10=5" on BAR 0 of the card."""
    lines = []
    for word in words:
        place, value = word[1:].split('=')
        lines.append((write if word[0] == 'W' else read)(CARD, 0, int(place, 16), int(value, 16)))
    return lines


class Traces(t.Directory):
    """A folder with traces; each has times that are a microsecond apart, unless told otherwise."""

    def __enter__(self):
        super().__enter__()
        return self

    def path(self, name):
        return os.path.abspath(name)

    def write(self, name, lines, times=None, prefix='77@'):
        with open(self.path(name), 'w', encoding='utf-8') as f:
            for i, line in enumerate(lines):
                us = i if times is None else times[i]
                f.write(f'{prefix}1424299207.{us:06}:{line}\n' if prefix else line + '\n')
        return self.path(name)


def run(*args, **kwargs):
    return ntime('trace', *args, **kwargs)


def rows(done):
    return list(csv.DictReader(io.StringIO(done.stdout.decode())))


def refused(sentence, *args):
    """It ends with 125 and says so."""
    done = run(*args)
    equal((args, done.returncode), (args, 125))
    has(err(done), sentence)


SOME = accesses('W10=1', 'R20=0', 'R20=0', 'R20=3', 'W10=5', 'R24=9', 'W10=1')


@test
def stat_counts_registers():
    with Traces() as d:
        done = run('stat', '--csv', d.write('a', SOME))
        equal(done.returncode, 0)
        got = rows(done)
        equal([r['offset'] for r in got], ['0x10', '0x20', '0x24'])
        first, second, third = got
        equal((first['reads'], first['writes'], first['never_written']), ('0', '3', '0'))
        equal((first['values'], first['values_exact'], first['written_bits'], first['read_bits']), ('2', '1', '0x4', ''))
        equal((first['first_written'], first['last_written'], first['widths']), ('0x1', '0x1', '4'))
        equal((first['gaps'], first['min_ns'], first['mean_ns'], first['max_ns']), ('2', '2000', '3000', '4000'))
        equal((second['reads'], second['never_written'], second['read_bits'], second['last_read']), ('3', '1', '0x3', '0x3'))
        equal((third['gaps'], third['min_ns']), ('0', ''))


@test
def stat_without_times_has_none():
    with Traces() as d:
        got = rows(run('stat', '--csv', d.write('a', SOME, prefix='')))
        equal([(r['first_ns'], r['gaps'], r['max_ns']) for r in got], [('', '', '')] * 3)
        text = run('stat', d.path('a')).stdout.decode()
        has(text, 'MEAN GAP')


@test
def stat_sorts_by_any_column():
    with Traces() as d:
        path = d.write('a', SOME)
        for column, order in (('accesses', '10 20 24'), ('register', '10 20 24'), ('-register', '24 20 10'), ('reads', '20 24 10'),
                              ('writes', '10 20 24'), ('values', '10 20 24'), ('toggled', '20 10 24'), ('first', '10 20 24'),
                              ('last', '20 24 10'), ('min', '20 10 24'), ('mean', '20 10 24'), ('-mean', '10 20 24'), ('max', '10 20 24')):
            got = rows(run('stat', '--csv', '--sort', column, path))
            equal((column, ' '.join(r['offset'][2:] for r in got)), (column, order))
        equal(len(rows(run('stat', '--csv', '--top', '1', path))), 1)
        refused("not 'colour'", 'stat', '--sort', 'colour', path)


@test
def stat_tells_bounds():
    with Traces() as d:
        path = d.write('a', accesses(*[f'W{4 * (i % 5):x}={i:x}' for i in range(50)]))
        got = rows(run('stat', '--csv', '--registers', '2', '--values', '4', path))
        equal([(r['register'], r['values'], r['values_exact'], r['writes']) for r in got],
              [('(others)', '', '', '30'), ('', '5', '0', '10'), ('', '5', '0', '10')])
        text = run('stat', '--registers', '2', '--values', '4', path).stdout.decode()
        has(text, '(others of bar0)')
        has(text, '>4')
        for option in ('--registers', '--values'):
            equal(run('stat', option, '0', path).returncode, 125)


@test
def stat_json_adds_up():
    with Traces() as d:
        text = run('stat', '--json', d.write('a', SOME)).stdout.decode()
        got = json.loads(text)
        # Rows are written one by one, in the form of the whole.
        equal(text, json.dumps(got, indent=2) + '\n')
        none = run('stat', '--json', '--write', '--value', '0x123456789', d.path('a')).stdout.decode()
        equal(none, json.dumps({**json.loads(none), 'registers': []}, indent=2) + '\n')
        equal(got['total']['reads'], 4)
        equal(got['total']['writes'], 3)
        equal(got['total']['registers'], 3)
        equal([(x['device'], x['reads']) for x in got['devices']], [(CARD, 4)])
        equal([(x['thread'], x['reads'], x['writes']) for x in got['threads']], [(77, 4, 3)])
        equal(got['registers'][0]['never_written'], False)
        equal(got['registers'][1]['last_read'], '0x3')
        equal(got['registers'][2]['mean_ns'], None)


@test
def stat_names_registers():
    with Traces() as d:
        got = rows(run('stat', '--csv', '--chip', 'GT218', d.write('a', accesses('R0=a8c080a2'))))
        equal([r['register'] for r in got], ['PMC.BOOT_0'])


@test
def stat_fits_the_terminal():
    with Traces() as d:
        path = d.write('a', SOME)
        heads = []
        for width in (40, 80, 120, 250):
            status, text = on_terminal('trace', 'stat', '--color', 'never', path, columns=width)
            equal(status, 0)
            for line in text.split('\n'):
                assert len(line) <= width, (width, line)
            heads.append(len(text.split('\n')[0].split('  ')))
        assert heads[0] < heads[2] < heads[3], heads


@test
def all_fit_narrow_terminals():
    wide = ['vfio_region_write  (0000:05:00.0:region0+0xa404, 0xdeadbeef, 4)', 'vfio_region_write  (0000:05:00.0:region1+0x8, 0x1122334455667788, 8)',
            'vfio_region_read  (0000:05:00.0:region0+0xa604, 4) = 0x5']
    with Traces() as d:
        a = d.write('a', wide)
        b = d.write('b', [line.replace('0xdeadbeef', '0xdeadbee0') for line in wide])
        for args in (('state', a), ('derive', '-v', '--chip', 'GT218', a), ('lookup', '--chip', 'GT218', 'PCOUNTER.PRE_SRC'), ('diff', a, b),
                     ('lookup', '--chip', 'GT218', '0xa404', '0xdeadbeef')):
            _, text = on_terminal('trace', *args, columns=40)
            text = re.sub('\033\\[[0-9;]*m', '', text)
            assert text, args
            for line in text.split('\n'):
                # What has no blank cannot be broken.
                assert len(line) <= 40 or ' ' not in line.strip(), (args, line)
        text = run('state', a).stdout.decode().split('\n')
        equal({line.index('#') for line in text[1:] if line[:3] in ('bar', 'PCO') and ' - ' not in line}, {line.index('#') for line in text if '0x1122334455667788' in line})
        text = on_terminal('trace', 'diff', '--color', 'never', a, b, columns=40)[1]
        has(text, '~ W4 ')
        has(text, '\n    ->  0xdeadbee0')


@test
def stat_filters():
    with Traces() as d:
        path = d.write('a', SOME)
        equal([r['offset'] for r in rows(run('stat', '--csv', '--write', path))], ['0x10'])
        equal([r['offset'] for r in rows(run('stat', '--csv', '--not', 'range=0x10', path))], ['0x20', '0x24'])


@test
def stat_of_bad_input():
    with Traces() as d:
        refused('none', 'stat', d.path('none'))
        full = run('stat', '-o', '/dev/full', d.write('a', SOME))
        equal(full.returncode, 125)
        out = run('stat', '--csv', '-o', d.path('out'), d.path('a'))
        equal((out.returncode, out.stdout), (0, b''))
        with open(d.path('out'), encoding='utf-8') as f:
            has(f.read(), '0x24')


@test
def diff_of_the_same():
    with Traces() as d:
        a = d.write('a', SOME)
        done = run('diff', a, a)
        equal(done.returncode, 0)
        has(done.stdout.decode(), '0 only in A, 0 only in B, 0 with another value, 5 the same')
        equal(run('diff', '-q', a, a).stdout, b'')


@test
def diff_tells_lines():
    with Traces() as d:
        a = d.write('a', accesses('W0=1', 'W4=1', 'R8=5', 'WC=1', 'W10=1'), prefix='')
        b = d.write('b', accesses('W0=1', 'W4=2', 'R8=5', 'W10=1', 'W14=1'), prefix='')
        done = run('diff', '-U', '1', a, b)
        equal(done.returncode, 1)
        lines = [' '.join(line.split()) for line in done.stdout.decode().split('\n')]
        equal(lines[:-2], [
            '@@ access 1 of A, 1 of B @@',
            f'{CARD} W4 bar0+0x0 0x00000001',
            f'~ {CARD} W4 bar0+0x4 0x00000001 -> 0x00000002',
            f'{CARD} R4 bar0+0x8 0x00000005',
            f'- {CARD} W4 bar0+0xc 0x00000001',
            f'{CARD} W4 bar0+0x10 0x00000001',
            f'+ {CARD} W4 bar0+0x14 0x00000001'])
        equal(lines[-2], '1 only in A, 1 only in B, 1 with another value, 3 the same')
        equal(run('diff', '--ignore-values', '--not', 'range=0xc-0x14', a, b).returncode, 0)
        got = rows(run('diff', '--csv', a, b))
        equal([(r['change'], r['offset'], r['value_a'], r['value_b']) for r in got],
              [('value', '0x4', '0x1', '0x2'), ('only_a', '0xc', '0x1', ''), ('only_b', '0x14', '', '0x1')])
        got = json.loads(run('diff', '--json', a, b).stdout)
        equal([c['change'] for c in got['changes']], ['value', 'only_a', 'only_b'])
        equal((got['changes'][1]['a']['access'], got['changes'][1]['b']), (4, None))
        equal((got['summary']['same'], got['summary']['only_b']), (3, 1))


@test
def diff_of_polling():
    with Traces() as d:
        a = d.write('a', accesses('W0=1', 'R8=0', 'R8=0', 'R8=0', 'R8=1', 'W4=1'))
        b = d.write('b', accesses('W0=1', 'R8=0', 'R8=1', 'W4=1'))
        equal(run('diff', a, b).returncode, 0)
        equal(run('diff', '--strict', a, b).returncode, 1)
        c = d.write('c', accesses('W0=1', 'R8=0', 'R8=2', 'W4=1'))
        equal(run('diff', a, c).returncode, 1)
        has(run('diff', a, c).stdout.decode(), '(4 and 2 times)')
        equal(run('diff', '--ignore-read-values', a, c).returncode, 0)


@test
def diff_minus_a_startup():
    with Traces() as d:
        a = d.write('a', accesses('W0=1', 'W4=1', 'W10=7', 'W4=1', 'R14=3'))
        b = d.write('b', accesses('W0=1', 'W4=1', 'W8=1'))
        done = run('diff', '--minus-startup', '--csv', a, b)
        equal(done.returncode, 1)
        equal([(r['change'], r['offset']) for r in rows(done)], [('only_a', '0x10'), ('only_a', '0x14')])
        has(run('diff', '--minus-startup', a, b).stdout.decode(), '2 of 5 steps of A remain: 2 are the beginning of both, 1 more B does too')
        equal(run('diff', '--minus-startup', b, b).returncode, 0)


@test
def diff_pairs_the_only_devices():
    with Traces() as d:
        a = d.write('a', SOME)
        b = d.write('b', [line.replace(CARD, '0000:0a:00.0') for line in SOME])
        equal(run('diff', a, b).returncode, 0)


@test
def diff_refuses():
    with Traces() as d:
        a = d.write('a', SOME)
        for args, sentence in (((a, d.path('none')), 'none'), (('-', '-'), 'standard input is only one'), ((a,), 'takes 2 arguments'),
                               (('--memory', '0', a, a), 'from 1 on')):
            refused(sentence, 'diff', *args)
        many = d.write('many', accesses(*[f'W{4 * i:x}=1' for i in range(20000)]), prefix='')
        refused('allow more memory', 'diff', '--memory', '1', many, a)
        equal(run('diff', '-o', '/dev/full', a, a).returncode, 125)


@test
def cost_of_two_traces():
    with Traces() as d:
        more = d.write('more', accesses('W0=1', 'R20=1', 'R20=1', 'W4=1', 'R20=1', 'W8=1', 'WC=1'), [0, 10, 20, 50, 60, 92, 100])
        less = d.write('less', accesses('W0=1', 'W4=1', 'W8=1', 'WC=1'), [500, 530, 560, 568])
        done = run('cost', '--json', more, less)
        equal(done.returncode, 0)
        got = json.loads(done.stdout)
        equal((got['cost_ns'], got['accesses'], got['access_ns'], got['within_spread']), (32000, 3, 11000, False))
        has(run('cost', more, less).stdout.decode(), 'per access')
        one = d.write('one', accesses('W0=1', 'R20=1', 'W4=1'), [0, 10, 11])
        none = d.write('none', accesses('W0=1', 'W4=1'), [0, 10])
        text = run('cost', one, none).stdout.decode()
        has(text, ', 1 more access in 1 place)')
        has_not(text, ' 0.000 ')
        refused('comes first', 'cost', less, more)
        refused('has no times', 'cost', d.write('plain', SOME, prefix=''), more)


@test
def cost_of_told_times():
    with Traces() as d:
        got = json.loads(run('cost', '--json', '--traced', '2,2.1s,1900ms', '--untraced', '1,1', '--log', d.write('a', SOME)).stdout)
        equal((got['cost_ns'], got['accesses'], got['ratio'], got['within_spread']), (1e9, 7, 2, False))
        has(run('cost', '--traced', '1,2', '--untraced', '1,2').stdout.decode(), 'within the spread')
        for args, sentence in ((('--traced', '1', '--untraced', '1,2'), 'at least two'), (('--traced', '1,x', '--untraced', '1,2'), "'1,x'"),
                               (('--traced', '1,2', '--untraced', '1,2', 'file'), '--log FILE'), (('-r', '1', '--with', 'x', '--', 'true'), 'from 2 to'),
                               ((), 'two traces'), (('-r', '2', '--', 'true'), '--with ARGS')):
            refused(sentence, 'cost', *args)


@test
def cost_of_live_runs():
    with Traces() as d:
        trace = d.write('source', SOME)
        script = 'if [ "$1" = "on a" ]; then cp "$2" "$3"; sleep 0.2; fi; echo ran "$@"'
        done = run('cost', '--json', '-r', '2', '--with', "'on a'", '--without', 'off', '--log', d.path('log'), '--', 'sh', '-c', script, 'sh', '{}',
                   trace, d.path('log'))
        equal(done.returncode, 0)
        got = json.loads(done.stdout)
        equal((got['with']['runs'], got['without']['runs'], got['accesses']), (2, 2, 7))
        assert got['with']['median_ns'] >= 2e8, got
        equal([line for line in err(done).split('\n') if line.startswith('ran')],
              [f'ran {word} {trace} {d.path("log")}' for word in ('off', 'on a', 'on a', 'off')])
        refused('ended with status 1', 'cost', '-r', '2', '--with', 'x', '--', 'false')
        refused('cannot be run', 'cost', '-r', '2', '--with', 'x', '--', d.path('nothing'))
        refused('did not write', 'cost', '-r', '2', '--with', 'x', '--log', d.path('other'), '--', 'true')


if __name__ == '__main__':
    sys.exit(t.main())
