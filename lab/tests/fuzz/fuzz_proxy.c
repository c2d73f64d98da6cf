// SPDX-License-Identifier: MIT
/*
 * Any bytes as what QEMU sends to a proxy device: no crash, no descriptor left, and an error has
 * one sentence. The first byte chooses the kind and whether guest memory is there. The input's
 * messages may carry no descriptors, so those are sent before.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lab/proxy/control.h"
#include "base/tests/fuzz/fuzz.h"

static void share_memory(int socket)
{
	struct {
		uint64_t header[2], address[8], bytes[8], offset[8];
	} message = { { 0, 192 }, { 0 }, { 0x3000 }, { 0x1000 } };
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = { 0 };
	struct iovec part = { &message, sizeof(message) };
	struct msghdr m = { .msg_iov = &part,
			    .msg_iovlen = 1,
			    .msg_control = &control,
			    .msg_controllen = sizeof(control) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);
	int file = memfd_create("guest", MFD_CLOEXEC);

	/* Shorter than is said: what is behind its end must fail, not crash. */
	fuzz_expect(file >= 0 && ftruncate(file, 0x3000) == 0);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &file, sizeof(file));
	fuzz_expect(sendmsg(socket, &m, MSG_NOSIGNAL) == (ssize_t)sizeof(message));
	close(file);
}

/* All that is sent, with the answers read meanwhile, as QEMU does. */
static int feed(struct ntm_proxy *p, int socket, const uint8_t *data, size_t size)
{
	char answers[4096];
	int ret = 1;

	while (size && ret == 1) {
		size_t part = size < 200 ? size : 200;

		fuzz_expect(send(socket, data, part, MSG_NOSIGNAL) == (ssize_t)part);
		data += part;
		size -= part;
		ret = ntm_proxy_receive(p);
		while (recv(socket, answers, sizeof(answers), MSG_DONTWAIT) > 0)
			;
	}
	return ret;
}

/* The input as commands, too. */
static void command(struct ntm_proxy *p, const uint8_t *data, size_t size)
{
	struct ntm_control c = { .devices = p, .device_count = 1 };
	char line[NTM_CONTROL_LINE_BYTES], text[512];

	size = size < sizeof(line) - 1 ? size : sizeof(line) - 1;
	memcpy(line, data, size);
	line[size] = '\0';
	text[0] = '\0';
	ntm_control_answer(&c, line, text, sizeof(text));
	fuzz_expect(strncmp(text, "ok", 2) == 0 || strncmp(text, "error: ", 7) == 0);
}

/* What a kind takes. */
static const char *argument_of(const struct ntm_proxy_kind *kind)
{
	if (strcmp(kind->name, "nv50") == 0)
		return "GT218";
	return kind->arguments ? "0" : "";
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct ntm_proxy_kind *kind;
	struct ntm_proxy p;
	int ends[2], ret;

	if (!size)
		return 0;
	kind = ntm_proxy_kinds[data[0] % ntm_proxy_kind_count];
	fuzz_expect(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
	fuzz_expect(ntm_proxy_init(&p, kind, argument_of(kind), "dev", ends[1], NULL) == 0);
	if (data[0] & 0x80)
		share_memory(ends[0]);
	ret = feed(&p, ends[0], data + 1, size - 1);
	if (ret == 1) {
		shutdown(ends[0], SHUT_WR);
		ret = ntm_proxy_receive(&p);
	}
	fuzz_expect(ret <= 0 && p.fd == -1 && p.irq_fd == -1 && !p.memory_count && !p.fd_count);
	fuzz_expect((ret < 0) == (p.error[0] != '\0') && !strchr(p.error, '\n'));
	command(&p, data + 1, size - 1);
	ntm_proxy_fini(&p);
	close(ends[0]);
	return 0;
}
