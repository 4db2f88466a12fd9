#include "convert/io/write.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <streambuf>
#include <string_view>
#include <vector>

#include "convert/error.hpp"
#include "convert/formats/properties.hpp"
#include "convert/io/binsparse.hpp"
#include "convert/io/container.hpp"
#include "convert/io/gzip.hpp"
#include "convert/io/matrix_market.hpp"
#include "convert/io/npz.hpp"

namespace sparsmith {
namespace {

struct container_entry {
  container kind;
  const char* name;
  const char* extension;
};
// The order matters: .bsp.h5 also ends in .h5.
constexpr std::array<container_entry, 5> containers = {{{container::matrix_market, "mtx", ".mtx"},
                                                        {container::matrix_market, "mtx", ".mtx.gz"},
                                                        {container::npz, "npz", ".npz"},
                                                        {container::binsparse, "binsparse", ".bsp.h5"},
                                                        {container::sparsmith, "sparsmith", ".h5"}}};

// Whichever case the path is in; the extension is in lower case.
bool has_extension(const std::string& path, std::string_view extension) {
  return path.size() >= extension.size() &&
         std::equal(extension.rbegin(), extension.rend(), path.rbegin(),
                    [](char wanted, char c) { return wanted == (c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); });
}

[[noreturn]] void fail(const std::string& path, int code) {
  throw error(failure::output, fmt::format("{}: could not write: {}", path, std::strerror(code)));
}

}  // namespace

// An output's note for signal handlers, which may only touch plain memory and atomics without locks, and
// unlink. The list of them only grows, so that it can be walked at any moment; a note that is not in use is
// taken by the next output.
struct output_in_progress {
  enum : int {
    unused,
    taken,  // the file is being made, by a thread that takes no signals meanwhile
    armed,
    removed
  };
  std::atomic<int> now = taken;
  std::string temporary;  // changes only while `taken`
  output_in_progress* next = nullptr;

  bool change(int from, int to) { return now.compare_exchange_strong(from, to); }
};

namespace {

static_assert(std::atomic<int>::is_always_lock_free && std::atomic<output_in_progress*>::is_always_lock_free);
static_assert(std::atomic<bool>::is_always_lock_free);
std::atomic<output_in_progress*> outputs = nullptr;
// The process ends and its outputs are being removed: what is made from now on would stay.
std::atomic<bool> ending = false;

class no_signals {
 public:
  no_signals() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  ~no_signals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  no_signals(const no_signals&) = delete;
  no_signals& operator=(const no_signals&) = delete;

 private:
  sigset_t before_;
};

output_in_progress& take_note() {
  for (output_in_progress* note = outputs; note != nullptr; note = note->next)
    if (note->change(output_in_progress::unused, output_in_progress::taken)) return *note;
  auto* const note = new output_in_progress;
  note->next = outputs;
  while (!outputs.compare_exchange_weak(note->next, note)) {
  }
  return *note;
}

}  // namespace

// Whoever changes `armed` removes the file or lets it be: it is never done by a handler while the name
// changes.
void remove_partial_outputs() {
  constexpr int longest_wait_ms = 2000;  // for a file system that does not answer
  ending = true;
  for (output_in_progress* note = outputs; note != nullptr; note = note->next) {
    // One that is taken is another thread's: its own would not be here.
    for (int ms = 0; note->now == output_in_progress::taken && ms < longest_wait_ms; ++ms)
      ::poll(nullptr, 0, 1);
    if (note->change(output_in_progress::armed, output_in_progress::removed))
      ::unlink(note->temporary.c_str());
  }
}

namespace {

void remove_and_die(int signal) {
  remove_partial_outputs();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

// What the name of a temporary file ends with: the processes among which its writer is found by its number,
// that number, and what mkstemp fills in.
std::string mark_of_processes() {
  std::array<char, 256> host{}, processes{};
  ::gethostname(host.data(), host.size() - 1);
  if (::readlink("/proc/self/ns/pid", processes.data(), processes.size() - 1) < 0) processes[0] = '\0';
  // Machines are often named alike, and their first processes' numbers are always the same.
  std::string machine;
  std::getline(std::ifstream("/etc/machine-id"), machine);
  const std::size_t hash = std::hash<std::string_view>{}(machine + host.data() + processes.data());
  return fmt::format(".partial-{:x}-", hash % (std::size_t{1} << 32));
}

// What the temporary's name begins with: the output's, as much of it as leaves room for the rest.
std::string beginning_of_temporary(const std::filesystem::path& output, const std::string& mark) {
  constexpr std::size_t longest_name = 255, number_and_filling = 10 + 7;
  std::string name = output.filename().string();
  std::size_t kept = std::min(name.size(), longest_name - mark.size() - number_and_filling);
  // Some file systems take no half characters of UTF-8.
  while (kept > 0 && kept < name.size() && (static_cast<unsigned char>(name[kept]) & 0xc0) == 0x80) --kept;
  name.resize(kept);
  return name + mark;
}

// Whoever was killed with SIGKILL, or lost power, could not remove what it had begun. In a folder of very
// many files it stays: to list them all would take longer than most outputs do.
void remove_leftovers(const std::filesystem::path& output, const std::string& mark) {
  constexpr int most_entries = 10'000;
  const std::string begins = beginning_of_temporary(output, mark);
  const std::filesystem::path folder = output.has_parent_path() ? output.parent_path() : ".";
  // Not std::filesystem's: it ends the process where it has no memory for a name.
  const std::unique_ptr<DIR, int (*)(DIR*)> opened(::opendir(folder.c_str()), ::closedir);
  std::vector<std::string> left;
  for (int seen = 0; opened != nullptr && seen < most_entries; ++seen) {
    const dirent* const entry = ::readdir(opened.get());
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (!name.starts_with(begins)) continue;
    const long writer = std::strtol(entry->d_name + begins.size(), nullptr, 10);
    if (writer > 0 && ::kill(static_cast<pid_t>(writer), 0) != 0 && errno == ESRCH)
      left.push_back(fmt::format("{}/{}", folder.native(), name));
  }
  for (const std::string& file : left) ::unlink(file.c_str());
}

// Writes to a file descriptor, and reports what went wrong instead of only that something did.
class descriptor_writer {
 public:
  descriptor_writer(int descriptor, std::string path, const progress_callback& progress)
      : descriptor_(descriptor), path_(std::move(path)), progress_(progress) {}

  void write(const char* bytes, std::size_t size) {
    while (size > 0) {
      const ssize_t written = ::write(descriptor_, bytes, size);
      if (written < 0) {
        if (errno == EINTR) continue;
        fail(path_, errno);
      }
      bytes += written;
      size -= static_cast<std::size_t>(written);
      total_ += written;
    }
    if (progress_) progress_(total_, 0);
  }

 private:
  int descriptor_;
  std::string path_;
  const progress_callback& progress_;
  std::int64_t total_ = 0;
};

// The file beside the target, or standard output, open for writing.
struct opened_output {
  explicit opened_output(const output_file& file)
      : descriptor(file.is_standard_output()
                       ? STDOUT_FILENO
                       : ::open(file.temporary_path().c_str(), O_WRONLY | O_TRUNC | O_NOFOLLOW | O_CLOEXEC)) {
    if (descriptor < 0) fail(file.path(), errno);
  }
  opened_output(const opened_output&) = delete;
  ~opened_output() {
    if (descriptor != STDOUT_FILENO) ::close(descriptor);
  }

  int descriptor;
};

// What a stream writes, collected and handed on in large portions.
class stream_buffer : public std::streambuf {
 public:
  explicit stream_buffer(byte_writer to) : to_(std::move(to)), buffer_(std::size_t{1} << 20, '\0') {
    setp(buffer_.data(), buffer_.data() + buffer_.size());
  }

 protected:
  int overflow(int c) override {
    flush();
    if (c != traits_type::eof()) sputc(static_cast<char>(c));
    return 0;
  }
  int sync() override {
    flush();
    return 0;
  }
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    if (size > epptr() - pptr()) flush();
    if (size > epptr() - pptr()) {
      to_(text, static_cast<std::size_t>(size));
    } else {
      std::memcpy(pptr(), text, static_cast<std::size_t>(size));
      pbump(static_cast<int>(size));
    }
    return size;
  }

 private:
  void flush() {
    to_(pbase(), static_cast<std::size_t>(pptr() - pbase()));
    setp(buffer_.data(), buffer_.data() + buffer_.size());
  }

  byte_writer to_;
  std::string buffer_;
};

template <class Value>
void write_text(output_file& file, const coo<Value, host>& entries, const matrix_kind& source,
                const progress_callback& progress) {
  const opened_output opened(file);
  descriptor_writer target(opened.descriptor, file.is_standard_output() ? "standard output" : file.path(),
                           progress);
  const byte_writer plain = [&](const char* bytes, std::size_t size) { target.write(bytes, size); };
  std::optional<gzip_writer> gzip;
  if (file.is_gzip()) gzip.emplace(plain);
  const byte_writer packed = [&](const char* bytes, std::size_t size) { gzip->write(bytes, size); };
  stream_buffer buffer(gzip ? packed : plain);
  std::ostream out(&buffer);
  out.exceptions(std::ios::badbit);  // passes our own exception on
  write_matrix_market(out, entries, source);
  out.flush();
  if (gzip) gzip->finish();
}

}  // namespace

container container_for(const std::string& path) {
  if (path == "-") return container::matrix_market;
  for (const auto& entry : containers)
    if (has_extension(path, entry.extension)) return entry.kind;
  throw error(
      failure::usage,
      fmt::format("{}: the extension names no container (.mtx, .mtx.gz, .npz, .bsp.h5 or .h5); name one",
                  path),
      "container");
}

container container_named(const std::string& name) {
  for (const auto& entry : containers)
    if (name == entry.name) return entry.kind;
  throw error(failure::usage,
              fmt::format("unknown container \"{}\" (mtx, npz, binsparse or sparsmith)", name));
}

const char* name_of(container kind) {
  for (const auto& entry : containers)
    if (kind == entry.kind) return entry.name;
  return "unknown";
}

bool can_hold(container kind, format_kind format) {
  if (kind == container::npz) return properties_of(format).in_npz;
  if (kind == container::binsparse) return properties_of(format).in_binsparse;
  return true;
}

output_file::output_file(const std::string& path) : path_(path), gzip_(has_extension(path, ".gz")) {
  if (path == "-") return;
  struct stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  // The temporary's name is cut and would do; the last rename would not.
  if (!exists && errno == ENAMETOOLONG)
    throw error(failure::output, fmt::format("{}: could not create: {}", path, std::strerror(ENAMETOOLONG)));
  std::error_code problem_with_link;
  const bool is_link = std::filesystem::is_symlink(path, problem_with_link);
  // Whoever made it meant a file; to replace the link instead would be neither what he nor the caller wants.
  if (is_link && !exists)
    throw error(failure::output, fmt::format("{}: is a symbolic link that leads nowhere", path));
  // Links of the system, such as /dev/stdout, lead to files that others have open.
  const bool of_system = is_link && (path.starts_with("/dev/") || path.starts_with("/proc/"));
  if ((exists && !S_ISREG(status.st_mode)) || of_system)
    throw error(failure::output, fmt::format("{}: is not a regular file", path));
  if (is_link) path_ = std::filesystem::canonical(path).string();  // what it leads to is replaced
  const std::string mark = mark_of_processes();
  remove_leftovers(path_, mark);
  // All memory is taken before the note, which nobody would give back.
  // The path is put together by hand: libstdc++ 12's replace_filename crashes where it has no memory.
  temporary_ = fmt::format("{}{}{}-XXXXXX", path_.substr(0, path_.rfind('/') + 1),
                           beginning_of_temporary(path_, mark), ::getpid());
  std::string name = temporary_;
  int descriptor = -1, problem = EINTR;
  {
    const no_signals between_file_and_note;
    noted_ = &take_note();
    noted_->temporary.swap(name);
    if (!ending) {
      descriptor = ::mkstemp(noted_->temporary.data());
      problem = errno;
      std::copy(noted_->temporary.begin(), noted_->temporary.end(), temporary_.begin());
    }
    noted_->now = descriptor >= 0 ? output_in_progress::armed : output_in_progress::unused;
  }
  if (descriptor < 0)
    throw error(failure::output, fmt::format("{}: could not create: {}", path, std::strerror(problem)));
  // mkstemp makes a private file; the result should look like any other the user creates.
  const mode_t mask = ::umask(0);
  ::umask(mask);
  ::fchmod(descriptor, 0666 & ~mask);
  ::close(descriptor);
}

output_file::~output_file() {
  if (temporary_.empty() || committed_) return;
  ::unlink(temporary_.c_str());
  noted_->change(output_in_progress::armed, output_in_progress::unused);
}

void output_file::write(std::string_view content) {
  const opened_output opened(*this);
  descriptor_writer(opened.descriptor, path_, {}).write(content.data(), content.size());
}

void output_file::commit() {
  if (temporary_.empty()) return;
  const int descriptor = ::open(temporary_.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) fail(path_, errno);
  const int synced = ::fsync(descriptor) == 0 ? 0 : errno;
  ::close(descriptor);
  if (synced != 0) fail(path_, synced);
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail(path_, errno);
  committed_ = true;
  noted_->change(output_in_progress::armed, output_in_progress::unused);
}

void remove_output_on_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU}) {
    // What was ignored on purpose stays so: nohup ignores SIGHUP.
    if (std::signal(signal, remove_and_die) == SIG_IGN) std::signal(signal, SIG_IGN);
  }
  // Libraries may end the process themselves: OpenMP does when it cannot start a thread.
  std::atexit(remove_partial_outputs);
  std::at_quick_exit(remove_partial_outputs);  // out of memory where nothing can be thrown
  // A file-size limit then shows up as a failed write, which is reported, instead of killing the process.
  std::signal(SIGXFSZ, SIG_IGN);
}

template <class Offset, class Value>
void write_matrix(output_file& file, container kind, const any_format<Offset, Value, host>& matrix,
                  const matrix_kind& source, const progress_callback& progress) {
  const auto write = [&] {
    switch (kind) {
      case container::sparsmith:
        return write_container(file.temporary_path(), matrix);
      case container::binsparse:
        return write_binsparse(file.temporary_path(), matrix);
      case container::npz:
        // Stored, not compressed: SciPy opens either, and deflating takes ten times as long as everything
        // else.
        return write_npz(file.temporary_path(), matrix, false);
      case container::matrix_market:
        if (const auto* const list = std::get_if<coo<Value, host>>(&matrix))
          return write_text(file, *list, source, progress);
    }
    throw error(failure::usage,
                fmt::format("a {} file cannot hold {}", name_of(kind), format_names()[matrix.index()]));
  };
  try {
    write();
  } catch (const error& problem) {
    // The user knows the file by the name given, not by that of the temporary beside it.
    std::string message = problem.what();
    const std::string& temporary = file.temporary_path();
    if (!temporary.empty() && message.rfind(temporary, 0) == 0)
      message.replace(0, temporary.size(), file.path());
    throw error(problem.category(), message, problem.quantity());
  }
}

template void write_matrix(output_file&, container, const any_format<std::int32_t, float, host>&,
                           const matrix_kind&, const progress_callback&);
template void write_matrix(output_file&, container, const any_format<std::int64_t, float, host>&,
                           const matrix_kind&, const progress_callback&);
template void write_matrix(output_file&, container, const any_format<std::int32_t, double, host>&,
                           const matrix_kind&, const progress_callback&);
template void write_matrix(output_file&, container, const any_format<std::int64_t, double, host>&,
                           const matrix_kind&, const progress_callback&);
template void write_matrix(output_file&, container, const any_format<std::int32_t, complex64, host>&,
                           const matrix_kind&, const progress_callback&);
template void write_matrix(output_file&, container, const any_format<std::int64_t, complex64, host>&,
                           const matrix_kind&, const progress_callback&);
template void write_matrix(output_file&, container, const any_format<std::int32_t, complex128, host>&,
                           const matrix_kind&, const progress_callback&);
template void write_matrix(output_file&, container, const any_format<std::int64_t, complex128, host>&,
                           const matrix_kind&, const progress_callback&);

}  // namespace sparsmith
