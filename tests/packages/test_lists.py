#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each file that is installed is in one of Debian's packages (debian/*.install), no list names what is not, and the command's and
the library's package run. Speaks TAP.

Usage: test_lists.py BUILD_FOLDER SOURCE_FOLDER PREFIX
"""
import ctypes
import glob
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'scripts'))
import common                             # noqa: E402,F401  # pylint: disable=wrong-import-position,unused-import
import tree                               # noqa: E402  # pylint: disable=wrong-import-position
from tap import Skip, equal, holds, main, test  # noqa: E402  # pylint: disable=wrong-import-position

BUILD, SOURCE, PREFIX = sys.argv[1:4]
del sys.argv[1:]


def run_packages(scratch, owners):
    """The command and the library as packages of their own, unpacked and run."""
    os.chdir(scratch)
    for name in ('ntime', 'libntime0'):
        os.makedirs(f'{name}/DEBIAN')
        for path in (path for path, owner in owners.items() if owner == f'{name}.install'):
            os.makedirs(os.path.dirname(f'{name}/{path}'), exist_ok=True)
            shutil.copy2(f'debian/tmp/{path}', f'{name}/{path}', follow_symlinks=False)
        subprocess.run(['dpkg-gencontrol', f'-p{name}', f'-P{name}', '-Vshlibs:Depends=libc6', '-Vmisc:Depends='], check=True)
        subprocess.run(['dpkg-deb', '--root-owner-group', '-Zgzip', '-b', name, f'{name}.deb'], stdout=subprocess.DEVNULL, check=True)
        subprocess.run(['dpkg-deb', '-x', f'{name}.deb', 'unpacked'], check=True)
    said = subprocess.check_output(['unpacked/usr/bin/ntime', '-e', 'page-faults', '--', 'unpacked/usr/bin/ntime', '--version'],
                                   stderr=subprocess.STDOUT, encoding='utf-8')
    holds(said, 'page-faults')
    library = ctypes.CDLL(glob.glob('unpacked/usr/lib/*/libntime.so.0')[0])
    library.ntime_version.restype = ctypes.c_char_p
    equal(f'ntime {library.ntime_version().decode()}', said.split('\n', 1)[0])


@test
def each_file_is_in_one_package():
    if not shutil.which('dpkg-gencontrol'):
        raise Skip('dpkg-dev is missing, or this is no Debian, whose folders the lists name')
    with tempfile.TemporaryDirectory() as scratch:
        # Lists that are programs look around themselves.
        for name in ('debian', 'trace'):
            shutil.copytree(f'{SOURCE}/{name}', f'{scratch}/{name}')
        subprocess.run(['meson', 'install', '-C', BUILD, '--no-rebuild', '--quiet', '--destdir', f'{scratch}/root'], stdout=subprocess.DEVNULL, check=True)
        os.mkdir(f'{scratch}/debian/tmp')
        os.rename(f'{scratch}/root{PREFIX}', f'{scratch}/debian/tmp/usr')
        if os.path.isdir(f'{scratch}/root/usr/src'):
            os.rename(f'{scratch}/root/usr/src', f'{scratch}/debian/tmp/usr/src')
        os.chdir(f'{scratch}/debian/tmp')
        owners, empty = {path: [] for path in glob.glob('usr/**', recursive=True) if not os.path.isdir(path)}, []
        for path in glob.glob('../*.install'):
            text = subprocess.check_output([path], encoding='utf-8') if os.access(path, os.X_OK) else tree.read(f'debian/{os.path.basename(path)}')
            for pattern in text.split():
                found = [one for top in glob.glob(pattern) for one in [top, *glob.glob(f'{top}/**', recursive=True)] if one in owners]
                empty += [] if found else [f'{os.path.basename(path)}: {pattern}']
                for one in set(found):
                    owners[one].append(os.path.basename(path))
        equal(empty, [])
        equal({path: lists for path, lists in owners.items() if len(lists) != 1}, {})
        run_packages(scratch, {path: lists[0] for path, lists in owners.items()})


if __name__ == '__main__':
    sys.exit(main())
