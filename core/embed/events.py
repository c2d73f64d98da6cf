# SPDX-License-Identifier: MIT
"""count/data/events: the tables of count/lib/event/box_events.h."""
import re

from entries import Bad, Kind, hexadecimal, literal, literals, real

KINDS_MAX, FAMILIES_MAX, TERMS_MAX, EVENTS_MAX = 8, 64, 32, 256
PERFKIT_MAX = 2  # NTI_PERFKIT_MAX
WORDS = ['config', 'config1', 'config2']  # perf's


def scatter(ranges, value, word=0):
    """The word with the value in the bits of "0-7,32-35", "59-62+1", as nti_format_scatter() has it. None: it does not fit, or these are no bits."""
    ranges, plus, offset = ranges.partition('+')
    pairs = [re.fullmatch(r'(\d+)(?:-(\d+))?', text, re.ASCII) for text in ranges.split(',')]
    if not all(pairs) or (plus and not re.fullmatch(r'\d+', offset, re.ASCII)):
        return None
    bits = []
    for first, last in ((int(m[1]), int(m[2] or m[1])) for m in pairs):
        if not first <= last <= 63:
            return None
        bits += range(first, last + 1)
    value += int(offset or 0)
    if value >> min(len(bits), 64):
        return None
    for i, bit in enumerate(bits):
        word = word & ~(1 << bit) | (value >> i & 1) << bit
    return word


def check_name(what, text, more='_'):
    if not re.fullmatch(f'[a-z][a-z0-9{more}]{{0,39}}', text):
        raise Bad(f"'{text[:60]}' is no name of {what}")


class Boxes(Kind):
    """First what boxes are like:

    kind snbep_imc              kinds of boxes (core/seq/boxes.c) that have all this, separated by blanks
    pmu uncore_imc              perf's PMU of such boxes, without number
    term event config:0-7       several; as the files in "format" of sysfs
    term umask config:8-15
    source Linux 6.1, ...

    then their events:

    event cas_count_read
    terms event=0x04,umask=0x03
    more event=0x05             further terms whose counts are added, lists with blanks
    absent nobody knows ...     instead of terms: why nobody can count it, and
    remedy count ...            what to do
    scale 6.103515625e-5        may be missing: 1. "energy": as the registers say
    unit MiB                    of the count times the scale; may be missing
    state max                   may be missing: the event is a state, and of several places the "max" or "min" speaks
    about Data read from memory.
    source Linux 6.1, ...
    trust guessed               may be missing: documented
    perfkit 62 ratio            of cards, as ../gpu has it
    """
    rules = {'': 'kind event', 'kind': 'pmu', 'pmu': 'term', 'term': 'term source', 'event': 'terms absent', 'terms': 'more scale unit state about',
             'more': 'about', 'absent': 'remedy', 'remedy': 'about', 'scale': 'unit', 'unit': 'state about', 'state': 'about', 'about': 'source',
             'source': '- trust', 'trust': '- perfkit', 'perfkit': '- perfkit'}

    def __init__(self, array='nti_box_families'):
        self.array = array
        self.groups = []  # kinds with what they share
        self.now = self.event = None

    def read(self, file, text):
        self.now = None
        super().read(file, text)

    def kinds(self):
        return [kind for group in self.groups for kind in group['kinds']]

    def take(self, key, value):
        take = getattr(self, f'take_{key}', None)
        if take:
            value = take(value)
        if value is not None and self.event:
            self.event[key] = value

    def take_kind(self, value):
        self.now = {'kinds': [], 'terms': {}, 'events': {}}
        self.event = None
        self.groups.append(self.now)
        for kind in value.split():
            check_name('a kind', kind)
            if kind in self.kinds():
                raise Bad(f'there is a kind {kind} already')
            if len(self.now['kinds']) == KINDS_MAX or len(self.kinds()) == FAMILIES_MAX:
                raise Bad('more kinds than there is room for')
            self.now['kinds'].append(kind)

    def take_pmu(self, value):
        check_name('a PMU', value)
        self.now['pmu'] = value

    def is_card(self):
        """Events of boxes are known by config alone, and perf's PMUs have files such as "event.scale"; those of cards have all three words, and parts ".0", ".1"."""
        return self.now['pmu'] == 'gpu'

    def take_term(self, value):
        name, form = (*value.split(None, 1), '')[:2]
        check_name('a term', name)
        word, _, ranges = form.partition(':')
        if word not in WORDS or scatter(ranges, 0) is None:
            raise Bad(f"'{form[:60]}' are no bits of a term, as in config:8-15")
        if name in self.now['terms']:
            raise Bad(f'there is a term {name} already')
        if len(self.now['terms']) == TERMS_MAX:
            raise Bad(f'more than {TERMS_MAX} terms')
        self.now['terms'][name] = form

    def take_event(self, value):
        if not self.now:
            raise Bad("a file begins with 'kind'")
        check_name('an event', value, '_.-' if self.is_card() else '_-')
        if value in self.now['events']:
            raise Bad(f'there is an event {value} already')
        if value in self.now['terms']:
            raise Bad(f'{value} is the name of a term')
        if len(self.now['events']) == EVENTS_MAX:
            raise Bad(f'more than {EVENTS_MAX} events')
        self.event = self.now['events'][value] = {'name': value, 'terms': '', 'unit': '', 'scale': 1, 'config': 0, 'state': 'sum'}

    def encode(self, terms):
        """The words of "event=0x04,umask=0x03"."""
        words = dict.fromkeys(WORDS, 0)
        for term in terms.split(','):
            name, value = (part.strip() for part in (*term.split('=', 1), '')[:2])
            word, _, ranges = self.now['terms'].get(name, '').partition(':')
            if word not in WORDS[:3 if self.is_card() else 1]:
                raise Bad(f"there is no term '{name[:60]}' of config")
            if not re.fullmatch(r'\d+|0[xX][\da-fA-F]+', value, re.ASCII):
                raise Bad(f'term {name} needs a number, as in {name}=0x04')
            words[word] = scatter(ranges, int(value, 16 if value[1:2] in ('x', 'X') else 10), words[word])
            if words[word] is None:
                raise Bad(f'{name}={value} does not fit into {word}:{ranges}')
        return words

    def take_terms(self, value):
        self.event['words'] = self.encode(value)
        self.event['config'] = self.event['words']['config']
        # Of a card two names may be one set-up (docs/adr/0019).
        for name, other in self.now['events'].items():
            if other is not self.event and other['config'] == self.event['config'] and not self.is_card():
                raise Bad(f'{self.event["name"]} has the same encoding as {name}')
        return value

    def take_more(self, value):
        for terms in value.split(' '):
            if terms:
                self.encode(terms)
        return value

    @staticmethod
    def take_scale(value):
        number = real(value)
        if number is None or not 0 < number < 1e300:
            if value != 'energy':
                raise Bad(f"'{value[:60]}' is neither a positive number nor 'energy'")
            number = 0
        return number

    @staticmethod
    def take_state(value):
        if value not in ('max', 'min'):
            raise Bad(f"a state is 'max' or 'min' of several places, not '{value[:60]}'")
        return value

    def take_perfkit(self, value):
        m = re.fullmatch(r'(\d{1,4}) (ratio|raw)(?: ([a-z_]+))?', value, re.ASCII)
        rows = self.event.setdefault('perfkit', [])
        if not m or len(rows) == PERFKIT_MAX:
            raise Bad(f"a counter of NVPerfKit is a number with 'ratio' or 'raw', at most {PERFKIT_MAX} of an event, not '{value[:60]}'")
        rows.append(f'{{ {m[1]}, {int(m[2] == "ratio")}, {literal(m[3])} }}')

    def write(self, count='const size_t nti_box_family_count = {};\n'):
        yield '#include "count/lib/event/box_events.h"\n\n'
        for group in self.groups:
            yield f'static const struct nti_box_term {group["kinds"][0]}_terms[] = {{\n'
            yield from (f'\t{{ {literals(*term)} }},\n' for term in group['terms'].items())
            yield f'}};\nstatic const struct nti_box_event {group["kinds"][0]}_events[] = {{\n'
            for event in group['events'].values():
                texts = literals(*(event[key] for key in ('name', 'terms', 'unit', 'about', 'source')))
                rare = ', '.join(literal(event[key]) if key in event else '0' for key in ('more', 'absent', 'remedy', 'trust'))
                perfkit = f', {{ {", ".join(event["perfkit"])} }}' if 'perfkit' in event else ''
                yield (f'\t{{ {texts}, {event["scale"]:.17g}, {hexadecimal(event["config"])}u, {int(event["state"] != "sum")}, '
                       f'NTI_{event["state"].upper()}, {rare}{perfkit} }},\n')
            yield '};\n'
        yield f'const struct nti_box_family {self.array}[] = {{\n'
        for group in self.groups:
            arrays = '{0}_terms, {1}, {0}_events, {2}'.format(group['kinds'][0], len(group['terms']), len(group['events']))
            yield from (f'\t{{ "{kind}", "{group["pmu"]}", {arrays} }},\n' for kind in group['kinds'])
        yield '};\n' + count.format(len(self.kinds()))
