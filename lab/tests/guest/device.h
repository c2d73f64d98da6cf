/* SPDX-License-Identifier: MIT */
/*
 * The test device of some guests: its configuration space, and its registers as the driver has
 * them.
 */
#ifndef LAB_DEVICE_H
#define LAB_DEVICE_H

#include "lab/tests/guest/driver.h"

/* Its folder in sysfs. */
#define LAB_TEST_DEVICE "/sys/bus/pci/devices/0000:00:05.0/"

/* @bytes at @at of a function's configuration space, by the kernel's own file; @set: written. */
uint32_t lab_config(const char *device, off_t at, size_t bytes, const uint32_t *set);
/*
 * Path of the test device's register in memory at @offset. Its memory is switched on. Skips the
 * test where there is no test device.
 */
const char *lab_of_test_device(unsigned int offset, char path[LAB_PATH]);
/* A load from the device's page. */
uint64_t lab_load(const struct lab_map *map);

#endif
