// SPDX-License-Identifier: MIT
/* ntime driver load and unload: the module and its file system. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/command/child.h"
#include "count/cli/driver/driver.h"
#include "base/output/memory.h"
#include "base/output/number.h"
#include "base/output/say.h"

#define USER_ACCESS "user_access=1"
#define BUILD "build it with 'dkms install ntime/" NTIME_VERSION "'"
#define SIGNED "if the kernel accepts only signed modules, see 'SECURE BOOT' in ntime-driver(1)"

/* ---- the module ---- */

/* Can this kernel load modules? Else after a sentence. */
static bool can_load(void)
{
	if (access("/proc/modules", F_OK) == 0)
		return true;
	cli_say("this kernel cannot load modules (there is no /proc/modules): boot one that can");
	return false;
}

static int say_module_error(const char *file, int error)
{
	switch (error) {
	case EPERM:
	case EACCES:
		cli_say("%s cannot be loaded: this needs root (CAP_SYS_MODULE) and a kernel that "
			"accepts modules; " SIGNED,
			file);
		break;
	case EKEYREJECTED:
	case ENOKEY:
		cli_say("%s cannot be loaded: it is not signed with a key that this kernel trusts; "
			"see 'SECURE BOOT' in ntime-driver(1)",
			file);
		break;
	case ENOEXEC:
		cli_say("%s is not a module for this kernel (see the kernel log): " BUILD, file);
		break;
	case ENODEV:
		cli_say("%s knows no registers of this machine", file);
		break;
	case ENOSYS:
		if (!can_load())
			break;
		/* fall through */
	default:
		cli_say("%s cannot be loaded: %s", file, strerror(error));
	}
	return CLI_EXIT_FAILED;
}

static int load_file(const char *file, const char *parameters)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK), error;

	if (fd < 0) {
		cli_say("cannot open '%s': %s", file, strerror(errno));
		return CLI_EXIT_FAILED;
	}
	error = syscall(SYS_finit_module, fd, parameters, 0) ? errno : 0;
	close(fd);
	return !error || error == EEXIST ? 0 : say_module_error(file, error);
}

/* modprobe knows where modules are and how they are packed. */
static int load_installed(const char *parameters)
{
	char in_path[] = "modprobe", in_sbin[] = "/sbin/modprobe", module[] = CLI_DRIVER_MODULE;
	char words[sizeof(USER_ACCESS)];
	/* Debian keeps it where the PATH of an ordinary login does not look. */
	char *argv[] = { access(in_sbin, X_OK) == 0 ? in_sbin : in_path, module,
			 *parameters ? words : NULL, NULL };
	int ret;

	(void)snprintf(words, sizeof(words), "%s", parameters);
	if (!can_load())
		return CLI_EXIT_FAILED;
	if (geteuid() != 0) {
		cli_say("loading the driver needs root");
		return CLI_EXIT_FAILED;
	}
	ret = cli_child_run(argv);
	if (!ret)
		return 0;
	if (ret < 0)
		cli_say("cannot run modprobe: %s; name the module's file with --module",
			strerror(-ret));
	else
		cli_say("modprobe does not find the driver, or cannot load it: " BUILD
			", or name the module's file with --module; " SIGNED);
	return CLI_EXIT_FAILED;
}

/*
 * Elsewhere the module has no such parameter, and the kernel takes unknown ones without an error.
 */
static int check_user_access(void)
{
	struct utsname machine;

	(void)uname(&machine);
	if (strncmp(machine.machine, "arm", 3) == 0)
		return 0;
	cli_say("--user-access is for 32-bit ARM: on %s whoever may read the file of a counter may "
		"use its instruction, so give him that file (chgrp, chmod)",
		machine.machine);
	return CLI_EXIT_FAILED;
}

/* Does the module that is loaded let all programs at the monitor? */
static bool has_user_access(void)
{
	char value = 'N';
	FILE *f = cli_fopen("/sys/module/" CLI_DRIVER_MODULE "/parameters/user_access", "re");

	if (!f)
		return false;
	(void)!fread(&value, 1, 1, f);
	fclose(f);
	return value == 'Y';
}

static int load_module(const struct cli_driver *d)
{
	const char *parameters = d->has_user_access ? USER_ACCESS : "";

	if (!cli_driver_is_loaded(d))
		return d->module ? load_file(d->module, parameters) : load_installed(parameters);
	if (d->has_user_access && !has_user_access()) {
		cli_say("the driver is already loaded, without user access: unload it first "
			"('ntime driver unload')");
		return CLI_EXIT_FAILED;
	}
	if (d->module)
		cli_say("the driver is already loaded; %s was not used", d->module);
	return 0;
}

/* ---- the mount ---- */

/* Group's number by name or number: 1 found, 0 there is none of that name. */
static int find_group(const char *name, gid_t *gid)
{
	const struct group *group;
	uint64_t number;

	if (cli_number_parse(name, 0, UINT32_MAX - 1, &number) == 0) {
		*gid = (gid_t)number;
		return 1;
	}
	// cppcheck-suppress getgrnamCalled ; the command has one thread
	group = getgrnam(name);
	if (!group)
		return 0;
	*gid = group->gr_gid;
	return 1;
}

static int parse_mode(const char *text, unsigned int *mode)
{
	char *end;
	unsigned long value = strtoul(text, &end, 8);

	if (end == text || *end || *text == '-' || value > 0666 || value & 0111)
		return -EINVAL;
	*mode = (unsigned int)value;
	return 0;
}

/* What is said to mount(2): without a group registers are for root alone. */
static int make_options(const struct cli_driver *d, char *options, size_t size)
{
	gid_t gid = 0;
	int has_group = find_group(d->gid ? d->gid : CLI_DRIVER_GROUP, &gid);
	unsigned int mode = has_group ? 0440 : 0400;

	if (d->gid && !has_group) {
		cli_say("there is no group '%s': groupadd --system %s", d->gid, d->gid);
		return CLI_EXIT_FAILED;
	}
	if (d->mode && parse_mode(d->mode, &mode))
		return cli_say_misuse(
			d->self->name,
			"--mode takes read and write permissions in octal, such as 0440, not '%s'",
			d->mode);
	snprintf(options, size, "gid=%u,mode=%04o", (unsigned int)gid, mode);
	return 0;
}

static int mount_tree(const struct cli_driver *d, const char *options)
{
	struct cli_driver_mount old;

	if (cli_driver_find_mount(d, &old) > 0) {
		if (d->gid || d->mode) {
			cli_say("%s is already mounted (%s): unload the driver first to change "
				"that",
				old.path, old.options);
			return CLI_EXIT_FAILED;
		}
		return 0;
	}
	if (mount(CLI_DRIVER_FS, CLI_DRIVER_PATH, CLI_DRIVER_FS, MS_NOSUID | MS_NODEV | MS_NOEXEC,
		  options) == 0)
		return 0;
	if (errno == EPERM)
		cli_say("mounting " CLI_DRIVER_PATH " needs root (CAP_SYS_ADMIN)");
	else
		cli_say("the driver is loaded, but " CLI_DRIVER_PATH
			" cannot be mounted with %s: %s",
			options, strerror(errno));
	return CLI_EXIT_FAILED;
}

int cli_driver_load(const struct cli_driver *d)
{
	char options[64];
	int ret = make_options(d, options, sizeof(options));

	if (!ret && d->has_user_access)
		ret = check_user_access();
	if (!ret)
		ret = load_module(d);
	return ret ? ret : mount_tree(d, options);
}

/* ---- and away ---- */

static int say_busy(const char *what)
{
	char users[512];

	cli_driver_users(CLI_DRIVER_PATH, users, sizeof(users));
	if (*users)
		cli_say("%s is in use by %s", what, users);
	else
		cli_say("%s is in use; no process was found that has a register open (one may have "
			"mapped it, or work in another mount namespace)",
			what);
	return CLI_EXIT_FAILED;
}

static int unmount_all(const struct cli_driver *d)
{
	struct cli_driver_mount mount;

	while (cli_driver_find_mount(d, &mount) > 0) {
		if (umount2(mount.path, 0) == 0)
			continue;
		if (errno == EBUSY)
			return say_busy(mount.path);
		if (errno == EPERM)
			cli_say("unloading the driver needs root (CAP_SYS_ADMIN to unmount it)");
		else
			cli_say("cannot unmount %s: %s", mount.path, strerror(errno));
		return CLI_EXIT_FAILED;
	}
	return 0;
}

int cli_driver_unload(const struct cli_driver *d)
{
	int ret;

	if (!cli_driver_is_loaded(d)) {
		cli_say("the driver is not loaded");
		return 0;
	}
	ret = unmount_all(d);
	if (ret || syscall(SYS_delete_module, CLI_DRIVER_MODULE, O_NONBLOCK) == 0)
		return ret;
	if (errno == EWOULDBLOCK || errno == EBUSY)
		return say_busy("the driver");
	if (errno == EPERM)
		cli_say("unloading the driver needs root (CAP_SYS_MODULE)");
	else
		cli_say("the driver cannot be unloaded: %s", strerror(errno));
	return CLI_EXIT_FAILED;
}
