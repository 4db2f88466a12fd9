#include "tools/option_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <string_view>

#include "convert/error.hpp"
#include "convert/formats/properties.hpp"
#include "convert/options.hpp"

namespace sparsmith {
namespace {

block_size parse_size(const std::string& option, const std::string& text, const std::string& expected) {
  const char* const end = text.data() + text.size();
  const auto number_at = [&](const char* first, std::int32_t& number) {
    const auto [stop, problem] = std::from_chars(first, end, number);
    return problem == std::errc() ? stop : nullptr;
  };
  std::int32_t rows = 0, cols = 0;
  const char* stop = number_at(text.data(), rows);
  cols = rows;
  if (stop != nullptr && stop != end && (*stop == 'x' || *stop == 'X')) stop = number_at(stop + 1, cols);
  if (stop != end) throw error(failure::usage, fmt::format("{} {}: {}", option, text, expected));
  return {rows, cols};
}

}  // namespace

std::string listed(const std::vector<format_kind>& formats) {
  std::string text;
  for (std::size_t i = 0; i < formats.size(); ++i)
    text += (i == 0 ? "" : i + 1 < formats.size() ? ", " : " and ") + name_of(formats[i]);
  return text;
}

void require_meaning(const std::vector<std::string>& options, const std::vector<format_kind>& formats,
                     const std::string& called) {
  for (const std::string& option : options) {
    const std::vector<format_kind> meant = formats_with(option);
    if (std::find_first_of(formats.begin(), formats.end(), meant.begin(), meant.end()) == formats.end())
      throw error(failure::usage,
                  fmt::format("{} means nothing for {} (it is for {})", option, called, listed(meant)));
  }
}

block_size parse_sides(const std::string& option, const std::string& text, const std::string& example,
                       std::int32_t least, std::int32_t most) {
  const auto sides = parse_size(option, text, "not a size such as " + example);
  for (const std::int32_t side : {sides.rows, sides.cols})
    if (side < least || side > most)
      throw error(failure::usage, fmt::format("{} {}: sides are from {} to {}", option, text, least, most));
  return sides;
}

block_size parse_block(const std::string& text) {
  const block_size block = parse_size("--block", text, "neither auto nor a size such as 4 or 4x2");
  require_bsr_block(block);
  return block;
}

block_size parse_tile(const std::string& text) {
  const char* const expected = "neither auto nor a size such as 512 or 512x1024";
  const block_size sides = parse_size("--tile", text, expected);
  // To the library a side of 0 is one to be chosen.
  if (sides.area() == 0) throw error(failure::usage, fmt::format("--tile {}: {}", text, expected));
  require_options(tile_options{sides.rows, sides.cols});
  return sides;
}

double parse_diagonals(const std::string& text) {
  if (text == "auto") return conversion_options{}.dia_share;
  if (text == "all") return 0;
  double share = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, share);
  // To the library shares of 0 and less say which rule decides.
  if (problem != std::errc() || stop != end || !(share > 0))
    throw error(
        failure::usage,
        fmt::format("--diagonals {}: neither auto nor all nor a share of the rows such as 0.5", text));
  require_dia_share(share);
  return share;
}

mix_of_products parse_mix(const std::string& text) {
  if (text == "both") return {.one_pass = operation::both};
  if (text == "normal") return {.one_pass = operation::normal};
  const std::string_view prefix = "ax:atx=";
  std::string_view rest = text;
  if (rest.starts_with(prefix)) rest.remove_prefix(prefix.size());
  std::array<double, 2> weights = {};
  const std::size_t colon = rest.find(':');
  const auto parse = [](std::string_view part, double& number) {
    const auto [stop, problem] = std::from_chars(part.data(), part.data() + part.size(), number);
    return problem == std::errc() && stop == part.data() + part.size() && std::isfinite(number) &&
           number >= 0;
  };
  if (colon == std::string_view::npos || !parse(rest.substr(0, colon), weights[0]) ||
      !parse(rest.substr(colon + 1), weights[1]) || !(weights[0] + weights[1] > 0) ||
      !std::isfinite(weights[0] + weights[1]))
    throw error(failure::usage,
                fmt::format("--mix {}: not a mix of A x and A^T x such as 10:1, 1:0 or ax:atx=10:1, nor both "
                            "nor normal",
                            text));
  return {weights, {}};
}

std::int64_t parse_memory(const std::string& text) {
  double number = 0;
  const auto [stop, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string unit(stop, text.data() + text.size());
  std::transform(unit.begin(), unit.end(), unit.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  const std::vector<std::string> prefixes = {"", "K", "M", "G", "T"};
  double bytes = -1;
  for (std::size_t i = 0; i < prefixes.size(); ++i)
    for (const std::string& ending : {prefixes[i], prefixes[i] + "B", prefixes[i] + "IB"})
      if (unit == ending) bytes = number * std::pow(1024.0, static_cast<double>(i));
  if (problem != std::errc() || !(bytes >= 1) || !(bytes < 0x1p62))
    throw error(failure::usage, fmt::format("--memory {}: not a size such as 512M or 8G", text));
  return static_cast<std::int64_t>(bytes);
}

}  // namespace sparsmith
