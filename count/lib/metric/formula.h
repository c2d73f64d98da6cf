/* SPDX-License-Identifier: MIT */
/*
 * Inside of a formula, shared by parser, evaluator and core/embed only: the tree in postfix order,
 * operands before their operator.
 */
#ifndef NTI_FORMULA_H
#define NTI_FORMULA_H

#include <stddef.h>
#include <stdint.h>

#include "count/lib/metric/metric.h"

enum nti_op_kind {
	NTI_OP_NUMBER,
	NTI_OP_EVENT,
	NTI_OP_WANTED_NS,
	NTI_OP_REAL_NS,
	NTI_OP_CPUS,
	NTI_OP_NEGATE,
	NTI_OP_ADD,
	NTI_OP_SUBTRACT,
	NTI_OP_MULTIPLY,
	NTI_OP_DIVIDE,
	NTI_OP_MIN,
	NTI_OP_MAX,
};

struct nti_op {
	enum nti_op_kind kind;
	uint32_t event; /* NTI_OP_EVENT, NTI_OP_WANTED_NS: index of its name */
	double number;	/* NTI_OP_NUMBER */
};

/*
 * Most values an evaluation holds at once. A level of nesting leaves at most three behind while its
 * inside is computed: the left sides of a sum and of a product, and the first argument of min or
 * max, as in "a + b * min(c, ...". The innermost level holds three itself.
 */
#define NTI_FORMULA_STACK (3 * (NTI_METRIC_MAX_DEPTH + 1))

/* Made by the parser in memory that nti_formula_free() frees, or by core/embed as a constant. */
struct nti_formula {
	const char *text;
	const struct nti_op *op;
	size_t ops;
	const char *const *event;
	size_t events;
};

#endif
