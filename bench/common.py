# SPDX-License-Identifier: MIT
"""What the benchmarks share: where things were built, callgrind, tables, verdicts."""
import os
import shutil
import subprocess
import sys

BUILD = os.path.abspath(os.environ.get('BUILD', 'build'))


class CannotRun(Exception):
    """Something that was to be measured cannot be run: the sentence says what and why."""


def need_tool(name, package):
    path = shutil.which(name)
    if not path:
        raise CannotRun(f'{name} is missing: apt-get install {package}')
    return path


def need_built(name):
    path = os.path.join(BUILD, name)
    if not os.access(path, os.X_OK):
        raise CannotRun(f'{path} was not built; "make all" shows why')
    return path


def callgrind(folder, options, command, before=()):
    """
    Run a command under callgrind; the file it wrote for the command's own process, not for those it started. What is
    before it becomes callgrind: a program that sets an environment.
    """
    valgrind = need_tool('valgrind', 'valgrind')
    pattern = os.path.join(folder, 'callgrind.%p')
    with subprocess.Popen([*before, valgrind, '--tool=callgrind', f'--callgrind-out-file={pattern}', *options, *command],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as run:
        said = run.communicate()[0]
    if run.returncode != 0:
        raise CannotRun(f'{" ".join(command)} under callgrind: exit status {run.returncode}\n{said}')
    return pattern.replace('%p', str(run.pid))


def print_table(header, rows):
    """Aligned: the first column to the left, the others to the right."""
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
    for row in [header, *rows]:
        cells = [row[0].ljust(widths[0])] + [cell.rjust(width) for cell, width in zip(row[1:], widths[1:])]
        print('  '.join(cells).rstrip())


def print_aim(text, is_met, figure):
    print(f'aim: {text}: {"met" if is_met else "NOT met"} ({figure})')


def run_main(main):
    """Figures are no failures; what cannot be run is."""
    try:
        main()
    except (CannotRun, subprocess.CalledProcessError) as error:
        sys.exit(f'{os.path.basename(sys.argv[0])}: {error}')
