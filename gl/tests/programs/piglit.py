# SPDX-License-Identifier: MIT
"""Programs of piglit, the test suite of OpenGL, and an X server for those that need one.

Debian's package unpacks to 2 GB, so it is not installed: its file is fetched into
${XDG_CACHE_HOME:-~/.cache}/ntime/piglit, and the libraries and the programs that are asked for are
unpacked beside it. What is there already is used as it is.
"""
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../../base/tests'))
import fetched
from fetched import Absent    # noqa: E402

PACKAGE = 'piglit'
PATIENCE = int(os.environ.get('PATIENCE', '120'))
SCREEN_SECONDS = 60
MARK = 'PIGLIT: '
# What its libraries need; scripts/install-deps has the same.
NEEDED = 'libwaffle-1-0 libxkbcommon0'


def _unpack(package, folder, patterns):
    """These files of the package, in lib/ and bin/ of a folder."""
    fetched.need(PACKAGE, 'dpkg-deb', 'tar')
    with subprocess.Popen(['dpkg-deb', '--fsys-tarfile', package], stdout=subprocess.PIPE) as read:
        # Five parts of ./usr/lib/TRIPLET/piglit/bin/NAME are before bin.
        done = subprocess.run(['tar', '-x', '--wildcards', '--strip-components=5', *patterns], cwd=folder, stdin=read.stdout,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding='utf-8', errors='replace', check=False)
    if read.returncode or done.returncode:
        raise Absent(f'{package} has not the files that are wanted (remove it to have it fetched again): '
                     + (done.stderr.splitlines() or ['dpkg-deb failed'])[0])


def programs(names):
    """The folder with these programs in bin/ and the libraries in lib/. Absent if they cannot be had, or cannot run here."""
    folder = fetched.folder(PACKAGE)
    missing = [name for name in names if not os.path.exists(f'{folder}/bin/{name}')]
    if missing:
        package = fetched.package(PACKAGE)
        with tempfile.TemporaryDirectory(prefix='.new-', dir=folder) as new:
            _unpack(package, new, ['./usr/lib/*/piglit/lib/*.so*', *(f'./usr/lib/*/piglit/bin/{name}' for name in missing)])
            # Libraries first: who sees a program has what it needs. Another run may put the same files
            # there meanwhile.
            for part in ('lib', 'bin'):
                os.makedirs(f'{folder}/{part}', exist_ok=True)
                for name in os.listdir(f'{new}/{part}'):
                    os.replace(f'{new}/{part}/{name}', f'{folder}/{part}/{name}')
    done = subprocess.run(['ldd', f'{folder}/bin/{names[0]}'], env=environment(folder), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, encoding='utf-8', errors='replace', check=False)
    lost = sorted(line.split()[0] for line in done.stdout.splitlines() if 'not found' in line)
    if lost:
        raise Absent(f'libraries that {PACKAGE} needs are not installed: {" ".join(lost)} (apt-get install {NEEDED})')
    return folder


def environment(folder, platform='', display=''):
    path = os.environ.get('LD_LIBRARY_PATH')
    env = dict(os.environ, LC_ALL='C.UTF-8', LD_LIBRARY_PATH=f'{folder}/lib' + (f':{path}' if path else ''), PIGLIT_PLATFORM=platform,
               # The same driver everywhere; some of hardware have the extension themselves.
               LIBGL_ALWAYS_SOFTWARE='true',
               # What is compiled for a test is of no use to anybody else.
               MESA_SHADER_CACHE_DISABLE='true')
    for name in ('DISPLAY', 'WAYLAND_DISPLAY'):
        env.pop(name, None)
    if display:
        env['DISPLAY'] = display
    return env


class Done:
    """How a program ended. @lines: what it says of itself, in order; @status: its exit status."""

    def __init__(self, status, text):
        self.status = status
        self.lines = [line[len(MARK):].strip() for line in text.splitlines() if line.startswith(MARK)]

    def results(self):
        """(subtest, result) of each; the program's own has no name."""
        found = []
        for line in self.lines:
            what = json.loads(line)
            found += what.get('subtest', {}).items()
            if 'result' in what:
                found.append(('', what['result']))
        return found

    def passed(self):
        """How many subtests."""
        return sum(bool(name) and result == 'pass' for name, result in self.results())


def run(folder, name, platform, display='', wrapper=()):
    """One program, perhaps as argument of another command."""
    with tempfile.TemporaryDirectory() as work:
        done = subprocess.run([*wrapper, f'{folder}/bin/{name}', '-auto', '-fbo'], env=environment(folder, platform, display), cwd=work,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding='utf-8', errors='replace',
                              timeout=PATIENCE, check=False)
    return Done(done.returncode, done.stdout)


class Screen:
    """An X server without a screen: with Screen() as display: ..."""

    def __enter__(self):
        exe = shutil.which('Xvfb')
        if not exe:
            raise Absent('Xvfb is not installed (apt-get install xvfb)')
        read, write = os.pipe()
        try:
            # It looks for a free number itself. Without -noreset it starts anew when its last program
            # has ended, and the next one sometimes cannot open the display.
            self.server = subprocess.Popen([exe, '-displayfd', str(write), '-screen', '0', '640x480x24', '-nolisten', 'tcp', '-noreset'],
                                           pass_fds=[write], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        finally:
            os.close(write)
        with os.fdopen(read, encoding='ascii') as pipe:
            number = pipe.readline().strip() if select.select([pipe], [], [], SCREEN_SECONDS)[0] else ''
        if not number:
            self.__exit__()
            raise Absent('Xvfb does not start')
        return f':{number}'

    def __exit__(self, *what):
        self.server.terminate()
        try:
            self.server.wait(SCREEN_SECONDS)
        except subprocess.TimeoutExpired:
            self.server.kill()
            self.server.wait()
