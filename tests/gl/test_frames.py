#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Frames under ntime gl: each has its own counts, however the program draws and ends. Speaks TAP.

Usage: test_frames.py NTIME SCENE [-k WORD]; SCENE is tests/gl/scene.c
"""
import collections
import csv
import json
import os
import shutil
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'cli'))
import test_command as t
from test_command import Directory, environment, equal, err, has, ntime

t.TESTS.clear()
SCENE = os.path.abspath(sys.argv[2])
FRAMES = 100
NAMES = ('samples-passed', 'primitives-generated', 'vertices-submitted')


def test(function):
    def checked():
        with Directory():
            function()

    checked.__name__ = function.__name__
    return t.test(checked)


def want(frame):
    """What scene.c draws in a frame."""
    rectangles = frame % 7 + 1
    return [rectangles * 8 * (frame % 5 + 1), 2 * rectangles, 6 * rectangles]


def run(*args, status=0, events=(*NAMES, 'page-faults'), options=(), **more):
    done = ntime('gl', '-e', ','.join(events), '--csv', 'f.csv', *options, '--', SCENE, *args, env=environment(**more))
    if done.returncode == 77:
        raise t.Skip(err(done).splitlines()[0])
    equal(done.returncode, status, err(done))
    with open('f.csv', encoding='ascii') as f:
        rows = list(csv.DictReader(f))
    series = collections.defaultdict(list)
    for row in rows:
        series[row['drawable']].append(row)
    for of in series.values():
        equal([row['frame'] for row in of], [str(i) for i in range(len(of))])
        equal([i for i, row in enumerate(of) if 'first' in row['flags'].split()], [0])
    return err(done), list(series.values())


def counts(rows):
    return [[int(row[name]) if row[name] else None for name in NAMES] for row in rows[1:]]


@test
def frames_are_arithmetic_by_each_way():
    for options in ((), ('--preload',)):
        text, series = run(str(FRAMES), options=options)
        equal([counts(rows) for rows in series], [[want(k) for k in range(1, FRAMES)]], options)
        has(text, f'\n scene: {FRAMES - 1} frames in ')
        equal(max(len(line) for line in text.splitlines()) <= 80, True, text)


@test
def each_drawable_has_its_own():
    # Frame k of one surface is frame 2 k of the drawing, and of the other frame 2 k + 1.
    text, series = run(str(FRAMES), 'two')
    equal([counts(rows) for rows in series], [[want(2 * k + i) for k in range(1, FRAMES // 2)] for i in range(2)])
    has(text, 'drawable 2: ')
    _, series = run(str(FRAMES), 'threads')
    equal([counts(rows) for rows in series], 2 * [[want(k) for k in range(1, FRAMES)]])
    _, series = run(str(FRAMES), 'flush')
    equal([counts(rows) for rows in series if len(rows) > 1], [[want(k) for k in range(1, FRAMES)]])


@test
def however_it_ends_there_is_a_report():
    for how, status, n in (('exit', 3, FRAMES - 1), ('abort', -6, FRAMES - 1), ('none', 0, 0), ('wrong', 0, 2)):
        text, series = run(str(FRAMES), how, status=status)
        equal(sum(len(rows) - 1 for rows in series), n, how)
        has(text, 'no frame: it swapped no buffers' if how == 'none' else f'{n} frames in ')
        for rows in series:
            done = [row for row in counts(rows) if None not in row]
            # A result that the driver has not given yet is no number, and all others are right.
            equal(len(done) >= n - 8, True, how)
            equal(done, [want(k) for k in range(1, len(done) + 1)], how)
    has(text, 'frame 3 could not be swapped')


@test
def json_has_the_statistics():
    ntime('gl', '-q', '-e', 'samples-passed', '--json', 'f.json', '--', SCENE, str(FRAMES))
    with open('f.json', encoding='ascii') as f:
        of, = json.load(f)['drawables']
    equal(len(of['frames']), FRAMES)
    items = {item['name']: item for item in of['items']}
    equal(sorted(items), ['frame-time', 'page-faults', 'samples-passed', 'task-clock'])
    numbers = sorted(want(k)[0] for k in range(1, FRAMES))
    samples = items['samples-passed']
    equal([samples[key] for key in ('frames', 'median', 'min', 'max')], [FRAMES - 1, numbers[FRAMES // 2 - 1], numbers[0], numbers[-1]])
    equal(want(samples['max_frame'])[0], numbers[-1])


@test
def watch_shows_the_ring_meanwhile():
    gl = subprocess.Popen([t.NTIME, 'gl', '-q', '-e', ','.join(NAMES), '--frames', 'ring', '--', SCENE, '2000000'], stderr=subprocess.PIPE)
    try:
        end = time.monotonic() + t.PATIENCE
        while not os.path.exists('ring') and gl.poll() is None and time.monotonic() < end:
            time.sleep(0.01)
        done = ntime('watch', '--frames', 'ring', '--csv', '-n', '20')
    finally:
        gl.kill()
        gl.communicate()
    equal(done.returncode, 0, err(done))
    rows = list(csv.DictReader(done.stdout.decode().splitlines()))
    for row in rows:
        words = dict(word.split('=') for word in row['flags'].split() if word.startswith('frame='))
        if row['name'] in NAMES and row['value'] and int(words.get('frame', row['sample'])):
            equal(int(row['value']), want(int(words.get('frame', row['sample'])))[NAMES.index(row['name'])])


@test
def glx_programs_have_the_frames_of_mesas_hud():
    """Two counters of the same frames in one program that is killed: whose gears turn by the clock."""
    for program in ('glxgears', 'xvfb-run'):
        if not shutil.which(program):
            raise t.Skip(f'{program} is not installed (packages mesa-utils and xvfb)')
    names = {'samples-passed': 'samples-passed', 'vertices-submitted': 'ia-vertices', 'primitives-submitted': 'ia-primitives',
             'vertex-shader-invocations': 'vs-invocations', 'clipping-output-primitives': 'clipper-primitives-generated',
             'fragment-shader-invocations': 'ps-invocations'}
    os.mkdir('theirs')
    env = environment(GALLIUM_HUD_VISIBLE='0', GALLIUM_HUD_PERIOD='0', GALLIUM_HUD_DUMP_DIR='theirs', GALLIUM_HUD=','.join(names.values()))
    done = subprocess.run(['xvfb-run', '-a', t.NTIME, 'gl', '-e', ','.join(names), '--hud', 'ours', 'timeout', '2', 'glxgears'],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=t.PATIENCE, check=False, env=env)
    equal(done.returncode, 124, done.stderr.decode())
    for ours, theirs in names.items():
        with open(f'ours/{ours}', encoding='ascii') as one, open(f'theirs/{theirs.replace("-", "_")}', encoding='ascii') as other:
            one, other = ([float(line) for line in f] for f in (one, other))
        # What it had not written yet when it was killed is not there.
        n = min(len(one), len(other)) - 8
        equal(n > 20, True, f'{len(one)} and {len(other)}')
        equal(one[:n], other[:n], ours)


if __name__ == '__main__':
    sys.exit(t.main())
