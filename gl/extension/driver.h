/* SPDX-License-Identifier: MIT */
/* The functions of the real driver that we call, and the names that programs get our own for. */
#ifndef GLP_DRIVER_H
#define GLP_DRIVER_H

#include <stdbool.h>
#include <stddef.h>

/* Ours have the names of the driver's. What of them a library shows, its .map file says. */
#define GL_GLEXT_PROTOTYPES
#pragma GCC visibility push(default)
#include <GL/gl.h>
#include <GL/glext.h>
#pragma GCC visibility pop

/*
 * Functions of the driver that programs get ours for, in the order of strcmp(). OTHER(name,
 * function): a name that a function of ours has as well, and that the driver is not asked for.
 */
#define GLP_HOOKED(X, OTHER)                                                                       \
	X(BeginPerfMonitorAMD)                                                                     \
	X(BeginQuery)                                                                              \
	OTHER(BeginQueryARB, BeginQuery)                                                           \
	OTHER(BeginQueryEXT, BeginQuery)                                                           \
	X(BeginQueryIndexed)                                                                       \
	X(DeletePerfMonitorsAMD)                                                                   \
	X(DeleteQueries)                                                                           \
	OTHER(DeleteQueriesARB, DeleteQueries)                                                     \
	OTHER(DeleteQueriesEXT, DeleteQueries)                                                     \
	X(EndPerfMonitorAMD)                                                                       \
	X(EndQuery)                                                                                \
	OTHER(EndQueryARB, EndQuery)                                                               \
	OTHER(EndQueryEXT, EndQuery)                                                               \
	X(EndQueryIndexed)                                                                         \
	X(Finish)                                                                                  \
	X(Flush)                                                                                   \
	X(GenPerfMonitorsAMD)                                                                      \
	X(GetBooleanv)                                                                             \
	X(GetDoublev)                                                                              \
	X(GetError)                                                                                \
	X(GetFloatv)                                                                               \
	X(GetInteger64v)                                                                           \
	OTHER(GetInteger64vAPPLE, GetInteger64v)                                                   \
	OTHER(GetInteger64vEXT, GetInteger64v)                                                     \
	X(GetIntegerv)                                                                             \
	X(GetPerfMonitorCounterDataAMD)                                                            \
	X(GetPerfMonitorCounterInfoAMD)                                                            \
	X(GetPerfMonitorCounterStringAMD)                                                          \
	X(GetPerfMonitorCountersAMD)                                                               \
	X(GetPerfMonitorGroupStringAMD)                                                            \
	X(GetPerfMonitorGroupsAMD)                                                                 \
	OTHER(GetPerfMonitorMissingNTIME, GetPerfMonitorMissingNTIME)                              \
	X(GetQueryIndexediv)                                                                       \
	X(GetQueryiv)                                                                              \
	OTHER(GetQueryivARB, GetQueryiv)                                                           \
	OTHER(GetQueryivEXT, GetQueryiv)                                                           \
	X(GetString)                                                                               \
	X(GetStringi)                                                                              \
	X(SelectPerfMonitorCountersAMD)
#define GLP_NO_OTHER(name, function)

/* Those that we only call. */
#define GLP_CALLED(X)                                                                              \
	X(BindBuffer)                                                                              \
	X(GenQueries)                                                                              \
	X(GetQueryObjectui64v)                                                                     \
	X(GetQueryObjectuiv)                                                                       \
	X(QueryCounter)

/**
 * struct glp_driver - one real driver
 *
 * A pointer says nothing about support: drivers give one for names that they do not serve, and
 * calling it ends the program. Version and extension string of a context decide.
 */
struct glp_driver {
#define MEMBER(name) __typeof__(&gl##name) name;
	GLP_HOOKED(MEMBER, GLP_NO_OTHER)
	GLP_CALLED(MEMBER)
#undef MEMBER
};

/**
 * glp_driver_init() - fill @d with what @get_proc knows of each name
 *
 * The first one also serves calls of threads whose context nobody has told us of.
 */
void glp_driver_init(struct glp_driver *d, void *(*get_proc)(const char *name));

/* The first driver. Its functions do nothing where a thread has no context. */
const struct glp_driver *glp_driver_first(void);

/*
 * A call of the program came before any driver. A front end that nobody tells when the driver is
 * there has a function of this name, and calls glp_driver_init() now.
 */
void glp_driver_await(void);

/**
 * glp_hook_find() - what a program gets instead of the driver's function
 * @name: "glGetString"; NULL is returned for names that are the driver's alone
 */
void *glp_hook_find(const char *name);
/* A function of ours, and the same by its name among @n of a table; NULL: there is none. */
struct glp_hook {
	const char *name;
	void *function;
};
void *glp_hook_among(const struct glp_hook *hooks, size_t n, const char *name);
/* Is it a function of the extension, which is there even if the driver does not know its name? */
bool glp_hook_is_own(const char *name);

/**
 * glGetPerfMonitorMissingNTIME() - a counter that this context cannot have, and why
 * @index:	from 0 on
 * @size:	of each of the buffers, in bytes; texts are cut
 * @group, @counter: where it would stand
 * @reason, @remedy: why it does not, and what to do about it
 *
 * Not part of the extension: for lists that people read ("ntime gl list"). Programs find it as
 * glGetPerfMonitorMissingNTIME. Return: GL_TRUE, or GL_FALSE beyond the last one.
 */
__attribute__((visibility("default"))) GLboolean
glGetPerfMonitorMissingNTIME(GLuint index, GLsizei size, GLchar *group, GLchar *counter,
			     GLchar *reason, GLchar *remedy);

#endif
