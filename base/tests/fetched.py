# SPDX-License-Identifier: MIT
"""Debian's packages whose programs tests run, and which are not installed: they would start services, or take much room.

A package is fetched into ${XDG_CACHE_HOME:-~/.cache}/ntime/PACKAGE. What is there already is used as it is.
"""
import glob
import os
import shutil
import subprocess
import tempfile

FETCH_SECONDS = 300


class Absent(Exception):
    """Something is missing on this machine; the text says what and why."""


def folder(name):
    """The package's folder of the cache; it exists afterwards."""
    base = os.environ.get('XDG_CACHE_HOME') or os.path.join(os.path.expanduser('~'), '.cache')
    path = os.path.join(os.path.abspath(base), 'ntime', name)
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as error:
        raise Absent(f'the cache folder {path} cannot be made ({error.strerror}); set XDG_CACHE_HOME') from error
    return path


def need(name, *tools):
    for tool in tools:
        if not shutil.which(tool):
            raise Absent(f'the package {name} cannot be fetched or unpacked without {tool}')


def package(name):
    """The package's file, fetched if it is not there."""
    path = os.path.join(folder(name), f'{name}.deb')
    if os.path.exists(path):
        return path
    need(name, 'apt-get')
    with tempfile.TemporaryDirectory(prefix='.new-', dir=folder(name)) as new:
        try:
            done = subprocess.run(['apt-get', '-o', 'Acquire::http::Timeout=20', '-o', 'Acquire::Retries=1', 'download', name], cwd=new,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding='utf-8', errors='replace',
                                  timeout=FETCH_SECONDS, check=False)
        except subprocess.TimeoutExpired as error:
            raise Absent(f'the package {name} did not arrive within {FETCH_SECONDS} s') from error
        found = glob.glob(f'{new}/*.deb')
        if done.returncode or not found:
            errors = [line for line in done.stderr.splitlines() if line.startswith('E:')]
            raise Absent(f'apt-get download {name} failed: {errors[-1] if errors else f"exit status {done.returncode}"}')
        # Whole or not there, whoever else does the same.
        os.replace(found[0], path)
    return path


def program(name, path):
    """@path of the package, unpacked beside it."""
    root = os.path.join(folder(name), 'root')
    if not os.path.exists(root):
        need(name, 'dpkg-deb')
        with tempfile.TemporaryDirectory(prefix='.new-', dir=folder(name)) as new:
            done = subprocess.run(['dpkg-deb', '-x', package(name), f'{new}/root'], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, encoding='utf-8', errors='replace', check=False)
            if done.returncode:
                raise Absent(f'the package {name} cannot be unpacked: {done.stdout.strip()}')
            try:
                os.rename(f'{new}/root', root)
            except OSError:    # another run was faster
                pass
    if not os.path.exists(f'{root}{path}'):
        raise Absent(f'the package {name} has no {path} (remove {root} to have it fetched again)')
    return f'{root}{path}'
