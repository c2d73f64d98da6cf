#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What ntime --via emulator costs beside the program itself, QEMU without us, and callgrind; and whether both count the same difference."""
import os
import re
import resource
import shutil
import statistics
import subprocess
import tempfile

import common

ROUNDS = 3


def cpu_used():
    """Seconds of all children so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def cpu_seconds(command):
    before = cpu_used()
    subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    return cpu_used() - before


def make_inputs(folder):
    """Of a program a small and a larger input, always the same: lines of text, and behind them those of a C program."""
    inputs = {}
    for size, lines in (('small', 100000), ('large', 300000)):
        inputs[size] = os.path.join(folder, size)
        with open(inputs[size], 'w', encoding='ascii') as f:
            f.writelines(f'{i * 7919 % 1000003} {i % 97} {"x" * (i % 40)}\n' for i in range(lines))
        with open(f'{inputs[size]}.c', 'w', encoding='ascii') as f:
            f.writelines(f'int f{i}(int x) {{ while (x-- > {i % 7}) x ^= x * {i}; return x; }}\n' for i in range(lines // 200))
    return inputs


def programs(inputs, size):
    path = inputs[size]
    times = {'small': '300000', 'large': '900000'}[size]
    found = {
        'gzip': ['gzip', '-c', path], 'bzip2': ['bzip2', '-c', path], 'xz': ['xz', '-0', '-c', path], 'zstd': ['zstd', '-q', '-c', path],
        'sort': ['sort', '--parallel=1', '-n', path], 'sha256sum': ['sha256sum', path], 'md5sum': ['md5sum', path], 'wc': ['wc', path],
        'awk': ['awk', '{s += $1 * $2} END {print s}', path], 'sed': ['sed', '-n', 's/x*$//p', path], 'cut': ['cut', '-d ', '-f2', path],
        'tr': ['sh', '-c', f'tr a-z A-Z <{path}'], 'perl': ['perl', '-e', f'$s += $_ * $_ % 7 for 1..{times}; print $s'],
        'tac': ['tac', path], 'uniq': ['uniq', '-c', path], 'od': ['od', path], 'fold': ['fold', '-w', '20', path], 'grep': ['grep', '-c', '77*.*xx', path],
        'sqlite3': ['sqlite3', ':memory:', f'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {times}) SELECT sum(i * i % 7) FROM n'],
        'cc1': [subprocess.run(['cc', '-print-prog-name=cc1'], stdout=subprocess.PIPE, check=True, text=True).stdout.strip(), '-quiet', '-O1', '-o', '/dev/null',
                f'{path}.c'],
        'python3': ['/usr/bin/python3', '-S', '-c', f'print(sum(i * i % 7 for i in range({times})))'],
    }
    return {name: command for name, command in found.items() if shutil.which(command[0])}


def emulated(ntime, command):
    text = subprocess.run([ntime, '--via', 'emulator', '--csv', '-e', 'instructions', '--', *command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, check=True, text=True).stderr
    return int(re.search(r'^instructions,(\d+),', text, re.M)[1])


def callgrinds(command):
    # What a shell starts is a process of its own there.
    text = subprocess.run(['valgrind', '--tool=callgrind', '--callgrind-out-file=/dev/null', *command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, check=True, text=True).stderr
    return int(re.findall(r'Collected : (\d+)', text)[-1])


def main():
    ntime = common.need_built('count/cli/ntime')
    qemu = common.need_tool(f'qemu-{os.uname().machine}', 'qemu-user')
    common.need_tool('valgrind', 'valgrind')
    rows, shares, fifths, twices = [], [], [], []
    with tempfile.TemporaryDirectory() as folder:
        inputs = make_inputs(folder)
        small = programs(inputs, 'small')
        for name, command in programs(inputs, 'large').items():
            seconds = {'own': [], 'qemu': [], 'ntime': [], 'functions': []}
            for _ in range(ROUNDS):
                seconds['own'].append(cpu_seconds(command))
                seconds['qemu'].append(cpu_seconds([qemu, shutil.which(command[0]), *command[1:]]))
                seconds['ntime'].append(cpu_seconds([ntime, '-q', '--via', 'emulator', '-e', 'instructions', '--', *command]))
                seconds['functions'].append(cpu_seconds([ntime, '-q', '--via', 'emulator', '-e', 'instructions', '--per', 'function', '--', *command]))
            own, alone, ours, functions = (statistics.median(times) for times in seconds.values())
            before = cpu_used()
            others = [callgrinds(command)]
            theirs = cpu_used() - before
            counts = [emulated(ntime, which) for which in (small[name], command)]
            same = len({emulated(ntime, command) for _ in range(3)} | {counts[1]}) == 1
            if name == 'tr':
                difference = '-'
            else:
                others.insert(0, callgrinds(small[name]))
                more = others[1] - others[0]
                difference = f'{100 * ((counts[1] - counts[0]) / more - 1):+.2f} %' if more else '-'
            rows.append([name, f'{own:.3f}', f'{alone / own:.1f}', f'{ours / own:.1f}', f'{functions / own:.1f}', f'{theirs / own:.1f}', difference, 'yes' if same else 'no'])
            shares.append(ours / own)
            fifths.append(theirs / ours)
            twices.append(functions / ours)
    common.print_table(['program', 'own s', 'QEMU', 'ntime', 'by function', 'callgrind', 'beside callgrind', 'same'], rows)
    print(f'''
own s: CPU seconds of the program, medians of {ROUNDS} interleaved rounds; QEMU (alone), ntime, --per function, callgrind (once): as many times as much.
beside callgrind: instructions that the larger input takes more than the smaller one, beside callgrind's figure. same: of four runs.
''')
    common.print_aim('at most 4 times the program\'s own time, median', statistics.median(shares) <= 4, f'{statistics.median(shares):.1f}')
    common.print_aim('by function at most twice plain counting, median', statistics.median(twices) <= 2, f'{statistics.median(twices):.2f}')
    common.print_aim('a fifth of callgrind\'s at most, median', statistics.median(fifths) >= 5, f'1 / {statistics.median(fifths):.1f}')


if __name__ == '__main__':
    common.run_main(main)
