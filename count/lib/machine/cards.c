// SPDX-License-Identifier: MIT
/* Graphics cards as units. */
#include "count/lib/machine/cards.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/regs/nv50_wires.h"
#include "base/os/socket.h"

int nti_card_find_model(const char *socket, const struct nthw_nv_chip **chip, uint32_t *has,
			struct nti_error *e)
{
	const struct ntime_model_request units = { .kind = NTIME_MODEL_READ,
						   .address = NTHW_NV_UNITS };
	struct ntime_model_hello hello;
	int fd = nti_socket_open(socket, &hello), ret = fd;

	*chip = fd >= 0 ? nthw_nv_chip_by_boot(hello.boot_0) : NULL;
	if (*chip && nthw_nv_has_wires(*chip))
		ret = nti_socket_ask(fd, &units, NULL, has, NULL, 0);
	nti_socket_close(fd);
	if (ret < 0)
		return nti_error(e, ret, "cannot reach a model of a card at %s: %s", socket,
				 nti_socket_why(ret));
	if (!*chip || !nthw_nv_has_wires(*chip))
		return nti_error(e, -ENOTSUP,
				 "the model at %s is a chip without known events (PMC.BOOT_0 %#x)",
				 socket, hello.boot_0);
	return 0;
}

int nti_cards_add_model(struct nti_units *units, const struct nthw_nv_chip *chip, uint32_t has,
			const char *socket)
{
	struct nti_unit_card *card = calloc(1, sizeof(*card));
	struct nti_unit *unit;
	char desc[64];

	(void)snprintf(desc, sizeof(desc), "graphics card (%s)", chip->name);
	unit = card ? nti_units_append(units, "gpu0", desc) : NULL;
	if (!unit) {
		free(card);
		return -ENOMEM;
	}
	unit->kind = NTI_UNIT_DEVICE;
	unit->method = NTI_METHOD_MODEL;
	unit->type = UINT32_MAX;
	unit->scope = NTI_SCOPE_DEVICE;
	unit->is_simulated = true;
	unit->card = card;
	card->chip = chip;
	card->units = has;
	card->socket = strdup(socket);
	if (!card->socket)
		return -ENOMEM;
	nti_units_sort(units);
	return 0;
}
