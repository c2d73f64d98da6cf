// SPDX-License-Identifier: MIT
/*
 * For LD_PRELOAD: allocation number N of the program fails, or all from there on.
 *
 * NTIME_FAULTS=FILE,N,MODE: FILE holds a struct faults_page, which counts allocations in any mode;
 * MODE is "count", "once" or "good" (for good). Counting begins where libraries have been loaded.
 * Programs that this one executes are left alone.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>
#include <unwind.h>

#include "tests/faults/faults.h"

/* glibc's own names of what is replaced here: dlsym(3) allocates. */
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t n, size_t bytes);
void *__libc_realloc(void *old, size_t bytes);
void *__libc_memalign(size_t align, size_t bytes);

#define FRAMES 24

static struct faults_page *page;
static uint64_t fail_at;
static int for_good;
static __thread int is_inside; /* finding out who allocates may allocate */

/* ---- who allocates ---- */

struct frames {
	void *at[FRAMES];
	int n;
};

static _Unwind_Reason_Code add_frame(struct _Unwind_Context *context, void *arg)
{
	struct frames *f = arg;

	if (f->n == FRAMES)
		return _URC_END_OF_STACK;
	f->at[f->n++] = (void *)_Unwind_GetIP(context);
	return _URC_NO_REASON;
}

/* It dies without memory (README.md); what it asks for does not fail. */
static const char *const spared[] = { "/libhwloc" };

static int is_spared(const struct frames *f)
{
	Dl_info of;

	for (int i = 0; i < f->n; i++) {
		if (!dladdr(f->at[i], &of) || !of.dli_fname)
			continue;
		for (size_t k = 0; k < sizeof(spared) / sizeof(spared[0]); k++)
			if (strstr(of.dli_fname, spared[k]))
				return 1;
	}
	return 0;
}

static void note(const struct frames *f)
{
	size_t bytes = 0;
	Dl_info of;

	for (int i = 2; i < f->n && bytes < sizeof(page->where); i++) {
		if (!dladdr(f->at[i], &of) || !of.dli_fname)
			continue;
		bytes += (size_t)snprintf(page->where + bytes, sizeof(page->where) - bytes,
					  "%s+0x%lx %s\n", of.dli_fname,
					  (unsigned long)((char *)f->at[i] - (char *)of.dli_fbase),
					  of.dli_sname ? of.dli_sname : "");
	}
}

/* Callers that tell one place from another; more of them are the same loops again. */
#define DEPTH 10

/* Stacks that were seen, by their hash; a slot has 0 or one of them. */
static uint64_t seen[2 * FAULTS_PLACES];

static void note_place(const struct frames *f, uint64_t number)
{
	uint64_t hash = 14695981039346656037u;
	size_t at;

	for (int i = 1; i < f->n && i <= DEPTH; i++)
		hash = (hash ^ (uintptr_t)f->at[i]) * 1099511628211u;
	for (at = hash % (2 * FAULTS_PLACES); seen[at]; at = (at + 1) % (2 * FAULTS_PLACES))
		if (seen[at] == hash)
			return;
	if (page->places == FAULTS_PLACES)
		return;
	seen[at] = hash;
	page->place[page->places++] = number;
}

static int fails(void)
{
	struct frames f = { .n = 0 };
	uint64_t number;
	int ret;

	if (!page || is_inside)
		return 0;
	number = __atomic_add_fetch(&page->calls, 1, __ATOMIC_RELAXED);
	if (fail_at && (number < fail_at || (number > fail_at && !for_good)))
		return 0;
	is_inside = 1;
	_Unwind_Backtrace(add_frame, &f);
	if (!fail_at) {
		note_place(&f, number);
		is_inside = 0;
		return 0;
	}
	ret = !is_spared(&f);
	if (!ret)
		page->spared++;
	else if (!page->failed++)
		note(&f);
	is_inside = 0;
	if (ret)
		errno = ENOMEM;
	return ret;
}

/* ---- what is replaced ---- */

void *malloc(size_t bytes)
{
	return fails() ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t n, size_t bytes)
{
	return fails() ? NULL : __libc_calloc(n, bytes);
}

void *realloc(void *old, size_t bytes)
{
	return fails() ? NULL : __libc_realloc(old, bytes);
}

void *memalign(size_t align, size_t bytes)
{
	return fails() ? NULL : __libc_memalign(align, bytes);
}

void *aligned_alloc(size_t align, size_t bytes)
{
	return memalign(align, bytes);
}

int posix_memalign(void **out, size_t align, size_t bytes)
{
	void *memory = memalign(align, bytes);

	if (!memory)
		return ENOMEM;
	*out = memory;
	return 0;
}

/* ---- beginning ---- */

static struct faults_page *open_page(const char *path)
{
	void *at;
	int fd = open(path, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return NULL;
	at = mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return at == MAP_FAILED ? NULL : at;
}

__attribute__((constructor)) static void begin(void)
{
	char *text = getenv("NTIME_FAULTS"), *number, *mode;
	struct faults_page *opened;

	/* The unwinder loads what it needs now. */
	(void)_Unwind_Backtrace(add_frame, &(struct frames){ .n = 0 });
	if (!text)
		return;
	number = strchr(text, ',');
	mode = number ? strchr(number + 1, ',') : NULL;
	if (!mode)
		return;
	*number = '\0';
	fail_at = strtoull(number + 1, NULL, 10);
	for_good = strcmp(mode + 1, "good") == 0;
	opened = open_page(text);
	unsetenv("NTIME_FAULTS");
	unsetenv("LD_PRELOAD");
	/* Last, as all that comes now is the program's. */
	(void)prctl(FAULTS_BEGIN, 0, 0, 0, 0);
	page = opened;
}
