# SPDX-License-Identifier: MIT
"""What the files tests/fuzz/meson.build, of each yard, say of the fuzz targets."""
import ast
import functools
import os
import re

import tree


@functools.lru_cache(None)
def parsers():
    """{name: {'takes': words, 'bytes': longest input, 'sources': patterns of files, 'folder': that has the harness}}, in the order of their names."""
    found = {}
    for name in tree.files('tests/fuzz/meson.build'):
        table = re.search(r'^fuzz_parsers = (\{.*?^\})$', tree.read(name), re.MULTILINE | re.DOTALL)
        # tests/fuzz has none, where all are built.
        found |= {target: row | {'folder': os.path.dirname(name)} for target, row in ast.literal_eval(table.group(1) if table else '{}').items()}
    return dict(sorted(found.items()))


def seeds(name):
    """The folder of the tree with inputs of a target."""
    return f'{parsers()[name]["folder"]}/corpus/{name}'


def kept(name):
    """The folder of the user's cache with what earlier runs found."""
    base = os.environ.get('XDG_CACHE_HOME') or os.path.join(os.path.expanduser('~'), '.cache')
    return os.path.join(base, 'ntime/fuzz', name)


def table():
    """The targets as docs/security.md lists them."""
    return ['| target | what it gives to a parser |', '|---|---|', *(f'| {name} | {row["takes"]} |' for name, row in parsers().items())]
