/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Units of CPUs and packages, following the CPUs. */
#ifndef NTD_HOTPLUG_H
#define NTD_HOTPLUG_H

/**
 * ntd_hotplug_init() - add the CPUs that are on line, and watch
 *
 * Return: 0 or why one of them cannot be shown.
 */
int ntd_hotplug_init(void);

/**
 * ntd_hotplug_exit() - watch no more
 *
 * Nothing is mounted, so nothing is open.
 */
void ntd_hotplug_exit(void);

#endif
