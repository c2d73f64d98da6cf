// SPDX-License-Identifier: MIT
/* What tracing needs of the card: that it is there, in a group, and free. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/common/text.h"
#include "trace/lib/vfio/doctor.h"
#include "trace/lib/vfio/use.h"

#define OK NTIME_VFIO_OK
#define MISSING NTIME_VFIO_MISSING
#define UNKNOWN NTIME_VFIO_UNKNOWN

static const struct nti_vfio_function *find(const struct nti_vfio_group *g, const char *name)
{
	size_t i;

	for (i = 0; i < g->n; i++) {
		if (strcmp(g->function[i].name, name) == 0)
			return &g->function[i];
	}
	return NULL;
}

static void check_driver(struct nti_vfio_doctor *d, const struct nti_vfio_function *f)
{
	char remedy[96];

	if (f->is_bridge) {
		nti_vfio_tell(d, MISSING, "card-driver", "Driver of the card",
			      "name the card behind it (lspci -tv)",
			      "%s is a bridge, which is not lent", f->name);
		return;
	}
	if (nti_vfio_is_lent(f)) {
		nti_vfio_tell(d, OK, "card-driver", "Driver of the card", "", "vfio-pci has it");
		return;
	}
	(void)snprintf(remedy, sizeof(remedy), "ntime trace bind %s", f->name);
	nti_vfio_tell(d, MISSING, "card-driver", "Driver of the card", remedy,
		      "%s has it, not vfio-pci", *f->driver ? f->driver : "no driver");
}

/*
 * Text of all others of the group: "0000:05:00.1 (snd_hda_intel), 0000:00:01.0 (pcieport, a bridge,
 * stays)".
 */
static size_t list_others(const struct nti_vfio_group *g, const char *card, char *buf, size_t size,
			  size_t *foreign)
{
	size_t i, n = 0;
	char one[160];

	*foreign = 0;
	buf[0] = '\0';
	for (i = 0; i < g->n; i++) {
		const struct nti_vfio_function *f = &g->function[i];

		if (strcmp(f->name, card) == 0)
			continue;
		*foreign += !f->is_bridge && *f->driver && !nti_vfio_is_lent(f);
		(void)snprintf(one, sizeof(one), "%s%s (%s%s)", n++ ? ", " : "", f->name,
			       *f->driver ? f->driver : "no driver",
			       f->is_bridge ? ", a bridge, stays" : "");
		(void)nti_text_append(buf, size, one);
	}
	return n;
}

static void check_group(struct nti_vfio_doctor *d)
{
	const char *what = "IOMMU group of the card";
	char others[768], remedy[96];
	size_t foreign, n = list_others(d->group, d->card, others, sizeof(others), &foreign);

	if (!n) {
		nti_vfio_tell(d, OK, "card-group", what, "", "group %u, which it has for itself",
			      d->group->number);
		return;
	}
	(void)snprintf(remedy, sizeof(remedy), "ntime trace bind %s takes them along", d->card);
	nti_vfio_tell(d, foreign ? MISSING : OK, "card-group", what, foreign ? remedy : "",
		      "group %u, with %s", d->group->number, others);
}

static void check_use(struct nti_vfio_doctor *d)
{
	const char *what = "Others who need the group";
	char why[512];
	size_t i;

	for (i = 0; i < d->group->n; i++) {
		const struct nti_vfio_function *f = &d->group->function[i];

		if (f->is_bridge || nti_vfio_is_lent(f) ||
		    nti_vfio_use(d->os, f, why, sizeof(why)) <= 0)
			continue;
		nti_vfio_tell(
			d, MISSING, "card-use", what,
			"end that, choose another card or slot, or use ntime trace bind --force",
			"%s is in use: %s", f->name, why);
		return;
	}
	nti_vfio_tell(
		d, OK, "card-use", what, "",
		"no console, lit screen, mounted disk or network device that is up depends on it");
}

/* As soon as vfio-pci has the group: is it free, and may this user open it? */
static void check_open(struct nti_vfio_doctor *d)
{
	const char *what = "The group's device file";
	char remedy[128];

	if (!nti_os_exists(d->os, "/dev/vfio/%u", d->group->number))
		return;
	(void)snprintf(remedy, sizeof(remedy), "run QEMU as root, or: chown $USER /dev/vfio/%u",
		       d->group->number);
	switch (nti_vfio_group_is_open(d->os, d->group->number)) {
	case 0:
		nti_vfio_tell(d, OK, "card-open", what, "", "/dev/vfio/%u can be opened",
			      d->group->number);
		break;
	case 1:
		nti_vfio_tell(d, MISSING, "card-open", what, "end it: fuser prints which it is",
			      "a program has /dev/vfio/%u open", d->group->number);
		break;
	default:
		nti_vfio_tell(d, MISSING, "card-open", what, remedy,
			      "this user may not open /dev/vfio/%u", d->group->number);
	}
}

void nti_vfio_check_card(struct nti_vfio_doctor *d)
{
	const struct nti_vfio_function *f;
	struct nti_vfio_function alone;
	struct nti_error e = { 0 };
	int ret;

	if (nti_vfio_function_load(d->os, d->card, &alone) < 0) {
		nti_vfio_tell(d, MISSING, "card", "Card", "lspci -D lists those that there are",
			      "there is no PCI function %s", d->card);
		return;
	}
	nti_vfio_tell(d, OK, "card", "Card", "", "%s is %04x:%04x, class %06x", d->card,
		      alone.vendor_device >> 16, alone.vendor_device & 0xffff, alone.pci_class);
	check_driver(d, &alone);
	ret = nti_vfio_group_load(d->os, d->card, &d->group, &e);
	f = ret == 0 ? find(d->group, d->card) : NULL;
	if (!f) {
		nti_vfio_tell(d, MISSING, "card-group", "IOMMU group of the card",
			      "switch the IOMMU on, see above", "%s",
			      ret < 0 ? e.text : "the group does not list the card");
		return;
	}
	check_group(d);
	check_use(d);
	check_open(d);
}
