# SPDX-License-Identifier: MIT
"""TAP for tests in Python: functions marked with @test, run in the order of the file."""
import os
import signal
import sys
import traceback

TESTS = []

# nohup(1) and shells that start jobs in the background let signals be ignored, and that is inherited by what tests start and signal.
for ignored in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2):
    if signal.getsignal(ignored) == signal.SIG_IGN:
        signal.signal(ignored, signal.SIG_DFL)


class Skip(Exception):
    """Cannot be tested here; the text says why."""


def test(function):
    """Mark a test."""
    TESTS.append(function)
    return function


def equal(got, wanted):
    """Fails with both values."""
    if got != wanted:
        raise AssertionError(f'{got!r}, expected {wanted!r}')


def holds(text, part):
    """Fails with the text."""
    if part not in text:
        raise AssertionError(f'{part!r} is not in {text!r}')


def raises(kind, part, function, *args):
    """Fails unless function raises kind with these words."""
    try:
        function(*args)
    except kind as e:
        holds(str(e), part)
        return
    raise AssertionError(f'{function.__name__} raised no {kind.__name__}')


def main():
    """Run all, or those whose name holds the argument, or those that TT_ONLY names; the exit status."""
    only = os.environ.get('TT_ONLY', '').split()
    chosen = [t for t in TESTS if (len(sys.argv) < 2 or sys.argv[1] in t.__name__) and (not only or t.__name__ in only)]
    print(f'1..{len(chosen)}', flush=True)
    failures = 0
    for number, one in enumerate(chosen, 1):
        try:
            one()
            print(f'ok {number} - {one.__name__}', flush=True)
        except Skip as e:
            print(f'ok {number} - {one.__name__} # SKIP {e}', flush=True)
        except Exception:  # pylint: disable=broad-except
            failures += 1
            for line in traceback.format_exc().rstrip().split('\n'):
                print(f'# {line}')
            print(f'not ok {number} - {one.__name__}', flush=True)
    return 1 if failures else 0
