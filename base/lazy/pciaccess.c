// SPDX-License-Identifier: MIT
/* libpciaccess: registers of PCI devices without a driver of ours. */
#include <errno.h>
#include <pciaccess.h>

#include "base/lazy/define.h"

#define FUNCTIONS(F)                                                                               \
	F(int, ENOSYS, pci_system_init, (void), ())                                                \
	F(struct pci_device_iterator *, NULL, pci_slot_match_iterator_create,                      \
	  (const struct pci_slot_match *match), (match))                                           \
	F(struct pci_device *, NULL, pci_device_next, (struct pci_device_iterator * i), (i))       \
	F(void, (void)0, pci_iterator_destroy, (struct pci_device_iterator * i), (i))              \
	F(int, ENOSYS, pci_device_probe, (struct pci_device * d), (d))                             \
	F(int, ENOSYS, pci_device_map_range,                                                       \
	  (struct pci_device * d, pciaddr_t base, pciaddr_t bytes, unsigned flags, void **out),    \
	  (d, base, bytes, flags, out))                                                            \
	F(int, ENOSYS, pci_device_unmap_range,                                                     \
	  (struct pci_device * d, void *memory, pciaddr_t bytes), (d, memory, bytes))              \
	F(int, ENOSYS, pci_device_cfg_read_u8,                                                     \
	  (struct pci_device * d, uint8_t * out, pciaddr_t at), (d, out, at))                      \
	F(int, ENOSYS, pci_device_cfg_read_u16,                                                    \
	  (struct pci_device * d, uint16_t * out, pciaddr_t at), (d, out, at))                     \
	F(int, ENOSYS, pci_device_cfg_read_u32,                                                    \
	  (struct pci_device * d, uint32_t * out, pciaddr_t at), (d, out, at))                     \
	F(int, ENOSYS, pci_device_cfg_write_u8,                                                    \
	  (struct pci_device * d, uint8_t value, pciaddr_t at), (d, value, at))                    \
	F(int, ENOSYS, pci_device_cfg_write_u16,                                                   \
	  (struct pci_device * d, uint16_t value, pciaddr_t at), (d, value, at))                   \
	F(int, ENOSYS, pci_device_cfg_write_u32,                                                   \
	  (struct pci_device * d, uint32_t value, pciaddr_t at), (d, value, at))

NTI_LAZY_DEFINE(pciaccess, "libpciaccess.so.0", "libpciaccess0", "registers of PCI devices",
		FUNCTIONS)
