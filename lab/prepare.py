# SPDX-License-Identifier: MIT
"""Fetch and build what guests need before they run; remember what is there."""
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


def one(guest):
    """Fetch and build all that a guest needs, peers too, and make its files once. Raises what the parts raise."""
    payload.check_sources(guest.arch, guest.qemu)
    image = kernel.kernel(guest.arch, guest.kernel)
    binary = qemu.qemu(guest.arch, guest.qemu)
    if payload.has_sources() and driver.is_for(guest.arch):
        kernel.headers(guest.arch, guest.kernel)
    if payload.has_sources() and driver.is_here() and driver.is_for(guest.arch):
        driver.module(guest.kernel)
    with tempfile.TemporaryDirectory(prefix='ntime-lab-') as where:
        payload.write_initrd(guest, image, ['true'], {'peers': peers.known(guest.arch, PEERS)}, os.path.join(where, 'initrd'))
        dtb.made(guest, binary, image, where)
    if guest.proxy:
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
