#include "convert/io/lines.hpp"

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

}  // namespace sparsmith
