# SPDX-License-Identifier: MIT
"""The names of tests, as the log of a run shows them: PART: PROGRAM: CASE, in guests PART: TEST: PROGRAM: CASE.

What is looked for may be any end of such a name that begins at a word behind a colon, or its whole beginning.
"""
import difflib
import json
import os
import re
import subprocess

import tree

IN_C = re.compile(r'^TEST\((\w+)\)', re.MULTILINE)
IN_PYTHON = re.compile(r'^@(?:t\.)?(?:test|screen_test)\b.*\n(?:@.*\n)*def (\w+)', re.MULTILINE)
NEAREST = 5


class Entry:
    """One name: its words; the test that is run for it; of a guest's test the one program in it; the one case."""

    def __init__(self, words, test, program='', case=''):
        self.words, self.test, self.program, self.case = tuple(words), test, program, case

    def name(self):
        return ': '.join(self.words)


class Test:
    """A test of a build directory, or of a script: part, name, and what meson knows of it."""

    def __init__(self, part, name, command=(), suites=(), sources=(), is_tap=True):
        self.part, self.name, self.command, self.suites = part, name, list(command), set(suites)
        self.sources, self.is_tap = list(sources), is_tap

    def guest(self):
        """(options and guest, programs) of a test that runs programs in a guest, else None."""
        at = [i for i, word in enumerate(self.command) if os.path.basename(word) == 'test-guest']
        if not at:
            return None
        words, i = self.command[at[0] + 1:], 0
        while i < len(words) and words[i].startswith('--'):
            i += 2 if words[i] in ('--with', '--timeout', '--append') else 1
        return words[:i + 1], words[i + 1:]


def cases_of(paths):
    """Names of the cases in sources of tests; none where that cannot be seen in the source."""
    found = []
    for path in paths:
        if not os.path.isfile(path):
            continue
        with open(path, encoding='utf-8') as f:
            text = f.read()
        if path.endswith('.py'):
            found += IN_PYTHON.findall(text)
        elif path.endswith('.c'):
            found += IN_C.findall(text)
    return found


def _introspect(what, folder):
    done = subprocess.run(['meson', 'introspect', what, folder], stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def tests_of(part, folder):
    """The tests of a configured build directory."""
    sources = {name: [path for one in target['target_sources'] for path in one.get('sources', [])]
               for target in _introspect('--targets', folder) for name in target['filename']}
    found = []
    for test in _introspect('--tests', folder):
        paths = [path for word in test['cmd'] for path in [word, *sources.get(os.path.abspath(word), [])]
                 if path.endswith(('.c', '.py'))]
        found.append(Test(part, test['name'], test['cmd'], {s.split(':')[-1] for s in test['suite']}, paths,
                          test['protocol'] == 'tap'))
    return found


def entries_of(test):
    """All names that one test has."""
    head = (test.part, test.name)
    found = [Entry(head, test)]
    guest = test.guest()
    if guest:
        for program in guest[1]:
            found.append(Entry((*head, program), test, program))
            source = f'{tree.ROOT}/lab/tests/guest/test_{program}.c'
            found += [Entry((*head, program, case), test, program, case) for case in cases_of([source])]
    else:
        found += [Entry((*head, case), test, case=case) for case in cases_of(test.sources)]
    return found


def split(text):
    return tuple(word.strip() for word in text.split(': ') if word.strip())


def _ends_with(entry, words):
    return len(words) and entry.words[-len(words):] == words


def find(entries, text):
    """Entries of this name, best first: whole programs before cases. A program whose cases the source does not show has any
    case that is asked for."""
    words = split(text)
    found = sorted((e for e in entries if _ends_with(e, words)), key=lambda e: (len(e.words) - len(words), bool(e.case)))
    if found:
        return found
    opaque = {e.test for e in entries} - {e.test for e in entries if e.case}
    for n in range(len(words) - 1, 0, -1):
        for e in entries:
            if e.test in opaque and _ends_with(e, words[:n]):
                return [Entry((*e.words, *words[n:]), e.test, e.program)]
    return []


def nearest(entries, text):
    """Names that look like this one."""
    words = split(text)
    known = {}
    for e in entries:
        for n in range(1, len(e.words) + 1):
            known.setdefault(': '.join(e.words[-n:]), e.name())
    found = [known[name] for name in difflib.get_close_matches(': '.join(words), known, NEAREST * 2, 0.5)]
    if not found and words:
        found = [known[name] for name in difflib.get_close_matches(words[-1], known, NEAREST * 2, 0.3)]
    return list(dict.fromkeys(found))[:NEAREST]
