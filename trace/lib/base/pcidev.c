// SPDX-License-Identifier: MIT
/*
 * PCI functions in text: lines PCIDEV of mmiotrace (Linux, kernel/trace/trace_mmiotrace.c,
 * mmio_print_pcidev()).
 */
#include <string.h>

#include "trace/lib/base/pcidev.h"

/*
 * The next hexadecimal number of the line, with or without 0x; false at the end or at something
 * else.
 */
static bool next_hex(const char **at, const char *end, uint64_t *out)
{
	const char *p = *at;
	uint64_t value = 0;
	int digits = 0;

	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	if (end - p > 2 && p[0] == '0' && p[1] == 'x')
		p += 2;
	for (; p < end; p++, digits++) {
		if (*p >= '0' && *p <= '9')
			value = value << 4 | (uint64_t)(*p - '0');
		else if ((*p | 0x20) >= 'a' && (*p | 0x20) <= 'f')
			value = value << 4 | (uint64_t)((*p | 0x20) - 'a' + 10);
		else
			break;
	}
	if (!digits || digits > 16 || (p < end && *p != ' ' && *p != '\t'))
		return false;
	*at = p;
	*out = value;
	return true;
}

bool nti_pcidev_parse(const char *text, size_t n, struct nti_pcidev *out)
{
	const char *end = text + n;
	uint64_t place, id, irq;
	int i;

	memset(out, 0, sizeof(*out));
	if (!next_hex(&text, end, &place) || place > 0xffff || !next_hex(&text, end, &id) ||
	    id > UINT32_MAX || !next_hex(&text, end, &irq))
		return false;
	out->bus_devfn = (uint32_t)place;
	out->vendor_device = (uint32_t)id;
	out->irq = (uint32_t)irq;
	for (i = 0; i < NTI_PCIDEV_BARS; i++)
		if (!next_hex(&text, end, &out->bar[i]))
			return false;
	for (i = 0; i < NTI_PCIDEV_BARS; i++)
		if (!next_hex(&text, end, &out->bytes[i]))
			return false;
	return true;
}
