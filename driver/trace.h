/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* The tracepoint ntime:ntime_access: each access to hardware, on the CPU that made it. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM ntime

#if !defined(NTD_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define NTD_TRACE_H

#include <linux/tracepoint.h>

TRACE_EVENT(ntime_access,
	    TP_PROTO(const char *unit, unsigned int space, u32 address, u64 value,
		     bool is_write, int result),
	    TP_ARGS(unit, space, address, value, is_write, result),
	    TP_STRUCT__entry(__string(unit, unit)
			     __field(unsigned int, cpu)
			     __field(unsigned int, space)
			     __field(u32, address)
			     __field(u64, value)
			     __field(bool, is_write)
			     __field(int, result)),
	    TP_fast_assign(NTD_ASSIGN_STR(unit, unit);
			   __entry->cpu = raw_smp_processor_id();
			   __entry->space = space;
			   __entry->address = address;
			   __entry->value = value;
			   __entry->is_write = is_write;
			   __entry->result = result;),
	    TP_printk("%s %s cpu=%u space=%s address=0x%x value=0x%llx result=%d",
		      __entry->is_write ? "write" : "read", __get_str(unit), __entry->cpu,
		      __print_symbolic(__entry->space, { 1, "msr" }, { 2, "pci" },
				       { 3, "cp15" }, { 4, "mmio" }, { 5, "sysreg" },
				       { 6, "pmsel" }),
		      __entry->address, __entry->value, __entry->result)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
