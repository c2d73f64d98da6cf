// SPDX-License-Identifier: MIT
/* ntime.ko in a guest: loading it, its files, and what may have been left behind. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/names.h"
#include "core/regs/regs.h"
#include "lab/tests/guest/driver.h"
#include "lab/tests/guest/file.h"
#include "base/tests/tt.h"

#define MODULE_NAME "ntime"
#define TEXT_BYTES 19 /* 0x, 16 digits, newline */

const char *lab_driver_parameters = "";
const struct lab_user lab_root = { 0, 0, -1 };
/* The user of every guest (/etc/passwd of the lab). */
const struct lab_user lab_stranger = { 1000, 1000, -1 };

long lab_good_(long ret, const char *what, const char *file, int line)
{
	if (ret < 0) {
		print_error("%s:%d: %s is %ld (%s)\n", file, line, what, ret, strerror((int)-ret));
		_fail(file, line);
	}
	return ret;
}

/* ---- the module ---- */

bool lab_driver_is_here(void)
{
	return access(LAB_MODULE, R_OK) == 0;
}

bool lab_driver_is_loaded(void)
{
	return access("/sys/module/" MODULE_NAME, F_OK) == 0;
}

int lab_driver_load(const char *parameters)
{
	int fd = open(LAB_MODULE, O_RDONLY | O_CLOEXEC), ret = 0;

	if (fd < 0)
		return -errno;
	if (syscall(SYS_finit_module, fd, parameters, 0) < 0)
		ret = -errno;
	(void)close(fd);
	return ret;
}

int lab_driver_unload(void)
{
	return syscall(SYS_delete_module, MODULE_NAME, O_NONBLOCK) < 0 ? -errno : 0;
}

/* ---- its file system ---- */

int lab_driver_mount_at(const char *place, unsigned long flags, const char *options)
{
	return mount(NTIME_FS_TYPE, place, NTIME_FS_TYPE, flags, options) < 0 ? -errno : 0;
}

/* As mount(8) does it: "ro" and its like are flags, the rest goes to the file system. */
int lab_driver_mount(const char *options)
{
	char rest[128] = "", copy[128], *state = NULL;
	unsigned long flags = MS_NOSUID | MS_NODEV | MS_NOEXEC;

	if (strlen(options) >= sizeof(copy))
		return -EINVAL;
	strcpy(copy, options);
	for (char *word = strtok_r(copy, ",", &state); word; word = strtok_r(NULL, ",", &state)) {
		if (strcmp(word, "ro") == 0) {
			flags |= MS_RDONLY;
			continue;
		}
		if (*rest)
			strcat(rest, ",");
		strcat(rest, word);
	}
	return lab_driver_mount_at(NTIME_FS_PATH, flags, rest);
}

int lab_driver_unmount(void)
{
	return umount2(NTIME_FS_PATH, UMOUNT_NOFOLLOW) < 0 ? -errno : 0;
}

int lab_driver_start(const char *options)
{
	int ret = lab_driver_load(lab_driver_parameters);

	return ret < 0 ? ret : lab_driver_mount(options);
}

int lab_driver_stop(void)
{
	int ret = lab_driver_unmount();

	return ret < 0 ? ret : lab_driver_unload();
}

void lab_mount_anew(const char *options)
{
	LAB_GOOD(lab_driver_unmount());
	LAB_GOOD(lab_driver_mount(options));
}

void lab_load_anew(const char *parameters, const char *options)
{
	LAB_GOOD(lab_driver_stop());
	LAB_GOOD(lab_driver_load(parameters));
	LAB_GOOD(lab_driver_mount(options));
}

int lab_status(const char *key, char *value, size_t bytes)
{
	char text[16384], *state = NULL;
	ssize_t ret = lab_read(NTIME_FS_PATH "/status", text, sizeof(text));
	size_t length = strlen(key);

	if (ret < 0)
		return (int)ret;
	for (char *line = strtok_r(text, "\n", &state); line; line = strtok_r(NULL, "\n", &state)) {
		if (strncmp(line, key, length) != 0 || line[length] != ':')
			continue;
		line += length + 1;
		(void)snprintf(value, bytes, "%s", line + (*line == ' '));
		return 0;
	}
	return -ENOENT;
}

int64_t lab_status_number(const char *key)
{
	char value[256], *end;
	int ret = lab_status(key, value, sizeof(value));
	int64_t number;

	if (ret < 0)
		return ret;
	number = strtoll(value, &end, 0);
	return end == value ? -EPROTO : number;
}

void lab_refused_(const char *part, const char *file, int line)
{
	char why[256] = "";

	(void)lab_good_(lab_status("last refusal", why, sizeof(why)), "last refusal", file, line);
	print_message("# %s\n", why);
	tt_has_(why, part, "last refusal", file, line);
}

/* ---- register files ---- */

const char *lab_reg_path(const char *reg, char path[LAB_FILE])
{
	(void)snprintf(path, LAB_FILE, NTIME_FS_PATH "/%s", reg);
	return path;
}

bool lab_reg_is_here(const char *reg)
{
	char path[LAB_FILE];

	return access(lab_reg_path(reg, path), F_OK) == 0;
}

int lab_reg_open(const char *reg, int flags)
{
	char path[LAB_FILE];
	int fd = open(lab_reg_path(reg, path), flags);

	return fd < 0 ? -errno : fd;
}

static int parse_text(const char *text, uint64_t *value)
{
	if (text[0] != '0' || text[1] != 'x' || text[TEXT_BYTES - 1] != '\n')
		return -EPROTO;
	*value = 0;
	for (const char *p = text + 2; p < text + TEXT_BYTES - 1; p++) {
		if (!isdigit((unsigned char)*p) && (*p < 'a' || *p > 'f'))
			return -EPROTO;
		*value = *value << 4 | (uint64_t)(*p <= '9' ? *p - '0' : *p - 'a' + 10);
	}
	return 0;
}

int lab_fd_text(int fd, uint64_t *value)
{
	char text[64];
	ssize_t n = pread(fd, text, sizeof(text), 0);

	if (n < 0)
		return -errno;
	if (n != TEXT_BYTES || pread(fd, text + TEXT_BYTES, 1, TEXT_BYTES) != 0)
		return -EPROTO;
	return parse_text(text, value);
}

int lab_fd_value(int fd, uint64_t *value)
{
	ssize_t n = pread(fd, value, sizeof(*value), 0);

	if (n < 0)
		return -errno;
	return n == (ssize_t)sizeof(*value) ? 0 : -EPROTO;
}

int lab_fd_set_text(int fd, uint64_t value)
{
	char text[32];
	int length = snprintf(text, sizeof(text), "%#llx\n", (unsigned long long)value);
	ssize_t n = pwrite(fd, text, (size_t)length, 0);

	if (n < 0)
		return -errno;
	return n == length ? 0 : -EPROTO;
}

int lab_fd_set_value(int fd, uint64_t value)
{
	ssize_t n = pwrite(fd, &value, sizeof(value), 0);

	if (n < 0)
		return -errno;
	return n == (ssize_t)sizeof(value) ? 0 : -EPROTO;
}

int lab_reg_get(const char *reg, uint64_t *value)
{
	int fd = lab_reg_open(reg, O_RDONLY | O_CLOEXEC), ret;

	if (fd < 0)
		return fd;
	ret = lab_fd_text(fd, value);
	(void)close(fd);
	return ret;
}

int lab_reg_try_set(const char *reg, uint64_t value)
{
	int fd = lab_reg_open(reg, O_WRONLY | O_CLOEXEC), ret;

	if (fd < 0)
		return fd;
	ret = lab_fd_set_text(fd, value);
	(void)close(fd);
	return ret;
}

int lab_reg_flip(const char *reg, uint64_t bits, uint64_t *before)
{
	int fd = lab_reg_open(reg, O_RDWR), ret;

	if (fd < 0)
		return fd;
	ret = lab_fd_text(fd, before);
	if (ret == 0)
		ret = lab_fd_set_text(fd, *before ^ bits);
	return ret < 0 ? ret : fd;
}

void lab_reg_is_(const char *reg, uint64_t want, const char *what, const char *file, int line)
{
	uint64_t value = 0;

	(void)lab_good_(lab_reg_get(reg, &value), what, file, line);
	tt_eq_((long long)value, (long long)want, what, file, line);
}

void lab_fd_is_(int fd, int (*get)(int fd, uint64_t *value), uint64_t want, const char *what,
		const char *file, int line)
{
	uint64_t value = 0;

	(void)lab_good_(get(fd, &value), what, file, line);
	tt_eq_((long long)value, (long long)want, what, file, line);
}

int lab_fd_map(int fd, unsigned int count, struct lab_map *map)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *pages = mmap(NULL, count * page, PROT_READ, MAP_SHARED, fd, 0);

	if (pages == MAP_FAILED)
		return -errno;
	map->pages = pages;
	map->bytes = count * page;
	memcpy(&map->page, pages, sizeof(map->page));
	return 0;
}

void lab_unmap(struct lab_map *map)
{
	(void)munmap(map->pages, map->bytes);
	map->pages = NULL;
}

int lab_fd_describe(int fd, struct ntime_page *page)
{
	struct lab_map map;
	int ret = lab_fd_map(fd, 1, &map);

	if (ret < 0)
		return ret;
	*page = map.page;
	lab_unmap(&map);
	return 0;
}

int lab_reg_describe(const char *reg, struct ntime_page *page)
{
	int fd = lab_reg_open(reg, O_RDONLY | O_CLOEXEC), ret;

	if (fd < 0)
		return fd;
	ret = lab_fd_describe(fd, page);
	(void)close(fd);
	return ret;
}

/* ---- the counter's instruction ---- */

#if defined(__x86_64__)
uint64_t lab_pmc_read(uint32_t index)
{
	uint32_t low, high;

	__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index));
	return low | (uint64_t)high << 32;
}
#elif defined(__aarch64__)
#define READ_COUNTER(n)                                                                            \
	case n:                                                                                    \
		__asm__ volatile("mrs %0, pmevcntr" #n "_el0" : "=r"(value));                      \
		break
uint64_t lab_pmc_read(uint32_t index)
{
	uint64_t value = 0;

	switch (index) {
		READ_COUNTER(0);
		READ_COUNTER(1);
		READ_COUNTER(2);
		READ_COUNTER(3);
		READ_COUNTER(4);
		READ_COUNTER(5);
	default:
		__asm__ volatile("mrs %0, pmccntr_el0" : "=r"(value));
	}
	return value;
}
#elif defined(__arm__) && __ARM_ARCH >= 7
uint64_t lab_pmc_read(uint32_t index)
{
	uint32_t value;

	if (index == 31) {
		__asm__ volatile("mrc p15, 0, %0, c9, c13, 0" : "=r"(value));
		return value;
	}
	__asm__ volatile("mcr p15, 0, %0, c9, c12, 5" : : "r"(index));
	__asm__ volatile("isb");
	__asm__ volatile("mrc p15, 0, %0, c9, c13, 2" : "=r"(value));
	return value;
}
#elif defined(__arm__)
uint64_t lab_pmc_read(uint32_t index)
{
	uint32_t value;

	if (index == 0)
		__asm__ volatile("mrc p15, 0, %0, c15, c12, 2" : "=r"(value));
	else if (index == 1)
		__asm__ volatile("mrc p15, 0, %0, c15, c12, 3" : "=r"(value));
	else
		__asm__ volatile("mrc p15, 0, %0, c15, c12, 1" : "=r"(value));
	return value;
}
#else
#error "write how user mode reads a counter on this architecture"
#endif

uint64_t lab_pmc_mask(const struct ntime_page *page)
{
	return page->width >= 64 ? UINT64_MAX : ((uint64_t)1 << page->width) - 1;
}

void *lab_nowhere(void)
{
	static void *page;

	if (!page)
		page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return page;
}

/* ---- CPUs ---- */

unsigned int lab_cpus(void)
{
	return (unsigned int)sysconf(_SC_NPROCESSORS_CONF);
}

int lab_pin(unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set) < 0 ? -errno : 0;
}

int lab_unpin(void)
{
	cpu_set_t set;

	memset(&set, 0xff, sizeof(set));
	return sched_setaffinity(0, sizeof(set), &set) < 0 ? -errno : 0;
}

bool lab_is_pinned(unsigned int cpu)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) == 0 && CPU_COUNT(&set) == 1 &&
	       CPU_ISSET(cpu, &set);
}

int lab_cpu_set_online(unsigned int cpu, bool is_online)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/online", cpu);
	return lab_write(path, is_online ? "1" : "0");
}

/* CPU 0 of x86 has no file: it is always there. */
bool lab_cpu_is_online(unsigned int cpu)
{
	char path[64], text[16];

	(void)snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/online", cpu);
	return lab_read(path, text, sizeof(text)) <= 0 || text[0] == '1';
}

bool lab_has_core_pmu(void)
{
	static const char *const pmus[] = { "cpu", "armv8_pmuv3", "armv8_cortex_a57",
					    "armv7_cortex_a15", "armv6_1176" };
	char path[96];

	for (size_t i = 0; i < sizeof(pmus) / sizeof(pmus[0]); i++) {
		(void)snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s", pmus[i]);
		if (access(path, F_OK) == 0)
			return true;
	}
	return false;
}

/* ---- registers that tests write ---- */

/*
 * Selectors as in core/regs; bit 8 of an event select is the unit mask's lowest, which starts
 * nothing without the enable bit.
 */
static const struct lab_pair pairs[] = {
	/* Intel: event 0xc0, user mode, enabled; IA32_PERF_GLOBAL_CTRL */
	{ "core0/msr/0x186", "core0/msr/0xc1", "core0/intel/IA32_PERFEVTSEL0", 0x100, 0x1234567,
	  0x4100c0, true, "core0/msr/0x38f", NULL },
	/* AMD, with the core extension and without */
	{ "core0/msr/0xc0010200", "core0/msr/0xc0010201", "core0/amd/PERF_CTL0", 0x100,
	  0x123456789ab, 0x4100c0, true, NULL, NULL },
	{ "core0/msr/0xc0010000", "core0/msr/0xc0010004", "core0/amd/EVNTSEL0", 0x100,
	  0x123456789ab, 0x4100c0, true, NULL, NULL },
	/*
	 * ARMv8: PMEVTYPER0_EL0 and PMEVCNTR0_EL0; event 8 and not in EL1 (bit 31); PMCNTENSET_EL0
	 * and PMCR_EL0.E
	 */
	{ "core0/sysreg/0x33ec0", "core0/sysreg/0x33e80", "core0/arm/PMEVTYPER0_EL0", 0x2,
	  0x1234567, 0x80000008, true, "core0/sysreg/0x339c1", "core0/sysreg/0x339c0" },
	/* ARMv7: PMXEVTYPER and PMXEVCNTR of counter 0, likewise */
	{ "core0/pmsel/0x20", "core0/pmsel/0x0", "core0/arm/PMXEVTYPER0", 0x2, 0x1234567,
	  0x80000008, true, "core0/cp15/0x90c1", "core0/cp15/0x90c0" },
	/*
	 * ARM1176: PMCR, whose bits 27 to 20 say what count register 0 counts, in all modes, and
	 * bit 0 that it does
	 */
	{ "core0/cp15/0xf0c0", "core0/cp15/0xf0c2", "core0/arm/PMCR", 0x200000, 0x1234567, 0x700001,
	  true, NULL, NULL },
	/* Sandy Bridge-EP: control and counter 0 of memory channel 0 */
	{ "uncore0/pci/D16:F0/0x0d8", "uncore0/pci/D16:F0/0x0a0", NULL, 0x100, 0x123456789ab, 0,
	  false, NULL, NULL },
};

static const char no_register[] = "no CPU of this guest has a register with a row";

const char *lab_need_core(void)
{
	const char *reg = lab_any_register();

	if (strncmp(reg, "core0/", 6) != 0)
		TT_SKIP(no_register);
	return reg;
}

const char *lab_need_cpu1(void)
{
	static char path[LAB_PATH];

	if (lab_cpus() < 2)
		TT_SKIP("this guest has one CPU");
	if (!lab_reg_is_here("core1"))
		TT_SKIP(no_register);
	return lab_of_cpu(lab_any_register(), 1, path);
}

const struct lab_pair *lab_need_pair(void)
{
	const struct lab_pair *pair = lab_pair();

	if (!pair)
		TT_SKIP("no register of this guest can be written");
	return pair;
}

const struct lab_pair *lab_pair(void)
{
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		if (lab_reg_is_here(pairs[i].control) && lab_reg_is_here(pairs[i].counter))
			return &pairs[i];
	return NULL;
}

const char *lab_of_cpu(const char *reg, unsigned int cpu, char path[LAB_PATH])
{
	(void)snprintf(path, LAB_PATH, "core%u%s", cpu, reg + strcspn(reg, "/"));
	return path;
}

/* 0 or -errno; the descriptor, on which the bit is set until it is closed, is in @fd. */
static int set_bit_0(const char *reg, unsigned int cpu, int *fd)
{
	char path[LAB_PATH];
	uint64_t value;
	int ret;

	if (!reg)
		return 0;
	*fd = lab_reg_open(lab_of_cpu(reg, cpu, path), O_RDWR);
	if (*fd < 0)
		return *fd;
	ret = lab_fd_text(*fd, &value);
	return ret < 0 ? ret : lab_fd_set_text(*fd, value | 1);
}

int lab_pair_run(const struct lab_pair *pair, unsigned int cpu, int fds[3])
{
	char path[LAB_PATH];
	int ret;

	fds[1] = fds[2] = -1;
	fds[0] = lab_reg_open(lab_of_cpu(pair->control, cpu, path), O_RDWR);
	if (fds[0] < 0)
		return fds[0];
	ret = lab_fd_set_text(fds[0], pair->instructions);
	if (ret == 0)
		ret = set_bit_0(pair->enable, cpu, &fds[1]);
	return ret < 0 ? ret : set_bit_0(pair->enable_all, cpu, &fds[2]);
}

/* ---- around each test ---- */

const char *lab_driver_why_not(void)
{
	if (geteuid() != 0)
		return "needs root to load the driver";
	if (!lab_driver_is_here())
		return "there is no " LAB_MODULE ": lab/ntime-lab run GUEST --driver";
	return NULL;
}

static bool is_mounted(void)
{
	return access(NTIME_FS_PATH "/status", F_OK) == 0;
}

/* The NMI watchdog holds a counter of each CPU; where there is none there is no file. */
static void stop_watchdog(void)
{
	(void)lab_write("/proc/sys/kernel/nmi_watchdog", "0");
}

int lab_driver_again(void **state)
{
	int ret = 0;

	(void)state;
	stop_watchdog();
	if (!lab_driver_is_loaded())
		ret = lab_driver_load(lab_driver_parameters);
	if (ret == 0 && !is_mounted())
		ret = lab_driver_mount("");
	if (ret < 0)
		print_error("the driver cannot be loaded and mounted: %s\n", strerror(-ret));
	return ret;
}

int lab_driver_tidy(void **state)
{
	(void)state;
	for (int fd = 3; fd < 1024; fd++)
		(void)close(fd);
	(void)lab_unpin();
	for (unsigned int cpu = 1; cpu < lab_cpus(); cpu++)
		if (!lab_cpu_is_online(cpu))
			(void)lab_cpu_set_online(cpu, true);
	/*
	 * Whatever was mounted in the test, with whatever options; permissions that were chosen go
	 * with the module.
	 */
	while (lab_driver_unmount() == 0)
		;
	(void)lab_driver_unload();
	return 0;
}

/* ---- other processes ---- */

int lab_enter_user_namespace(void)
{
	char uid[32], gid[32];
	int ret;

	(void)snprintf(uid, sizeof(uid), "0 %u 1", (unsigned int)geteuid());
	(void)snprintf(gid, sizeof(gid), "0 %u 1", (unsigned int)getegid());
	/* Who has changed his user may not open his own files of /proc otherwise. */
	if (prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) < 0)
		return -errno;
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0)
		return -errno;
	ret = lab_write("/proc/self/setgroups", "deny");
	if (ret == 0)
		ret = lab_write("/proc/self/uid_map", uid);
	return ret ? ret : lab_write("/proc/self/gid_map", gid);
}

int lab_become(const struct lab_user *user)
{
	gid_t extra = (gid_t)user->extra;

	if (user->uid == 0 && user->gid == 0 && user->extra < 0)
		return 0;
	if (setgroups(user->extra >= 0 ? 1 : 0, &extra) < 0)
		return -errno;
	if (setgid(user->gid) < 0 || setuid(user->uid) < 0)
		return -errno;
	return 0;
}

/* Where a child tells its parent a long: what its function returned, or that it is ready. */
static int tell_fd = -1;

static void tell(long value)
{
	if (tell_fd < 0)
		return;
	(void)!write(tell_fd, &value, sizeof(value));
	(void)close(tell_fd);
	tell_fd = -1;
}

void lab_ready(void)
{
	tell(0);
}

void lab_be_ready_and_wait(void)
{
	tell(0);
	for (;;)
		(void)pause();
}

/* cmocka's, which would go on with the tests in the child. */
static void forget_handlers(void)
{
	static const int signals[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT };

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		(void)signal(signals[i], SIG_DFL);
}

/*
 * The child's end of the pipe is close-on-exec, so a child that becomes another program is heard to
 * have gone.
 */
static pid_t start_child(const struct lab_user *user, long (*fn)(void *arg), const void *arg,
			 int *ear)
{
	int ends[2];
	pid_t pid;

	*ear = -1;
	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	(void)fflush(NULL);
	pid = fork();
	if (pid == 0) {
		long ret;

		tell_fd = ends[1];
		(void)close(ends[0]);
		forget_handlers();
		ret = lab_become(user);
		if (ret == 0)
			ret = fn((void *)(uintptr_t)arg);
		tell(ret);
		_exit(ret < 0 ? 1 : (int)(ret & 0x7f));
	}
	(void)close(ends[1]);
	if (pid < 0) {
		(void)close(ends[0]);
		return -EAGAIN;
	}
	*ear = ends[0];
	return pid;
}

static long hear(int ear)
{
	long value;
	ssize_t n;

	do
		n = read(ear, &value, sizeof(value));
	while (n < 0 && errno == EINTR);
	(void)close(ear);
	return n == (ssize_t)sizeof(value) ? value : -EPROTO;
}

static int wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) != pid)
		if (errno != EINTR)
			return -errno;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

long lab_child(const struct lab_user *user, long (*fn)(void *arg), const void *arg)
{
	int ear, status;
	pid_t pid = start_child(user, fn, arg, &ear);
	long ret;

	if (pid < 0)
		return pid;
	ret = hear(ear);
	status = wait_for(pid);
	return status >= 128 ? -EPROTO : ret;
}

int lab_signal(long (*fn)(void *arg), const void *arg)
{
	int ear, status;
	pid_t pid = start_child(&lab_root, fn, arg, &ear);

	if (pid < 0)
		return pid;
	(void)hear(ear);
	status = wait_for(pid);
	return status >= 128 ? status - 128 : 0;
}

long lab_spawn(struct lab_process *process, long (*fn)(void *arg), const void *arg)
{
	int ear;
	long ret;

	process->pid = start_child(&lab_root, fn, arg, &ear);
	if (process->pid < 0)
		return process->pid;
	ret = hear(ear);
	if (ret < 0)
		(void)wait_for(process->pid);
	return ret;
}

int lab_wait(struct lab_process *process)
{
	return wait_for(process->pid);
}

int lab_kill(struct lab_process *process)
{
	if (kill(process->pid, SIGKILL) < 0)
		return -errno;
	return wait_for(process->pid);
}

long lab_do_read(void *reg)
{
	uint64_t value;

	return lab_reg_get(reg, &value);
}

long lab_do_write(void *reg)
{
	int fd = lab_reg_open(reg, O_WRONLY);

	return fd < 0 ? fd : 0;
}

long lab_do_chmod(void *reg)
{
	char file[LAB_FILE];

	return chmod(lab_reg_path(reg, file), 0666) < 0 ? -errno : 0;
}

long lab_do_load(void *address)
{
	return *(volatile uint8_t *)address & 1;
}

long lab_do_store(void *address)
{
	*(volatile uint8_t *)address = 1;
	return 0;
}

long lab_do_read_counter(void *index)
{
	(void)lab_pmc_read((uint32_t)(uintptr_t)index);
	return 0;
}

long lab_do_switch_cpu1_off(void *unused)
{
	(void)unused;
	return lab_cpu_set_online(1, false);
}

long lab_do_switch_cpu1_on(void *unused)
{
	(void)unused;
	return lab_cpu_set_online(1, true);
}

/* ---- everything that can be read ---- */

bool lab_row_moves(const char *name)
{
	static const char *const parts[] = { "TIME_STAMP",  "MPERF",	    "APERF",
					     "ENERGY",	    "THERM",	    "PERF_STATUS",
					     "IRPERF",	    "RESIDENCY",    "TEST_READS",
					     "TEST_WRITES", "TEST_COUNTER", "CNTVCT",
					     "CNTPCT" };

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (strstr(name, parts[i]))
			return true;
	return false;
}

/* What the folder of a file says of its space. */
static const struct {
	const char *part;
	enum nthw_space space;
} places[] = {
	{ "/msr/", NTHW_SPACE_MSR },   { "/sysreg/", NTHW_SPACE_SYSREG },
	{ "/cp15/", NTHW_SPACE_CP15 }, { "/pmsel/", NTHW_SPACE_PMSEL },
	{ "/pci/D", NTHW_SPACE_PCI },  { "/mmio/", NTHW_SPACE_MMIO },
};

static enum nthw_space space_of(const char *path)
{
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (strstr(path, places[i].part))
			return places[i].space;
	return 0;
}

/* By the address in its path and the name on its page; what cannot be read gives no name. */
static const struct nthw_reg *find_reg(const char *path, const char *name, uint32_t *index)
{
	uint32_t address = (uint32_t)strtoul(strrchr(path, '/') + 1, NULL, 16);
	enum nthw_space space = space_of(path);
	char text[NTHW_NAME_SIZE];

	for (size_t i = 0; i < nthw_table_count; i++) {
		const struct nthw_reg *row = nthw_table_find(nthw_tables[i], address, index);

		if (!row || row->space != space)
			continue;
		if (!*name && !nthw_reg_is_readable(row))
			return row;
		(void)nthw_reg_name(row, *index, text, sizeof(text));
		if (strcmp(name, text) == 0)
			return row;
	}
	return NULL;
}

static int add_row(struct lab_rows *rows, const char *path, const struct stat *st)
{
	struct lab_row *all = realloc(rows->rows, (rows->count + 1) * sizeof(*all)), *row;
	struct ntime_page page;

	if (!all)
		return -ENOMEM;
	rows->rows = all;
	row = &all[rows->count++];
	memset(row, 0, sizeof(*row));
	(void)snprintf(row->path, sizeof(row->path), "%s", path);
	row->uid = st->st_uid;
	row->gid = st->st_gid;
	row->mode = st->st_mode;
	row->error = lab_reg_get(path, &row->value);
	if (lab_reg_describe(path, &page) == 0)
		(void)snprintf(row->name, sizeof(row->name), "%.*s", (int)sizeof(page.name),
			       page.name);
	row->reg = find_reg(path, row->name, &row->index);
	return 0;
}

/* Hard links of the same register are below pmc/; symbolic links are not followed. */
static int add_folder(struct lab_rows *rows, const char *folder)
{
	char path[LAB_FILE], inner[LAB_PATH];
	struct dirent *entry;
	struct stat st;
	DIR *dir = opendir(lab_reg_path(folder, path));
	int ret = 0;

	if (!dir)
		return -errno;
	while (ret == 0 && (errno = 0, entry = readdir(dir))) {
		if (entry->d_name[0] == '.' || strcmp(entry->d_name, "pmc") == 0)
			continue;
		if (snprintf(inner, sizeof(inner), "%s%s%s", folder, *folder ? "/" : "",
			     entry->d_name) >= (int)sizeof(inner) ||
		    lstat(lab_reg_path(inner, path), &st) < 0)
			ret = -EPROTO;
		else if (S_ISDIR(st.st_mode))
			ret = add_folder(rows, inner);
		else if (S_ISREG(st.st_mode) && *folder)
			ret = add_row(rows, inner, &st);
	}
	if (ret == 0 && errno)
		ret = -errno;
	(void)closedir(dir);
	return ret;
}

static int compare_rows(const void *left, const void *right)
{
	return strcmp(((const struct lab_row *)left)->path, ((const struct lab_row *)right)->path);
}

int lab_rows_take(struct lab_rows *rows)
{
	int ret;

	memset(rows, 0, sizeof(*rows));
	ret = add_folder(rows, "");
	if (ret == 0 && rows->count == 0)
		ret = -ENODATA;
	if (ret < 0)
		lab_rows_free(rows);
	else
		qsort(rows->rows, rows->count, sizeof(*rows->rows), compare_rows);
	return ret;
}

static bool is_same(const struct lab_row *before, const struct lab_row *after)
{
	if (before->error != after->error || strcmp(before->name, after->name) != 0 ||
	    before->uid != after->uid || before->gid != after->gid || before->mode != after->mode)
		return false;
	return before->value == after->value || lab_row_moves(before->name);
}

size_t lab_rows_differ(const struct lab_rows *before, const struct lab_rows *after)
{
	size_t b = 0, a = 0, differ = 0;

	while (b < before->count || a < after->count) {
		const struct lab_row *left = &before->rows[b], *right = &after->rows[a];
		int order = b == before->count	? 1
			    : a == after->count ? -1
						: compare_rows(left, right);

		if (order) {
			print_error("%s %s\n", order < 0 ? left->path : right->path,
				    order < 0 ? "is gone" : "is new");
			differ++;
		} else if (!is_same(left, right)) {
			print_error("%s (%s): %#llx error %d %u:%u %o became %#llx error %d "
				    "%u:%u %o\n",
				    left->path, left->name, (unsigned long long)left->value,
				    left->error, left->uid, left->gid, left->mode,
				    (unsigned long long)right->value, right->error, right->uid,
				    right->gid, right->mode);
			differ++;
		}
		b += order <= 0;
		a += order >= 0;
	}
	return differ;
}

void lab_rows_free(struct lab_rows *rows)
{
	free(rows->rows);
	memset(rows, 0, sizeof(*rows));
}

const char *lab_any_register(void)
{
	static char path[LAB_PATH];
	struct lab_rows rows;
	size_t i;

	if (*path)
		return path;
	LAB_GOOD(lab_rows_take(&rows));
	for (i = 0; i < rows.count && rows.rows[i].error; i++)
		;
	if (i == rows.count)
		fail_msg("not one of %zu registers can be read", rows.count);
	strcpy(path, rows.rows[i].path);
	lab_rows_free(&rows);
	return path;
}

static struct lab_rows remembered;

/*
 * What perf left in counters it has used is set to 0 by the kernel before somebody else may read
 * them (Linux 6.1 arch/x86/mm/tlb.c, cr4_update_pce_mm()), and whoever reserves counters makes it
 * do that. So let it be done before looking.
 */
static void let_perf_clear(void)
{
	const struct lab_pair *pair = lab_pair();
	char control[LAB_PATH];

	for (unsigned int cpu = 0; pair && pair->is_core && cpu < lab_cpus(); cpu++)
		(void)close((int)LAB_GOOD(
			lab_reg_open(lab_of_cpu(pair->control, cpu, control), O_WRONLY)));
}

void registers_are_remembered(void **state)
{
	(void)state;
	let_perf_clear();
	lab_rows_free(&remembered);
	LAB_GOOD(lab_rows_take(&remembered));
	print_message("# %zu registers\n", remembered.count);
	/*
	 * Two looks at once: rows that move without being known to would make the last test
	 * worthless.
	 */
	registers_are_as_they_were(NULL);
}

static void compare_with_remembered(const char *when)
{
	struct lab_rows now;
	size_t differ;

	let_perf_clear();
	LAB_GOOD(lab_rows_take(&now));
	differ = lab_rows_differ(&remembered, &now);
	lab_rows_free(&now);
	if (differ)
		fail_msg("%zu registers are not what they were, %s", differ, when);
}

void registers_are_as_they_were(void **state)
{
	if (!remembered.count)
		fail_msg("no registers were remembered");
	compare_with_remembered("all files closed");
	if (!state)
		return;
	LAB_GOOD(lab_driver_stop());
	LAB_GOOD(lab_driver_start(""));
	compare_with_remembered("driver loaded again");
}

void lab_perf_begins(void)
{
	registers_are_as_they_were(NULL);
}

/*
 * Loaded anew: where the driver gives back at unloading what it found at loading, that is now what
 * perf left.
 */
void lab_perf_has_ended(void)
{
	LAB_GOOD(lab_driver_stop());
	LAB_GOOD(lab_driver_start(""));
	registers_are_remembered(NULL);
}
