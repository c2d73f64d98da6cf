/* SPDX-License-Identifier: MIT */
/* What a deriver knows of each device, and its rows. Inside trace/lib/derive only. */
#ifndef NTI_TRACE_DERIVE_STATE_H
#define NTI_TRACE_DERIVE_STATE_H

#include <ntime/trace/derive.h>

#include "base/common/compiler.h"
#include "trace/lib/derive/chip.h"
#include "trace/lib/derive/logic.h"
#include "trace/lib/derive/mux.h"
#include "trace/lib/derive/place.h"

/*
 * Text in the making; .failed once memory was short, and then the text is cut. .is_unwanted:
 * nothing is put into it.
 */
struct nti_derive_text {
	char *p;
	size_t n, room;
	bool failed, is_unwanted;
};

void nti_derive_put(struct nti_derive_text *t, const char *format, ...) NTI_PRINTF(2, 3);
void nti_derive_text_fini(struct nti_derive_text *t);

#define NTI_DERIVE_VALUES 32

/* Values of one counter, and the clocks of their periods (NTIME_DERIVED_NO_CLOCKS). */
struct nti_derive_tally {
	uint64_t n, min, max, sum, last, last_clocks;
	uint64_t value[NTI_DERIVE_VALUES], clocks[NTI_DERIVE_VALUES];
	uint32_t kept;
};

/* The clocks of value @nth, from 0. */
void nti_derive_tally_clock(struct nti_derive_tally *t, uint64_t nth, uint64_t clocks);
void nti_derive_tally_join(struct nti_derive_tally *t, const struct nti_derive_tally *more);

/* A register of a domain: what was written last, and where. */
struct nti_derive_word {
	uint32_t value, known; /* mask of known bits */
	uint64_t list, access;
};

enum { NTI_SLOT_PRE, NTI_SLOT_START, NTI_SLOT_EVENT, NTI_SLOT_STOP, NTI_SLOTS };
/* Beside the slots: the counter of clocks. */
#define NTI_SLOT_CYCLES NTI_SLOTS

/* A read of a counter, NTI_SLOT_*; @nth: which value of its tally. */
struct nti_derive_read {
	uint64_t nth;
	uint32_t value, counter;
};

#define NTI_DERIVE_READS 256

/* Reads of a domain's counters in order, since the trace last showed an end of a period. */
struct nti_derive_reads {
	struct nti_derive_read read[NTI_DERIVE_READS];
	uint32_t n;
	bool is_full; /* and of those after them the clocks are not known */
};

/* period.c */
void nti_derive_reads_add(struct nti_derive_reads *reads, unsigned int counter, uint32_t value,
			  uint64_t nth);
/* An end of a period: give the values of these reads their clocks, in @tally[NTI_SLOTS]. */
void nti_derive_reads_end(struct nti_derive_reads *reads, struct nti_derive_tally *tally);

struct nti_derive_domain {
	uint8_t unit;
	uint16_t instance, set;
	struct nti_derive_word src[NTI_SLOTS], op[NTI_SLOTS], setflag, clrflag, ctrl;
	struct nti_derive_tally read[NTI_SLOTS + 1];
	struct nti_derive_reads *reads; /* NULL: no counter was read yet */
	uint32_t flags;			/* NTIME_DERIVED_OVERFLOW, _EMPTY of this window */
	uint32_t state;			/* the one of them that CTRL told last, 0 none */
	bool is_acked;			/* since it was read */
	bool is_read;			/* a counter of it, in this window */
};

/* Of one MP of Fermi or later; words from the start of its block. */
struct nti_derive_mp {
	uint16_t instance;
	struct nti_derive_word config[NTI_MP_WORDS];
	uint32_t epoch[NTI_MP_WORDS];
	struct nti_derive_tally *read[NTI_MP_WORDS]; /* NULL: not read in this window */
	bool is_read;				     /* one of them is not NULL */
};

/* Domains or MPs of a device. */
struct nti_derive_units {
	size_t n;
	struct nti_derive_index index;
	uint32_t *read; /* indices of those that were read in this window; room for all */
	size_t reads;
};

struct nti_derive_device {
	uint32_t number;
	uint64_t chips;	 /* that it may be: nti_derive_set_chips() */
	uint32_t stride; /* of TPCs of G80 to GT218 as far as it is known, 0: not, or later chips */
	bool may_be_tesla, may_be_later;
	bool is_told;	   /* the caller said which, or BAR0 0 */
	bool is_looked_up; /* the caller's chip for its name was looked for */
	uint32_t units;
	bool has_units;
	uint32_t epoch;	    /* number of the set-up, from 1 */
	bool is_reading;    /* counters were read since the set-up */
	bool is_settled;    /* and their rows were made */
	bool is_set_up;	    /* something of a domain or MP was written in this set-up */
	uint32_t triggers;  /* since the set-up */
	bool was_triggered; /* there was one before the first read */
	struct nti_derive_domain *domain;
	struct nti_derive_units domains;
	struct nti_derive_mp *mp;
	struct nti_derive_units mps;
	struct nti_derive_regs regs;
};

/* Key of a row on some of the chips that it may be. */
struct nti_derive_key {
	uint64_t chips;
	struct nti_derive_text text;
};

/* A row; the texts are its own. */
struct nti_derive_row {
	struct ntime_derived d;
	struct nti_derive_tally tally;
	struct nti_derive_text chip, event, instance, counter, start_src, start_op, event_src,
		event_op, group_sel, extra, mux, relative, changed, logic, key, notes, origin,
		windows;
	char part[16], mode[32];
	uint64_t chips;
	bool is_off;		    /* no unit drives a wire in use */
	struct nti_derive_key *own; /* of chips on which it is another than .key */
	unsigned int owns;
	uint32_t next;	 /* index + 1 of the next of the same chain */
	uint64_t looked; /* as struct ntime_derive's, to make it */
};

/*
 * What a trace can make a deriver keep, of all devices together; what is beyond is left out and
 * counted. trace/docs/derive.md says how much memory that is.
 */
#define NTI_DERIVE_ROWS_MAX 65536
#define NTI_DERIVE_TEXT_MAX (256u << 20) /* bytes of the texts of rows */
#define NTI_DERIVE_REGS_ALL_MAX (1u << 20)
#define NTI_DERIVE_UNITS_MAX 8192 /* domains and MPs */

/* Records of one list of register operations. */
struct nti_derive_list {
	struct ntime_record *rec;
	size_t n;
	uint64_t number;
};

/* Key of one known event on one chip. */
struct nti_derive_name {
	uint16_t known; /* index of nti_known_counters */
	uint8_t chip;
	struct nti_derive_text key;
	/* 1 + index of the next that counts the same on this chip; of the first: the last */
	uint32_t next, last;
};

struct nti_derive_names {
	struct nti_derive_name *name;
	size_t n;
	struct nti_derive_index index; /* by chip and what is counted: the first one */
	uint32_t *fit;		       /* indices of those that fit a row; room for all */
	bool is_filled;
	bool failed; /* no memory */
};

struct nti_derive_told {
	char device[64];
	uint64_t chips;
};

struct ntime_derive {
	struct ntime_trace_ctx *ctx;
	struct nti_derive_told *told;
	size_t tolds;
	struct nti_derive_device *device;
	size_t devices;
	struct nti_derive_index device_index; /* by number */
	struct nti_derive_row *row;
	size_t rows, row_room;
	size_t text_bytes, regs, units; /* of all rows, of all devices */
	uint32_t *row_chain;		/* one for each row there is room for, a power of two */
	struct nti_derive_list list,
		/* the one that is being filled, and the one before it, whose partner may come */
		before;
	bool has_list, has_before;
	uint64_t access;      /* number of the access being looked at, from 1 */
	uint64_t list_number; /* of its list, 0 none */
	struct ntime_derive_counts counts;
	struct nti_derive_names names;
	uint64_t looked; /* registers and units that ends of windows looked at: for tests */
	bool failed;	 /* no memory */
};

/* One access of 32 bits. @mask: bits that a write changes. */
void nti_derive_write(struct ntime_derive *d, struct nti_derive_device *dev, uint32_t address,
		      uint32_t value, uint32_t mask);
void nti_derive_read(struct ntime_derive *d, struct nti_derive_device *dev, uint32_t address,
		     uint32_t value);
/* Rows of what was read since the set-up. */
void nti_derive_window_end(struct ntime_derive *d, struct nti_derive_device *dev);

void nti_derive_set_chips(struct nti_derive_device *dev, uint64_t chips);
void nti_derive_units_fini(struct nti_derive_units *u);
/* Whichever of domains and MPs was read in this window, in the order in which they came. */
void nti_derive_units_sort(struct nti_derive_units *u);

/* setup.c: what a slot of a domain counts. */
struct nti_derive_count {
	uint32_t role;
	bool is_integer; /* sums of numbers of .wires wires, while .logic */
	unsigned int wires;
	uint32_t wire[6];
	struct nti_derive_logic logic;
	int tpc;	 /* whose groups or multiplexers feed it, -1 none */
	bool has_filler; /* rests on the signal that stands for a constant 0 from Fermi on */
	bool is_raw;	 /* a mode of which it is not known what it does */
};
void nti_derive_count(const struct nti_derive_device *dev, const struct nti_derive_domain *dom,
		      unsigned int slot, struct nti_derive_count *out);
/* Number of CTR_MODE, -1 unknown. */
int nti_derive_mode(const struct nti_derive_domain *dom);
/* "f{..}=..", "int{..}*f{..}=..". */
void nti_derive_count_key(const struct nti_derive_count *c, struct nti_derive_text *t);
void nti_derive_count_text(const struct nti_derive_count *c, struct nti_derive_text *t);
bool nti_derive_count_uses(const struct nti_derive_count *c, const struct nti_derive_mux *m,
			   uint64_t chips, unsigned int domain);

/* row.c: the row of a counter that was read. True: it counts an event. */
bool nti_derive_row_add(struct ntime_derive *d, struct nti_derive_device *dev,
			struct nti_derive_domain *dom, unsigned int slot, uint32_t window);
void nti_derive_row_init(struct nti_derive_row *r);
/* Memory was short for one of its texts. */
bool nti_derive_row_is_short(struct nti_derive_row *r);
void nti_derive_row_fini(struct nti_derive_row *r);
/* Put @r, which becomes the deriver's, behind the others or into the row that it is equal to. */
void nti_derive_row_join(struct ntime_derive *d, struct nti_derive_row *r, uint32_t window);

/* mp.c */
void nti_derive_mp_rows(struct ntime_derive *d, struct nti_derive_device *dev, uint32_t window);

/* A row that has its key and no other text. */
void nti_derive_row_make_key(struct nti_derive_row *r, struct nti_derive_device *dev,
			     struct nti_derive_domain *dom, unsigned int slot);
/* Give back the memory that the texts of a row did not need. */
void nti_derive_row_shrink(struct nti_derive_row *r);
/* How much memory its texts have. */
size_t nti_derive_row_bytes(struct nti_derive_row *r);

/* keys.c: its key on each kind of chip that the device may be. False: no memory. */
bool nti_derive_keys_make(struct nti_derive_row *r, const struct nti_derive_device *dev,
			  struct nti_derive_domain *dom, unsigned int slot);
const char *nti_derive_key_on(const struct nti_derive_row *r, unsigned int chip);
bool nti_derive_keys_are_same(const struct nti_derive_row *a, const struct nti_derive_row *b);
void nti_derive_keys_fini(struct nti_derive_row *r);

/* names.c: name the known events of a row's set-up. */
void nti_derive_row_name(struct nti_derive_names *n, struct nti_derive_row *r);
void nti_derive_names_fini(struct nti_derive_names *n);
/* What two set-ups changed: .changed of struct ntime_derived. */
struct nti_derive_changes {
	const char *a, *b;
};
/*
 * Do the multiplexers of two keys agree where both tell? @wants: all of @a must be in @b.
 * @changes: in this order; NULL: not known.
 */
bool nti_derive_key_agrees(const char *a, const char *b, bool wants,
			   const struct nti_derive_changes *changes);

#endif
