#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Frames under ntime gl: each has its own counts, however the program draws and ends. Speaks TAP.

Usage: test_frames.py NTIME SCENE [-k WORD]; SCENE is gl/tests/programs/scene.c
"""
import collections
import csv
import json
import os
import re
import shutil
import subprocess
import sys
import time
from xml.etree import ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../../base/tests'))
import command as t    # noqa: E402
import piglit    # noqa: E402
from command import Directory, environment, equal, err, has, ntime    # noqa: E402
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
def a_program_does_not_notice():
    """Not of descriptors, of which each counter takes one, and not in a list that is open when frames end."""
    _, series = run(str(FRAMES), 'many', options=('--frames', 'ring'))
    equal(([len(rows) for rows in series], counts(series[0])), ([3] + [1] * (FRAMES - 3), [want(1), want(2)]))
    done = ntime('gl', '-q', '--csv', 'f.csv', '--', 'sh', '-c', f'ulimit -n 64; exec {SCENE} {FRAMES} many')
    equal((done.returncode, err(done)), (0, ''))
    _, series = run(str(FRAMES), 'list')
    equal([row for k, row in enumerate(counts(series[0]), 1) if k not in (3, 4)], [want(k) for k in range(1, FRAMES) if k not in (3, 4)])


@test
def json_has_the_statistics():
    ntime('gl', '-q', '-e', 'samples-passed', '--json', 'f.json', '--', SCENE, str(FRAMES))
    with open('f.json', encoding='ascii') as f:
        of, = json.load(f)['drawables']
    equal(len(of['frames']), FRAMES)
    items = {item['name']: item for item in of['items']}
    equal(sorted(items), ['frame-time', 'samples-passed'])
    numbers = sorted(want(k)[0] for k in range(1, FRAMES))
    samples = items['samples-passed']
    equal([samples[key] for key in ('frames', 'median', 'min', 'max')], [FRAMES - 1, numbers[FRAMES // 2 - 1], numbers[0], numbers[-1]])
    equal(want(samples['max_frame'])[0], numbers[-1])


def blocks(*args, status=0, **more):
    """{counter: (options, statistics)} of a harness."""
    done = subprocess.run([t.NTIME, 'gl', 'harness', *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=t.PATIENCE, check=False,
                          env=environment(**more))
    equal(done.returncode, status, done.stderr.decode())
    found = {}
    for block in done.stdout.decode().split('OPTIONS:\n')[1:]:
        options, stats = (dict(word.split('=') for word in part.split()) for part in block.split('STATS:'))
        found[options.pop('counter')] = (options, stats)
    return found, done.stderr.decode()


@test
def the_harness_is_the_same_work_each_time():
    events = ('-e', 'samples-passed,vertices-submitted,primitives-generated')
    scene = ('--model', 'sphere', '--model-count', '27', '--num-frames', '20')
    first, _ = blocks(*events, *scene)
    options, stats = first['vertices-submitted']
    equal(options, {'model': 'sphere', 'model-count': '27', 'render-mode': 'vbo', 'texture': 'small', 'num-frames': '20', 'fullscreen': 'no'})
    # 96 by 48 fields of two triangles each.
    equal([float(stats[key]) for key in ('mean', 'min', 'max')], 3 * [27 * 96 * 48 * 6])

    def numbers(found):
        return {name: [stats[key] for key in ('mean', 'min', 'max')] for name, (_, stats) in found.items()}

    others = [(), ('--texture', 'large'), ('--render-mode', 'array'), ('--render-mode', 'immediate')]
    for more in others:
        equal(numbers(blocks(*events, *scene, *more)[0]), numbers(first), more)
    if shutil.which('Xvfb'):
        with piglit.Screen() as screen:
            equal(numbers(blocks(*events, *scene, '--window', DISPLAY=screen)[0]), numbers(first), 'in a window')
    if not shutil.which('apitrace'):
        raise t.Skip('apitrace is not installed')
    subprocess.run(['apitrace', 'trace', '-a', 'egl', '-o', 'a.trace', t.NTIME, 'gl', 'scene', *scene[:-1], '21'], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    replay, _ = blocks(*events, '--trace', 'a.trace', '--num-frames', '20')
    equal(numbers(replay), numbers(first), 'a recording')
    equal(replay['samples-passed'][0], {'trace': 'a', 'num-frames': '20'})
    _, text = blocks('--trace', 'a.trace', '--num-frames', '30')
    has(text, 'drew 21 frames of 31')


CUBE = ''.join(f'v {x} {y} {z}\n' for x in (0, 9) for y in (0, 9) for z in (0, 9))
FACES = 'f 1 2 4 3\nf 5 7 8 6\nf 1//1 5//1 6//1 2//1\nf -6/1 -5/2 -1/3 -2/4\nf 1 3 7 5\nf 2 6 8 4\n'


@test
def meshes_of_files():
    with open('cube.obj', 'w', encoding='ascii') as f:
        f.write('# a cube\no cube\n' + CUBE + 'vn 0 0 1\nvt 0 0\n' + FACES)
    found, _ = blocks('-e', 'primitives-generated', '--model', 'cube.obj', '--num-frames', '2')
    options, stats = found['primitives-generated']
    equal((options['model'], stats['mean']), ('cube', '12'))
    for text, part in ((None, 'cannot read the mesh bad.obj: No such file or directory'), ('', 'it has no face'), (CUBE, 'it has no face'),
                       ('\0\1\2', 'it has no face'), ('v 1 2\n', 'line 1: a vertex has no three numbers up to 1e15'),
                       ('v 1 2 nan\n', 'line 1: a vertex'), ('v 1 2 3e38\n', 'line 1: a vertex'), (CUBE + 'f 1 2\n', 'line 9: a face has fewer than three corners'),
                       (CUBE + 'f 1 2 9\n', 'line 9: a face has a vertex that is not there'), (CUBE + 'f 0 1 2\n', 'line 9: a face has a vertex'),
                       (CUBE + 'f 1 -9 2\n', 'a vertex that is not there'), (CUBE + 'f 1 x 2\n', 'no number of a vertex'),
                       (CUBE + 'f' + ' 1' * 65 + '\n', 'more than 64 corners')):
        if text is not None:
            with open('bad.obj', 'w', encoding='ascii') as f:
                f.write(text)
        found, said = blocks('--model', 'bad.obj', status=125)
        has(said, part)
        equal(found, {})


@test
def wrong_orders_of_the_harness():
    for args, part in ((('--model-count', '28'), '--model-count 28: say a number from 1 to 27'), (('--num-frames', '0'), '--num-frames 0'),
                       (('--render-mode', 'x'), "--render-mode takes immediate, array or vbo, not 'x'"), (('--texture', 'x'), "--texture takes small or large, not 'x'"),
                       (('--trace', 'x', '--texture', 'small'), '--trace is another work'), (('--trace', 'nosuch'), 'cannot read the recording nosuch'),
                       (('x',), "takes no argument, but there is 'x'"), (('--window',), 'no X server answers as DISPLAY=:987')):
        os.environ['DISPLAY'] = ':987'
        found, text = blocks(*args, status=125)
        has(text, part)
        equal(found, {})
    if shutil.which('eglretrace'):
        with open('none.trace', 'w', encoding='ascii') as f:
            f.write('nothing')
        found, text = blocks('--trace', 'none.trace', status=125)
        equal(text, 'ntime: none.trace is no recording of apitrace, or it is empty\n')


@test
def the_picture_shows_the_frame_that_is_slow():
    ntime('gl', '-q', '-e', 'samples-passed,primitives-generated', '--plot', 'f.svg', '--', SCENE, '3000')
    root = ElementTree.parse('f.svg').getroot()
    svg = '{http://www.w3.org/2000/svg}'
    # Frame 34 is the first of the largest; bars that share a pixel do not hide it.
    numbers = {circle.get('data-frame'): circle.get('data-value') for circle in root.iter(svg + 'circle')}
    equal((numbers.get('34'), numbers.get('6')), (str(want(34)[0]), str(want(6)[1])), numbers)
    equal(len(list(root.iter(svg + 'path'))), 3)
    texts = [''.join(text.itertext()) for text in root.iter(svg + 'text')]
    for text in ('frame time', 'samples-passed', 'median 80 ', 'worst 280 ', 'frame 34'):
        has(texts, text)


@test
def watch_shows_the_ring_meanwhile():
    gl = subprocess.Popen([t.NTIME, 'gl', '-q', '-e', ','.join(NAMES), '--frames', 'ring', '--', SCENE, '2000000'], stderr=subprocess.PIPE)
    try:
        end = time.monotonic() + t.PATIENCE
        while not os.path.exists('ring') and gl.poll() is None and time.monotonic() < end:
            time.sleep(0.01)
        done = ntime('watch', '--frames', 'ring', '--csv', '-n', '20')
    finally:
        # Passed on to the program, which would go on drawing.
        gl.terminate()
        gl.communicate()
    equal(done.returncode, 0, err(done))
    rows = list(csv.DictReader(done.stdout.decode().splitlines()))
    equal(len(rows), 20)
    for row in rows:
        for i, name in enumerate(NAMES):
            # What came later stands in the frame that was ended then.
            other = re.search(rf'{name}:frame=(\d+)', row['flags'])
            of = int(other[1] if other else row['frame'])
            equal(row[name] == '' and f'{name}:not-counted' in row['flags'] or of == 0 or int(row[name]) == want(of)[i], True, row)


@test
def glx_programs_have_the_frames_of_mesas_hud():
    """Two counters of the same frames in one program that is killed: whose gears turn by the clock."""
    for program in ('glxgears', 'Xvfb'):
        if not shutil.which(program):
            raise t.Skip(f'{program} is not installed (packages mesa-utils and xvfb)')
    names = {'samples-passed': 'samples-passed', 'vertices-submitted': 'ia-vertices', 'primitives-submitted': 'ia-primitives',
             'vertex-shader-invocations': 'vs-invocations', 'clipping-output-primitives': 'clipper-primitives-generated',
             'fragment-shader-invocations': 'ps-invocations'}
    os.mkdir('theirs')
    env = environment(GALLIUM_HUD_VISIBLE='0', GALLIUM_HUD_PERIOD='0', GALLIUM_HUD_DUMP_DIR='theirs', GALLIUM_HUD=','.join(names.values()))
    with piglit.Screen() as screen:
        done = subprocess.run([t.NTIME, 'gl', '-e', ','.join(names), '--hud', 'ours', 'timeout', '2', 'glxgears'],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=t.PATIENCE, check=False, env=env | {'DISPLAY': screen})
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
