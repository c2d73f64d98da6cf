// SPDX-License-Identifier: MIT
/* PCI functions and IOMMU groups. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/common/text.h"
#include "trace/lib/vfio/group.h"

/*
 * Of configuration space (PCI Local Bus Specification 3.0, 6.1): the layout's number, and a bit for
 * "not the only function".
 */
#define HEADER_TYPE 0x0e
#define HEADER_LAYOUT 0x7f
#define CLASS_BRIDGE_PCI 0x0604
#define CLASS_BRIDGE_CARDBUS 0x0607

/*
 * Digits of one part of a place: hexadecimal, at most @max of them, and the character @end behind.
 */
static const char *parse_part(const char *text, size_t max, char end, unsigned int *out)
{
	size_t n = strspn(text, "0123456789abcdefABCDEF");

	if (n == 0 || n > max || text[n] != end)
		return NULL;
	*out = (unsigned int)strtoul(text, NULL, 16);
	return text + n + (end ? 1 : 0);
}

int nti_vfio_place(const char *text, char *name)
{
	unsigned int domain = 0, bus = 0, slot = 0, function = 0;
	const char *at = text;

	if (strchr(text, ':') != strrchr(text, ':'))
		at = parse_part(text, 5, ':', &domain);
	if (at)
		at = parse_part(at, 2, ':', &bus);
	if (at)
		at = parse_part(at, 2, '.', &slot);
	if (at)
		at = parse_part(at, 1, '\0', &function);
	if (!at || slot > 31 || function > 7)
		return -EINVAL;
	(void)snprintf(name, NTI_VFIO_NAME_BYTES, "%04x:%02x:%02x.%x", domain & 0xfffff, bus, slot,
		       function);
	return 0;
}

/* Last part of what a link leads to; "" when there is none. */
static void link_name(struct nti_os *os, const char *name, const char *link, char *out, size_t size)
{
	char path[128], target[PATH_MAX];
	const char *last;

	out[0] = '\0';
	(void)snprintf(path, sizeof(path), NTI_VFIO_DEVICES "/%s/%s", name, link);
	if (os->ops->link(os, path, target, sizeof(target)) < 0)
		return;
	last = strrchr(target, '/');
	(void)snprintf(out, size, "%.63s", last ? last + 1 : target);
	/* It becomes a part of paths that are written to. */
	if (strcmp(out, ".") == 0 || strcmp(out, "..") == 0)
		out[0] = '\0';
}

static void load_override(struct nti_os *os, const char *name, char *out)
{
	char line[256];

	out[0] = '\0';
	/* What Linux prints for a pointer that is NULL. */
	if (nti_os_line(os, line, sizeof(line), NTI_VFIO_DEVICES "/%s/driver_override", name) < 0 ||
	    strcmp(line, "(null)") == 0)
		return;
	(void)snprintf(out, NTI_VFIO_DRIVER_BYTES, "%.63s", line);
}

/*
 * By the layout of its configuration space, as vfio tells them; where that cannot be read, by its
 * class.
 */
static bool is_bridge(struct nti_os *os, const char *name, uint32_t pci_class)
{
	char path[128];
	uint8_t layout = 0;
	ssize_t n = -1;
	int fd;

	(void)snprintf(path, sizeof(path), NTI_VFIO_DEVICES "/%s/config", name);
	fd = os->ops->open(os, path, 0);
	if (fd >= 0) {
		n = os->ops->pread(os, fd, &layout, 1, HEADER_TYPE);
		os->ops->close(os, fd);
	}
	if (n == 1)
		return layout & HEADER_LAYOUT;
	return pci_class >> 8 == CLASS_BRIDGE_PCI || pci_class >> 8 == CLASS_BRIDGE_CARDBUS;
}

static uint32_t load_number(struct nti_os *os, const char *name, const char *file)
{
	uint64_t value = 0;

	if (nti_os_u64(os, &value, NTI_VFIO_DEVICES "/%s/%s", name, file) < 0)
		return 0;
	return (uint32_t)value;
}

int nti_vfio_function_load(struct nti_os *os, const char *name, struct nti_vfio_function *out)
{
	memset(out, 0, sizeof(*out));
	if (!nti_os_exists(os, NTI_VFIO_DEVICES "/%s", name))
		return -ENODEV;
	(void)snprintf(out->name, sizeof(out->name), "%s", name);
	link_name(os, name, "driver", out->driver, sizeof(out->driver));
	load_override(os, name, out->override);
	out->vendor_device = (load_number(os, name, "vendor") & 0xffff) << 16 |
			     (load_number(os, name, "device") & 0xffff);
	out->pci_class = load_number(os, name, "class");
	out->is_bridge = is_bridge(os, name, out->pci_class);
	return 0;
}

/* The number of the group of @name. 0; -ENOTSUP: none; -ENODEV. */
static int group_number(struct nti_os *os, const char *name, unsigned int *out)
{
	char number[NTI_VFIO_DRIVER_BYTES];
	uint64_t value;

	if (!nti_os_exists(os, NTI_VFIO_DEVICES "/%s", name))
		return -ENODEV;
	link_name(os, name, "iommu_group", number, sizeof(number));
	if (nti_text_parse_u64(number, &value) < 0 || value > UINT_MAX)
		return -ENOTSUP;
	*out = (unsigned int)value;
	return 0;
}

/* What is being filled. */
struct load {
	struct nti_os *os;
	struct nti_error *e;
	struct nti_vfio_group *group;
};

static int add_function(void *arg, const char *name)
{
	struct load *l = arg;
	struct nti_vfio_group *g = l->group;
	char place[NTI_VFIO_NAME_BYTES];

	if (nti_vfio_place(name, place) < 0)
		return nti_error(
			l->e, -ENOTSUP,
			"IOMMU group %u holds %s too, which is no PCI function: the group cannot "
			"be lent",
			g->number, name);
	if (g->n == NTI_VFIO_FUNCTIONS_MAX)
		return nti_error(l->e, -E2BIG, "IOMMU group %u has more than %d functions",
				 g->number, NTI_VFIO_FUNCTIONS_MAX);
	/* One that goes away meanwhile is not of the group any more. */
	if (nti_vfio_function_load(l->os, place, &g->function[g->n]) == 0)
		g->n++;
	return 0;
}

static int say_group(struct nti_error *e, int ret, const char *name)
{
	if (ret == -ENODEV)
		return nti_error(e, ret, "there is no PCI function %s here: lspci -D lists them",
				 name);
	return nti_error(
		e, ret,
		"%s is in no IOMMU group: the IOMMU is off (ntime trace doctor prints what to "
		"do)",
		name);
}

int nti_vfio_group_load(struct nti_os *os, const char *card, struct nti_vfio_group **out,
			struct nti_error *e)
{
	struct load l = { .os = os, .e = e };
	char name[NTI_VFIO_NAME_BYTES], path[128];
	unsigned int number = 0;
	int ret;

	*out = NULL;
	if (nti_vfio_place(card, name) < 0)
		return nti_error(
			e, -EINVAL,
			"'%.64s' is not the address of a PCI function, such as 0000:05:00.0", card);
	ret = group_number(os, name, &number);
	if (ret < 0)
		return say_group(e, ret, name);
	l.group =
		calloc(1, sizeof(*l.group) + NTI_VFIO_FUNCTIONS_MAX * sizeof(l.group->function[0]));
	if (!l.group)
		return nti_error(e, -ENOMEM, "no memory left");
	l.group->number = number;
	(void)snprintf(path, sizeof(path), "/sys/kernel/iommu_groups/%u/devices", number);
	ret = os->ops->list(os, path, add_function, &l);
	if (ret < 0) {
		free(l.group);
		if (ret == -ENOTSUP || ret == -E2BIG)
			return ret;
		return nti_error(e, ret, "cannot read %s: %s", path, strerror(-ret));
	}
	*out = l.group;
	return 0;
}

bool nti_vfio_is_lent(const struct nti_vfio_function *f)
{
	return strcmp(f->driver, NTI_VFIO_DRIVER) == 0;
}
