#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Speed of ntime trace beside cat, grep, a C program with sscanf, and mawk, on a generated log. Arguments: bytes (2e9), rounds (5)."""
import os
import statistics
import subprocess
import sys
import tempfile
import time

import common

STYLES = ('classic', 'plain', 'iso', 'stap', 'program', 'ftrace', 'syslog')
AWK = r'''{ if (match($0, /region[0-9]+\+0x[0-9a-f]+/)) print substr($0, RSTART, RLENGTH), $NF }'''
SLOW_BYTES = 100_000_000  # the programs that take minutes get a part of the input
SET_UPS = ('-c', '170')  # a set-up of a counter in so many lines
FEW_BYTES = 2_500_000  # for callgrind, and eight times as much


def run(command, stdin=None):
    """Seconds: real, processor; peak memory in KiB."""
    began = time.perf_counter()
    with open(stdin or os.devnull, 'rb') as source:
        with subprocess.Popen(command, stdin=source, stdout=subprocess.PIPE if command[0] == 'grep' else subprocess.DEVNULL) as child:
            if child.stdout:
                child.stdout.read()
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
    real = time.perf_counter() - began
    if child.returncode != 0:
        raise common.CannotRun(f'{" ".join(command)}: exit status {child.returncode}')
    return real, usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def rounds_of(rows, rounds):
    """A B C A B C: what disturbs the machine disturbs all alike."""
    times = {name: [] for name, _, _ in rows}
    for _ in range(rounds):
        for name, command, _ in rows:
            times[name].append(run(command))
    return times


def show(rows, times, cat):
    print(f'{"work":34} {"real s":>8} {"cpu s":>8} {"GB/s":>7} {"/ cat":>6} {"RSS MiB":>8}')
    for name, _, size in rows:
        real, cpu = (statistics.median(t[i] for t in times[name]) for i in (0, 1))
        rate = size / real / 1e9
        print(f'{name:34} {real:8.2f} {cpu:8.2f} {rate:7.2f} {rate / cat:6.3f} {max(t[2] for t in times[name]) / 1024:8.1f}')


def generate(folder, style, size, *options):
    path = os.path.join(folder, f'{style}-{size}{"".join(options)}.log')
    with open(path, 'wb') as out:
        subprocess.run([common.need_built('bench/generate'), '-s', style, '-b', str(size), *options], stdout=out, check=True)
    return path


def instructions(folder, command):
    with open(common.callgrind(folder, [], command), encoding='ascii', errors='replace') as f:
        return next(int(line.split()[1]) for line in f if line.startswith('summary:') or line.startswith('totals:'))


def show_derive(folder, ntime):
    """Set-ups of counters in one line of two: the work for one must not grow with the log."""
    counts = []
    for size in (FEW_BYTES, 8 * FEW_BYTES):
        log = generate(folder, 'classic', size, '-c', '20')
        counts.append(instructions(folder, [ntime, 'trace', 'derive', '-q', '--tsv', '-o', '/dev/null', log]))
        os.unlink(log)
        print(f'derive, {size} bytes: {counts[-1] / size:.1f} instructions a byte')
    common.print_aim('eight times the log takes derive at most 9 times the instructions', counts[1] <= 9 * counts[0],
                     f'{counts[1] / counts[0]:.2f} times')


def main():
    size = int(float(sys.argv[1])) if len(sys.argv) > 1 else 2_000_000_000
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    ntime = common.need_built('count/cli/ntime')
    scan, mawk = common.need_built('bench/scan'), common.need_tool('mawk', 'mawk')
    with tempfile.TemporaryDirectory(prefix='ntime-bench-') as folder:
        log = generate(folder, 'classic', size)
        part = generate(folder, 'classic', min(size, SLOW_BYTES))
        counters = generate(folder, 'classic', min(size, SLOW_BYTES), *SET_UPS)
        convert = [ntime, 'trace', 'convert', '-q', '--to', 'mmiotrace', '-o', '-']
        rows = [
            ('cat', ['cat', log], size),
            ('wc -l', ['wc', '-l', log], size),
            ('grep -c vfio_region_write', ['grep', '-c', 'vfio_region_write', log], size),
            ('convert', convert + [log], size),
            ('convert, device and range', convert + ['--device', '0000:05:00.0', '--range', '0x1000-0x1fff', log], size),
            ('convert --to json', [ntime, 'trace', 'convert', '-q', '--to', 'json', '-o', '-', log], size),
            ('convert --to binary', [ntime, 'trace', 'convert', '-q', '--to', 'binary', '-o', '-', log], size),
            ('stat', [ntime, 'trace', 'stat', '-q', log], size),
            ('show', [ntime, 'trace', 'show', '-q', log], size),
            ('derive', [ntime, 'trace', 'derive', '-q', '--tsv', counters], os.path.getsize(counters)),
            ('getline + sscanf + printf', [scan, part], os.path.getsize(part)),
            ('mawk', [mawk, AWK, part], os.path.getsize(part)),
        ]
        times = rounds_of(rows, rounds)
        cat = size / statistics.median(t[0] for t in times['cat']) / 1e9
        print(f'{size} bytes, medians of {rounds} rounds, output to /dev/null')
        show(rows, times, cat)
        os.unlink(log)
        show_derive(folder, ntime)
        rows = []
        for style in STYLES:
            path = generate(folder, style, size // 10)
            rows.append((f'convert, prefix {style}', convert + [path], os.path.getsize(path)))
        print('\nprefixes:')
        show(rows, rounds_of(rows, rounds), cat)


if __name__ == '__main__':
    try:
        main()
    except common.CannotRun as why:
        sys.exit(f'bench/trace.py: {why}')
