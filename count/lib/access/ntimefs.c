// SPDX-License-Identifier: MIT
/* The ntimefs access method: registers as files of ntime's driver. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/names.h"
#include "core/regs/regs.h"
#include "core/seq/box.h"
#include "count/lib/access/ntimefs.h"
#include "count/lib/access/why.h"
#include "base/common/grow.h"
#include "base/common/text.h"
#include "base/os/page.h"
#include "base/os/process.h"

/* The mapping that describes a register: the driver takes one page, whatever its size. */

/* One register file that is open. */
struct file {
	enum nthw_space space;
	unsigned int unit;
	uint32_t address;
	int fd;
	bool is_of_package; /* the path's folder */
	bool is_writable;
	bool is_binary; /* 8 bytes instead of text: its description was mapped once */
	void *kept;	/* mapping that holds a permission */
};

struct nti_ntimefs {
	struct nthw_io io; /* first: its functions get this pointer */
	struct nti_os *os;
	struct nti_error *error; /* of the access that failed last; may be NULL */
	pid_t owner;		 /* process that mapped what is kept */
	struct file *file;
	size_t files;
	char function[16]; /* "D16:F4": whose configuration space; "": none */
	/* of what failed last: */
	char path[NTI_NTIMEFS_PATH_BYTES];
	enum nthw_space space;
	uint32_t address;
	bool was_open; /* it was opened for what failed */
};

/* Path of a register: of CPU @unit, or of its package. */
static int set_path(struct nti_ntimefs *fs, enum nthw_space space, unsigned int unit,
		    bool is_of_package, uint32_t address)
{
	int n;

	fs->space = space;
	fs->address = address;
	if (space == NTHW_SPACE_PCI && *fs->function)
		n = snprintf(fs->path, sizeof(fs->path),
			     NTIME_FS_PATH "/core%u/uncore/pci/%s/0x%03x", unit, fs->function,
			     address);
	else if (space != NTHW_SPACE_PCI && space != NTHW_SPACE_MMIO)
		n = snprintf(fs->path, sizeof(fs->path), NTIME_FS_PATH "/core%u/%s%s/0x%x", unit,
			     is_of_package ? "uncore/" : "", nti_space_names[space], address);
	else
		return -ENOTSUP;
	return n < 0 || (size_t)n >= sizeof(fs->path) ? -ENAMETOOLONG : 0;
}

static struct file *find_file(const struct nti_ntimefs *fs, enum nthw_space space,
			      unsigned int unit, uint32_t address)
{
	size_t i;

	for (i = 0; i < fs->files; i++) {
		struct file *file = &fs->file[i];

		if (file->address == address && file->unit == unit && file->space == space)
			return file;
	}
	return NULL;
}

/*
 * What a mapping says, made safe against drivers of other versions. False: it is not the
 * description of a register.
 */
static bool take_page(const struct ntime_page *page, struct ntime_page *out)
{
	size_t bytes = page->size;

	memset(out, 0, sizeof(*out));
	if (bytes < offsetof(struct ntime_page, width) || bytes > nti_page_bytes())
		return false;
	memcpy(out, page, bytes < sizeof(*out) ? bytes : sizeof(*out));
	out->name[sizeof(out->name) - 1] = '\0';
	/* What cannot be used without knowing more is read by read(2), which always works. */
	if (out->type > NTIME_PAGE_TSC || out->width > 64 ||
	    (out->type != NTIME_PAGE_PLAIN && bytes < offsetof(struct ntime_page, name)))
		out->type = NTIME_PAGE_PLAIN;
	return true;
}

/* Map the description of @file, which switches it to binary values. */
static int map_page(struct nti_ntimefs *fs, struct file *file, struct ntime_page *out)
{
	void *page;
	int ret = fs->os->ops->map(fs->os, file->fd, nti_page_bytes(), &page);

	if (ret < 0)
		return ret;
	if (!take_page(page, out)) {
		fs->os->ops->unmap(fs->os, page, nti_page_bytes());
		return -EIO;
	}
	file->is_binary = true;
	if (out->type == NTIME_PAGE_PMC && !file->kept)
		file->kept = page;
	else
		fs->os->ops->unmap(fs->os, page, nti_page_bytes());
	return 0;
}

static void close_file(struct nti_ntimefs *fs, struct file *file)
{
	/* A forked child may have something else there. */
	if (fs->owner == nti_process_self())
		fs->os->ops->unmap(fs->os, file->kept, nti_page_bytes());
	fs->os->ops->close(fs->os, file->fd);
}

/* A row of the register at @address, of any machine, that @fits; NULL: there is none. */
static const struct nthw_reg *find_row(enum nthw_space space, uint32_t address,
				       bool (*fits)(const struct nthw_reg *row))
{
	const struct nthw_reg *row;
	uint32_t index;
	size_t i;

	for (i = 0; i < nthw_table_count; i++) {
		row = nthw_table_find(nthw_tables[i], address, &index);
		if (row && row->space == space && fits(row))
			return row;
	}
	return NULL;
}

static bool only_clears(const struct nthw_reg *row)
{
	return !nthw_reg_is_readable(row);
}

static bool is_secret(const struct nthw_reg *row)
{
	return row->secret != NTHW_SECRET_NONE;
}

static int open_path(struct nti_ntimefs *fs, const struct file *file, bool is_readable)
{
	int flags = file->is_writable ? (is_readable ? O_RDWR : O_WRONLY) : O_RDONLY;
	int ret = set_path(fs, file->space, file->unit, file->is_of_package, file->address);

	return ret < 0 ? ret : fs->os->ops->open(fs->os, fs->path, flags);
}

static int open_register(struct nti_ntimefs *fs, struct file *file, bool is_readable)
{
	int fd = open_path(fs, file, is_readable);

	if (fd != -ENOENT)
		return fd;
	file->is_of_package = true;
	fd = open_path(fs, file, is_readable);
	return fd == -ENOENT ? -ENXIO : fd;
}

/*
 * The open file of a register, for what is wanted. One that was opened for reading is opened anew
 * for writing; the old descriptor is closed after that, never before: a register must not be left
 * alone in between.
 */
static int get_file(struct nti_ntimefs *fs, enum nthw_space space, unsigned int unit,
		    uint32_t address, bool for_write, struct file **out)
{
	struct file *old = find_file(fs, space, unit, address);
	struct file made = {
		.space = space, .unit = unit, .address = address, .is_writable = for_write
	};
	struct ntime_page page;
	bool is_readable;
	int ret;

	*out = old;
	if (old && (old->is_writable || !for_write))
		return 0;
	/* The driver would refuse to open one that only clears for reading, and remember that. */
	is_readable = !find_row(space, address, only_clears);
	if (!nti_grow(&fs->file, fs->files))
		return -ENOMEM;
	fs->was_open = false;
	made.fd = open_register(fs, &made, is_readable);
	if (made.fd < 0)
		return made.fd;
	ret = is_readable ? map_page(fs, &made, &page) : 0;
	if (ret < 0) {
		fs->os->ops->close(fs->os, made.fd);
		return ret;
	}
	/* Found anew: making room may have moved it. */
	*out = find_file(fs, space, unit, address);
	if (*out)
		close_file(fs, *out);
	else
		*out = &fs->file[fs->files++];
	**out = made;
	return 0;
}

static int access_failed(struct nti_ntimefs *fs, const struct file *file, ssize_t n)
{
	fs->was_open = true;
	(void)set_path(fs, file->space, file->unit, file->is_of_package, file->address);
	return n < 0 ? (int)n : -EIO;
}

/* What could not be accessed is .path. */
static int tell(const struct nti_ntimefs *fs, const char *verb, int ret)
{
	return nti_error(fs->error, ret, "cannot %s %s: %s", verb, fs->path, strerror(-ret));
}

static int fs_read(struct nthw_io *io, enum nthw_space space, unsigned int unit, uint32_t address,
		   uint64_t *value)
{
	struct nti_ntimefs *fs = (struct nti_ntimefs *)io;
	struct file *file;
	uint64_t raw;
	ssize_t n;
	int ret = get_file(fs, space, unit, address, false, &file);

	if (ret < 0)
		return tell(fs, "read", ret);
	/* A file that could only be opened for writing: reading it says so. */
	n = fs->os->ops->pread(fs->os, file->fd, &raw, sizeof(raw), 0);
	if (n != (ssize_t)sizeof(raw) || !file->is_binary)
		return tell(fs, "read", access_failed(fs, file, n));
	*value = raw;
	return 0;
}

/* A descriptor that cannot be mapped takes text alone. */
static ssize_t write_value(struct nti_ntimefs *fs, const struct file *file, uint64_t value,
			   size_t *bytes)
{
	char text[24];

	if (file->is_binary) {
		*bytes = sizeof(value);
		return fs->os->ops->pwrite(fs->os, file->fd, &value, sizeof(value), 0);
	}
	*bytes = (size_t)snprintf(text, sizeof(text), "0x%llx\n", (unsigned long long)value);
	return fs->os->ops->pwrite(fs->os, file->fd, text, *bytes, 0);
}

static int fs_write(struct nthw_io *io, enum nthw_space space, unsigned int unit, uint32_t address,
		    uint64_t value)
{
	struct nti_ntimefs *fs = (struct nti_ntimefs *)io;
	struct file *file;
	size_t bytes;
	ssize_t n;
	int ret = get_file(fs, space, unit, address, true, &file);

	if (ret < 0)
		return tell(fs, "write", ret);
	n = write_value(fs, file, value, &bytes);
	return n >= 0 && (size_t)n == bytes ? 0 : tell(fs, "write", access_failed(fs, file, n));
}

int nti_ntimefs_hold(struct nti_ntimefs *fs, enum nthw_space space, unsigned int unit,
		     uint32_t address)
{
	struct file *file;

	return get_file(fs, space, unit, address, true, &file);
}

int nti_ntimefs_describe(struct nti_ntimefs *fs, enum nthw_space space, unsigned int unit,
			 uint32_t address, struct ntime_page *out)
{
	struct file *file;
	int ret = get_file(fs, space, unit, address, false, &file);

	if (ret < 0)
		return ret;
	ret = file->is_binary ? map_page(fs, file, out) : -EACCES;
	return ret < 0 ? access_failed(fs, file, ret) : 0;
}

/* The driver's name of a function, of "0000:7f:10.4": it knows the bus by the package. */
static int name_function(struct nti_ntimefs *fs, const char *address)
{
	const char *device = strrchr(address, ':');
	unsigned long slot, function;
	char *end;

	if (!device)
		return -EINVAL;
	slot = strtoul(device + 1, &end, 16);
	if (end == device + 1 || *end != '.')
		return -EINVAL;
	function = strtoul(end + 1, &end, 16);
	if (*end)
		return -EINVAL;
	(void)snprintf(fs->function, sizeof(fs->function), "D%lu:F%lu", slot & 0x1f, function & 7);
	return 0;
}

int nti_ntimefs_new(struct nti_os *os, const char *function, struct nti_error *error,
		    struct nti_ntimefs **out)
{
	struct nti_ntimefs *fs = calloc(1, sizeof(*fs));
	int ret = 0;

	*out = NULL;
	if (!fs)
		return -ENOMEM;
	fs->io = (struct nthw_io){ .read = fs_read, .write = fs_write };
	fs->os = os;
	fs->error = error;
	fs->owner = nti_process_self();
	if (*function)
		ret = name_function(fs, function);
	if (ret < 0) {
		free(fs);
		return ret;
	}
	*out = fs;
	return 0;
}

void nti_ntimefs_free(struct nti_ntimefs *fs)
{
	if (!fs)
		return;
	while (fs->files)
		close_file(fs, &fs->file[--fs->files]);
	free(fs->file);
	free(fs);
}

struct nthw_io *nti_ntimefs_io(struct nti_ntimefs *fs)
{
	return &fs->io;
}

const struct nti_why *nti_ntimefs_not_loaded(struct nti_os *os)
{
	return nti_os_has_modules(os) ? &nti_why_driver_not_loaded : &nti_why_driver_no_modules;
}

/*
 * The driver makes the mount point when it is loaded, and a folder "core0" can be seen only when it
 * is mounted.
 */
static int find_driver(struct nti_os *os, const struct nti_why **why)
{
	int ret = os->ops->access(os, NTIME_FS_PATH "/core0", F_OK);

	if (ret == 0)
		return 0;
	if (ret != -ENOENT)
		*why = &nti_why_driver_closed;
	else if (os->ops->access(os, NTIME_FS_PATH, F_OK) == 0)
		*why = &nti_why_driver_not_mounted;
	else
		*why = nti_ntimefs_not_loaded(os);
	return ret;
}

struct readable_walk {
	struct nti_os *os;
	const char *folder;
	int ret; /* of the first register file */
};

static int try_register(void *arg, const char *name)
{
	char path[NTI_NTIMEFS_PATH_BYTES];
	struct readable_walk *w = arg;

	if (snprintf(path, sizeof(path), NTIME_FS_PATH "/core0/%s/%s", w->folder, name) >=
	    (int)sizeof(path))
		return 0;
	w->ret = w->os->ops->access(w->os, path, R_OK);
	/*
	 * One that can be read is enough: the administrator may have opened some registers alone.
	 */
	return w->ret == 0;
}

/* Can this user read one of the registers that all CPUs have? */
static int find_readable(struct nti_os *os)
{
	static const enum nthw_space spaces[] = { NTHW_SPACE_MSR, NTHW_SPACE_SYSREG,
						  NTHW_SPACE_CP15 };
	struct readable_walk walk = { .os = os, .ret = -ENOENT };
	char path[NTI_NTIMEFS_PATH_BYTES];
	size_t i;
	int ret;

	for (i = 0; i < NTI_ARRAY_SIZE(spaces); i++) {
		walk.folder = nti_space_names[spaces[i]];
		(void)snprintf(path, sizeof(path), NTIME_FS_PATH "/core0/%s", walk.folder);
		ret = os->ops->list(os, path, try_register, &walk);
		if (ret == 1)
			return 0;
		if (ret < 0 && ret != -ENOENT)
			walk.ret = ret;
	}
	return walk.ret;
}

int nti_ntimefs_probe(struct nti_os *os, const struct nti_why **why)
{
	int ret;

	*why = &nti_why_nothing;
	if (os->is_simulated) {
		*why = &nti_why_recording;
		return -ENOTSUP;
	}
	ret = find_driver(os, why);
	if (ret < 0)
		return ret;
	ret = find_readable(os);
	if (ret < 0)
		*why = ret == -ENOENT ? &nti_why_driver_empty : &nti_why_driver_closed;
	return ret;
}

static int explain_busy(const struct nti_ntimefs *fs, const char *where, struct nti_absence *out)
{
	char guess[NTI_NTIMEFS_PATH_BYTES + 64];
	const struct nti_user user = {
		.guess = guess,
		.remedy = "end what counts with perf or ntime, and the NMI watchdog: sysctl "
			  "kernel.nmi_watchdog=0 (" NTIME_FS_PATH
			  "/status names writers and refusals)",
	};
	/* Of a core PMU the kernel says no more than that it is taken. */
	int ret = strstr(fs->path, "/uncore") ? nti_ntimefs_explain_owner(fs->os, where, out)
					      : -ENOENT;

	if (ret != -ENOENT)
		return ret;
	(void)snprintf(guess, sizeof(guess), "perf, the NMI watchdog or another ntime (%s is busy)",
		       fs->path);
	return nti_why_in_use(out, &user, "a counter of %s", where);
}

static int explain_denied(const struct nti_ntimefs *fs, struct nti_absence *out)
{
	const struct nthw_reg *secret = find_row(fs->space, fs->address, is_secret);

	if (secret)
		return nti_absence_set(out, NTIME_REASON_PERMISSION, fs->path,
				       nti_why_driver_secret.remedy, "%s is root's alone: %s",
				       fs->path, nthw_secret_why(secret->secret));
	return nti_absence_set(out, NTIME_REASON_PERMISSION, fs->path,
			       NTI_AS_ROOT ", or let the administrator give this user the "
					   "file (chown, chmod)",
			       "this user may not %s %s", fs->was_open ? "use" : "open for that",
			       fs->path);
}

/* The kernel is locked down, or who opens is in a container, or root without capabilities. */
static int explain_refused(const struct nti_ntimefs *fs, const char *where, struct nti_absence *out)
{
	char why[128] = NTI_NTIMEFS_REFUSAL_GUESS;

	if (nti_ntimefs_refusal(fs->os, why, sizeof(why)) && strstr(why, "locked down"))
		return nti_absence_set(out, NTIME_REASON_LOCKDOWN, where,
				       "boot without lockdown, or count through perf",
				       "the kernel is locked down: no register of %s may be "
				       "written",
				       where);
	return nti_absence_set(out, NTIME_REASON_PERMISSION, fs->path,
			       "count outside of the container, as root or as a user whom the "
			       "group or mode of the file permits, or through perf",
			       "the driver refuses %s: %s", fs->path, why);
}

int nti_ntimefs_explain_secret(struct nti_os *os, const struct nthw_box_kind *kind,
			       unsigned int cpu, struct nti_absence *out)
{
	const struct nthw_reg *row = kind->frees ? kind->free[0].reg : NULL;
	struct nti_ntimefs fs = { .os = os };
	int ret;

	if (!row || !is_secret(row) ||
	    set_path(&fs, row->space, cpu, row->scope == NTHW_SCOPE_PACKAGE, row->addr) < 0)
		return 0;
	ret = os->ops->access(os, fs.path, R_OK);
	return ret == -EACCES || ret == -EPERM ? explain_denied(&fs, out) : 0;
}

int nti_ntimefs_explain(struct nti_ntimefs *fs, const char *where, int error,
			struct nti_absence *out)
{
	const struct nti_why *why;

	switch (error) {
	case -EBUSY:
		return explain_busy(fs, where, out);
	case -EACCES:
		return explain_denied(fs, out);
	case -EPERM:
		return explain_refused(fs, where, out);
	case -EROFS:
		return nti_absence_set(out, NTIME_REASON_NOT_MOUNTED, NTIME_FS_PATH,
				       "mount -o remount,rw " NTIME_FS_PATH,
				       NTIME_FS_PATH " is mounted read only");
	case -ENODEV:
		return nti_absence_set(out, NTIME_REASON_OFFLINE, where,
				       "count on a CPU that is on line", "%s went off line", where);
	case -ENXIO:
		if (nti_ntimefs_probe(fs->os, &why) < 0)
			return nti_absence_set_why(out, why);
		return nti_absence_set(out, NTIME_REASON_NOT_SUPPORTED, fs->path, "ntime reg ls",
				       "ntime's driver has no register %s", fs->path);
	case -EAGAIN:
		return nti_absence_set(out, NTIME_REASON_LIMIT, "mappings of registers",
				       "end programs that map registers, or raise as root: "
				       "/sys/module/ntime/parameters/mappings_per_user",
				       "this user has mapped as many registers as ntime's driver "
				       "allows");
	case -EMFILE:
		return nti_absence_set(out, NTIME_REASON_LIMIT, "open files",
				       "raise the limit: ulimit -n 65536",
				       "too many open files for the registers of %s", where);
	default:
		return nti_absence_set_failed(
			out, NTIME_REASON_FAILED, fs->path, error,
			"dmesg, " NTIME_FS_PATH "/status", "%s failed at %s: %s",
			fs->was_open ? "an access" : "opening", fs->path, strerror(-error));
	}
}
