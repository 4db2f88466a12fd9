// What products and borrowed matrices take: anything contiguous on the host, `device_span` on a GPU. Types
// that are not compiled are refused here, in a sentence, when the caller's code is compiled.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>

namespace sparsmith {

// Memory of the GPU, which is not looked at from here: std::span's for what a device pointer shows.
template <class T>
class device_span {
 public:
  using element_type = T;
  device_span() = default;
  device_span(T* first, std::size_t size) : first_(first), size_(size) {}
  template <class U>
  requires std::is_same_v<const U, T> device_span(device_span<U> other)
      : first_(other.data()), size_(other.size()) {}
  T* data() const { return first_; }
  std::size_t size() const { return size_; }

 private:
  T* first_ = nullptr;
  std::size_t size_ = 0;
};

// Several vectors in one array, of which each is multiplied (by_rows, by_columns).
template <class Array>
struct vectors_in {
  Array values;
  std::int64_t count = 1;  // of vectors
  std::int64_t stride =
      0;  // from one row to the next, or from one vector to the next; 0: nothing lies between
  bool rows = true;
};
// The values of row i of all vectors stand side by side, as in a NumPy array of shape (n, count).
template <class Array>
vectors_in<Array> by_rows(Array&& values, std::int64_t count, std::int64_t stride = 0) {
  return {std::forward<Array>(values), count, stride, true};
}
// One vector after the other, as in Fortran's arrays.
template <class Array>
vectors_in<Array> by_columns(Array&& values, std::int64_t count, std::int64_t stride = 0) {
  return {std::forward<Array>(values), count, stride, false};
}

namespace library {

template <class T>
inline constexpr bool is_several = false;
template <class Array>
inline constexpr bool is_several<vectors_in<Array>> = true;

// An array somebody gave, without its type.
struct array_argument {
  const void* data = nullptr;
  std::size_t size = 0;
  int item_bits = 0;
  bool on_gpu = false;
  bool complex = false;  // of whose bits each part has half
};

template <class T>
inline constexpr bool is_device_span = false;
template <class T>
inline constexpr bool is_device_span<device_span<T>> = true;

template <class Array>
inline constexpr bool is_contiguous = is_device_span<std::remove_cvref_t<Array>> ||
                                      (std::ranges::contiguous_range<Array> &&
                                       std::ranges::sized_range<Array>);

template <class Array>
struct items_of {
  using type = std::remove_reference_t<std::ranges::range_reference_t<Array>>;
};
template <class Array>
requires is_device_span<std::remove_cvref_t<Array>>
struct items_of<Array> {
  using type = typename std::remove_cvref_t<Array>::element_type;
};
template <class Array>
using item_of = typename items_of<Array>::type;

template <class T>
inline constexpr bool is_complex_item = std::is_same_v<std::remove_const_t<T>, std::complex<float>> ||
                                        std::is_same_v<std::remove_const_t<T>, std::complex<double>>;
template <class T>
inline constexpr bool is_value = std::is_same_v<std::remove_const_t<T>, float> ||
                                 std::is_same_v<std::remove_const_t<T>, double> || is_complex_item<T>;

template <class Array>
array_argument argument(Array&& given) {
  constexpr int bits = int{sizeof(item_of<Array>)} * 8;
  if constexpr (is_device_span<std::remove_cvref_t<Array>>)
    return {given.data(), given.size(), bits, true, is_complex_item<item_of<Array>>};
  else
    return {std::ranges::data(given), static_cast<std::size_t>(std::ranges::size(given)), bits, false,
            is_complex_item<item_of<Array>>};
}

// Several vectors somebody gave.
struct several_argument {
  array_argument array;
  std::int64_t count = 1, stride = 0;
  bool rows = true;
};
template <class Array>
several_argument argument_of(const vectors_in<Array>& given) {
  return {argument(given.values), given.count, given.stride, given.rows};
}

// x and y of a product. Spans without values of a type we know stop here.
template <class X, class Y>
constexpr void require_vectors() {
  static_assert(is_contiguous<X> && is_contiguous<Y>,
                "x and y must be contiguous: a std::vector, a std::span, or a sparsmith::device_span");
  if constexpr (is_contiguous<X> && is_contiguous<Y>) {
    static_assert(is_value<item_of<X>> && is_value<item_of<Y>>,
                  "Sparsmith computes in float and in double, and in std::complex of the two: x and y must "
                  "hold one of the four");
    static_assert(std::is_same_v<std::remove_const_t<item_of<X>>, std::remove_const_t<item_of<Y>>>,
                  "x and y must hold values of the same type");
    static_assert(!std::is_const_v<item_of<Y>>, "y is written to: it may not be const");
    static_assert(is_device_span<std::remove_cvref_t<X>> == is_device_span<std::remove_cvref_t<Y>>,
                  "x and y must both be in the host's memory or both in the GPU's");
  }
}

template <class Array>
inline constexpr bool stays =
    is_device_span<std::remove_cvref_t<Array>> || std::ranges::borrowed_range<Array>;

// The three arrays of CSR.
template <class Offsets, class Columns, class Values>
constexpr void require_csr() {
  static_assert(is_contiguous<Offsets> && is_contiguous<Columns> && is_contiguous<Values>,
                "CSR's arrays must be contiguous: std::vector, std::span, or sparsmith::device_span");
  if constexpr (is_contiguous<Offsets> && is_contiguous<Columns> && is_contiguous<Values>) {
    using offset = item_of<Offsets>;
    using column = item_of<Columns>;
    static_assert(std::is_integral_v<offset> && std::is_signed_v<offset> &&
                      (sizeof(offset) == 4 || sizeof(offset) == 8),
                  "row offsets must be std::int32_t or std::int64_t");
    static_assert(std::is_integral_v<column> && std::is_signed_v<column> && sizeof(column) == 4,
                  "column indices must be std::int32_t");
    static_assert(
        is_value<item_of<Values>>,
        "values must be float, double, or std::complex of one of the two: Sparsmith is compiled for "
        "no other type");
    static_assert(
        is_device_span<std::remove_cvref_t<Offsets>> == is_device_span<std::remove_cvref_t<Values>> &&
            is_device_span<std::remove_cvref_t<Columns>> == is_device_span<std::remove_cvref_t<Values>>,
        "CSR's arrays must all be in the host's memory or all in the GPU's");
    static_assert(stays<Offsets> && stays<Columns> && stays<Values>,
                  "CSR's arrays are borrowed: those of a temporary would be gone when they are used");
  }
}

}  // namespace library
}  // namespace sparsmith
