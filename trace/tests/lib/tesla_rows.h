/* SPDX-License-Identifier: MIT */
/* Tables of events of G80 to GT218: tesla.counters, 440 rows with each chip's. */
#ifndef TESTS_TESLA_ROWS_H
#define TESTS_TESLA_ROWS_H

#include "trace/lib/derive/names.h"

extern const struct nti_known_counter tesla_rows[];
extern const unsigned int tesla_row_count;

#endif
