/* SPDX-License-Identifier: MIT */
/* A loaded machine from the inside; for the files of this folder only. */
#ifndef NTI_REPLAY_MACHINE_H
#define NTI_REPLAY_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/common/error.h"
#include "base/os/replay/replay.h"

#define NTI_MACHINE_PATH_BYTES 1024
#define NTI_MACHINE_ANY_CPU UINT32_MAX

/*
 * One name of the recorded tree. Directories are not stored: every leading part of a path is one.
 */
enum nti_machine_node_kind {
	NTI_MACHINE_NODE_FILE,	/* text is the content */
	NTI_MACHINE_NODE_LINK,	/* text is the target */
	NTI_MACHINE_NODE_ERROR, /* looking at it, or below it, fails with error */
	NTI_MACHINE_NODE_MSR,	/* /dev/cpu/N/msr; number is the CPU */
};

struct nti_machine_node {
	char *path;
	char *text;
	enum nti_machine_node_kind kind;
	int error; /* negative errno */
	uint32_t number;
};

struct nti_machine_cpuid {
	uint32_t leaf, subleaf;
	uint32_t r[4]; /* eax ebx ecx edx */
};

struct nti_machine_register {
	uint32_t cpu; /* or NTI_MACHINE_ANY_CPU */
	uint32_t address;
	uint64_t value;
};

/* Which calls an injected fault can hit. */
enum nti_call {
	NTI_CALL_TEXT,
	NTI_CALL_LIST,
	NTI_CALL_LINK,
	NTI_CALL_ACCESS,
	NTI_CALL_OPEN,
	NTI_CALL_PERF_OPEN,
	NTI_CALL_READ,
	NTI_CALL_PREAD,
	NTI_CALL_PWRITE,
	NTI_CALL_IOCTL,
	NTI_CALLS,
};

struct nti_machine_fault {
	enum nti_call call;
	uint64_t nth; /* 1 = the first call */
	int error;    /* negative errno */
};

struct nti_machine {
	char *arch;
	bool is_root, is_perfmon;
	bool has_registers;
	int denied_perf; /* negative errno of every perf_event_open(), 0 = none */
	char *topology_xml, *topology_synthetic;
	/* sorted by path once nti_machine_seal() ran */
	struct nti_machine_node *nodes;
	size_t node_count;
	size_t text_bytes; /* of all nodes */
	struct nti_machine_cpuid *cpuid;
	size_t cpuid_count;
	struct nti_machine_register *registers; /* sorted by cpu, address */
	size_t register_count;
	struct nti_machine_fault *faults;
	size_t fault_count;
	void *counting; /* of tests, which let events count; else NULL */
};

/* As nti_machine_load_counting() (load.h) is. */
void nti_machine_counting_free(void *counting);

/*
 * Add a node; @path (no control characters) and @text are copied (@text may be NULL). 0, -ENOMEM,
 * -E2BIG (too many entries or too much text).
 */
int nti_machine_add(struct nti_machine *m, enum nti_machine_node_kind kind, const char *path,
		    const char *text, int error, uint32_t number);
/*
 * Sort; -EEXIST with the offending node in *@clash when a path is there twice or is both a file and
 * a directory.
 */
int nti_machine_seal(struct nti_machine *m, const struct nti_machine_node **clash);

/* The node of exactly this path, no links followed; NULL when there is none. */
const struct nti_machine_node *nti_machine_node_find(const struct nti_machine *m, const char *path);
/*
 * Follow links in @path as the kernel does, the last one only when @follow. @out has
 * NTI_MACHINE_PATH_BYTES and gets the path without links, "." and "..". *@node is NULL for a
 * directory. 0, -ENOENT, -ENOTDIR, -ELOOP, -ENAMETOOLONG or a recorded error.
 */
int nti_machine_resolve(const struct nti_machine *m, const char *path, bool follow, char *out,
			const struct nti_machine_node **node);

/* As nti_os_ops.text and .list. */
int nti_machine_text(const struct nti_machine *m, const char *path, char *buf, size_t size);
int nti_machine_list(const struct nti_machine *m, const char *path,
		     int (*fn)(void *arg, const char *name), void *arg);

/* Recorded value of a register on @cpu, NULL when there is none. */
const struct nti_machine_register *nti_machine_register_find(const struct nti_machine *m,
							     uint32_t cpu, uint32_t address);

/*
 * "EACCES" to -EACCES; 0 when the name is not known. And back; NULL when the number is not known.
 */
int nti_errno_parse(const char *name);
const char *nti_errno_name(int error);

/* Call names of faults. -1 when unknown. */
int nti_call_parse(const char *name);

/*
 * Keys with ranges: "/sys/x_{0-3}/y_{0,2}" calls @fn once for each combination, with "{n}", "{m}",
 * "{k}" (first, second, third range) and arithmetic of them replaced in @text. @text is passed
 * through untouched when the key has no range. 0; first non-zero of @fn; -EINVAL with what is wrong
 * in *@why (static text); -E2BIG; -ENOMEM.
 */
int nti_expand(const char *key, const char *text, unsigned int max,
	       int (*fn)(void *arg, const char *key, const char *text), void *arg,
	       const char **why);
/*
 * The other way: @text as a key that nti_expand() gives back unchanged. Caller frees; NULL when
 * memory is short.
 */
char *nti_expand_escape(const char *text);

#endif
