/* SPDX-License-Identifier: MIT */
/**
 * DOC: The context: one machine as one user sees it
 *
 * A context knows the machine's units, events, metrics and access methods, and the reason for each
 * that is absent. It holds everything the library remembers: there are no globals. One thread uses
 * a context at a time; different contexts are independent of each other.
 */
#ifndef NTIME_CONTEXT_H
#define NTIME_CONTEXT_H

#include <stdint.h>

#include <ntime/export.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ntime_ctx;

/*
 * Flags of struct ntime_options: do not test counters when they are first used, and do not ask what
 * earlier tests found. Numbers are still compared with what machines can do.
 */
#define NTIME_NO_SELF_TEST (1u << 0)
/* test them anew, whatever is remembered of this boot */
#define NTIME_SELF_TEST_ANEW (1u << 1)

/**
 * struct ntime_options - how to open a context; zero-initialise, then set @size
 * @size:	sizeof(struct ntime_options)
 * @flags:	NTIME_NO_SELF_TEST or NTIME_SELF_TEST_ANEW, or 0; unknown bits are refused
 * @root:	directory put before every file name of the system (/sys, /proc, /dev); NULL: the
 *		real root. The topology is the real machine's all the same
 * @machine:	a recording to look at instead of this machine (ntime-machine(5)); NULL: this
 *		machine. Sessions on it can be opened, not started: it counts nothing
 * @metrics:	file of further metrics (ntime-metrics(5)), NULL: only the built-in ones
 * @log:	called with one line (no newline) for each decision the library takes; NULL: silent
 * @log_arg:	first argument of @log
 * @interrupt:	asked again and again while something is prepared that may take long: units are
 *		looked for, counters are opened and started, a machine is recorded. Not 0 ends
 *		that call with -EINTR, and what it had begun is undone. It must be quick and not
 *		call the library; NULL: nothing is interrupted
 * @interrupt_arg: argument of @interrupt
 * @model:	socket of a graphics card that is a model ("ntime model run"), which this machine
 *		has beside its own units, as "gpu0". Its values are simulated and carry
 *		NTIME_SIMULATED; "": none; NULL: the one that the environment's NTIME_MODEL names,
 *		unless @machine or @root is given or the program runs with another user's rights.
 *		Not together with @machine
 * @reserved:	must be 0
 *
 * All strings are copied. Since 0.1.
 */
struct ntime_options {
	uint32_t size;
	uint32_t flags;
	const char *root;
	const char *machine;
	const char *metrics;
	void (*log)(void *arg, const char *line);
	void *log_arg;
	int (*interrupt)(void *arg);
	void *interrupt_arg;
	union {
		const char *model;
		uint64_t room_of_model; /* on machines of 32 bits too */
	};
	uint64_t reserved[1];
};

/**
 * ntime_open() - open a context for a machine
 * @out:	the new context; NULL on failure unless the error below says otherwise. Close with
 *		ntime_close()
 * @options:	NULL for this machine with everything at its default
 *
 * Cheap: reads a few files, loads event tables and the topology on first use.
 * Return: 0; -ENOMEM; -EINVAL (size, flags or reserved of @options); -ENOENT, -EACCES, -EBADMSG (a
 * recording or metric file is missing, unreadable or malformed); -ENOENT, -ECONNREFUSED, -EPROTO,
 * -EPROTONOSUPPORT, -ETIMEDOUT (no model at @model, or it speaks something else). When the failure
 * has a sentence, *@out is a context that only ntime_error_text() and ntime_close() may use; it is
 * NULL only after -ENOMEM and -EINVAL. Since 0.1.
 */
NTIME_API int ntime_open(struct ntime_ctx **out, const struct ntime_options *options);

/**
 * ntime_close() - free a context; its sessions must be freed before
 * @ctx:	may be NULL
 */
NTIME_API void ntime_close(struct ntime_ctx *ctx);

/**
 * ntime_error_text() - the sentence for the last error of a context
 * @ctx:	context
 *
 * Return: what failed, on what and what to do, one line without newline or final stop; "" before
 * the first error. Valid until the next call with @ctx or one of its sessions. Since 0.1.
 */
NTIME_API const char *ntime_error_text(const struct ntime_ctx *ctx);

/**
 * ntime_version() - version of the library that runs, as "0.1.0"; static memory. Since 0.1.
 */
NTIME_API const char *ntime_version(void);

#ifdef __cplusplus
}
#endif
#endif
