/* SPDX-License-Identifier: MIT */
/*
 * Counts of programs under qemu-user: a file that all processes of a command map, and ntime reads.
 *
 * Each thread of each process adds to a place of its own, without locks; the count of the command
 * is the sum over all places. Who finds no free place adds to the first one, atomically. A process
 * that is killed leaves its places as they are. All numbers are of the machine's byte order.
 */
#ifndef NTE_COUNTS_H
#define NTE_COUNTS_H

#include <stdint.h>

#define NTE_COUNTS_MAGIC "ntimeemu"
#define NTE_COUNTS_VERSION 2
#define NTE_PLACES 65536

enum nte_count {
	NTE_INSTRUCTIONS,
	NTE_BRANCHES,
	NTE_SYSCALLS,
	NTE_TAKEN_BRANCHES, /* this and what follows costs time */
	NTE_LOADS,
	NTE_STORES,
	NTE_COUNTS = 8 /* room for more */
};

/* A cache line, so that threads do not wait for each other's. */
struct nte_place {
	uint64_t count[NTE_COUNTS];
};

/**
 * struct nte_counts - the file; beyond the head it is sparse
 * @magic:	NTE_COUNTS_MAGIC without the 0 behind it
 * @used:	places that were given out; the first is for all who found none
 * @plugins:	processes in which the plugin began; 0: QEMU has not loaded it
 * @wanted:	1 << NTE_TAKEN_BRANCHES and its like: what costs time, and only then is counted. Set
 *		before the command begins
 * @outside:	programs that ran without the emulator and are in no count: of another architecture,
 *		set-uid, or not readable
 */
struct nte_counts {
	char magic[8];
	uint32_t version;
	uint32_t used;
	uint32_t plugins;
	uint32_t outside;
	uint32_t wanted;
	uint32_t reserved[9];
	struct nte_place place[];
};

#define NTE_COUNTS_BYTES (sizeof(struct nte_counts) + NTE_PLACES * sizeof(struct nte_place))

#endif
