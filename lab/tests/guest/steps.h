/* SPDX-License-Identifier: MIT */
/*
 * User mode instructions of a command, counted one by one: by ptrace(2)'s single steps, not by a
 * counter.
 */
#ifndef LAB_STEPS_H
#define LAB_STEPS_H

#include <stdint.h>

/**
 * lab_steps() - run a command and everything it starts, one instruction at a time
 * @argv:	path and arguments, NULL-terminated
 * @steps:	instructions of all tasks, from the first one behind exec to the exit's system call
 *
 * Return: 0; -ENOTSUP (this kernel or processor has no single steps: 32-bit ARM); -ECHILD (the
 * command failed); -errno.
 */
int lab_steps(char *const argv[], uint64_t *steps);

#endif
