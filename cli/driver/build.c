// SPDX-License-Identifier: MIT
/* ntime driver build: the module for one kernel, from the installed source or a source tree. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "cli/base/child.h"
#include "cli/driver/driver.h"
#include "cli/output/say.h"

/* Where "make install" puts the driver's source; meson says. */
#ifndef NTIME_DRIVER_SOURCE
#define NTIME_DRIVER_SOURCE "/usr/src/ntime-" NTIME_VERSION
#endif

struct build {
	const struct cli_driver *d;
	char source[PATH_MAX];	    /* the tree, absolute */
	char headers[PATH_MAX];	    /* of the kernel */
	char folder[PATH_MAX + 16]; /* "M=..." */
	char module[PATH_MAX + 16]; /* what comes of it */
};

static int find_source(struct build *b)
{
	const char *name = b->d->source ? b->d->source : NTIME_DRIVER_SOURCE;
	char path[PATH_MAX + 16];

	if (!realpath(name, b->source)) {
		cli_say("there is no source of the driver at %s: %s%s", name, strerror(errno),
			b->d->source ? "" : " (name ntime's source tree with --source)");
		return CLI_EXIT_FAILED;
	}
	snprintf(path, sizeof(path), "%s/driver/Kbuild", b->source);
	if (access(path, R_OK)) {
		cli_say("%s is not a source tree of ntime: it has no driver/Kbuild", name);
		return CLI_EXIT_FAILED;
	}
	snprintf(b->folder, sizeof(b->folder), "M=%s/driver", b->source);
	if (access(b->folder + 2, W_OK)) {
		cli_say("the driver is built inside %s, which is not writable for this user: run "
			"as its owner, or "
			"copy %s and name the copy with --source",
			b->folder + 2, name);
		return CLI_EXIT_FAILED;
	}
	snprintf(b->module, sizeof(b->module), "%s/driver/ntime.ko", b->source);
	return 0;
}

static int find_headers(struct build *b)
{
	struct utsname running;
	const char *kernel = b->d->kernel;

	if (!kernel) {
		uname(&running);
		kernel = running.release;
	}
	if (snprintf(b->headers, sizeof(b->headers), "%s/lib/modules/%s/build",
		     b->d->root ? b->d->root : "", kernel) >= (int)sizeof(b->headers) ||
	    strchr(kernel, '/')) {
		cli_say("'%s' is not a kernel release as uname -r prints it", kernel);
		return CLI_EXIT_FAILED;
	}
	if (access(b->headers, X_OK) == 0)
		return 0;
	if (!b->d->kernel && !cli_driver_can_load())
		return CLI_EXIT_FAILED;
	cli_say("there are no headers of kernel %s (%s): install them (Debian's kernels: apt-get "
		"install linux-headers-%s), or name another kernel with --kernel",
		kernel, b->headers, kernel);
	return CLI_EXIT_FAILED;
}

int cli_driver_build(const struct cli_driver *d)
{
	struct build b = { .d = d };
	char make[] = "make", in[] = "-C", modules[] = "modules";
	char *argv[] = { make, in, b.headers, b.folder, modules, NULL };
	int ret = find_headers(&b);

	if (!ret)
		ret = find_source(&b);
	if (ret)
		return ret;
	ret = cli_child_run(argv);
	if (ret < 0) {
		cli_say("cannot run make: %s (apt-get install make gcc)", strerror(-ret));
		return CLI_EXIT_FAILED;
	}
	if (ret) {
		cli_say("building the driver failed: make ended with status %d", ret);
		return CLI_EXIT_FAILED;
	}
	puts(b.module);
	return cli_say_stdout_end();
}
