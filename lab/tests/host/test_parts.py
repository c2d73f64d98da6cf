#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Kernels, libraries, builds, peers and emulators, as far as they need neither packages nor a guest. Speaks TAP."""
import configparser
import gzip
import os
import shutil
import struct
import subprocess
import sys

from prepared import ROOT, equal, has, raises, said, test
from tap import Skip, main
from lab import build, cache, debian, driver, dtb, guest, kernel, payload, peers, prepare, qemu, sysroot


def compiled(folder, name, text, *options):
    """Path of what gcc makes of a text."""
    if not shutil.which('gcc') or not shutil.which('readelf'):
        raise Skip('gcc or readelf is not installed')
    source = os.path.join(folder, name + '.c')
    with open(source, 'w', encoding='utf-8') as f:
        f.write(text)
    path = os.path.join(folder, name)
    subprocess.run(['gcc', '-o', path, source, *options], check=True)
    return path


def here():
    if debian.host_arch() not in sysroot.TRIPLETS:
        raise Skip(f'the lab has no guests of {debian.host_arch()}')
    return debian.host_arch()


@test
def libraries_of_a_program(folder):
    arch = here()
    first = compiled(folder, 'liba.so', 'int a(void) { return 1; }', '-shared', '-fPIC', '-Wl,-soname,liba.so')
    second = compiled(folder, 'libb.so', 'int a(void); int b(void) { return a(); }', '-shared', '-fPIC', '-Wl,-soname,libb.so',
                      '-L' + folder, '-la')
    program = compiled(folder, 'prog', 'int b(void); int main(void) { return b(); }', '-L' + folder, '-lb',
                       '-Wl,-rpath-link,' + folder)
    # b is named by the program, a by b alone.
    found = dict(build.closure(arch, '/', [program], [folder]))
    place = f'/lib/{sysroot.triplet(arch)}/'
    equal((found[place + 'liba.so'], found[place + 'libb.so']), (first, second), 'our libraries')
    equal(place + 'libc.so.6' in found, True, 'the C library is there')
    equal(len([name for name in found if os.path.basename(name).startswith('ld-linux')]), 1, 'loaders')
    equal(all(os.path.isfile(path) for path in found.values()), True, 'all are files')


@test
def library_that_is_nowhere(folder):
    arch = here()
    compiled(folder, 'liba.so', 'int a(void) { return 1; }', '-shared', '-fPIC', '-Wl,-soname,liba-is-gone.so')
    program = compiled(folder, 'prog', 'int a(void); int main(void) { return a(); }', '-L' + folder, '-la')
    has(raises(build.Missing, build.closure, arch, '/', [program], [folder]),
        f'{program} needs the library liba-is-gone.so', 'it')
    os.chdir(folder)
    has(raises(payload.PayloadError, payload.carried_tree, arch, ['./prog'], [], {}), 'liba-is-gone.so', 'what a run says')
    os.chdir(ROOT)


@test
def our_library_is_found_where_it_was_built(folder):
    arch, top = here(), build.TOP
    os.makedirs(f'{folder}/build-lab/{arch}/lib')
    library = compiled(f'{folder}/build-lab/{arch}/lib', 'libntime.so.0', 'int a(void) { return 1; }', '-shared', '-fPIC',
                       '-Wl,-soname,libntime.so.0')
    compiled(folder, 'prog', 'int a(void); int main(void) { return a(); }', library)
    build.TOP = folder
    os.chdir(folder)
    try:
        tree = payload.carried_tree(arch, ['./prog'], [], {})
    finally:
        build.TOP = top
        os.chdir(ROOT)
    equal(f'lib/{sysroot.triplet(arch)}/libntime.so.0' in tree, True, 'the library is carried')


@test
def tools_that_are_not_installed(folder):
    path, os.environ['PATH'] = os.environ['PATH'], folder
    try:
        has(raises(cache.Unavailable, build.needed, '/bin/true'), 'readelf is not installed', 'the sentence')
        text = raises(cache.Unavailable, dtb._run, ['fdtput', '-t'])    # pylint: disable=protected-access
        has(text, 'fdtput is not installed', 'the sentence')
    finally:
        os.environ['PATH'] = path


@test
def one_guest_does_not_stop_the_others(_):
    seen, one = [], prepare.one
    full = OSError(28, 'No space left on device', '/x')
    errors = {'x86': full, 'arm64': cache.Broken('no'), 'armv7': dtb.DtbError('no'), 'rpi': None}

    def fails(which):
        seen.append(which.name)
        if errors[which.name]:
            raise errors[which.name]
    prepare.one = fails
    try:
        with said() as text:
            equal(prepare.all_of([guest.find(name) for name in errors]), 125, 'the status')
    finally:
        prepare.one = one
    equal(seen, list(errors), 'guests')
    has(text.getvalue(), 'x86 cannot be prepared: /x: No space left on device', 'what is said')


@test
def static_program_needs_nothing(folder):
    program = compiled(folder, 'prog', 'int main(void) { return 0; }', '-static')
    equal(build.closure(here(), '/', [program]), [], 'its libraries')
    equal(build.is_program(program), True, 'a program')
    equal(build.is_program(program + '.c'), False, 'its source')


@test
def cross_files_can_be_read(_):
    for arch in sysroot.TRIPLETS:
        if arch == debian.host_arch() or not shutil.which(sysroot.triplet(arch) + '-gcc'):
            continue
        parser = configparser.ConfigParser()
        parser.read_string(build.cross_file(arch, '/x'))
        has(parser['binaries']['c'], f"'{sysroot.triplet(arch)}-gcc'", f'the compiler of {arch}')
        has(parser['built-in options']['c_args'], "'--sysroot=/x'", f'arguments for {arch}')
        has(parser['properties']['pkg_config_libdir'], f'/x/usr/lib/{sysroot.triplet(arch)}/pkgconfig', f'packages of {arch}')


@test
def failing_build_is_no_reason_to_skip(folder):
    text = raises(cache.Broken, build._run, ['sh', '-c', 'echo why; exit 3'], 'the step')    # pylint: disable=protected-access
    equal(text, 'the step failed: sh -c echo why; exit 3\nwhy', 'the text')
    equal(issubclass(cache.Broken, cache.Unavailable), False, 'a broken build looks like a missing network')
    equal(os.listdir(folder), [], 'files')


@test
def packed_kernel_is_unpacked(folder):
    os.makedirs(f'{folder}/boot')
    image, packed = b'the image' * 100, None
    packed = gzip.compress(image)
    header = b'MZ\0\0zimg' + struct.pack('<II', 64, len(packed)) + bytes(8) + b'gzip\0\0'
    with open(f'{folder}/boot/vmlinuz-1', 'wb') as f:
        f.write(header.ljust(64, b'\0') + packed + b'more of the program')
    for _ in range(2):    # the second time it is plain already
        kernel._plain(folder)    # pylint: disable=protected-access
        with open(f'{folder}/boot/vmlinuz-1', 'rb') as f:
            equal(f.read(), image, 'the image')


@test
def kernels_that_are_none(_):
    has(raises(cache.Unavailable, kernel.kernel, 'arm64', 'amd64'), 'kernel flavour amd64 is none of arm64', 'the sentence')
    has(raises(cache.Unavailable, kernel.kernel, 'arm64', 'nonsense'), 'known are amd64, arm64', 'the sentence')


@test
def peers_are_their_libraries(_):
    packages = [[name, '1'] for name in ('libc6', 'libperl5.36', 'libpython3.11', 'libpython3.11-stdlib', 'perl-base', 'python3',
                                         'zlib1g', 'linux-perf', 'media-types')]
    equal([name for name, _ in peers.only_libraries(packages, 'linux-perf')],
          ['libc6', 'libperl5.36', 'libpython3.11', 'zlib1g', 'linux-perf'], 'packages')


@test
def peers_and_driver_that_an_architecture_has_not(_):
    equal(peers.known('riscv64', ('perf', 'papi', 'programs')), ['perf'], 'peers of riscv64')
    equal(peers.known('arm64', ('perf', 'papi', 'programs')), ['perf', 'papi', 'programs'], 'peers of arm64')
    equal(raises(cache.Unavailable, peers.papi, 'riscv64'), 'Debian has no PAPI for riscv64', 'the sentence')
    for flavour, arch in (('riscv64', 'riscv64'), ('powerpc64le', 'ppc64el')):
        has(raises(cache.Unavailable, driver.module, flavour), f'there is no ntime.ko for {arch}; it is for amd64, arm64', 'the sentence')


@test
def emulator_of_a_later_release_has_its_own_libraries(folder):
    program = compiled(folder, 'qemu-system-riscv64', 'int main(int c, char **v) { return c == 2 ? v[1][0] : 1; }')
    libraries = build.closure(here(), '/', [program])
    # The C library names its loader as a library, which lies beside it in packages.
    loader = [(f'/lib/{sysroot.triplet(here())}/{os.path.basename(place)}', file) for place, file in libraries if 'ld-linux' in place]
    for place, file in [('/usr/bin/qemu-system-riscv64', program), *libraries, *loader]:
        target = f'{folder}/tree{place}'
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copy2(file, target)
    os.makedirs(f'{folder}/tree/usr/share/doc')
    text = raises(cache.Unavailable, qemu.keep_emulator, f'{folder}/tree', 'qemu-system-riscv64', here())
    has(text, 'there is no whole qemu-system-riscv64 in its packages', 'without its firmware')
    os.makedirs(f'{folder}/tree/{os.path.dirname(qemu.LATER_FIRMWARE)}')
    with open(f'{folder}/tree/{qemu.LATER_FIRMWARE}', 'w', encoding='ascii') as f:
        f.write('firmware')
    qemu.keep_emulator(f'{folder}/tree', 'qemu-system-riscv64', here())
    # Moved, as the cache does when a folder is whole.
    os.rename(f'{folder}/tree', f'{folder}/moved')
    equal(sorted(os.listdir(f'{folder}/moved')), ['bin', 'firmware', 'lib', 'qemu-system-riscv64'], 'what is kept')
    equal(os.path.exists(f'{folder}/moved/lib/libc.so.6'), True, 'the C library')
    emulator = f'{folder}/moved/qemu-system-riscv64'
    equal(subprocess.run([emulator, 'A'], check=False).returncode, ord('A'), 'the status of the emulator')
    with open(qemu.firmware(emulator, 'later'), encoding='ascii') as f:
        equal(f.read(), 'firmware', 'the firmware')
    equal(qemu.firmware(emulator, 'stock'), None, 'the firmware of another emulator')


@test
def emulators_that_are_none(_):
    has(raises(cache.Unavailable, qemu.qemu, 'arm64', 'other'), 'there are stock, later and ntime', 'the sentence')
    has(raises(cache.Unavailable, qemu.qemu, 'arm64', 'later'), 'of a later release is known for arm64; there are riscv64', 'the sentence')
    has(raises(cache.Unavailable, qemu.qemu, 'arm64', 'ntime'), 'no emulator with models is built for arm64', 'the sentence')
    host_arch, debian.host_arch = debian.host_arch, lambda: 'arm64'
    try:
        equal(raises(cache.Unavailable, qemu.user_later), 'qemu-x86_64 of a later release is built on amd64 alone', 'the sentence')
    finally:
        debian.host_arch = host_arch


@test
def emulator_without_sources(folder):
    top = build.TOP
    build.TOP = folder
    try:
        has(raises(cache.Unavailable, payload.check_sources, 'amd64', 'ntime'), 'it needs', 'the sentence')
        equal(qemu.qemu('amd64', 'ntime'), f'{folder}/lab/bin/qemu-system-x86_64', 'where a package has it')
    finally:
        build.TOP = top


@test
def emulator_is_named_for_its_sources(folder):
    top = build.TOP
    os.makedirs(f'{folder}/core/models')
    os.makedirs(f'{folder}/lab/proxy')
    os.makedirs(f'{folder}/core/base')
    build.TOP = folder
    digest = lambda: qemu._digest(qemu._files(*qemu.COMPILED))    # pylint: disable=protected-access

    def write(name, text):
        with open(f'{folder}/{name}', 'w', encoding='utf-8') as f:
            f.write(text)
    try:
        write('core/models/a.c', 'a')
        first = digest()
        write('core/models/README.md', 'words')
        write('lab/proxy/p.c', 'another program')
        equal(digest(), first, 'the digest with what is not compiled')
        write('core/base/b.h', 'b')
        second = digest()
        os.rename(f'{folder}/core/models/a.c', f'{folder}/core/models/b.c')
        equal(len({first, second, digest()}), 3, 'different digests of different sources')
    finally:
        build.TOP = top


if __name__ == '__main__':
    sys.exit(main())
