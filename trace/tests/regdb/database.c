// SPDX-License-Identifier: MIT
/* Databases in a folder of their own below /tmp, which goes away with them. */
#include "trace/tests/regdb/database.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/tests/tt.h"

static void note(void *arg, const char *line)
{
	struct tt_database *t = arg;
	size_t n = strlen(t->log);

	snprintf(t->log + n, sizeof(t->log) - n, "%s\n", line);
}

void tt_database_open(struct tt_database *t)
{
	memset(t, 0, sizeof(*t));
	strcpy(t->folder, "/tmp/ntime-regdb-XXXXXX");
	assert_non_null(mkdtemp(t->folder));
	assert_int_equal(ntime_trace_ctx_new(&t->ctx,
					     &(struct ntime_trace_ctx_options){
						     .size = sizeof(struct ntime_trace_ctx_options),
						     .log = note,
						     .log_arg = t }),
			 0);
	assert_int_equal(ntime_regdb_new(t->ctx, &t->db), 0);
}

void tt_database_raw(struct tt_database *t, const char *name, const char *text, size_t bytes)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", t->folder, name);
	if (strchr(name, '/')) {
		*strrchr(path, '/') = '\0';
		mkdir(path, 0700);
		snprintf(path, sizeof(path), "%s/%s", t->folder, name);
	}
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, bytes, f), bytes);
	assert_int_equal(fclose(f), 0);
}

void tt_database_file(struct tt_database *t, const char *name, const char *text)
{
	size_t bytes = strlen(text) + 64;
	char *whole = malloc(bytes);

	assert_non_null(whole);
	snprintf(whole, bytes, "<database>\n%s</database>\n", text);
	tt_database_raw(t, name, whole, strlen(whole));
	free(whole);
}

int tt_database_add(struct tt_database *t, const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s%s%s", t->folder, *name ? "/" : "", name);
	return ntime_regdb_add(t->db, path);
}

void tt_database_decoder(struct tt_database *t, const char *chip)
{
	ntime_decoder_free(t->d);
	assert_int_equal(ntime_decoder_new(t->db, &t->d), 0);
	if (chip && ntime_decoder_set_chip(t->d, 0, chip)) {
		print_error("%s\n", ntime_trace_error_text(t->ctx));
		fail();
	}
}

void tt_database_rows(struct tt_database *t)
{
	tt_database_open(t);
	tt_database_decoder(t, NULL);
}

void tt_database_with(struct tt_database *t, const char *chip, const char *text)
{
	tt_database_open(t);
	tt_database_file(t, "x.xml", text);
	assert_int_equal(tt_database_add(t, "x.xml"), 0);
	tt_database_decoder(t, chip);
}

static struct ntime_regdb_hit find(struct tt_database *t, uint64_t offset)
{
	struct ntime_regdb_hit hit = { .size = sizeof(hit) };
	int ret = ntime_decoder_find(t->d, 0, 0, offset, 4, &hit);

	assert_true(ret == 0 || ret == 1);
	assert_int_equal(ret, hit.name[0] != '\0');
	return hit;
}

const char *tt_database_name(struct tt_database *t, uint64_t offset)
{
	static char name[600];
	struct ntime_regdb_hit hit = find(t, offset);

	snprintf(name, sizeof(name), "%s", hit.name);
	if (hit.skew)
		snprintf(name, sizeof(name), "%s+0x%x", hit.name, hit.skew);
	return name;
}

const char *tt_database_value(struct tt_database *t, uint64_t offset, uint32_t width,
			      uint64_t value)
{
	static char text[600];
	char again[600];
	struct ntime_regdb_hit hit = find(t, offset);
	size_t n = ntime_decoder_value(t->d, &hit, width, value, text, sizeof(text));

	assert_int_equal(n, strlen(text));
	/* remembered, it is the same */
	assert_int_equal(ntime_decoder_value(t->d, &hit, width, value, again, sizeof(again)), n);
	assert_string_equal(again, text);
	return text;
}

bool tt_database_is_guess(struct tt_database *t, uint64_t offset)
{
	return find(t, offset).is_guess;
}

static void remove_folder(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	char name[512];

	while (dir && (entry = readdir(dir))) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
		if (unlink(name))
			remove_folder(name);
	}
	if (dir)
		closedir(dir);
	rmdir(path);
}

void tt_database_close(struct tt_database *t)
{
	ntime_decoder_free(t->d);
	ntime_regdb_free(t->db);
	ntime_trace_ctx_free(t->ctx);
	remove_folder(t->folder);
}
