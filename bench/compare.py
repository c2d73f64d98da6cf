#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ntime compare beside hyperfine: compare [--comparisons N] [--beside NTIME] [--program NAME] [cost | same | power | differ ...]

cost: what the tools take for runs of a program that does nothing. same: how often a program is told apart from itself. power: how
often one that takes 1 or 2 % longer is told apart. differ: how many runs that takes. Of "same" and "power" --beside runs another
ntime in turns with this one.
"""
import argparse
import json
import math
import os
import statistics
import sys
import tempfile
import time

import common

PAIRS = 20
COST_RUNS = 100
# Rounds (0: it stops by itself), and which share of --comparisons is made of them.
MODES = ((50, 1), (0, 1), (400, 5))
# Times that "power" shall tell apart, and the share of --comparisons.
FACTORS = (1.01, 1.02)
POWER_SHARE = 4
# Turns of the spinner: some 20 ms.
TURNS = 32000
LONGER = 1.01
REPEATS = 5
# A share that is 5 % is found within so many standard errors of it.
ERRORS = 2


def run(argv, output=None):
    """(wall seconds, CPU seconds of the process and all that it waited for); what it prints goes to the file output."""
    to = os.open(output or os.devnull, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    quiet = os.open(os.devnull, os.O_RDWR)
    begin = time.monotonic()
    pid = os.posix_spawn(argv[0], argv, os.environ, file_actions=[
        (os.POSIX_SPAWN_DUP2, quiet, 0), (os.POSIX_SPAWN_DUP2, to, 1), (os.POSIX_SPAWN_DUP2, quiet, 2)])
    _, status, used = os.wait4(pid, 0)
    wall = time.monotonic() - begin
    os.close(to)
    os.close(quiet)
    if status:
        raise common.CannotRun(f'{" ".join(argv)}: wait status {status}')
    return wall, used.ru_utime + used.ru_stime


def read(path):
    with open(path, encoding='utf-8') as f:
        return f.read()


class Tools:
    """Both, and a folder for what they write."""

    def __init__(self, folder):
        self.ntime = common.need_built('count/cli/ntime')
        self.hyperfine = common.need_tool('hyperfine', 'hyperfine')
        self.report = os.path.join(folder, 'report')

    def compare(self, *words, ntime=None):
        """The report of ntime compare, and what it has of the metric that decides."""
        run([ntime or self.ntime, 'compare', '--json', *words], self.report)
        report = json.loads(read(self.report))
        return report, next(change for change in report['changes'] if change['decides'])

    def times(self, runs, *commands):
        """hyperfine's times of each run of each command."""
        run([self.hyperfine, '-N', '--warmup', '0', '--runs', str(runs), '--export-json', self.report, *commands])
        return [result['times'] for result in json.loads(read(self.report))['results']]


def t_quantile(degrees):
    """Of Student's t, two-sided 95 %, by the expansion of R. A. Fisher and E. A. Cornish; right to three digits from 5 degrees on."""
    z = statistics.NormalDist().inv_cdf(0.975)
    return (z + (z**3 + z) / (4 * degrees) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * degrees**2)
            + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * degrees**3))


def ratio_of(a, b):
    """Of means: the ratio, the standard deviation that hyperfine prints behind it, and half of the t interval."""
    shares = [statistics.stdev(times) / statistics.mean(times) for times in (a, b)]
    ratio = statistics.mean(b) / statistics.mean(a)
    spread = ratio * math.hypot(*shares)
    return ratio, spread, t_quantile(len(a) - 1) * spread / math.sqrt(len(a))


def cost(tools, _options):
    true = common.need_tool('true', 'coreutils')
    commands = {'ntime compare': [tools.ntime, 'compare', '-n', str(COST_RUNS), true, true],
                'hyperfine': [tools.hyperfine, '-N', '--warmup', '0', '--runs', str(COST_RUNS), true, true]}
    found = {name: [] for name in commands}
    for _ in range(PAIRS):
        for name, argv in commands.items():
            found[name].append(run(argv))
    medians = {name: [statistics.median(column) * 1e3 for column in zip(*runs)] for name, runs in found.items()}
    common.print_table([f'{2 * COST_RUNS} runs of true', 'wall ms', 'CPU ms', 'wall us a run', 'CPU us a run'],
                       [[name, f'{wall:.1f}', f'{cpu:.1f}', f'{wall * 500 / COST_RUNS:.0f}', f'{cpu * 500 / COST_RUNS:.0f}']
                        for name, (wall, cpu) in medians.items()])
    print(f'medians of {PAIRS} starts of each in turns, with all that they start')
    for i, what in enumerate(('wall', 'CPU')):
        a, b = (medians[name][i] for name in commands)
        common.print_aim(f'ntime compare takes no longer than hyperfine, {what}', a <= b, f'{a:.1f} ms against {b:.1f} ms: {a / b:.2f}')


def programs(options):
    """Name -> the command line of so many times its work."""
    spinner = common.need_built('bench/workloads/spinner')
    every = {'2 ms': lambda factor: f'{spinner} {TURNS / 10 * factor:.0f}', '30 ms': lambda factor: f'{spinner} {TURNS * 1.5 * factor:.0f}',
             'sleeps': lambda factor: f'sleep {0.002 * factor:.6f}'}
    return {name: line for name, line in every.items() if name in (options.program or every)}


def tell_apart(tools, options, rounds, n, a, b):
    """For each ntime: how many of n comparisons differ by what decides, and by any metric of the report."""
    ntimes = [tools.ntime] + ([options.beside] if options.beside else [])
    found = [[0, 0] for _ in ntimes]
    for _ in range(n):
        for ntime, of in zip(ntimes, found):
            report, change = tools.compare(*(['-n', str(rounds)] if rounds else []), a, b, ntime=ntime)
            of[0] += change['differs']
            of[1] += any(change.get('differs') for change in report['changes'])
    return found


def shares(found, n):
    return [f'{100 * part / n:.1f}' for of in found for part in of]


def head(options):
    return ['n', 'decides', 'any line'] + (['beside: decides', 'any line'] if options.beside else [])


def same(tools, options):
    """A program against itself; the two command lines differ by a blank, so that neither is left out as named twice."""
    rows, worst = [], []
    for name, line in programs(options).items():
        for rounds, share in MODES:
            n = max(options.comparisons // share, 1)
            found = tell_apart(tools, options, rounds, n, line(1), line(1) + ' ')
            rows.append([f'{name}, {rounds or "by itself"}', str(n), *shares(found, n)])
            worst.append((found[0][1] / n - 0.05) / math.sqrt(0.05 * 0.95 / n))
            print(*rows[-1], sep='  ', flush=True)
    common.print_table(['% told apart from itself, rounds', *head(options)], rows)
    common.print_aim(f'at most 5 % false alarms in any line, and {ERRORS} standard errors', max(worst) <= ERRORS,
                     f'{max(worst):.1f} standard errors above 5 %')


def power(tools, options):
    rows = []
    n = max(options.comparisons // POWER_SHARE, 1)
    for name, line in programs(options).items():
        for factor in FACTORS:
            found = tell_apart(tools, options, MODES[0][0], n, line(1), line(factor))
            rows.append([f'{name}, {factor} times', str(n), *shares(found, n)])
            print(*rows[-1], sep='  ', flush=True)
    common.print_table([f'% told apart, {MODES[0][0]} rounds', *head(options)], rows)


def verdict(ratio, half):
    if abs(ratio - 1) <= half:
        return 'no'
    return 'yes' if abs(ratio - LONGER) <= half else 'wrong'


def differ(tools, _options):
    spinner = common.need_built('bench/workloads/spinner')
    a, b = (f'{spinner} {turns:.0f}' for turns in (TURNS, TURNS * LONGER))
    rows = []
    for _ in range(REPEATS):
        report, change = tools.compare('--precision', '0.4%', a, b)
        runs = len(report['commands'][0]['rounds'])
        real = any(of.get('differs') for of in report['changes'] if of['metric'] == 'real')
        ratio, spread, half = ratio_of(*tools.times(runs, a, b))
        said = f'{change["factor"]:.4f} ({change["low"]:.4f} .. {change["high"]:.4f}), {report["by"]}'
        rows.append([str(runs), said, 'yes' if change['differs'] else 'no', 'yes' if real else 'no',
                     f'{ratio:.4f} +- {spread:.4f}', verdict(ratio, spread), f'+- {half:.4f}', verdict(ratio, half)])
    common.print_table(['runs', 'ntime compare --precision 0.4%', 'found', 'by real', 'hyperfine, ratio', 'found', 't interval', 'found'],
                       rows)
    print('''B takes 1 % longer. runs: of each command, as many as ntime made until it ended by itself; hyperfine made as many. by real: real
time alone tells, too. hyperfine, ratio: as it prints it, with the standard deviation of single runs; t interval: of the ratio of
its means. wrong: it tells them apart, and 1 % is outside.''')


PARTS = {'cost': cost, 'same': same, 'power': power, 'differ': differ}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('--comparisons', type=int, default=100, help='of a program with itself')
    parser.add_argument('--beside', metavar='NTIME', help='another ntime, for "same" and "power"')
    parser.add_argument('--program', action='append', help='of "same" and "power": 2 ms, 30 ms or sleeps; may be repeated')
    parser.add_argument('part', nargs='*', help=', '.join(PARTS) + '; without any: all')
    options = parser.parse_args()
    for name in options.part:
        if name not in PARTS:
            parser.error(f"there is no part '{name}'")
    with tempfile.TemporaryDirectory() as folder:
        tools = Tools(folder)
        for i, name in enumerate(options.part or PARTS):
            print('\n' if i else '', end='')
            sys.stdout.flush()
            PARTS[name](tools, options)


if __name__ == '__main__':
    common.run_main(main)
