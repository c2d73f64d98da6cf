// SPDX-License-Identifier: MIT
/*
 * The test device of some guests: its registers as the driver has them, and how it goes and comes.
 */
#include <dirent.h>
#include <unistd.h>

#include "lab/tests/guest/device.h"

/*
 * Folder of the test device's registers in memory, as "gpu0/mmio"; it answers when its command
 * register says so.
 */
static const char *memory_of_test_device(void)
{
	static char folder[LAB_PATH];
	char file[LAB_FILE];
	uint32_t memory = 2;
	struct dirent *entry;
	DIR *root;

	if (access(LAB_TEST_DEVICE "config", F_OK) != 0)
		TT_SKIP("this guest has no test device");
	(void)lab_config(LAB_TEST_DEVICE, 4, 2, &memory);
	root = opendir(NTIME_FS_PATH);
	assert_non_null(root);
	*folder = '\0';
	while (!*folder && (entry = readdir(root))) {
		(void)snprintf(folder, sizeof(folder), "%s/mmio", entry->d_name);
		if (entry->d_name[0] == '.' || access(lab_reg_path(folder, file), F_OK) != 0)
			*folder = '\0';
	}
	(void)closedir(root);
	if (!*folder)
		fail_msg("the test device is not in the tree");
	return folder;
}

const char *lab_of_test_device(unsigned int offset, char path[LAB_PATH])
{
	(void)snprintf(path, LAB_PATH, "%s/0x%06x", memory_of_test_device(), offset);
	return path;
}

uint64_t lab_load(const struct lab_map *map)
{
	const uint8_t *at = map->pages + map->page.device + map->page.offset;

	if (map->page.load_bytes == 8)
		return *(volatile const uint64_t *)(const void *)at;
	return *(volatile const uint32_t *)(const void *)at;
}

long lab_do_remove_device(void *unused)
{
	(void)unused;
	return lab_write(LAB_TEST_DEVICE "remove", "1");
}

long lab_do_rescan(void *unused)
{
	uint32_t memory = 2;
	int ret = lab_write("/sys/bus/pci/rescan", "1");

	(void)unused;
	if (ret == 0 && access(LAB_TEST_DEVICE "config", F_OK) == 0)
		(void)lab_config(LAB_TEST_DEVICE, 4, 2, &memory);
	return ret;
}
