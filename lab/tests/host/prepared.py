# SPDX-License-Identifier: MIT
"""What tests of the preparation share, on top of tap.py: a folder and a cache of its own for each test, values with names."""
import contextlib
import functools
import io
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../../base/tests'))
import tap    # noqa: E402
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path.insert(0, ROOT)
sys.dont_write_bytecode = True


def test(function):
    """Mark a test, which gets an empty folder; the lab's cache is another one."""
    @tap.test
    @functools.wraps(function)
    def in_folder():
        with tempfile.TemporaryDirectory(prefix='ntime-lab-test-') as folder:
            os.environ['XDG_CACHE_HOME'] = os.path.join(folder, 'cache')
            function(folder)
    return in_folder


def equal(got, want, what):
    if got != want:
        raise AssertionError(f'{what} is {got!r}, expected {want!r}')


def has(text, part, what):
    if part not in text:
        raise AssertionError(f'{what} is {text!r}, which does not contain {part!r}')


def raises(kind, function, *args):
    """The text of the exception that function(*args) must raise."""
    try:
        result = function(*args)
    except kind as error:
        return str(error)
    raise AssertionError(f'{function} returned {result!r} and did not raise {kind.__name__}')


@contextlib.contextmanager
def said():
    """What is written to stderr inside, as a StringIO."""
    text = io.StringIO()
    with contextlib.redirect_stderr(text):
        yield text
