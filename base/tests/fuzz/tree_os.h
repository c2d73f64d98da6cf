/* SPDX-License-Identifier: MIT */
/*
 * An operating system whose files are the input, as a tree under --root may hold anything:
 *
 *     = /sys/devices/system/cpu/online     a file; what follows, up to the next such line, is in it
 *     0-3
 *     > /sys/class/drm/card0 ../../card    a symbolic link and its target; of its path only itself
 *                                          is a link, what lies below is given by its whole path
 *
 * Looking for a file is not compiled for the fuzzer and the sanitizers: it compares each name with
 * each path, which tells nothing of the parsers and would take most of the time.
 */
#ifndef FUZZ_TREE_OS_H
#define FUZZ_TREE_OS_H

#include "base/os/os.h"
#include "base/tests/fuzz/fuzz.h"

#define FUZZ_TREE_FILES 96

struct fuzz_file {
	const char *path, *text; /* in the input, which is cut up */
	size_t path_bytes;
	bool is_link;
};

struct fuzz_tree {
	struct nti_os os; /* first: the operations get this pointer */
	struct fuzz_file file[FUZZ_TREE_FILES];
	size_t files;
	const char *arch;
	uint32_t cpuid_family; /* EAX of leaf 1; 0: no CPUID */
};

/* Cut @text up; it must stay as long as @t. */
void fuzz_tree_init(struct fuzz_tree *t, char *text);

#endif
