#!/bin/sh
# What somebody may do first with the tools on PATH: tools.sh PREFIX, where their manual pages are. Run in a bare root.
set -eu
prefix=$1
cd "$(mktemp -d)"
for tool in spconv spanalyze sprecommend spbatch; do
  "$tool" --version
  zcat -f "$prefix/share/man/man1/$tool.1"* | grep -q '^\.TH ' || { echo "$tool has no manual page" >&2; exit 1; }
done
sprecommend 'gen:laplace2d?n=100' --budget 1 --device cpu --quiet --json >advice.json
grep -q '"winner": true' advice.json
sparsmith convert 'gen:laplace2d?n=60' --to sell --verify --quiet

# Through every container and back, and from an archive as collections have them.
spconv 'gen:rmat?scale=9' --to csr -o wanted.mtx --quiet
mkdir wanted
cp wanted.mtx wanted/
tar -czf wanted.tar.gz wanted
for container in mtx mtx.gz npz bsp.h5 h5; do
  spconv wanted.tar.gz --to csr -o "there.$container" --quiet
  spconv "there.$container" --to csr -o back.mtx --quiet
  cmp wanted.mtx back.mtx
done
spanalyze wanted.mtx --html page.html --quiet >/dev/null
spbatch wanted.mtx 'gen:laplace2d?n=30' --budget 1 --device cpu --out results --quiet
for file in page.html results/report.html results/results.csv; do
  [ -s "$file" ] || { echo "there is no $file" >&2; exit 1; }
done
