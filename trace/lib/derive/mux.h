/* SPDX-License-Identifier: MIT */
/*
 * Registers that may be multiplexers: what is known of their values, and which wires the known ones
 * feed.
 */
#ifndef NTI_TRACE_DERIVE_MUX_H
#define NTI_TRACE_DERIVE_MUX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/lib/derive/index.h"
#include "trace/lib/derive/place.h"

/**
 * struct nti_derive_reg - one register as far as the trace tells
 * @value, @known: its value, and which bits of it are known
 * @base, @base_known: the same before the first write
 * @epoch:	set-up in which it was last written, 0 never
 * @list, @access: where that was, for people
 * @noted:	the last set-up whose list it is in (struct nti_derive_regs), 0 none
 */
struct nti_derive_reg {
	uint32_t address;
	uint32_t value, known;
	uint32_t base, base_known;
	uint32_t epoch;
	uint64_t list, access;
	uint32_t noted;
};

#define NTI_DERIVE_REGS_MAX 65536

/* Registers, as indices. */
struct nti_derive_regs_list {
	uint32_t *at;
	size_t n;
};

/**
 * struct nti_derive_regs - registers of a device
 * @written:	those that were written in a set-up, by its number modulo 2: what is written behind
 *		the reads of one belongs to the next
 */
struct nti_derive_regs {
	struct nti_derive_reg *reg;
	size_t n;
	struct nti_derive_index index; /* by address */
	struct nti_derive_regs_list written[2];
	uint64_t left_out;
	bool failed; /* no memory */
};

void nti_derive_regs_fini(struct nti_derive_regs *r);
struct nti_derive_reg *nti_derive_regs_find(const struct nti_derive_regs *r, uint32_t address);
/* Found or made; NULL without memory (.failed) or beyond the bound (counted in .left_out). */
struct nti_derive_reg *nti_derive_regs_get(struct nti_derive_regs *r, uint32_t address);
/* @reg is written in the set-up @epoch, the one that is going on or the one behind it. */
void nti_derive_regs_note(struct nti_derive_regs *r, struct nti_derive_reg *reg, uint32_t epoch);
/* @epoch begins. */
void nti_derive_regs_begin(struct nti_derive_regs *r, uint32_t epoch);

/**
 * struct nti_derive_mux - a multiplexer that is known: one register of one unit, and the wires it
 * feeds
 * @name:	in the words of the event tables
 * @area:	enum nti_derive_area
 * @offset:	in the unit (or the address), for TPCs with the stride of G80 and with that of G200
 * @mask:	bits that select; @enable: bit that makes the unit drive the wires, 0 none
 * @domain:	of the wires
 * @first, @wires: where they begin, by enum nthw_nv_family, and how many
 * @since:	first family that has it
 */
struct nti_derive_mux {
	const char *name;
	uint8_t area;
	uint32_t offset[2];
	uint32_t mask, enable;
	uint8_t domain;
	int16_t first[4];
	uint8_t wires;
	uint8_t since;
};

extern const struct nti_derive_mux nti_derive_muxes[];
extern const size_t nti_derive_mux_count;

/*
 * The known one at a spot, NULL none. A register may feed several ranges of wires: this is the
 * first row.
 */
const struct nti_derive_mux *nti_derive_mux_at(struct nti_derive_spot spot, uint32_t tpc_stride);
uint32_t nti_derive_mux_offset(const struct nti_derive_mux *m, uint32_t tpc_stride);
/* May @a and @b, two rows, feed the same wire? */
bool nti_derive_mux_shares(const struct nti_derive_mux *a, const struct nti_derive_mux *b);
/* May @m feed @signal of @domain on one of @chips? */
bool nti_derive_mux_feeds(const struct nti_derive_mux *m, uint64_t chips, unsigned int domain,
			  unsigned int signal);

/* The two registers of the shader domain's groups: offsets in a TPC. */
uint32_t nti_derive_mpc_select(uint32_t tpc_stride);
uint32_t nti_derive_mpc_enable(uint32_t tpc_stride);
#define NTI_MPC_DOMAIN 3u
#define NTI_MPC_SIGNALS 16u

#endif
