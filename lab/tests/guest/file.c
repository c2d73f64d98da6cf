// SPDX-License-Identifier: MIT
/* Files of /proc, /sys and the driver, and lines of the shell. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/tests/tt.h"
#include "lab/tests/guest/file.h"

#define PATIENCE_S 30

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

void lab_set_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		fail_msg("%s: %s", path, strerror(errno));
	close(fd);
}

ssize_t lab_read(const char *path, char *text, size_t bytes)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t got = 0;
	ssize_t n;

	if (fd < 0)
		return -errno;
	while (got < bytes - 1 && (n = read(fd, text + got, bytes - 1 - got)) != 0) {
		if (n < 0) {
			n = -errno;
			(void)close(fd);
			return n;
		}
		got += (size_t)n;
	}
	(void)close(fd);
	text[got] = '\0';
	return (ssize_t)got;
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

bool lab_file_has(const char *path, const char *part)
{
	static char text[65536];

	return lab_read(path, text, sizeof(text)) >= 0 && strstr(text, part);
}

uint32_t lab_config(const char *device, off_t at, size_t bytes, const uint32_t *set)
{
	char path[128];
	uint32_t value = set ? *set : 0;
	int fd;

	(void)snprintf(path, sizeof(path), "%sconfig", device);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		fail_msg("%s: %s", path, strerror(errno));
	if (set)
		TT_IS(pwrite(fd, &value, bytes, at), bytes);
	else
		TT_IS(pread(fd, &value, bytes, at), bytes);
	(void)close(fd);
	return value;
}

void lab_wait_until(bool (*is_so)(void))
{
	time_t end = time(NULL) + PATIENCE_S;

	while (!is_so() && time(NULL) < end)
		(void)usleep(20000);
	assert_true(is_so());
}

int lab_shell(const char *line, char out[LAB_OUTPUT])
{
	char all[1024];
	size_t n;
	FILE *f;
	int status;

	(void)snprintf(all, sizeof(all), "exec 2>&1; %s", line);
	f = popen(all, "re");
	if (!f)
		fail_msg("%s cannot be started", line);
	n = fread(out, 1, LAB_OUTPUT - 1, f);
	out[n] = '\0';
	status = pclose(f);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void lab_must(const char *line, int status, const char *part)
{
	char out[LAB_OUTPUT];
	int ret = lab_shell(line, out);

	if (ret == status && strstr(out, part))
		return;
	print_error("%s: exit status %d, expected %d with '%s'; it said:\n%s\n", line, ret, status,
		    part, out);
	fail();
}
