#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""--root on the files of other machines that util-linux and hwloc ship for their own tests. Speaks TAP.

lscpu --sysroot says what CPUs, packages and NUMA nodes there are; /proc/cpuinfo, which processor.

Usage: test_trees.py NTIME
"""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../../base/tests'))
import command as t    # noqa: E402
from command import Directory, Skip, environment, equal, err, ntime    # noqa: E402
sys.path.insert(0, os.path.join(os.path.dirname(__file__), '..', '..', '..'))
try:
    from lab import cache, debian  # pylint: disable=wrong-import-position
except ImportError:
    # A tree without the lab, which fetches packages.
    cache = debian = None

test = t.test

DUMPS = {'util-linux': 'tests/ts/lscpu/dumps/*.tar.gz', 'hwloc': 'tests/hwloc/linux/*.tar.bz2'}
# Where lscpu 2.38 counts otherwise than the files say: packages by numbers of the firmware that are -1, nodes without CPUs, a
# CPU that is off line, nodes by distances that hwloc does not believe.
OTHERWISE = {'40intel64-4n10c+pci-conflicts', 'ppc64-POWER7-64cpu', 'fakeheteromemtiers', 'fakememinitiators-1np2c+1npp+gi', 'offline-cpu0-node0'}
# Vendor or implementer, family, model or part: whose events there are.
EVENTS = {'x86_64-epyc_7451': 'amd64_fam17h_zen1', 'x86_64-dell_e4310': 'wsm', 'x86_64-64cpu': 'nhm_ex', 'vbox-win': 'ivb', 'vmware_fpe': 'amd64_fam15h_interlagos',
          '32intel64-2p8co2t+8ve': 'skx', '16amd64-4n4c-cgroup-distance-merge': 'amd64_fam10h_barcelona'}
LEAST = 20


def machine(tree):
    """(CPUs on line, packages, NUMA nodes, models of events), all as ntime has them."""
    done = ntime('doctor', '--json', '--root', tree)
    of = json.loads(done.stdout)['topology']
    events = ntime('list', '--all', '--json', '--root', tree)
    names = {e['name'].split('::')[0] for e in json.loads(events.stdout)['events'] if '::' in e['name']}
    return of['online_cpus'], of['packages'], of['nodes'], names


def by_lscpu(tree):
    text = subprocess.run(['lscpu', '--sysroot', tree, '-p=CPU,SOCKET,NODE'], env=environment(), capture_output=True, check=False).stdout.decode()
    rows = [line.split(',') for line in text.split('\n') if re.match(r'\d', line)]
    return len(rows), *(len({row[i] for row in rows}) for i in (1, 2))


@test
def machines_are_those_of_their_files():
    compared = 0
    if not cache:
        raise Skip('there is no lab in this tree, which fetches the dumps')
    try:
        archives = [path for name, of in DUMPS.items() for path in sorted(glob.glob(os.path.join(debian.source(name)[1], of)))]
    except cache.Unavailable as why:
        raise Skip(str(why)) from None
    with Directory() as folder:
        for path in archives:
            name = os.path.basename(path).split('.tar')[0]
            tree = tempfile.mkdtemp(dir=folder)
            subprocess.run(['tar', '-xf', path, '-C', tree, '--strip-components=1'], check=True)
            if not os.path.exists(f'{tree}/proc/cpuinfo') or not by_lscpu(tree)[0]:
                continue
            cpus, packages, nodes, models = machine(tree)
            wanted = by_lscpu(tree)
            equal((cpus, packages, nodes) if name not in OTHERWISE else cpus, wanted if name not in OTHERWISE else wanted[0], name)
            equal(models - {'ix86arch'}, {EVENTS[name]} if name in EVENTS else models - {'ix86arch'}, f'events of {name}')
            with open(f'{tree}/proc/cpuinfo', encoding='utf-8') as f:
                is_x86 = re.search(r'^vendor_id\s*: (GenuineIntel|AuthenticAMD)$', f.read(), re.MULTILINE)
            equal(bool(models) and not is_x86, False, f'events of {name}, {models}')
            done = ntime('stat', '--dry-run', '--root', tree, 'true')
            equal(done.returncode, 0, f'{name}: {err(done)}')
            compared += 1
    equal(compared >= LEAST, True, f'{compared} machines')


if __name__ == '__main__':
    sys.exit(t.main())
