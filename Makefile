# `make demo` builds the tools and shows them; `make test` builds everything and tests it. Both share one tree: with
# CUDA where a GPU and a toolkit are at hand (build/cuda), without where there is none (build/openmp). ARCH=90 asks for
# CUDA for GPUs of compute capability 9.0, wherever it is built. What else there is to build is CMake's: see
# CMakePresets.json.
GPU := $(shell sh cmake/find_gpu.sh)
TREE := $(if $(or $(ARCH),$(findstring yes,$(GPU))),cuda,openmp)
BUILD := build/$(TREE)
JOBS := $(shell nproc)

.PHONY: demo test build python packages wheel bare-check release configure setup format-check sanitize sanitize-core slurm-check cuda-check mutants kills-batch fuzz fuzz-coverage fuzz-build starve kills tsan integer tidy
demo: configure
	@echo "Building the tools in $(BUILD); the first time takes minutes."
	@cmake --build $(BUILD) -j $(JOBS) --target spconv spanalyze sprecommend spbatch sparsmith_command
	@sh tools/demo.sh $(BUILD)
	@$(MAKE) --no-print-directory say-tree

# Two at once: most tests use every core for a part of their time, and threads that wait leave the cores to others.
test: build
	OMP_WAIT_POLICY=passive ctest --test-dir $(BUILD) --output-on-failure -j 2

build: configure
	cmake --build $(BUILD) -j $(JOBS)
	@$(MAKE) --no-print-directory say-tree

configure: setup
	@mkdir -p build
	@cmake --preset $(TREE) $(if $(ARCH),-DCMAKE_CUDA_ARCHITECTURES=$(ARCH),-UCMAKE_CUDA_ARCHITECTURES) -Wno-dev > $(BUILD).log 2>&1 || { cat $(BUILD).log; exit 1; }
	@grep -E '^-- (Backend|Dependency)' $(BUILD).log

.PHONY: say-tree
say-tree:
ifeq ($(TREE),openmp)
	@echo "Built without CUDA: $(GPU). For a GPU elsewhere, of compute capability 9.0 say: make build ARCH=90"
endif

# Tests compare with what SciPy and h5py make of the same; whoever only builds does not need them.
test sanitize sanitize-core mutants: WANTED := --for-tests
setup:
	@sh cmake/setup.sh $(WANTED)

# The package for Python: installed by pip into a virtual environment of its own, and tested there.
VENV := build/python
python: setup
	@python3 -c 'import ensurepip' 2> /dev/null || sh cmake/setup.sh python3-venv python3-dev
	@python3 -m venv $(VENV)
	@$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check '.[test]' -C cmake.define.SPARSMITH_WERROR=ON
	$(VENV)/bin/python -m pytest -q tests/python

# Packages of a build without CUDA, in build/openmp/packages: for Debian and Ubuntu, and an archive for others.
packages: setup
	@sh cmake/setup.sh dpkg-dev file || echo "packages: no dpkg-dev; only the archive is made"
	@mkdir -p build && cmake --preset openmp -Wno-dev > build/openmp.log 2>&1 || { cat build/openmp.log; exit 1; }
	@cmake --build build/openmp -j $(JOBS) --target packages
	@ls build/openmp/packages/*.*

# A wheel without CUDA, with the libraries inside that other machines lack, in build/wheels; PYTHON=python3.12 says for which.
PYTHON := python3
wheel: setup
	@$(PYTHON) -c 'import ensurepip' 2> /dev/null || sh cmake/setup.sh python3-venv python3-dev
	@sh cmake/wheel.sh build/wheels $(PYTHON)

# All of them on a bare Debian 12 and a bare Ubuntu 24.04, which debootstrap makes; wants root (tests/install/bare_check.sh).
bare-check:
	@sh tests/install/bare_check.sh

# What a release is made of, in build/release: make release VERSION=1.2.3. Tags only with TAG=yes.
release:
	@TAG="$(TAG)" sh cmake/release.sh "$(VERSION)"

# What is another with CUDA, where no GPU is: nobody else there would notice that it does not compile, or that what its
# kernels say of themselves is wrong. With a GPU `make test` does.
cuda-check:
	@$(if $(findstring yes,$(GPU)),true,$(MAKE) --no-print-directory configure ARCH=80 && \
	  cmake --build build/cuda -j $(JOBS) --target cuda_code && build/cuda/tests/test_kernels '[tables]')

# Under AddressSanitizer and UndefinedBehaviorSanitizer, OpenMP only: everything, which takes three quarters of an hour on two
# cores, or the core: readers, writers, formats, pipelines and kernels.
sanitize: setup
	cmake --preset asan -Wno-dev > /dev/null
	cmake --build --preset asan -j $(JOBS)
	OMP_WAIT_POLICY=passive ctest --preset asan -j 2

sanitize-core: setup
	cmake --preset asan -Wno-dev > /dev/null
	cmake --build --preset asan -j $(JOBS) --target core_tests
	OMP_WAIT_POLICY=passive ctest --preset asan -j 2 -L core

# Every reader, check and parser with bytes that libFuzzer makes up (tests/fuzz): TIME seconds for all together, of each of
# JOBS processors; TARGETS names some. Needs clang, and says so where there is none. Findings are left in build/fuzz/run.
TIME := 600
TARGETS :=
HAVE_CLANG = command -v clang++ > /dev/null && clang++ -print-file-name=libclang_rt.fuzzer-$$(uname -m).a | grep -q /
fuzz-build: setup
	@sh cmake/setup.sh clang llvm libomp-dev || echo "fuzz: clang could not be installed"
	@if $(HAVE_CLANG); then \
	  mkdir -p build && cmake --preset fuzz -Wno-dev > build/fuzz.log 2>&1 || { cat build/fuzz.log; exit 1; }; \
	  cmake --build build/fuzz -j $(JOBS) --target fuzz_files fuzz_targets; \
	else \
	  echo "fuzz: SKIPPED, there is no clang with libFuzzer"; \
	fi

fuzz: fuzz-build
	@if $(HAVE_CLANG); then JOBS=$(JOBS) sh tests/fuzz/run.sh build/fuzz $(TIME) $(TARGETS); fi

# Which lines of the readers and the checks the inputs reach.
fuzz-coverage: fuzz-build
	@if $(HAVE_CLANG); then sh tests/fuzz/run.sh build/fuzz coverage; fi

# Small faults, put into a copy of the tree one by one: which test notices? FAULTS="words" chooses those that have one of
# them in their file, their description or their tests; all of them take hours on two cores.
mutants: setup
	@python3 tests/mutants/mutants.py $(FAULTS)

# Races of threads, and numbers that do not fit, in what is parallel and what reads files; clang and its OpenMP runtime.
CHECKED := pipelines matrix_market kernels
# With it LLVM's OpenMP tells ThreadSanitizer which task waits for which; elsewhere it does nothing.
ARCHER = $$(clang++ -print-resource-dir)/../../libarcher.so
tsan integer: setup
	@sh cmake/setup.sh clang libomp-dev
	cmake --preset $@ -Wno-dev > /dev/null
	cmake --build build/$@ -j $(JOBS) --target $(CHECKED:%=test_%)
	OMP_TOOL_LIBRARIES=$(ARCHER) OMP_NUM_THREADS=3 TSAN_OPTIONS=ignore_noninstrumented_modules=1:suppressions=$(CURDIR)/tests/tsan.supp UBSAN_OPTIONS=halt_on_error=1 \
	  ctest --test-dir build/$@ --output-on-failure -R '^($(subst $() $(),|,$(CHECKED)))$$'

# The few checks of .clang-tidy, over all sources that are compiled with OpenMP.
tidy: setup
	@sh cmake/setup.sh clang-tidy clang libomp-dev
	@cmake --preset integer -Wno-dev > /dev/null
	python3 -c 'import json; print(*sorted({c["file"] for c in json.load(open("build/integer/compile_commands.json"))}), sep="\n")' | \
	  grep -E '^$(CURDIR)/(convert|kernels|analyze|tools)/.*\.cpp$$' | xargs -P $(JOBS) -n 4 clang-tidy --quiet -p build/integer

# Every allocation that fails, every byte that cannot be written, reads in crumbs: about half an hour on two cores. Without
# CUDA, whose runtime crashes where an allocation of its own fails.
starve: setup
	@cmake --preset openmp -Wno-dev > /dev/null
	@cmake --build build/openmp -j $(JOBS) --target starve
	python3 tests/starve/starve_check.py build/openmp/tools build/openmp/tests/libstarve.so tests/data --every --jobs $(JOBS)

# spconv, killed 2,000 times while it writes each container.
kills: configure
	@cmake --build $(BUILD) -j $(JOBS) --target spconv
	python3 tests/starve/kill_check.py $(BUILD)/tools/spconv --kills 2000

# spbatch on a real Slurm, which the test starts and stops; skipped where it cannot be installed. Not part of `make test`,
# because the packages bring daemons along.
slurm-check: configure
	@sh cmake/setup.sh slurm-wlm munge || echo "slurm-check: Slurm could not be installed"
	@cmake --build $(BUILD) -j $(JOBS) --target spbatch
	ctest --test-dir $(BUILD) --output-on-failure -R '^slurm$$'

# spbatch killed 1,000 times at random moments, 100 of them while three share a folder; about ten minutes.
kills-batch: configure
	@cmake --build $(BUILD) -j $(JOBS) --target spbatch
	@python3 tests/tools/batch/kill_check.py $(BUILD)/tools/spbatch --alone 900 --shared 100

# Versions of clang-format lay out differently; the one of Debian 12 decides.
format-check:
	@sh cmake/setup.sh clang-format
	@if clang-format --version 2> /dev/null | grep -q 'version 14\.'; then \
	  git ls-files '*.cpp' '*.hpp' '*.cu' | xargs clang-format --dry-run -Werror && \
	  echo "format-check: $$(git ls-files '*.cpp' '*.hpp' '*.cu' | wc -l) files are as clang-format lays them out"; \
	else \
	  echo "format-check: SKIPPED, clang-format 14 decides and this is: $$(clang-format --version 2>&1)"; \
	fi
