#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Which shared libraries ntime loads, when, and what it says of those that are not there. Speaks TAP.

Usage: test_loaded.py NTIME [-k WORD]
"""
import glob
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../base/tests'))
import command as t    # noqa: E402
from command import ROOT, environment, equal, err, has, has_not, ntime    # noqa: E402

MACHINE = os.path.join(ROOT, 'count/tests/machine/intel-skx-2s.json')
PACKAGE = '/sys/devices/system/cpu/cpu0/topology/physical_package_id'
LOG = '[1.000001] vfio_region_write  (0000:01:00.0:region0+0x1234, 0x1, 4)\n'
test = t.test


def loaded(*args, may_fail=False):
    """Names of the libraries that ntime loads, such as libpfm."""
    done = ntime(*args, env=environment(LD_DEBUG='files'))
    if not may_fail:
        equal(done.returncode, 0, 'exit status')
    return {os.path.basename(path).split('.so')[0] for path in re.findall(r'calling init: (\S+)', err(done))}


def notes(path):
    """What a file says that it loads: {name: file}."""
    text = subprocess.run(['readelf', '-p', '.note.dlopen', path], check=True, stdout=subprocess.PIPE, text=True).stdout
    found = [json.loads(line)[0] for line in re.findall(r'(\[\{.*\}\])', text)]
    return {note['feature']: note['soname'][0] for note in found}


def programs():
    """ntime and the libraries of ours that it is linked with."""
    build = os.path.dirname(os.path.dirname(os.path.dirname(t.NTIME)))
    return [t.NTIME, *(path for path in glob.glob(f'{build}/*/lib/libntime*.so') if os.path.isfile(path))]


def dynamic(path, tag):
    text = subprocess.run(['readelf', '-dW', path], check=True, stdout=subprocess.PIPE, text=True).stdout
    return re.findall(rf'\({tag}\).*\[(.*)\]', text)


class Broken(tempfile.TemporaryDirectory):
    """A folder with a library that cannot be loaded, which is found before the real one."""

    def __init__(self, file):
        super().__init__()
        with open(os.path.join(self.name, file), 'w', encoding='ascii') as f:
            f.write('no library\n')


@test
def nothing_is_linked_that_is_not_always_needed():
    for path in programs():
        for name in dynamic(path, 'NEEDED'):
            if not re.match(r'(libntime.*|libc|libm|ld-.*|libasan|libubsan|libtsan|libdl|libpthread)\.so', name):
                raise AssertionError(f'{path} is linked with {name}')


def told():
    """Of all programs."""
    return {name: file for path in programs() for name, file in notes(path).items()}


@test
def packagers_are_told_what_is_loaded():
    for name in ('pfm', 'hwloc', 'jansson'):
        if name not in told():
            raise AssertionError(f'{name} is not in {told()}')
    compiler = os.environ.get('CC', 'cc')
    for file in told().values():
        link = subprocess.run([*compiler.split(), '-print-file-name=' + file.split('.so')[0] + '.so'], check=True,
                              stdout=subprocess.PIPE, text=True).stdout.strip()
        with open(link, 'rb') as f:
            is_script = f.read(4) != b'\x7fELF'
        if is_script:
            with open(link, encoding='utf-8') as f:
                has(f.read(), file)
        else:
            equal(dynamic(link, 'SONAME'), [file], f'{link}: its name')


@test
def libraries_are_loaded_by_those_who_need_them():
    with tempfile.NamedTemporaryFile('w', suffix='.log') as log:
        log.write(LOG * 3)
        log.flush()
        for args in (['true'], ['-e', 'page-faults,task-clock', 'true'], ['trace', 'show', log.name], ['trace', 'stat', log.name],
                     ['trace', 'convert', log.name], ['reg', 'ls']):
            # A machine may have no registers that we reach.
            seen = loaded(*args, may_fail=args[0] == 'reg')
            for name in ('libpfm', 'libhwloc', 'libjansson', 'libncursesw', 'libexpat', 'liblzma', 'libzstd'):
                # Where the kernel does not tell the package of a CPU, hwloc is asked.
                if name == 'libhwloc' and args[0] == 'reg' and not os.path.exists(PACKAGE):
                    continue
                if name in seen:
                    raise AssertionError(f'ntime {" ".join(args)} loads {name}')
    for args, name in ((['list', '--cpu', 'skx'], 'libpfm'), (['--json', 'true'], 'libjansson'),
                       (['watch', '-n', '1', '-i', '10ms', '--per', 'socket', 'tsc'], 'libhwloc')):
        if name not in loaded(*args):
            raise AssertionError(f'ntime {" ".join(args)} does not load {name}: this test cannot see it')


def broken(file, *args):
    """A run without that library."""
    with Broken(file) as folder:
        return ntime(*args, env=environment(LD_LIBRARY_PATH=folder))


@test
def without_libpfm4_software_events_count_and_others_say_what_to_install():
    done = broken('libpfm.so.4', '--json', '-e', 'page-faults,skx::INST_RETIRED,INST_RETIRED:ANY_P', 'true')
    equal(done.returncode, 0, 'exit status')
    report = json.loads(err(done))
    if not t.perf_here.why_not() and t.items(report)['page-faults']['value'] <= 0:
        raise AssertionError(f'no page faults: {report}')
    for name in ('skx::INST_RETIRED', 'INST_RETIRED:ANY_P'):
        item = t.items(report)[name]['absent']
        equal(item['remedy'], 'install libpfm4', name)
        has(item['reason'], 'libpfm.so.4')


@test
def without_libpfm4_mistakes_in_known_names_are_mistakes():
    done = broken('libpfm.so.4', '-e', 'page-faults:zz', 'true')
    equal(done.returncode, 125, 'exit status')
    has_not(err(done), 'libpfm4')


@test
def without_libpfm4_models_have_no_list():
    done = broken('libpfm.so.4', 'list', '--cpu', 'skx')
    equal(done.returncode, 125, 'exit status')
    has(err(done), 'install libpfm4')


@test
def without_hwloc_all_counts_but_tables_by_socket():
    equal(broken('libhwloc.so.15', 'true').returncode, 0, 'exit status')
    done = broken('libhwloc.so.15', 'watch', '-n', '1', '-i', '10ms', '--per', 'socket', 'tsc')
    equal(done.returncode, 125, 'exit status')
    has(err(done), 'install libhwloc15')


@test
def without_jansson_nothing_is_measured_for_json():
    done = broken('libjansson.so.4', '--json', 'sh', '-c', 'echo ran')
    equal(done.returncode, 125, 'exit status')
    equal(done.stdout, b'', 'what the command wrote')
    has(err(done), 'install libjansson4')
    has(err(broken('libjansson.so.4', 'list', '--machine', MACHINE)), 'install libjansson4')
    equal(broken('libjansson.so.4', 'true').returncode, 0, 'exit status')


@test
def doctor_names_what_is_missing():
    for name, file in notes(os.path.realpath(next(path for path in programs() if path.endswith('libntime.so')))).items():
        done = broken(file, 'doctor')
        equal(done.returncode, 1, f'exit status without {name}')
        has(done.stdout.decode(), f'{file}, which is needed for ')


@test
def who_finds_nothing_names_what_is_missing():
    has(err(broken('libpfm.so.4', 'list', 'nosuchname')), 'install libpfm4')
    has_not(err(ntime('list', 'nosuchname', env=environment())), 'install')
    for args in (('ls', 'NOSUCHNAME'), ('get', 'NOSUCHNAME')):
        done = broken('libpciaccess.so.0', 'reg', *args)
        equal(done.returncode, 125)
        if 'pciaccess' in told():
            has(err(done), 'install libpciaccess0')


@test
def without_zlib_compressed_traces_say_what_to_install():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'log.gz')
        with gzip.open(path, 'wt') as f:
            f.write(LOG)
        done = broken('libz.so.1', 'trace', 'show', path)
    equal(done.returncode, 125, 'exit status')
    has(err(done), 'install zlib1g')


if __name__ == '__main__':
    sys.exit(t.main())
