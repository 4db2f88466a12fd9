#!/bin/sh
# Fuzzes all targets in turn, sharing the time (make fuzz), or says which lines the inputs reach (make fuzz-coverage).
#   run.sh BUILD SECONDS [TARGET...]   corpora grow in BUILD/run/corpus, findings are left in BUILD/run/findings
#   run.sh BUILD coverage
# JOBS targets run at a time. Ends with 1 where something was found.
set -eu
build=$1 what=$2
shift 2
here=$(dirname "$0")
root=$(cd "$here/../.." && pwd)
files=$build/tests/fuzz/fuzz_files
fuzzer=$build/tests/fuzz/fuzz_targets
run=$build/run
# Threads that wait leave the cores to others; every process would write a profile of its own.
export OMP_WAIT_POLICY=passive KMP_BLOCKTIME=0 LLVM_PROFILE_FILE=/dev/null
# What HDF5 and libarchive keep for themselves at the end is no leak of ours; leaks of a run are still found.
export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1

edge=${SPARSMITH_MATRICES:+$SPARSMITH_MATRICES/edge}
[ -d "${edge:-/nonexistent}" ] || edge=""

if [ "$what" = coverage ]; then
  rm -rf "$run/coverage" && mkdir -p "$run/coverage"
  # Also what earlier runs of the fuzzer found worth keeping, where there were some.
  LLVM_PROFILE_FILE="$run/coverage/%p.profraw" "$files" check "$here/findings" $(ls -d "$run/corpus" 2>/dev/null)
  version=$(clang --version | sed -n 's/.*version \([0-9]*\)\..*/\1/p')
  "llvm-profdata-$version" merge -sparse "$run"/coverage/*.profraw -o "$run/coverage/all.profdata"
  "llvm-cov-$version" report "$files" -instr-profile="$run/coverage/all.profdata" "$root/convert/io" "$root/convert/formats" \
    -show-region-summary=false -show-branch-summary=false | sed -E 's/  +/  /g'
  exit 0
fi

seconds=$what
targets=${*:-$("$files" list | cut -d' ' -f1)}
"$files" seeds "$run/seeds" $edge
count=$(echo $targets | wc -w)
jobs=${JOBS:-1}
each=$((seconds * jobs / count))
[ "$each" -ge 1 ] || each=1
echo "fuzz: $count targets, $each s each, $jobs at a time"
fuzz_one() {
  target=$1
  longest=$("$files" list | sed -n "s/^$target //p")
  mkdir -p "$run/corpus/$target" "$run/findings/$target"
  # In a process of its own, which may die: what killed it is kept, and the next goes on.
  SPARSMITH_FUZZ_TARGET=$target "$fuzzer" "$run/corpus/$target" $(ls -d "$run/seeds/$target" 2>/dev/null) \
    -fork=1 -ignore_crashes=1 -ignore_timeouts=1 -ignore_ooms=1 -max_total_time="$each" -max_len="$longest" -timeout=20 \
    -rss_limit_mb=4096 -malloc_limit_mb=2048 -dict="$here/words.dict" -artifact_prefix="$run/findings/$target/" \
    -print_final_stats=1 -print_funcs=0 >"$run/$target.log" 2>&1 || true
  executions=$(sed -n 's/^#\([0-9]*\): cov.*/\1/p' "$run/$target.log" | tail -1)
  covered=$(sed -n 's/^#[0-9]*: cov: \([0-9]*\).*/\1/p' "$run/$target.log" | tail -1)
  echo "$target: ${executions:-0} executions, ${covered:-0} edges, $(ls "$run/corpus/$target" | wc -l) inputs kept, $(ls "$run/findings/$target" | wc -l) findings"
}
running=0
for target in $targets; do
  fuzz_one "$target" &
  running=$((running + 1))
  if [ "$running" -ge "$jobs" ]; then
    wait
    running=0
  fi
done
wait
found=$(find "$run/findings" -type f | wc -l)
echo "fuzz: $found findings in $run/findings"
[ "$found" -eq 0 ]
