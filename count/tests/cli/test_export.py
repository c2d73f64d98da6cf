#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ntime export: names, labels, sums, text as its readers take it, files. Speaks TAP.

Usage: test_export.py NTIME [-k WORD]
Values come from this machine's software events, and from recorded machines on which the command's own tests count.
"""
import contextlib
import gzip
import os
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../../base/tests'))
import fetched    # noqa: E402
import command as t    # noqa: E402
from command import NTIME, PATIENCE, ROOT, SIM, environment, equal, err, has, has_not    # noqa: E402
from exported import SOFT, Server, export, out, series    # noqa: E402
test = t.test
SERVER = os.path.join(ROOT, 'count/tests/machine/intel-skx-2s.json')


HYBRID = os.path.join(ROOT, 'count/tests/machine/hybrid-adl.json')
# Twice as many as there are counters.
MANY = [f'cpu/event={event:#x},umask={mask}/' for event in (0xc2, 0xa2, 0x0d, 0x5e) for mask in (1, 2)]


def on_server(*args, **more):
    return export('-q', '--machine', SERVER, *args, exe=SIM, **more)


def parsers():
    """Of python3-prometheus-client, Debian's."""
    sys.path.append('/usr/lib/python3/dist-packages')
    try:
        import prometheus_client.openmetrics.parser
        import prometheus_client.parser
    except ImportError as error:
        raise t.Skip('python3-prometheus-client is not installed') from error
    return prometheus_client.parser


def promtool(text):
    try:
        tool = fetched.program('prometheus', '/usr/bin/promtool')
    except fetched.Absent as why:
        raise t.Skip(str(why)) from why
    done = subprocess.run([tool, 'check', 'metrics'], input=text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding='utf-8', timeout=PATIENCE, check=False)
    equal((done.returncode, done.stdout), (0, ''), text)


NAMES = {
    'cycles': ('ntime_cpu_cycles_total', 112), 'task-clock': ('ntime_cpu_task_clock_seconds_total', 112),
    'page-faults:u': ('ntime_cpu_page_faults_u_total', 112), 'cpu/event=0xc0/': ('ntime_cpu_event_0xc0_total', 112),
    'uncore_imc/cas_count_read/': ('ntime_uncore_imc_cas_count_read_bytes_total', 2),
    'uncore_imc_0/cas_count_write/': ('ntime_uncore_imc_cas_count_write_bytes_total', 2),
    'power/energy-pkg/': ('ntime_power_energy_pkg_joules_total', 2), 'thermal/headroom/': ('ntime_thermal_headroom_celsius', 56),
    'skx_unc_imc::UNC_M_CLOCKTICKS': ('ntime_uncore_imc_unc_m_clockticks_total', 2), 'tsc': ('ntime_clock_tsc_total', 1),
}
HERE = {'proc/running/': 'ntime_proc_running', 'proc/available/': 'ntime_proc_available_bytes', 'proc/user/': 'ntime_proc_user_seconds_total'}


@test
def names_have_base_units():
    text = out(on_server('--check', '-e', ','.join(NAMES)))
    rows = {name: (family, int(n)) for n, family, name in re.findall(r'^ *(\d+)  (\S+): (\S+)$', text, re.M)}
    equal(rows, NAMES, text)
    has(text, 'series in an answer of ')
    # Cores of two kinds.
    text = out(export('-q', '--check', '-e', 'cycles,cpu_core/event=0xc0/', '--machine', HYBRID, exe=SIM))
    equal(re.findall(r'^ *(\d+)  ntime_(\S+): ', text, re.M), [('16', 'cpu_core_event_0xc0_total'), ('24', 'cpu_cycles_total')])
    text = out(export('-q', '--check', '-e', ','.join(HERE)))
    equal({name: family for family, name in re.findall(r'^ *\d+  (\S+): (\S+)$', text, re.M)}, HERE)


@test
def labels_go_as_far_as_the_count():
    events = 'cycles,uncore_imc/cas_count_read/,uncore_imc_0/cas_count_write/,power/energy-pkg/'
    wide = series(out(on_server('--once', '-i', '100ms', '-e', events)))
    for name in ('ntime_cpu_cycles_total{cpu="0",core="0",package="0",node="0"}', 'ntime_uncore_imc_cas_count_read_bytes_total{package="1"}',
                 'ntime_uncore_imc_cas_count_write_bytes_total{package="0",unit="uncore_imc_0"}', 'ntime_power_energy_pkg_joules_total{package="0"}'):
        has(wide, name)
    for per, names in (('socket', {'ntime_cpu_cycles_total{package="0"}', 'ntime_cpu_cycles_total{package="1"}'}), ('none', {'ntime_cpu_cycles_total'})):
        got = series(out(on_server('--once', '-i', '100ms', '--per', per, '-e', 'cycles')))
        equal({name for name in got if name.startswith('ntime_cpu_cycles')}, names)
    cores = series(out(on_server('--once', '-i', '100ms', '--per', 'core', '-e', 'cycles')))
    equal(sum(name.startswith('ntime_cpu_cycles_total{core=') for name in cores), 56)


@test
def metrics_are_exported_as_their_events():
    got = series(out(on_server('--once', '-i', '100ms', '--per', 'none', 'IPC', 'memory')))
    for name in ('ntime_cpu_cycles_total', 'ntime_cpu_instructions_total', 'ntime_uncore_imc_cas_count_read_bytes_total', 'ntime_uncore_imc_cas_count_write_bytes_total'):
        equal(got[name] > 0, True, name)
    equal([name for name in got if 'ipc' in name or 'bandwidth' in name], [])


@test
def metrics_that_are_named_are_gauges():
    got = series(out(on_server('--once', '-i', '100ms', '--per', 'socket', '-m', 'IPC', '-m', 'memory-read-bandwidth', 'CPU-use', 'page-faults')))
    equal({name: value for name, value in got.items() if 'metric' in name},
          {f'ntime_metric_{what}{{package="{package}"}}': value for package in '01' for what, value in (('ipc', 1.5), ('memory_read_bandwidth_bytes_per_second', 14336e6))})
    has(err(on_server('--once', '-m', 'IPC', '-m', 'IPC-=cycles/2', status=125)), 'IPC and IPC- would both be exported as ntime_metric_ipc')
    text = out(on_server('--once', '-i', '100ms', '-m', 'core-c6-share', '-m', 'IPC=cycles/2', '-C', '0,56'))
    has(text, '# HELP ntime_metric_ipc IPC=cycles/2\n')
    equal([name for name in series(text) if name.startswith('ntime_metric_core')], ['ntime_metric_core_c6_share_ratio{core="0",package="0",node="0"}'])
    has(err(on_server('--once', '-m', 'cycles', status=125)), '-m takes a metric, and cycles is an event')
    text = out(on_server('--once', '-e', 'page-faults', '-e', 'proc/frequency/', '-m', 'thermal-headroom', 'busy-frequency', 'proc/frequency/'))
    equal(text.count('ntime_absent_info{item="proc/frequency/"'), 1, text)


@test
def what_is_of_a_time_is_of_that_since_the_answer_before():
    with Server('--per', 'none', '-m', 'new-faults=page-faults*1') as server:
        before, now = [series(server.get()[2].decode()) for _ in range(2)]
        equal(now['ntime_metric_new_faults'], now['ntime_cpu_page_faults_total'] - before['ntime_cpu_page_faults_total'])
    # Events that take turns: what is not counted in one period is not of the next.
    turns = [word for event in range(0x40, 0x68) for word in ('-e', f'cpu/event={event:#x}/')]
    files = Textfile('-i', '1ms', '-C', '0', '--machine', SERVER, '--per', 'none', '-m', 'b=branches/real_ns*1e9', *turns, exe=SIM)
    with files:
        rates = [text['ntime_metric_b'] for text in files.texts(12) if 'ntime_metric_b' in text]
    equal(bool(rates) and max(rates) < 1.9 * min(rates), True, rates)


@test
def what_the_kernel_takes_back_is_lost_and_no_more():
    if os.geteuid() or not shutil.which('unshare'):
        raise t.Skip('needs root and unshare(1), for a name space of mounts')
    with tempfile.NamedTemporaryFile('w+') as stat_file:
        def put(ticks):
            stat_file.seek(0)
            stat_file.write(f'cpu 9 9 9 9 {ticks:6} 9 9 9 0 0\ncpu0 9 9 9 9 {ticks:6} 9 9 9 0 0\n')
            stat_file.flush()
        put(1000)
        server = Server('-C', '0', '-e', 'proc/iowait/')
        server.args = ['unshare', '--mount', 'sh', '-c', f'mount --bind {stat_file.name} /proc/stat && exec "$@"', 'sh', *server.args]
        with server:
            seconds = []
            for ticks in (1500, 1400, 1600):
                put(ticks)
                got = series(server.get()[2].decode())
                seconds.append(next(value for name, value in got.items() if name.startswith('ntime_proc_iowait_seconds_total')))
        equal(seconds, [5, 5, 7])


@test
def readers_take_the_text():
    text = out(on_server('--once', '-i', '100ms', '-e', ','.join(NAMES)))
    families = {family.name: family for family in parsers().text_string_to_metric_families(text)}
    equal((families['ntime_cpu_task_clock_seconds'].type, families['ntime_thermal_headroom_celsius'].type), ('counter', 'gauge'))
    # "m" is an abbreviation to promtool, and a word of Intel's.
    for one in (out(export('-q', '--once', '-i', '100ms')), text.replace('_unc_m_', '_unc_')):
        promtool(one)
        has_not(one, 'nan')


@test
def what_is_absent_says_why():
    got = series(out(export('-q', '--once', '-i', '100ms', '-e', 'proc/user/')))
    has(got, 'ntime_flag_info{item="proc/user/",flag="proc"}')
    got = series(out(on_server('--once', '-i', '100ms', '-e', 'page-faults,proc/frequency/')))
    has(got, 'ntime_absent_info{item="proc/frequency/",reason="no-hardware",remedy_kind="none"}')
    has(got, 'ntime_flag_info{item="page-faults",flag="simulated"}')
    equal([name for name in got if name.startswith('ntime_proc_frequency')], [])
    has(err(export('--once', '-e', 'proc/frequency/', '--machine', SERVER, exe=SIM, status=125)), 'none of the requested events can be counted here')


@test
def two_of_one_name_are_refused():
    for events, both in (('cycles,cpu/cycles/', 'cycles and cpu/cycles/'), ('uncore_imc/cas_count_read/,uncore_imc_1/cas_count_read/', 'uncore_imc/cas_count_read/ and')):
        has(err(on_server('--once', '-e', events, status=125)), f'{both}')
    # What only a metric needs gives way.
    got = series(out(on_server('--once', '-i', '100ms', '-e', 'uncore_imc_0/cas_count_read/', 'memory-read-bandwidth')))
    equal(sum(name.startswith('ntime_uncore_imc_cas_count_read_bytes_total{') for name in got), 2)
    # Two units of a kind are two series.
    got = series(out(on_server('--once', '-i', '100ms', '-e', 'uncore_imc_0/cas_count_read/,uncore_imc_1/cas_count_read/')))
    equal(sum(name.startswith('ntime_uncore_imc_cas_count_read_bytes_total{') for name in got), 4)


@test
def more_series_than_agreed_are_refused():
    has(err(on_server('--once', '--max-series', '223', '-e', 'cycles', status=125)), '224 series, with those that say when each began, may be more than the 223 of --max-series, 224 of them ntime_cpu_cycles')
    on_server('--once', '-i', '100ms', '--max-series', '224', '-e', 'cycles')
    has(err(on_server('--once', '--max-series', '5000', '--bounds', '-e', ','.join(MANY), status=125)), '5376 series, with')


class Textfile:
    """with Textfile(args) as (child, path): the exporter runs, and has written its file once."""

    def __init__(self, *args, exe=NTIME):
        self.folder = tempfile.TemporaryDirectory()
        self.path = f'{self.folder.name}/ntime.prom'
        self.args = [exe, 'export', '-q', '--textfile', self.path, '-i', '100ms', *args]

    def __enter__(self):
        self.child = subprocess.Popen(self.args, env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        deadline = time.monotonic() + PATIENCE
        while not os.path.exists(self.path) and self.child.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
        equal(os.path.exists(self.path), True)
        return self.child, self.path

    def __exit__(self, *what):
        self.child.kill()
        self.child.communicate()
        self.folder.cleanup()

    def read(self):
        with open(self.path, encoding='utf-8') as f:
            return series(f.read())

    def texts(self, n):
        """The next n that differ."""
        found, deadline = [self.read()], time.monotonic() + PATIENCE
        while len(found) < n and time.monotonic() < deadline:
            now = self.read()
            if now['ntime_scrapes_total'] != found[-1]['ntime_scrapes_total']:
                found.append(now)
            time.sleep(0.01)
        equal(len(found), n)
        return found


def falls(texts):
    """What fell, or went, from a text to the next."""
    return [(name, before[name], now.get(name)) for before, now in zip(texts, texts[1:]) for name in before
            if name.split('{')[0].endswith('_total') and not now.get(name, -1) >= before[name]]


@test
def a_file_is_written_again_and_again():
    files = Textfile(*SOFT)
    with files as (child, path):
        os.umask(0o077)
        texts = files.texts(5)
        os.umask(0o022)
        equal(falls(texts), [])
        equal(stat.S_IMODE(os.stat(path).st_mode), 0o644)
        equal(os.listdir(files.folder.name), ['ntime.prom'])
        child.send_signal(signal.SIGHUP)
        files.texts(2)
        child.send_signal(signal.SIGTERM)
        equal((child.wait(PATIENCE), os.listdir(files.folder.name)), (0, []))
    with tempfile.TemporaryDirectory() as folder:
        export('-q', '--once', '-i', '100ms', '--textfile', f'{folder}/once.prom', *SOFT)
        equal(os.listdir(folder), ['once.prom'])


@test
def estimates_do_not_fall():
    files = Textfile('--machine', SERVER, '--per', 'socket', '--bounds', '-e', ','.join(MANY), exe=SIM)
    with files:
        texts = files.texts(12)
    equal(falls(texts), [])
    for name, value in texts[-1].items():
        if '_umask_' in name and 'er_total' not in name:
            lower, upper = (texts[-1][name.replace('_total', f'_{end}_total')] for end in ('lower', 'upper'))
            equal(0 < lower < value < upper, True, (name, lower, value, upper))
    equal(all(f'ntime_flag_info{{item="{event}",flag="scaled"}}' in texts[-1] for event in MANY), True)
    # Of what is missing nobody knows how much it was.
    for bent in ('overflowed=1', 'lost=1', 'partial=1'):
        ends = series(out(on_server('--once', '-i', '100ms', '--bounds', '--per', 'none', '-e', ','.join(MANY), bent=bent)))
        equal([sum(name.endswith(f'_{end}_total') for name in ends) for end in ('lower', 'upper')], [8, 7], bent)
    for event in MANY:
        counted, wanted = (texts[-1][f'ntime_{what}_seconds_total{{item="{event}"}}'] for what in ('counted', 'wanted'))
        equal(0 < counted < wanted, True, event)


def status_of(pid, key):
    with open(f'/proc/{pid}/status', encoding='ascii') as f:
        return next(line.split()[1] for line in f if line.startswith(f'{key}:'))


@test
def answers_are_of_their_moment():
    with Server(*SOFT) as server:
        texts = [series(server.get()[2].decode()) for _ in range(5)]
        equal(falls(texts), [])
        equal([text['ntime_scrapes_total'] for text in texts], [1, 2, 3, 4, 5])
        server.child.send_signal(signal.SIGTERM)
        equal(server.child.wait(PATIENCE), 0)


@test
def forms_are_those_that_are_asked_for():
    parsers()
    from prometheus_client.openmetrics import parser
    with Server('-e', ','.join(NAMES), '--machine', SERVER, exe=SIM) as server:
        plain, opened = server.get(), server.get(Accept='application/openmetrics-text;version=1.0.0,text/plain;q=0.5')
        equal([answer[1]['Content-Type'] for answer in (plain, opened)],
              ['text/plain; version=0.0.4; charset=utf-8', 'application/openmetrics-text; version=1.0.0; charset=utf-8'])
        families = {family.name: family for family in parser.text_string_to_metric_families(opened[2].decode())}
        equal((families['ntime_cpu_task_clock_seconds'].unit, families['ntime_thermal_headroom_celsius'].type, families['ntime_flag'].type), ('seconds', 'gauge', 'info'))
        for accept, is_open in (({'Accept': 'text/plain', 'ACCEPT': 'application/openmetrics-text'}, True), ({'Accept': 'Application/OpenMetrics-Text;q=0.1'}, True),
                                ({'Accept': 'application/openmetrics-text; version=1.0.0; Q=0.0, text/plain'}, False),
                                ({'Accept': 'application/openmetrics-text;seq=0'}, True), ({'Accept': 'text/plain, xapplication/openmetrics-text'}, False)):
            equal('openmetrics' in server.get(**accept)[1]['Content-Type'], is_open, accept)
        zipped = server.get(Accept_Encoding='deflate, gzip')
        equal(zipped[1]['Content-Encoding'], 'gzip')
        equal(set(series(gzip.decompress(zipped[2]).decode())), set(series(plain[2].decode())))
        head = server.get(method='HEAD')
        equal((head[0], head[2], int(head[1]['Content-Length']) > 4096), (200, b'', True))
        equal([(server.get(path)[0], server.get(path, 'POST')[0]) for path in ('/', '/metrics')], [(404, 405), (200, 405)])


@test
def who_serves_has_no_rights():
    with Server(*SOFT) as server:
        server.get()
        collector, serves = server.pids()
        equal(int(status_of(serves, 'CapPrm'), 16), 0)
        equal(status_of(serves, 'NoNewPrivs'), '1')
        if os.getuid() == 0:
            equal(status_of(serves, 'Uid'), '65534')
        files = {pid: [os.readlink(f'/proc/{pid}/fd/{fd}') for fd in os.listdir(f'/proc/{pid}/fd')] for pid in (collector, serves)}
        equal([name for name in files[serves] if 'perf_event' in name], [])
        equal([any(what in name for name in files[collector]) for what in ('perf_event', 'socket:')], [True, False], files[collector])
        # Two pipes, the text, what it polls, a socket: nothing of whoever started it.
        equal([name for name in files[serves] if not re.match('pipe:|/memfd:|anon_inode:|socket:|/dev/null', name)], [], files[serves])
        os.kill(serves, signal.SIGKILL)
        equal(server.child.wait(PATIENCE), 125)


@test
def sockets_of_the_file_system():
    with tempfile.TemporaryDirectory() as folder:
        path = f'{folder}/export.sock'
        for _ in range(2):
            # The first one is killed, and its socket is left there for the second.
            with Server(*SOFT, listen=f'unix:{path}') as server:
                with socket.socket(socket.AF_UNIX) as client:
                    client.connect(path)
                    client.sendall(b'GET /metrics HTTP/1.0\r\n\r\n')
                    has(b''.join(iter(lambda: client.recv(65536), b'')).decode(), 'ntime_cpu_page_faults_total')
                has(err(export('--listen', f'unix:{path}', *SOFT, status=125)), 'something listens there already')
        with Server(*SOFT, listen=f'unix:{path}') as server:
            server.child.send_signal(signal.SIGTERM)
            equal((server.child.wait(PATIENCE), os.listdir(folder)), (0, []))
        with socket.socket(socket.AF_UNIX) as busy, socket.socket(socket.AF_UNIX) as client:
            busy.bind(path)
            busy.listen(0)
            client.connect(path)
            has(err(export('--listen', f'unix:{path}', *SOFT, status=125)), 'something listens there already')
        with open(f'{folder}/precious', 'w', encoding='ascii') as f:
            f.write('precious')
        has(err(export('--listen', f'unix:{folder}/precious', *SOFT, status=125)), 'File exists')
        with open(f'{folder}/precious', encoding='ascii') as f:
            equal(f.read(), 'precious')


@test
def only_a_file_of_its_own_is_written():
    with tempfile.TemporaryDirectory() as folder:
        os.mkfifo(f'{folder}/pipe')
        os.symlink('target', f'{folder}/link')
        os.mkdir(f'{folder}/folder')
        for name in ('pipe', 'link', 'folder'):
            has(err(export('-q', '--textfile', f'{folder}/{name}', *SOFT, status=125)), 'makes a regular file')
        has(err(export('-q', '--once', '--textfile', '/dev/null', *SOFT, status=125)), 'makes a regular file')
        equal(sorted(os.listdir(folder)), ['folder', 'link', 'pipe'])


@test
def nobody_keeps_others_from_answers():
    with Server(*SOFT) as server:
        before = [int(status_of(pid, 'VmRSS')) for pid in server.pids()]
        hostile = [socket.create_connection(('127.0.0.1', server.port)) for _ in range(300)]
        for i, client in enumerate(hostile):
            try:
                client.sendall((b'', b'GET /metr', b'GET /metrics HTTP/1.1\r\n', b'GET /metrics HTTP/1.1\r\nX: ' + b'x' * 200000)[i % 4])
            except OSError:    # it was one too many
                pass
            if i % 60 == 0:
                equal(server.get()[0], 200)
        equal(server.get()[0], 200)
        after = [int(status_of(pid, 'VmRSS')) for pid in server.pids()]
        equal([b - a < 2048 for a, b in zip(before, after)], [True, True], f'kB: {before}, then {after}')
        for client in hostile:
            client.close()
        equal(server.get()[0], 200)


class Groups:
    """with Groups() as make: make("a/b") is a control group in each hierarchy that takes it; all go at the end."""
    ROOTS = [root for root in ('/sys/fs/cgroup', *(f'/sys/fs/cgroup/{name}' for name in ('unified', 'cpu', 'cpuacct', 'memory'))) if os.path.exists(f'{root}/cgroup.procs')]

    def __enter__(self):
        if os.getuid() or not self.ROOTS:
            raise t.Skip('control groups are made by root, where they are mounted')
        return self.make

    def make(self, name, pid=None):
        for root in self.ROOTS:
            path = f'{root}/ntime-test/{name}'.rstrip('/')
            try:
                os.makedirs(path, exist_ok=True)
            except OSError as error:
                raise t.Skip(f'no control group can be made here: {error}') from error
            if pid:
                with open(f'{path}/cgroup.procs', 'w', encoding='ascii') as f:
                    f.write(str(pid))
        return self

    def __exit__(self, *what):
        for root in self.ROOTS:
            for path, _, _ in os.walk(f'{root}/ntime-test', topdown=False):
                with contextlib.suppress(OSError):
                    os.rmdir(path)


ID = '0123456789abcdef' * 4
UID = '01234567-89ab-cdef-0123-456789abcdef'


@test
def control_groups_have_their_use():
    with Groups() as make:
        work = subprocess.Popen(['sh', '-c', 'read go; i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; read end'], stdin=subprocess.PIPE)
        try:
            make('busy.slice/a.service', work.pid)
            make(f'kubepods.slice/kubepods-pod{UID.replace("-", "_")}.slice/cri-containerd-{ID}.scope')
            with Server('--cgroups', '/ntime-test', '--depth', '3', *SOFT) as server:
                before = series(server.get()[2].decode())
                with open(f'/proc/{work.pid}/stat', encoding='ascii') as f:
                    equal(f.read().split()[2], 'S')
                work.stdin.write(b'go\n')
                work.stdin.flush()
                name = 'ntime_cgroup_cpu_seconds_total{cgroup="/ntime-test/busy.slice/a.service",unit="a.service"}'
                deadline = time.monotonic() + PATIENCE
                while True:
                    after = series(server.get()[2].decode())
                    with open(f'/proc/{work.pid}/stat', encoding='ascii') as f:
                        ticks = f.read().split()
                    if (ticks[2] == 'S' and after[name] > before[name]) or time.monotonic() > deadline:
                        break
                    time.sleep(0.05)
                used = after[name] - before[name]
                equal(abs(used - (int(ticks[13]) + int(ticks[14])) / 100) < 0.05, True, f'{used} s, {ticks[13:15]} ticks')
                # What is below a group is in it.
                equal(after['ntime_cgroup_cpu_seconds_total{cgroup="/ntime-test"}'] >= after[name], True)
                has(after, f'ntime_cgroup_cpu_seconds_total{{cgroup="/ntime-test/kubepods.slice/kubepods-pod{UID.replace("-", "_")}.slice/cri-containerd-{ID}.scope",'
                    f'unit="cri-containerd-{ID}.scope",pod_uid="{UID}",container_id="{ID}"}}')
                promtool(server.get()[2].decode())
                equal(falls([before, after]), [])
                make(b'odd\xff'.decode(errors='surrogateescape'))
                make('odd\ufffdff')
                odd = [name for name in series(server.get()[2].decode()) if name.startswith('ntime_cgroup_cpu_seconds_total{cgroup="/ntime-test/odd')]
                equal(len(odd), 2, odd)
                make('late')
                has(series(server.get()[2].decode()), 'ntime_cgroup_cpu_seconds_total{cgroup="/ntime-test/late"}')
                for root in Groups.ROOTS:
                    os.rmdir(f'{root}/ntime-test/late')
                equal(['ntime_cgroup_cpu_seconds_total{cgroup="/ntime-test/late"}' in series(server.get()[2].decode()) for _ in range(2)], [True, False])
        finally:
            work.communicate(b'end\n')


@test
def too_many_control_groups():
    with Groups() as make:
        for i in range(30):
            make(f'g{i}')
        has(err(export('--once', '--cgroups', 'ntime-test', '--max-series', '100', *SOFT, status=125)), '31 control groups are more than the')
        with Server('--cgroups', 'ntime-test/g*', '--depth', '0', '--max-series', '504', '--per', 'none', *SOFT) as server:
            for i in range(30, 40):
                make(f'g{i}')
            got = series(server.get()[2].decode())
        shown = [name for name in got if name.startswith('ntime_cgroup_cpu_seconds_total')]
        equal((len(shown), got['ntime_dropped_cgroups_total']), (34, 7), shown[-3:])
        has(got, 'ntime_cgroup_cpu_seconds_total{cgroup="(others)"}')


@test
def rules_are_the_formulas():
    text = out(export('--rules', '--machine', SERVER, exe=SIM))
    has(text, '- record: ntime:ipc\n    expr: ((sum without (cpu, core, l3, package, node, unit) (rate(ntime_cpu_instructions_total[5m]))) / '
        '(sum without (cpu, core, l3, package, node, unit) (rate(ntime_cpu_cycles_total[5m])))) * 1')
    # Of what is absent there is no rule, as its name is not known.
    has(text, '# CPU-use has events that this machine does not know')
    has(text, '(sum without (item) (ntime_places{item="msr/aperf/"}) * 1e9)')
    got = series(out(on_server('--once', '-i', '100ms', '--per', 'socket', '-e', 'cycles,power/energy-pkg/')))
    equal([got[f'ntime_places{{item="{item}"}}'] for item in ('cycles', 'power/energy-pkg/')], [112, 2])
    here = out(export('--rules'))
    has(here, '(rate(ntime_proc_user_seconds_total[5m])) / 1e-09)')
    has_not(text + here, 'real_ns')
    with tempfile.NamedTemporaryFile('w') as f:
        f.write('\n'.join(f'metric {name}\nunit x\nformula {event} / instructions\nabout A test.\nsource none\n'
                          for name, event in (('a-b', 'cycles'), ('a_b', 'cycles'), ('bad-one', 'no-such-event'), ('bad_one', 'cycles'))))
        f.flush()
        own = out(export('--rules', '--metrics', f.name, '--machine', SERVER, exe=SIM))
    has(own, '# a_b would be ntime:a_b_x as well.')
    has(own, '- record: ntime:bad_one_x\n')
    with tempfile.NamedTemporaryFile('w', suffix='.yml') as f:
        for rules in (own, here):
            f.seek(0)
            f.truncate()
            f.write(rules)
            f.flush()
            promtool_says = subprocess.run([fetched.program('prometheus', '/usr/bin/promtool'), 'check', 'rules', f.name], stdout=subprocess.PIPE,
                                           stderr=subprocess.STDOUT, encoding='utf-8', timeout=PATIENCE, check=False)
            equal(promtool_says.returncode, 0, promtool_says.stdout)
            equal(rules.count('- record: ') > 15, True, rules)


@test
def the_unit_gives_few_rights():
    unit = f'{ROOT}/packaging/ntime-export.service.in'
    if not shutil.which('systemd-analyze'):
        raise t.Skip('systemd is not installed')
    with tempfile.TemporaryDirectory() as folder:
        with open(unit, encoding='utf-8') as f, open(f'{folder}/ntime-export.service', 'w', encoding='utf-8') as to:
            to.write(f.read().replace('@BIN@', '/usr/bin'))
        done = subprocess.run(['systemd-analyze', 'security', '--offline=true', '--threshold=50', f'{folder}/ntime-export.service'], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, encoding='utf-8', timeout=PATIENCE, check=False)
        equal(done.returncode, 0, done.stdout[-500:])


BAD = (
    (('--once', '--check'), '--check exports nothing'), (('--listen', 'localhost:9743'), 'takes an address and a port in numbers'), (('--listen', '9743'), 'in numbers'),
    (('--listen', '[::1:9743'), 'in numbers'), (('--listen', '192.0.2.1:0', *SOFT), 'this machine has no such address'), (('--listen', 'unix:/nowhere/x', *SOFT), 'No such file'),
    (('--listen', '127.0.0.1:65536', *SOFT), 'in numbers'), (('--rules', '-C', '0'), '--rules prints rules'), (('--listen', '127.0.0.1:0', '--once'), 'serves until it is stopped'), (('-i', '1s'), '-i is for --once and --textfile'), (('--rules', '--once'), '--rules prints rules'),
    (('--depth', '2'), 'add --cgroups LIST'), (('--once', '--cgroups', '/', '--depth', 'x'), 'is not a number of levels'),
    (('--once', '--cgroups', 'no/such/group', *SOFT), 'is no control group here'), (('--textfile', '-'), 'standard output is --once'),
    (('--once', '-e', ''), 'is missing'), (('--once', '--max-series', '0'), 'is not a number of series'), (('--rules', '-m', 'IPC'), '--rules prints rules'), (('--once', '-m', ''), 'is missing'), (('--once', '-i', '1us'), 'at least 1ms'),
    (('--once', '-q', '-v'), 'cannot be combined'), (('--once', '-e', 'no-such-event'), 'no-such-event'), (('--once', '--per', 'frame'), 'frame'),
    (('--textfile', '/nowhere/at/all/x.prom', *SOFT), 'cannot write to /nowhere/at/all/x.prom'), (('--textfile', '/proc/x.prom', *SOFT), 'cannot write to /proc/x.prom'),
)


@test
def wrong_command_lines():
    for args, why in BAD:
        has(err(export(*args, status=125)), why)


@test
def a_full_disk_is_an_error():
    with open('/dev/full', 'wb') as full:
        has(err(export('-q', '--once', '-i', '100ms', *SOFT, stdout=full, status=125)), 'No space left on device')


if __name__ == '__main__':
    sys.exit(t.main())
