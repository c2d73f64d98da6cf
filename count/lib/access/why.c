// SPDX-License-Identifier: MIT
/* Why registers cannot be reached. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "count/lib/access/ntimefs.h"
#include "count/lib/access/why.h"
#include "base/common/text.h"

#define AS_ROOT                                                                                    \
	NTI_AS_ROOT ", or let root make registers files that you may read: ntime driver load"
#define TO_GROUP "become a member of the group ntime (usermod -aG ntime USER), or " NTI_AS_ROOT

const struct nti_why nti_why_no_msrs = {
	NTIME_REASON_NO_HARDWARE,
	"model-specific registers",
	"this architecture has no model-specific registers",
	"",
};
const struct nti_why nti_why_msr_not_loaded = {
	NTIME_REASON_NOT_LOADED,
	"/dev/cpu/0/msr",
	"the msr driver is not loaded",
	"modprobe msr",
};
const struct nti_why nti_why_msr_no_modules = {
	NTIME_REASON_KERNEL,
	"/dev/cpu/0/msr",
	"the kernel has no msr driver and cannot load modules",
	"boot a kernel that can load modules, or one built with CONFIG_X86_MSR=y",
};
const struct nti_why nti_why_msr_for_root = {
	NTIME_REASON_PERMISSION,
	"/dev/cpu/0/msr",
	"/dev/cpu/0/msr is for root only",
	AS_ROOT,
};
const struct nti_why nti_why_no_pci = {
	NTIME_REASON_NOT_SUPPORTED,
	"PCI functions",
	"no PCI function can be seen (none is there, or libpciaccess is missing, now or when "
	"libntime was built)",
	"where lspci(8) shows functions, install libpciaccess, or build libntime with it",
};
const struct nti_why nti_why_pci_for_root = {
	NTIME_REASON_PERMISSION,
	"configuration space of PCI functions",
	"the configuration space of PCI functions is for root only",
	AS_ROOT,
};
const struct nti_why nti_why_driver_not_loaded = {
	NTIME_REASON_NOT_LOADED,
	NTIME_FS_PATH,
	"ntime's driver is not loaded",
	"ntime driver load",
};
const struct nti_why nti_why_driver_no_modules = {
	NTIME_REASON_KERNEL,
	NTIME_FS_PATH,
	"ntime's driver is not loaded, and the kernel cannot load modules",
	"boot a kernel that can load modules",
};
const struct nti_why nti_why_driver_not_mounted = {
	NTIME_REASON_NOT_MOUNTED,
	NTIME_FS_PATH,
	"ntime's driver is loaded, but its file system is not mounted on " NTIME_FS_PATH,
	"mount -t ntime ntime " NTIME_FS_PATH "   (ntime driver load does it too)",
};
const struct nti_why nti_why_driver_closed = {
	NTIME_REASON_PERMISSION,
	NTIME_FS_PATH,
	"this user may not read the registers below " NTIME_FS_PATH,
	TO_GROUP,
};
const struct nti_why nti_why_driver_secret = {
	NTIME_REASON_PERMISSION,
	NTIME_FS_PATH,
	"it tells more of other users than counts, so its file is root's alone",
	NTI_AS_ROOT ", or let root give this user that one file (chgrp, chmod; docs/security.md)",
};
const struct nti_why nti_why_driver_empty = {
	NTIME_REASON_NOT_SUPPORTED,
	NTIME_FS_PATH,
	"ntime's driver has no registers of this processor",
	"count through perf: --via perf",
};
const struct nti_why nti_why_recording = {
	NTIME_REASON_RECORDING,
	"registers",
	"a recording holds no registers",
	"use list, doctor and --dry-run with this recording",
};
const struct nti_why nti_why_no_registers = {
	NTIME_REASON_NOT_SUPPORTED,
	"access method",
	"this access method reaches no registers",
	"leave the choice to ntime: without --via",
};

const struct nti_why *nti_why_of_access(const struct nti_why *missing, int error)
{
	static const struct nti_why may_not = { NTIME_REASON_PERMISSION, "", "",
						NTI_AS_ROOT
						", where the kernel is not locked down" };
	static const struct nti_why too_many = { NTIME_REASON_LIMIT, "", "",
						 "raise the limit: ulimit -n 65536" };
	static const struct nti_why gone = { NTIME_REASON_OFFLINE, "", "",
					     "count what is there: ntime list -v" };
	static const struct nti_why failed = { NTIME_REASON_FAILED, "", "", "dmesg" };

	switch (error) {
	case -EACCES:
	case -EPERM:
		return &may_not;
	case -EMFILE:
		return &too_many;
	case -ENOENT:
		return missing ? missing : &gone;
	case -ENODEV:
	case -ENXIO:
		return &gone;
	default:
		return &failed;
	}
}

int nti_why_in_use(struct nti_absence *out, const struct nti_user *user, const char *format, ...)
{
	static const char end_it[] = "end it, or wait for its end";
	char what[256];
	va_list args;

	va_start(args, format);
	(void)nti_text_vprint(what, sizeof(what), format, args);
	va_end(args);
	if (!user->pid)
		return nti_absence_set(out, NTIME_REASON_BUSY, what,
				       user->remedy ? user->remedy : end_it, "%s is in use by %s",
				       what, user->guess ? user->guess : "another program");
	return nti_absence_set(out, NTIME_REASON_BUSY, what, end_it,
			       user->has_ended
				       ? "%s is in use by a process that %s (pid %d) left behind"
				       : "%s is in use by %s (pid %d)",
			       what, *user->command ? user->command : "a program", (int)user->pid);
}
