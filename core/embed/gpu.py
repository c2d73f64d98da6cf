# SPDX-License-Identifier: MIT
"""core/gpu: events of graphics cards as functions of wires, and what these are on each family of chips; and rows of set-ups, for trace/lib/derive."""
import re

from entries import Bad, Kind, hexadecimal, literal, literals
from events import Boxes

FAMILIES = ['g80', 'g84', 'g200', 'gt215']
MODES = ['SIMPLE', 'EVENT_B4', 'EVENT_B6', 'EXTRA_B4', 'EXTRA_B6_EVENT_B2']
SLOT, CLOCKS = 6, 7  # in their place: a slot of a multiprocessor, clocks of the domain (docs/adr/0019)
ARGUMENTS, AMOUNT_BITS, FUNCTIONS, DEPTH_MAX = 4, 6, 3, 16
# Terms have the bits of docs/adr/0019.
TERMS = '''pmu gpu
term src config:0-31
term op config:32-52
term domain config:53-55
term mode config:56-58
term tpc config:59-62+1
term rop config:59-63+17
term mp config:59-63+1
term mux config2:0-4
term sel config2:5-31
term mux2 config2:32-36
term sel2 config2:37-63
term amount config1:0-31
term groups config1:32-63
source docs/adr/0019
'''


class Wires:
    """Lines of wires.c."""
    def __init__(self, text):
        self.units, self.muxes, self.chips = {}, {}, []
        for what, name, *rest in (line.split() for line in text.splitlines()):
            n = [int(word) for word in rest]
            if what == 'wire':
                self.units[name] = {'domain': n[0], 'count': n[1], 'first': n[2:6], 'needs': [(n[6], n[7]), (n[8], 0)]}
            elif what == 'mux':
                self.muxes[int(name)] = {'enable': n[0], 'address': n[1:5], 'mask': n[5:]}
            else:
                self.chips.append((name, n[0], n[1:]))

    def zero(self, family, domain):
        """The constant, which all chips of a family share in domains 1 to 3."""
        return next(zero[domain] for _, of, zero in self.chips if of == family)


class Function:
    """A function of wires with its amount, as a counter has them."""
    def __init__(self, wires, text):
        self.wires, self.rest, self.depth = wires, text, 0
        self.arguments, self.amount = [], []  # (unit, wire), in the order in which they first stand in the text
        self.domain, self.muxes = None, {}
        try:
            function = self.read_list('|', lambda: self.read_list('&', self.read_not, all), any)
            if self.rest.strip():
                self.fail('something follows that is no operator')
        except Bad as e:
            raise Bad(f"'{text[:80]}' is no function of wires: {e}") from None
        # Bit a0 + 2 a1 + 4 a2 + 8 a3; arguments that are not used do not matter.
        self.table = sum(function(values) << values for values in range(1 << ARGUMENTS))

    def fail(self, why):
        raise Bad(f"{why} at '{self.rest[:20]}'")

    def take(self, char):
        self.rest = self.rest.lstrip()
        has = self.rest.startswith(char)
        self.rest = self.rest[has:]
        return has

    def need(self, mux, select):
        """False: there is no room for the multiplexer, or it has another value already."""
        if mux and len(self.muxes) < 2:
            self.muxes.setdefault(mux, select)
        return not mux or self.muxes.get(mux) == select

    def take_wire(self):
        """Unit and number of the wire that stands next, which must fit to the others."""
        self.rest = self.rest.lstrip()
        m = re.match(r'(\w+)\.(\d+)', self.rest, re.ASCII)
        unit = self.wires.units.get(m[1]) if m else None
        if not unit or int(m[2]) >= unit['count']:
            self.fail("a wire of a unit is missing, as in 'trast.6'")
        self.rest = self.rest[m.end():]
        if self.domain not in (None, unit['domain']):
            self.fail('its wires are of different domains')
        if not all(self.need(*need) for need in unit['needs']):
            self.fail('its wires need three multiplexers, or two values of one')
        self.domain = unit['domain']
        return m[1], int(m[2])

    def read_list(self, operator, read, together):
        parts = [read()]
        while self.take(operator):
            parts.append(read())
        return lambda values: together([part(values) for part in parts])

    def read_not(self):
        if self.take('!'):
            inside = self.read_not()
            return lambda values: not inside(values)
        if self.take('1'):
            return lambda values: True
        if self.take('('):
            self.depth += 1
            if self.depth > DEPTH_MAX:
                self.fail('parentheses are too deep')
            inside = self.read_list('|', lambda: self.read_list('&', self.read_not, all), any)
            self.depth -= 1
            if not self.take(')'):
                self.fail("a ')' is missing")
            return inside
        wire = self.take_wire()
        if wire not in self.arguments:
            if len(self.arguments) == ARGUMENTS:
                self.fail('a counter has four signals, and these are more')
            self.arguments.append(wire)
        bit = self.arguments.index(wire)
        return lambda values: bool(values >> bit & 1)

    def read_amount(self, text):
        self.rest = text
        try:
            while self.rest:
                if len(self.amount) == AMOUNT_BITS:
                    self.fail('an amount has six bits, and these are more')
                self.amount.append(self.take_wire())
                self.rest = self.rest.lstrip()
            if len(self.amount) > 4 and len(self.arguments) > 2:
                self.fail("an amount of more than four bits has its function's arguments 2 and 3")
        except Bad as e:
            raise Bad(f"'{text[:80]}' is no amount: {e}") from None

    def registers(self, family, places=()):
        """Signals, amounts and groups, as registers have them; None: it has no amount, or no groups. Of a group that places have its place."""
        groups = {}
        zero = self.wires.zero(family, self.domain)

        def signal_of(wire):
            """Of domain 3 the signal behind which the wire's group stands: it gets a place if it has none. There is room, for four signals are all."""
            unit = self.wires.units[wire[0]]
            first = unit['first'][family]
            if unit['domain'] != 3:
                return first + wire[1]
            group = first // 4
            if group not in groups:
                groups[group] = places[group] if group in places else len(groups)
            return 4 * groups[group] + first % 4 + wire[1]

        def word(numbers):
            return sum(number << 8 * i for i, number in enumerate(numbers))

        # Arguments that are not used are the constant, or the upper bits of an amount of six.
        amount = self.amount + [None] * (AMOUNT_BITS - len(self.amount))
        arguments = self.arguments + [None, None, *amount[4:]][len(self.arguments):]
        signals = word([signal_of(wire) if wire else zero for wire in arguments])
        amounts = word([signal_of(wire) if wire else zero for wire in amount[:4]])
        return signals, amounts if self.amount else None, sum(group << 8 * place for group, place in groups.items()) if groups else None

    def mode(self):
        """Of the counters, as CTRL has it."""
        return 0 if not self.amount else 2 if len(self.amount) > 4 else 1

    def selected(self, family):
        """Number, select and row of the multiplexers that chips of the family have. Of domain 3 the groups say it."""
        rows = ((mux, select, self.wires.muxes.get(mux)) for mux, select in self.muxes.items())
        return [(mux, select, row) for mux, select, row in rows if row and row['address'][family]]

    def terms(self, family, places=()):
        signals, amounts, groups = self.registers(family, places)
        text = f'domain={self.domain},src={hexadecimal(signals, 10)},op={hexadecimal(self.table, 6)}'
        if self.amount:
            text += f',mode={self.mode()},amount={hexadecimal(amounts, 10)}'
        for behind, (mux, select, _) in zip(('', '2'), self.selected(family)):
            text += f',mux{behind}={mux},sel{behind}={select}'
        return text + (f',groups={hexadecimal(groups)}' if groups is not None else '')

    def columns(self, family):
        """Of a row of set-ups, from the mode on. Multiplexers are registers of the first unit: who only enables leaves the other bits."""
        signals, amounts, groups = self.registers(family)
        muxes = ';'.join(f'{row["address"][family]:#x}=0x{select | row["enable"]:08x}' + ('' if row['mask'][family] else f'&0x{row["enable"]:08x}')
                         for _, select, row in self.selected(family))
        start = f'{amounts:08x}/ffff' if self.amount else '-'
        group = f'{groups:x}' if groups is not None else '-'
        return f'{MODES[self.mode()]} {start} {signals:08x}/{self.table:04x} {group} {muxes or "-"}'


class Functions(Kind):
    """core/gpu as it is:

    gpu-event setup_point_count several names, if all else holds for each of them
    families g80 g84            chips that have it so; g80 g84 g200 gt215, or missing: all that have its wires. Of others there may be another entry of this name
    function trast.1 & trast.6 & trast.7
                                wires of core/regs/nv50_wires.h, all of one domain, with "!", "&", "|" and parentheses; four at most, of two multiplexers with one
                                value each
    amount zcull_in.0 zcull_in.1 ...
                                what is added in each clock in which it is 1, up to six wires, the lowest bit first; only of sums. Then the function may be "1", and
                                has two arguments at most if the amount has more than four bits. Further functions with their amounts may follow: each is counted in
                                its turn, and they are added
    clocks 1                    in place of functions: the clocks of a domain, which need no counter
    slot 0x02 4                 or a signal of a unit of the multiprocessors, which a context counts; of several names the next one has the next signal
    absent nobody has published ...
                                may be missing: why it cannot be counted; then there need be no function
    remedy count ...            what to do about that
    about Points that ...       a sentence
    source re-pcounter-tools, ...
    trust documented            or measured: a recording has it
    perfkit 62 ratio            may be missing: as which counter NVPerfKit's programs know it. Its number in the published list, and how the value is shown, "ratio" or
    perfkit 207 ratio gpu_busy  "raw". With a name: one that has the clocks in which it is not
    guessed g80                 families of which it is inferred; may be missing, then there is no guess either
    guess which bit it is.      what is inferred: the sentence of these families has it
    """
    rules = {'': 'gpu-event', 'gpu-event': 'families function clocks slot absent', 'families': 'function clocks slot absent', 'clocks': 'about', 'slot': 'about', 'function': 'function amount absent about',
             'amount': 'function absent about', 'absent': 'remedy', 'remedy': 'about', 'about': 'source', 'source': 'trust', 'trust': '- perfkit guessed',
             'perfkit': '- perfkit guessed', 'guessed': 'guess', 'guess': ''}

    def __init__(self):
        self.events, self.wires = [], Wires('')

    def read(self, file, text):
        if file.endswith('.wires'):
            self.wires = Wires(text.decode('ascii'))
        else:
            super().read(file, text)

    def take(self, key, value):
        if key == 'gpu-event':
            self.events.append({'families': range(len(FAMILIES)), 'function': [], 'perfkit': [], 'guessed': ()})
        event = self.events[-1]
        if key in ('families', 'guessed'):
            names = value.split()
            for i, name in enumerate(names):
                if name not in FAMILIES or name in names[:i]:
                    raise Bad(f"families are g80, g84, g200 and gt215, each once, and not '{name[:40]}'")
            value = [FAMILIES.index(name) for name in names]
        elif key == 'function':
            if len(event[key]) == FUNCTIONS:
                raise Bad(f'more than {FUNCTIONS} functions')
            event[key].append((Function(self.wires, value), [value, '']))
            return
        elif key == 'clocks' and not re.fullmatch('[0-7]', value, re.ASCII):
            raise Bad(f"a domain is a number from 0 to 7, not '{value[:40]}'")
        elif key == 'slot':
            m = re.fullmatch(r'0x([\da-f]{2}) ([0-7])', value, re.ASCII)
            if not m:
                raise Bad(f"a slot counts a signal of a unit, as in 'slot 0x02 4', and not '{value[:40]}'")
            value = int(m[1], 16), int(m[2])
            # What a card-wide counter sees of slot 0.
            event['function'] = [(Function(self.wires, 'slot_mp0.0'), [])]
        elif key == 'amount':
            function, texts = event['function'][-1]
            function.read_amount(value)
            texts[1] = value
        elif key == 'perfkit':
            event[key].append(value)
            return
        elif key == 'about':
            domains = {function.domain for function, _ in event['function']}
            if None in domains:
                raise Bad(f'{event["gpu-event"]} has no wire')
            if len(domains) > 1:
                raise Bad(f'functions of {event["gpu-event"]} are of different domains')
            units = [self.wires.units[unit] for function, _ in event['function'] for unit, _ in function.arguments + function.amount]
            event['families'] = [family for family in event['families'] if all(unit['first'][family] >= 0 for unit in units)]
        elif key == 'trust' and value not in ('documented', 'measured'):
            raise Bad(f"trust is 'documented' or 'measured', not '{value[:40]}'; what is guessed stands below it")
        event[key] = value

    def named(self):
        """Entries, one for each name."""
        events = [(i, {**event, 'gpu-event': name}) for event in self.events for i, name in enumerate(event['gpu-event'].split())]
        for i, event in events:
            if 'slot' in event:
                signal, unit = event['slot']
                event['slot'] = signal + i, unit
                event['function'] = [(event['function'][0][0], [f'mp.u{unit}.{signal + i:#04x}', ''])]
        return [event for _, event in events]

    def write(self):
        """An event that is a sum has several rows."""
        yield '#include "lab/card/truth.h"\n\nconst struct ntm_card_event ntm_card_events[] = {\n'
        rows = [(event, texts) for event in self.named()
                for texts in ([[f'd{event["clocks"]}: 1', '']] if 'clocks' in event else [texts for _, texts in event['function']])]
        for event, texts in rows:
            yield f'\t{{ {literals(event["gpu-event"], *texts)}, {sum(1 << i for i in event["families"]):#x} }},\n'
        yield f'}};\nconst size_t ntm_card_event_count = {len(rows)};\n'


class Cards(Functions):
    """What the events are on chips of each family, as if files of count/data/events said it."""
    def __init__(self):
        super().__init__()
        self.boxes = Boxes('nti_gpu_families')

    def read(self, file, text):
        super().read(file, text)
        for family, name in enumerate(FAMILIES if self.events else ()):
            entries = ''.join(self.entry(event, family) for event in self.named() if family in event['families'])
            self.boxes.read(f'nv_{name}', f'kind nv_{name}\n{TERMS}{entries}'.encode())

    def write(self):
        return self.boxes.write(count='')

    @staticmethod
    def entry(event, family):
        text = f'\nevent {event["gpu-event"]}\n'
        if 'absent' in event:
            text += f'absent {event["absent"]}\nremedy {event["remedy"]}\n'
        elif 'clocks' in event:
            text += f'terms domain={event["clocks"]},mode={CLOCKS}\n'
        elif 'slot' in event:
            text += f'terms mode={SLOT},src={event["slot"][0]:#04x},op={event["slot"][1]}\n'
        else:
            first, *more = [function.terms(family) for function, _ in event['function']]
            text += f'terms {first}\n' + (f'more {" ".join(more)}\n' if more else '')
        is_guessed = family in event['guessed']
        guess = f' Guessed: {event["guess"]}' if is_guessed else ''
        return text + f'about {event["about"]}{guess}\nsource {event["source"]}\ntrust {"guessed" if is_guessed else event["trust"]}\n' + ''.join(
            f'perfkit {value}\n' for value in event['perfkit'])


class Kernel(Cards):
    """The events that one counter counts, for the PMUs of driver/card.c: NAME, NAME.unit where that is clocks, and conflict flags."""
    @staticmethod
    def fit(a, b):
        """Can both be counted at one time, as driver/card_count.c has it?"""
        if a['words'] == b['words'] or a['clocks'] or b['clocks']:
            return True
        is_room = a['domain'] != b['domain'] or not a['mode'] or not b['mode']
        return is_room and all(b['selects'].get(key, select) == select for key, select in a['selects'].items())

    def needs(self, event, family, places):
        """Of an event: its words, and what fit() asks for. Who wants fewest conflicts gives groups of domain 3 their places in turn."""
        if 'clocks' in event:
            return {'words': self.boxes.encode(f'domain={event["clocks"]},mode={CLOCKS}'), 'clocks': True}
        function = event['function'][0][0]
        selects = {mux: select for mux, select, _ in function.selected(family)}
        for unit, _ in function.arguments + function.amount if function.domain == 3 else ():
            group = self.wires.units[unit]['first'][family] // 4
            place = places.setdefault(group, len(places) % 4)
            if selects.setdefault(f'group{place}', group) != group:
                raise Bad(f'two groups of {event["gpu-event"]} have one place')
        return {'words': self.boxes.encode(function.terms(family, places)), 'clocks': False, 'domain': function.domain, 'mode': function.mode(), 'selects': selects}

    def flags(self, needs):
        """By name. Two fit exactly if the AND of theirs is 0: a bit is of events of which no two fit."""
        flags, bit = dict.fromkeys(needs, 0), 1
        for a in needs:
            for b in needs:
                if flags[a] & flags[b] or self.fit(needs[a], needs[b]):
                    continue
                none_fit = [a, b]
                for c in needs:
                    if c not in none_fit and not any(self.fit(needs[c], needs[d]) for d in none_fit):
                        none_fit.append(c)
                for c in none_fit:
                    flags[c] |= bit
                bit <<= 1
        if bit >> 64:
            raise Bad('conflict flags need more than 64 bits')
        return flags

    def write(self):
        for family, name in enumerate(FAMILIES):
            events = [event for event in self.named() if family in event['families'] and not {'absent', 'slot'} & set(event) and len(event['function']) < 2]
            places = {}
            needs = {event['gpu-event']: self.needs(event, family, places) for event in events}
            yield f'static struct attribute *nv_{name}_events[] = {{\n'
            for event in events:
                text = ','.join(f'{word}={value:#x}' for word, value in needs[event['gpu-event']]['words'].items() if value)
                yield f'\tNTD_LINE({literals(event["gpu-event"], text)}),\n'
                if 'clocks' in event or any(' ratio' in value for value in event['perfkit']):
                    yield f'\tNTD_LINE({literals(event["gpu-event"] + ".unit", "clocks")}),\n'
            yield f'\tNULL,\n}};\nstatic struct attribute *nv_{name}_conflicts[] = {{\n'
            yield from (f'\tNTD_LINE({literals(event, f"{value:#x}")}),\n' for event, value in self.flags(needs).items())
            yield '\tNULL,\n};\n'


CHIPS = ['G80', 'G84', 'G86', 'G92', 'G94', 'G96', 'G98', 'G200', 'MCP77', 'MCP79', 'GT215', 'GT216', 'GT218', 'MCP89']


class Signals(Kind):
    """Signals by name:

    source ...                  of those below
    trust documented
    signal NAME DOMAIN CHIPS=FIRST ...
                                several; of chips with a comma the number of the signal there, in hexadecimal; "c7+4": four from 0xc7 on
    """
    rules = {'': 'source', 'source': 'trust', 'trust': 'signal', 'signal': '- signal'}

    def __init__(self):
        self.rows = []

    def take(self, key, value):
        if key != 'signal':
            return
        name, domain, *places = (*value.split(), '', '')[:max(2, len(value.split()))]
        if not re.fullmatch(r'[A-Z][A-Z0-9_.]*', name, re.ASCII) or not re.fullmatch('[0-7]', domain, re.ASCII):
            raise Bad(f"a signal has a name, a domain and places, not '{value[:60]}'")
        for place in places:
            m = re.fullmatch(r'([A-Z0-9,]+)=([\da-f]{2})(?:\+(\d+))?', place, re.ASCII)
            if not m or not set(m[1].split(',')) <= set(CHIPS) or int(m[2], 16) + int(m[3] or 1) > 256:
                raise Bad(f"'{place[:60]}' is no place of a signal, as in G84,G86=c7+4")
            self.rows.append((name, int(domain), int(m[2], 16), int(m[3] or 1), sum(1 << CHIPS.index(chip) for chip in m[1].split(','))))

    def write(self):
        yield '#include "count/lib/event/card_signals.h"\n\nconst struct nti_card_signal nti_card_signals[] = {\n'
        for name, *numbers, chips in self.rows:
            yield f'\t{{ {literal(name)}, {", ".join(map(str, numbers))}, {chips:#x} }},\n'
        yield f'}};\nconst size_t nti_card_signal_count = {len(self.rows)};\n'
        yield f'const char *const nti_card_signal_chips[] = {{ {literals(*CHIPS)} }};\nconst size_t nti_card_signal_chip_count = {len(CHIPS)};\n'


HEX = r'0x[\da-fA-F]{1,8}'
MUX = rf'{HEX}={HEX}(\|{HEX})*(&{HEX})?'
PAIR = r'[\da-f]{8}/[\da-f]{4,8}'
# Name, form and what is said of a column that has another one.
COLUMNS = [
    ('event', '[^-].*', 'no event'), ('part', r'0*\d', 'no part'), ('chips', '[^-].*', 'no chips'), ('set', '0*[0-7]', 'no domain'), ('mode', '|'.join(MODES), 'no mode'),
    ('start', f'-|{PAIR}', 'no SRC/OP'), ('select', PAIR, 'no SRC/OP'), ('group', r'-|[\da-f]{1,8}', 'no group select'),
    ('mux', f'-|{MUX}(;{MUX})*', 'no multiplexers'),
]


class Counters(Kind):
    """Set-ups of counters, and those of core/gpu that have a function, as rows:

    source ...                  of the rows below, in this entry
    trust documented            or measured, guessed
    counter EVENT PART CHIPS DOMAIN MODE START EVENT-SELECT GROUP MUX
                                several. The group select is of the shader domain, and multiplexers are ADDRESS=VALUE[&MASK], alternatives separated by "|",
                                several by ";". Chips are separated by commas; START and EVENT-SELECT are SRC/OP; "-" means none
    """
    rules = {'': 'source', 'source': 'trust', 'trust': 'counter', 'counter': '- counter'}

    def __init__(self):
        self.rows, self.gpu = [], Functions()
        self.source = self.trust = ''

    def read(self, file, text):
        if file.endswith(('.events', '.wires')):
            self.gpu.events = []
            self.gpu.read(file, text)
            text = ''.join(self.set_ups(event, family) for event in self.gpu.named() for family in event['families'] if event['function']).encode()
        super().read(file, text)

    def set_ups(self, event, family):
        """Of those chips whose wires are known. "rop_samples_in_count.1" is part 1 of its event."""
        name, part = (*event['gpu-event'].split('.', 1), '0')[:2]
        chips = ','.join(chip for chip, of, _ in self.gpu.wires.chips if of == family)
        rows = ''.join(f'counter {name} {part} {chips} {function.domain} {function.columns(family)}\n' for function, _ in event['function'])
        return f'source {event["source"]}\ntrust {"guessed" if family in event["guessed"] else event["trust"]}\n{rows}\n'

    def take(self, key, value):
        if key == 'source':
            self.source = value
        elif key == 'trust':
            if value not in ('documented', 'measured', 'guessed'):
                raise Bad(f'trust is documented, measured or guessed: {value}')
            self.trust = value
        else:
            words = value.split()
            if len(words) > len(COLUMNS):
                raise Bad(f'more than nine columns: {words[len(COLUMNS)]}')
            if len(words) < len(COLUMNS):
                raise Bad(f'fewer than nine columns: {words[0]}')
            for word, (_, form, error) in zip(words, COLUMNS):
                if not re.fullmatch(form, word, re.ASCII):
                    raise Bad(f'{error}: {word}')
            row = {name: '' if word == '-' else word for word, (name, *_) in zip(words, COLUMNS)}
            self.rows.append({**row, 'source': self.source, 'trust': self.trust})

    def write(self):
        yield '#include "trace/lib/derive/names.h"\n\nconst struct nti_known_counter nti_known_counters[] = {\n'
        for row in self.rows:
            start, select = ([int(word, 16) for word in (row[name] or '0/0').split('/')] for name in ('start', 'select'))
            yield (f'\t{{ {literals(row["event"])}, {int(row["part"])}, {int(row["set"])}, {MODES.index(row["mode"])}, '
                   f'{int(row["start"] != "")}, {int(row["group"] != "")}, 0x{start[0]:08x}, 0x{start[1]:04x}, 0x{select[0]:08x}, 0x{select[1]:04x}, '
                   f'0x{int(row["group"] or "0", 16):x}, {literals(row["chips"], row["mux"], row["source"], row["trust"])} }},\n')
        yield f'}};\nconst unsigned int nti_known_counter_count = {len(self.rows)};\n'
