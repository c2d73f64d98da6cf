// SPDX-License-Identifier: MIT
/* Records and members of structs as text. */
#include "trace/tests/lib/records.h"

static uint8_t kind_of(char letter)
{
	static const char letters[] = "RWCDILT";
	static const uint8_t kinds[] = { NTIME_RECORD_READ,	   NTIME_RECORD_WRITE,
					 NTIME_RECORD_CONFIG_READ, NTIME_RECORD_CONFIG_WRITE,
					 NTIME_RECORD_INTERRUPT,   NTIME_RECORD_LOST,
					 NTIME_RECORD_LIST };
	const char *at = strchr(letters, letter);

	if (!at || !letter)
		fail_msg("'%c' is no kind of record", letter);
	return kinds[at - letters];
}

/* What stands behind the offset; returns where it ends. */
static char *parse_rest(char *at, struct ntime_record *out)
{
	char sign = *at;
	uint64_t number = strtoull(at + 1, &at, strchr("=?&", sign) ? 16 : 10);

	switch (sign) {
	case '=':
		out->flags |= NTIME_RECORD_VALUED;
		/* fall through */
	case '?':
		out->value = number;
		break;
	case ':':
		out->width = (uint8_t)number;
		break;
	case '&':
		out->mask = (uint32_t)number;
		out->flags |= NTIME_RECORD_MASKED;
		break;
	case '@':
		out->time_ns = number;
		out->flags |= NTIME_RECORD_TIMED;
		break;
	case '^':
		out->thread = (uint32_t)number;
		out->flags |= NTIME_RECORD_THREADED;
		break;
	default:
		fail_msg("'%c' stands behind no record", sign);
	}
	return at;
}

static char *parse_record(const char *word, struct ntime_record *out)
{
	char *at = (char *)word;

	*out = (struct ntime_record){ .width = 4 };
	if (*at == '#')
		out->device = (uint16_t)strtoul(at + 1, &at, 10);
	if (*at == '%')
		out->region = (uint8_t)strtoul(at + 1, &at, 10);
	if (*at == '!') {
		out->flags |= NTIME_RECORD_SYNTHETIC;
		at++;
	}
	out->kind = kind_of(*at);
	out->offset = strtoull(at + 1, &at, 16);
	while (*at && *at != ' ')
		at = parse_rest(at, out);
	return at;
}

size_t tt_parse_records(const char *text, struct ntime_record *out, size_t room)
{
	size_t n = 0;

	while (*text) {
		assert_true(n < room);
		text = parse_record(text, &out[n++]);
		text += *text == ' ';
	}
	return n;
}

static long long number_at(const void *at, size_t bytes)
{
	uint64_t number = 0;

	/* Traces are read on machines of either byte order. */
	if (bytes == 4)
		return *(const uint32_t *)at;
	assert_int_equal(bytes, sizeof(number));
	memcpy(&number, at, bytes);
	return (long long)number;
}

void tt_fields_(const void *object, const struct tt_field *fields, const char *want,
		const char *file, int line)
{
	char text[256];

	while (*want) {
		const struct tt_field *f = fields;
		const char *end = strstr(want, ", ");
		size_t name = strcspn(want, "="), n = end ? (size_t)(end - want) : strlen(want);
		const void *at;

		while (f->name && (strlen(f->name) != name || strncmp(f->name, want, name) != 0))
			f++;
		if (!f->name || name >= n || n - name >= sizeof(text))
			fail_msg("%s:%d: '%.*s' names no member", file, line, (int)n, want);
		at = (const char *)object + f->offset;
		snprintf(text, sizeof(text), "%.*s", (int)(n - name - 1), want + name + 1);
		if (f->bytes)
			tt_eq_(number_at(at, f->bytes), (long long)strtoull(text, NULL, 0), f->name,
			       file, line);
		else
			tt_str_(*(const char *const *)at, text, f->name, file, line);
		want += n + (end ? 2 : 0);
	}
}
