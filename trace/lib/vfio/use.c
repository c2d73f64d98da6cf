// SPDX-License-Identifier: MIT
/*
 * Who would miss a PCI function: the console, lit screens, disks in use, network devices that are
 * up.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/common/text.h"
#include "trace/lib/vfio/use.h"

/* <linux/if.h>, IFF_UP */
#define INTERFACE_UP 1

/* What is asked; .why is filled by the first who would miss it. */
struct use {
	struct nti_os *os;
	const struct nti_vfio_function *f;
	char *why;
	size_t size;
	char *mounts; /* /proc/self/mountinfo, and behind it /proc/swaps */
	const char *disk;
	const char *card;
};

#define MOUNTS_BYTES (1u << 20)

/* ---- what hangs on the function ---- */

/* Does the link @path lead through the function? Devices lie below it in /sys/devices. */
static bool leads_here(struct use *u, const char *path)
{
	char target[PATH_MAX], part[NTI_VFIO_NAME_BYTES + 2];

	if (u->os->ops->link(u->os, path, target, sizeof(target)) < 0)
		return false;
	(void)snprintf(part, sizeof(part), "/%s/", u->f->name);
	return strstr(target, part);
}

/* ---- disks ---- */

/*
 * A disk that several controllers lead to lies below none of them: it is nvme0n1 of
 * /sys/devices/virtual/nvme-subsystem/nvme-subsys0, where links lead to the controllers
 * (nvme_subsys_create_link of Linux, drivers/nvme/host/core.c).
 */
static int is_path_of_subsystem(void *arg, const char *name)
{
	struct use *u = arg;
	char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), "/sys/block/%.64s/../%.64s", u->disk, name);
	return strncmp(name, "nvme", 4) == 0 && leads_here(u, path);
}

static bool is_disk_here(struct use *u)
{
	char path[PATH_MAX], target[PATH_MAX];
	char *end;

	(void)snprintf(path, sizeof(path), "/sys/block/%.64s", u->disk);
	if (leads_here(u, path))
		return true;
	if (u->os->ops->link(u->os, path, target, sizeof(target)) < 0 ||
	    !strstr(target, "/nvme-subsystem/"))
		return false;
	end = strrchr(target, '/');
	*end = '\0';
	(void)snprintf(path, sizeof(path), "/sys/block/%.4000s", target);
	return u->os->ops->list(u->os, path, is_path_of_subsystem, u) > 0;
}

/*
 * The mount of device @numbers ("8:1"), or of /dev/@name: some file systems have numbers of their
 * own. Field 3 of a line is the number, field 5 the place, and what follows " - " is type and
 * source (proc(5)).
 */
static bool find_mount(const struct use *u, const char *name, const char *numbers, char *where,
		       size_t size)
{
	char number[32], place[256], source[256];
	const char *line = u->mounts, *rest;

	for (; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		if (sscanf(line, "%*s %*s %31s %*s %255s", number, place) != 2)
			continue;
		rest = strstr(line, " - ");
		if (!rest || rest > line + strcspn(line, "\n") ||
		    sscanf(rest, " - %*s %255s", source) != 1)
			source[0] = '\0';
		if (strcmp(number, numbers) != 0 &&
		    (strncmp(source, "/dev/", 5) != 0 || strcmp(source + 5, name) != 0))
			continue;
		(void)snprintf(where, size, "%.128s", place);
		return true;
	}
	return false;
}

static int say_holder(void *arg, const char *name)
{
	(void)arg;
	(void)name;
	return 1;
}

/*
 * Device mapper and RAID are named in sysfs. Mounts and swap too open a disk for themselves alone:
 * nobody else gets it so, and that it is so root can see.
 */
static bool is_held(struct use *u, const char *directory, const char *name)
{
	char path[256];
	int fd;

	(void)snprintf(path, sizeof(path), "%.160s/holders", directory);
	if (u->os->ops->list(u->os, path, say_holder, u) > 0)
		return true;
	(void)snprintf(path, sizeof(path), "/dev/%.64s", name);
	fd = u->os->ops->open(u->os, path, O_RDONLY | O_EXCL | O_NONBLOCK);
	if (fd >= 0)
		u->os->ops->close(u->os, fd);
	return fd == -EBUSY;
}

/* A disk or a partition, of which sysfs has @directory. */
static int look_at_volume(struct use *u, const char *directory, const char *name)
{
	char where[160], numbers[32];

	if (nti_os_line(u->os, numbers, sizeof(numbers), "%s/dev", directory) < 0)
		return 0;
	if (find_mount(u, name, numbers, where, sizeof(where))) {
		(void)snprintf(u->why, u->size, "%.64s on it is mounted on %.128s", name, where);
		return 1;
	}
	if (is_held(u, directory, name)) {
		(void)snprintf(u->why, u->size, "%.64s on it is in use (swap, RAID, device mapper)",
			       name);
		return 1;
	}
	return 0;
}

static int look_at_partition(void *arg, const char *name)
{
	struct use *u = arg;
	char path[160];

	if (strncmp(name, u->disk, strlen(u->disk)) != 0)
		return 0;
	(void)snprintf(path, sizeof(path), "/sys/block/%.64s/%.64s", u->disk, name);
	return look_at_volume(u, path, name);
}

static int look_at_disk(void *arg, const char *name)
{
	struct use *u = arg;
	char path[128];
	int ret;

	u->disk = name;
	if (!is_disk_here(u))
		return 0;
	/*
	 * Partitions first: the sentence is about them, and a disk is in use when one of them is.
	 */
	(void)snprintf(path, sizeof(path), "/sys/block/%.64s", name);
	ret = u->os->ops->list(u->os, path, look_at_partition, u);
	return ret > 0 ? ret : look_at_volume(u, path, name);
}

/* ---- networks and screens ---- */

static int look_at_network(void *arg, const char *name)
{
	struct use *u = arg;
	uint64_t flags = 0;
	char path[128];

	(void)snprintf(path, sizeof(path), "/sys/class/net/%.64s", name);
	if (!leads_here(u, path) ||
	    nti_os_u64(u->os, &flags, "/sys/class/net/%s/flags", name) < 0 ||
	    !(flags & INTERFACE_UP))
		return 0;
	(void)snprintf(u->why, u->size, "its network device %.64s is up", name);
	return 1;
}

static int look_at_connector(void *arg, const char *name)
{
	struct use *u = arg;
	char line[32];

	if (nti_os_line(u->os, line, sizeof(line), NTI_VFIO_DEVICES "/%s/drm/%s/%s/enabled",
			u->f->name, u->card, name) < 0 ||
	    strcmp(line, "enabled") != 0)
		return 0;
	(void)snprintf(u->why, u->size, "a screen is lit on its connector %.64s", name);
	return 1;
}

static int look_at_screens(void *arg, const char *name)
{
	struct use *u = arg;
	char path[192];

	u->card = name;
	(void)snprintf(path, sizeof(path), NTI_VFIO_DEVICES "/%s/drm/%.64s", u->f->name, name);
	return u->os->ops->list(u->os, path, look_at_connector, u);
}

static bool shows_console(struct use *u)
{
	uint64_t boot = 0;

	if (nti_os_u64(u->os, &boot, NTI_VFIO_DEVICES "/%s/boot_vga", u->f->name) < 0 || !boot)
		return false;
	(void)snprintf(u->why, u->size,
		       "it is the graphics card that this machine was started with, and shows the "
		       "console");
	return true;
}

/* Directories that there are not hold nothing. */
static bool any_in(struct use *u, const char *path, int (*fn)(void *arg, const char *name))
{
	return u->os->ops->list(u->os, path, fn, u) > 0;
}

int nti_vfio_use(struct nti_os *os, const struct nti_vfio_function *f, char *why, size_t size)
{
	struct use u = { .os = os, .f = f, .why = why, .size = size };
	char path[128];
	int is_used;

	u.mounts = malloc(MOUNTS_BYTES);
	if (!u.mounts)
		return -ENOMEM;
	if (os->ops->text(os, "/proc/self/mountinfo", u.mounts, MOUNTS_BYTES) < 0)
		u.mounts[0] = '\0';
	(void)snprintf(path, sizeof(path), NTI_VFIO_DEVICES "/%s/drm", f->name);
	is_used = shows_console(&u) || any_in(&u, path, look_at_screens) ||
		  any_in(&u, "/sys/block", look_at_disk) ||
		  any_in(&u, "/sys/class/net", look_at_network);
	free(u.mounts);
	return is_used;
}

/* One program at a time opens a group (vfio_group_fops_open() of Linux). */
int nti_vfio_group_is_open(struct nti_os *os, unsigned int number)
{
	char path[64];
	int fd;

	(void)snprintf(path, sizeof(path), "/dev/vfio/%u", number);
	fd = os->ops->open(os, path, O_RDWR);
	if (fd >= 0)
		os->ops->close(os, fd);
	if (fd == -EACCES || fd == -EPERM)
		return -EACCES;
	return fd == -EBUSY;
}
