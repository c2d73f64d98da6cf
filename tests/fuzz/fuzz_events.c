// SPDX-License-Identifier: MIT
/*
 * The input as a file of data/events. What parses keeps what box_text.h promises; everything else
 * is left to the sanitizers.
 */
#include "lib/event/box_text.h"
#include "tests/fuzz/fuzz.h"

static void check_family(const struct nti_box_family *f)
{
	size_t i, k;

	fuzz_expect(f->terms > 0);
	for (i = 0; i < f->events; i++) {
		const struct nti_box_event *event = &f->event[i];

		fuzz_expect(event->name[0] && event->terms[0] && event->source[0]);
		fuzz_expect(event->about[strlen(event->about) - 1] == '.');
		fuzz_expect(event->scale >= 0 && event->scale < 1e300);
		fuzz_expect(event->is_state == (event->together != NTI_SUM));
		for (k = 0; k < i; k++)
			fuzz_expect(f->event[k].config != event->config &&
				    strcmp(f->event[k].name, event->name) != 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	char *text = fuzz_text(data, bytes);
	struct nti_box_text t = { 0 };
	struct nti_error e = { 0 };
	size_t i, families;
	int ret;

	ret = nti_box_text_parse("f", text, bytes, &t, &e);
	fuzz_expect(ret == 0 || (e.code == ret && strncmp(e.text, "f:", 2) == 0));
	for (i = 0; ret == 0 && i < t.families; i++)
		check_family(&t.family[i]);
	/* The kinds are taken now. */
	families = t.families;
	if (ret == 0 && families)
		fuzz_expect(nti_box_text_parse("f", text, bytes, &t, NULL) < 0 &&
			    t.families == families);
	nti_box_text_fini(&t);
	free(text);
	return 0;
}
