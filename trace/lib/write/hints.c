// SPDX-License-Identifier: MIT
/* Hints of users about devices, parsed. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/common/compiler.h"
#include "base/common/text.h"
#include "trace/lib/base/device.h"
#include "trace/lib/write/hints.h"

/* Names that users may say; others are styles as they stand in NTIME_RECORD_STYLE. */
static const struct {
	const char *name, *style;
} styles[] = {
	{ "plain", "" },  { "pid@time", "%t@%s.%u:" }, { "tid@time", "%t@%s.%u:" },
	{ "iso", "%i " }, { "stap", "%t@%n " },	       { "old", "vfio: " },
};

const char *nti_hint_style(const char *name)
{
	size_t i;

	for (i = 0; i < NTI_ARRAY_SIZE(styles); i++)
		if (!strcmp(styles[i].name, name))
			return styles[i].style;
	return strchr(name, '%') ? name : NULL;
}

int nti_hint_style_error(struct nti_error *e, const char *name)
{
	return nti_error(
		e, -EINVAL,
		"'%s' is not a style: there are plain, pid@time, tid@time, iso, stap, old, "
		"and texts with %%t, %%s, %%u, %%f, %%n and %%i in them",
		name);
}

/* Cut @text at the last '=' and return what is behind it; NULL without one. */
static char *cut_last(char *text)
{
	char *at = strrchr(text, '=');

	if (!at)
		return NULL;
	*at = '\0';
	return at + 1;
}

static int parse_id(struct nti_error *e, struct nti_hint *h, char *text)
{
	char *value = cut_last(text), *end;
	unsigned long vendor, device;

	if (!value)
		return nti_error(e, -EINVAL,
				 "'%s' is not an identification of a device: write "
				 "DEVICE=VENDOR:ID, such as 05:00.0=10de:0640",
				 text);
	vendor = strtoul(value, &end, 16);
	if (end == value || *end != ':' || vendor > 0xffff)
		return nti_error(
			e, -EINVAL,
			"'%s' is not an identification: write VENDOR:ID, such as 10de:0640", value);
	value = end + 1;
	device = strtoul(value, &end, 16);
	if (end == value || *end || device > 0xffff)
		return nti_error(
			e, -EINVAL,
			"'%s' is not the id of a device: write VENDOR:ID, such as 10de:0640",
			value);
	h->id = (uint32_t)(vendor << 16 | device);
	h->device = text;
	return 0;
}

/* The same for sizes: "16M" and plain numbers. */
static int parse_bytes(struct nti_error *e, const char *text, uint64_t *out)
{
	char number[32] = "";
	size_t n = strlen(text);
	unsigned int shift = 0;

	if (n && strchr("kK", text[n - 1]))
		shift = 10;
	else if (n && text[n - 1] == 'M')
		shift = 20;
	else if (n && text[n - 1] == 'G')
		shift = 30;
	if (n < sizeof(number))
		memcpy(number, text, n - (shift != 0));
	if (nti_text_parse_u64(number, out) < 0 || *out > UINT64_MAX >> shift || !*out)
		return nti_error(e, -EINVAL,
				 "'%s' is not a size: write bytes, or a number with k, M or G",
				 text);
	*out <<= shift;
	return 0;
}

static int parse_bar(struct nti_error *e, struct nti_hint *h, char *text)
{
	char *start = cut_last(text), *bar = start ? cut_last(text) : NULL, *plus;
	uint64_t number;
	int ret;

	if (!bar)
		return nti_error(e, -EINVAL,
				 "'%s' is not the address of a BAR: write "
				 "DEVICE=BAR=START[+BYTES], such as 05:00.0=0=0xfa000000+16M",
				 text);
	plus = strchr(start, '+');
	if (plus)
		*plus = '\0';
	if (nti_text_parse_u64(bar, &number) < 0 || number > 6)
		return nti_error(e, -EINVAL, "'%s' is not a BAR: write 0 to 5, or 6 for the ROM",
				 bar);
	if (nti_text_parse_u64(start, &h->start) < 0 || (h->start & 0xfff))
		return nti_error(e, -EINVAL,
				 "'%s' is not an address of a BAR: write a multiple of 4096",
				 start);
	ret = plus ? parse_bytes(e, plus + 1, &h->bytes) : 0;
	if (!ret && h->start + h->bytes < h->start)
		ret = nti_error(e, -EINVAL, "BAR %s ends after the last address", bar);
	h->bar = (uint32_t)number;
	h->device = text;
	return ret;
}

static int parse_line(struct nti_error *e, struct nti_hint *h, char *line)
{
	char *rest = strchr(line, '=');

	if (rest)
		*rest++ = '\0';
	if (rest && !strcmp(line, "id")) {
		h->kind = NTI_HINT_ID;
		return parse_id(e, h, rest);
	}
	if (rest && !strcmp(line, "bar")) {
		h->kind = NTI_HINT_BAR;
		return parse_bar(e, h, rest);
	}
	if (rest && !strcmp(line, "chip")) {
		h->kind = NTI_HINT_CHIP;
		h->name = cut_last(rest);
		h->device = h->name ? rest : "";
		h->name = h->name ? h->name : rest;
		return 0;
	}
	if (rest && !strcmp(line, "style")) {
		h->kind = NTI_HINT_STYLE;
		h->device = "";
		h->name = rest;
		return nti_hint_style(rest) ? 0 : nti_hint_style_error(e, rest);
	}
	return nti_error(e, -EINVAL, "'%s' is not a hint: write id=, bar=, chip= or style=", line);
}

int nti_hints_parse(struct nti_error *e, const char *text, struct nti_hints *out)
{
	char *line, *next;
	size_t lines = 1;
	int ret = 0;

	memset(out, 0, sizeof(*out));
	if (!text)
		return 0;
	out->text = strdup(text);
	for (line = out->text; line && *line; line++)
		lines += *line == '\n';
	out->list = calloc(lines, sizeof(*out->list));
	if (!out->text || !out->list)
		ret = -ENOMEM;
	for (line = out->text; line && !ret; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (*line)
			ret = parse_line(e, &out->list[out->n++], line);
	}
	if (ret < 0)
		nti_hints_fini(out);
	return ret;
}

void nti_hints_fini(struct nti_hints *h)
{
	free(h->list);
	free(h->text);
	memset(h, 0, sizeof(*h));
}

bool nti_hint_fits(const struct nti_hint *h, const char *device)
{
	return !*h->device || nti_trace_device_fits(device, h->device);
}

const struct nti_hint *nti_hints_find(const struct nti_hints *h, enum nti_hint_kind kind,
				      const char *device)
{
	size_t i;

	for (i = h->n; i--;)
		if (h->list[i].kind == kind && nti_hint_fits(&h->list[i], device))
			return &h->list[i];
	return NULL;
}
