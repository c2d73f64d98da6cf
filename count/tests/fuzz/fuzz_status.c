// SPDX-License-Identifier: MIT
/*
 * The input as what the driver says of itself: its file "status" as ntime driver status shows it,
 * as text and as JSON, and as the library takes reasons of refusals from it. Up to the first empty
 * line it is /proc/self/mountinfo.
 */
#include <errno.h>

#include "count/cli/driver/driver.h"
#include "include/uapi/ntime.h"
#include "count/lib/access/ntimefs.h"
#include "count/tests/fuzz/cli_files.h"
#include "base/tests/fuzz/tree_os.h"

#define MOUNTED "/r" NTIME_FS_PATH "/status"

static void show(const char *mounts, size_t mount_bytes, const char *status, size_t status_bytes)
{
	const struct fuzz_opened files[] = {
		{ "/r/proc/self/mountinfo", mounts, mount_bytes },
		{ MOUNTED, status, status_bytes },
		{ "/r/sys/module/ntime", "", 0 },
		{ "/r/sys/module/ntime/version", status, status_bytes },
	};
	struct cli_driver d = { .root = "/r", .is_json = status_bytes & 1 };
	struct cli_driver_mount mount;
	int found;

	fuzz_files(files, 4);
	found = cli_driver_find_mount(&d, &mount);
	fuzz_expect(found == 0 || found == 1);
	fuzz_expect(!found || strlen(mount.path) < sizeof(mount.path));
	fuzz_expect(cli_driver_status(&d) == !found);
}

/* The same text as the library sees it. */
static void explain(char *status)
{
	struct fuzz_tree t = { 0 };
	struct nti_absence absence = { 0 };
	char why[64] = "";
	int ret;

	fuzz_tree_init(&t, status);
	t.file[0] = (struct fuzz_file){ .path = NTIME_FS_PATH "/status",
					.path_bytes = strlen(NTIME_FS_PATH "/status"),
					.text = status };
	t.files = 1;
	ret = nti_ntimefs_explain_owner(&t.os, "CPU 0", &absence);
	fuzz_expect(ret == 0 || ret == -ENOENT);
	fuzz_expect((ret == 0) == (absence.reason != NULL));
	nti_absence_fini(&absence);
	fuzz_expect(nti_ntimefs_refusal(&t.os, why, sizeof(why)) == (ret == 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	char *text = fuzz_text(data, bytes), *empty = strstr(text, "\n\n"), *status;
	size_t mounts = empty ? (size_t)(empty - text) + 1 : 0;

	status = empty ? empty + 2 : text;
	show(text, mounts, status, (size_t)(text + bytes - status));
	explain(status);
	free(text);
	return 0;
}
