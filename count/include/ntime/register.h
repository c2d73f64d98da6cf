/* SPDX-License-Identifier: MIT */
/**
 * DOC: Registers by name or address
 *
 * A register is known by its row: name, address, fields, which bits may be written, and its source.
 * A context lists the registers of this machine. Each is accessed through the first method that
 * permits this user: ntime's driver ("ntimefs"), /dev/cpu/N/msr ("msr"), the configuration space of
 * a PCI function ("pci") or its memory ("mmio").
 */
#ifndef NTIME_REGISTER_H
#define NTIME_REGISTER_H

#include <stdint.h>

#include <ntime/context.h>
#include <ntime/reason.h>

#ifdef __cplusplus
extern "C" {
#endif

/** enum ntime_register_scope - of what there is one instance */
enum ntime_register_scope {
	NTIME_REGISTER_OF_CPU = 0,
	NTIME_REGISTER_OF_PACKAGE = 1,
	NTIME_REGISTER_OF_DEVICE = 2,
};

/** enum ntime_register_trust - how far a row can be believed */
enum ntime_register_trust {
	NTIME_REGISTER_DOCUMENTED = 1, /* the vendor, or Linux, says so */
	NTIME_REGISTER_MEASURED = 2,   /* seen */
	/* some of it rests on memory: never written without NTIME_REGISTER_FORCE */
	NTIME_REGISTER_GUESSED = 3,
};

/** enum ntime_register_access - what a field allows */
enum ntime_register_access {
	NTIME_FIELD_RO = 1, /* read only */
	NTIME_FIELD_OS = 2, /* the operating system's: we only read it */
	/* the operating system's, but who holds the register may clear it */
	NTIME_FIELD_OS_CLEAR = 3,
	NTIME_FIELD_OS_RW1C = 4, /* writing 1 clears it, and that is the operating system's to do */
	NTIME_FIELD_RW = 5,
	NTIME_FIELD_RW1C = 6, /* writing 1 clears it */
	NTIME_FIELD_W1C = 7,  /* writing 1 does something elsewhere; reads as nothing useful */
	NTIME_FIELD_RW1S = 8, /* writing 1 sets it, another register clears it */
	NTIME_FIELD_RW0C = 9, /* writing 0 clears it, and nothing can set it again: a log */
};

/**
 * struct ntime_register_info - one register of this machine
 * @scope:	enum ntime_register_scope
 * @number:	of the CPU, package or device
 * @cpu:	CPU through which it is reached; of no meaning for devices
 * @address:	in its space
 * @bits:	width
 * @trust:	enum ntime_register_trust
 * @is_readable: this user can read it now, through @method
 * @is_writable: this user can write the bits of @writable now, by some method
 * @fields:	how many it has, see ntime_register_field_at()
 * @writable:	bits that may be written, including logs that can only be cleared
 * @path:	its name that nothing else has: "core0/msr/0x38d", as in the driver's tree
 * @unit:	"core0", "uncore1"
 * @device:	PCI function ("0000:7f:10.0"), "" for registers of CPUs
 * @space:	"msr", "pci", "mmio", "cp15", "sysreg", "pmsel"
 * @table:	group of rows it is from: "nhm_uncore"
 * @name:	in the vendor's manual, followed by the instance if there are several:
 *		"IA32_PMC0"
 * @linux_name: what Linux calls it, "" where that is the same or nothing
 * @method: "ntimefs", "msr", "pci", "mmio", "" when this user has none
 * @source:	where the row is from
 * @reason:	why it cannot be read here, "" when it can
 * @remedy:	the remedy; "none" when nothing helps, "" when nothing prevents it
 * @reason_code: enum ntime_reason; @about: what that is about; @remedy_kind: enum ntime_remedy_kind
 * @id:		its number among the registers of the context, for ntime_register_open()
 *
 * Strings live as long as the context. Since 0.1.
 */
struct ntime_register_info {
	uint32_t size;
	uint32_t scope;
	uint32_t number;
	uint32_t cpu;
	uint32_t address;
	uint32_t bits;
	uint32_t trust;
	uint32_t is_readable;
	uint32_t is_writable;
	uint32_t fields;
	uint64_t writable;
	const char *path;
	const char *unit;
	const char *device;
	const char *space;
	const char *table;
	const char *name;
	const char *linux_name;
	const char *method;
	const char *source;
	const char *reason;
	const char *remedy;
	const char *about;
	uint32_t reason_code;
	uint32_t remedy_kind;
	uint64_t id;
	uint64_t reserved[1];
};

/**
 * struct ntime_register_field - some neighbouring bits
 * @shift, @width: where they are
 * @access:	enum ntime_register_access
 * @name:	unique within the register
 * @about:	what they mean
 */
struct ntime_register_field {
	uint32_t size;
	uint32_t shift;
	uint32_t width;
	uint32_t access;
	const char *name;
	const char *about;
};

/**
 * ntime_register_for_each() - walk the registers of this machine: CPUs, then packages, then
 * devices, each by address
 *
 * Looks for them on first use. Return: their number; first non-zero of @fn; -ENOTSUP (none is known
 * of this machine), -ENOMEM. Since 0.1.
 */
NTIME_API int ntime_register_for_each(struct ntime_ctx *ctx,
				      int (*fn)(void *arg, const struct ntime_register_info *reg),
				      void *arg);

/**
 * ntime_register_find() - walk the registers that a name or an address stands for
 * @ctx:	context
 * @name:	"IA32_PMC0", "IA32_PMC" (all instances), a name of Linux, "nhm_uncore.NAME",
 *		"core0/NAME", "0x38d", "msr:0x38d", "pci:7f:10.0:0xf4", "core0/msr/0x38d". The case
 *		of letters does not matter
 * @cpus:	"0-3,8": only those CPUs, and the packages that they are of; NULL: all
 * @fn:		called for each
 * @arg:	its first argument
 *
 * Return: how many there were, at least 1; first non-zero of @fn; -ENOENT (no such register: the
 * sentence has the nearest names); -ENXIO (no such CPU, or off line; or none of its registers is
 * meant); -EINVAL (@cpus is no list); -ENOTSUP, -ENOMEM. Since 0.1.
 */
NTIME_API int ntime_register_find(struct ntime_ctx *ctx, const char *name, const char *cpus,
				  int (*fn)(void *arg, const struct ntime_register_info *reg),
				  void *arg);

/**
 * ntime_register_field_at() - one field of a row
 * @table, @name: as in struct ntime_register_info; the machine need not have that register
 * @index:	from 0, ascending bits
 * @out:	@out->size must be set
 *
 * Return: 0; -ENOENT (no such row); -ERANGE (no more fields); -EINVAL (@out->size). Since 0.1.
 */
NTIME_API int ntime_register_field_at(const char *table, const char *name, uint32_t index,
				      struct ntime_register_field *out);

struct ntime_register; /* one that is open */

/* Flags of ntime_register_open(). */
/* to be written; ntime_register_close() restores the old value */
#define NTIME_REGISTER_WRITE 1u
/* the written value stays. ntime's driver never allows that: another access method is used */
#define NTIME_REGISTER_KEEP 2u
/* any bit may be written, also of rows that are guessed. Not through ntime's driver */
#define NTIME_REGISTER_FORCE 4u

/**
 * ntime_register_open() - make ready to access one register
 * @ctx:	context; must outlive the register
 * @reg:	as ntime_register_find() or ntime_register_for_each() of @ctx gave it, or a copy
 * @flags:	NTIME_REGISTER_WRITE and its companions, 0 to read only
 * @out:	to be closed with ntime_register_close(); NULL on failure
 *
 * Through ntime's driver there is one writer at a time, and the kernel restores the old value when
 * this process ends, however it ends. Through the other methods ntime_register_close() restores it.
 * Return: 0; -ENOENT (no msr driver), -EACCES, -EPERM (locked down, or no bit may be written),
 * -EBUSY (another writer, or perf counts), -ENXIO, -ENODEV (CPU or device went away), -EOPNOTSUPP
 * (no access method does what
 * @flags request), -EINVAL (@flags, or @reg is not of @ctx), -ENOMEM. Since 0.1.
 */
NTIME_API int ntime_register_open(struct ntime_ctx *ctx, const struct ntime_register_info *reg,
				  uint32_t flags, struct ntime_register **out);

/** ntime_register_method() - the access method in use: "ntimefs", "msr", "pci", "mmio" */
NTIME_API const char *ntime_register_method(const struct ntime_register *r);

/**
 * ntime_register_where() - what is accessed, for people: "/dev/cpu/0/msr at 0x38d"; lives as long
 * as @r
 */
NTIME_API const char *ntime_register_where(const struct ntime_register *r);

/**
 * ntime_register_read() - what it holds now; one system call, or one load
 *
 * Return: 0; -EIO (the processor refuses it), -ENODEV (CPU or device went away), -EOPNOTSUPP
 * (it cannot be read usefully: it only clears others), -EACCES. @value is written only on success.
 * Since 0.1.
 */
NTIME_API int ntime_register_read(struct ntime_register *r, uint64_t *value);

/**
 * ntime_register_merge() - what it would hold if @value were written: bits that may not be written
 * keep their values. Writes nothing
 *
 * Return: 0; -EINVAL (a bit of @value may not be set, and is not: the sentence names bits and
 * fields); errors of reading. Since 0.1.
 */
NTIME_API int ntime_register_merge(struct ntime_register *r, uint64_t value, uint64_t *merged);

/**
 * ntime_register_write() - write the bits that may be written; the others keep their values
 *
 * Return: 0; -EINVAL as ntime_register_merge(); -EBADF (not open for writing); -EIO, -ENODEV. After
 * an error it holds what it held; where that could not be restored either, the sentence says so and
 * ntime_register_close() tries again. Since 0.1.
 */
NTIME_API int ntime_register_write(struct ntime_register *r, uint64_t value);

/**
 * ntime_register_close() - restore the value before the first write, unless it was opened to keep,
 * and free it
 * @r:	may be NULL
 *
 * Return: 0; -errno with a sentence if the old value could not be restored; @r is freed all the
 * same. Since 0.1.
 */
NTIME_API int ntime_register_close(struct ntime_register *r);

#ifdef __cplusplus
}
#endif
#endif
