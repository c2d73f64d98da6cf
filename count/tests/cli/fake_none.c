// SPDX-License-Identifier: MIT
/*
 * What the stand-in for the library has not: frames and the emulator, which test_frames.py and
 * test_emulator.py use as they are.
 */
#include <errno.h>

#include <ntime/emulator.h>
#include <ntime/frame.h>

int ntime_emulator_new(struct ntime_ctx *ctx, char *const argv[], const char *plugin,
		       uint32_t flags, struct ntime_emulator **out)
{
	(void)ctx, (void)argv, (void)plugin, (void)flags;
	*out = NULL;
	return -EOPNOTSUPP;
}

char *const *ntime_emulator_argv(const struct ntime_emulator *e)
{
	(void)e;
	return NULL;
}

int ntime_emulator_get_info(const struct ntime_emulator *e, struct ntime_emulator_info *out)
{
	(void)e, (void)out;
	return -EOPNOTSUPP;
}

int ntime_emulator_event(const char *name)
{
	(void)name;
	return -ENOENT;
}

ssize_t ntime_emulator_functions(struct ntime_ctx *ctx, struct ntime_emulator *e,
				 const struct ntime_function **out)
{
	(void)ctx, (void)e;
	*out = NULL;
	return -EOPNOTSUPP;
}

void ntime_emulator_free(struct ntime_emulator *e)
{
	(void)e;
}

int ntime_frames_new(struct ntime_session *s, size_t depth, int fd, struct ntime_frames **out)
{
	(void)s, (void)depth, (void)fd;
	*out = NULL;
	return -EOPNOTSUPP;
}

void ntime_frames_free(struct ntime_frames *f)
{
	(void)f;
}

int ntime_frame_end(struct ntime_frames *f, uint64_t *number)
{
	(void)f, (void)number;
	return -EOPNOTSUPP;
}

int ntime_frame_ring_open(struct ntime_ctx *ctx, int fd, struct ntime_frame_ring **out)
{
	(void)ctx, (void)fd;
	*out = NULL;
	return -EOPNOTSUPP;
}

void ntime_frame_ring_close(struct ntime_frame_ring *r)
{
	(void)r;
}

int ntime_frame_ring_get_info(const struct ntime_frame_ring *r, struct ntime_frame_ring_info *out)
{
	(void)r, (void)out;
	return -EOPNOTSUPP;
}

int ntime_frame_ring_item(const struct ntime_frame_ring *r, size_t i, struct ntime_item *out)
{
	(void)r, (void)i, (void)out;
	return -EOPNOTSUPP;
}

int ntime_frame_read(const struct ntime_frame_ring *r, uint64_t number, struct ntime_frame *frame,
		     struct ntime_frame_value *values, size_t n)
{
	(void)r, (void)number, (void)frame, (void)values, (void)n;
	return -EOPNOTSUPP;
}
