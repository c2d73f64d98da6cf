// SPDX-License-Identifier: MIT
/* Meshes: parametric surfaces, and the vertices and faces of OBJ files. */
#include "gl/cli/mesh.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/output/memory.h"
#include "base/output/say.h"

/* Of a parametric surface, in each direction. */
#define STEPS 96
/* Of a face of a file. */
#define MOST_CORNERS 64
/* From 0: squares of distances are numbers still. */
#define FARTHEST 1e15

static void add_vertex(struct cli_gl_mesh *m, double x, double y, double z)
{
	cli_grow(&m->vertex, m->n);
	m->vertex[m->n++] = (struct cli_gl_vertex){ .at = { (float)x, (float)y, (float)z } };
}

static void add_triangle(struct cli_gl_mesh *m, size_t a, size_t b, size_t c)
{
	const size_t corner[3] = { a, b, c };

	for (size_t i = 0; i < 3; i++) {
		cli_grow(&m->index, m->n_indices);
		m->index[m->n_indices++] = (uint32_t)corner[i];
	}
}

/* What @at makes of two angles, closed in both directions. */
static void add_surface(struct cli_gl_mesh *m, unsigned int u_steps, unsigned int v_steps,
			void (*at)(double u, double v, double *to))
{
	for (unsigned int u = 0; u <= u_steps; u++) {
		for (unsigned int v = 0; v <= v_steps; v++) {
			double to[3];

			at(u * 2 * M_PI / u_steps, v * 2 * M_PI / v_steps, to);
			add_vertex(m, to[0], to[1], to[2]);
		}
	}
	for (size_t u = 0; u < u_steps; u++) {
		for (size_t v = 0; v < v_steps; v++) {
			size_t a = u * (v_steps + 1) + v, b = a + v_steps + 1;

			add_triangle(m, a, b, b + 1);
			add_triangle(m, a, b + 1, a + 1);
		}
	}
}

static void at_torus(double u, double v, double *to)
{
	double far = 0.7 + 0.3 * cos(v);

	to[0] = far * cos(u);
	to[1] = far * sin(u);
	to[2] = 0.3 * sin(v);
}

static void at_sphere(double u, double v, double *to)
{
	to[0] = sin(v / 2) * cos(u);
	to[1] = sin(v / 2) * sin(u);
	to[2] = -cos(v / 2);
}

static void add_cube(struct cli_gl_mesh *m)
{
	for (size_t axis = 0; axis < 3; axis++) {
		for (int side = -1; side <= 1; side += 2) {
			size_t first = m->n;

			for (int i = 0; i < 4; i++) {
				double at[3];

				at[axis] = side;
				at[(axis + 1) % 3] = (i & 1 ? 1 : -1) * side;
				at[(axis + 2) % 3] = i & 2 ? 1 : -1;
				add_vertex(m, at[0], at[1], at[2]);
			}
			add_triangle(m, first, first + 1, first + 3);
			add_triangle(m, first, first + 3, first + 2);
		}
	}
}

/* "v X Y Z" */
static const char *read_vertex(struct cli_gl_mesh *m, char *at)
{
	double to[3];

	for (size_t i = 0; i < 3; i++) {
		char *end;

		to[i] = strtod(at, &end);
		if (end == at || !(fabs(to[i]) <= FARTHEST))
			return "a vertex has no three numbers up to 1e15";
		at = end;
	}
	add_vertex(m, to[0], to[1], to[2]);
	return NULL;
}

/* "f 1 2/7 -1//3": numbers from 1, or from the end. A polygon is a fan of triangles. */
static const char *read_face(struct cli_gl_mesh *m, char *at)
{
	size_t corner[MOST_CORNERS], n = 0;
	char *word, *end;

	while ((word = strsep(&at, " \t\r\n"))) {
		long number = strtol(word, &end, 10);
		long place = number < 0 ? (long)m->n + number : number - 1;

		if (!*word)
			continue;
		if (end == word || (*end && *end != '/'))
			return "a face has what is no number of a vertex";
		if (!number || place < 0 || (size_t)place >= m->n)
			return "a face has a vertex that is not there";
		if (n == MOST_CORNERS)
			return "a face has more than 64 corners";
		corner[n++] = (size_t)place;
	}
	if (n < 3)
		return "a face has fewer than three corners";
	for (size_t i = 2; i < n; i++)
		add_triangle(m, corner[0], corner[i - 1], corner[i]);
	return NULL;
}

static int read_file(struct cli_gl_mesh *m, const char *path)
{
	FILE *f = cli_fopen_file(path);
	const char *wrong = NULL;
	size_t room = 0, number = 0;
	char *line = NULL;

	if (!f) {
		cli_say("cannot read the mesh %s: %s (or name cube, sphere or torus)", path,
			cli_fopen_why());
		return -EINVAL;
	}
	while (!wrong && cli_getline(&line, &room, f) >= 0) {
		number++;
		if (strncmp(line, "v ", 2) == 0)
			wrong = read_vertex(m, line + 2);
		else if (strncmp(line, "f ", 2) == 0)
			wrong = read_face(m, line + 2);
	}
	if (!wrong && ferror(f))
		wrong = strerror(errno);
	else if (!wrong && !m->n_indices)
		wrong = "it has no face: is it an OBJ file?";
	free(line);
	fclose(f);
	if (!wrong)
		return 0;
	cli_say("%s: line %zu: %s", path, number, wrong);
	return -EINVAL;
}

/* Into a ball of radius 1 around 0. */
static void fit(struct cli_gl_mesh *m)
{
	float least[3], most[3], radius = 0;

	for (size_t k = 0; k < 3; k++) {
		least[k] = most[k] = m->vertex[0].at[k];
		for (size_t i = 0; i < m->n; i++) {
			least[k] = fminf(least[k], m->vertex[i].at[k]);
			most[k] = fmaxf(most[k], m->vertex[i].at[k]);
		}
		radius += (most[k] - least[k]) * (most[k] - least[k]) / 4;
	}
	radius = radius > 0 ? sqrtf(radius) : 1;
	for (size_t i = 0; i < m->n; i++)
		for (size_t k = 0; k < 3; k++)
			m->vertex[i].at[k] =
				(m->vertex[i].at[k] - (least[k] + most[k]) / 2) / radius;
}

/* Of a vertex: the sum of those of its triangles; and a texture that lies in the plane x, y. */
static void finish(struct cli_gl_mesh *m)
{
	for (size_t i = 0; i < m->n_indices; i += 3) {
		const float *a = m->vertex[m->index[i]].at, *b = m->vertex[m->index[i + 1]].at,
			    *c = m->vertex[m->index[i + 2]].at;

		for (size_t k = 0; k < 3; k++) {
			size_t x = (k + 1) % 3, y = (k + 2) % 3;
			float of = (b[x] - a[x]) * (c[y] - a[y]) - (b[y] - a[y]) * (c[x] - a[x]);

			for (size_t corner = 0; corner < 3; corner++)
				m->vertex[m->index[i + corner]].normal[k] += of;
		}
	}
	for (size_t i = 0; i < m->n; i++)
		for (size_t k = 0; k < 2; k++)
			m->vertex[i].texture[k] = m->vertex[i].at[k] * 2;
}

int cli_gl_mesh_make(struct cli_gl_mesh *m, const char *name)
{
	int ret = 0;

	*m = (struct cli_gl_mesh){ .vertex = NULL };
	if (strcmp(name, "cube") == 0)
		add_cube(m);
	else if (strcmp(name, "sphere") == 0)
		add_surface(m, STEPS, STEPS / 2, at_sphere);
	else if (strcmp(name, "torus") == 0)
		add_surface(m, STEPS, STEPS / 2, at_torus);
	else
		ret = read_file(m, name);
	if (ret)
		return ret;
	fit(m);
	finish(m);
	return 0;
}

void cli_gl_mesh_fini(struct cli_gl_mesh *m)
{
	free(m->vertex);
	free(m->index);
}
