/* SPDX-License-Identifier: MIT */
/*
 * A machine of two CPUs with ntime's driver on it, made of the model of an Intel PMU: what the
 * driver promises (include/uapi/ntime.h) and perf's refusal of CPUs. Any call can be made to fail.
 */
#ifndef TT_FAKE_NTIMEFS_H
#define TT_FAKE_NTIMEFS_H

#include "include/uapi/ntime.h"
#include "count/lib/context/context.h"
#include "core/models/x86_pmu.h"
#include "count/tests/event/fake_os.h"

#define FAKE_CPUS 2
#define FAKE_FDS 128

enum fake_driver {
	FAKE_MOUNTED,
	FAKE_LOADED,	 /* not mounted */
	FAKE_ABSENT,	 /* not loaded */
	FAKE_LOCKED,	 /* nobody may look into the tree */
	FAKE_UNREADABLE, /* registers are root's */
};

struct fake_fd {
	bool is_open, is_writer, is_readable, is_binary, is_changed;
	unsigned int cpu;
	uint32_t address;
	uint64_t saved;
};

struct fake_ntimefs {
	struct fake_os base; /* first: ops get its os */
	struct ntime_ctx ctx;
	struct ntm_x86_pmu pmu[FAKE_CPUS];
	struct fake_fd fd[FAKE_FDS];
	enum fake_driver driver;
	bool is_taken;		/* perf counts: opening for writing is EBUSY */
	bool is_gone;		/* the CPUs went off line */
	bool is_short;		/* reads return 4 bytes */
	bool is_granted;	/* user mode may read counters */
	bool has_perf;		/* perf lets this user count CPUs; its counters read 7 */
	struct ntime_page page; /* .size != 0: what mappings show, instead of the truth */
	unsigned int maps;	/* that are there */
	uint64_t now_ns;
	unsigned int calls, fail_at; /* calls of the file system; the one that fails, 0: none */
	int fail_with;
	char log[4096];
};

void fake_ntimefs_init(struct fake_ntimefs *f);
void fake_ntimefs_fini(struct fake_ntimefs *f);
/* @n instructions in user or kernel mode of @cpu, in as many cycles doubled. */
void fake_ntimefs_work(struct fake_ntimefs *f, unsigned int cpu, bool is_user, uint64_t n);
unsigned int fake_ntimefs_open_files(const struct fake_ntimefs *f);

#endif
