/* SPDX-License-Identifier: MIT */
/*
 * A card that a test plays: registers of domain 1 behind the socket of a model, what the next
 * period has, and what goes wrong. It has no clock: a trigger ends a period at once. Typed in from
 * the documents of PCOUNTER; of core/models/ it knows nothing.
 */
#ifndef FAKE_CARD_H
#define FAKE_CARD_H

#include <stdbool.h>
#include <stdint.h>

#define FAKE_CARD_G96 0x096000a1

struct fake_card;

struct fake_card *fake_card_new(uint32_t boot_0);
void fake_card_free(struct fake_card *f);
const char *fake_card_path(const struct fake_card *f);
/* All four counters will have @count when the period that goes on now ends. */
void fake_card_count(struct fake_card *f, uint32_t count);
/* Somebody else's trigger, right before the next one of ours. */
void fake_card_disturb(struct fake_card *f);
/* The clock of the domain stands: triggers end nothing. */
void fake_card_set_stuck(struct fake_card *f, bool is_stuck);
/* The card answers to no access any more: its clients are disconnected. */
void fake_card_unplug(struct fake_card *f);
/* The next reply has two bytes; a connection on which that happens should be given up. */
void fake_card_stammer(struct fake_card *f);
/* PMC.BOOT_0 tells of another chip from now on; all ones: every register reads so. */
void fake_card_set_boot_0(struct fake_card *f, uint32_t boot_0);
/* Accesses of registers so far that were writes. */
unsigned int fake_card_writes(struct fake_card *f);
/* A sum over all registers that keep what is written, to compare. */
uint64_t fake_card_sum(struct fake_card *f);

#endif
