#include "tools/batch/device_lease.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "tools/batch/byte_lock.hpp"
#include "tools/batch/sha256.hpp"

namespace sparsmith {

// Where the bytes of those that wait stand, behind those of the devices themselves.
constexpr long next_places = 1L << 60;

namespace fs = std::filesystem;

std::vector<fs::path> device_lock_folders() {
  return {fmt::format("/tmp/sparsmith-{}", ::geteuid()), fmt::format("/run/user/{}/sparsmith", ::geteuid())};
}

private_lock open_private_lock(const fs::path& folder) {
  const auto refused = [&](const std::string& why) { return private_lock{-1, folder.string() + ": " + why}; };
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return refused(std::strerror(errno));
  // Somebody else may have made it first where all can write, or a link that leads elsewhere.
  const int place = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (place < 0) return refused("not a folder of this user's");
  struct stat status {};
  const bool ours =
      ::fstat(place, &status) == 0 && status.st_uid == ::geteuid() && (status.st_mode & 022) == 0;
  const int file =
      ours ? ::openat(place, "device.lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600)
           : -1;
  const int code = errno;
  ::close(place);
  if (!ours) return refused("others can write to it, or own it");
  if (file < 0) return refused(fmt::format("device.lock: {}", std::strerror(code)));
  if (::fstat(file, &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != ::geteuid()) {
    ::close(file);
    return refused("device.lock: not a file of this user's");
  }
  return {file, ""};
}

device_lease::device_lease(const std::string& gpu, const std::vector<fs::path>& folders) {
  // Processors stand at the start, one byte each; GPUs, by what tells them apart, far behind.
  if (gpu.empty()) {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    long last = 0;
    first_ = -1;
    if (::sched_getaffinity(0, sizeof(allowed), &allowed) == 0)
      for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
        if (CPU_ISSET(cpu, &allowed)) {
          if (first_ < 0) first_ = cpu;
          last = cpu;
        }
    if (first_ < 0) first_ = 0;
    count_ = last - first_ + 1;
  } else {
    first_ = (1L << 32) + static_cast<long>(std::stoull(sha256_of(gpu).substr(0, 12), nullptr, 16));
  }
  // Without the file there is no lease, and nothing else is lost.
  for (const fs::path& folder : folders) {
    const private_lock lock = open_private_lock(folder);
    descriptor_ = lock.descriptor;
    if (descriptor_ >= 0) {
      problem_.clear();
      return;
    }
    problem_ += (problem_.empty() ? "" : "; ") + lock.problem;
  }
}

device_lease::~device_lease() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool device_lease::set(short kind, long place) const {
  // A file system without locks keeps nobody from anything.
  const int problem = lock_bytes(descriptor_, kind, place + first_, count_, false);
  return problem != EAGAIN && problem != EACCES;
}

// Whoever waits holds a second place, and with it the right to be next: one that gives the device back and
// wants it again has to wait for that, and so they take turns.
bool device_lease::try_take() {
  if (descriptor_ < 0) return true;
  if (!is_next_) is_next_ = set(F_WRLCK, next_places);
  if (!is_next_ || !set(F_WRLCK, 0)) return false;
  stop_waiting();
  return true;
}

void device_lease::stop_waiting() {
  if (is_next_) set(F_UNLCK, next_places);
  is_next_ = false;
}

void device_lease::give_back() {
  if (descriptor_ >= 0) set(F_UNLCK, 0);
}

}  // namespace sparsmith
