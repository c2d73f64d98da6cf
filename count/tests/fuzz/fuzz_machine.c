// SPDX-License-Identifier: MIT
/*
 * Any bytes as a machine file: load them, walk what came out; of one input in COUNTED, which takes
 * most of the time, open and read a few events.
 */
#include <fcntl.h>
#include <linux/perf_event.h>

#include "base/os/replay/replay.h"
#include "base/tests/fuzz/fuzz.h"

#define MAX_DEPTH 6
#define COUNTED 16
#define MAX_NAMES 200 /* of a whole walk: machines of 200000 files are legal */

struct walk {
	struct nti_os *os;
	char path[2048];
	int depth;
	int left;
};

static int visit(void *arg, const char *name)
{
	struct walk *w = arg;
	size_t length = strlen(w->path), more = strlen(name);
	char text[4096];
	int ret = 0;

	if (!w->left-- || length + more + 2 > sizeof(w->path))
		return 1;
	/* What a list gives must be a name. */
	if (!more || strchr(name, '/'))
		abort();
	w->path[length] = '/';
	memcpy(w->path + length + 1, name, more + 1);
	(void)w->os->ops->text(w->os, w->path, text, sizeof(text));
	(void)w->os->ops->link(w->os, w->path, text, sizeof(text));
	(void)w->os->ops->access(w->os, w->path, 4);
	if (w->depth++ < MAX_DEPTH) {
		ret = w->os->ops->list(w->os, w->path, visit, w);
		ret = ret > 0 ? ret : 0;
	}
	w->depth--;
	w->path[length] = '\0';
	return ret;
}

static void count(struct nti_os *os)
{
	static const struct {
		uint32_t type;
		uint64_t config;
	} events[] = { { 0, 0 },     { 0, 1 },	   { 1, 1 },  { 4, 0xc0 },
		       { 4, 0x1c2 }, { 4, 0x1c3 }, { 20, 4 }, { 2, 314 } };
	int fd[8], group = -1, i;
	uint64_t words[64];

	for (i = 0; i < 8; i++) {
		struct perf_event_attr attr = {
			.type = events[i].type,
			.size = sizeof(attr),
			.config = events[i].config,
			.read_format = (uint64_t)(i * 5) & 0xf,
			.pinned = i == 3,
		};

		fd[i] = os->ops->perf_open(os, &attr, i == 6 ? -1 : 0, i == 6 ? 0 : -1,
					   i & 1 ? group : -1, 0);
		if (fd[i] >= 0 && !(i & 1))
			group = fd[i];
	}
	for (i = 0; i < 8; i++) {
		(void)os->ops->now_ns(os);
		(void)os->ops->read(os, fd[i], words, sizeof(words));
		(void)os->ops->ioctl(os, fd[i], PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP);
		if (i == 4)
			os->ops->close(os, fd[2]);
	}
}

static void registers(struct nti_os *os)
{
	uint64_t value = 1;
	uint32_t r[4];
	int fd = os->ops->open(os, "/dev/cpu/0/msr", O_RDWR);

	(void)os->ops->cpuid(os, 4, 1, r);
	(void)os->ops->tsc(os, &value);
	if (fd < 0)
		return;
	(void)os->ops->pwrite(os, fd, &value, 8, 0x10);
	(void)os->ops->pread(os, fd, &value, 8, 0x10);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *xml, *synthetic;
	struct nti_error e = { 0 };
	struct nti_machine *m;
	struct nti_os *os;
	struct walk w = { .left = MAX_NAMES };

	if (nti_machine_load_text("fuzz", (const char *)data, size, &m, &e) < 0) {
		/* A refusal says why. */
		if (!e.text[0] || m)
			abort();
		return 0;
	}
	if (nti_os_replay_new(m, &os) < 0)
		abort();
	w.os = os;
	(void)os->ops->list(os, "/", visit, &w);
	(void)nti_machine_topology(os, &xml, &synthetic);
	if (fuzz_is_chosen(data, size, COUNTED))
		count(os);
	registers(os);
	os->ops->free(os);
	return 0;
}
