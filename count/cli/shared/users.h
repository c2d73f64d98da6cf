/* SPDX-License-Identifier: MIT */
/*
 * Who uses the machine, as the kernel tells everybody in files: control groups of version 2, and
 * the controllers of version 1 where they are mounted (Linux 6.1, admin-guide/cgroup-v2.rst,
 * admin-guide/cgroup-v1); or processes (proc(5)).
 */
#ifndef CLI_SHARED_USERS_H
#define CLI_SHARED_USERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cli_use {
	CLI_USE_CPU,
	CLI_USE_USER,
	CLI_USE_SYSTEM,
	CLI_USE_THROTTLED,
	CLI_USE_THROTTLES,
	CLI_USE_PERIODS,
	CLI_USE_CPU_PRESSURE,
	CLI_USE_MEMORY_PRESSURE,
	CLI_USE_IO_PRESSURE,
	CLI_USE_MEMORY,
	CLI_USE_FAULTS,
	CLI_USE_MAJOR_FAULTS,
	CLI_USE_READ,
	CLI_USE_WRITTEN,
	CLI_USE_TASKS,
	CLI_USER_FAMILIES
};

/* What each is called where it is exported. */
struct cli_user_family {
	const char *name, *base, *help;
	bool is_state;
};
extern const struct cli_user_family cli_user_families[CLI_USER_FAMILIES];

/* At most so many groups have series of their own; what others use is one sum. */
#define CLI_USERS_MAX 4096
#define CLI_USER_OTHERS "(others)"

/**
 * struct cli_user - a group, a process, or the others
 * @path:	below the mount, "/" for the root; of a process "123 name"; @labels: made of it,
 *		NULL before
 * @value:	of each family, in its base unit; @has: it is told
 * @last:	what was told before
 * @lacks:	files that it has not, a bit each
 * @reads:	how often it was read
 * @is_there:	it was found in the last walk; @is_new: for the first time
 * @is_folded:	it is one of the others
 */
struct cli_user {
	char *path, *labels;
	double value[CLI_USER_FAMILIES], last[CLI_USER_FAMILIES];
	bool has[CLI_USER_FAMILIES];
	bool is_there, is_new, is_folded;
	uint32_t lacks;
	unsigned int reads;
};

/**
 * struct cli_users - those that are exported
 * @pattern:	which groups, as fnmatch(3) has it, @patterns of them; and @depth levels below each
 * @is_processes: all processes in their place
 * @most:	so many have series of their own
 * @user:	@n of them by path
 * @shown:	those that have series of their own
 * @others:	sum of what the folded ones used since they were seen; .path is NULL while there is
 *		none
 * @dropped:	how many were folded
 */
struct cli_users {
	char **pattern;
	size_t patterns, most;
	unsigned int depth;
	bool is_processes;
	struct cli_user *user;
	size_t n;
	size_t shown;
	struct cli_user others;
	uint64_t dropped;
};

/*
 * The groups of @list, "system.slice,kubepods.slice", and @depth levels below them, @most of which
 * have series of their own.
 */
void cli_users_init(struct cli_users *c, const char *list, unsigned int depth, size_t most);
/*
 * Look for groups that came and went, and read their files. One that went is there once more, with
 * what was read last. How many there are.
 */
size_t cli_users_read(struct cli_users *c);
void cli_users_fini(struct cli_users *c);

/**
 * struct cli_cgroup_names - who a group is of, by its path alone
 * @unit:	systemd's, "cron.service"; @pod: Kubernetes' uid; @container: its id; "" where it is
 *		none
 */
struct cli_cgroup_names {
	char unit[256], pod[64], container[80];
};
struct cli_cgroup_names cli_cgroup_names(const char *path);

#endif
