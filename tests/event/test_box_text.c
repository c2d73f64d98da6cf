// SPDX-License-Identifier: MIT
/* lib/event/box_text.h: files of data/events and their lint. */
#include <errno.h>

#include "lib/event/box_text.h"
#include "tests/tt.h"

#define HEAD                                                                                       \
	"kind a_box\npmu a\nterm event config:0-7,32-35\nterm umask config:8-15\n"                 \
	"term extra config1:0-63\nsource A book\n"
#define EVENT(name, terms) "\nevent " name "\nterms " terms "\nabout It happens.\nsource A book\n"

static int parse(const char *text, struct nti_box_text *out, struct nti_error *e)
{
	return nti_box_text_parse("x.events", text, strlen(text), out, e);
}

TEST(whole_file)
{
	static const char text[] =
		"# comment\n\nkind a_box  b_box\npmu a\nterm event config:0-7,32-35\n"
		"# inside\nterm umask\tconfig:8-15\nsource A book, p. 7\n\n \t\n"
		"event first-one\n  terms event=0x107,umask=0x12  \nscale 6.103515625e-5\nunit "
		"MiB\n"
		"about It happens.\nsource A book\n\n"
		"event second\nterms event=3\nscale energy\nunit Joules\nabout It costs.\nsource "
		"A\n\n"
		"event third\nterms event=4\nunit C\nstate min\nabout It is cold.\nsource A\n\n"
		"event fourth\nterms event=5\nstate max\nabout It is hot.\nsource A\n\n"
		"kind c_box\npmu c\nterm event config:0-63\nsource B";
	struct nti_box_text t = { 0 };
	struct nti_error e = { 0 };
	const struct nti_box_event *event;

	if (parse(text, &t, &e) < 0)
		fail_msg("%s", e.text);
	TT_IS(t.families, 3);
	TT_TEXT(t.family[0].kind, "a_box");
	TT_TEXT(t.family[1].kind, "b_box");
	assert_ptr_equal(t.family[0].event, t.family[1].event);
	TT_TEXT(t.family[1].unit, "a");
	TT_IS(t.family[0].terms, 2);
	TT_TEXT(t.family[0].term[1].name, "umask");
	TT_TEXT(t.family[0].term[1].format, "config:8-15");
	TT_IS(t.family[0].events, 4);
	event = t.family[0].event;
	TT_TEXT(event[0].name, "first-one");
	TT_TEXT(event[0].terms, "event=0x107,umask=0x12");
	TT_IS(event[0].config, 0x100001207ull);
	assert_true(event[0].scale == 64.0 / (1 << 20));
	TT_TEXT(event[0].unit, "MiB");
	TT_TEXT(event[0].about, "It happens.");
	TT_TEXT(event[0].source, "A book");
	TT_IS(event[0].is_state, 0);
	assert_true(event[1].scale == 0);
	TT_TEXT(event[1].unit, "Joules");
	TT_IS(event[2].is_state, 1);
	TT_IS(event[2].together, NTI_MIN);
	assert_true(event[2].scale == 1);
	TT_TEXT(event[3].unit, "");
	TT_IS(event[3].together, NTI_MAX);
	TT_TEXT(t.family[2].kind, "c_box");
	TT_IS(t.family[2].events, 0);
	nti_box_text_fini(&t);
	TT_IS(t.families, 0);
}

TEST(nothing)
{
	static const char *const texts[] = { "", "\n", "# only a comment", "\n \t \n#\n\n" };
	struct nti_box_text t = { 0 };
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		TT_IS(parse(texts[i], &t, NULL), 0);
	TT_IS(t.families, 0);
	nti_box_text_fini(&t);
}

/* A second file adds to what the first one had. */
TEST(files_add_up)
{
	struct nti_box_text t = { 0 };
	struct nti_error e = { 0 };

	TT_IS(parse(HEAD EVENT("one", "event=1"), &t, NULL), 0);
	TT_IS(parse("kind b_box\npmu b\nterm t config:0\nsource s\n", &t, NULL), 0);
	TT_IS(t.families, 2);
	TT_IS(parse("kind a_box\n", &t, &e), -EINVAL);
	TT_TEXT(e.text, "x.events:1: there is a kind a_box already");
	nti_box_text_fini(&t);
}

static const struct lint_row {
	int line;
	const char *text, *error;
} lint_rows[] = {
	/* order of the keys */
	{ __LINE__, "event x\n", "x.events:1: a file begins with 'kind'" },
	{ __LINE__, "pmu x\n", "x.events:1: an entry begins with 'kind' or 'event', not 'pmu'" },
	{ __LINE__, "kind k\nterm t config:0\n",
	  "x.events:2: 'kind' is followed by 'pmu', not 'term'" },
	{ __LINE__, "kind k\npmu p\nsource s\n",
	  "x.events:3: 'pmu' is followed by 'term', not 'source'" },
	{ __LINE__, HEAD "\nevent e\nscale 2\n",
	  "x.events:9: 'event' is followed by 'terms' or 'absent', not 'scale'" },
	{ __LINE__, HEAD "\nevent e\nterms event=1\nscale 2\nabout A.\n",
	  "x.events:11: 'scale' is followed by 'unit', not 'about'" },
	{ __LINE__, HEAD "\nevent e\nterms event=1\nabout A.\nunit x\n",
	  "x.events:11: 'about' is followed by 'source', not 'unit'" },
	{ __LINE__, HEAD "event e\n",
	  "x.events:7: 'source' is followed by a blank line, not 'event'" },
	{ __LINE__, HEAD "\nevent e\nterms event=1\n",
	  "x.events:9: the entry of e ends too early: 'terms' is followed by 'more', "
	  "'scale', 'unit', 'state' or 'about'" },
	{ __LINE__, HEAD "\nevent e\nabsent nobody knows it\nabout A.\n",
	  "x.events:10: 'absent' is followed by 'remedy', not 'about'" },
	{ __LINE__, HEAD "\nevent e\nabsent nobody knows it\nremedy count f\nscale 2\n",
	  "x.events:11: 'remedy' is followed by 'about', not 'scale'" },
	{ __LINE__, HEAD "\nevent e\nterms event=1\nmore event=2 mask=3\n",
	  "x.events:10: there is no term 'mask' of config" },
	{ __LINE__, "kind k\npmu p\n\nkind l\n",
	  "x.events:2: the entry of k ends too early: 'pmu' is followed by 'term'" },
	{ __LINE__, "kinds k\n",
	  "x.events:1: there is no key 'kinds'; the keys are kind, pmu, term, event, terms, "
	  "more, absent, remedy, scale, unit, state, about and source" },
	{ __LINE__, "kind\n", "x.events:1: 'kind' has no value" },
	/* names */
	{ __LINE__, "kind Box\n", "x.events:1: 'Box' is no name of a kind" },
	{ __LINE__, "kind k k\n", "x.events:1: there is a kind k already" },
	{ __LINE__, "kind k\npmu a/b\n", "x.events:2: 'a/b' is no name of a PMU" },
	{ __LINE__, "kind k\npmu p\nterm 8 config:0\n", "x.events:3: '8' is no name of a term" },
	{ __LINE__, HEAD "\nevent e.scale\n", "x.events:8: 'e.scale' is no name of an event" },
	{ __LINE__, HEAD "\nevent umask\n", "x.events:8: umask is the name of a term" },
	{ __LINE__, HEAD EVENT("e", "event=1") "\nevent e\n",
	  "x.events:13: there is an event e already" },
	/* terms */
	{ __LINE__, "kind k\npmu p\nterm t\n",
	  "x.events:3: '' are no bits of a term, as in config:8-15" },
	{ __LINE__, "kind k\npmu p\nterm t config:8-70\n",
	  "x.events:3: 'config:8-70' are no bits of a term, as in config:8-15" },
	{ __LINE__, "kind k\npmu p\nterm t config9:1\n",
	  "x.events:3: 'config9:1' are no bits of a term, as in config:8-15" },
	{ __LINE__, "kind k\npmu p\nterm t config:0\nterm t config:1\n",
	  "x.events:4: there is a term t already" },
	{ __LINE__, HEAD "\nevent e\nterms event=1,mask=2\n",
	  "x.events:9: there is no term 'mask' of config" },
	{ __LINE__, HEAD "\nevent e\nterms event=1,extra=2\n",
	  "x.events:9: there is no term 'extra' of config" },
	{ __LINE__, HEAD "\nevent e\nterms event\n",
	  "x.events:9: term event needs a number, as in event=0x04" },
	{ __LINE__, HEAD "\nevent e\nterms event=x\n",
	  "x.events:9: term event needs a number, as in event=0x04" },
	{ __LINE__, HEAD "\nevent e\nterms event=0x1000\n",
	  "x.events:9: event=0x1000 does not fit into config:0-7,32-35" },
	{ __LINE__, HEAD EVENT("e", "event=1") "\nevent f\nterms umask=0,event=0x1\n",
	  "x.events:14: f has the same encoding as e" },
	/* values */
	{ __LINE__, HEAD "\nevent e\nterms event=1\nscale -1\n",
	  "x.events:10: '-1' is neither a positive number nor 'energy'" },
	{ __LINE__, HEAD "\nevent e\nterms event=1\nscale inf\n",
	  "x.events:10: 'inf' is neither a positive number nor 'energy'" },
	{ __LINE__, HEAD "\nevent e\nterms event=1\nscale 1,5\n",
	  "x.events:10: '1,5' is neither a positive number nor 'energy'" },
	{ __LINE__, HEAD "\nevent e\nterms event=1\nstate sum\n",
	  "x.events:10: a state is 'max' or 'min' of several places, not 'sum'" },
	{ __LINE__, HEAD "\nevent e\nterms event=1\nabout No stop\n",
	  "x.events:10: 'about' is a sentence and ends with a full stop" },
	{ __LINE__, "# \xc3\xa4\n",
	  "x.events:1: the byte 0xc3 in column 3 is not printable ASCII" },
	{ __LINE__, "kind k\x01\n",
	  "x.events:1: the byte 0x01 in column 7 is not printable ASCII" },
};

TEST(lint)
{
	TT_FOR_EACH_ROW(r, lint_rows) {
		struct nti_box_text t = { 0 };
		struct nti_error e = { 0 };

		TT_EQ(r, parse(r->text, &t, &e), -EINVAL);
		TT_STR(r, e.text, r->error);
		nti_box_text_fini(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_file),
		cmocka_unit_test(nothing),
		cmocka_unit_test(files_add_up),
		cmocka_unit_test(lint),
	};

	return TT_RUN(tests);
}
