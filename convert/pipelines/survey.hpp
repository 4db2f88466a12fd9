// What one walk over the entries of a matrix finds out about its pattern and its values. The walk itself has
// a source for each backend (survey_openmp.cpp, survey_cuda.cu): a thread goes down the rows and remembers
// how far it has come in every other row, a GPU's threads search.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "convert/backend/device.hpp"
#include "convert/pipelines/line_lengths.hpp"
#include "convert/pipelines/structure.hpp"

namespace sparsmith {

// number * cells / of, which is the cell of a grid that the number falls into. Divisions of 64 bits are slow:
// a product with the inverse is right or one too small.
struct grid_cell {
  std::uint32_t cells, of, inverse;
  grid_cell(std::int64_t cells_of, std::int64_t numbers)
      : cells(static_cast<std::uint32_t>(cells_of)),
        of(static_cast<std::uint32_t>(numbers)),
        inverse(static_cast<std::uint32_t>(
            std::min<std::uint64_t>((std::uint64_t{cells} << 32) / of, 0xffffffff))) {}
  SPARSMITH_HOST_DEVICE std::int32_t operator()(std::int64_t number) const {
    const auto own = static_cast<std::uint32_t>(number);
    auto cell = static_cast<std::uint32_t>(std::uint64_t{own} * inverse >> 32);
    if ((std::uint64_t{cell} + 1) * of <= std::uint64_t{own} * cells) ++cell;
    return static_cast<std::int32_t>(cell);
  }
};

// What a walk reads and where it counts. The grid counts in 32 bits: a walk takes no more entries than that.
template <class Offset, class Value>
struct entry_walk {
  std::int32_t rows, cols;
  std::int64_t first, last;  // entries of this walk
  const Offset* row_offsets;
  const std::int32_t* col_indices;
  const Value* values;
  const row_ends* ends;  // found on the way to the walk
  std::int32_t grid_rows, grid_cols;
  grid_cell cell_of_row, cell_of_col;
  std::int32_t* grid;
  std::int32_t* col_lengths;

  // Whether no entry is far from the diagonal.
  SPARSMITH_HOST_DEVICE bool banded() const { return ends->lower < cols / 4 && ends->upper < cols / 4; }
};
// On CUDA it may run on when the call returns, with what it uses.
template <class Space>
struct running_walk {
  array<entry_counts, Space> counts;
  array<std::int32_t, Space> first_rows = {};  // of its pieces
  array<unsigned, Space> taken = {};           // pieces, so far
  std::unique_ptr<work_beside> beside = {};    // null where it has ended
  std::function<void(cuda)> helper = {};       // with what is left of it

  // Gives the walk the room that others had so far.
  void help(openmp) const {}
  void help(cuda on) const { helper(on); }
  // Whatever is queued from now on comes after the walk.
  void finish(openmp) const {}
  void finish(cuda on) const { beside->queued().hold_back(on.stream); }
};
template <class Offset, class Value>
running_walk<host> walk_entries(openmp on, const entry_walk<Offset, Value>& walk);
template <class Offset, class Value>
running_walk<device> walk_entries(cuda on, const entry_walk<Offset, Value>& walk);

struct combine_ends {
  SPARSMITH_HOST_DEVICE row_ends operator()(const row_ends& a, const row_ends& b) const {
    return {a.lower < b.lower ? b.lower : a.lower, a.upper < b.upper ? b.upper : a.upper,
            a.profile + b.profile};
  }
};

// A survey that a GPU may still be at.
template <class Space>
struct survey_under_way {
  survey found;  // so far
  array<row_ends, Space> ends;
  std::vector<array<std::int32_t, Space>> grids;  // one for every walk
  array<std::int32_t, Space> col_lengths;
  std::vector<running_walk<Space>> walks;
  length_counts<Space> counted_columns;

  survey take() {
    found.col_lengths = std::move(counted_columns.take()[0]);  // was queued last: all is there
    const std::int64_t cells = std::int64_t{found.grid_rows} * found.grid_cols;
    found.grid.assign(static_cast<std::size_t>(cells), 0);
    if (walks.empty()) return std::move(found);
    const auto bring = [](auto& target, const auto& from) {
      copy_bytes_beside(place::host, &target, Space::where, from.data(), sizeof(target));
    };
    bring(found.ends, ends);
    array<std::int32_t, host> walked(cells);
    for (std::size_t w = 0; w < walks.size(); ++w) {
      entry_counts counts;
      bring(counts, walks[w].counts);
      found.counts += counts;
      copy_bytes_beside(place::host, walked.data(), Space::where, grids[w].data(), cells * 4);
      for (std::int64_t c = 0; c < cells; ++c) found.grid[static_cast<std::size_t>(c)] += walked[c];
    }
    return std::move(found);
  }
};

template <class Backend, class Offset, class Value>
survey_taker survey_entries(Backend on, csr<Offset, Value, view_on<Backend>> matrix, std::int32_t grid_rows,
                            std::int32_t grid_cols, stage_log* log,
                            const std::function<void(const std::vector<size_count>&)>& meanwhile) {
  using space = space_on<Backend>;
  const std::int64_t entries = matrix.values.size(), rows = matrix.rows, cols = matrix.cols;
  const Offset* const offsets = matrix.row_offsets.data();
  const std::int32_t* const indices = matrix.col_indices.data();
  const auto own = std::make_shared<survey_under_way<space>>();
  survey& found = own->found;
  found.grid_rows = static_cast<std::int32_t>(std::min<std::int64_t>(grid_rows, rows));
  found.grid_cols = static_cast<std::int32_t>(std::min<std::int64_t>(grid_cols, cols));
  own->col_lengths = array<std::int32_t, space>(cols);
  fill(on, own->col_lengths, std::int32_t{0});
  if (entries > 0) {
    own->ends = array<row_ends, space>(1);
    {
      timed_stage timing(on, log, "band", rows, rows * std::int64_t{sizeof(Offset)});
      reduce_to(
          on, own->ends.data(), rows,
          [=] SPARSMITH_HOST_DEVICE(std::int64_t r) {
            if (offsets[r] == offsets[r + 1]) return row_ends{};
            const std::int64_t first = indices[offsets[r]], last = indices[offsets[r + 1] - 1];
            return row_ends{first < r ? r - first : 0, last > r ? last - r : 0, first < r ? r - first : 0};
          },
          combine_ends{});
    }
    timed_stage timing(on, log, "survey entries", entries, entries * (4 + std::int64_t{sizeof(Value)}));
    constexpr std::int64_t walk_entries_most = std::int64_t{1} << 30;
    for (std::int64_t start = 0; start < entries; start += walk_entries_most) {
      auto& grid = own->grids.emplace_back(std::int64_t{found.grid_rows} * found.grid_cols);
      fill(on, grid, std::int32_t{0});
      own->walks.push_back(
          walk_entries(on, entry_walk<Offset, Value>{
                               matrix.rows, matrix.cols, start, std::min(entries, start + walk_entries_most),
                               offsets, indices, matrix.values.data(), own->ends.data(), found.grid_rows,
                               found.grid_cols, grid_cell(found.grid_rows, rows),
                               grid_cell(found.grid_cols, cols), grid.data(), own->col_lengths.data()}));
    }
  }
  const auto start_counting = [&](const counted_lines<Offset>& lines) {
    return count_lengths<Backend, Offset>(on, entries, {lines});
  };
  {
    timed_stage timing(on, log, "row lengths", rows, rows * std::int64_t{sizeof(Offset)});
    found.row_lengths = std::move(start_counting({rows, cols, offsets, rows, 1}).take()[0]);
  }
  meanwhile(found.row_lengths);
  timed_stage timing(on, log, "column lengths", cols, cols * 4);
  for (const running_walk<space>& walk : own->walks) walk.help(on);  // all, before any is waited for
  for (const running_walk<space>& walk : own->walks) walk.finish(on);
  own->counted_columns = start_counting({cols, rows, nullptr, 0, 0, own->col_lengths.data()});
  return [own] { return own->take(); };
}

}  // namespace sparsmith
