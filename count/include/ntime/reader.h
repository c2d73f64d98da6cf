/* SPDX-License-Identifier: MIT */
/**
 * DOC: The reader: the cheapest read of one counter
 *
 * A reader lives in the caller's storage and is read inline. If the counter can be read by an
 * instruction, it is; in every other case the same call falls back to a system call. It never
 * returns a wrong number.
 */
#ifndef NTIME_READER_H
#define NTIME_READER_H

#include <stdint.h>

#include <ntime/session.h>

#ifdef __cplusplus
extern "C" {
#endif

enum ntime_reader_type {
	NTIME_READER_CALL = 0, /* read(2), or another call of the access method */
	NTIME_READER_TSC = 1,  /* RDTSC, CNTVCT_EL0 */
	/* perf's page and RDPMC or MRS; read(2) when the kernel or the thread forbids it */
	NTIME_READER_PMC = 2,
	NTIME_READER_MEMORY = 3, /* a 64-bit load; reserved */
	/* RDPMC or MRS alone, on the CPU to which the thread is pinned (ntimefs) */
	NTIME_READER_CORE = 4
};

/*
 * State of the inline code; lives in the session, in memory that reads 0 in a forked child, so
 * that there .type is NTIME_READER_CALL. The session changes it when it stops and starts: a reader
 * follows by itself.
 */
struct ntime_reader_state {
	uint32_t type;	    /* enum ntime_reader_type */
	uint32_t index;	    /* CORE: of the counter, as its instruction takes it */
	uint64_t origin;    /* subtracted from a clock; arm64, CORE: ticks when no wrap was near */
	uintptr_t thread;   /* thread pointer of the measured thread */
	const void *source; /* perf's page, or a 64-bit word */
	uintptr_t pinned;   /* CORE: thread pointer of the pinned thread; else 0, which none has */
	uint64_t limit;	    /* arm64, CORE: ticks after .origin in which the counter cannot wrap */
	uint64_t base;	    /* arm64, CORE: added to the counter */
};

/**
 * struct ntime_reader - a reader in the caller's storage; may be copied
 * @size:	sizeof(struct ntime_reader)
 * @item:	item of the session
 * @state:	for the inline code
 * @session:	for the slow path
 */
struct ntime_reader {
	uint32_t size;
	uint32_t item;
	const struct ntime_reader_state *state;
	struct ntime_session *session;
};

/**
 * ntime_get_reader() - the cheapest reader for item @i
 * @s:		opened session; the reader is valid until the session is freed
 * @i:		item
 * @out:	reader; @out->size must be set to sizeof(struct ntime_reader)
 *
 * For an event that a started session counts through ntimefs on one CPU, in one pass, this pins the
 * calling thread to that CPU if its affinity has it, and gives NTIME_READER_CORE; only that thread
 * then reads by the instruction. It must stay pinned while it uses the reader: on another CPU the
 * same instruction reads another counter. Where the driver grants nothing, the affinity stays as it
 * was.
 * Return: 0; -EINVAL; -ENODATA (the item is absent); -ENOTSUP (a metric). Since 0.1.
 */
NTIME_API int ntime_get_reader(struct ntime_session *s, size_t i, struct ntime_reader *out);

/**
 * ntime_reader_why() - one sentence: which instruction or call @r uses and why nothing cheaper;
 * static or session's memory
 */
NTIME_API const char *ntime_reader_why(const struct ntime_reader *r);

/*
 * The slow path of ntime_read(); same result. Safe from any thread and, for counts of the parent,
 * after fork().
 */
NTIME_API int ntime_read_call(const struct ntime_reader *r, uint64_t *count);

static inline int ntime_read(const struct ntime_reader *r, uint64_t *count);
static inline int ntime_read_pinned(const struct ntime_reader *r, uint64_t *count);

#include <ntime/reader_inline.h>

#ifdef __cplusplus
}
#endif
#endif
