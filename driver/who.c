// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Which process did something, for those who may know. */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched/coredump.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/string_helpers.h>
#include <linux/uidgid.h>

#include "driver/who.h"

void ntd_who_is_current(struct ntd_who *who)
{
	unsigned long flags;

	who->process = get_pid(task_tgid(current));
	who->cred = get_current_cred();
	get_task_comm(who->comm, current);
	/* Another thread may change it meanwhile. */
	flags = current->mm ? READ_ONCE(current->mm->flags) : 0;
	who->is_dumpable = current->mm && __get_dumpable(flags) == SUID_DUMP_USER;
}

void ntd_who_copy(struct ntd_who *who, const struct ntd_who *from)
{
	*who = *from;
	if (!who->process)
		return;
	get_pid(who->process);
	get_cred(who->cred);
}

void ntd_who_put(struct ntd_who *who)
{
	if (!who->process)
		return;
	put_pid(who->process);
	put_cred(who->cred);
	who->process = NULL;
}

/* As __ptrace_may_access() (Linux 6.1 kernel/ptrace.c), which modules cannot call. */
static bool is_same_user(const struct cred *reader, const struct cred *of)
{
	return uid_eq(reader->fsuid, of->euid) && uid_eq(reader->fsuid, of->suid) &&
	       uid_eq(reader->fsuid, of->uid) && gid_eq(reader->fsgid, of->egid) &&
	       gid_eq(reader->fsgid, of->sgid) && gid_eq(reader->fsgid, of->gid);
}

static bool may_know(const struct ntd_who *who, const struct file *file)
{
	if (who->process == task_tgid(current))
		return true;
	if (who->is_dumpable && is_same_user(file->f_cred, who->cred))
		return true;
	return file_ns_capable(file, who->cred->user_ns, CAP_SYS_PTRACE);
}

pid_t ntd_who_pid(const struct ntd_who *who, const struct seq_file *m)
{
	return may_know(who, m->file) ? pid_nr_ns(who->process, task_active_pid_ns(current)) : 0;
}

void ntd_who_show_name(const struct ntd_who *who, struct seq_file *m)
{
	seq_escape_mem(m, who->comm, strnlen(who->comm, sizeof(who->comm)),
		       ESCAPE_OCTAL | ESCAPE_NAP | ESCAPE_APPEND, "\\,()");
}

void ntd_who_show(const struct ntd_who *who, struct seq_file *m)
{
	pid_t pid = ntd_who_pid(who, m);

	if (!pid) {
		seq_puts(m, "of another user\n");
		return;
	}
	seq_printf(m, "pid %d ", pid);
	ntd_who_show_name(who, m);
	seq_putc(m, '\n');
}
