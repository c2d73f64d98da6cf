/* SPDX-License-Identifier: MIT */
/*
 * threads THREADS: that many threads of one process, all started before the first is waited for; each makes 1000 turns. Nobody waits:
 * the first thread ends alone, and the process ends with its last thread. Waiting would take a number of instructions that
 * depends on who is faster. lab_count_threads() has the sum.
 */
#include "program.inc"

/* CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM of linux/sched.h; too wide for one "set" */
#define THREAD_FLAGS 0x50f00

	.global	_start
_start:	read_number
	set	V5, THREAD_FLAGS >> 8
	set	V4, 1 << 8
	times	V5, V4
	compare	V0, 0
	jump_equal 2f
1:	start_task copy, V5, child
	countdown V0
	jump_not_equal 1b
2:	end_with 0

child:	set	V1, 1000
3:	countdown V1
	jump_not_equal 3b
	end_with 0
	errors	"threads THREADS"
