#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""scripts/wrap: what it does to comments and to text, and what --check finds. Speaks TAP."""
import importlib.machinery
import importlib.util
import os
import sys

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [f'{ROOT}/base/tests', f'{ROOT}/scripts']
from tap import equal, main, test  # noqa: E402  # pylint: disable=wrong-import-position

_loader = importlib.machinery.SourceFileLoader('wrap', f'{ROOT}/scripts/wrap')
wrap = importlib.util.module_from_spec(importlib.util.spec_from_loader('wrap', _loader))
_loader.exec_module(wrap)

WORDS = ' '.join(['word'] * 19)  # 94 columns


def code(before, after):
    """Wrapped once it is so, wrapped again it stays so, and --check has findings only before."""
    equal(wrap.wrap_code(before), after)
    equal(wrap.wrap_code(after), after)
    equal(bool(wrap.too_long('x.c', before)), before != after)
    equal(wrap.too_long('x.c', after), [])


@test
def words_go_to_the_next_line_of_their_paragraph():
    code(f'/*\n * {WORDS} long enough\n * goes on.\n */\n', f'/*\n * {WORDS}\n * long enough goes on.\n */\n')
    code(f'/*\n * {WORDS} long enough\n *\n * Apart.\n */\n', f'/*\n * {WORDS}\n * long enough\n *\n * Apart.\n */\n')
    code(f'/*\n * {WORDS} long enough\n * Return: 0\n */\n', f'/*\n * {WORDS}\n * long enough\n * Return: 0\n */\n')


@test
def a_comment_of_one_line_becomes_a_block():
    code(f'/* {WORDS} long enough */\nint a;\n', f'/*\n * {WORDS}\n * long enough\n */\nint a;\n')
    code(f'/** {WORDS} long enough */\n', f'/**\n * {WORDS}\n * long enough\n */\n')


@test
def a_comment_behind_code_goes_above_it():
    code(f'\tint a; /* {WORDS[:84]} */\n', f'\t/* {WORDS[:84]} */\n\tint a;\n')


@test
def constants_that_the_formatter_broke_are_one_line_again():
    equal(wrap.wrap_code('#define A   \\\n\t(1u     \\\n\t << 3) /* why */\n'), '/* why */\n#define A (1u << 3)\n')
    equal(wrap.wrap_code('enum {\n\tA =\n\t\t2, /* why */\n};\n'), 'enum {\n\t/* why */\n\tA = 2,\n};\n')


@test
def names_of_kernel_doc_and_columns_hang():
    code(f'/**\n * @name:\t{WORDS[:84]} long enough\n */\n', f'/**\n * @name:\t{WORDS[:84]}\n *\t\tlong enough\n */\n')
    code(f'/*\n *   a    {WORDS[:89]} long\n */\n', f'/*\n *   a    {WORDS[:89]}\n *        long\n */\n')


@test
def strings_are_no_comments():
    text = f'const char *a = "/* {WORDS} */ {WORDS}";\n'
    equal(wrap.wrap_code(text), text)
    equal(wrap.too_long('x.c', text), [])


@test
def paragraphs_and_items_are_filled():
    equal(wrap.wrap_markdown(f'{WORDS} long enough\nshort\n'), f'{WORDS} long\nenough short\n')
    equal(wrap.wrap_markdown(f'- {WORDS} long enough\n- b\n'), f'- {WORDS}\n  long enough\n- b\n')
    # A dash where a line would begin with it is not the mark of an item.
    equal(wrap.wrap_markdown(f'{WORDS} wort - long\n'), f'{WORDS}\nwort - long\n')


@test
def tables_code_and_headings_stay():
    for text in (f'| {WORDS} | {WORDS} |\n', f'```text\n{WORDS} {WORDS}\n```\n', f'# {WORDS} {WORDS}\n', f'    {WORDS} {WORDS}\n'):
        equal(wrap.wrap_markdown(text), text)
        equal(wrap.too_long('x.md', text), [])
    equal(len(wrap.too_long('x.md', f'{WORDS} {WORDS}\n')), 1)


if __name__ == '__main__':
    sys.exit(main())
