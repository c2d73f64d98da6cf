/* SPDX-License-Identifier: MIT */
/* Everything libntime offers. libntime(3) is the way in. */
#ifndef NTIME_NTIME_H
#define NTIME_NTIME_H

#include <ntime/command.h>
#include <ntime/context.h>
#include <ntime/derive.h>
#include <ntime/export.h>
#include <ntime/list.h>
#include <ntime/machine.h>
#include <ntime/reader.h>
#include <ntime/regdb.h>
#include <ntime/register.h>
#include <ntime/ring.h>
#include <ntime/session.h>
#include <ntime/topology.h>
#include <ntime/trace.h>
#include <ntime/trace_cost.h>
#include <ntime/trace_diff.h>
#include <ntime/trace_filter.h>
#include <ntime/trace_stat.h>
#include <ntime/trace_state.h>
#include <ntime/trace_writer.h>
#include <ntime/value.h>
#include <ntime/vfio.h>

#endif
