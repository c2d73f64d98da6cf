// SPDX-License-Identifier: MIT
/*
 * What tracing needs of QEMU, how its log will look, and how to call it. Versions: x-no-mmap since
 * 2.5, the ioeventfd properties since 2.12 (hw/vfio/pci.c of QEMU), prefixes of the log backend as
 * its util/log.c and scripts/tracetool/backend/log.py had them; 3.0 and 10.1 from the source, 2.5
 * not verified.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/common/text.h"
#include "trace/lib/vfio/doctor.h"

#define OK NTIME_VFIO_OK
#define MISSING NTIME_VFIO_MISSING
#define UNKNOWN NTIME_VFIO_UNKNOWN

#define VERSION(major, minor) ((major)*1000 + (minor))
/* Of each of the two numbers. */
#define VERSION_MAX 999u

/* "QEMU emulator version 7.2.22 (Debian 1:7.2+dfsg-7+deb12u18)" */
/* Which QEMU? 0.0 when the text does not tell. */
static void qemu_version(const char *text, unsigned int *major, unsigned int *minor)
{
	static const char word[] = "version ";
	const char *at = strstr(text, word);
	uint32_t number[2];

	*major = *minor = 0;
	if (!at)
		return;
	at += sizeof(word) - 1;
	if (!nti_text_take_u32(&at, 10, &number[0]) || *at++ != '.' ||
	    !nti_text_take_u32(&at, 10, &number[1]) || number[0] > VERSION_MAX ||
	    number[1] > VERSION_MAX)
		return;
	*major = number[0];
	*minor = number[1];
}

/* How a line of its log begins, newest first. */
static const struct prefix_row {
	unsigned int since;
	const char *prefix;
} prefix_rows[] = {
	{ VERSION(10, 1), "nothing, or with -msg timestamp=on '2025-07-21T18:43:28.089797Z ' (no "
			  "thread)" },
	{ VERSION(6, 0), "nothing, or with -msg timestamp=on 'THREAD@SECONDS.MICROS:'" },
	{ VERSION(4, 0), "'THREAD@SECONDS.MICROS:'" },
	{ VERSION(2, 3), "'PROCESS@SECONDS.MICROS:'" },
};

static const char *prefix_of(unsigned int version)
{
	size_t i;

	for (i = 0; i < sizeof(prefix_rows) / sizeof(prefix_rows[0]); i++) {
		if (version >= prefix_rows[i].since)
			return prefix_rows[i].prefix;
	}
	return NULL;
}

static void check_version(struct nti_vfio_doctor *d, const char *program, unsigned int version)
{
	size_t chars = d->q->qemu_version ? strcspn(d->q->qemu_version, "\n") : 0;
	const char *prefix = prefix_of(version);
	char remedy[160];

	(void)snprintf(remedy, sizeof(remedy),
		       "install QEMU (Debian: qemu-system-x86), or name it with --qemu");
	if (!d->q->qemu_version)
		nti_vfio_tell(d, MISSING, "qemu", "QEMU", remedy, "%.128s cannot be run", program);
	else if (!version)
		nti_vfio_tell(d, UNKNOWN, "qemu", "QEMU", remedy,
			      "%.128s does not print its version: %.*s", program,
			      (int)(chars > 200 ? 200 : chars), d->q->qemu_version);
	else if (!prefix || version < VERSION(2, 5))
		nti_vfio_tell(d, MISSING, "qemu", "QEMU", "use 2.5 or newer",
			      "%.*s has no x-no-mmap: what goes through mapped BARs would not be "
			      "in the log",
			      (int)(chars > 200 ? 200 : chars), d->q->qemu_version);
	else
		nti_vfio_tell(d, OK, "qemu", "QEMU", "",
			      "%.*s; lines of its log begin with %s; one built with the 'simple' "
			      "backend "
			      "writes a binary file, which ntime reads as well",
			      (int)(chars > 200 ? 200 : chars), d->q->qemu_version, prefix);
}

/*
 * BARs must not be mapped, and no write taken over by an eventfd: those accesses would bypass the
 * trace.
 */
static const char *properties(unsigned int version)
{
	return !version || version >= VERSION(3, 0)
		       ? "x-no-mmap=on,x-no-kvm-ioeventfd=on,x-no-vfio-ioeventfd=on"
		       : "x-no-mmap=on";
}

static void tell_command(struct nti_vfio_doctor *d, const char *program, unsigned int version)
{
	const char *card = d->q->card ? d->card : "0000:05:00.0";

	nti_vfio_tell(d, OK, "command", "QEMU's command line", "",
		      "%.128s -machine q35,accel=%s -m 4G -device vfio-pci,host=%s,%s -trace "
		      "'vfio_region_*' -trace "
		      "'vfio_pci_*_config' -trace 'vfio_intx_*' -trace 'vfio_msi_*' -trace "
		      "'vfio_ioeventfd_*' -trace 'pci_update_mappings_*'%s -D card.log",
		      program, nti_os_exists(d->os, "/dev/kvm") ? "kvm" : "tcg", card,
		      properties(version),
		      !version || version >= VERSION(6, 0) ? " -msg timestamp=on" : "");
}

/* A guest's memory is locked, as the card may write to all of it. root may always. */
static void check_memory(struct nti_vfio_doctor *d)
{
	const char *what = "Memory that may be locked";
	char text[8192], limit[32] = "", *line;

	if (d->os->ops->is_privileged(d->os, false) && !d->os->is_elsewhere) {
		nti_vfio_tell(d, OK, "memory", what, "", "no limit for root");
		return;
	}
	if (d->os->ops->text(d->os, "/proc/self/limits", text, sizeof(text)) >= 0) {
		line = strstr(text, "Max locked memory");
		if (line)
			(void)sscanf(line, "Max locked memory %31s", limit);
	}
	if (!*limit)
		nti_vfio_tell(d, UNKNOWN, "memory", what, "", "/proc/self/limits cannot be read");
	else if (strcmp(limit, "unlimited") == 0)
		nti_vfio_tell(d, OK, "memory", what, "", "no limit");
	else if (strtoull(limit, NULL, 10) >= 1ull << 30)
		nti_vfio_tell(d, OK, "memory", what, "",
			      "%s bytes: a guest must have less than that", limit);
	else
		nti_vfio_tell(d, MISSING, "memory", what,
			      "run QEMU as root, or raise the limit (ulimit -l, "
			      "/etc/security/limits.conf)",
			      "this user may lock %s bytes, and all memory of a guest is locked",
			      limit);
}

void nti_vfio_check_qemu(struct nti_vfio_doctor *d)
{
	unsigned int major = 0, minor = 0, version;
	char program[192];

	if (d->q->qemu)
		(void)snprintf(program, sizeof(program), "%s", d->q->qemu);
	else
		(void)snprintf(program, sizeof(program), "qemu-system-%.64s",
			       d->os->ops->arch(d->os));
	if (d->q->qemu_version)
		qemu_version(d->q->qemu_version, &major, &minor);
	version = VERSION(major, minor);
	check_version(d, program, version);
	check_memory(d);
	tell_command(d, program, version);
}
