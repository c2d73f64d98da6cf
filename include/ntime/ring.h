/* SPDX-License-Identifier: MIT */
/**
 * DOC: A ring of sampled periods: one writer, any number of readers, no locks
 *
 * The writer stores a period (a time and the values of a session's items); readers copy periods by
 * their sequence number and find out by themselves when the writer has overtaken them: they lose
 * periods, never get a mixture of two.
 */
#ifndef NTIME_RING_H
#define NTIME_RING_H

#include <stddef.h>
#include <stdint.h>

#include <ntime/export.h>
#include <ntime/value.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ntime_ring;

/**
 * ntime_ring_new() - a ring of @periods periods with @values values each
 * @periods:	power of two, 2 .. 1 << 20
 * @values:	1 .. 4096
 * @out:	ring; free with ntime_ring_free()
 *
 * Return: 0, -EINVAL, -ENOMEM. Since 0.1.
 */
NTIME_API int ntime_ring_new(size_t periods, size_t values, struct ntime_ring **out);
NTIME_API void ntime_ring_free(struct ntime_ring *r);

/**
 * ntime_ring_push() - store one period; the single writer's call, never waits
 * @r:		ring
 * @time_ns:	CLOCK_MONOTONIC at the end of the period
 * @values:	as many as the ring was made for
 *
 * Return: sequence number of the period, from 0.
 */
NTIME_API uint64_t ntime_ring_push(struct ntime_ring *r, uint64_t time_ns,
				   const struct ntime_value *values);

/**
 * ntime_ring_read() - copy period @sequence
 * @r:		ring
 * @sequence:	wanted period
 * @time_ns:	its time, may be NULL
 * @values:	caller's memory for as many values as the ring was made for; undefined after -ESTALE
 *
 * Any thread. Return: 0, -EAGAIN (not written yet), -ESTALE (overwritten, before or during the
 * copy).
 */
NTIME_API int ntime_ring_read(const struct ntime_ring *r, uint64_t sequence, uint64_t *time_ns,
			      struct ntime_value *values);

/**
 * ntime_ring_next() - the sequence number that the next push will get: newest is one less. Any
 * thread.
 */
NTIME_API uint64_t ntime_ring_next(const struct ntime_ring *r);
/** ntime_ring_oldest() - smallest sequence number that may still be there. Any thread. */
NTIME_API uint64_t ntime_ring_oldest(const struct ntime_ring *r);

#ifdef __cplusplus
}
#endif
#endif
