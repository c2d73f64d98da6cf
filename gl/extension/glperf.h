/* SPDX-License-Identifier: MIT */
/**
 * DOC: GL_AMD_performance_monitor over any driver: what a front end sees of it
 *
 * A front end (EGL, GLX, preload) gives programs glp_hook_find() instead of the driver's functions
 * and reports which context is current. The rest knows neither EGL nor GLX.
 */
#ifndef GLP_GLPERF_H
#define GLP_GLPERF_H

#include "gl/extension/driver.h"

/**
 * glp_context_make_current() - the calling thread has a context from now on
 * @driver:	whose context it is; lives as long as the process
 * @handle:	its EGLContext or GLXContext; NULL: none
 */
void glp_context_make_current(const struct glp_driver *driver, const void *handle);

/**
 * glp_context_forget() - a context is about to be destroyed, or was created just now
 * @handle: its EGLContext or GLXContext
 *
 * Handles are used again: what an earlier context of this handle left is not the new one's. A
 * context that is current keeps its state until it is released.
 */
void glp_context_forget(const void *handle);

#endif
