// SPDX-License-Identifier: MIT
/*
 * The input as a page that the driver maps for a register, of any version: what the library takes
 * from it has a type that it knows, which is read(2) where the width is none of a count, and a name
 * that ends. First byte: which register.
 */
#include <errno.h>

#include "core/base/io.h"
#include "count/lib/access/ntimefs.h"
#include "base/os/page.h"
#include "base/tests/fuzz/fuzz.h"

struct page_os {
	struct nti_os os; /* first: the operations get this pointer */
	const uint8_t *data;
	size_t bytes;
	unsigned int mapped;
};

static int page_open(struct nti_os *os, const char *path, int flags)
{
	(void)os;
	(void)flags;
	return *path == '/' ? 3 : -ENOENT;
}

static ssize_t page_pread(struct nti_os *os, int fd, void *buf, size_t size, uint64_t offset)
{
	const struct page_os *p = (const struct page_os *)os;
	size_t n = p->bytes < size ? p->bytes : size;

	fuzz_expect(fd == 3 && !offset);
	memcpy(buf, p->data, n);
	return (ssize_t)n;
}

static int page_map(struct nti_os *os, int fd, size_t bytes, void **out)
{
	struct page_os *p = (struct page_os *)os;

	fuzz_expect(fd == 3 && bytes == nti_page_bytes());
	*out = calloc(1, bytes);
	fuzz_expect(*out != NULL);
	memcpy(*out, p->data, p->bytes < bytes ? p->bytes : bytes);
	p->mapped++;
	return 0;
}

static void page_unmap(struct nti_os *os, void *address, size_t bytes)
{
	struct page_os *p = (struct page_os *)os;

	(void)bytes;
	p->mapped -= address != NULL;
	free(address);
}

static void page_close(struct nti_os *os, int fd)
{
	(void)os;
	fuzz_expect(fd == 3);
}

static const struct nti_os_ops page_ops = {
	.name = "page",
	.open = page_open,
	.pread = page_pread,
	.map = page_map,
	.unmap = page_unmap,
	.close = page_close,
};

static void check(const struct ntime_page *page)
{
	fuzz_expect(page->type <= NTIME_PAGE_TSC);
	fuzz_expect(page->width <= 64 || page->type == NTIME_PAGE_PLAIN);
	fuzz_expect(memchr(page->name, '\0', sizeof(page->name)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static const uint32_t registers[] = { 0xc1, 0x38d, 0x10, 0xf4 };
	struct page_os p = { .os = { .ops = &page_ops }, .data = data + 1, .bytes = bytes - 1 };
	enum nthw_space space;
	struct nti_ntimefs *fs;
	struct ntime_page page;
	uint64_t value;
	uint32_t address;
	int ret;

	if (!bytes)
		return 0;
	address = registers[data[0] & 3];
	space = data[0] & 4 ? NTHW_SPACE_PCI : NTHW_SPACE_MSR;
	fuzz_expect(nti_ntimefs_new(&p.os, data[0] & 4 ? "0000:7f:10.4" : "", NULL, &fs) == 0);
	ret = nti_ntimefs_describe(fs, space, 0, address, &page);
	if (ret == 0)
		check(&page);
	ret = nti_ntimefs_io(fs)->read(nti_ntimefs_io(fs), space, 0, address, &value);
	fuzz_expect(ret <= 0);
	nti_ntimefs_free(fs);
	fuzz_expect(!p.mapped);
	return 0;
}
