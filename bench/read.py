#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a read costs in each method, beside its peers: one table of instructions and nanoseconds, and the aims."""
import glob
import re
import subprocess
import tempfile

import common

TURNS = 1000
ROUNDS = 101
# A read of the same number of events by PAPI, for the ratios.
PAPI_READ = {1: 'papi_read_1', 8: 'papi_read_8'}
INCLUSIVE = re.compile(r'^\s*([\d,]+) \(\s*[\d.]+%\)\s+\S+:loop_(\w+)(?: \[|$)')


def loop_instructions(program, folder, machine, turns):
    """Instructions that each loop and all it called ran, by name of the loop."""
    out = common.callgrind(folder, ['--toggle-collect=loop_*'], [program, 'loop', str(turns), *machine])
    annotate = common.need_tool('callgrind_annotate', 'valgrind')
    text = subprocess.run([annotate, '--inclusive=yes', '--threshold=100', '--auto=no', out], check=True,
                          capture_output=True, text=True).stdout
    found = {}
    for line in text.split('\n'):
        match = INCLUSIVE.match(line)
        if match:
            # A function that others were inlined into has several lines; the largest is the whole.
            found[match[2]] = max(found.get(match[2], 0), int(match[1].replace(',', '')))
    if 'empty' not in found:
        raise common.CannotRun('callgrind shows no loop_empty: was the program stripped?')
    return found


def instructions_per_read(program, machine):
    """By N and 2 N turns: what happens once cancels. The turn itself is taken off."""
    with tempfile.TemporaryDirectory() as folder:
        once = loop_instructions(program, folder, machine, TURNS)
        twice = loop_instructions(program, folder, machine, 2 * TURNS)
    turn = {name: (twice[name] - once[name]) / TURNS for name in once}
    return {name: turn[name] - turn['empty'] for name in turn if name != 'empty'}


def times(program, machine):
    """[(name, events, median, minimum, instructions, words)], what is absent as [(words, reason)], notes."""
    text = subprocess.run([program, 'time', str(ROUNDS), *machine], check=True, stdout=subprocess.PIPE, text=True).stdout
    rows, absent, notes = [], [], []
    for line in text.split('\n'):
        fields = line.split('\t')
        if fields[0] == 'method':
            name, events, median, minimum, instructions, words = fields[1:]
            rows.append((name, int(events), float(median), float(minimum), instructions, words))
        elif fields[0] == 'absent':
            several = f' of {fields[2]}' if int(fields[2]) > 1 else ''
            absent.append((fields[3] + several, fields[4]))
        elif fields[0] == 'note' and fields[1] not in notes:
            notes.append(fields[1])
    return rows, absent, notes


def ratio(a, b):
    return f'{a / b:.2f}' if a is not None and b else '-'


def number(value):
    return '-' if value is None else f'{value:.0f}' if abs(value - round(value)) < 0.005 else f'{value:.2f}'


def print_rows(rows, instructions):
    ns = {name: median for name, _, median, _, _, _ in rows}
    table = []
    for name, events, median, minimum, counted, words in rows:
        count = instructions.get(name, None if counted == '-' else float(counted))
        papi = PAPI_READ.get(events)
        table.append([words, str(events) if events else '', number(count), ratio(count, instructions.get('bare_clock')),
                      ratio(instructions.get(papi), count), f'{median:.1f}', f'{minimum:.1f}',
                      ratio(median, ns.get('bare_clock')), ratio(ns.get(papi), median) if events else '-'])
    common.print_table(['read', 'events', 'instructions', '/ bare', 'PAPI /', 'ns', 'min', '/ bare', 'PAPI /'], table)


def print_aims(rows, instructions):
    ns = {name: median for name, _, median, _, _, _ in rows}
    text = 'the clock reader costs at most 2 times the bare instruction'
    if 'clock' not in ns:
        print(f'aim: {text}: not measurable here')
        return
    share = instructions['clock'] / instructions['bare_clock']
    time_share = ns['clock'] / ns['bare_clock']
    figure = f'{instructions["clock"]:.0f} instructions against {instructions["bare_clock"]:.0f} with its store: {share:.2f}'
    common.print_aim(text, share <= 2, figure)
    common.print_aim(text, time_share <= 2, f'{ns["clock"]:.1f} ns against {ns["bare_clock"]:.1f}: {time_share:.2f}')
    share = instructions['frame_clock'] / instructions['session_clock']
    figure = f'{instructions["frame_clock"]:.0f} instructions against {instructions["session_clock"]:.0f}: {share:.2f}'
    common.print_aim('ntime_frame_end() of a clock and software events costs at most 1.2 session reads', share <= 1.2, figure)
    text = 'the clock reader takes 10 times fewer instructions than a PAPI_read of one event'
    if 'papi_read_1' not in instructions:
        print(f'aim: {text}: not measurable here')
        return
    times_fewer = instructions['papi_read_1'] / instructions['clock']
    common.print_aim(text, times_fewer >= 10, f'{times_fewer:.1f} times')


def main():
    program = common.need_built('bench/read')
    # A small machine with a core PMU, of the tests.
    machine = glob.glob('count/tests/session/model4.json')
    instructions = instructions_per_read(program, machine)
    rows, absent, notes = times(program, machine)
    print_rows(rows, instructions)
    for words, reason in absent:
        print(f'not measurable here: {words}: {reason}')
    for note in notes:
        print(f'note: {note}')
    print(f'''
instructions: user mode, by callgrind, ({2 * TURNS} turns - {TURNS} turns) / {TURNS}, less the turn's own; of a system call only
what this side of it runs, and of clock_gettime, which is one under callgrind, likewise.
ns: median and minimum of {ROUNDS} interleaved rounds, back to back, loop included.
/ bare: beside the bare instruction with the store of its value. PAPI /: a PAPI_read of as many events beside this.
''')
    print_aims(rows, instructions)


if __name__ == '__main__':
    common.run_main(main)
