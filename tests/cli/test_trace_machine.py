#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ntime trace opens no machine: its actions work where libntime refuses to open one. Speaks TAP.

Usage: test_trace_machine.py NTIME --fake [-k WORD]; NTIME has tests/cli/fake_api.c in place of libntime.
"""
import os
import sys
import tempfile

import test_command as t
from test_command import equal, err, has, ntime

t.TESTS.clear()
test = t.test
LOG = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../examples/g96-vfio.log')
CLOSED = 'closed'


def run(*args, status=0):
    done = ntime('trace', *args, fake=CLOSED)
    if done.returncode != status:
        raise AssertionError(f'{args}: exit status {done.returncode}, expected {status}: {err(done)}')
    return done.stdout.decode()


@test
def the_machine_is_closed():
    """Else the tests below could not fail."""
    done = ntime('list', fake=CLOSED)
    equal(done.returncode, 125, 'exit status')
    has(err(done), 'the machine is closed')


@test
def every_action_on_logs_works():
    has(run('info', LOG), 'chip G96')
    has(run('show', LOG), 'PMC.BOOT_0')
    has(run('stat', LOG), 'PMC.BOOT_0')
    has(run('state', LOG), 'PMC.BOOT_0')
    has(run('lookup', '--chip', 'G96', '0'), 'PMC.BOOT_0')
    # Registers are hexadecimal, whatever their digits are.
    for address in ('400084', '0x400084', '0X400084'):
        has(run('lookup', '--chip', 'G96', address), '0x400084 ')
    has(run('derive', LOG), 'G96')
    run('diff', LOG, LOG)
    has(run('cost', LOG, LOG), 'within the spread')


@test
def logs_are_converted():
    with tempfile.TemporaryDirectory(prefix='ntime-trace-') as folder:
        for form in ('mmiotrace', 'binary', 'json', 'vfio'):
            path = f'{folder}/{form}'
            run('convert', '--to', form, LOG, '-o', path)
            equal(os.path.getsize(path) > 0, True, form)


@test
def the_doctor_looks_at_files_alone():
    with tempfile.TemporaryDirectory(prefix='ntime-trace-') as folder:
        has(run('doctor', '--root', folder, '--log', LOG, status=1), 'accesses')


if __name__ == '__main__':
    sys.exit(t.main())
