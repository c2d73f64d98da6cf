# SPDX-License-Identifier: MIT
"""data/errata and data/limits: the tables of lib/doubt."""
import re

from entries import Bad, hexadecimal, literal, literals

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


class Errata:
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
        yield '#include "lib/doubt/erratum.h"\n\n'
        for i, row in enumerate(self.rows):
            yield f'static const char *const events_{i}[] = {{ ' + ''.join(f'{literal(event)}, ' for event in row['event']) + '};\n'
            yield f'static const struct nti_erratum_cpu cpus_{i}[] = {{\n' + ''.join(row['cpu']) + '};\n'
        yield 'const struct nti_erratum nti_errata[] = {\n'
        for i, row in enumerate(self.rows):
            texts = literals(*(row[key] for key in ('about', 'remedy', 'source', 'trust')))
            yield (f'\t{{ {literal(row["erratum"])}, events_{i}, {len(row["event"])}, cpus_{i}, {len(row["cpu"])}, '
                   f'(enum nti_erratum_action){self.actions.index(row["does"])}, {int("when" in row)}, {texts} }},\n')
        yield f'}};\nconst size_t nti_erratum_count = {len(self.rows)};\n'
