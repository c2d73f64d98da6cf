#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Headers of kernels and the build of the driver, without network and without a kernel: both are faked. Speaks TAP."""
import contextlib
import os
import shutil
import sys

from prepared import equal, has, raises, said, test
from tap import Skip, main
from lab import build, cache, debian, driver, kernel, linux

# What a kernel's make does, as far as the driver's build sees it: it works in the folder M and shows what it compiles.
MAKEFILE = '''modules:
	@echo "  CC [M]  $(M)/main.o"
	@test ! -e $(M)/error.c || { echo "$(M)/error.c:1: no such thing"; exit 1; }
	@cat $(M)/*.c $(M)/../core/base/*.h > $(M)/ntime.ko
	@echo x >> times
'''


@contextlib.contextmanager
def swapped(place, **values):
    """Attributes of a module are these inside."""
    before = {name: getattr(place, name) for name in values}
    for name, value in values.items():
        setattr(place, name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(place, name, value)


def write(folder, files):
    for name, text in files.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w', encoding='utf-8') as f:
            f.write(text)


def read(*path):
    with open(os.path.join(*path), encoding='utf-8') as f:
        return f.read()


@contextlib.contextmanager
def checkout(folder):
    """A source tree with a driver, and headers whose make is MAKEFILE; gives the tree."""
    if not shutil.which('make'):
        raise Skip('make is not installed')
    top = os.path.join(folder, 'tree')
    write(top, {'meson.build': '', 'driver/Kbuild': 'obj-m := ntime.o\n', 'driver/main.c': 'one\n', 'driver/README.md': 'words\n',
                'driver/old.mod.c': 'somebody else\'s\n', 'core/base/base.h': 'base\n', 'include/uapi/ntime.h': 'uapi\n'})
    write(folder, {'headers/Makefile': MAKEFILE})
    with swapped(build, TOP=top, compiler=lambda arch: '', kernel_compiler=lambda prefix: 'gcc'), \
            swapped(kernel, headers=lambda arch, flavour: os.path.join(folder, 'headers')):
        yield top


@contextlib.contextmanager
def strict(value):
    """WERROR is set, or not."""
    before = os.environ.pop('WERROR', None)
    os.environ.update({'WERROR': '1'} if value else {})
    try:
        yield
    finally:
        os.environ.pop('WERROR', None)
        os.environ.update({'WERROR': before} if before else {})


def times(folder):
    """How often make was run."""
    path = os.path.join(folder, 'headers/times')
    return read(path).count('x') if os.path.exists(path) else 0


@test
def sources_are_what_a_build_reads(folder):
    with checkout(folder) as top:
        equal(driver.sources(), ['core/base/base.h', 'driver/Kbuild', 'driver/main.c', 'include/uapi/ntime.h'], 'the sources')
        equal(driver.sources(top), driver.sources(), 'those of a named tree')


@test
def links_follow_the_sources(folder):
    with checkout(folder) as top:
        target = os.path.join(folder, 'there')
        driver.link_sources(driver.sources(), target)
        equal(os.readlink(f'{target}/driver/main.c'), f'{top}/driver/main.c', 'the link')
        write(target, {'driver/main.o': 'object'})
        os.rename(f'{top}/driver/main.c', f'{top}/driver/other.c')
        driver.link_sources(driver.sources(), target)
        equal(sorted(os.listdir(f'{target}/driver')), ['Kbuild', 'main.o', 'other.c'], 'files after a source was renamed')


@test
def flavours_do_not_disturb_each_other(folder):
    with checkout(folder) as top:
        one, other = driver.module('amd64'), driver.module('amd64-6.12')
        equal((one, other), tuple(f'{top}/build-lab/driver/{name}/driver/ntime.ko' for name in ('amd64', 'amd64-6.12')), 'the modules')
        equal(sorted(os.listdir(f'{top}/driver')), ['Kbuild', 'README.md', 'main.c', 'old.mod.c'], 'files beside the sources')


@test
def built_again_when_something_changed(folder):
    with checkout(folder) as top:
        path = driver.module('amd64')
        equal((read(path), times(folder)), ('one\nbase\n', 1), 'the module')
        driver.module('amd64')
        equal(times(folder), 1, 'how often it was built without a change')
        write(top, {'core/base/base.h': 'newer\n'})
        equal((read(driver.module('amd64')), times(folder)), ('one\nnewer\n', 2), 'the module after a change')
        write(top, {'driver/README.md': 'other words\n'})
        driver.module('amd64')
        equal(times(folder), 2, 'how often it was built when a document changed')
        os.unlink(path)
        equal((read(driver.module('amd64')), times(folder)), ('one\nnewer\n', 3), 'the module that was lost')


@test
def warnings_are_said_each_time_and_fail_when_asked(folder):
    target = os.path.join(folder, 'tree/build-lab/driver/amd64')
    warning = f'{target}/driver/../core/base/base.h:3:1: warning: odd'
    warns = MAKEFILE + f'\t@echo "{warning}" >&2\n'
    with checkout(folder) as top, strict(False):
        driver.module('amd64')
        write(folder, {'headers/Makefile': warns})
        write(top, {'driver/main.c': 'two\n'})
        for _ in range(2):
            with said() as text:
                driver.module('amd64')
            has(text.getvalue(), 'core/base/base.h:3:1: warning: odd', 'what is said')
            equal('../' in text.getvalue(), False, 'a name that the tree has not')
        with strict(True):
            has(raises(cache.Broken, driver.module, 'amd64'), 'gave warnings, and WERROR is set', 'the sentence')
        # A change elsewhere compiles everything again, or the warning would be forgotten.
        write(target, {'driver/main.o': 'object'})
        write(top, {'include/uapi/ntime.h': 'new\n'})
        with said():
            driver.module('amd64')
        equal(os.path.exists(f'{target}/driver/main.o'), False, 'an object from before')


@test
def modpost_warns_in_its_own_way(folder):
    with checkout(folder), strict(True):
        driver.module('amd64')
        write(folder, {'headers/Makefile': MAKEFILE + '\t@echo "WARNING: modpost: missing MODULE_LICENSE()"\n',
                       'tree/driver/main.c': 'two\n'})
        has(raises(cache.Broken, driver.module, 'amd64'), 'WARNING: modpost: missing', 'the sentence')


@test
def what_does_not_build_is_broken(folder):
    with checkout(folder) as top:
        write(top, {'driver/error.c': 'x\n'})
        text = raises(cache.Broken, driver.module, 'amd64')
        has(text, 'building ntime.ko for kernel amd64 failed: make -C ', 'the sentence')
        has(text, 'driver/error.c:1: no such thing', 'the output')
        has(text, '*** ', 'the complaint of make')
        equal('CC' in text.replace('CC=gcc', ''), False, 'a line on what is compiled')
        os.unlink(f'{top}/driver/error.c')
        driver.module('amd64')
        write(folder, {'headers/Makefile': 'modules:\n'})
        write(top, {'driver/main.c': 'two\n'})
        os.unlink(f'{top}/build-lab/driver/amd64/driver/ntime.ko')
        has(raises(cache.Broken, driver.module, 'amd64'), 'its Kbuild makes no ntime.ko', 'the sentence')
        os.unlink(f'{top}/driver/Kbuild')
        has(raises(cache.Broken, driver.module, 'amd64'), 'has no Kbuild', 'the sentence')
        os.unlink(f'{top}/meson.build')
        with swapped(driver, DKMS=f'{top}/none-*'):
            has(raises(cache.Unavailable, driver.module, 'amd64'), 'the package ntime-dkms has them', 'the sentence')


@test
def flavours_that_are_none(_):
    has(raises(cache.Unavailable, kernel.headers, 'arm64', 'nonsense'), 'no kernel flavour nonsense; known are amd64, arm64', 'it')
    has(raises(cache.Unavailable, kernel.headers, 'arm64', 'amd64'), 'kernel flavour amd64 is none of arm64, it is for amd64', 'it')
    has(raises(cache.Unavailable, driver.make_words, 'nonsense', '/x'), 'no kernel flavour nonsense', 'it')


def fake_debian(records):
    """A Debian in which every package has version 1, and these records."""
    return swapped(debian, codename=lambda: 'bookworm', host_arch=lambda: 'amd64', provides=lambda arch, name: records.get(name),
                   versions=lambda arch, names: [[name, '1'] for name in names])


IMAGE = {'linux-image-amd64': {'Version': '1', 'Depends': 'linux-image-6.1.0-9-amd64 (= 1)'}}


@test
def headers_are_those_of_the_image(_):
    more = {'linux-headers-6.1.0-9-amd64': {'Depends': 'linux-headers-6.1.0-9-common (= 1), linux-kbuild-6.1 (>= 1), linux-compiler-gcc'}}
    with fake_debian(IMAGE | more):
        equal(kernel._header_packages('amd64'),    # pylint: disable=protected-access
              ([['linux-headers-6.1.0-9-amd64', '1'], ['linux-headers-6.1.0-9-common', '1']], [('amd64', [['linux-kbuild-6.1', '1']])]),
              'the packages')


@test
def headers_that_debian_has_not(_):
    with fake_debian(IMAGE):
        has(raises(cache.Unavailable, kernel.headers, 'amd64', 'amd64'), 'has no linux-headers-6.1.0-9-amd64 for amd64', 'the sentence')
    with fake_debian(IMAGE | {'linux-headers-6.1.0-9-amd64': {'Version': '1', 'Depends': 'linux-kbuild-6.1'}}):
        has(raises(cache.Unavailable, kernel.headers, 'amd64', 'amd64'), 'names no common headers or no kbuild', 'the sentence')


@test
def headers_find_each_other_anywhere(folder):
    if not shutil.which('make'):
        raise Skip('make is not installed')
    write(folder, {'usr/src/linux-headers-1-x/Makefile': 'include /usr/src/linux-headers-1-common/Makefile\n',
                   'usr/src/linux-headers-1-common/Makefile': 'there:\n\t@echo it is $(lastword $(MAKEFILE_LIST)) > found\n'})
    kernel._relocate(folder)    # pylint: disable=protected-access
    moved = os.path.join(folder, 'moved')
    shutil.move(os.path.join(folder, 'usr'), os.path.join(moved, 'usr'))
    equal(build.succeeds(['make', '-C', f'{moved}/usr/src/linux-headers-1-x']), True, 'make in the moved tree')
    has(read(moved, 'usr/src/linux-headers-1-x/found'), 'linux-headers-1-common/Makefile', 'the Makefile that was read')


@test
def kernel_that_cannot_be_as_wished(_):
    fragment = '# words\nCONFIG_A=y\nCONFIG_B="x"\n'
    equal(linux.wishes(fragment), ['CONFIG_A=y', 'CONFIG_B="x"'], 'what is wished')
    equal(linux.unmet(fragment, '# CONFIG_A is not set\nCONFIG_B="x"\n'), ['CONFIG_A=y'], 'what was lost')
    equal(linux.unmet(fragment, 'CONFIG_B="x"\nCONFIG_A=y\n'), [], 'what was lost of nothing')
    wishes = linux.wishes(read(linux.CONFIG))
    equal(len(wishes), len(set(wishes)), 'wishes that stand there once')


if __name__ == '__main__':
    sys.exit(main())
