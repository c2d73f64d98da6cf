/* SPDX-License-Identifier: MIT */
/* forks CHILDREN: one after another, each makes 1000 turns. lab_count_forks() has the sum. */
#include "program.inc"

#define SIGCHLD 17

	.global	_start
_start:	read_number
	compare	V0, 0
	jump_equal 2f
1:	start_task set, SIGCHLD, child
	await_child
	countdown V0
	jump_not_equal 1b
2:	end_with 0

child:	set	V1, 1000
3:	countdown V1
	jump_not_equal 3b
	end_with 0
	errors	"forks CHILDREN"
