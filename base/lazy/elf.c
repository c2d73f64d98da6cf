// SPDX-License-Identifier: MIT
/* libelf of elfutils: symbols of programs and libraries. */
#include <gelf.h>
#include <libelf.h>

#include "base/lazy/define.h"

#define FUNCTIONS(F)                                                                               \
	F(unsigned int, EV_NONE, elf_version, (unsigned int version), (version))                   \
	F(Elf *, NULL, elf_begin, (int fd, Elf_Cmd cmd, Elf *from), (fd, cmd, from))               \
	F(int, 0, elf_end, (Elf * elf), (elf))                                                     \
	F(int, -1, elf_getphdrnum, (Elf * elf, size_t * n), (elf, n))                              \
	F(int, -1, elf_getshdrstrndx, (Elf * elf, size_t * index), (elf, index))                   \
	F(Elf_Scn *, NULL, elf_nextscn, (Elf * elf, Elf_Scn * section), (elf, section))            \
	F(Elf_Data *, NULL, elf_getdata, (Elf_Scn * section, Elf_Data * data), (section, data))    \
	F(char *, NULL, elf_strptr, (Elf * elf, size_t section, size_t offset),                    \
	  (elf, section, offset))                                                                  \
	F(GElf_Phdr *, NULL, gelf_getphdr, (Elf * elf, int i, GElf_Phdr *out), (elf, i, out))      \
	F(GElf_Shdr *, NULL, gelf_getshdr, (Elf_Scn * section, GElf_Shdr * out), (section, out))   \
	F(GElf_Sym *, NULL, gelf_getsym, (Elf_Data * data, int i, GElf_Sym *out), (data, i, out))

NTI_LAZY_DEFINE(elf, "libelf.so.1", "libelf1", "names of functions", FUNCTIONS)
