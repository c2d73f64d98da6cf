// SPDX-License-Identifier: MIT
/*
 * lab/proxy against a fake QEMU: every command, memory that is and is not there, and what
 * no QEMU would send.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>

#include "lab/proxy/control.h"
#include "lab/tests/ports/fake_qemu.h"

#define BAR 0xfebf1000u

struct bench {
	struct ntm_proxy proxy;
	int qemu;
	char *log_text;
	size_t log_bytes;
	FILE *log;
};

static const struct ntm_proxy_kind *find_kind(const char *name)
{
	size_t i;

	for (i = 0; i < ntm_proxy_kind_count; i++)
		if (strcmp(ntm_proxy_kinds[i]->name, name) == 0)
			return ntm_proxy_kinds[i];
	return NULL;
}

static void open_bench(struct bench *b, const char *kind, const char *argument)
{
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
	b->log = open_memstream(&b->log_text, &b->log_bytes);
	assert_non_null(b->log);
	b->qemu = ends[0];
	assert_int_equal(
		ntm_proxy_init(&b->proxy, find_kind(kind), argument, "dev", ends[1], b->log), 0);
}

static void close_bench(struct bench *b)
{
	ntm_proxy_fini(&b->proxy);
	if (b->qemu >= 0)
		close(b->qemu);
	fclose(b->log);
	free(b->log_text);
}

static const char *log_of(struct bench *b)
{
	fflush(b->log);
	return b->log_text;
}

/* The answer that lies ready; fails when there is none. */
static uint64_t answer(struct bench *b)
{
	struct {
		struct fake_header header;
		uint64_t value;
	} a;

	assert_int_equal(recv(b->qemu, &a, sizeof(a), MSG_DONTWAIT), sizeof(a));
	assert_int_equal(a.header.command, 1);
	assert_int_equal(a.header.bytes, 8);
	return a.value;
}

static uint64_t ask(struct bench *b, int command, const void *body, size_t bytes)
{
	fake_message(b->qemu, command, body, bytes, NULL, 0);
	assert_int_equal(ntm_proxy_receive(&b->proxy), 1);
	return answer(b);
}

static uint64_t config_read(struct bench *b, uint32_t addr, int32_t bytes)
{
	const uint32_t body[3] = { addr, 0, (uint32_t)bytes };

	return ask(b, 3, body, sizeof(body));
}

static void config_write(struct bench *b, uint32_t addr, int32_t bytes, uint32_t value)
{
	const uint32_t body[3] = { addr, value, (uint32_t)bytes };

	assert_int_equal(ask(b, 2, body, sizeof(body)), 0);
}

struct bar_message {
	uint64_t address, value;
	uint32_t bytes;
	uint8_t is_memory, pad[3];
};

static uint64_t bar_read(struct bench *b, uint64_t address, uint32_t bytes)
{
	struct bar_message body = { .address = address, .bytes = bytes, .is_memory = 1 };

	return ask(b, 5, &body, sizeof(body));
}

static void bar_write(struct bench *b, uint64_t address, uint32_t bytes, uint64_t value)
{
	struct bar_message body = { address, value, bytes, 1, { 0 } };

	assert_int_equal(ask(b, 4, &body, sizeof(body)), 0);
}

static void enable_bar(struct bench *b)
{
	config_write(b, 0x10, 4, BAR);
	config_write(b, 0x14, 4, 0xc000);
	config_write(b, 4, 2, 7);
}

TEST(configuration_space)
{
	struct bench b;

	open_bench(&b, "snbep-imc", "3");
	TT_IS(config_read(&b, 0, 4), 0x3cb58086);
	TT_IS(config_read(&b, 2, 2), 0x3cb5);
	TT_IS(config_read(&b, 1, 1), 0x80);
	config_write(&b, 0xd8, 4, 0x400304);
	TT_IS(config_read(&b, 0xd8, 4), 0x400304);
	/* all ones are 32 bits of ones, not an error of QEMU's 64 */
	TT_IS(config_read(&b, 0x100, 4), 0xffffffff);
	config_write(&b, 0x100, 4, 1);
	TT_HAS(log_of(&b), " dev config-read 0 4 0x3cb58086\n");
	TT_HAS(log_of(&b), " dev config-write 0xd8 4 0x400304\n");
	/* no BAR: nobody answers */
	TT_IS(bar_read(&b, 0xfebf1000, 2), 0xffff);
	close_bench(&b);
}

TEST(registers)
{
	struct bar_message io = { .address = 0xc001, .bytes = 1 };
	struct bench b;

	open_bench(&b, "test", "");
	TT_IS(bar_read(&b, BAR, 4), 0xffffffff);
	enable_bar(&b);
	TT_IS(bar_read(&b, BAR, 4), 0x6d69746e);
	bar_write(&b, BAR + 8, 8, 0x1122334455667788);
	TT_IS(bar_read(&b, BAR + 8, 8), 0x1122334455667788);
	TT_IS(bar_read(&b, BAR + 9, 1), 0x77);
	TT_IS(bar_read(&b, BAR + 10, 2), 0x5566);
	TT_IS(ask(&b, 5, &io, sizeof(io)), 0x74);
	/* beside it */
	TT_IS(bar_read(&b, BAR + 0x1000, 8), UINT64_MAX);
	bar_write(&b, BAR - 4, 4, 1);
	TT_HAS(log_of(&b), " dev bar-write 0 0x8 8 0x1122334455667788\n");
	TT_HAS(log_of(&b), " dev bar-read 1 0x1 1 0x74\n");
	TT_HAS(log_of(&b), " dev nobody-write 0xfebf0ffc 4\n");
	/* reset takes registers and BAR away */
	TT_IS(ask(&b, 7, NULL, 0), 0);
	TT_IS(bar_read(&b, BAR + 8, 8), UINT64_MAX);
	enable_bar(&b);
	TT_IS(bar_read(&b, BAR + 8, 8), 0);
	close_bench(&b);
}

struct memory_message {
	uint64_t address[8], bytes[8], offset[8];
};

/*
 * A file of 64 KiB as guest memory: 32 KiB at 1 MiB from its middle, and its beginning at 4 GiB, of
 * which 16 KiB are said to be there.
 */
static int share_memory(struct bench *b)
{
	struct memory_message body = { { 0x100000, 0x100000000 },
				       { 0x8000, 0x4000 },
				       { 0x8000, 0 } };
	int file = memfd_create("guest", MFD_CLOEXEC), fds[2] = { file, file };

	assert_true(file >= 0);
	assert_int_equal(ftruncate(file, 0x10000), 0);
	fake_message(b->qemu, 0, &body, sizeof(body), fds, 2);
	assert_int_equal(ntm_proxy_receive(&b->proxy), 1);
	return file;
}

static uint32_t copy(struct bench *b, uint64_t source, uint64_t target, uint32_t bytes)
{
	bar_write(b, BAR + 0x40, 8, source);
	bar_write(b, BAR + 0x48, 8, target);
	bar_write(b, BAR + 0x50, 4, bytes);
	bar_write(b, BAR + 0x54, 4, 1);
	return (uint32_t)bar_read(b, BAR + 0x58, 4);
}

TEST(guest_memory)
{
	const char text[] = "what the guest wrote";
	struct memory_message none = { { 0 }, { 0 }, { 0 } };
	char got[sizeof(text)];
	struct bench b;
	int file;

	open_bench(&b, "test", "");
	enable_bar(&b);
	/* before there is any */
	TT_IS(copy(&b, 0x100000, 0x100100, 16), 2);
	file = share_memory(&b);
	assert_int_equal(pwrite(file, text, sizeof(text), 0x8000), sizeof(text));
	TT_IS(copy(&b, 0x100000, 0x100000100, sizeof(text)), 1);
	assert_int_equal(pread(file, got, sizeof(got), 0x100), sizeof(got));
	assert_memory_equal(got, text, sizeof(text));
	/* to the last byte, over the end, before the begin, past all addresses */
	TT_IS(copy(&b, 0x100000, 0x107f00, 0x100), 1);
	TT_IS(copy(&b, 0x100000, 0x107f00, 0x101), 2);
	TT_IS(copy(&b, 0xfffff, 0x100000, 1), 2);
	TT_IS(copy(&b, UINT64_MAX, 0x100000, 16), 2);
	TT_IS(copy(&b, 0x100000, UINT64_MAX - 3, 16), 2);
	TT_HAS(log_of(&b), " dev memory 2\n");
	TT_HAS(log_of(&b), " dev dma-read 0x100000 21 ok\n");
	TT_HAS(log_of(&b), " dev dma-read 0xfffff 1 failed\n");
	/* the file gets shorter than QEMU said: no crash */
	assert_int_equal(ftruncate(file, 0x8000), 0);
	TT_IS(copy(&b, 0x100000, 0x100000000, 16), 2);
	/* and no memory at all */
	fake_message(b.qemu, 0, &none, sizeof(none), NULL, 0);
	assert_int_equal(ntm_proxy_receive(&b.proxy), 1);
	TT_IS(copy(&b, 0x100000000, 0x100000000, 1), 2);
	close(file);
	close_bench(&b);
}

/* Copies between two regions that meet: one access may need both. */
TEST(memory_in_pieces)
{
	struct memory_message body = { { 0x1000, 0x2000 }, { 0x1000, 0x1000 }, { 0x3000, 0 } };
	int file = memfd_create("guest", MFD_CLOEXEC), fds[2] = { file, file };
	uint8_t page[200], got[200];
	struct bench b;
	size_t i;

	assert_int_equal(ftruncate(file, 0x4000), 0);
	for (i = 0; i < sizeof(page); i++)
		page[i] = (uint8_t)(i + 1);
	open_bench(&b, "test", "");
	enable_bar(&b);
	fake_message(b.qemu, 0, &body, sizeof(body), fds, 2);
	assert_int_equal(ntm_proxy_receive(&b.proxy), 1);
	assert_int_equal(pwrite(file, page, 200, 0x3000), 200);
	TT_IS(copy(&b, 0x1000, 0x1f9c, 200), 1);
	assert_int_equal(pread(file, got, 100, 0x3f9c), 100);
	assert_int_equal(pread(file, got + 100, 100, 0), 100);
	assert_memory_equal(got, page, 200);
	close(file);
	close_bench(&b);
}

TEST(interrupts)
{
	uint64_t raised = 0;
	struct bench b;
	int fds[2];

	open_bench(&b, "test", "");
	enable_bar(&b);
	/* before QEMU listens, it is lost and told so */
	bar_write(&b, BAR + 0x68, 4, 1);
	bar_write(&b, BAR + 0x60, 4, 1);
	TT_HAS(log_of(&b), " dev interrupt up untold\n");
	bar_write(&b, BAR + 0x64, 4, 1);
	fds[0] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	fds[1] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	fake_message(b.qemu, 6, NULL, 0, fds, 2);
	assert_int_equal(ntm_proxy_receive(&b.proxy), 1);
	bar_write(&b, BAR + 0x60, 4, 1);
	assert_int_equal(read(fds[0], &raised, sizeof(raised)), sizeof(raised));
	TT_IS(raised, 1);
	bar_write(&b, BAR + 0x64, 4, 1);
	assert_int_equal(read(fds[0], &raised, sizeof(raised)), -1);
	TT_HAS(log_of(&b), " dev interrupt up told\n");
	close(fds[0]);
	close(fds[1]);
	close_bench(&b);
}

TEST(a_message_may_arrive_in_bytes)
{
	struct {
		struct fake_header header;
		uint32_t body[3];
	} message = { { 3, 0, 12 }, { 0, 0, 4 } };
	struct bench b;
	size_t i;

	open_bench(&b, "test", "");
	for (i = 0; i < 28; i++) {
		assert_int_equal(fake_send(b.qemu, (uint8_t *)&message + i, 1, NULL, 0), 1);
		assert_int_equal(ntm_proxy_receive(&b.proxy), 1);
	}
	TT_IS(answer(&b), 0x6e741234);
	/* and two at once */
	assert_int_equal(fake_send(b.qemu, &message, 28, NULL, 0), 28);
	assert_int_equal(fake_send(b.qemu, &message, 28, NULL, 0), 28);
	assert_int_equal(ntm_proxy_receive(&b.proxy), 1);
	TT_IS(answer(&b), 0x6e741234);
	TT_IS(answer(&b), 0x6e741234);
	close_bench(&b);
}

TEST(unplugging_ends_it)
{
	struct bench b;

	open_bench(&b, "test", "");
	assert_int_equal(ntm_proxy_receive(&b.proxy), 1);
	close(b.qemu);
	b.qemu = -1;
	assert_int_equal(ntm_proxy_receive(&b.proxy), 0);
	TT_IS(b.proxy.fd, -1);
	TT_TEXT(b.proxy.error, "");
	TT_HAS(log_of(&b), " dev closed\n");
	close_bench(&b);
}

static const struct bad_row {
	int line;
	int command;
	uint64_t bytes;	  /* said in the header */
	uint64_t sent;	  /* behind it */
	uint32_t body[3]; /* how it begins */
	size_t fds;
	const char *error;
} bad_rows[] = {
	{ __LINE__, 8, 0, 0, { 0 }, 0, "dev: QEMU sent command 8, which this end does not know" },
	{ __LINE__, -1, 0, 0, { 0 }, 0, "command -1, which" },
	{ __LINE__, 1, 8, 8, { 0 }, 0, "command 1, which" },
	{ __LINE__, 3, 11, 11, { 0 }, 0, "command 3 with 11 bytes where 12 are due" },
	{ __LINE__, 3, 4096, 12, { 0 }, 0, "command 3 with 4096 bytes where 12 are due" },
	{ __LINE__, 0, UINT64_MAX, 192, { 0 }, 0, "with 18446744073709551615 bytes where 192" },
	{ __LINE__, 7, 1, 1, { 0 }, 0, "command 7 with 1 bytes where 0 are due" },
	{ __LINE__, 3, 12, 12, { 0, 0, 3 }, 0, "access 3 bytes of configuration space" },
	{ __LINE__, 2, 12, 12, { 0, 0, 0x80000000 }, 0, "access -2147483648 bytes" },
	{ __LINE__, 5, 24, 24, { 0 }, 0, "access 0 bytes of a BAR" },
	{ __LINE__, 6, 0, 0, { 0 }, 1, "command 6 with 1 file descriptors" },
	{ __LINE__, 6, 0, 0, { 0 }, 0, "command 6 with 0 file descriptors" },
	{ __LINE__, 3, 12, 12, { 0, 0, 4 }, 1, "command 3 with 1 file descriptors" },
	{ __LINE__, 0, 192, 192, { 0 }, 9, "more than 8 file descriptors" },
	{ __LINE__, 0, 192, 192, { 0 }, 14, "more than 8 file descriptors" },
	/* ends inside header and body */
	{ __LINE__, 3, 12, 7, { 0 }, 0, "dev: QEMU ended in the middle of a message" },
	{ __LINE__, 0, 192, 0, { 0 }, 0, "dev: QEMU ended in the middle of a message" },
};

static size_t open_fds(void)
{
	size_t count = 0;
	int fd;

	for (fd = 0; fd < 256; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

TEST(what_no_qemu_sends)
{
	TT_FOR_EACH_ROW(r, bad_rows) {
		struct fake_header header = { .command = r->command, .bytes = r->bytes };
		uint8_t message[16 + 192] = { 0 };
		size_t before = open_fds(), i;
		struct bench b;
		int fds[16], ret;

		for (i = 0; i < r->fds; i++)
			fds[i] = open("/dev/null", O_RDONLY);
		open_bench(&b, "test", "");
		memcpy(message, &header, sizeof(header));
		memcpy(message + 16, r->body, sizeof(r->body));
		fake_send(b.qemu, message, 16 + (size_t)r->sent, fds, r->fds);
		for (i = 0; i < r->fds; i++)
			close(fds[i]);
		shutdown(b.qemu, SHUT_WR);
		ret = ntm_proxy_receive(&b.proxy);
		TT_EQ(r, ret, -EPROTO);
		tt_has_(b.proxy.error, r->error, "error", __FILE__, r->line);
		assert_null(strchr(b.proxy.error, '\n'));
		TT_EQ(r, b.proxy.fd, -1);
		/* dead means dead */
		close_bench(&b);
		TT_EQ(r, open_fds(), before);
	}
}

TEST(memory_that_cannot_be)
{
	static const struct memory_message bodies[] = {
		{ { UINT64_MAX - 10 }, { 100 }, { 0 } },
		{ { 0 }, { UINT64_MAX }, { 0 } },
		{ { 0 }, { 100 }, { UINT64_MAX } },
		{ { 0 }, { INT64_MAX }, { 1 } },
	};
	size_t i;

	for (i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
		struct bench b;
		int file = memfd_create("guest", MFD_CLOEXEC);

		open_bench(&b, "test", "");
		fake_message(b.qemu, 0, &bodies[i], sizeof(bodies[i]), &file, 1);
		assert_int_equal(ntm_proxy_receive(&b.proxy), -EPROTO);
		TT_HAS(b.proxy.error, "more than there can be");
		close(file);
		close_bench(&b);
	}
}

TEST(kinds_refuse_wrong_arguments)
{
	static const char *const wrong[][2] = { { "snbep-imc", "" },
						{ "snbep-imc", "4" },
						{ "snbep-imc", "00" },
						{ "test", "x" },
						{ "snbep-ubox", "8" } };
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct ntm_proxy p;

		assert_int_equal(ntm_proxy_init(&p, find_kind(wrong[i][0]), wrong[i][1], "dev",
						dup(0), NULL),
				 -EINVAL);
		TT_HAS(p.error, "dev: a ");
		TT_HAS(p.error, wrong[i][1]);
		ntm_proxy_fini(&p);
	}
}

static const struct control_row {
	int line;
	const char *command, *answer;
} control_rows[] = {
#define EXPECTED                                                                                   \
	"error: expected echo TEXT, list, count NAME WHAT NUMBER, truth NAME or a command of the " \
	"kind (--list)"
	{ __LINE__, "echo 1 2  3", "ok 1 2  3" },
	{ __LINE__, "list", "ok dev=snbep-imc:waiting" },
	{ __LINE__, "count dev reads 1000", "ok" },
	{ __LINE__, "count dev  minor_writes\t0x10", "ok" },
	{ __LINE__, "count dev clocks 18446744073709551615", "ok" },
	{ __LINE__, "truth dev",
	  "ok clocks=18446744073709551615 reads=1000 underfills=0 writes=0 minor_writes=16 "
	  "counter0=1000 counter1=0 counter2=0 counter3=0 fixed=0 unknown=0" },
	{ __LINE__, "count dev read 1",
	  "error: a snbep-imc does not count \"read\" but: clocks reads "
	  "underfills writes minor_writes" },
	{ __LINE__, "count dev clock 1",
	  "error: a snbep-imc does not count \"clock\" but: clocks "
	  "reads underfills writes minor_writes" },
	{ __LINE__, "count dev reads -1", "error: \"-1\" is not a number below 2^64" },
	{ __LINE__, "count dev reads 1x", "error: \"1x\" is not a number below 2^64" },
	{ __LINE__, "count dev reads 18446744073709551616",
	  "error: \"18446744073709551616\" is not a number below 2^64" },
	{ __LINE__, "count other reads 1",
	  "error: no device is called \"other\"; \"list\" has them" },
	{ __LINE__, "", EXPECTED },
	{ __LINE__, "truth", EXPECTED },
	{ __LINE__, "count dev reads 1 2 3", EXPECTED },
};

#define CARD_COMMANDS "play NUMBER, truth EVENT, inject ones|nothing"
/* Of a card, whose frames are the same each time. */
static const struct control_row card_rows[] = {
	{ __LINE__, "truth dev gpu_idle", "ok 0" },
	{ __LINE__, "play dev 5", "ok" },
	{ __LINE__, "truth dev gpu_idle", "ok 7057" },
	{ __LINE__, "truth  dev\tgpu_idle", "ok 7057" },
	{ __LINE__, "play dev 5", "ok" },
	{ __LINE__, "truth dev gpu_idle", "ok 7057" },
	{ __LINE__, "inject dev ones", "ok" },
	{ __LINE__, "inject dev nothing", "ok" },
	{ __LINE__, "play dev 0", "error: play dev 0: " CARD_COMMANDS },
	{ __LINE__, "play dev 100001", "error: play dev 100001: " CARD_COMMANDS },
	{ __LINE__, "play dev 5 5", "error: play dev 5 5: " CARD_COMMANDS },
	{ __LINE__, "inject dev zeros", "error: inject dev zeros: " CARD_COMMANDS },
	{ __LINE__, "fly dev away", "error: fly dev away: " CARD_COMMANDS },
	{ __LINE__, "play dev", EXPECTED },
	{ __LINE__, "play other 5", EXPECTED },
};

TEST(commands_of_a_card)
{
	struct ntm_control c = { .device_count = 1 };
	struct bench b;

	open_bench(&b, "nv50", "GT218");
	c.devices = &b.proxy;
	TT_FOR_EACH_ROW(r, card_rows) {
		char text[512];

		ntm_control_answer(&c, r->command, text, sizeof(text));
		TT_STR(r, text, r->answer);
	}
	close_bench(&b);
}

TEST(commands)
{
	struct ntm_control c = { .device_count = 1 };
	struct bench b;

	open_bench(&b, "snbep-imc", "0");
	config_write(&b, 0xd8, 4, 0x400304);
	b.proxy.is_plugged = false;
	c.devices = &b.proxy;
	TT_FOR_EACH_ROW(r, control_rows) {
		char text[512];

		ntm_control_answer(&c, r->command, text, sizeof(text));
		TT_STR(r, text, r->answer);
	}
	config_read(&b, 0, 4);
	TT_IS(b.proxy.is_plugged, true);
	close_bench(&b);
}

/* Lines over a stream: in pieces, too long ones, and one without an end. */
TEST(command_stream)
{
	char line[600], got[1024] = "";
	struct ntm_control c = { 0 };
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
	c.in = c.out = ends[1];
	assert_int_equal(write(ends[0], "echo a\r\nec", 10), 10);
	assert_int_equal(ntm_control_receive(&c), 1);
	assert_int_equal(write(ends[0], "ho b\n", 5), 5);
	assert_int_equal(ntm_control_receive(&c), 1);
	memset(line, 'x', sizeof(line));
	line[sizeof(line) - 1] = '\n';
	assert_int_equal(write(ends[0], line, sizeof(line)), sizeof(line));
	assert_int_equal(ntm_control_receive(&c), 1);
	assert_int_equal(ntm_control_receive(&c), 1);
	assert_int_equal(write(ends[0], "echo c\nlis", 10), 10);
	shutdown(ends[0], SHUT_WR);
	assert_int_equal(ntm_control_receive(&c), 1);
	assert_int_equal(ntm_control_receive(&c), 0);
	TT_IS(c.in, -1);
	assert_true(read(ends[0], got, sizeof(got) - 1) > 0);
	TT_TEXT(got, "ok a\nok b\nerror: a line has 255 bytes at most\nok c\n");
	close(ends[0]);
	close(ends[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(configuration_space),
		cmocka_unit_test(registers),
		cmocka_unit_test(guest_memory),
		cmocka_unit_test(memory_in_pieces),
		cmocka_unit_test(interrupts),
		cmocka_unit_test(a_message_may_arrive_in_bytes),
		cmocka_unit_test(unplugging_ends_it),
		cmocka_unit_test(what_no_qemu_sends),
		cmocka_unit_test(memory_that_cannot_be),
		cmocka_unit_test(kinds_refuse_wrong_arguments),
		cmocka_unit_test(commands),
		cmocka_unit_test(commands_of_a_card),
		cmocka_unit_test(command_stream),
	};

	return TT_RUN(tests);
}
