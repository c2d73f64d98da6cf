// SPDX-License-Identifier: MIT
/*
 * PCI functions in text: lines PCIDEV of mmiotrace (Linux, kernel/trace/trace_mmiotrace.c,
 * mmio_print_pcidev()).
 */
#include <string.h>

#include "trace/lib/base/pcidev.h"
#include "trace/lib/base/scan.h"

/* Registers of configuration space: PCI 3.0, table 6-1. */
#define CONFIG_BAR0 0x10
#define CONFIG_BARS_END 0x28
#define CONFIG_ROM 0x30

/*
 * The next hexadecimal number of the line, with or without 0x; false at the end or at something
 * else.
 */
static bool next_hex(struct nti_scan *s, uint64_t *out)
{
	const char *digits;

	while (s->p < s->end && (*s->p == ' ' || *s->p == '\t'))
		s->p++;
	(void)nti_scan_text(s, "0x");
	digits = s->p;
	return nti_scan_hex(s, out) && s->p - digits <= 16 &&
	       (nti_scan_ended(s) || *s->p == ' ' || *s->p == '\t');
}

bool nti_pcidev_parse(const char *text, size_t n, struct nti_pcidev *out)
{
	struct nti_scan s = { text, text + n, false };
	uint64_t place, id, irq;
	int i;

	memset(out, 0, sizeof(*out));
	if (!next_hex(&s, &place) || place > 0xffff || !next_hex(&s, &id) || id > UINT32_MAX ||
	    !next_hex(&s, &irq))
		return false;
	out->bus_devfn = (uint32_t)place;
	out->vendor_device = (uint32_t)id;
	out->irq = (uint32_t)irq;
	for (i = 0; i < NTI_PCIDEV_BARS; i++)
		if (!next_hex(&s, &out->bar[i]))
			return false;
	for (i = 0; i < NTI_PCIDEV_BARS; i++)
		if (!next_hex(&s, &out->bytes[i]))
			return false;
	return true;
}

int nti_pcidev_register(uint64_t offset)
{
	if (offset >= CONFIG_BAR0 && offset < CONFIG_BARS_END && offset % 4 == 0)
		return (int)((offset - CONFIG_BAR0) / 4);
	return offset == CONFIG_ROM ? NTI_PCIDEV_ROM : -1;
}

uint32_t nti_pcidev_id(uint32_t known, const struct ntime_record *r)
{
	uint32_t value = (uint32_t)r->value;

	if (r->offset == 0 && r->width == 4)
		return value << 16 | value >> 16;
	if (r->offset == 0 && r->width == 2)
		return (known & 0xffff) | value << 16;
	if (r->offset == 2 && r->width == 2)
		return (known & 0xffff0000u) | (value & 0xffff);
	return known;
}
