/* SPDX-License-Identifier: MIT */
/* Marks what libntime exports. Included by the other headers; not useful alone. */
#ifndef NTIME_EXPORT_H
#define NTIME_EXPORT_H

#define NTIME_API __attribute__((visibility("default")))

/* Version of these headers; ntime_version() returns that of the library. */
#define NTIME_VERSION_MAJOR 0
#define NTIME_VERSION_MINOR 1
#define NTIME_VERSION_PATCH 0

#endif
