// SPDX-License-Identifier: MIT
/*
 * The log bits of the thermal status registers.
 *
 * Rows tell which they are: fields whose names end in "_log". Writing 0 clears one and 1 leaves it
 * (Intel SDM vol. 3B, "Thermal Status Information": sticky bits, software clears them by writing
 * 0), so bits that are set between reading and writing are not lost unless they are among those
 * that were set already.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ntime/register.h>

#include "count/cli/shared/machine.h"
#include "count/cli/reg/reg.h"
#include "base/output/say.h"
#include "count/cli/watch/log.h"

static const char *const log_registers[] = { "IA32_THERM_STATUS", "IA32_PACKAGE_THERM_STATUS" };

/* The log bits of a register; of those set in @value, the names go to @names. */
static uint64_t log_bits(const struct ntime_register_info *reg, uint64_t value, char *names,
			 size_t size)
{
	struct ntime_register_field field;
	uint64_t bits = 0;
	size_t used = 0;

	names[0] = '\0';
	for (uint32_t i = 0; cli_register_field(reg->table, reg->name, i, &field); i++) {
		size_t chars = strlen(field.name);

		if (chars <= 4 || strcmp(field.name + chars - 4, "_log") != 0)
			continue;
		bits |= cli_field_mask(&field);
		if (value & cli_field_mask(&field) && used < size)
			used += (size_t)snprintf(names + used, size - used, "%s%s",
						 used ? ", " : "", field.name);
	}
	return bits;
}

/*
 * Returns 1 when bits were set and are no more, 0 when there were none, or -errno with the
 * library's sentence.
 */
static int clear_one(struct ntime_ctx *ctx, const struct ntime_register_info *reg, int is_quiet)
{
	struct ntime_register *r;
	uint64_t value, bits;
	char names[512];
	int ret, end;

	ret = ntime_register_open(ctx, reg, NTIME_REGISTER_WRITE | NTIME_REGISTER_KEEP, &r);
	if (ret < 0)
		return ret;
	ret = ntime_register_read(r, &value);
	bits = log_bits(reg, value, names, sizeof(names));
	if (ret == 0 && value & bits) {
		/* Only what is ours: the temperature beside it changes all the time. */
		ret = ntime_register_write(r, value & reg->writable & ~bits);
		if (ret == 0 && !is_quiet)
			cli_say("cleared in %s of %s: %s", reg->name, reg->unit, names);
		ret = ret == 0 ? 1 : ret;
	}
	end = ntime_register_close(r);
	return ret < 0 || end >= 0 ? ret : end;
}

static int clear_all(struct ntime_ctx *ctx, const struct cli_registers *list, int is_quiet)
{
	size_t cleared = 0;

	for (size_t i = 0; i < list->n; i++) {
		int ret = clear_one(ctx, &list->reg[i], is_quiet);

		if (ret < 0) {
			cli_say("cannot clear the log bits of %s of %s: %s", list->reg[i].name,
				list->reg[i].unit,
				*ntime_error_text(ctx) ? ntime_error_text(ctx) : strerror(-ret));
			return ret;
		}
		cleared += ret == 1;
	}
	if (!cleared && !is_quiet)
		cli_say("no log bit was set, nothing was cleared");
	return 0;
}

int cli_watch_log_clear(struct ntime_ctx *ctx, const char *cpus, int is_quiet)
{
	struct cli_registers list = { 0 };
	int ret = 0;

	for (size_t i = 0; i < sizeof(log_registers) / sizeof(log_registers[0]) && ret >= 0; i++) {
		ret = ntime_register_find(ctx, log_registers[i], cpus, cli_registers_add, &list);
		/* Older processors have no such register for the package. */
		if (ret == -ENOENT || ret == -ENXIO || ret == -ENOTSUP)
			ret = 0;
	}
	if (ret < 0) {
		cli_machine_say(ctx, ret);
	} else if (!list.n) {
		cli_say("--clear-log: this machine has neither IA32_THERM_STATUS nor "
			"IA32_PACKAGE_THERM_STATUS, or its registers cannot be read (see 'ntime "
			"doctor')");
		ret = -ENOENT;
	} else {
		ret = clear_all(ctx, &list, is_quiet);
	}
	cli_registers_fini(&list);
	return ret;
}
