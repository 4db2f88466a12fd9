#!/bin/sh
# Everything that only a GPU can show, in one go: builds for the GPU at hand, runs the gpu tests with the GPU required, and
# once more under compute-sanitizer (of the kernels a sample, which also goes through racecheck and synccheck, as do all
# conversions and analyses of small matrices: hazards.sh). ALL=1 runs every test, and BENCH=1 the benchmarks and experiments
# too; figures.sh has the figures of docs/benchmarks.md. CUDA_ARCHITECTURES says what to build for, SPARSMITH_MATRICES may
# name a folder of .mtx files to compare the backends on.
set -eu
cd "$(dirname "$0")/../.."
cmake --preset cuda ${CUDA_ARCHITECTURES:+"-DCMAKE_CUDA_ARCHITECTURES=$CUDA_ARCHITECTURES"} |
  grep -E '^-- (Backend|Dependency)'
cmake --build build/cuda -j "$(nproc)"
export SPARSMITH_REQUIRE_GPU=1
if [ -n "${ALL-}" ]; then
  ctest --test-dir build/cuda --output-on-failure
else
  ctest --test-dir build/cuda -L gpu --output-on-failure
fi
memcheck() {
  compute-sanitizer --tool memcheck --error-exitcode 1 "$@"
}
memcheck build/cuda/tests/test_gpu
memcheck build/cuda/tests/test_gpu_complex
memcheck build/cuda/tests/test_gpu_features
memcheck build/cuda/tests/test_library_gpu
memcheck build/cuda/tests/test_gpu_kernels '[.sample]'
memcheck build/cuda/tools/sprecommend 'gen:rmat?scale=9' --device cuda --budget 60 --quiet
memcheck build/cuda/tools/sprecommend 'gen:rmat?scale=9' --device cuda --exhaustive --samples 1 --quiet
memcheck --target-processes all \
  build/cuda/tools/spbatch 'gen:rmat?scale=8' --device cuda --budget 20 --quiet --out "$(mktemp -d)"
for check in racecheck synccheck; do
  compute-sanitizer --tool $check --error-exitcode 1 build/cuda/tests/test_gpu_kernels '[.sample]'
done
tests/gpu/hazards.sh build/cuda
if [ -z "${BENCH-}" ]; then exit 0; fi
build/cuda/tests/bench/bench_convert "$@"
build/cuda/tests/bench/bench_analyze --device cuda gen:blockband 'gen:uniform?n=84000&density=0.0071' \
  'gen:laplace3d?n=193' 'gen:rmat?scale=20&edges=16'
sh tests/gpu/figures.sh "$(mktemp -d)" ${SPARSMITH_MATRICES:+"$SPARSMITH_MATRICES"}
for experiment in E1 E3 E4 E5 E6 E8 E9 E10 WINS; do python3 docs/experiments "$experiment"; done
