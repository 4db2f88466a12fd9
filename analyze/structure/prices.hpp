// What every format would cost for a matrix, computed from its structure without building any of them: exact
// bytes, slots stored per entry, and the most memory the conversion from CSR holds at once.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyze/structure/format_cost.hpp"
#include "analyze/structure/hypersparse.hpp"
#include "convert/convert.hpp"
#include "convert/pipelines/structure.hpp"

namespace sparsmith {

template <class Backend, class Offset, class Value>
std::vector<format_cost> plan_formats(Backend on, csr<Offset, Value, view_on<Backend>> matrix,
                                      const plan_request& request);
template <class Backend, class Offset, class Value>
std::vector<format_cost> plan_formats(Backend on, const hypersparse<Offset, Value>& matrix,
                                      const plan_request& request);

// What prices depend on; who knows it already prices without looking at the entries again, but for layouts
// that ask for more (`tile`, GCSB with a sorting window).
struct price_facts {
  std::int64_t zeros = 0;
  std::vector<size_count> diagonals;  // how many have how many entries
  std::vector<size_count> row_lengths;
  std::int64_t sell_slots = 0;
  std::vector<std::vector<size_count>> block_row_lengths;  // for every beta of the request
  block_histograms blocks;                                 // of all sizes of the request, by their entries
  std::optional<bool> has_half = {};  // whether the matrix is symmetric or skew-symmetric, bit for bit
};
// Those that the rows tell: all but zeros, diagonals, blocks and halves.
template <class Backend, class Matrix>
price_facts find_row_facts(Backend on, const Matrix& matrix, const plan_request& request,
                           std::vector<size_count> row_lengths) {
  return {0,
          {},
          std::move(row_lengths),
          count_sell_slots(on, pattern_of(matrix), request.options.sell),
          count_group_lengths(on, pattern_of(matrix), request.betas),
          {},
          {}};
}
// The block sizes that a plan asks for.
std::vector<block_size> sizes_to_price(const plan_request& request);
template <class Backend, class Offset, class Value>
std::vector<format_cost> plan_formats(Backend on, csr<Offset, Value, view_on<Backend>> matrix,
                                      const plan_request& request, const price_facts& facts);
template <class Backend, class Offset, class Value>
std::vector<format_cost> plan_formats(Backend on, const hypersparse<Offset, Value>& matrix,
                                      const plan_request& request, const price_facts& facts);

// Prices of doubles become those of as many complex values, of so many bytes: a conversion moves their
// numbers, which are doubles, beside the values, and at its end has both values and the places of all
// numbers.
void price_complex(std::vector<format_cost>& costs, std::int64_t entries, std::int64_t value_bytes);

}  // namespace sparsmith
