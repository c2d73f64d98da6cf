// SPDX-License-Identifier: MIT
/* The ways to count that this library was built with. Tests have a list of their own. */
#include "count/compat/rpi_pmu/pmu.h"

const struct rpi_method *const rpi_methods[] = {
#ifdef __arm__
	&rpi_method_cp15,
#endif
	&rpi_method_session,
	NULL,
};
