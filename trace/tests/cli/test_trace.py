#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ntime trace: its options, convert, show and state, with traces written here after the grammar. Speaks TAP.

Usage: test_trace.py NTIME [-k WORD]
"""
import csv
import fcntl
import gzip
import io
import json
import lzma
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../../base/tests'))
import command as t    # noqa: E402
from command import equal, err, has, has_not, ntime, on_terminal    # noqa: E402
test = t.test
DEVICE = '0000:05:00.0'
ACTIONS = ('convert', 'show', 'state')


def out(done):
    return done.stdout.decode()


def run(*args, status=0, **more):
    """Standard output of a run that ends with @status."""
    done = ntime('trace', *args, **more)
    if done.returncode != status:
        raise AssertionError(f'exit status {done.returncode}, expected {status}: {err(done)}{out(done)}')
    return out(done)


def sentence(*args, status=125, **more):
    """The sentences of a run that fails, without who says them."""
    done = ntime('trace', *args, **more)
    equal(done.returncode, status, 'exit status')
    lines = [line for line in err(done).split('\n') if line and not line.startswith("Try 'ntime")]
    if not lines or not all(line.startswith('ntime: ') for line in lines):
        raise AssertionError(f'not sentences: {lines}')
    return ' | '.join(line[len('ntime: '):] for line in lines)


class Log:
    """Text of VFIO events, a microsecond apart."""

    def __init__(self):
        self.us = 1424299207289770
        self.lines = []

    def put(self, text, tid=12347, us=1):
        self.us += us
        self.lines.append(f'{tid}@{self.us // 1000000}.{self.us % 1000000:06d}:{text}\n')
        return self

    def write(self, offset, value, width=4, region=0, device=DEVICE, **more):
        return self.put(f'vfio_region_write  ({device}:region{region}+0x{offset:x}, 0x{value:x}, {width})', **more)

    def read(self, offset, value, width=4, region=0, device=DEVICE, **more):
        return self.put(f'vfio_region_read  ({device}:region{region}+0x{offset:x}, {width}) = 0x{value:x}', **more)

    def text(self):
        return ''.join(self.lines)

    def bytes(self):
        return self.text().encode()


class Folder(t.Directory):
    """A directory with the trace "log" in it."""

    def __init__(self, log):
        self.log = log

    def __enter__(self):
        super().__enter__()
        with open('log', 'wb') as f:
            f.write(self.log if isinstance(self.log, bytes) else self.log.bytes())
        return self


def small():
    """A chip that tells what it is, a counter that is set up, and polling."""
    log = Log().read(0, 0x0a8000a2).write(0xa400, 0x1a, us=999).write(0xa404, 0xdeadbeef).read(0x100, 0)
    for i in range(50):
        log.read(0xa600, 1 if i == 49 else 0, us=10)
    return log.write(0x1000, 0x12, width=1, region=1, tid=12348)


# ---- options ----

@test
def misuse_is_told():
    for args, part in (
            ((), 'name an action: '),
            (('--json',), 'name an action: '),
            (('sho',), "did you mean 'show'?"),
            (('frobnicate',), "trace has no action 'frobnicate', only "),
            (('show', '--frob', 'log'), "unknown option '--frob'"),
            (('show', '--to', 'json', 'log'), "unknown option '--to'"),
            (('show', 'a', 'b'), "'show' takes one FILE, not 2"),
            (('show', '--fold', '--no-fold', 'log'), '--fold and --no-fold cannot be combined'),
            (('show', '--raw', '--fold', 'log'), '--fold and --raw cannot be combined'),
            (('show', '--color', 'sometimes', 'log'), "--color takes auto, always or never, not 'sometimes'"),
            (('show', '--from', 'elf', 'log'), "--from takes vfio, simple, mmiotrace, demmt or binary, not 'elf'"),
            (('show', '-j', '2', 'log'), "unknown option '-j': one thread reads 1 to 2 GB/s"),
            (('convert', '--jobs=2', 'log'), "unknown option '--jobs': one thread reads 1 to 2 GB/s"),
            (('show', '--range', 'x', 'log'), 'x'),
            (('show', '--width', '3', 'log'), '3'),
            (('show', '--not', 'nonsense', 'log'), 'nonsense'),
            (('show', '--regs', 'absent.xml', 'log'), 'absent.xml'),
            (('show', '--register', 'NO_SUCH_REGISTER', 'log'), 'NO_SUCH_REGISTER'),
            (('show', '--chip', 'NO_SUCH_CHIP', 'log'), 'NO_SUCH_CHIP'),
            (('show', '--domain', '0', 'log'), '--domain takes REGION=NAME'),
            (('state', '--csv', '--json', 'log'), '--json and --csv cannot be combined'),
            (('state', '--time', '@noon', 'log'), "--time '@noon' is no time of the clock"),
            (('state', '--time', 'noon', 'log'), "--time 'noon' is not a time: write 2 or 2s"),
            (('state', '--record', '-1', 'log'), "not '-1'"),
            (('state', '--follow', 'log'), "unknown option '--follow'"),
    ):
        with Folder(small()):
            has(sentence(*args), part)


@test
def all_actions_know_the_same_chips():
    actions = (('show', 'log'), ('stat', 'log'), ('state', 'log'), ('diff', 'log', 'log'), ('derive', 'log'), ('convert', '--to', 'mmiotrace', 'log'),
               ('lookup', '0x100'))
    known = {'derive': ('GT218', 'nva8', '0xa8', 'GK110')}
    with Folder(small()):
        for action, *rest in actions:
            for chip in ('GT218', 'nva8', '0xa8', 'GK110', 'GP104', 'NV40'):
                done = ntime('trace', action, '--chip', chip, *rest)
                if chip in known.get(action, (chip,)):
                    has_not(err(done), 'is called')
                    has_not(err(done), 'not known;')
                else:
                    has(err(done), f'the counters of {chip} are not known; those of G80')
            has(sentence(action, '--chip', 'Voodoo', *rest), "is called 'Voodoo'")
            has(sentence(action, '--chip', 'Voodoo', *rest), 'GT218, NVA8')


@test
def what_the_form_has_no_place_for_is_refused():
    mmiotrace = (('--keep-tid',), ('--id', '5:0.0=10de:0a65'), ('--bar', '5:0.0=0=0xc1000000+16M'), ('--no-marks',), ('--io-marks',))
    with Folder(small()):
        for form in ('json', 'vfio', 'binary'):
            for option in mmiotrace:
                equal(sentence('convert', '--to', form, *option, 'log'), f'{option[0]} is for --to mmiotrace alone')
            for chip in ('GT218', f'{DEVICE}=GT218'):
                if form != 'json':
                    equal(sentence('convert', '--to', form, '--chip', chip, 'log'),
                          '--chip is for --to mmiotrace, for names of --to json and of --register: the other forms cannot store a chip')
                run('convert', '--to', form, '--chip', chip, '--register', 'PCOUNTER.PRE_SRC', '-o', 'out', 'log')
                run('convert', '--to', form, '--chip', chip, '--not', 'register=PCOUNTER.PRE_SRC', '-o', 'out', 'log')
        for form in ('json', 'mmiotrace', 'binary'):
            equal(sentence('convert', '--to', form, '--style', 'iso', 'log'), '--style is for --to vfio alone')
        for option in (*mmiotrace, ('--chip', 'GT218')):
            has(run('convert', *option, 'log'), 'VERSION ')


@test
def places_are_found_however_they_are_written():
    log = small().write(0x10, 1, device='0000:0a:10.1')
    with Folder(log):
        for device, lines in (('05:00.0', 55), ('5:00.0', 55), ('5:0.0', 55), ('0:5:0.0', 55), ('5:00.*', 55), ('0000:5:*', 55),
                              ('A:10.1', 1), ('a:1?.1', 1), ('*:10.1', 1), ('*', 56), ('50:0.0', 0), ('1:5:0.0', 0)):
            equal(run('show', '--raw', '-q', '-d', device, 'log').count('\n'), lines, device)
        equal(run('show', '--raw', '--not', 'device=5:0.0', 'log').count('\n'), 1)
        has(run('convert', '--id', '5:0.0=10de:0a65', '--bar', '5:0.*=0=0xc1000000+16M', 'log'), 'PCIDEV 0500 10de0a65 0 c1000000 ')
        has(run('show', '--chip', '5:0.0=G80', '--range', '0xa404', 'log'), 'PCOUNTER.')


@test
def what_nothing_fits_is_told():
    with Folder(small()):
        for args, part in ((('show', '-d', '6:00.0'), "no device of the trace is called '6:00.0'; there is 0000:05:00.0"),
                           (('stat', '--chip', '6:0.0=GT218'), "no device of the trace is called '6:0.0'"),
                           (('convert', '--id', '6:0.0=10de:0640'), "no device of the trace is called '6:0.0'"),
                           (('convert', '--bar', '6:0.0=0=0xc1000000'), "no device of the trace is called '6:0.0'"),
                           (('show', '--register', 'PCOUNTER.CTRL'), "no access of the trace is to 'PCOUNTER.CTRL'"),
                           (('show', '--register', 'PMC.BOOT_0', '--write'), "no access that the other filters keep is to 'PMC.BOOT_0'")):
            has(err(ntime('trace', *args, 'log')), part)
            equal(err(ntime('trace', *args, '-q', 'log')), '')
        equal(err(ntime('trace', 'show', '-d', '5:0.0', '--register', 'PMC.BOOT_0', '--chip', '05:00.0=GT218', 'log')), '')


@test
def wide_accesses_name_all_that_they_reach():
    both = 'PCOUNTER.PRE_SRC[0], PCOUNTER.PRE_SRC[1]'
    words = '{ SRC0 = 0x1 | SRC1 = 0x2 | SRC2 = 0x3 | SRC3 = 0x4 }, { SRC0 = 0x5 | SRC1 = 0x6 | SRC2 = 0x7 | SRC3 = 0x8 }'
    log = Log().read(0, 0x0a8000a2).write(0xa400, 0x0807060504030201, width=8)
    with Folder(log):
        has(run('show', 'log'), f'W8  {both}')
        has(run('show', 'log'), words)
        has(run('show', '--register', 'PCOUNTER.PRE_SRC[1]', 'log'), both)
        has(run('stat', 'log'), both)
        has(run('state', 'log'), both)
        has(run('state', 'log'), words)
        with open('other', 'w', encoding='utf-8') as f:
            f.write(Log().read(0, 0x0a8000a2).write(0xa400, 0, width=8).text())
        has(run('diff', 'log', 'other', status=1), both)
        has(run('diff', '--csv', 'log', 'other', status=1), f'"{both}"')


@test
def programs_get_names_and_words():
    log = small().put(f'vfio_region_write  ({DEVICE}:region0+0x4, 0xAB, 4)').read(0x1104, 0x5).put('kvm_set_irq irq 4, level 1, status 1')
    with Folder(log):
        objects = [json.loads(line) for line in run('show', '--json', 'log').splitlines()]
        equal(run('convert', '--to', 'json', 'log'), run('show', '--json', 'log'))
        equal([objects[1][key] for key in ('kind', 'time_ns', 'device', 'offset', 'value', 'register')],
              ['read', 1424299207289771000, DEVICE, '0x0', '0xa8000a2', 'PMC.BOOT_0'])
        has(objects[1]['words'], 'CHIPSET = GT218')
        equal([o['register'] for o in objects if o.get('offset') == '0xa404'], ['PCOUNTER.PRE_SRC[1]'])
        equal('register' in objects[-2], False)
        equal((objects[-1]['kind'], objects[-1]['text']), ('event', 'kvm_set_irq irq 4, level 1, status 1'))
        rows = list(csv.DictReader(run('show', '--csv', 'log').splitlines()))
        equal(len(rows), len(objects))
        for row, entry in zip(rows, objects):
            # Marks without a device say nothing of a region in either.
            equal({key: value for key, value in row.items() if value and key != 'synthetic'}, {key: str(value) for key, value in entry.items()})
        for form in ('--json', '--csv'):
            equal('PMC.BOOT_0' in run('show', form, '--raw', 'log'), False)
            run('show', form, '-o', 'out', 'log')
            with open('out', encoding='utf-8') as f:
                equal(f.read(), run('show', form, 'log'))
            equal(sentence('show', form, '--fold', 'log'), f'--fold and {form} cannot be combined')
            equal(sentence('show', form, '--number', 'log'), f'--number and {form} cannot be combined')
        equal(sentence('show', '--json', '--csv', 'log'), '--json and --csv cannot be combined')
        # A chip that the user tells has other registers.
        has(run('convert', '--to', 'json', '--chip', 'G80', 'log'), '"register":"PMC.BOOT_0"')
        has(sentence('convert', '--to', 'json', '--chip', 'nonsense', 'log'), 'nonsense')
        equal(json.loads(run('convert', '--to', 'json', '--rebase', '--write', 'log').splitlines()[0]).get('time_ns', 0), 0)
    with Folder(b'vfio_region_read  (a:region0+0x0, 4) = 0x1\n'):
        equal(run('show', '--csv', '--write', 'log'), 'kind,time_ns,thread,device,region,offset,width,value,mask,source,register,words,synthetic,text\n')


@test
def info_tells_what_a_trace_is():
    with Folder(small()):
        info = json.loads(run('info', '--json', 'log'))
        equal([info[key] for key in ('file', 'form', 'compression', 'lines', 'others', 'clock', 'records', 'warnings')],
              ['log', 'vfio', None, 55, 0, 'wall', {'read': 52, 'write': 3}, []])
        equal(info['devices'], [{'device': DEVICE, 'id': None, 'chip': 'GT218', 'reads': 52, 'writes': 3, 'regions': [
            {'region': 0, 'reads': 52, 'writes': 2}, {'region': 1, 'reads': 0, 'writes': 1}]}])
        equal(info['last_ns'] - info['first_ns'], 1502000)
        shown = run('info', 'log')
        for part in ('Format: vfio', 'Lines: 55, of other origin 0', 'Accesses: 52 reads, 3 writes', ' s to 1424299207.291273000 s, 1.502 ms long; clock: since 1970',
                     f'Device {DEVICE}, chip GT218: 52 reads, 3 writes', '    BAR 1: 0 reads, 1 writes'):
            has(shown, part)
        equal(json.loads(run('info', '--json', '--write', 'log'))['records'], {'write': 3})
        run('info', '-o', 'out', 'log')
        with open('out', encoding='ascii') as f:
            equal(f.read(), shown)
    with Folder(small().put('vfio_some_event ' + 'y' * 2000)):
        has(err(ntime('trace', 'convert', 'log')), 'left out: ends of texts that are too long (1) (1 time); --to binary keeps it')
    log = Log().write(0, 1)
    log.us -= 5000000
    log.write(0, 1)
    with Folder(log):
        has(run('info', 'log'), 'Times: from 1424299207.289771000 s to 1424299202.289772000 s; clock: since 1970\n')
    with Folder(MMIOTRACE.encode()):
        info = json.loads(run('info', '--json', 'log'))
        equal((info['form'], info['clock'], info['records']),
              ('mmiotrace', 'boot', {'read': 1, 'write': 1, 'mark': 3, 'pcidev': 1, 'map': 1, 'unmap': 1, 'unknown': 1}))
        equal((info['devices'][0]['id'], info['devices'][0]['chip'], info['devices'][0]['regions'][1]),
              ('10de:0a20', 'GT216', {'region': 2, 'address': '0xd0000000', 'bytes': 0x10000000, 'reads': 0, 'writes': 0}))
        has(run('info', 'log'), 'BAR 2: at 0xd0000000, 0x10000000 bytes, 0 reads, 0 writes\n')


@test
def text_that_is_nothing_of_the_format_is_told():
    with Folder(b'hello\nworld\n'):
        for action in ('show', 'state', 'stat', 'info', 'derive'):
            equal(sentence(action, '--from', 'vfio', 'log'), 'log: none of its 2 lines is of the format vfio, which --from names')
        for form in ('vfio', 'json', 'binary', 'mmiotrace'):
            has(sentence('convert', '--to', form, '--from', 'vfio', '-o', 'out', 'log'), 'log: none of its 2 lines is of the format vfio, which --from names')
            equal(os.path.exists('out'), False)
    with Folder(b''):
        equal(run('show', '--from', 'vfio', 'log'), '')


@test
def registers_may_be_all_of_a_block():
    with Folder(small().write(0xaffc, 1)):
        wanted = run('show', '--raw', '--range', '0xa400-0xa7ff', 'log')
        for name in ('PCOUNTER.*', 'PCOUNTER.PRE_SRC*,PCOUNTER.*'):
            names = [part for one in name.split(',') for part in ('--register', one)]
            equal(run('show', '--raw', '--chip', 'GT218', *names, 'log'), wanted)
        equal(run('show', '--raw', '--register', 'PCOUNTER.*', 'log'), wanted)
        left = run('show', '--raw', '--not', 'register=PCOUNTER.*', 'log')
        equal(sorted((wanted + left).splitlines()), sorted(run('show', '--raw', 'log').splitlines()))


@test
def built_in_names_are_no_other_vendors():
    intel, nvidia = Log(), '0000:06:00.0'
    intel.put(f'vfio_pci_read_config  ({DEVICE}, @0x0, len=0x4) 0x59168086')
    for device in (DEVICE, nvidia):
        intel.write(0xa404, 1, device=device).write(0x9998, 1, device=device)
    rows = ''.join(f'<reg32 offset="{0xa404 + 16 * i:#x}" name="MINE{i}"/>' for i in range(20))
    with Folder(intel):
        with open('mine.xml', 'w') as f:
            f.write(f'<database><domain name="D">{rows}</domain></database>')

        def kept(*args):
            lines = [line for line in run('show', '--raw', *args, 'log').splitlines() if '  W4  ' in line]
            return [(DEVICE in line, 'a404' in line) for line in lines]

        # One range and many take different ways; nobody says what the other device is.
        for name in ('PCOUNTER.*', 'PCOUNTER.PRE_SRC[1]'):
            equal(kept('--register', name), [(False, True)], name)
            equal(kept('--not', 'register=' + name), [(True, True), (True, False), (False, False)], name)
        equal(kept('--register', 'PCOUNTER.*', '--range', '0x9998'), [(True, False), (False, True), (False, False)])
        # The user's own databases, and a chip that the user tells, are of every device.
        for name in ('MINE*', 'MINE0'):
            equal(kept('--regs', 'mine.xml', '--register', name), [(True, True), (False, True)], name)
        equal(kept('--chip', 'GT218', '--register', 'PCOUNTER.*'), [(True, True), (False, True)])


def measured(log, device):
    """A counter set up, and read once."""
    log.read(0, 0x0a8000a2, device=device)
    for offset, value in ((0xa7c4, 0x1), (0xa404, 0x21), (0xa444, 0x22), (0xa7c4, 0x1)):
        log.write(offset, value, device=device)
    return log.read(0xa604, 5, device=device)


@test
def derive_tells_which_card():
    one, other = '0000:05:00.0', '0000:06:00.0'
    with Folder(measured(measured(Log(), one), other)):
        with open('alone', 'wb') as f:
            f.write(measured(Log(), one).bytes())
        text = run('derive', '-v', 'log')
        has(text, 'DEVICE')
        has(text, one)
        has(text, other)
        has_not(run('derive', '-v', 'alone'), 'DEVICE')
        for option, delimiter in (('--csv', ','), ('--tsv', '\t')):
            rows = list(csv.DictReader(io.StringIO(run('derive', '-v', option, 'log')), delimiter=delimiter))
            equal(sorted({row['device'] for row in rows}), [one, other])
            equal(list(rows[0])[:2] + list(rows[0])[-2:], ['chipset', 'event', 'key', 'device'])
        for name, wanted in (('log', [one, other]), ('alone', [one])):
            rows = json.loads(run('derive', '-v', '--json', name))['traces'][0]['rows']
            equal(sorted({row['device'] for row in rows}), wanted)


@test
def times_that_are_not_there_are_told():
    with Folder(b'vfio_region_write  (0000:05:00.0:region0+0x10, 0x1, 4)\n'):
        for args in (('show', '--time', '0-1'), ('show', '--not', 'time=0-1'), ('stat', '--time', '0-1'), ('convert', '--time', '0-1'),
                     ('derive', '--time', '0-1'), ('state', '--time', '1'), ('state', '--time', '0')):
            has(sentence(*args, 'log'), 'log has no times, so --time cannot select records')
        run('state', 'log')
    with Folder(b''):
        run('show', '--from', 'vfio', '--time', '0-1', 'log')


@test
def mapped_parts_are_counted_once():
    log = Log()
    for part in ('vfio_region_mmap Region 0000:05:00.0 BAR 1 mmaps[0] [0x0 - 0xfffffff]',
                 'vfio_region_mmaps_set_enabled Region 0000:05:00.0 BAR 1 mmaps enabled: 1',
                 'vfio_region_mmaps_set_enabled Region 0000:05:00.0 BAR 1 mmaps enabled: 0',
                 'vfio_region_mmaps_set_enabled Region 0000:05:00.0 BAR 1 mmaps enabled: 1'):
        log.put(part)
    with Folder(log.read(0, 0)):
        told = err(ntime('trace', 'show', 'log'))
        has(told, 'mapped into the guest: accesses there bypass the trace (1 time); ')
        has_not(told, 'times)')
    with Folder(log.put('vfio_region_mmaps_set_enabled Region 0000:05:00.0 BAR 3 mmaps enabled: 1')):
        has(err(ntime('trace', 'show', 'log')), '(2 times)')


@test
def help_tells_of_actions():
    text = out(ntime('help', 'trace'))
    for action in ACTIONS:
        has(text, f'\n  {action:8} ')
        own = out(ntime('help', 'trace', action))
        equal(own, run(action, '--help'))
        has(own, f'Usage: ntime trace {action} ')
        has(own, '--device GLOB')
    has(out(ntime('help', 'trace', 'show')), '--fold')
    has_not(out(ntime('help', 'trace', 'state')), '--fold')
    done = ntime('help', 'trace', 'nonsense')
    equal([done.returncode, 'nonsense' in err(done)], [125, True])


# ---- input ----

@test
def what_cannot_be_read_is_told():
    with Folder(b'this is no trace\nat all\n'):
        for action in ACTIONS:
            has(sentence(action, 'absent'), 'absent')
            has(sentence(action, '.'), '.')
            has(sentence(action, 'log'), 'log')
            has(sentence(action, '--from', 'binary', 'log'), 'log')
            if os.geteuid():
                os.chmod('log', 0)
                has(sentence(action, 'log'), 'ermission denied')
                os.chmod('log', 0o644)


@test
def nothing_is_read_from_a_terminal():
    status, shown = on_terminal('trace', 'show')
    equal(status, 125)
    has(shown, "'show' needs a FILE, or a trace on standard input")


@test
def standard_input_is_read():
    with Folder(small()):
        wanted = run('show', 'log')
        with open('log', 'rb') as f:
            equal(run('show', stdin=f), wanted)
        with open('log', 'rb') as f:
            equal(run('show', '-', stdin=f), wanted)
        pipe = subprocess.run(['sh', '-c', 'cat log | "$@"', 'sh', *t.command('trace', 'show')], stdout=subprocess.PIPE, env=t.environment(),
                              timeout=t.PATIENCE, check=True)
        equal(pipe.stdout.decode(), wanted)


@test
def nothing_remains_of_compressed_files_with_a_flipped_bit():
    log = Log()
    for i in range(20000):
        log.write(4 * (i % 1000), i * 2654435761 % 2**32)
    for pack, name in ((gzip.compress, 'gzip'), (lzma.compress, 'xz')):
        packed = bytearray(pack(log.bytes()))
        packed[len(packed) // 2] ^= 4
        with Folder(bytes(packed)):
            text = sentence('show', 'log')
            if 'this build cannot undo' in text:
                raise t.Skip('built without zlib or liblzma')
            has(text, f'it is not {name}, and nothing that was read from it can be trusted')
            with open('out', 'w', encoding='utf-8') as f:
                f.write('old')
            for action in (('convert',), ('convert', '--to', 'vfio'), ('convert', '--to', 'json'), ('convert', '--to', 'binary'),
                           ('show',), ('show', '--csv'), ('state',), ('stat',)):
                for path in ('out', 'new'):
                    has(sentence(*action, '-o', path, 'log'), 'nothing that was read from it can be trusted')
                equal(sorted(os.listdir('.')), ['log', 'out'], action)
                with open('out', encoding='utf-8') as f:
                    equal(f.read(), 'old', action)


@test
def compressed_files_that_end_too_early():
    log = Log()
    for i in range(20000):
        log.write(4 * (i % 1000), i * 2654435761 % 2**32)
    with Folder(gzip.compress(log.bytes())[:-5000]):
        text = sentence('show', 'log')
        if 'this build cannot undo' in text:
            raise t.Skip('built without zlib')
        has(text, 'log')
        shown = run('show', 'log', status=125)
        # What came before is shown, in whole lines.
        lines = shown.split('\n')
        equal(lines[-1], '')
        equal(lines[0], run('show', '-', stdin=subprocess.DEVNULL, status=125) or lines[0])
        if len(lines) < 10000:
            raise AssertionError(f'only {len(lines)} lines before the end')
        for action in ('show', 'state'):
            sentence(action, '-o', 'out', 'log')
            equal(os.listdir('.'), ['log'])


@test
def what_is_compressed_otherwise_is_told():
    """Some of them leave lines as they were: those are no trace of few accesses."""
    for name, magic in (('lz4', b'\x04\x22\x4d\x18'), ('lz4', b'\x02\x21\x4c\x18'), ('bzip2', b'BZh9'), ('lzip', b'LZIP\x01'),
                        ('lzop', b'\x89LZO\0'), ('compress', b'\x1f\x9d'), ('zip', b'PK\3\4'), ('7z', b'7z\xbc\xaf\x27\x1c')):
        with Folder(magic + b'\n' + small().bytes()):
            for args in (['log'], ['--from', 'vfio', 'log']):
                for action in ACTIONS:
                    has(sentence(action, *args), f'log is compressed with {name}, which ntime does not undo')
            with open('log', 'rb') as f:
                has(sentence('show', stdin=f), f'is compressed with {name}')


@test
def lines_of_others_are_told():
    log = small()
    log.lines.insert(2, 'qemu-system-x86_64: warning: something\n')
    with Folder(log):
        done = ntime('trace', 'show', 'log')
        equal(done.returncode, 0)
        equal(err(done), 'ntime: lines of other origin were passed over (1 time)\n')
        for action in ('diff', 'derive'):
            has(err(ntime('trace', action, 'log', './log')), 'ntime: ./log: lines of other origin were passed over (1 time)\n')
        equal(err(ntime('trace', 'show', '-q', 'log')), '')
        has(err(ntime('trace', 'show', '-v', 'log')), 'VFIO text')
        has(err(ntime('trace', 'show', '-v', 'log')), '1 lines of other origin')


# ---- output ----

@test
def a_full_disk_is_told():
    log = Log()
    for i in range(3000):
        log.write(4 * i, i)
    with Folder(log):
        for action in ('show', 'state'):
            has(sentence(action, '-o', '/dev/full', 'log'), '/dev/full failed: No space left on device')
            with open('/dev/full', 'wb') as full:
                has(sentence(action, 'log', stdout=full), 'standard output failed: No space left on device')


@test
def a_closed_pipe_ends_it_quietly():
    log = Log()
    for i in range(20000):
        log.write(4 * i, i)
    with Folder(log):
        for args in (('show', 'log'), ('state', 'log')):
            child = subprocess.Popen(t.command('trace', *args), stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                                     env=t.environment(), preexec_fn=lambda: signal.signal(signal.SIGPIPE, signal.SIG_DFL))
            child.stdout.read(100)
            child.stdout.close()
            said = child.stderr.read()
            equal([child.wait(timeout=t.PATIENCE), said], [-signal.SIGPIPE, b''], args)


@test
def files_appear_complete_or_not_at_all():
    with Folder(small()):
        wanted = run('show', 'log')
        equal(run('show', '-o', 'out', 'log'), '')
        with open('out', encoding='ascii') as f:
            equal(f.read(), wanted)
        sentence('show', '-o', 'out', 'absent')
        with open('out', encoding='ascii') as f:
            equal(f.read(), wanted)
        has(sentence('show', '-o', 'no/such/out', 'log'), 'no/such/out')
        equal(sorted(os.listdir('.')), ['log', 'out'])


@test
def the_trace_is_never_the_report():
    with Folder(small()):
        with open('log', 'rb') as f:
            wanted = f.read()
        os.link('log', 'same')
        for action in (['show'], ['stat'], ['state'], ['convert', '--to', 'json']):
            for name in ('log', './log', 'same'):
                has(sentence(*action, '-o', name, 'log'), f"'{name}' is read; write to another file")
            with open('log', 'rb') as f:
                has(sentence(*action, '-o', 'log', stdin=f), "'log' is read; write to another file")
            with open('log', 'ab') as f:
                has(sentence(*action, 'log', stdout=f), "'standard output' is read; write to another file")
        with open('log', 'rb') as f:
            equal(f.read(), wanted)


@test
def a_torn_last_line_is_told():
    line = f'1@100.000002:vfio_pci_read_config  ({DEVICE}, @0x0, len=0x4) 0x10de1234'
    for cut in range(1, len('0x10de1234')):
        with Folder(small()):
            with open('log', 'a', encoding='ascii') as f:
                f.write(line[:-cut])
            done = ntime('trace', 'convert', '--to', 'json', 'log')
            has_not(out(done), 'config-read')
            has(err(done), 'the last line is incomplete and was ignored')


@test
def lines_that_cannot_be_read_are_damage():
    """What can be read is given all the same; of a last line that breaks off nobody can tell."""
    events = 'vfio_region_write(a:region0+0x4, 0x1, 4)\n\x1b[1mvfio_region_read  (a:region0+0x4, 4) = 0x1\x1b[0m\n'
    for action, part in (('info', '1 reads, 1 writes'), ('convert', '0x1 '), ('convert --to json', '"read"'), ('stat', '0x4')):
        for torn, status in (('', 0), ('vfio_region_read  (a', 0), ('vfio_region_read  (a\n', 125)):
            with Folder((events + torn).encode()):
                done = ntime('trace', *action.split(), 'log')
                equal((done.returncode, 'otherwise: line 3 (1 time)' in err(done)), (status, status == 125))
                has(out(done), part)
                done = ntime('trace', *action.split(), '-q', '-o', 'out', 'log')
                equal((done.returncode, err(done)), (status, status and "ntime: log: 1 lines have an event's name and cannot be read; without -q a warning names them\n" or ''))
                with open('out', encoding='ascii') as f:
                    has(f.read(), part)


@test
def mistakes_in_databases_are_told():
    with Folder(small()):
        with open('a.xml', 'w', encoding='ascii') as f:
            f.write('<database><domain name="D">\n' + '<reg32 offset="0x100" name="CAR" variants="A"/>\n' * 12 + '</domain></database>')
        done = ntime('trace', 'lookup', '--regs', 'a.xml', '0x100')
        equal(done.returncode, 0)
        has(out(done), 'CAR')
        has(err(done), 'ntime: a.xml:11: variants without a varset or prefix that says of what, so they count for all chips\nntime: 2 more warnings')
        equal(err(ntime('trace', 'lookup', '-vv', '--regs', 'a.xml', '0x100')).count('warning: a.xml:'), 12)


@test
def no_table_of_a_trace_that_cannot_be_read():
    with Folder(b'\x28\xb5\x2f\xfd' + b'not zstd' * 8):
        done = ntime('trace', 'stat', 'log')
        equal(done.returncode, 125)
        equal(done.stdout, b'')


@test
def a_signal_leaves_no_half_file():
    with Folder(small()):
        os.mkfifo('pipe')
        child = subprocess.Popen(t.command('trace', 'show', '-o', 'out', 'pipe'), env=t.environment(), stderr=subprocess.PIPE,
                                 preexec_fn=lambda: signal.signal(signal.SIGTERM, signal.SIG_DFL))
        with open('pipe', 'wb') as feed:
            for _ in range(20):
                feed.write(small().bytes() * 100)
            # That is more than it reads before it opens the file.
            feed.flush()
            child.terminate()
        said = child.stderr.read()
        equal([child.wait(timeout=t.PATIENCE), said], [-signal.SIGTERM, b''])
        equal(sorted(os.listdir('.')), ['log', 'pipe'])


@test
def following_ends_with_a_whole_file():
    with Folder(small()):
        wanted = run('show', 'log')
        # Unbuffered: what follows the lines that are read here is to begin with a whole one.
        child = subprocess.Popen(t.command('trace', 'show', '-f', 'log'), env=t.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                 bufsize=0, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        end = time.monotonic() + t.PATIENCE
        while not select.select([child.stdout], [], [], 0.1)[0] and time.monotonic() < end:
            with open('log', 'ab') as f:
                f.write(small().write(0xa408, 7).lines[-1].encode())
        equal(b''.join(child.stdout.readline() for _ in wanted.splitlines()).decode(), wanted)
        child.send_signal(signal.SIGINT)
        rest = child.communicate(timeout=t.PATIENCE)[0].decode()
        equal(child.returncode, 0)
        equal([line for line in rest.splitlines() if '0x00000007' not in line], [])


# ---- convert ----

@test
def convert_writes_every_form():
    with Folder(small()):
        mmio = run('convert', 'log')
        has(mmio, 'VERSION 20070824\nPCIDEV 0500 ')
        has(mmio, '0xdeadbeef 0x0 0\n')
        equal(run('convert', '--to', 'vfio', 'log'), small().text())
        equal(len([json.loads(line) for line in run('convert', '--to=json', 'log').splitlines()]) >= 55, True)
        run('convert', '--to', 'binary', '-o', 'binary', 'log')
        equal(run('convert', '--to', 'vfio', 'binary'), small().text())
        run('convert', '-o', 'mmio', 'log')
        equal(run('show', '--raw', '--write', '--region', '0', 'mmio').count('0xdeadbeef'), 1)
        has(run('convert', '--rebase', 'log'), ' 0.000999 ')
        has(run('convert', '--id', f'{DEVICE}=10de:0a65', 'log'), 'PCIDEV 0500 10de0a65 ')
        has(run('convert', '--bar', f'{DEVICE}=0=0xfa000000+0x1000000', 'log'), '0xfa00a404 0xdeadbeef')
        has(run('convert', '--keep-tid', 'log'), '0xdeadbeef 0x0 12347\n')


@test
def events_of_others_are_kept():
    log = small()
    log.put('kvm_set_irq irq 4, level 1, status 1')
    log.put('kvm_vm_ioctl type 0x1, arg 0x2')
    log.write(0x100, 0x1)
    with Folder(log):
        equal(run('convert', '--to', 'vfio', 'log'), log.text())
        run('convert', '--to', 'binary', 'log', '-o', 'log.ntt')
        equal(run('convert', '--to', 'vfio', 'log.ntt'), log.text())


@test
def lines_of_others_are_kept_between_events():
    log = small()
    log.lines.insert(2, 'qemu-system-x86_64: warning: something\n')
    log.lines.insert(5, '\n')
    log.lines.append('x' * 6000 + '\n')
    log.lines.append('an end without a newline')
    with Folder(log):
        done = ntime('trace', 'convert', '--to', 'vfio', 'log')
        equal((out(done), err(done)), (log.text(), 'ntime: the last line is incomplete and was ignored (1 time); end QEMU before its log is read\n'))
        run('convert', '--to', 'binary', 'log', '-o', 'log.ntt')
        equal(run('convert', '--to', 'vfio', 'log.ntt'), log.text())
        with open('long', 'wb') as f:
            f.write(log.bytes()[:200] + b'\n' + b'x' * 300000 + b'\n')
        has(err(ntime('trace', 'convert', '--to', 'vfio', 'long')), 'lines are longer than any event: only their first 4,096 bytes are kept (1 time)')
        # In a trace of another form they are nothing of QEMU's.
        run('convert', 'log', '-o', 'mm')
        with open('mm', 'a', encoding='ascii') as f:
            f.write('something else\n')
        equal('something' in run('convert', '--to', 'vfio', 'mm'), False)


MMIOTRACE = '''VERSION 20070824
PCIDEV 0500 10de0a20 0 fb000000 0 d000000c 0 0 0 0 1000000 0 10000000 0 0 0 0 nouveau
MAP 0.100 1 0xfb000000 0xffff0000 0x1000000 0x0 0
MARK 0.101 the first
R 4 0.102 1 0xfb000000 0xa5c080a2 0x0 0
UNKNOWN 0.103 1 0xfb000010 0f,0xae 0x0 0
MARK 0.104 the second
W 4 0.105 1 0xfb000140 0x1 0x0 0
MARK 0.106 the third
UNMAP 0.107 1 0x0 0
'''


@test
def what_is_left_out_is_told():
    left_out = 'what this form has no place for was left out: '
    with Folder(MMIOTRACE.encode()):
        done = ntime('trace', 'convert', '--to', 'vfio', 'log')
        equal(out(done).count('\n'), 2)
        has(err(done), f'{left_out}marks (3), lines PCIDEV with the addresses of BARs (1), mappings (1), ends of mappings (1), '
                       'accesses that mmiotrace could not decode (1) (7 times); --to binary keeps it\n')
        equal(left_out in err(ntime('trace', 'convert', '-q', '--to', 'vfio', 'log')), False)
        for form in ('binary', 'json', 'mmiotrace'):
            equal(left_out in err(ntime('trace', 'convert', '--to', form, '-o', 'out', 'log')), False)
    # What is torn may have had more digits.
    log = small().read(0, 0x1234)
    log.lines[-1] = log.lines[-1][:-1]
    with Folder(log):
        has(run('convert', 'log'), f' ntime: a read of region 0 of {DEVICE} at 0x0, whose value is not in the trace\n')
        equal(left_out in err(ntime('trace', 'convert', 'log')), False)
        for options in (('--no-marks',), ('--to', 'vfio')):
            has(err(ntime('trace', 'convert', *options, 'log')), f'{left_out}reads (1) (1 time)')


@test
def regions_of_any_number_come_back():
    log = Log()
    for region in (0, 5, 6, 8, 9, 15, 16, 200):
        log.write(0x10, region, region=region).read(0x10, region, region=region)
    with Folder(log):
        run('convert', '--keep-tid', 'log', '-o', 'mm')
        back = [line.split(':', 1)[1] for line in run('convert', '--to', 'vfio', 'mm').splitlines()]
        equal(back, [line.split(':', 1)[1][:-1] for line in log.lines])


@test
def only_unusual_accesses_keep_their_text():
    log = Log().read(0, 0x0a8000a2).write(4, 5)
    log.put(f'vfio_region_read  ({DEVICE}:region0+0x0, 4) = 0x0a8000a2').put(f'vfio_region_write  ({DEVICE}:region0+0x4, 0xAB, 4)')
    with Folder(log):
        texts = [json.loads(line).get('text') for line in run('convert', '--to', 'json', 'log').splitlines()]
        equal(texts[1:], [None, None, f'vfio_region_read  ({DEVICE}:region0+0x0, 4) = 0x0a8000a2',
                          f'vfio_region_write  ({DEVICE}:region0+0x4, 0xAB, 4)'])
        # That is what they are kept for.
        equal(run('convert', '--to', 'vfio', 'log'), log.text())


@test
def convert_says_what_is_wrong():
    with Folder(small()):
        has(sentence('convert', '--to', 'elf', 'log'), "--to takes mmiotrace, vfio, json or binary, not 'elf'")
        for hint, part in ((('--id', 'nonsense'), 'nonsense'), (('--bar', f'{DEVICE}=9=1'), "'9' is not a BAR")):
            has(sentence('convert', *hint, 'log'), part)
        has(sentence('convert', '-o', '/dev/full', 'log'), 'No space left on device')
        with open('/dev/full', 'wb') as full:
            has(sentence('convert', 'log', stdout=full), 'No space left on device')
        status, shown = on_terminal('trace', 'convert', '--to', 'binary', 'log')
        equal(status, 125)
        has(shown, 'the binary form is not written to a terminal')
    with Folder(gzip.compress(small().bytes() * 100)[:-20]):
        sentence('convert', '-o', 'out', 'log')
        equal(os.listdir('.'), ['log'])


@test
def convert_says_when_lines_do_not_come_back():
    babeltrace = '[12:34:56.123456789] (+0.000001234) host qemu:vfio_region_write: { cpu_id = 1 }, ' \
        f'{{ name = "{DEVICE}", index = 3, addr = 0xA404, data = 0x1F, size = 4 }}\n'
    for text, said in ((babeltrace * 2, 'events are as babeltrace prints them'), (small().text().replace('\n', '\r\n'), None)):
        with Folder(text.encode()):
            for form in ('vfio', 'binary'):
                done = ntime('trace', 'convert', '--to', form, '-o', form, 'log')
                equal(done.returncode, 0)
                (has if said else has_not)(err(done), said or 'ntime: ')
            for name in ('vfio', 'binary'):
                run('convert', '--to', 'vfio', '-o', 'back', name)
                with open('back', newline='', encoding='utf-8') as f:
                    equal(f.read() == text, said is None, name)


# ---- show ----

SHOWN = '''\
     0.000000    12347  0000:05:00.0  W4  bar2+0x8                                  0xdeadbeef
     0.000001    12347  0000:05:00.0  R1  bar2+0x9                                        0x07
     0.000002        9  0000:05:00.0  W8  bar2+0x10                                 0x0123456789abcdef
     1.000002        9  0000:05:00.0  W2  rom+0x0                                       0xffff
'''


def plain():
    log = Log().write(8, 0xdeadbeef, region=2).read(9, 7, width=1, region=2).write(16, 0x123456789abcdef, width=8, region=2, tid=9)
    return log.write(0, 0xffff, width=2, region=6, tid=9, us=1000000)


@test
def show_has_columns():
    with Folder(plain()):
        equal(run('show', 'log'), SHOWN)
        equal(run('show', '--raw', 'log'), SHOWN)
        equal(run('show', '--width', '8', 'log'), SHOWN.splitlines(True)[2])
        equal(run('show', '--not', 'thread=9', 'log'), ''.join(SHOWN.splitlines(True)[:2]))
        equal(run('show', '--region', '2', '--read', 'log'), SHOWN.splitlines(True)[1])
        first = run('show', '--absolute', 'log').splitlines()[0]
        equal(first.split()[0], '1424299207.289771')
        numbers = [line.split()[0] for line in run('show', '--number', 'log').splitlines()]
        equal(numbers, ['1', '2', '3', '4'])


@test
def show_names_registers():
    with Folder(small()):
        lines = run('show', 'log').splitlines()
        equal(len(lines), 55)
        has(lines[0], 'PMC.')
        has(lines[0], 'GT218')
        has(lines[2], 'PCOUNTER.PRE_SRC[1]')
        has(lines[2], '{ ')
        has_not(run('show', '--raw', 'log'), 'PCOUNTER')
        # The identification is found though it is not shown.
        named = run('show', '--range', '0xa400-0xa4ff', 'log')
        has(named, 'PCOUNTER.PRE_SRC[1]')
        for args in (('--register', 'PCOUNTER.PRE_SRC@GT218'), ('--register', 'PCOUNTER.PRE_SRC', '--chip', 'GT218')):
            has(run('show', *args, 'log'), 'PCOUNTER.PRE_SRC[1]')
            has_not(run('show', *args, 'log'), 'PMC.')


@test
def chips_are_told_by_the_user():
    log = Log().write(0xa408, 1).write(0xa408, 1, device='0000:06:00.0')
    with Folder(log):
        has_not(run('show', 'log'), 'PRE_SRC')
        equal(run('show', '--chip', 'GT218', 'log').count('PCOUNTER.PRE_SRC[2]'), 2)
        for name in (DEVICE, '05:00.0', '5:00.0', '0000:05:*'):
            text = run('show', '--chip', f'{name}=GT218', 'log').splitlines()
            has(text[0], 'PCOUNTER.PRE_SRC[2]')
            has_not(text[1], 'PRE_SRC')


@test
def marks_are_shown():
    log = plain().put(f'vfio_intx_interrupt  ({DEVICE}) Pin A').put(f'vfio_pci_read_config  ({DEVICE}, @0x0, len=0x4) 0x064010de')
    with Folder(log):
        text = run('show', 'log')
        has(text, '--  interrupt 1')
        has(text, '--  config read of 4 bytes at 0x00: 0x064010de')


@test
def polling_is_folded_on_terminals():
    with Folder(small()):
        equal(run('show', '--fold', 'log').splitlines()[6], '        again x 48 in 480.000 us, last 0x00000001')
        equal(len(run('show', '--fold', 'log').splitlines()), 8)
        equal(len(run('show', 'log').splitlines()), 55)
        for args, lines in (((), 8), (('--no-fold',), 55), (('--raw',), 55)):
            status, shown = on_terminal('trace', 'show', *args, 'log', columns=200, NO_COLOR='1')
            equal([status, len(shown.splitlines())], [0, lines], args)


@test
def rounds_are_folded_and_numbers_go_on():
    log = Log()
    for i in range(100):
        log.write(0x1000, 1).read(0x1004, i).write(0x1008, 3)
    log.write(0x2000, 9)
    with Folder(log):
        lines = run('show', '--fold', '--number', 'log').splitlines()
        equal(lines[6].strip(), 'the last 3 again x 97 in 291.000 us')
        equal([line.split()[0] for line in lines[:6] + lines[7:]], ['1', '2', '3', '4', '5', '6', '298', '299', '300', '301'])


@test
def folding_keeps_what_does_not_repeat():
    log = Log()
    seed = int(os.environ.get('SEED', str(int(time.time()))))
    print(f'# seed {seed}')
    for i in range(3000):
        seed = (seed * 6364136223846793005 + 1442695040888963407) % 2**64
        log.write(4 * (seed >> 60), (seed >> 40) % 3) if seed >> 33 & 1 else log.read(4 * (seed >> 60), (seed >> 40) % 3)
    with Folder(log):
        folded = run('show', '--fold', '--number', 'log').splitlines()
        every = run('show', '--number', 'log').splitlines()
        hidden = 0
        for line in folded:
            words = line.split()
            if 'again' in words:
                rounds = int(words[words.index('x') + 1])
                hidden += rounds * (int(words[2]) if words[0] == 'the' else 1)
            else:
                # The line is the one of its number.
                equal(line, every[int(words[0]) - 1])
        equal(hidden + sum('again' not in line for line in folded), 3000)


@test
def terminals_are_not_too_narrow():
    log = small().put(f'vfio_intx_interrupt  ({DEVICE}) Pin A')
    with Folder(log):
        for columns in (40, 60, 80, 100, 160):
            status, shown = on_terminal('trace', 'show', 'log', columns=columns, NO_COLOR='1')
            equal(status, 0)
            has_not(shown, '\033')
            has(shown, '0xdeadbeef')
            for line in shown.splitlines():
                if len(line) > columns and len(line.split()) > 1:
                    raise AssertionError(f'{len(line)} of {columns} columns: {line!r}')


@test
def colour_only_where_it_is_welcome():
    with Folder(small()):
        has(on_terminal('trace', 'show', 'log')[1], '\033[')
        has_not(on_terminal('trace', 'show', 'log', NO_COLOR='1')[1], '\033')
        has_not(on_terminal('trace', 'show', 'log', TERM='dumb')[1], '\033')
        has_not(on_terminal('trace', 'show', '--color', 'never', 'log')[1], '\033')
        has_not(run('show', 'log'), '\033')
        has(run('show', '--color', 'always', 'log'), '\033[')
        has(run('show', '--color=always', 'log', env=t.environment(NO_COLOR='1')), '\033[')


@test
def traces_cannot_play_with_the_terminal():
    with Folder(Log().put('vfio_intx_eoi  (\033[2Jevil) EOI').write(4, 1, device='a\033[2Jb')):
        has_not(run('show', 'log'), '\033')
        has_not(run('state', 'log'), '\033')


# ---- state ----

@test
def state_tells_what_is_known():
    log = Log().write(0x100, 0x12, width=1).write(0x102, 0xabcd, width=2).read(0x200, 1).read(0x200, 3)
    log.read(0x104, 0, us=1000000).write(0x100, 0x55667788)
    with Folder(log):
        lines = run('state', 'log').splitlines()
        equal(lines[0].split(), ['REGISTER', 'VALUE', 'WRITTEN', 'READ'])
        equal(lines[1].split(), ['bar0+0x100', '0x55667788', '#6', '1.000004', 'by', '12347', '-'])
        equal(lines[3].split(), ['bar0+0x200', '0x00000003', '-', '#4', '0.000003', 'by', '12347'])
        equal(lines[4], '    volatile bits 0x2')
        # Before the last write.
        for args in (('--time', '0.5'), ('--time', '@1424299207.5'), ('--record', '4')):
            rows = list(csv.DictReader(io.StringIO(run('state', '--csv', *args, 'log'))))
            equal([(row['offset'], row['width'], row['value'], row['known']) for row in rows],
                  [('0x100', '1', '0x12', '0xff'), ('0x102', '2', '0xabcd', '0xffff'), ('0x200', '4', '0x3', '0xffffffff')], args)
        report = json.loads(run('state', '--json', 'log'))
        equal([report['accesses'], report['dropped'], len(report['registers'])], [6, 0, 3])
        first = report['registers'][0]
        equal([first['device'], first['value'], first['writes']], [DEVICE, '0x55667788', 3])
        equal(first['last_write']['time'], '1.000004')
        equal(first['last_read'], None)


@test
def state_has_digits_for_what_is_unknown():
    log = Log().write(0x100, 0x8001).read(0x100, 1).write(0x100, 0x8003)
    with Folder(log):
        lines = run('state', 'log').splitlines()
        equal(lines[1].split()[1], '0x0000*003')
        equal(lines[2].strip(), 'known bits 0xffff7fff, read back otherwise 0x8000')


@test
def state_shows_registers_whole():
    log = Log().read(0, 0x0a8000a2).read(0xa40c, 0xbeef, width=2).write(0xa414, 0x12, width=1).write(0xa416, 0x3456, width=2)
    log.write(0xa408, 0x11223344).read(0xa40a, 0x55, width=1).read(0x1234568, 0xbeef, width=2)
    with Folder(log):
        lines = [line.split()[:2] for line in run('state', 'log').splitlines() if not line.startswith(' ')]
        equal(lines[2:], [['PCOUNTER.PRE_SRC[2]', '0x11553344'], ['PCOUNTER.PRE_SRC[3]', '0x????beef'],
                          ['PCOUNTER.PRE_SRC[5]', '0x3456??12'], ['bar0+0x1234568', '0xbeef']])
        rows = {row['register']: row for row in csv.DictReader(io.StringIO(run('state', '--csv', 'log')))}
        row = rows['PCOUNTER.PRE_SRC[5]']
        equal([row[key] for key in ('offset', 'width', 'value', 'known', 'writes', 'write_offset', 'words')],
              ['0xa414', '4', '0x34560012', '0xffff00ff', '2', '0xa416', ''])
        rows = {row['register']: row for row in json.loads(run('state', '--json', 'log'))['registers']}
        equal([rows['PCOUNTER.PRE_SRC[3]'][key] for key in ('offset', 'width', 'value', 'known')], ['0xa40c', 4, '0xbeef', '0xffff'])


@test
def accesses_without_a_device_are_shown():
    # QEMU tells no device with the legacy ranges of VGA.
    log = Log().write(0x100, 1).write(0x100, 1, device='0000:06:00.0').put('vfio_vga_write  (0x3d4, 0x1, 1)')
    with Folder(log):
        row = run('state', 'log').splitlines()[-1].split()
        equal(row[:3], ['-', 'vga+0x3d4', '0x01'])
        for action in (('show',), ('stat',), ('stat', '--csv'), ('stat', '--json'), ('state', '--csv'),
                       ('state', '--json'), ('derive',)):
            run(*action, 'log')
        run('diff', 'log', 'log')


@test
def state_counts_what_has_no_room():
    log = Log()
    for i in range(10):
        log.write(4 * i, i)
    with Folder(log):
        done = ntime('trace', 'state', '--registers', '4', 'log')
        equal(done.returncode, 0)
        equal(len(out(done).splitlines()), 5)
        has(err(done), '6 accesses to further registers were dropped')
        equal(json.loads(run('state', '--registers', '4', '--json', 'log'))['dropped'], 6)


@test
def state_names_registers():
    with Folder(small()):
        has(run('state', 'log'), 'PCOUNTER.PRE_SRC[1]')
        rows = {row['register']: row for row in csv.DictReader(io.StringIO(run('state', '--csv', 'log')))}
        equal(rows['PCOUNTER.PRE_SRC[1]']['value'], '0xdeadbeef')
        has(rows['PCOUNTER.PRE_SRC[1]']['words'], '{')


# ---- rights ----

def ends_up_confined(*args):
    """Does a run that waits for its input give up rights first? By what /proc says of it while it waits."""
    child = subprocess.Popen(t.command(*args), env=t.environment(), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    status, end = '', time.monotonic() + t.PATIENCE
    try:
        while child.poll() is None and 'NoNewPrivs:\t1' not in status and time.monotonic() < end:
            with open(f'/proc/{child.pid}/status', encoding='ascii') as f:
                status = f.read()
            time.sleep(0.01)
    finally:
        child.kill()
        child.communicate()
    return 'NoNewPrivs:\t1' in status


@test
def what_reads_files_gives_up_rights():
    recording = os.path.join(t.ROOT, 'count/tests/machine/intel-skx-2s.json')
    for args in (('convert', '-'), ('show', '-'), ('stat', '-'), ('state', '-'), ('derive', '-'), ('diff', '-', recording), ('cost', '-', recording)):
        equal(ends_up_confined('trace', *args), True, ' '.join(args))


# ---- progress ----

def slowly(columns, part):
    """What stderr, a terminal, shows of a run whose input goes on until @part is there."""
    fd, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack('HHHH', 24, columns, 0, 0))
    child = subprocess.Popen(t.command('trace', 'show', '-'), env=t.environment(), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                             stderr=slave)
    os.close(slave)
    text, shown = small().bytes(), b''
    end = time.monotonic() + t.PATIENCE
    while part.encode() not in shown and time.monotonic() < end:
        # More than a reader takes at a time, so that it does not wait for the rest.
        child.stdin.write(text * 100)
        child.stdin.flush()
        if select.select([fd], [], [], 0.02)[0]:
            shown += os.read(fd, 4096)
    child.stdin.close()
    shown = shown.decode() + t.read_all(fd)
    os.close(fd)
    return child.wait(timeout=t.PATIENCE), shown


@test
def long_work_shows_how_far_it_is():
    status, shown = slowly(80, 'MB/s')
    equal(status, 0)
    has(shown, 'MB/s')
    has(shown, '\r')
    # The line is gone at the end; what follows are warnings.
    has(shown, '\r\033[K')
    equal([line for line in shown.rsplit('\r\033[K', 1)[1].split('\r\n') if line and not line.startswith(('ntime: ', '  '))], [])


@test
def short_work_shows_nothing():
    with Folder(small()):
        fd, slave = pty.openpty()
        begin = time.monotonic()
        done = ntime('trace', 'show', 'log', stderr=slave)
        is_short = time.monotonic() - begin < 2
        os.close(slave)
        shown = t.read_all(fd)
        os.close(fd)
        equal(done.returncode, 0)
        # Where the machine stood still meanwhile it was no short work, and the line is gone at the end.
        equal(shown if is_short else shown.rsplit('\r\033[K', 1)[-1], '')


if __name__ == '__main__':
    sys.exit(t.main())
