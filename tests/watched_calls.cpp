#include "tests/watched_calls.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <mutex>

namespace sparsmith::testing {
namespace {

std::mutex access;
std::atomic<bool> watching_calls = false, watching_reads = false;
std::vector<watched_call> noted;
std::string read_path;
std::function<void(int)> before_read;
int reads = 0;

std::string path_of(int descriptor) {
  std::error_code problem;
  return std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(descriptor), problem).string();
}

void note(const char* name, int descriptor) {
  if (!watching_calls) return;
  struct stat status {};
  ::fstat(descriptor, &status);
  const std::lock_guard lock(access);
  noted.push_back({name, path_of(descriptor), "", status.st_size});
}

void note_renaming(const char* from, const char* to) {
  if (!watching_calls) return;
  struct stat status {};
  ::stat(from, &status);
  const std::lock_guard lock(access);
  noted.push_back({"rename", from, to, status.st_size});
}

void note_read(int descriptor) {
  if (!watching_reads || path_of(descriptor) != read_path) return;
  int number = 0;
  {
    const std::lock_guard lock(access);
    number = reads++;
  }
  before_read(number);
}

}  // namespace

call_watch::call_watch() {
  noted.clear();
  watching_calls = true;
}
call_watch::~call_watch() {
  watching_calls = false;
}
std::vector<watched_call> call_watch::calls() const {
  const std::lock_guard lock(access);
  return noted;
}

read_watch::read_watch(std::string path, std::function<void(int)> before) {
  read_path = std::move(path);
  before_read = std::move(before);
  reads = 0;
  watching_reads = true;
}
read_watch::~read_watch() {
  watching_reads = false;
}

}  // namespace sparsmith::testing

extern "C" {

int fsync(int descriptor) {
  sparsmith::testing::note("fsync", descriptor);
  return static_cast<int>(::syscall(SYS_fsync, descriptor));
}
int fdatasync(int descriptor) {
  sparsmith::testing::note("fdatasync", descriptor);
  return static_cast<int>(::syscall(SYS_fdatasync, descriptor));
}
int rename(const char* from, const char* to) noexcept {
  sparsmith::testing::note_renaming(from, to);
  return static_cast<int>(::syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}
ssize_t read(int descriptor, void* to, size_t bytes) {
  sparsmith::testing::note_read(descriptor);
  return ::syscall(SYS_read, descriptor, to, bytes);
}
ssize_t pread(int descriptor, void* to, size_t bytes, off_t at) {
  sparsmith::testing::note_read(descriptor);
  return ::syscall(SYS_pread64, descriptor, to, bytes, at);
}
ssize_t pread64(int descriptor, void* to, size_t bytes, off64_t at) {
  sparsmith::testing::note_read(descriptor);
  return ::syscall(SYS_pread64, descriptor, to, bytes, at);
}
}
