// SPDX-License-Identifier: MIT
/* What is told of a register: through which way this user reaches it, and why not. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/base/write.h"
#include "count/lib/access/method.h"
#include "count/lib/access/ntimefs.h"
#include "count/lib/access/why.h"
#include "count/lib/machine/register/register.h"

struct nti_access nti_register_access(const struct nti_registers *r, const struct nti_register *reg)
{
	return (struct nti_access){ .os = r->os,
				    .msr = r->msr,
				    .pci = r->pci,
				    .row = reg->row,
				    .function = reg->function,
				    .path = reg->path,
				    .address = reg->address,
				    .cpu = reg->cpu,
				    .is_in_tree = reg->is_in_tree };
}

/* The first method that lets this user in; "" when none does. */
static const char *find_method(const struct nti_access *a, int mode)
{
	enum nti_method method = nti_access_permitted(a, mode);

	return method < NTI_METHOD_COUNT ? nti_method_get(method)->name : "";
}

static const struct nti_why *why_not(const struct nti_registers *r, const struct nti_register *reg)
{
	static const struct nti_why clears_others = {
		NTIME_REASON_NOT_SUPPORTED,
		"register",
		"it cannot be read usefully: it only clears other registers",
		"",
	};
	const struct nti_why *why;

	if (!nthw_reg_is_readable(reg->row))
		return &clears_others;
	if (reg->is_in_tree)
		return reg->row->secret ? &nti_why_driver_secret : &nti_why_driver_closed;
	if (reg->row->space == NTHW_SPACE_MSR) {
		(void)nti_msr_probe(r->os, &why);
		return why;
	}
	return reg->function ? &nti_why_pci_for_root : nti_ntimefs_not_loaded(r->os);
}

void nti_register_info(const struct nti_registers *r, const struct nti_register *reg,
		       struct ntime_register_info *out)
{
	const struct nti_access a = nti_register_access(r, reg);
	const char *method = find_method(&a, R_OK);
	bool is_readable = *method && nthw_reg_is_readable(reg->row);
	const struct nti_why *why = is_readable ? &nti_why_nothing : why_not(r, reg);

	*out = (struct ntime_register_info){
		.size = sizeof(*out),
		.is_readable = is_readable,
		.is_writable = nthw_write_is_allowed(reg->row) && *find_method(&a, W_OK),
		.scope = reg->scope == NTHW_SCOPE_CPU	    ? NTIME_REGISTER_OF_CPU
			 : reg->scope == NTHW_SCOPE_PACKAGE ? NTIME_REGISTER_OF_PACKAGE
							    : NTIME_REGISTER_OF_DEVICE,
		.number = reg->number,
		.cpu = reg->cpu,
		.address = reg->address,
		.bits = reg->row->bits,
		.trust = (uint32_t)reg->row->trust,
		.fields = reg->row->field_count,
		.writable = reg->row->writable | nthw_reg_bits_of(reg->row, NTHW_RW0C),
		.path = reg->path,
		.unit = reg->unit,
		.device = reg->function ? reg->function->address : "",
		.space = nti_space_names[reg->row->space],
		.table = reg->table->name,
		.name = reg->name,
		.linux_name = reg->linux_name,
		.method = method,
		.source = reg->row->source,
		.id = (uint64_t)(reg - r->reg),
		NTI_WHY_INFO(why),
	};
}
