# `make demo` builds the tools and shows them; `make test` builds everything and tests it. Both share one build tree,
# and whatever else there is to build is CMake's: see CMakePresets.json.
BUILD := build/release
JOBS := $(shell nproc)

.PHONY: demo test build configure setup format-check sanitize slurm-check
demo: configure
	@echo "Building the tools in $(BUILD); the first time takes minutes."
	@cmake --build $(BUILD) -j $(JOBS) --target spconv spanalyze sprecommend spbatch
	@sh tools/demo.sh $(BUILD)

test: build
	ctest --test-dir $(BUILD) --output-on-failure

build: configure
	cmake --build $(BUILD) -j $(JOBS)

configure: setup
	@mkdir -p build
	@cmake --preset release -Wno-dev > $(BUILD).log 2>&1 || { cat $(BUILD).log; exit 1; }
	@grep -E '^-- (Backend|Dependency)' $(BUILD).log

setup:
	@sh cmake/setup.sh

# Under AddressSanitizer and UndefinedBehaviorSanitizer, OpenMP only.
sanitize: setup
	cmake --preset asan -Wno-dev > /dev/null
	cmake --build --preset asan -j $(JOBS)
	ctest --preset asan

# spbatch on a real Slurm, which the test starts and stops; skipped where it cannot be installed. Not part of `make test`,
# because the packages bring daemons along.
slurm-check: configure
	@sh cmake/setup.sh slurm-wlm munge || echo "slurm-check: Slurm could not be installed"
	@cmake --build $(BUILD) -j $(JOBS) --target spbatch
	ctest --test-dir $(BUILD) --output-on-failure -R '^slurm$$'

# Versions of clang-format lay out differently; the one of Debian 12 decides.
format-check:
	@sh cmake/setup.sh clang-format
	@if clang-format --version 2> /dev/null | grep -q 'version 14\.'; then \
	  git ls-files '*.cpp' '*.hpp' '*.cu' | xargs clang-format --dry-run -Werror && \
	  echo "format-check: $$(git ls-files '*.cpp' '*.hpp' '*.cu' | wc -l) files are as clang-format lays them out"; \
	else \
	  echo "format-check: SKIPPED, clang-format 14 decides and this is: $$(clang-format --version 2>&1)"; \
	fi
