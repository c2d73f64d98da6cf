/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the plugin uses of QEMU's interface for TCG plugins, of which Debian's packages have no
 * header: docs/devel/tcg-plugins.rst and include/qemu/qemu-plugin.h of QEMU 7.2 (version 1 of it)
 * and 10.0 (version 4, which takes plugins of version 2 and later).
 */
#ifndef NTE_QEMU_H
#define NTE_QEMU_H

#include <stddef.h>
#include <stdint.h>

#define NTE_QEMU_FIRST 1
#define NTE_QEMU_SCOREBOARDS 2
#define NTE_QEMU_COPIES 3
/* In 7 all callbacks have other arguments. */
#define NTE_QEMU_LAST 6
#define NTE_EXPORT __attribute__((visibility("default")))

typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;

/* Its beginning, which is all that is looked at. */
typedef struct {
	const char *target_name;
	struct {
		int min, cur;
	} version;
} qemu_info_t;

/* What QEMU calls when it has loaded the plugin. 0; else it ends. */
NTE_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
				   char **argv);

/* Callbacks do not touch the registers of the program. */
#define NTE_QEMU_NO_REGISTERS 0
#define NTE_QEMU_ADD 0
#define NTE_QEMU_LOAD 1
#define NTE_QEMU_STORE 2
/* Of a callback's @info; an atomic exchange is both (make_plugin_meminfo(), accel/tcg). */
#define NTE_QEMU_ACCESS(info) ((info) >> 16 & 3)

void qemu_plugin_register_vcpu_init_cb(qemu_plugin_id_t id,
				       void (*fn)(qemu_plugin_id_t id, unsigned int vcpu));
void qemu_plugin_register_vcpu_exit_cb(qemu_plugin_id_t id,
				       void (*fn)(qemu_plugin_id_t id, unsigned int vcpu));
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
					   void (*fn)(qemu_plugin_id_t id,
						      struct qemu_plugin_tb *tb));
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb,
					  void (*fn)(unsigned int vcpu, void *arg), int flags,
					  void *arg);
/* Adds @n to *@where, not atomically; @op is NTE_QEMU_ADD. In the first version alone. */
__attribute__((weak)) void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *tb,
								    int op, void *where,
								    uint64_t n);
/*
 * Adds @n to what is at @to.offset in the thread's element of @to.score, not atomically. QEMU does
 * not look whether that is in the element (gen_plugin_u64_ptr(), of the code generator for
 * plugins): it adds to where the first element begins, and the thread's number times the size of
 * one.
 */
struct qemu_plugin_scoreboard;
typedef struct {
	struct qemu_plugin_scoreboard *score;
	size_t offset;
} qemu_plugin_u64;
__attribute__((weak)) void
qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(struct qemu_plugin_tb *tb, int op,
						  qemu_plugin_u64 to, uint64_t n);
__attribute__((weak)) struct qemu_plugin_scoreboard *qemu_plugin_scoreboard_new(size_t bytes);
/* Where the element of a thread is, until there are more threads: what was translated goes then. */
__attribute__((weak)) void *qemu_plugin_scoreboard_find(struct qemu_plugin_scoreboard *score,
							unsigned int vcpu);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
					    void (*fn)(unsigned int vcpu, void *arg), int flags,
					    void *arg);
/*
 * @fn for each access that the instruction makes. @rw is to be both: 7.2 takes others for what they
 * are not (its op_rw(), of the code generator for plugins).
 */
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn,
				      void (*fn)(unsigned int vcpu, uint32_t info, uint64_t where,
						 void *arg),
				      int flags, int rw, void *arg);
void qemu_plugin_register_flush_cb(qemu_plugin_id_t id, void (*fn)(qemu_plugin_id_t id));
void qemu_plugin_register_vcpu_syscall_cb(qemu_plugin_id_t id,
					  void (*fn)(qemu_plugin_id_t id, unsigned int vcpu,
						     int64_t number, uint64_t a1, uint64_t a2,
						     uint64_t a3, uint64_t a4, uint64_t a5,
						     uint64_t a6, uint64_t a7, uint64_t a8));
void qemu_plugin_register_vcpu_syscall_ret_cb(qemu_plugin_id_t id,
					      void (*fn)(qemu_plugin_id_t id, unsigned int vcpu,
							 int64_t number, int64_t ret));
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t i);
/*
 * The address of the instruction's bytes; from NTE_QEMU_COPIES on it copies them to @out, and
 * returns how many. Before, it takes no more than @insn, and further arguments change nothing.
 */
uintptr_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *out, size_t bytes);
void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *insn); /* in QEMU's memory */
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);

#endif
