#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Counters of multiprocessors, in contexts of a card that is a model. Speaks TAP.

Usage: test_contexts.py NTIME [-k WORD]
"""
import csv
import io
import json
import os
import random
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../../base/tests'))
import command as t    # noqa: E402
from card import CHIPS, Card, EBUSY, EINVAL, HOLD, OF_MP, OF_MP_G200, TEXT, WRITE, ask, model, out    # noqa: E402
from command import equal, err, has, ntime    # noqa: E402
test = t.test
CHANNEL, METHOD, MEMORY = 5, 6, 7
ENODEV = 19
SET, CONTROL, CONFIGURE, SAMPLE, READ_OUT = 0x2d0, 0x2e0, 0x600, 0x610, 0x614
LATEST, DEPTH, RING, READING = 0, 4, 8, 48
FUNCTION = [0xaaaa, 0xcccc, 0xf0f0, 0xff00]


def word(event, slot=0):
    """MP_PM_CONTROL of a slot, from the published one of slot 0."""
    return int(OF_MP_G200[event], 16) & 0xff0000ff | FUNCTION[slot] << 8


def counted(card, context, events, *command):
    """Values by event's name."""
    done = ntime('--model', card.path, '--csv', '--passes', '-e', ','.join(f'gpu0/{event}/' for event in events), *(('--context', context) if context else ()), '--', *command)
    rows = {row['name']: row for row in csv.DictReader(io.StringIO(err(done)))}
    return {event: rows[f'gpu0/{event}/']['value'] for event in events}


def played(card, frames, *more):
    return t.NTIME, 'model', 'play', card.path, str(frames), *more


def truth(card, event, context=None):
    return model('truth', card.path, event, *(('--context', context) if context else ()))


def channel(card, name, lines, status=0):
    done = subprocess.run([t.NTIME, 'model', 'channel', card.path, name], input=lines.encode(), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env=t.environment(), check=False)
    equal(done.returncode, status, err(done))
    return err(done)


def mixed(chip, seed):
    """Two contexts that take turns at random, and all events of the chip in them."""
    chance = random.Random(seed)
    events = list(OF_MP_G200 if chip == 'G200' else OF_MP)
    mps = ['', '0'] if chip == 'G98' else ['', '0', '1']
    lines = [f'seed {seed}']
    for _ in range(3):
        lines.append('frame')
        for _ in range(40):
            lines.append(f'context {chance.choice("ab")}')
            some = chance.sample(events, 3)
            lines.append(f'clocks 1-{chance.randrange(1, 900)} ' + ' '.join(f'mp{chance.choice(mps)}.{event}' for event in some))
    return events, '\n'.join(lines) + '\n'


@test
def vectors_are_added_as_they_were_recorded():
    with Card('GT218', options=('--mp', '0x1')) as card:
        equal(counted(card, 'a', ['instructions'], *played(card, 'vectoradd', '--context', 'a')), {'instructions': '10120'})
        equal(truth(card, 'instructions'), '10120')
    with Card('GT218') as card:
        first = counted(card, 'a', [f'{event},mp=0' for event in ('instructions', 'branch', 'sm_cta_launched', 'warp_serialize')], *played(card, 'vectoradd', '--context', 'a'))
        equal(list(first.values()), ['10120', '784', '97', '0'])
        both = counted(card, 'a', ['instructions', 'branch', 'sm_cta_launched', 'divergent_branch', 'prof_trigger_05'], *played(card, 'vectoradd', '--context', 'a'))
        equal(list(both.values()), ['20240', '1568', '196', '0', '0'])
        tpc = counted(card, None, ['cta_launched', 'gld_coherent', 'gst_coherent', 'gld_64b', 'gst_64b', 'gld_request', 'gst_total'], *played(card, 'vectoradd'))
        equal(list(tpc.values()), ['196', '6250', '12500', '6250', '3125', '6250', '3125'])
        # In another one nothing happened.
        equal(counted(card, 'b', ['instructions'], *played(card, 'vectoradd', '--context', 'a')), {'instructions': '0'})


@test
def every_event_of_every_chip_in_two_contexts():
    for seed, chip in enumerate(chip for chip in CHIPS if chip != 'G80'):
        events, scene = mixed(chip, seed + 1)
        with Card(chip, scene) as card:
            for context in ('a', 'b'):
                is_now = counted(card, context, events, *played(card, 3))
                equal(is_now, {event: truth(card, event, context) for event in events}, f'{chip}, context {context}')
            equal([truth(card, event) for event in events], [str(int(truth(card, event, 'a')) + int(truth(card, event, 'b'))) for event in events])


@test
def two_programs_each_have_their_own():
    events, scene = mixed('GT218', 77)
    four = events[:4]
    with Card('GT218', scene) as card:
        inner = [t.NTIME, '--model', card.path, '--csv', '-o', f'{card.folder.name}/inner', '--context', 'b', '-e', ','.join(f'gpu0/{event}/' for event in four), '--']
        outer = counted(card, 'a', four, *inner, *played(card, 3))
        with open(f'{card.folder.name}/inner', encoding='ascii') as f:
            rows = {row['name']: row['value'] for row in csv.DictReader(f)}
        equal(outer, {event: truth(card, event, 'a') for event in four})
        equal({event: rows[f'gpu0/{event}/'] for event in four}, {event: truth(card, event, 'b') for event in four})


@test
def the_sum_of_contexts_is_what_the_card_sees():
    _, scene = mixed('GT215', 5)
    with Card('GT215', scene) as card:
        for name in 'ab':
            channel(card, name, f'0x2e0 {word("instructions"):#x}\nPB: {word("branch", 1):#010x}   NV50_COMPUTE.MP_PM_CONTROL[1] = {{ MODE = LOGOP }}\n')
        wide = counted(card, None, ['domain=3,src=0,op=0xaaaa,groups=0x14', 'domain=3,src=1,op=0xaaaa,groups=0x14', 'domain=3,src=0,op=0xaaaa,groups=0x28'], *played(card, 3))
        equal(list(wide.values()), [truth(card, wire) for wire in ('mp0.instructions', 'mp0.branch', 'mp1.instructions')])


@test
def readings_belong_to_their_number_or_are_lost():
    with Card('GT218', 'frame\ncontext a\nclocks 1-99 mp.instructions\n') as card, card.connect() as a, card.connect() as other:
        number = ask(a, CHANNEL, text=b'a')[1]
        for method, value in ((CONFIGURE + 8, 1), (SET + 8, 5), (CONTROL + 8, word('instructions', 2))):
            equal(ask(a, METHOD, method, value, number)[0], 0)

        def look(at):
            return ask(a, MEMORY, at, 0, number)[1]
        depth, lost, known = look(DEPTH), 0, {0: 5}
        equal(depth, 8)
        chance = random.Random(68)
        for n in range(1, 10001):
            ask(other, TEXT, text=f'frame {n}'.encode())
            known[n] = 5 + int(ask(other, TEXT, text=b'truth mp0.instructions')[2]) if n < 40 else None
            ask(a, METHOD, SAMPLE, 0, number)
            ask(a, METHOD, READ_OUT, n, number)
            if n >= 40:
                continue
            # One that looks late finds its own, or another's number there.
            m = max(1, n - chance.randrange(12))
            at = RING + m % depth * READING
            if n - m < depth:
                equal((look(at), look(at + 16 + 8 * 2)), (m, known[m]))
            else:
                equal(look(at) != m, True)
                lost += 1
        equal((look(LATEST), lost > 0), (10000, True))


@test
def more_than_counters_hold_is_told():
    for frames, flags in ((1, ['simulated']), (2, ['overflowed', 'simulated'])):
        with Card('G200', 'frame\ncontext a\nclocks 3000000000 mp.instructions\n') as card:
            done = ntime('--model', card.path, '--csv', '-e', 'gpu0/instructions/', '--context', 'a', '--', *played(card, frames))
            row = next(row for row in csv.DictReader(io.StringIO(err(done))) if row['name'] == 'gpu0/instructions/')
            equal((row['value'] == truth(card, 'instructions'), sorted(row['flags'].split())), (frames == 1, flags), row)


@test
def pulses_begin_anew_with_their_slot():
    with Card('GT218', 'frame\ncontext a\nclocks 5 mp.instructions mp.branch\n') as card:
        for _ in range(2):
            equal(list(counted(card, 'a', ['instructions'], *played(card, 3)).values()), ['30'])
            equal(list(counted(card, 'a', ['mode=6,src=2,op=12'], *played(card, 3)).values()), ['2'])


@test
def what_cannot_be_says_why():
    with Card('G80') as card:
        has(err(ntime('--model', card.path, '-e', 'gpu0/mode=6,src=4,op=4/', '--context', 'a', 'true')), 'set up by methods of a channel')
        has(err(ntime('--model', card.path, '-e', 'gpu0/instructions/', '--context', 'a', 'true')), "a G80, has no event 'instructions'")
    with Card('GT218', 'frame\ncontext a\nclocks 5 mp.branch\n', ('--mp', '0x1')) as card:
        has(' '.join(err(ntime('--model', card.path, '-e', 'gpu0/branch/', 'true')).split()), 'multiprocessors count in a context, and none was named remedy: name one: --context')
        has(err(ntime('--model', card.path, '-e', 'gpu0/branch,mp=1/', '--context', 'a', 'true')), 'gpu0_mp has no multiprocessor 1: bits of its TPCs are 0x1')
        for words, why in (('tpc=0', 'take mp in place of tpc or rop'), ('rop=0,mp=0', 'take mp in place of tpc or rop')):
            has(' '.join(err(ntime('--model', card.path, '-e', f'gpu0/branch,{words}/', '--context', 'a', 'true')).split()), why)
        has(model('truth', card.path, 'branch', '--context', 'b', status=125), "there is no context 'b'")
        has(err(ntime('--model', card.path, '-e', 'gpu0/branch/', '--context', 'a b', 'true')), "there cannot be a context 'a b'")
        has(channel(card, 'a', '\n0x2e0 1\n0x2f0 1\n', 125), 'standard input:3: method 0x2f0 with value 0x1 is none that the counters')
        has(channel(card, 'a', '0x610 0\n0x614 0\n', 125), 'standard input:2')
        has(channel(card, 'a', 'PB: 0x1 NV50_COMPUTE.MP_PM_CONTROL[4] = 1\n', 125), 'standard input:1')
        for line in ('hello\n', 'PB: 0x1 NV50_COMPUTE.MP_PM_SET[4] = 1\n', 'PB: 0x1 NV50_COMPUTE.MP_PM_SET[', '0x2e0 0x1ffffffff\n', '0x2e0 -1\n', '0x2e0 1' + ' ' * 600 + '\n'):
            has(channel(card, 'a', line, 125), 'standard input:1: expected a method and its value')
        has(err(ntime('--model', card.path, '-e', 'gpu0/branch/', '--context', '', 'true')), 'a context has a name')
        has(err(ntime('--model', card.path, '-e', 'gpu0/inst*/', 'true')), 'multiprocessors count in a context')
        has(err(ntime('--model', card.path, '-e', 'gpu0_mp/r4/', '--context', 'a', 'true')), 'gpu0_mp')
        wire = 'gpu0/domain=3,src=0,op=0xaaaa,groups=0x14/'
        for both in (f'gpu0/branch/,{wire}', f'{wire},gpu0/branch/'):
            has(' '.join(err(ntime('--model', card.path, '--context', 'a', '-e', both, 'true')).split()), f'slots of multiprocessors are what gpu0/branch/ counts, and what {wire} sees')
        # Slots that the context's program had set are as they were.
        channel(card, 'a', f'0x2e0 {word("branch"):#x}\n')
        for _ in range(2):
            equal(counted(card, None, ['domain=3,src=0,op=0xaaaa,groups=0x14'], *played(card, 2))['domain=3,src=0,op=0xaaaa,groups=0x14'], '10')
            ntime('--model', card.path, '-e', 'gpu0/instructions/', '--context', 'a', 'true')
        has(channel(card, 'x' * 40, '', 125), 'there cannot be a context')
        has(model('end', card.path, 'nobody', status=125), "there is no context 'nobody'")
        has(model('play', card.path, '1', '--context', 'a b', status=125), "'a b' is no name of a context")
        # Who counts in a context has its slots; and who shows them in domain 3, or the other way round.
        with card.connect() as one, card.connect() as two:
            first, second = ask(one, CHANNEL, text=b'a')[1], ask(two, CHANNEL, text=b'a')[1]
            equal(ask(one, HOLD, 0, 0, first)[0], 0)
            equal((ask(two, HOLD, 0, 0, second)[0], ask(two, METHOD, CONTROL, 1, second)[0], ask(two, METHOD, SAMPLE, 0, second)[0]), (-EBUSY, -EBUSY, 0))
            has(' '.join(err(ntime('--model', card.path, '-e', 'gpu0/branch/', '--context', 'a', 'true')).split()), 'counters of multiprocessors in context a')
            has(' '.join(err(ntime('--model', card.path, '-e', 'gpu0/domain=3,src=0,op=0xaaaa,groups=0x14/', 'true')).split()), f'process {os.getpid()} counts in a context')
            equal(ask(two, METHOD, CONTROL, 0, second + 1)[0], -EINVAL)
            model('end', card.path, 'a')
            equal((ask(one, METHOD, SAMPLE, 0, first)[0], ask(one, MEMORY, 0, 0, first)[0]), (-ENODEV, -ENODEV))
        with card.connect() as one:
            equal((ask(one, HOLD, 0, 1)[0], ask(one, WRITE, 0xa400, 0)[0]), (0, 0))
            has(' '.join(err(ntime('--model', card.path, '-e', 'gpu0/branch/', '--context', 'b', 'true')).split()), 'what they see in domain 3')


@test
def a_context_that_ends_in_mid_count():
    with Card('GT218', 'frame\ncontext a\nclocks 5 mp.branch\n') as card:
        command = ('--context', 'a', '--', 'sh', '-c', f'{" ".join(played(card, 2))} && {t.NTIME} model end {card.path} a')
        item = json.loads(err(ntime('--model', card.path, '--json', '-e', 'gpu0/branch/', *command)))['items'][0]
        # Who looked before it ended has what was counted until then: none, one or both frames, on two MPs.
        equal((item.get('value') in (None, 0, 10, 20), 'gone' in item['flags']), (True, True), item)
        done = ntime('--model', card.path, '--csv', '-e', 'gpu0/branch/,gpu0/cycles_core_a/', *command)
        rows = {row['name']: row for row in csv.DictReader(io.StringIO(err(done)))}
        equal((rows['gpu0/branch/']['value'] in ('', '0', '10', '20'), int(rows['gpu0/cycles_core_a/']['value']) > 0), (True, True), rows)


@test
def lists_name_slot_unit_and_word():
    for chip, words in (('GT218', OF_MP), ('G200', OF_MP_G200)):
        with Card(chip) as card:
            report = json.loads(out(ntime('list', '--model', card.path, '--json', 'gpu0', '--context')))
            equal({event['name']: event['card']['control'] for event in report['events']}, {f'gpu0/{name}/': f'{word(name):#010x}' for name in words})
            equal(all(event['usable'] for event in report['events']), True)
            has(' '.join(out(ntime('list', '-v', '--model', card.path, 'gpu0', '--context')).split()), 'MP_PM_CONTROL[0] = 0x04aaaa40')


@test
def frames_of_a_context():
    with Card('GT218', 'seed 9\nframe\ncontext a\nclocks 1-99 mp.instructions\n') as card:
        ring = f'{card.folder.name}/ring'
        done = ntime('--model', card.path, 'stat', '--frames', ring, '-e', 'gpu0/instructions/', '--context', 'a', '--', *played(card, 30, '--context', 'a'))
        equal(done.returncode, 0, err(done))
        rows = list(csv.DictReader(io.StringIO(out(ntime('watch', '--frames', ring, '--csv')))))
        equal(sum(int(row['gpu0/instructions/']) for row in rows), int(truth(card, 'instructions', 'a')))


if __name__ == '__main__':
    sys.exit(t.main())
