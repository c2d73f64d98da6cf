/* SPDX-License-Identifier: MIT */
/* The guest x86-gpu: its cards, their registers reached without ntime, and what the host played. */
#ifndef LAB_CARD_H
#define LAB_CARD_H

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lab/tests/guest/host.h"
#include "lab/tests/guest/outside.h"

#define CARD "0000:00:05.0"
#define PLUGGED "0000:00:06.0"
#define FUNCTIONS "/sys/bus/pci/devices/"
#define BAR_BYTES 0x1000000
#define DEBUG_1 0x400084
#define TRIGGER 0x20
#define COUNTERS 0xa400
#define COUNTERS_END 0xa600 /* signals and functions of all domains */

static const char *const chips[] = { "G80", "G84", "G86",  "G92",   "G94",
				     "G96", "G98", "G200", "GT215", "GT216" };

/* ---- registers, reached without ntime ---- */

static inline volatile uint32_t *map(const char *function)
{
	char path[96];
	void *bar;
	int fd;

	snprintf(path, sizeof(path), FUNCTIONS "%s/resource0", function);
	fd = open(path, O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0);
	bar = mmap(NULL, BAR_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	assert_true(bar != MAP_FAILED);
	return bar;
}

/*
 * Of all registers that set up counters and multiplexers; states and counts change by themselves.
 */
static inline uint64_t sum(volatile uint32_t *bar)
{
	static const uint32_t others[] = { 0x400c0c, 0x402ca4, 0x407008, 0x40708c, 0x408508,
					   0x40851c, 0x408750, 0x40833c, 0x408340 };
	uint64_t all = 0;

	for (uint32_t at = COUNTERS; at < COUNTERS_END; at += 4)
		all = all * 31 + bar[at / 4];
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		all = all * 31 + bar[others[i] / 4];
	return all;
}

static inline uint64_t truth(const char *card, const char *event)
{
	char request[128], answer[64];

	snprintf(request, sizeof(request), "truth %s %s", card, event);
	host_ask(request, answer, sizeof(answer));
	return strtoull(answer + strcspn(answer, "0123456789"), NULL, 10);
}

static inline void wait_for(const char *function, bool is_there)
{
	char path[96];

	snprintf(path, sizeof(path), FUNCTIONS "%s", function);
	for (int i = 0; (access(path, F_OK) == 0) != is_there; i++) {
		assert_true(i < 3000);
		usleep(10000);
	}
}

/* QEMU has the slot free a moment after the guest has. */
static inline void plug(const char *name)
{
	char line[64], out[LAB_OUTPUT];

	snprintf(line, sizeof(line), "/lab/host plug %s", name);
	for (int i = 0; lab_shell(line, out) != 0; i++) {
		if (i == 1000)
			fail_msg("%s: %s", line, out);
		usleep(10000);
	}
	wait_for(PLUGGED, true);
	/* Its folder comes before the kernel has found a place for its memory. */
	for (int i = 0;
	     lab_shell("grep -q '^0x0*[1-9a-f].* ' " FUNCTIONS PLUGGED "/resource", out) != 0;
	     i++) {
		assert_true(i < 1000);
		usleep(10000);
	}
}

static inline void unplug(const char *name)
{
	host_tell("unplug %s", name);
	wait_for(PLUGGED, false);
}

#endif
