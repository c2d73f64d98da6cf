/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What QEMU's target/arm asks of ntime's models. */
#ifndef NTIME_ARM_H
#define NTIME_ARM_H

#include <cpu.h>

/*
 * Give @cpu the performance monitor of its kind, if there is a model of it (ARM1176). After QEMU's
 * own coprocessor registers are defined: these take the place of those that read as zero.
 */
void ntime_arm_define(ARMCPU *cpu);

#endif
