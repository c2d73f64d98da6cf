# SPDX-License-Identifier: MIT
"""Kernel modules of tests: written, built for a guest's kernel, and a command run in the guest with them."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../../base/tests'))
import tap    # noqa: E402
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path.insert(0, ROOT)
sys.dont_write_bytecode = True
from lab import cache, driver  # noqa: E402


def build(where, flavour, name, source):
    """Path of NAME.ko, of one source, for the kernels of a flavour. It needs nothing of the driver but the way to call make."""
    os.mkdir(f'{where}/driver')
    for file, text in (('Kbuild', f'obj-m := {name}.o\n'), (f'{name}.c', source)):
        with open(f'{where}/driver/{file}', 'w', encoding='utf-8') as f:
            f.write(text)
    try:
        words = driver.make_words(flavour, where)
    except cache.Unavailable as error:
        raise tap.Skip(str(error)) from None
    done = subprocess.run([*words, 'modules'], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          encoding='utf-8', errors='replace', check=False)
    tap.equal((done.returncode, done.stdout if done.returncode else ''), (0, ''))
    return f'{where}/driver/{name}.ko'


def run(guest, *words):
    """(status, stdout, stderr) of a command in a guest."""
    done = subprocess.run([os.path.join(ROOT, 'lab/ntime-lab'), 'run', guest, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, encoding='utf-8', errors='replace', check=False)
    if done.returncode == 77:
        raise tap.Skip(done.stderr.strip().split('\n')[-1])
    return done.returncode, done.stdout, done.stderr


def run_well(guest, *words):
    """stdout of a command that must end well; stderr is printed when it does not."""
    status, out, err = run(guest, *words)
    if status:
        print(*('# ' + line for line in err.split('\n')), sep='\n')
    tap.equal(status, 0)
    return out
