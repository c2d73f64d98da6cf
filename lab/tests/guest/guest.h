/* SPDX-License-Identifier: MIT */
/* What the tests inside a guest share: sessions that must open, and the ntime command's answers. */
#ifndef LAB_GUEST_H
#define LAB_GUEST_H

#include <stdbool.h>
#include <stdint.h>

#include <ntime/ntime.h>

/* TT_RUN() that speaks TAP without being told by the environment: in a guest nobody sets it. */
#define LAB_RUN(tests) (cmocka_set_message_output(CM_OUTPUT_TAP), TT_RUN(tests))

/*
 * Opened by the first lab_session() of a program. A failure of any of these ends the test with the
 * library's sentence.
 */
struct ntime_ctx *lab_ctx(void);
struct ntime_session *lab_session(const char *events, const struct ntime_target *target);
struct ntime_session *lab_started(const char *events); /* this thread, running */
struct ntime_reader lab_reader(struct ntime_session *s, size_t item);
uint64_t lab_read_call(const struct ntime_reader *r); /* by read(2), must be exact */

/* Fails the test with the library's sentence if @ret is negative. */
#define LAB_OK(ret) lab_ok_((ret), #ret, __FILE__, __LINE__)
int lab_ok_(int ret, const char *what, const char *file, int line);

/* Write to a file of /proc or /sys; failure ends the test. */
void lab_set(const char *path, const char *text);

/* On x86 the NMI watchdog holds a counter of each CPU; where there is none this does nothing. */
void lab_stop_watchdog(void);

/**
 * lab_can_read_counters() - may this processor's counters be read by an instruction?
 *
 * On arm64 it first sets kernel.perf_user_access, which is 0 after boot. Return: false on 32-bit
 * ARM and POWER, whose kernels never allow it, and on RISC-V, where it may end the program.
 */
bool lab_can_read_counters(void);

/**
 * struct lab_value - one item of a report of the ntime command
 * @name:	event
 * @count, @value, @error: as in struct ntime_value; means over the runs with -r
 * @min, @max:	over the runs; equal to @value without -r
 * @is_scaled, @is_absent, @is_implausible: flags
 * @in_every_pass: it has a counter of its own
 * @pass:	pass that counted it
 */
struct lab_value {
	char name[64];
	uint64_t count;
	double value, error, min, max;
	bool is_scaled, is_absent, is_implausible, in_every_pass;
	unsigned int pass;
};

/**
 * lab_ntime() - run "ntime --json ARGUMENTS" and take the items of its report
 * @arguments:	options and command, for the shell
 * @values:	@n items in the order of the report
 * @n:		must be the number of items that there are
 */
void lab_ntime(const char *arguments, struct lab_value *values, size_t n);

/**
 * lab_shift() - log2 of cycles per instruction in this guest
 *
 * From NTIME_LAB_SHIFT, which the guest sets; where it does not, from what the kernel's own two
 * counters say of a long loop.
 */
unsigned int lab_shift(void);

/**
 * lab_leave_end_of_second() - return when the clock's second is neither ending nor new
 *
 * Starting a session asks the clock, as a read of a whole CPU does, several times where we program
 * the counters. From the end of a second to its next tick the kernel's clock for user mode takes a
 * turn of a loop more (Linux 6.1, lib/vdso/gettimeofday.c, do_hres(), which subtracts what goes
 * beyond a second), and all tries of a short loop have room in that time: then each of them is
 * longer by the same 6 instructions (arm64 9, armv7 14) a look at the clock. So no try begins
 * there, and the least of several tries has none of it. What waits sleeps, for what it did would be
 * counted.
 */
void lab_leave_end_of_second(void);

/*
 * perf_event_open(2) on this thread, user mode only, without the library: the kernel's own
 * count. Return: file descriptor or -errno.
 */
int lab_open_event(uint32_t type, uint64_t config, uint64_t sample_period, int group_fd);

#endif
