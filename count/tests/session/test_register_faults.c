// SPDX-License-Identifier: MIT
/*
 * One register opened, read, written and closed, where each access of it fails in turn. After a
 * call that failed there is a sentence that names the register; it holds what it held, or closing
 * it reports that it does not.
 */
#include <errno.h>

#include <ntime/ntime.h>

#include "base/tests/tt.h"

#include "count/lib/access/msr.h"
#include "count/lib/machine/register/register.h"
#include "count/tests/session/fake_boxes.h"

static const struct register_row {
	int line;
	const char *path, *names; /* what sentences call it */
	uint64_t value;
} register_rows[] = {
	{ __LINE__, "uncore0/msr/0x3c1", "0x3c1", 0x40367 },
	{ __LINE__, "core0/msr/0x187", "0x187", 0x100c4 },
	{ __LINE__, "pci/0000:7f:10.0/0x0dc", "0xdc", 0x304 },
	/* In two parts: one of them may have been written. */
	{ __LINE__, "pci/0000:7f:10.0/0x0a8", "0xa8", 0x123400005678 },
};

static const struct fault {
	enum fake_failure failure;
	bool is_for_good;
} faults[] = {
	{ FAKE_FAIL_ALL, false },
	{ FAKE_FAIL_BEHIND, false },
	{ FAKE_FAIL_WRITES, true },
	{ FAKE_FAIL_ALL, true },
};

struct run {
	struct fake_boxes f;
	const struct register_row *row;
	struct fake_silicon found;
	bool is_told; /* that it may be changed */
};

/* Both were cleared as a whole. */
static bool is_as_found(const struct run *r)
{
	/* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison,cert-exp42-c,cert-flp37-c) */
	return memcmp(&r->f.silicon, &r->found, sizeof(r->found)) == 0;
}

static bool has_failed(struct run *r, int ret)
{
	if (ret >= 0)
		return false;
	tt_has_(ntime_error_text(&r->f.ctx), r->row->names, "sentence", __FILE__, r->row->line);
	return true;
}

static int keep(void *arg, const struct ntime_register_info *info)
{
	*(struct ntime_register_info *)arg = *info;
	return 1;
}

/* What fails once does not keep the register from being what it was. */
static void live(struct run *r, bool is_for_good)
{
	struct ntime_register_info info;
	struct ntime_register *reg;
	uint64_t old, now = 0;
	int ret;

	TT_EQ(r->row, ntime_register_find(&r->f.ctx, r->row->path, NULL, keep, &info), 1);
	if (has_failed(r, ntime_register_open(&r->f.ctx, &info, NTIME_REGISTER_WRITE, &reg)))
		return;
	(void)has_failed(r, ntime_register_read(reg, &old));
	ret = ntime_register_write(reg, r->row->value);
	if (has_failed(r, ret) && !is_for_good)
		TT_EQ(r->row, is_as_found(r), 1);
	if (ret == 0 && !has_failed(r, ntime_register_read(reg, &now)))
		TT_EQ(r->row, now, r->row->value);
	r->is_told = has_failed(r, ntime_register_close(reg));
}

static void fail_at(struct run *r, const struct fault *fault, unsigned int at)
{
	r->f.fail_from = at;
	r->f.fail_to = fault->is_for_good ? UINT32_MAX : at;
	r->f.failure = fault->failure;
	r->f.accesses = 0;
	r->is_told = false;
	live(r, fault->is_for_good);
	r->f.fail_from = 0;
	if (!is_as_found(r))
		TT_EQ(r->row, r->is_told && fault->is_for_good, 1);
	r->f.silicon = r->found;
}

static int find(void *arg, const struct ntime_register_info *reg)
{
	(void)arg, (void)reg;
	return 0;
}

TEST(every_access_fails)
{
	struct run *r = calloc(1, sizeof(*r));
	unsigned int accesses, at;
	size_t i;

	assert_non_null(r);
	fake_boxes_init(&r->f, false);
	fake_boxes_soil(&r->f);
	r->f.fail_with = -EIO;
	r->found = r->f.silicon;
	TT_IS(ntime_register_for_each(&r->f.ctx, find, NULL) > 0, 1);
	TT_FOR_EACH_ROW(row, register_rows) {
		r->row = row;
		fail_at(r, &faults[0], 0);
		accesses = r->f.accesses;
		print_message("# %s: %u accesses\n", row->path, accesses);
		/* To open, read, read and write, read again, put back; a device stays open. */
		TT_EQ(row, accesses >= 5, 1);
		for (i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
			for (at = 1; at <= accesses; at++)
				fail_at(r, &faults[i], at);
	}
	nti_registers_free(r->f.ctx.registers);
	nti_msr_free(r->f.ctx.msr);
	fake_boxes_fini(&r->f);
	free(r);
}

/* Who asks for a number has one access made: opening makes none. */
TEST(reading_is_one_access)
{
	static const struct {
		int line;
		const char *path;
	} rows[] = {
		{ __LINE__, "uncore0/msr/0x3c1" },
		{ __LINE__, "pci/0000:7f:10.0/0x0dc" },
	};
	struct fake_boxes *f = calloc(1, sizeof(*f));
	struct ntime_register_info info;
	struct ntime_register *reg;
	uint64_t value;

	assert_non_null(f);
	fake_boxes_init(f, false);
	TT_FOR_EACH_ROW(row, rows) {
		TT_EQ(row, ntime_register_find(&f->ctx, row->path, NULL, keep, &info), 1);
		/* The device of a CPU is opened once. */
		TT_EQ(row, ntime_register_open(&f->ctx, &info, 0, &reg), 0);
		TT_EQ(row, ntime_register_close(reg), 0);
		f->accesses = 0;
		TT_EQ(row, ntime_register_open(&f->ctx, &info, 0, &reg), 0);
		TT_EQ(row, ntime_register_read(reg, &value), 0);
		TT_EQ(row, f->accesses, 1);
		TT_EQ(row, ntime_register_close(reg), 0);
	}
	info.id = UINT64_MAX;
	TT_IS(ntime_register_open(&f->ctx, &info, 0, &reg), -EINVAL);
	nti_registers_free(f->ctx.registers);
	nti_msr_free(f->ctx.msr);
	fake_boxes_fini(f);
	free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_access_fails),
		cmocka_unit_test(reading_is_one_access),
	};

	return TT_RUN(tests);
}
