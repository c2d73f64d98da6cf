// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The kind "nv50": a graphics card of G80 to GT21x on the bus, which plays the frames of a scene.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/models/nv50_card.h"
#include "lab/card/scene.h"
#include "lab/card/truth.h"
#include "lab/proxy/proxy.h"

#define VGA 0x030000 /* class of a display controller */
#define FRAMES_MAX 100000u

struct card {
	struct ntm_pci_config config;
	struct ntm_nv50_card card;
	struct ntm_scene *scene;
	uint32_t frames; /* that were played last */
	bool is_dead;	 /* its memory reads as ones, as without power */
	uint32_t bar[NTM_NV50_BAR_BYTES / 4];
};

/* "GT218"; "GT218+GT215": with the PCI id of that; "GT218+64": with so many KiB of registers. */
static bool card_init(void *model, struct ntm_pci_bus *bus, const char *argument)
{
	struct card *m = model;
	size_t chars = strcspn(argument, "+");
	const char *more = argument[chars] ? argument + chars + 1 : "";
	unsigned long kib = strtoul(more, NULL, 10);
	char name[16], why[256];
	const struct nthw_nv_chip *chip, *other;
	struct ntm_pci_identity id = { .vendor = NTHW_NV_VENDOR, .class_code = VGA };

	(void)bus;
	snprintf(name, sizeof(name), "%.*s", (int)chars, argument);
	chip = other = nthw_nv_chip_by_name(name);
	if (*more && !kib)
		other = nthw_nv_chip_by_name(more);
	if (!chip || !other || !ntm_nv50_card_init(&m->card, chip, m->bar) ||
	    ntm_scene_parse("scene", ntm_scene_default, strlen(ntm_scene_default), chip, &m->scene,
			    why, sizeof(why)) < 0)
		return false;
	id.device = other->pci[0][0];
	ntm_pci_config_init(&m->config, &id);
	return ntm_pci_config_add_bar(&m->config, 0, kib ? (uint32_t)kib << 10 : NTM_NV50_BAR_BYTES,
				      false);
}

static void card_fini(void *model)
{
	ntm_scene_free(((struct card *)model)->scene);
}

static void card_reset(void *model)
{
	ntm_pci_config_reset(&((struct card *)model)->config);
}

static uint32_t card_config_read(void *model, uint32_t addr, uint32_t bytes)
{
	return ntm_pci_config_read(&((struct card *)model)->config, addr, bytes);
}

static void card_config_write(void *model, uint32_t addr, uint32_t bytes, uint32_t value)
{
	ntm_pci_config_write(&((struct card *)model)->config, addr, bytes, value);
}

static const struct ntm_pci_config *card_config(void *model)
{
	return &((struct card *)model)->config;
}

/* Registers have 32 bits; of an access of another size the chip's answer is not known. */
static uint64_t card_bar_read(void *model, uint32_t bar, uint32_t offset, uint32_t bytes)
{
	struct card *m = model;
	uint32_t value;

	(void)bar;
	if (m->is_dead || bytes != 4 || ntm_nv50_card_peek(&m->card, offset, &value) < 0)
		return UINT64_MAX;
	ntm_scene_pass(&m->card);
	return value;
}

static void card_bar_write(void *model, uint32_t bar, uint32_t offset, uint32_t bytes,
			   uint64_t value)
{
	struct card *m = model;

	(void)bar;
	if (!m->is_dead && bytes == 4 && ntm_nv50_card_poke(&m->card, offset, (uint32_t)value) == 0)
		ntm_scene_pass(&m->card);
}

/* ---- commands ---- */

static void advance(void *arg, const struct ntm_stretch *stretch)
{
	struct card *m = arg;
	struct ntm_nv50_wires wires;

	ntm_wires_of(stretch, &m->card, &wires);
	ntm_nv50_card_advance(&m->card, &wires, stretch->clocks);
}

static int play(struct card *m, const char *text)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (*text < '0' || *text > '9' || *end || !n || n > FRAMES_MAX)
		return -EINVAL;
	m->frames = 0;
	while (n--)
		ntm_scene_frame(m->scene, ++m->frames, advance, m);
	return 0;
}

/* Of the frames that were played last. */
static int truth(const struct card *m, const char *text, char *answer, size_t bytes)
{
	uint64_t clocks = 0;
	int ret = ntm_truth(text, m->scene, "", 1, m->frames, 0, &clocks, answer, bytes);

	if (ret == 0)
		snprintf(answer, bytes, "%" PRIu64, clocks);
	return ret;
}

static int card_command(void *model, const char *verb, const char *text, char *answer, size_t bytes)
{
	struct card *m = model;

	answer[0] = '\0';
	if (strcmp(verb, "truth") == 0)
		return truth(m, text, answer, bytes);
	if (strcmp(verb, "play") == 0)
		return play(m, text);
	if (strcmp(verb, "inject") == 0 &&
	    (strcmp(text, "ones") == 0 || strcmp(text, "nothing") == 0)) {
		m->is_dead = strcmp(text, "ones") == 0;
		return 0;
	}
	return -EINVAL;
}

const struct ntm_proxy_kind ntm_proxy_card = {
	.name = "nv50",
	.about = "a graphics card whose counters count frames of a scene",
	.arguments = "its chip, GT218; GT218+GT215 has that one's PCI id, GT218+64 64 KiB",
	.commands = "play NUMBER, truth EVENT, inject ones|nothing",
	.bytes = sizeof(struct card),
	.init = card_init,
	.fini = card_fini,
	.reset = card_reset,
	.config_read = card_config_read,
	.config_write = card_config_write,
	.config = card_config,
	.bar_read = card_bar_read,
	.bar_write = card_bar_write,
	.command = card_command,
};
