#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What ntime gl costs in instructions: a program that never asks, and a monitor beside a session read."""
import os
import re
import subprocess
import tempfile

import common

ROUNDS = 1000
FRAMES = 100


def collected(folder, options, command, before=()):
    """Instructions of a command, or of the function that the options name."""
    with open(common.callgrind(folder, options, command, before), encoding='ascii', errors='replace') as f:
        return int(re.search(r'^totals: (\d+)', f.read(), re.M)[1])


def monitors(folder):
    program = common.need_built('gl/tests/extension/glperf_cost')
    cost = {}
    for what in ('monitors', 'reads'):
        # What happens once cancels.
        once, twice = (collected(folder, [f'--toggle-collect={what}'], [program, str(n)]) for n in (ROUNDS, 2 * ROUNDS))
        cost[what] = (twice - once) / ROUNDS
    common.print_table(['instructions of', 'ntime'], [['Begin and End of a monitor of 8 software counters', f'{cost["monitors"]:.0f}'],
                                                      ['ntime_session_read() of the same', f'{cost["reads"]:.0f}']])
    ratio = cost['monitors'] / cost['reads']
    common.print_aim('Begin and End at most twice a session read', ratio <= 2, f'{ratio:.2f}')


def swaps(folder):
    """What a swap costs beside the driver, with one counter, and what of it is libntime's."""
    ntime = common.need_built('count/cli/ntime')
    scene = common.need_built('gl/tests/programs/scene')
    valgrind = common.need_tool('valgrind', 'valgrind')
    out = os.path.join(folder, 'swaps')
    cost = {}
    for what in ('glp_frames_ending', 'glp_frames_ended', 'ntime_frame_end'):
        collected_of = []
        for frames in (ROUNDS, 2 * ROUNDS):
            subprocess.run([ntime, 'gl', '-q', '--csv', '/dev/null', '-e', 'page-faults', '--', valgrind, '--tool=callgrind',
                            f'--callgrind-out-file={out}', f'--toggle-collect={what}', scene, str(frames)], check=True, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, env={**os.environ, 'LP_NUM_THREADS': '0'})
            with open(out, encoding='ascii', errors='replace') as f:
                collected_of.append(int(re.search(r'^totals: (\d+)', f.read(), re.M)[1]))
        cost[what] = (collected_of[1] - collected_of[0]) / ROUNDS
    swap = cost['glp_frames_ending'] + cost['glp_frames_ended']
    common.print_table(['instructions of', 'ntime'], [['a swap with one counter, beside the driver', f'{swap:.0f}'],
                                                      ['ntime_frame_end() of the same', f'{cost["ntime_frame_end"]:.0f}']])
    ratio = swap / cost['ntime_frame_end']
    common.print_aim('a swap at most twice ntime_frame_end()', ratio <= 2, f'{ratio:.2f}')


def replays(folder):
    """eglretrace of frames that are alike, without threads and without a cache of shaders."""
    ntime = common.need_built('count/cli/ntime')
    scene = common.need_built('gl/tests/programs/scene')
    apitrace = common.need_tool('apitrace', 'apitrace')
    retrace = common.need_tool('eglretrace', 'apitrace')
    os.environ.update(WAFFLE_PLATFORM='surfaceless_egl', LP_NUM_THREADS='0', MESA_SHADER_CACHE_DISABLE='true')
    cost = {}
    for frames in (FRAMES, 2 * FRAMES):
        trace = os.path.join(folder, f'{frames}.trace')
        subprocess.run([apitrace, 'trace', '-a', 'egl', '-o', trace, scene, str(frames)], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        for what, before in (('plain', []), ('ntime gl', [ntime, 'gl', '-q', '--'])):
            cost[what, frames] = collected(folder, [], [retrace, '--headless', trace], before)
    rows, frames_of, start_of = [], {}, {}
    for what in ('plain', 'ntime gl'):
        frames_of[what] = cost[what, 2 * FRAMES] - cost[what, FRAMES]
        start_of[what] = cost[what, FRAMES] - frames_of[what]
        rows.append([what, f'{start_of[what]:,}', f'{frames_of[what]:,}'])
    common.print_table(['replay of a program that never asks', 'start-up', f'{FRAMES} frames'], rows)
    more = frames_of['ntime gl'] / frames_of['plain'] - 1
    common.print_aim(f'{FRAMES} frames at most 1 % more', more <= 0.01, f'{100 * more:.2f} %')
    started = (start_of['ntime gl'] - start_of['plain']) / 1e6
    common.print_aim('start-up at most 3 million instructions more', started <= 3, f'{started:.2f} million')


def main():
    with tempfile.TemporaryDirectory() as folder:
        monitors(folder)
        swaps(folder)
        replays(folder)


if __name__ == '__main__':
    common.run_main(main)
