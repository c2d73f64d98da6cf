#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ntime model: a card that is a model, its commands, and counting on it. Speaks TAP.

Usage: test_model.py NTIME [-k WORD]
"""
import os
import signal
import socket
import struct
import subprocess
import sys
import tempfile

import test_command as t
from test_command import PATIENCE, environment, equal, err, has, ntime

t.TESTS.clear()
test = t.test
# The chip and the PMC.BOOT_0 that tells so: bits 20 to 28.
CHIPS = {'G80': 0x50, 'G84': 0x84, 'G86': 0x86, 'G92': 0x92, 'G94': 0x94, 'G96': 0x96, 'G98': 0x98, 'G200': 0xa0, 'GT215': 0xa3, 'GT216': 0xa5,
         'GT218': 0xa8}
EVENTS = {'gpu_idle': 'idle.0', 'geom_vertex_out_count': 'vattr.1', 'geom_primitive_out_count': 'vattr.0',
          'stream_out_busy': 'strmout.0 & strmout.1', 'setup_primitive_count': 'trast.0',
          'setup_point_count': 'trast.1 & trast.6 & trast.7', 'setup_line_count': 'trast.2 & trast.6 & trast.7',
          'setup_triangle_count': 'trast.3 & trast.6 & trast.7', 'setup_primitive_culled_count': 'culled.0'}
HELLO = struct.Struct('=IIII')
REQUEST = struct.Struct('=IIII')
REPLY = struct.Struct('=iI')
READ, WRITE, HOLD, TEXT = 1, 2, 3, 4
EPERM, EBUSY, EINVAL = 1, 16, 22


def out(done):
    return done.stdout.decode()


def model(*args, status=0):
    done = ntime('model', *args)
    equal(done.returncode, status, f'exit status of {args}: {err(done)}')
    return out(done).rstrip('\n') if status == 0 else err(done)


class Card:
    """A model that runs, and its socket."""

    def __init__(self, chip='GT218'):
        self.chip = chip

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, 'card.sock')
        self.child = subprocess.Popen([t.NTIME, 'model', 'run', self.chip, '--listen', self.path], stdin=subprocess.DEVNULL,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(), start_new_session=True)
        t.GROUPS.append(self.child.pid)
        equal(self.child.stdout.readline().decode(), f'{self.chip} listens at {self.path}\n')
        return self

    def end(self, sig=signal.SIGINT):
        self.child.send_signal(sig)
        _, said = self.child.communicate(timeout=PATIENCE)
        return self.child.returncode, said.decode()

    def __exit__(self, *what):
        if self.child.poll() is None:
            self.end()
        self.folder.cleanup()

    def connect(self):
        client = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        client.settimeout(PATIENCE)
        client.connect(self.path)
        hello = HELLO.unpack(client.recv(4096))
        equal(hello[:2], (0x6c646d6e, 1), 'hello')
        return client


def ask(client, kind, address=0, value=0, reserved=0, text=b''):
    client.send(REQUEST.pack(kind, address, value, reserved) + text)
    got = client.recv(4096)
    return (*REPLY.unpack(got[:REPLY.size]), got[REPLY.size:].decode())


# ---- the card and its commands ----

@test
def every_chip_says_which_it_is_and_goes_away():
    for chip, number in CHIPS.items():
        with Card(chip) as card:
            equal(int(model('read', card.path, '0'), 16) >> 20 & 0x1ff, number, chip)
            equal(card.end(), (0, ''))
            equal(os.path.exists(card.path), False)


@test
def a_board_that_was_seen():
    with Card() as card:
        equal(model('read', card.path, '0'), '0x0a8c00b1')
        equal(model('read', card.path, '0x4008fc'), '0x30010001')
        equal(card.end(signal.SIGTERM), (0, ''))


@test
def frames_are_always_the_same_and_truth_follows_from_them():
    seen = []
    for chip in ('G80', 'GT218'):
        with Card(chip) as card:
            equal(model('truth', card.path, 'gpu_idle'), '0')
            equal(model('play', card.path, '5'), '')
            seen.append({name: int(model('truth', card.path, name)) for name in EVENTS})
            for name, function in EVENTS.items():
                equal(int(model('truth', card.path, function)), seen[-1][name], name)
            equal(int(model('truth', card.path, '!idle.0')) > seen[-1]['gpu_idle'] // 100, True)
            model('play', card.path, '1')
            equal(int(model('truth', card.path, 'gpu_idle')) < seen[-1]['gpu_idle'], True)
    equal(seen[0], seen[1])
    equal(all(seen[0].values()), True, f'each happens: {seen[0]}')


@test
def wrong_command_lines():
    with Card() as card:
        for args, part in (((), 'name an action: run, read, play or truth'),
                           (('fly',), 'expected run, read, play or truth'),
                           (('run',), 'expected CHIP --listen SOCKET'),
                           (('run', 'GT218'), 'expected CHIP --listen SOCKET'),
                           (('run', 'GT218', '--listen', 'x', 'y'), 'expected CHIP --listen SOCKET'),
                           (('run', 'GF100', '--listen', 'x'), "no model of a chip 'GF100'; there are: " + ' '.join(CHIPS)),
                           (('run', 'MCP77', '--listen', 'x'), "no model of a chip 'MCP77'"),
                           (('run', 'G80', '--listen', card.path), 'a model serves there already'),
                           (('run', 'G80', '--listen', __file__), 'there is a file that is no socket'),
                           (('run', 'G80', '--listen', '/nowhere/x'), 'cannot listen at /nowhere/x: No such file or directory'),
                           (('run', 'G80', '--listen', 'x' * 200), 'the path is too long for a socket'),
                           (('read', card.path), 'expected SOCKET ADDRESS'),
                           (('read', card.path, '2'), "'2' is no register"),
                           (('read', card.path, '0x1000000'), 'is no register'),
                           (('read', card.path, 'x'), "'x' is no register"),
                           (('play', card.path, '0'), "'0' is no number of frames from 1 to 10000"),
                           (('play', card.path, '10001'), 'is no number of frames'),
                           (('play', card.path, '-1'), 'is no number of frames'),
                           (('play', card.path), 'expected SOCKET FRAMES'),
                           (('truth', card.path, 'gpu_idel'), "'gpu_idel' is neither an event nor a function of wires"),
                           (('truth', card.path, 'idle.0 &'), 'it ends too early'),
                           (('truth', card.path, 'x' * 2000), 'more than 1024 bytes'),
                           (('read', '/nowhere/x', '0'), 'cannot reach a model at /nowhere/x: there is no such socket'),
                           (('read', __file__, '0'), 'nobody serves it')):
            has(model(*args, status=125), part)
        equal(model('read', card.path, '0'), '0x0a8c00b1')


@test
def a_socket_that_speaks_something_else():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 's')
        for kind, hello, part in ((socket.SOCK_STREAM, None, 'what serves it is no model of a card'),
                                  (socket.SOCK_SEQPACKET, b'hello', 'what serves it is no model of a card'),
                                  (socket.SOCK_SEQPACKET, HELLO.pack(0x6c646d6e, 2, 0, 0), 'the model speaks another version of the protocol'),
                                  (socket.SOCK_SEQPACKET, b'', 'the model has ended')):
            server = socket.socket(socket.AF_UNIX, kind)
            server.bind(path)
            server.listen()
            child = subprocess.Popen([t.NTIME, 'model', 'read', path, '0'], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                     stderr=subprocess.PIPE, env=environment())
            if hello is not None:
                client, _ = server.accept()
                if hello:
                    client.send(hello)
                client.close()
            _, said = child.communicate(timeout=PATIENCE)
            equal(child.returncode, 125)
            has(said.decode(), part)
            server.close()
            os.unlink(path)


@test
def what_a_killed_model_left_is_replaced():
    with Card() as card:
        card.end(signal.SIGKILL)
        equal(os.path.exists(card.path), True)
        again = subprocess.Popen([t.NTIME, 'model', 'run', 'G80', '--listen', card.path], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 env=environment())
        equal(again.stdout.readline().decode(), f'G80 listens at {card.path}\n')
        equal(int(model('read', card.path, '0'), 16) >> 20, 0x50)
        again.send_signal(signal.SIGINT)
        again.communicate(timeout=PATIENCE)
        equal(again.returncode, 0)


# ---- messages ----

@test
def one_client_holds_the_card():
    with Card() as card:
        first, second = card.connect(), card.connect()
        equal(ask(first, WRITE, 0xa404, 0x1234)[0], -EPERM)
        equal(ask(first, HOLD)[0], 0)
        equal(ask(first, HOLD)[0], 0)
        equal(ask(second, HOLD)[:2], (-EBUSY, os.getpid()))
        equal(ask(second, WRITE, 0xa404, 0x1234)[0], -EPERM)
        equal(ask(first, WRITE, 0xa404, 0x1234)[0], 0)
        equal(ask(second, READ, 0xa404)[:2], (0, 0x1234))
        first.close()
        # It is served first: who asks next finds the card free.
        equal(ask(second, HOLD)[0], 0)
        equal(ask(second, WRITE, 0xa404, 0)[0], 0)
        second.close()


@test
def bad_messages_hurt_nobody_else():
    with Card() as card:
        good = card.connect()
        for request, text in (((0, 0, 0, 0), b''), ((99, 0, 0, 0), b''), ((READ, 2, 0, 0), b''), ((READ, 0x1000000, 0, 0), b''),
                              ((READ, 0, 0, 1), b''), ((READ, 0, 0, 0), b'text'), ((TEXT, 0, 0, 0), b''), ((TEXT, 0, 0, 0), b'play 1 2'),
                              ((TEXT, 0, 0, 0), b'truth ' + b'(' * 900), ((TEXT, 0, 0, 0), b'\xff\xfe\x00play 1')):
            equal(ask(good, *request, text=text)[0], -EINVAL, (request, text))
        for message in (b'x', b'x' * 15, b'x' * 4000):
            bad = card.connect()
            bad.send(message)
            equal(bad.recv(4096), b'', message)
            bad.close()
        # Who asks and never takes the answers.
        deaf = card.connect()
        deaf.setblocking(False)
        try:
            while True:
                deaf.send(REQUEST.pack(READ, 0, 0, 0))
        except (BlockingIOError, BrokenPipeError, ConnectionResetError):
            pass
        equal(ask(good, READ, 0)[:2], (0, 0x0a8c00b1))
        deaf.close()
        good.close()


if __name__ == '__main__':
    sys.exit(t.main())
