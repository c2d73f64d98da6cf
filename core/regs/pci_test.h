/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Rows of a device that exists as a model only: in builds for the lab (NTHW_LAB) and in models. */
#ifndef NTHW_PCI_TEST_H
#define NTHW_PCI_TEST_H

#include "core/base/reg.h"

extern const struct nthw_table nthw_pci_test;

#endif
