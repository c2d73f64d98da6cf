// SPDX-License-Identifier: MIT
/* The operating system of tree_os.h. */
#include <errno.h>

#include "base/tests/fuzz/tree_os.h"

#define QUIET __attribute__((no_sanitize("address", "undefined", "coverage")))
#define NAME_BYTES 256

static bool QUIET is_same(const char *a, const char *b, size_t bytes)
{
	while (bytes && *a == *b) {
		a++;
		b++;
		bytes--;
	}
	return !bytes;
}

static size_t QUIET length_of(const char *text)
{
	size_t n = 0;

	while (text[n])
		n++;
	return n;
}

/* The last one of that path: later entries replace earlier ones. */
static const struct fuzz_file *QUIET find(const struct fuzz_tree *t, const char *path)
{
	size_t bytes = length_of(path);

	for (size_t i = t->files; i-- > 0;)
		if (t->file[i].path_bytes == bytes && is_same(t->file[i].path, path, bytes))
			return &t->file[i];
	return NULL;
}

/* The path behind "@path/", NULL where @f is not below it. */
static const char *QUIET below(const struct fuzz_file *f, const char *path, size_t bytes)
{
	if (bytes == 1)
		bytes = 0; /* the root */
	if (f->path_bytes <= bytes + 1 || f->path[bytes] != '/' || !is_same(f->path, path, bytes))
		return NULL;
	return f->path + bytes + 1;
}

static bool QUIET is_folder(const struct fuzz_tree *t, const char *path)
{
	size_t bytes = length_of(path);

	for (size_t i = 0; i < t->files; i++)
		if (below(&t->file[i], path, bytes))
			return true;
	return false;
}

static int tree_text(struct nti_os *os, const char *path, char *buf, size_t size)
{
	const struct fuzz_tree *t = (const struct fuzz_tree *)os;
	const struct fuzz_file *f = find(t, path);
	size_t bytes;

	if (!f || f->is_link)
		return is_folder(t, path) ? -EISDIR : -ENOENT;
	bytes = strlen(f->text);
	if (bytes + 1 > size)
		return -E2BIG;
	memcpy(buf, f->text, bytes + 1);
	return (int)bytes;
}

static int compare(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* Names below @path, each once, sorted. */
static size_t names_of(const struct fuzz_tree *t, const char *path, char (*name)[NAME_BYTES])
{
	size_t bytes = strlen(path), n = 0, kept = 0, i;

	for (i = 0; i < t->files; i++) {
		const char *rest = below(&t->file[i], path, bytes);
		size_t length = rest ? strcspn(rest, "/") : 0;

		if (!length || length >= NAME_BYTES)
			continue;
		memcpy(name[n], rest, length);
		name[n++][length] = '\0';
	}
	qsort(name, n, NAME_BYTES, compare);
	for (i = 0; i < n; i++)
		if (!kept || strcmp(name[kept - 1], name[i]) != 0)
			memmove(name[kept++], name[i], NAME_BYTES);
	return kept;
}

static int tree_list(struct nti_os *os, const char *path, int (*fn)(void *arg, const char *name),
		     void *arg)
{
	const struct fuzz_tree *t = (const struct fuzz_tree *)os;
	char(*name)[NAME_BYTES] = malloc(FUZZ_TREE_FILES * NAME_BYTES);
	size_t n, i;
	int ret = 0;

	fuzz_expect(name != NULL);
	n = names_of(t, path, name);
	for (i = 0; i < n && ret == 0; i++)
		ret = strcmp(name[i], ".") && strcmp(name[i], "..") ? fn(arg, name[i]) : 0;
	free(name);
	if (n)
		return ret;
	return find(t, path) ? -ENOTDIR : -ENOENT;
}

static int tree_identity(struct nti_os *os, const char *path, uint64_t *out)
{
	(void)os, (void)path, (void)out;
	return -EOPNOTSUPP;
}

static int tree_link(struct nti_os *os, const char *path, char *buf, size_t size)
{
	const struct fuzz_tree *t = (const struct fuzz_tree *)os;
	const struct fuzz_file *f = find(t, path);

	if (!f || !f->is_link)
		return f || is_folder(t, path) ? -EINVAL : -ENOENT;
	if (strlen(f->text) + 1 > size)
		return -E2BIG;
	memcpy(buf, f->text, strlen(f->text) + 1);
	return (int)strlen(f->text);
}

static int tree_access(struct nti_os *os, const char *path, int mode)
{
	const struct fuzz_tree *t = (const struct fuzz_tree *)os;

	(void)mode;
	return find(t, path) || is_folder(t, path) ? 0 : -ENOENT;
}

static int tree_cpuid(struct nti_os *os, uint32_t leaf, uint32_t subleaf, uint32_t r[4])
{
	const struct fuzz_tree *t = (const struct fuzz_tree *)os;
	static const uint32_t intel[4] = { 0x16, 0x756e6547, 0x6c65746e, 0x49656e69 };

	(void)subleaf;
	if (!t->cpuid_family)
		return -ENOTSUP;
	memset(r, 0, 4 * sizeof(*r));
	if (leaf == 0)
		memcpy(r, intel, sizeof(intel));
	else if (leaf == 1)
		r[0] = t->cpuid_family;
	else if (leaf == 0xa)
		r[0] = 0x07300404;
	return 0;
}

static const char *tree_arch(struct nti_os *os)
{
	return ((const struct fuzz_tree *)os)->arch;
}

static bool tree_is_privileged(struct nti_os *os, bool perf)
{
	(void)os;
	return perf;
}

static int tree_tsc(struct nti_os *os, uint64_t *ticks)
{
	(void)os;
	*ticks = 0;
	return -ENOTSUP;
}

static int tree_open(struct nti_os *os, const char *path, int flags)
{
	(void)flags;
	return tree_access(os, path, 0) == 0 ? -EACCES : -ENOENT;
}

static int tree_directory(struct nti_os *os, const char *path, bool make)
{
	(void)os;
	(void)path;
	(void)make;
	return -EOPNOTSUPP;
}

static void tree_free(struct nti_os *os)
{
	(void)os;
}

/* Nothing can be opened, so nothing of a descriptor is set. */
static const struct nti_os_ops tree_ops = {
	.name = "tree",
	.text = tree_text,
	.list = tree_list,
	.link = tree_link,
	.identity = tree_identity,
	.access = tree_access,
	.cpuid = tree_cpuid,
	.arch = tree_arch,
	.is_privileged = tree_is_privileged,
	.tsc = tree_tsc,
	.open = tree_open,
	.directory = tree_directory,
	.free = tree_free,
};

/* The next entry, or NULL behind the last one; what is in front of the first one is of no file. */
static char *next_entry(char *text)
{
	for (; *text; text += strcspn(text, "\n"), text += *text == '\n')
		if ((*text == '=' || *text == '>') && text[1] == ' ' && text[2] == '/')
			return text;
	return NULL;
}

static void add(struct fuzz_tree *t, char *entry)
{
	struct fuzz_file *f = &t->file[t->files++];
	char *end;

	f->is_link = *entry == '>';
	f->path = entry + 2;
	f->path_bytes = strcspn(f->path, f->is_link ? " \n" : "\n");
	end = entry + 2 + f->path_bytes;
	f->text = *end ? end + 1 : end;
	*end = '\0';
	if (f->is_link && end != f->text)
		end[1 + strcspn(f->text, "\n")] = '\0';
}

void fuzz_tree_init(struct fuzz_tree *t, char *text)
{
	char *entry = next_entry(text), *next;

	*t = (struct fuzz_tree){ .os = { .ops = &tree_ops, .is_elsewhere = true },
				 .arch = "x86_64" };
	for (; entry && t->files < FUZZ_TREE_FILES; entry = next) {
		next = next_entry(entry + 1);
		if (next)
			next[-1] = '\0';
		add(t, entry);
	}
}
