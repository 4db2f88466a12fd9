// What every format would cost for a matrix, computed from its structure without building any of them: exact
// bytes, slots stored per entry, and the most memory the conversion from CSR holds at once.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyze/structure/hypersparse.hpp"
#include "convert/convert.hpp"
#include "convert/pipelines/structure.hpp"

namespace sparsmith {

// from_csr(on, matrix, format, options, log) makes what is priced here: what a request left open is decided
// in `options`, as the conversion would decide it.
struct format_cost {
  format_kind format = format_kind::csr;
  conversion_options options = {};
  bool wide_offsets = false;  // takes 64-bit offsets, which the matrix that was priced does not have
  std::string problem = {};   // why there is no price; else empty

  std::int64_t bytes = 0;       // of the arrays
  std::int64_t slots = 0;       // values stored, padding included
  double fill = 1;              // slots / entries
  std::int64_t peak_bytes = 0;  // converting from CSR alone: source, target and temporaries
  bool allowed = true;          // within max_fill, and possible with these offsets and this memory
  bool exact = true;  // false: bytes, slots and peak are at least so many, and `allowed` means not ruled out

  // What comes of the options.
  std::int64_t width = 0;     // of ELL, and of the ELL part of HYB and eCSB
  std::int64_t rest = 0;      // entries that HYB, eCSB and layout tile keep beside it
  std::int64_t blocks = 0;    // with entries of BSR and CSB, stored ones of GCSB, stored tiles
  bool chosen_block = false;  // the block of BSR is the one the request called chosen
  bool renumbered = false;    // layout tile

  bool possible() const { return problem.empty(); }
  // The side of the blocks of CSB, eCSB and GCSB; 0 of the others.
  std::int32_t beta() const { return has_beta(format) ? options.blocks.beta : 0; }
};

// What to price beside the formats that have only one shape.
struct plan_request {
  conversion_options options;
  std::vector<block_size> blocks = {{4, 4}};  // of BSR
  std::optional<block_size> chosen_block;     // one more, as choose_block found it
  std::vector<std::int32_t> betas = {32};     // of CSB, eCSB and GCSB
  bool tile = true;  // GCSB's layout `tile` as well, which takes several passes over the entries
};

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
  std::vector<size_count> row_lengths;
  std::int64_t sell_slots = 0;
  std::vector<std::vector<size_count>> block_row_lengths;  // for every beta of the request
  block_histograms blocks;                                 // of all sizes of the request, by their entries
};
// Those that the rows tell: all but zeros and blocks.
template <class Backend, class Matrix>
price_facts find_row_facts(Backend on, const Matrix& matrix, const plan_request& request,
                           std::vector<size_count> row_lengths) {
  return {0,
          std::move(row_lengths),
          count_sell_slots(on, pattern_of(matrix), request.options.sell),
          count_group_lengths(on, pattern_of(matrix), request.betas),
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

}  // namespace sparsmith
