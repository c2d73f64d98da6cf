/* SPDX-License-Identifier: MIT */
/*
 * What a metric must be like, wherever it was written. Each returns 0, or -EINVAL or -E2BIG with a
 * sentence.
 */
#ifndef NTI_METRIC_CHECK_H
#define NTI_METRIC_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/common/error.h"

/* Can the first @bytes of @text begin a metric's name; how long is it? 0 when they cannot. */
size_t nti_metric_name_bytes(const char *text, size_t bytes);
/*
 * Letters, digits, "_" and "-", not too long, not a word of formulas and not like an event of
 * perf's.
 */
int nti_metric_check_name(const char *name, struct nti_error *e);
/* Not too long; printable UTF-8. */
int nti_metric_check_unit(const char *unit, struct nti_error *e);
/*
 * Parses @text, and refuses it unless it uses an event: a number that nothing was counted for is no
 * metric. Adds the formula to @m.
 */
struct nti_metric;
int nti_metric_add_formula(struct nti_metric *m, const char *text, struct nti_error *e);
/* Does a formula of @m use @event? */
bool nti_metric_uses(const struct nti_metric *m, const char *event);
/* Valid UTF-8 without control characters other than tabs. */
int nti_metric_check_text(const char *text, size_t bytes, struct nti_error *e);

#endif
