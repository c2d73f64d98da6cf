/* SPDX-License-Identifier: MIT */
/*
 * Where a trace comes from: a file, a pipe, a file that grows; plain or compressed. Bytes from
 * front to back.
 */
#ifndef NTI_TRACE_INPUT_H
#define NTI_TRACE_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct nti_error;
struct nti_input;

/* 0; -errno with a sentence in @e. */
int nti_input_open(struct nti_error *e, const char *path, bool follows, struct nti_input **out);
void nti_input_close(struct nti_input *in);

/*
 * The next bytes, at most @n, as many as are there without waiting but at least one. 0: the end;
 * -ESTALE: what follows is from the beginning of a file that was cut or took the place of the old
 * one; -EBADMSG, -E2BIG, -ENOMEM, -EIO ... with a sentence in @e; -EINTR.
 */
ssize_t nti_input_read(struct nti_input *in, struct nti_error *e, char *buf, size_t n);

/*
 * Where it follows: what is there by now is still read, then comes the end. Safe in a signal
 * handler.
 */
void nti_input_stop(struct nti_input *in);
/* The end came because of that, and not because there is no more. */
bool nti_input_is_stopped(const struct nti_input *in);

/* The next read waits for somebody to write. */
bool nti_input_would_wait(const struct nti_input *in);

/* "", "gzip", ... */
const char *nti_input_compression(const struct nti_input *in);
/* Bytes used of the input as it is stored; and all of them, 0 unknown. */
uint64_t nti_input_position(const struct nti_input *in);
uint64_t nti_input_bytes(const struct nti_input *in);

#endif
