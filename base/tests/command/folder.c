// SPDX-License-Identifier: MIT
/* A test program's own folder. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/tests/command/folder.h"

static char directory[] = "/tmp/ntime-test-XXXXXX";

int tt_folder_enter(void **state)
{
	(void)state;
	return !mkdtemp(directory) || chdir(directory);
}

int tt_folder_leave(void **state)
{
	(void)state;
	return chdir("/") || rmdir(directory);
}

const char *tt_folder_content(const char *path)
{
	static char text[256];
	FILE *f = fopen(path, "r");
	size_t n;

	if (!f)
		return NULL;
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = '\0';
	fclose(f);
	return text;
}

size_t tt_folder_files(void)
{
	DIR *d = opendir(".");
	size_t n = 0;

	for (struct dirent *e; (e = readdir(d));)
		n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
	closedir(d);
	return n;
}

void tt_folder_put(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	fputs(text, f);
	fclose(f);
}
