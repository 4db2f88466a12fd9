#include "convert/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace sparsmith {
namespace {

constexpr double exact = 1e15;  // above it, digits would be written that a double does not have

struct time_unit {
  double factor;
  const char* name;
};

// By what is written: 999.6 us are 1.00 ms.
time_unit unit_for(double seconds) {
  if (seconds < 999.5e-6) return {1e6, "us"};
  if (seconds < 999.5e-3) return {1e3, "ms"};
  return {1, "s"};
}

}  // namespace

std::string with_commas(std::string number) {
  const std::int64_t first = number.starts_with('-') ? 1 : 0;
  for (auto at = static_cast<std::int64_t>(std::min(number.find('.'), number.size())) - 3; at > first;
       at -= 3)
    number.insert(static_cast<std::size_t>(at), ",");
  return number;
}

std::string with_commas(std::int64_t number) {
  return with_commas(std::to_string(number));
}

std::string three_figures(double number) {
  const double size = std::abs(number);
  if (!(size < exact)) return fmt::format("{:.3g}", number);
  return with_commas(fmt::format("{:.{}f}", number, size < 9.995 ? 2 : size < 99.95 ? 1 : 0));
}

std::string four_digits(double number) {
  return std::abs(number) < 999.95 ? fmt::format("{:.4g}", number)
                                   : with_commas(fmt::format("{:.0f}", number));
}

std::string three_decimals(double number) {
  const double size = std::abs(number);
  if (!(size < 1e6)) return fmt::format("{:.2e}", number);  // no wider than a column of a table may be
  return with_commas(fmt::format("{:.{}f}", number, size < 999.9995 ? 3 : 0));
}

std::string time_text(double seconds) {
  const time_unit unit = unit_for(seconds);
  return three_figures(seconds * unit.factor) + " " + unit.name;
}

std::string time_range_text(double low, double high) {
  const time_unit unit = unit_for(high);
  return fmt::format("{} - {} {}", three_figures(low * unit.factor), three_figures(high * unit.factor),
                     unit.name);
}

std::string microseconds(double seconds) {
  return three_figures(seconds * 1e6);
}
std::string milliseconds(double seconds) {
  return three_figures(seconds * 1e3);
}

std::string ratio_text(double ratio) {
  return std::isfinite(ratio) ? three_figures(ratio) : "-";
}

std::string giga(double per_second) {
  return three_figures(per_second / 1e9);
}

std::string percent(double share) {
  const std::string text = fmt::format("{:.4g} %", 100 * share);
  return share < 1 && text == "100 %" ? "> 99.99 %" : text;
}

std::string rounded_percent(double share) {
  const std::string text = fmt::format("{:.1f} %", 100 * share);
  return share < 1 && text == "100.0 %" ? "> 99.9 %" : text;
}

std::string format_bytes(std::int64_t bytes) {
  constexpr std::array units = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double amount = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (amount >= (unit == 0 ? 1024 : 1023.95) && unit + 1 < units.size()) {
    amount /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", amount, units[unit]);
}

std::string whole_number(double number) {
  if (!(std::abs(number) < exact)) return fmt::format("{:.3g}", number);
  return with_commas(static_cast<std::int64_t>(std::ceil(number * (1 - 1e-9))));
}

std::string products_text(double products) {
  if (!std::isfinite(products) || products < 0) return "never";
  return products == 0 ? "at once" : whole_number(products);
}

}  // namespace sparsmith
