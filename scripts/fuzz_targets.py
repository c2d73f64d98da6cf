# SPDX-License-Identifier: MIT
"""What tests/fuzz/meson.build says of the fuzz targets."""
import ast
import functools
import os
import re

import tree


@functools.lru_cache(None)
def parsers():
    """{name: {'takes': words, 'bytes': longest input, 'sources': patterns of files}}, in the order of the table."""
    text = tree.read('tests/fuzz/meson.build')
    table = re.search(r'^fuzz_parsers = (\{.*?^\})$', text, re.MULTILINE | re.DOTALL)
    return ast.literal_eval(table.group(1))


def kept(name):
    """The folder of the user's cache with what earlier runs found."""
    base = os.environ.get('XDG_CACHE_HOME') or os.path.join(os.path.expanduser('~'), '.cache')
    return os.path.join(base, 'ntime/fuzz', name)


def table():
    """The targets as docs/security.md lists them."""
    return ['| target | what it gives to a parser |', '|---|---|', *(f'| {name} | {row["takes"]} |' for name, row in parsers().items())]
