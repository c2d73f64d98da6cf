// SPDX-License-Identifier: GPL-2.0 OR MIT
/* The kinds of devices that can be served: each a model, and how its functions are called. */
#include <inttypes.h>
#include <string.h>

#include "core/models/pci_test.h"
#include "lab/proxy/proxy.h"
#include "core/models/snbep_imc.h"
#include "core/models/snbep_ubox.h"

static bool imc_init(void *model, struct ntm_pci_bus *bus, const char *argument)
{
	(void)bus;
	if (strlen(argument) != 1 || argument[0] < '0' || argument[0] > '3')
		return false;
	ntm_snbep_imc_init(model, (uint32_t)(argument[0] - '0'));
	return true;
}

static void imc_reset(void *model)
{
	ntm_snbep_imc_reset(model);
}

static uint32_t imc_read(void *model, uint32_t addr, uint32_t bytes)
{
	return ntm_snbep_imc_read(model, addr, bytes);
}

static void imc_write(void *model, uint32_t addr, uint32_t bytes, uint32_t value)
{
	ntm_snbep_imc_write(model, addr, bytes, value);
}

static void imc_count(void *model, size_t what, uint64_t number)
{
	/* in the order of .counts */
	uint64_t cas[NTM_SNBEP_IMC_CAS_KINDS] = { 0 };

	if (what)
		cas[what - 1] = number;
	ntm_snbep_imc_advance(model, what ? 0 : number, cas);
}

static void imc_state(void *model, char *text, size_t bytes)
{
	const struct ntm_snbep_imc *m = model;

	snprintf(text, bytes,
		 "counter0=%" PRIu64 " counter1=%" PRIu64 " counter2=%" PRIu64 " counter3=%" PRIu64
		 " fixed=%" PRIu64 " unknown=%#x",
		 ntm_snbep_imc_counter(m, 0), ntm_snbep_imc_counter(m, 1),
		 ntm_snbep_imc_counter(m, 2), ntm_snbep_imc_counter(m, 3),
		 ntm_snbep_imc_counter(m, 4), m->unknown);
}

static const struct ntm_proxy_kind imc = {
	.name = "snbep-imc",
	.about = "monitor of a Sandy Bridge-EP memory channel",
	.arguments = "its channel, 0 to 3",
	.counts = "clocks reads underfills writes minor_writes",
	.bytes = sizeof(struct ntm_snbep_imc),
	.init = imc_init,
	.reset = imc_reset,
	.config_read = imc_read,
	.config_write = imc_write,
	.count = imc_count,
	.state = imc_state,
};

static bool ubox_init(void *model, struct ntm_pci_bus *bus, const char *argument)
{
	(void)bus;
	if (strlen(argument) != 1 || argument[0] < '0' || argument[0] > '7')
		return false;
	ntm_snbep_ubox_init(model, (uint32_t)(argument[0] - '0'));
	return true;
}

static void ubox_reset(void *model)
{
	struct ntm_snbep_ubox *m = model;

	ntm_pci_config_reset(&m->config);
}

static uint32_t ubox_read(void *model, uint32_t addr, uint32_t bytes)
{
	const struct ntm_snbep_ubox *m = model;

	return ntm_pci_config_read(&m->config, addr, bytes);
}

static void ubox_write(void *model, uint32_t addr, uint32_t bytes, uint32_t value)
{
	struct ntm_snbep_ubox *m = model;

	ntm_pci_config_write(&m->config, addr, bytes, value);
}

static const struct ntm_proxy_kind ubox = {
	.name = "snbep-ubox",
	.about = "tells which socket a bus of Sandy Bridge-EP belongs to",
	.arguments = "the socket's number, 0 to 7",
	.bytes = sizeof(struct ntm_snbep_ubox),
	.init = ubox_init,
	.reset = ubox_reset,
	.config_read = ubox_read,
	.config_write = ubox_write,
};

static bool test_init(void *model, struct ntm_pci_bus *bus, const char *argument)
{
	if (argument[0])
		return false;
	ntm_pci_test_init(model, bus);
	return true;
}

static void test_reset(void *model)
{
	ntm_pci_test_reset(model);
}

static uint32_t test_config_read(void *model, uint32_t addr, uint32_t bytes)
{
	return ntm_pci_test_config_read(model, addr, bytes);
}

static void test_config_write(void *model, uint32_t addr, uint32_t bytes, uint32_t value)
{
	ntm_pci_test_config_write(model, addr, bytes, value);
}

static const struct ntm_pci_config *test_config(void *model)
{
	const struct ntm_pci_test *m = model;

	return &m->config;
}

static uint64_t test_bar_read(void *model, uint32_t bar, uint32_t offset, uint32_t bytes)
{
	return ntm_pci_test_bar_read(model, bar, offset, bytes);
}

static void test_bar_write(void *model, uint32_t bar, uint32_t offset, uint32_t bytes,
			   uint64_t value)
{
	ntm_pci_test_bar_write(model, bar, offset, bytes, value);
}

static void test_count(void *model, size_t what, uint64_t number)
{
	(void)what;
	ntm_pci_test_advance(model, number);
}

static const struct ntm_proxy_kind test = {
	.name = "test",
	.about = "registers, a copier (DMA) and an interrupt, for tests",
	.counts = "ticks",
	.bytes = sizeof(struct ntm_pci_test),
	.init = test_init,
	.reset = test_reset,
	.config_read = test_config_read,
	.config_write = test_config_write,
	.config = test_config,
	.bar_read = test_bar_read,
	.bar_write = test_bar_write,
	.count = test_count,
};

const struct ntm_proxy_kind *const ntm_proxy_kinds[] = { &imc, &ubox, &test, &ntm_proxy_card };
const size_t ntm_proxy_kind_count = NTHW_ARRAY_SIZE(ntm_proxy_kinds);
