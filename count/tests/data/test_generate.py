#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""core/embed/generate.py: a bad file ends it with FILE:LINE on stderr, exit status 1 and no output file. Speaks TAP."""
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.dont_write_bytecode = True
sys.path[:0] = [os.path.join(ROOT, 'core/embed'), os.path.join(ROOT, 'base/tests')]

import entries  # pylint: disable=wrong-import-position
import generate  # pylint: disable=wrong-import-position
import gpu  # pylint: disable=wrong-import-position
from tap import equal, main, test  # pylint: disable=wrong-import-position

CPU = 'erratum a\ncpu intel 6 5 all\n'
CPU_SAYS = '2: a cpu is intel, amd, hygon or arm, a family, models and steppings'
LIMIT = 'limit a\nevent b\n'
BOUND_SAYS = ("3: a bound is 'at most N of EVENT', 'at most N per second', 'moves within N of EVENT', 'moves within N seconds' or "
              "'between N and N'")
END = 'about A.\nremedy none\nsource s\ntrust t\n'
HEAD = 'kind a_box b_box\npmu a\nterm event config:0-7,32-35\nterm umask config:8-15\nterm extra config1:0-63\nsource A book\n'
E1 = HEAD + '\nevent e\nterms event=1\n'
MUX_SAYS = "its wires need three multiplexers, or two values of one at ''"
WIRES = b'''wire idle 1 1 200 189 201 203 0 0 0
wire trast 1 8 220 210 222 224 0 0 0
wire vfetch_prim 1 1 46 110 78 78 1 1 0
wire vfetch_vertex 1 3 52 116 84 84 1 0 0
wire prop_rop 2 8 0 0 0 0 3 0 0
wire crop_wait 2 4 82 48 85 100 4 1 0
wire zrop_wait 2 4 108 68 116 124 5 1 0
'''
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
    ('events', 'event x\n', "1: a file begins with 'kind'"),
    ('events', 'pmu x\n', "1: an entry begins with 'kind' or 'event', not 'pmu'"),
    ('events', HEAD + 'event e\n', "7: 'source' is followed by 'trust' or a blank line, not 'event'"),
    ('events', E1, "9: the entry of e ends too early: 'terms' is followed by 'more', 'scale', 'unit', 'state' or 'about'"),
    ('events', HEAD + '\nevent e\nabsent nobody knows it\nabout A.\n', "10: 'absent' is followed by 'remedy', not 'about'"),
    ('events', E1 + 'more event=2 mask=3\n', "10: there is no term 'mask' of config"),
    ('events', 'kind Box\n', "1: 'Box' is no name of a kind"),
    ('events', 'kind k k\n', '1: there is a kind k already'),
    ('events', 'kind a b c d e f g h i\n', '1: more kinds than there is room for'),
    ('events', 'kind k\npmu a/b\n', "2: 'a/b' is no name of a PMU"),
    ('events', 'kind k\npmu p\nterm 8 config:0\n', "3: '8' is no name of a term"),
    ('events', HEAD + '\nevent e.scale\n', "8: 'e.scale' is no name of an event"),
    ('events', HEAD + f'\nevent {41 * "e"}\n', f"8: '{41 * 'e'}' is no name of an event"),
    ('events', HEAD + '\nevent umask\n', '8: umask is the name of a term'),
    ('events', E1 + 'about A.\nsource s\n\nevent e\n', '13: there is an event e already'),
    ('events', 'kind k\npmu p\nterm t\n', "3: '' are no bits of a term, as in config:8-15"),
    *(('events', f'kind k\npmu p\nterm t {bits}\n', f"3: '{bits}' are no bits of a term, as in config:8-15")
      for bits in ('config:8-70', 'config:3-2', 'config:', 'config:1+', 'config:1+2', 'config9:1')),
    ('events', 'kind k\npmu p\nterm t config:0\nterm t config:1\n', '4: there is a term t already'),
    ('events', HEAD + '\nevent e\nterms event=1,mask=2\n', "9: there is no term 'mask' of config"),
    ('events', HEAD + '\nevent e\nterms event=1,extra=2\n', "9: there is no term 'extra' of config"),
    *(('events', HEAD + f'\nevent e\nterms event{value}\n', '9: term event needs a number, as in event=0x04') for value in ('', '=x', '=0x', '=-1', '=1f')),
    ('events', HEAD + '\nevent e\nterms event=0x1000\n', '9: event=0x1000 does not fit into config:0-7,32-35'),
    ('events', E1 + 'about A.\nsource s\n\nevent f\nterms umask=0,event=0x1\n', '14: f has the same encoding as e'),
    *(('events', E1 + f'scale {scale}\n', f"10: '{scale}' is neither a positive number nor 'energy'") for scale in ('-1', 'inf', '1,5', '0')),
    ('events', E1 + 'state sum\n', "10: a state is 'max' or 'min' of several places, not 'sum'"),
    ('events', E1 + 'about No stop\n', "10: 'about' is a sentence and ends with a full stop"),
    ('counters', 'source s\ntrust maybe\n', '2: trust is documented, measured or guessed: maybe'),
    ('counters', 'source s\ntrust guessed\n', "2: the entry of s ends too early: 'trust' is followed by 'counter'"),
    *(('counters', f'source s\ntrust guessed\ncounter {row}\n', f'3: {error}') for row, error in [
        ('- 0 G80 1 SIMPLE - eeeeeec8/aaaa - -', 'no event: -'),
        ('e 0 - 1 SIMPLE - eeeeeec8/aaaa - -', 'no chips: -'),
        ('e x G80 1 SIMPLE - eeeeeec8/aaaa - -', 'no part: x'),
        ('e 0 G80 8 SIMPLE - eeeeeec8/aaaa - -', 'no domain: 8'),
        ('e 0 G80 1 SIMPEL - eeeeeec8/aaaa - -', 'no mode: SIMPEL'),
        ('e 0 G80 1 SIMPLE 1/2 eeeeeec8/aaaa - -', 'no SRC/OP: 1/2'),
        ('e 0 G80 1 SIMPLE - eeeeeec8 - -', 'no SRC/OP: eeeeeec8'),
        ('e 0 G80 1 SIMPLE - - - -', 'no SRC/OP: -'),
        ('e 0 G80 1 SIMPLE - eeeeeec8/123456789 - -', 'no SRC/OP: eeeeeec8/123456789'),
        ('e 0 G80 1 SIMPLE - eeeeeec8/aaaa g -', 'no group select: g'),
        ('e 0 G80 1 SIMPLE - eeeeeec8/aaaa - 0x1', 'no multiplexers: 0x1'),
        ('e 0 G80 1 SIMPLE - eeeeeec8/aaaa - 0x1=0x2;', 'no multiplexers: 0x1=0x2;'),
        ('e 0 G80 1 SIMPLE - eeeeeec8/aaaa - - more', 'more than nine columns: more'),
        ('e 0 G80 1 SIMPLE - eeeeeec8/aaaa -', 'fewer than nine columns: e')]),
    ('gpu', 'function idle.0\n', "1: an entry begins with 'gpu-event', not 'function'"),
    *(('gpu', f'gpu-event a\nfunction {text}\n', f"2: '{text}' is no function of wires: {why}") for text, why in [
        *((text, f"a wire of a unit is missing, as in 'trast.6' at '{text}'") for text in ('trast', 'trast.8', 'trast.99999999999', 'idle.1', 'busy.0')),
        ('trast.0 &', "a wire of a unit is missing, as in 'trast.6' at ''"),
        ('(trast.0', "a ')' is missing at ''"),
        ('trast.0)', "something follows that is no operator at ')'"),
        ('trast.0 trast.1', "something follows that is no operator at 'trast.1'"),
        ('trast.0|trast.1|trast.2|trast.3|trast.4', "a counter has four signals, and these are more at ''"),
        ('!((((((((((((((((((trast.0', "parentheses are too deep at '(trast.0'"),
        ('idle.0 & prop_rop.0', "its wires are of different domains at ''"),
        ('vfetch_prim.0 & vfetch_vertex.0', MUX_SAYS), ('prop_rop.0 & crop_wait.0 & zrop_wait.0', MUX_SAYS)]),
    *(('gpu', f'gpu-event a\nfunction {function}\namount {text}\n', f"3: '{text}' is no amount: {why}") for function, text, why in [
        ('vfetch_prim.0', 'vfetch_vertex.0 x', MUX_SAYS[:-2] + "' x'"),
        ('trast.0 & trast.1 & trast.2', 'trast.3 trast.4 trast.5 trast.6 trast.7', "an amount of more than four bits has its function's arguments 2 and 3 at ''"),
        ('1', 'trast.0 trast.1 trast.2 trast.3 trast.4 trast.5 trast.6', "an amount has six bits, and these are more at 'trast.6'")]),
    ('gpu', 'gpu-event a\nfunction 1\nabout It.\n', '3: a has no wire'),
    ('gpu', 'gpu-event a\nfunction idle.0\nfunction 1\nabout It.\n', '4: a has no wire'),
    ('gpu', 'gpu-event a\nfunction idle.0\nfunction prop_rop.1\nabout It.\n', '4: functions of a are of different domains'),
    ('gpu', 'gpu-event a\n' + 4 * 'function idle.0\n', '5: more than 3 functions'),
    *(('gpu', f'gpu-event a\nfamilies g80 {name}\n', f"2: families are g80, g84, g200 and gt215, each once, and not '{name}'") for name in ('g80', 'g81')),
    *(('events', HEAD + '\nevent e\nterms event=1\nabout A.\nsource s\ntrust t\n' + lines,
       f"{12 + lines.count('perfkit')}: a counter of NVPerfKit is a number with 'ratio' or 'raw', at most 2 of an event, not '{bad}'")
      for lines, bad in (('perfkit 62 percent\n', '62 percent'), ('perfkit x raw\n', 'x raw'), (3 * 'perfkit 1 raw\n', '1 raw'))),
    ('gpu', 'gpu-event a\nclocks 8\n', "2: a domain is a number from 0 to 7, not '8'"),
    ('signals', 'source s\ntrust t\nsignal a 0 G80=1a\n', "3: a signal has a name, a domain and places, not 'a 0 G80=1a'"),
    ('signals', 'source s\ntrust t\nsignal A 8\n', "3: a signal has a name, a domain and places, not 'A 8'"),
    *(('signals', f'source s\ntrust t\nsignal A 0 {place}\n', f"3: '{place}' is no place of a signal, as in G84,G86=c7+4")
      for place in ('G80=1', 'G81=10', 'G80=fe+3', 'G80,=10', '=10')),
    ('gpu', 'gpu-event a\nfunction idle.0\nabout It.\nsource B\ntrust guessed\n',
     "5: trust is 'documented' or 'measured', not 'guessed'; what is guessed stands below it"),
    ('gpu', 'gpu-event a\nfunction idle.0\nabout It.\nsource B\ntrust documented\nguessed g80\n',
     "6: the entry of a ends too early: 'guessed' is followed by 'guess'"),
]


def said_of(name, *texts):
    """What the kind's reader says of these texts, one file each; None: nothing."""
    kind = generate.KINDS[name]()
    if name == 'gpu':
        kind.read('tesla.wires', WIRES)
    try:
        for text in texts:
            kind.read('f', text.encode())
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
def files_become_one_table():
    boxes = generate.KINDS['events']()
    boxes.read('f', (HEAD + '\nevent e-1\nterms event=0x107, umask = 12\nscale 6.103515625e-5\nunit MiB\nstate min\nabout A??.\nsource s\n'
                     '\nevent f\nterms event=3\nscale energy\nunit J\nabout A.\nsource s\n\nevent m\nterms event=4\nmore umask=1 umask=2\nabout A.\nsource s\n'
                     '\nevent g\nabsent b\nremedy c\nabout A.\nsource s\ntrust guessed').encode())
    boxes.read('g', b'kind c_box\npmu c\nterm event config:0-63\nsource B')
    text = ''.join(boxes.write())
    for line in ('static const struct nti_box_term a_box_terms[] = {', '\t{ "event", "config:0-7,32-35" },',
                 '\t{ "e-1", "event=0x107, umask = 12", "MiB", "A\\?\\?.", "s", 6.103515625e-05, 0x100000c07u, 1, NTI_MIN, 0, 0, 0, 0 },',
                 '\t{ "f", "event=3", "J", "A.", "s", 0, 0x3u, 0, NTI_SUM, 0, 0, 0, 0 },',
                 '\t{ "m", "event=4", "", "A.", "s", 1, 0x4u, 0, NTI_SUM, "umask=1 umask=2", 0, 0, 0 },',
                 '\t{ "g", "", "", "A.", "s", 1, 0u, 0, NTI_SUM, 0, "b", "c", "guessed" },',
                 '\t{ "b_box", "a", a_box_terms, 3, a_box_events, 4 },', '\t{ "c_box", "c", c_box_terms, 1, c_box_events, 0 },',
                 'const size_t nti_box_family_count = 3;'):
        if f'\n{line}\n' not in text:
            raise AssertionError(f'no line {line!r} in {text}')
    equal(said_of('events', HEAD, HEAD), 'f:1: there is a kind a_box already')
    equal(said_of('events', HEAD, 'event e\n'), "f:1: a file begins with 'kind'")


@test
def functions_have_truth_tables():
    wires = gpu.Wires(WIRES.decode())
    for text, table, arguments in [
            ('trast.0', 0xaaaa, 1), ('!trast.0', 0x5555, 1), ('trast.0 & trast.1', 0x8888, 2), ('trast.0&trast.1&trast.2', 0x8080, 3),
            ('trast.0 | trast.1', 0xeeee, 2), ('trast.0 & !trast.1', 0x2222, 2), ('trast.0 & trast.1 | trast.2 & trast.3', 0xf888, 4),
            ('(trast.0 & !trast.1) | (trast.2 & !trast.3)', 0x22f2, 4), ('!(trast.0 & trast.1 & trast.2 & trast.3)', 0x7fff, 4),
            ('!trast.0 & !trast.1 & !trast.2 & !trast.3', 0x0001, 4), ('trast.0 | (trast.1 & trast.2)', 0xeaea, 3),
            # "&" binds more than "|"; a wire is one argument however often it stands there
            ('trast.0 | trast.1 & trast.0', 0xaaaa, 2), ('(trast.0 | trast.1) & trast.0 & ! ! trast.1', 0x8888, 2), ('idle.0 & 1', 0xaaaa, 1)]:
        function = gpu.Function(wires, text)
        equal((text, function.table, len(function.arguments)), (text, table, arguments))


@test
def text_is_a_literal_of_c():
    equal(entries.literals('A??="\\\t', None), '"A\\?\\?=\\"\\\\\\011", NULL')


def run(where, kind, *files):
    """Exit status, stderr and whether there is an output file, after one of an earlier build."""
    out = os.path.join(where, 'out.c')
    with open(out, 'w', encoding='ascii'):
        pass
    done = subprocess.run([os.path.join(ROOT, 'core/embed/generate.py'), kind, out, *files], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
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
