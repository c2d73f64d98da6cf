/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The process's end of QEMU's x-pci-proxy-dev: one socket, one PCI function, one model behind it.
 *
 * QEMU sends a message for every access of the guest and waits for the answer, so the model sees
 * accesses one by one and in order. The protocol is QEMU's own and private to a version
 * (hw/remote/mpqemu-link.h of 7.2 was read); native byte order and layout of x86-64:
 *
 *     header   int32 command, 4 bytes of padding, uint64 size of what follows
 *     0 memory        uint64 address[8], size[8], offset[8], with up to 8 file descriptors; no
 *                     answer
 *     1 answer        uint64 value: what we send
 *     2, 3 config     uint32 address, uint32 value, int32 bytes: write, read
 *     4, 5 BAR        uint64 address on the bus, uint64 value, uint32 bytes, uint8 is_memory,
 *                     padding: write, read
 *     6 interrupt     nothing, with two eventfds: to raise the interrupt, and to be told that it
 *                     was taken; no answer
 *     7 reset         nothing
 */
#ifndef NTM_PROXY_H
#define NTM_PROXY_H

#include <stdio.h>

#include "core/models/pci_config.h"
#include "core/models/pci_test.h"

#define NTM_PROXY_FDS 8
#define NTM_PROXY_HEADER_BYTES 16
#define NTM_PROXY_BODY_BYTES 192 /* the longest: command 0 */

/* A kind of device. Functions other than init may be NULL where the kind has no such thing. */
struct ntm_proxy_kind {
	const char *name;
	const char *about;
	const char *arguments; /* for people; NULL when it takes none */
	const char *counts;    /* names that .count takes, separated by blanks; NULL when none */
	const char *commands;  /* that .command takes, for people; NULL when none */
	size_t bytes;	       /* of the model */
	/*
	 * False when @argument (may be "") is not one of .arguments. @bus lives as long as the
	 * model.
	 */
	bool (*init)(void *model, struct ntm_pci_bus *bus, const char *argument);
	void (*fini)(void *model); /* what .init allocated; also after it failed */
	void (*reset)(void *model);
	uint32_t (*config_read)(void *model, uint32_t addr, uint32_t bytes);
	void (*config_write)(void *model, uint32_t addr, uint32_t bytes, uint32_t value);
	const struct ntm_pci_config *(*config)(void *model); /* tells which BAR an address is in */
	uint64_t (*bar_read)(void *model, uint32_t bar, uint32_t offset, uint32_t bytes);
	void (*bar_write)(void *model, uint32_t bar, uint32_t offset, uint32_t bytes,
			  uint64_t value);
	/* @number of what .counts calls its @what th name happened. */
	void (*count)(void *model, size_t what, uint64_t number);
	/* One line: what is in the counters now. */
	void (*state)(void *model, char *text, size_t bytes);
	/* @verb of .commands, with what follows. 0, or -errno; what there is to say in @answer. */
	int (*command)(void *model, const char *verb, const char *text, char *answer, size_t bytes);
};
extern const struct ntm_proxy_kind ntm_proxy_card; /* card.c */

extern const struct ntm_proxy_kind *const ntm_proxy_kinds[];
extern const size_t ntm_proxy_kind_count;

#define NTM_PROXY_MAX_COUNTS 8

/* Guest memory as QEMU last told it. */
struct ntm_proxy_memory {
	uint64_t address, bytes, offset;
	int fd;
};

struct ntm_proxy {
	struct ntm_pci_bus bus; /* first: what the model gets, and how it finds this struct again */
	const struct ntm_proxy_kind *kind;
	const char *name; /* borrowed */
	void *model;
	FILE *log;	 /* borrowed; may be NULL */
	int fd;		 /* owned; -1 after the connection has ended */
	bool is_plugged; /* QEMU has sent something */
	int irq_fd, resample_fd;
	struct ntm_proxy_memory memory[NTM_PROXY_FDS];
	size_t memory_count;
	uint64_t truth[NTM_PROXY_MAX_COUNTS]; /* what it was told to count, never reset */
	/* the message that is arriving */
	uint8_t bytes[NTM_PROXY_HEADER_BYTES + NTM_PROXY_BODY_BYTES];
	size_t have, want;
	int fds[NTM_PROXY_FDS];
	size_t fd_count;
	char error[256];
};

/*
 * A device of @kind behind @fd, which it owns from now on, also on failure. @argument may be
 * "". @name and @log must outlive it.
 * Return: 0, or -EINVAL (no such argument) or -ENOMEM; .error has the sentence.
 */
int ntm_proxy_init(struct ntm_proxy *p, const struct ntm_proxy_kind *kind, const char *argument,
		   const char *name, int fd, FILE *log);
void ntm_proxy_fini(struct ntm_proxy *p);

/*
 * Take what has arrived and answer it. Never blocks: call it when the socket is readable.
 *
 * Return: 1 while the connection lasts, 0 when QEMU has closed it between two messages (unplugged,
 * or ended), -EPROTO when what came is not this protocol, or the negative errno of the socket.
 * After 0 or an error the connection is closed, and after an error .error has one sentence.
 */
int ntm_proxy_receive(struct ntm_proxy *p);

/* Tell it what happened: -ENOENT when it has no such count. */
int ntm_proxy_count(struct ntm_proxy *p, const char *what, uint64_t number);

/* "reads=1000 writes=0": what it was told so far, and what its registers say about it. */
void ntm_proxy_truth(const struct ntm_proxy *p, char *text, size_t bytes);

/*
 * What it does not do: interrupts reach the guest only where QEMU listens to the eventfd, which
 * stock QEMU does under KVM alone; configuration space behind byte 255, which stock QEMU does not
 * forward; DMA beyond what memory QEMU shares (it must be started with a memory backend that has a
 * file: memory-backend-memfd) - each access there fails as on a bus.
 */

#endif
