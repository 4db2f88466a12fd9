// Preloaded into a tool (LD_PRELOAD), this library lets memory run out, writes fail and reads come in crumbs.
// What it does stands in variables; without them it does nothing, and writes into STARVE_REPORT how much of
// each there was to fail.
//
// clang-format off
//   STARVE_ALLOCATION=n     The n-th allocation after the start fails, counted from 1.
//   STARVE_AND_LATER=1      All that follow it do, too.
//   STARVE_WRITE=p          What would write byte p of all that goes into regular files is cut there, counted from 0.
//                           What follows fails with ENOSPC.
//   STARVE_CUT_ONLY=1       What follows goes on: a short write, as a signal or a full pipe may cause.
//   STARVE_CALL=n           The n-th call of those that finish a file (fsync, fdatasync, ftruncate, rename) fails with EIO.
//   STARVE_READ=n           No read gets more than n bytes.
//   STARVE_READ_FAILS=n     The n-th read from a regular file fails with EIO.
//   STARVE_GENERATION=g     All this happens to children of the g-th generation; 0, the program itself, is the default.
//   STARVE_SPARE=NAME       Allocations by libraries with NAME in theirs are left alone.
//   STARVE_LEAKS=1          What was allocated and can no longer be reached at the end is told on standard error.
//   STARVE_TRACE=1          Where it was is told on standard error.
//   STARVE_REPORT=FILE      It gets a line of counts at the end.
// clang-format on
#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

long number_from(const char* name, long otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtol(text, nullptr, 10);
}

struct wishes {
  long allocation = 0, write = -1, call = 0, read = 0, failing_read = 0;
  bool and_later = false, cut_only = false, trace = false, leaks = false;
};
wishes wanted;
bool is_meant = false;  // this process, and not a child of it
// Until the program itself begins, libraries set themselves up, and the standard library takes the memory
// that exceptions are made of when there is none.
std::atomic<bool> armed = false;
std::atomic<long> allocations = 0, written = 0, calls = 0, reads = 0;
char report_path[4096];

void say_where(const char* what) {
  if (!wanted.trace) return;
  const bool before = armed.exchange(false);
  void* frames[40];
  const int depth = ::backtrace(frames, 40);
  std::fprintf(stderr, "starve: %s fails\n", what);
  ::backtrace_symbols_fd(frames, depth, STDERR_FILENO);
  armed = before;
}

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

// Where a library's code lies.
struct code_range {
  const char* name = nullptr;
  std::uintptr_t begin = 0, end = 0;
};
code_range spared;

void find_spared() {
  spared.name = std::getenv("STARVE_SPARE");
  if (spared.name == nullptr) return;
  ::dl_iterate_phdr(
      [](dl_phdr_info* library, std::size_t, void*) {
        if (std::strstr(library->dlpi_name, spared.name) == nullptr) return 0;
        for (int i = 0; i < library->dlpi_phnum; ++i) {
          const auto& part = library->dlpi_phdr[i];
          if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0) continue;
          spared.begin = library->dlpi_addr + part.p_vaddr;
          spared.end = spared.begin + part.p_memsz;
        }
        return 1;
      },
      nullptr);
}

bool allocation_fails(const void* caller) {
  if (!armed) return false;
  const auto from = reinterpret_cast<std::uintptr_t>(caller);
  if (from >= spared.begin && from < spared.end) return false;
  const long now = ++allocations;
  if (wanted.allocation == 0 || now < wanted.allocation || (now > wanted.allocation && !wanted.and_later))
    return false;
  if (now == wanted.allocation) say_where("an allocation");
  errno = ENOMEM;
  return true;
}

// What dlsym allocates while the real functions are looked up; never given back.
alignas(64) char early_memory[1 << 16];
std::atomic<std::size_t> early_used = 0;
bool is_early(const void* memory) {
  return memory >= early_memory && memory < early_memory + sizeof early_memory;
}
void* early(std::size_t bytes) {
  const std::size_t at = early_used.fetch_add((bytes + 63) / 64 * 64);
  return at + bytes <= sizeof early_memory ? early_memory + at : nullptr;
}

struct real_allocator {
  void* (*malloc)(std::size_t) = nullptr;
  void* (*calloc)(std::size_t, std::size_t) = nullptr;
  void* (*realloc)(void*, std::size_t) = nullptr;
  void* (*aligned_alloc)(std::size_t, std::size_t) = nullptr;
  int (*posix_memalign)(void**, std::size_t, std::size_t) = nullptr;
  void (*free)(void*) = nullptr;
};
real_allocator real;
enum { unknown, looking, known };
std::atomic<int> looked_up = unknown;

// Before there are threads: the loader allocates before the program runs.
bool has_real() {
  if (looked_up == known) return true;
  if (looked_up == looking) return false;
  looked_up = looking;
  real = {next<void*(std::size_t)>("malloc"),
          next<void*(std::size_t, std::size_t)>("calloc"),
          next<void*(void*, std::size_t)>("realloc"),
          next<void*(std::size_t, std::size_t)>("aligned_alloc"),
          next<int(void**, std::size_t, std::size_t)>("posix_memalign"),
          next<void(void*)>("free")};
  looked_up = known;
  return true;
}

// ---- who still holds what ----

// A block that was not given back. Its address is kept inverted, so that this table holds none of what it
// lists.
struct block {
  std::uintptr_t inverted = 0;
  std::size_t bytes = 0;
  const void* caller = nullptr;
};
constexpr std::size_t most_blocks = std::size_t{1} << 18;
block blocks[most_blocks];  // open addressing
std::atomic_flag blocks_busy = ATOMIC_FLAG_INIT;
constexpr std::uintptr_t given_back = 1;

class only_one {
 public:
  only_one() {
    while (blocks_busy.test_and_set(std::memory_order_acquire)) {
    }
  }
  ~only_one() { blocks_busy.clear(std::memory_order_release); }
};

std::size_t slot_of(std::uintptr_t inverted) {
  return (inverted >> 4) * 0x9e3779b97f4a7c15u % most_blocks;
}

void* remember(void* memory, std::size_t bytes, const void* caller) {
  if (memory == nullptr || !armed || !wanted.leaks) return memory;
  const only_one here;
  const std::uintptr_t inverted = ~reinterpret_cast<std::uintptr_t>(memory);
  std::size_t at = slot_of(inverted);
  for (std::size_t tries = 0; blocks[at].inverted > given_back; at = (at + 1) % most_blocks)
    if (++tries == most_blocks) std::abort();
  blocks[at] = {inverted, bytes, caller};
  return memory;
}

void forget(const void* memory) {
  if (memory == nullptr || !wanted.leaks) return;
  const only_one here;
  const std::uintptr_t inverted = ~reinterpret_cast<std::uintptr_t>(memory);
  std::size_t tries = 0;
  for (std::size_t at = slot_of(inverted); blocks[at].inverted != 0 && ++tries < most_blocks;
       at = (at + 1) % most_blocks)
    if (blocks[at].inverted == inverted) {
      blocks[at].inverted = given_back;
      return;
    }
}

// Libraries that forget what they hold where an allocation of theirs fails; that is not ours to mend.
bool is_forgetful(const char* library) {
  for (const char* const name :
       {"libhdf5", "libgomp", "libomp", "libarchive", "libcrypto", "libc.so", "ld-linux", "libstarve"})
    if (std::strstr(library, name) != nullptr) return true;
  return false;
}

// All memory that is no heap is looked through for addresses of blocks, then the blocks that were found. The
// heap is in one piece: the caller sees to that with GLIBC_TUNABLES.
void say_leaks() {
  std::size_t count = 0;
  for (const block& one : blocks) count += one.inverted > given_back;
  auto* const live = static_cast<block*>(real.malloc(sizeof(block) * (count + 1)));
  auto* const queue = static_cast<std::size_t*>(real.malloc(sizeof(std::size_t) * (count + 1)));
  auto* const seen = static_cast<char*>(real.calloc(count + 1, 1));
  std::size_t listed = 0, waiting = 0;
  for (const block& one : blocks)
    if (one.inverted > given_back) live[listed++] = {~one.inverted, one.bytes, one.caller};
  std::sort(live, live + count, [](const block& a, const block& b) { return a.inverted < b.inverted; });
  const block* now = nullptr;
  enum : char { unseen, held, lost, led_to };
  const auto look_at = [&](std::uintptr_t from, std::uintptr_t to, char as) {
    for (std::uintptr_t at = (from + 7) / 8 * 8; at + 8 <= to; at += 8) {
      const std::uintptr_t word = *reinterpret_cast<const std::uintptr_t*>(at);
      if (count == 0 || word < live[0].inverted) continue;
      const block* const after = std::upper_bound(
          live, live + count, word, [](std::uintptr_t w, const block& b) { return w < b.inverted; });
      const std::size_t found = static_cast<std::size_t>(after - live) - 1;
      const bool inside = word <= live[found].inverted + live[found].bytes;
      // What was taken for the beginning of a loss may turn out to be led to by another.
      if (inside && as == led_to && seen[found] == lost && &live[found] != now) seen[found] = led_to;
      if (!inside || seen[found] != unseen) continue;
      seen[found] = as;
      queue[waiting++] = found;
    }
  };
  std::FILE* const maps = next<std::FILE*(const char*, const char*)>("fopen")("/proc/self/maps", "r");
  if (maps == nullptr) std::abort();
  static char line[8192];
  const auto here = reinterpret_cast<std::uintptr_t>(&maps);
  while (std::fgets(line, sizeof line, maps) != nullptr) {
    unsigned long from = 0, to = 0;
    char access[8] = {};
    if (std::sscanf(line, "%lx-%lx %7s", &from, &to, access) != 3 || std::strncmp(access, "rw", 2) != 0)
      continue;
    if (std::strstr(line, "[heap]") != nullptr) continue;
    look_at(from <= here && here < to ? here : from, to, held);  // of the stack, what is in use
  }
  while (waiting > 0) {
    const block& one = live[queue[--waiting]];
    look_at(one.inverted, one.inverted + one.bytes, held);
  }
  // Of what is lost only what nothing else that is lost leads to: the rest went with it.
  std::size_t leaks = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (seen[i]) continue;
    seen[i] = lost;
    queue[waiting++] = i;
    while (waiting > 0) {
      now = &live[queue[--waiting]];
      look_at(now->inverted, now->inverted + now->bytes, led_to);
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    Dl_info where{};
    const char* const library =
        ::dladdr(live[i].caller, &where) != 0 && where.dli_fname != nullptr ? where.dli_fname : "?";
    if (seen[i] != lost || is_forgetful(library)) continue;
    if (++leaks <= 20)
      std::fprintf(stderr, "starve: %zu bytes leaked, allocated in %s at 0x%lx\n", live[i].bytes, library,
                   static_cast<unsigned long>(static_cast<const char*>(live[i].caller) -
                                              static_cast<const char*>(where.dli_fbase)));
  }
}

// ---- writes, reads and the rest ----

bool is_regular(int descriptor) {
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

// How many of these bytes may be written now; -1 where the write fails. Standard error is left alone.
ssize_t allowed_to_write(int descriptor, std::size_t bytes) {
  const auto all = static_cast<ssize_t>(bytes);
  if (!armed || bytes == 0 || descriptor == STDERR_FILENO || !is_regular(descriptor)) return all;
  const long position = written;
  if (wanted.write < 0 || wanted.write >= position + all) {
    written += all;
    return all;
  }
  const ssize_t before = std::max(0L, wanted.write - position);
  if (before == 0 && !wanted.cut_only) {
    say_where("a write");
    errno = ENOSPC;
    return -1;
  }
  if (before == 0 || wanted.write < position) {
    written += all;
    return all;
  }
  written += before;
  return before;
}

// A limit on what one read may ask for; 0 where it fails.
std::size_t allowed_to_read(int descriptor, std::size_t bytes) {
  if (!armed || bytes == 0) return bytes;
  if (is_regular(descriptor) && ++reads == wanted.failing_read) {
    say_where("a read");
    errno = EIO;
    return 0;
  }
  return wanted.read > 0 ? std::min<std::size_t>(bytes, static_cast<std::size_t>(wanted.read)) : bytes;
}

bool call_fails(const char* name) {
  if (!armed || ++calls != wanted.call) return false;
  say_where(name);
  errno = EIO;
  return true;
}

__attribute__((constructor)) void begin() {
  has_real();
  const long generation = number_from("STARVE_GENERATION", 0);
  if (generation > 0) {
    ::setenv("STARVE_GENERATION", generation == 2 ? "1" : "0", 1);
    return;
  }
  is_meant = true;
  find_spared();
  wanted.allocation = number_from("STARVE_ALLOCATION", 0);
  wanted.and_later = number_from("STARVE_AND_LATER", 0) != 0;
  wanted.write = number_from("STARVE_WRITE", -1);
  wanted.cut_only = number_from("STARVE_CUT_ONLY", 0) != 0;
  wanted.call = number_from("STARVE_CALL", 0);
  wanted.read = number_from("STARVE_READ", 0);
  wanted.failing_read = number_from("STARVE_READ_FAILS", 0);
  wanted.leaks = number_from("STARVE_LEAKS", 0) != 0;
  wanted.trace = number_from("STARVE_TRACE", 0) != 0;
  if (const char* const path = std::getenv("STARVE_REPORT"))
    std::strncpy(report_path, path, sizeof report_path - 1);
  for (const char* const name : {"STARVE_ALLOCATION", "STARVE_AND_LATER", "STARVE_WRITE", "STARVE_CUT_ONLY",
                                 "STARVE_CALL", "STARVE_READ", "STARVE_READ_FAILS", "STARVE_REPORT"})
    ::unsetenv(name);
}

void write_report() {
  if (!is_meant || report_path[0] == '\0') return;
  char line[200];
  const int length = std::snprintf(line, sizeof line, "%ld %ld %ld %ld\n", allocations.load(), written.load(),
                                   calls.load(), reads.load());
  const int file = ::open(report_path, O_WRONLY | O_CREAT | O_APPEND, 0666);
  if (file < 0 || ::write(file, line, static_cast<std::size_t>(length)) != length) std::abort();
  ::close(file);
}

__attribute__((destructor)) void end() {
  armed = false;
  if (is_meant && wanted.leaks) say_leaks();
  write_report();
}

// Behind stdio's own buffer as behind the others'.
ssize_t write_from_stdio(void* cookie, const char* bytes, std::size_t size) {
  const int descriptor = static_cast<int>(reinterpret_cast<long>(cookie));
  std::size_t done = 0;
  while (done < size) {
    const ssize_t now = ::write(descriptor, bytes + done, size - done);
    if (now <= 0) return static_cast<ssize_t>(done);
    done += static_cast<std::size_t>(now);
  }
  return static_cast<ssize_t>(done);
}
int seek_from_stdio(void* cookie, off64_t* offset, int whence) {
  const off64_t at = ::lseek64(static_cast<int>(reinterpret_cast<long>(cookie)), *offset, whence);
  if (at < 0) return -1;
  *offset = at;
  return 0;
}
int close_from_stdio(void* cookie) {
  return ::close(static_cast<int>(reinterpret_cast<long>(cookie)));
}

// C++'s streams open their files so, but write to the descriptor themselves.
bool is_of_streams(const void* caller) {
  Dl_info where{};
  return ::dladdr(caller, &where) != 0 && where.dli_fname != nullptr &&
         std::strstr(where.dli_fname, "libstdc++") != nullptr;
}

// stdio calls the system from within libc, where nobody can come between; so a file opened for writing gets
// functions.
std::FILE* open_file(const char* name, const char* path, const char* mode, const void* caller) {
  using function = std::FILE*(const char*, const char*);
  if (!armed || mode[0] != 'w' || std::strchr(mode, '+') != nullptr || is_of_streams(caller))
    return next<function>(name)(path, mode);
  const int descriptor = ::open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) return nullptr;
  std::FILE* const file = ::fopencookie(reinterpret_cast<void*>(static_cast<long>(descriptor)), "w",
                                        {nullptr, write_from_stdio, seek_from_stdio, close_from_stdio});
  if (file == nullptr) ::close(descriptor);
  return file;
}

void* new_bytes(std::size_t bytes, std::size_t alignment, const void* caller) {
  if (allocation_fails(caller)) return nullptr;
  void* memory = nullptr;
  if (alignment == 0)
    memory = real.malloc(bytes == 0 ? 1 : bytes);
  else if (real.posix_memalign(&memory, alignment, bytes) != 0)
    return nullptr;
  return remember(memory, bytes, caller);
}
void* new_or_throw(std::size_t bytes, std::size_t alignment, const void* caller) {
  void* const memory = new_bytes(bytes, alignment, caller);
  if (memory == nullptr) {
    if (const std::new_handler told = std::get_new_handler()) told();
    throw std::bad_alloc();
  }
  return memory;
}

}  // namespace

extern "C" {

int __libc_start_main(int (*main)(int, char**, char**), int argc, char** argv, void (*init)(), void (*fini)(),
                      void (*rtld_fini)(), void* stack_end) {
  using function = int(int (*)(int, char**, char**), int, char**, void (*)(), void (*)(), void (*)(), void*);
  auto* const start = next<function>("__libc_start_main");
  armed = is_meant;
  return start(main, argc, argv, init, fini, rtld_fini, stack_end);
}

// Workers end so, with all they hold.
void _Exit(int status) {
  armed = false;
  write_report();
  next<void(int)>("_exit")(status);
  __builtin_unreachable();
}

void* malloc(std::size_t bytes) {
  if (!has_real()) return early(bytes);
  return allocation_fails(__builtin_return_address(0))
             ? nullptr
             : remember(real.malloc(bytes), bytes, __builtin_return_address(0));
}
void* calloc(std::size_t items, std::size_t bytes) {
  if (!has_real()) return early(items * bytes);
  return allocation_fails(__builtin_return_address(0))
             ? nullptr
             : remember(real.calloc(items, bytes), items * bytes, __builtin_return_address(0));
}
void* realloc(void* memory, std::size_t bytes) {
  if (is_early(memory)) {
    void* const moved = std::malloc(bytes);
    if (moved != nullptr)
      std::memcpy(
          moved, memory,
          std::min<std::size_t>(bytes, early_memory + sizeof early_memory - static_cast<char*>(memory)));
    return moved;
  }
  if (allocation_fails(__builtin_return_address(0))) return nullptr;
  forget(memory);
  void* const moved = real.realloc(memory, bytes);  // where it fails, the old block is no longer watched
  return remember(moved, bytes, __builtin_return_address(0));
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  return allocation_fails(__builtin_return_address(0))
             ? nullptr
             : remember(real.aligned_alloc(alignment, bytes), bytes, __builtin_return_address(0));
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) {
  if (allocation_fails(__builtin_return_address(0))) return ENOMEM;
  const int problem = real.posix_memalign(memory, alignment, bytes);
  if (problem == 0) remember(*memory, bytes, __builtin_return_address(0));
  return problem;
}
// So that its caller counts as the one who allocates, and not libc.
char* strdup(const char* text) {
  const std::size_t bytes = std::strlen(text) + 1;
  if (allocation_fails(__builtin_return_address(0))) return nullptr;
  void* const copy = remember(real.malloc(bytes), bytes, __builtin_return_address(0));
  return copy == nullptr ? nullptr : static_cast<char*>(std::memcpy(copy, text, bytes));
}
void free(void* memory) {
  if (is_early(memory) || !has_real()) return;
  forget(memory);
  real.free(memory);
}

ssize_t write(int descriptor, const void* bytes, std::size_t size) {
  static auto* const real_write = next<ssize_t(int, const void*, std::size_t)>("write");
  const ssize_t allowed = allowed_to_write(descriptor, size);
  return allowed < 0 ? -1 : real_write(descriptor, bytes, static_cast<std::size_t>(allowed));
}
ssize_t writev(int descriptor, const iovec* parts, int count) {
  static auto* const real_writev = next<ssize_t(int, const iovec*, int)>("writev");
  if (!armed) return real_writev(descriptor, parts, count);
  for (int i = 0; i < count; ++i)  // the first that has something: the caller sees a short write
    if (parts[i].iov_len > 0) return ::write(descriptor, parts[i].iov_base, parts[i].iov_len);
  return 0;
}
ssize_t pwrite64(int descriptor, const void* bytes, std::size_t size, off64_t offset) {
  static auto* const real_write = next<ssize_t(int, const void*, std::size_t, off64_t)>("pwrite64");
  const ssize_t allowed = allowed_to_write(descriptor, size);
  return allowed < 0 ? -1 : real_write(descriptor, bytes, static_cast<std::size_t>(allowed), offset);
}
ssize_t pwrite(int descriptor, const void* bytes, std::size_t size, off_t offset) {
  return ::pwrite64(descriptor, bytes, size, offset);
}

ssize_t read(int descriptor, void* bytes, std::size_t size) {
  static auto* const real_read = next<ssize_t(int, void*, std::size_t)>("read");
  const std::size_t allowed = allowed_to_read(descriptor, size);
  return allowed == 0 && size > 0 ? -1 : real_read(descriptor, bytes, allowed);
}
ssize_t readv(int descriptor, const iovec* parts, int count) {
  static auto* const real_readv = next<ssize_t(int, const iovec*, int)>("readv");
  if (!armed) return real_readv(descriptor, parts, count);
  for (int i = 0; i < count; ++i)
    if (parts[i].iov_len > 0) return ::read(descriptor, parts[i].iov_base, parts[i].iov_len);
  return 0;
}
ssize_t pread64(int descriptor, void* bytes, std::size_t size, off64_t offset) {
  static auto* const real_read = next<ssize_t(int, void*, std::size_t, off64_t)>("pread64");
  const std::size_t allowed = allowed_to_read(descriptor, size);
  return allowed == 0 && size > 0 ? -1 : real_read(descriptor, bytes, allowed, offset);
}
ssize_t pread(int descriptor, void* bytes, std::size_t size, off_t offset) {
  return ::pread64(descriptor, bytes, size, offset);
}

int fsync(int descriptor) {
  return call_fails("fsync") ? -1 : next<int(int)>("fsync")(descriptor);
}
int fdatasync(int descriptor) {
  return call_fails("fdatasync") ? -1 : next<int(int)>("fdatasync")(descriptor);
}
int ftruncate64(int descriptor, off64_t bytes) {
  return call_fails("ftruncate") ? -1 : next<int(int, off64_t)>("ftruncate64")(descriptor, bytes);
}
int ftruncate(int descriptor, off_t bytes) {
  return ::ftruncate64(descriptor, bytes);
}
int rename(const char* from, const char* to) {
  return call_fails("rename") ? -1 : next<int(const char*, const char*)>("rename")(from, to);
}

std::FILE* fopen(const char* path, const char* mode) {
  return open_file("fopen", path, mode, __builtin_return_address(0));
}
std::FILE* fopen64(const char* path, const char* mode) {
  return open_file("fopen64", path, mode, __builtin_return_address(0));
}

}  // extern "C"

// The standard library's would do, but then it would be the caller of malloc, whoever wanted the memory.
void* operator new(std::size_t bytes) {
  return new_or_throw(bytes, 0, __builtin_return_address(0));
}
void* operator new[](std::size_t bytes) {
  return new_or_throw(bytes, 0, __builtin_return_address(0));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return new_bytes(bytes, 0, __builtin_return_address(0));
}
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
  return new_bytes(bytes, 0, __builtin_return_address(0));
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return new_or_throw(bytes, static_cast<std::size_t>(alignment), __builtin_return_address(0));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return new_or_throw(bytes, static_cast<std::size_t>(alignment), __builtin_return_address(0));
}
