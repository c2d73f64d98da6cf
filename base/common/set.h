/* SPDX-License-Identifier: MIT */
/*
 * A set of small numbers, a bit each: CPUs of a list that is asked again and again, which reading
 * the list anew each time would make quadratic.
 */
#ifndef NTI_SET_H
#define NTI_SET_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

struct nti_set {
	unsigned char *bits; /* NULL: empty */
	size_t bytes;
};

/* Put @n in; zeroed is the empty set. 0 or -ENOMEM. */
int nti_set_add(struct nti_set *set, unsigned int n);

/*
 * Put each number of a list such as "0-3,8" in. 0, -ENOMEM, or -EINVAL and -ERANGE as
 * nti_text_for_each_in_list(): then the numbers before the fault are in it.
 */
int nti_set_add_list(struct nti_set *set, const char *list, unsigned int limit);
void nti_set_fini(struct nti_set *set);

static inline bool nti_set_has(const struct nti_set *set, unsigned int n)
{
	return n / CHAR_BIT < set->bytes && set->bits[n / CHAR_BIT] >> n % CHAR_BIT & 1;
}

#endif
