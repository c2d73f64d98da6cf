// SPDX-License-Identifier: GPL-2.0 OR MIT
/* The file "status": what is open, written and refused. */
#include <linux/cpumask.h>
#include <linux/module.h>
#include <linux/rculist.h>
#include <linux/seq_file.h>
#include <linux/spinlock.h>

#include "driver/access.h"
#include "driver/file.h"
#include "driver/status.h"
#include "driver/tree.h"
#include "driver/who.h"

DEFINE_PER_CPU(struct ntd_status_cpu, ntd_status_cpu);
atomic_t ntd_status_open = ATOMIC_INIT(0);

/* What was asked for in vain, by whom, and why. */
struct refusal {
	char name[NTD_NAME_SIZE];
	const char *why;
	int error; /* positive */
	struct ntd_who who;
};

/* Of what follows. */
static DEFINE_SPINLOCK(lock);
static u64 refusals;
static struct refusal last_refusal;

void ntd_status_refuse(const struct ntd_reg *reg, int error, const char *why)
{
	char name[NTD_NAME_SIZE];

	ntd_reg_name(reg, name, sizeof(name));
	ntd_status_refuse_named(name, error, why);
}

void ntd_status_refuse_named(const char *name, int error, const char *why)
{
	struct refusal new = { .why = why, .error = -error };
	struct ntd_who before;

	strscpy(new.name, name, sizeof(new.name));
	ntd_who_is_current(&new.who);
	spin_lock(&lock);
	refusals++;
	before = last_refusal.who;
	last_refusal = new;
	spin_unlock(&lock);
	ntd_who_put(&before);
}

static void show_writer(struct seq_file *m, struct ntd_reg *reg)
{
	char name[NTD_NAME_SIZE];

	if (!READ_ONCE(reg->writer))
		return;
	mutex_lock(&reg->lock);
	if (reg->writer) {
		ntd_reg_name(reg, name, sizeof(name));
		seq_printf(m, "writer: %s ", name);
		ntd_who_show(&reg->writer->who, m);
	}
	mutex_unlock(&reg->lock);
}

/*
 * Without ntd_tree_lock, which CPUs and devices that come and go wait for: both lists only grow,
 * and what is in them stays while there is a file system.
 */
static void show_writers(struct seq_file *m)
{
	struct ntd_unit *unit;
	struct ntd_reg *reg;

	list_for_each_entry_lockless(unit, &ntd_tree_units, node)
		list_for_each_entry_lockless(reg, &unit->regs, node)
			show_writer(m, reg);
}

static void show_refusals(struct seq_file *m)
{
	struct refusal r;
	u64 count;
	pid_t pid;

	spin_lock(&lock);
	count = refusals;
	r = last_refusal;
	ntd_who_copy(&r.who, &last_refusal.who);
	spin_unlock(&lock);
	seq_printf(m, "refusals: %llu\n", count);
	if (!count)
		return;
	seq_printf(m, "last refusal: %s: %s (error %d, ", r.name, r.why, r.error);
	pid = ntd_who_pid(&r.who, m);
	if (pid) {
		ntd_who_show_name(&r.who, m);
		seq_printf(m, ", pid %d)\n", pid);
	} else {
		seq_puts(m, "of another user)\n");
	}
	ntd_who_put(&r.who);
}

void ntd_status_exit(void)
{
	ntd_who_put(&last_refusal.who);
}

static int status_show(struct seq_file *m, void *unused)
{
	struct ntd_status_cpu sum = {};
	int cpu;

	for_each_possible_cpu(cpu) {
		const struct ntd_status_cpu *one = per_cpu_ptr(&ntd_status_cpu, cpu);

		/* They count on. On 32-bit machines the halves of one that carries may not fit. */
		sum.reads += READ_ONCE(one->reads);
		sum.writes += READ_ONCE(one->writes);
		sum.errors += READ_ONCE(one->errors);
	}
	seq_printf(m, "open: %d\n", atomic_read(&ntd_status_open));
	seq_printf(m, "reads: %llu\n", sum.reads);
	seq_printf(m, "writes: %llu\n", sum.writes);
	seq_printf(m, "errors: %llu\n", sum.errors);
	show_refusals(m);
	show_writers(m);
	ntd_device_show_counting(m);
	return 0;
}

static int status_open(struct inode *inode, struct file *file)
{
	return single_open(file, status_show, NULL);
}

const struct file_operations ntd_status_operations = {
	.owner = THIS_MODULE,
	.open = status_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = single_release,
};
