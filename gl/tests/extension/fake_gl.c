// SPDX-License-Identifier: MIT
/* The driver that is made up. Each thread has one context of its own. */
#include <stdlib.h>
#include <string.h>

#include "gl/tests/extension/fake_gl.h"

#define MOST 4096
#define MOST_MONITORS 8

static struct query {
	bool exists, is_running, is_ready;
	GLenum target;
	GLuint64 count;
} query_of_none;

__thread struct fake_gl fake;
static __thread struct query *queries;
static __thread GLuint64 work;
static __thread GLenum error;
static __thread unsigned int finishes;
static __thread struct monitor {
	bool exists, is_chosen, is_running, has_result;
	GLuint64 count;
} monitors[MOST_MONITORS];

void fake_gl_reset(const struct fake_gl *as)
{
	free(queries);
	queries = calloc(MOST, sizeof(*queries));
	fake = *as;
	work = 1000;
	error = 0;
	finishes = 0;
	memset(monitors, 0, sizeof(monitors));
}

void fake_gl_fini(void)
{
	free(queries);
	queries = NULL;
}

void fake_gl_raise(GLenum e)
{
	if (!error)
		error = e;
}

void fake_gl_draw(unsigned int n)
{
	work += n;
	for (GLuint i = 0; i < MOST; i++)
		if (queries[i].is_running)
			queries[i].count += n;
	for (GLuint i = 0; i < MOST_MONITORS; i++)
		if (monitors[i].is_running)
			monitors[i].count += n;
}

void fake_gl_finish_all(void)
{
	for (GLuint i = 0; i < MOST; i++)
		queries[i].is_ready = true;
}

unsigned int fake_gl_objects(void)
{
	unsigned int n = 0;

	for (GLuint i = 0; i < MOST; i++)
		n += queries[i].exists;
	return n;
}

unsigned int fake_gl_finishes(void)
{
	return finishes;
}

static bool is_lost(void)
{
	if (fake.is_lost)
		fake_gl_raise(GL_CONTEXT_LOST);
	return fake.is_lost;
}

static bool is_begun(void)
{
	if (fake.is_begun)
		fake_gl_raise(GL_INVALID_OPERATION);
	return fake.is_begun;
}

static GLenum get_error(void)
{
	GLenum e = error;

	if (is_begun())
		return 0;
	error = 0;
	return e;
}

/* The @n-th word of the extensions, or their number. */
static const char *word(unsigned int n, unsigned int *number)
{
	static __thread char buffer[100];
	const char *p = fake.extensions;

	for (*number = 0; *p; (*number)++) {
		size_t length = strcspn(p, " ");

		if (*number == n) {
			memcpy(buffer, p, length);
			buffer[length] = '\0';
			return buffer;
		}
		p += length;
		p += strspn(p, " ");
	}
	return NULL;
}

static const GLubyte *get_string(GLenum name)
{
	if (is_begun())
		return NULL;
	if (name == GL_VERSION)
		return (const GLubyte *)fake.version;
	if (name == GL_EXTENSIONS && !fake.is_core)
		return (const GLubyte *)fake.extensions;
	fake_gl_raise(GL_INVALID_ENUM);
	return NULL;
}

static const GLubyte *get_stringi(GLenum name, GLuint index)
{
	unsigned int number;
	const char *text = name == GL_EXTENSIONS ? word(index, &number) : NULL;

	if (is_begun())
		return NULL;
	if (!text)
		fake_gl_raise(GL_INVALID_VALUE);
	return (const GLubyte *)text;
}

/* The number that any glGet of the types has; -1: an error. */
static long long get_number(GLenum pname)
{
	unsigned int number;

	switch (pname) {
	case GL_NUM_EXTENSIONS:
		if (*strpbrk(fake.version, "0123456789") < '3')
			break;
		(void)word(~0u, &number);
		return number;
	case GL_CONTEXT_PROFILE_MASK:
		return fake.is_core ? GL_CONTEXT_CORE_PROFILE_BIT
				    : GL_CONTEXT_COMPATIBILITY_PROFILE_BIT;
	case GL_LIST_INDEX:
		return fake.list;
	case GL_QUERY_BUFFER_BINDING:
		return fake.query_buffer;
	default:
		return pname & 0xff;
	}
	fake_gl_raise(GL_INVALID_ENUM);
	return -1;
}

#define GET(name, type)                                                                            \
	static void name(GLenum pname, type *data)                                                 \
	{                                                                                          \
		long long number = get_number(pname);                                              \
                                                                                                   \
		if (number >= 0)                                                                   \
			*data = (type)(sizeof(type) == 1 ? number != 0 : number);                  \
	}
GET(get_booleanv, GLboolean)
GET(get_doublev, GLdouble)
GET(get_floatv, GLfloat)
GET(get_integer64v, GLint64)
GET(get_integerv, GLint)

static void bind_buffer(GLenum target, GLuint buffer)
{
	if (target == GL_QUERY_BUFFER)
		fake.query_buffer = buffer;
}

static void finish(void)
{
	finishes++;
}

static struct query *find(GLuint id)
{
	return id && id < MOST && queries[id].exists ? &queries[id] : NULL;
}

static bool has(GLenum target)
{
	for (const GLenum *t = fake.lacks; *t; t++)
		if (*t == target)
			return false;
	return true;
}

/* Of the three of samples one can run. */
static GLenum binding(GLenum target)
{
	return target == GL_ANY_SAMPLES_PASSED ? GL_SAMPLES_PASSED : target;
}

static GLuint running(GLenum target)
{
	for (GLuint i = 1; i < MOST; i++)
		if (queries[i].is_running && binding(queries[i].target) == binding(target))
			return i;
	return 0;
}

static void gen_queries(GLsizei n, GLuint *ids)
{
	GLuint i = 1;

	for (GLsizei k = 0; k < n; k++) {
		while (queries[i].exists)
			i++;
		queries[i] = (struct query){ .exists = true };
		ids[k] = i;
	}
}

static void delete_queries(GLsizei n, const GLuint *ids)
{
	for (GLsizei k = 0; k < n; k++)
		if (find(ids[k]))
			*find(ids[k]) = query_of_none;
}

static void begin_query(GLenum target, GLuint id)
{
	struct query *q = find(id);

	if (is_lost())
		return;
	if (!has(target)) {
		fake_gl_raise(GL_INVALID_ENUM);
		return;
	}
	if (!q || running(target) || fake.refuses == target || (q->target && q->target != target)) {
		fake_gl_raise(GL_INVALID_OPERATION);
		return;
	}
	*q = (struct query){ .exists = true, .is_running = true, .target = target };
}

static void end_query(GLenum target)
{
	GLuint id = running(target);

	if (is_lost())
		return;
	if (!id || queries[id].target != target) {
		fake_gl_raise(GL_INVALID_OPERATION);
		return;
	}
	queries[id].is_running = false;
	queries[id].is_ready = !fake.is_late;
}

static void begin_query_indexed(GLenum target, GLuint index, GLuint id)
{
	if (index == 0)
		begin_query(target, id);
}

static void end_query_indexed(GLenum target, GLuint index)
{
	if (index == 0)
		end_query(target);
}

static void query_counter(GLuint id, GLenum target)
{
	struct query *q = find(id);

	if (is_lost())
		return;
	if (q)
		*q = (struct query){
			.exists = true, .target = target, .count = work, .is_ready = !fake.is_late
		};
}

static void get_queryiv(GLenum target, GLenum pname, GLint *data)
{
	GLuint id = running(target);

	if (is_lost())
		return;
	if (!has(target))
		fake_gl_raise(GL_INVALID_ENUM);
	else if (pname == GL_CURRENT_QUERY)
		*data = id && queries[id].target == target ? (GLint)id : 0;
	else
		*data = 64;
}

static void get_query_indexediv(GLenum target, GLuint index, GLenum pname, GLint *data)
{
	if (index == 0)
		get_queryiv(target, pname, data);
	else
		*data = 0;
}

static void get_query_objectui64v(GLuint id, GLenum pname, GLuint64 *data)
{
	struct query *q = find(id);

	if (is_lost())
		return;
	/* With a buffer of the program's it would be a place in there. */
	if (!q || q->is_running || fake.query_buffer)
		fake_gl_raise(GL_INVALID_OPERATION);
	else
		*data = pname == GL_QUERY_RESULT_AVAILABLE   ? q->is_ready
			: q->target == GL_ANY_SAMPLES_PASSED ? q->count != 0
							     : q->count;
}

static void get_query_objectuiv(GLuint id, GLenum pname, GLuint *data)
{
	GLuint64 wide = *data;

	get_query_objectui64v(id, pname, &wide);
	*data = (GLuint)wide;
}

/* The driver's own extension: one group of one counter. */
static bool is_group(GLuint group)
{
	if (!fake.group || group != fake.group)
		fake_gl_raise(GL_INVALID_VALUE);
	return group == fake.group;
}

static void get_groups(GLint *n, GLsizei size, GLuint *groups)
{
	if (n)
		*n = 1;
	if (groups && size > 0)
		*groups = fake.group;
}

static void get_counters(GLuint group, GLint *n, GLint *most, GLsizei size, GLuint *counters)
{
	if (!is_group(group))
		return;
	if (n)
		*n = 1;
	if (most)
		*most = 1;
	if (counters && size > 0)
		*counters = 77;
}

static void get_name(const char *name, GLsizei size, GLsizei *length, GLchar *to)
{
	if (to && size > (GLsizei)strlen(name))
		strcpy(to, name);
	if (length)
		*length = (GLsizei)strlen(name);
}

static void get_group_string(GLuint group, GLsizei size, GLsizei *length, GLchar *to)
{
	if (is_group(group))
		get_name("silicon", size, length, to);
}

static void get_counter_string(GLuint group, GLuint counter, GLsizei size, GLsizei *length,
			       GLchar *to)
{
	if (is_group(group) && counter == 77)
		get_name("work", size, length, to);
}

static void get_counter_info(GLuint group, GLuint counter, GLenum pname, void *data)
{
	if (is_group(group) && counter == 77 && pname == GL_COUNTER_TYPE_AMD)
		*(GLenum *)data = GL_UNSIGNED_INT;
}

static void gen_monitors(GLsizei n, GLuint *names)
{
	GLuint i = 1;

	for (GLsizei k = 0; k < n; k++) {
		while (monitors[i].exists)
			i++;
		monitors[i].exists = true;
		names[k] = i;
	}
}

static void delete_monitors(GLsizei n, GLuint *names)
{
	for (GLsizei k = 0; k < n; k++)
		monitors[names[k]] = (struct monitor){ .exists = false };
}

static void select_counters(GLuint monitor, GLboolean enable, GLuint group, GLint n,
			    GLuint *counters)
{
	if (is_group(group) && n > 0 && counters[0] == 77)
		monitors[monitor].is_chosen = enable;
	monitors[monitor].has_result = false;
}

static void begin_monitor(GLuint monitor)
{
	if (monitors[monitor].is_running)
		fake_gl_raise(GL_INVALID_OPERATION);
	monitors[monitor].is_running = true;
	monitors[monitor].count = 0;
}

static void end_monitor(GLuint monitor)
{
	monitors[monitor].has_result = monitors[monitor].is_running;
	monitors[monitor].is_running = false;
}

static void get_counter_data(GLuint monitor, GLenum pname, GLsizei size, GLuint *data,
			     GLint *written)
{
	const struct monitor *m = &monitors[monitor];
	GLuint bytes = m->has_result && m->is_chosen ? 12 : 0;

	if (pname == GL_PERFMON_RESULT_AMD && bytes && size >= (GLsizei)bytes) {
		data[0] = fake.group;
		data[1] = 77;
		data[2] = (GLuint)m->count;
		if (written)
			*written = 12;
		return;
	}
	if (pname != GL_PERFMON_RESULT_AMD)
		*data = pname == GL_PERFMON_RESULT_SIZE_AMD ? bytes : m->has_result;
	if (written)
		*written = pname == GL_PERFMON_RESULT_AMD ? 0 : 4;
}

void *fake_gl_get_proc(const char *name)
{
	static const struct {
		const char *name;
		void *function;
	} rows[] = {
		{ "glBeginPerfMonitorAMD", (void *)begin_monitor },
		{ "glBeginQuery", (void *)begin_query },
		{ "glBeginQueryIndexed", (void *)begin_query_indexed },
		{ "glBindBuffer", (void *)bind_buffer },
		{ "glDeletePerfMonitorsAMD", (void *)delete_monitors },
		{ "glDeleteQueries", (void *)delete_queries },
		{ "glEndPerfMonitorAMD", (void *)end_monitor },
		{ "glEndQuery", (void *)end_query },
		{ "glEndQueryIndexed", (void *)end_query_indexed },
		{ "glFinish", (void *)finish },
		{ "glGenPerfMonitorsAMD", (void *)gen_monitors },
		{ "glGenQueries", (void *)gen_queries },
		{ "glGetBooleanv", (void *)get_booleanv },
		{ "glGetDoublev", (void *)get_doublev },
		{ "glGetError", (void *)get_error },
		{ "glGetFloatv", (void *)get_floatv },
		{ "glGetInteger64v", (void *)get_integer64v },
		{ "glGetIntegerv", (void *)get_integerv },
		{ "glGetPerfMonitorCounterDataAMD", (void *)get_counter_data },
		{ "glGetPerfMonitorCounterInfoAMD", (void *)get_counter_info },
		{ "glGetPerfMonitorCounterStringAMD", (void *)get_counter_string },
		{ "glGetPerfMonitorCountersAMD", (void *)get_counters },
		{ "glGetPerfMonitorGroupStringAMD", (void *)get_group_string },
		{ "glGetPerfMonitorGroupsAMD", (void *)get_groups },
		{ "glGetQueryIndexediv", (void *)get_query_indexediv },
		{ "glGetQueryObjectui64v", (void *)get_query_objectui64v },
		{ "glGetQueryObjectuiv", (void *)get_query_objectuiv },
		{ "glGetQueryiv", (void *)get_queryiv },
		{ "glGetString", (void *)get_string },
		{ "glGetStringi", (void *)get_stringi },
		{ "glQueryCounter", (void *)query_counter },
		{ "glSelectPerfMonitorCountersAMD", (void *)select_counters },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (strcmp(rows[i].name, name) == 0)
			return rows[i].function;
	return NULL;
}
