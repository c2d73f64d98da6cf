/* SPDX-License-Identifier: MIT */
/**
 * DOC: Names of registers: what ntime knows, and databases that the user has
 *
 * A database holds registers of many chips: ntime's own rows, and rules-ng-ng XML as envytools,
 * freedreno and etnaviv keep it. It is filled first and then asked, by address or by name. A
 * decoder is one thread's view of it: which chip each device is, and what was asked before.
 */
#ifndef NTIME_TRACE_REGDB_H
#define NTIME_TRACE_REGDB_H

#include <stddef.h>
#include <stdint.h>

#include <ntime/trace/context.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ntime_regdb;
struct ntime_decoder;

/**
 * ntime_regdb_new() - a database with ntime's own rows. Free with ntime_regdb_free(), after its
 * decoders. Return: 0, -ENOMEM. Since 0.1.
 */
NTIME_API int ntime_regdb_new(struct ntime_trace_ctx *ctx, struct ntime_regdb **out);
NTIME_API void ntime_regdb_free(struct ntime_regdb *db);

/**
 * ntime_regdb_add() - one more rules-ng-ng database, asked before those that are there
 * @db:		database that no decoder uses yet
 * @path:	XML file with what it imports, or a folder: "root.xml" of it, else all XML files in
 *		and below it that are databases
 *
 * Imports are looked for beside the file that names them, in up to three folders above it, beside
 * @path, then in the folders of the environment's RNN_PATH; each file is read once, loops end.
 * Groups, types, varsets and their values that no file has, elements without a name and bit fields
 * without a place are left out, and the log of the context names them, file and line.
 * Return: 0; -ENOENT, -EACCES; -EBADMSG (file and line in the sentence); -EOPNOTSUPP (built without
 * expat); -E2BIG (more than the bounds: depth, array sizes, file size); -ENOMEM. After an error the
 * database is as it was. Since 0.1.
 */
NTIME_API int ntime_regdb_add(struct ntime_regdb *db, const char *path);

/**
 * ntime_decoder_new() - one thread's view. Free with ntime_decoder_free(). Return: 0, -ENOMEM.
 * Since 0.1.
 */
NTIME_API int ntime_decoder_new(const struct ntime_regdb *db, struct ntime_decoder **out);
NTIME_API void ntime_decoder_free(struct ntime_decoder *d);

/**
 * ntime_decoder_set_chip() - which chip a device is
 * @d:		decoder
 * @device:	index of the device in its trace; UINT32_MAX: devices without a description
 * @chip:	"GT218", "NVA8", "A630": a value of an enum that variants are of, in any database,
 *		or a name ntime's rows have; the case does not matter. NULL: unknown
 *
 * Return: 0; -ENOENT (sentence with near names); -ENOMEM. Since 0.1.
 */
NTIME_API int ntime_decoder_set_chip(struct ntime_decoder *d, uint32_t device, const char *chip);

/**
 * ntime_decoder_identify() - learn the chip from what a device answered
 * @d:		decoder
 * @device:	index
 * @vendor_device: 0xVVVVDDDD, 0 unknown
 * @region, @offset, @value: an access: for NVIDIA BAR 0 at 0 identifies the chip. UINT8_MAX as
 *	region: only the id is known
 *
 * Return: 1 (names may be other ones from here on: the chip is known and was not, or was another;
 * or at least the vendor is), 0 (nothing new), -ENOMEM. Since 0.1.
 */
NTIME_API int ntime_decoder_identify(struct ntime_decoder *d, uint32_t device,
				     uint32_t vendor_device, uint8_t region, uint64_t offset,
				     uint64_t value);

/**
 * ntime_decoder_chip() - name of the chip of a device, "" unknown. Lives as long as the database.
 * Since 0.1.
 */
NTIME_API const char *ntime_decoder_chip(const struct ntime_decoder *d, uint32_t device);

/**
 * ntime_decoder_set_domain() - which domain of the databases a region is
 * @d:		decoder
 * @region:	0 to 8
 * @domain:	its name; NULL: other regions than BAR 0 have no names, and that is in each database
 *		the domain called like the chip, else "NV_MMIO" (envytools), else the one with the
 *		most registers
 *
 * Return: 0, -ENOENT (sentence with those that there are), -ERANGE. Since 0.1.
 */
NTIME_API int ntime_decoder_set_domain(struct ntime_decoder *d, uint8_t region, const char *domain);

/**
 * struct ntime_regdb_array - one array that a register is in, the outermost first
 * @index:	which copy
 * @length:	copies that there are; 0: without end
 * @stride:	bytes from one to the next; 0: they are at addresses of their own
 */
struct ntime_regdb_array {
	uint64_t index;
	uint64_t length;
	uint64_t stride;
};

/**
 * struct ntime_regdb_hit - what is at an address
 * @name:	with the numbers of all arrays it is in: "PGRAPH.TPC[0].MPC.PM_GROUP_SEL"; "" when
 *		nothing is known there
 * @skew:	bytes of @name's register before the accessed address: an access to its upper half
 *		has 2
 * @bits:	width of the register; 0: @name is an array that has the address to itself, and no
 *		register of it is known there
 * @is_guess:	which register it is depends on the chip, which nobody knows, or the row's source is
 *		not sure; what ntime_decoder_find() found has a "?" at the end of @name then
 * @source:	the row's own source, or the file it is from
 * @about:	a sentence, "" unknown
 * @inner:	the decoder's
 * @arrays, @array_count: the arrays that it is in
 *
 * Strings live until the decoder's next call for another address; those of a hit that the caller
 * keeps must be copied.
 */
struct ntime_regdb_hit {
	uint32_t size;
	uint32_t skew;
	uint32_t bits;
	uint32_t is_guess;
	const char *name;
	const char *source;
	const char *about;
	const void *inner;
	const struct ntime_regdb_array *arrays;
	uint64_t array_count;
	uint64_t reserved[2];
};

/**
 * ntime_decoder_find() - what is at an address
 * @d:		decoder
 * @device, @region, @offset, @width: the access
 * @out:	@out->size must be set
 *
 * Ntime's own rows have names for devices that are known to be NVIDIA's only. Allocates only when
 * an address is new. Return: 1 (found), 0 (nothing is known there), -EINVAL, -ENOMEM. Since 0.1.
 */
NTIME_API int ntime_decoder_find(struct ntime_decoder *d, uint32_t device, uint8_t region,
				 uint64_t offset, uint32_t width, struct ntime_regdb_hit *out);

/**
 * ntime_decoder_value() - a value in words: "{ PRE_SRC0 = PGRAPH_IDLE | 0x20 }", "0x1f", "-3",
 * "TEXT"
 * @d:		decoder
 * @hit:	of ntime_decoder_find()
 * @width:	bytes that were accessed; fields outside of them are left out
 * @value:	the value
 * @buf, @bytes: where to; always NUL-terminated, cut where it is too long
 *
 * Return: length without the NUL. Since 0.1.
 */
NTIME_API size_t ntime_decoder_value(struct ntime_decoder *d, const struct ntime_regdb_hit *hit,
				     uint32_t width, uint64_t value, char *buf, size_t bytes);

/**
 * ntime_decoder_name() - what an access reaches
 * @d:		decoder
 * @device, @region, @offset, @width: the access
 * @buf, @bytes: where to, 1 byte at least; always NUL-terminated, cut where it is too long
 *
 * "PCOUNTER.PRE_SRC[3]"; "PCOUNTER.PRE_SRC[3]+0x2" of its upper half; "PCOUNTER.PRE_SRC[2],
 * PCOUNTER.PRE_SRC[3]" of both, and the offset for those of several that nobody knows.
 *
 * Return: length without the NUL; 0: nothing is known there, or there is no memory. Since 0.1.
 */
NTIME_API size_t ntime_decoder_name(struct ntime_decoder *d, uint32_t device, uint8_t region,
				    uint64_t offset, uint32_t width, char *buf, size_t bytes);

/**
 * ntime_decoder_words() - the value of an access in words
 * @d:		decoder
 * @device, @region, @offset, @width: the access
 * @value:	its value
 * @buf, @bytes: as of ntime_decoder_name()
 *
 * As ntime_decoder_value() of each register that it reaches, separated by ", ".
 *
 * Return: length without the NUL; 0: the words would only be the number again. Since 0.1.
 */
NTIME_API size_t ntime_decoder_words(struct ntime_decoder *d, uint32_t device, uint8_t region,
				     uint64_t offset, uint32_t width, uint64_t value, char *buf,
				     size_t bytes);

/**
 * ntime_decoder_search() - registers by name
 * @d:		decoder
 * @device:	whose chip decides which variants exist
 * @pattern:	a name ("PCOUNTER.PRE_SRC[3]", "PRE_SRC", with or without numbers), or a glob; the
 *		case does not matter
 * @fn:		called for each: region, offset of the first instance that @pattern means, and the
 *		hit. Where @pattern leaves a number open all copies of that array are meant, and
 *		@hit->arrays says how many there are and how far apart; where it gives one the
 *		length is 1
 * @arg:	its first argument
 *
 * Return: how many; first non-zero of @fn; -ENOENT (sentence with near names), -ENOMEM. Since 0.1.
 */
NTIME_API int ntime_decoder_search(struct ntime_decoder *d, uint32_t device, const char *pattern,
				   int (*fn)(void *arg, uint8_t region, uint64_t offset,
					     const struct ntime_regdb_hit *hit),
				   void *arg);

#ifdef __cplusplus
}
#endif
#endif
