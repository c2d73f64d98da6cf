// SPDX-License-Identifier: MIT
/*
 * Ranges in keys: "/sys/devices/uncore_cha_{0-27}/type" with the text "{n+37}" stands for 28 files.
 *
 *     range      = "{" number [ "-" number ] { "," number [ "-" number ] } "}"      in a key; at
 *                most three of them: n, m, k
 *     expression = "{" sum [ ":x" ] "}"                                             in the text
 *     and, with letters, in a key
 *     sum        = product { ("+" | "-") product }
 *     product    = value { ("*" | "/" | "%") value }
 *     value      = decimal number | "n" | "m" | "k"
 *
 * "{{" and "}}" are the characters themselves, in every key, and in a text whose key has a range.
 * Other texts are not touched, so that recordings need no escapes.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/common/text.h"
#include "base/os/replay/machine.h"

#define MAX_RANGES 3
#define MAX_NUMBER 1000000 /* no machine has as many of anything */

struct expansion {
	int64_t value[MAX_RANGES];
	unsigned int ranges; /* set so far */
	unsigned int left;   /* combinations that may still come */
	int (*fn)(void *arg, const char *key, const char *text);
	void *arg;
	const char **why;
};

static int wrong(struct expansion *x, const char *why)
{
	*x->why = why;
	return -EINVAL;
}

static int parse_value(struct expansion *x, const char **p, int64_t *out)
{
	static const char names[MAX_RANGES] = { 'n', 'm', 'k' };
	unsigned int i;

	for (i = 0; i < MAX_RANGES; i++) {
		if (**p != names[i])
			continue;
		if (i >= x->ranges)
			return wrong(x, "uses n, m or k without a range for it in the key");
		*out = x->value[i];
		(*p)++;
		return 0;
	}
	if (!isdigit((unsigned char)**p))
		return wrong(
			x, "has braces without an expression of n, m, k and numbers between them");
	for (*out = 0; isdigit((unsigned char)**p); (*p)++) {
		*out = *out * 10 + (**p - '0');
		if (*out > MAX_NUMBER)
			return wrong(x, "has a number above 1000000 in braces");
	}
	return 0;
}

static int parse_product(struct expansion *x, const char **p, int64_t *out)
{
	int64_t right;
	int ret = parse_value(x, p, out);

	while (!ret && **p && strchr("*/%", **p)) {
		char op = *(*p)++;

		ret = parse_value(x, p, &right);
		if (ret)
			return ret;
		if (op != '*' && right == 0)
			return wrong(x, "divides by zero in braces");
		if (op == '*')
			*out *= right;
		else
			*out = op == '/' ? *out / right : *out % right;
		if (*out > INT64_C(1) << 40)
			return wrong(x, "computes a number that is too large in braces");
	}
	return ret;
}

static int parse_sum(struct expansion *x, const char **p, int64_t *out)
{
	int64_t right;
	int ret = parse_product(x, p, out);

	while (!ret && (**p == '+' || **p == '-')) {
		bool is_minus = *(*p)++ == '-';

		ret = parse_product(x, p, &right);
		if (ret)
			return ret;
		*out += is_minus ? -right : right;
		if (*out > INT64_C(1) << 40)
			return wrong(x, "computes a number that is too large in braces");
	}
	return ret;
}

/* *@p stands behind "{"; moves behind "}". */
static int replace_expression(struct expansion *x, const char **p, FILE *out)
{
	int64_t number;
	bool is_hex = false;
	int ret = parse_sum(x, p, &number);

	if (ret)
		return ret;
	if (strncmp(*p, ":x", 2) == 0) {
		is_hex = true;
		*p += 2;
	}
	if (**p != '}')
		return wrong(x, "has braces with something that is no expression between them");
	(*p)++;
	if (number < 0)
		return wrong(x, "computes a number below zero in braces");
	(void)fprintf(out, is_hex ? "%" PRIx64 : "%" PRId64, (uint64_t)number);
	return 0;
}

/* Copy @p to @out with its expressions replaced. */
static int replace(struct expansion *x, const char *p, FILE *out)
{
	int ret;

	while (*p) {
		if ((p[0] == '{' && p[1] == '{') || (p[0] == '}' && p[1] == '}')) {
			(void)fputc(*p, out);
			p += 2;
		} else if (*p == '{') {
			p++;
			ret = replace_expression(x, &p, out);
			if (ret)
				return ret;
		} else if (*p == '}') {
			return wrong(x, "has a closing brace without an opening one (a brace "
					"itself is written twice)");
		} else {
			(void)fputc(*p++, out);
		}
	}
	return 0;
}

/* Close a stream of memory. fclose(3) of glibc succeeds and leaves NULL where that cannot grow. */
static bool is_whole(FILE *f, char *const *text)
{
	bool failed = ferror(f);

	return !fclose(f) && !failed && *text;
}

static int replaced(struct expansion *x, const char *text, char **out)
{
	size_t size;
	FILE *f = open_memstream(out, &size);
	int ret;

	if (!f)
		return -ENOMEM;
	ret = replace(x, text, f);
	if (!is_whole(f, out) && !ret)
		ret = -ENOMEM;
	if (ret) {
		free(*out);
		*out = NULL;
	}
	return ret;
}

/* Where the next "{" that begins a range stands, NULL when there is none. */
static const char *find_range(const char *key)
{
	for (; *key; key++) {
		if (key[0] == '{' && key[1] == '{')
			key++;
		else if (key[0] == '{' && isdigit((unsigned char)key[1]))
			return key;
	}
	return NULL;
}

static int emit(struct expansion *x, const char *key, const char *text)
{
	char *new_key, *new_text = NULL;
	int ret;

	if (!x->left)
		return -E2BIG;
	x->left--;
	ret = replaced(x, key, &new_key);
	if (ret)
		return ret;
	if (x->ranges && text) {
		ret = replaced(x, text, &new_text);
		if (ret)
			goto out;
	}
	ret = x->fn(x->arg, new_key, new_text ? new_text : text);
	free(new_text);
out:
	free(new_key);
	return ret;
}

struct number_arg {
	struct expansion *x;
	const char *head;
	int head_bytes;
	const char *tail;
	const char *text;
};

static int expand_first(struct expansion *x, const char *key, const char *text);

/* One number of a range: write it into the key and go on with the next range. */
static int expand_number(void *arg, unsigned int number)
{
	struct number_arg *a = arg;
	char *key;
	int ret;

	if (!a->x->left)
		return -E2BIG;
	key = nti_text_format("%.*s%u%s", a->head_bytes, a->head, number, a->tail);
	if (!key)
		return -ENOMEM;
	a->x->value[a->x->ranges++] = number;
	ret = expand_first(a->x, key, a->text);
	a->x->ranges--;
	free(key);
	return ret;
}

static int expand_first(struct expansion *x, const char *key, const char *text)
{
	const char *open = find_range(key), *close;
	struct number_arg a = { .x = x, .head = key, .text = text };
	char *list;
	int ret;

	if (!open)
		return emit(x, key, text);
	close = strchr(open, '}');
	if (!close)
		return wrong(x, "has a range without its closing brace");
	if (x->ranges == MAX_RANGES)
		return wrong(x, "has more than three ranges");
	a.head_bytes = (int)(open - key);
	a.tail = close + 1;
	list = strndup(open + 1, (size_t)(close - open - 1));
	if (!list)
		return -ENOMEM;
	if (strspn(list, "0123456789,-") != strlen(list))
		ret = wrong(x, "has a range that is not like {0-27} or {0,2,4-6}");
	else
		ret = nti_text_for_each_in_list(list, MAX_NUMBER, expand_number, &a);
	free(list);
	if ((ret == -EINVAL || ret == -ERANGE) && !*x->why)
		return wrong(x, "has a range that is not like {0-27} or {0,2,4-6}");
	return ret;
}

int nti_expand(const char *key, const char *text, unsigned int max,
	       int (*fn)(void *arg, const char *key, const char *text), void *arg, const char **why)
{
	struct expansion x = { .left = max, .fn = fn, .arg = arg, .why = why };

	*why = NULL;
	return expand_first(&x, key, text);
}

char *nti_expand_escape(const char *text)
{
	char *out;
	size_t size;
	FILE *f = open_memstream(&out, &size);

	if (!f)
		return NULL;
	for (; *text; text++) {
		(void)fputc(*text, f);
		if (*text == '{' || *text == '}')
			(void)fputc(*text, f);
	}
	if (is_whole(f, &out))
		return out;
	free(out);
	return NULL;
}
