/* SPDX-License-Identifier: MIT */
/* A test program's own folder, which is its working directory, and files in it. */
#ifndef TESTS_CLI_FOLDER_H
#define TESTS_CLI_FOLDER_H

#include <stddef.h>

/* For cmocka's groups: make it and enter it; leave it, which fails when files are left in it. */
int tt_folder_enter(void **state);
int tt_folder_leave(void **state);

/* Up to 255 bytes of a file, until the next call; NULL where there is none. */
const char *tt_folder_content(const char *path);
void tt_folder_put(const char *path, const char *text);
/* How many files are in it. */
size_t tt_folder_files(void);

#endif
