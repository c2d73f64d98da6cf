// SPDX-License-Identifier: GPL-2.0 OR MIT
/* ntime.ko: every register of the processor a file. */
#include <linux/module.h>

#include "driver/fs.h"
#include "driver/hotplug.h"
#include "driver/node.h"
#include "driver/ntd.h"
#include "driver/status.h"
#include "driver/tree.h"

/*
 * Files can be opened from ntd_fs_init() on, when all units are there, until it is taken back,
 * before any of them goes.
 */
static int __init ntd_init(void)
{
	int ret = ntd_arch_init();

	if (ret)
		return ret;
	ret = ntd_node_init();
	if (ret)
		goto err_arch;
	ret = ntd_hotplug_init();
	if (ret)
		goto err_arch;
	ret = ntd_device_init();
	if (ret)
		goto err_hotplug;
	ret = ntd_fs_init();
	if (ret)
		goto err_device;
	return 0;
err_device:
	ntd_device_exit();
err_hotplug:
	ntd_hotplug_exit();
err_arch:
	ntd_tree_exit();
	ntd_arch_exit();
	return ret;
}

/* Nothing is mounted, so nothing is open: both hold the module. */
static void __exit ntd_exit(void)
{
	ntd_fs_exit();
	ntd_status_exit();
	ntd_device_exit();
	ntd_hotplug_exit();
	ntd_tree_exit();
	ntd_arch_exit();
}

module_init(ntd_init);
module_exit(ntd_exit);

MODULE_AUTHOR("The ntime authors");
MODULE_DESCRIPTION("Every performance register a file, on /sys/devices/ntime");
MODULE_LICENSE("Dual MIT/GPL");
MODULE_VERSION("1");
