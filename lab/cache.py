# SPDX-License-Identifier: MIT
"""Folders that are made once and then only read: ${XDG_CACHE_HOME:-~/.cache}/ntime/lab/KIND/NAME.

NAME holds every version that the content depends on, so a folder never changes and is never wrong. It is made under another
name and renamed when it is whole, under a lock of its own: of several runs that want it one makes it, the others wait, and
what a killed run left behind is taken for nothing and cleared away.
"""
import contextlib
import fcntl
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

NEW = '.new-'
# Between two signs of life of a step, by whether a terminal shows them.
SHOWN_SECONDS = {False: 30, True: 1}
# File descriptors of the locks that this process has.
HELD = []


class Unavailable(Exception):
    """Something is missing and cannot be had on this machine; the text is one sentence that says what and why."""


class Broken(Exception):
    """What is here does not build: a failure of this tree, not of the machine. The text names the step and shows its output."""


class Busy(Exception):
    """Somebody else works with it."""


def say(text):
    """A line on what is being done, for people."""
    print(f'lab: {text}', file=sys.stderr, flush=True)


def _show(text, grown, begin, ended):
    """Until ended: how long it has taken, in one line on a terminal, elsewhere in a line now and then."""
    is_terminal, is_shown = sys.stderr.isatty(), False
    while not ended.wait(SHOWN_SECONDS[is_terminal]):
        line = f'lab: {text}: {time.monotonic() - begin:.0f} s{", " + grown() if grown else ""}'
        sys.stderr.write(f'\r{line}\033[K' if is_terminal else line + '\n')
        sys.stderr.flush()
        is_shown = is_terminal
    if is_shown:
        sys.stderr.write('\r\033[K')


@contextlib.contextmanager
def step(text, grown=None):
    """Say what begins, meanwhile that it goes on, and afterwards how long it took. grown() tells how far it is."""
    say(text)
    begin, ended = time.monotonic(), threading.Event()
    shower = threading.Thread(target=_show, args=(text, grown, begin, ended), daemon=True)
    shower.start()
    try:
        yield
    finally:
        ended.set()
        shower.join()
    say(f'{text}: {time.monotonic() - begin:.1f} s')


def size_of(path):
    """Bytes of the files below a folder, as far as they are there now."""
    total = 0
    for at, _, names in os.walk(path):
        for name in names:
            with contextlib.suppress(OSError):
                total += os.lstat(os.path.join(at, name)).st_size
    return total


def root():
    """The folder of the lab's cache; it exists afterwards."""
    base = os.environ.get('XDG_CACHE_HOME') or os.path.join(os.path.expanduser('~'), '.cache')
    path = os.path.join(os.path.abspath(base), 'ntime', 'lab')
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as error:
        raise Unavailable(f'the cache folder {path} cannot be made ({error.strerror}); set XDG_CACHE_HOME') from error
    return path


def digest(*parts):
    """A short name for everything in parts (texts or bytes)."""
    state = hashlib.sha256()
    for part in parts:
        data = part if isinstance(part, bytes) else str(part).encode()
        # With its length, so that no two lists look the same.
        state.update(b'%d:' % len(data) + data)
    return state.hexdigest()[:12]


@contextlib.contextmanager
def lock(path, what):
    """Hold the lock file; who has to wait says so once. The kernel drops the lock of a process that dies."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f'waiting for another run that prepares {what}')
            fcntl.flock(fd, fcntl.LOCK_EX)
        HELD.append(fd)
        try:
            yield
        finally:
            HELD.remove(fd)
    finally:
        os.close(fd)


def run(command, **more):
    """subprocess.run() without input and without check, for what works under locks and starts programs of its own.

    They end with it when this process is interrupted. When it is killed they go on, and hold its locks until they end, so that
    nobody works in the same place.
    """
    # A signal has to wait while the program is being started: in between nobody would know whom to end.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM, signal.SIGHUP))

    def let_signals_through():
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    try:
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, pass_fds=HELD, start_new_session=True, preexec_fn=let_signals_through,
                              **more) as process:
            try:
                let_signals_through()
                out, errors = process.communicate()
            except BaseException:
                if process.returncode is None:
                    os.killpg(process.pid, signal.SIGKILL)
                raise
    finally:
        let_signals_through()
    return subprocess.CompletedProcess(command, process.returncode, out, errors)


def lock_name(*words):
    """Path of the lock file for a thing of the cache."""
    return os.path.join(root(), 'locks', re.sub(r'[^\w.+-]', '_', '-'.join(words)))


def clear():
    """Remove the whole cache and return its path. Raises Busy when somebody makes something in it."""
    path = root()
    locks = os.path.join(path, 'locks')
    with contextlib.ExitStack() as stack:
        for name in sorted(os.listdir(locks)) if os.path.isdir(locks) else []:
            file = stack.enter_context(open(os.path.join(locks, name), 'rb'))
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise Busy(f'another run makes {name} in {path}: nothing was removed; try again when it has ended') from None
        _clear_leftovers(*os.path.split(path))
        drop(path)
    return path


def _clear_leftovers(parent, name):
    """What runs left that were killed; only under the lock of this name."""
    for entry in os.listdir(parent):
        if entry.startswith(f'{NEW}{name}-'):
            remove(os.path.join(parent, entry))


def remove(path):
    """A tree, also one with folders that are not writable, as packages have them."""
    def forced(function, name, _):
        os.chmod(os.path.dirname(name), 0o755)
        if os.path.isdir(name) and not os.path.islink(name):
            os.chmod(name, 0o755)
        function(name)
    shutil.rmtree(path, onerror=forced)


def drop(path):
    """Remove a folder of the cache. It loses its name first: a removal that is cut off leaves nothing that looks whole."""
    parent, name = os.path.split(path)
    if not name.startswith(NEW):
        new = tempfile.mkdtemp(prefix=f'{NEW}{name}-', dir=parent)
        os.rename(path, new)
        path = new
    remove(path)


def folder(kind, name, fill, what):
    """Path of the folder KIND/NAME; if there is none, fill(path) fills a new one. What fill raises leaves nothing behind.

    what names it for people.
    """
    parent = os.path.join(root(), kind)
    path = os.path.join(parent, name)
    if os.path.isdir(path):
        return path
    with lock(lock_name(kind, name), what):
        if os.path.isdir(path):
            return path
        os.makedirs(parent, exist_ok=True)
        _clear_leftovers(parent, name)
        new = tempfile.mkdtemp(prefix=f'{NEW}{name}-', dir=parent)
        try:
            os.chmod(new, 0o755)
            fill(new)
            os.rename(new, path)
        except BaseException:
            remove(new)
            raise
    return path


def write_json(path, value):
    """Whole or not at all."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    fd, new = tempfile.mkstemp(prefix=NEW, dir=os.path.dirname(path))
    try:
        with os.fdopen(fd, 'w', encoding='utf-8') as f:
            json.dump(value, f, indent=1, sort_keys=True)
            f.write('\n')
        os.rename(new, path)
    except BaseException:
        os.unlink(new)
        raise


def read_json(path):
    """The value, or None if there is no such file or it is not JSON (from a full disk, say): then it is made anew."""
    try:
        with open(path, encoding='utf-8') as f:
            return json.load(f)
    except (FileNotFoundError, ValueError):
        return None
