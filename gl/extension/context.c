// SPDX-License-Identifier: MIT
/* Contexts: which is current, what its driver is, its errors; and the functions that tell of it. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gl/extension/context.h"
#include "gl/extension/glperf.h"
#include "gl/extension/groups.h"

/*
 * Contexts that are not forgotten. GL has no object that they could be found by but their handles.
 */
static struct glp_context *contexts;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static __thread struct glp_context *current;

struct glp_context *glp_context_current(void)
{
	return current;
}

static void context_free(struct glp_context *c)
{
	for (size_t i = 0; i < c->n_monitors; i++)
		glp_monitor_free(c->monitors[i]);
	free(c->monitors);
	glp_groups_free(c->groups);
	glp_pipeline_fini(&c->pipeline);
	free(c->extensions);
	free(c);
}

void glp_context_forget(const void *handle)
{
	struct glp_context **p = &contexts, *c;

	if (!handle)
		return;
	pthread_mutex_lock(&lock);
	while (*p && (*p)->handle != handle)
		p = &(*p)->next;
	c = *p;
	if (c) {
		*p = c->next;
		c->is_dead = true;
		/* It lives on until no thread has it. */
		c = c->is_current ? NULL : c;
	}
	pthread_mutex_unlock(&lock);
	if (c)
		context_free(c);
}

/* A thread may end with a context: then no thread has it any more. */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;

static void release_of_thread(void *context)
{
	(void)context;
	glp_context_make_current(NULL, NULL);
}

static void make_key(void)
{
	(void)pthread_key_create(&key, release_of_thread);
}

/* With the lock: that of the handle, which is made if it is new. NULL: no memory. */
static struct glp_context *get_context(const struct glp_driver *driver, const void *handle)
{
	static uint64_t serials;
	struct glp_context *c;

	for (c = contexts; c; c = c->next)
		if (c->handle == handle)
			return c;
	c = calloc(1, sizeof(*c));
	if (!c)
		return NULL;
	c->handle = handle;
	c->serial = ++serials;
	c->driver = driver;
	c->pid = getpid();
	c->next = contexts;
	contexts = c;
	return c;
}

void glp_context_make_current(const struct glp_driver *driver, const void *handle)
{
	struct glp_context *old = current;

	pthread_mutex_lock(&lock);
	if (old && !old->is_dead && old->handle == handle) {
		pthread_mutex_unlock(&lock);
		return;
	}
	if (old) {
		old->is_current = false;
		if (!old->is_dead)
			old = NULL;
	}
	current = handle ? get_context(driver, handle) : NULL;
	if (current)
		current->is_current = true;
	pthread_mutex_unlock(&lock);
	if (old)
		context_free(old);
	if (current) {
		pthread_once(&once, make_key);
		(void)pthread_setspecific(key, current);
	}
}

/*
 * "4.5 (Core Profile) Mesa", "OpenGL ES 3.2 Mesa", "OpenGL ES-CM 1.1". False between glBegin() and
 * glEnd(), where nothing can be asked for.
 */
static bool learn_version(struct glp_context *c)
{
	const char *text = (const char *)c->driver->GetString(GL_VERSION);
	unsigned long major, minor;
	char *end;

	if (!text)
		return false;
	c->is_es = strncmp(text, "OpenGL ES", 9) == 0;
	text += strcspn(text, "0123456789");
	major = strtoul(text, &end, 10);
	minor = *end == '.' ? strtoul(end + 1, NULL, 10) : 0;
	c->version = (unsigned int)(100 * major + minor);
	return true;
}

static bool has_word(const char *words, const char *word)
{
	size_t length = strlen(word);

	while (words && *words) {
		size_t n = strcspn(words, " ");

		if (n == length && memcmp(words, word, n) == 0)
			return true;
		words += n + strspn(words + n, " ");
	}
	return false;
}

bool glp_context_has(struct glp_context *c, const char *extension)
{
	const struct glp_driver *d = c->driver;

	if (c->n_extensions == 0 || !d->GetStringi)
		return has_word((const char *)d->GetString(GL_EXTENSIONS), extension);
	for (GLint i = 0; i < c->n_extensions; i++) {
		const char *name = (const char *)d->GetStringi(GL_EXTENSIONS, (GLuint)i);

		if (name && strcmp(name, extension) == 0)
			return true;
	}
	return false;
}

static bool has_core_profile(struct glp_context *c)
{
	GLint mask = 0;

	if (c->is_es || c->version < 301)
		return false;
	if (c->version == 301)
		return !glp_context_has(c, "GL_ARB_compatibility");
	c->driver->GetIntegerv(GL_CONTEXT_PROFILE_MASK, &mask);
	return mask & GL_CONTEXT_CORE_PROFILE_BIT;
}

void glp_context_learn(struct glp_context *c)
{
	const struct glp_driver *d = c->driver;
	const char *words;

	if (c->is_learned)
		return;
	glp_context_hush(c);
	if (!learn_version(c))
		return;
	c->is_learned = true;
	if (c->version >= 300 && d->GetStringi)
		d->GetIntegerv(GL_NUM_EXTENSIONS, &c->n_extensions);
	c->is_core = has_core_profile(c);
	c->driver_has = glp_context_has(c, GLP_EXTENSION);
	/* Asking a core profile would be an error, which a program that debugs is told of. */
	words = c->driver_has || c->is_core ? NULL : (const char *)d->GetString(GL_EXTENSIONS);
	if (words && asprintf(&c->extensions, "%s%s" GLP_EXTENSION, words,
			      *words && words[strlen(words) - 1] != ' ' ? " " : "") < 0)
		c->extensions = NULL;
	(void)glp_context_heard(c);
}

void glp_context_raise(struct glp_context *c, GLenum error)
{
	if (!c->error)
		c->error = error;
}

/* The driver's next error. One whose context is lost may never come to an end. */
#define FEW_ERRORS 8

void glp_context_hush(struct glp_context *c)
{
	for (unsigned int i = 0; i < FEW_ERRORS; i++) {
		GLenum e = c->driver->GetError();
		unsigned int k;

		if (!e)
			return;
		for (k = 0; k < c->n_kept && c->kept[k] != e; k++)
			;
		if (k == c->n_kept && k < sizeof(c->kept) / sizeof(c->kept[0]))
			c->kept[c->n_kept++] = e;
	}
}

GLenum glp_context_heard(struct glp_context *c)
{
	GLenum first = 0;

	for (unsigned int i = 0; i < FEW_ERRORS; i++) {
		GLenum e = c->driver->GetError();

		if (!e)
			break;
		if (!first)
			first = e;
	}
	return first;
}

GLenum glGetError(void)
{
	struct glp_context *c = current;
	GLenum e;

	if (!c)
		return glp_context_driver(c)->GetError();
	if (c->n_kept) {
		e = c->kept[0];
		memmove(c->kept, c->kept + 1, --c->n_kept * sizeof(c->kept[0]));
		return e;
	}
	e = c->driver->GetError();
	if (!e) {
		e = c->error;
		c->error = 0;
	}
	return e;
}

const GLubyte *glGetString(GLenum name)
{
	struct glp_context *c = current;
	/* First the driver: it knows where this is an error, and raises it. */
	const GLubyte *text = glp_context_driver(c)->GetString(name);

	if (!c || !text || name != GL_EXTENSIONS)
		return text;
	glp_context_learn(c);
	return c->extensions ? (const GLubyte *)c->extensions : text;
}

/* Is there one number more than the driver's, and is it asked for? */
static bool counts_one_more(struct glp_context *c, GLenum name)
{
	if (name != GL_NUM_EXTENSIONS)
		return false;
	glp_context_learn(c);
	return c->n_extensions && !c->driver_has;
}

const GLubyte *glGetStringi(GLenum name, GLuint index)
{
	struct glp_context *c = current;

	if (!c)
		return glp_context_driver(c)->GetStringi(name, index);
	if (name == GL_EXTENSIONS && counts_one_more(c, GL_NUM_EXTENSIONS) &&
	    index == (GLuint)c->n_extensions)
		/* The driver has an error for what it could not answer either. */
		return c->driver->GetStringi(name, 0) ? (const GLubyte *)GLP_EXTENSION : NULL;
	return c->driver->GetStringi(name, index);
}

/*
 * The same of each type. An error of the driver leaves what was there: then it is not the driver's
 * number.
 *
 * NOLINTBEGIN(bugprone-macro-parentheses) a type cannot have them
 */
#define GET(name, type)                                                                            \
	void gl##name(GLenum pname, type *data)                                                    \
	{                                                                                          \
		struct glp_context *c = current;                                                   \
                                                                                                   \
		glp_context_driver(c)->name(pname, data);                                          \
		if (c && counts_one_more(c, pname) && data && *data == (type)c->n_extensions)      \
			*data = (type)(c->n_extensions + 1);                                       \
	}
/* NOLINTEND(bugprone-macro-parentheses) */
GET(GetDoublev, GLdouble)
GET(GetFloatv, GLfloat)
GET(GetInteger64v, GLint64)
GET(GetIntegerv, GLint)

void glGetBooleanv(GLenum pname, GLboolean *data)
{
	struct glp_context *c = current;

	glp_context_driver(c)->GetBooleanv(pname, data);
	if (c && counts_one_more(c, pname) && data)
		*data = GL_TRUE;
}
