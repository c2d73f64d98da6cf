/* SPDX-License-Identifier: MIT */
/* Meshes of triangles: computed, or of an OBJ file. */
#ifndef CLI_GL_MESH_H
#define CLI_GL_MESH_H

#include <stddef.h>
#include <stdint.h>

/* As OpenGL gets it. */
struct cli_gl_vertex {
	float at[3], normal[3], texture[2];
};

/**
 * struct cli_gl_mesh - within a ball of radius 1 around 0
 * @index:	@n_indices, three a triangle
 */
struct cli_gl_mesh {
	struct cli_gl_vertex *vertex;
	uint32_t *index;
	size_t n, n_indices;
};

/*
 * "cube", "sphere", "torus", or a file of Wavefront's OBJ. 0 or -EINVAL after a sentence;
 * cli_gl_mesh_fini() in either case.
 */
int cli_gl_mesh_make(struct cli_gl_mesh *m, const char *name);
void cli_gl_mesh_fini(struct cli_gl_mesh *m);

#endif
