/* SPDX-License-Identifier: MIT */
/**
 * DOC: Traces of register accesses, from any recorder
 *
 * A trace is a stream of records: each is one access of a driver to a register of a device, or a
 * mark between them (an interrupt, an access to configuration space, a mapping, a loss). Where it
 * comes from is detected automatically: text of QEMU's VFIO events with every prefix, QEMU's
 * binary "simple" files, mmiotrace of Linux, register operations as demmt prints them, ntime's own
 * form; plain or compressed; a file, a pipe, a file that still grows. Reading needs the same memory
 * whatever the size.
 *
 * Missing values are flagged, never made up: a record without a time has no NTIME_RECORD_TIMED,
 * lines that are nobody's are counted and come as marks on request, and struct ntime_trace_losses
 * says what the trace cannot contain.
 */
#ifndef NTIME_TRACE_TRACE_H
#define NTIME_TRACE_TRACE_H

#include <stddef.h>
#include <stdint.h>

#include <ntime/trace/context.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ntime_trace;
struct ntime_trace_filter;

/** enum ntime_trace_form - what a trace is written in */
enum ntime_trace_form {
	NTIME_TRACE_ANY = 0,	   /* look at it */
	NTIME_TRACE_VFIO = 1,	   /* text of QEMU's trace events */
	NTIME_TRACE_SIMPLE = 2,	   /* binary file of QEMU's "simple" backend */
	NTIME_TRACE_MMIOTRACE = 3, /* text of Linux' mmiotrace */
	/* "LOG:" lines of register operations, and the older REQUEST and RETURND */
	NTIME_TRACE_DEMMT = 4,
	NTIME_TRACE_BINARY = 5, /* ntime's own, which loses nothing */
	NTIME_TRACE_JSON = 6,	/* JSON lines; only written */
};

/** enum ntime_record_kind - what a record is; from NTIME_RECORD_MARK on no access to a region */
enum ntime_record_kind {
	NTIME_RECORD_READ = 0,
	NTIME_RECORD_WRITE = 1,
	NTIME_RECORD_MARK = 8,	   /* somebody's text in the trace: .text */
	NTIME_RECORD_CONFIG_READ,  /* configuration space: .offset, .width, .value */
	NTIME_RECORD_CONFIG_WRITE, /* the same */
	/* of .device; .value is the vector, or the pin (1 is A); .text is what happened */
	NTIME_RECORD_INTERRUPT,
	/* there is region .region: .value is its size, .offset its flags, .text its name */
	NTIME_RECORD_REGION,
	/* accesses to .offset up to and with .value of the region bypass the trace */
	NTIME_RECORD_MMAP,
	NTIME_RECORD_MMAP_SWITCH, /* .value: 1 such parts are bypassed from here on, 0 no longer */
	NTIME_RECORD_IOEVENTFD,	  /* writes of .value to .offset bypass the trace */
	NTIME_RECORD_QUIRK_READ,  /* the emulator answered: the guest saw .value */
	NTIME_RECORD_QUIRK_WRITE, /* the emulator swallowed or changed a write */
	NTIME_RECORD_LOST,	  /* .value records are missing here, 0: nobody knows how many */
	/* a line PCIDEV of mmiotrace: .device; .text is the line after the keyword */
	NTIME_RECORD_PCIDEV,
	/*
	 * .source, a mapping: .region (or NTIME_REGION_PHYSICAL), .offset is the physical address,
	 * .value its length
	 */
	NTIME_RECORD_MAP,
	NTIME_RECORD_UNMAP, /* .source is the mapping */
	/* an access that mmiotrace could not decode: .offset; .text are the bytes */
	NTIME_RECORD_UNKNOWN,
	/*
	 * a list of register operations begins: .value 0 as handed in, 1 as handed back, 2 as
	 * handed in and never back; .source its number
	 */
	NTIME_RECORD_LIST,
	/* from here on lines look different: .text describes it, for who writes them again */
	NTIME_RECORD_STYLE,
	NTIME_RECORD_EVENT, /* an event of the tracer that means nothing to us: .text is the line */
	/* a line that is none of the tracer's: .text; .value is 1 where its end is cut off */
	NTIME_RECORD_OTHER,
	NTIME_RECORD_KINDS,
};

/* Of struct ntime_record.flags. */
#define NTIME_RECORD_TIMED 0x01u /* .time_ns is a time; else only the order is known */
/* .value is what was read or written; a read that was only asked for has none */
#define NTIME_RECORD_VALUED 0x02u
/* made up by ntime so that decoders understand; never counted */
#define NTIME_RECORD_SYNTHETIC 0x04u
#define NTIME_RECORD_MASKED 0x08u   /* a write of the bits of .mask only */
#define NTIME_RECORD_THREADED 0x10u /* .thread is known */

/* Regions of a device: 0 to 5 are its BARs. */
#define NTIME_REGION_ROM 6
#define NTIME_REGION_CONFIG 7
#define NTIME_REGION_VGA 8
#define NTIME_REGION_PHYSICAL 0xff /* of no known device's region: .offset is a physical address */

/* No device: the mark concerns the whole trace. */
#define NTIME_DEVICE_NONE 0xffff

/**
 * struct ntime_record - one access or mark
 * @time_ns:	nanoseconds of the clock of the trace, see struct ntime_trace_info.clock
 * @offset:	bytes from the start of the region; see the kinds for marks
 * @value:	read or written, in host order; only the low @width bytes count
 * @thread:	thread or process that did it
 * @mask:	of a masked write: bits that change
 * @source:	what the source numbers: map id of mmiotrace, first word ("dir") of a register
 *		operation
 * @text:	0, or 1 + where the text of the record begins in struct ntime_trace_batch.text; of
 *		accesses: "KEY=VALUE ..." that has no other place
 * @device:	index for ntime_trace_get_device(), NTIME_DEVICE_NONE
 * @region:	of the device
 * @width:	bytes: 1, 2, 4, 8; 0 where the source does not say
 * @kind:	enum ntime_record_kind
 * @flags:	NTIME_RECORD_*
 *
 * 48 bytes. Since 0.1.
 */
struct ntime_record {
	uint64_t time_ns;
	uint64_t offset;
	uint64_t value;
	uint32_t thread;
	uint32_t mask;
	uint32_t source;
	uint32_t text;
	uint16_t device;
	uint8_t region;
	uint8_t width;
	uint8_t kind;
	uint8_t flags;
	uint16_t reserved;
};

/**
 * struct ntime_trace_batch - some records in a row
 * @n:		how many; 0 only at the end
 * @records:	in the order of the trace
 * @text:	texts of the records, each with a NUL at its end
 * @position:	bytes of the input (as it is stored, compressed or not) up to the end of the batch,
 *		for progress
 *
 * The reader's memory, valid until the next call with the reader.
 */
struct ntime_trace_batch {
	uint32_t size;
	uint32_t reserved0;
	size_t n;
	const struct ntime_record *records;
	const char *text;
	uint64_t position;
	uint64_t reserved[2];
};

/* Of struct ntime_trace_options.flags. */
/*
 * at the end wait for more, as tail -f does; ends when the file is removed or ntime_trace_stop() is
 * called
 */
#define NTIME_TRACE_FOLLOW 0x1u
/* lines of other origin come as NTIME_RECORD_OTHER; else they are only counted */
#define NTIME_TRACE_OTHERS 0x2u
#define NTIME_TRACE_ALL_MARKS 0x4u /* marks pass every filter */
/*
 * lists of register operations come twice, as they were handed in and as they came back; else once,
 * see below
 */
#define NTIME_TRACE_REQUESTS 0x8u

/**
 * struct ntime_trace_options - how to read a trace; zero-initialise, then set @size
 * @form:	enum ntime_trace_form; NTIME_TRACE_ANY: look at it
 * @flags:	NTIME_TRACE_FOLLOW, NTIME_TRACE_OTHERS, NTIME_TRACE_ALL_MARKS, NTIME_TRACE_REQUESTS
 * @filter:	what to keep, NULL: all; must live as long as the reader
 *
 * A list of register operations (demmt, and binary traces made of it) stands in the trace as it was
 * handed in, where what is read has no value yet, and behind that as it came back. Without
 * NTIME_TRACE_REQUESTS the second is given alone, so that accesses are counted once. Operations
 * that did not come back are given as they were handed in, behind those that did, and counted for
 * ntime_trace_warnings(); reads among them have no NTIME_RECORD_VALUED. The value of the
 * NTIME_RECORD_LIST in front says: 0 handed in, 1 came back, 2 handed in and not, or not wholly,
 * come back. With NTIME_TRACE_REQUESTS all stands as it is in the trace; ntime_derive_feed() and
 * writers of NTIME_TRACE_BINARY that shall lose nothing want that.
 *
 * Since 0.1.
 */
struct ntime_trace_options {
	uint32_t size;
	uint32_t form;
	uint32_t flags;
	uint32_t reserved0;
	const struct ntime_trace_filter *filter;
	uint64_t reserved[4];
};

/** enum ntime_trace_clock - what the times of a trace are of */
enum ntime_trace_clock {
	NTIME_CLOCK_NONE = 0, /* no times */
	NTIME_CLOCK_WALL = 1, /* since 1970 */
	NTIME_CLOCK_BOOT = 2, /* since some start of the machine that was traced */
	NTIME_CLOCK_OTHER = 3,
};

/**
 * struct ntime_trace_info - what is known of the whole, complete only at the end
 * @form:	enum ntime_trace_form
 * @clock:	enum ntime_trace_clock
 * @style:	of the prefix and the generation that writes such: "tid@sec.usec (QEMU 4.0 to
 *		10.0)"; static memory
 * @compression: "", "gzip", "xz", "zstd"; static memory
 * @bytes:	of the input, 0 where nobody knows (a pipe)
 * @lines:	read so far; 0 of binary forms
 * @records:	accesses and marks so far, before filtering
 * @accesses:	accesses among them
 * @kept:	records that came through the filter
 * @kept_accesses: accesses among them
 * @others:	lines of other origin
 * @first_ns, @last_ns: times of the first and last record that has one
 * @is_ended:	the end was reached
 * @damaged:	lines that have an event's name and cannot be read, without an incomplete last one
 */
struct ntime_trace_info {
	uint32_t size;
	uint32_t form;
	uint32_t clock;
	uint32_t is_ended;
	const char *style;
	const char *compression;
	uint64_t bytes;
	uint64_t lines;
	uint64_t records;
	uint64_t accesses;
	uint64_t kept;
	uint64_t others;
	uint64_t first_ns;
	uint64_t last_ns;
	uint64_t kept_accesses;
	uint64_t damaged;
	uint64_t reserved[2];
};

/**
 * struct ntime_trace_device - one device of a trace
 * @name:	as the trace has it: "0000:05:00.0", a UUID, "fff51000.ethernet"
 * @is_pci:	@name is (or @bus_devfn was) the address of a PCI function
 * @domain, @bus_devfn: the address: bus << 8 | slot << 3 | function
 * @vendor_device: 0xVVVVDDDD if known from the trace, else 0
 * @bar:	physical address of BARs 0 to 5 and the ROM, flag bits as mmiotrace has them; 0
 *		unknown
 * @bar_bytes:	their sizes; 0 unknown
 * @bars:	bit n: BAR n (6: ROM) is known from the trace, and not from a guess
 *
 * The string lives as long as the reader.
 */
struct ntime_trace_device {
	uint32_t size;
	uint32_t is_pci;
	const char *name;
	uint32_t domain;
	uint32_t bus_devfn;
	uint32_t vendor_device;
	uint32_t bars;
	uint64_t bar[7];
	uint64_t bar_bytes[7];
	uint64_t reserved[4];
};

/**
 * ntime_trace_open() - begin to read a trace
 * @ctx:	for errors; must live as long as the reader
 * @path:	file, "-" for standard input
 * @options:	NULL: all defaults
 * @out:	reader; free with ntime_trace_close(). One thread uses it at a time
 *
 * Reads as much as is needed to know the form. Return: 0; -ENOENT, -EACCES, -EISDIR, ...; -EBADMSG
 * (no form that is known, or not the wanted one; the sentence shows how it begins); -EOPNOTSUPP
 * (compressed in a way that this build cannot read); -EINVAL, -ENOMEM. Since 0.1.
 */
NTIME_API int ntime_trace_open(struct ntime_trace_ctx *ctx, const char *path,
			       const struct ntime_trace_options *options, struct ntime_trace **out);
NTIME_API void ntime_trace_close(struct ntime_trace *t);

/**
 * ntime_trace_next() - the next records
 * @t:		reader
 * @out:	@out->size must be set; the rest is written
 *
 * Allocates nothing once it runs. With NTIME_TRACE_FOLLOW it waits until there is something.
 * Return: 0 (@out->n of 0: the end); -EBADMSG (a compressed or binary file is damaged or ends too
 * early: what came before is valid, of a damaged compressed one as far as the sentence says); -EIO;
 * -ENOMEM; -EINTR (a signal came while it waited). Since 0.1.
 */
NTIME_API int ntime_trace_next(struct ntime_trace *t, struct ntime_trace_batch *out);

/**
 * ntime_trace_stop() - end following: what is there by now still comes, then the end, also when the
 * writer goes on. Safe in a signal handler. Since 0.1.
 */
NTIME_API void ntime_trace_stop(struct ntime_trace *t);

/** ntime_trace_get_info() - what is known so far. Return: 0, -EINVAL (@out->size). Since 0.1. */
NTIME_API int ntime_trace_get_info(const struct ntime_trace *t, struct ntime_trace_info *out);

/** ntime_trace_devices() - devices seen so far: indexes below this are valid. Since 0.1. */
NTIME_API size_t ntime_trace_devices(const struct ntime_trace *t);
/** ntime_trace_get_device() - one of them. Return: 0, -ERANGE, -EINVAL (@out->size). Since 0.1. */
NTIME_API int ntime_trace_get_device(const struct ntime_trace *t, size_t index,
				     struct ntime_trace_device *out);

/**
 * ntime_trace_warnings() - what the trace cannot contain, and what to do about it
 * @t:		reader, best at its end
 * @fn:		called for each: a sentence, what to do ("" when nothing helps), and how often it
 *		was seen
 * @arg:	its first argument
 *
 * Records lost, torn lines, mapped BARs, ioeventfds, the configuration mirror of NVIDIA's cards,
 * lines of other origin, times that go back.
 * Return: how many; first non-zero of @fn. Since 0.1.
 */
NTIME_API int ntime_trace_warnings(const struct ntime_trace *t,
				   int (*fn)(void *arg, const char *sentence, const char *remedy,
					     uint64_t count),
				   void *arg);

#ifdef __cplusplus
}
#endif
#endif
