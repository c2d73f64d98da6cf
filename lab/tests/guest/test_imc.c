// SPDX-License-Identifier: MIT
/*
 * Inside x86-pci and x86-pci-2s, as root: memory channels in PCI space count what the host is told,
 * through the kernel's driver and then, when that was unloaded, through configuration space. Each
 * channel of each socket counts its own, beyond 48 bits, beside counters that somebody has, and
 * while another channel is taken away.
 */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <linux/perf_event.h>

#include "lab/tests/guest/driver.h"
#include "lab/tests/guest/file.h"
#include "lab/tests/guest/host.h"
#include "lab/tests/guest/outside.h"
#include "lab/tests/guest/sessions.h"

#define CHANNELS 4
#define MANY 16
#define COUNTERS 4
#define PCI "/sys/bus/pci/devices/"
#define CONTROL 0xd8 /* of counter 0, 4 bytes a counter */
#define COUNTER 0xa0 /* 8 bytes a counter */
#define RUNS 0x400000
#define WRAP ((uint64_t)1 << 48)
#define READS "uncore_imc_%u/event=0x04,umask=0x03/"

static const unsigned int functions[CHANNELS] = { 0, 1, 4, 5 };
static const char *const buses[2] = { "7f", "ff" };

/* ---- the channels ---- */

static unsigned int sockets(void)
{
	return access(PCI "0000:ff:0b.0", F_OK) == 0 ? 2 : 1;
}

/* Its folder in sysfs. */
static const char *device(unsigned int socket, unsigned int channel)
{
	static char name[4][64];
	static unsigned int turn;
	char *at = name[turn++ % 4];

	snprintf(at, sizeof(name[0]), PCI "0000:%s:10.%u/", buses[socket], functions[channel]);
	return at;
}

/* Tell the host that something happened. */
static void happen(unsigned int socket, unsigned int channel, const char *what, uint64_t number)
{
	const char *bus = sockets() == 2 ? buses[socket] : "";

	host_tell("count %s%s16.%u %s %llu", bus, *bus ? "." : "", functions[channel], what,
		  (unsigned long long)number);
}

static uint32_t config_get(const char *name, off_t at)
{
	return lab_config(name, at, 4, NULL);
}

static void config_set(const char *name, off_t at, uint32_t value)
{
	(void)lab_config(name, at, 4, &value);
}

/* Counters and controls of all channels. */
struct registers {
	uint32_t value[2][CHANNELS][0x58 / 4];
};

static void take(struct registers *all)
{
	for (unsigned int s = 0; s < sockets(); s++)
		for (unsigned int c = 0; c < CHANNELS; c++)
			for (unsigned int i = 0; i < 0x58 / 4; i++)
				all->value[s][c][i] = config_get(device(s, c), COUNTER + 4 * i);
}

static size_t differ(const struct registers *before)
{
	struct registers now;
	size_t n = 0;

	take(&now);
	for (unsigned int s = 0; s < sockets(); s++)
		for (unsigned int c = 0; c < CHANNELS; c++)
			for (unsigned int i = 0; i < 0x58 / 4; i++) {
				if (now.value[s][c][i] == before->value[s][c][i])
					continue;
				print_error("%s: register %#x was %#x, is %#x\n", device(s, c),
					    COUNTER + 4 * i, before->value[s][c][i],
					    now.value[s][c][i]);
				n++;
			}
	return n;
}

static void occupy(unsigned int channel, unsigned int counters, bool on)
{
	for (unsigned int s = 0; s < sockets(); s++)
		for (unsigned int i = 0; i < counters; i++) {
			config_set(device(s, channel), CONTROL + 4 * i, on ? RUNS | 0x0104 : 0);
			if (on)
				continue;
			config_set(device(s, channel), COUNTER + 8 * i, 0);
			config_set(device(s, channel), COUNTER + 8 * i + 4, 0);
		}
}

static const char *reads_of_channel(unsigned int channel)
{
	static char list[64];

	snprintf(list, sizeof(list), READS, channel);
	return list;
}

static struct ntime_session *started(const char *list, uint32_t via, const char *method)
{
	struct ntime_session *s = lab_opened(list, via);

	for (size_t i = 0; i < ntime_session_count(s); i++) {
		struct ntime_item item = lab_item(s, i);

		if (*item.reason)
			fail_msg("%s: %s", item.name, item.reason);
		if (!item.is_metric && strncmp(item.unit, "uncore_imc", 10) == 0)
			TT_TEXT(item.method, method);
	}
	lab_good(ntime_session_start(s), "starting");
	return s;
}

/*
 * Counts of each socket. Each row of a place that is not the socket's own must say so. Channels
 * start one after the other, and where that took long the first ones say so; what is counted here
 * happens when all of them run.
 */
static void read_sockets(struct ntime_session *s, uint64_t count[2][MANY])
{
	size_t n = ntime_session_count(s), places = ntime_session_where_count(s), found = 0;
	struct ntime_value v[MANY * 4];

	assert_in_range(n, 1, MANY);
	assert_in_range(places, 1, 4);
	lab_good(ntime_session_read_where(s, v, n, places), "reading");
	for (size_t p = 0; p < places; p++) {
		struct ntime_where_info place = { .size = sizeof(place) };

		lab_good(ntime_session_where(s, p, &place), "place");
		if (v[p * n].flags & NTIME_ELSEWHERE)
			continue;
		assert_in_range(place.package, 0, sockets() - 1);
		for (size_t i = 0; i < n; i++) {
			TT_IS(v[p * n + i].flags & ~NTIME_PARTIAL, 0);
			count[place.package][i] = v[p * n + i].count;
		}
		found++;
	}
	TT_IS(found, sockets());
}

/* ---- counts are what happened ---- */

static uint64_t reads_of(unsigned int socket, unsigned int channel)
{
	return 1000000 * (socket + 1) + 1000 * (channel + 1);
}

static uint64_t writes_of(unsigned int socket, unsigned int channel)
{
	return 77 * (socket + 1) + 500000 * (channel + 1);
}

static void traffic(void)
{
	for (unsigned int s = 0; s < sockets(); s++)
		for (unsigned int c = 0; c < CHANNELS; c++) {
			happen(s, c, "clocks", 123456 + c);
			happen(s, c, "reads", reads_of(s, c) - 3);
			happen(s, c, "underfills", 3);
			happen(s, c, "writes", writes_of(s, c) - 5);
			happen(s, c, "minor_writes", 5);
		}
}

static void count_by_name(uint32_t via, const char *method)
{
	char list[1024];
	size_t used = 0;
	uint64_t count[2][MANY];
	struct ntime_session *s;

	for (unsigned int c = 0; c < CHANNELS; c++)
		used += (size_t)snprintf(
			list + used, sizeof(list) - used,
			"%ssnbep_unc_imc%u::UNC_M_CAS_COUNT:RD,snbep_unc_imc%u::UNC_M_CAS_COUNT:WR,"
			"uncore_imc_%u/event=0xff,umask=0x00/",
			c ? "," : "", c, c, c);
	traffic();
	s = started(list, via, method);
	traffic();
	lab_good(ntime_session_stop(s), "stopping");
	traffic();
	read_sockets(s, count);
	for (unsigned int n = 0; n < sockets(); n++)
		for (unsigned int c = 0; c < CHANNELS; c++) {
			TT_IS(count[n][3 * c], reads_of(n, c));
			TT_IS(count[n][3 * c + 1], writes_of(n, c));
			TT_IS(count[n][3 * c + 2], 123456 + c);
		}
	lab_session_done(s);
}

TEST(the_kernel_counts_them)
{
	if (access("/sys/bus/event_source/devices/uncore_imc_0", F_OK))
		TT_SKIP("the kernel's driver is not there");
	count_by_name(NTIME_VIA_AUTO, "perf");
}

/* While the kernel counts, the channel is the kernel's. */
TEST(the_kernel_has_them)
{
	int fd = lab_perf_open("uncore_imc_0", 0x0304, 0, -1);

	if (fd < 0)
		TT_SKIP("the kernel's driver is not there");
	TT_IS(ioctl(fd, PERF_EVENT_IOC_ENABLE, 0), 0);
	(void)lab_perf_get(fd);
	lab_must_be_refused(reads_of_channel(0), NTIME_VIA_PCI, "MC_CH_PCI_PMON_CT", "");
	happen(0, 0, "reads", 4711);
	TT_IS(lab_perf_get(fd), 4711);
	close(fd);
}

/*
 * From here on the kernel has no driver for them. What it left in counters that stand still is
 * cleared, so that they can be told apart.
 */
TEST(the_kernels_driver_goes)
{
	lab_must("rmmod intel_uncore", 0, "");
	TT_IS(access("/sys/bus/event_source/devices/uncore_imc_0", F_OK), -1);
	for (unsigned int c = 0; c < CHANNELS; c++)
		occupy(c, COUNTERS, false);
}

TEST(pci_counts_them)
{
	struct registers before;

	take(&before);
	count_by_name(NTIME_VIA_PCI, "pci");
	TT_IS(differ(&before), 0);
	/* Nobody has to say so. */
	count_by_name(NTIME_VIA_AUTO, "pci");
	TT_IS(differ(&before), 0);
}

/* The command, around a program that does it. */
TEST(command_counts_them)
{
	const char *name = sockets() == 2 ? "ff.16.0" : "16.0";
	char line[512];

	snprintf(line, sizeof(line),
		 "ntime stat -a --csv -e snbep_unc_imc0::UNC_M_CAS_COUNT:RD,"
		 "snbep_unc_imc0::UNC_M_CAS_COUNT:WR -- /lab/host count %s reads 987654",
		 name);
	lab_must(line, 0, "987654");
}

/* ---- bandwidth ---- */

TEST(bandwidth_is_what_happened)
{
	struct ntime_session *s =
		started("memory-read-bandwidth,memory-write-bandwidth", NTIME_VIA_PCI, "pci");
	size_t n = ntime_session_count(s), seen = 0;
	struct ntime_value v[MANY];
	uint64_t all[2] = { 0, 0 };

	for (unsigned int k = 0; k < sockets(); k++)
		for (unsigned int c = 0; c < CHANNELS; c++) {
			all[0] += reads_of(k, c);
			all[1] += writes_of(k, c);
		}
	traffic();
	lab_good(ntime_session_stop(s), "stopping");
	assert_in_range(n, 2, MANY);
	lab_good(ntime_session_read(s, v, n), "reading");
	for (size_t i = 0; i < n; i++) {
		struct ntime_item item = lab_item(s, i);
		double truth;

		if (!item.is_metric)
			continue;
		truth = (double)all[seen++] * 64 / 1048576 / ((double)v[i].wanted_ns / 1e9);
		print_message("# %s: %.3f %s, truth %.3f\n", item.name, v[i].value, item.unit_text,
			      truth);
		TT_TEXT(item.unit_text, "MiB/s");
		assert_true(fabs(v[i].value - truth) <= truth * 1e-9);
	}
	TT_IS(seen, 2);
	lab_session_done(s);
}

/* ---- wrap ---- */

/*
 * A counter that moves further than any channel can in the time has been written by somebody: what
 * was seen before stays, and says so. A wrap takes at least half an hour, which no guest has:
 * count/tests/session/test_boxes.c lets time pass.
 */
TEST(more_than_can_happen_is_not_counted)
{
	uint64_t count[2][MANY];
	struct ntime_value v[MANY];
	struct ntime_session *s;
	size_t n;

	s = started(reads_of_channel(2), NTIME_VIA_PCI, "pci");
	happen(0, 2, "reads", 1000);
	read_sockets(s, count);
	TT_IS(count[0][0], 1000);
	happen(0, 2, "reads", WRAP - 2000);
	n = ntime_session_count(s);
	TT_IS(n, 1);
	lab_good(ntime_session_read(s, v, n), "reading");
	TT_IS(v[0].flags & NTIME_LOST, NTIME_LOST);
	TT_IS(v[0].count, 1000);
	lab_session_done(s);
}

/* ---- somebody has counters ---- */

TEST(others_counters_are_left_alone)
{
	struct registers before;
	uint64_t count[2][MANY];
	struct ntime_session *s;

	take(&before);
	occupy(1, 3, true);
	s = started(reads_of_channel(1), NTIME_VIA_PCI, "pci");
	happen(0, 1, "reads", 1001);
	happen(0, 1, "underfills", 5);
	read_sockets(s, count);
	TT_IS(count[0][0], 1006);
	lab_session_done(s);
	for (unsigned int i = 0; i < 3; i++) {
		TT_IS(config_get(device(0, 1), CONTROL + 4 * i), RUNS | 0x0104);
		TT_IS(config_get(device(0, 1), COUNTER + 8 * i), 1001);
	}
	occupy(1, 3, false);
	TT_IS(differ(&before), 0);
}

TEST(all_counters_are_somebodys)
{
	struct registers before;

	take(&before);
	occupy(1, COUNTERS, true);
	lab_must_be_refused(reads_of_channel(1), NTIME_VIA_PCI, "MC_CH_PCI_PMON_CT", "");
	occupy(1, COUNTERS, false);
	TT_IS(differ(&before), 0);
}

TEST(second_is_refused)
{
	struct ntime_session *s = started(reads_of_channel(3), NTIME_VIA_PCI, "pci");
	char line[256];

	snprintf(line, sizeof(line), "ntime stat -a --csv --via pci -e %s -- true",
		 reads_of_channel(3));
	lab_command_must_be_refused(line, "");
	lab_session_done(s);
	lab_must(line, 0, "event=0x04");
}

/* ---- killed in mid-count ---- */

static unsigned int counter_with(const char *name, uint32_t control)
{
	for (unsigned int i = 0; i < COUNTERS; i++)
		if (config_get(name, CONTROL + 4 * i) == control)
			return i;
	fail_msg("%s: no counter is selected for %#x", name, control);
	return 0;
}

static long count_and_wait(void *arg)
{
	const struct ntime_target target = { .size = sizeof(target),
					     .kind = NTIME_TARGET_MACHINE,
					     .via = NTIME_VIA_PCI };
	struct ntime_session *s;
	struct ntime_ctx *own;

	(void)arg;
	if (ntime_open(&own, NULL) < 0 || ntime_session_new(own, &target, &s) < 0 ||
	    ntime_session_add_list(s, reads_of_channel(0)) < 0 || ntime_session_start(s) < 0)
		return -EPROTO;
	lab_be_ready_and_wait();
}

TEST(killed_one_is_repaired)
{
	struct lab_process p;
	struct registers before;
	struct ntime_session *s;
	char name[64];
	unsigned int counter;

	LAB_GOOD(lab_spawn(&p, count_and_wait, NULL));
	counter = counter_with(device(0, 0), RUNS | 0x0304);
	(void)lab_kill(&p);
	TT_IS(config_get(device(0, 0), CONTROL + 4 * counter), RUNS | 0x0304);
	s = lab_opened(reads_of_channel(0), NTIME_VIA_PCI);
	TT_HAS(lab_item(s, 0).remedy, "ntime doctor --repair");
	lab_session_done(s);
	snprintf(name, sizeof(name), "MC_CH_PCI_PMON_CTL%u", counter);
	lab_must("ntime doctor --repair --yes", 0, name);
	TT_IS(config_get(device(0, 0), CONTROL + 4 * counter), 0x0304);
	/* All else is as it left it, and in nobody's way. */
	take(&before);
	s = started(reads_of_channel(0), NTIME_VIA_PCI, "pci");
	lab_session_done(s);
	TT_IS(differ(&before), 0);
}

/* ---- a device that vanishes ---- */

/*
 * The function is taken out of the system while it counts: its count stays and says so, and the
 * other channels go on.
 */
TEST(a_channel_vanishes)
{
	char list[160], path[96];
	struct ntime_session *s;
	struct ntime_value v[2];

	snprintf(list, sizeof(list), READS "," READS, 1, 3);
	s = started(list, NTIME_VIA_PCI, "pci");
	happen(0, 1, "reads", 20);
	happen(0, 3, "reads", 50);
	lab_good(ntime_session_read(s, v, 2), "reading");
	TT_IS(v[0].count, 20);
	snprintf(path, sizeof(path), "%sremove", device(0, 1));
	lab_set_file(path, "1");
	happen(0, 3, "reads", 60);
	lab_good(ntime_session_read(s, v, 2), "reading");
	TT_IS(v[0].flags & NTIME_LOST, NTIME_LOST);
	TT_IS(v[0].count, 20);
	TT_IS(v[1].flags & ~NTIME_PARTIAL, 0);
	TT_IS(v[1].count, 110);
	lab_good(ntime_session_stop(s), "stopping");
	lab_good(ntime_session_read(s, v, 2), "reading");
	TT_IS(v[0].count, 20);
	TT_IS(v[1].count, 110);
	lab_session_done(s);
	/* The others are whole. */
	s = started(reads_of_channel(3), NTIME_VIA_PCI, "pci");
	happen(0, 3, "reads", 7);
	lab_good(ntime_session_read(s, v, 1), "reading");
	TT_IS(v[0].count, 7);
	lab_session_done(s);
	lab_set_file("/sys/bus/pci/rescan", "1");
	TT_IS(access(PCI "0000:7f:10.1", F_OK), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LAB_TEST_WITH_SESSIONS(the_kernel_counts_them),
		LAB_TEST_WITH_SESSIONS(the_kernel_has_them),
		cmocka_unit_test(the_kernels_driver_goes),
		LAB_TEST_WITH_SESSIONS(pci_counts_them),
		LAB_TEST_WITH_SESSIONS(command_counts_them),
		LAB_TEST_WITH_SESSIONS(bandwidth_is_what_happened),
		LAB_TEST_WITH_SESSIONS(more_than_can_happen_is_not_counted),
		LAB_TEST_WITH_SESSIONS(others_counters_are_left_alone),
		LAB_TEST_WITH_SESSIONS(all_counters_are_somebodys),
		LAB_TEST_WITH_SESSIONS(second_is_refused),
		LAB_TEST_WITH_SESSIONS(killed_one_is_repaired),
		LAB_TEST_WITH_SESSIONS(a_channel_vanishes),
	};

	if (lab_outside_why_not())
		return tt_skip_all(lab_outside_why_not());
	return TT_RUN(tests);
}
