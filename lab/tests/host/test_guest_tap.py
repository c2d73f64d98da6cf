#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lab/test-guest: what becomes of the programs' results and exit statuses, with a runner that runs them here. Speaks TAP."""
import contextlib
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../../base/tests'))
from tap import equal, main, test    # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
# ntime-lab run GUEST -- sh -c SCRIPT sh NAME...: the guest is this machine, and its /lab the folder of this program.
RUNNER = '''#!/bin/sh
here=$(dirname "$0")
shift 5
script=$(printf '%s\\n' "$1" | sed "s,/lab/test_,$here/test_,")
shift
exec sh -c "$script" "$@"
'''
GOOD = 'echo 1..1; echo ok 1 - a'


@contextlib.contextmanager
def lab(runner, **programs):
    """A folder with test-guest, its runner and test programs."""
    with tempfile.TemporaryDirectory() as top:
        where = os.path.join(top, 'lab')
        os.mkdir(where)
        for name in ('test-guest', 'options.py', '__init__.py'):
            shutil.copy(os.path.join(ROOT, 'lab', name), where)
        texts = {'ntime-lab': runner} | {f'test_{name}': f'#!/bin/sh\n{text}\n' for name, text in programs.items()}
        for name, text in texts.items():
            with open(os.path.join(where, name), 'w', encoding='utf-8') as f:
                f.write(text)
            os.chmod(f.name, 0o755)
        yield where


def told(runner=RUNNER, **programs):
    """(exit status, lines) of test-guest with these programs."""
    with lab(runner, **programs) as where:
        done = subprocess.run([os.path.join(where, 'test-guest'), 'here', *programs], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, encoding='utf-8', timeout=300, check=False)
    lines = [line for line in done.stdout.split('\n') if line and not line.startswith('#')]
    return done.returncode, lines


@test
def results_are_numbered_through():
    equal(told(a=GOOD, b='echo 1..2; echo ok 1 - b; echo ok 2 - c'), (0, ['ok 1 - a: a', 'ok 2 - b: b', 'ok 3 - b: c', '1..3']))


@test
def a_status_after_good_results_is_a_failure():
    equal(told(a=GOOD + '; exit 9'), (1, ['ok 1 - a: a', 'not ok 2 - a: ended with 9', '1..2']))
    equal(told(a=GOOD + '; exit 77'), (1, ['ok 1 - a: a', 'not ok 2 - a: ended with 77', '1..2']))


@test
def a_crash_after_good_results_is_a_failure():
    equal(told(a=GOOD + '; kill -SEGV $$'), (1, ['ok 1 - a: a', 'not ok 2 - a: ended with 139', '1..2']))


@test
def failures_of_one_program_excuse_no_other():
    bad = 'echo 1..1; echo not ok 1 - x; exit 1'
    equal(told(a=bad, b=GOOD + '; exit 1'), (1, ['not ok 1 - a: x', 'ok 2 - b: a', 'not ok 3 - b: ended with 1', '1..3']))


@test
def failures_are_told_once():
    equal(told(a='echo 1..2; echo not ok 1 - x; echo not ok 2 - y; exit 2'), (1, ['not ok 1 - a: x', 'not ok 2 - a: y', '1..2']))


@test
def a_program_that_says_nothing_is_a_failure():
    equal(told(a='exit 0'), (1, ['not ok 1 - a: said nothing, exit status 0', '1..1']))
    equal(told(a='echo 1..2; echo ok 1 - x'), (1, ['ok 1 - a: x', 'not ok 2 - a: 1 of 2 results, exit status 0', '1..2']))


@test
def a_program_may_skip_all():
    equal(told(a='echo "1..0 # SKIP no PMU"; exit 77', b=GOOD), (0, ['ok 1 - a # SKIP no PMU', 'ok 2 - b: a', '1..2']))


@test
def a_run_that_fails_is_a_failure():
    equal(told('#!/bin/sh\nexit 125\n', a=GOOD), (1, ['not ok 1 - a: did not end, the run ended with 125', '1..1']))
    equal(told(RUNNER.replace('exec ', '') + 'exit 125\n', a=GOOD),
          (1, ['ok 1 - a: a', 'not ok 2 - here: the run ended with 125', '1..2']))


@test
def a_guest_that_cannot_be_had_is_skipped():
    status, lines = told('#!/bin/sh\necho "ntime lab: no network" >&2\nexit 77\n', a=GOOD)
    equal((status, lines), (77, ['1..0 # SKIP no network']))


if __name__ == '__main__':
    sys.exit(main())
