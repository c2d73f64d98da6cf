// SPDX-License-Identifier: MIT
/*
 * libGL_ntime_preload.so.0: for systems without glvnd. LD_PRELOAD puts it in front of libGL and
 * libEGL, whatever they are.
 *
 * A program gets at functions of GL by being linked with them, by eglGetProcAddress() and
 * glXGetProcAddress(), and by dlsym() on a library that it opened: all of these are ours here. The
 * driver is what the program would have without us, found as late as possible, when it calls one of
 * ours: nothing is opened for a program that uses no GL.
 */
/* First: they ask for the prototypes of GL. */
#include "gl/extension/egl_context.h"
#include "gl/extension/glx_context.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

typedef void *dlsym_function(void *handle, const char *name);

/* Libraries that the program opened for itself and found EGL and GLX in; NULL: none. */
static _Atomic(void *) egl_library, glx_library;

/*
 * A symbol has the version that glibc had when it came to the machine: x86-64, then libdl became
 * part of libc, arm64 and others, RISC-V, i386, arm.
 */
static dlsym_function *real_dlsym(void)
{
	static const char *const versions[] = { "GLIBC_2.2.5", "GLIBC_2.34", "GLIBC_2.17",
						"GLIBC_2.27",  "GLIBC_2.0",  "GLIBC_2.4" };
	static _Atomic(void *) found;
	void *real = found;

	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]) && !real; i++)
		real = dlvsym(RTLD_NEXT, "dlsym", versions[i]);
	found = real;
	return (dlsym_function *)real;
}

/*
 * What stands behind us in the search order: of libraries that the program is linked with. That
 * there is none is no error that the program should find in dlerror().
 */
static void *find_next(const char *name)
{
	void *found = real_dlsym()(RTLD_NEXT, name);

	if (!found)
		(void)dlerror();
	return found;
}

/*
 * In libraries that are there for others alone, such as a module that is linked with them and was
 * opened with RTLD_LOCAL. Opens none that is not there, and keeps those that are: we call them.
 */
static void *find_loaded(const char *name)
{
	static const char *const libraries[] = { "libEGL.so.1",	   "libGL.so.1",
						 "libGLX.so.0",	   "libOpenGL.so.0",
						 "libGLESv2.so.2", "libGLESv1_CM.so.1" };
	void *found = NULL;

	for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++) {
		void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);

		if (!library)
			continue;
		found = real_dlsym()(library, name);
		if (found)
			break;
		(void)dlerror();
		dlclose(library);
	}
	return found;
}

/* The driver's function, of a name that the libraries of EGL and GLX have as a symbol. */
static void *find_real(void *library, const char *name)
{
	void *found = find_next(name);

	if (!found && library) {
		found = real_dlsym()(library, name);
		(void)dlerror();
	}
	return found ? found : find_loaded(name);
}

/* What @function of @library, EGL's or GLX's, knows of a name. */
static void *get_proc(void *library, const char *function, const char *name)
{
	void *(*real)(const char *name) = (void *(*)(const char *))find_real(library, function);

	return real ? real(name) : NULL;
}

/* Of a name that may have no symbol. Functions of EGL before 1.5 are symbols alone. */
static void *find_with_egl(const char *name)
{
	void *found = find_next(name);

	if (!found && strncmp(name, "egl", 3) == 0)
		found = find_real(egl_library, name);
	if (!found)
		found = get_proc(egl_library, "eglGetProcAddress", name);
	return found ? found : find_loaded(name);
}

static void *find_with_glx(const char *name)
{
	void *found = find_next(name);

	if (!found)
		found = get_proc(glx_library, "glXGetProcAddressARB", name);
	return found ? found : find_loaded(name);
}

/*
 * Filled when the first of our functions is called. Threads that come at the same time write the
 * same into it; a lock would be held while the driver's library has its own.
 */
struct glp_egl *glp_egl_of(EGLDisplay display)
{
	static struct glp_egl egl;
	static atomic_bool is_filled;

	(void)display;
	if (!is_filled)
		glp_egl_init(&egl, find_with_egl);
	is_filled = true;
	return &egl;
}

struct glp_glx *glp_glx_real(void)
{
	static struct glp_glx glx;
	static atomic_bool is_filled;

	if (!is_filled)
		glp_glx_init(&glx, find_with_glx);
	is_filled = true;
	return &glx;
}

/* Contexts of a third kind, such as OSMesa's, have functions of GL in the search order. */
void glp_driver_await(void)
{
	if (find_real(egl_library, "eglGetProcAddress"))
		glp_egl_of(EGL_NO_DISPLAY);
	else
		glp_glx_real();
}

EGLBoolean EGLAPIENTRY eglReleaseThread(void)
{
	return glp_egl_release_thread(glp_egl_of(EGL_NO_DISPLAY));
}

/* Ours of any name, which the program gets if @found is there. */
static void *replace(const char *name, void *found);

__eglMustCastToProperFunctionPointerType EGLAPIENTRY eglGetProcAddress(const char *name)
{
	return (__eglMustCastToProperFunctionPointerType)replace(
		name, get_proc(egl_library, "eglGetProcAddress", name));
}

__GLXextFuncPtr glXGetProcAddressARB(const GLubyte *wanted)
{
	const char *name = (const char *)wanted;

	return (__GLXextFuncPtr)replace(name, get_proc(glx_library, "glXGetProcAddressARB", name));
}

__GLXextFuncPtr glXGetProcAddress(const GLubyte *name)
{
	return glXGetProcAddressARB(name);
}

static void *find_hook(const char *name)
{
	if (strncmp(name, "glXGetProcAddress", 17) == 0)
		return strcmp(name + 17, "ARB") == 0 || !name[17] ? (void *)glXGetProcAddressARB
								  : NULL;
	if (strncmp(name, "glX", 3) == 0)
		return glp_glx_find(name);
	if (strncmp(name, "gl", 2) == 0)
		return glp_hook_find(name);
	if (strcmp(name, "eglGetProcAddress") == 0)
		return (void *)eglGetProcAddress;
	if (strcmp(name, "eglReleaseThread") == 0)
		return (void *)eglReleaseThread;
	return strncmp(name, "egl", 3) == 0 ? glp_egl_find(name) : NULL;
}

static void *replace(const char *name, void *found)
{
	void *hook = found || glp_hook_is_own(name) ? find_hook(name) : NULL;

	return hook ? hook : found;
}

static bool are_of_one_library(const void *a, const void *b)
{
	Dl_info of_a, of_b;

	return dladdr(a, &of_a) && dladdr(b, &of_b) && of_a.dli_fbase == of_b.dli_fbase;
}

/*
 * Who has a function of this name that we call, a tracer behind us or the driver, looks for what it
 * calls itself. And EGL is found in one library: an implementation of EGL upon another one, such as
 * ANGLE, gets the other one's functions as they are.
 */
static bool is_below_us(const char *name, const void *found, const void *caller)
{
	const bool is_egl = strncmp(name, "egl", 3) == 0;
	const void *next = is_egl ? find_real(egl_library, name) : find_next(name);

	return next && (are_of_one_library(caller, next) || (is_egl && found != next));
}

static void *find_in_library(void *library, const char *name, void *hook, const void *caller)
{
	void *found = real_dlsym()(library, name);
	void *none = NULL;

	if (!found)
		return NULL;
	/* The search began with us: is there another one? */
	if (found == hook || are_of_one_library(found, (void *)find_hook))
		return find_next(name) || find_loaded(name) ? hook : real_dlsym()(RTLD_NEXT, name);
	if (library == RTLD_DEFAULT)
		return found;
	if (strncmp(name, "egl", 3) == 0)
		atomic_compare_exchange_strong(&egl_library, &none, library);
	if (strncmp(name, "glX", 3) == 0)
		atomic_compare_exchange_strong(&glx_library, &none, library);
	return is_below_us(name, found, caller) ? found : hook;
}

/*
 * The real one looks at who calls it where RTLD_NEXT and RTLD_DEFAULT begin: it is jumped to
 * (meson.build has this compiled with optimization), so that it sees our caller. What stands behind
 * somebody else is none of ours.
 */
__attribute__((visibility("default"))) void *dlsym(void *library, const char *name)
{
	dlsym_function *real = real_dlsym();
	void *hook = library != RTLD_NEXT ? find_hook(name) : NULL;

	if (hook)
		return find_in_library(library, name, hook, __builtin_return_address(0));
	return real(library, name);
}

/* Other names of ours that libGL has as symbols. */
#define SAME(name, parameters, ...)                                                                \
	void gl##name##ARB parameters                                                              \
	{                                                                                          \
		gl##name(__VA_ARGS__);                                                             \
	}
SAME(BeginQuery, (GLenum target, GLuint id), target, id)
SAME(EndQuery, (GLenum target), target)
SAME(DeleteQueries, (GLsizei n, const GLuint *ids), n, ids)
SAME(GetQueryiv, (GLenum target, GLenum name, GLint *data), target, name, data)
