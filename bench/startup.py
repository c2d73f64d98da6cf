#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What it costs to start: ntime and perf stat around a program that does nothing, in turns."""
import statistics
import subprocess

import common

ROUNDS = 200


def measure(spawn, commands):
    """For each command: medians of wall and processor time in ms, largest peak of memory in KiB, minima of the times."""
    text = subprocess.run([spawn, str(ROUNDS), *[' '.join(c) for c in commands]], check=True, stdout=subprocess.PIPE,
                          text=True).stdout
    runs = [[] for _ in commands]
    for line in text.splitlines():
        number, wall, cpu, memory, status = (int(field) for field in line.split('\t'))
        if status != 0:
            raise common.CannotRun(f'{" ".join(commands[number])}: exit status {status}')
        runs[number].append((wall / 1e6, cpu / 1e3, memory))
    found = []
    for run in runs:
        walls, cpus, memories = zip(*run)
        found.append((statistics.median(walls), statistics.median(cpus), max(memories), min(walls), min(cpus)))
    return found


def main():
    spawn = common.need_built('bench/spawn')
    ntime = common.need_built('count/cli/ntime')
    least = common.need_built('bench/least')
    perf = common.need_tool('perf', 'linux-perf')
    true = common.need_tool('true', 'coreutils')
    commands = [[true], [ntime, true], [perf, 'stat', true],
                [ntime, '-e', 'task-clock', true], [perf, 'stat', '-e', 'task-clock', true], [least, true]]
    names = ['true', 'ntime true', 'perf stat true', 'ntime -e task-clock true', 'perf stat -e task-clock true', 'least true']
    found = measure(spawn, commands)
    common.print_table(['command', 'wall ms', 'min', 'CPU ms', 'min', 'peak KiB'],
                       [[name, f'{wall:.2f}', f'{least_wall:.2f}', f'{cpu:.2f}', f'{least_cpu:.2f}', str(memory)]
                        for name, (wall, cpu, memory, least_wall, least_cpu) in zip(names, found)])
    print(f'''
wall, CPU (user + system, the command's and what it ran): median and minimum of {ROUNDS} runs in turns. peak: most resident memory
of any run. least: a program that does nothing but fork, open four of the kernel's own events, exec, wait and read.
''')
    for ours, peers in ((1, 2), (3, 4)):
        for i, (what, digits, most, share) in enumerate((('wall ms', 2, 1 / 4, 'a quarter'), ('CPU ms', 2, 1 / 4, 'a quarter'),
                                                         ('peak KiB', 0, 1 / 3, 'a third'))):
            a, b = found[ours][i], found[peers][i]
            common.print_aim(f'{names[ours]} at most {share} of {names[peers]}, {what}', a <= b * most,
                             f'{a:.{digits}f} against {b:.{digits}f}: {a / b:.2f}')


if __name__ == '__main__':
    common.run_main(main)
