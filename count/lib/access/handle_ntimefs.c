// SPDX-License-Identifier: MIT
/*
 * Registers through ntime's driver, which keeps owners apart and restores registers itself.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include <ntime/session.h>

#include "core/base/names.h"
#include "core/base/write.h"
#include "count/lib/access/handle_inner.h"
#include "count/lib/access/ntimefs.h"
#include "count/lib/access/why.h"
#include "base/common/text.h"

/* "0x" and 16 digits and a newline, and then some. */
#define TEXT_BYTES 32
/* More than the driver says of itself with some writers; what does not fit is done without. */
#define STATUS_BYTES 16384

static bool reaches_core(struct nti_os *os)
{
	(void)os;
	return true;
}

static int open_ntimefs(struct nti_handle *handle, const struct nti_handle_request *what)
{
	return nti_ntimefs_new(handle->handles->os, what->box ? what->box->function : "",
			       &handle->handles->error, &handle->fs);
}

static int explain(struct nti_handles *l, const struct nti_handle_request *what, int error,
		   struct nti_absence *out)
{
	char where[NTI_HANDLE_WHERE_BYTES];

	nti_handle_where(what, where, sizeof(where));
	if (l->recent && l->recent->fs)
		return nti_ntimefs_explain(l->recent->fs, where, error, out);
	return nti_absence_set_failed(out, NTIME_REASON_FAILED, where, error, "dmesg",
				      "the registers of %s cannot be opened: %s", where,
				      strerror(-error));
}

static const struct nti_method_ops ops = {
	.spaces = UINT32_MAX,
	.reaches_core = reaches_core,
	.probe = nti_ntimefs_probe,
	.open = open_ntimefs,
	.explain = explain,
};

/* ---- one register ---- */

static bool tree_reaches(const struct nti_access *a)
{
	return a->is_in_tree && !a->is_kept;
}

static int tree_permits(const struct nti_access *a, int mode)
{
	char path[sizeof(a->place)];

	(void)snprintf(path, sizeof(path), NTIME_FS_PATH "/%s", a->path);
	return a->os->ops->access(a->os, path, mode);
}

/* What the driver last refused, and why, as its file "status" has it; "" when it says nothing. */
static void last_refusal(struct nti_os *os, char *buf, size_t size)
{
	static const char key[] = "\nlast refusal: ";
	char text[STATUS_BYTES];
	const char *at;

	buf[0] = '\0';
	if (os->ops->text(os, NTIME_FS_PATH "/status", text, sizeof(text)) < 0)
		return;
	at = strstr(text, key);
	if (at)
		(void)snprintf(buf, size, " (%.*s)", (int)strcspn(at + strlen(key), "\n"),
			       at + strlen(key));
}

static int tree_busy(const struct nti_access *a)
{
	char why[256];

	last_refusal(a->os, why, sizeof(why));
	return nti_error(a->e, -EBUSY,
			 "%s is taken: another program has it open for writing, or perf or the NMI "
			 "watchdog counts%s",
			 a->place, why);
}

static int tree_denied(const struct nti_access *a, int error, const char *verb)
{
	const char *why = nthw_secret_why(a->row->secret);

	if (why)
		return nti_error(a->e, error,
				 "%s may not be %s by this user, because %s: " NTI_AS_ROOT
				 ", or let "
				 "root give this user that one file (chgrp, chmod)",
				 a->place, verb, why);
	return nti_error(a->e, error,
			 "%s may not be %s by this user: become a member of the group "
			 "that may (ls -l %s), or " NTI_AS_ROOT,
			 a->place, verb, a->place);
}

static int tree_refused(const struct nti_access *a, int error, const char *verb)
{
	char why[128] = NTI_NTIMEFS_REFUSAL_GUESS;

	(void)nti_ntimefs_refusal(a->os, why, sizeof(why));
	return nti_error(a->e, error, "%s cannot be %s: %s", a->place, verb, why);
}

static int tree_explain(const struct nti_access *a, int error, const char *verb)
{
	switch (error) {
	case -EACCES:
		return tree_denied(a, error, verb);
	case -EBUSY:
		return tree_busy(a);
	case -EPERM:
		return tree_refused(a, error, verb);
	case -EROFS:
		return nti_error(a->e, error,
				 NTIME_FS_PATH " is mounted read only, so %s cannot be written",
				 a->place);
	case -ENODEV:
	case -ENOENT:
	case -ENXIO:
		return nti_error(a->e, -ENODEV, "%s went away: CPU or device is off line or gone",
				 a->place);
	case -EIO:
		return nti_error(a->e, error, "the hardware refuses to have %s %s", a->place, verb);
	default:
		return nti_error(a->e, error, "%s cannot be %s: %s", a->place, verb,
				 strerror(-error));
	}
}

static int tree_open(struct nti_access *a)
{
	int flags = !a->writes ? O_RDONLY : !nthw_reg_is_readable(a->row) ? O_WRONLY : O_RDWR;

	(void)snprintf(a->place, sizeof(a->place), NTIME_FS_PATH "/%s", a->path);
	a->fd = a->os->ops->open(a->os, a->place, flags);
	return a->fd < 0 ? tree_explain(a, a->fd, a->writes ? "written" : "read") : 0;
}

static int tree_read(struct nti_access *a, uint64_t *value)
{
	char text[TEXT_BYTES + 1];
	ssize_t n = a->os->ops->pread(a->os, a->fd, text, TEXT_BYTES, 0);

	if (n < 0)
		return tree_explain(a, (int)n, "read");
	text[n] = '\0';
	if (nti_text_parse_u64(nti_text_trim(text), value) < 0)
		return nti_error(a->e, -EIO, "%s says '%.32s', which is no number", a->place, text);
	return 0;
}

/*
 * The driver merges: only what is the caller's is handed over, so that nothing which changed
 * meanwhile is taken for a wish.
 */
static int tree_write(struct nti_access *a, uint64_t value)
{
	const struct nthw_reg *row = a->row;
	char text[TEXT_BYTES];
	int chars = snprintf(
		text, sizeof(text), "0x%016llx\n",
		(unsigned long long)(value & (nthw_reg_settable(row) | nthw_reg_clearable(row))));
	ssize_t n = a->os->ops->pwrite(a->os, a->fd, text, (size_t)chars, 0);

	if (n == chars)
		return 0;
	return tree_explain(a, n < 0 ? (int)n : -EIO, "written");
}

static const struct nti_access_ops access_ntimefs = {
	.reaches = tree_reaches,
	.permits = tree_permits,
	.open = tree_open,
	.read = tree_read,
	.write = tree_write,
};

const struct nti_method_row nti_method_ntimefs = {
	.name = "ntimefs",
	.via = NTIME_VIA_NTIMEFS,
	.reaches = "core PMU of whole CPUs, counters around the cores, and registers by "
		   "name",
	.cost = "the counter's instruction on the CPU to which the thread is pinned, else "
		"one read(2)",
	.ops = &ops,
	.access = &access_ntimefs,
	.is_guarded = true,
	.is_inline = true,
};
