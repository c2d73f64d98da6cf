#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The yards that a yard stands on, and itself, as -Dyards takes them: yards.py NAME; core and base are always built."""
import sys

ON = {'core': (), 'base': (), 'count': ('count',), 'driver': ('driver',), 'trace': ('trace',), 'gl': ('count', 'gl'), 'lab': ('count', 'driver', 'trace', 'lab')}

if __name__ == '__main__':
    if len(sys.argv) != 2 or sys.argv[1] not in ON:
        print(f'yards.py NAME: {", ".join(ON)}', file=sys.stderr)
        sys.exit(2)
    print(','.join(ON[sys.argv[1]]))
