# SPDX-License-Identifier: MIT
"""Which lines of each parser its fuzz target reaches, and which functions no target does: scripts/fuzz --coverage.

Clang's coverage of sources, in a build of its own (build-fuzz-coverage): each target runs once over the inputs of the tree and
those that were kept. The last lines say what that is for all of them together.
"""
import concurrent.futures
import fnmatch
import glob
import json
import os
import subprocess
import sys

import fuzz_targets
import tree

BUILD = 'build-fuzz-coverage'
PROFDATA, COV = 'llvm-profdata-14', 'llvm-cov-14'
SECONDS = 600


def program(name):
    return f'{BUILD}/tests/fuzz/fuzz_{name}'


def profile(name):
    return f'{BUILD}/{name}.profdata'


def measure(name):
    """Run a target over its inputs; what went wrong, or ''."""
    raw, log = f'{BUILD}/{name}.profraw', f'{BUILD}/{name}.log'
    folders = [folder for folder in (fuzz_targets.seeds(name), fuzz_targets.kept(name)) if os.path.isdir(folder)]
    with open(log, 'wb') as out:
        # With -runs=0 the inputs alone are executed.
        done = subprocess.run([program(name), '-runs=0', f'-max_len={fuzz_targets.parsers()[name]["bytes"]}', *folders], stdout=out,
                              stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, check=False, timeout=SECONDS,
                              env=dict(os.environ, LLVM_PROFILE_FILE=os.path.abspath(raw)))
    if done.returncode:
        return f'exit status {done.returncode}, {log}'
    merged = subprocess.run([PROFDATA, 'merge', '-sparse', '-o', profile(name), raw], check=False).returncode
    os.unlink(raw)
    return f'{PROFDATA} ended with {merged}' if merged else ''


def exported(merged, names):
    """What llvm-cov says of these programs."""
    objects = [word for name in names for word in ('-object', program(name))][1:]
    done = subprocess.run([COV, 'export', f'-instr-profile={merged}', '-skip-expansions', *objects], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, check=True)
    return json.loads(done.stdout)['data'][0]


def relative(path):
    return os.path.relpath(path, tree.ROOT)


def lines_of(data, patterns):
    """(lines that were reached, lines that can be) of the files that fit."""
    counts = [entry['summary']['lines'] for entry in data['files']
              if any(fnmatch.fnmatchcase(relative(entry['filename']), pattern) for pattern in patterns)]
    return sum(count['covered'] for count in counts), sum(count['count'] for count in counts)


def functions_of(data):
    """{(file, function): how often it was called}; static ones are called "file.c:name" and may be of several programs."""
    found = {}
    for entry in data['functions']:
        where = relative(entry['filenames'][0]), entry['name'].rpartition(':')[2]
        found[where] = found.get(where, 0) + entry['count']
    return found


def unreached(functions, patterns):
    """[(file, names)] of the functions in files that fit which nothing called."""
    by_file = {}
    for (path, name), count in functions.items():
        if not count and any(fnmatch.fnmatchcase(path, pattern) for pattern in patterns):
            by_file.setdefault(path, []).append(name)
    return sorted((path, sorted(names)) for path, names in by_file.items())


def never_entered(functions, folders):
    """Files of these folders of which no function was called, or which no target has."""
    entered = {path for (path, _), count in functions.items() if count}
    return [path for path in tree.files('.c') if path.startswith(folders) and '/tests/' not in path and path not in entered]


def table(rows):
    """One line for a parser: its target, the lines, the patterns."""
    for name, (covered, lines), sources in rows:
        share = 100 * covered / lines if lines else 0
        print(f'{name:16} {share:5.1f} %  {covered:5} of {lines:5} lines  {" ".join(sources)}')


def report(names):
    """Build, run and print; the exit status."""
    os.chdir(tree.ROOT)
    built = subprocess.run(['scripts/build', 'coverage', *(f'tests/fuzz/fuzz_{name}' for name in names)], stdout=sys.stderr, check=False)
    if built.returncode:
        return 1
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        wrong = {name: text for name, text in zip(names, pool.map(measure, names)) if text}
    for name, text in wrong.items():
        print(f'{name}: {text}')
    names = [name for name in names if name not in wrong]
    if not names:
        return 1
    parsers = fuzz_targets.parsers()
    table([(name, lines_of(exported(profile(name), [name]), parsers[name]['sources']), parsers[name]['sources']) for name in names])
    merged = f'{BUILD}/all.profdata'
    subprocess.run([PROFDATA, 'merge', '-sparse', '-o', merged, *map(profile, names)], check=True)
    data = exported(merged, names)
    functions = functions_of(data)
    patterns = sorted({pattern for name in names for pattern in parsers[name]['sources']})
    files = {path for pattern in patterns for path in glob.glob(pattern)}
    table([('all together', lines_of(data, patterns), [f'{len(files)} files'])])
    print('\nFunctions of these parsers that no target reaches:')
    for path, missing in unreached(functions, patterns):
        print(f'  {path}: {", ".join(missing)}')
    print('\nFiles that no target enters:')
    for path in never_entered(functions, ('base/', 'count/', 'gl/', 'trace/')):
        print(f'  {path}')
    return 1 if wrong else 0
