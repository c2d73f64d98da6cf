// SPDX-License-Identifier: MIT
/* The binary interface: where each member of each public struct lies, and what each public constant is worth. */
#include <ntime/ntime.h>

#include "tests/tt.h"

/*
 * Programs compiled against an older libntime.so.0 have these numbers in them. A row may be added; a row that exists may change
 * only together with the soversion. Numbers are those of LP64 with 8-byte alignment of 64-bit types (x86-64, arm64).
 */
static const struct layout_row {
	int line;
	const char *what;
	size_t offset, bytes, offset_wanted, bytes_wanted;
} layout_rows[] = {
#define MEMBER(type, member, at, size)                                                             \
	{                                                                                          \
		__LINE__, #type "." #member, offsetof(struct type, member),                        \
			sizeof(((struct type *)0)->member), (at), (size)                           \
	}
#define STRUCT(type, size)                                                                         \
	{                                                                                          \
		__LINE__, "struct " #type, 0, sizeof(struct type), 0, (size)                       \
	}
	MEMBER(ntime_command_end, size, 0, 4),
	MEMBER(ntime_command_end, status, 4, 4),
	MEMBER(ntime_command_end, real_ns, 8, 8),
	MEMBER(ntime_command_end, user_ns, 16, 8),
	MEMBER(ntime_command_end, sys_ns, 24, 8),
	MEMBER(ntime_command_end, max_rss_bytes, 32, 8),
	MEMBER(ntime_command_end, minor_faults, 40, 8),
	MEMBER(ntime_command_end, major_faults, 48, 8),
	MEMBER(ntime_command_end, voluntary_switches, 56, 8),
	MEMBER(ntime_command_end, involuntary_switches, 64, 8),
	MEMBER(ntime_command_end, max_rss_floor_bytes, 72, 8),
	MEMBER(ntime_command_end, reserved, 80, 24),
	STRUCT(ntime_command_end, 104),
	MEMBER(ntime_options, size, 0, 4),
	MEMBER(ntime_options, flags, 4, 4),
	MEMBER(ntime_options, root, 8, 8),
	MEMBER(ntime_options, machine, 16, 8),
	MEMBER(ntime_options, metrics, 24, 8),
	MEMBER(ntime_options, log, 32, 8),
	MEMBER(ntime_options, log_arg, 40, 8),
	MEMBER(ntime_options, reserved, 48, 32),
	STRUCT(ntime_options, 80),
	MEMBER(ntime_way_info, size, 0, 4),
	MEMBER(ntime_way_info, usable, 4, 4),
	MEMBER(ntime_way_info, name, 8, 8),
	MEMBER(ntime_way_info, reaches, 16, 8),
	MEMBER(ntime_way_info, reason, 24, 8),
	MEMBER(ntime_way_info, remedy, 32, 8),
	MEMBER(ntime_way_info, cost, 40, 8),
	STRUCT(ntime_way_info, 48),
	MEMBER(ntime_unit_info, size, 0, 4),
	MEMBER(ntime_unit_info, usable, 4, 4),
	MEMBER(ntime_unit_info, counters, 8, 4),
	MEMBER(ntime_unit_info, fixed, 12, 4),
	MEMBER(ntime_unit_info, name, 16, 8),
	MEMBER(ntime_unit_info, desc, 24, 8),
	MEMBER(ntime_unit_info, way, 32, 8),
	MEMBER(ntime_unit_info, cpus, 40, 8),
	MEMBER(ntime_unit_info, reason, 48, 8),
	MEMBER(ntime_unit_info, remedy, 56, 8),
	STRUCT(ntime_unit_info, 64),
	MEMBER(ntime_event_info, size, 0, 4),
	MEMBER(ntime_event_info, usable, 4, 4),
	MEMBER(ntime_event_info, name, 8, 8),
	MEMBER(ntime_event_info, unit, 16, 8),
	MEMBER(ntime_event_info, desc, 24, 8),
	MEMBER(ntime_event_info, unit_text, 32, 8),
	MEMBER(ntime_event_info, formula, 40, 8),
	MEMBER(ntime_event_info, reason, 48, 8),
	MEMBER(ntime_event_info, remedy, 56, 8),
	MEMBER(ntime_event_info, beside, 64, 8),
	MEMBER(ntime_event_info, is_default, 72, 4),
	MEMBER(ntime_event_info, reserved, 76, 4),
	MEMBER(ntime_event_info, group, 80, 8),
	STRUCT(ntime_event_info, 88),
	MEMBER(ntime_obstacle, size, 0, 4),
	MEMBER(ntime_obstacle, is_here, 4, 4),
	MEMBER(ntime_obstacle, what, 8, 8),
	MEMBER(ntime_obstacle, reason, 16, 8),
	MEMBER(ntime_obstacle, remedy, 24, 8),
	STRUCT(ntime_obstacle, 32),
	MEMBER(ntime_encoding, size, 0, 4),
	MEMBER(ntime_encoding, type, 4, 4),
	MEMBER(ntime_encoding, config, 8, 8),
	MEMBER(ntime_encoding, config1, 16, 8),
	MEMBER(ntime_encoding, config2, 24, 8),
	MEMBER(ntime_encoding, exclude, 32, 4),
	MEMBER(ntime_encoding, precise, 36, 4),
	MEMBER(ntime_encoding, unit, 40, 8),
	STRUCT(ntime_encoding, 48),
	MEMBER(ntime_register_info, size, 0, 4),
	MEMBER(ntime_register_info, scope, 4, 4),
	MEMBER(ntime_register_info, number, 8, 4),
	MEMBER(ntime_register_info, cpu, 12, 4),
	MEMBER(ntime_register_info, address, 16, 4),
	MEMBER(ntime_register_info, bits, 20, 4),
	MEMBER(ntime_register_info, trust, 24, 4),
	MEMBER(ntime_register_info, is_readable, 28, 4),
	MEMBER(ntime_register_info, is_writable, 32, 4),
	MEMBER(ntime_register_info, fields, 36, 4),
	MEMBER(ntime_register_info, writable, 40, 8),
	MEMBER(ntime_register_info, path, 48, 8),
	MEMBER(ntime_register_info, unit, 56, 8),
	MEMBER(ntime_register_info, device, 64, 8),
	MEMBER(ntime_register_info, space, 72, 8),
	MEMBER(ntime_register_info, table, 80, 8),
	MEMBER(ntime_register_info, name, 88, 8),
	MEMBER(ntime_register_info, linux_name, 96, 8),
	MEMBER(ntime_register_info, way, 104, 8),
	MEMBER(ntime_register_info, source, 112, 8),
	MEMBER(ntime_register_info, reason, 120, 8),
	MEMBER(ntime_register_info, remedy, 128, 8),
	MEMBER(ntime_register_info, reserved, 136, 16),
	STRUCT(ntime_register_info, 152),
	MEMBER(ntime_register_field, size, 0, 4),
	MEMBER(ntime_register_field, shift, 4, 4),
	MEMBER(ntime_register_field, width, 8, 4),
	MEMBER(ntime_register_field, access, 12, 4),
	MEMBER(ntime_register_field, name, 16, 8),
	MEMBER(ntime_register_field, about, 24, 8),
	STRUCT(ntime_register_field, 32),
	MEMBER(ntime_reader_state, type, 0, 4),
	MEMBER(ntime_reader_state, index, 4, 4),
	MEMBER(ntime_reader_state, origin, 8, 8),
	MEMBER(ntime_reader_state, thread, 16, 8),
	MEMBER(ntime_reader_state, source, 24, 8),
	MEMBER(ntime_reader_state, pinned, 32, 8),
	MEMBER(ntime_reader_state, limit, 40, 8),
	MEMBER(ntime_reader_state, base, 48, 8),
	STRUCT(ntime_reader_state, 56),
	MEMBER(ntime_reader, size, 0, 4),
	MEMBER(ntime_reader, item, 4, 4),
	MEMBER(ntime_reader, state, 8, 8),
	MEMBER(ntime_reader, session, 16, 8),
	STRUCT(ntime_reader, 24),
	MEMBER(ntime_target, size, 0, 4),
	MEMBER(ntime_target, kind, 4, 4),
	MEMBER(ntime_target, flags, 8, 4),
	MEMBER(ntime_target, pid, 12, 4),
	MEMBER(ntime_target, cpus, 16, 8),
	MEMBER(ntime_target, pass, 24, 4),
	MEMBER(ntime_target, via, 28, 4),
	MEMBER(ntime_target, reserved, 32, 24),
	STRUCT(ntime_target, 56),
	MEMBER(ntime_item, size, 0, 4),
	MEMBER(ntime_item, pass, 4, 4),
	MEMBER(ntime_item, is_metric, 8, 4),
	MEMBER(ntime_item, is_hidden, 12, 4),
	MEMBER(ntime_item, scale, 16, 8),
	MEMBER(ntime_item, name, 24, 8),
	MEMBER(ntime_item, unit, 32, 8),
	MEMBER(ntime_item, unit_text, 40, 8),
	MEMBER(ntime_item, way, 48, 8),
	MEMBER(ntime_item, reason, 56, 8),
	MEMBER(ntime_item, remedy, 64, 8),
	MEMBER(ntime_item, beside, 72, 8),
	MEMBER(ntime_item, scope, 80, 4),
	MEMBER(ntime_item, together, 84, 4),
	MEMBER(ntime_item, is_state, 88, 4),
	MEMBER(ntime_item, reserved, 92, 4),
	STRUCT(ntime_item, 96),
	MEMBER(ntime_place_info, size, 0, 4),
	MEMBER(ntime_place_info, pid, 4, 4),
	MEMBER(ntime_place_info, cpu, 8, 4),
	MEMBER(ntime_place_info, core, 12, 4),
	MEMBER(ntime_place_info, l3, 16, 4),
	MEMBER(ntime_place_info, package, 20, 4),
	MEMBER(ntime_place_info, node, 24, 4),
	MEMBER(ntime_place_info, reserved, 28, 4),
	STRUCT(ntime_place_info, 32),
	MEMBER(ntime_cpu_info, size, 0, 4),
	MEMBER(ntime_cpu_info, is_online, 4, 4),
	MEMBER(ntime_cpu_info, cpu, 8, 4),
	MEMBER(ntime_cpu_info, core, 12, 4),
	MEMBER(ntime_cpu_info, package, 16, 4),
	MEMBER(ntime_cpu_info, node, 20, 4),
	MEMBER(ntime_cpu_info, thread, 24, 4),
	MEMBER(ntime_cpu_info, l3, 28, 4),
	STRUCT(ntime_cpu_info, 32),
	MEMBER(ntime_topology, size, 0, 4),
	MEMBER(ntime_topology, cpus, 4, 4),
	MEMBER(ntime_topology, online_cpus, 8, 4),
	MEMBER(ntime_topology, cores, 12, 4),
	MEMBER(ntime_topology, packages, 16, 4),
	MEMBER(ntime_topology, nodes, 20, 4),
	STRUCT(ntime_topology, 24),
	MEMBER(ntime_value, count, 0, 8),
	MEMBER(ntime_value, value, 8, 8),
	MEMBER(ntime_value, error, 16, 8),
	MEMBER(ntime_value, scale, 24, 8),
	MEMBER(ntime_value, wanted_ns, 32, 8),
	MEMBER(ntime_value, counted_ns, 40, 8),
	MEMBER(ntime_value, flags, 48, 4),
	MEMBER(ntime_value, reserved, 52, 4),
	STRUCT(ntime_value, 56),
#undef MEMBER
#undef STRUCT
};

TEST(layouts)
{
	if (sizeof(void *) != 8 || sizeof(long) != 8)
		TT_SKIP("the numbers are those of LP64 machines");
	TT_FOR_EACH_ROW(r, layout_rows) {
		if (r->offset != r->offset_wanted || r->bytes != r->bytes_wanted)
			print_error("%s moved or changed its size:\n", r->what);
		TT_EQ(r, r->offset, r->offset_wanted);
		TT_EQ(r, r->bytes, r->bytes_wanted);
	}
}

static const struct constant_row {
	int line;
	unsigned long long value, wanted;
} constant_rows[] = {
	{ __LINE__, NTIME_TARGET_THREAD, 0 },
	{ __LINE__, NTIME_TARGET_PROCESS, 1 },
	{ __LINE__, NTIME_TARGET_CPUS, 2 },
	{ __LINE__, NTIME_TARGET_MACHINE, 3 },
	{ __LINE__, NTIME_CHILDREN, 1 },
	{ __LINE__, NTIME_ON_EXEC, 2 },
	{ __LINE__, NTIME_BY_PASS, 4 },
	{ __LINE__, NTIME_PASS_ALONE, 8 },
	{ __LINE__, NTIME_READER_CALL, 0 },
	{ __LINE__, NTIME_READER_TSC, 1 },
	{ __LINE__, NTIME_READER_PMC, 2 },
	{ __LINE__, NTIME_READER_MEMORY, 3 },
	{ __LINE__, NTIME_READER_CORE, 4 },
	{ __LINE__, NTIME_VIA_AUTO, 0 },
	{ __LINE__, NTIME_VIA_PERF, 1 },
	{ __LINE__, NTIME_VIA_NTIMEFS, 2 },
	{ __LINE__, NTIME_VIA_MSR, 3 },
	{ __LINE__, NTIME_VIA_PCI, 4 },
	{ __LINE__, NTIME_SCOPE_CPU, 0 },
	{ __LINE__, NTIME_SCOPE_CORE, 1 },
	{ __LINE__, NTIME_SCOPE_L3, 2 },
	{ __LINE__, NTIME_SCOPE_PACKAGE, 3 },
	{ __LINE__, NTIME_SCOPE_MACHINE, 4 },
	{ __LINE__, NTIME_SUM, 0 },
	{ __LINE__, NTIME_MAX, 1 },
	{ __LINE__, NTIME_MIN, 2 },
	{ __LINE__, NTIME_ABSENT, 1 },
	{ __LINE__, NTIME_NOT_COUNTED, 2 },
	{ __LINE__, NTIME_SCALED, 4 },
	{ __LINE__, NTIME_OVERFLOWED, 8 },
	{ __LINE__, NTIME_SIMULATED, 16 },
	{ __LINE__, NTIME_METRIC, 32 },
	{ __LINE__, NTIME_PARTIAL, 64 },
	{ __LINE__, NTIME_USER_ONLY, 128 },
	{ __LINE__, NTIME_ELSEWHERE, 256 },
	{ __LINE__, NTIME_LOST, 512 },
	{ __LINE__, NTIME_STATE, 1024 },
	{ __LINE__, NTIME_REGISTER_OF_CPU, 0 },
	{ __LINE__, NTIME_REGISTER_OF_PACKAGE, 1 },
	{ __LINE__, NTIME_REGISTER_OF_DEVICE, 2 },
	{ __LINE__, NTIME_REGISTER_DOCUMENTED, 1 },
	{ __LINE__, NTIME_REGISTER_MEASURED, 2 },
	{ __LINE__, NTIME_REGISTER_GUESSED, 3 },
	{ __LINE__, NTIME_FIELD_RO, 1 },
	{ __LINE__, NTIME_FIELD_OS, 2 },
	{ __LINE__, NTIME_FIELD_OS_CLEAR, 3 },
	{ __LINE__, NTIME_FIELD_OS_RW1C, 4 },
	{ __LINE__, NTIME_FIELD_RW, 5 },
	{ __LINE__, NTIME_FIELD_RW1C, 6 },
	{ __LINE__, NTIME_FIELD_W1C, 7 },
	{ __LINE__, NTIME_FIELD_RW1S, 8 },
	{ __LINE__, NTIME_FIELD_RW0C, 9 },
	{ __LINE__, NTIME_REGISTER_WRITE, 1 },
	{ __LINE__, NTIME_REGISTER_KEEP, 2 },
	{ __LINE__, NTIME_REGISTER_FORCE, 4 },
};

TEST(constants)
{
	TT_FOR_EACH_ROW(r, constant_rows)
		TT_EQ(r, r->value, r->wanted);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(layouts),
		cmocka_unit_test(constants),
	};

	return TT_RUN(tests);
}
