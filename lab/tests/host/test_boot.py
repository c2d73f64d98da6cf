#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The lab's runner with real guests: what is passed on, what is noticed, what is left behind. Speaks TAP."""
import contextlib
import fcntl
import hashlib
import json
import os
import pty
import random
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, ROOT)
from lab import build, cache, options  # noqa: E402
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../../base/tests'))
from tap import Skip, equal, holds, main, test    # noqa: E402

RUNNER = os.path.join(ROOT, 'lab/ntime-lab')
# It boots fastest.
GUEST = 'arm64'
# No result depends on it: a machine may be slow.
PATIENCE = 300


def start(*words, **more):
    """A runner with a temporary directory of its own."""
    where = tempfile.mkdtemp(prefix='lab-test-')
    process = subprocess.Popen([RUNNER, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=where,
                               env=dict(os.environ, TMPDIR=where), **{'stdin': subprocess.DEVNULL, **more})
    return process, where


def finish(process, where, given=None):
    """(status, stdout, stderr); the runner must have left nothing in its directory."""
    out, err = process.communicate(given, timeout=PATIENCE)
    left = os.listdir(where)
    equal([name for name in left if name.startswith('ntime-lab-')], [])
    for name in left:
        os.unlink(os.path.join(where, name))
    os.rmdir(where)
    if process.returncode == options.EXIT_UNAVAILABLE:
        raise Skip(err.decode().strip().split('\n')[-1])
    return process.returncode, out, err.decode('utf-8', 'replace')


def lab(*words, given=None):
    """Run to the end."""
    process, where = start(*words, stdin=subprocess.PIPE if given is not None else subprocess.DEVNULL)
    return finish(process, where, given)


def ended_early(process, where, what):
    """The runner ended before it did what the test waits for: without a guest here that is a skip."""
    status, _, err = finish(process, where)
    raise AssertionError(f'{what}; the runner ended with {status}: {err}')


def qemu_of(process, where):
    """The process id of the runner's QEMU, once it runs the command."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and process.poll() is None:
        with contextlib.suppress(OSError), open(f'/proc/{process.pid}/task/{process.pid}/children', encoding='ascii') as f:
            children = [int(pid) for pid in f.read().split()]
            for pid in children:
                with open(f'/proc/{pid}/cmdline', 'rb') as line:
                    if where.encode() in line.read():
                        return pid
        time.sleep(0.05)
    ended_early(process, where, 'it started no QEMU')


def wait_for_line(process, where, text):
    """Read stdout until this line came."""
    for line in process.stdout:
        if line.decode().strip() == text:
            return
    ended_early(process, where, f'no line {text!r} came')


@test
def exit_status_output_and_files_are_passed_on():
    process, where = start('run', GUEST, '--', 'sh', './script', 'a b', '$HOME')
    with open(os.path.join(where, 'script'), 'w', encoding='utf-8') as f:
        f.write('echo "out $1 $2 $# $PWD $NTIME_LAB_GUEST $(id -u)"; echo "err" >&2; cat < /dev/stdin | wc -c; exit 42\n')
    status, out, err = finish(process, where)
    equal((status, out.decode()), (42, f'out a b $HOME 2 /lab {GUEST} 0\n0\n'))
    lines = err.strip().split('\n')
    equal(lines[-1], 'err')
    holds(err, f'emulated machine: {GUEST}, ')
    holds(err, "counts are QEMU's, not silicon")


@test
def a_megabyte_of_any_bytes_is_unharmed():
    """Made in the guest from a seed, by a program that is carried in; the sum is made there and here."""
    script = ('head -c 1048576 /dev/urandom > /tmp/x; i=0; while [ $i -lt 256 ]; do printf "\\\\$(printf %03o $i)"; i=$((i + 1)); '
              'done >> /tmp/x; cat /tmp/x; md5sum < /tmp/x >&2')
    status, out, err = lab('run', GUEST, '--', 'sh', '-c', script)
    equal((status, len(out)), (0, 1048576 + 256))
    equal(out[-256:], bytes(range(256)))
    equal(hashlib.md5(out).hexdigest(), err.strip().split('\n')[-1].split()[0])


@test
def input_reaches_an_ordinary_user():
    data = random.Random(5).randbytes(200001)
    status, out, err = lab('run', GUEST, '--user', '--stdin', '--', 'sh', '-c', 'md5sum; id -u; echo x > /etc/x || exit 9', given=data)
    equal(out.decode().split(), [hashlib.md5(data).hexdigest(), '-', '1000'])
    equal(status, 9)
    holds(err, '/etc/x: Permission denied')


@test
def a_signal_is_128_and_its_number():
    status, out, _ = lab('run', GUEST, '--', 'sh', '-c', 'echo before; kill -9 $$')
    equal((status, out), (137, b'before\n'))


@test
def a_missing_command_is_127():
    status, _, err = lab('run', GUEST, '--', 'no-such-command')
    equal(status, 127)
    holds(err, 'no-such-command: No such file or directory')


@test
def a_hung_guest_is_killed_and_its_console_shown():
    # The limit is one of booting, too, which takes a busy host long.
    status, out, err = lab('run', GUEST, '--timeout', '60', '--', 'sh', '-c',
                           'echo "<1>hello from the console" > /dev/kmsg; echo on; sleep 1000')
    equal((status, out), (125, b'on\n'))
    holds(err, 'did not end within 60 s (--timeout); arm64 was killed')
    holds(err, 'hello from the console')
    holds(err, 'CPU 0 was at ')


@test
def a_panic_is_told():
    status, _, err = lab('run', GUEST, '--', 'sh', '-c', 'echo c > /proc/sysrq-trigger')
    equal(status, 125)
    holds(err, 'the kernel of arm64 panicked: sysrq triggered crash')


@test
def what_the_kernel_reports_fails_the_run():
    """A real report, of its out-of-memory killer on request, although the command itself ends well."""
    status, _, err = lab('run', GUEST, '--', 'sh', '-c', 'sleep 1000 & echo f > /proc/sysrq-trigger; sleep 1; exit 0')
    equal(status, 125)
    holds(err, 'the kernel of arm64 reported: memory')
    holds(err, 'invoked oom-killer')


@test
def a_qemu_that_dies_is_told():
    process, where = start('run', GUEST, '--', 'sh', '-c', 'echo up; sleep 1000')
    wait_for_line(process, where, 'up')
    os.kill(qemu_of(process, where), signal.SIGKILL)
    status, _, err = finish(process, where)
    equal(status, 125)
    holds(err, 'QEMU was ended by SIGKILL')


@test
def pci_models_that_die_are_told():
    # The guest ends when it is told to, so that it is there while they die.
    process, where = start('run', 'x86-pci', '--stdin', '--', 'sh', '-c', 'echo up; read line; exit 0', stdin=subprocess.PIPE)
    wait_for_line(process, where, 'up')
    with open(f'/proc/{process.pid}/task/{process.pid}/children', encoding='ascii') as f:
        children = f.read().split()
    for pid in children:
        if os.path.basename(os.readlink(f'/proc/{pid}/exe')) == 'ntime-pci-model':
            os.kill(int(pid), signal.SIGKILL)
    status, _, err = finish(process, where, b'end\n')
    equal(status, 125)
    holds(err, 'x86-pci: its PCI models ended')


@test
def signals_leave_nothing_behind():
    for number in (signal.SIGINT, signal.SIGTERM):
        process, where = start('run', GUEST, '--', 'sh', '-c', 'echo up; sleep 1000')
        wait_for_line(process, where, 'up')
        qemu = qemu_of(process, where)
        process.send_signal(number)
        status, _, _ = finish(process, where)
        equal(status, -number)
        assert not os.path.exists(f'/proc/{qemu}'), 'QEMU still runs'


@test
def qemu_does_not_outlive_a_killed_runner():
    process, where = start('run', GUEST, '--', 'sh', '-c', 'echo up; sleep 1000')
    wait_for_line(process, where, 'up')
    qemu = qemu_of(process, where)
    process.kill()
    process.communicate()
    deadline = time.monotonic() + PATIENCE
    while os.path.exists(f'/proc/{qemu}') and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not os.path.exists(f'/proc/{qemu}'), 'QEMU still runs'
    subprocess.run(['rm', '-rf', where], check=True)


@test
def parallel_runs_do_not_disturb_each_other():
    runs = [start('run', guest, '--', 'sh', '-c', f'echo {n} > /tmp/n; sleep 1; cat /tmp/n; exit {n}')
            for n, guest in enumerate(('arm64', 'x86', 'arm64'), 1)]
    ends = [finish(*run) for run in runs]
    equal([(status, out) for status, out, _ in ends], [(n, b'%d\n' % n) for n in (1, 2, 3)])


SILENT = """
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
int main(void)
{
	struct sockaddr_un a = { AF_UNIX, "/run/host" };

	if (connect(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&a, sizeof(a)) < 0)
		return 1;
	write(1, "connected\\n", 10);
	for (;;)
		pause();
}
"""


@test
def a_silent_client_of_the_host_stops_nothing():
    """Who connects and says nothing, or asks without words, must not stop init, which passes the output on and waits for the command."""
    script = '/lab/host; echo "status $?"; ./silent & sleep 1; seq 1 20000 | tail -n 1; exit 21'
    try:
        compiler = build.compiler('arm64') + 'gcc'
    except cache.Unavailable as e:
        raise Skip(str(e)) from None
    with tempfile.TemporaryDirectory() as where:
        program = os.path.join(where, 'silent')
        subprocess.run([compiler, '-static', '-w', '-x', 'c', '-o', program, '-'], input=SILENT.encode(), check=True)
        status, out, err = lab('run', GUEST, '--timeout', str(PATIENCE - 60), '--file', program, '--', 'sh', '-c', script)
    equal((status, out), (21, b'status 125\nconnected\n20000\n'))
    holds(err, 'host: name what is asked of the host')


@test
def a_shell_takes_a_script():
    status, out, _ = lab('shell', GUEST, given=b'x=5\necho "x is $x"\nfalse || exit $((x + 1))\necho never\n')
    equal((status, out), (6, b'x is 5\n'))


@test
def a_shell_on_a_terminal_has_its_size():
    near, far = pty.openpty()
    fcntl.ioctl(far, termios.TIOCSWINSZ, struct.pack('HHHH', 33, 101, 0, 0))
    where = tempfile.mkdtemp(prefix='lab-test-')
    process = subprocess.Popen([RUNNER, 'shell', GUEST], stdin=far, stdout=far, stderr=far, start_new_session=True,
                               env=dict(os.environ, TMPDIR=where, TERM='vt100'), preexec_fn=lambda: fcntl.ioctl(far, termios.TIOCSCTTY, 0))
    seen, deadline = b'', time.monotonic() + PATIENCE

    def until(pattern):
        nonlocal seen
        while not re.search(pattern, seen):
            if process.poll() == options.EXIT_UNAVAILABLE:
                os.rmdir(where)
                raise Skip(seen.decode().strip().split('\n')[-1])
            assert time.monotonic() < deadline and process.poll() is None, seen
            if select.select([near], [], [], 1)[0]:
                seen += os.read(near, 65536)
    until(rb'# (\x1b\[6n)?$')
    os.write(near, b'stty size; echo $TERM\r')
    until(rb'\n33 101\r\nvt100\r\n')
    fcntl.ioctl(far, termios.TIOCSWINSZ, struct.pack('HHHH', 40, 120, 0, 0))
    process.send_signal(signal.SIGWINCH)
    until(rb'# (\x1b\[6n)?$')
    # The new size comes another way than what is typed.
    os.write(near, b'until stty size | grep -q 120; do sleep 0.1; done; stty size; exit 7\r')
    until(rb'\n40 120\r\n')
    equal(process.wait(PATIENCE), 7)
    equal(os.listdir(where), [])
    os.rmdir(where)


@test
def what_was_run_is_listed_as_prepared():
    lab('run', GUEST, '--', 'true')
    status, out, _ = lab('list', '--json')
    guests = {g['name']: g for g in json.loads(out)['guests']}
    equal((status, guests[GUEST]['prepared']), (0, True))
    equal(set(guests[GUEST]), {'name', 'about', 'emulates', 'exact', 'not', 'arch', 'kernel', 'qemu', 'prepared', 'lacks'})


@test
def boot_is_measured():
    status, _, err = lab('run', GUEST, '-v', '--', 'true')
    equal(status, 0)
    match = re.search(r'prepared in ([\d.]+) s, booted in ([\d.]+) s, command ([\d.]+) s', err)
    assert match, err
    print(f'# {match.group(0)}')


@test
def nothing_cached_and_no_network_is_77():
    with tempfile.TemporaryDirectory() as where:
        done = subprocess.run([RUNNER, 'run', GUEST, '--', 'true'], stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding='utf-8',
                              env=dict(os.environ, XDG_CACHE_HOME=where, http_proxy='http://127.0.0.1:9', https_proxy='http://127.0.0.1:9'),
                              stdin=subprocess.DEVNULL, timeout=PATIENCE, check=False)
        if done.returncode == 0:
            raise Skip('the mirrors are reached without a proxy setting')
        equal((done.returncode, done.stdout), (77, ''))
        holds(done.stderr.strip().split('\n')[-1], 'cannot be fetched')


if __name__ == '__main__':
    sys.exit(main())
