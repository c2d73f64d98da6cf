# SPDX-License-Identifier: MIT
"""What count/include/ntime declares, for which library: exported functions and structs with their members. For the checks that compare with it."""
import os
import re

import tree

COMMENT = re.compile(r'/\*.*?\*/', re.DOTALL)
FUNCTION = re.compile(r'\bNTIME_API\b[^;{]*?\b(ntime_\w+)\s*\(')
STRUCT = re.compile(r'\bstruct\s+(ntime_\w+)\s*\{(.*?)\n\};', re.DOTALL)
ENUM = re.compile(r'\benum\s+\w*\s*\{(.*?)\}', re.DOTALL)
CALL = re.compile(r'\(\*(\w+)\)')
MEMBER = re.compile(r'(\w+)\s*(?:\[[^\]]*\])?\s*(?:,|$)')
NUMBER = re.compile(r'^#define[ \t]+(NTIME_(?!VERSION_)\w*[A-Z0-9])[ \t]+[(\dU]', re.MULTILINE)


# Each library with the folder that has its version script and, in a build directory, the library itself.
LIBRARIES = {os.path.basename(f)[:-len('.map')]: os.path.dirname(f) for f in tree.files('.map') if re.match('libntime', os.path.basename(f))}


def headers():
    return [f for f in tree.files('.h') if re.search('(^|/)include/ntime/', f)]


def library(header):
    """Which library a public header is of."""
    return 'libntime-trace' if header.startswith('trace/') else 'libntime'


def functions(of=None):
    """{name: header} of all functions marked NTIME_API, or of those of one library."""
    return {name: header for header in headers() if of in (None, library(header))
            for name in FUNCTION.findall(COMMENT.sub('', tree.read(header)))}


def structs():
    """{struct: [member, ...]} of all structs whose layout is public."""
    found = {}
    for header in headers():
        for name, body in STRUCT.findall(COMMENT.sub('', tree.read(header))):
            found[name] = [member for declaration in body.split(';') for member in CALL.findall(declaration) or MEMBER.findall(declaration.strip())]
    return found


def constants():
    """Names of all public constants that are numbers."""
    texts = [COMMENT.sub('', tree.read(header)) for header in headers()]
    return [name for text in texts for name in NUMBER.findall(text) + [n for body in ENUM.findall(text) for n in re.findall(r'\bNTIME_\w+', body)]]
