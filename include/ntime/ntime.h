/* SPDX-License-Identifier: MIT */
/* Everything libntime offers. libntime(3) is the way in. */
#ifndef NTIME_NTIME_H
#define NTIME_NTIME_H

#include <ntime/command.h>
#include <ntime/context.h>
#include <ntime/export.h>
#include <ntime/list.h>
#include <ntime/machine.h>
#include <ntime/reader.h>
#include <ntime/register.h>
#include <ntime/ring.h>
#include <ntime/session.h>
#include <ntime/topology.h>
#include <ntime/value.h>
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
