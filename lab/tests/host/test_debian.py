#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lab/debian.py with the machine's own apt on archives made here, in files: no network is used. Speaks TAP."""
import hashlib
import os
import shutil
import subprocess
import sys

from prepared import equal, has, raises, said, test
from tap import Skip, main
from lab import cache, debian, sysroot

KEY = '/usr/share/keyrings/debian-archive-keyring.gpg'
MAIN = ('http://m/debian', 'bookworm', {'signed-by': KEY})

# text of a .sources file -> entries
DEB822 = [
    ('Types: deb deb-src\nURIs: http://m/debian http://n/debian\nSuites: bookworm bookworm-updates\nComponents: main contrib\n'
     f'Signed-By: {KEY}\n',
     [(['deb', 'deb-src'], ['http://m/debian', 'http://n/debian'], ['bookworm', 'bookworm-updates'], ['main', 'contrib'],
       {'signed-by': KEY})]),
    # comments inside a stanza, names of fields in any case, a value that goes on
    ('# the mirror\ntypes: deb\n# old: http://x\nURIs: http://m/debian\nSuites:\n bookworm\n bookworm-updates\nComponents: main\n',
     [(['deb'], ['http://m/debian'], ['bookworm', 'bookworm-updates'], ['main'], {})]),
    ('Enabled: no\nTypes: deb\nURIs: http://m/debian\nSuites: bookworm\nComponents: main\n', []),
    # two stanzas; a key that is written into the file cannot be passed on
    ('Types: deb\nURIs: http://a\nSuites: s\nComponents: main\n\n\nTypes: deb\nURIs: http://b\nSuites: s\nComponents: main\n'
     'Signed-By:\n -----BEGIN PGP PUBLIC KEY BLOCK-----\n .\n x\n',
     [(['deb'], ['http://a'], ['s'], ['main'], {}), (['deb'], ['http://b'], ['s'], ['main'], {})]),
    ('', []),
]
# text of a sources.list -> entries
LISTS = [
    ('deb http://m/debian bookworm main contrib # ours\n', [(['deb'], ['http://m/debian'], ['bookworm'], ['main', 'contrib'], {})]),
    (f'deb [ arch=amd64,arm64 signed-by={KEY} ] http://m/debian bookworm main\n',
     [(['deb'], ['http://m/debian'], ['bookworm'], ['main'], {'signed-by': KEY})]),
    ('#deb http://m/debian bookworm main\n\ndeb-src http://m/debian bookworm main\n',
     [(['deb-src'], ['http://m/debian'], ['bookworm'], ['main'], {})]),
]


def entry(uri, suites, components='main', types='deb', **options):
    return types.split(), [uri], suites.split(), components.split(), options


@test
def deb822_files(_):
    for text, wanted in DEB822:
        equal(debian.parse_deb822(text), wanted, f'{text!r}')


@test
def list_files(_):
    for text, wanted in LISTS:
        equal(debian.parse_list(text), wanted, f'{text!r}')


@test
def both_forms_in_one_folder(folder):
    os.makedirs(f'{folder}/sources.list.d')
    for name, text in (('sources.list', LISTS[0][0]), ('sources.list.d/a.sources', DEB822[0][0]),
                       ('sources.list.d/b.list', LISTS[2][0]), ('sources.list.d/c.sources.disabled', DEB822[1][0])):
        with open(f'{folder}/{name}', 'w', encoding='utf-8') as f:
            f.write(text)
    equal(debian.system_entries(folder), LISTS[0][1] + DEB822[0][1] + LISTS[2][1], 'the entries')
    equal(debian.system_entries(f'{folder}/nowhere'), [], 'entries of a folder that is not there')


@test
def archives_of_others_are_left_out(_):
    entries = [entry('http://m/debian/', 'bookworm bookworm-updates trixie', **{'signed-by': KEY}),
               entry('http://s/debian-security', 'bookworm-security'), entry('http://g', 'cloud-sdk-bookworm'),
               entry('http://d', 'bookworm', 'stable'), entry('http://p', 'bookworm-pgdg'), entry('http://n', 'nodistro'),
               entry('http://x', 'bookworm', types='deb-src')]
    equal(debian.debian_sources(entries, 'bookworm'),
          [MAIN, ('http://m/debian', 'bookworm-updates', {'signed-by': KEY}),
           ('http://s/debian-security', 'bookworm-security', {})], 'the sources')


@test
def security_suite_is_added(_):
    equal(debian.debian_sources([entry('http://m/debian', 'bookworm')], 'bookworm')[1:],
          [('http://m/debian-security', 'bookworm-security', {})], 'beside a mirror')
    equal(debian.debian_sources([entry('http://m/x', 'stable')], 'bookworm')[1:],
          [('http://security.debian.org/debian-security', 'bookworm-security', {})], 'from elsewhere')
    equal(len(debian.debian_sources([entry('http://m/debian', 'bookworm'), entry('http://s', 'bookworm/updates')], 'bookworm')),
          2, 'sources with the old name of the suite')


@test
def backports_are_apart(_):
    ours = entry('http://m/debian', 'bookworm bookworm-backports')
    equal([suite for _, suite, _ in debian.debian_sources([ours], 'bookworm')], ['bookworm', 'bookworm-security'], 'without')
    equal(debian.backports_sources([ours], 'bookworm'), [('http://m/debian', 'bookworm-backports', {})], 'as the system has them')
    equal(debian.backports_sources([entry('http://m/debian', 'bookworm', **{'signed-by': KEY})], 'bookworm'),
          [('http://m/debian', 'bookworm-backports', {'signed-by': KEY})], 'beside the main suite')


@test
def later_release_is_apart(_):
    ours = entry('http://m/debian', 'bookworm', **{'signed-by': KEY})
    equal(debian.later_sources([ours], 'bookworm'), [('http://m/debian', 'trixie', {'signed-by': KEY})], 'beside the main suite')
    equal(debian.later_sources([ours, entry('http://n/debian', 'trixie')], 'bookworm'), [('http://n/debian', 'trixie', {})],
          'as the system has it')
    equal([suite for _, suite, _ in debian.later_sources([entry('http://m/debian', 'trixie')], 'trixie')],
          ['trixie', 'trixie-security'], 'where it is the release itself')
    equal([debian.release_of(arch) for arch in ('riscv64', 'amd64-trixie', 'arm64')],
          ['trixie', 'trixie', debian.codename()], 'releases')


@test
def no_archive_is_said(_):
    has(raises(cache.Unavailable, debian.debian_sources, [entry('http://g', 'nodistro')], 'bookworm'),
        'name no archive of Debian bookworm', 'the sentence')


@test
def source_lines_per_architecture(_):
    equal(debian.source_lines([MAIN], 'armhf'), f'deb [arch=armhf signed-by={KEY}] http://m/debian bookworm main\n', 'binary')
    equal(debian.source_lines([MAIN], 'source'), f'deb-src [signed-by={KEY}] http://m/debian bookworm main\n', 'source')
    equal(debian.source_lines([('http://m', 's', {})], 'source'), 'deb-src http://m s main\n', 'without options')


# architecture, with its suffix -> are these source packages, what apt calls the architecture, the release
ARCHES = [
    ('arm64', False, 'arm64', 'bookworm'), ('armhf-backports', False, 'armhf', 'bookworm'), ('amd64-trixie', False, 'amd64', 'trixie'),
    ('source', True, debian.host_arch(), 'bookworm'), ('source-trixie', True, debian.host_arch(), 'trixie'),
]


@test
def architectures_and_what_they_are_taken_from(folder):
    Archive(folder)
    for arch, is_source, native, release in ARCHES:
        equal((debian.is_source(arch), debian.Apt(arch).native, debian.release_of(arch)), (is_source, native, release), arch)


# -- an archive in files

class Archive:
    """The suites bookworm and bookworm-security of one architecture below folder, and a system whose sources name them."""

    def __init__(self, folder, arch='arm64'):
        for tool in ('apt-get', 'apt-cache', 'dpkg-deb', 'dpkg-source'):
            if not shutil.which(tool):
                raise Skip(f'{tool} is not installed')
        self.folder, self.arch, self.packages, self.sources = folder, arch, {}, {}
        os.makedirs(f'{folder}/etc')
        self.use(f'file:{folder}/debian')
        with open(f'{folder}/os-release', 'w', encoding='utf-8') as f:
            f.write('ID=debian\nVERSION_CODENAME=bookworm\n')
        debian.SOURCES, debian.RELEASE_FILE = f'{folder}/etc', f'{folder}/os-release'
        self.forget()

    def use(self, uri):
        with open(f'{self.folder}/etc/sources.list', 'w', encoding='utf-8') as f:
            f.write(f'deb [trusted=yes] {uri} bookworm main\n')

    @staticmethod
    def forget():
        """Be a new process."""
        for function in (debian.apt, debian.codename):
            function.cache_clear()

    def suite(self, suite):
        return f'{self.folder}/debian{"-security" if suite.endswith("security") else ""}'

    def add(self, name, version, depends='', suite='bookworm', files=()):
        """Build a package; publish() puts it into the lists."""
        root = f'{self.folder}/build/{name}'
        shutil.rmtree(root, ignore_errors=True)
        os.makedirs(f'{root}/DEBIAN')
        for path in files or [f'usr/share/{name}/{version}']:
            os.makedirs(os.path.dirname(f'{root}/{path}'), exist_ok=True)
            with open(f'{root}/{path}', 'w', encoding='utf-8') as f:
                f.write(f'{name} {version}\n')
        control = f'Package: {name}\nVersion: {version}\nArchitecture: {self.arch}\nMaintainer: nobody <nobody@localhost>\n' + \
            (f'Depends: {depends}\n' if depends else '') + 'Description: made for a test\n'
        with open(f'{root}/DEBIAN/control', 'w', encoding='utf-8') as f:
            f.write(control)
        pool = f'{self.suite(suite)}/pool'
        os.makedirs(pool, exist_ok=True)
        deb = f'{pool}/{name}_{version}_{self.arch}.deb'
        subprocess.run(['dpkg-deb', '-Znone', '--root-owner-group', '--build', root, deb], check=True, stdout=subprocess.DEVNULL)
        with open(deb, 'rb') as f:
            data = f.read()
        self.packages.setdefault(suite, []).append(
            control.replace('Description:', f'Filename: pool/{os.path.basename(deb)}\nSize: {len(data)}\n'
                            f'SHA256: {hashlib.sha256(data).hexdigest()}\nDescription:'))
        return deb

    def add_source(self, name, version, suite='bookworm'):
        """Build a source package of one file."""
        root, pool = f'{self.folder}/build/{name}-{version}', f'{self.suite(suite)}/pool'
        os.makedirs(f'{root}/debian/source')
        os.makedirs(pool, exist_ok=True)
        for path, text in {'file': f'{name} {version}\n', 'debian/source/format': '3.0 (native)\n',
                           'debian/control': f'Source: {name}\nMaintainer: nobody <nobody@localhost>\n\nPackage: {name}\n'
                                             'Architecture: all\nDescription: made for a test\n',
                           'debian/changelog': f'{name} ({version}) unstable; urgency=low\n\n  * Made for a test.\n\n'
                                               ' -- nobody <nobody@localhost>  Thu, 01 Jan 2026 00:00:00 +0000\n'}.items():
            with open(f'{root}/{path}', 'w', encoding='utf-8') as f:
                f.write(text)
        subprocess.run(['dpkg-source', '--build', root], cwd=pool, check=True, stdout=subprocess.DEVNULL)
        lines = []
        for file in (f'{name}_{version}.dsc', f'{name}_{version}.tar.xz'):
            with open(f'{pool}/{file}', 'rb') as f:
                data = f.read()
            lines.append(f' {hashlib.sha256(data).hexdigest()} {len(data)} {file}\n')
        self.sources.setdefault(suite, []).append(f'Package: {name}\nVersion: {version}\nBinary: {name}\nArchitecture: all\n'
                                                  f'Format: 3.0 (native)\nDirectory: pool\nChecksums-Sha256:\n{"".join(lines)}')

    def publish(self):
        for suite in ('bookworm', 'bookworm-security', *(['trixie'] if 'trixie' in {*self.packages, *self.sources} else [])):
            dist = f'{self.suite(suite)}/dists/{suite}'
            shutil.rmtree(dist, ignore_errors=True)
            hashes = ''
            for file, entries in ((f'main/binary-{self.arch}/Packages', self.packages), ('main/source/Sources', self.sources)):
                os.makedirs(os.path.dirname(f'{dist}/{file}'))
                text = '\n'.join(entries.get(suite, []))
                with open(f'{dist}/{file}', 'w', encoding='utf-8') as f:
                    f.write(text)
                hashes += f' {hashlib.sha256(text.encode()).hexdigest()} {len(text)} {file}\n'
            with open(f'{dist}/Release', 'w', encoding='utf-8') as f:
                f.write(f'Suite: {suite}\nCodename: {suite}\nArchitectures: {self.arch}\nComponents: main\n'
                        f'Date: Thu, 01 Jan 2026 00:00:00 UTC\n'
                        f'SHA256:\n{hashes}')

    def remove(self):
        for name in ('debian', 'debian-security'):
            shutil.rmtree(f'{self.folder}/{name}', ignore_errors=True)


def files_of(root):
    return sorted(os.path.relpath(os.path.join(folder, name), root) for folder, _, names in os.walk(root) for name in names)


def fetched(archive, *names):
    with said() as text:
        path = debian.tree(archive.arch, debian.closure(archive.arch, names), 'the tree')
    return path, text.getvalue()


@test
def packages_with_all_they_need(folder):
    archive = Archive(folder)
    archive.add('liba', '1.2-3', 'libb (>= 1)', files=['lib/aarch64-linux-gnu/liba.so.1'])
    archive.add('libb', '1:2.0', files=['usr/lib/aarch64-linux-gnu/libb.so.2'])
    archive.add('libc', '1')
    archive.publish()
    with said():
        equal(debian.closure('arm64', ['liba']), [['liba', '1.2-3'], ['libb', '1:2.0']], 'the closure')
        equal(debian.versions('arm64', ['libc', 'libb']), [['libc', '1'], ['libb', '1:2.0']], 'the versions')
    path, _ = fetched(archive, 'liba')
    # lib of the package lies behind the link to usr/lib
    equal(files_of(path), ['usr/lib/aarch64-linux-gnu/liba.so.1', 'usr/lib/aarch64-linux-gnu/libb.so.2'], 'files')
    equal(os.readlink(f'{path}/lib'), 'usr/lib', 'the link lib')


@test
def security_suite_comes_first(folder):
    archive = Archive(folder)
    archive.add('liba', '1-1')
    archive.add('liba', '1-1+deb12u1', suite='bookworm-security')
    archive.publish()
    with said():
        equal(debian.versions('arm64', ['liba']), [['liba', '1-1+deb12u1']], 'the version')


@test
def architecture_of_the_later_release(folder):
    archive = Archive(folder, 'riscv64')
    archive.add('liba', '3', suite='trixie', files=['usr/lib64/liba.so'])
    archive.publish()
    path, text = fetched(archive, 'liba')
    has(text, 'package lists of riscv64', 'what is said')
    equal(files_of(path), ['usr/lib64/liba.so'], 'files')
    equal(os.readlink(f'{path}/lib64'), 'usr/lib64', 'the link lib64')
    with said():
        equal(raises(cache.Unavailable, debian.versions, 'riscv64', ['libb']), 'Debian trixie has no package libb for riscv64', 'the sentence')


@test
def source_packages_of_each_release(folder):
    archive = Archive(folder)
    for version, suite in (('1', 'bookworm'), ('2', 'bookworm'), ('3', 'trixie')):
        archive.add_source('a', version, suite)
    archive.publish()
    for arch, wanted in (('source', '2'), ('source-trixie', '3')):
        with said():
            version, path = debian.source('a', arch)
            equal((version, debian.source_version('a', arch)), (wanted, wanted), f'the version of {arch}')
            with open(f'{path}/file', encoding='utf-8') as f:
                equal(f.read(), f'a {wanted}\n', f'the file of {arch}')
    for arch, release in (('source', 'bookworm'), ('source-trixie', 'trixie')):
        with said():
            equal(raises(cache.Unavailable, debian.source_version, 'b', arch), f'Debian {release} has no source package b', 'the sentence')


@test
def mirror_without_the_later_release(folder):
    archive = Archive(folder, 'riscv64')
    archive.publish()
    with said():
        text = raises(cache.Unavailable, debian.versions, 'riscv64', ['liba'])
    has(text, 'the package lists of riscv64 cannot be fetched (', 'the sentence')
    has(text, 'trixie', 'the sentence')


@test
def nothing_is_asked_twice(folder):
    archive = Archive(folder)
    archive.add('liba', '1')
    archive.publish()
    path, text = fetched(archive, 'liba')
    has(text, 'package lists of arm64', 'the first run')
    archive.remove()
    archive.forget()
    # Neither the archive nor apt itself is there any more.
    shell_path = os.environ['PATH']
    os.environ['PATH'] = ''
    try:
        debian.codename = lambda: 'bookworm'
        equal(fetched(archive, 'liba'), (path, ''), 'the second run')
    finally:
        os.environ['PATH'] = shell_path
        debian.codename = REAL_CODENAME


@test
def without_network(folder):
    archive = Archive(folder)
    # Nobody listens on this port: refused at once.
    archive.use('http://127.0.0.1:1/debian')
    with said():
        text = raises(cache.Unavailable, debian.closure, 'arm64', ['liba'])
    has(text, 'the package lists of arm64 cannot be fetched (Failed to fetch http://127.0.0.1:1/debian', 'the sentence')
    equal('\n' in text, False, 'more than one line')
    equal(os.path.exists(os.path.join(cache.root(), 'resolved.json')), False, 'something remembered')


@test
def packages_gone_before_they_were_fetched(folder):
    archive = Archive(folder)
    archive.add('liba', '1')
    archive.publish()
    with said():
        packages = debian.closure('arm64', ['liba'])
    archive.remove()
    archive.forget()
    with said():
        text = raises(cache.Unavailable, debian.tree, 'arm64', packages, 'the tree')
    has(text, 'the tree is not in the cache, and the package lists of arm64 cannot be fetched', 'the sentence')
    equal(os.listdir(os.path.join(cache.root(), 'trees')), [], 'what is left')


@test
def damaged_package_is_refused(folder):
    archive = Archive(folder)
    deb = archive.add('liba', '1')
    archive.publish()
    with open(deb, 'r+b') as f:
        f.seek(-3, os.SEEK_END)
        f.write(b'xxx')
    with said():
        text = raises(cache.Unavailable, debian.tree, 'arm64', debian.closure('arm64', ['liba']), 'the tree')
    has(text, 'packages of arm64 cannot be fetched', 'the sentence')
    equal(os.listdir(os.path.join(cache.root(), 'trees')), [], 'what is left')


@test
def newer_version_takes_the_place_of_one_that_is_gone(folder):
    archive = Archive(folder)
    deb = archive.add('liba', '1')
    archive.publish()
    with said():
        equal(debian.closure('arm64', ['liba']), [['liba', '1']], 'the first version')
    os.unlink(deb)
    archive.packages.clear()
    archive.add('liba', '2')
    archive.publish()
    archive.forget()
    prepare = debian.current(lambda: debian.tree('arm64', debian.closure('arm64', ['liba']), 'the tree'))
    with said():
        equal(files_of(prepare()), ['usr/share/liba/2'], 'files')


@test
def update_forgets_and_needs_the_archive(folder):
    archive = Archive(folder)
    archive.add('liba', '1')
    archive.publish()
    old, _ = fetched(archive, 'liba')
    archive.add('liba', '2')
    archive.publish()
    archive.forget()
    equal(fetched(archive, 'liba')[0], old, 'the tree before the update')
    archive.forget()
    with said():
        debian.update(['arm64'])
    new, _ = fetched(archive, 'liba')
    equal(files_of(new), ['usr/share/liba/2'], 'files after the update')
    archive.remove()
    archive.forget()
    with said():
        raises(cache.Unavailable, debian.update, ['arm64'])
    equal(fetched(archive, 'liba')[0], new, 'the tree after an update that failed')


@test
def lagging_security_suite(folder):
    archive = Archive(folder, 'armhf')
    archive.add('liba', '1')
    archive.add('liba', '2', suite='bookworm-security')
    archive.publish()
    # The list was changed after its hash was published.
    with open(f'{folder}/debian-security/dists/bookworm-security/main/binary-armhf/Packages', 'a', encoding='utf-8') as f:
        f.write('\n')
    with said() as text:
        equal(debian.versions('armhf', ['liba']), [['liba', '1']], 'the version')
    has(text.getvalue(), 'going on with the main suite', 'what was said')


@test
def lagging_main_suite_is_an_error(folder):
    archive = Archive(folder)
    archive.add('liba', '1')
    archive.publish()
    with open(f'{folder}/debian/dists/bookworm/main/binary-arm64/Packages', 'a', encoding='utf-8') as f:
        f.write('\n')
    with said():
        has(raises(cache.Unavailable, debian.versions, 'arm64', ['liba']), 'the package lists of arm64', 'the sentence')


@test
def package_that_does_not_exist(folder):
    archive = Archive(folder)
    archive.add('liba', '1', 'libz')
    archive.publish()
    with said():
        equal(raises(cache.Unavailable, debian.versions, 'arm64', ['libq']), 'Debian bookworm has no package libq for arm64', 'it')
        has(raises(cache.Unavailable, debian.closure, 'arm64', ['libq']), 'Unable to locate package libq', 'the closure')
        has(raises(cache.Unavailable, debian.closure, 'arm64', ['liba']), 'packages for arm64 cannot be put together: liba', 'liba')
        equal(debian.provides('arm64', 'libq'), None, 'what is provided')
        # Not remembered: it may come.
        archive.add('libq', '1')
        archive.publish()
        archive.forget()
        debian.update(['arm64'])
        equal(debian.provides('arm64', 'libq')['Version'], '1', 'the version')


@test
def no_debian(folder):
    archive = Archive(folder)
    with open(f'{folder}/os-release', 'w', encoding='utf-8') as f:
        f.write('ID=fedora\nVERSION_ID=40\n')
    archive.forget()
    has(raises(cache.Unavailable, debian.versions, 'arm64', ['liba']), 'this is no Debian', 'the sentence')


@test
def links_stay_inside_the_tree(folder):
    os.makedirs(f'{folder}/usr/lib/x')
    open(f'{folder}/usr/lib/x/liba.so.1', 'w', encoding='utf-8').close()
    os.symlink('usr/lib', f'{folder}/lib')
    os.symlink('/lib/x/liba.so.1', f'{folder}/usr/lib/x/liba.so')
    os.symlink('liba.so.1', f'{folder}/usr/lib/x/same.so')
    sysroot.make_links_relative(folder)
    equal(os.path.realpath(f'{folder}/usr/lib/x/liba.so'), os.path.realpath(f'{folder}/usr/lib/x/liba.so.1'), 'the target')
    equal(os.readlink(f'{folder}/usr/lib/x/same.so'), 'liba.so.1', 'a link that was relative')


REAL_CODENAME = debian.codename

if __name__ == '__main__':
    sys.exit(main())
