/* SPDX-License-Identifier: MIT */
/* Why something cannot be counted, and what to do about it. */
#ifndef NTI_ABSENCE_H
#define NTI_ABSENCE_H

/* Why something cannot be counted. Both NULL: nothing is in the way. Owned strings. */
struct nti_absence {
	char *reason;
	char *remedy;
};

void nti_absence_fini(struct nti_absence *a);
/* Replace the content by printf texts; 0 or -ENOMEM. @remedy is plain text, "" or NULL when nobody can do anything. */
int nti_absence_set(struct nti_absence *a, const char *remedy, const char *reason, ...)
	__attribute__((format(printf, 3, 4)));
int nti_absence_copy(struct nti_absence *to, const struct nti_absence *from);

#endif
