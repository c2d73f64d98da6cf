# SPDX-License-Identifier: MIT
"""The terminal of the person in front: raw while a guest has it, its size, and text that fits into it."""
import contextlib
import os
import shutil
import signal
import termios
import textwrap
import tty


def size():
    """'ROWS COLUMNS' of the terminal."""
    columns, rows = os.get_terminal_size(0)
    return f'{rows} {columns}'


@contextlib.contextmanager
def raw(run, settings):
    """While a guest's command has the terminal: no echo, no signals from keys, size changes passed on. Else nothing."""
    if not settings.get('pty'):
        yield
        return
    before = termios.tcgetattr(0)
    old = signal.signal(signal.SIGWINCH, lambda *_: run.wake())
    tty.setraw(0)
    try:
        yield
    finally:
        termios.tcsetattr(0, termios.TCSADRAIN, before)
        signal.signal(signal.SIGWINCH, old)


def wrapped(title, text):
    """The text behind its title, in lines that fit."""
    width = min(shutil.get_terminal_size((100, 24)).columns, 110)
    return textwrap.fill(text, width, initial_indent=title, subsequent_indent=' ' * len(title), break_on_hyphens=False)
