// SPDX-License-Identifier: MIT
/* Maps of this process, as Linux tells of them: proc(5), /proc/PID/maps. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "emulator/where.h"

/* A part of this process that a file is mapped in. */
struct map {
	uintptr_t begin, end;
	uint64_t offset;
	char *path;
	bool is_known;
	uint32_t file; /* its number, once it is known */
};

static struct map *maps;
static size_t maps_used, maps_room;
static bool are_old = true;

void nte_where_forget(void)
{
	__atomic_store_n(&are_old, true, __ATOMIC_RELAXED);
}

static void add_map(const struct map *map)
{
	if (maps_used == maps_room) {
		size_t room = maps_room ? 2 * maps_room : 64;
		struct map *more = realloc(maps, room * sizeof(*more));

		if (!more)
			return;
		maps = more;
		maps_room = room;
	}
	maps[maps_used] = *map;
	maps[maps_used].path = strdup(map->path);
	if (maps[maps_used].path)
		maps_used++;
}

/* "BEGIN-END PERMISSIONS OFFSET DEVICE INODE PATH", in hexadecimal; whether it has a path. */
static bool read_map(char *line, struct map *out)
{
	char *at, *path = strchr(line, '/');

	if (!path)
		return false;
	out->path = path;
	out->begin = strtoul(line, &at, 16);
	out->end = *at == '-' ? strtoul(at + 1, &at, 16) : 0;
	/* Blank, four letters, blank. */
	if (*at != ' ' || path - at < 7)
		return false;
	out->offset = strtoul(at + 6, NULL, 16);
	return true;
}

/* Where they cannot be read, those of before are better than none, and it is tried again. */
static void read_maps(void)
{
	FILE *f = fopen("/proc/self/maps", "re");
	char *line = NULL;
	size_t room = 0;

	if (!f)
		return;
	__atomic_store_n(&are_old, false, __ATOMIC_RELAXED);
	while (maps_used)
		free(maps[--maps_used].path);
	while (getline(&line, &room, f) > 0) {
		struct map map = { .is_known = false };

		line[strcspn(line, "\n")] = '\0';
		if (read_map(line, &map))
			add_map(&map);
	}
	free(line);
	(void)fclose(f);
}

static struct map *find_map(uintptr_t address)
{
	size_t low = 0, high;

	if (__atomic_load_n(&are_old, __ATOMIC_RELAXED))
		read_maps();
	high = maps_used;
	while (low < high) {
		size_t middle = (low + high) / 2;

		if (maps[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < maps_used && maps[low].begin <= address ? &maps[low] : NULL;
}

/*
 * The number of the file at @path; 0: it is not there; NTE_FILES: all numbers are given. Two
 * processes that come at the same time may each give it one.
 */
static uint32_t number_of(struct nte_counts *counts, const char *path)
{
	uint32_t used = __atomic_load_n(&counts->files, __ATOMIC_ACQUIRE), i;
	struct nte_file *file;
	struct stat st;
	int64_t mtime_ns;

	if (strlen(path) >= sizeof(file->path) || stat(path, &st) != 0)
		return 0;
	mtime_ns = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
	for (i = 1; i < used && i < NTE_FILES; i++) {
		file = &counts->file[i];
		if (file->inode == (int64_t)st.st_ino && file->mtime_ns == mtime_ns &&
		    strcmp(file->path, path) == 0)
			return i;
	}
	i = __atomic_fetch_add(&counts->files, 1, __ATOMIC_ACQ_REL);
	if (i >= NTE_FILES) {
		__atomic_store_n(&counts->files, NTE_FILES, __ATOMIC_RELAXED);
		return NTE_FILES;
	}
	file = &counts->file[i];
	file->inode = (int64_t)st.st_ino;
	file->mtime_ns = mtime_ns;
	memcpy(file->path, path, strlen(path));
	return i;
}

/* 0: it is of a file that has no number. */
static uint64_t key_of(struct nte_counts *counts, uintptr_t address, size_t instructions,
		       bool has_branch)
{
	struct map *map = find_map(address);
	uint64_t offset = 0;

	if (map && !map->is_known) {
		map->file = number_of(counts, map->path);
		map->is_known = true;
	}
	if (map && map->file)
		offset = address - map->begin + map->offset;
	if ((map && map->file == NTE_FILES) || offset > NTE_OFFSET_MOST)
		return 0;
	return NTE_KEY(map ? map->file : 0, offset, instructions, has_branch);
}

struct nte_block *nte_where_block(struct nte_counts *counts, const void *address,
				  size_t instructions, bool has_branch)
{
	uint64_t key = key_of(counts, (uintptr_t)address, instructions, has_branch);
	/* Knuth, The Art of Computer Programming 3, 6.4: the golden ratio scatters. */
	uint32_t at = (uint32_t)(key * 0x9e3779b97f4a7c15u >> 40), own = 0;

	for (unsigned int tries = 0; key && tries < NTE_INDEX; tries++, at++) {
		uint32_t *slot = &counts->index[at % NTE_INDEX];
		uint32_t i = __atomic_load_n(slot, __ATOMIC_ACQUIRE);

		if (!i && !own) {
			own = __atomic_fetch_add(&counts->blocks, 1, __ATOMIC_RELAXED);
			if (own >= NTE_BLOCKS) {
				__atomic_store_n(&counts->blocks, NTE_BLOCKS, __ATOMIC_RELAXED);
				break;
			}
			counts->block[own].key = key;
		}
		if (!i && __atomic_compare_exchange_n(slot, &i, own, false, __ATOMIC_ACQ_REL,
						      __ATOMIC_ACQUIRE))
			return &counts->block[own];
		if (counts->block[i].key == key)
			return &counts->block[i];
	}
	return &counts->block[0];
}
