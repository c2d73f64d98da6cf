/* SPDX-License-Identifier: MIT */
/* Everything libntime-trace offers. libntime-trace(7) is the overview. */
#ifndef NTIME_TRACE_H
#define NTIME_TRACE_H

#include <ntime/export.h>
#include <ntime/trace/context.h>
#include <ntime/trace/cost.h>
#include <ntime/trace/derive.h>
#include <ntime/trace/diff.h>
#include <ntime/trace/filter.h>
#include <ntime/trace/regdb.h>
#include <ntime/trace/stat.h>
#include <ntime/trace/state.h>
#include <ntime/trace/trace.h>
#include <ntime/trace/vfio.h>
#include <ntime/trace/writer.h>

#endif
