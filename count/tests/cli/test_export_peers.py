#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ntime export beside those who collect from it: Prometheus with its rules and a dashboard's queries, VictoriaMetrics, node_exporter. Speaks TAP.

Usage: test_export_peers.py NTIME [-k WORD]
Their packages are fetched and unpacked, not installed: each would start a service. All of them listen on the loopback alone.
"""
import contextlib
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../../base/tests'))
import fetched    # noqa: E402
import command as t    # noqa: E402
from command import NTIME, PATIENCE, ROOT, environment, equal    # noqa: E402
from exported import SOFT, Server, series    # noqa: E402
test = t.test
SECONDS = 30


def free_port():
    with socket.socket() as s:
        s.bind(('127.0.0.1', 0))
        return s.getsockname()[1]


def get(url):
    with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
        return answer.read().decode()


@contextlib.contextmanager
def peer(package, path, ready, *args):
    """The package's program until the block ends; it runs when the address @ready answers."""
    try:
        program = fetched.program(package, path)
    except fetched.Absent as why:
        raise t.Skip(str(why)) from why
    with tempfile.TemporaryFile() as said:
        child = subprocess.Popen([program, *args], env=environment(), stdin=subprocess.DEVNULL, stdout=said, stderr=said)
        deadline = time.monotonic() + PATIENCE
        try:
            while True:
                try:
                    get(ready)
                    break
                except (urllib.error.URLError, OSError):
                    if child.poll() is not None or time.monotonic() > deadline:
                        said.seek(0)
                        raise AssertionError(f'{package} does not run: {said.read()[-500:]}') from None
                    time.sleep(0.1)
            yield child
        finally:
            child.kill()
            child.wait()


def ask(base, query):
    """[(labels, number)] of an instant query."""
    answer = json.loads(get(f'{base}/api/v1/query?{urllib.parse.urlencode({"query": query})}'))
    equal(answer['status'], 'success', query)
    return [(row['metric'], float(row['value'][1])) for row in answer['data']['result']]


def until(base, query, is_it):
    deadline = time.monotonic() + PATIENCE
    while True:
        found = ask(base, query)
        if is_it(found):
            return found
        if time.monotonic() > deadline:
            raise AssertionError(f'{query}: {found[:5]}')
        time.sleep(0.2)


def configuration(folder, port, rules=''):
    text = f'global: {{scrape_interval: 1s{", evaluation_interval: 1s" if rules else ""}}}\n'
    if rules:
        with open(f'{folder}/rules.yml', 'w', encoding='utf-8') as f:
            f.write(rules.replace('[5m]', '[10s]'))
        text += f'rule_files: [{folder}/rules.yml]\n'
    text += f'scrape_configs:\n- job_name: ntime\n  static_configs:\n  - targets: ["127.0.0.1:{port}"]\n'
    with open(f'{folder}/p.yml', 'w', encoding='utf-8') as f:
        f.write(text)
    return f'{folder}/p.yml'


def near(value, right, part):
    return abs(value - right) <= part * right


@test
def prometheus_sees_what_was_counted():
    port, web = free_port(), free_port()
    base = f'http://127.0.0.1:{web}'
    rules = subprocess.run([NTIME, 'export', '--rules'], stdout=subprocess.PIPE, encoding='utf-8', check=True).stdout
    with tempfile.TemporaryDirectory() as folder, peer(
            'prometheus', '/usr/bin/prometheus', f'{base}/-/ready', f'--config.file={configuration(folder, port, rules)}', f'--storage.tsdb.path={folder}/data',
            f'--web.listen-address=127.0.0.1:{web}'):
        args = ('load', 'task-clock', 'page-faults', 'context-switches')
        for restarts in (0, 1):
            with Server(*args, listen=f'127.0.0.1:{port}') as server:
                until(base, 'resets(ntime_cpu_task_clock_seconds_total[1h])', lambda found: [number for _, number in found] == [restarts] * os.cpu_count())
                until(base, f'sum_over_time(up[{SECONDS}s])', lambda found: found and found[0][1] >= SECONDS - 2)
                equal(ask(base, 'up')[0][1], 1)
                lines = [line for line in server.get(Accept='application/openmetrics-text')[2].decode().splitlines() if not line.startswith('#')]
                equal(ask(base, 'scrape_samples_scraped')[0][1], len(lines))
                # Prometheus gives the time at which it asked; on a busy machine an answer at an end of the window may be late.
                until(base, f'rate(ntime_cpu_task_clock_seconds_total[{SECONDS - 10}s])',
                      lambda found: len(found) == os.cpu_count() and all(near(rate, 1, 0.01) for _, rate in found))
                # An hour begins before all that was counted; what did not happen at all before the restart has nothing to begin anew.
                names = json.loads(get(f'{base}/api/v1/label/__name__/values'))['data']
                for name in names:
                    if name.startswith('ntime_') and name.endswith('_total'):
                        equal({number for _, number in ask(base, f'resets({name}[1h])')} <= {0, restarts}, True, name)
                equal([number for _, number in ask(base, 'resets(ntime_cpu_task_clock_seconds_total[1h])')], [restarts] * os.cpu_count())
                server.child.send_signal(signal.SIGTERM)
                server.child.wait(PATIENCE)
        with Server(*args, listen=f'127.0.0.1:{port}'):
            use = until(base, 'ntime:cpu_use_ratio', bool)[0][1]
            equal(0 < use <= 1.01, True, str(use))
            equal(ask(base, 'count(ALERTS)'), [])
            with open(f'{ROOT}/count/docs/fleet-dashboard.json', encoding='utf-8') as f:
                board = json.load(f)
            equal({'title', 'uid', 'schemaVersion', 'panels', 'templating'} <= set(board), True)
            shown = 0
            for panel in board['panels']:
                equal({'id', 'type', 'title', 'gridPos', 'datasource', 'targets', 'fieldConfig'} <= set(panel), True, panel['title'])
                for target in panel['targets']:
                    shown += bool(ask(base, target['expr'].replace('$machine', '.*').replace('$__rate_interval', '10s')))
            # What needs counters of hardware is not there on every machine.
            equal(shown >= 4, True, str(shown))


@test
def victoria_metrics_sees_the_same():
    web = free_port()
    base = f'http://127.0.0.1:{web}'
    with Server('task-clock', 'page-faults') as server, tempfile.TemporaryDirectory() as folder, peer(
            'victoria-metrics', '/usr/bin/victoria-metrics', f'{base}/health', f'-httpListenAddr=127.0.0.1:{web}', f'-storageDataPath={folder}/data',
            f'-promscrape.config={configuration(folder, server.port)}', '-search.latencyOffset=0s'):
        found = until(base, 'rate(ntime_cpu_task_clock_seconds_total[10s])', lambda found: len(found) == os.cpu_count() and all(near(n, 1, 0.01) for _, n in found))
        equal(len(found), os.cpu_count())


@test
def node_exporter_never_sees_half_a_file():
    web = free_port()
    url = f'http://127.0.0.1:{web}/metrics'
    rng = random.Random(7)
    with tempfile.TemporaryDirectory() as folder, peer(
            'prometheus-node-exporter', '/usr/bin/prometheus-node-exporter', url, f'--collector.textfile.directory={folder}', '--collector.disable-defaults',
            '--collector.textfile', f'--web.listen-address=127.0.0.1:{web}'):
        seen = 0
        for _ in range(200):
            child = subprocess.Popen([NTIME, 'export', '-q', '--textfile', f'{folder}/ntime.prom', '-i', '100ms', '--no-self-test', *SOFT], env=environment(), stdin=subprocess.DEVNULL)
            time.sleep(rng.uniform(0.02, 0.25))
            child.kill()
            child.wait()
            got = series(get(url))
            equal(got['node_textfile_scrape_error'], 0)
            seen += any(name.startswith('ntime_cpu_page_faults_total') for name in got)
            with contextlib.suppress(FileNotFoundError):
                with open(f'{folder}/ntime.prom', encoding='utf-8') as f:
                    equal('ntime_series' in series(f.read()), True)
        equal(seen > 100, True, str(seen))
        # What is killed between two of its steps may leave one other name for a whole file.
        equal(len(os.listdir(folder)) < 10, True, os.listdir(folder))


if __name__ == '__main__':
    sys.exit(t.main())
