#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The guest whose kernel checks itself: what it must report it does report, and of a run without faults it says nothing. Speaks TAP."""
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path.insert(0, ROOT)
sys.dont_write_bytecode = True
from lab import cache, driver  # noqa: E402
from tap import Skip, equal, holds, main, test  # noqa: E402

GUEST, FLAVOUR = 'x86-debug', 'amd64-debug'
# A module that does each thing once that a driver must not do.
FAULTY = r'''
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

static DEFINE_MUTEX(first);
static DEFINE_MUTEX(second);
static DEFINE_SPINLOCK(spin);
static volatile int forty = 40, eight = 8, sink;

static void take(struct mutex *a, struct mutex *b)
{
	mutex_lock(a);
	mutex_lock(b);
	mutex_unlock(b);
	mutex_unlock(a);
}

static int __init faulty_init(void)
{
	char *block = kzalloc(8, GFP_KERNEL);
	int i;

	if (!block)
		return -ENOMEM;
	/* First: lockdep does not go on after another report. */
	take(&first, &second);
	take(&second, &first);
	sink = block[eight];
	kfree(block);
	sink = *(volatile char *)block;
	sink = 1 << forty;
	/* One of them may still stand in a register that was saved. */
	for (i = 0; i < 20; i++)
		sink = (long)kmalloc(100, GFP_KERNEL) == 1;
	spin_lock(&spin);
	might_sleep();
	spin_unlock(&spin);
	return 0;
}

static void __exit faulty_exit(void)
{
}

module_init(faulty_init);
module_exit(faulty_exit);
MODULE_DESCRIPTION("faults that a kernel finds");
MODULE_LICENSE("Dual MIT/GPL");
'''
# Kind that lab/log.py gives it -> words of the kernel.
REPORTS = {
    'KASAN: slab-out-of-bounds in faulty_init': 'sanitizer', 'KASAN: use-after-free in faulty_init': 'sanitizer',
    'UBSAN: shift-out-of-bounds': 'sanitizer', 'BUG: sleeping function called from invalid context': 'bug',
    'WARNING: possible circular locking dependency detected': 'warning', 'unreferenced object 0x': 'leak',
}


def run(*words, where=None):
    """(status, stdout, stderr) of a command in the guest."""
    done = subprocess.run([os.path.join(ROOT, 'lab/ntime-lab'), 'run', GUEST, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, encoding='utf-8', errors='replace', cwd=where, check=False)
    if done.returncode == 77:
        raise Skip(done.stderr.strip().split('\n')[-1])
    return done.returncode, done.stdout, done.stderr


def faulty(where):
    """Build the module; it needs nothing of the driver but the way to call make."""
    os.mkdir(f'{where}/driver')
    for name, text in (('Kbuild', 'obj-m := faulty.o\n'), ('faulty.c', FAULTY)):
        with open(f'{where}/driver/{name}', 'w', encoding='utf-8') as f:
            f.write(text)
    try:
        words = driver.make_words(FLAVOUR, where)
    except cache.Unavailable as error:
        raise Skip(str(error)) from None
    done = subprocess.run([*words, 'modules'], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          encoding='utf-8', errors='replace', check=False)
    equal((done.returncode, done.stdout if done.returncode else ''), (0, ''))
    return f'{where}/driver/faulty.ko'


@test
def run_without_faults_is_clean():
    status, out, err = run('--', 'sh', '-c', 'uname -r; grep -c processor /proc/cpuinfo; test -e /sys/kernel/debug/kmemleak && echo looks')
    if status:
        print(*('# ' + line for line in err.split('\n')), sep='\n')
    equal(status, 0)
    release, cpus, looks = out.split()
    holds(release, '-ntime-debug')
    equal((cpus, looks), ('2', 'looks'))


@test
def every_kind_of_fault_is_reported():
    with tempfile.TemporaryDirectory(prefix='ntime-lab-test-') as where:
        status, out, err = run('--file', faulty(where), '--', 'sh', '-c', 'insmod /lab/faulty.ko && echo loaded', where=where)
    equal((status, out), (125, 'loaded\n'))
    sentence = next((line for line in err.split('\n') if f'the kernel of {GUEST} reported: ' in line), err)
    for words, kind in REPORTS.items():
        holds(err, words)
        holds(sentence, kind)


if __name__ == '__main__':
    sys.exit(main())
