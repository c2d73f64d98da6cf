#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""apitrace finds the counters by name and by number, and what it reads is right. Speaks TAP.

Usage: test_apitrace.py NTIME SCENE [-k WORD]; SCENE is gl/tests/programs/scene.c
"""
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import piglit
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../../base/tests'))
import command as t    # noqa: E402
from command import Directory, environment, equal, has, ntime    # noqa: E402
SCENE = os.path.abspath(sys.argv[2])
FRAMES = 100
BACKEND = 'GL_AMD_performance_monitor'
# HUD's name of each.
HUD = {'samples-passed': 'samples-passed', 'vertices-submitted': 'ia-vertices', 'primitives-submitted': 'ia-primitives',
       'vertex-shader-invocations': 'vs-invocations', 'clipping-output-primitives': 'clipper-primitives-generated',
       'fragment-shader-invocations': 'ps-invocations'}


def rectangles(frame):
    return frame % 7 + 1


def pixels(frame):
    """Of one of its rectangles."""
    return 8 * (frame % 5 + 1)


def test(function):
    """With a recording of the scene, in a folder of its own."""
    def checked():
        for program in ('apitrace', 'eglretrace'):
            if not shutil.which(program):
                raise t.Skip(f'{program} is not installed (package apitrace)')
        with Directory():
            record('scene.trace')
            function()

    checked.__name__ = function.__name__
    return t.test(checked)


def env(**more):
    return environment(**{'WAFFLE_PLATFORM': 'surfaceless_egl', **more})


def run(*command, **more):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=t.PATIENCE, check=False,
                          env=env(**more))
    if done.returncode == 77:
        raise t.Skip(done.stderr.decode().strip())
    return done


def record(path, *before):
    done = run(*before, 'apitrace', 'trace', '-a', 'egl', '-o', path, SCENE, str(FRAMES))
    equal(done.returncode, 0, done.stderr.decode())


def replay(*options, **more):
    done = ntime('gl', '--', 'eglretrace', '--headless', *options, 'scene.trace', env=env(**more))
    equal(done.returncode, 0, done.stderr.decode())
    # How long it took is another matter each time.
    return re.sub('^Rendered .*$', '', done.stdout.decode(), flags=re.M)


def frames(text, columns):
    """A row of numbers for each frame; '-' is no number. Behind the last swap apitrace sees one more."""
    lines = [line.split('\t') for line in text.splitlines() if line.startswith('frame\t')]
    equal(len(lines), FRAMES + 1)
    return [[int(cell) if cell != '-' else None for cell in line[-columns:]] for line in lines[:FRAMES]]


def draws(text, columns):
    lines = [line.split('\t') for line in text.splitlines() if '\tglDrawArrays\t' in line]
    return [[int(cell) for cell in line[-columns:]] for line in lines]


def metrics():
    """(group, counter): name, as apitrace lists them."""
    found, group = {}, 0
    for line in replay('--list-metrics').split(f'Backend {BACKEND}:')[1].split('Backend ')[0].splitlines():
        head = re.match(r'\s+Group #(\d+): ', line)
        row = re.match(r'\s+Metric #(\d+): (.*) \(type: ', line)
        group = int(head[1]) if head else group
        if row:
            found[group, int(row[1])] = row[2]
    return found


def number_of(name):
    return next(numbers for numbers, other in metrics().items() if other == name)


@test
def names_are_whole():
    listed = ntime('gl', 'list', '--csv').stdout.decode().splitlines()[1:]
    rows = [line.split(',') for line in listed]
    equal(metrics(), {(int(row[1]), int(row[2])): row[3] for row in rows if row[6] == 'yes'})


@test
def frames_are_arithmetic_by_name_and_by_number():
    want = [[rectangles(k) * pixels(k), 2 * rectangles(k), 6 * rectangles(k)] for k in range(FRAMES)]
    names = ('samples-passed', 'primitives-generated', 'vertices-submitted')
    got = frames(replay(f'--pframes={BACKEND}: {",".join(names)}'), 3)
    # llvmpipe may count nothing before it has drawn once.
    equal(got[1:], want[1:])
    group, _ = number_of(names[0])
    by_number = ','.join(f'[{group},{number_of(name)[1]}]' for name in names)
    equal(frames(replay(f'--pframes={BACKEND}: {by_number}'), 3)[1:], want[1:])


@test
def replays_are_equal_byte_for_byte():
    names = ','.join(HUD)
    first, *others = [replay(f'--pframes={BACKEND}: {names}') for _ in range(3)]
    equal(len(first.splitlines()) >= FRAMES, True)
    for other in others:
        equal(other, first)


@test
def draw_calls_are_what_apitrace_counts_itself():
    got = draws(replay(f'--pdrawcalls={BACKEND}: samples-passed; opengl: Pixels Drawn'), 2)
    calls = [pixels(k) for k in range(FRAMES) for _ in range(rectangles(k))]
    equal(len(got), len(calls))
    equal([row[0] for row in got][rectangles(0):], calls[rectangles(0):])
    own = draws(replay('--pdrawcalls=opengl: Pixels Drawn'), 1)
    equal([row[0] for row in own][rectangles(0):], calls[rectangles(0):])


def on_glx(program):
    """A screen, and Mesa's library for GLX opened for everybody by its own loader: who looks among all libraries must find ours."""
    def checked():
        try:
            with piglit.Screen() as screen:
                lists_and_counts(program, WAFFLE_PLATFORM='glx', DISPLAY=screen)
        except piglit.Absent as why:
            raise t.Skip(why) from why
    return checked


def lists_and_counts(program, **more):
    for front in ((), ('--preload',)):
        def replay_by(*options, before=front):
            done = ntime('gl', *before, '--', program, *options, 'scene.trace', env=env(**more))
            equal(done.returncode, 0, done.stderr.decode())
            return done.stdout.decode()

        listed = replay_by('--list-metrics')
        has(listed, f'Backend {BACKEND}:')
        for group in ('cpu', 'pipeline'):
            has(listed.split(f'Backend {BACKEND}:')[1], f': {group}')
        got = frames(replay_by('--headless', f'--pframes={BACKEND}: samples-passed'), 1)
        equal(got[1:], [[rectangles(k) * pixels(k)] for k in range(1, FRAMES)], f'{program} {front}')


@test
def eglretrace_on_glx():
    on_glx('eglretrace')()


@test
def glretrace_on_glx():
    on_glx('glretrace')()


@test
def eglretrace_preloaded():
    lists_and_counts('eglretrace')


@test
def passes_end():
    """apitrace finds out by Begin what fits into a pass. Here nothing needs a counter of hardware, so all do."""
    all_names = ','.join(metrics().values())
    has('\n' + replay('--gen-passes', f'--pframes={BACKEND}: {all_names}'), '\n1')


@test
def the_hud_sees_the_same():
    with piglit.Screen() as screen:
        os.mkdir('hud')
        done = run('eglretrace', 'scene.trace', WAFFLE_PLATFORM='x11_egl', DISPLAY=screen, GALLIUM_HUD=','.join(HUD.values()),
                   GALLIUM_HUD_VISIBLE='0', GALLIUM_HUD_PERIOD='0', GALLIUM_HUD_DUMP_DIR='hud')
        equal(done.returncode, 0, done.stderr.decode())
    ours = frames(replay(f'--pframes={BACKEND}: {",".join(HUD)}'), len(HUD))
    for column, theirs in enumerate(HUD.values()):
        with open('hud/' + theirs.replace('-', '_'), encoding='ascii') as f:
            # It has no number of the first frame, nor of the last one.
            dump = [round(float(line)) for line in f if line.strip()]
        equal(len(dump), FRAMES - 2, theirs)
        equal([row[column] for row in ours][1:FRAMES - 1], dump, theirs)


@test
def a_recording_through_us_replays_alike():
    want = frames(replay(f'--pframes={BACKEND}: samples-passed'), 1)
    record('scene.trace', t.NTIME, 'gl', '--')
    equal(frames(replay(f'--pframes={BACKEND}: samples-passed'), 1), want)


@test
def a_wrong_name_is_apitraces_to_tell():
    done = ntime('gl', '--', 'eglretrace', '--headless', f'--pframes={BACKEND}: nosuch', 'scene.trace', env=env())
    has(done.stdout.decode() + done.stderr.decode(), 'nosuch')


if __name__ == '__main__':
    sys.exit(t.main())
