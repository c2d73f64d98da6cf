# SPDX-License-Identifier: MIT
"""Kernels in the form that boots fastest.

A PC's kernel unpacks itself, which takes three to four seconds when a CPU is emulated (Debian packs it with xz). Unpacked here
once, QEMU starts the ELF file inside through its PVH entry point (CONFIG_PVH). Such a kernel lies at its linked address: KASLR
is done by the part that is left out. Where the packed kernel is: Documentation/arch/x86/boot.rst of Linux.
"""
import gzip
import lzma
import os
import shutil
import struct
import subprocess
import zlib

from . import cache

SETUP_SECTORS, MAGIC, PAYLOAD = 0x1f1, 0x202, 0x248
FORMS = (
    (b'\xfd7zXZ\0', lambda data: lzma.LZMADecompressor().decompress(data)),
    (b'\x1f\x8b', gzip.decompress),
    (b'\x28\xb5\x2f\xfd', lambda data: _through('zstd', data)),
    (b'\x02\x21\x4c\x18', lambda data: _through('lz4', data)),
)


def _through(tool, data):
    """What "TOOL -dc" makes of it, or None where the tool is not installed or does not like it."""
    if not shutil.which(tool):
        return None
    done = subprocess.run([tool, '-dc'], input=data, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return done.stdout or None


def unpacked(image):
    """The ELF file inside a bzImage (bytes), or None when it cannot be taken out; then the packed one boots."""
    if image[MAGIC:MAGIC + 4] != b'HdrS' or len(image) < PAYLOAD + 8:
        return None
    offset, length = struct.unpack_from('<II', image, PAYLOAD)
    begin = ((image[SETUP_SECTORS] or 4) + 1) * 512 + offset
    packed = image[begin:begin + length]
    form = next((form for magic, form in FORMS if packed.startswith(magic)), None)
    try:
        # Behind the stream stand four bytes with the size of what it unpacks to.
        kernel = form(packed[:-4] if packed[:2] == b'\x1f\x8b' else packed) if form else None
    except (lzma.LZMAError, OSError, EOFError, zlib.error):
        kernel = None
    return kernel if kernel and kernel[:4] == b'\x7fELF' else None


def _has_pvh(config):
    with open(config, encoding='ascii', errors='replace') as f:
        return 'CONFIG_PVH=y' in f.read().split('\n')


def fastest(kernel, arch):
    """Path of the image that QEMU shall boot."""
    if arch != 'amd64' or not _has_pvh(kernel.config):
        return kernel.image

    def fill(path):
        with open(kernel.image, 'rb') as f:
            data = unpacked(f.read())
        if data:
            with open(os.path.join(path, 'vmlinux'), 'wb') as f:
                f.write(data)
    with open(kernel.image, 'rb') as f:
        name = f'vmlinux-{kernel.release}-{cache.digest(f.read())}'
    path = os.path.join(cache.folder('boot', name, fill, f'kernel {kernel.release}'), 'vmlinux')
    return path if os.path.exists(path) else kernel.image
