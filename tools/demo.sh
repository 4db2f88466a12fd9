#!/bin/sh
# The main job on a matrix that ships with the project and on a generated one.
set -eu
build=$1
here=$(dirname "$0")/..
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
show() {
  printf '\n$ spconv %s\n' "$*"
  "$build/tools/spconv" "$@"
}
show "$here/tests/data/bridge.mtx" --plan
show "$here/tests/data/bridge.mtx" --to sell --slice 4 --sigma 12 --verify -o "$folder/bridge.h5"
show 'gen:rmat?scale=18&edges=16' --to csr --verify -o "$folder/rmat.npz"
