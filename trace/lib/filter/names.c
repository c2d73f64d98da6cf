// SPDX-License-Identifier: MIT
/*
 * "register=NAME" and "register=NAME@CHIP" of a filter: the name becomes the ranges of bytes that
 * its copies have. Copies that touch are one range. Without a chip all variants that the databases
 * show are meant, those of ntime's own rows not where a device is known to be of another vendor.
 */
#include "trace/lib/filter/names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/lib/filter/terms.h"

/* Copies that one name may mean, of all variants together: more are no choice any more. */
#define RANGES (1u << 20)
/* Vendor NVIDIA, device unknown: ntime's own rows are asked also where no chip is told. */
#define SOME_NVIDIA 0x10de0000u

struct names {
	int (*add)(void *arg, uint32_t region, uint64_t first, uint64_t last);
	void *arg;
	uint32_t flag; /* in the region of all ranges */
	size_t ranges;
};

/* Arrays from the inside out: what touches is one. @bytes of each copy of what is inside. */
static int add_copies(struct names *n, uint32_t region, uint64_t offset,
		      const struct ntime_regdb_array *arrays, uint64_t count, uint64_t bytes)
{
	const struct ntime_regdb_array *a;
	uint64_t i;
	int ret = 0;

	while (count && (arrays[count - 1].length == 1 || arrays[count - 1].stride == bytes)) {
		count--;
		if (arrays[count].length == 0)
			return n->add(n->arg, region, offset, UINT64_MAX);
		bytes *= arrays[count].length;
	}
	if (!count)
		return ++n->ranges > RANGES ? -E2BIG
					    : n->add(n->arg, region, offset, offset + bytes - 1);
	/*
	 * the outermost one, each of its copies by itself; one without end, or without places that
	 * are told, counts once
	 */
	a = &arrays[0];
	for (i = 0; !ret && i < (a->stride && a->length ? a->length : 1); i++)
		ret = add_copies(n, region, offset + i * a->stride, arrays + 1, count - 1, bytes);
	return ret;
}

static int on_register(void *arg, uint8_t region, uint64_t offset,
		       const struct ntime_regdb_hit *hit)
{
	struct names *n = arg;

	return add_copies(n, region | n->flag, offset, hit->arrays, hit->array_count,
			  hit->bits > 8 ? hit->bits / 8 : 1);
}

/* Without a chip twice: what any device may have, and what NVIDIA's have. */
static int search_all(struct ntime_decoder *d, struct names *n, const char *name)
{
	int ret = ntime_decoder_search(d, 0, name, on_register, n);

	if (ret < 0 && ret != -ENOENT)
		return ret;
	ret = ntime_decoder_identify(d, 0, SOME_NVIDIA, UINT8_MAX, 0, 0);
	n->flag = NTI_OWN_ROWS;
	return ret < 0 ? ret : ntime_decoder_search(d, 0, name, on_register, n);
}

static int search(const struct ntime_regdb *db, struct names *n, const char *name, const char *chip)
{
	struct ntime_decoder *d;
	int ret = ntime_decoder_new(db, &d);

	if (ret < 0)
		return ret;
	ret = chip ? ntime_decoder_set_chip(d, 0, chip) : search_all(d, n, name);
	if (ret >= 0 && chip)
		ret = ntime_decoder_search(d, 0, name, on_register, n);
	ntime_decoder_free(d);
	return ret < 0 ? ret : 0;
}

int nti_filter_names(const struct ntime_regdb *db, const char *text,
		     int (*add)(void *arg, uint32_t region, uint64_t first, uint64_t last),
		     void *arg)
{
	struct names n = { .add = add, .arg = arg };
	char *name = strdup(text), *chip;
	int ret;

	if (!name)
		return -ENOMEM;
	chip = strrchr(name, '@');
	if (chip)
		*chip++ = '\0';
	ret = search(db, &n, name, chip);
	free(name);
	return ret;
}
