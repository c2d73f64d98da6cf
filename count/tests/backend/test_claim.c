// SPDX-License-Identifier: MIT
/*
 * Claims: one program has a PMU, the other learns who; what is written down before a register is
 * written.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/regs/regs.h"
#include "count/lib/access/claim_file.h"
#include "count/tests/backend/claim_pmu.h"
#include "base/tests/tt.h"

#define FILE_NAME "/run/ntime/uncore-0"
#define NOBODY 65534

static int try_take(struct pmu *pmu, struct nti_claim_owner *owner)
{
	struct nti_claim *claim;
	int ret = nti_claim_new(pmu_os, &pmu_claim, &pmu->io, owner, &claim);

	nti_claim_free(claim);
	return ret;
}

static bool is_file(const char *path)
{
	return access(pmu_path(path), F_OK) == 0;
}

/* Run @fn in a child; its exit status, or 128 and more when a signal ended it. */
static int in_child(int (*fn)(void *arg), void *arg)
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0)
		_exit(fn(arg));
	TT_IS(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* ---- one process ---- */

TEST(leaves_nothing)
{
	struct pmu pmu, before;
	struct nti_claim *claim;
	char text[NTI_CLAIM_FILE_BYTES];

	pmu_clear();
	pmu_init(&pmu);
	before = pmu;
	claim = pmu_take(&pmu);
	TT_IS(pmu_read_file(text, sizeof(text)), NTI_CLAIM_LINE_BYTES);
	TT_IS(pmu_program(nti_claim_io(claim)), 0);
	TT_IS(*pmu_at(&pmu, ENABLE), 0x10000008d);
	TT_IS(*pmu_at(&pmu, SELECT3), 0x400182);
	/* Two selects; counters and what they share are not on record. */
	TT_IS(pmu_read_file(text, sizeof(text)), 3 * NTI_CLAIM_LINE_BYTES);
	TT_IS(pmu_restore(nti_claim_io(claim), &before), 0);
	pmu_compare(&pmu, &before);
	nti_claim_settle(claim);
	TT_IS(pmu_read_file(text, sizeof(text)), NTI_CLAIM_LINE_BYTES);
	/* It can go on after that. */
	TT_IS(pmu_program(nti_claim_io(claim)), 0);
	TT_IS(pmu_read_file(text, sizeof(text)), 3 * NTI_CLAIM_LINE_BYTES);
	nti_claim_settle(claim);
	nti_claim_free(claim);
	assert_false(is_file(FILE_NAME));
}

TEST(writes_down_first)
{
	struct pmu pmu;
	struct nti_claim *claim;
	struct nthw_io *io;
	struct nti_claim_record *r = calloc(1, sizeof(*r));
	char text[NTI_CLAIM_FILE_BYTES];
	const char *reason;
	uint64_t value;
	long n;

	pmu_clear();
	pmu_init(&pmu);
	claim = pmu_take(&pmu);
	io = nti_claim_io(claim);
	TT_IS(io->write(io, NTHW_SPACE_MSR, 1, SELECT3, 0x400101), 0);
	/* Somebody else changes a bit, and we go on beside him. */
	*pmu_at(&pmu, SELECT3) |= 0x2;
	TT_IS(io->read(io, NTHW_SPACE_MSR, 1, SELECT3, &value), 0);
	TT_IS(io->write(io, NTHW_SPACE_MSR, 1, SELECT3, value | 0x10), 0);
	TT_IS(io->write(io, NTHW_SPACE_MSR, 1, COUNT3, 0), 0);
	TT_IS(io->write(io, NTHW_SPACE_MSR, 1, ENABLE, 0x10000008d), 0);
	n = pmu_read_file(text, sizeof(text));
	assert_true(n > 0);
	TT_IS(nti_claim_parse(text, (size_t)n, r, &reason), 0);
	TT_IS(r->head.owner.pid, getpid());
	TT_TEXT(r->head.what, "uncore of package 0");
	TT_HAS(r->head.owner.command, "test_claim");
	TT_IS(r->lines, 1);
	TT_TEXT(r->line[0].device, "CPU 1");
	TT_TEXT(r->line[0].name, "MSR_UNCORE_PERFEVTSEL3");
	TT_IS(r->line[0].last, 0x400101);
	TT_IS(r->line[0].next, 0x400113);
	TT_IS(r->line[0].ours, 0x80400111);
	/* A write that changes nothing leaves nothing behind. */
	TT_IS(io->write(io, NTHW_SPACE_MSR, 1, 0x3c7, 0x400202), 0);
	/* What no row describes is not written. */
	TT_IS(io->write(io, NTHW_SPACE_MSR, 1, 0x9999, 1), -EINVAL);
	TT_IS(pmu_read_file(text, sizeof(text)), n);
	nti_claim_settle(claim);
	nti_claim_free(claim);
	free(r);
}

static int any_read(struct nthw_io *io, enum nthw_space space, unsigned int unit, uint32_t address,
		    uint64_t *value)
{
	(void)io, (void)space, (void)unit, (void)address;
	*value = 0;
	return 0;
}

static int any_write(struct nthw_io *io, enum nthw_space space, unsigned int unit, uint32_t address,
		     uint64_t value)
{
	(void)io, (void)space, (void)unit, (void)address, (void)value;
	return 0;
}

/* Does the claim of a core PMU write down what is written there? */
static bool is_written_down(uint32_t address)
{
	static const struct nti_claim_pmu core = { .name = "cpu-1", .what = "core PMU of CPU 1" };
	struct nthw_io any = { .read = any_read, .write = any_write }, *io;
	struct nti_claim_owner owner;
	struct nti_claim *claim;
	struct stat st;

	TT_IS(nti_claim_new(pmu_os, &core, &any, &owner, &claim), 0);
	io = nti_claim_io(claim);
	TT_IS(io->write(io, NTHW_SPACE_MSR, 1, address, 0x7fffffff), 0);
	TT_IS(stat(pmu_path("/run/ntime/cpu-1"), &st), 0);
	nti_claim_settle(claim);
	nti_claim_free(claim);
	return st.st_size > NTI_CLAIM_LINE_BYTES;
}

TEST(selects_of_cores)
{
	static const char *const names[] = { "IA32_PERFEVTSEL", "IA32_FIXED_CTR_CTRL", "EVNTSEL",
					     "PERF_CTL" };
	const struct nthw_table *tables[] = { &nthw_x86, &nthw_amd_legacy, &nthw_amd_core,
					      &nthw_amd_v2 };
	size_t t, i, k, selects = 0;

	pmu_clear();
	for (t = 0; t < NTI_ARRAY_SIZE(tables); t++) {
		for (i = 0; i < tables[t]->count; i++) {
			const struct nthw_reg *row = tables[t]->regs[i];
			bool is_select = is_written_down(row->addr);

			for (k = 0; k < NTI_ARRAY_SIZE(names) && strcmp(row->name, names[k]); k++)
				;
			if (is_select != (k < NTI_ARRAY_SIZE(names)))
				fail_msg("%s is taken for what it is not", row->name);
			selects += is_select;
		}
	}
	assert_true(selects >= 4);
}

static void check_box_register(const struct nthw_box *box, const struct nthw_reg *row,
			       bool is_select)
{
	static struct nti_claim_record r;
	const struct nti_claim_pmu pmu = { .name = "cpu-1",
					   .what = "a box",
					   .kind = box->kind,
					   .number = box->number,
					   .function = "0000:7f:10.0" };
	char text[NTI_CLAIM_FILE_BYTES], name[NTHW_NAME_SIZE];
	uint32_t index = row->count - 1;
	struct nti_claim_owner owner;
	struct nti_claim *claim;
	struct nthw_io *io;
	const char *reason;
	int fd, n;

	TT_IS(nti_claim_new(pmu_os, &pmu, box->io, &owner, &claim), 0);
	io = nti_claim_io(claim);
	(void)nthw_reg_name(row, index, name, sizeof(name));
	if (io->write(io, row->space, 1, nthw_box_address(box, row, index), nthw_reg_stored(row)) <
	    0)
		fail_msg("%s of box %u of %s cannot be written", name, box->number,
			 box->kind->name);
	fd = open(pmu_path("/run/ntime/cpu-1"), O_RDONLY | O_CLOEXEC);
	n = (int)read(fd, text, sizeof(text));
	TT_IS(close(fd), 0);
	TT_IS(nti_claim_parse(text, (size_t)n, &r, &reason), 0);
	TT_IS(r.lines, is_select);
	if (r.lines)
		TT_TEXT(r.line[0].name, name);
	nti_claim_settle(claim);
	nti_claim_free(claim);
}

static void check_box(const struct nthw_box_kind *k, uint32_t number)
{
	struct nthw_io any = { .read = any_read, .write = any_write };
	const struct nthw_box box = { .kind = k, .io = &any, .unit = 1, .number = number };
	const struct nthw_reg *const rows[] = { k->select,	 k->fixed_select, k->enable,
						k->status,	 k->clear,	  k->control,
						k->filter[0],	 k->filter[1],	  k->counter,
						k->fixed_counter };
	size_t i;

	for (i = 0; i < NTI_ARRAY_SIZE(rows); i++) {
		if (rows[i])
			check_box_register(&box, rows[i], i < 2);
	}
}

/*
 * Whatever a sequence writes to a box has a row, and is known by its name also in the last box of
 * its kind.
 */
TEST(every_kind_of_box)
{
	size_t i, boxes = 0;

	pmu_clear();
	for (i = 0; i < nthw_box_kind_count; i++) {
		const struct nthw_box_kind *k = nthw_box_kinds[i];

		if (k->free)
			continue;
		check_box(k, 0);
		check_box(k, k->boxes ? k->boxes - 1 : 0);
		boxes++;
	}
	assert_true(boxes > 3);
}

TEST(twice_in_one_process)
{
	struct pmu pmu;
	struct nti_claim *claim;
	struct nti_claim_owner owner;

	pmu_clear();
	pmu_init(&pmu);
	claim = pmu_take(&pmu);
	TT_IS(try_take(&pmu, &owner), -EBUSY);
	TT_IS(owner.pid, getpid());
	TT_IS(owner.has_ended, 0);
	/* The refused one does not take the file away. */
	TT_IS(try_take(&pmu, &owner), -EBUSY);
	nti_claim_free(claim);
	TT_IS(try_take(&pmu, &owner), 0);
}

TEST(names)
{
	static const struct name_row {
		int line;
		const char *name;
		int ret;
	} rows[] = {
		{ __LINE__, "uncore_imc_0-1", 0 },
		{ __LINE__, "0000:7f:10.0", 0 },
		{ __LINE__, "", -EINVAL },
		{ __LINE__, ".hidden", -EINVAL },
		{ __LINE__, "..", -EINVAL },
		{ __LINE__, "../passwd", -EINVAL },
		{ __LINE__, "a b", -EINVAL },
		{ __LINE__, "a234567890123456789012345678901234567890123456789012345678901234",
		  -EINVAL },
	};
	struct pmu pmu;

	pmu_init(&pmu);
	TT_FOR_EACH_ROW(r, rows) {
		struct nti_claim_pmu what = { .name = r->name, .what = "x" };
		struct nti_claim_owner owner;
		struct nti_claim *claim;

		TT_EQ(r, nti_claim_new(pmu_os, &what, &pmu.io, &owner, &claim), r->ret);
		nti_claim_free(claim);
	}
}

TEST(recordings_are_nobodys)
{
	struct pmu pmu;
	struct nti_claim *claim;

	pmu_clear();
	pmu_init(&pmu);
	pmu_os->is_simulated = true;
	claim = pmu_take(&pmu);
	TT_IS(pmu_program(nti_claim_io(claim)), 0);
	TT_IS(*pmu_at(&pmu, SELECT3), 0x400182);
	nti_claim_settle(claim);
	nti_claim_free(claim);
	pmu_os->is_simulated = false;
	assert_false(is_file("/run"));
}

/* ---- several processes ---- */

static int is_refused(void *arg)
{
	struct nti_claim_owner owner;
	int ret = try_take(arg, &owner);

	return ret == -EBUSY && owner.pid == getppid() && !owner.has_ended &&
			       strstr(owner.command, "test_claim")
		       ? 0
		       : 1;
}

TEST(another_process_is_refused)
{
	struct pmu pmu;
	struct nti_claim *claim;
	struct nti_claim_owner owner;

	pmu_clear();
	pmu_init(&pmu);
	claim = pmu_take(&pmu);
	TT_IS(in_child(is_refused, &pmu), 0);
	nti_claim_free(claim);
	TT_IS(in_child(is_refused, &pmu), 1);
	TT_IS(try_take(&pmu, &owner), 0);
}

static int end_claim(void *arg)
{
	struct nti_claim *claim = arg;
	struct nthw_io *io = nti_claim_io(claim);
	int ret = io->write(io, NTHW_SPACE_MSR, 1, ENABLE, 0);

	nti_claim_settle(claim);
	nti_claim_free(claim);
	return ret == -EPERM ? 0 : 1;
}

TEST(a_fork_does_not_end_it)
{
	struct pmu pmu;
	struct nti_claim *claim;
	struct nti_claim_owner owner;
	char text[NTI_CLAIM_FILE_BYTES];

	pmu_clear();
	pmu_init(&pmu);
	claim = pmu_take(&pmu);
	TT_IS(in_child(end_claim, claim), 0);
	TT_IS(pmu_read_file(text, sizeof(text)), NTI_CLAIM_LINE_BYTES);
	TT_IS(pmu_program(nti_claim_io(claim)), 0);
	TT_IS(in_child(end_claim, claim), 0);
	TT_IS(pmu_read_file(text, sizeof(text)), 3 * NTI_CLAIM_LINE_BYTES);
	TT_IS(try_take(&pmu, &owner), -EBUSY);
	nti_claim_settle(claim);
	nti_claim_free(claim);
	assert_false(is_file(FILE_NAME));
}

struct door {
	struct pmu *pmu;
	int wait[2], ready[2];
	bool is_exec;
};

/* Claim, have a child that waits before exec, and be killed. */
static int leave_child(void *arg)
{
	struct door *d = arg;
	char byte;

	(void)pmu_take(d->pmu);
	if (fork() == 0) {
		/* With the other end of its own open it would wait for itself. */
		(void)close(d->wait[1]);
		(void)close(d->ready[0]);
		if (d->is_exec) {
			(void)dup2(d->wait[0], 0);
			(void)dup2(d->ready[1], 1);
			(void)execlp("sh", "sh", "-c", "echo; exec cat >/dev/null", (char *)NULL);
		}
		(void)!write(d->ready[1], "", 1);
		(void)!read(d->wait[0], &byte, 1);
		_exit(0);
	}
	(void)close(d->ready[1]);
	(void)!read(d->ready[0], &byte, 1);
	return raise(SIGKILL);
}

/* What somebody gets who comes then. */
static int take_beside_child(struct pmu *pmu, bool is_exec, struct nti_claim_owner *owner)
{
	struct door d = { .pmu = pmu, .is_exec = is_exec };
	int ret;

	TT_IS(pipe2(d.wait, O_CLOEXEC), 0);
	TT_IS(pipe2(d.ready, O_CLOEXEC), 0);
	TT_IS(in_child(leave_child, &d), 128 + SIGKILL);
	ret = try_take(pmu, owner);
	TT_IS(close(d.wait[0]) | close(d.wait[1]) | close(d.ready[0]) | close(d.ready[1]), 0);
	return ret;
}

TEST(an_executed_command_does_not_hold_it)
{
	struct nti_claim_owner owner;
	struct pmu pmu;

	pmu_clear();
	pmu_init(&pmu);
	TT_IS(take_beside_child(&pmu, true, &owner), 0);
}

TEST(a_fork_holds_it)
{
	struct nti_claim_owner owner;
	struct nti_absence why = { 0 };
	struct pmu pmu;

	pmu_clear();
	pmu_init(&pmu);
	TT_IS(take_beside_child(&pmu, false, &owner), -EBUSY);
	TT_IS(owner.has_ended, 1);
	TT_IS(nti_claim_explain(&pmu_claim, -EBUSY, &owner, &why), 0);
	TT_HAS(why.reason, "left behind");
	nti_absence_fini(&why);
}

/* Whoever has the claim is alone with this folder. */
static int contend(void *arg)
{
	unsigned int turns = 0;
	char alone[PATH_MAX];
	struct nti_claim_owner owner;
	struct nti_claim *claim;
	int ret;

	(void)snprintf(alone, sizeof(alone), "%s/alone", pmu_root);
	/*
	 * How often it is somebody else's is the scheduler's affair; a claim that nobody gets any
	 * more ends at the test's own limit.
	 */
	while (turns < 200) {
		ret = nti_claim_new(pmu_os, &pmu_claim, arg, &owner, &claim);
		if (ret == -EBUSY || ret == -EAGAIN) {
			(void)sched_yield();
			continue;
		}
		if (ret < 0 || mkdir(alone, 0700) < 0)
			return 1;
		(void)sched_yield();
		if (rmdir(alone) < 0)
			return 2;
		nti_claim_free(claim);
		turns++;
	}
	return 0;
}

TEST(one_at_a_time)
{
	pid_t child[4];
	struct pmu pmu;
	size_t i;
	int status;

	pmu_clear();
	pmu_init(&pmu);
	for (i = 0; i < NTI_ARRAY_SIZE(child); i++) {
		child[i] = fork();
		assert_true(child[i] >= 0);
		if (child[i] == 0)
			_exit(contend(&pmu.io));
	}
	for (i = 0; i < NTI_ARRAY_SIZE(child); i++) {
		TT_IS(waitpid(child[i], &status, 0), child[i]);
		TT_IS(status, 0);
	}
	assert_false(is_file(FILE_NAME));
}

/* ---- files that cannot be written ---- */

static void limit_file(rlim_t bytes)
{
	struct rlimit limit = { 0 };

	TT_IS(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = bytes;
	TT_IS(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

TEST(no_record_no_write)
{
	struct pmu pmu, before;
	struct nti_claim *claim;
	struct nti_claim_owner owner;
	struct nthw_io *io;
	rlim_t room;

	(void)signal(SIGXFSZ, SIG_IGN);
	for (room = 0; room <= 3 * NTI_CLAIM_LINE_BYTES; room += 64) {
		bool has_head = room >= NTI_CLAIM_LINE_BYTES;
		char text[NTI_CLAIM_FILE_BYTES];
		int ret;

		pmu_clear();
		pmu_init(&pmu);
		before = pmu;
		claim = NULL;
		limit_file(room);
		ret = nti_claim_new(pmu_os, &pmu_claim, &pmu.io, &owner, &claim);
		if (!has_head) {
			limit_file(RLIM_INFINITY);
			TT_IS(ret, -EFBIG);
			assert_null(claim);
			assert_false(is_file(FILE_NAME));
			continue;
		}
		io = nti_claim_io(claim);
		ret = io->write(io, NTHW_SPACE_MSR, 1, SELECT2, 0x420183);
		if (ret == 0)
			ret = io->write(io, NTHW_SPACE_MSR, 1, SELECT3, 0x420183);
		limit_file(RLIM_INFINITY);
		TT_IS(ret, room < 3 * NTI_CLAIM_LINE_BYTES ? -EFBIG : 0);
		TT_IS(pmu_read_file(text, sizeof(text)),
		      room / NTI_CLAIM_LINE_BYTES * NTI_CLAIM_LINE_BYTES);
		/* The register whose record was refused holds what it held. */
		if (ret < 0)
			TT_IS(*pmu_at(&pmu, SELECT3), *pmu_at(&before, SELECT3));
		/* With room again it goes on. */
		TT_IS(pmu_program(io), 0);
		TT_IS(pmu_restore(io, &before), 0);
		pmu_compare(&pmu, &before);
		nti_claim_settle(claim);
		nti_claim_free(claim);
	}
}

/* Selects of a core, of all makes. */
static uint32_t select_of_core(uint32_t i)
{
	return i < 8 ? 0x186 + i : i < 14 ? 0xc0010200 + 2 * (i - 8) : 0xc0010000 + i - 14;
}

/* A file system of one page, in a namespace of its own. */
static int fill_disk(void *arg)
{
	static const struct nti_claim_pmu core = { .name = "cpu-1", .what = "core PMU of CPU 1" };
	struct pmu *pmu = arg;
	struct nti_claim_owner owner;
	struct nti_claim *claim;
	struct nthw_io *io;
	int ret;
	uint32_t i;

	if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return 77;
	(void)mkdir(pmu_path("/run"), 0755);
	if (mount("none", pmu_path("/run"), "tmpfs", 0, "size=4k,mode=755") < 0)
		return 77;
	/* The root that is open is one of the namespace before, where nothing was mounted. */
	pmu_os->ops->free(pmu_os);
	if (nti_os_linux_new(pmu_root, &pmu_os) < 0)
		return 1;
	ret = nti_claim_new(pmu_os, &core, &pmu->io, &owner, &claim);
	io = ret ? NULL : nti_claim_io(claim);
	/* 15 lines beside the first one. */
	for (i = 0; ret == 0 && i < 16; i++)
		ret = io->write(io, NTHW_SPACE_MSR, 1, select_of_core(i), 0x400101);
	return ret == -ENOSPC && i == 16 && *pmu_at(pmu, select_of_core(15)) == 5 ? 0 : 1;
}

TEST(a_full_disk)
{
	struct pmu pmu;
	uint32_t i;
	int ret;

	pmu_clear();
	pmu_init(&pmu);
	for (pmu.count = i = 0; i < 16; i++)
		pmu.reg[pmu.count++] = (struct pmu_register){ select_of_core(i), 5 };
	ret = in_child(fill_disk, &pmu);
	if (ret == 77)
		TT_SKIP("a file system of one page cannot be mounted by this user");
	TT_IS(ret, 0);
}

/* ---- directories and files that are not to be believed ---- */

static int as_nobody(void *arg)
{
	struct nti_claim_owner owner;

	if (getuid() != 0 || setgid(NOBODY) < 0 || setuid(NOBODY) < 0)
		return 77;
	return -try_take(arg, &owner);
}

TEST(ordinary_users)
{
	struct pmu pmu;
	struct nti_claim *claim;
	struct nti_absence why = { 0 };
	struct nti_claim_owner owner = { 0 };

	pmu_clear();
	pmu_init(&pmu);
	if (in_child(as_nobody, &pmu) == 77)
		TT_SKIP("needs root, with the capabilities to become nobody");
	/* There is no directory, and none may be made; there is one; there is even the file. */
	TT_IS(in_child(as_nobody, &pmu), EACCES);
	claim = pmu_take(&pmu);
	TT_IS(in_child(as_nobody, &pmu), EACCES);
	nti_claim_free(claim);
	TT_IS(in_child(as_nobody, &pmu), EACCES);
	TT_IS(nti_claim_explain(&pmu_claim, -EACCES, &owner, &why), 0);
	TT_TEXT(why.remedy, NTI_AS_ROOT);
	nti_absence_fini(&why);
}

TEST(others_directories)
{
	struct pmu pmu;
	struct nti_claim_owner owner;

	pmu_clear();
	pmu_init(&pmu);
	TT_IS(try_take(&pmu, &owner), 0);
	TT_IS(chmod(pmu_path("/run/ntime"), 0775), 0);
	TT_IS(try_take(&pmu, &owner), -ENOTDIR);
	TT_IS(chmod(pmu_path("/run/ntime"), 0757), 0);
	TT_IS(try_take(&pmu, &owner), -ENOTDIR);
	TT_IS(chmod(pmu_path("/run/ntime"), 0755), 0);
	TT_IS(try_take(&pmu, &owner), 0);
	/* Root of a container may lack the capability. */
	if (chown(pmu_path("/run/ntime"), NOBODY, 0) == 0)
		TT_IS(try_take(&pmu, &owner), -ENOTDIR);
	else
		TT_IS(errno, EPERM);
	TT_IS(rmdir(pmu_path("/run/ntime")), 0);
	TT_IS(symlink("..", pmu_path("/run/ntime")), 0);
	TT_IS(try_take(&pmu, &owner), -ENOTDIR);
	TT_IS(unlink(pmu_path("/run/ntime")), 0);
	TT_IS(close(open(pmu_path("/run/ntime"), O_CREAT | O_WRONLY | O_CLOEXEC, 0600)), 0);
	TT_IS(try_take(&pmu, &owner), -ENOTDIR);
}

TEST(others_files)
{
	struct pmu pmu;
	struct nti_claim_owner owner;
	char target[PATH_MAX], text[NTI_CLAIM_FILE_BYTES + 2];

	pmu_clear();
	pmu_init(&pmu);
	pmu_write_file("target", "precious", 8);
	(void)snprintf(target, sizeof(target), "%s/run/ntime/target", pmu_root);
	TT_IS(symlink("target", pmu_path(FILE_NAME)), 0);
	TT_IS(try_take(&pmu, &owner), -EBADMSG);
	TT_IS(unlink(pmu_path(FILE_NAME)), 0);
	pmu_write_file("target", "", 0);
	TT_IS(link(target, pmu_path(FILE_NAME)), 0);
	TT_IS(try_take(&pmu, &owner), -EBADMSG);
	TT_IS(unlink(pmu_path(FILE_NAME)), 0);
	/* Nobody waits for the other end of a pipe. */
	TT_IS(mkfifo(pmu_path(FILE_NAME), 0600), 0);
	TT_IS(try_take(&pmu, &owner), -EBADMSG);
	TT_IS(unlink(pmu_path(FILE_NAME)), 0);
	TT_IS(mkdir(pmu_path(FILE_NAME), 0700), 0);
	TT_IS(try_take(&pmu, &owner), -EBADMSG);
	TT_IS(rmdir(pmu_path(FILE_NAME)), 0);
	pmu_write_file("uncore-0", "somebody's notes\n", 17);
	TT_IS(try_take(&pmu, &owner), -EBADMSG);
	TT_IS(pmu_read_file(text, sizeof(text)), 17);
	TT_IS(chmod(pmu_path(FILE_NAME), 0620), 0);
	TT_IS(try_take(&pmu, &owner), -EBADMSG);
	memset(text, ' ', sizeof(text));
	(void)snprintf(text, sizeof(text), "ntime-claim-2\t");
	text[strlen(text)] = ' ';
	pmu_write_file("uncore-0", text, sizeof(text));
	TT_IS(chmod(pmu_path(FILE_NAME), 0600), 0);
	TT_IS(try_take(&pmu, &owner), -EBADMSG);
	pmu_write_file("uncore-0", "", 0);
	if (chown(pmu_path(FILE_NAME), NOBODY, 0) == 0) {
		TT_IS(try_take(&pmu, &owner), -EBADMSG);
		TT_IS(chown(pmu_path(FILE_NAME), 0, 0), 0);
	}
	/* Nothing but the beginning of a claim: nothing was done with it. */
	pmu_write_file("uncore-0", "ntime-cl", 8);
	TT_IS(try_take(&pmu, &owner), 0);
	assert_false(is_file(FILE_NAME));
	TT_IS(close(open(target, O_RDONLY | O_CLOEXEC)), 0);
}

static const struct why_row {
	int line, error;
	struct nti_claim_owner owner;
	const char *reason, *remedy;
} why_rows[] = {
	{ __LINE__,
	  -EBUSY,
	  { 123, "ntime watch", false },
	  "uncore of package 0 is in use by ntime watch (pid 123)",
	  "end it, or wait for its end" },
	{ __LINE__,
	  -EBUSY,
	  { 123, "ntime watch", false, "MSR_UNCORE_PERFEVTSEL2" },
	  "MSR_UNCORE_PERFEVTSEL2 of package 0 is in use by ntime watch (pid 123)",
	  "end it, or wait for its end" },
	{ __LINE__,
	  -EBUSY,
	  { 123, "", true, "MSR_UNCORE_PERFEVTSEL2" },
	  "uncore of package 0 is in use by a process that a program (pid 123) left behind",
	  "end it, or wait for its end" },
	{ __LINE__,
	  -EBUSY,
	  { 0, "", false },
	  "uncore of package 0 is in use by another program",
	  "end it, or wait for its end" },
	{ __LINE__,
	  -EUCLEAN,
	  { 123, "ntime watch", false },
	  "uncore of package 0 was left programmed by ntime watch (pid 123)",
	  "ntime doctor --repair" },
	{ __LINE__,
	  -EBADMSG,
	  { 0, "", false },
	  "the file that says who has uncore of package 0, /run/ntime/uncore-0, is damaged or not "
	  "ntime's",
	  "see that no program counts with it, then: rm /run/ntime/uncore-0" },
	{ __LINE__,
	  -ENOTDIR,
	  { 0, "", false },
	  "/run/ntime is not a directory that only root can write to",
	  "remove it" },
	{ __LINE__,
	  -ENOSPC,
	  { 0, "", false },
	  "cannot write down in /run/ntime who has uncore of package 0: No space left on device",
	  "make sure that it can be written to" },
};

TEST(reasons)
{
	TT_FOR_EACH_ROW(r, why_rows) {
		struct nti_absence why = { 0 };

		TT_EQ(r, nti_claim_explain(&pmu_claim, r->error, &r->owner, &why), 0);
		TT_STR(r, why.reason, r->reason);
		TT_STR(r, why.remedy ? why.remedy : "", r->remedy);
		nti_absence_fini(&why);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(leaves_nothing),
		cmocka_unit_test(writes_down_first),
		cmocka_unit_test(selects_of_cores),
		cmocka_unit_test(every_kind_of_box),
		cmocka_unit_test(twice_in_one_process),
		cmocka_unit_test(names),
		cmocka_unit_test(recordings_are_nobodys),
		cmocka_unit_test(another_process_is_refused),
		cmocka_unit_test(a_fork_does_not_end_it),
		cmocka_unit_test(an_executed_command_does_not_hold_it),
		cmocka_unit_test(a_fork_holds_it),
		cmocka_unit_test(one_at_a_time),
		cmocka_unit_test(no_record_no_write),
		cmocka_unit_test(a_full_disk),
		cmocka_unit_test(ordinary_users),
		cmocka_unit_test(others_directories),
		cmocka_unit_test(others_files),
		cmocka_unit_test(reasons),
	};

	return cmocka_run_group_tests(tests, pmu_set_up, pmu_tear_down) ? 1 : 0;
}
