# SPDX-License-Identifier: MIT
"""Packages of Debian for other architectures, and source packages, without changing this machine.

apt is given a configuration of its own for each architecture (lists, cache, an empty list of installed packages) whose sources
are made from the system's own: same mirrors, same keys. What a request resolved to is remembered in resolved.json, so that
nothing asks the network again until `ntime lab update`; the packages themselves are unpacked into the cache.
"""
import functools
import os
import re
import shutil
import subprocess
import time
import urllib.parse

from . import cache
from .cache import Unavailable

RELEASE_FILE = '/etc/os-release'
SOURCES = '/etc/apt'
# What Debian calls the release that was stable when this was written; a name of the release itself needs no list.
ALIASES = ('stable', 'oldstable')
BACKPORTS = '-backports'
# Behind an architecture, or SOURCE: from the release after Debian 12. It has architectures that 12 has not, and an emulator that
# counts user mode apart on RISC-V; they run beside those of this release, with libraries of their own.
LATER = 'trixie'
FROM_LATER = '-' + LATER
LATER_ARCHES = ('riscv64',)
SUFFIXES = ('', '-updates', '-security', BACKPORTS)
# What of the system's configuration says how to reach a mirror. Hooks and further indexes are not for us.
KEPT_CONFIG = re.compile(r'Acquire::(?!IndexTargets|Languages|GzipIndexes)')
URI_LINE = re.compile(r"'([^']+)' ([^_ ]+)_([^_ ]+)_([^_ ]+)\.deb ")
SOURCE = 'source'
# Lists of small architectures change after their signature did: apt refuses them for a while, and the main suite must do.
LAGGING = re.compile(r'/dists/[^/]*(-security|/updates|-updates)/')



class Outdated(Unavailable):
    """What was resolved some time ago is no longer on the mirror, whose newest lists are here."""


# -- the system's sources

def parse_deb822(text):
    """The entries of a .sources file as (types, uris, suites, components, options)."""
    entries = []
    for stanza in re.split(r'\n\s*\n', re.sub(r'^#.*\n?', '', text, flags=re.MULTILINE)):
        fields = {}
        for name, value in re.findall(r'^([\w-]+):[ \t]*(.*(?:\n[ \t]+.*)*)', stanza, re.MULTILINE):
            fields[name.lower()] = value.strip()
        if fields.get('enabled', 'yes').lower() in ('no', 'false', '0') or 'uris' not in fields:
            continue
        options = {}
        for name in ('signed-by', 'trusted', 'check-valid-until'):
            # A key written into the file itself (many lines) cannot be said on one line.
            if name in fields and '\n' not in fields[name]:
                options[name] = fields[name]
        entries.append((fields.get('types', 'deb').split(), fields['uris'].split(), fields.get('suites', '').split(),
                        fields.get('components', '').split(), options))
    return entries


def parse_list(text):
    """The same of an old sources.list: "deb [signed-by=KEY] URI SUITE COMPONENT..."."""
    entries = []
    for line in text.split('\n'):
        match = re.match(r'\s*(deb|deb-src)\s+(?:\[([^\]]*)\]\s*)?(\S+)\s+(\S+)([^#]*)', line)
        if not match:
            continue
        options = dict(word.split('=', 1) for word in (match.group(2) or '').split() if '=' in word)
        kept = {name: options[name] for name in ('signed-by', 'trusted', 'check-valid-until') if name in options}
        entries.append(([match.group(1)], [match.group(3)], [match.group(4)], match.group(5).split(), kept))
    return entries


def system_entries(folder=None):
    """Every entry of the system's sources, of both forms."""
    folder = folder or SOURCES
    names = [os.path.join(folder, 'sources.list')]
    parts = os.path.join(folder, 'sources.list.d')
    if os.path.isdir(parts):
        names += [os.path.join(parts, n) for n in sorted(os.listdir(parts)) if n.endswith(('.list', '.sources'))]
    entries = []
    for name in names:
        try:
            with open(name, encoding='utf-8', errors='replace') as f:
                text = f.read()
        except OSError:
            continue
        entries += parse_deb822(text) if name.endswith('.sources') else parse_list(text)
    return entries


def _suffix_of(suite, codename):
    """What stands behind the name of the release in a suite, or None if it is not of this release."""
    for name in (codename, *ALIASES):
        if suite == name or suite == name + '/updates':
            return '' if suite == name else '-security'
        if suite.startswith(name) and suite[len(name):] in SUFFIXES:
            return suite[len(name):]
    return None


def _sources_of(entries, release):
    """{suffix of the suite: [(uri, suite, options)]} of this release's own archives, those with "main", among the entries."""
    found = {}
    for types, uris, suites, components, options in entries:
        if 'main' not in components or 'deb' not in types:
            continue
        for suite in suites:
            suffix = _suffix_of(suite, release)
            if suffix is None:
                continue
            for uri in uris:
                source = (uri.rstrip('/'), suite, options)
                if source not in found.setdefault(suffix, []):
                    found[suffix].append(source)
    if '' not in found:
        raise Unavailable(f'the sources of apt name no archive of Debian {release} with "main"; the lab needs its packages')
    return found


def debian_sources(entries, release):
    """(uri, suite, options) of the release; the security suite is added if it is not there.

    Archives of others (the same suite without "main", or suites of their own) are left out: they may lack architectures.
    """
    found = _sources_of(entries, release)
    if '-security' not in found:
        uri, _, options = found[''][0]
        uri = uri + '-security' if uri.endswith('/debian') else 'http://security.debian.org/debian-security'
        found['-security'] = [(uri, release + '-security', options)]
    return [source for suffix in SUFFIXES if suffix != BACKPORTS for source in found.get(suffix, [])]


def backports_sources(entries, release):
    """The same of the backports: as the system has them, else beside its main suite."""
    found = _sources_of(entries, release)
    uri, _, options = found[''][0]
    return found.get(BACKPORTS) or [(uri, release + BACKPORTS, options)]


def later_sources(entries, release):
    """(uri, suite, options) of the release LATER: as the system has it, else beside the main suite of its own release."""
    if release == LATER:
        return debian_sources(entries, release)
    try:
        return _sources_of(entries, LATER)['']
    except Unavailable:
        uri, _, options = _sources_of(entries, release)[''][0]
        return [(uri, LATER, options)]


def release_of(arch):
    """The name of the release that packages of an architecture, with its suffix, are taken from."""
    return LATER if arch.endswith(FROM_LATER) or arch in LATER_ARCHES else codename()


def is_source(arch):
    """Whether these are source packages, of this release or the later one."""
    return arch.removesuffix(FROM_LATER) == SOURCE


def source_lines(sources, arch):
    """The text of a sources.list for one architecture, or for source packages."""
    lines = []
    for uri, suite, options in sources:
        words = [f'{name}={value}' for name, value in options.items()]
        if arch != SOURCE:
            words.insert(0, f'arch={arch}')
        kind = 'deb-src' if arch == SOURCE else 'deb'
        lines.append(f'{kind} {"[" + " ".join(words) + "] " if words else ""}{uri} {suite} main\n')
    return ''.join(lines)


@functools.cache
def codename():
    """The name of the Debian release that runs here."""
    try:
        with open(RELEASE_FILE, encoding='utf-8') as f:
            fields = dict(line.rstrip('\n').split('=', 1) for line in f if '=' in line)
    except OSError:
        fields = {}
    if fields.get('ID') != 'debian' or 'VERSION_CODENAME' not in fields:
        raise Unavailable('this is no Debian, and the lab takes its kernels and libraries from Debian\'s packages')
    for tool in ('apt-get', 'apt-cache', 'dpkg-deb'):
        if not shutil.which(tool):
            raise Unavailable(f'{tool} is not there, and the lab takes its kernels and libraries from Debian\'s packages')
    return fields['VERSION_CODENAME'].strip('"')


@functools.cache
def host_arch():
    """Debian's name of this machine's architecture."""
    try:
        return subprocess.run(['dpkg', '--print-architecture'], stdout=subprocess.PIPE, encoding='ascii',
                              check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return {'x86_64': 'amd64', 'aarch64': 'arm64'}.get(os.uname().machine, os.uname().machine)


# -- apt with a configuration of its own

class Apt:
    """apt for one architecture, its backports (arch 'armhf-backports'), the later release ('amd64-trixie'), or source packages
    (arch 'source', 'source-trixie').

    Backports and the later release are apart: their versions are the highest, and only what asks for them wants them.
    """

    def __init__(self, arch):
        self.arch = arch
        self.native = host_arch() if is_source(arch) else arch.removesuffix(BACKPORTS).removesuffix(FROM_LATER)
        self.sources = (backports_sources if arch.endswith(BACKPORTS) else
                        later_sources if release_of(arch) == LATER else debian_sources)
        self.dir = os.path.join(cache.root(), 'apt', arch)
        self.conf = os.path.join(self.dir, 'apt.conf')
        self.lists = os.path.join(self.dir, 'state', 'lists')
        self.fresh, self.failure = False, None

    def write(self):
        """(Re)write the configuration: the system's mirrors may have changed."""
        text = source_lines(self.sources(system_entries(), codename()), SOURCE if is_source(self.arch) else self.native)
        for name in ('state/lists/partial', 'cache/archives/partial', 'etc/sources.d', 'etc/preferences.d'):
            os.makedirs(os.path.join(self.dir, name), exist_ok=True)
        dump = subprocess.run(['apt-config', 'dump'], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              encoding='utf-8', check=False).stdout
        kept = [line for line in dump.split('\n') if KEPT_CONFIG.match(line)]
        d = self.dir
        with open(os.path.join(d, 'state', 'status'), 'w', encoding='utf-8'):
            pass
        with open(os.path.join(d, 'sources.list'), 'w', encoding='utf-8') as f:
            f.write(text)
        with open(self.conf, 'w', encoding='utf-8') as f:
            f.write('\n'.join(kept) + f'''
Dir::State "{d}/state";
Dir::State::status "{d}/state/status";
Dir::State::extended_states "{d}/state/extended_states";
Dir::Cache "{d}/cache";
Dir::Cache::srcpkgcache "";
Dir::Log "{d}";
Dir::Etc::main "/dev/null";
Dir::Etc::parts "/dev/null";
Dir::Etc::sourcelist "{d}/sources.list";
Dir::Etc::sourceparts "{d}/etc/sources.d";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "{d}/etc/preferences.d";
APT::Architecture "{self.native}";
APT::Architectures {{ "{self.native}"; }};
APT::Sandbox::User "";
APT::Install-Recommends "false";
Acquire::GzipIndexes "true";
Acquire::Languages "none";
Acquire::Retries "2";
Acquire::http::Timeout "30";
Debug::NoLocking "true";
''')

    def run(self, *command, cwd=None):
        """(exit status, stdout, stderr) of apt-get or apt-cache with this configuration."""
        env = dict(os.environ, APT_CONFIG=self.conf, LC_ALL='C.UTF-8', DEBIAN_FRONTEND='noninteractive')
        done = cache.run(command, env=env, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding='utf-8', errors='replace')
        return done.returncode, done.stdout, done.stderr

    def update(self):
        """Fetch the lists; once in a process is enough, also where it failed: without network that takes seconds."""
        if self.failure:
            raise Unavailable(self.failure)
        if self.fresh:
            return
        self.write()
        with cache.step(f'package lists of {self.arch}'):
            status, _, errors = self.run('apt-get', '-q', 'update')
        # apt goes on with what it got, and complains of each list that it did not.
        failed = re.findall(r'^[WE]: Failed to fetch (\S+)', errors, re.MULTILINE)
        if (status and not failed) or not self.has_lists() or not all(map(LAGGING.search, failed)):
            self.failure = f'the package lists of {self.arch} cannot be fetched ({reason(errors)})'
            raise Unavailable(self.failure)
        if failed:
            cache.say(f'the security suite of {self.arch} is being changed on the mirror: going on with the main suite')
        self.fresh = True

    def has_lists(self):
        return os.path.exists(self.conf) and os.path.isdir(self.lists) and any(
            name.endswith(('_Packages', '_Sources')) or '_Packages.' in name or '_Sources.' in name
            for name in os.listdir(self.lists))

    def records(self, name):
        """Versions of a package, best first, as dicts of the fields."""
        _, out, _ = self.run('apt-cache', 'showsrc' if is_source(self.arch) else 'show', name)
        found = []
        for stanza in out.split('\n\n'):
            fields = dict(re.findall(r'^([\w-]+): (.*)$', stanza, re.MULTILINE))
            if 'Version' in fields and fields not in found and name == fields.get('Package', name):
                found.append(fields)
        return found


def reason(errors):
    """The first thing that apt complained about, on one line."""
    for line in errors.split('\n'):
        if line.startswith(('E: ', 'W: ')):
            return re.sub(r'\s+', ' ', line[3:]).strip()
    return 'apt gave no reason'


@functools.cache
def apt(arch):
    return Apt(arch)


def _with_lists(arch, action):
    """What action(apt) returns. If it finds nothing, or fails, the lists are fetched and it is asked once more.

    None and Unavailable both say "not with these lists": old lists name versions that the mirror no longer has.
    """
    index = apt(arch)
    with cache.lock(cache.lock_name('apt', arch), f'packages of {arch}'):
        if index.has_lists() and not index.fresh:
            try:
                result = action(index)
                if result is not None:
                    return result
            except Unavailable:
                pass
        index.update()
        return action(index)


# -- what requests resolved to

def _resolved_file():
    return os.path.join(cache.root(), 'resolved.json')


def resolved(key, resolve):
    """The value that is remembered for a request, or what resolve() says, which is then remembered.

    That there is nothing is not remembered: it may be so for an hour, while a mirror is being changed.
    """
    known = (cache.read_json(_resolved_file()) or {}).get('requests', {})
    if key in known:
        return known[key]['value']
    value = resolve()
    if not value:
        return value
    with cache.lock(cache.lock_name('resolved'), 'the list of versions'):
        state = cache.read_json(_resolved_file()) or {'requests': {}}
        state['requests'][key] = {'value': value, 'date': time.strftime('%Y-%m-%d')}
        cache.write_json(_resolved_file(), state)
    return value


def update(arches):
    """Fetch the lists of these architectures anew and forget what was resolved; without network nothing is changed."""
    codename()
    # What is not asked for by everybody, where it was asked for.
    more = [SOURCE, SOURCE + FROM_LATER, *(arch + suffix for arch in {*arches, host_arch()} for suffix in (BACKPORTS, FROM_LATER))]
    arches = [*arches, *(arch for arch in more if apt(arch).has_lists())]
    for arch in arches:
        with cache.lock(cache.lock_name('apt', arch), f'packages of {arch}'):
            apt(arch).update()
    forget()


def forget():
    """Drop what was resolved; what is unpacked in the cache stays, and serves again where the versions are the same."""
    with cache.lock(cache.lock_name('resolved'), 'the list of versions'):
        if os.path.exists(_resolved_file()):
            os.unlink(_resolved_file())


def current(function):
    """Decorator: when a version that was resolved can no longer be fetched, resolve anew and try once more."""
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except Outdated:
            forget()
            return function(*args, **kwargs)
    return wrapper


def _ask_versions(arch, names):
    def ask(index):
        found = []
        for name in names:
            records = index.records(name)
            if not records:
                raise Unavailable(f'Debian {release_of(arch)} has no package {name} for {arch}')
            found.append([name, records[0]['Version']])
        return found
    return _with_lists(arch, ask)


def _ask_closure(arch, names, without):
    def ask(index):
        status, out, errors = index.run('apt-get', '-q', '-y', '--print-uris', 'install', *names,
                                        *[f'{name}-' for name in without])
        if status:
            raise Unavailable(f'packages for {arch} cannot be put together: {", ".join(names)} ({reason(errors)})')
        found = [[m.group(2), urllib.parse.unquote(m.group(3))] for m in map(URI_LINE.match, out.split('\n')) if m]
        return sorted(found)
    return _with_lists(arch, ask)


def versions(arch, names):
    """[[name, version]] of just these packages."""
    codename()
    return resolved(f'{arch} {" ".join(names)}', lambda: _ask_versions(arch, names))


def closure(arch, names, without=()):
    """[[name, version]] of these packages and all that they depend on, as on a machine with nothing installed."""
    codename()
    key = f'{arch} closure {" ".join(names)}' + ''.join(f' -{name}' for name in without)
    return resolved(key, lambda: _ask_closure(arch, names, without))


def provides(arch, name):
    """The record of the best version of a package (Version, Depends...), or None if Debian has none."""
    codename()

    def ask():
        records = _with_lists(arch, lambda index: index.records(name))
        return records[0] if records else {}
    return resolved(f'{arch} show {name}', ask) or None


# -- downloads

def download(arch, packages, target):
    """Fetch [[name, version]] into a folder; apt checks their hashes. Lists that are too old are fetched again."""
    def fetch(index):
        words = [f'{name}={version}' for name, version in packages]
        status, _, errors = index.run('apt-get', '-q', 'download', *words, cwd=target)
        if status:
            raise (Outdated if index.fresh else Unavailable)(f'packages of {arch} cannot be fetched ({reason(errors)})')
        return True
    _with_lists(arch, fetch)


def unpack(deb, target):
    """Unpack a package into a tree in which /lib, /lib64, /bin and /sbin are links into /usr, as on any Debian now."""
    for name in ('lib', 'lib64', 'bin', 'sbin'):
        os.makedirs(os.path.join(target, 'usr', name), exist_ok=True)
        if not os.path.lexists(os.path.join(target, name)):
            os.symlink(f'usr/{name}', os.path.join(target, name))
    with subprocess.Popen(['dpkg-deb', '--fsys-tarfile', deb], stdout=subprocess.PIPE) as tar:
        status = subprocess.run(['tar', '-x', '-C', target, '--keep-directory-symlink', '--no-same-owner',
                                 '--no-same-permissions'], stdin=tar.stdout, check=False).returncode
    if status or tar.returncode:
        raise Unavailable(f'{os.path.basename(deb)} cannot be unpacked; is the disk full?')


def tree(arch, packages, what, kind='trees', finish=None, also=()):
    """Path of a folder of the cache in which the packages [[name, version]] are unpacked; finish(path) ends its making.

    also: further (arch, packages) that are unpacked into the same tree.
    """
    def fill(path):
        # Beside it: what is left of a run that was killed is cleared away with it.
        debs = os.path.join(path, '.debs')
        os.mkdir(debs)
        with cache.step(f'{what}: {len(packages)} package{"s" if len(packages) > 1 else ""} of {arch}',
                        lambda: f'{cache.size_of(path) / 1e6:.0f} MB fetched and unpacked'):
            for one_arch, some in [(arch, packages), *also]:
                download(one_arch, some, debs)
            for name in sorted(os.listdir(debs)):
                unpack(os.path.join(debs, name), path)
            cache.remove(debs)
            if finish:
                finish(path)
    name, version = packages[0]
    label = f'{name}_{version}_{arch}' if len(packages) == 1 else arch
    try:
        return cache.folder(kind, f'{label.replace(":", "+")}-{cache.digest(arch, repr(packages), *map(repr, also))}', fill, what)
    except Unavailable as error:
        raise type(error)(f'{what} is not in the cache, and {error}') from error


def source_version(name, arch=SOURCE):
    """The version of a source package that source() unpacks; arch SOURCE + FROM_LATER takes that of the later release."""
    codename()

    def ask():
        records = _with_lists(arch, lambda index: index.records(name) or None)
        if not records:
            raise Unavailable(f'Debian {release_of(arch)} has no source package {name}')
        return max((r['Version'] for r in records), key=_version_key)
    return resolved(f'{arch} {name}', ask)


def source(name, arch=SOURCE):
    """(version, path) of an unpacked source package; patches of the distribution are applied."""
    version = source_version(name, arch)

    def fill(path):
        def fetch(index):
            status, _, errors = index.run('apt-get', '-q', 'source', '--download-only', f'{name}={version}', cwd=path)
            if status:
                raise (Outdated if index.fresh else Unavailable)(
                    f'the source package {name} cannot be fetched ({reason(errors)})')
            return True
        with cache.step(f'source package {name} {version}', lambda: f'{cache.size_of(path) / 1e6:.0f} MB fetched and unpacked'):
            _with_lists(arch, fetch)
            dsc = [n for n in os.listdir(path) if n.endswith('.dsc')]
            done = cache.run(['dpkg-source', '--no-check', '-x', dsc[0], 'tree'], cwd=path,
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, encoding='utf-8')
            if done.returncode:
                raise Unavailable(f'the source package {name} cannot be unpacked ({done.stderr.strip()})')
            for file in os.listdir(path):
                if file != 'tree':
                    os.unlink(os.path.join(path, file))
    label = f'{name}_{version}'.replace(':', '+')
    return version, os.path.join(cache.folder('sources', label, fill, f'the source of {name}'), 'tree')


@functools.cmp_to_key
def _version_key(a, b):
    """Order of versions, by the tool that knows it."""
    if a == b:
        return 0
    return -1 if subprocess.run(['dpkg', '--compare-versions', a, 'lt', b], check=False).returncode == 0 else 1
