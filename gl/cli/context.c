// SPDX-License-Identifier: MIT
/* A context of EGL without a window, or in one. */
#include "gl/cli/context.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <X11/Xlib.h>

#include "gl/cli/gl.h"
#include "base/output/say.h"

#define X_FUNCTIONS(X)                                                                             \
	X(OpenDisplay)                                                                             \
	X(CreateSimpleWindow)                                                                      \
	X(StoreName)                                                                               \
	X(MapWindow)                                                                               \
	X(VisualIDFromVisual)                                                                      \
	X(Sync)

struct x {
/* NOLINTNEXTLINE(bugprone-macro-parentheses) the name of a member cannot have any */
#define MEMBER(name) __typeof__(&X##name) name;
	X_FUNCTIONS(MEMBER)
#undef MEMBER
	Display *display;
	Window window;
};

static int load_egl(struct cli_gl_context *c)
{
	c->library = dlopen("libEGL.so.1", RTLD_LAZY | RTLD_LOCAL);
	if (!c->library) {
		cli_say("cannot load libEGL.so.1: %s; install libegl1", dlerror());
		return -1;
	}
#define LOAD(name)                                                                                 \
	if (!(*(void **)&c->egl.name = dlsym(c->library, "egl" #name))) {                          \
		cli_say("libEGL.so.1 has no function egl" #name ": it is older than EGL 1.5");     \
		return -1;                                                                         \
	}
	CLI_EGL_FUNCTIONS(LOAD)
#undef LOAD
	return 0;
}

static int open_window(struct x *x, const struct cli_gl_surface *of)
{
	const char *name = getenv("DISPLAY");
	void *library = dlopen("libX11.so.6", RTLD_LAZY | RTLD_LOCAL);

	if (!library) {
		cli_say("cannot load libX11.so.6: %s; install libx11-6", dlerror());
		return -1;
	}
#define LOAD(name) *(void **)&x->name = dlsym(library, "X" #name);
	X_FUNCTIONS(LOAD)
#undef LOAD
	x->display = x->OpenDisplay(NULL);
	if (!x->display) {
		cli_say("no X server answers as DISPLAY=%s: start one, or leave --window out",
			name ? name : "");
		(void)dlclose(library);
		return -1;
	}
	x->window =
		x->CreateSimpleWindow(x->display, DefaultRootWindow(x->display), 0, 0,
				      (unsigned int)of->width, (unsigned int)of->height, 0, 0, 0);
	x->StoreName(x->display, x->window, "ntime gl");
	x->MapWindow(x->display, x->window);
	x->Sync(x->display, False);
	// cppcheck-suppress resourceLeak ; its functions are called until the end
	return 0;
}

static int open_display(struct cli_gl_context *c, const struct x *x)
{
	if (x->display)
		c->display = c->egl.GetPlatformDisplay(EGL_PLATFORM_X11_KHR, x->display, NULL);
	else
		c->display = c->egl.GetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, NULL, NULL);
	if (!c->display && !x->display)
		c->display = c->egl.GetPlatformDisplay(EGL_PLATFORM_DEVICE_EXT, NULL, NULL);
	if (c->display && c->egl.Initialize(c->display, NULL, NULL))
		return 0;
	cli_say("no driver of EGL works %s; asked were %s",
		x->display ? "on this X server"
			   : "without a window, neither surfaceless nor on a "
			     "device",
		getenv(CLI_GL_VENDORS) ? getenv(CLI_GL_VENDORS) : "all that glvnd knows");
	return -1;
}

/* One with depth; of a window, of its visual. NULL: there is none. */
static EGLConfig choose_config(const struct cli_gl_context *c, const struct x *x)
{
	const EGLint kind = x->display ? EGL_WINDOW_BIT : EGL_PBUFFER_BIT;
	const EGLint wanted[] = { EGL_SURFACE_TYPE, kind,	  EGL_RENDERABLE_TYPE,
				  EGL_OPENGL_BIT,   EGL_RED_SIZE, 8,
				  EGL_DEPTH_SIZE,   24,		  EGL_NONE };
	EGLConfig config[64];
	EGLint n = 0, visual = 0;

	if (!c->egl.ChooseConfig(c->display, wanted, config, 64, &n))
		return NULL;
	for (EGLint i = 0; i < n; i++) {
		if (!x->display)
			return config[i];
		c->egl.GetConfigAttrib(c->display, config[i], EGL_NATIVE_VISUAL_ID, &visual);
		if ((VisualID)visual ==
		    x->VisualIDFromVisual(DefaultVisual(x->display, DefaultScreen(x->display))))
			return config[i];
	}
	return NULL;
}

static int make_surface(struct cli_gl_context *c, const struct cli_gl_surface *of, struct x *x,
			EGLConfig config)
{
	const EGLint size[] = { EGL_WIDTH, of->width, EGL_HEIGHT, of->height, EGL_NONE };

	if (config && x->display)
		c->surface =
			c->egl.CreatePlatformWindowSurface(c->display, config, &x->window, NULL);
	else if (config)
		c->surface = c->egl.CreatePbufferSurface(c->display, config, size);
	if (c->surface)
		return 0;
	cli_say("the driver has no surface with a depth buffer %s",
		x->display ? "for the windows of this X server" : "without a window");
	return -1;
}

int cli_gl_context_begin(struct cli_gl_context *c, const struct cli_gl_surface *of)
{
	static const EGLint version3[] = { EGL_CONTEXT_MAJOR_VERSION, 3, EGL_NONE };
	EGLConfig config = EGL_NO_CONFIG_KHR;
	struct x x = { .display = NULL };

	*c = (struct cli_gl_context){ .library = NULL };
	if (load_egl(c) || (of->is_window && open_window(&x, of)) || open_display(c, &x))
		return -1;
	c->egl.BindAPI(of->is_es ? EGL_OPENGL_ES_API : EGL_OPENGL_API);
	if (of->width) {
		config = choose_config(c, &x);
		if (make_surface(c, of, &x, config))
			return -1;
	}
	c->context = c->egl.CreateContext(c->display, config, EGL_NO_CONTEXT,
					  of->is_es ? version3 : NULL);
	if (c->context && c->egl.MakeCurrent(c->display, c->surface, c->surface, c->context))
		return 0;
	cli_say("the driver makes no context of %s %s", of->is_es ? "OpenGL ES 3" : "OpenGL",
		of->is_window ? "for a window" : "without a window");
	return -1;
}

void cli_gl_context_end(struct cli_gl_context *c)
{
	if (!c->context)
		return;
	c->egl.MakeCurrent(c->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
	c->egl.DestroyContext(c->display, c->context);
	c->egl.Terminate(c->display);
}
