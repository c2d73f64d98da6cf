#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The files of the tree: what git tracks or would track; without git, everything but build directories. Of the yard that TREE_YARD names alone.

As a program: print those whose names end as the arguments say (none: all of them).
"""
import os
import subprocess
import sys

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def _walk():
    for folder, folders, names in os.walk(ROOT):
        if folder == ROOT:
            folders[:] = [f for f in folders if f != '.git' and f != 'build' and not f.startswith('build-')]
        folders[:] = [f for f in folders if f != '__pycache__']
        for name in names:
            yield os.path.relpath(os.path.join(folder, name), ROOT)


def files(*endings):
    """Paths from the root, sorted, of files that exist and whose names end so."""
    git = subprocess.run(['git', '-C', ROOT, 'ls-files', '-z', '-co', '--exclude-standard'],
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    # A tree inside somebody else's repository is none of git's business.
    known = git.stdout.decode().split('\0') if git.returncode == 0 else []
    names = known if 'Makefile' in known else _walk()
    yard = os.environ.get('TREE_YARD')
    return sorted(n for n in set(names) if n and (not endings or n.endswith(endings)) and
                  (not yard or n.startswith(yard + '/')) and os.path.isfile(os.path.join(ROOT, n)))


def read(name):
    """Text of a file; bytes that are no UTF-8 are replaced."""
    with open(os.path.join(ROOT, name), encoding='utf-8', errors='replace') as f:
        return f.read()


def is_script(name):
    with open(os.path.join(ROOT, name), 'rb') as f:
        return f.read(2) == b'#!'


def finish(findings, summary):
    """Print the findings, or one line that says what was looked at; the exit status of a check."""
    for finding in findings:
        print(finding)
    if findings:
        print(f'{len(findings)} finding{"s" if len(findings) > 1 else ""}')
        return 1
    print(summary)
    return 0


if __name__ == '__main__':
    for path in files(*sys.argv[1:]):
        print(path)
