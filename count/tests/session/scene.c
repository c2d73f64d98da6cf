// SPDX-License-Identifier: MIT
/* Scenarios are done: the steps about sessions, and what all machines share. */
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "base/common/compiler.h"
#include "base/common/text.h"
#include "count/tests/session/scene.h"

static const struct name_row {
	const char *name;
	uint32_t number;
} flag_names[] = {
	{ "absent", NTIME_ABSENT },
	{ "elsewhere", NTIME_ELSEWHERE },
	{ "gone", NTIME_GONE },
	{ "hotplug", NTIME_HOTPLUG },
	{ "implausible", NTIME_IMPLAUSIBLE },
	{ "lost", NTIME_LOST },
	{ "metric", NTIME_METRIC },
	{ "not_counted", NTIME_NOT_COUNTED },
	{ "overflowed", NTIME_OVERFLOWED },
	{ "partial", NTIME_PARTIAL },
	{ "scaled", NTIME_SCALED },
	{ "simulated", NTIME_SIMULATED },
	{ "state", NTIME_STATE },
}, error_names[] = {
	{ "EACCES", EACCES },
	{ "EBUSY", EBUSY },
	{ "EINVAL", EINVAL },
	{ "EIO", EIO },
	{ "ELIBACC", ELIBACC },
	{ "ENODATA", ENODATA },
	{ "ENODEV", ENODEV },
	{ "ENOENT", ENOENT },
	{ "ENOMEM", ENOMEM },
	{ "ENOSPC", ENOSPC },
	{ "ESTALE", ESTALE },
};

static uint32_t number_of(struct scene *s, const struct name_row *rows, size_t n, const char *name)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (strcmp(rows[i].name, name) == 0)
			return rows[i].number;
	fail_msg("%s:%d: %s: \"%s\" is no name", s->file, s->line, s->step, name);
	return 0;
}

int scene_error(struct scene *s, const char *name)
{
	return *name ? -(int)number_of(s, error_names, NTI_ARRAY_SIZE(error_names), name) : 0;
}

/* ---- words ---- */

char *scene_word(char **rest)
{
	char *word = *rest + strspn(*rest, " ");

	*rest = word + strcspn(word, " ");
	if (**rest)
		*(*rest)++ = '\0';
	return word;
}

static uint64_t parse_number(struct scene *s, const char *word, char **end)
{
	uint64_t number = strtoull(word, end, 0);

	if (*end == word)
		fail_msg("%s:%d: %s: \"%s\" is no number", s->file, s->line, s->step, word);
	return number;
}

uint64_t scene_number(struct scene *s, char **rest)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = { { "", 1 }, { "ms", 1000000 }, { "s", 1000000000 }, { "h", 3600000000000 } };
	const char *word = scene_word(rest);
	uint64_t number;
	char *end;
	size_t i;

	if (!*word)
		return 0;
	number = parse_number(s, word, &end);
	for (i = 0; i < NTI_ARRAY_SIZE(units); i++)
		if (strcmp(end, units[i].name) == 0)
			return number * units[i].ns;
	fail_msg("%s:%d: %s: \"%s\" is no number", s->file, s->line, s->step, word);
	return 0;
}

static void must(struct scene *s, const char *what, int ret)
{
	if (ret < 0)
		fail_msg("%s:%d: %s: %s: %s", s->file, s->line, s->step, what,
			 ntime_error_text(s->ctx));
}

void scene_is(struct scene *s, const char *what, long long got, long long want)
{
	char text[640];

	snprintf(text, sizeof(text), "\"%s\": %s", s->step, what);
	tt_eq_(got, want, text, s->file, s->line);
}

void scene_has(struct scene *s, const char *what, const char *text, const char *part)
{
	char label[640];

	snprintf(label, sizeof(label), "\"%s\": %s", s->step, what);
	if (*part)
		tt_has_(text, part, label, s->file, s->line);
	else
		tt_str_(text, "", label, s->file, s->line);
}

/* ---- sessions ---- */

struct ntime_item scene_item(struct scene *s, size_t i)
{
	struct ntime_item item = { .size = sizeof(item) };

	SCENE_IS(s, ntime_session_item(scene_session(s), i, &item), 0);
	return item;
}

/* The next word is @key, or begins with it where it ends with '='; then it is taken. */
static bool take(char **rest, const char *key, char **value)
{
	size_t n = strlen(key), word = strcspn(*rest, " ");

	if (strncmp(*rest, key, n) != 0 || (key[n - 1] != '=' && word != n))
		return false;
	*value = scene_word(rest) + n;
	return true;
}

static uint32_t via_of(struct scene *s, const char *name)
{
	uint32_t via;

	for (via = 0; ntime_via_name(via); via++)
		if (strcmp(ntime_via_name(via), name) == 0)
			return via;
	fail_msg("%s:%d: %s is no access method", s->file, s->line, name);
	return 0;
}

/*
 * open [cpus=LIST|thread] [via=METHOD] [by_pass|pass=NUMBER] [by_call] [second|other] [unopened]
 * [error=NAME] EVENTS: a session on the machine; beside the first one, or of another program. It
 * fails with @error. "unopened" leaves the opening to "start".
 */
SCENE_STEP(open)
{
	struct ntime_target target = { .size = sizeof(target), .kind = NTIME_TARGET_MACHINE };
	struct ntime_ctx *ctx = s->ctx;
	bool is_opened = true;
	char *value;
	int ret, want = 0;

	for (;;) {
		if (take(&rest, "cpus=", &value)) {
			target.kind = NTIME_TARGET_CPUS;
			target.cpus = value;
		} else if (take(&rest, "thread", &value)) {
			target.kind = NTIME_TARGET_THREAD;
		} else if (take(&rest, "via=", &value)) {
			target.via = via_of(s, value);
		} else if (take(&rest, "by_pass", &value)) {
			target.flags |= NTIME_BY_PASS;
		} else if (take(&rest, "pass=", &value)) {
			target.flags |= NTIME_PASS_ALONE;
			target.pass = (uint32_t)parse_number(s, value, &value);
		} else if (take(&rest, "by_call", &value)) {
			target.flags |= NTIME_READ_BY_CALL;
		} else if (take(&rest, "second", &value)) {
			s->current = 1;
		} else if (take(&rest, "other", &value)) {
			s->current = 1;
			ctx = s->other;
		} else if (take(&rest, "unopened", &value)) {
			is_opened = false;
		} else if (take(&rest, "error=", &value)) {
			want = scene_error(s, value);
		} else {
			break;
		}
	}
	SCENE_IS(s, scene_session(s) != NULL, 0);
	ret = ntime_session_new(ctx, &target, &s->sessions[s->current]);
	if (ret == 0)
		ret = ntime_session_add_list(scene_session(s), rest);
	if (ret == 0 && is_opened)
		ret = ntime_session_open(scene_session(s));
	if (want == 0)
		must(s, "open", ret);
	SCENE_IS(s, ret, want);
}

/* machine FILE: a recorded one, or one made up; another one than before. */
SCENE_STEP(machine)
{
	const struct ntime_options options = { .size = sizeof(options), .machine = rest };

	ntime_close(s->ctx);
	SCENE_IS(s, ntime_open(&s->ctx, &options), 0);
}

void scene_close(struct scene *s)
{
	ntime_close(s->ctx);
}

/* free: the second one, else the first one. */
SCENE_STEP(free)
{
	ntime_session_free(scene_session(s));
	s->sessions[s->current] = NULL;
	s->current = 0;
}

/* first: the steps that follow are about the first one, beside which the second one stays. */
SCENE_STEP(first)
{
	s->current = 0;
}

/* start [ERROR] */
SCENE_STEP(start)
{
	int ret = ntime_session_start(scene_session(s));

	if (!*rest)
		must(s, "start", ret);
	SCENE_IS(s, ret, scene_error(s, rest));
}

/* stop [ERROR] */
SCENE_STEP(stop)
{
	SCENE_IS(s, ntime_session_stop(scene_session(s)), scene_error(s, rest));
}

/* next_pass [ERROR] */
SCENE_STEP(next_pass)
{
	int ret = ntime_session_next_pass(scene_session(s));

	SCENE_IS(s, ret < 0 ? ret : 0, scene_error(s, rest));
}

/* COUNT[=VALUE[:ABOUT]][/FLAG[+FLAG]]; COUNT '-': anything, '+': not 0; VALUE "nan" or a number. */
static void check_value(struct scene *s, const struct ntime_value *v, char *word)
{
	char *flags = strchr(word, '/'), *value = strchr(word, '=');
	uint32_t wanted = 0;

	if (flags) {
		*flags++ = '\0';
		for (flags = strtok(flags, "+"); flags; flags = strtok(NULL, "+"))
			wanted |= number_of(s, flag_names, NTI_ARRAY_SIZE(flag_names), flags);
	}
	if (value)
		*value++ = '\0';
	if (*word == '+')
		SCENE_IS(s, v->count > 0, 1);
	else if (*word != '-')
		SCENE_IS(s, v->count, parse_number(s, word, &word));
	SCENE_IS(s, v->flags, wanted);
	/* Nothing was extrapolated where nothing says so. */
	if (!wanted)
		SCENE_IS(s, v->wanted_ns, v->counted_ns);
	if (value && strcmp(value, "nan") == 0) {
		SCENE_IS(s, isnan(v->value), 1);
	} else if (value) {
		/* strtod() would take the locale's point. */
		char *about = strchr(value, ':');
		double number, most = 0;

		if (about)
			*about++ = '\0';
		SCENE_IS(s, nti_text_parse_real(value, &number), 0);
		SCENE_IS(s, about ? nti_text_parse_real(about, &most) : 0, 0);
		SCENE_IS(s, fabs(v->value - number) <= most, 1);
	}
}

static void check_values(struct scene *s, const struct ntime_value *v, char *rest)
{
	size_t i, items = ntime_session_count(scene_session(s));
	char *word;

	for (i = 0; *(word = scene_word(&rest)); i++) {
		SCENE_IS(s, i < items, 1);
		check_value(s, &v[i], word);
	}
}

/* read VALUES: of the first items, in order; of the whole target. */
SCENE_STEP(read)
{
	size_t items = ntime_session_count(scene_session(s));

	SCENE_IS(s, items <= SCENE_CELLS, 1);
	must(s, "read", ntime_session_read(scene_session(s), s->v, items));
	check_values(s, s->v, rest);
}

/* rows [NUMBER]: every CPU's or thread's values are read; there are so many. */
SCENE_STEP(rows)
{
	size_t items = ntime_session_count(scene_session(s)),
	       rows = ntime_session_where_count(scene_session(s));

	SCENE_IS(s, !n[0] || rows == n[0], 1);
	SCENE_IS(s, items * rows <= SCENE_CELLS, 1);
	must(s, "rows", ntime_session_read_where(scene_session(s), s->v, items, rows));
}

/* row NUMBER VALUES: what was read by "rows" */
SCENE_STEP(row)
{
	SCENE_IS(s, n[0] < ntime_session_where_count(scene_session(s)), 1);
	check_values(s, s->v + n[0] * ntime_session_count(scene_session(s)), rest);
}

/* has_flag ITEM FLAG: of the last reading, whatever else it says */
SCENE_STEP(has_flag)
{
	uint32_t flag = number_of(s, flag_names, NTI_ARRAY_SIZE(flag_names), rest);

	SCENE_IS(s, s->v[n[0]].flags & flag, flag);
}

/* fails ERROR [TEXT]: reading does. */
SCENE_STEP(fails)
{
	int want = scene_error(s, scene_word(&rest));

	SCENE_IS(s,
		 ntime_session_read(scene_session(s), s->v, ntime_session_count(scene_session(s))),
		 want);
	if (*rest)
		scene_has(s, "error", ntime_error_text(s->ctx), rest);
}

SCENE_STEP(error)
{
	scene_has(s, "error", ntime_error_text(s->ctx), rest);
}

/* reason ITEM [TEXT], and likewise: without text there must be none */
SCENE_STEP(reason)
{
	scene_has(s, "reason", scene_item(s, n[0]).reason, rest);
}

SCENE_STEP(remedy)
{
	scene_has(s, "remedy", scene_item(s, n[0]).remedy, rest);
}

SCENE_STEP(method)
{
	tt_str_(scene_item(s, n[0]).method, rest, "method", s->file, s->line);
}

SCENE_STEP(passes)
{
	SCENE_IS(s, ntime_session_passes(scene_session(s)), n[0]);
}

/* interval ABOVE [BELOW]: the longest time between readings is within them. */
SCENE_STEP(interval)
{
	uint64_t ns = ntime_session_max_read_interval_ns(scene_session(s));

	SCENE_IS(s, ns > n[0] && (!n[1] || ns < n[1]), 1);
}

/* ---- the machine ---- */

SCENE_STEP(pause)
{
	*s->now_ns += n[0];
}

/* NAME[.AT[.INDEX]] */
static void *find_field(struct scene *s, const char *name, size_t *bytes)
{
	const struct scene_field *field = s->machine->fields;
	size_t length = strcspn(name, ".");
	char *end = (char *)name + length;
	size_t at = *end ? strtoull(end + 1, &end, 0) : 0;
	size_t index = *end ? strtoull(end + 1, &end, 0) : 0;

	for (; field && field->name; field++) {
		if (strlen(field->name) != length || strncmp(field->name, name, length) != 0)
			continue;
		*bytes = field->bytes;
		return (char *)field->at + at * field->outer + index * field->inner;
	}
	fail_msg("%s:%d: there is no %s", s->file, s->line, name);
	return NULL;
}

static uint64_t get_field(struct scene *s, const char *name)
{
	size_t bytes;
	void *at = find_field(s, name, &bytes);

	return bytes == 8 ? *(uint64_t *)at : bytes == 4 ? *(uint32_t *)at : *(uint8_t *)at;
}

static void set_field(struct scene *s, const char *name, uint64_t value)
{
	size_t bytes;
	void *at = find_field(s, name, &bytes);

	if (bytes == 8)
		*(uint64_t *)at = value;
	else if (bytes == 4)
		*(uint32_t *)at = (uint32_t)value;
	else
		*(uint8_t *)at = (uint8_t)value;
}

/* set FIELD [NUMBER], where none is 1; peek FIELD NUMBER */
SCENE_STEP(set)
{
	const char *name = scene_word(&rest);

	set_field(s, name, *rest ? scene_number(s, &rest) : 1);
}

SCENE_STEP(peek)
{
	const char *name = scene_word(&rest);

	SCENE_IS(s, get_field(s, name), scene_number(s, &rest));
}

/* his FIELD NUMBER [TIMES]: with TIMES all of FIELD.0 and so on */
SCENE_STEP(his)
{
	const char *name = scene_word(&rest);
	uint64_t value = scene_number(s, &rest), times = scene_number(s, &rest), i;

	for (i = 0; i < times || i == 0; i++) {
		struct scene_his *his = &s->his[s->his_count++];

		SCENE_IS(s, s->his_count <= NTI_ARRAY_SIZE(s->his), 1);
		snprintf(his->name, sizeof(his->name), times ? "%s.%d" : "%s", name, (int)i);
		his->before = get_field(s, his->name);
		his->value = value;
		set_field(s, his->name, value);
	}
}

/* ---- steps ---- */

static void do_steps(struct scene *s, char *text);

/* repeat TIMES STEP | STEP ... */
SCENE_STEP(repeat)
{
	char text[1024];
	uint64_t i;
	char *bar;

	SCENE_IS(s, strlen(rest) < sizeof(text), 1);
	for (i = 0; i < n[0]; i++) {
		strcpy(text, rest);
		while ((bar = strchr(text, '|')))
			*bar = ';';
		do_steps(s, text);
	}
}

static const struct scene_verb verbs[] = {
	{ "error", 0, step_error },	  { "fails", 0, step_fails },
	{ "first", 0, step_first },	  { "free", 0, step_free },
	{ "has_flag", 1, step_has_flag }, { "his", 0, step_his },
	{ "interval", 2, step_interval }, { "machine", 0, step_machine },
	{ "method", 1, step_method },	  { "next_pass", 0, step_next_pass },
	{ "open", 0, step_open },	  { "passes", 1, step_passes },
	{ "pause", 1, step_pause },	  { "peek", 0, step_peek },
	{ "read", 0, step_read },	  { "reason", 1, step_reason },
	{ "remedy", 1, step_remedy },	  { "repeat", 1, step_repeat },
	{ "row", 1, step_row },		  { "rows", 1, step_rows },
	{ "set", 0, step_set },		  { "start", 0, step_start },
	{ "stop", 0, step_stop },	  { NULL, 0, NULL },
};

static bool do_step(struct scene *s, const struct scene_verb *verb, const char *word, char *rest)
{
	uint64_t n[4] = { 0 };
	unsigned int i;

	while (verb->name && strcmp(verb->name, word) != 0)
		verb++;
	if (!verb->name)
		return false;
	for (i = 0; i < verb->numbers; i++)
		n[i] = scene_number(s, &rest);
	verb->fn(s, n, rest);
	return true;
}

static void do_steps(struct scene *s, char *text)
{
	char *end, *word;

	for (; *text; text = end) {
		text += strspn(text, " ");
		end = text + strcspn(text, ";");
		if (*end)
			*end++ = '\0';
		snprintf(s->step, sizeof(s->step), "%s", text);
		word = scene_word(&text);
		if (!do_step(s, s->machine->verbs, word, text) && !do_step(s, verbs, word, text))
			fail_msg("%s:%d: there is no verb \"%s\"", s->file, s->line, word);
	}
}

void scene_do(struct scene *s, const char *file, int line, const char *format, ...)
{
	char text[4096];
	va_list args;
	int n;

	s->file = file;
	s->line = line;
	va_start(args, format);
	n = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	assert_in_range(n, 0, sizeof(text) - 1);
	do_steps(s, text);
}

/* ---- programs ---- */

void scene_begin(struct scene *s, const struct scene_machine *machine)
{
	memset(s, 0, sizeof(*s));
	s->machine = machine;
	if (machine->init)
		machine->init(s);
}

void scene_end(struct scene *s)
{
	ntime_session_free(s->sessions[1]);
	ntime_session_free(s->sessions[0]);
	snprintf(s->step, sizeof(s->step), "the end");
	while (s->his_count--) {
		const struct scene_his *his = &s->his[s->his_count];

		scene_is(s, his->name, (long long)get_field(s, his->name), (long long)his->value);
		set_field(s, his->name, his->before);
	}
	s->machine->fini(s);
}

static const struct scene_machine *run_machine;
static const char *run_file;

static void run_row(void **state)
{
	const struct scenario *row = *state;
	struct scene s;

	scene_begin(&s, run_machine);
	scene_do(&s, run_file, row->line, "%s", row->steps);
	scene_end(&s);
}

int scene_run(const struct scene_machine *machine, const char *file, const struct scenario *rows,
	      size_t n, const struct CMUnitTest *functions, size_t function_count)
{
	struct CMUnitTest *tests = calloc(n + function_count, sizeof(*tests));
	size_t i;
	int ret;

	assert_non_null(tests);
	run_machine = machine;
	run_file = file;
	for (i = 0; i < n; i++)
		tests[i] = (struct CMUnitTest){ .name = rows[i].name,
						.test_func = run_row,
						.initial_state = (void *)&rows[i] };
	memcpy(tests + n, functions, function_count * sizeof(*functions));
	ret = _cmocka_run_group_tests("scenarios", tests, n + function_count, NULL, NULL);
	free(tests);
	return ret ? 1 : 0;
}
