# SPDX-License-Identifier: MIT
"""Programs of Debian's whose instructions are counted in guests (lab/tests/guest/test_programs.c), with the libraries they need."""
import glob
import os
import re
import shutil

from . import build, debian, sysroot
from .cache import Unavailable

# Package -> the files of it that are programs; a star is what depends on the architecture.
PROGRAMS = {
    'gzip': ['gzip'], 'bzip2': ['bzip2'], 'xz-utils': ['xz'], 'zstd': ['zstd'], 'sqlite3': ['sqlite3'], 'python3.11-minimal': ['python3.11'],
    'perl-base': ['perl'], 'cpp-12': ['../lib/gcc/*/12/cc1'], 'sed': ['sed'], 'mawk': ['mawk'], 'grep': ['grep'],
    'coreutils': ['sort', 'md5sum', 'sha256sum', 'dd'], 'tar': ['tar'], 'bc': ['bc'], 'findutils': ['find'], 'openssl': ['openssl'],
    'jq': ['jq'],
}
# Python does not start without its own modules, and looks for them beside its prefix.
PYTHON = 'usr/lib/python3.11'
LIBRARIES = re.compile(r'(lib|zlib1g)')
PLACE = 'programs'


def _find(path, name):
    for folder in ('usr/bin', 'bin'):
        if found := [one for one in sorted(glob.glob(f'{path}/{folder}/{name}')) if build.is_program(one)]:
            return found[0]
    raise Unavailable(f'the packages have no program {name}; the packaging of Debian has changed')


def _reduce(arch, path):
    """Leave of a tree the programs, in one folder, and what they need."""
    sysroot.make_links_relative(path)
    found = [_find(path, name) for names in PROGRAMS.values() for name in names]
    wanted = {f'/{PLACE}/{os.path.basename(name)}': name for name in found}
    try:
        wanted.update(build.closure(arch, path, found))
    except build.Missing as e:
        raise Unavailable(f'{e}; the packaging of Debian has changed') from None
    new = os.path.join(path, '.new')
    for guest, name in wanted.items():
        os.makedirs(os.path.dirname(new + guest), exist_ok=True)
        shutil.copy2(name, new + guest)
    shutil.copytree(os.path.join(path, PYTHON), os.path.join(new, PYTHON), ignore_dangling_symlinks=True)
    for name in os.listdir(path):
        if name != '.new':
            one = os.path.join(path, name)
            if os.path.isdir(one) and not os.path.islink(one):
                shutil.rmtree(one)
            else:
                os.remove(one)
    for name in os.listdir(new):
        os.rename(os.path.join(new, name), os.path.join(path, name))
    os.rmdir(new)


@debian.current
def programs(arch):
    """Root of a tree with the programs in /programs and their libraries in /lib."""
    packages = [[name, version] for name, version in debian.closure(arch, list(PROGRAMS)) if name in PROGRAMS or LIBRARIES.match(name)]
    return debian.tree(arch, packages, f'programs for {arch}', 'programs', lambda path: _reduce(arch, path))
