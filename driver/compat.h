/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Where kernels from 6.1 to 6.12 differ: the only file that asks for the version. */
#ifndef NTD_COMPAT_H
#define NTD_COMPAT_H

#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/sched/isolation.h>
#include <linux/version.h>

/* 6.3: operations of inodes get the mount's mapping of users as an object of its own. */
#if KERNEL_VERSION(6, 3, 0) <= LINUX_VERSION_CODE
#define ntd_idmap mnt_idmap
#define ntd_nop_idmap (&nop_mnt_idmap)

static inline void ntd_vma_flags(struct vm_area_struct *vma, vm_flags_t set, vm_flags_t clear)
{
	vm_flags_mod(vma, set, clear);
}
#else
#define ntd_idmap user_namespace
#define ntd_nop_idmap (&init_user_ns)

static inline void ntd_vma_flags(struct vm_area_struct *vma, vm_flags_t set, vm_flags_t clear)
{
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
}
#endif

/* 6.6 hides i_ctime, 6.7 all of them. */
#if KERNEL_VERSION(6, 7, 0) <= LINUX_VERSION_CODE
#define ntd_inode_init_times simple_inode_init_ts
#else
static inline void ntd_inode_init_times(struct inode *inode)
{
	const struct timespec64 now = current_time(inode);

	/* stat(2) reads them without a lock, of every file system: it may see half of a change. */
	data_race(inode->i_atime = inode->i_mtime = inode->i_ctime = now);
}
#endif

/* 6.9: without the CPU, which was this one. */
#if defined(CONFIG_X86) && KERNEL_VERSION(6, 9, 0) <= LINUX_VERSION_CODE
#define ntd_leave_mm() leave_mm()
#elif defined(CONFIG_X86)
#define ntd_leave_mm() leave_mm(smp_processor_id())
#endif

/* 6.9: CPUs that a cpuset isolates are told to modules too. */
#if KERNEL_VERSION(6, 9, 0) <= LINUX_VERSION_CODE
#define ntd_cpu_is_isolated(cpu) cpu_is_isolated(cpu)
#else
static inline bool ntd_cpu_is_isolated(int cpu)
{
	return !housekeeping_test_cpu(cpu, HK_TYPE_DOMAIN) ||
	       !housekeeping_test_cpu(cpu, HK_TYPE_TICK);
}
#endif

/* 6.10: the source of a trace event's string is named once. */
#if KERNEL_VERSION(6, 10, 0) <= LINUX_VERSION_CODE
#define NTD_ASSIGN_STR(field, value) __assign_str(field)
#else
#define NTD_ASSIGN_STR(field, value) __assign_str(field, value)
#endif

#endif
