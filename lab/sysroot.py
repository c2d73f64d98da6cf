# SPDX-License-Identifier: MIT
"""Headers and libraries of an architecture, to build ntime for its guests and to run it there."""
import os

from . import cache, debian

# What the build needs, and with it come all libraries at run time. libpapi: the peer of bench/.
PACKAGES = ('libc6-dev', 'libgcc-s1', 'libpfm4-dev', 'libhwloc-dev', 'libjansson-dev', 'libcmocka-dev', 'libpapi-dev')
# Debian has no PAPI for them; bench/ is built without.
WITHOUT_PAPI = ('riscv64',)
TRIPLETS = {'amd64': 'x86_64-linux-gnu', 'arm64': 'aarch64-linux-gnu', 'armhf': 'arm-linux-gnueabihf',
            'armel': 'arm-linux-gnueabi', 'riscv64': 'riscv64-linux-gnu', 'ppc64el': 'powerpc64le-linux-gnu'}


def triplet(arch):
    """GNU's name of Debian's architecture: prefix of compilers, and folder of libraries."""
    return TRIPLETS[arch]


def library_folders(root, arch):
    """Where the loader of this architecture looks."""
    base = '' if root == '/' else root
    return [f'{base}{folder}' for folder in (f'/lib/{TRIPLETS[arch]}', f'/usr/lib/{TRIPLETS[arch]}', '/lib', '/usr/lib')]


def make_links_relative(root):
    """A link to /usr/... means the tree it lies in, not this machine."""
    for folder, folders, files in os.walk(root):
        for name in folders + files:
            path = os.path.join(folder, name)
            if os.path.islink(path) and os.readlink(path).startswith('/'):
                target = os.path.relpath(root + os.readlink(path), os.path.realpath(folder))
                os.unlink(path)
                os.symlink(target, path)


@debian.current
def sysroot(arch, packages=PACKAGES):
    """Root of the tree; for this machine's own architecture the machine itself."""
    if arch not in TRIPLETS:
        raise cache.Unavailable(f'the lab knows no architecture {arch}; it knows {", ".join(TRIPLETS)}')
    if arch == debian.host_arch():
        return '/'
    names = [name for name in packages if arch not in WITHOUT_PAPI or not name.startswith('libpapi')]
    return debian.tree(arch, debian.closure(arch, names), f'libraries of {arch}', 'sysroots', make_links_relative)
