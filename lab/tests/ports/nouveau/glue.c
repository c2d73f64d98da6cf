// SPDX-License-Identifier: MIT
/*
 * A device of nouveau that has no unit but PM, and what the files that are compiled here would find
 * in others of the driver. Compiled by "build", with stubs.h in front.
 */
#include <core/client.h>
#include <core/ioctl.h>
#include <engine/pm.h>
#include <subdev/mc.h>
#include <subdev/timer.h>

#include <engine/device/ctrl.h>
#include <engine/device/priv.h>

#include "nouveau.h"

#define EXPORTED __attribute__((visibility("default")))

struct nouveau {
	struct judge_io io;
	struct nvkm_device device;
	struct nvkm_pm *pm;
	struct nvkm_client *client;
};

/* The choice is that of drivers/gpu/drm/nouveau/nvkm/engine/device/base.c. */
static const struct table {
	u32 chipset;
	int (*make)(struct nvkm_device *, enum nvkm_subdev_type, int, struct nvkm_pm **);
} tables[] = {
	{ 0x50, nv50_pm_new },	{ 0x84, g84_pm_new },	{ 0x86, g84_pm_new },
	{ 0x92, g84_pm_new },	{ 0x94, g84_pm_new },	{ 0x96, g84_pm_new },
	{ 0x98, g84_pm_new },	{ 0xa0, gt200_pm_new }, { 0xa3, gt215_pm_new },
	{ 0xa5, gt215_pm_new }, { 0xa8, gt215_pm_new }, { 0xaa, g84_pm_new },
	{ 0xac, g84_pm_new },	{ 0xaf, gt215_pm_new },
};

/* The card whose client is being served: registers are reached by offset alone. */
static struct nouveau *current;

u32 ntime_read(u32 offset, unsigned int bytes)
{
	assert(bytes == 4);
	return current->io.read(current->io.card, offset);
}

void ntime_write(u32 offset, u32 value, unsigned int bytes)
{
	assert(bytes == 4);
	current->io.write(current->io.card, offset, value);
}

/* ---- what the linker misses ---- */

struct nvkm_device *nvkm_device_find(u64 name)
{
	return name == (uintptr_t)current ? &current->device : NULL;
}

int nvkm_device_list(u64 *name, int size)
{
	if (size > 0)
		*name = (uintptr_t)current;
	return 1;
}

int nvkm_device_init(struct nvkm_device *device)
{
	return device ? 0 : -ENODEV;
}

int nvkm_device_fini(struct nvkm_device *device, bool suspend)
{
	return device && !suspend ? 0 : -EINVAL;
}

struct nvkm_subdev *nvkm_device_subdev(struct nvkm_device *device, int type, int inst)
{
	(void)device, (void)type, (void)inst;
	return NULL;
}

struct nvkm_engine *nvkm_device_engine(struct nvkm_device *device, int type, int inst)
{
	struct nouveau *n = container_of(device, struct nouveau, device);

	return type == NVKM_ENGINE_PM && inst == 0 ? &n->pm->engine : NULL;
}

void nvkm_mc_reset(struct nvkm_device *device, enum nvkm_subdev_type type, int inst)
{
	(void)device, (void)type, (void)inst;
}

u64 nvkm_timer_read(struct nvkm_timer *timer)
{
	(void)timer;
	return 0;
}

static int no_control(struct nvkm_device *device, const struct nvkm_oclass *oclass, void *data,
		      u32 size, struct nvkm_object **object)
{
	(void)device, (void)oclass, (void)data, (void)size, (void)object;
	return -ENODEV;
}

const struct nvkm_device_oclass nvkm_control_oclass = {
	.base = { .oclass = -1, .minver = 0, .maxver = 0 },
	.ctor = no_control,
};

/* ---- what is exported ---- */

static int no_event(const void *header, u32 bytes, const void *data, u32 size)
{
	(void)header, (void)bytes, (void)data, (void)size;
	return -ENODEV;
}

static const struct table *table_of(u32 chipset)
{
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
		if (tables[i].chipset == chipset)
			return &tables[i];
	return NULL;
}

EXPORTED void nouveau_free(struct nouveau *n)
{
	struct nvkm_subdev *pm = n && n->pm ? &n->pm->engine.subdev : NULL;
	struct nvkm_object *client = n && n->client ? &n->client->object : NULL;

	current = n;
	if (client) {
		nvkm_object_fini(client, false);
		nvkm_object_del(&client);
	}
	nvkm_subdev_del(&pm);
	free(n);
	current = NULL;
}

EXPORTED struct nouveau *nouveau_new(uint32_t boot_0, const struct judge_io *io)
{
	u32 chipset = (boot_0 & 0x1ff00000) >> 20;
	const struct table *table = table_of(chipset);
	struct nouveau *n = table ? calloc(1, sizeof(*n)) : NULL;

	if (!n)
		return NULL;
	n->io = *io;
	n->device.card_type = NV_50;
	n->device.chipset = chipset;
	n->device.handle = (uintptr_t)n;
	mutex_init(&n->device.mutex);
	INIT_LIST_HEAD(&n->device.subdev);
	current = n;
	if (table->make(&n->device, NVKM_ENGINE_PM, -1, &n->pm) ||
	    nvkm_client_new("ntime", (uintptr_t)n, NULL, NULL, no_event, &n->client)) {
		nouveau_free(n);
		return NULL;
	}
	return n;
}

EXPORTED int nouveau_ioctl(struct nouveau *n, void *message, uint32_t bytes)
{
	int ret;

	current = n;
	ret = nvkm_ioctl(n->client, message, bytes, NULL);
	current = NULL;
	return ret;
}
