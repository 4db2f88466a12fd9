#!/bin/sh
# Builds with a vendor's library from a folder of its own, and tests and races its kernels beside ours:
#
#   tests/kernels/vendor_check.sh cusparse FOLDER     a GPU, and a cuSPARSE that is newer than the toolkit's
#   tests/kernels/vendor_check.sh mkl FOLDER          x86
#
# FOLDER has include/ and lib/, as the wheels of PyPI unpack to; what is in lib/ may be packed as .xz, to travel. The tree is
# that of the preset (build/cuda, build/openmp), in which little is compiled anew; CUDA_ARCHITECTURES says what to build for.
set -eu
if [ $# -ne 2 ] || [ ! -d "$2/include" ]; then
  sed -n '2,8s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
library=$1
folder=$(cd "$2" && pwd)
cd "$(dirname "$0")/../.."
if ls "$folder"/lib/*.xz >/dev/null 2>&1; then
  unpacked=$PWD/build/$library
  mkdir -p "$unpacked/lib"
  cp -r "$folder/include" "$unpacked/"
  for packed in "$folder"/lib/*.xz; do
    file=$unpacked/lib/$(basename "$packed" .xz)
    [ -f "$file" ] || python3 -c 'import lzma, os, shutil, sys
with open(sys.argv[2] + ".part", "wb") as file:
    shutil.copyfileobj(lzma.open(sys.argv[1]), file)
os.rename(file.name, sys.argv[2])' "$packed" "$file"
  done
  folder=$unpacked
fi
LD_LIBRARY_PATH=$folder/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}  # for what the library itself loads
export LD_LIBRARY_PATH

case $library in
cusparse)
  preset=cuda device=cuda kernel=csr/cusparse-op1 tests="gpu_kernels kernels"
  kernels=csr/cusparse-op1,csr/cusparse-op2,csr/cusparse-alg1,csr/cusparse-alg2,csr/vector
  export SPARSMITH_REQUIRE_GPU=1
  set -- "-DSPARSMITH_CUSPARSE_ROOT=$folder" ${CUDA_ARCHITECTURES:+"-DCMAKE_CUDA_ARCHITECTURES=$CUDA_ARCHITECTURES"}
  ;;
mkl)
  preset=openmp device=cpu kernel=csr/mkl tests="kernels rates race field sprecommend"
  kernels=csr/mkl,csr/omp,coo/mkl,coo/omp,bsr/mkl,bsr/max-task
  set -- -DSPARSMITH_MKL=ON "-DMKL_ROOT=$folder"
  ;;
*)
  echo "$library: neither cusparse nor mkl" >&2
  exit 2
  ;;
esac
log=$(mktemp)
cmake --preset $preset "$@" -Wno-dev >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
grep -E '^-- (Backend|Dependency (MKL|cuSPARSE))' "$log"
rm "$log"
targets=sprecommend
names=""
for one in $tests; do targets="$targets test_$one" names="$names${names:+|}$one"; done
# shellcheck disable=SC2086
cmake --build build/$preset -j "$(nproc)" --target $targets
tool=build/$preset/tools/sprecommend
$tool --list | grep "^$kernel " || { echo "$kernel is not among the kernels: too old a library?" >&2; exit 1; }
ctest --test-dir build/$preset --output-on-failure -R "^($names)\$"
$tool 'gen:laplace3d?n=60' 'gen:rmat?scale=16&edges=16' gen:blockband --device $device --exhaustive --samples 15 \
  --kernels "$kernels" --quiet
