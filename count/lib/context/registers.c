// SPDX-License-Identifier: MIT
/* The registers of a context's machine: walk, find by name, open. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <ntime/register.h>

#include "count/lib/access/msr.h"
#include "base/common/text.h"
#include "count/lib/context/context.h"
#include "count/lib/machine/topology.h"
#include "count/lib/machine/register/register.h"

#define ONLINE_BYTES 4096
#define NEAR_NAMES 3
#define NEAR_DISTANCE 6

/* The topology is loaded only where sysfs does not tell, as in recordings. */
static int package_of(void *arg, unsigned int cpu)
{
	const struct nti_topology *topology;
	const struct nti_cpu *row;
	int ret = nti_context_topology(arg, &topology);

	if (ret < 0)
		return ret;
	row = nti_topology_cpu(topology, cpu);
	return row ? row->package : -ENXIO;
}

static struct nti_register_source handles_of(struct ntime_ctx *ctx)
{
	return (struct nti_register_source){
		.os = ctx->os, .msr = ctx->msr, .package_of = package_of, .arg = ctx
	};
}

/* Look for them if that was not done yet, and say when there are none. */
static int load(struct ntime_ctx *ctx)
{
	int ret = 0;

	if (!ctx->msr)
		ret = nti_msr_new(ctx->os, &ctx->msr);
	if (ret == 0 && !ctx->registers) {
		struct nti_register_source handles = handles_of(ctx);

		ret = nti_registers_new(&handles, &ctx->registers);
	}
	if (ret < 0 || ctx->registers->count)
		return ret;
	return nti_error(&ctx->error, -ENOTSUP,
			 "no register is known of this machine: on %s they are reached through "
			 "ntime's driver (ntime driver load)",
			 ctx->os->ops->arch(ctx->os));
}

static int tell(const struct nti_registers *r, const struct nti_register *reg,
		int (*fn)(void *arg, const struct ntime_register_info *reg), void *arg)
{
	struct ntime_register_info info;

	nti_register_info(r, reg, &info);
	return fn(arg, &info);
}

int ntime_register_for_each(struct ntime_ctx *ctx,
			    int (*fn)(void *arg, const struct ntime_register_info *reg), void *arg)
{
	int ret = load(ctx);
	size_t i;

	if (ret < 0)
		return ret;
	for (i = 0; i < ctx->registers->count; i++) {
		ret = tell(ctx->registers, &ctx->registers->reg[i], fn, arg);
		if (ret)
			return ret;
	}
	return (int)ctx->registers->count;
}

/* ---- which CPUs are meant ---- */

struct wanted {
	struct ntime_ctx *ctx;
	const char *cpus; /* NULL: all */
	char online[ONLINE_BYTES];
};

static int check_cpu(void *arg, unsigned int cpu)
{
	struct wanted *w = arg;

	if (nti_text_list_has(w->online, cpu))
		return 0;
	return nti_error(&w->ctx->error, -ENXIO,
			 "CPU %u does not exist or is off line (on line: %s)", cpu, w->online);
}

static int check_cpus(struct wanted *w)
{
	int ret;

	if (!w->cpus)
		return 0;
	ret = nti_context_online(w->ctx, w->online, sizeof(w->online));
	if (ret < 0)
		return ret;
	ret = nti_text_for_each_in_list(w->cpus, NTI_CPU_LIMIT, check_cpu, w);
	if (ret == -EINVAL || ret == -ERANGE)
		return nti_error(&w->ctx->error, -EINVAL, "'%s' is not a CPU list such as 0-3,8",
				 w->cpus);
	return ret;
}

struct package {
	struct ntime_ctx *ctx;
	unsigned int number;
};

static int is_of_package(void *arg, unsigned int cpu)
{
	struct package *p = arg;
	struct nti_register_source handles = handles_of(p->ctx);

	return nti_register_package(p->ctx->os, &handles, cpu) == p->number;
}

static bool is_wanted(const struct wanted *w, const struct nti_register *reg)
{
	struct package package = { .ctx = w->ctx, .number = reg->number };

	if (!w->cpus || reg->scope == NTHW_SCOPE_DEVICE)
		return true;
	if (reg->scope == NTHW_SCOPE_CPU)
		return nti_text_list_has(w->cpus, reg->number);
	return nti_text_for_each_in_list(w->cpus, NTI_CPU_LIMIT, is_of_package, &package) > 0;
}

/* ---- names ---- */

/* Names that are least far from what was typed, "IA32_PMC0, IA32_PMC1"; "" when none is near. */
static void nearest(const struct nti_registers *r, const char *typed, char *buf, size_t size)
{
	unsigned int best = NEAR_DISTANCE, distance;
	const char *last = "";
	size_t i, n = 0;

	buf[0] = '\0';
	for (i = 0; i < r->count; i++) {
		distance = nti_text_distance(typed, r->reg[i].name, best);
		if (distance > best || (distance == best && n >= NEAR_NAMES) ||
		    strcmp(last, r->reg[i].name) == 0)
			continue;
		if (distance < best) {
			best = distance;
			buf[0] = '\0';
			n = 0;
		}
		last = r->reg[i].name;
		/* The same register of another CPU. */
		if (strstr(buf, last))
			continue;
		if (n++)
			(void)nti_text_append(buf, size, ", ");
		(void)nti_text_append(buf, size, last);
	}
}

static int say_unknown(struct ntime_ctx *ctx, const char *name)
{
	char near[4 * NTHW_NAME_SIZE];

	nearest(ctx->registers, name, near, sizeof(near));
	if (*near)
		return nti_error(&ctx->error, -ENOENT,
				 "this machine has no register '%.128s'; did you mean %s?", name,
				 near);
	return nti_error(&ctx->error, -ENOENT,
			 "this machine has no register '%.128s' (ntime reg ls lists them)", name);
}

/* Those that @name stands for: how many in *@all, how many of them are wanted as the result. */
static int find(const struct wanted *w, const char *name, bool is_exact, size_t *all,
		int (*fn)(void *arg, const struct ntime_register_info *reg), void *arg)
{
	const struct nti_registers *r = w->ctx->registers;
	size_t i, told = 0;
	int ret;

	*all = 0;
	for (i = 0; i < r->count; i++) {
		if (!nti_register_is(&r->reg[i], name, is_exact))
			continue;
		(*all)++;
		if (!is_wanted(w, &r->reg[i]))
			continue;
		told++;
		ret = tell(r, &r->reg[i], fn, arg);
		if (ret)
			return ret;
	}
	return (int)told;
}

int ntime_register_find(struct ntime_ctx *ctx, const char *name, const char *cpus,
			int (*fn)(void *arg, const struct ntime_register_info *reg), void *arg)
{
	struct wanted w = { .ctx = ctx, .cpus = cpus };
	int ret = load(ctx);
	size_t all = 0;

	if (ret == 0)
		ret = check_cpus(&w);
	if (ret == 0)
		ret = find(&w, name, true, &all, fn, arg);
	/* The name of a row stands for all its instances, where it is not the name of one. */
	if (ret == 0 && !all)
		ret = find(&w, name, false, &all, fn, arg);
	if (ret)
		return ret;
	if (all)
		return nti_error(&ctx->error, -ENXIO, "none of the CPUs %s has a register '%.128s'",
				 cpus, name);
	return say_unknown(ctx, name);
}

int ntime_register_field_at(const char *table, const char *name, uint32_t index,
			    struct ntime_register_field *out)
{
	static const uint32_t access[] = {
		[NTHW_RO] = NTIME_FIELD_RO,
		[NTHW_OS] = NTIME_FIELD_OS,
		[NTHW_OS_CLEAR] = NTIME_FIELD_OS_CLEAR,
		[NTHW_OS_RW1C] = NTIME_FIELD_OS_RW1C,
		[NTHW_RW0C] = NTIME_FIELD_RW0C,
		[NTHW_RW] = NTIME_FIELD_RW,
		[NTHW_RW1C] = NTIME_FIELD_RW1C,
		[NTHW_RW1S] = NTIME_FIELD_RW1S,
		[NTHW_W1C] = NTIME_FIELD_W1C,
	};
	const struct nthw_reg *row;
	const struct nthw_field *field;

	if (out->size != sizeof(*out))
		return -EINVAL;
	row = nti_register_row(table, name);
	if (!row)
		return -ENOENT;
	if (index >= row->field_count)
		return -ERANGE;
	field = &row->fields[index];
	*out = (struct ntime_register_field){ .size = sizeof(*out),
					      .shift = field->shift,
					      .width = field->width,
					      .access = access[field->access],
					      .name = field->name,
					      .about = field->about };
	return 0;
}

int ntime_register_open(struct ntime_ctx *ctx, const struct ntime_register_info *reg,
			uint32_t flags, struct ntime_register **out)
{
	const uint32_t needs_write = NTIME_REGISTER_KEEP | NTIME_REGISTER_FORCE;
	const struct nti_registers *r;
	int ret = load(ctx);

	*out = NULL;
	if (ret < 0)
		return ret;
	if ((flags & ~(NTIME_REGISTER_WRITE | needs_write)) ||
	    ((flags & needs_write) && !(flags & NTIME_REGISTER_WRITE)))
		return nti_error(&ctx->error, -EINVAL, "flags %#x of a register are unknown",
				 flags);
	r = ctx->registers;
	if (reg->size != sizeof(*reg) || reg->id >= r->count || r->reg[reg->id].path != reg->path)
		return nti_error(&ctx->error, -EINVAL, "that register is none of this context");
	return nti_register_open(ctx->registers, &ctx->error, &r->reg[reg->id], flags, out);
}
