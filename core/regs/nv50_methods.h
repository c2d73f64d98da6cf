/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Methods of a channel that count inside the multiprocessors (MPs) of G84 to GT21x, and where their
 * readings go. Those of classes are hardware's (envytools' rnndb and Mesa's queries; words
 * as in push buffers of G200 under CUPTI; trust: measured). Those from NTHW_NV_MP_CONFIGURE on are
 * software's, in the manner of the prototypes for nouveau of 2014, of which only the idea was
 * published: numbers and layout are made up.
 */
#ifndef NTHW_NV50_METHODS_H
#define NTHW_NV50_METHODS_H

#define NTHW_NV_MP_SLOTS 4

/* Methods; those of slots are 4 apart. */
#define NTHW_NV_MP_SET 0x2d0u	  /* the slot's count */
#define NTHW_NV_MP_CONTROL 0x2e0u /* what it counts: nthw_nv_mp_control() */
/* The same of the class that draws. */
#define NTHW_NV_MP_SET_3D 0x12f0u
#define NTHW_NV_MP_CONTROL_3D 0x1580u
/* of which MP readings are: its number + 1; 0: the sum of all. From the count that it has now on */
#define NTHW_NV_MP_CONFIGURE 0x600u
/* take the counts now: of a slot's 32 bits what was added since it was configured or taken last */
#define NTHW_NV_MP_SAMPLE 0x610u
/* what was taken last becomes the reading of this number, not 0 */
#define NTHW_NV_MP_READ_OUT 0x614u

/*
 * Words of a channel's memory. Readings follow one another from NTHW_NV_MP_RING on,
 * NTHW_NV_MP_DEPTH of them: that of number n at place n modulo the depth.
 */
#define NTHW_NV_MP_LATEST 0u /* the number of the reading that came last; 0: none has */
#define NTHW_NV_MP_DEPTH 4u
#define NTHW_NV_MP_RING 8u
/* Of a reading, whose numbers of 64 bits are two words, the lower one first: */
#define NTHW_NV_MP_NUMBER 0u /* 0 while it is written */
#define NTHW_NV_MP_CLOCKS 8u /* for which the context ran */
#define NTHW_NV_MP_COUNT 16u /* of slots, 8 apart: counted since each was configured */
#define NTHW_NV_MP_READING_BYTES 48u

#endif
