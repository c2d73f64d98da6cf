// SPDX-License-Identifier: MIT
/*
 * Handles on registers for core/seq: one for each PMU instance, by one of the access methods that
 * reach registers.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/seq/box.h"
#include "count/lib/access/handle_inner.h"
#include "count/lib/access/msr.h"
#include "count/lib/access/ntimefs.h"
#include "count/lib/access/pci.h"
#include "count/lib/access/why.h"
#include "base/os/socket.h"

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

/* ---- claims ---- */

/*
 * What shares a last level cache has the cache's number, which does not depend on who of them is on
 * line.
 */
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
	char name[NTI_CLAIM_NAME_BYTES], what[NTI_CLAIM_WHAT_BYTES], where[NTI_HANDLE_WHERE_BYTES];
};

static struct nti_claim_pmu pmu_of(struct nti_os *os, const struct nti_handle_request *what,
				   struct claim_texts *texts)
{
	struct nti_claim_pmu pmu = { .name = texts->name,
				     .what = texts->what,
				     .where = texts->where };

	nti_handle_where(what, texts->where, sizeof(texts->where));
	if (what->card) {
		(void)snprintf(texts->name, sizeof(texts->name), "gpu-%s", what->card->function);
		(void)snprintf(texts->what, sizeof(texts->what), "the card that is %.40s",
			       texts->where);
		pmu.chip = what->card->chip;
		pmu.function = what->card->function;
		return pmu;
	}
	if (!what->box) {
		(void)snprintf(texts->name, sizeof(texts->name), "cpu-%u", what->cpu);
		(void)snprintf(texts->what, sizeof(texts->what), "core PMU of %.50s", texts->where);
		return pmu;
	}
	if (what->scope == NTI_SCOPE_PACKAGE && what->box->has_dies)
		(void)snprintf(texts->name, sizeof(texts->name), "%.30s-%u.%u", what->name,
			       what->box->package, what->box->die);
	else
		(void)snprintf(texts->name, sizeof(texts->name), "%.40s-%u", what->name,
			       number_of(os, what));
	(void)snprintf(texts->what, sizeof(texts->what), "%.18s of %.41s", what->name,
		       texts->where);
	pmu.kind = what->box->kind;
	pmu.number = what->box->number;
	pmu.function = what->box->function;
	return pmu;
}

int nti_handle_claim(struct nti_handle *handle, const struct nti_handle_request *what)
{
	struct nti_handles *l = handle->handles;
	struct claim_texts texts;
	struct nti_claim_pmu pmu = pmu_of(l->os, what, &texts);
	int ret;

	if (what->reads_only)
		return 0;
	ret = nti_claim_new(l->os, &pmu, &handle->io, &l->owner, &handle->claim);
	l->was_claim = ret < 0;
	return ret;
}

/* ---- handles ---- */

static bool is_reached(const struct nti_handle_request *what)
{
	const struct nti_method_ops *ops = nti_method_get(what->method)->ops;

	if (what->card)
		return what->method == nti_method_of_card(what->card);
	return ops && ops->spaces >> (what->box ? what->box->kind->space : NTHW_SPACE_MSR) & 1;
}

static int refuse_write(struct nthw_io *io, enum nthw_space space, unsigned int unit,
			uint32_t address, uint64_t value)
{
	(void)io;
	(void)space;
	(void)unit;
	(void)address;
	(void)value;
	return -EPERM;
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
	handle->socket = -1;
	handle->kind = what->box ? what->box->kind : NULL;
	handle->method = what->method;
	handle->unit = handle->cpu = what->cpu;
	ret = nti_method_get(what->method)->ops->open(handle, what);
	if (ret < 0) {
		nti_handle_free(handle);
		return ret;
	}
	/* Nothing was claimed, so nothing may be written; the driver looks after its own files. */
	if (what->reads_only)
		handle->io.write = refuse_write;
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
	nti_socket_close(handle->socket);
	nti_set_fini(&handle->siblings);
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

	if (what->card && what->card->socket)
		(void)snprintf(text, size, "the card at %s", what->card->socket);
	else if (what->card)
		(void)snprintf(text, size, "PCI function %s", what->card->function);
	else if (!box || what->scope == NTI_SCOPE_CPU)
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

int nti_handle_explain_access(struct nti_handles *l, const struct nti_handle_request *what,
			      int error, struct nti_absence *out)
{
	const struct nti_why *why;
	const char *cause = strerror(-error);
	int ret = nti_method_probe(l->os, what->method, &why);

	if (ret == -ENOMEM)
		return ret;
	if (ret == 0)
		why = nti_why_of_access(nti_method_get(what->method)->missing, error);
	else if (error == -ENOENT)
		cause = why->reason;
	/*
	 * Where no device is, the sentence of the access ends with the remedy, which is apart here.
	 */
	if (l->error.code && cause != why->reason)
		return nti_absence_set_failed(out, why->code, what->name, error, why->remedy, "%s",
					      l->error.text);
	return nti_absence_set_failed(out, why->code, what->name, error, why->remedy,
				      "the registers of %s cannot be used through %s: %s",
				      what->name, nti_method_get(what->method)->name, cause);
}

int nti_handles_explain(struct nti_handles *l, const struct nti_handle_request *what, int error,
			struct nti_absence *out)
{
	const struct nti_method_row *method = nti_method_get(what->method);
	struct nti_claim_pmu pmu;
	struct claim_texts texts;

	if (l->was_claim) {
		pmu = pmu_of(l->os, what, &texts);
		return nti_claim_explain(&pmu, error, &l->owner, out);
	}
	if (!is_reached(what))
		return nti_absence_set(out, NTIME_REASON_NOT_SUPPORTED, what->name,
				       "leave the choice to ntime: without --via",
				       "%s does not reach the registers of %s", method->name,
				       what->name);
	return method->ops->explain(l, what, error, out);
}

const char *nti_handles_error(const struct nti_handles *l, int error)
{
	if (l->error.code == error)
		return l->error.text;
	switch (error) {
	case -ETIMEDOUT:
		return "it does not answer to a trigger: its clock may stand still";
	case -ENODEV:
		return "the device is gone";
	case -EIO:
		return "a register reads as all ones, or does not keep what was written";
	default:
		return strerror(-error);
	}
}
