/* SPDX-License-Identifier: MIT */
/*
 * Claims: which program has a PMU instance, where no kernel keeps owners apart (msr, pci). A claim
 * is a file of one PMU instance in /run/ntime that its owner holds a lock on: the lock ends with
 * the process, however it ends. The file begins with who owns it and goes on with a line for each
 * register that lets a counter run, before it is first changed, so a claim without an owner that
 * has such lines is what a killed program left behind. docs/adr/0011-claims.md tells why so,
 * claim_file.h what a file looks like.
 */
#ifndef NTI_CLAIM_H
#define NTI_CLAIM_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/base/io.h"
#include "core/base/names.h"
#include "base/common/absence.h"
#include "base/common/error.h"
#include "base/os/os.h"

#define NTI_CLAIM_DIRECTORY "/run/ntime"
#define NTI_CLAIM_NAME_BYTES 64
#define NTI_CLAIM_WHAT_BYTES 64
#define NTI_CLAIM_COMMAND_BYTES 64

struct nthw_box_kind;
struct nthw_nv_chip;
struct nti_claim;

/* What is claimed. */
struct nti_claim_pmu {
	const char *name;  /* of the file: "uncore-0", "uncore_imc_0-1", "cpu-3" */
	const char *what;  /* for people: "uncore of package 0" */
	const char *where; /* its end: "package 0" */
	/*
	 * Whose rows describe the registers, moved by .number times .kind->step; NULL: those of a
	 * core PMU.
	 */
	const struct nthw_box_kind *kind;
	uint32_t number;
	const struct nthw_nv_chip *chip; /* of a graphics card, whose rows these are; else NULL */
	const char *function;		 /* PCI address; NULL or "": there are MSRs only */
};

/* Who has, or had, a PMU instance. */
struct nti_claim_owner {
	pid_t pid; /* 0: not known */
	/*
	 * "ntime watch", of /proc/PID/cmdline when it began; control characters replaced. "" not
	 * known
	 */
	char command[NTI_CLAIM_COMMAND_BYTES];
	bool has_ended; /* and the lock is held by a process that it forked */
	/* the first that he lets a counter run with. "": none so far, or not known */
	char select[NTHW_NAME_SIZE];
};

/*
 * Claim @pmu; writes then go to @io. In a recording there is nobody to keep away and nothing is
 * recorded. 0; -EBUSY: *@owner has it; -EUCLEAN: *@owner had it, ended, and left registers changed;
 * -EBADMSG: there is a file of that name that is not ours, or damaged; -EACCES, -EROFS, -ENOSPC and
 * so on of the directory.
 */
int nti_claim_new(struct nti_os *os, const struct nti_claim_pmu *pmu, struct nthw_io *io,
		  struct nti_claim_owner *owner, struct nti_claim **out);
/* Why nti_claim_new() gave @error, and what to do. 0 or -ENOMEM. */
int nti_claim_explain(const struct nti_claim_pmu *pmu, int error,
		      const struct nti_claim_owner *owner, struct nti_absence *out);
/*
 * The claim's own io: records what is written to registers that let counters run. A record that
 * cannot be written fails the write with the file's error. Registers without a row are not written:
 * -EINVAL. In a process that the owner forked: -EPERM.
 */
struct nthw_io *nti_claim_io(struct nti_claim *claim);
/* Everything was restored: forget the record. */
void nti_claim_settle(struct nti_claim *claim);
/*
 * End it: removes the file, unless there is a record that was not settled. NULL is accepted. In a
 * process that the owner forked the owner keeps it; forks keep the lock as well as long as they
 * live, those that exec do not.
 */
void nti_claim_free(struct nti_claim *claim);

/* One claim without owner that has a record: what a program left. */
struct nti_claim_leftover {
	const char *name, *what; /* damaged or foreign files: what is wrong with it */
	struct nti_claim_owner owner;
	size_t registers; /* that it changed */
	bool is_damaged;  /* a file that is not ours, or not whole: nobody can repair with it */
};
/* Walk them. 0, first non-zero of @fn, or -errno (-ENOENT is 0: no claims were ever made). */
int nti_claim_for_each_leftover(struct nti_os *os,
				int (*fn)(void *arg, const struct nti_claim_leftover *left),
				void *arg);

/*
 * Switch off what claim @name left running: in each register that lets a counter run the bits that
 * do, of those that its owner changed, unless they are no longer as he left them: then somebody
 * else has it now and it is left alone. Nothing else is written, so what others have set up goes
 * on. @fn is told of each register (may be NULL); then the claim is removed. 0; -ENOENT: there is
 * no such claim, or nothing in it; -EBUSY: it is owned again; -EBADMSG: foreign or damaged, nothing
 * was written; -EACCES, -EIO: some register could not be read or written, the record stays; first
 * non-zero of @fn, likewise; or of the files.
 */
struct nti_claim_repair {
	enum nthw_space space;
	const char *device; /* "CPU 3", "0000:7f:10.0" */
	const char *name;   /* of the register, with its number */
	uint32_t address;
	int package; /* any CPU of it reaches the register as well; -1: none */
	uint64_t found, now;
	/*
	 * 0; -EBUSY: somebody else's now; -ENODEV: the device is gone, and with it what it held; or
	 * of the access
	 */
	int error;
	const char *why; /* a sentence about an access that failed; "" else */
};
/* Tell what would be done, and write nothing. */
#define NTI_CLAIM_LOOK 1u
int nti_claim_repair(struct nti_os *os, const char *name, uint32_t flags,
		     int (*fn)(void *arg, const struct nti_claim_repair *step), void *arg,
		     struct nti_error *e);

/* As nti_claim_repair() with registers that @handles reach: for tests. */
struct nti_claim_access {
	int (*read)(struct nti_claim_access *handles, const struct nti_claim_repair *at,
		    uint32_t bits, uint64_t *value, struct nti_error *e);
	int (*write)(struct nti_claim_access *handles, const struct nti_claim_repair *at,
		     uint32_t bits, uint64_t value, struct nti_error *e);
};
int nti_claim_repair_through(struct nti_os *os, struct nti_claim_access *handles, const char *name,
			     uint32_t flags,
			     int (*fn)(void *arg, const struct nti_claim_repair *step), void *arg,
			     struct nti_error *e);

#endif
