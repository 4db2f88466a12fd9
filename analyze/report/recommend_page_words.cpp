#include <fmt/format.h>

#include "analyze/report/recommend_page_parts.hpp"

namespace sparsmith::recommendation_page_parts {

using namespace html;

namespace {

// "950 - 1,020 us" as "950–1,020&nbsp;µs".
std::string typeset(std::string words) {
  if (const auto range = words.find(" - "); range != std::string::npos) words.replace(range, 3, dash);
  const auto unit = words.find_last_of(' ');
  return words.substr(0, unit) + "&nbsp;" + (words.ends_with(" us") ? "µs" : words.substr(unit + 1));
}

}  // namespace

std::string time_on_page(double seconds) {
  return typeset(time_text(seconds));
}

std::string time_range_on_page(double low, double high) {
  return typeset(time_range_text(low, high));
}

std::string granted_on_page(double seconds) {
  return typeset(four_digits(seconds) + " s");
}

std::string sortable(double value, const std::string& shown) {
  return fmt::format("<data value=\"{:.6g}\">{}</data>", value, shown);
}

std::string time_cell(double seconds) {
  return seconds > 0 ? sortable(seconds, time_on_page(seconds)) : dash;
}

std::string bytes_over_csr(const recommendation& r, std::int64_t bytes) {
  const double ratio = times_csr(r.found, bytes);
  return sortable(ratio, ratio_text(ratio));
}

std::string prose(std::string_view text) {
  std::string html = escaped(text);
  for (auto at = html.find("A^T"); at != std::string::npos; at = html.find("A^T", at))
    html.replace(at, 3, "A<sup>T</sup>");
  return html;
}

std::string sentence(std::string_view text) {
  std::string html = prose(text);
  if (!html.empty() && html[0] >= 'a' && html[0] <= 'z') html[0] = static_cast<char>(html[0] - 'a' + 'A');
  return html.empty() || html.back() == '.' ? html : html + ".";
}

std::string name_of_product(operation op) {
  switch (op) {
    case operation::multiply:
      return "A&nbsp;x";
    case operation::transposed:
      return "A<sup>T</sup>&nbsp;x";
    case operation::both:
      return "A&nbsp;x and A<sup>T</sup>&nbsp;w";
    case operation::normal:
      return "A<sup>T</sup>&nbsp;(A&nbsp;x)";
  }
  return "";
}

std::string name_on_page(const listed_contestant& one) {
  if (one.contestant == nullptr) return one.variant->label();
  const std::string note = whole_note(one.variant->note, one.variant->of_transpose);
  return note.empty() ? one.contestant->info.name : fmt::format("{} ({})", one.contestant->info.name, note);
}

std::string joined(const std::vector<std::string>& parts, const char* between) {
  return fmt::format("{}", fmt::join(parts, between));
}

}  // namespace sparsmith::recommendation_page_parts
