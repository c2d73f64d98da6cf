// SPDX-License-Identifier: MIT
/*
 * Text of a formula into its program: recursive descent, one token ahead; metric.h has the grammar.
 */
#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "count/lib/metric/formula.h"
#include "base/common/grow.h"
#include "base/common/text.h"

enum token_kind {
	TOKEN_END,
	TOKEN_NUMBER,
	TOKEN_NAME,   /* may be one of the words min, max, wanted_ns, real_ns, cpus */
	TOKEN_QUOTED, /* never a word */
	TOKEN_SIGN,   /* one of + - * / ( ) , */
};

struct token {
	enum token_kind kind;
	size_t at;	  /* offset in the text, quote included */
	const char *name; /* TOKEN_NAME, TOKEN_QUOTED: without quotes */
	size_t bytes;	  /* of .name */
	double number;	  /* TOKEN_NUMBER */
	char sign;	  /* TOKEN_SIGN */
	/* blank before and after it; the begin and the end of the text count as blank */
	bool is_blank_left;
	bool is_blank_right;
};

struct parser {
	const char *text;
	size_t at; /* first character behind .token */
	struct token token;
	char last_sign; /* operator before .token, 0 when that was an operand */
	unsigned int depth;
	struct nti_op *op;
	size_t ops;
	char *event[NTI_METRIC_MAX_EVENTS];
	size_t events;
	struct nti_error *e;
};

/* Characters, without the locale: the same text means the same everywhere. */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_printable(char c)
{
	return c >= ' ' && c <= '~';
}

/* Does the character at @s go on with a name that began before it? */
static bool is_name_part(const char *s)
{
	if (is_letter(*s) || is_digit(*s) || *s == '.' || *s == ':')
		return true;
	return *s == '-' && (is_letter(s[1]) || is_digit(s[1]));
}

/* Sentences: where, in which text, what. */

#define SHOWN_BYTES 200 /* of the text; the column is always in the part shown */

/* The text around @at with dots for what is left out and '?' for what a terminal should not get. */
static void show_text(char *out, size_t bytes, const char *text, size_t at)
{
	size_t len = strlen(text), first = 0, n = 0, i;

	assert(bytes > SHOWN_BYTES + strlen("......"));
	if (len > SHOWN_BYTES && at > SHOWN_BYTES / 2) {
		first = at - SHOWN_BYTES / 2;
		(void)snprintf(out, bytes, "...");
		n = strlen(out);
	}
	for (i = first; text[i] && i - first < SHOWN_BYTES; i++)
		out[n++] = is_printable(text[i]) ? text[i] : '?';
	(void)snprintf(out + n, bytes - n, "%s", text[i] ? "..." : "");
}

NTI_PRINTF(4, 5)
static int fail(struct parser *p, int code, size_t at, const char *format, ...)
{
	char what[512], shown[SHOWN_BYTES + 16];
	va_list args;

	va_start(args, format);
	(void)nti_text_vprint(what, sizeof(what), format, args);
	va_end(args);
	show_text(shown, sizeof(shown), p->text, at);
	return nti_error(p->e, code, "column %zu of the formula '%s': %s", at + 1, shown, what);
}

static void describe(const struct token *t, char *out, size_t bytes)
{
	int shown = t->bytes > 60 ? 60 : (int)t->bytes;

	if (t->kind == TOKEN_END)
		(void)snprintf(out, bytes, "the end");
	else if (t->kind == TOKEN_NUMBER)
		(void)snprintf(out, bytes, "the number %.*s%s", shown, t->name,
			       (size_t)shown < t->bytes ? "..." : "");
	else if (t->kind == TOKEN_SIGN)
		(void)snprintf(out, bytes, "'%c'", t->sign);
	else
		(void)snprintf(out, bytes, "the name %.*s%s", shown, t->name,
			       (size_t)shown < t->bytes ? "..." : "");
}

/* What people write most often in vain is an event with slashes in it; say how that is written. */
static int fail_expected(struct parser *p, const char *expected)
{
	bool is_slash =
		p->last_sign == '/' || (p->token.kind == TOKEN_SIGN && p->token.sign == '/');
	char found[80];

	describe(&p->token, found, sizeof(found));
	return fail(p, -EINVAL, p->token.at, "expected %s, found %s%s", expected, found,
		    is_slash ? " (an event that has a '/' in its name stands in 'quotes')" : "");
}

/* Tokens */

/*
 * Numbers are made of an integer below 2^53 and a power of ten up to 10^22, both exact in a double,
 * so one operation rounds once and right, and no locale has a say in it as it has in strtod().
 * (Clinger, "How to read floating point numbers accurately", 1990.)
 */
static const double powers_of_ten[] = { 1e0,  1e1,  1e2,  1e3,	1e4,  1e5,  1e6,  1e7,
					1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
					1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
#define POWER_MAX ((int)NTI_ARRAY_SIZE(powers_of_ten) - 1)
#define DIGITS_MAX 15

struct decimal {
	uint64_t digits; /* significant ones, trailing zeros left out */
	int count;	 /* of them */
	int zeros;	 /* seen behind them */
	int power;	 /* of ten */
};

static void decimal_add(struct decimal *d, char c)
{
	if (c == '0') {
		d->zeros += d->count ? 1 : 0;
		return;
	}
	d->count += d->zeros + 1;
	for (; d->zeros && d->count <= DIGITS_MAX; d->zeros--)
		d->digits *= 10;
	if (d->count <= DIGITS_MAX)
		d->digits = d->digits * 10 + (uint64_t)(c - '0');
	d->zeros = 0;
}

/* "e-9"; leaves *s alone when no digit follows, so that the letter is reported as what it is. */
static void decimal_exponent(struct decimal *d, const char **s)
{
	const char *c = *s;
	int sign = 1, power = 0;

	if (*c != 'e' && *c != 'E')
		return;
	c++;
	if (*c == '+' || *c == '-')
		sign = *c++ == '-' ? -1 : 1;
	if (!is_digit(*c))
		return;
	for (; is_digit(*c); c++)
		power = power > 9999 ? power : power * 10 + (*c - '0');
	d->power += sign * power;
	*s = c;
}

static int lex_number(struct parser *p)
{
	const char *begin = p->text + p->at, *s = begin;
	struct decimal d = { 0 };

	for (; is_digit(*s); s++)
		decimal_add(&d, *s);
	if (*s == '.' && is_digit(s[1])) {
		for (s++; is_digit(*s); s++) {
			decimal_add(&d, *s);
			d.power--;
		}
	}
	decimal_exponent(&d, &s);
	if (is_letter(*s) || *s == ':' || *s == '.')
		return fail(p, -EINVAL, p->at,
			    "a number runs into '%c' (an event that begins with a digit stands in "
			    "'quotes')",
			    *s);
	d.power += d.zeros;
	if (d.count > DIGITS_MAX)
		return fail(p, -EINVAL, p->at, "a number has at most %d significant digits",
			    DIGITS_MAX);
	if (d.count && (d.power > POWER_MAX || d.power < -POWER_MAX))
		return fail(p, -EINVAL, p->at, "a number lies between 1e-%d and 1e%d", POWER_MAX,
			    POWER_MAX);
	p->token.kind = TOKEN_NUMBER;
	p->token.name = begin;
	p->token.bytes = (size_t)(s - begin);
	if (!d.count)
		p->token.number = 0;
	else if (d.power < 0)
		p->token.number = (double)d.digits / powers_of_ten[-d.power];
	else
		p->token.number = (double)d.digits * powers_of_ten[d.power];
	p->at += p->token.bytes;
	return 0;
}

static void lex_name(struct parser *p)
{
	p->token.kind = TOKEN_NAME;
	p->token.name = p->text + p->at;
	while (is_name_part(p->text + p->at))
		p->at++;
	p->token.bytes = (size_t)(p->text + p->at - p->token.name);
}

static int lex_quoted(struct parser *p)
{
	char quote = p->text[p->at];
	const char *s = p->text + p->at + 1;

	p->token.kind = TOKEN_QUOTED;
	p->token.name = s;
	while (is_printable(*s) && *s != quote)
		s++;
	if (!*s)
		return fail(p, -EINVAL, p->token.at, "the quote that begins here has no end");
	if (*s != quote)
		return fail(p, -EINVAL, (size_t)(s - p->text),
			    "a name has only printable ASCII characters, found the byte 0x%02x",
			    (unsigned int)(unsigned char)*s);
	p->token.bytes = (size_t)(s - p->token.name);
	if (!p->token.bytes)
		return fail(p, -EINVAL, p->token.at, "the name between the quotes is empty");
	p->at = (size_t)(s - p->text) + 1;
	return 0;
}

static int lex_other(struct parser *p, char c)
{
	if (!c) {
		p->token.kind = TOKEN_END;
		return 0;
	}
	if (strchr("+-*/(),", c)) {
		p->token.kind = TOKEN_SIGN;
		p->token.sign = c;
		p->at++;
		return 0;
	}
	if (!is_printable(c))
		return fail(p, -EINVAL, p->at, "the byte 0x%02x has no meaning here",
			    (unsigned int)(unsigned char)c);
	return fail(
		p, -EINVAL, p->at,
		"'%c' has no meaning here (an event that has it in its name stands in 'quotes')",
		c);
}

static int next(struct parser *p)
{
	char c;
	int ret = 0;

	p->last_sign = p->token.kind == TOKEN_SIGN ? p->token.sign : 0;
	while (is_blank(p->text[p->at]))
		p->at++;
	c = p->text[p->at];
	p->token = (struct token){ .at = p->at };
	p->token.is_blank_left = !p->at || is_blank(p->text[p->at - 1]);
	if (is_letter(c))
		lex_name(p);
	else if (is_digit(c) || (c == '.' && is_digit(p->text[p->at + 1])))
		ret = lex_number(p);
	else if (c == '\'' || c == '"')
		ret = lex_quoted(p);
	else
		ret = lex_other(p, c);
	p->token.is_blank_right = !p->text[p->at] || is_blank(p->text[p->at]);
	return ret;
}

static bool is_sign(const struct parser *p, char sign)
{
	return p->token.kind == TOKEN_SIGN && p->token.sign == sign;
}

static bool is_word(const struct parser *p, const char *word)
{
	return p->token.kind == TOKEN_NAME && strlen(word) == p->token.bytes &&
	       memcmp(p->token.name, word, p->token.bytes) == 0;
}

/* The program */

static int emit(struct parser *p, struct nti_op op)
{
	if (!nti_grow(&p->op, p->ops))
		return nti_error(p->e, -ENOMEM, "memory is short for a formula");
	p->op[p->ops++] = op;
	return 0;
}

static int emit_kind(struct parser *p, enum nti_op_kind kind)
{
	return emit(p, (struct nti_op){ .kind = kind });
}

/* @kind speaks of the event that @t names. */
static int emit_event(struct parser *p, enum nti_op_kind kind, const struct token *t)
{
	size_t i;

	for (i = 0; i < p->events; i++)
		if (strlen(p->event[i]) == t->bytes && memcmp(p->event[i], t->name, t->bytes) == 0)
			return emit(p, (struct nti_op){ .kind = kind, .event = (uint32_t)i });
	if (p->events == NTI_METRIC_MAX_EVENTS)
		return fail(p, -E2BIG, t->at, "a formula uses at most %d different events",
			    NTI_METRIC_MAX_EVENTS);
	p->event[i] = strndup(t->name, t->bytes);
	if (!p->event[i])
		return nti_error(p->e, -ENOMEM, "memory is short for a formula");
	p->events++;
	return emit(p, (struct nti_op){ .kind = kind, .event = (uint32_t)i });
}

/* The grammar. Each function begins at its first token and ends at the first one behind it. */

static int parse_sum(struct parser *p);
static int parse_factor(struct parser *p);

static int enter(struct parser *p)
{
	if (p->depth == NTI_METRIC_MAX_DEPTH)
		return fail(p, -E2BIG, p->token.at, "a formula is nested at most %d deep",
			    NTI_METRIC_MAX_DEPTH);
	p->depth++;
	return next(p);
}

static int leave(struct parser *p, char sign, const char *expected)
{
	if (!is_sign(p, sign))
		return fail_expected(p, expected);
	p->depth--;
	return next(p);
}

/* "(" behind the word that is the token. */
static int enter_call(struct parser *p, const char *expected)
{
	int ret = next(p);

	if (ret < 0)
		return ret;
	return is_sign(p, '(') ? enter(p) : fail_expected(p, expected);
}

static int parse_negation(struct parser *p)
{
	int ret = enter(p);

	if (ret == 0)
		ret = parse_factor(p);
	if (ret < 0)
		return ret;
	p->depth--;
	return emit_kind(p, NTI_OP_NEGATE);
}

static int parse_parentheses(struct parser *p)
{
	int ret = enter(p);

	if (ret == 0)
		ret = parse_sum(p);
	return ret < 0 ? ret : leave(p, ')', "an operator or ')'");
}

static int parse_choice(struct parser *p, enum nti_op_kind kind)
{
	int ret = enter_call(p, "'(' after min or max");

	if (ret == 0)
		ret = parse_sum(p);
	if (ret == 0 && !is_sign(p, ','))
		ret = fail_expected(p, "an operator or ',' (min and max take two arguments)");
	if (ret == 0)
		ret = next(p);
	if (ret == 0)
		ret = parse_sum(p);
	if (ret == 0)
		ret = leave(p, ')', "an operator or ')' (min and max take two arguments)");
	return ret < 0 ? ret : emit_kind(p, kind);
}

/* wanted_ns(EVENT) */
static int parse_time(struct parser *p)
{
	int ret = enter_call(p, "'(' after wanted_ns");

	if (ret == 0 && p->token.kind != TOKEN_NAME && p->token.kind != TOKEN_QUOTED)
		ret = fail_expected(p, "an event");
	if (ret == 0)
		ret = emit_event(p, NTI_OP_WANTED_NS, &p->token);
	if (ret == 0)
		ret = next(p);
	return ret < 0 ? ret : leave(p, ')', "')' after the event");
}

static int parse_operand(struct parser *p)
{
	struct token t = p->token;
	int ret;

	if (t.kind == TOKEN_NUMBER)
		ret = emit(p, (struct nti_op){ .kind = NTI_OP_NUMBER, .number = t.number });
	else if (is_word(p, "real_ns"))
		ret = emit_kind(p, NTI_OP_REAL_NS);
	else if (is_word(p, "cpus"))
		ret = emit_kind(p, NTI_OP_CPUS);
	else
		ret = emit_event(p, NTI_OP_EVENT, &t);
	return ret < 0 ? ret : next(p);
}

static int parse_factor(struct parser *p)
{
	if (is_sign(p, '-'))
		return parse_negation(p);
	if (is_sign(p, '('))
		return parse_parentheses(p);
	if (p->token.kind == TOKEN_SIGN || p->token.kind == TOKEN_END)
		return fail_expected(p, "a number, an event, '-' or '('");
	if (is_word(p, "min"))
		return parse_choice(p, NTI_OP_MIN);
	if (is_word(p, "max"))
		return parse_choice(p, NTI_OP_MAX);
	if (is_word(p, "wanted_ns"))
		return parse_time(p);
	return parse_operand(p);
}

static int parse_product(struct parser *p)
{
	int ret = parse_factor(p);

	while (ret == 0 && (is_sign(p, '*') || is_sign(p, '/'))) {
		enum nti_op_kind kind = is_sign(p, '*') ? NTI_OP_MULTIPLY : NTI_OP_DIVIDE;

		ret = next(p);
		if (ret == 0)
			ret = parse_factor(p);
		if (ret == 0)
			ret = emit_kind(p, kind);
	}
	return ret;
}

static int parse_sum(struct parser *p)
{
	int ret = parse_product(p);

	while (ret == 0 && (is_sign(p, '+') || is_sign(p, '-'))) {
		enum nti_op_kind kind = is_sign(p, '+') ? NTI_OP_ADD : NTI_OP_SUBTRACT;

		if (kind == NTI_OP_SUBTRACT && !(p->token.is_blank_left && p->token.is_blank_right))
			return fail(p, -EINVAL, p->token.at,
				    "a '-' that subtracts needs a blank on both sides");
		ret = next(p);
		if (ret == 0)
			ret = parse_product(p);
		if (ret == 0)
			ret = emit_kind(p, kind);
	}
	return ret;
}

static int parse_formula(struct parser *p)
{
	int ret;

	if (strlen(p->text) > NTI_METRIC_MAX_FORMULA_BYTES)
		return nti_error(p->e, -E2BIG, "a formula has at most %d bytes, this one %zu",
				 NTI_METRIC_MAX_FORMULA_BYTES, strlen(p->text));
	ret = next(p);
	if (ret < 0)
		return ret;
	ret = parse_sum(p);
	if (ret < 0)
		return ret;
	return p->token.kind == TOKEN_END ? 0 : fail_expected(p, "an operator or the end");
}

/* What the parser has made becomes a formula's. -ENOMEM: it is the parser's still. */
static int keep(struct parser *p, struct nti_formula **out)
{
	struct nti_formula *f = calloc(1, sizeof(*f));
	const char **event = calloc(p->events + 1, sizeof(*event));
	char *text = strdup(p->text);

	if (!f || !event || !text) {
		free(f);
		free(event);
		free(text);
		return nti_error(p->e, -ENOMEM, "memory is short for a formula");
	}
	memcpy(event, p->event, p->events * sizeof(*event));
	*f = (struct nti_formula){
		.text = text, .op = p->op, .ops = p->ops, .event = event, .events = p->events
	};
	*out = f;
	return 0;
}

int nti_formula_parse(const char *text, struct nti_formula **out, struct nti_error *e)
{
	struct parser p = { .text = text, .e = e };
	size_t i;
	int ret;

	*out = NULL;
	ret = parse_formula(&p);
	if (ret == 0)
		ret = keep(&p, out);
	if (ret == 0)
		/* NOLINTNEXTLINE(clang-analyzer-unix.Malloc) the formula has the operators now */
		return 0;
	for (i = 0; i < p.events; i++)
		free(p.event[i]);
	free(p.op);
	return ret;
}

/*
 * Formulas that were parsed own what constant ones share with nobody; so the members are const, and
 * cast here alone.
 */
static void drop(const void *memory)
{
	free((void *)(uintptr_t)memory);
}

void nti_formula_free(struct nti_formula *f)
{
	size_t i;

	if (!f)
		return;
	for (i = 0; i < f->events; i++)
		drop(f->event[i]);
	drop(f->event);
	drop(f->op);
	drop(f->text);
	free(f);
}

const char *nti_formula_text(const struct nti_formula *f)
{
	return f->text;
}

size_t nti_formula_count(const struct nti_formula *f)
{
	return f->events;
}

const char *nti_formula_event(const struct nti_formula *f, size_t i)
{
	return i < f->events ? f->event[i] : NULL;
}
