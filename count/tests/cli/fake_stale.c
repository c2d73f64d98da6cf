// SPDX-License-Identifier: MIT
/*
 * What killed programs left, for the stand-in of the library. Words in NTIME_FAKE:
 *     left       one bank of three registers          left-denied   only root may look
 *     left-bad   a file that is no record, too         left-eio      the second register cannot be
 *                                                                    written
 *     left-busy  somebody else has the third one now    left-own   it is this process that left it
 *     left-away  the registers cannot be reached        left-gone  they are on a device that is no
 *                                                                  more
 *     left-done  it is off as soon as it was seen
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ntime/list.h>

/* The error text is the first member of the stand-in's context. */
static int fail(struct ntime_ctx *ctx, int code, const char *text)
{
	snprintf((char *)ctx, 512, "%s", text);
	return code;
}

static bool has_word(const char *word)
{
	const char *at = getenv("NTIME_FAKE");

	for (at = at ? at : ""; *at; at += strcspn(at, " "), at += strspn(at, " "))
		if (strlen(word) == strcspn(at, " ") && strncmp(at, word, strlen(word)) == 0)
			return true;
	return false;
}

int ntime_leftover_for_each(struct ntime_ctx *ctx,
			    int (*fn)(void *arg, const struct ntime_leftover *stale), void *arg)
{
	const struct ntime_leftover left = { sizeof(left),	    4711,	   "uncore-0",
					     "uncore of package 0", "ntime watch", 3 };
	const struct ntime_leftover own = { sizeof(own),	   (int32_t)getpid(), "uncore-0",
					    "uncore of package 0", "ntime",	      3 };
	const struct ntime_leftover bad = {
		sizeof(bad), 0,
		"notes",     "/run/ntime/notes cannot be used: it is no record of ntime's",
		"",	     0
	};
	int ret = 0;

	if (has_word("left-denied"))
		return fail(ctx, -EACCES, "/run/ntime can be read by root only");
	if (has_word("left-bad"))
		ret = fn(arg, &bad);
	if (!ret && has_word("left-own"))
		ret = fn(arg, &own);
	return ret || !has_word("left") ? ret : fn(arg, &left);
}

int ntime_repair(struct ntime_ctx *ctx, const char *name, uint32_t flags,
		 int (*fn)(void *arg, const struct ntime_repair_step *step), void *arg)
{
	int eio = has_word("left-eio") && !(flags & NTIME_REPAIR_LOOK) ? -EIO : 0;
	int busy = has_word("left-busy") ? -EBUSY : has_word("left-gone") ? -ENODEV : 0;
	const struct ntime_repair_step steps[] = {
		{ sizeof(steps[0]), 0, "CPU 1", "MSR_UNCORE_PERFEVTSEL1", 0x400101, 0x101, "" },
		{ sizeof(steps[0]), eio, "CPU 1", "MSR_UNCORE_PERFEVTSEL2", 0x420183,
		  eio ? 0x420183 : 0x20183, eio ? "CPU 1 refuses to write MSR 0x3c2" : "" },
		{ sizeof(steps[0]), busy, "CPU 1", "MSR_UNCORE_PERFEVTSEL3", 0x40004d,
		  busy ? 0x40004d : 0x4d, "" },
	};
	int ret = 0;

	if (has_word("left-away"))
		return fail(ctx, -EIO, "3 registers of uncore-0 stay on record: CPU 1 is off line");
	if (strcmp(name, "uncore-0") != 0 || has_word("left-done"))
		return fail(ctx, -ENOENT, "there is no record of that name");
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]) && !ret; i++)
		ret = fn(arg, &steps[i]);
	return eio ? fail(ctx, eio, "1 register of uncore-0 stays on record") : ret;
}
