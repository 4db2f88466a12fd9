// The matrices every conversion and kernel is tested on: each is a shape that has broken somebody's code
// before. Entries come unsorted where that is the point; `oracle` says what they mean.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "convert/formats/formats.hpp"

namespace sparsmith::testing {

inline constexpr double no_limit = std::numeric_limits<double>::infinity();  // for --max-fill

struct triplet {
  std::int32_t row, col;
  double value;
};

struct named_matrix {
  std::string name;
  std::int32_t rows, cols;
  std::vector<triplet> entries;
};

// A small generator of its own, so that the battery does not depend on what it tests.
class random_source {
 public:
  explicit random_source(std::uint64_t seed) : state_(seed) {}
  std::uint32_t below(std::uint32_t limit) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>((state_ >> 33) % limit);
  }
  double value() { return static_cast<double>(below(2001)) / 8 - 125; }  // exact in float

 private:
  std::uint64_t state_;
};

inline named_matrix random_matrix(std::string name, std::int32_t rows, std::int32_t cols, int entries,
                                  std::uint64_t seed) {
  random_source random(seed);
  named_matrix m{std::move(name), rows, cols, {}};
  for (int i = 0; i < entries; ++i)
    m.entries.push_back({static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(rows))),
                         static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(cols))),
                         random.value()});
  return m;
}

// With the mirror image of every entry off the diagonal, negated where `skew`.
inline named_matrix mirrored(named_matrix m, bool skew = false) {
  for (std::size_t i = 0, count = m.entries.size(); i < count; ++i) {
    const triplet t = m.entries[i];
    if (t.row != t.col) m.entries.push_back({t.col, t.row, skew ? -t.value : t.value});
  }
  return m;
}

// Those that equal their transpose, or the negated one, bit for bit.
inline std::vector<named_matrix> mirrored_battery() {
  random_source random(91);
  const auto upper = [&](std::string name, std::int32_t side, int entries, int first_gap) {
    named_matrix m{std::move(name), side, side, {}};
    std::map<std::pair<std::int32_t, std::int32_t>, bool> taken;
    for (int i = 0; i < entries; ++i) {
      const auto row = static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(side - first_gap)));
      const auto col =
          row + first_gap +
          static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(side - row - first_gap)));
      if (taken.try_emplace({row, col}, true).second) m.entries.push_back({row, col, random.value()});
    }
    return m;
  };
  named_matrix band{"symmetric band", 67, 67, {}}, skew_band{"skew-symmetric band", 129, 129, {}},
      hub{"symmetric, a hub", 700, 700, {}}, blocks{"symmetric blocks", 65, 65, {}},
      strange{"symmetric, strange values", 30, 30, {}},
      zeros{"skew-symmetric, zeros on the diagonal", 40, 40, {}}, last{"symmetric, last row alone", 9, 9, {}};
  for (std::int32_t i = 0; i < 67; ++i)
    for (const std::int32_t gap : {0, 1, 2, 20})
      if (i + gap < 67) band.entries.push_back({i, i + gap, random.value()});
  for (std::int32_t i = 0; i < 129; ++i)
    for (const std::int32_t gap : {1, 3, 64})
      if (i + gap < 129) skew_band.entries.push_back({i, i + gap, random.value()});
  for (std::int32_t i = 0; i < 700; ++i) {
    hub.entries.push_back({std::min(i, 350), std::max(i, 350), random.value()});
    if (i % 3 == 0 && i != 350) hub.entries.push_back({i, i, random.value()});
  }
  for (std::int32_t i = 0; i < 65; i += 5)
    for (const std::int32_t j : {i, i + 5, i + 30})
      for (std::int32_t k = 0; k < 25; ++k)
        if (const std::int32_t row = i + k / 5, col = j + k % 5; row <= col && col < 65)
          blocks.entries.push_back({row, col, random.value()});
  const double infinity = std::numeric_limits<double>::infinity();
  const double values[] = {-0.0, infinity, -infinity, std::nan(""), 0.0, 0x1p-126, 1.0, -1.0};
  for (std::int32_t i = 0; i < 8; ++i) strange.entries.push_back({i, i * 4, values[i]});
  for (std::int32_t i = 0; i < 40; ++i) {
    if (i % 4 == 0) zeros.entries.push_back({i, i, i % 8 == 0 ? 0.0 : -0.0});
    if (i < 35) zeros.entries.push_back({i, i + 5, i % 5 == 0 ? 0.0 : random.value()});
  }
  last.entries.push_back({0, 8, 2.0});
  std::vector<named_matrix> all = {mirrored(upper("symmetric", 90, 600, 0)),
                                   mirrored(upper("skew-symmetric", 90, 600, 1), true),
                                   mirrored(upper("symmetric, large and empty", 3000, 2500, 0)),
                                   mirrored(skew_band, true), mirrored(zeros, true)};
  for (const auto* m : {&band, &hub, &blocks, &strange, &last}) all.push_back(mirrored(*m));
  return all;
}

inline std::vector<named_matrix> battery() {
  std::vector<named_matrix> all;
  all.push_back({"0x0", 0, 0, {}});
  all.push_back({"0x5", 0, 5, {}});
  all.push_back({"5x0", 5, 0, {}});
  all.push_back({"1x1", 1, 1, {{0, 0, 2.5}}});
  all.push_back({"1x1 empty", 1, 1, {}});
  all.push_back({"7x9 empty", 7, 9, {}});
  all.push_back(random_matrix("1xn", 1, 300, 60, 1));
  all.push_back(random_matrix("nx1", 300, 1, 200, 2));
  all.push_back(random_matrix("wide", 5, 4000, 700, 3));
  all.push_back(random_matrix("tall", 4000, 5, 700, 4));
  all.push_back(random_matrix("unsorted", 97, 61, 900, 5));
  all.push_back(random_matrix("many duplicates", 11, 13, 3000, 6));

  named_matrix spec{"SPEC 6x6", 6, 6, {}};
  const std::pair<int, int> places[] = {{0, 0}, {0, 1}, {0, 4}, {0, 5}, {1, 0}, {1, 2},
                                        {1, 4}, {2, 1}, {3, 1}, {3, 3}, {5, 1}, {5, 5}};
  double letter = 1;
  for (const auto& [row, col] : places) spec.entries.push_back({row, col, letter++});
  all.push_back(spec);

  named_matrix diagonal{"diagonal", 100, 100, {}}, banded{"banded", 130, 130, {}},
      dense_row{"dense row", 70, 70, {}}, dense_col{"dense column", 70, 70, {}},
      blocked{"blocked", 63, 45, {}}, sparse{"empty rows and columns", 200, 200, {}},
      power{"power law", 400, 400, {}}, same{"one place", 8, 8, {}},
      column_major{"column by column", 120, 80, {}}, zeros{"explicit zeros", 20, 20, {}},
      strange{"strange values", 4, 40, {}}, large{"many rows", 70000, 50000, {}},
      reversed{"reversed", 50, 50, {}}, full{"full", 33, 17, {}};
  random_source random(77);
  for (int i = 0; i < 100; ++i) diagonal.entries.push_back({i, i, random.value()});
  for (int i = 0; i < 130; ++i)
    for (int j = i - 3; j <= i + 2; ++j)
      if (j >= 0 && j < 130) banded.entries.push_back({i, j, random.value()});
  for (int i = 0; i < 70; ++i) {
    dense_row.entries.push_back({i, i, random.value()});
    dense_row.entries.push_back({35, i, random.value()});
    dense_col.entries.push_back({i, 12, random.value()});
    dense_col.entries.push_back({i, (i * 7) % 70, random.value()});
  }
  for (int block = 0; block < 25; ++block) {
    const int row = static_cast<int>(random.below(12)) * 5, col = static_cast<int>(random.below(8)) * 5;
    for (int i = 0; i < 5; ++i)
      for (int j = 0; j < 5; ++j) blocked.entries.push_back({row + i, col + j, random.value()});
  }
  for (int i = 0; i < 60; ++i)
    sparse.entries.push_back({static_cast<std::int32_t>(random.below(40)) * 5,
                              static_cast<std::int32_t>(random.below(20)) * 9 + 3, random.value()});
  for (int i = 0; i < 400; ++i)
    for (int k = 0; k < 400 / (i + 1) + 1; ++k)
      power.entries.push_back({(i * 37) % 400, static_cast<std::int32_t>(random.below(400)), random.value()});
  for (int i = 0; i < 500; ++i) same.entries.push_back({3, 5, 0.1 * i});
  for (int j = 0; j < 80; ++j)
    for (int i = j % 7; i < 120; i += 1 + static_cast<int>(random.below(30)))
      column_major.entries.push_back({i, j, random.value()});
  for (int i = 0; i < 20; ++i) {
    zeros.entries.push_back(
        {i, 0, i % 2 == 0 ? 0.0 : 1.0});  // column 0 with value 0 is what padding looks like
    if (i % 3 == 0) zeros.entries.push_back({i, 19, 0.0});
    if (i == 7) zeros.entries.push_back({i, 5, 3.0});
  }
  const double infinity = std::numeric_limits<double>::infinity();
  const double values[] = {-0.0, infinity, -infinity, std::nan(""), 1e-300, 0x1p-126, 1.0, -1.0};
  for (int i = 0; i < 8; ++i) strange.entries.push_back({i % 4, i * 5, values[i]});
  for (int i = 0; i < 40000; ++i)
    large.entries.push_back({static_cast<std::int32_t>(random.below(70000)),
                             static_cast<std::int32_t>(random.below(50000)), random.value()});
  for (int i = 49; i >= 0; --i)
    for (int j = 49; j >= 0; j -= 3) reversed.entries.push_back({i, j, random.value()});
  for (int i = 0; i < 33; ++i)
    for (int j = 0; j < 17; ++j) full.entries.push_back({i, j, random.value()});
  for (auto* m : {&diagonal, &banded, &dense_row, &dense_col, &blocked, &sparse, &power, &same, &column_major,
                  &zeros, &strange, &large, &reversed, &full})
    all.push_back(std::move(*m));
  for (named_matrix& m : mirrored_battery()) all.push_back(std::move(m));
  return all;
}

// Lists so long that their order is guessed from their first entries, which tell less than the last ones do;
// some end with a chunk of those that are summed together, some do not.
inline std::vector<named_matrix> long_lists() {
  constexpr int size = 600, count = 140 * 512;
  random_source random(31);
  named_matrix sorted{"sorted", size, size, {}};
  for (int i = 0; i < count; ++i) {
    const int place = i * 5 + static_cast<int>(random.below(5));
    sorted.entries.push_back({place / size, place % size, random.value()});
  }
  std::vector<named_matrix> all{sorted};
  const auto add = [&](std::string name, const named_matrix& from, auto change) {
    all.push_back(from);
    all.back().name = std::move(name);
    change(all.back().entries);
  };
  using list = std::vector<triplet>;
  const auto by_column = [](const triplet& a, const triplet& b) { return a.col < b.col; };
  const auto shuffle = [&](list& entries, std::size_t first, std::size_t last) {
    for (std::size_t i = last; i > first + 1; --i)
      std::swap(entries[i - 1], entries[first + random.below(static_cast<std::uint32_t>(i - first))]);
  };
  add("sorted but for the last one", sorted, [](list& entries) { entries.back() = {0, 3, 0.5}; });
  add("sorted, the last one twice", sorted, [](list& entries) { entries.push_back(entries.back()); });
  add("rows sorted, the last two columns not", sorted,
      [](list& entries) { std::swap(entries.back(), entries[entries.size() - 2]); });
  add("column by column", sorted,
      [&](list& entries) { std::stable_sort(entries.begin(), entries.end(), by_column); });
  add("column by column but for the last one", all.back(), [](list& entries) {
    entries.push_back({7, 0, 0.5});
  });
  add("shuffled, then sorted", sorted, [&](list& entries) { shuffle(entries, 0, 400); });
  add("sorted, then shuffled", sorted, [&](list& entries) { shuffle(entries, 400, entries.size()); });
  add("shuffled", sorted, [&](list& entries) { shuffle(entries, 0, entries.size()); });
  add("shuffled with duplicates", sorted, [&](list& entries) {
    for (std::size_t i = 0; i < entries.size(); i += 20)
      entries.push_back({entries[i].row, entries[i].col, random.value()});
    for (int i = 0; i < 2000; ++i) entries.push_back({300, 300, random.value() / 3});  // several chunks
    shuffle(entries, 0, entries.size());
  });
  add("shuffled, the last place a thousand times", sorted, [&](list& entries) {
    for (int i = 0; i < 1024; ++i) entries.push_back({size - 1, size - 1, random.value() / 3});
    shuffle(entries, 0, entries.size());
  });
  add("shuffled, the first place a thousand times", sorted, [&](list& entries) {
    for (int i = 0; i < 1000; ++i) entries.push_back({0, 0, random.value() / 3});
    shuffle(entries, 0, entries.size());
  });
  return all;
}

inline coo<double, host> as_coo(const named_matrix& m) {
  const auto count = static_cast<std::int64_t>(m.entries.size());
  coo<double, host> list{m.rows, m.cols, array<std::int32_t, host>(count), array<std::int32_t, host>(count),
                         array<double, host>(count)};
  for (std::int64_t i = 0; i < count; ++i) {
    const triplet& t = m.entries[static_cast<std::size_t>(i)];
    list.row_indices[i] = t.row;
    list.col_indices[i] = t.col;
    list.values[i] = t.value;
  }
  return list;
}

template <class Value>
coo<Value, host> as_coo_of(const named_matrix& m) {
  auto list = as_coo(m);
  coo<Value, host> typed{list.rows, list.cols, std::move(list.row_indices), std::move(list.col_indices),
                         array<Value, host>(list.values.size())};
  for (std::int64_t i = 0; i < list.values.size(); ++i) typed.values[i] = static_cast<Value>(list.values[i]);
  return typed;
}

// What the entries mean: duplicates summed in the order they come, in the value's own type.
template <class Value>
std::map<std::pair<std::int32_t, std::int32_t>, Value> oracle(const named_matrix& m) {
  std::map<std::pair<std::int32_t, std::int32_t>, Value> cells;
  for (const triplet& t : m.entries) {
    const auto [at, fresh] = cells.try_emplace({t.row, t.col}, static_cast<Value>(t.value));
    if (!fresh) at->second += static_cast<Value>(t.value);
  }
  return cells;
}

// Whether a matrix has a half to be stored: 1 where every entry has its mirror image, -1 where all are
// negated and the diagonal holds zeros, else 0. It shares nothing with what finds that out in a conversion.
template <class Offset, class Value>
int mirror_sign(const csr<Offset, Value, host>& m) {
  if (m.rows != m.cols) return 0;
  const auto same = [](Value a, Value b) { return std::memcmp(&a, &b, sizeof a) == 0; };
  bool equal = true, negated = true;
  for (std::int32_t row = 0; row < m.rows; ++row)
    for (Offset e = m.row_offsets[row]; e < m.row_offsets[row + 1]; ++e) {
      const std::int32_t col = m.col_indices[e];
      const std::int32_t* const end = m.col_indices.data() + m.row_offsets[col + 1];
      const std::int32_t* const image = std::lower_bound(m.col_indices.data() + m.row_offsets[col], end, row);
      if (image == end || *image != row) return 0;
      const Value other = m.values[image - m.col_indices.data()];
      equal = equal && same(other, m.values[e]);
      negated = negated && (row == col ? other == 0 : same(-other, m.values[e]));
    }
  return equal ? 1 : negated ? -1 : 0;
}
// The formats that a matrix can be stored in.
template <class Offset, class Value>
std::vector<format_kind> formats_for(const csr<Offset, Value, host>& m) {
  const bool has_half = mirror_sign(m) != 0;
  std::vector<format_kind> formats;
  for (const format_kind format : all_formats())
    if (has_half || !whole_of(format)) formats.push_back(format);
  return formats;
}

// Calls use.operator()<Offset, Value>() for the four combinations of types.
template <class Use>
void for_each_type(Use use) {
  use.template operator()<std::int32_t, float>();
  use.template operator()<std::int32_t, double>();
  use.template operator()<std::int64_t, float>();
  use.template operator()<std::int64_t, double>();
}

}  // namespace sparsmith::testing
