// SPDX-License-Identifier: MIT
/* ntime trace: databases of names, filters and chips, as the command line has them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/output/memory.h"
#include "base/output/say.h"
#include "trace/cli/trace.h"

int cli_trace_names(struct cli_trace *t)
{
	int ret;

	if (t->db)
		return 0;
	ret = ntime_regdb_new(t->ctx, &t->db);
	/* Each is asked before those that were there: the first of the command line comes last. */
	for (size_t i = t->regs.n; i-- > 0 && !ret;)
		ret = ntime_regdb_add(t->db, t->regs.word[i]);
	if (t->warnings > CLI_TRACE_WARNINGS)
		cli_say("%u more warnings about the databases; -vv prints them",
			t->warnings - CLI_TRACE_WARNINGS);
	return ret < 0 ? cli_trace_say(t->ctx, ret) : 0;
}

/* The chip that is meant for all devices, NULL: none. */
static const char *common_chip(const struct cli_trace *t)
{
	for (size_t i = 0; i < t->chips.n; i++)
		if (!strchr(t->chips.word[i], '='))
			return t->chips.word[i];
	return NULL;
}

/* A name is of the chip that was given, where one was. */
static int add_term(struct cli_trace *t, const struct cli_trace_term *term)
{
	const char *chip = strncmp(term->text, "register=", 9) == 0 ? common_chip(t) : NULL;
	char *text;
	int ret;

	if (!chip || strchr(term->text, '@'))
		return ntime_trace_filter_add(t->filter, term->text, term->is_negated, t->db);
	text = cli_format("%s@%s", term->text, chip);
	ret = ntime_trace_filter_add(t->filter, text, term->is_negated, t->db);
	free(text);
	return ret;
}

int cli_trace_filter(struct cli_trace *t)
{
	int ret;

	if (t->filter || !t->n_terms)
		return 0;
	for (size_t i = 0; i < t->n_terms; i++)
		if (strncmp(t->terms[i].text, "register=", 9) == 0 && cli_trace_names(t))
			return CLI_EXIT_FAILED;
	ret = ntime_trace_filter_new(t->ctx, &t->filter);
	for (size_t i = 0; i < t->n_terms && !ret; i++)
		ret = add_term(t, &t->terms[i]);
	return ret < 0 ? cli_trace_say(t->ctx, ret) : 0;
}

/* "0=NV_MMIO", "rom=NAME" */
static int set_domain(struct cli_trace *t, struct ntime_decoder *d, const char *word)
{
	static const char *const names[] = { "rom", "config", "vga" };
	const char *equals = strchr(word, '=');
	int ret, region = -1;

	if (equals == word + 1 && word[0] >= '0' && word[0] <= '8')
		region = word[0] - '0';
	for (int i = 0; equals && i < 3; i++)
		if (strlen(names[i]) == (size_t)(equals - word) &&
		    strncmp(word, names[i], strlen(names[i])) == 0)
			region = NTIME_REGION_ROM + i;
	if (region < 0)
		return cli_say_misuse(t->self->name,
				      "--domain takes REGION=NAME with a region from 0 to 8, rom, "
				      "config or vga, not '%s'",
				      word);
	ret = ntime_decoder_set_domain(d, (uint8_t)region, equals + 1);
	return ret < 0 ? cli_trace_say(t->ctx, ret) : 0;
}

int cli_trace_decoder(struct cli_trace *t, struct ntime_decoder **out)
{
	int ret = ntime_decoder_new(t->db, out);

	if (ret < 0)
		return cli_trace_say(t->ctx, ret);
	for (size_t i = 0; i < t->domains.n; i++)
		if (set_domain(t, *out, t->domains.word[i]))
			goto err_free;
	for (size_t i = 0; i < t->chips.n; i++) {
		if (strchr(t->chips.word[i], '='))
			continue;
		ret = ntime_decoder_set_chip(*out, UINT32_MAX, t->chips.word[i]);
		if (ret < 0) {
			cli_trace_say(t->ctx, ret);
			goto err_free;
		}
	}
	return 0;
err_free:
	ntime_decoder_free(*out);
	*out = NULL;
	return CLI_EXIT_FAILED;
}

bool cli_trace_is_device(const struct ntime_trace_device *device, const char *glob, size_t bytes)
{
	char text[256];

	if (bytes >= sizeof(text))
		return false;
	memcpy(text, glob, bytes);
	text[bytes] = '\0';
	return ntime_trace_device_fits(device, text);
}

const char *cli_trace_chip_of(const struct cli_trace *t, const struct ntime_trace_device *device)
{
	const char *equals;

	for (size_t i = 0; i < t->chips.n; i++) {
		equals = strrchr(t->chips.word[i], '=');
		if (equals && cli_trace_is_device(device, t->chips.word[i],
						  (size_t)(equals - t->chips.word[i])))
			return equals + 1;
	}
	return NULL;
}
