// CSR to eCSB and back: the block rows of CSB are spread over slots.
#pragma once

#include "convert/pipelines/csr_to_csb.hpp"
#include "convert/pipelines/fill_limit.hpp"

namespace sparsmith {

// How many entries are among the first `width` of their line.
template <class Backend, class Offset>
std::int64_t entries_in_front(Backend on, const Offset* starts, std::int64_t lines, std::int64_t width) {
  return reduce(
      on, lines, std::int64_t{0},
      [=] SPARSMITH_HOST_DEVICE(std::int64_t l) {
        const std::int64_t length = starts[l + 1] - starts[l];
        return length < width ? length : width;
      },
      sum_of<std::int64_t>{});
}

template <class Backend, class Offset, class Value>
ecsb<Offset, Value, space_on<Backend>> csr_to_ecsb(Backend on, csr<Offset, Value, view_on<Backend>> matrix,
                                                   const block_options& options, double max_fill,
                                                   stage_log* log) {
  using space = space_on<Backend>;
  block_options sparse = options;
  sparse.thesis = false;
  if (options.thesis && options.index_bits == 0) sparse.index_bits = 32;
  const auto source = csr_to_csb(on, matrix, sparse, log);
  const std::int64_t entries = source.values.size(), blocks = source.block_offsets.size() - 1;
  const std::int64_t block_rows = groups_of(matrix.rows, options.beta), beta = options.beta,
                     rows = matrix.rows;
  timed_stage timing(on, log, "spread block rows", entries, entries * (std::int64_t{sizeof(Value)} + 8) * 2);

  ecsb<Offset, Value, space> result;
  result.rows = matrix.rows;
  result.cols = matrix.cols;
  result.beta = options.beta;
  result.order = source.order;
  const Offset* const row_offsets = matrix.row_offsets.data();
  result.block_row_offsets = array<Offset, space>(block_rows + 1);
  Offset* const starts = result.block_row_offsets.data();
  for_each_index(on, block_rows + 1, [=] SPARSMITH_HOST_DEVICE(std::int64_t b) {
    starts[b] = row_offsets[b * beta < rows ? b * beta : rows];
  });
  const std::int64_t longest = longest_line(on, starts, block_rows);
  const std::int64_t third = bell_garland_width(on, starts, block_rows);
  const ecsb_holding holding = options.holding.value_or(
      choose_holding(entries, block_rows, longest, third, entries_in_front(on, starts, block_rows, third)));
  result.holding = static_cast<std::int32_t>(holding);
  const std::int64_t width = holding == ecsb_holding::coo   ? 0
                             : holding == ecsb_holding::ell ? longest
                                                            : third;
  result.width = width;
  const std::int64_t slots = block_rows * width,
                     rest = entries - entries_in_front(on, starts, block_rows, width);
  require_fill("ecsb", slots + rest, entries, max_fill);

  const int bits = source.combined16.size() > 0 || entries == 0 ? 16 : 32;
  combined_indices<space> ell_index(slots, bits), rest_index(rest, bits);
  result.ell_block_indices = array<Offset, space>(slots);
  result.ell_values = array<Value, space>(slots);
  result.rest_block_indices = array<Offset, space>(rest);
  result.rest_values = array<Value, space>(rest);
  const auto rest_offsets =
      offsets_from_lengths<Offset>(on, block_rows, [=] SPARSMITH_HOST_DEVICE(std::int64_t b) {
        const std::int64_t length = starts[b + 1] - starts[b];
        return static_cast<Offset>(length > width ? length - width : 0);
      });
  const index_reader index{source.combined16.data(), source.combined32.data()};
  const Offset* const block_offsets = source.block_offsets.data();
  const Offset* const positions = source.block_indices.data();
  const Value* const values = source.values.data();
  const Offset* const rest_starts = rest_offsets.data();
  Offset* const ell_blocks = result.ell_block_indices.data();
  Offset* const rest_blocks = result.rest_block_indices.data();
  Value* const ell_values = result.ell_values.data();
  Value* const rest_values = result.rest_values.data();
  const index_writer ell_combined = ell_index.writer(), rest_combined = rest_index.writer();
  for_each_index(on, slots, [=] SPARSMITH_HOST_DEVICE(std::int64_t slot) {
    const std::int64_t b = slot % block_rows, e = starts[b] + slot / block_rows;
    const bool entry = e < starts[b + 1];
    const std::int64_t shown =
        entry ? e : starts[b];  // padding names its block row's first block, if it has any
    const bool any = starts[b] < starts[b + 1];
    ell_blocks[slot] = any ? positions[row_of_entry(block_offsets, 0, blocks, shown)] : Offset{0};
    ell_combined.set(slot, entry ? index[e] : 0);
    ell_values[slot] = entry ? values[e] : Value{0};
  });
  for_each_index(on, entries, [=] SPARSMITH_HOST_DEVICE(std::int64_t e) {
    const std::int64_t b = row_of_entry(starts, 0, block_rows, e), k = e - starts[b];
    if (k < width) return;
    const std::int64_t to = rest_starts[b] + k - width;
    rest_blocks[to] = positions[row_of_entry(block_offsets, 0, blocks, e)];
    rest_combined.set(to, index[e]);
    rest_values[to] = values[e];
  });
  result.ell_combined16 = std::move(ell_index.narrow);
  result.ell_combined32 = std::move(ell_index.wide);
  result.rest_combined16 = std::move(rest_index.narrow);
  result.rest_combined32 = std::move(rest_index.wide);
  return result;
}

template <class Backend, class Offset, class Value>
csr<Offset, Value, space_on<Backend>> ecsb_to_csr(Backend on, ecsb<Offset, Value, view_on<Backend>> matrix,
                                                  stage_log* log) {
  const std::int64_t block_rows = matrix.block_row_offsets.size() - 1, width = matrix.width;
  const Offset* const starts = matrix.block_row_offsets.data();
  const std::int64_t entries = read_one(on, starts + block_rows);
  auto list = empty_list<Value, space_on<Backend>>(matrix.rows, matrix.cols, entries);
  {
    timed_stage timing(on, log, "unpack ecsb", entries, bytes(matrix));
    const auto rest_offsets =
        offsets_from_lengths<Offset>(on, block_rows, [=] SPARSMITH_HOST_DEVICE(std::int64_t b) {
          const std::int64_t length = starts[b + 1] - starts[b];
          return static_cast<Offset>(length > width ? length - width : 0);
        });
    const auto places = places_of<Offset>(matrix);
    const index_reader ell_index{matrix.ell_combined16.data(), matrix.ell_combined32.data()};
    const index_reader rest_index{matrix.rest_combined16.data(), matrix.rest_combined32.data()};
    const Offset* const ell_blocks = matrix.ell_block_indices.data();
    const Offset* const rest_blocks = matrix.rest_block_indices.data();
    const Value* const ell_values = matrix.ell_values.data();
    const Value* const rest_values = matrix.rest_values.data();
    const Offset* const rest_starts = rest_offsets.data();
    std::int32_t* const rows = list.row_indices.data();
    std::int32_t* const cols = list.col_indices.data();
    Value* const out = list.values.data();
    for_each_index(on, entries, [=] SPARSMITH_HOST_DEVICE(std::int64_t e) {
      const std::int64_t b = row_of_entry(starts, 0, block_rows, e), k = e - starts[b];
      const bool front = k < width;
      const std::int64_t at = front ? k * block_rows + b : rest_starts[b] + k - width;
      const Offset position = front ? ell_blocks[at] : rest_blocks[at];
      const std::uint32_t combined = front ? ell_index[at] : rest_index[at];
      rows[e] = places.row(position, combined);
      cols[e] = places.col(position, combined);
      out[e] = front ? ell_values[at] : rest_values[at];
    });
  }
  return coo_to_csr<Backend, Offset, Value>(on, std::move(list), log);
}

}  // namespace sparsmith
