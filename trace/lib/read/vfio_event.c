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

bool nti_vfio_event_begins(const char *p, size_t n)
{
	return starts(p, n, "vfio_") || starts(p, n, "pci_update_mappings_") ||
	       starts(p, n, "memory_region_ops_");
}

int nti_vfio_event_find(const char *p, size_t n, size_t from)
{
	size_t most = n > NTI_PREFIX_BYTES ? NTI_PREFIX_BYTES : n;
	size_t i;

	for (i = from; i < most; i++) {
		if (p[i] != 'v' && p[i] != 'p' && p[i] != 'm')
			continue;
		if (i && p[i - 1] != ' ' && p[i - 1] != ':' && p[i - 1] != '\t')
			continue;
		if (nti_vfio_event_begins(p + i, n - i) || starts(p + i, n - i, "vfio: vfio_bar_"))
			return (int)i;
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
 * Everything up to the last @mark of @n bytes; moves behind it. A name may hold anything that
 * stands around it.
 */
static bool scan_name(struct nti_scan *s, const char *mark, size_t n, struct nti_vfio_event *out)
{
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

/* False: no access of a region is so wide. */
static bool set_width(struct ntime_record *r, uint64_t width)
{
	r->width = (uint8_t)width;
	return width == 1 || width == 2 || width == 4 || width == 8;
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

/*
 * Number behind the last @mark of what @name holds, which is what QEMU calls a region:
 * "0000:05:00.0 BAR 0".
 */
static bool take_bar(struct nti_vfio_event *out)
{
	struct nti_scan s = { out->name, out->name + out->name_bytes, false };
	struct nti_vfio_event front = *out;

	if (scan_name(&s, " BAR ", 5, &front) && scan_region_number(&s, &out->r))
		out->name_bytes = front.name_bytes;
	return true;
}

/* A name, up to the last of what stands in the form behind it until the next field. */
static bool scan_name_before(struct nti_scan *s, const char **form, struct nti_vfio_event *out)
{
	const char *mark = *form;

	while (**form != '%')
		++*form;
	return scan_name(s, mark, (size_t)(*form - mark), out);
}

/* What a letter behind '%' in a form stands for. */
static bool scan_field(struct nti_scan *s, bool is_torn, const char **form,
		       struct nti_vfio_event *out)
{
	uint64_t number;

	switch (*(*form)++) {
	case '(': /* the blanks in front too */
		return scan_open(s);
	case 'd': /* a device: white space that an editor put around it is no part of it */
		return scan_name_before(s, form, out) && !has_white_ends(out);
	case 'n': /* any name */
		return scan_name_before(s, form, out);
	case 'b': /* that name has the number of a region */
		return take_bar(out);
	case 'r': /* region */
		return scan_region_number(s, &out->r);
	case 'o': /* offset */
		return nti_scan_hex(s, &out->r.offset);
	case 'v': /* value, 'V' at the end of the line */
		out->r.flags |= NTIME_RECORD_VALUED;
		return nti_scan_hex(s, &out->r.value);
	case 'V':
		return scan_last_value(s, is_torn, &out->r);
	case 'x': /* a number that is kept as value, and is none */
		return nti_scan_hex(s, &out->r.value);
	case 'u':
		return nti_scan_decimal(s, &out->r.value);
	case 'w': /* width, 's' that of a memory region */
		return nti_scan_decimal(s, &number) && set_width(&out->r, number);
	case 's':
		if (!nti_scan_decimal(s, &number))
			return false;
		out->r.width = (uint8_t)number;
		return number <= 8;
	case 'X': /* numbers that are passed over */
		return nti_scan_hex(s, &number);
	case 'U':
		return nti_scan_decimal(s, &number);
	default: /* "%#x" prints zero without 0x */
		(void)nti_scan_text(s, "0x");
		return true;
	}
}

/*
 * What stands behind the name, by its form: letters as they are, and fields. Names are searched
 * from the right, for they may hold whatever they like.
 */
static bool scan_form(struct nti_scan *s, bool is_torn, const char *form,
		      struct nti_vfio_event *out)
{
	const char *p = s->p, *end = s->end;

	while (*form) {
		if (*form != '%') {
			if (p == end || *p++ != *form++)
				return false;
			continue;
		}
		form++;
		s->p = p;
		if (!scan_field(s, is_torn, &form, out))
			return false;
		p = s->p;
	}
	s->p = p;
	return true;
}

/*
 * Accesses of configuration space are most of what is not read by vfio_fast.c, and have no form,
 * which takes longer.
 */
static bool scan_config(struct nti_scan *s, struct nti_vfio_event *out)
{
	return scan_open(s) && scan_name(s, ", @0x", 5, out) && !has_white_ends(out) &&
	       nti_scan_hex(s, &out->r.offset) && nti_scan_text(s, ", ");
}

static bool scan_config_width(struct nti_scan *s, struct ntime_record *r)
{
	uint64_t width;

	if (!nti_scan_text(s, "len=0x") || !nti_scan_hex(s, &width) || width < 1 || width > 8)
		return false;
	r->width = (uint8_t)width;
	return nti_scan_text(s, ")");
}

/*
 * "(DEV, @0xOFFSET, len=0xN) 0xVALUE"; 2.3 and 2.4 have no 0x in front of the value. A torn value
 * that may lack digits (a 0 may be all that is left of 0x) makes no record: those who write
 * accesses of the configuration space have no word for "unknown".
 */
static bool config_read(struct nti_scan *s, bool is_torn, struct nti_vfio_event *out)
{
	const char *start;

	if (!scan_config(s, out) || !scan_config_width(s, &out->r) || !nti_scan_text(s, " "))
		return false;
	s->is_odd |= !nti_scan_text(s, "0x");
	start = s->p;
	out->r.flags |= NTIME_RECORD_VALUED;
	return nti_scan_hex(s, &out->r.value) && nti_scan_ended(s) &&
	       (!is_torn || s->p - start == 2 * out->r.width);
}

/* "(DEV, @0xOFFSET, 0xVALUE, len=0xN)" */
static bool config_write(struct nti_scan *s, bool is_torn, struct nti_vfio_event *out)
{
	(void)is_torn;
	out->r.flags |= NTIME_RECORD_VALUED;
	return scan_config(s, out) && nti_scan_0x(s, &out->r.value) && nti_scan_text(s, ", ") &&
	       scan_config_width(s, &out->r) && nti_scan_ended(s);
}

/* "Device DEV, region N "NAME", flags: 0x.., offset: 0x.., size: 0x.." */
static bool region_setup(struct nti_scan *s, bool is_torn, struct nti_vfio_event *out)
{
	struct nti_scan tail = *s;
	struct nti_vfio_event name = *out;
	uint64_t offset;

	/* From the right: the name of the region is in quotes that it may hold itself. */
	if (is_torn || !scan_form(&tail, false, " Device %n\", flags: 0x%o, offset: 0x", &name) ||
	    !nti_scan_hex(&tail, &offset) || !scan_form(&tail, false, ", size: 0x%x", &name) ||
	    !nti_scan_ended(&tail))
		return false;
	out->r.offset = name.r.offset;
	out->r.value = name.r.value;
	s->end = name.name + name.name_bytes;
	if (!scan_form(s, false, " Device %n, region %r \"", out))
		return false;
	out->text = s->p;
	out->text_bytes = (size_t)(s->end - s->p);
	s->is_odd |= tail.is_odd;
	out->whole = s->is_odd || offset != (uint64_t)out->r.region << 40;
	return true;
}

/* 2.3 to 2.5: "Device DEV region N:\n  size: 0x.., offset: 0x.., flags: 0x.." */
static bool populate_region(struct nti_scan *s, bool is_torn, struct nti_vfio_event *out)
{
	out->whole = true;
	return !is_torn && scan_form(s, false, " Device %n region %r:", out) &&
	       (nti_scan_text(s, "\n") || nti_scan_text(s, "\r\n")) &&
	       scan_form(s, false, "  size: 0x%x, offset: 0x%X, flags: 0x%o", out) &&
	       nti_scan_ended(s);
}

/* "(DEV, 0xADDR, 0xSIZE) = 0xDATA" */
static bool rom_read(struct nti_scan *s, bool is_torn, struct nti_vfio_event *out)
{
	struct nti_scan head;
	uint64_t width;

	if (!scan_open(s) || !scan_name(s, ") = ", 4, out))
		return false;
	s->p = out->name;
	/* The name ends where two numbers follow. */
	head = (struct nti_scan){ out->name, out->name + out->name_bytes, false };
	if (!scan_name(&head, ", 0x", 4, out) || !nti_scan_hex(&head, &width) ||
	    !nti_scan_ended(&head) || !set_width(&out->r, width))
		return false;
	head = (struct nti_scan){ out->name, out->name + out->name_bytes, false };
	if (!scan_name(&head, ", 0x", 4, out) || !nti_scan_hex(&head, &out->r.offset) ||
	    !nti_scan_ended(&head))
		return false;
	while (!nti_scan_text(s, ") = "))
		s->p++;
	return scan_last_value(s, is_torn, &out->r);
}

/* " DEV QUIRK 0xOFFSET: 0xVALUE" */
static bool quirk(struct nti_scan *s, bool is_torn, struct nti_vfio_event *out)
{
	const char *end = s->end;

	/* The value has " 0x" in front too: the name is looked for before it. */
	while (s->end > s->p && s->end[-1] != ':')
		s->end--;
	if (is_torn || !scan_form(s, false, " %n 0x%o", out))
		return false;
	s->end = end;
	if (!scan_form(s, false, ": 0x%v", out) || !nti_scan_ended(s))
		return false;
	while (out->name_bytes && out->name[out->name_bytes - 1] != ' ')
		out->name_bytes--;
	if (out->name_bytes)
		out->name_bytes--;
	return out->name_bytes > 0;
}

/* What is told of an interrupt: "(DEV) Pin A", "(DEV) vector N ..." , "(DEV) EOI". */
static bool interrupt(struct nti_scan *s, bool is_torn, struct nti_vfio_event *out)
{
	const char *close;

	(void)is_torn;
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
static bool memory(struct nti_scan *s, bool is_torn, struct nti_vfio_event *out)
{
	if (nti_scan_text(s, " cpu ")) {
		(void)nti_scan_text(s, "-");
		if (!scan_form(s, is_torn, "%U", out))
			return false;
	}
	return scan_form(s, is_torn, " mr 0x%X addr %0%o value %0%v size %w", out) &&
	       (nti_scan_ended(s) || nti_scan_text(s, " name '"));
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

/* Of an event that a form does not tell, @parse. */
static const struct event_row {
	const char *head;
	size_t head_bytes;
	const char *tail;
	size_t tail_bytes;
	bool is_open; /* anything may stand between them */
	uint8_t kind, region;
	enum keep keep;
	const char *form; /* of all that stands behind the name, see scan_field() */
	bool (*parse)(struct nti_scan *s, bool is_torn, struct nti_vfio_event *out);
	const char *first_line_ends; /* of an event with two lines */
} event_rows[] = {
#define ROW(name, kind, region, keep, ...)                                                         \
	{                                                                                          \
		name, NTIME_RECORD_##kind, region, KEEP_##keep, __VA_ARGS__                        \
	}
	ROW(NAME("vfio_region_write"), WRITE, 0, ODD, .form = "%(%d:region%r+0x%o, 0x%v, %w)"),
	ROW(NAME("vfio_region_read"), READ, 0, ODD, .form = "%(%d:region%r+0x%o, %w) = %V"),
	ROW(NAME("vfio_pci_read_config"), CONFIG_READ, NTIME_REGION_CONFIG, ODD,
	    .parse = config_read),
	ROW(NAME("vfio_pci_write_config"), CONFIG_WRITE, NTIME_REGION_CONFIG, ODD,
	    .parse = config_write),
	ROW(NAME("vfio_region_setup"), REGION, 0, OWN, .parse = region_setup),
	ROW(NAME("vfio_populate_device_region"), REGION, 0, OWN, .parse = populate_region,
	    .first_line_ends = ":"),
	/* It needs the line behind it and means nothing to us. */
	ROW(NAME("vfio_pci_load_rom"), EVENT, 0, ALWAYS, .first_line_ends = " ROM:"),
	ROW(NAME("vfio_region_mmap"), MMAP, NTIME_REGION_PHYSICAL, ALWAYS,
	    .form = " Region %n [0x%o - 0x%x]%b"),
	ROW(NAME("vfio_region_mmaps_set_enabled"), MMAP_SWITCH, NTIME_REGION_PHYSICAL, ALWAYS,
	    .form = " Region %n mmaps enabled: %u%b"),
	ROW(NAME("vfio_vga_write"), WRITE, NTIME_REGION_VGA, ALWAYS, .form = "%(0x%o, 0x%v, %w)"),
	ROW(NAME("vfio_vga_read"), READ, NTIME_REGION_VGA, ALWAYS, .form = "%(0x%o, %w) = %V"),
	ROW(NAME("vfio_rom_read"), READ, NTIME_REGION_ROM, ALWAYS, .parse = rom_read),
	ROW(NAMES("vfio_quirk_generic_", "_read"), QUIRK_READ, 0, ALWAYS, .parse = quirk),
	ROW(NAMES("vfio_quirk_generic_", "_write"), QUIRK_WRITE, 0, ALWAYS, .parse = quirk),
	ROW(NAME("vfio_ioeventfd_init"), IOEVENTFD, NTIME_REGION_PHYSICAL, ALWAYS,
	    .form = " %n+0x%o[%s]:0x%v vfio:%U%b"),
	ROW(NAMES("vfio_intx_", ""), INTERRUPT, 0, ALWAYS, .parse = interrupt),
	ROW(NAMES("vfio_msi_", ""), INTERRUPT, 0, ALWAYS, .parse = interrupt),
	ROW(NAMES("vfio_msix_", ""), INTERRUPT, 0, ALWAYS, .parse = interrupt),
	ROW(NAMES("vfio_enable_", ""), INTERRUPT, 0, ALWAYS, .parse = interrupt),
	ROW(NAMES("vfio_disable_", ""), INTERRUPT, 0, ALWAYS, .parse = interrupt),
	ROW(NAME("memory_region_ops_write"), WRITE, NTIME_REGION_PHYSICAL, ALWAYS, .parse = memory),
	ROW(NAME("memory_region_ops_read"), READ, NTIME_REGION_PHYSICAL, ALWAYS, .parse = memory),
};

/* Without a form and parse() any text will do. */
static bool parse_row(const struct event_row *row, struct nti_scan *s, bool is_torn,
		      struct nti_vfio_event *out)
{
	out->r.kind = row->kind;
	out->r.region = row->region;
	if (row->form)
		return scan_form(s, is_torn, row->form, out) && nti_scan_ended(s);
	return !row->parse || row->parse(s, is_torn, out);
}

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
	    !set_width(&out->r, width))
		return NTI_VFIO_BROKEN;
	out->name = s.p;
	out->name_bytes = (size_t)(end - s.p);
	out->r.region = (uint8_t)index;
	out->r.flags |= NTIME_RECORD_VALUED;
	return NTI_VFIO_DONE;
}

/* "vfio: vfio_bar_write(...)" and its reads. */
static enum nti_vfio_result before_23(struct nti_scan s, bool is_last, struct nti_vfio_event *out)
{
	const char *form = "%(%d:BAR%r+0x%o, %w) = %V";

	out->is_before_23 = true;
	out->r.kind = NTIME_RECORD_READ;
	if (nti_scan_text(&s, "vfio: vfio_bar_write")) {
		out->r.kind = NTIME_RECORD_WRITE;
		form = "%(%d:BAR%r+0x%o, 0x%v, %w)";
	} else if (!nti_scan_text(&s, "vfio: vfio_bar_read")) {
		return NTI_VFIO_NONE;
	}
	return scan_form(&s, is_last, form, out) && nti_scan_ended(&s) ? NTI_VFIO_DONE
								       : NTI_VFIO_BROKEN;
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
	if (!parse_row(row, &s, is_last, out))
		return NTI_VFIO_BROKEN;
	/* Where the text is kept it may go on, and be written again as a whole line. */
	if (is_last && (row->keep == KEEP_ALWAYS || out->r.kind == NTIME_RECORD_REGION))
		return NTI_VFIO_BROKEN;
	if (row->keep == KEEP_ALWAYS || (row->keep == KEEP_ODD && s.is_odd))
		take_whole(p, n, out);
	return NTI_VFIO_DONE;
}
