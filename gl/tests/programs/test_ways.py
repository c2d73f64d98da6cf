#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Whatever way a program gets at OpenGL, it finds counters and they are right: under ntime gl and ntime gl --preload. Speaks TAP.

Usage: test_ways.py NTIME FOLDER [--whole] [-k WORD]; FOLDER has the programs of gl/tests/programs. With --whole each scenario in all ways,
without it but for drawing in two.
"""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
# pylint: disable=wrong-import-position
import piglit                # noqa: E402
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../../base/tests'))
import command as t    # noqa: E402
from command import Directory, environment, equal, has    # noqa: E402

test = t.test
FOLDER = os.path.abspath(sys.argv[2])
# Frames are counted, and nothing is printed.
FRAMES = ('-q', '--csv', '/dev/null', '-e', 'page-faults,samples-passed')
GLVND = (t.NTIME, 'gl', *FRAMES, '--')
PRELOAD = (t.NTIME, 'gl', '--preload', *FRAMES, '--')
EGL = (('ways', 'linked'), ('ways', 'default'), ('ways', 'early'), ('ways', 'late'),
       ('ways_loaded', 'loaded'), ('ways_loaded', 'early'), ('ways_loaded', 'late'))
IS_WHOLE = '--whole' in sys.argv


def run(*command, **more):
    """What it prints. It must end well, and be silent on standard error."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=t.PATIENCE, check=False,
                          env=environment(LIBGL_ALWAYS_SOFTWARE='true', **more))
    if done.returncode == 77:
        raise t.Skip(done.stderr.decode().strip())
    equal((done.returncode, t.err(done)), (0, ''), ' '.join(command))
    return done.stdout.decode()


def each(platforms, scenario, ways=()):
    """One scenario on these platforms, in its ways, by both front ends."""
    ways = ways or (EGL if IS_WHOLE or scenario == 'draw' else (EGL[0], EGL[-1]))
    try:
        with piglit.Screen() as display:
            for before in (GLVND, PRELOAD):
                for platform in platforms:
                    for program, way in ways:
                        run(*before, f'{FOLDER}/{program}', platform, way, scenario, DISPLAY=display)
    except piglit.Absent as why:
        raise t.Skip(why) from why


@test
def counters_are_found_on_egl():
    each(['egl'], 'draw')


@test
def counters_are_found_on_glx():
    """Old contexts in a window, and contexts with attributes in a buffer."""
    each(['glx', 'glx13'], 'draw')


@test
def egl_and_glx_in_one_program():
    each(['egl', 'glx'], 'both', [('ways', 'linked'), ('ways', 'default'), ('ways_loaded', 'loaded'), ('ways_loaded', 'late')])


@test
def two_contexts_in_two_threads():
    each(['egl', 'glx', 'glx13'], 'threads')


@test
def two_contexts_in_one_thread():
    each(['egl', 'glx', 'glx13'], 'switch')


@test
def contexts_destroyed_with_a_monitor():
    each(['egl', 'glx', 'glx13'], 'reuse')


@test
def threads_released():
    each(['egl'], 'release')


@test
def programs_that_fork():
    # In a window of GLX llvmpipe forgets at glFinish() what a query has counted, also without us.
    t.needs_perf(lambda: each(['egl', 'glx13'], 'fork'))()


@test
def what_the_cpu_does_and_what_is_drawn():
    t.needs_perf(lambda: each(['egl', 'glx', 'glx13'], 'mixed'))()


@test
def queries_of_the_program():
    each(['egl', 'glx', 'glx13'], 'queries')


@test
def programs_that_do_not_ask_see_the_same():
    def lines(text):
        """Without the name of the extension, blanks at the end, and the count that it is one of."""
        return [line.replace(' GL_AMD_performance_monitor', '').rstrip() for line in text.splitlines() if line != 'GL_AMD_performance_monitor'
                and not line.startswith('821d: ')]

    for program, way in EGL:
        command = (f'{FOLDER}/{program}', 'egl', way, 'strings')
        plain = lines(run(*command))
        for before in (GLVND, PRELOAD):
            text = run(*before, *command)
            has(text, 'GL_AMD_performance_monitor')
            equal([line for line in lines(text) if line not in plain], [], f'{before} {command}')
            equal(len(lines(text)), len(plain))


@test
def libepoxy_has_the_extension():
    if not os.path.exists(f'{FOLDER}/epoxy'):
        raise t.Skip('this build has no libepoxy (libepoxy-dev)')
    for before in (GLVND, PRELOAD):
        run(*before, f'{FOLDER}/epoxy')


@test
def two_vendors_in_one_program():
    with Directory() as folder:
        for name in ('10_a.json', '20_b.json'):
            with open(name, 'w', encoding='ascii') as f:
                json.dump({'file_format_version': '1.0.0', 'ICD': {'library_path': 'libEGL_mesa.so.0'}}, f)
        for scenario in ('draw', 'switch', 'threads', 'release'):
            run(*GLVND, f'{FOLDER}/ways', 'egl', 'linked', scenario, __EGL_VENDOR_LIBRARY_DIRS=folder)


@test
def searches_behind_others_begin_behind_them():
    equal(run(*PRELOAD, sys.executable, '-c', 'import ctypes; ctypes.CDLL(None).puts(b"text")', LD_PRELOAD=f'{FOLDER}/libbehind.so'), 'text\n')


@test
def names_are_not_found_without_gl():
    """Ours are in front of all libraries, but there is nothing that they could call."""
    names = ('glGetString', 'eglGetProcAddress', 'glXMakeCurrent', 'glBeginPerfMonitorAMD')
    text = ('import ctypes; c = ctypes.CDLL(None); c.dlsym.restype = ctypes.c_void_p; '
            f'print([c.dlsym(None, n.encode()) for n in {names}], [hasattr(c, n) for n in {names}])')
    equal(run(*PRELOAD, sys.executable, '-c', text), f'{[None] * len(names)} {[False] * len(names)}\n')


if __name__ == '__main__':
    sys.exit(t.main())
