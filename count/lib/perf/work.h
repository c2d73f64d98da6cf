/* SPDX-License-Identifier: MIT */
/* Work of which it is known how many instructions it takes, for self-tests. */
#ifndef NTI_WORK_H
#define NTI_WORK_H

#include <stdbool.h>

#include "base/os/filter.h"
#include "base/os/os.h"

/**
 * struct nti_work - what this processor can do on purpose
 * @turn_instructions:	of one turn of @loop, one of which is a branch; cycles are more: products
 *			that wait for each other; 0: not known here
 * @call_instructions:	in user mode, of one turn of @calls
 * @loop:	turns of a loop that touches no memory
 * @calls:	cheap system calls
 * @misses:	loads, each from a line that was thrown out of all caches just before, in a loop
 *		whose branches are all predicted; NULL: this processor cannot do that
 * @guesses:	branches that nothing can predict, each followed by one that is predicted, in a loop
 *		that touches no memory; NULL where @misses is
 * @filter_instructions, @filter_branches: in the kernel, of one turn of a filter that the kernel
 *		has translated (base/os/filter.h); 0: not known here
 * @filter_open, @filter_run, @filter_close: of base/os/filter.h
 */
struct nti_work {
	unsigned int turn_instructions, call_instructions;
	void (*loop)(struct nti_os *os, unsigned long turns);
	void (*calls)(struct nti_os *os, unsigned long calls);
	void (*misses)(struct nti_os *os, unsigned long loads);
	void (*guesses)(struct nti_os *os, unsigned long guesses);
	unsigned int filter_instructions, filter_branches;
	int (*filter_open)(struct nti_os *os, struct nti_filter *f, unsigned int turns);
	bool (*filter_run)(struct nti_os *os, const struct nti_filter *f);
	void (*filter_close)(struct nti_os *os, struct nti_filter *f);
};

/* That of @os, which a test may have its own of. */
const struct nti_work *nti_work_of(struct nti_os *os);

#endif
