/* SPDX-License-Identifier: MIT */
/*
 * switches ROUNDS: two processes hand a byte back and forth through two pipes; each waits for the other, so a round is two context switches at
 * least, the last of which may be the child's end. lab_count_switches() has the sum.
 */
#include "program.inc"

#define SIGCHLD 17

	/* 6 */
	.macro make_pipe ends
	page_address A0, \ends
	set	A1, 0
	set	NR, CALL_PIPE2
	system
	compare	RESULT, 0
	jump_negative failed
	.endm

	/* 8 */
	.macro move_byte call, ends, which
	page_address A1, \ends
	load_int A0, A1, \which
	page_address A1, byte
	set	A2, 1
	set	NR, \call
	system
	compare	RESULT, 1
	jump_not_equal failed
	.endm

	.global	_start
_start:	read_number
	compare	V0, 0
	jump_equal 2f
	make_pipe there
	make_pipe back
	start_task set, SIGCHLD, child
1:	move_byte CALL_WRITE, there, 4
	move_byte CALL_READ, back, 0
	countdown V0
	jump_not_equal 1b
	await_child
2:	end_with 0

child:	move_byte CALL_READ, there, 0
	move_byte CALL_WRITE, back, 4
	countdown V0
	jump_not_equal child
	end_with 0
	errors	"switches ROUNDS"

	.bss
	.balign	1 << PAGE_BITS
there:	.skip	8
	.balign	1 << PAGE_BITS
back:	.skip	8
	.balign	1 << PAGE_BITS
byte:	.skip	4
