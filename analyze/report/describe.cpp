#include "analyze/report/describe.hpp"

#include <fmt/format.h>

#include "analyze/report/text.hpp"

namespace sparsmith {
std::vector<std::string> describe(const format_cost& cost) {
  const conversion_options& options = cost.options;
  const std::string beta = fmt::format("beta {}", cost.beta());
  if (!cost.possible()) return {cost.beta() == 0 ? cost.problem : beta + ": " + cost.problem};
  const auto number = [](const char* what, std::int64_t count) { return fmt::format("{} {}", what, count); };
  const auto counted = [](std::int64_t count, const char* what) { return fmt::format("{} {}", count, what); };
  std::vector<std::string> pieces;
  switch (cost.format) {
    case format_kind::coo:
    case format_kind::csr:
    case format_kind::csc:
      break;
    case format_kind::ell:
      pieces = {number("width", cost.width)};
      break;
    case format_kind::sell:
      pieces = {number("slice", options.sell.slice), number("sigma", options.sell.sigma)};
      break;
    case format_kind::hyb:
      pieces = {number("width", cost.width), number("rest", cost.rest)};
      break;
    case format_kind::bsr:
      pieces = {sides_of(options.bsr_block), counted(cost.blocks, "blocks")};
      if (cost.chosen_block) pieces.emplace_back("auto");
      break;
    case format_kind::csb:
      pieces = {beta, counted(cost.blocks, "blocks")};
      break;
    case format_kind::ecsb:
      pieces = {beta, options.blocks.holding ? name_of(*options.blocks.holding) : "auto"};
      break;
    case format_kind::gcsb:
      pieces = {beta, number("group", options.blocks.group_size), counted(cost.blocks, "blocks")};
      break;
    case format_kind::gcsb_tile:
      pieces = {sides_of({options.tile.height, options.tile.width}),
                counted(options.tile.group_size, "lanes"), counted(cost.blocks, "tiles")};
      if (cost.renumbered) pieces.emplace_back("renumbered");
      break;
  }
  if (cost.wide_offsets) pieces.emplace_back("64-bit offsets");
  return pieces;
}

std::string describe_in_one_line(const format_cost& cost) {
  std::vector<std::string> pieces = describe(cost);
  if (cost.possible() && !cost.exact) pieces.emplace_back("at least");
  return fmt::format("{}", fmt::join(pieces, ", "));
}

}  // namespace sparsmith
