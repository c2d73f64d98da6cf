// SPDX-License-Identifier: MIT
/* ntime reg: its options, and which action is meant. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/command/help.h"
#include "base/command/options.h"
#include "base/output/memory.h"
#include "count/cli/reg/reg.h"
#include "base/output/say.h"

enum {
	ID_JSON = 256,
	ID_CSV,
	ID_FIELD,
	ID_FORCE,
	ID_DRY_RUN,
	ID_HOLD,
	ID_RATE,
	ID_NAMES,
	ID_ROOT,
	ID_MACHINE,
};

#define COUNT(member) CLI_COUNT(struct cli_reg, member)
#define FLAG(member) CLI_FLAG(struct cli_reg, member)
#define TEXT(member) CLI_TEXT(struct cli_reg, member)

static const struct cli_option options[] = {
	{ 'C', "cpu", "LIST",
	  "get, set, watch, hammer: only these CPUs and their packages, such as 0-3,8",
	  TEXT(cpus) },
	{ 'b', "brief", NULL, "get: one line per register, without its fields", FLAG(is_brief) },
	{ ID_FIELD, "field", "FIELD=VALUE", "set: change this field only; may be repeated" },
	{ ID_HOLD, "hold", NULL,
	  "set: keep the value until a signal ends ntime, then restore the old one", FLAG(holds) },
	{ ID_FORCE, "force", NULL, "set, hammer: write any bits, as root, without ntime's driver",
	  FLAG(is_forced) },
	{ ID_DRY_RUN, "dry-run", NULL, "set, hammer: print the accesses instead of writing",
	  FLAG(is_dry) },
	{ 'i', "interval", "TIME",
	  "watch: time between reads (2): a number is seconds, or with "
	  "ns, us, ms, min" },
	{ 'n', "number", "N", "watch: end after N reads; hammer: write N times", TEXT(number) },
	{ ID_RATE, "rate", "HZ", "hammer: writes per second; default: as fast as possible",
	  TEXT(rate) },
	{ 'o', "output", "FILE", "dump: write to FILE, complete or not at all", TEXT(output) },
	{ ID_NAMES, "names", NULL, "ls: names only, one per line", FLAG(only_names) },
	{ ID_JSON, "json", NULL, "ls, get, dump, diff: write JSON", FLAG(is_json) },
	{ ID_CSV, "csv", NULL, "get: write CSV", FLAG(is_csv) },
	{ ID_ROOT, "root", "DIR", "look for the system's files below DIR", TEXT(machine.root) },
	{ ID_MACHINE, "machine", "FILE", "look at a recorded machine instead of this one",
	  TEXT(machine.recording) },
	{ 'v', "verbose", NULL,
	  "ls: each register with its fields and sources; twice: also the library's decisions",
	  COUNT(machine.verbose) },
	CLI_OPTION_HELP,
	CLI_OPTION_END,
};

/* Letters and numbers of the options that an action has, beside --root, --machine, -v and -h. */
static const struct action {
	const char *name;
	int (*run)(struct cli_reg *r);
	int min, max; /* operands */
	bool has_command;
	int option[10];
} actions[] = {
	{ "ls", cli_reg_ls, 0, -1, false, { ID_JSON, ID_NAMES } },
	{ "get", cli_reg_get, 1, -1, false, { 'C', 'b', ID_JSON, ID_CSV } },
	{ "set", cli_reg_set, 1, 2, true, { 'C', ID_FIELD, ID_HOLD, ID_FORCE, ID_DRY_RUN } },
	{ "watch", cli_reg_watch, 1, -1, false, { 'C', 'i', 'n' } },
	{ "dump", cli_reg_dump, 0, 0, false, { 'o', ID_JSON } },
	{ "diff", cli_reg_diff, 2, 2, false, { ID_JSON } },
	{ "hammer", cli_reg_hammer, 2, 2, false, { 'C', 'n', ID_RATE, ID_FORCE, ID_DRY_RUN } },
};

#define ACTIONS (sizeof(actions) / sizeof(actions[0]))

/* What is being parsed: options that the action lacks are refused. */
struct parse {
	struct cli_reg *r;
	const struct action *action;
};

static bool is_allowed(const struct action *a, int id)
{
	if (id == ID_ROOT || id == ID_MACHINE || id == 'v')
		return true;
	for (size_t i = 0; i < sizeof(a->option) / sizeof(a->option[0]); i++)
		if (a->option[i] == id)
			return true;
	return false;
}

static int add_field(struct cli_reg *r, const char *value)
{
	if (r->fields == CLI_REG_FIELDS)
		return cli_misuse(r->self->name, "--field may be given %d times at most",
				  CLI_REG_FIELDS);
	r->field[r->fields++] = value;
	return 0;
}

static int set_option(void *arg, const struct cli_option *o, const char *value)
{
	struct parse *p = arg;
	struct cli_reg *r = p->r;

	if (!is_allowed(p->action, o->id))
		return cli_misuse(r->self->name, "'%s' has no option --%s", r->action, o->name);
	if (cli_option_store(o, r, value))
		return 0;
	if (o->id == 'i')
		return cli_option_time(r->self->name, o, value, 1000000, &r->interval_ns);
	return add_field(r, value);
}

static int check(const struct cli_reg *r, const struct action *a)
{
	if (r->command && !a->has_command)
		return cli_say_misuse(r->self->name, "'%s' does not run a command", r->action);
	if (r->n && !a->max)
		return cli_say_misuse(r->self->name, "'%s' takes no argument, but there is '%s'",
				      r->action, r->operand[0]);
	if (r->n < a->min || (a->max >= 0 && r->n > a->max))
		return cli_say_misuse(r->self->name, "'%s' takes %s, not %d", r->action,
				      a->max < 0	 ? "at least one name"
				      : a->min == a->max ? "two arguments"
							 : "a name and a value",
				      r->n);
	if (r->is_json && r->is_csv)
		return cli_say_misuse(r->self->name, "--json and --csv cannot be combined");
	if (r->is_json && r->only_names)
		return cli_say_misuse(r->self->name, "--names and --json cannot be combined");
	return 0;
}

static const char *action_word(size_t i)
{
	return i < ACTIONS ? actions[i].name : NULL;
}

/* Options may stand anywhere in front of a "--", behind which a command begins. */
static int parse(struct cli_reg *r, const struct action *a, int argc, char **argv)
{
	struct parse p = { .r = r, .action = a };
	int end = 0, ret;

	while (end < argc && strcmp(argv[end], "--") != 0)
		end++;
	if (end < argc) {
		argv[end] = NULL;
		r->command = argv + end + 1;
	}
	ret = cli_options_parse(r->self, end, argv, set_option, &p);
	if (ret < 0)
		return ret;
	r->operand = argv + ret;
	r->n = end - ret;
	if (r->command && !*r->command)
		return cli_misuse(r->self->name, "there is no command after --");
	return 0;
}

static int run_reg(const struct cli_command *self, int argc, char **argv)
{
	struct cli_reg r = { .self = self, .interval_ns = 2000000000 };
	const struct action *a;
	int ret = cli_action_find(self, argc, argv);

	if (ret < 0)
		return cli_options_end(ret);
	a = &actions[ret];
	r.action = a->name;
	ret = parse(&r, a, argc - 1, argv + 1);
	if (ret < 0)
		return cli_options_end(ret);
	r.machine.runs_command = r.command;
	if (check(&r, a) || cli_machine_open(&r.machine, &r.ctx))
		return CLI_EXIT_FAILED;
	ret = a->run(&r);
	ntime_close(r.ctx);
	return ret;
}

/* What people type. */
static const struct cli_foreign foreign[] = {
	{ "c", "how many reads is -n N" },
	{ NULL, NULL },
};

const struct cli_command cli_reg_command = {
	.name = "reg",
	.usage = "reg ls [OPTION...] [PATTERN...]\n"
		 "reg get [OPTION...] NAME|ADDRESS...\n"
		 "reg set [OPTION...] NAME|ADDRESS VALUE [-- COMMAND [ARG...]]\n"
		 "reg watch [OPTION...] NAME|ADDRESS...\n"
		 "reg dump [OPTION...]\n"
		 "reg diff [OPTION...] FILE FILE|live\n"
		 "reg hammer [OPTION...] NAME|ADDRESS VALUE",
	.about = "show, set, watch and compare registers by name",
	.details =
		"NAME is the name in the vendor's manual (IA32_PERFEVTSEL0, or IA32_PERFEVTSEL for "
		"all of them) or in Linux, optionally with its table (nhm_uncore.NAME) or unit "
		"(core0/NAME); ADDRESS is 0x38d, msr:0x38d, pci:7f:10.0:0xf4 or "
		"core0/msr/0x38d.\nset writes only bits that are known to be safe, and leaves the "
		"others. With --hold or a COMMAND the old value is restored at the end; otherwise "
		"the new value stays, which needs root, because ntime's driver always restores a "
		"register.\nExit status: 0; that of COMMAND; diff: 1 if there are differences; 125 "
		"if ntime failed, 126 if the command cannot be executed, 127 if it is not found.",
	.options = options,
	.foreign = foreign,
	.is_permuting = true,
	.action = action_word,
	.run = run_reg,
};

int cli_registers_add(void *arg, const struct ntime_register_info *reg)
{
	struct cli_registers *list = arg;

	cli_grow(&list->reg, list->n);
	list->reg[list->n++] = *reg;
	return 0;
}

int cli_registers_find(struct cli_registers *list, struct cli_reg *r, const char *name)
{
	int ret = ntime_register_find(r->ctx, name, r->cpus, cli_registers_add, list);

	if (ret >= 0)
		return 0;
	cli_machine_say(r->ctx, ret);
	if (ret == -ENOENT)
		cli_machine_say_libraries(r->ctx);
	return CLI_EXIT_FAILED;
}

void cli_registers_fini(struct cli_registers *list)
{
	free(list->reg);
	*list = (struct cli_registers){ 0 };
}

int cli_register_read(struct ntime_ctx *ctx, const struct ntime_register_info *reg, uint64_t *value,
		      const char **method)
{
	struct ntime_register *open;
	int ret = ntime_register_open(ctx, reg, 0, &open);

	if (ret < 0)
		return ret;
	ret = ntime_register_read(open, value);
	*method = ntime_register_method(open);
	ntime_register_close(open);
	return ret;
}

bool cli_register_field(const char *table, const char *name, uint32_t index,
			struct ntime_register_field *out)
{
	out->size = sizeof(*out);
	return ntime_register_field_at(table, name, index, out) == 0;
}

uint64_t cli_field_mask(const struct ntime_register_field *field)
{
	uint64_t ones = field->width >= 64 ? UINT64_MAX : (UINT64_C(1) << field->width) - 1;

	return ones << field->shift;
}

uint64_t cli_field_get(const struct ntime_register_field *field, uint64_t word)
{
	return (word & cli_field_mask(field)) >> field->shift;
}

int cli_register_parse(const char *text, uint64_t *out)
{
	unsigned long long value;
	char *end;

	/* strtoull(3) takes signs and blanks, which no register has. */
	if (!isdigit((unsigned char)text[0]))
		return -EINVAL;
	errno = 0;
	value = strtoull(text, &end, 0);
	if (errno)
		return -errno;
	if (*end)
		return -EINVAL;
	*out = value;
	return 0;
}
