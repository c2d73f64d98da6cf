# SPDX-License-Identifier: MIT
"""What tests of ntime export share: its text taken apart, and a server for as long as a block."""
import http.client
import os
import re
import subprocess

import command as t
from command import NTIME, PATIENCE, environment, equal, err, ntime

LINE = re.compile(r'([a-z_0-9]+)(\{.*\})? ([0-9.e+-]+)$')
SOFT = ('-e', 'page-faults,context-switches')


def out(done):
    return done.stdout.decode()


def export(*args, status=0, **more):
    done = ntime('export', *args, **more)
    equal(done.returncode, status, f'exit status of export {args}: {err(done)}')
    return done


def series(text):
    """{'name{labels}': value}"""
    lines = [LINE.match(line) for line in text.splitlines() if not line.startswith('#')]
    equal(None in lines, False, text)
    return {name + (labels or ''): float(value) for name, labels, value in (line.groups() for line in lines)}


class Server:
    """with Server(args) as server: it serves at server.url, or what is returned says why not."""

    def __init__(self, *args, listen='127.0.0.1:0', exe=NTIME):
        self.args = [exe, 'export', '--listen', listen, *args]

    def __enter__(self):
        # How much memory it has is looked at: under AddressSanitizer what is freed is kept otherwise, up to 256 MB of it.
        env = environment(ASAN_OPTIONS=f'{os.environ.get("ASAN_OPTIONS", "")}:quarantine_size_mb=0:thread_local_quarantine_size_kb=0')
        self.child = subprocess.Popen(self.args, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding='utf-8')
        t.GROUPS.append(self.child.pid)
        self.said = []
        for line in self.child.stderr:
            self.said.append(line)
            if 'serving at ' in line:
                self.url = line.split()[-1]
                return self
        raise AssertionError(f'exit status {self.child.wait(PATIENCE)}: {self.said}')

    def __exit__(self, *what):
        self.child.kill()
        self.child.communicate()

    @property
    def port(self):
        return int(self.url.rpartition(':')[2].partition('/')[0])

    def get(self, path='/metrics', method='GET', **headers):
        """(status, headers, body)"""
        connection = http.client.HTTPConnection('127.0.0.1', self.port, timeout=PATIENCE)
        connection.request(method, path, headers={name.replace('_', '-'): value for name, value in headers.items()})
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer.status, answer.headers, body

    def pids(self):
        with open(f'/proc/{self.child.pid}/task/{self.child.pid}/children', encoding='ascii') as f:
            return [self.child.pid, *(int(pid) for pid in f.read().split())]
