// SPDX-License-Identifier: MIT
/* Handles on registers of a card that is a model: each access is a message to its process. */
#include <errno.h>

#include "count/lib/access/handle_inner.h"
#include "count/lib/access/why.h"
#include "base/os/process.h"
#include "base/os/socket.h"

/* A model that cannot be asked any more is a device that was unplugged: -ENODEV. */
static int ask(struct nti_handle *handle, const struct ntime_model_request *request,
	       uint32_t *value)
{
	int ret = handle->socket;

	if (ret >= 0) {
		ret = nti_socket_ask(handle->socket, request, NULL, value, NULL, 0);
		/*
		 * Replies have no number: behind one that did not come in time each would be taken
		 * for the next one's. So a connection that failed is closed, and .socket has why.
		 */
		if (ret < 0 && !nti_socket_is_answer(ret)) {
			nti_socket_close(handle->socket);
			handle->socket = ret;
		}
	}
	if (ret < 0)
		ret = nti_error(
			&handle->handles->error, handle->socket < 0 ? -ENODEV : ret,
			"a register of the card cannot be accessed: %s%s", nti_socket_why(ret),
			ret == -ETIMEDOUT ? ", and what ntime set there stays as it is" : "");
	return ret;
}

/* Of @space, registers or a channel, what reads or writes; 0: it is neither. */
static uint32_t kind_of(enum nthw_space space, unsigned int unit, bool is_write)
{
	if (space == NTHW_SPACE_MMIO && unit == 0)
		return is_write ? NTIME_MODEL_WRITE : NTIME_MODEL_READ;
	/* Of no channel: what slots of MPs see is ours, too (card_hw.c). */
	if (space == NTHW_SPACE_CHANNEL && unit == 0 && is_write)
		return NTIME_MODEL_HOLD;
	if (space == NTHW_SPACE_CHANNEL && unit)
		return is_write ? NTIME_MODEL_METHOD : NTIME_MODEL_MEMORY;
	return 0;
}

static int model_read(struct nthw_io *io, enum nthw_space space, unsigned int unit,
		      uint32_t address, uint64_t *value)
{
	const struct ntime_model_request request = { .kind = kind_of(space, unit, false),
						     .address = address,
						     .channel = unit };
	uint32_t got = 0;
	int ret = request.kind ? ask(nti_handle_of(io), &request, &got) : -ENOTSUP;

	if (ret == 0)
		*value = got;
	return ret;
}

static int model_write(struct nthw_io *io, enum nthw_space space, unsigned int unit,
		       uint32_t address, uint64_t value)
{
	const struct ntime_model_request request = { .kind = kind_of(space, unit, true),
						     .address = address,
						     .value = (uint32_t)value,
						     .channel = unit };

	struct nti_handles *l = nti_handle_of(io)->handles;
	int ret = request.kind ? ask(nti_handle_of(io), &request, &l->holder) : -ENOTSUP;

	if (ret == -EBUSY && request.kind == NTIME_MODEL_HOLD)
		ret = nti_error(&l->error, -EUSERS,
				"process %u%s counts in a context, with slots of "
				"multiprocessors that this would see",
				l->holder,
				(pid_t)l->holder == nti_process_self() ? ", this one," : "");
	return ret;
}

/* Its number is the handle's unit; its context's counters are ours. */
static int open_channel(struct nti_handle *handle, const char *context, uint32_t *holder)
{
	const struct ntime_model_request channel = { .kind = NTIME_MODEL_CHANNEL };
	struct ntime_model_request hold = { .kind = NTIME_MODEL_HOLD };
	int ret = nti_socket_ask(handle->socket, &channel, context, &hold.channel, NULL, 0);

	if (ret == -EINVAL || ret == -E2BIG)
		return nti_error(&handle->handles->error, -EINVAL,
				 "there cannot be a context '%.40s': its name has at most %d "
				 "characters and no blanks, and there are at most %d",
				 context, NTIME_MODEL_NAME_BYTES - 1, NTIME_MODEL_CONTEXTS_MAX);
	handle->unit = hold.channel;
	return ret < 0 ? ret : ask(handle, &hold, holder);
}

static int open_model(struct nti_handle *handle, const struct nti_handle_request *what)
{
	const struct ntime_model_request hold = { .kind = NTIME_MODEL_HOLD };
	struct nti_handles *l = handle->handles;
	struct ntime_model_hello hello;

	handle->unit = 0;
	handle->socket = nti_socket_open(what->card->socket, &hello);
	if (handle->socket < 0)
		return nti_error(&l->error, handle->socket, "the card at %s cannot be reached: %s",
				 what->card->socket, nti_socket_why(handle->socket));
	handle->io = (struct nthw_io){ .read = model_read, .write = model_write };
	if (what->context)
		return open_channel(handle, what->context, &l->holder);
	return ask(handle, &hold, &l->holder);
}

static int explain_model(struct nti_handles *l, const struct nti_handle_request *what, int error,
			 struct nti_absence *out)
{
	struct nti_user user = { .pid = (pid_t)l->holder, .command = "" };

	/* One of another container has no number here. */
	if (user.pid <= 0)
		user = (struct nti_user){ .guess = "a program that cannot be seen from here" };
	if (error == -EINVAL && what->context)
		return nti_absence_set(out, NTIME_REASON_NOT_SUPPORTED, what->name,
				       "take another name, or end one: ntime model end", "%s",
				       nti_handles_error(l, error));
	if (error == -EBUSY && what->context)
		return nti_why_in_use(out, &user,
				      "counters of multiprocessors in context %s, or what they "
				      "see in domain 3,",
				      what->context);
	if (error == -EBUSY)
		return nti_why_in_use(out, &user, "the card at %s", what->card->socket);
	return nti_absence_set_failed(out, NTIME_REASON_OFFLINE, what->name, error,
				      "start it anew: ntime model run", "%s",
				      nti_handles_error(l, error));
}

/* It was there when the context was opened. */
static int probe(struct nti_os *os, const struct nti_why **why)
{
	(void)os;
	*why = &nti_why_nothing;
	return 0;
}

static const struct nti_method_ops ops = {
	.probe = probe,
	.open = open_model,
	.explain = explain_model,
};

const struct nti_method_row nti_method_model = {
	.name = "model",
	.reaches = "a graphics card that is a model",
	.cost = "a message to it and its answer for each register",
	.ops = &ops,
};
