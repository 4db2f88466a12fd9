#include "convert/backend/memory.hpp"

#include <fmt/format.h>
#include <omp.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>

#include "convert/backend/control_group.hpp"
#include "convert/backend/device.hpp"
#include "convert/error.hpp"
#include "convert/words.hpp"

namespace sparsmith {
namespace {

// Arrays from this size on are aligned to huge pages and ask for them: the first touch of a small page costs
// more than the work done on it.
constexpr std::int64_t huge_page = std::int64_t{2} << 20;

struct usage {
  std::atomic<std::int64_t> now = 0;
  std::atomic<std::int64_t> peak = 0;

  void add(std::int64_t bytes) {
    const std::int64_t total = now += bytes;
    std::int64_t seen = peak;
    while (total > seen && !peak.compare_exchange_weak(seen, total)) {
    }
  }
};

usage& usage_of(place where) {
  static usage host_usage, device_usage;
  return where == place::host ? host_usage : device_usage;
}

// The number after a label in a file of /proc or /sys, or -1.
std::int64_t number_in(const char* path, const std::string& label) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    if (line.rfind(label, 0) == 0 && line.find_first_of("0123456789") != std::string::npos)
      return std::strtoll(line.c_str() + line.find_first_of("0123456789"), nullptr, 10);
  return -1;
}

std::int64_t available_host_bytes() {
  std::int64_t available = std::numeric_limits<std::int64_t>::max();
  if (const std::int64_t kibibytes = number_in("/proc/meminfo", "MemAvailable:"); kibibytes >= 0)
    available = kibibytes * 1024;
  // A container, or a job of a cluster, may have less than its machine.
  for (const control_group& group : own_control_groups())
    if (const std::int64_t free = group.free_bytes(); free >= 0) available = std::min(available, free);
  // What is allocated but not yet touched still counts as free there.
  if (const std::int64_t resident = number_in("/proc/self/status", "VmRSS:"); resident >= 0)
    available -= std::max<std::int64_t>(0, usage_of(place::host).now - resident * 1024);
  // Not to the last byte: the system only estimates, small requests are not asked about, and others grow too.
  return std::max<std::int64_t>(0, available - available / 16);
}

}  // namespace

std::int64_t available_bytes(place where) {
  return where == place::host ? available_host_bytes() : device_memory::available_bytes();
}

void* allocate_items(place where, std::int64_t items, std::int64_t item_bytes) {
  std::int64_t bytes = 0;
  if (items < 0 || __builtin_mul_overflow(items, item_bytes, &bytes))
    throw error(failure::resources,
                fmt::format("an array cannot have {} items of {} bytes", items, item_bytes));
  return allocate(where, bytes);
}

void* allocate(place where, std::int64_t bytes) {
  if (bytes == 0) return nullptr;
  if (bytes < 0) throw error(failure::resources, fmt::format("cannot allocate {} bytes", bytes));
  // Linux hands out more memory than there is and kills the process later, so large requests are checked
  // here.
  if (bytes >= 16 * huge_page) {
    const std::int64_t available = available_bytes(where);
    if (bytes > available)
      throw error(failure::resources,
                  fmt::format("needs {} more {} memory, but only {} is available", format_bytes(bytes),
                              where == place::host ? "host" : "GPU", format_bytes(available)),
                  where == place::host ? "" : "device");
  }
  void* memory = nullptr;
  if (where == place::device) {
    memory = device_memory::allocate(bytes);
  } else {
    const std::int64_t alignment = bytes >= huge_page ? huge_page : 64;
    const std::int64_t rounded = (bytes + alignment - 1) / alignment * alignment;
    memory = std::aligned_alloc(static_cast<std::size_t>(alignment), static_cast<std::size_t>(rounded));
    if (memory == nullptr)
      throw error(failure::resources, fmt::format("could not allocate {}", format_bytes(bytes)));
    if (bytes >= huge_page) madvise(memory, static_cast<std::size_t>(rounded), MADV_HUGEPAGE);
  }
  usage_of(where).add(bytes);
  return memory;
}

void release(place where, void* memory, std::int64_t bytes) noexcept {
  if (memory == nullptr) return;
  if (where == place::host)
    std::free(memory);
  else
    device_memory::release(memory);
  usage_of(where).now -= bytes;
}

void copy_bytes(place to, void* target, place from, const void* source, std::int64_t bytes) {
  if (bytes <= 0) return;
  if (to == place::host && from == place::host)
    std::memcpy(target, source, static_cast<std::size_t>(bytes));
  else
    device_memory::copy(target, source, bytes);
}

void copy_bytes_beside(place to, void* target, place from, const void* source, std::int64_t bytes) {
  if (bytes <= 0) return;
  if (to == place::host && from == place::host)
    std::memcpy(target, source, static_cast<std::size_t>(bytes));
  else
    device_memory::copy_beside(target, source, bytes);
}

std::int64_t peak_bytes(place where) {
  return usage_of(where).peak;
}

void reset_peak_bytes(place where) {
  usage_of(where).peak = usage_of(where).now.load();
}

int thread_count() {
  return omp_get_max_threads();
}

void set_thread_count(int threads) {
  static const int offered =
      omp_get_max_threads();  // as the machine or OMP_NUM_THREADS says, before anybody set it
  omp_set_num_threads(threads > 0 ? threads : offered);
}

}  // namespace sparsmith
