// SPDX-License-Identifier: MIT
/* Copies of a mesh on a grid. All that moves follows the number of the frame. */
#include "gl/cli/scene.h"

#include <stdlib.h>

#include "gl/cli/context.h"
#include "gl/cli/mesh.h"
#include "base/output/memory.h"
#include "base/output/say.h"

#define WIDTH 640
#define HEIGHT 480
#define SMALL_TEXTURE 16
#define LARGE_TEXTURE 1024

#define FUNCTIONS(X)                                                                               \
	X(Begin)                                                                                   \
	X(BindBuffer)                                                                              \
	X(BindTexture)                                                                             \
	X(BufferData)                                                                              \
	X(Clear)                                                                                   \
	X(DrawElements)                                                                            \
	X(Enable)                                                                                  \
	X(EnableClientState)                                                                       \
	X(End)                                                                                     \
	X(Frustum)                                                                                 \
	X(GenBuffers)                                                                              \
	X(GenTextures)                                                                             \
	X(Lightfv)                                                                                 \
	X(LoadIdentity)                                                                            \
	X(MatrixMode)                                                                              \
	X(Normal3fv)                                                                               \
	X(NormalPointer)                                                                           \
	X(PopMatrix)                                                                               \
	X(PushMatrix)                                                                              \
	X(Rotatef)                                                                                 \
	X(Scalef)                                                                                  \
	X(TexCoord2fv)                                                                             \
	X(TexCoordPointer)                                                                         \
	X(TexImage2D)                                                                              \
	X(TexParameteri)                                                                           \
	X(Translatef)                                                                              \
	X(Vertex3fv)                                                                               \
	X(VertexPointer)                                                                           \
	X(Viewport)

struct drawing {
	const struct cli_gl_scene *scene;
	enum cli_gl_mode mode;
	struct cli_gl_mesh mesh;
	struct cli_gl_context context;
	struct {
/* NOLINTNEXTLINE(bugprone-macro-parentheses) the name of a member cannot have any */
#define MEMBER(name) __typeof__(&gl##name) name;
		FUNCTIONS(MEMBER)
#undef MEMBER
	} gl;
};

static void make_texture(const struct drawing *d)
{
	GLsizei size = d->scene->has_large_texture ? LARGE_TEXTURE : SMALL_TEXTURE;
	size_t n = (size_t)size * (size_t)size;
	unsigned char *texel = cli_calloc(n, 3);
	GLuint texture;

	for (size_t i = 0; i < n; i++) {
		bool is_dark = (i / 4 ^ i / (size_t)size / 4) & 1;

		texel[3 * i] = is_dark ? 90 : 250;
		texel[3 * i + 1] = is_dark ? 110 : 240;
		texel[3 * i + 2] = is_dark ? 160 : 230;
	}
	d->gl.GenTextures(1, &texture);
	d->gl.BindTexture(GL_TEXTURE_2D, texture);
	d->gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
	d->gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
	d->gl.TexImage2D(GL_TEXTURE_2D, 0, GL_RGB, size, size, 0, GL_RGB, GL_UNSIGNED_BYTE, texel);
	free(texel);
}

/* Where vertices and indices are: in this process, or in buffers, whose beginning is NULL. */
static void point_to(const struct drawing *d, const char *vertices)
{
	const GLsizei step = sizeof(struct cli_gl_vertex);

	d->gl.EnableClientState(GL_VERTEX_ARRAY);
	d->gl.EnableClientState(GL_NORMAL_ARRAY);
	d->gl.EnableClientState(GL_TEXTURE_COORD_ARRAY);
	d->gl.VertexPointer(3, GL_FLOAT, step, vertices + offsetof(struct cli_gl_vertex, at));
	d->gl.NormalPointer(GL_FLOAT, step, vertices + offsetof(struct cli_gl_vertex, normal));
	d->gl.TexCoordPointer(2, GL_FLOAT, step,
			      vertices + offsetof(struct cli_gl_vertex, texture));
}

static void make_buffers(const struct drawing *d)
{
	const struct cli_gl_mesh *m = &d->mesh;
	GLuint buffer[2];

	d->gl.GenBuffers(2, buffer);
	d->gl.BindBuffer(GL_ARRAY_BUFFER, buffer[0]);
	d->gl.BufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(m->n * sizeof(*m->vertex)), m->vertex,
			 GL_STATIC_DRAW);
	d->gl.BindBuffer(GL_ELEMENT_ARRAY_BUFFER, buffer[1]);
	d->gl.BufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)(m->n_indices * sizeof(*m->index)),
			 m->index, GL_STATIC_DRAW);
}

static void begin(struct drawing *d)
{
#define LOAD(name) *(void **)&d->gl.name = (void *)d->context.egl.GetProcAddress("gl" #name);
	FUNCTIONS(LOAD)
#undef LOAD
	d->gl.Viewport(0, 0, WIDTH, HEIGHT);
	d->gl.MatrixMode(GL_PROJECTION);
	d->gl.LoadIdentity();
	d->gl.Frustum(-1.0 * WIDTH / HEIGHT, 1.0 * WIDTH / HEIGHT, -1, 1, 2, 20);
	d->gl.MatrixMode(GL_MODELVIEW);
	d->gl.Enable(GL_DEPTH_TEST);
	d->gl.Enable(GL_LIGHTING);
	d->gl.Enable(GL_LIGHT0);
	d->gl.Enable(GL_NORMALIZE);
	d->gl.Enable(GL_TEXTURE_2D);
	make_texture(d);
	if (d->mode == CLI_GL_VBO)
		make_buffers(d);
	if (d->mode != CLI_GL_IMMEDIATE)
		point_to(d, d->mode == CLI_GL_VBO ? NULL : (const char *)d->mesh.vertex);
}

static void draw_mesh(const struct drawing *d)
{
	const struct cli_gl_mesh *m = &d->mesh;

	if (d->mode != CLI_GL_IMMEDIATE) {
		d->gl.DrawElements(GL_TRIANGLES, (GLsizei)m->n_indices, GL_UNSIGNED_INT,
				   d->mode == CLI_GL_VBO ? NULL : m->index);
		return;
	}
	d->gl.Begin(GL_TRIANGLES);
	for (size_t i = 0; i < m->n_indices; i++) {
		const struct cli_gl_vertex *v = &m->vertex[m->index[i]];

		d->gl.Normal3fv(v->normal);
		d->gl.TexCoord2fv(v->texture);
		d->gl.Vertex3fv(v->at);
	}
	d->gl.End();
}

static void draw_frame(const struct drawing *d, uint64_t number)
{
	/* A turn of the models in 100 frames, and of the light in 50. */
	const float turn = 3.6f * (float)number;
	const float light[4] = { 1, 1, 1, 0 };

	d->gl.Clear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
	d->gl.LoadIdentity();
	d->gl.Translatef(0, 0, -7);
	d->gl.PushMatrix();
	d->gl.Rotatef(2 * turn, 0, 1, 0);
	d->gl.Lightfv(GL_LIGHT0, GL_POSITION, light);
	d->gl.PopMatrix();
	for (uint64_t i = 0; i < d->scene->count; i++) {
		/* From the middle on. */
		int place = (int)(i + CLI_GL_MOST_COPIES / 2) % CLI_GL_MOST_COPIES;

		d->gl.PushMatrix();
		d->gl.Translatef(2.0f * (float)(place % 3 - 1), 2.0f * (float)(place / 3 % 3 - 1),
				 2.0f * (float)(place / 9 - 1));
		d->gl.Rotatef(turn, 0.3f, 1, 0.1f);
		draw_mesh(d);
		d->gl.PopMatrix();
	}
}

int cli_gl_scene_draw(const struct cli_gl_scene *s)
{
	const struct cli_gl_surface surface = { .width = WIDTH,
						.height = HEIGHT,
						.is_window = s->is_window };
	struct drawing d = { .scene = s, .mode = s->mode_is };
	int ret = cli_gl_mesh_make(&d.mesh, s->model) || cli_gl_context_begin(&d.context, &surface)
			  ? CLI_EXIT_FAILED
			  : 0;

	if (!ret)
		begin(&d);
	for (uint64_t i = 0; i < s->frames && !ret; i++) {
		draw_frame(&d, i);
		if (!d.context.egl.SwapBuffers(d.context.display, d.context.surface)) {
			cli_say("frame %llu could not be swapped: the window is gone",
				(unsigned long long)i);
			ret = CLI_EXIT_FAILED;
		}
	}
	cli_gl_context_end(&d.context);
	cli_gl_mesh_fini(&d.mesh);
	return ret;
}
