#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""piglit under ntime gl: its tests of GL_AMD_performance_monitor pass, its others give what they give without. Speaks TAP.

Usage: test_piglit.py NTIME [--whole] [-k WORD]; with --whole the others as well (programs.txt).
"""
import contextlib
import difflib
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
# pylint: disable=wrong-import-position
import piglit                # noqa: E402
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../../base/tests'))
import command as t    # noqa: E402
from command import equal    # noqa: E402

test = t.test
SUBTESTS = {'amd_performance_monitor_api': 34, 'amd_performance_monitor_measure': 4}
GL = (t.NTIME, 'gl', '--')
WINDOWLESS, EGL, GLX = 'surfaceless_egl', 'x11_egl', 'glx'
# The vendor library for GLX, of the same build.
GLX_LIBRARY = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(t.NTIME))), 'gl/extension/libGLX_ntime.so.0')


def with_glx(function):
    """Left out where the counters are for EGL alone."""
    return test(function) if os.path.exists(GLX_LIBRARY) else function


def whole_only(function):
    return test(function) if '--whole' in sys.argv else function


@contextlib.contextmanager
def prepared(names, platform):
    """(folder of the programs, display)"""
    try:
        folder = piglit.programs(names)
        if platform == WINDOWLESS:
            yield folder, ''
        else:
            with piglit.Screen() as display:
                yield folder, display
    except piglit.Absent as why:
        raise t.Skip(why) from why


def monitors_pass(platform):
    with prepared(list(SUBTESTS), platform) as (folder, display):
        for name, count in SUBTESTS.items():
            # Else the driver has the extension of its own, and what follows says nothing of ours.
            equal(piglit.run(folder, name, platform, display).results(), [('', 'skip')], f'{name} on {platform} without ntime gl')
            # A program that skips ends with 0 as well, so subtests are counted.
            done = piglit.run(folder, name, platform, display, GL)
            bad = [line for line in done.lines if '"pass"' not in line]
            equal((done.status, done.passed(), bad), (0, count, []), f'{name} on {platform}: status, subtests that pass, lines of others')


@test
def monitors_pass_without_a_window():
    monitors_pass(WINDOWLESS)


@test
def monitors_pass_on_egl():
    monitors_pass(EGL)


@with_glx
def monitors_pass_on_glx():
    monitors_pass(GLX)


def same(platform):
    """Programs of programs.txt for this platform give the same with and without ntime gl."""
    with open(f'{HERE}/programs.txt', encoding='ascii') as f:
        names = [line.strip() for line in f if line.strip() and not line.startswith('#')]
    names = [name for name in names if {'egl': EGL, 'glx': GLX}.get(name[:3], WINDOWLESS) == platform]
    different, results = [], 0
    with prepared(names, platform) as (folder, display):
        for name in names:
            plain, ours = (piglit.run(folder, name, platform, display, wrapper) for wrapper in ((), GL))
            results += len(plain.results())
            changes = [line for line in difflib.ndiff(plain.lines, ours.lines) if line[0] in '+-']
            if plain.status != ours.status or changes:
                different.append(f'{name}: exit status {ours.status}, without ntime gl {plain.status}; lines with + are of the run with it:')
                different += changes
    print(f'# {len(names)} programs on {platform} compared, {results} results, {len(different)} lines of differences', flush=True)
    if different:
        raise AssertionError('\n'.join(different))


@whole_only
def others_are_the_same_without_a_window():
    same(WINDOWLESS)


@whole_only
def others_are_the_same_on_egl():
    same(EGL)


@whole_only
def others_are_the_same_on_glx():
    same(GLX)


if __name__ == '__main__':
    sys.exit(t.main())
