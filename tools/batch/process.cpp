#include "tools/batch/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <string_view>
#include <utility>

#include "convert/error.hpp"
#include "tools/batch/spawn.hpp"
#include "tools/batch/worker.hpp"

namespace sparsmith {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view group_prefix = "spbatch-";

// A sanitizer sets more aside than any limit grants, and takes little of it: that can only be watched.
#ifdef __SANITIZE_ADDRESS__
constexpr bool reserves_memory = true;
#else
constexpr bool reserves_memory = false;
#endif

bool write_setting(const fs::path& file, const std::string& value) {
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool written = ::write(descriptor, value.data(), value.size()) == static_cast<ssize_t>(value.size());
  ::close(descriptor);
  return written;
}

// What is there to read, up to a limit: one who writes without end must not keep the others from being heard.
// Closes the end where nothing will come any more.
void read_available(int& descriptor, std::string& text) {
  std::array<char, 1 << 16> buffer;
  // In bytes: a read may bring less than there is, and of one who is gone this is all that will be read.
  for (std::size_t taken = 0; taken < 64 * buffer.size();) {
    const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
    if (count > 0) {
      text.append(buffer.data(), static_cast<std::size_t>(count));
      taken += static_cast<std::size_t>(count);
    } else if (count == 0) {
      close_end(descriptor);
      return;
    } else if (errno != EINTR) {
      return;
    }
  }
}

void limit(pid_t process, __rlimit_resource what, std::int64_t bytes) {
  const rlimit both{static_cast<rlim_t>(bytes), static_cast<rlim_t>(bytes)};
  // One that cannot be set, because the process is gone or has a lower one, is not needed.
  (void)::prlimit(process, what, &both, nullptr);
}

}  // namespace

memory_group::memory_group(std::int64_t bytes, int number) {
  if (bytes <= 0) return;
  const std::vector<control_group> groups = own_control_groups();
  if (groups.empty()) return;
  const control_group& own = groups.front();
  const fs::path folder = own.folder / fmt::format("{}{}-{}", group_prefix, ::getpid(), number);
  std::error_code problem;
  if (!fs::create_directory(folder, problem)) return;
  const std::string text = std::to_string(bytes);
  const bool limited = own.unified ? write_setting(folder / "memory.max", text)
                                   : write_setting(folder / "memory.limit_in_bytes", text);
  if (!limited) {
    fs::remove(folder, problem);
    return;
  }
  // What is swapped out counts as well, where the system can say so.
  if (own.unified)
    write_setting(folder / "memory.swap.max", "0");
  else
    write_setting(folder / "memory.memsw.limit_in_bytes", text);
  group_ = {folder, own.unified};
}

memory_group::~memory_group() {
  if (made()) ::rmdir(group_.folder.c_str());
}

bool memory_group::add(pid_t process) const {
  return made() && write_setting(group_.folder / "cgroup.procs", std::to_string(process));
}

void remove_stale_memory_groups() {
  const std::vector<control_group> groups = own_control_groups();
  if (groups.empty()) return;
  std::error_code problem;
  for (fs::directory_iterator entry(groups.front().folder, problem), end; !problem && entry != end;
       entry.increment(problem)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with(group_prefix)) continue;
    const std::string process = name.substr(group_prefix.size(), name.rfind('-') - group_prefix.size());
    if (!fs::exists("/proc/" + process)) ::rmdir(entry->path().c_str());
  }
}

worker_process::worker_process(const std::string& path, std::int64_t memory, bool may_limit_data, int number)
    : memory_(memory), group_(memory, number) {
  pipe_ends jobs, results, errors;
  program_start start;
  start.program = "/proc/self/exe";  // itself, also where its file was replaced since
  start.words = {"spbatch", worker_flag};
  if (!path.empty()) start.words.push_back(path);
  start.input = jobs.read;
  start.output = results.write;
  start.errors = errors.write;
  // A cluster's launcher asks every process to end: the parent hears it and then ends its workers, which must
  // not look like failures.
  start.apart = true;
  const int status = start_program(start, process_);
  if (status != 0) {
    process_ = -1;
    throw error(failure::resources, fmt::format("could not start a worker: {}", std::strerror(status)));
  }
  input_ = std::exchange(jobs.write, -1);
  output_ = std::exchange(results.read, -1);
  errors_ = std::exchange(errors.read, -1);
  for (const int end : {output_, errors_}) ::fcntl(end, F_SETFL, O_NONBLOCK);

  // It waits for its job, so all this holds before it does anything. It has nothing to write but what it
  // says.
  constexpr std::int64_t largest_file = std::int64_t{64} << 20;
  limit(process_, RLIMIT_CORE, 0);
  limit(process_, RLIMIT_FSIZE, largest_file);
  in_group_ = memory_ > 0 && group_.add(process_);
  // Stacks of threads count there as a whole, though little of them is ever used: the watch is what is exact.
  constexpr std::int64_t room_for_stacks = std::int64_t{2} << 30;
  if (memory_ > 0 && !in_group_ && may_limit_data && !reserves_memory)
    limit(process_, RLIMIT_DATA, memory_ + room_for_stacks);
}

worker_process::~worker_process() {
  kill();
  // One that the system does not let go of, on a device or a file system that hangs, is left to it.
  exit_report ignored;
  for (int tries = 0; tries < 5000 && process_ > 0 && !gone(ignored); ++tries) ::usleep(1000);
  close_end(input_);
  close_end(output_);
  close_end(errors_);
}

bool worker_process::send(const std::string& line) {
  // Shorter than what a pipe holds, so that this never waits; SIGPIPE is ignored.
  const std::string text = line + "\n";
  return ::write(input_, text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

std::vector<std::string> worker_process::lines() {
  std::vector<std::string> whole;
  if (output_ < 0) return whole;
  read_available(output_, unfinished_);
  std::size_t start = 0;
  for (std::size_t end; (end = unfinished_.find('\n', start)) != std::string::npos; start = end + 1)
    whole.push_back(unfinished_.substr(start, end - start));
  unfinished_.erase(0, start);
  return whole;
}

void worker_process::listen_to_errors() {
  if (errors_ < 0) return;
  read_available(errors_, last_words_);
  constexpr std::size_t kept = 2000;
  if (last_words_.size() > kept) last_words_.erase(0, last_words_.size() - kept);
}

bool worker_process::over_memory() const {
  if (memory_ <= 0 || in_group_) return false;
  std::ifstream pages("/proc/" + std::to_string(process_) + "/statm");
  std::int64_t all = 0, resident = 0, shared = 0;
  pages >> all >> resident >> shared;
  return pages && (resident - shared) * ::sysconf(_SC_PAGESIZE) > memory_;
}

void worker_process::kill() {
  if (process_ > 0) ::kill(-process_, SIGKILL);
}

bool worker_process::gone(exit_report& report) {
  if (process_ <= 0) return true;
  siginfo_t ended{};
  const bool asked = ::waitid(P_PID, static_cast<id_t>(process_), &ended, WEXITED | WNOHANG | WNOWAIT) == 0;
  if (asked ? ended.si_pid == 0 : errno == EINTR) return false;
  // What it may have left behind, as long as nobody has asked for its status: then its number may be the
  // group of somebody else.
  if (asked) ::kill(-process_, SIGKILL);
  rusage used{};
  while (::wait4(process_, &report.status, 0, &used) < 0 && errno == EINTR) continue;
  report.memory_peak = std::int64_t{used.ru_maxrss} * 1024;
  process_ = -1;
  return true;
}

std::string signal_name(int signal) {
  const char* const name = ::sigabbrev_np(signal);
  return name == nullptr ? fmt::format("signal {}", signal) : fmt::format("SIG{}", name);
}

}  // namespace sparsmith
