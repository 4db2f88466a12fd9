// The blocks of every shape on OpenMP: each thread walks down a range of rows and remembers, for every block
// column of every width, the last row with an entry in it.
#include "convert/pipelines/block_shapes.hpp"

#include <omp.h>

#include <algorithm>
#include <array>
#include <utility>

#include "convert/backend/own_memory.hpp"

namespace sparsmith {
namespace {

constexpr std::array<std::uint32_t, small_sides + 2> widths = {
    1, 2, 3, 4, 5, 6, 7, 8, square_side(0), square_side(1)};

// use(w) for every number of a width, as a constant: divisions by constants are cheap.
template <class Use>
void for_each_width(Use use) {
  [&]<std::size_t... w>(std::index_sequence<w...>) {
    (use(std::integral_constant<std::size_t, w>{}), ...);
  }
  (std::make_index_sequence<widths.size()>{});
}

// How many block columns a thread remembers.
std::int64_t columns_of_all_widths(std::int32_t cols) {
  std::int64_t total = 0;
  for (const std::uint32_t width : widths) total += (std::int64_t{cols} + width - 1) / width;
  return total;
}

template <class Offset>
class row_walk {
 public:
  row_walk(std::uint32_t* memory, std::int32_t cols, const Offset* row_offsets,
           const std::int32_t* col_indices)
      : row_offsets_(row_offsets), cols_(col_indices) {
    // Farther above any row than a shape can ask for; differences of rows have no sign.
    std::fill_n(memory, columns_of_all_widths(cols), static_cast<std::uint32_t>(-rows_above - 1));
    for (std::size_t w = 0; w < widths.size(); ++w) {
      last_row_[w] = memory;
      memory += (std::int64_t{cols} + widths[w] - 1) / widths[w];
    }
  }

  void remember(std::uint32_t row) {
    for (Offset e = row_offsets_[row]; e < row_offsets_[row + 1]; ++e)
      for_each_width([&](auto w) { last_row_[w][static_cast<std::uint32_t>(cols_[e]) / widths[w]] = row; });
  }

  void count(std::uint32_t row) {
    const std::uint64_t remainders = remainders_of(row);
    std::uint64_t opened[small_sides + 1];
    for (std::uint32_t d = 0; d <= small_sides; ++d) opened[d] = bytes_below(d, remainders);
    const Offset row_end = row_offsets_[row + 1];
    for (Offset e = row_offsets_[row]; e < row_end;) {
      const Offset end = e + std::min<Offset>(room_, row_end - e);
      room_ -= end - e;
      auto sums = sums_;
      for (; e < end; ++e)
        for_each_width([&](auto w) {
          const std::uint32_t block_col = static_cast<std::uint32_t>(cols_[e]) / widths[w];
          const std::uint32_t distance = row - std::exchange(last_row_[w][block_col], row);
          if constexpr (w < small_sides)
            sums[w] += opened[std::min<std::uint32_t>(distance, small_sides)];
          else
            sums[w] += distance > row % widths[w] ? 1 : 0;
        });
      sums_ = sums;
      if (room_ == 0) flush();
    }
  }

  const std::array<std::int64_t, scored_shapes>& totals() {
    flush();
    return totals_;
  }

 private:
  void flush() {
    for (std::size_t i = 0; i < small_shapes; ++i)
      totals_[i] += static_cast<std::int64_t>(sums_[i / small_sides] >> i % small_sides * 8 & 0xff);
    for (std::size_t i = 0; i < 2; ++i)
      totals_[small_shapes + i] += static_cast<std::int64_t>(sums_[small_sides + i]);
    sums_ = {};
    room_ = most;
  }

  static constexpr Offset most = 255;  // entries that the bytes of the sums can count
  const Offset* row_offsets_;
  const std::int32_t* cols_;
  std::array<std::uint32_t*, widths.size()> last_row_;
  std::array<std::uint64_t, widths.size()> sums_ = {};
  std::array<std::int64_t, scored_shapes> totals_ = {};
  Offset room_ = most;
};

template <class Offset>
std::vector<shape_count> count_on_threads(std::int64_t rows, std::int32_t cols, const Offset* row_offsets,
                                          const std::int32_t* col_indices, std::int64_t matrix_bytes) {
  const std::int64_t remembered = columns_of_all_widths(cols);
  const int threads = threads_with_own(remembered * 4, matrix_bytes);
  array<std::uint32_t, host> memory(remembered * threads);
  std::array<std::int64_t, scored_shapes> totals = {};
#pragma omp parallel num_threads(threads)
  {
    const std::int64_t team = omp_get_num_threads(), thread = omp_get_thread_num();
    const auto start_of = [&](std::int64_t part) {
      const auto entry = static_cast<Offset>(std::int64_t{row_offsets[rows]} * part / team);
      return part == team ? rows : std::lower_bound(row_offsets, row_offsets + rows, entry) - row_offsets;
    };
    const std::int64_t first = start_of(thread), last = start_of(thread + 1);
    row_walk<Offset> walk(memory.data() + remembered * thread, cols, row_offsets, col_indices);
    for (std::int64_t r = std::max<std::int64_t>(first - rows_above, 0); r < first; ++r)
      walk.remember(static_cast<std::uint32_t>(r));
    for (std::int64_t r = first; r < last; ++r) walk.count(static_cast<std::uint32_t>(r));
    const auto& own = walk.totals();
#pragma omp critical
    for (std::size_t i = 0; i < totals.size(); ++i) totals[i] += own[i];
  }
  return list_shapes(totals.data());
}

}  // namespace

template <class Backend, class Offset>
std::vector<shape_count> count_block_shapes(Backend, csr_pattern<Offset, space_on<Backend>> matrix) {
  return count_on_threads(matrix.rows, matrix.cols, matrix.row_offsets.data(), matrix.col_indices.data(),
                          matrix.bytes());
}

template std::vector<shape_count> count_block_shapes(openmp, csr_pattern<std::int32_t, host>);
template std::vector<shape_count> count_block_shapes(openmp, csr_pattern<std::int64_t, host>);

}  // namespace sparsmith
