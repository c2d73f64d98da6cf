#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Machines of thousands of CPUs: what is done for each of them does not grow with their number. Speaks TAP.

Usage: test_many_cpus.py NTIME [-k WORD]
Nothing is asserted about time: callgrind counts instructions, which are the same on a loaded machine.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../../base/tests'))
import command as t    # noqa: E402
from command import NTIME, PATIENCE, SIM, environment, equal, ntime    # noqa: E402
from machines import server    # noqa: E402
test = t.test
# Four times the CPUs may cost four times the instructions, 4.8 times what sorts them; were any loop quadratic, it were 16 times.
FEW, MANY, GROWTH = 512, 2048, 5


def machine(cpus):
    """A server with sockets of 256 CPUs; its file's name."""
    return server(cpus // 256, 128, 2)


def instructions(exe, folder, *args):
    tool = shutil.which('valgrind')
    if not tool:
        raise t.Skip('valgrind is not installed: scripts/install-deps test')
    # Meson has the C library fill what is allocated and freed: work of the test, counted differently from run to run.
    done = subprocess.run([tool, '--tool=callgrind', f'--callgrind-out-file={folder}/callgrind', exe, *args], env=environment(MALLOC_PERTURB_='0'),
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, encoding='utf-8', timeout=PATIENCE,
                          check=False)
    equal(done.returncode, 0, f'exit status of {" ".join(args)}, which said {done.stderr}')
    return int(re.search(r'Collected : (\d+)', done.stderr).group(1))


def check_growth(*args, exe=NTIME):
    """What is there with a single CPU, such as the tables of events, is not counted."""
    with tempfile.TemporaryDirectory() as folder:
        none, few, many = (instructions(exe, folder, *args, '--machine', machine(cpus)) for cpus in (256, FEW, MANY))
    per_cpu = (few - none) / (FEW - 256)
    growth = (many - none) / (few - none) * (FEW - 256) / (MANY - 256) * (MANY / FEW)
    print(f'# {" ".join(args)}: {none:,}, {few:,} and {many:,} instructions, {per_cpu:,.0f} a CPU', flush=True)
    if growth > GROWTH:
        raise AssertionError(f'{MANY // FEW} times the CPUs cost {growth:.1f} times the instructions, at most {GROWTH} are expected')


@test
def listing_is_linear():
    # Of the events, which are the same on each machine, the hashes of names cost now more, now less.
    check_growth('list', '--units')


@test
def counting_is_linear():
    check_growth('-a', '--timeout', '1ms', exe=SIM)


@test
def counting_in_passes_is_linear():
    check_growth('-a', '--timeout', '1ms', '-e', ','.join(f'cpu/event={code:#x}/' for code in range(0x80, 0x8c)), exe=SIM)


@test
def watching_is_linear():
    check_growth('watch', '-q', '-n', '1', '-i', '1ms', '--csv', '--per', 'thread', 'instructions', 'IPC', exe=SIM)


@test
def as_many_as_there_can_be():
    done = ntime('list', '--units', '--json', '--machine', machine(65536))
    equal(done.returncode, 0, 'exit status')
    units = {unit['name']: unit for unit in json.loads(done.stdout)['units']}
    equal(units['thermal']['cpus'].count(','), 32767, 'cores with a thermal status')


if __name__ == '__main__':
    sys.exit(t.main())
