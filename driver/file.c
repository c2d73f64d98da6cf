// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Register files: text, binary values, and pages that tell how to read with least cost. */
#include <linux/capability.h>
#include <linux/cpumask.h>
#include <linux/fs.h>
#include <linux/highmem.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "core/base/names.h"
#include "driver/access.h"
#include "driver/compat.h"
#include "driver/file.h"
#include "driver/status.h"
#include "driver/tree.h"
#include "driver/user.h"
#include "include/uapi/ntime.h"

/*
 * Longest number: 64 bits in octal or binary are nobody's, but "0x", 16 digits, newline and some
 * zeros are.
 */
#define INPUT_MAX 31

/* In a mapping the description is the first page, the device's the second. */
#define DESCRIPTION_PGOFF 0
#define DEVICE_PGOFF 1

/*
 * What one mmap(2) made, shared by the VMAs that split, move or fork from it; in vm_private_data. A
 * VMA holds the file, so @file is good.
 */
struct mapping {
	refcount_t users;
	struct ntd_file *file;
	struct ntd_user *user; /* who is charged for it */
	struct page *description;
	bool is_granted; /* user mode may use the counter's instruction, once for each VMA */
	struct ntd_grant *grant;
	/* It may show the device's page: what is kept awake for it. */
	struct ntd_device *device;
	struct pci_dev *pin;
};

static bool device_pages;
module_param(device_pages, bool, 0644);
MODULE_PARM_DESC(device_pages,
		 "let users without CAP_SYS_RAWIO map the memory of devices (default: no)");

/* ---- open and close ---- */

static int locked_down(const struct ntd_reg *reg)
{
	return security_locked_down(reg->unit->kind == NTD_UNIT_DEVICE ? LOCKDOWN_PCI_ACCESS :
									 LOCKDOWN_MSR);
}

/* -EACCES, -EPERM: whatever the permissions say. */
static int open_allowed(const struct ntd_reg *reg, fmode_t mode, const char **why)
{
	int ret;

	if ((mode & FMODE_READ) && !ntd_reg_is_readable(reg)) {
		*why = "it cannot be read";
		return -EACCES;
	}
	if (!(mode & FMODE_WRITE))
		return 0;
	if (!ntd_reg_is_writable(reg)) {
		*why = "it cannot be written";
		return -EACCES;
	}
	ret = locked_down(reg);
	if (ret)
		*why = "the kernel is locked down";
	return ret;
}

static bool is_pinned_to(unsigned int cpu)
{
	return cpumask_weight(current->cpus_ptr) == 1 && cpumask_test_cpu(cpu, current->cpus_ptr);
}

static bool reg_pmc(const struct ntd_reg *reg, struct ntd_pmc *pmc)
{
	return reg->unit->kind == NTD_UNIT_CORE && ntd_arch_is_pmc(reg->row, reg->index, pmc);
}

static int file_claim(struct ntd_file *file, struct file *opened, const char **why)
{
	struct ntd_reg *reg = file->reg;
	int ret = open_allowed(reg, opened->f_mode, why);

	if (ret)
		return ret;
	if (opened->f_mode & FMODE_WRITE)
		return ntd_access_claim(reg, file, file->generation, why);
	/* An inode of a unit that went meanwhile; one that came back has inodes of its own. */
	if (!READ_ONCE(reg->unit->is_here) ||
	    READ_ONCE(reg->unit->generation) != file->generation) {
		*why = "it went away";
		return -ENODEV;
	}
	return 0;
}

static void file_free(struct ntd_file *file)
{
	mutex_destroy(&file->lock);
	ntd_who_put(&file->who);
	kfree(file);
}

static int ntd_open(struct inode *inode, struct file *opened)
{
	struct ntd_reg *reg = inode->i_private;
	struct ntd_file *file = kzalloc(sizeof(*file), GFP_KERNEL_ACCOUNT);
	const char *why = "";
	int ret;

	if (!file)
		return -ENOMEM;
	file->reg = reg;
	file->generation = inode->i_generation;
	file->pages = inode->i_mapping;
	INIT_LIST_HEAD(&file->mapped);
	ntd_who_is_current(&file->who);
	mutex_init(&file->lock);
	ret = file_claim(file, opened, &why);
	if (ret) {
		ntd_status_refuse(reg, ret, why);
		file_free(file);
		return ret;
	}
	atomic_inc(&ntd_status_open);
	opened->private_data = file;
	return 0;
}

static int ntd_release(struct inode *inode, struct file *opened)
{
	struct ntd_file *file = opened->private_data;
	struct ntd_reg *reg = file->reg;

	mutex_lock(&reg->unit->mapped_lock);
	list_del(&file->mapped);
	mutex_unlock(&reg->unit->mapped_lock);
	if (opened->f_mode & FMODE_WRITE)
		ntd_access_give_up(reg, file);
	atomic_dec(&ntd_status_open);
	file_free(file);
	return 0;
}

/* ---- read and write ---- */

static const char *busy_reason(const struct ntd_reg *reg)
{
	if (reg->unit->kind == NTD_UNIT_DEVICE)
		return "the device's driver has claimed its memory for itself alone";
	return ntd_access_isolated;
}

/* The reasons that a program cannot find out are in "status". */
static int read_register(struct ntd_file *file, u64 *value)
{
	int ret = ntd_access_read(file->reg, file->generation, value);

	if (ret == -EBUSY)
		ntd_status_refuse(file->reg, ret, busy_reason(file->reg));
	return ret;
}

/* One value, as it is now, whatever the offset, without end. */
static ssize_t read_binary(struct ntd_file *file, char __user *to, size_t count)
{
	u64 value;
	int ret;

	if (count < sizeof(value))
		return -EINVAL;
	ret = read_register(file, &value);
	if (ret)
		return ret;
	return copy_to_user(to, &value, sizeof(value)) ? -EFAULT : sizeof(value);
}

/* Sampled at offset 0; what follows is the rest of that sample. */
static int sample_text(struct ntd_file *file, loff_t offset)
{
	u64 value;
	int ret;

	lockdep_assert_held(&file->lock);
	if (file->has_text && offset)
		return 0;
	ret = read_register(file, &value);
	if (ret)
		return ret;
	scnprintf(file->text, sizeof(file->text), "0x%016llx\n", value);
	file->has_text = true;
	return 0;
}

static ssize_t read_text(struct ntd_file *file, char __user *to, size_t count, loff_t *offset)
{
	char text[NTD_TEXT_BYTES];
	int ret;

	mutex_lock(&file->lock);
	ret = sample_text(file, *offset);
	memcpy(text, file->text, sizeof(text));
	mutex_unlock(&file->lock);
	if (ret)
		return ret;
	return simple_read_from_buffer(to, count, offset, text, sizeof(text));
}

static ssize_t ntd_read(struct file *opened, char __user *to, size_t count, loff_t *offset)
{
	struct ntd_file *file = opened->private_data;

	if (READ_ONCE(file->is_binary))
		return read_binary(file, to, count);
	return read_text(file, to, count, offset);
}

static int parse_text(const char __user *from, size_t count, u64 *value)
{
	char text[INPUT_MAX + 1];

	if (!count || count > INPUT_MAX)
		return -EINVAL;
	if (copy_from_user(text, from, count))
		return -EFAULT;
	text[count] = '\0';
	/*
	 * Else what follows a zero byte would be ignored. Too large a number is no number of 64
	 * bits either.
	 */
	if (strlen(text) != count || kstrtou64(text, 0, value))
		return -EINVAL;
	return 0;
}

static const char *write_refusal(const struct ntd_reg *reg, int error)
{
	switch (error) {
	case -EBUSY:
		return busy_reason(reg);
	case -EINVAL:
		return "bits are set that may not be";
	case -ENODEV:
		return "it went away";
	case -EPERM:
		return "the kernel is locked down";
	}
	return "the hardware refuses the value";
}

static ssize_t ntd_write(struct file *opened, const char __user *from, size_t count, loff_t *offset)
{
	struct ntd_file *file = opened->private_data;
	u64 value;
	int ret;

	if (!READ_ONCE(file->is_binary)) {
		ret = parse_text(from, count, &value);
		if (ret)
			return ret;
	} else if (count != sizeof(value)) {
		return -EINVAL;
	} else if (copy_from_user(&value, from, sizeof(value))) {
		return -EFAULT;
	}
	ret = locked_down(file->reg); /* it can have been since open */
	if (!ret)
		ret = ntd_access_write(file->reg, file, file->generation, value);
	if (ret) {
		ntd_status_refuse(file->reg, ret, write_refusal(file->reg, ret));
		return ret;
	}
	return count;
}

/* ---- mappings ---- */

static void mapping_put(struct mapping *mapping)
{
	if (!refcount_dec_and_test(&mapping->users))
		return;
	if (mapping->device)
		ntd_device_unpin(mapping->device, mapping->pin);
	ntd_arch_grant_put(mapping->grant);
	__free_page(mapping->description);
	ntd_user_uncharge(mapping->user);
	kfree(mapping);
}

static void vma_open(struct vm_area_struct *vma)
{
	struct mapping *mapping = vma->vm_private_data;

	refcount_inc(&mapping->users);
	if (mapping->is_granted)
		ntd_arch_grant_again(mapping->grant, vma->vm_mm,
				     mapping->file->reg->unit->number);
}

/* Its pages are unmapped already. */
static void vma_close(struct vm_area_struct *vma)
{
	struct mapping *mapping = vma->vm_private_data;

	if (mapping->is_granted)
		ntd_arch_revoke(mapping->grant, vma->vm_mm, mapping->file->reg->unit->number);
	mapping_put(mapping);
}

/*
 * The unit's lock keeps the page's device here until the page is in the table, from where
 * ntd_file_unmap() takes it.
 */
static vm_fault_t fault_device(struct vm_fault *vmf, const struct mapping *mapping)
{
	const struct ntd_file *file = mapping->file;
	struct ntd_reg *reg = file->reg;
	vm_fault_t ret = VM_FAULT_SIGBUS;
	unsigned long pfn;

	if (!mapping->device)
		return VM_FAULT_SIGBUS;
	down_read(&reg->unit->lock);
	if (reg->unit->is_here && reg->unit->generation == file->generation && reg->unit->device &&
	    !ntd_device_show(reg->unit->device, reg->addr, &pfn))
		ret = vmf_insert_pfn_prot(vmf->vma, vmf->address, pfn,
					  pgprot_noncached(vmf->vma->vm_page_prot));
	up_read(&reg->unit->lock);
	return ret;
}

static vm_fault_t vma_fault(struct vm_fault *vmf)
{
	struct mapping *mapping = vmf->vma->vm_private_data;

	if (vmf->pgoff == DESCRIPTION_PGOFF)
		return vmf_insert_pfn_prot(vmf->vma, vmf->address,
					   page_to_pfn(mapping->description),
					   vmf->vma->vm_page_prot);
	if (vmf->pgoff == DEVICE_PGOFF)
		return fault_device(vmf, mapping);
	return VM_FAULT_SIGBUS;
}

static const struct vm_operations_struct vma_operations = {
	.open = vma_open,
	.close = vma_close,
	.fault = vma_fault,
};

/*
 * Who reads a register by read(2) cannot be hurt by a device whose memory is switched off, nor hurt
 * the machine; who maps it can, and not all of that is to be prevented (docs/adr/0016). So the
 * permission to map is not the file's alone.
 */
static bool may_map_devices(void)
{
	return READ_ONCE(device_pages) || capable(CAP_SYS_RAWIO);
}

/* Which is the fastest reader, for this thread, now. */
static void describe_type(struct mapping *mapping, struct mm_struct *mm, struct ntime_page *page)
{
	struct ntd_reg *reg = mapping->file->reg;
	const struct ntd_unit *unit = reg->unit;
	struct ntd_pmc pmc;
	unsigned long pfn;
	u32 offset;

	page->type = reg->row->space == NTHW_SPACE_MSR ? NTIME_PAGE_MSR : NTIME_PAGE_PLAIN;
	page->width = reg->row->bits;
	if (unit->device && may_map_devices() &&
	    !ntd_device_page(unit->device, reg->addr, &pfn, &offset)) {
		page->type = NTIME_PAGE_MEMORY;
		page->load_bytes = 4;
		page->offset = offset;
		page->device = PAGE_SIZE;
		return;
	}
	if (unit->kind == NTD_UNIT_CORE && ntd_arch_is_tsc(reg->row))
		page->type = NTIME_PAGE_TSC;
	if (!reg_pmc(reg, &pmc))
		return;
	page->width = pmc.width;
	if (!is_pinned_to(unit->number) || ntd_arch_grant(mm, unit->number, &mapping->grant))
		return;
	mapping->is_granted = true;
	page->type = NTIME_PAGE_PMC;
	page->index = pmc.index;
}

static unsigned int describe_cpu(const struct ntd_unit *unit)
{
	unsigned int cpu;

	if (unit->kind == NTD_UNIT_CORE)
		return unit->number;
	if (unit->kind == NTD_UNIT_PACKAGE)
		for_each_online_cpu(cpu)
			if (ntd_package_of(cpu) == unit->number)
				return cpu;
	return 0;
}

/* Under the unit's lock. */
static void describe(struct mapping *mapping, struct mm_struct *mm)
{
	const struct ntd_reg *reg = mapping->file->reg;
	struct ntime_page *page = page_address(mapping->description);

	lockdep_assert_held(&reg->unit->lock);
	page->size = sizeof(*page);
	page->cpu = describe_cpu(reg->unit);
	page->address = reg->addr;
	nthw_reg_name(reg->row, reg->index, page->name, sizeof(page->name));
	describe_type(mapping, mm, page);
	flush_dcache_page(mapping->description);
}

static const char *map_refusal(int error)
{
	switch (error) {
	case -EAGAIN:
		return "the user has as many mappings as mappings_per_user allows";
	case -ENODEV:
		return "it went away";
	case -EINVAL:
		return "it has no page of a device";
	case -EPERM:
		return "mapping a device wants CAP_SYS_RAWIO, or device_pages set";
	}
	return "there is no memory";
}

/* Not under the unit's lock: memory may be long in coming. */
static struct mapping *mapping_new(struct ntd_file *file)
{
	struct mapping *mapping = kzalloc(sizeof(*mapping), GFP_KERNEL_ACCOUNT);
	int ret = -ENOMEM;

	if (!mapping)
		return ERR_PTR(-ENOMEM);
	mapping->user = ntd_user_charge();
	if (IS_ERR(mapping->user)) {
		ret = PTR_ERR(mapping->user);
		goto err_free;
	}
	mapping->description = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	if (!mapping->description)
		goto err_uncharge;
	refcount_set(&mapping->users, 1);
	mapping->file = file;
	return mapping;
err_uncharge:
	ntd_user_uncharge(mapping->user);
err_free:
	kfree(mapping);
	return ERR_PTR(ret);
}

static bool has_device_page(const struct ntd_reg *reg)
{
	unsigned long pfn;
	u32 offset;

	return reg->unit->device && !ntd_device_page(reg->unit->device, reg->addr, &pfn, &offset);
}

static bool shows_device(struct vm_area_struct *vma)
{
	return vma->vm_pgoff + vma_pages(vma) > DEVICE_PGOFF;
}

static int map_locked(struct mapping *mapping, struct vm_area_struct *vma)
{
	const struct ntd_file *file = mapping->file;
	struct ntd_unit *unit = file->reg->unit;
	bool has_page;

	lockdep_assert_held(&unit->lock);
	if (!unit->is_here || unit->generation != file->generation)
		return -ENODEV;
	has_page = shows_device(vma) && has_device_page(file->reg);
	if (vma->vm_pgoff == DEVICE_PGOFF && !has_page)
		return -EINVAL;
	if (vma->vm_pgoff == DEVICE_PGOFF && !may_map_devices())
		return -EPERM;
	if (has_page && may_map_devices()) {
		mapping->device = unit->device;
		mapping->pin = ntd_device_pin(unit->device);
	}
	/* The device's page alone tells nothing, so it grants nothing. */
	if (vma->vm_pgoff == DESCRIPTION_PGOFF)
		describe(mapping, vma->vm_mm);
	vma->vm_private_data = mapping;
	return 0;
}

static int map(struct ntd_file *file, struct vm_area_struct *vma)
{
	struct mapping *mapping = mapping_new(file);
	int ret;

	if (IS_ERR(mapping))
		return PTR_ERR(mapping);
	down_read(&file->reg->unit->lock);
	ret = map_locked(mapping, vma);
	up_read(&file->reg->unit->lock);
	if (ret)
		mapping_put(mapping);
	return ret;
}

static void remember_mapped(struct ntd_file *file)
{
	struct ntd_unit *unit = file->reg->unit;

	mutex_lock(&unit->mapped_lock);
	if (list_empty(&file->mapped))
		list_add(&file->mapped, &unit->mapped);
	mutex_unlock(&unit->mapped_lock);
}

void ntd_file_unmap(struct ntd_unit *unit)
{
	struct ntd_file *file;

	mutex_lock(&unit->mapped_lock);
	list_for_each_entry(file, &unit->mapped, mapped)
		unmap_mapping_range(file->pages, DEVICE_PGOFF << PAGE_SHIFT, 0, 1);
	mutex_unlock(&unit->mapped_lock);
}

static int ntd_mmap(struct file *opened, struct vm_area_struct *vma)
{
	struct ntd_file *file = opened->private_data;
	unsigned long pages = vma_pages(vma);
	int ret;

	if (vma->vm_flags & (VM_WRITE | VM_EXEC))
		return -EACCES;
	if (vma->vm_pgoff > DEVICE_PGOFF || vma->vm_pgoff + pages > DEVICE_PGOFF + 1)
		return -EINVAL;

	ret = map(file, vma);
	if (ret) {
		ntd_status_refuse(file->reg, ret, map_refusal(ret));
		return ret;
	}
	/*
	 * Without VM_MAYWRITE a private mapping is no copy on write, which mappings of bare frames
	 * must not be.
	 */
	ntd_vma_flags(vma, VM_IO | VM_PFNMAP | VM_DONTEXPAND | VM_DONTDUMP,
		      VM_MAYWRITE | VM_MAYEXEC);
	vma->vm_ops = &vma_operations;
	remember_mapped(file); /* before there is a page to be taken away */
	WRITE_ONCE(file->is_binary, true);
	return 0;
}

const struct file_operations ntd_file_operations = {
	.owner = THIS_MODULE,
	.open = ntd_open,
	.release = ntd_release,
	.read = ntd_read,
	.write = ntd_write,
	.mmap = ntd_mmap,
	.llseek = default_llseek,
};
