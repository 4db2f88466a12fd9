#!/bin/sh
# Everything that only a GPU can show, in one go: builds for the GPU at hand, runs all tests with the GPU required,
# the gpu tests once more under compute-sanitizer (of the kernels a sample, which also goes through racecheck and
# synccheck, as do all conversions and analyses of small matrices: hazards.sh), and the benchmarks. SPARSMITH_MATRICES
# may name a folder of .mtx files to compare the backends on.
set -eu
cd "$(dirname "$0")/../.."
cmake --preset cuda ${CUDA_ARCHITECTURES:+"-DCMAKE_CUDA_ARCHITECTURES=$CUDA_ARCHITECTURES"} | grep -E '^-- (Backend|Dependency)'
cmake --build build/cuda -j "$(nproc)"
export SPARSMITH_REQUIRE_GPU=1
ctest --test-dir build/cuda --output-on-failure
build/cuda/tests/test_gpu
build/cuda/tests/test_gpu_features
build/cuda/tests/test_gpu_kernels
build/cuda/tests/test_gpu_recommend
compute-sanitizer --tool memcheck --error-exitcode 1 build/cuda/tests/test_gpu
compute-sanitizer --tool memcheck --error-exitcode 1 build/cuda/tests/test_gpu_features
compute-sanitizer --tool memcheck --error-exitcode 1 build/cuda/tests/test_gpu_kernels '[.sample]'
compute-sanitizer --tool memcheck --error-exitcode 1 \
  build/cuda/tools/sprecommend 'gen:rmat?scale=9' --device cuda --budget 60 --quiet
compute-sanitizer --tool memcheck --target-processes all --error-exitcode 1 \
  build/cuda/tools/spbatch 'gen:rmat?scale=8' --device cuda --budget 20 --quiet --out "$(mktemp -d)"
for check in racecheck synccheck; do
  compute-sanitizer --tool $check --error-exitcode 1 build/cuda/tests/test_gpu_kernels '[.sample]'
done
tests/gpu/hazards.sh build/cuda
build/cuda/tests/bench/bench_convert "$@"
build/cuda/tests/bench/bench_analyze --device cuda gen:blockband 'gen:uniform?n=84000&density=0.0071' \
  'gen:laplace3d?n=193' 'gen:rmat?scale=20&edges=16'
build/cuda/tests/bench/bench_spmv 'gen:blockband?n=32000&block=5&density=0.05' --block 5
build/cuda/tests/bench/bench_spmv --value f32 gen:blockband 'gen:uniform?n=45100&density=0.0071' \
  'gen:laplace3d?n=160' 'gen:rmat?scale=20&edges=16'
for experiment in E1 E3 E4 E5 E6 E8 E9 E10; do python3 docs/experiments.py "$experiment"; done
