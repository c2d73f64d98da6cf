// SPDX-License-Identifier: GPL-2.0 OR MIT
/* One connection of x-pci-proxy-dev: messages in, accesses of the model, answers out. */
#include "lab/proxy/proxy.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum command {
	SYNC_MEMORY,
	ANSWER,
	CONFIG_WRITE,
	CONFIG_READ,
	BAR_WRITE,
	BAR_READ,
	SET_INTERRUPT,
	RESET,
	COMMANDS,
};

struct header {
	int32_t command;
	uint32_t pad;
	uint64_t bytes;
};
struct config_body {
	uint32_t addr, value;
	int32_t bytes;
};
struct bar_body {
	uint64_t address, value;
	uint32_t bytes;
	uint8_t is_memory;
	uint8_t pad[3];
};
struct memory_body {
	uint64_t address[NTM_PROXY_FDS], bytes[NTM_PROXY_FDS], offset[NTM_PROXY_FDS];
};
struct answer {
	struct header header;
	uint64_t value;
};
_Static_assert(sizeof(struct header) == NTM_PROXY_HEADER_BYTES, "header");
_Static_assert(sizeof(struct config_body) == 12, "config");
_Static_assert(sizeof(struct bar_body) == 24, "BAR");
_Static_assert(sizeof(struct memory_body) == NTM_PROXY_BODY_BYTES, "memory");
_Static_assert(sizeof(struct answer) == 24, "answer");

static const size_t body_bytes[COMMANDS] = {
	[SYNC_MEMORY] = sizeof(struct memory_body),
	[ANSWER] = 0,
	[CONFIG_WRITE] = sizeof(struct config_body),
	[CONFIG_READ] = sizeof(struct config_body),
	[BAR_WRITE] = sizeof(struct bar_body),
	[BAR_READ] = sizeof(struct bar_body),
	[SET_INTERRUPT] = 0,
	[RESET] = 0,
};

/* ---- log: one line an event, "SECONDS NAME EVENT ..." (README.md has them all) ---- */

__attribute__((format(printf, 2, 3))) static void log_event(struct ntm_proxy *p, const char *format,
							    ...)
{
	struct timespec now;
	va_list args;

	if (!p->log)
		return;
	clock_gettime(CLOCK_MONOTONIC, &now);
	fprintf(p->log, "%lld.%09ld %s ", (long long)now.tv_sec, now.tv_nsec, p->name);
	va_start(args, format);
	vfprintf(p->log, format, args);
	va_end(args);
	putc('\n', p->log);
}

__attribute__((format(printf, 3, 4))) static int give_up(struct ntm_proxy *p, int code,
							 const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(p->error, sizeof(p->error), format, args);
	va_end(args);
	log_event(p, "error %s", p->error);
	return code;
}

/* ---- memory and interrupt: what the model asks of the bus ---- */

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void drop_memory(struct ntm_proxy *p)
{
	while (p->memory_count)
		close_fd(&p->memory[--p->memory_count].fd);
}

static const struct ntm_proxy_memory *find_memory(const struct ntm_proxy *p, uint64_t address)
{
	size_t i;

	for (i = 0; i < p->memory_count; i++)
		if (address >= p->memory[i].address &&
		    address - p->memory[i].address < p->memory[i].bytes)
			return &p->memory[i];
	return NULL;
}

/*
 * Copy between @data and guest memory, region by region. By pread and pwrite, not by a mapping: a
 * file shorter than QEMU said is an error here, and would be a SIGBUS there. Both see the same
 * pages as the guest.
 */
static bool move(struct ntm_proxy *p, uint64_t address, uint8_t *data, size_t bytes, bool is_write)
{
	while (bytes) {
		const struct ntm_proxy_memory *m = find_memory(p, address);
		uint64_t inside, room;
		ssize_t done;
		size_t part;

		if (!m)
			return false;
		inside = address - m->address;
		room = m->bytes - inside;
		part = room < bytes ? (size_t)room : bytes;
		done = is_write ? pwrite(m->fd, data, part, (off_t)(m->offset + inside))
				: pread(m->fd, data, part, (off_t)(m->offset + inside));
		if (done <= 0)
			return false;
		data += done;
		address += (uint64_t)done;
		bytes -= (size_t)done;
	}
	return true;
}

static bool read_memory(struct ntm_pci_bus *bus, uint64_t address, void *to, size_t bytes)
{
	struct ntm_proxy *p = (struct ntm_proxy *)bus;
	bool is_done = move(p, address, to, bytes, false);

	log_event(p, "dma-read %#" PRIx64 " %zu %s", address, bytes, is_done ? "ok" : "failed");
	return is_done;
}

static bool write_memory(struct ntm_pci_bus *bus, uint64_t address, const void *from, size_t bytes)
{
	struct ntm_proxy *p = (struct ntm_proxy *)bus;
	/* move() does not touch the data it writes out. */
	bool is_done = move(p, address, (uint8_t *)(uintptr_t)from, bytes, true);

	log_event(p, "dma-write %#" PRIx64 " %zu %s", address, bytes, is_done ? "ok" : "failed");
	return is_done;
}

static void set_interrupt(struct ntm_pci_bus *bus, bool is_asserted)
{
	struct ntm_proxy *p = (struct ntm_proxy *)bus;
	uint64_t one = 1;
	bool is_told = false;

	if (is_asserted && p->irq_fd >= 0)
		is_told = write(p->irq_fd, &one, sizeof(one)) == (ssize_t)sizeof(one);
	log_event(p, "interrupt %s", !is_asserted ? "down" : is_told ? "up told" : "up untold");
}

/* ---- messages ---- */

static int answer(struct ntm_proxy *p, uint64_t value)
{
	struct answer a = { .header = { .command = ANSWER, .bytes = sizeof(a.value) },
			    .value = value };
	ssize_t sent;

	/* QEMU waits for it, so 24 bytes always fit; a peer that does not read is none. */
	do
		sent = send(p->fd, &a, sizeof(a), MSG_NOSIGNAL | MSG_DONTWAIT);
	while (sent < 0 && errno == EINTR);
	if (sent == (ssize_t)sizeof(a))
		return 1;
	if (sent < 0 && (errno == EPIPE || errno == ECONNRESET)) {
		log_event(p, "closed");
		return 0;
	}
	return give_up(p, sent < 0 ? -errno : -EPROTO,
		       "%s: QEMU does not take the answer to its message (%s)", p->name,
		       sent < 0 ? strerror(errno) : "cut short");
}

static uint64_t all_ones(uint32_t bytes)
{
	return bytes < 8 ? ((uint64_t)1 << (8 * bytes)) - 1 : ~(uint64_t)0;
}

static int take_memory(struct ntm_proxy *p, const struct memory_body *b)
{
	size_t i;

	for (i = 0; i < p->fd_count; i++)
		if (b->offset[i] > INT64_MAX || b->bytes[i] > INT64_MAX - b->offset[i] ||
		    b->bytes[i] > UINT64_MAX - b->address[i])
			return give_up(p, -EPROTO,
				       "%s: QEMU shares %#" PRIx64 " bytes of memory at %#" PRIx64
				       ", which is more than there can be",
				       p->name, b->bytes[i], b->address[i]);
	drop_memory(p);
	for (i = 0; i < p->fd_count; i++)
		p->memory[i] = (struct ntm_proxy_memory){ b->address[i], b->bytes[i], b->offset[i],
							  p->fds[i] };
	p->memory_count = p->fd_count;
	p->fd_count = 0;
	log_event(p, "memory %zu", p->memory_count);
	return 1;
}

static int take_interrupt(struct ntm_proxy *p)
{
	close_fd(&p->irq_fd);
	close_fd(&p->resample_fd);
	p->irq_fd = p->fds[0];
	p->resample_fd = p->fds[1];
	p->fd_count = 0;
	log_event(p, "interrupt connected");
	return 1;
}

static int take_config(struct ntm_proxy *p, const struct config_body *b, bool is_write)
{
	uint32_t bytes = (uint32_t)b->bytes, value = b->value;

	if (b->bytes != 1 && b->bytes != 2 && b->bytes != 4)
		return give_up(p, -EPROTO,
			       "%s: QEMU wants to access %d bytes of configuration space, not 1, 2 "
			       "or 4",
			       p->name, b->bytes);
	if (is_write)
		p->kind->config_write(p->model, b->addr, bytes, value);
	else
		value = p->kind->config_read(p->model, b->addr, bytes);
	value &= (uint32_t)all_ones(bytes);
	log_event(p, "config-%s %#x %u %#x", is_write ? "write" : "read", b->addr, bytes, value);
	return answer(p, is_write ? 0 : value);
}

static int take_bar(struct ntm_proxy *p, const struct bar_body *b, bool is_write)
{
	const char *what = is_write ? "write" : "read";
	uint32_t bar = NTM_PCI_BARS, offset = 0;
	uint64_t value = b->value;

	if (b->bytes != 1 && b->bytes != 2 && b->bytes != 4 && b->bytes != 8)
		return give_up(p, -EPROTO,
			       "%s: QEMU wants to access %u bytes of a BAR, not 1, 2, 4 or 8",
			       p->name, b->bytes);
	if (p->kind->config && p->kind->bar_read && p->kind->bar_write)
		bar = ntm_pci_config_find_bar(p->kind->config(p->model), b->address, b->bytes,
					      !b->is_memory, &offset);
	if (bar == NTM_PCI_BARS) {
		/* As on a bus that nobody answers on. */
		log_event(p, "nobody-%s %#" PRIx64 " %u", what, b->address, b->bytes);
		return answer(p, is_write ? 0 : all_ones(b->bytes));
	}
	if (is_write)
		p->kind->bar_write(p->model, bar, offset, b->bytes, value);
	else
		value = p->kind->bar_read(p->model, bar, offset, b->bytes);
	value &= all_ones(b->bytes);
	log_event(p, "bar-%s %u %#x %u %#" PRIx64, what, bar, offset, b->bytes, value);
	return answer(p, is_write ? 0 : value);
}

static int take_message(struct ntm_proxy *p, enum command command)
{
	union {
		struct config_body config;
		struct bar_body bar;
		struct memory_body memory;
	} body;

	memcpy(&body, p->bytes + NTM_PROXY_HEADER_BYTES, body_bytes[command]);
	switch (command) {
	case SYNC_MEMORY:
		return take_memory(p, &body.memory);
	case CONFIG_WRITE:
	case CONFIG_READ:
		return take_config(p, &body.config, command == CONFIG_WRITE);
	case BAR_WRITE:
	case BAR_READ:
		return take_bar(p, &body.bar, command == BAR_WRITE);
	case SET_INTERRUPT:
		return take_interrupt(p);
	case RESET:
		p->kind->reset(p->model);
		log_event(p, "reset");
		return answer(p, 0);
	default:
		break;
	}
	return give_up(p, -EPROTO, "%s: QEMU sent an answer, which nobody asked for", p->name);
}

/* Is this header one that QEMU may send? */
static int check_header(struct ntm_proxy *p, const struct header *h)
{
	if (h->command < 0 || h->command >= COMMANDS || h->command == ANSWER)
		return give_up(p, -EPROTO,
			       "%s: QEMU sent command %d, which this end does not know: is it "
			       "version 7.2, and is the socket x-pci-proxy-dev's?",
			       p->name, h->command);
	if (h->bytes != body_bytes[h->command])
		return give_up(p, -EPROTO,
			       "%s: QEMU sent command %d with %" PRIu64
			       " bytes where %zu are due: another version than 7.2?",
			       p->name, h->command, h->bytes, body_bytes[h->command]);
	return 1;
}

static int check_fds(struct ntm_proxy *p, const struct header *h)
{
	bool is_right = h->command == SYNC_MEMORY     ? true
			: h->command == SET_INTERRUPT ? p->fd_count == 2
						      : p->fd_count == 0;

	return is_right ? 1
			: give_up(p, -EPROTO,
				  "%s: QEMU sent command %d with %zu file descriptors, which is "
				  "not as many as it needs",
				  p->name, h->command, p->fd_count);
}

static void drop_fds(struct ntm_proxy *p)
{
	while (p->fd_count)
		close_fd(&p->fds[--p->fd_count]);
}

/*
 * File descriptors that came along. More than a message may have are closed at once, and an error.
 */
static int take_fds(struct ntm_proxy *p, struct msghdr *message)
{
	struct cmsghdr *c;
	bool is_full = (message->msg_flags & MSG_CTRUNC) != 0;

	for (c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c)) {
		size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int), i;

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		for (i = 0; i < count; i++) {
			int fd;

			memcpy(&fd, CMSG_DATA(c) + i * sizeof(fd), sizeof(fd));
			if (p->fd_count < NTM_PROXY_FDS) {
				p->fds[p->fd_count++] = fd;
			} else {
				close(fd);
				is_full = true;
			}
		}
	}
	return is_full ? give_up(p, -EPROTO,
				 "%s: QEMU sent more than %d file descriptors in one message",
				 p->name, NTM_PROXY_FDS)
		       : 1;
}

/*
 * Bytes of the message that is arriving, and never of the next: descriptors belong to the message
 * whose bytes they come with.
 */
static ssize_t receive_bytes(struct ntm_proxy *p)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int) * (NTM_PROXY_FDS + 1))];
	} control;
	struct iovec part = { p->bytes + p->have, p->want - p->have };
	struct msghdr message = { .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = &control,
				  .msg_controllen = sizeof(control) };
	ssize_t got;
	int ret;

	do
		got = recvmsg(p->fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return -errno;
	ret = take_fds(p, &message);
	return ret < 0 ? ret : got;
}

static int end_connection(struct ntm_proxy *p)
{
	if (p->have)
		return give_up(p, -EPROTO, "%s: QEMU ended in the middle of a message", p->name);
	log_event(p, "closed");
	return 0;
}

/* 1 to go on, 2 when there is nothing more now. */
static int step(struct ntm_proxy *p)
{
	ssize_t got = receive_bytes(p);
	struct header h;
	int ret;

	if (got == -EAGAIN || got == -EWOULDBLOCK)
		return 2;
	if (got == 0 || got == -ECONNRESET)
		return end_connection(p);
	if (got < 0)
		return p->error[0] ? (int)got
				   : give_up(p, (int)got, "%s: cannot read from QEMU: %s", p->name,
					     strerror((int)-got));
	p->is_plugged = true;
	p->have += (size_t)got;
	if (p->have < p->want)
		return 1;
	memcpy(&h, p->bytes, sizeof(h));
	if (p->want == NTM_PROXY_HEADER_BYTES) {
		ret = check_header(p, &h);
		if (ret < 0)
			return ret;
		p->want += (size_t)h.bytes;
		if (p->have < p->want)
			return 1;
	}
	ret = check_fds(p, &h);
	if (ret > 0)
		ret = take_message(p, (enum command)h.command);
	drop_fds(p);
	p->have = 0;
	p->want = NTM_PROXY_HEADER_BYTES;
	return ret;
}

int ntm_proxy_receive(struct ntm_proxy *p)
{
	int ret;

	do
		ret = step(p);
	while (ret == 1);
	if (ret == 2)
		return 1;
	drop_fds(p);
	drop_memory(p);
	close_fd(&p->irq_fd);
	close_fd(&p->resample_fd);
	close_fd(&p->fd);
	return ret;
}

int ntm_proxy_init(struct ntm_proxy *p, const struct ntm_proxy_kind *kind, const char *argument,
		   const char *name, int fd, FILE *log)
{
	memset(p, 0, sizeof(*p));
	p->bus = (struct ntm_pci_bus){ read_memory, write_memory, set_interrupt };
	p->kind = kind;
	p->name = name;
	p->log = log;
	p->fd = fd;
	p->irq_fd = p->resample_fd = -1;
	p->want = NTM_PROXY_HEADER_BYTES;
	p->model = calloc(1, kind->bytes);
	if (!p->model)
		return give_up(p, -ENOMEM, "%s: no memory for a %s", name, kind->name);
	if (!kind->init(p->model, &p->bus, argument))
		return give_up(p, -EINVAL, "%s: a %s takes %s, not \"%s\"", name, kind->name,
			       kind->arguments ? kind->arguments : "no argument", argument);
	return 0;
}

void ntm_proxy_fini(struct ntm_proxy *p)
{
	drop_fds(p);
	drop_memory(p);
	close_fd(&p->irq_fd);
	close_fd(&p->resample_fd);
	close_fd(&p->fd);
	if (p->model && p->kind->fini)
		p->kind->fini(p->model);
	free(p->model);
	p->model = NULL;
}

/* ---- truth ---- */

/* The @index th name of the list, its length in *@bytes; NULL behind the last. */
static const char *count_name(const struct ntm_proxy_kind *kind, size_t index, size_t *bytes)
{
	const char *at = kind->counts ? kind->counts : "";

	for (;; index--) {
		at += strspn(at, " ");
		*bytes = strcspn(at, " ");
		if (!*bytes)
			return NULL;
		if (!index)
			return at;
		at += *bytes;
	}
}

int ntm_proxy_count(struct ntm_proxy *p, const char *what, uint64_t number)
{
	const char *name;
	size_t i, bytes;

	for (i = 0; i < NTM_PROXY_MAX_COUNTS && (name = count_name(p->kind, i, &bytes)); i++) {
		if (strlen(what) != bytes || strncmp(name, what, bytes) != 0)
			continue;
		p->kind->count(p->model, i, number);
		p->truth[i] += number;
		log_event(p, "count %s %" PRIu64, what, number);
		return 0;
	}
	return -ENOENT;
}

void ntm_proxy_truth(const struct ntm_proxy *p, char *text, size_t bytes)
{
	const char *name;
	size_t at = 0, i, length;

	text[0] = '\0';
	for (i = 0; i < NTM_PROXY_MAX_COUNTS && (name = count_name(p->kind, i, &length)); i++) {
		int more = snprintf(text + at, bytes - at, "%.*s=%" PRIu64 " ", (int)length, name,
				    p->truth[i]);

		if (more < 0 || (size_t)more >= bytes - at)
			return;
		at += (size_t)more;
	}
	if (p->kind->state)
		p->kind->state(p->model, text + at, bytes - at);
	else if (at)
		text[at - 1] = '\0';
}
