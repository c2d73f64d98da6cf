# SPDX-License-Identifier: MIT
"""Debian's source package of the kernel, as it was patched there: its checking tools, and what a kernel of our own is built from."""
import os
import shutil
import subprocess

from . import build, cache, debian
from .cache import Broken, Unavailable

PACKAGE = 'linux-source-6.1'
NOUVEAU = 'drivers/gpu/drm/nouveau'


def _packages():
    return debian.versions(debian.host_arch(), [PACKAGE])


def version():
    """The version of the package, for the names of what is made of it."""
    return _packages()[0][1].replace(':', '+')


@debian.current
def archive():
    """Path of the archive with the whole source; fetched (135 MB) if the cache has none."""
    path = debian.tree(debian.host_arch(), _packages(), 'the source of Linux', 'sources')
    return os.path.join(path, 'usr/src', PACKAGE + '.tar.xz')


def unpack(path, *words):
    """Unpack the source into a folder; words: what tar shall take or leave."""
    done = cache.run(['tar', '-xJf', archive(), '-C', path, '--strip-components=1', '--no-same-owner', *words],
                     stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, encoding='utf-8', errors='replace')
    if done.returncode:
        raise Unavailable(f'the source of Linux cannot be unpacked ({done.stderr.strip()}); is the disk full?')


def scripts():
    """The folder "scripts" of the source: checkpatch.pl and the rules for coccinelle. They are never part of this tree."""
    def fill(path):
        with cache.step('the checking tools of Linux'):
            unpack(path, f'{PACKAGE}/scripts')
    return os.path.join(cache.folder('linux-scripts', version(), fill, 'the checking tools of Linux'), 'scripts')



def nouveau():
    """The folder of the driver nouveau in the source, as far as a program can be linked with it: include/ and nvkm/. Never part
    of this tree; lab/tests/ports/nouveau runs it against a model."""
    def fill(path):
        with cache.step('the source of nouveau'):
            unpack(path, *(f'{PACKAGE}/{NOUVEAU}/{name}' for name in ('include', 'nvkm')))
    return os.path.join(cache.folder('nouveau', version(), fill, 'the source of nouveau'), NOUVEAU)

# -- a kernel that checks itself

CONFIG = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'debug.config')
ARCH = 'amd64'
# The source is 1.3 GB, most of it drivers and architectures that this kernel has not. Their Kconfig files are read all the same.
LEFT_OUT = ('arch/[!x]*/*/*', 'tools/testing', 'sound', 'samples', 'Documentation', *(f'drivers/{name}' for name in (
    'gpu', 'net/ethernet', 'net/wireless', 'media', 'scsi', 'staging', 'clk', 'misc', 'usb', 'pinctrl', 'infiniband', 'iio', 'mtd', 'hwmon', 'crypto')))
CODE = ('.c', '.h', '.S', '.dts', '.dtsi', '.rst', '.txt', '.yaml', '.svg', '.json')
# What "make M=" reads of a built tree, besides the folders include and scripts (as Debian's packages of headers have it).
FOR_MODULES = ('Makefile', '.config', 'Module.symvers', 'arch/x86/Makefile', 'arch/x86/Makefile_32.cpu', 'arch/x86/Makefile.um',
               'arch/x86/Kbuild', 'tools/objtool/objtool')
FOLDERS_FOR_MODULES = ('include', 'arch/x86/include', 'scripts')
NOT_FOR_MODULES = ('.o', '.cmd', '.cocci', '.dts', '.dtsi')
# The same sources make the same kernel, whoever builds it when.
BUILDER = ('KBUILD_BUILD_TIMESTAMP=2000-01-01', 'KBUILD_BUILD_USER=ntime', 'KBUILD_BUILD_HOST=lab')
TOOLS = ('make', 'bc', 'bison', 'flex', 'perl', 'xz')
SHOWN_LINES = 40


def _text(path):
    with open(path, encoding='utf-8') as f:
        return f.read()


def wishes(text):
    """The settings of a fragment of a configuration: the lines that say something."""
    return [line for line in text.split('\n') if line.startswith('CONFIG_')]


def unmet(fragment, config):
    """The settings of the fragment that the configuration made of it has not: one that depends on another is dropped silently."""
    have = set(config.split('\n'))
    return [line for line in wishes(fragment) if line not in have]


def _make(tree, *words):
    done = cache.run(['make', '-C', tree, 'ARCH=x86', *BUILDER, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                     encoding='utf-8', errors='replace')
    if done.returncode:
        lines = done.stdout.rstrip('\n').split('\n')[-SHOWN_LINES:]
        raise Broken(f'the kernel that checks itself does not build: make {" ".join(words)}\n' + '\n'.join(lines))


def _check_tools():
    missing = [tool for tool in TOOLS if not shutil.which(tool)]
    if not missing and not build.succeeds(['gcc', '-E', '-include', 'libelf.h', '-x', 'c', '/dev/null']):
        missing = ['libelf-dev']
    if missing:
        raise Unavailable(f'a kernel cannot be built without {", ".join(missing)}; {build.INSTALL}')


def _configure(tree):
    _make(tree, f'KCONFIG_ALLCONFIG={CONFIG}', 'allnoconfig')
    if lost := unmet(_text(CONFIG), _text(f'{tree}/.config')):
        raise Broken(f'{CONFIG} wants what this kernel cannot have so: {", ".join(lost)}')


def _copy(tree, name, target):
    path = os.path.join(target, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    shutil.copy2(os.path.join(tree, name), path, follow_symlinks=False)


def _keep_headers(tree, target):
    """Copy what modules are built against."""
    for name in FOR_MODULES:
        if os.path.exists(os.path.join(tree, name)):
            _copy(tree, name, target)
    for folder in FOLDERS_FOR_MODULES:
        for at, _, names in os.walk(os.path.join(tree, folder)):
            for name in names:
                if not name.endswith(NOT_FOR_MODULES):
                    _copy(tree, os.path.relpath(os.path.join(at, name), tree), target)


def _build(path, prefix, compiler):
    _check_tools()
    tree = os.path.join(path, '.tree')
    os.mkdir(tree)
    patterns = [f'--exclude={PACKAGE}/{folder}/*{ending}' for folder in LEFT_OUT for ending in CODE]
    with cache.step(f'Linux {version()} with its own checks (5 to 10 minutes on two CPUs, once)'):
        unpack(tree, '--wildcards', *patterns)
        words = [f'CROSS_COMPILE={prefix}', f'CC={compiler}']
        _configure(tree)
        _make(tree, *words, f'-j{os.cpu_count()}', 'bzImage', 'modules')
        os.makedirs(f'{path}/boot')
        os.makedirs(f'{path}/modules')
        shutil.copy2(f'{tree}/arch/x86/boot/bzImage', f'{path}/boot/vmlinuz')
        shutil.copy2(f'{tree}/.config', f'{path}/boot/config')
        shutil.copy2(f'{tree}/modules.builtin', f'{path}/modules/modules.builtin')
        shutil.copy2(f'{tree}/include/config/kernel.release', f'{path}/boot/release')
        _keep_headers(tree, f'{path}/headers')
        cache.remove(tree)


def debug_kernel():
    """The folder with the kernel that checks itself: boot/, modules/ and headers/. Built if the cache has none of this source and
    configuration; docs/adr/0008-a-kernel-that-checks-itself.md tells why."""
    prefix = build.compiler(ARCH)
    compiler = build.kernel_compiler(prefix)
    # What decides on its content; the rest of this file does not.
    recipe = repr((LEFT_OUT, CODE, FOR_MODULES, FOLDERS_FOR_MODULES, NOT_FOR_MODULES, BUILDER))
    name = f'{version()}-{cache.digest(_text(CONFIG), recipe, compiler)}'
    return cache.folder('debug-kernels', name, lambda path: _build(path, prefix, compiler), 'the kernel that checks itself')
