// SPDX-License-Identifier: MIT
/* Counts of the emulator by function: blocks of instructions, each put to the symbol it is in. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "count/lib/context/context.h"
#include "count/lib/count/emulator.h"
#include "base/os/file.h"
#include "base/os/symbols.h"

_Static_assert(NTE_STORES < NTE_COUNTS - 1, "a block's record has room for all counts");
_Static_assert((int)NTIME_EMULATED_EVENTS == (int)NTE_COUNTS, "counts have the same numbers");

struct nti_functions {
	/* copies: the programs that ran may change theirs */
	char *path[NTE_FILES];
	struct nti_symbols *symbols[NTE_FILES]; /* of those files that could be read */
	struct ntime_function *function;
	size_t n;
};

void nti_functions_free(struct nti_functions *f)
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
		nti_functions_free(f);
		return -ENOMEM;
	}
	nti_functions_free(e->functions);
	e->functions = f;
	*out = f->function;
	return (ssize_t)f->n;
}
