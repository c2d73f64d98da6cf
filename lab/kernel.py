# SPDX-License-Identifier: MIT
"""Debian's kernels for the guests: image, modules, configuration and device trees, unmodified."""
import glob
import gzip
import os
import re
import typing

from . import debian
from .cache import Unavailable

# flavour -> architecture and the package that depends on the newest kernel of it; "-6.12" behind a flavour means the newer
# kernel, which Debian 12 has in its security suite for 64 bits and in its backports for 32.
FLAVOURS = {
    'amd64': ('amd64', 'linux-image-amd64'),
    'arm64': ('arm64', 'linux-image-arm64'),
    'armmp': ('armhf', 'linux-image-armmp'),
    'rpi': ('armel', 'linux-image-rpi'),
    'amd64-6.12': ('amd64', 'linux-image-6.12-amd64'),
    'arm64-6.12': ('arm64', 'linux-image-6.12-arm64'),
    'armmp-6.12': ('armhf', 'linux-image-armmp'),
    'rpi-6.12': ('armel', 'linux-image-rpi'),
}
IN_BACKPORTS = ('armmp-6.12', 'rpi-6.12')


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
    image = _one(f'{path}/boot/vmlinuz-*', 'boot/vmlinuz-*')
    with open(image, 'rb') as f:
        data = f.read()
    # The header of Linux' EFI zboot: "MZ", "zimg", offset, size, two zeros, kind of compression.
    if data[4:8] == b'zimg' and data[24:28] == b'gzip':
        begin, size = (int.from_bytes(data[at:at + 4], 'little') for at in (8, 12))
        with open(image, 'wb') as f:
            f.write(gzip.decompress(data[begin:begin + size]))


@debian.current
def kernel(arch, flavour):
    """The kernel of a flavour; fetched if the cache has none. arch is Debian's name and must be the flavour's."""
    if flavour not in FLAVOURS or FLAVOURS[flavour][0] != arch:
        raise Unavailable(f'there is no kernel flavour {flavour} of {arch}; known are {", ".join(FLAVOURS)}')
    path = debian.tree(arch + _suite(flavour), _packages(flavour), f'kernel {flavour}', 'kernels', _plain)
    config = _one(f'{path}/boot/config-*', 'boot/config-*')
    release = os.path.basename(config)[len('config-'):]
    dtbs = {os.path.basename(name): name
            for name in sorted(glob.glob(f'{path}/usr/lib/linux-image-{release}/**/*.dtb', recursive=True))}
    return Kernel(release, _one(f'{path}/boot/vmlinuz-*', 'boot/vmlinuz-*'), f'{path}/lib/modules/{release}', config, dtbs)
