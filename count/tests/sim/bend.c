// SPDX-License-Identifier: MIT
/*
 * What the library says, bent: ntime-sim calls libntime through these wrappers (--wrap of ld(1)),
 * so that tests of the command see what no recording has. Words in the variable NTIME_BENT,
 * separated by blanks; without it nothing is changed:
 *     before=N     signal N comes before counters are opened
 *     after=N      and after they were started
 *     late         to start a command ends only when a signal comes
 *     stale=N      the Nth read fails          slow=N      reads of rows take N ms longer
 *     slope        CPU n counts n + 1 times what it did
 *     horizon=N    counters wrap within N us
 *     torn=N       of the Nth read it is not known within 1000 s of which moment it is
 *     gone=N       from the Nth read on the device of the first item is gone in the upper CPUs
 *     flat         no topology                 lacks       what is absent has a reason of its own
 *     partial=I    (or lost, overflowed, hotplug, idle) values of the Ith item say so
 *     unplugged    registers that are looked at or restored are on a device that is no more
 *     restored     somebody has put them back meanwhile
 * NTIME_BENT_ROOT is a directory: registers, and records of killed programs, are those below it.
 */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ntime/command.h>
#include <ntime/list.h>
#include <ntime/register.h>
#include <ntime/session.h>

#include "base/command/signals.h"

#define UNSURE_NS UINT64_C(1000000000000)
#define MAX_ITEMS 64

/* The function of the library, and the one that the command calls in its place. */
#define WRAP(type, name, ...)                                                                      \
	type __real_##name(__VA_ARGS__);                                                           \
	type __wrap_##name(__VA_ARGS__);                                                           \
	type __wrap_##name(__VA_ARGS__)

static const struct mark {
	const char *word;
	uint32_t flag;
} marks[] = {
	{ "partial", NTIME_PARTIAL },	    { "lost", NTIME_LOST },
	{ "overflowed", NTIME_OVERFLOWED }, { "hotplug", NTIME_HOTPLUG },
	{ "idle", NTIME_NOT_COUNTED },
};

static unsigned long reads;	/* the command has one session where they matter */
static char sentence[512];	/* of an error that was made up, or is of the other root */
static struct ntime_ctx *there; /* what is below NTIME_BENT_ROOT */

/* 0: the word is not there; 1 where it has no number. */
static unsigned long word(const char *name)
{
	const char *at = getenv("NTIME_BENT");
	size_t chars = strlen(name);

	for (at = at ? at : ""; *at; at += strcspn(at, " "), at += strspn(at, " "))
		if (strncmp(at, name, chars) == 0 && strchr("= ", at[chars]))
			return at[chars] == '=' ? strtoul(at + chars + 1, NULL, 10) : 1;
	return 0;
}

static int fail(int code, const char *text)
{
	(void)snprintf(sentence, sizeof(sentence), "%s", text);
	return code;
}

WRAP(const char *, ntime_error_text, const struct ntime_ctx *ctx)
{
	return *sentence ? sentence : __real_ntime_error_text(ctx);
}

/* ---- opening and starting ---- */

static void come(const char *name)
{
	if (word(name))
		(void)raise((int)word(name));
}

WRAP(int, ntime_session_open, struct ntime_session *s)
{
	come("before");
	return __real_ntime_session_open(s);
}

WRAP(int, ntime_session_start, struct ntime_session *s)
{
	int ret = __real_ntime_session_start(s);

	come("after");
	return ret;
}

WRAP(int, ntime_command_start, struct ntime_command *c)
{
	int ret = __real_ntime_command_start(c);

	if (ret < 0 || !word("late"))
		return ret;
	/* It may have come already, when no wait could be cut short by it. */
	while (!cli_signals_stop())
		(void)poll(NULL, 0, 10);
	/* Such that the command sees two signals where it gets two. */
	(void)poll(NULL, 0, 300);
	return ret;
}

/* ---- items and rows ---- */

static bool is_gone(size_t i)
{
	return i == 0 && word("gone") && reads >= word("gone");
}

WRAP(int, ntime_session_item, const struct ntime_session *s, size_t i, struct ntime_item *out)
{
	static char reason[MAX_ITEMS][128];
	int ret = __real_ntime_session_item(s, i, out);

	if (ret < 0)
		return ret;
	if (is_gone(i)) {
		out->reason = out->cause = "it was unplugged";
		out->about = out->name;
		out->reason_code = NTIME_REASON_OFFLINE;
	} else if (*out->reason && word("lacks") && i < MAX_ITEMS) {
		(void)snprintf(reason[i], sizeof(reason[i]), "no %s here", out->name);
		out->reason = out->cause = reason[i];
	}
	return ret;
}

WRAP(int, ntime_session_where, struct ntime_session *s, size_t i, struct ntime_where_info *out)
{
	return word("flat") ? fail(-EIO, "hwloc cannot read this machine")
			    : __real_ntime_session_where(s, i, out);
}

WRAP(uint64_t, ntime_session_max_read_interval_ns, const struct ntime_session *s)
{
	return word("horizon") ? word("horizon") * 1000
			       : __real_ntime_session_max_read_interval_ns(s);
}

/* ---- values ---- */

static void mark(size_t i, struct ntime_value *v)
{
	for (const struct mark *m = marks; m < marks + sizeof(marks) / sizeof(marks[0]); m++)
		if (word(m->word) == i + 1)
			v->flags |= m->flag;
	if (v->flags & NTIME_HOTPLUG)
		v->hotplugs = 2;
	if (!(v->flags & NTIME_NOT_COUNTED))
		return;
	v->value = NAN;
	v->count = v->counted_ns = 0;
}

static int begin_read(void)
{
	return ++reads == word("stale") ? fail(-ESTALE, "CPU 3 went off line") : 0;
}

WRAP(int, ntime_session_read, struct ntime_session *s, struct ntime_value *out, size_t n)
{
	int ret = begin_read();

	if (ret == 0)
		ret = __real_ntime_session_read(s, out, n);
	for (size_t i = 0; ret >= 0 && i < n; i++)
		mark(i, &out[i]);
	return ret;
}

static void mark_at(size_t i, size_t where, size_t wheres, struct ntime_value *v)
{
	const uint32_t other = NTIME_ABSENT | NTIME_METRIC | NTIME_STATE | NTIME_ELSEWHERE;

	if (word("slope") && !(v->flags & other)) {
		v->count *= where + 1;
		v->value *= (double)(where + 1);
	}
	if (is_gone(i) && where >= wheres / 2)
		v->flags |= NTIME_LOST | NTIME_GONE;
	mark(i, v);
}

WRAP(int, ntime_session_read_where, struct ntime_session *s, struct ntime_value *out, size_t n,
     size_t wheres)
{
	int ret = begin_read();

	if (ret == 0)
		ret = __real_ntime_session_read_where(s, out, n, wheres);
	for (size_t i = 0; ret >= 0 && i < n * wheres; i++)
		mark_at(i % n, i / n, wheres, &out[i]);
	if (word("slow"))
		(void)poll(NULL, 0, (int)word("slow"));
	return ret;
}

WRAP(int, ntime_session_read_time, const struct ntime_session *s, uint64_t *at_ns,
     uint64_t *unsure_ns)
{
	int ret = __real_ntime_session_read_time(s, at_ns, unsure_ns);

	if (ret == 0)
		*unsure_ns = reads == word("torn") ? UNSURE_NS : word("torn") ? 0 : *unsure_ns;
	return ret;
}

/* ---- another root ---- */

static struct ntime_ctx *elsewhere(struct ntime_ctx *ctx)
{
	struct ntime_options options = { .size = sizeof(options),
					 .flags = NTIME_NO_SELF_TEST,
					 .root = getenv("NTIME_BENT_ROOT") };

	if (options.root && !there && ntime_open(&there, &options) < 0)
		abort();
	return there ? there : ctx;
}

static int told(int ret)
{
	return ret < 0 && there ? fail(ret, __real_ntime_error_text(there)) : ret;
}

WRAP(int, ntime_leftover_for_each, struct ntime_ctx *ctx,
     int (*fn)(void *arg, const struct ntime_leftover *left), void *arg)
{
	return told(__real_ntime_leftover_for_each(elsewhere(ctx), fn, arg));
}

struct steps {
	int (*fn)(void *arg, const struct ntime_repair_step *step);
	void *arg;
};

static int tell_step(void *arg, const struct ntime_repair_step *step)
{
	const struct steps *to = arg;
	struct ntime_repair_step bent = *step;

	if (word("unplugged"))
		bent.error = -ENODEV;
	return to->fn(to->arg, &bent);
}

WRAP(int, ntime_repair, struct ntime_ctx *ctx, const char *name, uint32_t flags,
     int (*fn)(void *arg, const struct ntime_repair_step *step), void *arg)
{
	struct steps to = { fn, arg };

	if (word("restored"))
		return fail(-ENOENT, "there is no record of that name");
	return told(__real_ntime_repair(elsewhere(ctx), name, flags, tell_step, &to));
}

WRAP(int, ntime_register_find, struct ntime_ctx *ctx, const char *name, const char *cpus,
     int (*fn)(void *arg, const struct ntime_register_info *reg), void *arg)
{
	return told(__real_ntime_register_find(elsewhere(ctx), name, cpus, fn, arg));
}

WRAP(int, ntime_register_open, struct ntime_ctx *ctx, const struct ntime_register_info *reg,
     uint32_t flags, struct ntime_register **out)
{
	return told(__real_ntime_register_open(elsewhere(ctx), reg, flags, out));
}
