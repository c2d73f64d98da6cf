/* SPDX-License-Identifier: MIT */
/* ntime driver: what its actions share. */
#ifndef CLI_DRIVER_DRIVER_H
#define CLI_DRIVER_DRIVER_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/command/command.h"

#define CLI_DRIVER_MODULE "ntime"
#define CLI_DRIVER_FS "ntime"
#define CLI_DRIVER_PATH "/sys/devices/ntime"
#define CLI_DRIVER_GROUP "ntime"

/**
 * struct cli_driver - one run of "ntime driver"; strings are the command line's
 * @root:	put before the files of the system that are only looked at
 * @has_user_access: load: with the module's parameter that lets all programs at the monitor
 */
struct cli_driver {
	const struct cli_command *self;
	const char *module, *gid, *mode, *root;
	bool is_json, has_user_access;
};

/* The actions; each returns ntime's exit status. */
int cli_driver_load(const struct cli_driver *d);
int cli_driver_unload(const struct cli_driver *d);
int cli_driver_status(const struct cli_driver *d);

/* Where the driver's file system is mounted. */
struct cli_driver_mount {
	char path[PATH_MAX];
	char options[512];
};

/* Is the module there? */
bool cli_driver_is_loaded(const struct cli_driver *d);
/*
 * The last mount of it that this process sees: 1, 0 when there is none, -errno when that cannot be
 * told.
 */
int cli_driver_find_mount(const struct cli_driver *d, struct cli_driver_mount *out);
/*
 * Who has files below @path open, as "4711 (stat), 4712 (sh)"; "" when nobody is found. Others'
 * processes show only to root.
 */
void cli_driver_users(const char *path, char *text, size_t size);

#endif
