#include "analyze/report/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sparsmith {
namespace {

constexpr int column_gap = 2;

std::vector<int> column_widths(const std::vector<table_line>& lines) {
  std::vector<int> widths(lines.front().size());
  for (const table_line& line : lines)
    for (std::size_t c = 0; c < line.size(); ++c) widths[c] = std::max(widths[c], display_width(line[c]));
  return widths;
}

}  // namespace

std::string percent(double share) {
  const std::string text = fmt::format("{:.4g} %", 100 * share);
  return share < 1 && text == "100 %" ? "> 99.99 %" : text;
}

std::string quoted_for_shell(std::string_view word) {
  const auto is_plain_character = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-+.,:/@%=").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain_character)) return std::string(word);
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

int display_width(std::string_view text) {
  return static_cast<int>(
      std::count_if(text.begin(), text.end(), [](unsigned char c) { return (c & 0xc0) != 0x80; }));
}

std::string labelled_text(std::string_view label, std::string_view text, int width) {
  constexpr int indent = 9;
  std::string all, line = fmt::format("{:<{}}", label, indent);
  int used = indent;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word(text.substr(at, end - at));
    const bool first = used == indent;
    if (!first && used + 1 + display_width(word) > width) {
      all += line + "\n";
      line = std::string(indent, ' ') + word;
      used = indent + display_width(word);
    } else {
      line += (first ? "" : " ") + word;
      used += (first ? 0 : 1) + display_width(word);
    }
    at = end + 1;
  }
  return all + line + "\n";
}

std::string text_table(const std::vector<table_line>& lines, int width,
                       const std::vector<std::string>& notes) {
  const std::vector<int> widths = column_widths(lines);
  const std::string gap(column_gap, ' ');
  std::string text;
  for (std::size_t first = 1; first < widths.size();) {
    std::size_t last = first;
    for (int used = widths[0]; last < widths.size(); ++last) {
      used += column_gap + widths[last];
      if (used > width && last > first) break;
    }
    if (first > 1) text += "\n";
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const table_line& line = lines[i];
      const auto blanks = [&](std::size_t c) {
        return std::string(static_cast<std::size_t>(widths[c] - display_width(line[c])), ' ');
      };
      text += line[0] + blanks(0);
      for (std::size_t c = first; c < last; ++c) text += gap + blanks(c) + line[c];
      if (last == widths.size() && i < notes.size() && !notes[i].empty()) text += gap + notes[i];
      text += "\n";
    }
    first = last;
  }
  return text;
}

int room_for_notes(const std::vector<table_line>& lines, int width) {
  for (const int column : column_widths(lines)) width -= column + column_gap;
  return width;
}

}  // namespace sparsmith
