// How often each length occurs among rows, groups of rows or columns. Most lines are short and alike, so that
// lengths have counters; the few long ones are listed.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "convert/backend/device.hpp"
#include "convert/backend/team.hpp"
#include "convert/formats/sizes.hpp"
#include "convert/pipelines/compress.hpp"
#include "convert/pipelines/structure.hpp"

namespace sparsmith {

// Chosen by hand; bench_analyze shows what a change does.
struct length_tuning {
  // Lines of that many entries are so few that they are listed one by one.
  static constexpr std::int64_t is_long = 1 << 14;
  // Lines of a team: a GPU should have enough teams, each with many more lines than counters to clear.
  static constexpr std::int64_t teams = 512, least_lines = 512, most_lines = 8192;
  static constexpr std::int64_t usual_lengths = 1024;  // that come with the first copy
  static constexpr int digit_bits = 11;  // of a sort on the host, whose counters fit into a first-level cache
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

// How often each of these sizes occurs. They are sorted by digits and not by comparing, since they are small
// as a rule and one pass or two put them in order.
inline std::vector<size_count> count_sizes(std::vector<std::int64_t> sorted) {
  constexpr int digit_bits = length_tuning::digit_bits;
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
    const std::int64_t first_copy = std::min(all.size(), length_tuning::usual_lengths);
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

// Counts lines of which every kind has all `entries` in them.
template <class Backend, class Offset>
length_counts<space_on<Backend>> count_lengths(Backend on, std::int64_t entries,
                                               const std::vector<counted_lines<Offset>>& sources) {
  using space = space_on<Backend>;
  length_counts<space> result;
  if (sources.empty()) return result;
  constexpr std::int64_t is_long = length_tuning::is_long;
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
    const std::int64_t lines_each = std::clamp(sources[s].lines / length_tuning::teams,
                                               length_tuning::least_lines, length_tuning::most_lines);
    for_each_team(on, groups_of(sources[s].lines, lines_each), length_tuning::most_lines,
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

}  // namespace sparsmith
