// SPDX-License-Identifier: MIT
/* Files of /proc, /sys and the driver. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lab/tests/guest/file.h"

int lab_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), ret = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		ret = -errno;
	(void)close(fd);
	return ret;
}

void lab_line(const char *path, char *line, int size)
{
	FILE *f = fopen(path, "re");

	line[0] = '\0';
	if (!f)
		return;
	if (fgets(line, size, f))
		line[strcspn(line, "\n")] = '\0';
	(void)fclose(f);
}
