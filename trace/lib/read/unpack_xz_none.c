// SPDX-License-Identifier: MIT
/* In place of unpack_xz.c where liblzma was not there: such files are recognised and refused. */
#include "trace/lib/read/unpack.h"

const struct nti_unpack nti_unpack_xz = { .name = "xz" };
