// SPDX-License-Identifier: MIT
/* Names of code by the symbols of its file, also of a damaged one. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os/symbols.h"
#include "base/tests/tt.h"

/* What is looked for: it must not be in line. */
__attribute__((noinline)) static unsigned int looked_for(unsigned int x)
{
	return x * 2654435761u;
}

/* Where in our file the byte at @address is. */
static uint64_t offset_of(uintptr_t address)
{
	FILE *f = fopen("/proc/self/maps", "re");
	unsigned long begin, end, offset;
	char line[4096];

	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		TT_IS(sscanf(line, "%lx-%lx %*s %lx", &begin, &end, &offset), 3);
		if (begin <= address && address < end) {
			(void)fclose(f);
			return address - begin + offset;
		}
	}
	fail_msg("an address of this program is in no map of it");
	return 0;
}

static char *read_own(size_t *bytes)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct stat st;
	char *data;

	TT_IS(fstat(fd, &st), 0);
	*bytes = (size_t)st.st_size;
	data = malloc(*bytes);
	assert_non_null(data);
	assert_true(pread(fd, data, *bytes, 0) == (ssize_t)*bytes);
	(void)close(fd);
	return data;
}

static int memory_of(const char *data, size_t bytes)
{
	int fd = memfd_create("symbols", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_true(write(fd, data, bytes) == (ssize_t)bytes);
	return fd;
}

TEST(functions_of_this_program)
{
	uint64_t offset = offset_of((uintptr_t)looked_for);
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct nti_error e = { .code = 0 };
	struct nti_symbols *s;

	TT_IS(nti_symbols_ready(&e), 0);
	TT_IS(nti_symbols_read(fd, &s), 0);
	assert_string_equal(nti_symbols_name(s, offset), "looked_for");
	assert_string_equal(nti_symbols_name(s, offset + 1), "looked_for");
	assert_null(nti_symbols_name(s, UINT64_MAX));
	nti_symbols_free(s);
	nti_symbols_free(NULL);
	(void)close(fd);
	assert_true(looked_for(1) != 0);
}

/* Whatever the file says: a name or none, or that it is no program. */
static void try_damaged(const char *data, size_t bytes)
{
	int fd = memory_of(data, bytes), ret;
	struct nti_symbols *s;
	uint64_t offset;

	ret = nti_symbols_read(fd, &s);
	assert_true(ret == 0 || ret == -ENOEXEC);
	for (offset = 0; s && offset < bytes; offset += 997)
		(void)nti_symbols_name(s, offset);
	nti_symbols_free(s);
	(void)close(fd);
}

TEST(damaged_files)
{
	size_t bytes, i;
	char *data = read_own(&bytes);

	for (i = 0; i < 64; i++)
		try_damaged(data, i);
	for (i = 1; i < 16; i++)
		try_damaged(data, bytes * i / 16);
	/* Each byte of the ELF header in turn, and of the tables where it says they are. */
	for (i = 4; i < 64; i++) {
		char was = data[i];

		data[i] = (char)~was;
		try_damaged(data, bytes);
		data[i] = was;
	}
	for (i = 0; i < 300; i++) {
		size_t at = bytes - 1 - i * 23 % 4096;
		char was = data[at];

		data[at] = (char)(was + 1 + (char)i);
		try_damaged(data, bytes);
		data[at] = was;
	}
	free(data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_of_this_program),
		cmocka_unit_test(damaged_files),
	};

	return TT_RUN(tests);
}
