// SPDX-License-Identifier: MIT
/*
 * All that runs in a virtual machine that traces are made of: no system, 32-bit code that QEMU
 * loads by its multiboot header. It finds the test device (core/models/pci_test.h), accesses its
 * BARs in all ways that a driver does, and ends QEMU through its isa-debug-exit: status 3 is good
 * (1 << 1 | 1), 5 without the device, 7 when it does not answer as it must.
 *
 * A system of its own would take a minute to start in an emulation in an emulation, and its
 * accesses would be no other ones.
 */
#include <stdint.h>

#define MULTIBOOT_MAGIC 0x1badb002u /* Multiboot Specification 0.6.96, 3.1 */
#define CONFIG_ADDRESS 0xcf8
#define CONFIG_DATA 0xcfc
#define EXIT_PORT 0xf4
#define TEST_DEVICE 0x6e741234u /* device, vendor */
#define TEST_ID 0x6d69746eu
#define COMMAND 0x04
#define DECODES_ALL 0x3u
#define SCRATCH 0x08 /* keeps what is written: 8 bytes, and again every 256 */
#define LOOPS 40
#define RANDOM 400

enum { GOOD = 1, NO_DEVICE, WRONG_ANSWER };

__attribute__((section(".multiboot"),
	       used)) static const uint32_t multiboot[] = { MULTIBOOT_MAGIC, 0, -MULTIBOOT_MAGIC };

static uint32_t state = 1424299207;

static void out32(uint16_t port, uint32_t value)
{
	__asm__ volatile("outl %0, %1" : : "a"(value), "Nd"(port));
}

static uint32_t in32(uint16_t port)
{
	uint32_t value;

	__asm__ volatile("inl %1, %0" : "=a"(value) : "Nd"(port));
	return value;
}

static void out8(uint16_t port, uint8_t value)
{
	__asm__ volatile("outb %0, %1" : : "a"(value), "Nd"(port));
}

static uint8_t in8(uint16_t port)
{
	uint8_t value;

	__asm__ volatile("inb %1, %0" : "=a"(value) : "Nd"(port));
	return value;
}

__attribute__((noreturn)) static void end(uint32_t how)
{
	for (;;)
		out32(EXIT_PORT, how);
}

static uint32_t config_read(uint32_t slot, uint32_t at)
{
	out32(CONFIG_ADDRESS, 0x80000000u | slot << 11 | at);
	return in32(CONFIG_DATA);
}

static void config_write(uint32_t slot, uint32_t at, uint32_t value)
{
	out32(CONFIG_ADDRESS, 0x80000000u | slot << 11 | at);
	out32(CONFIG_DATA, value);
}

static uint32_t find_device(void)
{
	uint32_t slot;

	for (slot = 0; slot < 32; slot++) {
		if (config_read(slot, 0) == TEST_DEVICE)
			return slot;
	}
	end(NO_DEVICE);
}

/* xorshift: Marsaglia, Journal of Statistical Software 8 (14), 2003. */
static uint32_t random32(void)
{
	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return state;
}

/*
 * One access of 1, 2 or 4 bytes. What is written lies in the scratch register of some repetition;
 * reads lie anywhere.
 */
static void access_somewhere(uintptr_t bar)
{
	uint32_t r = random32(), bytes = 1u << (r & 3) % 3, value = random32();
	uint32_t at = (r >> 8) & 0xfffu & ~(bytes - 1);

	if (r & 0x80)
		at = (at & 0xf07u) | SCRATCH;
	switch (bytes << 1 | !!(r & 0x80)) {
	case 1 << 1:
		(void)*(volatile uint8_t *)(bar + at);
		break;
	case 1 << 1 | 1:
		*(volatile uint8_t *)(bar + at) = (uint8_t)value;
		break;
	case 2 << 1:
		(void)*(volatile uint16_t *)(bar + at);
		break;
	case 2 << 1 | 1:
		*(volatile uint16_t *)(bar + at) = (uint16_t)value;
		break;
	case 4 << 1:
		(void)*(volatile uint32_t *)(bar + at);
		break;
	default:
		*(volatile uint32_t *)(bar + at) = value;
	}
}

static void access_ports(uint16_t io)
{
	out32((uint16_t)(io + SCRATCH), 0x12345678);
	out8((uint16_t)(io + SCRATCH + 3), 0xfe);
	if (in32((uint16_t)(io + SCRATCH)) != 0xfe345678 || in8((uint16_t)(io + SCRATCH)) != 0x78)
		end(WRONG_ANSWER);
}

__attribute__((used)) static void run(void)
{
	uint32_t slot = find_device(), i;
	uintptr_t bar;

	config_write(slot, COMMAND, config_read(slot, COMMAND) | DECODES_ALL);
	bar = config_read(slot, 0x10) & ~0xfu;
	if (*(volatile uint32_t *)bar != TEST_ID)
		end(WRONG_ANSWER);
	for (i = 0; i < LOOPS; i++)
		*(volatile uint32_t *)(bar + 0x404) = 0xdeadbeef;
	for (i = 0; i < RANDOM; i++)
		access_somewhere(bar);
	access_ports((uint16_t)(config_read(slot, 0x14) & 0xfffcu));
	end(GOOD);
}

/* No stack is there yet. */
__asm__(".globl _start\n"
	"_start:\n"
	"	movl $stack_end, %esp\n"
	"	call run\n"
	"	.bss\n"
	"	.balign 16\n"
	"	.skip 4096\n"
	"stack_end:\n"
	"	.text\n");
