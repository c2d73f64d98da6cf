// SPDX-License-Identifier: MIT
/* libmicrohttpd: counters by HTTP. */
#include <microhttpd.h>

#include "base/lazy/define.h"

#define FUNCTIONS(F)                                                                               \
	F(struct MHD_Daemon *, NULL, MHD_start_daemon_va,                                          \
	  (unsigned int flags, uint16_t port, MHD_AcceptPolicyCallback apc, void *apc_cls,         \
	   MHD_AccessHandlerCallback dh, void *dh_cls, va_list ap),                                \
	  (flags, port, apc, apc_cls, dh, dh_cls, ap))                                             \
	F(void, (void)0, MHD_stop_daemon, (struct MHD_Daemon * daemon), (daemon))                  \
	F(enum MHD_Result, MHD_NO, MHD_run, (struct MHD_Daemon * daemon), (daemon))                \
	F(enum MHD_Result, MHD_NO, MHD_add_connection,                                             \
	  (struct MHD_Daemon * daemon, MHD_socket client_socket, const struct sockaddr *addr,      \
	   socklen_t addrlen),                                                                     \
	  (daemon, client_socket, addr, addrlen))                                                  \
	F(enum MHD_Result, MHD_NO, MHD_get_timeout,                                                \
	  (struct MHD_Daemon * daemon, MHD_UNSIGNED_LONG_LONG * timeout), (daemon, timeout))       \
	F(const union MHD_DaemonInfo *, NULL, MHD_get_daemon_info,                                 \
	  (struct MHD_Daemon * daemon, enum MHD_DaemonInfoType info_type, ...),                    \
	  (daemon, info_type))                                                                     \
	F(int, 0, MHD_get_connection_values,                                                       \
	  (struct MHD_Connection * connection, enum MHD_ValueKind kind,                            \
	   MHD_KeyValueIterator iterator, void *iterator_cls),                                     \
	  (connection, kind, iterator, iterator_cls))                                              \
	F(struct MHD_Response *, NULL, MHD_create_response_from_buffer,                            \
	  (size_t size, void *buffer, enum MHD_ResponseMemoryMode mode), (size, buffer, mode))     \
	F(enum MHD_Result, MHD_NO, MHD_add_response_header,                                        \
	  (struct MHD_Response * response, const char *header, const char *content),               \
	  (response, header, content))                                                             \
	F(enum MHD_Result, MHD_NO, MHD_queue_response,                                             \
	  (struct MHD_Connection * connection, unsigned int status_code,                           \
	   struct MHD_Response *response),                                                         \
	  (connection, status_code, response))                                                     \
	F(void, (void)0, MHD_destroy_response, (struct MHD_Response * response), (response))

NTI_LAZY_DEFINE(microhttpd, "libmicrohttpd.so.12", "libmicrohttpd12",
		"counters by HTTP (ntime export)", FUNCTIONS)
