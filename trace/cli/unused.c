// SPDX-License-Identifier: MIT
/*
 * ntime trace: options that nothing in the trace fits, told at its end. A name that is mistyped
 * would look like a trace without it.
 */
#include <stdio.h>
#include <string.h>

#include "base/output/say.h"
#include "trace/cli/trace.h"

/* Names of so many devices are told. */
#define NAMES 8

static bool any_fits(const struct ntime_trace *trace, const char *glob, size_t bytes)
{
	struct ntime_trace_device device = { .size = sizeof(device) };
	size_t n = ntime_trace_devices(trace);

	for (size_t i = 0; i < n && !ntime_trace_get_device(trace, i, &device); i++)
		if (cli_trace_is_device(&device, glob, bytes))
			return true;
	return false;
}

/* "there are 0000:05:00.0, 0000:06:00.0 and 3 more" */
static void say_no_device(const struct cli_trace_input *in, const char *glob, size_t bytes)
{
	struct ntime_trace_device device = { .size = sizeof(device) };
	size_t n = ntime_trace_devices(in->trace), used = 0;
	char names[512] = "";

	for (size_t i = 0; i < n && i < NAMES && used < sizeof(names); i++) {
		if (ntime_trace_get_device(in->trace, i, &device))
			break;
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", i ? ", " : "",
					 device.name);
	}
	if (n > NAMES && used < sizeof(names))
		snprintf(names + used, sizeof(names) - used, " and %zu more", n - NAMES);
	cli_say("%s: no device of the trace is called '%.*s'; there %s %s", in->path, (int)bytes,
		glob, n == 1 ? "is" : "are", n ? names : "none");
}

/* The name is what stands in front of the first '='. */
static void tell_words(const struct cli_trace_input *in, const struct cli_trace_words *words)
{
	for (size_t i = 0; i < words->n; i++) {
		size_t bytes = strcspn(words->word[i], "=");

		if (words->word[i][bytes] && !any_fits(in->trace, words->word[i], bytes))
			say_no_device(in, words->word[i], bytes);
	}
}

static void tell_devices(const struct cli_trace_input *in)
{
	static const char term[] = "device=";

	for (size_t i = 0; i < in->t->n_terms; i++) {
		const char *text = in->t->terms[i].text;

		if (strncmp(text, term, sizeof(term) - 1) != 0)
			continue;
		text += sizeof(term) - 1;
		if (!any_fits(in->trace, text, strlen(text)))
			say_no_device(in, text, strlen(text));
	}
}

static void tell_registers(const struct cli_trace_input *in)
{
	static const char term[] = "register=";
	struct ntime_trace_info info = { .size = sizeof(info) };

	const char *which = " that the other filters keep";
	size_t n = 0;

	if (ntime_trace_get_info(in->trace, &info) || !info.is_ended || info.kept_accesses ||
	    !info.accesses)
		return;
	for (size_t i = 0; i < in->t->n_terms; i++)
		n += strncmp(in->t->terms[i].text, term, sizeof(term) - 1) == 0;
	if (n == in->t->n_terms)
		which = " of the trace";
	for (size_t i = 0; i < in->t->n_terms; i++)
		if (strncmp(in->t->terms[i].text, term, sizeof(term) - 1) == 0 &&
		    !in->t->terms[i].is_negated)
			cli_say("%s: no access%s is to '%s'", in->path, which,
				in->t->terms[i].text + sizeof(term) - 1);
}

void cli_trace_tell_unused(const struct cli_trace_input *in)
{
	tell_devices(in);
	tell_words(in, &in->t->chips);
	tell_words(in, &in->t->places);
	tell_registers(in);
}
