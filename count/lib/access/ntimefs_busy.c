// SPDX-License-Identifier: MIT
/*
 * Who has a register that the driver refused us: its file "status" tells what it last refused, to
 * whom and why, and who writes what (include/uapi/ntime.h).
 *
 *     last refusal: uncore0/MSR_UNCORE_PMC0: another descriptor has it open for writing (error 16,
 *     ntime, pid 108)
 *     writer: uncore0/MSR_UNCORE_PMC0 pid 105 ntime
 *
 * Instead of process and program there is "of another user" where this one may not know.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "include/uapi/ntime.h"
#include "count/lib/access/ntimefs.h"
#include "count/lib/access/why.h"
#include "base/os/process.h"

#define NAME_CHARS 95
#define WHY_CHARS 127
#define COMM_CHARS 63 /* 15 bytes, each of them \ooo at worst */

struct refusal {
	char name[NAME_CHARS + 1], why[WHY_CHARS + 1];
};

/* What was last refused, if it was us. */
static bool find_refusal(const char *text, struct refusal *out)
{
	const char *line = strstr(text, "last refusal: "), *pid, *at;

	if (!line || sscanf(line, "last refusal: %95[^:]: %127[^(\n]", out->name, out->why) != 2)
		return false;
	pid = NULL;
	for (at = line; at < line + strcspn(line, "\n"); at++)
		if (strncmp(at, ", pid ", 6) == 0)
			pid = at + 6;
	if (!pid || strtol(pid, NULL, 10) != nti_process_self())
		return false;
	at = out->why + strlen(out->why);
	if (at > out->why && at[-1] == ' ')
		out->why[at - out->why - 1] = '\0';
	return true;
}

/* Who writes register @name: pid, 0 where nobody does, and its command in @comm. */
static int find_writer(const char *text, const char *name, char comm[COMM_CHARS + 1])
{
	const char *line = text;
	char other[NAME_CHARS + 1], number[16];

	while ((line = strstr(line, "\nwriter: "))) {
		line++;
		if (sscanf(line, "writer: %95s pid %15s %63[^\n]", other, number, comm) == 3 &&
		    strcmp(other, name) == 0)
			return (int)strtol(number, NULL, 10);
	}
	return 0;
}

bool nti_ntimefs_refusal(struct nti_os *os, char *why, size_t size)
{
	struct refusal refusal;
	char *text = malloc(NTI_OS_TEXT_BYTES);
	bool is_ours = text &&
		       os->ops->text(os, NTIME_FS_PATH "/status", text, NTI_OS_TEXT_BYTES) >= 0 &&
		       find_refusal(text, &refusal);

	if (is_ours)
		(void)snprintf(why, size, "%s", refusal.why);
	free(text);
	return is_ours;
}

static int explain(const char *text, const char *where, struct nti_absence *out)
{
	struct refusal refusal;
	const char *name;
	char comm[COMM_CHARS + 1], guess[WHY_CHARS + 64];
	struct nti_user user = {
		.command = comm,
		.guess = guess,
		.remedy = "end what counts there, or count through perf: --via perf",
	};

	if (!find_refusal(text, &refusal))
		return -ENOENT;
	name = strchr(refusal.name, '/');
	name = name ? name + 1 : refusal.name;
	user.pid = find_writer(text, refusal.name, comm);
	(void)snprintf(guess, sizeof(guess), "perf, or a program that does not say so (%s)",
		       refusal.why);
	return nti_why_in_use(out, &user, "counter %s of %s", name, where);
}

int nti_ntimefs_explain_owner(struct nti_os *os, const char *where, struct nti_absence *out)
{
	char *text = malloc(NTI_OS_TEXT_BYTES);
	int ret;

	if (!text)
		return -ENOMEM;
	ret = os->ops->text(os, NTIME_FS_PATH "/status", text, NTI_OS_TEXT_BYTES);
	ret = ret < 0 ? -ENOENT : explain(text, where, out);
	free(text);
	return ret;
}
