/* SPDX-License-Identifier: MIT */
/* Who has CPUs and PCI devices go and come, and the machine prepare to sleep, while others fuzz. */
#ifndef LAB_FUZZ_KEEPER_H
#define LAB_FUZZ_KEEPER_H

#include "lab/tests/guest/fuzz_calls.h"

/* Before the processes are forked: what there is that may go. */
void fuzz_keeper_prepare(void);
/* One thing, that @dice chooses. Whether it was done. */
bool fuzz_keep(struct fuzz_shared *shared, uint64_t (*dice)(uint64_t sides));
/* When all processes have ended: everything is back. */
void fuzz_keeper_end(void);

#endif
