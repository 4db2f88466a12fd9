#include "analyze/report/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "convert/io/generators.hpp"

namespace sparsmith {
namespace {

constexpr int column_gap = 2;
constexpr int least_room = 16;  // for notes beside a table; where there is less, they stand below

std::vector<int> column_widths(const std::vector<table_line>& lines) {
  std::vector<int> widths(lines.front().size());
  for (const table_line& line : lines)
    for (std::size_t c = 0; c < line.size(); ++c) widths[c] = std::max(widths[c], display_width(line[c]));
  return widths;
}

std::string padded(std::string_view text, int columns) {
  const int missing = std::max(0, columns - display_width(text));
  return std::string(text) + std::string(static_cast<std::size_t>(missing), ' ');
}

// Of UTF-8: a byte and those that continue it.
std::size_t bytes_of_character(std::string_view text) {
  std::size_t bytes = 1;
  while (bytes < text.size() && (static_cast<unsigned char>(text[bytes]) & 0xc0) == 0x80) ++bytes;
  return bytes;
}

// Terminals give two columns to what East Asian scripts write in a square, and none to marks on other
// characters.
int columns_of_character(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (first < 0xc0) return 1;
  unsigned code = first & (0xffU >> (character.size() + 1));
  for (const char c : character.substr(1)) code = code << 6 | (static_cast<unsigned char>(c) & 0x3fU);
  if (code >= 0x300 && code <= 0x36f) return 0;
  constexpr std::array<std::pair<unsigned, unsigned>, 9> wide = {{{0x1100, 0x115f},
                                                                  {0x2e80, 0x303e},
                                                                  {0x3041, 0xa4cf},
                                                                  {0xac00, 0xd7a3},
                                                                  {0xf900, 0xfaff},
                                                                  {0xfe30, 0xfe6f},
                                                                  {0xff00, 0xff60},
                                                                  {0x1f300, 0x1f9ff},
                                                                  {0x20000, 0x3fffd}}};
  return std::any_of(wide.begin(), wide.end(),
                     [&](const auto& range) { return code >= range.first && code <= range.second; })
             ? 2
             : 1;
}

// Where the next word ends: "A^T x" and a number with its unit are one.
std::size_t end_of_word(std::string_view text) {
  constexpr std::array units = {"x", "us", "ms", "s", "%", "GB/s", "B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t end = std::min(text.find(' '), text.size());
  while (end < text.size()) {
    const std::string_view before = text.substr(0, end);
    const std::size_t next = std::min(text.find(' ', end + 1), text.size());
    std::string_view after = text.substr(end + 1, next - end - 1);
    while (!after.empty() && std::string_view(",.;:)").find(after.back()) != std::string_view::npos)
      after.remove_suffix(1);
    const bool number = !before.empty() && before.back() >= '0' && before.back() <= '9';
    const bool matrix = after == "x" && (before.ends_with("A") || before.ends_with("A^T"));
    if (!matrix && !(number && std::find(units.begin(), units.end(), after) != units.end())) break;
    end = next;
  }
  return end;
}

// The last so many parts of a path, all of it where it has no more.
std::string end_of_path(const std::string& path, int parts) {
  std::size_t at = path.size();
  for (; parts > 0; --parts) {
    at = at == 0 ? std::string::npos : path.rfind('/', at - 1);
    if (at == std::string::npos) return path;
  }
  return path.substr(at + 1);
}

}  // namespace

std::string name_of_input(const std::string& input) {
  return is_generator(input) ? input : end_of_path(input, 1);
}

std::vector<std::string> names_of_inputs(const std::vector<std::string>& inputs) {
  std::vector<std::string> names;
  for (const std::string& input : inputs) {
    std::string name = name_of_input(input);
    const auto is_another = [&](const std::string& other) {
      return other != input && !is_generator(other) && (other == name || other.ends_with("/" + name));
    };
    for (int parts = 2; name != input && std::any_of(inputs.begin(), inputs.end(), is_another); ++parts)
      name = end_of_path(input, parts);
    names.push_back(std::move(name));
  }
  return names;
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
  int width = 0;
  while (!text.empty()) {
    const std::size_t bytes = bytes_of_character(text);
    width += columns_of_character(text.substr(0, bytes));
    text.remove_prefix(bytes);
  }
  return width;
}

std::string printable(std::string_view text) {
  std::string shown;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n')
      shown += "\\n";
    else if (byte < 0x20 || byte == 0x7f)
      shown += fmt::format("\\x{:02x}", byte);
    else
      shown += c;
  }
  return shown;
}

std::size_t bytes_of_columns(std::string_view text, int columns) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t bytes = bytes_of_character(text.substr(at));
    columns -= columns_of_character(text.substr(at, bytes));
    if (columns < 0) break;
    at += bytes;
  }
  return at;
}

std::string shortened(const std::string& text, int most) {
  if (display_width(text) <= most) return text;
  return text.substr(0, bytes_of_columns(text, std::max(0, most - 3))) + "...";
}

std::string wrapped(std::string_view first, std::string_view text, int indent, int width) {
  const std::string shown = printable(text);
  std::string_view rest = shown;
  std::string all, line(first);
  int used = display_width(line);
  bool empty = true;
  const auto end_line = [&] {
    all += line + "\n";
    line = std::string(static_cast<std::size_t>(indent), ' ');
    used = indent;
    empty = true;
  };
  while (!rest.empty()) {
    std::string_view word = rest.substr(0, end_of_word(rest));
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    if (!empty && used + 1 + display_width(word) > width) end_line();
    while (used + (empty ? 0 : 1) + display_width(word) > width) {
      const std::size_t bytes = bytes_of_columns(word, std::max(1, width - used));
      line += word.substr(0, bytes);
      word.remove_prefix(bytes);
      end_line();
    }
    line += (empty ? "" : " ") + std::string(word);
    used += (empty ? 0 : 1) + display_width(word);
    empty = false;
  }
  return all + line + "\n";
}

std::string labelled_text(std::string_view label, std::string_view text, int width) {
  constexpr int indent = 9;
  return wrapped(padded(label, indent), text, indent, width);
}

std::string term_text(std::string_view term, std::string_view meaning, int indent, int width) {
  const bool beside = display_width(term) + column_gap <= indent;
  return (beside ? "" : std::string(term) + "\n") +
         wrapped(padded(beside ? term : "", indent), meaning, indent, width);
}

std::string broken_command(const std::vector<std::string>& words, int width) {
  constexpr std::string_view indent = "  ", further = "    ";
  std::string all, line(indent);
  bool empty = true;
  for (const std::string& word : words) {
    const std::string quoted = quoted_for_shell(word);
    if (!empty && display_width(line) + 1 + display_width(quoted) + 2 > width) {
      all += line + " \\\n";
      line = further;
      empty = true;
    }
    if (display_width(line) + display_width(quoted) + 2 <= width) {
      line += (empty ? "" : " ") + quoted;
    } else {
      // Every character in quotes of its own piece: 'abc'\ and on the next line 'def' are one word.
      std::string_view rest = word;
      while (!rest.empty()) {
        const auto fits = [&](std::size_t bytes) {
          return display_width(line) + display_width(quoted_for_shell(rest.substr(0, bytes))) + 2 <= width;
        };
        std::size_t bytes = bytes_of_columns(rest, 1);
        for (int columns = 2; bytes < rest.size() && fits(bytes_of_columns(rest, columns)); ++columns)
          bytes = bytes_of_columns(rest, columns);
        line += quoted_for_shell(rest.substr(0, bytes));
        rest.remove_prefix(bytes);
        if (rest.empty()) break;
        all += line + "\\\n";
        line.clear();
      }
    }
    empty = false;
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
    int used = widths[0];
    for (; last < widths.size(); ++last) {
      if (used + column_gap + widths[last] > width && last > first) break;
      used += column_gap + widths[last];
    }
    const int note_column = used + column_gap;
    if (first > 1) text += "\n";
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const table_line& line = lines[i];
      const auto blanks = [&](std::size_t c) {
        return std::string(static_cast<std::size_t>(widths[c] - display_width(line[c])), ' ');
      };
      std::string row = padded(line[0], widths[0]);
      for (std::size_t c = first; c < last; ++c) row += gap + blanks(c) + line[c];
      const std::string note = last == widths.size() && i < notes.size() ? notes[i] : "";
      const int room = width - note_column;
      if (note.empty())
        text += row.substr(0, row.find_last_not_of(' ') + 1) + "\n";
      else if (room >= least_room || room >= display_width(note))
        text += wrapped(row + gap, note, note_column, width);
      else
        text += row + "\n" + wrapped("    ", note, 4, width);
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
