# SPDX-License-Identifier: MIT
"""count/data/errata and count/data/limits: the tables of count/lib/doubt."""
import re

from entries import Bad, Kind, hexadecimal, literal, literals, real

ALL = (0, 0xffff)
NUMBER = r'(0x[\da-f]+|0|[1-9]\d*)'


def number_range(text):
    """First and last of 0x3c, 1-3 or all."""
    if text == 'all':
        return ALL
    m = re.fullmatch(f'{NUMBER}(?:-{NUMBER})?', text, re.ASCII | re.IGNORECASE)
    first, last = (int(m[1], 0), int(m[2] or m[1], 0)) if m else ALL[::-1]
    if not first <= last <= ALL[1]:
        raise Bad(f"'{text[:40]}' are no numbers as in 0x3c, 1-3 or all")
    return first, last


def erratum_cpu(text):
    """A row of struct nti_erratum_cpu."""
    vendor, *ranges = text.split()
    if vendor not in ('intel', 'amd', 'hygon', 'arm') or len(ranges) != 3:
        raise Bad('a cpu is intel, amd, hygon or arm, a family, models and steppings')
    family, models, steppings = map(number_range, ranges)
    if family[0] != family[1]:
        raise Bad('a cpu has one family')
    pairs = ', '.join('{ ' + ', '.join(map(hexadecimal, pair)) + ' }' for pair in (models, steppings))
    return f'\t{{ "{vendor}", {hexadecimal(family[0])}, {pairs} }},\n'


class Errata(Kind):
    """Processors that are known to count an event wrongly:

    erratum HSD11               the vendor's number
    cpu intel 0x6 0x3c 1-3      vendor, family, models, steppings ("all"); may be repeated. Arm: implementer, part, variant * 16 + revision
    event instructions          may be repeated; "rHEX": code and unit mask of the core PMU
    does doubt                  or: note, refuse
    when smt                    may be missing
    about It counts too much.
    remedy what to do           or: none
    source the vendor's document, or where Linux knows it from
    trust how it was verified
    """
    rules = {'': 'erratum', 'erratum': 'cpu', 'cpu': 'cpu event', 'event': 'event does', 'does': 'when about', 'when': 'about',
             'about': 'remedy', 'remedy': 'source', 'source': 'trust', 'trust': ''}
    actions = ['note', 'doubt', 'refuse']

    def __init__(self):
        self.rows = []

    def take(self, key, value):
        if key == 'erratum':
            if value in (row[key] for row in self.rows):
                raise Bad(f'there is an erratum {value} already')
            self.rows.append({'cpu': [], 'event': []})
        elif key == 'cpu':
            value = erratum_cpu(value)
        elif key == 'does' and value not in self.actions:
            raise Bad(f"an erratum does note, doubt or refuse, not '{value[:40]}'")
        elif key == 'when' and value != 'smt':
            raise Bad(f"'when' is followed by smt, not '{value[:40]}'")
        row = self.rows[-1]
        if key in ('cpu', 'event'):
            row[key].append(value)
        else:
            row[key] = value

    def write(self):
        yield '#include "count/lib/doubt/erratum.h"\n\n'
        for i, row in enumerate(self.rows):
            yield f'static const char *const events_{i}[] = {{ ' + ''.join(f'{literal(event)}, ' for event in row['event']) + '};\n'
            yield f'static const struct nti_erratum_cpu cpus_{i}[] = {{\n' + ''.join(row['cpu']) + '};\n'
        yield 'const struct nti_erratum nti_errata[] = {\n'
        for i, row in enumerate(self.rows):
            texts = literals(*(row[key] for key in ('about', 'remedy', 'source', 'trust')))
            yield (f'\t{{ {literal(row["erratum"])}, events_{i}, {len(row["event"])}, cpus_{i}, {len(row["cpu"])}, '
                   f'(enum nti_erratum_action){self.actions.index(row["does"])}, {int("when" in row)}, {texts} }},\n')
        yield f'}};\nconst size_t nti_erratum_count = {len(self.rows)};\n'


class Limits(Kind):
    """What no machine does:

    limit instructions-per-cycle
    event instructions
    bound at most 16 of cycles  or: at most 10e9 per second
                                or: moves within 1e9 of instructions
                                or: moves within 0.1 seconds
                                or: between -60 and 150
    slack 10000                 of "at most"; may be missing: 0
    about No processor retires more.
    source where that is from
    """
    rules = {'': 'limit', 'limit': 'event', 'event': 'bound', 'bound': 'slack about', 'slack': 'about', 'about': 'source', 'source': ''}
    # In the order of enum nti_limit_kind; N and M are numbers.
    forms = ['at most N of EVENT', 'at most N per second', 'moves within N of EVENT', 'moves within N seconds', 'between M and N']

    def __init__(self):
        self.rows = []

    @staticmethod
    def number(text):
        number = real(text)
        if number is None or not -1e18 < number < 1e18:
            raise Bad(f"'{text[:40]}' is no number")
        return number

    def bound(self, words):
        """.kind, .N, .M and .EVENT of a row."""
        for kind, form in enumerate(self.forms):
            form = form.split()
            if len(form) != len(words) or any(f.islower() and f != word for f, word in zip(form, words)):
                continue
            row = {'kind': kind, 'M': '0', 'EVENT': None, **{f: word for f, word in zip(form, words) if f.isupper()}}
            row.update({key: self.number(row[key]) for key in 'NM'})
            if kind < 4 and row['N'] <= 0:
                raise Bad('a bound is a positive number')
            return row
        raise Bad("a bound is 'at most N of EVENT', 'at most N per second', 'moves within N of EVENT', 'moves within N seconds' or 'between N and N'")

    def take(self, key, value):
        if key == 'limit':
            if value in (row[key] for row in self.rows):
                raise Bad(f'there is a limit {value} already')
            self.rows.append({'slack': 0})
        row = self.rows[-1]
        if key == 'bound':
            row.update(self.bound(value.split()))
        elif key == 'slack':
            row[key] = self.number(value)
            if row['kind'] > 1:
                raise Bad("only 'at most' has a slack")
        else:
            row[key] = value

    def write(self):
        yield '#include "count/lib/doubt/limit.h"\n\nconst struct nti_limit nti_limits[] = {\n'
        for row in self.rows:
            numbers = ', '.join('%.17g' % row[key] for key in ('M', 'N', 'slack'))
            yield (f'\t{{ {literals(row["limit"], row["event"], row["EVENT"])}, (enum nti_limit_kind){row["kind"]}, {numbers}, '
                   f'{literals(row["about"], row["source"])} }},\n')
        yield f'}};\nconst size_t nti_limit_count = {len(self.rows)};\n'
