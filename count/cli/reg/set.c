// SPDX-License-Identifier: MIT
/* ntime reg set and hammer: write registers, for good, for a while, or often. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <time.h>

#include <ntime/command.h>

#include "base/output/number.h"
#include "count/cli/reg/reg.h"
#include "base/output/say.h"
#include "base/command/signals.h"
#include "base/command/wait.h"
#include "base/output/memory.h"

/* One register to be written. */
struct target {
	const struct ntime_register_info *reg;
	struct ntime_register *open;
	uint64_t old, wanted, merged;
	bool has_old; /* reading it tells something */
};

struct setting {
	struct cli_reg *r;
	struct cli_registers list;
	struct target *t;
	uint32_t flags;
	bool has_value;
	uint64_t value;
	struct ntime_command *command;
	struct cli_undo undo;
	struct ntime_command_end end;
	sigset_t mask; /* before signals were blocked */
};

/* ---- what is meant ---- */

static int parse_value(struct setting *s)
{
	const char *text = s->r->n > 1 ? s->r->operand[1] : NULL;
	int ret;

	if (!text && !s->r->fields)
		return cli_say_misuse(s->r->self->name, "give a value, or fields with --field");
	if (!text)
		return 0;
	ret = cli_register_parse(text, &s->value);
	if (ret == -ERANGE)
		return cli_say_misuse(s->r->self->name, "'%s' has more than 64 bits", text);
	if (ret < 0)
		return cli_say_misuse(s->r->self->name, "'%s' is not a number such as 0x4300c0",
				      text);
	s->has_value = true;
	return 0;
}

/*
 * One name, and either CPUs were named or there is one register only: nobody writes more of them
 * than he knows.
 */
static int find_targets(struct setting *s)
{
	const char *name = s->r->operand[0], *cpus = s->r->cpus;
	const struct ntime_register_info *reg;
	int ret;

	if (cpus && strcmp(cpus, "all") == 0)
		s->r->cpus = NULL;
	ret = cli_registers_find(&s->list, s->r, name);
	if (ret)
		return ret;
	reg = s->list.reg;
	for (size_t i = 1; i < s->list.n; i++)
		if (strcmp(reg[i].name, reg[0].name) != 0) {
			cli_say("'%s' stands for several registers (%s, %s, ...): name one of them",
				name, reg[0].name, reg[i].name);
			return CLI_EXIT_FAILED;
		}
	if (s->list.n > 1 && (!cpus || reg->scope == NTIME_REGISTER_OF_DEVICE)) {
		cli_say("there are %zu registers '%s' (%s, %s, ...): %s", s->list.n, name,
			reg[0].path, reg[1].path,
			reg->scope == NTIME_REGISTER_OF_DEVICE
				? "name one of them"
				: "name the CPUs with -C LIST, or -C all");
		return CLI_EXIT_FAILED;
	}
	s->t = cli_calloc(s->list.n, sizeof(*s->t));
	for (size_t i = 0; i < s->list.n; i++)
		s->t[i].reg = &reg[i];
	return 0;
}

static bool find_field(const struct ntime_register_info *reg, const char *name, size_t chars,
		       struct ntime_register_field *out)
{
	for (uint32_t i = 0; cli_register_field(reg->table, reg->name, i, out); i++)
		if (strlen(out->name) == chars && strncasecmp(out->name, name, chars) == 0)
			return true;
	return false;
}

/* Put one "NAME=VALUE" of --field into @value. */
static int apply_field(const struct setting *s, const struct ntime_register_info *reg,
		       const char *text, uint64_t *value)
{
	const char *equals = strchr(text, '=');
	struct ntime_register_field field;
	uint64_t part;

	if (!equals || equals == text || cli_register_parse(equals + 1, &part))
		return cli_say_misuse(s->r->self->name,
				      "--field takes FIELD=VALUE with a number, not '%s'", text);
	if (!find_field(reg, text, (size_t)(equals - text), &field)) {
		cli_say("%s has no field '%.*s' (ntime reg ls -v %s lists its fields)", reg->name,
			(int)(equals - text), text, reg->name);
		return CLI_EXIT_FAILED;
	}
	if (field.width < 64 && part >> field.width) {
		cli_say("%s does not fit into field %s of %s, which has %u bit%s", equals + 1,
			field.name, reg->name, field.width, field.width == 1 ? "" : "s");
		return CLI_EXIT_FAILED;
	}
	*value = (*value & ~cli_field_mask(&field)) | part << field.shift;
	return 0;
}

/* ---- open, and know what will be written before anything is ---- */

/* Where the driver would let this user write, for as long as it takes. */
static void say_hint(const struct setting *s, const struct ntime_register_info *reg, int error)
{
	if ((s->flags & NTIME_REGISTER_KEEP) && !(s->flags & NTIME_REGISTER_FORCE) &&
	    reg->is_writable &&
	    (error == -EACCES || error == -EPERM || error == -ENOENT || error == -EOPNOTSUPP))
		cli_say("to set it temporarily, through ntime's driver: --hold, or -- COMMAND");
}

static int open_target(struct setting *s, struct target *t)
{
	int ret = ntime_register_open(s->r->ctx, t->reg, s->flags, &t->open);

	if (ret < 0) {
		cli_machine_say(s->r->ctx, ret);
		say_hint(s, t->reg, ret);
		return CLI_EXIT_FAILED;
	}
	ret = ntime_register_read(t->open, &t->old);
	if (ret < 0 && ret != -EOPNOTSUPP)
		return cli_machine_say(s->r->ctx, ret);
	t->has_old = ret == 0;
	t->wanted = s->has_value ? s->value : t->old;
	for (size_t i = 0; i < s->r->fields; i++) {
		ret = apply_field(s, t->reg, s->r->field[i], &t->wanted);
		if (ret)
			return ret;
	}
	ret = ntime_register_merge(t->open, t->wanted, &t->merged);
	return ret < 0 ? cli_machine_say(s->r->ctx, ret) : 0;
}

static int open_targets(struct setting *s)
{
	int ret = 0;

	if (s->r->is_forced)
		s->flags |= NTIME_REGISTER_FORCE;
	for (size_t i = 0; i < s->list.n && !ret; i++)
		ret = open_target(s, &s->t[i]);
	return ret;
}

/* The accesses, in their order. */
static void put_dry(const struct setting *s)
{
	for (size_t i = 0; i < s->list.n; i++) {
		const struct target *t = &s->t[i];
		const char *place = ntime_register_where(t->open);

		if (t->has_old)
			printf("read  %s: 0x%016llx\n", place, (unsigned long long)t->old);
		printf("write %s: 0x%016llx\n", place, (unsigned long long)t->merged);
	}
}

static void put_set(const struct target *t)
{
	uint64_t now;

	printf("%s %s: ", t->reg->path, t->reg->name);
	if (t->has_old)
		printf("0x%016llx -> ", (unsigned long long)t->old);
	printf("0x%016llx (%s)", (unsigned long long)t->merged, ntime_register_method(t->open));
	if (t->has_old && ntime_register_read(t->open, &now) == 0 && now != t->merged)
		printf(", reads 0x%016llx", (unsigned long long)now);
	putchar('\n');
}

static int write_targets(struct setting *s)
{
	if (s->r->is_forced)
		cli_say("forced: written through %s, without checking the bits",
			ntime_register_method(s->t[0].open));
	for (size_t i = 0; i < s->list.n; i++) {
		int ret = ntime_register_write(s->t[i].open, s->t[i].wanted);

		if (ret < 0)
			return cli_machine_say(s->r->ctx, ret);
		put_set(&s->t[i]);
	}
	return cli_say_stdout_end();
}

/* Give everything back; a register that keeps what was written is a failure. */
static int close_targets(struct setting *s)
{
	int status = 0;

	cli_undo_remove(&s->undo);
	for (size_t i = 0; s->t && i < s->list.n; i++) {
		int ret = ntime_register_close(s->t[i].open);

		if (ret < 0)
			status = cli_machine_say(s->r->ctx, ret);
		s->t[i].open = NULL;
	}
	free(s->t);
	s->t = NULL;
	cli_registers_fini(&s->list);
	return status;
}

/* Without memory: what was written goes back. Nothing is allocated while a command runs. */
static void undo(void *arg)
{
	struct setting *s = arg;

	for (size_t i = 0; s->t && i < s->list.n; i++)
		(void)ntime_register_close(s->t[i].open);
	ntime_command_free(s->command);
}

static void begin(struct setting *s)
{
	s->undo = (struct cli_undo){ .run = undo, .arg = s };
	cli_undo_add(&s->undo);
}

/* ---- for a while ---- */

static int wait_for_command(struct setting *s)
{
	int ret = ntime_command_start(s->command);

	if (ret < 0) {
		cli_machine_say(s->r->ctx, ret);
		return ret == -ENOENT ? CLI_EXIT_NOT_FOUND : CLI_EXIT_NOT_EXECUTABLE;
	}
	cli_signals_forward(ntime_command_pid(s->command));
	s->end.size = sizeof(s->end);
	do
		ret = ntime_command_wait(s->command, UINT64_MAX, &s->end);
	while (ret == -EINTR);
	cli_signals_forward(0);
	if (ret < 0)
		return cli_machine_say(s->r->ctx, ret);
	return WIFEXITED(s->end.status) ? WEXITSTATUS(s->end.status) : 0;
}

/*
 * Who waits must not be killed before the old value is back, so signals are caught from before the
 * first write.
 */
static int prepare(struct setting *s)
{
	int ret;

	if (s->r->holds && s->r->command)
		return cli_say_misuse(s->r->self->name, "--hold and a command cannot be combined");
	if (!s->r->holds && !s->r->command) {
		s->flags |= NTIME_REGISTER_KEEP;
		return 0;
	}
	if (s->r->is_dry)
		return 0;
	cli_signals_init();
	/*
	 * Forked before anything is open: a copy of a descriptor would keep the register written.
	 */
	ret = s->r->command ? ntime_command_new(s->r->ctx, s->r->command, &s->command) : 0;
	if (s->r->holds)
		cli_signals_block(&s->mask);
	return ret < 0 ? cli_machine_say(s->r->ctx, ret) : 0;
}

static int run_set(struct setting *s)
{
	int ret = write_targets(s);

	if (ret)
		return ret;
	if (s->r->holds) {
		cli_say("held until a signal ends this (Ctrl-C)");
		while (!cli_signals_stop())
			sigsuspend(&s->mask);
	}
	return s->command ? wait_for_command(s) : 0;
}

int cli_reg_set(struct cli_reg *r)
{
	struct setting s = { .r = r, .flags = NTIME_REGISTER_WRITE };
	int ret = parse_value(&s), closed;

	begin(&s);
	if (!ret)
		ret = find_targets(&s);
	if (!ret)
		ret = prepare(&s);
	if (!ret)
		ret = open_targets(&s);
	if (!ret && r->is_dry) {
		put_dry(&s);
		ret = cli_say_stdout_end();
	} else if (!ret) {
		ret = run_set(&s);
	}
	closed = close_targets(&s);
	ntime_command_free(s.command);
	if (r->holds && !r->is_dry)
		cli_signals_unblock(&s.mask);
	if (!ret && !closed && s.end.size && WIFSIGNALED(s.end.status))
		cli_signals_die(WTERMSIG(s.end.status));
	return ret ? ret : closed;
}

/* ---- hammer ---- */

struct pace {
	uint64_t times;
	double hz; /* 0: as fast as it goes */
};

static int parse_pace(const struct cli_reg *r, struct pace *p)
{
	char *end;

	if (!r->number)
		return cli_say_misuse(r->self->name, "give the number of writes with -n");
	if (cli_number_parse(r->number, 1, UINT64_MAX, &p->times))
		return cli_say_misuse(r->self->name, "-n takes a number from 1, not '%s'",
				      r->number);
	p->hz = r->rate ? strtod(r->rate, &end) : 0;
	if (r->rate && (end == r->rate || *end || !isfinite(p->hz) || p->hz < 1e-3 || p->hz > 1e6))
		return cli_say_misuse(
			r->self->name,
			"--rate takes writes per second from 0.001 to 1000000, not '%s'", r->rate);
	return 0;
}

/*
 * Write @n is due at its place in a row that begins with the first one, so that lateness does not
 * add up.
 */
static void sleep_until(uint64_t begin_ns, double hz, uint64_t n)
{
	uint64_t at_ns = begin_ns + (uint64_t)((double)n * 1e9 / hz);
	struct timespec at = { .tv_sec = (time_t)(at_ns / 1000000000u),
			       .tv_nsec = (long)(at_ns % 1000000000u) };

	while (!cli_signals_stop() &&
	       clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR)
		;
}

static int hammer(struct setting *s, const struct pace *p)
{
	uint64_t begin = cli_now_ns(), n;
	double seconds;
	int ret = 0;

	for (n = 0; n < p->times && !ret && !cli_signals_stop(); n++) {
		if (p->hz > 0 && n)
			sleep_until(begin, p->hz, n);
		for (size_t i = 0; i < s->list.n && !ret; i++)
			ret = ntime_register_write(s->t[i].open, s->t[i].wanted);
	}
	if (ret < 0)
		return cli_machine_say(s->r->ctx, ret);
	seconds = (double)(cli_now_ns() - begin) / 1e9;
	for (size_t i = 0; i < s->list.n; i++)
		printf("%s %s: %llu writes of 0x%llx in %.3f s (%s)\n", s->t[i].reg->path,
		       s->t[i].reg->name, (unsigned long long)n, (unsigned long long)s->t[i].merged,
		       seconds, ntime_register_method(s->t[i].open));
	return cli_say_stdout_end();
}

int cli_reg_hammer(struct cli_reg *r)
{
	struct setting s = { .r = r, .flags = NTIME_REGISTER_WRITE };
	struct pace pace = { 0 };
	int ret = parse_pace(r, &pace), closed;

	begin(&s);
	if (!ret)
		ret = parse_value(&s);
	if (!ret)
		ret = find_targets(&s);
	if (!ret && !r->is_dry)
		cli_signals_init();
	if (!ret)
		ret = open_targets(&s);
	if (!ret && r->is_dry) {
		printf("%llu times:\n", (unsigned long long)pace.times);
		put_dry(&s);
		ret = cli_say_stdout_end();
	} else if (!ret) {
		ret = hammer(&s, &pace);
	}
	closed = close_targets(&s);
	return ret ? ret : closed;
}
