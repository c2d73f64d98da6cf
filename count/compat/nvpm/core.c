// SPDX-License-Identifier: MIT
/* The one state: calls, contexts, which counters there are and which of them are active. */
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "count/compat/nvpm/nvpm.h"

struct nvpm_state nvpm;

/* Programs call from within the function that enumerates. */
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

/* Strings that programs may keep. */
static struct kept {
	struct kept *next;
	char text[];
} * kept;

static void before_fork(void)
{
	(void)pthread_mutex_lock(&lock);
}

static void in_parent(void)
{
	(void)pthread_mutex_unlock(&lock);
}

/* Sessions are the parent's: the child has a library that nobody has started. */
static void in_child(void)
{
	memset(&nvpm, 0, sizeof(nvpm));
	lock = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
}

__attribute__((constructor)) static void begin(void)
{
	(void)pthread_atfork(before_fork, in_parent, in_child);
}

/* Who forgets Shutdown leaves no register changed all the same. */
__attribute__((destructor)) static void end(void)
{
	struct timespec patience;

	/* Another thread may be in a call, or have been stopped in one. */
	(void)clock_gettime(CLOCK_REALTIME, &patience);
	patience.tv_sec++;
	if (pthread_mutex_timedlock(&lock, &patience))
		return;
	(void)nvpm_shutdown();
	for (struct kept *k = kept, *next; k; k = next) {
		next = k->next;
		free(k);
	}
	kept = NULL;
	(void)pthread_mutex_unlock(&lock);
}

const char *nvpm_keep(const char *text)
{
	size_t bytes = strlen(text) + 1;
	struct kept *k;

	for (k = kept; k; k = k->next)
		if (strcmp(k->text, text) == 0)
			return k->text;
	k = malloc(sizeof(*k) + bytes);
	if (!k)
		return NULL;
	memcpy(k->text, text, bytes);
	k->next = kept;
	kept = k;
	return k->text;
}

void nvpm_say(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	flockfile(stderr);
	(void)fputs("ntime: nvperfsdk: ", stderr);
	(void)vfprintf(stderr, format, arguments);
	(void)putc('\n', stderr);
	funlockfile(stderr);
	va_end(arguments);
}

int nvpm_failed(int error)
{
	const char *sentence = nvpm.ctx ? ntime_error_text(nvpm.ctx) : "";

	nvpm.error = (uint32_t)-error;
	nvpm_debug("%s", *sentence ? sentence : strerror(-error));
	return error == -ENOMEM ? NVPM_NO_MEMORY : NVPM_INTERNAL;
}

/* Its place; nvpm.contexts: there is none. */
static uint32_t place_of(uint64_t context)
{
	uint32_t i = 0;

	while (i < nvpm.contexts && nvpm.context[i] != context)
		i++;
	return i;
}

struct nvpm_call nvpm_enter(enum nvpm_interface of, const uint64_t *context)
{
	struct nvpm_call call = { .result = NVPM_DONE };

	(void)pthread_mutex_lock(&lock);
	call.outer = nvpm.of;
	nvpm.of = of;
	if (!nvpm.is_started)
		call.result = NVPM_NOT_STARTED;
	else if (context && place_of(*context) == nvpm.contexts)
		call.result = NVPM_BAD_CONTEXT;
	return call;
}

/* Interface I has a number for each of the wrong orders, and others from 9 on. */
static int flat_result(int result)
{
	static const unsigned char others[NVPM_RUNNING + 1] = {
		[NVPM_INCOMPLETE] = 10, [NVPM_ENDED_EARLY] = 10, [NVPM_BAD_PASS] = 11,
		[NVPM_BAD_OBJECT] = 16, [NVPM_NOT_ENABLED] = 17, [NVPM_NOT_FOUND] = 18,
		[NVPM_NOT_RUN] = 19,	[NVPM_INTERNAL] = 22,	 [NVPM_NO_EXPERIMENT] = 9,
		[NVPM_NO_PASS] = 12,	[NVPM_IN_PASS] = 13,	 [NVPM_NO_OBJECT] = 14,
		[NVPM_IN_OBJECT] = 15,	[NVPM_RUNNING] = 20,
	};

	if (result == NVPM_DUPLICATE)
		return NVPM_DONE;
	return others[result] ? others[result] : result;
}

int nvpm_leave(const struct nvpm_call *call, int result)
{
	enum nvpm_interface of = nvpm.of;

	nvpm.of = call->outer;
	(void)pthread_mutex_unlock(&lock);
	if (__builtin_expect(result == NVPM_DONE, 1))
		return result;
	if (of == NVPM_FLAT)
		return flat_result(result);
	return result >= NVPM_NO_EXPERIMENT ? NVPM_OUT_OF_ORDER : result;
}

int nvpm_init(enum nvpm_interface of)
{
	struct nvpm_call call = nvpm_enter(of, NULL);
	int ret = call.result == NVPM_NOT_STARTED ? nvpm_find_counters() : NVPM_STARTED;

	if (ret == NVPM_DONE)
		nvpm.is_started = true;
	else if (ret == NVPM_NO_MEMORY)
		(void)nvpm_shutdown();
	return nvpm_leave(&call, ret);
}

int nvpm_shutdown(void)
{
	/* Handles of before are none afterwards. */
	struct nvpm_state fresh = { .of = nvpm.of, .contexts_made = nvpm.contexts_made };

	nvpm_parts_close();
	ntime_close(nvpm.ctx);
	free(nvpm.counter);
	free(nvpm.active);
	free(nvpm.context);
	nvpm_experiment_forget();
	nvpm = fresh;
	return NVPM_DONE;
}

int nvpm_context_new(uint64_t *out)
{
	/* No small number, and no address: what a program made up is none of them. */
	const uint64_t first = 0x6e74696d65000001;
	uint64_t *more;

	if (!out)
		return NVPM_BAD_PARAMETER;
	more = realloc(nvpm.context, (nvpm.contexts + 1) * sizeof(*more));
	if (!more)
		return NVPM_NO_MEMORY;
	nvpm.context = more;
	*out = more[nvpm.contexts++] = first + nvpm.contexts_made++;
	return NVPM_DONE;
}

int nvpm_context_free(uint64_t context)
{
	uint32_t i = place_of(context); /* nvpm_enter() has found it */

	nvpm.context[i] = nvpm.context[--nvpm.contexts];
	if (nvpm.contexts)
		return NVPM_DONE;
	if (nvpm.is_running)
		(void)nvpm_experiment_end();
	(void)nvpm_reserve(0);
	return nvpm_remove_all();
}

/* By the interface's number, or NULL. */
static struct nvpm_counter *counter_of(uint32_t number)
{
	if (nvpm.of == NVPM_FLAT)
		return number < nvpm.counters ? &nvpm.counter[number] : NULL;
	for (uint32_t i = 0; i < nvpm.counters; i++)
		if (nvpm.counter[i].id == number)
			return &nvpm.counter[i];
	return NULL;
}

struct nvpm_counter *nvpm_find_name(const char *name)
{
	for (uint32_t i = 0; i < nvpm.counters; i++)
		if (strcmp(nvpm.counter[i].name, name) == 0)
			return &nvpm.counter[i];
	return NULL;
}

uint32_t nvpm_number(const struct nvpm_counter *c)
{
	return nvpm.of == NVPM_FLAT ? (uint32_t)(c - nvpm.counter) : c->id;
}

int nvpm_enumerate(nvpm_enumerate_fn *fn, void *arg)
{
	int ret = 0;

	/* @fn may call all that there is, Shutdown as well. */
	for (uint32_t i = 0; i < nvpm.counters && ret == 0; i++)
		ret = fn(arg, nvpm_number(&nvpm.counter[i]), nvpm.counter[i].name);
	return NVPM_DONE;
}

int nvpm_get_text(uint32_t number, bool is_desc, char *text, uint32_t *length)
{
	const struct nvpm_counter *c = counter_of(number);
	const char *from;
	uint32_t room, needed;

	if (!length)
		return NVPM_BAD_PARAMETER;
	if (!c)
		return NVPM_BAD_COUNTER;
	from = is_desc ? c->desc : c->name;
	room = *length;
	*length = needed = (uint32_t)strlen(from) + 1;
	if (!text)
		return NVPM_DONE;
	if (room < needed)
		return NVPM_TOO_SMALL;
	memcpy(text, from, needed);
	return NVPM_DONE;
}

/* NVPM_DONE and the counter, or why there is none. */
static int find_named(const char *name, struct nvpm_counter **out)
{
	*out = name ? nvpm_find_name(name) : NULL;
	if (!name)
		return NVPM_BAD_PARAMETER;
	return *out ? NVPM_DONE : NVPM_NOT_FOUND;
}

int nvpm_get_number(const char *name, uint32_t *out)
{
	struct nvpm_counter *c;
	int ret = out ? find_named(name, &c) : NVPM_BAD_PARAMETER;

	if (ret == NVPM_DONE)
		*out = nvpm_number(c);
	return ret;
}

int nvpm_get_clock_rate(const char *name, float *mhz)
{
	struct nvpm_counter *c;
	int ret = mhz ? find_named(name, &c) : NVPM_BAD_PARAMETER;

	/* Of a card nobody knows it, as in NVIDIA's own list; others count nanoseconds. */
	if (ret == NVPM_DONE)
		*mhz = c->clocks ? 0 : 1000;
	return ret;
}

int nvpm_get_attribute(uint32_t number, enum nvpm_attribute attribute, uint64_t *out)
{
	const struct nvpm_counter *c = counter_of(number);
	const uint64_t user = 4; /* a type that I does not have: there they are the card's */
	uint64_t values[] = {
		[NVPM_TYPE] = 0, [NVPM_IS_RAW] = 0, [NVPM_DOMAIN] = 0, [NVPM_MAX] = UINT64_MAX
	};

	if (!out)
		return NVPM_BAD_PARAMETER;
	if (!c)
		return NVPM_BAD_COUNTER;
	values[NVPM_TYPE] = c->is_user && nvpm.of != NVPM_FLAT ? user : 0;
	values[NVPM_IS_RAW] = !c->is_ratio;
	values[NVPM_DOMAIN] = c->domain;
	*out = values[attribute];
	return NVPM_DONE;
}

/* Of all @numbers there is a counter; @is_active: and it is active. */
static int check(uint32_t n, const uint32_t *numbers, bool is_active)
{
	if (n && !numbers)
		return NVPM_BAD_PARAMETER;
	if (nvpm.is_running)
		return NVPM_RUNNING;
	for (uint32_t i = 0; i < n; i++) {
		const struct nvpm_counter *c = counter_of(numbers[i]);

		if (!c)
			return NVPM_BAD_COUNTER;
		if (is_active && !c->is_active)
			return NVPM_NOT_ENABLED;
	}
	return NVPM_DONE;
}

static void changed(void)
{
	nvpm_experiment_forget();
	nvpm.is_stale = true;
	if (!nvpm.actives)
		nvpm_parts_close();
}

int nvpm_add(uint32_t n, const uint32_t *numbers)
{
	int ret = check(n, numbers, false);

	if (ret != NVPM_DONE)
		return ret;
	for (uint32_t i = 0; i < n; i++) {
		struct nvpm_counter *c = counter_of(numbers[i]);

		/* check() has found it. */
		if (!c)
			continue;
		if (c->is_active) {
			ret = NVPM_DUPLICATE;
			continue;
		}
		c->is_active = true;
		c->is_sampled = false;
		c->value = (struct nvpm_value){ 0 };
		c->item = c->clock_item = -1;
		nvpm.active[nvpm.actives++] = c;
		changed();
	}
	return ret;
}

static void deactivate(struct nvpm_counter *c)
{
	uint32_t i = 0;

	while (i < nvpm.actives && nvpm.active[i] != c)
		i++;
	if (i == nvpm.actives)
		return;
	memmove(&nvpm.active[i], &nvpm.active[i + 1],
		(--nvpm.actives - i) * sizeof(nvpm.active[0]));
	c->is_active = false;
	changed();
}

int nvpm_remove(uint32_t n, const uint32_t *numbers)
{
	int ret = check(n, numbers, true);

	for (uint32_t i = 0; i < n && ret == NVPM_DONE; i++)
		deactivate(counter_of(numbers[i]));
	return ret;
}

int nvpm_by_name(const char *name, int (*does)(uint32_t n, const uint32_t *numbers))
{
	struct nvpm_counter *c;
	int ret = find_named(name, &c);

	return ret == NVPM_DONE ? does(1, (uint32_t[]){ nvpm_number(c) }) : ret;
}

int nvpm_remove_all(void)
{
	if (nvpm.is_running)
		return NVPM_RUNNING;
	while (nvpm.actives)
		deactivate(nvpm.active[nvpm.actives - 1]);
	return NVPM_DONE;
}

int nvpm_get_value(uint32_t number, uint32_t object, uint64_t *value, uint64_t *cycles,
		   uint8_t *overflowed)
{
	const struct nvpm_counter *c = counter_of(number);
	struct nvpm_value v = { 0 };
	int ret = NVPM_DONE;

	if (!value)
		return NVPM_BAD_PARAMETER;
	if (!c)
		return NVPM_BAD_COUNTER;
	if (!c->is_active)
		return NVPM_NOT_ENABLED;
	if (nvpm.is_running)
		return NVPM_INCOMPLETE;
	if (object && object >= nvpm.objects)
		return NVPM_BAD_OBJECT;
	if (nvpm.has_values) {
		ret = nvpm_experiment_value(c, object, &v);
	} else if (object || !c->is_sampled) {
		ret = NVPM_NOT_RUN;
	} else {
		nvpm_read();
		v = c->value;
	}
	if (ret != NVPM_DONE)
		return ret;
	if (v.is_overflowed && !overflowed)
		v = (struct nvpm_value){ 0 };
	*value = v.value;
	if (cycles)
		*cycles = v.cycles;
	if (overflowed)
		*overflowed = v.is_overflowed;
	return NVPM_DONE;
}

int nvpm_get_value_name(const char *name, uint32_t object, uint64_t *value, uint64_t *cycles)
{
	struct nvpm_counter *c;
	int ret = find_named(name, &c);

	return ret == NVPM_DONE ? nvpm_get_value(nvpm_number(c), object, value, cycles, NULL) : ret;
}

/* No counter has such values: how NVIDIA's experiments find a bottleneck nobody has published. */
int nvpm_get_bottleneck_name(char *name)
{
	if (!name)
		return NVPM_BAD_PARAMETER;
	name[0] = '\0';
	return NVPM_NOT_FOUND;
}
