// SPDX-License-Identifier: MIT
/*
 * Reading a file, a pipe, or what grows.
 *
 *     descriptor --> source_read() --> [unpack] --> nti_input_read()
 *
 * A followed file is looked at ten times a second: that costs nothing, needs no watch that a
 * network file system may lack, and nobody who reads sees the difference.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/common/error.h"
#include "base/common/library.h"
#include "base/os/file.h"
#include "trace/lib/read/input.h"
#include "trace/lib/read/unpack.h"

#define PACKED_BYTES ((size_t)64 << 10)
#define LOOK_MS 100
/* The most that the kernel keeps of a pipe (pipe(7), pipe-max-size). */
#define PIPE_BYTES ((uint64_t)1 << 20)

struct nti_input {
	char *path;
	const char *name; /* for people */
	int fd;
	bool follows, is_regular;
	int stop[2];	/* readable once it is to stop; -1 without following */
	int is_stopped; /* atomic */
	bool is_ending; /* the stop was noticed: @rest bytes are still read */
	uint64_t rest;
	uint64_t device, inode;
	uint64_t position; /* of the descriptor */
	uint64_t bytes;

	/* What was read to look at it. */
	unsigned char ahead[NTI_UNPACK_MAGIC_BYTES];
	size_t ahead_at, ahead_n;

	const struct nti_unpack *unpack; /* NULL: plain */
	void *unpack_state;
	unsigned char *packed;
	size_t packed_at, packed_n;
	bool packed_ended, has_more; /* there was no room for all that the unpacker had */
	uint64_t unpacked, checked;  /* bytes it made; those of parts whose end passed its check */
};

void nti_input_stop(struct nti_input *in)
{
	__atomic_store_n(&in->is_stopped, 1, __ATOMIC_RELEASE);
	if (in->stop[1] >= 0)
		nti_file_poke(in->stop[1]);
}

bool nti_input_is_stopped(const struct nti_input *in)
{
	return in->is_ending;
}

const char *nti_input_compression(const struct nti_input *in)
{
	return in->unpack ? in->unpack->name : "";
}

uint64_t nti_input_position(const struct nti_input *in)
{
	return in->position - (in->ahead_n - in->ahead_at) - (in->packed_n - in->packed_at);
}

uint64_t nti_input_bytes(const struct nti_input *in)
{
	return in->bytes;
}

/* Another file stands where ours stood: go on with that one. -ESTALE, or -errno. */
static int reopen(struct nti_input *in, const struct nti_file_state *now)
{
	int fd = nti_file_open(in->path);

	if (fd < 0)
		return fd;
	nti_file_close(in->fd);
	in->fd = fd;
	in->device = now->device;
	in->inode = now->inode;
	in->position = 0;
	return -ESTALE;
}

/*
 * At the end of a regular file that may grow: what became of it? 1 it is still there, 0 it was
 * removed, -ESTALE, -errno.
 */
static int look(struct nti_input *in)
{
	struct nti_file_state now;
	int ret = nti_file_state(in->fd, &now);

	if (ret < 0)
		return ret;
	in->bytes = now.bytes;
	if (now.bytes < in->position) {
		ret = nti_file_rewind(in->fd);
		in->position = 0;
		return ret < 0 ? ret : -ESTALE;
	}
	if (now.bytes > in->position || strcmp(in->path, "-") == 0)
		return 1;
	ret = nti_file_state_of(in->path, &now);
	if (ret == -ENOENT)
		return 0;
	if (ret < 0)
		return ret;
	if (now.device != in->device || now.inode != in->inode)
		return reopen(in, &now);
	return 1;
}

/* Wait for more. 1: try again; 0: there will be no more; -EINTR, -ESTALE, -errno. */
static int wait_for_more(struct nti_input *in)
{
	int ret;

	if (!in->is_regular || in->is_ending)
		return 0;
	ret = look(in);
	if (ret <= 0)
		return ret;
	/* What was there was read before the look: nothing, or nothing yet. */
	ret = nti_file_wait(-1, in->stop[0], in->bytes > in->position ? 0 : LOOK_MS);
	return ret < 0 ? ret : 1;
}

/*
 * What was there when the stop came is read, but whoever goes on writing cannot keep us. @n, or
 * less of it.
 */
static size_t bound(struct nti_input *in, size_t n)
{
	struct nti_file_state now;

	if (!in->follows || !__atomic_load_n(&in->is_stopped, __ATOMIC_ACQUIRE))
		return n;
	if (!in->is_ending) {
		in->is_ending = true;
		in->rest = PIPE_BYTES;
		if (in->is_regular && !nti_file_state(in->fd, &now))
			in->rest = now.bytes > in->position ? now.bytes - in->position : 0;
	}
	return n < in->rest ? n : (size_t)in->rest;
}

/* Bytes as they are stored. As nti_input_read(), without sentences. */
static ssize_t source_read(struct nti_input *in, char *buf, size_t n)
{
	ssize_t got;
	int ret = 1;

	for (;;) {
		if (in->follows && !in->is_regular)
			ret = nti_file_wait(in->fd, in->stop[0], -1);
		if (ret < 0)
			return ret;
		n = bound(in, n);
		/* Of a pipe: it is the stop that was heard. */
		if (!(ret & 1) || !n)
			return 0;
		got = nti_file_read(in->fd, buf, n);
		if (got > 0)
			in->position += (uint64_t)got;
		if (got > 0 && in->is_ending)
			in->rest -= (uint64_t)got;
		if (got || !in->follows)
			return got;
		ret = wait_for_more(in);
		if (ret <= 0)
			return ret;
	}
}

/* The same, what was looked at before first. */
static ssize_t read_stored(struct nti_input *in, char *buf, size_t n)
{
	size_t left = in->ahead_n - in->ahead_at;

	if (!left)
		return source_read(in, buf, n);
	if (n > left)
		n = left;
	memcpy(buf, in->ahead + in->ahead_at, n);
	in->ahead_at += n;
	return (ssize_t)n;
}

static int unpack_error(struct nti_input *in, struct nti_error *e, int code)
{
	char trusted[96] = "nothing that was read from it";
	const char *way = in->unpack->name;

	if (in->checked)
		snprintf(trusted, sizeof(trusted),
			 "nothing after the first %llu bytes of its uncompressed data",
			 (unsigned long long)in->checked);
	if (code == -E2BIG)
		return nti_error(e, code,
				 "%s needs more memory to be uncompressed than is allowed; "
				 "uncompress it with %s and pipe the result in",
				 in->name, way);
	if (code == -ENOMEM)
		return nti_error(e, code, "no memory to uncompress %s", in->name);
	return nti_error(e, code,
			 "%s is damaged: near byte %llu it is not %s, and %s can be trusted; get "
			 "it anew from where it was made",
			 in->name, (unsigned long long)nti_input_position(in), way, trusted);
}

static int stranger_error(struct nti_input *in, struct nti_error *e, uint64_t at)
{
	return nti_error(e, -EBADMSG,
			 "%s: data that is not %s follows the end of its %s data, from byte %llu "
			 "on; cut it off, with head -c %llu for one",
			 in->name, in->unpack->name, in->unpack->name, (unsigned long long)at,
			 (unsigned long long)at);
}

/* Fetch stored bytes for the unpacker. 0, or as nti_input_read(). */
static int fetch(struct nti_input *in)
{
	ssize_t got = read_stored(in, (char *)in->packed, PACKED_BYTES);

	if (got < 0)
		return (int)got;
	in->packed_at = 0;
	in->packed_n = (size_t)got;
	if (!got)
		in->packed_ended = true;
	return 0;
}

/* What follows is from the beginning of a file. -ESTALE or -ENOMEM. */
static int unpack_anew(struct nti_input *in, struct nti_error *e)
{
	in->unpack->free(in->unpack_state);
	in->unpack_state = in->unpack->make();
	in->packed_at = in->packed_n = 0;
	in->unpacked = in->checked = 0;
	in->has_more = false;
	return in->unpack_state ? -ESTALE : unpack_error(in, e, -ENOMEM);
}

static ssize_t read_packed(struct nti_input *in, struct nti_error *e, char *buf, size_t n)
{
	struct nti_unpack_step step;
	int ret;

	for (;;) {
		if (in->packed_at == in->packed_n && !in->packed_ended && !in->has_more) {
			ret = fetch(in);
			if (ret == -ESTALE)
				return unpack_anew(in, e);
			if (ret < 0)
				return ret;
		}
		step = (struct nti_unpack_step){
			in->packed + in->packed_at, in->packed_n - in->packed_at,
			(unsigned char *)buf,	    n,
			in->packed_ended,	    0
		};
		ret = in->unpack->run(in->unpack_state, &step);
		in->packed_at = in->packed_n - step.in_bytes;
		in->has_more = !step.out_bytes;
		in->unpacked += n - step.out_bytes;
		if (!ret && in->unpack->is_whole(in->unpack_state))
			in->checked = in->unpacked;
		if (step.out_bytes < n)
			return (ssize_t)(n - step.out_bytes);
		if (ret == -EILSEQ)
			return stranger_error(in, e, nti_input_position(in) - step.back);
		if (ret < 0)
			return unpack_error(in, e, ret);
		if (!in->packed_ended)
			continue;
		/*
		 * Whoever compresses a file that is followed has not ended it when we are told to
		 * stop.
		 */
		if (in->is_ending || in->unpack->is_whole(in->unpack_state))
			return 0;
		return nti_error(e, -EBADMSG, "%s ends too early: the %s data are cut off",
				 in->name, in->unpack->name);
	}
}

ssize_t nti_input_read(struct nti_input *in, struct nti_error *e, char *buf, size_t n)
{
	ssize_t got;

	if (in->unpack)
		got = read_packed(in, e, buf, n);
	else
		got = read_stored(in, buf, n);
	if (got < 0 && got != -EBADMSG && got != -E2BIG && got != -ENOMEM && got != -EINTR &&
	    got != -ESTALE)
		return nti_error(e, (int)got, "reading %s: %s", in->name, strerror((int)-got));
	return got;
}

bool nti_input_would_wait(const struct nti_input *in)
{
	struct nti_file_state now;

	if (in->ahead_at < in->ahead_n || in->packed_at < in->packed_n || in->has_more)
		return false;
	if (!in->is_regular)
		return nti_file_wait(in->fd, in->stop[0], 0) == 0;
	return in->follows && !nti_file_state(in->fd, &now) && now.bytes == in->position;
}

/* Read so much that the way of compression is known. 0 or -errno. */
static int look_ahead(struct nti_input *in)
{
	ssize_t got = 1;

	while (in->ahead_n < sizeof(in->ahead) && got > 0) {
		got = source_read(in, (char *)in->ahead + in->ahead_n,
				  sizeof(in->ahead) - in->ahead_n);
		if (got == -ESTALE) {
			in->ahead_n = 0;
			got = 1;
		} else if (got > 0) {
			in->ahead_n += (size_t)got;
		}
	}
	return got < 0 ? (int)got : 0;
}

static int open_error(struct nti_error *e, const char *path, int code)
{
	if (code == -ENOENT)
		return nti_error(e, code, "%s: there is no such file", path);
	if (code == -EACCES)
		return nti_error(e, code, "%s: you may not read it", path);
	if (code == -EISDIR)
		return nti_error(e, code, "%s is a directory; name the trace inside it", path);
	return nti_error(e, code, "%s: %s", path, strerror(-code));
}

static int make_unpack(struct nti_input *in, struct nti_error *e)
{
	const struct nti_unpack_other *other;
	int ret;

	other = nti_unpack_find_other(in->ahead, in->ahead_n);
	if (other)
		return nti_error(e, -EOPNOTSUPP,
				 "%s is compressed with %s, which ntime does not undo; uncompress "
				 "it with %s and pipe the result in",
				 in->name, other->name, other->command);
	in->unpack = nti_unpack_find(in->ahead, in->ahead_n);
	if (!in->unpack)
		return 0;
	if (!in->unpack->library)
		return nti_error(e, -EOPNOTSUPP,
				 "%s is compressed with %s, which this build cannot undo; "
				 "uncompress it with %s and pipe the result in",
				 in->name, in->unpack->name, in->unpack->name);
	ret = nti_library_need(in->unpack->library, in->name, e);
	if (ret < 0)
		return ret;
	in->unpack_state = in->unpack->make();
	in->packed = malloc(PACKED_BYTES);
	if (!in->unpack_state || !in->packed)
		return nti_error(e, -ENOMEM, "no memory to uncompress %s", in->name);
	return 0;
}

static int open_source(struct nti_input *in)
{
	struct nti_file_state state;
	int ret;

	in->fd = nti_file_open(in->path);
	if (in->fd < 0)
		return in->fd;
	ret = nti_file_state(in->fd, &state);
	if (ret < 0)
		return ret;
	if (state.is_directory)
		return -EISDIR;
	in->is_regular = state.is_regular;
	in->bytes = state.bytes;
	in->device = state.device;
	in->inode = state.inode;
	if (in->follows) {
		ret = nti_file_pipe(in->stop);
		if (ret < 0)
			return ret;
	}
	return look_ahead(in);
}

int nti_input_open(struct nti_error *e, const char *path, bool follows, struct nti_input **out)
{
	struct nti_input *in = calloc(1, sizeof(*in));
	int ret;

	*out = NULL;
	if (!in)
		return nti_error(e, -ENOMEM, "no memory to read %s", path);
	in->fd = in->stop[0] = in->stop[1] = -1;
	in->follows = follows;
	in->path = strdup(path);
	in->name = strcmp(path, "-") == 0 ? "standard input" : in->path;
	ret = in->path ? open_source(in) : -ENOMEM;
	if (ret < 0)
		ret = open_error(e, path, ret);
	else
		ret = make_unpack(in, e);
	if (ret < 0) {
		nti_input_close(in);
		return ret;
	}
	*out = in;
	return 0;
}

void nti_input_close(struct nti_input *in)
{
	if (!in)
		return;
	if (in->unpack && in->unpack->library)
		in->unpack->free(in->unpack_state);
	nti_file_close(in->fd);
	nti_file_close(in->stop[0]);
	nti_file_close(in->stop[1]);
	free(in->packed);
	free(in->path);
	free(in);
}
