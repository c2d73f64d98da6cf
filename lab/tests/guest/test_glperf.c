// SPDX-License-Identifier: MIT
/*
 * GL_AMD_performance_monitor with counters of hardware, over a driver of OpenGL that is made up:
 * what fits begins, what does not is refused, and counts are exact.
 */
#include <unistd.h>

#include "gl/extension/glperf.h"
#include "gl/tests/extension/fake_gl.h"
#include "lab/tests/workloads/count.h"
#include "base/tests/tt.h"

#include "guest.h"

/* Events that need a general counter each: raw ones of other units than the generic events. */
#define GENERAL "r0110,r0280,r0151,r0124,r01a2,r01d1"
#define N_GENERAL 6

static struct glp_driver driver;
static GLuint groups[3];
static GLint n_groups;

/* The program's groups, in this order: cpu, pipeline, ntime. */
static void make_context(const char *events)
{
	static const struct fake_gl is = { .version = "4.5 fake", .extensions = "" };
	static char handle;

	setenv("NTIME_GL_EVENTS", events, 1);
	fake_gl_reset(&is);
	glp_driver_init(&driver, fake_gl_get_proc);
	glp_context_make_current(&driver, NULL);
	glp_context_forget(&handle);
	glp_context_make_current(&driver, &handle);
	glGetPerfMonitorGroupsAMD(&n_groups, 3, groups);
	TT_IS(n_groups, 3);
}

static bool has_counter(GLuint group, const char *name, GLuint *counter)
{
	GLint n = 0;

	glGetPerfMonitorCountersAMD(group, &n, NULL, 0, NULL);
	for (*counter = 0; *counter < (GLuint)n; ++*counter) {
		char text[100] = "";

		glGetPerfMonitorCounterStringAMD(group, *counter, sizeof(text), NULL, text);
		if (strcmp(text, name) == 0)
			return true;
	}
	return false;
}

static GLuint general_counters(void)
{
	GLuint n = 0;

	while (n < N_GENERAL) {
		GLuint monitor, i;

		glGenPerfMonitorsAMD(1, &monitor);
		for (i = 0; i <= n; i++)
			glSelectPerfMonitorCountersAMD(monitor, GL_TRUE, groups[2], 1, &i);
		TT_IS(glGetError(), 0);
		glBeginPerfMonitorAMD(monitor);
		if (glGetError() == GL_INVALID_OPERATION)
			break;
		glEndPerfMonitorAMD(monitor);
		TT_IS(glGetError(), 0);
		n++;
	}
	return n;
}

TEST(what_fits_into_a_pass_begins)
{
	GLint n = 0, most = 0;
	GLuint can;

	make_context(GENERAL);
	glGetPerfMonitorCountersAMD(groups[2], &n, &most, 0, NULL);
	TT_IS(n, N_GENERAL);
	/* The processor has four, of which another program may have one. */
	can = general_counters();
	TT_IS(can, 4);
	TT_IS(most, can);
	glp_context_make_current(&driver, NULL);
}

/*
 * In all groups each counter that is listed begins alone, and has a value, but for GENERAL: this
 * processor has none of their units, and nobody vouches for a 0.
 */
TEST(each_counter_begins_alone)
{
	make_context(GENERAL);
	for (GLint g = 0; g < n_groups; g++) {
		GLint n = 0;

		glGetPerfMonitorCountersAMD(groups[g], &n, NULL, 0, NULL);
		for (GLuint i = 0; i < (GLuint)n; i++) {
			GLuint monitor, size = 0;

			glGenPerfMonitorsAMD(1, &monitor);
			glSelectPerfMonitorCountersAMD(monitor, GL_TRUE, groups[g], 1, &i);
			glBeginPerfMonitorAMD(monitor);
			lab_turns(20000000);
			glEndPerfMonitorAMD(monitor);
			TT_IS(glGetError(), 0);
			glGetPerfMonitorCounterDataAMD(monitor, GL_PERFMON_RESULT_SIZE_AMD,
						       sizeof(size), &size, NULL);
			if (g == 2 ? size != 0 : size != 12 && size != 16) {
				char name[100] = "";

				glGetPerfMonitorCounterStringAMD(groups[g], i, sizeof(name), NULL,
								 name);
				fail_msg("%s has a value of %u bytes", name, size);
			}
			glDeletePerfMonitorsAMD(1, &monitor);
		}
	}
	glp_context_make_current(&driver, NULL);
}

static uint64_t instructions_of(GLuint monitor, unsigned long turns)
{
	GLuint data[4] = { 0 };
	GLint bytes = 0;
	uint64_t count;

	glBeginPerfMonitorAMD(monitor);
	lab_turns(turns);
	glEndPerfMonitorAMD(monitor);
	TT_IS(glGetError(), 0);
	glGetPerfMonitorCounterDataAMD(monitor, GL_PERFMON_RESULT_AMD, sizeof(data), data, &bytes);
	TT_IS(bytes, 16);
	memcpy(&count, &data[2], sizeof(count));
	return count;
}

TEST(counts_are_exact)
{
	GLuint monitor, counter;
	uint64_t none;

	make_context("instructions:u");
	assert_true(has_counter(groups[0], "instructions", &counter));
	assert_true(has_counter(groups[2], "instructions:u", &counter));
	glGenPerfMonitorsAMD(1, &monitor);
	glSelectPerfMonitorCountersAMD(monitor, GL_TRUE, groups[2], 1, &counter);
	(void)instructions_of(monitor, 1);
	none = instructions_of(monitor, 0);
	TT_IS(instructions_of(monitor, 0), none);
	for (unsigned long turns = 1000; turns <= 1000000; turns *= 10)
		TT_IS(instructions_of(monitor, turns) - none, LAB_TURN * turns);
	glp_context_make_current(&driver, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_fits_into_a_pass_begins),
		cmocka_unit_test(each_counter_begins_alone),
		cmocka_unit_test(counts_are_exact),
	};

	return LAB_RUN(tests);
}
