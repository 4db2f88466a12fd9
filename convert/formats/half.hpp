// Half of a matrix that equals its transpose, or the negated transpose: the entries on and above the
// diagonal, stored in another format. Those below are their mirror images.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "convert/formats/bsr.hpp"
#include "convert/formats/csr.hpp"
#include "convert/formats/dia.hpp"
#include "convert/formats/gcsb_tile.hpp"

namespace sparsmith {

template <class Upper>
inline constexpr auto half_name = [] {
  constexpr std::string_view whole = Upper::name, ending = "_half";
  std::array<char, whole.size() + ending.size() + 1> text{};
  std::copy(whole.begin(), whole.end(), text.begin());
  std::copy(ending.begin(), ending.end(), text.begin() + whole.size());
  return text;
}();

// A half has offsets where the format of its entries has them.
template <class Upper>
struct offset_of_upper {};
template <class Upper>
requires requires {
  typename Upper::offset_type;
}
struct offset_of_upper<Upper> {
  using offset_type = typename Upper::offset_type;
};

template <class Upper>
struct half : offset_of_upper<Upper> {
  static constexpr const char* name = half_name<Upper>.data();
  using value_type = typename Upper::value_type;
  using space = typename Upper::space;
  template <class S>
  using in = half<typename Upper::template in<S>>;

  std::int32_t skew = 0;  // 1: what lies below the diagonal is negated
  Upper upper = {};       // no entry below the diagonal; with `skew` none on it but zeros

  // What an entry is multiplied by to be its mirror image.
  value_type mirror() const { return skew != 0 ? value_type{-1} : value_type{1}; }

  static constexpr auto member_names = [] {
    std::array<const char*, Upper::member_names.size() + 1> names{"skew"};
    std::copy(Upper::member_names.begin(), Upper::member_names.end(), names.begin() + 1);
    return names;
  }();
  template <class Self>
  static auto members(Self& s) {
    return std::tuple_cat(std::tie(s.skew), Upper::members(s.upper));
  }
};

template <class Offset, class Value, class Space>
using csr_half = half<csr<Offset, Value, Space>>;
template <class Value, class Space>
using dia_half = half<dia<Value, Space>>;
template <class Offset, class Value, class Space>
using bsr_half = half<bsr<Offset, Value, Space>>;
template <class Offset, class Value, class Space>
using gcsb_tile_half = half<gcsb_tile<Offset, Value, Space>>;

}  // namespace sparsmith
