#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What shells offer behind "ntime": bash, zsh and fish, each as it runs here. Speaks TAP.

Usage: test_completion.py NTIME [-k WORD]
"""
import fcntl
import json
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import termios

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../base/tests'))
import command as t    # noqa: E402
from command import equal, has_not    # noqa: E402
test = t.test
COMPLETIONS = f'{t.ROOT}/count/completions'
# In PATH, beside what the machine has.
COMMANDS = ('xyprog', 'xzprog', 'listener', 'watchdog-xy')

BASH = '''
    . "$1"; shift
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_TYPE=63
    compopt() { :; }
    _ntime ntime "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
    printf '%s\\n' "${COMPREPLY[@]}"
'''
# TAB lists, and then tells that all is out: what is typed meanwhile would end the listing.
ZSH = '''unsetopt prompt_sp; PS1= PS2= LISTMAX=100000; unset zle_bracketed_paste
fpath=({folder} $fpath); autoload -Uz compinit; compinit -u -D; setopt no_always_last_prompt no_beep
list() {{ zle list-choices; zle -R; print DON''E }}; zle -N list; bindkey '^I' list
print READ''Y
'''


class Place(t.Directory):
    """A directory with the commands, as PATH has it: the environment of a shell."""

    def __enter__(self):
        super().__enter__()
        here = os.getcwd()
        for name in COMMANDS:
            with open(name, 'w', encoding='ascii') as f:
                f.write('#!/bin/sh\n')
            os.chmod(name, 0o755)
        os.symlink(t.NTIME, 'ntime')
        return t.environment(PATH=f'{here}:{os.environ["PATH"]}', HOME=here, COLUMNS='150', TERM='xterm', XDG_CONFIG_HOME=here,
                             XDG_DATA_HOME=here)


def in_bash(word, env):
    done = subprocess.run(['bash', '--norc', '-c', BASH, 'bash', f'{COMPLETIONS}/ntime.bash', 'ntime', *word.split(' ')],
                          env=env, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding='utf-8', timeout=t.PATIENCE)
    equal(done.stderr, '', 'errors of the completion')
    rows = [re.fullmatch(r'(\S+)(?:\s+\((.*?)\)?)?', line) for line in done.stdout.split('\n') if line]
    return [(row.group(1), row.group(2) or '') for row in rows]


def in_fish(word, env):
    done = subprocess.run(['fish', '--no-config', '-c', f'source {COMPLETIONS}/ntime.fish; complete -C "ntime {word}"'], env=env,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding='utf-8', timeout=t.PATIENCE, check=False)
    equal(done.stderr, '', 'errors of the completion')
    return [tuple((line + '\t').split('\t')[:2]) for line in done.stdout.split('\n') if line]


def read_until(fd, end):
    text = b''
    while end not in text:
        text += os.read(fd, 65536)
    return text.decode('utf-8', 'replace')


def in_zsh(word, env):
    pid, fd = pty.fork()
    if pid == 0:
        os.execvpe('zsh', ['zsh', '-f', '-i'], env)
    try:
        fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack('HHHH', 1000, 150, 0, 0))
        os.write(fd, ZSH.format(folder=COMPLETIONS).encode())
        read_until(fd, b'READY')
        os.write(fd, f'ntime {word}\t'.encode())
        text = read_until(fd, b'DONE')
    finally:
        os.close(fd)
        os.waitpid(pid, 0)
    text = re.sub(r'\x1b\[[0-9;?]*[a-zA-Z]|\x1b[=>]|\x07', '', text).replace('\r', '')
    # The line that was typed, what is listed, and the line again as far as it is drawn anew.
    lines, rows = re.split(rf'ntime {word} *\n', text.partition('DONE')[0], maxsplit=1)[1:], []
    for line in ''.join(lines).split('\n')[:-1]:
        if ' -- ' in line:
            rows.append(tuple(part.strip() for part in line.split(' -- ', 1)))
        else:
            rows += [(name, '') for name in line.split()]
    return rows


SHELLS = {'bash': in_bash, 'zsh': in_zsh, 'fish': in_fish}


def offered(word):
    """Yields (shell, [(word, what it is)])."""
    with Place() as env:
        for shell, ask in SHELLS.items():
            if shutil.which(shell):
                yield shell, ask(word, env)


def check(word, first, described, absent):
    """@first: what stands first; @described: what has a description, wherever; @absent: what is not offered."""
    for shell, rows in offered(word):
        names = [row[0] for row in rows]
        equal(names[:len(first)], list(first), f'{shell}, "ntime {word}"')
        for name in described:
            if not dict(rows).get(name):
                raise AssertionError(f'{shell}, "ntime {word}": {name} has no description in {rows[:40]}')
        for name in absent:
            has_not(names, name)


def lines(*args):
    return [line.split('\t') for line in t.ntime(*args).stdout.decode().split('\n') if line]


def subcommands():
    return [row[0] for row in lines('complete-subcommands')]


@test
def nothing_typed():
    names = subcommands()
    check('', [*names, '--event'], [*names, '--event', '--repeat', '--help'], COMMANDS)


@test
def one_letter():
    check('x', [], [], COMMANDS)
    check('w', [], [], COMMANDS)


@test
def two_letters():
    check('li', ['list'], ['list'], ['watch', 'xyprog'])
    for word, name in (('li', 'listener'), ('wa', 'watchdog-xy'), ('xy', 'xyprog')):
        for shell, rows in offered(word):
            if name not in dict(rows):
                raise AssertionError(f'{shell}, "ntime {word}": no {name} in {rows}')


@test
def options():
    check('--', [], ['--event', '--version'], ['stat', *COMMANDS])
    check('--ev', [], [], ['--repeat', *COMMANDS])


@test
def values_that_help_names():
    for shell, rows in offered('--via '):
        equal({name for name, _ in rows}, {'auto', 'perf', 'ntimefs', 'msr', 'pci', 'emulator'}, shell)
    for shell, rows in offered('trace show --range '):
        if shell != 'zsh':
            equal(rows, [], shell)


def behind(*words):
    """What "ntime complete-words" says may follow; the same in every shell."""
    return [row[0] for row in lines('complete-words', *words)]


def is_accepted(*words):
    """By the parser, as far as these words: nothing is done, because of the option behind them."""
    if words[:2] == ('list', '--cpu'):
        return 'has no PMU model' not in t.err(t.ntime(*words, '--names'))
    text = t.err(t.ntime(*words) if words[:2] == ('model', 'run') else t.ntime(*words, '--nosuch'))
    return not re.search(r"takes .*, not '|counts CPUs, not programs|has no action|name an action|invalid choice|no model of a chip", text)


@test
def words_are_those_of_the_parsers():
    """Of each option and each action whose words are a closed set: what is offered is accepted, and nothing like it is."""
    closed = {(*row[0].split(), row[1]): behind(*row[0].split(), row[1]) for row in lines('complete-options') if row[3]}
    closed.update({(name,): behind(name) for name in subcommands()} | {('model', 'run'): behind('model', 'run')})
    closed = {of: words for of, words in closed.items() if words}
    for of in ('stat --per', 'watch --per', 'stat --via', 'watch --via', 'compare --via', 'lab --with', 'trace convert --to',
               'trace info --from', 'trace show --color', 'trace stat --sort', 'trace', 'reg', 'gl', 'driver', 'lab', 'model', 'model run'):
        t.has(closed, tuple(of.split()))
    for of, words in closed.items():
        # The words of sets that have some in common with this one, and a few of none.
        near = [other for of_other, other in closed.items() if of_other != ('list', '--cpu') and set(other) & set(words)]
        known = set().union(*near, {'nosuch', 'frame', 'core', 'MCP77'})
        asked = ('lab', 'shell', 'x', '--with') if of == ('lab', '--with') else of
        # Any word behind gl is a program.
        for word in words if of == ('gl',) else known.union(words):
            equal(is_accepted(*asked, word), word in words, f'ntime {" ".join(asked)} {word}')
    equal(behind('lab', 'run'), [guest['name'] for guest in json.loads(t.ntime('lab', 'list', '--json').stdout)['guests']])
    equal((behind('stat', '--repeat'), behind('trace', 'convert', '-t')), ([], behind('trace', 'convert', '--to')))


@test
def words_of_closed_sets():
    for word, of in (('trace convert --to ', 'trace convert --to'), ('trace show --from ', 'trace show --from'), ('watch --per ', 'watch --per'),
                     ('model run ', 'model run'), ('model ', 'model'), ('reg ', 'reg'), ('lab --with ', 'lab --with'), ('lab run ', 'lab run'),
                     ('help driver ', 'driver')):
        for shell, rows in offered(word):
            equal({name for name, _ in rows}, set(behind(*of.split())), f'{shell}, "ntime {word}"')
    models = [name for name in behind('list', '--cpu') if name.startswith('sk')]
    equal('skx' in models, t.ntime('list', '--cpu', 'skx', '--names').returncode == 0)
    for shell, rows in offered('list --cpu sk'):
        equal({name for name, about in rows if about}, set(models), shell)


def shells_that_are_missing():
    missing = [shell for shell in SHELLS if not shutil.which(shell)]
    if missing:
        raise t.Skip(f'{" and ".join(missing)} not installed: not asked')


test(shells_that_are_missing)


@test
def every_option_is_told_for_completion():
    """scripts/check-options compares these lines with the man pages and completions."""
    rows = [line.split('\t') for line in t.ntime('complete-options').stdout.decode().splitlines()]
    equal({len(row) for row in rows}, {5}, 'fields')
    equal({row[0].split()[0] for row in rows}, {'ntime', 'stat', 'compare', 'watch', 'export', 'list', 'doctor', 'reg', 'trace', 'gl', 'driver', 'lab', 'model'},
          'subcommands')
    t.has([row[1:4] for row in rows if row[0] == 'stat'], ['--event', '-e', 'LIST'])
    told = {of: t.ntime('help', *of.split()).stdout.decode() for of in {row[0] for row in rows} - {'ntime'}}
    for row in rows:
        if row[0] == 'ntime':
            continue
        t.has(told[row[0]], row[1])
        if not row[4]:
            raise AssertionError(f'{row[1]} says nothing')


@test
def help_of_actions():
    """Actions without options of their own: the help of their subcommand has them."""
    for words in ('reg ls', 'reg hammer', 'driver load', 'driver status', 'lab run', 'lab module', 'lab clean'):
        subcommand = words.split()[0]
        done = t.ntime('help', *words.split())
        equal([done.returncode, done.stdout], [0, t.ntime('help', subcommand).stdout], words)
    for words in ('reg l', 'lab build |', 'list units'):
        done = t.ntime('help', *words.split(' ', 1))
        equal([done.returncode, done.stdout], [125, b''], words)
        t.has(t.err(done), f"there is no '{words}'")


@test
def every_subcommand_is_told_for_completion():
    """count/cli/meson.build lists them; scripts/check-options looks for the man page, the test and the completions of each."""
    rows = [line.split('\t') for line in t.ntime('complete-subcommands').stdout.decode().splitlines()]
    equal([row[0] for row in rows], ['stat', 'compare', 'watch', 'export', 'list', 'doctor', 'reg', 'trace', 'gl', 'driver', 'lab', 'model', 'help'], 'subcommands')
    overview = ' '.join(t.ntime('--help').stdout.decode().split())
    for name, about in rows:
        t.has(overview, f'{name} {about}')
        t.has(' '.join(t.ntime('help', name).stdout.decode().split()), about)
    has_not(overview, 'complete-')
    t.has(t.err(t.ntime('complete-subcommands', 'word')), 'complete-subcommands takes no argument')
    t.has(t.err(t.ntime('complete-words', 'nosuch')), 'complete-words takes a subcommand and the words behind it')


@test
def actions_and_their_options_are_completed():
    for line, offer, other in (
            ('ntime help trace ', 'show', 'doctor --help'),
            ('ntime help lab ', 'module', 'doctor'),
            ('ntime trace ', 'show', 'stat --'),
            ('ntime trace st', 'state', 'show'),
            ('ntime trace show --f', '--fold', '--to'),
            ('ntime trace show --color ', 'always', '--fold'),
            ('ntime trace state --', '--record', '--fold'),
            ('ntime trace show --from ', 'mmiotrace', 'json'),
            ('ntime trace show --from=si', 'simple', 'vfio')):
        offers = t.completed(line)
        t.has(offers, offer)
        has_not(offers, other)
    with t.Directory():
        with open('log', 'w', encoding='ascii'):
            pass
        t.has(t.completed('ntime trace show -d 5:00.0 lo'), 'log')
        t.has(t.completed('ntime trace show -o lo'), 'log')


if __name__ == '__main__':
    sys.exit(t.main())
