// SPDX-License-Identifier: MIT
/*
 * The registers of the stand-in for the library: none, or with NTIME_FAKE_REGISTERS=FOLDER the
 * thermal status of two CPUs and their package, each a file FOLDER/UNIT-NAME with a number in it.
 * What ntime reg makes of registers is tested below another root directory, with the library.
 */
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ntime/register.h>

#define LOGS 0xau

struct ntime_register {
	char file[512];
};

static const struct ntime_register_info registers[] = {
	{ .size = sizeof(registers[0]), .cpu = 0, .unit = "core0", .name = "IA32_THERM_STATUS" },
	{ .size = sizeof(registers[0]), .cpu = 1, .unit = "core1", .name = "IA32_THERM_STATUS" },
	{ .size = sizeof(registers[0]), .unit = "uncore0", .name = "IA32_PACKAGE_THERM_STATUS" },
};

static const struct ntime_register_field fields[] = {
	{ sizeof(fields[0]), 0, 1, NTIME_FIELD_RO, "hot", "too hot now" },
	{ sizeof(fields[0]), 1, 1, NTIME_FIELD_RW0C, "hot_log", "was too hot" },
	{ sizeof(fields[0]), 2, 1, NTIME_FIELD_RO, "prochot", "told to slow down" },
	{ sizeof(fields[0]), 3, 1, NTIME_FIELD_RW0C, "prochot_log", "was told to slow down" },
	{ sizeof(fields[0]), 16, 7, NTIME_FIELD_RO, "readout", "degrees below the limit" },
};

int ntime_register_for_each(struct ntime_ctx *ctx,
			    int (*fn)(void *arg, const struct ntime_register_info *reg), void *arg)
{
	(void)ctx, (void)fn, (void)arg;
	return -ENOTSUP;
}

int ntime_register_find(struct ntime_ctx *ctx, const char *name, const char *cpus,
			int (*fn)(void *arg, const struct ntime_register_info *reg), void *arg)
{
	int n = 0, ret = 0;

	(void)ctx;
	if (!getenv("NTIME_FAKE_REGISTERS"))
		return -ENOTSUP;
	for (size_t i = 0; i < sizeof(registers) / sizeof(registers[0]) && !ret; i++) {
		struct ntime_register_info reg = registers[i];

		if (strcmp(reg.name, name) != 0 || (cpus && reg.cpu != strtoul(cpus, NULL, 10)))
			continue;
		reg.path = reg.unit[0] == 'u' ? "uncore0-IA32_PACKAGE_THERM_STATUS"
			   : reg.cpu	      ? "core1-IA32_THERM_STATUS"
					      : "core0-IA32_THERM_STATUS";
		reg.table = "thermal";
		reg.writable = LOGS;
		ret = fn(arg, &reg);
		n++;
	}
	return ret ? ret : n ? n : -ENOENT;
}

int ntime_register_field_at(const char *table, const char *name, uint32_t index,
			    struct ntime_register_field *out)
{
	(void)name;
	if (strcmp(table, "thermal") != 0)
		return -ENOENT;
	if (index >= sizeof(fields) / sizeof(fields[0]))
		return -ERANGE;
	*out = fields[index];
	return 0;
}

/* A register that is read only has no file of its own. */
int ntime_register_open(struct ntime_ctx *ctx, const struct ntime_register_info *reg,
			uint32_t flags, struct ntime_register **out)
{
	FILE *f;

	(void)ctx;
	*out = NULL;
	if (flags != (NTIME_REGISTER_WRITE | NTIME_REGISTER_KEEP))
		return -EOPNOTSUPP;
	*out = calloc(1, sizeof(**out));
	if (!*out)
		return -ENOMEM;
	snprintf((*out)->file, sizeof((*out)->file), "%s/%s", getenv("NTIME_FAKE_REGISTERS"),
		 reg->path);
	f = fopen((*out)->file, "r+");
	if (f) {
		fclose(f);
		return 0;
	}
	free(*out);
	*out = NULL;
	return -EACCES;
}

const char *ntime_register_method(const struct ntime_register *r)
{
	(void)r;
	return "";
}

const char *ntime_register_where(const struct ntime_register *r)
{
	(void)r;
	return "";
}

int ntime_register_read(struct ntime_register *r, uint64_t *value)
{
	FILE *f = fopen(r->file, "r");
	int n = f ? fscanf(f, "%" SCNi64, (int64_t *)value) : 0;

	if (f)
		fclose(f);
	return n == 1 ? 0 : -EIO;
}

int ntime_register_merge(struct ntime_register *r, uint64_t value, uint64_t *merged)
{
	(void)r, (void)value, (void)merged;
	return -ENOTSUP;
}

/* Bits that are not the caller's may not be set; a log is cleared by 0 and not set by 1. */
int ntime_register_write(struct ntime_register *r, uint64_t value)
{
	uint64_t old;
	FILE *f;

	if (value & ~(uint64_t)LOGS)
		return -EINVAL;
	if (ntime_register_read(r, &old))
		return -EIO;
	f = fopen(r->file, "w");
	if (!f)
		return -EIO;
	fprintf(f, "0x%" PRIx64 "\n", (old & ~(uint64_t)LOGS) | (old & value));
	return fclose(f) ? -EIO : 0;
}

int ntime_register_close(struct ntime_register *r)
{
	free(r);
	return 0;
}
