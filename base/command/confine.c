// SPDX-License-Identifier: MIT
/* Few rights for a process that reads files which strangers may have written. */
#include <errno.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/command/confine.h"
#include "base/command/confine_filter.h"
#include "base/output/say.h"

/* LeakSanitizer looks at the process from another one, by ptrace(2), when it ends. */
#ifdef __SANITIZE_ADDRESS__
#define IS_SANITIZED 1
#else
#define IS_SANITIZED 0
#endif

/*
 * Files of any owner are opened (root is used to that), and a file that is replaced keeps its owner
 * and mode.
 */
#define KEPT_CAPABILITIES                                                                          \
	(1u << CAP_DAC_OVERRIDE | 1u << CAP_DAC_READ_SEARCH | 1u << CAP_CHOWN | 1u << CAP_FOWNER | \
	 1u << CAP_FSETID)

static int drop_capabilities(uint32_t kept)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct set[_LINUX_CAPABILITY_U32S_3];

	if (syscall(SYS_capget, &header, set))
		return -errno;
	set[0].effective &= kept;
	set[0].permitted &= kept;
	set[0].inheritable = 0;
	set[1] = (struct __user_cap_data_struct){ 0 };
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || syscall(SYS_capset, &header, set))
		return -errno;
	return 0;
}

static int filter_calls(enum cli_confined as)
{
	struct sock_fprog program;

	/* Instructions are only read; the kernel's struct does not say so. */
	program.filter = (struct sock_filter *)(uintptr_t)cli_confine_filter(as, &program.len);
	if (IS_SANITIZED)
		return 0;
	if (!program.filter)
		return -ENOTSUP;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		return -errno;
	return 0;
}

static void confine(enum cli_confined as, uint32_t kept, unsigned int verbose)
{
	int ret = drop_capabilities(kept);

	if (ret && verbose > 1)
		cli_say("all capabilities are kept: %s", strerror(-ret));
	ret = filter_calls(as);
	if (ret && verbose > 1)
		cli_say("all system calls stay allowed: %s",
			ret == -ENOTSUP ? "there is no filter for this architecture"
					: strerror(-ret));
}

void cli_confine(unsigned int verbose)
{
	confine(CLI_CONFINED_FILES, KEPT_CAPABILITIES, verbose);
}

void cli_confine_server(unsigned int verbose)
{
	confine(CLI_CONFINED_SERVER, 0, verbose);
}
