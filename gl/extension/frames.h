/* SPDX-License-Identifier: MIT */
/*
 * Frames of a program under ntime gl: each swap of a drawable ends one.
 *
 * What libntime counts is read when the driver has swapped. Queries of the driver end before it
 * swaps, so that its own drawing is in none, and begin behind it; their results are taken when they
 * are there, some frames later, and nobody waits for them. While a drawable is not current in any
 * thread its queries rest: of several windows with one context each has its own counts.
 */
#ifndef GLP_FRAMES_H
#define GLP_FRAMES_H

#include <stdbool.h>

struct glp_frames;

/*
 * Before the driver makes @context current in this thread, or none (NULL), and afterwards: @before
 * is what the first returned, and goes on where the driver has failed. @drawable: NULL: none, and
 * the context has frames of its own. @may_wait: the driver may be waited for where nobody can ask
 * for results afterwards.
 */
struct glp_frames *glp_frames_leave(const void *context);
void glp_frames_enter(struct glp_frames *before, bool has_changed, const void *drawable,
		      const void *context, bool may_wait);

/* Before the driver swaps, and afterwards; NULL: nobody asked for frames. */
struct glp_frames *glp_frames_ending(const void *drawable);
void glp_frames_ended(struct glp_frames *f, bool has_swapped);

#endif
