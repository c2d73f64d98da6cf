# SPDX-License-Identifier: MIT
"""
Machines of the command's tests: recorded ones for ntime-sim (count/tests/sim), as they are in the tree and of other sizes, and one of plain files
below a root directory.
"""
import json
import os
import platform
import struct
import tempfile
import zlib

from command import ROOT, Skip

WRITTEN = tempfile.TemporaryDirectory()    # pylint: disable=consider-using-with


def recording(name):
    return os.path.join(ROOT, 'count/tests/machine', name)


# More events than the recorded server has counters for.
MANY = ','.join(f'cpu/event={code:#x}/' for code in range(0x80, 0x88))
# Two CPUs without a core PMU.
GUEST = recording('vm-kvm.json')


def server(sockets=1, cores=2, threads=1, msr=None, clock=None, **counting):
    """
    The recorded server, with so many cores a socket and threads a core; its file's name. It counts at constant rates, and its clock moves by 10 ms
    whenever it is asked unless there is another one. Registers are those of CPU 0, but for @msr: of each CPU a dict.
    """
    with open(recording('intel-skx-2s.json'), encoding='utf-8') as f:
        m = json.load(f)
    cpus = sockets * cores * threads
    m['topology'] = {'synthetic': f'package:{sockets} [numa] core:{cores} pu:{threads}'}
    for name in ('online', 'possible', 'present'):
        m['files'][f'/sys/devices/system/cpu/{name}'] = f'0-{cpus - 1}\n'
    for name in m['files']:
        if name.endswith('/cpumask'):
            m['files'][name] = ','.join(str(i * cores * threads) for i in range(sockets)) + '\n'
    every = {address: value for of in m['registers']['msr'].values() for address, value in of.items()}
    m['registers']['msr'] = {str(cpu): {**every, **of} for cpu, of in enumerate(msr)} if msr else {'*': every}
    del m['counting']['wobble']
    m['counting'].update(counting, **({'clock': clock} if clock else {}))
    with tempfile.NamedTemporaryFile('w', dir=WRITTEN.name, suffix='.json', delete=False, encoding='utf-8') as f:
        json.dump(m, f)
    return f.name


# ---- what a killed program left ----

SELECT, ENABLE = 0x3c2, 0x391
with open('/proc/sys/kernel/random/boot_id', encoding='ascii') as boot_file:
    BOOT = boot_file.read().strip()


def line(*fields):
    """A line of a record, count/lib/access/claim_file.h."""
    body = ''.join(f'{field}\t' for field in fields).encode().ljust(247)
    return body + b'%08x\n' % zlib.crc32(body)


def uncore(cpu, last, then, ours='0x400183', package=-1):
    """The control register of counter 2 there, and what a program wrote to it."""
    return ('msr', '0x3c2', 64, f'CPU {cpu}', package, 'MSR_UNCORE_PERFEVTSEL2', last, then, ours)


OURS = uncore(0, '0x20183', '0x420183', package=0)


class Machine(tempfile.TemporaryDirectory):
    """A killed program had CPU 0's uncore counter 2, which runs, beside others in the register that they share."""

    def __init__(self, *more, needs_msrs=True):
        if needs_msrs and platform.machine() != 'x86_64':
            raise Skip('this architecture has no model-specific registers')
        super().__init__()
        os.chmod(self.name, 0o755)
        self.put('sys/devices/system/cpu/online', b'0\n')
        self.put('proc/cpuinfo', b'vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 26\nflags\t\t: fpu lm\n')
        self.lines = (OURS, *more)
        self.leave()
        for cpu in range(1 + len(more)):
            self.put(f'dev/cpu/{cpu}/msr', b'\0' * 0x1000)
        self.set(ENABLE, 0x80000005)
        self.set(SELECT, 0x420183)

    def __enter__(self):
        return self

    def leave(self, pid=4711):
        """The record of this process."""
        self.put('run/ntime/uncore-0', line('ntime-claim-2', pid, 1, BOOT, 'uncore of package 0', 'ntime watch') + b''.join(line(*one) for one in self.lines))

    def put(self, name, data):
        path = os.path.join(self.name, name)
        os.makedirs(os.path.dirname(path), mode=0o755, exist_ok=True)
        with open(path, 'wb') as f:
            f.write(data)
        os.chmod(path, 0o600 if name.startswith('run') else 0o644)

    def set(self, address, value, cpu=0):
        with open(os.path.join(self.name, f'dev/cpu/{cpu}/msr'), 'r+b') as f:
            f.seek(address)
            f.write(struct.pack('<Q', value))

    def get(self, address, cpu=0):
        with open(os.path.join(self.name, f'dev/cpu/{cpu}/msr'), 'rb') as f:
            f.seek(address)
            return struct.unpack('<Q', f.read(8))[0]

    def records(self):
        return os.listdir(os.path.join(self.name, 'run/ntime'))


def three():
    """A machine where three registers were left."""
    m = Machine(uncore(1, '0x101', '0x400101', '0x400101'), uncore(2, '0x4d', '0x40004d', '0x40004d'))
    m.set(SELECT, 0x400101, cpu=1)
    m.set(SELECT, 0x40004d, cpu=2)
    return m
