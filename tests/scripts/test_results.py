#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""scripts/results.py: how cases are counted, what is unsteady, what is printed in the end. Speaks TAP."""
import sys

import common
from results import AGAIN_AT_MOST, SHOWN_LINES, SLOWEST, Outcome, Results, count, shown
from tap import equal, holds, main, test

# text, ended -> passed, failed, skipped
COUNTED = [
    # every form of a result that the programs here have: cmocka's, ours, one without number or name
    ('1..3\nok 1 - a\nok 2 b\nok', '', 3, 0, 0),
    ('1..2\nok 1 - a\nnot ok 2 - b', '', 1, 1, 0),
    # a program that failed and says so is not counted again as a program that ended badly
    ('1..2\nok 1 - a\nnot ok 2 - b', 'exit status 1', 1, 1, 0),
    # one that says nothing of it is
    ('1..1\nok 1 - a', 'exit status 1', 1, 1, 0),
    ('1..1\nok 1 - a # SKIP no counters', '', 0, 0, 1),
    # a failure that calls itself a skip is a failure, and so is a todo
    ('1..1\nnot ok 1 - a # SKIP no counters', '', 0, 1, 0),
    ('1..1\nok 1 - a # TODO later', '', 0, 1, 0),
    ('1..0 # SKIP no guest here', '', 0, 0, 1),
    # nothing of what was planned; nothing at all; fewer than planned
    ('1..0', '', 0, 1, 0),
    ('', '', 0, 1, 0),
    ('hello', '', 0, 1, 0),
    ('1..3\nok 1 - a', '', 1, 1, 0),
    # a program of two groups, of which one is empty
    ('1..0\n1..1\nok 1 - a', '', 1, 0, 0),
    # text that looks like a result and is none
    ('1..1\nokay then\n# not ok 1 - quoted\nok 1 - a', '', 1, 0, 0),
]


@test
def results_are_counted():
    for text, ended, *wanted in COUNTED:
        counts = count(Outcome('p', text, ended))
        equal((text, counts.passed, len(counts.failed), len(counts.skipped)), (text, *wanted))


@test
def names_and_reasons_are_kept():
    counts = count(Outcome('unit: p', '1..3\nnot ok 1 - a b\nok 2 - c # SKIP no cpu\nok 3 - d', ''))
    equal(counts.failed, [('unit: p: a b', 'see above')])
    equal(counts.skipped, [('unit: p: c', 'no cpu')])
    equal(count(Outcome('p', 'ok 1 - a', 'killed')).failed, [('p', 'killed')])


@test
def cpu_time_is_what_run_tap_says_last():
    equal(Outcome('p', 'ok 1 - a\n# cpu 1.0 s\n# cpu 2.5 s\n').cpu, 2.5)
    equal(Outcome('p', 'ok 1 - a # cpu 1.0 s').cpu, None)


def run(results, outcomes, second):
    """Add outcomes; the runs that were made again."""
    again = []

    def once_more(outcome):
        again.append(outcome.name)
        return second
    with common.said():
        results.add(outcomes, once_more)
    return again


def summary(results):
    """(the summary, what is printed before it)"""
    with common.said() as text:
        line = results.report()
    return line, text.getvalue()


@test
def what_passes_alone_is_unsteady():
    results = Results(2)
    again = run(results, [Outcome('good', 'ok 1 - a'), Outcome('odd', 'ok 1 - a\n# 3 is not 4\nnot ok 2 - b')],
                Outcome('odd', 'ok 1 - a\nok 2 - b\n# now well'))
    equal(again, ['odd'])
    line, text = summary(results)
    equal((line, results.failed), ('3 passed, 0 failed, 0 skipped', []))
    # The last lines before the summary: the name, and both outputs.
    last = text[text.index('unsteady: odd'):]
    for part in ('failed first: odd: b: see above', 'first:  # 3 is not 4', 'first:  not ok 2 - b', 'second: ok 2 - b', 'second: # now well'):
        holds(last, part)


@test
def what_fails_twice_failed():
    results = Results(2)
    equal(run(results, [Outcome('bad', 'ok 1 - a\nnot ok 2 - b')], Outcome('bad', 'not ok 1 - a\nnot ok 2 - b')), ['bad'])
    line, text = summary(results)
    # The first run is the one that counts.
    equal((line, 'unsteady' in text), ('1 passed, 1 failed, 0 skipped', False))
    holds(text, 'failed: bad: b: see above')


@test
def what_is_skipped_the_second_time_failed():
    for second in ('1..0 # SKIP no port is free', '1..2\nok 1 - a\nok 2 - b # SKIP no port is free'):
        results = Results(2)
        run(results, [Outcome('p', '1..2\nok 1 - a\nnot ok 2 - b')], Outcome('p', second))
        equal((summary(results)[0], results.unsteady), ('1 passed, 1 failed, 0 skipped', []))


@test
def a_crash_that_is_gone_is_unsteady_too():
    results = Results(1)
    run(results, [Outcome('crash', '', 'the program ended badly: killed')], Outcome('crash', 'ok 1 - a'))
    equal((summary(results)[0], len(results.unsteady)), ('1 passed, 0 failed, 0 skipped', 1))


@test
def more_unsteady_ones_than_allowed_are_a_failure():
    for allowed, unsteady, failed in ((2, 2, 0), (2, 3, 1), (0, 0, 0), (0, 1, 1)):
        results = Results(allowed)
        run(results, [Outcome(f'p{i}', 'not ok 1 - a') for i in range(unsteady)], Outcome('p', 'ok 1 - a'))
        line = summary(results)[0]
        equal((allowed, line, len(results.failed)), (allowed, f'{unsteady} passed, {failed} failed, 0 skipped', failed))


@test
def a_broken_build_is_not_run_again_program_by_program():
    results = Results(2)
    many = [Outcome(f'p{i}', 'not ok 1 - a') for i in range(AGAIN_AT_MOST + 1)]
    equal(run(results, many, Outcome('p', 'ok 1 - a')), [])
    equal(len(results.failed), AGAIN_AT_MOST + 1)


@test
def the_slowest_are_listed():
    results = Results(0)
    with common.said():
        results.add([Outcome(f'p{i}', 'ok 1 - a\n# cpu 7.5 s', '', float(i)) for i in range(SLOWEST + 5)])
    results.took('build', 99.5, 150.25)
    text = summary(results)[1]
    rows = text[text.index('slowest:'):].strip().split('\n')[1:]
    equal([row.split() for row in rows[:2]], [['99.5', '150.2', 'build'], ['14.0', '7.5', 'p14']])
    equal(len(rows), SLOWEST)


@test
def the_end_of_a_long_output_is_shown():
    text = '\n'.join(f'# line {i}' for i in range(1000)) + '\nok 1 - a\nnot ok 2 - b\n'
    equal((len(shown(text)), shown(text)[-1]), (SHOWN_LINES, 'not ok 2 - b'))
    equal(shown('Segmentation fault\n'), ['Segmentation fault'])


if __name__ == '__main__':
    sys.exit(main())
