// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Configuration space of a PCI function with a header of type 0: the first 64 bytes, which are the same in every device.
 *
 * The header is defined in the PCI Local Bus Specification 3.0, chapter 6, which was not opened: addresses and bits were compared
 * with Linux 6.1 include/uapi/linux/pci_regs.h. What a function does not have (an I/O BAR, a ROM) it keeps at 0, so of the bits
 * that the specification leaves to the device those are read only here which PCI Express wires to 0. All of it is the operating
 * system's: nothing here is ours to write. In the lab Linux sizes, assigns and uses such a header (guest x86-pci).
 */
#include "core/regs/regs.h"

#define HEADER \
	"Linux 6.1 include/uapi/linux/pci_regs.h; defined in PCI Local Bus Specification 3.0, chapter 6 (not opened)"
#define HEADER_BITS \
	"Linux 6.1 include/uapi/linux/pci_regs.h (addresses and bits), from memory which of them are kept or cleared, and units; " \
	"defined in PCI Local Bus Specification 3.0, chapter 6 (not opened)"

#define ROW(reg, title, offset, width, list, from, how_far)                                                            \
	static const struct nthw_reg reg = {                                                                           \
		.name = (title), .role = NTHW_ROLE_OTHER, .space = NTHW_SPACE_PCI, .addr = (offset), .count = 1, .bits = (width),               \
		NTHW_FIELDS(list), .source = (from), .trust = (how_far), .scope = NTHW_SCOPE_DEVICE,                   \
	}

static const struct nthw_field vendor_fields[] = {
	{ "id", 0, 16, NTHW_RO, "who made the function" },
};
ROW(vendor, "PCI_VENDOR_ID", 0x00, 16, vendor_fields, HEADER, NTHW_DOCUMENTED);

static const struct nthw_field device_fields[] = {
	{ "id", 0, 16, NTHW_RO, "which of the vendor's functions it is" },
};
ROW(device, "PCI_DEVICE_ID", 0x02, 16, device_fields, HEADER, NTHW_DOCUMENTED);

static const struct nthw_field command_fields[] = {
	{ "io", 0, 1, NTHW_OS, "answers at the addresses of its I/O BARs" },
	{ "memory", 1, 1, NTHW_OS, "answers at the addresses of its memory BARs" },
	{ "master", 2, 1, NTHW_OS, "may read and write memory itself" },
	{ "special", 3, 1, NTHW_RO, "listens to special cycles" },
	{ "invalidate", 4, 1, NTHW_RO, "may write whole cache lines" },
	{ "palette", 5, 1, NTHW_RO, "snoops writes to the VGA palette" },
	{ "parity", 6, 1, NTHW_OS, "reports parity errors" },
	{ "stepping", 7, 1, NTHW_RO, "steps addresses and data" },
	{ "serr", 8, 1, NTHW_OS, "may assert SERR#" },
	{ "fast", 9, 1, NTHW_RO, "may do fast back-to-back transactions" },
	{ "no_intx", 10, 1, NTHW_OS, "must not assert its interrupt pin" },
};
ROW(command, "PCI_COMMAND", 0x04, 16, command_fields, HEADER_BITS, NTHW_GUESSED);

static const struct nthw_field status_fields[] = {
	{ "ready", 0, 1, NTHW_RO, "ready at once after reset" },
	{ "interrupt", 3, 1, NTHW_RO, "an interrupt is pending, whether the pin may be asserted or not" },
	{ "capabilities", 4, 1, NTHW_RO, "there is a list of capabilities" },
	{ "mhz66", 5, 1, NTHW_RO, "can do 66 MHz" },
	{ "fast", 7, 1, NTHW_RO, "accepts fast back-to-back transactions" },
	{ "master_parity", 8, 1, NTHW_OS_RW1C, "as a master it saw a parity error" },
	{ "devsel", 9, 2, NTHW_RO, "how soon it answers: 0 fast, 1 medium, 2 slow" },
	{ "sent_target_abort", 11, 1, NTHW_OS_RW1C, "as a target it gave up" },
	{ "got_target_abort", 12, 1, NTHW_OS_RW1C, "as a master it saw a target give up" },
	{ "got_master_abort", 13, 1, NTHW_OS_RW1C, "as a master it got no answer" },
	{ "sent_serr", 14, 1, NTHW_OS_RW1C, "it asserted SERR#" },
	{ "parity", 15, 1, NTHW_OS_RW1C, "it detected a parity error" },
};
ROW(status, "PCI_STATUS", 0x06, 16, status_fields, HEADER_BITS, NTHW_GUESSED);

static const struct nthw_field revision_fields[] = {
	{ "id", 0, 8, NTHW_RO, "revision of the function" },
};
ROW(revision, "PCI_REVISION_ID", 0x08, 8, revision_fields, HEADER, NTHW_DOCUMENTED);

static const struct nthw_field class_fields[] = {
	{ "interface", 0, 8, NTHW_RO, "programming interface" },
	{ "subclass", 8, 8, NTHW_RO, "what exactly it does" },
	{ "base", 16, 8, NTHW_RO, "what it does in general" },
};
ROW(class_code, "PCI_CLASS_CODE", 0x09, 24, class_fields, HEADER, NTHW_DOCUMENTED);

static const struct nthw_field cache_line_fields[] = {
	{ "size", 0, 8, NTHW_OS, "cache line of the system in 4-byte words" },
};
ROW(cache_line, "PCI_CACHE_LINE_SIZE", 0x0c, 8, cache_line_fields, HEADER_BITS, NTHW_GUESSED);

static const struct nthw_field latency_fields[] = {
	{ "clocks", 0, 8, NTHW_OS, "how long it may keep the bus" },
};
ROW(latency, "PCI_LATENCY_TIMER", 0x0d, 8, latency_fields, HEADER_BITS, NTHW_GUESSED);

static const struct nthw_field header_type_fields[] = {
	{ "layout", 0, 7, NTHW_RO, "which header follows: 0 a device, 1 a bridge" },
	{ "multifunction", 7, 1, NTHW_RO, "the device has more functions than 0; counts in function 0 only" },
};
ROW(header_type, "PCI_HEADER_TYPE", 0x0e, 8, header_type_fields, HEADER, NTHW_DOCUMENTED);

static const struct nthw_field bist_fields[] = {
	{ "code", 0, 4, NTHW_RO, "result of the self-test" },
	{ "start", 6, 1, NTHW_RO, "starts the self-test, where there is one" },
	{ "capable", 7, 1, NTHW_RO, "there is a self-test" },
};
ROW(bist, "PCI_BIST", 0x0f, 8, bist_fields, HEADER_BITS, NTHW_GUESSED);

/* Address bits below the size of the BAR read as 0: that is how its size is found. */
static const struct nthw_field bar_fields[] = {
	{ "io", 0, 1, NTHW_RO, "I/O ports, not memory" },
	{ "type", 1, 2, NTHW_RO, "of memory: 0 anywhere in 32 bits, 2 in 64 bits with the next BAR" },
	{ "prefetch", 3, 1, NTHW_RO, "reading memory has no side effect; of I/O: an address bit" },
	{ "address", 4, 28, NTHW_OS, "where it is" },
};
static const struct nthw_reg bar = {
	.name = "PCI_BASE_ADDRESS", .space = NTHW_SPACE_PCI, .addr = 0x10, .step = 4, .count = 6, .bits = 32,
	.role = NTHW_ROLE_OTHER,
	NTHW_FIELDS(bar_fields), .source = HEADER_BITS, .trust = NTHW_GUESSED,
	.scope = NTHW_SCOPE_DEVICE, .linux_name = "PCI_BASE_ADDRESS_",
};

static const struct nthw_field cardbus_fields[] = {
	{ "pointer", 0, 32, NTHW_RO, "to the CardBus information; 0 without" },
};
ROW(cardbus, "PCI_CARDBUS_CIS", 0x28, 32, cardbus_fields, HEADER, NTHW_DOCUMENTED);

static const struct nthw_field subvendor_fields[] = {
	{ "id", 0, 16, NTHW_RO, "who made the board" },
};
ROW(subvendor, "PCI_SUBSYSTEM_VENDOR_ID", 0x2c, 16, subvendor_fields, HEADER, NTHW_DOCUMENTED);

static const struct nthw_field subsystem_fields[] = {
	{ "id", 0, 16, NTHW_RO, "which of that vendor's boards it is" },
};
ROW(subsystem, "PCI_SUBSYSTEM_ID", 0x2e, 16, subsystem_fields, HEADER, NTHW_DOCUMENTED);

static const struct nthw_field rom_fields[] = {
	{ "enable", 0, 1, NTHW_RO, "answers at the address of its ROM, where there is one" },
	{ "address", 11, 21, NTHW_RO, "where the ROM is" },
};
ROW(rom, "PCI_ROM_ADDRESS", 0x30, 32, rom_fields, HEADER_BITS, NTHW_GUESSED);

static const struct nthw_field capabilities_fields[] = {
	{ "pointer", 0, 8, NTHW_RO, "offset of the first capability" },
};
ROW(capabilities, "PCI_CAPABILITY_LIST", 0x34, 8, capabilities_fields, HEADER, NTHW_DOCUMENTED);

static const struct nthw_field interrupt_line_fields[] = {
	{ "line", 0, 8, NTHW_OS, "a note of the firmware for the system; the function does not look at it" },
};
ROW(interrupt_line, "PCI_INTERRUPT_LINE", 0x3c, 8, interrupt_line_fields, HEADER_BITS, NTHW_GUESSED);

static const struct nthw_field interrupt_pin_fields[] = {
	{ "pin", 0, 8, NTHW_RO, "0 none, 1 to 4 INTA# to INTD#" },
};
ROW(interrupt_pin, "PCI_INTERRUPT_PIN", 0x3d, 8, interrupt_pin_fields, HEADER, NTHW_DOCUMENTED);

static const struct nthw_field min_gnt_fields[] = {
	{ "length", 0, 8, NTHW_RO, "how long it wants the bus, in units of 250 ns" },
};
ROW(min_gnt, "PCI_MIN_GNT", 0x3e, 8, min_gnt_fields, HEADER_BITS, NTHW_GUESSED);

static const struct nthw_field max_lat_fields[] = {
	{ "interval", 0, 8, NTHW_RO, "how often it wants the bus, in units of 250 ns" },
};
ROW(max_lat, "PCI_MAX_LAT", 0x3f, 8, max_lat_fields, HEADER_BITS, NTHW_GUESSED);

static const struct nthw_reg *const regs[] = {
	&vendor,
	&device,
	&command,
	&status,
	&revision,
	&class_code,
	&cache_line,
	&latency,
	&header_type,
	&bist,
	&bar,
	&cardbus,
	&subvendor,
	&subsystem,
	&rom,
	&capabilities,
	&interrupt_line,
	&interrupt_pin,
	&min_gnt,
	&max_lat,
};
const struct nthw_table nthw_pci = {
	.name = "pci", .regs = regs, .count = NTHW_ARRAY_SIZE(regs),
};
