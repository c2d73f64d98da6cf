#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The lab's runner without any guest: frames, initramfs, kernel log, descriptions, options. Speaks TAP."""
import contextlib
import glob
import io
import os
import random
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path.insert(0, ROOT)
sys.dont_write_bytecode = True

from lab import bootimage, frames, guest, initramfs, log, machine, options, payload, proxies, run  # noqa: E402
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../../base/tests'))
from tap import Skip, equal, holds, main, raises, test    # noqa: E402

SEED = int(os.environ.get('SEED', random.randrange(1 << 32)))
print(f'# seed {SEED}')
RANDOM = random.Random(SEED)
GOOD_GUEST = {'about': 'a', 'emulates': 'b', 'exact': 'c', 'not': ['d'], 'arch': 'arm64', 'kernel': 'arm64', 'machine': ['-M', 'virt'],
              'console': 'ttyAMA0', 'port': 'virtio'}


def some_frames(count):
    return [(RANDOM.choice('SoeakqX'), RANDOM.randbytes(RANDOM.choice((0, 1, 2, 60, 300, 16384)))) for _ in range(count)]


def stream_of(wanted):
    writer = frames.Writer()
    return b''.join(writer.frame(kind, content) for kind, content in wanted)


# -- frames

@test
def frames_arrive_however_they_are_cut():
    wanted = some_frames(60)
    stream, reader, got = stream_of(wanted), frames.Reader(), []
    while stream:
        size = RANDOM.choice((1, 2, 3, 17, 64, 5000, 70000))
        got += reader.feed(stream[:size])
        stream = stream[size:]
    equal(got, wanted)
    equal(reader.is_between(), True)


@test
def frames_may_hold_what_looks_like_frames():
    inner = stream_of([('X', b'0'), ('o', b'\n#o 1 2 00000000\n')])
    equal(frames.Reader().feed(stream_of([('o', inner), ('X', b'3')])), [('o', inner), ('X', b'3')])


@test
def frames_notice_every_changed_byte():
    stream = stream_of([('o', b'hello'), ('e', b'\xff\x00'), ('X', b'0')])
    for at in range(len(stream)):
        damaged = bytearray(stream)
        damaged[at] ^= 1 << RANDOM.randrange(8)
        reader = frames.Reader()
        try:
            got = reader.feed(bytes(damaged))
        except frames.Damaged:
            continue
        assert len(got) < 3 and not reader.is_between(), f'byte {at}: {got}'


@test
def frames_notice_every_lost_byte():
    stream = stream_of([('o', b'hello'), ('e', b'world'), ('X', b'0')])
    for at in range(len(stream)):
        reader = frames.Reader()
        try:
            got = reader.feed(stream[:at] + stream[at + 1:])
        except frames.Damaged:
            continue
        assert len(got) < 3 and not reader.is_between() or at == len(stream) - 1, f'byte {at}: {got}'


@test
def frames_notice_a_lost_frame():
    writer = frames.Writer()
    parts = [writer.frame('o', b'%d' % n) for n in range(4)]
    raises(frames.Damaged, 'frame 2 came where 1 was due', frames.Reader().feed, parts[0] + parts[2])
    raises(frames.Damaged, 'frame 0 came where 1 was due', frames.Reader().feed, parts[0] + parts[0])


@test
def frames_take_no_kernel_message():
    for text in (b'[    0.000000] Linux version\n', b'#o 0 -1 00000000\n', b'#o 0 99999 00000000\n', b'#o 0 x 0\n', b'o 0 0 0\n',
                 b'#oo 0 0 0\n', b'#o 0 0\n'):
        raises(frames.Damaged, 'is not the head of a frame', frames.Reader().feed, text)
    raises(frames.Damaged, 'no frame begins with', frames.Reader().feed, b'x' * 64)


@test
def frames_of_init_are_those_of_the_runner():
    """The two programs agree: init.c's sum is compiled and compared with zlib's."""
    compiler = shutil.which('cc') or shutil.which('gcc')
    if not compiler:
        raise Skip('there is no C compiler')
    with tempfile.TemporaryDirectory() as where:
        source = os.path.join(where, 'sum.c')
        with open(os.path.join(ROOT, 'lab/init.c'), encoding='utf-8') as f:
            text = f.read().replace('int main(', 'int init_main(')
        with open(source, 'w', encoding='utf-8') as f:
            f.write(text + '\nint main(void)\n{\n\tstatic char b[70000];\n\tport.fd = 1;\n\tport.sent = 0;\n'
                    '\tsize_t n = fread(b, 1, PAYLOAD_BYTES, stdin);\n\tsend_frame(\'o\', b, n);\n\tsend_frame(\'X\', "0", 1);\n'
                    '\t(void)init_main;\n\treturn 0;\n}\n')
        subprocess.run([compiler, '-D_GNU_SOURCE', '-o', where + '/sum', source], check=True)
        for content in (b'', b'123456789', RANDOM.randbytes(frames.LONGEST_PAYLOAD)):
            said = subprocess.run([where + '/sum'], input=content, stdout=subprocess.PIPE, check=True).stdout
            equal(said, stream_of([('o', content), ('X', b'0')]))


# -- initramfs

@test
def initramfs_comes_back_as_it_was_written():
    tree = {'bin/a': initramfs.binary(RANDOM.randbytes(1001), 0o755), 'etc/b': initramfs.text('text\n', 0o600),
            'c': initramfs.link('bin/a'), 'home/u': initramfs.folder(0o700, uid=1000), 'empty': initramfs.text('')}
    back = initramfs.read_archive(initramfs.archive(tree))
    for name, entry in tree.items():
        equal((back[name].mode, back[name].uid, back[name].content()), (entry.mode, entry.uid, entry.content()))
    for name in ('bin', 'etc', 'home'):
        assert stat.S_ISDIR(back[name].mode), name
    equal(set(back), set(tree) | {'bin', 'etc', 'home'})


@test
def initramfs_is_what_cpio_takes():
    if not shutil.which('cpio'):
        raise Skip('cpio is not installed')
    data = RANDOM.randbytes(4097)
    tree = {'d/file': initramfs.binary(data, 0o640), 'd/link': initramfs.link('file'), 'x': initramfs.text('y')}
    with tempfile.TemporaryDirectory() as where:
        subprocess.run(['cpio', '-id', '--quiet', '--no-preserve-owner'], input=initramfs.archive(tree), cwd=where, check=True)
        with open(os.path.join(where, 'd/link'), 'rb') as f:
            equal(f.read(), data)
        equal(stat.S_IMODE(os.stat(os.path.join(where, 'd/file')).st_mode), 0o640)


@test
def initramfs_layers_replace_what_is_below():
    below, above = {'a': initramfs.text('1'), 'b': initramfs.text('2')}, {'b': initramfs.text('3')}
    both = initramfs.archive(below) + initramfs.archive(above)
    equal(len(initramfs.archive(below)) % 4, 0)
    back = initramfs.read_archive(both)
    equal((back['a'].content(), back['b'].content()), (b'1', b'3'))


@test
def initramfs_makes_devices():
    back = initramfs.archive({'dev/console': initramfs.Entry(0o020600, device=(5, 1))})
    at = back.index(b'dev/console') - 110
    equal([int(back[at + 6 + 8 * i:at + 14 + 8 * i], 16) for i in (9, 10)], [5, 1])


# -- kernel log

BAD_LINES = [
    ('bug', 'BUG: sleeping function called from invalid context at mm/slab.c:3'),
    ('bug', 'BUG: unable to handle page fault for address: ffffffffc0000000'),
    ('bug', 'kernel BUG at fs/inode.c:611!'),
    ('bug', 'BUG kmalloc-64 (Tainted: G    B     ): Redzone overwritten'),
    ('warning', 'WARNING: CPU: 0 PID: 1 at kernel/events/core.c:2309 event_sched_out+0x1'),
    ('warning', 'WARNING: possible circular locking dependency detected'),
    ('warning', 'WARNING: suspicious RCU usage'),
    ('oops', 'Oops: 0002 [#1] PREEMPT SMP PTI'),
    ('oops', 'Unable to handle kernel NULL pointer dereference at virtual address 00000000'),
    ('oops', 'Internal error: Oops: 96000005 [#1] SMP'),
    ('oops', 'general protection fault, probably for non-canonical address 0xdead: 0000 [#1]'),
    ('panic', 'Kernel panic - not syncing: Attempted to kill init! exitcode=0x00000000'),
    ('lockdep', 'inconsistent lock state'),
    ('lockdep', 'INFO: trying to register non-static key.'),
    ('lockdep', 'DEBUG_LOCKS_WARN_ON(lock->magic != lock)'),
    ('nmi', 'Uhhuh. NMI received for unknown reason 21 on CPU 0.'),
    ('nmi', 'Dazed and confused, but trying to continue'),
    ('leak', 'unreferenced object 0xffff888003f3e5c0 (size 64):'),
    ('rcu', 'rcu: INFO: rcu_sched self-detected stall on CPU'),
    ('rcu', 'rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:'),
    ('rcu', 'rcu: rcu_sched kthread starved for 5252 jiffies!'),
    ('hang', 'INFO: task sh:77 blocked for more than 120 seconds.'),
    ('hang', 'watchdog: BUG: soft lockup - CPU#0 stuck for 22s! [loop:99]'),
    ('leak', 'kmemleak: 3 new suspected memory leaks (see /sys/kernel/debug/kmemleak)'),
    ('leak', 'refcount_t: underflow; use-after-free.'),
    ('sanitizer', 'BUG: KASAN: slab-out-of-bounds in f+0x1/0x2'),
    ('sanitizer', 'UBSAN: shift-out-of-bounds in x.c:1:2'),
    ('perf', 'unchecked MSR access error: WRMSR to 0x38f (tried to write 0x000000070000000f) at rIP: 0xffffffff81006594'),
    ('perf', 'perfevents: irq loop stuck!'),
    ('memory', 'sh invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=-1'),
    ('trace', 'Call Trace:'),
    ('trace', 'Call trace:'),
    ('lost', 'irq 16: nobody cared (try booting with the "irqpoll" option)'),
]
GOOD_LINES = [
    'Linux version 6.1.0-56-amd64 (debian-kernel@lists.debian.org) (gcc-12 (Debian 12.2.0-14) 12.2.0)',
    'rcu: Preemptible hierarchical RCU implementation.',
    'rcu: srcu_init: Setting srcu_struct sizes based on contention.',
    'Performance Events: PMU not available due to virtualization, using software events only.',
    'NMI watchdog: Enabled. Permanently consumes one hw-PMU counter.',
    'debug: unmapping init [mem 0x1-0x2]',
    'Spectre V2 : WARNING is not what this says',
    'perf: interrupt took too long (2500 > 2487), lowering kernel.perf_event_max_sample_rate to 79750',
    'x86/cpu: User Mode Instruction Prevention (UMIP) activated',
    'msr: Write to unrecognized MSR 0x38f by ntime (pid: 99).',
    'module: loading out-of-tree module taints kernel.',
]


def kmsg(lines, first=0):
    return ''.join(f'6,{n},{1000 * n},-;{line}\n' for n, line in enumerate(lines, first)).encode()


@test
def log_finds_what_is_bad():
    for kind, line in BAD_LINES:
        found = log.findings(log.parse(kmsg(['fine', line, 'fine'])))
        # A line may match several kinds: the sanitizers begin with BUG, lockdep's lines with WARNING.
        equal([record.text for _, record in found], [line])
        assert found[0][0] == kind or kind == 'sanitizer' or found[0][0] in ('bug', 'warning'), (line, found)


@test
def log_leaves_what_is_good():
    for line in GOOD_LINES:
        equal([str(record) for _, record in log.findings(log.parse(kmsg([line])))], [])


@test
def log_notices_missing_records():
    raises(log.Damaged, 'records 0 to 4', log.parse, kmsg(['a'], first=5))
    raises(log.Damaged, 'records 1 to 1', log.parse, kmsg(['a']) + kmsg(['b'], first=2))
    raises(log.Damaged, 'not a record', log.parse, b'some text\n')


@test
def log_takes_dictionaries_and_continuations():
    records = log.parse(b'6,0,5,-;one\n SUBSYSTEM=pci\n DEVICE=+pci:0000:00:01.0\n4,1,7,c;two; and three\n')
    equal([(r.number, r.us, r.text) for r in records], [(0, 5, 'one'), (1, 7, 'two; and three')])


@test
def log_allows_only_what_a_guest_names():
    records = log.parse(kmsg(['WARNING: CPU: 0 at a.c:1', 'WARNING: CPU: 0 at b.c:2']))
    found = log.findings(records, [(re.compile(r'at a\.c:1'), 'known')])
    equal([record.text for _, record in found], ['WARNING: CPU: 0 at b.c:2'])


@test
def log_allows_a_trace_with_its_line_alone():
    records = log.parse(kmsg(['unchecked MSR access error: x', 'Call Trace:', ' f', 'Call Trace:']))
    found = log.findings(records, [(re.compile('MSR access error: x'), 'known')])
    equal([record.number for _, record in found], [3])


@test
def log_shows_what_follows():
    records = log.parse(kmsg(['a', 'WARNING: x', 'Call Trace:', ' f+0x1', 'b']))
    shown = log.context(records, log.findings(records)[:1], lines=3)
    equal([line.split('] ')[1] for line in shown], ['WARNING: x', 'Call Trace:', ' f+0x1'])


# -- descriptions

@test
def guests_are_well_described():
    names = [g.name for g in guest.all_guests()]
    assert len(names) == len(set(names)) and {'x86', 'arm64', 'x86-nehalem'} <= set(names), names
    for one in guest.all_guests():
        for text in (one.about, one.emulates, one.exact, *one.is_not):
            assert text[0] != ' ' and not text.endswith('.'), (one.name, text)
        assert len(one.about) < 90, one.name
        re.compile('|'.join(row['pattern'] for row in one.allow))
        # Exactness is promised on instruction time with one CPU alone.
        assert one.icount is False or one.smp == '1', one.name


@test
def guests_have_no_word_of_their_kernel_twice():
    for one in guest.all_guests():
        words = machine.kernel_words(one).split()
        equal(len(words), len(set(words)))


@test
def guest_descriptions_are_checked():
    equal(guest.check('g', GOOD_GUEST), [])
    for change, part in (({'about': 5}, '"about" must be a str'), ({'about': ''}, '"about" is empty'), ({'arch': 'mips'}, '"arch"'),
                         ({'port': 'usb'}, '"port"'), ({'nonsense': 1}, '"nonsense" is not known'), ({'icount': True}, '"icount"'),
                         ({'machine': ['-M', 3]}, '"machine" must hold words'), ({'proxy': [{'name': 'x'}]}, 'a proxy'),
                         ({'allow': [{'pattern': 'x'}]}, 'a reason'), ({'allow': [{'pattern': '(', 'reason': 'x'}]}, 'no regular'),
                         ({'allow': [{'pattern': 3, 'reason': 'x'}]}, 'a reason'), ({'dtb-set': [['/a', 'b', 's']]}, '"dtb-set"'),
                         ({'dtb-set': ['/a']}, '"dtb-set"'), ({'dtb-set': [['/a', 'b', 'i', 1]]}, '"dtb-set"'),
                         ({'env': {'A': 1}}, '"env"')):
        holds(' '.join(guest.check('g', GOOD_GUEST | change)), part)
    holds(' '.join(guest.check('g', {k: v for k, v in GOOD_GUEST.items() if k != 'exact'})), '"exact" is missing')


@test
def guests_that_are_not_there_suggest_a_near_one():
    raises(guest.GuestError, "did you mean 'x86'?", guest.find, 'x68')
    raises(guest.GuestError, 'there are ', guest.find, 'pdp11')


@test
def guests_have_a_newer_kernel_without_a_second_file():
    old, new = guest.find('arm64'), guest.find('arm64' + guest.NEWER)
    equal((old.kernel, new.kernel, old.machine == new.machine), ('arm64', 'arm64-6.12', True))


def guests_not_in(quote, *paths):
    """Guests that none of these files has between such quotes."""
    text = ''
    for path in paths:
        with open(os.path.join(ROOT, path), encoding='utf-8') as f:
            text += f.read()
    names = [os.path.basename(file)[:-len('.toml')] for file in glob.glob(os.path.join(guest.FOLDER, '*.toml'))]
    return [name for name in sorted(names) if f'{quote}{name}{quote}' not in text]


@test
def readme_names_every_guest():
    equal(('lab/README.md lacks', guests_not_in('`', 'lab/README.md')), ('lab/README.md lacks', []))


@test
def every_guest_has_a_test():
    missing = guests_not_in("'", 'lab/tests/meson.build', 'lab/tests/host/test_boot.py', 'lab/tests/host/test_traces.py')
    equal(('lab_guest_runs of lab/tests/meson.build lacks', missing), ('lab_guest_runs of lab/tests/meson.build lacks', []))


@test
def judges_know_the_guests_they_run_in():
    with open(os.path.join(ROOT, 'lab/tests/meson.build'), encoding='utf-8') as f:
        runs = f.read().partition('lab_guest_runs = {')[2].partition('\n}')[0]
    names = set(re.findall(r"'([\w-]+?)(?:-6\.12)?': \[[^]]*'judges'", runs))
    with open(os.path.join(ROOT, 'lab/tests/guest/test_judges.c'), encoding='utf-8') as f:
        text = f.read()
    missing = [name for name in sorted(names) if f'{{ "{name}", ' not in text]
    equal((len(names) > 5, 'lab/tests/guest/test_judges.c lacks', missing), (True, 'lab/tests/guest/test_judges.c lacks', []))


# -- machine and payload

@test
def machine_names_every_channel():
    one = guest.Guest('g', GOOD_GUEST | {'icount': 1, 'memory': 256})
    words = machine.command_line(one, 'qemu', 'k', 'i', {'console': 7, 'port': 8, 'monitor': 9}, 'd', 'more words', ['-S'])
    text = ' '.join(words)
    for part in ('socket,id=console,fd=7', 'socket,id=port,fd=8', 'socket,id=monitor,fd=9', '-icount shift=1', '-m 256', '-dtb d',
                 '-no-reboot', 'panic=-1', 'more words', '-S'):
        holds(text, part)
    assert '-icount' not in machine.command_line(guest.Guest('g', GOOD_GUEST), 'q', 'k', 'i', {'console': 7, 'port': 8, 'monitor': 9})


@test
def payload_carries_what_the_command_names():
    with tempfile.TemporaryDirectory() as where:
        os.chdir(where)
        for name in ('script', 'data.txt', 'loop'):
            with open(name, 'w', encoding='utf-8') as f:
                f.write(name)
        known = {'lab/loop': None}
        tree = payload.carried_tree('arm64', ['./script', 'data.txt', 'loop', 'missing', '-e'], [], known)
        # "loop" is the guest's own workload; "./loop" would be the one here.
        equal(set(tree), {'lab/script', 'lab/data.txt'})
        equal(set(payload.carried_tree('arm64', ['./loop'], [], known)), {'lab/loop'})
        equal(set(payload.carried_tree('arm64', ['/bin/sh', where + '/script'], ['script:/etc/x', 'data.txt'], known)),
              {'etc/x', 'lab/data.txt'})
        raises(payload.PayloadError, 'there is no file none', payload.check_files, ['none'])
        os.chdir(ROOT)


@test
def payload_opens_what_it_carries():
    with tempfile.NamedTemporaryFile(dir='.', prefix='program-') as f:
        for mode, wanted in ((0o700, 0o755), (0o600, 0o644), (0o500, 0o555), (0o666, 0o666)):
            os.chmod(f.name, mode)
            name = os.path.basename(f.name)
            equal(oct(stat.S_IMODE(payload.carried_tree('arm64', [name], [], {})['lab/' + name].mode)), oct(wanted))


@test
def payload_says_what_it_leaves():
    with tempfile.NamedTemporaryFile(dir='/tmp') as f:
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            equal(payload.carried_tree('arm64', [f.name, '/bin/sh', '/dev/null'], [], {}), {})
        equal(said.getvalue(), f'lab: {f.name} is not carried: the guest has a folder of its own there; use a relative name or --file\n')


@test
def payload_says_when_a_program_is_for_another_machine():
    with tempfile.NamedTemporaryFile(dir='.', prefix='program-') as f:
        f.write(b'\x7fELF\x02\x01\x01' + b'\0' * 9 + b'\x02\0' + (243).to_bytes(2, 'little') + b'\0' * 100)
        f.flush()
        os.chmod(f.name, 0o755)
        raises(payload.PayloadError, 'is a program for riscv64, but the guest is arm64', payload.carried_tree, 'arm64',
               ['./' + os.path.basename(f.name)], [], {})


@test
def payload_job_is_what_init_reads():
    one = guest.Guest('g', GOOD_GUEST | {'env': {'A': 'b c'}})
    words = payload.job(one, {'modules/x.ko': None}, ['sh', '-c', 'echo "a b"', '\udcff'], {'user': '1000'}).split(b'\0')
    equal(words[0], b'port=/dev/vport0p1')
    for word in (b'module=/modules/x.ko', b'env=A=b c', b'user=1000', b'stdin=null', b'arg=sh', b'arg=-c', b'arg=echo "a b"',
                 b'arg=\xff'):
        assert word in words, (word, words)
    raises(payload.PayloadError, 'NUL', payload.job, one, {}, ['a\0b'], {})


@test
def payload_forgets_layers_that_nobody_uses():
    with tempfile.TemporaryDirectory() as where:
        for name, age in (('old', 2 * payload.LAYER_SECONDS), ('young', 60)):
            os.mkdir(os.path.join(where, name))
            when = time.time() - age
            os.utime(os.path.join(where, name), (when, when))
        payload.forget_old_layers(where)
        equal(os.listdir(where), ['young'])


@test
def bootimage_takes_out_what_is_packed():
    import gzip
    import lzma
    kernel = b'\x7fELF' + RANDOM.randbytes(5000)
    for packed in (lzma.compress(kernel) + b'size', gzip.compress(kernel) + b'size'):
        image = bytearray(0x2000)
        image[0x1f1], image[0x202:0x206] = 7, b'HdrS'
        image[0x248:0x250] = (0x100).to_bytes(4, 'little') + len(packed).to_bytes(4, 'little')
        image[8 * 512 + 0x100:] = packed
        equal(bootimage.unpacked(bytes(image)), kernel)
        image[8 * 512 + 0x100] ^= 0xff
        equal(bootimage.unpacked(bytes(image)), None)
    equal(bootimage.unpacked(b'\0' * 0x1000), None)


# -- run

class FakeModels:
    """What attach.py gives, for models that end with a status."""

    def __init__(self, status):
        self.status = status

    def ended(self):
        return self.status

    def stop(self):
        return self.status


@test
def models_that_die_are_named():
    with tempfile.TemporaryDirectory() as where:
        one = proxies.Proxies(guest.Guest('g', GOOD_GUEST), where)
        one.finish()
        for status in (None, 0):
            one.attached = FakeModels(status)
            one.check()
        one.attached = FakeModels(-9)
        raises(proxies.ProxyError, 'g: its PCI models ended during the run, with -9; they said nothing', one.check)
        with open(one.log, 'w', encoding='utf-8') as f:
            f.write('first\nlast words\n')
        raises(proxies.ProxyError, 'g: its PCI models ended with -9; their last line: last words', one.finish)
        one.finish()


@test
def monitor_that_is_gone_is_a_sentence():
    near, far = socket.socketpair()
    far.close()
    with near:
        broken = run.Monitor(near)
        broken.ready = True
        raises(run.RunError, 'QEMU cannot be asked for stop', broken.execute, 'stop')


@test
def second_signal_does_not_cut_off_cleaning():
    """A program that gets SIGTERM while it cleans up after SIGINT must end its cleaning, and by the first."""
    text = (f'import os, signal, sys\nsys.path.insert(0, {ROOT!r})\nfrom lab import main\n'
            'def do(*_):\n    try:\n        os.kill(os.getpid(), signal.SIGINT)\n        signal.pause()\n'
            '    finally:\n        os.kill(os.getpid(), signal.SIGTERM)\n        print("clean", flush=True)\n'
            'main.DOERS["list"] = do\nsys.exit(main.main(["list"]))\n')
    done = subprocess.run([sys.executable, '-c', text], stdout=subprocess.PIPE, check=False)
    equal((done.returncode, done.stdout), (-signal.SIGINT, b'clean\n'))


@test
def mistakes_of_the_lab_are_125():
    text = (f'import sys\nsys.path.insert(0, {ROOT!r})\nfrom lab import main\nmain.DOERS["list"] = lambda *_: {{}}["x"]\n'
            'sys.exit(main.main(sys.argv[1:]))\n')
    for words, shown in ((['list'], False), (['list', '-vv'], True)):
        done = subprocess.run([sys.executable, '-c', text, *words], stderr=subprocess.PIPE, encoding='utf-8', check=False)
        equal((done.returncode, 'Traceback' in done.stderr), (125, shown))
        holds(done.stderr, "ntime lab: a mistake in the lab itself: KeyError: 'x' (<string>:")


# -- options

def misuse(*words):
    """What is said of a wrong command line; it must end with 125."""
    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        try:
            options.parse(list(words))
        except SystemExit as e:
            equal(e.code, 125)
            return said.getvalue()
    raise AssertionError(f'{words} was taken')


@test
def options_refuse_what_is_wrong():
    for words, part in ((['run', 'x86'], 'no command to run'), (['run', '--', 'true'], 'GUEST'), (['fly'], 'fly'),
                        (['run', 'x86', '--timeout', '-3', '--', 'true'], 'is not a time above 0'), ([], 'required'),
                        (['run', 'x86', '--gdb', '0', '--', 'true'], 'not a port'), (['list', '--', 'true'], 'takes no command'),
                        (['run', 'x86', '--with', 'likwid', '--', 'true'], 'likwid'), (['run', 'x86', '--usr', '--', 'x'], '--usr'),
                        (['clean', '-v'], '-v')):
        said = misuse(*words)
        holds(said, part)
        assert said.startswith('ntime lab: ') and said.count('\n') == 1, said


@test
def options_leave_the_command_alone():
    args, command = options.parse(['run', 'x86', '--user', '--', 'ntime', '--user', '--', 'x'])
    equal((args.user, command), (True, ['ntime', '--user', '--', 'x']))


if __name__ == '__main__':
    sys.exit(main())
