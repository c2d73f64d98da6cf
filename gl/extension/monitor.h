/* SPDX-License-Identifier: MIT */
/* Monitors: what a program chose to count, and what came of it. */
#ifndef GLP_MONITOR_H
#define GLP_MONITOR_H

struct glp_monitor;

/* Frees memory and counters; its query objects are the context's. NULL is accepted. */
void glp_monitor_free(struct glp_monitor *m);

#endif
