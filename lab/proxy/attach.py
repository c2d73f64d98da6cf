# SPDX-License-Identifier: MIT
"""Plug models into a QEMU that is about to be started, and unplug and plug them while it runs.

    with attach(program, [Device('16.0', 'snbep-imc:0', '7f:10.0')], log) as models:
        qemu = subprocess.Popen(['qemu-system-x86_64', '-m', '512', ..., *models.arguments], pass_fds=models.fds)
        models.started()
        print(models.request(execute, 'count 16.0 reads 1000'))
        qemu.wait()
    print(models.log.read_text())

The machine is 'pc' (QEMU's default): its bus takes and gives devices without a driver in the guest. So does a PCIe port of 'q35', whose one device
is 00:00.0 of root='ID OF THE PORT'. README.md says what must hold.
"""
import dataclasses
import pathlib
import re
import socket
import subprocess

MEMORY_ID = 'ntm-memory'
# Bus 0 of the machine 'pc'.
ROOT = 'pci.0'
ADDRESS = re.compile(r'([0-9a-f]{2}):([01][0-9a-f])\.([0-7])')


class AttachError(Exception):
    """One sentence for people."""


@dataclasses.dataclass(frozen=True)
class Device:
    """One PCI function. name: in log and requests; model: KIND[:ARGUMENT] as ntime-pci-model --list has them; address:
    BUS:SLOT.FUNCTION, hexadecimal as in lspci; plugged: there from the start, else it waits for the request 'plug NAME'."""
    name: str
    model: str
    address: str
    plugged: bool = True

    def place(self):
        """Bus, slot and function as numbers."""
        match = ADDRESS.fullmatch(self.address)
        if not match:
            raise AttachError(f'{self.name}: the address "{self.address}" is not BUS:SLOT.FUNCTION, 00:00.0 to ff:1f.7')
        return tuple(int(part, 16) for part in match.groups())


def check(devices):
    """Raises AttachError when no machine can have these devices."""
    names, taken = set(), {}
    for device in devices:
        bus = device.place()[0]
        if device.name in names:
            raise AttachError(f'{device.name}: two devices have this name')
        if not re.fullmatch(r'[0-9A-Za-z][0-9A-Za-z.-]*', device.name):
            raise AttachError(f'"{device.name}": a name has letters, digits, dots and hyphens')
        if bus == 1:
            raise AttachError(f'{device.name}: there can be bus 0 and buses 2 to ff, not 1')
        if device.plugged and taken.setdefault(device.place(), device.name) != device.name:
            raise AttachError(f'{device.name}: {device.address} is taken by {taken[device.place()]}')
        names.add(device.name)
    for (bus, slot, function), name in taken.items():
        if (bus, slot, 0) not in taken:
            raise AttachError(f'{name}: no system looks for function {function} where there is no function 0')


def bus_id(bus, root=ROOT):
    """QEMU's name of a bus."""
    return root if bus == 0 else f'ntm{bus:02x}'


def device_id(name):
    """QEMU's name of a device: begins with a letter, whatever the name does."""
    return 'ntm-' + name


def bus_arguments(devices):
    """A pxb is a root bus N-1 with a bridge to bus N, where the devices sit: that is how 7f gets its number."""
    buses = sorted({device.place()[0] for device in devices} - {0})
    return [word for bus in buses for word in ('-device', f'pxb,id={bus_id(bus)},bus_nr={bus - 1},bus=pci.0')]


def properties(device, devices, fd, root=ROOT):
    """QEMU's properties of a device, which -device and device_add both take."""
    bus, slot, function = device.place()
    found = {'driver': 'x-pci-proxy-dev', 'id': device_id(device.name), 'bus': bus_id(bus, root), 'addr': f'{slot:02x}.{function}',
             'fd': str(fd)}
    if any(other.place()[:2] == (bus, slot) and other.place()[2] for other in devices):
        found['multifunction'] = True
    return found


def as_option(found):
    """The properties in one word behind -device."""
    words = [found['driver']]
    for key, value in found.items():
        if key != 'driver':
            words.append(f'{key}={"on" if value is True else value}')
    return ','.join(words)


class Attached:
    """Models that are served. arguments and fds are for QEMU; call started() once QEMU runs, and stop() in the end."""

    def __init__(self, program, devices, log, memory_mb, root=ROOT):
        check(devices)
        self.root = root
        self.devices = {device.name: device for device in devices}
        self.log = pathlib.Path(log)
        self._theirs = {}
        command = [str(program), '--log', str(self.log), '--control', '0']
        ours = []
        try:
            for device in devices:
                self._theirs[device.name], end = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
                ours.append(end)
                command += ['--serve', f'{device.name}={device.model}@{end.fileno()}']
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                             pass_fds=[end.fileno() for end in ours], encoding='utf-8')
        except OSError:
            self.started()
            raise
        finally:
            for end in ours:
                end.close()
        self._fd = {name: end.fileno() for name, end in self._theirs.items()}
        self.fds = tuple(self._fd.values())
        self.arguments = ['-object', f'memory-backend-memfd,id={MEMORY_ID},size={memory_mb}M,share=on',
                          '-machine', f'memory-backend={MEMORY_ID}', *bus_arguments(devices)]
        for device in devices:
            if device.plugged:
                self.arguments += ['-device', as_option(self._properties(device))]

    def _properties(self, device):
        return properties(device, self.devices.values(), self._fd[device.name], self.root)

    def started(self):
        """QEMU has its ends now: close ours, or nobody would notice when it ends."""
        for end in self._theirs.values():
            end.close()

    def command(self, line):
        """One command of control.h; its answer without 'ok '. Raises AttachError."""
        answer = ''
        try:
            if not self._process.stdin.closed:
                self._process.stdin.write(line + '\n')
                self._process.stdin.flush()
                answer = self._process.stdout.readline().rstrip('\n')
        except BrokenPipeError:
            pass
        if not answer:
            raise AttachError(f'"{line}": the models have ended')
        if answer.startswith('error: '):
            raise AttachError(f'"{line}": {answer[7:]}')
        return answer[3:]

    def request(self, execute, text):
        """What somebody in the guest or outside wants: 'plug NAME', 'unplug NAME', or a command of control.h. execute is
        called as execute('device_del', id=...), a command of QEMU's monitor protocol. Unplugging asks the guest, which gives
        the device up a moment later. Raises AttachError, and what execute raises."""
        if '\n' in text:
            raise AttachError('a request is one line')
        verb, _, name = text.strip().partition(' ')
        if verb not in ('plug', 'unplug'):
            return self.command(text)
        if name not in self.devices:
            raise AttachError(f'"{text}": no device is called "{name}"; there are {", ".join(self.devices)}')
        if verb == 'plug':
            execute('device_add', **self._properties(self.devices[name]))
        else:
            execute('device_del', id=device_id(name))
        return ''

    def ended(self):
        """The models' exit status if they have ended already, else None."""
        return self._process.poll()

    def stop(self, timeout=60):
        """End after QEMU has ended; returns the models' exit status, which is 0 when all was well. The log is whole then."""
        self.started()
        try:
            self._process.stdin.close()
        except BrokenPipeError:
            pass
        try:
            return self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            raise AttachError('the models did not end: is QEMU still running?') from None
        finally:
            self._process.stdout.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self._process.returncode is None:
            self.stop()


def attach(program, devices, log, memory_mb=512, root=ROOT):
    """Serve devices with program (ntime-pci-model), each access a line in the file log, for a machine with memory_mb; what the
    guest has as bus 0 QEMU calls root. Raises AttachError, or OSError when the program cannot be started."""
    return Attached(program, list(devices), log, memory_mb, root)
