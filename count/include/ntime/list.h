/* SPDX-License-Identifier: MIT */
/**
 * DOC: What the machine has: access methods, units, events, metrics, problems
 *
 * Each call walks one kind of thing and hands a description to a function of the caller. The
 * description and its strings live until that function returns. A non-zero result of the function
 * ends the walk and is returned. No string is NULL; "" means there is nothing to say.
 */
#ifndef NTIME_LIST_H
#define NTIME_LIST_H

#include <stdint.h>

#include <ntime/context.h>
#include <ntime/reason.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct ntime_method_info - an access method: how registers are reached
 * @name:	"perf", "clock", "msr", "pci", "ntimefs", "model", "replay"
 * @reaches:	what it gives, one phrase
 * @usable:	1 when it can be used here and now by this user
 * @reason:	why not, or what limits it; "" when nothing does
 * @remedy:	what to do about @reason, a command where there is one; "none" when nobody can do
 *		anything
 * @reason_code: enum ntime_reason; @about: what that is about; @remedy_kind: enum ntime_remedy_kind
 * @cost:	what one read costs, one phrase
 */
struct ntime_method_info {
	uint32_t size;
	uint32_t usable;
	const char *name;
	const char *reaches;
	const char *reason;
	const char *remedy;
	const char *cost;
	uint32_t reason_code;
	uint32_t remedy_kind;
	const char *about;
};

/**
 * struct ntime_unit_info - a block of counters
 * @name:	"cpu", "software", "uncore_imc_0", "clock"; what stands before :: in an event's name
 * @desc:	one phrase
 * @method: access method in use
 * @cpus:	CPUs on which it is opened, as the kernel's list ("0,28"); "" when any CPU will do
 * @counters:	counters that any event may use, @fixed counters of one event each; 0 when not known
 * @usable:	1 when it can be used here and now by this user
 * @reason:	why not
 * @remedy:	what to do about it; "none" when nobody can do anything
 * @reason_code: enum ntime_reason; @about: what that is about; @remedy_kind: enum ntime_remedy_kind
 */
struct ntime_unit_info {
	uint32_t size;
	uint32_t usable;
	uint32_t counters;
	uint32_t fixed;
	const char *name;
	const char *desc;
	const char *method;
	const char *cpus;
	const char *reason;
	const char *remedy;
	uint32_t reason_code;
	uint32_t remedy_kind;
	const char *about;
};

/**
 * struct ntime_card_mux - what a multiplexer of a graphics card has to select
 * @name:	the multiplexer; "TPC" or "memory partition": the unit whose wires are led out
 * @value:	its value; of the latter the unit's number
 */
struct ntime_card_mux {
	const char *name;
	uint64_t value;
};

/**
 * struct ntime_card_setup - the words of a function of signals, as those of perf
 */
struct ntime_card_setup {
	uint64_t config, config1, config2;
};

/**
 * struct ntime_card_perfkit - a counter of NVPerfKit that an event of a graphics card gives
 * @name:	as its programs ask for it
 * @id, @domain: its numbers in the published list; a domain of 0: NVIDIA's driver computes it
 * @is_ratio:	1: programs show 100 * value / clocks of the domain; 0: the value
 * @is_rest:	1: its value is the domain's clocks less the event's count
 */
struct ntime_card_perfkit {
	const char *name;
	uint32_t id, domain, is_ratio, is_rest;
};

/**
 * struct ntime_card_event - how an event of a graphics card is counted
 * @domain:	the domain whose signals it is made of
 * @counters:	how many of the domain's four counters it takes: 1; 2 of a sum; 0 of clocks
 * @passes:	how many passes it takes when it is counted alone
 * @muxes:	entries of @mux
 * @setups:	entries of @setup: functions that are counted one after the other and added
 * @conflicts:	two events can be counted in one pass exactly if the AND of theirs is 0. One of
 *		several passes conflicts with all others. Three and more may need another pass
 *		though no two of them do: a domain has four counters. Of @control 0: such an event
 *		has counters of its own, four of which are counted at once
 * @terms:	the same words as the event's raw terms, "domain=1,src=0xcb,op=0xaaaa"; a blank
 *		between those of two set-ups
 * @trust:	"documented", "measured" (traced where a driver counted it) or "guessed"
 * @source:	who says so
 * @perfkits:	entries of @perfkit: counters of NVPerfKit that it gives
 * @control:	not 0: it is counted in a context, by a slot of the multiprocessors (.context of
 *		struct ntime_target); this is MP_PM_CONTROL of slot 0
 */
struct ntime_card_event {
	uint32_t size;
	uint32_t domain;
	uint32_t counters;
	uint32_t passes;
	uint32_t muxes;
	uint32_t setups;
	uint64_t conflicts;
	const struct ntime_card_mux *mux;
	const struct ntime_card_setup *setup;
	const char *terms;
	const char *trust;
	const char *source;
	const struct ntime_card_perfkit *perfkit;
	uint32_t perfkits;
	uint32_t control;
};

/**
 * struct ntime_event_info - an event, or a metric
 * @name:	what to give to ntime_session_add()
 * @unit:	its unit's name; "" for a metric
 * @desc:	one sentence
 * @unit_text:	unit of the count ("ns", "Joules"); "" for plain events
 * @formula:	a metric's formula, "" for an event
 * @usable:	1 when it can be counted here and now by this user
 * @reason:	why not; of a metric "needs EVENT: " and the reason of that event
 * @cause:	of a metric the event's own reason, a part of @reason; else @reason
 * @remedy:	what to do about it; "none" when nobody can do anything
 * @reason_code: enum ntime_reason; @about: what that is about; @remedy_kind: enum ntime_remedy_kind
 * @beside:	of a metric: the event next to which reports print it ("instructions" for IPC); ""
 *		when it stands alone
 * @is_default:	1 for a metric that belongs into a report for which nothing was chosen
 * @group:	of a metric: the group that it is asked for with ("throttling"); "" for none
 * @card:	of an event of a graphics card that can be counted: how; else NULL
 */
struct ntime_event_info {
	uint32_t size;
	uint32_t usable;
	const char *name;
	const char *unit;
	const char *desc;
	const char *unit_text;
	const char *formula;
	const char *reason;
	const char *remedy;
	const char *beside;
	uint32_t is_default;
	uint32_t reserved;
	const char *group;
	uint32_t reason_code;
	uint32_t remedy_kind;
	const char *about;
	const char *cause;
	const struct ntime_card_event *card;
};

/**
 * struct ntime_problem - something that prevents counting
 * @what:	what cannot be counted because of it
 * @reason:	what prevents it, one sentence
 * @remedy:	the exact command, or the action, that removes it; "none" when nobody can do
 *		anything
 * @remedy_kind: enum ntime_remedy_kind: whether it can be removed on this machine
 * @reason_code: enum ntime_reason
 * @about:	what the reason is about: a file, a unit
 */
struct ntime_problem {
	uint32_t size;
	uint32_t remedy_kind;
	const char *what;
	const char *reason;
	const char *remedy;
	const char *about;
	uint32_t reason_code;
	uint32_t reserved;
};

NTIME_API int ntime_method_for_each(struct ntime_ctx *ctx,
				    int (*fn)(void *arg, const struct ntime_method_info *method),
				    void *arg);
NTIME_API int ntime_unit_for_each(struct ntime_ctx *ctx,
				  int (*fn)(void *arg, const struct ntime_unit_info *unit),
				  void *arg);

/**
 * ntime_event_for_each() - walk the events of this machine, or of a libpfm4 PMU model
 * @ctx:	context
 * @model:	NULL: this machine. Else a libpfm4 PMU model such as "skx": its events, whatever
 *		machine this is
 * @fn:		called for each event
 * @arg:	its first argument
 *
 * Return: 0, the first non-zero of @fn, -ENOENT (@model is no model; the sentence names the
 * nearest), -ENOMEM, -EMFILE or -ENFILE (a file could not be opened, the sentence names it; what
 * @fn was called with may lack a part). As ntime_unit_for_each() and the others here. Since 0.1.
 */
NTIME_API int ntime_event_for_each(struct ntime_ctx *ctx, const char *model,
				   int (*fn)(void *arg, const struct ntime_event_info *event),
				   void *arg);
/**
 * ntime_pmu_model_for_each() - walk the PMU models of libpfm4, as ntime_event_for_each() takes them
 * @ctx:	context
 * @fn:		called for each model; of the boxes of an uncore unit, for the first alone. @desc:
 *		which processors have it
 * @arg:	its first argument
 *
 * Return: 0, the first non-zero of @fn, -ENOENT (libpfm4 cannot be loaded or initialised). Since
 * 0.1.
 */
NTIME_API int ntime_pmu_model_for_each(struct ntime_ctx *ctx,
				       int (*fn)(void *arg, const char *name, const char *desc),
				       void *arg);
NTIME_API int ntime_metric_for_each(struct ntime_ctx *ctx,
				    int (*fn)(void *arg, const struct ntime_event_info *metric),
				    void *arg);
NTIME_API int ntime_problem_for_each(struct ntime_ctx *ctx,
				     int (*fn)(void *arg, const struct ntime_problem *problem),
				     void *arg);
/* Those alone that are a library which is not installed: nothing else is looked at. */
NTIME_API int ntime_problem_of_libraries(struct ntime_ctx *ctx,
					 int (*fn)(void *arg, const struct ntime_problem *problem),
					 void *arg);

/**
 * struct ntime_encoding - what the kernel is asked for one part of an event
 * @unit:	unit's name
 * @type:	perf_event_attr.type
 * @config:	.config, @config1, @config2 likewise
 * @exclude:	bit 0 user, 1 kernel, 2 hypervisor, 3 host, 4 guest, 5 idle
 * @precise:	.precise_ip
 */
struct ntime_encoding {
	uint32_t size;
	uint32_t type;
	uint64_t config;
	uint64_t config1;
	uint64_t config2;
	uint32_t exclude;
	uint32_t precise;
	const char *unit;
};

/**
 * ntime_event_encode() - encode an event without counting it
 * @ctx:	context
 * @event:	any event ntime_session_add() takes; "skx::NAME" works for every model that libpfm4
 *		knows
 * @fn:		called once per part (an event of "uncore_imc" has one per memory controller)
 * @arg:	its first argument
 *
 * Return: number of parts, first non-zero of @fn, -ENOENT or -EINVAL as ntime_session_add(). Since
 * 0.1.
 */
NTIME_API int ntime_event_encode(struct ntime_ctx *ctx, const char *event,
				 int (*fn)(void *arg, const struct ntime_encoding *part),
				 void *arg);

/**
 * struct ntime_leftover - counters that a killed program left running
 * @name:	what ntime_repair() takes
 * @what:	the counters, for people: "uncore of package 0"; where the record is damaged, or no
 *		record, a sentence that says so
 * @command:	program that did it, as far as is known
 * @pid:	its process id; 0 when it is not known
 * @registers:	how many registers it let them run with; 0: nothing can be repaired with it, the
 *		file has to be removed by hand
 */
struct ntime_leftover {
	uint32_t size;
	int32_t pid;
	const char *name;
	const char *what;
	const char *command;
	uint64_t registers;
};

/**
 * ntime_leftover_for_each() - walk the counters that killed programs left running
 * @ctx:	context
 * @fn:		called for each PMU instance
 * @arg:	its first argument
 *
 * Through msr and PCI a program records a register that lets a counter run before it changes it, in
 * files below /run/ntime. Root alone can read them.
 *
 * Return: 0, first non-zero of @fn, -EACCES, -ENOTDIR (others can write to that directory),
 * -ENOMEM. Since 0.1.
 */
NTIME_API int ntime_leftover_for_each(struct ntime_ctx *ctx,
				      int (*fn)(void *arg, const struct ntime_leftover *leftover),
				      void *arg);

/**
 * struct ntime_repair_step - what was done to one register
 * @device:	"CPU 3" or a PCI address
 * @name:	the register's name
 * @found:	what it held
 * @now:	what it holds now
 * @error:	0; -EBUSY: another program uses it now, unchanged; -ENODEV: the device is gone; or
 *		-errno of the access
 * @why:	a sentence about the access that failed; "" where none did
 */
struct ntime_repair_step {
	uint32_t size;
	int32_t error;
	const char *device;
	const char *name;
	uint64_t found;
	uint64_t now;
	const char *why;
};

/**
 * NTIME_REPAIR_LOOK - report what ntime_repair() would do and write nothing; @now is the value it
 * would write
 */
#define NTIME_REPAIR_LOOK 1u

/**
 * ntime_repair() - switch off the counters of one ntime_leftover
 * @ctx:	context
 * @name:	its name
 * @flags:	NTIME_REPAIR_LOOK or 0
 * @fn:		called for each register; may be NULL
 * @arg:	its first argument
 *
 * In each of its registers the bits that let counters run and that the program had changed are
 * cleared, if they are still as it left them. Old values are not put back: a counter that does not
 * run disturbs nobody, and whoever counts next writes its registers. What cannot be switched off
 * can be tried again.
 *
 * Return: 0; -ENOENT (no such record); -EBUSY (a running program has these counters); -EBADMSG (the
 * record is damaged, nothing was written); -EACCES, -EIO (some register could not be read or
 * written, the record of it stays); first non-zero of @fn; -EINVAL (@flags). Since 0.1.
 */
NTIME_API int ntime_repair(struct ntime_ctx *ctx, const char *name, uint32_t flags,
			   int (*fn)(void *arg, const struct ntime_repair_step *step), void *arg);

#ifdef __cplusplus
}
#endif
#endif
