#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""scripts/test: what becomes of the output of scripts/fuzz, and of what it is asked. Speaks TAP."""
import subprocess
import sys

import common
from results import count
from tap import equal, holds, main, test

PROGRAM = common.program('test')


@test
def each_target_is_a_program():
    text = '1..2\nok 1 - plan (123 inputs, 4.1 s)\n# heap-buffer-overflow\nnot ok 2 - event: exit status 77, build-fuzz/event.log\n'
    plan, event = PROGRAM.fuzz_outcomes(text, 1)
    equal((plan.name, plan.seconds, count(plan).passed), ('fuzz: plan', 4.1, 1))
    equal((event.name, len(count(event).failed)), ('fuzz: event', 1))
    holds(event.text, 'heap-buffer-overflow')


@test
def a_run_that_says_nothing_is_a_failure():
    for text, status in (('', 1), ('Traceback\n', 1), ('1..1\nok 1 - plan (1 inputs, 1.0 s)\n', 2)):
        counts = [count(one) for one in PROGRAM.fuzz_outcomes(text, status)]
        equal((text, sum(len(one.failed) for one in counts)), (text, 1))


@test
def wrong_arguments_are_refused():
    usage = 'test [--all [PART] | --yard YARD | NAME]\n'
    for words, says in ((['--everything'], usage), (['a', 'b'], usage), (['--yard'], usage), (['--all', 'release', 'lab'], usage),
                        (['--all', 'plan'], "test: --all knows tables, unit, threads, packages, release, lab, fuzz, disguises, not 'plan'\n"),
                        (['--yard', 'plan'], "test: --yard knows core, base, count, driver, trace, gl, lab, not 'plan'\n")):
        done = subprocess.run([f'{common.ROOT}/scripts/test', *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              encoding='utf-8', stdin=subprocess.DEVNULL, check=False)
        equal((done.returncode, done.stderr), (2, says))


if __name__ == '__main__':
    sys.exit(main())
