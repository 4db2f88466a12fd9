#include "convert/io/edges.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <exception>
#include <limits>
#include <mutex>
#include <vector>

#include "convert/io/bounds.hpp"
#include "convert/io/edge_lines.hpp"
#include "convert/io/growing_array.hpp"
#include "convert/io/lines.hpp"
#include "convert/io/matrix_market_grammar.hpp"
#include "convert/io/matrix_names.hpp"
#include "convert/stored_twice.hpp"

namespace sparsmith {
namespace {

using namespace edge_lines;
using matrix_market::byte_order_mark;
using matrix_market::is_digit;

// What is sorted so that every id stands there once.
array<std::int64_t, host> distinct(const std::int64_t* from, const std::int64_t* to, std::int64_t count) {
  array<std::int64_t, host> ids(2 * count);
  std::copy(from, from + count, ids.begin());
  std::copy(to, to + count, ids.begin() + count);
  std::sort(ids.begin(), ids.end());
  const std::int64_t kept = std::unique(ids.begin(), ids.end()) - ids.begin();
  array<std::int64_t, host> result(kept);
  std::copy(ids.begin(), ids.begin() + kept, result.begin());
  return result;
}

class reader {
 public:
  reader(const text_source& source, const progress_callback& progress, const edge_options& options)
      : source_(source), progress_(progress), options_(options) {}

  matrix_entries read() {
    read_lines();
    matrix_entries result;
    result.origin = "edge list";
    if (dimacs_)
      take_announced(result);
    else if (sms_)
      take_sms(result);
    else if (is_sized())
      take_sizes(result);
    else if (options_.compact)
      number_anew(result);
    else
      take_ids(result);
    result.field = !weighted_ ? "pattern" : all_whole() ? "integer" : "real";
    if (!weighted_) {
      weights_.reserve(count_);
      double* const weights = weights_.data();
#pragma omp parallel for schedule(static)
      for (std::int64_t i = 0; i < count_; ++i) weights[i] = 1;
    }
    result.entries.values = weights_.take(count_);
    if (options_.undirected || (dimacs_ && !weighted_) || konect_ == "sym") mirror(result);
    return result;
  }

 private:
  [[noreturn]] void fail(const std::string& what, failure category = failure::input) const {
    throw error(category, fmt::format("{}: {}", source_.name, what));
  }

  static void note(matrix_entries& result, const std::string& what) {
    result.note += (result.note.empty() ? "" : "; ") + what;
  }

  // The edges of a piece of the text.
  struct piece {
    std::string text;
    std::vector<std::int64_t> from, to;
    std::vector<double> weights;
    std::int64_t lines = 0;
    // The first line that is wrong, if any.
    std::int64_t wrong_line = 0;
    std::string wrong;
  };

  // Every edge stands for both directions, unless both are listed.
  void mirror(matrix_entries& result) const {
    const auto& entries = result.entries;
    if (entries.rows != entries.cols)
      fail("is a bipartite graph, whose edges have a direction", failure::usage);
    const std::int64_t twice = count_stored_twice(entries);
    if (twice == 0) {
      result.symmetry = symmetry_kind::symmetric;
      note(result, "every edge stands for both directions");
      return;
    }
    if (options_.undirected)
      fail(fmt::format("{} edges are listed in both directions, which --undirected would count twice", twice),
           failure::usage);
    std::int64_t off = 0;
    for (std::int64_t i = 0; i < count_; ++i) off += entries.row_indices[i] != entries.col_indices[i] ? 1 : 0;
    if (2 * twice != off) fail("some edges are listed in both directions, and others in one");
    note(result, "both directions of every edge are listed");
  }

  // Each thread takes the next piece of the text and parses it; only taking, and putting the edges behind
  // those of the pieces before, happen one at a time.
  void read_lines() {
    piece_cutter cutter(source_);
    piece first;
    bool taken = learn_columns(cutter, first);
    std::mutex input, order;
    std::condition_variable turn_over;
    std::int64_t pieces = 0, turn = 0, failed_piece = std::numeric_limits<std::int64_t>::max();
    std::exception_ptr failure_found;
    std::atomic<bool> failed = false;
#pragma omp parallel
    for (piece own; !failed;) {
      std::int64_t number = 0;
      const auto fail_with = [&](std::exception_ptr cause) {
        failed = true;
        if (number >= failed_piece) return;
        failed_piece = number;
        failure_found = std::move(cause);
      };
      {
        const std::lock_guard lock(input);
        number = pieces;
        try {
          if (taken)
            std::swap(own.text, first.text);
          else if (failed || !cutter.next(own.text))
            break;
          taken = false;
          if (progress_) progress_(cutter.bytes_read(), source_.total_bytes);
        } catch (...) {
          const std::lock_guard also(order);
          fail_with(std::current_exception());
          break;
        }
        ++pieces;
      }
      std::exception_ptr problem;
      try {
        parse(own, number == 0 && (named_ || dimacs_ || sms_));
      } catch (...) {
        problem = std::current_exception();
      }
      {
        std::unique_lock lock(order);
        turn_over.wait(lock, [&] { return turn == number; });
        try {
          if (problem) std::rethrow_exception(problem);
          bytes_ += static_cast<std::int64_t>(own.text.size());
          if (!own.wrong.empty()) matrix_market::refuse_line(source_.name, line_ + own.wrong_line, own.wrong);
          append(own);
        } catch (...) {
          fail_with(std::current_exception());
        }
        line_ += own.lines;
        ++turn;
      }
      turn_over.notify_all();
    }
    if (failed) std::rethrow_exception(failure_found);
    if (!known_) fail("there is no edge in it");
  }

  // Reads on until a line says how many columns there are, and leaves the piece with that line to be parsed.
  // False where there is none.
  bool learn_columns(piece_cutter& cutter, piece& first) {
    while (cutter.next(first.text)) {
      if (line_ == 0 && first.text.starts_with(byte_order_mark)) first.text.erase(0, byte_order_mark.size());
      std::int64_t lines = 0;
      matrix_market::for_each_line(first.text, [&](const char* begin, const char* end) {
        ++lines;
        if (known_) return;
        if (end - begin > std::int64_t{matrix_market::longest_line})
          matrix_market::refuse_line(source_.name, line_ + lines, matrix_market::line_too_long);
        std::string_view line(begin, static_cast<std::size_t>(end - begin));
        if (line.ends_with('\r')) line.remove_suffix(1);
        const std::string_view content = without_blanks_before(line);
        if (content.empty() || is_comment(content)) {
          if (line_ + lines == 1 && content.starts_with('%')) learn_konect(content.substr(1));
          return;
        }
        const auto columns = columns_of(content);
        if (is_dimacs(content, "cp") || dimacs_) {
          dimacs_ = true;
          if (content[0] != 'c' || !is_dimacs(content, "c")) learn_problem(columns, line_ + lines);
          return;
        }
        if (is_sms(columns)) {
          learn_sms(columns, line_ + lines);
          return;
        }
        if (columns.size() < 2 || columns.size() > 3)
          matrix_market::refuse_line(
              source_.name, line_ + lines,
              fmt::format("the line has {} columns; an edge has two ids and at most a weight",
                          columns.size()));
        known_ = true;
        weighted_ = columns.size() == 3;
        named_ = is_name(content);
      });
      if (known_) return true;
      line_ += lines;
      bytes_ += static_cast<std::int64_t>(first.text.size());
      require_edges(0);
    }
    return false;
  }

  // "% bip unweighted": what KONECT says of its graphs.
  void learn_konect(std::string_view comment) {
    const auto words = columns_of(comment);
    if (words.size() != 2) return;
    for (const std::string_view kind : {"sym", "asym", "bip"})
      if (words[0] == kind) konect_ = kind;
  }

  // "p sp 5 9": a graph of 5 vertices and 9 weighted arcs; "p edge 5 9" has edges without weights.
  void learn_problem(const std::vector<std::string_view>& words, std::int64_t line) {
    std::int64_t vertices = 0, edges = 0;
    const auto number = [&](std::string_view word, std::int64_t& to) {
      const char* at = word.data();
      return parse_id(at, word.data() + word.size(), to) == fault::none && at == word.data() + word.size();
    };
    if (words.size() != 4 || words[0] != "p" || !number(words[2], vertices) || !number(words[3], edges))
      matrix_market::refuse_line(
          source_.name, line,
          "expected what the problem is, such as p sp 5 9: a graph of 5 vertices and 9 arcs");
    weighted_ = words[1] == "sp";
    if (!weighted_ && words[1] != "edge" && words[1] != "edges" && words[1] != "col")
      matrix_market::refuse_line(
          source_.name, line,
          fmt::format("problem {} is not supported, only sp, edge and col", words[1].substr(0, 40)),
          failure::unsupported);
    if (vertices > std::numeric_limits<std::int32_t>::max())
      matrix_market::refuse_line(
          source_.name, line,
          fmt::format("{} vertices are above 2147483647, the most this program handles", vertices),
          failure::unsupported);
    known_ = true;
    vertices_ = vertices;
    announced_ = edges;
  }

  void learn_sms(const std::vector<std::string_view>& words, std::int64_t line) {
    for (const auto& [word, size] : {std::pair(words[0], &sms_rows_), std::pair(words[1], &sms_cols_)}) {
      const char* at = word.data();
      if (parse_id(at, word.data() + word.size(), *size) != fault::none ||
          *size > std::numeric_limits<std::int32_t>::max())
        matrix_market::refuse_line(
            source_.name, line,
            fmt::format("size {} is above 2147483647, the most this program handles", word.substr(0, 40)),
            failure::unsupported);
    }
    known_ = weighted_ = sms_ = true;
  }

  void require_edges(std::int64_t lines) const {
    if (matrix_market::is_too_much_text(bytes_, count_))
      matrix_market::refuse_line(source_.name, line_ + lines, matrix_market::too_much_other_text);
  }

  void parse(piece& own, bool skip_first) const {
    own.from.clear();
    own.to.clear();
    own.weights.clear();
    own.lines = 0;
    own.wrong.clear();
    matrix_market::for_each_line(own.text, [&](const char* begin, const char* end) {
      ++own.lines;
      if (!own.wrong.empty()) return;
      const bool too_long = end - begin > std::int64_t{matrix_market::longest_line};
      if (end != begin && end[-1] == '\r') --end;
      while (begin != end && is_blank(*begin)) ++begin;
      if (begin == end && !too_long) return;
      std::string_view content(begin, static_cast<std::size_t>(end - begin));
      if (dimacs_ && !too_long && !content.empty()) {
        if (skip_first) {  // up to the problem all was looked at before
          skip_first = !is_dimacs(content, "p");
          return;
        }
        if (is_dimacs(content, "c")) return;
        if (!is_dimacs(content, weighted_ ? "a" : "e") || content.size() == 1) {
          own.wrong_line = own.lines;
          own.wrong = fmt::format("expected an edge, which begins with {}", weighted_ ? "a" : "e");
          return;
        }
        content = without_blanks_before(content.substr(1));
      } else if (!too_long && (sms_ || !is_digit(*begin))) {
        if (is_comment(content)) return;
        if (std::exchange(skip_first, false)) return;
      }
      edge found;
      const fault what = parse_edge(content, weighted_, found);
      if (too_long || what != fault::none) {
        own.wrong_line = own.lines;
        own.wrong = too_long ? matrix_market::line_too_long : described(what, content, weighted_);
        return;
      }
      own.from.push_back(found.from);
      own.to.push_back(found.to);
      if (weighted_) own.weights.push_back(found.weight);
    });
  }

  void append(const piece& own) {
    const auto more = static_cast<std::int64_t>(own.from.size());
    // What the rest of the text will hold, if it is like this piece.
    const double share = static_cast<double>(source_.total_bytes) / static_cast<double>(own.text.size());
    const std::int64_t wanted =
        count_ > 0 ? count_ + more
                   : std::max(more, static_cast<std::int64_t>(share * 1.05 * static_cast<double>(more)));
    from_.reserve(wanted);
    to_.reserve(wanted);
    if (weighted_) weights_.reserve(wanted);
    std::copy(own.from.begin(), own.from.end(), from_.data() + count_);
    std::copy(own.to.begin(), own.to.end(), to_.data() + count_);
    std::copy(own.weights.begin(), own.weights.end(), weights_.data() + (weighted_ ? count_ : 0));
    count_ += more;
    require_edges(own.lines);
  }

  // The least id and the largest, from an edge on.
  void find_range(std::int64_t first) {
    std::int64_t largest_from = -1, largest_to = -1, least = std::numeric_limits<std::int64_t>::max();
    const std::int64_t *const from = from_.data(), *const to = to_.data();
#pragma omp parallel for reduction(min : least) reduction(max : largest_from, largest_to) schedule(static)
    for (std::int64_t i = first; i < count_; ++i) {
      largest_from = std::max(largest_from, from[i]);
      largest_to = std::max(largest_to, to[i]);
      least = std::min({least, from[i], to[i]});
    }
    largest_from_ = largest_from;
    largest_to_ = largest_to;
    least_ = least;
  }
  std::int64_t largest() const {
    return std::max(largest_from_, largest_to_);
  }

  // The first line may be one of sizes: rows, columns and entries, or vertices and edges where there are no
  // weights. That is said, or named (.smat), or certain; what could be both is refused.
  bool is_sized() {
    if (named_ || count_ == 0 || options_.compact) return false;
    find_range(1);
    if (options_.sized) return *options_.sized;
    if (is_smat()) return true;
    const std::int64_t behind = count_ - 1;
    const double announced = announced_entries();
    const bool fits = largest_from_ <= rows_announced() && largest_to_ <= cols_announced() &&
                      announced >= 0 && announced == std::trunc(announced);
    if (!fits || (behind == 0 && !(weighted_ && announced == 0))) return false;
    const bool as_many = announced == static_cast<double>(behind);
    if (!as_many && !(weighted_ && announced > static_cast<double>(behind))) return false;
    const bool from_zero = least_ == 0 && largest_from_ < rows_announced() && largest_to_ < cols_announced();
    if (weighted_ && as_many && from_zero && behind > 0) return true;
    fail(fmt::format(
        "its first line may be an edge, or {}, as in a Matrix Market file without its first line, and {} "
        "lines follow; spconv --sizes yes or --sizes no says which",
        weighted_ ? "rows, columns and entries" : "vertices and edges", behind));
  }

  bool is_smat() const {
    return weighted_ && unpacked_name(source_.name).ends_with(".smat");
  }
  std::int64_t rows_announced() const {
    return from_.data()[0];
  }
  std::int64_t cols_announced() const {
    return weighted_ ? to_.data()[0] : from_.data()[0];
  }
  double announced_entries() const {
    return weighted_ ? weights_.data()[0] : static_cast<double>(to_.data()[0]);
  }

  void take_sizes(matrix_entries& result) {
    const std::int64_t rows = rows_announced(), cols = cols_announced(), behind = count_ - 1;
    result.entries.rows = checked_dimension(source_.name, "rows", rows);
    result.entries.cols = checked_dimension(source_.name, "columns", cols);
    if (announced_entries() != static_cast<double>(behind))
      fail(fmt::format("its first line announces {} entries, and {} lines follow", announced_entries(),
                       behind));
    require_square_if_undirected(rows, cols);
    const int base = base_with_sizes(rows, cols);
    count_ = behind;
    if (count_ > 0 && least_ < base)
      fail(fmt::format("there is an id 0, and ids were to be counted from {}", base));
    for (std::int64_t i = 0; i < count_; ++i)
      if (from_.data()[i + 1] - base >= rows || to_.data()[i + 1] - base >= cols)
        fail(fmt::format("entry {}: ({}, {}) is outside {} x {}, counted from {}", i + 1, from_.data()[i + 1],
                         to_.data()[i + 1], rows, cols, base));
    result.origin = weighted_ ? "smat" : "edge list";
    take(result, 1, base);
    if (weighted_) std::copy(weights_.data() + 1, weights_.data() + 1 + count_, weights_.data());
    note(result, fmt::format("ids are counted from {}", base));
  }

  int base_with_sizes(std::int64_t rows, std::int64_t cols) const {
    if (options_.base) return *options_.base;
    if (count_ == 1 || least_ == 0 || is_smat()) return 0;
    if (largest_from_ == rows || largest_to_ == cols) return 1;
    fail(
        "no id is 0, and none as large as its sizes, so that none tells what ids are counted from: spconv "
        "--base 0 or "
        "--base 1");
  }

  // Sizes and the base are what DIMACS says they are.
  void take_announced(matrix_entries& result) {
    if (options_.base || options_.compact)
      fail(
          "is a graph of DIMACS, whose ids are 1 to the number of vertices: nothing to count or number "
          "otherwise",
          failure::usage);
    find_range(0);
    if (count_ > 0 && (least_ < 1 || largest() > vertices_))
      fail(fmt::format("id {} is outside 1..{}", least_ < 1 ? least_ : largest(), vertices_));
    // Of graphs without directions some writers count every edge twice.
    if (count_ != announced_ && !(!weighted_ && announced_ == 2 * count_))
      fail(fmt::format("{} edges are listed, and {} were announced", count_, announced_));
    result.entries.rows = result.entries.cols = static_cast<std::int32_t>(vertices_);
    result.origin = "DIMACS graph";
    take(result, 0, 1);
  }

  void require_square_if_undirected(std::int64_t rows, std::int64_t cols) const {
    if (options_.undirected && rows != cols)
      fail(fmt::format("a graph without directions has as many rows as columns, not {} x {}", rows, cols),
           failure::usage);
  }

  // Ids are counted from 1, and a line of three zeros is the last.
  void take_sms(matrix_entries& result) {
    if (options_.base || options_.compact || options_.sized)
      fail("is an SMS file, which says itself how large it is and counts from 1", failure::usage);
    const auto is_end = [&](std::int64_t i) {
      return from_.data()[i] == 0 && to_.data()[i] == 0 && weights_.data()[i] == 0;
    };
    if (count_ == 0 || !is_end(count_ - 1)) fail("does not end in a line 0 0 0, as an SMS file does");
    --count_;
    for (std::int64_t i = 0; i < count_; ++i)
      if (from_.data()[i] < 1 || from_.data()[i] > sms_rows_ || to_.data()[i] < 1 ||
          to_.data()[i] > sms_cols_)
        fail(fmt::format("entry {}: ({}, {}) is outside 1..{} x 1..{}", i + 1, from_.data()[i], to_.data()[i],
                         sms_rows_, sms_cols_));
    require_square_if_undirected(sms_rows_, sms_cols_);
    result.entries.rows = static_cast<std::int32_t>(sms_rows_);
    result.entries.cols = static_cast<std::int32_t>(sms_cols_);
    result.origin = "SMS";
    take(result, 0, 1);
  }

  void take_ids(matrix_entries& result) {
    find_range(0);
    const int base = options_.base.value_or(least_ == 0 ? 0 : 1);
    if (count_ > 0 && least_ < base)
      fail(fmt::format("there is an id 0, and ids were to be counted from {}", base));
    // Of a bipartite graph rows and columns are counted apart.
    const auto size_for = [&](std::int64_t most) { return count_ == 0 ? 0 : most - base + 1; };
    const std::int64_t rows = size_for(konect_ == "bip" ? largest_from_ : largest());
    const std::int64_t cols = size_for(konect_ == "bip" ? largest_to_ : largest());
    // Rows cost memory whether there is an edge or not.
    constexpr std::int64_t always = 1 << 20, an_edge = 16;
    const std::int64_t size = std::max(rows, cols);
    if (size > always + an_edge * count_ || size > std::numeric_limits<std::int32_t>::max())
      fail(fmt::format("ids go up to {}, which would be so many rows for {} edges; spconv --compact FILE "
                       "numbers those "
                       "anew that occur, and writes which they were",
                       largest(), count_),
           failure::resources);
    result.entries.rows = static_cast<std::int32_t>(rows);
    result.entries.cols = static_cast<std::int32_t>(cols);
    take(result, 0, base);
    note(result, fmt::format("ids are counted from {}", base));
  }

  void number_anew(matrix_entries& result) {
    if (konect_ == "bip")
      fail(
          "is a bipartite graph, whose rows and columns have ids of their own: --compact is for one kind of "
          "ids",
          failure::unsupported);
    result.ids = distinct(from_.data(), to_.data(), count_);
    const std::int64_t size = result.ids.size();
    result.entries.rows = result.entries.cols = checked_dimension(source_.name, "ids", size);
    const auto number_of = [&](const std::int64_t* given) {
      array<std::int32_t, host> found(count_);
#pragma omp parallel for schedule(static)
      for (std::int64_t i = 0; i < count_; ++i)
        found[i] = static_cast<std::int32_t>(
            std::lower_bound(result.ids.begin(), result.ids.end(), given[i]) - result.ids.begin());
      return found;
    };
    result.entries.row_indices = number_of(from_.data());
    result.entries.col_indices = number_of(to_.data());
    note(result, fmt::format("{} ids were numbered anew", size));
  }

  void take(matrix_entries& result, std::int64_t first, std::int64_t base) {
    const auto narrow = [&](const std::int64_t* given) {
      array<std::int32_t, host> found(count_);
#pragma omp parallel for schedule(static)
      for (std::int64_t i = 0; i < count_; ++i) found[i] = static_cast<std::int32_t>(given[first + i] - base);
      return found;
    };
    result.entries.row_indices = narrow(from_.data());
    from_ = {};
    result.entries.col_indices = narrow(to_.data());
    to_ = {};
  }

  bool all_whole() const {
    const double* const weights = weights_.data();
    constexpr double exact = 9007199254740992.0;  // 2^53
    return std::all_of(weights, weights + count_,
                       [](double w) { return std::abs(w) <= exact && w == std::trunc(w); });
  }

  const text_source& source_;
  const progress_callback& progress_;
  const edge_options& options_;
  bool known_ = false, weighted_ = false, named_ = false, dimacs_ = false, sms_ = false;
  std::string_view konect_;                    // sym, asym or bip where KONECT says so
  std::int64_t vertices_ = 0, announced_ = 0;  // of DIMACS
  std::int64_t sms_rows_ = 0, sms_cols_ = 0;
  growing_array<std::int64_t> from_, to_;
  growing_array<double> weights_;
  std::int64_t count_ = 0;
  std::int64_t line_ = 0, bytes_ = 0;  // before the piece whose turn it is
  std::int64_t largest_from_ = -1, largest_to_ = -1, least_ = 0;
};

}  // namespace

bool is_edge_list(std::string_view start, bool more_behind) {
  if (start.starts_with(byte_order_mark)) start.remove_prefix(byte_order_mark.size());
  bool named = false, commented = false;
  while (!start.empty()) {
    const std::size_t end = start.find('\n');
    std::string_view line = start.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    start.remove_prefix(end == std::string_view::npos ? start.size() : end + 1);
    const std::string_view content = without_blanks_before(line);
    if (content.empty()) continue;
    if (content.starts_with("%%")) return false;  // Matrix Market, whose first line is damaged perhaps
    if (is_comment(content) || is_dimacs(content, "c")) {
      commented |= content[0] != '%';
      continue;
    }
    if (is_dimacs(content, "p")) return columns_of(content).size() == 4;
    if (end == std::string_view::npos && more_behind)  // the line goes on
      return is_digit(content[0]) || (commented && is_name(content));
    const auto columns = columns_of(content);
    if (columns.size() < 2 || columns.size() > 3) return false;
    if (is_sms(columns)) return true;
    edge ignored;
    if (parse_edge(line, columns.size() == 3, ignored) == fault::none) return true;
    // Names of columns, with numbers below.
    if (named || !is_name(content)) return false;
    named = true;
  }
  return (commented || named) && more_behind;  // that is all that is seen
}

bool is_origin_of_edges(std::string_view origin) {
  return origin == "edge list" || origin == "smat" || origin == "SMS" || origin == "DIMACS graph";
}

matrix_entries read_edges(const text_source& source, const progress_callback& progress,
                          const edge_options& options) {
  return reader(source, progress, options).read();
}

}  // namespace sparsmith
