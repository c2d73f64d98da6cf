#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The emulator (ntime --via emulator) counts of a program what a guest of the lab does, to the instruction. Speaks TAP.

Usage: test_emulated.py NTIME [WORD]
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import module
from tap import Skip, equal, main, test
from lab import build  # noqa: E402  (module.py has put it into the path)

NTIME = os.path.abspath(sys.argv.pop(1))
# Programs of lab/tests/workloads. That the PMU is right, test_exact.c says in the guest: no instruction is added by exec or exit.
WORKLOADS = ('loop 0', 'loop 1', 'loop 1000', 'loop 1000000', 'loop 2000000', 'straight 0', 'straight 1', 'straight 10', 'forks 0', 'forks 1',
             'forks 200', 'threads 1', 'threads 100', 'switches 1', 'switches 2000')
# In the guest, a line for each: the workload and ntime's report.
COUNT = ('cd /lab; for w; do ntime --json -o /tmp/out -e instructions:u -- ./$w || exit; '
         'echo "$w $(tr -d "\\n" </tmp/out)"; done')
STEPS = re.compile(r'^# (\w+ \d+): (\d+) single steps$', re.M)


def of_report(text):
    """The first number of a report, which must be whole."""
    item = json.loads(text)['items'][0]
    equal([flag for flag in item['flags'] if flag != 'emulated'], [])
    return item['count']


def by_pmu(guest):
    counts = {}
    for line in module.run_well(guest, '--', 'sh', '-c', COUNT, 'sh', *WORKLOADS).splitlines():
        name, n, report = line.split(' ', 2)
        counts[f'{name} {n}'] = of_report(report)
    equal(tuple(counts), WORKLOADS)
    return counts


def by_single_steps(guest):
    """For a PMU that does not tell user mode from the kernel."""
    counts = {workload: int(steps) for workload, steps in STEPS.findall(module.run_well(guest, '--', '/lab/test_workloads', '/lab'))}
    equal('loop 1000' in counts, True)
    return counts


def by_emulator(arch, workload, events):
    name, n = workload.split()
    with tempfile.TemporaryDirectory(prefix='ntime-lab-test-') as where:
        report = f'{where}/report'
        done = subprocess.run([NTIME, '--via', 'emulator', '--json', '-o', report, '-e', events, '--',
                               os.path.join(build.folder(arch), 'lab/tests', name), n], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, encoding='utf-8', errors='replace', check=False)
        equal((done.returncode, done.stderr), (0, ''))
        with open(report, encoding='utf-8') as f:
            return of_report(f.read())


def compare(guest, arch, emulator, count):
    if not shutil.which(emulator):
        raise Skip(f'{emulator} is not installed; the package is qemu-user')
    wanted = count(guest)
    # Alone, and with what makes the plugin look closer.
    for events in ('instructions', 'instructions,taken-branches,loads'):
        got = {workload: by_emulator(arch, workload, events) for workload in wanted}
        for workload, instructions in wanted.items():
            print(f'# {guest}: {workload}: {instructions}, in the emulator {got[workload]}')
        equal(got, wanted)


@test
def as_the_pmu_of_a_nehalem():
    compare('x86-nehalem', 'amd64', 'qemu-x86_64', by_pmu)


@test
def as_the_pmu_of_an_armv8():
    compare('arm64', 'arm64', 'qemu-aarch64', by_pmu)


@test
def as_the_pmu_of_a_riscv():
    compare('riscv64', 'riscv64', 'qemu-riscv64', by_pmu)


@test
def as_single_steps_of_a_power9():
    compare('ppc64el', 'ppc64el', 'qemu-ppc64le', by_single_steps)


if __name__ == '__main__':
    sys.exit(main())
