/* SPDX-License-Identifier: MIT */
/*
 * Files of data/events, read by the build program embed (data/embed) and by tests; the library has
 * the result (lib/event/box_events.h).
 *
 * A file holds entries separated by blank lines; '#' begins a comment line. First what its boxes
 * are like:
 *     kind snbep_imc			kinds of boxes (core/seq/boxes.c) that have all this,
 *     separated by blanks pmu uncore_imc			perf's PMU of such boxes, without
 *     number term event config:0-7		several; as the files in "format" of sysfs
 *     term umask config:8-15
 *     source Linux 6.1, ...
 * then their events, keys in this order:
 *     event cas_count_read
 *     terms event=0x04,umask=0x03
 *     more event=0x05			further terms whose counts are added, lists with blanks
 *     absent nobody knows ...		instead of terms: why nobody can count it, and
 *     remedy count ...			what to do
 *     scale 6.103515625e-5		may be missing: 1. "energy": as the registers say
 *     unit MiB				of the count times the scale; may be missing
 *     state max			may be missing: the event is a state, and of several places
 *     the "max" or "min" speaks about Data read from memory.
 *     source Linux 6.1, ...
 */
#ifndef NTI_BOX_TEXT_H
#define NTI_BOX_TEXT_H

#include <stddef.h>

#include "lib/event/box_events.h"

/* One struct nti_box_family for each kind; those of one entry share their arrays. */
struct nti_box_text {
	struct nti_box_family *family;
	size_t families;
	/* who owns what the families point to */
	void **owned;
	size_t owns;
};

/*
 * Parse the text of a file and append to @out. Lints: every key present and in order, printable
 * ASCII, names unique, terms known and as wide as their values, no encoding twice, "about" a
 * sentence. -EINVAL with "FILE:LINE: ..." (@file is only for the sentence), -ENOMEM; on failure
 * @out is to be freed all the same.
 */
int nti_box_text_parse(const char *file, const char *text, size_t bytes, struct nti_box_text *out,
		       struct nti_error *e);
void nti_box_text_fini(struct nti_box_text *t);

#endif
