// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Glue between QEMU's x86 CPUs (TCG) and the models of core PMU, Nehalem uncore, heat, energy and
 * idle time. insert.py puts the calls into QEMU.
 *
 * What counts: under -icount each instruction that a CPU executes, and 2^shift cycles for each;
 * otherwise each nanosecond of virtual time is an instruction and a cycle, also while the CPU is
 * halted, so that registers, reads and interrupts work but counts mean nothing. Uncore clocks and
 * the TSC are nanoseconds of virtual time in both, and all that has no truth of its own in QEMU is
 * made from them (ntime_x86_truth.c).
 *
 * A CPU's PMU is touched on that CPU's thread alone (another thread that wants something queues
 * work), so it needs no lock. What the CPUs of a socket share has one.
 */
#include <qemu/osdep.h>
#include <cpu.h>
#include <exec/exec-all.h>
#include <hw/core/cpu.h>
#include <qemu/log.h>
#include <qemu/main-loop.h>
#include <qemu/timer.h>
#include <sysemu/cpu-timers.h>
#include <sysemu/reset.h>
#include <sysemu/tcg.h>

#include "core/models/nhm_uncore.h"
#include "lab/qemu/ntime_x86.h"
#include "lab/qemu/ntime_x86_truth.h"
#include "core/models/x86_pmu.h"
#include "core/models/x86_power.h"

#define MSR_TSC 0x10

struct ntime_x86 {
	X86CPU *cpu;
	struct ntm_x86_pmu pmu;
	int64_t seen;  /* of now(): the PMU knows what happened until then */
	int64_t alarm; /* virtual nanoseconds at which @timer fires; 0: it is off */
	QEMUTimer *timer;
	struct socket *socket; /* NULL: nothing is known of this CPU's but the PMU */
	struct ntm_x86_power_core power;
	int64_t power_seen; /* virtual nanoseconds */
};

struct socket {
	GMutex lock;
	bool has_uncore;
	struct ntm_nhm_uncore box;
	struct ntm_x86_power_package power;
	int64_t seen; /* virtual nanoseconds */
	unsigned int number;
};

static void on_alarm(void *opaque);

/* ---- what runs ---- */

/*
 * Virtual nanoseconds. Under icount QEMU allows the question only in instructions that were
 * translated for it, because elsewhere the count is that of the end of the block. All our callers
 * are at the end of a block: those instructions, and changes of privilege.
 */
static int64_t virtual_ns(CPUState *cs)
{
	uint32_t before = cs->can_do_io;
	int64_t ns;

	cs->can_do_io = 1;
	ns = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
	cs->can_do_io = before;
	return ns;
}

/* Instructions that this CPU executed (icount), or virtual nanoseconds. */
static int64_t now(struct ntime_x86 *x)
{
	CPUState *cs = CPU(x->cpu);

	if (!icount_enabled())
		return virtual_ns(cs);
	return cs->ntime_executed + cs->icount_budget -
	       (cpu_neg(cs)->icount_decr.u16.low + cs->icount_extra);
}

/* One step of now(). */
static struct ntm_x86_work step(void)
{
	uint64_t cycles = icount_enabled() ? (uint64_t)icount_to_ns(1) : 1;

	return (struct ntm_x86_work){ 1, cycles, cycles };
}

static bool is_user(struct ntime_x86 *x)
{
	return x->cpu->env.hflags & HF_CPL_MASK;
}

/* Tell the PMU what happened since it was last told. */
static void account(struct ntime_x86 *x)
{
	struct ntm_x86_work work = step();
	int64_t until = now(x);
	uint64_t steps = (uint64_t)(until - x->seen);

	x->seen = until;
	work.instructions *= steps;
	work.cycles *= steps;
	work.ref_cycles *= steps;
	ntm_x86_pmu_advance(&x->pmu, is_user(x), &work);
}

/* ---- overflow interrupt ---- */

/* Let the timer fire where the next interrupting overflow will be, if everything stays as it is. */
static void set_alarm(struct ntime_x86 *x, bool user)
{
	struct ntm_x86_work each = step();
	uint64_t steps = ntm_x86_pmu_until_overflow(&x->pmu, user, &each);
	int64_t alarm = 0;

	if (steps < (uint64_t)INT64_MAX >> 16)
		alarm = virtual_ns(CPU(x->cpu)) + (int64_t)(steps * each.cycles);
	if (alarm == x->alarm)
		return;
	x->alarm = alarm;
	if (alarm)
		timer_mod_ns(x->timer, alarm);
	else
		timer_del(x->timer);
}

/* On the CPU's own thread, between blocks, with the big lock held: interrupts may be raised. */
static void tick(CPUState *cs, run_on_cpu_data data)
{
	struct ntime_x86 *x = data.host_ptr;

	account(x);
	if (ntm_x86_pmu_take_pmi(&x->pmu) && x->cpu->apic_state)
		ntime_x86_deliver_pmi(x->cpu->apic_state, x->pmu.config.kind == NTM_X86_INTEL_V2);
	set_alarm(x, is_user(x));
}

/* On any thread. */
static void on_alarm(void *opaque)
{
	struct ntime_x86 *x = opaque;

	x->alarm = 0;
	async_run_on_cpu(CPU(x->cpu), tick, RUN_ON_CPU_HOST_PTR(x));
}

/*
 * After registers or the level of privilege changed. Interrupts need the big lock, which helpers do
 * not hold: queue them.
 */
static void settle(struct ntime_x86 *x, bool user)
{
	if (x->pmu.pmi)
		async_run_on_cpu(CPU(x->cpu), tick, RUN_ON_CPU_HOST_PTR(x));
	set_alarm(x, user);
}

/* ---- what CPUs of a socket share, and what is beside the PMU ---- */

static uint32_t model_of(const CPUX86State *env)
{
	uint32_t version = env->cpuid_version;

	if (!IS_INTEL_CPU(env) || (version >> 8 & 0xf) != 6)
		return 0;
	return (version >> 4 & 0xf) | (version >> 12 & 0xf0);
}

/* Nehalem and Westmere but -EX, as Linux' uncore driver binds them. */
static bool has_uncore(const CPUX86State *env)
{
	static const uint8_t models[] = { 0x1a, 0x1e, 0x1f, 0x25, 0x2c };
	size_t i;

	for (i = 0; i < sizeof(models); i++)
		if (models[i] == model_of(env))
			return true;
	return false;
}

static const struct ntm_x86_power_config *power_of(const CPUX86State *env)
{
	if (has_uncore(env))
		return &ntm_x86_power_nehalem;
	return model_of(env) == 0x2d ? &ntm_x86_power_snbep : NULL;
}

/* All that counts begins anew, as if it had counted since the machine was started. */
static void reset_socket(void *opaque)
{
	struct socket *s = opaque;

	g_mutex_lock(&s->lock);
	ntm_nhm_uncore_reset(&s->box);
	ntm_x86_power_package_reset(&s->power, s->power.config);
	ntime_x86_begin_package(&s->power);
	s->seen = 0;
	g_mutex_unlock(&s->lock);
}

/* CPUs are made one after another under the big lock, so the list needs no other. */
static struct socket *get_socket(const X86CPU *cpu)
{
	static struct socket *sockets[NTIME_X86_SOCKETS];
	unsigned int n = cpu->socket_id > 0 ? (unsigned int)cpu->socket_id : 0;

	if (n >= NTIME_X86_SOCKETS)
		return NULL;
	if (!sockets[n]) {
		sockets[n] = g_new0(struct socket, 1);
		g_mutex_init(&sockets[n]->lock);
		sockets[n]->number = n;
		sockets[n]->has_uncore = has_uncore(&cpu->env);
		sockets[n]->power.config = power_of(&cpu->env);
		reset_socket(sockets[n]);
		qemu_register_reset(reset_socket, sockets[n]);
	}
	return sockets[n];
}

/*
 * Tell the socket what happened until @ns; its lock is held. Another CPU of it may have asked later
 * and been here first.
 */
static void account_socket(struct socket *s, int64_t ns)
{
	struct ntm_x86_package_work power;
	struct ntm_nhm_work work;

	if (ns <= s->seen)
		return;
	ntime_x86_uncore_truth(s->number, (uint64_t)s->seen, (uint64_t)ns, &work);
	ntm_nhm_uncore_advance(&s->box, &work);
	ntime_x86_package_truth(s->number, (uint64_t)s->seen, (uint64_t)ns, &power);
	ntm_x86_power_package_advance(&s->power, &power);
	s->seen = ns;
}

static int socket_msr(struct ntime_x86 *x, uint32_t addr, uint64_t *value, bool is_write)
{
	struct socket *s = x->socket;
	int ret = NTM_NOT_MINE;

	g_mutex_lock(&s->lock);
	account_socket(s, virtual_ns(CPU(x->cpu)));
	if (s->has_uncore)
		ret = is_write ? ntm_nhm_uncore_wrmsr(&s->box, addr, *value)
			       : ntm_nhm_uncore_rdmsr(&s->box, addr, value);
	if (ret == NTM_NOT_MINE)
		ret = is_write ? ntm_x86_power_package_wrmsr(&s->power, addr, *value)
			       : ntm_x86_power_package_rdmsr(&s->power, addr, value);
	g_mutex_unlock(&s->lock);
	return ret;
}

static int core_msr(struct ntime_x86 *x, uint32_t addr, uint64_t *value, bool is_write)
{
	unsigned int core = x->cpu->core_id > 0 ? (unsigned int)x->cpu->core_id : 0;
	int64_t ns = virtual_ns(CPU(x->cpu));
	struct ntm_x86_core_work work;

	if (ns > x->power_seen) {
		ntime_x86_core_truth(x->socket->number, core, (uint64_t)x->power_seen, (uint64_t)ns,
				     &work);
		ntm_x86_power_core_advance(&x->power, &work);
		x->power_seen = ns;
	}
	return is_write ? ntm_x86_power_core_wrmsr(&x->power, addr, *value)
			: ntm_x86_power_core_rdmsr(&x->power, addr, value);
}

/* What is neither QEMU's nor the PMU's. */
static int other_msr(struct ntime_x86 *x, uint32_t addr, uint64_t *value, bool is_write)
{
	int ret;

	if (!x->socket)
		return NTM_NOT_MINE;
	ret = core_msr(x, addr, value, is_write);
	return ret == NTM_NOT_MINE ? socket_msr(x, addr, value, is_write) : ret;
}

/*
 * A core's log bits are as before the machine was started until somebody clears them; all that
 * counts begins anew.
 */
static void reset_core(struct ntime_x86 *x)
{
	if (!x->socket)
		return;
	ntm_x86_power_core_reset(&x->power, x->socket->power.config);
	ntime_x86_begin_core(x->socket->number, &x->power);
	x->power_seen = 0;
}

/* ---- called from QEMU ---- */

static const struct ntm_x86_config *config_of(const CPUX86State *env)
{
	if (IS_INTEL_CPU(env))
		return &ntm_x86_intel;
	if (!IS_AMD_CPU(env))
		return NULL;
	return env->features[FEAT_8000_0001_ECX] & CPUID_EXT3_PERFCORE ? &ntm_x86_amd_core
								       : &ntm_x86_amd_legacy;
}

/* The models of @cpu, made when its features are final. */
static struct ntime_x86 *make(X86CPU *cpu)
{
	const struct ntm_x86_config *config = config_of(&cpu->env);
	struct ntime_x86 *x;

	if (!tcg_enabled() || !cpu->enable_pmu || !config)
		return NULL;
	x = g_new0(struct ntime_x86, 1);
	x->cpu = cpu;
	if (ntm_x86_pmu_init(&x->pmu, config) != 0)
		g_assert_not_reached();
	x->timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, on_alarm, x);
	if (power_of(&cpu->env))
		x->socket = get_socket(cpu);
	return x;
}

void ntime_x86_reset(X86CPU *cpu)
{
	if (!cpu->ntime)
		cpu->ntime = make(cpu);
	if (!cpu->ntime)
		return;
	ntm_x86_pmu_reset(&cpu->ntime->pmu);
	reset_core(cpu->ntime);
	cpu->ntime->seen = now(cpu->ntime);
	cpu->ntime->alarm = 0;
	timer_del(cpu->ntime->timer);
}

void ntime_x86_free(X86CPU *cpu)
{
	if (!cpu->ntime)
		return;
	timer_free(cpu->ntime->timer);
	g_free(cpu->ntime);
	cpu->ntime = NULL;
}

bool ntime_x86_cpuid_a(X86CPU *cpu, uint32_t *eax, uint32_t *ebx, uint32_t *ecx, uint32_t *edx)
{
	struct ntm_cpuid leaf;

	if (!cpu->ntime)
		return false;
	leaf = ntm_x86_pmu_cpuid(&cpu->ntime->pmu);
	*eax = leaf.eax;
	*ebx = leaf.ebx;
	*ecx = leaf.ecx;
	*edx = leaf.edx;
	return true;
}

void ntime_x86_cpuid_6(X86CPU *cpu, uint32_t *eax, uint32_t *ebx, uint32_t *ecx)
{
	struct ntm_cpuid leaf;

	if (!cpu->ntime || !cpu->ntime->socket)
		return;
	leaf = ntm_x86_power_cpuid(cpu->ntime->socket->power.config);
	*eax |= leaf.eax;
	*ebx |= leaf.ebx;
	*ecx |= leaf.ecx;
}

uint64_t ntime_x86_tsc(void)
{
	return (uint64_t)qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
}

/* Just before CPL changes between two blocks, on the CPU's thread. */
void ntime_x86_level(CPUX86State *env)
{
	struct ntime_x86 *x = env_archcpu(env)->ntime;

	if (!x || !qemu_cpu_is_self(CPU(x->cpu)))
		return;
	account(x);
	settle(x, !is_user(x));
}

/*
 * The answer of a model, else what is known of the register without one. False: #GP. "-d unimp"
 * logs what nobody knows.
 */
static bool finish(X86CPU *cpu, int ret, uint32_t addr, const char *verb)
{
	if (ret != NTM_NOT_MINE)
		return ret == 0;
	if (ntime_x86_is_tolerated(&cpu->env, addr))
		return true;
	qemu_log_mask(LOG_UNIMP, "ntime: unknown MSR 0x%x %s at rip 0x%" PRIx64 "\n", addr, verb,
		      (uint64_t)cpu->env.eip);
	return !cpu->ntime_strict_msr;
}

bool ntime_x86_rdmsr(CPUX86State *env, uint32_t addr, uint64_t *value)
{
	X86CPU *cpu = env_archcpu(env);
	struct ntime_x86 *x = cpu->ntime;
	int ret = NTM_NOT_MINE;

	*value = 0;
	if (addr == MSR_TSC) {
		*value = cpu_get_tsc(env) + env->tsc_offset;
		return true;
	}
	if (x) {
		account(x);
		ret = ntm_x86_pmu_rdmsr(&x->pmu, addr, value);
		if (ret == NTM_NOT_MINE)
			ret = other_msr(x, addr, value, false);
		settle(x, is_user(x));
	}
	return finish(cpu, ret, addr, "read");
}

bool ntime_x86_wrmsr(CPUX86State *env, uint32_t addr, uint64_t value)
{
	X86CPU *cpu = env_archcpu(env);
	struct ntime_x86 *x = cpu->ntime;
	int ret = NTM_NOT_MINE;

	if (addr == MSR_TSC) /* the TSC of a guest is virtual time and stays it */
		return true;
	if (x) {
		account(x);
		ret = ntm_x86_pmu_wrmsr(&x->pmu, addr, value);
		if (ret == NTM_NOT_MINE)
			ret = other_msr(x, addr, &value, true);
		settle(x, is_user(x));
	}
	return finish(cpu, ret, addr, "written");
}

int ntime_x86_rdpmc(CPUX86State *env)
{
	struct ntime_x86 *x = env_archcpu(env)->ntime;
	uint64_t value;

	if (!x)
		return 2;
	account(x);
	if (ntm_x86_pmu_rdpmc(&x->pmu, (uint32_t)env->regs[R_ECX], &value) != 0)
		return 1;
	env->regs[R_EAX] = (uint32_t)value;
	env->regs[R_EDX] = (uint32_t)(value >> 32);
	settle(x, is_user(x));
	return 0;
}
