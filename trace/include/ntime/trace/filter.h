/* SPDX-License-Identifier: MIT */
/**
 * DOC: Which records of a trace are wanted
 *
 * A filter has terms. Terms of the same kind are alternatives, terms of different kinds must all
 * hold: two devices and one range keep what is of either device and in the range. A term that is
 * negated removes what it fits. Marks pass when no term speaks against their device, time or
 * thread.
 */
#ifndef NTIME_TRACE_FILTER_H
#define NTIME_TRACE_FILTER_H

#include <ntime/trace/regdb.h>
#include <ntime/trace/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * ntime_trace_filter_new() - a filter that keeps all. Free with ntime_trace_filter_free(). Return:
 * 0, -ENOMEM. Since 0.1.
 */
NTIME_API int ntime_trace_filter_new(struct ntime_trace_ctx *ctx, struct ntime_trace_filter **out);
NTIME_API void ntime_trace_filter_free(struct ntime_trace_filter *f);

/**
 * ntime_trace_filter_add() - one more term
 * @f:		filter that no reader uses yet
 * @term:	"device=0000:05:00.*" (glob; PCI addresses match with and without the domain),
 *		"region=0", "region=rom", "range=0xa400-0xa7ff" (both ends belong to it; what
 *		touches it is in it), "range=0xa400+0x400", "range=0xa404",
 *		"register=PCOUNTER.PRE_SRC" (glob; with @db), "register=PRE_SRC@GT218" (of that
 *		chip; else of all that are alike, and ntime's own rows not on devices whose
 *		identification in the trace is another vendor's), "access=read",
 *		"access=write", "value=0x1", "value=0x20/0xff" (value and mask), "width=4",
 *		"thread=1234", "time=1.5-2" (since the first record, in seconds or with ns, us, ms,
 *		s or min; either end may be missing), "time=@1424299207.2-" (of the clock itself)
 * @is_negated:	remove what fits
 * @db:		for register names, else NULL; borrowed by the filter
 *
 * Return: 0; -EINVAL (sentence), -ENOENT (no such register; sentence with near names), -ENOMEM.
 * Since 0.1.
 */
NTIME_API int ntime_trace_filter_add(struct ntime_trace_filter *f, const char *term, int is_negated,
				     const struct ntime_regdb *db);

/**
 * ntime_trace_device_fits() - is this one of the devices that a term "device=" means?
 * @glob:	"0000:05:00.*", "5:0.0"; of PCI addresses the domain may be left out, and zeros in
 *		front of numbers
 *
 * Return: 1, 0. Since 0.1.
 */
NTIME_API int ntime_trace_device_fits(const struct ntime_trace_device *device, const char *glob);

#ifdef __cplusplus
}
#endif
#endif
