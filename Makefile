# SPDX-License-Identifier: MIT
# Thin: everything is done by meson and by scripts/; this file gives the work names that people know.
#
#   make run                          WERROR=1        warnings are errors (CI does this)
#   make test                         FUZZ_SECONDS=N  length of one fuzz target
#   make test T=NAME                  NO_DEPS=1       never call apt-get
#   make test Y=YARD, make lint Y=YARD   one part of the tree; make test-all FROM=PART goes on there
#   make install prefix=/usr DESTDIR=/tmp/root

BUILD ?= build
prefix ?= /usr/local
PREFIX ?= $(prefix)
DESTDIR ?=
T ?=
Y ?=
FROM ?=
export BUILD PREFIX DESTDIR

.PHONY: all run test test-all lint lint-light format docs bench lab fuzz install install-strip uninstall dist deb static clean help

all:
	@scripts/install-deps build
	@scripts/build release

run: all
	@scripts/run

test:
	@scripts/install-deps build test lab
	@scripts/test $(if $(Y),--yard '$(Y)',$(if $(T),'$(T)'))

test-all:
	@scripts/install-deps build test lab packages disguise subsets
	@scripts/test --all $(if $(FROM),'$(FROM)')

lint-light:
	@scripts/install-deps build lint-light
	@scripts/lint --light

lint:
	@scripts/install-deps build lint
	@scripts/lint $(if $(Y),--yard '$(Y)')

format:
	@scripts/install-deps lint
	@scripts/format

docs: all
	@scripts/install-deps docs
	@scripts/docs

bench:
	@scripts/install-deps build bench
	@scripts/build release
	@scripts/bench

lab:
	@scripts/install-deps build lab
	@lab/ntime-lab prepare

fuzz:
	@scripts/install-deps build test lab
	@scripts/fuzz

install: all
	@scripts/install

install-strip: all
	@scripts/install --strip

uninstall:
	@scripts/uninstall

dist:
	@scripts/dist

deb:
	@scripts/install-deps build deb
	@scripts/deb $(ARCH)

static:
	@scripts/install-deps build
	@scripts/static

clean:
	rm -rf $(BUILD) $(BUILD)-yard-* build-asan-yard-* build-asan build-tsan build-fuzz build-fuzz-coverage build-lint build-analyzer build-lab

help:
	@echo 'make all      build the library and the command in $(BUILD)/'
	@echo 'make run      build, then measure a real workload with ntime'
	@echo 'make test     the short run of the tests; T=NAME runs one, by the name that the log shows; Y=trace those of a yard'
	@echo 'make test-all every test: all guests of the lab, more sanitizers, longer fuzzing; FROM=lab goes on there'
	@echo 'make lint     every static check; names the steps with findings; lint-light: the quick ones; Y=trace: of the files of a yard'
	@echo 'make format   put all C files into the form that lint wants'
	@echo 'make docs     man pages as HTML in $(BUILD)/html/'
	@echo 'make bench    the programs of bench/, side by side with their peers'
	@echo 'make lab      prepare every guest of the lab, so that it works offline'
	@echo 'make fuzz     every fuzz target and the driver for FUZZ_SECONDS (600)'
	@echo 'make install  into DESTDIR and prefix (/usr/local); install-strip: without debug information'
	@echo 'make uninstall  with the same prefix and DESTDIR, removes what make install put there'
	@echo 'make dist     the source archive of the last commit, in $(BUILD)/dist'
	@echo 'make deb      packages of Debian, in $(BUILD)/deb; ARCH=armhf and others: cross-built'
	@echo 'make static   for machines on which nothing is installed: $(BUILD)/static/ntime, and ntime-trace'
	@echo 'make clean    remove the build directories'
	@echo 'Each installs what it lacks with apt-get first; NO_DEPS=1 forbids that.'
