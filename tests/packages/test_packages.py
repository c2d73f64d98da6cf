#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Debian's packages of the last commit: made twice alike, clean for lintian, and tried in bare roots (rows.sh). Speaks TAP.

Usage: test_packages.py [WORD]; with a word only the cases whose name has it. Takes some 15 minutes, root, and a mirror of Debian.
"""
import atexit
import filecmp
import functools
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
sys.path.insert(0, f'{TESTS}/scripts')
# pylint: disable=wrong-import-position
import common                                         # noqa: E402
import bareroot                                       # noqa: E402
from lab import cache, sysroot                        # noqa: E402
from tap import Skip, equal, holds, main, test        # noqa: E402

RELEASE = 'bookworm'
# Cross-built, one for the others: it has 32 bits and lacks a package (count/docs/emulator.md says why). What runs it, and what it lacks.
CROSS = {'armel': ('qemu-arm', 'ntime-emulator')}
# Of the make that runs this test.
OF_MAKE = ('NO_DEPS', 'BUILD', 'DESTDIR', 'PREFIX', 'MAKEFLAGS', 'MFLAGS', 'MAKELEVEL')
CCACHE = '/usr/lib/ccache'
UNREACHED = re.compile(r'.*(?:Failed to fetch|Unable to fetch|Temporary failure resolving|cannot be fetched).*')


def run(*command, **more):
    """(exit status, all that it prints)"""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding='utf-8', errors='replace',
                          check=False, **more)
    return done.returncode, done.stdout


def passes(status, text):
    """Fails with the end of the text; without a mirror nothing can be said."""
    if status:
        unreached = UNREACHED.search(text)
        if unreached:
            raise Skip(f'no mirror is reached: {unreached.group(0)}')
        raise AssertionError(f'exit status {status}:\n{text[-8000:]}')
    return text


@functools.cache
def scratch():
    """Not /tmp, which may be memory."""
    folder = f'{os.environ.get("TMPDIR", "/var/tmp")}/ntime-packages'
    try:
        # Compilers are given its name, so ccache knows again what was compiled in a folder of the same name.
        os.mkdir(folder, 0o700)
    except FileExistsError:
        folder = tempfile.mkdtemp(prefix='ntime-packages.', dir=os.path.dirname(folder))
    atexit.register(bareroot.remove, folder)
    # apt fetches as an ordinary user.
    os.chmod(folder, 0o755)
    bareroot.clone(f'{folder}/clone')
    return folder


@functools.cache
def make_deb(name, arch, **more):
    """Makes them once, each in a folder of its own, whether that succeeds or not."""
    env = {key: value for key, value in os.environ.items() if key not in OF_MAKE} | more
    # debhelper has a home of its own. What is compared with the first ones is compiled.
    if name != 'second' and os.path.isdir(CCACHE):
        env |= {'PATH': f'{CCACHE}:{env["PATH"]}', 'CCACHE_DIR': os.environ.get('CCACHE_DIR', os.path.expanduser('~/.cache/ccache'))}
    return run('make', '-C', f'{scratch()}/clone', 'deb', f'ARCH={arch}', f'BUILD={scratch()}/{name}', env=env)


def packages(name='first', arch='', **more):
    """The folder that the packages are in."""
    passes(*make_deb(name, arch, **more))
    return f'{scratch()}/{name}/deb/{arch}'.rstrip('/')


def debs(folder):
    return sorted(os.path.basename(path) for path in glob.glob(f'{folder}/*.deb'))


def is_clean(folder):
    if not shutil.which('lintian'):
        raise Skip('lintian is missing; as root: apt-get install lintian')
    passes(*run('lintian', '--fail-on', 'error,warning', *glob.glob(f'{folder}/*.changes')))


def made_twice_alike():
    """But for QEMU, whose second build would take longest."""
    first, second = packages(), packages('second', WITHOUT_QEMU='1')
    equal(debs(second), debs(first))
    equal(filecmp.cmpfiles(first, second, [name for name in debs(first) if not name.startswith('ntime-lab_')], shallow=False)[1:], ([], []))


def lintian_is_content():
    is_clean(packages())


def cross(arch, emulator, lacks):
    """The same packages, which run there."""
    own = os.path.basename(debs(packages())[0]).rsplit('_', 1)[1]
    if own == f'{arch}.deb':
        raise Skip('this machine is of this architecture')
    folder = packages(arch, arch)
    equal(debs(folder), [name.replace(own, f'{arch}.deb') for name in debs(packages())
                         if name.endswith(own) and re.sub('(-dbgsym)?_.*', '', name) != lacks])
    is_clean(folder)
    if not shutil.which(emulator):
        raise Skip(f'{emulator} is missing; as root: apt-get install qemu-user')
    passes(*run('dpkg-deb', '-x', *glob.glob(f'{folder}/ntime_*.deb'), f'{folder}/unpacked'))
    holds(passes(*run(emulator, '-L', f'/usr/{sysroot.triplet(arch)}', f'{folder}/unpacked/usr/bin/ntime', '--version')), 'ntime ')


@functools.cache
def bare():
    """(a bare Debian with the lists of its mirror, or why there is none)"""
    root = f'{scratch()}/bare'
    if os.geteuid():
        return '', 'needs root, for a root folder and mounts'
    if not shutil.which('mmdebstrap'):
        return '', 'mmdebstrap is missing; as root: apt-get install mmdebstrap'
    os.makedirs(f'{scratch()}/archives/partial')
    try:
        bareroot.make_root(root, RELEASE)
    except (cache.Unavailable, subprocess.CalledProcessError) as error:
        return '', f'no bare Debian can be made: {error}'
    status, text = run(*bareroot.enter(root, 'apt-get update'))
    return root, f'no mirror is reached: {text.splitlines()[-1]}' if status else ''


def row(name):
    """A row in an overlay of the bare Debian, which goes away with it."""
    root, why = bare()
    if why:
        raise Skip(why)
    begin, overlay = time.monotonic(), f'{scratch()}/{name}'
    binds = [(packages(), '/debs'), (TESTS, '/tests'), (f'{common.ROOT}/count/tests/compat', '/count/tests/compat'),
             (f'{scratch()}/archives', '/var/cache/apt/archives'), (cache.root(), '/root/.cache/ntime/lab')]
    done = run(*bareroot.enter(root, f'sh /tests/packages/rows.sh {name}', binds, overlay))
    bareroot.remove(overlay)
    print(f'# {name}: {time.monotonic() - begin:.0f} s', flush=True)
    passes(*done)


def named(name, function, *words):
    """A case of this name."""
    def case():
        function(*words)
    case.__name__ = name
    test(case)


test(made_twice_alike)
test(lintian_is_content)
with open(f'{HERE}/rows.sh', encoding='utf-8') as f:
    for found in re.findall(r'^row_(\w+)\(\)', f.read(), re.M):
        named(found, row, found)
for found in CROSS:
    named(f'built_for_{found}', cross, found, *CROSS[found])

if __name__ == '__main__':
    if not os.path.exists(f'{common.ROOT}/.git'):
        print('1..0 # SKIP this is no clone of the repository, so there is no commit to pack')
        sys.exit(0)
    sys.exit(main())
