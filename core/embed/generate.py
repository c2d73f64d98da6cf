#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Build program: check files of count/data or core/gpu and write them as C: generate.py KIND OUT.c FILE...

Prints FILE:LINE: and what is wrong and exits 1, so that a bad file ends the build; OUT.c is then not left behind. The files must be free of errors together, since they
become one set.
"""
import os
import sys

sys.dont_write_bytecode = True

import doubt  # pylint: disable=wrong-import-position
import events  # pylint: disable=wrong-import-position
import gpu  # pylint: disable=wrong-import-position
from entries import Bad  # pylint: disable=wrong-import-position

KINDS = {'errata': doubt.Errata, 'limits': doubt.Limits, 'events': events.Boxes, 'gpu': gpu.Cards, 'gpu-kernel': gpu.Kernel, 'gpu-functions': gpu.Functions, 'signals': gpu.Signals, 'counters': gpu.Counters}


def parse(kind, name):
    """Add a file to what was read before; False with a sentence on stderr."""
    try:
        with open(name, 'rb') as f:
            kind.read(name, f.read())
        return True
    except Bad as e:
        print(e, file=sys.stderr)
    except OSError as e:
        print(f'{name}: cannot be read: {e.strerror}', file=sys.stderr)
    return False


def main():
    if len(sys.argv) < 4 or sys.argv[1] not in KINDS:
        print(f'usage: generate.py {"|".join(KINDS)} OUT.c FILE...', file=sys.stderr)
        return 1
    name, out, *files = sys.argv[1:]
    kind = KINDS[name]()
    if not all([parse(kind, file) for file in files]):
        if os.path.exists(out):
            os.remove(out)  # of an earlier build
        return 1
    text = f'/* Made by core/embed from {name}; change those files. */\n' + ''.join(kind.write())
    try:
        with open(out, 'w', encoding='ascii') as f:
            f.write(text)
    except OSError as e:
        print(f'{out}: cannot be written: {e.strerror}', file=sys.stderr)
        if os.path.isfile(out):
            os.remove(out)
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
