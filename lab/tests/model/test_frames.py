#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ntime stat --frames and ntime watch --frames: frames of a command, into a ring and out of it. Speaks TAP.

Usage: test_frames.py NTIME [-k WORD]
"""
import json
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../../base/tests'))
import command as t    # noqa: E402
from command import PATIENCE, environment, equal, err, has, ntime    # noqa: E402
from card import Card, model, out

test = t.test
# Ends N frames, each after as many page faults of its own as its number says, and 5.
FAULTS = '''
import mmap, os, sys
fd = int(os.environ['NTIME_FRAME_FD'])
memory = mmap.mmap(-1, 64 << 20)
at = 0
os.write(fd, b'x'); os.read(fd, 1)
for n in range(1, int(sys.argv[1])):
    for _ in range(n % 50 + 5):
        memory[at << 12] = 1
        at += 1
    os.write(fd, b'x'); os.read(fd, 1)
'''
# Two events of one multiplexer, which has one value at a time, and a sum of three functions: three passes.
BUSY = 'gpu0/input_assembler_busy/'
OTHER = 'gpu0/domain=1,src=0xececec4e,op=0xaaaa,mux=1,sel=0/'
SHADED = 'gpu0/shaded_pixel_count.0/'


class Folder(tempfile.TemporaryDirectory):
    def __enter__(self):
        self.ring = os.path.join(super().__enter__(), 'ring')
        return self


def count(ring, events, command, options=(), status=0):
    done = ntime(*options, 'stat', '--frames', ring, '-e', ','.join(events), '--', *command)
    equal(done.returncode, status, err(done))
    return err(done)


def samples(ring, *options):
    """The frames of a ring, each a dictionary by name of its items, and the sentences."""
    done = ntime('watch', '--frames', ring, '--json', *options)
    lines = [json.loads(line) for line in out(done).splitlines()]
    equal(lines[0]['kind'] if lines else 'watch', 'watch')
    frames = {}
    for line in lines[1:]:
        equal([row['where'] for row in line['rows']], [f'frame {line["sample"]}'])
        frames[line['sample']] = {item['name']: item for item in line['rows'][0]['items']}
    return done, frames


def start_writer(ring, events, script, before=()):
    """ntime stat --frames of a shell script, which waits for lines of its standard input."""
    return subprocess.Popen([t.NTIME, *before, 'stat', '-q', '--frames', ring, '-e', events, '--', 'sh', '-c', script], stdin=subprocess.PIPE,
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment())


def start_player(card, ring, later):
    """Plays 5 frames, waits for a line, and plays so many more."""
    play = f'{t.NTIME} model play {card.path}'
    return start_writer(ring, 'gpu0/gpu_idle/', f'{play} 5; read _; {play} {later}', ['--model', card.path])


def start_reader(ring, *options):
    return subprocess.Popen([t.NTIME, 'watch', '--frames', ring, *options], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            env=environment())


def values(frames, name):
    return [frames[n][name].get('count') for n in sorted(frames)]


@test
def each_frame_of_a_command():
    with Folder() as f:
        said = count(f.ring, ['minor-faults', 'task-clock', 'tsc'], [sys.executable, '-c', FAULTS, '200'])
        has(' '.join(said.split()), f'Counted 200 frames; ntime watch --frames {f.ring} shows them.')
        done, frames = samples(f.ring)
        equal((done.returncode, err(done)), (0, ''))
        equal(sorted(frames), list(range(200)))
        # An interpreter may touch a page or two of its own now and then.
        exact = [n for n in range(1, 200) if frames[n]['minor-faults']['count'] == n % 50 + 5]
        equal(len(exact) > 180, True, exact)
        equal(all(frames[n]['task-clock']['value'] > 0 and frames[n]['minor-faults']['flags'] == [] for n in frames), True)


@test
def a_shell_can_end_frames():
    with Folder() as f:
        script = 'i=0; while [ $i -lt 3 ]; do /bin/true; echo >&$NTIME_FRAME_FD; read _ <&$NTIME_FRAME_FD; i=$((i+1)); done'
        count(f.ring, ['page-faults'], ['sh', '-c', script])
        _, frames = samples(f.ring)
        equal(sorted(frames), [0, 1, 2])
        equal(all(n > 0 for n in values(frames, 'page-faults')), True)


def truths(card, name, frames):
    """What happened in each frame, by the model's own words: of K frames less that of K - 1."""
    totals = [0]
    for n in range(1, frames + 1):
        model('play', card.path, str(n))
        totals.append(int(model('truth', card.path, name)))
    return [after - before for before, after in zip(totals, totals[1:])]


@test
def one_period_a_frame_on_a_card():
    """Each number is of its frame, and two runs are the same."""
    with Card() as card, Folder() as f:
        names = ['gpu_idle', 'geom_busy', 'rasterizer_tiles_in_count']
        seen = []
        for _ in range(2):
            said = count(f.ring, [f'gpu0/{name}/' for name in names], [t.NTIME, 'model', 'play', card.path, '30'], ['--model', card.path])
            has(said, 'Counted 30 frames; ')
            _, frames = samples(f.ring)
            equal(sorted(frames), list(range(30)))
            equal({flag for frame in frames.values() for item in frame.values() for flag in item['flags']}, {'simulated'})
            seen.append([values(frames, f'gpu0/{name}/') for name in names])
        equal(seen[0], seen[1])
        for name, found in zip(names, seen[0]):
            equal(found, truths(card, name, 30), name)
            equal(len(set(found)) > 5, True, f'frames differ: {found}')


@test
def passes_take_turns_frame_by_frame():
    with Card() as card, Folder() as f:
        metric = f"IDLE='{BUSY}' / 'gpu0/gpu_idle/'"
        done = ntime('--model', card.path, 'stat', '--frames', f.ring, '-e', f'{BUSY},{OTHER},{SHADED},gpu0/gpu_idle/,page-faults', '-m', metric, '--', t.NTIME, 'model',
                     'play', card.path, '31')
        has(err(done), '3 passes took turns, one a frame: <not counted> has numbers there, and no total.\n')
        has(err(done), f'<not counted>  {BUSY}\n')
        _, frames = samples(f.ring)
        truth = truths(card, 'input_assembler_busy', 31)
        idle = truths(card, 'gpu_idle', 31)
        parts = [truths(card, f'!prop_shaded_{unit}.0 & prop_shaded_{unit}.1 & !prop_shaded_{unit}.2', 31) for unit in 'abc']
        for n, frame in frames.items():
            of = n - n % 3
            word = [] if of == n else [f'frame={of}']
            equal((frame[BUSY]['count'], frame[BUSY]['flags']), (truth[of], ['simulated', *word]), n)
            equal(frame['IDLE']['value'], truth[of] / idle[of], n)
            equal(frame['page-faults']['flags'], [], n)
            if n < 2:
                equal('not-counted' in frame[SHADED]['flags'] and 'count' not in frame[SHADED], True, n)
                continue
            # One frame of each of its passes, whatever their order.
            last = n - (n - 2) % 3
            has(' '.join(frame[SHADED]['flags']), f'frames={last - 2}-{last}')
            sums = {parts[a][last - 2] + parts[b][last - 1] + parts[c][last] for a, b, c in ((0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0))}
            equal(frame[SHADED]['count'] in sums, True, f'frame {n}: {frame[SHADED]}, {sums}')


@test
def the_ring_has_the_last_frames():
    with Card() as card, Folder() as f:
        said = count(f.ring, ['gpu0/gpu_idle/'], [t.NTIME, 'model', 'play', card.path, '1500'], ['--model', card.path])
        has(' '.join(said.split()), f'Counted 1500 frames; ntime watch --frames {f.ring} shows the last 1024.')
        _, frames = samples(f.ring)
        equal(sorted(frames), list(range(1500 - 1024, 1500)))


@test
def a_reader_that_is_too_slow_learns_what_it_lost():
    with Card() as card, Folder() as f:
        writer = start_player(card, f.ring, 3000)
        while not os.path.exists(f.ring) or len(samples(f.ring, '-n', '5')[1]) < 5:
            time.sleep(0.01)
        reader = start_reader(f.ring, '--json')
        before = [json.loads(reader.stdout.readline()) for _ in range(6)]
        reader.send_signal(signal.SIGSTOP)
        writer.communicate(b'\n', timeout=PATIENCE)
        reader.send_signal(signal.SIGCONT)
        text, said = reader.communicate(timeout=PATIENCE)
        after = [json.loads(line) for line in text.splitlines()]
        equal([line['sample'] for line in before[1:]], list(range(5)))
        equal([line['sample'] for line in after], list(range(3005 - 1024, 3005)))
        equal([line['missed'] for line in after], [3005 - 1024 - 5] + [0] * 1023)
        equal(said.decode(), 'ntime: 1976 frames were overwritten before they could be read: a shorter -i looks more often\n')
        equal(reader.returncode, 0)


@test
def a_reader_follows_and_ends_with_the_ring():
    with Card() as card, Folder() as f:
        writer = start_player(card, f.ring, 40)
        while not os.path.exists(f.ring):
            time.sleep(0.01)
        reader = start_reader(f.ring, '--csv', '-i', '10ms')
        lines = [reader.stdout.readline() for _ in range(6)]
        writer.communicate(b'\n', timeout=PATIENCE)
        rest, said = reader.communicate(timeout=PATIENCE)
        equal((reader.returncode, said), (0, b''))
        numbers = [int(line.split(b',')[1]) for line in [*lines[1:], *rest.splitlines()]]
        equal(numbers, list(range(45)))


@test
def a_writer_that_dies_is_told():
    with Folder() as f:
        # A process group of its own: the command goes with it.
        writer = subprocess.Popen([t.NTIME, 'stat', '--frames', f.ring, '-e', 'page-faults', '--', 'sh', '-c',
                                   'echo >&$NTIME_FRAME_FD; read _ <&$NTIME_FRAME_FD; exec sleep 1000'], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL, env=environment(), start_new_session=True)
        t.GROUPS.append(writer.pid)
        while not os.path.exists(f.ring) or not samples(f.ring, '-n', '1')[1]:
            time.sleep(0.01)
        os.killpg(writer.pid, signal.SIGKILL)
        writer.wait()
        done, frames = samples(f.ring)
        equal((done.returncode, sorted(frames)), (125, [0]))
        equal(re.fullmatch(rf'ntime: process {writer.pid}, which stored the frames, died: nothing came since '
                           r'20\d\d-\d\d-\d\d [+-]\d{4} \d\d:\d\d:\d\d\.\d{3}\n', err(done)) is not None, True, err(done))


def patched(ring, at, word):
    with open(ring, 'r+b') as f:
        f.seek(at)
        f.write(struct.pack('=I', word))


@test
def a_ring_that_is_cut_under_its_writer_takes_nothing_with_it():
    with Folder() as f:
        script = 'end() { echo >&$NTIME_FRAME_FD; read _ <&$NTIME_FRAME_FD; }; end; end; : >"$0"; end; end; echo went on; exit 9'
        done = ntime('stat', '--frames', f.ring, '-e', 'page-faults', '--', 'sh', '-c', script, f.ring)
        equal((done.returncode, out(done)), (125, 'went on\n'), err(done))
        equal(err(done), f'ntime: {f.ring} was cut short by somebody: frame 2 and those behind it are not there\n')


@test
def a_ring_that_is_cut_under_its_reader_ends_with_a_sentence():
    with Folder() as f:
        count(f.ring, ['page-faults', 'minor-faults', 'task-clock', 'tsc'], [sys.executable, '-c', FAULTS, '500'])
        with open(f.ring, 'r+b') as file:
            whole = file.read()
            # Each of them is caught by the cut somewhere else, or not at all.
            for _ in range(100):
                reader = subprocess.Popen([t.NTIME, 'watch', '--frames', f.ring, '--csv'], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
                while reader.poll() is None:
                    os.ftruncate(file.fileno(), 0)
                    os.pwrite(file.fileno(), whole, 0)
                said = reader.stderr.read()
                equal((reader.returncode in (0, 125), reader.returncode == 0 or said.startswith(b'ntime: ')), (True, True), (reader.returncode, said))
                reader.stderr.close()


@test
def floods_and_what_outlives_the_command_do_not_hold_ntime():
    with Folder() as f:
        begin = time.monotonic()
        done = ntime('stat', '--timeout', '300ms', '--frames', f.ring, '-e', 'page-faults', '--', 'sh', '-c',
                     'yes >&$NTIME_FRAME_FD & yes >&$NTIME_FRAME_FD & wait')
        equal(done.returncode, 125)
        done = ntime('stat', '--frames', f.ring, '-e', 'page-faults', '--', 'sh', '-c', 'for i in 1 2 3; do timeout 100 yes >&$NTIME_FRAME_FD & done; exit 3')
        # Whether one of them came before the command's end, which decides on the status, is chance.
        equal(done.returncode in (3, 125), True)
        # Whoever writes is ended by SIGPIPE; 100 seconds are not waited for.
        equal(time.monotonic() - begin < 90, True)


@test
def a_card_that_goes_away_keeps_its_frames():
    with Card() as card, Folder() as f:
        script = (f'end() {{ echo >&$NTIME_FRAME_FD; read _ <&$NTIME_FRAME_FD; }}; play() {{ NTIME_FRAME_FD= {t.NTIME} model play {card.path} 1; end; }}; '
                  f'play; play; kill -9 {card.child.pid}; end; end')
        done = ntime('--model', card.path, 'stat', '--frames', f.ring, '-e', 'gpu0/gpu_idle/,page-faults', '--', 'sh', '-c', script)
        has(err(done), 'Counted 4 frames; ')
        done, frames = samples(f.ring)
        equal((done.returncode, sorted(frames)), (0, [0, 1, 2, 3]), err(done))
        equal([frames[n]['gpu0/gpu_idle/'].get('count') is not None for n in range(4)], [True, True, False, False])
        has(' '.join(frames[3]['gpu0/gpu_idle/']['flags']), 'gone')
        equal(all(n is not None for n in values(frames, 'page-faults')), True)


@test
def slots_that_are_damaged_end_with_a_sentence():
    with Folder() as f:
        count(f.ring, ['page-faults'], [sys.executable, '-c', FAULTS, '3'])
        with open(f.ring, 'rb') as file:
            whole = file.read()
        slots, size = struct.unpack_from('=QQ', whole, 64)
        for number, version in ((2, 1000), (0, 1000), (2, 0)):
            with open(f.ring, 'wb') as file:
                at = slots + number * size
                file.write(whole[:at] + struct.pack('=Q', version) + whole[at + 8:])
            done = ntime('watch', '--frames', f.ring)
            equal(done.returncode, 125, number)
            has(err(done), f'ntime: {f.ring} ')
        # What names have of escape sequences is not shown.
        with open(f.ring, 'wb') as file:
            file.write(whole.replace(b'page-faults', b'p\x1b[31mults'))
        for form in ('--csv', '--json', '--plain'):
            equal(b'\x1b' in ntime('watch', '--frames', f.ring, form).stdout, False)


@test
def files_that_are_no_ring():
    with Folder() as f:
        count(f.ring, ['page-faults'], [sys.executable, '-c', FAULTS, '3'])
        with open(f.ring, 'rb') as file:
            whole = file.read()
        for content, sentence in ((b'', 'it is no ring of frames'), (b'x' * 4096, 'it is no ring of frames'), (whole[:12], 'the ring of frames was cut short: it has 12 bytes of 128'),
                                  (whole[:4096], f'the ring of frames was cut short: it has 4096 bytes of {len(whole)}'),
                                  (whole[:8] + struct.pack('=I', 2) + whole[12:], 'the ring of frames has version 2, and this ntime reads 1: use the ntime that wrote it'),
                                  (whole[:28] + struct.pack('=I', 1000) + whole[32:], 'the ring of frames is damaged: its parts do not lie in it'),
                                  (whole[:56] + struct.pack('=Q', 5 << 30) + whole[64:], 'the ring of frames is damaged: it says that it has 1 items and 5368709120 bytes of '
                                   'strings, and at most 1024, with 65536 bytes each, are read')):
            with open(f.ring, 'wb') as file:
                file.write(content)
            done = ntime('watch', '--frames', f.ring)
            equal((done.returncode, out(done), err(done)), (125, '', f'ntime: {f.ring}: {sentence}\n'))
        os.remove(f.ring)
        os.mkfifo(f.ring)
        equal(err(ntime('watch', '--frames', f.ring)), f'ntime: {f.ring}: it is no ring of frames\n')
        equal(err(ntime('watch', '--frames', f.name)), f'ntime: {f.name}: it is no ring of frames\n')
        equal(err(ntime('watch', '--frames', f.ring + '2')), f'ntime: cannot read {f.ring}2: No such file or directory\n')


@test
def a_reader_without_permission():
    if os.getuid():
        raise t.Skip('only root can become somebody else')
    with Folder() as f:
        count(f.ring, ['page-faults'], [sys.executable, '-c', FAULTS, '3'])
        os.chmod(f.name, 0o755)
        os.chmod(f.ring, 0o600)
        done = subprocess.run(['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', t.NTIME, 'watch', '--frames', f.ring], capture_output=True,
                              env=environment(), timeout=PATIENCE, check=False)
        if b'cannot execute' in done.stderr or b'failed to execute' in done.stderr:
            raise t.Skip('another user cannot reach this build')
        equal((done.returncode, done.stderr.decode()), (125, f'ntime: cannot read {f.ring}: Permission denied\n'))


@test
def commands_that_end_no_frame_or_do_not_wait():
    with Folder() as f:
        has(count(f.ring, ['page-faults'], ['true']), 'ntime: the command ended no frame: it must write a byte to descriptor $NTIME_FRAME_FD at the end of each, and read one; '
            'ntime(1), FRAMES\n')
        done = ntime('watch', '--frames', f.ring)
        equal((done.returncode, err(done)), (125, f'ntime: {f.ring} has no frame, and none will come\n'))
        said = count(f.ring, ['page-faults'], ['sh', '-c', 'echo >&$NTIME_FRAME_FD; read _ <&$NTIME_FRAME_FD; printf xy >&$NTIME_FRAME_FD; echo on >&2'], status=125)
        has(said, 'on\n')
        has(said, 'ntime: frame 1 and those behind it are not counted: the command ended 2 at once, where it must read a byte after each that it writes; ntime(1), FRAMES\n')
        equal(sorted(samples(f.ring)[1]), [0])


@test
def what_cannot_be_written():
    with Folder() as f:
        for path, sentence in (('/dev/null', '/dev/null is no regular file: a ring of frames needs one'),
                               (f.ring + '/x', f'cannot write to {f.ring}/x: No such file or directory'),
                               (f.name, f'cannot write to {f.name}: Is a directory')):
            equal(count(path, ['page-faults'], ['true'], status=125), f'ntime: {sentence}\n')
        count(f.ring, ['page-faults'], [sys.executable, '-c', FAULTS, '3'])
        with open(f.ring, 'rb') as file:
            before = file.read()
        # A command that is not there leaves the ring that was.
        count(f.ring, ['page-faults'], ['no-such-command'], status=127)
        with open(f.ring, 'rb') as file:
            equal(file.read() == before, True)
        equal(os.listdir(f.name), ['ring'])


@test
def a_new_ring_leaves_readers_of_the_old_one():
    with Folder() as f:
        count(f.ring, ['page-faults'], [sys.executable, '-c', FAULTS, '4'])
        with open(f.ring, 'rb') as old:
            count(f.ring, ['page-faults'], [sys.executable, '-c', FAULTS, '2'])
            done = ntime('watch', '--frames', f'/dev/fd/{old.fileno()}', '--csv', pass_fds=(old.fileno(),))
            equal(len(out(done).splitlines()), 5)
        equal(len(samples(f.ring)[1]), 2)


@test
def options_that_do_not_go_together():
    for options in (['-r', '2'], ['--passes'], ['-I', '1'], ['--delay', '1'], ['--dry-run']):
        done = ntime('stat', '--frames', 'ring', *options, '--', 'true')
        equal(done.returncode, 125)
        has(err(done), 'ntime: --frames cannot be combined with -r, --passes, -I, --delay, --per or --dry-run\n')
    has(err(ntime('stat', '--frames', 'ring', '-o', 'ring', '--', 'true')), 'ntime: --frames and -o name the same file: the report would replace the ring\n')
    for options in (['-p', '1'], ['-a']):
        has(err(ntime('stat', '--frames', 'ring', *options)), 'ntime: --frames needs a command, which says where its frames end, and no -p or -t\n')
    for options in (['page-faults'], ['-e', 'cycles'], ['-C', '0'], ['--per', 'none'], ['--model', 'x']):
        done = ntime('watch', '--frames', 'ring', *options)
        equal(done.returncode, 125)
        has(err(done), 'ntime: --frames shows what its ring has: leave out what is to be counted, and how\n')
    equal(os.path.exists('ring'), False)


@test
def the_screen_shows_the_newest_frames():
    with Folder() as f:
        writer = start_writer(f.ring, 'page-faults', 'for i in 1 2 3; do echo >&$NTIME_FRAME_FD; read _ <&$NTIME_FRAME_FD; done; read _')
        while not os.path.exists(f.ring) or len(samples(f.ring, '-n', '3')[1]) < 3:
            time.sleep(0.01)
        pid, fd = pty.fork()
        if not pid:
            os.execve(t.NTIME, [t.NTIME, 'watch', '--frames', f.ring], environment() | {'TERM': 'xterm', 'COLUMNS': '80', 'LINES': '24'})
        seen = b''
        while b'page-faults' not in seen or b'quit' not in seen:
            seen += os.read(fd, 4096)
        os.write(fd, b'q')
        try:
            while os.read(fd, 4096):
                pass
        except OSError:
            pass
        equal(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 0)
        os.close(fd)
        writer.communicate(b'\n', timeout=PATIENCE)
        has(seen.decode(errors='replace'), 'frame 2')
        # The time since the first frame.
        equal(re.search(r'\b\d{5,} s', seen.decode(errors='replace')), None)


if __name__ == '__main__':
    sys.exit(t.main())
