// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Strict mode (-cpu NAME,strict-msr=on): which MSRs stay silent (read 0, swallow writes) although
 * nobody models them, because every such processor has them and Linux touches them without guarding
 * against #GP. Everything else faults, as on silicon. "-d unimp -D FILE" logs what faulted; Linux
 * 6.1 and 6.12 of Debian boot in this mode without a warning.
 */
#include "lab/qemu/ntime_x86.h"

struct range {
	uint32_t first, last;
};

/* Names and addresses: Linux arch/x86/include/asm/msr-index.h. */
static const struct range intel[] = {
	{ 0x017, 0x017 }, /* IA32_PLATFORM_ID, read with the microcode's revision */
	{ 0x08b,
	  0x08b }, /* IA32_BIOS_SIGN_ID: written 0 before CPUID fills it; QEMU knows the read */
	{ 0x1c8, 0x1c9 }, /* LBR_SELECT, LASTBRANCH_TOS */
	{ 0x1d9, 0x1d9 }, /* IA32_DEBUGCTL */
	{ 0x680, 0x68f }, /* LASTBRANCH_n_FROM_IP, cleared when the PMU starts */
	{ 0x6c0, 0x6cf }, /* LASTBRANCH_n_TO_IP */
};
static const struct range amd[] = {
	{ 0xc0010010, 0xc0010010 }, /* SYSCFG */
	{ 0xc001001f, 0xc001001f }, /* NB_CFG */
	{ 0xc0010114, 0xc0010114 }, /* VM_CR */
	{ 0xc0011020, 0xc0011020 }, /* LS_CFG */
	{ 0xc0011029, 0xc0011029 }, /* DE_CFG */
};

bool ntime_x86_is_tolerated(const CPUX86State *env, uint32_t addr)
{
	const struct range *ranges = IS_AMD_CPU(env) ? amd : intel;
	size_t count = IS_AMD_CPU(env) ? ARRAY_SIZE(amd) : ARRAY_SIZE(intel);
	size_t i;

	for (i = 0; i < count; i++)
		if (addr >= ranges[i].first && addr <= ranges[i].last)
			return true;
	return false;
}
