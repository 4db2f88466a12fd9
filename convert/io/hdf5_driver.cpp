#include "convert/io/hdf5_driver.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <new>

namespace sparsmith::hdf5 {
namespace {

// HDF5 takes it for the H5FD_t it begins with.
struct open_file : H5FD_t {
  int descriptor = -1;
  haddr_t size = 0;        // of the file
  haddr_t end_in_use = 0;  // as HDF5 says
};

open_file* own(H5FD_t* file) {
  return static_cast<open_file*>(file);
}
const open_file* own(const H5FD_t* file) {
  return static_cast<const open_file*>(file);
}

// For who asks HDF5 why; in its own words, which hdf5_file.cpp looks for.
void tell(const char* problem) {
  ::H5Epush2(H5E_DEFAULT, __FILE__, __func__, __LINE__, H5E_ERR_CLS, H5E_IO, H5E_READERROR,
             "error message = '%s'", problem);
}
void tell(int problem) {
  tell(std::strerror(problem));
}

H5FD_t* open(const char* name, unsigned, hid_t, haddr_t) {
  const int descriptor = ::open(name, O_RDONLY | O_CLOEXEC);
  struct stat status {};
  if (descriptor < 0 || ::fstat(descriptor, &status) != 0) {
    tell(errno);
    if (descriptor >= 0) ::close(descriptor);
    return nullptr;
  }
  auto* const file = new (std::nothrow) open_file{};
  if (file == nullptr) {
    ::close(descriptor);
    return nullptr;
  }
  file->descriptor = descriptor;
  file->size = static_cast<haddr_t>(status.st_size);
  return file;
}

herr_t close(H5FD_t* file) {
  const int status = ::close(own(file)->descriptor);
  delete own(file);
  return status == 0 ? 0 : -1;
}

herr_t query(const H5FD_t*, unsigned long* features) {
  *features = H5FD_FEAT_DATA_SIEVE;  // small parts of an array are read together
  return 0;
}

haddr_t end_in_use(const H5FD_t* file, H5FD_mem_t) {
  return own(file)->end_in_use;
}
herr_t set_end_in_use(H5FD_t* file, H5FD_mem_t, haddr_t end) {
  own(file)->end_in_use = end;
  return 0;
}
haddr_t end_of_file(const H5FD_t* file, H5FD_mem_t) {
  return own(file)->size;
}

bool read_at(const open_file& from, haddr_t address, std::size_t size, void* to) {
  for (std::size_t done = 0; done < size;) {
    const ssize_t got =
        ::pread(from.descriptor, static_cast<char*>(to) + done, std::min<std::size_t>(size - done, 1u << 30),
                static_cast<off_t>(address + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) tell(errno);
    if (got <= 0) return false;
    done += static_cast<std::size_t>(got);
  }
  return true;
}

// A collection of the global heap, where texts of variable length are: objects one behind the other, each
// with its number and its size. The one with number 0 is the space that is left. HDF5 1.10 adds up the sizes
// unchecked: one of 0 does not move on, one that wraps moves back, and one beyond the end is read all the
// same. HDF5 asks for the first 4096 bytes and later for the rest, so the whole is looked at here, a portion
// at a time. It calls both raw data, as it does arrays, and so these are known by how they begin.
bool is_sound_heap(const open_file& from, haddr_t address, const char* start, std::size_t size) {
  constexpr std::uint64_t head = 16, smallest = 4096;
  const auto number = [](const char* at) {
    std::uint64_t value = 0;
    std::memcpy(&value, at, sizeof value);
    return value;
  };
  if (size < head || std::memcmp(start, "GCOL\1", 5) != 0) return true;
  const std::uint64_t room = from.size - address;
  std::uint64_t end = number(start + 8);
  // In a file with lengths of 4 bytes the other 4 mean nothing.
  if (end > room) end &= 0xffffffff;
  if (end < smallest || end > room) return true;  // HDF5 notices that itself, or it is none
  char portion[1 << 14];
  std::uint64_t held_from = 0, held = 0;
  for (std::uint64_t at = head; at + head <= end;) {
    if (at < held_from || at + head > held_from + held) {
      held_from = at;
      held = std::min<std::uint64_t>(sizeof portion, end - at);
      if (!read_at(from, address + at, held, portion)) return false;
    }
    const char* const object = portion + (at - held_from);
    const std::uint64_t bytes = number(object + 8);
    const bool space_left = (number(object) & 0xffff) == 0;
    const std::uint64_t most = end - at - (space_left ? 0 : head);
    if (bytes > most || (space_left && bytes == 0)) {
      tell("its global heap contradicts itself");
      return false;
    }
    at += space_left ? bytes : head + (bytes + 7) / 8 * 8;
  }
  return true;
}

herr_t read(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, std::size_t size, void* to) {
  const open_file& from = *own(file);
  if (address > from.size || size > from.size - address) {
    tell("the file names a place beyond its end");
    return -1;
  }
  if (!read_at(from, address, size, to)) return -1;
  return is_sound_heap(from, address, static_cast<const char*>(to), size) ? 0 : -1;
}

// As HDF5's own driver does: whoever has the file open for writing holds it alone. Not all file systems can
// tell.
herr_t lock(H5FD_t* file, hbool_t) {
  if (::flock(own(file)->descriptor, LOCK_SH | LOCK_NB) == 0 || errno == ENOSYS || errno == EOPNOTSUPP)
    return 0;
  if (errno == EWOULDBLOCK)
    tell("another program has it open for writing");
  else
    tell(errno);
  return -1;
}
herr_t unlock(H5FD_t* file) {
  const bool done = ::flock(own(file)->descriptor, LOCK_UN) == 0 || errno == ENOSYS || errno == EOPNOTSUPP;
  return done ? 0 : -1;
}

herr_t write(H5FD_t*, H5FD_mem_t, hid_t, haddr_t, std::size_t, const void*) {
  return -1;  // files are opened for reading alone
}

H5FD_class_t driver() {
  H5FD_class_t made{};
#if H5_VERSION_GE(1, 13, 2)
  made.version = H5FD_CLASS_VERSION;
  made.value = static_cast<H5FD_class_value_t>(511);  // of those that are left to drivers of others
#endif
  made.name = "sparsmith_read";
  made.maxaddr = ~haddr_t{0} >> 1;
  made.fc_degree = H5F_CLOSE_STRONG;
  made.open = open;
  made.close = close;
  made.query = query;
  made.get_eoa = end_in_use;
  made.set_eoa = set_end_in_use;
  made.get_eof = end_of_file;
  made.read = read;
  made.write = write;
  made.lock = lock;
  made.unlock = unlock;
  const H5FD_mem_t map[] = H5FD_FLMAP_DICHOTOMY;
  std::copy(std::begin(map), std::end(map), made.fl_map);
  return made;
}

}  // namespace

hid_t reading_driver() {
  static const H5FD_class_t described = driver();
  static const hid_t registered = ::H5FDregister(&described);
  return registered;
}

}  // namespace sparsmith::hdf5
