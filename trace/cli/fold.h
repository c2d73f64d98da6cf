/* SPDX-License-Identifier: MIT */
/*
 * Polling loops and repeats of a trace, folded into one line each.
 *
 * Two rounds of what repeats are shown, the ones that follow are counted. A loop of one read is
 * polling: any value goes on with it. A round has up to 16 accesses, of which reads may give other
 * values; then the last round is shown as well. Nothing is looked ahead, so a trace that still
 * grows is folded too.
 */
#ifndef CLI_TRACE_FOLD_H
#define CLI_TRACE_FOLD_H

#include <stddef.h>
#include <stdint.h>

#include <ntime/trace/trace.h>

#define CLI_FOLD_ROUND 16
#define CLI_FOLD_RING 64

/*
 * A kind of record that only folding makes: the accesses before it came again. It is the last of
 * them but for: .kind; .source is the length of a round; .time_ns is how long that took, where
 * NTIME_RECORD_TIMED is set; .reserved is 1 when reads gave other values; cli_fold_count() tells
 * how many accesses it stands for.
 */
#define CLI_RECORD_AGAIN 0xff

struct cli_fold {
	struct ntime_record ring[CLI_FOLD_RING];
	uint64_t key[CLI_FOLD_RING];
	uint64_t n;			  /* accesses since the last mark */
	uint64_t run[CLI_FOLD_ROUND + 1]; /* how many in a row are as the one that many before */
	unsigned int round;		  /* length of what repeats, 0: nothing */
	uint64_t folded;
	uint64_t start_ns;
	uint64_t changes;
};

/*
 * What comes out; @room for CLI_FOLD_MOST more than there was to come is enough for each record
 * that goes in.
 */
#define CLI_FOLD_MOST (2 * CLI_FOLD_ROUND + 2)

/* Take one record; what is to be shown is written to @out. Returns how many. */
size_t cli_fold_put(struct cli_fold *f, const struct ntime_record *r, struct ntime_record *out);
/* What is still folded at the end. */
size_t cli_fold_end(struct cli_fold *f, struct ntime_record *out);

/* Accesses that a record of CLI_RECORD_AGAIN stands for. */
static inline uint64_t cli_fold_count(const struct ntime_record *again)
{
	return (uint64_t)again->mask << 32 | again->thread;
}

#endif
