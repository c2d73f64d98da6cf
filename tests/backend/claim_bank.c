// SPDX-License-Identifier: MIT
/* A bank of made-up registers. */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/regs/regs.h"
#include "tests/backend/claim_bank.h"
#include "tests/tt.h"

#define UNIT 1

char bank_root[] = "/tmp/ntime-test-claim-XXXXXX";
struct nti_os *bank_os;
/* The rows of the two counters are looked for by bank_set_up(). */
struct nthw_box_kind bank_uncore = { .name = "nhm_uncore",
				     .unit = "uncore",
				     .space = NTHW_SPACE_MSR,
				     .scope = NTHW_SCOPE_PACKAGE,
				     .table = &nthw_nhm_uncore,
				     .boxes = 1 };
const struct nti_claim_pmu bank_claim = { .name = "uncore-0",
					  .what = "uncore of package 0",
					  .where = "package 0",
					  .kind = &bank_uncore };

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

int bank_set_up(void **state)
{
	uint32_t index;

	(void)state;
	bank_uncore.counter = nthw_table_find(&nthw_nhm_uncore, 0x3b0, &index);
	bank_uncore.fixed_counter = nthw_table_find(&nthw_nhm_uncore, 0x394, &index);
	if (!mkdtemp(bank_root) || chmod(bank_root, 0755))
		return -1;
	return nti_os_linux_new(bank_root, &bank_os);
}

int bank_tear_down(void **state)
{
	(void)state;
	bank_os->ops->free(bank_os);
	return nftw(bank_root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

void bank_clear(void)
{
	(void)nftw(bank_path("/run"), remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

const char *bank_path(const char *path)
{
	static char full[PATH_MAX];

	(void)snprintf(full, sizeof(full), "%s%s", bank_root, path);
	return full;
}

long bank_read_file(char *buf, size_t size)
{
	int fd = open(bank_path("/run/ntime/uncore-0"), O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -1;
	n = read(fd, buf, size);
	TT_IS(close(fd), 0);
	return (long)n;
}

void bank_write_file(const char *name, const void *text, size_t bytes)
{
	char path[64];
	int fd;

	(void)mkdir(bank_path("/run"), 0755);
	(void)mkdir(bank_path("/run/ntime"), 0755);
	(void)snprintf(path, sizeof(path), "/run/ntime/%s", name);
	fd = open(bank_path(path), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	TT_IS(write(fd, text, bytes), bytes);
	TT_IS(close(fd), 0);
}

/* ---- the registers ---- */

uint64_t *bank_at(struct bank *bank, uint32_t address)
{
	size_t i;

	for (i = 0; i < bank->count; i++) {
		if (bank->reg[i].address == address)
			return &bank->reg[i].value;
	}
	fail_msg("nobody should want register %#x", address);
	return NULL;
}

static int may_access(struct bank *bank)
{
	return ++bank->accesses == bank->fail_at ? bank->error : 0;
}

static int bank_read(struct nthw_io *io, enum nthw_space space, unsigned int unit, uint32_t address,
		     uint64_t *value)
{
	struct bank *bank = (struct bank *)io;
	int ret = may_access(bank);

	TT_IS(space, NTHW_SPACE_MSR);
	TT_IS(unit, UNIT);
	if (ret == 0)
		*value = *bank_at(bank, address);
	return ret;
}

static int bank_write(struct nthw_io *io, enum nthw_space space, unsigned int unit,
		      uint32_t address, uint64_t value)
{
	struct bank *bank = (struct bank *)io;
	int ret = may_access(bank);

	TT_IS(space, NTHW_SPACE_MSR);
	TT_IS(unit, UNIT);
	if (ret < 0)
		return ret;
	if (bank->before_write)
		bank->before_write(bank);
	/* What does something and reads 0. */
	if (address == CLEARS)
		value = 0;
	if ((address & ~0xfu) == 0x3c0)
		value &= ~(uint64_t)0x20000;
	*bank_at(bank, address) = value;
	if (bank->before_write)
		bank->before_write(bank);
	return 0;
}

static struct bank *bank_of(struct nti_claim_access *handles)
{
	return (struct bank *)((char *)handles - offsetof(struct bank, handles));
}

static int lend_read(struct nti_claim_access *handles, const struct nti_claim_repair *at,
		     uint32_t bits, uint64_t *value, struct nti_error *e)
{
	struct bank *bank = bank_of(handles);
	int ret = may_access(bank);

	(void)bits;
	TT_TEXT(at->device, bank->device);
	if (ret < 0)
		return nti_error(e, ret, "cannot read %#x", at->address);
	*value = *bank_at(bank, at->address);
	return 0;
}

static int lend_write(struct nti_claim_access *handles, const struct nti_claim_repair *at,
		      uint32_t bits, uint64_t value, struct nti_error *e)
{
	struct bank *bank = bank_of(handles);
	int ret = may_access(bank);

	(void)bits;
	TT_TEXT(at->device, bank->device);
	if (ret < 0)
		return nti_error(e, ret, "cannot write %#x", at->address);
	*bank_at(bank, at->address) = value;
	return 0;
}

void bank_init(struct bank *bank)
{
	static const struct bank_register found[] = {
		{ ENABLE, 0x100000081 },
		{ CLEARS, 0 },
		{ COUNT2, 0x123456789abc },
		{ COUNT3, 77 },
		{ SELECT2, 0x0004000f },
		{ SELECT3, 0x80000000 },
		{ 0x3b0, 1000 },
		{ 0x3c0, 0x400101 },
		{ 0x3b7, 0 },
		{ 0x3c7, 0x400202 },
		/*
		 * The others of the box, which nobody has enabled, and the fixed counter, which
		 * somebody has.
		 */
		{ 0x3c1, 0x00000304 },
		{ 0x3c4, 0 },
		{ 0x3c5, 0 },
		{ 0x3c6, 0 },
		{ 0x395, 1 },
	};

	*bank = (struct bank){ .io = { .read = bank_read, .write = bank_write },
			       .handles = { .read = lend_read, .write = lend_write },
			       .device = "CPU 1",
			       .count = NTI_ARRAY_SIZE(found),
			       .error = -EIO };
	memcpy(bank->reg, found, sizeof(found));
}

void bank_compare(const struct bank *got, const struct bank *want)
{
	size_t i;

	for (i = 0; i < want->count; i++) {
		if (got->reg[i].value == want->reg[i].value)
			continue;
		print_error("register %#x\n", want->reg[i].address);
		TT_IS(got->reg[i].value, want->reg[i].value);
	}
}

/* ---- what a session does ---- */

struct nti_claim *bank_take(struct bank *bank)
{
	struct nti_claim_owner owner;
	struct nti_claim *claim = NULL;

	TT_IS(nti_claim_new(bank_os, &bank_claim, &bank->io, &owner, &claim), 0);
	return claim;
}

static int write_to(struct nthw_io *io, int before, uint32_t address, uint64_t value)
{
	return before < 0 ? before : io->write(io, NTHW_SPACE_MSR, UNIT, address, value);
}

/* Read, change @clear to @set, write. */
static int change(struct nthw_io *io, int before, uint32_t address, uint64_t clear, uint64_t set)
{
	uint64_t value;
	int ret = before < 0 ? before : io->read(io, NTHW_SPACE_MSR, UNIT, address, &value);

	return write_to(io, ret, address, ret < 0 ? 0 : (value & ~clear) | set);
}

int bank_program(struct nthw_io *io)
{
	int ret = write_to(io, 0, SELECT2, 0x20183);

	ret = write_to(io, ret, COUNT2, 0);
	ret = write_to(io, ret, SELECT2, 0x420183);
	ret = write_to(io, ret, SELECT3, 0x20167);
	ret = write_to(io, ret, COUNT3, 0);
	ret = write_to(io, ret, SELECT3, 0x420167);
	ret = write_to(io, ret, CLEARS, 0xc);
	ret = change(io, ret, ENABLE, 0, 0xc);
	/* The third event of two counters takes its turn. */
	ret = change(io, ret, ENABLE, 0x8, 0);
	ret = write_to(io, ret, SELECT3, 0x20182);
	ret = write_to(io, ret, COUNT3, 0);
	ret = write_to(io, ret, SELECT3, 0x420182);
	return change(io, ret, ENABLE, 0, 0x8);
}

int bank_restore(struct nthw_io *io, const struct bank *before)
{
	struct bank *b = (struct bank *)(uintptr_t)before;
	int ret = change(io, 0, ENABLE, 0xc, 0);

	ret = write_to(io, ret, SELECT3, *bank_at(b, SELECT3));
	ret = write_to(io, ret, COUNT3, *bank_at(b, COUNT3));
	ret = write_to(io, ret, SELECT2, *bank_at(b, SELECT2));
	return write_to(io, ret, COUNT2, *bank_at(b, COUNT2));
}
