// SPDX-License-Identifier: MIT
/* See cut.h: counting, and the command, go on. */
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/command/cut.h"

/* A mistake of ours comes back; a ring that is read has not so many pages of items and strings. */
#define PAGES 100000

static volatile sig_atomic_t was_cut;

static void replace_page(int sig, siginfo_t *info, void *context)
{
	uintptr_t bytes = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t page = (uintptr_t)info->si_addr & ~(bytes - 1);

	(void)context;
	if (was_cut > PAGES || info->si_code != BUS_ADRERR ||
	    // cppcheck-suppress leakReturnValNotUsed ; it is where the page was
	    mmap((void *)page, bytes, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
		(void)signal(sig, SIG_DFL);
	was_cut++;
}

void cli_cut_survive(void)
{
	struct sigaction action = { .sa_sigaction = replace_page, .sa_flags = SA_SIGINFO };

	(void)sigaction(SIGBUS, &action, NULL);
}

bool cli_cut_happened(void)
{
	return was_cut;
}
