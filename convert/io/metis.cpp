#include "convert/io/metis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "convert/io/growing_array.hpp"
#include "convert/io/lines.hpp"
#include "convert/io/matrix_market_grammar.hpp"

namespace sparsmith {
namespace {

class reader {
 public:
  reader(const text_source& source, const progress_callback& progress)
      : source_(source), progress_(progress), lines_(source) {}

  matrix_entries read() {
    read_header();
    while (const std::string_view* const line = next_line()) read_vertex(*line);
    if (vertex_ < vertices_)
      fail(lines_.line(), fmt::format("the file ends after {} of {} lines of vertices", vertex_, vertices_));
    if (count_ != 2 * edges_)
      fail(lines_.line(),
           fmt::format("{} neighbours are listed, but {} edges, each listed by both of its vertices, "
                       "are {}",
                       count_, edges_, 2 * edges_));
    matrix_entries result;
    result.entries.rows = result.entries.cols = static_cast<std::int32_t>(vertices_);
    result.origin = "METIS graph";
    result.field = weighted_ ? "integer" : "pattern";
    if (vertex_numbers_ > 0) result.note = "the weights of vertices were not read";
    result.rounded_values = rounded_;
    if (!weighted_) {
      values_.reserve(count_);
      std::fill(values_.data(), values_.data() + count_, 1.0);
    }
    result.entries.row_indices = rows_.take(count_);
    result.entries.col_indices = cols_.take(count_);
    result.entries.values = values_.take(count_);
    return result;
  }

 private:
  [[noreturn]] void fail(std::int64_t line, const std::string& what,
                         failure category = failure::input) const {
    matrix_market::refuse_line(source_.name, line, what, category);
  }
  [[noreturn]] void fail_here(const std::string& what, failure category = failure::input) const {
    fail(line_, what, category);
  }

  // The next line that is no comment; null at the end. An empty one is a vertex without neighbours.
  const std::string_view* next_line() {
    while (true) {
      if (at_ == run_.size()) {
        const std::int64_t before = lines_.line();
        run_ = lines_.next(4096);
        at_ = 0;
        if (run_.empty()) return nullptr;
        line_ = before;
        if (progress_) progress_(lines_.bytes(), source_.total_bytes);
        if (matrix_market::is_too_much_text(lines_.bytes(), vertex_ + count_))
          fail_here(matrix_market::too_much_other_text);
      }
      const std::string_view& line = run_[at_++];
      ++line_;
      const std::size_t first = line.find_first_not_of(" \t");
      if (first == std::string_view::npos || line[first] != '%') return &line;
    }
  }

  // Takes a whole number off the line; false at its end.
  bool take(std::string_view& line, std::int64_t& number, const char* what) const {
    const std::size_t first = line.find_first_not_of(" \t");
    if (first == std::string_view::npos) return false;
    const std::string_view word =
        line.substr(first, std::min(line.find_first_of(" \t", first), line.size()) - first);
    const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (status == std::errc::result_out_of_range)
      fail_here(fmt::format("{} {} is far too large", what, word.substr(0, 40)));
    if (status != std::errc() || end != word.data() + word.size())
      fail_here(fmt::format("\"{}\" is not a whole number ({})", word.substr(0, 40), what));
    line.remove_prefix(first + word.size());
    return true;
  }

  void read_header() {
    const std::string_view* line = next_line();
    while (line != nullptr && line->find_first_not_of(" \t") == std::string_view::npos) line = next_line();
    if (line == nullptr) fail(lines_.line(), "the file ends before its line of sizes");
    std::array<std::int64_t, 4> sizes = {0, 0, 0, 1};  // vertices, edges, which weights, weights of a vertex
    std::size_t given = 0;
    std::string_view rest = *line;
    for (std::int64_t number = 0; take(rest, number, "size"); ++given) {
      if (given == sizes.size()) fail_here("the line of sizes has more than four numbers");
      if (number < 0) fail_here(fmt::format("size {} is below zero", number));
      sizes[given] = number;
    }
    if (given < 2) fail_here("expected a line of sizes: vertices, edges and which weights there are");
    vertices_ = sizes[0];
    edges_ = sizes[1];
    if (vertices_ > std::numeric_limits<std::int32_t>::max())
      fail_here(fmt::format("{} vertices are above 2147483647, the most this program handles", vertices_),
                failure::unsupported);
    if (edges_ > std::numeric_limits<std::int64_t>::max() / 4)
      fail_here(fmt::format("{} edges are far too many", edges_));
    const std::int64_t format = sizes[2];
    if (format > 111 || format % 10 > 1 || format / 10 % 10 > 1)
      fail_here(
          fmt::format(
              "format {} is not supported: up to three digits, 0 or 1, say whether vertices have sizes and "
              "weights and edges have weights",
              format),
          failure::unsupported);
    weighted_ = format % 10 == 1;
    const bool weights = format / 10 % 10 == 1;
    if (given == 4 && !weights && sizes[3] != 0)
      fail_here(
          fmt::format("{} weights of a vertex are announced, and format {} has none", sizes[3], format));
    if (sizes[3] > 1000) fail_here(fmt::format("{} weights of a vertex are too many", sizes[3]));
    vertex_numbers_ = (format / 100 == 1 ? 1 : 0) + (weights ? sizes[3] : 0);
  }

  void read_vertex(std::string_view line) {
    if (vertex_ == vertices_) {
      if (line.find_first_not_of(" \t") == std::string_view::npos) return;
      fail_here(fmt::format("there are more lines than the {} vertices that were announced", vertices_));
    }
    std::int64_t number = 0;
    for (std::int64_t i = 0; i < vertex_numbers_; ++i)
      if (!take(line, number, "weight of a vertex"))
        fail_here(
            fmt::format("the line ends after {} of {} sizes and weights of its vertex", i, vertex_numbers_));
    while (take(line, number, "neighbour")) {
      if (number < 1 || number > vertices_)
        fail_here(fmt::format("neighbour {} is outside 1..{}", number, vertices_));
      if (count_ == 2 * edges_)
        fail_here(fmt::format("there are more neighbours than the {} of {} edges", 2 * edges_, edges_));
      rows_.reserve(count_ + 1);
      cols_.reserve(count_ + 1);
      rows_.data()[count_] = static_cast<std::int32_t>(vertex_);
      cols_.data()[count_] = static_cast<std::int32_t>(number - 1);
      if (weighted_) {
        if (!take(line, number, "weight of an edge"))
          fail_here("the line ends before the weight of its last edge");
        constexpr std::int64_t exact = std::int64_t{1} << 53;
        if (number > exact || number < -exact) ++rounded_;
        values_.reserve(count_ + 1);
        values_.data()[count_] = static_cast<double>(number);
      }
      ++count_;
    }
    ++vertex_;
  }

  const text_source& source_;
  const progress_callback& progress_;
  line_reader lines_;
  std::vector<std::string_view> run_;
  std::size_t at_ = 0;
  std::int64_t line_ = 0;
  std::int64_t vertices_ = 0, edges_ = 0, vertex_numbers_ = 0;
  bool weighted_ = false;
  std::int64_t vertex_ = 0, count_ = 0, rounded_ = 0;
  growing_array<std::int32_t> rows_, cols_;
  growing_array<double> values_;
};

}  // namespace

matrix_entries read_metis(const text_source& source, const progress_callback& progress) {
  return reader(source, progress).read();
}

}  // namespace sparsmith
