// Rows and columns in another order: one that brings entries near the diagonal, one that keeps factors thin,
// or rows by their length. An order is found from the entries, applied to them, written, and undone.
#pragma once

#include <optional>
#include <string>

#include "convert/io/entries.hpp"

namespace sparsmith {

enum class reordering {
  rcm,     // reverse Cuthill-McKee: a small bandwidth
  amd,     // approximate minimum degree: little fill in a factorisation
  length,  // rows by falling length
};
const std::string& name_of(reordering how);
std::optional<reordering> reordering_named(const std::string& name);

struct row_order {
  array<std::int32_t, host> rows;  // at each place the row that comes there, as it was numbered before
  bool columns_alike = false;      // whether the columns are in the same order
};

// The first two want a square matrix (failure::usage) and look at the pattern of A + A^T.
row_order order_of(reordering how, const matrix_entries& matrix);
template <class Offset>
row_order order_of(reordering how, const csr_pattern<Offset, host>& matrix);
bool orders_columns(reordering how);
void require_order(reordering how, std::int64_t rows, std::int64_t cols);

void apply(const row_order& order, matrix_entries& matrix);
template <class Offset, class Value>
csr<Offset, Value, host> in_order(const csr<Offset, Value, view_of<host>>& matrix, const row_order& order);
// The order that brings back what was before.
row_order inverse_of(const row_order& order);

// As text, a row a line, with a line before them that says what is ordered.
std::string text_of(const row_order& order);
row_order read_row_order(const std::string& path);

// The neighbours of every vertex in the graph of A + A^T, sorted, none twice and none its own.
struct adjacency {
  array<std::int64_t, host> starts;
  array<std::int32_t, host> neighbours;

  std::int32_t size() const { return static_cast<std::int32_t>(starts.size() - 1); }
  std::int32_t degree(std::int32_t v) const { return static_cast<std::int32_t>(starts[v + 1] - starts[v]); }
  const std::int32_t* begin(std::int32_t v) const { return neighbours.data() + starts[v]; }
  const std::int32_t* end(std::int32_t v) const { return neighbours.data() + starts[v + 1]; }
};
adjacency adjacency_of(const coo<double, host>& entries);
template <class Offset>
adjacency adjacency_of(const csr_pattern<Offset, host>& matrix);

// How far from the diagonal an entry would be at most.
template <class Offset>
std::int64_t bandwidth_in_order(const csr_pattern<Offset, host>& matrix,
                                const array<std::int32_t, host>& order);

array<std::int32_t, host> reverse_cuthill_mckee(const adjacency& graph);
array<std::int32_t, host> approximate_minimum_degree(const adjacency& graph);

}  // namespace sparsmith
