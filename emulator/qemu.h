/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the plugin uses of QEMU's interface for TCG plugins, version 1, of which
 * Debian's packages have no header: docs/devel/tcg-plugins.rst and include/qemu/qemu-plugin.h of
 * QEMU 7.2.
 */
#ifndef NTE_QEMU_H
#define NTE_QEMU_H

#include <stddef.h>
#include <stdint.h>

#define NTE_QEMU_VERSION 1
#define NTE_EXPORT __attribute__((visibility("default")))

typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;

/* Its beginning, which is all that is looked at. */
typedef struct {
	const char *target_name;
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
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
					   void (*fn)(qemu_plugin_id_t id,
						      struct qemu_plugin_tb *tb));
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb,
					  void (*fn)(unsigned int vcpu, void *arg), int flags,
					  void *arg);
/* Adds @n to *@where, not atomically; @op is NTE_QEMU_ADD. */
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *tb, int op, void *where,
					      uint64_t n);
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
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *insn); /* in QEMU's memory */
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);

#endif
