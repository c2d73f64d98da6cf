# SPDX-License-Identifier: MIT
"""Guest descriptions: lab/guests/NAME.toml, read and checked."""
import difflib
import os
import re
import tomllib

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.path.join(HERE, 'guests')
NEWER = '-6.12'

ARCHES = ('amd64', 'arm64', 'armhf', 'armel', 'riscv64', 'ppc64el')
QEMUS = ('stock', 'later', 'ntime')
PORTS = ('virtio', 'serial', 'serial-first', 'pci-serial')

# Key -> (type, default); a key without a default must be there. lab/README.md tells what each means.
REQUIRED = object()
KEYS = {
    'about': (str, REQUIRED),
    'emulates': (str, REQUIRED),
    'exact': (str, REQUIRED),
    'not': (list, REQUIRED),
    'arch': (str, REQUIRED),
    'kernel': (str, REQUIRED),
    'newer': (str, None),
    'qemu': (str, 'stock'),
    'machine': (list, REQUIRED),
    'memory': (int, 512),
    'smp': (str, '1'),
    'icount': (int, False),
    'console': (str, REQUIRED),
    'port': (str, REQUIRED),
    'device': (str, None),
    'append': (str, ''),
    'modules': (list, []),
    'dtb': (str, None),
    'dtb-set': (list, []),
    'env': (dict, {}),
    'timeout': (int, 300),
    'boot-timeout': (int, 300),
    'allow': (list, []),
    'proxy': (list, []),
}
PROXY_KEYS = {'name', 'model', 'address', 'plugged'}


class GuestError(Exception):
    """A description that cannot be used, or a name that there is not."""


class Guest:
    """One guest; the keys of its description are attributes ("not" is is_not, "dtb-set" is dtb_set)."""

    def __init__(self, name, table):
        self.name, self.keys = name, table
        for key, (_, default) in KEYS.items():
            setattr(self, {'not': 'is_not'}.get(key, key.replace('-', '_')), table.get(key, default))

    def newer_variant(self):
        """The same machine with the newer kernel, or None."""
        if not self.newer:
            return None
        return Guest(self.name + NEWER, self.keys | {'kernel': self.newer, 'newer': None})


def are_words(values):
    """True when all are texts."""
    return all(isinstance(value, str) for value in values)


def pattern_problem(pattern):
    """What is wrong with a regular expression, or None."""
    try:
        re.compile(pattern)
    except re.error as e:
        return str(e)
    return None


def check(name, table):
    """What is wrong with a description: list of sentences."""
    wrong = [f'{name}: key "{key}" is not known' for key in table if key not in KEYS]
    for key, (kind, default) in KEYS.items():
        if key not in table:
            wrong += [f'{name}: key "{key}" is missing'] if default is REQUIRED else []
        elif not (isinstance(table[key], kind) and table[key] is not True or table[key] == default):
            wrong.append(f'{name}: "{key}" must be a {kind.__name__}, not {table[key]!r}')
        elif default is REQUIRED and not table[key]:
            wrong.append(f'{name}: "{key}" is empty')
    if wrong:
        return wrong
    for key, known in (('arch', ARCHES), ('qemu', QEMUS), ('port', PORTS)):
        if table.get(key, 'stock') not in known:
            wrong.append(f'{name}: "{key}" must be one of {", ".join(known)}, not {table[key]!r}')
    for key in ('not', 'machine', 'modules'):
        wrong += [f'{name}: "{key}" must hold words, not {word!r}' for word in table.get(key, []) if not isinstance(word, str)]
    for row in table.get('allow', []):
        if not isinstance(row, dict) or set(row) != {'pattern', 'reason'} or not are_words(row.values()):
            wrong.append(f'{name}: each "allow" needs a pattern and a reason, not {row!r}')
        elif problem := pattern_problem(row['pattern']):
            wrong.append(f'{name}: "allow": {row["pattern"]!r} is no regular expression: {problem}')
    wrong += [f'{name}: each "dtb-set" is node, property, type, value..., not {row!r}' for row in table.get('dtb-set', [])
              if not isinstance(row, list) or len(row) < 4 or not are_words(row)]
    if not are_words(table.get('env', {}).values()):
        wrong.append(f'{name}: "env" must hold words, not {table["env"]!r}')
    wrong += [f'{name}: a proxy has the keys {", ".join(sorted(PROXY_KEYS))}, not {row!r}' for row in table.get('proxy', [])
              if not isinstance(row, dict) or not {'name', 'model', 'address'} <= set(row) <= PROXY_KEYS]
    return wrong


def _read(name, seen=()):
    path = os.path.join(FOLDER, name + '.toml')
    if name in seen:
        raise GuestError(f'{name}: is based on itself')
    try:
        with open(path, 'rb') as f:
            table = tomllib.load(f)
    except OSError as e:
        raise GuestError(f'{name}: cannot read {path}: {e.strerror}') from None
    except tomllib.TOMLDecodeError as e:
        raise GuestError(f'{path}: {e}') from None
    base = table.pop('base', None)
    return (_read(base, (*seen, name)) if base else {}) | table


def load(name):
    """A guest by the name of its description file. Raises GuestError."""
    table = _read(name)
    wrong = check(name, table)
    if wrong:
        raise GuestError('\n'.join(wrong))
    return Guest(name, table)


def all_guests():
    """Every guest, those with the newer kernel after their elder."""
    found = []
    for file in sorted(os.listdir(FOLDER)):
        if file.endswith('.toml'):
            guest = load(file[:-5])
            found += [g for g in (guest, guest.newer_variant()) if g]
    return found


def find(name):
    """The guest of this name. Raises GuestError, which suggests a near one."""
    guests = {g.name: g for g in all_guests()}
    if name in guests:
        return guests[name]
    near = difflib.get_close_matches(name, guests, 1)
    hint = f"did you mean '{near[0]}'?" if near else f'there are {", ".join(guests)}'
    raise GuestError(f"there is no guest '{name}'; {hint}")
