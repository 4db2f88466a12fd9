// SciPy as a peer: data goes through files of raw numbers, a script measures and prints.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "convert/backend/memory.hpp"

namespace sparsmith {

struct scratch_folder {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / fmt::format("sparsmith_bench_{}", ::getpid());
  scratch_folder() { std::filesystem::create_directories(path); }
  scratch_folder(const scratch_folder&) = delete;
  ~scratch_folder() { std::filesystem::remove_all(path); }
};

// Runs a Python script that prints a time and a count. Negative where Python has no SciPy.
inline double python_seconds(const scratch_folder& folder, const std::string& script, std::int64_t& count) {
  std::ofstream(folder.path / "peer.py")
      << "import sys, time\ntry:\n    import numpy, scipy.sparse\nexcept ImportError:\n"
         "    sys.exit(77)\nfolder = '"
      << folder.path.string() << "/'\n"
      << script;
  const std::string command = fmt::format("python3 {}/peer.py", folder.path.string());
  std::FILE* const pipe = ::popen(command.c_str(), "r");
  double seconds = -1;
  long long printed = 0;
  const int fields = pipe == nullptr ? 0 : std::fscanf(pipe, "%lf %lld", &seconds, &printed);
  if (pipe != nullptr) ::pclose(pipe);
  count = printed;
  return fields == 2 ? seconds : -1;
}

template <class T>
void dump(const scratch_folder& folder, const char* name, const array<T, host>& data) {
  std::ofstream(folder.path / name, std::ios::binary)
      .write(reinterpret_cast<const char*>(data.data()), data.size() * std::int64_t{sizeof(T)});
}

}  // namespace sparsmith
