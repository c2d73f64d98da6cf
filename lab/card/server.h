/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Serves one card to several clients over a socket: include/uapi/ntime_model.h has the messages.
 * One thread; what a client asks is done before the next one is heard.
 */
#ifndef NTM_SERVER_H
#define NTM_SERVER_H

#include <stdio.h>

#include "lab/card/scene.h"

struct ntm_server;

/*
 * A card with the chip of @scene, which is borrowed and says what it works on, that listens
 * at @path, where nobody else may. It has the units of the masks @keep, by
 * enum ntm_nv50_units; 0: all of the die. 0; -EINVAL: the die has others; -EADDRINUSE: a model
 * serves there already; -EEXIST: something other than a socket is there; or -errno.
 */
int ntm_server_new(const struct ntm_scene *scene, const uint32_t keep[NTM_NV50_KINDS],
		   const char *path, struct ntm_server **out);
/* Accesses of clients go to @log, which is borrowed, as QEMU's trace of a device has them. */
void ntm_server_log(struct ntm_server *s, FILE *log);
/*
 * Serve until @until_fd becomes readable. 0 or -errno. A client that breaks the protocol is
 * disconnected; the others go on.
 */
int ntm_server_run(struct ntm_server *s, int until_fd);
/* The socket goes away, if it is still this server's. */
void ntm_server_free(struct ntm_server *s);

#endif
