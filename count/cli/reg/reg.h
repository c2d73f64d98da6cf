/* SPDX-License-Identifier: MIT */
/* ntime reg: what its actions share. */
#ifndef CLI_REG_REG_H
#define CLI_REG_REG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ntime/register.h>

#include "base/command/command.h"
#include "count/cli/shared/machine.h"

#define CLI_REG_FIELDS 16

/**
 * struct cli_reg - one run of "ntime reg"; strings are the command line's
 * @operand, @n: what follows the action
 * @command:	what stands behind "--", NULL when nothing does
 * @field:	"NAME=VALUE" of --field
 */
struct cli_reg {
	const struct cli_command *self;
	const char *action;
	struct cli_machine machine;
	struct ntime_ctx *ctx;
	char **operand;
	int n;
	char **command;
	const char *cpus, *output, *number, *rate;
	uint64_t interval_ns; /* of watch */
	const char *field[CLI_REG_FIELDS];
	size_t fields;
	bool is_json, is_csv, is_brief, is_forced, is_dry, holds, only_names;
};

/* The actions; each returns ntime's exit status. */
int cli_reg_ls(struct cli_reg *r);
int cli_reg_get(struct cli_reg *r);
int cli_reg_set(struct cli_reg *r);
int cli_reg_watch(struct cli_reg *r);
int cli_reg_dump(struct cli_reg *r);
int cli_reg_diff(struct cli_reg *r);
int cli_reg_hammer(struct cli_reg *r);

/* Registers of the machine; their strings live as long as the context. */
struct cli_registers {
	struct ntime_register_info *reg;
	size_t n;
};

/* For ntime_register_for_each() and _find(): put one behind the others. */
int cli_registers_add(void *arg, const struct ntime_register_info *reg);
/* What @name stands for on the CPUs that are wanted. 0, or CLI_EXIT_FAILED after a sentence. */
int cli_registers_find(struct cli_registers *list, struct cli_reg *r, const char *name);
void cli_registers_fini(struct cli_registers *list);

/* Read one register once. 0 or -errno, of which ntime_error_text() tells more. */
int cli_register_read(struct ntime_ctx *ctx, const struct ntime_register_info *reg, uint64_t *value,
		      const char **method);

/* Field @index of a register, whether this machine has it or not; false behind the last. */
bool cli_register_field(const char *table, const char *name, uint32_t index,
			struct ntime_register_field *out);
uint64_t cli_field_get(const struct ntime_register_field *field, uint64_t word);
uint64_t cli_field_mask(const struct ntime_register_field *field);

/* A number of 64 bits, "0x10" or "16". 0, -EINVAL or -ERANGE. */
int cli_register_parse(const char *text, uint64_t *out);

#endif
