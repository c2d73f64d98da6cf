# SPDX-License-Identifier: MIT
"""What the checks of the driver share: its files, the lab that has kernels to build it for, and when there is nothing to look at."""
import concurrent.futures
import os
import re
import sys

import tree

sys.path.insert(0, tree.ROOT)

from lab import cache  # noqa: E402  (the path comes first)


def sources(*endings):
    """Files of the driver."""
    return [name for name in tree.files(*endings or ('.c', '.h')) if name.startswith('driver/')]


def has_driver():
    """Whether there is something that a kernel's make can build."""
    return os.path.isfile(os.path.join(tree.ROOT, 'driver', 'Kbuild'))


def on_all_cpus(function, items):
    """[function(item)], as many at a time as there are CPUs."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(function, items))


def kernels(flavours, left):
    """What a check says that could not have the kernels in left."""
    count = len(flavours) - len(left)
    return f'{count} kernel{"s" if count > 1 else ""}' if count else 'idle: this machine can have none of the kernels'


def findings_of(text):
    """The lines of what a tool of the kernel said that name a place in our sources, each once."""
    return sorted({line for line in text.split('\n') if re.match(r'(driver|core|include/uapi)/\S+:\d+', line)})


def main(check):
    """Run a check, which returns its exit status. What this machine cannot have is nothing to look at; what does not build is a finding."""
    os.chdir(tree.ROOT)
    if not has_driver():
        return tree.finish([], 'idle: driver/ has no Kbuild yet')
    try:
        return check()
    except cache.Unavailable as error:
        return tree.finish([], f'idle: {error}')
    except cache.Broken as error:
        return tree.finish([str(error)], '')
