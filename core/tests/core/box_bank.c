// SPDX-License-Identifier: MIT
/* Boxes over a bank. */
#include "core/tests/core/box_bank.h"
#include "core/tests/core/script.h"
#include "base/tests/tt.h"

const struct nthw_box_kind *kind_of(const char *name)
{
	const struct nthw_box_kind *kind = nthw_box_kind(name);

	if (!kind)
		fail_msg("no kind %s", name);
	return kind;
}

struct nthw_box box_of(struct bank *bank, const char *name, uint32_t number)
{
	const struct nthw_box_kind *kind = kind_of(name);

	bank_init(bank, &kind->table, 1);
	return (struct nthw_box){
		.kind = kind, .io = &bank->io, .unit = CPU, .number = number, .is_guarded = false
	};
}

struct nthw_box_event event_of(const struct nthw_box *box, uint64_t config, uint64_t config1)
{
	struct nthw_box_event event;

	TT_IS(nthw_box_encode(box->kind, config, config1, &event), 0);
	return event;
}

int program(const struct nthw_box *box, uint32_t counter, uint64_t config, uint64_t config1,
	    struct nthw_box_state *state)
{
	struct nthw_box_event event = event_of(box, config, config1);

	return nthw_box_program(box, counter, &event, state);
}

struct bank *copy_of(const struct bank *bank)
{
	struct bank *copy = malloc(sizeof(*copy));

	assert_non_null(copy);
	*copy = *bank;
	return copy;
}

/* ---- scenarios ---- */

struct scene {
	struct bank bank, before; /* as at the first call that is not "set" */
	struct bank kept;	  /* as at the last "remember" */
	struct nthw_box box;
	struct nthw_box_state st;
	bool has_begun;
};

static void forget_log(void *on)
{
	bank_forget(&((struct scene *)on)->bank);
}

static bool is_of_memory(struct scene *s, const struct script_call *call)
{
	bool is_remember = script_is(call, "remember"), is_found = script_is(call, "found");

	if (!s->has_begun && !script_is(call, "set")) {
		s->before = s->bank;
		s->has_begun = true;
	}
	if (is_remember)
		s->kept = s->bank;
	if (is_found)
		bank_is_as_found(&s->bank, &s->kept, NULL, 0);
	return is_remember || is_found;
}

static int call_restore(struct scene *s)
{
	int ret = nthw_box_restore(&s->box, &s->st);

	if (ret)
		return ret;
	TT_IS(s->st.counters, 0);
	bank_is_as_found(&s->bank, &s->before, NULL, 0);
	return 0;
}

static int call_any(void *on, struct script_call *call)
{
	struct scene *s = on;
	uint64_t *arg = call->arg;

	if (is_of_memory(s, call) || bank_is_set(&s->bank, &s->before, call))
		return 0;
	if (script_is(call, "restore"))
		return call_restore(s);
	if (script_is(call, "program"))
		return program(&s->box, (uint32_t)arg[0], arg[1], arg[2], &s->st);
	if (script_is(call, "start"))
		return nthw_box_start(&s->box, arg[0], &s->st);
	if (script_is(call, "stop"))
		return nthw_box_stop(&s->box, arg[0], &s->st);
	if (script_is(call, "release"))
		return nthw_box_release(&s->box, arg[0], &s->st);
	if (script_is(call, "check"))
		return nthw_box_check(&s->box, arg[0], &s->st, &call->value);
	if (script_is(call, "discover"))
		return nthw_box_discover(&s->box, &call->value);
	if (script_is(call, "find_free"))
		return nthw_box_find_free(&s->box, arg[0], &call->value);
	if (script_is(call, "overflows"))
		return nthw_box_overflows(&s->box, arg[0], &call->value);
	assert_string_equal(call->name, "read");
	return nthw_box_read(&s->box, (uint32_t)arg[0], &call->value);
}

void box_play(const struct box_row *r)
{
	struct scene s = { .has_begun = false };
	const struct script_variable variables[] = {
		{ "counters", NULL, &s.st.counters },
		{ "fail_at", &s.bank.fail_at, NULL },
		{ NULL, NULL, NULL },
	};
	struct script script = { &s, s.bank.log, forget_log, call_any, variables };

	s.box = box_of(&s.bank, r->kind, r->number);
	script_play(&script, r->line, r->text);
}
