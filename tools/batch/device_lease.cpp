#include "tools/batch/device_lease.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include "tools/batch/byte_lock.hpp"
#include "tools/batch/sha256.hpp"

namespace sparsmith {

// Where the bytes of those that wait stand, behind those of the devices themselves.
constexpr long next_places = 1L << 60;

device_lease::device_lease(const std::string& gpu) {
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
  // Not where TMPDIR says: jobs on one machine may have different ones. Without the file there is no lease,
  // and nothing else is lost.
  descriptor_ =
      ::open(fmt::format("/tmp/sparsmith-{}.lock", ::getuid()).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
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
