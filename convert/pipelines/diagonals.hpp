// How many entries lie on each diagonal. Of a stencil nearly all entries want the same few counters, of other
// matrices nearly every one wants another: a team counts what it meets often in its scratch, and the rest
// where all teams do.
#pragma once

#include "convert/backend/team.hpp"
#include "convert/pipelines/compress.hpp"
#include "convert/pipelines/pipelines.hpp"
#include "convert/pipelines/row_range.hpp"

namespace sparsmith {

// Chosen by hand.
struct diagonal_tuning {
  static constexpr std::int64_t piece_entries = 8192;  // a team's work
  static constexpr int table_bits = 11;                // of the counters in scratch
};

// Diagonals are numbered from the lower left corner on.
struct diagonal_numbers {
  std::int64_t rows, cols;

  SPARSMITH_HOST_DEVICE std::int64_t count() const { return rows == 0 || cols == 0 ? 0 : rows + cols - 1; }
  SPARSMITH_HOST_DEVICE std::int64_t number(std::int64_t row, std::int64_t col) const {
    return col - row + rows - 1;
  }
  SPARSMITH_HOST_DEVICE std::int64_t offset(std::int64_t number) const { return number - (rows - 1); }
};

// The entries of a matrix in pieces, each the work of a team.
template <class Offset>
struct entry_pieces {
  std::int64_t rows, entries;
  const Offset* row_offsets;

  std::int64_t count() const {
    return (entries + diagonal_tuning::piece_entries - 1) / diagonal_tuning::piece_entries;
  }
  SPARSMITH_HOST_DEVICE row_range range(std::int64_t piece) const {
    const std::int64_t first = piece * diagonal_tuning::piece_entries;
    const std::int64_t last =
        first + diagonal_tuning::piece_entries < entries ? first + diagonal_tuning::piece_entries : entries;
    return {piece, row_of_entry(row_offsets, 0, rows, first),
            row_of_entry(row_offsets, 0, rows, last - 1) + 1, first, last};
  }
};

template <class Offset>
struct count_diagonals_body {
  entry_pieces<Offset> pieces;
  diagonal_numbers diagonals;
  const std::int32_t* cols;
  std::int32_t* counts;  // all 0 before

  template <class Team>
  SPARSMITH_HOST_DEVICE void operator()(const Team& team, std::int64_t piece) const {
    constexpr std::int32_t places = 1 << diagonal_tuning::table_bits;
    std::uint32_t* const held = team.scratch();  // which diagonal a counter is for
    auto* const own = reinterpret_cast<std::int32_t*>(held + places);
    for (std::int32_t i = team.rank(); i < places; i += team.size()) {
      held[i] = nobody;
      own[i] = 0;
    }
    team.sync();
    const row_range range = pieces.range(piece);
    for_each_entry(team, range, pieces.row_offsets, cols, static_cast<const float*>(nullptr),
                   [&](std::int64_t, std::int64_t row, const loaded_entry<float>& entry) {
                     const auto diagonal =
                         static_cast<std::uint32_t>(diagonals.number(range.first_row + row, entry.col));
                     // Knuth's multiplier: offsets of a stencil are multiples of its sides.
                     const std::uint32_t place = diagonal * 2654435761u >> (32 - diagonal_tuning::table_bits);
                     if (holder(held + place, diagonal) == diagonal)
                       team.add(own + place, 1);
                     else
                       team.add_shared(counts + diagonal, 1);
                   });
    team.sync();
    for (std::int32_t i = team.rank(); i < places; i += team.size())
      if (own[i] != 0) team.add_shared(counts + held[i], own[i]);
  }

 private:
  static constexpr std::uint32_t nobody = 0xffffffff;  // no diagonal: there are fewer than 2^32 - 1

  // Who has this counter, once it was offered to a diagonal.
  SPARSMITH_HOST_DEVICE static std::uint32_t holder(std::uint32_t* held, std::uint32_t diagonal) {
#ifdef __CUDA_ARCH__
    std::uint32_t found = *static_cast<volatile std::uint32_t*>(held);
    if (found == nobody) found = atomicCAS(held, nobody, diagonal);
    return found == nobody ? diagonal : found;
#else
    if (*held == nobody) *held = diagonal;
    return *held;
#endif
  }
};

namespace {  // see primitives.hpp

// 32 bits hold each: a diagonal has no more places than there are rows.
template <class Backend, class Offset>
array<std::int32_t, space_on<Backend>> entries_of_diagonals(Backend on,
                                                            csr_pattern<Offset, space_on<Backend>> matrix) {
  const diagonal_numbers diagonals{matrix.rows, matrix.cols};
  array<std::int32_t, space_on<Backend>> counts(diagonals.count());
  fill(on, counts, std::int32_t{0});
  const entry_pieces<Offset> pieces{matrix.rows, matrix.entries(), matrix.row_offsets.data()};
  for_each_team(on, pieces.count(), diagonal_tuning::piece_entries,
                count_diagonals_body<Offset>{pieces, diagonals, matrix.col_indices.data(), counts.data()},
                2 << diagonal_tuning::table_bits);
  return counts;
}

}  // namespace

}  // namespace sparsmith
