/* SPDX-License-Identifier: MIT */
/*
 * The socket of a card that is a model, which a user names: include/uapi/ntime_model.h has the
 * messages. It is the user's, like a file that he names, and not of the machine that is looked at.
 */
#ifndef NTI_SOCKET_H
#define NTI_SOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "include/uapi/ntime_model.h"

/*
 * Connect and take the model's hello, which must be of our version. Descriptor or -errno, which
 * nti_socket_why() puts into words: -EPROTO, it speaks something else; -EPROTONOSUPPORT, another
 * version, which is in @hello.
 */
int nti_socket_open(const char *path, struct ntime_model_hello *hello);
/* Answers of this one are waited for as long as they take. */
void nti_socket_wait(int fd);
void nti_socket_close(int fd);

/*
 * One request and its reply. @text goes with it, NULL for none. *@value (may be NULL) is the
 * reply's value, also of one that failed; @answer its text with NUL, cut at @bytes (@answer may be
 * NULL). 0 or -errno: of the model, or -ECONNRESET: it went away, -ETIMEDOUT: it does not answer.
 */
int nti_socket_ask(int fd, const struct ntime_model_request *request, const char *text,
		   uint32_t *value, char *answer, size_t bytes);

/* Is it the model's answer that the request failed? With any other error the connection is lost. */
bool nti_socket_is_answer(int error);

/* What @error of these means, as the end of a sentence: "nobody serves it". */
const char *nti_socket_why(int error);

#endif
