#!/bin/sh
# The main job on a matrix that ships with the project and on a generated one.
set -eu
build=$1
here=$(dirname "$0")/..
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
show() {
  tool=$1
  shift
  printf '\n$ %s %s\n' "$tool" "$*"
  "$build/tools/$tool" "$@"
}
show spconv "$here/tests/data/bridge.mtx" --plan
show spconv "$here/tests/data/bridge.mtx" --to sell --slice 4 --sigma 12 --verify -o "$folder/bridge.h5"
show spconv 'gen:rmat?scale=18&edges=16' --to csr --verify -o "$folder/rmat.npz"
show spanalyze "$here/tests/data/bridge.mtx"
show spanalyze "$here/tests/data/bridge.mtx" 'gen:rmat?scale=18&edges=16'
