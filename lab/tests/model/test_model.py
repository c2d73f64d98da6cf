#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ntime model: a card that is a model, its commands, and counting on it. Speaks TAP.

Usage: test_model.py NTIME [-k WORD]
"""
import csv
import io
import itertools
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../../base/tests'))
import command as t    # noqa: E402
from card import (ABSENT, CHIPS, Card, EBUSY, EINVAL, EPERM, EVENTS, HELLO, HOLD, LATER, OF_G80, READ, REPLY, REQUEST, SHADED,
                  SHARED, TEXT, WRITE, amount, ask, compute_of, events_of, model, out, perfkit_list)    # noqa: E402
from command import PATIENCE, environment, equal, err, has, ntime    # noqa: E402
test = t.test


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
            for name, function in events_of(chip).items():
                functions = function if isinstance(function, list) else [function]
                equal(str(sum(int(model('truth', card.path, one)) for one in functions)), model('truth', card.path, name), name)
            bits = [int(model('truth', card.path, f'zcull_in.{i}')) for i in range(6)]
            equal(sum(bit << i for i, bit in enumerate(bits)), seen[-1]['rasterizer_tiles_in_count'])
            equal(int(model('truth', card.path, '!idle.0')) > seen[-1]['gpu_idle'] // 100, True)
            model('play', card.path, '1')
            equal(int(model('truth', card.path, 'gpu_idle')) < seen[-1]['gpu_idle'], True)
            model('play', card.path, '5')
            equal({name: int(model('truth', card.path, name)) for name in EVENTS}, seen[-1])
    # What two chips have as the same function.
    same = [name for name in EVENTS if name not in OF_G80]
    equal({name: seen[0][name] for name in same}, {name: seen[1][name] for name in same})
    equal(all(seen[0].values()), True, f'each happens: {seen[0]}')


@test
def a_scene_is_counted_as_its_truth_says():
    scene = """
        seed 3
        frame 2 times
            gap 100-900
            draw 200 vertices
            draw 1-90 primitives
            draw 333 tiles    # so many
            clocks 7 trast.1 trast.6 trast.7 zcull_in=37 d2.0x40
        frame
            busy 1000
        between
            gap 5
    """
    with Card('G96', scene) as card:
        for frames in ('1', '2', '7'):
            done = ntime('--model', card.path, '--csv', '--passes', '-e', ','.join(f'gpu0/{name}/' for name in EVENTS), '--', t.NTIME, 'model',
                         'play', card.path, frames)
            rows = {row['name']: row for row in csv.DictReader(io.StringIO(err(done)))}
            for name in EVENTS:
                equal(rows[f'gpu0/{name}/']['value'], model('truth', card.path, name), f'{name} in {frames} frames')
        done = ntime('--model', card.path, '--csv', '-e', 'gpu0/domain=2,src=0x40404040,op=0xaaaa/', '--', t.NTIME, 'model', 'play', card.path, '2')
        equal([row['value'] for row in csv.DictReader(io.StringIO(err(done))) if row['name'].startswith('gpu0')], ['14'])
        equal(model('truth', card.path, 'd2.0x40'), '14')
        equal(model('truth', card.path, 'd1: trast.1 & trast.6 & trast.7 & zcull_in.5'), '14')
        equal(model('truth', card.path, 'd1: 1; amount zcull_in.0 zcull_in.1 zcull_in.2 zcull_in.3 zcull_in.4 zcull_in.5'),
              model('truth', card.path, 'rasterizer_tiles_in_count'))


@test
def boards_with_fewer_units_than_the_die():
    for chip, options, units, bus in (('GT215', ('--tpc', '0x6'), '0x70030006', '0x07000006'),
                                      ('G80', ('--tpc', '0x88', '--rop=0x2a', '--mp', '0x2'), '0x00aa0088', '0x02000088'),
                                      ('G92', ('--mp', '0x1', '--rop', '0x8'), '0x004800ff', '0x010000ff'),
                                      ('G200', (), '0x70ff03ff', '0x070003ff')):
        with Card(chip, options=options) as card:
            equal(model('read', card.path, '0x4008fc'), units)
            equal(model('read', card.path, '0x1540'), bus)
            found = registers(card)
            values = counted(card, events_of(chip), '--passes')
            equal(values, truths(card, events_of(chip)), chip)
            equal([name for name, value in values.items() if not value and name not in compute_of(chip)], [], chip)
            equal(registers(card), found)
    for chip, option, mask, why in (('GT215', '--tpc', '0', "--tpc '0' is no mask of TPCs"), ('GT215', '--tpc', 'x', "--tpc 'x' is no mask"),
                                    ('GT215', '--tpc', '0x10', 'bits 0 to 3 stand for the TPCs of a die of GT215'), ('G80', '--rop', '0x40', 'bits 0 to 5 stand for'),
                                    ('G98', '--mp', '2', 'bits 0 to 0 stand for the MPs in a TPC')):
        has(model('run', chip, option, mask, '--listen', '/nowhere/s', status=125), why)


@test
def plays_wait_for_each_other_and_hold_up_nobody_else():
    with Card('G84', 'frame\nclocks 1000 idle.0\ndraw 30000 primitives\n') as card:
        plays = [subprocess.Popen([t.NTIME, 'model', 'play', card.path, frames], stdin=subprocess.DEVNULL, env=environment())
                 for frames in ('300', '200', '300')]
        model('read', card.path, '0')
        for play in plays:
            equal(play.wait(PATIENCE), 0)
        equal(model('truth', card.path, 'gpu_idle') in ('200000', '300000'), True)
        with card.connect() as client:
            client.send(REQUEST.pack(TEXT, 0, 0, 0) + b'play 10000')
            equal(model('read', card.path, '0'), '0x084300a2')
        # Who went wants no more frames.
        model('play', card.path, '1')
        equal(model('truth', card.path, 'gpu_idle'), '1000')
        with card.connect() as client:
            client.send(REQUEST.pack(TEXT, 0, 0, 0) + b'play 10000')
            equal(card.end(), (0, ''))


@test
def bad_scenes_are_refused():
    with tempfile.TemporaryDirectory() as folder:
        path, card = os.path.join(folder, 'x.scene'), os.path.join(folder, 'card.sock')
        for text, why in (('frame\nfly\n', f'{path}:2: there is no word'), ('', f'{path}:1: there is no'), ('frame\nclocks 5 d2.0xd0\n', f'{path}:2: '),
                          ('frame\n' + 'x' * 600, f'{path}:2: the line is longer')):
            with open(path, 'w', encoding='ascii') as f:
                f.write(text)
            has(model('run', 'G96', '--scene', path, '--listen', card, status=125), why)
            equal(os.path.exists(card), False)
        has(model('run', 'G96', f'--scene={folder}/none', '--listen', card, status=125), f'cannot read {folder}/none')
        has(model('run', 'G96', '--listen', card, '--scene', status=125), "option '--scene' needs an argument")


@test
def vectors_of_others_are_run():
    text = 'write PRE_SRC 0x03020100\nwrite PRE_OP 0xaaaa\nwrite CTRL 1\nclocks 1\nwrite DEBUG_1 0x20\n' \
           'vector a\nclocks 5 0\nwrite DEBUG_1 0x20\nclocks 1\nread CTR_PRE 5\n'
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'x.vectors')
        for more, status, last in (('', 0, ' 0 wrong'), ('vector b\nchips GT218\nread CTR_PRE 7\n', 1, ' 1 wrong')):
            with open(path, 'w', encoding='ascii') as f:
                f.write(text + more)
            done = ntime('model', 'vectors', path)
            equal((done.returncode, err(done)), (status, ''))
            has(out(done), 'ok     a\n')
            equal(out(done).rstrip('\n').endswith(last), True, out(done))
        has(out(done), f'wrong  b\n       {path}:13: CTR_PRE of domain 0 of GT218 is 0, expected 0x7\n')
        with open(path, 'w', encoding='ascii') as f:
            f.write('fly\n')
        has(model('vectors', path, status=125), f'{path}:1: there is no word')
        has(model('vectors', folder + '/none', status=125), 'cannot read')
        has(model('vectors', status=125), 'expected FILE')
    has(model('vectors', os.path.join(t.ROOT, 'lab/tests/ports/nv50_pm.vectors')), ', 0 wrong')


@test
def wrong_command_lines():
    with Card() as card:
        for args, part in (((), 'name an action: run, read, play, truth, vectors, channel or end'),
                           (('fly',), "model has no action 'fly', only run, read, play, truth, vectors, channel and end"),
                           (('read', card.path, '0', '--listen', 'x'), 'read takes no such option'),
                           (('truth', card.path, 'gpu_idle', '--busy', '1'), 'truth takes no such option'),
                           (('run',), 'expected CHIP --listen SOCKET'),
                           (('run', 'GT218'), 'expected CHIP --listen SOCKET'),
                           (('run', 'GT999'), "no model of a chip 'GT999'; there are: " + ' '.join(CHIPS)),
                           (('run', 'GT218', '--listen', 'x', 'y'), 'expected CHIP --listen SOCKET'),
                           (('run', 'GT218', '--listen', ''), 'expected CHIP --listen SOCKET'),
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
                           (('play', card.path, '0'), "'0' is neither a number of frames from 1 to 10000 nor work that the model has"),
                           (('play', card.path, '10001'), 'is neither a number of frames'),
                           (('play', card.path, '-1'), "unknown option '-1'"), (('play', card.path, '--', '-1'), 'is neither a number of frames'),
                           (('play', card.path), 'expected SOCKET FRAMES'), (('play', card.path, '1', '--busy'), "option '--busy' needs an argument"),
                           (('play', card.path, '1', '--busy', '1e9'), "'1e9' is no number of clocks up to 1000000000000"),
                           (('play', card.path, '1', '--busy', '1000000000001'), 'is no number of clocks'),
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
                                  (socket.SOCK_SEQPACKET, HELLO.pack(0x6c646d6e, 2, 0, 0)[:8], 'the model speaks another version of the protocol'),
                                  (socket.SOCK_SEQPACKET, b'', 'it ended at once, or it has as many clients as it serves')):
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
def answers_of_whoever_serves_are_printed_clean():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 's')
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as server:
            server.bind(path)
            server.listen()
            for error, last in ((0, f'{path}: what serves it is no model of a card\n'), (-EINVAL, '1?[31m?2\n')):
                child = subprocess.Popen([t.NTIME, 'model', 'truth', path, 'x'], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                         stderr=subprocess.PIPE, env=environment())
                client, _ = server.accept()
                client.send(HELLO.pack(0x6c646d6e, 1, 0, 0))
                client.recv(4096)
                client.send(REPLY.pack(error, 0) + b'1\x1b[31m\n2')
                client.close()
                said = b''.join(child.communicate(timeout=PATIENCE)).decode()
                equal(child.returncode, 125)
                equal(said.replace('ntime: ', ''), last)


@test
def many_clients_and_few_descriptors():
    with Card() as card:
        clients = [card.connect() for _ in range(64)]
        has(model('read', card.path, '0', status=125), 'it has as many clients as it serves')
        for client in clients[:32]:
            client.close()
        equal(model('read', card.path, '0'), '0x0a8c00b1')
        for client in clients[32:]:
            client.close()
        equal(card.end(), (0, ''))


@test
def a_reader_that_went_leaves_no_socket():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 's')
        reader, writer = os.pipe()
        os.close(reader)
        child = subprocess.Popen([t.NTIME, 'model', 'run', 'G80', '--listen', path], stdin=subprocess.DEVNULL, stdout=writer, env=environment())
        os.close(writer)
        for _ in range(PATIENCE * 20):
            if os.path.exists(path):
                break
            time.sleep(0.05)
        child.terminate()
        equal(child.wait(timeout=PATIENCE), 0)
        equal(os.path.exists(path), False)


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


# ---- counting on it ----

ALL = ','.join(f'gpu0/{name}/' for name in EVENTS)
# As many as a domain has counters; a sum takes two.
FOUR = list(EVENTS)[:4]
VFETCH, ZCULL = 0x400c0c, 0x402ca4
# PCOUNTER, and what tells which chip it is. What a trigger or a read of a count may change: counts, CTRL's QUAD_STATE, SIG_STATUS.
TOUCHED = [0, 0x400084, 0x4008fc, VFETCH, ZCULL, *range(0x407000, 0x408000, 4), *range(0xa400, 0xa600, 4), *range(0xa780, 0xa800, 4)]


def counted(card, names, *args):
    """Values by name of a run that plays five frames, as JSON has them."""
    done = ntime('--model', card.path, 'stat', '--json', '-e', ','.join(f'gpu0/{name}/' for name in names), *args, '--', t.NTIME, 'model', 'play',
                 card.path, '5')
    equal(done.returncode, 0, err(done))
    report = json.loads(done.stderr)
    equal(report['simulated'], True)
    items = [item for item in report['items'] if item['unit_name'] == 'gpu0']
    units = int(model('read', card.path, '0x4008fc'), 16)
    for item in items:
        function = str((compute_of('GT218') | events_of('G80')).get(item['name'].split('/')[1], SHADED))
        shared = units >> 16 & 0x3f if 'crop_wait' in function else units & 0xffff if SHARED.search(function) else 1
        # Of three MPs two are seen.
        is_partial = shared & shared - 1 > 0 or '_mp1' in function and CHIPS[card.chip] >= 0xa0 and units >> 30 & 1
        equal((sorted(item['flags']), item['method']), (['partial'] * bool(is_partial) + ['simulated'], 'model'), item['name'])
    return {item['name'].split('/')[1]: item['value'] for item in items}


def truths(card, names):
    return {name: int(model('truth', card.path, name)) for name in names}


def registers(card):
    client = card.connect()
    values = {a: ask(client, READ, a)[1] & (~0x03000000 if 0xa7c0 <= a < 0xa7e0 else 0xffffffff) for a in TOUCHED}
    client.close()
    return values


@test
def every_event_of_every_chip_counts_what_is_true():
    for chip in CHIPS:
        with Card(chip) as card:
            # Somebody else has used it before.
            client = card.connect()
            ask(client, HOLD)
            for i, a in enumerate((0xa404, 0xa424, 0xa444, 0xa464, 0xa484, 0xa4a4, 0xa4c4, 0xa4e4, 0xa564)):
                ask(client, WRITE, a, 0x01020304 * (i + 1) & 0x1ffff)
            ask(client, WRITE, VFETCH, 0x72)
            ask(client, WRITE, ZCULL, 0x12001234)
            client.close()
            found = registers(card)
            for args, names in (((), FOUR), (('--passes',), events_of(chip))):
                equal(counted(card, names, *args), truths(card, names), chip)
                equal(registers(card), found, chip)


@test
def compute_events_of_every_chip_count_their_wires():
    """Each wire has clocks of its own, so that no two events can be mistaken; in 7 clocks three of a total are 1 at once."""
    wires = [f'{u}.{i}' for u, n in (('coherence', 4), ('gld', 4), ('gst', 4), ('local', 2), ('cta', 1), ('tex_cache', 2)) for i in range(n)]
    clocks = {wire: 100 + 3 * i * i for i, wire in enumerate(wires)}
    scene = 'frame\n' + ''.join(f'clocks {n} {wire}\n' for wire, n in clocks.items()) + 'clocks 7 gld.0 gld.1 gld.2\n'
    for chip, passes in {'G84': 2, 'G86': 2, 'G92': 2, 'G94': 2, 'G96': 2, 'G98': 2, 'G200': 4, 'GT215': 5, 'GT216': 5, 'GT218': 5}.items():
        with Card(chip, scene) as card:
            names = compute_of(chip)
            own = {name: 5 * sum(clocks[w] for w in f.split(' | ')) + 35 * (re.match(r'gld\.[012]', f) is not None) for name, f in names.items()}
            equal(counted(card, names, '--passes'), own, chip)
            equal(truths(card, names), own, chip)
            # Four counters a pass, and never more than four groups.
            equal(by_name(card, '--passes', '-e', ','.join(f'gpu0/{n}/' for n in names))[1]['passes'], passes, chip)


@test
def a_vector_addition_as_it_was_recorded():
    """50000 numbers in 196 blocks, counted by NVIDIA's driver on a GT218; what is not named was 0 there."""
    was = {'gld_coherent': 6250, 'gst_coherent': 12500, 'gld_64b': 6250, 'gld_request': 6250, 'gld_total': 6250, 'gst_64b': 3125, 'gst_request': 3125,
           'gst_total': 3125, 'cta_launched': 196}
    scene = 'frame\nclocks 6250 gld.1 gld.3 coherence.1\nclocks 3125 gst.1 gst.3\nclocks 12500 coherence.3\nclocks 196 cta.0\n'
    with Card('GT218', scene) as card:
        names = compute_of('GT218')
        done = ntime('--model', card.path, '--json', '--passes', '-e', ','.join(f'gpu0/{n}/' for n in names), '--', t.NTIME, 'model', 'play', card.path, '1')
        equal({item['name'].split('/')[1]: item['value'] for item in json.loads(err(done))['items']}, {n: was.get(n, 0) for n in names})


CLOCKS = ['host', 'core_a', 'core_b', 'shader', 'memory', 'core_c', 'vdec', 'core_d']
ACCESS = 16  # clocks of each domain that an access of a register takes
# NVPerfKit's percentages: of the clocks of which domain.
SHARES = {'input_assembler_busy': 1, 'input_assembler_waits_for_fb': 1, 'geom_busy': 3, 'geom_waits_for_shader': 3, 'stream_out_busy': 1, 'rop_busy': 2,
          'rop_waits_for_shader': 2, 'rop_waits_for_fb': 2, 'shader_waits_for_texture': 3, 'shader_waits_for_geom': 3, 'shader_waits_for_rop': 3,
          'texture_busy': 3, 'texture_waits_for_fb': 2, 'texture_waits_for_shader': 3, 'gpu_idle': 1}


def by_name(card, *args):
    """Items of a run that plays five frames, by their names without the unit."""
    done = ntime('--model', card.path, 'stat', '--json', *args, '--', t.NTIME, 'model', 'play', card.path, '5')
    report = json.loads(done.stderr)
    return {re.sub('^gpu0/(.*)/$', r'\1', item['name']): item for item in report['items']}, report


@test
def clocks_of_every_domain_are_counted_beside_its_counters():
    for chip in CHIPS:
        names = [f'cycles_{name}' for name in (CLOCKS[:5] if chip == 'G80' else CLOCKS)]
        with Card(chip) as card:
            items, _ = by_name(card, '-e', ','.join(f'gpu0/{n}/' for n in names + FOUR))
            true = truths(card, names + FOUR)
            equal({n: items[n]['value'] for n in FOUR}, {n: true[n] for n in FOUR}, chip)
            # Frames, and the accesses that end the period: a reading that is interrupted is made anew, at most three times.
            own = {(items[n]['value'] - true[n]) for n in names}
            equal(len(own) == 1 and 0 < min(own) < 3 * 64 * ACCESS and min(own) % ACCESS == 0, True, (chip, own))
            equal(by_name(card, '-e', 'gpu0/domain=4,mode=7/,gpu0/cycles_memory/')[1]['passes'], 1)
            has(err(ntime('--model', card.path, '-e', 'gpu0/cycles_core_e/', 'true')), 'cycles_core_a')
    with Card('G80') as card:
        has(err(ntime('--model', card.path, '-e', 'gpu0/cycles_vdec/', 'true')), "gpu0, a G80, has no event 'cycles_vdec'; it is one of G84, G86, G92, ")


@test
def shares_are_of_the_clocks_of_the_same_periods():
    """Whatever pass an event is in, its clocks are of the same run; frames have each their own."""
    names = list(SHARES)
    for chip in ('G80', 'G96', 'GT218'):
        with Card(chip) as card:
            by_name(card)
            true = truths(card, names)
            for name, d in SHARES.items():
                clocks = f'cycles_{CLOCKS[d]}'
                items, _ = by_name(card, '-m', f'{name}_percent', '-e', f'gpu0/{name}/,gpu0/{clocks}/')
                equal(items[name]['value'], true[name], (chip, name))
                equal(abs(items[f'{name}_percent']['value'] - 100 * true[name] / items[clocks]['value']) < 1e-9, True, (chip, name, items))
            # In passes the shares are as if each were alone but for the clocks of more accesses.
            items, report = by_name(card, '--passes', '-m', 'gpu,gpu-more', '-e', 'gpu0/cycles_shader/')
            equal(report['passes'] > 1, True, report['passes'])
            played = int(model('truth', card.path, 'cycles_shader'))
            for name in names:
                share, most = items[f'{name}_percent']['value'], 100 * true[name] / played
                equal(most * played / (played + 400 * ACCESS) < share <= most, True, (chip, name, share, most))
            waits = sum(items[f'shader_waits_for_{what}_percent']['value'] for what in ('texture', 'geom', 'rop'))
            equal(abs(items['shader_waits_percent']['value'] - waits) < 0.05 * waits, True, (items['shader_waits_percent'], waits))
            busy = items['gpu_busy_percent']['value'] + items['gpu_idle_percent']['value']
            equal(abs(busy - 100) < 0.01, True, busy)


@test
def signals_have_names():
    scene = 'frame\nclocks 5 d0.0xa6\nclocks 7 d1.0xd5 d1.0xcb\nclocks 3 d1.0xcb\nclocks 2 d1.0xd6\nclocks 4 d4.0x38\n'
    with Card('GT218', scene) as card:
        events = {'gpu0/signal=PBUS_PCIE_WR/': 5, 'gpu0/signal=ctxctl_user_0/': 7, 'gpu0/signal=PCOUNTER.USER.1,domain=4/': 4,
                  'gpu0/fn="PGRAPH_IDLE & !CTXCTL.USER.0"/': 3, 'gpu0/fn=CTXCTL.USER.0 | CTXCTL.USER.1,domain=1/': 9,
                  'gpu0/signal=PGRAPH.IDLE/': 10}
        done = ntime('--model', card.path, '--json', '--passes', '-e', ','.join(events), '--', t.NTIME, 'model', 'play', card.path, '1')
        items = json.loads(done.stderr)['items']
        equal({e: item['value'] for e, item in zip(events, items)}, events)
        for event, says in {'gpu0/signal=PGRAPH.IDL/': 'did you mean PGRAPH.IDLE', 'gpu0/signal=VUC_IDLE/': 'it is one of G98, G200, GT216',
                            'gpu0/fn=PGRAPH.IDLE & PBUS_PCIE_WR/': 'a counter has signals of one domain',
                            'gpu0/signal=PGRAPH.IDLE,src=1/': 'signal stands for src and op', 'gpu0/fn=PGRAPH.IDLE,config=1/': 'fn stands for src and op',
                            'gpu0/signal=FLAG.0,domain=x/': "'x' of term domain is not a number", 'gpu0/signal/': "no event or term 'signal'"}.items():
            done = ntime('--model', card.path, '-e', event, 'true')
            equal((done.returncode, err(done).count('\n')), (125, 1), event)
            has(err(done), says)


@test
def one_word_stands_for_all():
    """What is one pass for the card's name, everything that can be counted for a pattern, and its busy share for nothing."""
    for chip in CHIPS:
        with Card(chip) as card:
            items, report = by_name(card, '-e', 'gpu0')
            equal((report['passes'], len(items), {i['unit'] for i in items.values()}, [n for n, i in items.items() if 'value' not in i]), (1, 14, {'%'}, []), chip)
            names = [*events_of(chip), *(f'cycles_{c}' for c in (CLOCKS[:5] if chip == 'G80' else CLOCKS))]
            items, report = by_name(card, '--passes', '-e', 'gpu0/*/')
            equal(sorted(items), sorted(names), chip)
            true = truths(card, events_of(chip))
            equal({n: items[n]['value'] for n in true}, true, chip)
            # The fewest: PROP is wanted with so many values.
            equal(report['passes'], 5 if chip == 'G80' else 8, chip)
    with Card() as card:
        play = ['--', t.NTIME, 'model', 'play', card.path, '5']
        equal(list(by_name(card, '-e', 'gpu0/shader_w*/')[0]), [n for n in EVENTS if n.startswith('shader_w')])
        has(err(ntime('--model', card.path, *play)), '% GPU busy')
        for event, says in {'gpu0/*/': 'does not fit into one run', 'gpu0/xyz*/': "no event is like 'gpu0/xyz*/'", 'gpu1': "no event 'gpu1'"}.items():
            done = ntime('--model', card.path, '-e', event, *play)
            equal((done.returncode, err(done).count('\n')), (125, 1), event)
            has(err(done), says)


@test
def the_environment_names_a_model():
    with Card() as card:
        env = environment(NTIME_MODEL=card.path)
        play = [t.NTIME, 'model', 'play', card.path, '5']
        for args, says in ((['-e', 'gpu0', '--', *play], 'gpu_idle_percent'), (play, '% GPU busy'), (['list', 'gpu0'], 'graphics card (GT218)'),
                           (['watch', '-n', '1', '-i', '10ms', 'gpu0'], 'gpu_busy_percent'),
                           (['compare', '-n', '6', '-e', 'gpu0/gpu_idle/', ' '.join(play), ' '.join(play)], 'gpu0/gpu_idle/')):
            done = ntime(*args, env=env)
            equal(done.returncode, 0, (args, err(done)))
            has(out(done) + err(done), says)
        equal('gpu0' in out(ntime('list', 'gpu0', '--root', '/', env=env)), False)
        equal('gpu0' in out(ntime('--model', '', 'list', env=env)), False)
    gone = environment(NTIME_MODEL='/nowhere/card.sock')
    says = 'NTIME_MODEL: cannot reach a model of a card at /nowhere/card.sock: there is no such socket'
    for args, status in (['true'], 125), (['watch', '-n', '1'], 125), (['compare', 'true', 'false'], 125), (['list'], 0), (['-v', '--dry-run', 'true'], 0):
        done = ntime(*args, env=gone)
        equal((done.returncode, err(done).split('\n')[0]), (status, f'ntime: {says}'), args)
        equal(len(out(done) + err(done)) > 200, status == 0, args)
    equal(out(ntime('model', '--help', env=gone)), out(ntime('model', '--help')))


@test
def shares_of_passes_are_of_their_own_run():
    """Each run does more than the one before, so clocks of another one would show; also as the mean of several."""
    names = [f'gpu0/{n}/' for n in ('gpu_idle', 'setup_point_count', 'setup_line_count', 'setup_triangle_count')]
    with Card() as card:
        grow = os.path.join(card.folder.name, 'n')
        script = f'n=$(cat {grow} 2>/dev/null || echo 1); echo $((10 * n)) >{grow}; {t.NTIME} model play {card.path} $n'
        for args, runs in ((), 1), (('-r', '2'), 2):
            with open(grow, 'w', encoding='ascii') as f:
                f.write('1')
            done = ntime('--model', card.path, 'stat', '--json', '--passes', *args, '-e', ','.join(names), '-m', 'stream_out_busy_percent,gpu_idle_percent', '-e',
                         '{gpu0/stream_out_busy/,gpu0/cycles_core_a/},x="gpu0/stream_out_busy/" / "gpu0/cycles_core_a/" * 100', '--', 'sh', '-c', script)
            items = {item['name']: item['value'] for item in json.loads(done.stderr)['items']}
            equal(abs(items['x'] - items['stream_out_busy_percent']) < 1e-9, True, items)
            if runs == 1:
                equal(abs(items['x'] - 100 * items['gpu0/stream_out_busy/'] / items['gpu0/cycles_core_a/']) < 1e-9, True, items)


@test
def braces_are_counted_at_one_time():
    """However many groups, sums and equal set-ups stand beside them, and more than the planner takes at once."""
    raw = ','.join(f'gpu0/domain=0,src={i:#x},op=0xaaaa/' for i in range(2, 63))
    pairs = ','.join(f'{{gpu0/domain=0,src={i},op=0xaaaa/,gpu0/domain=4,src={i},op=0xaaaa/}}' for i in (0, 1))
    waits = ','.join(f'gpu0/{n}/' for n in ('shader_waits_for_rop', 'shader_waits_for_texture', 'texture_busy', 'gld_64b'))
    with Card() as card:
        for events, passes in ((f'{waits},{{gpu0/shader_waits_for_rop/,gpu0/gst_64b/}}', 2), ('gpu0,{gpu0/gpu_idle/,gpu0/cycles_core_a/}', 1),
                               ('gpu0/rasterizer_tiles_in_count/,{gpu0/rasterizer_tiles_in_count/,gpu0/gpu_idle/}', 1), (f'{pairs},{raw}', 17),
                               ('{gpu0/gpu_idle/,gpu0/rop_busy/},{gpu0/gpu_idle/,gpu0/rop_waits_for_fb/}', 1),
                               ('gpu0/gpu_idle/,gpu0/gpu_idle/e,gpu0/setup_point_count/', 2)):
            done = ntime('--model', card.path, '--json', '--passes', '-e', events, '--', t.NTIME, 'model', 'play', card.path, '1')
            equal(done.returncode, 0, err(done))
            report = json.loads(done.stderr)
            equal((report['passes'], [i['name'] for i in report['items'] if 'value' not in i]), (passes, []), events)
        done = ntime('--model', card.path, '-e', ','.join(['gpu0/gpu_idle/'] * 65), 'true')
        has(' '.join(err(done).split()), 'no counter of gpu0 that can count it is free')
    for args in (['true'],), (['--model', '', 'true'],):
        equal('GPU' in err(ntime(*args[0], env=environment(NTIME_MODEL=''))), False)


@test
def clocks_go_with_the_pass_of_their_group():
    other = 'gpu0/domain=1,src=0xececec4e,op=0xaaaa,mux=1,sel=0/'
    with Card() as card:
        events = f'{{gpu0/input_assembler_busy/,gpu0/cycles_core_a/}},{{{other},gpu0/cycles_core_b/}},gpu0/cycles_shader/'
        items, report = by_name(card, '--passes', '-e', events)
        played = int(model('truth', card.path, 'cycles_core_a'))
        equal(report['passes'], 2)
        for name in ('cycles_core_a', 'cycles_core_b', 'cycles_shader'):
            equal(played < items[name]['value'] < played + 100 * ACCESS, True, (name, items[name], played))
        # A turn each frame: what is in every pass is of every frame, and so is a share.
        with tempfile.TemporaryDirectory() as folder:
            path, ring = (os.path.join(folder, name) for name in ('frames.csv', 'ring'))
            ntime('--model', card.path, 'stat', '--frames', ring, '-e', f'gpu0/input_assembler_busy/,{other},gpu0/cycles_core_a/', '-m',
                  'input_assembler_busy_percent', '--', t.NTIME, 'model', 'play', card.path, '6')
            equal(ntime('watch', '--frames', ring, '--csv', '-o', path).returncode, 0)
            with open(path, encoding='utf-8') as f:
                rows = list(csv.DictReader(f))
        equal(len(rows), 6)
        for number, row in enumerate(rows):
            busy, clocks, share = (row[n] for n in ('gpu0/input_assembler_busy/', 'gpu0/cycles_core_a/', 'input_assembler_busy_percent [%]'))
            flags = row['flags'].split()
            equal([f for f in flags if f.startswith('gpu0/cycles_core_a/:')], ['gpu0/cycles_core_a/:simulated'])
            equal(int(clocks) > 1000, True, row)
            for name in ('gpu0/input_assembler_busy/', 'input_assembler_busy_percent'):
                equal(f'{name}:frame={number - 1}' in flags, number % 2 == 1, row)
            if number % 2 == 0:
                equal(abs(float(share) - 100 * int(busy) / int(clocks)) < 1e-4, True, row)


@test
def any_target_counts_the_card():
    names = ['gpu_idle', 'setup_triangle_count']
    with Card('G96') as card:
        for args in ((), ('-a',), ('-C', '0'), ('-e', 'page-faults')):
            value = counted(card, names, *args)
            equal(value, truths(card, names), args)
        done = ntime('--model', card.path, '-e', 'gpu0/gpu_idle/', '-r', '3', '--', t.NTIME, 'model', 'play', card.path, '2')
        has(err(done), 'Mean of 3 runs')
        has(err(done), 'SIMULATED: counts of gpu0 come from a model, not from a card')
        has(err(done), 'gpu0 counts for every program that uses the card')


@test
def the_card_is_counted_once_for_several_processes():
    with Card('G96') as card:
        sleepers = [subprocess.Popen(['sleep', '60']) for _ in range(2)]
        pids = ','.join(str(p.pid) for p in sleepers)
        for args in (('-p', pids), ('-t', pids), ('-p', str(sleepers[0].pid))):
            child = subprocess.Popen([t.NTIME, '--model', card.path, '--json', '-I', '20ms', '-e', 'gpu0/gpu_idle/,task-clock', '-e', "m='gpu0/gpu_idle/'*2", *args],
                                     stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment())
            said = child.stderr.readline()
            model('play', card.path, '5')
            child.send_signal(signal.SIGINT)
            said = (said + child.communicate(timeout=PATIENCE)[1]).decode()
            last = [json.loads(line) for line in said.replace('}\n{', '}\0{').split('\0')][-1]
            items = {item['name']: item for item in last['items']}
            equal((items['gpu0/gpu_idle/']['value'], items['gpu0/gpu_idle/']['flags']), (int(model('truth', card.path, 'gpu_idle')), ['simulated']), args)
            equal(items['m']['value'], 2 * items['gpu0/gpu_idle/']['value'], args)
        for p in sleepers:
            p.kill()
            p.wait()


@test
def options_before_a_subcommand():
    with Card() as card:
        for args in (('--model', card.path, '-v', 'list', 'gpu0'), ('--root', '/', f'--model={card.path}', 'list', 'gpu0'),
                     ('-q', '--model', card.path, 'list', 'gpu0'), ('--root', '/', 'list', '--model', card.path, 'gpu0')):
            done = ntime(*args)
            if args[0] == '-q':
                has(err(done), '--quiet cannot stand before list')
            else:
                has(out(done), 'gpu0/gpu_idle/')
        for rest, option in ((('help',), 'model'), (('model', 'read', card.path, '0'), 'model'), (('reg', 'ls'), 'model'), (('doctor',), 'model')):
            done = ntime('--model', card.path, *rest)
            equal(done.returncode, 125)
            has(err(done), f'ntime: --{option} cannot stand before {rest[0]}\n')
        # A program's own name, where nothing says what machine it is.
        has(out(ntime('-v', '-e', 'page-faults', 'stat', '--version')), 'coreutils')
        equal('gpu0' in out(ntime('--model', '', 'list')), False)


@test
def machine_forms_say_simulated():
    with Card() as card:
        play = ('--', t.NTIME, 'model', 'play', card.path, '5')
        done = ntime('--model', card.path, '--csv', '-e', 'gpu0/gpu_idle/,page-faults', '-e', "double=2*'gpu0/gpu_idle/'", *play)
        rows = {row['name']: row for row in csv.DictReader(io.StringIO(err(done)))}
        equal(rows['gpu0/gpu_idle/']['flags'], 'simulated')
        equal('simulated' in rows['page-faults']['flags'], False)
        double = rows['double']
        has(double['flags'], 'simulated')
        equal(float(double['value']), 2 * int(model('truth', card.path, 'gpu_idle')))
        done = ntime('--model', card.path, 'watch', '--csv', '-i', '100ms', '-n', '2', 'gpu0/gpu_idle/', 'page-faults')
        rows = list(csv.DictReader(io.StringIO(out(done))))
        equal({row['where'] for row in rows if row['name'].startswith('gpu0')}, {'gpu0'})
        equal({row['flags'] for row in rows if row['name'].startswith('gpu0')}, {'simulated'})
        equal('gpu0' in {row['where'] for row in rows if row['name'] == 'page-faults'}, False)
        done = ntime('--model', card.path, 'watch', '--csv', '-i', '100ms', '-n', '2', '-m', "double='gpu0/gpu_idle/'*2", '-m',
                     "both='gpu0/gpu_idle/'+cpu-clock")
        equal({row['where'] for row in csv.DictReader(io.StringIO(out(done)))}, {'gpu0'})
        has(err(done), 'not here: both: no row has all its events: some are of CPUs, some of a device')


@test
def intervals_add_up():
    with Card() as card:
        done = ntime('--model', card.path, '--json', '-I', '20ms', '-e', 'gpu0/gpu_idle/', '--', 'sh', '-c',
                     f'for i in 1 2 3; do {t.NTIME} model play {card.path} 1; sleep 0.03; done')
        lines = [json.loads(line) for line in err(done).replace('}\n{', '}\0{').split('\0')]
        parts = [line['items'][0]['value'] for line in lines if line['kind'] == 'interval']
        equal(sum(parts), lines[-1]['items'][0]['value'])
        equal(len([p for p in parts if p]) >= 2, True, parts)


@test
def passes_see_the_same_frames():
    with Card('GT215') as card:
        done = ntime('--model', card.path, '--json', '--passes', '-e', ALL, '--', t.NTIME, 'model', 'play', card.path, '6')
        report = json.loads(err(done))
        equal(report['passes'], 5)
        equal({item['name'].split('/')[1]: item['value'] for item in report['items']}, truths(card, EVENTS))


@test
def every_domain_has_four_counters():
    scene = 'frame\n' + ''.join(f'clocks {10 * d + s} d{d}.{s}\n' for d in (1, 2, 4, 5, 6, 7) for s in range(1, 5))
    with Card('GT218', scene) as card:
        for d in (1, 2, 4, 5, 6, 7):
            names = ','.join(f'gpu0/domain={d},src={s * 0x01010101:#x},op=0xaaaa/' for s in range(1, 5))
            done = ntime('--model', card.path, '--json', '--passes', '-e', names, '--', t.NTIME, 'model', 'play', card.path, '1')
            report = json.loads(err(done))
            equal((report['passes'], [item['value'] for item in report['items']]), (1, [10 * d + s for s in range(1, 5)]), f'domain {d}')


@test
def a_multiplexer_has_one_value():
    other = 'gpu0/domain=1,src=0xececec4e,op=0xaaaa,mux=1,sel=0/'
    with Card() as card:
        found = registers(card)
        done = ntime('--model', card.path, '-v', '--passes', '-e', f'gpu0/input_assembler_busy/,{other}', '--', t.NTIME, 'model', 'play', card.path, '6')
        text = ' '.join(err(done).split())
        has(text, f' VFETCH of gpu0 is wanted as 1 and as 0, so {other} waits')
        has(' '.join(err(ntime('--model', card.path, '-e', f'gpu0/input_assembler_busy/,{other}', 'true')).split()),
            f'VFETCH of gpu0 is wanted as 1 and as 0, so {other} waits; turns go by the clock')
        has(text, f' {model("truth", card.path, "input_assembler_busy")} gpu0/input_assembler_busy/ 0 {other}')
        equal(registers(card), found)
        # With its name's value, by its own words and beside others.
        done = ntime('--model', card.path, '--json', '-e', f'gpu0/geom_primitive_in_count/,{other.replace("sel=0", "sel=1")},gpu0/gpu_idle/', '--',
                     t.NTIME, 'model', 'play', card.path, '6')
        report = json.loads(done.stderr)
        named, raw, _ = (item['value'] for item in report['items'])
        equal((named, report['passes']), (raw, 1))


# Groups of the shader's wires, from G200 on and before: of four places any one does.
GROUPS = ({'geom_mp0': 0x16, 'shader_mp0': 0x16, 'geom_mp1': 0x2a, 'shader_mp1': 0x2a, 'shader_rop': 0, 'shader_tex': 1, 'tex_shader': 2},
          {'geom_mp0': 3, 'geom_mp1': 3, 'shader_mp0': 4, 'shader_mp1': 4, 'shader_rop': 5, 'shader_tex': 0x10, 'tex_shader': 0x11})


def fewest(names, groups):
    """Of all ways to make passes of them, by trying each: four counters, and four groups."""
    for passes in range(1, len(names) + 1):
        for way in itertools.product(range(passes), repeat=len(names)):
            members = [[n for n, at in zip(names, way) if at == k] for k in range(passes)]
            if all(len(m) <= 4 and len(set().union(*(groups[n] for n in m))) <= 4 for m in members):
                return passes
    return 0


@test
def groups_stand_where_there_is_room():
    shader = [n for n, d in SHARES.items() if d == 3]
    for chip in ('G96', 'GT218'):
        units = GROUPS[chip == 'G96']
        groups = {n: {units[u] for u in re.findall(r'(\w+)\.', EVENTS[n])} for n in shader}
        with Card(chip) as card:
            for size in range(2, 5):
                for names in itertools.combinations(shader, size):
                    done = ntime('--model', card.path, 'stat', '--json', '--passes', '-e', ','.join(f'gpu0/{n}/' for n in names), '--', t.NTIME, 'model',
                                 'play', card.path, '1')
                    report = json.loads(done.stderr)
                    equal({item['name'].split('/')[1]: item['value'] for item in report['items']}, truths(card, names), chip)
                    equal(report['passes'], fewest(names, groups), (chip, names))
            waits = by_name(card, '-m', 'shader_waits_percent')[0]['shader_waits_percent']
            equal('value' in waits, True, waits)


@test
def equal_set_ups_share_a_counter():
    """Six names and words of two set-ups, and three more of the same domain."""
    names = ['input_assembler_busy', 'vertex_attribute_count', 'gpu_idle', 'domain=1,src=0xececeecb,op=0xaaaa', 'domain=1,src=0xececeecb,op=0xaaaa', 'gpu_idle',
             'setup_line_count', 'setup_point_count', 'geom_vertex_out_count']
    with Card() as card:
        done = ntime('--model', card.path, '--json', '--passes', '-e', ','.join(f'gpu0/{n}/' for n in names), '--', t.NTIME, 'model', 'play', card.path, '5')
        report = json.loads(done.stderr)
        values = [item['value'] for item in report['items']]
        equal((values[0], values[2], values[3], values[6]), (values[1], values[5], values[4], int(model('truth', card.path, 'setup_line_count'))))
        equal((report['passes'], values[2]), (2, values[3]))
    with Card('G80') as card:
        items, report = by_name(card, '-e', 'gpu0/rasterizer_pixels_out_count.1/,gpu0/shaded_pixel_count.1/,gpu0/shaded_pixel_count.0/')
        equal(([items[n]['value'] for n in items], report['passes']), (list(truths(card, items).values()), 1))


@test
def turns_on_a_model_are_not_guessed():
    """They go by the clock, and its time by frames: what does not fit into one run is absent, and the rest exact."""
    with Card() as card:
        names = ['input_assembler_busy', 'geom_vertex_in_count', 'gpu_idle', 'setup_primitive_count', 'rasterizer_tiles_in_count']
        events = ','.join(f'gpu0/{name}/' for name in names)
        done = ntime('--model', card.path, '--json', '-e', f'{events},page-faults', '--', t.NTIME, 'model', 'play', card.path, '6')
        items = {item['name']: item for item in json.loads(done.stderr)['items']}
        true = truths(card, names)
        absent = 0
        for name in names:
            item = items[f'gpu0/{name}/']
            why = item.get('absent')
            if why:
                absent += 1
                equal((why['reason_code'], why['about'], 'value' in item), ('limit', 'gpu0', False), name)
                has(why['remedy'], '--passes')
            else:
                equal((item['value'], item['flags']), (true[name], ['simulated']), name)
        # VFETCH has one value at a time.
        equal(0 < absent < 4 and ('value' in items['gpu0/input_assembler_busy/']) != ('value' in items['gpu0/geom_vertex_in_count/']), True, items)
        done = ntime('--model', card.path, '--json', '--passes', '-e', events, '--', t.NTIME, 'model', 'play', card.path, '6')
        equal({item['name'].split('/')[1]: item['value'] for item in json.loads(done.stderr)['items']}, true)


@test
def counts_are_longer_than_counters():
    """More than 32 bits, in one frame: read in time, or known to be short."""
    names = ['rasterizer_tiles_in_count', 'setup_primitive_count', 'cycles_core_a']
    events = ','.join(f'gpu0/{name}/' for name in names)
    with Card('G96') as card:
        for clocks in (10**10, 2 * 10**9, 2 * 10**9):
            done = ntime('--model', card.path, '--json', '-e', events, '--', t.NTIME, 'model', 'play', card.path, '1', '--busy', str(clocks))
            items = json.loads(done.stderr)['items']
            true = truths(card, names)
            equal(true['rasterizer_tiles_in_count'] > 63 * clocks, True)
            for item, name in zip(items, names):
                # A machine that is too busy to read in time has a lower bound, and says so. Clocks are those of accesses, too.
                more = item['value'] - true[name]
                equal(more < 0 if 'overflowed' in item['flags'] else more == 0 or name.startswith('cycles') and 0 < more < 10**6, True, (item, true))
            if not any('overflowed' in item['flags'] for item in items):
                return
        raise AssertionError('never read in time')


@test
def raw_terms_count_as_names_do():
    with Card() as card:
        done = ntime('--model', card.path, '--json', '-e', 'gpu0/gpu_idle/,gpu0/domain=1,src=0xecececcb,op=0xaaaa/,gpu0/domain=1,src=0xcb,op=0x5555/',
                     '--', t.NTIME, 'model', 'play', card.path, '5')
        named, raw, inverse = (item['value'] for item in json.loads(done.stderr)['items'])
        equal(named, raw)
        # Its own accesses take clocks as well, in which nothing is idle.
        equal(inverse > int(model('truth', card.path, '!idle.0')), True)


@test
def one_unit_of_several_is_told():
    with Card('GT215', options=('--tpc', '0x6')) as card:
        done = ntime('--model', card.path, '-e', 'gpu0/rop_busy/,gpu0/rop_busy,tpc=1/,gpu0/geom_busy,tpc=2/,gpu0/rop_waits_for_fb,rop=1/', '--passes', '--',
                     t.NTIME, 'model', 'play', card.path, '5')
        for text in ('gpu0/rop_busy/               [partial: TPC 1 alone, of 2', 'gpu0/rop_busy,tpc=1/         [partial: TPC 1 alone, of 2',
                     'gpu0/geom_busy,tpc=2/        [partial: TPC 2 alone, of 2', 'gpu0/rop_waits_for_fb,rop=1/ [partial: memory partition 1 alone, of 2', 'Counted in part:'):
            has(' '.join(err(done).split()), ' '.join(text.split()))
        rows = {row['name']: row['value'] for row in csv.DictReader(io.StringIO(err(ntime(
            '--model', card.path, '--csv', '--passes', '-e', 'gpu0/rop_busy/,gpu0/rop_busy,tpc=1/,gpu0/geom_busy,tpc=2/', '--', t.NTIME, 'model', 'play', card.path, '5'))))}
        equal((rows['gpu0/rop_busy/'], rows['gpu0/geom_busy,tpc=2/']), (rows['gpu0/rop_busy,tpc=1/'], model('truth', card.path, 'geom_busy')))
        found = registers(card)
        for event, why in (('rop_busy,tpc=0', 'gpu0 has no TPC 0: those that it has are the bits of 0x6'), ('rop_waits_for_fb,rop=2', 'no memory partition 2'),
                           ('rop_waits_for_fb,tpc=1', 'it needs no multiplexer of a TPC, so there is none to choose remedy: leave out tpc'),
                           ('gpu_idle,rop=0', 'it needs no multiplexer of a memory partition'), ('rop_busy,tpc=15', 'does not fit into the 4 bits'),
                           ('rop_waits_for_fb,rop=0,tpc=1', 'tpc and rop cannot be combined'), ('rop_busy,mp=1', 'take tpc or rop in place of mp'),
                           ('shaded_pixel_count.0,sel=3', 'goes with nothing but tpc or rop'), ('shaded_pixel_count.0,rop_busy', 'goes with nothing but'),
                           ('rop_busy,shaded_pixel_count.0', 'goes with nothing but')):
            has(' '.join(err(ntime('--model', card.path, '--passes', '-e', f'gpu0/{event}/', 'true')).split()), why)
        has(err(ntime('--model', card.path, '--passes', '-e', '{gpu0/shaded_pixel_count.0/}', 'true')), 'is a sum of 3 set-ups, which take turns: take it out')
        equal(registers(card), found)
        # A group select of all ones is one.
        equal(ntime('--model', card.path, '-e', 'gpu0/domain=3,src=0x0c080400,op=0x8000,groups=0xffffffff/', 'true').returncode, 0)
        equal((model('read', card.path, '0x408b3c'), registers(card)), ('0x00000000', found))
        # Of three MPs the events see two.
        has(err(ntime('--model', card.path, '-e', 'gpu0/geom_busy/', 'true')), 'partial: TPC 1 alone, of 2, MP 0, 1 of 3')
    with Card('GT215', options=('--tpc', '0x2', '--mp', '0x4')) as card:
        has(' '.join(err(ntime('--model', card.path, '-e', 'gpu0/geom_busy/', 'true')).split()),
            'the MPs whose wires it is made of are none that gpu0 has: those are the bits of 0x4')


def values_of(card, events, *args, frames='1'):
    done = ntime('--model', card.path, '--json', '--passes', '-e', ','.join(f'gpu0/{e}/' for e in events), *args, '--', t.NTIME, 'model', 'play', card.path, frames)
    equal(done.returncode, 0, err(done))
    return [item.get('value') for item in json.loads(done.stderr)['items']]


@test
def a_count_is_of_the_unit_that_was_chosen():
    """Units of a scene differ, so that a count shows which one was selected; without a number it is the first one that the board has."""
    scene = """frame
clocks 5 tpc1.prop_out=37 tpc1.prop_out.6 tpc1.prop_out.7 prop_out=8
clocks 7 tpc2.prop_out=0-0 tpc2.prop_out.7 tpc2.prop_out.0
clocks 11 tpc1.tex_cache.2 tpc2.gld.1
clocks 13 tpc2.tex_cache.2 rop1.crop_wait.3
clocks 17 rop0.zrop_wait.3 tpc2.shader_rop.0 tpc2.gld.1
"""
    rows = {'rasterizer_pixels_out_count.1': (5 * 45, 7, 'prop_out.7; amount ' + ' '.join(f'prop_out.{i}' for i in range(6))),
            'rasterizer_pixels_out_count.0': (5, 0, 'prop_out.6 & prop_out.7'), 'texture_waits_for_fb': (11, 13, 'tex_cache.2'),
            'shader_waits_for_rop': (0, 17, 'shader_rop.0 & !shader_rop.1'), 'gld_64b': (0, 28, 'gld.1')}
    with Card('GT215', scene, ('--tpc', '0x6')) as card:
        names = [f'{n}{tpc}' for n in rows for tpc in ('', ',tpc=1', ',tpc=2')]
        equal(values_of(card, names), [v for first, second, _ in rows.values() for v in (first, first, second)])
        equal(values_of(card, ['rop_waits_for_fb', 'rop_waits_for_fb,rop=0', 'rop_waits_for_fb,rop=1']), [17, 17, 13])
        for name, (first, second, function) in rows.items():
            asked = [function, *(re.sub(r'\b(?=[a-z_]+\.)', f'tpc{n}.', function) for n in (1, 2))]
            equal([int(model('truth', card.path, text)) for text in (name, *asked)], [first, first, first, second], name)
        equal(int(model('truth', card.path, 'rop1.crop_wait.3')), 13)
        # Somebody left both TPCs enabled, and the wrong one first: ours counts, and all is as it was found.
        client = card.connect()
        equal(ask(client, HOLD)[0], 0)
        for address in (0x408f50, 0x409750, 0x408d08, 0x409508, 0x408b40, 0x409340):
            equal(ask(client, WRITE, address, 0x80000015 if address & 0xff == 0x50 else 0x800 if address & 0xff == 8 else 1)[0], 0)
        client.close()
        found = {a: model('read', card.path, hex(a)) for a in (0x408f50, 0x409750, 0x408d08, 0x409508, 0x408b40, 0x409340, 0x408b3c, 0x40933c)}
        equal(values_of(card, names), [v for first, second, _ in rows.values() for v in (first, first, second)])
        equal({a: model('read', card.path, hex(a)) for a in found}, found)
    for line, says in {'tpc9.prop_out.1': 'the chip has no such TPC', 'rop2.crop_wait=1': 'the chip has no such partition',
                       'tpc1.trast.0': 'its unit is not there in each of these', 'rop0.prop_out=3': 'its unit is not there in each of these',
                       'tpc1.d2.5': 'it is no wire of a unit', ' '.join(['tpc1.prop_out.1'] * 9): 'more than eight wires'}.items():
        with tempfile.NamedTemporaryFile('w', suffix='.scene') as f:
            f.write(f'frame\nclocks 5 {line}\n')
            f.flush()
            done = ntime('model', 'run', 'GT215', '--scene', f.name, '--listen', f.name + '.sock')
            equal(done.returncode, 125, line)
            has(err(done), says)


@test
def partitions_of_a_g200_that_lacks_some():
    with Card('G200', options=('--rop', '0xc0')) as card:
        equal(values_of(card, ['rop_waits_for_fb', 'rop_waits_for_fb,rop=7'], frames='5'), 2 * [int(model('truth', card.path, 'rop_waits_for_fb'))])
        has(' '.join(err(ntime('--model', card.path, '-e', 'gpu0/rop_waits_for_fb,rop=0/', 'true')).split()), 'no memory partition 0: those that it has are the bits of 0xc0')


@test
def words_of_domain_3_count_what_is_true():
    """Sums, groups in any byte, the same one twice, and signals that a scene raises by number, alone and beside each other."""
    scene = ''.join(['frame\n', 'clocks 3 gld=5 gst=2 shader_rop.0\n', 'clocks 4 gld=6 shader_tex.2 shader_tex.3\n', 'clocks 9 gst=7 tex_shader=3 d3.0x18\n'])
    amount = 'amount gld.0 gld.1 gld.2 gst.0'
    rows = {'src=0x2c2c2c01,op=0xaaaa,groups=0xc': 'gld.1', 'src=0x2c2c2c0d,op=0xaaaa,groups=0x0c000000': 'gld.1',
            'src=0x2c2c2c05,op=0x5555,groups=0x00000d0c': '!gst.1', 'src=0x2c0a0201,op=0x8080,groups=0x000c0d0c': 'gld.1 & gld.2',
            'src=0x2c2c0800,op=0x8888,groups=0x000d000c': 'gld.0 & gst.0', 'src=0x2c2c2c2c,op=0xffff,mode=1,amount=0x04020100,groups=0x0d0c': f'd3: 1; {amount}',
            'src=0x2c0e0c01,op=0xaaaa,mode=2,amount=0x0a090806,groups=0x0b0c0d02': None, 'src=0x2c2c2c18,op=0xaaaa': 'd3.0x18'}
    with Card('GT218', scene) as card:
        alone = [values_of(card, [f'domain=3,{words}'])[0] for words in rows]
        for words, value in zip(rows, alone):
            if rows[words] and '!' not in rows[words]:
                equal(value, int(model('truth', card.path, rows[words])), words)
        together = values_of(card, [f'domain=3,{words}' for words in rows])
        # A clock of an access has all wires at 0, which only the inverse sees.
        equal([v for w, v in zip(rows, together) if '!' not in str(rows[w])], [v for w, v in zip(rows, alone) if '!' not in str(rows[w])])
    # By number: that wire of every group, and of group 0 in a function and in words without groups, wherever ntime places it.
    scene = 'frame\nclocks 5 d3.0\nclocks 70 d3.5\nclocks 300 d3.0x20 shader_rop.0\nclocks 2000 slot_mp0.1\nclocks 30000 d3.13 d2.0\n'
    for chip, rop, first, second in ('G80', 5, 5, 32070), ('G96', 5, 5, 32070), ('G200', 0, 305, 30070), ('GT218', 0, 305, 30070):
        with Card(chip, scene) as card:
            rows = [(0, 0, 'd3: d3.0', first), (4, 0, 'd3.12', first), (5, 0, 'd3.1', second), (13, 0, 'd3.5', second), (15, 0, 'd3.15', 0),
                    (0x20, 0, 'd3.0x20', 300), (0, rop, 'shader_rop.0', 305), (8, 0x77007777 | rop << 16, 'shader_rop.0', 305),
                    (13, 0x77000000, 'shader_rop.1', 30070)]
            equal(values_of(card, [f'domain=3,src={src:#x},op=0xaaaa,groups={groups:#x}' for src, groups, *_ in rows]), [row[3] for row in rows], chip)
            equal([int(model('truth', card.path, row[2])) for row in rows], [row[3] for row in rows], chip)
            names = ['shader_waits_for_rop', 'shader_waits_for_texture', 'texture_busy', 'geom_busy', 'texture_waits_for_shader']
            equal(values_of(card, names), list(truths(card, names).values()), chip)


def derived(card, log, names, *args):
    """A run that counts @names, and what ntime trace derive makes of its accesses."""
    before = os.path.getsize(log)
    values = counted(card, names, *args)
    with open(log, 'rb', buffering=0) as f:
        f.seek(before)
        done = ntime('trace', 'derive', '--tsv', '--chip', card.chip, '-', stdin=f)
    equal(done.returncode, 0, err(done))
    return values, list(csv.DictReader(io.StringIO(out(done)), delimiter='\t'))


@test
def derive_finds_what_was_set_up():
    with tempfile.TemporaryDirectory() as folder:
        for chip in ('G80', 'G86', 'G200', 'GT215'):
            log = os.path.join(folder, chip)
            with Card(chip, options=('--log', log)) as card:
                names = list(events_of(chip))
                values, rows = derived(card, log, names, '--passes')
                said = {(event.split('@')[0], row['part']) for row in rows for event in row['event'].split('|')}
                for name in names:
                    event, _, part = name.partition('.')
                    # What counts the same has one row for all its names, which has no part where they have several.
                    equal((event, part or '0') in said or (event, '-') in said, True, f'{chip}: {name} in {sorted(said)}')
                equal(values, truths(card, names))
                chosen = random.Random(chip)
                for _ in range(12):
                    some = chosen.sample([name for name in names if name not in LATER], 4)
                    _, rows = derived(card, log, some, '--passes')
                    said = {event.split('@')[0] for row in rows for event in row['event'].split('|')}
                    equal({name.partition('.')[0] for name in some} <= said, True, f'{chip}: {some} in {sorted(said)}')
        has(model('run', 'G80', '--listen', os.path.join(folder, 's'), '--log', folder, status=125), f'cannot write {folder}')


@test
def what_nobody_can_count_is_absent_with_its_reason():
    with Card('GT218') as card:
        report = json.loads(out(ntime('list', '--model', card.path, '--json', 'gpu0')))
        equal(sorted(event['name'] for event in report['events'] if not event['usable']), sorted(f'gpu0/{name}/' for name in ABSENT))
        listed = out(ntime('list', '-v', '--model', card.path, 'gpu0'))
        has(listed, '(not here) gpu0/rop_samples_in_count/')
        has(' '.join(listed.split()), 'remedy: count its parts, rop_samples_in_count.0 and rop_samples_in_count.1')
        done = ntime('--model', card.path, '-e', ','.join(f'gpu0/{name}/' for name in ABSENT), 'true')
        has(' '.join(err(done).split()), "gpu0/shader_busy/ it is what the MPs' own counters see")
        # A sum whose later runs are missing says so.
        done = ntime('--model', card.path, '--csv', '--passes', '-e', 'gpu0/shaded_pixel_count.0/', '--', 'sh', '-c',
                     f'{t.NTIME} model play {card.path} 5; kill -9 $$')
        row = next(row for row in csv.DictReader(io.StringIO(err(done)[err(done).index('name,') if 'name,' in err(done) else 0:])) if row.get('name', '').startswith('gpu0'))
        equal(sorted(row['flags'].split()), ['incomplete', 'partial', 'simulated'])


@test
def lists_say_what_is_guessed():
    for chip, names in (('G80', ['texture_waits_for_fb', *(name for name in EVENTS if name.startswith('texture_sample'))]), ('G86', ['geom_vertex_in_count']),
                        ('G200', ['geom_vertex_in_count', 'shader_busy']), ('GT216', ['shader_busy'])):
        with Card(chip) as card:
            report = json.loads(out(ntime('list', '--model', card.path, '--json', 'gpu0')))
            equal([event['name'] for event in report['events'] if 'Guessed: ' in event['desc']], [f'gpu0/{name}/' for name in names], chip)


@test
def lists_name_the_events():
    with Card('G80') as card:
        done = ntime('--model', card.path, 'list', '--names', 'gpu0')
        equal(sorted(line for line in out(done).split('\n') if line.startswith('gpu0/')), sorted(f'gpu0/{name}/' for name in [*events_of('G80'), *ABSENT, *(f'cycles_{c}' for c in CLOCKS[:5])]))
        equal(json.loads(out(ntime('list', '--model', card.path, '--json', 'gpu0')))['units'][0]['method'], 'model')


@test
def lists_tell_what_an_event_takes():
    """Domain, counters, passes, multiplexers, words, trust; and flags that agree with the planner for every pair that is tried."""
    rows = {'gpu_idle': (1, 1, 1, [], 'documented'), 'cycles_vdec': (6, 0, 1, [], 'documented'),
            'rop_samples_in_count.1': (2, 2, 1, [('PROP', 0x15), ('TPC', 1)], 'documented'),
            'shaded_pixel_count.0': (2, 1, 3, [('PROP', 0x1c), ('TPC', 1), ('PROP', 0x1d), ('PROP', 3)], 'documented'),
            'geom_vertex_in_count': (1, 2, 1, [('VFETCH', 0)], 'documented')}
    for chip in CHIPS:
        with Card(chip, options=['--tpc', '0x6'] if chip == 'GT215' else []) as card:
            events = {e['name'].split('/')[1]: e for e in json.loads(out(ntime('--model', card.path, 'list', '--json', 'gpu0')))['events']}
            equal(sorted(n for n, e in events.items() if 'card' in e), sorted(n for n, e in events.items() if e['usable']), chip)
            cards = {n: e['card'] for n, e in events.items() if 'card' in e}
            if chip == 'GT215':
                for name, row in rows.items():
                    c = cards[name]
                    equal((c['domain'], c['counters'], c['passes'], [(m['name'], m['value']) for m in c['multiplexers']], c['trust']), row, name)
            if chip == 'G84':
                equal(cards['geom_vertex_in_count']['trust'], 'guessed')
            chosen = random.Random(chip)
            for _ in range(25):
                pair = chosen.sample(sorted(cards), 2)
                # By its raw terms it is the same set-up.
                words = [f'gpu0/{pair[0]}/', *(f'gpu0/{text}/' for text in cards[pair[1]]['terms'].split(' '))]
                report = json.loads(ntime('--model', card.path, '--context', 'a', '--json', '--passes', '-e', ','.join(words), 'true').stderr)
                clash = int(cards[pair[0]]['conflicts'], 16) & int(cards[pair[1]]['conflicts'], 16)
                if not any('control' in cards[name] for name in pair):
                    equal(report['passes'] == 1, clash == 0, (chip, pair, report['passes']))
            # There was room for all: an event of one pass has not all bits.
            equal([n for n, c in cards.items() if (c['conflicts'] == '0x' + 'f' * 16) != (c['passes'] > 1)], [], chip)
    with Card() as card:
        text = out(ntime('--model', card.path, 'list', '-v', 'gpu0'))
        for line in ('takes: domain 2, 2 counters, 1 pass; PROP = 0x15, TPC = 0', 'terms: domain=1,src=0xecececcb,op=0xaaaa', 'trust: documented; re-pcounter-tools'):
            has(text, line)


@test
def lists_tell_what_nvperfkit_knows():
    published = perfkit_list()
    for chip in CHIPS:
        with Card(chip) as card:
            equal(out(ntime('--model', card.path, 'list', '--names', 'nvpm')).split(), [name for name, *_ in published], chip)
            events = json.loads(out(ntime('--model', card.path, 'list', '--json', 'nvpm')))['events']
            equal(sorted((k['name'], k['number'], k['domain'], k['display']) for e in events for k in e['card']['perfkit']), sorted(published), chip)
    with Card() as card:
        has(out(ntime('--model', card.path, 'list', '-v', 'nvpm')), 'NVPerfKit: gpu_busy, number 207, ratio')
    done = ntime('list', '--names', 'nvpm')
    equal((done.returncode, out(done)), (1, ''))
    has(err(done), 'ntime doctor')
    has(out(ntime('doctor')), 'Graphics cards: none')


@test
def bad_input_writes_nothing_to_the_card():
    with Card() as card:
        found = registers(card)
        for event, part in (('gpu0/gpu_idel/', 'did you mean gpu_idle?'), ('gpu0/nothing_like_that/', 'has no event or term'),
                            ('gpu0/domain=1,src=0x100000000/', 'does not fit'), ('gpu0/domain=8/', 'does not fit')):
            done = ntime('--model', card.path, '-e', event, 'true')
            equal(done.returncode, 125, event)
            has(err(done), part)
            equal(err(done).count('\n'), 1, err(done))
        for event, part in (('gpu0/gpu_idle/u', 'gpu0'), ('gpu0/domain=1,src=0xcb,op=0xaaaa,mode=3/', 'no delays'),
                            ('gpu0/domain=1,src=0xcb,op=0x1aaaa/', 'no delays'),
                            ('gpu0/domain=1,src=0xcb,op=0xaaaa,mux=8/', 'mux above 7'), ('gpu0/domain=1,src=0xcb,op=0xaaaa,mux=1,sel=4/', 'no such'),
                            ('gpu0/domain=3,src=0x7f,op=0xaaaa/', 'has no such domain, signal or value of a multiplexer')):
            done = ntime('--model', card.path, '-e', event, 'true')
            has(err(done), part)
        equal(registers(card), found)


@test
def models_that_are_not_there():
    done = ntime('--machine', os.path.join(t.ROOT, 'count/tests/machine/intel-skx-2s.json'), '--model', 'x', 'list')
    equal(done.returncode, 125)
    has(err(done), '--machine and --model cannot be combined')
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 's')
        done = ntime('--model', path, '-e', 'gpu0/gpu_idle/', 'true')
        equal((done.returncode, err(done)), (125, f'ntime: cannot reach a model of a card at {path}: there is no such socket\n'))
        for hello, part in ((b'hello', 'what serves it is no model of a card'),
                            (HELLO.pack(0x6c646d6e, 7, 0, 0), 'the model speaks another version of the protocol'),
                            (HELLO.pack(0x6c646d6e, 1, 0x0c0000a1, 0), 'a chip without known events')):
            server = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            server.bind(path)
            server.listen()
            child = subprocess.Popen([t.NTIME, '--model', path, 'list', 'gpu0'], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                     stderr=subprocess.PIPE, env=environment())
            client, _ = server.accept()
            client.send(hello)
            client.close()
            _, said = child.communicate(timeout=PATIENCE)
            equal(child.returncode, 125)
            has(said.decode(), part)
            server.close()
            os.unlink(path)


@test
def a_card_that_somebody_else_counts_on():
    with Card() as card:
        other = card.connect()
        equal(ask(other, HOLD)[0], 0)
        done = ntime('--model', card.path, '-e', 'gpu0/gpu_idle/', 'true')
        equal(done.returncode, 0)
        has(err(done), f'in use by a program (pid {os.getpid()})')
        other.close()


@test
def a_model_that_ends_in_mid_count():
    with Card() as card:
        child = subprocess.Popen([t.NTIME, '--model', card.path, '--json', '-e', 'gpu0/gpu_idle/,page-faults', 'sh', '-c', 'echo ready; read x'],
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
        equal(child.stdout.readline(), b'ready\n')
        model('play', card.path, '5')
        card.end()
        _, said = child.communicate(b'\n', timeout=PATIENCE)
        item = json.loads(said)['items'][0]
        equal(item.get('value') in (None, 0), True, item)
        equal(item['name'], 'gpu0/gpu_idle/')
        # Whether anything was read before it ended is a matter of time.
        equal([flag for flag in item['flags'] if flag != 'not-counted'], ['simulated', 'lost', 'gone'], item)
    with Card() as card:
        child = subprocess.Popen([t.NTIME, '--model', card.path, '-e', 'gpu0/gpu_idle/', 'sh', '-c', 'echo ready; read x'],
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
        equal(child.stdout.readline(), b'ready\n')
        card.end()
        _, said = child.communicate(b'\n', timeout=PATIENCE)
        equal(child.returncode, 125)
        has(said.decode(), 'reading the counters of gpu0 failed')
        has(said.decode(), 'the model has ended')


@test
def a_model_that_hangs_is_given_up_once():
    with Card() as card:
        found = registers(card)
        child = subprocess.Popen([t.NTIME, '--model', card.path, '-e', 'gpu0/gpu_idle/', 'sh', '-c', 'echo ready; read x'],
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
        equal(child.stdout.readline(), b'ready\n')
        card.child.send_signal(signal.SIGSTOP)
        _, said = child.communicate(b'\n', timeout=PATIENCE)
        equal(child.returncode, 125)
        has(said.decode(), 'it does not answer, and what ntime set there stays as it is\n')
        equal(said.count(b'\n'), 1, said)
        card.child.send_signal(signal.SIGCONT)
        # The next one restores what it finds.
        left = registers(card)
        equal(left == found, False)
        equal(counted(card, ['gpu_idle']), truths(card, ['gpu_idle']))
        equal(registers(card), left)


@test
def registers_are_as_found_however_it_ends():
    with Card() as card:
        found = registers(card)
        for sig in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            child = subprocess.Popen([t.NTIME, '--model', card.path, '-a', '-I', '20ms', '-q', '-e', ','.join(f'gpu0/{name}/' for name in FOUR)], stdin=subprocess.DEVNULL,
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
            child.stderr.readline()
            child.send_signal(sig)
            child.communicate(timeout=PATIENCE)
            equal(registers(card), found, sig)


if __name__ == '__main__':
    sys.exit(t.main())
