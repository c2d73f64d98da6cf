#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What scripts/fuzz --coverage makes of llvm-cov's words. Speaks TAP."""
import os
import sys

import common
import fuzz_coverage
from tap import equal, main, test


def file(path, covered, lines):
    return {'filename': os.path.join(common.ROOT, path), 'summary': {'lines': {'covered': covered, 'count': lines}}}


def function(path, name, count):
    return {'filenames': [os.path.join(common.ROOT, path)], 'name': name, 'count': count}


DATA = {
    'files': [file('trace/read/vfio.c', 30, 40), file('trace/read/vfio_event.c', 5, 10), file('trace/read/demmt.c', 1, 1000)],
    'functions': [
        function('trace/read/vfio.c', 'nti_a', 3), function('trace/read/vfio.c', 'vfio.c:helper', 0),
        # the same static function in another program, where it was called
        function('trace/read/vfio_event.c', 'vfio_event.c:twice', 0), function('trace/read/vfio_event.c', 'vfio_event.c:twice', 2),
        function('trace/read/demmt.c', 'nti_d', 0),
    ],
}


@test
def lines_are_those_of_the_parser():
    equal(fuzz_coverage.lines_of(DATA, ['trace/read/vfio*.c']), (35, 50))
    equal(fuzz_coverage.lines_of(DATA, ['lib/*']), (0, 0))


@test
def a_function_is_reached_when_one_target_reaches_it():
    functions = fuzz_coverage.functions_of(DATA)
    equal(fuzz_coverage.unreached(functions, ['trace/read/vfio*.c']), [('trace/read/vfio.c', ['helper'])])
    equal(fuzz_coverage.unreached(functions, ['trace/read/*']), [('trace/read/demmt.c', ['nti_d']), ('trace/read/vfio.c', ['helper'])])


@test
def a_file_is_entered_by_a_call():
    found = fuzz_coverage.never_entered(fuzz_coverage.functions_of(DATA), ('trace/read/',))
    equal(['trace/read/demmt.c' in found, 'trace/read/simple.c' in found], [True, True])
    equal(['trace/read/vfio.c' in found, 'trace/read/vfio_event.c' in found], [False, False])


if __name__ == '__main__':
    sys.exit(main())
