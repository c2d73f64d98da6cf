# SPDX-License-Identifier: MIT
"""Device trees of guests: from the kernel's package, or QEMU's own with properties set."""
import os
import shutil
import subprocess

from . import build
from .cache import Unavailable


class DtbError(Exception):
    """A device tree could not be made."""


def _run(words):
    if not shutil.which(str(words[0])):
        raise Unavailable(f'{words[0]} is not installed; {build.INSTALL}')
    done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                          encoding='utf-8', check=False)
    if done.returncode:
        raise DtbError(f'{" ".join(map(str, words))} failed: {done.stdout.strip()}')


def made(guest, binary, kernel, where):
    """Path of the device tree that QEMU is given, or None when QEMU makes it alone.

    dtb = "dump" is QEMU's own tree of this machine. Each word list of dtb-set is given to fdtput behind the file's name.
    """
    if not guest.dtb:
        return None
    path = os.path.join(where, 'dtb')
    if guest.dtb == 'dump':
        words = list(guest.machine)
        at = next(i for i, word in enumerate(words) if word in ('-M', '-machine'))
        words[at + 1] += f',dumpdtb={path}'
        _run([binary, *words, '-m', guest.memory, '-smp', guest.smp, '-nodefaults', '-display', 'none'])
    else:
        if guest.dtb not in kernel.dtbs:
            raise DtbError(f'kernel {kernel.release} has no device tree {guest.dtb}')
        shutil.copyfile(kernel.dtbs[guest.dtb], path)
    for words in guest.dtb_set:
        _run(['fdtput', '-t', words[2], path, words[0], words[1], *words[3:]])
    return path
