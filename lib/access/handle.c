// SPDX-License-Identifier: MIT
/* Who lends registers to core/seq: one loan a bank, by one of three ways. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/names.h"
#include "core/seq/box.h"
#include "lib/access/claim.h"
#include "lib/access/handle.h"
#include "lib/access/msr.h"
#include "lib/access/ntimefs.h"
#include "lib/access/pci.h"
#include "lib/base/text.h"

/* A function that is gone answers with ones; so its vendor's number, which every function has, tells. */
#define PCI_VENDOR 0x00u
#define PCI_VENDOR_BITS 16
#define PCI_NOBODY 0xffffu

struct nti_handles {
	struct nti_os *os;
	struct nti_msr *msr;	/* NULL until borrowed from */
	struct nti_pci *pci;	/* likewise, and where PCI is out of reach */
	struct nti_error error; /* of the access that failed last */
	const struct nti_handle
		*recent; /* the one made last, while it lives: calls that fail are its */
	struct nti_claim_owner owner; /* who has the bank that was asked for last */
	bool was_claim;		      /* it was the claim that failed */
};

struct nti_handle {
	struct nthw_io io; /* of the registers; first: its functions get this pointer */
	struct nti_handles *handles;
	const struct nthw_box_kind *kind;
	enum nti_method method;
	unsigned int unit; /* what the sequences say */
	unsigned int cpu;  /* by which that is reached now */
	char *siblings;	   /* CPUs that reach the same registers, NULL: that one alone */
	const struct nti_pci_function *function;
	struct nti_ntimefs *fs;
	struct nti_claim *claim;
};

static struct nti_handle *handle_of(struct nthw_io *io)
{
	return (struct nti_handle *)io;
}

int nti_handles_new(struct nti_os *os, struct nti_handles **out)
{
	struct nti_handles *l = calloc(1, sizeof(*l));

	*out = l;
	if (!l)
		return -ENOMEM;
	l->os = os;
	return 0;
}

void nti_handles_free(struct nti_handles *l)
{
	if (!l)
		return;
	nti_msr_free(l->msr);
	nti_pci_free(l->pci);
	free(l);
}

/* ---- msr ---- */

struct msr_access {
	struct nti_handle *handle;
	uint32_t address;
	bool is_write;
	uint64_t *value;
	int ret;
};

static int msr_at(const struct msr_access *a, unsigned int cpu)
{
	struct nti_handles *l = a->handle->handles;

	return a->is_write ? nti_msr_write(l->msr, cpu, a->address, *a->value, &l->error)
			   : nti_msr_read(l->msr, cpu, a->address, a->value, &l->error);
}

static int try_sibling(void *arg, unsigned int cpu)
{
	struct msr_access *a = arg;
	int ret;

	if (cpu == a->handle->cpu)
		return 0;
	ret = msr_at(a, cpu);
	if (ret == -ENXIO)
		return 0;
	a->ret = ret;
	a->handle->cpu = cpu;
	return 1;
}

/* A CPU that went away takes the registers of its package not with it: any other one of those that share them will do. */
static int msr_access(struct msr_access *a)
{
	a->ret = msr_at(a, a->handle->cpu);
	if (a->ret == -ENXIO && a->handle->siblings)
		(void)nti_text_for_each_in_list(a->handle->siblings, NTI_CPU_LIMIT, try_sibling, a);
	/* For sequences -ENXIO is a register that hardware does not have. */
	return a->ret == -ENXIO ? -ENODEV : a->ret;
}

static int msr_read(struct nthw_io *io, enum nthw_space space, unsigned int unit, uint32_t address,
		    uint64_t *value)
{
	struct msr_access a = { .handle = handle_of(io), .address = address, .value = value };

	return space == NTHW_SPACE_MSR && unit == a.handle->unit ? msr_access(&a) : -ENOTSUP;
}

static int msr_write(struct nthw_io *io, enum nthw_space space, unsigned int unit, uint32_t address,
		     uint64_t value)
{
	struct msr_access a = {
		.handle = handle_of(io), .address = address, .value = &value, .is_write = true
	};

	return space == NTHW_SPACE_MSR && unit == a.handle->unit ? msr_access(&a) : -ENOTSUP;
}

/* Which CPUs share what @unit has one of: Linux, Documentation/admin-guide/cputopology.rst and ABI/stable/sysfs-devices-system-cpu. */
static const char *sharing_file(const struct nti_handle_request *what)
{
	switch (what->scope) {
	case NTI_SCOPE_PACKAGE:
		return what->box->has_dies ? "topology/die_cpus_list"
					   : "topology/core_siblings_list";
	case NTI_SCOPE_L3:
		return "cache/index3/shared_cpu_list";
	case NTI_SCOPE_CORE:
		return "topology/thread_siblings_list";
	default:
		return NULL;
	}
}

static int find_siblings(struct nti_handle *handle, const struct nti_handle_request *what)
{
	const char *file = what->box ? sharing_file(what) : NULL;
	int ret = -ENOENT;

	if (file)
		ret = nti_os_dup(handle->handles->os, &handle->siblings,
				 "/sys/devices/system/cpu/cpu%u/%s", handle->cpu, file);
	/* A kernel that does not tell leaves the one CPU. */
	return ret == -ENOMEM ? ret : 0;
}

static int borrow_msr(struct nti_handle *handle, const struct nti_handle_request *what)
{
	struct nti_handles *l = handle->handles;
	int ret = l->msr ? 0 : nti_msr_new(l->os, &l->msr);

	handle->io = (struct nthw_io){ .read = msr_read, .write = msr_write };
	return ret < 0 ? ret : find_siblings(handle, what);
}

/* ---- pci ---- */

static uint32_t bits_at(const struct nti_handle *handle, uint32_t address)
{
	uint32_t index;
	const struct nthw_reg *row = nthw_table_find(handle->kind->table, address, &index);

	return row ? row->bits : 32;
}

static uint64_t ones(uint32_t bits)
{
	return bits < 64 ? ((uint64_t)1 << bits) - 1 : UINT64_MAX;
}

static bool is_gone(const struct nti_handle *handle)
{
	uint64_t vendor = PCI_NOBODY;

	return nti_pci_config_read(handle->handles->pci, handle->function, PCI_VENDOR,
				   PCI_VENDOR_BITS, &vendor, NULL) < 0 ||
	       vendor == PCI_NOBODY;
}

static int pci_read(struct nthw_io *io, enum nthw_space space, unsigned int unit, uint32_t address,
		    uint64_t *value)
{
	struct nti_handle *handle = handle_of(io);
	struct nti_handles *l = handle->handles;
	uint32_t bits = bits_at(handle, address);
	uint64_t raw;
	int ret;

	if (space != NTHW_SPACE_PCI || unit != handle->unit)
		return -ENOTSUP;
	ret = nti_pci_config_read(l->pci, handle->function, address, bits, &raw, &l->error);
	if (ret == 0 && raw == ones(bits) && is_gone(handle))
		ret = nti_error(&l->error, -ENODEV, "PCI function %s is gone",
				handle->function->address);
	if (ret == 0)
		*value = raw;
	return ret;
}

static int pci_write(struct nthw_io *io, enum nthw_space space, unsigned int unit, uint32_t address,
		     uint64_t value)
{
	struct nti_handle *handle = handle_of(io);
	struct nti_handles *l = handle->handles;

	if (space != NTHW_SPACE_PCI || unit != handle->unit)
		return -ENOTSUP;
	return nti_pci_config_write(l->pci, handle->function, address, bits_at(handle, address),
				    value, &l->error);
}

static int borrow_pci(struct nti_handle *handle, const struct nti_handle_request *what)
{
	struct nti_handles *l = handle->handles;
	const struct nti_pci_function *f;
	unsigned int i;
	int ret = l->pci ? 0 : nti_pci_new(l->os, &l->pci);

	if (ret < 0)
		return ret;
	for (i = 0; (f = nti_pci_get(l->pci, i)); i++) {
		if (strcmp(f->address, what->box->function) == 0)
			break;
	}
	if (!f)
		return nti_error(&l->error, -ENODEV, "there is no PCI function %s",
				 what->box->function);
	handle->function = f;
	handle->unit = i;
	handle->io = (struct nthw_io){ .read = pci_read, .write = pci_write };
	return 0;
}

/* ---- claims ---- */

/* What shares a last level cache has the cache's number, which does not depend on who of them is on line. */
static unsigned int number_of(struct nti_os *os, const struct nti_handle_request *what)
{
	uint64_t id;

	if (what->scope == NTI_SCOPE_PACKAGE)
		return what->box->package;
	if (what->scope == NTI_SCOPE_L3 &&
	    nti_os_u64(os, &id, "/sys/devices/system/cpu/cpu%u/cache/index3/id", what->cpu) == 0 &&
	    id <= UINT32_MAX)
		return (unsigned int)id;
	return what->cpu;
}

struct claim_texts {
	char name[NTI_CLAIM_NAME_BYTES], what[NTI_CLAIM_WHAT_BYTES];
};

static struct nti_claim_pmu bank_of(struct nti_os *os, const struct nti_handle_request *what,
				    struct claim_texts *texts)
{
	char place[NTI_HANDLE_WHERE_BYTES];

	nti_handle_where(what, place, sizeof(place));
	if (!what->box) {
		(void)snprintf(texts->name, sizeof(texts->name), "cpu-%u", what->cpu);
		(void)snprintf(texts->what, sizeof(texts->what), "core PMU of %.50s", place);
		return (struct nti_claim_pmu){ .name = texts->name, .what = texts->what };
	}
	if (what->scope == NTI_SCOPE_PACKAGE && what->box->has_dies)
		(void)snprintf(texts->name, sizeof(texts->name), "%.30s-%u.%u", what->name,
			       what->box->package, what->box->die);
	else
		(void)snprintf(texts->name, sizeof(texts->name), "%.40s-%u", what->name,
			       number_of(os, what));
	(void)snprintf(texts->what, sizeof(texts->what), "%.18s of %.41s", what->name, place);
	return (struct nti_claim_pmu){ .name = texts->name,
				       .what = texts->what,
				       .kind = what->box->kind,
				       .number = what->box->number,
				       .function = what->box->function };
}

static int claim(struct nti_handle *handle, const struct nti_handle_request *what)
{
	struct nti_handles *l = handle->handles;
	struct claim_texts texts;
	struct nti_claim_pmu bank = bank_of(l->os, what, &texts);
	int ret;

	if (what->reads_only)
		return 0;
	ret = nti_claim_new(l->os, &bank, &handle->io, &l->owner, &handle->claim);
	l->was_claim = ret < 0;
	return ret;
}

/* ---- loans ---- */

static bool is_reached(const struct nti_handle_request *what)
{
	enum nthw_space space = what->box ? what->box->kind->space : NTHW_SPACE_MSR;

	switch (what->method) {
	case NTI_METHOD_NTIMEFS:
		return true;
	case NTI_METHOD_MSR:
		return space == NTHW_SPACE_MSR;
	case NTI_METHOD_PCI:
		return space == NTHW_SPACE_PCI;
	default:
		return false;
	}
}

static int borrow(struct nti_handle *handle, const struct nti_handle_request *what)
{
	int ret;

	if (what->method == NTI_METHOD_NTIMEFS)
		return nti_ntimefs_new(handle->handles->os, what->box ? what->box->function : "",
				       &handle->fs);
	ret = what->method == NTI_METHOD_MSR ? borrow_msr(handle, what) : borrow_pci(handle, what);
	return ret < 0 ? ret : claim(handle, what);
}

int nti_handle_new(struct nti_handles *l, const struct nti_handle_request *what,
		   struct nti_handle **out)
{
	struct nti_handle *handle;
	int ret;

	*out = NULL;
	l->recent = NULL;
	l->was_claim = false;
	l->error = (struct nti_error){ 0 };
	if (!is_reached(what))
		return -ENOTSUP;
	handle = calloc(1, sizeof(*handle));
	if (!handle)
		return -ENOMEM;
	handle->handles = l;
	handle->kind = what->box ? what->box->kind : NULL;
	handle->method = what->method;
	handle->unit = handle->cpu = what->cpu;
	ret = borrow(handle, what);
	if (ret < 0) {
		nti_handle_free(handle);
		return ret;
	}
	l->recent = handle;
	*out = handle;
	return 0;
}

void nti_handle_free(struct nti_handle *handle)
{
	if (!handle)
		return;
	if (handle->handles->recent == handle)
		handle->handles->recent = NULL;
	nti_claim_free(handle->claim);
	nti_ntimefs_free(handle->fs);
	free(handle->siblings);
	free(handle);
}

struct nthw_io *nti_handle_io(struct nti_handle *handle)
{
	if (handle->fs)
		return nti_ntimefs_io(handle->fs);
	return handle->claim ? nti_claim_io(handle->claim) : &handle->io;
}

unsigned int nti_handle_unit(const struct nti_handle *handle)
{
	return handle->unit;
}

bool nti_handle_is_guarded(const struct nti_handle *handle)
{
	return handle->fs != NULL;
}

int nti_handle_hold(struct nti_handle *handle, enum nthw_space space, uint32_t address)
{
	return handle->fs ? nti_ntimefs_hold(handle->fs, space, handle->unit, address) : 0;
}

int nti_handle_describe(struct nti_handle *handle, enum nthw_space space, uint32_t address,
			struct ntime_page *out)
{
	return handle->fs ? nti_ntimefs_describe(handle->fs, space, handle->unit, address, out)
			  : -ENOTSUP;
}

void nti_handle_settle(struct nti_handle *handle)
{
	if (handle->claim)
		nti_claim_settle(handle->claim);
}

/* ---- why not ---- */

void nti_handle_where(const struct nti_handle_request *what, char *text, size_t size)
{
	const struct nti_unit_box *box = what->box;

	if (!box || what->scope == NTI_SCOPE_CPU)
		(void)snprintf(text, size, "CPU %u", what->cpu);
	else if (*box->function)
		(void)snprintf(text, size, "package %u (PCI function %s)", box->package,
			       box->function);
	else if (what->scope == NTI_SCOPE_PACKAGE && box->has_dies)
		(void)snprintf(text, size, "package %u, die %u", box->package, box->die);
	else if (what->scope == NTI_SCOPE_PACKAGE)
		(void)snprintf(text, size, "package %u", box->package);
	else
		(void)snprintf(text, size, "the %s of CPU %u",
			       what->scope == NTI_SCOPE_L3 ? "last level cache" : "core",
			       what->cpu);
}

static const char *name_of(enum nti_method method)
{
	switch (method) {
	case NTI_METHOD_NTIMEFS:
		return "ntimefs";
	case NTI_METHOD_MSR:
		return "msr";
	case NTI_METHOD_PCI:
		return "pci";
	default:
		return "perf";
	}
}

/* Another program has all of the bank, and counts with this one. */
static int explain_counter(const struct nti_claim_owner *owner,
			   const struct nti_handle_request *what, struct nti_absence *out)
{
	char place[NTI_HANDLE_WHERE_BYTES];

	nti_handle_where(what, place, sizeof(place));
	return nti_absence_set(out, "end it, or wait for its end",
			       "counter %s of %s is in use by %s (pid %d)", owner->counter, place,
			       *owner->command ? owner->command : "ntime", (int)owner->pid);
}

static int explain_claim(const struct nti_handles *l, const struct nti_handle_request *what,
			 int error, struct nti_absence *out)
{
	struct claim_texts texts;
	struct nti_claim_pmu bank = bank_of(l->os, what, &texts);

	if (error == -EBUSY && !l->owner.has_ended && *l->owner.counter)
		return explain_counter(&l->owner, what, out);
	return nti_claim_explain(&bank, error, &l->owner, out);
}

static const char *remedy_for(struct nti_os *os, enum nti_method method, int error)
{
	const char *reason, *remedy;

	if (nti_method_probe(os, method, &reason, &remedy) < 0)
		return remedy;
	switch (error) {
	case -EACCES:
	case -EPERM:
		return "run as root, where the kernel is not locked down";
	case -ENODEV:
		return "count what is there: ntime list -v";
	default:
		return "dmesg";
	}
}

static int explain_access(struct nti_handles *l, const struct nti_handle_request *what, int error,
			  struct nti_absence *out)
{
	const char *remedy = remedy_for(l->os, what->method, error);

	if (l->error.code)
		return nti_absence_set(out, remedy, "%s", l->error.text);
	return nti_absence_set(out, remedy, "the registers of %s cannot be used through %s: %s",
			       what->name, name_of(what->method), strerror(-error));
}

int nti_handles_explain(struct nti_handles *l, const struct nti_handle_request *what, int error,
			struct nti_absence *out)
{
	char place[NTI_HANDLE_WHERE_BYTES];

	if (l->was_claim)
		return explain_claim(l, what, error, out);
	if (!is_reached(what))
		return nti_absence_set(out, "leave the choice to ntime: without --via",
				       "%s does not reach the registers of %s",
				       name_of(what->method), what->name);
	if (what->method != NTI_METHOD_NTIMEFS)
		return explain_access(l, what, error, out);
	nti_handle_where(what, place, sizeof(place));
	if (l->recent && l->recent->fs)
		return nti_ntimefs_explain(l->recent->fs, place, error, out);
	return nti_absence_set(out, "", "the registers of %s cannot be opened: %s", place,
			       strerror(-error));
}

const char *nti_handles_error(const struct nti_handles *l)
{
	return l->error.text;
}

/* ---- which way ---- */

static bool is_x86(struct nti_os *os)
{
	const char *arch = os->ops->arch(os);

	return strcmp(arch, "x86_64") == 0 || strcmp(arch, "i686") == 0;
}

bool nti_method_reaches(struct nti_os *os, const struct nti_unit_box *box, enum nti_method method)
{
	const struct nti_handle_request what = { .method = method, .box = box };

	return (box || method != NTI_METHOD_MSR || is_x86(os)) && is_reached(&what);
}

static int probe_pci(struct nti_os *os, const char **reason, const char **remedy)
{
	struct nti_pci *pci = NULL;
	bool is_there = nti_pci_new(os, &pci) == 0 && nti_pci_get(pci, 0);

	nti_pci_free(pci);
	*reason = "";
	*remedy = "";
	if (!is_there) {
		*reason = "no PCI function can be seen (none is there, or libpciaccess is "
			  "missing, now or when libntime was built)";
		return -ENOTSUP;
	}
	if (os->ops->is_privileged(os, false))
		return 0;
	*reason = "counters in configuration space are for root only";
	*remedy = "run as root, or let root make registers files that you may read: ntime "
		  "driver load";
	return -EACCES;
}

int nti_method_probe(struct nti_os *os, enum nti_method method, const char **reason,
		     const char **remedy)
{
	switch (method) {
	case NTI_METHOD_NTIMEFS:
		return nti_ntimefs_probe(os, reason, remedy);
	case NTI_METHOD_MSR:
		return nti_msr_probe(os, reason, remedy);
	case NTI_METHOD_PCI:
		return probe_pci(os, reason, remedy);
	default:
		*reason = "this way lends no registers";
		*remedy = "";
		return -ENOTSUP;
	}
}
