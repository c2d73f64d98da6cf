/* SPDX-License-Identifier: MIT */
/*
 * One method to read counters, as bench/lab/cost measures it: opened, then read again and again
 * between two looks at a counter of instructions, and closed before the next method is opened, so
 * that each has the counters that it wants. Everything that a read works on lies in memory, and the
 * looks are calls, so that what the compiler adds around a read is the same for every method: the
 * empty one shows it, and it is taken off.
 */
#ifndef COST_H
#define COST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ntime/reader.h>
#include <ntime/session.h>

/* Events of the larger readings. */
#define COST_EVENTS 8

struct ntime_page;
struct perf_event_mmap_page;

struct cost_state {
	struct ntime_ctx *ctx; /* shared */
	struct ntime_session *session;
	struct ntime_reader reader;
	struct ntime_value values[COST_EVENTS];
	size_t items;
	int fd[COST_EVENTS]; /* of a bare event or group, or of an MSR device */
	size_t fds;
	const volatile struct perf_event_mmap_page *page;
	const struct ntime_page *ntimefs; /* of a register file, and with it the device's page */
	size_t ntimefs_bytes;
	const volatile uint32_t *word; /* in the device's page */
	/*
	 * What measures, user mode and all modes, as perf counts its indexes; 0: perf's event. A
	 * method that keeps perf from the counters brings these.
	 */
	uint32_t own_meter[2];
	int event_set; /* PAPI's */
	uint64_t count;
	uint64_t raw[3 + COST_EVENTS];
	long long papi[COST_EVENTS];
	bool has_failed;
	char reason[256]; /* why it could not be opened */
};

struct cost_method {
	const char *name;
	unsigned int events;
	const char *what;
	/* Begins counting. 0, or -1 with .reason. */
	int (*open)(struct cost_state *s, unsigned int events);
	void (*run)(struct cost_state *s, size_t n);
	/*
	 * Ends what is not ntime's or a descriptor, which the caller closes; may be NULL. Also
	 * after open() failed.
	 */
	void (*close)(struct cost_state *s);
	/*
	 * No counter is left for the measurement: run() counts the clock's ticks, and keeps what
	 * they are in instructions.
	 */
	bool is_clocked;
};

/* Before and after each read: the number of instructions between the two is kept. */
void cost_before(void);
void cost_after(void);
/* In place of both: what was measured otherwise. */
void cost_keep(uint64_t instructions);

/*
 * The asm makes the compiler believe that everything in memory is read and changed by others
 * between any two steps.
 */
#define COST_RUN(name, read)                                                                       \
	static void run_##name(struct cost_state *s, size_t n)                                     \
	{                                                                                          \
		for (; n; n--) {                                                                   \
			cost_before();                                                             \
			__asm__ volatile("" : : "r"(s) : "memory");                                \
			read;                                                                      \
			__asm__ volatile("" : : "r"(s) : "memory");                                \
			cost_after();                                                              \
		}                                                                                  \
	}

/* A read that is not as it should be. */
#define COST_FAIL_IF(s, failed)                                                                    \
	do {                                                                                       \
		if (__builtin_expect((failed), 0))                                                 \
			(s)->has_failed = true;                                                    \
	} while (0)

extern const struct cost_method cost_papi_methods[];
extern const size_t cost_papi_method_count;

/*
 * Of the driver, once cost_ntimefs_prepare() has loaded and mounted it where it can. It also keeps
 * the program on CPU 0.
 */
extern const struct cost_method cost_ntimefs_methods[];
extern const size_t cost_ntimefs_method_count;
void cost_ntimefs_prepare(void);
/* Unload it where that has loaded it; all that is measured must be closed. */
void cost_ntimefs_finish(void);
/* No enum ntime_page_type. */
#define COST_ANY_TYPE UINT32_MAX

#endif
