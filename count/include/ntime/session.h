/* SPDX-License-Identifier: MIT */
/**
 * DOC: A session: a plan applied to a target
 *
 * new -> add (items) -> start -> read ... -> stop -> read -> free. start plans and opens what is
 * not open yet. A session belongs to one thread at a time.
 */
#ifndef NTIME_SESSION_H
#define NTIME_SESSION_H

#include <stddef.h>
#include <stdint.h>

#include <ntime/context.h>
#include <ntime/value.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ntime_session;
struct ntime_emulator;

enum ntime_target_kind {
	NTIME_TARGET_THREAD = 0, /* one thread: .pid is its id, 0 the calling thread */
	/* all threads that process .pid has now, and those they start with NTIME_CHILDREN */
	NTIME_TARGET_PROCESS = 1,
	NTIME_TARGET_CPUS = 2,	 /* everything that runs on .cpus */
	NTIME_TARGET_MACHINE = 3 /* everything on all CPUs that are on line */
};

#define NTIME_CHILDREN (1u << 0) /* also what the target starts from now on */
/*
 * counting begins when .pid calls exec(); ntime_session_start() only arms it and starts the clock
 * events
 */
#define NTIME_ON_EXEC (1u << 1)
/* do not rotate: only the current pass counts, ntime_session_next_pass() moves on */
#define NTIME_BY_PASS (1u << 2)
/* like NTIME_BY_PASS, for a session that counts only pass .pass */
#define NTIME_PASS_ALONE (1u << 3)

/*
 * If the events exceed the counters, ntime_session_turn() rotates, instead of the kernel: estimates
 * have an interval that holds then
 */
#define NTIME_TURNS (1u << 4)
/*
 * readers of counters, not of clocks, use system calls, never the counter's instruction, which ends
 * the program if somebody forbids it meanwhile (ntime_read())
 */
#define NTIME_READ_BY_CALL (1u << 5)

/*
 * The access method for counters that several methods reach: core PMUs and the uncore. Events that
 * it does not reach are counted by another method; ntime_session_item() names it. All methods but
 * perf count CPUs only: NTIME_TARGET_CPUS and _MACHINE.
 */
enum ntime_via {
	/* perf if the kernel knows the unit and permits this user; else ntimefs; else msr or pci */
	NTIME_VIA_AUTO = 0,
	NTIME_VIA_PERF = 1,
	NTIME_VIA_NTIMEFS = 2, /* ntime's driver */
	NTIME_VIA_MSR = 3,     /* model-specific registers; root */
	NTIME_VIA_PCI = 4,     /* configuration space, memory of graphics cards; root */
	/* qemu-user counts the command that it runs: .emulator of the target */
	NTIME_VIA_EMULATOR = 5
};
/** NTIME_VIA_NAMES - all names that ntime_via_name() gives, in their order */
#define NTIME_VIA_NAMES "auto|perf|ntimefs|msr|pci|emulator"

/**
 * ntime_via_name() - the name of an enum ntime_via ("auto", "perf"); static memory, NULL beyond the
 * last one. Since 0.1.
 */
NTIME_API const char *ntime_via_name(uint32_t via);

/* What a count covers: it cannot be divided further. */
enum ntime_scope {
	NTIME_SCOPE_CPU = 0,	 /* a CPU (hardware thread), or a program */
	NTIME_SCOPE_CORE = 1,	 /* a core: all its threads */
	NTIME_SCOPE_L3 = 2,	 /* what shares a last level cache */
	NTIME_SCOPE_PACKAGE = 3, /* a socket */
	NTIME_SCOPE_MACHINE = 4,
	NTIME_SCOPE_DEVICE = 5 /* a device, whatever program or CPU the target is */
};

/* How values of several CPUs are combined. */
enum ntime_together {
	NTIME_SUM = 0,
	NTIME_MAX = 1, /* of states: the worst one stands for all */
	NTIME_MIN = 2
};

/**
 * struct ntime_target - what is measured; zero-initialise, then set @size
 * @size:	sizeof(struct ntime_target)
 * @kind:	enum ntime_target_kind
 * @flags:	NTIME_CHILDREN and so on
 * @pid:	thread or process id for the first two kinds; 0 is the caller
 * @cpus:	CPU list such as "0-3,8" for NTIME_TARGET_CPUS
 * @pass:	which pass, with NTIME_PASS_ALONE
 * @via:	enum ntime_via
 * @emulator:	that runs the target, a command, with NTIME_VIA_EMULATOR; else NULL
 * @context:	of a graphics card, whose multiprocessors count events of slots there
 *		(count/docs/gpu.md); NULL: none, and those events are absent
 * @reserved:	must be 0
 */
struct ntime_target {
	uint32_t size;
	uint32_t kind;
	uint32_t flags;
	int32_t pid;
	const char *cpus;
	uint32_t pass;
	uint32_t via;
	union {
		const struct ntime_emulator *emulator;
		uint64_t room_of_emulator; /* on machines of 32 bits too */
	};
	union {
		const char *context;
		uint64_t room_of_context;
	};
	uint64_t reserved;
};

/**
 * struct ntime_item - what a session knows of one of its items; strings live as long as the session
 * @name:	as it was added
 * @unit:	unit that counts it ("cpu", "software"), "" for a metric
 * @unit_text:	unit of .value: "" for plain events, "ns", "Joules", "insn/cycle"
 * @method: access method in use: "perf", "ntimefs", "msr", "pci", "clock", "replay"; final once
 *		the session is open; of a metric the method of its events, "" if they have several
 * @reason:	why it is absent, what is left out of it (NTIME_USER_ONLY), or why a device that
 *		counted it is gone; "" when it is whole
 * @remedy:	what to do about it; "none" when nobody can do anything
 * @cause:	of a metric the reason of its event that is absent, a part of @reason; else @reason
 * @reason_code: enum ntime_reason; @about: what that is about; @remedy_kind: enum ntime_remedy_kind
 * @scale:	factor from .count to .value
 * @pass:	pass in which it is counted; of a metric: the last one of its events
 * @in_every_pass: 1 for an event that counts in all passes: there is one pass, it needs no counter,
 *		or it has one that the others leave over (NTIME_TURNS). Then .pass is 0
 * @turns:	passes that have a part of it: more than 1 for a sum whose parts cannot be counted
 *		at one time; its value is whole when each of them was counted. .pass is the last
 *		one. Of a metric: passes of its events that are not in every pass; 1: they are of
 *		one
 * @beside:	of a metric: the event next to which reports print it ("instructions" for IPC), ""
 *		when it stands alone
 * @is_metric:	1 for a metric
 * @is_hidden: 1 for an event that only a metric needs
 * @scope:	enum ntime_scope; of a metric: the widest of its events
 * @together:	enum ntime_together; of a metric 0: it is computed anew
 * @is_state:	1 for a state (a temperature) rather than a count: no differences, no rates
 * @in_context:	1 for an event that is counted in the target's .context of a card, not of the card
 * @max_rate:	no hardware has more of it, in .unit_text for a second of the time for which it is
 *		wanted; 0 where nothing is known, and of a metric. count/docs/counting.md has the
 *		sources
 */
struct ntime_item {
	uint32_t size;
	uint32_t pass;
	uint32_t is_metric;
	uint32_t is_hidden;
	double scale;
	const char *name;
	const char *unit;
	const char *unit_text;
	const char *method;
	const char *reason;
	const char *remedy;
	const char *beside;
	uint32_t scope;
	uint32_t together;
	uint32_t is_state;
	uint32_t reason_code;
	uint32_t remedy_kind;
	uint32_t in_every_pass;
	const char *about;
	const char *cause;
	double max_rate;
	uint32_t turns;
	uint32_t in_context;
};

/**
 * ntime_session_new() - a session without items
 * @ctx:	context, must outlive the session
 * @target:	NULL: the calling thread without children
 * @out:	the session; NULL on failure. Free with ntime_session_free()
 *
 * Return: 0, -ENOMEM, -EINVAL (@target: size, kind, flags, CPU list, an access method that cannot
 * count it), -ESRCH (no such thread or process), -ENODEV (a CPU of the list does not exist or is
 * off line). Since 0.1.
 */
NTIME_API int ntime_session_new(struct ntime_ctx *ctx, const struct ntime_target *target,
				struct ntime_session **out);

/** ntime_session_free() - stop, close and free; NULL is accepted */
NTIME_API void ntime_session_free(struct ntime_session *s);

/**
 * ntime_session_add() - add one event or metric, or a group of metrics
 * @s:		session that was never started
 * @name:	"cycles", "core::INST_RETIRED:u", "uncore_imc/cas_count_read/", "r01c0",
 *		"sched:sched_switch", "IPC", "NAME=FORMULA"; ntime-events(7) has the grammar.
 *		"throttling": each metric of that group that the session does not have
 * @index:	item number, may be NULL; of a group that of the session's last item
 *
 * An event that exists but cannot be counted here is added and absent: that is no error,
 * ntime_session_item() has the reason. Hidden events of a metric are added before it.
 * Return: 0; -ENOENT (no such event; the sentence offers the nearest names); -EINVAL (syntax,
 * attribute, formula); -EBUSY (the session was started); -ENOMEM; -E2BIG (more than 1024 items).
 * Since 0.1.
 */
NTIME_API int ntime_session_add(struct ntime_session *s, const char *name, int *index);

/**
 * ntime_session_add_list() - add several, separated by commas; {a,b} in braces share a group and so
 * a pass
 * @s:		session that was never started
 * @list:	"cycles,{instructions,branches}:u,IPC"
 *
 * Nothing is added on failure. Return: 0 or as ntime_session_add(). Since 0.1.
 */
NTIME_API int ntime_session_add_list(struct ntime_session *s, const char *list);

/**
 * ntime_session_add_beside() - add the ready-made metrics that need no further event
 * @s:		session that was never started
 *
 * Adds each metric that stands beside an event of the session (struct ntime_event_info, @beside)
 * and needs no event that the session does not have. Return: number of metrics added, -EBUSY,
 * -ENOMEM, -E2BIG. Since 0.1.
 */
NTIME_API int ntime_session_add_beside(struct ntime_session *s);

/** ntime_session_count() - number of items, hidden ones included */
NTIME_API size_t ntime_session_count(const struct ntime_session *s);

/**
 * ntime_session_item() - describe item @i; @out->size must be set. 0 or -EINVAL
 *
 * Before the session is opened (ntime_session_open() or _start()) .reason and .pass are not final.
 */
NTIME_API int ntime_session_item(const struct ntime_session *s, size_t i, struct ntime_item *out);

/**
 * ntime_session_open() - plan and open the counters without starting them
 * @s:		session with at least one item
 *
 * Optional: ntime_session_start() opens a session that is not open. Opening it first moves the cost
 * and the errors here.
 * Return: 0; -ENOSPC (a {group} that cannot be counted at once; the sentence names the constraint);
 * -EINVAL (no items); -ESRCH, -EACCES, -EMFILE, -ENOMEM; -EINTR (ntime_options.interrupt: nothing
 * is open then). Events that the kernel refuses one by one
 * become absent with the reason; it is an error only if every item is refused on CPUs. Since 0.1.
 */
NTIME_API int ntime_session_open(struct ntime_session *s);

/**
 * ntime_session_passes() - passes of the plan, 1 when all is counted at once; 0 before the session
 * is opened
 */
NTIME_API unsigned int ntime_session_passes(const struct ntime_session *s);

/**
 * ntime_session_plan_text() - one line for people: what forced pass @pass, or "" for the first one
 *
 * Lives until the next call with @s.
 */
NTIME_API const char *ntime_session_plan_text(struct ntime_session *s, unsigned int pass);

/**
 * ntime_session_start() - start, or continue after stop; counts continue. 0 or as
 * ntime_session_open()
 */
NTIME_API int ntime_session_start(struct ntime_session *s);
struct ntime_command;
/**
 * ntime_session_take_times() - begin and end the session's time with a command
 * @s:	session that counts @c
 * @c:	command; it was started
 *
 * A session learns late when its command began and ended: by as much as the machine is busy with
 * others. From this call on the session's clock, the lengths of metrics and
 * ntime_session_length_ns() begin when the command called exec, where the session waited for exec
 * (NTIME_ON_EXEC), and once the command has ended they end where struct ntime_command_end says that
 * it did. Both ends are one moment of the clock and of the time stamp counter. Call it after
 * ntime_command_start(), and after ntime_command_wait() before ntime_session_stop().
 * Counters need no such help: the kernel switches them at exec and at the end.
 *
 * Return: 0, or -EINVAL (the session does not run, or the command was not started). Since 0.1.
 */
NTIME_API int ntime_session_take_times(struct ntime_session *s, const struct ntime_command *c);
/**
 * ntime_session_length_ns() - how long the session has been running, or ran: CLOCK_MONOTONIC
 *
 * What its metrics divide by. Since 0.1.
 */
NTIME_API uint64_t ntime_session_length_ns(const struct ntime_session *s);
/**
 * ntime_session_stop() - stop counting; the counts stay readable. 0, -EIO, or -EBUSY
 * (NTIME_ON_EXEC, before exec())
 */
NTIME_API int ntime_session_stop(struct ntime_session *s);

/**
 * ntime_session_read() - read every item once
 * @s:		session that was opened
 * @out:	results in the order the items were added; caller's memory, written only on success
 * @n:		must equal ntime_session_count(s)
 *
 * Counts are since the first start. One read(2) per unit, target and CPU; through ntimefs one per
 * counter. Allocates nothing. ntimefs has no timer: if the events exceed the counters, each read
 * rotates to the next events.
 * Return: @n, or -EINVAL (wrong @n, not opened), -ESTALE (a CPU of the session went away, and it
 * does not follow: ntime_session_follow()), -EIO (a read failed). After an error the session still
 * runs. Since 0.1.
 */
NTIME_API int ntime_session_read(struct ntime_session *s, struct ntime_value *out, size_t n);

/**
 * ntime_value_delta() - the difference of two reads of one item
 * @earlier:	first read
 * @later:	second read of the same item
 * @out:	counts, times, value, error and flags of the time between; may be @later
 *
 * For events only: metrics are not differences, see ntime_session_metrics(). Since 0.1.
 */
NTIME_API void ntime_value_delta(const struct ntime_value *earlier, const struct ntime_value *later,
				 struct ntime_value *out);

/**
 * ntime_value_bounds() - what a count can be at all, whatever the program did
 * @value:	as read, a difference, or a mean of reads of one item
 * @item:	that item, of ntime_session_item()
 * @least:	what was counted
 * @most:	@least and @item->max_rate for the time that was not looked at; INFINITY where there
 *		is no such rate or the count leaves something out
 *
 * Both are the value where it is exact. The interval (struct ntime_value) lies within them.
 * Return: 0; -ENODATA (the value has no number; both are NaN then); -EINVAL (a
 * metric; @item->size). Since 0.1.
 */
NTIME_API int ntime_value_bounds(const struct ntime_value *value, const struct ntime_item *item,
				 double *least, double *most);

/**
 * ntime_value_compare() - is one value larger than the other, beyond what their intervals leave
 * open?
 * @a, @b:	of the same item or of alike ones: two sockets, two periods, two runs
 *
 * The interval of the difference is that of independent estimates: from each the side that faces
 * the other (G. Y. Zou, A. Donner, Statistics in Medicine 27 (2008), 1693); with NTIME_BOUNDED that
 * of sides which may be reached at one time. Return: -1 (@a is
 * smaller), 1 (@a is larger), 0: they cannot be told apart with 95 %, or one has no number. Since
 * 0.1.
 */
NTIME_API int ntime_value_compare(const struct ntime_value *a, const struct ntime_value *b);

/**
 * ntime_session_metrics() - compute the metrics of @values from its events, in place
 * @s:		session the values belong to
 * @values:	@n values, as read or as differences or means of reads. Of a metric .wanted_ns is
 *		the real_ns of its formula and .count its cpus, or the machine's where that is 0
 * @n:		must equal ntime_session_count(s)
 *
 * Return: 0 or -EINVAL. Since 0.1.
 */
NTIME_API int ntime_session_metrics(const struct ntime_session *s, struct ntime_value *values,
				    size_t n);

/**
 * struct ntime_where_info - one thread or CPU of a session's target, or, as the last one, where its
 * devices count
 * @pid:	thread, -1 for a CPU and for devices
 * @cpu:	CPU's number, -1 for a thread and for devices
 * @core, @l3, @package, @node: of that CPU, which count from 0 without holes within the machine
 *	(they are not the kernel's ids); -1 where they are not known
 * @is_off_line: 1 for a CPU that went off line: its counts stand still until it is back and
 *	ntime_session_follow() is called
 */
struct ntime_where_info {
	uint32_t size;
	int32_t pid;
	int32_t cpu;
	int32_t core;
	int32_t l3;
	int32_t package;
	int32_t node;
	int32_t is_off_line;
};

/**
 * ntime_session_where_count() - number of threads or CPUs that an opened session counts; 0 before
 */
NTIME_API size_t ntime_session_where_count(const struct ntime_session *s);

/**
 * ntime_session_where() - describe thread or CPU @i of an opened session; @out->size must be set.
 * 0, -EINVAL, or -EIO (no topology)
 */
NTIME_API int ntime_session_where(struct ntime_session *s, size_t i, struct ntime_where_info *out);

/**
 * ntime_session_read_where() - read every item once, per thread or CPU
 * @s:		session that was opened
 * @out: @where_count rows of @n values: out[row * n + item]; written only on success
 * @n:		must equal ntime_session_count(s)
 * @where_count:	must equal ntime_session_where_count(s)
 *
 * As ntime_session_read(), which returns the sums of these. A count of a core, a cache or a package
 * is in the row of the one CPU on which it is read; in the rows of the others it is
 * NTIME_ELSEWHERE. Metrics are computed in each row from its counts, the session's clock is in
 * every row. An event that a thread or CPU cannot have is NTIME_ABSENT in its row. Rows may be
 * added up (enum ntime_together) and ntime_session_metrics() used on the result: .wanted_ns of a
 * metric is that of any row, .count is the number of CPUs that the row covers, 1, and is added up.
 * The first call reads the topology and allocates, the others do not.
 * Return: @n * @where_count, or as ntime_session_read(). Since 0.1.
 */
NTIME_API int ntime_session_read_where(struct ntime_session *s, struct ntime_value *out, size_t n,
				       size_t where_count);

/**
 * ntime_session_read_time() - the time of the counts of the last ntime_session_read_where()
 * @s:		session that was read
 * @at_ns:	CLOCK_MONOTONIC: the time to compute rates with
 * @unsure_ns:	its error: how long the CPU was taken away while counters were read
 *
 * If that is more than a hundredth of the time since the previous read, and more than 100 us, the
 * counters are read again, three times at most. It does not include the usual duration of a read,
 * which is the same at both ends of a period.
 * Return: 0 or -EINVAL (the last read was of another kind). Since 0.1.
 */
NTIME_API int ntime_session_read_time(const struct ntime_session *s, uint64_t *at_ns,
				      uint64_t *unsure_ns);

/**
 * ntime_session_follow() - bring a session up to date with the CPUs that are on line now
 * @s:		opened session with NTIME_TARGET_MACHINE, or NTIME_TARGET_CPUS
 *
 * Call it now and then, as often as a CPU may come unseen: CPUs of the target that came on line
 * since are counted from now on, if the session runs; those of NTIME_TARGET_CPUS are the CPUs of
 * its list. From the first call on a CPU that goes off line is no error of ntime_session_read():
 * what it counted is kept, also what perf's counters had when it went. Values with such a CPU have
 * NTIME_HOTPLUG. CPUs that were never there before stand behind the others in
 * ntime_session_where(), whose number grows; CPUs that went keep their place.
 * A CPU that was away between two calls is noticed too. For how long one was on line before a call
 * noticed it is not known; .wanted_ns has that time at its longest, and where it is more than a
 * hundredth of it the value is NTIME_PARTIAL. A counter that cannot be had on a CPU that came is
 * tried again at each call; until then its values are NTIME_PARTIAL. Reads two small files if
 * nothing has changed. Nothing changes in a recording.
 * Return: 1 if a CPU came or went since the last call, 0 if none did, -EINVAL (another target, or
 * not opened), -ENOMEM. Since 0.1.
 */
NTIME_API int ntime_session_follow(struct ntime_session *s);

/**
 * ntime_session_max_read_interval_ns() - longest time between two reads in which no wrap can be
 * missed
 *
 * A later read may return NTIME_OVERFLOWED. UINT64_MAX if there is no limit, as with perf; 0 before
 * the session is opened. Since 0.1.
 */
NTIME_API uint64_t ntime_session_max_read_interval_ns(const struct ntime_session *s);

/**
 * ntime_session_next_pass() - end this pass, begin the next one
 * @s:		started session with NTIME_BY_PASS
 *
 * For work that can be repeated: start, work, next_pass, work, ... until -ENODATA says that all
 * passes are done. Values of a pass are exact for the time of that pass: .wanted_ns is that time,
 * so nothing is scaled.
 * Return: number of the pass that runs now, -ENODATA (there is no further one; counting is
 * stopped), -EINVAL. Since 0.1.
 */
NTIME_API int ntime_session_next_pass(struct ntime_session *s);

/**
 * ntime_session_turn() - rotate to other events when it is time to
 * @s:		opened session with NTIME_TURNS
 * @next_ns:	call again after so many nanoseconds; UINT64_MAX if there is nothing to do, as the
 *		session does not run or all events fit into the counters
 *
 * Call it from the loop that waits for what is measured, now and then @next_ns after the last call;
 * a call that comes late makes a longer turn. Turns have a random order and random lengths, so that
 * nothing the program does keeps step with them. They begin with 0.1 ms and grow to 4 ms; turns
 * whose change is costly (many CPUs) are longer. What sleeps keeps its turn.
 * Return: number of the pass that runs now; -EINVAL (another session), or as ntime_session_read().
 * Since 0.1.
 */
NTIME_API int ntime_session_turn(struct ntime_session *s, uint64_t *next_ns);

#ifdef __cplusplus
}
#endif
#endif
