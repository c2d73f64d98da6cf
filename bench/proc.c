// SPDX-License-Identifier: MIT
/*
 * What a sample of the kernel's text files costs on a machine of many CPUs, which are files of its
 * own below a folder: the metrics of the group "load" and the events that stand beside them in the
 * overview of ntime watch, per CPU. The kernel makes such files up anew at each read, which is not
 * in these figures: "this machine" is the same with the files of /proc and /sys.
 *
 * usage: proc [CPUS] [SAMPLES]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include <ntime/context.h>
#include <ntime/session.h>

#define ITEMS                                                                                      \
	"CPU-use,user-share,system-share,iowait-share,steal-share,CPU-pressure,memory-pressure,"   \
	"IO-pressure,proc/frequency/,proc/temperature/,proc/core-throttles/,"                      \
	"proc/context-switches/,proc/page-faults/,proc/major-faults/"
/* As many numbers as a server's line "intr" has. */
#define INTERRUPTS 2000

static char folder[] = "/tmp/ntime-bench-proc-XXXXXX";

static void fail(const char *what)
{
	fprintf(stderr, "proc: %s\n", what);
	exit(1);
}

static void remove_folder(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s", folder);
	if (system(command))
		fprintf(stderr, "proc: %s stays there\n", folder);
}

/* Open a file of the machine; folders on the way are made. */
static FILE *begin(const char *path)
{
	char whole[256];
	FILE *f;

	snprintf(whole, sizeof(whole), "%s%s", folder, path);
	for (char *at = strchr(whole + sizeof(folder), '/'); at; at = strchr(at + 1, '/')) {
		*at = '\0';
		(void)mkdir(whole, 0700);
		*at = '/';
	}
	f = fopen(whole, "w");
	if (!f)
		fail(whole);
	return f;
}

static void put(const char *path, const char *text)
{
	FILE *f = begin(path);

	fputs(text, f);
	fclose(f);
}

static void put_stat(unsigned int cpus)
{
	FILE *f = begin("/proc/stat");

	fputs("cpu  90000000 1 20000000 900000000 70000 6 700000 0 0 0\n", f);
	for (unsigned int cpu = 0; cpu < cpus; cpu++)
		fprintf(f, "cpu%u 1234567 8901 234567 98765432 1234 0 5678 90 0 0\n", cpu);
	fputs("intr 12345678901", f);
	for (int i = 0; i < INTERRUPTS; i++)
		fputs(i % 20 ? " 0" : " 1234567", f);
	fputs("\nctxt 98765432109\nbtime 1700000000\nprocesses 1234567\nprocs_running 3\n"
	      "procs_blocked 0\nsoftirq 1234567890 1 2 3 4 5 6 7 8 9 10\n",
	      f);
	fclose(f);
}

static void put_vmstat(void)
{
	FILE *f = begin("/proc/vmstat");

	for (int i = 0; i < 60; i++)
		fprintf(f, "nr_word_of_the_kernel_%d 12345678\n", i);
	fputs("pgfault 123456789012\npgmajfault 123456\npswpin 0\npswpout 0\n", f);
	for (int i = 0; i < 80; i++)
		fprintf(f, "another_word_of_the_kernel_%d 0\n", i);
	fclose(f);
}

static void put_machine(unsigned int cpus)
{
	static const char *const pressure[] = { "cpu", "memory", "io" };
	char path[128], list[32];

	snprintf(list, sizeof(list), "0-%u\n", cpus - 1);
	put("/sys/devices/system/cpu/online", list);
	put("/sys/devices/system/cpu/possible", list);
	put("/sys/devices/system/cpu/present", list);
	put_stat(cpus);
	put_vmstat();
	for (size_t i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "/proc/pressure/%s", pressure[i]);
		put(path, "some avg10=0.00 avg60=0.00 avg300=0.00 total=123456789\n"
			  "full avg10=0.00 avg60=0.00 avg300=0.00 total=1234567\n");
	}
	for (unsigned int cpu = 0; cpu < cpus; cpu++) {
		snprintf(path, sizeof(path),
			 "/sys/devices/system/cpu/cpu%u/cpufreq/scaling_cur_freq", cpu);
		put(path, "2900000\n");
		snprintf(path, sizeof(path),
			 "/sys/devices/system/cpu/cpu%u/thermal_throttle/core_throttle_count", cpu);
		put(path, "0\n");
	}
	put("/sys/class/hwmon/hwmon0/name", "coretemp\n");
	for (unsigned int i = 1; i <= cpus / 2; i++) {
		snprintf(path, sizeof(path), "/sys/class/hwmon/hwmon0/temp%u_input", i);
		put(path, "51000\n");
	}
}

static double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void need(int ret, const struct ntime_ctx *ctx)
{
	if (ret < 0)
		fail(ntime_error_text(ctx));
}

/* @root: NULL: this machine. */
static void measure(const char *root, unsigned int samples)
{
	struct ntime_options options = { .size = sizeof(options), .root = root };
	struct ntime_target target = { .size = sizeof(target), .kind = NTIME_TARGET_MACHINE };
	struct ntime_session *s;
	struct ntime_value *v;
	struct ntime_ctx *ctx;
	size_t items, places;
	double begin_s;

	need(ntime_open(&ctx, &options), ctx);
	need(ntime_session_new(ctx, &target, &s), ctx);
	need(ntime_session_add_list(s, ITEMS), ctx);
	need(ntime_session_start(s), ctx);
	items = ntime_session_count(s);
	places = ntime_session_where_count(s);
	v = calloc(items * places, sizeof(*v));
	if (!v)
		fail("no memory");
	need(ntime_session_read_where(s, v, items, places), ctx);
	begin_s = cpu_seconds();
	for (unsigned int i = 0; i < samples; i++)
		need(ntime_session_read_where(s, v, items, places), ctx);
	printf("%-14s %6zu %8u %12.1f\n", root ? "made-up files" : "this machine", places, samples,
	       (cpu_seconds() - begin_s) * 1e6 / samples);
	free(v);
	ntime_session_free(s);
	ntime_close(ctx);
}

int main(int argc, char **argv)
{
	unsigned int cpus = argc > 1 ? (unsigned int)strtoul(argv[1], NULL, 10) : 64;
	unsigned int samples = argc > 2 ? (unsigned int)strtoul(argv[2], NULL, 10) : 2000;

	if (!cpus || cpus > 4096 || !samples)
		fail("usage: proc [CPUS] [SAMPLES]");
	if (!mkdtemp(folder))
		fail("cannot make a folder in /tmp");
	if (atexit(remove_folder))
		fail("cannot remove it at the end");
	put_machine(cpus);
	printf("%-14s %6s %8s %12s\n", "files", "CPUs", "samples", "us of a CPU");
	measure(folder, samples);
	measure(NULL, samples);
	return 0;
}
