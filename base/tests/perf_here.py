# SPDX-License-Identifier: MIT
"""Whether this process may use perf, asked of the kernel itself: what ntime says of it is what is tested."""
import ctypes
import errno
import importlib.machinery
import importlib.util
import os
import struct

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
_loader = importlib.machinery.SourceFileLoader('disguise', f'{ROOT}/scripts/disguise')
_disguise = importlib.util.module_from_spec(importlib.util.spec_from_loader('disguise', _loader))
_loader.exec_module(_disguise)


def why_not(kernel_mode=False):
    """Why page faults of this process cannot be counted, in user mode or in both, or ''."""
    if not os.path.exists(_disguise.PARANOID):
        return 'this kernel has no perf events'
    libc = ctypes.CDLL(None, use_errno=True)
    # PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS
    attr = struct.pack('=IIQQQQQ', 1, 64, 2, 0, 0, 0, 0 if kernel_mode else _disguise.EXCLUDE_KERNEL) + bytes(16)
    try:
        fd = libc.syscall(_disguise.machine()[1], attr, 0, -1, -1, 0)
    except _disguise.Unavailable:
        return ''
    if fd >= 0:
        os.close(fd)
        return ''
    return {errno.ENOSYS: 'this kernel has no perf events'}.get(ctypes.get_errno(), 'this process is refused perf_event_open(2)')
