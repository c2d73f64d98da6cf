// SPDX-License-Identifier: MIT
/* hwloc: which CPUs share cores, caches and packages. */
#include <hwloc.h>

#include "base/lazy/define.h"

#define FUNCTIONS(F)                                                                               \
	F(int, -1, hwloc_topology_init, (hwloc_topology_t * out), (out))                           \
	F(int, -1, hwloc_topology_set_components,                                                  \
	  (hwloc_topology_t t, unsigned long flags, const char *name), (t, flags, name))           \
	F(int, -1, hwloc_topology_set_flags, (hwloc_topology_t t, unsigned long flags),            \
	  (t, flags))                                                                              \
	F(int, -1, hwloc_topology_set_synthetic, (hwloc_topology_t t, const char *text),           \
	  (t, text))                                                                               \
	F(int, -1, hwloc_topology_set_xmlbuffer, (hwloc_topology_t t, const char *xml, int bytes), \
	  (t, xml, bytes))                                                                         \
	F(int, -1, hwloc_topology_load, (hwloc_topology_t t), (t))                                 \
	F(void, (void)0, hwloc_topology_destroy, (hwloc_topology_t t), (t))                        \
	F(int, -1, hwloc_topology_export_xmlbuffer,                                                \
	  (hwloc_topology_t t, char **xml, int *bytes, unsigned long flags),                       \
	  (t, xml, bytes, flags))                                                                  \
	F(void, (void)0, hwloc_free_xmlbuffer, (hwloc_topology_t t, char *xml), (t, xml))          \
	F(hwloc_const_cpuset_t, NULL, hwloc_topology_get_complete_cpuset, (hwloc_topology_t t),    \
	  (t))                                                                                     \
	F(int, HWLOC_TYPE_DEPTH_UNKNOWN, hwloc_get_type_depth,                                     \
	  (hwloc_topology_t t, hwloc_obj_type_t type), (t, type))                                  \
	F(unsigned, 0, hwloc_get_nbobjs_by_depth, (hwloc_topology_t t, int depth), (t, depth))     \
	F(hwloc_obj_t, NULL, hwloc_get_obj_by_depth, (hwloc_topology_t t, int depth, unsigned i),  \
	  (t, depth, i))                                                                           \
	F(int, -1, hwloc_bitmap_first, (hwloc_const_bitmap_t b), (b))                              \
	F(int, -1, hwloc_bitmap_next, (hwloc_const_bitmap_t b, int from), (b, from))               \
	F(int, 0, hwloc_bitmap_isset, (hwloc_const_bitmap_t b, unsigned id), (b, id))              \
	F(int, 0, hwloc_bitmap_weight, (hwloc_const_bitmap_t b), (b))

NTI_LAZY_DEFINE(hwloc, "libhwloc.so.15", "libhwloc15", "cores, caches and packages", FUNCTIONS)
