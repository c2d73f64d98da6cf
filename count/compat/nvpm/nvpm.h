/* SPDX-License-Identifier: MIT */
/*
 * NVPerfKit's programming interface over libntime: one state, which three binary interfaces number
 * in their own way (flat.c, table.c). All of it is called between nvpm_enter() and nvpm_leave(),
 * which holds the one lock.
 */
#ifndef NVPM_NVPM_H
#define NVPM_NVPM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ntime/ntime.h>

/* Results as interfaces II and III have them; below, those that only I tells apart. */
enum nvpm_result {
	NVPM_DONE = 0,
	NVPM_BAD_PARAMETER = 1,
	NVPM_NOT_STARTED = 3,
	NVPM_STARTED = 4,
	NVPM_BAD_ENUMERATOR = 5,
	NVPM_TOO_SMALL = 6,
	NVPM_BAD_COUNTER = 7,
	NVPM_NO_MEMORY = 8,
	NVPM_INCOMPLETE = 9,
	NVPM_BAD_PASS = 10,
	NVPM_BAD_OBJECT = 11,
	NVPM_NOT_ENABLED = 12,
	NVPM_NOT_FOUND = 13,
	NVPM_NOT_RUN = 14,
	NVPM_OUT_OF_ORDER = 16,
	NVPM_INTERNAL = 17,
	NVPM_ENDED_EARLY = 18,
	NVPM_DUPLICATE = 20,
	NVPM_BAD_CONTEXT = 23,
	NVPM_OTHER_TYPE = 25,
	NVPM_NO_EXPERIMENT = 32,
	NVPM_NO_PASS,
	NVPM_IN_PASS,
	NVPM_NO_OBJECT,
	NVPM_IN_OBJECT,
	NVPM_RUNNING
};

enum nvpm_interface { NVPM_FLAT, NVPM_TABLE };

/* Sessions that count beside each other. */
enum nvpm_target {
	NVPM_CARD,
	NVPM_PROCESS, /* this process, its threads, and what it starts */
	NVPM_MACHINE, /* what counts for nothing less */
	NVPM_TARGETS
};

enum nvpm_attribute { NVPM_TYPE, NVPM_IS_RAW, NVPM_DOMAIN, NVPM_MAX };

/**
 * struct nvpm_value - a count, and the clocks of its domain in the same time
 * @cycles:	0: there is no number
 * @is_updated:	it is of the newest period
 * @is_overflowed: it is a lower bound
 */
struct nvpm_value {
	uint64_t value, cycles;
	bool is_updated, is_overflowed;
};

#define NVPM_SETUPS 4

/**
 * struct nvpm_counter - a counter that is enumerated
 * @name, @desc: live as long as the library: programs keep them
 * @event:	as libntime takes it; @setup: those of its parts that cannot be counted at one
 *		time, @setups of them; 0: it needs no counter
 * @clocks:	event of the clocks of its domain; NULL: its cycles are nanoseconds
 * @id:		in interfaces II and III; in I it is the place in the list
 * @domain:	as programs see it; @pm_domain: the card's
 * @is_user:	it is of NTIME_NVPM_EVENTS
 * @is_rest:	the value is the clocks less the count
 * @is_sampled:	sampling has begun since it was added
 * @item, @clock_item: in the session of its target; -1: it is not counted now
 * @turns:	passes that have a part of it
 * @frame:	newest one that its value is of; UINT64_MAX: none of this session
 * @part:	sum of the @part_turns set-ups that had their turn, by NVIDIA's rule
 */
struct nvpm_counter {
	const char *name, *desc, *event, *clocks, *setup[NVPM_SETUPS];
	uint32_t id, domain, pm_domain, setups;
	enum nvpm_target target;
	bool is_user, is_ratio, is_rest, is_active, is_sampled;
	int item, clock_item;
	uint32_t turns, part_turns;
	uint64_t frame;
	struct nvpm_value value, part;
};

/**
 * struct nvpm_part - the session of a target
 * @session:	NULL: nothing is counted there
 * @frames:	of sampling; @frame: the newest; @has_frame: there is one; @is_read: its values are
 *		in the counters
 * @length_ns:	of the newest frame, or of the object that ended last
 * @now, @older: values of the newest frame, and of others; @begin, @end: of
 *	an experiment's object
 * @begin_ns:	CLOCK_MONOTONIC at @begin
 * @is_bad:	the last read of the object failed
 */
struct nvpm_part {
	struct ntime_session *session;
	struct ntime_frames *frames;
	size_t items;
	uint64_t frame, length_ns, begin_ns;
	bool has_frame, is_read, is_bad;
	struct ntime_frame_value *now, *older;
	struct ntime_value *begin, *end;
};

struct nvpm_cell;

/* What these interfaces force: one library, one state. */
struct nvpm_state {
	bool is_started, is_debug;
	bool is_nvidia;		/* one event a domain and period */
	enum nvpm_interface of; /* that is being called */
	uint32_t error;		/* extended: the errno of what failed */
	struct ntime_ctx *ctx;
	struct nvpm_counter *counter;
	uint32_t counters;
	struct nvpm_counter **active; /* in the order in which they were added */
	uint32_t actives;
	uint64_t *context;
	uint32_t contexts, contexts_made;
	struct nvpm_part part[NVPM_TARGETS];
	bool is_stale; /* what is active is not what is counted */
	uint64_t turn; /* periods since then, for NVIDIA's rule */
	/* experiments */
	bool is_running, is_in_pass, is_in_object;
	bool has_values; /* values are of the last one, until something is sampled */
	int failure;	 /* of its counting: a result; 0: none */
	uint32_t objects, object, passes, pass;
	uint32_t target_passes[NVPM_TARGETS];
	struct nvpm_cell *cell; /* of each object, one for each active counter */
};

extern struct nvpm_state nvpm;

/* One call of a program. */
struct nvpm_call {
	int result;
	enum nvpm_interface outer;
};

/* Takes the lock. @context: NULL: none. .result: 0; NVPM_NOT_STARTED; NVPM_BAD_CONTEXT. */
struct nvpm_call nvpm_enter(enum nvpm_interface of, const uint64_t *context);
/* Gives it back. Returns @result in the interface's own numbers. */
int nvpm_leave(const struct nvpm_call *call, int result);
/* As a function's body. */
#define NVPM_CALL(of, context, does)                                                               \
	struct nvpm_call call = nvpm_enter(of, context);                                           \
	return nvpm_leave(&call, call.result ? call.result : (does))

/* A sentence on stderr; nvpm_debug(): with NTIME_DEBUG. */
void nvpm_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
#define nvpm_debug(...) (nvpm.is_debug ? nvpm_say(__VA_ARGS__) : (void)0)
/* libntime's sentence about @error, a negative errno, which GetExtendedError will have. */
int nvpm_failed(int error);
/* A copy that lives as long as the library; NULL: no memory. */
const char *nvpm_keep(const char *text);

/* counters.c: what this machine and the environment have. NVPM_DONE or NVPM_NO_MEMORY. */
int nvpm_find_counters(void);

/* core.c */
int nvpm_init(enum nvpm_interface of);
int nvpm_shutdown(void);
int nvpm_context_new(uint64_t *out);
int nvpm_context_free(uint64_t context);
struct nvpm_counter *nvpm_find_name(const char *name);
uint32_t nvpm_number(const struct nvpm_counter *c);
typedef int nvpm_enumerate_fn(void *arg, uint32_t number, const char *name);
int nvpm_enumerate(nvpm_enumerate_fn *fn, void *arg);
int nvpm_get_text(uint32_t number, bool is_desc, char *text, uint32_t *length);
int nvpm_get_number(const char *name, uint32_t *out);
int nvpm_get_clock_rate(const char *name, float *mhz);
int nvpm_get_attribute(uint32_t number, enum nvpm_attribute attribute, uint64_t *out);
/* All of them, or none. */
int nvpm_add(uint32_t n, const uint32_t *numbers);
int nvpm_remove(uint32_t n, const uint32_t *numbers);
/* nvpm_add() or nvpm_remove() of one of this name. */
int nvpm_by_name(const char *name, int (*does)(uint32_t n, const uint32_t *numbers));
int nvpm_remove_all(void);
/* @value may have no room for "it is a lower bound": @overflowed is NULL then. */
int nvpm_get_value(uint32_t number, uint32_t object, uint64_t *value, uint64_t *cycles,
		   uint8_t *overflowed);
int nvpm_get_value_name(const char *name, uint32_t object, uint64_t *value, uint64_t *cycles);
int nvpm_get_bottleneck_name(char *name);

/* part.c */
/*
 * A session of what is active and whose turn it is; @flags and @pass of its target. 0 and none if
 * there is nothing of that target; else -errno, and it is closed.
 */
int nvpm_part_open(enum nvpm_target target, uint32_t flags, uint32_t pass);
/* The same, and it counts from now on. A part that does not start is the caller's to close. */
int nvpm_part_start(enum nvpm_target target, uint32_t flags, uint32_t pass);
void nvpm_part_close(struct nvpm_part *part);
void nvpm_parts_close(void);
/* Periods in which NVIDIA's rule counts those of domain @domain among the first @actives. */
uint32_t nvpm_turns_of(uint32_t domain, uint32_t actives);

/*
 * Flags with which a number is no count of its time. That one TPC of several was counted
 * (NTIME_PARTIAL) is how NVPerfKit counts as well.
 */
#define NVPM_UNSURE                                                                                \
	(NTIME_ABSENT | NTIME_NOT_COUNTED | NTIME_SCALED | NTIME_ELSEWHERE | NTIME_LOST |          \
	 NTIME_GONE | NTIME_IMPLAUSIBLE)

/* The number of @v in the counter's unit. */
uint64_t nvpm_count_of(const struct ntime_value *v);
/* The counter's value: the count, or what it leaves of the cycles. */
uint64_t nvpm_value_of(const struct nvpm_counter *c, uint64_t count, uint64_t cycles);

/* sample.c */
/* The counters have the values of the newest period. */
void nvpm_read(void);
/*
 * As Sample(): @record is called for each record that is wanted, *@n of them. @wants_records: the
 * program gave memory for them.
 */
typedef void nvpm_record_fn(void *records, uint32_t i, uint32_t number, const struct nvpm_value *v);
/* The plain record of all interfaces. */
struct nvpm_record {
	uint32_t number;
	uint64_t value, cycles;
};
nvpm_record_fn nvpm_put_record;
int nvpm_sample_records(nvpm_record_fn *record, void *records, uint32_t *n);

/* experiment.c */
int nvpm_reserve(uint32_t objects);
int nvpm_experiment_begin(uint32_t *passes);
int nvpm_experiment_end(void);
int nvpm_pass_begin(uint32_t pass);
int nvpm_pass_end(uint32_t pass);
int nvpm_object_begin(uint32_t object);
int nvpm_object_end(uint32_t object);
/* Of the last experiment. */
int nvpm_experiment_value(const struct nvpm_counter *c, uint32_t object, struct nvpm_value *out);
/* The values of the last one are forgotten. */
void nvpm_experiment_forget(void);

#endif
