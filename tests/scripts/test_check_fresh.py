#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""scripts/check-fresh: its arguments, and what it makes of the output of the commands that it runs. Speaks TAP."""
import contextlib
import importlib.machinery
import importlib.util
import io
import os
import sys

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [f'{ROOT}/base/tests', f'{ROOT}/scripts']
from tap import equal, holds, main, test  # noqa: E402  # pylint: disable=wrong-import-position

_loader = importlib.machinery.SourceFileLoader('check_fresh', f'{ROOT}/scripts/check-fresh')
fresh = importlib.util.module_from_spec(importlib.util.spec_from_loader('check_fresh', _loader))
_loader.exec_module(fresh)

GOOD = '''== unit tests
ok 1 - a
skipped: lab: x86-judges: judges: uncore_agrees: this guest's processor has no uncore PMU
skipped: unit: agree: cycles_agree: perf cannot count cycles here
unsteady: unit: watch: it ends
12 passed, 0 failed, 2 skipped
make[1]: Leaving directory '/srv/ntime'
'''


def refusal(*words):
    """What is said of wrong arguments."""
    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        try:
            fresh.parse(words)
        except SystemExit as error:
            equal(error.code, 2)
            return said.getvalue()
    raise AssertionError(f'{words} were taken')


@test
def both_commands_are_run():
    options = fresh.parse([])
    equal((options.commands, options.release, options.cache, options.keep, options.root),
          (['make run', 'make test'], 'bookworm', None, False, None))
    equal(fresh.parse(['--only', 'run']).commands, ['make run'])
    equal(fresh.parse(['--command', 'make test T=plan', '--command', 'make lint']).commands, ['make test T=plan', 'make lint'])


@test
def wrong_arguments_are_refused():
    holds(refusal('--only', 'lint'), 'invalid choice')
    holds(refusal('--only', 'run', '--command', 'true'), 'exclude each other')
    holds(refusal('--root', f'{ROOT}/build/fresh'), 'is inside the checkout')
    holds(refusal('--root', ROOT), 'is inside the checkout')
    holds(refusal('--cache', '/nonexistent/cache'), 'is no folder')
    equal(fresh.parse(['--root', f'{ROOT}-fresh']).root, f'{ROOT}-fresh')


@test
def a_green_run_is_green():
    counts, skipped, problems = fresh.judge('make test', 0, GOOD)
    equal((counts, len(skipped), problems), ('12 passed, 0 failed, 2 skipped', 2, []))
    equal(fresh.judge('make run', 0, '$ ntime\n'), ('', [], []))


@test
def a_red_run_is_red():
    def problems(status, text, command='make test'):
        return fresh.judge(command, status, text)[2]

    equal(problems(2, GOOD), ['"make test" ended with exit status 2'])
    equal(problems(1, '', 'make run'), ['"make run" ended with exit status 1'])
    equal(problems(0, 'all is well\n'), ['"make test" printed no line "N passed, N failed, N skipped"'])
    equal(problems(0, '0 passed, 0 failed, 0 skipped\n'), ['"make test" ran no test'])
    equal(problems(0, '9 passed, 0 failed, 2 skipped\n'), ['"make test" counts 2 skipped tests and lists 0'])
    equal(problems(0, 'failed: unit: plan: passes: see above\n9 passed, 1 failed, 0 skipped\n'),
          ['"make test": 1 tests failed', 'failed: unit: plan: passes: see above'])
    # The last count is the one that counts.
    equal(problems(0, '9 passed, 1 failed, 0 skipped\n10 passed, 0 failed, 0 skipped\n'), [])


@test
def skips_are_judged_by_their_reasons():
    for text, is_fine in (
            ('unit: linux: this kernel has no perf events', True),
            ('unit: cli: reg: the driver is loaded here', True),
            ('lab: x86-uncore: test_uncore: one: this guest has one CPU a socket', True),
            ('lab: x86-uncore: test_uncore: this guest has no second package', True),
            ('release: install: run use_rpi_pmu: this processor is no ARM1176', True),
            ('lab: x86-uncore: qemu-system-x86 is not installed; scripts/install-deps lab installs it', False),
            ('lab: arm64: the emulator of this machine has no such board', False),
            ('lab: what runs in guests cannot be built on this machine, see above', False),
            ('unit: agree: perf_agrees: perf is missing: apt-get install linux-perf', False),
            ('unit: trace: gzip: built without zlib', False),
            ('unit: claim: nobody: needs root, to become nobody', False),
            ('fuzz: clang-14 is not installed', False),
            ('unit: lab-boot: firmware: bios.bin is in none of /usr/share/qemu', False),
            ('release: install: use_cc.cc: there is no g++', False),
            ('unit: one: no reason given', False)):
        equal((text, not fresh.judge_skip(text)), (text, is_fine))


@test
def names_are_told_from_reasons():
    equal(fresh.parse_skip('unit: agree: one: perf: cannot do it'), (['unit', 'agree', 'one', 'perf'], 'cannot do it'))
    equal(fresh.parse_skip('lab: x86: cannot be built: see above'), (['lab', 'x86'], 'cannot be built: see above'))
    equal(fresh.parse_skip('lab'), ([], 'lab'))


@test
def nothing_of_this_machine_is_in_the_root():
    words = fresh.bareroot.enter('/r', 'make run', [('/cache', '/root/.cache/ntime')])
    inner = words[words.index('env'):]
    equal((words[words.index('sh') + 4:-len(inner)], inner[1]), (['/r', '/cache', '/root/.cache/ntime'], '-i'))
    equal(inner[-3:], ['sh', '-c', 'make run'])
    names = {word.split('=')[0] for word in inner[2:-3]}
    equal(names - {'PATH', 'HOME', 'TERM', *fresh.bareroot.KEPT_ENVIRONMENT}, set())
    equal('mount --bind' in ' '.join(fresh.bareroot.enter('/r', 'true')), False)


if __name__ == '__main__':
    sys.exit(main())
