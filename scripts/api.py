# SPDX-License-Identifier: MIT
"""What include/ntime declares: exported functions and structs with their members. For the checks that compare with it."""
import re

import tree

COMMENT = re.compile(r'/\*.*?\*/', re.DOTALL)
FUNCTION = re.compile(r'\bNTIME_API\b[^;{]*?\b(ntime_\w+)\s*\(')
STRUCT = re.compile(r'\bstruct\s+(ntime_\w+)\s*\{(.*?)\n\};', re.DOTALL)
MEMBER = re.compile(r'\(\*(\w+)\)|(\w+)\s*(?:\[[^\]]*\])?\s*$')


def headers():
    return [f for f in tree.files('.h') if f.startswith('include/ntime/')]


def functions():
    """{name: header} of all functions marked NTIME_API."""
    return {name: header for header in headers()
            for name in FUNCTION.findall(COMMENT.sub('', tree.read(header)))}


def structs():
    """{struct: [member, ...]} of all structs whose layout is public."""
    found = {}
    for header in headers():
        for name, body in STRUCT.findall(COMMENT.sub('', tree.read(header))):
            members = []
            for declaration in body.split(';'):
                match = MEMBER.search(declaration.strip())
                if match:
                    members.append(match.group(1) or match.group(2))
            found[name] = members
    return found
