// SPDX-License-Identifier: MIT
/* Symbols by libelf: gABI, chapters 4 and 5. */
#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/common/grow.h"
#include "base/common/library.h"
#include "base/os/symbols.h"

/* How many symbols around an address are looked at: those in the middle of others are few. */
#define NESTED_MOST 16
/* Of a file that is made to have many large ones. */
#define NAME_CHARS_MOST 1024

/* Addresses [.begin, .end) of the file's own. */
struct part {
	uint64_t begin, end;
	char *name;
	unsigned int rank; /* of several names of one address the lowest is taken */
};

struct parts {
	struct part *part;
	size_t n;
};

struct nti_symbols {
	struct parts functions, sections;
	GElf_Phdr *segment;
	size_t segments;
};

struct nti_lazy *nti_symbols_library(void)
{
	return &nti_lazy_elf;
}

int nti_symbols_ready(struct nti_error *e)
{
	return nti_library_need(&nti_lazy_elf, "names of functions", e);
}

static int add(struct parts *p, uint64_t begin, uint64_t bytes, char *name, unsigned int rank)
{
	if (!name)
		return -ENOMEM;
	if (!nti_grow(&p->part, p->n)) {
		free(name);
		return -ENOMEM;
	}
	p->part[p->n++] = (struct part){ begin, begin + bytes, name, rank };
	return 0;
}

/* People know what a library exports by the short name: underscores are for those who wrote it. */
static unsigned int rank_of(const GElf_Sym *symbol, const char *name)
{
	unsigned int is_local = GELF_ST_BIND(symbol->st_info) == STB_LOCAL;
	size_t underscores = strspn(name, "_"), chars = strlen(name);

	return is_local << 16 | (unsigned int)(underscores < 255 ? underscores : 255) << 8 |
	       (unsigned int)(chars < 255 ? chars : 255);
}

static int add_symbols(struct nti_symbols *s, Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t n = header->sh_entsize ? header->sh_size / header->sh_entsize : 0, i;
	int ret = 0;

	for (i = 0; data && i < n && i <= INT32_MAX && !ret; i++) {
		unsigned int type;
		const char *name;
		GElf_Sym symbol;

		if (!gelf_getsym(data, (int)i, &symbol) || symbol.st_shndx == SHN_UNDEF)
			continue;
		type = GELF_ST_TYPE(symbol.st_info);
		if (type != STT_FUNC && type != STT_GNU_IFUNC)
			continue;
		name = elf_strptr(elf, header->sh_link, symbol.st_name);
		if (name && *name)
			ret = add(&s->functions, symbol.st_value, symbol.st_size,
				  strndup(name, NAME_CHARS_MOST), rank_of(&symbol, name));
	}
	return ret;
}

static char *in_brackets(const char *name)
{
	char *text;

	return asprintf(&text, "[%s]", name) < 0 ? NULL : text;
}

/* The table of all symbols, or where it was stripped of what the linker needs. */
static int read_sections(struct nti_symbols *s, Elf *elf)
{
	Elf_Scn *section = NULL, *all = NULL, *dynamic = NULL;
	GElf_Shdr header;
	size_t names = 0;
	int ret = 0;

	(void)elf_getshdrstrndx(elf, &names);
	while (!ret && (section = elf_nextscn(elf, section)) != NULL) {
		const char *name;

		if (!gelf_getshdr(section, &header))
			continue;
		if (header.sh_type == SHT_SYMTAB)
			all = section;
		else if (header.sh_type == SHT_DYNSYM)
			dynamic = section;
		name = elf_strptr(elf, names, header.sh_name);
		if (header.sh_flags & SHF_EXECINSTR && name)
			ret = add(&s->sections, header.sh_addr, header.sh_size, in_brackets(name),
				  0);
	}
	section = all ? all : dynamic;
	if (!ret && section && gelf_getshdr(section, &header))
		ret = add_symbols(s, elf, section, &header);
	return ret;
}

static int read_segments(struct nti_symbols *s, Elf *elf)
{
	size_t n, i;

	if (elf_getphdrnum(elf, &n) != 0 || !n)
		return -ENOEXEC;
	s->segment = calloc(n, sizeof(*s->segment));
	if (!s->segment)
		return -ENOMEM;
	for (i = 0; i < n && i <= INT32_MAX; i++)
		if (gelf_getphdr(elf, (int)i, &s->segment[s->segments]) &&
		    s->segment[s->segments].p_type == PT_LOAD)
			s->segments++;
	return 0;
}

static int by_address(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* Of several names of one address the best stays, with the largest size. */
static void arrange(struct parts *p)
{
	size_t i, n = 0;

	if (p->n)
		qsort(p->part, p->n, sizeof(*p->part), by_address);
	for (i = 0; i < p->n; i++) {
		struct part *last = n ? &p->part[n - 1] : NULL;

		if (last && last->begin == p->part[i].begin) {
			if (last->end < p->part[i].end)
				last->end = p->part[i].end;
			free(p->part[i].name);
		} else {
			p->part[n++] = p->part[i];
		}
	}
	p->n = n;
	/* One of hand-written assembler without a size goes on to the next one. */
	for (i = 0; i + 1 < n; i++)
		if (p->part[i].end == p->part[i].begin)
			p->part[i].end = p->part[i + 1].begin;
}

int nti_symbols_read(int fd, struct nti_symbols **out)
{
	struct nti_symbols *s = calloc(1, sizeof(*s));
	Elf *elf;
	int ret;

	*out = NULL;
	if (!s)
		return -ENOMEM;
	elf = elf_version(EV_CURRENT) == EV_NONE ? NULL : elf_begin(fd, ELF_C_READ, NULL);
	ret = elf ? read_segments(s, elf) : -ENOEXEC;
	if (!ret)
		ret = read_sections(s, elf);
	(void)elf_end(elf);
	if (ret) {
		nti_symbols_free(s);
		return ret;
	}
	arrange(&s->functions);
	arrange(&s->sections);
	*out = s;
	return 0;
}

static const char *name_in(const struct parts *p, uint64_t address)
{
	size_t low = 0, high = p->n, tries;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (p->part[middle].begin <= address)
			low = middle + 1;
		else
			high = middle;
	}
	for (tries = 0; low > 0 && tries < NESTED_MOST; tries++)
		if (address < p->part[--low].end)
			return p->part[low].name;
	return NULL;
}

const char *nti_symbols_name(const struct nti_symbols *s, uint64_t offset)
{
	const char *name = NULL;
	size_t i;

	for (i = 0; i < s->segments && !name; i++) {
		const GElf_Phdr *h = &s->segment[i];

		if (offset < h->p_offset || offset - h->p_offset >= h->p_filesz)
			continue;
		name = name_in(&s->functions, offset - h->p_offset + h->p_vaddr);
		if (!name)
			name = name_in(&s->sections, offset - h->p_offset + h->p_vaddr);
	}
	return name;
}

static void free_parts(struct parts *p)
{
	while (p->n)
		free(p->part[--p->n].name);
	free(p->part);
}

void nti_symbols_free(struct nti_symbols *s)
{
	if (!s)
		return;
	free_parts(&s->functions);
	free_parts(&s->sections);
	free(s->segment);
	free(s);
}
