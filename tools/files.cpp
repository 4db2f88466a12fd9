#include "tools/files.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <filesystem>
#include <map>
#include <new>

#include "convert/error.hpp"
#include "convert/io/generators.hpp"
#include "convert/io/write.hpp"

namespace sparsmith {

bool can_be_read_again(const std::string& input) {
  std::error_code unknown;
  return is_generator(input) || std::filesystem::is_regular_file(input, unknown);
}

void write_whole_file(const std::string& path, std::string_view content) {
  output_file file(path);
  file.write(content);
  file.commit();
}

void check_output_files(const std::vector<std::string>& inputs,
                        const std::vector<std::pair<std::string, std::string>>& outputs,
                        const std::string& called) {
  namespace fs = std::filesystem;
  const auto place = [](const std::string& path) {
    std::error_code problem;
    const fs::path whole = fs::weakly_canonical(fs::absolute(path, problem), problem);
    return problem ? path : whole.string();
  };
  std::map<std::string, std::string> used;
  for (const std::string& input : inputs)
    if (!is_generator(input)) used.emplace(place(input), called);
  for (const auto& [option, path] : outputs) {
    if (path.empty()) continue;
    if (path == "-") throw error(failure::usage, fmt::format("{} -: name a file", option));
    if (const auto [other, is_new] = used.emplace(place(path), option); !is_new)
      throw error(failure::usage, fmt::format("{} {}: is {} as well", option, path, other->second));
    const output_file probe(path);
  }
}

std::string problem_with(const std::string& input, const std::exception& problem) {
  if (dynamic_cast<const std::bad_alloc*>(&problem) != nullptr) return on_one_line(input) + ": out of memory";
  const std::string shown = on_one_line(input), what = on_one_line(problem.what());
  return what.starts_with(shown) ? what : shown + ": " + what;
}

std::string utc_now() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

}  // namespace sparsmith
