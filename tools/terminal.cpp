#include "tools/terminal.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "analyze/report/text.hpp"
#include "convert/error.hpp"

namespace sparsmith {
namespace {

// 0 where there is no terminal, or none that says how wide it is.
int terminal_columns(std::FILE* stream) {
  winsize size{};
  const int descriptor = ::fileno(stream);
  return ::isatty(descriptor) == 1 && ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

// What can be written over must stay on one line; the last column is left to the cursor.
int progress_columns() {
  const int columns = terminal_columns(stderr);
  return columns > 1 ? columns - 1 : 79;
}

// A terminal may go away; then there is nobody to show it to, which is no error.
void draw_progress(const std::string& text) {
  const std::string line = printable(text);
  std::fputs(("\r\033[K" + line.substr(0, bytes_of_columns(line, progress_columns()))).c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace

int output_width(std::FILE* out) {
  const int columns = terminal_columns(out);
  return columns == 0 ? 80 : std::clamp(columns, 40, 160);
}

void tell_note(const std::string& text) {
  const bool on_terminal = ::isatty(STDERR_FILENO) == 1;
  std::fputs((on_terminal ? wrapped("", text, 2, output_width(stderr)) : text + "\n").c_str(), stderr);
}

progress_bar::progress_bar(std::string label, bool enabled) : label_(std::move(label)) {
  if (!enabled || ::isatty(STDERR_FILENO) != 1) return;
  drawer_ = std::jthread([this](const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any wake;
    std::unique_lock lock(mutex);
    const auto start = std::chrono::steady_clock::now();
    auto pause = std::chrono::milliseconds(300);  // short work shows no bar at all
    while (!wake.wait_for(lock, stop, pause, [&] { return stop.stop_requested(); })) {
      draw(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
      pause = std::chrono::milliseconds(100);
    }
  });
}

progress_bar::~progress_bar() {
  if (!drawer_.joinable()) return;
  drawer_.request_stop();
  drawer_.join();
  if (shown_) draw_progress("");
}

progress_callback progress_bar::callback() {
  if (!drawer_.joinable()) return {};
  return [this](std::int64_t done, std::int64_t total) {
    done_ = done;
    total_ = total;
  };
}

void progress_bar::draw(double seconds) {
  shown_ = true;
  const std::int64_t done = done_, total = total_;
  const int room = progress_columns();
  if (total > 0) {
    constexpr int shortest = 5, longest = 30;
    const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
    const std::string end = fmt::format("] {:3.0f} % of {}", share * 100, format_bytes(total));
    const int left = room - 2 - display_width(end);  // for the label and the bar
    const int length = std::clamp(left - display_width(label_), shortest, longest);
    const int filled = static_cast<int>(share * length);
    draw_progress(fmt::format("{} [{:#<{}}{:.<{}}{}", shortened(label_, std::max(left - length, 3)), "",
                              filled, "", length - filled, end));
  } else {
    const std::string end = done > 0 ? fmt::format(" {}, {:.1f} s", format_bytes(done), seconds)
                                     : fmt::format(" {:.1f} s", seconds);
    draw_progress(shortened(label_, std::max(room - display_width(end), 3)) + end);
  }
}

progress_line::progress_line(bool enabled)
    : enabled_(enabled), shown_(enabled && ::isatty(STDERR_FILENO) == 1) {}

void progress_line::step(const std::string& text) const {
  if (shown_)
    say(text);
  else if (enabled_)
    std::fputs((on_one_line(text) + "\n").c_str(), stderr);
}

void progress_line::say(const std::string& text) const {
  if (shown_) draw_progress(text);
}

}  // namespace sparsmith
