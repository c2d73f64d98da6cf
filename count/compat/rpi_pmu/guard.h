/* SPDX-License-Identifier: MIT */
/*
 * Instructions that the kernel may forbid: while the guard stands, one that faults is skipped and
 * noted, and the program goes on. All other illegal instructions, and SIGILL sent by somebody,
 * reach the program's own handler as they would without the guard.
 *
 * The guarded functions lie in a section of their own, so that the address alone tells a fault of
 * theirs from all others, whichever thread has it. Async-signal-safe: the handler touches one flag.
 */
#ifndef RPI_GUARD_H
#define RPI_GUARD_H

#include <stdbool.h>

/*
 * A function whose every instruction that can fault has the length that guard.c knows for this
 * architecture.
 */
#define RPI_GUARDED __attribute__((noinline, section("rpi_guarded")))

/*
 * 0 or -errno. Also lets SIGILL through in this thread, where it is blocked: a fault that is
 * blocked ends the program.
 */
int rpi_guard_raise(void);
/* The program's own handler is restored; one that it installed meanwhile stays. */
void rpi_guard_lower(void);
/* Did a guarded instruction fault since the guard was raised? */
bool rpi_guard_has_caught(void);

#endif
