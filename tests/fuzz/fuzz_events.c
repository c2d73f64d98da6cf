// SPDX-License-Identifier: MIT
/*
 * The input as a file of data/events. What parses keeps what box_text.h promises; everything else
 * is left to the sanitizers.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/event/box_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void expect(bool is_so)
{
	if (!is_so)
		abort();
}

static void check_family(const struct nti_box_family *f)
{
	size_t i, k;

	expect(f->terms > 0);
	for (i = 0; i < f->events; i++) {
		const struct nti_box_event *event = &f->event[i];

		expect(event->name[0] && event->terms[0] && event->source[0]);
		expect(event->about[strlen(event->about) - 1] == '.');
		expect(event->scale >= 0 && event->scale < 1e300);
		expect(event->is_state == (event->together != NTI_SUM));
		for (k = 0; k < i; k++)
			expect(f->event[k].config != event->config &&
			       strcmp(f->event[k].name, event->name) != 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	char *text = malloc(bytes + 1);
	struct nti_box_text t = { 0 };
	struct nti_error e = { 0 };
	size_t i, families;
	int ret;

	expect(text != NULL);
	memcpy(text, data, bytes);
	text[bytes] = '\0';
	ret = nti_box_text_parse("f", text, bytes, &t, &e);
	expect(ret == 0 || (e.code == ret && strncmp(e.text, "f:", 2) == 0));
	for (i = 0; ret == 0 && i < t.families; i++)
		check_family(&t.family[i]);
	/* The kinds are taken now. */
	families = t.families;
	if (ret == 0 && families)
		expect(nti_box_text_parse("f", text, bytes, &t, NULL) < 0 &&
		       t.families == families);
	nti_box_text_fini(&t);
	free(text);
	return 0;
}
