// What tests let race: a format once, or in each of the variants that have kernels of their own.
#pragma once

#include "analyze/recommend/results.hpp"

namespace sparsmith {

inline std::vector<format_variant> variants_of(format_kind format, const conversion_options& conversion) {
  std::vector<format_variant> all;
  const auto add = [&](const char* note) -> conversion_options& {
    return all.emplace_back(format_variant{.format = format, .note = note, .conversion = conversion})
        .conversion;
  };
  if (format == format_kind::ecsb) {
    add("coo").blocks.holding = ecsb_holding::coo;
    add("ell").blocks.holding = ecsb_holding::ell;
    add("hybrid").blocks.holding = ecsb_holding::hybrid;
  } else {
    add("");
    if (format == format_kind::sell) add("unsorted").sell.sigma = 1;  // the only one the vendor takes
  }
  return all;
}

}  // namespace sparsmith
