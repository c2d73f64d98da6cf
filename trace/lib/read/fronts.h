/* SPDX-License-Identifier: MIT */
/* All front ends, and which of them a piece of text is for. */
#ifndef NTI_TRACE_FRONTS_H
#define NTI_TRACE_FRONTS_H

#include <stddef.h>
#include <stdint.h>

struct nti_trace_front;

/* Front end of a form; NULL: that form is not read. */
const struct nti_trace_front *nti_trace_front_of(uint32_t form);

/* The front end that is surest that @head is its own; *@score says how sure. NULL: none. */
const struct nti_trace_front *nti_trace_front_match(const char *head, size_t n, int *score);

#endif
