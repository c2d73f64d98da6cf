// SPDX-License-Identifier: MIT
/*
 * Threads that make contexts, count in them and destroy them, all at once: under the thread
 * sanitizer.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "gl/extension/glperf.h"
#include "gl/tests/extension/fake_gl.h"
#include "base/tests/tt.h"

#define THREADS 4
#define CONTEXTS 100

static struct glp_driver driver;
static char handles[THREADS];

/* The sum of what its monitors counted. */
static uint64_t count_in_contexts(const void *handle)
{
	const struct fake_gl is = { .version = "4.5 fake", .extensions = "GL_ONE" };
	uint64_t sum = 0;

	for (unsigned int i = 1; i <= CONTEXTS; i++) {
		GLuint monitor, samples = 0, data[4] = { 0 };
		GLuint groups[3];
		GLuint64 count;
		GLint n = 0;

		fake_gl_reset(&is);
		glp_context_forget(handle);
		glp_context_make_current(&driver, handle);
		/*
		 * The driver's queries are the last group, behind the kernel's counters where it
		 * has some.
		 */
		glGetPerfMonitorGroupsAMD(&n, 3, groups);
		glGenPerfMonitorsAMD(1, &monitor);
		glSelectPerfMonitorCountersAMD(monitor, GL_TRUE, groups[n - 1], 1, &samples);
		glBeginPerfMonitorAMD(monitor);
		fake_gl_draw(i);
		glEndPerfMonitorAMD(monitor);
		glGetPerfMonitorCounterDataAMD(monitor, GL_PERFMON_RESULT_AMD, sizeof(data), data,
					       NULL);
		memcpy(&count, &data[2], sizeof(count));
		sum += count;
		/* Before and after it is released; some with an active monitor. */
		if (i % 2)
			glBeginPerfMonitorAMD(monitor);
		if (i % 3)
			glp_context_forget(handle);
		glp_context_make_current(&driver, NULL);
	}
	glp_context_forget(handle);
	return sum;
}

static void *run_thread(void *handle)
{
	uint64_t *sum = calloc(1, sizeof(*sum));

	*sum = count_in_contexts(handle);
	fake_gl_fini();
	return sum;
}

static atomic_bool is_over;

/* A context may be destroyed by a thread that does not have it: it lives until it is released. */
static void *destroy_others(void *unused)
{
	(void)unused;
	while (!is_over)
		for (int i = 0; i < THREADS; i++)
			glp_context_forget(&handles[i]);
	return NULL;
}

/* One that ends with its context leaves nothing behind. */
static void *end_with_context(void *handle)
{
	const struct fake_gl is = { .version = "4.5 fake", .extensions = "" };

	fake_gl_reset(&is);
	glp_context_make_current(&driver, handle);
	glGetPerfMonitorGroupsAMD(NULL, 0, NULL);
	fake_gl_fini();
	return NULL;
}

TEST(threads_end_with_their_contexts)
{
	static char handle;
	pthread_t thread;

	glp_driver_init(&driver, fake_gl_get_proc);
	for (int i = 0; i < 10; i++) {
		TT_IS(pthread_create(&thread, NULL, end_with_context, &handle), 0);
		pthread_join(thread, NULL);
		glp_context_forget(&handle);
	}
}

TEST(threads_count_in_their_contexts)
{
	pthread_t thread[THREADS], destroyer;

	glp_driver_init(&driver, fake_gl_get_proc);
	for (int i = 0; i < THREADS; i++)
		TT_IS(pthread_create(&thread[i], NULL, run_thread, &handles[i]), 0);
	TT_IS(pthread_create(&destroyer, NULL, destroy_others, NULL), 0);
	for (int i = 0; i < THREADS; i++) {
		void *sum;

		pthread_join(thread[i], &sum);
		TT_IS(*(uint64_t *)sum, CONTEXTS * (CONTEXTS + 1) / 2);
		free(sum);
	}
	is_over = true;
	pthread_join(destroyer, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_count_in_their_contexts),
		cmocka_unit_test(threads_end_with_their_contexts),
	};

	return TT_RUN(tests);
}
