#include "convert/io/hdf5_driver.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <new>
#include <string_view>

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
void tell(int problem) {
  ::H5Epush2(H5E_DEFAULT, __FILE__, __func__, __LINE__, H5E_ERR_CLS, H5E_IO, H5E_READERROR,
             "error message = '%s'", std::strerror(problem));
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

// A collection of the global heap, where texts of variable length are: objects one behind the other, each
// with its number and its size. The one with number 0 is the space that is left, and a size of 0 would not
// move on.
bool is_endless_heap(std::string_view bytes) {
  constexpr std::size_t head = 16;
  if (bytes.size() < head || !bytes.starts_with("GCOL")) return false;
  const auto number = [&](std::size_t at) {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
  };
  const std::uint64_t end = std::min<std::uint64_t>(number(8), bytes.size());
  std::uint64_t at = head;
  while (at + head <= end) {
    const std::uint64_t size = number(at + 8);
    const bool space_left = (number(at) & 0xffff) == 0;
    if (space_left && size == 0) return true;
    if (size > end - at) return false;  // HDF5 notices that itself
    at += space_left ? size : head + (size + 7) / 8 * 8;
  }
  return false;
}

herr_t read(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, std::size_t size, void* to) {
  const open_file& from = *own(file);
  if (address > from.size || size > from.size - address) return -1;
  for (std::size_t done = 0; done < size;) {
    const ssize_t got =
        ::pread(from.descriptor, static_cast<char*>(to) + done, std::min<std::size_t>(size - done, 1u << 30),
                static_cast<off_t>(address + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) tell(errno);
    if (got <= 0) return -1;
    done += static_cast<std::size_t>(got);
  }
  return is_endless_heap({static_cast<const char*>(to), size}) ? -1 : 0;
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
