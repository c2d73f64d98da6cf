/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Which process did something, for those who may know. */
#ifndef NTD_WHO_H
#define NTD_WHO_H

#include <linux/sched.h>
#include <linux/types.h>

struct cred;
struct pid;
struct seq_file;

/* Of the time when it did it; the process may be another user's, or gone, since. */
struct ntd_who {
	struct pid *process; /* with references; NULL: nobody */
	const struct cred *cred;
	char comm[TASK_COMM_LEN];
	bool is_dumpable;
};

/**
 * ntd_who_is_current() - it was the caller
 * @who: holds nobody
 *
 * Context: of the process. Does not sleep.
 */
void ntd_who_is_current(struct ntd_who *who);

/**
 * ntd_who_copy() - the same once more
 * @who: to be put too
 * @from: somebody or nobody
 */
void ntd_who_copy(struct ntd_who *who, const struct ntd_who *from);

/**
 * ntd_who_put() - forget who it was
 * @who: somebody or nobody; nobody afterwards
 */
void ntd_who_put(struct ntd_who *who);

/**
 * ntd_who_pid() - number of the process, for the reader of a file
 * @who: somebody
 * @m: what is read; who opened it counts, and the namespace of who reads it
 *
 * As /proc with hidepid=2 has it: the process's own user, if the program was not set-user-ID or
 * the like, and who may trace it. Others of its users see it in /proc unless hidepid is set, which
 * modules cannot ask for.
 *
 * Return: 0: it is not for this reader to know, nor is the name.
 */
pid_t ntd_who_pid(const struct ntd_who *who, const struct seq_file *m);

/**
 * ntd_who_show_name() - print the name of the program
 * @who: somebody
 * @m: where to
 *
 * Whoever runs a program chooses its name. All but printable ASCII, the backslash and what
 * separates words in "status" (comma, parentheses) are \ooo, in octal.
 */
void ntd_who_show_name(const struct ntd_who *who, struct seq_file *m);

/**
 * ntd_who_show() - print the rest of a line: number and name of the process, or that it is another
 * user's
 * @who: somebody
 * @m: where to
 */
void ntd_who_show(const struct ntd_who *who, struct seq_file *m);

#endif
