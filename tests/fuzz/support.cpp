// Scratch files, their folder, and counting what is allocated.
#include <malloc.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <new>

#include "tests/fuzz/fuzz.hpp"

namespace sparsmith::fuzz {
namespace {

std::atomic<std::int64_t> new_bytes = 0, new_peak = 0;

void* counted(std::size_t size) {
  void* const memory = std::malloc(size > 0 ? size : 1);
  if (memory == nullptr) return nullptr;
  const std::int64_t now = new_bytes += static_cast<std::int64_t>(::malloc_usable_size(memory));
  std::int64_t seen = new_peak;
  while (now > seen && !new_peak.compare_exchange_weak(seen, now)) {
  }
  return memory;
}

void uncounted(void* memory) {
  if (memory == nullptr) return;
  new_bytes -= static_cast<std::int64_t>(::malloc_usable_size(memory));
  std::free(memory);
}

}  // namespace

void* counted_new(std::size_t size) {
  return counted(size);
}
void counted_delete(void* memory) noexcept {
  uncounted(memory);
}

memory_watch::memory_watch() : new_before_(new_bytes), arrays_before_(0) {
  new_peak = new_bytes.load();
  reset_peak_bytes(place::host);
  arrays_before_ = peak_bytes(place::host);
}

std::int64_t memory_watch::peak() const {
  return new_peak - new_before_ + peak_bytes(place::host) - arrays_before_;
}

coo<double, host> entries_of(std::int32_t rows, std::int32_t cols,
                             const std::vector<std::array<std::int32_t, 3>>& list) {
  const auto count = static_cast<std::int64_t>(list.size());
  coo<double, host> entries;
  entries.rows = rows;
  entries.cols = cols;
  entries.row_indices = array<std::int32_t, host>(count);
  entries.col_indices = array<std::int32_t, host>(count);
  entries.values = array<double, host>(count);
  for (std::int64_t i = 0; i < count; ++i) {
    const auto& [row, col, value] = list[static_cast<std::size_t>(i)];
    entries.row_indices[i] = row;
    entries.col_indices[i] = col;
    entries.values[i] = value;
  }
  return entries;
}

scratch_file::scratch_file(std::string_view bytes) {
  static int count = 0;
  path_ = scratch_folder() + "/" + std::to_string(count++);
  std::ofstream(path_, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

scratch_file::~scratch_file() {
  ::unlink(path_.c_str());
}

std::string scratch_file::bytes() const {
  std::ifstream in(path_, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

const std::string& scratch_folder() {
  // In memory, because much of what is tested flushes to the disk.
  static const std::string folder = [] {
    const std::string base = ::access("/dev/shm", W_OK) == 0
                                 ? std::string("/dev/shm")
                                 : std::filesystem::temp_directory_path().string();
    std::string name = base + "/sparsmith-fuzz-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no scratch folder could be made");
    return name;
  }();
  [[maybe_unused]] static const int at_end = std::atexit([] {
    std::error_code ignored;
    std::filesystem::remove_all(scratch_folder(), ignored);
  });
  return folder;
}

}  // namespace sparsmith::fuzz
