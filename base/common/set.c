// SPDX-License-Identifier: MIT
/* Sets of small numbers. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/common/set.h"
#include "base/common/text.h"

static int make_room(struct nti_set *set, size_t bytes)
{
	size_t room = set->bytes ? set->bytes : 16;
	unsigned char *bigger;

	while (room < bytes)
		room *= 2;
	bigger = realloc(set->bits, room);
	if (!bigger)
		return -ENOMEM;
	memset(bigger + set->bytes, 0, room - set->bytes);
	set->bits = bigger;
	set->bytes = room;
	return 0;
}

int nti_set_add(struct nti_set *set, unsigned int n)
{
	size_t at = n / CHAR_BIT;
	int ret = at < set->bytes ? 0 : make_room(set, at + 1);

	if (ret == 0)
		set->bits[at] |= (unsigned char)(1u << n % CHAR_BIT);
	return ret;
}

static int add_number(void *arg, unsigned int n)
{
	return nti_set_add(arg, n);
}

int nti_set_add_list(struct nti_set *set, const char *list, unsigned int limit)
{
	return nti_text_for_each_in_list(list, limit, add_number, set);
}

void nti_set_fini(struct nti_set *set)
{
	free(set->bits);
	*set = (struct nti_set){ 0 };
}
