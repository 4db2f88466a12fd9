// The price of a format for a matrix, and what prices are asked for: plain data, without what computes it
// (prices.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "convert/options.hpp"

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
  std::int64_t width = 0;  // of ELL, and of the ELL part of HYB and eCSB
  std::int64_t rest = 0;   // entries that HYB, DIA, eCSB and layout tile keep beside it
  std::int64_t blocks =
      0;  // with entries of BSR and CSB, stored ones of GCSB; stored tiles, stored diagonals
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
  bool tile = true;   // GCSB's layout `tile` as well, which takes several passes over the entries
  bool half = true;   // what stores half of a symmetric or skew-symmetric matrix as well, unless hypersparse
  bool whole = true;  // false: halves alone
};

}  // namespace sparsmith
