/* SPDX-License-Identifier: MIT */
/**
 * DOC: Why something cannot be counted, as data
 *
 * Whatever the library reports as missing carries a reason code, the thing that the reason is
 * about, a sentence, and the remedy with its kind. Absences of the same code, .about and .remedy
 * have the same cause: one sentence may speak for all of them. Programs compare these, never
 * sentences, whose words may change.
 */
#ifndef NTIME_REASON_H
#define NTIME_REASON_H

#include <stdint.h>

#include <ntime/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * enum ntime_reason - what is in the way. Values and names stay what they are; new ones may come
 * behind
 */
enum ntime_reason {
	NTIME_REASON_NONE = 0,		 /* nothing */
	NTIME_REASON_NO_HARDWARE = 1,	 /* this machine has no such unit, event or register */
	NTIME_REASON_HYPERVISOR = 2,	 /* the hypervisor does not expose it to this guest */
	NTIME_REASON_KERNEL = 3,	 /* this kernel lacks the option, driver or event */
	NTIME_REASON_NOT_LOADED = 4,	 /* a driver is not loaded */
	NTIME_REASON_NOT_MOUNTED = 5,	 /* a file system is not mounted, or mounted read-only */
	NTIME_REASON_PERMISSION = 6,	 /* this user may not */
	NTIME_REASON_PARANOID = 7,	 /* kernel.perf_event_paranoid */
	NTIME_REASON_LOCKDOWN = 8,	 /* the kernel is locked down */
	NTIME_REASON_SETTING = 9,	 /* another setting of the kernel */
	NTIME_REASON_BUSY = 10,		 /* somebody else uses the counter */
	NTIME_REASON_LEFTOVER = 11,	 /* a program that died left it programmed */
	NTIME_REASON_OFFLINE = 12,	 /* the CPU or the device is offline, or gone */
	NTIME_REASON_LIMIT = 13,	 /* open files, or counters for so many events at once */
	NTIME_REASON_UNKNOWN_EVENT = 14, /* no event of that name, or in no list, here */
	NTIME_REASON_NOT_SUPPORTED = 15, /* not in the way asked for: modifiers, access method */
	NTIME_REASON_SCOPE = 16,	 /* counts for more than what is measured, or elsewhere */
	NTIME_REASON_RECORDING = 17,	 /* the recorded machine's file does not have it */
	/* the counters stand still, whatever their driver reports */
	NTIME_REASON_NOT_COUNTING = 18,
	NTIME_REASON_FAILED = 19,	 /* a call or an access failed */
	NTIME_REASON_NOT_INSTALLED = 20, /* a library that it takes is not installed */
	/* no machine has such a number, or the counter failed a test (NTIME_IMPLAUSIBLE) */
	NTIME_REASON_IMPLAUSIBLE = 21,
	NTIME_REASON_ERRATUM = 22, /* this processor is known to count the event wrongly */
	/* a filter of system calls (seccomp) or a sandbox answers in the kernel's place */
	NTIME_REASON_FILTERED = 23,
	NTIME_REASON_EVERY_MODE = 24, /* a clock: it is counted, and u, k, h leave nothing out */
	/* of several units of a card one is counted (NTIME_PARTIAL) */
	NTIME_REASON_ONE_UNIT = 25,
	/* the command left processes running; what they do later is missing (NTIME_PARTIAL) */
	NTIME_REASON_OUTLIVED = 26,
};

/** enum ntime_remedy_kind - can somebody do something about it? */
enum ntime_remedy_kind {
	NTIME_REMEDY_NONE = 0, /* no: the hardware lacks it; the remedy's text is "none" */
	NTIME_REMEDY_HERE = 1, /* yes, on this machine */
	/* yes, on the host, at the cloud provider or on other hardware */
	NTIME_REMEDY_ELSEWHERE = 2,
};

/**
 * ntime_reason_name() - stable word of a reason code, as the JSON of the command has it
 * @code:	enum ntime_reason
 *
 * Return: "hypervisor", "paranoid", ...; "" for NTIME_REASON_NONE, NULL for a number that is no
 * code. Static memory. Since 0.1.
 */
NTIME_API const char *ntime_reason_name(uint32_t code);

/**
 * ntime_remedy_kind_name() - stable word of a kind of remedy
 * @kind:	enum ntime_remedy_kind
 *
 * Return: "none", "here", "elsewhere"; NULL for a number that is no kind. Static memory. Since 0.1.
 */
NTIME_API const char *ntime_remedy_kind_name(uint32_t kind);

#ifdef __cplusplus
}
#endif
#endif
