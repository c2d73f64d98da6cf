#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ntime trace while its input grows or pauses: what is whole is seen at once. Speaks TAP.

Usage: test_trace_follow.py NTIME [-k WORD]
"""
import os
import select
import signal
import subprocess
import sys
import time
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../../base/tests'))
import command as t    # noqa: E402
from command import equal, err, has, ntime    # noqa: E402
test = t.test
LINES = [f'12347@1424299207.{i:06d}:vfio_region_write  (0000:05:00.0:region0+0x{4 * i:x}, 0x{i + 1:x}, 4)\n' for i in range(8)]

# A writer that goes on for ever, and says when the first 4 MiB have gone.
FEED = '''
import os, sys
part = sys.argv[1].encode() * 64
sent = 0
while True:
    sent += os.write(1, part)
    if sent >= 4 << 20:
        os.write(2, b'fed\\n')
        sent = -1 << 62
'''


class Reader:
    """An ntime trace that runs. Nothing of it is waited for longer than t.PATIENCE."""

    def __init__(self, *args, stdin=subprocess.DEVNULL):
        self.child = subprocess.Popen(t.command('trace', *args), env=t.environment(), stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                      preexec_fn=lambda: [signal.signal(s, signal.SIG_DFL) for s in (signal.SIGINT, signal.SIGPIPE)])
        self.seen = b''

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.child.kill()
        for stream in (self.child.stdin, self.child.stdout, self.child.stderr):
            if stream and not stream.closed:
                stream.close()
        self.child.wait()

    def put(self, data):
        self.child.stdin.write(data.encode())
        self.child.stdin.flush()

    def lines(self, n):
        """What came, once it is @n lines."""
        end = time.monotonic() + t.PATIENCE
        while self.seen.count(b'\n') < n:
            if not select.select([self.child.stdout], [], [], max(0, end - time.monotonic()))[0]:
                raise AssertionError(f'{self.seen.count(b"%c" % 10)} lines came, not {n}: {self.seen.decode()}')
            more = os.read(self.child.stdout.fileno(), 65536)
            if not more:
                raise AssertionError(f'it ended after {self.seen.decode()!r}: {self.child.stderr.read().decode()}')
            self.seen += more
        return self.seen.decode()

    def wait_for_handler(self, sig):
        """Until then the signal would kill, which is right but tells nothing."""
        caught = 0
        while not caught >> (sig - 1) & 1:
            time.sleep(0.01)
            with open(f'/proc/{self.child.pid}/status', encoding='ascii') as f:
                caught = int([line.split()[1] for line in f if line.startswith('SigCgt:')][0], 16)

    def end(self, sig=None):
        """The rest of its output, what it said, and how it ended."""
        if sig:
            self.child.send_signal(sig)
        out, said = self.child.communicate(timeout=t.PATIENCE)
        return (self.seen + out).decode(), said.decode(), self.child.returncode


def text(n):
    return ''.join(LINES[:n])


def fill(name, data, mode='wb'):
    with open(name, mode) as f:
        f.write(data if isinstance(data, bytes) else data.encode())


def shown(*args, n):
    """What the action makes of @n lines when it has them as a whole."""
    fill('whole', text(n))
    done = ntime('trace', *args, 'whole')
    equal([done.returncode, err(done)], [0, ''])
    return done.stdout.decode()


ACTIONS = (('show',), ('show', '--no-fold'), ('convert', '--to', 'vfio'), ('convert', '--to', 'json'))


@test
def what_a_file_has_is_there_before_it_grows():
    with t.Directory():
        for args in (*ACTIONS, ('convert', '--to', 'mmiotrace', '--chip', 'GT218')):
            fill('log', text(3))
            count = shown(*args, n=3).count('\n')
            with Reader(*args, '-f', 'log') as r:
                r.lines(count)
                fill('log', LINES[3], 'ab')
                r.lines(count + 1)
                out, said, status = r.end(signal.SIGINT)
            equal([said, status], ['', 0], args)
            if 'mmiotrace' not in args:
                equal(out, shown(*args, n=4), args)


@test
def what_a_pipe_has_is_there_before_it_goes_on():
    with t.Directory():
        for args in ACTIONS:
            for more in ((), ('-f',)):
                with Reader(*args, *more, stdin=subprocess.PIPE) as r:
                    r.put(text(2))
                    r.lines(2)
                    # The last line is not whole.
                    r.put(LINES[2] + LINES[3][:30])
                    r.lines(3)
                    r.put(LINES[3][30:])
                    r.child.stdin.close()
                    r.child.stdin = None
                    equal(r.end(), (shown(*args, n=4), '', 0), (*args, *more))


@test
def what_a_compressor_flushed_is_there():
    with t.Directory():
        for args in ACTIONS:
            packer = zlib.compressobj(wbits=31)
            fill('log', packer.compress(text(3).encode()) + packer.flush(zlib.Z_SYNC_FLUSH))
            if 'this build cannot undo' in err(ntime('trace', 'show', 'log')):
                raise t.Skip('built without zlib')
            with Reader(*args, '-f', 'log') as r:
                r.lines(3)
                fill('log', packer.compress(LINES[3].encode()) + packer.flush(zlib.Z_SYNC_FLUSH), 'ab')
                r.lines(4)
                # That the compressor has not ended is no damage here.
                equal(r.end(signal.SIGINT), (shown(*args, n=4), '', 0), args)


@test
def compressed_files_may_be_replaced():
    with t.Directory():
        first, second = zlib.compressobj(wbits=31), zlib.compressobj(wbits=31)
        fill('log', first.compress(text(3).encode()) + first.flush(zlib.Z_SYNC_FLUSH))
        if 'this build cannot undo' in err(ntime('trace', 'show', 'log')):
            raise t.Skip('built without zlib')
        with Reader('convert', '--to', 'vfio', '-f', 'log') as r:
            r.lines(3)
            fill('new', second.compress(LINES[3].encode()) + second.flush(zlib.Z_SYNC_FLUSH))
            os.rename('new', 'log')
            r.lines(4)
            out, said, status = r.end(signal.SIGINT)
        equal([out, status], [text(4), 0])
        has(said, 'cut or replaced while it was followed (1 time)')
        # What was not read of the old file is told by that, and by nothing else.
        equal('an unknown number' in said, False)


@test
def a_signal_ends_it_though_the_writer_goes_on():
    with t.Directory():
        # More than a pipe holds: once it says so, some of it has been read.
        feed = subprocess.Popen([sys.executable, '-c', FEED, text(8)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            with Reader('stat', '-f', '-o', 'out', stdin=feed.stdout) as r:
                feed.stdout.close()
                equal(feed.stderr.readline(), b'fed\n')
                _, said, status = r.end(signal.SIGINT)
                # Where lines go on the last one may be cut, but it is not torn.
                equal([status, 'break off' in said], [0, False])
                equal(os.listdir('.'), ['out'])
        finally:
            feed.kill()
            feed.communicate()


@test
def a_signal_before_anything_came_is_told():
    with t.Directory():
        fill('log', '')
        # Whenever it comes: before the first wait, in one, or in between.
        for _ in range(5):
            with Reader('show', '-f', 'log') as r:
                r.wait_for_handler(signal.SIGINT)
                out, said, status = r.end(signal.SIGINT)
            equal([out, status], ['', 125])
            has(said, 'log: stopped before any trace data arrived')


@test
def binary_traces_may_come_in_parts():
    with t.Directory():
        fill('log', text(8))
        equal(ntime('trace', 'convert', '--to', 'binary', '-o', 'packed', 'log').returncode, 0)
        with open('packed', 'rb') as f:
            packed = f.read()
        for more in ((), ('-f',), ('--from', 'binary')):
            with Reader('convert', '--to', 'vfio', *more, stdin=subprocess.PIPE) as r:
                for part in (packed[:9], packed[9:20], packed[20:-5]):
                    r.child.stdin.write(part)
                    r.child.stdin.flush()
                    time.sleep(0.05)
                # The block that ends the file is not whole, but the records are.
                r.lines(8)
                r.put('')
                r.child.stdin.write(packed[-5:])
                r.child.stdin.close()
                r.child.stdin = None
                equal(r.end(), (text(8), '', 0), more)


if __name__ == '__main__':
    sys.exit(t.main())
