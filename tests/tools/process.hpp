// Tools as processes: what a user types, and what comes back.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/catch.hpp"

namespace sparsmith::testing {

inline std::string from_environment(const char* name) {
  const char* const value = std::getenv(name);
  REQUIRE(value != nullptr);
  return value;
}

inline std::string content(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// A folder of this process, empty at first and gone in the end.
struct temporary_folder {
  std::filesystem::path path;
  explicit temporary_folder(const std::string& name)
      : path(std::filesystem::temp_directory_path() / (name + "_" + std::to_string(::getpid()))) {
    std::filesystem::remove_all(path);
    std::filesystem::create_directories(path);
  }
  temporary_folder(const temporary_folder&) = delete;
  ~temporary_folder() { std::filesystem::remove_all(path); }
  std::string operator/(const std::string& name) const { return (path / name).string(); }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path))
      names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }
};

struct outcome {
  int status = -1;
  std::string out, err;
  double seconds = 0;
};

// Runs a shell command line; what it prints goes through files of that name with .out and .err added.
inline outcome run_command(const std::string& command, const std::string& files) {
  const std::string out = files + ".out", err = files + ".err";
  const auto start = std::chrono::steady_clock::now();
  const int status = std::system(("(" + command + ") >'" + out + "' 2>'" + err + "'").c_str());
  outcome result;
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  result.out = content(out);
  result.err = content(err);
  std::filesystem::remove(out);
  std::filesystem::remove(err);
  return result;
}

}  // namespace sparsmith::testing
