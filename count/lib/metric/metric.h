/* SPDX-License-Identifier: MIT */
/*
 * Metrics: formulas over events with a unit. Text in, tree out, and arithmetic with errors.
 *
 * A file holds entries separated by blank lines; '#' begins a comment line. Keys, in this order:
 *     metric IPC
 *     unit insn/cycle
 *     group core
 *     formula instructions / cycles
 *     beside instructions
 *     about Instructions retired per core clock cycle.
 *     source Intel SDM vol. 3B, 20.2.1.2 "Pre-defined architectural performance events"
 * A metric in % is a share: more than 101 is flagged implausible. What may be more has another
 * unit. "formula" may be given several times: the first one whose events are all there is used
 * (machines name things differently). "group" may be missing. It names metrics that are asked for
 * together. "beside" may be missing. It names an event of a formula and means: whoever prints that
 * event prints the metric on the same line, and a default set that counts the event counts the
 * metric too. Several metrics may stand beside one event; they are alternatives in order of
 * preference, the first one that has a value is printed.
 *
 * A formula:
 *     sum     = product { ("+" | "-") product }   "-" between operands needs a blank on both sides
 *     product = factor { ("*" | "/") factor }   from the left: a / b / c is (a / b) / c
 *     factor  = "-" factor | number | name | "real_ns" | "cpus" | "(" sum ")"
 *             | ("min" | "max") "(" sum "," sum ")" | "wanted_ns" "(" name ")"
 *     number  = ( digits [ "." digits ] | "." digits ) [ "e" ["+" | "-"] digits ],
 *               at most 15 significant digits, 1e-22 to 1e22
 *     name    = a letter or "_", then [A-Za-z0-9_.:] and "-" where one of [A-Za-z0-9_] follows
 *             | "'" any printable ASCII but "'" "'" | '"' any printable ASCII but '"' '"'
 * real_ns is the wall time of the period in ns, cpus the number of CPUs on line. wanted_ns(EVENT)
 * is the time for which the event was wanted, added up over all that was looked at: of an event
 * that a processor has once a core, the time of the period times the number of these cores. A name
 * that contains other characters, begins with a digit, or is one of the five words above is written
 * in quotes of either kind: 'cpu/event=0x3c/', "cpus". cache-misses and skx::INST_RETIRED:ANY_P
 * need none. "a -b" and "a- b" are refused, because beside "a-b", which is one name, they would be
 * misread. Blanks are spaces and tabs. Quoted and plain spellings of a name are the same event.
 */
#ifndef NTI_METRIC_H
#define NTI_METRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/common/error.h"
#include "base/common/text.h"

#define NTI_METRIC_MAX_EVENTS 32
#define NTI_METRIC_MAX_DEPTH 64		  /* "(", "min(", "max(" and unary "-" inside one another */
#define NTI_METRIC_MAX_FORMULA_BYTES 4096 /* text of one formula */
#define NTI_METRIC_MAX_NAME_BYTES 40	  /* of a metric, not of an event */
#define NTI_METRIC_MAX_UNIT_BYTES 24
#define NTI_METRIC_MAX_COUNT 1024 /* metrics of one set */

struct nti_formula; /* immutable after parsing; may be evaluated by several threads */

/*
 * Parse one formula; 0, -EINVAL with a sentence that shows the column, -E2BIG (too long, too many
 * events, too deep), -ENOMEM. On failure *@out is NULL. The text is copied.
 */
int nti_formula_parse(const char *text, struct nti_formula **out, struct nti_error *e);
/* NULL is accepted. */
void nti_formula_free(struct nti_formula *f);
/* As it was written. */
const char *nti_formula_text(const struct nti_formula *f);
/*
 * Event names in order of first use; real_ns and cpus are not among them. Borrowed from @f; NULL
 * when there is no @i.
 */
size_t nti_formula_count(const struct nti_formula *f);
const char *nti_formula_event(const struct nti_formula *f, size_t i);

struct nti_number {
	double value;
	double error;	     /* half an interval, 0 = exact, NaN = cannot be told */
	double below, above; /* the same of an interval with unequal halves */
	bool is_bounded;     /* it is all that is possible */
};
struct nti_formula_input {
	const struct nti_number *events; /* nti_formula_count() of them */
	double real_ns;			 /* NaN when there is none */
	double cpus;
	const double *wanted_ns; /* of the events; NULL when it is not known */
};
/*
 * Evaluate with first-order error propagation, of .error and of both halves of an interval: errors
 * of different events are independent but for bounded ones, the same event used twice is not. A
 * division by zero, an input or a step that is not finite gives NaN for value and error, whatever
 * is done with it later (min and max do not hide a NaN): the caller shows it as not counted. An
 * error that is not finite becomes NaN. Allocates nothing.
 */
struct nti_number nti_formula_eval(const struct nti_formula *f, const struct nti_formula_input *in);

struct nti_metric {
	const char *name;
	const char *unit;
	const char *group;  /* NULL when it belongs to none */
	const char *beside; /* NULL when it stands beside no event */
	const char *about;
	const char *source;			  /* "" when it was not read from a file */
	const struct nti_formula *const *formula; /* formulas entries, in order of preference */
	size_t formulas;
};
/* Frees what @m, which was parsed, points to and zeroes it; a zeroed metric is accepted. */
void nti_metric_fini(struct nti_metric *m);

/*
 * True when @text has the form "NAME=FORMULA" or "NAME[unit]=FORMULA" with a NAME that is no
 * event's: letters, digits, "_" and "-". "cpu/event=0x3c/" and "skx::NAME:c=1" have not, so this
 * tells an inline metric from an event. The formula is not looked at.
 */
bool nti_metric_is_inline(const char *text);
/*
 * Parse a metric of that form, as given on a command line. 0; -EINVAL with a sentence (no such
 * form, name taken by an event of perf's, formula, no event in it), -E2BIG, -ENOMEM. On
 * failure @out is zeroed. Free with nti_metric_fini().
 */
int nti_metric_parse_inline(const char *text, struct nti_metric *out, struct nti_error *e);

/*
 * A set of metrics. Those of @base, if it has one, come first; they are borrowed. What was parsed
 * belongs to the set. The indices are for look-up: numbers of .metric by name, and the names of
 * groups, each once; both in the order of nti_text_compare(3).
 */
struct nti_metrics {
	const struct nti_metrics *base;
	const struct nti_metric *metric;
	size_t count; /* without those of .base */
	const uint16_t *by_name;
	const char *const *group;
	size_t groups;
};
/* The metrics of count/data/metrics, parsed and checked when this was built: constants. */
extern const struct nti_metrics nti_metrics_built_in;

/*
 * Parse the text of a metric file and append to @out. Lints: every key present and in order, values
 * not empty, UTF-8, "about" a sentence, names of metrics and groups unique in @out without regard
 * to case and not like an event of perf's, formulas parse and use an event, "beside" names an event
 * of a formula. -EINVAL or -E2BIG with "FILE:LINE: ..." (@file is only for the sentence), -ENOMEM;
 * on failure
 * @out is as before.
 */
int nti_metrics_parse(const char *file, const char *text, size_t bytes, struct nti_metrics *out,
		      struct nti_error *e);
/* Frees what was parsed into @m, and lets go of its base. */
void nti_metrics_fini(struct nti_metrics *m);
/* With those of the base: how many, and number @i. */
size_t nti_metrics_count(const struct nti_metrics *m);
const struct nti_metric *nti_metrics_get(const struct nti_metrics *m, size_t i);
/* Is @name, without regard to case, the group of a metric of @m? */
bool nti_metrics_has_group(const struct nti_metrics *m, const char *name);
/* Does @metric belong to group @name, without regard to case? */
bool nti_metric_is_in_group(const struct nti_metric *metric, const char *name);
/* Without regard to case: "ipc" finds IPC. NULL when there is none. */
const struct nti_metric *nti_metrics_find(const struct nti_metrics *m, const char *name);

#endif
