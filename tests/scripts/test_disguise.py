#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""scripts/disguise: each disguise is what it says, and a test that fails in one is seen. Speaks TAP."""
import errno
import importlib.machinery
import importlib.util
import json
import os
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, f'{ROOT}/base/tests')
from tap import Skip, equal, holds, main, test  # noqa: E402  # pylint: disable=wrong-import-position

SCRIPT = f'{ROOT}/scripts/disguise'
_loader = importlib.machinery.SourceFileLoader('disguise', SCRIPT)
disguise = importlib.util.module_from_spec(importlib.util.spec_from_loader('disguise', _loader))
_loader.exec_module(disguise)

# Opens software events as described by the arguments KIND:FLAGS:SAMPLE:PID:CPU and prints each one's errno, or what was read.
OPENER = '''
import ctypes, errno, os, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
group = -1
for word in sys.argv[2:]:
    kind, config, flags, sample, pid, cpu = map(int, word.split(':'))
    attr = struct.pack('=IIQQQQQ', kind, 112, config, 0, sample, 0, flags) + bytes(64)
    fd = libc.syscall(int(sys.argv[1]), attr, pid, cpu, group if pid == 0 else -1, 8)
    if fd < 0:
        print(errno.errorcode[ctypes.get_errno()])
        continue
    if group < 0 and pid == 0:
        group = fd
    pages = [bytearray(4096) for _ in range(100)]
    print('counts' if struct.unpack('Q', os.read(fd, 8))[0] else 'opens', os.get_inheritable(fd))
'''
USER_FAULTS, ALL_FAULTS, CPU_CLOCK = '1:2:32:0:0:-1', '1:2:0:0:0:-1', '1:0:32:0:-1:0'


def wear(name, *command, **more):
    """What a command prints in disguise; Skip where it cannot be put on."""
    done = subprocess.run([SCRIPT, name, *command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          encoding='utf-8', check=False, **more)
    if done.returncode == disguise.UNAVAILABLE:
        raise Skip(done.stderr.strip())
    equal((done.returncode, done.stderr), (0, ''))
    return done.stdout.strip()


def opened(name, *events):
    """What becomes of events in disguise."""
    try:
        number = disguise.machine()[1]
    except disguise.Unavailable as error:
        raise Skip(str(error)) from None
    return wear(name, 'python3', '-c', OPENER, str(number), *events).split('\n')


@test
def every_name_is_listed_and_explained():
    done = subprocess.run([SCRIPT, '--list'], stdout=subprocess.PIPE, encoding='utf-8', check=True)
    equal([line.split()[0] for line in done.stdout.strip().split('\n')], list(disguise.DISGUISES))
    equal([line for line in done.stdout.strip().split('\n') if len(line.split()) < 3], [])


@test
def wrong_arguments_are_refused():
    for words in ([], ['nobody-knows', 'true'], ['user'], ['--units'], ['--units', '/tmp', 'nobody-knows']):
        done = subprocess.run([SCRIPT, *words], stderr=subprocess.PIPE, encoding='utf-8', check=False)
        equal((words, done.returncode), (words, 1))
        holds(done.stderr, 'disguise --list')


@test
def exit_statuses_are_those_of_the_command():
    for name in ('no-sys', 'user'):
        wear(name, 'true')
        for script, status in (('exit 3', 3), ('kill -TERM $$', -15 if name == 'no-sys' else 143)):
            equal(subprocess.run([SCRIPT, name, 'sh', '-c', script], check=False).returncode, status)


@test
def a_user_is_ordinary_and_has_a_home():
    uid, home = wear('user', 'sh', '-c', 'echo $(id -u) "$HOME"; touch "$HOME/x"').split()
    equal(uid != '0', True)
    equal(os.geteuid() != 0 or not os.path.exists(home), True)


@test
def what_a_user_may_not_run_is_no_failure():
    if os.geteuid():
        raise Skip('needs root, to hide something from a user')
    with tempfile.NamedTemporaryFile('w', suffix='.sh') as f:
        os.chmod(f.name, 0o700)
        done = subprocess.run([SCRIPT, 'user', f.name], stderr=subprocess.PIPE, encoding='utf-8', check=False)
    equal(done.returncode, 77)
    if 'Operation not permitted' in done.stderr:
        raise Skip('root without capabilities cannot become another user')
    holds(done.stderr, f'this user may not run {f.name}')


@test
def folders_are_hidden():
    seen = os.listdir('/proc/sys')
    equal(wear('no-sys', 'ls', '-A', '/sys'), '')
    equal(wear('no-proc-sys', 'ls', '-A', '/proc/sys'), '')
    equal(wear('no-tracefs', 'sh', '-c', f'ls -A {disguise.TRACING} 2>/dev/null || :'), '')
    equal(os.listdir('/proc/sys'), seen)


@test
def tracefs_is_mounted():
    equal(wear('tracefs', 'sh', '-c', f'test -d {disguise.TRACING}/events && echo yes'), 'yes')


@test
def one_cpu_is_all():
    equal(wear('one-cpu', 'nproc'), '1')
    if os.path.isdir(disguise.CPUS):
        equal(wear('one-cpu', 'nproc', '--all'), '1')
        cpu = wear('one-cpu', 'cat', f'{disguise.CPUS}/online')
        names = wear('one-cpu', 'ls', disguise.CPUS).split()
        equal([n for n in names if n[3:].isdigit() and n.startswith('cpu')], [f'cpu{cpu}'])
        equal(set(wear('one-cpu', 'ls', f'{disguise.CPUS}/cpu{cpu}').split()), set(os.listdir(f'{disguise.CPUS}/cpu{cpu}')))


@test
def language_and_time_are_others():
    equal(wear('locale', 'sh', '-c', 'locale decimal_point; date -d @0 +%H:%M', env=dict(os.environ, LC_ALL='C.UTF-8')), ',\n05:45')


@test
def descriptors_are_closed():
    for number, name in enumerate(('closed-stdin', 'closed-stdout', 'closed-stderr')):
        probe = f'import os\nfor fd in range(3):\n try: os.fstat(fd); f = "open"\n except OSError: f = "closed"\n os.write({(number + 1) % 3}, (f + "\\n").encode())'
        with tempfile.TemporaryFile('w+', encoding='utf-8') as f:
            done = subprocess.run([SCRIPT, name, sys.executable, '-c', probe], stdin=f, stdout=f, stderr=f, check=False)
            equal(done.returncode, 0)
            f.seek(0)
            equal(f.read().split(), ['closed' if fd == number else 'open' for fd in range(3)])


@test
def perf_is_refused():
    equal(opened('no-perf', USER_FAULTS, CPU_CLOCK), ['EPERM', 'EPERM'])
    for name in ('ENOSYS', 'EINVAL', 'EMFILE'):
        equal(opened(f'perf-{name.lower()}', USER_FAULTS), [name])


def paranoid(name, level):
    """Skip unless this disguise can be put on, and a filter does not forbid everything before it."""
    if opened('no-sys', '99:0:32:0:0:-1')[0] != 'ENOENT':
        raise Skip('a filter of this machine forbids perf_event_open')
    equal(wear(name, 'cat', disguise.PARANOID), str(level))
    equal(wear(name, 'id', '-u') != '0', True)


@test
def paranoid_3_and_4_allow_nothing():
    for level in (3, 4):
        paranoid(f'paranoid-{level}', level)
        equal(opened(f'paranoid-{level}', USER_FAULTS, ALL_FAULTS, CPU_CLOCK), ['EACCES'] * 3)


@test
def paranoid_2_allows_user_mode():
    paranoid('paranoid-2', 2)
    if opened('user', USER_FAULTS)[0] != 'counts False':
        raise Skip('an ordinary user of this machine may count nothing')
    equal(opened('paranoid-2', USER_FAULTS, ALL_FAULTS, CPU_CLOCK), ['counts False', 'EACCES', 'EACCES'])


@test
def paranoid_minus1_allows_everything():
    paranoid('paranoid-minus1', -1)
    if opened('no-sys', CPU_CLOCK)[0] not in ('counts False', 'opens False'):
        raise Skip('root of this machine may not count everything')
    got = opened('paranoid-minus1', USER_FAULTS, ALL_FAULTS, CPU_CLOCK)
    equal(got[:2], ['counts False', 'counts False'])
    holds(got[2], 'False')
    # The kernel's own complaints arrive as well.
    equal(opened('paranoid-minus1', '99:0:0:0:0:-1'), ['ENOENT'])


@test
def levels_are_those_of_the_kernel():
    def attr(kind=1, flags=0, sample=0):
        return struct.pack('=IIQQQQQ', kind, 64, 0, 0, sample, 0, flags) + bytes(16)

    user, raw = disguise.EXCLUDE_KERNEL, disguise.PERF_SAMPLE_RAW
    for level, what, pid, answer in (
            (-1, attr(2, 0, raw), -1, 0), (0, attr(2, 0, raw), 0, -errno.EPERM), (0, attr(2), -1, 0), (0, attr(), -1, 0),
            (1, attr(1, user), -1, -errno.EACCES), (1, attr(), 0, 0), (2, attr(), 0, -errno.EACCES), (2, attr(1, user), 0, 0),
            (2, attr(1, user), -1, -errno.EACCES), (3, attr(1, user), 0, -errno.EACCES)):
        equal((level, what, pid, disguise.permission(level, what, pid)), (level, what, pid, answer))


@test
def disguises_add_up():
    equal(wear('no-sys', SCRIPT, 'user', 'sh', '-c', 'ls -A /sys; test $(id -u) != 0 && echo both'), 'both')
    equal(wear('user', SCRIPT, 'no-sys', 'sh', '-c', 'ls -A /sys; test $(id -u) != 0 && echo both'), 'both')


MESON = '''#!/bin/sh
# Stands in for meson: leaves the log that the test wants, and remembers the words.
printf '%s\\n' "$@" >>"$FAKE/words"
while [ "$1" != --logbase ]; do shift; done
[ ! -e "$FAKE/log" ] || cp "$FAKE/log" "$FAKE/meson-logs/$2-disguise.json"
exit "$(cat "$FAKE/status")"
'''


def units(log, status, ntime='exit 0', *names):
    """(exit status, lines) of --units with this log of meson, and this command."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        os.makedirs(f'{folder}/meson-logs')
        os.makedirs(f'{folder}/count/cli')
        for name, text in (('meson', MESON), ('count/cli/ntime', f'#!/bin/sh\n{ntime}\n'), ('status', str(status))):
            with open(f'{folder}/{name}', 'w', encoding='utf-8') as f:
                f.write(text)
            os.chmod(f'{folder}/{name}', 0o755)
        if log is not None:
            with open(f'{folder}/log', 'w', encoding='utf-8') as f:
                f.write('\n'.join(map(json.dumps, log)) + '\n')
        env = dict(os.environ, FAKE=folder, PATH=f'{folder}:{os.environ["PATH"]}')
        done = subprocess.run([SCRIPT, '--units', folder, *(names or ['closed-stdin']), '--', 'plan'], env=env, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, encoding='utf-8', check=False)
        with open(f'{folder}/words', encoding='utf-8') as f:
            holds(f.read(), '--test closed-stdin\nplan\n' if log else '--look\nplan\n')
        return done.returncode, done.stdout.strip().split('\n')


PASSES = {'name': 'ntime:base / text', 'result': 'OK', 'returncode': 0, 'stdout': '1..2\nok 1 - a\nok 2 - b # SKIP why\n'}
FAILS = {'name': 'ntime:plan / plan', 'result': 'FAIL', 'returncode': 1, 'stdout': '1..1\n# 3 is 4\nnot ok 1 - c\n'}


@test
def green_units_are_green():
    equal(units([PASSES, PASSES], 0), (0, ['1..2', 'ok 1 - disguise closed-stdin: 2 programs, 4 cases, 2 skipped',
                                           'ok 2 - make run, disguise closed-stdin']))


@test
def red_units_are_red():
    status, lines = units([PASSES, FAILS], 1)
    equal((status, lines[-2:]), (1, ['not ok 1 - disguise closed-stdin: 2 programs, 3 cases, 1 skipped',
                                     'ok 2 - make run, disguise closed-stdin']))
    equal(lines[1:4], ['# plan: fail, exit status 1', '# # 3 is 4', '# not ok 1 - c'])
    # A run that ended badly, one without a test and one without a log are none that passed.
    equal([line.split(':')[0] for line in units([PASSES], 2)[1] if 'ok 1' in line], ['not ok 1 - disguise closed-stdin'])
    for log in ([], None):
        equal(units(log, 0), (1, ['']))
    status, lines = units([PASSES], 0, 'echo no such; exit 9')
    equal((status, lines[-1]), (1, 'not ok 2 - make run, disguise closed-stdin'))
    holds('\n'.join(lines), '# no such')


@test
def programs_are_judged_by_how_they_end_where_they_cannot_print():
    for status, line in ((0, 'ok 1 - exit status 0'), (77, 'ok 1 - exit status 77'), (1, 'not ok 1 - exit status 1')):
        done = subprocess.run([SCRIPT, '--test', 'closed-stdout', f'{ROOT}/base/tests/run-tap', 'sh', '-c', f'exit {status}'],
                              stdout=subprocess.PIPE, encoding='utf-8', check=False)
        equal(done.stdout.split('\n')[0], line)
    # Elsewhere the one who reads the results is in no disguise.
    done = subprocess.run([SCRIPT, '--test', 'closed-stdin', f'{ROOT}/base/tests/run-tap', 'sh', '-c', 'echo ok 1 - a; echo 1..1; ! true <&0'],
                          stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, encoding='utf-8', check=False)
    holds(done.stdout, 'ok 1 - a')


@test
def who_looks_at_the_machine_is_seen():
    for words, is_looking in ((['cat', '/proc/cpuinfo'], True), (['ls', '/sys/devices/system/cpu'], True), (['cat', '/proc/self/maps'], False),
                              (['cat', '/dev/null'], False), (['true'], False), (['id'], True)):
        done = subprocess.run([SCRIPT, '--look', *words], stdout=subprocess.PIPE, encoding='utf-8', check=True)
        lines = [line for line in done.stdout.split('\n') if line.startswith('# looks at the machine: ')]
        equal((words, any('"/usr/lib/locale' not in line for line in lines)), (words, is_looking))
        equal((words, any('"/usr/lib/locale' in line for line in lines)), (words, words != ['true']))
    equal(subprocess.run([SCRIPT, '--look', f'{ROOT}/base/tests/run-tap', 'false'], stdout=subprocess.DEVNULL, check=False).returncode, 1)


if __name__ == '__main__':
    sys.exit(main())
