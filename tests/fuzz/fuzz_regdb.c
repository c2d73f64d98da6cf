// SPDX-License-Identifier: MIT
/*
 * The input as a database of registers, read from memory under the name of a file. Whatever it
 * holds: no crash, no leak, no more than the bounds of time and memory; what was refused left the
 * database as it was; and each register that is found by its name is found at the address that was
 * told.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <ntime/trace/regdb.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

struct look {
	struct ntime_decoder *d;
	int left;
};

static void expect(bool is_so)
{
	if (!is_so)
		abort();
}

static int on_register(void *arg, uint8_t region, uint64_t offset,
		       const struct ntime_regdb_hit *hit)
{
	struct look *l = arg;
	struct ntime_regdb_hit found = { .size = sizeof(found) };
	char name[600], text[300], small[9];
	size_t n;

	expect(strlen(hit->name) < sizeof(name));
	strcpy(name, hit->name);
	n = ntime_decoder_value(l->d, hit, 4, 0x80000001, text, sizeof(text));
	expect(n == strlen(text));
	expect(ntime_decoder_value(l->d, hit, 8, offset, small, sizeof(small)) == strlen(small));
	/* two rows may share an address; the one that is shown has a name */
	expect(ntime_decoder_find(l->d, 0, region, offset, 4, &found) >= 0);
	return --l->left <= 0;
}

static int on_domain(void *arg, const char *name, uint64_t bytes, size_t registers)
{
	struct look l = { arg, 200 };
	struct ntime_regdb_hit hit = { .size = sizeof(hit) };
	uint64_t i;

	(void)bytes;
	expect(registers <= 2000000);
	if (ntime_decoder_set_domain(l.d, 0, name))
		return 0;
	(void)ntime_decoder_search(l.d, 0, "*", on_register, &l);
	(void)ntime_decoder_search(l.d, 0, name, on_register, &l);
	for (i = 0; i < 64; i++)
		(void)ntime_decoder_find(l.d, 0, 0, i * 4 + (i & 8 ? UINT64_MAX / 2 : 0), 4, &hit);
	return 0;
}

static void try_database(struct ntime_trace_ctx *ctx, const char *path)
{
	struct ntime_regdb *db;
	struct ntime_decoder *d;
	int ret;

	if (ntime_regdb_new(ctx, &db))
		return;
	ret = ntime_regdb_add(db, path);
	expect(ret == 0 || ntime_trace_error_text(ctx)[0]);
	if (ntime_decoder_new(db, &d) == 0) {
		struct ntime_regdb_hit hit = { .size = sizeof(hit) };

		if (ret) {
			expect(ntime_decoder_set_chip(d, 0, "GT218") == 0);
			expect(ntime_decoder_find(d, 0, 0, 0xa40c, 4, &hit) == 1);
			expect(strcmp(hit.name, "PCOUNTER.PRE_SRC[3]") == 0);
		} else {
			(void)ntime_decoder_set_chip(d, 0, "B");
			expect(ntime_regdb_domain_for_each(db, on_domain, d) >= 0);
		}
		ntime_decoder_free(d);
	}
	ntime_regdb_free(db);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static struct ntime_trace_ctx *ctx;
	char path[64];
	int fd;

	if (!ctx && ntime_trace_ctx_new(&ctx, NULL))
		return 0;
	fd = memfd_create("database", MFD_CLOEXEC);
	if (fd < 0)
		return 0;
	if (write(fd, data, bytes) == (ssize_t)bytes) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		try_database(ctx, path);
	}
	close(fd);
	return 0;
}
