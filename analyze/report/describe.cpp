#include "analyze/report/describe.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "analyze/report/text.hpp"

namespace sparsmith {
std::vector<std::string> describe(const format_cost& cost, digits shown) {
  const conversion_options& options = cost.options;
  const std::string beta = fmt::format("beta {}", cost.beta());
  if (!cost.possible()) return {cost.beta() == 0 ? cost.problem : beta + ": " + cost.problem};
  const auto number = [](const char* what, std::int64_t count) { return fmt::format("{} {}", what, count); };
  const auto figure = [&](std::int64_t count) {
    return shown == digits::grouped ? with_commas(count) : std::to_string(count);
  };
  const auto counted = [&](std::int64_t count, const char* what) {
    return figure(count) + " " + what + (count == 1 ? "" : "s");
  };
  std::vector<std::string> pieces;
  switch (cost.format) {
    case format_kind::coo:
    case format_kind::csr:
    case format_kind::csc:
      break;
    case format_kind::ell:
      pieces = {"width " + figure(cost.width)};
      break;
    case format_kind::sell:
      pieces = {number("slice", options.sell.slice), number("sigma", options.sell.sigma)};
      break;
    case format_kind::hyb:
      pieces = {"width " + figure(cost.width), "rest " + figure(cost.rest)};
      break;
    case format_kind::bsr:
      pieces = {sides_of(options.bsr_block), counted(cost.blocks, "block")};
      if (cost.chosen_block) pieces.emplace_back("auto");
      break;
    case format_kind::csb:
      pieces = {beta, counted(cost.blocks, "block")};
      break;
    case format_kind::ecsb:
      pieces = {beta, options.blocks.holding ? name_of(*options.blocks.holding) : "auto"};
      break;
    case format_kind::gcsb:
      pieces = {beta, number("group", options.blocks.group_size), counted(cost.blocks, "block")};
      break;
    case format_kind::gcsb_tile:
      pieces = {sides_of({options.tile.height, options.tile.width}), counted(options.tile.group_size, "lane"),
                counted(cost.blocks, "tile")};
      if (cost.renumbered) pieces.emplace_back("renumbered");
      break;
  }
  if (cost.wide_offsets) pieces.emplace_back("64-bit offsets");
  return pieces;
}

const char* name_of(block_order order) {
  return order == block_order::morton ? "morton" : order == block_order::row ? "row" : "diagonal";
}

std::vector<std::string> describe(format_kind format, const format_parameters& parameters) {
  const auto value = [&](std::string_view wanted) {
    for (const auto& [name, number] : parameters)
      if (name == wanted) return number;
    throw std::logic_error(fmt::format("{} has no {}", name_of(format), wanted));
  };
  const auto sides = [&](const char* rows, const char* cols) {
    return fmt::format("{} x {}", value(rows), value(cols));
  };
  const auto number = [&](const char* word, const char* name) {
    return fmt::format("{} {}", word, value(name));
  };
  const auto order = [&] {
    return fmt::format("order {}", name_of(static_cast<block_order>(value("order"))));
  };
  std::vector<std::string> pieces;
  switch (format) {
    case format_kind::coo:
    case format_kind::csr:
    case format_kind::csc:
      break;
    case format_kind::ell:
    case format_kind::hyb:
      pieces = {number("width", "width")};
      break;
    case format_kind::sell:
      pieces = {number("slice", "slice"), number("sigma", "sigma")};
      break;
    case format_kind::bsr:
      pieces = {sides("block_rows", "block_cols")};
      break;
    case format_kind::csb:
      pieces = {number("beta", "beta"), order()};
      if (value("dense_blocks") != 0) pieces.emplace_back("layout thesis");
      break;
    case format_kind::ecsb:
      pieces = {number("beta", "beta"), order(), name_of(static_cast<ecsb_holding>(value("holding")))};
      if (value("width") > 0) pieces.push_back(number("width", "width"));
      break;
    case format_kind::gcsb:
      pieces = {number("beta", "beta"), number("group", "group_size"), order()};
      if (value("window") > 0) pieces.push_back(number("window", "window"));
      if (value("dense_blocks") != 0) pieces.emplace_back("layout thesis");
      break;
    case format_kind::gcsb_tile:
      pieces = {sides("tile_height", "tile_width"), fmt::format("{} lanes", value("group_size"))};
      if (value("renumbered") != 0) pieces.emplace_back("renumbered");
      pieces.push_back(number("rest below", "rest_below"));
      break;
  }
  return pieces;
}

std::string name_with_shape(const format_cost& cost) {
  const std::vector<std::string> pieces = describe(cost);
  return pieces.empty() ? name_of(cost.format) : name_of(cost.format) + " " + pieces.front();
}

std::string describe_in_one_line(const format_cost& cost, digits shown) {
  std::vector<std::string> pieces = describe(cost, shown);
  if (cost.possible() && !cost.exact) pieces.emplace_back("at least");
  return fmt::format("{}", fmt::join(pieces, ", "));
}

}  // namespace sparsmith
