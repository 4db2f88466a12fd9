#include "tools/batch/inputs.hpp"

#include <fmt/format.h>
#include <glob.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <climits>
#include <cstring>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "convert/error.hpp"
#include "convert/io/edges.hpp"
#include "convert/io/generators.hpp"
#include "convert/io/matrix_names.hpp"
#include "convert/io/rutherford_boeing.hpp"
#include "tools/batch/collection_index.hpp"
#include "tools/tool.hpp"

namespace sparsmith {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kinds_told = 5;  // of files that are passed over

bool ends_with_any(std::string_view name, const auto& endings) {
  return std::any_of(endings.begin(), endings.end(),
                     [&](std::string_view ending) { return name.ends_with(ending); });
}

// What stands behind the last dot of a name, with the packing of ".csv.gz". Case tells no kinds apart. What
// is long, has other characters or digits alone ("part.00017", "a. b") is a part of the name.
std::string ending_of(std::string_view name) {
  constexpr std::size_t longest = 12;
  const std::string_view unpacked = unpacked_name(name);
  const std::size_t dot = unpacked.rfind('.');
  std::string ending;
  if (dot != std::string_view::npos && dot > 0) ending = unpacked.substr(dot + 1);
  const auto all = [&](auto holds) { return std::all_of(ending.begin(), ending.end(), holds); };
  const bool is_ending = !ending.empty() && ending.size() <= longest &&
                         !all([](unsigned char c) { return std::isdigit(c) != 0; }) &&
                         all([](unsigned char c) {
                           return std::isalnum(c) != 0 || (c != '\0' && std::strchr("_-+~", c) != nullptr);
                         });
  ending = is_ending ? "." + ending : "";
  ending += name.substr(unpacked.size());
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending;
}

bool is_list(const std::string& path) {
  if (!ends_with_any(path, std::array<std::string_view, 2>{".txt", ".list"}) || !fs::is_regular_file(path))
    return false;
  std::string start(1 << 16, '\0');  // a list may begin with comments
  std::ifstream file(path, std::ios::binary);
  file.read(start.data(), static_cast<std::streamsize>(start.size()));
  const bool more_behind = file.gcount() == static_cast<std::streamsize>(start.size());
  start.resize(static_cast<std::size_t>(file.gcount()));
  // Else it is a matrix with an odd name.
  return !start.starts_with("%%") && !is_rutherford_boeing(start) && !is_edge_list(start, more_behind);
}

// The whole path without links. What is not there, or cannot be looked at, keeps the rest of its name.
std::string whole_path(const std::string& text) {
  std::error_code problem, none;
  const fs::path absolute = fs::absolute(text, none);
  const fs::path whole = fs::weakly_canonical(absolute, problem);
  return (problem ? absolute.lexically_normal() : whole).string();
}

// Results are text. Bytes that are none would all read alike there, and two files become one.
std::string as_text(const std::string& path) {
  if (json::parse(json(path).dump(-1, ' ', false, json::error_handler_t::replace)) == path) return path;
  std::string address = "file://";
  for (const char c : path)
    address += std::isalnum(static_cast<unsigned char>(c)) != 0 || std::strchr("/-._~", c) != nullptr
                   ? std::string(1, c)
                   : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return address;
}

class search {
 public:
  explicit search(const input_request& request) {
    std::error_code none;
    // The name of a single folder goes without saying.
    whole_names_ = std::count_if(request.paths.begin(), request.paths.end(),
                                 [&](const std::string& path) { return fs::is_directory(path, none); }) > 1;
    results_ = fs::weakly_canonical(request.results, none);
    found_.index = request.index;
    if (!request.index.empty()) index_ = as_text(whole_path(request.index));
  }

  void take(const std::string& text, bool typed) {
    std::error_code problem;
    // What can be read once is not there when somebody goes on where a run was ended.
    if (text == "-" || text.starts_with("/dev/") || text.starts_with("/proc/"))
      throw error(failure::input, text + ": a batch takes what can be read again; store it in a file");
    if (is_generator(text))
      add({text, text});
    else if (is_index(text))
      return;
    else if (fs::is_directory(text, problem))
      search_folder(text);
    else if (typed && is_list(text))
      take_list(text);
    else if (!fs::exists(fs::symlink_status(text, problem)) && text.find_first_of("*?[") != std::string::npos)
      take_pattern(text, typed);
    else if (typed && !fs::exists(fs::symlink_status(text, problem)))
      throw error(failure::input, text + ": no such file or folder");
    else {
      if (typed) refuse_what_no_batch_reads(text);
      add({text, text});
    }
  }

  void take_list(const std::string& path) {
    std::ifstream file;
    if (path != "-") {
      file.open(path);
      if (!file || fs::is_directory(path))
        throw error(failure::input,
                    fmt::format("{}: could not read the list: {}", path, std::strerror(errno)));
    }
    std::istream& in = path == "-" ? std::cin : file;
    std::int64_t number = 0;
    for (std::string line; std::getline(in, line);) {
      ++number;
      // Something else in the place of a list, or one whose names end with NUL: most would be lost.
      if (line.size() > PATH_MAX || line.find('\0') != std::string::npos)
        throw error(failure::input,
                    fmt::format("{}:{}: no name of a matrix, so this is no list", path, number));
      const auto first = line.find_first_not_of(" \t\r"), last = line.find_last_not_of(" \t\r");
      if (first != std::string::npos && line[first] != '#') take(line.substr(first, last - first + 1), false);
    }
    if (in.bad()) throw error(failure::input, path + ": could not read the list to its end");
  }

  found_inputs take_found() {
    passed_over_files& other = found_.passed_over;
    for (const auto& [ending, files] : passed_over_) {
      other.kinds.push_back({ending, files});
      other.files += files;
    }
    std::stable_sort(other.kinds.begin(), other.kinds.end(),
                     [](const auto& a, const auto& b) { return a.files > b.files; });
    return std::move(found_);
  }

 private:
  void add(batch_input input) {
    input.source = is_generator(input.path) ? input.path : as_text(whole_path(input.path));
    if (seen_.insert(input.source).second) found_.inputs.push_back(std::move(input));
  }

  // Of the collection, by its name or because it was named as that. The first one stays.
  bool is_index(const std::string& path) {
    std::error_code none;
    if (!index_.empty() && as_text(whole_path(path)) == index_) return true;
    if (fs::path(path).filename() != index_name || !fs::is_regular_file(path, none)) return false;
    if (found_.index.empty()) found_.index = path;
    return true;
  }

  // Whether it is to be left alone, and then told.
  bool is_no_file(const std::string& path) {
    const std::string what = what_no_batch_reads(path);
    if (!what.empty() && seen_.insert(as_text(whole_path(path))).second)
      found_.not_files.push_back(path + ": " + what);
    return !what.empty();
  }

  void take_pattern(const std::string& pattern, bool typed) {
    glob_t matches{};
    const int status = ::glob(pattern.c_str(), 0, nullptr, &matches);
    std::vector<std::string> names;
    for (std::size_t i = 0; status == 0 && i < matches.gl_pathc; ++i) names.emplace_back(matches.gl_pathv[i]);
    ::globfree(&matches);
    if (names.empty() && typed) throw error(failure::input, pattern + ": matches no file");
    // In a list it may be the name of a file that is not there.
    if (names.empty()) add({pattern, pattern});
    for (const std::string& name : names) {
      std::error_code none;
      if (fs::is_directory(name, none))
        search_folder(name);
      else if (!is_index(name) && !is_no_file(name))
        add({name, name});
    }
  }

  void search_folder(const fs::path& folder) {
    if (!is_index((folder / index_name).string())) {
      // Also of a folder that is named with a slash at its end, or as ".".
      const fs::path above = fs::path(whole_path(folder.string())).parent_path();
      is_index((above / index_name).string());
    }
    std::vector<std::string> below;
    others_below_ = false;
    walk(folder, "", below);
    if (others_below_) found_.passed_over.folders.push_back(folder.string());
    std::sort(below.begin(), below.end());
    for (const std::string& name : below) {
      const std::string path = (folder / name).string();
      add({path, whole_names_ ? path : name});
    }
  }

  // Links to files are followed, links to folders are not: they may lead in circles. What is hidden stays so.
  void walk(const fs::path& folder, const fs::path& relative, std::vector<std::string>& below) {
    std::error_code problem;
    if (!relative.empty() && fs::weakly_canonical(folder, problem) == results_) return;
    fs::directory_iterator entries(folder, problem);
    if (problem) {
      found_.problems.push_back(fmt::format("{}: could not search: {}", folder.string(), problem.message()));
      return;
    }
    const bool first_time = searched_.insert(as_text(whole_path(folder.string()))).second;
    for (; entries != fs::directory_iterator(); entries.increment(problem)) {
      const fs::path name = entries->path().filename();
      if (name.string().starts_with('.')) continue;
      std::error_code none;
      if (entries->is_directory(none)) {
        if (!entries->is_symlink(none)) walk(entries->path(), relative / name, below);
      } else if (is_matrix_name(name.string())) {
        if (!is_no_file(entries->path().string())) below.push_back((relative / name).string());
      } else if (first_time && !is_index(entries->path().string())) {
        ++passed_over_[ending_of(name.string())];
        others_below_ = true;
      }
    }
    if (problem)
      found_.problems.push_back(
          fmt::format("{}: could not search to the end: {}", folder.string(), problem.message()));
  }

  bool whole_names_ = false;
  fs::path results_;
  std::string index_;                                // the whole path of the one that was named
  std::set<std::string> seen_, searched_;            // files that were added or told, and folders
  std::map<std::string, std::int64_t> passed_over_;  // by ending
  bool others_below_ = false;                        // in the folder that is searched
  found_inputs found_;
};

}  // namespace

found_inputs find_inputs(const input_request& request) {
  search all(request);
  for (const std::string& path : request.paths) all.take(path, true);
  for (const std::string& list : request.lists) all.take_list(list);
  return all.take_found();
}

std::string kinds_text(const passed_over_files& files) {
  // One that would be summed up alone is named.
  const std::size_t told = files.kinds.size() == kinds_told + 1 ? kinds_told + 1 : kinds_told;
  std::string text;
  std::int64_t rest = files.files;
  for (std::size_t i = 0; i < std::min(told, files.kinds.size()); ++i) {
    const auto& [ending, count] = files.kinds[i];
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", count, ending.empty() ? "without an ending" : ending);
    rest -= count;
  }
  return rest == 0 ? text : text + fmt::format(" and {} of {} other kinds", rest, files.kinds.size() - told);
}

std::string passed_over_text(const passed_over_files& files) {
  if (files.files == 0) return "";
  return fmt::format(
      "passed over in {}: {}",
      files.folders.size() == 1 ? files.folders[0] : fmt::format("{} folders", files.folders.size()),
      kinds_text(files));
}

std::string what_no_batch_reads(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return "";
  if (S_ISFIFO(status.st_mode)) return "a pipe";
  if (S_ISSOCK(status.st_mode)) return "a socket";
  return S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode) ? "a device" : "";
}

void refuse_what_no_batch_reads(const std::string& path) {
  if (const std::string what = what_no_batch_reads(path); !what.empty())
    throw error(failure::input,
                fmt::format("{}: {}; a batch takes what can be read again; store it in a file", path, what));
}

source_state look_at_source(const std::string& path) {
  if (is_generator(path)) return {"generator", -1, -1};
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  return {"file", status.st_size,
          std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec};
}

}  // namespace sparsmith
