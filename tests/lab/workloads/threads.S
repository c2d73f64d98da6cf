/* SPDX-License-Identifier: MIT */
/*
 * threads THREADS: that many threads of one process, all started before the first is waited for; each makes 1000 turns. Nobody waits:
 * the first thread ends alone, and the process ends with its last thread. Waiting would take a number of instructions that
 * depends on who is faster. lab_count_threads() has the sum.
 */
#include "program.inc"

/* CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM of linux/sched.h */
#define THREAD_FLAGS 0x50f00

	.global	_start
_start:	read_number
	compare	V0, 0
	jump_equal 2f
1:	start_task THREAD_FLAGS, child
	countdown V0
	jump_not_equal 1b
2:	end_with 0

child:	set	V1, 1000
3:	countdown V1
	jump_not_equal 3b
	end_with 0
	errors	"threads THREADS"
