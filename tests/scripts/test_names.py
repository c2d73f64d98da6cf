#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""scripts/names.py: which test a name means. Speaks TAP."""
import os
import sys
import tempfile

import common
import names
from tap import equal, main, test

GUEST = ['base/tests/run-tap', '/x/lab/test-guest', '--timeout', '1500', '--with', 'perf', '--driver', 'arm64', 'exact', 'judges']


def all_of(where):
    """Entries of a few tests; the sources of one of them are made in the folder."""
    source = os.path.join(where, 'test_plan.c')
    with open(source, 'w', encoding='utf-8') as f:
        f.write('TEST(fits)\n{\n}\n/* TEST(not_me) */\nTEST(needs_two)\n{\n}\n')
    script = os.path.join(where, 'test_command.py')
    with open(script, 'w', encoding='utf-8') as f:
        f.write('@test\ndef runs():\n    pass\n\n\n@screen_test\ndef draws():\n    pass\n\n\n@t.test\n@needs_perf\ndef counts():\n    pass\n'
                '\n\ndef helper():\n    pass\n')
    tests = [names.Test('unit', 'plan', ['run-tap', 'test_plan'], ['plan'], [source]),
             names.Test('release', 'command', ['run-tap', script, 'ntime'], ['process'], [script]),
             names.Test('release', 'install', ['test-install'], ['install']),
             names.Test('lab', 'lab-arm64', GUEST, ['guest']),
             names.Test('fuzz', 'plan')]
    return [entry for one in tests for entry in names.entries_of(one)]


def found(text):
    """What a name means, best first, as (name, case)."""
    with tempfile.TemporaryDirectory() as where:
        return [(e.name(), e.program, e.case) for e in names.find(all_of(where), text)]


@test
def programs_are_found_by_any_end_of_their_name():
    equal(found('unit: plan'), [('unit: plan', '', '')])
    # The first of them is run.
    equal(found('plan'), [('unit: plan', '', ''), ('fuzz: plan', '', '')])
    equal(found('fuzz: plan'), [('fuzz: plan', '', '')])
    equal(found('command'), [('release: command', '', '')])
    equal(found(' unit:  plan '), [('unit: plan', '', '')])


@test
def cases_are_found_in_their_sources():
    for text in ('fits', 'plan: fits', 'unit: plan: fits'):
        equal(found(text), [('unit: plan: fits', '', 'fits')])
    equal(found('not_me'), [])
    equal(found('helper'), [])


@test
def cases_of_scripts_are_found_by_their_mark():
    for name in ('runs', 'draws', 'counts'):
        equal(found(name), [(f'release: command: {name}', '', name)])


@test
def programs_in_guests_are_found():
    equal(names.Test('lab', 'x', GUEST).guest(), (['--timeout', '1500', '--with', 'perf', '--driver', 'arm64'], ['exact', 'judges']))
    equal(found('lab-arm64: exact')[0], ('lab: lab-arm64: exact', 'exact', ''))
    equal(found('lab: lab-arm64'), [('lab: lab-arm64', '', '')])
    # Cases of what runs in a guest stand in the tree.
    cases = names.cases_of([f'{common.ROOT}/lab/tests/guest/test_exact.c'])
    equal(found(f'exact: {cases[0]}')[0], (f'lab: lab-arm64: exact: {cases[0]}', 'exact', cases[0]))


@test
def a_program_whose_cases_cannot_be_seen_takes_any():
    equal(found('install: the header compiles'), [('release: install: the header compiles', '', '')])
    equal(found('unit: plan: nothing'), [])
    equal(found('nothing: the header compiles'), [])


@test
def nearest_names():
    with tempfile.TemporaryDirectory() as where:
        entries = all_of(where)
    equal(names.nearest(entries, 'unit: pla')[0], 'unit: plan')
    equal(names.nearest(entries, 'lab-arm46')[0], 'lab: lab-arm64')
    equal(names.nearest(entries, 'need_two')[0], 'unit: plan: needs_two')
    equal(names.nearest(entries, ''), [])


if __name__ == '__main__':
    sys.exit(main())
