// SPDX-License-Identifier: MIT
/* What tracing a card needs of the machine and its kernel. */
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/common/text.h"
#include "base/os/cpuinfo.h"
#include "trace/lib/base/context.h"
#include "trace/lib/vfio/doctor.h"

#define OK NTIME_VFIO_OK
#define MISSING NTIME_VFIO_MISSING
#define UNKNOWN NTIME_VFIO_UNKNOWN

#define MODULES_BYTES (4u << 20)

void nti_vfio_tell(struct nti_vfio_doctor *d, enum ntime_vfio_state state, const char *name,
		   const char *what, const char *remedy, const char *reason, ...)
{
	struct ntime_vfio_check check = {
		.size = sizeof(check), .state = state, .name = name, .what = what, .remedy = remedy
	};
	char text[1024];
	va_list args;
	int ret;

	va_start(args, reason);
	(void)nti_text_vprint(text, sizeof(text), reason, args);
	va_end(args);
	check.reason = text;
	d->missing += state == MISSING;
	if (d->stopped < 0)
		return;
	ret = d->fn(d->arg, &check);
	if (ret < 0)
		d->stopped = ret;
}

/* ---- processor ---- */

static void check_x86(struct nti_vfio_doctor *d, const char *cpuinfo, bool has_kvm)
{
	char flags[4096];
	bool vmx, svm, is_guest;

	nti_cpuinfo_get(cpuinfo, "flags", flags, sizeof(flags));
	vmx = nti_text_has_word(flags, "vmx", 3);
	svm = nti_text_has_word(flags, "svm", 3);
	is_guest = nti_text_has_word(flags, "hypervisor", strlen("hypervisor"));
	if (!vmx && !svm)
		nti_vfio_tell(
			d, MISSING, "cpu", "Virtualisation by the processor",
			is_guest
				? "let the machine around this one pass it on (nested "
				  "virtualisation), or use QEMU without KVM"
				: "switch it on in the firmware's set-up (Intel VT-x, AMD SVM), or "
				  "use QEMU without KVM",
			"/proc/cpuinfo has neither vmx nor svm: QEMU can run the guest only as an "
			"emulation (-accel tcg), many times slower");
	else if (!has_kvm)
		nti_vfio_tell(
			d, MISSING, "cpu", "Virtualisation by the processor",
			vmx ? "modprobe kvm_intel; if that fails, the firmware has switched it off"
			    : "modprobe kvm_amd; if that fails, the firmware has switched it off",
			"the processor has %s, but there is no /dev/kvm", vmx ? "vmx" : "svm");
	else
		nti_vfio_tell(d, OK, "cpu", "Virtualisation by the processor", "",
			      "%s, and /dev/kvm is there", vmx ? "vmx" : "svm");
}

static void check_cpu(struct nti_vfio_doctor *d)
{
	const char *arch = d->os->ops->arch(d->os);
	char *text = nti_cpuinfo_read(d->os);
	bool has_kvm = nti_os_exists(d->os, "/dev/kvm");

	if ((strcmp(arch, "x86_64") == 0 || strcmp(arch, "i686") == 0) && text && *text)
		check_x86(d, text, has_kvm);
	else if (has_kvm)
		nti_vfio_tell(d, OK, "cpu", "Virtualisation by the processor", "",
			      "/dev/kvm is there");
	else
		nti_vfio_tell(d, UNKNOWN, "cpu", "Virtualisation by the processor",
			      "QEMU can emulate the guest's processor (-accel tcg)",
			      "there is no /dev/kvm");
	free(text);
}

/* ---- IOMMU ---- */

static int count(void *arg, const char *name)
{
	(void)name;
	++*(size_t *)arg;
	return 0;
}

static size_t entries(struct nti_os *os, const char *path)
{
	size_t n = 0;

	if (os->ops->list(os, path, count, &n) < 0)
		return 0;
	return n;
}

/*
 * The firmware's table: remapping hardware of Intel, of AMD, or of ARM. NULL: there is none; "":
 * this machine has no such tables.
 */
static const char *firmware_table(struct nti_os *os)
{
	static const char *const tables[] = { "DMAR", "IVRS", "IORT" };
	size_t i;

	for (i = 0; i < NTI_ARRAY_SIZE(tables); i++) {
		if (nti_os_exists(os, "/sys/firmware/acpi/tables/%s", tables[i]))
			return tables[i];
	}
	return nti_os_exists(os, "/sys/firmware/acpi/tables") ? NULL : "";
}

static void check_firmware(struct nti_vfio_doctor *d, const char *table, bool has_groups)
{
	const char *what = "IOMMU in the firmware";

	if (table && *table)
		nti_vfio_tell(d, OK, "iommu-firmware", what, "", "its table %s lists one", table);
	else if (table || has_groups)
		nti_vfio_tell(d, has_groups ? OK : UNKNOWN, "iommu-firmware", what, "",
			      has_groups ? "the kernel has found one without a table of ACPI"
					 : "this machine has no ACPI tables to check");
	else
		nti_vfio_tell(d, MISSING, "iommu-firmware", what,
			      "switch it on in the firmware's set-up (Intel VT-d, AMD IOMMU); in a "
			      "virtual "
			      "machine, give it one (QEMU: -device intel-iommu)",
			      "there is no ACPI table DMAR (Intel) or IVRS (AMD)");
}

/* The word that turns it on, for this processor's maker. */
static const char *word_on(const char *table)
{
	if (table && strcmp(table, "DMAR") == 0)
		return "intel_iommu=on";
	if (table && strcmp(table, "IVRS") == 0)
		return "amd_iommu=on";
	return "intel_iommu=on (Intel) or amd_iommu=on (AMD)";
}

static void check_command_line(struct nti_vfio_doctor *d, const char *table, bool has_groups)
{
	const char *what = "Kernel's command line";
	char line[4096], remedy[256];
	bool is_named, is_off;

	if (nti_os_line(d->os, line, sizeof(line), "/proc/cmdline") < 0) {
		nti_vfio_tell(d, UNKNOWN, "iommu-command-line", what, "",
			      "/proc/cmdline cannot be read");
		return;
	}
	is_named = strstr(line, "intel_iommu=on") || strstr(line, "amd_iommu=on");
	is_off = strstr(line, "intel_iommu=off") || strstr(line, "amd_iommu=off") ||
		 strstr(line, " iommu=off") || strncmp(line, "iommu=off", 9) == 0;
	(void)snprintf(
		remedy, sizeof(remedy),
		"put %s on the kernel's command line (GRUB_CMDLINE_LINUX in /etc/default/grub, "
		"then update-grub) and start again",
		word_on(table));
	if (is_off)
		nti_vfio_tell(d, MISSING, "iommu-command-line", what, remedy,
			      "it switches the IOMMU off: %s", line);
	else if (has_groups)
		nti_vfio_tell(d, OK, "iommu-command-line", what, "",
			      is_named ? "it switches the IOMMU on"
				       : "it does not speak of an IOMMU, and the kernel uses it by "
					 "default");
	else if (is_named)
		nti_vfio_tell(
			d, OK, "iommu-command-line", what, "",
			"it switches the IOMMU on; that there are no groups has another cause");
	else
		nti_vfio_tell(
			d, MISSING, "iommu-command-line", what, remedy,
			"it does not switch the IOMMU on, and this kernel does not by default");
}

static void check_iommu(struct nti_vfio_doctor *d)
{
	size_t groups = entries(d->os, "/sys/kernel/iommu_groups");
	const char *table = firmware_table(d->os);

	check_firmware(d, table, groups);
	check_command_line(d, table, groups);
	if (groups)
		nti_vfio_tell(d, OK, "iommu-groups", "IOMMU groups", "",
			      "the kernel has %zu of them in /sys/kernel/iommu_groups", groups);
	else
		nti_vfio_tell(d, MISSING, "iommu-groups", "IOMMU groups",
			      "see the two lines above and the kernel's log: dmesg | grep -e DMAR "
			      "-e AMD-Vi",
			      "/sys/kernel/iommu_groups %s: the kernel uses no IOMMU, and a card "
			      "cannot be "
			      "lent safely",
			      nti_os_exists(d->os, "/sys/kernel/iommu_groups") ? "is empty"
									       : "is not there");
}

/* ---- modules ---- */

/*
 * Modules may be compressed: "kernel/drivers/vfio/vfio.ko.xz: ...". 1, 0, or -errno where nobody
 * knows.
 */
static int can_be_loaded(struct nti_os *os, const char *module)
{
	static const char *const lists[] = { "modules.dep", "modules.builtin" };
	char release[128], path[256], file[64], *text;
	size_t i;
	int ret = nti_os_line(os, release, sizeof(release), "/proc/sys/kernel/osrelease");
	bool is_known = false, is_there = false;

	if (ret < 0)
		return ret;
	text = malloc(MODULES_BYTES);
	if (!text)
		return -ENOMEM;
	(void)snprintf(file, sizeof(file), "/%s.ko", module);
	for (i = 0; i < NTI_ARRAY_SIZE(lists) && !is_there; i++) {
		(void)snprintf(path, sizeof(path), "/lib/modules/%.127s/%s", release, lists[i]);
		if (os->ops->text(os, path, text, MODULES_BYTES) < 0)
			continue;
		is_known = true;
		is_there = strstr(text, file);
	}
	free(text);
	return is_known ? is_there : -ENOENT;
}

/* @file shows that it is loaded, or part of the kernel. */
static void check_module(struct nti_vfio_doctor *d, const char *name, const char *what,
			 const char *module, const char *file)
{
	char remedy[128];
	int ret;

	if (nti_os_exists(d->os, "%s", file)) {
		nti_vfio_tell(d, OK, name, what, "", "%s is there", file);
		return;
	}
	ret = can_be_loaded(d->os, module);
	(void)snprintf(remedy, sizeof(remedy), "modprobe %s", module);
	if (ret == 0)
		nti_vfio_tell(
			d, MISSING, name, what,
			"use a kernel of the distribution's, or build one with CONFIG_VFIO and "
			"CONFIG_VFIO_PCI",
			"%s is not there, and this kernel has no module %s", file, module);
	else
		nti_vfio_tell(d, MISSING, name, what, remedy, "%s is not there: %s is not loaded%s",
			      file, module,
			      ret < 0 ? " (whether this kernel has it, is not known)" : "");
}

static void check_modules(struct nti_vfio_doctor *d)
{
	check_module(d, "vfio", "Kernel module vfio", "vfio", "/dev/vfio/vfio");
	check_module(d, "vfio-pci", "Kernel module vfio-pci", "vfio-pci",
		     NTI_VFIO_DRIVERS "/" NTI_VFIO_DRIVER);
	check_module(d, "vfio-iommu", "Kernel module vfio_iommu_type1", "vfio_iommu_type1",
		     nti_os_exists(d->os, "/dev/iommu") ? "/dev/iommu"
							: "/sys/module/vfio_iommu_type1");
}

/* ---- all ---- */

static int check_question(struct nti_vfio_doctor *d)
{
	if (d->q->size < sizeof(*d->q) || d->q->flags)
		return nti_error(d->e, -EINVAL, "size or flags of the question are wrong");
	if (d->q->card && nti_vfio_place(d->q->card, d->card) < 0)
		return nti_error(
			d->e, -EINVAL,
			"'%.64s' is not the address of a PCI function, such as 0000:05:00.0",
			d->q->card);
	return 0;
}

int ntime_vfio_doctor(struct ntime_trace_ctx *ctx, const struct ntime_vfio_question *q,
		      int (*fn)(void *arg, const struct ntime_vfio_check *check), void *arg)
{
	struct nti_vfio_doctor d = {
		.os = ctx->os, .e = &ctx->error, .q = q, .fn = fn, .arg = arg
	};
	int ret = check_question(&d);

	if (ret < 0)
		return ret;
	check_cpu(&d);
	check_iommu(&d);
	check_modules(&d);
	if (q->card)
		nti_vfio_check_card(&d);
	nti_vfio_check_qemu(&d);
	free(d.group);
	return d.stopped < 0 ? d.stopped : d.missing;
}
