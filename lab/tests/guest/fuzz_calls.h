/* SPDX-License-Identifier: MIT */
/*
 * Programs of system calls on the files of the driver. A program is bytes: each decision, which
 * call is next, on which path, with which number, takes the next ones. So any bytes are a program,
 * and one that was changed a little does nearly the same.
 */
#ifndef LAB_FUZZ_CALLS_H
#define LAB_FUZZ_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FUZZ_BYTES 112 /* some twenty calls */
#define FUZZ_GROUP 77  /* may read */
#define FUZZ_ELSEWHERE "/tmp/fuzz"

struct fuzz_program {
	uint16_t bytes;
	uint8_t byte[FUZZ_BYTES];
};

/* As whom: the keeper has CPUs and devices go and come, and the machine fall asleep. */
enum fuzz_who { FUZZ_ROOT, FUZZ_MEMBER, FUZZ_STRANGER, FUZZ_KEEPER };

/* What all processes share. armel has no atomic 64 bits. */
struct fuzz_shared {
	unsigned long calls, good, without_memory, slow, perf, mounted, gone, slept;
	unsigned int stranger_in, member_wrote;
	unsigned int slow_now, is_going_to_sleep; /* who waits for FUSE cannot be frozen */
};

/**
 * fuzz_prepare() - before the processes are forked
 * @slow_file: lab_stall_lend()'s, or negative
 * @with_perf: events of perf on the same PMU are among the calls
 *
 * What is mounted now is what is fuzzed. Return: how many paths there are; 0 without memory.
 */
size_t fuzz_prepare(struct fuzz_shared *shared, int slow_file, bool with_perf);
/* Put back what the keeper took away, when all processes have ended. */
void fuzz_end(void);
/* In each process, once. What cannot be is _exit(3). */
void fuzz_begin(enum fuzz_who who);
/* One program, from nothing: descriptors and mappings are gone in the end. */
void fuzz_run(const struct fuzz_program *program);

#endif
