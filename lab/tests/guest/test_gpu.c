// SPDX-License-Identifier: MIT
/*
 * Inside the guest x86-gpu, as root: graphics cards on the bus. What the host plays on a card is
 * what is counted, event by event and chip by chip; who may not count, what misbehaves and what was
 * killed is told; and all registers are as they were found.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ntime/ntime.h>

#include "lab/tests/guest/card.h"

#define EVENTS 64

/* ---- counting ---- */

struct rig {
	struct ntime_ctx *ctx;
	struct ntime_session *s;
};

static void good(const struct rig *r, int ret, const char *what)
{
	if (ret < 0)
		fail_msg("%s: %s (%s)", what, strerror(-ret),
			 r->ctx ? ntime_error_text(r->ctx) : "");
}

static void start(struct rig *r, const char *events)
{
	const struct ntime_target target = { .size = sizeof(target), .kind = NTIME_TARGET_MACHINE };

	good(r, ntime_session_new(r->ctx, &target, &r->s), "session");
	good(r, ntime_session_add_list(r->s, events), events);
	good(r, ntime_session_open(r->s), "open");
	good(r, ntime_session_start(r->s), "start");
}

static struct rig begin(const char *events)
{
	struct rig r = { 0 };

	good(&r, ntime_open(&r.ctx, NULL), "context");
	start(&r, events);
	return r;
}

static struct ntime_value get(const struct rig *r)
{
	struct ntime_value value[4];
	size_t n = ntime_session_count(r->s);

	assert_true(n <= 4);
	good(r, ntime_session_read(r->s, value, n), "read");
	return value[0];
}

static void end(struct rig *r)
{
	ntime_session_free(r->s);
	ntime_close(r->ctx);
}

struct list {
	const char *unit;
	char name[EVENTS][96];
	size_t n;
};

static int note(void *arg, const struct ntime_event_info *e)
{
	struct list *l = arg;

	/* Clocks are no event of a scene: those of accesses count as well. */
	if (strcmp(e->unit, l->unit) == 0 && e->usable && !strstr(e->name, "cycles_") &&
	    l->n < EVENTS)
		snprintf(l->name[l->n++], sizeof(l->name[0]), "%s", e->name);
	return 0;
}

/* What is made of several passes: the same frames in each. */
static void count_by_passes(const char *event, const char *name, const char *card)
{
	char line[256], value[64];

	snprintf(line, sizeof(line), "ntime stat --passes --json -e %s -- /lab/host play %s 2",
		 event, card);
	host_tell("play %s 2", card);
	snprintf(value, sizeof(value), "\"value\": %llu,", (unsigned long long)truth(card, name));
	lab_must(line, 0, value);
}

/* Every event of @unit, which is @card of the host; how many there are. */
static size_t count_all(const char *unit, const char *card)
{
	struct list l = { .unit = unit };
	struct rig r = { 0 };

	good(&r, ntime_open(&r.ctx, NULL), "context");
	good(&r, ntime_event_for_each(r.ctx, NULL, note, &l), "events");
	for (size_t i = 0; i < l.n; i++) {
		/* "gpu0/gpu_idle/" */
		char name[96];
		struct ntime_value v;

		snprintf(name, sizeof(name), "%s", strchr(l.name[i], '/') + 1);
		name[strcspn(name, "/")] = '\0';
		start(&r, l.name[i]);
		if (ntime_session_passes(r.s) > 1) {
			ntime_session_free(r.s);
			count_by_passes(l.name[i], name, card);
			continue;
		}
		host_tell("play %s 2", card);
		v = get(&r);
		if (v.count != truth(card, name) || v.flags & ~NTIME_PARTIAL)
			fail_msg("%s counts %llu, flags %#x; true is %llu", l.name[i],
				 (unsigned long long)v.count, v.flags,
				 (unsigned long long)truth(card, name));
		ntime_session_free(r.s);
	}
	ntime_close(r.ctx);
	return l.n;
}

/* ---- tests ---- */

TEST(card_is_found_and_counted)
{
	char out[LAB_OUTPUT];
	volatile uint32_t *bar = map(CARD);
	uint64_t found = sum(bar);

	TT_IS(lab_shell("ntime list --units", out), 0);
	TT_HAS(out, "gpu0");
	TT_HAS(out, "GT218");
	/* A recording has it, and counts nothing. */
	lab_must("ntime doctor --record /tmp/card && ntime list --units --machine /tmp/card", 0,
		 "graphics card (GT218)");
	assert_true(count_all("gpu0", "card") > 20);
	TT_IS(sum(bar), found);
	munmap((void *)(uintptr_t)bar, BAR_BYTES);
}

/* In a process of its own: libpciaccess looks at the bus once. */
static int count_plugged(const char *card)
{
	volatile uint32_t *bar = map(PLUGGED);
	uint64_t found = sum(bar);
	size_t n = count_all("gpu1", card);

	if (n < 20 || sum(bar) != found)
		fail_msg("%s: %zu events, and registers that differ: %d", card, n,
			 sum(bar) != found);
	return 0;
}

TEST(every_event_of_every_chip)
{
	char line[64];

	for (size_t i = 0; i < sizeof(chips) / sizeof(chips[0]); i++) {
		plug(chips[i]);
		/* Nobody has switched its memory on, and ntime says how. */
		lab_must("ntime list --units --json | grep -A9 gpu1", 0,
			 "echo 1 >/sys/bus/pci/devices/" PLUGGED "/enable");
		lab_set_file(FUNCTIONS PLUGGED "/enable", "1");
		snprintf(line, sizeof(line), "/proc/%d/exe %s", (int)getpid(), chips[i]);
		lab_must(line, 0, "");
		unplug(chips[i]);
	}
}

TEST(what_is_no_such_card_is_told)
{
	static const struct {
		const char *card, *said;
	} rows[] = {
		{ "other", "BOOT_0" },
		{ "small", "64 KiB" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		plug(rows[i].card);
		/* What has too little memory is not looked at. */
		if (i == 0)
			lab_set_file(FUNCTIONS PLUGGED "/enable", "1");
		lab_must("ntime doctor", 1, rows[i].said);
		unplug(rows[i].card);
	}
}

TEST(who_may_not_and_who_comes_second)
{
	struct rig r = begin("gpu0/gpu_idle/");

	lab_must("ntime -e gpu0/gpu_idle/ -a true", 0, "is in use by");
	lab_must("su nobody -s /bin/sh -c 'ntime -e gpu0/gpu_idle/ -a true'", 0, "root");
	end(&r);
	lab_must("ntime -e gpu0/gpu_idle/ -a /lab/host play card 2", 0, "gpu_idle");
}

TEST(another_program_s_trigger_makes_a_lower_bound)
{
	struct rig r = begin("gpu0/gpu_idle/");
	volatile uint32_t *bar = map(CARD);
	struct ntime_value v;

	host_tell("play card 1");
	/* As nvacounter reads them: with a trigger of its own. */
	bar[DEBUG_1 / 4] = bar[DEBUG_1 / 4] | TRIGGER;
	v = get(&r);
	TT_IS(v.flags & NTIME_OVERFLOWED, NTIME_OVERFLOWED);
	assert_true(v.count <= truth("card", "gpu_idle"));
	end(&r);
	munmap((void *)(uintptr_t)bar, BAR_BYTES);
}

TEST(thousand_opens_leave_nothing)
{
	struct rig r = { 0 };
	volatile uint32_t *bar = map(CARD);
	uint64_t found = sum(bar);

	good(&r, ntime_open(&r.ctx, NULL), "context");
	for (int i = 0; i < 1000; i++) {
		start(&r, i % 2 ? "gpu0/gpu_idle/" : "gpu0/rop_busy/");
		ntime_session_free(r.s);
	}
	ntime_close(r.ctx);
	TT_IS(sum(bar), found);
	munmap((void *)(uintptr_t)bar, BAR_BYTES);
}

TEST(killed_in_mid_count_is_told_and_switched_off)
{
	volatile uint32_t *bar = map(CARD);
	int go[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe(go), 0);
	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		(void)begin("gpu0/rop_busy/,gpu0/rop_waits_for_fb/");
		(void)!write(go[1], "x", 1);
		pause();
	}
	assert_int_equal(read(go[0], &byte, 1), 1);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	lab_must("ntime -e gpu0/gpu_idle/ -a true", 0, "ntime doctor --repair");
	lab_must("ntime doctor --repair --yes", 0, "PROP.PM_MUX");
	/* The multiplexers lead nothing out any more. */
	TT_IS(bar[0x408750 / 4] >> 31, 0);
	TT_IS(bar[0x407008 / 4] >> 31, 0);
	lab_must("ntime -e gpu0/rop_busy/ -a /lab/host play card 2", 0, "rop_busy");
	munmap((void *)(uintptr_t)bar, BAR_BYTES);
	close(go[0]);
	close(go[1]);
}

static void lose(const char *request, const char *again)
{
	struct rig r = begin("gpu0/gpu_idle/");
	struct ntime_value v;

	host_tell("play card 2");
	(void)get(&r);
	host_tell("%s", request);
	if (!again)
		wait_for(CARD, false);
	v = (struct ntime_value){ 0 };
	/* The only counter: reading fails; beside others it would be told as gone. */
	TT_IS(ntime_session_read(r.s, &v, 1) < 0, 1);
	TT_HAS(ntime_error_text(r.ctx), again ? "all ones" : "gone");
	if (again)
		host_tell("%s", again);
	end(&r);
}

TEST(card_that_goes_away)
{
	lose("inject card ones", "inject card nothing");
	lab_must("ntime doctor --repair --yes", 0, "");
	lose("unplug card", NULL);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(card_is_found_and_counted),
		cmocka_unit_test(every_event_of_every_chip),
		cmocka_unit_test(what_is_no_such_card_is_told),
		cmocka_unit_test(who_may_not_and_who_comes_second),
		cmocka_unit_test(another_program_s_trigger_makes_a_lower_bound),
		cmocka_unit_test(thousand_opens_leave_nothing),
		cmocka_unit_test(killed_in_mid_count_is_told_and_switched_off),
		cmocka_unit_test(card_that_goes_away),
	};

	if (access("/lab/host", X_OK) != 0)
		return tt_skip_all("runs inside a guest of the lab: ntime lab run x86-gpu");
	if (geteuid() != 0)
		return tt_skip_all("needs root for the registers of a card");
	return argc > 1 ? count_plugged(argv[1]) : TT_RUN(tests);
}
