/* SPDX-License-Identifier: MIT */
/* What the kinds of files make; one at a time. */
#ifndef EMBED_ALL_H
#define EMBED_ALL_H

#include "data/embed/embed.h"
#include "lib/metric/metric.h"

union embed_all {
	struct nti_metrics metrics;
};

#endif
