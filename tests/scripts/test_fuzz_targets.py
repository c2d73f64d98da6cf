#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The table of fuzz targets in tests/fuzz/meson.build, and what scripts/fuzz keeps. Speaks TAP."""
import contextlib
import glob
import io
import os
import stat
import sys
import tempfile

import common
import fuzz_targets
from tap import equal, main, test

FUZZ = common.program('fuzz')
# What libFuzzer does when it merges: here all files, under the names that they have.
MERGES = '#!/bin/sh\nfor last; do :; done\nwhile [ "$1" != "" ] && [ ! -d "$1" ]; do shift; done\nto=$1\nshift\n' \
         'for from; do cp "$from"/* "$to" 2>/dev/null; done\nexit 0\n'


@test
def each_target_has_a_row_and_each_row_a_target():
    os.chdir(common.ROOT)
    files = sorted(os.path.basename(path)[len('fuzz_'):-2] for path in glob.glob('**/tests/fuzz/fuzz_*.c', recursive=True))
    equal(sorted(fuzz_targets.parsers()), files)


@test
def each_target_has_seeds_that_are_not_cut():
    for name, row in fuzz_targets.parsers().items():
        seeds = glob.glob(f'{fuzz_targets.seeds(name)}/*')
        equal((name, bool(seeds)), (name, True))
        equal([seed for seed in seeds if os.path.getsize(seed) > row['bytes']], [])


@test
def each_pattern_is_of_some_source():
    for name, row in fuzz_targets.parsers().items():
        for pattern in row['sources']:
            equal((name, pattern, bool(glob.glob(pattern))), (name, pattern, True))


@test
def the_document_lists_them():
    with open('docs/security.md', encoding='utf-8') as f:
        lines = f.read().split('\n')
    table = fuzz_targets.table()
    at = lines.index(table[0])
    equal(lines[at:at + len(table) + 1], [*table, ''])


def write(path, text, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w', encoding='utf-8') as f:
        f.write(text)
    os.chmod(path, mode)


def merged(program):
    """Names of what is kept after a run that found "new", where "old" was kept."""
    with tempfile.TemporaryDirectory() as folder, common.said():
        os.chdir(folder)
        os.environ['XDG_CACHE_HOME'] = os.path.join(folder, 'cache')
        kept = fuzz_targets.kept('x')
        write('build-fuzz/tests/fuzz/fuzz_x', program, 0o755 | stat.S_IXUSR)
        write('build-fuzz/found/x/new', 'n')
        write(f'{kept}/old', 'o')
        FUZZ.merge('x', 'build-fuzz/found/x', kept)
        names = sorted(os.listdir(kept))
        rest = sorted(os.listdir(os.path.dirname(kept)))
        os.chdir(common.ROOT)
    equal(rest, ['x', 'x.lock'])
    return names


@test
def what_was_found_is_kept():
    equal(merged(MERGES), ['new', 'old'])


@test
def nothing_is_lost_when_merging_fails():
    equal(merged('#!/bin/sh\nexit 1\n'), ['old'])
    equal(merged('#!/bin/sh\nexit 0\n'), ['old'])


@test
def a_cache_that_cannot_be_made_is_no_failure():
    with tempfile.TemporaryDirectory() as folder, common.said() as said:
        os.chdir(folder)
        write('./file', '')
        write('found/new', 'n')
        FUZZ.merge('x', 'found', 'file/x')
        os.chdir(common.ROOT)
    equal('nothing is kept' in said.getvalue(), True)


def refused(*words, seconds='1'):
    """The exit status of scripts/fuzz that is asked so, before it builds anything; 0: it would."""
    before, sys.argv = sys.argv, ['fuzz', *words]
    os.environ['FUZZ_SECONDS'] = seconds
    try:
        with contextlib.redirect_stderr(io.StringIO()):
            FUZZ.arguments()
        return 0
    except SystemExit as end:
        return end.code
    finally:
        sys.argv = before
        del os.environ['FUZZ_SECONDS']


@test
def what_cannot_be_asked_is_refused_at_once():
    equal([refused(*words) for words in ((), ('text',), ('--same', 'text', 'driver'), ('--coverage', 'text'), ('--table',))], [0] * 5)
    equal([refused(*words) for words in (('--bogus',), ('nosuch',), ('text', 'nosuch'), ('--same', '--coverage'), ('--coverage', 'driver'))], [2] * 5)
    equal([refused('text', seconds=seconds) for seconds in ('x', '-1', '0', '60')], [2, 2, 2, 0])


if __name__ == '__main__':
    sys.exit(main())
