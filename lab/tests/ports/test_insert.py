#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lab/qemu/insert.py against small made-up sources: test_insert.py SOURCE_ROOT. Speaks TAP."""
import importlib.util
import os
import sys
import tempfile

sys.dont_write_bytecode = True
ROOT = sys.argv[1]
spec = importlib.util.spec_from_file_location('insert', f'{ROOT}/lab/qemu/insert.py')
insert = importlib.util.module_from_spec(spec)
sys.modules['insert'] = insert
spec.loader.exec_module(insert)
Hook = insert.Hook

# text, hook, what must come out: a text, or a part of the sentence
ROWS = [
    ('a\nb\n', Hook('f', r'^a$', 'after', '\nx', ''), 'a\nx\nb\n'),
    ('a\nb\n', Hook('f', r'^b$', 'before', 'x\n', ''), 'a\nx\nb\n'),
    ('a\nb\n', Hook('f', r'^( *)b', 'replace', r'\1c', ''), 'a\nc\n'),
    ('  b\n', Hook('f', r'^( *)b', 'replace', r'\1c', ''), '  c\n'),
    ('a a\n', Hook('f', r'a', 'replace', 'b', '', 2), 'b b\n'),
    ('a\nx\nb\n', Hook('f', r'a.*?b', 'replace', 'c', ''), 'c\n'),
    ('a\n', Hook('f', r'^b$', 'after', 'x', 'why'), "f: found 0 times instead of 1: '^b$' (why)"),
    ('a a\n', Hook('f', r'a', 'after', 'x', 'why'), 'found 2 times instead of 1'),
]


def check_row(text, hook, wanted):
    try:
        return insert.apply(text, hook) == wanted
    except insert.NotFound as e:
        return wanted in str(e) and '\n' not in str(e)


def with_hooks(hooks, work):
    """Run insert() on a made-up source with @hooks."""
    load = insert.load
    insert.load = lambda: (hooks, {})
    try:
        insert.insert(work)
        return ''
    except insert.NotFound as e:
        return str(e)
    finally:
        insert.load = load


def read(path):
    with open(path, encoding='utf-8') as f:
        return f.read()


def check_tree():
    """[(name, is right)]: repeated runs, changed hooks, and a failure that leaves everything as it was."""
    found = []
    with tempfile.TemporaryDirectory() as work:
        with open(f'{work}/f.c', 'w', encoding='utf-8') as f:
            f.write('one\ntwo\n')
        hook = Hook('f.c', '^one$', 'after', '\nmore', 'test')
        found.append(('a hook is put in', with_hooks([hook], work) == '' and read(f'{work}/f.c') == 'one\nmore\ntwo\n'))
        os.utime(f'{work}/f.c', (1, 1))
        with_hooks([hook], work)
        found.append(('repeating changes nothing, not even the time',
                      read(f'{work}/f.c') == 'one\nmore\ntwo\n' and os.stat(f'{work}/f.c').st_mtime == 1))
        found.append(('models and rows are beside it', os.path.exists(f'{work}/ntime/core/models/x86_pmu.c') and
                      os.path.exists(f'{work}/ntime/core/regs/x86.c')))
        with_hooks([hook, Hook('f.c', '^two$', 'replace', '2', 'test')], work)
        found.append(('other hooks start from the original', read(f'{work}/f.c') == 'one\nmore\n2\n'))
        bad = with_hooks([Hook('f.c', '^one$', 'replace', '1', ''), Hook('f.c', 'absent', 'after', '', 'test')], work)
        found.append(('a place that is absent changes nothing',
                      'absent' in bad and read(f'{work}/f.c') == 'one\nmore\n2\n'))
        found.append(('a file that is absent is named', 'g.c' in with_hooks([Hook('g.c', 'a', 'after', '', '')], work)))
    return found


def check_hooks():
    """The real hooks: each says why, and none carries more of QEMU than a pattern."""
    hooks, copies = insert.load()
    return [('every hook says where, how and why',
             len(hooks) > 15 and all(h.why and h.file and h.how in ('before', 'after', 'replace') for h in hooks)),
            ('what is copied exists', all(os.path.exists(f'{insert.HERE}/{name}') for name in copies.values())),
            ('patterns are short', all(len(h.pattern) < 120 for h in hooks))]


def main():
    results = [(f'row {n}', check_row(*row)) for n, row in enumerate(ROWS, 1)] + check_tree() + check_hooks()
    print(f'1..{len(results)}')
    for number, (name, good) in enumerate(results, 1):
        print(f'{"" if good else "not "}ok {number} - {name}')
    return 0 if all(good for _, good in results) else 1


if __name__ == '__main__':
    sys.exit(main())
