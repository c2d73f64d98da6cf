/* SPDX-License-Identifier: MIT */
/* loop TURNS: turns of two instructions. lab_count_loop() of count.h has the sum. */
#include "program.inc"

	.global	_start
_start:	read_number
	compare	V0, 0
	jump_equal 2f
1:	countdown V0
	jump_not_equal 1b
2:	end_with 0
	errors	"loop TURNS"
