// SPDX-License-Identifier: MIT
/* A program that the kernel runs: a filter of packets. */
#include <errno.h>
#include <linux/filter.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/os/filter.h"

/* X = 0, which A is equal to; at the end the packet is dropped. */
#define FRAME 2

static int attach(int fd, unsigned int turns)
{
	struct sock_filter *code = calloc(turns + FRAME, sizeof(*code));
	struct sock_fprog program = { .len = (unsigned short)(turns + FRAME), .filter = code };
	unsigned int i;
	int ret;

	if (!code)
		return -ENOMEM;
	code[0] = (struct sock_filter)BPF_STMT(BPF_LDX | BPF_W | BPF_IMM, 0);
	/*
	 * Wherever it goes, it goes to the next one. Registers alone: constants of a filter may be
	 * hidden by more instructions (bpf_jit_harden).
	 */
	for (i = 1; i <= turns; i++)
		code[i] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_X, 0, 0, 0);
	code[i] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, 0);
	ret = setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)) ? -errno : 0;
	free(code);
	return ret;
}

int nti_filter_open(struct nti_filter *f, unsigned int turns)
{
	int ret;

	if (!turns || turns > NTI_FILTER_TURNS_MAX)
		return -EINVAL;
	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, f->fd) < 0)
		return -errno;
	ret = attach(f->fd[0], turns);
	if (ret < 0)
		nti_filter_close(f);
	return ret;
}

bool nti_filter_run(const struct nti_filter *f)
{
	/*
	 * The sender runs the filter of the receiver (Linux, unix_dgram_sendmsg), and never hears
	 * of it.
	 */
	return send(f->fd[1], "", 1, MSG_NOSIGNAL) == 1;
}

void nti_filter_close(struct nti_filter *f)
{
	(void)close(f->fd[0]);
	(void)close(f->fd[1]);
}
