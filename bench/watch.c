// SPDX-License-Identifier: MIT
/*
 * ntime watch beside perf stat -I: the same events at the same rate on all CPUs, in turns, each
 * into a file. What they cost is the processor time that wait4(2) tells of them, beside the samples
 * that arrived. It is C because guests of the lab have no Python.
 *
 * usage: watch [hardware|software] [SECONDS] [ROUNDS]
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Twenty of the kernel's own, which every machine has. */
#define SOFTWARE                                                                                   \
	"cpu-clock,task-clock,page-faults,context-switches,cpu-migrations,minor-faults,"           \
	"major-faults,alignment-faults,emulation-faults,dummy,page-faults:u,page-faults:k,"        \
	"minor-faults:u,minor-faults:k,major-faults:u,major-faults:k,alignment-faults:u,"          \
	"alignment-faults:k,emulation-faults:u,emulation-faults:k"
/*
 * Four that fit into the counters of any core PMU, so that nobody takes turns, and sixteen of the
 * above.
 */
#define HARDWARE                                                                                   \
	"cycles,instructions,branches,branch-misses,"                                              \
	"cpu-clock,task-clock,page-faults,context-switches,cpu-migrations,minor-faults,"           \
	"major-faults,alignment-faults,emulation-faults,dummy,page-faults:u,page-faults:k,"        \
	"minor-faults:u,minor-faults:k,major-faults:u,major-faults:k"
#define EVENTS 20
#define FILE_OF_LINES "/tmp/ntime-bench-watch"
#define FILE_OF_WORDS "/tmp/ntime-bench-watch.err"

enum who { PERF, NTIME, NTIME_PER_CPU, WHO };

static const char *const names[WHO] = {
	[PERF] = "perf stat -I 1 -x,",
	[NTIME] = "ntime watch -i 1ms --csv",
	[NTIME_PER_CPU] = "the same, --per thread",
};

struct cost {
	double seconds; /* of a processor */
	double samples;
};

static int run(char *const argv[], struct rusage *usage)
{
	posix_spawn_file_actions_t actions;
	int error, status;
	pid_t pid;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, FILE_OF_WORDS,
					 O_WRONLY | O_CREAT | O_TRUNC, 0644);
	error = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (error)
		return -error;
	while (wait4(pid, &status, 0, usage) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : -EIO;
}

/* Lines of the file; perf puts two of comments first, ntime one of names. */
static double count_lines(void)
{
	FILE *f = fopen(FILE_OF_LINES, "r");
	double lines = 0;
	int c;

	if (!f)
		return 0;
	while ((c = getc(f)) != EOF)
		lines += c == '\n';
	fclose(f);
	return lines;
}

/* What the one that failed had to say. */
static void print_words(void)
{
	FILE *f = fopen(FILE_OF_WORDS, "r");
	char line[512];

	while (f && fgets(line, sizeof(line), f))
		fputs(line, stderr);
	if (f)
		fclose(f);
}

static int measure(enum who who, const char *events, const char *seconds, const char *samples,
		   struct cost *sum)
{
	char *perf[] = {
		"perf", "stat",	       "-a", "-I",	     "1",  "-x",    ",",
		"-o",	FILE_OF_LINES, "-e", (char *)events, "--", "sleep", (char *)seconds,
		NULL
	};
	char *ntime[] = { "ntime", "watch",	   "-q",    "--csv",
			  "-i",	   "1ms",	   "-n",    (char *)samples,
			  "-o",	   FILE_OF_LINES,  "--per", who == NTIME ? "none" : "thread",
			  "-e",	   (char *)events, NULL };
	struct rusage usage = { 0 };
	double rows = who == NTIME_PER_CPU ? (double)sysconf(_SC_NPROCESSORS_ONLN) : 1;
	int ret = run(who == PERF ? perf : ntime, &usage);

	if (ret) {
		fprintf(stderr, "watch: %s: %s\n", who == PERF ? "perf" : "ntime", strerror(-ret));
		print_words();
		return ret;
	}
	sum->seconds += (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
			(double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
	sum->samples += count_lines() / EVENTS / rows;
	return 0;
}

static void print(const struct cost *cost)
{
	double best = 0;

	printf("%-24s  %7s  %6s  %13s\n", "command", "samples", "CPU s", "us per sample");
	for (int who = 0; who < WHO; who++)
		printf("%-24s  %7.0f  %6.2f  %13.1f\n", names[who], cost[who].samples,
		       cost[who].seconds, cost[who].seconds * 1e6 / cost[who].samples);
	best = (cost[NTIME].seconds / cost[NTIME].samples) /
	       (cost[PERF].seconds / cost[PERF].samples);
	printf("aim: a sample of ntime watch costs less than one of perf stat -I: %s "
	       "(ratio %.2f)\n",
	       best < 1 ? "met" : "NOT met", best);
}

int main(int argc, char **argv)
{
	bool is_hardware = argc > 1 && strcmp(argv[1], "hardware") == 0;
	const char *events = is_hardware ? HARDWARE : SOFTWARE;
	long seconds = argc > 2 ? strtol(argv[2], NULL, 10) : 5;
	long rounds = argc > 3 ? strtol(argv[3], NULL, 10) : 3;
	struct cost cost[WHO] = { { 0, 0 } };
	char seconds_text[32], samples[32];

	if (seconds < 1 || rounds < 1) {
		fputs("usage: watch [hardware|software] [SECONDS] [ROUNDS]\n", stderr);
		return 2;
	}
	snprintf(seconds_text, sizeof(seconds_text), "%ld", seconds);
	snprintf(samples, sizeof(samples), "%ld", seconds * 1000);
	for (long round = 0; round < rounds; round++)
		for (int who = 0; who < WHO; who++)
			if (measure((enum who)who, events, seconds_text, samples, &cost[who]))
				return 1;
	unlink(FILE_OF_LINES);
	unlink(FILE_OF_WORDS);
	printf("%d events of %s, 1000 samples a second, %ld CPUs, %ld rounds of %ld s\n", EVENTS,
	       is_hardware ? "core PMU and kernel" : "the kernel", sysconf(_SC_NPROCESSORS_ONLN),
	       rounds, seconds);
	print(cost);
	return 0;
}
