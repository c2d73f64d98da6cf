# SPDX-License-Identifier: MIT
"""The command line of QEMU for a guest."""
from . import qemu

# Port kinds: options of QEMU (with the chardev "port"), the modules that the guest needs, and its device file.
PORT_OPTIONS = {
    'serial': (['-serial', 'chardev:port'], [], None),
    # The first line, the console being the second: where only the first one is a whole UART.
    'serial-first': (['-serial', 'chardev:port'], [], None),
    'pci-serial': (['-device', 'pci-serial,chardev=port'], [], None),
    'virtio': (['-device', 'virtio-serial-pci', '-device', 'virtserialport,chardev=port,name=lab'],
               ['virtio_pci', 'virtio_console'], 'vport0p1'),
}


FIRMWARE = ('/usr/share/seabios', '/usr/share/qemu')


def port_device(guest):
    """Device file of the guest's result port."""
    return '/dev/' + (guest.device or PORT_OPTIONS[guest.port][2])


def port_modules(guest):
    """Kernel modules that the result port needs."""
    return PORT_OPTIONS[guest.port][1]


def _channel(name, fd):
    return ['-chardev', f'socket,id={name},fd={fd}']


def kernel_words(guest, more=''):
    """The kernel's command line. A panic ends QEMU at once (panic=-1 with -no-reboot); the self-tests of the kernel's cryptography
    take 1.5 s of 3.7 s on x86 and show nothing about counters. A PC's kernel waits for ten timer interrupts within a time that a busy host does
    not grant, and panics where none of its ways to get them seems to work."""
    words = [f'console={guest.console}', 'panic=-1', 'loglevel=5', 'cryptomgr.notests', *(['no_timer_check'] if guest.arch == 'amd64' else []),
             guest.append, more]
    return ' '.join(word for word in words if word)


def command_line(guest, binary, kernel, initrd, fds, dtb=None, append='', more=()):
    """QEMU's words. fds: file descriptors of the console, the result port and the monitor (QMP)."""
    words = [str(binary), '-nodefaults', '-no-user-config', '-display', 'none', '-no-reboot',
             '-name', f'ntime-lab-{guest.name}', *guest.machine, '-m', str(guest.memory), '-smp', guest.smp]
    if guest.qemu == 'later':
        words += ['-bios', qemu.firmware(str(binary), guest.qemu)]
    if guest.qemu == 'ntime':
        # Firmware comes with the distribution's packages; where they put it is built into their emulators only.
        words += [word for path in FIRMWARE for word in ('-L', path)]
    if guest.icount is not False:
        words += ['-icount', f'shift={guest.icount}']
    lines = [_channel('console', fds['console']) + ['-serial', 'chardev:console'],
             _channel('port', fds['port']) + PORT_OPTIONS[guest.port][0]]
    for line in reversed(lines) if guest.port == 'serial-first' else lines:
        words += line
    words += _channel('monitor', fds['monitor']) + ['-mon', 'chardev=monitor,mode=control']
    words += ['-kernel', str(kernel), '-initrd', str(initrd)]
    if dtb:
        words += ['-dtb', str(dtb)]
    return words + ['-append', kernel_words(guest, append), *more]
