# SPDX-License-Identifier: MIT
"""The emulators: Debian's own, those of the release after it, and two built from Debian's source packages: one with the models of
this tree in it, and one of user mode of the later release."""
import os
import shutil
import subprocess

from . import build, cache, debian, peers
from .cache import Broken, Unavailable

STOCK = {'amd64': 'qemu-system-x86_64', 'arm64': 'qemu-system-aarch64', 'armhf': 'qemu-system-arm', 'armel': 'qemu-system-arm',
         'riscv64': 'qemu-system-riscv64', 'ppc64el': 'qemu-system-ppc64'}
# The package of each.
PACKAGES = {'amd64': 'qemu-system-x86', 'arm64': 'qemu-system-arm', 'armhf': 'qemu-system-arm', 'armel': 'qemu-system-arm',
            'riscv64': 'qemu-system-misc', 'ppc64el': 'qemu-system-ppc'}
# Packages of the later release: the emulator and the firmware that it boots.
LATER = {'riscv64': ('qemu-system-riscv', 'opensbi')}
LATER_FIRMWARE = 'usr/lib/riscv64-linux-gnu/opensbi/generic/fw_dynamic.bin'
# What lab/qemu/build knows, by architecture.
TARGETS = {'amd64': 'x86_64-softmmu', 'armhf': 'arm-softmmu', 'armel': 'arm-softmmu'}
HOOKS = 'lab/qemu'
PORT = os.path.join(build.TOP, HOOKS)
# Folders whose C is compiled into the emulator; their documents are not.
COMPILED = ('core/base', 'core/regs', 'core/models')
NOT_COMPILED = ('.md',)
TOOLS = ('gcc', 'ninja', 'meson', 'pkg-config', 'dpkg-source')
LIBRARIES = ('glib-2.0', 'pixman-1', 'zlib')
# Debian's libfdt-dev has nothing for pkg-config.
HEADERS = ('libfdt.h',)
# The emulator of user mode, for tests of the plugin alone: packages of Debian 13 have it without plugins.
USER = 'qemu-x86_64'
USER_OPTIONS = ('--target-list=x86_64-linux-user', '--without-default-features', '--enable-tcg', '--enable-linux-user', '--enable-plugins',
                '--disable-system', '--disable-tools', '--disable-docs', '--disable-install-blobs', '--disable-werror',
                '--disable-debug-info', '--disable-download')
# Its configure wants newer ones than Debian 12 has, and makes an environment of Python (venv) with them.
USER_PYTHON = ('meson', 'python3-pycotap')
PYTHON = '/usr/bin/python3'


def stock(arch):
    """Path of the emulator that Debian installs."""
    name = STOCK[arch]
    path = shutil.which(name)
    if not path:
        raise Unavailable(f'{name} is not installed; as root: apt-get install {PACKAGES[arch]}')
    return path


def check(arch, which):
    """Raises Unavailable where QEMU is missing that nobody builds or fetches; asked before anything else is fetched."""
    if which == 'stock':
        stock(arch)


# The emulator brings a loader and a C library of its own: this machine's may be older.
START = '''#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
exec "$here/lib/{loader}" --library-path "$here/lib" "$here/bin/{name}" "$@"
'''


def keep_emulator(path, name, host):
    """Leave of the unpacked packages the emulator, its libraries and its firmware, and a program that starts it."""
    loader = build.needed(f'{path}/usr/bin/{name}')[2]
    try:
        libraries = build.closure(host, path, [f'{path}/usr/bin/{name}'])
    except build.Missing as e:
        raise Unavailable(f'{e}; the packaging of Debian has changed') from None
    if not loader or not os.path.isfile(f'{path}/{LATER_FIRMWARE}'):
        raise Unavailable(f'there is no whole {name} in its packages; the packaging of Debian has changed')
    kept = {f'bin/{name}': f'{path}/usr/bin/{name}', 'firmware/' + os.path.basename(LATER_FIRMWARE): f'{path}/{LATER_FIRMWARE}'}
    kept |= {'lib/' + os.path.basename(place): file for place, file in libraries}
    new = os.path.join(path, '.new')
    for place, file in kept.items():
        os.makedirs(os.path.dirname(os.path.join(new, place)), exist_ok=True)
        shutil.copy2(file, os.path.join(new, place))
    for old in os.listdir(path):
        if os.path.islink(os.path.join(path, old)):
            os.unlink(os.path.join(path, old))
        elif old != '.new':
            cache.remove(os.path.join(path, old))
    for place in os.listdir(new):
        os.rename(os.path.join(new, place), os.path.join(path, place))
    os.rmdir(new)
    with open(os.path.join(path, name), 'w', encoding='ascii') as f:
        f.write(START.format(loader=os.path.basename(loader), name=name))
    os.chmod(os.path.join(path, name), 0o755)


@debian.current
def later(arch):
    """Path of the emulator of the release after Debian 12, which runs beside this one's with its own libraries."""
    if arch not in LATER:
        raise Unavailable(f'no emulator of a later release is known for {arch}; there are {", ".join(LATER)}')
    host, name = debian.host_arch(), STOCK[arch]
    wanted = host + debian.FROM_LATER
    packages = peers.only_libraries(debian.closure(wanted, LATER[arch]), *LATER[arch])
    return os.path.join(debian.tree(wanted, packages, f'{name} of Debian {debian.LATER}', 'qemu-later',
                                    lambda path: keep_emulator(path, name, host)), name)


def firmware(binary, which):
    """What QEMU must be told to boot from, or None where it knows."""
    return os.path.join(os.path.dirname(binary), 'firmware', os.path.basename(LATER_FIRMWARE)) if which == 'later' else None


def _files(*places):
    """Every file that the emulator with models is made of, beside QEMU's own."""
    found = []
    for place in places:
        for folder, folders, names in os.walk(os.path.join(build.TOP, place)):
            # The proxy is another program.
            folders[:] = [f for f in folders if f not in ('__pycache__', 'proxy')]
            found += [os.path.join(folder, name) for name in names if not name.endswith(NOT_COMPILED)]
    return sorted(found)


def _digest(names):
    parts = []
    for name in names:
        with open(name, 'rb') as f:
            parts += [os.path.relpath(name, build.TOP), f.read()]
    return cache.digest(*parts)


def _check_tools(modules=()):
    missing = [tool for tool in TOOLS if not shutil.which(tool)]
    if not missing:
        missing = [name for name in LIBRARIES if not build.succeeds(['pkg-config', '--exists', name])]
        missing += [name for name in HEADERS if not build.succeeds(['gcc', '-E', '-include', name, '-x', 'c', '/dev/null'])]
        missing += [f"Python's {name}" for name in modules if not build.succeeds([PYTHON, '-c', f'import {name}'])]
    if missing:
        raise Unavailable(f'QEMU cannot be built without {", ".join(missing)}; {build.INSTALL}')


def _work_tree(version):
    """The source package with the hooks as they are now, and what was compiled of it. Call it under the lock.

    It is kept, so that a change in a model compiles little, and only one is. Hooks of another form need an untouched source.
    """
    name = f'{version}-{_digest(_files(HOOKS))}'.replace(':', '+')
    parent = os.path.join(cache.root(), 'qemu-work')
    for other in os.listdir(parent) if os.path.isdir(parent) else []:
        if other != name:
            cache.drop(os.path.join(parent, other))

    def fill(path):
        shutil.copytree(debian.source('qemu')[1], os.path.join(path, 'tree'), symlinks=True)
    tree = os.path.join(cache.folder('qemu-work', name, fill, 'the source of QEMU'), 'tree')
    # Copies of our own sources: one that is gone here must not be found there.
    if os.path.isdir(os.path.join(tree, 'ntime')):
        cache.remove(os.path.join(tree, 'ntime'))
    return tree


def _build(version, out):
    """Build the emulators of all targets at once: most of what is compiled is the same for all of them."""
    _check_tools()
    with cache.lock(cache.lock_name('qemu-work'), 'QEMU'):
        tree = _work_tree(version)
        with cache.step(f'QEMU {version} with the models of this tree (2 minutes and more the first time)'):
            done = cache.run([os.path.join(PORT, 'build'), tree, out, *sorted(set(TARGETS.values()))],
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding='utf-8', errors='replace')
    if done.returncode:
        raise Broken(f'QEMU {version} cannot be built with the models of this tree:\n{done.stdout.rstrip()}')


def installed(arch):
    """Path of the emulator with the models that came with an installed copy of the lab (debian/rules); it need not be there."""
    return os.path.join(build.TOP, 'lab', 'bin', 'qemu-system-' + TARGETS[arch].partition('-')[0])


def is_here(arch, which):
    """Whether an installed copy of the lab has an emulator, or Debian."""
    return which == 'stock' or which == 'ntime' and arch in TARGETS and os.path.isfile(installed(arch))


@debian.current
def ntime(arch):
    """Path of the emulator with the models, built if the cache has none of these sources."""
    if arch not in TARGETS:
        raise Unavailable(f'no emulator with models is built for {arch}; there are {", ".join(TARGETS)}')
    if build.is_installed():
        return installed(arch)
    version = debian.source_version('qemu')
    name = f'{version}-{_digest(_files(*COMPILED))}'.replace(':', '+')
    path = cache.folder('qemu', name, lambda path: _build(version, path), 'QEMU with the models of this tree')
    return os.path.join(path, 'qemu-system-' + TARGETS[arch].partition('-')[0])


def _build_user(out):
    """Build it out of its source, which is not kept: nothing of it changes here."""
    _check_tools(['ensurepip'])
    host, kind = debian.host_arch() + debian.FROM_LATER, debian.SOURCE + debian.FROM_LATER
    python = debian.tree(host, debian.versions(host, USER_PYTHON), 'what QEMU is built with')
    version, source = debian.source('qemu', kind)
    env = dict(os.environ, PYTHONPATH=f'{python}/usr/lib/python3/dist-packages', PYTHONDONTWRITEBYTECODE='1')
    where = os.path.join(out, '.build')
    os.mkdir(where)
    with cache.step(f'{USER} {version} with plugins (3 minutes)'):
        for command in ([f'{source}/configure', f'--python={PYTHON}', *USER_OPTIONS], ['ninja', USER],
                        ['strip', '-o', os.path.join(out, USER), USER]):
            done = cache.run(command, cwd=where, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding='utf-8', errors='replace')
            if done.returncode:
                raise Broken(f'{USER} {version} cannot be built: {os.path.basename(command[0])} failed:\n{done.stdout[-4000:].rstrip()}')
    cache.remove(where)
    cache.drop(os.path.dirname(source))


@debian.current
def user_later():
    """Path of the emulator of user mode of the later release, built with plugins if the cache has none of this version."""
    if debian.host_arch() != 'amd64':
        raise Unavailable(f'{USER} of a later release is built on amd64 alone')
    version = debian.source_version('qemu', debian.SOURCE + debian.FROM_LATER)
    name = f'{version}-{cache.digest(*USER_OPTIONS)}'.replace(':', '+')
    return os.path.join(cache.folder('qemu-user', name, _build_user, f'{USER} of Debian {debian.LATER}'), USER)


def qemu(arch, which):
    """Path of the emulator for an architecture; which is 'stock', 'later' or 'ntime'."""
    if which == 'stock':
        return stock(arch)
    if which == 'later':
        return later(arch)
    if which == 'ntime':
        return ntime(arch)
    raise Unavailable(f'there is no emulator called "{which}"; there are stock, later and ntime')
