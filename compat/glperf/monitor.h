/* SPDX-License-Identifier: MIT */
/* Monitors: what a program chose to count, and what came of it. */
#ifndef GLP_MONITOR_H
#define GLP_MONITOR_H

struct glp_context;
struct glp_monitor;

/* With its context, or while its context is current and it counts nothing. NULL is accepted. */
void glp_monitor_free(struct glp_context *c, struct glp_monitor *m);

#endif
