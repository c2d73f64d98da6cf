/* SPDX-License-Identifier: MIT */
/*
 * Counts of programs under qemu-user: a file that all processes of a command map, and ntime reads.
 *
 * Each thread of each process adds to a place of its own, without locks; the count of the command
 * is the sum over all places. Who finds no free place adds to the first one, atomically. A process
 * that is killed leaves its places as they are. All numbers are of the machine's byte order.
 *
 * Where counts are wanted by function, the file has more behind the places: a record for each block
 * of instructions, which all threads and processes add to, and the files that the blocks are of.
 */
#ifndef NTE_COUNTS_H
#define NTE_COUNTS_H

#include <stddef.h>
#include <stdint.h>

#define NTE_COUNTS_MAGIC "ntimeemu"
#define NTE_COUNTS_VERSION 4
#define NTE_PLACES 65536
#define NTE_PAGES 16384 /* a process that ends with threads in it gives none back */
#define NTE_FILES 1024
#define NTE_BLOCKS (1u << 20)
#define NTE_INDEX (2 * NTE_BLOCKS)

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

#define NTE_PAGE_BYTES 4096
#define NTE_PAGE_PLACES (NTE_PAGE_BYTES / sizeof(struct nte_place))

/**
 * struct nte_page - counts of a process, by thread; a child has another one at the same address
 *
 * A page is of one process at a time; the next one goes on adding.
 */
struct nte_page {
	struct nte_place place[NTE_PAGE_PLACES];
};

/**
 * struct nte_file - a file of which code was executed
 * @inode, @mtime_ns: of the file that had this name then
 * @path:	of it
 */
struct nte_file {
	int64_t inode, mtime_ns;
	char path[4080];
};

/**
 * struct nte_block - instructions that are executed one behind the other
 * @key:	where, and what they are: NTE_KEY(). The first one has 0, and is for all that found
 *		no record of their own
 * @count:	of all executions; of NTE_BRANCHES in the first one alone, as keys tell of others
 */
struct nte_block {
	uint64_t key;
	uint64_t count[NTE_COUNTS - 1];
};

/*
 * Of a block: its file by number (0: none that is known), its first byte there, how many
 * instructions, and whether the last one is a branch.
 */
#define NTE_KEY(file, offset, instructions, has_branch)                                            \
	((uint64_t)1 << 63 | (uint64_t)(has_branch) << 62 | (uint64_t)(instructions) << 50 |       \
	 (uint64_t)(file) << 40 | (uint64_t)(offset))
#define NTE_KEY_HAS_BRANCH(key) ((key) >> 62 & 1)
#define NTE_KEY_INSTRUCTIONS(key) ((key) >> 50 & 0xfff)
#define NTE_KEY_FILE(key) ((key) >> 40 & (NTE_FILES - 1))
#define NTE_KEY_OFFSET(key) ((key)&NTE_OFFSET_MOST)
#define NTE_OFFSET_MOST (((uint64_t)1 << 40) - 1)

/**
 * struct nte_counts - the file; beyond the head it is sparse
 * @magic:	NTE_COUNTS_MAGIC without the 0 behind it
 * @used:	places that were given out; the first is for all who found none
 * @plugins:	processes in which the plugin began; 0: QEMU has not loaded it
 * @outside:	programs that ran without the emulator and are in no count: of another architecture,
 *		set-uid, or not readable
 * @wanted:	1 << NTE_TAKEN_BRANCHES and its like: what costs time, and only then is counted. Set
 *		before the command begins
 * @lacking, @system_call: calls that QEMU answered with ENOSYS, and the number of the last one
 * @faults:	signals of faults that the program handled, each of which may have interrupted a
 *		block of instructions
 * @files, @blocks: as @used; the file ends before .file where they are not wanted (@by_function)
 * @has_page:	of each page: a process has it
 * @next_page:	where to look for one that is free
 * @index:	of a block's record, behind its hash: the number of it, or 0
 */
struct nte_counts {
	char magic[8];
	uint32_t version;
	uint32_t used;
	uint32_t plugins;
	uint32_t outside;
	uint32_t wanted;
	uint32_t by_function;
	uint32_t files, blocks;
	uint32_t lacking, system_call;
	uint32_t next_page;
	uint32_t faults;
	uint32_t reserved[2];
	uint32_t has_page[NTE_PAGES];
	struct nte_page page[NTE_PAGES] __attribute__((aligned(NTE_PAGE_BYTES)));
	struct nte_place place[NTE_PLACES];
	struct nte_file file[NTE_FILES];
	uint32_t index[NTE_INDEX];
	struct nte_block block[NTE_BLOCKS];
};

#define NTE_PLAIN_BYTES offsetof(struct nte_counts, file)

/* A count that others add to meanwhile. */
static inline uint64_t nte_get(const uint64_t *count)
{
#if __GCC_ATOMIC_LLONG_LOCK_FREE == 2
	return __atomic_load_n(count, __ATOMIC_RELAXED);
#else
	/* Nobody does: there is no plugin for such processors. */
	return *count;
#endif
}

#endif
