// A result that spbatch says it has is on the disk: its line is flushed, whole, before it counts as written.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/tools/process.hpp"
#include "tests/watched_calls.hpp"
#include "tools/batch/journal.hpp"

using namespace sparsmith;
using namespace sparsmith::testing;

TEST_CASE("every line of a journal is flushed to the disk before it counts") {
  const temporary_folder work("journal_flush");
  const call_watch watch;
  journal lines(work.path, results_file(1, 1), false);
  const std::string file = work / results_file(1, 1);
  const auto opening = watch.calls();
  // And so is its name, or the first line would be lost with the folder's entry.
  CHECK(std::any_of(opening.begin(), opening.end(), [&](const watched_call& c) {
    return c.name == "fsync" && c.path == work.path.string();
  }));
  for (int i = 0; i < 3; ++i) {
    const std::size_t before = watch.calls().size();
    lines.append({{"key", std::string(32, static_cast<char>('0' + i))}, {"line", i}});
    const auto size = static_cast<std::int64_t>(std::filesystem::file_size(file));
    const auto calls = watch.calls();
    CHECK(std::any_of(
        calls.begin() + static_cast<std::ptrdiff_t>(before), calls.end(), [&](const watched_call& c) {
          return (c.name == "fdatasync" || c.name == "fsync") && c.path == file && c.bytes == size;
        }));
  }
}
