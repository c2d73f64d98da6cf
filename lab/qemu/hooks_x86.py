# SPDX-License-Identifier: GPL-2.0-or-later
"""Places of the x86 models: CPUID, MSRs, RDPMC, changes of privilege, overflow interrupt."""
from insert import Hook

COPIES = {'configs/devices/x86_64-softmmu/ntime.mak': 'ntime-x86_64.mak'}

CPU_C = 'target/i386/cpu.c'
CPU_H = 'target/i386/cpu.h'
MSR_C = 'target/i386/tcg/sysemu/misc_helper.c'
TRANSLATE_C = 'target/i386/tcg/translate.c'

SOURCES = [
    'lab/qemu/ntime_x86.c', 'lab/qemu/ntime_x86_msr.c', 'lab/qemu/ntime_x86_truth.c',
    'core/models/x86_pmu.c', 'core/models/x86_power.c', 'core/models/nhm_uncore.c',
    'core/regs/x86.c', 'core/regs/amd.c', 'core/regs/nhm_uncore.c',
]

# The instruction ends its block and may ask for the time: the count of executed instructions is then exact.
AS_IO = '''\
if (tb_cflags(s->base.tb) & CF_USE_ICOUNT) {
            gen_io_start();
            s->base.is_jmp = DISAS_TOO_MANY;
        }
        '''

HOOKS = [
    Hook(CPU_H, r'^    bool enable_pmu;$', 'after',
         '\n    bool ntime_strict_msr;\n    struct ntime_x86 *ntime;',
         "each CPU's models, and the property strict-msr"),
    Hook(CPU_H, r'^static inline void cpu_x86_load_seg_cache\(CPUX86State \*env,', 'before',
         'void ntime_x86_level(CPUX86State *env);\n\n',
         'declared where it is called'),
    Hook(CPU_H, r'^( +)env->hflags = \(env->hflags & ~HF_CPL_MASK\) \| cpl;$', 'before',
         r'\1if (cpl != (env->hflags & HF_CPL_MASK)) {\n\1    ntime_x86_level(env);\n\1}\n',
         'each change of privilege loads SS: what ran so far belongs to the old level'),
    Hook(CPU_C, r'^    DEFINE_PROP_BOOL\("pmu", X86CPU, enable_pmu, false\),$', 'after',
         '\n    DEFINE_PROP_BOOL("strict-msr", X86CPU, ntime_strict_msr, false),',
         '-cpu NAME,strict-msr=on raises #GP for unknown MSRs'),
    Hook(CPU_C, r'^    case 0xA:\n.*?\n( +)\} else (?=\{)', 'after',
         r'if (ntime_x86_cpuid_a(cpu, eax, ebx, ecx, edx)) {\n\1    /* it told */\n\1} else ',
         'CPUID leaf 0AH tells the counters of the model'),
    Hook(CPU_C, r'^    case 6:\n( +)/\* Thermal and Power Leaf \*/\n.*?\*edx = 0;$', 'after',
         r'\n\1ntime_x86_cpuid_6(cpu, eax, ebx, ecx);',
         'CPUID leaf 06H tells the registers of heat and frequency'),
    Hook('hw/i386/x86.c', r'^uint64_t cpu_get_tsc\(CPUX86State \*env\)\n\{\n( +)return cpus_get_elapsed_ticks\(\);$', 'replace',
         r'uint64_t ntime_x86_tsc(void);\nuint64_t cpu_get_tsc(CPUX86State *env)\n{\n\1return ntime_x86_tsc();',
         'the TSC is virtual time, whether instructions are counted or not'),
    Hook(CPU_C, r'^void cpu_x86_cpuid\(CPUX86State \*env, uint32_t index, uint32_t count,', 'before',
         'bool ntime_x86_cpuid_a(X86CPU *cpu, uint32_t *eax, uint32_t *ebx, uint32_t *ecx,\n'
         '                       uint32_t *edx);\nvoid ntime_x86_cpuid_6(X86CPU *cpu, uint32_t *eax, uint32_t *ebx, uint32_t *ecx);\n'
         'void ntime_x86_reset(X86CPU *cpu);\n'
         'void ntime_x86_free(X86CPU *cpu);\n\n',
         'declared before they are called'),
    Hook(CPU_C, r'^( +)\*ecx = env->features\[FEAT_8000_0001_ECX\];$', 'after',
         r'\n\1if (!cpu->enable_pmu) {\n\1    *ecx &= ~CPUID_EXT3_PERFCORE;\n\1}',
         "AMD's core extension is there when the PMU is"),
    Hook(CPU_C, r'^#define TCG_EXT3_FEATURES \(', 'after', 'CPUID_EXT3_PERFCORE | ',
         "AMD's core extension (perfctr-core) can be had without KVM"),
    Hook(CPU_C, r'^void x86_cpu_after_reset\(X86CPU \*cpu\)\n\{', 'after', '\n    ntime_x86_reset(cpu);\n',
         'the models are reset with the machine; they survive INIT, as on silicon'),
    Hook(CPU_C, r'^    qemu_init_vcpu\(cs\);$', 'before', '    ntime_x86_reset(cpu);\n',
         'a new CPU has its features now and gets its models'),
    Hook(CPU_C, r'^    cpu_remove_sync\(CPU\(dev\)\);$', 'after', '\n    ntime_x86_free(cpu);',
         'an unplugged CPU has stopped now: no timer of it may fire any more'),
    Hook(MSR_C, r'^void helper_wrmsr\(CPUX86State \*env\)$', 'before',
         'bool ntime_x86_wrmsr(CPUX86State *env, uint32_t addr, uint64_t value);\n'
         'bool ntime_x86_rdmsr(CPUX86State *env, uint32_t addr, uint64_t *value);\n\n',
         'declared before they are called'),
    Hook(MSR_C, r'^( +)/\* XXX: exception\? \*/\n +break;$', 'replace',
         r'\1if (!ntime_x86_wrmsr(env, (uint32_t)env->regs[R_ECX], val)) {\n\1    goto error;\n\1}\n\1break;',
         'WRMSR of what QEMU does not know'),
    Hook(MSR_C, r'^( +)/\* XXX: exception\? \*/\n +val = 0;\n +break;$', 'replace',
         r'\1if (!ntime_x86_rdmsr(env, (uint32_t)env->regs[R_ECX], &val)) {\n'
         r'\1    raise_exception_err_ra(env, EXCP0D_GPF, 0, GETPC());\n\1}\n\1break;',
         'RDMSR of what QEMU does not know'),
    Hook('target/i386/helper.h', r'^DEF_HELPER_FLAGS_1\(rdpmc, TCG_CALL_NO_WG, noreturn, env\)$', 'replace',
         'DEF_HELPER_1(rdpmc, void, env)',
         'RDPMC returns now, in EAX and EDX'),
    Hook('target/i386/tcg/misc_helper.c', r'^G_NORETURN (?=void helper_rdpmc\()', 'replace',
         'int ntime_x86_rdpmc(CPUX86State *env);\n\n',
         'RDPMC returns now'),
    Hook('target/i386/tcg/misc_helper.c', r'^( +)/\* currently unimplemented \*/$', 'before',
         r'\1switch (ntime_x86_rdpmc(env)) {\n\1case 0:\n\1    return;\n\1case 1:\n'
         r'\1    raise_exception_err_ra(env, EXCP0D_GPF, 0, GETPC());\n\1}\n',
         'RDPMC asks the model, after the check of CR4.PCE'),
    Hook(TRANSLATE_C, r'gen_helper_rdpmc\(cpu_env\);\n +s->base\.is_jmp = DISAS_NORETURN;', 'replace',
         AS_IO + 'gen_helper_rdpmc(cpu_env);',
         'RDPMC needs the exact count of instructions, and goes on'),
    Hook(TRANSLATE_C, r'(?=if \(b & 2\) \{\n +gen_helper_rdmsr\(cpu_env\);)', 'before',
         AS_IO.replace('\n', '\n    '),
         'RDMSR and WRMSR need the exact count of instructions'),
    Hook('hw/intc/apic.c', r'^void apic_deliver_pic_intr\(DeviceState \*dev, int level\)$', 'before',
         'void ntime_x86_deliver_pmi(DeviceState *dev, bool masks);\n\n'
         'void ntime_x86_deliver_pmi(DeviceState *dev, bool masks)\n{\n'
         '    APICCommonState *s = APIC(dev);\n\n'
         '    apic_local_deliver(s, APIC_LVT_PERFORM);\n'
         '    if (masks) {\n        s->lvt[APIC_LVT_PERFORM] |= APIC_LVT_MASKED;\n    }\n}\n\n',
         'the overflow interrupt, as the LVT entry says; Intel masks the entry then'),
    Hook('target/i386/meson.build', r"^i386_softmmu_ss = ss\.source_set\(\)$", 'after',
         '\ni386_softmmu_ss.add(files(' + ', '.join(f"'../../ntime/{name}'" for name in SOURCES) + '))',
         'models, their rows and the glue are compiled in'),
]
