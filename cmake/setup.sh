#!/bin/sh
# Installs what a build needs and the machine lacks: the distribution's packages through apt, and two things that
# distributions do not package into .deps/ (pinned by sha256). Does nothing, quickly, where all is there. Arguments
# name further packages, for what only some want; --for-tests before them asks for what tests compare with, which they can
# do without.
set -eu
cd "$(dirname "$0")/.."
modules=jsonschema for_tests=""
if [ "${1:-}" = --for-tests ]; then
  shift
  modules="jsonschema scipy h5py numpy nanobind pytest"
  # Where python3 is the distribution's: pip does not install for that one. For others it does, below.
  [ "$(command -v python3 || echo /usr/bin/python3)" != /usr/bin/python3 ] || for_tests="python3-scipy python3-h5py python3-numpy python3-pytest python3-dev"
fi

packages="cmake ninja-build g++ libcli11-dev catch2 libfmt-dev nlohmann-json3-dev libarchive-dev libhdf5-dev libssl-dev zlib1g-dev libpng-dev libjs-chart.js python3-pip python3-jsonschema pkg-config $*"

if command -v dpkg-query >/dev/null 2>&1 && command -v apt-get >/dev/null 2>&1; then
  missing_of() {
    for package; do
      status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
      [ "$status" = installed ] || printf ' %s' "$package"
    done
  }
  # shellcheck disable=SC2086
  missing=$(missing_of $packages)
  if [ -n "$missing" ]; then
    echo "setup: installing$missing"
    sudo=""
    if [ "$(id -u)" -ne 0 ]; then
      command -v sudo >/dev/null 2>&1 || { echo "setup: not root and no sudo; install by hand:$missing" >&2; exit 1; }
      sudo="sudo"
    fi
    $sudo apt-get update -qq
    # shellcheck disable=SC2086
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
  fi
  # shellcheck disable=SC2086
  missing=$(missing_of $for_tests)
  if [ -n "$missing" ]; then
    # Nobody is asked for a password on their account.
    if [ "$(id -u)" -eq 0 ]; then sudo=""; else sudo="sudo -n"; fi
    # shellcheck disable=SC2086
    if $sudo true 2>/dev/null && echo "setup: installing$missing" && $sudo apt-get update -qq &&
      $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null; then
      :
    else
      echo "setup: not installed:$missing; the tests that need them will be skipped" >&2
    fi
  fi
elif ! command -v cmake >/dev/null 2>&1 || ! command -v ninja >/dev/null 2>&1; then
  echo "setup: no apt here; install the counterparts of: $packages" >&2
  exit 1
fi

# download NAME REQUIREMENT-WITH-HASH PIP-OPTIONS...: the file ends up in .deps/download
download() {
  name=$1 requirement=$2
  shift 2
  mkdir -p .deps/download
  printf '%s\n' "$requirement" >".deps/download/$name.txt"
  python3 -m pip download --quiet --disable-pip-version-check --no-deps --require-hashes "$@" \
    --dest .deps/download -r ".deps/download/$name.txt"
}

# Unpacked beside and renamed, so that an interrupted set-up is never taken for a complete one.
if [ ! -f .deps/fast_matrix_market/CMakeLists.txt ]; then
  echo "setup: fetching fast_matrix_market 1.7.6 into .deps/"
  download fast_matrix_market \
    "fast_matrix_market==1.7.6 --hash=sha256:38f36d28e780316685b939c439618f06579199d736ebdcda9b9dea8e605c102e" \
    --no-binary fast_matrix_market
  rm -rf .deps/unpack && mkdir -p .deps/unpack
  tar -xzf .deps/download/fast_matrix_market-1.7.6.tar.gz -C .deps/unpack
  rm -rf .deps/fast_matrix_market
  mv .deps/unpack/fast_matrix_market-1.7.6/fast_matrix_market .deps/fast_matrix_market
  rm -rf .deps/unpack
fi

# Tests compare JSON with its schemas, matrices and files with SciPy's and h5py's, and the package for Python, which nanobind
# builds, with SciPy's products; by the python that CMake finds, which may be another than the distribution's. What pip could not install it is not asked for again by the same python3, until
# .deps/without is removed.
python=$(command -v python3 || true)
for module in $modules; do
  python3 -c "import $module" 2>/dev/null && continue
  if ! grep -qsxF "$module $python" .deps/without; then
    echo "setup: installing $module for $python"
    python3 -m pip install --quiet --disable-pip-version-check --user "$module" && continue
    mkdir -p .deps
    echo "$module $python" >>.deps/without
  fi
  echo "setup: python3 has no $module; the tests that need it will be skipped" >&2
done

. cmake/have_nvcc.sh
if ! have_nvcc && [ ! -f .deps/cccl/include/thrust/version.h ]; then
  echo "setup: no CUDA toolkit; fetching CCCL's headers 13.0.85 into .deps/"
  # One wheel per architecture, the same headers in each.
  download cccl "nvidia-cuda-cccl==13.0.85 \
    --hash=sha256:6f0203e29fed809ee2b7fe9b1344df66ecab990c37d6a2e0e189b26d6c97ed7c \
    --hash=sha256:e0da7ad981f3a8aff08241b5bfc1af868742a63e2762f53a5171c492ef242649" --only-binary nvidia-cuda-cccl
  rm -rf .deps/unpack && mkdir -p .deps/unpack .deps/cccl
  python3 -m zipfile -e .deps/download/nvidia_cuda_cccl-13.0.85-*.whl .deps/unpack
  rm -rf .deps/cccl/include
  mv .deps/unpack/nvidia/cu13/include/cccl .deps/cccl/include
  rm -rf .deps/unpack
fi
