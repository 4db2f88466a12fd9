// The mirror images of a list of entries above the diagonal, where half of a symmetric matrix has a rest.
#pragma once

#include <algorithm>
#include <functional>

#include "kernels/cuda/entries.hpp"

namespace sparsmith {

template <class Value>
class mirror_images {
 public:
  // Entries on the main diagonal have none, not even one of value 0: x may be infinite there. Where nothing
  // lies there, the list itself is turned over.
  mirror_images(const array_view<const std::int32_t>& rows, const array_view<const std::int32_t>& cols,
                const array_view<const Value>& values)
      : list_{cols.data(), rows.data(), values.data(), values.size()} {
    auto kept_rows = on_host(rows), kept_cols = on_host(cols);
    if (std::equal(kept_rows.begin(), kept_rows.end(), kept_cols.begin(), std::not_equal_to<>{})) return;
    auto kept_values = on_host(values);
    std::int64_t kept = 0;
    for (std::int64_t e = 0; e < values.size(); ++e) {
      if (kept_rows[e] == kept_cols[e]) continue;
      kept_rows[kept] = kept_rows[e];
      kept_cols[kept] = kept_cols[e];
      kept_values[kept++] = kept_values[e];
    }
    rows_ = on_device(kept_rows, kept);
    cols_ = on_device(kept_cols, kept);
    values_ = on_device(kept_values, kept);
    list_ = {cols_.data(), rows_.data(), values_.data(), kept};
  }

  const entry_list<Value>& list() const { return list_; }
  std::int64_t bytes() const {
    return values_.size() * std::int64_t{sizeof(Value) + 2 * sizeof(std::int32_t)};
  }

 private:
  template <class T>
  static array<T, host> on_host(const array_view<const T>& there) {
    array<T, host> here(there.size());
    copy_bytes(place::host, here.data(), place::device, there.data(), there.size() * std::int64_t{sizeof(T)});
    return here;
  }
  template <class T>
  static array<T, device> on_device(const array<T, host>& here, std::int64_t count) {
    array<T, device> there(count);
    copy_bytes(place::device, there.data(), place::host, here.data(), count * std::int64_t{sizeof(T)});
    return there;
  }

  entry_list<Value> list_;
  array<std::int32_t, device> rows_, cols_;
  array<Value, device> values_;
};

}  // namespace sparsmith
