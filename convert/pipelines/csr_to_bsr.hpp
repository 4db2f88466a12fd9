// CSR to BSR and back.
#pragma once

#include "convert/error.hpp"
#include "convert/pipelines/blocks.hpp"
#include "convert/pipelines/fill_limit.hpp"
#include "convert/pipelines/row_range.hpp"
#include "convert/pipelines/stored_zeros.hpp"
#ifndef __CUDACC__
#include "convert/pipelines/block_columns.hpp"
#endif

namespace sparsmith {

template <class Offset, class Value>
struct fill_bsr_action {
  block_divisor shape;
  const Offset* row_offsets;
  const std::int32_t* cols;
  const Value* values;
  std::int32_t* out_cols;
  Value* out_values;

  template <class Team, class Window>
  SPARSMITH_HOST_DEVICE void operator()(const Team& team, const row_range& range, std::int64_t block,
                                        std::int32_t blocks, const Window& window) const {
    const std::int64_t area = std::int64_t{shape.rows} * shape.cols;
    window.for_each([&](std::int32_t rank, std::int32_t block_col) { out_cols[block + rank] = block_col; });
    Value* const slots = out_values + block * area;
    for (std::int64_t i = team.rank(); i < blocks * area; i += team.size()) slots[i] = Value{0};
    team.sync();
    for_each_entry(
        team, range, row_offsets, cols, values,
        [&](std::int64_t, std::int64_t row, const loaded_entry<Value>& entry) {
          const std::int32_t block_col = shape.col_of(entry.col);
          if (!window.holds(block_col)) return;
          slots[window.rank(block_col) * area + row * shape.cols + (entry.col - block_col * shape.cols)] =
              entry.value;
        });
    team.sync();
  }
};

// The blocks of a matrix as they are found out: first how many there are, then, once the result may be as
// large as that, what is in them.
template <class Backend, class Offset, class Value>
class bsr_blocks {
 public:
  using space = space_on<Backend>;
  bsr_blocks(Backend on, const block_lines<Backend, Offset>& lines, const Value* values)
      : on_(on), lines_(lines), values_(values) {}

  void count(bsr<Offset, Value, space>& result) { result.row_offsets = count_blocks(on_, lines_); }
  void fill(bsr<Offset, Value, space>& result, std::int64_t blocks, std::int64_t area) {
    result.col_indices = array<std::int32_t, space>(blocks);
    result.values = array<Value, space>(blocks * area);
    walk_blocks(on_, lines_, result.row_offsets.data(),
                without_finish<fill_bsr_action<Offset, Value>>{{lines_.shape, lines_.row_offsets, lines_.cols,
                                                                values_, result.col_indices.data(),
                                                                result.values.data()}});
  }

 private:
  Backend on_;
  const block_lines<Backend, Offset>& lines_;
  const Value* values_;
};

#ifndef __CUDACC__

// Threads of a CPU list the blocks in the same walk that counts them.
template <class Offset, class Value>
class bsr_blocks<openmp, Offset, Value> {
 public:
  bsr_blocks(openmp on, const block_lines<openmp, Offset>& lines, const Value* values)
      : on_(on),
        lines_(lines),
        values_(values),
        threads_(threads_with_block_columns(lines.block_cols, lines.entries)) {}

  void count(bsr<Offset, Value, host>& result) {
    if (threads_ > 0)
      listed_ = list_block_columns(on_, lines_, result.row_offsets);
    else
      result.row_offsets = count_blocks(on_, lines_);
  }
  void fill(bsr<Offset, Value, host>& result, std::int64_t blocks, std::int64_t area) {
    if (threads_ > 0)
      result.col_indices = join_block_columns(on_, lines_, result.row_offsets, std::move(listed_));
    else
      result.col_indices = array<std::int32_t, host>(blocks);
    result.values = array<Value, host>(blocks * area);
    const fill_bsr_action<Offset, Value> action{
        lines_.shape, lines_.row_offsets,        lines_.cols,
        values_,      result.col_indices.data(), result.values.data()};
    if (threads_ > 0)
      fill_listed(action, result.row_offsets.data(), area);
    else
      walk_blocks(on_, lines_, result.row_offsets.data(),
                  without_finish<fill_bsr_action<Offset, Value>>{action});
  }

 private:
  void fill_listed(const fill_bsr_action<Offset, Value>& of, const Offset* first_blocks, std::int64_t area) {
    array<std::int32_t, host> tables(lines_.block_cols * threads_);
    const auto pieces =
        block_row_pieces(first_blocks, lines_.count, area * std::int64_t{sizeof(Value)}, threads_);
#pragma omp parallel num_threads(threads_)
    {
      const fill_bsr_action<Offset, Value> a = of;
      std::int32_t* const number = tables.data() + lines_.block_cols * omp_get_thread_num();
#pragma omp for schedule(dynamic)
      for (std::size_t piece = 1; piece < pieces.size(); ++piece)
        for (std::int64_t block_row = pieces[piece - 1]; block_row < pieces[piece]; ++block_row)
          fill_block_row(a, first_blocks, area, block_row, number);
    }
  }
  // `number` has a place for each block column, for the block of the row that it is in.
  void fill_block_row(const fill_bsr_action<Offset, Value>& a, const Offset* first_blocks, std::int64_t area,
                      std::int64_t block_row, std::int32_t* number) const {
    const std::int64_t first_block = first_blocks[block_row];
    const auto blocks = static_cast<std::int32_t>(first_blocks[block_row + 1] - first_block);
    for (std::int32_t b = 0; b < blocks; ++b) number[a.out_cols[first_block + b]] = b;
    Value* slots = a.out_values + first_block * area;
    std::fill_n(slots, blocks * area, Value{0});
    const std::int64_t end_row = std::min<std::int64_t>((block_row + 1) * a.shape.rows, lines_.rows);
    for (std::int64_t row = block_row * a.shape.rows; row < end_row; ++row, slots += a.shape.cols) {
      const std::int64_t end = a.row_offsets[row + 1];
      for (std::int64_t e = a.row_offsets[row]; e < end; ++e) {
        const std::int32_t col = a.cols[e], block_col = a.shape.col_of(col);
        slots[number[block_col] * area + (col - block_col * a.shape.cols)] = a.values[e];
      }
    }
  }

  openmp on_;
  const block_lines<openmp, Offset>& lines_;
  const Value* values_;
  const int threads_;
  array<std::int32_t, host> listed_;
};

#endif

// Where an entry's slot is, found again by searching its block; only stored zeros need it.
template <class Offset>
SPARSMITH_HOST_DEVICE std::int64_t bsr_slot(const Offset* block_offsets, const std::int32_t* block_cols,
                                            block_divisor shape, std::int64_t row, std::int32_t col) {
  std::int64_t low = block_offsets[row / shape.rows], high = block_offsets[row / shape.rows + 1];
  while (high - low > 1) {
    const std::int64_t middle = (low + high) / 2;
    if (block_cols[middle] <= col / shape.cols)
      low = middle;
    else
      high = middle;
  }
  return (low * shape.rows + row % shape.rows) * shape.cols + col % shape.cols;
}

template <class Backend, class Offset, class Value>
bsr<Offset, Value, space_on<Backend>> csr_to_bsr(Backend on, csr<Offset, Value, view_on<Backend>> matrix,
                                                 block_size block, double max_fill, stage_log* log) {
  using space = space_on<Backend>;
  require_bsr_block(block);
  const block_divisor shape(block);
  const std::int64_t entries = matrix.values.size();
  bsr<Offset, Value, space> result;
  result.rows = matrix.rows;
  result.cols = matrix.cols;
  result.block_rows = block.rows;
  result.block_cols = block.cols;
  const block_lines<Backend, Offset> lines(on, pattern_of(matrix), shape);
  bsr_blocks<Backend, Offset, Value> found(on, lines, matrix.values.data());
  {
    timed_stage timing(on, log, "count blocks", entries, entries * 4);
    found.count(result);
  }
  const std::int64_t blocks = read_one(on, result.row_offsets.data() + (result.row_offsets.size() - 1));
  const std::int64_t slots = blocks * block.area();
  require_fill("bsr", slots, entries, max_fill);
  {
    timed_stage timing(on, log, "fill blocks", entries,
                       entries * (4 + std::int64_t{sizeof(Value)}) + slots * std::int64_t{sizeof(Value)});
    found.fill(result, blocks, block.area());
  }
  const std::int64_t zeros = count_zeros<Backend, Offset, Value>(on, matrix);
  result.zero_slots = array<std::int64_t, space>(zeros);
  if (zeros > 0) {
    timed_stage timing(on, log, "list zeros", zeros);
    const Value* const values = matrix.values.data();
    const std::int32_t* const cols = matrix.col_indices.data();
    const auto rank = offsets_from_lengths<std::int64_t>(
        on, entries, [=] SPARSMITH_HOST_DEVICE(std::int64_t e) { return std::int64_t{values[e] == 0}; });
    const auto rows = expand_offsets(on, matrix.row_offsets.data(), matrix.rows, entries);
    array<std::int32_t, space> high(zeros), low(zeros);
    const std::int64_t* const at = rank.data();
    const std::int32_t* const row = rows.data();
    const Offset* const block_offsets = result.row_offsets.data();
    const std::int32_t* const block_columns = result.col_indices.data();
    std::int32_t* const out_high = high.data();
    std::int32_t* const out_low = low.data();
    for_each_index(on, entries, [=] SPARSMITH_HOST_DEVICE(std::int64_t e) {
      if (values[e] != 0) return;
      const std::int64_t slot = bsr_slot(block_offsets, block_columns, shape, row[e], cols[e]);
      out_high[at[e]] = static_cast<std::int32_t>(slot >> 31);
      out_low[at[e]] = static_cast<std::int32_t>(slot & 0x7fffffff);
    });
    const auto sorted =
        sort_entries<std::int32_t>(on, high, low, low, (slots >> 31) + 1, std::int64_t{1} << 31, false);
    const std::uint64_t* const keys = sorted.keys.data();
    std::int64_t* const out = result.zero_slots.data();
    for_each_index(on, zeros, [=] SPARSMITH_HOST_DEVICE(std::int64_t i) {
      out[i] = static_cast<std::int64_t>(keys[i]);
    });
  }
  return result;
}

template <class Backend, class Offset, class Value>
csr<Offset, Value, space_on<Backend>> bsr_to_csr(Backend on, bsr<Offset, Value, view_on<Backend>> matrix,
                                                 stage_log* log) {
  using space = space_on<Backend>;
  timed_stage timing(on, log, "gather bsr", matrix.values.size(),
                     matrix.values.size() * std::int64_t{sizeof(Value)} * 2);
  const block_divisor shape({matrix.block_rows, matrix.block_cols});
  const Offset* const block_offsets = matrix.row_offsets.data();
  const std::int32_t* const block_cols = matrix.col_indices.data();
  const Value* const values = matrix.values.data();
  const std::int64_t* const zeros = matrix.zero_slots.data();
  const std::int64_t zero_count = matrix.zero_slots.size();

  csr<Offset, Value, space> result;
  result.rows = matrix.rows;
  result.cols = matrix.cols;
  result.row_offsets =
      offsets_from_lengths<Offset>(on, matrix.rows, [=] SPARSMITH_HOST_DEVICE(std::int64_t r) {
        Offset length = 0;
        for (std::int64_t b = block_offsets[r / shape.rows]; b < block_offsets[r / shape.rows + 1]; ++b)
          for (std::int32_t c = 0; c < shape.cols; ++c) {
            const std::int64_t slot = (b * shape.rows + r % shape.rows) * shape.cols + c;
            length += holds_entry(values[slot], slot, zeros, zero_count) ? 1 : 0;
          }
        return length;
      });
  const std::int64_t entries = read_one(on, result.row_offsets.data() + matrix.rows);
  result.col_indices = array<std::int32_t, space>(entries);
  result.values = array<Value, space>(entries);
  const Offset* const offsets = result.row_offsets.data();
  std::int32_t* const out_cols = result.col_indices.data();
  Value* const out_values = result.values.data();
  for_each_index(on, matrix.rows, [=] SPARSMITH_HOST_DEVICE(std::int64_t r) {
    std::int64_t to = offsets[r];
    for (std::int64_t b = block_offsets[r / shape.rows]; b < block_offsets[r / shape.rows + 1]; ++b)
      for (std::int32_t c = 0; c < shape.cols; ++c) {
        const std::int64_t slot = (b * shape.rows + r % shape.rows) * shape.cols + c;
        if (!holds_entry(values[slot], slot, zeros, zero_count)) continue;
        out_cols[to] = block_cols[b] * shape.cols + c;
        out_values[to] = values[slot];
        ++to;
      }
  });
  return result;
}

}  // namespace sparsmith
