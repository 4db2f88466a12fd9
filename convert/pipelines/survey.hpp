// What one walk over the entries of a matrix finds out about its pattern and its values. The walk itself has
// a source for each backend (survey_openmp.cpp, survey_cuda.cu): a thread goes down the rows and remembers
// how far it has come in every other row, a GPU's threads search.
#pragma once

#include <algorithm>
#include <array>
#include <memory>

#include "convert/backend/device.hpp"
#include "convert/backend/team.hpp"
#include "convert/pipelines/blocks.hpp"
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
  std::uint32_t* diagonals;  // a bit for each, from the lower left corner on

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

// Lines whose lengths are counted: groups of rows, or columns whose lengths are listed.
template <class Offset>
struct counted_lines {
  std::int64_t lines, longest;  // no line has more entries
  const Offset* row_offsets;
  std::int64_t rows, rows_each;
  const std::int32_t* listed = nullptr;
  SPARSMITH_HOST_DEVICE std::int64_t operator()(std::int64_t line) const {
    if (listed != nullptr) return listed[line];
    const std::int64_t end = (line + 1) * rows_each;
    return row_offsets[end < rows ? end : rows] - row_offsets[line * rows_each];
  }
};
struct long_line_of {
  std::int64_t source, length;
};

// Counts how many lines have each length: the short ones in scratch, since most lines are alike. Those
// without a counter are listed.
template <class Offset>
struct length_body {
  counted_lines<Offset> length;
  std::int64_t lines_each, source, counters;
  std::int32_t* counts;
  std::int32_t* listed;
  long_line_of* list;

  template <class Team>
  SPARSMITH_HOST_DEVICE void operator()(const Team& team, std::int64_t piece) const {
    const std::int64_t first = piece * lines_each;
    const std::int64_t last = first + lines_each < length.lines ? first + lines_each : length.lines;
    const std::int64_t near = counters < team.scratch_words() ? counters : team.scratch_words();
    auto* const own = reinterpret_cast<std::int32_t*>(team.scratch());
    for (std::int64_t i = team.rank(); i < near; i += team.size()) own[i] = 0;
    team.sync();
    for (std::int64_t l = first + team.rank(); l < last; l += team.size()) {
      const std::int64_t found = length(l);
      if (found < near)
        team.add(own + found, 1);
      else if (found < counters)
        team.add_shared(counts + found, 1);
      else
        list[team.add_shared(listed, 1)] = {source, found};
    }
    team.sync();
    for (std::int64_t i = team.rank(); i < near; i += team.size())
      if (own[i] != 0) team.add_shared(counts + i, own[i]);
  }
};

// Slots of the slices of one sorting window. Lengths fall from slice to slice, so that the longest rows of
// the slices add up to the sum, over every length, of the slices that rows of at least that length reach
// into.
template <class Offset>
struct sell_body {
  std::int64_t rows, slice, sigma;
  const Offset* row_offsets;
  std::int64_t* slots;  // of every window

  template <class Team>
  SPARSMITH_HOST_DEVICE void operator()(const Team& team, std::int64_t window) const {
    const std::int64_t first = window * sigma, last = first + sigma < rows ? first + sigma : rows;
    const auto length = [&](std::int64_t r) { return std::int64_t{row_offsets[r + 1] - row_offsets[r]}; };
    std::int32_t most = 0;
    for (std::int64_t r = first + team.rank(); r < last; r += team.size())
      most = length(r) > most ? static_cast<std::int32_t>(length(r)) : most;
    most = team.largest(most);
    auto* const shorter = reinterpret_cast<std::int32_t*>(team.scratch());
    const std::int32_t words = team.scratch_words() - 1;
    std::int64_t slices = 0;
    std::int32_t below = 0;  // rows that are too short for this stretch of lengths
    for (std::int32_t start = 0; start < most; start += words) {
      const std::int32_t count = most - start < words ? most - start : words;
      for (std::int32_t i = team.rank(); i < count; i += team.size()) shorter[i] = 0;
      team.sync();
      for (std::int64_t r = first + team.rank(); r < last; r += team.size()) {
        const std::int64_t at = length(r) - start;
        if (at >= 0 && at < count) team.add(shorter + at, 1);
      }
      team.sync();
      const std::int32_t in_stretch = team.exclusive_sum(shorter, count);
      for (std::int32_t i = team.rank(); i < count; i += team.size()) {
        // Rows of at least start + i + 1 entries: all but the ones of up to start + i.
        const std::int32_t up_to = below + (i + 1 < count ? shorter[i + 1] : in_stretch);
        slices += (last - first - up_to + slice - 1) / slice;
      }
      below += in_stretch;
      team.sync();
    }
    if (slices > 0) add_shared(slots + window, slices * slice);  // most threads have no length of their own
  }

 private:
  SPARSMITH_HOST_DEVICE static void add_shared(std::int64_t* sum, std::int64_t amount) {
#ifdef __CUDA_ARCH__
    atomicAdd(reinterpret_cast<unsigned long long*>(sum), static_cast<unsigned long long>(amount));
#else
    *sum += amount;
#endif
  }
};

// Rows with more than so many entries, and those with as many, in a stretch of rows. In a sum of few the
// former are counted in the upper 16 bits, in a sum of all in the upper 32.
template <class Offset>
struct row_stretches {
  static constexpr std::int64_t each = 1024;
  std::int64_t rows, entries;
  const Offset* row_offsets;

  SPARSMITH_HOST_DEVICE std::int64_t length(std::int64_t row) const {
    return row_offsets[row + 1] - row_offsets[row];
  }
  SPARSMITH_HOST_DEVICE std::int32_t count(std::int64_t row) const {
    return length(row) > entries ? 1 << 16 : length(row) == entries ? 1 : 0;
  }
  SPARSMITH_HOST_DEVICE std::int64_t end(std::int64_t stretch) const {
    return (stretch + 1) * each < rows ? (stretch + 1) * each : rows;
  }
};
template <class Offset>
struct count_long_body {
  row_stretches<Offset> stretches;
  std::int64_t* counts;

  template <class Team>
  SPARSMITH_HOST_DEVICE void operator()(const Team& team, std::int64_t stretch) const {
    auto* const sums = reinterpret_cast<std::int32_t*>(team.scratch());
    std::int32_t own = 0;
    for (std::int64_t r = stretch * stretches.each + team.rank(); r < stretches.end(stretch);
         r += team.size())
      own += stretches.count(r);
    sums[team.rank()] = own;
    team.sync();
    const std::int32_t all = team.exclusive_sum(sums, team.size());
    if (team.rank() == 0) counts[stretch] = (std::int64_t{all >> 16} << 32) + (all & 0xffff);
  }
};
template <class Offset>
struct list_long_body {
  row_stretches<Offset> stretches;
  const std::int64_t* counts;  // up to the end of every stretch
  std::int64_t longer, few;
  long_row* out;

  template <class Team>
  SPARSMITH_HOST_DEVICE void operator()(const Team& team, std::int64_t stretch) const {
    const std::int64_t before = stretch == 0 ? 0 : counts[stretch - 1], up_to = counts[stretch];
    const std::int64_t longer_before = before >> 32, equal_before = before & 0xffffffff;
    if (up_to >> 32 == longer_before && (up_to == before || equal_before >= few)) return;
    auto* const sums = reinterpret_cast<std::int32_t*>(team.scratch());
    const std::int64_t first = stretch * stretches.each, last = stretches.end(stretch);
    for (std::int64_t r = first + team.rank(); r < last; r += team.size())
      sums[r - first] = stretches.count(r);
    team.sync();
    team.exclusive_sum(sums, static_cast<int>(last - first));
    for (std::int64_t r = first + team.rank(); r < last; r += team.size()) {
      const std::int64_t length = stretches.length(r), equal = equal_before + (sums[r - first] & 0xffff);
      if (length > stretches.entries)
        out[longer_before + (sums[r - first] >> 16)] = {static_cast<std::int32_t>(r), length};
      else if (length == stretches.entries && equal < few)
        out[longer + equal] = {static_cast<std::int32_t>(r), length};
    }
    team.sync();
  }
};

// Sorts by digits of 11 bits, which is several times as fast as comparing: sizes are small as a rule.
inline std::vector<size_count> count_sizes(std::vector<std::int64_t> sorted) {
  constexpr int digit_bits = 11;
  std::vector<std::int64_t> other(sorted.size());
  std::int64_t most = 0;
  for (const std::int64_t size : sorted) most = std::max(most, size);
  for (int shift = 0; shift < 63 && most >> shift > 0; shift += digit_bits) {
    std::array<std::size_t, (1 << digit_bits) + 1> ends{};
    const auto digit = [&](std::int64_t size) {
      return static_cast<std::size_t>(size >> shift & ((1 << digit_bits) - 1));
    };
    for (const std::int64_t size : sorted) ++ends[digit(size) + 1];
    for (std::size_t d = 1; d < ends.size(); ++d) ends[d] += ends[d - 1];
    for (const std::int64_t size : sorted) other[ends[digit(size)]++] = size;
    std::swap(sorted, other);
  }
  std::vector<size_count> result;
  for (const std::int64_t size : sorted) {
    if (result.empty() || result.back().size != size) result.push_back({size, 0});
    ++result.back().count;
  }
  return result;
}

// How often each length occurs, of several kinds of lines at once. A GPU may still be counting.
template <class Space>
struct length_counts {
  std::vector<std::int64_t> first_counts = {0};  // of each kind
  array<long_line_of, Space> listed = {};
  // The first says how many lengths there are, and how many lines are listed: with a usual number of lengths
  // one copy brings all.
  array<size_count, Space> found = {};
  std::unique_ptr<queued_work> queued = {};

  std::vector<std::vector<size_count>> take() const {
    std::vector<std::vector<size_count>> result(first_counts.size() - 1);
    if (result.empty()) return result;
    queued->wait();
    array<size_count, host> all(found.size());
    const auto copy_some = [&](std::int64_t first, std::int64_t last) {
      copy_bytes_beside(place::host, all.data() + first, Space::where, found.data() + first,
                        (last - first) * std::int64_t{sizeof(size_count)});
    };
    constexpr std::int64_t usual = 1024;
    const std::int64_t first_copy = std::min(all.size(), usual);
    copy_some(0, first_copy);
    const std::int64_t last = all[0].size + 1, lines_listed = all[0].count;
    if (last > first_copy) copy_some(first_copy, last);
    std::size_t kind = 0;
    for (std::int64_t i = 1; i < last; ++i) {
      while (all[i].size >= first_counts[kind + 1]) ++kind;
      result[kind].push_back({all[i].size - first_counts[kind], all[i].count});
    }
    if (lines_listed == 0) return result;
    array<long_line_of, host> lines(lines_listed);
    copy_bytes_beside(place::host, lines.data(), Space::where, listed.data(),
                      lines_listed * std::int64_t{sizeof(long_line_of)});
    std::vector<std::vector<std::int64_t>> lengths(result.size());
    for (const long_line_of& line : lines)
      lengths[static_cast<std::size_t>(line.source)].push_back(line.length);
    for (std::size_t s = 0; s < result.size(); ++s)
      for (const size_count& l : count_sizes(std::move(lengths[s]))) result[s].push_back(l);
    return result;
  }
};

namespace {  // lambdas: see primitives.hpp

// Of lines of which every kind has all `entries` in them.
template <class Backend, class Offset>
length_counts<space_on<Backend>> count_lengths(Backend on, std::int64_t entries,
                                               const std::vector<counted_lines<Offset>>& sources) {
  using space = space_on<Backend>;
  length_counts<space> result;
  if (sources.empty()) return result;
  // Lines of that many entries are so few that they are listed one by one.
  constexpr std::int64_t is_long = 1 << 14;
  std::vector<std::int64_t>& first_counts = result.first_counts;
  std::int64_t most_listed = 0;
  for (const counted_lines<Offset>& lines : sources) {
    const std::int64_t longest = std::min(lines.longest, entries);
    first_counts.push_back(first_counts.back() + std::min(longest + 1, is_long));
    if (longest >= is_long) most_listed += std::min(lines.lines, entries / is_long);
  }
  const std::int64_t counters = first_counts.back();
  array<std::int32_t, space> counts(counters + 1), ranks(counters);  // the last counts the lines listed
  result.listed = array<long_line_of, space>(most_listed);
  fill(on, counts, std::int32_t{0});
  for (std::size_t s = 0; s < sources.size(); ++s) {
    // Enough teams for a GPU, as long as each has many more lines than counters to clear.
    const std::int64_t lines_each = std::clamp<std::int64_t>(sources[s].lines / 512, 512, 8192);
    for_each_team(on, groups_of(sources[s].lines, lines_each), 8192,
                  length_body<Offset>{sources[s], lines_each, static_cast<std::int64_t>(s),
                                      first_counts[s + 1] - first_counts[s], counts.data() + first_counts[s],
                                      counts.data() + counters, result.listed.data()});
  }
  const std::int32_t* const count = counts.data();
  std::int32_t* const rank = ranks.data();
  inclusive_scan(
      on, counters, [=] SPARSMITH_HOST_DEVICE(std::int64_t i) { return std::int32_t{count[i] > 0 ? 1 : 0}; },
      rank, sum_of<std::int32_t>{});
  result.found = array<size_count, space>(counters + 1);
  size_count* const out = result.found.data();
  for_each_index(on, counters, [=] SPARSMITH_HOST_DEVICE(std::int64_t i) {
    if (count[i] > 0) out[rank[i]] = {i, count[i]};
    if (i + 1 == counters) out[0] = {rank[i], count[counters]};
  });
  result.queued = std::make_unique<queued_work>(on);
  return result;
}

}  // namespace

template <class Backend, class Offset>
std::vector<std::vector<size_count>> count_group_lengths(Backend on,
                                                         csr_pattern<Offset, space_on<Backend>> matrix,
                                                         const std::vector<std::int32_t>& rows_each) {
  std::vector<counted_lines<Offset>> groups;
  for (const std::int64_t each : rows_each)
    groups.push_back(
        {groups_of(matrix.rows, each), each * matrix.cols, matrix.row_offsets.data(), matrix.rows, each});
  return count_lengths(on, matrix.entries(), groups).take();
}

template <class Backend, class Offset>
std::int64_t count_sell_slots(Backend on, csr_pattern<Offset, space_on<Backend>> matrix, sell_shape shape) {
  require_options(shape);
  const std::int64_t rows = matrix.rows, slice = shape.slice;
  if (shape.sigma % slice != 0 && slice % shape.sigma != 0) {  // slices lie across windows
    const Offset* const offsets = matrix.row_offsets.data();
    const auto order = order_by_falling_length(
        on, rows, shape.sigma,
        [=] SPARSMITH_HOST_DEVICE(std::int64_t r) { return offsets[r + 1] - offsets[r]; });
    const std::int32_t* const row = order.data();
    return reduce(
        on, groups_of(rows, slice), std::int64_t{0},
        [=] SPARSMITH_HOST_DEVICE(std::int64_t s) {
          std::int64_t longest = 0;
          for (std::int64_t p = s * slice; p < (s + 1) * slice && p < rows; ++p) {
            const std::int64_t length = offsets[row[p] + std::int64_t{1}] - offsets[row[p]];
            longest = longest < length ? length : longest;
          }
          return longest * slice;
        },
        sum_of<std::int64_t>{});
  }
  // A window inside a slice changes nothing: the slice's longest row is what counts.
  const std::int64_t sigma = std::max<std::int64_t>(shape.sigma, slice), windows = groups_of(rows, sigma);
  array<std::int64_t, space_on<Backend>> slots(windows);
  fill(on, slots, std::int64_t{0});
  for_each_team(on, windows, sigma,
                sell_body<Offset>{rows, slice, sigma, matrix.row_offsets.data(), slots.data()});
  const std::int64_t* const all = slots.data();
  return reduce(
      on, windows, std::int64_t{0}, [=] SPARSMITH_HOST_DEVICE(std::int64_t w) { return all[w]; },
      sum_of<std::int64_t>{});
}

template <class Backend, class Offset>
array<long_row, host> find_long_rows(Backend on, csr_pattern<Offset, space_on<Backend>> matrix,
                                     std::int64_t entries, std::int64_t few) {
  const std::int64_t rows = matrix.rows;
  if (rows == 0) return {};
  const row_stretches<Offset> stretches{rows, entries, matrix.row_offsets.data()};
  const std::int64_t count = groups_of(rows, stretches.each);
  array<std::int64_t, space_on<Backend>> counted(count), sums(count);
  for_each_team(on, count, stretches.each, count_long_body<Offset>{stretches, counted.data()});
  const std::int64_t* const own = counted.data();
  inclusive_scan(
      on, count, [=] SPARSMITH_HOST_DEVICE(std::int64_t s) { return own[s]; }, sums.data(),
      sum_of<std::int64_t>{});
  const std::int64_t last = read_one(on, sums.data() + count - 1), longer = last >> 32;
  few = std::min(few, last & 0xffffffff);
  array<long_row, space_on<Backend>> found(longer + few);
  for_each_team(on, count, stretches.each,
                list_long_body<Offset>{stretches, sums.data(), longer, few, found.data()});
  return copy_to<host>(found, space_on<Backend>::where);
}

// A survey that a GPU may still be at.
template <class Space>
struct survey_under_way {
  survey found;  // so far
  array<row_ends, Space> ends;
  std::vector<array<std::int32_t, Space>> grids;  // one for every walk
  array<std::int32_t, Space> col_lengths;
  array<std::uint32_t, Space> diagonals;  // a bit for each
  array<std::int64_t, Space> diagonal_count;
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
    bring(found.diagonals, diagonal_count);
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
    own->diagonals = array<std::uint32_t, space>(groups_of(rows + cols - 1, 32));
    fill(on, own->diagonals, std::uint32_t{0});
    constexpr std::int64_t walk_entries_most = std::int64_t{1} << 30;
    for (std::int64_t start = 0; start < entries; start += walk_entries_most) {
      auto& grid = own->grids.emplace_back(std::int64_t{found.grid_rows} * found.grid_cols);
      fill(on, grid, std::int32_t{0});
      own->walks.push_back(walk_entries(
          on, entry_walk<Offset, Value>{
                  matrix.rows, matrix.cols, start, std::min(entries, start + walk_entries_most), offsets,
                  indices, matrix.values.data(), own->ends.data(), found.grid_rows, found.grid_cols,
                  grid_cell(found.grid_rows, rows), grid_cell(found.grid_cols, cols), grid.data(),
                  own->col_lengths.data(), own->diagonals.data()}));
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
  if (entries > 0) {
    own->diagonal_count = array<std::int64_t, space>(1);
    const std::uint32_t* const words = own->diagonals.data();
    reduce_to(
        on, own->diagonal_count.data(), own->diagonals.size(),
        [=] SPARSMITH_HOST_DEVICE(std::int64_t w) { return std::int64_t{count_bits(words[w])}; },
        sum_of<std::int64_t>{});
  }
  own->counted_columns = start_counting({cols, rows, nullptr, 0, 0, own->col_lengths.data()});
  return [own] { return own->take(); };
}

}  // namespace sparsmith
