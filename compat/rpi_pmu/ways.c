// SPDX-License-Identifier: MIT
/* The ways to count that this library was built with. Tests have a list of their own. */
#include "compat/rpi_pmu/pmu.h"

const struct rpi_way *const rpi_ways[] = {
#ifdef __arm__
	&rpi_way_cp15,
#endif
	&rpi_way_session,
	NULL,
};
