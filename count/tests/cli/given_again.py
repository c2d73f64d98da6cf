#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A process or thread that ntime is attached to ends, and its number is given to a stranger, who runs on and on.

Usage: unshare --pid --fork --mount-proc given_again.py NTIME WHEN WHAT, WHEN "counted" (counters are open) or "before" (ntime has looked at
it, and its counters are not opened yet; needs strace(1)), WHAT -p or -t. Prints the exit status of ntime, then what it wrote to stderr.
"""
import os
import signal
import subprocess
import sys
import tempfile
import time

TRIES = 1000
PATIENCE = int(os.environ.get('PATIENCE', '120'))
# Prints the number of a thread that ends with a line of stdin; the process runs on until the next one.
THREAD = '''
import os, sys, threading
def work():
    print(threading.get_native_id(), flush=True)
    sys.stdin.readline()
thread = threading.Thread(target=work)
thread.start()
thread.join()
print(flush=True)
sys.stdin.readline()
'''
# Touches memory of its own for some time, and stays.
STRANGER = ['sh', '-c', 'dd if=/dev/zero of=/dev/null bs=8M count=4 2>/dev/null; exec sleep 1000']


class Victim:
    """What ends when it is told so, and whose number is free then."""

    def __init__(self, is_thread):
        self.is_thread = is_thread
        self.process = subprocess.Popen([sys.executable, '-c', THREAD] if is_thread else ['cat'], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.number = int(self.process.stdout.readline()) if is_thread else self.process.pid

    def end(self):
        if self.is_thread:
            self.process.stdin.write(b'\n')
            self.process.stdin.flush()
            self.process.stdout.readline()
        else:
            self.process.stdin.close()
            self.process.wait()
        while os.path.exists(f'/proc/{self.number}'):
            time.sleep(0.01)


def give_again(number):
    """The number to a stranger, who works and then waits."""
    for _ in range(TRIES):
        with open('/proc/sys/kernel/ns_last_pid', 'w', encoding='ascii') as f:
            f.write(str(number - 1))
        stranger = subprocess.Popen(STRANGER)
        if stranger.pid == number:
            return stranger
        stranger.kill()
        stranger.wait()
    sys.exit(f'{number} is not given again')


def until_stopped(log, strace):
    """The process that strace has stopped: its only child."""
    while strace.poll() is None:
        with open(log, encoding='utf-8') as f:
            if 'stopped by SIGSTOP' in f.read():
                with open(f'/proc/{strace.pid}/task/{strace.pid}/children', encoding='ascii') as children:
                    return int(children.read())
        time.sleep(0.01)
    sys.exit(f'strace ended with {strace.returncode}: {strace.stderr.read().decode()}')


def main():
    ntime, when, what = sys.argv[1:4]
    victim = Victim(what == '-t')
    command = [ntime, what, str(victim.number), '-e', 'page-faults,task-clock', '-I', '20ms', '--csv']
    log = tempfile.NamedTemporaryFile()
    if when == 'before':
        # Stopped once it has a descriptor of it; strace lets the signal through.
        look = ['pidfd_open'] if what == '-p' else ['openat', '-P', f'/proc/{victim.number}']
        command = ['strace', '-qq', '-o', log.name, '-e', f'inject={look[0]}:signal=STOP:when=1', '-e', f'trace={look[0]}', *look[1:], *command]
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
    head = b''
    if when == 'before':
        stopped = until_stopped(log.name, child)
    else:
        head = child.stderr.readline() + child.stderr.readline()
    victim.end()
    stranger = give_again(victim.number)
    if when == 'before':
        os.kill(stopped, signal.SIGCONT)
    try:
        text = child.communicate(timeout=PATIENCE)[1]
        print(child.returncode)
        print((head + text).decode())
    except subprocess.TimeoutExpired:
        print('waits for the stranger')
    stranger.kill()


if __name__ == '__main__':
    main()
