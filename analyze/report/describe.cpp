#include "analyze/report/describe.hpp"

#include <fmt/format.h>

#include "analyze/report/text.hpp"
#include "convert/formats/properties.hpp"

namespace sparsmith {
std::vector<std::string> describe(const format_cost& cost, digits shown) {
  const std::string beta = fmt::format("beta {}", cost.beta());
  if (!cost.possible()) return {cost.beta() == 0 ? cost.problem : beta + ": " + cost.problem};
  const auto figure = [shown](std::int64_t count) {
    return shown == digits::grouped ? with_commas(count) : std::to_string(count);
  };
  std::vector<std::string> pieces;
  if (const auto words = properties_of(cost.format).words_of_price)
    pieces = words({.options = cost.options,
                    .width = cost.width,
                    .rest = cost.rest,
                    .blocks = cost.blocks,
                    .chosen_block = cost.chosen_block,
                    .renumbered = cost.renumbered,
                    .figure = figure});
  if (cost.wide_offsets) pieces.emplace_back("64-bit offsets");
  return pieces;
}

std::vector<std::string> describe(format_kind format, const format_parameters& parameters) {
  const auto words = properties_of(format).words_of_matrix;
  return words == nullptr ? std::vector<std::string>{} : words(parameters);
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
