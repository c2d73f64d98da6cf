/* SPDX-License-Identifier: MIT */
/* Files of /proc, /sys and the driver: a text in, a line out. */
#ifndef LAB_FILE_H
#define LAB_FILE_H

/* Write @text to a file that is there. 0 or -errno. */
int lab_write(const char *path, const char *text);
/* First line of a file; "" when it cannot be read. */
void lab_line(const char *path, char *line, int size);

#endif
