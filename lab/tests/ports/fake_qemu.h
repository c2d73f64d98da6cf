/* SPDX-License-Identifier: MIT */
/*
 * QEMU's end of a proxy device, for tests: messages as hw/remote/mpqemu-link.h of QEMU 7.2 lays
 * them out, typed in again here.
 */
#ifndef FAKE_QEMU_H
#define FAKE_QEMU_H

#include <sys/socket.h>
#include <unistd.h>

#include "base/tests/tt.h"

struct fake_header {
	int32_t command;
	uint32_t pad;
	uint64_t bytes;
};

/* Send @bytes of @data with @count descriptors; all or nothing. */
static inline ssize_t fake_send(int socket, const void *data, size_t bytes, const int *fds,
				size_t count)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int) * 16)];
	} control = { 0 };
	struct iovec part = { (void *)(uintptr_t)data, bytes };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };

	if (count) {
		struct cmsghdr *c;

		message.msg_control = &control;
		message.msg_controllen = CMSG_SPACE(sizeof(int) * count);
		c = CMSG_FIRSTHDR(&message);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int) * count);
		memcpy(CMSG_DATA(c), fds, sizeof(int) * count);
	}
	return sendmsg(socket, &message, MSG_NOSIGNAL);
}

/* A whole message in one piece, as QEMU sends it. */
static inline void fake_message(int socket, int command, const void *body, size_t bytes,
				const int *fds, size_t count)
{
	uint8_t buffer[512];
	struct fake_header header = { .command = command, .bytes = bytes };

	assert_true(bytes + sizeof(header) <= sizeof(buffer));
	memcpy(buffer, &header, sizeof(header));
	if (bytes)
		memcpy(buffer + sizeof(header), body, bytes);
	assert_int_equal(fake_send(socket, buffer, bytes + sizeof(header), fds, count),
			 bytes + sizeof(header));
}

#endif
