// Options as they are typed: sizes, mixes, amounts of memory, and which options mean something for which
// formats.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "convert/formats/formats.hpp"
#include "convert/formats/sizes.hpp"
#include "kernels/kernel_info.hpp"

namespace sparsmith {

// "csb, ecsb and gcsb"
std::string listed(const std::vector<format_kind>& formats);
// Refuses options, of those that are about some formats only, which are about none of these, that a message
// calls `called`: what is ignored would be believed to have had its effect.
void require_meaning(const std::vector<std::string>& options, const std::vector<format_kind>& formats,
                     const std::string& called);

// Two sides, "4x2", or "4" for both; `option` and `example` are for the messages.
block_size parse_sides(const std::string& option, const std::string& text, const std::string& example,
                       std::int32_t least, std::int32_t most);
// What --block and --tile take, beside `auto`; the library says which sizes there are.
block_size parse_block(const std::string& text);
block_size parse_tile(const std::string& text);
// What --diagonals takes, as conversion_options::dia_share has it: "auto", "all" or a share of the rows.
double parse_diagonals(const std::string& text);

// What --mix takes: "10:1", in full "ax:atx=10:1"; or "both" and "normal", where the two products come
// together and one pass over A may do for them.
struct mix_of_products {
  std::array<double, 2> weights = {1, 1};  // of A x and A^T x
  std::optional<operation> one_pass = {};
};
mix_of_products parse_mix(const std::string& text);
// What --memory takes: "1500000", "512M", "8GiB"; 1024 each.
std::int64_t parse_memory(const std::string& text);

}  // namespace sparsmith
