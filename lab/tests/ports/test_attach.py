#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ntime-pci-model and attach.py with this program in QEMU's place: test_attach.py PROGRAM. Speaks TAP."""
import os
import re
import socket
import struct
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path[:0] = [os.path.join(ROOT, 'lab/proxy'), os.path.join(ROOT, 'base/tests')]
sys.dont_write_bytecode = True

from attach import AttachError, Device, as_option, attach, check  # noqa: E402
from tap import equal, holds, main, raises, test  # noqa: E402

PROGRAM = sys.argv.pop(1)
CHANNELS = [Device(f'16.{f}', f'snbep-imc:{i}', f'7f:10.{f}') for i, f in enumerate((0, 1, 4, 5))]
TEST = Device('test', 'test', '00:05.0')
SPARE = Device('test-again', 'test', '00:05.0', plugged=False)


class FakeQemu:
    """QEMU's ends: duplicates, as a child process would have them."""

    def __init__(self, models):
        self.sockets = [socket.socket(fileno=os.dup(fd)) for fd in models.fds]
        for end in self.sockets:
            end.settimeout(120)

    def message(self, index, command, body=b''):
        self.sockets[index].sendall(struct.pack('<iIQ', command, 0, len(body)) + body)

    def ask(self, index, command, body=b''):
        self.message(index, command, body)
        answer = self.sockets[index].recv(24, socket.MSG_WAITALL)
        command, _, size, value = struct.unpack('<iIQQ', answer)
        equal((command, size), (1, 8))
        return value

    def config(self, index, address, value=None):
        """Read, or write, 4 bytes of configuration space."""
        return self.ask(index, 3 if value is None else 2, struct.pack('<IIi', address, value or 0, 4))

    def end(self):
        for end in self.sockets:
            end.close()


class Served:
    """Devices that are served to a fake QEMU; a context manager that gives (models, qemu)."""

    def __init__(self, devices):
        self.folder = tempfile.TemporaryDirectory()
        self.models = attach(PROGRAM, devices, os.path.join(self.folder.name, 'log'))
        self.qemu = FakeQemu(self.models)
        self.models.started()

    def __enter__(self):
        return self.models, self.qemu

    def __exit__(self, *_):
        self.qemu.end()
        self.models.stop()
        self.folder.cleanup()


def run(*arguments, **more):
    """Exit status, standard output and the sentence of ntime-pci-model."""
    done = subprocess.run([PROGRAM, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          encoding='utf-8', timeout=120, check=False, **more)
    return done.returncode, done.stdout, done.stderr


@test
def options_of_qemu():
    with Served([*CHANNELS, TEST, SPARE]) as (models, _):
        words = ' '.join(models.arguments)
        holds(words, '-object memory-backend-memfd,id=ntm-memory,size=512M,share=on -machine memory-backend=ntm-memory')
        holds(words, '-device pxb,id=ntm7f,bus_nr=126,bus=pci.0')
        equal(words.count('-device pxb'), 1)
        holds(words, f'-device x-pci-proxy-dev,id=ntm-16.4,bus=ntm7f,addr=10.4,fd={models.fds[2]},multifunction=on')
        # It has no other function, so QEMU is not told that there are more.
        holds(words + ' ', f'-device x-pci-proxy-dev,id=ntm-test,bus=pci.0,addr=05.0,fd={models.fds[4]} ')
        equal('test-again' in words, False)
        equal(len(set(models.fds)), 6)


@test
def accesses_are_answered_and_logged():
    with Served([*CHANNELS, TEST]) as (models, qemu):
        equal([qemu.config(i, 0) for i in range(5)], [0x3cb08086, 0x3cb18086, 0x3cb48086, 0x3cb58086, 0x6e741234])
        qemu.config(1, 0xd8, 0x400304)
        equal(models.request(None, 'count 16.1 reads 1000'), '')
        equal(qemu.config(1, 0xa0), 1000)
        equal(qemu.config(0, 0xa0), 0)
        holds(models.request(None, 'truth 16.1'), 'reads=1000 ')
        holds(models.command('list'), '16.0=snbep-imc:plugged')
        qemu.end()
        equal(models.stop(), 0)
        log = models.log.read_text(encoding='utf-8').splitlines()
    for line in log:
        equal(bool(re.fullmatch(r'\d+\.\d{9} \S+ [a-z-]+( \S+)*', line)), True)
    text = [line.split(' ', 1)[1] for line in log]
    equal(text[5:8], ['16.1 config-write 0xd8 4 0x400304', '16.1 count reads 1000', '16.1 config-read 0xa0 4 0x3e8'])
    equal(sorted(text[-5:]), ['16.0 closed', '16.1 closed', '16.4 closed', '16.5 closed', 'test closed'])
    times = [float(line.split()[0]) for line in log]
    equal(times, sorted(times))


@test
def devices_go_and_come():
    asked = []
    with Served([TEST, SPARE]) as (models, qemu):
        models.request(lambda *a, **k: asked.append((a, k)), 'unplug test')
        models.request(lambda *a, **k: asked.append((a, k)), 'plug test-again')
        equal(asked, [(('device_del',), {'id': 'ntm-test'}),
                      (('device_add',), {'driver': 'x-pci-proxy-dev', 'id': 'ntm-test-again', 'bus': 'pci.0', 'addr': '05.0',
                                         'fd': str(models.fds[1])})])
        qemu.sockets[0].close()
        equal(qemu.config(1, 0), 0x6e741234)
        # The model learns of the end by its socket, a moment later than we do.
        while 'test=test:gone' not in models.command('list'):
            pass
        raises(AttachError, 'no device is called "other"; there are test, test-again', models.request, None, 'plug other')
        raises(AttachError, '"count test kicks 1": a test does not count "kicks" but: ticks', models.request, None,
               'count test kicks 1')
        raises(AttachError, 'one line', models.request, None, 'list\nlist')


@test
def what_is_not_the_protocol_ends_the_server():
    with Served([TEST, SPARE]) as (models, qemu):
        qemu.message(0, 9)
        equal(models.stop(), 1)
        holds(models.log.read_text(encoding='utf-8'), 'test error test: QEMU sent command 9, which this end does not know')
        equal(qemu.sockets[1].recv(1), b'')
        raises(AttachError, 'the models have ended', models.command, 'list')


@test
def machines_that_cannot_be():
    for devices, sentence in (
            ([Device('a', 'test', '5.0')], 'a: the address "5.0" is not BUS:SLOT.FUNCTION'),
            ([Device('a', 'test', '00:20.0')], 'is not BUS:SLOT.FUNCTION'),
            ([Device('a', 'test', '00:05.8')], 'is not BUS:SLOT.FUNCTION'),
            ([Device('a', 'test', '01:05.0')], 'a: there can be bus 0 and buses 2 to ff, not 1'),
            ([Device('a', 'test', '00:05.0'), Device('b', 'test', '00:05.0')], 'b: 00:05.0 is taken by a'),
            ([Device('a', 'test', '00:05.0'), Device('a', 'test', '00:06.0')], 'a: two devices have this name'),
            ([Device('a b', 'test', '00:05.0')], 'a name has letters'),
            ([Device('a', 'test', '00:05.1')], 'a: no system looks for function 1 where there is no function 0')):
        raises(AttachError, sentence, check, devices)
    check([*CHANNELS, TEST, SPARE])


@test
def properties_become_one_word():
    equal(as_option({'driver': 'd', 'id': 'x', 'multifunction': True}), 'd,id=x,multifunction=on')


@test
def wrong_arguments_get_one_sentence():
    ours, theirs = socket.socketpair()
    fd = ours.fileno()
    passed = {'pass_fds': [fd]}
    for arguments, sentence in (
            ([], 'nothing to serve'),
            (['--serve', 'x'], '--serve x: expected NAME=KIND[:ARGUMENT]@FD'),
            (['--serve', f'=test@{fd}'], 'expected NAME=KIND'),
            (['--serve', f'x=gpu@{fd}'], 'there is no kind "gpu"'),
            (['--serve', 'x=test@999'], '999 is not the number of an open socket'),
            (['--serve', 'x=test@0'], '0 is not the number of an open socket'),
            (['--serve', f'x=test@{fd}x'], f'{fd}x is not the number of an open socket'),
            (['--serve', f'x=snbep-imc:9@{fd}'], 'x: a snbep-imc takes its channel, 0 to 3, not "9"'),
            (['--serve', f'x=test:1@{fd}'], 'x: a test takes no argument, not "1"'),
            (['--serve', f'x=test@{fd}', '--serve', f'y=test@{fd}'], "name and socket must be this device's alone"),
            (['--serve', f'x=test@{fd}', '--log', '/tmp/x'], 'before the devices'),
            (['--log', '/nowhere/log', '--serve', f'x=test@{fd}'], '--log /nowhere/log: No such file or directory'),
            (['--control', '77'], '--control 77: expected an open file descriptor'),
            (['word'], 'word: not an option'),
            (['--wrong'], 'unrecognized option')):
        status, out, errors = run(*arguments, **passed)
        equal((arguments, status, out, errors.count('\n')), (arguments, 2, '', 1))
        holds(errors, sentence)
    ours.close()
    theirs.close()


@test
def it_says_what_it_can():
    status, out, errors = run('--list')
    equal((status, errors), (0, ''))
    for kind in ('snbep-imc', 'snbep-ubox', 'test'):
        holds(out, f'{kind:10} ')
    equal(run('--help')[0], 0)
    holds(run('--version')[1], 'ntime-pci-model ')


if __name__ == '__main__':
    sys.exit(main())
