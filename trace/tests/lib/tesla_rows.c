// SPDX-License-Identifier: MIT
/* What core/embed makes of tesla.counters, by names of its own beside those of core/gpu. */
#define nti_known_counters tesla_rows
#define nti_known_counter_count tesla_row_count
#include "trace/tests/lib/tesla_rows_data.h"
