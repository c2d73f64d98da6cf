// SPDX-License-Identifier: MIT
/*
 * Traces of very many devices: what is kept of them is bounded, and no search goes over all of
 * them.
 */
#include <stdlib.h>
#include <string.h>

#include "trace/lib/base/batch.h"
#include "trace/lib/base/device.h"
#include "trace/lib/write/place.h"
#include "trace/lib/base/siphash.h"
#include "trace/tests/lib/forms.h"
#include "trace/tests/lib/records.h"

#define MANY 60000

static size_t put_name(char *name, size_t i)
{
	return (size_t)sprintf(name, "%04zx:%02zx:%02zx.%zx", i >> 16, i >> 8 & 0xff, i >> 3 & 0x1f,
			       i & 7);
}

/* The paper's example: key 0 to 15, text 0 to 14. */
TEST(siphash)
{
	static const uint64_t key[2] = { 0x0706050403020100u, 0x0f0e0d0c0b0a0908u };
	unsigned char text[15];
	size_t i;

	for (i = 0; i < sizeof(text); i++)
		text[i] = (unsigned char)i;
	TT_IS(nti_siphash(key, text, sizeof(text)), 0xa129ca6149be45e5u);
}

/* The table grows with the devices. */
TEST(searches)
{
	struct nti_trace_devices *d;
	char name[32];
	size_t i, round;

	TT_IS(nti_trace_devices_new(&d), 0);
	for (round = 0; round < 2; round++)
		for (i = 0; i < MANY; i++)
			TT_IS(nti_trace_device_number(d, name, put_name(name, i)), i);
	/* Two names a slot at most before the table grows; more by chance. */
	assert_true(nti_trace_devices_compared(d) < 4 * 2 * MANY);
	nti_trace_devices_free(d);
}

TEST(names_are_bounded)
{
	struct nti_trace_devices *d;
	char name[4097];
	size_t i;

	TT_IS(nti_trace_devices_new(&d), 0);
	memset(name, 'x', sizeof(name));
	TT_IS(nti_trace_device_number(d, name, 4097), NTIME_DEVICE_NONE);
	TT_IS(nti_trace_devices_refused(d), 1);
	for (i = 0; i < 3000; i++) {
		memcpy(name, &i, sizeof(i));
		TT_IS(nti_trace_device_number(d, name, 4096), i < 2048 ? i : NTIME_DEVICE_NONE);
	}
	TT_IS(nti_trace_devices_count(d), 2048);
	TT_IS(nti_trace_devices_refused(d), 1 + 3000 - 2048);
	nti_trace_devices_free(d);
}

/*
 * A place for region 0 of each device, none of two devices, without looking at those of all others.
 */
TEST(addresses)
{
	struct nti_trace_devices *d;
	struct nti_places places;
	struct nti_hints hints = { 0 };
	uint64_t low = 0, high = 0;
	char name[32];
	size_t i;

	TT_IS(nti_trace_devices_new(&d), 0);
	nti_places_init(&places);
	for (i = 0; i < MANY; i++) {
		struct nti_place *p;

		(void)nti_trace_device_number(d, name, put_name(name, i));
		p = nti_places_at(&places, d, &hints, (uint16_t)i);
		assert_non_null(p);
		nti_places_assign(&places, p, 0, 4096, false);
		TT_IS(p->bus_devfn, i);
		assert_true(p->region[0].start >= (p->region[0].start >> 32 ? high : low));
		*(p->region[0].start >> 32 ? &high : &low) =
			p->region[0].start + p->region[0].bytes;
		assert_true(low <= 1ull << 32);
	}
	/* 128 of 16 MiB are below 4 GiB. */
	TT_IS(low, 1ull << 32);
	assert_true(places.looked <= 128);
	nti_places_fini(&places);
	nti_trace_devices_free(d);
}

/*
 * Where a region is known to be, none is made up; what does not fit below 4 GiB does not keep short
 * ones out.
 */
TEST(known_addresses)
{
	struct nti_trace_devices *d;
	struct nti_places places;
	struct nti_hints hints;
	struct nti_error error = { 0 };
	struct nti_place *p;

	TT_IS(nti_hints_parse(&error, "bar=a=0=0x81000000+32M\nbar=a=1=0x200000000+1G", &hints), 0);
	TT_IS(nti_trace_devices_new(&d), 0);
	(void)nti_trace_device_number(d, "a", 1);
	(void)nti_trace_device_number(d, "b", 1);
	nti_places_init(&places);
	assert_non_null(nti_places_at(&places, d, &hints, 0));
	p = nti_places_at(&places, d, &hints, 1);
	assert_non_null(p);
	nti_places_assign(&places, p, 0, 32ull << 20, false);
	TT_IS(p->region[0].start, 0x84000000u);
	nti_places_assign(&places, p, 1, 4ull << 30, false);
	TT_IS(p->region[1].start, 0x300000000u);
	nti_places_assign(&places, p, 2, 4096, false);
	TT_IS(p->region[2].start, 0x86000000u);
	nti_places_assign(&places, p, 3, 1024ull << 20, false);
	TT_IS(p->region[3].start, 0xc0000000u);
	nti_places_fini(&places);
	nti_hints_fini(&hints);
	nti_trace_devices_free(d);
}

/*
 * Accesses to configuration space as words of records.h. What reading a trace and writing mmiotrace
 * learn of it is the same: of one BAR it stands here.
 */
static const struct config_row {
	int line;
	const char *accesses;
	unsigned int bar;
	uint64_t start, bytes; /* start with the flags */
} config_rows[] = {
	{ __LINE__, "C0=64010de D10=ffffffff C10=ff000000 D10=fd000000", 0, 0xfd000000, 1 << 24 },
	/* what was set up before is read; decoding is off while it is */
	{ __LINE__, "D4=0:2 C10=fd000000 D10=ffffffff C10=ff000000 D4=2:2", 0, 0xfd000000,
	  1 << 24 },
	{ __LINE__, "C14=e000000c C18=18", 1, 0x18e000000c, 0 },
	/*
	 * 64 bits, as Linux and as firmware does it: without flags, in two words of which one may
	 * be 0
	 */
	{ __LINE__,
	  "C14=c D14=ffffffff C14=f000000c D14=c C18=0 D18=ffffffff C18=ffffffff D18=0 "
	  "D14=e000000c D18=18",
	  1, 0x18e000000c, 1 << 28 },
	{ __LINE__,
	  "D14=ffffffff C14=f000000c D18=ffffffff C18=ffffffff D14=e0000000 D18=0 D14=0 D18=18", 1,
	  0x180000000c, 1 << 28 },
	{ __LINE__, "D14=ffffffff C14=c D18=ffffffff C18=fffffff8 D14=0 D18=40", 1, 0x400000000c,
	  8ull << 32 },
	/* the size asked for without the bits of the flags */
	{ __LINE__, "D14=fffffff0 C14=fff00000 D14=e0000000", 1, 0xe0000000, 1 << 20 },
	{ __LINE__, "D24=fffffffc C24=ffffff81 D24=c001", 5, 0xc001, 128 },
	/* ports, with and without the flag, before and behind the first read */
	{ __LINE__, "D24=ffffffff C24=ffffff81 D24=c001", 5, 0xc001, 128 },
	{ __LINE__, "D24=ffffffff C24=fff9 D24=c008", 5, 0xc009, 8 },
	{ __LINE__, "D24=c009 D24=ffffffff C24=fffffff9", 5, 0xc009, 8 },
	/* the ROM is sized without its enable bit, which is not an address */
	{ __LINE__, "D30=fffff800 C30=fff80000 D30=fe000001 C30=fe000001", 6, 0xfe000000, 1 << 19 },
	{ __LINE__, "D30=fffffffe C30=fff80000 D30=fe000000", 6, 0xfe000000, 1 << 19 },
	/* nobody's BAR; what looks like a size of the ROM is an address in a BAR */
	{ __LINE__, "C10=fd000000 D14=ffffffff C14=0 D14=0", 1, 0, 0 },
	{ __LINE__, "C10=0 D10=fffff800 C10=fffff800", 0, 0xfffff800, 0 },
	/* parts of words, and between them, are no BARs; a value that is unknown says nothing */
	{ __LINE__, "C10=fd000000 D10=1234:2 D12=5678:2 D13=9:1 D12=aaaaaaaa", 0, 0xfd000000, 0 },
	{ __LINE__, "C0=64010de C10=fd000000 C0?0 C10?fe000000", 0, 0xfd000000, 0 },
	{ __LINE__, "C0=10de:2 C2=640:2 C10=fd000008", 0, 0xfd000008, 0 },
};

TEST(bars_of_readers_and_writers)
{
	TT_FOR_EACH_ROW(row, config_rows) {
		const struct ntime_trace_device *pub;
		struct nti_hints hints = { 0 };
		struct nti_trace_devices *d;
		struct nti_places places;
		struct ntime_record access[16];
		struct nti_place *p;
		size_t n, i;

		TT_EQ(row, nti_trace_devices_new(&d), 0);
		TT_EQ(row, nti_trace_device_number(d, "0000:05:00.0", 12), 0);
		nti_places_init(&places);
		p = nti_places_at(&places, d, &hints, 0);
		assert_non_null(p);
		n = tt_parse_records(row->accesses, access, 16);
		for (i = 0; i < n; i++) {
			access[i].region = NTIME_REGION_CONFIG;
			nti_trace_device_learn(d, &access[i]);
			(void)nti_place_learn(&places, p, &access[i]);
		}
		pub = nti_trace_device_at(d, 0);
		TT_EQ(row, pub->vendor_device, p->vendor_device);
		for (i = 0; i < NTI_PCIDEV_BARS; i++) {
			const struct nti_place_region *region = &p->region[i];
			bool is_known = pub->bars >> i & 1;

			TT_EQ(row, is_known, region->is_known);
			TT_EQ(row, is_known ? pub->bar[i] : 0,
			      is_known ? region->start | region->flags : 0);
			TT_EQ(row, pub->bar_bytes[i], region->bytes);
			if (i != row->bar)
				continue;
			TT_EQ(row, is_known ? pub->bar[i] : 0, row->start);
			TT_EQ(row, pub->bar_bytes[i], row->bytes);
		}
		nti_places_fini(&places);
		nti_trace_devices_free(d);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(siphash),	     cmocka_unit_test(searches),
		cmocka_unit_test(names_are_bounded), cmocka_unit_test(addresses),
		cmocka_unit_test(known_addresses),   cmocka_unit_test(bars_of_readers_and_writers),
	};

	return TT_RUN(tests);
}
