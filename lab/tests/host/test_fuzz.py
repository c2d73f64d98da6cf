#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The lab's parsers under random mutations of what they are made for. Speaks TAP.

What a guest, an image or a file says is taken, or refused in the one way that the parser's caller knows; nothing else is raised.
The mutations are the same in each run: SEED=N makes others, ROUNDS=N more.
"""
import gzip
import lzma
import os
import random
import struct
import sys
import tomllib

from prepared import ROOT
from tap import equal, main, test
from lab import bootimage, debian, frames, guest, log

SEED = int(os.environ.get('SEED') or 1)
ROUNDS = int(os.environ.get('ROUNDS') or 3000)
ODD = (b'\0', b'\xff', b'\n', b' ', b',', b';', b'#', b'=', b'[', b'"', b'-1', b'0x', b'9' * 30, '²'.encode(), '٣'.encode(), b'99999999999')


def mutated(source, choice):
    """The bytes of source with a few of them changed, moved, repeated, cut off or replaced by odd ones."""
    data = bytearray(source)
    for _ in range(choice.randrange(1, 5)):
        at, end = sorted((choice.randrange(len(data) + 1), choice.randrange(len(data) + 1)))
        end = min(end, at + 16)
        what = choice.randrange(5)
        if what == 0 and at < len(data):
            data[at] ^= 1 << choice.randrange(8)
        elif what == 1:
            data[at:end] = b''
        elif what == 2:
            data[at:at] = data[at:end]
        elif what == 3:
            data[at:end] = choice.choice(ODD)
        elif choice.randrange(8) == 0:
            del data[at:]
    return bytes(data)


def each(source):
    """The mutations of one source: ROUNDS of them."""
    choice = random.Random(SEED)
    for _ in range(ROUNDS):
        yield mutated(source, choice)


@test
def frames_are_those_that_were_sent_or_damaged():
    writer = frames.Writer()
    sent = [('h', b''), ('o', b'some words\n'), ('x', bytes(range(256))), ('e', b'0')]
    stream = b''.join(writer.frame(kind, payload) for kind, payload in sent)
    refused = 0
    for data in each(stream):
        reader, got, cut = frames.Reader(), [], len(data) // 3
        try:
            got += reader.feed(data[:cut])
            got += reader.feed(data[cut:])
        except frames.Damaged:
            refused += 1
        # The checksum lets nothing through that was not sent.
        equal(got, sent[:len(got)])
    equal(ROUNDS // 2 < refused < ROUNDS, True)


@test
def a_log_is_whole_or_damaged():
    text = ('6,0,0,-;Linux version 6.1\n4,1,12,-;WARNING: CPU: 0 PID: 1 at x.c\n SUBSYSTEM=cpu\n'
            '6,2,13,-;Call Trace:\n3,3,1000000,c;BUG: KASAN: slab-out-of-bounds\n')
    taken = 0
    for data in each(text.encode()):
        try:
            records = log.parse(data)
        except log.Damaged:
            continue
        taken += 1
        equal([record.number for record in records], list(range(len(records))))
        log.context(records, log.findings(records))
    equal(taken > 0, True)


def image(form):
    """A kernel image as bootimage.unpacked() takes it apart; what is inside begins as an ELF file."""
    packed = form(b'\x7fELF' + b'kernel ' * 20)
    head = bytearray(1024)
    head[bootimage.SETUP_SECTORS] = 1
    head[bootimage.MAGIC:bootimage.MAGIC + 4] = b'HdrS'
    struct.pack_into('<II', head, bootimage.PAYLOAD, 0, len(packed) + 4)
    return bytes(head) + packed + b'\0\0\0\0'


@test
def an_image_is_unpacked_or_boots_as_it_is():
    for form in (lzma.compress, gzip.compress):
        whole = image(form)
        equal(bootimage.unpacked(whole)[:4], b'\x7fELF')
        for data in each(whole):
            kernel = bootimage.unpacked(data)
            equal(kernel is None or kernel[:4] == b'\x7fELF', True)
        # Its beginning, of any length.
        for end in range(0, len(whole), 7):
            bootimage.unpacked(whole[:end])


@test
def a_description_is_checked_in_sentences():
    with open(os.path.join(ROOT, 'lab/guests/x86-nehalem.toml'), 'rb') as f:
        source = f.read()
    parsed = 0
    for data in each(source):
        try:
            table = tomllib.loads(data.decode('utf-8', 'replace'))
        except tomllib.TOMLDecodeError:
            continue
        parsed += 1
        table.pop('base', None)
        equal(all(isinstance(sentence, str) and sentence for sentence in guest.check('x', table)), True)
    equal(parsed > 0, True)


@test
def sources_of_apt_are_entries():
    deb822 = ('Types: deb deb-src\nURIs: http://deb.debian.org/debian\nSuites: bookworm bookworm-updates\nComponents: main\n'
              'Signed-By: /usr/share/keyrings/debian.gpg\n\n# a comment\nTypes: deb\nURIs: http://security.debian.org\n Suites: x\n')
    lines = 'deb [signed-by=/k arch=amd64] http://deb.debian.org/debian bookworm main contrib # x\ndeb-src http://x y main\n'
    for parse, source in ((debian.parse_deb822, deb822), (debian.parse_list, lines)):
        for data in each(source.encode()):
            for types, uris, suites, components, options in parse(data.decode('utf-8', 'replace')):
                equal([type(one) for one in (types, uris, suites, components, options)], [list, list, list, list, dict])


if __name__ == '__main__':
    sys.exit(main())
