// SPDX-License-Identifier: MIT
/* Which errata this machine's processors have. */
#include <stdlib.h>

#include "count/lib/context/context.h"
#include "base/os/cpuinfo.h"

/* Arm ARM, MIDR_EL1: implementer, variant, architecture, part, revision. */
static bool find_arm(struct nti_os *os, struct nti_erratum_cpu *out)
{
	uint64_t midr;

	if (nti_cpuinfo_midr(os, &midr) < 0)
		return false;
	out->vendor = "arm";
	out->family = midr >> 24 & 0xff;
	out->model[0] = midr >> 4 & 0xfff;
	out->stepping[0] = (uint16_t)((midr >> 20 & 0xf) * 16 + (midr & 0xf));
	return true;
}

static bool find_x86(const struct nthw_x86_cpu *cpu, struct nti_erratum_cpu *out)
{
	if (cpu->vendor != NTHW_VENDOR_INTEL && cpu->vendor != NTHW_VENDOR_AMD)
		return false;
	out->vendor = cpu->vendor == NTHW_VENDOR_INTEL ? "intel" : "amd";
	out->family = (uint16_t)cpu->family;
	out->model[0] = (uint16_t)cpu->model;
	out->stepping[0] = (uint16_t)cpu->stepping;
	return true;
}

static void find_cpu(struct ntime_ctx *ctx)
{
	uint64_t active;

	if (ctx->has_erratum_cpu)
		return;
	ctx->has_erratum_cpu = true;
	if (!find_x86(&ctx->units.cpu, &ctx->erratum_cpu) && !find_arm(ctx->os, &ctx->erratum_cpu))
		ctx->erratum_cpu.vendor = "";
	ctx->has_smt =
		nti_os_u64(ctx->os, &active, "/sys/devices/system/cpu/smt/active") == 0 && active;
}

const struct nti_erratum *nti_context_erratum(struct ntime_ctx *ctx, size_t *next)
{
	find_cpu(ctx);
	while (*next < nti_erratum_count) {
		const struct nti_erratum *e = &nti_errata[(*next)++];

		if ((!e->with_smt || ctx->has_smt) && nti_erratum_has_cpu(e, &ctx->erratum_cpu))
			return e;
	}
	return NULL;
}
