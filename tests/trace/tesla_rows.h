/* SPDX-License-Identifier: MIT */
/* Tables of events of G80 to GT218, as text. */
#ifndef TESTS_TESLA_ROWS_H
#define TESTS_TESLA_ROWS_H

/* Rows of "counter", 440 with each chip's. */
extern const char tesla_rows[];

#endif
