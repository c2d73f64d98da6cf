#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ntime compare beside hyperfine: compare [--comparisons N] [cost | same | differ ...]

cost: what the tools take for runs of a program that does nothing. same: how often a program is told apart from itself. differ: how
many runs it takes to tell apart two programs of which one takes 1 % longer.
"""
import argparse
import json
import math
import os
import re
import statistics
import sys
import tempfile
import time

import common

PAIRS = 20
COST_RUNS = 100
SAME_RUNS = 10
SAME = 'seq 20000'
# Turns of the spinner: some 20 ms.
TURNS = 32000
LONGER = 1.01
REPEATS = 5
# A share that is 5 % is found within so many standard errors of it.
ERRORS = 2
# The sentence of the metric that decides, up to that metric.
BY = r'by (?:(?:real|user|CPU) time|[\w:]+)'
SAID = re.compile(rf'\bB is [^(]+(?:\([^)]* times\) )?than A \(95 %: [^)]*\), {BY}|\bA and B: no difference(?: found {BY})?')


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
        self.ntime = common.need_built('cli/ntime')
        self.hyperfine = common.need_tool('hyperfine', 'hyperfine')
        self.report = os.path.join(folder, 'report')

    def compare(self, *words):
        """What ntime compare found: (decides, real), each whether there is a difference by the metric, and its whole report."""
        run([self.ntime, 'compare', *words], self.report)
        text = ' '.join(read(self.report).split())
        decision = SAID.search(text)
        if not decision:
            raise common.CannotRun(f'ntime compare {" ".join(words)}: its report is not understood: {text}')
        decides = decision.group(0).startswith('B is')
        real = decides and decision.group(0).endswith('real time') or re.search(r'real time(?: agrees| disagrees)?: -?[0-9]', text)
        return decides, bool(real), text

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


def cost(tools, _comparisons):
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


def same(tools, comparisons):
    alarms = {'ntime compare, the metric that decides': 0, 'ntime compare, real time': 0, 'hyperfine, t interval of real time': 0}
    for _ in range(comparisons):
        decides, real, _ = tools.compare('-n', str(SAME_RUNS), SAME, SAME)
        ratio, _, half = ratio_of(*tools.times(SAME_RUNS, SAME, SAME))
        for name, is_alarm in zip(alarms, (decides, real, abs(ratio - 1) > half)):
            alarms[name] += is_alarm
    common.print_table([f'"{SAME}" against itself, {SAME_RUNS} runs each', 'comparisons', 'false alarms', '%'],
                       [[name, str(comparisons), str(n), f'{100 * n / comparisons:.1f}'] for name, n in alarms.items()])
    most = 0.05 + ERRORS * math.sqrt(0.05 * 0.95 / comparisons)
    for name, n in list(alarms.items())[:2]:
        common.print_aim(f'at most 5 % false alarms, and {ERRORS} standard errors: {name}', n / comparisons <= most,
                         f'{100 * n / comparisons:.1f} % against {100 * most:.1f} %')


def verdict(ratio, half):
    if abs(ratio - 1) <= half:
        return 'no'
    return 'yes' if abs(ratio - LONGER) <= half else 'wrong'


def differ(tools, _comparisons):
    spinner = common.need_built('bench/workloads/spinner')
    a, b = (f'{spinner} {turns:.0f}' for turns in (TURNS, TURNS * LONGER))
    rows = []
    for _ in range(REPEATS):
        decides, real, text = tools.compare('--precision', '0.4%', a, b)
        runs = int(re.search(r' (\d+) runs', text).group(1))
        ratio, spread, half = ratio_of(*tools.times(runs, a, b))
        said = SAID.search(text).group(0).replace('B is ', '').replace(' than A', '').replace('A and B: ', '')
        rows.append([str(runs), said, 'yes' if decides else 'no', 'yes' if real else 'no',
                     f'{ratio:.4f} +- {spread:.4f}', verdict(ratio, spread), f'+- {half:.4f}', verdict(ratio, half)])
    common.print_table(['runs', 'ntime compare --precision 0.4%', 'found', 'by real', 'hyperfine, ratio', 'found', 't interval', 'found'],
                       rows)
    print('''B takes 1 % longer. runs: of each command, as many as ntime made until it ended by itself; hyperfine made as many. by real: real
time alone tells, too. hyperfine, ratio: as it prints it, with the standard deviation of single runs; t interval: of the ratio of
its means. wrong: it tells them apart, and 1 % is outside.''')


PARTS = {'cost': cost, 'same': same, 'differ': differ}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('--comparisons', type=int, default=100, help='of a program with itself')
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
            PARTS[name](tools, options.comparisons)


if __name__ == '__main__':
    common.run_main(main)
