// SPDX-License-Identifier: MIT
/* What /proc/cpuinfo tells of the processor: see cpuinfo.h. */
#include "base/os/cpuinfo.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/common/compiler.h"
#include "base/common/text.h"

/* Of thousands of processors. */
#define MOST_BYTES (16u << 20)

enum { EAX, EBX, ECX, EDX };

char *nti_cpuinfo_read(struct nti_os *os)
{
	size_t size = NTI_OS_TEXT_BYTES;
	char *text = malloc(size), *more;
	int ret = 0;

	while (text) {
		ret = os->ops->text(os, "/proc/cpuinfo", text, size);
		if (ret != -E2BIG || size >= MOST_BYTES)
			break;
		size *= 2;
		more = realloc(text, size);
		if (!more)
			free(text);
		text = more;
	}
	if (text && ret < 0)
		*text = '\0';
	return text;
}

void nti_cpuinfo_get(const char *text, const char *key, char *value, size_t size)
{
	size_t bytes = strlen(key);

	*value = '\0';
	for (; *text; text += strcspn(text, "\n"), text += *text == '\n') {
		const char *at = text + bytes;

		if (strncmp(text, key, bytes) != 0)
			continue;
		at += strspn(at, " \t");
		if (*at != ':')
			continue;
		at += 1 + strspn(at + 1, " \t");
		(void)snprintf(value, size, "%.*s", (int)strcspn(at, "\n"), at);
		return;
	}
}

/* The first value of @key as a number, -1 if it is none. */
static int64_t number_of(const char *text, const char *key)
{
	uint64_t number;
	char value[32];

	nti_cpuinfo_get(text, key, value, sizeof(value));
	return nti_text_parse_u64(value, &number) == 0 && number <= INT64_MAX ? (int64_t)number
									      : -1;
}

/* Words of "flags" that say what the decoder of CPUID asks for: Linux, asm/cpufeatures.h. */
static const struct flag_row {
	const char *word;
	uint32_t leaf;
	uint8_t reg, bit;
} flag_rows[] = {
	{ "tsc", 0x1, EDX, 4 },
	{ "hypervisor", 0x1, ECX, 31 },
	{ "aperfmperf", 0x6, ECX, 0 },
	{ "dtherm", 0x6, EAX, 0 },
	{ "pln", 0x6, EAX, 4 },
	{ "pts", 0x6, EAX, 6 },
	{ "hwp", 0x6, EAX, 7 },
	{ "perfctr_core", 0x80000001, ECX, 23 },
	{ "perfctr_nb", 0x80000001, ECX, 24 },
	{ "perfctr_llc", 0x80000001, ECX, 28 },
	{ "rapl", 0x80000007, EDX, 14 },
	{ "perfmon_v2", 0x80000022, EAX, 0 },
};

#define HIGHEST 0x6
#define HIGHEST_EXTENDED 0x80000022

/* Intel SDM vol. 2A, CPUID, "version information", as core/regs/x86_cpuid.c takes it apart. */
static uint32_t version_of(const char *text)
{
	int64_t family = number_of(text, "cpu family"), model = number_of(text, "model"),
		stepping = number_of(text, "stepping");
	uint32_t base = family > 15 ? 15 : (uint32_t)family;

	if (family < 0 || family > 15 + 255 || model < 0 || model > 255)
		return 0;
	return (uint32_t)(family - base) << 20 | (uint32_t)(model >> 4) << 16 | base << 8 |
	       (uint32_t)(model & 15) << 4 | (stepping < 0 ? 0 : (uint32_t)stepping & 15);
}

int nti_cpuinfo_cpuid(const char *text, uint32_t leaf, uint32_t r[4])
{
	char vendor[16], flags[4096];
	size_t i;

	memset(r, 0, 4 * sizeof(r[0]));
	nti_cpuinfo_get(text, "vendor_id", vendor, sizeof(vendor));
	/* s390 has such a line, too. */
	if (strlen(vendor) != 12 || number_of(text, "cpu family") < 0)
		return -ENOTSUP;
	nti_cpuinfo_get(text, "flags", flags, sizeof(flags));
	if (leaf == 0) {
		r[EAX] = HIGHEST;
		memcpy(&r[EBX], vendor, 4);
		memcpy(&r[EDX], vendor + 4, 4);
		memcpy(&r[ECX], vendor + 8, 4);
	}
	if (leaf == 0x80000000)
		r[EAX] = HIGHEST_EXTENDED;
	if (leaf == 0x1)
		r[EAX] = version_of(text);
	for (i = 0; i < NTI_ARRAY_SIZE(flag_rows); i++)
		if (flag_rows[i].leaf == leaf &&
		    nti_text_has_word(flags, flag_rows[i].word, strlen(flag_rows[i].word)))
			r[flag_rows[i].reg] |= 1u << flag_rows[i].bit;
	return leaf > HIGHEST && leaf < 0x80000000 ? -ENOTSUP : 0;
}

int nti_cpuinfo_midr(struct nti_os *os, uint64_t *out)
{
	static const struct {
		const char *key;
		unsigned int shift;
	} parts[] = { { "CPU implementer", 24 },
		      { "CPU part", 4 },
		      { "CPU variant", 20 },
		      { "CPU revision", 0 } };
	size_t i;
	char *text;
	int ret = 0;

	if (nti_os_u64(os, out, "/sys/devices/system/cpu/cpu0/regs/identification/midr_el1") == 0)
		return 0;
	text = nti_cpuinfo_read(os);
	if (!text)
		return -ENOMEM;
	*out = 0;
	for (i = 0; i < NTI_ARRAY_SIZE(parts) && ret == 0; i++) {
		int64_t number = number_of(text, parts[i].key);

		ret = number < 0 ? -ENOENT : 0;
		*out |= (uint64_t)number << parts[i].shift;
	}
	free(text);
	return ret;
}

/*
 * By a line that only this architecture's kernel writes (Linux, arch/.../kernel/setup.c, proc.c).
 */
static const struct arch_row {
	const char *key, *word, *arch; /* @word: that the value has, "": any */
} arch_rows[] = {
	{ "CPU architecture", "AArch64", "aarch64" },
	{ "CPU architecture", "8", "aarch64" },
	{ "CPU architecture", "", "armv7l" },
	{ "vendor_id", "IBM/S390", "s390x" },
	{ "isa", "rv64", "riscv64" },
	{ "isa", "rv32", "riscv32" },
	{ "arch", "IA-64", "ia64" },
	{ "cpu", "Sparc", "sparc64" },
	{ "cpu", "SPARC", "sparc64" },
	{ "cpu", "POWER", "ppc64" },
	{ "cpu", "PPC", "ppc64" },
	{ "cpu", "Cell", "ppc64" },
	{ "CPU Family", "Loongson", "loongarch64" },
	{ "cpu model", "Alpha", "alpha" },
	{ "cpu model", "MIPS", "mips" },
	{ "flags", " lm ", "x86_64" },
	{ "cpu family", "", "i686" },
};

const char *nti_cpuinfo_arch(struct nti_os *os, const char *text)
{
	static const char *const names[] = { "aarch64", "loongarch64", "ppc64le", "riscv64",
					     "s390x",	"sparc64",     "x86_64" };
	char value[4096];
	size_t i;

	/* Since Linux 6.1. */
	if (nti_os_line(os, value, sizeof(value), "/proc/sys/kernel/arch") > 0)
		for (i = 0; i < NTI_ARRAY_SIZE(names); i++)
			if (strcmp(value, names[i]) == 0)
				return names[i];
	for (i = 0; i < NTI_ARRAY_SIZE(arch_rows); i++) {
		nti_cpuinfo_get(text, arch_rows[i].key, value, sizeof(value));
		if (*value && strstr(value, arch_rows[i].word))
			return arch_rows[i].arch;
	}
	return "unknown";
}
