#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Put the models of this tree into Debian's QEMU source: insert.py SOURCE_DIR

Nothing of QEMU is kept here: the hooks (hooks_*.py) name their places by pattern. A place that is not found exactly as
often as it should be ends the run with one sentence, before anything was written. Repeating it is safe: what a file was
before is kept beside it as FILE.before-ntime, and each run starts from that.
"""
import os
import re
import shutil
import sys
from typing import NamedTuple

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BEFORE = '.before-ntime'
# QEMU's own include folders that our sources name with <...>; not all of include/, which has files named like the
# system's.
FOREIGN = ('exec', 'hw', 'qapi', 'qemu', 'qom', 'sysemu')


class Hook(NamedTuple):
    """One place in QEMU: where, what to put there and why."""
    file: str
    pattern: str        # regular expression; ^ and $ match at lines, '.' also newlines
    how: str            # 'before', 'after' or 'replace' what the pattern matches; \1 in text is its first group
    text: str
    why: str
    times: int = 1


class NotFound(Exception):
    """A place is not where it was in the version these hooks were written for."""


def apply(text, hook):
    """The text of hook.file with the hook in it."""
    pattern = re.compile(hook.pattern, re.MULTILINE | re.DOTALL)
    found = len(pattern.findall(text))
    if found != hook.times:
        raise NotFound(f'{hook.file}: found {found} times instead of {hook.times}: {hook.pattern!r} ({hook.why}); '
                       f'this is another version of QEMU than the hooks were written for')

    def put(match):
        new = match.expand(hook.text)
        if hook.how == 'before':
            return new + match.group(0)
        return match.group(0) + new if hook.how == 'after' else new
    return pattern.sub(put, text)


def original(source, name):
    """The file as it came with the source package."""
    path = os.path.join(source, name)
    if os.path.exists(path + BEFORE):
        path += BEFORE
    try:
        with open(path, encoding='utf-8') as f:
            return f.read()
    except OSError as e:
        raise NotFound(f'{path}: {e.strerror}: this is no QEMU source, or another version than the hooks were written '
                       f'for') from e


def changed_files(source, hooks):
    """{file: (text before, text with all its hooks)}"""
    files = {}
    for hook in hooks:
        before, now = files.get(hook.file) or (original(source, hook.file),) * 2
        files[hook.file] = (before, apply(now, hook))
    return files


def write(path, text):
    """Only when it differs: an untouched file is not compiled again."""
    if os.path.exists(path):
        with open(path, encoding='utf-8') as f:
            if f.read() == text:
                return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path + '.new', 'w', encoding='utf-8') as f:
        f.write(text)
    os.replace(path + '.new', path)


def copied_files(copies):
    """{path below SOURCE/ntime: text} of our own sources: rows, models, glue."""
    files = {}
    for folder in ('core/base', 'core/regs', 'core/models', 'lab/qemu'):
        for name in sorted(os.listdir(os.path.join(ROOT, folder))):
            if name.endswith(('.c', '.h')):
                with open(os.path.join(ROOT, folder, name), encoding='utf-8') as f:
                    files[f'ntime/{folder}/{name}'] = f.read()
    for to, name in copies.items():
        with open(os.path.join(HERE, name), encoding='utf-8') as f:
            files[to] = f.read()
    return files


def link_foreign(source):
    folder = os.path.join(source, 'ntime', 'include')
    os.makedirs(folder, exist_ok=True)
    for name in FOREIGN:
        if not os.path.islink(os.path.join(folder, name)):
            os.symlink(f'../../include/{name}', os.path.join(folder, name))


def load():
    """All hooks and copies of the hooks_*.py beside this file, in the order of their names."""
    hooks, copies = [], {}
    sys.path.insert(0, HERE)
    sys.modules['insert'] = sys.modules[__name__]
    for name in sorted(os.listdir(HERE)):
        if name.startswith('hooks_') and name.endswith('.py'):
            module = __import__(name[:-3])
            hooks += module.HOOKS
            copies.update(module.COPIES)
    return hooks, copies


def insert(source):
    """Change the source; returns how many places were found."""
    hooks, copies = load()
    files = changed_files(source, hooks)
    for name, (before, now) in files.items():
        path = os.path.join(source, name)
        if not os.path.exists(path + BEFORE):
            shutil.copy2(path, path + BEFORE)
        write(path, now)
    for name, text in copied_files(copies).items():
        write(os.path.join(source, name), text)
    link_foreign(source)
    return len(hooks)


def main():
    sys.dont_write_bytecode = True
    if len(sys.argv) != 2:
        print('usage: insert.py SOURCE_DIR', file=sys.stderr)
        return 2
    try:
        print(f'{insert(sys.argv[1])} places in {sys.argv[1]}')
    except NotFound as e:
        print(f'insert.py: {e}', file=sys.stderr)
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
