# SPDX-License-Identifier: MIT
"""Options of "ntime lab": parser, help and completion."""
import argparse
import os
import re
import sys
import textwrap

# As base/command/alone.h has it; a test compares the two.
ABOUT = 'run commands in emulated machines whose true counts are known'
USAGE = ('list [--json] [-v]', 'run GUEST [OPTION...] -- COMMAND [ARG...]', 'shell GUEST [OPTION...]', 'prepare [GUEST...]',
         'module FLAVOUR|GUEST', 'build', 'update', 'clean')
DETAILS = (
    'list prints what each guest emulates, what is exact in it and what is not. run fetches and builds what is missing, boots the guest, '
    'runs the command and passes on its output and exit status; files that the command names are copied into the guest. shell is a prompt '
    "inside, or runs the script on standard input. prepare makes guests ready to boot without network, build builds what runs in this machine's "
    'own guests, module builds the driver for the kernel of a guest, update looks for newer packages, clean removes the cache: everything '
    'fetched, and the emulators.',
    "The exit status is the command's; 125 if the run itself failed: the guest hung or died, or its kernel reported a bug; 77 if the guest is "
    'not available on this machine.')
EXIT_FAILED = 125
EXIT_UNAVAILABLE = 77
PEERS = ('perf', 'papi', 'programs')


def say(text):
    """A sentence for people, on stderr."""
    sys.stderr.write(f'ntime lab: {text}\n')
    sys.stderr.flush()


class Parser(argparse.ArgumentParser):
    """Misuse is a failure of ntime itself: 125, as everywhere in ntime."""

    def error(self, message):
        say(f'{message}; try: ntime lab --help')
        sys.exit(EXIT_FAILED)

    def format_help(self):
        return help_text()


UNITS = {'ns': 1e-9, 'us': 1e-6, 'ms': 1e-3, '': 1, 's': 1, 'min': 60}


def length(text):
    """A length of time in seconds: a number alone, or with a unit, as everywhere in ntime."""
    number, unit = re.fullmatch(r'([0-9]*\.?[0-9]+)?(.*)', text, re.DOTALL).groups()
    value = float(number) * UNITS[unit] if number and unit in UNITS else 0
    if value >= 1e6:
        raise argparse.ArgumentTypeError(f"'{text}' is longer than 1000000 seconds")
    if value <= 0:
        raise argparse.ArgumentTypeError(f"'{text}' is not a time above 0: write 90 or 90s for seconds, 500ms, or another number with us or min")
    return value


def tcp_port(text):
    """A TCP port."""
    if not text.isdigit() or not 0 < int(text) < 65536:
        raise argparse.ArgumentTypeError(f"'{text}' is not a port from 1 to 65535")
    return int(text)


def _add_running(sub):
    sub.add_argument('--with', dest='peers', metavar='PEER', action='append', default=[], choices=PEERS,
                     help='also install perf, PAPI or programs in the guest')
    sub.add_argument('--driver', action='store_true', help='build the driver for the guest and copy it to /lab/ntime.ko')
    sub.add_argument('--file', dest='files', metavar='FILE', action='append', default=[],
                     help='copy FILE into the guest, as /lab/NAME or to the path after a colon')
    sub.add_argument('--user', action='store_true', help='run as an ordinary user (uid 1000), not as root')
    sub.add_argument('--timeout', metavar='TIME', type=length, help='kill the guest if the command takes longer')
    sub.add_argument('--append', metavar='WORDS', default='', help="add words to the kernel's command line")
    sub.add_argument('--console', action='store_true', help="show the guest's console on stderr")
    sub.add_argument('--gdb', metavar='PORT', type=tcp_port, help='wait for gdb at TCP port PORT before the first instruction')


def parser():
    """The parser of all subcommands."""
    return _parsers()[0]


def words(argv, guests):
    """What may stand behind these words of a command line, where that is one of a closed set, for completion."""
    if not argv:
        return _parsers()[1].choices
    if argv[-1] == '--with':
        return PEERS
    return guests() if argv[0] in ('run', 'shell', 'prepare', 'module') and len(argv) == 1 else ()


def rows():
    """(--long, -s or '', ARGUMENT or '', help) of each option, of which actions it is in front; --help comes last."""
    found = {}
    for name, sub in _parsers()[1].choices.items():
        for action in sub._actions:    # pylint: disable=protected-access
            if action.option_strings and action.dest != 'help':
                found.setdefault(action.option_strings[-1], []).append((name, action))
    for long, those in found.items():
        of, action = [name for name, _ in those], those[-1][1]
        yield long, '-v' if long == '--verbose' else '', action.metavar or '', f'{", ".join(of)}: {action.help}'
    yield '--help', '-h', '', 'print this help and exit'


def help_text():
    """As the command's own: base/command/help.c."""
    width = min(max(int(os.environ.get('COLUMNS') or 0) or (os.get_terminal_size().columns if sys.stdout.isatty() else 80), 40), 100)
    lines = [f'{"      " if number else "Usage:"} ntime lab {usage}' for number, usage in enumerate(USAGE)]
    lines += ['', *textwrap.wrap(ABOUT, width), '', 'Options:']
    for long, short, argument, about in rows():
        head = f'  {short + "," if short else "   "} {long} {argument}'.rstrip()
        lines += textwrap.wrap(about, width, initial_indent=f'{head:<30}', subsequent_indent=' ' * 30)
    return '\n'.join([*lines, '', *(line for text in DETAILS for line in textwrap.wrap(text, width)), ''])


def _parsers():
    top = Parser(prog='ntime lab', allow_abbrev=False,
                 description='Run commands in emulated machines whose true counts are known. The manual page is ntime-lab(1).')
    subs = top.add_subparsers(dest='what', required=True, metavar='list|run|shell|prepare|build|module|update|clean', parser_class=Parser)

    def add(name, about):
        return subs.add_parser(name, help=about, description=about, allow_abbrev=False)

    def add_verbose(sub, about):
        sub.add_argument('-v', '--verbose', action='count', default=0, help=about)
    known = add('list', 'list guests: what each emulates, what is exact in it, what is not')
    known.add_argument('--json', action='store_true', help='write JSON')
    add_verbose(known, 'also of the guests with a newer kernel')
    run = add('run', 'run a command in a guest; its exit status is passed on')
    run.add_argument('guest', metavar='GUEST')
    _add_running(run)
    run.add_argument('--stdin', action='store_true', help='pass standard input to the command')
    shell = add('shell', 'a prompt in a guest')
    shell.add_argument('guest', metavar='GUEST')
    _add_running(shell)
    for sub in (run, shell):
        add_verbose(sub, "print how long each part took; twice: also QEMU's command line")
    add('prepare', 'fetch and build what guests need, so that they boot without network') \
        .add_argument('guests', metavar='GUEST', nargs='*')
    add('build', 'build what runs inside the guests of this machine\'s architecture, and print where')
    add('module', 'build the driver for a kernel, named by its flavour or by a guest, and print where the module is') \
        .add_argument('kernel', metavar='FLAVOUR|GUEST')
    add('update', 'look for newer packages; what is prepared is kept until then')
    add('clean', 'remove the cache: everything fetched, and the emulators built of it')
    return top, subs


def parse(argv):
    """(options, command): the command is what stands behind the first "--", or None without one."""
    command = None
    if '--' in argv:
        at = argv.index('--')
        argv, command = argv[:at], argv[at + 1:]
    args = parser().parse_args(argv)
    if command is not None and args.what not in ('run', 'shell'):
        parser().error(f'{args.what} takes no command')
    if args.what == 'run' and not command:
        parser().error('there is no command to run: ntime lab run GUEST -- COMMAND')
    return args, command
