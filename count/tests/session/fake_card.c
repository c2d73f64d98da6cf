// SPDX-License-Identifier: MIT
/* A card that a test plays: one thread serves its socket. */
#include "count/tests/session/fake_card.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "include/uapi/ntime_model.h"
#include "base/tests/tt.h"

#define BASE 0xa400u
#define WORDS 0x140
#define DEBUG_1 0x400084u
#define PRE_OP 0xa424u /* of domain 1, as all below */
#define CTRL 0xa7c4u
#define ACK 0xa7e4u
#define CLIENTS 16

struct fake_card {
	pthread_mutex_t lock;
	pthread_t thread;
	char folder[64], path[96];
	int listener, wake[2];
	int client[CLIENTS];
	size_t clients;
	int holder;
	uint32_t boot_0, reg[WORDS], debug_1;
	uint32_t next, shown, state;
	bool is_stuck, is_disturbed, is_unplugged, is_stammering;
	unsigned int writes;
};

static void swap(struct fake_card *f)
{
	f->shown = f->next;
	f->next = 0;
	f->state = f->state ? 3 : 1;
}

static bool is_count(uint32_t address)
{
	return address == 0xa684 || address == 0xa6c4 || address == 0xa704 || address == 0xa744;
}

static uint32_t load(struct fake_card *f, uint32_t address)
{
	if (address == 0 || f->boot_0 == UINT32_MAX)
		return f->boot_0;
	if (address == DEBUG_1)
		return f->debug_1;
	if (is_count(address))
		return f->shown;
	if (address < BASE || address >= BASE + 4 * WORDS)
		return 0;
	return f->reg[(address - BASE) / 4] | (address == CTRL ? f->state << 24 : 0);
}

static void store(struct fake_card *f, uint32_t address, uint32_t value)
{
	f->writes++;
	if (address == DEBUG_1) {
		f->debug_1 = value & ~0x20u;
		if (!(value & 0x20) || f->is_stuck)
			return;
		if (f->is_disturbed)
			swap(f);
		f->is_disturbed = false;
		swap(f);
	} else if (address == ACK) {
		f->state = value & 1 && f->state == 3 ? 1 : 0;
	} else if (address >= BASE && address < BASE + 4 * WORDS) {
		f->reg[(address - BASE) / 4] = address == CTRL ? value & ~0x3b000000u : value;
		if (address == PRE_OP && (f->reg[(CTRL - BASE) / 4] & 3) == 1 && !f->is_stuck)
			swap(f);
	}
}

static void answer(struct fake_card *f, int fd, const struct ntime_model_request *r)
{
	struct ntime_model_reply reply = { 0 };

	if (r->kind == NTIME_MODEL_READ)
		reply.value = load(f, r->address);
	else if (r->kind == NTIME_MODEL_HOLD && f->holder >= 0 && f->holder != fd)
		reply.error = -EBUSY;
	else if (r->kind == NTIME_MODEL_HOLD)
		f->holder = fd;
	else if (f->holder != fd)
		reply.error = -EPERM;
	else
		store(f, r->address, r->value);
	(void)!send(fd, &reply, f->is_stammering ? 2 : sizeof(reply), MSG_NOSIGNAL);
	f->is_stammering = false;
}

static void drop(struct fake_card *f, size_t i)
{
	if (f->holder == f->client[i])
		f->holder = -1;
	close(f->client[i]);
	f->client[i] = f->client[--f->clients];
}

static void accept_one(struct fake_card *f)
{
	struct ntime_model_hello hello = { NTIME_MODEL_MAGIC, NTIME_MODEL_VERSION, f->boot_0, 0 };
	int fd = accept(f->listener, NULL, NULL);

	assert_true(fd >= 0 && f->clients < CLIENTS);
	(void)!send(fd, &hello, sizeof(hello), MSG_NOSIGNAL);
	f->client[f->clients++] = fd;
}

static void serve_all(struct fake_card *f, const struct pollfd *p, size_t n)
{
	while (f->is_unplugged && f->clients)
		drop(f, 0);
	for (size_t i = f->clients ? n : 0; i-- > 0;) {
		struct ntime_model_request r;

		if (!p[i].revents)
			continue;
		if (recv(f->client[i], &r, sizeof(r), 0) != sizeof(r))
			drop(f, i);
		else
			answer(f, f->client[i], &r);
	}
}

static void *serve(void *arg)
{
	struct fake_card *f = arg;

	for (;;) {
		struct pollfd p[2 + CLIENTS] = { { .fd = f->wake[0], .events = POLLIN },
						 { .fd = f->listener, .events = POLLIN } };
		size_t n = f->clients;
		char command;

		for (size_t i = 0; i < n; i++)
			p[2 + i] = (struct pollfd){ .fd = f->client[i], .events = POLLIN };
		assert_true(poll(p, 2 + n, -1) > 0);
		pthread_mutex_lock(&f->lock);
		serve_all(f, p + 2, n);
		if (p[1].revents)
			accept_one(f);
		pthread_mutex_unlock(&f->lock);
		if (p[0].revents && read(f->wake[0], &command, 1) == 1 && command == 'e')
			return NULL;
	}
}

struct fake_card *fake_card_new(uint32_t boot_0)
{
	struct fake_card *f = calloc(1, sizeof(*f));
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	assert_non_null(f);
	f->boot_0 = boot_0;
	f->holder = -1;
	for (size_t i = 0; i < WORDS; i++)
		f->reg[i] = 0x01010101u * (uint32_t)i & 0xffff;
	f->reg[(CTRL - BASE) / 4] = 0;
	strcpy(f->folder, "/tmp/ntime-card-XXXXXX");
	assert_non_null(mkdtemp(f->folder));
	(void)snprintf(f->path, sizeof(f->path), "%s/s", f->folder);
	strcpy(address.sun_path, f->path);
	f->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	assert_true(bind(f->listener, (struct sockaddr *)&address, sizeof(address)) == 0);
	assert_true(listen(f->listener, CLIENTS) == 0);
	assert_true(pipe(f->wake) == 0);
	pthread_mutex_init(&f->lock, NULL);
	assert_true(pthread_create(&f->thread, NULL, serve, f) == 0);
	return f;
}

static void wake(struct fake_card *f, char command)
{
	assert_true(write(f->wake[1], &command, 1) == 1);
}

void fake_card_free(struct fake_card *f)
{
	wake(f, 'e');
	pthread_join(f->thread, NULL);
	while (f->clients)
		drop(f, 0);
	close(f->listener);
	close(f->wake[0]);
	close(f->wake[1]);
	unlink(f->path);
	rmdir(f->folder);
	pthread_mutex_destroy(&f->lock);
	free(f);
}

const char *fake_card_path(const struct fake_card *f)
{
	return f->path;
}

void fake_card_count(struct fake_card *f, uint32_t count)
{
	pthread_mutex_lock(&f->lock);
	f->next = count;
	pthread_mutex_unlock(&f->lock);
}

void fake_card_disturb(struct fake_card *f)
{
	pthread_mutex_lock(&f->lock);
	f->is_disturbed = true;
	pthread_mutex_unlock(&f->lock);
}

void fake_card_set_stuck(struct fake_card *f, bool is_stuck)
{
	pthread_mutex_lock(&f->lock);
	f->is_stuck = is_stuck;
	pthread_mutex_unlock(&f->lock);
}

void fake_card_unplug(struct fake_card *f)
{
	pthread_mutex_lock(&f->lock);
	f->is_unplugged = true;
	pthread_mutex_unlock(&f->lock);
	wake(f, 'u');
}

void fake_card_stammer(struct fake_card *f)
{
	pthread_mutex_lock(&f->lock);
	f->is_stammering = true;
	pthread_mutex_unlock(&f->lock);
}

void fake_card_set_boot_0(struct fake_card *f, uint32_t boot_0)
{
	pthread_mutex_lock(&f->lock);
	f->boot_0 = boot_0;
	pthread_mutex_unlock(&f->lock);
}

unsigned int fake_card_writes(struct fake_card *f)
{
	unsigned int writes;

	pthread_mutex_lock(&f->lock);
	writes = f->writes;
	pthread_mutex_unlock(&f->lock);
	return writes;
}

uint64_t fake_card_sum(struct fake_card *f)
{
	uint64_t sum = 0;

	pthread_mutex_lock(&f->lock);
	for (size_t i = 0; i < WORDS; i++)
		sum += f->reg[i] * (i + 1);
	sum += (uint64_t)f->debug_1 << 32;
	pthread_mutex_unlock(&f->lock);
	return sum;
}
