/* SPDX-License-Identifier: MIT */
/*
 * Boolean functions of wires in a form in which equal functions are equal: no argument that does
 * not matter, no constant, arguments sorted, the truth table permuted with them.
 */
#ifndef NTI_TRACE_DERIVE_LOGIC_H
#define NTI_TRACE_DERIVE_LOGIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A wire as a number: kind in bits 28 to 31, bit 27 for its level one clock ago, the rest as the
 * kind has it. Order of numbers is order of wires.
 */
#define NTI_WIRE_ZERO 0u
#define NTI_WIRE_SIGNAL 0x10000000u  /* | signal */
#define NTI_WIRE_MPC 0x20000000u     /* | group << 2 | wire of the group */
#define NTI_WIRE_UNKNOWN 0x30000000u /* | a number of its own: its selector is not in the trace */
#define NTI_WIRE_DELAYED 0x08000000u
#define NTI_WIRE_KIND 0xf0000000u

#define NTI_LOGIC_WIRES 8

/**
 * struct nti_derive_logic - a function of up to 8 wires
 * @n:		wires it depends on
 * @wire:	them, ascending
 * @table:	bit i is the result where bit j of i is the level of wire j
 */
struct nti_derive_logic {
	unsigned int n;
	uint32_t wire[NTI_LOGIC_WIRES];
	uint64_t table[4];
};

/**
 * struct nti_derive_input - one slot of a domain as it was programmed
 * @arg:	its four wires
 * @table:	bits 0 to 15 of OP
 * @flag:	argument 3 is the result of this other slot, NULL: it is a wire
 */
struct nti_derive_input {
	uint32_t arg[4];
	uint16_t table;
	const struct nti_derive_input *flag;
};

void nti_derive_logic_make(struct nti_derive_logic *out, const struct nti_derive_input *in);
/* @l && @wire. @l must depend on fewer than 8 wires. */
void nti_derive_logic_and(struct nti_derive_logic *l, uint32_t wire);

bool nti_derive_logic_is(const struct nti_derive_logic *l, bool constant);
bool nti_derive_logic_has(const struct nti_derive_logic *l, uint32_t kind);

/* "(02 & !03) | 05"; always NUL-terminated, cut where it is too long. Returns its length. */
size_t nti_derive_logic_text(const struct nti_derive_logic *l, char *buf, size_t bytes);
/* "f{02,03}=4": equal texts, equal functions. */
size_t nti_derive_logic_key(const struct nti_derive_logic *l, char *buf, size_t bytes);
size_t nti_derive_wire_text(uint32_t wire, char *buf, size_t bytes);

#endif
