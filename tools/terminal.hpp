// The terminal, where there is one: its width, notes, and how far a long work is.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>

#include "convert/io/entries.hpp"

namespace sparsmith {

// Columns of the terminal that is written to, from 40 to 160; 80 where it is none.
int output_width(std::FILE* out = stdout);

// A note on standard error: one line, or several where a terminal is narrower. An error stays on one.
void tell_note(const std::string& text);

// A bar on a terminal, nothing elsewhere. Drawn by a thread of its own, so that it also moves, by the clock,
// where a reader or writer does not say how far it is.
class progress_bar {
 public:
  progress_bar(std::string label, bool enabled);
  ~progress_bar();
  progress_bar(const progress_bar&) = delete;
  progress_callback callback();

 private:
  void draw(double seconds);

  std::string label_;
  std::atomic<std::int64_t> done_ = 0, total_ = 0;
  bool shown_ = false;
  std::jthread drawer_;
};

// One line that is written over on a terminal, cut to its width; nothing elsewhere.
class progress_line {
 public:
  explicit progress_line(bool enabled);
  void say(const std::string& text) const;
  // The same for what is worth a line of its own where there is no terminal.
  void step(const std::string& text) const;
  void clear() const { say(""); }

 private:
  bool enabled_, shown_;
};

}  // namespace sparsmith
