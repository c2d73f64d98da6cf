// SPDX-License-Identifier: MIT
/*
 * Instructions of a monitor of 8 software counters beside those of a session read of the same
 * events: run under callgrind with --toggle-collect=monitors or reads. The driver of OpenGL is made
 * up and costs nothing, and the kernel is not counted.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ntime/ntime.h>

#include "gl/extension/glperf.h"
#include "gl/tests/extension/fake_gl.h"

#define EVENTS                                                                                     \
	"task-clock,page-faults,minor-faults,major-faults,context-switches,cpu-migrations,"        \
	"cpu-clock,alignment-faults"

__attribute__((noipa)) static void monitors(GLuint monitor, int n)
{
	for (int i = 0; i < n; i++) {
		glBeginPerfMonitorAMD(monitor);
		glEndPerfMonitorAMD(monitor);
	}
}

__attribute__((noipa)) static int reads(struct ntime_session *s, struct ntime_value *values,
					size_t items, int n)
{
	int ret = 0;

	for (int i = 0; i < n && ret >= 0; i++)
		ret = ntime_session_read(s, values, items);
	return ret;
}

static int run_reads(int n)
{
	const struct ntime_target self = { .size = sizeof(self),
					   .kind = NTIME_TARGET_PROCESS,
					   .flags = NTIME_CHILDREN,
					   .pid = getpid() };
	struct ntime_value values[8];
	struct ntime_session *s = NULL;
	struct ntime_ctx *ctx;
	int ret = ntime_open(&ctx, NULL);

	if (ret < 0)
		return ret;
	ret = ntime_session_new(ctx, &self, &s);
	if (ret == 0)
		ret = ntime_session_add_list(s, EVENTS);
	if (ret == 0)
		ret = ntime_session_start(s);
	if (ret == 0)
		ret = reads(s, values, 8, n);
	ntime_session_free(s);
	ntime_close(ctx);
	return ret;
}

int main(int argc, char **argv)
{
	const struct fake_gl is = { .version = "4.5 fake", .extensions = "" };
	static const GLuint all[8] = { 0, 1, 2, 3, 4, 5, 6, 7 };
	static struct glp_driver driver;
	static char handle;
	int n = argc > 1 ? atoi(argv[1]) : 1000;
	GLuint monitor, groups[3];
	GLint n_groups = 0;

	setenv("NTIME_GL_EVENTS", EVENTS, 1);
	fake_gl_reset(&is);
	glp_driver_init(&driver, fake_gl_get_proc);
	glp_context_make_current(&driver, &handle);
	glGetPerfMonitorGroupsAMD(&n_groups, 3, groups);
	glGenPerfMonitorsAMD(1, &monitor);
	glSelectPerfMonitorCountersAMD(monitor, GL_TRUE, groups[2], 8, (GLuint *)all);
	monitors(monitor, 1);
	if (n_groups != 3 || glGetError()) {
		fprintf(stderr, "glperf: the 8 software counters cannot be counted here\n");
		return 77;
	}
	monitors(monitor, n);
	return run_reads(n) < 0;
}
