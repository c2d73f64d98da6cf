/* SPDX-License-Identifier: MIT */
/**
 * DOC: Frames: periods with numbers, and the ring that keeps the last ones
 *
 * A frame clock over a session: each ntime_frame_end() ends a period, stores what it counted under
 * the period's number, and begins the next one. Frames are what a program draws, or any other work
 * that comes again and again: requests, rounds, samples. Where the events need several passes each
 * frame has one of them, in turn, so that every number is exact for the frames that it is of, and
 * says which these are.
 *
 * One thread ends frames; any number of threads, and of other processes if the ring is in a file,
 * read them by number, without locks. Nobody waits for anybody: a reader that is too slow loses
 * frames and learns which, and never gets a mixture of two.
 */
#ifndef NTIME_FRAME_H
#define NTIME_FRAME_H

#include <stddef.h>
#include <stdint.h>

#include <ntime/context.h>
#include <ntime/session.h>
#include <ntime/value.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ntime_frames;
struct ntime_frame_ring;

/**
 * struct ntime_frame - one frame; set @size before it is filled
 * @size:	sizeof(struct ntime_frame)
 * @pass:	pass that was counted in it
 * @number:	from 0
 * @begin_ns, @end_ns: CLOCK_MONOTONIC. A frame begins where the one before it ended, but for the
 *		time that the change to another pass takes
 */
struct ntime_frame {
	uint32_t size;
	uint32_t pass;
	uint64_t number;
	uint64_t begin_ns;
	uint64_t end_ns;
};

/**
 * struct ntime_frame_value - a value, and which frames it is of
 * @value:	what was counted in these frames. NTIME_NOT_COUNTED: its pass has not come yet
 * @first, @last: that frame; where they differ, it needs several passes, and has one frame of each
 *		of them. @last is an older frame than the one that was asked for where it was not
 *		the turn of its pass
 */
struct ntime_frame_value {
	struct ntime_value value;
	uint64_t first;
	uint64_t last;
};

/**
 * ntime_frames_new() - a frame clock over a session
 * @s:		session; it is opened if it was not. Where its events need several passes its target
 *		must have NTIME_BY_PASS. It may be started before or afterwards, must outlive the
 *		clock, and nobody else may go to another pass of it
 * @depth:	how many frames are kept: a power of two, 2 .. 1 << 20
 * @fd:		where the ring is to be: an empty file, or a memfd, that is open for reading and
 *		writing. It gets its size here, and may be closed afterwards. Whoever cuts it short
 *		then ends the program at its next frame (SIGBUS): keep it to yourself, or seal a
 *		memfd (F_SEAL_SHRINK). -1: in memory, for threads of this process
 * @out:	the clock; NULL on failure. Free with ntime_frames_free()
 *
 * Frame 0 begins now, or when the session is started. Allocates all that is needed. In a forked
 * child the clock does nothing: ntime_frame_end() is -EINVAL.
 * Return: 0; -EINVAL (@depth; several passes without NTIME_BY_PASS; a file that is not empty, or
 * no regular one); -EBADF (@fd is not open for reading and writing); -EBUSY (another clock writes
 * to that file); -ENOMEM; -ENOSPC, -EACCES and others of the file; or as ntime_session_open().
 * Since 0.1.
 */
NTIME_API int ntime_frames_new(struct ntime_session *s, size_t depth, int fd,
			       struct ntime_frames **out);

/**
 * ntime_frames_new_own() - the same with values that the caller brings, behind those of the session
 * @own:	what they are: @n, which may be 0; of a NULL string the ring has "". Only read here
 *
 * For what has frames and is no event of a session: a query of a graphics driver, whose result
 * comes some frames later. Return: as ntime_frames_new(); -EINVAL (@own has another size). Since
 * 0.1.
 */
NTIME_API int ntime_frames_new_own(struct ntime_session *s, const struct ntime_item *own, size_t n,
				   size_t depth, int fd, struct ntime_frames **out);

/**
 * ntime_frame_put() - value @i of the caller's, of frame @number: the frame that ends next stores
 * it
 * @count:	times the scale of its item
 * @number:	of that frame or of an older one, which readers learn
 *
 * Once a frame; what was not put is NTIME_NOT_COUNTED in it. The thread that ends frames.
 * Return: 0; -EINVAL (@i, @number; a forked child). Since 0.1.
 */
NTIME_API int ntime_frame_put(struct ntime_frames *f, size_t i, uint64_t number, uint64_t count);

/**
 * ntime_frames_free() - end the ring: its readers learn that no further frame comes. NULL is
 * accepted. The ring of ntime_frames_ring() goes with it; what is in a file stays there.
 */
NTIME_API void ntime_frames_free(struct ntime_frames *f);

/**
 * ntime_frame_end() - the frame ends, and the next one begins
 * @f:		frame clock; its session belongs to this thread
 * @number:	of the frame that ended; may be NULL
 *
 * Costs a read of the session, some 100 instructions, and 18 for each item. Where there are several
 * passes it also switches the counters of one off and those of the next on. Waits for nobody and
 * allocates nothing.
 * Return: 0, or as ntime_session_read(): the frame is there all the same then, its values are
 * NTIME_NOT_COUNTED, and so is the next one of each item. -EBUSY (NTIME_ON_EXEC, before exec()) or
 * -EIO: the pass could not be changed; the frame has its values, and the next one of each item is
 * NTIME_NOT_COUNTED. -EINVAL: a forked child. Since 0.1.
 */
NTIME_API int ntime_frame_end(struct ntime_frames *f, uint64_t *number);

/** ntime_frames_ring() - the ring of @f, for readers in this process; lives as long as @f */
NTIME_API const struct ntime_frame_ring *ntime_frames_ring(const struct ntime_frames *f);

/**
 * ntime_frame_ring_open() - read frames that another process stores
 * @ctx:	gets the sentence if it fails; the ring does not need it any more
 * @fd:		the ring's file or memfd, open for reading; may be closed afterwards
 * @out:	the ring; NULL on failure. Free with ntime_frame_ring_close()
 *
 * Return: 0; -EBADMSG (no ring, or one that was cut short); -EPROTO (a ring of another version, or
 * of a processor whose words are other ones); -EBADF; -EFBIG (it exceeds the memory); -EACCES;
 * -ENOMEM. Since 0.1.
 */
NTIME_API int ntime_frame_ring_open(struct ntime_ctx *ctx, int fd, struct ntime_frame_ring **out);
NTIME_API void ntime_frame_ring_close(struct ntime_frame_ring *r);

/* How it stands with the process that ends frames. */
enum ntime_frame_state {
	NTIME_FRAMES_RUNNING = 0,
	NTIME_FRAMES_ENDED = 1, /* it called ntime_frames_free() */
	/* it ended before it could; a forked child of it that lives on hides that */
	NTIME_FRAMES_LOST = 2
};

/**
 * struct ntime_frame_ring_info - what a ring is, and how far it has come
 * @size:	sizeof(struct ntime_frame_ring_info); set it
 * @state:	enum ntime_frame_state
 * @pid:	who writes it, as that process knows itself
 * @depth:	frames that are kept
 * @items:	values that each has
 * @passes:	frames until each event had its turn
 * @next:	number that the next frame will get: the newest one is @next - 1
 * @oldest:	smallest number that the next ntime_frame_end() will not overwrite, or once it ended
 *		the smallest one that is there
 * @wall_ns:	CLOCK_REALTIME of when the newest frame ended, or of when the ring was made: since
 *		when nothing came
 * @wall_offset_ns: CLOCK_REALTIME less CLOCK_MONOTONIC as the ring was made, for times of frames
 */
struct ntime_frame_ring_info {
	uint32_t size;
	uint32_t state;
	uint32_t pid;
	uint32_t depth;
	uint32_t items;
	uint32_t passes;
	uint64_t next;
	uint64_t oldest;
	uint64_t wall_ns;
	uint64_t wall_offset_ns;
};

/**
 * ntime_frame_ring_get_info() - as it is now; any thread
 *
 * Costs three system calls where the ring is in a file. Return: 0, -EINVAL (@out->size), -EBADMSG
 * (its file was cut short meanwhile). Since 0.1.
 */
NTIME_API int ntime_frame_ring_get_info(const struct ntime_frame_ring *r,
					struct ntime_frame_ring_info *out);

/**
 * ntime_frame_ring_item() - what is known of item @i, as ntime_session_item() had it when the ring
 * was made; strings live as long as the ring
 *
 * Return: 0 or -EINVAL (@i, @out->size). Since 0.1.
 */
NTIME_API int ntime_frame_ring_item(const struct ntime_frame_ring *r, size_t i,
				    struct ntime_item *out);

/**
 * ntime_frame_read() - copy frame @number
 * @r:		ring
 * @number:	wanted frame
 * @frame:	its times, may be NULL; else @frame->size must be set
 * @values:	caller's memory for @n values in the order of items; undefined after -ESTALE
 * @n:		must equal the ring's number of items
 *
 * Any thread; one system call where the ring is in a file, none in memory.
 * Return: 0; -EAGAIN (not there yet); -ESTALE (overwritten, before or during the copy); -EINVAL
 * (@n, @frame->size); -EBADMSG (the file was cut short meanwhile). Since 0.1.
 */
NTIME_API int ntime_frame_read(const struct ntime_frame_ring *r, uint64_t number,
			       struct ntime_frame *frame, struct ntime_frame_value *values,
			       size_t n);

/*
 * The file, for readers without this library. All numbers are of the machine's byte order; places
 * are bytes from the file's beginning, multiples of 8. What is shared changes while it is read: it
 * must be loaded with acquire.
 *
 *     0                struct ntime_frame_file
 *     .items_at        .items of struct ntime_frame_file_item
 *     .strings_at      .strings_bytes of strings, each with a 0 behind it
 *     .slots_at        .depth slots of .slot_bytes; frame n is in slot n % .depth:
 *
 *         version      shared; 2n + 1: frame n is being written; 2n + 2: it is complete; 0: none
 *         (8 bytes)    more of the version where .word_bits is 32
 *         begin_ns     shared, 64 bits, as is all that follows
 *         end_ns
 *         pass
 *         (8 bytes)    0
 *         .items of    count, wanted_ns, counted_ns; flags in the lower half, hotplugs in the
 *         8 words:     upper one; how many frames before n the value's last frame is in the lower
 *                      half, how many before that one its first frame in the upper one; value,
 *                      below, above as bits of doubles
 *
 * Without flag NTIME_FRAME_WHOLE only count, wanted_ns and flags have a meaning: counted_ns is
 * wanted_ns, the value is of this frame, count * scale of the item, and exact. A frame is copied
 * between two looks at its version, which must be the same and 2n + 2.
 */
#define NTIME_FRAME_MAGIC "ntimefrm"
#define NTIME_FRAME_VERSION 1
#define NTIME_FRAME_WHOLE (1u << 31)
#define NTIME_FRAME_WORDS 8	  /* of an item */
#define NTIME_FRAME_SLOT_BYTES 48 /* before the first item */

/**
 * struct ntime_frame_file - head of a ring's file
 * @magic:	NTIME_FRAME_MAGIC without the 0 behind it
 * @version:	NTIME_FRAME_VERSION
 * @word_bits:	64: versions and @next are words of 64 bits; 32: their halves high, low, high
 * @bytes:	of the whole file
 * @made_ns, @made_wall_ns: CLOCK_MONOTONIC and CLOCK_REALTIME when it was made
 * @next:	shared: number of the next frame; 16 bytes
 * @ended:	shared: 1 once its writer has ended it; before, the writer has an open file
 *		description lock (fcntl(2), F_OFD_SETLK) for writing on byte 0, and who has none is
 *		dead
 */
struct ntime_frame_file {
	char magic[8];
	uint32_t version;
	uint32_t word_bits;
	uint64_t bytes;
	uint32_t pid;
	uint32_t depth;
	uint32_t items;
	uint32_t passes;
	uint64_t items_at;
	uint64_t strings_at;
	uint64_t strings_bytes;
	uint64_t slots_at;
	uint64_t slot_bytes;
	uint64_t made_ns;
	uint64_t made_wall_ns;
	uint64_t next[2];
	uint64_t ended[2];
};

/**
 * struct ntime_frame_file_item - an item as struct ntime_item has it; strings are places in the
 * strings
 */
struct ntime_frame_file_item {
	double scale;
	double max_rate;
	uint32_t pass;
	uint32_t turns;
	uint32_t scope;
	uint32_t together;
	uint32_t reason_code;
	uint32_t remedy_kind;
	uint8_t is_metric;
	uint8_t is_hidden;
	uint8_t is_state;
	uint8_t in_every_pass;
	uint32_t name;
	uint32_t unit;
	uint32_t unit_text;
	uint32_t method;
	uint32_t reason;
	uint32_t remedy;
	uint32_t beside;
	uint32_t about;
	uint32_t cause;
};

#ifdef __cplusplus
}
#endif
#endif
