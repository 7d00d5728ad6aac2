# A thin layer over CMake's presets: each target says what it runs. The first
# thing most of them do is to install the packages they need and do not find.

PREFIX ?= /usr/local

# CMake, where the system's is too old (scripts/setup.sh).
export PATH := $(CURDIR)/build/tools/bin:$(PATH)

# The release tree. A new one begins without tests and benchmarks, which need
# time and packages of their own; they are switched on when asked for, and stay on.
new_tree = $(if $(wildcard build/CMakeCache.txt),,-DDOALL_TESTS=OFF -DDOALL_BENCH=OFF \
  $(shell scripts/setup.sh --compilers))
configure = cmake --preset release $(new_tree)
jobs = -j$(shell nproc)
# No test of the gate judges a clock, and most of them wait now and then: two for each CPU.
test-jobs = -j$(shell echo $$((2 * $$(nproc))))

# Sanitizer presets whose trees `make test-sanitizers` builds and tests: the engine and the OpenMP
# door, by the tests with these labels.
SANITIZED ?= asan tsan
LABELS ?= unit|property|stress|omp

SOURCES = $(shell git ls-files -co --exclude-standard '*.c' '*.h' '*.cpp' '*.hpp')

# How many times their usual cases or seconds tests with a long form have under sanitizers; `make
# soak` has four times as many unless it is told.
LONG ?= 1
soak: LONG = 4

.PHONY: build plugin test headers gate test-all models test-sanitizers test-bench bars mutants soak conformance compat python programs programs-advice package package-test packages release mpi demo screenshot docs bench install format lint model clean help
.DEFAULT_GOAL := build

# Another processor's libraries and their tests, by Debian's cross compiler, under qemu-user:
# `make CROSS=aarch64 build`, `test`, in build/aarch64. The emulator is slow, and knows no other
# order of memory than this machine's: its models and proofs argue that (src/*/README.md).
ifdef CROSS
cross-tree = build/$(CROSS)
cross-configure = cmake --preset release -B $(cross-tree) -DCMAKE_TOOLCHAIN_FILE=cmake/cross.cmake \
  -DDOALL_CROSS=$(CROSS) -DDOALL_COMMAND=OFF -DDOALL_BENCH=OFF

build:
	@scripts/setup.sh build cross
	@$(cross-configure) -DDOALL_TESTS=OFF
	@cmake --build $(cross-tree)

test: # LABELS='unit|property': fewer of them
	@scripts/setup.sh build cross
	@$(cross-configure) -DDOALL_TESTS=ON
	@cmake --build $(cross-tree)
	ctest --test-dir $(cross-tree) --output-on-failure $(jobs) -L '^($(LABELS))$$' -LE '^timing$$'
	@scripts/setup.sh conformance || echo "libgomp's own tests are skipped" >&2
	python3 -B tests/conformance/run.py --library $(cross-tree)/lib/doall/omp --column $(CROSS) $(jobs) --part 1/40
else

build: ## build/bin/doall, build/lib/libdoall.so, build/lib/libdoall-omp.so, build/lib/doall/omp/libgomp.so.1
	@scripts/setup.sh build
	@$(configure)
	@cmake --build --preset release

plugin: ## the same with the compiler drivers: doall cc, doall c++, doall fortran (GCC='14 16': also for these versions)
	@scripts/setup.sh build plugin
	@$(configure)
	@cmake --build --preset release

# GCC's plugin headers, of that version alone, are not everywhere.
plugin-headers = (scripts/setup.sh plugin || echo "doall cc and its tests are left out" >&2)

# Tests that judge a clock (`make bars`), those of the benchmarks, and the models are not in `make
# test`; CONTRIBUTING.md lists what runs when.
build-tests = scripts/setup.sh build test && $(plugin-headers) && $(configure) -DDOALL_TESTS=ON && \
  cmake --build --preset release

test: ## builds what users have, and runs its tests
	@$(build-tests)
	@scripts/setup.sh conformance || echo "libgomp's own tests are skipped" >&2
	ctest --test-dir build --output-on-failure $(test-jobs) -LE '^(timing|bench|model)$$'
endif

gate: ## the same as .ci/run: test, models, test-sanitizers
	@$(MAKE) --no-print-directory test
	@$(MAKE) --no-print-directory models
	@$(MAKE) --no-print-directory test-sanitizers

test-all: ## before a release: the gate in the long form, soak, includes, mutants, test-bench, bars
	@$(MAKE) --no-print-directory gate LONG=4
	@$(MAKE) --no-print-directory soak
	@$(MAKE) --no-print-directory includes mutants test-bench bars

models: ## the models, on fifty thousand interleavings each
	@scripts/setup.sh build test
	@$(configure) -DDOALL_TESTS=ON
	@cmake --build --preset release --target doall_models
	ctest --test-dir build --output-on-failure $(test-jobs) -L '^model$$' -LE mutants

test-sanitizers: ## the tests under AddressSanitizer and ThreadSanitizer
	@for preset in $(SANITIZED); do $(MAKE) --no-print-directory test-$$preset || exit; done

test-bench: ## the benchmarks run, their answers verify
	@scripts/setup.sh build test bench && $(plugin-headers)
	@$(configure) -DDOALL_TESTS=ON -DDOALL_BENCH=ON
	@cmake --build --preset release
	ctest --test-dir build --output-on-failure $(jobs) -L '^bench$$' -LE '^timing$$'

bars: ## the tests that judge a clock, alone on a quiet machine
	@scripts/setup.sh build test bench && $(plugin-headers)
	@$(configure) -DDOALL_TESTS=ON -DDOALL_BENCH=ON
	@cmake --build --preset release
	ctest --test-dir build --output-on-failure -L '^timing$$'

soak: ## the tests that have a long form, on LONG times as many cases or seconds (default 4)
	@$(build-tests)
	DOALL_TEST_LONG=$(LONG) ctest --test-dir build --output-on-failure $(test-jobs) -L soak -LE '^timing$$'

# With SID=FOLDER the compilers, and the sources of their tests, are those of the Debian in there,
# GCC 16 and LLVM 23 unless told otherwise; without, GCC 12's tests by gcc, and LLVM 19's.
newest-in = $(if $(SID),$(2),$(1))
conformance: GCC ?= $(call newest-in,,16)
conformance: LLVM ?= $(call newest-in,19,23)
conformance: in-folder = $(if $(SID),GCC=$(GCC) LLVM=$(LLVM) scripts/in_folder.sh $(SID))
conformance: with = --library build/lib/doall/omp $(jobs) $(if $(ONLY),--only '$(ONLY)')
conformance: ## libgomp's and LLVM's own tests, by GCC on libgomp and by Clang on libomp, and on doall (ONLY='pattern': some; GCC=16 LLVM=23: whose; SID=FOLDER: a debootstrap that has them, made if it is not there)
	@$(if $(SID),scripts/setup.sh build,scripts/setup.sh build conformance)
	@$(configure)
	@cmake --build --preset release --target doall_gomp doall_omp
	$(in-folder) python3 -B tests/conformance/run.py $(with) $(GCC:%=--gcc %) --llvm $(LLVM)
	$(in-folder) python3 -B tests/conformance/llvm.py $(with) --release $(LLVM)
	$(in-folder) python3 -B tests/conformance/llvm.py $(with) --release $(LLVM) --compiler $(or $(GCC:%=gcc-%),gcc)

compat: ## oneTBB's and libstdc++'s own tests of their loops and algorithms on doall (ONLY='pattern': some)
	@scripts/setup.sh build conformance
	@$(configure)
	@cmake --build --preset release --target doall
	python3 -B tests/conformance/onetbb.py --library build/lib $(jobs) $(if $(ONLY),--only '$(ONLY)')
	python3 -B tests/conformance/pstl.py --library build/lib $(jobs) $(if $(ONLY),--only '$(ONLY)')

python: ## scikit-learn, LightGBM, XGBoost, numba and more in a virtual environment, plainly and on doall (ONLY='name ...': some of them)
	@scripts/setup.sh build test
	@$(configure) -DDOALL_TESTS=ON
	@cmake --build --preset release --target doall_cli doall_gomp doall_python python_bodies \
	  python_bodies_openmp
	python3 -B tests/e2e/python/run.py --doall build/bin/doall --cache build/python \
	  --bodies build/tests/e2e/python/python_bodies.so $(ONLY:%=--only %)

# The folder of what it installs: some 5 GB.
PROGRAMS ?= build/programs

programs: ## tesseract, IQ-TREE, PyTorch, faiss and more, as Debian and PyPI have them, plainly and on doall: the same output, times in turns (ONLY='name ...': some; ROUNDS=n; PAGE=FILE)
	@scripts/setup.sh build
	@$(configure)
	@cmake --build --preset release --target doall_cli doall_gomp doall_omp
	python3 -B tests/e2e/programs/run.py --doall build/bin/doall --folder $(PROGRAMS) \
	  $(ROUNDS:%=--rounds %) $(PAGE:%=--page %) $(ONLY:%=--only %)

programs-advice: ## what the report's first sentence says of them, followed: times before and after (ROUNDS=n; PAGE=FILE; ONLY='name ...'; BESIDE=1: also on their own runtimes)
	@cmake --build --preset release --target doall_cli doall_gomp doall_omp
	python3 -B tests/e2e/programs/advice.py --doall build/bin/doall --folder $(PROGRAMS) \
	  $(ROUNDS:%=--rounds %) $(PAGE:%=--page %) $(ONLY:%=--only %) $(BESIDE:%=--beside)

includes: ## each file of the libraries and the command by itself, without precompiled headers
	@scripts/setup.sh build
	@cmake --preset dev -B build/includes -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON \
	  -DDOALL_TESTS=OFF -DDOALL_BENCH=OFF
	@cmake --build build/includes

headers: ## the headers by every GCC and Clang that is here: each standard and library, without RTTI, warnings as errors
	bash tests/native/doors/headers.sh tests/native/doors include full

mpi: ## loops over ranks, by Open MPI and MPICH, on 1, 2, 4 and 7 ranks, and ranks that die; then the bench of dealing
	@scripts/setup.sh build test mpi
	@$(configure) -DDOALL_TESTS=ON -DDOALL_BENCH=ON
	@cmake --build --preset release --target doall_mpi_programs mpi_tests mpi_stress
	DOALL_TEST_MPI=full ctest --test-dir build --output-on-failure -L mpi
	bench/mpi/dealing.sh build/libexec/doall

package: ## Debian packages, which lintian checks, and the Python wheel, in build/package (ONLY=deb or wheel: one)
	@scripts/setup.sh build package && $(plugin-headers)
	scripts/package.sh $(ONLY)

package-test: package ## installs both into a bare Debian 12 and 13, uses and removes them there (as root)
	tests/e2e/package/run.sh build/package build/package/bare-bookworm bookworm $(ONLY)
	tests/e2e/package/run.sh build/package build/package/bare-trixie trixie $(ONLY)

release: ## all that a release is: everything tested, packages made and tried in bare systems; says what it would tag (STEPS='name ...': some, for a trial; docs/releasing.md)
	scripts/release.sh $(STEPS)

packages: ## Debian's source packages, built by the compiler drivers (ONLY='name ...': some of them)
	@$(configure)
	@cmake --build --preset release --target doall_cli doall_plugin doall_gomp
	bash tests/plugin/packages.sh build/bin build/packages $(ONLY)

# hwloc's plugins are for displays and accelerators, which doall asks nothing about: without them no
# exit handler of X11's runs, of which TSan cannot know that it follows what a worker loaded.
test-%: export HWLOC_PLUGINS_PATH =
test-%: ## the tests under a sanitizer: test-asan, test-tsan
	@scripts/setup.sh build test
	@cmake --preset $* -DDOALL_COMMAND=OFF
	@cmake --build --preset $*
	DOALL_TEST_LONG=$(LONG) ctest --test-dir build/$* --output-on-failure $(test-jobs) -L '^($(LABELS))$$' -LE '^timing$$'

demo: ## an OpenMP program on libgomp and on doall, under several schedules (SCALE=n or GRAPH=FILE)
	@scripts/demo.sh

screenshot: demo ## docs/images/report.png: the demo's report in Chromium
	scripts/screenshot.py build/demo/report.html docs/images/report.png

docs: ## the documents and the API reference as a site with search, build/docs/site, by doxygen and by mkdocs from PyPI; dead links are errors
	@scripts/setup.sh docs
	python3 -B scripts/docs.py

bench: ## doall bench: empty loops, loops of all lengths, a shared machine, reductions, both papers' programs, with the peers (PEERS=FOLDER: those of a debootstrap, made if it is not there)
	@scripts/setup.sh build bench
	@$(if $(PEERS),scripts/in_folder.sh $(PEERS))
	@$(configure) -DDOALL_BENCH=ON -DDOALL_PEERS='$(abspath $(PEERS))'
	@cmake --build --preset release
	build/bin/doall bench burden
	build/bin/doall bench envelope
	build/bin/doall bench idle
	build/bin/doall bench oversubscribed
	build/bin/doall bench noisy
	build/bin/doall bench reduce
	build/bin/doall bench programs
	build/bin/doall bench afs

install: build ## installs into PREFIX (default /usr/local)
	cmake --install build --prefix '$(PREFIX)'

format: ## formats all C and C++ files in place
	@scripts/setup.sh lint
	clang-format-19 -i $(SOURCES)

lint: ## the format, clang-tidy, shellcheck
	@scripts/setup.sh build test lint
	clang-format-19 --dry-run --Werror $(SOURCES)
	shellcheck --severity=warning .ci/run $$(git ls-files -co --exclude-standard '*.sh')
	@$(configure) -DDOALL_TESTS=ON
	run-clang-tidy-19 -quiet -p build '/(src/(?!plugin/)|examples/)'

mutants: ## each atomic weakened in turn: a model must fail
	@scripts/setup.sh build test
	@cmake --preset model
	ctest --test-dir build/model --output-on-failure -L mutants

model: ## the model checker, on a million interleavings a model
	@scripts/setup.sh build test
	@cmake --preset model
	@cmake --build --preset model
	ctest --preset model

clean: ## removes build/
	rm -rf build

help: ## this list
	@sed -n 's/^\([a-z%-]*\):[^#]*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 10
