// The control groups of the system that limit this process's memory, of either version of its interface.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace sparsmith {

struct control_group {
  std::filesystem::path folder;  // empty where there is none
  bool unified = true;           // version 2

  std::int64_t free_bytes() const;  // what its limit leaves, with caches that would make room; -1 without one
  std::int64_t kills() const;       // processes in it that were killed for lack of memory
};

// That of this process, first, and those around it: the limits of all of them hold. The system lists it in
// one place and has their files in another.
std::vector<control_group> own_control_groups(const std::filesystem::path& listing = "/proc/self/cgroup",
                                              const std::filesystem::path& mount = "/sys/fs/cgroup");

}  // namespace sparsmith
