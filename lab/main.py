# SPDX-License-Identifier: MIT
"""The subcommands of "ntime lab"."""
import json
import os
import signal
import sys
import time
import traceback

from . import build, cache, debian, driver, dtb, frames, guest, kernel, log, options, payload, prepare, proxies, run, terminal
from .options import EXIT_FAILED, EXIT_UNAVAILABLE, say

FAILURES = (cache.Broken, cache.Busy, guest.GuestError, payload.PayloadError, dtb.DtbError, proxies.ProxyError)
RUN_FAILURES = (run.RunError, frames.Damaged, log.Damaged)


def settings_of(args, chosen):
    """What lab.run.Run wants to know, of run and shell."""
    payload.check_files(args.files)
    return {
        'peers': args.peers, 'driver': args.driver, 'files': args.files, 'user': '1000' if args.user else '', 'append': args.append,
        'timeout': args.timeout or (None if args.what == 'shell' or args.gdb else chosen.timeout),
        'boot_timeout': None if args.gdb else chosen.boot_timeout, 'console': args.console,
        'more': ['-gdb', f'tcp:127.0.0.1:{args.gdb}', '-S'] if args.gdb else [],
        'show': (lambda words: say('starts: ' + ' '.join(words))) if args.verbose > 1 else None,
    }


def tell_failure(one, error):
    """The sentence, and what is known besides."""
    say(str(error))
    for line in getattr(error, 'lines', ()):
        sys.stderr.write(f'  {line}\n')
    if getattr(error, 'console', True) and one.started:
        for line in one.last_words():
            sys.stderr.write(f'  {line}\n')
    sys.stderr.flush()


def run_in(chosen, command, args, settings):
    """Run one command in a guest; the exit status is its own, or 125."""
    begin = time.monotonic()
    with run.Run(chosen, command, **settings) as one:
        try:
            one.start()
            say(f"emulated machine: {chosen.name}, {chosen.about}; counts are QEMU's, not silicon")
            if args.gdb:
                say(f'QEMU waits for gdb: gdb -ex "target remote :{args.gdb}" -ex "file {one.image}"')
            with terminal.raw(one, settings):
                one.watch()
            if args.verbose:
                say(f'prepared in {one.started - begin:.1f} s, booted in {one.booted - one.started:.1f} s, '
                    f'command {one.ended - one.booted:.1f} s')
            one.check_log()
        except RUN_FAILURES as e:
            tell_failure(one, e)
            return EXIT_FAILED
        prepare.remember(chosen, one.used)
        return one.status


def do_run(args, command):
    """ntime lab run."""
    chosen = guest.find(args.guest)
    settings = settings_of(args, chosen) | ({'stdin': 0} if args.stdin else {})
    return run_in(chosen, command, args, settings)


def do_shell(args, command):
    """ntime lab shell: on a terminal a terminal inside, else a script that is fed to the shell."""
    chosen = guest.find(args.guest)
    settings = settings_of(args, chosen) | {'stdin': 0}
    if os.isatty(0) and os.isatty(1):
        settings |= {'pty': terminal.size(), 'term': os.environ.get('TERM')}
        say('Ctrl-] ends the guest')
    return run_in(chosen, command or ['sh'], args, settings)


def state_of(g):
    """One guest as a dict for --json."""
    return {'name': g.name, 'about': g.about, 'emulates': g.emulates, 'exact': g.exact, 'not': g.is_not, 'arch': g.arch,
            'kernel': g.kernel, 'qemu': g.qemu, 'prepared': prepare.is_prepared(g),
            'lacks': payload.lacks(g.arch, g.qemu)}


def do_list(args, _):
    """ntime lab list."""
    rows = [state_of(g) for g in guest.all_guests()]
    if args.json:
        print(json.dumps({'schema': 1, 'guests': rows}, indent=1))
        return 0
    for row in rows:
        state = f'needs {row["lacks"]}' if row['lacks'] else 'prepared' if row['prepared'] else 'not prepared'
        print(f'{row["name"]:20} {state}\n  {row["about"]}')
        if row['name'].endswith(guest.NEWER) and not args.verbose:
            continue
        for title, texts in (('emulates', [row['emulates']]), ('exact', [row['exact']]), ('is not', row['not'])):
            for text in texts:
                print(terminal.wrapped(f'  {title}: ', text))
    if any(row['lacks'] for row in rows):
        print(terminal.wrapped('', f'{payload.INSTEAD}.'))
    return 0


def do_prepare(args, _):
    """ntime lab prepare."""
    chosen = [guest.find(name) for name in args.guests] or guest.all_guests()
    return prepare.all_of(chosen)


def do_build(_args, _):
    """ntime lab build."""
    if build.is_installed():
        raise cache.Unavailable('an installed copy of the lab has nothing to build')
    print(build.programs(debian.host_arch()))
    return 0


def flavour_of(name):
    """The kernel flavour of this name, or that of the guest of this name."""
    return name if name in [*kernel.FLAVOURS, *kernel.OWN] else guest.find(name).kernel


def do_module(args, _):
    """ntime lab module."""
    print(driver.module(flavour_of(args.kernel)))
    return 0


def do_update(_args, _):
    """ntime lab update."""
    debian.update(sorted({g.arch for g in guest.all_guests()}))
    return 0


def do_clean(_args, _):
    """ntime lab clean."""
    say(f'removed {cache.clear()}; make clean removes what was built in the source tree')
    return 0


DOERS = {'list': do_list, 'run': do_run, 'shell': do_shell, 'prepare': do_prepare, 'build': do_build,
          'module': do_module, 'update': do_update, 'clean': do_clean}


ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def interrupt(number, _):
    """SIGINT, SIGTERM and SIGHUP: clean up first, and do not let a second one cut that off."""
    for other in ENDING:
        signal.signal(other, signal.SIG_IGN)
    raise run.Interrupted(number)


def end_by(number):
    """End as the signal would have ended a program that knows it not."""
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
    return 128 + number


def main(argv):
    """The exit status."""
    for number in ENDING:
        signal.signal(number, interrupt)
    if argv[:1] == ['complete-words']:
        print(*options.words(argv[1:], lambda: [g.name for g in guest.all_guests()]), sep='\n')
        return 0
    if argv == ['complete-options']:
        print(*('\t'.join(('lab', *row)) for row in options.rows()), sep='\n')
        return 0
    # "ntime help lab ACTION"
    if argv[:1] == ['help-action'] and len(argv) == 2:
        if argv[1] not in DOERS:
            say(f"there is no 'lab {argv[1]}'; try: ntime lab --help")
            return EXIT_FAILED
        argv = [argv[1], '--help']
    args, command = options.parse(argv)
    if sys.stdout is None:
        say('standard output is closed')
        return EXIT_FAILED
    try:
        status = DOERS[args.what](args, command)
        sys.stdout.flush()
        return status
    except cache.Unavailable as e:
        say(str(e))
        return EXIT_UNAVAILABLE
    except FAILURES as e:
        say(str(e))
        return EXIT_FAILED
    except OSError as e:
        if isinstance(e, BrokenPipeError):
            return end_by(signal.SIGPIPE)
        say(f'{e.filename or "the system"}: {e.strerror}')
        return EXIT_FAILED
    except run.Interrupted as e:
        return end_by(e.number)
    except Exception as e:    # pylint: disable=broad-except
        # Python's own status would be 1, which looks like the command's.
        if getattr(args, 'verbose', 0) > 1:
            traceback.print_exc()
        at = traceback.extract_tb(e.__traceback__)[-1]
        say(f'a mistake in the lab itself: {type(e).__name__}: {e} ({os.path.basename(at.filename)}:{at.lineno})')
        return EXIT_FAILED
