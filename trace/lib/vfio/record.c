// SPDX-License-Identifier: MIT
/* Records of what functions had. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/common/absence.h"
#include "base/common/text.h"
#include "base/os/locked.h"
#include "trace/lib/vfio/record.h"

#define MAGIC "ntime-vfio-1"
/* A line has a place and two names; a whole record. */
#define LINE_BYTES (NTI_VFIO_NAME_BYTES + 2 * NTI_VFIO_DRIVER_BYTES)
#define FILE_BYTES ((NTI_VFIO_FUNCTIONS_MAX + 2) * LINE_BYTES)

/* ---- text ---- */

static const char *or_dash(const char *text)
{
	return *text ? text : "-";
}

int nti_vfio_record_format(const struct nti_vfio_record *r, char *text, size_t size)
{
	size_t used, i;
	int n = snprintf(text, size, MAGIC "\t%s\t%u\n", or_dash(r->boot), r->group);

	for (i = 0, used = (size_t)n; i < r->n && used < size; i++) {
		const struct nti_vfio_had *had = &r->had[i];

		n = snprintf(text + used, size - used, "%s\t%s\t%s\n", had->name,
			     or_dash(had->driver), or_dash(had->override));
		used += (size_t)n;
	}
	if (used < size)
		used += (size_t)snprintf(text + used, size - used, "end\t%zu\n", r->n);
	return used < size ? (int)used : -E2BIG;
}

/*
 * The next field of a line into @out; its end is @end, which must be there. False when it is empty
 * or too long.
 */
static bool take(const char **at, char end, char *out, size_t size)
{
	size_t n = strcspn(*at, "\t\n");

	if (n == 0 || n >= size || (*at)[n] != end)
		return false;
	memcpy(out, *at, n);
	out[n] = '\0';
	*at += n + 1;
	return true;
}

static void undash(char *text)
{
	if (strcmp(text, "-") == 0)
		text[0] = '\0';
}

static bool take_number(const char **at, unsigned int *out)
{
	char number[16];
	uint64_t value;

	if (!take(at, '\n', number, sizeof(number)) || nti_text_parse_u64(number, &value) < 0 ||
	    value > UINT_MAX)
		return false;
	*out = (unsigned int)value;
	return true;
}

/* A driver's name becomes a part of a path. */
static bool is_driver(const char *name)
{
	return !strchr(name, '/') && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

static bool take_had(const char **at, struct nti_vfio_had *had)
{
	char place[NTI_VFIO_NAME_BYTES];

	if (!take(at, '\t', had->name, sizeof(had->name)) ||
	    !take(at, '\t', had->driver, sizeof(had->driver)) ||
	    !take(at, '\n', had->override, sizeof(had->override)))
		return false;
	undash(had->driver);
	undash(had->override);
	return nti_vfio_place(had->name, place) == 0 && strcmp(place, had->name) == 0 &&
	       is_driver(had->driver) && is_driver(had->override);
}

int nti_vfio_record_parse(const char *text, struct nti_vfio_record *out, const char **reason)
{
	char word[sizeof(MAGIC)];
	unsigned int n = 0;

	memset(out, 0, sizeof(*out));
	*reason = "it is no record of ntime's";
	if (!take(&text, '\t', word, sizeof(word)) || strcmp(word, MAGIC) != 0 ||
	    !take(&text, '\t', out->boot, sizeof(out->boot)) || !take_number(&text, &out->group))
		return -EBADMSG;
	undash(out->boot);
	*reason = "it is not whole";
	while (strncmp(text, "end\t", 4) != 0) {
		if (out->n == NTI_VFIO_FUNCTIONS_MAX || !take_had(&text, &out->had[out->n]))
			return -EBADMSG;
		out->n++;
	}
	/* What follows is a longer one from before, not cut off yet. */
	text += 4;
	return take_number(&text, &n) && n == out->n ? 0 : -EBADMSG;
}

const struct nti_vfio_had *nti_vfio_record_find(const struct nti_vfio_record *r, const char *name)
{
	size_t i;

	for (i = 0; i < r->n; i++) {
		if (strcmp(r->had[i].name, name) == 0)
			return &r->had[i];
	}
	return NULL;
}

/* ---- files ---- */

static int say(const struct nti_vfio_store *s, int error, const char *reason, struct nti_error *e)
{
	switch (error) {
	case -EBUSY:
		return nti_error(e, error,
				 "another ntime gives or takes IOMMU group %u just now: try again "
				 "when it has ended",
				 s->record.group);
	case -EACCES:
	case -EPERM:
		return nti_error(e, -EACCES,
				 NTI_VFIO_DIRECTORY "/%s is for root only: " NTI_AS_ROOT, s->file);
	case -ENOTDIR:
		return nti_error(e, error,
				 NTI_VFIO_DIRECTORY
				 " is not a directory that only root can write to: remove it");
	case -EBADMSG:
		return nti_error(e, error,
				 "cannot use " NTI_VFIO_DIRECTORY
				 "/%s: %s; bind the functions by hand and remove it",
				 s->file, reason);
	default:
		return nti_error(e, error, "cannot use " NTI_VFIO_DIRECTORY "/%s: %s", s->file,
				 strerror(-error));
	}
}

/*
 * What the open file holds. A file without anything in it was never followed by a write to sysfs.
 */
static int read_record(struct nti_vfio_store *s, const char **reason)
{
	unsigned int group = s->record.group;
	char boot[NTI_VFIO_BOOT_BYTES];
	char *text = malloc(FILE_BYTES);
	int n, ret = 0;

	if (!text)
		return -ENOMEM;
	memcpy(boot, s->record.boot, sizeof(boot));
	n = nti_locked_read(s->fd, text, FILE_BYTES - 1);
	if (n > 0) {
		text[n] = '\0';
		ret = nti_vfio_record_parse(text, &s->record, reason);
	}
	free(text);
	/* An earlier boot's group of this number held other functions, perhaps. */
	if (ret == 0 && (n <= 0 || strcmp(s->record.boot, boot) != 0 || s->record.group != group))
		s->record.n = 0;
	memcpy(s->record.boot, boot, sizeof(boot));
	s->record.group = group;
	return n < 0 ? n : ret;
}

int nti_vfio_store_open(struct nti_os *os, struct nti_vfio_store *s, unsigned int group, bool lock,
			bool make, struct nti_error *e)
{
	const char *reason = "others than root could have written it";
	int ret;

	s->dir = s->fd = -1;
	s->record.n = 0;
	s->record.group = group;
	if (nti_os_line(os, s->record.boot, NTI_VFIO_BOOT_BYTES,
			"/proc/sys/kernel/random/boot_id") < 0)
		s->record.boot[0] = '\0';
	(void)snprintf(s->file, sizeof(s->file), "group-%u", group);
	ret = os->ops->directory(os, NTI_VFIO_DIRECTORY, make);
	if (ret == -ENOENT || ret == -EOPNOTSUPP)
		return 0;
	if (ret < 0)
		return say(s, ret, reason, e);
	s->dir = ret;
	ret = nti_locked_check_directory(s->dir);
	if (ret == 0 && lock) {
		ret = nti_locked_take(s->dir, s->file, make, &s->fd);
	} else if (ret == 0) {
		s->fd = nti_locked_open(s->dir, s->file);
		ret = s->fd < 0 ? s->fd : 0;
	}
	if (ret == 0)
		ret = read_record(s, &reason);
	return ret == 0 || ret == -ENOENT ? 0 : say(s, ret, reason, e);
}

int nti_vfio_store_save(struct nti_vfio_store *s, struct nti_error *e)
{
	char *text;
	int n, ret;

	if (s->record.n == 0) {
		if (s->fd >= 0)
			nti_locked_remove(s->dir, s->file, s->fd);
		return 0;
	}
	text = malloc(FILE_BYTES);
	if (!text)
		return nti_error(e, -ENOMEM, "no memory left");
	n = nti_vfio_record_format(&s->record, text, FILE_BYTES);
	ret = n < 0 ? n : nti_locked_write(s->fd, text, (size_t)n, 0);
	if (ret == 0)
		ret = nti_locked_cut(s->fd, (uint64_t)n);
	free(text);
	return ret < 0 ? say(s, ret, "", e) : 0;
}

void nti_vfio_store_close(struct nti_vfio_store *s)
{
	nti_locked_close(s->fd);
	nti_locked_close(s->dir);
	s->fd = s->dir = -1;
}
