/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/*
 * How a program talks to a card that is a model ("ntime model run"): messages over a UNIX socket of
 * type SOCK_SEQPACKET, each struct one message, numbers in the machine's byte order.
 *
 * On connecting the model sends struct ntime_model_hello. Then each request gets one reply, in
 * order. Several clients may be connected; one of them at most holds the card, and only that one
 * writes registers. Each may open channels: those of one name submit methods to one context, whose
 * frames "play N in NAME" has, and each has a memory of its own for readings
 * (core/regs/nv50_methods.h).
 *
 * Errors (of a reply, negative):
 *   EINVAL  an unknown request, reserved fields that are not 0, an address that is no register, or
 *           a command that was not understood: the reply's text says what
 *   EBUSY   somebody else holds the card, or the context, or shows what its counters see in domain
 *           3, or, for who would show it, holds a context: .value is the process id
 *   ENODEV  the channel's context has ended
 *   EPERM   a write by who does not hold the card
 */
#ifndef _UAPI_NTIME_MODEL_H
#define _UAPI_NTIME_MODEL_H

#include <linux/types.h>

#define NTIME_MODEL_MAGIC 0x6c646d6e /* "nmdl" */
#define NTIME_MODEL_VERSION 1

struct ntime_model_hello {
	__u32 magic;
	__u32 version; /* another one: nothing else of the protocol is sure */
	__u32 boot_0;  /* PMC.BOOT_0: which chip it is */
	__u32 reserved;
};

enum ntime_model_request_kind {
	NTIME_MODEL_READ = 1, /* register .address; its value in the reply */
	NTIME_MODEL_WRITE,    /* .value to register .address */
	/*
	 * The card is this client's until it disconnects; with .value 1 also what slots of
	 * contexts see, in domain 3
	 */
	NTIME_MODEL_HOLD,
	NTIME_MODEL_TEXT, /* a command, without NUL, behind the struct */
	/* open one to the context named behind the struct: its number, from 1 */
	NTIME_MODEL_CHANNEL,
	NTIME_MODEL_METHOD, /* submit .value to method .address of .channel */
	NTIME_MODEL_MEMORY, /* the word at .address of .channel's memory */
};

/* Longest text of a request or reply. */
#define NTIME_MODEL_TEXT_BYTES 1024

struct ntime_model_request {
	__u32 kind;    /* enum ntime_model_request_kind */
	__u32 address; /* byte offset in BAR 0; 0 where none is needed, like .value */
	__u32 value;
	/* of METHOD and MEMORY; of HOLD: its context's counters are this client's; else 0 */
	__u32 channel;
};

/* Text, without NUL, may follow: the answer to a command, or why it failed. */
struct ntime_model_reply {
	__s32 error; /* 0 or a negative errno */
	__u32 value;
};

/*
 * Commands:
 *   play N          the card works for N frames, 1 to NTIME_MODEL_FRAMES_MAX, always the same ones
 *   play WORK       for one of work that the model has: vectoradd
 *   frame N         frame N alone, up to NTIME_MODEL_FRAME_LAST: the first one, or the one behind
 *                   those that were played; -EBUSY: somebody else has played
 *   play N in NAME  and "frame N in NAME": in this context, but for steps that name another
 *   end NAME        the context ends, with its channels
 *   work N          it draws all the time for N more clocks, 1 to NTIME_MODEL_WORK_MAX
 *   truth EVENT in NAME  of counters of multiprocessors: in this context alone
 *   truth EVENT     in how many clocks since the last "play" began the event happened, or the sum
 *                   of its amounts: a decimal number as text, found from frames and clocks alone
 *   truth FUNCTION  the same for a function of wires
 * "play" and "truth" are done a frame at a time: others are served meanwhile, but for another
 * "play", which waits.
 */
#define NTIME_MODEL_FRAMES_MAX 10000
#define NTIME_MODEL_CONTEXTS_MAX 16
#define NTIME_MODEL_CHANNELS_MAX 16 /* of a client */
#define NTIME_MODEL_NAME_BYTES 32   /* of a context: printable, without blanks, with NUL */
#define NTIME_MODEL_FRAME_LAST 1000000000
#define NTIME_MODEL_WORK_MAX 100000000

#endif
