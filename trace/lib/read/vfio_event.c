// SPDX-License-Identifier: MIT
/*
 * Events of QEMU's hw/vfio/trace-events, hw/pci/trace-events and the memory core's, in the text of
 * every version.
 *
 * Formats: hw/vfio/trace-events of 2.3 to 10.2 (those of the accesses have not changed since April
 * 2015, commit 385f57cf9ada and its like put a space in front of their parenthesis, so text logs
 * have two); the DEBUG_VFIO printf()s of hw/misc/vfio.c before; LTTng's text as babeltrace prints
 * it.
 */
#include <string.h>

#include "base/common/compiler.h"
#include "trace/lib/base/scan.h"
#include "trace/lib/read/vfio_event.h"
#include "trace/lib/read/vfio_prefix.h"

/* What the name of an event may have. */
static bool is_name(char c)
{
	return (c >= 'a' && c <= 'z') || nti_scan_is_digit(c) || c == '_';
}

static bool starts(const char *p, size_t n, const char *text)
{
	return n >= strlen(text) && memcmp(p, text, strlen(text)) == 0;
}

int nti_vfio_event_find(const char *p, size_t n, size_t from)
{
	static const char *const starts_with[] = { "vfio_", "vfio: vfio_bar_",
						   "pci_update_mappings_", "memory_region_ops_" };
	size_t most = n > NTI_PREFIX_BYTES ? NTI_PREFIX_BYTES : n;
	size_t i, k;

	for (i = from; i < most; i++) {
		if (p[i] != 'v' && p[i] != 'p' && p[i] != 'm')
			continue;
		if (i && p[i - 1] != ' ' && p[i - 1] != ':' && p[i - 1] != '\t')
			continue;
		for (k = 0; k < NTI_ARRAY_SIZE(starts_with); k++) {
			if (starts(p + i, n - i, starts_with[k]))
				return (int)i;
		}
	}
	return -1;
}

/* The blanks between name and "(": two, and others with a note that this is odd. */
static bool scan_open(struct nti_scan *s)
{
	if (nti_scan_text(s, "  ("))
		return true;
	s->is_odd = true;
	while (s->p < s->end && (*s->p == ' ' || *s->p == '\t'))
		s->p++;
	return nti_scan_text(s, "(");
}

/*
 * Everything up to the last @mark; moves behind it. A name may hold anything that stands around it.
 */
static bool scan_name(struct nti_scan *s, const char *mark, struct nti_vfio_event *out)
{
	size_t n = strlen(mark);
	const char *p;

	for (p = s->end - n; p > s->p; p--) {
		if (*p == *mark && memcmp(p, mark, n) == 0)
			break;
	}
	if (p <= s->p)
		return false;
	out->name = s->p;
	out->name_bytes = (size_t)(p - s->p);
	s->p = p + n;
	return true;
}

static bool scan_width(struct nti_scan *s, struct ntime_record *r)
{
	uint64_t width;

	if (!nti_scan_decimal(s, &width) || (width != 1 && width != 2 && width != 4 && width != 8))
		return false;
	r->width = (uint8_t)width;
	return true;
}

/* A value at the end of the line: a torn one may lack digits. */
static bool scan_last_value(struct nti_scan *s, bool is_torn, struct ntime_record *r)
{
	const char *start = s->p;

	if (!nti_scan_0x(s, &r->value) || !nti_scan_ended(s))
		return false;
	if (!is_torn || s->p - start == 2 + 2 * r->width)
		r->flags |= NTIME_RECORD_VALUED;
	else
		r->value = 0;
	return true;
}

static bool scan_value(struct nti_scan *s, struct ntime_record *r)
{
	r->flags |= NTIME_RECORD_VALUED;
	return nti_scan_0x(s, &r->value);
}

static bool scan_region_number(struct nti_scan *s, struct ntime_record *r)
{
	uint64_t region;

	if (!nti_scan_decimal(s, &region) || region >= NTIME_REGION_PHYSICAL)
		return false;
	r->region = (uint8_t)region;
	return true;
}

/* White space that an editor put around a name is no part of it. */
static bool has_white_ends(const struct nti_vfio_event *e)
{
	const char *last = e->name + e->name_bytes - 1;

	return *e->name == ' ' || *e->name == '\t' || *last == ' ' || *last == '\t';
}

/* ":regionN+0x" is searched from the right: names may hold whatever they like, offsets not. */
static bool scan_place(struct nti_scan *s, const char *mark, struct nti_vfio_event *out)
{
	return scan_name(s, mark, out) && !has_white_ends(out) && scan_region_number(s, &out->r) &&
	       nti_scan_text(s, "+") && nti_scan_0x(s, &out->r.offset);
}

/* "(DEV:regionN+0xOFFSET, 0xVALUE, SIZE)" */
static bool region_write(struct nti_scan *s, bool is_torn, struct nti_vfio_event *out)
{
	(void)is_torn;
	out->r.kind = NTIME_RECORD_WRITE;
	return scan_open(s) && scan_place(s, ":region", out) && nti_scan_text(s, ", ") &&
	       scan_value(s, &out->r) && nti_scan_text(s, ", ") && scan_width(s, &out->r) &&
	       nti_scan_text(s, ")") && nti_scan_ended(s);
}

/* "(DEV:regionN+0xOFFSET, SIZE) = 0xVALUE" */
static bool region_read(struct nti_scan *s, bool is_torn, struct nti_vfio_event *out)
{
	out->r.kind = NTIME_RECORD_READ;
	return scan_open(s) && scan_place(s, ":region", out) && nti_scan_text(s, ", ") &&
	       scan_width(s, &out->r) && nti_scan_text(s, ") = ") &&
	       scan_last_value(s, is_torn, &out->r);
}

/* "(DEV:BARn+0xOFFSET, 0xVALUE, SIZE)" */
static bool bar_write(struct nti_scan *s, bool is_torn, struct nti_vfio_event *out)
{
	(void)is_torn;
	out->r.kind = NTIME_RECORD_WRITE;
	return scan_open(s) && scan_place(s, ":BAR", out) && nti_scan_text(s, ", ") &&
	       scan_value(s, &out->r) && nti_scan_text(s, ", ") && scan_width(s, &out->r) &&
	       nti_scan_text(s, ")") && nti_scan_ended(s);
}

static bool bar_read(struct nti_scan *s, bool is_torn, struct nti_vfio_event *out)
{
	out->r.kind = NTIME_RECORD_READ;
	return scan_open(s) && scan_place(s, ":BAR", out) && nti_scan_text(s, ", ") &&
	       scan_width(s, &out->r) && nti_scan_text(s, ") = ") &&
	       scan_last_value(s, is_torn, &out->r);
}

static bool scan_config(struct nti_scan *s, struct nti_vfio_event *out)
{
	out->r.region = NTIME_REGION_CONFIG;
	return scan_open(s) && scan_name(s, ", @0x", out) && !has_white_ends(out) &&
	       nti_scan_hex(s, &out->r.offset) && nti_scan_text(s, ", ");
}

/*
 * "(DEV, @0xOFFSET, len=0xN) 0xVALUE"; 2.3 and 2.4 have no 0x in front of the value. A torn value
 * that may lack digits (a 0 may be all that is left of 0x) makes no record: those who write
 * accesses of the configuration space have no word for "unknown".
 */
static bool config_read(struct nti_scan *s, bool is_torn, struct nti_vfio_event *out)
{
	const char *start;
	uint64_t width;

	out->r.kind = NTIME_RECORD_CONFIG_READ;
	if (!scan_config(s, out) || !nti_scan_text(s, "len=") || !nti_scan_0x(s, &width) ||
	    width < 1 || width > 8 || !nti_scan_text(s, ") "))
		return false;
	out->r.width = (uint8_t)width;
	if (!nti_scan_text(s, "0x"))
		s->is_odd = true;
	start = s->p;
	if (!nti_scan_hex(s, &out->r.value) || !nti_scan_ended(s))
		return false;
	out->r.flags |= NTIME_RECORD_VALUED;
	return !is_torn || (size_t)(s->p - start) == 2 * (size_t)width;
}

static bool config_write(struct nti_scan *s, bool is_torn, struct nti_vfio_event *out)
{
	uint64_t width;

	(void)is_torn;
	out->r.kind = NTIME_RECORD_CONFIG_WRITE;
	if (!scan_config(s, out) || !scan_value(s, &out->r) || !nti_scan_text(s, ", len=") ||
	    !nti_scan_0x(s, &width) || width < 1 || width > 8)
		return false;
	out->r.width = (uint8_t)width;
	return nti_scan_text(s, ")") && nti_scan_ended(s);
}

/* "Device DEV, region N "NAME", flags: 0x.., offset: 0x.., size: 0x.." */
static bool region_setup(struct nti_scan *s, bool is_torn, struct nti_vfio_event *out)
{
	struct nti_scan tail = *s;
	struct nti_vfio_event name = *out;
	uint64_t offset;

	out->r.kind = NTIME_RECORD_REGION;
	/* From the right: the name of the region is in quotes that it may hold itself. */
	if (!nti_scan_text(&tail, " Device ") || !scan_name(&tail, "\", flags: 0x", &name) ||
	    !nti_scan_hex(&tail, &out->r.offset) || !nti_scan_text(&tail, ", offset: ") ||
	    !nti_scan_0x(&tail, &offset) || !nti_scan_text(&tail, ", size: ") ||
	    !nti_scan_0x(&tail, &out->r.value) || !nti_scan_ended(&tail))
		return false;
	if (is_torn)
		return false;
	(void)nti_scan_text(s, " Device ");
	s->end = name.name + name.name_bytes;
	if (!scan_name(s, ", region ", out) || !scan_region_number(s, &out->r) ||
	    !nti_scan_text(s, " \""))
		return false;
	out->text = s->p;
	out->text_bytes = (size_t)(s->end - s->p);
	s->is_odd |= tail.is_odd;
	out->whole = s->is_odd || offset != (uint64_t)out->r.region << 40;
	s->p = s->end;
	return true;
}

/* 2.3 to 2.5: "Device DEV region N:\n  size: 0x.., offset: 0x.., flags: 0x.." */
static bool populate_region(struct nti_scan *s, bool is_torn, struct nti_vfio_event *out)
{
	uint64_t offset;

	out->r.kind = NTIME_RECORD_REGION;
	out->whole = true;
	return !is_torn && nti_scan_text(s, " Device ") && scan_name(s, " region ", out) &&
	       scan_region_number(s, &out->r) &&
	       (nti_scan_text(s, ":\n  size: ") || nti_scan_text(s, ":\r\n  size: ")) &&
	       nti_scan_0x(s, &out->r.value) && nti_scan_text(s, ", offset: ") &&
	       nti_scan_0x(s, &offset) && nti_scan_text(s, ", flags: ") &&
	       nti_scan_0x(s, &out->r.offset) && nti_scan_ended(s);
}

/*
 * Number behind the last @mark of what @name holds, which is what QEMU calls a region:
 * "0000:05:00.0 BAR 0".
 */
static void take_bar(struct nti_vfio_event *out)
{
	struct nti_scan s = { out->name, out->name + out->name_bytes, false };
	struct nti_vfio_event front = *out;

	if (!scan_name(&s, " BAR ", &front) || !scan_region_number(&s, &out->r))
		return;
	out->name_bytes = front.name_bytes;
}

/* " Region NAME [0x.. - 0x..]" */
static bool region_mmap(struct nti_scan *s, bool is_torn, struct nti_vfio_event *out)
{
	(void)is_torn;
	out->r.kind = NTIME_RECORD_MMAP;
	out->r.region = NTIME_REGION_PHYSICAL;
	if (!nti_scan_text(s, " Region ") || !scan_name(s, " [0x", out) ||
	    !nti_scan_hex(s, &out->r.offset) || !nti_scan_text(s, " - ") ||
	    !nti_scan_0x(s, &out->r.value) || !nti_scan_text(s, "]") || !nti_scan_ended(s))
		return false;
	take_bar(out);
	return true;
}

static bool mmaps_set(struct nti_scan *s, bool is_torn, struct nti_vfio_event *out)
{
	(void)is_torn;
	out->r.kind = NTIME_RECORD_MMAP_SWITCH;
	out->r.region = NTIME_REGION_PHYSICAL;
	if (!nti_scan_text(s, " Region ") || !scan_name(s, " mmaps enabled: ", out) ||
	    !nti_scan_decimal(s, &out->r.value) || !nti_scan_ended(s))
		return false;
	take_bar(out);
	return true;
}

/* "(0xADDR, 0xDATA, SIZE)": no device */
static bool vga_write(struct nti_scan *s, bool is_torn, struct nti_vfio_event *out)
{
	(void)is_torn;
	out->r.kind = NTIME_RECORD_WRITE;
	out->r.region = NTIME_REGION_VGA;
	return scan_open(s) && nti_scan_0x(s, &out->r.offset) && nti_scan_text(s, ", ") &&
	       scan_value(s, &out->r) && nti_scan_text(s, ", ") && scan_width(s, &out->r) &&
	       nti_scan_text(s, ")") && nti_scan_ended(s);
}

static bool vga_read(struct nti_scan *s, bool is_torn, struct nti_vfio_event *out)
{
	out->r.kind = NTIME_RECORD_READ;
	out->r.region = NTIME_REGION_VGA;
	return scan_open(s) && nti_scan_0x(s, &out->r.offset) && nti_scan_text(s, ", ") &&
	       scan_width(s, &out->r) && nti_scan_text(s, ") = ") &&
	       scan_last_value(s, is_torn, &out->r);
}

/* "(DEV, 0xADDR, 0xSIZE) = 0xDATA" */
static bool rom_read(struct nti_scan *s, bool is_torn, struct nti_vfio_event *out)
{
	uint64_t width;

	out->r.kind = NTIME_RECORD_READ;
	out->r.region = NTIME_REGION_ROM;
	if (!scan_open(s) || !scan_name(s, ") = ", out))
		return false;
	s->p = out->name;
	/* The name ends where two numbers follow. */
	{
		struct nti_scan head = { s->p, out->name + out->name_bytes, false };

		if (!scan_name(&head, ", 0x", out) || !nti_scan_hex(&head, &width) ||
		    !nti_scan_ended(&head) ||
		    (width != 1 && width != 2 && width != 4 && width != 8))
			return false;
		head.p = out->name;
		head.end = out->name + out->name_bytes;
		if (!scan_name(&head, ", 0x", out) || !nti_scan_hex(&head, &out->r.offset) ||
		    !nti_scan_ended(&head))
			return false;
		out->r.width = (uint8_t)width;
	}
	while (!nti_scan_text(s, ") = "))
		s->p++;
	return scan_last_value(s, is_torn, &out->r);
}

/* " DEV QUIRK 0xOFFSET: 0xVALUE" */
static bool scan_quirk(struct nti_scan *s, struct nti_vfio_event *out)
{
	const char *end = s->end;

	/* The value has " 0x" in front too: the name is looked for before it. */
	while (s->end > s->p && s->end[-1] != ':')
		s->end--;
	if (!nti_scan_text(s, " ") || !scan_name(s, " 0x", out) || !nti_scan_hex(s, &out->r.offset))
		return false;
	s->end = end;
	if (!nti_scan_text(s, ": ") || !scan_value(s, &out->r) || !nti_scan_ended(s))
		return false;
	while (out->name_bytes && out->name[out->name_bytes - 1] != ' ')
		out->name_bytes--;
	if (out->name_bytes)
		out->name_bytes--;
	return out->name_bytes > 0;
}

static bool quirk_read(struct nti_scan *s, bool is_torn, struct nti_vfio_event *out)
{
	out->r.kind = NTIME_RECORD_QUIRK_READ;
	return !is_torn && scan_quirk(s, out);
}

static bool quirk_write(struct nti_scan *s, bool is_torn, struct nti_vfio_event *out)
{
	out->r.kind = NTIME_RECORD_QUIRK_WRITE;
	return !is_torn && scan_quirk(s, out);
}

/* " DEV+0xOFFSET[SIZE]:0xVALUE vfio:N" */
static bool ioeventfd_init(struct nti_scan *s, bool is_torn, struct nti_vfio_event *out)
{
	uint64_t size, is_vfio;

	(void)is_torn;
	out->r.kind = NTIME_RECORD_IOEVENTFD;
	out->r.region = NTIME_REGION_PHYSICAL;
	if (!nti_scan_text(s, " ") || !scan_name(s, "+0x", out) ||
	    !nti_scan_hex(s, &out->r.offset) || !nti_scan_text(s, "[") ||
	    !nti_scan_decimal(s, &size) || size > 8 || !nti_scan_text(s, "]:") ||
	    !scan_value(s, &out->r) || !nti_scan_text(s, " vfio:") ||
	    !nti_scan_decimal(s, &is_vfio))
		return false;
	out->r.width = (uint8_t)size;
	take_bar(out);
	return nti_scan_ended(s);
}

/* What is told of an interrupt: "(DEV) Pin A", "(DEV) vector N ..." , "(DEV) EOI". */
static bool interrupt(struct nti_scan *s, bool is_torn, struct nti_vfio_event *out)
{
	const char *close;

	(void)is_torn;
	out->r.kind = NTIME_RECORD_INTERRUPT;
	if (!scan_open(s))
		return true;
	close = memchr(s->p, ')', (size_t)(s->end - s->p));
	/*
	 * A name with ')' in it: the parenthesis that is ours has a blank, or nothing, behind it.
	 */
	while (close && close + 1 < s->end && close[1] != ' ')
		close = memchr(close + 1, ')', (size_t)(s->end - close - 1));
	if (!close)
		return true;
	out->name = s->p;
	out->name_bytes = (size_t)(close - s->p);
	s->p = close + 1;
	if (nti_scan_text(s, " Pin ") && s->end - s->p == 1)
		out->r.value = (uint64_t)(*s->p - 'A') + 1;
	else if (nti_scan_text(s, " vector ") && nti_scan_decimal(s, &out->r.value))
		;
	else
		return true;
	out->r.flags |= NTIME_RECORD_VALUED;
	return true;
}

/* "cpu N mr 0x.. addr 0x.. value 0x.. size N name '..'": the address is the guest's. */
static bool scan_memory(struct nti_scan *s, struct nti_vfio_event *out)
{
	uint64_t ignored;

	out->r.region = NTIME_REGION_PHYSICAL;
	if (!nti_scan_text(s, " "))
		return false;
	if (nti_scan_text(s, "cpu ")) {
		(void)nti_scan_text(s, "-");
		if (!nti_scan_decimal(s, &ignored) || !nti_scan_text(s, " "))
			return false;
	}
	if (!nti_scan_text(s, "mr ") || !nti_scan_0x(s, &ignored) || !nti_scan_text(s, " addr "))
		return false;
	/* "%#x" prints zero without 0x. */
	if (!nti_scan_0x(s, &out->r.offset) && !nti_scan_hex(s, &out->r.offset))
		return false;
	if (!nti_scan_text(s, " value ") ||
	    (!nti_scan_0x(s, &out->r.value) && !nti_scan_hex(s, &out->r.value)))
		return false;
	out->r.flags |= NTIME_RECORD_VALUED;
	if (!nti_scan_text(s, " size ") || !scan_width(s, &out->r))
		return false;
	return nti_scan_ended(s) || nti_scan_text(s, " name '");
}

static bool memory_write(struct nti_scan *s, bool is_torn, struct nti_vfio_event *out)
{
	(void)is_torn;
	out->r.kind = NTIME_RECORD_WRITE;
	return scan_memory(s, out);
}

static bool memory_read(struct nti_scan *s, bool is_torn, struct nti_vfio_event *out)
{
	(void)is_torn;
	out->r.kind = NTIME_RECORD_READ;
	return scan_memory(s, out);
}

/* An event that needs the line behind it and means nothing to us. */
static bool load_rom(struct nti_scan *s, bool is_torn, struct nti_vfio_event *out)
{
	(void)s;
	(void)is_torn;
	out->r.kind = NTIME_RECORD_EVENT;
	return true;
}

/* How the text of an event becomes that of its record. */
enum keep {
	KEEP_ODD,    /* where the line is not what QEMU writes today */
	KEEP_ALWAYS, /* the fields are not all */
	KEEP_OWN,    /* parse() says */
};

/* A name, and all names that begin and end so. */
#define NAME(name) name, sizeof(name) - 1, "", 0, false
#define NAMES(head, tail) head, sizeof(head) - 1, tail, sizeof(tail) - 1, true

static const struct event_row {
	const char *head;
	size_t head_bytes;
	const char *tail;
	size_t tail_bytes;
	bool is_open; /* anything may stand between them */
	bool (*parse)(struct nti_scan *s, bool is_torn, struct nti_vfio_event *out);
	enum keep keep;
	const char *first_line_ends; /* of an event with two lines */
} event_rows[] = {
	{ NAME("vfio_region_write"), region_write, KEEP_ODD, NULL },
	{ NAME("vfio_region_read"), region_read, KEEP_ODD, NULL },
	{ NAME("vfio_pci_read_config"), config_read, KEEP_ODD, NULL },
	{ NAME("vfio_pci_write_config"), config_write, KEEP_ODD, NULL },
	{ NAME("vfio_region_setup"), region_setup, KEEP_OWN, NULL },
	{ NAME("vfio_populate_device_region"), populate_region, KEEP_OWN, ":" },
	{ NAME("vfio_pci_load_rom"), load_rom, KEEP_ALWAYS, " ROM:" },
	{ NAME("vfio_region_mmap"), region_mmap, KEEP_ALWAYS, NULL },
	{ NAME("vfio_region_mmaps_set_enabled"), mmaps_set, KEEP_ALWAYS, NULL },
	{ NAME("vfio_vga_write"), vga_write, KEEP_ALWAYS, NULL },
	{ NAME("vfio_vga_read"), vga_read, KEEP_ALWAYS, NULL },
	{ NAME("vfio_rom_read"), rom_read, KEEP_ALWAYS, NULL },
	{ NAMES("vfio_quirk_generic_", "_read"), quirk_read, KEEP_ALWAYS, NULL },
	{ NAMES("vfio_quirk_generic_", "_write"), quirk_write, KEEP_ALWAYS, NULL },
	{ NAME("vfio_ioeventfd_init"), ioeventfd_init, KEEP_ALWAYS, NULL },
	{ NAMES("vfio_intx_", ""), interrupt, KEEP_ALWAYS, NULL },
	{ NAMES("vfio_msi_", ""), interrupt, KEEP_ALWAYS, NULL },
	{ NAMES("vfio_msix_", ""), interrupt, KEEP_ALWAYS, NULL },
	{ NAMES("vfio_enable_", ""), interrupt, KEEP_ALWAYS, NULL },
	{ NAMES("vfio_disable_", ""), interrupt, KEEP_ALWAYS, NULL },
	{ NAME("memory_region_ops_write"), memory_write, KEEP_ALWAYS, NULL },
	{ NAME("memory_region_ops_read"), memory_read, KEEP_ALWAYS, NULL },
};

static bool is_row(const struct event_row *row, const char *name, size_t n)
{
	if (row->is_open ? n < row->head_bytes + row->tail_bytes : n != row->head_bytes)
		return false;
	return memcmp(name, row->head, row->head_bytes) == 0 &&
	       memcmp(name + n - row->tail_bytes, row->tail, row->tail_bytes) == 0;
}

static const struct event_row *find_row(const char *name, size_t n)
{
	size_t i;

	for (i = 0; i < NTI_ARRAY_SIZE(event_rows); i++) {
		if (is_row(&event_rows[i], name, n))
			return &event_rows[i];
	}
	return NULL;
}

/* The first, or the last, @text of @p; NULL: there is none. */
static const char *find(const char *p, size_t n, const char *text, bool is_last)
{
	const char *at = memmem(p, n, text, strlen(text)), *found = at;

	for (; at && is_last; at = memmem(at + 1, n - (size_t)(at + 1 - p), text, strlen(text)))
		found = at;
	return found;
}

bool nti_vfio_event_is_named(const char *p, size_t n)
{
	const char *end = p + n, *name = p, *from, *failed, *option;
	const struct event_row *row;
	bool is_one;

	/* Most lines have nothing like a name. */
	if (!memchr(p, '_', n))
		return false;
	failed = find(p, n, ") failed", true);
	option = find(p, n, "-trace", false);
	for (; name < end; name += name == from) {
		from = name;
		while (name < end && is_name(*name))
			name++;
		/* Of what may have any name, functions are called so too. */
		if (*from != 'v' && *from != 'm')
			continue;
		row = find_row(from, (size_t)(name - from));
		is_one = row ? !row->is_open || (name < end && *name == ' ')
			     : starts(from, (size_t)(name - from), "vfio_bar_");
		if (is_one && !(failed && failed >= name) && !(option && option < from))
			return true;
	}
	return false;
}

/* Blanks between @last and @c, where there were some or none: the first "(" is put elsewhere. */
static const char *space(char before, char last, char c, bool is_spaced)
{
	if (strchr(",):+", c) || last == '(' || last == '+')
		return "";
	if (last == ',' || (last == ')' && c == '=') || (last == '=' && before == ')'))
		return " ";
	return is_spaced ? " " : "";
}

size_t nti_vfio_event_respace(const char *p, size_t n, char *out)
{
	const char *end = p + n, *between = starts(p, n, "vfio: ") ? "" : "  ";
	bool is_spaced = false, is_open = false;
	char last = 0, before = 0;
	size_t bytes = 0;

	for (; p < end; p++) {
		const char *put = space(before, last, *p, is_spaced);

		if (*p == ' ' || *p == '\t') {
			is_spaced = true;
			continue;
		}
		if (*p == '(' && !is_open)
			put = between;
		is_open |= *p == '(';
		while (*put)
			out[bytes++] = *put++;
		out[bytes++] = *p;
		before = last;
		last = *p;
		is_spaced = false;
	}
	return bytes;
}

static bool is_name_of(const char *wanted, const char *name, size_t n)
{
	return n == strlen(wanted) && memcmp(name, wanted, n) == 0;
}

static void take_whole(const char *p, size_t n, struct nti_vfio_event *out)
{
	out->text = p;
	out->text_bytes = n;
}

/*
 * LTTng: ": { cpu_id = 1 }, { name = "..", index = 0, addr = 0x.., data = 0x.., size = 4 }", in any
 * order.
 */
static bool lttng_field(const char *p, size_t n, const char *key, struct nti_scan *out)
{
	size_t i, k = strlen(key);

	for (i = 0; i + k < n; i++) {
		if ((i == 0 || p[i - 1] == ' ') && memcmp(p + i, key, k) == 0) {
			*out = (struct nti_scan){ p + i + k, p + n, false };
			return nti_scan_text(out, " = ");
		}
	}
	return false;
}

static bool lttng_number(const char *p, size_t n, const char *key, uint64_t *out)
{
	struct nti_scan s;

	return lttng_field(p, n, key, &s) && (nti_scan_0x(&s, out) || nti_scan_decimal(&s, out));
}

static enum nti_vfio_result lttng(const char *name, size_t name_bytes, const char *p, size_t n,
				  struct nti_vfio_event *out)
{
	bool is_read = is_name_of("vfio_region_read", name, name_bytes);
	uint64_t index, width;
	struct nti_scan s;
	const char *end;

	if (!is_read && !is_name_of("vfio_region_write", name, name_bytes)) {
		out->r.kind = NTIME_RECORD_EVENT;
		take_whole(name, name_bytes + n, out);
		return NTI_VFIO_DONE;
	}
	out->r.kind = is_read ? NTIME_RECORD_READ : NTIME_RECORD_WRITE;
	if (n < 2 || p[n - 1] != '}' || !lttng_field(p, n, "name", &s) || !nti_scan_text(&s, "\""))
		return NTI_VFIO_BROKEN;
	end = memchr(s.p, '"', (size_t)(s.end - s.p));
	if (!end || !lttng_number(p, n, "index", &index) || index >= NTIME_REGION_PHYSICAL ||
	    !lttng_number(p, n, "addr", &out->r.offset) ||
	    !lttng_number(p, n, "data", &out->r.value) || !lttng_number(p, n, "size", &width) ||
	    (width != 1 && width != 2 && width != 4 && width != 8))
		return NTI_VFIO_BROKEN;
	out->name = s.p;
	out->name_bytes = (size_t)(end - s.p);
	out->r.region = (uint8_t)index;
	out->r.width = (uint8_t)width;
	out->r.flags |= NTIME_RECORD_VALUED;
	return NTI_VFIO_DONE;
}

/* "vfio: vfio_bar_write(...)" and its reads. */
static enum nti_vfio_result before_23(struct nti_scan s, bool is_last, struct nti_vfio_event *out)
{
	bool (*parse)(struct nti_scan *, bool, struct nti_vfio_event *);

	out->is_before_23 = true;
	if (nti_scan_text(&s, "vfio: vfio_bar_write"))
		parse = bar_write;
	else if (nti_scan_text(&s, "vfio: vfio_bar_read"))
		parse = bar_read;
	else
		return NTI_VFIO_NONE;
	return parse(&s, is_last, out) ? NTI_VFIO_DONE : NTI_VFIO_BROKEN;
}

enum nti_vfio_result nti_vfio_event_parse(const char *p, size_t n, bool is_last,
					  struct nti_vfio_event *out)
{
	struct nti_scan s = { p, p + n, false };
	const struct event_row *row;
	size_t name_bytes = 0;

	memset(out, 0, sizeof(*out));
	out->r.device = NTIME_DEVICE_NONE;
	while (name_bytes < n && is_name(p[name_bytes]))
		name_bytes++;
	if (name_bytes < n && p[name_bytes] == ':' && starts(p, n, "vfio: "))
		return before_23(s, is_last, out);
	if (starts(p + name_bytes, n - name_bytes, ": {"))
		return lttng(p, name_bytes, p + name_bytes, n - name_bytes, out);
	s.p += name_bytes;
	row = find_row(p, name_bytes);
	/* The letters of a name, then its own text, which a few events lack. */
	if (!nti_scan_ended(&s) && *s.p != ' ' && !(row && (*s.p == '(' || *s.p == '\t')))
		return NTI_VFIO_NONE;
	if (!row) {
		/* What it belongs to begins before it. */
		if (starts(p, n, "vfio_bar_"))
			return NTI_VFIO_NONE;
		out->r.kind = NTIME_RECORD_EVENT;
		take_whole(p, n, out);
		return is_last ? NTI_VFIO_BROKEN : NTI_VFIO_DONE;
	}
	if (row->first_line_ends && n >= strlen(row->first_line_ends) && !is_last &&
	    memcmp(p + n - strlen(row->first_line_ends), row->first_line_ends,
		   strlen(row->first_line_ends)) == 0)
		return NTI_VFIO_TWO_LINES;
	if (!row->parse(&s, is_last, out))
		return NTI_VFIO_BROKEN;
	/* Where the text is kept it may go on, and be written again as a whole line. */
	if (is_last && (row->keep == KEEP_ALWAYS || out->r.kind == NTIME_RECORD_REGION))
		return NTI_VFIO_BROKEN;
	if (row->keep == KEEP_ALWAYS || (row->keep == KEEP_ODD && s.is_odd))
		take_whole(p, n, out);
	return NTI_VFIO_DONE;
}
