# SPDX-License-Identifier: MIT
"""Roots of a bare Debian, in folders: made with mmdebstrap, entered in namespaces that end with the program that asked for it.

The mirrors and proxies are those of this machine's own apt. All of it needs root.
"""
import os
import shutil
import subprocess
import sys
import tempfile

import tree

sys.path.insert(0, tree.ROOT)
from lab import debian  # noqa: E402  # pylint: disable=wrong-import-position

# What a person would have in the environment of a new machine: the way out of it, and nothing of this one.
KEPT_ENVIRONMENT = ('http_proxy', 'https_proxy', 'ftp_proxy', 'no_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY')
PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'


def environment():
    """The words that give env(1) what a new machine has."""
    return ['env', '-i', f'PATH={PATH}', 'HOME=/root', 'TERM=dumb', *(f'{n}={os.environ[n]}' for n in KEPT_ENVIRONMENT if n in os.environ)]


def apt_config():
    """What this machine's apt says about reaching a mirror."""
    dump = subprocess.run(['apt-config', 'dump'], stdout=subprocess.PIPE, encoding='utf-8', check=True).stdout
    return ''.join(line + '\n' for line in dump.split('\n') if debian.KEPT_CONFIG.match(line))


def make_root(folder, release, names=()):
    """A bare Debian in a folder: the essential packages, apt and those of these names."""
    sources = debian.debian_sources(debian.system_entries(), release)
    text = debian.source_lines(sources, debian.host_arch())
    names = [*names, *(['ca-certificates'] if ' https://' in text else [])]
    with tempfile.NamedTemporaryFile('w', encoding='utf-8', suffix='.conf') as config:
        config.write(apt_config())
        config.flush()
        subprocess.run(['mmdebstrap', '--mode=root', '--variant=apt', f'--aptopt={config.name}', *([f'--include={",".join(names)}'] if names else []),
                        release, folder, '-'], input=text, encoding='utf-8', check=True)
    for name in ('/etc/resolv.conf', '/etc/hosts'):
        if os.path.exists(name):
            shutil.copyfile(name, folder + name)


def git(*words):
    """What git says. Files of another owner, as of who called sudo, are no danger here."""
    return subprocess.run(['git', '-c', 'safe.directory=*', *words], stdout=subprocess.PIPE, encoding='utf-8', check=True).stdout.strip()


def clone(path):
    """Clone the last commit of this checkout into a folder, whatever is there; its name."""
    commit = git('-C', tree.ROOT, 'rev-parse', 'HEAD')
    if os.path.exists(path):
        shutil.rmtree(path)
    git('clone', '--quiet', '--no-hardlinks', '--no-checkout', tree.ROOT, path)
    git('-C', path, '-c', 'advice.detachedHead=false', 'checkout', '--quiet', '--detach', commit)
    return commit


def enter(root, command, binds=(), overlay=''):
    """The words that run a shell command in the root, in namespaces that end with it. binds: [(folder here, folder there)].
    overlay: a folder that gets what is changed, so that the root stays as it is."""
    # The root is bound to itself: on a machine / is a mount, and what makes mounts of its own there (scripts/disguise) asks for that.
    mounts = 'mount --rbind "$1" "$1"'
    there = root
    if overlay:
        for name in ('upper', 'work', 'root'):
            os.makedirs(f'{overlay}/{name}')
        there = f'{overlay}/root'
        mounts = f'mount -t overlay -o "lowerdir=$1,upperdir={overlay}/upper,workdir={overlay}/work" overlay "{there}"'
    mounts = f'set -e; {mounts}; root={there}; mount -t proc proc "$root/proc"; mount --rbind /sys "$root/sys"; mount --rbind /dev "$root/dev"; shift'
    for _ in binds:
        mounts += '; mkdir -p "$root$2"; mount --bind "$1" "$root$2"; shift 2'
    return ['unshare', '--mount', '--propagation', 'private', '--pid', '--fork', '--kill-child',
            'sh', '-c', mounts + '; exec chroot "$root" "$@"', 'sh', root, *(word for bind in binds for word in bind),
            *environment(), 'sh', '-c', command]


def remove(folder):
    """Remove the root. Nothing is mounted in it outside of the namespaces; should there be, it is left alone."""
    subprocess.run(['rm', '-rf', '--one-file-system', folder], check=False)
