#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ntime.ko keeps off a device that somebody in the kernel has for himself: its configuration space, its memory. Speaks TAP."""
import os
import sys
import tempfile

import module
from tap import equal, holds, main, test
GUEST, FLAVOUR = 'x86-pci', 'amd64'
# Has a function for itself as long as it is loaded: what a reset does to configuration space, and a driver to memory.
HOLDER = r'''
#include <linux/ioport.h>
#include <linux/module.h>
#include <linux/pci.h>

static int bus, devfn;
static bool config, memory;
module_param(bus, int, 0);
module_param(devfn, int, 0);
module_param(config, bool, 0);
module_param(memory, bool, 0);
static struct pci_dev *pdev;

static int __init holder_init(void)
{
	pdev = pci_get_domain_bus_and_slot(0, bus, devfn);
	if (!pdev)
		return -ENODEV;
	if (memory && !request_mem_region_exclusive(pci_resource_start(pdev, 0), pci_resource_len(pdev, 0), "holder")) {
		pci_dev_put(pdev);
		return -EBUSY;
	}
	if (config)
		pci_cfg_access_lock(pdev);
	return 0;
}

static void __exit holder_exit(void)
{
	if (config)
		pci_cfg_access_unlock(pdev);
	if (memory)
		release_mem_region(pci_resource_start(pdev, 0), pci_resource_len(pdev, 0));
	pci_dev_put(pdev);
}

module_init(holder_init);
module_exit(holder_exit);
MODULE_DESCRIPTION("has a PCI function for itself");
MODULE_LICENSE("Dual MIT/GPL");
'''
# A memory channel, and the test device with its memory on.
START = '''
insmod /lab/ntime.ko && mount -t ntime ntime /sys/devices/ntime && cd /sys/devices/ntime || exit 1
printf '\\002' | dd of=/sys/bus/pci/devices/0000:00:05.0/config bs=1 seek=4 conv=notrunc 2>/dev/null
CHANNEL='bus=127 devfn=128' C=uncore0/pci/D16:F0/0x0f4
DEVICE='bus=0 devfn=40' D=device0/mmio/0x000000
'''
# A reader of $1 waits while configuration space of $2 is held, and reads what it reads without.
HELD = '''
held() {
	before=$(cat $1)
	insmod /lab/holder.ko $2 config=1
	cat $1 >/tmp/out &
	sleep 1
	test -s /tmp/out && echo "$1: read" || echo "$1: waits"
	rmmod holder
	wait
	test "$(cat /tmp/out)" = "$before" && echo "$1: the same"
}
held $C "$CHANNEL"
held $D "$DEVICE"
'''
CLAIMED = '''
cat $D
insmod /lab/holder.ko $DEVICE memory=1
cat $D 2>&1
grep '^last refusal' status
echo 5 2>&1 >device0/mmio/0x000008
cat $C
rmmod holder
cat $D
'''


def run(script):
    """stdout of a shell in the guest that has both modules."""
    with tempfile.TemporaryDirectory(prefix='ntime-lab-test-') as where:
        holder = module.build(where, FLAVOUR, 'holder', HOLDER)
        return module.run_well(GUEST, '--driver', '--file', holder, '--', 'sh', '-c', START + script)


@test
def configuration_space_that_is_held_is_waited_for():
    equal(run(HELD), ''.join(f'{r}: waits\n{r}: the same\n' for r in ('uncore0/pci/D16:F0/0x0f4', 'device0/mmio/0x000000')))


@test
def memory_that_is_claimed_is_refused():
    before, refused, why, written, other, after = run(CLAIMED).splitlines()
    equal((before, after), ('0x000000006d69746e',) * 2)
    holds(refused, 'Device or resource busy')
    holds(why, 'claimed its memory for itself alone')
    holds(written, 'Device or resource busy')
    holds(other, '0x')


if __name__ == '__main__':
    sys.exit(main())
