// SPDX-License-Identifier: GPL-2.0 OR MIT
/* The tracepoint's code. */
#include "driver/compat.h"

#define CREATE_TRACE_POINTS
#include "driver/trace.h"
