/* SPDX-License-Identifier: MIT */
/*
 * Scenarios: what happens to a session, as text, one row of a table each.
 *
 *	{ __LINE__, "stopped", "open cycles; start; work 0 10; stop; work 0 5; read 10" },
 *
 * A step is a verb and its words; steps end with ';'. A machine has verbs of its own, see its
 * struct scene_machine; those about sessions are the same for all, see scene.c. Each row is a test
 * case. What a row cannot say is a function, which may do steps with SCENE().
 */
#ifndef TT_SCENE_H
#define TT_SCENE_H

#include <ntime/ntime.h>

#include "base/tests/tt.h"

#include "count/lib/context/context.h"

#define SCENE_CELLS 1024

struct scenario {
	int line;
	const char *name, *steps;
};

struct scene;

struct scene_verb {
	const char *name;
	unsigned int numbers; /* so many words are numbers, 0 where there are fewer; then @rest */
	void (*fn)(struct scene *s, const uint64_t *n, char *rest);
};

/* A verb's function: @n are its numbers, @rest is what follows them. */
#define SCENE_STEP(name)                                                                           \
	static void step_##name(struct scene *s __attribute__((unused)),                           \
				const uint64_t *n __attribute__((unused)),                         \
				char *rest __attribute__((unused)))

/*
 * What "set NAME[.AT[.INDEX]] [NUMBER]" changes behind the library's back and "peek" looks at:
 * switches of the machine, registers. "his" is "set" of what is somebody else's: at the end it must
 * be what he wrote, and is put back.
 */
struct scene_field {
	const char *name;
	void *at;
	size_t bytes, outer, inner; /* distances, where there are several */
};

#define SCENE_FIELD(name, lvalue)                                                                  \
	{                                                                                          \
		name, &(lvalue), sizeof(lvalue), 0, 0                                              \
	}
/* @lvalue is the first of an array, @outer the first of the structs or elements around it. */
#define SCENE_FIELDS(name, lvalue, outer)                                                          \
	{                                                                                          \
		name, &(lvalue), sizeof(lvalue), sizeof(outer), sizeof(lvalue)                     \
	}

struct scene_his {
	char name[32];
	uint64_t value, before;
};

struct scene_machine {
	const struct scene_verb *verbs;	  /* the last one has no name */
	const struct scene_field *fields; /* likewise; NULL: there are none */
	/* Sets ctx, and now_ns where "pause" is used; NULL: the verb "machine" does. */
	void (*init)(struct scene *s);
	void (*fini)(struct scene *s); /* every session is freed */
};

struct scene {
	const struct scene_machine *machine;
	struct ntime_ctx *ctx;	 /* a machine's verb may change it while no session is open */
	struct ntime_ctx *other; /* of another program; NULL: there is none */
	uint64_t *now_ns;
	struct ntime_session *sessions[2]; /* the second one comes and goes beside the first */
	unsigned int current;
	struct ntime_value v[SCENE_CELLS]; /* the last reading */
	struct scene_his his[16];
	size_t his_count;
	const char *file;
	int line;
	char step[512]; /* the one that is done, for messages */
};

/* The session that steps are about. */
static inline struct ntime_session *scene_session(const struct scene *s)
{
	return s->sessions[s->current];
}

/* The machine is static: a test that fails does not come back. */
void scene_begin(struct scene *s, const struct scene_machine *machine);
void scene_end(struct scene *s);
/* The .fini of what the verb "machine" opened. */
void scene_close(struct scene *s);
void scene_do(struct scene *s, const char *file, int line, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
#define SCENE(s, ...) scene_do((s), __FILE__, __LINE__, __VA_ARGS__)

/* All of @rows and of @functions are test cases; the program's exit status. */
int scene_run(const struct scene_machine *machine, const char *file, const struct scenario *rows,
	      size_t n, const struct CMUnitTest *functions, size_t function_count);
#define SCENE_RUN(machine, rows, functions)                                                        \
	scene_run((machine), __FILE__, (rows), sizeof(rows) / sizeof((rows)[0]), (functions),      \
		  sizeof(functions) / sizeof((functions)[0]))

/* The next word of @rest, "" when there is none; a number, where 3h, 200ms and 60s are ns. */
char *scene_word(char **rest);
uint64_t scene_number(struct scene *s, char **rest);
/* 0 of "", -EIO of EIO. */
int scene_error(struct scene *s, const char *name);
/* Checks that name row and step. An empty @part: @text must be empty. */
#define SCENE_IS(s, got, want) scene_is((s), #got, (long long)(got), (long long)(want))
void scene_is(struct scene *s, const char *what, long long got, long long want);
void scene_has(struct scene *s, const char *what, const char *text, const char *part);
struct ntime_item scene_item(struct scene *s, size_t i);

#endif
