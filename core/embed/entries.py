# SPDX-License-Identifier: MIT
"""Files of entries, the form of all text in count/data and core/gpu (base/common/entry.h), and text as C."""
import re


class Bad(Exception):
    """What is wrong with a line, or with FILE:LINE in front with a file."""


def list_of(words, last):
    """Words as a list in a sentence."""
    return last.join([', '.join(words[:-1]), words[-1]] if words[1:] else words)


def expected(rules, key):
    """What may come behind a line with this key, or ('') at the beginning of an entry."""
    after = rules[key].split()
    names = [f"'{name}'" for name in rules if name in after]
    if not after or '-' in after:
        names.append('a blank line')
    return (f"'{key}' is followed by " if key else 'an entry begins with ') + list_of(names, ' or ')


def take_line(rules, last, line, take):
    """One line of an entry whose last key is given; its key."""
    key, *rest = line.split(None, 1)
    if key not in rules:
        raise Bad(f"there is no key '{key[:40]}{'...' * (len(key) > 40)}'; the keys are {list_of([name for name in rules if name], ' and ')}")
    if key not in rules[last].split():
        raise Bad(f"{expected(rules, last)}, not '{key}'")
    if not rest:
        raise Bad(f"'{key}' has no value")
    if key in ('about', 'guess') and not rest[0].endswith('.'):
        raise Bad(f"'{key}' is a sentence and ends with a full stop")
    take(key, rest[0])
    return key


def read(rules, file, text, take):
    """Give key and value of each line to take(). Rules have the keys that may follow a key: '' is between entries, - a blank line. text is of bytes."""
    last, title, last_line = '', '', 0
    for number, line in enumerate([*text.split(b'\n'), b''], 1):
        try:
            bad = re.search(rb'[^\t -~]', line := line.removesuffix(b'\r'))
            if bad:
                raise Bad(f'the byte 0x{bad[0][0]:02x} in column {bad.start() + 1} is not printable ASCII')
            line = line.decode('ascii').strip()
            if not line and last:
                if rules[last] and '-' not in rules[last].split():
                    number = last_line
                    raise Bad(f'the entry of {title[:47]} ends too early: {expected(rules, last)}')
                last = ''
            elif line and line[0] != '#':
                if not last:
                    title = line.split(None, 1)[-1]
                last, last_line = take_line(rules, last, line, take), number
        except Bad as e:
            raise Bad(f'{file}:{number}: {e}') from None


class Kind:
    """Files of one kind: rules for read(), take(), and write(), which makes lines of C."""
    rules = {}

    def read(self, file, text):
        read(self.rules, file, text, self.take)


def real(text):
    """A number with or without a point; None: it is none."""
    return float(text) if re.fullmatch(r'[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?', text, re.ASCII | re.IGNORECASE) else None


def hexadecimal(number, digits=0):
    """As printf's %#x has it: 0 without 0x."""
    return f'{number:#0{digits}x}' if number else f'{0:0{digits or 1}}'


def literal(text):
    """A string literal, '?' escaped against trigraphs; None: NULL."""
    return 'NULL' if text is None else '"' + re.sub(r'["\\?]', r'\\\g<0>', text).replace('\t', '\\011') + '"'


def literals(*texts):
    return ', '.join(map(literal, texts))
