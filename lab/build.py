# SPDX-License-Identifier: MIT
"""ntime, the guest tests and the workloads, built for an architecture in build-lab/ARCH of the checkout."""
import glob
import json
import os
import re
import shutil
import subprocess

from . import cache, debian, sysroot
from .cache import Broken, Unavailable

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# meson's names of the machine
CPUS = {'amd64': ('x86_64', 'x86_64'), 'arm64': ('aarch64', 'armv8-a'), 'armhf': ('arm', 'armv7-a'), 'armel': ('arm', 'armv6'),
        'riscv64': ('riscv64', 'rv64gc'), 'ppc64el': ('ppc64', 'power8')}
# What installs tools that are missing.
INSTALL = 'scripts/install-deps build lab of a source tree installs it, or apt-get install the package of that name'
YARDS = ','.join(yard for yard in ('count', 'driver', 'trace', 'gl', 'lab') if os.path.isdir(os.path.join(TOP, yard)))
OPTIONS = ('-Dbuildtype=release', '-Dtests=false', '-Dlab=true', '-Dwerror=false', f'-Dyards={YARDS}')
SHOWN_LINES = 40
# Names of dynamic loaders; POWER's is the second.
LOADERS = ('ld-linux', 'ld64.so')


def is_installed():
    """Whether this is no source tree: TOP has programs then (README.md, "An installed copy")."""
    return not os.path.isfile(os.path.join(TOP, 'meson.build'))


def folder(arch):
    """The build directory; it need not exist."""
    return os.path.join(TOP, 'build-lab', arch)


def compiler(arch):
    """Prefix of the compiler's name; Unavailable when it is not installed."""
    if arch == debian.host_arch():
        return ''
    prefix = sysroot.triplet(arch) + '-'
    if not shutil.which(prefix + 'gcc'):
        raise Unavailable(f'{prefix}gcc is not installed; as root: apt-get install gcc-{sysroot.triplet(arch)}')
    return prefix


def kernel_compiler(prefix):
    """The compiler for kernels and modules: Debian's kernels of this release are made by gcc-12, and of another version their
    make complains."""
    found = next((prefix + name for name in ('gcc-12', 'gcc') if shutil.which(prefix + name)), None)
    if not found:
        raise Unavailable(f'{prefix}gcc is not installed; {INSTALL}')
    return found


def succeeds(command):
    """Whether a command ends well; it says nothing."""
    return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0


def cross_file(arch, root):
    """Text of meson's description of the architecture."""
    prefix, triplet = compiler(arch), sysroot.triplet(arch)
    family, cpu = CPUS[arch]
    # Debian's compiler for armel makes ARMv5 code, as its packages are; the guest is an ARM1176.
    args = [f'--sysroot={root}'] + (['-march=armv6'] if arch == 'armel' else [])
    # The C library beside the cross compiler is that of Debian 12, which it would take first.
    if arch in debian.LATER_ARCHES:
        args += [f'-B{root}/usr/lib/{triplet}', f'-L{root}/usr/lib/{triplet}']
    words = ', '.join(f"'{arg}'" for arg in args)
    # pcfiledir of each package begins with the sysroot, so no second one is put before its paths. Meson finds ccache by itself for this machine alone.
    return f"""[binaries]
c = {[*(['ccache'] if shutil.which('ccache') else []), prefix + 'gcc']}
ar = '{prefix}gcc-ar'
strip = '{prefix}strip'
pkgconfig = 'pkg-config'
[properties]
sys_root = '{root}'
pkg_config_libdir = '{root}/usr/lib/{triplet}/pkgconfig:{root}/usr/share/pkgconfig'
[built-in options]
c_args = [{words}]
c_link_args = [{words}]
[host_machine]
system = 'linux'
cpu_family = '{family}'
cpu = '{cpu}'
endian = 'little'
"""


def _run(command, what):
    done = cache.run(command, cwd=TOP, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding='utf-8', errors='replace')
    if done.returncode:
        lines = done.stdout.rstrip('\n').split('\n')[-SHOWN_LINES:]
        raise Broken(f'{what} failed: {" ".join(command)}\n' + '\n'.join(lines))


def _configure(arch, path):
    """Configure the build directory, unless it is for just this sysroot and compiler."""
    root = sysroot.sysroot(arch)
    text = '' if root == '/' else cross_file(arch, root)
    cross = path + '.cross'
    known = None
    if os.path.exists(cross):
        with open(cross, encoding='utf-8') as f:
            known = f.read()
    if known == text and os.path.exists(f'{path}/build.ninja'):
        return
    if os.path.exists(path):
        shutil.rmtree(path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(cross, 'w', encoding='utf-8') as f:
        f.write(text)
    # meson writes build.ninja last, so a configuration that broke off is made again.
    _run(['meson', 'setup', path, *(['--cross-file', cross] if text else []), *OPTIONS], f'configuring ntime for {arch}')


def programs(arch):
    """The build directory with everything built from the checkout as it is now."""
    path = folder(arch)
    with cache.lock(path + '.lock', f'the build for {arch}'):
        for tool in ('meson', 'ninja'):
            if not shutil.which(tool):
                raise Unavailable(f'{tool} is not installed; {INSTALL}')
        if os.path.exists(f'{path}/build.ninja'):
            _configure(arch, path)
            _run(['ninja', '--quiet', '-C', path], f'building ntime for {arch}')
        else:
            with cache.step(f'ntime for {arch}'):
                _configure(arch, path)
                _run(['ninja', '--quiet', '-C', path], f'building ntime for {arch}')
    return path


# -- what of it a guest needs

class Missing(Exception):
    """A program cannot be put into a guest: a library of it is nowhere, or it is no whole program."""


def needed(path):
    """(libraries, those that it can do without, loader) of an ELF file: the second are loaded when they are needed (base/lazy)."""
    if not shutil.which('readelf'):
        raise Unavailable('readelf is not installed; as root: apt-get install binutils')
    done = subprocess.run(['readelf', '-dlW', '-p', '.note.dlopen', path], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          encoding='utf-8', errors='replace', check=False)
    if done.returncode:
        raise Missing(f'readelf cannot read {path} ({done.stderr.strip()})')
    loader = re.search(r'program interpreter: ([^\]]+)\]', done.stdout)
    loaded = [name for note in re.findall(r'\[\{.*\}\]', done.stdout) for entry in json.loads(note) for name in entry['soname']]
    return re.findall(r'\(NEEDED\)\s+Shared library: \[([^\]]+)\]', done.stdout), loaded, loader and loader.group(1)


def closure(arch, root, paths, first=()):
    """[(guest path, host path)] of all libraries and loaders that the programs need.

    root is the tree that has them, first are folders to look in before it.
    """
    found, todo, seen = {}, list(paths), set()
    places = [*first, *sysroot.library_folders(root, arch)]
    while todo:
        program = todo.pop()
        libraries, loaded, loader = needed(program)
        if loader:
            found[loader] = os.path.realpath(('' if root == '/' else root) + loader)
        for name in libraries + loaded:
            if name in seen:
                continue
            seen.add(name)
            for folder_ in places:
                path = os.path.join(folder_, name)
                if os.path.exists(path):
                    break
            else:
                if name in loaded:
                    continue
                raise Missing(f'{program} needs the library {name}, which is not in {", ".join(places)}')
            # The loader is named as a library too; it lies where the programs look for it.
            if not name.startswith(LOADERS):
                found[f'/lib/{sysroot.triplet(arch)}/{name}'] = os.path.realpath(path)
            todo.append(os.path.realpath(path))
    return sorted(found.items())


def is_program(path):
    """An executable file that is ELF."""
    if not os.path.isfile(path) or not os.access(path, os.X_OK):
        return False
    with open(path, 'rb') as f:
        return f.read(4) == b'\x7fELF'


def runtime(arch):
    """[(guest path, host path)]: the command, the guest tests and workloads in /lab, and every library that they need.

    Call it after programs(arch).
    """
    path = folder(arch)
    # What "ntime trace" executes is found beside the command.
    found = {'/bin/ntime': f'{path}/count/cli/ntime', '/bin/ntime-trace': f'{path}/trace/cli/ntime-trace'}
    for place in ('lab/tests', 'bench/lab'):
        for program in sorted(filter(is_program, glob.glob(f'{path}/{place}/*'))):
            found['/lab/' + os.path.basename(program)] = program
    try:
        libraries = closure(arch, sysroot.sysroot(arch), found.values(), [f'{path}/count/lib', f'{path}/count/compat/rpi_pmu'])
    except Missing as e:
        raise Broken(f'what was built for {arch} cannot run: {e}') from None
    return sorted(found.items()) + libraries
