# SPDX-License-Identifier: MIT
"""Where the modules of scripts/ and the helpers of the lab's tests are found; what a test prints is kept from its TAP."""
import contextlib
import importlib.machinery
import importlib.util
import io
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path[:0] = [os.path.join(ROOT, 'scripts'), os.path.join(ROOT, 'base/tests')]


def program(name):
    """A program of scripts/ without ending in .py, as a module."""
    loader = importlib.machinery.SourceFileLoader(name.replace('-', '_') + '_program', os.path.join(ROOT, 'scripts', name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


@contextlib.contextmanager
def said():
    """What is printed in it."""
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        yield text
