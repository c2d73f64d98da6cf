// SPDX-License-Identifier: MIT
/*
 * The input as the files of a machine (tree_os.h) that a card is to be traced on: what ntime trace
 * doctor finds, the functions of the card's IOMMU group, and what binding them would write, which
 * is never outside of sysfs. The first line is what QEMU says of its version.
 */
#include <ntime/trace/vfio.h>

#include "base/tests/fuzz/tree_os.h"
#include "trace/lib/base/context.h"

#define CARD "05:00.0"

static int on_check(void *arg, const struct ntime_vfio_check *c)
{
	(void)arg;
	fuzz_expect(c->name[0] && c->what[0] && c->reason[0]);
	fuzz_expect(c->state <= NTIME_VFIO_UNKNOWN);
	return 0;
}

static int on_function(void *arg, const struct ntime_vfio_function *f)
{
	(void)arg;
	fuzz_expect(f->name[0] && !strchr(f->driver, '/'));
	return 0;
}

static int on_write(void *arg, const struct ntime_vfio_write *w)
{
	(void)arg;
	fuzz_expect(strncmp(w->path, "/sys/bus/pci/", 13) == 0 && !strstr(w->path, "/../"));
	fuzz_expect(w->error == 0 && !strchr(w->text, '\n'));
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	char *text = fuzz_text(data, bytes), *version = text;
	struct ntime_trace_ctx ctx = { 0 };
	struct ntime_vfio_question q = { .size = sizeof(q), .card = CARD };
	struct fuzz_tree t;
	char *end = strchr(text, '\n');

	if (end)
		*end = '\0';
	fuzz_tree_init(&t, end ? end + 1 : text + bytes);
	ctx.os = &t.os;
	q.qemu_version = *version ? version : NULL;
	fuzz_expect(ntime_vfio_doctor(&ctx, &q, on_check, NULL) >= 0);
	if (ntime_vfio_function_for_each(&ctx, CARD, on_function, NULL) < 0)
		fuzz_expect(ctx.error.text[0]);
	if (ntime_vfio_bind(&ctx, CARD, NTIME_VFIO_LOOK, on_write, NULL) < 0)
		fuzz_expect(ctx.error.text[0]);
	if (ntime_vfio_unbind(&ctx, CARD, NTIME_VFIO_LOOK | NTIME_VFIO_FORCE, on_write, NULL) < 0)
		fuzz_expect(ctx.error.text[0]);
	free(text);
	return 0;
}
