/* SPDX-License-Identifier: MIT */
/*
 * straight TIMES: 65536 instructions without a jump, on 64 pages that fault when they run first. lab_count_straight() has the sum.
 * Jumps on a condition do not reach over them.
 */
#include "program.inc"

	.global	_start
_start:	read_number
	compare	V0, 0
	jump_not_equal 1f
	end_with 0
	errors	"straight TIMES"

1:	.rept	65536
	increase V4, 1
	.endr
	countdown V0
	jump_equal 2f
	jump	1b
2:	end_with 0
