#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every allocation and system call of these command lines fails, once and for good: the result is right, or a sentence and exit status 125.

Usage: test_faults.py NTIME NTIME_TRACE FAULTS.so CALLS [--points N] [--part K/N] [-k WORD]; with --points, N of each command line's allocations and N of
its calls, spread evenly, else all; with --part, each Nth command line from the Kth on, for machines with several CPUs. Speaks TAP.
"""
import ctypes
import difflib
import json
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NTIME, TRACE, FAULTS, CALLS = (os.path.abspath(path) for path in sys.argv[1:5])
PATIENCE = int(os.environ.get('PATIENCE', '120'))
WHERE, PLACE = 48, 4096
PAGE_BYTES = PLACE + 8 * 32768
# With its unit, which may change with it.
NUMBER = re.compile(r'\d+(,\d{3})*(\.\d+)?(e[-+]?\d+)?( ?([num\u00b5]?s|[KMGT]i?B|[kMG]?Hz)\b)?')
REFERENCES, TRIES = 4, 3
SHOWN = 6
FAILED, NOT_EXECUTABLE = 125, 126
SKIPPED = 77
ALLOCATIONS, SYSTEM_CALLS = 'allocations', 'system calls'
OFTEN_NONE = 'user', 'sys', 'rusage-involuntary-switches', 'rusage-voluntary-switches', 'rusage-in-blocks', 'rusage-out-blocks'
# Of longer ones so many calls are tried, evenly spread.
MOST_CALLS = 60
PR_SET_CHILD_SUBREAPER = 36

SKX, ZEN, ADL, RES = (f'{ROOT}/count/tests/machine/{name}.json' for name in ('intel-skx-2s', 'amd-zen2', 'hybrid-adl', 'restricted'))
GOLDEN, CORPUS = f'{ROOT}/trace/tests/lib/golden', f'{ROOT}/trace/tests/fuzz/corpus'
OLD = 'what was there\n'
DATABASE = '<database><import file="other.xml"/><domain name="D"><reg32 offset="0x10" name="R" type="e"/></domain></database>\n'
IMPORTED = '<database><enum name="e"><value value="1" name="ONE"/></enum></database>\n'
# What hyperfine --export-json writes, as far as it is read.
TIMES = '{"results": [{"command": "prog", "times": [1.1, 1.2, 1.3, 1.4, 1.5], "exit_codes": [0, 0, 0, 0, 0]}]}'
# Ends one frame.
FRAME = 'eval "echo >&$NTIME_FRAME_FD; exec head -c 1 <&$NTIME_FRAME_FD"'


class Line:
    """A command line. @files: what is in its folder before, a text or a file to copy; @live: values and times differ from run to run;
    @result: the file that it makes; @early: it stays where something fails later, as others read it while the command runs, or it is one of several
    outputs."""

    def __init__(self, name, *args, files=None, live=False, result=None, early=False, stdin=None):
        self.name, self.args, self.files, self.live, self.result, self.early, self.stdin = name, args, files or {}, live, result, early, stdin


LINES = (
    Line('stat', 'sh', '-c', 'exit 3', live=True),
    Line('stat-events', '-e', 'page-faults,cycles,{task-clock,minor-faults}', '-m', 'IPC', '-v', 'true', live=True),
    Line('stat-json', '--json', 'true', live=True),
    Line('stat-csv', '--csv', 'true', live=True),
    Line('stat-interval', '--json', '-I', '5000ms', 'sleep', '0.01', live=True),
    Line('stat-file', '-o', 'report', 'true', live=True, result='report'),
    Line('stat-replace', '--json', '-o', 'report', 'true', files={'report': OLD}, live=True, result='report'),
    Line('stat-append', '--append', '-o', 'report', 'true', files={'report': OLD}, live=True, result='report'),
    Line('stat-repeat', '-r', '3', '--json', 'true', live=True),
    Line('stat-attach', '-p', str(os.getpid()), '--json', '--timeout', '20ms', live=True),
    Line('stat-frames', '--frames', 'ring', '-e', 'page-faults', 'sh', '-c', FRAME, live=True, result='ring', early=True),
    Line('compare', 'compare', '-n', '6', '--by', 'real', '--json', '-o', 'report', 'true', 'true', live=True, result='report', early=True),
    Line('compare-files', 'compare', '-v', '--export-csv', 'both', 'a.json', 'b.json', files={'a.json': TIMES, 'b.json': TIMES.replace('1.', '2.')},
         result='both', early=True),
    Line('dry-run', '--machine', ADL, '--dry-run', '-v', '-e', 'cycles,instructions', 'true'),
    Line('list', 'list', '-v', live=True),
    Line('list-machine', 'list', '--machine', SKX, '--json'),
    Line('list-names', 'list', '--machine', ADL, '--names'),
    Line('list-metrics', 'list', '--machine', ZEN, '--metrics', '--csv'),
    Line('doctor', 'doctor', '-v'),
    Line('doctor-json', 'doctor', '--json'),
    Line('doctor-machine', 'doctor', '--machine', RES),
    Line('doctor-record', 'doctor', '--record', 'machine', live=True, result='machine'),
    Line('reg-ls', 'reg', 'ls', '--machine', SKX, '-v'),
    Line('reg-dump', 'reg', 'dump', '--machine', SKX, '--json', '-o', 'dump', result='dump'),
    Line('reg-get', 'reg', 'get', '--machine', SKX, '--csv', 'IA32_PERFEVTSEL'),
    Line('watch', 'watch', '-v', '-n', '1', '-i', '10ms', '--plain', live=True),
    Line('watch-json', 'watch', '-n', '2', '-i', '10ms', '--json', 'page-faults,tsc', live=True),
    Line('export-file', 'export', '-q', '--once', '-i', '10ms', '-e', 'page-faults,tsc', '--textfile', 'report', live=True, result='report'),
    Line('trace-convert', 'trace', 'convert', '--to', 'json', '-o', 'converted', f'{GOLDEN}/vfio-events.in', result='converted'),
    Line('trace-show', 'trace', 'show', f'{GOLDEN}/mmiotrace-kernel.in'),
    Line('trace-derive', 'trace', 'derive', f'{ROOT}/trace/tests/lib/gld_total.demmt'),
    Line('trace-derive-json', 'trace', 'derive', '--json', f'{ROOT}/trace/tests/lib/gld_total.demmt'),
    Line('trace-stat', 'trace', 'stat', '--json', f'{GOLDEN}/demmt-log.in'),
    Line('trace-diff', 'trace', 'diff', f'{GOLDEN}/mmiotrace-kernel.in', f'{GOLDEN}/mmiotrace-qemu.in'),
    Line('trace-state', 'trace', 'state', f'{GOLDEN}/mmiotrace-kernel.in'),
    Line('trace-lookup', 'trace', 'lookup', '--regs', 'main.xml', '--domain', '0=D', '0x10', files={'main.xml': DATABASE, 'other.xml': IMPORTED}),
)


# The others do without a library that cannot be loaded: the loader does not tell one that is not installed from one that cannot be mapped now.
NEEDS_NO_LIBRARY = re.compile('stat|trace|(dry-run|doctor-record|reg-get|watch)$')


class Fault(Exception):
    """The judgement; its text says what was wrong."""


class Skip(Exception):
    """It cannot be tried here; the text says why."""


class Run:
    """What a command line did, with allocation or system call number @at failing."""

    def __init__(self, line, kind, at=0, mode='count'):
        self.line, self.kind = line, kind
        with tempfile.TemporaryDirectory() as folder, tempfile.NamedTemporaryFile() as page:
            page.write(bytes(PAGE_BYTES))
            page.flush()
            for name, text in line.files.items():
                with open(os.path.join(folder, name), 'w', encoding='utf-8') as f:
                    f.write(text)
            env = {k: v for k, v in os.environ.items() if not k.startswith('NTIME_')}
            env.update(LC_ALL='C.UTF-8', COLUMNS='100')
            tracer = [CALLS, FAULTS, page.name, str(at), mode]
            if kind == ALLOCATIONS:
                env.update(LD_PRELOAD=FAULTS, NTIME_FAULTS=f'{page.name},{at},{mode}')
                tracer = []
            done = subprocess.run([*tracer, *([TRACE, *line.args[1:]] if line.args[0] == 'trace' else [NTIME, *line.args])], env=env, cwd=folder, timeout=PATIENCE, check=False, capture_output=True,
                                  stdin=subprocess.DEVNULL)
            if tracer and done.returncode:
                raise Skip(done.stdout.decode().strip() or f'calls ended with {done.returncode}')
            self.stdout, self.stderr = (text.decode('utf-8', 'replace') for text in (done.stdout, done.stderr))
            self.left = reap()
            self.files = {}
            for name in os.listdir(folder):
                with open(os.path.join(folder, name), encoding='utf-8', errors='replace') as f:
                    text = f.read()
                    # A ring of frames: what is in it differs from run to run.
                    self.files[name] = f'{os.path.getsize(os.path.join(folder, name))} bytes' if '\0' in text and line.live else text
            page.seek(0)
            bytes_ = page.read()
            self.calls, self.failed, self.spared, self.loading, places, status = struct.unpack('QQQQQQ', bytes_[:WHERE])
            self.status = os.waitstatus_to_exitcode(status) if tracer else done.returncode
            # What failed between fork and exec: ntime(1) has a status for it.
            if tracer and self.status == NOT_EXECUTABLE and 'ntime: ' in self.stderr:
                self.status = FAILED
            self.where = bytes_[WHERE:PLACE].split(b'\0')[0].decode('utf-8', 'replace')
            self.places = struct.unpack(f'{places}Q', bytes_[PLACE:PLACE + 8 * places])
            if tracer:
                self.places = points(range(1, self.calls + 1), MOST_CALLS)

    def is_told(self):
        """What failed is said in the system's words: as the reason of an absence, say, which is right."""
        words = self.where.split('\n')[0].lower()
        # Who cannot ask for his capabilities counts as who has none.
        return self.kind == SYSTEM_CALLS and words and ('\ncapget ' in self.where or any(words in text.lower() for text in self.texts()))

    def texts(self):
        files = sorted(self.files.items())
        return (self.stdout, self.stderr, ' '.join(name for name, _ in files), *(text for _, text in files))


def reap():
    """Wait for what the command left running, which is adopted here, but kill it after a while; whether that was necessary."""
    was_late = []

    def late(*_):
        was_late.append(True)
        raise TimeoutError

    signal.signal(signal.SIGALRM, late)
    signal.alarm(PATIENCE // 4)
    try:
        while True:
            os.waitpid(-1, 0)
    except ChildProcessError:
        pass
    except TimeoutError:
        for name in os.listdir('/proc'):
            try:
                with open(f'/proc/{name}/stat', encoding='utf-8') as f:
                    if int(f.read().rsplit(')', 1)[1].split()[1]) == os.getpid():
                        os.kill(int(name), signal.SIGKILL)
            except (OSError, ValueError):
                continue
        while True:
            try:
                os.waitpid(-1, 0)
            except ChildProcessError:
                break
    finally:
        signal.alarm(0)
    return bool(was_late)


def shape(value):
    """Of a JSON value what does not change from run to run. Programs that end at once may have no time or no switches at all: what is not
    compared then is left out, and which way a comparison went."""
    if isinstance(value, dict):
        return {k: '' if k in ('when', 'time', 'differs') else shape(v) for k, v in value.items()}
    if isinstance(value, list):
        return [shape(v) for v in value if not (isinstance(v, dict) and v.get('metric') in OFTEN_NONE)]
    return 0 if isinstance(value, (int, float)) and not isinstance(value, bool) else value


def comparable(text, live):
    """@text without what differs from run to run. How many events there are is a sum; why one is not, list says. A metric has several formulas,
    of which the first is taken whose events can be had."""
    text = re.sub(r'(You can count|"usable_events":) \d+', r'\1 N', text)
    text = re.sub(r'formula: .*', 'formula: F', text)
    # A process whose name cannot be read has its number.
    text = re.sub(r'(process \d+) \([^()]*\)', r'\1', text)
    if not live:
        return text
    if text.startswith('{'):
        try:
            return json.dumps([shape(json.loads(part)) for part in ([text] if '\n ' in text else text.splitlines())])
        except ValueError:
            pass
    # What stands beside a number only if the run was long or quiet enough: involuntary switches, counted from fork on, are left out where they are
    # more than the whole has since exec, the share of a CPU where the command took a few milliseconds.
    text = re.sub(r' +[\d,.]+ (involuntary|% of a CPU|CPUs\n)', '', text)
    return re.sub(r'[ \t]+', ' ', NUMBER.sub('0', text))


def is_same(run, good):
    live = run.line.live
    return run.status == good.status and [comparable(t, live) for t in run.texts()] == [comparable(t, live) for t in good.texts()]


def differences(run, good):
    for got, want in zip(run.texts(), good.texts()):
        for line in difflib.unified_diff(comparable(want, run.line.live).split('\n'), comparable(got, run.line.live).split('\n'),
                                         'expected', 'got', lineterm='', n=0):
            yield line[:160]


def is_told_unfinished(text):
    """A comparison that ended early, with the rounds until then."""
    try:
        return json.loads(text)['finished'] is False
    except (ValueError, KeyError, TypeError):
        return False


def judge_files(run, goods):
    """Nothing but what was there before, or what should be there."""
    for name, text in run.files.items():
        before = run.line.files.get(name)
        if name not in run.line.files and name != run.line.result:
            raise Fault(f'left a file {name!r}')
        whole = [comparable(good.files.get(name, ''), run.line.live) for good in goods]
        if run.status == FAILED and text != before and not run.line.early:
            raise Fault(f'a failure is reported, and the file {name!r} was written')
        if text != before and comparable(text, run.line.live) not in whole and not is_told_unfinished(text):
            raise Fault(f'half a file {name!r}: {text[:80]!r}')
    for name in run.line.files:
        if name not in run.files:
            raise Fault(f'removed {name!r}')


def is_beginning(run, goods):
    """Whole lines of what should be printed, but for the last one."""
    def lines(text):
        return [comparable(line, run.line.live) for line in text.split('\n')[:-1]]

    got = lines(run.stdout)
    return any(got == lines(good.stdout)[:len(got)] for good in goods)


def judge(run, goods):
    if run.left:
        raise Fault('left a process running')
    if run.status < 0:
        raise Fault(f'ended by {signal.Signals(-run.status).name}')
    if any(is_same(run, good) for good in goods):
        return
    if run.loading and run.status in (FAILED, goods[0].status) and not NEEDS_NO_LIBRARY.match(run.line.name):
        return
    if run.status != FAILED and run.is_told():
        judge_files(run, goods)
        return
    if run.status != FAILED:
        raise Fault(f'exit status {run.status} and another result: ' + '\n'.join([*differences(run, goods[0])][:8]))
    if '\nopenat2 ' in run.where and not run.is_told():
        raise Fault(f'another reason than what failed: {run.stderr!r}')
    if 'ntime: ' not in run.stderr:
        raise Fault(f'no sentence: {run.stderr!r}')
    if run.kind == ALLOCATIONS and any(recording in run.stderr for recording in (SKX, ZEN, ADL, RES)):
        raise Fault(f'the recording is said to be at fault: {run.stderr!r}')
    # After a write that failed stdio goes on with the next part.
    if not is_beginning(run, goods) and '\nwrite ' not in run.where:
        raise Fault(f'printed {run.stdout[:200]!r}')
    judge_files(run, goods)


def points(places, wanted):
    """Some of them, evenly spread, or all."""
    if not wanted or len(places) <= wanted:
        return places
    return sorted({places[i * (len(places) - 1) // (wanted - 1)] for i in range(wanted)})


def judged(line, kind, at, mode, goods):
    """What is seen may differ from run to run where times do: a fault is there each time."""
    for _ in range(TRIES if line.live else 1):
        run, why = Run(line, kind, at, mode), None
        try:
            judge(run, goods)
            break
        except Fault as fault:
            why = fault
    return run, why


def sweep(line, kind, wanted):
    goods = [Run(line, kind) for _ in range(REFERENCES if line.live else 2)]
    good = goods[0]
    if good.status == FAILED or good.status < 0:
        raise Fault(f'without a failure it ends with {good.status}: {good.stderr}')
    if not good.places:
        raise Fault(f'it has no {kind}, so nothing was tried')
    if not line.live and not is_same(goods[1], good):
        raise Fault('two runs without a failure differ: ' + '\n'.join(differences(goods[1], good)))
    bad, told, tried, spared = [], 0, 0, 0
    for at in points(good.places, wanted):
        for mode in ('once', 'good'):
            run, why = judged(line, kind, at, mode, goods)
            tried += 1
            told += run.status == FAILED
            spared += run.spared > 0
            if why:
                bad.append(f'{kind} {at} {mode}: {why}\n{run.where}')
    if bad:
        raise Fault(f'{len(bad)} of {tried} points\n' + '\n'.join(bad[:SHOWN]))
    return (f'{good.calls} {kind}' + (f' from {len(good.places)} places' if kind == ALLOCATIONS else '') +
            f', {tried} points: {told} ended with a sentence' + (f', {spared} spared in libraries that cannot fail' if spared else ''))


def main():
    words = sys.argv[5:]
    wanted = int(words[words.index('--points') + 1]) if '--points' in words else 0
    word = words[words.index('-k') + 1] if '-k' in words else ''
    part, parts = map(int, words[words.index('--part') + 1].split('/')) if '--part' in words else (1, 1)
    chosen = [(line, kind) for line in LINES[part - 1::parts] for kind in (ALLOCATIONS, SYSTEM_CALLS)
              if word in f'{line.name}: {kind}']
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    # What a recording has of CPUID depends on the CPU.
    cpus = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cpus[part % len(cpus)]})
    failed = 0
    print(f'1..{len(chosen)}', flush=True)
    for number, (line, kind) in enumerate(chosen, 1):
        try:
            print(f'ok {number} {line.name}: {sweep(line, kind, wanted)}', flush=True)
        except Skip as why:
            print(f'ok {number} {line.name}: {kind} # SKIP {why}', flush=True)
        except (Fault, OSError, subprocess.TimeoutExpired) as why:
            failed += 1
            print(f'not ok {number} {line.name}: {kind}', flush=True)
            for text in str(why).split('\n'):
                print(f'# {text}', flush=True)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
