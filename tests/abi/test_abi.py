#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The binary interface: where each member of each public struct lies, and what each public constant is worth, is what layout.txt says.

Programs compiled against an older libntime.so.0 or libntime-trace.so.0 have these numbers in them: a line may be added, and one that is there
changes together with the soversion alone. Numbers are those of LP64 with 8-byte alignment of 64-bit types (x86-64, arm64).
Usage: test_abi.py COMPILER... ; with --print first, the lines of today.
"""
import os
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../..')
sys.path[:0] = [os.path.join(ROOT, 'base/tests'), os.path.join(ROOT, 'scripts')]
import api    # noqa: E402
import tap    # noqa: E402

LAYOUT = os.path.join(ROOT, 'tests/abi/layout.txt')
IS_PRINT = '--print' in sys.argv
COMPILER = [word for word in sys.argv[1:] if word != '--print'] or ['cc']


def program():
    """C that prints "struct size", "struct.member offset size" and "CONSTANT value"."""
    lines = [f'#include <{header.split("include/")[1]}>' for header in api.headers()]
    lines += ['#include <stdio.h>', 'int main(void)', '{']
    for struct, members in api.structs().items():
        lines.append(f'printf("{struct} %zu\\n", sizeof(struct {struct}));')
        lines += [f'printf("{struct}.{m} %zu %zu\\n", __builtin_offsetof(struct {struct}, {m}), sizeof(((struct {struct} *)0)->{m}));' for m in members]
    lines += [f'printf("{name} %lld\\n", (long long)({name}));' for name in api.constants()]
    return '\n'.join(lines + ['return sizeof(void *) == 8 && sizeof(long) == 8 ? 0 : 77;', '}', ''])


def today():
    """Those lines."""
    with tempfile.TemporaryDirectory() as folder:
        source, exe = folder + '/layout.c', folder + '/layout'
        with open(source, 'w', encoding='utf-8') as f:
            f.write(program())
        folders = sorted({header.split('/ntime/')[0] for header in api.headers()})
        subprocess.run([*COMPILER, *(f'-I{ROOT}/{folder}' for folder in folders), source, '-o', exe], check=True)
        done = subprocess.run([exe], stdout=subprocess.PIPE, encoding='utf-8', check=False)
    if done.returncode == 77:
        raise tap.Skip('the numbers are those of LP64 machines')
    return done.stdout.splitlines()


@tap.test
def nothing_moved():
    with open(LAYOUT, encoding='utf-8') as f:
        before = f.read().splitlines()
    lines = today()
    tap.equal([line for line in before if line not in lines], [])
    # What is new is written down with tests/abi/test_abi.py --print >tests/abi/layout.txt.
    tap.equal([line for line in lines if line not in before], [])


if __name__ == '__main__':
    if IS_PRINT:
        print('\n'.join(today()))
        sys.exit(0)
    del sys.argv[1:]
    sys.exit(tap.main())
