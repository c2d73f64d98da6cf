/* SPDX-License-Identifier: MIT */
/* What the kinds of files make; one at a time. */
#ifndef EMBED_ALL_H
#define EMBED_ALL_H

#include "data/embed/embed.h"
#include "lib/event/box_text.h"
#include "lib/event/gpu_text.h"
#include "lib/metric/metric.h"
#include "trace/derive/known_text.h"

union embed_all {
	struct nti_metrics metrics;
	struct nti_box_text events;
	struct nti_known_text counters;
	struct nti_gpu_text gpu;
};

#endif
