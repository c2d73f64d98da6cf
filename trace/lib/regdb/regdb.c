// SPDX-License-Identifier: MIT
/* Databases: layers on top of each other, ntime's own rows at the bottom. */
#include <errno.h>
#include <stdlib.h>

#include "trace/lib/base/context.h"
#include "trace/lib/regdb/model.h"

static void push(struct ntime_regdb *db, struct nti_layer *layer)
{
	layer->next = db->layers;
	db->layers = layer;
	db->choice_count = layer->first_choice + (uint32_t)layer->choice_count;
}

int ntime_regdb_new(struct ntime_trace_ctx *ctx, struct ntime_regdb **out)
{
	struct ntime_regdb *db = calloc(1, sizeof(*db));
	struct nti_layer *rows;
	int ret;

	*out = NULL;
	if (!db)
		return -ENOMEM;
	db->ctx = ctx;
	ret = nti_regdb_rows(0, &rows);
	if (ret) {
		free(db);
		return ret;
	}
	push(db, rows);
	*out = db;
	return 0;
}

void ntime_regdb_free(struct ntime_regdb *db)
{
	if (!db)
		return;
	while (db->layers) {
		struct nti_layer *next = db->layers->next;

		nti_layer_free(db->layers);
		db->layers = next;
	}
	free(db);
}

int ntime_regdb_add(struct ntime_regdb *db, const char *path)
{
	struct nti_layer *layer;
	int ret = nti_regdb_xml(db->ctx, path, db->choice_count, &layer);

	if (ret)
		return ret;
	push(db, layer);
	return 0;
}
