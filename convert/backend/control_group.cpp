#include "convert/backend/control_group.hpp"

#include <algorithm>
#include <fstream>
#include <string>

namespace sparsmith {
namespace {

namespace fs = std::filesystem;

// The first number of a file, -1 where there is none ("max").
std::int64_t number_of(const fs::path& path) {
  std::ifstream file(path);
  std::int64_t number = -1;
  return file >> number ? number : -1;
}

// The number behind a word that begins a line; 0 where there is none.
std::int64_t number_behind(const fs::path& path, const std::string& wanted) {
  std::ifstream file(path);
  std::string word;
  for (std::int64_t number = 0; file >> word >> number;)
    if (word == wanted) return number;
  return 0;
}

}  // namespace

std::int64_t control_group::free_bytes() const {
  const std::int64_t limit = number_of(folder / (unified ? "memory.max" : "memory.limit_in_bytes"));
  const std::int64_t used = number_of(folder / (unified ? "memory.current" : "memory.usage_in_bytes"));
  if (limit < 0 || used < 0) return -1;
  const std::int64_t cached =
      number_behind(folder / "memory.stat", unified ? "inactive_file" : "total_inactive_file");
  return std::max<std::int64_t>(0, limit - used + cached);
}

std::int64_t control_group::kills() const {
  return number_behind(folder / (unified ? "memory.events" : "memory.oom_control"), "oom_kill");
}

std::vector<control_group> own_control_groups(const fs::path& listing, const fs::path& mount) {
  std::ifstream listed(listing);
  fs::path root, below;
  bool unified = true;
  for (std::string line; std::getline(listed, line);) {  // "4:memory:/a/b", or "0::/a/b" of version 2
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool of_memory = (',' + controllers + ',').find(",memory,") != std::string::npos;
    if (!of_memory && !controllers.empty()) continue;
    root = of_memory ? mount / "memory" : mount;
    below = line.substr(std::min(line.size(), second + 2));
    unified = !of_memory;
    if (of_memory) break;
  }
  std::vector<control_group> groups;
  if (root.empty()) return groups;
  // Inside a container the path may be that of the world outside, and only the root be there.
  std::error_code problem;
  for (; !below.empty(); below = below.parent_path())
    if (fs::is_directory(root / below, problem)) groups.push_back({root / below, unified});
  groups.push_back({root, unified});
  return groups;
}

}  // namespace sparsmith
