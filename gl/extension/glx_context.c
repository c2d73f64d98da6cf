// SPDX-License-Identifier: MIT
/* Contexts of GLX: made, destroyed, made current. */
#include "gl/extension/glx_context.h"

#define CREATE(name, parameters, ...)                                                              \
	GLXContext glX##name parameters                                                            \
	{                                                                                          \
		GLXContext context = glp_glx_real()->name(__VA_ARGS__);                            \
                                                                                                   \
		glp_context_forget(context);                                                       \
		return context;                                                                    \
	}
CREATE(CreateContext, (Display * display, XVisualInfo *visual, GLXContext share, Bool is_direct),
       display, visual, share, is_direct)
CREATE(CreateContextAttribsARB,
       (Display * display, GLXFBConfig config, GLXContext share, Bool is_direct,
	const int *attributes),
       display, config, share, is_direct, attributes)
CREATE(CreateContextWithConfigSGIX,
       (Display * display, GLXFBConfigSGIX config, int type, GLXContext share, Bool is_direct),
       display, config, type, share, is_direct)
CREATE(CreateNewContext,
       (Display * display, GLXFBConfig config, int type, GLXContext share, Bool is_direct), display,
       config, type, share, is_direct)
CREATE(ImportContextEXT, (Display * display, GLXContextID id), display, id)

/* Before it is destroyed: its handle may be another context's at once. */
#define DESTROY(name)                                                                              \
	void glX##name(Display *display, GLXContext context)                                       \
	{                                                                                          \
		glp_context_forget(context);                                                       \
		glp_glx_real()->name(display, context);                                            \
	}
DESTROY(DestroyContext)
DESTROY(FreeContextEXT)

static Bool made_current(struct glp_frames *before, Bool is, GLXDrawable drawable,
			 GLXContext context)
{
	if (is)
		glp_context_make_current(&glp_glx_real()->driver, context);
	/* NOLINTNEXTLINE(performance-no-int-to-ptr) a number of X, by which it is found */
	glp_frames_enter(before, is, (const void *)drawable, context, false);
	return is;
}

#define MAKE_CURRENT(name, parameters, drawable, ...)                                              \
	Bool glX##name parameters                                                                  \
	{                                                                                          \
		struct glp_frames *before = glp_frames_leave(context);                             \
                                                                                                   \
		return made_current(before, glp_glx_real()->name(__VA_ARGS__), drawable, context); \
	}
MAKE_CURRENT(MakeCurrent, (Display * display, GLXDrawable draw, GLXContext context), draw, display,
	     draw, context)
MAKE_CURRENT(MakeContextCurrent,
	     (Display * display, GLXDrawable draw, GLXDrawable read, GLXContext context), draw,
	     display, draw, read, context)
MAKE_CURRENT(MakeCurrentReadSGI,
	     (Display * display, GLXDrawable draw, GLXDrawable read, GLXContext context), draw,
	     display, draw, read, context)

void glXSwapBuffers(Display *display, GLXDrawable drawable)
{
	/* NOLINTNEXTLINE(performance-no-int-to-ptr) a number of X, by which it is found */
	struct glp_frames *f = glp_frames_ending((const void *)drawable);

	glp_glx_real()->SwapBuffers(display, drawable);
	glp_frames_ended(f, true);
}

int64_t glXSwapBuffersMscOML(Display *display, GLXDrawable drawable, int64_t target,
			     int64_t divisor, int64_t remainder)
{
	/* NOLINTNEXTLINE(performance-no-int-to-ptr) a number of X, by which it is found */
	struct glp_frames *f = glp_frames_ending((const void *)drawable);
	int64_t ret =
		glp_glx_real()->SwapBuffersMscOML(display, drawable, target, divisor, remainder);

	glp_frames_ended(f, ret >= 0);
	return ret;
}

void glp_glx_init(struct glp_glx *glx, void *(*get_proc)(const char *name))
{
#define FILL(name) *(void **)&glx->name = get_proc("glX" #name);
	GLP_GLX_FUNCTIONS(FILL)
#undef FILL
	glp_driver_init(&glx->driver, get_proc);
}

void *glp_glx_find(const char *name)
{
	static const struct glp_hook hooks[] = {
#define HOOK(function) { "glX" #function, (void *)glX##function },
		GLP_GLX_FUNCTIONS(HOOK)
#undef HOOK
	};

	return glp_hook_among(hooks, sizeof(hooks) / sizeof(hooks[0]), name);
}
