#include "convert/reordering.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <limits>
#include <numeric>
#include <vector>

#include "convert/convert.hpp"
#include "convert/formats/sizes.hpp"
#include "convert/io/bounds.hpp"
#include "convert/pipelines/pipelines.hpp"
#include "convert/words.hpp"

namespace sparsmith {
namespace {

// What a file of an order begins with.
constexpr const char* both_line = "# rows and columns";
constexpr const char* rows_line = "# rows";

array<std::int32_t, host> counted_to(std::int32_t count) {
  array<std::int32_t, host> all(count);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

// Rows of the same length stay in their order.
array<std::int32_t, host> longest_first(const array<std::int32_t, host>& lengths) {
  array<std::int32_t, host> rows = counted_to(static_cast<std::int32_t>(lengths.size()));
  std::stable_sort(rows.begin(), rows.end(),
                   [&](std::int32_t a, std::int32_t b) { return lengths[a] > lengths[b]; });
  return rows;
}

array<std::int32_t, host> by_length(const matrix_entries& matrix) {
  const auto& entries = matrix.entries;
  array<std::int32_t, host> lengths(entries.rows);
  std::fill(lengths.begin(), lengths.end(), 0);
  const bool mirrored = matrix.symmetry != symmetry_kind::general;
  for (std::int64_t i = 0; i < entries.values.size(); ++i) {
    const std::int32_t row = entries.row_indices[i], col = entries.col_indices[i];
    ++lengths[row];
    if (mirrored && row != col) ++lengths[col];
  }
  return longest_first(lengths);
}

// A breadth-first search that stays within what `level` has not reached yet.
class search {
 public:
  explicit search(const adjacency& graph) : graph_(graph), level_(graph.size()), queue_(graph.size()) {
    std::fill(level_.begin(), level_.end(), unreached);
  }

  // The vertices that can be reached are queue[0 .. reached), level by level; gives the last level's number.
  std::int32_t from(std::int32_t start) {
    reached_ = 0;
    reach(start, 0);
    for (std::int64_t next = 0; next < reached_; ++next) {
      const std::int32_t v = queue_[next];
      std::for_each(graph_.begin(v), graph_.end(v), [&](std::int32_t w) {
        if (level_[w] == unreached) reach(w, level_[v] + 1);
      });
    }
    return level_[queue_[reached_ - 1]];
  }
  void forget() {
    for (std::int64_t i = 0; i < reached_; ++i) level_[queue_[i]] = unreached;
  }
  // Of the last level one of the fewest neighbours.
  std::int32_t farthest() const {
    const std::int32_t last = level_[queue_[reached_ - 1]];
    std::int32_t best = queue_[reached_ - 1];
    for (std::int64_t i = reached_ - 1; i >= 0 && level_[queue_[i]] == last; --i)
      if (graph_.degree(queue_[i]) <= graph_.degree(best)) best = queue_[i];
    return best;
  }

 private:
  static constexpr std::int32_t unreached = -1;
  void reach(std::int32_t v, std::int32_t level) {
    level_[v] = level;
    queue_[reached_++] = v;
  }

  const adjacency& graph_;
  array<std::int32_t, host> level_, queue_;
  std::int64_t reached_ = 0;
};

// A vertex far from others, from which levels are narrow: one at the far end of the far end, as long as that
// is farther (George and Liu).
std::int32_t peripheral(search& levels, std::int32_t start) {
  std::int32_t depth = levels.from(start);
  while (true) {
    const std::int32_t other = levels.farthest();
    levels.forget();
    const std::int32_t found = levels.from(other);
    if (found <= depth) {
      levels.forget();
      return start;
    }
    start = other;
    depth = found;
  }
}

}  // namespace

const std::string& name_of(reordering how) {
  static const std::string names[] = {"rcm", "amd", "length"};
  return names[static_cast<std::size_t>(how)];
}

std::optional<reordering> reordering_named(const std::string& name) {
  for (const reordering how : {reordering::rcm, reordering::amd, reordering::length})
    if (name_of(how) == name) return how;
  return {};
}

namespace {

// for_each_entry(visit) calls visit(row, column).
template <class ForEachEntry>
adjacency graph_of(std::int32_t size, const ForEachEntry& for_each_entry) {
  adjacency graph;
  graph.starts = array<std::int64_t, host>(std::int64_t{size} + 1);
  auto& starts = graph.starts;
  std::fill(starts.begin(), starts.end(), 0);
  const auto for_each_edge = [&](auto visit) {
    for_each_entry([&](std::int32_t row, std::int32_t col) {
      if (row == col) return;
      visit(row, col);
      visit(col, row);
    });
  };
  for_each_edge([&](std::int32_t v, std::int32_t) { ++starts[v + 1]; });
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  graph.neighbours = array<std::int32_t, host>(starts[size]);
  auto& neighbours = graph.neighbours;
  array<std::int64_t, host> ends(size);
  std::copy(starts.begin(), starts.begin() + size, ends.begin());
  for_each_edge([&](std::int32_t v, std::int32_t w) { neighbours[ends[v]++] = w; });
#pragma omp parallel for schedule(dynamic, 1024)
  for (std::int32_t v = 0; v < size; ++v) {
    std::int32_t* const first = neighbours.data() + starts[v];
    std::sort(first, neighbours.data() + starts[v + 1]);
    ends[v] = std::unique(first, neighbours.data() + starts[v + 1]) - neighbours.data();
  }
  std::int64_t kept = 0;
  for (std::int32_t v = 0; v < size; ++v) {
    const std::int64_t first = starts[v];
    starts[v] = kept;
    for (std::int64_t i = first; i < ends[v]; ++i) neighbours[kept++] = neighbours[i];
  }
  starts[size] = kept;
  if (kept == neighbours.size()) return graph;
  array<std::int32_t, host> distinct(kept);
  std::copy(neighbours.begin(), neighbours.begin() + kept, distinct.begin());
  neighbours = std::move(distinct);
  return graph;
}

template <class Offset, class Visit>
void for_each_entry_of(const csr_pattern<Offset, host>& matrix, const Visit& visit) {
  for (std::int32_t row = 0; row < matrix.rows; ++row)
    for (Offset i = matrix.row_offsets[row]; i < matrix.row_offsets[row + 1]; ++i)
      visit(row, matrix.col_indices[i]);
}

}  // namespace

adjacency adjacency_of(const coo<double, host>& entries) {
  return graph_of(entries.rows, [&](const auto& visit) {
    for (std::int64_t i = 0; i < entries.values.size(); ++i)
      visit(entries.row_indices[i], entries.col_indices[i]);
  });
}

template <class Offset>
adjacency adjacency_of(const csr_pattern<Offset, host>& matrix) {
  return graph_of(matrix.rows, [&](const auto& visit) { for_each_entry_of(matrix, visit); });
}

template <class Offset>
std::int64_t bandwidth_in_order(const csr_pattern<Offset, host>& matrix,
                                const array<std::int32_t, host>& order) {
  const array<std::int32_t, host> places = places_in(order);
  std::int64_t farthest = 0;
  for_each_entry_of(matrix, [&](std::int32_t row, std::int32_t col) {
    farthest = std::max<std::int64_t>(farthest, std::abs(places[row] - places[col]));
  });
  return farthest;
}

template adjacency adjacency_of(const csr_pattern<std::int32_t, host>&);
template adjacency adjacency_of(const csr_pattern<std::int64_t, host>&);
template std::int64_t bandwidth_in_order(const csr_pattern<std::int32_t, host>&,
                                         const array<std::int32_t, host>&);
template std::int64_t bandwidth_in_order(const csr_pattern<std::int64_t, host>&,
                                         const array<std::int32_t, host>&);

array<std::int32_t, host> reverse_cuthill_mckee(const adjacency& graph) {
  const std::int32_t size = graph.size();
  array<std::int32_t, host> starts = counted_to(size), order(size);
  const auto fewer = [&](std::int32_t a, std::int32_t b) {
    const std::int32_t of_a = graph.degree(a), of_b = graph.degree(b);
    return of_a != of_b ? of_a < of_b : a < b;
  };
  std::sort(starts.begin(), starts.end(), fewer);
  std::vector<bool> placed(static_cast<std::size_t>(size));
  search levels(graph);
  std::int64_t count = 0;
  const auto place = [&](std::int32_t v) {
    placed[static_cast<std::size_t>(v)] = true;
    order[count++] = v;
  };
  for (const std::int32_t start : starts) {
    if (placed[static_cast<std::size_t>(start)]) continue;
    std::int64_t next = count;
    place(peripheral(levels, start));
    for (; next < count; ++next) {
      const std::int32_t v = order[next];
      const std::int64_t first = count;
      std::for_each(graph.begin(v), graph.end(v), [&](std::int32_t w) {
        if (!placed[static_cast<std::size_t>(w)]) place(w);
      });
      std::sort(order.begin() + first, order.begin() + count, fewer);
    }
  }
  std::reverse(order.begin(), order.end());
  return order;
}

bool orders_columns(reordering how) {
  return how != reordering::length;
}

void require_order(reordering how, std::int64_t rows, std::int64_t cols) {
  if (orders_columns(how) && rows != cols)
    throw error(failure::usage,
                fmt::format("order {} is for square matrices, this one is {} x {}; length orders rows alone",
                            name_of(how), rows, cols));
}

namespace {

// Of lists for every row, about; amd's are lists of their own.
void require_memory_for(reordering how, std::int64_t stored, std::int64_t rows) {
  const std::int64_t needed = 16 * stored + (how == reordering::amd ? 176 : 40) * rows;
  if (const std::int64_t there = available_bytes(place::host); needed > there)
    throw error(failure::resources, fmt::format("order {} takes about {}, and {} are available", name_of(how),
                                                format_bytes(needed), format_bytes(there)));
}

row_order order_of_graph(reordering how, const adjacency& graph) {
  return {how == reordering::rcm ? reverse_cuthill_mckee(graph) : approximate_minimum_degree(graph), true};
}

}  // namespace

row_order order_of(reordering how, const matrix_entries& matrix) {
  const auto& entries = matrix.entries;
  require_order(how, entries.rows, entries.cols);
  if (how == reordering::length) return {by_length(matrix), false};
  require_memory_for(how, entries.values.size(), entries.rows);
  return order_of_graph(how, adjacency_of(entries));
}

template <class Offset>
row_order order_of(reordering how, const csr_pattern<Offset, host>& matrix) {
  require_order(how, matrix.rows, matrix.cols);
  if (how == reordering::length) {
    array<std::int32_t, host> lengths(matrix.rows);
    for (std::int32_t row = 0; row < matrix.rows; ++row)
      lengths[row] = static_cast<std::int32_t>(matrix.row_offsets[row + 1] - matrix.row_offsets[row]);
    return {longest_first(lengths), false};
  }
  require_memory_for(how, matrix.entries(), matrix.rows);
  return order_of_graph(how, adjacency_of(matrix));
}
template row_order order_of(reordering, const csr_pattern<std::int32_t, host>&);
template row_order order_of(reordering, const csr_pattern<std::int64_t, host>&);

template <class Offset, class Value>
csr<Offset, Value, host> in_order(const csr<Offset, Value, view_of<host>>& matrix, const row_order& order) {
  const std::int64_t entries = matrix.values.size();
  csr<Offset, Value, host> made;
  made.rows = matrix.rows;
  made.cols = matrix.cols;
  made.row_offsets = array<Offset, host>(std::int64_t{matrix.rows} + 1);
  made.col_indices = array<std::int32_t, host>(entries);
  made.values = array<Value, host>(entries);
  made.row_offsets[0] = 0;
  for (std::int32_t row = 0; row < matrix.rows; ++row) {
    const std::int32_t before = order.rows[row];
    made.row_offsets[row + 1] =
        made.row_offsets[row] + matrix.row_offsets[before + 1] - matrix.row_offsets[before];
  }
  const array<std::int32_t, host> places =
      order.columns_alike ? places_in(order.rows) : array<std::int32_t, host>();
  const auto column = [&](Offset i) {
    const std::int32_t before = matrix.col_indices[i];
    return order.columns_alike ? places[before] : before;
  };
  array<Offset, host> source(entries);  // of each entry, where it was
#pragma omp parallel for schedule(dynamic, 1024)
  for (std::int32_t row = 0; row < matrix.rows; ++row) {
    Offset* const first = source.data() + made.row_offsets[row];
    Offset* const last = source.data() + made.row_offsets[row + 1];
    std::iota(first, last, matrix.row_offsets[order.rows[row]]);
    if (order.columns_alike)
      std::sort(first, last, [&](Offset a, Offset b) { return column(a) < column(b); });
    for (Offset i = made.row_offsets[row]; i < made.row_offsets[row + 1]; ++i) {
      made.col_indices[i] = column(source[i]);
      made.values[i] = matrix.values[source[i]];
    }
  }
  return made;
}
#define SPARSMITH_INSTANTIATE_IN_ORDER(V)                                                  \
  template csr<std::int32_t, V, host> in_order(const csr<std::int32_t, V, view_of<host>>&, \
                                               const row_order&);                          \
  template csr<std::int64_t, V, host> in_order(const csr<std::int64_t, V, view_of<host>>&, const row_order&);
SPARSMITH_INSTANTIATE_IN_ORDER(float)
SPARSMITH_INSTANTIATE_IN_ORDER(double)
SPARSMITH_INSTANTIATE_IN_ORDER(complex64)
SPARSMITH_INSTANTIATE_IN_ORDER(complex128)

void apply(const row_order& order, matrix_entries& matrix) {
  auto& entries = matrix.entries;
  const std::int64_t count = order.rows.size();
  if (count != entries.rows || (order.columns_alike && count != entries.cols))
    throw error(failure::input,
                fmt::format("the order is one of {} {}, and the matrix is {} x {}", count,
                            order.columns_alike ? "rows and columns" : "rows", entries.rows, entries.cols));
  // Rows alone in another order leave nothing of a symmetry.
  if (!order.columns_alike && matrix.symmetry != symmetry_kind::general) {
    expand_entries(matrix, nullptr);
  }
  const row_order places = inverse_of(order);
  const std::int64_t stored = entries.values.size();
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < stored; ++i) {
    entries.row_indices[i] = places.rows[entries.row_indices[i]];
    if (order.columns_alike) entries.col_indices[i] = places.rows[entries.col_indices[i]];
  }
}

row_order inverse_of(const row_order& order) {
  return {places_in(order.rows), order.columns_alike};
}

std::string text_of(const row_order& order) {
  std::string text = order.columns_alike ? both_line : rows_line;
  text += '\n';
  for (const std::int32_t row : order.rows) text += fmt::format("{}\n", row);
  return text;
}

namespace {

// Of a line that is longer than the number of a row, or than what a file begins with, a part that is neither.
bool next_line(std::istream& in, std::string& line) {
  char text[64];
  in.getline(text, sizeof text);
  line.assign(text);
  if (in.fail() && !in.eof() && in.gcount() > 0) {
    in.clear();
    line += "...";
  }
  if (line.ends_with('\r')) line.pop_back();
  return !in.fail() || !line.empty();
}

}  // namespace

row_order read_row_order(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw error(failure::input, fmt::format("{}: could not be opened", path));
  std::string line;
  next_line(in, line);
  if (line != both_line && line != rows_line)
    refuse_input(path, fmt::format("is no order of rows: its first line is not \"{}\" or \"{}\"", both_line,
                                   rows_line));
  const bool columns_alike = line == both_line;
  std::vector<std::int32_t> rows;
  while (next_line(in, line)) {
    std::int32_t row = 0;
    const auto [stop, status] = std::from_chars(line.data(), line.data() + line.size(), row);
    if (status != std::errc() || stop != line.data() + line.size() || row < 0)
      refuse_input(path, fmt::format("line {} is not the number of a row", rows.size() + 2));
    if (rows.size() == std::numeric_limits<std::int32_t>::max())
      refuse_input(path, "has more rows than a matrix can have");
    rows.push_back(row);
  }
  if (in.bad()) refuse_input(path, "could not be read to its end");
  row_order order{array<std::int32_t, host>(static_cast<std::int64_t>(rows.size())), columns_alike};
  std::copy(rows.begin(), rows.end(), order.rows.begin());
  std::vector<bool> seen(rows.size());
  for (const std::int32_t row : rows) {
    const auto at = static_cast<std::size_t>(row);
    if (at >= rows.size() || seen[at])
      refuse_input(path, fmt::format("row {} is {} in an order of {}", row,
                                     at >= rows.size() ? "too large" : "there twice", rows.size()));
    seen[at] = true;
  }
  return order;
}

}  // namespace sparsmith
