# SPDX-License-Identifier: Apache-2.0
# The commands of the project. `make check` and `make crawl` are the README's two: each installs
# what is missing (tools/install-packages, Debian 12), builds, and does its job.
#
#   make                 build/orbweaver
#   make check           every test of the check tier; ends with "N passed, N failed"
#   make crawl SEEDS=…   crawl into OUT=crawl; without seeds, a simulated web of this machine
#   make cluster SEEDS=… several agents on this machine are one crawl; AGENTS=3, OUT=cluster-crawl;
#                        WIRING=managed or priority: a manager and members
#   make demo            serve a small simulated web to look at (build/simweb/simweb --demo)
#   make soak            long and many-seeded runs, hours of them; SOAK="--only kills" for a part of it
#   make bench           all timing, and at last one table of what a page costs; TABLE=--quick for a try
#   make fuzz T=60       libFuzzer on every target, T seconds each
#   make lint            clang-format, clang-tidy, layers
#   make install         DESTDIR= PREFIX=/usr/local

SHELL = /bin/bash
PREFIX ?= /usr/local
DESTDIR ?=
T ?= 60
SOAK ?=
TABLE ?= --peers
SEEDS ?=
OUT ?= crawl
AGENTS ?= 3
WIRING ?= ring
export PYTHONDONTWRITEBYTECODE = 1

.PHONY: all check crawl cluster demo soak bench fuzz lint format install clean

# The program alone: a build that `make check` has used has hundreds of test programs, too.
all: build/build.ninja
	@ninja -C build orbweaver orbweaver.1 orbweaver.bash simweb/simweb

build/build.ninja:
	@tools/install-packages build
	@meson setup build $(MESON_OPTIONS) -Dtests=false --prefix=$(PREFIX) >/dev/null || \
	    { cat build/meson-logs/meson-log.txt; rm -rf build; exit 1; }

check:
	@tools/install-packages build test
	@tools/check

crawl: all
	@SEEDS="$(SEEDS)" OUT="$(OUT)" tools/crawl

cluster: all
	@tools/install-packages build test
	@SEEDS="$(SEEDS)" OUT="$(if $(filter crawl,$(OUT)),cluster-crawl,$(OUT))" AGENTS="$(AGENTS)" WIRING="$(WIRING)" tools/cluster

demo: all
	@build/simweb/simweb --demo $(DEMO)

soak:
	@tools/install-packages build test
	@tools/soak $(SOAK)

bench:
	@tools/install-packages build test bench
	@TABLE="$(TABLE)" tools/bench

fuzz:
	@tools/install-packages build test
	@tools/fuzz $(T)

lint:
	@tools/install-packages build test lint
	@tools/lint

format:
	@git ls-files -z '*.c' '*.h' | xargs -0 clang-format -i

install: all
	@meson configure build --prefix=$(PREFIX) >/dev/null
	@DESTDIR=$(DESTDIR) meson install -C build --no-rebuild

clean:
	rm -rf build build-asan build-tsan build-fuzz build-bench build-s390x build-arm64
