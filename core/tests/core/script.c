// SPDX-License-Identifier: MIT
/* Sequences of core/seq as text. */
#include "core/base/io.h"
#include "core/tests/core/script.h"
#include "base/tests/tt.h"

#define UNTOUCHED 0xa5a5a5a5a5a5a5a5ull

struct step {
	int line;	  /* of the row, for TT_EQ() */
	const char *text; /* for messages */
	struct script_call call;
	uint64_t value;
	int ret;
	bool has_value;
	const char *log; /* NULL: any */
};

static int error_of(const char *name)
{
	static const struct {
		const char *name;
		int error;
	} errors[] = {
		{ "EINVAL", -EINVAL },	 { "EBUSY", -EBUSY },	  { "EIO", -EIO },
		{ "ENODEV", -ENODEV },	 { "ENODATA", -ENODATA }, { "ETIMEDOUT", -ETIMEDOUT },
		{ "ENOTSUP", -ENOTSUP },
	};
	size_t i;

	for (i = 0; i < NTHW_ARRAY_SIZE(errors); i++)
		if (strcmp(errors[i].name, name) == 0)
			return errors[i].error;
	fail_msg("no error %s", name);
	return 0;
}

/* An address keeps its letter above its 32 bits. */
static uint64_t number_of(const char *word)
{
	bool is_address = *word >= 'a' && *word <= 'z';
	uint64_t letter = is_address ? (uint64_t)*word << 32 : 0;
	char *end;
	uint64_t n = strtoull(word + is_address, &end, is_address ? 16 : 0);

	if (*end || end == word)
		fail_msg("no number: %s", word);
	return letter | n;
}

static void parse(char *line, struct step *step)
{
	char *log = strstr(line, ": "), *rest, *word;

	if (log) {
		*log = '\0';
		step->log = log + 2;
	}
	step->call.name = strtok_r(line, " ", &rest);
	while ((word = strtok_r(NULL, " ", &rest))) {
		if (strcmp(word, "!") == 0) {
			step->ret = error_of(strtok_r(NULL, " ", &rest));
		} else if (strcmp(word, "=") == 0) {
			step->value = number_of(strtok_r(NULL, " ", &rest));
			step->has_value = true;
		} else {
			assert_true(step->call.args < SCRIPT_ARGS);
			step->call.arg[step->call.args++] = number_of(word);
		}
	}
}

static void same(const struct step *step, const char *what, uint64_t got, uint64_t want)
{
	if (got != want)
		print_error("\"%s\": %s\n", step->text, what);
	TT_EQ(step, got, want);
}

static void compare_log(const struct step *step, const char *log)
{
	char got[4096];
	size_t n = strlen(log), i;

	if (strcmp(step->log, "reads") == 0) {
		same(step, "writes", strchr(log, 'W') != NULL, false);
		return;
	}
	assert_true(n < sizeof(got));
	for (i = 0; i < n; i++)
		got[i] = log[i] == '\n' ? ' ' : log[i];
	got[n ? n - 1 : 0] = '\0';
	TT_STR(step, got, strcmp(step->log, "none") == 0 ? "" : step->log);
}

static void call(const struct script *s, struct step *step)
{
	step->call.value = UNTOUCHED;
	s->forget(s->on);
	same(step, "error", (uint64_t)s->call(s->on, &step->call), (uint64_t)step->ret);
	same(step, "value", step->call.value, step->has_value ? step->value : UNTOUCHED);
	if (step->log)
		compare_log(step, s->log);
}

static void assign(const struct script_variable *v, uint64_t index, uint64_t value)
{
	if (v->quads)
		((uint64_t *)v->quads)[index] = value;
	else
		((uint32_t *)v->words)[index] = (uint32_t)value;
}

static void variable(const struct script_variable *v, const struct step *step)
{
	const uint64_t *arg = step->call.arg;
	size_t i;

	if (step->has_value)
		same(step, "variable", v->quads ? *(uint64_t *)v->quads : *(uint32_t *)v->words,
		     step->value);
	else if (step->call.args == 1)
		assign(v, 0, arg[0]);
	else
		for (i = 0; i + 1 < step->call.args; i += 2)
			assign(v, arg[i], arg[i + 1]);
}

static void play_line(const struct script *s, int row, const char *text, char *line)
{
	struct step step = { .line = row, .text = text };
	const struct script_variable *v;

	parse(line, &step);
	for (v = s->variables; v->name; v++)
		if (strcmp(v->name, step.call.name) == 0)
			break;
	if (v->name)
		variable(v, &step);
	else
		call(s, &step);
}

bool script_is(const struct script_call *call, const char *name)
{
	return strcmp(call->name, name) == 0;
}

void script_play(const struct script *script, int line, const char *text)
{
	char step[2048], parts[2048];

	while (*text) {
		size_t n = strcspn(text, "\n");

		assert_true(n < sizeof(step) && text[n]);
		memcpy(step, text, n);
		step[n] = '\0';
		memcpy(parts, step, n + 1);
		play_line(script, line, step, parts);
		text += n + 1;
	}
}
