// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Graphics cards as PMUs of perf, ntime_gpu0 and so on: who may open an event, what sysfs shows,
 * cards and CPUs that come and go.
 */
#include <linux/cpuhotplug.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include "driver/card_inner.h"
#include "driver/status.h"
#include "driver/tree.h"

static int cpu_state; /* of cpuhp_setup_state_multi() */
/* By chip; those that have no wires are empty. */
static struct nthw_pci_device *known_chips;

/* ---- opening ---- */

static int refuse(const struct ntd_card *card, int error, const char *why)
{
	ntd_status_refuse_named(card->name, error, why);
	return error;
}

/* Can all of the group's events on this card be counted at one time? */
static bool fits(const struct ntd_card *card, struct perf_event *event,
		 const struct nthw_nv50_event *what)
{
	struct perf_event *leader = event->group_leader, *sibling;
	struct plan plan = { .count = 0 };

	(void)ntd_card_plan(card, &plan, what);
	if (leader == event)
		return true;
	if (ntd_card_plan(card, &plan, &user_of(leader)->what) == NTHW_NV50_COUNTERS)
		return false;
	for_each_sibling_event(sibling, leader)
		if (sibling->pmu == event->pmu &&
		    ntd_card_plan(card, &plan, &user_of(sibling)->what) == NTHW_NV50_COUNTERS)
			return false;
	return true;
}

/* The first event: is it there, and the chip that it should be? */
static int reach(struct ntd_card *card, const char **why)
{
	void __iomem *map = ntd_mmio_lend(card->device, NTHW_NV_COUNTING_BYTES);
	u64 units = 0;
	int ret;

	*why = "its memory is switched off, asleep, claimed or too small, or has no place";
	if (IS_ERR(map))
		return PTR_ERR(map) == -EBUSY ? -EBUSY : -ENODEV;
	ntd_card_lock_irq(card);
	card->map = map;
	ret = nthw_nv50_identify(&card->pm);
	if (!ret)
		ret = card->io.read(&card->io, NTHW_SPACE_MMIO, 0, NTHW_NV_UNITS, &units);
	card->units = (u32)units;
	if (ret)
		card->map = NULL;
	ntd_card_unlock_irq(card);
	if (!ret)
		return 0;
	ntd_mmio_give_back(card->device, map);
	*why = "PMC.BOOT_0 is not that of its chip";
	return -ENODEV;
}

static void leave(struct ntd_card *card)
{
	void __iomem *map;

	ntd_card_lock_irq(card);
	map = card->map;
	card->map = NULL;
	ntd_card_unlock_irq(card);
	if (map)
		ntd_mmio_give_back(card->device, map);
}

/* Can it be counted with? Under ntd_unit.lock: no descriptor comes to be open for writing. */
static int check_open(struct ntd_card *card, const char **why)
{
	*why = "it went away";
	if (!card->unit->is_here)
		return -ENODEV;
	*why = "a driver has the card, and may use its counters";
	if (card->is_held || card->device->pdev->dev.driver)
		return -EBUSY;
	*why = "a descriptor has a register of it open for writing";
	if (atomic_read(&card->unit->writers))
		return -EBUSY;
	return card->map ? 0 : reach(card, why);
}

static int open_locked(struct ntd_card *card, struct ntd_user *user, const char **why)
{
	int ret = check_open(card, why);

	if (ret)
		return ret;
	*why = "its wires are of a unit that the card has not";
	if (nthw_nv50_missing(card->chip, &user->what, card->units) != NTHW_NV_GRAPH) {
		if (list_empty(&card->users))
			leave(card);
		return -EINVAL;
	}
	ntd_card_lock_irq(card);
	list_add_tail(&user->node, &card->users);
	ntd_card_unlock_irq(card);
	return 0;
}

static void destroy(struct perf_event *event)
{
	struct ntd_card *card = card_of(event->pmu);
	struct ntd_user *user = user_of(event);
	bool is_last;

	down_write(&card->unit->lock);
	ntd_card_lock_irq(card);
	list_del(&user->node);
	is_last = list_empty(&card->users);
	ntd_card_unlock_irq(card);
	if (is_last)
		leave(card);
	up_write(&card->unit->lock);
	wait_event(card->wait, READ_ONCE(card->busy) != user);
	ntd_who_put(&user->who);
	kfree(user);
}

static int event_init(struct perf_event *event)
{
	struct ntd_card *card = card_of(event->pmu);
	const struct perf_event_attr *attr = &event->attr;
	const char *why;
	struct ntd_user *user;
	int ret;

	if (attr->type != event->pmu->type)
		return -ENOENT;
	if (is_sampling_event(event) || event->attach_state & PERF_ATTACH_TASK || event->cpu < 0)
		return refuse(card, -EINVAL,
			      "a card is counted for all programs, on one CPU, and not sampled");
	/* perf asks who may see the kernel before it calls us, and leaves this to us. */
	if (attr->exclude_user || attr->exclude_kernel || attr->exclude_hv || attr->exclude_idle ||
	    attr->exclude_host || attr->exclude_guest)
		return refuse(card, -EINVAL, "a card knows no modes of a CPU: no modifiers");
	/* Reading such a group perf looks at its first event, and not at whether ours failed. */
	if (event->group_leader->pmu != event->pmu && event->group_leader != event)
		return refuse(card, -EINVAL, "the first event of its group is not of the card");
	user = kzalloc(sizeof(*user), GFP_KERNEL_ACCOUNT);
	if (!user)
		return -ENOMEM;
	user->event = event;
	INIT_LIST_HEAD(&user->added);
	ret = nthw_nv50_encode(card->chip, attr->config, attr->config1, attr->config2, &user->what);
	/* Those are counted by methods of a channel, which is its program's. */
	if (!ret && user->what.is_slot)
		ret = NTHW_ENOTSUP;
	why = "its chip has no such domain, signal or multiplexer";
	if (ret == NTHW_ENOTSUP)
		why = "that mode, delay or multiplexer is not supported";
	if (!ret && !fits(card, event, &user->what)) {
		why = "the events of its group cannot be counted at the same time";
		ret = -EINVAL;
	}
	if (ret) {
		kfree(user);
		return refuse(card, -EINVAL, why);
	}
	ntd_who_is_current(&user->who);
	event->pmu_private = user;
	event->cpu = card->cpu;
	down_write(&card->unit->lock);
	ret = open_locked(card, user, &why);
	up_write(&card->unit->lock);
	if (!ret) {
		event->destroy = destroy;
		return 0;
	}
	event->pmu_private = NULL;
	ntd_who_put(&user->who);
	kfree(user);
	return refuse(card, ret, why);
}

bool ntd_card_is_open(const struct ntd_device *device)
{
	return device->card && !list_empty(&device->card->users);
}

void ntd_card_show(const struct ntd_device *device, struct seq_file *m)
{
	struct ntd_card *card = device->card;
	struct ntd_who who = { .process = NULL };

	if (!card)
		return;
	ntd_card_lock_irq(card);
	if (!list_empty(&card->users))
		ntd_who_copy(&who, &list_first_entry(&card->users, struct ntd_user, node)->who);
	ntd_card_unlock_irq(card);
	if (!who.process)
		return;
	seq_printf(m, "perf: %s ", card->name);
	ntd_who_show(&who, m);
	ntd_who_put(&who);
}

/* ---- coming and going ---- */

void ntd_card_leave(struct ntd_device *device, bool is_reachable)
{
	struct ntd_card *card = device->card;

	if (!card)
		return;
	down_write(&card->unit->lock);
	if (!is_reachable)
		leave(card);
	ntd_card_lock_irq(card);
	card->is_held = true;
	(void)ntd_card_collect(card);
	ntd_card_fail(card);
	memset(&card->state, 0, sizeof(card->state));
	ntd_card_unlock_irq(card);
	leave(card);
	up_write(&card->unit->lock);
}

void ntd_card_return(struct ntd_device *device)
{
	struct ntd_card *card = device->card;

	if (!card)
		return;
	ntd_card_lock_irq(card);
	card->is_held = false;
	ntd_card_unlock_irq(card);
}

void ntd_card_sleep(struct ntd_device *device)
{
	struct ntd_card *card = device->card;

	if (!card)
		return;
	ntd_card_lock_irq(card);
	(void)ntd_card_collect(card);
	card->is_running = false;
	card->is_asleep = true;
	(void)nthw_nv50_restore(&card->pm, &card->state);
	ntd_card_unlock_irq(card);
}

static void wake(void *arg)
{
	struct ntd_card *card = arg;

	ntd_card_lock(card);
	card->is_asleep = false;
	card->is_changed = true;
	ntd_card_set_up(card);
	ntd_card_unlock(card);
}

void ntd_card_wake(struct ntd_device *device)
{
	if (device->card)
		(void)smp_call_function_single(device->card->cpu, wake, device->card, true);
}

static int on_cpu_up(unsigned int cpu, struct hlist_node *node)
{
	struct ntd_card *card = hlist_entry(node, struct ntd_card, cpu_node);

	if (card->cpu < 0)
		card->cpu = (int)cpu;
	return 0;
}

static int on_cpu_down(unsigned int cpu, struct hlist_node *node)
{
	struct ntd_card *card = hlist_entry(node, struct ntd_card, cpu_node);
	unsigned int other = cpumask_any_but(cpu_online_mask, cpu);

	if (card->cpu != (int)cpu || other >= nr_cpu_ids)
		return 0;
	hrtimer_cancel(&card->timer);
	card->cpu = (int)other;
	if (card->is_registered)
		perf_pmu_migrate_context(&card->pmu, (int)cpu, (int)other);
	return 0;
}

/* ---- what sysfs shows ---- */

static ssize_t cpumask_show(struct device *dev, struct device_attribute *attr, char *text)
{
	struct ntd_card *card = card_of(dev_get_drvdata(dev));

	return cpumap_print_to_pagebuf(true, text, cpumask_of((unsigned int)card->cpu));
}

static ssize_t chip_show(struct device *dev, struct device_attribute *attr, char *text)
{
	return sysfs_emit(text, "%s\n", card_of(dev_get_drvdata(dev))->chip->name);
}

static ssize_t function_show(struct device *dev, struct device_attribute *attr, char *text)
{
	const struct ntd_card *card = card_of(dev_get_drvdata(dev));
	const struct ntd_device *device = card->device;

	/* Another card may be there by now, which has a PMU of its own. */
	if (!READ_ONCE(card->unit->is_here))
		return -ENODEV;
	return sysfs_emit(text, "%04x:%02x:%02x.%u\n", device->domain, device->bus,
			  PCI_SLOT(device->devfn), PCI_FUNC(device->devfn));
}

/* Which it has: of TPCs, memory partitions and MPs, a mask each. */
static ssize_t units_show(struct device *dev, struct device_attribute *attr, char *text)
{
	struct ntd_card *card = card_of(dev_get_drvdata(dev));
	const char *why;
	int ret;

	down_write(&card->unit->lock);
	ret = check_open(card, &why);
	if (!ret && list_empty(&card->users))
		leave(card);
	up_write(&card->unit->lock);
	return ret ?: sysfs_emit(text, "0x%x\n", card->units);
}

static DEVICE_ATTR_RO(cpumask);
static DEVICE_ATTR_RO(chip);
static DEVICE_ATTR_RO(function);
static DEVICE_ATTR_RO(units);
static struct attribute *card_attrs[] = { &dev_attr_cpumask.attr, &dev_attr_chip.attr,
					  &dev_attr_function.attr, &dev_attr_units.attr, NULL };
static const struct attribute_group card_group = { .attrs = card_attrs };

/* A file of one line. */
#define NTD_LINE(label, text)                                                                      \
	(&((struct perf_pmu_events_attr[]){                                                        \
		{ .attr = { .attr = { .name = (label), .mode = 0444 },                             \
			    .show = perf_event_sysfs_show },                                       \
		  .event_str = (text) } })[0].attr.attr)
/* By family NAME, NAME.unit, and conflict flags of NAME. */
#include "driver/card_events.h"

/* docs/adr/0019 */
static struct attribute *format_attrs[] = {
	NTD_LINE("src", "config:0-31"),
	NTD_LINE("op", "config:32-52"),
	NTD_LINE("domain", "config:53-55"),
	NTD_LINE("mode", "config:56-58"),
	NTD_LINE("unit", "config:59-62"),
	NTD_LINE("partition", "config:63"),
	NTD_LINE("amount", "config1:0-31"),
	NTD_LINE("groups", "config1:32-63"),
	NTD_LINE("mux", "config2:0-4"),
	NTD_LINE("sel", "config2:5-31"),
	NTD_LINE("mux2", "config2:32-36"),
	NTD_LINE("sel2", "config2:37-63"),
	NULL,
};

static const struct attribute_group format_group = { .name = "format", .attrs = format_attrs };

#define EVENTS(family)                                                                             \
	static const struct attribute_group family##_names = { .name = "events",                   \
							       .attrs = family##_events };         \
	static const struct attribute_group family##_flags = { .name = "conflicts",                \
							       .attrs = family##_conflicts };      \
	static const struct attribute_group *family##_groups[] = { &card_group, &format_group,     \
								   &family##_names,                \
								   &family##_flags, NULL }
EVENTS(nv_g80);
EVENTS(nv_g84);
EVENTS(nv_g200);
EVENTS(nv_gt215);
static const struct attribute_group **const card_groups[NTHW_NV_FERMI] = {
	[NTHW_NV_G80] = nv_g80_groups,
	[NTHW_NV_G84] = nv_g84_groups,
	[NTHW_NV_G200] = nv_g200_groups,
	[NTHW_NV_GT215] = nv_gt215_groups,
};

/* ---- which cards there are ---- */

/* The rows of the chip's counters; they are where the chip has them, so the place begins at 0. */
static const struct nthw_table *table_of(const struct nthw_nv_chip *chip)
{
	u32 index;
	const struct nthw_reg *counter = nthw_nv50_counter(chip, 0, &index);
	size_t i, k;

	for (i = 0; counter && i < chip->place_count; i++) {
		const struct nthw_table *rows = &chip->places[i].table->rows;

		for (k = 0; k < rows->count; k++)
			if (rows->regs[k] == counter && !chip->places[i].base)
				return rows;
	}
	return NULL;
}

const struct nthw_pci_device *ntd_card_known(const struct pci_dev *pdev)
{
	const struct nthw_nv_chip *chip;
	struct nthw_pci_device *known;

	if (pdev->vendor != NTHW_NV_VENDOR || pdev->class >> 16 != PCI_BASE_CLASS_DISPLAY)
		return NULL;
	chip = nthw_nv_chip_by_device(pdev->device);
	if (!chip)
		return NULL;
	known = &known_chips[chip - nthw_nv_chips];
	return known->table ? known : NULL;
}

static const struct nthw_nv_chip *chip_of(const struct nthw_pci_device *known)
{
	return &nthw_nv_chips[known - known_chips];
}

/* Who reads a count needs no more than it: what is set up is set up by one who counts. */
bool ntd_card_has(const struct nthw_pci_device *known, const struct nthw_reg *row, u32 index)
{
	return (row->role == NTHW_ROLE_COUNTER || row->role == NTHW_ROLE_GAUGE) &&
	       chip_of(known)->last[index];
}

bool ntd_card_is_one(const struct nthw_pci_device *known)
{
	return known >= known_chips && known < known_chips + nthw_nv_chip_count;
}

static int register_pmu(struct ntd_card *card)
{
	int ret = cpuhp_state_add_instance(cpu_state, &card->cpu_node);

	if (ret)
		return ret;
	cpus_read_lock();
	ret = perf_pmu_register(&card->pmu, card->name, -1);
	card->is_registered = !ret;
	cpus_read_unlock();
	if (ret)
		cpuhp_state_remove_instance_nocalls(cpu_state, &card->cpu_node);
	return ret;
}

int ntd_card_come(struct ntd_device *device)
{
	struct ntd_card *card = device->card;
	const struct nthw_nv_chip *chip = chip_of(device->known);
	int ret;

	if (card) {
		ntd_card_return(device);
		return 0;
	}
	card = kzalloc(sizeof(*card), GFP_KERNEL);
	if (!card)
		return -ENOMEM;
	card->pmu = (struct pmu){
		.module = THIS_MODULE,
		.task_ctx_nr = perf_invalid_context,
		.capabilities = PERF_PMU_CAP_NO_EXCLUDE | PERF_PMU_CAP_NO_INTERRUPT,
		.attr_groups = card_groups[chip->family],
		.event_init = event_init,
	};
	card->chip = chip;
	card->device = device;
	card->unit = ntd_tree_get(device->unit);
	card->cpu = -1;
	scnprintf(card->name, sizeof(card->name), "ntime_gpu%u", device->number);
	ntd_card_init_counting(card);
	device->card = card;
	ret = register_pmu(card);
	if (!ret)
		return 0;
	device->card = NULL;
	ntd_tree_put(card->unit);
	kfree(card);
	return ret;
}

void ntd_card_free(struct ntd_device *device)
{
	struct ntd_card *card = device->card;

	if (!card)
		return;
	/* Without calls: they would move events, of which there are none. */
	cpuhp_state_remove_instance_nocalls(cpu_state, &card->cpu_node);
	perf_pmu_unregister(&card->pmu);
	hrtimer_cancel(&card->timer);
	irq_work_sync(&card->fail_irq);
	cancel_work_sync(&card->failing);
	ntd_tree_put(card->unit);
	device->card = NULL;
	kfree(card);
}

int ntd_card_init(void)
{
	size_t i;

	known_chips = kcalloc(nthw_nv_chip_count, sizeof(*known_chips), GFP_KERNEL);
	if (!known_chips)
		return -ENOMEM;
	for (i = 0; i < nthw_nv_chip_count; i++)
		if (nthw_nv_has_wires(&nthw_nv_chips[i]))
			known_chips[i] = (struct nthw_pci_device){
				.vendor = NTHW_NV_VENDOR,
				.table = table_of(&nthw_nv_chips[i]),
				.vendor_names = "nvidia",
			};
	cpu_state = cpuhp_setup_state_multi(CPUHP_AP_ONLINE_DYN, "ntime/gpu:online", on_cpu_up,
					    on_cpu_down);
	if (cpu_state >= 0)
		return 0;
	kfree(known_chips);
	return cpu_state;
}

void ntd_card_exit(void)
{
	cpuhp_remove_multi_state(cpu_state);
	kfree(known_chips);
}
