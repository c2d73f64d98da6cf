/* SPDX-License-Identifier: MIT */
/*
 * What users know of devices and the trace does not: lines of struct
 * ntime_trace_writer_options.hints.
 */
#ifndef NTI_TRACE_HINTS_H
#define NTI_TRACE_HINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/common/error.h"

enum nti_hint_kind { NTI_HINT_ID, NTI_HINT_BAR, NTI_HINT_CHIP, NTI_HINT_STYLE };

/**
 * struct nti_hint - one line
 * @device:	glob of names of devices; "" and "*" are all
 * @name:	of a chip or style
 * @id:		0xVVVVDDDD
 * @bar:	0 to 6 (the ROM)
 * @start, @bytes: where it is; 0 bytes: as long as it happens to be
 */
struct nti_hint {
	enum nti_hint_kind kind;
	const char *device;
	const char *name;
	uint32_t id;
	uint32_t bar;
	uint64_t start, bytes;
};

struct nti_hints {
	struct nti_hint *list;
	size_t n;
	char *text; /* what the strings of @list are in */
};

/* Parse @text, NULL: none. 0, -EINVAL with a sentence, -ENOMEM. */
int nti_hints_parse(struct nti_error *e, const char *text, struct nti_hints *out);
void nti_hints_fini(struct nti_hints *h);

/*
 * The style of NTIME_RECORD_STYLE that a name stands for, or @name itself where it is one, with a
 * '%' in it; NULL: neither.
 */
const char *nti_hint_style(const char *name);
/* A sentence that lists the names. -EINVAL. */
int nti_hint_style_error(struct nti_error *e, const char *name);

/* Is the hint about the device of that name? The domain of a PCI place may be left out. */
bool nti_hint_fits(const struct nti_hint *h, const char *device);

/* The last hint of a kind for a device, NULL without one. */
const struct nti_hint *nti_hints_find(const struct nti_hints *h, enum nti_hint_kind kind,
				      const char *device);

#endif
