// SPDX-License-Identifier: MIT
/* A recorded machine in memory: the tree of names, links in it, registers. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/common/compiler.h"
#include "base/common/grow.h"
#include "base/os/replay/machine.h"

#define MAX_LINKS 40 /* the kernel's own limit, include/linux/namei.h MAXSYMLINKS */

/* Errors a file may name: those that system calls we make can give. */
static const struct errno_name {
	int number;
	const char *name;
} errno_names[] = {
	{ EPERM, "EPERM" },   { ENOENT, "ENOENT" },   { ESRCH, "ESRCH" },
	{ EINTR, "EINTR" },   { EIO, "EIO" },	      { ENXIO, "ENXIO" },
	{ E2BIG, "E2BIG" },   { EBADF, "EBADF" },     { EAGAIN, "EAGAIN" },
	{ ENOMEM, "ENOMEM" }, { EACCES, "EACCES" },   { EFAULT, "EFAULT" },
	{ EBUSY, "EBUSY" },   { ENODEV, "ENODEV" },   { EINVAL, "EINVAL" },
	{ ENFILE, "ENFILE" }, { EMFILE, "EMFILE" },   { ENOSPC, "ENOSPC" },
	{ ENOSYS, "ENOSYS" }, { ENODATA, "ENODATA" }, { EOPNOTSUPP, "EOPNOTSUPP" },
};

static const char *const call_names[NTI_CALLS] = {
	[NTI_CALL_TEXT] = "text",     [NTI_CALL_LIST] = "list",
	[NTI_CALL_LINK] = "link",     [NTI_CALL_ACCESS] = "access",
	[NTI_CALL_OPEN] = "open",     [NTI_CALL_PERF_OPEN] = "perf_open",
	[NTI_CALL_READ] = "read",     [NTI_CALL_PREAD] = "pread",
	[NTI_CALL_PWRITE] = "pwrite", [NTI_CALL_IOCTL] = "ioctl",
};

int nti_errno_parse(const char *name)
{
	size_t i;

	for (i = 0; i < NTI_ARRAY_SIZE(errno_names); i++)
		if (strcmp(errno_names[i].name, name) == 0)
			return -errno_names[i].number;
	return 0;
}

const char *nti_errno_name(int error)
{
	size_t i;

	for (i = 0; i < NTI_ARRAY_SIZE(errno_names); i++)
		if (errno_names[i].number == -error)
			return errno_names[i].name;
	return NULL;
}

int nti_call_parse(const char *name)
{
	int i;

	for (i = 0; i < NTI_CALLS; i++)
		if (strcmp(call_names[i], name) == 0)
			return i;
	return -1;
}

/* Paths hold no control characters, so 1 is free for the slash. */
static unsigned int rank(char c)
{
	return c == '/' ? 1 : (unsigned char)c;
}

/*
 * The order of the tree: as strcmp, with '/' before every other character, so that a directory's
 * content is contiguous.
 */
static int compare_paths(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return rank(*a) < rank(*b) ? -1 : rank(*a) > rank(*b);
}

static int compare_nodes(const void *a, const void *b)
{
	const struct nti_machine_node *na = a, *nb = b;

	return compare_paths(na->path, nb->path);
}

int nti_machine_add(struct nti_machine *m, enum nti_machine_node_kind kind, const char *path,
		    const char *text, int error, uint32_t number)
{
	size_t bytes = strlen(path) + (text ? strlen(text) : 0);
	struct nti_machine_node *node;

	if (m->node_count >= NTI_MACHINE_MAX_ENTRIES ||
	    bytes > NTI_MACHINE_FILE_BYTES - m->text_bytes)
		return -E2BIG;
	if (!nti_grow(&m->nodes, m->node_count))
		return -ENOMEM;
	node = &m->nodes[m->node_count];
	node->path = strdup(path);
	node->text = text ? strdup(text) : NULL;
	node->kind = kind;
	node->error = error;
	node->number = number;
	if (!node->path || (text && !node->text)) {
		free(node->path);
		free(node->text);
		return -ENOMEM;
	}
	m->text_bytes += bytes;
	m->node_count++;
	return 0;
}

static bool is_below(const char *path, const char *directory, size_t length)
{
	return strncmp(path, directory, length) == 0 && path[length] == '/';
}

int nti_machine_seal(struct nti_machine *m, const struct nti_machine_node **clash)
{
	size_t i;

	if (m->node_count)
		qsort(m->nodes, m->node_count, sizeof(*m->nodes), compare_nodes);
	for (i = 1; i < m->node_count; i++) {
		const char *before = m->nodes[i - 1].path, *path = m->nodes[i].path;

		if (strcmp(before, path) == 0 || is_below(path, before, strlen(before))) {
			*clash = &m->nodes[i - 1];
			return -EEXIST;
		}
	}
	return 0;
}

/* Index of the first node that is not before @path in the tree's order. */
static size_t lower_bound(const struct nti_machine *m, const char *path)
{
	size_t low = 0, high = m->node_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_paths(m->nodes[middle].path, path) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct nti_machine_node *nti_machine_node_find(const struct nti_machine *m, const char *path)
{
	size_t i = lower_bound(m, path);

	return i < m->node_count && strcmp(m->nodes[i].path, path) == 0 ? &m->nodes[i] : NULL;
}

/* Index of the first node below directory @path; node_count when @path is no directory. */
static size_t first_below(const struct nti_machine *m, const char *path)
{
	size_t length = strcmp(path, "/") == 0 ? 0 : strlen(path);
	size_t i = length ? lower_bound(m, path) : 0;

	/*
	 * Nothing sits between a directory's own place and its content: '/' is the lowest
	 * character.
	 */
	return i < m->node_count && is_below(m->nodes[i].path, path, length) ? i : m->node_count;
}

static bool is_directory(const struct nti_machine *m, const char *path)
{
	return !*path || first_below(m, path) < m->node_count;
}

/* What is still to be walked (rest) and what was walked (done, "" is the root). */
struct walk {
	char rest[2 * NTI_MACHINE_PATH_BYTES];
	char *done;
	size_t done_bytes;
	unsigned int links;
};

/* Cut the first component off rest; false when there is none. */
static bool next_component(struct walk *w, char *component)
{
	const char *from = w->rest + strspn(w->rest, "/");
	size_t length = strcspn(from, "/");

	if (!length)
		return false;
	if (length >= NTI_MACHINE_PATH_BYTES)
		length = NTI_MACHINE_PATH_BYTES - 1;
	memcpy(component, from, length);
	component[length] = '\0';
	memmove(w->rest, from + length, strlen(from + length) + 1);
	return true;
}

static bool is_at_end(const struct walk *w)
{
	return w->rest[strspn(w->rest, "/")] == '\0';
}

static void walk_up(struct walk *w)
{
	while (w->done_bytes && w->done[w->done_bytes - 1] != '/')
		w->done_bytes--;
	if (w->done_bytes)
		w->done_bytes--;
	w->done[w->done_bytes] = '\0';
}

static int walk_down(struct walk *w, const char *component)
{
	size_t length = strlen(component);

	if (w->done_bytes + length + 2 > NTI_MACHINE_PATH_BYTES)
		return -ENAMETOOLONG;
	w->done[w->done_bytes] = '/';
	memcpy(w->done + w->done_bytes + 1, component, length + 1);
	w->done_bytes += length + 1;
	return 0;
}

/* Put a link's target in front of what is left. */
static int walk_link(struct walk *w, const char *target)
{
	size_t length = strlen(target), rest = strlen(w->rest);

	if (++w->links > MAX_LINKS)
		return -ELOOP;
	if (!length)
		return -ENOENT;
	if (length + rest + 2 > sizeof(w->rest))
		return -ENAMETOOLONG;
	memmove(w->rest + length + 1, w->rest, rest + 1);
	memcpy(w->rest, target, length);
	w->rest[length] = '/';
	if (*target == '/') {
		w->done_bytes = 0;
		w->done[0] = '\0';
	} else {
		walk_up(w);
	}
	return 0;
}

static int walk_into(const struct nti_machine *m, struct walk *w, const char *component,
		     bool follow, const struct nti_machine_node **node)
{
	int ret;

	if (strcmp(component, ".") == 0)
		return 0;
	if (strcmp(component, "..") == 0) {
		walk_up(w);
		return 0;
	}
	ret = walk_down(w, component);
	if (ret < 0)
		return ret;
	*node = nti_machine_node_find(m, w->done);
	if (!*node)
		return is_directory(m, w->done) ? 0 : -ENOENT;
	if ((*node)->kind == NTI_MACHINE_NODE_ERROR)
		return is_at_end(w) ? 0 : (*node)->error;
	if ((*node)->kind == NTI_MACHINE_NODE_LINK && (follow || !is_at_end(w))) {
		ret = walk_link(w, (*node)->text);
		*node = NULL;
		return ret;
	}
	return is_at_end(w) ? 0 : -ENOTDIR;
}

int nti_machine_resolve(const struct nti_machine *m, const char *path, bool follow, char *out,
			const struct nti_machine_node **node)
{
	char component[NTI_MACHINE_PATH_BYTES];
	struct walk w = { .done = out };
	int ret;

	*node = NULL;
	out[0] = '\0';
	if (*path != '/')
		return -ENOENT;
	if (strlen(path) >= NTI_MACHINE_PATH_BYTES)
		return -ENAMETOOLONG;
	memcpy(w.rest, path, strlen(path) + 1);
	while (next_component(&w, component)) {
		*node = NULL;
		ret = walk_into(m, &w, component, follow, node);
		if (ret < 0)
			return ret;
	}
	if (!*out)
		memcpy(out, "/", 2);
	return 0;
}

int nti_machine_text(const struct nti_machine *m, const char *path, char *buf, size_t size)
{
	char real[NTI_MACHINE_PATH_BYTES];
	const struct nti_machine_node *node;
	int ret = nti_machine_resolve(m, path, true, real, &node);
	size_t length;

	if (ret < 0)
		return ret;
	if (!node)
		return -EISDIR;
	if (node->kind != NTI_MACHINE_NODE_FILE)
		return node->kind == NTI_MACHINE_NODE_ERROR ? node->error : -EIO;
	length = strlen(node->text);
	if (length + 1 > size)
		return -E2BIG;
	memcpy(buf, node->text, length + 1);
	return (int)length;
}

/* The name in directory @length of a path below it. */
static void copy_name(const char *path, size_t length, char *name)
{
	const char *from = path + length + 1;
	size_t bytes = strcspn(from, "/");

	memcpy(name, from, bytes);
	name[bytes] = '\0';
}

int nti_machine_list(const struct nti_machine *m, const char *path,
		     int (*fn)(void *arg, const char *name), void *arg)
{
	char real[NTI_MACHINE_PATH_BYTES], name[NTI_MACHINE_PATH_BYTES],
		last[NTI_MACHINE_PATH_BYTES] = "";
	const struct nti_machine_node *node;
	int ret = nti_machine_resolve(m, path, true, real, &node);
	size_t i, length;

	if (ret < 0)
		return ret;
	if (node)
		return node->kind == NTI_MACHINE_NODE_ERROR ? node->error : -ENOTDIR;
	length = strcmp(real, "/") == 0 ? 0 : strlen(real);
	for (i = first_below(m, real); i < m->node_count; i++) {
		if (!is_below(m->nodes[i].path, real, length))
			break;
		copy_name(m->nodes[i].path, length, name);
		if (strcmp(name, last) == 0)
			continue;
		memcpy(last, name, strlen(name) + 1);
		ret = fn(arg, name);
		if (ret)
			return ret;
	}
	return 0;
}

const struct nti_machine_register *nti_machine_register_find(const struct nti_machine *m,
							     uint32_t cpu, uint32_t address)
{
	size_t low = 0, high = m->register_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct nti_machine_register *r = &m->registers[middle];

		if (r->cpu == cpu && r->address == address)
			return r;
		if (r->cpu < cpu || (r->cpu == cpu && r->address < address))
			low = middle + 1;
		else
			high = middle;
	}
	return cpu == NTI_MACHINE_ANY_CPU
		       ? NULL
		       : nti_machine_register_find(m, NTI_MACHINE_ANY_CPU, address);
}

NTI_WEAK void nti_machine_counting_free(void *counting)
{
	(void)counting;
}

void nti_machine_free(struct nti_machine *m)
{
	size_t i;

	if (!m)
		return;
	for (i = 0; i < m->node_count; i++) {
		free(m->nodes[i].path);
		free(m->nodes[i].text);
	}
	nti_machine_counting_free(m->counting);
	free(m->nodes);
	free(m->cpuid);
	free(m->registers);
	free(m->faults);
	free(m->topology_xml);
	free(m->topology_synthetic);
	free(m->arch);
	free(m);
}
