/* SPDX-License-Identifier: MIT */
/**
 * DOC: Writing a trace in another form
 *
 * A writer turns records into one form. Values that a form requires and the trace lacks (addresses
 * of BARs, the identification of a device) is taken from the options, found in the first part of
 * the trace, or made up in the way that decoders accept, with a mark that says so.
 */
#ifndef NTIME_TRACE_WRITER_H
#define NTIME_TRACE_WRITER_H

#include <ntime/trace/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ntime_trace_writer;

/* Of struct ntime_trace_writer_options.flags. */
#define NTIME_WRITER_REBASE 0x1u /* times begin at 0 */
/* mmiotrace: the thread stands where it has the pid, which other tools expect to be 0 */
#define NTIME_WRITER_KEEP_THREAD 0x2u
#define NTIME_WRITER_NO_MARKS 0x4u /* mmiotrace: no MARK lines */
#define NTIME_WRITER_IO_MARKS 0x8u /* mmiotrace: accesses to I/O regions become marks */
/* write each batch at once, without looking ahead: for a trace that is followed */
#define NTIME_WRITER_LIVE 0x10u

/**
 * struct ntime_trace_writer_options - zero-initialise, then set @size
 * @form:	enum ntime_trace_form; not NTIME_TRACE_ANY
 * @flags:	NTIME_WRITER_*
 * @write:	takes @n bytes; 0 or -errno, which ends all
 * @write_arg:	its first argument
 * @hints:	NULL, or lines separated by newlines: "id=BDF=10de:0640", "bar=BDF=N=START[+BYTES]",
 *		"chip=BDF=GT218", "style=NAME" (of VFIO text: "plain", "pid@time", "iso", ...)
 */
struct ntime_trace_writer_options {
	uint32_t size;
	uint32_t form;
	uint32_t flags;
	uint32_t reserved0;
	int (*write)(void *arg, const void *bytes, size_t n);
	void *write_arg;
	const char *hints;
	uint64_t reserved[4];
};

/**
 * ntime_trace_writer_new() - a writer for the records of one reader
 * @ctx:	for errors
 * @t:		where the records come from: devices are asked of it; must outlive the writer
 * @options:	what to write
 * @out:	writer; free with ntime_trace_writer_free()
 *
 * Return: 0; -EINVAL (options, hints: sentence); -ENOMEM. Since 0.1.
 */
NTIME_API int ntime_trace_writer_new(struct ntime_trace_ctx *ctx, struct ntime_trace *t,
				     const struct ntime_trace_writer_options *options,
				     struct ntime_trace_writer **out);

/**
 * ntime_trace_writer_put() - write a batch of the reader. Return: 0 or -errno of .write, -ENOMEM.
 * Since 0.1.
 */
NTIME_API int ntime_trace_writer_put(struct ntime_trace_writer *w,
				     const struct ntime_trace_batch *batch);

/**
 * ntime_trace_writer_end() - write what was kept back. The last call before
 * ntime_trace_writer_free(). Return: as ntime_trace_writer_put(). Since 0.1.
 */
NTIME_API int ntime_trace_writer_end(struct ntime_trace_writer *w);

/**
 * ntime_trace_writer_warnings() - what the written trace lacks because neither the trace nor the
 * hints had
 * @w:		writer, after ntime_trace_writer_end()
 * @fn:		called for each: a sentence, what to do, and of how many devices it is true
 * @arg:	its first argument
 *
 * Of mmiotrace: devices without a vendor, cards without a chip. Return: how many; first non-zero of
 * @fn. Since 0.1.
 */
NTIME_API int ntime_trace_writer_warnings(const struct ntime_trace_writer *w,
					  int (*fn)(void *arg, const char *sentence,
						    const char *remedy, uint64_t count),
					  void *arg);
NTIME_API void ntime_trace_writer_free(struct ntime_trace_writer *w);

/**
 * ntime_trace_copy() - everything from a reader into a writer
 * @t, @w:	the reader and its writer
 * @progress:	called now and then with the position in the input; non-zero ends the copy; may be
 *		NULL
 * @arg:	its first argument
 *
 * Return: 0; first error of reading or writing; non-zero of @progress. Since 0.1.
 */
NTIME_API int ntime_trace_copy(struct ntime_trace *t, struct ntime_trace_writer *w,
			       int (*progress)(void *arg, uint64_t position), void *arg);

/* Room for an object of ntime_record_json() without its texts. */
#define NTIME_RECORD_JSON_BYTES 512
/* Bytes that one byte of a text becomes at most. */
#define NTIME_RECORD_JSON_ESCAPED 6

/**
 * struct ntime_record_texts - what a record alone does not have; zero-initialise, then set @size
 * @base_ns:	what its time counts from, 0: of the trace's clock
 * @device:	name of its device, NULL none
 * @text:	its own, NULL none
 * @register_name: what the access reaches, as of ntime_decoder_name(); NULL unknown
 * @words:	its value in words, as of ntime_decoder_words(); NULL none
 */
struct ntime_record_texts {
	uint32_t size;
	uint32_t reserved0;
	uint64_t base_ns;
	const char *device;
	const char *text;
	const char *register_name;
	const char *words;
	uint64_t reserved[2];
};

/**
 * ntime_record_json() - a record as one line of JSON, as NTIME_TRACE_JSON has it
 * @r:		record
 * @texts:	of the caller
 * @buf, @bytes: where to: NTIME_RECORD_JSON_BYTES and NTIME_RECORD_JSON_ESCAPED for each byte of
 *		the texts
 *
 * Return: bytes that were written, without a NUL; 0: @bytes are fewer, or @texts->size. Since 0.1.
 */
NTIME_API size_t ntime_record_json(const struct ntime_record *r,
				   const struct ntime_record_texts *texts, char *buf, size_t bytes);

/**
 * ntime_record_kind_name() - what @kind is called in JSON: "read", "config-write". NULL: there is
 * no such kind. Since 0.1.
 */
NTIME_API const char *ntime_record_kind_name(uint32_t kind);

#ifdef __cplusplus
}
#endif
#endif
