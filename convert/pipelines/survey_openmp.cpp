// The survey of a matrix on OpenMP.
#include "convert/pipelines/structure.hpp"

namespace sparsmith {
using backend = openmp;
}

#include "convert/backend/own_memory.hpp"
#include "convert/pipelines/instantiate_survey.hpp"
#include "convert/pipelines/row_range.hpp"

namespace sparsmith {
namespace {

struct survey_tuning {
  static constexpr std::int64_t rows_ahead = 8;  // whose memory is asked for before it is needed
  // Long rows are cut into pieces, so that none holds up the others.
  static constexpr std::int64_t piece_entries = 1 << 16;
};

// One thread's walk down the rows.
template <class Offset, class Value>
class row_walk {
 public:
  row_walk(const entry_walk<Offset, Value>& walk, Offset* cursors, std::int32_t* col_lengths,
           std::int32_t* grid)
      : w_(walk), cursors_(cursors), col_lengths_(col_lengths), grid_(grid) {}

  // Entries first..last of a row.
  void visit(std::int64_t row, std::int64_t first, std::int64_t last) {
    look_at_values(first, last);
    look_at_pattern(row, first, last);
    if (row + 1 < w_.rows) compare_with_next(row, first, last);
    if (w_.rows == w_.cols) find_mirrored(row, first, last);
  }

  entry_counts counts;

 private:
  void look_at_values(std::int64_t first, std::int64_t last) {
    std::int64_t zeros = 0, nans = 0, unbounded = 0;
    for (std::int64_t e = first; e < last; ++e) {
      const Value value = w_.values[e];
      zeros += value == Value{0} ? 1 : 0;
      nans += value != value ? 1 : 0;
      unbounded += value - value != Value{0} ? 1 : 0;  // infinite or none
    }
    counts.zeros += zeros;
    counts.nans += nans;
    counts.infinities += unbounded - nans;
  }

  void look_at_pattern(std::int64_t row, std::int64_t first, std::int64_t last) {
    const std::int32_t* const cols = w_.col_indices;
    std::int32_t* const cells = grid_ + std::int64_t{w_.cell_of_row(row)} * w_.grid_cols;
    std::int64_t cell = -1, cell_end = 0;
    std::int32_t left = first > w_.row_offsets[row] ? cols[first - 1] : -x_line;  // near none
    for (std::int64_t e = first; e < last; ++e) {
      const std::int32_t col = cols[e];
      // The right neighbour of the entry on the left, which is the last of another stretch at times.
      counts.next_column += col == left + 1 ? 1 : 0;
      counts.x_lines += left / x_line != col / x_line ? 1 : 0;
      counts.diagonal += row == col ? 1 : 0;
      left = col;
      ++col_lengths_[col];
      if (col >= cell_end) {
        cell = w_.cell_of_col(col);
        cell_end = groups_of((cell + 1) * w_.cols, w_.grid_cols);
      }
      ++cells[cell];
    }
  }

  // Both rise: they are gone through side by side.
  void compare_with_next(std::int64_t row, std::int64_t first, std::int64_t last) {
    const std::int32_t* const cols = w_.col_indices;
    const std::int64_t end = w_.row_offsets[row + 2];
    std::int64_t below = w_.row_offsets[row + 1];
    if (first > w_.row_offsets[row]) below = first_from(below, end, cols[first]);
    for (std::int64_t e = first; e < last && below < end;) {
      const std::int32_t own = cols[e], other = cols[below];
      counts.row_below += own == other ? 1 : 0;
      e += own <= other ? 1 : 0;
      below += other <= own ? 1 : 0;
    }
  }

  // Rows rise as the thread goes on, and so do the places of the mirror images in every row: each search
  // starts where the last one in that row ended, with steps that double.
  void find_mirrored(std::int64_t row, std::int64_t first, std::int64_t last) {
    const std::int32_t* const cols = w_.col_indices;
    const auto sought = static_cast<std::int32_t>(row);
    const auto start_in = [&](std::int32_t other) {
      return std::max(w_.row_offsets[other], cursors_[other]);
    };
    constexpr std::int64_t ahead = survey_tuning::rows_ahead;
    for (std::int64_t e = first_from(first, last, sought + 1); e < last; ++e) {
      if (e + ahead < last) __builtin_prefetch(cols + start_in(cols[e + ahead]));
      const std::int32_t other = cols[e];  // right of the diagonal: counted for both
      const std::int64_t end = w_.row_offsets[other + 1];
      std::int64_t low = start_in(other), high = end;
      for (std::int64_t step = 1; low < end; step *= 2) {
        if (low + step >= end) break;
        if (cols[low + step] >= sought) {
          high = low + step;
          break;
        }
        low += step;
      }
      low = first_from(low, high, sought);
      cursors_[other] = static_cast<Offset>(low);
      if (low == end || cols[low] != sought) continue;
      counts.mirrored += 2;
      counts.mirrored_equal += w_.values[low] == w_.values[e] ? 2 : 0;
      counts.mirrored_negated += w_.values[low] == -w_.values[e] ? 2 : 0;
    }
  }

  std::int64_t first_from(std::int64_t low, std::int64_t high, std::int32_t col) const {
    return std::lower_bound(w_.col_indices + low, w_.col_indices + high, col) - w_.col_indices;
  }

  const entry_walk<Offset, Value>& w_;
  Offset* cursors_;
  std::int32_t* col_lengths_;
  std::int32_t* grid_;
};

}  // namespace

template <class Offset, class Value>
running_walk<host> walk_entries(openmp, const entry_walk<Offset, Value>& walk) {
  // What a thread has of its own.
  const std::int64_t cells = std::int64_t{walk.grid_rows} * walk.grid_cols, entries = walk.last - walk.first;
  const std::int64_t cursors_each = walk.rows == walk.cols ? walk.rows : 0;  // for mirror images only
  const std::int64_t own_bytes =
      cursors_each * std::int64_t{sizeof(Offset)} + (std::int64_t{walk.cols} + cells) * 4;
  const int threads = threads_with_own(own_bytes, entries * (4 + std::int64_t{sizeof(Value)}));
  array<Offset, host> cursors(cursors_each * threads);
  // The first thread counts where the sums are wanted.
  array<std::int32_t, host> col_lengths(std::int64_t{walk.cols} * (threads - 1)),
      grids(cells * (threads - 1));
  std::vector<entry_counts> all(static_cast<std::size_t>(threads));
  constexpr std::int64_t piece_entries = survey_tuning::piece_entries;
#pragma omp parallel num_threads(threads)
  {
    const std::int64_t thread = omp_get_thread_num();
    const int team = omp_get_num_threads();  // may be fewer than were asked for
    Offset* const own_cursors = cursors.data() + thread * cursors_each;
    std::int32_t* own_lengths = walk.col_lengths;
    std::int32_t* own_grid = walk.grid;
    if (thread > 0) {
      own_lengths = col_lengths.data() + (thread - 1) * walk.cols;
      own_grid = grids.data() + (thread - 1) * cells;
      std::fill_n(own_lengths, walk.cols, 0);
      std::fill_n(own_grid, cells, 0);
    }
    std::fill_n(own_cursors, cursors_each, Offset{0});
    row_walk<Offset, Value> own(walk, own_cursors, own_lengths, own_grid);
#pragma omp for schedule(monotonic : dynamic)
    for (std::int64_t piece = 0; piece < groups_of(entries, piece_entries); ++piece) {
      const std::int64_t first = walk.first + piece * piece_entries;
      const std::int64_t last = std::min(walk.last, first + piece_entries);
      for (std::int64_t row = row_of_entry(walk.row_offsets, 0, walk.rows, first);
           row < walk.rows && walk.row_offsets[row] < last; ++row)
        own.visit(row, std::max<std::int64_t>(first, walk.row_offsets[row]),
                  std::min<std::int64_t>(last, walk.row_offsets[row + 1]));
    }
    all[static_cast<std::size_t>(thread)] = own.counts;
#pragma omp for
    for (std::int64_t c = 0; c < walk.cols; ++c)
      for (int t = 1; t < team; ++t) walk.col_lengths[c] += col_lengths[std::int64_t{t - 1} * walk.cols + c];
#pragma omp for
    for (std::int64_t c = 0; c < cells; ++c)
      for (int t = 1; t < team; ++t) walk.grid[c] += grids[(t - 1) * cells + c];
  }
  array<entry_counts, host> total(1);
  total[0] = {};
  for (const entry_counts& counts : all) total[0] += counts;
  return {std::move(total)};
}

}  // namespace sparsmith
