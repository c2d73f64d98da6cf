// SPDX-License-Identifier: GPL-2.0 OR MIT
/* The file "status": what is open, written and refused. */
#include <linux/cpumask.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/spinlock.h>

#include "driver/access.h"
#include "driver/file.h"
#include "driver/fs.h"
#include "driver/status.h"
#include "driver/tree.h"

DEFINE_PER_CPU(struct ntd_status_cpu, ntd_status_cpu);
atomic_t ntd_status_open = ATOMIC_INIT(0);

/* Of what follows. */
static DEFINE_SPINLOCK(lock);
static u64 refusals;
static char last_refusal[224];

void ntd_status_refuse(const struct ntd_reg *reg, int error, const char *why)
{
	char name[NTD_NAME_SIZE];

	ntd_reg_name(reg, name, sizeof(name));
	spin_lock(&lock);
	refusals++;
	scnprintf(last_refusal, sizeof(last_refusal), "%s: %s (error %d, %s, pid %d)", name, why,
		  -error, current->comm, task_tgid_nr(current));
	spin_unlock(&lock);
}

static void show_writers(struct seq_file *m)
{
	struct ntd_unit *unit;
	struct ntd_reg *reg;
	char name[NTD_NAME_SIZE];

	mutex_lock(&ntd_tree_lock);
	list_for_each_entry(unit, &ntd_tree_units, node) {
		list_for_each_entry(reg, &unit->regs, node) {
			mutex_lock(&reg->lock);
			if (reg->writer) {
				ntd_reg_name(reg, name, sizeof(name));
				seq_printf(m, "writer: %s pid %d %s\n", name, reg->writer->pid,
					   reg->writer->comm);
			}
			mutex_unlock(&reg->lock);
		}
	}
	mutex_unlock(&ntd_tree_lock);
}

static void show_refusals(struct seq_file *m)
{
	char text[sizeof(last_refusal)];
	u64 count;

	spin_lock(&lock);
	count = refusals;
	memcpy(text, last_refusal, sizeof(text));
	spin_unlock(&lock);
	seq_printf(m, "refusals: %llu\n", count);
	if (count)
		seq_printf(m, "last refusal: %s\n", text);
}

static int status_show(struct seq_file *m, void *unused)
{
	struct ntd_status_cpu sum = {};
	int cpu;

	for_each_possible_cpu(cpu) {
		const struct ntd_status_cpu *one = per_cpu_ptr(&ntd_status_cpu, cpu);

		sum.reads += one->reads;
		sum.writes += one->writes;
		sum.errors += one->errors;
	}
	seq_printf(m, "open: %d\n", atomic_read(&ntd_status_open));
	seq_printf(m, "reads: %llu\n", sum.reads);
	seq_printf(m, "writes: %llu\n", sum.writes);
	seq_printf(m, "errors: %llu\n", sum.errors);
	seq_printf(m, "tree: %s\n", ntd_fs_is_changing() ? "changing" : "complete");
	show_refusals(m);
	show_writers(m);
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
