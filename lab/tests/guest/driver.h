/* SPDX-License-Identifier: MIT */
/*
 * ntime.ko in a guest: loading it, its file system, its register files, and what may have been left
 * behind.
 *
 * Functions return 0 or something positive, or -errno, and end no test, so that children may call
 * them too; LAB_GOOD() ends the test for those that must succeed. Paths of registers are relative
 * to where the file system is mounted: "core0/msr/0x38d".
 */
#ifndef LAB_DRIVER_H
#define LAB_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "include/uapi/ntime.h"
#include "base/tests/tt.h"

#define LAB_MODULE "/lab/ntime.ko"

/*
 * For tests that want the driver loaded and mounted as root without options, and leave nothing open
 * behind, whatever happened in them.
 */
#define LAB_DRIVER_TEST(test)                                                                      \
	cmocka_unit_test_setup_teardown(test, lab_driver_again, lab_driver_tidy)
int lab_driver_again(void **state);
int lab_driver_tidy(void **state);
/*
 * The first and the last of them: what all registers hold; that they hold it still, and again when
 * the driver was loaded anew.
 */
#define LAB_DRIVER_FIRST LAB_DRIVER_TEST(registers_are_remembered)
#define LAB_DRIVER_LAST LAB_DRIVER_TEST(registers_are_as_they_were)
void registers_are_remembered(void **state);
void registers_are_as_they_were(void **state);
/*
 * Around what perf counts: it leaves registers of the PMU as they happen to be. What was before
 * must be as remembered, what is after is remembered.
 */
void lab_perf_begins(void);
void lab_perf_has_ended(void);
/* Runs them: without /lab/ntime.ko or without root they are skipped, with the reason. */
#define LAB_DRIVER_RUN(tests)                                                                      \
	(lab_driver_why_not() ? tt_skip_all(lab_driver_why_not())                                  \
			      : (cmocka_set_message_output(CM_OUTPUT_TAP), TT_RUN(tests)))
const char *lab_driver_why_not(void);

/* Ends the test unless @call gives 0 or more; its value. Not in children. */
#define LAB_GOOD(call) lab_good_((call), #call, __FILE__, __LINE__)
/* The same of a call that gives -1 and sets errno. */
#define LAB_CALL(call) lab_good_((call) < 0 ? -errno : 0, #call, __FILE__, __LINE__)
/* The descriptor of a register that can be opened. */
#define LAB_OPEN(reg, flags)                                                                       \
	((int)lab_good_(lab_reg_open((reg), (flags)), #reg, __FILE__, __LINE__))
long lab_good_(long ret, const char *what, const char *file, int line);

/* ---- the module ---- */

/* Is /lab/ntime.ko in this guest (ntime lab run --driver)? */
bool lab_driver_is_here(void);
bool lab_driver_is_loaded(void);
/* @parameters as insmod(8) takes them: "user_access=1"; "" for none. */
int lab_driver_load(const char *parameters);
/*
 * What lab_driver_start() and the fixture of LAB_DRIVER_TEST() load it with: "" unless a program
 * says otherwise. 32-bit ARM lets user mode at its counters with LAB_USER_ACCESS alone; elsewhere
 * that is nothing.
 */
extern const char *lab_driver_parameters;
#if defined(__arm__)
#define LAB_USER_ACCESS "user_access=1"
#else
#define LAB_USER_ACCESS ""
#endif
/* -EBUSY or -EAGAIN while it is in use. */
int lab_driver_unload(void);

/* ---- its file system ---- */

/* On /sys/devices/ntime; @options as of mount(8): "gid=1000,mode=0440,ro", or "". */
int lab_driver_mount(const char *options);
/* The same anywhere else; @flags are MS_*. */
int lab_driver_mount_at(const char *place, unsigned long flags, const char *options);
int lab_driver_unmount(void);
/* Load and mount; unmount and unload. */
int lab_driver_start(const char *options);
int lab_driver_stop(void);
/* Again, with other options, or loaded anew with other parameters; failure ends the test. */
void lab_mount_anew(const char *options);
void lab_load_anew(const char *parameters, const char *options);

/* The value of a line "key: value" of its file "status"; -ENOENT when there is no such line. */
int lab_status(const char *key, char *value, size_t bytes);
/* The number that such a value begins with. */
int64_t lab_status_number(const char *key);
/* The line "last refusal" must have @part; it is printed. */
#define LAB_REFUSED(part) lab_refused_((part), __FILE__, __LINE__)
void lab_refused_(const char *part, const char *file, int line);

/* ---- register files ---- */

#define LAB_PATH 160		 /* of a register */
#define LAB_FILE (LAB_PATH + 32) /* the whole */

/* The whole path of a file in the file system. */
const char *lab_reg_path(const char *reg, char path[LAB_FILE]);
bool lab_reg_is_here(const char *reg);
/* @flags as of open(2); O_CLOEXEC is not added. */
int lab_reg_open(const char *reg, int flags);

/*
 * The text form on an open descriptor, at offset 0. -EPROTO when what comes is not 0x, 16 digits
 * and a newline, or does not end there.
 */
int lab_fd_text(int fd, uint64_t *value);
/* 8 bytes: what a descriptor gives that was mapped. */
int lab_fd_value(int fd, uint64_t *value);
/* Write a number as text, or 8 bytes to a descriptor that was mapped. */
int lab_fd_set_text(int fd, uint64_t value);
int lab_fd_set_value(int fd, uint64_t value);

/* Open, read as text, close. */
int lab_reg_get(const char *reg, uint64_t *value);
/*
 * Open, write as text, close: without anything that stays, for a driver that restores. The result
 * of the write.
 */
int lab_reg_try_set(const char *reg, uint64_t value);

/* Open for reading and writing, and write what is read with @bits changed. The descriptor. */
int lab_reg_flip(const char *reg, uint64_t bits, uint64_t *before);

/*
 * The register must be readable and hold @want; an open file must give it, as text or in 8 bytes.
 */
#define LAB_REG_IS(reg, want) lab_reg_is_((reg), (want), #reg, __FILE__, __LINE__)
#define LAB_TEXT_IS(fd, want) lab_fd_is_((fd), lab_fd_text, (want), #fd, __FILE__, __LINE__)
#define LAB_VALUE_IS(fd, want) lab_fd_is_((fd), lab_fd_value, (want), #fd, __FILE__, __LINE__)
void lab_reg_is_(const char *reg, uint64_t want, const char *what, const char *file, int line);
void lab_fd_is_(int fd, int (*get)(int fd, uint64_t *value), uint64_t want, const char *what,
		const char *file, int line);

/* The pages that a descriptor gives. */
struct lab_map {
	uint8_t *pages;
	size_t bytes;
	struct ntime_page page; /* what stood in the first one */
};

/* @count pages from offset 0. The descriptor is switched. */
int lab_fd_map(int fd, unsigned int count, struct lab_map *map);
void lab_unmap(struct lab_map *map);
/* Map and unmap at once: what the register is, and the descriptor is switched. */
int lab_fd_describe(int fd, struct ntime_page *page);
/* The same of a register that is opened for it. */
int lab_reg_describe(const char *reg, struct ntime_page *page);

/*
 * The counter's instruction, by the index of its page. Where user mode may not it is a signal: see
 * lab_signal().
 */
uint64_t lab_pmc_read(uint32_t index);
/*
 * Between a reading by read(2) and one by lab_pmc_read() a counter moves on: bits that count, so
 * that a wrap is none.
 */
uint64_t lab_pmc_mask(const struct ntime_page *page);

/* An address that nothing can be read from or written to. */
void *lab_nowhere(void);

/* ---- CPUs ---- */

unsigned int lab_cpus(void); /* that are there, on line or not */
int lab_pin(unsigned int cpu);
int lab_unpin(void); /* all CPUs */
bool lab_is_pinned(unsigned int cpu);
int lab_cpu_set_online(unsigned int cpu, bool is_online);
bool lab_cpu_is_online(unsigned int cpu);
/* Is there a core PMU whose counters count (false in "x86" and "x86-pci")? */
bool lab_has_core_pmu(void);

/* ---- registers that tests write ---- */

/*
 * A pair of registers of this guest that may be written without harm, by the names of its first
 * unit: what a counter counts, and the counter. Of other CPUs lab_of_cpu() makes the paths.
 */
struct lab_pair {
	const char *control, *counter;
	const char *link; /* another name of @control; NULL where it has none */
	uint64_t flip;	  /* bits of @control that may be set and cleared, and start nothing */
	uint64_t count;	  /* a value that @counter can hold */
	/* @control: count them, in user mode alone where that can be; 0: they cannot be counted */
	uint64_t instructions;
	bool is_core; /* of a core PMU, which perf has too */
	/* Their bit 0 must be set too, that the counter runs; NULL: there is none, or no second. */
	const char *enable, *enable_all;
};

/*
 * Let the counter of @pair on @cpu count instructions until the descriptors are closed, which
 * are @fds, 3 of them, -1 where there is no register. Return: 0 or the first -errno.
 */
int lab_pair_run(const struct lab_pair *pair, unsigned int cpu, int fds[3]);
/* NULL where nothing may be written. The file system must be mounted. */
const struct lab_pair *lab_pair(void);
/* Or skip the test, as do those below it. */
const struct lab_pair *lab_need_pair(void);
/* Some register that can be read, of CPU 0 and of CPU 1. */
const char *lab_need_core(void);
const char *lab_need_cpu1(void);
/* "core0/..." of another CPU. */
const char *lab_of_cpu(const char *reg, unsigned int cpu, char path[LAB_PATH]);

/* ---- other processes ---- */

/*
 * Become root of a new user namespace, with mounts of its own, who is outside of it what this
 * process is; in a child. 0 or -errno.
 */
int lab_enter_user_namespace(void);

/*
 * What @fn returns in a child that is user @uid and group @gid, with group @extra too unless that
 * is -1; uid 0 stays root. -EPROTO when the child died. Nothing of cmocka may be called in @fn.
 */
struct lab_user {
	uid_t uid;
	gid_t gid;
	long extra;
};
extern const struct lab_user lab_root, lab_stranger;
int lab_become(const struct lab_user *user); /* in a child: 0 or -errno */
long lab_child(const struct lab_user *user, long (*fn)(void *arg), const void *arg);
/* The signal that ended @fn in a child, 0 when it returned. */
int lab_signal(long (*fn)(void *arg), const void *arg);
/*
 * A child that goes on by itself: lab_spawn() comes back when it says lab_ready() (0), or has ended
 * without (what @fn returned, -EPROTO when it died). One that was spawned is ended by lab_wait()
 * (exit status of what @fn returned, or 128 + signal) or lab_kill() (kill -9).
 */
struct lab_process {
	pid_t pid;
};
long lab_spawn(struct lab_process *process, long (*fn)(void *arg), const void *arg);
void lab_ready(void); /* in the child */
__attribute__((noreturn)) void lab_be_ready_and_wait(void);
int lab_wait(struct lab_process *process);
int lab_kill(struct lab_process *process);

/* What several tests have children do; @reg is a path, @index is the value of the pointer. */
long lab_do_read(void *reg);
long lab_do_write(void *reg); /* no more than open it for that */
long lab_do_chmod(void *reg); /* 0666 */
long lab_do_load(void *address);
long lab_do_store(void *address);
long lab_do_read_counter(void *index); /* lab_pmc_read() */
long lab_do_switch_cpu1_off(void *unused);
long lab_do_switch_cpu1_on(void *unused);

/* ---- everything that can be read ---- */

struct nthw_reg;
/* A register as it was. */
struct lab_row {
	char path[LAB_PATH];
	char name[64];
	uint64_t value;
	int error; /* -errno of reading it */
	/* The row of core/regs that it is instance @index of; NULL: there is none. */
	const struct nthw_reg *reg;
	uint32_t index;
	uid_t uid;
	gid_t gid;
	mode_t mode;
};

struct lab_rows {
	struct lab_row *rows;
	size_t count;
};

/* Read every register once, aliases left out. Needs root and a mounted file system. */
int lab_rows_take(struct lab_rows *rows);
/*
 * Rows that differ, each told with print_error(); what moves by itself (lab_row_moves()) may have
 * another value.
 */
size_t lab_rows_differ(const struct lab_rows *before, const struct lab_rows *after);
void lab_rows_free(struct lab_rows *rows);

/* Path of some register that can be read. Ends the test when there is none. */
const char *lab_any_register(void);
/* By its name: a clock, a temperature, an energy, something that counts what tests do. */
bool lab_row_moves(const char *name);

#endif
