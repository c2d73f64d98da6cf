/* SPDX-License-Identifier: MIT */
/* Files of /proc, /sys and the driver: a text in, a text or a line out; and lines of the shell. */
#ifndef LAB_FILE_H
#define LAB_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Write @text to a file that is there. 0 or -errno. */
int lab_write(const char *path, const char *text);
/* The same; failure ends the test. */
void lab_set_file(const char *path, const char *text);
/* Up to @bytes - 1 of a file. How many, or -errno. */
ssize_t lab_read(const char *path, char *text, size_t bytes);
/* First line of a file; "" when it cannot be read. */
void lab_line(const char *path, char *line, int size);
/* Has the file @part in its first 64 KiB? */
bool lab_file_has(const char *path, const char *part);

/*
 * @bytes at @at of a PCI function's configuration space; @device is its folder in sysfs, with a
 * slash; @set: written. Failure ends the test.
 */
uint32_t lab_config(const char *device, off_t at, size_t bytes, const uint32_t *set);

/* Until the guest has done what it was asked, or else the test fails; no result depends on it. */
void lab_wait_until(bool (*is_so)(void));

/* Run a line of the shell; what it said on both streams is in @out. Its exit status. */
#define LAB_OUTPUT 16384
int lab_shell(const char *line, char out[LAB_OUTPUT]);
/* The same, which must end with @status and have said @part. */
void lab_must(const char *line, int status, const char *part);

#endif
