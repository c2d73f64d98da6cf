// SPDX-License-Identifier: MIT
/* Lines of a claim's file, written and read. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "count/lib/access/claim_file.h"
#include "count/lib/access/method.h"
#include "base/common/crc.h"
#include "base/common/text.h"
#include "base/os/locked.h"

#define MAGIC "ntime-claim-2"
#define SUM_CHARS 8
/* What the sum is of. */
#define BODY_BYTES (NTI_CLAIM_LINE_BYTES - SUM_CHARS - 1)
#define FIELDS_MAX 10
#define HEAD_FIELDS 6
#define LINE_FIELDS 9
/* Extended configuration space of a PCI function. */
#define PCI_BYTES 4096

void nti_claim_seal(char *line)
{
	char sum[SUM_CHARS + 2];

	(void)snprintf(sum, sizeof(sum), "%08" PRIx32 "\n", nti_crc32(0, line, BODY_BYTES));
	memcpy(line + BODY_BYTES, sum, SUM_CHARS + 1);
}

/* Fill up @text, in which @chars were printed. */
static int finish(char *text, int chars)
{
	if (chars < 0 || chars >= BODY_BYTES)
		return -E2BIG;
	memset(text + chars, ' ', BODY_BYTES - (size_t)chars);
	nti_claim_seal(text);
	return 0;
}

/* ---- what can be ---- */

static bool parse_number(const char *text, uint64_t max, uint64_t *out)
{
	return nti_text_parse_u64(text, out) == 0 && *out <= max;
}

long nti_claim_cpu(const char *device)
{
	uint64_t cpu;

	if (strncmp(device, "CPU ", 4) != 0 || !parse_number(device + 4, NTI_CPU_LIMIT - 1, &cpu))
		return -1;
	return (long)cpu;
}

/* "0000:7f:10.0", as count/lib/access/pci.h has it. */
static bool is_function(const char *device)
{
	static const char shape[] = "xxxx:xx:xx.x";
	size_t i;

	if (strlen(device) != sizeof(shape) - 1)
		return false;
	for (i = 0; shape[i]; i++) {
		if (shape[i] == 'x' ? !strchr("0123456789abcdef", device[i])
				    : device[i] != shape[i])
			return false;
	}
	return true;
}

/*
 * Can there be such a register, with such values? Written and read, so that nothing is written that
 * could not be read.
 */
static bool is_possible(const struct nti_claim_line *line)
{
	uint64_t values = line->last | line->next | line->ours;

	if (line->bits < 64 && values >> line->bits != 0)
		return false;
	if (line->space == NTHW_SPACE_MSR)
		return nti_claim_cpu(line->device) >= 0 && line->bits == 64;
	if (line->space == NTHW_SPACE_MMIO)
		return is_function(line->device) && line->bits == 32 && line->address % 4 == 0;
	return line->space == NTHW_SPACE_PCI && is_function(line->device) &&
	       line->address < PCI_BYTES &&
	       (line->bits == 8 || line->bits == 16 || line->bits == 32 || line->bits == 64) &&
	       line->address % (line->bits == 64 ? 4 : line->bits / 8) == 0;
}

/* ---- writing ---- */

int nti_claim_head_format(const struct nti_claim_head *head, char *text)
{
	return finish(text, snprintf(text, BODY_BYTES, MAGIC "\t%d\t%" PRIu64 "\t%s\t%s\t%s\t",
				     (int)head->owner.pid, head->started_ticks, head->boot,
				     head->what, head->owner.command));
}

int nti_claim_line_format(const struct nti_claim_line *line, char *text)
{
	if (!is_possible(line) || !nti_claim_is_repairable(line))
		return -EINVAL;
	return finish(text, snprintf(text, BODY_BYTES,
				     "%s\t%#" PRIx32 "\t%" PRIu32 "\t%s\t%d\t%s\t%#" PRIx64
				     "\t%#" PRIx64 "\t%#" PRIx64 "\t",
				     nti_space_names[line->space], line->address, line->bits,
				     line->device, line->package, line->name, line->last,
				     line->next, line->ours));
}

/* ---- reading ---- */

/*
 * One line in pieces, cut in @text. How many there are, or -EBADMSG when it is not what was
 * written.
 */
static int split(const char *from, char *text, char *field[FIELDS_MAX])
{
	char sum[SUM_CHARS + 1];
	char *at = text, *end;
	int n = 0;

	(void)snprintf(sum, sizeof(sum), "%08" PRIx32, nti_crc32(0, from, BODY_BYTES));
	if (memcmp(from + BODY_BYTES, sum, SUM_CHARS) != 0 ||
	    from[NTI_CLAIM_LINE_BYTES - 1] != '\n' || memchr(from, '\0', BODY_BYTES))
		return -EBADMSG;
	memcpy(text, from, BODY_BYTES);
	text[BODY_BYTES] = '\0';
	for (; n < FIELDS_MAX && (end = strchr(at, '\t')); at = end + 1) {
		*end = '\0';
		field[n++] = at;
	}
	return strspn(at, " ") == strlen(at) ? n : -EBADMSG;
}

/* Text of people's, as it was cleaned when it was written. */
static bool copy_text(const char *text, char *out, size_t size)
{
	const char *c;

	for (c = text; *c; c++) {
		if (*c < ' ' || *c > '~')
			return false;
	}
	return (size_t)snprintf(out, size, "%s", text) < size;
}

static int parse_head(const char *from, struct nti_claim_head *head)
{
	char text[BODY_BYTES + 1], *field[FIELDS_MAX];
	uint64_t pid;

	if (split(from, text, field) != HEAD_FIELDS || strcmp(field[0], MAGIC) != 0 ||
	    !parse_number(field[1], INT_MAX, &pid) ||
	    !parse_number(field[2], UINT64_MAX, &head->started_ticks) ||
	    !copy_text(field[3], head->boot, sizeof(head->boot)) ||
	    !copy_text(field[4], head->what, sizeof(head->what)) ||
	    !copy_text(field[5], head->owner.command, sizeof(head->owner.command)))
		return -EBADMSG;
	head->owner.pid = (pid_t)pid;
	return 0;
}

static bool parse_package(const char *text, int *out)
{
	uint64_t package;

	*out = -1;
	if (strcmp(text, "-1") == 0)
		return true;
	if (!parse_number(text, NTI_CPU_LIMIT - 1, &package))
		return false;
	*out = (int)package;
	return true;
}

static int parse_line(const char *from, struct nti_claim_line *line)
{
	char text[BODY_BYTES + 1], *field[FIELDS_MAX];
	uint64_t address, bits;

	if (split(from, text, field) != LINE_FIELDS ||
	    !parse_number(field[1], UINT32_MAX, &address) || !parse_number(field[2], 64, &bits) ||
	    !bits || !copy_text(field[3], line->device, sizeof(line->device)) ||
	    !parse_package(field[4], &line->package) ||
	    !copy_text(field[5], line->name, sizeof(line->name)) ||
	    !parse_number(field[6], UINT64_MAX, &line->last) ||
	    !parse_number(field[7], UINT64_MAX, &line->next) ||
	    !parse_number(field[8], UINT64_MAX, &line->ours))
		return -EBADMSG;
	line->space = NTHW_SPACE_MSR;
	while (strcmp(field[0], nti_space_names[line->space]) != 0)
		if (++line->space == NTI_SPACES)
			return -EBADMSG;
	line->address = (uint32_t)address;
	line->bits = (uint32_t)bits;
	return is_possible(line) ? 0 : -EBADMSG;
}

static bool is_there_already(const struct nti_claim_record *r, const struct nti_claim_line *line)
{
	size_t i;

	for (i = 0; i < r->lines; i++) {
		if (r->line[i].space == line->space && r->line[i].address == line->address &&
		    strcmp(r->line[i].device, line->device) == 0)
			return true;
	}
	return false;
}

int nti_claim_parse(const char *text, size_t bytes, struct nti_claim_record *out,
		    const char **reason)
{
	static const char magic[] = MAGIC "\t";
	size_t chars = bytes < sizeof(magic) - 1 ? bytes : sizeof(magic) - 1;
	size_t at = NTI_CLAIM_LINE_BYTES;

	*reason = "";
	out->has_head = false;
	out->lines = 0;
	if (memcmp(text, magic, chars) != 0) {
		*reason = "it is no record of ntime's";
		return -EBADMSG;
	}
	if (bytes < NTI_CLAIM_LINE_BYTES)
		return 0;
	if (bytes > NTI_CLAIM_FILE_BYTES) {
		*reason = "it is larger than any record";
		return -EBADMSG;
	}
	if (parse_head(text, &out->head) < 0) {
		*reason = "its first line is damaged";
		return -EBADMSG;
	}
	out->has_head = true;
	for (; at + NTI_CLAIM_LINE_BYTES <= bytes; at += NTI_CLAIM_LINE_BYTES) {
		struct nti_claim_line *line = &out->line[out->lines];

		if (parse_line(text + at, line) < 0 || is_there_already(out, line)) {
			*reason = "a line of it is damaged";
			return -EBADMSG;
		}
		if (!nti_claim_is_repairable(line)) {
			*reason = "it names a register, or bits of one, that ntime has no row for";
			return -EBADMSG;
		}
		out->lines++;
	}
	return 0;
}

int nti_claim_read(int fd, struct nti_claim_record **out, const char **reason)
{
	char *text = malloc(NTI_CLAIM_FILE_BYTES + 1);
	int ret = -ENOMEM;

	*out = calloc(1, sizeof(**out));
	if (text && *out)
		ret = nti_locked_read(fd, text, NTI_CLAIM_FILE_BYTES + 1);
	if (ret >= 0)
		ret = nti_claim_parse(text, (size_t)ret, *out, reason);
	free(text);
	if (ret < 0) {
		free(*out);
		*out = NULL;
	}
	return ret;
}

int nti_claim_judge(const struct nti_claim_line *line, const struct nthw_reg *row, uint64_t found,
		    uint64_t *now)
{
	uint64_t ours = line->ours;

	*now = found & ~(ours & row->runs);
	return *now != found && (found ^ line->last) & ours && (found ^ line->next) & ours ? -EBUSY
											   : 0;
}

bool nti_claim_is_of_boot(const struct nti_claim_head *head, const char *boot)
{
	return nti_claim_knows_boot(head, boot) && strcmp(head->boot, boot) == 0;
}

bool nti_claim_knows_boot(const struct nti_claim_head *head, const char *boot)
{
	return strcmp(head->boot, "-") != 0 && strcmp(boot, "-") != 0;
}

void nti_claim_clean(char *text)
{
	for (; *text; text++) {
		if (*text < ' ' || *text > '~')
			*text = '?';
	}
}

bool nti_claim_is_name(const char *name)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789-_.:";
	size_t chars = strlen(name);

	return chars && chars < NTI_CLAIM_NAME_BYTES && *name != '.' &&
	       strspn(name, allowed) == chars;
}
