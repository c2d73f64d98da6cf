/* SPDX-License-Identifier: MIT */
/* void lab_turns(unsigned long turns): 2 instructions for each, 3 for the call. */
#include "words.inc"

	.global	lab_turns
	.hidden	lab_turns
	.type	lab_turns, %function
lab_turns:
	compare	A0, 0
	jump_equal 2f
1:	countdown A0
	jump_not_equal 1b
2:	leave_function
	.size	lab_turns, . - lab_turns
