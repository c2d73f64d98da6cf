# SPDX-License-Identifier: MIT
"""Who ntime's counts and costs are compared with in a guest: perf and PAPI, as Debian ships them, with the libraries they need."""
import glob
import os
import re
import shutil

from . import build, debian, sysroot
from .cache import Unavailable
from .programs import programs  # noqa: F401  (a peer of others in the guest)

# perf can run scripts in Perl and Python, and its package wants both whole; counting needs their shared libraries alone.
LIBRARIES = re.compile(r'(lib|zlib1g)')
NO_LIBRARIES = re.compile(r'(libpython3[\d.]*-(stdlib|minimal)$|libperl4|.*-data$|.*-common$)')


def _reduce(arch, path, pattern, also=()):
    """Leave of a tree the programs of usr/bin that match, the files that match also, and the libraries of both."""
    sysroot.make_links_relative(path)
    programs = [name for name in sorted(glob.glob(f'{path}/usr/bin/{pattern}')) if build.is_program(name)]
    if not programs:
        raise Unavailable(f'the package has no program usr/bin/{pattern}; its packaging has changed')
    wanted = {'/bin/' + os.path.basename(name): name for name in programs}
    try:
        wanted.update(build.closure(arch, path, programs))
    except build.Missing as e:
        raise Unavailable(f'{e}; the packaging of Debian has changed') from None
    for library in also:
        for name in glob.glob(f'{path}/usr/lib/*/{library}'):
            wanted[f'/lib/{os.path.basename(os.path.dirname(name))}/{os.path.basename(name)}'] = os.path.realpath(name)
    old, new = os.path.join(path, '.old'), os.path.join(path, '.new')
    for guest, name in wanted.items():
        os.makedirs(os.path.dirname(new + guest), exist_ok=True)
        shutil.copy2(name, new + guest)
    os.mkdir(old)
    for name in os.listdir(path):
        if name not in ('.old', '.new'):
            os.rename(os.path.join(path, name), os.path.join(old, name))
    for name in os.listdir(new):
        os.rename(os.path.join(new, name), os.path.join(path, name))
    os.rmdir(new)
    shutil.rmtree(old)


def only_libraries(packages, *programs):
    """Of what packages need, these and what holds shared libraries."""
    return [[name, version] for name, version in packages
            if name in programs or (LIBRARIES.match(name) and not NO_LIBRARIES.match(name))]


def known(arch, names):
    """Those of the peers that there are for an architecture. The programs are those of Debian 12."""
    without = {'papi': sysroot.WITHOUT_PAPI, 'programs': debian.LATER_ARCHES}
    return [name for name in names if arch not in without.get(name, ())]


@debian.current
def perf(arch):
    """Root of a tree with bin/perf and its libraries in lib."""
    packages = only_libraries(debian.closure(arch, ['linux-perf']), 'linux-perf')
    return debian.tree(arch, packages, f'perf for {arch}', 'perf', lambda path: _reduce(arch, path, 'perf'))


@debian.current
def papi(arch):
    """Root of a tree with PAPI's tools (papi_avail, papi_native_avail...) in bin, and its libraries in lib."""
    if arch in sysroot.WITHOUT_PAPI:
        raise Unavailable(f'Debian has no PAPI for {arch}')
    packages = only_libraries(debian.closure(arch, ['papi-tools']), 'papi-tools')
    return debian.tree(arch, packages, f'PAPI for {arch}', 'papi',
                       lambda path: _reduce(arch, path, 'papi_*', ['libpapi.so.*', 'libsde.so.*']))
