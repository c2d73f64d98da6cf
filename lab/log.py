# SPDX-License-Identifier: MIT
"""Scan a guest's kernel log for what must not be there.

A record of /dev/kmsg is "PRIORITY,NUMBER,MICROSECONDS,FLAGS;TEXT" and lines that begin with a blank for its dictionary
(Documentation/ABI/testing/dev-kmsg of Linux).
"""
import re

# Two 64-bit numbers; flags, and what later kernels add, follow up to the semicolon.
HEAD = re.compile(r'[^,;]*,([0-9]{1,20}),([0-9]{1,20})(?:,[^;]*)?;')

# What the kernel prints when something is broken; each alternative names where the words come from.
BAD = [
    ('bug', re.compile(r'\bBUG: |\bkernel BUG at |\bBUG \S+ \(')),                   # bug.c, slub.c, BUG_ON
    ('warning', re.compile(r'\bWARNING: ')),                                          # panic.c, lockdep.c, WARN_ON
    ('oops', re.compile(r'\bOops\b|Unable to handle kernel |general protection fault, |Internal error: |\bdie: ')),
    ('panic', re.compile(r'Kernel panic - not syncing')),                             # panic.c
    ('lockdep', re.compile(r'possible (recursive |circular |irq )?lock|inconsistent lock state|bad unlock balance'
                           r'|suspicious RCU usage|held lock freed|possible deadlock'
                           r'|INFO: trying to register non-static key|DEBUG_LOCKS_WARN_ON')),    # lockdep.c
    ('rcu', re.compile(r'\brcu: INFO: .*(stall|starved)|rcu_\w+ (self-)?detected .*stall|\brcu: .*kthread starved')),
    ('hang', re.compile(r'INFO: task .* blocked for more than|soft lockup|hard LOCKUP|NMI watchdog: Watchdog detected')),
    ('leak', re.compile(r'kmemleak: \d+ new suspected memory leaks|refcount_t: |Memory leak detected|'
                        r'Slab cache .* Objects remaining|Objects remaining in |unreferenced object 0x')),
    ('sanitizer', re.compile(r'\bKASAN: |\bUBSAN: |\bKCSAN: |\bKFENCE: ')),
    ('perf', re.compile(r'\bunchecked MSR access error|perfevents: irq loop stuck|PMU.*irq (loop|storm)')),
    # traps.c and nmi.c of x86: an interrupt that no driver knows, as of a counter that was left running
    ('nmi', re.compile(r'Uhhuh\. NMI received for unknown reason|Dazed and confused, but trying to continue')),
    ('memory', re.compile(r'invoked oom-killer|Out of memory: Killed process|page allocation failure')),
    ('trace', re.compile(r'^(Call [Tt]race|Backtrace):')),
    ('lost', re.compile(r'nobody cared|irq \d+: .*disabled')),
]

# What a stock kernel prints on these machines although nothing is broken: pattern and reason.
ALLOWED = [
    (re.compile(r'^Speculative Return Stack Overflow: WARNING: See https:'),
     'advice where the CPU has no newer microcode, which an emulated AMD CPU never has (arch/x86/kernel/cpu/bugs.c)'),
]


class Record:
    """One record of the kernel's log."""

    def __init__(self, number, us, text):
        self.number, self.us, self.text = number, us, text

    def __str__(self):
        return f'[{self.us / 1e6:12.6f}] {self.text}'


class Damaged(Exception):
    """The log is not whole."""


def parse(data):
    """The records of the bytes that were read from /dev/kmsg since boot. Raises Damaged when one is missing or no record."""
    records = []
    for line in data.decode('utf-8', 'replace').split('\n'):
        if not line or line[0] == ' ':
            continue
        head = HEAD.match(line)
        if not head:
            raise Damaged(f'not a record of the kernel log: {line[:80]!r}')
        record = Record(int(head.group(1)), int(head.group(2)), line[head.end():])
        due = records[-1].number + 1 if records else 0
        if record.number != due:
            raise Damaged(f'records {due} to {record.number - 1} of the kernel log were overwritten before they were read')
        records.append(record)
    return records


def is_allowed(text, allowed=()):
    """True for a line that stands in a list of allowed ones."""
    return any(pattern.search(text) for pattern, _ in [*ALLOWED, *allowed])


def bad_kind(text):
    """The kind of trouble that a line tells of, or None."""
    return next((kind for kind, pattern in BAD if pattern.search(text)), None)


def findings(records, allowed=()):
    """The records that fail a run: list of (kind, record). The trace right behind an allowed line is allowed with it."""
    found, excused = [], None
    for record in records:
        if is_allowed(record.text, allowed):
            excused = record.number
        elif (kind := bad_kind(record.text)) and (kind != 'trace' or excused is None or record.number != excused + 1):
            found.append((kind, record))
    return found


def context(records, found, lines=12):
    """The lines to show: each finding and what follows it."""
    wanted = set()
    for _, record in found:
        wanted.update(range(record.number, record.number + lines))
    return [str(r) for r in records if r.number in wanted]
