#!/bin/sh
# The figures of docs/benchmarks.md, measured here: sh tests/gpu/figures.sh OUT [MATRICES]. Runs sprecommend --exhaustive
# on the standard matrices and on every matrix of the folder MATRICES, keeps what it says in OUT, and prints ours over the
# vendor's. BUILD is the build folder, SAMPLES how many of everybody (of large and of real ones a third), LIMIT the seconds
# for one call: what was measured by then counts.
set -eu
cd "$(dirname "$0")/../.."
out=${1:?"sh tests/gpu/figures.sh OUT [MATRICES]"}
matrices=${2-}
build=${BUILD:-build/cuda} samples=${SAMPLES:-15} limit=${LIMIT:-540}
few=$((samples / 3 > 0 ? samples / 3 : 1))
mkdir -p "$out"

# measure NAME ARGUMENTS...: a failure is told, and the others go on.
measure() {
  name=$1
  shift
  # One variant of the formats that have many; SELL and BSR, which the vendor has, in all that are worth trying.
  timeout -s TERM "$limit" "$build/tools/sprecommend" --device cuda --exhaustive --quiet --json "$@" >"$out/$name.json" ||
    echo "$name: exit status $?" >&2
}
standard() {
  measure "$@" --tile auto --beta 32 --holding coo
}

standard uniform-45100-f32 'gen:uniform?n=45100&density=0.0071' --value f32 --samples "$samples"
standard uniform-45100-f64 'gen:uniform?n=45100&density=0.0071' --value f64 --samples "$samples"
standard uniform-8192-f32 'gen:uniform?n=8192&density=0.05' --value f32 --samples "$samples"
standard laplacian-160-f32 'gen:laplace3d?n=160' --value f32 --samples "$samples"
standard blockband-f64 'gen:blockband?n=32000&block=5&density=0.05' --value f64 --samples "$samples" --block 5
standard rmat-20-f32 'gen:rmat?scale=20&edges=16' --value f32 --samples "$samples"
standard rmat-22-f32 'gen:rmat?scale=22&edges=16' --value f32 --samples "$few"
if [ -n "$matrices" ]; then
  set --
  for file in "$matrices"/*; do
    case $file in
    *.json | *.txt | *.tsv | *.md) ;;
    *) set -- "$@" "$file" ;;
    esac
  done
  standard real "$@" --value f64 --samples "$few"
fi
python3 tests/gpu/figures.py "$out"
