/* SPDX-License-Identifier: MIT */
/* Work whose count is known: two instructions a turn. */
#ifndef LAB_SPIN_H
#define LAB_SPIN_H

#define LAB_SPIN_INSTRUCTIONS 2

static inline void lab_spin(unsigned long turns)
{
#if defined(__x86_64__)
	__asm__ volatile("1: decq %0\n\tjnz 1b" : "+r"(turns) : : "cc");
#elif defined(__aarch64__)
	__asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(turns) : : "cc");
#elif defined(__arm__)
	__asm__ volatile("1: subs %0, %0, #1\n\tbne 1b" : "+r"(turns) : : "cc");
#elif defined(__riscv)
	__asm__ volatile("1: addi %0, %0, -1\n\tbnez %0, 1b" : "+r"(turns));
#elif defined(__powerpc64__)
	__asm__ volatile("1: addic. %0, %0, -1\n\tbne 1b" : "+r"(turns) : : "cr0", "xer");
#else
#error "write the two instructions of a turn for this architecture"
#endif
}

#endif
