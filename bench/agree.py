#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does ntime agree? Three workloads under ntime and perf stat in turns, beside what getrusage(2) says in the same run."""
import json
import os
import statistics
import subprocess
import tempfile

import common

ROUNDS = 7
EVENTS = ('page-faults', 'context-switches', 'task-clock')
WORKLOADS = (('forkstorm', 200), ('toucher', 5000), ('sleeper', 200))
# Event -> the member of the workloads' truth, the members of ntime's "time", and what makes the former's unit the event's.
RUSAGE = {
    'page-faults': ('faults', ('minor_faults', 'major_faults'), 1),
    'context-switches': ('switches', ('voluntary_switches', 'involuntary_switches'), 1),
    'task-clock': ('cpu_us', ('user_ns', 'sys_ns'), 1000),
}


class Run:
    """One run of a workload: counts by event, what the workload said of itself, and ntime's own rusage where there is one."""

    def __init__(self, counts, truth, rusage=None):
        self.counts = counts
        self.truth = truth
        self.rusage = rusage

    def told(self, event, part):
        """What getrusage(2) said inside the workload: of its "work" alone, of that without children ("own"), or "total" since the fork."""
        key, _, scale = RUSAGE[event]
        return self.truth[part][key] * scale


def workload(name):
    return common.need_built('bench/workloads/' + name)


def environment():
    return {**os.environ, 'LC_ALL': 'C'}


def ntime_counts(report):
    """Events that were counted, in full; what is absent or restricted to user mode is left out."""
    return {item['name']: item['count'] for item in report['items'] if 'count' in item and 'user-only' not in item['flags']}


def ntime_rusage(report):
    return {event: sum(report['time'][key] for key in keys) for event, (_, keys, _) in RUSAGE.items()
            if keys[0] in report['time']}


def measured(tool, command):
    """Run a tool that writes its report to the file {report}; what the file and what standard output had."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'report')
        done = subprocess.run([*tool, '-o', path, *command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, env=environment(), check=False)
        if done.returncode != 0:
            raise common.CannotRun(f'{" ".join([*tool, *command])}: exit status {done.returncode}\n{done.stderr}')
        with open(path, encoding='utf-8') as f:
            return f.read(), done.stdout


def truths(said):
    return [json.loads(line) for line in said.splitlines()]


def run_ntime(ntime, command, *options, events=EVENTS):
    text, said = measured([ntime, '--json', '-e', ','.join(events), *options], ['--', *command])
    report = json.loads(text.splitlines()[-1] if '-I' in options else text)
    return Run(ntime_counts(report), truths(said)[-1], ntime_rusage(report)), report, text


def perf_counts(text):
    """Lines "value,unit,event,..." of perf stat -x,; what perf could not count, or only in user mode (event:u), is left out."""
    counts = {}
    for line in text.splitlines():
        fields = line.split(',')
        if line.startswith('#') or len(fields) < 3 or not fields[0].strip() or fields[0].startswith('<'):
            continue
        counts[fields[2]] = float(fields[0]) * (1e6 if fields[1] == 'msec' else 1)
    return counts


def run_perf(perf, command, *options, events=EVENTS):
    text, said = measured([perf, 'stat', '-x,', '-e', ','.join(events), *options], ['--', *command])
    return Run(perf_counts(text), truths(said)[-1])


def median(values):
    values = list(values)
    return statistics.median(values) if None not in values else None


def shown(value, event):
    if value is None:
        return '-'
    if event == 'task-clock':
        return f'{value / 1e6:.2f} ms'
    return f'{value:.0f}'


def row(name, event, ours, peers):
    work = median(run.told(event, 'work') for run in ours)
    cells = [f'{name}: {event}', shown(work, event), shown(median(run.rusage[event] for run in ours), event)]
    for runs, rusage in ((ours, lambda run: run.rusage[event]), (peers, lambda run: run.told(event, 'total'))):
        counted = [run for run in runs if event in run.counts]
        if len(counted) < len(runs) or not runs:
            cells += ['-', '-', '-']
            continue
        cells += [shown(median(run.counts[event] for run in runs), event),
                  shown(median(run.counts[event] - run.told(event, 'work') for run in runs), event),
                  shown(median(rusage(run) - run.counts[event] for run in runs), event)]
    return cells


def main():
    ntime = common.need_built('count/cli/ntime')
    perf = common.need_tool('perf', 'linux-perf')
    rows = []
    for name, n in WORKLOADS:
        command = [workload(name), '--json', str(n)]
        ours, peers = [], []
        for _ in range(ROUNDS):
            ours.append(run_ntime(ntime, command)[0])
            peers.append(run_perf(perf, command))
        rows += [row(f'{name} {n}', event, ours, peers) for event in EVENTS]
    common.print_table(['workload and event', 'work', 'rusage', 'ntime', '- work', 'unseen', 'perf', '- work', 'unseen'], rows)
    print(f'''
Medians of {ROUNDS} runs in turns; differences are taken within each run. -: could not be counted ("ntime doctor" says why).
work    getrusage(2), children included, that the workload itself asked for before and after its work.
rusage  wait4(2) of the whole process, as ntime shows it with -v: from fork to the end.
- work  count less work: start-up (exec, the dynamic linker) and the end. For ntime and perf it should be the same.
unseen  rusage less count: what rusage has and no counter. For perf, which does not show wait4's figures, less what the workload
        asked for last.

Why rusage has more:
  page-faults       Faults between fork and exec are of the child that waits to become the workload: nobody's work, not counted.
                    And the kernel's own faults while exec copies the arguments go to rusage only. A constant: ntime's child
                    differs from perf's by a few.
  context-switches  A process that has ended switches away once more, after its counters were closed: one for each child of the
                    fork storm, if the parent did not look before. The wait at the door before exec is one more for ntime,
                    and saying that it stands there can be another.
  task-clock        It ends when the counters of a process are closed, since Linux 6.16 before its memory is torn down (do_exit()
                    calls perf_event_exit_task() before exit_mm()): a share of each child of the fork storm. And it is not
                    counted while one task is switched for another, which the scheduler accounts to one of them: a share of
                    each sleep. The other way round, it has stolen and interrupt time, which user + sys may lack.''')


if __name__ == '__main__':
    common.run_main(main)
