/* SPDX-License-Identifier: MIT */
/*
 * What a recorded machine as an operating system consists of; count/tests/sim has a kernel beside
 * it.
 */
#ifndef NTI_REPLAY_INNER_H
#define NTI_REPLAY_INNER_H

#include "base/os/replay/machine.h"
#include "base/os/replay/replay.h"

/* An open /dev/cpu/N/msr. */
struct nti_replay_device {
	bool is_open;
	int flags;
	uint32_t cpu;
};

/* Registers that were written: the recording itself never changes. */
struct nti_replay_written {
	uint32_t cpu, address;
	uint64_t value;
};

struct nti_replay {
	struct nti_os os; /* first: entry points get this pointer */
	struct nti_machine *m;
	uint64_t calls[NTI_CALLS];
	struct nti_replay_device *devices;
	size_t device_count;
	struct nti_replay_written *written;
	size_t written_count;
};

extern const struct nti_os_ops nti_replay_ops;

/* nti_os_replay_new(), where nobody simulates a kernel. */
int nti_replay_new(struct nti_machine *m, struct nti_os **out);
/* Count the call; the injected error when it is this one's turn. */
int nti_replay_fault(struct nti_replay *r, enum nti_call call);
/* All but @r itself. */
void nti_replay_fini(struct nti_replay *r);

#endif
