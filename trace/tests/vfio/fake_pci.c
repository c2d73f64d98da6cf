// SPDX-License-Identifier: MIT
/* A machine's sysfs in a temporary directory, with a kernel behind it. */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/tests/tt.h"
#include "trace/tests/vfio/fake_pci.h"

#define BUS "/sys/bus/pci/"

struct fake_pci fake;

static struct fake_pci *fake_of(struct nti_os *os)
{
	return (struct fake_pci *)os;
}

/* ---- files ---- */

static void full(const char *path, char *out)
{
	assert_true(snprintf(out, PATH_MAX, "%s%s", fake.root, path) < PATH_MAX);
}

static void make_parents(char *path)
{
	char *slash;

	for (slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		assert_true(mkdir(path, 0755) == 0 || errno == EEXIST);
		*slash = '/';
	}
}

void fake_pci_file(const char *path, const char *text)
{
	char name[PATH_MAX];
	FILE *file;

	full(path, name);
	make_parents(name);
	file = fopen(name, "w");
	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

void fake_pci_link(const char *path, const char *target)
{
	char name[PATH_MAX];

	full(path, name);
	make_parents(name);
	(void)unlink(name);
	assert_int_equal(symlink(target, name), 0);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

void fake_pci_remove(const char *path)
{
	char name[PATH_MAX];

	full(path, name);
	(void)nftw(name, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

bool fake_pci_has(const char *path)
{
	char name[PATH_MAX];
	struct stat st;

	full(path, name);
	return lstat(name, &st) == 0;
}

static const char *driver_of(const char *function)
{
	static char target[PATH_MAX];
	char path[128];
	char name[PATH_MAX];
	ssize_t n;

	(void)snprintf(path, sizeof(path), BUS "devices/%s/driver", function);
	full(path, name);
	n = readlink(name, target, sizeof(target) - 1);
	if (n < 0)
		return "";
	target[n] = '\0';
	return strrchr(target, '/') + 1;
}

static void override_of(const char *function, char out[128])
{
	char path[128];

	(void)snprintf(path, sizeof(path), BUS "devices/%s/driver_override", function);
	assert_true(fake.real->ops->text(fake.real, path, out, 128) >= 0);
	out[strcspn(out, "\n")] = '\0';
	if (strcmp(out, "(null)") == 0)
		out[0] = '\0';
}

const char *fake_pci_state(const char *function)
{
	static char state[256];
	char override[128];
	const char *driver = driver_of(function);

	override_of(function, override);
	(void)snprintf(state, sizeof(state), "%.100s %.100s", *driver ? driver : "-",
		       *override ? override : "-");
	return state;
}

/* ---- the kernel ---- */

static void bind_to(const char *function, const char *driver)
{
	char path[128], target[128];

	(void)snprintf(path, sizeof(path), BUS "devices/%s/driver", function);
	(void)snprintf(target, sizeof(target), "../../../bus/pci/drivers/%.64s", driver);
	fake_pci_link(path, target);
}

static int kernel_bind(const char *driver, const char *function)
{
	char override[128];

	override_of(function, override);
	if (*driver_of(function))
		return -EBUSY;
	if (strcmp(override, driver) != 0 && (*override || strcmp(driver, "vfio-pci") == 0))
		return -ENODEV;
	if (fake.refuse && strcmp(fake.refuse, function) == 0 && strcmp(fake.refuser, driver) == 0)
		return -EINVAL;
	bind_to(function, driver);
	return 0;
}

static int kernel_unbind(const char *driver, const char *function)
{
	char path[128];

	if (strcmp(driver_of(function), driver) != 0)
		return -ENODEV;
	(void)snprintf(path, sizeof(path), BUS "devices/%s/driver", function);
	fake_pci_remove(path);
	return 0;
}

/* It finds nouveau for all. */
static int kernel_probe(const char *function)
{
	char override[128];

	override_of(function, override);
	if (!*driver_of(function))
		bind_to(function, *override ? override : "nouveau");
	return 0;
}

/* What the write of @text to @path does; -EPROTO: there is no such file. */
static int kernel_write(const char *path, const char *text)
{
	char name[64], file[32];

	if (strcmp(path, "drivers_probe") == 0)
		return kernel_probe(text);
	if (sscanf(path, "drivers/%63[^/]/%31s", name, file) == 2) {
		if (strcmp(file, "bind") == 0)
			return kernel_bind(name, text);
		if (strcmp(file, "unbind") == 0)
			return kernel_unbind(name, text);
	}
	if (sscanf(path, "devices/%63[^/]/%31s", name, file) == 2 &&
	    strcmp(file, "driver_override") == 0) {
		char whole[128], line[80];

		(void)snprintf(whole, sizeof(whole), BUS "%s", path);
		(void)snprintf(line, sizeof(line), "%.64s\n", *text ? text : "(null)");
		fake_pci_file(whole, line);
		return 0;
	}
	return -EPROTO;
}

/* ---- the operating system ---- */

/* Files are Linux's, below the root; it is asked by its own name. */
static int fake_open(struct nti_os *os, const char *path, int flags)
{
	int fd;

	if (fake.held && strcmp(fake.held, path) == 0)
		return -EBUSY;
	fd = fake_of(os)->real->ops->open(fake.real, path, flags & ~O_TRUNC);
	assert_true(fd < 64);
	if (fd >= 0)
		(void)snprintf(fake.path[fd], sizeof(fake.path[fd]), "%s", path);
	return fd;
}

static ssize_t fake_pwrite(struct nti_os *os, int fd, const void *buf, size_t size, uint64_t offset)
{
	const char *path = fake.path[fd];
	char text[80], line[256];
	int ret;

	(void)os;
	assert_int_equal(offset, 0);
	assert_true(strncmp(path, BUS, strlen(BUS)) == 0 && size > 0 && size < sizeof(text));
	(void)snprintf(text, sizeof(text), "%.*s", (int)size - 1, (const char *)buf);
	assert_int_equal(((const char *)buf)[size - 1], '\n');
	fake.writes++;
	(void)snprintf(line, sizeof(line), "%s %s\n", path + strlen(BUS), text);
	assert_true(strlen(fake.log) + strlen(line) < sizeof(fake.log));
	strcat(fake.log, line);
	ret = kernel_write(path + strlen(BUS), text);
	assert_int_not_equal(ret, -EPROTO);
	return ret < 0 ? ret : (ssize_t)size;
}

static ssize_t fake_pread(struct nti_os *os, int fd, void *buf, size_t size, uint64_t offset)
{
	return fake_of(os)->real->ops->pread(fake_of(os)->real, fd, buf, size, offset);
}

static void fake_close(struct nti_os *os, int fd)
{
	fake_of(os)->real->ops->close(fake_of(os)->real, fd);
}

static int fake_text(struct nti_os *os, const char *path, char *buf, size_t size)
{
	return fake_of(os)->real->ops->text(fake_of(os)->real, path, buf, size);
}

static int fake_list(struct nti_os *os, const char *path, int (*fn)(void *arg, const char *name),
		     void *arg)
{
	return fake_of(os)->real->ops->list(fake_of(os)->real, path, fn, arg);
}

static int fake_link(struct nti_os *os, const char *path, char *buf, size_t size)
{
	return fake_of(os)->real->ops->link(fake_of(os)->real, path, buf, size);
}

static int fake_access(struct nti_os *os, const char *path, int mode)
{
	return fake_of(os)->real->ops->access(fake_of(os)->real, path, mode);
}

static const char *fake_arch(struct nti_os *os)
{
	(void)os;
	return "x86_64";
}

static bool fake_is_privileged(struct nti_os *os, bool perf)
{
	(void)perf;
	return fake_of(os)->is_root;
}

static int fake_directory(struct nti_os *os, const char *path, bool make)
{
	return fake_of(os)->real->ops->directory(fake_of(os)->real, path, make);
}

/* What trace/lib/vfio calls. */
static const struct nti_os_ops fake_ops = {
	.name = "fake pci",
	.text = fake_text,
	.list = fake_list,
	.link = fake_link,
	.access = fake_access,
	.arch = fake_arch,
	.is_privileged = fake_is_privileged,
	.open = fake_open,
	.pread = fake_pread,
	.pwrite = fake_pwrite,
	.close = fake_close,
	.directory = fake_directory,
};

/* ---- the machine ---- */

static void add_driver(const char *name)
{
	char path[128];

	(void)snprintf(path, sizeof(path), BUS "drivers/%s/bind", name);
	fake_pci_file(path, "");
	(void)snprintf(path, sizeof(path), BUS "drivers/%s/unbind", name);
	fake_pci_file(path, "");
}

struct row {
	const char *function, *id, *pci_class, *driver, *override;
	unsigned int group;
	char layout;
};

static const struct row rows[] = {
	{ FAKE_BRIDGE, "0x0c01", "0x060400", "pcieport", "(null)", 1, 1 },
	{ FAKE_DISK, "0x2922", "0x010601", "ahci", "(null)", 2, 0 },
	{ FAKE_NET, "0x10d3", "0x020000", "e1000e", "(null)", 3, 0 },
	{ FAKE_CARD, "0x0640", "0x030000", "nouveau", "(null)", 1, 0 },
	{ FAKE_SOUND, "0x0be3", "0x040300", "snd_hda_intel", "snd_hda_intel", 1, 0 },
	{ FAKE_ALONE, "0x1234", "0xff0000", NULL, "(null)", 4, 0 },
};

static void add_function(const struct row *r)
{
	char path[160], text[160], config[0x10] = { 0 };
	char name[PATH_MAX];
	FILE *file;

#define PUT(what, value)                                                                           \
	(snprintf(path, sizeof(path), BUS "devices/%s/" what, r->function),                        \
	 snprintf(text, sizeof(text), "%s\n", (value)), fake_pci_file(path, text))
	PUT("vendor", "0x10de");
	PUT("device", r->id);
	PUT("class", r->pci_class);
	PUT("driver_override", r->override);
#undef PUT
	config[0x0e] = (char)(r->layout | 0x80);
	(void)snprintf(path, sizeof(path), BUS "devices/%s/config", r->function);
	full(path, name);
	file = fopen(name, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(config, sizeof(config), 1, file), 1);
	assert_int_equal(fclose(file), 0);
	(void)snprintf(path, sizeof(path), BUS "devices/%s/iommu_group", r->function);
	(void)snprintf(text, sizeof(text), "../../../kernel/iommu_groups/%u", r->group);
	fake_pci_link(path, text);
	(void)snprintf(path, sizeof(path), "/sys/kernel/iommu_groups/%u/devices/%s", r->group,
		       r->function);
	fake_pci_file(path, "");
	if (!r->driver)
		return;
	add_driver(r->driver);
	bind_to(r->function, r->driver);
}

int fake_pci_set_up(void **state)
{
	(void)state;
	memset(&fake, 0, sizeof(fake));
	strcpy(fake.root, "/tmp/ntime-test-vfio-XXXXXX");
	assert_non_null(mkdtemp(fake.root));
	assert_int_equal(nti_os_linux_new(fake.root, &fake.real), 0);
	fake.os.ops = &fake_ops;
	fake.ctx.os = &fake.os;
	fake.is_root = true;
	fake_pci_file(BUS "drivers_probe", "");
	fake_pci_file("/proc/sys/kernel/random/boot_id", "first-boot\n");
	fake_pci_file("/run/.keep", "");
	add_driver("vfio-pci");
	TT_FOR_EACH_ROW(r, rows)
		add_function(r);
	return 0;
}

int fake_pci_tear_down(void **state)
{
	(void)state;
	fake_pci_remove("");
	fake.real->ops->free(fake.real);
	return 0;
}
