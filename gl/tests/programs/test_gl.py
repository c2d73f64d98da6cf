#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ntime gl: its command line, its list, and programs that it can do nothing for. Speaks TAP.

Usage: test_gl.py NTIME [-k WORD]
"""
import csv
import glob
import io
import json
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../../base/tests'))
import command as t    # noqa: E402
from command import Directory, environment, equal, err, has, has_not, ntime    # noqa: E402
test = t.test
DRIVERS = '/usr/share/glvnd/egl_vendor.d'


def needs_driver(function):
    """Of EGL, for a context without a window; Mesa has one for every machine."""
    def checked():
        if not glob.glob(f'{DRIVERS}/*.json'):
            raise t.Skip(f'no OpenGL driver is installed: {DRIVERS} is empty (libgl1-mesa-dri, libegl1)')
        function()

    checked.__name__ = function.__name__
    return test(checked)


def listed(*args, env=None):
    done = ntime('gl', 'list', '--json', *args, env=env)
    equal(done.returncode, 0, err(done))
    return json.loads(done.stdout)


@test
def status_and_output_are_the_programs():
    done = ntime('gl', '-q', '--', 'sh', '-c', 'cat; echo out; echo err >&2; exit 7', stdin=None, input=b'in ')
    equal((done.returncode, done.stdout, done.stderr), (7, b'in out\n', b'err\n'))
    equal(ntime('gl', 'sh', '-c', 'kill -TERM $$').returncode, -15)


@test
def wrong_command_lines():
    for args, status, part in (
            ((), 125, 'name a program to run, or an action: list, harness, scene'),
            (('--',), 125, 'name a program to run'),
            (('--nosuch', 'true'), 125, 'nosuch'),
            (('--vendor', '', 'true'), 125, '--vendor needs a name'),
            (('--csv', 'true'), 125, 'name a program to run'),
            (('--csv', 'x', 'list'), 125, "its options stand behind 'list'"),
            (('--es', 'true'), 125, "--es"),
            (('--hud', '/nonexistent/folder', 'true'), 125, 'cannot write to the folder /nonexistent/folder'),
            (('--csv', '/nonexistent/x.csv', 'true'), 125, '/nonexistent/x.csv'),
            (('--frames', '/dev/null', 'true'), 125, '/dev/null is no regular file'),
            (('-e', 'page-faults,' + 'x' * 4200, 'true'), 125, '-e has 4212 characters'),
            (('list', '--csv', '--json'), 125, 'cannot be combined'),
            (('--preload', 'list'), 125, 'use ntime gl --preload ntime gl list'),
            (('--preload', '--vendor', 'mesa', 'true'), 125, '--vendor asks glvnd for a driver'),
            (('list', 'x'), 125, "list takes no argument, but there is 'x'"),
            (('-e', 'nosuch', 'touch', 'ran'), 125, "no event 'nosuch'"),
            (('-e', 'page-faults,', 'touch', 'ran'), 125, ''),
            (('-e', 'samples-passed,', 'touch', 'ran'), 125, ''),
            (('nosuch-program',), 127, 'nosuch-program: command not found'),
            (('/etc/passwd',), 126, 'cannot execute /etc/passwd: Permission denied')):
        with Directory():
            done = ntime('gl', *args)
            equal(done.returncode, status, args)
            has(err(done), part)
            equal(os.path.exists('ran'), False, args)
    equal(ntime('gl', '--', 'list').returncode, 127)


@test
def preload_stands_in_front_and_once():
    env = environment(LD_PRELOAD='libc.so.6')
    for name in ('NTIME_GL_EGL_VENDORS', '__EGL_VENDOR_LIBRARY_FILENAMES'):
        env.pop(name, None)
    show = ('sh', '-c', 'echo "$LD_PRELOAD ${__EGL_VENDOR_LIBRARY_FILENAMES-none}"')
    first = ntime('gl', '-q', '--preload', '--', *show, env=env)
    equal((first.returncode, err(first)), (0, ''))
    has(first.stdout.decode(), '/libGL_ntime_preload.so.0:libc.so.6 none')
    for inner in ((t.NTIME, 'gl', '--preload', '--'), (t.NTIME, 'gl', '--')):
        equal(ntime('gl', '--preload', '--', *inner, *show, env=env).stdout, first.stdout)
    has_not(ntime('gl', '--', t.NTIME, 'gl', '--preload', '--', *show, env=env).stdout.decode(), 'preload')
    # What uses no OpenGL loads none.
    loaded = ntime('gl', '--preload', 'sh', '-c', 'cat /proc/$$/maps', env=env).stdout.decode()
    has(loaded, 'libGL_ntime_preload')
    has_not(loaded, 'libGLX')
    has_not(loaded, 'libEGL')


@test
def preload_lists_the_same():
    plain = ntime('gl', 'list', '--csv')
    preloaded = ntime('gl', '--preload', t.NTIME, 'gl', 'list', '--csv')
    equal((preloaded.returncode, preloaded.stdout), (plain.returncode, plain.stdout), err(preloaded))


@test
def absent_events_are_named_and_the_program_runs():
    done = ntime('gl', '-e', 'page-faults', '-e', 'cs_etm/cycacc/,context-switches', 'echo', 'ran')
    equal(done.stdout, b'ran\n')
    has(err(done), 'is not counted: ')


@test
def programs_that_load_no_library_run_without():
    with Directory():
        for source, name, what in (('/bin/true', 'true', None), ('/sbin/ldconfig', 'static', 'it is linked statically')):
            shutil.copy(source, name)
            done = ntime('gl', '-q', f'./{name}', *(['-V'] if name == 'static' else []))
            equal(done.returncode, 0)
            equal(err(done), f'ntime: ./{name} runs without counters: it is linked statically and loads no libraries\n' if what else '')
        with open('/bin/true', 'rb') as f:
            wide = bytearray(f.read())
        wide[4] = 3 - wide[4]
        with open('narrow', 'wb') as f:
            f.write(wide)
        os.chmod('narrow', 0o755)
        done = ntime('gl', './narrow')
        has(err(done), './narrow runs without counters: it is a program of another word size')
        if os.geteuid() == 0:
            shutil.copy('/bin/true', 'setuid')
            os.chown('setuid', 65534, 65534)
            os.chmod('setuid', 0o4755)
            done = ntime('gl', './setuid')
            equal(done.returncode, 0)
            has(err(done), 'it is set-uid or set-gid')


@test
def without_a_driver_the_program_runs():
    with Directory() as empty:
        env = environment(__EGL_VENDOR_LIBRARY_DIRS=empty)
        for name in ('NTIME_GL_EGL_VENDORS', '__EGL_VENDOR_LIBRARY_FILENAMES'):
            env.pop(name, None)
        done = ntime('gl', 'sh', '-c', 'echo "${__EGL_VENDOR_LIBRARY_FILENAMES-none}"', env=env)
        equal((done.returncode, done.stdout), (0, b'none\n'))
        has(err(done), f"no OpenGL driver for EGL is installed: glvnd's folders ({empty}) name none")
        done = ntime('gl', 'list', env=env)
        equal((done.returncode, done.stdout), (125, b''))
        has(err(done), 'no OpenGL driver for EGL is installed')
        # A file that is none, and one of a driver that is not there.
        with open('10.json', 'w', encoding='ascii') as f:
            f.write('{')
        with open('20.json', 'w', encoding='ascii') as f:
            json.dump({'file_format_version': '1.0.0', 'ICD': {'library_path': 'libEGL_nosuch.so.0'}}, f)
        done = ntime('gl', '-q', 'sh', '-c', 'echo "$NTIME_GL_EGL_VENDORS"', env=env)
        equal((done.returncode, done.stdout, err(done)), (0, b'libEGL_nosuch.so.0\n', ''))
        done = ntime('gl', '--vendor', 'mesa', 'echo', 'ran', env=env)
        equal(done.stdout, b'ran\n')
        has(err(done), 'no OpenGL driver called mesa for EGL is installed')
        done = ntime('gl', 'list', env=env)
        equal((done.returncode, done.stdout), (125, b''))
        has(err(done), 'asked were libEGL_nosuch.so.0')
        for folder, told in (('/nonexistent', 'cannot find /nonexistent: '), (empty, f'cannot read {empty}/egl.json: ')):
            done = ntime('gl', 'echo', 'ran', env=dict(env, NTIME_GL_FOLDER=folder))
            equal(done.stdout, b'ran\n')
            has(err(done), f'{told}No such file or directory')


@needs_driver
def list_shows_what_a_program_would_see():
    counters = listed()['counters']
    there = {(c['group'], c['name']): c for c in counters if c['usable']}
    for name in ('samples-passed', 'primitives-generated'):
        has(there, ('pipeline', name))
    for c in counters:
        equal('reason' in c, not c['usable'], c)
        if not c['usable']:
            has_not(c['reason'], '\n')
    for group in ('cpu', 'pipeline'):
        equal({c['most_active'] for c in there.values() if c['group'] == group}, {sum(key[0] == group for key in there)})
    done = ntime('gl', 'list', '--csv')
    rows = list(csv.DictReader(io.StringIO(done.stdout.decode())))
    equal([row['name'] for row in rows], [c['name'] for c in counters])
    text = ntime('gl', 'list').stdout.decode()
    for c in counters:
        has(text, c['name'])


@needs_driver
def a_driver_that_aborts_is_named():
    cc = shutil.which('cc') or shutil.which('gcc')
    if not cc:
        raise t.Skip('there is no compiler to make a driver with')
    with Directory():
        with open('a.c', 'w', encoding='ascii') as f:
            f.write('#include <stdlib.h>\nint __egl_Main(void) { abort(); }\n')
        subprocess.run([cc, '-shared', '-fPIC', '-o', 'libEGL_bad.so', 'a.c'], check=True)
        with open('bad.json', 'w', encoding='ascii') as f:
            json.dump({'file_format_version': '1.0.0', 'ICD': {'library_path': os.path.abspath('libEGL_bad.so')}}, f)
        done = ntime('gl', 'list', env=environment(__EGL_VENDOR_LIBRARY_FILENAMES=os.path.abspath('bad.json')))
        equal((done.returncode, done.stdout), (125, b''), err(done))
        has(err(done), 'was ended by signal 6 (Aborted)')


@needs_driver
def list_has_the_events_of_the_user():
    counters = {c['name']: c for c in listed('-e', 'tsc,context-switches')['counters'] if c['group'] == 'ntime'}
    equal(sorted(name.split()[0] for name in counters), ['context-switches', 'tsc'])
    # Words and numbers say the same of a context of OpenGL ES.
    es = {c['name']: c for c in listed('--es')['counters'] if c['group'] == 'pipeline'}
    equal((es['samples-passed']['usable'], es['samples-passed']['reason']), (False, 'OpenGL ES has no such query'))
    equal((es['primitives-generated']['usable'], es['primitives-generated']['type']), (True, 'uint32'))


@needs_driver
def what_stands_in_the_environment_is_kept():
    plain = ntime('gl', 'list', '--csv').stdout
    found = ntime('gl', 'sh', '-c', 'echo "$__EGL_VENDOR_LIBRARY_FILENAMES"').stdout.decode().strip()
    # What the documentation says to export without ntime gl; a choice of drivers alone; a folder from here.
    for env in ({'__EGL_VENDOR_LIBRARY_FILENAMES': found}, {'NTIME_GL_EGL_VENDORS': 'libEGL_mesa.so.0'},
                {'NTIME_GL_FOLDER': os.path.relpath(os.path.dirname(found))}):
        done = ntime('gl', '--', 'sh', '-c', f'cd /; exec {t.NTIME} gl list --csv', env=environment(**env))
        equal((done.returncode, done.stdout), (0, plain), f'{env}: {err(done)}')
    done = ntime('gl', 'list', env=environment(__EGL_VENDOR_LIBRARY_FILENAMES='/nonexistent.json'))
    equal(done.returncode, 125)
    has(err(done), 'the files of __EGL_VENDOR_LIBRARY_FILENAMES (/nonexistent.json) name none')
    # A list of drivers that names nobody, or us, is no endless search.
    for names in (':', 'libGLX_ntime.so.0', 'libEGL_ntime.so.0'):
        done = ntime('gl', 'list', env=environment(NTIME_GL_EGL_VENDORS=names, NTIME_GL_GLX_VENDORS=names))
        equal(done.returncode in (0, 125), True, names)


@needs_driver
def one_within_another_is_one():
    inner = ntime('gl', '-q', '--', t.NTIME, 'gl', 'list', '--csv')
    equal(inner.stdout, ntime('gl', 'list', '--csv').stdout)
    equal(err(inner), '')


@needs_driver
def list_ends_well_on_a_closed_pipe():
    with open('/dev/full', 'wb') as full:
        done = ntime('gl', 'list', stdout=full)
    equal(done.returncode, 125)
    has(err(done), 'No space left')


@test
def help_tells():
    for args in (('gl', '--help'), ('help', 'gl'), ('gl', 'list', '--help')):
        done = ntime(*args)
        equal(done.returncode, 0)
        has(done.stdout.decode(), 'counters')


if __name__ == '__main__':
    sys.exit(t.main())
