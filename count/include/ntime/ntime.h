/* SPDX-License-Identifier: MIT */
/* Everything libntime offers; libntime(7) is the overview. */
#ifndef NTIME_NTIME_H
#define NTIME_NTIME_H

#include <ntime/command.h>
#include <ntime/context.h>
#include <ntime/emulator.h>
#include <ntime/export.h>
#include <ntime/frame.h>
#include <ntime/list.h>
#include <ntime/machine.h>
#include <ntime/reader.h>
#include <ntime/reason.h>
#include <ntime/register.h>
#include <ntime/session.h>
#include <ntime/topology.h>
#include <ntime/value.h>

#endif
