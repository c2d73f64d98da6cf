// SPDX-License-Identifier: MIT
/*
 * Values of known drawings: each counter of group pipeline against arithmetic, those of group cpu
 * against the kernel's own words. Speaks TAP; runs under "ntime gl --".
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "gl/tests/programs/window.h"

#define MOST 24
#define ANY UINT64_MAX /* not looked at */

static const char *const names[] = {
	"samples-passed",
	"primitives-generated",
	"vertices-submitted",
	"primitives-submitted",
	"vertex-shader-invocations",
	"clipping-input-primitives",
	"clipping-output-primitives",
	"fragment-shader-invocations",
	/* of shaders alone */
	"tess-control-shader-patches",
	"tess-evaluation-shader-invocations",
	"geometry-shader-invocations",
	"geometry-shader-primitives",
	"transform-feedback-primitives",
	"compute-shader-invocations",
};
#define N_NAMES (sizeof(names) / sizeof(names[0]))

/* A rectangle of pixels as two triangles: its corners, in the order of a strip. */
static void put_rectangle(GLfloat x, GLfloat y, GLfloat width, GLfloat height, bool is_strip)
{
	const GLfloat corner[4][2] = {
		{ x, y }, { x + width, y }, { x, y + height }, { x + width, y + height }
	};
	static const int triangles[6] = { 0, 1, 2, 2, 1, 3 };
	static GLfloat vertex[6][2];

	for (int i = 0; i < (is_strip ? 4 : 6); i++)
		memcpy(vertex[i], corner[is_strip ? i : triangles[i]], sizeof(vertex[i]));
	glVertexPointer(2, GL_FLOAT, 0, vertex);
}

static void draw_triangles(void)
{
	put_rectangle(3, 5, 10, 20, false);
	glDrawArrays(GL_TRIANGLES, 0, 6);
}

static void draw_strip(void)
{
	put_rectangle(0, 0, 64, 32, true);
	glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

static void draw_instances(void)
{
	put_rectangle(1, 1, 8, 8, false);
	glDrawArraysInstanced(GL_TRIANGLES, 0, 6, 5);
}

static void draw_culled(void)
{
	glEnable(GL_CULL_FACE);
	glCullFace(GL_FRONT);
	draw_triangles();
	glDisable(GL_CULL_FACE);
}

static void draw_outside(void)
{
	put_rectangle(100, 100, 10, 20, false);
	glDrawArrays(GL_TRIANGLES, 0, 6);
}

static void draw_cut(void)
{
	put_rectangle(60, 60, 8, 8, false);
	glDrawArrays(GL_TRIANGLES, 0, 6);
}

static void draw_nothing(void)
{
}

static void draw_hidden(void)
{
	glEnable(GL_DEPTH_TEST);
	glDepthFunc(GL_NEVER);
	draw_triangles();
	glDisable(GL_DEPTH_TEST);
}

/*
 * One patch of three corners becomes one triangle, of which the geometry shader makes two; both are
 * kept by transform feedback. Nothing is drawn.
 */
static const char vertex_source[] = "#version 450\n"
				    "void main() { gl_Position = vec4(gl_VertexID); }";
static const char control_source[] =
	"#version 450\n"
	"layout(vertices = 3) out;\n"
	"void main() {\n"
	"	gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;\n"
	"	gl_TessLevelInner[0] = 1;\n"
	"	gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = 1;\n"
	"}";
static const char evaluation_source[] = "#version 450\n"
					"layout(triangles) in;\n"
					"void main() { gl_Position = vec4(gl_TessCoord, 1); }";
static const char geometry_source[] = "#version 450\n"
				      "layout(triangles) in;\n"
				      "layout(triangle_strip, max_vertices = 6) out;\n"
				      "void main() {\n"
				      "	for (int k = 0; k < 2; k++) {\n"
				      "		for (int i = 0; i < 3; i++) {\n"
				      "			gl_Position = gl_in[i].gl_Position;\n"
				      "			EmitVertex();\n"
				      "		}\n"
				      "		EndPrimitive();\n"
				      "	}\n"
				      "}";
static const char compute_source[] = "#version 450\n"
				     "layout(local_size_x = 8) in;\n"
				     "layout(binding = 0) buffer b { uint n; };\n"
				     "void main() { atomicAdd(n, 1u); }";

static void add_shader(GLuint program, GLenum type, const char *source)
{
	GLuint shader = glCreateShader(type);

	glShaderSource(shader, 1, &source, NULL);
	glCompileShader(shader);
	glAttachShader(program, shader);
	glDeleteShader(shader);
}

static void link_program(GLuint program)
{
	GLint is_linked = 0;

	glLinkProgram(program);
	glGetProgramiv(program, GL_LINK_STATUS, &is_linked);
	if (!is_linked)
		fail_with("a program of shaders cannot be linked");
}

static GLuint new_buffer(GLenum target)
{
	GLuint buffer;

	glGenBuffers(1, &buffer);
	glBindBufferBase(target, 0, buffer);
	glBufferData(target, 4096, NULL, GL_DYNAMIC_COPY);
	return buffer;
}

static void draw_patch(void)
{
	static const char *const kept[] = { "gl_Position" };
	static GLuint program;

	if (!program) {
		program = glCreateProgram();
		add_shader(program, GL_VERTEX_SHADER, vertex_source);
		add_shader(program, GL_TESS_CONTROL_SHADER, control_source);
		add_shader(program, GL_TESS_EVALUATION_SHADER, evaluation_source);
		add_shader(program, GL_GEOMETRY_SHADER, geometry_source);
		glTransformFeedbackVaryings(program, 1, kept, GL_INTERLEAVED_ATTRIBS);
		link_program(program);
		new_buffer(GL_TRANSFORM_FEEDBACK_BUFFER);
	}
	glUseProgram(program);
	glPatchParameteri(GL_PATCH_VERTICES, 3);
	glEnable(GL_RASTERIZER_DISCARD);
	glBeginTransformFeedback(GL_TRIANGLES);
	glDrawArrays(GL_PATCHES, 0, 3);
	glEndTransformFeedback();
	glDisable(GL_RASTERIZER_DISCARD);
	glUseProgram(0);
}

static void dispatch(void)
{
	static GLuint program;

	if (!program) {
		program = glCreateProgram();
		add_shader(program, GL_COMPUTE_SHADER, compute_source);
		link_program(program);
		new_buffer(GL_SHADER_STORAGE_BUFFER);
	}
	glUseProgram(program);
	glDispatchCompute(3, 5, 1);
	glUseProgram(0);
}

static void draw_twice(void)
{
	draw_triangles();
	draw_strip();
}

/* In the order of names. Clipped and culled primitives may differ between drivers: llvmpipe's. */
static const struct drawing {
	const char *name;
	void (*draw)(void);
	uint64_t want[N_NAMES];
} drawings[] = {
	{ "nothing", draw_nothing, { 0, 0, 0, 0, 0, 0, 0, 0 } },
	{ "triangles", draw_triangles, { 200, 2, 6, 2, 6, 2, 2, ANY } },
	{ "strip", draw_strip, { 2048, 2, 4, 2, 4, 2, 2, ANY } },
	{ "instances", draw_instances, { 320, 10, 30, 10, 30, 10, 10, ANY } },
	{ "culled", draw_culled, { 0, 2, 6, 2, 6, 2, ANY, 0 } },
	{ "outside", draw_outside, { 0, 2, 6, 2, 6, 2, 0, 0 } },
	{ "cut", draw_cut, { 16, 2, 6, 2, 6, 2, ANY, ANY } },
	{ "hidden", draw_hidden, { 0, 2, 6, 2, 6, 2, 2, ANY } },
	{ "twice", draw_twice, { 2248, 4, 10, 4, 10, 4, 4, ANY } },
	{ "patch", draw_patch, { 0, 2, 3, 1, 3, ANY, ANY, 0, 1, 3, 1, 2, 2, 0 } },
	{ "compute", dispatch, { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 120 } },
};
#define N_DRAWINGS (sizeof(drawings) / sizeof(drawings[0]))

static unsigned int test_number;
static int status;

static void report(bool is_ok, const char *name, const char *why)
{
	printf("%s %u %s\n", is_ok ? "ok" : "not ok", ++test_number, name);
	if (!is_ok) {
		printf("# %s\n", why);
		status = 1;
	}
}

static GLuint selected[N_NAMES][2];

static GLuint new_monitor(void)
{
	GLuint monitor;

	amd.GenPerfMonitorsAMD(1, &monitor);
	for (size_t i = 0; i < N_NAMES; i++) {
		if (!find_counter("pipeline", names[i], &selected[i][0], &selected[i][1]))
			fail_with(names[i]);
		amd.SelectPerfMonitorCountersAMD(monitor, GL_TRUE, selected[i][0], 1,
						 &selected[i][1]);
	}
	return monitor;
}

/* Waits until it is there. Values in the order of names, ANY where there is no record. */
static void read_monitor(GLuint monitor, uint64_t *value)
{
	GLuint data[4 * MOST], is_there = 0;
	GLint bytes = 0;

	for (long i = 0; !is_there && i < 1000000; i++)
		amd.GetPerfMonitorCounterDataAMD(monitor, GL_PERFMON_RESULT_AVAILABLE_AMD,
						 sizeof(is_there), &is_there, NULL);
	amd.GetPerfMonitorCounterDataAMD(monitor, GL_PERFMON_RESULT_AMD, sizeof(data), data,
					 &bytes);
	for (size_t i = 0; i < N_NAMES; i++)
		value[i] = ANY;
	for (GLint at = 0; at + 4 <= bytes / 4; at += 4)
		for (size_t i = 0; i < N_NAMES; i++)
			if (selected[i][0] == data[at] && selected[i][1] == data[at + 1])
				memcpy(&value[i], &data[at + 2], sizeof(value[i]));
}

static void check_drawings(void)
{
	GLuint monitor = new_monitor();

	/* The first frame of llvmpipe counts nothing, with or without us. */
	draw_triangles();
	eglSwapBuffers(display, surface);
	for (size_t d = 0; d < N_DRAWINGS; d++) {
		uint64_t value[N_NAMES];
		char why[1000] = "";
		size_t used = 0;

		glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
		amd.BeginPerfMonitorAMD(monitor);
		drawings[d].draw();
		amd.EndPerfMonitorAMD(monitor);
		read_monitor(monitor, value);
		for (size_t i = 0; i < N_NAMES; i++)
			if (drawings[d].want[i] != ANY && value[i] != drawings[d].want[i])
				used += (size_t)snprintf(why + used, sizeof(why) - used,
							 "%s %lld instead of %lld; ", names[i],
							 (long long)value[i],
							 (long long)drawings[d].want[i]);
		report(used == 0, drawings[d].name, why);
	}
	amd.DeletePerfMonitorsAMD(1, &monitor);
}

/* Work of the CPU that the kernel counts as well: of all threads, as the session does. */
static void touch_memory(size_t pages)
{
	const size_t bytes = pages * (size_t)sysconf(_SC_PAGESIZE);
	char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		fail_with("mmap");
	madvise(p, bytes, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < bytes; i += (size_t)sysconf(_SC_PAGESIZE))
		p[i] = 1;
	munmap(p, bytes);
}

static void *work_of_a_thread(void *pages)
{
	touch_memory(*(size_t *)pages);
	return NULL;
}

/* Pages that must come from the disk. */
static void read_from_disk(void)
{
	char path[] = "values.XXXXXX", page[4096] = "";
	int fd = mkstemp(path);
	volatile char *p;

	unlink(path);
	for (int i = 0; i < 64; i++)
		if (write(fd, page, sizeof(page)) != sizeof(page))
			fail_with("write");
	fdatasync(fd);
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	p = mmap(NULL, sizeof(page), PROT_READ, MAP_PRIVATE, fd, 0);
	(void)p[0];
	munmap((void *)p, sizeof(page));
	close(fd);
}

static void move_to_another_cpu(void)
{
	cpu_set_t all, one;

	sched_getaffinity(0, sizeof(all), &all);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		if (CPU_ISSET(cpu, &all))
			sched_setaffinity(0, sizeof(one), &one);
	}
	sched_setaffinity(0, sizeof(all), &all);
}

static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* One monitor of one counter of group cpu around @work; ANY where it has no value. */
static double measure(const char *name, void (*work)(void))
{
	GLuint group, counter, monitor, data[4] = { 0 }, type = 0;
	GLuint64 wide;
	GLfloat real;
	GLint bytes = 0;

	if (!find_counter("cpu", name, &group, &counter))
		fail_with(name);
	amd.GetPerfMonitorCounterInfoAMD(group, counter, GL_COUNTER_TYPE_AMD, &type);
	amd.GenPerfMonitorsAMD(1, &monitor);
	amd.SelectPerfMonitorCountersAMD(monitor, GL_TRUE, group, 1, &counter);
	amd.BeginPerfMonitorAMD(monitor);
	work();
	amd.EndPerfMonitorAMD(monitor);
	amd.GetPerfMonitorCounterDataAMD(monitor, GL_PERFMON_RESULT_AMD, sizeof(data), data,
					 &bytes);
	amd.DeletePerfMonitorsAMD(1, &monitor);
	memcpy(&wide, &data[2], sizeof(wide));
	memcpy(&real, &data[2], sizeof(real));
	if (bytes != (type == GL_UNSIGNED_INT64_AMD ? 16 : 12) || data[0] != group ||
	    data[1] != counter)
		return -1;
	return type == GL_UNSIGNED_INT64_AMD ? (double)wide : (double)real;
}

static struct rusage before, after;
static uint64_t ns_before, ns_after, task_clock;

/*
 * perf's own event, of this thread and those that come: the kernel's clocks of CPU time have parts
 * of each switch and exit that perf has not.
 */
static int open_task_clock(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = sizeof(attr),
					.config = PERF_COUNT_SW_TASK_CLOCK,
					.inherit = 1 };

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* The pages of this thread, of one that was there before, and of one that comes. */
static void do_work(void)
{
	size_t pages = 500;
	pthread_t thread;
	int fd = open_task_clock();

	ns_before = cpu_ns();
	getrusage(RUSAGE_SELF, &before);
	touch_memory(1000);
	pthread_create(&thread, NULL, work_of_a_thread, &pages);
	pthread_join(thread, NULL);
	usleep(1000);
	move_to_another_cpu();
	read_from_disk();
	draw_strip();
	glFinish();
	getrusage(RUSAGE_SELF, &after);
	ns_after = cpu_ns();
	if (read(fd, &task_clock, sizeof(task_clock)) != sizeof(task_clock))
		fail_with("task-clock of perf");
	close(fd);
}

/* Between what was seen within and the same with some for the calls around it. */
static void check_cpu(const char *name, double value, double within, double around)
{
	char why[200];

	snprintf(why, sizeof(why), "%s is %.0f, the kernel says %.0f", name, value, within);
	report(value >= within && value <= within + around, name, why);
}

static void check_process(void)
{
	GLuint group, counter;
	double value;

	if (!find_counter("cpu", "page-faults", &group, &counter)) {
		printf("ok %u cpu # SKIP this user may not count kernel mode, as the kernel's own "
		       "words do\n",
		       ++test_number);
		return;
	}
	value = measure("page-faults", do_work);
	check_cpu("page-faults", value,
		  (double)(after.ru_minflt + after.ru_majflt - before.ru_minflt - before.ru_majflt),
		  60);
	value = measure("minor-faults", do_work);
	check_cpu("minor-faults", value, (double)(after.ru_minflt - before.ru_minflt), 60);
	value = measure("major-faults", do_work);
	check_cpu("major-faults", value, (double)(after.ru_majflt - before.ru_majflt), 5);
	value = measure("context-switches", do_work);
	check_cpu("context-switches", value,
		  (double)(after.ru_nvcsw + after.ru_nivcsw - before.ru_nvcsw - before.ru_nivcsw),
		  60);
	value = measure("task-clock [ns]", do_work);
	check_cpu("task-clock", value, (double)task_clock,
		  (double)(ns_after - ns_before) * 1.5 + 2e7 - (double)task_clock);
	value = measure("cpu-migrations", do_work);
	check_cpu("cpu-migrations", value, sysconf(_SC_NPROCESSORS_ONLN) > 1, 1000);
	value = measure("CPUs-used [CPUs]", do_work) * 1000;
	check_cpu("CPUs-used", value, 1, 1000.0 * (double)sysconf(_SC_NPROCESSORS_ONLN));
	value = measure("machine-share [%]", do_work) * 1000;
	check_cpu("machine-share", value, 1, 100000);
}

/* Two triangles of OpenGL ES, whose queries have 32 bits. */
static void check_es(void)
{
	static const char vertex[] = "#version 300 es\n"
				     "void main() { gl_Position = vec4(gl_VertexID, 0, 0, 1); }";
	static const char fragment[] = "#version 300 es\n"
				       "precision mediump float;\n"
				       "out vec4 colour;\n"
				       "void main() { colour = vec4(1); }";
	GLuint group, counter, monitor, program, data[4] = { 0 }, type = 0, is_there = 0;
	GLint bytes = 0;
	char why[100];

	new_context_of(EGL_OPENGL_ES_API);
	program = glCreateProgram();
	add_shader(program, GL_VERTEX_SHADER, vertex);
	add_shader(program, GL_FRAGMENT_SHADER, fragment);
	link_program(program);
	glUseProgram(program);
	if (!find_counter("pipeline", "primitives-generated", &group, &counter))
		fail_with("no counter of OpenGL ES");
	amd.GetPerfMonitorCounterInfoAMD(group, counter, GL_COUNTER_TYPE_AMD, &type);
	amd.GenPerfMonitorsAMD(1, &monitor);
	amd.SelectPerfMonitorCountersAMD(monitor, GL_TRUE, group, 1, &counter);
	amd.BeginPerfMonitorAMD(monitor);
	glDrawArrays(GL_TRIANGLES, 0, 6);
	amd.EndPerfMonitorAMD(monitor);
	for (long i = 0; !is_there && i < 1000000; i++)
		amd.GetPerfMonitorCounterDataAMD(monitor, GL_PERFMON_RESULT_AVAILABLE_AMD,
						 sizeof(is_there), &is_there, NULL);
	amd.GetPerfMonitorCounterDataAMD(monitor, GL_PERFMON_RESULT_AMD, sizeof(data), data,
					 &bytes);
	snprintf(why, sizeof(why), "%u in %d bytes of type 0x%x", data[2], bytes, type);
	report(type == GL_UNSIGNED_INT && bytes == 12 && data[2] == 2, "OpenGL ES", why);
}

int main(void)
{
	new_context();
	glViewport(0, 0, WIDTH, HEIGHT);
	glMatrixMode(GL_PROJECTION);
	glLoadIdentity();
	glOrtho(0, WIDTH, 0, HEIGHT, -1, 1);
	glEnableClientState(GL_VERTEX_ARRAY);
	check_drawings();
	check_process();
	check_es();
	printf("1..%u\n", test_number);
	return status;
}
