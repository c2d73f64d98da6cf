#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""data/embed/generate.py: a bad file ends it with FILE:LINE on stderr, exit status 1 and no output file. Speaks TAP."""
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path[:0] = [os.path.join(ROOT, 'data/embed'), os.path.join(ROOT, 'tests/lab/host')]

import entries  # pylint: disable=wrong-import-position
import generate  # pylint: disable=wrong-import-position
from tap import equal, main, test  # pylint: disable=wrong-import-position

CPU = 'erratum a\ncpu intel 6 5 all\n'
CPU_SAYS = '2: a cpu is intel, amd, hygon or arm, a family, models and steppings'
LIMIT = 'limit a\nevent b\n'
BOUND_SAYS = ("3: a bound is 'at most N of EVENT', 'at most N per second', 'moves within N of EVENT', 'moves within N seconds' or "
              "'between N and N'")
END = 'about A.\nremedy none\nsource s\ntrust t\n'
# kind, text, what is said of it behind the file's name
REFUSED = [
    ('errata', 'event a\n', "1: an entry begins with 'erratum', not 'event'"),
    ('errata', 'erratum\n', "1: 'erratum' has no value"),
    ('errata', 'bug a\n', "1: there is no key 'bug'; the keys are erratum, cpu, event, does, when, about, remedy, source and trust"),
    ('errata', '# \xe4\n', '1: the byte 0xc3 in column 3 is not printable ASCII'),
    ('errata', CPU + '\n', "2: the entry of a ends too early: 'cpu' is followed by 'cpu' or 'event'"),
    ('errata', 'erratum a\ncpu intel 6 0x2a\n', CPU_SAYS),
    ('errata', 'erratum a\ncpu via 6 0x2a all\n', CPU_SAYS),
    ('errata', 'erratum a\ncpu intel 6 5-4 all\n', "2: '5-4' are no numbers as in 0x3c, 1-3 or all"),
    ('errata', 'erratum a\ncpu intel 6 0x10000 all\n', "2: '0x10000' are no numbers as in 0x3c, 1-3 or all"),
    ('errata', 'erratum a\ncpu intel 6-7 5 all\n', '2: a cpu has one family'),
    ('errata', CPU + 'event b\ndoes nothing\n', "4: an erratum does note, doubt or refuse, not 'nothing'"),
    ('errata', CPU + 'event b\ndoes note\nwhen hot\n', "5: 'when' is followed by smt, not 'hot'"),
    ('errata', CPU + 'event b\ndoes note\nabout A\n', "5: 'about' is a sentence and ends with a full stop"),
    ('errata', CPU + 'event b\ndoes note\n' + END + 'trust t\n', "9: 'trust' is followed by a blank line, not 'trust'"),
    ('errata', CPU + 'event b\ndoes note\n' + END + '\nerratum a\n', '10: there is an erratum a already'),
    ('limits', LIMIT + '\n', "2: the entry of a ends too early: 'event' is followed by 'bound'"),
    ('limits', LIMIT + 'bound at most 1 of c d\n', BOUND_SAYS),
    ('limits', LIMIT + 'bound at least 1 of c\n', BOUND_SAYS),
    ('limits', LIMIT + 'bound at most x of c\n', "3: 'x' is no number"),
    ('limits', LIMIT + 'bound at most 1e18 of c\n', "3: '1e18' is no number"),
    ('limits', LIMIT + 'bound at most 0 of c\n', '3: a bound is a positive number'),
    ('limits', LIMIT + 'bound between 1 and 2\nslack 3\n', "4: only 'at most' has a slack"),
    ('limits', LIMIT + 'bound between 1 and 2\nabout A\n', "4: 'about' is a sentence and ends with a full stop"),
    ('limits', LIMIT + 'bound between 1 and 2\nabout A.\nsource s\n\nlimit a\n', '7: there is a limit a already'),
]


def said_of(name, *texts):
    """What the kind's reader says of these texts, one file each; None: nothing."""
    kind = generate.KINDS[name]()
    try:
        for text in texts:
            entries.read(kind.rules, 'f', text.encode(), kind.take)
    except entries.Bad as e:
        return str(e)
    return None


@test
def bad_lines_are_refused():
    for kind, text, error in REFUSED:
        equal((text, said_of(kind, text)), (text, f'f:{error}'))


@test
def lines_end_as_they_like():
    for text in ('', '\n', '# only a comment', '\n \t \n#\n\n', (CPU + '# b\nevent b \ndoes note\n' + END).replace('\n', '\r\n')):
        equal((text, said_of('errata', text)), (text, None))


@test
def text_is_a_literal_of_c():
    equal(entries.literals('A??="\\', None), '"A\\?\\?=\\"\\\\", NULL')


def run(where, kind, *files):
    """Exit status, stderr and whether there is an output file, after one of an earlier build."""
    out = os.path.join(where, 'out.c')
    with open(out, 'w', encoding='ascii'):
        pass
    done = subprocess.run([os.path.join(ROOT, 'data/embed/generate.py'), kind, out, *files], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          encoding='utf-8', check=False)
    equal(done.stdout, '')
    return done.returncode, done.stderr, os.path.exists(out)


@test
def bad_files_end_the_build():
    with tempfile.TemporaryDirectory() as where:
        bad, none = os.path.join(where, 'bad'), os.path.join(where, 'none')
        with open(bad, 'w', encoding='ascii') as f:
            f.write('erratum\n')
        equal(run(where, 'numbers', bad), (1, f'usage: generate.py {"|".join(generate.KINDS)} OUT.c FILE...\n', True))
        for kind in generate.KINDS:
            equal(run(where, kind, none), (1, f'{none}: cannot be read: No such file or directory\n', False))
        equal(run(where, 'errata', bad, none)[::2], (1, False))
        equal(run(where, 'errata', none, bad)[1].split('\n')[1], f"{bad}:1: 'erratum' has no value")


if __name__ == '__main__':
    sys.exit(main())
