/* SPDX-License-Identifier: MIT */
/*
 * The test device of some guests: its registers as the driver has them, and how it goes and comes.
 */
#ifndef LAB_DEVICE_H
#define LAB_DEVICE_H

#include "lab/tests/guest/driver.h"
#include "lab/tests/guest/file.h"

/* Its folder in sysfs. */
#define LAB_TEST_DEVICE "/sys/bus/pci/devices/0000:00:05.0/"

/*
 * Path of the test device's register in memory at @offset. Its memory is switched on. Skips the
 * test where there is no test device.
 */
const char *lab_of_test_device(unsigned int offset, char path[LAB_PATH]);
/* A load from the device's page. */
uint64_t lab_load(const struct lab_map *map);

/* By the kernel: it removes the device, and finds it again, whose memory is then switched on. */
long lab_do_remove_device(void *unused);
long lab_do_rescan(void *unused);

#endif
