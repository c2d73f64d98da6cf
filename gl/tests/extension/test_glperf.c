// SPDX-License-Identifier: MIT
/*
 * GL_AMD_performance_monitor over a driver that is made up: form, errors, values, other people's
 * queries.
 */
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <ntime/ntime.h>

#include "gl/extension/glperf.h"
#include "gl/tests/extension/fake_gl.h"
#include "base/tests/tt.h"

#define EXTENSION "GL_AMD_performance_monitor"

static const struct fake_gl plain = { .version = "4.5 (Compatibility Profile) fake",
				      .extensions = "GL_ONE GL_TWO" };
static struct glp_driver driver;
static char handles[4];

static bool is_kernel_closed;

int __real_ntime_session_read(struct ntime_session *s, struct ntime_value *out, size_t n);
int __wrap_ntime_session_read(struct ntime_session *s, struct ntime_value *out, size_t n);

/* What an ordinary user gets with perf_event_paranoid 2. */
int __wrap_ntime_session_read(struct ntime_session *s, struct ntime_value *out, size_t n)
{
	int ret = __real_ntime_session_read(s, out, n);

	for (size_t i = 0; i < n && ret >= 0 && is_kernel_closed; i++)
		out[i].flags |= NTIME_USER_ONLY;
	return ret;
}

/* A new context of this thread. */
static void make_context(const struct fake_gl *as)
{
	fake_gl_reset(as);
	glp_driver_init(&driver, fake_gl_get_proc);
	glp_context_forget(&handles[0]);
	glp_context_make_current(&driver, &handles[0]);
}

static void end_context(void)
{
	glp_context_make_current(&driver, NULL);
	glp_context_forget(&handles[0]);
}

static GLuint find_group(const char *name)
{
	GLint n = 0;
	GLuint groups[8];

	glGetPerfMonitorGroupsAMD(&n, 8, groups);
	for (GLint i = 0; i < n; i++) {
		char text[50] = "";

		glGetPerfMonitorGroupStringAMD(groups[i], sizeof(text), NULL, text);
		if (strcmp(text, name) == 0)
			return groups[i];
	}
	fail_msg("no group %s", name);
	return 0;
}

/*
 * Where the kernel counts for a user what he does in user mode alone, the counter's name says so.
 */
static GLuint find_counter(GLuint group, const char *name)
{
	size_t length = strlen(name);
	GLint n = 0;

	glGetPerfMonitorCountersAMD(group, &n, NULL, 0, NULL);
	for (GLint i = 0; i < n; i++) {
		char text[100] = "";

		glGetPerfMonitorCounterStringAMD(group, (GLuint)i, sizeof(text), NULL, text);
		if (strncmp(text, name, length) == 0 &&
		    (!text[length] || strcmp(text + length, " (user mode)") == 0))
			return (GLuint)i;
	}
	fail_msg("no counter %s", name);
	return 0;
}

/* A monitor of counters of one group; NULL ends. */
static GLuint new_monitor(const char *group, const char *const *counters)
{
	GLuint monitor, id = find_group(group);

	glGenPerfMonitorsAMD(1, &monitor);
	for (; *counters; counters++) {
		GLuint counter = find_counter(id, *counters);

		glSelectPerfMonitorCountersAMD(monitor, GL_TRUE, id, 1, &counter);
	}
	TT_IS(glGetError(), 0);
	return monitor;
}

static GLuint ask(GLuint monitor, GLenum pname)
{
	GLuint word = 12345;
	GLint written = -1;

	glGetPerfMonitorCounterDataAMD(monitor, pname, sizeof(word), &word, &written);
	TT_IS(written, 4);
	return word;
}

/* The value of the first record, -1 where the result is not there, -2 where it has no record. */
static long long result(GLuint monitor)
{
	GLuint data[8] = { 0 };
	GLint written = 0;
	GLuint64 value;

	if (!ask(monitor, GL_PERFMON_RESULT_AVAILABLE_AMD))
		return -1;
	glGetPerfMonitorCounterDataAMD(monitor, GL_PERFMON_RESULT_AMD, sizeof(data), data,
				       &written);
	TT_IS(written, ask(monitor, GL_PERFMON_RESULT_SIZE_AMD));
	if (written < 16)
		return -2;
	memcpy(&value, &data[2], sizeof(value));
	return (long long)value;
}

#define MONITOR(group, ...) new_monitor(group, (const char *const[]){ __VA_ARGS__, NULL })

static const struct extension_row {
	int line;
	struct fake_gl is;
	const char *string; /* NULL: none */
	GLint number;	    /* -1: not to be asked */
} extension_rows[] = {
	{ __LINE__,
	  { .version = "4.5 fake", .extensions = "GL_ONE GL_TWO" },
	  "GL_ONE GL_TWO " EXTENSION,
	  3 },
	{ __LINE__,
	  { .version = "4.5 (Core Profile) fake", .extensions = "GL_ONE", .is_core = true },
	  NULL,
	  2 },
	{ __LINE__, { .version = "2.1 fake", .extensions = "GL_ONE " }, "GL_ONE " EXTENSION, -1 },
	{ __LINE__,
	  { .version = "OpenGL ES 3.2 fake", .extensions = "GL_ONE" },
	  "GL_ONE " EXTENSION,
	  2 },
	{ __LINE__, { .version = "OpenGL ES-CM 1.1 fake", .extensions = "" }, EXTENSION, -1 },
	/* one whose name begins alike is another one */
	{ __LINE__,
	  { .version = "4.5 fake", .extensions = EXTENSION "2" },
	  EXTENSION "2 " EXTENSION,
	  2 },
	/* the driver has it itself */
	{ __LINE__,
	  { .version = "4.5 fake", .extensions = "GL_ONE " EXTENSION, .group = 5 },
	  "GL_ONE " EXTENSION,
	  2 },
};

TEST(extension_is_named_once)
{
	TT_FOR_EACH_ROW(r, extension_rows) {
		GLint number = -1;
		GLint64 number64 = -1;
		GLfloat real = -1;
		GLdouble wide = -1;
		GLboolean is = GL_FALSE;
		const char *string;

		make_context(&r->is);
		string = (const char *)glGetString(GL_EXTENSIONS);
		if (r->string)
			TT_STR(r, string, r->string);
		else
			assert_null(string);
		if (r->number >= 0) {
			glGetIntegerv(GL_NUM_EXTENSIONS, &number);
			glGetInteger64v(GL_NUM_EXTENSIONS, &number64);
			glGetFloatv(GL_NUM_EXTENSIONS, &real);
			glGetDoublev(GL_NUM_EXTENSIONS, &wide);
			glGetBooleanv(GL_NUM_EXTENSIONS, &is);
			TT_STR(r, (const char *)glGetStringi(GL_EXTENSIONS, (GLuint)number - 1),
			       EXTENSION);
			TT_EQ(r, glGetError(), r->string ? 0 : GL_INVALID_ENUM);
			TT_EQ(r, (glGetStringi(GL_EXTENSIONS, (GLuint)number), glGetError()),
			      GL_INVALID_VALUE);
		} else {
			glGetIntegerv(GL_NUM_EXTENSIONS, &number);
			TT_EQ(r, glGetError(), GL_INVALID_ENUM);
		}
		TT_EQ(r, number, r->number);
		if (r->number >= 0) {
			TT_EQ(r, number64, number);
			TT_EQ(r, real, number);
			TT_EQ(r, wide, number);
			TT_EQ(r, is, GL_TRUE);
		}
		end_context();
	}
}

TEST(other_numbers_are_the_drivers)
{
	GLint integer = 0;

	make_context(&plain);
	glGetIntegerv(GL_MAX_TEXTURE_SIZE, &integer);
	TT_IS(integer, GL_MAX_TEXTURE_SIZE & 0xff);
	TT_TEXT((const char *)glGetString(GL_VERSION), plain.version);
	end_context();
}

/* One of is_begun: asked for before as well, or not. */
TEST(between_begin_and_end_strings_are_errors)
{
	for (int is_known = 0; is_known < 2; is_known++) {
		make_context(&plain);
		if (is_known)
			assert_non_null(glGetString(GL_EXTENSIONS));
		fake.is_begun = true;
		assert_null(glGetString(GL_EXTENSIONS));
		fake.is_begun = false;
		TT_IS(glGetError(), GL_INVALID_OPERATION);
		fake.is_begun = true;
		assert_null(glGetStringi(GL_EXTENSIONS, 1));
		fake.is_begun = false;
		TT_IS(glGetError(), GL_INVALID_OPERATION);
		TT_IS(glGetError(), 0);
		/* What could not be found out then is found out later. */
		assert_non_null(strstr((const char *)glGetString(GL_EXTENSIONS), EXTENSION));
		end_context();
	}
}

TEST(errors_of_the_driver_come_first)
{
	GLuint none = 99;

	make_context(&plain);
	fake_gl_raise(GL_INVALID_ENUM);
	glDeletePerfMonitorsAMD(1, &none);
	TT_IS(glGetError(), GL_INVALID_ENUM);
	TT_IS(glGetError(), GL_INVALID_VALUE);
	TT_IS(glGetError(), 0);
	/* listing tries queries that the driver lacks, and leaves what was pending */
	end_context();
	make_context(&(struct fake_gl){
		.version = "4.5 fake", .extensions = "", .lacks = { GL_VERTICES_SUBMITTED } });
	fake_gl_raise(GL_INVALID_FRAMEBUFFER_OPERATION);
	glGetPerfMonitorGroupsAMD(NULL, 0, NULL);
	TT_IS(glGetError(), GL_INVALID_FRAMEBUFFER_OPERATION);
	TT_IS(glGetError(), 0);
	end_context();
}

TEST(strings_fill_a_buffer_of_their_length)
{
	GLuint group;
	GLsizei length = -1;
	char text[16];

	make_context(&plain);
	group = find_group("pipeline");
	glGetPerfMonitorGroupStringAMD(group, 0, &length, NULL);
	TT_IS(length, 8);
	for (GLsizei size = 0; size < 12; size++) {
		memset(text, '#', sizeof(text));
		glGetPerfMonitorGroupStringAMD(group, size, &length, text);
		TT_IS(length, size == 0 || size > 8 ? 8 : size);
		for (GLsizei i = 0; i < (GLsizei)sizeof(text); i++)
			TT_IS(text[i], i >= size || i > 8 ? '#' : "pipeline"[i]);
	}
	TT_IS(glGetError(), 0);
	end_context();
}

/* Counters that are listed have a type, a range and a name, and each can be begun alone. */
TEST(what_is_listed_can_be_begun)
{
	GLint n_groups = 0;
	GLuint groups[8], types = 0;
	bool is_wide;

	tt_need_events();
	setenv("NTIME_GL_EVENTS", "page-faults,machine-share,proc/user/", 1);
	make_context(&plain);
	glGetPerfMonitorGroupsAMD(&n_groups, 8, groups);
	TT_IS(n_groups, 3);
	for (GLint g = 0; g < n_groups; g++) {
		GLint n = 0, most = 0;

		glGetPerfMonitorCountersAMD(groups[g], &n, &most, 0, NULL);
		assert_true(n > 0 && most > 0 && most <= n);
		for (GLuint i = 0; i < (GLuint)n; i++) {
			GLuint monitor, size, range[4] = { 0 };
			GLenum type = 0;

			glGetPerfMonitorCounterInfoAMD(groups[g], i, GL_COUNTER_TYPE_AMD, &type);
			glGetPerfMonitorCounterInfoAMD(groups[g], i, GL_COUNTER_RANGE_AMD, range);
			types |= type == GL_UNSIGNED_INT64_AMD ? 1u
				 : type == GL_FLOAT	       ? 2u
				 : type == GL_PERCENTAGE_AMD   ? 4u
							       : 8u;
			is_wide = type == GL_UNSIGNED_INT64_AMD;
			assert_true(range[is_wide ? 2 : 1] != 0);
			glGenPerfMonitorsAMD(1, &monitor);
			glSelectPerfMonitorCountersAMD(monitor, GL_TRUE, groups[g], 1, &i);
			glBeginPerfMonitorAMD(monitor);
			/* The kernel's times are of ticks, and without one there is no share. */
			usleep(is_wide ? 0 : 30000);
			glEndPerfMonitorAMD(monitor);
			TT_IS(glGetError(), 0);
			TT_IS(ask(monitor, GL_PERFMON_RESULT_AVAILABLE_AMD), 1);
			size = ask(monitor, GL_PERFMON_RESULT_SIZE_AMD);
			TT_IS(size, is_wide ? 16 : 12);
			glDeletePerfMonitorsAMD(1, &monitor);
		}
	}
	TT_IS(types, 7);
	end_context();
	unsetenv("NTIME_GL_EVENTS");
}

static const struct call_row {
	int line;
	const char *calls; /* each letter a call of monitor 1, see below */
	GLenum error;	   /* of the last one */
	GLuint available;
} call_rows[] = {
	{ __LINE__, "", 0, 0 },
	{ __LINE__, "s", 0, 0 },
	{ __LINE__, "e", GL_INVALID_OPERATION, 0 },
	{ __LINE__, "b", 0, 0 },
	{ __LINE__, "be", 0, 1 },
	{ __LINE__, "bb", GL_INVALID_OPERATION, 0 },
	{ __LINE__, "sbee", GL_INVALID_OPERATION, 1 },
	{ __LINE__, "sbes", 0, 0 },
	{ __LINE__, "sbse", 0, 0 },
	{ __LINE__, "sbsebe", 0, 1 },
	{ __LINE__, "sbeb", 0, 0 },
	/* an error has no effect */
	{ __LINE__, "sbex", GL_INVALID_VALUE, 1 },
	{ __LINE__, "sben", GL_INVALID_VALUE, 1 },
	{ __LINE__, "sbsb", GL_INVALID_OPERATION, 0 },
	{ __LINE__, "x", GL_INVALID_VALUE, 0 },
	{ __LINE__, "n", GL_INVALID_VALUE, 0 },
	{ __LINE__, "g", GL_INVALID_VALUE, 0 },
};

TEST(calls_in_any_order)
{
	static const char *const groups[] = { "pipeline", "cpu" };

	tt_need_events();
	for (size_t i = 0; i < 2; i++)
		TT_FOR_EACH_ROW(r, call_rows) {
			GLuint monitor, counter = 0, wrong = 999, group;

			make_context(&plain);
			group = find_group(groups[i]);
			glGenPerfMonitorsAMD(1, &monitor);
			for (const char *p = r->calls; *p; p++) {
				TT_EQ(r, glGetError(), 0);
				if (*p == 's')
					glSelectPerfMonitorCountersAMD(monitor, GL_TRUE, group, 1,
								       &counter);
				else if (*p == 'x')
					glSelectPerfMonitorCountersAMD(monitor, GL_TRUE, group, 1,
								       &wrong);
				else if (*p == 'n')
					glSelectPerfMonitorCountersAMD(monitor, GL_TRUE, group, -1,
								       &counter);
				else if (*p == 'g')
					glSelectPerfMonitorCountersAMD(monitor, GL_TRUE, 99, 1,
								       &counter);
				else if (*p == 'b')
					glBeginPerfMonitorAMD(monitor);
				else
					glEndPerfMonitorAMD(monitor);
			}
			TT_EQ(r, glGetError(), r->error);
			TT_EQ(r, ask(monitor, GL_PERFMON_RESULT_AVAILABLE_AMD), r->available);
			end_context();
		}
}

/*
 * One monitor of samples, perhaps a second one within, and the program's own queries. Letters: b e
 * first monitor, B E second one; q Q the program begins and ends its query of samples, a A of any
 * samples; r reads what the program's query counted and compares, d deletes it; l L the program
 * compiles a list; c it calls one that ends a query; x it binds a buffer for results; a digit is so
 * much work.
 */
static const struct work_row {
	int line;
	const char *work;
	long long first, second; /* -2: cannot be known */
} work_rows[] = {
	{ __LINE__, "1b2e4BE", 2, 0 },
	{ __LINE__, "b1B2E3e4", 6, 2 },
	{ __LINE__, "b1B2e3E4", 3, 5 },
	{ __LINE__, "bBeE", 0, 0 },
	/* the program's query within ours, whose result it reads as if we were not there */
	{ __LINE__, "b1q2Q3erBE", 6, 0 },
	{ __LINE__, "b1q2Q3q4Q5eBE", 15, 0 },
	{ __LINE__, "b1B2q3Q4E5e", 15, 9 },
	/* and is lost before anybody has read it */
	{ __LINE__, "b1q2Q3dqe", -2, -1 },
	{ __LINE__, "b1q2Q3deBE", 6, 0 },
	{ __LINE__, "b1q2d3eBE", -2, 0 },
	/* ends within it; the other one has all of it */
	{ __LINE__, "b1B2q3e4Q5E", -2, 14 },
	/* yes or no is no count */
	{ __LINE__, "b1a2A3eBE", -2, 0 },
	{ __LINE__, "b1eB2a3AE", 1, -2 },
	/* what ended within the program's query leaves nothing of ours behind */
	{ __LINE__, "b1q2e3Qq4QrBE", -2, 0 },
	{ __LINE__, "b1q2edq3QrB5E", -2, 5 },
	/* lists are the program's: nothing of ours gets into them */
	{ __LINE__, "lBLb1e", 1, -1 },
	/* a list that the program calls ends what runs: nobody knows what was counted */
	{ __LINE__, "b1c2eB4E", -2, 4 },
	/* results do not go into the program's buffer */
	{ __LINE__, "xb1q2Q3eB1E", 6, 1 },
	/* before and after */
	{ __LINE__, "q1Qb2eq3QBE", 2, 0 },
};

static void check_work(const struct work_row *r)
{
	GLuint first = MONITOR("pipeline", "samples-passed");
	GLuint second = MONITOR("pipeline", "samples-passed");
	GLuint query, any;
	unsigned int own = 0;
	bool runs = false;

	driver.GenQueries(1, &query);
	driver.GenQueries(1, &any);
	for (const char *p = r->work; *p; p++) {
		GLint current = -1;

		switch (*p) {
		case 'b':
		case 'B':
			glBeginPerfMonitorAMD(*p == 'b' ? first : second);
			break;
		case 'e':
		case 'E':
			glEndPerfMonitorAMD(*p == 'e' ? first : second);
			break;
		case 'q':
			glBeginQuery(GL_SAMPLES_PASSED, query);
			runs = true;
			own = 0;
			break;
		case 'Q':
			glEndQuery(GL_SAMPLES_PASSED);
			runs = false;
			break;
		case 'a':
			glBeginQueryIndexed(GL_ANY_SAMPLES_PASSED, 0, any);
			break;
		case 'A':
			glEndQueryIndexed(GL_ANY_SAMPLES_PASSED, 0);
			break;
		case 'l':
			fake.list = 1;
			break;
		case 'L':
			TT_EQ(r, glGetError(), GL_INVALID_OPERATION);
			fake.list = 0;
			break;
		case 'c':
			driver.EndQuery(GL_SAMPLES_PASSED);
			break;
		case 'x':
			fake.query_buffer = 7;
			break;
		case 'd':
			glDeleteQueries(1, &query);
			runs = false;
			driver.GenQueries(1, &query);
			break;
		case 'r': {
			GLuint got = 0;

			driver.GetQueryObjectuiv(query, GL_QUERY_RESULT, &got);
			TT_EQ(r, got, own);
			break;
		}
		default:
			fake_gl_draw((unsigned int)(*p - '0'));
			own += runs ? (unsigned int)(*p - '0') : 0;
		}
		TT_EQ(r, fake.list ? 0 : glGetError(), 0);
		glGetQueryiv(GL_SAMPLES_PASSED, GL_CURRENT_QUERY, &current);
		TT_EQ(r, current, runs ? (GLint)query : 0);
	}
	/* Asking waits for nothing. */
	if (fake.is_late && r->first >= 0)
		TT_EQ(r, result(first), -1);
	fake_gl_finish_all();
	TT_EQ(r, result(first), r->first);
	TT_EQ(r, result(second), r->second);
}

TEST(queries_are_shared_with_the_program)
{
	TT_FOR_EACH_ROW(r, work_rows)
		for (int late = 0; late < 2; late++) {
			struct fake_gl is = plain;

			is.is_late = late;
			make_context(&is);
			check_work(r);
			end_context();
		}
}

/* A query of the program's own that began before: what it counts cannot be taken apart. */
TEST(a_running_query_of_the_program_refuses_begin)
{
	GLuint monitor, query;

	make_context(&plain);
	monitor = MONITOR("pipeline", "vertices-submitted", "samples-passed");
	driver.GenQueries(1, &query);
	glBeginQuery(GL_SAMPLES_PASSED, query);
	glBeginPerfMonitorAMD(monitor);
	TT_IS(glGetError(), GL_INVALID_OPERATION);
	glEndPerfMonitorAMD(monitor);
	TT_IS(glGetError(), GL_INVALID_OPERATION);
	fake_gl_draw(3);
	glEndQuery(GL_SAMPLES_PASSED);
	TT_IS(glGetError(), 0);
	/* Nothing of the refused one is left running. */
	glBeginPerfMonitorAMD(monitor);
	fake_gl_draw(4);
	glEndPerfMonitorAMD(monitor);
	TT_IS(glGetError(), 0);
	TT_IS(result(monitor), 4);
	glEndQuery(GL_SAMPLES_PASSED);
	TT_IS(glGetError(), GL_INVALID_OPERATION);
	end_context();
}

/*
 * One that is never read keeps nothing but its own, and many queries of the program are few
 * segments.
 */
TEST(what_is_not_read_keeps_little)
{
	GLuint unread, monitor, query;
	unsigned int few;

	make_context(&plain);
	unread = MONITOR("pipeline", "samples-passed");
	monitor = MONITOR("pipeline", "samples-passed");
	driver.GenQueries(1, &query);
	glBeginPerfMonitorAMD(unread);
	glEndPerfMonitorAMD(unread);
	few = fake_gl_objects() + 2;
	glBeginPerfMonitorAMD(monitor);
	for (unsigned int i = 0; i < 1000; i++) {
		fake_gl_draw(1);
		glBeginQuery(GL_SAMPLES_PASSED, query);
		fake_gl_draw(2);
		glEndQuery(GL_SAMPLES_PASSED);
	}
	glEndPerfMonitorAMD(monitor);
	TT_IS(result(monitor), 3000);
	assert_true(fake_gl_objects() < few + 40);
	few = fake_gl_objects();
	for (unsigned int i = 0; i < 1000; i++) {
		glBeginPerfMonitorAMD(monitor);
		fake_gl_draw(i);
		glEndPerfMonitorAMD(monitor);
		TT_IS(result(monitor), i);
	}
	TT_IS(fake_gl_objects(), few);
	end_context();
}

/* Objects are used again: ten thousand measurements need no more of them than ten. */
TEST(query_objects_are_used_again)
{
	unsigned int few = 0;
	GLuint monitor;

	make_context(&plain);
	monitor = MONITOR("pipeline", "samples-passed", "gpu-time [ns]");
	for (unsigned int i = 1; i <= 1000; i++) {
		glBeginPerfMonitorAMD(monitor);
		fake_gl_draw(i);
		glEndPerfMonitorAMD(monitor);
		/* Not every result is asked for. */
		if (i % 3)
			TT_IS(result(monitor), i);
		if (i == 10)
			few = fake_gl_objects();
	}
	TT_IS(fake_gl_objects(), few);
	end_context();
}

TEST(work_is_finished_for_the_cpu_alone)
{
	GLuint pipeline, cpu;

	tt_need_events();
	make_context(&plain);
	pipeline = MONITOR("pipeline", "samples-passed");
	cpu = MONITOR("cpu", "page-faults");
	glBeginPerfMonitorAMD(pipeline);
	glEndPerfMonitorAMD(pipeline);
	(void)result(pipeline);
	TT_IS(fake_gl_finishes(), 0);
	glBeginPerfMonitorAMD(cpu);
	glEndPerfMonitorAMD(cpu);
	TT_IS(fake_gl_finishes(), 2);
	end_context();
}

/* The driver has the extension itself: its group first, and one monitor with counters of both. */
TEST(groups_of_the_driver_come_first)
{
	const struct fake_gl has = { .version = "4.5 fake", .extensions = EXTENSION, .group = 5 };
	GLuint groups[4] = { 0 }, monitor, work = 77, samples, data[8], pipeline, wrong = 3;
	GLint n = 0, written = 0;
	GLsizei length;
	char text[20] = "";
	GLuint64 count;

	tt_need_events();
	make_context(&has);
	glGetPerfMonitorGroupsAMD(&n, 4, groups);
	TT_IS(n, 3);
	TT_IS(groups[0], 5);
	assert_true(groups[1] > 5 && groups[2] > groups[1]);
	glGetPerfMonitorGroupStringAMD(5, sizeof(text), &length, text);
	TT_TEXT(text, "silicon");
	glGetPerfMonitorCounterStringAMD(5, 77, sizeof(text), &length, text);
	TT_TEXT(text, "work");
	pipeline = find_group("pipeline");
	samples = find_counter(pipeline, "samples-passed");
	glGenPerfMonitorsAMD(1, &monitor);
	glSelectPerfMonitorCountersAMD(monitor, GL_TRUE, 5, 1, &work);
	glSelectPerfMonitorCountersAMD(monitor, GL_TRUE, pipeline, 1, &samples);
	TT_IS(glGetError(), 0);
	glSelectPerfMonitorCountersAMD(monitor, GL_TRUE, 6, 1, &wrong);
	TT_IS(glGetError(), 0);
	glSelectPerfMonitorCountersAMD(monitor, GL_FALSE, 6, 1, &wrong);
	glSelectPerfMonitorCountersAMD(monitor, GL_TRUE, 4, 1, &work);
	TT_IS(glGetError(), GL_INVALID_VALUE);
	glBeginPerfMonitorAMD(monitor);
	fake_gl_draw(42);
	glEndPerfMonitorAMD(monitor);
	TT_IS(ask(monitor, GL_PERFMON_RESULT_SIZE_AMD), 28);
	glGetPerfMonitorCounterDataAMD(monitor, GL_PERFMON_RESULT_AMD, sizeof(data), data,
				       &written);
	TT_IS(written, 28);
	TT_IS(data[0], 5);
	TT_IS(data[1], 77);
	TT_IS(data[2], 42);
	TT_IS(data[3], pipeline);
	TT_IS(data[4], samples);
	memcpy(&count, &data[5], sizeof(count));
	TT_IS(count, 42);
	/* Whole records alone. */
	glGetPerfMonitorCounterDataAMD(monitor, GL_PERFMON_RESULT_AMD, 24, data, &written);
	TT_IS(written, 12);
	TT_IS(glGetError(), 0);
	glDeletePerfMonitorsAMD(1, &monitor);
	end_context();
}

TEST(what_is_missing_has_a_reason)
{
	const struct fake_gl poor = { .version = "4.5 fake",
				      .extensions = "",
				      .lacks = { GL_VERTICES_SUBMITTED },
				      .refuses = GL_PRIMITIVES_GENERATED };
	char text[4][300];
	unsigned int found = 0;

	make_context(&poor);
	for (GLuint i = 0;
	     glGetPerfMonitorMissingNTIME(i, sizeof(text[0]), text[0], text[1], text[2], text[3]);
	     i++) {
		assert_true(text[2][0] != '\0');
		if (strcmp(text[1], "vertices-submitted") == 0 &&
		    strcmp(text[2], "the driver has no such query") == 0)
			found |= 1;
		if (strcmp(text[1], "primitives-generated") == 0 &&
		    strcmp(text[2], "the driver refuses to begin this query") == 0)
			found |= 2;
	}
	TT_IS(found, 3);
	TT_IS(glGetError(), 0);
	end_context();
}

/* It has no numbers any more, and nobody waits for them. */
TEST(a_lost_context_has_no_result)
{
	struct fake_gl is = plain;
	GLuint monitor;

	is.is_late = true;
	make_context(&is);
	monitor = MONITOR("pipeline", "samples-passed", "gpu-time [ns]");
	glBeginPerfMonitorAMD(monitor);
	fake_gl_draw(3);
	fake.is_lost = true;
	glEndPerfMonitorAMD(monitor);
	TT_IS(result(monitor), -2);
	glDeletePerfMonitorsAMD(1, &monitor);
	end_context();
}

TEST(contexts_have_monitors_of_their_own)
{
	GLuint monitor, other, none = 1;

	tt_need_events();
	make_context(&plain);
	monitor = MONITOR("pipeline", "samples-passed");
	glBeginPerfMonitorAMD(monitor);
	fake_gl_draw(5);
	glp_context_make_current(&driver, &handles[1]);
	glBeginPerfMonitorAMD(monitor);
	TT_IS(glGetError(), GL_INVALID_VALUE);
	other = MONITOR("cpu", "page-faults");
	TT_IS(other, monitor);
	glp_context_make_current(&driver, &handles[0]);
	glEndPerfMonitorAMD(monitor);
	TT_IS(result(monitor), 5);
	/* Destroyed while it is current: it lives on until it is released. */
	glBeginPerfMonitorAMD(monitor);
	glp_context_forget(&handles[0]);
	fake_gl_draw(6);
	glEndPerfMonitorAMD(monitor);
	TT_IS(result(monitor), 6);
	glBeginPerfMonitorAMD(monitor);
	/* The next one of this handle begins anew, though a monitor was active. */
	glp_context_make_current(&driver, NULL);
	glp_context_make_current(&driver, &handles[0]);
	glDeletePerfMonitorsAMD(1, &none);
	TT_IS(glGetError(), GL_INVALID_VALUE);
	glp_context_forget(&handles[1]);
	end_context();
}

TEST(without_a_context_calls_are_the_drivers)
{
	GLint number = 0;
	GLuint monitor = 7;

	make_context(&plain);
	glp_context_make_current(&driver, NULL);
	TT_TEXT((const char *)glGetString(GL_EXTENSIONS), "GL_ONE GL_TWO");
	glGetIntegerv(GL_NUM_EXTENSIONS, &number);
	TT_IS(number, 2);
	glGenPerfMonitorsAMD(1, &monitor);
	TT_IS(monitor, 7);
	fake_gl_raise(GL_INVALID_ENUM);
	TT_IS(glGetError(), GL_INVALID_ENUM);
	end_context();
}

static void touch_pages(size_t n)
{
	const size_t bytes = n * (size_t)sysconf(_SC_PAGESIZE);
	volatile char *p =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(p != MAP_FAILED);
	madvise((void *)p, bytes, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < bytes; i += (size_t)sysconf(_SC_PAGESIZE))
		p[i] = 1;
	munmap((void *)p, bytes);
}

static void burn_ms(long ms)
{
	struct timespec begin, now;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while ((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000 < ms);
}

/* What counts the whole machine counts between Begin and End too, and its name says what it is. */
TEST(what_is_the_machines_says_so)
{
	static const char *const names[] = { "tsc (whole machine)", "CPU-use [%] (whole machine)" };
	GLuint group, monitor, counter, data[4] = { 0 };
	GLint written = 0;
	GLfloat share;
	GLuint64 ticks;

	setenv("NTIME_GL_EVENTS", "tsc,CPU-use", 1);
	make_context(&plain);
	group = find_group("ntime");
	glGenPerfMonitorsAMD(1, &monitor);
	counter = find_counter(group, names[1]);
	glSelectPerfMonitorCountersAMD(monitor, GL_TRUE, group, 1, &counter);
	glBeginPerfMonitorAMD(monitor);
	burn_ms(300);
	glEndPerfMonitorAMD(monitor);
	glGetPerfMonitorCounterDataAMD(monitor, GL_PERFMON_RESULT_AMD, sizeof(data), data,
				       &written);
	TT_IS(written, 12);
	memcpy(&share, &data[2], sizeof(share));
	assert_true(share > 0 && share <= 100);
	/* A clock stands still between two measurements. */
	glSelectPerfMonitorCountersAMD(monitor, GL_FALSE, group, 1, &counter);
	counter = find_counter(group, names[0]);
	glSelectPerfMonitorCountersAMD(monitor, GL_TRUE, group, 1, &counter);
	for (int i = 0; i < 2; i++) {
		GLuint64 least = i ? 0 : 100000;

		glBeginPerfMonitorAMD(monitor);
		burn_ms(i ? 0 : 10);
		glEndPerfMonitorAMD(monitor);
		burn_ms(500);
		glGetPerfMonitorCounterDataAMD(monitor, GL_PERFMON_RESULT_AMD, sizeof(data), data,
					       &written);
		TT_IS(written, 16);
		memcpy(&ticks, &data[2], sizeof(ticks));
		assert_true(ticks > least);
		/* half a second of any machine's ticks are more */
		assert_true(i == 0 || ticks < 400000000);
	}
	end_context();
	unsetenv("NTIME_GL_EVENTS");
}

/* Who may not count in the kernel has each counter by both names, and counts it once. */
TEST(user_mode_has_both_names)
{
	static const char *const names[] = { "page-faults (user mode)", "page-faults" };
	GLuint group, monitor, counter[2] = { 0, 0 }, data[8] = { 0 };
	GLint n = 0, most = 0, written = 0;
	char text[100];

	tt_need_events();
	is_kernel_closed = true;
	make_context(&plain);
	group = find_group("cpu");
	glGetPerfMonitorCountersAMD(group, &n, &most, 0, NULL);
	TT_IS(most, n);
	for (GLuint i = 0; i < (GLuint)n; i++)
		for (size_t k = 0; k < 2; k++) {
			glGetPerfMonitorCounterStringAMD(group, i, sizeof(text), NULL, text);
			counter[k] += strcmp(text, names[k]) == 0 ? i + 1 : 0;
		}
	assert_true(counter[0] > 0 && counter[1] > counter[0]);
	counter[0]--;
	counter[1]--;
	glGenPerfMonitorsAMD(1, &monitor);
	glSelectPerfMonitorCountersAMD(monitor, GL_TRUE, group, 2, counter);
	glBeginPerfMonitorAMD(monitor);
	touch_pages(100);
	glEndPerfMonitorAMD(monitor);
	glGetPerfMonitorCounterDataAMD(monitor, GL_PERFMON_RESULT_AMD, sizeof(data), data,
				       &written);
	TT_IS(written, 32);
	TT_IS(data[1], counter[0]);
	TT_IS(data[5], counter[1]);
	assert_true(data[2] >= 100);
	TT_IS(data[6], data[2]);
	end_context();
	is_kernel_closed = false;
}

/* A child's monitors are its own: ending its parent's stops nothing of the parent. */
static int be_a_child(GLuint monitor)
{
	long long faults;

	glEndPerfMonitorAMD(monitor);
	if (result(monitor) != -2)
		return 1;
	glBeginPerfMonitorAMD(monitor);
	touch_pages(100);
	glEndPerfMonitorAMD(monitor);
	faults = result(monitor);
	glDeletePerfMonitorsAMD(1, &monitor);
	return faults >= 100 && faults < 400 && glGetError() == 0 ? 0 : 2;
}

TEST(a_forked_process_counts_for_itself)
{
	GLuint monitor;
	long long faults;
	int status = 0;
	pid_t child;

	tt_need_events();
	make_context(&plain);
	monitor = MONITOR("cpu", "page-faults");
	glBeginPerfMonitorAMD(monitor);
	child = fork();
	assert_true(child >= 0);
	if (child == 0)
		_exit(be_a_child(monitor));
	assert_true(waitpid(child, &status, 0) == child);
	TT_IS(status, 0);
	touch_pages(1000);
	glEndPerfMonitorAMD(monitor);
	faults = result(monitor);
	assert_true(faults >= 1000);
	end_context();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(extension_is_named_once),
		cmocka_unit_test(other_numbers_are_the_drivers),
		cmocka_unit_test(between_begin_and_end_strings_are_errors),
		cmocka_unit_test(errors_of_the_driver_come_first),
		cmocka_unit_test(strings_fill_a_buffer_of_their_length),
		cmocka_unit_test(what_is_listed_can_be_begun),
		cmocka_unit_test(calls_in_any_order),
		cmocka_unit_test(queries_are_shared_with_the_program),
		cmocka_unit_test(a_running_query_of_the_program_refuses_begin),
		cmocka_unit_test(query_objects_are_used_again),
		cmocka_unit_test(what_is_not_read_keeps_little),
		cmocka_unit_test(work_is_finished_for_the_cpu_alone),
		cmocka_unit_test(groups_of_the_driver_come_first),
		cmocka_unit_test(what_is_missing_has_a_reason),
		cmocka_unit_test(a_lost_context_has_no_result),
		cmocka_unit_test(contexts_have_monitors_of_their_own),
		cmocka_unit_test(without_a_context_calls_are_the_drivers),
		cmocka_unit_test(what_is_the_machines_says_so),
		cmocka_unit_test(user_mode_has_both_names),
		cmocka_unit_test(a_forked_process_counts_for_itself),
	};

	return TT_RUN(tests);
}
