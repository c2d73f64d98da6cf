# SPDX-License-Identifier: MIT
"""Kernels for the guests: image, modules, configuration and device trees, unmodified; and what modules are built against."""
import glob
import gzip
import os
import re
import typing

from . import debian, linux
from .cache import Unavailable

# flavour -> architecture and the package that depends on the newest kernel of it; "-6.12" behind a flavour means the newer
# kernel, which Debian 12 has in its security suite for 64 bits and in its backports for 32.
FLAVOURS = {
    'amd64': ('amd64', 'linux-image-amd64'),
    'arm64': ('arm64', 'linux-image-arm64'),
    'armmp': ('armhf', 'linux-image-armmp'),
    'rpi': ('armel', 'linux-image-rpi'),
    'riscv64': ('riscv64', 'linux-image-riscv64'),
    'powerpc64le': ('ppc64el', 'linux-image-powerpc64le'),
    'amd64-6.12': ('amd64', 'linux-image-6.12-amd64'),
    'arm64-6.12': ('arm64', 'linux-image-6.12-arm64'),
    'armmp-6.12': ('armhf', 'linux-image-armmp'),
    'rpi-6.12': ('armel', 'linux-image-rpi'),
}
# Built here, from Debian's source and a configuration of ours (linux.py).
OWN = {'amd64-debug': 'amd64'}
IN_BACKPORTS = ('armmp-6.12', 'rpi-6.12')


def arch_of(flavour):
    """Debian's name of a flavour's architecture. Raises Unavailable for a flavour that there is not."""
    if flavour in OWN:
        return OWN[flavour]
    if flavour not in FLAVOURS:
        raise Unavailable(f'there is no kernel flavour {flavour}; known are {", ".join([*FLAVOURS, *OWN])}')
    return FLAVOURS[flavour][0]


def _check(arch, flavour):
    if arch_of(flavour) != arch:
        raise Unavailable(f'kernel flavour {flavour} is none of {arch}, it is for {arch_of(flavour)}')


class Kernel(typing.NamedTuple):
    release: str                    # as uname -r says
    image: str                      # what QEMU's -kernel takes
    modules: str                    # lib/modules/RELEASE
    config: str
    dtbs: typing.Dict[str, str]     # name of a device tree -> its file


def _suite(flavour):
    """What to put behind an architecture, so that lab/debian.py looks where the flavour is."""
    return debian.BACKPORTS if flavour in IN_BACKPORTS else ''


def _packages(flavour):
    """[[name, version]] of the image package that the flavour's meta-package stands for."""
    arch, meta = FLAVOURS[flavour]
    record = debian.provides(arch + _suite(flavour), meta)
    if not record:
        raise Unavailable(f'Debian {debian.codename()} has no {meta} for {arch}, so there is no kernel {flavour}')
    wanted = flavour.partition('-')[2] or r'\d'
    names = re.findall(rf'(linux-image-{wanted}[^ ,]*)', record.get('Depends', ''))
    if not names:
        raise Unavailable(f'{meta} {record["Version"]} is no kernel {flavour}: it depends on {record.get("Depends")}')
    return debian.versions(arch + _suite(flavour), names[:1])


def _one(pattern, what):
    found = glob.glob(pattern)
    if len(found) != 1:
        raise Unavailable(f'the kernel package has {len(found)} files {what}, expected one; its packaging has changed')
    return found[0]


def _plain(path):
    """Kernels that are packed as a whole are unpacked: QEMU 7.2 takes an arm64 Image, and no EFI program around one."""
    image = _one(f'{path}/boot/vmlinu[xz]-*', 'boot/vmlinu[xz]-*')
    with open(image, 'rb') as f:
        data = f.read()
    # The header of Linux' EFI zboot: "MZ", "zimg", offset, size, two zeros, kind of compression.
    if data[4:8] == b'zimg' and data[24:28] == b'gzip':
        begin, size = (int.from_bytes(data[at:at + 4], 'little') for at in (8, 12))
        with open(image, 'wb') as f:
            f.write(gzip.decompress(data[begin:begin + size]))


def _own(path):
    with open(f'{path}/boot/release', encoding='ascii') as f:
        release = f.read().strip()
    return Kernel(release, f'{path}/boot/vmlinuz', f'{path}/modules', f'{path}/boot/config', {})


@debian.current
def kernel(arch, flavour):
    """The kernel of a flavour; fetched if the cache has none. arch is Debian's name and must be the flavour's."""
    _check(arch, flavour)
    if flavour in OWN:
        return _own(linux.debug_kernel())
    path = debian.tree(arch + _suite(flavour), _packages(flavour), f'kernel {flavour}', 'kernels', _plain)
    config = _one(f'{path}/boot/config-*', 'boot/config-*')
    release = os.path.basename(config)[len('config-'):]
    dtbs = {os.path.basename(name): name
            for name in sorted(glob.glob(f'{path}/usr/lib/linux-image-{release}/**/*.dtb', recursive=True))}
    return Kernel(release, _one(f'{path}/boot/vmlinu[xz]-*', 'boot/vmlinu[xz]-*'), f'{path}/lib/modules/{release}', config, dtbs)


# -- what modules are built against

# The headers of one kernel name those of all its flavours by an absolute path: it is written relative to the file that names it.
INCLUDE = re.compile(r'^include /usr/src/', re.MULTILINE)
BESIDE = 'include $(dir $(realpath $(lastword $(MAKEFILE_LIST))))../'
# Headers depend on the compiler and on the tools of this machine's architecture as well; the compiler is ours to choose.
HEADERS = re.compile(r'(linux-headers-[^ ,(]+-common[^ ,(]*)')
KBUILD = re.compile(r'(linux-kbuild-[^ ,(]+)')


def _header_packages(flavour):
    """(packages of the flavour's architecture, the one of this machine's): headers for just the image's version, and kbuild."""
    arch, host = FLAVOURS[flavour][0] + _suite(flavour), debian.host_arch() + _suite(flavour)
    image, version = _packages(flavour)[0]
    name = image.replace('linux-image-', 'linux-headers-', 1)
    record = debian.provides(arch, name)
    if not record:
        raise Unavailable(f'Debian {debian.codename()} has no {name} for {arch}, so no module can be built for {flavour}')
    common, kbuild = (pattern.search(record.get('Depends', '')) for pattern in (HEADERS, KBUILD))
    if not common or not kbuild:
        raise Unavailable(f'{name} {record["Version"]} names no common headers or no kbuild: it depends on {record.get("Depends")}')
    return [[name, version], [common.group(1), version]], [(host, debian.versions(host, [kbuild.group(1)]))]


def _relocate(path):
    """Let the Makefiles of headers find each other wherever the tree lies."""
    for makefile in glob.glob(f'{path}/usr/src/linux-headers-*/Makefile'):
        with open(makefile, encoding='utf-8') as f:
            text = f.read()
        if INCLUDE.search(text):
            with open(makefile, 'w', encoding='utf-8') as f:
                f.write(INCLUDE.sub(lambda _: BESIDE, text))


@debian.current
def headers(arch, flavour):
    """The folder to build modules of a flavour in ("make -C"); fetched if the cache has none. Its packages are not installed:
    those of other architectures would bring compilers of theirs."""
    _check(arch, flavour)
    if flavour in OWN:
        return f'{linux.debug_kernel()}/headers'
    packages, also = _header_packages(flavour)
    path = debian.tree(arch + _suite(flavour), packages, f'headers of kernel {flavour}', 'headers', _relocate, also)
    return _one(f'{path}/usr/src/{packages[0][0]}', f'usr/src/{packages[0][0]}')
