# SPDX-License-Identifier: MIT
"""What is put into a guest: base system, ntime, peers, the files that a command names, and the job for lab/init.c."""
import contextlib
import glob
import lzma
import os
import re
import shutil
import stat
import subprocess
import time

from . import build, cache, debian, driver, initramfs, machine, peers, qemu, sysroot
from .initramfs import copy, folder, link, text

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'init.c')
# Bits and e_machine of the ELF files that a CPU runs.
MACHINES = {'amd64': (64, 62), 'arm64': (64, 183), 'armhf': (32, 40), 'armel': (32, 40), 'riscv64': (64, 243),
            'ppc64el': (64, 21)}
MACHINE_NAMES = {(64, 62): 'amd64', (64, 183): 'arm64', (32, 40): '32-bit ARM', (32, 3): 'i386', (64, 243): 'riscv64',
                 (64, 21): 'ppc64el'}
CWD = '/lab'
# Folders of the guest's own system, or that it mounts on: a file of the host cannot be put there by its absolute name.
SYSTEM = ('/bin/', '/sbin/', '/dev/', '/proc/', '/sys/', '/run/', '/tmp/')
MOUNTED = ('/run/', '/tmp/')
LAYER_SECONDS = 86400
LOCAL_LIBRARIES = ['/usr/local/lib']
PASSWD = 'root:x:0:0:root:/root:/bin/sh\nuser:x:1000:1000:user:/home/user:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n'
GROUP = 'root:x:0:\ntty:x:5:\nuser:x:1000:\nnogroup:x:65534:\n'
PROFILE = "PS1='\\u@{name}:\\w\\$ '\nalias ll='ls -l'\n"


class PayloadError(Exception):
    """Something that was asked to be put into the guest cannot be."""


def check_compiler(arch):
    """Raises Unavailable without what compiles the first process of a guest."""
    compiler = build.compiler(arch) + 'gcc'
    if not shutil.which(compiler):
        raise cache.Unavailable(f'{compiler} is not installed; as root: apt-get install gcc libc6-dev')


def _init_program(arch, path):
    compiler = build.compiler(arch) + 'gcc'
    words = [compiler, '-O2', '-static', '-s', '-D_GNU_SOURCE', '-Wall', '-Wextra', '-o', path, SOURCE]
    check_compiler(arch)
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding='utf-8', check=False)
    if done.returncode:
        raise PayloadError(f'{" ".join(words)} failed:\n{done.stdout}')


def _file(path):
    with open(path, 'rb') as f:
        return f.read()


def init_program(arch):
    """The compiled lab/init.c, cached by its source."""
    name = f'init-{arch}-{cache.digest(_file(SOURCE))}'
    path = cache.folder('init', name, lambda path: _init_program(arch, os.path.join(path, 'init')), f'init for {arch}')
    return os.path.join(path, 'init')


@debian.current
def busybox(arch):
    """A static busybox of Debian's for the architecture."""
    packages = debian.versions(arch, ['busybox-static'])
    return os.path.join(debian.tree(arch, packages, f'busybox for {arch}'), 'usr/bin/busybox')


def base_tree(arch):
    """Busybox, init, users and the folders that are mounted on."""
    init = init_program(arch)
    tree = {name: folder() for name in ('proc', 'sys', 'dev', 'run', 'tmp', 'lib', 'usr/bin', 'usr/sbin', 'sbin', 'root', 'lab')}
    tree['home/user'] = folder(uid=1000)
    return tree | {
        'init': copy(init, 0o755), 'lab/host': link('/init'), 'bin/busybox': copy(busybox(arch), 0o755),
        'bin/sh': link('busybox'), 'etc/passwd': text(PASSWD), 'etc/group': text(GROUP),
        'etc/hosts': text('127.0.0.1 localhost\n'),
        # The kernel opens it for init before devtmpfs is mounted.
        'dev/console': initramfs.Entry(0o020600, device=(5, 1)),
    }


def installed_command():
    """The command beside which this copy of the lab was installed."""
    return os.path.join(os.path.dirname(os.path.dirname(build.TOP)), 'bin/ntime')


def lacks(arch, emulator='stock'):
    """What an installed copy of the lab lacks for such a guest, or ''."""
    if not build.is_installed():
        return ''
    if arch != debian.host_arch() or emulator == 'later':
        return 'a source tree'
    if not os.path.isfile(installed_command()):
        return f'{installed_command()}, of the package ntime'
    return '' if qemu.is_here(arch, emulator) else 'the package ntime-lab' if arch == 'amd64' else 'a source tree'


# What an installed copy has instead.
INSTEAD = ('NTIME_LAB may name lab/ntime-lab of a source tree, with which all guests run; without one, valgrind --tool=callgrind PROGRAM '
           'counts the instructions of a program of this machine exactly')


def check_sources(arch, emulator='stock'):
    """Raises Unavailable when an installed copy lacks what a guest is made from."""
    if lack := lacks(arch, emulator):
        raise cache.Unavailable(f'this installed copy of the lab has not what such a guest is made from: it needs {lack}; {INSTEAD}')


def ntime_tree(arch):
    """The command, the guest tests and the workloads, built from the checkout as it is now.

    An installed copy of the lab has no sources: it takes the command beside which it was installed and the workloads.
    """
    if not build.is_installed():
        build.programs(arch)
        return {place.lstrip('/'): copy(path) for place, path in build.runtime(arch)}
    command = installed_command()
    programs = {'bin/ntime': command, 'bin/ntime-trace': f'{build.TOP}/ntime-trace'}
    try:
        libraries = build.closure(arch, '/', programs.values(), glob.glob(os.path.dirname(command) + '/../lib*/*/') + LOCAL_LIBRARIES)
    except build.Missing as e:
        raise PayloadError(f'the installed ntime cannot be put into a guest: {e}') from None
    workloads = {os.path.join('lab', os.path.basename(path)): copy(path) for path in glob.glob(f'{build.TOP}/lab/workloads/*')}
    return {place: copy(path) for place, path in programs.items()} | workloads | {place.lstrip('/'): copy(path) for place, path in libraries}


def _layer(name, tree):
    """Path of the archive of a tree in the cache."""
    # Once: what is built from the checkout may change at any time, and the name must be that of the content.
    data = initramfs.archive(tree)

    def fill(path):
        with open(os.path.join(path, 'cpio'), 'wb') as f:
            f.write(data)
        forget_old_layers(os.path.dirname(path))
    found = cache.folder('layers', f'{name}-{cache.digest(data)}', fill, f'files for guests ({name})')
    # So that it is not old for those who look.
    os.utime(found)
    return os.path.join(found, 'cpio')


def forget_old_layers(parent):
    """Each change of ntime makes a new layer: those that nobody used for a day go."""
    for name in os.listdir(parent):
        path = os.path.join(parent, name)
        with contextlib.suppress(OSError):
            if time.time() - os.stat(path).st_mtime > LAYER_SECONDS:
                cache.drop(path)


def _tree_of(root):
    """The tree of everything below a folder of the host."""
    tree, root = {}, str(root)
    for at, folders, files in os.walk(root):
        for name in folders + files:
            path = os.path.join(at, name)
            place = os.path.relpath(path, root)
            if os.path.islink(path):
                tree[place] = link(os.readlink(path))
            elif os.path.isfile(path):
                tree[place] = copy(path)
    return tree


def peer_tree(peer, arch):
    """perf or PAPI for the guest."""
    return _tree_of(getattr(peers, peer)(arch))


def _module_file(kernel, name):
    wanted = name.replace('-', '_')
    for at, _, files in os.walk(kernel.modules):
        for file in files:
            if re.sub(r'\.ko(\.xz)?$', '', file).replace('-', '_') == wanted and '.ko' in file:
                return os.path.join(at, file)
    return None


def _is_builtin(kernel, name):
    pattern = re.compile(r'/' + name.replace('_', '[-_]') + r'\.ko$', re.MULTILINE)
    lists = (os.path.join(kernel.modules, 'modules.builtin'), os.path.join(kernel.modules, kernel.release, 'modules.builtin'))
    return any(os.path.isfile(path) and pattern.search(_file(path).decode()) for path in lists)


def modules_tree(kernel, names):
    """The modules and those they depend on, in the order in which they are loaded: dict of guest path -> Entry."""
    tree = {}

    def add(name):
        place = f'modules/{name}.ko'
        path = None if place in tree else _module_file(kernel, name)
        if path is None:
            if place not in tree and not _is_builtin(kernel, name):
                raise PayloadError(f'kernel {kernel.release} has no module {name}')
            return
        data = lzma.decompress(_file(path)) if path.endswith('.xz') else _file(path)
        needs = re.search(rb'\0depends=([^\0]*)\0', data)
        for need in needs.group(1).decode().split(',') if needs and needs.group(1) else []:
            add(need)
        tree[place] = initramfs.binary(data)
    for name in names:
        add(name)
    return tree


def elf_machine(path):
    """(bits, machine number) of a little-endian ELF file, or None for any other file."""
    with open(path, 'rb') as f:
        head = f.read(20)
    if len(head) < 20 or head[:4] != b'\x7fELF' or head[5] != 1:
        return None
    return 64 if head[4] == 2 else 32, int.from_bytes(head[18:20], 'little')


def open_mode(path):
    """The mode of a carried file. It belongs to root in the guest: what its owner may do here, everybody may read and run there."""
    mode = stat.S_IMODE(os.stat(path).st_mode)
    owner = mode & (stat.S_IRUSR | stat.S_IXUSR)
    return mode | owner >> 3 | owner >> 6


def _program_files(path, place, arch, known):
    """A file of the host and, when it is a program, the libraries it needs and the guest lacks."""
    tree, machine_of = {place: copy(path, open_mode(path))}, elf_machine(path)
    if machine_of is None or not os.access(path, os.X_OK):
        return tree
    if machine_of != MACHINES[arch]:
        raise PayloadError(f'{path} is a program for {MACHINE_NAMES.get(machine_of, "another machine")}, but the guest is {arch}: '
                           f'build it for {arch}, or choose another guest')
    # Beside the program, and where our own library was built.
    places = [os.path.dirname(os.path.abspath(path)), os.path.join(build.folder(arch), 'lib')]
    try:
        needed = build.closure(arch, sysroot.sysroot(arch), [path], places)
    except build.Missing as e:
        raise PayloadError(f'{e}; link it statically, or put the library beside it') from None
    return tree | {name.lstrip('/'): copy(host) for name, host in needed if name.lstrip('/') not in known}


def _place(word):
    """Where a word of the command that names a file of the host is in the guest (without leading slash), or None."""
    place = os.path.normpath(os.path.join(CWD, word))
    return None if place.startswith(SYSTEM) else place.lstrip('/')


def _say_left(word):
    """Tell of a file that is here and will not be there. The guest has programs and devices of its own by such names."""
    if os.path.normpath(os.path.join(CWD, word)).startswith(MOUNTED):
        cache.say(f'{word} is not carried: the guest has a folder of its own there; use a relative name or --file')


def check_files(files):
    """Fail for a word of --file that names no file, before anything is fetched or built for the guest."""
    for word in files:
        host = word.partition(':')[0]
        if not os.path.isfile(host):
            raise PayloadError(f'--file {word}: there is no file {host}')


def carried_tree(arch, command, files, known):
    """The files that the command names and those of --file; known: paths that the guest has already."""
    tree = {}
    for word in command:
        place = _place(word)
        if not os.path.isfile(word) or (place in known and not word.startswith('.')):
            continue
        if place is None:
            _say_left(word)
            continue
        tree |= _program_files(word, place, arch, known)
    for word in files:
        host, _, name = word.partition(':')
        place = os.path.normpath(os.path.join(CWD, name or os.path.basename(host))).lstrip('/')
        tree |= _program_files(host, place, arch, known)
    return tree


def job(guest, modules, command, settings):
    """The bytes of /lab/job (lab/init.c); words need not be UTF-8."""
    environment = {'PATH': '/lab:/bin:/sbin:/usr/bin:/usr/sbin', 'LANG': 'C.UTF-8', 'TERM': settings.get('term') or 'dumb',
                   'NTIME_LAB_GUEST': guest.name, 'ENV': '/etc/profile', **guest.env}
    # Tests in the guest know from it that instructions are counted exactly, and how many cycles each takes.
    if guest.icount is not False:
        environment['NTIME_LAB_SHIFT'] = str(guest.icount)
    words = [('port', machine.port_device(guest))] + [('module', '/' + path) for path in modules]
    words += [('env', f'{name}={value}') for name, value in environment.items()]
    words += [(key, settings[key]) for key in ('user', 'pty') if settings.get(key)]
    words += [('stdin', 'null' if settings.get('stdin') is None else 'pipe')]
    words += [('arg', word) for word in command]
    if bad := [value for _, value in words if '\0' in value]:
        raise PayloadError(f'{bad[0]!r} holds a NUL byte')
    return b''.join(os.fsencode(f'{key}={value}\0') for key, value in words)


def driver_tree(flavour):
    """The driver for a kernel; nobody has loaded it."""
    return {'lab/' + driver.NAME: copy(driver.module(flavour), 0o644)}


def write_initrd(guest, kernel, command, settings, path):
    """Write the initramfs of one run to path. settings: peers, driver, files, user, stdin, pty, term."""
    layers, known = [], {}
    modules = modules_tree(kernel, [*machine.port_modules(guest), *guest.modules])
    trees = [('base', base_tree(guest.arch)), (f'modules-{kernel.release}', modules), ('ntime', ntime_tree(guest.arch))]
    trees += [(peer, peer_tree(peer, guest.arch)) for peer in settings.get('peers', [])]
    for name, tree in trees:
        known |= tree
        layers.append(_layer(f'{name}-{guest.arch}', tree))
    driven = driver_tree(guest.kernel) if settings.get('driver') else {}
    last = driven | carried_tree(guest.arch, command, settings.get('files', []), known | driven)
    last['etc/profile'] = text(PROFILE.format(name=guest.name))
    last['lab/job'] = initramfs.binary(job(guest, modules, command, settings), 0o600)
    with open(path, 'wb') as out:
        for layer in layers:
            out.write(_file(layer))
        out.write(initramfs.archive(last))
