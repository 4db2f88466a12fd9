// A text or bytes as the readers take them, and what came of it in a form that tests compare.
#pragma once

#include <algorithm>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "convert/error.hpp"
#include "convert/io/matrix_market.hpp"
#include "tests/battery.hpp"

namespace sparsmith::testing {

// At most `step` bytes at a time, as a slow pipe would.
inline text_source source_of(const std::string& name, const std::string& text,
                             std::size_t piece_bytes = 1 << 20, std::size_t step = 1 << 20) {
  text_source source;
  source.name = name;
  source.piece_bytes = piece_bytes;
  source.read = [text, step, at = std::size_t{0}](char* buffer, std::size_t size) mutable {
    const std::size_t count = std::min({size, step, text.size() - at});
    std::memcpy(buffer, text.data() + at, count);
    at += count;
    return count;
  };
  return source;
}

inline std::vector<triplet> triplets_of(const matrix_entries& m) {
  std::vector<triplet> list;
  for (std::int64_t i = 0; i < m.entries.values.size(); ++i)
    list.push_back({m.entries.row_indices[i], m.entries.col_indices[i], m.entries.values[i]});
  return list;
}

inline bool same_triplets(const std::vector<triplet>& a, const std::vector<triplet>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const triplet& x, const triplet& y) {
    return x.row == y.row && x.col == y.col && x.value == y.value;
  });
}

// What is said of a text that is read in small pieces and at once, which must be the same.
inline std::string refusal_of(const std::function<void(std::size_t piece_bytes)>& read) {
  std::string said;
  for (const std::size_t piece : {std::size_t{3}, std::size_t{1} << 20}) {
    try {
      read(piece);
      return "accepted";
    } catch (const error& e) {
      if (!said.empty() && said != e.what()) return "other words in pieces";
      said = e.what();
    }
  }
  return said;
}

}  // namespace sparsmith::testing
