#include "tools/batch/collection_index.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "convert/io/bounds.hpp"
#include "convert/io/matrix_names.hpp"
#include "tools/batch/inputs.hpp"

namespace sparsmith {
namespace {

constexpr std::size_t fields_wanted = 12;
constexpr std::size_t most_bytes = std::size_t{64} << 20;  // SuiteSparse's has a quarter of a million

bool is_number(std::string_view text, std::int64_t& number) {
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  return problem == std::errc() && end == text.data() + text.size() && text[0] != '-';
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  return first == std::string_view::npos ? "" : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

class index_reader {
 public:
  index_reader(std::string_view text, const std::string& path) : rest_(text), path_(path) {}

  std::vector<indexed_matrix> all() {
    std::string_view line;
    std::int64_t announced = 0;
    if (!next(line) || trimmed(line).empty() || !is_number(trimmed(line), announced))
      refuse("the number of matrices is missing, so this is no index");
    if (!next(line) || line.find(',') != std::string_view::npos) refuse("the date is missing");
    std::vector<indexed_matrix> found;
    while (next(line))
      if (!trimmed(line).empty()) found.push_back(matrix_of(line));
    if (announced != static_cast<std::int64_t>(found.size()))
      refuse_input(path_,
                   fmt::format("line 1 announces {} matrices, and there are {}", announced, found.size()));
    return found;
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw error(failure::input, fmt::format("{}:{}: {}", path_, number_, what));
  }

  bool next(std::string_view& line) {
    ++number_;
    if (rest_.empty()) return false;
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    line = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    return true;
  }

  std::vector<std::string> fields_of(std::string_view line) const {
    std::vector<std::string> fields(1);
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] == ',') {
        fields.emplace_back();
      } else if (line[i] != '"' || !fields.back().empty()) {
        fields.back() += line[i];
      } else {
        bool closed = false;
        for (++i; i < line.size() && !closed; ++i) {
          if (line[i] == '"' && (i + 1 == line.size() || line[i + 1] != '"'))
            closed = true;
          else
            fields.back() += line[i] == '"' ? line[i++] : line[i];
        }
        if (!closed) refuse("a quote is not closed");
        if (i < line.size() && line[i] != ',') refuse("text behind a closing quote");
        --i;
      }
    }
    return fields;
  }

  indexed_matrix matrix_of(std::string_view line) {
    const std::vector<std::string> fields = fields_of(line);
    if (fields.size() < fields_wanted)
      refuse(fmt::format("{} fields instead of {} or more", fields.size(), fields_wanted));
    const auto text = [&](std::size_t i, const char* what) {
      const std::string field(trimmed(fields[i]));
      if (field.empty()) refuse(fmt::format("the {} is empty", what));
      using nlohmann::json;
      if (std::any_of(field.begin(), field.end(), [](unsigned char c) { return c < ' ' || c == 127; }) ||
          json::parse(json(field).dump(-1, ' ', false, json::error_handler_t::replace)) != field)
        refuse(fmt::format("the {} is no text", what));
      return field;
    };
    const auto size = [&](std::size_t i, const char* what) {
      std::int64_t found = 0;
      const std::string_view field = trimmed(fields[i]);
      if (field.empty() || !is_number(field, found))
        refuse(fmt::format("\"{}\" is no number of {}", field, what));
      return found;
    };
    indexed_matrix one{text(0, "group"), text(1, "name"), text(11, "kind"), size(2, "rows"),
                       size(3, "columns")};
    if (!known_.insert({one.group, one.name}).second)
      refuse(fmt::format("{}/{} comes twice", one.group, one.name));
    return one;
  }

  std::string_view rest_;
  const std::string& path_;
  std::int64_t number_ = 0;
  std::set<std::pair<std::string, std::string>> known_;
};

}  // namespace

collection_index::collection_index(std::string_view text, const std::string& path)
    : matrices_(index_reader(text, path).all()) {
  for (std::size_t i = 0; i < matrices_.size(); ++i) by_name_.emplace(matrices_[i].name, i);
}

const indexed_matrix* collection_index::find(std::string_view path, std::int64_t rows,
                                             std::int64_t cols) const {
  namespace fs = std::filesystem;
  const fs::path whole(path);
  const std::string folder = whole.parent_path().filename().string(),
                    above = whole.parent_path().parent_path().filename().string();
  const auto one_of = [&](std::string_view name) -> const indexed_matrix* {
    const auto [first, last] = by_name_.equal_range(name);
    const indexed_matrix *found = nullptr, *in_folder = nullptr;
    std::int64_t fitting = 0;
    for (auto at = first; at != last; ++at) {
      const indexed_matrix& m = matrices_[at->second];
      if ((rows >= 0 && rows != m.rows) || (cols >= 0 && cols != m.cols)) continue;
      found = &m;
      ++fitting;
      if (m.group == folder || (in_folder == nullptr && m.group == above)) in_folder = &m;
    }
    if (in_folder != nullptr) return in_folder;
    return fitting == 1 ? found : nullptr;
  };
  // Without one ending after the other: a name may have dots of its own.
  std::string name = whole.filename().string();
  for (std::size_t dot = name.size(); dot != std::string::npos && dot > 0; dot = name.rfind('.')) {
    name.resize(dot);
    if (const indexed_matrix* const m = one_of(name)) return m;
    if (std::string_view(name).ends_with("_rb"))
      if (const indexed_matrix* const m = one_of(std::string_view(name).substr(0, name.size() - 3))) return m;
  }
  return nullptr;
}

std::string read_index_file(const std::string& path) {
  refuse_what_no_batch_reads(path);
  std::error_code none;
  if (std::filesystem::is_directory(path, none))
    refuse_input(path, fmt::format("could not read the index: {}", std::strerror(EISDIR)));
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse_input(path, fmt::format("could not read the index: {}", std::strerror(errno)));
  std::string text;
  for (std::string piece(1 << 16, '\0'); file;) {
    file.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    text.append(piece, 0, static_cast<std::size_t>(file.gcount()));
    if (text.size() > most_bytes) refuse_input(path, "more than 64 MiB, so this is no index");
  }
  if (file.bad()) refuse_input(path, "could not read the index to its end");
  return text;
}

}  // namespace sparsmith
