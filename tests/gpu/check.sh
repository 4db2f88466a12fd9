#!/bin/sh
# Everything that only a GPU can show, in one go: builds for the GPU at hand, runs all tests with the GPU required,
# the gpu tests once more under compute-sanitizer, and the benchmarks. SPARSMITH_MATRICES may name a folder of .mtx
# files to compare the backends on.
set -eu
cd "$(dirname "$0")/../.."
cmake --preset cuda -DCMAKE_CUDA_ARCHITECTURES="${CUDA_ARCHITECTURES:-native}" | grep -E '^-- (Backend|Dependency)'
cmake --build build/cuda -j "$(nproc)"
export SPARSMITH_REQUIRE_GPU=1
ctest --test-dir build/cuda --output-on-failure
build/cuda/tests/test_gpu
compute-sanitizer --tool memcheck --error-exitcode 1 build/cuda/tests/test_gpu
build/cuda/tests/bench/bench_convert "$@"
