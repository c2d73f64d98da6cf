/* SPDX-License-Identifier: MIT */
/*
 * Files of data/gpu, read by the build program embed (data/embed) and by tests: events of graphics
 * cards as functions of wires, one entry an event, keys in this order:
 *     gpu-event setup_point_count
 *     families g80 g84			chips that have it so; g80 g84 g200 gt215, or missing: all.
 *						Of others there may be another entry of this name
 *     function trast.1 & trast.6 & trast.7	wires of core/regs/nv50_wires.h, all of one domain,
 *						with "!", "&", "|" and parentheses; four at most,
 *						of two multiplexers with one value each
 *     amount zcull_in.0 zcull_in.1 ...	what is added in each clock in which it is 1, up to
 *						six wires, the lowest bit first; only of sums.
 *						Then the function may be "1", and has two arguments
 *						at most if the amount has more than four bits
 *						Further functions with their amounts may follow:
 *						each is counted in its turn, and they are added
 *     absent nobody has published ...	may be missing: why it cannot be counted; then there need
 *						be no function
 *     remedy count ...			what to do about that
 *     about Points that ...			a sentence
 *     source re-pcounter-tools, ...
 *     trust documented
 *     guessed g80				families of which it is inferred; may be missing,
 *     then
 *						there is no guess either
 *     guess which bit it is.			what is inferred: the sentence of these families has
 *     it
 */
#ifndef NTI_GPU_TEXT_H
#define NTI_GPU_TEXT_H

#include <stdio.h>

#include "core/regs/nv50_wires.h"
#include "lib/event/box_text.h"

/* A card counts with the four signals that its counter has. */
#define NTI_GPU_ARGUMENTS 4

#define NTI_GPU_AMOUNT_BITS 6

/* A function of wires, as a counter has it. */
struct nti_gpu_function {
	const struct nthw_nv_wires *unit[NTI_GPU_ARGUMENTS];
	uint32_t wire[NTI_GPU_ARGUMENTS];
	size_t arguments; /* in the order in which they first stand in the text */
	/* bit a0 + 2 a1 + 4 a2 + 8 a3; those that are not used do not matter */
	uint32_t table;
	const struct nthw_nv_wires *amount_unit[NTI_GPU_AMOUNT_BITS];
	uint32_t amount_wire[NTI_GPU_AMOUNT_BITS];
	size_t bits;			   /* of the amount; 0: there is none */
	const struct nthw_nv_wires *first; /* one, for the domain; NULL: there is none */
	/* multiplexers that its wires need, and what these have to select */
	struct {
		uint32_t number, select;
	} mux[2];
	size_t muxes;
};

#define NTI_GPU_FUNCTIONS 3

struct nti_gpu_event {
	char *name, *about, *source;
	char *absent, *remedy, *guess;				       /* NULL: none */
	char *function[NTI_GPU_FUNCTIONS], *amount[NTI_GPU_FUNCTIONS]; /* likewise */
	unsigned int is_of;	 /* bit f: enum nthw_nv_family f has it so */
	unsigned int is_guessed; /* likewise: .guess is of it */
	struct nti_gpu_function of[NTI_GPU_FUNCTIONS];
	size_t functions; /* 0: nobody can count it */
};
struct nti_gpu_text {
	struct nti_gpu_event *event;
	size_t events;
};

/*
 * Parse the text of a file and append to @out. -EINVAL with "FILE:LINE: ...", -ENOMEM; on failure
 * @out is to be freed all the same.
 */
int nti_gpu_text_parse(const char *file, const char *text, size_t bytes, struct nti_gpu_text *out,
		       struct nti_error *e);
void nti_gpu_text_fini(struct nti_gpu_text *t);

/* 0, or -EINVAL: @text is no function, with a sentence in @e. */
int nti_gpu_function_parse(const char *text, struct nti_gpu_function *out, struct nti_error *e);
/* The same for the wires of an amount, of which the function was parsed before. */
int nti_gpu_amount_parse(const char *text, struct nti_gpu_function *f, struct nti_error *e);

/*
 * What the events are for chips of each family, as if files of data/events said it: families
 * "nv_g80", "nv_g84", "nv_g200" and "nv_gt215". 0, -EINVAL with a sentence, -ENOMEM.
 */
int nti_gpu_text_expand(const struct nti_gpu_text *t, struct nti_box_text *out,
			struct nti_error *e);

/*
 * The set-ups of all that have a function, as rows of data/counters (trace/derive/known_text.h).
 */
void nti_gpu_text_write_set_ups(const struct nti_gpu_text *t, FILE *out);

#endif
