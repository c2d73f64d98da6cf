# SPDX-License-Identifier: MIT
"""Fetch and build what guests need before they run; remember what is there."""
import math
import os
import tempfile
import time

from . import bootimage, build, cache, debian, driver, dtb, kernel, payload, peers, qemu
from .options import EXIT_FAILED, EXIT_UNAVAILABLE, PEERS, say

FAILURES = (cache.Broken, payload.PayloadError, dtb.DtbError)


def _mark(guest):
    return os.path.join(cache.root(), 'prepared', guest.name + '.json')


def remember(guest, paths):
    """Note the files that a guest was booted or prepared from."""
    paths = sorted(str(path) for path in paths)
    if (cache.read_json(_mark(guest)) or {}).get('paths') != paths:
        cache.write_json(_mark(guest), {'paths': paths, 'date': time.strftime('%Y-%m-%d')})


def is_prepared(guest):
    """True when a guest was prepared, and everything is still there."""
    paths = (cache.read_json(_mark(guest)) or {}).get('paths')
    return bool(paths) and all(os.path.exists(path) for path in paths)


# Of what is fetched, in MB, and of what is built, in minutes of two CPUs. The first is the size of Debian 12's packages of amd64; the
# others are rough.
KERNEL_MB, LATER_MB, LIBRARIES_MB, QEMU_MB, LINUX_MB = 72, 60, 90, 130, 140
NTIME_MINUTES, QEMU_MINUTES, LINUX_MINUTES = 1, 2, 10
MB_PER_S = 2


def _needs(guest):
    """[(what, MB, minutes)] of a guest that was never started."""
    needs = [('Linux with its own checks', LINUX_MB, LINUX_MINUTES)] if guest.kernel in kernel.OWN else \
        [(f'the kernel {guest.kernel} and busybox', KERNEL_MB, 0)]
    needs += [('a later QEMU', LATER_MB, 0)] if guest.qemu == 'later' else []
    if not build.is_installed():
        needs += [('QEMU with our models', QEMU_MB, QEMU_MINUTES)] if guest.qemu == 'ntime' else []
        foreign = guest.arch != debian.host_arch()
        needs.append((f'ntime for {guest.arch}', LIBRARIES_MB if foreign else 0, NTIME_MINUTES))
    return needs


def check(guest):
    """Raise Unavailable for what nothing here can fetch or build, before the rest is fetched; tell what will be, and how long."""
    payload.check_sources(guest.arch, guest.qemu)
    qemu.check(guest.arch, guest.qemu)
    payload.check_compiler(guest.arch)
    if is_prepared(guest):
        return
    needs = _needs(guest)
    size, minutes = sum(need[1] for need in needs), sum(need[2] for need in needs)
    parts = [f'fetches {size} MB ({math.ceil(size / MB_PER_S / 60)} min at {MB_PER_S} MB/s)'] if size else []
    parts += [f'builds for {minutes} min and more'] if minutes else []
    say(f'{guest.name} is not prepared: {" and ".join(parts)} what is not in {cache.root()}: {", ".join(n[0] for n in needs)}')


def one(guest):
    """Fetch and build all that a guest needs, peers too, and make its files once. Raises what the parts raise."""
    check(guest)
    image = kernel.kernel(guest.arch, guest.kernel)
    binary = qemu.qemu(guest.arch, guest.qemu)
    if not build.is_installed() and driver.is_here() and driver.is_for(guest.arch):
        driver.module(guest.kernel)
    with tempfile.TemporaryDirectory(prefix='ntime-lab-') as where:
        payload.write_initrd(guest, image, ['true'], {'peers': peers.known(guest.arch, PEERS)}, os.path.join(where, 'initrd'))
        dtb.made(guest, binary, image, where)
    if guest.proxy and not build.is_installed():
        build.programs(debian.host_arch())
    remember(guest, [image.image, bootimage.fastest(image, guest.arch), binary])


def all_of(guests):
    """Prepare guests one after the other; a guest that cannot be prepared does not stop the others."""
    failures, unavailable = 0, 0
    for number, guest in enumerate(guests, 1):
        begin = time.monotonic()
        say(f'[{number}/{len(guests)}] {guest.name}')
        try:
            one(guest)
        except cache.Unavailable as e:
            unavailable += 1
            say(f'{guest.name} cannot be prepared on this machine: {e}')
            continue
        except FAILURES as e:
            failures += 1
            say(f'{guest.name} cannot be prepared: {e}')
            continue
        except OSError as e:
            failures += 1
            say(f'{guest.name} cannot be prepared: {e.filename or "the system"}: {e.strerror}')
            continue
        say(f'[{number}/{len(guests)}] {guest.name} is prepared ({time.monotonic() - begin:.1f} s)')
    return EXIT_FAILED if failures else EXIT_UNAVAILABLE if unavailable else 0
