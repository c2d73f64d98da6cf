// SPDX-License-Identifier: MIT
/*
 * What self-tests found out, kept in a file until the next boot. Of root in /run/ntime, which all
 * believe; of others in their own runtime directory. A file of another boot, kernel, processor or
 * version of ntime, and one that is damaged, is no file.
 *
 *     ntime-self-test 3 VERSION
 *     boot ID
 *     kernel RELEASE
 *     cpu WORDS
 *     unit NAME COUNTERS
 *     trial ...
 *     event TYPE CONFIG SEEN LOAD GUESS	one for each
 *     end BYTES			of all above
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/common/text.h"
#include "count/lib/context/context.h"
#include "count/lib/context/selftest.h"
#include "base/os/kept.h"
#include "base/os/locked.h"

/* Files there that begin with a dot are no claims (count/lib/access/claim.h). */
#define NAME ".self-test"
#define ROOT_DIRECTORY "/run/ntime"
#define FILE_BYTES 8192
#define HEAD_BYTES 640

/* The user's own, "" where there is none. */
static void user_directory(const struct nti_os *os, char *buf, size_t size)
{
	const char *runtime = os->is_elsewhere ? NULL : secure_getenv("XDG_RUNTIME_DIR");

	*buf = '\0';
	if (runtime && *runtime == '/' && snprintf(buf, size, "%s/ntime", runtime) >= (int)size)
		*buf = '\0';
}

/* Which processor it is, as far as counting goes. */
static void describe_cpu(struct nti_os *os, const struct nthw_x86_cpu *cpu, char *buf, size_t size)
{
	char midr[64];

	if (cpu->family)
		(void)snprintf(buf, size, "x86 %d %#x %#x %u", (int)cpu->vendor, cpu->family,
			       cpu->model, cpu->stepping);
	else if (nti_os_line(os, midr, sizeof(midr),
			     "/sys/devices/system/cpu/cpu0/regs/identification/midr_el1") == 0)
		(void)snprintf(buf, size, "arm %s", midr);
	else
		(void)snprintf(buf, size, "%s", os->ops->arch(os));
}

/* False: this boot has no name, so nothing can be remembered for it. */
static bool make_head(struct ntime_ctx *ctx, const struct nti_unit *core, char *buf)
{
	char boot[64], release[128], cpu[128];

	if (nti_os_line(ctx->os, boot, sizeof(boot), "/proc/sys/kernel/random/boot_id") < 0 ||
	    nti_os_line(ctx->os, release, sizeof(release), "/proc/sys/kernel/osrelease") < 0)
		return false;
	describe_cpu(ctx->os, &ctx->units.cpu, cpu, sizeof(cpu));
	return snprintf(buf, HEAD_BYTES,
			"ntime-self-test 3 %s\nboot %s\nkernel %s\ncpu %s\nunit %s %u\n",
			NTIME_VERSION, boot, release, cpu, core->name, core->counters) < HEAD_BYTES;
}

/*
 * NOLINTBEGIN(cert-err34-c) a file that nobody else can write; what is too large is as good as any
 */
static bool parse_trial(const char **at, struct nti_trial *t)
{
	int used = 0;

	if (nti_text_scan(*at,
			  "trial %" SCNx32 " %" SCNx32 " %" SCNx32 " %lf %lf %lf %" SCNx32
			  " %" SCNu64 " %" SCNu64 " %lf %lf %lf\n%n",
			  &t->event[0], &t->event[1], &t->event[2], &t->ratio[0], &t->ratio[1],
			  &t->ratio[2], &t->faults, &t->twin[0], &t->twin[1], &t->per_call,
			  &t->rotation, &t->kernel, &used) != 12 ||
	    !used)
		return false;
	*at += used;
	return true;
}

static bool parse_events(const char **at, struct nti_selftests *out)
{
	int used;

	while (strncmp(*at, "event ", 6) == 0) {
		struct nti_selftest_event *e = &out->event[out->events];

		used = 0;
		if (out->events == NTI_SELFTEST_EVENTS ||
		    nti_text_scan(*at, "event %" SCNu32 " %" SCNx64 " %" SCNx32 " %lf %lf\n%n",
				  &e->type, &e->config, &e->trial.seen, &e->trial.per_load,
				  &e->trial.per_guess, &used) != 5 ||
		    !used)
			return false;
		out->events++;
		*at += used;
	}
	return true;
}

static bool parse(const char *text, size_t bytes, const char *head, struct nti_selftests *out)
{
	size_t head_bytes = strlen(head), end;
	const char *at = text, *newline;
	char rest;

	if (strlen(text) != bytes || strncmp(text, head, head_bytes) != 0)
		return false;
	at += head_bytes;
	if (!parse_trial(&at, &out->trial) || !parse_events(&at, out))
		return false;
	newline = strchr(at, '\n');
	return nti_text_scan(at, "end %zu%c", &end, &rest) == 2 && rest == '\n' &&
	       end == (size_t)(at - text) && newline && newline[1] == '\0';
}
/* NOLINTEND(cert-err34-c) */

static bool read_from(struct ntime_ctx *ctx, const char *path, const char *head,
		      struct nti_selftests *out)
{
	char text[FILE_BYTES];
	int dir = nti_locked_directory(ctx->os, path, false), n;

	if (dir < 0)
		return false;
	n = nti_kept_read(dir, NAME, text, sizeof(text));
	nti_locked_close(dir);
	*out = (struct nti_selftests){ .has_trial = true };
	if (n >= 0 && parse(text, (size_t)n, head, out))
		return true;
	*out = (struct nti_selftests){ 0 };
	return false;
}

bool nti_selftests_recall(struct ntime_ctx *ctx, const struct nti_unit *core,
			  struct nti_selftests *out)
{
	char head[HEAD_BYTES], own[512];

	if (!make_head(ctx, core, head))
		return false;
	if (read_from(ctx, ROOT_DIRECTORY, head, out))
		return true;
	user_directory(ctx->os, own, sizeof(own));
	return *own && read_from(ctx, own, head, out);
}

static size_t write_text(char *buf, size_t size, const char *head,
			 const struct nti_selftests *tests)
{
	const struct nti_trial *t = &tests->trial;
	size_t i, used;

	used = (size_t)nti_text_print(
		buf, size,
		"%strial %" PRIx32 " %" PRIx32 " %" PRIx32 " %.9g %.9g %.9g %" PRIx32 " %" PRIu64
		" %" PRIu64 " %.9g %.9g %.9g\n",
		head, t->event[0], t->event[1], t->event[2], t->ratio[0], t->ratio[1], t->ratio[2],
		t->faults, t->twin[0], t->twin[1], t->per_call, t->rotation, t->kernel);
	for (i = 0; i < tests->events; i++) {
		const struct nti_selftest_event *e = &tests->event[i];

		used += (size_t)nti_text_print(
			buf + used, size - used,
			"event %" PRIu32 " %" PRIx64 " %" PRIx32 " %.9g %.9g\n", e->type, e->config,
			e->trial.seen, e->trial.per_load, e->trial.per_guess);
	}
	return used + (size_t)nti_text_print(buf + used, size - used, "end %zu\n", used);
}

static bool write_to(struct ntime_ctx *ctx, const char *path, const char *text, size_t bytes)
{
	int dir = nti_locked_directory(ctx->os, path, true), ret;

	if (dir < 0)
		return false;
	ret = nti_kept_write(dir, NAME, text, bytes);
	nti_locked_close(dir);
	return ret == 0;
}

bool nti_selftests_remember(struct ntime_ctx *ctx, const struct nti_unit *core,
			    const struct nti_selftests *tests)
{
	char head[HEAD_BYTES], own[512], text[FILE_BYTES];
	size_t bytes;

	if (!make_head(ctx, core, head))
		return false;
	bytes = write_text(text, sizeof(text), head, tests);
	if (write_to(ctx, ROOT_DIRECTORY, text, bytes))
		return true;
	user_directory(ctx->os, own, sizeof(own));
	return *own && write_to(ctx, own, text, bytes);
}
