# SPDX-License-Identifier: MIT
"""What tests of commands share, in a script whose first argument is the command: python3 test_NAME.py NTIME [-k WORD] [--only NAME,...]

TT_ONLY="NAME..." in the environment is another --only.
"""
import errno
import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios

import perf_here
from tap import TESTS, Skip, test

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
DISGUISE = f'{ROOT}/scripts/disguise'
NTIME = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else ''
# The same command where recorded machines count, and what the library says is bent by NTIME_BENT (count/tests/sim/bend.c).
SIM = os.path.join(os.path.dirname(os.path.dirname(NTIME)), 'tests/sim/ntime-sim')
PATIENCE = int(os.environ.get("PATIENCE", "120"))
# Takes a shell some time.
WORK = 'i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done'
# Process groups that a test has started; what a failed test leaves of them is killed.
GROUPS = []


def needs_perf(function):
    """Counts page faults of its own."""
    def checked():
        why = perf_here.why_not()
        if why:
            raise Skip(why)
        function()

    checked.__name__ = function.__name__
    return checked


def environment(bent='', **more):
    env = {k: v for k, v in os.environ.items() if k not in ('NO_COLOR', 'NTIME_BENT', 'NTIME_LAB_GUEST', 'COLUMNS')}
    env.update(LC_ALL='C.UTF-8', TERM='xterm', NTIME_BENT=bent)
    env.update(more)
    return env


def command(*args):
    """ntime with these words; where the command is a program that is one subcommand, that program as ntime starts it."""
    alone = os.path.basename(NTIME).partition('-')[2]
    if alone and args[:2] == ('help', alone):
        return [NTIME, 'help-action' if args[2:] else '--help', *args[2:]]
    return [NTIME, *args[args[:1] == (alone,):]]


def ntime(*args, bent='', env=None, exe=None, **more):
    if 'input' not in more:
        more.setdefault('stdin', subprocess.DEVNULL)
    more.setdefault('stdout', subprocess.PIPE)
    more.setdefault('stderr', subprocess.PIPE)
    return subprocess.run([exe or (SIM if bent else NTIME), *command(*args)[1:]], env=env or environment(bent), timeout=PATIENCE, check=False, **more)


def err(done):
    return done.stderr.decode()


def equal(got, want, what=''):
    if got != want:
        raise AssertionError(f'{what or "value"} is {got!r}, expected {want!r}')


def has(text, part):
    if part not in text:
        raise AssertionError(f'{part!r} is not in {text!r}')


def has_not(text, part):
    if part in text:
        raise AssertionError(f'{part!r} is in {text!r}')


def summary(*args, **more):
    """The JSON report of a run that succeeds."""
    done = ntime('--json', *args, **more)
    equal(done.returncode, 0, 'exit status')
    return json.loads(done.stderr)


def items(report):
    return {item['name']: item for item in report['items']}


class Directory:
    """A directory of its own, also as working directory."""

    def __enter__(self):
        self.old = os.getcwd()
        self.temporary = tempfile.TemporaryDirectory()
        os.chdir(self.temporary.name)
        return self.temporary.name

    def __exit__(self, *what):
        os.chdir(self.old)
        self.temporary.cleanup()


# ---- exit statuses ----

def read_all(fd):
    data = b''
    while True:
        ready, _, _ = select.select([fd], [], [], PATIENCE)
        if not ready:
            raise AssertionError(f'nothing more came after {data!r}')
        try:
            more = os.read(fd, 65536)
        except OSError as e:
            if e.errno == errno.EIO:  # the last one has closed the terminal
                return data.decode()
            raise
        if not more:
            return data.decode()
        data += more


def on_terminal(*args, columns=80, exe=NTIME, typed=None, **more):
    """Run on a terminal of its own; returns (status as in subprocess, what was shown)."""
    fd, slave = pty.openpty()
    # Before it starts: it may ask, and end, before we go on.
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack('HHHH', 24, columns, 0, 0))

    def lead():
        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    child = subprocess.Popen([exe, *command(*args)[1:]], env=environment(**more), stdin=slave, stdout=slave, stderr=slave, preexec_fn=lead)
    GROUPS.append(child.pid)
    os.close(slave)
    shown = ''
    if typed:
        while 'ready' not in shown:
            shown += os.read(fd, 4096).decode()
        os.write(fd, typed)
    shown += read_all(fd)
    child.wait(timeout=PATIENCE)
    os.close(fd)
    return child.returncode, shown.replace('\r\n', '\n')


def completed(line):
    """What bash would offer at the end of @line."""
    words = [word for word in re.split(r'\s+|(=)', line) if word is not None]
    words = [w for i, w in enumerate(words) if w or i == len(words) - 1]
    script = '''
        . "$1"; shift
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        compopt() { :; }
        _ntime "$NTIME" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
        printf '%s\\n' "${COMPREPLY[@]}"
    '''
    done = subprocess.run(['bash', '--norc', '-c', script, 'bash', os.path.join(ROOT, 'count/completions/ntime.bash'), *words],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(NTIME=NTIME), check=False)
    equal(done.stderr, b'', 'errors of the completion')
    return done.stdout.decode().split('\n')


def main():
    word = sys.argv[sys.argv.index('-k') + 1] if '-k' in sys.argv else ''
    chosen = [t for t in TESTS if word in t.__name__]
    only = sys.argv[sys.argv.index('--only') + 1].split(',') if '--only' in sys.argv else []
    only = os.environ.get('TT_ONLY', '').split() or only
    if only:
        unknown = set(only) - {t.__name__ for t in TESTS}
        if unknown:
            print(f'Bail out! no test is called {min(unknown)}')
            return 1
        chosen = [t for t in chosen if t.__name__ in only]
    failed = 0
    if not os.access(NTIME, os.X_OK):
        print(f'1..0 # SKIP {NTIME or "the command"} is not built')
        return 77
    print(f'1..{len(chosen)}', flush=True)
    for number, function in enumerate(chosen, 1):
        name = function.__name__
        try:
            function()
            GROUPS.clear()
            print(f'ok {number} {name}', flush=True)
        except Skip as why:
            print(f'ok {number} {name} # SKIP {why}', flush=True)
        except Exception as why:  # any failure of a test is a failure, not the end
            failed += 1
            for group in GROUPS:
                try:
                    os.killpg(group, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            GROUPS.clear()
            print(f'not ok {number} {name}', flush=True)
            for line in f'{type(why).__name__}: {why}'.splitlines():
                print(f'# {line}', flush=True)
    return 1 if failed else 0
