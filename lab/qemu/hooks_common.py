# SPDX-License-Identifier: GPL-2.0-or-later
"""Places that all targets share: how many instructions each virtual CPU has executed."""
from insert import Hook

COPIES = {'configs/devices/arm-softmmu/ntime.mak': 'ntime-arm.mak'}
HOOKS = [
    Hook('include/hw/core/cpu.h', r'^    int64_t icount_extra;$', 'after',
         '\n    int64_t ntime_executed; /* instructions, up to the last update of icount */',
         'a total for each CPU: the one that QEMU keeps is of all CPUs together'),
    Hook('softmmu/icount.c', r'^    cpu->icount_budget -= executed;$', 'after',
         '\n    cpu->ntime_executed += executed;',
         'the only place that takes executed instructions off a budget'),
    Hook('hw/remote/mpqemu-link.c', r'    bool iolock = qemu_mutex_iothread_locked\(\);', 'replace',
         '    bool iolock = false;',
         'two CPUs at one device: who waits for its answer without the global lock wants that back while he holds the device, and who has it waits for the '
         'device', 2),
]
