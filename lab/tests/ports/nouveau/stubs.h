/* SPDX-License-Identifier: MIT */
/*
 * What nouveau's text asks of Linux, as far as its counters need it, for a program with one thread:
 * locks only check that they are used rightly. The names are Linux's, the words are ours. It is
 * included in front of each file of nouveau; the headers that those name are empty files.
 */
#ifndef NTIME_NOUVEAU_STUBS_H
#define NTIME_NOUVEAU_STUBS_H

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/types.h>

/* glibc defines both orders of bytes; here the question is whether the machine has this one. */
#undef __BIG_ENDIAN

/* ---- types ---- */

typedef uint8_t u8, __u8;
typedef uint16_t u16, __u16;
typedef uint32_t u32, __u32;
/* "%llx" prints them, so they are no longs. */
typedef unsigned long long u64, __u64;
typedef int8_t s8, __s8;
typedef int16_t s16, __s16;
typedef int32_t s32, __s32;
typedef long long s64, __s64, ktime_t;
typedef u64 resource_size_t, dma_addr_t, phys_addr_t;
typedef unsigned int gfp_t;
typedef struct {
	int value;
} atomic_t;

#define __iomem
#define __user
#define __printf(a, b) __attribute__((format(printf, a, b)))
#define typeof __typeof__

/* Of which nouveau's headers have one inside of something; nothing here looks into it. */
struct i2c_adapter {
	int unused;
};
struct i2c_board_info {
	int unused;
};
struct i2c_msg {
	int addr, flags, len;
	void *buf;
};
#define I2C_M_RD 1
#define i2c_transfer(adapter, messages, count) ((void)(adapter), (void)(messages), -ENODEV)
struct kref {
	int unused;
};
struct completion {
	int unused;
};
struct notifier_block {
	int unused;
};
struct work_struct {
	int unused;
};
typedef struct {
	int unused;
} wait_queue_head_t;

/* ---- small things ---- */

#define CONFIG_NOUVEAU_DEBUG 5
#define CONFIG_NOUVEAU_DEBUG_DEFAULT 3

#define likely(x) (x)
#define unlikely(x) (x)
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define BIT(n) (1ul << (n))
#define BIT_ULL(n) (1ull << (n))
#define BITS_PER_LONG (8 * (int)sizeof(long))
#define DECLARE_BITMAP(name, bits) unsigned long name[((bits) + BITS_PER_LONG - 1) / BITS_PER_LONG]
#define container_of(p, type, member) ((type *)((char *)(p)-offsetof(type, member)))
#define lower_32_bits(n) ((u32)(n))
#define upper_32_bits(n) ((u32)((u64)(n) >> 32))
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))

#define BUG_ON(x) assert(!(x))
#define WARN_ON(x)                                                                                 \
	({                                                                                         \
		bool is_so_ = (x);                                                                 \
		if (is_so_)                                                                        \
			fprintf(stderr, "# nouveau warns of: %s\n", #x);                           \
		is_so_;                                                                            \
	})

/* The number of the lowest 1; of 0, which is asked for too, any. */
static inline unsigned long __ffs(unsigned long word)
{
	return word ? (unsigned long)__builtin_ctzl(word) : 0;
}

static inline unsigned long __ffs64(u64 word)
{
	return word ? (unsigned long)__builtin_ctzll(word) : 0;
}

static inline void set_bit(long bit, unsigned long *word)
{
	*word |= 1ul << bit;
}

static inline bool test_bit(long bit, const unsigned long *word)
{
	return *word >> bit & 1;
}

static inline bool test_and_set_bit(long bit, unsigned long *word)
{
	bool was = test_bit(bit, word);

	*word |= 1ul << bit;
	return was;
}

static inline bool test_and_clear_bit(long bit, unsigned long *word)
{
	bool was = test_bit(bit, word);

	*word &= ~(1ul << bit);
	return was;
}

/* Errors in pointers: the last page of the address space. */
#define ERR_PTR(error) ((void *)(long)(error))
#define PTR_ERR(p) ((long)(p))
#define IS_ERR(p) ((unsigned long)(p) > (unsigned long)-4096)

/* ---- print ---- */

#define KERN_CRIT "crit: "
#define KERN_ERR "error: "
#define KERN_NOTICE "notice: "
#define KERN_WARNING "warning: "
#define KERN_INFO "info: "
#define KERN_DEBUG "debug: "
struct device;
#define printk(...) fprintf(stderr, "# " __VA_ARGS__)
#define dev_print_(d, level, ...) ((void)(d), printk(level __VA_ARGS__))
#define dev_crit(d, ...) dev_print_(d, KERN_CRIT, __VA_ARGS__)
#define dev_err(d, ...) dev_print_(d, KERN_ERR, __VA_ARGS__)
#define dev_notice(d, ...) dev_print_(d, KERN_NOTICE, __VA_ARGS__)
#define dev_info(d, ...) dev_print_(d, KERN_INFO, __VA_ARGS__)
#define dev_dbg(d, ...) dev_print_(d, KERN_DEBUG, __VA_ARGS__)

/* ---- memory and text ---- */

#define GFP_KERNEL 0
#define kzalloc(bytes, flags) ((void)(flags), calloc(1, bytes))
#define kmalloc(bytes, flags) kzalloc(bytes, flags)
#define kfree(p) free((void *)(p))
#define kstrndup(text, n, flags) ((void)(flags), strndup(text, (size_t)(n)))
#define struct_size(p, member, n) (sizeof(*(p)) + sizeof((p)->member[0]) * (size_t)(n))
#define array3_size(a, b, c) ((size_t)(a) * (size_t)(b) * (size_t)(c))

static inline long strscpy(char *to, const char *from, size_t bytes)
{
	return snprintf(to, bytes, "%s", from);
}

/* What is there afterwards, not what would be there with more room. */
__printf(3, 4) static inline int scnprintf(char *to, size_t bytes, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(to, bytes, format, args);
	va_end(args);
	return n < (int)bytes ? n : (int)bytes - 1;
}

static inline int kstrtol(const char *text, unsigned int base, long *value)
{
	char *end;

	*value = strtol(text, &end, (int)base);
	return end == text || *end ? -EINVAL : 0;
}

/* ---- locks, time, work ---- */

struct mutex {
	bool is_locked;
};
typedef struct mutex spinlock_t;

static inline void mutex_init(struct mutex *m)
{
	m->is_locked = false;
}

static inline void mutex_lock(struct mutex *m)
{
	assert(!m->is_locked);
	m->is_locked = true;
}

static inline void mutex_unlock(struct mutex *m)
{
	assert(m->is_locked);
	m->is_locked = false;
}

#define mutex_destroy(m) assert(!(m)->is_locked)
#define spin_lock_init(l) mutex_init(l)
#define spin_lock(l) mutex_lock(l)
#define spin_unlock(l) mutex_unlock(l)
#define spin_lock_irqsave(l, flags) ((flags) = 0, mutex_lock(l))
#define spin_unlock_irqrestore(l, flags) ((void)(flags), mutex_unlock(l))
#define assert_spin_locked(l) assert((l)->is_locked)

typedef struct {
	unsigned int count;
} refcount_t;

static inline void refcount_set(refcount_t *r, unsigned int count)
{
	r->count = count;
}

static inline void refcount_inc(refcount_t *r)
{
	assert(r->count);
	r->count++;
}

static inline bool refcount_inc_not_zero(refcount_t *r)
{
	return r->count ? r->count++, true : false;
}

static inline bool refcount_dec_and_test(refcount_t *r)
{
	assert(r->count);
	return --r->count == 0;
}

/* With the lock, but only if that was the last one. */
static inline bool refcount_dec_and_mutex_lock(refcount_t *r, struct mutex *m)
{
	if (!refcount_dec_and_test(r))
		return false;
	mutex_lock(m);
	return true;
}

#define ktime_get() ((ktime_t)0)
#define ktime_to_us(t) (t)
#define INIT_WORK(w, function) ((void)(w), (void)(function))
#define schedule_work(w) assert(!(w))
#define flush_work(w) ((void)(w))

/* ---- lists: a ring through a head ---- */

struct list_head {
	struct list_head *next, *prev;
};

static inline void INIT_LIST_HEAD(struct list_head *head)
{
	head->next = head->prev = head;
}

static inline void list_insert_(struct list_head *item, struct list_head *before)
{
	item->next = before;
	item->prev = before->prev;
	before->prev->next = item;
	before->prev = item;
}

static inline void list_add(struct list_head *item, struct list_head *head)
{
	list_insert_(item, head->next);
}

static inline void list_add_tail(struct list_head *item, struct list_head *head)
{
	list_insert_(item, head);
}

static inline void list_del(struct list_head *item)
{
	item->next->prev = item->prev;
	item->prev->next = item->next;
	item->next = item->prev = NULL;
}

static inline bool list_empty(const struct list_head *head)
{
	return head->next == head;
}

#define list_entry(p, type, member) container_of(p, type, member)
#define list_item_(p, like, member) list_entry(p, typeof(*(like)), member)
#define list_walk_(pos, first, head, member, step)                                                 \
	for (pos = list_item_(first, pos, member); &pos->member != (head);                         \
	     pos = list_item_(pos->member.step, pos, member))
#define list_for_each_entry(pos, head, member) list_walk_(pos, (head)->next, head, member, next)
#define list_for_each_entry_reverse(pos, head, member)                                             \
	list_walk_(pos, (head)->prev, head, member, prev)
#define list_for_each_entry_continue_reverse(pos, head, member)                                    \
	list_walk_(pos, (pos)->member.prev, head, member, prev)
#define list_for_each_entry_safe(pos, ahead, head, member)                                         \
	for (pos = list_item_((head)->next, pos, member),                                          \
	    ahead = list_item_(pos->member.next, pos, member);                                     \
	     &pos->member != (head);                                                               \
	     pos = ahead, ahead = list_item_(ahead->member.next, ahead, member))

/* ---- a tree, never balanced: a handful of objects is in it ---- */

struct rb_node {
	struct rb_node *rb_parent, *rb_left, *rb_right;
};
struct rb_root {
	struct rb_node *rb_node;
};

#define RB_ROOT ((struct rb_root){ NULL })
#define rb_entry(p, type, member) container_of(p, type, member)
/* What is in no tree is its own parent. */
#define RB_CLEAR_NODE(n) ((n)->rb_parent = (n))
#define RB_EMPTY_NODE(n) ((n)->rb_parent == (n))

static inline void rb_link_node(struct rb_node *n, struct rb_node *parent, struct rb_node **link)
{
	*n = (struct rb_node){ .rb_parent = parent };
	*link = n;
}

#define rb_insert_color(n, root) ((void)(n), (void)(root))

/* The right part takes the place of @n, and the left one goes below its smallest. */
static inline void rb_erase(struct rb_node *n, struct rb_root *root)
{
	struct rb_node *top = n->rb_right ? n->rb_right : n->rb_left;
	struct rb_node **link = !n->rb_parent		     ? &root->rb_node
				: n->rb_parent->rb_left == n ? &n->rb_parent->rb_left
							     : &n->rb_parent->rb_right;

	if (n->rb_right && n->rb_left) {
		struct rb_node *smallest = top;

		while (smallest->rb_left)
			smallest = smallest->rb_left;
		smallest->rb_left = n->rb_left;
		n->rb_left->rb_parent = smallest;
	}
	if (top)
		top->rb_parent = n->rb_parent;
	*link = top;
}

/* ---- registers: what a pointer to them holds is the offset alone ---- */

u32 ntime_read(u32 offset, unsigned int bytes);
void ntime_write(u32 offset, u32 value, unsigned int bytes);

#define ioread_(p, bytes) ntime_read((u32)(uintptr_t)(p), bytes)
#define iowrite_(value, p, bytes) ntime_write((u32)(uintptr_t)(p), value, bytes)
#define ioread8(p) ((u8)ioread_(p, 1))
#define ioread16(p) ((u16)ioread_(p, 2))
#define ioread32(p) ioread_(p, 4)
#define iowrite8(value, p) iowrite_(value, p, 1)
#define iowrite16(value, p) iowrite_(value, p, 2)
#define iowrite32(value, p) iowrite_(value, p, 4)

#endif
