// SPDX-License-Identifier: MIT
/*
 * Aligning two sequences of numbers.
 *
 * What remains to be done is a stack of boxes, pieces of both sequences that belong together. Of
 * each the common beginning and end are cut off; a large one is then split at anchors (runs of k
 * numbers that occur once in each piece, as in patience sorting), a small one, or one without
 * anchors, where the searches for the shortest way from both of its corners meet (E. Myers, "An
 * O(ND) difference algorithm and its variations", 1986). A search that has gone on for long without
 * meeting splits at the point that it came farthest to.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/common/grow.h"
#include "trace/lib/query/diff_align.h"

#define STEPS 256 /* of a search; a box of twice as many numbers is always done */
#define SMALL (2 * STEPS)
#define MOST_SAMPLES ((size_t)1 << 20)
#define NOWHERE (-1)
#define FAR PTRDIFF_MAX

/* Lengths of the runs that anchors are, from rare to frequent ones. */
static const unsigned int run_lengths[] = { 24, 6, 1 };
#define LEVELS (sizeof(run_lengths) / sizeof(run_lengths[0]))

struct box {
	size_t a, a_end, b, b_end;
	unsigned int level; /* of run_lengths */
};

struct point {
	uint32_t a, b;
};

struct align {
	struct nti_sequence *a, *b;
	struct box *stack;
	size_t boxes;
	/*
	 * furthest x on each diagonal x - y, from the front, and from the back relative to the last
	 * diagonal
	 */
	ptrdiff_t front[2 * STEPS + 3], back[2 * STEPS + 3];
};

static size_t length(const struct box *box)
{
	return box->a_end - box->a + box->b_end - box->b;
}

static void mark(struct nti_sequence *s, size_t from, size_t to)
{
	if (to > from)
		memset(s->changed + from, 1, to - from);
}

/* One more box, unless it can be answered at once. 0 or -ENOMEM. */
static int push(struct align *al, struct box box)
{
	const uint32_t *a = al->a->id, *b = al->b->id;

	while (box.a < box.a_end && box.b < box.b_end && a[box.a] == b[box.b]) {
		box.a++;
		box.b++;
	}
	while (box.a < box.a_end && box.b < box.b_end && a[box.a_end - 1] == b[box.b_end - 1]) {
		box.a_end--;
		box.b_end--;
	}
	if (box.a == box.a_end || box.b == box.b_end) {
		mark(al->a, box.a, box.a_end);
		mark(al->b, box.b, box.b_end);
		return 0;
	}
	if (!nti_grow(&al->stack, al->boxes))
		return -ENOMEM;
	al->stack[al->boxes++] = box;
	return 0;
}

/* ---- searches from two corners ---- */

/**
 * struct search - within one box
 * @a, @b:	its numbers
 * @n, @m:	how many
 * @front, @back: furthest x by diagonal; the middle elements are diagonals 0 and @n - @m
 */
struct search {
	const uint32_t *a, *b;
	ptrdiff_t n, m;
	ptrdiff_t *front, *back;
};

/* One step on diagonal @d from the front: right, or down, then along what is equal. */
static ptrdiff_t step_front(const struct search *s, ptrdiff_t d)
{
	ptrdiff_t right = s->front[d - 1], down = s->front[d + 1], x, y;

	right = right != NOWHERE && right < s->n ? right + 1 : NOWHERE;
	down = down != NOWHERE && down - d <= s->m ? down : NOWHERE;
	x = right > down ? right : down;
	if (x == NOWHERE)
		return NOWHERE;
	y = x - d;
	while (x < s->n && y < s->m && s->a[x] == s->b[y]) {
		x++;
		y++;
	}
	return x;
}

/* The same from the back; @d counts from the last diagonal. */
static ptrdiff_t step_back(const struct search *s, ptrdiff_t d)
{
	ptrdiff_t left = s->back[d + 1], up = s->back[d - 1], x, y, diagonal = d + s->n - s->m;

	left = left != FAR && left > 0 ? left - 1 : FAR;
	up = up != FAR && up - diagonal >= 0 ? up : FAR;
	x = left < up ? left : up;
	if (x == FAR)
		return FAR;
	y = x - diagonal;
	while (x > 0 && y > 0 && s->a[x - 1] == s->b[y - 1]) {
		x--;
		y--;
	}
	return x;
}

/*
 * Where both searches are on diagonal @d (from the front) after @steps each, at least one of them
 * just now.
 */
static bool have_met(const struct search *s, ptrdiff_t d, ptrdiff_t steps)
{
	ptrdiff_t from_back = d - (s->n - s->m);

	if (from_back < -steps || from_back > steps || d < -steps || d > steps)
		return false;
	return s->front[d] != NOWHERE && s->back[from_back] != FAR &&
	       s->front[d] >= s->back[from_back];
}

/* The searches did not meet: the point of either that is farthest from its corner. */
static void farthest(const struct search *s, ptrdiff_t steps, ptrdiff_t *x, ptrdiff_t *y)
{
	ptrdiff_t best = -1;

	for (ptrdiff_t d = -steps; d <= steps; d += 2) {
		ptrdiff_t front = s->front[d], back = s->back[d], diagonal = d + s->n - s->m;

		if (front != NOWHERE && 2 * front - d > best) {
			best = 2 * front - d;
			*x = front;
			*y = front - d;
		}
		if (back != FAR && s->n + s->m - (2 * back - diagonal) > best) {
			best = s->n + s->m - (2 * back - diagonal);
			*x = back;
			*y = back - diagonal;
		}
	}
}

/* A point on a shortest way through the box, or on a good one where that takes too long. */
static void meet(const struct search *s, ptrdiff_t *x, ptrdiff_t *y)
{
	bool is_odd = (s->n - s->m) & 1;

	for (ptrdiff_t d = -STEPS - 1; d <= STEPS + 1; d++) {
		s->front[d] = NOWHERE;
		s->back[d] = FAR;
	}
	s->front[0] = 0;
	s->back[0] = s->n;
	for (ptrdiff_t steps = 1; steps <= STEPS; steps++) {
		for (ptrdiff_t d = -steps; d <= steps; d += 2) {
			s->front[d] = step_front(s, d);
			if (!is_odd || !have_met(s, d, steps))
				continue;
			*x = s->front[d];
			*y = *x - d;
			return;
		}
		for (ptrdiff_t d = -steps; d <= steps; d += 2) {
			ptrdiff_t diagonal = d + s->n - s->m;

			s->back[d] = step_back(s, d);
			if (is_odd || !have_met(s, diagonal, steps))
				continue;
			*x = s->back[d];
			*y = *x - diagonal;
			return;
		}
	}
	farthest(s, STEPS, x, y);
}

static int split_at_meeting(struct align *al, const struct box *box)
{
	struct search s = {
		.a = al->a->id + box->a,
		.b = al->b->id + box->b,
		.n = (ptrdiff_t)(box->a_end - box->a),
		.m = (ptrdiff_t)(box->b_end - box->b),
		.front = al->front + STEPS + 1,
		.back = al->back + STEPS + 1,
	};
	struct box first = *box, second = *box;
	ptrdiff_t x = 0, y = 0;
	int ret;

	meet(&s, &x, &y);
	first.a_end = second.a = box->a + (size_t)x;
	first.b_end = second.b = box->b + (size_t)y;
	ret = push(al, first);
	return ret ? ret : push(al, second);
}

/* ---- anchors ---- */

/* A run of numbers as it was seen: where last, and how often in each (2: more than once). */
struct sight {
	uint32_t tag;
	uint32_t a, b;
	uint8_t in_a, in_b;
};

/**
 * struct anchors - runs of one length in a box
 * @k:		their length
 * @skip:	only runs whose hash has this many low bits 0 are looked at, so that their number is
 *		bounded
 * @sight:	hash table of (1 << @order) entries
 * @seen:	entries of runs of A, in the order of A
 */
struct anchors {
	unsigned int k, skip, order;
	uint64_t power; /* what the number that leaves a run was multiplied by */
	struct sight *sight;
	uint32_t *seen;
	size_t n_seen, most;
};

#define MULTIPLIER 0x9e3779b97f4a7c15u

static uint64_t mix(uint64_t h)
{
	h ^= h >> 32;
	h *= 0xd6e8feb86659fd93u;
	return h ^ h >> 32;
}

/* Entry of a hash, or the empty one where it belongs. */
static struct sight *look(const struct anchors *an, uint64_t hash)
{
	size_t mask = ((size_t)1 << an->order) - 1;
	uint32_t tag = (uint32_t)(hash >> 32);
	size_t i = (size_t)(hash >> an->skip) & mask;

	while ((an->sight[i].in_a || an->sight[i].in_b) && an->sight[i].tag != tag)
		i = (i + 1) & mask;
	an->sight[i].tag = tag;
	return &an->sight[i];
}

static void see_a(struct anchors *an, uint64_t hash, size_t at)
{
	struct sight *sight;

	if (an->n_seen == an->most)
		return;
	sight = look(an, hash);
	sight->a = (uint32_t)at;
	sight->in_a += sight->in_a < 2;
	an->seen[an->n_seen++] = (uint32_t)(sight - an->sight);
}

/* Runs that A does not have are of no use. */
static void see_b(struct anchors *an, uint64_t hash, size_t at)
{
	struct sight *sight = look(an, hash);

	if (!sight->in_a)
		return;
	sight->b = (uint32_t)at;
	sight->in_b += sight->in_b < 2;
}

/* All runs of a piece that are to be looked at; the hash rolls along. */
static void see_runs(struct anchors *an, const uint32_t *id, size_t n,
		     void (*see)(struct anchors *an, uint64_t hash, size_t at))
{
	uint64_t rolling = 0, hash, wanted = ((uint64_t)1 << an->skip) - 1;

	for (size_t i = 0; i < n; i++) {
		if (i >= an->k)
			rolling -= mix(id[i - an->k] + 1u) * an->power;
		rolling = rolling * MULTIPLIER + mix(id[i] + 1u);
		if (i + 1 < an->k)
			continue;
		hash = mix(rolling);
		if (!(hash & wanted))
			see(an, hash, i + 1 - an->k);
	}
}

/* Runs that are once in both, in the order of A. Their number; at most an->n_seen. */
static size_t candidates(const struct anchors *an, const uint32_t *a, const uint32_t *b,
			 struct point *out)
{
	size_t n = 0;

	for (size_t i = 0; i < an->n_seen; i++) {
		const struct sight *sight = &an->sight[an->seen[i]];

		/* Two runs may have one hash. */
		if (sight->in_a == 1 && sight->in_b == 1 &&
		    memcmp(a + sight->a, b + sight->b, an->k * sizeof(*a)) == 0)
			out[n++] = (struct point){ sight->a, sight->b };
	}
	return n;
}

/* Longest rising row of @point[].b, in place: patience sorting. Its length, or -ENOMEM. */
static ptrdiff_t rising(struct point *point, size_t n)
{
	uint32_t *pile = calloc(2 * n + 1, sizeof(*pile)), *before = pile ? pile + n : NULL;
	size_t piles = 0, at;

	if (!pile)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		size_t low = 0, high = piles;

		while (low < high) {
			size_t middle = low + (high - low) / 2;

			if (point[pile[middle]].b < point[i].b)
				low = middle + 1;
			else
				high = middle;
		}
		before[i] = low ? pile[low - 1] : 0;
		pile[low] = (uint32_t)i;
		piles += low == piles;
	}
	/*
	 * The i-th of the row is no earlier than the i-th of all, so the points can be moved in
	 * place.
	 */
	at = piles ? pile[piles - 1] : 0;
	for (size_t i = piles; i-- > 0;) {
		size_t next = before[at];

		pile[i] = (uint32_t)at;
		at = next;
	}
	for (size_t i = 0; i < piles; i++)
		point[i] = point[pile[i]];
	free(pile);
	return (ptrdiff_t)piles;
}

static int push_gaps(struct align *al, const struct box *box, const struct point *point, size_t n)
{
	struct box gap = { .a = box->a, .b = box->b };

	for (size_t i = 0; i <= n; i++) {
		int ret;

		gap.a_end = i < n ? box->a + point[i].a : box->a_end;
		gap.b_end = i < n ? box->b + point[i].b : box->b_end;
		/*
		 * What did not become much smaller is not tried again in the same way, else there
		 * is no bound to trying.
		 */
		gap.level = length(&gap) > length(box) / 2 ? box->level + 1 : box->level;
		ret = push(al, gap);
		if (ret)
			return ret;
		gap.a = gap.a_end + 1;
		gap.b = gap.b_end + 1;
	}
	return 0;
}

static int anchors_init(struct anchors *an, size_t n, unsigned int k)
{
	*an = (struct anchors){ .k = k, .power = 1, .order = 4 };
	for (unsigned int i = 1; i < k; i++)
		an->power *= MULTIPLIER;
	while (n >> an->skip > MOST_SAMPLES)
		an->skip++;
	/* Samples are not spread as evenly as that. */
	an->most = (n >> an->skip) + (n >> an->skip) / 2 + 16;
	while ((size_t)1 << an->order < 2 * an->most)
		an->order++;
	an->sight = calloc((size_t)1 << an->order, sizeof(*an->sight));
	an->seen = calloc(an->most, sizeof(*an->seen));
	return an->sight && an->seen ? 0 : -ENOMEM;
}

/* 1: split; 0: there are no anchors; -ENOMEM. */
static int split_at_anchors(struct align *al, const struct box *box)
{
	size_t n = box->a_end - box->a, m = box->b_end - box->b;
	const uint32_t *a = al->a->id + box->a, *b = al->b->id + box->b;
	struct point *point = NULL;
	struct anchors an;
	ptrdiff_t rows = 0;
	int ret;

	ret = anchors_init(&an, n, run_lengths[box->level]);
	if (ret)
		goto out;
	see_runs(&an, a, n, see_a);
	see_runs(&an, b, m, see_b);
	point = calloc(an.n_seen + 1, sizeof(*point));
	ret = point ? 0 : -ENOMEM;
	if (!ret)
		rows = rising(point, candidates(&an, a, b, point));
out:
	free(an.sight);
	free(an.seen);
	if (!ret && rows > 0)
		ret = push_gaps(al, box, point, (size_t)rows);
	free(point);
	if (ret || rows < 0)
		return -ENOMEM;
	return rows > 0;
}

static int split(struct align *al, struct box box)
{
	if (length(&box) > SMALL && box.level < LEVELS) {
		int ret = split_at_anchors(al, &box);

		if (ret)
			return ret < 0 ? ret : 0;
		box.level++;
		return push(al, box);
	}
	return split_at_meeting(al, &box);
}

int nti_align(struct nti_sequence *a, struct nti_sequence *b)
{
	struct align *al = calloc(1, sizeof(*al));
	int ret;

	if (!al)
		return -ENOMEM;
	al->a = a;
	al->b = b;
	if (a->n)
		memset(a->changed, 0, a->n);
	if (b->n)
		memset(b->changed, 0, b->n);
	ret = push(al, (struct box){ .a_end = a->n, .b_end = b->n });
	while (al->boxes && !ret)
		ret = split(al, al->stack[--al->boxes]);
	free(al->stack);
	free(al);
	return ret;
}
