/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/*
 * What ntime.ko shows to user space: a file system of type "ntime" on /sys/devices/ntime, one file
 * for each register.
 *
 *     core3/msr/0x38d            registers of CPU 3 by number; arm: core0/sysreg/, cp15/, pmsel/
 *     core3/pmc/0, pmc/fixed0    its counters: the same files, by the instruction that reads them
 *     core3/intel/IA32_PMC0      symbolic links: names of the vendor (intel, amd, arm, nvidia), of
 *                                Linux (perf)
 *     core3/local/               symbolic links of the administrator
 *     core3/uncore               symbolic link to the package of this CPU
 *     uncore1/msr/0x391          registers of package 1
 *     uncore1/pci/D16:F4/0x0f4   registers in the configuration space of its PCI functions
 *     gpu0/mmio/0x00a680         counters of a graphics card, which perf has as PMU ntime_gpu0
 *     device0/mmio/0x000010      registers in the memory of another PCI device
 *     status                     what is open, written and refused, as text: lines "key: value".
 *                                Names of programs have \ooo (octal) for all but printable ASCII
 *                                and for \ , ( ); instead of a program and its number, which is
 *                                of the reader's namespace, "of another user" for who may not
 *                                know them
 *
 * A register file
 *   read(2)   text "0x" + 16 hexadecimal digits + newline, sampled at offset 0; once the
 *             description was mapped through this descriptor: 8 bytes in the machine's byte order,
 *             at any offset, as often as wanted
 *   write(2)  sets the register: a number as text ("0x10", "16", with or without newline), or 8
 *             bytes once switched. Bits that are not the caller's keep their value
 *   mmap(2)   offset 0, one page, PROT_READ: struct ntime_page; switches the descriptor. Two pages:
 *             the second one is the device's page if there is one (touching it raises SIGBUS if
 *             not). Offset of one page: the device's page alone
 *   close(2)  a register that was written through this descriptor gets back what it held before
 *
 * Errors
 *   EACCES    open: no permission, or the register cannot be read or written; mmap: not read only
 *   EAGAIN    mmap: the user has as many mappings as the module parameter mappings_per_user allows
 *   EBUSY     open for writing: another descriptor has it, or perf or the NMI watchdog counts, or
 *             perf has an event of the card (the text is in "status"); read, write: the device's
 *             driver has claimed its memory for itself alone; all three: the CPU is isolated, the
 *             module parameter spare_isolated is set, and the program runs on another CPU; mount:
 *             mounted already, with other options
 *   EINVAL    write: not a number, or bits that may not be set; read: fewer than 8 bytes when
 *             binary; mmap: offset or length, or no device page
 *   EIO       the processor refuses the register
 *   ENODEV    CPU or device went away since open
 *   ENOSPC    symlink: too many in one local/
 *   ENXIO     the memory of a device is switched off, asleep, not where the kernel put it or has no
 *             address: its driver or the administrator may change that
 *   EPERM     open for writing, write: the kernel is locked down; open for writing, open of a
 *             secret register, chmod, chown: CAP_SYS_RAWIO is missing, and no permission was given
 *             (docs/adr/0017); mmap: the device's page alone, without CAP_SYS_RAWIO or the module
 *             parameter device_pages. Of both pages the second then raises SIGBUS, and the
 *             description says NTIME_PAGE_PLAIN
 *   EROFS     mounted read only
 */
#ifndef _UAPI_NTIME_H
#define _UAPI_NTIME_H

#include <linux/types.h>

#define NTIME_FS_TYPE "ntime"
#define NTIME_FS_PATH "/sys/devices/ntime"
#define NTIME_FS_MAGIC 0x6e74696d /* "ntim", statfs(2) f_type */

/* How a register is read with least cost. */
enum ntime_page_type {
	NTIME_PAGE_PLAIN = 0,  /* read(2) */
	NTIME_PAGE_MEMORY = 1, /* a load from the device's page */
	/* RDPMC, or MRS of the counter, on CPU .cpu alone: the mapping thread is pinned there */
	NTIME_PAGE_PMC = 2,
	NTIME_PAGE_MSR = 3, /* read(2); code in ring 0 may use RDMSR */
	NTIME_PAGE_TSC = 4, /* RDTSC */
};

/*
 * The description, at the start of the page at offset 0. It does not change and may be unmapped at
 * once, but for NTIME_PAGE_PMC: the permission to use the instruction lasts as long as the mapping.
 */
struct ntime_page {
	__u32 size;  /* of this struct */
	__u32 type;  /* enum ntime_page_type */
	__u32 width; /* width of the count in bits; it wraps after that */
	/* PMC: what RDPMC takes in ECX; on ARM the counter's number, 31 for the cycle counter */
	__u32 index;
	/* CPU of the register, or the one through which a package is reached now */
	__u32 cpu;
	/*
	 * MEMORY: 4 or 8. What is wider than one load: high half, low half, high half until they
	 * agree
	 */
	__u32 load_bytes;
	__u64 address; /* number in the register's space */
	__u64 offset;  /* MEMORY: bytes from the start of the device's page */
	__u64 device;  /* MEMORY: offset for mmap(2) of the device's page; else 0 */
	__u64 reserved[3];
	char name[64]; /* of the register, NUL at the end */
};

#endif
