// SPDX-License-Identifier: MIT
/*
 * A topology from its synthetic description (hwloc(7), "Synthetic topologies"), level by level:
 * "package:2 [numa] core:28 pu:2(indexes=2*56:56*1)" has 2 packages of 28 cores of 2 CPUs.
 *
 * hwloc reads more than this; what is not understood here, and what would change the order of
 * things, is left to it. Where both read a description, they say the same: count/tests/machine
 * compares.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/common/compiler.h"
#include "base/common/set.h"
#include "base/common/text.h"
#include "count/lib/machine/topology.h"

/* In the order in which they contain each other. */
enum level { PACKAGE, DIE, L3, L2, L1, CORE, PU, LEVELS };

static const struct level_name {
	const char *name;
	enum level level;
} level_names[] = {
	{ "package", PACKAGE }, { "pack", PACKAGE }, { "socket", PACKAGE }, { "die", DIE },
	{ "l3", L3 },		{ "l3cache", L3 },   { "l2", L2 },	    { "l2cache", L2 },
	{ "l1", L1 },		{ "l1cache", L1 },   { "l1d", L1 },	    { "l1dcache", L1 },
	{ "core", CORE },	{ "pu", PU },
};

/*
 * How CPUs are numbered, "STEP*COUNT:STEP*COUNT": the number grows by 1 after each STEP CPUs, COUNT
 * times; then by as much as the loops before have used up. What the loops leave goes to those that
 * follow each other (hwloc's topology-synthetic.c; found out by asking it).
 */
#define LOOPS 8
struct loop {
	unsigned int step, count;
};

struct synthetic {
	/* per level: how many there are in all, 0: the description has no such level */
	unsigned int total[LEVELS];
	unsigned int last;  /* total of the innermost level so far */
	unsigned int nodes; /* 0: none is named, then one is around all */
	struct loop loop[LOOPS + 1];
	size_t loops;
};

static int parse_number(const char **p, unsigned int *out)
{
	unsigned long number;
	char *end;

	/* strtoul() takes signs and spaces. */
	if (**p < '1' || **p > '9')
		return -ENOTSUP;
	number = strtoul(*p, &end, 10);
	if (number > NTI_CPU_LIMIT)
		return -ENOTSUP;
	*p = end;
	*out = (unsigned int)number;
	return 0;
}

static int find_level(const char *name, size_t length)
{
	size_t i;

	for (i = 0; i < NTI_ARRAY_SIZE(level_names); i++)
		if (strlen(level_names[i].name) == length &&
		    nti_text_compare_n(level_names[i].name, name, length) == 0)
			return (int)level_names[i].level;
	return -ENOTSUP;
}

/* "(indexes=2*56:56*1)" */
static int parse_indexes(const char **p, struct synthetic *s)
{
	static const char head[] = "(indexes=";
	int ret;

	if (strncmp(*p, head, sizeof(head) - 1) != 0)
		return -ENOTSUP;
	*p += sizeof(head) - 1;
	while (s->loops < LOOPS) {
		struct loop *loop = &s->loop[s->loops++];

		ret = parse_number(p, &loop->step);
		if (ret < 0 || *(*p)++ != '*')
			return -ENOTSUP;
		ret = parse_number(p, &loop->count);
		if (ret < 0)
			return ret;
		if (**p == ')') {
			(*p)++;
			return 0;
		}
		if (*(*p)++ != ':')
			return -ENOTSUP;
	}
	return -ENOTSUP;
}

/* "core:28"; levels must come from the outermost to the innermost. */
static int parse_level(const char **p, struct synthetic *s, int *outer)
{
	size_t length = strcspn(*p, ": ");
	int level = find_level(*p, length), ret;
	unsigned int count;

	if (level < 0 || level <= *outer || (*p)[length] != ':')
		return -ENOTSUP;
	*p += length + 1;
	ret = parse_number(p, &count);
	if (ret < 0 || count > NTI_CPU_LIMIT / s->last)
		return -ENOTSUP;
	s->last *= count;
	s->total[level] = s->last;
	*outer = level;
	return level == PU && **p == '(' ? parse_indexes(p, s) : 0;
}

/* "[numa]": a node beside each of the level before it. */
static int parse_node(const char **p, struct synthetic *s)
{
	static const char *const words[] = { "[numa]", "[numanode]" };
	size_t i;

	for (i = 0; i < NTI_ARRAY_SIZE(words) && !s->nodes; i++) {
		if (nti_text_compare_n(*p, words[i], strlen(words[i])) != 0)
			continue;
		*p += strlen(words[i]);
		s->nodes = s->last;
		return 0;
	}
	return -ENOTSUP;
}

static int parse(const char *text, struct synthetic *s)
{
	int outer = -1, ret = 0;

	*s = (struct synthetic){ .last = 1 };
	while (ret == 0 && *(text += strspn(text, " ")))
		ret = *text == '[' ? parse_node(&text, s) : parse_level(&text, s, &outer);
	return ret < 0 || outer != PU ? -ENOTSUP : 0;
}

/* The kernel's number of the CPU that comes @nth. */
static unsigned int number_of(const struct synthetic *s, unsigned int nth)
{
	unsigned int number = 0, factor = 1;
	size_t i;

	if (!s->loops)
		return nth;
	for (i = 0; i < s->loops; i++) {
		number += nth / s->loop[i].step % s->loop[i].count * factor;
		factor *= s->loop[i].count;
	}
	return number;
}

/* The loops must be of all CPUs, or of all but those that follow each other. */
static int complete_loops(struct synthetic *s)
{
	unsigned int product = 1, least = NTI_CPU_LIMIT;
	size_t i;

	for (i = 0; i < s->loops; i++) {
		if (s->loop[i].count > NTI_CPU_LIMIT / product)
			return -ENOTSUP;
		product *= s->loop[i].count;
		if (s->loop[i].step < least)
			least = s->loop[i].step;
	}
	if (!s->loops || product == s->last)
		return 0;
	if (s->last % product || s->last / product != least)
		return -ENOTSUP;
	s->loop[s->loops++] = (struct loop){ .step = 1, .count = least };
	return 0;
}

/* Each number once. */
static int check_numbers(const struct synthetic *s)
{
	struct nti_set seen = { 0 };
	unsigned int i, number;
	int ret = 0;

	for (i = 0; ret == 0 && i < s->last; i++) {
		number = number_of(s, i);
		if (number >= s->last || nti_set_has(&seen, number))
			ret = -ENOTSUP;
		else
			ret = nti_set_add(&seen, number);
	}
	nti_set_fini(&seen);
	return ret;
}

/*
 * hwloc sorts what shares a parent by its lowest CPU: where that is not the order of the
 * description, it is hwloc's. The first CPU of each is its lowest one if this holds below it.
 */
static int check_order(const struct synthetic *s)
{
	unsigned int parents = 1, i, size, inner;
	int level;

	for (level = 0; level < LEVELS; level++) {
		if (!s->total[level])
			continue;
		inner = s->total[level] / parents;
		size = s->last / s->total[level];
		for (i = 1; i < s->total[level]; i++)
			if (i % inner && number_of(s, i * size) < number_of(s, (i - 1) * size))
				return -ENOTSUP;
		parents = s->total[level];
	}
	return 0;
}

/* The one of @level that has the CPU that comes @nth; -1: there is no such level. */
static int index_at(const struct synthetic *s, enum level level, unsigned int nth)
{
	return s->total[level] ? (int)(nth / (s->last / s->total[level])) : -1;
}

static void describe(const struct synthetic *s, unsigned int nth, struct nti_topology *t)
{
	unsigned int number = number_of(s, nth);
	int core = index_at(s, CORE, nth), die = index_at(s, DIE, nth);
	int package = index_at(s, PACKAGE, nth);

	t->cpu[number] = (struct nti_cpu){
		.cpu = (int)number,
		.is_online = true,
		.core = core < 0 ? (int)nth : core,
		.package = package,
		.node = s->nodes ? (int)(nth / (s->last / s->nodes)) : 0,
		.l3 = index_at(s, L3, nth),
		.die = die < 0 ? package : die,
	};
}

int nti_topology_from_synthetic(const char *text, struct nti_topology *t)
{
	struct synthetic s;
	unsigned int i;
	int ret = parse(text, &s);

	if (ret == 0)
		ret = complete_loops(&s);
	if (ret == 0)
		ret = check_numbers(&s);
	if (ret == 0)
		ret = check_order(&s);
	if (ret < 0)
		return ret;
	t->cpu = calloc(s.last, sizeof(*t->cpu));
	if (!t->cpu)
		return -ENOMEM; /* the caller frees @t */
	for (i = 0; i < s.last; i++)
		describe(&s, i, t);
	t->total = (struct ntime_topology){
		.size = sizeof(t->total),
		.cpus = s.last,
		.online_cpus = s.last,
		.cores = s.total[CORE],
		.packages = s.total[PACKAGE],
		.nodes = s.nodes ? s.nodes : 1,
	};
	return 0;
}
