// SPDX-License-Identifier: MIT
/*
 * Sessions of a command in the emulator, up to where it runs: what is refused, and that nothing was
 * counted before. count/tests/cli/test_emulator.py runs commands.
 */
#include <errno.h>
#include <math.h>
#include <sys/stat.h>

#include <ntime/ntime.h>

#include "emulator/program.h"
#include "base/os/exec_file.h"
#include "base/tests/tt.h"

#define PLUGIN "/no/plugin.so"

static struct ntime_ctx *open_ctx(void)
{
	struct ntime_ctx *ctx;

	TT_IS(ntime_open(&ctx, NULL), 0);
	return ctx;
}

/* Whether this machine has the emulator of its own programs. */
static bool has_emulator(void)
{
	char path[PATH_MAX];

	return nte_host_emulator() && nti_exec_find(nte_host_emulator(), path) == 0;
}

static const struct command_row {
	int line;
	const char *name;
	int ret;
	const char *sentence;
} command_rows[] = {
	{ __LINE__, "no-such-command", -ENOENT, "no-such-command: command not found" },
	{ __LINE__, "/no/such/command", -ENOENT, "/no/such/command: command not found" },
	{ __LINE__, "", -ENOENT, ": command not found" },
	{ __LINE__, "/etc/passwd", -EACCES, "/etc/passwd: Permission denied" },
	{ __LINE__, "/tmp", -ENOEXEC, "/tmp cannot be emulated: " },
};

TEST(commands_that_cannot_be_run)
{
	struct ntime_ctx *ctx = open_ctx();
	struct ntime_emulator *e = (struct ntime_emulator *)&e;

	TT_FOR_EACH_ROW(r, command_rows) {
		char *argv[] = { (char *)r->name, NULL };

		TT_EQ(r, ntime_emulator_new(ctx, argv, PLUGIN, 0, &e), r->ret);
		TT_EQ(r, e != NULL, 0);
		TT_HAS(ntime_error_text(ctx), r->sentence);
	}
	TT_IS(ntime_emulator_new(ctx, NULL, PLUGIN, 0, &e), -EINVAL);
	ntime_emulator_free(NULL);
	ntime_close(ctx);
}

TEST(an_emulator_counts_its_command_alone)
{
	struct ntime_ctx *ctx = open_ctx();
	struct ntime_target target = { .size = sizeof(target), .via = NTIME_VIA_EMULATOR };
	char *argv[] = { (char *)"true", NULL };
	struct ntime_item item = { .size = sizeof(item) };
	struct ntime_emulator *e;
	struct ntime_session *s;
	struct ntime_emulator_info info = { 0 };
	struct ntime_value v[3];

	/* Without one, and one without being asked for. */
	TT_IS(ntime_session_new(ctx, &target, &s), -EINVAL);
	if (!has_emulator()) {
		ntime_close(ctx);
		TT_SKIP("qemu-user is not installed");
	}
	TT_IS(ntime_emulator_new(ctx, argv, "/a,b", 0, &e), -EINVAL);
	TT_HAS(ntime_error_text(ctx), "/a,b has a comma in its name");
	TT_IS(ntime_emulator_new(ctx, argv, PLUGIN, 0, &e), 0);
	target.emulator = e;
	target.via = NTIME_VIA_AUTO;
	TT_IS(ntime_session_new(ctx, &target, &s), -EINVAL);
	target.via = NTIME_VIA_EMULATOR;
	target.kind = NTIME_TARGET_MACHINE;
	TT_IS(ntime_session_new(ctx, &target, &s), -EINVAL);
	target.kind = NTIME_TARGET_THREAD;
	TT_IS(ntime_session_new(ctx, &target, &s), 0);
	TT_IS(ntime_session_add_list(s, "instructions,task-clock"), 0);
	TT_IS(ntime_session_add(s, "each=instructions / 2", NULL), 0);
	TT_IS(ntime_session_start(s), 0);
	/* The plugin was not loaded: nobody knows of any instruction. */
	TT_IS(ntime_session_read(s, v, 3), 3);
	TT_IS(v[0].flags, NTIME_NOT_COUNTED | NTIME_EMULATED);
	assert_true(isnan(v[0].value));
	TT_IS(v[1].flags & NTIME_EMULATED, NTIME_EMULATED);
	TT_IS(v[2].flags & NTIME_EMULATED, NTIME_EMULATED);
	TT_IS(ntime_session_item(s, 0, &item), 0);
	assert_string_equal(item.method, "emulator");
	TT_IS(ntime_emulator_get_info(e, &info), -EINVAL);
	info.size = sizeof(info);
	TT_IS(ntime_emulator_get_info(e, &info), 0);
	TT_IS(info.processes + info.outside + info.lacking + info.faults, 0);
	ntime_session_free(s);
	ntime_emulator_free(e);
	ntime_close(ctx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(commands_that_cannot_be_run),
		cmocka_unit_test(an_emulator_counts_its_command_alone),
	};

	return TT_RUN(tests);
}
