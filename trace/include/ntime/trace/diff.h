/* SPDX-License-Identifier: MIT */
/**
 * DOC: What two traces do differently
 *
 * The batches of two readers go in, side by side or one after the other; then both are aligned, and
 * changes come out with what stands around them. Two accesses are the same when device, region,
 * offset, width and direction are, and, of writes, the value. What a read answered does not decide
 * about that, but is compared; of reads in a row the earlier ones are put together.
 *
 * Loops of reads are folded first: reads of one register, or the same two to four reads over and
 * over, count as done once, because how often a driver polls is no difference. Only accesses are
 * looked at, no marks.
 */
#ifndef NTIME_TRACE_DIFF_H
#define NTIME_TRACE_DIFF_H

#include <ntime/trace/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ntime_trace_diff;

/* Of struct ntime_trace_diff_options.flags. */
#define NTIME_DIFF_STRICT 0x1u /* how often something is read is a difference: nothing is folded */
#define NTIME_DIFF_IGNORE_VALUES 0x2u	   /* neither written nor read values are compared */
#define NTIME_DIFF_IGNORE_READ_VALUES 0x4u /* read values are not compared */

/**
 * struct ntime_trace_diff_options - how to compare; zero-initialise, then set @size
 * @flags:	NTIME_DIFF_*
 * @context:	accesses to give around each change; UINT32_MAX: all
 * @memory_bytes: most memory for the accesses of both traces, 32 bytes for each after folding and
 *	64 for each different one; 0: 1 GiB
 */
struct ntime_trace_diff_options {
	uint32_t size;
	uint32_t flags;
	uint32_t context;
	uint32_t reserved0;
	uint64_t memory_bytes;
	uint64_t reserved[4];
};

/** enum ntime_trace_change_kind - what a line of a difference is */
enum ntime_trace_change_kind {
	/* here begins a piece of the traces: .before_a and .before_b say where */
	NTIME_CHANGE_HUNK = 0,
	NTIME_CHANGE_SAME = 1,	 /* context: both do this */
	NTIME_CHANGE_ONLY_A = 2, /* only the first does */
	NTIME_CHANGE_ONLY_B = 3, /* only the second does */
	NTIME_CHANGE_VALUE = 4,	 /* the same access with another value */
};

/**
 * struct ntime_trace_change - one line of a difference
 * @kind:	enum ntime_trace_change_kind
 * @a, @b:	the access in each trace, NULL where it is not there. .device is that trace's own
 *		number; thread, source and text are not kept. Of a folded loop the time is of the
 *		first read and the value of the last
 * @count_a, @count_b: how often, more than 1 of folded loops
 * @before_a, @before_b: accesses of each trace in front of this one
 */
struct ntime_trace_change {
	uint32_t size;
	uint32_t kind;
	const struct ntime_record *a;
	const struct ntime_record *b;
	uint64_t count_a;
	uint64_t count_b;
	uint64_t before_a;
	uint64_t before_b;
	uint64_t reserved[2];
};

/**
 * struct ntime_trace_diff_summary - the result in numbers; folded loops count once except in
 * @accesses_a and @accesses_b
 * @accesses_a, @accesses_b: accesses that went in
 * @steps_a, @steps_b: what is left of them after folding
 * @same:	steps in both
 * @only_a, @only_b: steps in one
 * @values:	steps in both with another value
 * @hunks:	pieces that the changes are in
 * @beginning:	steps that both begin with, equal but for what reads answered
 * @also:	of ntime_trace_diff_minus(): steps of the first after the beginning that the second
 *		does too, wherever
 */
struct ntime_trace_diff_summary {
	uint32_t size;
	uint32_t reserved0;
	uint64_t accesses_a;
	uint64_t accesses_b;
	uint64_t steps_a;
	uint64_t steps_b;
	uint64_t same;
	uint64_t only_a;
	uint64_t only_b;
	uint64_t values;
	uint64_t hunks;
	uint64_t beginning;
	uint64_t also;
	uint64_t reserved[4];
};

/**
 * ntime_trace_diff_new() - a comparison without traces yet
 * @ctx:	for errors; must live as long
 * @options:	NULL: all defaults, which give no context
 * @out:	free with ntime_trace_diff_free()
 *
 * Return: 0; -EINVAL (options, with a sentence); -ENOMEM. Since 0.1.
 */
NTIME_API int ntime_trace_diff_new(struct ntime_trace_ctx *ctx,
				   const struct ntime_trace_diff_options *options,
				   struct ntime_trace_diff **out);
/** ntime_trace_diff_free() - NULL is accepted. Since 0.1. */
NTIME_API void ntime_trace_diff_free(struct ntime_trace_diff *d);

/**
 * ntime_trace_diff_put() - keep the accesses of a batch
 * @d:		comparison that was not run yet
 * @side:	0: of the first trace, 1: of the second
 * @batch:	copied; synthetic records and marks are left out
 *
 * Return: 0; -EINVAL (@side, or it was run); -E2BIG (more than the options allow; sentence);
 * -ENOMEM. Since 0.1.
 */
NTIME_API int ntime_trace_diff_put(struct ntime_trace_diff *d, uint32_t side,
				   const struct ntime_trace_batch *batch);

/**
 * ntime_trace_diff_device() - name the device of a number
 * @d:		comparison that was not run yet
 * @side:	of which trace
 * @index:	of the device
 * @device:	its name, and its PCI address if it has one
 *
 * Devices of the two traces are the same if their names are, else if their PCI addresses are, else
 * if each trace has only one with accesses. Devices without a description are the same if their
 * numbers are. Return: 0; -EINVAL, -ENOMEM. Since 0.1.
 */
NTIME_API int ntime_trace_diff_device(struct ntime_trace_diff *d, uint32_t side, size_t index,
				      const struct ntime_trace_device *device);

/**
 * ntime_trace_diff_run() - align both traces and report the differences
 * @d:		comparison
 * @fn:		called for each line, in order; NULL: only the summary is wanted
 * @arg:	its first argument
 * @out:	the result; @out->size must be set; may be NULL
 *
 * Time grows with the length of the traces times a bounded number of steps. Where they differ in
 * small pieces (up to a few hundred steps together) the changes are the fewest possible. A run a
 * second time gives the same. Return: 1 (there are differences), 0 (none); first negative of @fn;
 * -EINVAL, -ENOMEM. Since 0.1.
 */
NTIME_API int ntime_trace_diff_run(struct ntime_trace_diff *d,
				   int (*fn)(void *arg, const struct ntime_trace_change *change),
				   void *arg, struct ntime_trace_diff_summary *out);

/**
 * ntime_trace_diff_minus() - what remains of the first trace without the second
 * @d:		comparison
 * @fn:		called with NTIME_CHANGE_ONLY_A for each step that remains, in order
 * @arg:	its first argument
 * @out:	@steps_a, @beginning, @also and @only_a (what remains); @out->size must be set; may
 *		be NULL
 *
 * Removed are the longest common beginning, and after it every access that the second trace has
 * too, anywhere and however often: to the same register with the same width and direction and, of
 * writes, the same value. With the second a trace of a start-up, what remains is the work that a
 * start-up never does. Return: 1 (something remains), 0 (nothing); first negative of @fn; -EINVAL,
 * -ENOMEM. Since 0.1.
 */
NTIME_API int ntime_trace_diff_minus(struct ntime_trace_diff *d,
				     int (*fn)(void *arg, const struct ntime_trace_change *change),
				     void *arg, struct ntime_trace_diff_summary *out);

#ifdef __cplusplus
}
#endif
#endif
