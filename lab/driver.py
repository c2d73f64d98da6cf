# SPDX-License-Identifier: MIT
"""The driver, ntime.ko, built from the checkout for a kernel of the lab: build-lab/driver/FLAVOUR. An installed copy takes the source of DKMS.

Each flavour has a folder of links to the sources, so that its objects (also those of core/, which Kbuild puts beside the
sources) disturb no other flavour. The kernel's own make decides what is compiled again.
"""
import glob
import os
import re
import shutil
import subprocess

from . import build, cache, kernel
from .cache import Broken, Unavailable

NAME = 'ntime.ko'
# Where it has counters to offer; others count through perf alone.
ARCHES = ('amd64', 'arm64', 'armhf', 'armel')
# What a build may read: everything else in these folders is documents or somebody else's objects.
PLACES = ('driver', 'core/base', 'core/embed', 'core/gpu', 'core/regs', 'core/seq', 'core/models/lab', 'include/uapi')
SOURCES = ('.c', '.h', '.S', '.inc', '.py', '.events')
MAKEFILES = ('Kbuild', 'Makefile')
# Guests have a device that exists nowhere else; its rows are in a source tree alone.
LAB = 'NTIME_LAB=y'
# Flavour -> variables of "make". The driver's fuzzer asks the kernel that checks itself which code a call reached.
VARIABLES = {'amd64-debug': ('KCOV_INSTRUMENT=y',)}
# Where DKMS has the sources, which serve an installed copy of the lab.
DKMS = '/usr/src/ntime-*'
# The compiler's warnings, and those of modpost.
WARNING = re.compile(r'^WARNING: |\bwarning: ', re.MULTILINE)

PROGRESS = re.compile(r'make(\[\d+\])?: (Entering|Leaving) |  [A-Z]{2,}( \[M\])? ')


def top_folder():
    """The tree of the sources."""
    return max(glob.glob(DKMS), default=DKMS) if build.is_installed() else build.TOP


def folder(flavour):
    """Where a flavour's module is built; it need not exist."""
    return os.path.join(cache.root() if build.is_installed() else os.path.join(build.TOP, 'build-lab'), 'driver', flavour)


def is_here():
    """Whether this checkout has the driver."""
    return os.path.isfile(os.path.join(top_folder(), 'driver', 'Kbuild'))


def is_for(arch):
    """Whether there is a driver for an architecture."""
    return arch in ARCHES


def sources(top=None):
    """Paths from the root of the tree of everything that the module is made of."""
    top, found = top or top_folder(), []
    for place in PLACES:
        for at, folders, names in os.walk(os.path.join(top, place)):
            folders[:] = [f for f in folders if not f.startswith('.')]
            # modpost writes a .mod.c where somebody built in the tree itself.
            found += [os.path.relpath(os.path.join(at, name), top) for name in names
                      if (name.endswith(SOURCES) or name in MAKEFILES) and not name.endswith('.mod.c')]
    return sorted(found)


def link_sources(names, target, top=None):
    """Make target a mirror of the sources by links; links to what is gone are removed, objects stay."""
    top = top or top_folder()
    wanted = {os.path.join(target, name): os.path.join(top, name) for name in names}
    for at, folders, files in os.walk(target):
        for name in folders + files:
            path = os.path.join(at, name)
            if os.path.islink(path) and wanted.get(path) != os.readlink(path):
                os.unlink(path)
    for path, source in wanted.items():
        if not os.path.islink(path):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            os.symlink(source, path)


def _digest(names, *more):
    parts, top = list(more), top_folder()
    for name in names:
        with open(os.path.join(top, name), 'rb') as f:
            parts += [name, f.read()]
    return cache.digest(*parts)


def make_words(flavour, target, more=()):
    """The words of "make" for a module of a flavour; more: variables. Fetches headers that are not in the cache."""
    if not shutil.which('make'):
        raise Unavailable(f'make is not installed; {build.INSTALL}')
    arch = kernel.arch_of(flavour)
    prefix = build.compiler(arch)
    compiler = build.kernel_compiler(prefix)
    return ['make', '-C', kernel.headers(arch, flavour), f'M={target}/driver', f'CROSS_COMPILE={prefix}', f'CC={compiler}',
            # Type information is made from the kernel's own, which is not among the headers.
            'CONFIG_DEBUG_INFO_BTF_MODULES=', *more]


def _clear_objects(target):
    """All but the links to sources: what was compiled is said of again."""
    for at, _, files in os.walk(target):
        for path in (os.path.join(at, name) for name in files):
            if not os.path.islink(path):
                os.unlink(path)


def readable(text, target):
    """What make said, with the names that the sources have in the tree, and without its words on what it does."""
    lines = [line for line in text.rstrip('\n').split('\n') if not PROGRESS.match(line)]
    return '\n'.join(lines).replace(f'{target}/driver/../', '').replace(f'{target}/', '')


def make(words, target, what):
    """Run "make WORDS modules" on the sources as they are now and return what it said. Raises Broken with the end of that.

    target is the folder that make_words() was told. Call it under a lock of that folder.
    """
    link_sources(sources(), target)
    done = cache.run([*words, 'modules'], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding='utf-8', errors='replace')
    said = readable(done.stdout, target)
    if done.returncode:
        end = '\n'.join(said.split('\n')[-build.SHOWN_LINES:])
        raise Broken(f'{what} failed: {" ".join(words)} modules\n{end}')
    return said


def _made(flavour, target, what, path):
    """Build it when anything it is made of has changed; returns the warnings."""
    # How many jobs make has is no reason to build anew.
    words, stamp = make_words(flavour, target, (*(() if build.is_installed() else (LAB,)), *VARIABLES.get(flavour, ()))), os.path.join(target, 'made.json')
    key = _digest(sources(), *words)
    known = cache.read_json(stamp) if os.path.exists(path) else None
    # The kernel's make needs a second to find that there is nothing to do.
    if known and known['key'] == key:
        return known['warnings']
    # A file that was compiled is not compiled again, so its warnings would be forgotten.
    if os.path.isdir(target) and not (known and not known['warnings']):
        _clear_objects(target)
    if os.path.exists(stamp):
        os.unlink(stamp)
    said = make([*words, f'-j{os.cpu_count()}'], target, what)
    if not os.path.exists(path):
        raise Broken(f'{what} failed: its Kbuild makes no {NAME}')
    warnings = said if WARNING.search(said) else ''
    cache.write_json(stamp, {'key': key, 'warnings': warnings})
    return warnings


def check_sources():
    """Raises Unavailable or Broken where there is nothing that a module can be made of."""
    if not is_here() and build.is_installed():
        raise Unavailable(f'there are no sources of {NAME} in {DKMS}; the package ntime-dkms has them, '
                          'or set NTIME_LAB to lab/ntime-lab of a source tree')
    if not is_here():
        raise Broken(f'{NAME} cannot be built: {top_folder()}/driver has no Kbuild')


def module(flavour):
    """Path of ntime.ko for a flavour (kernel.py), built from the checkout as it is now. With WERROR set a warning is a failure."""
    check_sources()
    if not is_for(kernel.arch_of(flavour)):
        raise Unavailable(f'there is no {NAME} for {kernel.arch_of(flavour)}; it is for {", ".join(ARCHES)}')
    target, what = folder(flavour), f'building {NAME} for kernel {flavour}'
    path = os.path.join(target, 'driver', NAME)
    with cache.lock(target + '.lock', f'{NAME} for kernel {flavour}'):
        warnings = _made(flavour, target, what, path)
    if warnings and os.environ.get('WERROR'):
        raise Broken(f'{what} gave warnings, and WERROR is set:\n{warnings}')
    if warnings:
        cache.say(f'{what} gave warnings:\n{warnings}')
    return path
