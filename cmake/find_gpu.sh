#!/bin/sh
# Says "yes" where both a GPU and a CUDA toolkit are at hand, else in a few words what is missing.
cd "$(dirname "$0")/.."
. cmake/have_nvcc.sh
if ! nvidia-smi -L 2>/dev/null | grep -q '^GPU'; then
  echo "no GPU is at hand"
elif ! have_nvcc; then
  echo "a GPU is at hand, but no CUDA toolkit of at least 12.8"
else
  echo "yes"
fi
