// SPDX-License-Identifier: MIT
/* libpfm4: names and encodings of processors' events (docs/adr/0004). */
#include <perfmon/pfmlib.h>

#include "base/lazy/define.h"

#define FUNCTIONS(F)                                                                               \
	F(pfm_err_t, PFM_ERR_NOTSUPP, pfm_initialize, (void), ())                                  \
	F(const char *, "", pfm_strerror, (int code), (code))                                      \
	F(pfm_err_t, PFM_ERR_NOTSUPP, pfm_get_pmu_info, (pfm_pmu_t pmu, pfm_pmu_info_t * out),     \
	  (pmu, out))                                                                              \
	F(int, PFM_ERR_NOTSUPP, pfm_get_event_next, (int index), (index))                          \
	F(int, PFM_ERR_NOTSUPP, pfm_find_event, (const char *text), (text))                        \
	F(pfm_err_t, PFM_ERR_NOTSUPP, pfm_get_event_info,                                          \
	  (int index, pfm_os_t os, pfm_event_info_t *out), (index, os, out))                       \
	F(pfm_err_t, PFM_ERR_NOTSUPP, pfm_get_event_attr_info,                                     \
	  (int event, int index, pfm_os_t os, pfm_event_attr_info_t *out),                         \
	  (event, index, os, out))                                                                 \
	F(pfm_err_t, PFM_ERR_NOTSUPP, pfm_get_os_event_encoding,                                   \
	  (const char *text, int modes, pfm_os_t os, void *arg), (text, modes, os, arg))

NTI_LAZY_DEFINE(pfm, "libpfm.so.4", "libpfm4", "event names of processors", FUNCTIONS)
