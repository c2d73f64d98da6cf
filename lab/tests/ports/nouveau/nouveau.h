/* SPDX-License-Identifier: MIT */
/*
 * What the library exports that "build" makes of nouveau's text: a device with counters alone, and
 * a client of it, to which messages go.
 */
#ifndef TESTS_NOUVEAU_H
#define TESTS_NOUVEAU_H

#include <stdint.h>

/* Registers of a card, 32 bits at byte offset @address of BAR 0. */
struct judge_io {
	void *card;
	uint32_t (*read)(void *card, uint32_t address);
	void (*write)(void *card, uint32_t address, uint32_t value);
};

struct nouveau;

/*
 * @boot_0 is PMC.BOOT_0, @io is copied. NULL: nouveau has no table of counters for the chip, or
 * there is no memory.
 */
struct nouveau *nouveau_new(uint32_t boot_0, const struct judge_io *io);
/* What nouveau does for an ioctl of the DRM that carries @message. */
int nouveau_ioctl(struct nouveau *n, void *message, uint32_t bytes);
void nouveau_free(struct nouveau *n);

#endif
