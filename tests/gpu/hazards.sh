#!/bin/sh
# racecheck and synccheck over every conversion, in all layouts, and every analysis of small matrices: what shares memory
# within a thread block or waits for others of it. Fails on any hazard, and on a run that does not end. Takes the build
# folder, and JOBS as the number of runs at once.
set -eu
if [ "${1-}" = --one ]; then
  # --one LOGS BUILD CHECK TOOL ARGUMENTS...
  logs=$2 build=$3 check=$4 tool=$5
  shift 5
  log=$(mktemp "$logs/XXXXXX")
  # The summary is looked at as well: what racecheck calls a warning is a hazard, too.
  if timeout 120 compute-sanitizer --tool "$check" --error-exitcode 1 "$build/tools/$tool" "$@" --device cuda --quiet \
    >"$log" 2>&1 && grep -q ' SUMMARY: 0 ' "$log"; then exit 0; fi
  echo "FAILED: $check $tool $*" >&2
  tail -40 "$log" >&2
  exit 1
fi

build=${1:-build/cuda}
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
conversions='--to coo
--to csr
--to csc
--to ell --max-fill 1e6
--to sell --max-fill 1e6
--to sell --slice 5 --sigma 12 --max-fill 1e6
--to hyb --max-fill 1e6
--to dia --max-fill 1e6
--to dia --diagonals all --max-fill 1e6
--to bsr --block 5 --max-fill 1e6
--to bsr --block auto --max-fill 1e6
--to csb
--to csb --beta 512 --order row
--to csb --layout thesis
--to ecsb --holding coo
--to ecsb --holding ell --max-fill 1e6
--to ecsb --holding hybrid --beta 8 --max-fill 1e6
--to gcsb --max-fill 1e6
--to gcsb --beta 8 --group 7 --window 9 --order diagonal --max-fill 1e6
--to gcsb --layout thesis --max-fill 1e6
--to gcsb_tile --max-fill 1e6
--to gcsb_tile --tile 256 --group 8 --renumber length --rest 20 --max-fill 1e6
--to gcsb_tile --tile 2048 --renumber none --rest 1 --max-fill 1e6'
for check in racecheck synccheck; do
  for matrix in 'gen:rmat?scale=10' 'gen:laplace2d?n=60' 'gen:blockband?n=600&block=5&density=0.1' 'gen:denserow?n=2000'; do
    printf '%s\n' "$conversions" | while read -r options; do echo "$check spconv $matrix $options --verify"; done
    echo "$check spanalyze $matrix --tile"
  done
done >"$logs/runs"
xargs -L 1 -P "${JOBS:-$(nproc)}" "$0" --one "$logs" "$build" <"$logs/runs"
echo "$(wc -l <"$logs/runs") runs without a hazard"
