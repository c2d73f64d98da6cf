# SPDX-License-Identifier: MIT
# Thin: everything is done by meson and by scripts/; this file gives the work names that people know.
#
#   make run                          WERROR=1        warnings are errors (CI does this)
#   make test                         FUZZ_SECONDS=N  length of one fuzz target in "make fuzz"
#   make install prefix=/usr DESTDIR=/tmp/root        NO_DEPS=1  never call apt-get

BUILD ?= build
prefix ?= /usr/local
PREFIX ?= $(prefix)
DESTDIR ?=
export BUILD PREFIX DESTDIR

.PHONY: all run test lint format docs bench lab fuzz install clean help

all:
	@scripts/install-deps build
	@scripts/build release

run: all
	@scripts/run

test:
	@scripts/install-deps build test
	@scripts/test

lint:
	@scripts/install-deps build test lint
	@scripts/lint

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

clean:
	rm -rf $(BUILD) build-asan build-tsan build-fuzz build-lint build-analyzer build-lab

help:
	@echo 'make all      build the library and the command in $(BUILD)/'
	@echo 'make run      build, then measure a real workload with ntime'
	@echo 'make test     build with sanitizers and run every test'
	@echo 'make lint     every static check; names the steps with findings'
	@echo 'make format   put all C files into the form that lint wants'
	@echo 'make docs     man pages as HTML in $(BUILD)/html/'
	@echo 'make bench    the programs of bench/, side by side with their peers'
	@echo 'make lab      prepare every guest of the lab, so that it works offline'
	@echo 'make fuzz     every fuzz target and the driver for FUZZ_SECONDS (600)'
	@echo 'make install  into DESTDIR and prefix (/usr/local)'
	@echo 'make clean    remove the build directories'
	@echo 'Each installs what it lacks with apt-get first; NO_DEPS=1 forbids that.'
