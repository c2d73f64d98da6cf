// SPDX-License-Identifier: MIT
/* Functions of a command in the emulator, and what each executed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <ntime/emulator.h>

#include "count/cli/shared/machine.h"
#include "base/output/clean.h"
#include "base/output/memory.h"
#include "count/cli/report/functions.h"
#include "count/cli/stat/functions.h"

/* What a function has of the items of @r, metrics included. 0 or -errno. */
static int set_values(struct ntime_value *value, const struct cli_report *r,
		      const struct ntime_session *s, const struct ntime_function *function)
{
	for (size_t i = 0; i < r->items; i++) {
		const struct cli_item *item = &r->item[i];
		int event = ntime_emulator_event(item->name);

		value[i] = item->value;
		/* Only events of the emulator that were counted have a part of a function. */
		if (event < 0 || item->is_metric ||
		    item->value.flags & (NTIME_ABSENT | NTIME_NOT_COUNTED)) {
			value[i].flags |= NTIME_ELSEWHERE;
			value[i].value = NAN;
			continue;
		}
		value[i].count = function->count[event];
		value[i].value = (double)value[i].count * item->scale;
	}
	return ntime_session_metrics(s, value, r->items);
}

static char *label_of(const struct ntime_function *function)
{
	const char *file = function->file ? function->file : "[no file]";
	const char *name = function->name ? function->name : "[unknown]";
	char *text = cli_calloc(strlen(file) + strlen(name) + 2, 1);

	(void)stpcpy(stpcpy(stpcpy(text, cli_clean(file)), ":"), cli_clean(name));
	return text;
}

static int fill(struct cli_per_rows *p, struct cli_report *r, const struct ntime_session *s,
		const struct ntime_function *function, size_t n)
{
	struct ntime_value *value = cli_calloc(r->items + 1, sizeof(*value));
	int ret = 0;

	p->row = cli_calloc(n + 1, sizeof(*p->row));
	p->item = cli_calloc(n * r->items + 1, sizeof(*p->item));
	p->label = cli_calloc(n + 1, sizeof(*p->label));
	for (size_t row = 0; row < n && !ret; row++) {
		struct cli_item *to = &p->item[row * r->items];

		ret = set_values(value, r, s, &function[row]);
		for (size_t i = 0; i < r->items; i++) {
			to[i] = r->item[i];
			cli_item_set_value(&to[i], &value[i], false);
			to[i].is_elsewhere = to[i].value.flags & NTIME_ELSEWHERE;
		}
		p->label[row] = label_of(&function[row]);
		p->row[row] = (struct cli_report_row){ .where = p->label[row],
						       .function = &function[row],
						       .item = to };
	}
	free(value);
	r->row = p->row;
	r->rows = n;
	return ret;
}

/* Most of the first column first; else as they are. */
static int by_first(const void *a, const void *b, void *arg)
{
	const struct cli_report_row *x = a, *y = b;
	size_t first = *(const size_t *)arg;
	double m = x->item[first].value.value, n = y->item[first].value.value;

	return m < n ? 1 : m > n ? -1 : x->item < y->item ? -1 : x->item > y->item;
}

int cli_functions_make(struct cli_per_rows *p, struct cli_report *r, const struct cli_style *style,
		       struct ntime_ctx *ctx, const struct ntime_session *s,
		       struct ntime_emulator *e)
{
	const struct ntime_function *function;
	ssize_t n = ntime_emulator_functions(ctx, e, &function);
	int ret = n < 0 ? (int)n : fill(p, r, s, function, (size_t)n);
	size_t first;

	if (ret < 0)
		return cli_machine_say(ctx, ret);
	first = cli_functions_first(style, r);
	if (first < r->items)
		qsort_r(p->row, r->rows, sizeof(*p->row), by_first, &first);
	return 0;
}
