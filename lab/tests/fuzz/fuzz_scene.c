// SPDX-License-Identifier: MIT
/*
 * The input as a scene of a card that is a model, behind a line with a function of wires: what is
 * parsed can be played, twice the same, and has a truth. And as vectors, which are parsed.
 */
#include <errno.h>
#include <string.h>

#include "lab/card/truth.h"
#include "lab/card/vectors.h"
#include "base/tests/fuzz/fuzz.h"

#define FRAMES 3
/* Stretches that a frame may have before it is long enough. */
#define LONG 4096

struct seen {
	uint64_t clocks, stretches;
};

static void see(void *arg, const struct ntm_stretch *stretch)
{
	struct seen *s = arg;

	fuzz_expect(stretch->clocks && stretch->clocks <= NTM_SCENE_NUMBER_MAX);
	s->clocks += stretch->clocks;
	s->stretches++;
}

static void play(const struct ntm_scene *scene, const char *function)
{
	struct seen first = { 0 }, again = { 0 };
	uint64_t clocks = 0, all = 0;
	char why[1024] = "";
	int ret;

	for (uint32_t frame = 1; frame <= FRAMES; frame++) {
		ntm_scene_frame(scene, frame, see, &first);
		ntm_scene_frame(scene, frame, see, &again);
	}
	fuzz_expect(first.clocks == again.clocks && first.stretches == again.stretches);
	if (first.stretches > LONG)
		return;
	fuzz_expect(ntm_truth("d1: 1", scene, "", 1, FRAMES, 0, &all, why, sizeof(why)) == 0);
	fuzz_expect(all == first.clocks);
	ret = ntm_truth(function, scene, "", 1, FRAMES, 0, &clocks, why, sizeof(why));
	fuzz_expect(ret == -ENOMEM || (ret == 0 ? clocks <= 63 * all : *why != 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static const char *const chips[] = { "G80", "G96", "G200", "GT218" };
	const uint8_t *newline = memchr(data, '\n', bytes);
	size_t first = newline ? (size_t)(newline - data) : bytes;
	char function[256] = "", why[512] = "";
	struct ntm_vectors *vectors;
	struct ntm_scene *scene;
	int ret;

	memcpy(function, data, first < sizeof(function) - 1 ? first : sizeof(function) - 1);
	if (newline)
		first++;
	ret = ntm_scene_parse("f", (const char *)data + first, bytes - first,
			      nthw_nv_chip_by_name(chips[bytes % 4]), &scene, why, sizeof(why));
	fuzz_expect(ret == 0 ? scene != NULL
			     : !scene && (ret == -ENOMEM || strncmp(why, "f:", 2) == 0));
	if (ret == 0)
		play(scene, function);
	ntm_scene_free(scene);
	ret = ntm_vectors_parse("f", (const char *)data + first, bytes - first, &vectors, why,
				sizeof(why));
	fuzz_expect(ret == 0 ? vectors != NULL : !vectors && *why);
	ntm_vectors_free(vectors);
	return 0;
}
