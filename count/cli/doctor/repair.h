/* SPDX-License-Identifier: MIT */
/* ntime doctor --repair: put back what killed programs left in registers. */
#ifndef CLI_DOCTOR_REPAIR_H
#define CLI_DOCTOR_REPAIR_H

#include <stdbool.h>

#include <ntime/context.h>

/* Asks before it writes, unless @is_sure or nobody is there to answer. The exit status. */
int cli_doctor_repair(struct ntime_ctx *ctx, bool is_sure);

#endif
