#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lab/cache.py: folders are whole or not there, made once, whoever asks at the same time and whoever is killed. Speaks TAP."""
import os
import signal
import subprocess
import sys
import textwrap
import time

from prepared import ROOT, equal, has, raises, said, test
from tap import main
from lab import cache

# A program in a process of its own that makes the folder k/n.
MAKER = textwrap.dedent('''
    import os, sys
    sys.path.insert(0, sys.argv[1])
    from lab import cache
    def fill(path):
        with open(os.path.join(path, 'half'), 'w') as f:
            f.write('half')
        with open(sys.argv[2], 'a') as f:
            f.write('made\\n')
        print('filling', flush=True)
        sys.stdin.readline()
        with open(os.path.join(path, 'whole'), 'w') as f:
            f.write('whole')
    print(sorted(os.listdir(cache.folder('k', 'n', fill, 'the thing'))), flush=True)
''')


def maker(log):
    return subprocess.Popen([sys.executable, '-c', MAKER, ROOT, log], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, encoding='utf-8')


def write(name, text=''):
    return lambda path: open(os.path.join(path, name), 'w', encoding='utf-8').write(text)    # pylint: disable=consider-using-with


def never(_):
    raise AssertionError('made again')


@test
def made_once(_):
    path = cache.folder('k', 'n', write('a', 'x'), 'it')
    equal(path, os.path.join(cache.root(), 'k', 'n'), 'the path')
    equal(os.listdir(path), ['a'], 'its files')
    equal(cache.folder('k', 'n', never, 'it'), path, 'the path the second time')


@test
def failure_leaves_nothing(_):
    def fill(path):
        write('a')(path)
        os.mkdir(os.path.join(path, 'b'))
        # Packages have folders that nobody may write to.
        os.chmod(os.path.join(path, 'b'), 0o555)
        raise cache.Unavailable('no network')
    equal(raises(cache.Unavailable, cache.folder, 'k', 'n', fill, 'it'), 'no network', 'the reason')
    equal(os.listdir(os.path.join(cache.root(), 'k')), [], 'what is left')
    equal(os.listdir(cache.folder('k', 'n', write('c'), 'it')), ['c'], 'what is made afterwards')


@test
def killed_run_is_no_folder(folder):
    with maker(os.path.join(folder, 'log')) as run:
        equal(run.stdout.readline(), 'filling\n', 'the maker')
        os.kill(run.pid, signal.SIGKILL)
    kind = os.path.join(cache.root(), 'k')
    equal([name.startswith('.new-n-') for name in os.listdir(kind)], [True], 'leftovers of the killed run')
    equal(os.listdir(cache.folder('k', 'n', write('c'), 'it')), ['c'], 'what the next run makes')
    equal(os.listdir(kind), ['n'], 'the folder of the kind')


@test
def second_run_waits(folder):
    log = os.path.join(folder, 'log')
    with maker(log) as first:
        equal(first.stdout.readline(), 'filling\n', 'the first run')
        with maker(log) as second:
            # It says so before it waits, so there is no guessing how long.
            equal(second.stderr.readline(), 'lab: waiting for another run that prepares the thing\n', 'the second run')
            equal(second.poll(), None, 'the second run goes on')
            first.stdin.write('\n')
            first.stdin.flush()
            equal(second.stdout.readline(), "['half', 'whole']\n", 'what the second run got')
        equal(first.stdout.readline(), "['half', 'whole']\n", 'what the first run got')
    with open(log, encoding='utf-8') as f:
        equal(f.read(), 'made\n', 'how often it was made')


@test
def other_names_do_not_wait(folder):
    with maker(os.path.join(folder, 'log')) as run:
        equal(run.stdout.readline(), 'filling\n', 'the other run')
        with said() as text:
            equal(os.listdir(cache.folder('k', 'other', write('a'), 'it')), ['a'], 'the other folder')
        equal(text.getvalue(), '', 'what was said')
        # Its half-made folder belongs to it.
        equal(len(os.listdir(os.path.join(cache.root(), 'k'))), 2, 'folders')
        run.communicate('\n')


@test
def waiter_makes_it_when_the_maker_dies(folder):
    log = os.path.join(folder, 'log')
    with maker(log) as first:
        first.stdout.readline()
        with maker(log) as second:
            second.stderr.readline()
            os.kill(first.pid, signal.SIGKILL)
            equal(second.stdout.readline(), 'filling\n', 'the second run')
            equal(second.communicate('\n')[0], "['half', 'whole']\n", 'what the second run made')


@test
def names_hold_every_part(_):
    equal(cache.digest('ab', 'c') == cache.digest('a', 'bc'), False, 'equal digests of other parts')
    equal(cache.digest('a', b'b'), cache.digest('a', 'b'), 'digest of bytes')


@test
def json_is_whole_or_absent(folder):
    path = os.path.join(folder, 'x', 'a.json')
    equal(cache.read_json(path), None, 'a file that is not there')
    cache.write_json(path, {'a': 1})
    equal(cache.read_json(path), {'a': 1}, 'what was written')
    raises(TypeError, cache.write_json, path, {'a': {1, 2}})
    equal(cache.read_json(path), {'a': 1}, 'what was there before the failure')
    equal(os.listdir(os.path.dirname(path)), ['a.json'], 'files')
    with open(path, 'w', encoding='utf-8') as f:
        f.write('{"a":')
    equal(cache.read_json(path), None, 'a torn file')


# A process that starts, under a lock, a program that starts another one.
STARTER = textwrap.dedent('''
    import sys
    sys.path.insert(0, sys.argv[1])
    from lab import cache
    with cache.lock(cache.lock_name('k'), 'it'):
        cache.run(['sh', '-c', 'sleep 1000 & echo $!; wait'])
''')


@test
def killed_run_leaves_its_lock_to_what_works_on(_):
    with subprocess.Popen([sys.executable, '-c', STARTER, ROOT], stdout=subprocess.PIPE, encoding='utf-8') as run:
        worker = int(run.stdout.readline())
        with open(f'/proc/{worker}/stat', encoding='ascii') as f:
            group = int(f.read().rpartition(')')[2].split()[2])
        run.kill()
        run.wait()
        try:
            has(raises(cache.Busy, cache.clear), 'another run makes k in ', 'clear() beside it')
            equal(os.path.exists(f'/proc/{worker}'), True, 'the program goes on')
        finally:
            os.killpg(group, signal.SIGKILL)
    with cache.lock(cache.lock_name('k'), 'it'):
        equal(len(cache.HELD), 1, 'locks')


@test
def interrupted_run_ends_what_it_started(_):
    with subprocess.Popen([sys.executable, '-c', STARTER, ROOT], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          encoding='utf-8') as run:
        worker = int(run.stdout.readline())
        run.send_signal(signal.SIGINT)
        # The worker has this end of the pipe as well: what it would say ends when it does, which is a little before it has ended.
        equal(run.stdout.read(), '', 'what is said afterwards')
    end = time.monotonic() + 120
    while _state(worker) not in ('', 'X', 'Z') and time.monotonic() < end:
        time.sleep(0.01)
    has(('', 'X', 'Z'), _state(worker), 'the state of the program')


# One that is interrupted before it has got to know what it has started.
EARLY = textwrap.dedent('''
    import os, signal, subprocess, sys
    sys.path.insert(0, sys.argv[1])
    from lab import cache
    class Popen(subprocess.Popen):
        def _execute_child(self, *args):
            super()._execute_child(*args)
            print(self.pid, flush=True)
            os.kill(os.getpid(), signal.SIGINT)
    subprocess.Popen = Popen
    cache.run(['sleep', '1000'])
''')


@test
def run_interrupted_early_ends_what_it_started(_):
    with subprocess.Popen([sys.executable, '-c', EARLY, ROOT], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          encoding='utf-8') as run:
        worker = int(run.stdout.readline())
        run.wait()
        state = _state(worker)
        if state not in ('', 'X', 'Z'):
            os.killpg(worker, signal.SIGKILL)
    has(('', 'X', 'Z'), state, 'the state of the program')


def _state(pid):
    """The letter of a process' state, none when it is gone."""
    try:
        with open(f'/proc/{pid}/stat', encoding='ascii') as f:
            return f.read().rpartition(')')[2].split()[0]
    except OSError:
        return ''


@test
def whole_cache_is_removed(_):
    path = cache.folder('k', 'n', write('a'), 'it')
    equal(cache.clear(), os.path.dirname(os.path.dirname(path)), 'what was removed')
    parent = os.path.dirname(os.path.dirname(os.path.dirname(path)))
    equal(os.listdir(parent), [], 'what is left')


@test
def removal_that_is_cut_off_is_no_folder(_):
    path = cache.folder('k', 'n', write('a'), 'it')

    def stopped(_):
        raise InterruptedError
    remove, cache.remove = cache.remove, stopped
    try:
        raises(InterruptedError, cache.drop, path)
    finally:
        cache.remove = remove
    equal(os.listdir(cache.folder('k', 'n', write('c'), 'it')), ['c'], 'what is made afterwards')
    equal(os.listdir(os.path.dirname(path)), ['n'], 'the folder of the kind')
    cache.drop(path)
    equal(os.listdir(os.path.dirname(path)), [], 'what is left')


@test
def place_that_cannot_be(folder):
    open(os.path.join(folder, 'file'), 'w', encoding='utf-8').close()
    os.environ['XDG_CACHE_HOME'] = os.path.join(folder, 'file')
    has(raises(cache.Unavailable, cache.root), 'set XDG_CACHE_HOME', 'the sentence')


@test
def steps_show_that_they_go_on(_folder):
    for is_terminal, shown in ((False, 'lab: work: 0 s, 3 MB so far\n'), (True, '\rlab: work: 0 s, 3 MB so far\033[K')):
        with said() as text:
            text.isatty = lambda is_terminal=is_terminal: is_terminal
            before, cache.SHOWN_SECONDS = cache.SHOWN_SECONDS, {False: 0.02, True: 0.02}
            with cache.step('work', lambda: '3 MB so far'):
                time.sleep(0.2)
            cache.SHOWN_SECONDS = before
        has(text.getvalue(), shown, 'what is shown')
        has(text.getvalue(), '\r\033[Klab: work: 0.2 s\n' if is_terminal else '\nlab: work: 0.2 s\n', 'the end')


@test
def steps_that_are_short_show_nothing(_folder):
    with said() as text:
        with cache.step('work', lambda: '3 MB so far'):
            pass
    equal(text.getvalue(), 'lab: work\nlab: work: 0.0 s\n', 'what is shown')


if __name__ == '__main__':
    sys.exit(main())
