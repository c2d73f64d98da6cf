# SPDX-License-Identifier: MIT
"""Results of test programs: TAP counted in single cases, tests that pass only when they run alone, the slowest parts.

An Outcome is one run of one program. Results.add() counts it; where it failed, it is run again alone by the function given, and
what passes then counts as passed and is listed as unsteady. More unsteady ones than allowed are a failure themselves.
"""
import re

SHOWN_LINES = 60
SLOWEST = 10
# So many failed programs in one part are broken, not unsteady: they are not run again.
AGAIN_AT_MOST = 10
RESULT = re.compile(r'(not )?ok\b\s*(?:\d+)?\s*(?:-\s*)?([^#]*?)\s*(?:#\s*(skip\S*|todo)\b\s*(.*))?$', re.IGNORECASE)
PLAN = re.compile(r'1\.\.(\d+)\s*(?:#\s*skip\S*\s*(.*))?$', re.IGNORECASE)
# What base/tests/run-tap says at the end.
CPU = re.compile(r'^# cpu ([0-9.]+) s$', re.MULTILINE)


class Outcome:
    """One run of a program: its name, what it printed, why it ended badly ("" where it did not), seconds."""

    def __init__(self, name, text, ended='', seconds=0.0):
        self.name, self.text, self.ended, self.seconds = name, text, ended, seconds
        cpu = CPU.findall(text)
        self.cpu = float(cpu[-1]) if cpu else None

    def is_tap(self):
        return any(RESULT.match(line) or PLAN.match(line) for line in self.text.split('\n'))


class Counts:
    """What is in one outcome: a number, and lists of (name, reason)."""

    def __init__(self):
        self.passed, self.failed, self.skipped = 0, [], []

    def add_line(self, program, line):
        """Count one line; True when it is a result."""
        plan = PLAN.match(line)
        # Without a reason it is none: nobody could act on it.
        if plan and plan.group(1) == '0' and plan.group(2):
            self.skipped.append((program, plan.group(2)))
            return True
        case = RESULT.match(line)
        if not case:
            return False
        name = f'{program}: {case.group(2)}'
        kind = (case.group(3) or '').lower()
        if kind.startswith('skip') and not case.group(1):
            self.skipped.append((name, case.group(4) or 'no reason given'))
        elif case.group(1) or kind:
            self.failed.append((name, 'see above'))
        else:
            self.passed += 1
        return True


def count(outcome):
    """The cases of an outcome. A program that ends badly without a failed case is one failure more, and so is one with fewer
    results than it planned."""
    counts, results, planned = Counts(), 0, None
    for line in outcome.text.split('\n'):
        plan = PLAN.match(line)
        if plan:
            planned = int(plan.group(1))
        results += counts.add_line(outcome.name, line)
    if counts.failed:
        return counts
    if outcome.ended:
        counts.failed.append((outcome.name, outcome.ended))
    elif planned and results < planned:
        counts.failed.append((outcome.name, f'{results} results of {planned} that it planned'))
    elif not results:
        counts.failed.append((outcome.name, 'no result of a single test'))
    return counts


def shown(text):
    """The lines of a program's output that say what went wrong, the last of them where they are many."""
    lines = text.rstrip('\n').split('\n')
    said = [line for line in lines if line.startswith(('# ', 'not ok', 'Bail out!'))] or lines
    return said[-SHOWN_LINES:]


def last(text):
    """The end of a program's output."""
    return text.rstrip('\n').split('\n')[-SHOWN_LINES:]


class Results:
    """The whole run. unsteady_allowed: how many tests may pass only when run again alone."""

    def __init__(self, unsteady_allowed):
        self.allowed = unsteady_allowed
        self.passed, self.failed, self.skipped = 0, [], []
        self.unsteady, self.slow = [], []

    def took(self, name, seconds, cpu=None):
        """Something for the list of slowest parts."""
        self.slow.append((seconds, cpu, name))

    def fail(self, name, why):
        """A failure that is no test's: something could not be built or started."""
        self.failed.append((name, why))

    def add(self, outcomes, again=None):
        """Count outcomes. again(outcome) runs that program once more, alone, and returns its Outcome."""
        counted = [(outcome, count(outcome)) for outcome in outcomes]
        bad = sum(bool(counts.failed) for _, counts in counted)
        for outcome, counts in counted:
            self.took(outcome.name, outcome.seconds, outcome.cpu)
            if counts.failed:
                print(f'-- {outcome.name}', *shown(outcome.text), sep='\n', flush=True)
                if again and bad <= AGAIN_AT_MOST:
                    counts = self.once_more(outcome, counts, again)
            self.passed += counts.passed
            self.failed += counts.failed
            self.skipped += counts.skipped

    def once_more(self, outcome, counts, again):
        """The counts that hold after a second run."""
        print(f'-- {outcome.name} failed and is run again alone', flush=True)
        second = again(outcome)
        anew = count(second)
        skipped = {name for name, _ in anew.skipped}
        # What is skipped the second time did not pass.
        if anew.failed or not anew.passed or any(name in skipped for name, _ in counts.failed):
            print(*shown(second.text), sep='\n', flush=True)
            return counts
        self.unsteady.append((outcome, counts.failed, second))
        return anew

    def report(self):
        """Lists and the summary, whose line is returned; self.failed is complete after it."""
        lines = ['']
        lines += [f'skipped: {name}: {why}' for name, why in self.skipped]
        lines += ['', 'slowest:    seconds    CPU']
        for seconds, cpu, name in sorted(self.slow, key=lambda one: -one[0])[:SLOWEST]:
            lines.append(f'{seconds:19.1f} {"     -" if cpu is None else f"{cpu:6.1f}"}  {name}')
        if len(self.unsteady) > self.allowed:
            self.failed.append(('unsteady', f'{len(self.unsteady)} tests failed and passed when run again alone, '
                                            f'{self.allowed} may'))
        lines += [''] + [f'failed: {name}: {why}' for name, why in self.failed]
        for first, failed, second in self.unsteady:
            lines.append(f'unsteady: {first.name}: passed when it was run again alone')
            lines += [f'    failed first: {name}: {why}' for name, why in failed]
            lines += ['    first:  ' + line for line in last(first.text)]
            lines += ['    second: ' + line for line in last(second.text)]
        print('\n'.join(lines))
        return f'{self.passed} passed, {len(self.failed)} failed, {len(self.skipped)} skipped'
