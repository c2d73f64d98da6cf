/* SPDX-License-Identifier: MIT */
/**
 * DOC: What a trace does to each register, in numbers
 *
 * Batches of a reader go in, one row a register comes out. The table has room for so many
 * registers; accesses to those that found none are counted all the same and come as rows that say
 * so. What is not known is flagged, and a number that is only a lower bound too.
 */
#ifndef NTIME_TRACE_STAT_H
#define NTIME_TRACE_STAT_H

#include <ntime/trace/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ntime_trace_stat;

/**
 * struct ntime_trace_stat_options - how much to keep; zero-initialise, then set @size
 * @flags:	0
 * @registers:	most rows of registers, up to 16777216; 0: 65536 (which need 14 MiB)
 * @values:	how many values of a register are distinguished, up to 65536; 0: 64
 * @value_bytes: memory for the values of all registers together, 0: 16 MiB
 */
struct ntime_trace_stat_options {
	uint32_t size;
	uint32_t flags;
	uint32_t registers;
	uint32_t values;
	uint64_t value_bytes;
	uint64_t reserved[4];
};

/* Of struct ntime_register_stat.flags and struct ntime_trace_total.flags. */
#define NTIME_STAT_REST 0x01u /* no register: the accesses of a region to registers without room */
#define NTIME_STAT_MORE_VALUES 0x02u  /* .distinct is a lower bound */
#define NTIME_STAT_READ_VALUED 0x04u  /* .first_read, .last_read and .toggled_read are known */
#define NTIME_STAT_WRITE_VALUED 0x08u /* the same of writes */
#define NTIME_STAT_TIMED 0x10u	      /* .first_ns and .last_ns are known */
#define NTIME_STAT_THREAD 0x20u	      /* .thread is known */

/**
 * struct ntime_register_stat - one register, or what is known of the rest
 * @flags:	NTIME_STAT_*
 * @offset:	bytes from the start of the region; 0 of the rest
 * @reads, @writes: accesses; @writes of 0: never written while the trace ran
 * @distinct:	different values, read or written, that were seen; a lower bound with
 *		NTIME_STAT_MORE_VALUES; 0 of the rest
 * @first_read, @last_read, @first_write, @last_write: values in the order of the trace
 * @toggled_read: bits that two reads saw different: the or of the exclusive ors of successive
 *	values, where both accesses cover the bit
 * @toggled_write: the same of writes; a masked write covers the bits of its mask
 * @first_ns, @last_ns: time of the first access that has one, and the latest time
 * @gaps:	how many times an access came after another of the same register; an access whose
 *		time goes back has no gap
 * @gap_min_ns, @gap_max_ns: shortest and longest; the mean is (@last_ns - @first_ns) / @gaps. 0
 *	without @gaps
 * @device, @region: where
 * @widths:	or of the widths in bytes: 1, 2, 4, 8; 16 when the trace does not say
 */
struct ntime_register_stat {
	uint32_t size;
	uint32_t flags;
	uint64_t offset;
	uint64_t reads;
	uint64_t writes;
	uint64_t distinct;
	uint64_t first_read;
	uint64_t last_read;
	uint64_t first_write;
	uint64_t last_write;
	uint64_t toggled_read;
	uint64_t toggled_write;
	uint64_t first_ns;
	uint64_t last_ns;
	uint64_t gaps;
	uint64_t gap_min_ns;
	uint64_t gap_max_ns;
	uint32_t device;
	uint32_t region;
	uint32_t widths;
	uint32_t reserved0;
	uint64_t reserved[4];
};

/** enum ntime_trace_total_kind - accesses of what are added up */
enum ntime_trace_total_kind {
	NTIME_TOTAL_ALL = 0,
	NTIME_TOTAL_DEVICE = 1,
	NTIME_TOTAL_REGION = 2, /* of a device */
	NTIME_TOTAL_THREAD = 3,
};

/**
 * struct ntime_trace_total - a sum
 * @kind:	enum ntime_trace_total_kind
 * @flags:	NTIME_STAT_TIMED; NTIME_STAT_THREAD; NTIME_STAT_REST: threads beyond the first 4096
 *		together
 * @device, @region, @thread: of what; without NTIME_STAT_THREAD and NTIME_STAT_REST a total of
 *	threads is of accesses without one
 * @reads, @writes: accesses
 * @registers:	rows; with @rest, accesses beyond them, there are more registers. 0 of threads
 * @rest:	accesses to registers without a row
 * @first_ns, @last_ns: time of the first access that has one, and the latest time
 */
struct ntime_trace_total {
	uint32_t size;
	uint32_t kind;
	uint32_t flags;
	uint32_t device;
	uint32_t region;
	uint32_t thread;
	uint64_t reads;
	uint64_t writes;
	uint64_t registers;
	uint64_t rest;
	uint64_t first_ns;
	uint64_t last_ns;
	uint64_t reserved[4];
};

/**
 * ntime_trace_stat_new() - an empty table
 * @ctx:	for errors
 * @options:	NULL: all defaults
 * @out:	free with ntime_trace_stat_free()
 *
 * Return: 0; -EINVAL (options, with a sentence); -ENOMEM. Since 0.1.
 */
NTIME_API int ntime_trace_stat_new(struct ntime_trace_ctx *ctx,
				   const struct ntime_trace_stat_options *options,
				   struct ntime_trace_stat **out);
/** ntime_trace_stat_free() - NULL is accepted. Since 0.1. */
NTIME_API void ntime_trace_stat_free(struct ntime_trace_stat *s);

/**
 * ntime_trace_stat_put() - count the accesses of a batch; marks are counted by kind
 * @s:		table
 * @batch:	of a reader, or the caller's own. Synthetic records are left out
 *
 * Return: 0, -ENOMEM (the table is as it was before the register that found no memory). Since 0.1.
 */
NTIME_API int ntime_trace_stat_put(struct ntime_trace_stat *s,
				   const struct ntime_trace_batch *batch);

/**
 * ntime_trace_stat_for_each() - the rows
 * @s:		table
 * @fn:		called for each register in the order of device, region and offset; the rest of a
 *		region comes after its registers
 * @arg:	its first argument
 *
 * Return: how many rows; first non-zero of @fn; -ENOMEM. Since 0.1.
 */
NTIME_API int ntime_trace_stat_for_each(const struct ntime_trace_stat *s,
					int (*fn)(void *arg, const struct ntime_register_stat *row),
					void *arg);

/**
 * ntime_trace_stat_totals() - sums
 * @s:		table
 * @kind:	enum ntime_trace_total_kind
 * @fn:		called for each sum: devices and regions by number, threads in the order they were
 *		first seen
 * @arg:	its first argument
 *
 * Return: how many sums; first non-zero of @fn; -EINVAL (@kind); -ENOMEM. Since 0.1.
 */
NTIME_API int ntime_trace_stat_totals(const struct ntime_trace_stat *s, uint32_t kind,
				      int (*fn)(void *arg, const struct ntime_trace_total *total),
				      void *arg);

/**
 * ntime_trace_stat_marks() - records of a kind of enum ntime_record_kind that were put, accesses
 * too; 0 for kinds there are not. Since 0.1.
 */
NTIME_API uint64_t ntime_trace_stat_marks(const struct ntime_trace_stat *s, uint32_t kind);

#ifdef __cplusplus
}
#endif
#endif
