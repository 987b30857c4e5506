# SPDX-License-Identifier: GPL-2.0-or-later
# The front door; the build system is meson.
PREFIX ?= /usr/local
EXAMPLE = build/dwell explain --what-if 192 --budget 100us --overhead 20-30% \
	examples/latency_trace-2.6.21-rt1.txt
SANITIZE = -Db_sanitize=address,undefined -Db_lundef=false -Dc_args=-fno-sanitize-recover=all
# As on arm and PowerPC, where a char has no sign.
OTHER_CHAR = ' -funsigned-char'
# Without the comparisons, as much CPU time finds more: the dictionaries have the words.
FUZZ_SANITIZE = $(SANITIZE)' -fsanitize=fuzzer-no-link -fno-sanitize-coverage=trace-cmp'
FUZZ_RUNS ?= 1000000
FUZZ_TARGETS ?=

help:
	@echo 'make run       install what is missing, build, explain an example, record another and its repair'
	@echo 'make check     install what is missing; all tests with gcc, then with clang, ASan and UBSan'
	@echo 'make fuzz      each fuzz target, a million executions (FUZZ_RUNS, FUZZ_TARGETS)'
	@echo 'make bench     how fast it reads, and what counting locks costs, beside others'
	@echo 'make install   to PREFIX (/usr/local), below DESTDIR'
	@echo 'make format    clang-format'
	@echo 'make clean     remove the build folders'

build/build.ninja:
	@meson setup build

build: build/build.ninja
	@meson compile -C build

run:
	@scripts/install-deps run
	@$(MAKE) --no-print-directory build
	$(EXAMPLE)
	build/dwell record locks -o build/before.json -- build/work-queue
	build/dwell record locks -o build/after.json -- build/work-queue --fixed 2>/dev/null
	build/dwell diff build/before.json build/after.json

check:
	@scripts/install-deps check
	@rc=0; \
	scripts/check-build build gcc -Dtests=enabled --werror || rc=1; \
	scripts/check-build build-clang clang -Dtests=enabled --werror $(SANITIZE)$(OTHER_CHAR) || rc=1; \
	tests/summary.py build build-clang || rc=1; \
	exit $$rc

fuzz:
	@scripts/install-deps fuzz
	@test -f build-fuzz/build.ninja || \
		CC=clang meson setup build-fuzz -Dfuzz=true -Dtests=enabled --werror $(FUZZ_SANITIZE)
	@meson compile -C build-fuzz fuzz
	@tests/fuzz/run.py build-fuzz $(FUZZ_RUNS) $(FUZZ_TARGETS)

bench:
	@scripts/install-deps bench
	@$(MAKE) --no-print-directory build
	@meson compile -C build bench_generate bench_measure bench_scan bench_whole bench_lock_pair
	@meson compile -C build bench_iterate || echo 'no libtracecmd-dev: not measured'
	@tests/bench/run.py build
	@tests/bench/whole.py build
	@tests/bench/locks.py build

install:
	@test -f build/build.ninja || meson setup build
	@meson configure build -Dprefix=$(abspath $(PREFIX))
	@DESTDIR="$(DESTDIR)" meson install -C build

format:
	clang-format -i $(wildcard src/*/*.[ch] tests/*/*.[ch] wire/*.[ch] preload/*.[ch] bpf/*.[ch])

clean:
	rm -rf build build-clang build-fuzz

.PHONY: help build run check fuzz bench install format clean
