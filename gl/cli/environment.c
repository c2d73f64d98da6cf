// SPDX-License-Identifier: MIT
/* What a program has to find in its environment to be given the counters. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/command/program.h"
#include "gl/cli/gl.h"
#include "base/output/json.h"
#include "base/output/memory.h"
#include "base/output/say.h"

/* Where "make install" puts our libraries; meson says. */
#ifndef NTIME_GL_INSTALLED
#define NTIME_GL_INSTALLED "/usr/lib/ntime/gl"
#endif

/* glvnd's: what it loads for EGL, each file names a library; and where it looks for them. */
#define GLX_NAME "__GLX_VENDOR_LIBRARY_NAME"
#define LOADER_PATH "LD_LIBRARY_PATH"
#define EGL_FILES "__EGL_VENDOR_LIBRARY_FILENAMES"
#define EGL_FOLDERS "__EGL_VENDOR_LIBRARY_DIRS"
#define EGL_USUAL_FOLDERS "/etc/glvnd/egl_vendor.d:/usr/share/glvnd/egl_vendor.d"
/* Ours: gl/extension reads them. */
#define OUR_EVENTS "NTIME_GL_EVENTS"
#define OUR_GLX "NTIME_GL_GLX_VENDORS"

/* The loader's, and ours that it loads: for systems without glvnd. */
#define PRELOAD "LD_PRELOAD"
#define PRELOAD_LIBRARY "libGL_ntime_preload.so.0"

#define MOST_VENDORS 4

/**
 * struct vendors - libraries of EGL that glvnd would load, in its order
 * @has_own:	ours is among them, which is no driver
 */
struct vendors {
	char *library[MOST_VENDORS];
	size_t n;
	bool has_own;
};

/* "libEGL_mesa.so.0", also behind a folder, is mesa's. */
static bool is_of_vendor(const char *library, const char *vendor)
{
	const char *name = strrchr(library, '/');
	size_t length;

	if (!vendor)
		return true;
	name = name ? name + 1 : library;
	length = strlen(vendor);
	return strncmp(name, "libEGL_", 7) == 0 && strncmp(name + 7, vendor, length) == 0 &&
	       (name[7 + length] == '.' || name[7 + length] == '\0');
}

static void add_library(struct vendors *v, const char *library, const char *vendor)
{
	if (is_of_vendor(library, "ntime"))
		v->has_own = true;
	else if (v->n < MOST_VENDORS && is_of_vendor(library, vendor))
		v->library[v->n++] = cli_strdup(library);
}

/* A file that glvnd could not read either is passed over. */
static void add_file(struct vendors *v, const char *path, const char *vendor)
{
	FILE *f = cli_fopen_file(path);
	json_t *root = f ? json_loadf(f, 0, NULL) : NULL;
	const char *library =
		json_string_value(json_object_get(json_object_get(root, "ICD"), "library_path"));

	if (library)
		add_library(v, library, vendor);
	json_delete(root);
	if (f)
		fclose(f);
}

static int is_json_file(const struct dirent *entry)
{
	size_t n = strlen(entry->d_name);

	return n > 5 && strcmp(entry->d_name + n - 5, ".json") == 0;
}

static void add_folder(struct vendors *v, const char *folder, const char *vendor)
{
	struct dirent **entries;
	char path[PATH_MAX];
	int n = scandir(folder, &entries, is_json_file, alphasort);

	for (int i = 0; i < n; i++) {
		if (snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name) <
		    (int)sizeof(path))
			add_file(v, path, vendor);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
}

static void for_each_part(const char *list, struct vendors *v, const char *vendor,
			  void (*add)(struct vendors *v, const char *part, const char *vendor))
{
	char *copy = cli_strdup(list), *rest = copy, *part;

	while ((part = strsep(&rest, ":")))
		if (*part)
			add(v, part, vendor);
	free(copy);
}

static const char *environment(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

static void set(const char *name, const char *value)
{
	if (setenv(name, value, 1))
		cli_memory_end();
}

static void set_text(const char *name, char *text)
{
	set(name, text);
	free(text);
}

static const char *egl_folders(void)
{
	const char *folders = environment(EGL_FOLDERS);

	return folders ? folders : EGL_USUAL_FOLDERS;
}

/* Our file once for each real vendor, whose names our library finds in the same order. */
static int prepare_egl(const struct cli_gl *gl, const char *folder)
{
	const char *files = environment(EGL_FILES), *libraries = environment(CLI_GL_VENDORS);
	struct vendors v = { .n = 0 };
	struct cli_text names, paths;

	/* "ntime gl -- ntime gl -- PROGRAM": it stands there already. */
	if (libraries && files && !gl->vendor)
		return 0;
	if (files && !libraries)
		for_each_part(files, &v, gl->vendor, add_file);
	else if (libraries && !gl->vendor)
		for_each_part(libraries, &v, NULL, add_library);
	if (v.n == 0 && (v.has_own || libraries || !files))
		for_each_part(egl_folders(), &v, gl->vendor, add_folder);
	if (v.n == 0)
		return -ENOENT;
	cli_text_begin(&names);
	cli_text_begin(&paths);
	for (size_t i = 0; i < v.n; i++) {
		fprintf(names.f, "%s%s", i ? ":" : "", v.library[i]);
		fprintf(paths.f, "%s%s/egl.json", i ? ":" : "", folder);
		free(v.library[i]);
	}
	set_text(CLI_GL_VENDORS, cli_text_end(&names));
	set_text(EGL_FILES, cli_text_end(&paths));
	return 0;
}

/* glvnd loads libGLX_ntime.so.0 by its name, from a folder that has nothing else for the loader. */
static void prepare_glx(const struct cli_gl *gl, const char *folder)
{
	const char *name = gl->vendor ? gl->vendor : environment(GLX_NAME);
	const char *others = environment(LOADER_PATH);

	if (!gl->vendor && name && strcmp(name, "ntime") == 0)
		return;
	if (name)
		set_text(OUR_GLX, cli_format("libGLX_%s.so.0", name));
	set(GLX_NAME, "ntime");
	set_text(LOADER_PATH,
		 cli_format("%s%s%s", folder, others ? ":" : "", others ? others : ""));
}

static bool is_preloaded(void)
{
	const char *libraries = environment(PRELOAD);

	return libraries && strstr(libraries, PRELOAD_LIBRARY);
}

/* In front of what is there, so that it is above tracers too. */
static int prepare_preload(const char *folder)
{
	const char *others = environment(PRELOAD);

	/* Two of our libraries in one program would count twice. */
	if (is_preloaded() || environment(CLI_GL_VENDORS))
		return 0;
	if (strpbrk(folder, " :")) {
		cli_say("the loader takes no library from %s: it ends names in LD_PRELOAD at "
			"spaces and colons; install ntime in another folder",
			folder);
		return -EINVAL;
	}
	set_text(PRELOAD, cli_format("%s/" PRELOAD_LIBRARY "%s%s", folder, others ? ":" : "",
				     others ? others : ""));
	return 0;
}

int cli_gl_prepare(const struct cli_gl *gl)
{
	static const struct cli_program libraries = {
		.variable = "NTIME_GL_FOLDER",
		.file = "gl-folder",
		.installed = NTIME_GL_INSTALLED,
		.package = "ntime-gl",
	};
	char folder[PATH_MAX], path[PATH_MAX + 20];
	int ret = cli_program_find(&libraries, folder);

	if (ret < 0)
		return ret;
	/* The program may work in another folder, and start ntime gl there. */
	if (environment(libraries.variable))
		set(libraries.variable, folder);
	snprintf(path, sizeof(path), "%s/egl.json", folder);
	if (access(path, R_OK)) {
		cli_say("cannot read %s: %s; it belongs to the libraries of ntime gl (the "
			"environment variable %s may name another folder)",
			path, strerror(errno), libraries.variable);
		return -ENOENT;
	}
	if (cli_json_check() < 0)
		return -ENOENT;
	if (gl->events)
		set(OUR_EVENTS, gl->events);
	if (gl->is_preload)
		return prepare_preload(folder);
	if (is_preloaded())
		return 0;
	prepare_glx(gl, folder);
	ret = prepare_egl(gl, folder);
	if (ret < 0)
		cli_say("no OpenGL driver%s%s for EGL is installed: %s (%s) name none; install "
			"libegl-mesa0 and libgl1-mesa-dri, or the driver of the card; on a system "
			"without glvnd use --preload",
			gl->vendor ? " called " : "", gl->vendor ? gl->vendor : "",
			environment(EGL_FILES) ? "the files of " EGL_FILES : "glvnd's folders",
			environment(EGL_FILES) ? getenv(EGL_FILES) : egl_folders());
	return ret;
}
