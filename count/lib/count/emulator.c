// SPDX-License-Identifier: MIT
/* A command in the emulator, and what its plugin counts. */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/common/error.h"
#include "base/os/exec_file.h"
#include "base/os/file.h"
#include "base/os/process.h"
#include "base/os/symbols.h"
#include "count/lib/context/context.h"
#include "count/lib/count/emulator.h"
#include "count/lib/count/session.h"

/* Counts of the emulator by function: blocks of instructions, each put to the symbol it is in. */

_Static_assert(NTE_STORES < NTE_COUNTS - 1, "a block's record has room for all counts");
_Static_assert((int)NTIME_EMULATED_EVENTS == (int)NTE_COUNTS, "counts have the same numbers");

struct nti_functions {
	/* copies: the programs that ran may change theirs */
	char *path[NTE_FILES];
	struct nti_symbols *symbols[NTE_FILES]; /* of those files that could be read */
	struct ntime_function *function;
	size_t n;
};

static void functions_free(struct nti_functions *f)
{
	size_t i;

	if (!f)
		return;
	for (i = 0; i < NTE_FILES; i++) {
		nti_symbols_free(f->symbols[i]);
		free(f->path[i]);
	}
	free(f->function);
	free(f);
}

/* Is it still the file whose code ran? */
static bool is_same(const struct nti_file_state *state, const struct nte_file *that)
{
	return state->is_regular && (int64_t)state->inode == that->inode &&
	       state->modified_ns == that->mtime_ns;
}

/* 0 or -ENOMEM. */
static int read_symbols(struct nti_functions *f, const struct nte_counts *counts, size_t file)
{
	const struct nte_file *that = &counts->file[file];
	struct nti_file_state state;
	int fd, ret = 0;

	f->path[file] = strndup(that->path, sizeof(that->path));
	if (!f->path[file])
		return -ENOMEM;
	/* Opening what is no file may do something. */
	if (nti_file_state_of(f->path[file], &state) < 0 || !is_same(&state, that))
		return 0;
	fd = nti_file_open_any(f->path[file]);
	if (fd < 0)
		return 0;
	if (nti_file_state(fd, &state) == 0 && is_same(&state, that))
		ret = nti_symbols_read(fd, &f->symbols[file]);
	nti_file_close(fd);
	return ret == -ENOMEM ? ret : 0;
}

static int read_files(struct nti_functions *f, const struct nte_counts *counts)
{
	size_t i, n = __atomic_load_n(&counts->files, __ATOMIC_RELAXED);
	int ret = 0;

	for (i = 1; i < n && i < NTE_FILES && !ret; i++)
		ret = read_symbols(f, counts, i);
	return ret;
}

static struct ntime_function function_of(const struct nti_functions *f,
					 const struct nte_block *block)
{
	uint64_t key = nte_get(&block->key);
	uint64_t instructions = NTE_KEY_INSTRUCTIONS(key);
	const char *path = f->path[NTE_KEY_FILE(key)];
	struct ntime_function out = { .file = path && *path ? path : NULL };
	size_t i;

	for (i = 0; i < NTE_COUNTS - 1; i++)
		out.count[i] = nte_get(&block->count[i]);
	if (!key)
		out.name = "[no room]";
	if (NTE_KEY_HAS_BRANCH(key) && instructions)
		out.count[NTE_BRANCHES] = out.count[NTE_INSTRUCTIONS] / instructions;
	if (f->symbols[NTE_KEY_FILE(key)])
		out.name = nti_symbols_name(f->symbols[NTE_KEY_FILE(key)], NTE_KEY_OFFSET(key));
	return out;
}

static int compare_texts(const char *a, const char *b)
{
	return !a || !b ? !a - !b : strcmp(a, b);
}

static int by_name(const void *a, const void *b)
{
	const struct ntime_function *x = a, *y = b;
	int order = compare_texts(x->file, y->file);

	return order ? order : compare_texts(x->name, y->name);
}

static int by_instructions(const void *a, const void *b)
{
	const struct ntime_function *x = a, *y = b;
	uint64_t m = x->count[NTE_INSTRUCTIONS], n = y->count[NTE_INSTRUCTIONS];

	return m != n ? (m < n) - (m > n) : by_name(a, b);
}

static void merge(struct nti_functions *f)
{
	size_t i, k, n = 0;

	qsort(f->function, f->n, sizeof(*f->function), by_name);
	for (i = 0; i < f->n; i++) {
		if (n && by_name(&f->function[n - 1], &f->function[i]) == 0)
			for (k = 0; k < NTE_COUNTS; k++)
				f->function[n - 1].count[k] += f->function[i].count[k];
		else
			f->function[n++] = f->function[i];
	}
	f->n = n;
	qsort(f->function, f->n, sizeof(*f->function), by_instructions);
}

static int fill(struct nti_functions *f, const struct nte_counts *counts)
{
	size_t i, n = __atomic_load_n(&counts->blocks, __ATOMIC_RELAXED);
	int ret = read_files(f, counts);

	if (n > NTE_BLOCKS)
		n = NTE_BLOCKS;
	f->function = calloc(n + 1, sizeof(*f->function));
	if (ret || !f->function)
		return -ENOMEM;
	for (i = 0; i < n; i++)
		if (counts->block[i].count[NTE_INSTRUCTIONS])
			f->function[f->n++] = function_of(f, &counts->block[i]);
	merge(f);
	return 0;
}

ssize_t ntime_emulator_functions(struct ntime_ctx *ctx, struct ntime_emulator *e,
				 const struct ntime_function **out)
{
	struct nti_functions *f;

	*out = NULL;
	if (!e->by_function)
		return nti_error(&ctx->error, -EINVAL,
				 "the emulator was not asked to count by function");
	f = calloc(1, sizeof(*f));
	if (!f)
		return -ENOMEM;
	if (fill(f, e->counts) < 0) {
		functions_free(f);
		return -ENOMEM;
	}
	functions_free(e->functions);
	e->functions = f;
	*out = f->function;
	return (ssize_t)f->n;
}

static const struct {
	const char *name;
	enum nte_count count;
} events[] = {
	{ "instructions", NTE_INSTRUCTIONS },
	{ "branches", NTE_BRANCHES },
	{ "taken-branches", NTE_TAKEN_BRANCHES },
	{ "loads", NTE_LOADS },
	{ "stores", NTE_STORES },
	{ "syscalls", NTE_SYSCALLS },
};

int nti_emulated_find(const char *name)
{
	size_t i, bytes = strcspn(name, ":");

	/* With the modes that it counts behind it, or others. */
	if (name[bytes] && name[bytes + 1 + strspn(name + bytes + 1, "ukh")])
		return -1;
	for (i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		if (strlen(events[i].name) == bytes && strncmp(events[i].name, name, bytes) == 0)
			return (int)i;
	return -1;
}

int ntime_emulator_event(const char *name)
{
	int i = nti_emulated_find(name);

	return i < 0 ? -ENOENT : (int)events[i].count;
}

/* The plugin asks before it runs anything what it is to do beside its work. */
int nti_emulated_want(const struct ntime_emulator *e, const char *name, struct nti_absence *out)
{
	int event = nti_emulated_find(name);
	uint32_t bit = 1u << events[event].count;

	if (strpbrk(name + strlen(events[event].name), "kh"))
		return nti_absence_set(out, NTIME_REASON_NOT_SUPPORTED, "emulator", "",
				       "the emulator runs and counts user mode alone");
	if (events[event].count < NTE_TAKEN_BRANCHES || e->counts->wanted & bit)
		return 0;
	if (__atomic_load_n(&e->counts->plugins, __ATOMIC_RELAXED))
		return nti_absence_set(out, NTIME_REASON_NOT_SUPPORTED, "emulator", "",
				       "the command runs already, without these counted");
	e->counts->wanted |= bit;
	return 0;
}

static uint64_t sum_of(const struct nte_counts *counts, enum nte_count which)
{
	uint32_t used = __atomic_load_n(&counts->used, __ATOMIC_RELAXED), i;
	uint32_t pages = __atomic_load_n(&counts->next_page, __ATOMIC_RELAXED);
	uint64_t sum = 0;

	/* Pages are given out one behind the other, and again from the first one on. */
	for (i = 0; i < pages && i < NTE_PAGES; i++)
		for (size_t k = 0; k < NTE_PAGE_PLACES; k++)
			sum += nte_get(&counts->page[i].place[k].count[which]);
	for (i = 0; i < used && i < NTE_PLACES; i++)
		sum += nte_get(&counts->place[i].count[which]);
	return sum;
}

/* Before the first instruction nothing is known, also not that it was nothing. */
struct ntime_value nti_emulated_value(const struct ntime_session *s,
				      const struct nti_session_item *item, uint64_t real_ns)
{
	const struct nte_counts *counts = s->target.emulator->counts;
	enum nte_count which = events[item->emulated].count;
	struct ntime_value out = { .value = NAN, .scale = 1 };
	uint64_t executed = sum_of(counts, NTE_INSTRUCTIONS);

	if (!executed) {
		out.flags = NTIME_NOT_COUNTED;
		return out;
	}
	out.count = which == NTE_INSTRUCTIONS ? executed : sum_of(counts, which);
	out.value = (double)out.count;
	out.wanted_ns = out.counted_ns = real_ns;
	out.flags = __atomic_load_n(&counts->outside, __ATOMIC_RELAXED) ? NTIME_PARTIAL : 0;
	/* Others are counted when they have happened, not when their block begins. */
	if ((which == NTE_INSTRUCTIONS || which == NTE_BRANCHES || which == NTE_TAKEN_BRANCHES) &&
	    __atomic_load_n(&counts->faults, __ATOMIC_RELAXED))
		out.flags |= NTIME_AT_MOST;
	return out;
}

static int make_counts(struct ntime_emulator *e, bool by_function)
{
	struct nte_counts *counts;
	int ret = nti_map_memory(&e->map, "ntime-emulator",
				 by_function ? sizeof(*counts) : NTE_PLAIN_BYTES);

	if (ret < 0)
		return ret;
	counts = e->map.memory;
	counts->version = NTE_COUNTS_VERSION;
	/* The first one is for all that find none. */
	counts->used = counts->files = counts->blocks = 1;
	counts->by_function = e->by_function = by_function;
	memcpy(counts->magic, NTE_COUNTS_MAGIC, sizeof(counts->magic));
	e->counts = counts;
	return 0;
}

/* Options of a plugin are separated by commas, and QEMU knows no way to write one. */
static int set_plugin(struct ntime_ctx *ctx, struct ntime_emulator *e, const char *plugin)
{
	int n;

	if (strchr(plugin, ',') || strchr(e->qemu, ','))
		return nti_error(&ctx->error, -EINVAL,
				 "%s has a comma in its name, which QEMU cannot be told of",
				 strchr(plugin, ',') ? plugin : e->qemu);
	n = snprintf(e->plugin, sizeof(e->plugin), "%s,counts=/proc/%d/fd/%d,qemu=%s,plugin=%s",
		     plugin, (int)nti_process_self(), e->map.fd, e->qemu, plugin);
	if ((size_t)n < sizeof(e->plugin))
		return 0;
	return nti_error(&ctx->error, -EINVAL, "the name of the emulator's plugin is too long");
}

/* What runs programs of e->machine, of which argv[0] is one. */
static int find_emulator(struct ntime_ctx *ctx, struct ntime_emulator *e, const char *program)
{
	char name[32];
	int ret;

	(void)snprintf(name, sizeof(name), "qemu-%s", e->machine->name);
	ret = nti_exec_find(name, e->qemu);
	if (ret == 0)
		return 0;
	if (ret != -ENOENT)
		return nti_error(&ctx->error, -ENOPKG, "%s needs %s, which cannot be executed: %s",
				 program, name, strerror(-ret));
	return nti_error(&ctx->error, -ENOPKG,
			 "%s needs %s, which is not installed: install the package qemu-user",
			 program, name);
}

/* The command that runs @argv with the emulator of its processor; -ENOEXEC: there is none. */
static int make_argv(struct ntime_ctx *ctx, struct ntime_emulator *e, char *const argv[])
{
	struct nte_emulator how = { .qemu = e->qemu, .plugin = e->plugin };
	size_t most = 0;

	while (argv[most])
		most++;
	most += 16;
	e->argv = calloc(most, sizeof(*e->argv));
	if (!e->argv)
		return -ENOMEM;
	for (e->machine = nte_machines; e->machine->name; e->machine++) {
		how.machine = e->machine->elf;
		if (nte_program_command(&how, e->program, argv, e->text, sizeof(e->text), e->argv,
					most) == NTE_PROGRAM)
			return 0;
	}
	return nti_error(&ctx->error, -ENOEXEC,
			 "%s cannot be emulated: it is no program of x86_64, aarch64, riscv64 or "
			 "ppc64le, or one that changes its user (set-uid)",
			 argv[0]);
}

int ntime_emulator_new(struct ntime_ctx *ctx, char *const argv[], const char *plugin,
		       uint32_t flags, struct ntime_emulator **out)
{
	struct ntime_emulator *e;
	int ret;

	*out = NULL;
	if (!argv || !argv[0])
		return nti_error(&ctx->error, -EINVAL, "no command was given");
	if (flags & ~(uint32_t)NTIME_EMULATOR_FUNCTIONS)
		return nti_error(&ctx->error, -EINVAL, "a flag is unknown");
	ret = flags ? nti_symbols_ready(&ctx->error) : 0;
	if (ret < 0)
		return ret;
	e = calloc(1, sizeof(*e));
	if (!e)
		return -ENOMEM;
	ret = nti_exec_find(argv[0], e->program);
	if (ret < 0)
		ret = nti_error(&ctx->error, ret, "%s: %s", argv[0],
				ret == -ENOENT ? "command not found" : strerror(-ret));
	if (ret == 0)
		ret = make_counts(e, flags & NTIME_EMULATOR_FUNCTIONS);
	if (ret == 0)
		ret = make_argv(ctx, e, argv);
	if (ret == 0)
		ret = find_emulator(ctx, e, argv[0]);
	if (ret == 0)
		ret = set_plugin(ctx, e, plugin);
	if (ret < 0) {
		ntime_emulator_free(e);
		return ret;
	}
	*out = e;
	return 0;
}

char *const *ntime_emulator_argv(const struct ntime_emulator *e)
{
	return e->argv;
}

int ntime_emulator_get_info(const struct ntime_emulator *e, struct ntime_emulator_info *out)
{
	if (out->size != sizeof(*out))
		return -EINVAL;
	*out = (struct ntime_emulator_info){
		.size = sizeof(*out),
		.processes = __atomic_load_n(&e->counts->plugins, __ATOMIC_RELAXED),
		.outside = __atomic_load_n(&e->counts->outside, __ATOMIC_RELAXED),
		.lacking = __atomic_load_n(&e->counts->lacking, __ATOMIC_RELAXED),
		.system_call = __atomic_load_n(&e->counts->system_call, __ATOMIC_RELAXED),
		.faults = __atomic_load_n(&e->counts->faults, __ATOMIC_RELAXED),
	};
	return 0;
}

void ntime_emulator_free(struct ntime_emulator *e)
{
	if (!e)
		return;
	functions_free(e->functions);
	nti_map_close(&e->map);
	free(e->argv);
	free(e);
}
