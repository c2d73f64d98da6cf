/* SPDX-License-Identifier: MIT */
/**
 * DOC: Lending a PCI card to a virtual machine, so that QEMU can trace what a guest's driver does
 * to it
 *
 * Linux hands PCI functions to programs through its driver vfio-pci, all functions of an IOMMU
 * group at once. Here a card is taken from the drivers it has, and given back to them afterwards;
 * what each function had stands in a file of /run/ntime-vfio until then. And each thing that
 * tracing a card through QEMU needs is looked at, with the reason where it is missing and what to
 * do about it.
 */
#ifndef NTIME_TRACE_VFIO_H
#define NTIME_TRACE_VFIO_H

#include <stdint.h>

#include <ntime/trace/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/** enum ntime_vfio_state - how it is with one thing that tracing needs */
enum ntime_vfio_state {
	NTIME_VFIO_OK = 0,
	NTIME_VFIO_MISSING = 1,
	NTIME_VFIO_UNKNOWN = 2, /* this system, or this user, cannot find out */
};

/**
 * struct ntime_vfio_check - one thing that was looked at
 * @state:	enum ntime_vfio_state
 * @name:	the same on each machine, for programs: "cpu", "iommu-groups", "vfio-pci",
 *		"card-driver"; static memory
 * @what:	for people: "IOMMU groups"
 * @reason:	what was found, and what that means
 * @remedy:	what to do, "" where nothing is to be done
 *
 * Strings live until the callback returns. Since 0.1.
 */
struct ntime_vfio_check {
	uint32_t size;
	uint32_t state;
	const char *name;
	const char *what;
	const char *reason;
	const char *remedy;
	uint64_t reserved[2];
};

/**
 * struct ntime_vfio_question - what to look at; zero-initialise, then set @size
 * @card:	PCI address of the card, "0000:05:00.0" or "05:00.0"; NULL: the machine alone
 * @qemu:	QEMU's program, as a person would call it; NULL: "qemu-system-" and the machine's
 *		architecture
 * @qemu_version: what it says to --version, NULL: nobody could ask it
 *
 * Since 0.1.
 */
struct ntime_vfio_question {
	uint32_t size;
	uint32_t flags;
	const char *card;
	const char *qemu;
	const char *qemu_version;
	uint64_t reserved[4];
};

/**
 * ntime_vfio_doctor() - look at each thing that tracing a card needs
 * @ctx:	context
 * @q:		what to look at
 * @fn:		called for each thing, in the order in which they are needed
 * @arg:	its first argument
 *
 * Reads small files and changes nothing; what only root can see is unknown to others. Return: how
 * many are missing; first negative result of @fn; -EINVAL (@q, or @q->card is not a PCI address),
 * -ENOMEM. Since 0.1.
 */
NTIME_API int ntime_vfio_doctor(struct ntime_trace_ctx *ctx, const struct ntime_vfio_question *q,
				int (*fn)(void *arg, const struct ntime_vfio_check *check),
				void *arg);

/**
 * struct ntime_vfio_function - one PCI function of a card's IOMMU group
 * @group:	its number
 * @name:	"0000:05:00.0"
 * @driver:	that has it now, "" for none
 * @had:	the driver that ntime took it from and will give it back to; "" for none, also when
 *		nothing was taken
 * @vendor_device: 0xVVVVDDDD, 0 when it cannot be read
 * @pci_class:	24 bits: 0x030000 is a VGA controller
 * @is_bridge:	a bridge: it stays with its driver, as vfio allows
 * @is_lent:	ntime has bound it to vfio-pci, and has not unbound it
 *
 * Strings live until the callback returns. Since 0.1.
 */
struct ntime_vfio_function {
	uint32_t size;
	uint32_t group;
	const char *name;
	const char *driver;
	const char *had;
	uint32_t vendor_device;
	uint32_t pci_class;
	uint32_t is_bridge;
	uint32_t is_lent;
	uint64_t reserved[2];
};

/**
 * ntime_vfio_function_for_each() - all functions of the IOMMU group that @card is in, sorted by
 * place
 * @ctx:	context
 * @card:	"0000:05:00.0" or "05:00.0"
 * @fn:		called for each
 * @arg:	its first argument
 *
 * Return: 0; first non-zero of @fn; -EINVAL (not a PCI address), -ENODEV (there is none), -ENOTSUP
 * (it is in no IOMMU group), -ENOMEM. Since 0.1.
 */
NTIME_API int ntime_vfio_function_for_each(struct ntime_trace_ctx *ctx, const char *card,
					   int (*fn)(void *arg,
						     const struct ntime_vfio_function *function),
					   void *arg);

/* Of the flags of ntime_vfio_bind() and ntime_vfio_unbind(). */
#define NTIME_VFIO_LOOK 0x1u  /* report each write and do none */
#define NTIME_VFIO_FORCE 0x2u /* also what is in use; unbind: also what ntime did not bind */

/**
 * struct ntime_vfio_write - one write to a file of the system
 * @error:	0 or -errno of it; 0 with NTIME_VFIO_LOOK
 * @path:	"/sys/bus/pci/devices/0000:05:00.0/driver_override"
 * @text:	what is written, without newline; "" is a newline alone
 *
 * Strings live until the callback returns. Since 0.1.
 */
struct ntime_vfio_write {
	uint32_t size;
	int32_t error;
	const char *path;
	const char *text;
	uint64_t reserved[2];
};

/**
 * ntime_vfio_bind() - give a card, and all of its IOMMU group but bridges, to vfio-pci
 * @ctx:	context
 * @card:	"0000:05:00.0" or "05:00.0"
 * @flags:	NTIME_VFIO_LOOK, NTIME_VFIO_FORCE
 * @fn:		called for each write, may be NULL
 * @arg:	its first argument
 *
 * Goes by driver_override, so no other card of the same kind is touched. What each function had is
 * written down before the first of them is taken; when one cannot be had, all get back what they
 * had. Refused without NTIME_VFIO_FORCE: the card that shows the console or a lit screen,
 * controllers of disks in use, network devices that are up. A program that is killed here leaves
 * what ntime_vfio_unbind() puts right.
 * Return: functions that were given (0: vfio-pci has them all); -EINVAL, -ENODEV, -ENOTSUP as
 * above; -EBUSY (in use; the sentence says by whom, or another program is at it); -EACCES (not
 * root); -ENOENT (vfio-pci is not loaded); -EIO (a write failed, all was given back); -ESTALE (and
 * something was not: the record stays for ntime_vfio_unbind()); -EBADMSG, -ENOTDIR (the record
 * cannot be used); first non-zero of @fn, after giving back. Since 0.1.
 */
NTIME_API int ntime_vfio_bind(struct ntime_trace_ctx *ctx, const char *card, uint32_t flags,
			      int (*fn)(void *arg, const struct ntime_vfio_write *write),
			      void *arg);

/**
 * ntime_vfio_unbind() - give each function back to the driver that ntime_vfio_bind() took it from
 * @ctx:	context
 * @card:	any function of the group
 * @flags:	NTIME_VFIO_LOOK; NTIME_VFIO_FORCE: what vfio-pci has without a record of ours goes
 *		to the driver that Linux finds for it
 * @fn:		called for each write, may be NULL
 * @arg:	its first argument
 *
 * Return: functions that were given back (0: none was bound); -EBUSY (a program, such as QEMU, has
 * the group open: it would be waited for without end); -ENOENT (vfio-pci has it, but not from
 * ntime); -EIO (a write failed, or a driver is not there any more: the others were given back, the
 * record stays); else as ntime_vfio_bind(). Since 0.1.
 */
NTIME_API int ntime_vfio_unbind(struct ntime_trace_ctx *ctx, const char *card, uint32_t flags,
				int (*fn)(void *arg, const struct ntime_vfio_write *write),
				void *arg);

#ifdef __cplusplus
}
#endif
#endif
