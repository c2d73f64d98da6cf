#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs of NVPerfKit's three interfaces on a card that is a model, and without one. Speaks TAP.

Usage: test_nvpm.py NTIME LIBRARY CLIENT_I CLIENT_II CLIENT_III [-k WORD]
"""
import itertools
import os
import re
import subprocess
import sys

LIBRARY, *CLIENTS = [os.path.abspath(path) for path in sys.argv[2:6]]
del sys.argv[2:6]

# pylint: disable=wrong-import-position
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../../base/tests'))
import command as t    # noqa: E402
from command import PATIENCE, environment, equal, has    # noqa: E402
from card import EVENTS, Card, model, perfkit_list  # noqa: E402

test = t.test
SIMULATED = 'ntime: nvperfsdk: the card is a model: its values are simulated\n'
# Mean, min and max in percent of 100 * value / cycles over 100 frames, as NVPerfKit showed them on Windows: re-pcounter-tools,
# docs/hw/pcounter/tesla/oglperf_stats, those of the two chips whose events ntime has. The other 20 are of counters that nobody knows how to compute:
# rasterizer_pixels_out_count, rop_samples_in_count, shaded_pixel_count, shader_busy, texture_sample_average_level, texture_sample_base_level_rate,
# and pixel_ and vertex_shader_busy and _instruction_rate.
PUBLISHED = {
    'G86': '''
geom_busy 8.13 7.41 8.37
geom_primitive_in_count 2.07 2 2.16
geom_primitive_out_count 2.07 2.01 2.16
geom_vertex_in_count 6.29 6.03 6.82
geom_vertex_out_count 6.25 5.99 6.51
geom_waits_for_shader 24.8 23.4 25.5
input_assembler_busy 35.5 34.5 37
input_assembler_waits_for_fb 84 83 84.9
rasterizer_tiles_in_count 11.5 11.4 11.6
rasterizer_tiles_killed_by_zcull_count 2.24 1.78 2.66
rop_busy 13.3 13.3 13.4
rop_samples_killed_by_earlyz_count 0.286 0.285 0.287
rop_samples_killed_by_latez_count 0 0 0
rop_waits_for_fb 0 0 0
rop_waits_for_shader 71.3 70.9 71.5
shader_waits_for_geom 0.00247 0.00224 0.00277
shader_waits_for_rop 1.41 1.31 1.5
shader_waits_for_texture 24.8 24.8 25.2
texture_busy 25.4 25.3 25.8
texture_waits_for_fb 32.7 32.4 32.8
texture_waits_for_shader 0.000185 0.000145 0.000293
vertex_attribute_count 35.9 34.6 38.2''',
    'GT215': '''
geom_busy 1.88 1.88 1.88
geom_primitive_in_count 1.03 1.02 1.05
geom_primitive_out_count 1.04 1.03 1.05
geom_vertex_in_count 3.13 3.12 3.15
geom_vertex_out_count 3.14 3.12 3.16
geom_waits_for_shader 0.00174 0.00171 0.00175
input_assembler_busy 23.2 23 23.4
input_assembler_waits_for_fb 86.7 86.7 86.8
rasterizer_tiles_in_count 28.1 26.5 28.9
rasterizer_tiles_killed_by_zcull_count 0.936 0.932 0.945
rop_busy 7.13 7.07 7.16
rop_samples_killed_by_earlyz_count 0.8 0.79 0.807
rop_waits_for_fb 7.83 7.58 7.89
rop_waits_for_shader 28.1 27.5 28.3
shader_waits_for_rop 0.0164 0 0.0432
shader_waits_for_texture 0.343 0.336 0.353
texture_busy 0.803 0.787 0.816
texture_waits_for_fb 8.25 7.96 8.62
texture_waits_for_shader 0.338 0.332 0.345
vertex_attribute_count 22.9 20.6 23.5'''}
# Clocks of a frame: so many that those of ntime's own accesses, 16 each, are in no digit that is shown.
CLOCKS = 10**9


def client(number, *args, card=None, status=0, **variables):
    """Standard output and standard error of a client."""
    env = environment(NTIME_MODEL=card.path if card else '', **variables)
    done = subprocess.run([CLIENTS[number], *args], env=env, timeout=PATIENCE, check=False, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    equal(done.returncode, status, f'exit status of client {number + 1}: {done.stderr.decode()}')
    return done.stdout.decode(), done.stderr.decode()


def play(card, frames):
    return [t.NTIME, 'model', 'play', card.path, str(frames)]


def wires_of(name):
    """Wires whose being 1 makes one of the event in each clock, while it has none of it where all are 0."""
    function, _, amount = EVENTS[name].partition('; amount ')
    wires = sorted(set(re.findall(r'\w+\.\d+', function)))
    for n in range(len(wires) + 1):
        for some in itertools.combinations(wires, n):
            text = re.sub(r'\w+\.\d+', lambda m, some=some: str(m[0] in some), function)
            if eval(text.replace('!', ' not ').replace('&', ' and ').replace('|', ' or ')):  # pylint: disable=eval-used
                return [*some, *amount.split()[:1]]
    raise AssertionError(f'{name} is never true')


def frame(**counts):
    """A frame of CLOCKS clocks, in which these events happen so often."""
    stretches = [f'clocks {n} {" ".join(wires_of(name))}' for name, n in counts.items() if n]
    return '\n'.join(['frame', *stretches, f'clocks {CLOCKS - sum(counts.values())}'])


@test
def what_was_published_is_what_is_shown():
    rows = 0
    for chip, text in PUBLISHED.items():
        for name, *numbers in (line.split() for line in text.strip().splitlines()):
            mean, least, most = (round(float(number) / 100 * CLOCKS) for number in numbers)
            other = round((100 * mean - least - most) / 98)
            scene = '\n'.join(frame(**{name: n}) for n in (least, most, *[other] * 98))
            with Card(chip, scene=scene) as card:
                shown, said = client(0, '-c', name, *play(card, 100), card=card)
            equal(shown, f'{name} ' + ' '.join(f'{number}%' for number in numbers) + '\n', chip)
            equal(said, SIMULATED)
            rows += 1
    equal(rows, 42)


# Ten frames, in which things happen of two domains, each frame another number of times.
SOME = ('gpu_idle', 'setup_point_count', 'rop_busy', 'geom_busy', 'input_assembler_busy')
MANY = [{name: 100 * (n + 1) + k for k, name in enumerate(SOME)} for n in range(12)]


def scene_of(counts):
    return '\n'.join(frame(**one) for one in counts)


def rows_of(text):
    """Of each line the counts, None where it was not a counter's turn."""
    return [[None if word == '-' else int(word.split('/')[0]) for word in line.split()] for line in text.splitlines() if '%' not in line]


@test
def each_frame_has_its_own_counts():
    with Card('G86', scene=scene_of(MANY)) as card:
        shown, _ = client(0, '-v', '-c', ','.join(SOME), *play(card, 12), card=card)
        # Counters are in the order of their numbers.
        order = [name for name, *_ in perfkit_list() if name in SOME]
        equal(rows_of(shown), [[counts[name] for name in order] for counts in MANY])


@test
def what_does_not_fit_takes_turns():
    """All that there are: each value is of the frame in which it is new, and each counter comes as often as there are turns for it."""
    names = [name for name, *_ in perfkit_list()]
    with Card('G86', scene=scene_of(MANY)) as card:
        rows = rows_of(client(0, '-v', *play(card, 12), card=card)[0])
    equal(len(rows), 12)
    for name in SOME:
        got = [row[names.index(name)] for row in rows]
        turns = [n for n, value in enumerate(got) if value is not None]
        equal([got[n] for n in turns], [MANY[n][name] for n in turns], name)
        equal(len(turns) >= 2, True, f'turns of {name}')


@test
def nvidias_rule_is_one_event_a_domain_and_period():
    wanted = ('gpu_idle', 'setup_point_count', 'input_assembler_busy', 'rop_busy', 'rop_waits_for_shader', 'geom_busy')
    order = [name for name, *_ in perfkit_list() if name in wanted]
    domains = {name: domain for name, _, domain, _ in perfkit_list()}
    with Card('G86', scene=scene_of(MANY)) as card:
        rows = rows_of(client(0, '-v', '-c', ','.join(wanted), *play(card, 12), card=card, NTIME_NVPM_SCHEDULE='nvidia')[0])
    of_domain = {domain: [name for name in order if domains[name] == domain] for domain in domains.values()}
    equal(rows, [[MANY[n].get(name, 0) if of_domain[domains[name]][n % len(of_domain[domains[name]])] == name else None for name in order]
                 for n in range(12)])


@test
def an_experiment_has_a_frame_for_each_pass():
    with Card('G86', scene=scene_of(MANY)) as card:
        for schedule, passes in (('ntime', 1), ('nvidia', 2)):
            shown, said = client(1, LIBRARY, 'gpu_idle,setup_point_count,GPU Bottleneck,rop_busy,gpu_busy', *play(card, 12), card=card,
                                 NTIME_NVPM_SCHEDULE=schedule)
            lines = shown.splitlines()
            equal(said, SIMULATED)
            equal([re.sub(r'/\d+', '', line) for line in lines[:3] if schedule == 'ntime'],
                  [f'frame gpu_idle={c["gpu_idle"]} setup_point_count={c["setup_point_count"]} GPU Bottleneck:13 rop_busy={c["rop_busy"]} '
                   f'gpu_busy={busy(lines[n])}' for n, c in enumerate(MANY[:3]) if schedule == 'ntime'])
            # Of domain 1 there are three, of which the rule counts one a pass.
            equal(lines[3], f'passes {passes + (schedule == "nvidia")}')
            first, second = MANY[3], MANY[4 if schedule == 'nvidia' else 3]
            has(lines[4], f'gpu_idle={first["gpu_idle"]}/')
            has(lines[4], f'setup_point_count={second["setup_point_count"]}/')
            has(lines[4], f'rop_busy={first["rop_busy"]}/')
            has(lines[4], 'GPU Bottleneck:13')


def busy(line):
    """gpu_busy is what gpu_idle leaves of the same clocks."""
    idle, clocks = re.search(r'gpu_idle=(\d+)/(\d+)', line).groups()
    return int(clocks) - int(idle)


@test
def objects_have_their_own_counts():
    names = [name for name, *_ in perfkit_list()]
    with Card('G86', scene=scene_of(MANY)) as card:
        shown, said = client(2, LIBRARY, '4', *play(card, 4), card=card)
    equal(said, SIMULATED)
    head, *lines = shown.splitlines()
    has(head, '30 counters, ')
    has(head, ' passes, table of 304 bytes')
    equal([line.split()[0] for line in lines], names)
    for name, *values in (line.split() for line in lines):
        counts = [int(value.split('/')[0]) for value in values]
        equal([int(value.split('/')[1]) >= CLOCKS for value in values], [True] * 4, name)
        if name in SOME:
            equal(counts, [one[name] for one in MANY[:4]], name)


@test
def cpu_events_are_counters_too():
    """A machine without a card: programs of NVPerfKit show what they are told to."""
    with Card() as card:
        command = play(card, 3)
        events = 'page-faults,task-clock,page-faults'
        lines = client(0, '-v', *command, NTIME_NVPM_EVENTS=events)[0].splitlines()
        equal(len(lines), 3 + 2)
        for values in (line.split() for line in lines[:3]):
            faults, clock = ([int(n) for n in value.split('/')] for value in values)
            equal(faults[1] > 0 and clock[0] > 0 and clock[1] > 0, True, values)
        # Beside those of a card.
        shown, _ = client(0, '-v', '-c', 'gpu_idle,page-faults', *command, card=card, NTIME_NVPM_EVENTS='page-faults')
        equal([len(line.split()) for line in shown.splitlines()[:3]], [2, 2, 2])
        shown, _ = client(0, '-v', '-c', 'gpu0/domain=1,src=0xbd,op=0xaaaa/,gpu_idle', *command, card=card,
                          NTIME_NVPM_EVENTS='gpu0/shaded_pixel_count.1/,gpu0/signal=PGRAPH.IDLE/')
        equal(len(shown.splitlines()), 3 + 1)


@test
def a_sum_of_three_functions_has_three_turns():
    """Its value is new when all were counted, whoever plans."""
    name = 'gpu0/shaded_pixel_count.1/'
    with Card('GT218') as card:
        rows = {schedule: rows_of(client(0, '-v', '-c', name, *play(card, 6), card=card, NTIME_NVPM_EVENTS=name, NTIME_NVPM_SCHEDULE=schedule)[0])
                for schedule in ('ntime', 'nvidia')}
        equal([[value is not None for value in row] for row in rows['nvidia']], [[False], [False], [True]] * 2)
        equal(rows['nvidia'], rows['ntime'])
        equal(rows['ntime'][5][0] > 0, True)


@test
def without_a_card_nothing_is_enumerated_and_init_succeeds():
    equal(client(0, 'true'), ('', ''))
    for variables, part in (({}, 'NTIME_MODEL names no model'), ({'NTIME_MODEL': '/nowhere'}, '/nowhere'),
                            ({'NTIME_NVPM_EVENTS': 'cycles'}, "'cycles' cannot be counted") if no_cycles() else ({}, 'no card')):
        env = {**environment(), 'NTIME_MODEL': '', **variables}
        for debug in ('', '1'):
            done = subprocess.run([CLIENTS[0], 'true'], env={**env, 'NTIME_DEBUG': debug}, timeout=PATIENCE, check=False, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            equal((done.returncode, done.stdout), (0, b''), variables)
            equal(part in done.stderr.decode(), bool(debug), (variables, debug, done.stderr.decode()))


def no_cycles():
    return 'no' in model_free('list', '--csv', 'cycles').split(',cycles,')[0] or '(not here) cycles' in model_free('list', 'cycles')


def model_free(*args):
    return t.ntime(*args).stdout.decode()


@test
def what_the_environment_has_wrong_is_said_once():
    for variables, part in (({'NTIME_NVPM_EVENTS': 'page-fualts'}, 'page-faults'), ({'NTIME_NVPM_EVENTS': 'IPC'}, 'metric'),
                            ({'NTIME_NVPM_SCHEDULE': 'nvdia'}, "'nvdia'"), ({'NTIME_NVPM_GPU': '3'}, 'gpu3')):
        _, said = client(0, 'true', **variables)
        equal(said.count('\n'), 1, said)
        equal(said.startswith('ntime: nvperfsdk: ' + next(iter(variables))), True, said)
        has(said, part)


@test
def a_card_that_goes_away_is_an_error_and_no_number():
    with Card() as card:
        script = f'kill -9 {card.child.pid}; sleep 0.2; printf x >&"$NTIME_FRAME_FD"; read -r _ <&"$NTIME_FRAME_FD"'
        shown, said = client(0, '-v', '-c', 'gpu_idle', 'bash', '-c', script, card=card, status=1)
        equal(shown, '')
        has(said, 'sample: 22')


@test
def a_card_that_another_program_has_is_counted_when_it_is_free():
    frame_of = 'printf x >&"$NTIME_FRAME_FD"; read -r _ <&"$NTIME_FRAME_FD"; '
    with Card() as card:
        holder = subprocess.Popen([CLIENTS[0], '-c', 'gpu_idle', 'bash', '-c', frame_of + 'echo $$; sleep 60'],
                                  env=environment(NTIME_MODEL=card.path), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        pid = int(holder.stdout.readline())
        _, said = client(0, '-c', 'gpu_idle', *play(card, 1), card=card, status=1, NTIME_DEBUG='1')
        has(said, 'first sample: 22')
        has(said, str(holder.pid))
        os.kill(pid, 9)
        holder.wait(PATIENCE)
        shown, _ = client(0, '-v', '-c', 'gpu_idle', *play(card, 2), card=card)
        equal(shown.count('/'), 2)


@test
def registers_are_as_they_were():
    """Also when a program ends without Shutdown: its library ends what counts."""
    with Card() as card:
        before = [model('read', card.path, hex(address)) for address in (0xa7a0, 0xa7c0, 0xa7e0, 0x40008c)]
        client(0, '-c', 'gpu_idle,rop_busy,geom_busy', *play(card, 2), card=card)
        client(0, '-c', 'gpu_idle', 'bash', '-c', 'exit 0', card=card)
        client(1, LIBRARY, 'gpu_idle', 'bash', '-c', 'exit 3', card=card, status=4)
        equal([model('read', card.path, hex(address)) for address in (0xa7a0, 0xa7c0, 0xa7e0, 0x40008c)], before)
        # And nobody has it any more.
        client(0, '-c', 'gpu_idle', *play(card, 1), card=card)


if __name__ == '__main__':
    sys.exit(t.main())
