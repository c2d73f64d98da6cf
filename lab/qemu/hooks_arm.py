# SPDX-License-Identifier: GPL-2.0-or-later
"""Places of the ARM models: coprocessor registers of the ARM1176's performance monitor."""
from insert import Hook

COPIES = {'configs/devices/arm-softmmu/ntime.mak': 'ntime-arm.mak'}

HELPER_C = 'target/arm/helper.c'

HOOKS = [
    Hook(HELPER_C, r'^static void switch_mode\(CPUARMState \*env, int mode\);$', 'before',
         '#ifndef CONFIG_USER_ONLY\nvoid ntime_arm_define(ARMCPU *cpu);\n#endif\n\n',
         'declared before it is called'),
    Hook(HELPER_C, r'^        define_arm_cp_regs\(cpu, dummy_c15_cp_reginfo\);\n    \}\n', 'after',
         '#ifndef CONFIG_USER_ONLY\n    ntime_arm_define(cpu);\n#endif\n',
         'behind the registers that read as zero: the monitor takes their place'),
    Hook('target/arm/meson.build', r'^arm_softmmu_ss = ss\.source_set\(\)$', 'after',
         "\narm_softmmu_ss.add(files('../../ntime/lab/qemu/ntime_arm.c', '../../ntime/core/models/arm1176_pmu.c',\n"
         "  '../../ntime/core/regs/arm.c'))",
         'the model, its rows and the glue are compiled in'),
]
