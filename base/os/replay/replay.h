/* SPDX-License-Identifier: MIT */
/*
 * Recorded machines: a file that holds what the library looks at on a machine, an operating system
 * that answers from it, and the recorder that writes it. The format is described in
 * ntime-machine(5) and count/docs/machines.md.
 */
#ifndef NTI_REPLAY_H
#define NTI_REPLAY_H

#include <stddef.h>

#include "base/common/error.h"
#include "base/os/os.h"

#define NTI_MACHINE_FORMAT "ntime-machine"
#define NTI_MACHINE_VERSION 1
/* A recording with all PMUs of a two-socket server is below 1 MiB. */
#define NTI_MACHINE_FILE_BYTES (64u << 20)
/* Files, links, errors and register values after the ranges in keys are expanded. */
#define NTI_MACHINE_MAX_ENTRIES 200000u

struct nti_machine;

/*
 * Read a machine file. 0; -ENOENT, -EACCES, -EISDIR, ... from opening it; -EFBIG (larger than
 * NTI_MACHINE_FILE_BYTES); -EBADMSG (not JSON, or not what ntime-machine(5) says: the sentence
 * names the key); -ENOMEM. *@out is NULL on failure.
 */
int nti_machine_load(const char *path, struct nti_machine **out, struct nti_error *e);
/* The same from memory; @name is what sentences call it. */
int nti_machine_load_text(const char *name, const char *text, size_t bytes,
			  struct nti_machine **out, struct nti_error *e);
void nti_machine_free(struct nti_machine *m);

/*
 * An operating system that looks into @m and owns it from then on: freeing the first frees the
 * second. On failure (-ENOMEM) @m stays with the caller.
 *
 * Nothing counts on it: perf events can be opened as far as the recorded setting and capabilities
 * permit, and neither read nor started (.is_still). now_ns() is this machine's monotonic clock. A
 * test may define a function of this name, which stands before this one.
 */
int nti_os_replay_new(struct nti_machine *m, struct nti_os **out);

/*
 * The recorded topology: exactly one of *@xml (hwloc XML) and *@synthetic (hwloc's synthetic
 * description) is set; both belong to
 * @os. 0; -ENOENT (the recording has none); -ENOTSUP (@os is not a replay).
 */
int nti_machine_topology(struct nti_os *os, const char **xml, const char **synthetic);

/*
 * Hand what the library looks at through @os to @write, as the text of a machine file;
 * @topology_xml (hwloc XML) may be NULL. 0; -EACCES, -ENOMEM, ... with a sentence; what @write
 * returned, without one.
 */
int nti_machine_record(struct nti_os *os, const char *topology_xml,
		       int (*write)(void *arg, const void *bytes, size_t n), void *arg,
		       struct nti_error *e);

#endif
