// An array that grows with what is read: what a file announces is believed only as far as its own size bears
// it out, and no further memory is asked for before there is something to put there.
#pragma once

#include <algorithm>

#include "convert/backend/memory.hpp"

namespace sparsmith {

template <class T>
class growing_array {
 public:
  T* data() { return items_.data(); }
  const T* data() const { return items_.data(); }
  std::int64_t capacity() const { return items_.size(); }

  void reserve(std::int64_t wanted) {
    if (wanted > capacity()) resize(std::max(wanted, capacity() * 2));
  }
  // What was read, in memory of just that size.
  array<T, host> take(std::int64_t size) {
    if (size != capacity()) resize(size);
    return std::move(items_);
  }

 private:
  void resize(std::int64_t size) {
    array<T, host> to(size);
    copy_bytes(place::host, to.data(), place::host, items_.data(),
               std::min(size, capacity()) * std::int64_t{sizeof(T)});
    items_ = std::move(to);
  }

  array<T, host> items_;
};

}  // namespace sparsmith
