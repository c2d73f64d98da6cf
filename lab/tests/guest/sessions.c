// SPDX-License-Identifier: MIT
/* Sessions that no test leaves to the next one. */
#include <string.h>
#include <unistd.h>

#include "lab/tests/guest/file.h"
#include "lab/tests/guest/sessions.h"
#include "lab/tests/guest/open.h"
#include "base/tests/tt.h"

static struct ntime_ctx *ctx;
static struct ntime_session *sessions[8];

int lab_sessions_begin(void **state)
{
	(void)state;
	return lab_open(&ctx);
}

int lab_sessions_end(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(sessions) / sizeof(sessions[0]); i++)
		lab_session_done(sessions[i]);
	ntime_close(ctx);
	ctx = NULL;
	return 0;
}

void lab_good(int ret, const char *what)
{
	if (ret < 0)
		fail_msg("%s: %s (%s)", what, strerror(-ret), ctx ? ntime_error_text(ctx) : "");
}

static void keep(struct ntime_session *s)
{
	for (size_t i = 0; i < sizeof(sessions) / sizeof(sessions[0]); i++)
		if (!sessions[i]) {
			sessions[i] = s;
			return;
		}
	fail();
}

void lab_session_done(struct ntime_session *s)
{
	for (size_t i = 0; i < sizeof(sessions) / sizeof(sessions[0]); i++)
		if (sessions[i] == s)
			sessions[i] = NULL;
	ntime_session_free(s);
}

struct ntime_session *lab_opened(const char *list, uint32_t via)
{
	const struct ntime_target target = { .size = sizeof(target),
					     .kind = NTIME_TARGET_MACHINE,
					     .via = via };
	struct ntime_session *s;

	lab_good(ntime_session_new(ctx, &target, &s), "session");
	keep(s);
	lab_good(ntime_session_add_list(s, list), list);
	lab_good(ntime_session_open(s), "opening");
	return s;
}

struct ntime_item lab_item(const struct ntime_session *s, size_t i)
{
	struct ntime_item item = { .size = sizeof(item) };

	lab_good(ntime_session_item(s, i, &item), "item");
	return item;
}

void lab_must_be_refused(const char *list, uint32_t via, const char *counter, const char *whose)
{
	struct ntime_session *s = lab_opened(list, via);
	struct ntime_item item = lab_item(s, 0);

	print_message("# %s; remedy: %s\n", item.reason, item.remedy);
	TT_HAS(item.reason, "is in use");
	TT_HAS(item.reason, counter);
	TT_HAS(item.reason, whose);
	lab_session_done(s);
}

void lab_command_must_be_refused(const char *line, const char *counter)
{
	char pid[32], out[LAB_OUTPUT];
	int status = lab_shell(line, out);

	(void)snprintf(pid, sizeof(pid), "pid %d", (int)getpid());
	print_message("# exit status %d: %s\n", status, out);
	TT_HAS(out, "is in use by");
	TT_HAS(out, pid);
	TT_HAS(out, counter);
}
