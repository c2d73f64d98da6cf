// SPDX-License-Identifier: MIT
/* Built without expat: databases in XML cannot be read. */
#include <errno.h>

#include "trace/lib/base/context.h"
#include "trace/lib/regdb/model.h"

int nti_regdb_xml(struct ntime_trace_ctx *ctx, const char *path, uint32_t first_choice,
		  struct nti_layer **out)
{
	(void)first_choice;
	*out = NULL;
	return nti_error(
		&ctx->error, -EOPNOTSUPP,
		"%s: this ntime was built without expat and reads no XML; its own rows work", path);
}
