# The two commands: `make demo` and `make test`. Everything else is CMake's; see CMakePresets.json.
BUILD := build/release
JOBS := $(shell nproc)

.PHONY: demo test build setup
demo: build
	sh tools/demo.sh $(BUILD)

test: build
	ctest --test-dir $(BUILD) --output-on-failure

build: setup
	cmake --preset release -Wno-dev > $(BUILD).log 2>&1 || { cat $(BUILD).log; exit 1; }
	@grep -E '^-- (Backend|Dependency)' $(BUILD).log
	cmake --build $(BUILD) -j $(JOBS)

setup:
	@sh cmake/setup.sh
	@mkdir -p build
