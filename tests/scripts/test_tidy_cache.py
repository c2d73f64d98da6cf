#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""scripts/check-tidy: when a source that was clean is looked at again. Speaks TAP."""
import contextlib
import os
import shutil
import sys
import tempfile

import common
from tap import Skip, equal, main, test

TIDY = common.program('check-tidy')


@contextlib.contextmanager
def checked():
    """(write(name, text), is_clean(), remember()) of a source a.c that includes b.h, which includes c.h."""
    if not shutil.which('clang-14'):
        raise Skip('clang-14 is not installed; scripts/install-deps test installs it')
    with tempfile.TemporaryDirectory() as top:
        where, cache = os.path.join(top, 'tree'), os.path.join(top, 'cache')
        os.mkdir(where)
        commands = [{'command': 'ccache cc -I. -DX=1 -MD -MQ a.o -MF a.d -o a.o -c a.c', 'directory': where}]

        def write(name, text):
            with open(os.path.join(where, name), 'w', encoding='utf-8') as f:
                f.write(text)

        def is_clean():
            TIDY.digest.cache_clear()
            return TIDY.is_clean(cache)

        def remember():
            TIDY.digest.cache_clear()
            TIDY.remember(cache, commands)
        write('a.c', '#include "b.h"\nint x = X;\n')
        write('b.h', '#include <c.h>\n')
        write('c.h', 'extern int x;\n')
        write('other.h', '\n')
        yield write, is_clean, remember


@test
def what_is_included_counts_and_nothing_else():
    with checked() as (write, is_clean, remember):
        equal(is_clean(), False)
        remember()
        equal(is_clean(), True)
        write('other.h', 'int other;\n')
        equal(is_clean(), True)
        for name, text in (('a.c', '#include "b.h"\nint x = 2 * X;\n'), ('b.h', '/* changed */\n#include <c.h>\n'), ('c.h', 'int f(void);\n')):
            write(name, text)
            equal((name, is_clean()), (name, False))
            remember()
            equal((name, is_clean()), (name, True))


@test
def earlier_states_are_known_too():
    with checked() as (write, is_clean, remember):
        remember()
        write('c.h', 'extern int x, y;\n')
        remember()
        for text in ('extern int x;\n', 'extern int x, y;\n'):
            write('c.h', text)
            equal((text, is_clean()), (text, True))


@test
def a_header_that_is_gone_is_a_change():
    with checked() as (write, is_clean, remember):
        remember()
        write('b.h', '')
        equal(is_clean(), False)
        write('a.c', '#include "nowhere.h"\n')
        # Nothing is remembered of what cannot be compiled.
        remember()
        equal(is_clean(), False)


@test
def two_checkouts_share_what_is_known():
    here, there = TIDY.tree.ROOT, '/somewhere/else'
    keys = []
    for root in (here, there):
        TIDY.tree.ROOT = root
        command = [{'command': f'cc -I{root}/include -o x -c {root}/a.c', 'directory': f'{root}/build'}]
        keys.append(TIDY.folder_of('a.c', command, TIDY.hashlib.sha256()))
    TIDY.tree.ROOT = here
    equal(keys[0], keys[1])


if __name__ == '__main__':
    sys.exit(main())
