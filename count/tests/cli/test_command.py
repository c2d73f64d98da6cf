#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The whole command as its users see it: exit statuses, signals, files, pipes, terminals. Speaks TAP.

Usage: test_command.py NTIME [-k WORD] [--only NAME,...]; TT_ONLY="NAME..." in the environment is another --only.
"""
import contextlib
import csv
import errno
import fcntl
import io
import json
import os
import pty
import re
import resource
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../../base/tests'))
import command as t    # noqa: E402
import perf_here       # noqa: E402
from command import (    # noqa: E402
    DISGUISE, GROUPS, NTIME, PATIENCE, ROOT, SIM, WORK, Directory, Skip, completed, environment, equal, err, has, has_not, items, needs_perf, ntime,
    on_terminal, summary, test)
from machines import GUEST, MANY, recording, server, three    # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))


@test
def status_of_the_command_is_passed_on():
    for status in (0, 1, 7, 124, 125, 255):
        equal(ntime('sh', '-c', f'exit {status}').returncode, status, 'exit status')


@test
def stat_may_be_written_out():
    equal(ntime('stat', 'sh', '-c', 'exit 7').returncode, 7)
    equal(ntime('stat', '--', 'sh', '-c', 'exit 7').returncode, 7)
    equal(ntime('--', 'sh', '-c', 'exit 7').returncode, 7)


@test
def parents_that_ignore_dead_children_do_not_matter():
    done = ntime('sh', '-c', 'exit 3', preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
    equal(done.returncode, 3)


def disguised(names, *args):
    """The command in these disguises of scripts/disguise, the outermost first."""
    done = subprocess.run([*(word for name in names for word in (DISGUISE, name)), NTIME, *args], env=environment(),
                          stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=PATIENCE)
    if done.returncode == 77:
        raise Skip(err(done).strip())
    return done


# Disguises with a filter of system calls, by its answer to perf_event_open(2).
FILTERS = ('no-perf', 'perf-enosys', 'perf-einval', 'perf-emfile')


@test
def containers_without_perf_are_told_of_their_profile():
    for names in (*([name] for name in FILTERS), ['user', 'no-perf']):
        done = disguised(names, '--json', '-e', 'cpu-migrations', 'true')
        equal(done.returncode, 0, err(done))
        absent, = [item['absent'] for item in json.loads(done.stderr)['items']]
        equal((absent['reason_code'], absent['about']), ('filtered', 'perf_event_open(2)'), f'what is absent under {names}')
        has(absent['remedy'], 'seccomp profile')
        has_not(absent['remedy'], 'run as root')


@test
def nothing_is_usable_through_perf_where_it_is_refused():
    for name in FILTERS:
        units = {unit['name']: unit for unit in json.loads(disguised([name], 'list', '--units', '--json').stdout)['units']}
        # Registers may be reached by other methods, as root.
        has_not([unit['method'] for unit in units.values() if unit['usable']], 'perf')
        equal(units['software']['reason_code'], 'filtered', f'reason under {name}')


@test
@needs_perf
def root_without_capabilities_is_told_which_he_lacks():
    for args, capability in ((['-e', 'page-faults:u', '-p', '1', 'sleep', '0'], 'SYS_PTRACE'), (['-a', '-e', 'page-faults', 'true'], 'PERFMON'), (['doctor'], 'PERFMON')):
        done = disguised(['no-caps'], *args)
        text = done.stdout.decode() + err(done)
        has_not(text, 'an ordinary user')
        has_not(text, 'remedy: run as root\n')
        has(text, f'--cap-add {capability}')


@test
def command_does_not_run_where_nothing_can_be_counted():
    for name in FILTERS:
        done = disguised([name], '-a', '-e', 'page-faults', 'echo', 'ran')
        equal((done.returncode, done.stdout), (125, b''), f'what became of it under {name}')
        has(err(done), 'nothing can be counted on these CPUs: ')


@test
def what_runs_has_its_cpu_time_with_perf_and_without():
    """Of a process that spins; the kernel tells of its steps of 10 ms, and a busy machine leaves it less than a CPU."""
    with subprocess.Popen(['sh', '-c', 'while :; do :; done']) as spins:
        try:
            for names in ([], ['no-perf']):
                for option in ('-p', '-t'):
                    args = [option, str(spins.pid), '--timeout', '500ms']
                    report = json.loads(err(disguised(names, '--json', *args)))
                    clock = items(report)['task-clock']
                    equal(('rusage' in clock['flags'], 1e7 < clock['value'] < 5.2e8), (bool(names), True), clock)
                    equal('absent' in items(report)['page-faults'], False, report)
                    has(err(disguised(names, *args)), ' % of a CPU\n')
                machine = items(json.loads(err(disguised(names, '--json', '-a', '--timeout', '300ms'))))
                equal((1 < machine['CPU-use']['value'] <= 100, 'proc' in machine['CPU-use']['flags'], 'task-clock' in machine), (True, True, False), machine)
                text = err(disguised(names, '-a', '--timeout', '100ms'))
                equal((re.findall('(?:% CPU use|switches|page faults)(?:  .*)?$', text, re.M)),
                      ['% CPU use', 'page faults  [by /proc]', 'switches     [by /proc]'] if names else ['% CPU use', 'page faults', 'switches'], text)
                # One by one, too; what nothing stands in for is refused as a whole.
                for event, status in (('task-clock', 0), ('page-faults', 0), ('CPUs-used', 0), ('context-switches', 125 if names else 0)):
                    done = disguised(names, '-e', event, '-p', str(spins.pid), '--timeout', '50ms')
                    equal((done.returncode, 'nothing can be counted on that process: ' in err(done)), (status, status == 125), (names, event, err(done)))
            # The share of a process beside a command would be read as the command's.
            has_not(err(ntime('-p', str(spins.pid), 'sleep', '0.1')), 'of a CPU')
            equal(int(err(ntime('-p', str(spins.pid), '-f', '%P', '--timeout', '200ms')).rstrip('%\n')) > 2, True)
        finally:
            spins.kill()
    # What has ended is nobody's.
    done = disguised(['no-perf'], '-p', str(spins.pid))
    equal(done.returncode, 125)


@test
def tracepoints_have_one_remedy():
    """Not carried out: the modes of tracefs are the whole machine's."""
    for names, code in ((['no-tracefs'], 'not-mounted'), (['tracefs', 'user'], 'permission')):
        absent = json.loads(disguised(names, '--json', '-e', 'sched:sched_switch', 'true').stderr)['items'][0]['absent']
        problems = json.loads(disguised(names, 'doctor', '--json').stdout)['problems']
        problem, = [p for p in problems if p['what'] == 'tracepoints']
        for key in ('reason_code', 'reason', 'remedy'):
            equal(problem[key], absent[key], f'{key} in disguise {names}')
        equal(problem['reason_code'], code)


@test
def doctor_without_sys_says_so():
    done = disguised(['no-sys'], 'doctor', '--json')
    equal((done.returncode, err(done)), (1, ''))
    has([p['about'] for p in json.loads(done.stdout)['problems']], '/sys')


@test
@needs_perf
def hidden_settings_are_no_missing_perf():
    done = disguised(['no-proc-sys'], '--json', '-e', 'page-faults,cycles', 'true')
    faults, cycles = json.loads(done.stderr)['items']
    has_not(faults, 'absent')
    has_not(cycles.get('absent', {}).get('remedy', ''), 'CONFIG_PERF_EVENTS')
    # As in a chroot: neither /proc/sys nor /sys.
    report = json.loads(disguised(['no-proc-sys', 'no-sys'], '--json', '-e', 'page-faults,cycles', 'true').stderr)
    has_not(items(report)['page-faults'], 'absent')
    has_not(json.dumps(report), 'CONFIG_PERF_EVENTS')


def voluntary_and_not(report):
    return report['time']['voluntary_switches'] + report['time']['involuntary_switches']


@test
@needs_perf
def ordinary_users_learn_what_is_left_out():
    with open('/proc/sys/kernel/perf_event_paranoid', encoding='ascii') as file:
        level = int(file.read())
    if os.geteuid() or level != 2:
        raise Skip(f'needs root, to become nobody, and perf_event_paranoid 2 (it is {level})')
    try:
        report = summary('-e', 'page-faults,context-switches', 'true', user=65534)
    except PermissionError as error:
        raise Skip(f'an ordinary user may not look into the build folder ({error})') from error
    faults, switches = report['items']
    equal(faults['flags'], ['user-only'])
    has(faults['limited']['reason'], 'user mode only')
    has(faults['limited']['remedy'], 'perf_event_paranoid')
    equal((faults['limited']['reason_code'], faults['limited']['remedy_kind']), ('paranoid', 'here'))
    equal(switches['flags'], ['rusage'])
    equal((switches['method'], switches['value']), ('wait4', voluntary_and_not(report)))
    equal(switches['limited']['reason_code'], 'paranoid')
    # What began later or elsewhere is not what the account of the command has.
    for other in (['--delay', '1ms'], ['--no-inherit']):
        equal(items(summary(*other, '-e', 'page-faults,context-switches', 'true', user=65534))['context-switches']['flags'], ['absent'])
    report = summary('-r', '2', '-m', 'context-switch-rate', 'sleep', '0.01', user=65534)
    equal(items(report)['context-switch-rate']['value'] > 0, True)
    has(err(ntime('-e', 'context-switches', 'true', user=65534)), '[by wait4(2), from fork on]')


@test
@needs_perf
def programs_that_change_their_user_lose_their_counters_with_a_word():
    if os.geteuid():
        raise Skip('needs root, to make a set-uid program')
    busy = 'i=0; while [ $i -lt 400000 ]; do i=$((i + 1)); done'
    with Directory():
        os.chmod('.', 0o755)
        if os.statvfs('.').f_flag & os.ST_NOSUID:
            raise Skip('the file system for temporary files ignores set-uid (nosuid)')
        for name, mode in (('plain', 0o755), ('setuid', 0o4755), ('unreadable', 0o711)):
            shutil.copy('/bin/sh', name)
            os.chmod(name, mode)
            for argv in ([f'./{name}', '-c', ':'], [f'./{name}', '-c', busy], ['sh', '-c', f"./{name} -c '{busy}'; :"]):
                try:
                    item = items(summary('-e', 'task-clock', *argv, user=65534))['task-clock']
                except PermissionError as error:
                    raise Skip(f'an ordinary user may not look into the build folder ({error})') from error
                equal('partial' in item['flags'], name != 'plain', f'{argv}: {item}')
                equal(item.get('limited', {}).get('reason_code'), None if name == 'plain' else 'permission')
        has(err(ntime('-e', 'task-clock', './setuid', '-c', ':', user=65534)), 'a part of the command is missing')


@test
def soft_limit_of_descriptors_is_no_matter():
    events = 'task-clock,page-faults,minor-faults,major-faults,context-switches,cpu-migrations,cpu-clock,dummy'
    done = subprocess.run(['sh', '-c', f'ulimit -S -n 12; exec "{NTIME}" -e {events} sh -c "ulimit -S -n"'],
                          env=environment(), stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=PATIENCE)
    equal(done.returncode, 0, err(done))
    equal(done.stdout, b'12\n')

@test
def a_limit_of_file_sizes_is_an_error_of_ntime_and_the_end_of_a_command():
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    with tempfile.TemporaryFile() as f:
        done = ntime('list', stdout=f, preexec_fn=limit)
    equal(done.returncode, 125)
    has(err(done), 'File too large')
    with tempfile.TemporaryDirectory() as folder:
        done = ntime('sh', '-c', f'exec dd if=/dev/zero of={folder}/file count=1 2>&1', preexec_fn=limit)
    equal(done.returncode, -signal.SIGXFSZ)


# Where no further process can be, or none be traced, LeakSanitizer cannot look.
UNLEAKING = {'ASAN_OPTIONS': 'detect_leaks=0'}


@test
def no_more_processes_is_one_sentence():
    """As an ordinary user: root has as many as he likes."""
    if os.geteuid():
        raise Skip('needs root, to become a user who has no processes')
    who = 54321

    def limit():
        resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))

    def processes():
        found = []
        for name in filter(str.isdigit, os.listdir('/proc')):
            # It may end meanwhile.
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                found += [name] if os.stat(f'/proc/{name}').st_uid == who else []
        return found

    with Directory() as folder:
        os.chmod(folder, 0o777)
        for args in (['true'],
                     ['-r', '3', 'true'],
                     ['-o', 'report', 'true'],
                     ['--append', '-o', 'report', 'true'],
                     ['--frames', 'ring', 'true'],
                     ['compare', '-n', '6', '-o', 'report', 'true', 'false']):
            try:
                done = ntime(*args, env=environment(**UNLEAKING), user=who, group=who, extra_groups=[], preexec_fn=limit)
            except PermissionError as error:
                raise Skip(f'an ordinary user may not look into the build folder ({error})') from error
            equal((done.returncode, done.stdout), (125, b''), f'{args}: {err(done)}')
            equal(err(done).splitlines(), ['ntime: cannot make a process for true: Resource temporarily unavailable'], args)
            equal(os.listdir(), [], args)
            equal(processes(), [], args)


@test
def command_that_is_not_found():
    done = ntime('/no/such/command')
    equal(done.returncode, 127)
    has(err(done), 'ntime: ')
    has_not(err(done), 'real')
    equal(done.stdout, b'')


@test
def command_that_cannot_be_executed():
    for command in ('/', '/etc/passwd'):
        done = ntime(command)
        equal(done.returncode, 126)
        has(err(done), 'ntime: ')


@test
def counts_are_of_sockets_cores_and_threads():
    at = ('-a', '--machine', server(2, 2, 2))
    for per, word, n in (('socket', 'socket', 2), ('core', 'core', 4), ('thread', 'CPU', 8)):
        report = json.loads(err(ntime(*at, '--per', per, '--json', '-e', 'page-faults,power/energy-pkg/,thermal/headroom/', 'true', exe=SIM)))
        value = {(row['where'], item['name']): item['value'] for row in report['rows'] for item in row['items']}
        names = [row['where'] for row in report['rows'] if row['where'].split()[0] == word]
        equal(names, [f'{word} {i}' for i in range(n)], f'rows per {per}')
        equal((sum(value[name, 'page-faults'] for name in names), value[names[0], 'page-faults'] > 0), (items(report)['page-faults']['value'], True))
        # What a socket counts is not divided.
        equal([where for where, name in value if name == 'power/energy-pkg/'], ['socket 0', 'socket 1'], f'energy per {per}')
        # What another thread of the core has stands there.
        equal(len([where for where, name in value if name == 'thermal/headroom/']), {'socket': 2, 'core': 4, 'thread': 4}[per])
        if per == 'core':
            equal([(row['where'], row['socket'], row.get('core'), row.get('cpu')) for row in report['rows']][-2:],
                  [('core 2', 1, 2, None), ('core 3', 1, 3, None)])
        rows = list(csv.DictReader(io.StringIO(err(ntime(*at, '--per', per, '--csv', '-e', 'page-faults', 'true', exe=SIM)))))
        whole, *counted = [(row['where'], float(row['value'])) for row in rows if row['name'] == 'page-faults']
        equal(([where for where, _ in counted], sum(faults for _, faults in counted)), (names, whole[1]), f'CSV per {per}')
        text = err(ntime(*at, '--per', per, '-e', 'page-faults,cycles', 'true', exe=SIM))
        lines = [line.split()[:-1] for line in text.splitlines() if line.endswith('page-faults')]
        equal((len(lines[0]), [line[:2] for line in lines[1:]]), (1, [name.split() for name in names]), 'the whole, then rows')
    done = ntime(*at, '--per', 'core', 'sh', '-c', 'echo ran', bent='flat')
    equal((done.returncode, done.stdout), (125, b''), 'what is known before the command runs')
    has(err(done), '--per core: the topology is not known')
    equal(ntime(*at, '--per', 'thread', 'true', bent='flat').returncode, 0, 'threads without a topology')


@test
@needs_perf
def rows_add_up_to_the_whole():
    report = json.loads(err(ntime('-a', '--per', 'thread', '--json', '-e', 'page-faults,context-switches', 'true')))
    if report['items'][0]['flags'] == ['absent']:
        raise Skip('this user may not count whole CPUs')
    for i, item in enumerate(report['items']):
        equal(sum(row['items'][i]['value'] for row in report['rows']), item['value'], item['name'])


@test
def mistyped_subcommand_gets_a_hint():
    done = ntime('docter')
    equal(done.returncode, 127)
    has(err(done), "did you mean the subcommand 'doctor'?")
    for word, hint in (('record', 'perf record'), ('version', 'ntime --version'), ('FOO=1', "sh -c 'FOO=1'"), ('a|b', "sh -c 'a|b'")):
        done = ntime(word, env={**environment(), 'PATH': '/nothing'})
        equal(done.returncode, 127, word)
        has(err(done), hint)


@test
def misuse_is_125_with_one_sentence_and_a_hint():
    for args in ((), ('--bogus',), ('-r',), ('-r', 'x', 'true'), ('-p', '0'), ('help', 'lits'), ('help', 'a', 'b'),
                 ('list', '--bogus'), ('list', '--cpu', 'skx', '--units'), ('doctor', 'x'), ('doctor', '--json=x')):
        done = ntime(*args)
        equal(done.returncode, 125, f'exit status of {args}')
        equal(done.stdout, b'')
        lines = err(done).splitlines()
        equal(len(lines), 2, f'lines of {args}')
        has(lines[0], 'ntime: ')
        has(lines[1], "Try 'ntime ")


@test
def wrong_event_does_not_run_the_command():
    with Directory():
        done = ntime('-e', 'page-fautls', 'touch', 'ran')
        equal(done.returncode, 125)
        has(err(done), 'page-fautls')
        has(err(done), 'page-faults')
        equal(os.listdir(), [])


@test
def dead_process_and_missing_cpu():
    child = subprocess.Popen(['true'])
    child.wait()
    done = ntime('-p', str(child.pid))
    equal(done.returncode, 125)
    has(err(done), str(child.pid))
    done = ntime('-C', '99999', 'true')
    equal(done.returncode, 125)
    has(err(done), '99999')


@test
def metric_file_that_is_missing():
    done = ntime('--metrics', '/no/such/file', 'true')
    equal(done.returncode, 125)
    has(err(done), '/no/such/file')


# ---- signals ----

@test
def death_by_signal_is_passed_on_after_the_report():
    with Directory():
        for sig in (signal.SIGTERM, signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT):
            done = ntime('-e', 'page-faults', 'sh', '-c', f'ulimit -c 0; kill -{int(sig)} $$')
            equal(done.returncode, -sig, 'exit status')
            has(err(done), 'page-faults')
            has(err(done), f'\nkilled by {sig.name}\nreal ')
        equal(os.listdir(), [])


def started(*args, bent='', **more):
    """Start ntime with a command that prints "ready"; returns when it has."""
    child = subprocess.Popen([SIM if bent else NTIME, *args], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             env=environment(bent), start_new_session=True, **more)
    GROUPS.append(child.pid)
    equal(child.stdout.readline(), b'ready\n')
    return child


def trap(name, status):
    return ['sh', '-c', f'trap "exit {status}" {name}; echo ready; while :; do sleep 0.05; done']


@test
def signals_sent_to_ntime_reach_the_command():
    for name, status in (('TERM', 5), ('HUP', 6), ('USR1', 7), ('USR2', 8), ('INT', 9)):
        child = started('-e', 'page-faults', *trap(name, status))
        child.send_signal(getattr(signal, 'SIG' + name))
        _, report = child.communicate(timeout=PATIENCE)
        equal(child.returncode, status, f'exit status after {name}')
        has(report.decode(), 'page-faults')


def alive(mark):
    """Processes whose command line has @mark, once those that end have had their time."""
    for _ in range(100):
        found = subprocess.run(['pgrep', '-f', mark], env=environment(), capture_output=True, check=False).stdout.split()
        if not found:
            break
        time.sleep(0.02)
    return found


# What works for a moment after its parent has gone: a script's "&", and a daemon of a session of its own.
OUTLIVING = (f'({WORK}) &', f'setsid sh -c "{WORK.replace("$", chr(92) + "$")}" & sleep 0.01', f'(({WORK}) &) &')


@test
def work_that_outlives_the_command_is_told():
    for script in OUTLIVING:
        report = summary('-e', 'page-faults', 'sh', '-c', script)
        equal((report['left_running'], 'partial' in items(report)['page-faults']['flags']), (1, True), script)
        equal(items(report)['page-faults']['limited']['reason_code'], 'outlived')
        rows = {row['name']: row for row in csv.DictReader(io.StringIO(err(ntime('--csv', '-e', 'page-faults', 'sh', '-c', script))))}
        equal([name for name, row in rows.items() if 'partial' in row['flags']], [name for name in rows if name != 'real'])
        has(err(ntime('-e', 'page-faults', 'sh', '-c', script)), '--wait-all')
        waited = summary('--wait-all', '-e', 'page-faults', 'sh', '-c', script)
        equal(('left_running' in waited, items(waited)['page-faults']['flags']), (False, []))
        assert waited['time']['user_ns'] + waited['time']['sys_ns'] > 2 * (report['time']['user_ns'] + report['time']['sys_ns']), script
    # What ended before the command did, and what was there before, is no work that is missing.
    for script in ('(:) & sleep 0.1', 'true & wait', 'x=$(true); true | true'):
        equal('left_running' in summary('-e', 'page-faults', 'sh', '-c', script), False, script)
    for strangers in ('sleep 1 &', '(sleep 0.1; sleep 1 &) &'):
        done = subprocess.run(['sh', '-c', strangers + ' exec "$0" --json sleep 0.3', NTIME], env=environment(), timeout=PATIENCE, capture_output=True, check=True)
        equal('left_running' in json.loads(done.stderr), False)
    # What has ended is gone while the command runs: nothing waits for a daemon that is dead.
    summary('sh', '-c', '(sleep 0.1 & echo $! >&3) 3>&1 | { read p; while kill -0 $p 2>/dev/null; do sleep 0.05; done; }')
    child = started('--wait-all', 'sh', '-c', 'sleep 1000 & echo ready')
    child.send_signal(signal.SIGINT)
    child.communicate(timeout=PATIENCE)
    equal(child.returncode, -signal.SIGINT)


@test
def nothing_is_left_by_what_has_to_end():
    mark = 'sleep 3[0-9]75'
    obstinate = 'trap "" TERM; sleep 3175 & sleep 3275'
    for words, status in ((['--timeout', '0.2s', 'sh', '-c', 'sleep 3075 & sleep 3175'], 124),
                          (['--timeout', '0.2s', 'sh', '-c', 'setsid sleep 3075 & exec sleep 3175'], 124),
                          (['--timeout', '0.2s', '--wait-all', 'sh', '-c', 'sleep 3075 &'], 124),
                          (['--timeout', '0.2s', 'sh', '-c', obstinate], 124),
                          (['-r', '2', 'sh', '-c', 'sleep 3075 & exit 3'], 3),
                          (['compare', '-n', '6', '-i', '--timeout', '0.5s', "sh -c 'sleep 3075 & sleep 3175'", 'true'], 0)):
        equal((ntime(*words).returncode, alive(mark)), (status, []), ' '.join(words))
    # A group of its own, in which a shell's "&" ignores ^C.
    child = started('setsid', 'sh', '-c', 'sleep 3075 & trap "exit 9" INT; echo ready; while :; do sleep 0.05; done')
    child.send_signal(signal.SIGINT)
    child.communicate(timeout=PATIENCE)
    equal((child.returncode, alive(mark)), (9, []))


@test
def untrapped_sigterm_ends_both():
    child = started('sh', '-c', 'echo ready; exec sleep 1000')
    child.send_signal(signal.SIGTERM)
    _, report = child.communicate(timeout=PATIENCE)
    equal(child.returncode, -signal.SIGTERM)
    has(report.decode(), 'real')


@test
def ctrl_c_prints_what_was_counted():
    status, shown = on_terminal('-e', 'page-faults', 'sh', '-c', 'echo ready; exec sleep 1000', typed=b'\x03')
    equal(status, -signal.SIGINT)
    has(shown, 'page-faults')
    status, shown = on_terminal('-e', 'page-faults', *trap('INT', 6), typed=b'\x03')
    equal(status, 6)
    has(shown, 'page-faults')


# After the first one there is time for a second.
COUNT_SIGNALS = "n=0; trap 'n=$((n+1))' INT; echo ready; while test $n = 0; do sleep 0.05; done; for i in 1 2 3 4 5; do sleep 0.1; done; exit $n"


@test
def ctrl_c_reaches_the_command_once():
    status, _ = on_terminal('sh', '-c', COUNT_SIGNALS, typed=b'\x03')
    equal(status, 1, 'signals that the command saw')


@test
def ctrl_c_reaches_a_command_that_has_just_begun_once():
    status, _ = on_terminal('sh', '-c', COUNT_SIGNALS, exe=SIM, NTIME_BENT='late', typed=b'\x03')
    equal(status, 1, 'signals that the command saw')


@test
def signals_sent_to_ntime_while_a_command_begins_reach_it():
    child = started('sh', '-c', COUNT_SIGNALS, bent='late')
    child.send_signal(signal.SIGINT)
    child.communicate(timeout=PATIENCE)
    equal(child.returncode, 1, 'signals that the command saw')


@test
def ctrl_c_ends_repeating():
    with Directory():
        status, shown = on_terminal('-r', '1000', '--show-output', 'sh', '-c', 'echo x >>runs; echo ready; exec sleep 1000', typed=b'\x03')
        equal(status, -signal.SIGINT)
        with open('runs', encoding='ascii') as f:
            equal(len(f.readlines()), 1, 'runs')
        has(shown, 'ended after run 1 of 1000: 0 runs are in the mean')
        has(shown, '1 of 1 runs: interrupted.')


@test
@needs_perf
def ctrl_c_ends_attaching_with_success():
    victim = subprocess.Popen(['sleep', '1000'])
    try:
        child = subprocess.Popen([NTIME, '-p', str(victim.pid), '-e', 'page-faults', '-I', '20ms', '--csv'],
                                 stderr=subprocess.PIPE, env=environment())
        child.stderr.readline()  # it measures when the header is out
        has(child.stderr.readline().decode(), 'page-faults')
        child.send_signal(signal.SIGINT)
        child.communicate(timeout=PATIENCE)
        equal(child.returncode, 0)
    finally:
        victim.kill()
        victim.wait()


@test
def ctrl_c_while_counters_are_opened():
    done = ntime('--machine', GUEST, '-p', str(os.getpid()), '-e', 'page-faults', bent=f'after={int(signal.SIGINT)}')
    equal(done.returncode, 0)
    has(err(done), 'page-faults')


@test
def signals_interrupt_what_is_prepared():
    with Directory():
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            for before, after in (('stat', '-a'), ('stat', 'touch ran'), ('watch', '--plain')):
                with open('report', 'w', encoding='ascii') as f:
                    f.write('of another day\n')
                done = ntime(before, '--machine', GUEST, '-o', 'report', '-e', 'page-faults', *after.split(), bent=f'before={int(number)}')
                equal((done.returncode, err(done), done.stdout), (-number, 'ntime: interrupted before counting began\n', b''), f'{before} {after}: status and output')
                equal(os.listdir(), ['report'], 'files')
                with open('report', encoding='ascii') as f:
                    equal(f.read(), 'of another day\n', 'the report')


@test
def cpus_that_came_and_went_are_told():
    at = ('-a', '--machine', GUEST, '-e', 'page-faults', '--timeout', '1ms')
    has(err(ntime(*at, bent='hotplug')), 'CPUs came or went: counted for 0.')
    equal(items(summary(*at, bent='hotplug'))['page-faults']['flags'], ['simulated', 'hotplug'])
    rows = list(csv.DictReader(io.StringIO(err(ntime('--csv', *at, bent='hotplug')))))
    equal([row['flags'] for row in rows if row['name'] == 'page-faults'], ['simulated hotplug'])


@test
def ignored_signals_interrupt_nothing():
    done = ntime('--machine', GUEST, '-e', 'page-faults', 'true', bent=f'before={int(signal.SIGINT)}',
                 preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
    equal(done.returncode, 0)
    has(err(done), 'page-faults')


@test
@needs_perf
def attaching_ends_with_the_process():
    victim = subprocess.Popen(['sh', '-c', 'read x'], stdin=subprocess.PIPE)
    child = subprocess.Popen([NTIME, '-p', str(victim.pid), '-e', 'page-faults', '-I', '20ms', '--csv'],
                             stderr=subprocess.PIPE, env=environment())
    child.stderr.readline()
    has(child.stderr.readline().decode(), 'page-faults')
    victim.stdin.close()
    victim.wait()
    child.communicate(timeout=PATIENCE)
    equal(child.returncode, 0)


def given_again(when, what):
    """Exit status and report where the number of what ntime is attached to is given to a stranger (given_again.py)."""
    done = subprocess.run(['unshare', '--pid', '--fork', '--mount-proc', '--kill-child', sys.executable, f'{HERE}/given_again.py', NTIME, when, what],
                          env=environment(PATIENCE=str(PATIENCE // 4), **UNLEAKING), stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=PATIENCE)
    if b'unshare failed' in done.stderr:
        raise Skip(err(done).strip())
    equal(done.returncode, 0, err(done))
    status, _, report = done.stdout.decode().partition('\n')
    equal(status, '0' if when == 'counted' else '125', report)
    return report


@test
@needs_perf
def strangers_with_a_number_given_again_are_not_counted():
    if os.geteuid() or not shutil.which('unshare'):
        raise Skip('needs root and unshare(1), for a namespace of processes')
    for what in ('-p', '-t'):
        rows = list(csv.DictReader(io.StringIO(given_again('counted', what))))
        faults = sum(int(row['value']) for row in rows if row['name'] == 'page-faults')
        equal(faults < 1000, True, f'{faults} page faults of {what} are not those of the stranger')
    if not shutil.which('strace'):
        raise Skip('without strace(1) no number can be given again before counters are opened')
    for what, kind in (('-p', 'process'), ('-t', 'thread')):
        report = given_again('before', what)
        has(report, f'ntime: {kind} ')
        has(report, ' ended while its counters were opened\n')
        equal(report.strip().count('\n'), 0, report)


@test
def command_gets_the_signal_handling_ntime_got():
    show = ['grep', '-E', '^Sig(Blk|Ign)', '/proc/self/status']
    for prepare in (None, lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)):
        bare = subprocess.run(show, stdout=subprocess.PIPE, check=True, preexec_fn=prepare, env=environment())
        equal(ntime(*show, preexec_fn=prepare).stdout, bare.stdout)


@test
def command_gets_no_further_descriptors():
    show = ['sh', '-c', 'ls /proc/$$/fd']
    with Directory() as directory:
        with open('file', 'w', encoding='ascii') as f:
            keep = dict(stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=f)
            bare = subprocess.run(show, check=True, env=environment(), **keep)
            done = subprocess.run([NTIME, '-o', directory + '/report', *show], check=True, env=environment(), **keep)
        equal(done.stdout, bare.stdout)


# ---- where the report goes ----

@test
def stdout_belongs_to_the_command():
    done = ntime('echo', 'hello')
    equal(done.stdout, b'hello\n')
    for word in ('real', 'user', 'sys', 'page faults'):
        has(err(done), word)


@test
def report_goes_to_a_file():
    with Directory():
        done = ntime('-o', 'report', 'echo', 'hello')
        equal((done.returncode, done.stdout, done.stderr), (0, b'hello\n', b''))
        with open('report', encoding='utf-8') as f:
            has(f.read(), 'page faults')
        equal(os.listdir(), ['report'])
        equal(ntime('-o', 'report', '--append', 'true').returncode, 0)
        with open('report', encoding='utf-8') as f:
            equal(len(re.findall('^real ', f.read(), re.M)), 2, 'reports')
        equal(os.listdir(), ['report'])


@test
def rows_are_appended_below_one_header():
    with Directory():
        for _ in range(2):
            equal(ntime('--csv', '-o', 'report', '--append', 'true').returncode, 0)
        with open('report', encoding='utf-8') as f:
            text = f.read()
        equal((text.count('name,value'), text.startswith('name,value'), text.count('\nreal,')), (1, True, 2))
        # Of several that begin together the first one that ends writes it; a last line without an end gets one.
        children = [subprocess.Popen([NTIME, '--csv', '-e', 'page-faults', '-o', 'many', '--append', 'sleep', '0.1'], env=environment()) for _ in range(4)]
        equal([child.wait() for child in children], [0] * 4)
        with open('many', 'r+', encoding='utf-8') as f:
            text = f.read()
            equal((text.count('name,value'), text.count('\nreal,')), (1, 4), text)
            f.truncate(len(text) - 1)
        equal(ntime('--csv', '-e', 'page-faults', '-o', 'many', '--append', 'true').returncode, 0)
        # Who has locked the file himself is not waited for: he waits for ntime.
        equal(subprocess.run(['flock', 'many', NTIME, '--csv', '-e', 'page-faults', '-o', 'many', '--append', 'true'], env=environment(), timeout=PATIENCE,
                             check=False).returncode, 0)
        with open('many', encoding='utf-8') as f:
            equal({len(row) for row in csv.reader(f)}, {16})
        os.unlink('many')
        # Other columns, and what is no such file at all: the command does not run.
        for args, file in ((('-r', '2'), 'report'), ((), 'other')):
            with open('other', 'w', encoding='utf-8') as f:
                f.write('one\ntwo\n')
            with open(file, encoding='utf-8') as f:
                before = f.read()
            done = ntime('--csv', *args, '-o', file, '--append', 'sh', '-c', 'touch ran')
            equal((done.returncode, err(done)), (125, f'ntime: cannot append to {file}: it does not begin with the columns of this report; '
                                                      'name another file\n'))
            with open(file, encoding='utf-8') as f:
                equal(f.read(), before)
        equal(sorted(os.listdir()), ['other', 'report'])


@test
@needs_perf
def shares_of_more_than_all_have_a_reason():
    with Directory():
        with open('metrics', 'w', encoding='utf-8') as f:
            f.write('metric share\nunit %\nformula 200 * task-clock / task-clock\nabout A test.\nsource none\n')
        text = err(ntime('--metrics', 'metrics', '-m', 'share', 'true'))
        has(text, '?200')
        has(text, 'Implausible (marked ?), shown as counted:\n  share\n    a share of more than 101 %')
        item = items(json.loads(err(ntime('--json', '--metrics', 'metrics', '-m', 'share', 'true'))))['share']
        equal(item['limited']['reason_code'], 'implausible')


@test
@needs_perf
def clocks_have_no_modes():
    done = ntime('-e', 'task-clock:u', 'true')
    equal(done.returncode, 0)
    has(err(done), 'Counted in every mode:\n  task-clock:u\n    clocks have no modes: task-clock:u counts time in all of them\n')
    item = items(json.loads(err(ntime('--json', '-e', 'task-clock:u', 'true'))))['task-clock:u']
    equal((item['value'] > 0, item['limited']['reason_code']), (True, 'every-mode'))


@test
@needs_perf
def a_moment_at_the_end_is_no_interval():
    # The timeout comes with a beat.
    rows = list(csv.DictReader(io.StringIO(err(ntime('--csv', '-p', str(os.getpid()), '-e', 'page-faults', '-I', '50ms', '--timeout', '150ms')))))
    equal([float(row['time_s']) > 0.049 * (i + 1) for i, row in enumerate(rows)], [True] * len(rows))
    equal(len(rows) <= 3, True, rows)


@test
def report_goes_to_stdout():
    done = ntime('-o', '-', '--json', 'true')
    json.loads(done.stdout)
    equal(done.stderr, b'')


@test
def failing_commands_leave_no_file():
    with Directory():
        for args, status in ((('/no/such',), 127), (('/etc/passwd',), 126), (('-e', 'nosuchevent', 'true'), 125)):
            equal(ntime('-o', 'report', *args).returncode, status)
            equal(os.listdir(), [])


@test
def file_that_cannot_be_made_is_found_out_before_the_run():
    with Directory():
        for path in ('no/such/report', '.', ''):
            done = ntime('-o', path, 'touch', 'ran')
            equal(done.returncode, 125)
            has(err(done), 'cannot write to ')
            equal(os.listdir(), [])


@test
def links_of_strangers_are_not_followed():
    if os.geteuid():
        raise Skip('only root can make links of another user')
    with Directory():
        os.mkdir('shared')
        os.chmod('shared', 0o1777)
        os.symlink('../secret', 'shared/link')
        os.chown('shared/link', 12345, 12345, follow_symlinks=False)
        for args in (('-o', 'shared/link', 'true'), ('-o', 'shared/link', '--append', 'true'), ('doctor', '--record', 'shared/link'),
                     ('watch', '-n', '1', '-i', '10', '-o', 'shared/link')):
            with open('secret', 'w', encoding='ascii') as f:
                f.write('before\n')
            done = ntime(*args)
            equal(done.returncode, 125, args)
            has(err(done), 'shared/link: a symbolic link there belongs to another user (uid 12345)')
            with open('secret', encoding='ascii') as f:
                equal(f.read(), 'before\n', args)


@test
def links_are_followed_by_who_may_have_put_them():
    if os.geteuid():
        raise Skip('only root can make links of another user')
    # Mode of the folder above, owner and mode of the one with the link, owner of the link, whether it is followed.
    for above, folder, mode, link, is_followed in ((0o755, 0, 0o755, 12345, True), (0o755, 0, 0o775, 12345, False), (0o755, 0, 0o777, 12345, False),
                                                   (0o755, 0, 0o1777, 0, True), (0o755, 12345, 0o755, 12345, True),
                                                   (0o777, 12345, 0o755, 12345, False), (0o1777, 12345, 0o755, 12345, False),
                                                   (0o775, 12345, 0o755, 12345, False), (0o1777, 12345, 0o755, 0, True),
                                                   (0o1777, 0, 0o755, 12345, True)):
        for args in ((), ('--append',)):
            with Directory():
                os.makedirs('above/folder')
                with open('target', 'w', encoding='ascii') as f:
                    f.write('before\n')
                os.symlink('../../target', 'above/folder/link')
                os.chown('above/folder/link', link, link, follow_symlinks=False)
                os.chown('above/folder', folder, folder)
                os.chmod('above/folder', mode)
                os.chmod('above', above)
                done = ntime('-o', 'above/folder/link', *args, 'true')
                what = f'{above:o}, {folder} {mode:o}, {link}: {err(done)}'
                equal(done.returncode, 0 if is_followed else 125, what)
                with open('target', encoding='utf-8') as f:
                    equal(f.read() == 'before\n', not is_followed, what)


# Another user swaps, as fast as he can, what root writes to, or the folder that it is in. Linux decides what he may (protected_hardlinks).
SWAPPER = '''
import os, sys
os.setgroups([]); os.setgid(12345); os.setuid(12345)
os.chdir(sys.argv[1])
def attempt(call, *args):
    try:
        call(*args)
    except OSError:
        pass
os.mkdir('trap')
os.symlink('../../secret', 'trap/report')
print(flush=True)
while True:
    if sys.argv[2] == 'file':
        open('mine', 'w').close()
        os.symlink('../secret', 'link')
        attempt(os.link, '../secret', 'hard')
        for name in ('link', 'mine', 'hard'):
            attempt(os.rename, name, 'report')
            attempt(os.unlink, name)
        attempt(os.unlink, 'report')
    else:
        attempt(os.rename, 'folder', 'away')
        attempt(os.rename, 'trap', 'folder')
        attempt(os.rename, 'folder', 'trap')
        os.symlink('trap', 'link')
        attempt(os.rename, 'link', 'folder')
        attempt(os.unlink, 'folder')
        attempt(os.unlink, 'link')
        attempt(os.rename, 'away', 'folder')
'''


@test
def who_swaps_files_has_nothing_written_elsewhere():
    if os.geteuid():
        raise Skip('needs root, to be attacked by another user')
    wrong = []
    for mode, what, path in ((0o777, 'file', 'report'), (0o1777, 'file', 'report'), (0o777, 'folder', 'folder/report'),
                             (0o1777, 'folder', 'folder/report')):
        with Directory() as folder:
            os.chmod(folder, 0o755)
            os.mkdir('shared')
            os.chmod('shared', mode)
            # Where the sticky bit is, what root has made cannot be swapped: it is not there yet.
            if mode == 0o777:
                os.mkdir('shared/folder')
            with open('secret', 'w', encoding='ascii') as f:
                f.write('before\n')
            inode = os.stat('secret').st_ino
            swapper = subprocess.Popen([sys.executable, '-c', SWAPPER, 'shared', what], stdout=subprocess.PIPE)
            try:
                swapper.stdout.readline()
                for run in range(50):
                    done = ntime('-o', f'shared/{path}', *(('--append',) if run % 2 else ()), 'true')
                    has(((0,), (125,)), (done.returncode,))
                    with open('secret', encoding='utf-8') as f:
                        if f.read() != 'before\n' or os.stat('secret').st_ino != inode:
                            wrong.append(f'{mode:o} {what} {run}')
                            break
                    if what == 'file' and os.path.lexists('shared/report'):
                        with contextlib.suppress(FileNotFoundError):
                            os.unlink('shared/report')
                equal(swapper.poll(), None, 'end of who swaps')
            finally:
                swapper.kill()
                swapper.wait()
            equal(sorted(os.listdir()), ['secret', 'shared'])
    equal(wrong, [])


@test
def a_descriptor_is_written_where_it_stands():
    with Directory():
        with open('all', 'wb') as f:
            f.write(b'before\n')
            f.flush()
            equal(ntime('-o', '/dev/stdout', 'echo', 'hello', stdout=f).returncode, 0)
        with open('all', encoding='utf-8') as f:
            text = f.read()
        equal(text.split('\n')[:2], ['before', 'hello'])
        has(text, 'real')
        equal(os.listdir(), ['all'])


def let_write(path, user):
    """Give it an access list (acl(5)) that lets this user write."""
    entries = ((0x01, 7, -1), (0x02, 6, user), (0x04, 5, -1), (0x10, 7, -1), (0x20, 5, -1))
    try:
        os.setxattr(path, 'system.posix_acl_access', struct.pack('<I', 2) + b''.join(struct.pack('<HHi', *entry) for entry in entries))
    except OSError as error:
        raise Skip(f'access lists cannot be made here ({error.strerror})') from error


@test
def root_starts_no_runner_of_others():
    """What lies beside the command may be a stranger's, and so may what it names, or a folder above."""
    if os.geteuid():
        raise Skip('only root can make files of another user')
    for change, wrong in ((lambda: None, ''),
                          (lambda: os.chown('bin/lab-program', 12345, 0), 'user 12345 owns %s/bin/lab-program (chown root)'),
                          (lambda: os.chmod('bin/lab-program', 0o666), 'everybody may write to %s/bin/lab-program (chmod o-w)'),
                          (lambda: os.chown('bin', 12345, 0), 'user 12345 owns %s/bin (chown root)'),
                          (lambda: os.chmod('bin', 0o777), 'everybody may write to %s/bin (chmod o-w)'),
                          (lambda: os.chmod('bin', 0o1777), ''),
                          (lambda: os.chown('tree/runner', 12345, 0), 'user 12345 owns %s/tree/runner (chown root)'),
                          # As umask 002 leaves them: root's group is root.
                          (lambda: (os.chmod('tree', 0o775), os.chmod('bin/lab-program', 0o664)), ''),
                          (lambda: (os.chmod('tree', 0o775), os.chown('tree', 0, 12345)), 'group 12345 may write to %s/tree (chmod g-w)'),
                          (lambda: let_write('tree/runner', 12345), 'the access list of %s/tree/runner lets others write to it (chmod g-w)')):
        with Directory() as folder:
            os.chmod(folder, 0o755)
            os.mkdir('bin', 0o755)
            os.mkdir('tree', 0o755)
            shutil.copy(NTIME, 'bin/ntime')
            with open('tree/runner', 'w', encoding='ascii') as f:
                f.write('#!/bin/sh\necho started "$@"\n')
            os.chmod('tree/runner', 0o755)
            os.symlink('tree/runner', 'link')
            with open('bin/lab-program', 'w', encoding='ascii') as f:
                f.write(f'{folder}/link\n')
            os.chmod('bin/lab-program', 0o644)
            change()
            # What the environment names is looked at in the same way, and what is beside the command is not.
            for words, named, bad in (('lab list', None, wrong), ('lab list', 'NTIME_LAB', wrong * ('tree' in wrong)),
                                      ('model list', 'NTIME_MODEL_PROGRAM', wrong * ('tree' in wrong))):
                env = {**environment(), **({named: 'link'} if named else {})}
                done = subprocess.run(['bin/ntime', *words.split()], env=env, timeout=PATIENCE, check=False, capture_output=True)
                if bad:
                    equal((done.returncode, done.stdout), (125, b''), (bad, named))
                    has(err(done), bad % folder)
                    equal(err(done).count('\n'), 1)
                else:
                    equal((done.returncode, done.stdout), (0, b'started list\n'), (wrong, named, err(done)))


@test
def what_is_no_file_is_not_waited_for():
    with Directory():
        for name in ('pipe', 'pipe.json', 'run'):
            os.mkfifo(name)
        os.chmod('run', 0o755)
        with open('x.json', 'w', encoding='ascii') as f:
            f.write('{')
        for words in (('compare', 'pipe.json', 'x.json'), ('compare', 'x.json', 'pipe.json'), ('reg', 'diff', 'pipe', 'x.json'), ('list', '--machine', 'pipe'),
                      ('list', '--metric-file', 'pipe'), ('./run',), ('gl', './run')):
            done = ntime(*words)
            equal((done.returncode in (125, 126, 127), done.stdout, err(done).count('\n')), (True, b'', 1), (words, err(done)))
            if words[-1] != './run':
                has(err(done), 'it is no')
        # A shell's <(...) and standard input have a writer.
        for words in ('reg diff <(cat x.json) x.json', 'cat x.json | "$0" reg diff /dev/stdin x.json'):
            text = words if '"$0"' in words else f'"$0" {words}'
            done = subprocess.run(['bash', '-c', text, NTIME], env=environment(), timeout=PATIENCE, check=False, capture_output=True)
            equal((done.returncode, 'regular file' in err(done)), (125, False), (words, err(done)))


@test
def full_device():
    for form in ([], ['--json'], ['--csv'], ['-I', '10ms']):
        done = ntime(*form, '-o', '/dev/full', 'true')
        equal(done.returncode, 125)
        has(err(done), 'writing to /dev/full failed: No space left on device')


@test
def full_disk_leaves_nothing_half_written():
    with Directory() as directory:
        os.mkdir('small')
        made = subprocess.run(['mount', '-t', 'tmpfs', '-o', 'size=4k', 'tmpfs', 'small'], stderr=subprocess.PIPE,
                              check=False)
        if made.returncode:
            raise Skip('a small file system cannot be mounted: ' + made.stderr.decode().strip())
        try:
            with open('small/filler', 'wb') as f:
                f.write(b'x' * 4096)
            done = ntime('-o', 'small/report', 'true')
            equal(done.returncode, 125)
            has(err(done), 'No space left on device')
            equal(os.listdir('small'), ['filler'])
            os.truncate('small/filler', 0)
            with open('small/report', 'w', encoding='ascii') as f:
                f.write('before\n')
            # One page: the old file fits, the new one beside it does not.
            done = ntime('-o', 'small/report', 'true')
            equal(done.returncode, 125)
            with open('small/report', encoding='ascii') as f:
                equal(f.read(), 'before\n')
        finally:
            subprocess.run(['umount', directory + '/small'], check=True)


@test
def closed_pipes():
    for args in (('-o', '-', 'true'), ('list',), ('doctor',), ('--help',)):
        reader, writer = os.pipe()
        os.close(reader)
        done = ntime(*args, stdout=writer)
        os.close(writer)
        if done.returncode not in (125, -signal.SIGPIPE):
            raise AssertionError(f'{args}: {done.returncode}')
        if done.returncode == 125:
            has(err(done), 'Broken pipe')
    # Without the report's reader the command still runs to its end.
    with Directory():
        reader, writer = os.pipe()
        os.close(reader)
        equal(ntime('touch', 'ran', stderr=writer).returncode, 125)
        os.close(writer)
        equal(os.listdir(), ['ran'])


@test
@needs_perf
def closed_descriptors_stay_closed():
    """No counter, report or device becomes standard output or error, and the command inherits what its user closed."""
    for closed in range(3):
        with Directory():
            show = f'readlink /proc/$PPID/fd/{closed} >there; test -e /proc/$$/fd/{closed} || echo closed >here'
            done = subprocess.run([NTIME, '-o', 'report', '-e', 'page-faults', 'sh', '-c', show],
                                  env=environment(), timeout=PATIENCE, check=False,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                  preexec_fn=lambda: os.close(closed))  # pylint: disable=cell-var-from-loop
            equal(done.returncode, 0, closed)
            for name, text in (('there', '/dev/null\n'), ('here', 'closed\n')):
                with open(name, encoding='utf-8') as file:
                    equal(file.read(), text, f'{closed} {name}')


@test
def closed_output_is_an_error():
    for args in (('list',), ('-o', '-', 'true'), ('--help',)):
        done = ntime(*args, stdout=None, preexec_fn=lambda: os.close(1))
        equal(done.returncode, 125, args)
        has(err(done), 'Bad file descriptor')
    # It is known before the command runs that there is nowhere to write the report.
    with Directory():
        equal(ntime('touch', 'ran', stderr=None, preexec_fn=lambda: os.close(2)).returncode, 125)
        equal(os.listdir(), [])


@test
def registers_that_stay_programmed_are_told():
    left = 'ntime: uncore of package 0 was not restored: 3 registers stay on record\n' \
           'ntime: as soon as these registers can be reached: ntime doctor --repair\n'
    with three() as m:
        more = {'exe': SIM, 'env': environment(NTIME_BENT_ROOT=m.name), 'preexec_fn': lambda: m.leave(os.getpid())}
        # The command decides about the status, and where there is none ntime does; told once, however many runs there are.
        for status, args in ((0, ('true',)), (3, ('sh', '-c', 'exit 3')), (0, ('-r', '3', 'true')), (125, ('-a', '--timeout', '10ms'))):
            with Directory():
                done = ntime('--machine', GUEST, '-o', 'report', '-e', 'page-faults', *args, **more)
                equal((done.returncode, err(done)), (status, left), args)
                equal(os.listdir(), ['report'])
        equal(ntime('--machine', GUEST, '-e', 'page-faults', '--dry-run', 'true', **more).returncode, 125)


@test
@needs_perf
def measurement_without_command_ends_when_nobody_reads():
    reader, writer = os.pipe()
    child = subprocess.Popen([NTIME, '-t', str(os.getpid()), '-e', 'page-faults', '-I', '10ms', '--csv', '-o', '-'],
                             stdout=writer, stderr=subprocess.PIPE, env=environment())
    os.close(writer)
    os.read(reader, 1)
    os.close(reader)
    _, said = child.communicate(timeout=PATIENCE)
    equal(child.returncode, 125)
    has(said.decode(), 'Broken pipe')


@test
def full_stdout_of_list_and_doctor():
    with open('/dev/full', 'w', encoding='ascii') as full:
        for args in (('list',), ('list', '--json'), ('doctor',), ('--help',), ('--version',), ('help', 'list')):
            done = ntime(*args, stdout=full)
            equal(done.returncode, 125, f'exit status of {args}')
            has(err(done), 'writing to standard output failed')


# ---- forms ----

@test
@needs_perf
def json_has_what_it_promises():
    report = summary('-e', 'page-faults,task-clock', 'true')
    equal(report['schema'], 2)
    equal(report['command'], ['true'])
    equal(report['exit'], {'status': 0, 'timeout': False})
    for key in ('real_ns', 'user_ns', 'sys_ns', 'max_rss_bytes_at_most'):
        if not isinstance(report['time'][key], int):
            raise AssertionError(key)
    item = items(report)['page-faults']
    equal(item['flags'], ['user-only'] if perf_here.why_not(kernel_mode=True) else [])
    equal(item['value'], item['count'])
    equal(item['wanted_ns'], item['counted_ns'])
    equal(items(report)['task-clock']['unit'], 'ns')


@test
def max_rss_is_the_commands_own_or_says_that_it_may_not_be():
    # The number is as wide as it is: 992 KiB were seen.
    has(re.sub(' +', ' ', err(ntime('-v', 'true'))), 'max-rss at most')
    has_not(err(ntime('true')), 'peak')
    done = summary(sys.executable, '-c', 'x = b"x" * (100 << 20)')
    if done['time']['max_rss_bytes'] < 100 << 20:
        raise AssertionError(done['time'])
    has_not(err(ntime('-v', sys.executable, '-c', 'x = b"x" * (100 << 20)')), 'at most')
    peak = re.search(r'\nsys .* m?s    peak (\d+) MiB\n$', err(ntime(sys.executable, '-c', 'x = b"x" * (100 << 20)')))
    equal(100 <= int(peak.group(1)) < 130, True, peak)
    # One run that is not known is enough.
    with Directory():
        done = summary('-r', '2', 'sh', '-c', 'if test -e ran; then exec true; fi; : >ran; exec "$0" -c "$1"',
                       sys.executable, 'x = b"x" * (100 << 20)')
    if done['time']['max_rss_bytes_at_most'] < 40 << 20:
        raise AssertionError(done['time'])


@test
def json_survives_any_bytes():
    done = subprocess.run([NTIME.encode(), b'--json', b'true', b'a\xff\xc3(', b'\xed\xa0\x80', '±'.encode()],
                          stderr=subprocess.PIPE, env=environment(), check=True)
    report = json.loads(done.stderr.decode('utf-8'))
    equal(report['command'][1], 'a\ufffd\ufffd(')
    equal(report['command'][3], '±')


@test
def default_set_is_complete_and_never_zero_by_absence():
    report = summary('true')
    found = items(report)
    for name in ('task-clock', 'context-switches', 'cpu-migrations', 'page-faults', 'cycles', 'instructions', 'branches',
                 'branch-misses', 'cache-references', 'cache-misses'):
        item = found[name]
        if 'absent' in item:
            equal('value' in item or 'count' in item, False)
            if not item['absent']['reason']:
                raise AssertionError(f'{name} is absent without a reason')
        elif 'not-counted' not in item['flags'] and 'value' not in item:
            raise AssertionError(f'{name} has neither value nor reason')
    done = ntime('-v', 'true')
    for name, item in found.items():
        if 'absent' in item:
            has(err(done).split('Not counted here:')[1], name)


@test
def the_answer_is_on_one_screen():
    for exe, *at in ((NTIME,), (SIM, '--machine', GUEST), (SIM, '--machine', server(clock='real')),
                     (SIM, '--machine', server(clock='real', slice_ns=10000, counters={'cpu': {'general': 2, 'fixed': 2}}))):
        lines = re.sub('^\nSIMULATED: .*\n\n?', '\n', err(ntime(*at, 'sh', '-c', 'sleep 0.02; exit 3', exe=exe))).split('\n')
        equal((lines[0], [line.split()[0] for line in lines[-4:-1]], lines[-1]), ('', ['real', 'user', 'sys'], ''), lines)
        equal(lines[-5], 'ended with status 3')
        has_pmu = any('per cycle' in line for line in lines)
        equal(len(lines) - 1 <= (16 if has_pmu else 12), True, lines)
        equal(max(map(len, lines)) <= 80, True, lines)
        for never in ('tsc', 'CPU-s', 'at most', 'remedy'):
            has_not('\n'.join(lines), never)
        if not has_pmu:
            has('\n'.join(lines), '\nno cycles, ')


@test
def reasons_of_one_code_and_thing_are_told_once():
    said = err(ntime('stat', '--machine', GUEST, '-e', 'cycles,instructions,IPC,page-faults', 'true', bent='lacks'))
    words = said.split('Not counted here:')[1].split('\nreal')[0].split()
    equal((words[:6], words[6:9], words.count('remedy:')), (['cycles', 'instructions', 'IPC', 'no', 'cycles', 'here'], ['remedy:', 'ask', 'who'], 1))


def lines_until(n, *args):
    """The report of a command that ends once @n lines of it are there."""
    with Directory() as directory:
        with open('report', 'wb') as report:
            done = ntime(*args, 'sh', '-c', 'until test $(wc -l <"$0") -ge "$1"; do sleep 0.05; done', directory + '/report', str(n),
                         stderr=report)
        equal(done.returncode, 0, 'exit status')
        with open('report', encoding='utf-8') as report:
            return report.read().splitlines()


@test
@needs_perf
def interval_lines():
    lines = [json.loads(line) for line in lines_until(2, '--json', '-I', '20ms', '-e', 'page-faults')]
    equal([line['kind'] for line in lines[:-1]], ['interval'] * (len(lines) - 1))
    equal(lines[-1]['kind'], 'summary')
    times = [line['time_s'] for line in lines[:-1]]
    equal(times, sorted(times))
    # That of the end comes after the two that were waited for, unless it is short and empty.
    if len(times) < 2:
        raise AssertionError(f'{len(times)} intervals')
    parts = sum(items(line)['page-faults']['count'] for line in lines[:-1])
    equal(parts, items(lines[-1])['page-faults']['count'], 'sum of the intervals')
    rows = list(csv.DictReader(io.StringIO(err(ntime('--csv', '-I', '50ms', '-e', 'page-faults', 'sleep', '0.2')))))
    equal({row['name'] for row in rows}, {'page-faults'})
    for row in rows:
        float(row['time_s'])
    text = err(ntime('-I', '50ms', '-e', 'page-faults', 'sleep', '0.2'))
    has(text, '#    time_s')
    has(text, 'real')


@test
@needs_perf
def csv_is_readable():
    rows = {row['name']: row for row in csv.DictReader(io.StringIO(err(ntime('--csv', 'true'))))}
    int(rows['real']['value'])
    equal(rows['page-faults']['value'], rows['page-faults']['count'])
    equal(rows['page-faults']['method'], 'perf')
    for row in rows.values():
        equal(None in row or None in row.values(), False, f'wrong number of fields in {row}')
        if 'absent' in row['flags']:
            equal((row['value'], row['count']), ('', ''))
            if not row['reason']:
                raise AssertionError(row)


@test
def all_times_of_a_run_are_of_the_same_moments():
    rates = []
    for _ in range(2):
        report = summary('-e', 'tsc', '-m', 'CPUs-used', 'sleep', '0.2')
        real_ns = report['time']['real_ns']
        for item in report['items']:
            if item['name'] == 'tsc':
                equal(item['wanted_ns'], real_ns, 'length of the clock')
                rates.append(item['value'] / real_ns)
            elif item['name'] == 'CPUs-used' and 'absent' not in item['flags']:
                work = items(report)['task-clock']['value'] if 'task-clock' in items(report) else None
                if work is not None and abs(item['value'] - work / real_ns) > 1e-9:
                    raise AssertionError(item)
    if not rates:
        raise Skip('no clock that user mode can read')
    if abs(rates[0] / rates[1] - 1) > 1e-3:
        raise AssertionError(rates)


@test
@needs_perf
def repeating():
    with Directory():
        report = summary('-r', '3', '-e', 'page-faults', 'sh', '-c', 'echo x >>runs')
        with open('runs', encoding='ascii') as f:
            equal(len(f.readlines()), 3, 'runs')
    equal(report['runs'], 3)
    item = items(report)['page-faults']
    equal(item['runs'], 3)
    if not item['min'] <= item['value'] <= item['max']:
        raise AssertionError(item)
    equal(report['time']['over_runs']['real_ns']['runs'], 3)
    has(err(ntime('-r', '3', 'true')), 'Mean of 3 runs; ')


@test
def what_repeated_runs_write_is_swallowed_unless_asked_for():
    script = 'cat; echo out; echo err >&2'
    for options, out, said in ((['-r', '2'], b'', 0), (['-r', '2', '--show-output'], b'in\nout\nout\n', 2), ([], b'in\nout\n', 1)):
        done = ntime(*options, '-q', 'sh', '-c', script, input=b'in\n')
        equal((done.stdout, err(done).splitlines().count('err')), (out, said), options)
    has(err(ntime('--show-output', 'true')), '--show-output goes with -r')


def repeated(status, *args):
    """The JSON report of runs of a script that knows the number of the run, $n, and what ntime ended with."""
    script = args[-1]
    with Directory():
        done = ntime(*args[:-1], '--json', '-o', 'report', 'sh', '-c', f'echo x >>runs; n=$(wc -l <runs); {script}')
        equal(done.returncode, status, 'exit status')
        with open('report', encoding='utf-8') as f:
            return json.load(f)


def nap(times):
    """What sleeps so many times as long as all has taken since now, on the slowest machine too: longer than each run before."""
    return f'{{ test -e nap || echo $((($(date +%s%N) - {time.time_ns()}) * {times} / 1000000))e-3 >nap; sleep $(cat nap); }}'


@test
def every_run_is_kept():
    # The quartiles are of the other five: 5 times the longest is farther than 3 times what is between them.
    report = repeated(0, '-r', '6', f'test $n != 6 || {nap(5)}')
    real = report['time']['over_runs']['real_ns']
    equal((report['runs'], len(real['values']), 6 in real['outliers']), (6, 6, True), real)
    equal((min(real['values']), max(real['values'])), (real['min'], real['max']))
    mean = sum(real['values']) / 6
    equal(abs(real['sd'] - (sum((v - mean) ** 2 for v in real['values']) / 5) ** 0.5) < 1, True, real)
    equal(len(items(report)['page-faults']['values']), 6)
    with Directory():
        said = err(ntime('-r', '6', 'sh', '-c', f'echo x >>runs; n=$(wc -l <runs); test $n != 6 || {nap(5)}'))
        # On a busy machine another one may be, too.
        equal(bool(re.search(r'Outliers: run [^\n]*\b6 \(\d', said)), True, said)
    for option, hint in (('--warmup', 'ntime compare --warmup N'), ('--setup', 'ntime compare --setup LINE'), ('--prepare', 'ntime compare --prepare LINE'),
                         ('--cleanup', 'ntime compare --cleanup LINE'), ('--ignore-failure', 'ntime compare --ignore-failure'), ('-S', '--prepare LINE')):
        done = ntime(option, '-r', '2', 'true')
        equal((done.returncode, hint in err(done)), (125, True), err(done))


@test
def runs_that_drift_are_told():
    # Each of the second half takes longer than the first half together.
    report = repeated(0, '-r', '14', f'test $n -lt 8 || {nap(1)}')
    real = report['time']['over_runs']['real_ns']
    equal(sorted(real), ['ci95', 'max', 'median', 'min', 'outliers', 'runs', 'sd', 'values'])
    equal(real['min'] < real['median'] < real['max'], True, real)
    drift = report['drift']
    equal((drift['crossings'], drift['expected'], drift['p'] < 0.01), (1, 7, True), drift)
    with Directory():
        has(err(ntime('-r', '14', 'sh', '-c', f'echo x >>runs; n=$(wc -l <runs); test $n -lt 8 || {nap(1)}')),
            'The runs are not independent: their real time changed sides of its median')


@test
def failing_runs_alone_have_no_mean():
    done = ntime('-r', '3', 'false')
    equal(done.returncode, 1)
    has(err(done), 'No run ended with status 0')
    has(err(done), 'ntime: ended after run 1 of 3, which failed (ended with status 1): 0 runs are in the mean; --show-output shows what it says')
    has(err(done), '1 of 1 runs: ended with status 1.')
    report = repeated(1, '-r', '3', 'exit 1')
    equal(report['runs'], 0)
    equal(report['runs_left_out'], [{'status': 1, 'timeout': False, 'interrupted': False, 'runs': 1}])
    equal(report['time']['over_runs']['real_ns']['runs'], 0)


@test
def a_run_that_fails_ends_the_runs_with_a_sentence():
    for number, (status, how, args) in enumerate([
            (-signal.SIGKILL, 'killed by SIGKILL', ['test $n != 3 || kill -9 $$']),
            (124, 'ended by --timeout', ['--timeout', '3s', 'test $n != 3 || exec sleep 1000']),
            (9, 'ended with status 9', ['test $n != 3 || exit 9'])]):
        with Directory():
            done = ntime('-r', '5', *args[:-1], 'sh', '-c', f'echo x >>runs; n=$(wc -l <runs); {args[-1]}')
            equal((done.returncode, open('runs', encoding='utf-8').read().count('x')), (status, 3), number)
            equal([line for line in err(done).splitlines() if line.startswith('ntime: ')],
                  [f'ntime: ended after run 3 of 5, which failed ({how}): 2 runs are in the mean; '
                   '--show-output shows what it says; ntime compare --ignore-failure goes on after such runs'])


@test
def runs_that_do_not_end_well_are_in_no_mean():
    report = repeated(-signal.SIGKILL, '-r', '3', 'test $n != 2 || kill -9 $$')
    equal((report['runs'], report['runs_left_out']), (1, [{'signal': 9, 'timeout': False, 'interrupted': False, 'runs': 1}]))
    report = repeated(124, '-r', '3', '--timeout', '3s', 'test $n != 2 || exec sleep 1000')
    equal(report['runs'], 1)
    equal(report['runs_left_out'], [{'signal': 15, 'timeout': True, 'interrupted': False, 'runs': 1}])


@test
def lines_of_the_shell_are_known():
    for args, part in ((('ls -l | wc',), "that is for a shell: sh -c 'ls -l | wc'"), (('cd', '/'), "that is for a shell: sh -c 'cd ...'"),
                       (('ls  x',), "sh -c 'ls  x'")):
        done = ntime(*args)
        equal((done.returncode, len(err(done).splitlines())), (127, 2), err(done))
        has(err(done), part)
    has_not(err(ntime('no-such-program')), 'shell')


@test
def a_line_of_the_users_own():
    script = 'exit 3'
    done = ntime('-f', r'%e %U %S %E %P %M %F %R %c %w %I %O %x %Z %D%K%X%p%t%s%r%k%W 100%%\t%{page-faults}\n%C|\q', 'sh', '-c', script)
    equal(done.returncode, 3)
    first, second = err(done).splitlines()
    times, faults = first.split('\t')
    equal(bool(re.fullmatch(r'0\.\d\d 0\.\d\d 0\.\d\d 0:00\.\d\d \d+% <=\d+ \d+ \d+ \d+ \d+ \d+ \d+ 3 \d+ -{9} 100%', times)), True, times)
    equal(faults.isdigit() or faults == '-', True, faults)
    equal(second, 'sh -c exit 3|\\q')
    # What is more than the way into the command needs is its own.
    program = 'import os, resource as r; open("f", "wb").write(b"x" * 2**24); u = r.getrusage(r.RUSAGE_SELF); print(u.ru_inblock, u.ru_oublock)'
    with Directory():
        done = ntime('-f', '%I %O %M', sys.executable, '-c', program)
    *blocks, size = err(done).split()
    equal((blocks, int(size) > 16384), (done.stdout.decode().split(), True), err(done))
    for bad in ('%', '%q', '%{', '%{}', '%L'):
        has(err(ntime('-f', bad, 'true')), f"--format: '{bad}' is no sequence of it")
    has(err(ntime('-f', '%e', '--json', 'true')), '--csv, --json and --format cannot be combined')


@test
def timeout_ends_the_command():
    done = ntime('--timeout', '100ms', 'sleep', '1000')
    equal(done.returncode, 124)
    has(err(done), '\nended by --timeout\nreal ')
    has(err(done), 'page faults')
    # one that does not listen is killed
    equal(ntime('--timeout', '100ms', 'sh', '-c', 'trap "" TERM; while :; do sleep 0.1; done').returncode, 124)
    equal(ntime('--timeout', '1000s', 'sh', '-c', 'exit 3').returncode, 3)


@test
@needs_perf
def timeout_ends_attaching():
    done = ntime('-t', str(os.getpid()), '-e', 'page-faults', '--timeout', '100ms')
    equal(done.returncode, 0)
    has(err(done), 'page-faults')


@test
@needs_perf
def delay():
    late = items(summary('--delay', '1000s', '-e', 'page-faults', 'true'))['page-faults']
    equal('value' in late, False, 'a value before the measurement began')
    has(late['flags'], 'not-counted')
    # Without intervals nothing tells when it begins: on a machine that stands still the command has to last longer.
    for seconds in (1, 5, 25):
        soon = items(summary('--delay', '20ms', '-e', 'page-faults', 'sh', '-c', f'sleep {seconds}; /bin/true'))['page-faults']
        if 'value' in soon:
            break
    equal('value' in soon, True)
    first, *_, last = [json.loads(line) for line in lines_until(1, '--json', '-I', '20ms', '--delay', '20ms', '-e', 'page-faults')]
    equal(('value' in items(first)['page-faults'], 'value' in items(last)['page-faults']), (True, True), 'values of an interval and of all')


@test
@needs_perf
def dry_run_tells_what_is_counted_in_part():
    if not perf_here.why_not(kernel_mode=True) and os.geteuid():
        raise Skip('an ordinary user may count kernel mode here')
    # Root puts an ordinary user's place on, for whom perf_event_paranoid is 2.
    words = [] if os.geteuid() else [DISGUISE, 'paranoid-2']
    done = subprocess.run([*words, NTIME, '--dry-run', '-e', 'page-faults', 'true'], env=environment(), capture_output=True,
                          check=False, timeout=PATIENCE)
    if done.returncode == 77:
        raise Skip(err(done).strip())
    equal(done.returncode, 0, err(done))
    has(err(done), 'page-faults: perf, unit software')
    has_not(err(done), 'Not counted here')


@test
@needs_perf
def dry_run_runs_nothing():
    with Directory():
        done = ntime('--dry-run', '-e', 'page-faults,cycles', 'touch', 'ran')
        equal(done.returncode, 0)
        equal(os.listdir(), [])
        has(err(done), 'page-faults: perf, unit software')


@test
@needs_perf
def quiet_and_verbose():
    quiet = err(ntime('-q', '-e', 'page-faults,context-switches', 'true'))
    has_not(quiet, 'real')
    has(quiet, 'page-faults')
    verbose = err(ntime('-v', '-e', 'page-faults', 'true'))
    has(verbose, 'How it was counted:')
    has(verbose, 'page-faults: perf, unit software')
    has(verbose, 'type 1 config 0x2')
    has_not(verbose, 'same encoding')


@test
@needs_perf
def names_of_the_same_encoding_are_told():
    twins = err(ntime('-v', '-e', 'page-faults,context-switches,faults', 'true'))
    has(twins, 'faults: the same encoding as page-faults above; each has a counter of its own')
    equal(twins.count('same encoding'), 1)


# ---- terminals ----

@test
def narrow_terminals():
    for exe, *at in ((NTIME,), (SIM, '--machine', server(clock='real')), (SIM, '--machine', server(clock='real', slice_ns=10000), '-e', MANY + ',page-faults')):
        for columns in (40, 60, 80, 132):
            status, shown = on_terminal(*at, 'sleep', '0.01', columns=columns, exe=exe, NO_COLOR='1')
            equal(status, 0)
            has_not(shown, '\033')
            for line in shown.splitlines():
                if len(line) > columns and ' ' in line.strip():
                    raise AssertionError(f'{len(line)} of {columns} columns: {line!r}')
            has(shown.replace('-', ' '), 'page faults')
    for columns in (40, 80):
        wide = [('-r', '3', '-v', 'true'), ('compare', '-n', '6', 'true 12345678', 'seq 100000 200000')]
        for args in (('-r', '3', 'true'), *(wide if columns == 80 else [])):
            status, shown = on_terminal(*args, columns=columns, NO_COLOR='1')
            lines = [line.rsplit('\r', 1)[-1].replace('\033[K', '') for line in shown.replace('\r\n', '\n').splitlines()]
            equal((status, [line for line in lines if (len(line) > columns and ' ' in line.strip()) or line != line.rstrip()]), (0, []), args)


@test
def colour_only_where_it_is_welcome():
    has(on_terminal('true')[1], '\033[')
    has_not(on_terminal('true', NO_COLOR='1')[1], '\033')
    has(on_terminal('true', NO_COLOR='')[1], '\033[')
    has_not(on_terminal('true', TERM='dumb')[1], '\033')
    has_not(err(ntime('true')), '\033')
    has_not(ntime('list').stdout.decode(), '\033')
    has_not(on_terminal('--json', 'true')[1], '\033')


@test
def ascii_locale_gets_ascii():
    for exe, *at in ((NTIME, '-v'), (NTIME,), (SIM, '--machine', server(), '--no-scale', '-e', MANY)):
        ntime(*at, '-r', '2', 'sleep', '0.01', env=environment(LC_ALL='C'), exe=exe).stderr.decode('ascii')


def spoken(language, *args, exe=NTIME):
    """What the command says where this is the language: names and numbers are those of everybody."""
    done = subprocess.run([DISGUISE, language, exe, *args], env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=PATIENCE, check=False)
    if done.returncode == 77:
        raise Skip(err(done).strip())
    return done


@test
def names_and_numbers_are_the_same_in_every_language():
    machine = ('--machine', recording('intel-skx-2s.json'))
    with Directory():
        for language in ('turkish', 'locale'):
            equal(spoken(language, 'true').returncode, 0, language)
            for args in (('list', 'PAGE-F*'), ('list', 'ipc'), ('list', 'I*C'), ('list', '--json', 'IPC'), ('-e', 'INSTRUCTIONS', 'true'),
                         ('reg', 'ls', 'ia32_*'), ('reg', 'ls', 'IA32_misc')):
                there, here = spoken(language, *args), ntime(*args)
                equal((there.returncode, there.stdout, there.stderr), (here.returncode, here.stdout, here.stderr), f'{language}: {args}')
            for name in ('ipc', 'Ipc', 'INST_RETIRED.ANY_P', 'inst_retired:any_p', 'unc_m_cas_count.rd'):
                done = spoken(language, *machine, '--json', '-e', name, 'sleep', '0.05', exe=SIM)
                equal(done.returncode, 0, f'{language}: {name}: {err(done)}')
                json.loads(err(done))
            equal(spoken(language, '-m', 'ipc', 'true').returncode, 0, language)
            for row in csv.DictReader(io.StringIO(err(spoken(language, '--csv', '-e', 'task-clock', '-I', '0.05', 'sleep', '0.12')))):
                float(row['value'])


# ---- the other subcommands ----

@test
def help_and_version():
    for args in (('--help',), ('-h',), ('help',), ('stat', '--help'), ('list', '-h'), ('doctor', '--help'),
                 ('help', 'stat'), ('help', 'list'), ('help', 'doctor'), ('help', 'help')):
        done = ntime(*args)
        equal((done.returncode, done.stderr), (0, b''), f'{args}')
        has(done.stdout.decode(), 'Usage: ntime')
    for args in (('--version',), ('-V',)):
        has(ntime(*args).stdout.decode(), 'ntime 0.')
    has(err(ntime('help', 'lits')), "did you mean 'list'?")


@test
@needs_perf
def names_of_other_tools_are_understood():
    # A processor that this one is not: its own events are listed.
    zen = 'zen3' if ntime('list', 'zen4').returncode == 0 else 'zen4'
    for word, part in (('pagef', 'did you mean page-faults'), ('PAPI_TOT_INS', 'it is called instructions here'),
                       ('duration_time', 'real time is in every report'), (zen, f"'ntime list --cpu amd64_fam19h_{zen}'")):
        done = ntime('-e', word, 'true')
        equal(done.returncode, 125)
        has(err(done), part)
        done = ntime('list', word)
        equal(done.returncode, 1)
        has(err(done), part)


@test
def long_lists_have_a_pager_on_terminals():
    for pager, shown_is in (('sed s/^/PAGED/', True), ('cat', False), ('', False), ('no-such-pager-of-ours', False)):
        _, shown = on_terminal('list', '--all', NO_COLOR='1', PAGER=pager)
        equal('PAGED' in shown, shown_is, pager)
        has(shown, 'task-clock')
    # Who leaves the pager early has seen enough.
    status, shown = on_terminal('list', '--all', NO_COLOR='1', PAGER='head -n 1')
    equal((status, shown.count('\n')), (0, 1), shown)
    # One screen needs none, and neither does who is not on a terminal.
    has_not(on_terminal('list', 'page-faults', PAGER='sed s/^/PAGED/')[1], 'PAGED')
    has_not(subprocess.run([NTIME, 'list', '--all'], env=environment(PAGER='sed s/^/PAGED/'), check=True, capture_output=True,
                           timeout=PATIENCE).stdout.decode(), 'PAGED')


@test
def listing():
    text = ntime('list', 'page-faults').stdout.decode()
    has(text, 'page-faults')
    has_not(text, 'context-switches')
    has(ntime('list', 'PAGE-FAULTS').stdout.decode(), 'page-faults')
    has(ntime('list', 'page-f*', 'context-sw*').stdout.decode(), 'context-switches')
    done = ntime('list', 'no such thing at all')
    equal((done.returncode, done.stdout), (1, b''))
    has(err(done), "nothing matches 'no such thing at all'")
    # What was typed must not steer the terminal.
    has(err(ntime('list', 'a\x1b[31mb')), "nothing matches 'a?[31mb'")
    equal(ntime('list', '--all').stdout, ntime('list', '--units', '--events', '--metrics').stdout)
    overview = ntime('list').stdout.decode()
    has(overview, ' can be counted here\n')
    has(overview, 'ntime list --all\n')
    equal(overview.count('\n') < 24, True, overview)
    everything = json.loads(ntime('list', '--json').stdout)
    for key in ('units', 'events', 'metrics'):
        if not everything[key]:
            raise AssertionError(key)
    for key, entries in everything.items():
        for entry in entries if isinstance(entries, list) else []:
            equal('reason_code' in entry, 'remedy_kind' in entry, 'a code has a kind')
            if not entry['usable'] and not (entry.get('reason') and entry.get('reason_code')):
                raise AssertionError(f'{entry} is not usable without a reason')
    equal(list(json.loads(ntime('list', '--json', '--methods').stdout)), ['ntime', 'schema', 'simulated', 'emulated', 'methods'])
    names = ntime('list', '--names').stdout.decode().split('\n')
    has(names, 'page-faults')
    groups = {m['group'] for m in everything['metrics'] if m.get('group')}
    equal(sorted(n for n in names if n), sorted([e['name'] for e in everything['events'] + everything['metrics']] + list(groups)))
    for group in groups:
        members = [m['name'] for m in everything['metrics'] if m.get('group') == group]
        listed = [m['name'] for m in json.loads(ntime('list', '--json', '--metrics', group).stdout)['metrics']]
        equal([name for name in members if name not in listed], [])
        has(ntime('list', '--metrics', group).stdout.decode(), f'Metrics of group {group}')
    rows = list(csv.DictReader(io.StringIO(ntime('list', '--csv').stdout.decode())))
    has([row['name'] for row in rows if row['kind'] == 'event'], 'page-faults')
    equal([row for row in rows if None in row or None in row.values()], [])
    equal({row['group'] for row in rows if row['kind'] == 'metric' and row['group']}, groups)
    equal([row for row in rows if row['kind'] != 'metric' and row['group']], [])


@test
def listing_a_model():
    done = ntime('list', '--cpu', 'skx', '--json', 'inst_retired')
    equal(done.returncode, 0)
    equal(json.loads(done.stdout)['model'], 'skx')
    done = ntime('list', '--cpu', 'skxx')
    equal((done.returncode, done.stdout), (125, b''))
    has(err(done), 'skx')


@test
def doctor():
    done = ntime('doctor')
    report = json.loads(ntime('doctor', '--json').stdout)
    equal(done.returncode, 1 if report['problems'] else 0)
    for obstacle in report['problems']:
        equal(obstacle['remedy_kind'] in ('none', 'here', 'elsewhere') and obstacle['reason_code'] != '' and obstacle['about'] != '', True)
        equal(obstacle['remedy_kind'] == 'none', obstacle['remedy'] == 'none')
        for word in obstacle['reason'].split():
            has(done.stdout.decode(), word)
    has(ntime('doctor', '-v').stdout.decode(), 'Access methods')
    for name, status in (('intel-skx-2s.json', 0), ('vm-kvm.json', 1)):
        equal(ntime('doctor', '--machine', recording(name)).returncode, status)


@test
def doctor_records():
    with Directory():
        done = ntime('doctor', '--record', 'machine')
        equal(done.returncode, 0)
        has(os.listdir(), 'machine')
        done = ntime('doctor', '--record', 'no/such/place')
        equal(done.returncode, 125)
        has(err(done), 'no/such/place')


@test
def recorded_machine_is_marked():
    with Directory():
        equal(ntime('doctor', '--record', 'machine').returncode, 0)
        has(ntime('list', '--machine', 'machine').stdout.decode(), 'SIMULATED')
        has(ntime('doctor', '--machine', 'machine').stdout.decode(), 'SIMULATED')
        equal(json.loads(ntime('list', '--json', '--machine', 'machine').stdout)['simulated'], True)


def put(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w', encoding='utf-8') as f:
        f.write(text)


# A card of NVIDIA's, whose BAR 0 has 16 MiB: device id, class, bytes of BAR 0, driver; code and part of the reason why another root has it not.
CARDS = ((0xa65, 0x030000, 1 << 24, None, 'not-supported', 'of another machine'), (0xa65, 0x030200, 1 << 24, 'nouveau', 'busy', 'the driver nouveau has the card'),
         (0xa65, 0x030000, 1 << 16, None, 'not-supported', 'has 64 KiB'), (0x1b80, 0x030000, 1 << 24, 'nvidia', 'not-supported', '10de:1b80'),
         (0xffff, 0x030000, 1 << 24, None, 'not-supported', '10de:ffff'), (0xa65, 0x040300, 1 << 14, None, None, ''))


@test
def cards_on_the_bus_are_units_or_have_a_reason():
    with Directory():
        for i, (device, kind, size, driver, _, _) in enumerate(CARDS):
            folder = f'tree/sys/bus/pci/devices/0000:0{i}:00.0'
            for name, text in (('vendor', '0x10de'), ('device', hex(device)), ('class', hex(kind)), ('resource', f'{1 << 28:#x} {(1 << 28) + size - 1:#x} 0x40200')):
                put(f'{folder}/{name}', text + '\n')
            if driver:
                os.symlink('../../../bus/pci/drivers/' + driver, folder + '/driver')
        units = {unit['name']: unit for unit in json.loads(ntime('list', '--units', '--json', '--root', 'tree').stdout)['units']}
        wanted = [(code, part) for *_, code, part in CARDS if code is not None]
        equal([(units[f'gpu{i}'].get('reason_code', ''), part in units[f'gpu{i}'].get('reason', '')) for i, (_, part) in enumerate(wanted)],
              [(code, True) for code, _ in wanted], units)
        equal('gpu5' in units, False)


@test
def trees_of_strangers_show_themselves_alone():
    """Nobody writes into their pipe, their links lead nowhere outside, and no event is made of either."""
    with Directory() as folder:
        events = f'{folder}/tree/sys/bus/event_source/devices/foo/events'
        put(f'{events}/good', 'event=0x1\n')
        put(f'{folder}/secret', 'of this machine\n')
        put(f'{folder}/tree/sys/bus/event_source/devices/foo/type', '9\n')
        put(f'{folder}/tree/sys/bus/event_source/devices/foo/format/event', 'config:0-7\n')
        put(f'{folder}/tree/sys/devices/system/cpu/online', '0-1\n')
        os.mkfifo(f'{events}/pipe')
        os.symlink(f'{folder}/secret', f'{events}/absolute')
        os.symlink('../../../../../../../secret', f'{events}/upward')
        os.symlink('good', f'{events}/also')
        done = ntime('list', '--json', '--root', 'tree')
        equal(done.returncode, 0, err(done))
        equal({e['name']: e['desc'] for e in json.loads(done.stdout)['events'] if e['name'].startswith('foo/')},
              {'foo/good/': 'event=0x1', 'foo/also/': 'event=0x1'})
        equal(ntime('doctor', '--root', 'tree').returncode, 1)
        # Of another architecture, on whose kernel nothing is open to users; and hwloc is not made to wait for a pipe.
        put(f'{folder}/tree/proc/cpuinfo', 'processor\t: 0\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU part\t: 0xd0c\n')
        put(f'{folder}/tree/proc/sys/kernel/perf_event_paranoid', '4\n')
        listed = json.loads(ntime('list', '--all', '--json', '--root', 'tree').stdout)['events']
        equal([e['name'] for e in listed if '::' in e['name'] and not e['name'].startswith('arm')], [])
        equal(next(e['reason_code'] for e in listed if e['name'] == 'tsc'), 'not-supported')
        equal(ntime('stat', '--dry-run', '--root', 'tree', 'true').returncode, 0)
        os.mkfifo(f'{folder}/tree/sys/devices/system/cpu/possible')
        has(ntime('doctor', '--root', 'tree').stdout.decode(), 'no regular file')
        done = ntime('list', '--root', 'tree/none')
        equal((done.returncode, err(done)), (125, 'ntime: there is no directory tree/none\n'))


@test
def recorded_machines_count_nothing():
    with Directory():
        equal(ntime('doctor', '--record', 'machine').returncode, 0)
        has(err(ntime('--machine', 'machine', '--dry-run', '-e', 'page-faults', 'true')), 'SIMULATED: this is a recorded machine')
        refused = 'ntime: a recorded machine counts nothing: it can be asked by list, doctor, reg and --dry-run\n'
        for args in (('sh', '-c', 'touch ran'), ('-a', '--timeout', '10ms'), ('-r', '2', 'touch', 'ran'), ('--delay', '1s', '-o', 'machine', 'touch', 'ran'),
                     ('--delay', '5ms', '-a', '--timeout', '1ms'), ('--delay', '1ms', '-I', '1ms', 'touch', 'ran'), ('--passes', 'touch', 'ran')):
            done = ntime('--machine', 'machine', '-e', 'page-faults', *args)
            equal((done.returncode, done.stdout, err(done)), (125, b'', refused), args)
        done = ntime('watch', '--machine', 'machine', '-n', '1', 'page-faults')
        equal((done.returncode, done.stdout, err(done)), (125, b'', refused))
        done = ntime('--root', '/', 'touch', 'ran')
        equal((done.returncode, err(done).split('\n')[0]), (125, 'ntime: --root is for --dry-run: what is counted is this machine'))
        equal(ntime('--root', '/', '--dry-run', 'touch', 'ran').returncode, 0)
        equal(os.listdir(), ['machine'])


@test
def bash_completes():
    for line, offer, other in (
            ('ntime --ev', '--event', '--json'),
            ('ntime -', '--version', 'list'),
            ('ntime stat -', '-r', '--version'),
            ('ntime list --', '--methods', '--event'),
            ('ntime doctor --', '--record', '--event'),
            ('ntime li', 'list', 'stat'),
            ('ntime help ', 'doctor', '--help'),
            ('ntime help reg ', 'hammer', 'doctor'),
            ('ntime help driver ', 'unload', 'doctor'),
            ('ntime help doctor ', '', 'doctor'),
            ('ntime tr', 'trace', 'stat'),
            ('ntime wa', 'watch', 'stat'),
            ('ntime watch --', '--append', '--repeat'),
            ('ntime watch thr', 'throttling', 'page-faults'),
            ('ntime watch -i 1s page', 'page-faults', 'throttling'),
            ('ntime watch --per ', 'socket', 'page-faults'),
            ('ntime -e page', 'page-faults', 'IPC'),
            ('ntime -e page-faults,task', 'page-faults,task-clock', 'task-clock'),
            ('ntime -e {page-faults,task', '{page-faults,task-clock', 'task-clock'),
            ('ntime --event=page', 'page-faults', 'IPC'),
            ('ntime -m I', 'IPC', 'page-faults'),
            ('ntime list page', 'page-faults', 'IPC'),
            ('ntime -r 3 --j', '--json', '--event'),
            ('ntime -a --via ', 'msr', 'page-faults'),
            ('ntime -p ', str(os.getpid()), 'self'),
            ('ntime -o report --cs', '--csv', '--event')):
        offers = completed(line)
        has(offers, offer)
        has_not(offers, other)
    with Directory():
        with open('report.json', 'w', encoding='ascii'):
            pass
        has(completed('ntime -o rep'), 'report.json')
        has(completed('ntime --output=rep'), 'report.json')


# ---- machines that are not here ----

@test
def marks_of_values():
    at = ('--machine', server(), '-e', 'cycles,page-faults')
    bent = 'overflowed=1 partial=2'
    report = items(summary(*at, 'true', bent=bent))
    equal(report['cycles']['flags'], ['overflowed', 'simulated'])
    equal(report['page-faults']['flags'], ['simulated', 'partial'])
    text = err(ntime(*at, 'true', bent=bent))
    has(text, f"≥{report['cycles']['count']:,}")
    has(text, 'SIMULATED')
    has(err(ntime(*at, 'true', bent='idle')), '<not counted>')


@test
def scaling():
    at = ('--machine', server(), '-e', MANY, 'sleep', '1')
    report = summary(*at, exe=SIM)
    equal(report['passes'], 2)
    for item in report['items']:
        equal(item['flags'], ['scaled', 'simulated'], item)
        equal(abs(item['value'] * item['counted_ns'] / item['wanted_ns'] - item['count']) < 1, True, item)
    text = err(ntime(*at, exe=SIM))
    equal(len(re.findall(r'~[0-9,]+  cpu/event=0x8[0-7]/ +\[[45][0-9.]+% counted, ±', text)), 8, text)
    for item in summary('--no-scale', *at, exe=SIM)['items']:
        equal((item['flags'], item['value'], item['error']), (['simulated', 'unscaled'], item['count'], 0))
    has(err(ntime('--no-scale', *at, exe=SIM)), '% counted, not scaled]')
    # an event with a factor: 64 bytes in MiB
    boxes = ','.join(f'uncore_imc_0/event=0x{code}/' for code in range(1, 8))
    read = summary('--no-scale', '-a', '--machine', server(), '-e', f'{boxes},uncore_imc_0/cas_count_read/', 'sleep', '1', exe=SIM)
    item = items(read)['uncore_imc_0/cas_count_read/']
    equal(('unscaled' in item['flags'], item['count'] > 0, item['value']), (True, True, item['count'] / 16384), read)


@test
def one_run_per_pass():
    many = 'cycles,instructions,branches,branch-misses,cache-misses,cache-references,L1-dcache-loads,dTLB-loads,LLC-loads'
    with Directory():
        report = summary('--machine', server(), '--passes', '-r', '2', '-e', many, '-m', 'x[u]=branches/LLC-loads', 'sh', '-c', 'echo x >>runs', exe=SIM)
        with open('runs', encoding='ascii') as f:
            equal(len(f.readlines()), 2 * report['passes'], 'runs')
    equal((report['runs'], report['passes'] > 1, report['by_pass']), (2, True, True))
    for name in many.split(','):
        equal((items(report)[name]['flags'], items(report)[name]['pass'] < report['passes']), (['simulated'], True), name)
    # a metric over events of different passes
    of = items(report)
    equal((of['branches']['pass'] == of['LLC-loads']['pass'], of['x']['value']), (False, of['branches']['value'] / of['LLC-loads']['value']))


@test
def metrics_stand_beside_their_events():
    at = ('--machine', server())
    text = err(ntime(*at, '-e', 'instructions,cycles,IPC', 'true', exe=SIM))
    if not re.search(r'[0-9],500,000 +instructions +# IPC 1\.500 insn/cycle', text):
        raise AssertionError(text)
    # Also one that nobody asked for, where its events are there anyway.
    has(err(ntime(*at, '-e', 'instructions,cycles', 'true', exe=SIM)), '# IPC 1.500 insn/cycle')
    has_not(err(ntime(*at, '-e', 'instructions', 'true', exe=SIM)), 'IPC')
    text = err(ntime(*at, '-m', 'x[u]=tsc/page-faults', '-e', 'tsc,page-faults', 'true', exe=SIM))
    if not re.search(r'^ +1,250,000 u +x$', text, re.M):
        raise AssertionError(text)


@test
def several_processes_are_summed():
    victims = [subprocess.Popen(['sleep', '1000']) for _ in range(3)]
    try:
        one, three = ({'pids': pids, **json.loads(ntime('--machine', server(), '--json', '-p', pids, '-e', 'page-faults,tsc,context-switches', '-m',
                                                        'x[u]=page-faults/context-switches', '--timeout', '10ms', exe=SIM).stderr)}
                      for pids in (str(victims[0].pid), ','.join(str(v.pid) for v in victims)))
    finally:
        for v in victims:
            v.kill()
            v.wait()
    # Of each process as much as it counts alone; clocks are of the same moments, which are as many steps.
    for report, n in ((one, 1), (three, 3)):
        item = items(report)
        counted_s = item['page-faults']['wanted_ns'] / 1e9
        equal((item['page-faults']['value'], -n < item['context-switches']['value'] - 150 * counted_s <= 0), (2000 * counted_s, True), item)
        # time passes once
        equal(counted_s * 2.5e9 / item['tsc']['value'] > n - 1, True, item)
        equal(item['x']['value'], item['page-faults']['value'] / item['context-switches']['value'])
        equal('command' in report, False)
        for pid in report['pids'].split(','):
            has(report['target'], pid)


@test
def counting_that_fails_leaves_the_command_alone():
    with Directory():
        # The first read is before the command, the second an interval's, or that of the end where the machine stood still until then.
        done = ntime('--machine', GUEST, '-I', '20ms', '-o', 'report', 'sh', '-c', 'sleep 1; touch ran', bent='stale=2')
        equal(done.returncode, 125)
        has(err(done), 'CPU 3 went off line')
        equal(os.listdir(), ['ran'])


@test
def many_units_of_a_kind_are_told_in_short():
    machine = recording('intel-skx-2s.json')
    text = ' '.join(ntime('doctor', '--machine', machine).stdout.decode().split())
    has(text, 'uncore_cha_0..27, ')
    has(text, 'uncore_imc_0..5, ')
    has(text, 'uncore_pcu, ')
    has_not(text, 'uncore_cha_1,')


EMULATED = "emulated machine: arm64 (counts are QEMU's, not silicon)"


def in_guest(*args, guest='arm64'):
    return ntime(*args, env=environment(NTIME_LAB_GUEST=guest))


@test
def emulated_machine_is_marked():
    count = ('-e', 'page-faults')
    for args in (count, (*count, '-q'), (*count, '-r', '2'), (*count, '--dry-run')):
        equal(err(in_guest(*args, 'true')).count(EMULATED), 1, args)
    has(err(in_guest(*count, '-I', '20ms', 'sleep', '0.1')).split('#    time_s')[0], EMULATED)
    with Directory():
        equal(err(in_guest(*count, '-o', 'report', 'true')), '')
        with open('report', encoding='ascii') as f:
            has(f.read(), EMULATED)
    for command in ('list', 'doctor'):
        has(in_guest(command).stdout.decode(), EMULATED)
        equal(json.loads(in_guest(command, '--json').stdout)['emulated'], 'arm64')
        has_not(ntime(command).stdout.decode(), 'emulated machine')
    equal(json.loads(err(in_guest('--json', *count, 'true')))['emulated'], 'arm64')
    lines = err(in_guest('--json', *count, '-I', '20ms', 'sleep', '0.1')).splitlines()
    equal({json.loads(line)['emulated'] for line in lines}, {'arm64'})
    for args in (('true',), ('-I', '20ms', 'sleep', '0.1'), ('-r', '2', 'true')):
        rows = list(csv.DictReader(io.StringIO(err(in_guest('--csv', *count, *args)))))
        equal([row for row in rows if row['flags'].split()[-1:] != ['emulated']], [], args)
        has([row['name'] for row in rows], 'page-faults')


@test
def no_machine_is_emulated_by_itself():
    for env in (environment(), environment(NTIME_LAB_GUEST='')):
        equal(json.loads(err(ntime('--json', '-e', 'page-faults', 'true', env=env)))['emulated'], None)
        has_not(err(ntime('--csv', '-e', 'page-faults', 'true', env=env)), 'emulated')
        has_not(err(ntime('-e', 'page-faults', 'true', env=env)), 'emulated')


@test
def odd_name_of_an_emulated_machine():
    for guest, shown in (('a"b,c\n\x1b[1m', 'a_b_c___1m'), ('é', '__'), ('x86-2s_6.12', 'x86-2s_6.12'), ('x' * 999, 'x' * 40)):
        equal(json.loads(err(in_guest('--json', '-e', 'page-faults', 'true', guest=guest)))['emulated'], shown)
        has(err(in_guest('-e', 'page-faults', 'true', guest=guest)), f'emulated machine: {shown} (')


@test
def library_can_be_heard():
    has(err(ntime('-vv', 'true')), 'ntime: plan: ')
    has_not(err(ntime('-v', 'true')), 'ntime: plan: ')


if __name__ == '__main__':
    sys.exit(t.main())
