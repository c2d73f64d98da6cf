/* SPDX-License-Identifier: MIT */
/**
 * DOC: What the registers hold, as far as a trace shows
 *
 * Batches of a reader go in; at any moment the registers can be asked for. Bits are known apart
 * from each other: an access of one byte shows eight bits, a masked write those of its mask. What
 * nobody read or wrote is unknown and stays so.
 *
 * A bit is known from the last access to it. A bit that a read once gave otherwise than it was
 * written is unknown after each later write, until it is read again: such registers take commands,
 * or have bits that the hardware alone sets.
 */
#ifndef NTIME_TRACE_STATE_H
#define NTIME_TRACE_STATE_H

#include <ntime/trace/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ntime_trace_state;

/**
 * struct ntime_trace_state_options - how much to keep; zero-initialise, then set @size
 * @flags:	0
 * @registers:	most addresses and widths of accesses that are distinguished, up to 16777216; 0:
 *		262144 (which need 64 MiB when all are used)
 */
struct ntime_trace_state_options {
	uint32_t size;
	uint32_t flags;
	uint32_t registers;
	uint32_t reserved0;
	uint64_t reserved[4];
};

/**
 * struct ntime_state_access - one access in the past
 * @number:	of the access among those that the state was given, from 1 on; 0: there was none
 * @time_ns, @value, @thread, @mask: as in struct ntime_record
 * @offset:	of a part of the register, where only that was accessed
 * @width:	bytes of it
 * @flags:	NTIME_RECORD_TIMED, NTIME_RECORD_VALUED, NTIME_RECORD_MASKED, NTIME_RECORD_THREADED
 */
struct ntime_state_access {
	uint64_t number;
	uint64_t time_ns;
	uint64_t value;
	uint64_t offset;
	uint32_t thread;
	uint32_t mask;
	uint32_t width;
	uint32_t flags;
};

/* Of struct ntime_register_state.flags. */
/* the trace lost records after the last access: it may hold something else */
#define NTIME_STATE_BEFORE_LOSS 0x1u

/**
 * struct ntime_register_state - one register
 * @flags:	NTIME_STATE_*
 * @offset:	bytes from the start of the region
 * @value:	what it holds; 0 where unknown
 * @known:	bits that are known
 * @volatile_bits: bits that two reads gave differently without a write in between
 * @unlike_bits: bits that a read gave otherwise than they were written
 * @reads, @writes: accesses, to parts of it too
 * @device, @region: where
 * @width:	bytes of the widest access
 * @last_read, @last_write: the last ones
 */
struct ntime_register_state {
	uint32_t size;
	uint32_t flags;
	uint64_t offset;
	uint64_t value;
	uint64_t known;
	uint64_t volatile_bits;
	uint64_t unlike_bits;
	uint64_t reads;
	uint64_t writes;
	uint32_t device;
	uint32_t region;
	uint32_t width;
	uint32_t reserved0;
	struct ntime_state_access last_read;
	struct ntime_state_access last_write;
	uint64_t reserved[4];
};

/**
 * ntime_trace_state_new() - registers of which nothing is known
 * @ctx:	for errors
 * @options:	NULL: all defaults
 * @out:	free with ntime_trace_state_free()
 *
 * Return: 0; -EINVAL (@options, with a sentence); -ENOMEM. Since 0.1.
 */
NTIME_API int ntime_trace_state_new(struct ntime_trace_ctx *ctx,
				    const struct ntime_trace_state_options *options,
				    struct ntime_trace_state **out);
NTIME_API void ntime_trace_state_free(struct ntime_trace_state *s);

/**
 * ntime_trace_state_put() - what follows in the trace
 * @s:		state
 * @records:	@n of them: of a batch, or a part of one
 * @n:		how many
 *
 * Synthetic records are left out. Of register operations that a driver handed in and got back,
 * writes count when they are handed in and reads when they come back. Return: 0, -ENOMEM (what came
 * before is kept). Since 0.1.
 */
NTIME_API int ntime_trace_state_put(struct ntime_trace_state *s, const struct ntime_record *records,
				    size_t n);

/** ntime_trace_state_accesses() - how many accesses it was given. Since 0.1. */
NTIME_API uint64_t ntime_trace_state_accesses(const struct ntime_trace_state *s);

/**
 * ntime_trace_state_dropped() - how many of them found no room, see struct
 * ntime_trace_state_options.registers. Since 0.1.
 */
NTIME_API uint64_t ntime_trace_state_dropped(const struct ntime_trace_state *s);

/**
 * ntime_trace_state_find() - one register, or a part of one
 * @s:		state
 * @device, @region, @offset: where
 * @width:	1, 2, 4 or 8 bytes
 * @out:	@out->size must be set; accesses that reach beyond these bytes do not count, but
 *		what they told is there
 *
 * Return: 1; 0 (nothing is known of any of its bits, and it was never accessed); -EINVAL. Since
 * 0.1.
 */
NTIME_API int ntime_trace_state_find(const struct ntime_trace_state *s, uint32_t device,
				     uint32_t region, uint64_t offset, uint32_t width,
				     struct ntime_register_state *out);

/**
 * ntime_trace_state_for_each() - all registers, by device, region and offset
 * @s:		state
 * @fn:		called for each; what was accessed in part is one with the widest access that holds
 *		it
 * @arg:	its first argument
 *
 * Return: how many; first non-zero of @fn; -ENOMEM. Since 0.1.
 */
NTIME_API int ntime_trace_state_for_each(const struct ntime_trace_state *s,
					 int (*fn)(void *arg,
						   const struct ntime_register_state *state),
					 void *arg);

#ifdef __cplusplus
}
#endif
#endif
