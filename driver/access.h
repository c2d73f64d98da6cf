/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Registers read, written and given back, on the CPU that has them. */
#ifndef NTD_ACCESS_H
#define NTD_ACCESS_H

#include "driver/ntd.h"

struct ntd_file;

/**
 * ntd_reg_is_readable() - does reading it tell anything?
 * @reg: any register
 *
 * Return: whether it can be opened for reading.
 */
bool ntd_reg_is_readable(const struct ntd_reg *reg);

/**
 * ntd_reg_is_writable() - may anything of it be written?
 * @reg: any register
 *
 * Return: whether it can be opened for writing; no row that is a guess can.
 */
bool ntd_reg_is_writable(const struct ntd_reg *reg);

#define NTD_NAME_SIZE 96

/**
 * ntd_reg_name() - folder and name: "core0/IA32_PMC1"
 * @reg: any register
 * @text: where to, cut off where it does not fit
 * @size: of @text; NTD_NAME_SIZE is enough
 *
 * Return: length of the whole.
 */
int ntd_reg_name(const struct ntd_reg *reg, char *text, size_t size);

/**
 * ntd_package_of() - package of a CPU, as sysfs numbers it
 * @cpu: any
 *
 * Return: the number; 0 where the machine does not tell.
 */
unsigned int ntd_package_of(unsigned int cpu);

/* Why a register of a CPU is -EBUSY for who reads or writes it. */
extern const char ntd_access_isolated[];

/**
 * ntd_access_read() - read a register where it is
 * @reg: of any unit
 * @generation: of the unit when the descriptor was opened
 * @value: written on success only
 *
 * Context: sleeps; takes cpu_hotplug_lock and ntd_unit.lock unless the register is one of this CPU.
 * Return: 0, -ENODEV (it went away since), -EIO (the hardware refuses), -EBUSY (it is of an
 * isolated CPU that is to be spared, or what is said of a device).
 */
int ntd_access_read(struct ntd_reg *reg, unsigned int generation, u64 *value);

/**
 * ntd_access_write() - set the caller's bits of a register
 * @reg: of any unit
 * @file: its writer
 * @generation: of the unit when the descriptor was opened
 * @value: bits that may not be set must be clear, or as they are
 *
 * What the register held before the first write is kept, for ntd_access_give_up() to put back.
 *
 * Return: 0, -EINVAL (nothing is written), -ENODEV, -EIO, -EBUSY (as for reading).
 */
int ntd_access_write(struct ntd_reg *reg, struct ntd_file *file, unsigned int generation,
		     u64 value);

/**
 * ntd_access_claim() - become the writer of a register
 * @reg: of any unit
 * @file: who
 * @generation: of the unit when the descriptor was opened
 * @why: set on failure: the reason, a string that stays
 *
 * Return: 0, -EBUSY (there is a writer, perf has the PMU, or the box runs for someone else),
 * -ENODEV, -EIO, -ENOMEM, -EINTR (the program is killed).
 *
 * Context: no locks held, mmap_lock neither.
 */
int ntd_access_claim(struct ntd_reg *reg, struct ntd_file *file, unsigned int generation,
		     const char **why);

/**
 * ntd_access_give_up() - stop being the writer, and put back what was there
 * @reg: of any unit
 * @file: who; nothing happens if the register was taken from it when it went away
 */
void ntd_access_give_up(struct ntd_reg *reg, struct ntd_file *file);

/**
 * ntd_access_cut() - a unit goes: nobody reads or writes it any more
 * @unit: here
 * @is_reachable: put back what writers changed
 *
 * Context: under ntd_tree_lock. For registers of CPUs in the hotplug callback of the CPU (or when
 * no descriptor is open).
 */
void ntd_access_cut(struct ntd_unit *unit, bool is_reachable);

/**
 * ntd_access_resume() - write again what writers had written, after the hardware lost it
 * @unit: here
 *
 * Context: on a CPU that has the registers, while no other thread uses them (programs are frozen);
 * no locks of units are taken. Sleeps for a device, nowhere else.
 */
void ntd_access_resume(struct ntd_unit *unit);

#endif
