#!/bin/sh
# The main job on a matrix that ships with the project and on a generated one.
set -eu
tools=$(cd "$1/tools" && pwd)
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# Prints a command as it would be typed, and runs it.
show() {
  printf '\n$'
  for word in "$@"; do
    case $word in
      *[?\&]*) printf " '%s'" "$word" ;;
      *) printf ' %s' "$word" ;;
    esac
  done
  printf '\n'
  tool=$1
  shift
  "$tools/$tool" "$@"
}
show spconv tests/data/bridge.mtx --plan
show spconv tests/data/bridge.mtx --to sell --slice 4 --sigma 12 --verify -o "$folder/bridge.h5"
show spconv 'gen:rmat?scale=18&edges=16' --to csr --verify -o "$folder/rmat.npz"
show spanalyze tests/data/bridge.mtx
show spanalyze tests/data/bridge.mtx 'gen:rmat?scale=18&edges=16'
show sprecommend 'gen:rmat?scale=14' --budget 3
show spbatch tests/data/bridge.mtx 'gen:laplace2d?n=60' 'gen:rmat?scale=10' --predict --out "$folder/results"
printf '\nThe tools are in %s; each has --help. What comes next: README.md.\n' "$1/tools"
