// SPDX-License-Identifier: MIT
/*
 * Repair: whenever a program is killed, none of its counters runs after it, and nothing that
 * somebody else has is written to.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/regs/devices.h"
#include "core/regs/nv50_chip.h"
#include "core/regs/regs.h"
#include "core/seq/box.h"
#include "count/lib/access/claim_file.h"
#include "base/os/process.h"
#include "count/tests/backend/claim_pmu.h"
#include "base/tests/tt.h"

#define FILE_NAME "/run/ntime/uncore-0"
#define MOMENTS_MAX 64
#define STEPS_MAX 16
#define RUN 0x400000ull /* of a select */

static int try_take(struct pmu *pmu, struct nti_claim_owner *owner)
{
	struct nti_claim *claim;
	int ret = nti_claim_new(pmu_os, &pmu_claim, &pmu->io, owner, &claim);

	nti_claim_free(claim);
	return ret;
}

/* ---- what a killed program leaves: kept at each moment at which it could have been killed ---- */

struct moment {
	struct pmu pmu;
	long bytes;
	char text[NTI_CLAIM_FILE_BYTES];
};

static struct moment *moment; /* MOMENTS_MAX */
static size_t moments;

static void keep(struct pmu *pmu)
{
	struct moment *m = &moment[moments++];

	assert_true(moments <= MOMENTS_MAX);
	m->pmu = *pmu;
	m->pmu.before_write = NULL;
	m->pmu.fail_at = 0;
	m->bytes = pmu_read_file(m->text, sizeof(m->text));
	assert_true(m->bytes > 0);
}

/*
 * Run @fn with a claim and keep all moments, the last one as if it had been killed at its end.
 * Leaves no claim.
 */
static void live(struct pmu *pmu, int (*fn)(struct nthw_io *io))
{
	struct nti_claim *claim;

	moments = 0;
	pmu_clear();
	claim = pmu_take(pmu);
	keep(pmu);
	pmu->before_write = keep;
	(void)fn(nti_claim_io(claim));
	pmu->before_write = NULL;
	keep(pmu);
	nti_claim_settle(claim);
	nti_claim_free(claim);
}

static int repair(struct pmu *pmu)
{
	return nti_claim_repair_through(pmu_os, &pmu->handles, "uncore-0", 0, NULL, NULL, NULL);
}

/* All is as the killed program left it, but its counters are off. */
static void check_off(const struct pmu *got, const struct pmu *left)
{
	struct pmu want = *left;

	*pmu_at(&want, SELECT2) &= ~RUN;
	*pmu_at(&want, SELECT3) &= ~RUN;
	pmu_compare(got, &want);
}

/* Killed with so much of the file of @m written: the next start finds it. */
static void check_moment(const struct moment *at, const struct moment *m, long bytes)
{
	struct nti_claim_owner owner;
	struct pmu pmu = at->pmu;

	pmu_write_file("uncore-0", m->text, (size_t)bytes);
	if (bytes < 2L * NTI_CLAIM_LINE_BYTES) {
		check_off(&pmu, &at->pmu);
		TT_IS(try_take(&pmu, &owner), 0);
		return;
	}
	TT_IS(try_take(&pmu, &owner), -EUCLEAN);
	TT_IS(owner.pid, getpid());
	TT_HAS(owner.command, "test_claim_repair");
	TT_IS(repair(&pmu), 0);
	check_off(&pmu, &at->pmu);
	TT_IS(repair(&pmu), -ENOENT);
	TT_IS(try_take(&pmu, &owner), 0);
}

TEST(killed_at_any_byte)
{
	struct pmu pmu;
	size_t i;
	long bytes;

	pmu_init(&pmu);
	live(&pmu, pmu_program);
	TT_IS(moments, 28);
	for (i = 0; i < moments; i++) {
		check_moment(&moment[i], &moment[i], moment[i].bytes);
		/*
		 * On the way to the next moment the file grew, byte for byte at worst, and no
		 * register was written.
		 */
		for (bytes = moment[i].bytes + 1; i + 1 < moments && bytes <= moment[i + 1].bytes;
		     bytes++)
			check_moment(&moment[i], &moment[i + 1], bytes);
	}
}

/* Nothing of a damaged file is believed; of one that lost its end what is whole. */
TEST(damaged_at_any_byte)
{
	struct pmu pmu;
	struct moment *last;
	char text[NTI_CLAIM_FILE_BYTES];
	struct nti_claim_owner owner;
	struct nti_error e = { 0 };
	long at;

	pmu_init(&pmu);
	live(&pmu, pmu_program);
	last = &moment[moments - 1];
	for (at = 0; at < last->bytes; at++) {
		pmu = last->pmu;
		pmu_write_file("uncore-0", last->text, (size_t)at);
		TT_IS(repair(&pmu), at < 2L * NTI_CLAIM_LINE_BYTES ? -ENOENT : 0);
		memcpy(text, last->text, sizeof(text));
		text[at] ^= (char)(1 << at % 8);
		pmu = last->pmu;
		pmu_write_file("uncore-0", text, (size_t)last->bytes);
		TT_IS(repair(&pmu), -EBADMSG);
		TT_IS(pmu.accesses, last->pmu.accesses);
		TT_IS(try_take(&pmu, &owner), -EBADMSG);
	}
	TT_IS(nti_claim_repair_through(pmu_os, &pmu.handles, "uncore-0", 0, NULL, NULL, &e),
	      -EBADMSG);
	TT_HAS(e.text, "nothing is repaired with /run/ntime/uncore-0: ");
	TT_HAS(e.text, "damaged");
	pmu_clear();
}

static int program_and_restore(struct nthw_io *io)
{
	struct pmu before;
	int ret = pmu_program(io);

	pmu_init(&before);
	return ret < 0 ? ret : pmu_restore(io, &before);
}

/* Its own restoring is on record as well, so it may be killed in the middle of that. */
TEST(killed_while_restoring)
{
	struct pmu pmu;
	size_t i;

	pmu_init(&pmu);
	live(&pmu, program_and_restore);
	TT_IS(moments, 38);
	for (i = 0; i < moments; i++)
		check_moment(&moment[i], &moment[i], moment[i].bytes);
}

/* The k-th access of a program fails, then it is killed. */
TEST(accesses_that_failed)
{
	struct pmu pmu;
	unsigned int k;

	for (k = 1; k < 200; k++) {
		pmu_init(&pmu);
		pmu.fail_at = k;
		live(&pmu, program_and_restore);
		check_moment(&moment[moments - 1], &moment[moments - 1], moment[moments - 1].bytes);
		if (pmu.accesses < k)
			break;
	}
	assert_true(k > 20 && k < 200);
}

/* ---- repair that fails ---- */

struct steps {
	struct nti_claim_repair step[STEPS_MAX];
	char name[STEPS_MAX][NTHW_NAME_SIZE];
	size_t count, stop_at;
};

static int note(void *arg, const struct nti_claim_repair *step)
{
	struct steps *s = arg;

	assert_true(s->count < STEPS_MAX);
	(void)snprintf(s->name[s->count], sizeof(s->name[0]), "%s", step->name);
	s->step[s->count] = *step;
	s->count++;
	return s->count == s->stop_at ? 7 : 0;
}

static int repair_noting(struct pmu *pmu, uint32_t flags, struct steps *s, struct nti_error *e)
{
	return nti_claim_repair_through(pmu_os, &pmu->handles, "uncore-0", flags, note, s, e);
}

static void check_step(const struct steps *s, size_t i, const char *name, uint64_t found,
		       uint64_t now, int error)
{
	assert_true(i < s->count);
	TT_TEXT(s->name[i], name);
	TT_IS(s->step[i].found, found);
	TT_IS(s->step[i].now, now);
	TT_IS(s->step[i].error, error);
}

static const struct moment *program(struct pmu *pmu)
{
	pmu_init(pmu);
	live(pmu, pmu_program);
	pmu_write_file("uncore-0", moment[moments - 1].text, (size_t)moment[moments - 1].bytes);
	*pmu = moment[moments - 1].pmu;
	pmu->accesses = 0;
	return &moment[moments - 1];
}

TEST(tells_each_register)
{
	struct pmu pmu, programmed;
	struct steps s = { .count = 0 };

	program(&pmu);
	programmed = pmu;
	TT_IS(repair_noting(&pmu, NTI_CLAIM_LOOK, &s, NULL), 0);
	pmu_compare(&pmu, &programmed);
	TT_IS(s.count, 2);
	check_step(&s, 0, "MSR_UNCORE_PERFEVTSEL2", 0x400183, 0x183, 0);
	check_step(&s, 1, "MSR_UNCORE_PERFEVTSEL3", 0x400182, 0x182, 0);
	s = (struct steps){ .count = 0 };
	TT_IS(repair_noting(&pmu, 0, &s, NULL), 0);
	TT_IS(s.count, 2);
	check_step(&s, 1, "MSR_UNCORE_PERFEVTSEL3", 0x400182, 0x182, 0);
	TT_IS(access(pmu_path(FILE_NAME), F_OK), -1);
}

TEST(every_access_of_a_repair_fails_once)
{
	struct pmu pmu, left;
	struct nti_error e = { 0 };
	unsigned int k;
	int ret;

	for (k = 1; k < 50; k++) {
		struct steps s = { .count = 0 };
		struct nti_claim_owner owner;

		program(&pmu);
		left = pmu;
		pmu.fail_at = k;
		ret = repair_noting(&pmu, 0, &s, &e);
		TT_IS(s.count, 2);
		if (pmu.accesses < k)
			break;
		TT_IS(ret, -EIO);
		TT_HAS(e.text, "could not be switched off");
		TT_HAS(e.text, "cannot ");
		/* The record stays, and nobody gets the PMU meanwhile. */
		TT_IS(try_take(&pmu, &owner), -EUCLEAN);
		pmu.fail_at = 0;
		s = (struct steps){ .count = 0 };
		TT_IS(repair_noting(&pmu, 0, &s, NULL), 0);
		TT_IS(s.count, 2);
		check_off(&pmu, &left);
		TT_IS(try_take(&pmu, &owner), 0);
	}
	TT_IS(k, 5);
	TT_IS(ret, 0);
}

TEST(without_permission)
{
	struct pmu pmu;
	struct nti_error e = { 0 };
	struct steps s = { .count = 0 };

	program(&pmu);
	pmu.fail_at = 1;
	pmu.error = -EPERM;
	TT_IS(repair_noting(&pmu, 0, &s, &e), -EACCES);
	check_step(&s, 0, "MSR_UNCORE_PERFEVTSEL2", 0, 0, -EPERM);
	check_step(&s, 1, "MSR_UNCORE_PERFEVTSEL3", 0x400182, 0x182, 0);
}

TEST(stopped_in_the_middle)
{
	struct pmu pmu, left;
	struct steps s = { .stop_at = 1 };

	program(&pmu);
	left = pmu;
	TT_IS(repair_noting(&pmu, 0, &s, NULL), 7);
	TT_IS(*pmu_at(&pmu, SELECT3), 0x400182);
	TT_IS(repair(&pmu), 0);
	check_off(&pmu, &left);
}

TEST(devices_that_are_gone)
{
	struct pmu pmu;
	struct steps s = { .count = 0 };
	struct nti_claim_owner owner;

	program(&pmu);
	pmu.fail_at = 1;
	pmu.error = -ENODEV;
	TT_IS(repair_noting(&pmu, 0, &s, NULL), 0);
	TT_IS(s.step[0].error, -ENODEV);
	TT_IS(try_take(&pmu, &owner), 0);
}

/* ---- what others did since ---- */

TEST(others_counters_stay)
{
	struct pmu pmu, before;
	struct steps s = { .count = 0 };

	program(&pmu);
	*pmu_at(&pmu, SELECT3) = 0x40012f;
	before = pmu;
	TT_IS(repair_noting(&pmu, 0, &s, NULL), 0);
	TT_IS(s.count, 2);
	check_step(&s, 1, "MSR_UNCORE_PERFEVTSEL3", 0x40012f, 0x40012f, -EBUSY);
	*pmu_at(&before, SELECT2) &= ~RUN;
	pmu_compare(&pmu, &before);
	TT_IS(access(pmu_path(FILE_NAME), F_OK), -1);
}

TEST(what_does_not_run_is_not_written)
{
	struct pmu pmu, before;
	struct steps s = { .count = 0 };
	unsigned int accesses;

	pmu_init(&before);
	program(&pmu);
	memcpy(pmu.reg, before.reg, sizeof(pmu.reg));
	accesses = pmu.accesses;
	TT_IS(repair_noting(&pmu, 0, &s, NULL), 0);
	TT_IS(s.count, 2);
	TT_IS(pmu.accesses - accesses, 2);
	pmu_compare(&pmu, &before);
}

/* ---- who may, and what of ---- */

TEST(owned_again)
{
	struct pmu pmu;
	struct nti_claim *claim;
	struct nti_error e = { 0 };

	pmu_clear();
	pmu_init(&pmu);
	claim = pmu_take(&pmu);
	TT_IS(nti_claim_repair_through(pmu_os, &pmu.handles, "uncore-0", 0, NULL, NULL, &e),
	      -EBUSY);
	TT_HAS(e.text, "test_claim_repair");
	TT_HAS(e.text, "has the counters of uncore of package 0 now (pid ");
	nti_claim_free(claim);
	TT_IS(nti_claim_repair_through(pmu_os, &pmu.handles, "uncore-0", 0, NULL, NULL, &e),
	      -ENOENT);
	TT_TEXT(e.text, "there is no record uncore-0 in /run/ntime: nothing to repair");
	TT_IS(nti_claim_repair_through(pmu_os, &pmu.handles, "../../etc/passwd", 0, NULL, NULL, &e),
	      -ENOENT);
}

/* Killed for real: registers in memory that outlives it. */
TEST(killed_by_a_signal)
{
	struct pmu *pmu =
		mmap(NULL, sizeof(*pmu), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct pmu left;
	struct nti_claim_owner owner;
	pid_t pid;
	int status;

	assert_true(pmu != MAP_FAILED);
	pmu_clear();
	pmu_init(pmu);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		(void)pmu_program(nti_claim_io(pmu_take(pmu)));
		_exit(raise(SIGKILL));
	}
	TT_IS(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	TT_IS(*pmu_at(pmu, SELECT3), 0x400182);
	TT_IS(try_take(pmu, &owner), -EUCLEAN);
	TT_IS(owner.pid, pid);
	left = *pmu;
	TT_IS(repair(pmu), 0);
	check_off(pmu, &left);
	TT_IS(munmap(pmu, sizeof(*pmu)), 0);
}

TEST(of_another_boot)
{
	struct pmu pmu;
	struct nti_claim_record *r = calloc(1, sizeof(*r));
	struct nti_claim_owner owner;
	struct steps s = { .count = 0 };
	const struct moment *last = program(&pmu);
	char text[NTI_CLAIM_FILE_BYTES];
	const char *reason;
	unsigned int accesses = pmu.accesses;

	TT_IS(nti_claim_parse(last->text, (size_t)last->bytes, r, &reason), 0);
	memcpy(text, last->text, sizeof(text));
	(void)snprintf(r->head.boot, sizeof(r->head.boot), "11111111-2222-3333-4444-555555555555");
	TT_IS(nti_claim_head_format(&r->head, text), 0);
	pmu_write_file("uncore-0", text, (size_t)last->bytes);
	TT_IS(repair_noting(&pmu, 0, &s, NULL), -ENOENT);
	TT_IS(pmu.accesses, accesses);
	TT_IS(try_take(&pmu, &owner), 0);
	free(r);
}

struct stales {
	size_t count;
	struct nti_claim_leftover stale[8];
	char name[8][NTI_CLAIM_NAME_BYTES], what[8][256];
};

static int note_stale(void *arg, const struct nti_claim_leftover *stale)
{
	struct stales *s = arg;

	assert_true(s->count < NTI_ARRAY_SIZE(s->stale));
	(void)snprintf(s->name[s->count], sizeof(s->name[0]), "%s", stale->name);
	(void)snprintf(s->what[s->count], sizeof(s->what[0]), "%s", stale->what);
	s->stale[s->count++] = *stale;
	return s->count == 5 ? 9 : 0;
}

TEST(list_of_what_was_left)
{
	static const struct nti_claim_pmu other = { .name = "uncore-1",
						    .what = "uncore of package 1",
						    .kind = &pmu_uncore };
	struct pmu pmu;
	struct nti_claim *claim;
	struct nti_claim_owner owner;
	struct stales s = { .count = 0 };

	pmu_clear();
	TT_IS(nti_claim_for_each_leftover(pmu_os, note_stale, &s), 0);
	program(&pmu);
	/* In use, so not left. */
	TT_IS(nti_claim_new(pmu_os, &other, &pmu.io, &owner, &claim), 0);
	TT_IS(pmu_program(nti_claim_io(claim)), 0);
	pmu_write_file("empty", "", 0);
	pmu_write_file(".self-test", "what tests found", 16);
	pmu_write_file("notes.txt", "something else", 14);
	pmu_write_file("a\nname", "something else", 14);
	TT_IS(symlink("uncore-0", pmu_path("/run/ntime/link")), 0);
	TT_IS(nti_claim_for_each_leftover(pmu_os, note_stale, &s), 0);
	TT_IS(s.count, 4);
	TT_TEXT(s.name[0], "a?name");
	TT_IS(s.stale[0].is_damaged, 1);
	TT_TEXT(s.name[1], "link");
	TT_TEXT(s.what[1], "/run/ntime/link cannot be used: it is no plain file of root's");
	TT_TEXT(s.name[2], "notes.txt");
	TT_TEXT(s.what[2], "/run/ntime/notes.txt cannot be used: it is no record of ntime's");
	TT_TEXT(s.name[3], "uncore-0");
	TT_TEXT(s.what[3], "uncore of package 0");
	TT_IS(s.stale[3].is_damaged, 0);
	TT_IS(s.stale[3].registers, 2);
	TT_IS(s.stale[3].owner.pid, getpid());
	nti_claim_settle(claim);
	nti_claim_free(claim);
	/* A walk can be ended. */
	TT_IS(nti_claim_for_each_leftover(pmu_os, note_stale, &s), 9);
	pmu_clear();
}

/* ---- registers of this machine ---- */

static void put_file(const char *path, const void *data, size_t bytes, off_t offset)
{
	char folder[PATH_MAX], *at;
	int fd;

	(void)snprintf(folder, sizeof(folder), "%s", pmu_path(path));
	for (at = strchr(folder + strlen(pmu_root) + 1, '/'); at; at = strchr(at + 1, '/')) {
		*at = '\0';
		(void)mkdir(folder, 0755);
		*at = '/';
	}
	fd = open(folder, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	assert_true(fd >= 0);
	TT_IS(pwrite(fd, data, bytes, offset), bytes);
	TT_IS(close(fd), 0);
}

static void record_one(struct nti_claim_line *line)
{
	struct nti_claim_head head = { .what = "uncore of package 0" };
	struct nti_process_identity self;
	char text[2 * NTI_CLAIM_LINE_BYTES];

	nti_process_identify(&self);
	(void)snprintf(head.boot, sizeof(head.boot), "%s", self.boot);
	TT_IS(nti_claim_head_format(&head, text), 0);
	TT_IS(nti_claim_line_format(line, text + NTI_CLAIM_LINE_BYTES), 0);
	pmu_write_file("uncore-0", text, sizeof(text));
}

/* What lets nothing run is not written down, so nothing that is refused later. */
static const struct unknown_row {
	int line;
	struct nti_claim_line wrong;
} unknown_rows[] = {
	{ __LINE__, { .address = 0x1a0, .name = "IA32_NOBODY_KNOWS", .ours = 1 } },
	{ __LINE__, { .address = ENABLE, .name = "MSR_UNCORE_PERFEVTSEL2", .ours = 1 } },
	{ __LINE__, { .address = SELECT2, .name = "MSR_UNCORE_PERFEVTSEL2", .ours = 1ull << 62 } },
	{ __LINE__, { .address = ENABLE, .name = "MSR_UNCORE_PERF_GLOBAL_CTRL", .ours = 1 } },
	{ __LINE__, { .address = COUNT2, .name = "MSR_UNCORE_PMC2", .ours = 1 } },
};

TEST(registers_without_row)
{
	char text[NTI_CLAIM_LINE_BYTES];
	struct nti_claim_line good = { .space = NTHW_SPACE_MSR,
				       .address = SELECT2,
				       .bits = 64,
				       .device = "CPU 1",
				       .name = "MSR_UNCORE_PERFEVTSEL2",
				       .ours = RUN };

	TT_IS(nti_claim_line_format(&good, text), 0);
	TT_FOR_EACH_ROW(r, unknown_rows) {
		struct nti_claim_line line = r->wrong;

		line.space = NTHW_SPACE_MSR;
		line.bits = 64;
		memcpy(line.device, good.device, sizeof(line.device));
		TT_EQ(r, nti_claim_line_format(&line, text), -EINVAL);
	}
}

/* All kinds of boxes, of all numbers, have rows under the names that claims write down. */
TEST(registers_of_boxes_have_rows)
{
	uint32_t number, index;
	size_t i, k;

	for (i = 0; i < nthw_box_kind_count; i++) {
		const struct nthw_box_kind *kind = nthw_box_kinds[i];

		for (number = 0; number < kind->boxes; number++)
			for (k = 0; k < kind->table->count; k++) {
				const struct nthw_reg *row = kind->table->regs[k];
				struct nti_claim_line line = { .space = row->space };

				if (row->space != NTHW_SPACE_MSR && row->space != NTHW_SPACE_PCI)
					continue;
				index = row->count > 1 ? row->count - 1 : 0;
				line.bits = row->space == NTHW_SPACE_MSR ? 64 : row->bits;
				line.address = row->addr + index * row->step + number * kind->step;
				(void)nthw_reg_name(row, index, line.name, sizeof(line.name));
				if (!nti_claim_row(&line))
					fail_msg("%s %u: %s has no row", kind->name, number,
						 line.name);
			}
	}
}

/* A record may name any PCI function. */
TEST(functions_with_such_registers)
{
	size_t i, devices = 0;
	const struct nthw_box_kind *imc = nthw_box_kind("snbep_imc");
	char name[NTHW_NAME_SIZE];

	assert_non_null(imc);
	(void)nthw_reg_name(imc->select, 0, name, sizeof(name));
	for (i = 0; i < nthw_pci_device_count; i++)
		devices +=
			nti_claim_is_of_device(nthw_pci_devices[i].vendor,
					       nthw_pci_devices[i].device, name, imc->select->addr);
	assert_true(devices > 0 && devices < nthw_pci_device_count);
	TT_IS(nti_claim_is_of_device(0x8086, 0x2922, name, imc->select->addr), 0);
	TT_IS(nti_claim_is_of_device(0x10de, 0xa65, name, imc->select->addr), 0);
	TT_IS(nti_claim_is_of_device(0x10de, 0xa65, "PROP.PM_MUX", 0x408750), 1);
	/* Where G80 has it. */
	TT_IS(nti_claim_is_of_device(0x10de, 0xa65, "PROP.PM_MUX", 0x408e50), 0);
	TT_IS(nti_claim_is_of_device(0x10de, 0xa65, "VFETCH.PM_MUX", 0x400c0c), 0);
}

/* Of each chip, though one has a register of the same name with other bits. */
TEST(multiplexers_of_cards_are_written_down)
{
	char text[NTI_CLAIM_LINE_BYTES];
	size_t lines = 0;

	for (size_t i = 0; i < nthw_nv_chip_count; i++) {
		for (uint32_t at = 0x407000; at < 0x410000; at += 4) {
			struct nti_claim_line line = { .space = NTHW_SPACE_MMIO,
						       .address = at,
						       .bits = 32,
						       .package = -1,
						       .device = "0000:01:00.0" };
			uint32_t index;
			const struct nthw_reg *row = nthw_nv_reg_at(&nthw_nv_chips[i], at, &index);

			if (!row || !row->runs)
				continue;
			(void)nthw_reg_name(row, index, line.name, sizeof(line.name));
			line.ours = line.next = nthw_reg_stored(row);
			TT_IS(nti_claim_line_format(&line, text), 0);
			line.ours |= ~nthw_reg_stored(row) & UINT32_MAX;
			TT_IS(nti_claim_line_format(&line, text), -EINVAL);
			lines++;
		}
	}
	assert_true(lines > 100);
}

/* CPU 1 went off line since: CPU 2 is of the same package, CPU 0 is not. */
TEST(another_cpu_of_the_package)
{
	struct nti_claim_line line = { .space = NTHW_SPACE_MSR,
				       .address = SELECT2,
				       .bits = 64,
				       .package = 1,
				       .device = "CPU 1",
				       .name = "MSR_UNCORE_PERFEVTSEL2",
				       .last = RUN | 1,
				       .next = RUN | 1,
				       .ours = RUN | 1 };
	struct nti_error e = { 0 };
	struct steps s = { .count = 0 };
	uint64_t value, found = RUN | 0x101;
	static const char intel[] = "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 26\n";
	struct nti_os *os;
	int fd;

	pmu_clear();
	put_file("/proc/cpuinfo", intel, sizeof(intel) - 1, 0);
	TT_IS(nti_os_linux_new(pmu_root, &os), 0);
	put_file("/sys/devices/system/cpu/online", "0,2\n", 4, 0);
	put_file("/sys/devices/system/cpu/cpu0/topology/physical_package_id", "0\n", 2, 0);
	put_file("/sys/devices/system/cpu/cpu2/topology/physical_package_id", "1\n", 2, 0);
	put_file("/dev/cpu/2/msr", &found, sizeof(found), SELECT2);
	record_one(&line);
	TT_IS(nti_claim_repair(os, "uncore-0", 0, note, &s, &e), 0);
	check_step(&s, 0, "MSR_UNCORE_PERFEVTSEL2", found, 0x101, 0);
	fd = open(pmu_path("/dev/cpu/2/msr"), O_RDONLY | O_CLOEXEC);
	TT_IS(pread(fd, &value, sizeof(value), SELECT2), sizeof(value));
	TT_IS(close(fd), 0);
	TT_IS(value, 0x101);
	/* As long as it is there, it is asked itself. */
	put_file("/sys/devices/system/cpu/online", "0-2\n", 4, 0);
	put_file("/sys/devices/system/cpu/cpu1/topology/physical_package_id", "1\n", 2, 0);
	record_one(&line);
	TT_IS(nti_claim_repair(os, "uncore-0", 0, NULL, NULL, &e), -EIO);
	TT_HAS(e.text, "CPU 1");
	put_file("/sys/devices/system/cpu/online", "0,2\n", 4, 0);
	/* A core's register is nobody else's. */
	line.package = -1;
	record_one(&line);
	TT_IS(nti_claim_repair(os, "uncore-0", 0, NULL, NULL, &e), -EIO);
	TT_HAS(e.text, "CPU 1");
	/* Nor can it be had of a device that cannot be seen below a root directory. */
	line = (struct nti_claim_line){ .space = NTHW_SPACE_PCI,
					.address = 0xdc,
					.bits = 32,
					.package = -1,
					.device = "0000:7f:10.0",
					.name = "MC_CH_PCI_PMON_CTL1" };
	record_one(&line);
	TT_IS(nti_claim_repair(os, "uncore-0", 0, NULL, NULL, &e), -EIO);
	TT_HAS(e.text, "PCI function 0000:7f:10.0 cannot be reached from here");
	os->ops->free(os);
	pmu_clear();
}

/* Of a register of several counters, of which somebody else has started another one. */
TEST(others_bits_stay)
{
	struct nti_claim_line line = { .space = NTHW_SPACE_MSR,
				       .address = 0x38d,
				       .bits = 64,
				       .package = -1,
				       .device = "CPU 1",
				       .name = "IA32_FIXED_CTR_CTRL",
				       .last = 0xb,
				       .next = 0xb,
				       .ours = 0xb };
	struct pmu pmu;

	pmu_clear();
	pmu_init(&pmu);
	pmu.reg[0] = (struct pmu_register){ 0x38d, 0xbb };
	record_one(&line);
	TT_IS(repair(&pmu), 0);
	TT_IS(*pmu_at(&pmu, 0x38d), 0xb8);
}

/* ---- a PCI function ---- */

#define BOX_CTL 0xf4

static int pci_read(struct nthw_io *io, enum nthw_space space, unsigned int unit, uint32_t address,
		    uint64_t *value)
{
	TT_IS(space, NTHW_SPACE_PCI);
	TT_IS(unit, 7);
	*value = *pmu_at((struct pmu *)io, address);
	return 0;
}

static int pci_write(struct nthw_io *io, enum nthw_space space, unsigned int unit, uint32_t address,
		     uint64_t value)
{
	TT_IS(space, NTHW_SPACE_PCI);
	TT_IS(unit, 7);
	*pmu_at((struct pmu *)io, address) = value;
	return 0;
}

TEST(memory_controllers)
{
	uint32_t index;
	const struct nthw_box_kind imc = {
		.name = "snbep_imc",
		.space = NTHW_SPACE_PCI,
		.table = &nthw_snbep_imc,
		.counter = nthw_table_find(&nthw_snbep_imc, 0xa0, &index),
		.fixed_counter = nthw_table_find(&nthw_snbep_imc, 0xd0, &index),
	};
	const struct nti_claim_pmu what = { .name = "uncore-0",
					    .what = "channel 0 of package 1",
					    .kind = &imc,
					    .function = "0000:ff:10.0" };
	struct pmu pmu = { .io = { .read = pci_read, .write = pci_write },
			   .device = "0000:ff:10.0",
			   .reg = { { BOX_CTL, 0x10000 },
				    { 0xa8, 0xffffffffffff },
				    { 0xdc, 0x12 },
				    { 0xd8, 0 },
				    { 0xe0, 0 },
				    { 0xe4, 0 },
				    { 0xf0, 0 } },
			   .count = 7 };
	struct pmu before, first;
	struct nti_claim_owner owner;
	struct nti_claim *claim;
	struct steps s = { .count = 0 };
	struct nthw_io *io;

	pmu_clear();
	pmu_init(&first);
	pmu.handles = first.handles;
	before = pmu;
	TT_IS(nti_claim_new(pmu_os, &what, &pmu.io, &owner, &claim), 0);
	io = nti_claim_io(claim);
	TT_IS(io->write(io, NTHW_SPACE_PCI, 7, BOX_CTL, 0x10100), 0);
	TT_IS(io->write(io, NTHW_SPACE_PCI, 7, 0xdc, 0x400304), 0);
	TT_IS(io->write(io, NTHW_SPACE_PCI, 7, 0xa8, 0), 0);
	/* Killed: nothing is settled. */
	nti_claim_free(claim);
	TT_IS(repair_noting(&pmu, 0, &s, NULL), 0);
	TT_IS(s.count, 1);
	check_step(&s, 0, "MC_CH_PCI_PMON_CTL1", 0x400304, 0x304, 0);
	*pmu_at(&before, BOX_CTL) = 0x10100;
	*pmu_at(&before, 0xdc) = 0x304;
	*pmu_at(&before, 0xa8) = 0;
	pmu_compare(&pmu, &before);
	/*
	 * A function that was pulled out answers with ones: nothing to write to, and nobody else's.
	 */
	TT_IS(nti_claim_new(pmu_os, &what, &pmu.io, &owner, &claim), 0);
	io = nti_claim_io(claim);
	TT_IS(io->write(io, NTHW_SPACE_PCI, 7, 0xdc, 0x400304), 0);
	nti_claim_free(claim);
	*pmu_at(&pmu, 0xdc) = 0xffffffff;
	s = (struct steps){ .count = 0 };
	TT_IS(repair_noting(&pmu, 0, &s, NULL), 0);
	check_step(&s, 0, "MC_CH_PCI_PMON_CTL1", 0xffffffff, 0xffffffff, -ENODEV);
	*pmu_at(&pmu, 0xdc) = 0x304;
	pmu_compare(&pmu, &before);
	/* Without the function's address there is nothing to write down. */
	TT_IS(nti_claim_new(
		      pmu_os,
		      &(struct nti_claim_pmu){ .name = "uncore-0", .what = "x", .kind = &imc },
		      &pmu.io, &owner, &claim),
	      0);
	io = nti_claim_io(claim);
	TT_IS(io->write(io, NTHW_SPACE_PCI, 7, BOX_CTL, 0x10100), -EINVAL);
	pmu_compare(&pmu, &before);
	nti_claim_free(claim);
}

static int set_up(void **state)
{
	moment = calloc(MOMENTS_MAX, sizeof(*moment));
	return moment ? pmu_set_up(state) : -1;
}

static int tear_down(void **state)
{
	free(moment);
	return pmu_tear_down(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(killed_at_any_byte),
		cmocka_unit_test(damaged_at_any_byte),
		cmocka_unit_test(killed_while_restoring),
		cmocka_unit_test(accesses_that_failed),
		cmocka_unit_test(tells_each_register),
		cmocka_unit_test(every_access_of_a_repair_fails_once),
		cmocka_unit_test(without_permission),
		cmocka_unit_test(stopped_in_the_middle),
		cmocka_unit_test(devices_that_are_gone),
		cmocka_unit_test(others_bits_stay),
		cmocka_unit_test(others_counters_stay),
		cmocka_unit_test(what_does_not_run_is_not_written),
		cmocka_unit_test(owned_again),
		cmocka_unit_test(killed_by_a_signal),
		cmocka_unit_test(of_another_boot),
		cmocka_unit_test(registers_without_row),
		cmocka_unit_test(registers_of_boxes_have_rows),
		cmocka_unit_test(functions_with_such_registers),
		cmocka_unit_test(multiplexers_of_cards_are_written_down),
		cmocka_unit_test(list_of_what_was_left),
		cmocka_unit_test(another_cpu_of_the_package),
		cmocka_unit_test(memory_controllers),
	};

	if (!tt_knows_boot())
		return tt_skip_all(TT_NO_BOOT);
	return cmocka_run_group_tests(tests, set_up, tear_down) ? 1 : 0;
}
