// SPDX-License-Identifier: MIT
/* Contexts of GLX: made, destroyed, made current. */
#include "gl/extension/glx_context.h"

static GLXContext made(GLXContext context)
{
	glp_context_forget(context);
	return context;
}

GLXContext glXCreateContext(Display *display, XVisualInfo *visual, GLXContext share, Bool is_direct)
{
	return made(glp_glx_real()->CreateContext(display, visual, share, is_direct));
}

GLXContext glXCreateContextAttribsARB(Display *display, GLXFBConfig config, GLXContext share,
				      Bool is_direct, const int *attributes)
{
	return made(glp_glx_real()->CreateContextAttribsARB(display, config, share, is_direct,
							    attributes));
}

GLXContext glXCreateContextWithConfigSGIX(Display *display, GLXFBConfigSGIX config, int type,
					  GLXContext share, Bool is_direct)
{
	return made(glp_glx_real()->CreateContextWithConfigSGIX(display, config, type, share,
								is_direct));
}

GLXContext glXCreateNewContext(Display *display, GLXFBConfig config, int type, GLXContext share,
			       Bool is_direct)
{
	return made(glp_glx_real()->CreateNewContext(display, config, type, share, is_direct));
}

GLXContext glXImportContextEXT(Display *display, GLXContextID id)
{
	return made(glp_glx_real()->ImportContextEXT(display, id));
}

/* Before it is destroyed: its handle may be another context's at once. */
void glXDestroyContext(Display *display, GLXContext context)
{
	glp_context_forget(context);
	glp_glx_real()->DestroyContext(display, context);
}

void glXFreeContextEXT(Display *display, GLXContext context)
{
	glp_context_forget(context);
	glp_glx_real()->FreeContextEXT(display, context);
}

static Bool made_current(struct glp_frames *before, Bool is, GLXDrawable drawable,
			 GLXContext context)
{
	if (is)
		glp_context_make_current(&glp_glx_real()->driver, context);
	/* NOLINTNEXTLINE(performance-no-int-to-ptr) a number of X, by which it is found */
	glp_frames_enter(before, is, (const void *)drawable, context, false);
	return is;
}

Bool glXMakeCurrent(Display *display, GLXDrawable drawable, GLXContext context)
{
	struct glp_frames *before = glp_frames_leave(context);

	return made_current(before, glp_glx_real()->MakeCurrent(display, drawable, context),
			    drawable, context);
}

Bool glXMakeContextCurrent(Display *display, GLXDrawable draw, GLXDrawable read, GLXContext context)
{
	struct glp_frames *before = glp_frames_leave(context);

	return made_current(before,
			    glp_glx_real()->MakeContextCurrent(display, draw, read, context), draw,
			    context);
}

Bool glXMakeCurrentReadSGI(Display *display, GLXDrawable draw, GLXDrawable read, GLXContext context)
{
	struct glp_frames *before = glp_frames_leave(context);

	return made_current(before,
			    glp_glx_real()->MakeCurrentReadSGI(display, draw, read, context), draw,
			    context);
}

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
