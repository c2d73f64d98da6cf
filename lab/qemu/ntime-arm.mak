# SPDX-License-Identifier: MIT
# What the 32-bit ARM guests need of QEMU, and nothing else.
CONFIG_ARM_VIRT=y
# target/arm does not link without it.
CONFIG_ARM_V7M=y
CONFIG_RASPI=y
# Two that CONFIG_RASPI needs and does not select.
CONFIG_OR_IRQ=y
CONFIG_UNIMP=y
CONFIG_VIRTIO_PCI=y
CONFIG_VIRTIO_MMIO=y
CONFIG_VIRTIO_SERIAL=y
CONFIG_VIRTIO_RNG=y
