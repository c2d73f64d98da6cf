// SPDX-License-Identifier: MIT
/*
 * Evaluate a formula. Errors are propagated to first order with forward-mode derivatives: the
 * program runs once per inexact event with numbers that carry the slope against that event (dual
 * numbers), and the squares of slope times error are added up. So an event that is used twice
 * counts as one, and one run needs room for NTI_FORMULA_STACK pairs only. Source of the rule: JCGM
 * 100:2008 (GUM), 5.1.2, law of propagation of uncertainty for independent inputs.
 */
#include <assert.h>
#include <math.h>

#include "count/lib/metric/formula.h"

struct dual {
	double value;
	double slope;
};

#define NO_EVENT SIZE_MAX

static const struct dual no_number = { NAN, NAN };

/*
 * Where both sides are equal the slope jumps. The larger one is taken: the error may then be told
 * too large, never too small.
 */
static struct dual dual_choose(struct dual a, struct dual b, bool is_first)
{
	if (a.value == b.value)
		return fabs(a.slope) >= fabs(b.slope) ? a : b;
	return is_first ? a : b;
}

static struct dual dual_divide(struct dual a, struct dual b)
{
	double value;

	if (b.value == 0)
		return no_number;
	value = a.value / b.value;
	return (struct dual){ value, (a.slope - value * b.slope) / b.value };
}

static struct dual dual_apply(enum nti_op_kind kind, struct dual a, struct dual b)
{
	switch (kind) {
	case NTI_OP_ADD:
		return (struct dual){ a.value + b.value, a.slope + b.slope };
	case NTI_OP_SUBTRACT:
		return (struct dual){ a.value - b.value, a.slope - b.slope };
	case NTI_OP_MULTIPLY:
		return (struct dual){ a.value * b.value, a.slope * b.value + a.value * b.slope };
	case NTI_OP_DIVIDE:
		return dual_divide(a, b);
	case NTI_OP_MIN:
		return dual_choose(a, b, a.value < b.value);
	case NTI_OP_MAX:
		return dual_choose(a, b, a.value > b.value);
	default:
		return no_number; /* no other operator has two operands */
	}
}

static struct dual dual_operand(const struct nti_op *op, const struct nti_formula_input *in,
				size_t by)
{
	switch (op->kind) {
	case NTI_OP_NUMBER:
		return (struct dual){ op->number, 0 };
	case NTI_OP_EVENT:
		return (struct dual){ in->events[op->event].value, op->event == by ? 1 : 0 };
	case NTI_OP_WANTED_NS:
		return (struct dual){ in->wanted_ns ? in->wanted_ns[op->event] : NAN, 0 };
	case NTI_OP_REAL_NS:
		return (struct dual){ in->real_ns, 0 };
	case NTI_OP_CPUS:
		return (struct dual){ in->cpus, 0 };
	default:
		return no_number; /* not an operand */
	}
}

/*
 * One run with slopes against event @by. The first step that is not finite ends it: going on could
 * turn infinity into a number that looks sound (1 / (1 / 0)), and comparisons in min and max would
 * drop a NaN.
 */
static struct dual run(const struct nti_formula *f, const struct nti_formula_input *in, size_t by)
{
	/* Cleared for the analyzers, which cannot see that the parser pushes before it pops. */
	struct dual stack[NTI_FORMULA_STACK] = { { 0, 0 } };
	size_t n = 0, i;

	for (i = 0; i < f->ops; i++) {
		const struct nti_op *op = &f->op[i];

		if (op->kind < NTI_OP_NEGATE) {
			assert(n < NTI_FORMULA_STACK);
			stack[n++] = dual_operand(op, in, by);
		} else if (op->kind == NTI_OP_NEGATE) {
			assert(n >= 1);
			stack[n - 1].value = -stack[n - 1].value;
			stack[n - 1].slope = -stack[n - 1].slope;
		} else {
			assert(n >= 2);
			n--;
			stack[n - 1] = dual_apply(op->kind, stack[n - 1], stack[n]);
		}
		if (!isfinite(stack[n - 1].value))
			return no_number;
	}
	assert(n == 1);
	return stack[0];
}

/* Those of independent estimates add up in squares, what is all that is possible by itself. */
struct side {
	double estimated, possible;
};

static void add_side(struct side *sum, double side, bool is_bounded)
{
	if (is_bounded)
		sum->possible += fabs(side);
	else
		sum->estimated = hypot(sum->estimated, side);
}

static double side_of(const struct side *sum)
{
	double all = sum->possible + sum->estimated;

	return isfinite(all) ? all : NAN;
}

struct nti_number nti_formula_eval(const struct nti_formula *f, const struct nti_formula_input *in)
{
	struct nti_number out = { .value = run(f, in, NO_EVENT).value };
	struct side error = { 0 }, below = { 0 }, above = { 0 };
	size_t i;

	if (isnan(out.value)) {
		out.error = out.below = out.above = NAN;
		return out;
	}
	for (i = 0; i < f->events; i++) {
		const struct nti_number *event = &in->events[i];
		double slope;

		if (event->error == 0 && event->below == 0 && event->above == 0)
			continue;
		slope = run(f, in, i).slope;
		/*
		 * An event that has no influence cannot spoil the result by an error nobody knows.
		 */
		if (slope == 0)
			continue;
		add_side(&error, slope * event->error, event->is_bounded);
		add_side(&below, slope * (slope > 0 ? event->below : event->above),
			 event->is_bounded);
		add_side(&above, slope * (slope > 0 ? event->above : event->below),
			 event->is_bounded);
	}
	out.error = side_of(&error);
	out.below = side_of(&below);
	out.above = side_of(&above);
	return out;
}
