/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Graphics cards (G80 to GT21x) as PMUs of perf: what device.c asks of card.c. */
#ifndef NTD_CARD_H
#define NTD_CARD_H

#include "driver/device.h"

struct seq_file;

int ntd_card_init(void);
void ntd_card_exit(void);

/* The same for all cards of a chip; NULL: it is none whose events are known. */
const struct nthw_pci_device *ntd_card_known(const struct pci_dev *pdev);
bool ntd_card_is_one(const struct nthw_pci_device *known);
/* Has the chip of @known instance @index of @row? */
bool ntd_card_has(const struct nthw_pci_device *known, const struct nthw_reg *row, u32 index);

/*
 * @device is here and its unit is shown: it has a PMU from now on, also when it goes and comes
 * again. 0 or what perf said.
 */
int ntd_card_come(struct ntd_device *device);
/*
 * It goes, or a driver comes: its events end as errors, and its registers are given back if it
 * answers. None is counted before ntd_card_return().
 */
void ntd_card_leave(struct ntd_device *device, bool is_reachable);
void ntd_card_return(struct ntd_device *device);
/* The machine sleeps, and wakes: events stop, and go on. */
void ntd_card_sleep(struct ntd_device *device);
void ntd_card_wake(struct ntd_device *device);
/* No event of it is open. */
void ntd_card_free(struct ntd_device *device);

/* Is an event of it open? Under ntd_unit.lock. */
bool ntd_card_is_open(const struct ntd_device *device);
/* A line of "status": who has. */
void ntd_card_show(const struct ntd_device *device, struct seq_file *m);

#endif
