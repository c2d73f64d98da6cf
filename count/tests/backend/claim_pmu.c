// SPDX-License-Identifier: MIT
/* A PMU of made-up registers. */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/regs/regs.h"
#include "count/tests/backend/claim_pmu.h"
#include "base/tests/tt.h"

#define UNIT 1

char pmu_root[] = "/tmp/ntime-test-claim-XXXXXX";
struct nti_os *pmu_os;
/* The rows of the two counters are looked for by pmu_set_up(). */
struct nthw_box_kind pmu_uncore = { .name = "nhm_uncore",
				    .unit = "uncore",
				    .space = NTHW_SPACE_MSR,
				    .scope = NTHW_SCOPE_PACKAGE,
				    .table = &nthw_nhm_uncore,
				    .boxes = 1 };
const struct nti_claim_pmu pmu_claim = {
	.name = "uncore-0", .what = "uncore of package 0", .where = "package 0", .kind = &pmu_uncore
};

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

int pmu_set_up(void **state)
{
	uint32_t index;

	(void)state;
	pmu_uncore.counter = nthw_table_find(&nthw_nhm_uncore, 0x3b0, &index);
	pmu_uncore.fixed_counter = nthw_table_find(&nthw_nhm_uncore, 0x394, &index);
	if (!mkdtemp(pmu_root) || chmod(pmu_root, 0755))
		return -1;
	return nti_os_linux_new(pmu_root, &pmu_os);
}

int pmu_tear_down(void **state)
{
	(void)state;
	pmu_os->ops->free(pmu_os);
	return nftw(pmu_root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

void pmu_clear(void)
{
	(void)nftw(pmu_path("/run"), remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

const char *pmu_path(const char *path)
{
	static char full[PATH_MAX];

	(void)snprintf(full, sizeof(full), "%s%s", pmu_root, path);
	return full;
}

long pmu_read_file(char *buf, size_t size)
{
	int fd = open(pmu_path("/run/ntime/uncore-0"), O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -1;
	n = read(fd, buf, size);
	TT_IS(close(fd), 0);
	return (long)n;
}

void pmu_write_file(const char *name, const void *text, size_t bytes)
{
	char path[64];
	int fd;

	(void)mkdir(pmu_path("/run"), 0755);
	(void)mkdir(pmu_path("/run/ntime"), 0755);
	(void)snprintf(path, sizeof(path), "/run/ntime/%s", name);
	fd = open(pmu_path(path), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	TT_IS(write(fd, text, bytes), bytes);
	TT_IS(close(fd), 0);
}

/* ---- the registers ---- */

uint64_t *pmu_at(struct pmu *pmu, uint32_t address)
{
	size_t i;

	for (i = 0; i < pmu->count; i++) {
		if (pmu->reg[i].address == address)
			return &pmu->reg[i].value;
	}
	fail_msg("nobody should want register %#x", address);
	return NULL;
}

static int may_access(struct pmu *pmu)
{
	return ++pmu->accesses == pmu->fail_at ? pmu->error : 0;
}

static int pmu_read(struct nthw_io *io, enum nthw_space space, unsigned int unit, uint32_t address,
		    uint64_t *value)
{
	struct pmu *pmu = (struct pmu *)io;
	int ret = may_access(pmu);

	TT_IS(space, NTHW_SPACE_MSR);
	TT_IS(unit, UNIT);
	if (ret == 0)
		*value = *pmu_at(pmu, address);
	return ret;
}

static int pmu_write(struct nthw_io *io, enum nthw_space space, unsigned int unit, uint32_t address,
		     uint64_t value)
{
	struct pmu *pmu = (struct pmu *)io;
	int ret = may_access(pmu);

	TT_IS(space, NTHW_SPACE_MSR);
	TT_IS(unit, UNIT);
	if (ret < 0)
		return ret;
	if (pmu->before_write)
		pmu->before_write(pmu);
	/* What does something and reads 0. */
	if (address == CLEARS)
		value = 0;
	if ((address & ~0xfu) == 0x3c0)
		value &= ~(uint64_t)0x20000;
	*pmu_at(pmu, address) = value;
	if (pmu->before_write)
		pmu->before_write(pmu);
	return 0;
}

static struct pmu *pmu_of(struct nti_claim_access *handles)
{
	return (struct pmu *)((char *)handles - offsetof(struct pmu, handles));
}

static int lend_read(struct nti_claim_access *handles, const struct nti_claim_repair *at,
		     uint32_t bits, uint64_t *value, struct nti_error *e)
{
	struct pmu *pmu = pmu_of(handles);
	int ret = may_access(pmu);

	(void)bits;
	TT_TEXT(at->device, pmu->device);
	if (ret < 0)
		return nti_error(e, ret, "cannot read %#x", at->address);
	*value = *pmu_at(pmu, at->address);
	return 0;
}

static int lend_write(struct nti_claim_access *handles, const struct nti_claim_repair *at,
		      uint32_t bits, uint64_t value, struct nti_error *e)
{
	struct pmu *pmu = pmu_of(handles);
	int ret = may_access(pmu);

	(void)bits;
	TT_TEXT(at->device, pmu->device);
	if (ret < 0)
		return nti_error(e, ret, "cannot write %#x", at->address);
	*pmu_at(pmu, at->address) = value;
	return 0;
}

void pmu_init(struct pmu *pmu)
{
	static const struct pmu_register found[] = {
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

	*pmu = (struct pmu){ .io = { .read = pmu_read, .write = pmu_write },
			     .handles = { .read = lend_read, .write = lend_write },
			     .device = "CPU 1",
			     .count = NTI_ARRAY_SIZE(found),
			     .error = -EIO };
	memcpy(pmu->reg, found, sizeof(found));
}

void pmu_compare(const struct pmu *got, const struct pmu *want)
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

struct nti_claim *pmu_take(struct pmu *pmu)
{
	struct nti_claim_owner owner;
	struct nti_claim *claim = NULL;

	TT_IS(nti_claim_new(pmu_os, &pmu_claim, &pmu->io, &owner, &claim), 0);
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

int pmu_program(struct nthw_io *io)
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

int pmu_restore(struct nthw_io *io, const struct pmu *before)
{
	struct pmu *b = (struct pmu *)(uintptr_t)before;
	int ret = change(io, 0, ENABLE, 0xc, 0);

	ret = write_to(io, ret, SELECT3, *pmu_at(b, SELECT3));
	ret = write_to(io, ret, COUNT3, *pmu_at(b, COUNT3));
	ret = write_to(io, ret, SELECT2, *pmu_at(b, SELECT2));
	return write_to(io, ret, COUNT2, *pmu_at(b, COUNT2));
}
