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
    'files': [file('trace/lib/read/vfio.c', 30, 40), file('trace/lib/read/vfio_event.c', 5, 10), file('trace/lib/read/demmt.c', 1, 1000)],
    'functions': [
        function('trace/lib/read/vfio.c', 'nti_a', 3), function('trace/lib/read/vfio.c', 'vfio.c:helper', 0),
        # the same static function in another program, where it was called
        function('trace/lib/read/vfio_event.c', 'vfio_event.c:twice', 0), function('trace/lib/read/vfio_event.c', 'vfio_event.c:twice', 2),
        function('trace/lib/read/demmt.c', 'nti_d', 0),
    ],
}


@test
def lines_are_those_of_the_parser():
    equal(fuzz_coverage.lines_of(DATA, ['trace/lib/read/vfio*.c']), (35, 50))
    equal(fuzz_coverage.lines_of(DATA, ['count/lib/*']), (0, 0))


@test
def a_function_is_reached_when_one_target_reaches_it():
    functions = fuzz_coverage.functions_of(DATA)
    equal(fuzz_coverage.unreached(functions, ['trace/lib/read/vfio*.c']), [('trace/lib/read/vfio.c', ['helper'])])
    equal(fuzz_coverage.unreached(functions, ['trace/lib/read/*']), [('trace/lib/read/demmt.c', ['nti_d']), ('trace/lib/read/vfio.c', ['helper'])])


@test
def a_file_is_entered_by_a_call():
    found = fuzz_coverage.never_entered(fuzz_coverage.functions_of(DATA), ('trace/lib/read/',))
    equal(['trace/lib/read/demmt.c' in found, 'trace/lib/read/simple.c' in found], [True, True])
    equal(['trace/lib/read/vfio.c' in found, 'trace/lib/read/vfio_event.c' in found], [False, False])


if __name__ == '__main__':
    sys.exit(main())
