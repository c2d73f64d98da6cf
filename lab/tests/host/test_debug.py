#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The guest whose kernel checks itself: what it must report it does report, and of a run without faults it says nothing. Speaks TAP."""
import os
import sys
import tempfile

import module
from tap import equal, holds, main, test
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


@test
def every_kind_of_fault_is_reported():
    """That a run without faults is clean the driver's tests in this guest show."""
    with tempfile.TemporaryDirectory(prefix='ntime-lab-test-') as where:
        faulty = module.build(where, FLAVOUR, 'faulty', FAULTY)
        status, out, err = module.run(GUEST, '--file', faulty, '--', 'sh', '-c',
                                      'uname -r; grep -c processor /proc/cpuinfo; test -e /sys/kernel/debug/kmemleak && echo looks; insmod /lab/faulty.ko && echo loaded')
    release, *said = out.split()
    holds(release, '-ntime-debug')
    equal((status, said), (125, ['2', 'looks', 'loaded']))
    sentence = next((line for line in err.split('\n') if f'the kernel of {GUEST} reported: ' in line), err)
    for words, kind in REPORTS.items():
        holds(err, words)
        holds(sentence, kind)


if __name__ == '__main__':
    sys.exit(main())
