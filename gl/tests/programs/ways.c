// SPDX-License-Identifier: MIT
/*
 * Ways to get at OpenGL, and what programs do with contexts: ways PLATFORM FIND SCENARIO
 *
 * PLATFORM: egl (without a window), glx (a window), glx13 (a pbuffer). FIND, where functions come
 * from: linked, default (dlsym() among all libraries), early and late (GetProcAddress before there
 * is a context, and after), loaded (dlsym() on a library that was opened). Compiled with
 * WAYS_LOADED it is linked with no library of GL. SCENARIO: a row of scenarios[]. Each is silent
 * and ends with 0, or says what is wrong; 77: there is no driver.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define GL_GLEXT_PROTOTYPES
#define GLX_GLXEXT_PROTOTYPES
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <GL/glext.h>
#include <GL/glx.h>

#define SIZE 64
#define NONE UINT64_MAX /* no record */

/* Symbols of libGL. */
#define GL_FUNCTIONS(X)                                                                            \
	X(BeginQuery)                                                                              \
	X(Clear)                                                                                   \
	X(DrawArrays)                                                                              \
	X(EnableClientState)                                                                       \
	X(EndQuery)                                                                                \
	X(Finish)                                                                                  \
	X(GenQueries)                                                                              \
	X(GetError)                                                                                \
	X(GetIntegerv)                                                                             \
	X(GetQueryObjectuiv)                                                                       \
	X(GetString)                                                                               \
	X(GetStringi)                                                                              \
	X(LoadIdentity)                                                                            \
	X(Ortho)                                                                                   \
	X(VertexPointer)                                                                           \
	X(Viewport)

/* From GetProcAddress alone. */
#define AMD_FUNCTIONS(X)                                                                           \
	X(BeginPerfMonitorAMD)                                                                     \
	X(DeletePerfMonitorsAMD)                                                                   \
	X(EndPerfMonitorAMD)                                                                       \
	X(GenPerfMonitorsAMD)                                                                      \
	X(GetPerfMonitorCounterDataAMD)                                                            \
	X(GetPerfMonitorCounterStringAMD)                                                          \
	X(GetPerfMonitorCountersAMD)                                                               \
	X(GetPerfMonitorGroupStringAMD)                                                            \
	X(GetPerfMonitorGroupsAMD)                                                                 \
	X(SelectPerfMonitorCountersAMD)

#define EGL_FUNCTIONS(X)                                                                           \
	X(BindAPI)                                                                                 \
	X(ChooseConfig)                                                                            \
	X(CreateContext)                                                                           \
	X(CreatePbufferSurface)                                                                    \
	X(DestroyContext)                                                                          \
	X(GetPlatformDisplay)                                                                      \
	X(GetProcAddress)                                                                          \
	X(Initialize)                                                                              \
	X(MakeCurrent)                                                                             \
	X(ReleaseThread)

#define GLX_FUNCTIONS(X)                                                                           \
	X(ChooseFBConfig)                                                                          \
	X(ChooseVisual)                                                                            \
	X(CreateContext)                                                                           \
	X(CreatePbuffer)                                                                           \
	X(DestroyContext)                                                                          \
	X(GetProcAddressARB)                                                                       \
	X(MakeContextCurrent)                                                                      \
	X(MakeCurrent)

#define GL_MEMBER(name) __typeof__(&gl##name) name;
#define EGL_MEMBER(name) __typeof__(&egl##name) name;
#define GLX_MEMBER(name) __typeof__(&glX##name) name;
static struct {
	GL_FUNCTIONS(GL_MEMBER) AMD_FUNCTIONS(GL_MEMBER)
} gl;
static struct {
	EGL_FUNCTIONS(EGL_MEMBER)
} egl;
static struct {
	GLX_FUNCTIONS(GLX_MEMBER)
	__typeof__(&glXCreateContextAttribsARB) CreateContextAttribsARB;
} glx;

/* A context and what it draws into. */
struct target {
	void *context;
	EGLSurface surface;
	GLXDrawable drawable;
};

static const char *platform, *way;
static EGLDisplay egl_display;
static EGLConfig egl_config;
static Display *x_display;
static GLXFBConfig fb_config;
static XVisualInfo *visual;

static void fail(const char *what, uint64_t got, uint64_t want)
{
	fprintf(stderr, "%s: %lld, expected %lld\n", what, (long long)got, (long long)want);
	exit(1);
}

static void check(const char *what, uint64_t got, uint64_t want)
{
	if (got != want)
		fail(what, got, want);
}

static bool is_way(const char *name)
{
	return strcmp(way, name) == 0;
}

static bool is_egl(void)
{
	return strcmp(platform, "egl") == 0;
}

static void *find_symbol(const char *library, const char *name)
{
	void *handle = is_way("default") ? RTLD_DEFAULT : dlopen(library, RTLD_LAZY | RTLD_LOCAL);
	void *found;

	/* Some look at the error instead of the function. */
	(void)dlerror();
	found = dlsym(handle, name);
	if (!found || dlerror())
		fail(name, 0, 1);
	return found;
}

static void *get_proc(const char *name)
{
	if (is_egl())
		return (void *)egl.GetProcAddress(name);
	return (void *)glx.GetProcAddressARB((const GLubyte *)name);
}

#define PROC(name) *(void **)&gl.name = get_proc("gl" #name);
#define GL_SYMBOL(name) *(void **)&gl.name = find_symbol("libGL.so.1", "gl" #name);
#define EGL_SYMBOL(name) *(void **)&egl.name = find_symbol("libEGL.so.1", "egl" #name);
#define GLX_SYMBOL(name) *(void **)&glx.name = find_symbol("libGL.so.1", "glX" #name);
#define GL_LINKED(name) gl.name = gl##name;
#define EGL_LINKED(name) egl.name = egl##name;
#define GLX_LINKED(name) glx.name = glX##name;

/* The functions of EGL and GLX, which make a context. */
static void find_windows(void)
{
#ifndef WAYS_LOADED
	if (!is_way("default")) {
		EGL_FUNCTIONS(EGL_LINKED)
		GLX_FUNCTIONS(GLX_LINKED)
		return;
	}
#endif
	if (is_egl()) {
		EGL_FUNCTIONS(EGL_SYMBOL)
	} else {
		GLX_FUNCTIONS(GLX_SYMBOL)
	}
}

static void find_gl(void)
{
	AMD_FUNCTIONS(PROC)
	if (is_way("early") || is_way("late")) {
		GL_FUNCTIONS(PROC)
		return;
	}
#ifndef WAYS_LOADED
	if (is_way("linked")) {
		GL_FUNCTIONS(GL_LINKED)
		return;
	}
#endif
	GL_FUNCTIONS(GL_SYMBOL)
}

static void open_egl(void)
{
	static const EGLint wanted[] = {
		EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RED_SIZE, 8, EGL_DEPTH_SIZE, 24, EGL_NONE
	};
	EGLint n = 0;

	egl_display = egl.GetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, NULL, NULL);
	if (!egl_display || !egl.Initialize(egl_display, NULL, NULL)) {
		fprintf(stderr, "no EGL without a window\n");
		exit(77);
	}
	if (!egl.ChooseConfig(egl_display, wanted, &egl_config, 1, &n) || n < 1)
		fail("configurations of EGL", 0, 1);
}

static void open_glx(void)
{
	static const int of_buffer[] = { GLX_DRAWABLE_TYPE, GLX_PBUFFER_BIT, GLX_RED_SIZE, 8, 0 };
	static int of_window[] = { GLX_RGBA, GLX_DOUBLEBUFFER, GLX_RED_SIZE, 8, 0 };
	GLXFBConfig *configs;
	int n = 0;

	XInitThreads();
	x_display = XOpenDisplay(NULL);
	if (!x_display) {
		fprintf(stderr, "no X server\n");
		exit(77);
	}
	configs = glx.ChooseFBConfig(x_display, DefaultScreen(x_display), of_buffer, &n);
	visual = glx.ChooseVisual(x_display, DefaultScreen(x_display), of_window);
	if (n < 1 || !visual)
		fail("configurations of GLX", 0, 1);
	fb_config = configs[0];
	*(void **)&glx.CreateContextAttribsARB = get_proc("glXCreateContextAttribsARB");
}

static Window new_window(void)
{
	Window root = RootWindow(x_display, visual->screen);
	XSetWindowAttributes look = { .colormap = XCreateColormap(x_display, root, visual->visual,
								  AllocNone) };
	Window window = XCreateWindow(x_display, root, 0, 0, SIZE, SIZE, 0, visual->depth,
				      InputOutput, visual->visual, CWColormap, &look);

	XMapWindow(x_display, window);
	XSync(x_display, False);
	return window;
}

static void *new_context(void)
{
	static const int version[] = { GLX_CONTEXT_MAJOR_VERSION_ARB, 3,
				       GLX_CONTEXT_MINOR_VERSION_ARB, 0, 0 };
	void *context;

	/* Each thread says what it wants. */
	if (is_egl())
		egl.BindAPI(EGL_OPENGL_API);
	if (is_egl())
		context = egl.CreateContext(egl_display, egl_config, EGL_NO_CONTEXT, NULL);
	else if (strcmp(platform, "glx13") == 0)
		context = glx.CreateContextAttribsARB(x_display, fb_config, NULL, True, version);
	else
		context = glx.CreateContext(x_display, visual, NULL, True);
	if (!context)
		fail("contexts", 0, 1);
	return context;
}

static struct target new_target(void)
{
	static const EGLint egl_size[] = { EGL_WIDTH, SIZE, EGL_HEIGHT, SIZE, EGL_NONE };
	static const int glx_size[] = { GLX_PBUFFER_WIDTH, SIZE, GLX_PBUFFER_HEIGHT, SIZE, 0 };
	struct target t = { .context = new_context() };

	if (is_egl())
		t.surface = egl.CreatePbufferSurface(egl_display, egl_config, egl_size);
	else if (strcmp(platform, "glx13") == 0)
		t.drawable = glx.CreatePbuffer(x_display, fb_config, glx_size);
	else
		t.drawable = new_window();
	return t;
}

/* NULL: none. */
static void make_current(const struct target *t)
{
	bool is_done;

	if (is_egl())
		is_done = egl.MakeCurrent(egl_display, t ? t->surface : NULL, t ? t->surface : NULL,
					  t ? t->context : NULL);
	else if (strcmp(platform, "glx13") == 0)
		is_done = glx.MakeContextCurrent(x_display, t ? t->drawable : 0,
						 t ? t->drawable : 0, t ? t->context : NULL);
	else
		is_done = glx.MakeCurrent(x_display, t ? t->drawable : 0, t ? t->context : NULL);
	check("contexts made current", is_done, true);
}

static void destroy(struct target *t)
{
	if (is_egl())
		egl.DestroyContext(egl_display, t->context);
	else
		glx.DestroyContext(x_display, t->context);
}

/* A rectangle of as many pixels. */
static void draw(int width, int height)
{
	const GLfloat x = (GLfloat)width, y = (GLfloat)height;
	const GLfloat vertex[6][2] = { { 0, 0 }, { x, 0 }, { 0, y }, { 0, y }, { x, 0 }, { x, y } };

	gl.VertexPointer(2, GL_FLOAT, 0, vertex);
	gl.DrawArrays(GL_TRIANGLES, 0, 6);
}

/* Current from now on, and ready to draw. llvmpipe counts nothing before it has drawn once. */
static struct target begin(void)
{
	struct target t = new_target();

	make_current(&t);
	if (!gl.Viewport)
		find_gl();
	gl.Viewport(0, 0, SIZE, SIZE);
	gl.LoadIdentity();
	gl.Ortho(0, SIZE, 0, SIZE, -1, 1);
	gl.EnableClientState(GL_VERTEX_ARRAY);
	gl.Clear(GL_COLOR_BUFFER_BIT);
	draw(1, 1);
	gl.Finish();
	return t;
}

/* A group, of which there is one of this name. */
static GLuint find_group(const char *wanted)
{
	GLuint groups[16], found = 0, times = 0;
	GLint n = 0;

	gl.GetPerfMonitorGroupsAMD(&n, 16, groups);
	for (GLint g = 0; g < n; g++) {
		char name[100] = "";

		gl.GetPerfMonitorGroupStringAMD(groups[g], sizeof(name) - 1, NULL, name);
		if (strcmp(name, wanted) == 0) {
			found = groups[g];
			times++;
		}
	}
	check(wanted, times, 1);
	return found;
}

static GLuint find_counter(GLuint group, const char *wanted)
{
	GLint n = 0;

	gl.GetPerfMonitorCountersAMD(group, &n, NULL, 0, NULL);
	for (GLint i = 0; i < n; i++) {
		char name[200] = "";

		gl.GetPerfMonitorCounterStringAMD(group, (GLuint)i, sizeof(name) - 1, NULL, name);
		if (strcmp(name, wanted) == 0)
			return (GLuint)i;
	}
	fail(wanted, 0, 1);
	return 0;
}

static GLuint new_monitor(const char *group_name, const char *counter_name)
{
	GLuint group = find_group(group_name), counter = find_counter(group, counter_name);
	GLuint monitor = 0;

	gl.GenPerfMonitorsAMD(1, &monitor);
	gl.SelectPerfMonitorCountersAMD(monitor, GL_TRUE, group, 1, &counter);
	return monitor;
}

/* The value of its one counter, a number of 64 bits; NONE: it has no record. */
static uint64_t read_monitor(GLuint monitor)
{
	GLuint data[4] = { 0 }, is_there = 0;
	GLint bytes = 0;
	uint64_t value;

	for (long i = 0; !is_there && i < 10000000; i++)
		gl.GetPerfMonitorCounterDataAMD(monitor, GL_PERFMON_RESULT_AVAILABLE_AMD,
						sizeof(is_there), &is_there, NULL);
	gl.GetPerfMonitorCounterDataAMD(monitor, GL_PERFMON_RESULT_AMD, sizeof(data), data, &bytes);
	memcpy(&value, &data[2], sizeof(value));
	return bytes == 16 ? value : NONE;
}

static void count_drawing(int width, int height)
{
	GLuint monitor = new_monitor("pipeline", "samples-passed");

	gl.BeginPerfMonitorAMD(monitor);
	draw(width, height);
	gl.EndPerfMonitorAMD(monitor);
	check("samples", read_monitor(monitor), (uint64_t)width * (uint64_t)height);
	gl.DeletePerfMonitorsAMD(1, &monitor);
	check("errors", gl.GetError(), 0);
}

/* What the CPU does and what is drawn, in one monitor. */
static void count_both(void)
{
	GLuint monitor = new_monitor("pipeline", "samples-passed"), group = find_group("cpu");
	GLuint counter = find_counter(group, "page-faults"), data[8] = { 0 };
	GLint bytes = 0;

	gl.SelectPerfMonitorCountersAMD(monitor, GL_TRUE, group, 1, &counter);
	gl.BeginPerfMonitorAMD(monitor);
	draw(10, 20);
	gl.EndPerfMonitorAMD(monitor);
	gl.Finish();
	gl.GetPerfMonitorCounterDataAMD(monitor, GL_PERFMON_RESULT_AMD, sizeof(data), data, &bytes);
	check("bytes of two counters", (uint64_t)bytes, 32);
	check("samples beside page faults", data[data[0] == group ? 6 : 2], 200);
}

static bool has_extension(void)
{
	return strstr((const char *)gl.GetString(GL_EXTENSIONS), "GL_AMD_performance_monitor");
}

/* Monitors of the CPU that begin and end within one of the pipeline, between drawings. */
static void count_apart(void)
{
	GLuint samples = new_monitor("pipeline", "samples-passed");
	GLuint faults = new_monitor("cpu", "task-clock [ns]");

	gl.BeginPerfMonitorAMD(samples);
	draw(4, 5);
	gl.BeginPerfMonitorAMD(faults);
	draw(5, 6);
	gl.EndPerfMonitorAMD(faults);
	draw(6, 7);
	gl.EndPerfMonitorAMD(samples);
	check("samples around a monitor of the CPU", read_monitor(samples), 20 + 30 + 42);
	check("errors", gl.GetError(), 0);
}

static void do_mixed(void)
{
	begin();
	count_both();
	count_both();
	count_apart();
}

static void do_draw(void)
{
	begin();
	check("extension", has_extension(), true);
	find_group("cpu");
	count_drawing(10, 20);
	count_drawing(3, 7);
}

static pthread_barrier_t barrier;

/* Its monitors have as many names more than the other one's as its number says. */
static void *draw_in_thread(void *number)
{
	const int n = *(int *)number;
	GLuint monitor, more[4];

	begin();
	monitor = new_monitor("pipeline", "samples-passed");
	gl.GenPerfMonitorsAMD(n, more);
	check("name", monitor, 1);
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < 50; i++) {
		gl.BeginPerfMonitorAMD(monitor);
		pthread_barrier_wait(&barrier);
		for (int k = 0; k <= i % 3; k++)
			draw(10 * n, 5);
		gl.EndPerfMonitorAMD(monitor);
		check("samples of a thread", read_monitor(monitor),
		      50 * (uint64_t)n * (uint64_t)(i % 3 + 1));
	}
	check("errors", gl.GetError(), 0);
	gl.DeletePerfMonitorsAMD(1, &(GLuint){ (GLuint)n + 2 });
	check("error for a name of the other thread's", gl.GetError(), GL_INVALID_VALUE);
	make_current(NULL);
	return NULL;
}

static void do_threads(void)
{
	int number[2] = { 1, 2 };
	pthread_t thread[2];

	pthread_barrier_init(&barrier, NULL, 2);
	/* One thread learns the functions for both. */
	begin();
	make_current(NULL);
	for (int i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, draw_in_thread, &number[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
}

static void do_switch(void)
{
	struct target t[2];
	GLuint monitor[2];

	for (int i = 0; i < 2; i++) {
		t[i] = begin();
		monitor[i] = new_monitor("pipeline", "samples-passed");
		gl.BeginPerfMonitorAMD(monitor[i]);
		draw(10, 10 + i);
	}
	for (int i = 0; i < 2; i++) {
		make_current(&t[i]);
		draw(5, 5 + i);
		gl.EndPerfMonitorAMD(monitor[i]);
	}
	for (int i = 0; i < 2; i++) {
		make_current(&t[i]);
		check("samples of a context", read_monitor(monitor[i]),
		      10 * (10 + (uint64_t)i) + 5 * (5 + (uint64_t)i));
		check("errors", gl.GetError(), 0);
	}
}

/* Destroyed with a monitor that runs: the handle is soon another context's. */
static void do_reuse(void)
{
	for (int i = 0; i < 20; i++) {
		struct target t = begin();

		gl.EndPerfMonitorAMD(1);
		check("error for a name of an earlier context's", gl.GetError(), GL_INVALID_VALUE);
		count_drawing(4, 4 + i);
		gl.BeginPerfMonitorAMD(new_monitor("pipeline", "samples-passed"));
		draw(2, 2);
		/* Threads of llvmpipe would write into the query after it is freed. */
		gl.Finish();
		if (i % 2)
			make_current(NULL);
		destroy(&t);
		if (!(i % 2))
			make_current(NULL);
	}
}

static void touch(size_t pages)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *p = mmap(NULL, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		       0);

	madvise(p, pages * page, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < pages; i++)
		p[i * page] = 1;
	munmap(p, pages * page);
}

/* The driver's threads are not in the child, so it draws nothing. */
static void count_in_child(void)
{
	GLuint monitor;
	uint64_t value;

	alarm(20);
	monitor = new_monitor("cpu", "page-faults");
	gl.BeginPerfMonitorAMD(monitor);
	touch(300);
	gl.EndPerfMonitorAMD(monitor);
	value = read_monitor(monitor);
	if (value < 300 || value > 600)
		fail("page faults of the child", value, 300);
	_exit(0);
}

static void do_fork(void)
{
	GLuint samples, faults;
	uint64_t value;
	int status = 1;

	begin();
	samples = new_monitor("pipeline", "samples-passed");
	faults = new_monitor("cpu", "page-faults");
	gl.BeginPerfMonitorAMD(samples);
	gl.BeginPerfMonitorAMD(faults);
	draw(6, 6);
	touch(1000);
	if (fork() == 0)
		count_in_child();
	wait(&status);
	check("status of the child", (uint64_t)status, 0);
	draw(7, 7);
	gl.EndPerfMonitorAMD(faults);
	gl.EndPerfMonitorAMD(samples);
	check("samples of the parent", read_monitor(samples), 36 + 49);
	/* Those of the child are the parent's too: README.md. */
	value = read_monitor(faults);
	if (value < 1300 || value > 5000)
		fail("page faults of the parent", value, 1300);
}

static uint64_t read_query(GLuint query)
{
	GLuint value = 0;

	gl.GetQueryObjectuiv(query, GL_QUERY_RESULT, &value);
	return value;
}

static void do_queries(void)
{
	GLuint query, monitor;

	begin();
	gl.GenQueries(1, &query);
	monitor = new_monitor("pipeline", "samples-passed");
	gl.BeginPerfMonitorAMD(monitor);
	draw(2, 3);
	gl.BeginQuery(GL_SAMPLES_PASSED, query);
	draw(5, 7);
	gl.EndQuery(GL_SAMPLES_PASSED);
	draw(11, 13);
	gl.EndPerfMonitorAMD(monitor);
	check("query within a monitor", read_query(query), 35);
	check("monitor around a query", read_monitor(monitor), 6 + 35 + 143);
	gl.BeginPerfMonitorAMD(monitor);
	draw(2, 3);
	gl.BeginQuery(GL_SAMPLES_PASSED, query);
	gl.EndQuery(GL_SAMPLES_PASSED);
	gl.EndPerfMonitorAMD(monitor);
	check("empty query within a monitor", read_query(query), 0);
	check("monitor around an empty query", read_monitor(monitor), 6);
	/* The program's query cannot be cut: the monitor has no number then, and it has its own. */
	gl.BeginPerfMonitorAMD(monitor);
	draw(2, 3);
	gl.BeginQuery(GL_SAMPLES_PASSED, query);
	draw(5, 7);
	gl.EndPerfMonitorAMD(monitor);
	draw(11, 13);
	gl.EndQuery(GL_SAMPLES_PASSED);
	check("query that a monitor ended in", read_query(query), 35 + 143);
	check("monitor that ended in a query", read_monitor(monitor), NONE);
	check("errors", gl.GetError(), 0);
	gl.BeginQuery(GL_SAMPLES_PASSED, query);
	draw(5, 7);
	gl.BeginPerfMonitorAMD(monitor);
	check("monitor that begins in a query", gl.GetError(), GL_INVALID_OPERATION);
	draw(2, 3);
	gl.EndQuery(GL_SAMPLES_PASSED);
	check("query that a monitor would begin in", read_query(query), 35 + 6);
	check("errors", gl.GetError(), 0);
}

/* What a program that never asks for monitors finds. */
static void do_strings(void)
{
	static const GLenum strings[] = { GL_VENDOR, GL_RENDERER, GL_VERSION,
					  GL_SHADING_LANGUAGE_VERSION, GL_EXTENSIONS };
	static const GLenum numbers[] = { GL_MAX_TEXTURE_SIZE, GL_MAJOR_VERSION, GL_MINOR_VERSION,
					  GL_NUM_EXTENSIONS,   GL_DEPTH_BITS,	 GL_VIEWPORT,
					  GL_MATRIX_MODE,      GL_MAX_LIGHTS };
	GLint n = 0;

	begin();
	for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++)
		printf("%x: %s\n", strings[i], (const char *)gl.GetString(strings[i]));
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		GLint number[4] = { 0 };

		gl.GetIntegerv(numbers[i], number);
		printf("%x: %d %d %d %d\n", numbers[i], number[0], number[1], number[2], number[3]);
	}
	gl.GetIntegerv(GL_NUM_EXTENSIONS, &n);
	for (GLint i = 0; i < n; i++)
		printf("%s\n", (const char *)gl.GetStringi(GL_EXTENSIONS, (GLuint)i));
	gl.GetIntegerv(0xdead, &n);
	printf("error: %x\n", gl.GetError());
	printf("beyond: %d\n", gl.GetStringi(GL_EXTENSIONS, 100000) != NULL);
	printf("error: %x\n", gl.GetError());
	printf("error: %x\n", gl.GetError());
}

static void open_platform(const char *name)
{
	platform = name;
	find_windows();
	if (is_way("early"))
		find_gl();
	if (is_egl())
		open_egl();
	else
		open_glx();
}

/* The given platform, then the other one. */
static void do_both(void)
{
	do_draw();
	make_current(NULL);
	open_platform(is_egl() ? "glx" : "egl");
	find_gl();
	do_draw();
}

/* The thread releases what it has by the one function that names no context. */
static void do_release(void)
{
	struct target t = begin();
	GLuint monitor = new_monitor("pipeline", "samples-passed");

	egl.ReleaseThread();
	gl.GenPerfMonitorsAMD(1, &monitor);
	check("name from no context", monitor, 1);
	egl.BindAPI(EGL_OPENGL_API);
	make_current(&t);
	count_drawing(8, 8);
}

static const struct scenario {
	const char *name;
	void (*run)(void);
} scenarios[] = {
	{ "draw", do_draw },	   { "threads", do_threads }, { "switch", do_switch },
	{ "reuse", do_reuse },	   { "fork", do_fork },	      { "queries", do_queries },
	{ "mixed", do_mixed },	   { "strings", do_strings }, { "both", do_both },
	{ "release", do_release },
};

int main(int argc, char **argv)
{
	if (argc != 4)
		return 2;
	way = argv[2];
	open_platform(argv[1]);
	for (size_t i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++)
		if (strcmp(argv[3], scenarios[i].name) == 0) {
			scenarios[i].run();
			return 0;
		}
	return 2;
}
