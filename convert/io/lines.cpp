#include "convert/io/lines.hpp"

#include <algorithm>
#include <utility>

#include "convert/io/matrix_market_grammar.hpp"

namespace sparsmith {

const std::vector<std::string_view>& line_reader::next(std::int64_t most) {
  lines_.clear();
  ends_.clear();
  std::size_t searched = given_;
  while (static_cast<std::int64_t>(ends_.size()) < most) {
    const std::size_t end = text_.find('\n', searched);
    if (end != std::string::npos) {
      ends_.push_back(end);
      searched = end + 1;
      continue;
    }
    const std::size_t start = ends_.empty() ? given_ : ends_.back() + 1;
    if (at_end_) {
      if (start < text_.size()) ends_.push_back(text_.size());
      break;
    }
    // What is there is enough to work on, or more than a line can have; else more of the text is needed.
    if (!ends_.empty() && text_.size() - given_ >= source_.piece_bytes) break;
    if (text_.size() - start > matrix_market::longest_line) break;
    text_.erase(0, given_);
    for (std::size_t& one : ends_) one -= given_;
    given_ = 0;
    searched = text_.size();
    text_.resize(searched + source_.piece_bytes);
    const std::size_t got = source_.read(text_.data() + searched, source_.piece_bytes);
    text_.resize(searched + got);
    bytes_ += static_cast<std::int64_t>(got);
    at_end_ = got == 0;
  }
  const auto refuse_too_long = [&] {
    matrix_market::refuse_line(source_.name, line_ + static_cast<std::int64_t>(lines_.size()) + 1,
                               matrix_market::line_too_long);
  };
  std::size_t start = given_;
  for (const std::size_t end : ends_) {
    std::string_view line(text_.data() + start, end - start);
    if (line.size() > matrix_market::longest_line) refuse_too_long();
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines_.push_back(line);
    start = end + 1;
  }
  if (lines_.empty() && text_.size() - given_ > matrix_market::longest_line) refuse_too_long();
  given_ = std::min(start, text_.size());
  line_ += static_cast<std::int64_t>(lines_.size());
  return lines_;
}

piece_cutter::piece_cutter(const text_source& source, std::string already_read)
    : source_(source),
      piece_bytes_(std::min(source.piece_bytes, matrix_market::longest_line)),
      carried_(std::move(already_read)) {}

bool piece_cutter::next(std::string& text) {
  std::size_t size = carried_.size();
  if (text.size() < std::max(size, piece_bytes_)) text.resize(std::max(size, piece_bytes_));
  std::copy(carried_.begin(), carried_.end(), text.begin());
  carried_.clear();
  std::size_t line_end = std::string::npos;
  while (!at_end_) {
    if (size == text.size()) {
      line_end = text.rfind('\n', size - 1);
      if (line_end != std::string::npos) break;
      if (matrix_market::is_too_long(text)) {
        at_end_ = true;
        break;
      }
      // One line longer than a piece: take it whole.
      text.resize(std::min(text.size() * 2, matrix_market::longest_line + 1));
    }
    const std::size_t got = source_.read(text.data() + size, text.size() - size);
    size += got;
    bytes_read_ += static_cast<std::int64_t>(got);
    at_end_ = got == 0;
  }
  text.resize(size);
  if (line_end != std::string::npos) {
    carried_.assign(text, line_end + 1);
    text.resize(line_end + 1);
  }
  return !text.empty();
}

}  // namespace sparsmith
