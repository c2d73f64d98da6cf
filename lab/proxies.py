# SPDX-License-Identifier: MIT
"""PCI devices of our own in a run: models behind QEMU's x-pci-proxy-dev (lab/proxy), plugged and unplugged on request of the
guest."""
import contextlib
import importlib.util
import os
import re

from . import build, cache, debian

PROGRAM = 'ntime-pci-model'
# Below build.TOP: in a source tree, and where "make install" has put it.
PLACE = ('lab/proxy', 'models/port/proxy')


class ProxyError(Exception):
    """The devices cannot be had, or a request about one cannot be fulfilled."""


def root_bus(guest):
    """QEMU's name of what the guest's devices of "bus 0" sit on: the PCIe port that its machine has for them, or bus 0 of a PC."""
    ports = [re.search(r',id=(\w+)', word) for word in guest.machine if word.startswith('pcie-root-port,')]
    return ports[0].group(1) if ports and ports[0] else 'pci.0'


def _attach_module():
    path = os.path.join(build.TOP, PLACE[build.is_installed()], 'attach.py')
    if not os.path.isfile(path):
        raise cache.Unavailable(f'{path} is missing: PCI models are for x86-64 alone')
    spec = importlib.util.spec_from_file_location('attach', path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Proxies:
    """The devices of a guest; nothing at all for a guest without."""

    def __init__(self, guest, where):
        self.guest, self.attached, self.module = guest, None, None
        self.log = os.path.join(where, 'proxy.log')
        if guest.proxy:
            self._start()

    def _start(self):
        self.module = _attach_module()
        # The program runs here, so it is this machine's build.
        program = os.path.join(build.TOP if build.is_installed() else build.programs(debian.host_arch()), PLACE[build.is_installed()], PROGRAM)
        devices = [self.module.Device(**row) for row in self.guest.proxy]
        try:
            self.attached = self.module.attach(program, devices, self.log, self.guest.memory, root_bus(self.guest))
        except (self.module.AttachError, OSError) as e:
            raise ProxyError(f'{self.guest.name}: its PCI models cannot be started: {e}') from None

    def words(self):
        """QEMU's options for the devices that are there from the start."""
        return self.attached.arguments if self.attached else []

    def fds(self):
        """File descriptors that QEMU needs."""
        return list(self.attached.fds) if self.attached else []

    def started(self):
        """QEMU runs: let go of its ends."""
        if self.attached:
            self.attached.started()

    def request(self, monitor, text):
        """Do what a program in the guest asked for; returns the answer. Raises ProxyError, and what the monitor raises."""
        if not self.attached:
            raise ProxyError(f"{self.guest.name} has no devices to ask for: '{text}'")
        try:
            return self.attached.request(monitor.execute, text)
        except self.module.AttachError as e:
            raise ProxyError(str(e)) from None

    def check(self):
        """Raises ProxyError when the models died; they end by themselves, and well, when QEMU does."""
        if status := self.attached.ended() if self.attached else None:
            raise ProxyError(f'{self.guest.name}: its PCI models ended during the run, with {status}; {self._last()}')

    def finish(self):
        """End the models, after QEMU. Raises ProxyError when they do not end well."""
        attached, self.attached = self.attached, None
        if not attached:
            return
        try:
            status = attached.stop()
        except (self.module.AttachError, OSError) as e:
            raise ProxyError(f'{self.guest.name}: its PCI models: {e}') from None
        if status:
            raise ProxyError(f'{self.guest.name}: its PCI models ended with {status}; {self._last()}')

    def _last(self):
        """What they said last."""
        with contextlib.suppress(OSError), open(self.log, encoding='utf-8', errors='replace') as f:
            if line := f.read().strip().split('\n')[-1]:
                return f'their last line: {line}'
        return 'they said nothing'
