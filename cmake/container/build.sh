#!/bin/sh
# What the images are made with, inside of the one that compiles: build.sh PREFIX ARCH installs the tools to PREFIX, with CUDA
# for GPUs of compute capability ARCH (90, or 80;90), or without where that is "none". PREFIX/packages then names the
# distribution's packages with the libraries they need.
set -eu
cd "$(dirname "$0")/../.."
prefix=$1 arch=$2 tree=cuda
[ "$arch" != none ] || tree=openmp
sh cmake/setup.sh
cmake --preset "$tree" -DSPARSMITH_TESTS=OFF -DSPARSMITH_BENCHMARKS=OFF "-DCMAKE_CUDA_ARCHITECTURES=$arch" -Wno-dev
cmake --build "build/$tree" -j "${JOBS:-$(nproc)}"
cmake --install "build/$tree" --component tools --prefix "$prefix" --strip

# By the files that are really there: names of packages are others in every distribution. What dpkg knows under another
# path (/lib for /usr/lib) is part of every system.
ldd "$prefix"/bin/* | awk '$2 == "=>" && $3 ~ /^\// {print $3}' | sort -u | xargs -r -n 1 readlink -f | sort -u |
  while read -r library; do dpkg-query -S "$library" 2>/dev/null || true; done | cut -d : -f 1 | sort -u >"$prefix/packages"
missing=$(ldd "$prefix"/bin/* | grep 'not found' | sort -u || true)
[ -z "$missing" ] || { echo "build.sh: libraries that nothing brings: $missing" >&2; exit 1; }
