// SPDX-License-Identifier: MIT
/*
 * The input as a database of registers, read from memory under the name of a file. Whatever it
 * holds: no crash, no leak, no more than the bounds of time and memory; what was refused left the
 * database as it was; and each register that is found by its name is found at the address that was
 * told.
 *
 * ntime's own rows, which lie below it, take a hundred times as long to make as most inputs: they
 * are made once, and what an input added is taken off again. They are looked at for one input in
 * ROW_INPUTS, for the first look makes an index.
 */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include <ntime/trace/regdb.h>

#include "base/tests/fuzz/fuzz.h"
#include "trace/lib/regdb/model.h"

#define ROW_INPUTS 32

struct look {
	struct ntime_decoder *d;
	int left;
};

static int on_register(void *arg, uint8_t region, uint64_t offset,
		       const struct ntime_regdb_hit *hit)
{
	struct look *l = arg;
	struct ntime_regdb_hit found = { .size = sizeof(found) };
	char name[600], text[300], small[9];
	size_t n;

	fuzz_expect(strlen(hit->name) < sizeof(name));
	strcpy(name, hit->name);
	n = ntime_decoder_value(l->d, hit, 4, 0x80000001, text, sizeof(text));
	fuzz_expect(n == strlen(text));
	fuzz_expect(ntime_decoder_value(l->d, hit, 8, offset, small, sizeof(small)) ==
		    strlen(small));
	/* two rows may share an address; the one that is shown has a name */
	fuzz_expect(ntime_decoder_find(l->d, 0, region, offset, 4, &found) >= 0);
	return --l->left <= 0;
}

static void look_at_domain(struct ntime_decoder *d, const struct nti_domain *domain)
{
	struct look l = { d, 200 };
	struct ntime_regdb_hit hit = { .size = sizeof(hit) };
	uint64_t i;

	fuzz_expect(domain->registers <= 2000000);
	if (ntime_decoder_set_domain(d, 0, domain->name))
		return;
	(void)ntime_decoder_search(d, 0, "*", on_register, &l);
	(void)ntime_decoder_search(d, 0, domain->name, on_register, &l);
	for (i = 0; i < 64; i++)
		(void)ntime_decoder_find(d, 0, 0, i * 4 + (i & 8 ? UINT64_MAX / 2 : 0), 4, &hit);
}

static struct ntime_regdb *with_rows(struct ntime_trace_ctx **ctx)
{
	static struct ntime_trace_ctx *made;
	static struct ntime_regdb *db;

	if (!db)
		fuzz_expect(ntime_trace_ctx_new(&made, NULL) == 0 &&
			    ntime_regdb_new(made, &db) == 0);
	*ctx = made;
	return db;
}

/* What ntime_regdb_add() put on top. */
static void take_off(struct ntime_regdb *db, struct nti_layer *rows, uint32_t choices)
{
	struct nti_layer *added = db->layers;

	fuzz_expect(added != rows && added->next == rows);
	db->layers = rows;
	db->choice_count = choices;
	nti_layer_free(added);
}

/* The domains that the input added, and those below it if @with_rows. */
static void look_at_all(struct ntime_regdb *db, struct ntime_decoder *d, bool with_rows)
{
	const struct nti_layer *layer;
	const struct nti_domain *domain;

	(void)ntime_decoder_set_chip(d, 0, "B");
	for (layer = db->layers; layer; layer = with_rows ? layer->next : NULL)
		for (domain = layer->domains; domain; domain = domain->next)
			look_at_domain(d, domain);
}

static void look_at_rows(struct ntime_decoder *d)
{
	struct ntime_regdb_hit hit = { .size = sizeof(hit) };

	fuzz_expect(ntime_decoder_set_chip(d, 0, "GT218") == 0);
	fuzz_expect(ntime_decoder_find(d, 0, 0, 0xa40c, 4, &hit) == 1);
	fuzz_expect(strcmp(hit.name, "PCOUNTER.PRE_SRC[3]") == 0);
}

static void try_database(const char *path, bool looks_at_rows)
{
	struct ntime_trace_ctx *ctx;
	struct ntime_regdb *db = with_rows(&ctx);
	struct nti_layer *rows = db->layers;
	uint32_t choices = db->choice_count;
	struct ntime_decoder *d = NULL;
	int ret = ntime_regdb_add(db, path);

	fuzz_expect(ret == 0 || (ntime_trace_error_text(ctx)[0] && db->layers == rows &&
				 db->choice_count == choices));
	/* A decoder takes longer to make than most inputs to refuse. */
	if (!ret || looks_at_rows)
		fuzz_expect(ntime_decoder_new(db, &d) == 0);
	if (!ret)
		look_at_all(db, d, looks_at_rows);
	else if (looks_at_rows)
		look_at_rows(d);
	ntime_decoder_free(d);
	if (!ret)
		take_off(db, rows, choices);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	char path[64];
	int fd = memfd_create("database", MFD_CLOEXEC);

	fuzz_expect(fd >= 0 && write(fd, data, bytes) == (ssize_t)bytes);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	try_database(path, fuzz_is_chosen(data, bytes, ROW_INPUTS));
	close(fd);
	return 0;
}
