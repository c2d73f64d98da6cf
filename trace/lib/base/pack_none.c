// SPDX-License-Identifier: MIT
/*
 * In place of pack_zstd.c where libzstd was not there: payloads are stored as they are, and
 * compressed ones are not read.
 */
#include <errno.h>

#include "base/common/compiler.h"
#include "trace/lib/base/blocks.h"

size_t nti_pack(struct nti_pack **state NTI_UNUSED, void *out NTI_UNUSED, size_t room NTI_UNUSED,
		const void *in NTI_UNUSED, size_t n NTI_UNUSED)
{
	return 0;
}

int nti_pack_undo(struct nti_pack **state NTI_UNUSED, void *out NTI_UNUSED, size_t bytes NTI_UNUSED,
		  const void *in NTI_UNUSED, size_t n NTI_UNUSED)
{
	return -EOPNOTSUPP;
}

void nti_pack_free(struct nti_pack *state NTI_UNUSED)
{
}
