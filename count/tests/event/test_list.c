// SPDX-License-Identifier: MIT
/* nti_event_list_split(): commas, braces, slashes. */
#include <errno.h>

#include "count/lib/event/event.h"
#include "base/tests/tt.h"

static const struct split_row {
	int line;
	const char *list;
	int ret;
	const char *seen; /* "group:text;" */
	const char *error;
} split_rows[] = {
	{ __LINE__, "a", 0, "0:a;", NULL },
	{ __LINE__, "a,b", 0, "0:a;0:b;", NULL },
	{ __LINE__, " a , b ", 0, "0:a;0:b;", NULL },
	{ __LINE__, "a,{b,c}:u,d/x,y=1/", 0, "0:a;1:b:u;1:c:u;0:d/x,y=1/;", NULL },
	{ __LINE__, "{a,b},{c}", 0, "1:a;1:b;2:c;", NULL },
	{ __LINE__, "{ a , b }:uk , c", 0, "1:a:uk;1:b:uk;0:c;", NULL },
	{ __LINE__, "{cpu/event=1,umask=2/,d:k}:u", 0, "1:cpu/event=1,umask=2/:u;1:d:k:u;", NULL },
	{ __LINE__, "skx::A:B:c=1,b", 0, "0:skx::A:B:c=1;0:b;", NULL },
	{ __LINE__, "IPC=instructions/cycles,a", 0, "0:IPC=instructions/cycles;0:a;", NULL },
	{ __LINE__, "m=max(a,b)/c,d", 0, "0:m=max(a,b)/c;0:d;", NULL },
	{ __LINE__, "", -EINVAL, "", "an event is missing" },
	{ __LINE__, ",", -EINVAL, "", "an event is missing" },
	{ __LINE__, "a,", -EINVAL, "0:a;", "an event is missing" },
	{ __LINE__, "a,,b", -EINVAL, "0:a;", "an event is missing" },
	{ __LINE__, "{}", -EINVAL, "", "an event is missing" },
	{ __LINE__, "{a,}", -EINVAL, "1:a;", "an event is missing" },
	{ __LINE__, "{a", -EINVAL, "", "a group { is not closed by }" },
	{ __LINE__, "{a,{b}}", -EINVAL, "", "groups cannot be nested" },
	{ __LINE__, "{a,b{c}}", -EINVAL, "", "groups cannot be nested" },
	{ __LINE__, "a}", -EINVAL, "", "a } without {" },
	{ __LINE__, "a{b}", -EINVAL, "", "a { in the middle" },
	{ __LINE__, "{a}b", -EINVAL, "", "expected a comma" },
	{ __LINE__, "{a}:", -EINVAL, "", "modifiers are missing" },
	{ __LINE__, "{a}:u/", -EINVAL, "", "expected a comma" },
	{ __LINE__, "cpu/event=1", -EINVAL, "", "the / that ends the terms" },
	{ __LINE__, "a,cpu/event=1,b", -EINVAL, "0:a;", "the / that ends the terms" },
};

static int append(void *arg, const char *text, unsigned int group)
{
	sprintf((char *)arg + strlen(arg), "%u:%s;", group, text);
	return 0;
}

TEST(splits)
{
	TT_FOR_EACH_ROW(r, split_rows) {
		struct nti_error e = { 0 };
		char seen[512] = "";

		TT_EQ(r, nti_event_list_split(r->list, append, seen, &e), r->ret);
		TT_STR(r, seen, r->seen);
		if (r->error)
			TT_HAS(e.text, r->error);
	}
}

static int stop(void *arg, const char *text, unsigned int group)
{
	(void)group;
	return strcmp(text, arg) == 0 ? 7 : 0;
}

TEST(stops)
{
	TT_IS(nti_event_list_split("a,b,c,,", stop, "b", NULL), 7);
	TT_IS(nti_event_list_split("{a,b},c", stop, "b", NULL), 7);
	TT_IS(nti_event_list_split("{a,b}:u,c", stop, "a:u", NULL), 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(splits),
		cmocka_unit_test(stops),
	};

	return TT_RUN(tests);
}
