// SPDX-License-Identifier: MIT
/*
 * The input as a claim's file: as it is, which its checksums nearly always refuse, and with
 * checksums made right, so that the fields are reached. What is read must be written as it was
 * read, and tells how counters are switched off: by no other bits than those on record.
 */
#include "count/lib/access/claim_file.h"
#include "base/tests/fuzz/fuzz.h"

static void check_line(const struct nti_claim_line *line)
{
	const uint64_t founds[] = { line->last, line->next, line->last ^ 1, ~line->next };
	const struct nthw_reg *row = nti_claim_row(line);
	uint64_t now;
	size_t i;
	int ret;

	fuzz_expect(row && row->role == NTHW_ROLE_SELECT && row->runs);
	fuzz_expect(line->space == NTHW_SPACE_MSR || line->space == NTHW_SPACE_PCI ||
		    line->space == NTHW_SPACE_MMIO);
	fuzz_expect((line->space == NTHW_SPACE_MSR) == (nti_claim_cpu(line->device) >= 0));
	fuzz_expect(line->bits && line->bits <= 64 && line->package >= -1);
	fuzz_expect(strlen(line->name) < sizeof(line->name));
	for (i = 0; i < sizeof(founds) / sizeof(founds[0]); i++) {
		ret = nti_claim_judge(line, row, founds[i], &now);
		fuzz_expect(now == (founds[i] & ~(line->ours & row->runs)));
		/* As it was left it is never somebody else's. */
		fuzz_expect(i > 1 || ret == 0);
	}
}

/* Written and read again it is the same. */
static void check_again(const struct nti_claim_record *r)
{
	static char text[NTI_CLAIM_FILE_BYTES];
	static struct nti_claim_record again;
	const char *reason;
	size_t i;

	fuzz_expect(nti_claim_head_format(&r->head, text) == 0);
	for (i = 0; i < r->lines; i++)
		fuzz_expect(nti_claim_line_format(&r->line[i],
						  text + (i + 1) * NTI_CLAIM_LINE_BYTES) == 0);
	fuzz_expect(nti_claim_parse(text, (r->lines + 1) * NTI_CLAIM_LINE_BYTES, &again, &reason) ==
		    0);
	fuzz_expect(again.lines == r->lines);
	fuzz_expect(strcmp(again.head.what, r->head.what) == 0);
	fuzz_expect(strcmp(again.head.owner.command, r->head.owner.command) == 0);
	for (i = 0; i < r->lines; i++) {
		fuzz_expect(strcmp(again.line[i].name, r->line[i].name) == 0);
		fuzz_expect(again.line[i].next == r->line[i].next &&
			    again.line[i].ours == r->line[i].ours);
	}
}

static void try_file(const char *text, size_t bytes)
{
	static struct nti_claim_record r;
	const char *reason;
	size_t i;
	int ret = nti_claim_parse(text, bytes, &r, &reason);

	fuzz_expect((ret < 0) == (*reason != '\0'));
	if (ret < 0)
		return;
	fuzz_expect(r.lines <= NTI_CLAIM_LINES_MAX);
	fuzz_expect(r.has_head == (bytes >= NTI_CLAIM_LINE_BYTES) && (r.has_head || !r.lines));
	for (i = 0; i < r.lines; i++)
		check_line(&r.line[i]);
	if (r.has_head)
		check_again(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	char *text = fuzz_text(data, bytes);
	size_t at;

	try_file(text, bytes);
	for (at = 0; at + NTI_CLAIM_LINE_BYTES <= bytes; at += NTI_CLAIM_LINE_BYTES)
		nti_claim_seal(text + at);
	try_file(text, bytes);
	free(text);
	return 0;
}
