// Which block suits a matrix in BSR: the one of 66 shapes that takes the fewest bytes, and why.
#pragma once

#include <string>
#include <vector>

#include "convert/convert.hpp"
#include "convert/formats/sizes.hpp"
#include "convert/pipelines/structure.hpp"

namespace sparsmith {

// Bytes of BSR's arrays. Stored zeros are listed beside the blocks, whatever their shape.
template <class Offset, class Value>
std::int64_t bsr_bytes(std::int64_t rows, const shape_count& shape, std::int64_t zeros) {
  const std::int64_t block = shape.size.area() * std::int64_t{sizeof(Value)} + 4;
  const std::int64_t block_rows = groups_of(rows, shape.size.rows);
  return shape.blocks * block + (block_rows + 1) * std::int64_t{sizeof(Offset)} + zeros * 8;
}

struct block_candidate {
  shape_count shape = {};
  double fill = 1;         // slots / entries
  std::int64_t bytes = 0;  // of the arrays of BSR
};

struct block_choice {
  // Best first: fewest bytes, then smaller area, then fewer rows. Those above the limit of fill come last.
  std::vector<block_candidate> candidates;
  std::int64_t csr_bytes = 0;
  bool pays = false;   // whether the best takes less than CSR
  std::string reason;  // one line for people

  const block_candidate& best() const { return candidates.front(); }
};

block_choice choose_block(std::vector<block_candidate> candidates, std::int64_t entries,
                          std::int64_t csr_bytes, double max_fill);

template <class Offset, class Value>
block_choice choose_block(const std::vector<shape_count>& shapes, std::int64_t rows, std::int64_t entries,
                          std::int64_t zeros, double max_fill) {
  std::vector<block_candidate> candidates;
  for (const shape_count& shape : shapes) {
    const std::int64_t slots = shape.blocks * shape.size.area();
    candidates.push_back({shape,
                          slots == entries ? 1.0 : static_cast<double>(slots) / static_cast<double>(entries),
                          bsr_bytes<Offset, Value>(rows, shape, zeros)});
  }
  const std::int64_t csr_bytes =
      (rows + 1) * std::int64_t{sizeof(Offset)} + entries * std::int64_t{sizeof(Value) + 4};
  return choose_block(std::move(candidates), entries, csr_bytes, max_fill);
}

template <class Backend, class Offset, class Value>
block_choice choose_block(Backend on, csr<Offset, Value, view_on<Backend>> matrix, double max_fill,
                          stage_log* log) {
  const std::int64_t entries = matrix.values.size();
  timed_stage timing(on, log, "score blocks", entries, bytes(matrix) - entries * std::int64_t{sizeof(Value)});
  return choose_block<Offset, Value>(count_block_shapes(on, pattern_of(matrix)), matrix.rows, entries,
                                     zeros_of<Backend, Offset, Value>(on, matrix), max_fill);
}

}  // namespace sparsmith
