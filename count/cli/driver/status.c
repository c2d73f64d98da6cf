// SPDX-License-Identifier: MIT
/*
 * ntime driver status: is it loaded, where is it mounted, what does it say of itself, who uses it.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ntime/context.h>

#include "count/cli/driver/driver.h"
#include "base/output/clean.h"
#include "base/output/json.h"
#include "base/output/memory.h"
#include "base/output/say.h"

#define SHOWN_USERS 8

static const char *root_of(const struct cli_driver *d)
{
	return d->root ? d->root : "";
}

static FILE *open_file(const struct cli_driver *d, const char *path)
{
	char full[PATH_MAX];

	if (snprintf(full, sizeof(full), "%s%s", root_of(d), path) >= (int)sizeof(full))
		return NULL;
	return cli_fopen(full, "re");
}

bool cli_driver_is_loaded(const struct cli_driver *d)
{
	char full[PATH_MAX];

	/* Built into the kernel it would have a folder there as well. */
	return snprintf(full, sizeof(full), "%s/sys/module/" CLI_DRIVER_MODULE, root_of(d)) <
		       (int)sizeof(full) &&
	       access(full, F_OK) == 0;
}

/* proc(5), and the driver's status: a backslash and three octal digits for blanks and the like. */
static void unescape(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++) {
		if (from[0] == '\\' && strspn(from + 1, "01234567") >= 3 && from[1] <= '3') {
			*to++ = (char)((from[1] - '0') << 6 | (from[2] - '0') << 3 |
				       (from[3] - '0'));
			from += 3;
		} else {
			*to++ = *from;
		}
	}
	*to = '\0';
}

/*
 * "36 35 98:0 /root /mount/point rw,noatime master:1 - type source rw,options" (proc(5), mountinfo)
 */
static bool parse_mount(char *line, struct cli_driver_mount *out)
{
	char *separator = strstr(line, " - "), path[PATH_MAX], type[32], options[512];

	if (!separator || sscanf(separator, " - %31s %*s %511s", type, options) != 2 ||
	    strcmp(type, CLI_DRIVER_FS) != 0 || sscanf(line, "%*s %*s %*s %*s %4095s", path) != 1)
		return false;
	unescape(path);
	memcpy(out->path, path, sizeof(out->path));
	memcpy(out->options, options, sizeof(out->options));
	return true;
}

int cli_driver_find_mount(const struct cli_driver *d, struct cli_driver_mount *out)
{
	FILE *f = open_file(d, "/proc/self/mountinfo");
	char *line = NULL;
	size_t room = 0;
	int found = 0;

	if (!f)
		return -errno;
	while (cli_getline(&line, &room, f) >= 0) {
		line[strcspn(line, "\n")] = '\0';
		found |= parse_mount(line, out);
	}
	free(line);
	fclose(f);
	return found;
}

/* ---- who uses it ---- */

static bool has_open(const char *pid, const char *path)
{
	char folder[64], target[PATH_MAX];
	size_t chars = strlen(path);
	struct dirent *entry;
	bool found = false;
	DIR *dir;
	ssize_t n;

	snprintf(folder, sizeof(folder), "/proc/%.16s/fd", pid);
	dir = cli_opendir(folder);
	if (!dir)
		return false;
	while (!found && (entry = readdir(dir))) {
		n = readlinkat(dirfd(dir), entry->d_name, target, sizeof(target) - 1);
		if (n < 0)
			continue;
		target[n] = '\0';
		found = strncmp(target, path, chars) == 0 &&
			(target[chars] == '/' || !target[chars]);
	}
	closedir(dir);
	return found;
}

static void add_user(const char *pid, char *text, size_t size)
{
	char path[64], comm[32] = "?";
	size_t used = strlen(text);
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%.16s/comm", pid);
	f = cli_fopen(path, "re");
	if (f) {
		if (fgets(comm, sizeof(comm), f))
			comm[strcspn(comm, "\n")] = '\0';
		fclose(f);
	}
	snprintf(text + used, size - used, "%s%.16s (%s)", used ? ", " : "", pid, comm);
}

void cli_driver_users(const char *path, char *text, size_t size)
{
	DIR *dir = cli_opendir("/proc");
	struct dirent *entry;
	unsigned int n = 0;

	*text = '\0';
	while (dir && n < SHOWN_USERS && (entry = readdir(dir))) {
		if (!isdigit((unsigned char)entry->d_name[0]) || !has_open(entry->d_name, path))
			continue;
		add_user(entry->d_name, text, size);
		n++;
	}
	if (dir)
		closedir(dir);
}

/* ---- what it says ---- */

/* Version of the module that is loaded, "" when it does not tell. */
static void read_version(const struct cli_driver *d, char *version, size_t size)
{
	FILE *f = open_file(d, "/sys/module/" CLI_DRIVER_MODULE "/version");

	*version = '\0';
	if (!f)
		return;
	if (fgets(version, (int)size, f))
		version[strcspn(version, "\n")] = '\0';
	fclose(f);
}

static void put_status_lines(FILE *f)
{
	char *line = NULL;
	size_t room = 0;

	while (cli_getline(&line, &room, f) >= 0) {
		line[strcspn(line, "\n")] = '\0';
		unescape(line);
		puts(cli_clean(line));
	}
	free(line);
}

/*
 * "key: value" lines as members. There is a line for each writer: those are an array, be it of
 * none.
 */
static json_t *status_json(FILE *f)
{
	json_t *object = json_object(), *writers = json_array();
	char *line = NULL, *colon;
	size_t room = 0;

	while (cli_getline(&line, &room, f) >= 0) {
		line[strcspn(line, "\n")] = '\0';
		colon = strchr(line, ':');
		if (!colon)
			continue;
		*colon++ = '\0';
		colon += strspn(colon, " ");
		unescape(colon);
		if (strcmp(line, "writer") == 0)
			json_array_append_new(writers, cli_json_text(colon));
		else
			json_object_set_new(object, line, cli_json_text(colon));
	}
	free(line);
	json_object_set_new(object, "writers", writers);
	return object;
}

static void write_json(bool is_loaded, const char *version, const struct cli_driver_mount *mount,
		       FILE *status)
{
	json_t *root = cli_json_head(ntime_version());

	json_object_set_new(root, "loaded", json_boolean(is_loaded));
	json_object_set_new(root, "version", *version ? cli_json_text(version) : json_null());
	json_object_set_new(root, "mounted", mount ? cli_json_text(mount->path) : json_null());
	json_object_set_new(root, "options", mount ? cli_json_text(mount->options) : json_null());
	json_object_set_new(root, "status", status ? status_json(status) : json_null());
	cli_json_write(stdout, root, 1);
}

static void write_text(bool is_loaded, const char *version, const struct cli_driver_mount *mount,
		       FILE *status)
{
	printf("loaded: %s%s%s\n", is_loaded ? "yes" : "no", *version ? ", version " : "",
	       cli_clean(version));
	if (mount)
		printf("mounted: %s (%s)\n", cli_clean(mount->path), cli_clean(mount->options));
	else
		puts("mounted: no");
	if (status)
		put_status_lines(status);
}

int cli_driver_status(const struct cli_driver *d)
{
	bool is_loaded = cli_driver_is_loaded(d);
	struct cli_driver_mount mount;
	int has_mount = cli_driver_find_mount(d, &mount), ret;
	char version[64], path[PATH_MAX + 8];
	FILE *status = NULL;

	if (has_mount > 0) {
		snprintf(path, sizeof(path), "%s/status", mount.path);
		status = open_file(d, path);
	}
	read_version(d, version, sizeof(version));
	if (d->is_json)
		write_json(is_loaded, version, has_mount > 0 ? &mount : NULL, status);
	else
		write_text(is_loaded, version, has_mount > 0 ? &mount : NULL, status);
	if (status)
		fclose(status);
	ret = cli_say_stdout_end();
	return ret ? ret : !is_loaded || has_mount <= 0;
}
