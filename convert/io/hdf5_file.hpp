// A thin layer over HDF5: handles that close themselves, and a file's attributes and arrays. Files are
// written with the checksummed structures of HDF5 1.8 and without time stamps: a flipped byte that matters is
// found, and the same matrix gives the same file. What is read or written is told by its type at run time, so
// that nothing here is compiled once a format.
#pragma once

#include <hdf5.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "convert/formats/complex.hpp"

namespace sparsmith::hdf5 {

static_assert(std::endian::native == std::endian::little, "arrays are written as they lie in memory");

// The type of an element in the file, which is also the one in memory: both are little-endian.
enum class stored_type { int32, int64, uint16, uint32, uint64, float32, float64, complex64, complex128 };

template <class T>
constexpr stored_type stored_type_of() {
  if constexpr (std::is_same_v<T, std::int32_t>) return stored_type::int32;
  if constexpr (std::is_same_v<T, std::int64_t>) return stored_type::int64;
  if constexpr (std::is_same_v<T, std::uint16_t>) return stored_type::uint16;
  if constexpr (std::is_same_v<T, std::uint32_t>) return stored_type::uint32;
  if constexpr (std::is_same_v<T, std::uint64_t>) return stored_type::uint64;
  if constexpr (std::is_same_v<T, float>) return stored_type::float32;
  if constexpr (std::is_same_v<T, double>) return stored_type::float64;
  if constexpr (std::is_same_v<T, complex64>) return stored_type::complex64;
  if constexpr (std::is_same_v<T, complex128>) return stored_type::complex128;
}

// "int32": what descriptions call it.
const char* name_of(stored_type type);
std::int64_t bytes_of(stored_type type);

class handle {
 public:
  handle() = default;
  handle(hid_t id, herr_t (*closer)(hid_t)) : id_(id), close_(closer) {}
  handle(handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  handle& operator=(handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~handle() { close(); }

  explicit operator bool() const { return id_ >= 0; }
  hid_t get() const { return id_; }
  bool close() { return id_ < 0 || close_(std::exchange(id_, -1)) >= 0; }

 private:
  hid_t id_ = -1;
  herr_t (*close_)(hid_t) = nullptr;
};

// HDF5 prints its error stack to stderr unless told otherwise; who else uses HDF5 in the process keeps that.
// It also keeps a file that it could not close, as on a full disk, and stumbles over it in its exit handler.
// All our files are closed before that, so it goes without the handler.
class silence {
 public:
  silence();
  ~silence();
  silence(const silence&) = delete;
  silence& operator=(const silence&) = delete;

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

// A new file. Whatever fails is an `error` of failure::output.
class output {
 public:
  explicit output(const std::string& path);

  void put_array(const char* name, stored_type type, const void* data, std::int64_t length);
  void put_text(const char* name, const std::string& text);
  void close();

 private:
  template <class Status>
  Status require(Status status) const {
    if (status < 0) failed();
    return status;
  }
  [[noreturn]] void failed() const;

  std::string path_;
  silence quiet_;
  handle file_;
};

// An array of a file.
struct dataset {
  handle id;
  std::vector<std::int64_t> extents;
  std::int64_t length = 0;  // the product of them
  H5T_class_t kind = H5T_NO_CLASS;
  std::size_t element_bytes = 0;
  bool is_signed = false;
  bool contiguous = false;  // then its length has been compared with the size of the file
};

struct rectangle {
  std::int64_t line = 0, lines = 0, first = 0, count = 0;  // of each line
};

enum class member_kind { group, array, other };
struct member {
  std::string name;
  member_kind kind = member_kind::other;
};

// A file that is read. Whatever is wrong with it is an `error` of failure::input. Only what lies in the file
// itself is read: links to other files or by name, arrays in other files and virtual ones are refused.
class input {
 public:
  explicit input(const std::string& path);

  const std::string& path() const { return path_; }
  handle root() const;
  // The root or, failing that, the first group below it that carries the attribute.
  std::optional<handle> group_with(const char* attribute) const;
  bool has_attribute(const handle& group, const char* name) const;
  std::string text(const handle& group, const char* name) const;

  // Integers of an attribute, at most 16.
  std::vector<std::int64_t> integers(const handle& object, const char* name) const;

  // What lies in a group by hard links, in the order of the names.
  std::vector<member> members(const handle& group) const;
  handle open_group(const handle& parent, const char* name) const;

  // Opens an array, or nothing where there is none of that name. One of another number of dimensions is
  // refused, unless any will do.
  static constexpr std::size_t any_dimensions = 0;
  std::optional<dataset> open(const handle& group, const char* name, std::size_t dimensions = 1) const;
  bool has_type(const dataset& set, stored_type type) const;
  // Whether an element is a pair of numbers of one type of floating point: h5py's and MATLAB's way.
  bool is_complex(const dataset& set) const;

  // Some elements of an array, or all of them, converted to a type by HDF5: pairs to complex numbers,
  // whatever their members are called.
  void read_part(const dataset& set, const char* name, std::int64_t first, std::int64_t count,
                 stored_type type, void* to) const;
  void read_all(const dataset& set, const char* name, stored_type type, void* to) const;
  // A rectangle of an array of two dimensions, line by line.
  void read_rectangle(const dataset& set, const char* name, const rectangle& part, stored_type type,
                      void* to) const;

  // Calls visit(position, element) for every element, converted to T, a part of the array at a time.
  template <class T, class Visit>
  void for_each(const dataset& set, const char* name, Visit visit) const {
    constexpr std::int64_t most = 1 << 20;
    std::vector<T> part(static_cast<std::size_t>(std::min(set.length, most)));
    for (std::int64_t first = 0; first < set.length; first += most) {
      const std::int64_t count = std::min(most, set.length - first);
      read_part(set, name, first, count, stored_type_of<T>(), part.data());
      for (std::int64_t i = 0; i < count; ++i) visit(first + i, part[static_cast<std::size_t>(i)]);
    }
  }

 private:
  template <class Status>
  Status require(Status status, const char* what) const {
    if (status < 0) failed(what);
    return status;
  }
  std::vector<std::string> names_in(const handle& group) const;
  void require_here(const handle& group, const char* what, const char* name) const;
  [[noreturn]] void failed(const char* what) const;

  std::string path_;
  silence quiet_;
  handle file_;
  std::uint64_t bytes_ = 0;
};

}  // namespace sparsmith::hdf5
