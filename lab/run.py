# SPDX-License-Identifier: MIT
"""Boot a guest, run one command in it, and pass on what it says."""
import contextlib
import ctypes
import json
import math
import os
import re
import selectors
import shutil
import signal
import socket
import subprocess
import tempfile
import time

from . import bootimage, frames, kernel, log, machine, payload, prepare, qemu, terminal
from . import dtb as dtbs
from . import proxies as proxy_devices

# For a guest that has ended to switch itself off, and for QEMU to answer: no result depends on it, a host may be busy.
END_SECONDS = 60
ANSWER_SECONDS = 120
CONSOLE_KEPT = 1 << 20
CONSOLE_SHOWN = 40
INPUT_BYTES = 1024
PR_SET_PDEATHSIG = 1
END_KEY = b'\x1d'
PANIC = re.compile(r'Kernel panic - not syncing: *(.*)')


class RunError(Exception):
    """The run failed, not the command; console: whether the guest's console tells more."""

    def __init__(self, sentence, console=True, lines=()):
        super().__init__(sentence)
        self.console, self.lines = console, lines


class Interrupted(Exception):
    """A signal asks the runner to end."""

    def __init__(self, number):
        super().__init__(signal.Signals(number).name)
        self.number = number


def _die_with_parent():
    """QEMU must not outlive a runner that was killed."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class Monitor:
    """QEMU's monitor protocol (QMP): commands with answers, while events may come between."""

    def __init__(self, sock):
        self.sock, self.buffer, self.ready = sock, b'', False
        sock.settimeout(ANSWER_SECONDS)

    def _line(self):
        while b'\n' not in self.buffer:
            data = self.sock.recv(65536)
            if not data:
                raise RunError('QEMU closed its monitor')
            self.buffer += data
        line, self.buffer = self.buffer.split(b'\n', 1)
        return json.loads(line)

    def _await(self, key):
        while key not in (message := self._line()):
            if 'error' in message:
                raise RunError(f'QEMU refuses: {message["error"].get("desc")}')
        return message[key]

    def execute(self, command, **arguments):
        """Run one command; returns its answer. Raises RunError with QEMU's own sentence."""
        try:
            if not self.ready:
                self._await('QMP')
                self.sock.sendall(b'{"execute": "qmp_capabilities"}\n')
                self._await('return')
                self.ready = True
            self.sock.sendall(json.dumps({'execute': command, 'arguments': arguments}).encode() + b'\n')
            return self._await('return')
        except socket.timeout:
            raise RunError(f'QEMU did not answer {command} within {ANSWER_SECONDS} s') from None
        except OSError as e:
            raise RunError(f'QEMU cannot be asked for {command}: {e.strerror}') from None


class Run:
    """One run of a guest; a context manager that leaves no process and no file behind."""

    def __init__(self, guest, command, **settings):
        self.guest, self.command, self.settings = guest, command, settings
        self.folder, self.process, self.ends, self.others = None, None, {}, []
        self.console, self.kernel_log, self.status = bytearray(), bytearray(), None
        self.reader, self.writer = frames.Reader(), frames.Writer()
        self.selector = selectors.DefaultSelector()
        self.started = self.booted = self.ended = None
        self.input, self.input_free, self.input_ended = bytearray(), True, False
        self.out = settings.get('out', _write_fd)
        self.proxies, self.monitor, self.image, self.used = None, None, None, []
        self.input_fd, self.woken = None, os.pipe()

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix='ntime-lab-')
        return self

    def __exit__(self, *_):
        self._kill()
        if self.proxies:
            with contextlib.suppress(proxy_devices.ProxyError):
                self.proxies.finish()
        for sock in [*self.ends.values(), *self.others]:
            sock.close()
        self.selector.close()
        for fd in self.woken:
            os.close(fd)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _kill(self):
        if self.process:
            self.process.kill()
            self.process.wait()

    # --- start ---------------------------------------------------------------------------------------------------------

    def start(self):
        """Make the initramfs and start QEMU."""
        guest, settings = self.guest, self.settings
        prepare.check(guest)
        image = kernel.kernel(guest.arch, guest.kernel)
        binary = qemu.qemu(guest.arch, guest.qemu)
        self.image = bootimage.fastest(image, guest.arch)
        self.used = [image.image, self.image, binary]
        initrd = os.path.join(self.folder, 'initrd')
        payload.write_initrd(guest, image, self.command, settings, initrd)
        dtb = dtbs.made(guest, binary, image, self.folder)
        far = {}
        for name in ('console', 'port', 'monitor'):
            self.ends[name], far[name] = socket.socketpair()
        self.others = list(far.values())
        self.proxies = proxy_devices.Proxies(guest, self.folder)
        words = machine.command_line(guest, binary, self.image, initrd, {n: s.fileno() for n, s in far.items()}, dtb,
                                     settings.get('append', ''), [*self.proxies.words(), *settings.get('more', [])])
        if settings.get('show'):
            settings['show'](words)
        self.started = time.monotonic()
        passed = [s.fileno() for s in far.values()] + self.proxies.fds()
        with open(os.path.join(self.folder, 'qemu'), 'wb') as complaints:
            self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=complaints, stderr=subprocess.STDOUT,
                                            pass_fds=passed, start_new_session=True, preexec_fn=_die_with_parent)
        self.proxies.started()
        for sock in self.others:
            sock.close()
        self.others = []
        self.monitor = Monitor(self.ends['monitor'])
        for name in ('console', 'port'):
            self.ends[name].setblocking(False)
            self.selector.register(self.ends[name], selectors.EVENT_READ, name)
        self.selector.register(self.woken[0], selectors.EVENT_READ, 'wake')
        if settings.get('stdin') is not None:
            self._watch_input(settings['stdin'])

    def _watch_input(self, fd):
        self.input_fd = fd
        try:
            self.selector.register(fd, selectors.EVENT_READ, 'input')
        except PermissionError:
            # A regular file is always ready, and epoll does not take it.
            with os.fdopen(os.dup(fd), 'rb') as f:
                self.input += f.read()
            self.input_ended = True

    # --- watch ---------------------------------------------------------------------------------------------------------

    def watch(self):
        """Pass on what comes until the guest has said the exit status. Raises RunError.

        What a guest read of PCI models that died is worth nothing, however it ended.
        """
        try:
            self._watch()
            self._end_models()
        except (RunError, frames.Damaged):
            self._models(self.proxies.check)
            raise

    def _watch(self):
        while self.status is None:
            left = self._time_left()
            if left <= 0:
                raise RunError(self._too_late())
            for key, _ in self.selector.select(min(left, 3600)):
                self._take(key.data)
                if self.status is not None:
                    break
            self._feed()
        self.ended = time.monotonic()
        if not self.reader.is_between():
            raise RunError('bytes came after the last frame of the guest')

    def _end_models(self):
        """End them in order: they complain of a QEMU that goes in the middle of an access."""
        if self.guest.proxy:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(END_SECONDS)
            self._kill()
            self._models(self.proxies.finish)

    def _models(self, action):
        try:
            action()
        except proxy_devices.ProxyError as e:
            raise RunError(str(e), console=False) from None

    def _time_left(self):
        limits = [self.settings['timeout'], None if self.booted else self.settings.get('boot_timeout', self.guest.boot_timeout)]
        return min((limit for limit in limits if limit), default=math.inf) - (time.monotonic() - self.started)

    def _too_late(self):
        if not self.booted:
            return f'{self.guest.name} did not start the command within {time.monotonic() - self.started:.0f} s; it was killed'
        return f'the command did not end within {self.settings["timeout"]:g} s (--timeout); {self.guest.name} was killed'

    def _take(self, name):
        if name == 'input':
            self._take_input()
            return
        if name == 'wake':
            os.read(self.woken[0], 4096)
            # Before the guest listens, its terminal has the size that stands in the job.
            if self.booted:
                self._send('w', terminal.size().encode())
            return
        try:
            data = self.ends[name].recv(65536)
        except BlockingIOError:
            return
        except ConnectionResetError:
            data = b''
        if name == 'console':
            self._take_console(data)
        elif data:
            for kind, content in self.reader.feed(data):
                self._take_frame(kind, content)
        if not data:
            self.selector.unregister(self.ends[name])
            if name == 'port':
                self._qemu_ended()

    def _take_console(self, data):
        self.console += data
        del self.console[:-CONSOLE_KEPT]
        if self.settings.get('console'):
            self.out(2, data.replace(b'\r\n', b'\n'))

    def _qemu_ended(self):
        try:
            status = self.process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            raise RunError('QEMU closed the result port') from None
        while data := self._rest_of_console():
            self._take_console(data)
        with open(os.path.join(self.folder, 'qemu'), encoding='utf-8', errors='replace') as f:
            said = f.read().strip()
        if panic := PANIC.search(self.console.decode('utf-8', 'replace')):
            raise RunError(f'the kernel of {self.guest.name} panicked: {panic.group(1).strip()}')
        if status < 0:
            raise RunError(f'QEMU was ended by {signal.Signals(-status).name}', lines=said.split('\n') if said else ())
        if said and not self.booted:
            raise RunError(f'QEMU ended with {status}: {said}', console=bool(self.console))
        raise RunError(f'{self.guest.name} ended before it told how the command ended')

    def _rest_of_console(self):
        try:
            return self.ends['console'].recv(65536)
        except OSError:
            return b''

    def _take_frame(self, kind, content):
        if kind == 'S':
            self.booted = time.monotonic()
        elif kind in 'oe':
            self.out(1 if kind == 'o' else 2, content)
        elif kind == 'a':
            self.input_free = True
        elif kind == 'k':
            self.kernel_log += content
        elif kind == 'q':
            self._send('r', self._answer(content.decode('utf-8', 'replace')).encode())
        elif kind == 'X':
            self.status = int(content)
        elif kind == '!':
            raise RunError(f'{self.guest.name} cannot run the command: {content.decode("utf-8", "replace")}')
        else:
            raise frames.Damaged(f"there is no frame type '{kind}'")

    # --- towards the guest -----------------------------------------------------------------------------------------------

    def _send(self, kind, content=b''):
        self.ends['port'].setblocking(True)
        try:
            self.ends['port'].sendall(self.writer.frame(kind, content))
        except OSError:
            # QEMU is gone: reading the port tells how.
            pass
        finally:
            self.ends['port'].setblocking(False)

    def _take_input(self):
        data = os.read(self.input_fd, 65536)
        if self.settings.get('pty') and END_KEY in data:
            raise RunError('ended by Ctrl-]', console=False)
        self.input += data
        self.input_ended = not data
        # Not more than a screenful ahead of the guest.
        if not data or len(self.input) > 65536:
            self.selector.unregister(self.input_fd)

    def _feed(self):
        if not self.booted or not self.input_free:
            return
        if self.input:
            self._send('i', bytes(self.input[:INPUT_BYTES]))
            del self.input[:INPUT_BYTES]
            self.input_free = False
            if not self.input_ended and len(self.input) <= 65536 and self.input_fd not in self.selector.get_map():
                self._watch_input(self.input_fd)
        elif self.input_ended:
            self._send('z')
            self.input_ended, self.input_free = False, False

    def wake(self):
        """The terminal has another size; called by a signal handler."""
        os.write(self.woken[1], b'w')

    def _answer(self, request):
        try:
            return 'ok ' + self.proxies.request(self.monitor, request)
        except (RunError, proxy_devices.ProxyError) as e:
            return str(e)

    # --- after -----------------------------------------------------------------------------------------------------------

    def check_log(self):
        """Raises RunError when the kernel complained of something."""
        if not self.kernel_log:
            raise RunError('the guest sent no kernel log, so nobody knows whether its kernel is well')
        allowed = [(re.compile(row['pattern']), row['reason']) for row in self.guest.allow]
        records = log.parse(bytes(self.kernel_log))
        if found := log.findings(records, allowed):
            kinds = ', '.join(sorted({kind for kind, _ in found}))
            raise RunError(f'the kernel of {self.guest.name} reported: {kinds}', console=False, lines=log.context(records, found))

    def last_words(self):
        """Lines that tell where the guest is or was: its CPUs, when it still runs, and the end of its console."""
        lines = self._cpus() + ['the end of its console:']
        text = self.console.decode('utf-8', 'replace').replace('\r', '').rstrip('\n')
        return lines + (text.split('\n')[-CONSOLE_SHOWN:] if text else ['(nothing)'])

    def _cpus(self):
        """Where each CPU of a guest that still runs is."""
        if self.process.poll() is not None:
            return []
        try:
            text = self.monitor.execute('human-monitor-command', **{'command-line': 'info registers -a'})
        except (RunError, ValueError):
            return []
        counters = re.findall(r'\b(?:RIP|PC|R15)=([0-9a-f]+)', text)
        return [f'CPU {n} was at {pc}' for n, pc in enumerate(counters)]


def _write_fd(fd, data):
    while data:
        data = data[os.write(fd, data):]
