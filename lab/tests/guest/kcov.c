// SPDX-License-Identifier: MIT
/* Coverage of a module by calls, from the kernel's /sys/kernel/debug/kcov. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/kcov.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lab/tests/guest/kcov.h"

#define KCOV_FILE "/sys/kernel/debug/kcov"
/* Entries of what a process notes at a time; listing a large folder is a long loop. */
#define ENTRIES (1u << 17)
#define MODULE_BYTES (8u << 20) /* more is not believed */

/* One byte for each byte of the module's code, shared; not zero: reached. */
static uint8_t *reached;
static uint64_t module_base;
static size_t module_bytes;

/* Of this process. */
static int file = -1;
static unsigned long *noted; /* how many, and their addresses */

/* A line of /proc/modules: "name bytes users used_by state address". */
static bool find_module(const char *name)
{
	FILE *modules = fopen("/proc/modules", "re");
	char line[512], found[64];

	module_base = 0;
	while (modules && !module_base && fgets(line, sizeof(line), modules)) {
		if (sscanf(line, "%63s %zu %*s %*s %*s %" SCNx64, found, &module_bytes,
			   &module_base) != 3 ||
		    strcmp(found, name) != 0)
			module_base = 0;
	}
	if (modules)
		(void)fclose(modules);
	return module_base && module_bytes && module_bytes <= MODULE_BYTES;
}

const char *lab_kcov_open(const char *name)
{
	if (access(KCOV_FILE, R_OK | W_OK) != 0)
		return "this kernel has no KCOV (CONFIG_KCOV)";
	if (!find_module(name))
		return "/proc/modules does not say where the module is";
	reached =
		mmap(NULL, module_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (reached != MAP_FAILED)
		return NULL;
	reached = NULL;
	return "there is no memory for what is reached";
}

void lab_kcov_close(void)
{
	if (reached)
		(void)munmap(reached, module_bytes);
	reached = NULL;
}

int lab_kcov_attach(void)
{
	if (!reached)
		return 0;
	file = open(KCOV_FILE, O_RDWR | O_CLOEXEC);
	if (file < 0 || ioctl(file, KCOV_INIT_TRACE, (unsigned long)ENTRIES) < 0)
		return -errno;
	noted = mmap(NULL, ENTRIES * sizeof(*noted), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (noted == MAP_FAILED) {
		noted = NULL;
		return -errno;
	}
	return 0;
}

void lab_kcov_enable(bool is_first)
{
	if (!noted)
		return;
	if (is_first)
		__atomic_store_n(&noted[0], 0, __ATOMIC_RELAXED);
	(void)ioctl(file, KCOV_ENABLE, (unsigned long)KCOV_TRACE_PC);
}

void lab_kcov_disable(void)
{
	if (noted)
		(void)ioctl(file, KCOV_DISABLE, 0ul);
}

size_t lab_kcov_take(void)
{
	unsigned long count = noted ? __atomic_load_n(&noted[0], __ATOMIC_RELAXED) : 0;
	size_t news = 0;

	for (unsigned long i = 1; i <= count && i < ENTRIES; i++) {
		uint64_t at = noted[i] - module_base;

		if (noted[i] >= module_base && at < module_bytes && !reached[at])
			news += __atomic_exchange_n(&reached[at], 1, __ATOMIC_RELAXED) == 0;
	}
	return news;
}

size_t lab_kcov_places(void)
{
	size_t places = 0;

	for (size_t i = 0; reached && i < module_bytes; i++)
		places += reached[i];
	return places;
}
