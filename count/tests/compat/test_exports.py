#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What librpi_pmu exports is what rpi_pmu.h declares, and the map lists it: test_exports.py SOURCE_FOLDER LIBRARY. Speaks TAP."""
import os
import re
import subprocess
import sys


def read(*path):
    with open(os.path.join(*path), encoding='utf-8') as f:
        return re.sub(r'/\*.*?\*/', '', f.read(), flags=re.DOTALL)


def main():
    source, library = sys.argv[1:]
    declared = set(re.findall(r'(?m)^RPI_PMU_API [^(;]*?\b(\w+)\(', read(source, 'count/compat/rpi_pmu/rpi_pmu.h')))
    mapped = set(re.findall(r'(\w+);', read(source, 'count/compat/rpi_pmu/rpi_pmu.map').split('local:')[0]))
    text = subprocess.run(['nm', '-D', '--defined-only', library], stdout=subprocess.PIPE, check=True, encoding='utf-8').stdout
    # "0000 T name@@VERSION"; the version itself is an absolute symbol.
    exported = {line.split()[2].split('@')[0] for line in text.splitlines() if line.split()[1] != 'A'}
    failed = 0
    print('1..3')
    for number, (what, good) in enumerate((('the header declares the four calls and one more', len(declared) == 5),
                                           ('the map lists what the header declares', mapped == declared),
                                           ('the library exports what the header declares', exported == declared)), 1):
        failed += not good
        print(f'{"ok" if good else "not ok"} {number} - {what}')
    if failed:
        print(f'# declared {sorted(declared)}, mapped {sorted(mapped)}, exported {sorted(exported)}')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
