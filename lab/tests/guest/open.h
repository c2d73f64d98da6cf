/* SPDX-License-Identifier: MIT */
/* A context of a guest's own. */
#ifndef LAB_OPEN_H
#define LAB_OPEN_H

#include <stdlib.h>

#include <ntime/context.h>

/*
 * As ntime_open(). Guests without instruction time count virtual nanoseconds for instructions,
 * which a self-test finds out, and rightly so; what is tested there is how they are counted.
 */
static inline int lab_open(struct ntime_ctx **out)
{
	const struct ntime_options options = {
		.size = sizeof(options),
		.flags = getenv("NTIME_LAB_SHIFT") ? 0 : NTIME_NO_SELF_TEST,
	};

	return ntime_open(out, &options);
}

/* Without self-tests: for what is asked for, and not what comes of it. */
static inline int lab_open_untested(struct ntime_ctx **out)
{
	const struct ntime_options options = { .size = sizeof(options),
					       .flags = NTIME_NO_SELF_TEST };

	return ntime_open(out, &options);
}

#endif
