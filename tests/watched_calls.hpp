// What a program asks of the system about its files: these tests' own fsync, fdatasync, rename, read and
// pread stand before the C library's, note the call and pass it on. For tests of what nobody sees until the
// power fails, or until a file changes while it is read.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace sparsmith::testing {

struct watched_call {
  std::string name;        // "fsync", "fdatasync" or "rename"
  std::string path;        // of the file, or what is renamed
  std::string target;      // of a renaming
  std::int64_t bytes = 0;  // of the file at that moment
};

// The calls of this process while it lives, one after the other.
class call_watch {
 public:
  call_watch();
  ~call_watch();
  call_watch(const call_watch&) = delete;
  call_watch& operator=(const call_watch&) = delete;
  std::vector<watched_call> calls() const;
};

// Calls before(n) ahead of the n-th reading of a file, from 0 on.
class read_watch {
 public:
  read_watch(std::string path, std::function<void(int)> before);
  ~read_watch();
  read_watch(const read_watch&) = delete;
  read_watch& operator=(const read_watch&) = delete;
};

}  // namespace sparsmith::testing
