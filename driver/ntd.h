/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* What the files of the driver share: units, registers, and what an architecture gives. */
#ifndef NTD_H
#define NTD_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rwsem.h>
#include <linux/types.h>
#include <linux/uidgid.h>

#include "core/base/reg.h"

struct mm_struct;
struct pci_dev;
struct seq_file;

enum ntd_unit_kind {
	NTD_UNIT_CORE, /* core%u: one CPU */
	NTD_UNIT_PACKAGE, /* uncore%u: registers of one package, reached through any CPU of it */
	NTD_UNIT_DEVICE, /* one PCI function: its configuration space, or its memory */
};

struct ntd_file;
struct ntd_folder;
/*
 * What is behind registers of a PCI function: its configuration space, or a BAR. device.c knows
 * more.
 */
struct ntd_device;

/*
 * One block of registers, which come and go together. It lives as long as something refers to it,
 * whether its hardware is there or not, and it is found again by its folder when the hardware comes
 * back, so that permissions which the administrator gave are kept.
 *
 * @lock is held for reading over "is it there" and the access, for writing to change that. A
 * descriptor notes @generation when it is opened; a unit that came back is another generation, and
 * the descriptor fails with ENODEV.
 *
 * Order of locks, outer first: cpu_hotplug_lock, ntd_tree_lock, ntd_unit.lock, ntd_reg.lock.
 * mmap_lock and the locks of inodes are outside of ntd_unit.lock too. User memory is touched with
 * none of ours held: it can take for ever, and the whole machine waits for cpu_hotplug_lock.
 */
struct ntd_unit {
	struct kref ref;
	struct list_head node; /* in the list of all units, which grows only, by ntd_tree_lock */
	enum ntd_unit_kind kind;
	unsigned int number; /* of CPU or package; NTD_UNIT_DEVICE: device.c's */
	/* from the root of the tree: "core3", "uncore0", "uncore0/pci/D16:F4", "gpu0/mmio" */
	const char *folder;
	struct ntd_folder *dir; /* the same in node.c */
	const char *names; /* folder of the vendor's names in it: "intel"; NULL: none */
	struct rw_semaphore lock;
	bool is_here;
	unsigned int generation; /* changes while it is not here: the one that comes next */
	struct ntd_device *device; /* while it is here; NULL for registers of CPUs */
	struct list_head regs; /* grows only, by ntd_tree_lock, while it is not here */
	atomic_t writers; /* registers that are open for writing */
	struct mutex mapped_lock; /* of what follows; inside of mmap_lock */
	struct list_head mapped; /* open files that were mapped */
};

/* What the administrator gave a file or folder, which outlives its inodes. By permit.c's lock. */
struct ntd_owner {
	bool is_set;
	kuid_t uid;
	kgid_t gid;
	umode_t mode;
};

/* One register: a row, which of its instances, and who has it open. Lives as long as its unit. */
struct ntd_reg {
	struct list_head node; /* in ntd_unit.regs */
	struct ntd_unit *unit;
	const struct nthw_table *table;
	const struct nthw_reg *row;
	u32 index;
	u32 addr;
	unsigned int generation; /* of the unit in which it exists */
	unsigned long ino; /* of its files */
	struct ntd_owner owner;
	struct mutex lock; /* of what follows */
	struct ntd_file *writer; /* "status" asks without it whether there is one */
	/* by the writer: @saved is what it held before, @written what it was given last */
	bool is_changed;
	u64 saved, written;
};

/* ---- arch_x86.c, arch_arm64.c, arch_arm.c: what one architecture gives ---- */

/*
 * Once, before anything else; -ENODEV where the processor has nothing that we know. exit also takes
 * back what all CPUs were given.
 */
int ntd_arch_init(void);
void ntd_arch_exit(void);

/*
 * Call @add for each register that @cpu has (scope CPU, or scope PACKAGE), instances that do not
 * exist left out. May sleep; called on @cpu itself, in its hotplug callback: cpu_hotplug_lock must
 * not be taken. First negative result of @add is returned.
 */
typedef int (*ntd_add_fn)(void *arg, const struct nthw_table *table, const struct nthw_reg *row,
			  u32 index);
int ntd_arch_add_regs(unsigned int cpu, enum nthw_scope scope, ntd_add_fn add, void *arg);
/* Folder of the vendor's names in the tree: "intel", "amd", "arm". */
const char *ntd_arch_vendor(void);

/* One access on this CPU, interrupts off. 0 or -EIO. The tracepoint is in the caller. */
int ntd_arch_read(enum nthw_space space, u32 addr, u64 *value);
int ntd_arch_write(enum nthw_space space, u32 addr, u64 value);

/*
 * A counter that an instruction reads from user mode: its index for struct ntime_page and its width
 * in bits.
 */
struct ntd_pmc {
	u32 index;
	u32 width;
	bool is_fixed;
	u32 number; /* general counters from 0, fixed counters from 0: the name below pmc/ */
};

bool ntd_arch_is_pmc(const struct nthw_reg *row, u32 index, struct ntd_pmc *out);
/* The time stamp counter's register. */
bool ntd_arch_is_tsc(const struct nthw_reg *row);

/*
 * Does writing @row need the core PMU to be ours? Then it is reserved, against perf, from before
 * such a register of @cpu is open for writing until after it is closed and restored. -EBUSY while
 * perf counts. Balanced calls, one for each register: count them. May sleep; called with
 * cpu_hotplug_lock held, so that it must not be taken here, and of our locks none, or for release
 * ntd_tree_lock: perf's mutexes may be taken.
 */
bool ntd_arch_needs_pmu(const struct nthw_reg *row);
int ntd_arch_reserve(unsigned int cpu);
void ntd_arch_release(unsigned int cpu);
/*
 * Around taking cpu_hotplug_lock, reserving and claiming, with no locks held: what takes the
 * caller's mmap_lock. -EBUSY as above, -ENOMEM, -EINTR: the caller is killed. end only after 0.
 */
int ntd_arch_claim_begin(unsigned int cpu);
void ntd_arch_claim_end(unsigned int cpu);

/*
 * Let user mode of @mm use the counter's instruction. grant: for the first VMA of a mapping, in the
 * thread that maps, which is pinned to @cpu; *@grant, NULL or set, is the mapping's until it is
 * put. -EOPNOTSUPP: not here, not now (the mapping is then NTIME_PAGE_MSR or _PLAIN). grant_again:
 * for each further VMA of it, split, moved or copied into the @mm of a child (then current->mm is
 * another). revoke: for each VMA that goes. put: all of them have gone. What each costs does not
 * grow with the number of mappings. All under mmap_lock: perf's context mutex must not be taken
 * below it, because perf copies to user memory under its mutex.
 */
struct ntd_grant;
int ntd_arch_grant(struct mm_struct *mm, unsigned int cpu, struct ntd_grant **grant);
void ntd_arch_grant_again(struct ntd_grant *grant, struct mm_struct *mm, unsigned int cpu);
void ntd_arch_revoke(struct ntd_grant *grant, struct mm_struct *mm, unsigned int cpu);
void ntd_arch_grant_put(struct ntd_grant *grant);

/*
 * On that CPU when it came on line or the machine resumed (interrupts may be off), and before it
 * goes.
 */
void ntd_arch_cpu_up(void);
void ntd_arch_cpu_down(void);

/* ---- device.c: PCI functions and their memory; it adds them with tree.h ---- */

/* Watch the bus; ntd_device_exit() makes all its units go. */
int ntd_device_init(void);
void ntd_device_exit(void);
/* Under ntd_unit.lock, held for reading or for writing. Must not take it, nor ntd_tree_lock. */
int ntd_device_read(struct ntd_device *device, const struct nthw_reg *row, u32 addr, u64 *value);
int ntd_device_write(struct ntd_device *device, const struct nthw_reg *row, u32 addr, u64 value);
/*
 * The page of @addr that user space may map, or -ENXIO: its frame and the offset of the register in
 * it. Locks as above.
 */
int ntd_device_page(struct ntd_device *device, u32 addr, unsigned long *pfn, u32 *offset);
/*
 * The same for a fault that puts it into a table, from where ntd_file_unmap() takes it. For a
 * mapping that has a pin: while there is one the device does not fall asleep by itself, and what is
 * shown of it is watched. pin: locks as above, where there is a page; unpin: none.
 */
int ntd_device_show(struct ntd_device *device, u32 addr, unsigned long *pfn);
struct pci_dev *ntd_device_pin(struct ntd_device *device);
void ntd_device_unpin(struct ntd_device *device, struct pci_dev *pdev);
/* Does perf count with it? Under ntd_unit.lock, in which that changes. */
bool ntd_device_is_counted(const struct ntd_device *device);
/* Lines of "status": who does. */
void ntd_device_show_counting(struct seq_file *m);
/* The machine is going to sleep, or was asleep, and programs are frozen. */
void ntd_device_sleep(void);
void ntd_device_wake(void);

#endif
