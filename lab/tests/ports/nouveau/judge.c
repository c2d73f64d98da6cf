// SPDX-License-Identifier: MIT
/*
 * A client of nouveau. The layouts of its messages are written down here once more, so that a
 * difference would show.
 */
#include "lab/tests/ports/nouveau/judge.h"

#include <assert.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- messages ---- */

enum { NEW = 2, DEL = 3, METHOD = 4 };
#define ANY_OWNER 0xff

struct header {
	uint8_t version, type, pad[4], owner, route;
	uint64_t token, object;
};
struct new_object {
	uint8_t version, pad[6], route;
	uint64_t token, object;
	uint32_t handle;
	int32_t class;
};
struct method {
	uint8_t version, number, pad[6];
};

#define CLASS_DEVICE 0x80
#define CLASS_PERFMON (-2)
#define CLASS_PERFDOM (-3)

struct device {
	uint8_t version, is_privileged, pad[6];
	uint64_t device;
};
#define CLIENTS_DEVICE UINT64_MAX

#define SOURCES 8
struct perfdom {
	uint8_t version, domain, mode, pad;
	struct {
		uint8_t signal[JUDGE_SLOTS];
		uint64_t source[JUDGE_SLOTS][SOURCES]; /* its id, and its value << 32 */
		uint16_t function;
	} counter[JUDGE_SLOTS];
};
enum { PERFDOM_INIT, PERFDOM_SAMPLE, PERFDOM_READ };
struct perfdom_read {
	uint8_t version, pad[7];
	uint32_t count[JUDGE_SLOTS], clocks, more;
};

enum { QUERY_SIGNAL = 1, QUERY_SOURCE = 2 };
struct query_signal {
	uint8_t version, domain;
	uint16_t next; /* of the signal, + 1 */
	uint8_t signal, sources, pad[2];
	char name[64];
};
struct query_source {
	uint8_t version, domain, signal, next;
	uint8_t pad[4];
	uint32_t source, mask;
	char name[64];
};

static_assert(sizeof(struct header) == 24, "header");
static_assert(sizeof(struct new_object) == 32, "new_object");
static_assert(sizeof(struct perfdom) == 1096, "perfdom");
static_assert(sizeof(struct perfdom_read) == 32, "perfdom_read");
static_assert(sizeof(struct query_signal) == 72, "query_signal");
static_assert(sizeof(struct query_source) == 80, "query_source");

/* ---- the client ---- */

/* Names that it gives its objects. */
enum { CLIENT, DEVICE, PERFMON, SECOND_PERFMON, PERFDOM };

struct judge {
	void *library;
	struct nouveau *nouveau;
	int (*ioctl)(struct nouveau *n, void *message, uint32_t bytes);
	void (*free)(struct nouveau *n);
};

/* @kind with its @data goes to @object; @data is what nouveau left of it afterwards. */
static int send_message(struct judge *j, uint8_t type, uint64_t object, const void *kind,
			size_t kind_bytes, void *data, size_t bytes)
{
	unsigned char
		message[sizeof(struct header) + sizeof(struct new_object) + sizeof(struct perfdom)];
	struct header header = { .type = type, .owner = ANY_OWNER, .object = object };
	size_t at = sizeof(header);
	int ret;

	assert(at + kind_bytes + bytes <= sizeof(message));
	memcpy(message, &header, at);
	if (kind_bytes)
		memcpy(message + at, kind, kind_bytes);
	at += kind_bytes;
	if (bytes)
		memcpy(message + at, data, bytes);
	ret = j->ioctl(j->nouveau, message, (uint32_t)(at + bytes));
	if (bytes)
		memcpy(data, message + at, bytes);
	return ret;
}

static int make(struct judge *j, uint64_t parent, uint64_t object, int32_t class, void *data,
		size_t bytes)
{
	struct new_object kind = { .object = object, .handle = (uint32_t)object, .class = class };

	return send_message(j, NEW, parent, &kind, sizeof(kind), data, bytes);
}

static int ask(struct judge *j, uint64_t object, uint8_t method, void *data, size_t bytes)
{
	struct method kind = { .number = method };

	return send_message(j, METHOD, object, &kind, sizeof(kind), data, bytes);
}

/* nouveau says 1 when it has removed something. */
static int remove_object(struct judge *j, uint64_t object)
{
	int ret = send_message(j, DEL, object, NULL, 0, NULL, 0);

	return ret == 1 ? 0 : ret ? ret : -EIO;
}

static int start(struct judge *j)
{
	struct device device = { .device = CLIENTS_DEVICE };
	int ret = make(j, CLIENT, DEVICE, CLASS_DEVICE, &device, sizeof(device));

	return ret ? ret : make(j, DEVICE, PERFMON, CLASS_PERFMON, NULL, 0);
}

int judge_new(uint32_t boot_0, const struct judge_io *io, struct judge **out)
{
	const char *name = getenv("NTIME_NOUVEAU");
	struct judge *j = calloc(1, sizeof(*j));
	struct nouveau *(*new)(uint32_t boot_0, const struct judge_io *io);
	int ret = -ENOENT;

	*out = NULL;
	if (!j)
		return -ENOMEM;
	j->library = name ? dlopen(name, RTLD_NOW) : NULL;
	if (!j->library)
		goto err;
	new = (__typeof__(new))dlsym(j->library, "nouveau_new");
	j->ioctl = (__typeof__(j->ioctl))dlsym(j->library, "nouveau_ioctl");
	j->free = (__typeof__(j->free))dlsym(j->library, "nouveau_free");
	if (!new || !j->ioctl || !j->free)
		goto err;
	j->nouveau = new (boot_0, io);
	ret = j->nouveau ? start(j) : -ENOENT;
	if (ret)
		goto err;
	*out = j;
	return 0;
err:
	judge_free(j);
	return ret;
}

void judge_free(struct judge *j)
{
	if (!j)
		return;
	if (j->nouveau)
		j->free(j->nouveau);
	if (j->library)
		dlclose(j->library);
	free(j);
}

int judge_is_exclusive(struct judge *j)
{
	return make(j, DEVICE, SECOND_PERFMON, CLASS_PERFMON, NULL, 0);
}

/*
 * Does the domain have the signal? Asked for first: of one behind its last one nouveau reads what
 * lies behind its table.
 */
static int has_signal(struct judge *j, uint32_t domain, uint8_t signal)
{
	struct query_signal query = { .domain = (uint8_t)domain, .next = (uint16_t)(signal + 1) };

	return ask(j, PERFMON, QUERY_SIGNAL, &query, sizeof(query));
}

/* The id of a field of a multiplexer that @signal has; 0: it has none of that name. */
static uint32_t source_of(struct judge *j, uint32_t domain, uint8_t signal, const char *name)
{
	for (uint8_t next = 1; next <= SOURCES; next++) {
		struct query_source query = { .domain = (uint8_t)domain,
					      .signal = signal,
					      .next = next };

		if (ask(j, PERFMON, QUERY_SOURCE, &query, sizeof(query)))
			return 0;
		if (strstr(query.name, name))
			return query.source;
	}
	return 0;
}

static int add_source(struct judge *j, uint32_t domain, const struct judge_slot *slot,
		      const char *name, uint32_t value, uint64_t source[JUDGE_SLOTS][SOURCES])
{
	if (!name)
		return 0;
	for (size_t i = 0; i < JUDGE_SLOTS; i++) {
		uint32_t id = source_of(j, domain, slot->signal[i], name);

		if (!id)
			continue;
		source[i][0] = id | (uint64_t)value << 32;
		return 0;
	}
	return -ENOENT;
}

int judge_program(struct judge *j, uint32_t domain, const struct judge_slot slot[JUDGE_SLOTS],
		  uint32_t mode)
{
	struct perfdom perfdom = { .domain = (uint8_t)domain, .mode = (uint8_t)mode };
	int ret = 0;

	for (size_t i = 0; i < JUDGE_SLOTS; i++) {
		for (size_t k = 0; !ret && k < JUDGE_SLOTS; k++)
			ret = has_signal(j, domain, slot[i].signal[k]);
		if (!ret)
			ret = add_source(j, domain, &slot[i], slot[i].source, slot[i].value,
					 perfdom.counter[i].source);
		if (!ret)
			ret = add_source(j, domain, &slot[i], slot[i].source2, slot[i].value2,
					 perfdom.counter[i].source);
		memcpy(perfdom.counter[i].signal, slot[i].signal, JUDGE_SLOTS);
		perfdom.counter[i].function = slot[i].function;
	}
	if (!ret)
		ret = make(j, PERFMON, PERFDOM + domain, CLASS_PERFDOM, &perfdom, sizeof(perfdom));
	return ret ? ret : ask(j, PERFDOM + domain, PERFDOM_INIT, NULL, 0);
}

int judge_sample(struct judge *j, uint32_t domain)
{
	return ask(j, PERFDOM + domain, PERFDOM_SAMPLE, NULL, 0);
}

int judge_read(struct judge *j, uint32_t domain, uint32_t count[JUDGE_SLOTS], uint32_t *clocks)
{
	struct perfdom_read read = { 0 };
	int ret = ask(j, PERFDOM + domain, PERFDOM_READ, &read, sizeof(read));

	memcpy(count, read.count, sizeof(read.count));
	*clocks = read.clocks;
	return ret;
}

int judge_delete(struct judge *j, uint32_t domain)
{
	return remove_object(j, PERFDOM + domain);
}
