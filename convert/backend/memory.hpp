// Where arrays live. `array<T, Space>` owns uninitialised memory and only moves; `array_view<T>` points at it
// and goes to kernels by value. Both are plain pointers inside, because Thrust's own containers may not cross
// the border between objects compiled by g++ and by nvcc.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#ifdef __CUDACC__
#define SPARSMITH_HOST_DEVICE __host__ __device__
#else
#define SPARSMITH_HOST_DEVICE
#endif

namespace sparsmith {

enum class place { host, device };

// Untyped memory of a place; null for 0 bytes only. Sizes are checked against the memory at hand before
// anything is allocated; a request that does not fit is refused with both figures (failure::resources), and
// so is one that is no size at all: a negative one, or items whose bytes 64 bits do not count.
void* allocate(place where, std::int64_t bytes);
void* allocate_items(place where, std::int64_t items, std::int64_t item_bytes);
void release(place where, void* memory, std::int64_t bytes) noexcept;
void copy_bytes(place to, void* target, place from, const void* source, std::int64_t bytes);
// The same beside what a GPU is working on, which copy_bytes waits for: it must be done with the source, and
// not know the target.
void copy_bytes_beside(place to, void* target, place from, const void* source, std::int64_t bytes);

// Bytes a new allocation may use now, and the largest total held at once since the last reset.
std::int64_t available_bytes(place where);
std::int64_t peak_bytes(place where);
void reset_peak_bytes(place where);

// "1.5 GiB": for messages and summaries.
std::string format_bytes(std::int64_t bytes);

template <class T>
class array_view {
 public:
  array_view() = default;
  SPARSMITH_HOST_DEVICE array_view(T* first, std::int64_t size) : first_(first), size_(size) {}
  SPARSMITH_HOST_DEVICE T* data() const { return first_; }
  SPARSMITH_HOST_DEVICE std::int64_t size() const { return size_; }
  SPARSMITH_HOST_DEVICE T& operator[](std::int64_t i) const { return first_[i]; }
  SPARSMITH_HOST_DEVICE T* begin() const { return first_; }
  SPARSMITH_HOST_DEVICE T* end() const { return first_ + size_; }

 private:
  T* first_ = nullptr;
  std::int64_t size_ = 0;
};

template <class T, class Space>
class array {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  array() = default;
  explicit array(std::int64_t size)
      : data_(static_cast<T*>(allocate_items(Space::where, size, std::int64_t{sizeof(T)}))), size_(size) {}
  array(array&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  array& operator=(array&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~array() {
    if (data_ != nullptr) release(Space::where, data_, size_ * std::int64_t{sizeof(T)});
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::int64_t size() const { return size_; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  T& operator[](std::int64_t i) { return data_[i]; }
  const T& operator[](std::int64_t i) const { return data_[i]; }
  operator array_view<const T>() const { return {data_, size_}; }

 private:
  T* data_ = nullptr;
  std::int64_t size_ = 0;
};

// The spaces a format can be in: owned by the host or by the device, or a read-only view of either.
template <class Space>
struct view_of;

struct host {
  static constexpr place where = place::host;
  using view = view_of<host>;
  template <class T>
  using array_type = array<T, host>;
};

struct device {
  static constexpr place where = place::device;
  using view = view_of<device>;
  template <class T>
  using array_type = array<T, device>;
};

template <class Space>
struct view_of {
  static constexpr place where = Space::where;
  using view = view_of<Space>;
  template <class T>
  using array_type = array_view<const T>;
};

template <class T, class Space>
using array_in = typename Space::template array_type<T>;

// A copy of an array in another space (or the same one).
template <class ToSpace, class Array>
auto copy_to(const Array& source, place from) {
  using value = std::remove_cv_t<std::remove_reference_t<decltype(*source.data())>>;
  array<value, ToSpace> target(source.size());
  copy_bytes(ToSpace::where, target.data(), from, source.data(), source.size() * std::int64_t{sizeof(value)});
  return target;
}

}  // namespace sparsmith
