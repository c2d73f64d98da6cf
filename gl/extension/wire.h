/* SPDX-License-Identifier: MIT */
/**
 * DOC: What a program under ntime gl and ntime say to each other
 *
 * The program has the name of an abstract socket in its environment. For each drawable whose frames
 * end it connects, says what it has, gets a file for a ring of frames (<ntime/frame.h>) and what is
 * to be counted in them, makes the ring, says so, and closes the socket: whatever the program does
 * with its descriptors later, and however it ends, the frames are there.
 */
#ifndef GLP_WIRE_H
#define GLP_WIRE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

/* Of the environment: the socket's name without the NUL in front. */
#define GLP_WIRE_VARIABLE "NTIME_GL_FRAMES"
#define GLP_WIRE_VERSION 1
/* Of an answer's list of events, with its NUL. */
#define GLP_WIRE_EVENTS 4096
#define GLP_WIRE_QUERIES 15

/* The driver's own queries, by the numbers of the bits of .queries; X(name, unit, the same behind
 * a name, target of GL). */
#define GLP_QUERIES(X)                                                                             \
	X("samples-passed", "", "", GL_SAMPLES_PASSED)                                             \
	X("primitives-generated", "", "", GL_PRIMITIVES_GENERATED)                                 \
	X("transform-feedback-primitives", "", "", GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN)       \
	X("vertices-submitted", "", "", GL_VERTICES_SUBMITTED)                                     \
	X("primitives-submitted", "", "", GL_PRIMITIVES_SUBMITTED)                                 \
	X("vertex-shader-invocations", "", "", GL_VERTEX_SHADER_INVOCATIONS)                       \
	X("tess-control-shader-patches", "", "", GL_TESS_CONTROL_SHADER_PATCHES)                   \
	X("tess-evaluation-shader-invocations", "", "", GL_TESS_EVALUATION_SHADER_INVOCATIONS)     \
	X("geometry-shader-invocations", "", "", GL_GEOMETRY_SHADER_INVOCATIONS)                   \
	X("geometry-shader-primitives", "", "", GL_GEOMETRY_SHADER_PRIMITIVES_EMITTED)             \
	X("clipping-input-primitives", "", "", GL_CLIPPING_INPUT_PRIMITIVES)                       \
	X("clipping-output-primitives", "", "", GL_CLIPPING_OUTPUT_PRIMITIVES)                     \
	X("fragment-shader-invocations", "", "", GL_FRAGMENT_SHADER_INVOCATIONS)                   \
	X("compute-shader-invocations", "", "", GL_COMPUTE_SHADER_INVOCATIONS)                     \
	X("gpu-time", "ns", " [ns]", GL_TIMESTAMP)

/* What a program says first. */
enum glp_wire_kind {
	/* frames of a window, a pixmap or another surface that is swapped */
	GLP_WIRE_DRAWABLE,
	/* of a context without one: each glFlush() or glFinish() ends one */
	GLP_WIRE_CONTEXT,
	/* once a drawable: the driver could not swap; nothing is answered */
	GLP_WIRE_SWAP_FAILED,
	/* struct glp_wire_late follow, to the end: results that no later frame could store */
	GLP_WIRE_LATE
};

/**
 * struct glp_wire_hello - from the program
 * @kind:	enum glp_wire_kind
 * @pid:	as the program knows itself
 * @frame:	GLP_WIRE_SWAP_FAILED: in which it was
 * @drawable:	its handle, which another process may have as well
 */
struct glp_wire_hello {
	uint32_t version, kind;
	int32_t pid;
	uint32_t reserved;
	uint64_t frame, drawable;
};

/**
 * struct glp_wire_answer - to it, with the ring's file, which is empty
 * @depth:	of the ring
 * @queries:	bits of GLP_QUERIES, which come behind the events, in this order
 * @of_machine:	1: the events are counted for the whole machine; 0: for the program
 * @events:	for ntime_session_add_list(); "": none
 */
struct glp_wire_answer {
	uint32_t version, depth, queries, of_machine;
	char events[GLP_WIRE_EVENTS];
};

/**
 * struct glp_wire_late - the driver's queries of a frame
 * @known:	bits of those that have a number, in the order of the ring
 */
struct glp_wire_late {
	uint64_t frame;
	uint32_t known, reserved;
	uint64_t count[GLP_WIRE_QUERIES];
};

/* struct glp_wire_done - the ring is there, or @error is -errno, and @why a sentence or "" */
struct glp_wire_done {
	int32_t error;
	char why[508];
};

/*
 * Is who stands behind socket @fd of this user, or root? Asked by both: anybody can have the name
 * once ntime has ended, and who has a ring can cut it.
 */
static inline bool glp_wire_is_trusted(int fd)
{
	struct ucred who;
	socklen_t bytes = sizeof(who);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &bytes) == 0 &&
	       (who.uid == geteuid() || who.uid == 0);
}

#endif
