// SPDX-License-Identifier: MIT
/* A recording of this machine. */
#include <errno.h>
#include <stdlib.h>

#include <ntime/machine.h>

#include "base/os/process.h"
#include "base/os/replay/replay.h"
#include "count/lib/context/context.h"
#include "count/lib/machine/topology.h"

int ntime_machine_record(struct ntime_ctx *ctx,
			 int (*write)(void *arg, const void *bytes, size_t n), void *arg)
{
	char *topology;
	void *before;
	int ret = nti_topology_xml(ctx->os, &topology, &ctx->error);

	/*
	 * Some leaves of CPUID are of the CPU that runs it: the same one each time, if it may be.
	 */
	(void)nti_process_pin(0, &before);
	if (ret == 0)
		ret = nti_machine_record(ctx->os, topology, write, arg, &ctx->error);
	nti_process_unpin(before, true);
	free(topology);
	return ret;
}
