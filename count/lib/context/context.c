// SPDX-License-Identifier: MIT
/* Opening and closing a context. */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "count/lib/machine/boxes.h"
#include "count/lib/machine/cards.h"
#include "count/lib/access/msr.h"
#include "base/os/replay/replay.h"
#include "base/common/text.h"
#include "count/lib/context/context.h"
#include "count/lib/machine/topology.h"
#include "count/lib/machine/register/register.h"
#include "base/os/file.h"

#define ONLINE "/sys/devices/system/cpu/online"

/* Metric files of users are read whole; a larger one is refused. */
#define METRICS_BYTES ((size_t)1 << 20)

const char *ntime_version(void)
{
	return NTIME_VERSION;
}

const char *ntime_error_text(const struct ntime_ctx *ctx)
{
	return ctx->error.text;
}

void nti_context_log(struct ntime_ctx *ctx, const char *format, ...)
{
	char line[NTI_ERROR_TEXT_BYTES];
	va_list args;

	if (!ctx->log)
		return;
	va_start(args, format);
	(void)nti_text_vprint(line, sizeof(line), format, args);
	va_end(args);
	ctx->log(ctx->log_arg, line);
}

int nti_context_interrupted(struct ntime_ctx *ctx)
{
	if (!nti_is_interrupted(&ctx->interrupt))
		return 0;
	return nti_error(&ctx->error, -EINTR, "interrupted before counting began");
}

int nti_context_online(struct ntime_ctx *ctx, char *buf, size_t size)
{
	int ret = nti_os_online(ctx->os, buf, size);

	if (ret == -ENOENT)
		return nti_error(&ctx->error, ret,
				 "cannot know which CPUs are on line without /sys and /proc (mount "
				 "-t proc proc /proc)");
	return ret < 0 ? nti_error(&ctx->error, ret, "cannot read %s: %s", ONLINE, strerror(-ret))
		       : 0;
}

/* What count/lib/machine/boxes.c wants to know of the topology, if it wants to know. */
static int lend_cpus(void *arg, const struct nti_boxes_cpu **out, size_t *n)
{
	struct ntime_ctx *ctx = arg;
	const struct nti_topology *t;
	uint32_t i;
	int ret = nti_context_topology(ctx, &t);

	*n = 0;
	if (ret < 0)
		return ret;
	free(ctx->boxes_cpu);
	ctx->boxes_cpu = calloc(t->total.cpus, sizeof(*ctx->boxes_cpu));
	if (!ctx->boxes_cpu)
		return -ENOMEM;
	for (i = 0; i < t->total.cpus; i++) {
		if (t->cpu[i].is_online)
			ctx->boxes_cpu[(*n)++] =
				(struct nti_boxes_cpu){ .cpu = (unsigned int)t->cpu[i].cpu,
							.core = t->cpu[i].core,
							.l3 = t->cpu[i].l3,
							.package = t->cpu[i].die };
	}
	*out = ctx->boxes_cpu;
	return 0;
}

int nti_context_shortage(struct ntime_ctx *ctx)
{
	return nti_os_take_shortage(ctx->os, &ctx->error);
}

/* Those that every machine has. */
static int start_units(struct ntime_ctx *ctx)
{
	ctx->names = (struct nti_names){ .os = ctx->os, .units = &ctx->units };
	return ctx->units.count ? 0 : nti_units_start(ctx->os, &ctx->units, &ctx->error);
}

int nti_context_units(struct ntime_ctx *ctx)
{
	const struct nti_boxes_source lent = { .arg = ctx, .cpus = lend_cpus };
	int ret = ctx->has_units ? 0 : start_units(ctx);

	if (ret < 0 || ctx->has_units)
		return ret;
	ret = nti_units_load(ctx->os, &ctx->units, &ctx->error);
	if (ret < 0)
		return ret;
	ret = nti_boxes_add(ctx->os, &lent, &ctx->units, &ctx->error);
	if (ret == 0 && ctx->model)
		ret = nti_cards_add_model(&ctx->units, ctx->model_chip, ctx->model_units,
					  ctx->model);
	if (ret == 0)
		ret = nti_cards_add(ctx->os, &ctx->units);
	free(ctx->boxes_cpu);
	ctx->boxes_cpu = NULL;
	if (!ret)
		ret = nti_context_shortage(ctx);
	if (ret < 0)
		nti_units_restart(&ctx->units);
	ctx->has_units = ret == 0;
	return ret;
}

int nti_context_core(struct ntime_ctx *ctx)
{
	int ret = nti_context_units(ctx);

	if (ret < 0 || ctx->has_selftest)
		return ret;
	ret = nti_context_selftest(ctx);
	ctx->has_selftest = ret == 0;
	return ret;
}

static bool is_of_core(const struct nti_event *event)
{
	size_t i;

	for (i = 0; i < event->parts; i++) {
		if (event->part[i].unit && event->part[i].unit->kind == NTI_UNIT_CORE)
			return true;
	}
	return false;
}

int nti_context_event(struct ntime_ctx *ctx, const char *name, struct nti_event *out,
		      struct nti_error *e)
{
	int ret = 0;

	if (!ctx->has_units)
		ret = nti_event_is_software(name) ? start_units(ctx) : nti_context_units(ctx);
	if (ret == 0)
		ret = nti_event_parse(&ctx->names, name, out, e);
	if (ret < 0 || !is_of_core(out))
		return ret;
	if (!ctx->has_selftest) {
		/* What is found out now may make the event absent. */
		nti_event_fini(out);
		ret = nti_context_core(ctx);
		if (ret == 0)
			ret = nti_event_parse(&ctx->names, name, out, e);
		if (ret < 0)
			return ret;
	}
	ret = nti_context_selftest_event(ctx, out);
	if (ret < 0)
		nti_event_fini(out);
	return ret;
}

static int count_cpu(void *arg, unsigned int cpu)
{
	unsigned int *count = arg;

	(void)cpu;
	(*count)++;
	return 0;
}

int nti_context_count_cpus(struct ntime_ctx *ctx)
{
	char online[4096];
	int ret = ctx->cpus ? 0 : nti_context_online(ctx, online, sizeof(online));

	if (ret == -ENOENT || ctx->cpus)
		return 0;
	if (ret < 0)
		return ret;
	ret = nti_text_for_each_in_list(online, NTI_CPU_LIMIT, count_cpu, &ctx->cpus);
	if (ret < 0)
		return nti_error(&ctx->error, ret, "%s is not a CPU list", ONLINE);
	return 0;
}

static int check_options(const struct ntime_options *o)
{
	size_t i;

	if (o->size != sizeof(*o) || o->flags & ~(NTIME_NO_SELF_TEST | NTIME_SELF_TEST_ANEW))
		return -EINVAL;
	for (i = 0; i < NTI_ARRAY_SIZE(o->reserved); i++) {
		if (o->reserved[i])
			return -EINVAL;
	}
	return o->machine && (o->root || o->model) ? -EINVAL : 0;
}

static int open_os(struct ntime_ctx *ctx, const struct ntime_options *o)
{
	struct nti_machine *machine;
	int ret;

	if (!o->machine) {
		ret = nti_os_linux_new(o->root, &ctx->os);
		if (ret == -ENAMETOOLONG)
			return nti_error(&ctx->error, ret,
					 "the name of the root directory is too long");
		if (ret == 0 && o->root && ctx->os->ops->access(ctx->os, "/", F_OK) < 0)
			return nti_error(&ctx->error, -ENOENT, "there is no directory %s", o->root);
		return ret;
	}
	ret = nti_machine_load(o->machine, &machine, &ctx->error);
	if (ret < 0)
		return ret;
	ret = nti_os_replay_new(machine, &ctx->os);
	if (ret < 0)
		nti_machine_free(machine);
	return ret;
}

/*
 * A metric file belongs to the user, not to the machine looked at: it is never looked for in a
 * recording or another root.
 */
static int load_metric_file(struct ntime_ctx *ctx, const char *path)
{
	char *text = malloc(METRICS_BYTES);
	int ret, fd;
	ssize_t n;

	if (!text)
		return -ENOMEM;
	fd = nti_file_open_text(path);
	n = fd < 0 ? fd : nti_file_read_all(fd, text, METRICS_BYTES);
	if (fd < 0)
		ret = nti_error(&ctx->error, fd, "cannot open the metric file %s: %s", path,
				nti_file_why(fd));
	else if (n < 0)
		ret = nti_error(&ctx->error, -EIO, "cannot read the metric file %s: %s", path,
				strerror((int)-n));
	else if (n == METRICS_BYTES)
		ret = nti_error(&ctx->error, -EFBIG, "the metric file %s is larger than 1 MiB",
				path);
	else
		ret = nti_metrics_parse(path, text, (size_t)n, &ctx->metrics, &ctx->error);
	if (fd >= 0)
		nti_file_close(fd);
	free(text);
	return ret;
}

/* The model that @o names, or, of this machine, the environment's; NULL: none. */
static const char *model_of(const struct ntime_options *o)
{
	const char *model = o->model;

	if (!model && !o->machine && !o->root)
		model = secure_getenv("NTIME_MODEL");
	return model && *model ? model : NULL;
}

/* The card is asked now which it is: who names one that is not there learns it at once. */
static int open_model(struct ntime_ctx *ctx, const char *socket, bool is_default)
{
	int ret = nti_card_find_model(socket, &ctx->model_chip, &ctx->model_units, &ctx->error);

	if (ret < 0)
		return is_default ? nti_error_prefix(&ctx->error, ret, "NTIME_MODEL") : ret;
	ctx->model = strdup(socket);
	return ctx->model ? 0 : -ENOMEM;
}

static int open_all(struct ntime_ctx *ctx, const struct ntime_options *o)
{
	int ret = open_os(ctx, o);

	if (ret == 0)
		ctx->os->interrupt = &ctx->interrupt;
	ctx->metrics = (struct nti_metrics){ .base = &nti_metrics_built_in };
	if (ret == 0 && o->metrics)
		ret = load_metric_file(ctx, o->metrics);
	if (ret == 0 && model_of(o))
		ret = open_model(ctx, model_of(o), !o->model);
	return ret;
}

int ntime_open(struct ntime_ctx **out, const struct ntime_options *options)
{
	static const struct ntime_options defaults = { .size = sizeof(defaults) };
	const struct ntime_options *o = options ? options : &defaults;
	struct ntime_ctx *ctx;
	int ret;

	*out = NULL;
	ret = check_options(o);
	if (ret < 0)
		return ret;
	ctx = calloc(1, sizeof(*ctx));
	if (!ctx)
		return -ENOMEM;
	ctx->log = o->log;
	ctx->has_no_selftest = o->flags & NTIME_NO_SELF_TEST;
	ctx->has_anew = o->flags & NTIME_SELF_TEST_ANEW;
	ctx->log_arg = o->log_arg;
	ctx->interrupt = (struct nti_interrupt){ .fn = o->interrupt, .arg = o->interrupt_arg };
	ret = open_all(ctx, o);
	if (ret < 0 && !ctx->error.code) {
		ntime_close(ctx);
		return ret;
	}
	ctx->is_broken = ret < 0;
	*out = ctx;
	return ret;
}

void ntime_close(struct ntime_ctx *ctx)
{
	if (!ctx)
		return;
	nti_topology_free(ctx->topology);
	nti_registers_free(ctx->registers);
	nti_msr_free(ctx->msr);
	nti_metrics_fini(&ctx->metrics);
	free(ctx->model);
	nti_units_fini(&ctx->units);
	if (ctx->os)
		ctx->os->ops->free(ctx->os);
	free(ctx);
}
