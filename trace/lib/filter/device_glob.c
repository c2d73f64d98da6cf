// SPDX-License-Identifier: MIT
/*
 * Which devices a name with * and ? means: PCI places fit with and without the domain, and with and
 * without zeros in front of their numbers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ntime/trace/filter.h>

#include "trace/lib/base/device.h"
#include "base/common/text.h"

/* One number of a place: "5" and "05" are 5, "0?" is a glob. @digits as names have it. */
static bool fits_number(const char *glob, size_t bytes, uint32_t number, int digits)
{
	char part[32], text[16];

	if (!bytes || bytes >= sizeof(part))
		return false;
	memcpy(part, glob, bytes);
	part[bytes] = '\0';
	if (bytes <= 8 && strspn(part, "0123456789abcdefABCDEF") == bytes)
		return strtoul(part, NULL, 16) == number;
	(void)snprintf(text, sizeof(text), "%0*x", digits, number);
	return nti_text_fits(part, text);
}

/* "00.0", "0.0", "*" */
static bool fits_slot(const char *glob, uint32_t devfn)
{
	const char *point = strchr(glob, '.');
	char text[16];

	if (point)
		return fits_number(glob, (size_t)(point - glob), devfn >> 3, 2) &&
		       fits_number(point + 1, strlen(point + 1), devfn & 7, 1);
	(void)snprintf(text, sizeof(text), "%02x.%x", devfn >> 3, devfn & 7);
	return nti_text_fits(glob, text);
}

static bool fits_place(const char *glob, const struct ntime_trace_device *d)
{
	const char *bus = glob, *slot = strchr(glob, ':'),
		   *colon = slot ? strchr(slot + 1, ':') : NULL;

	if (!slot)
		return false;
	if (colon) {
		if (!fits_number(glob, (size_t)(slot - glob), d->domain, 4))
			return false;
		bus = slot + 1;
		slot = colon;
	}
	return fits_number(bus, (size_t)(slot - bus), d->bus_devfn >> 8, 2) &&
	       fits_slot(slot + 1, d->bus_devfn & 0xff);
}

bool nti_trace_device_fits(const char *name, const char *glob)
{
	struct ntime_trace_device place = { 0 };
	const char *colon = strchr(name, ':');

	if (nti_text_fits(glob, name))
		return true;
	if (!nti_trace_device_place(&place, name))
		return false;
	/* "0000:05:00.0" has two colons, "05:00.0" one. */
	if (strchr(colon + 1, ':') && nti_text_fits(glob, colon + 1))
		return true;
	return fits_place(glob, &place);
}

int ntime_trace_device_fits(const struct ntime_trace_device *device, const char *glob)
{
	return nti_trace_device_fits(device->name, glob);
}
