// What every format shares. A format is an aggregate with
//   name          what the command line calls it
//   member_names  its sizes and arrays, listed once
//   members(self) the same list as references
//   in<Space>     the same format in another space
// Bytes, equality, views, copies between spaces, saving and loading all follow from that list.
#pragma once

#include <array>
#include <cstring>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "convert/backend/memory.hpp"

namespace sparsmith {

template <class T>
inline constexpr bool is_array = false;
template <class T, class Space>
inline constexpr bool is_array<array<T, Space>> = true;
template <class T>
inline constexpr bool is_array<array_view<T>> = true;

// Calls visit(name, member) for every size and array of a format, in the order it lists them.
template <class Format, class Visit>
void for_each_member(Format& f, Visit&& visit) {
  using plain = std::remove_const_t<Format>;
  std::apply(
      [&](auto&... member) {
        std::size_t i = 0;
        (visit(plain::member_names[i++], member), ...);
      },
      plain::members(f));
}

// The same for two formats side by side, which must be the same format in any two spaces.
template <class A, class B, class Visit>
void for_each_member_pair(A& a, B& b, Visit&& visit) {
  auto left = std::remove_const_t<A>::members(a);
  auto right = std::remove_const_t<B>::members(b);
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    (visit(std::get<i>(left), std::get<i>(right)), ...);
  }
  (std::make_index_sequence<std::tuple_size_v<decltype(left)>>{});
}

template <class Format>
std::int64_t bytes(const Format& f) {
  std::int64_t total = 0;
  for_each_member(f, [&](const char*, const auto& member) {
    if constexpr (is_array<std::remove_cvref_t<decltype(member)>>)
      total += member.size() * std::int64_t{sizeof(*member.data())};
  });
  return total;
}

// A format's shape; half of a matrix has that of what it stores.
template <class Format>
std::int32_t rows_of(const Format& f) {
  if constexpr (requires { f.rows; })
    return f.rows;
  else
    return f.upper.rows;
}
template <class Format>
std::int32_t cols_of(const Format& f) {
  if constexpr (requires { f.cols; })
    return f.cols;
  else
    return f.upper.cols;
}

// Slots for values, padding included.
template <class Format>
std::int64_t slots(const Format& f) {
  std::int64_t count = 0;
  for_each_member(f, [&](const char* name, const auto& member) {
    if constexpr (is_array<std::remove_cvref_t<decltype(member)>>)
      if (std::string(name).ends_with("values")) count += member.size();
  });
  return count;
}

// Equal bit for bit: the same sizes and the same bytes in every array, so NaN equals itself and -0 is not 0.
template <class Format>
bool identical(const Format& a, const Format& b) {
  bool same = true;
  for_each_member_pair(a, b, [&](const auto& x, const auto& y) {
    if constexpr (is_array<std::remove_cvref_t<decltype(x)>>)
      same = same && x.size() == y.size() &&
             (x.size() == 0 ||
              std::memcmp(x.data(), y.data(), static_cast<std::size_t>(x.size()) * sizeof(*x.data())) == 0);
    else
      same = same && x == y;
  });
  return same;
}

// The sizes a format carries beside its arrays and its shape, by name.
using format_parameters = std::vector<std::pair<std::string, std::int64_t>>;
template <class Format>
format_parameters parameters_of(const Format& f) {
  format_parameters parameters;
  for_each_member(f, [&](const char* name, const auto& member) {
    if constexpr (!is_array<std::remove_cvref_t<decltype(member)>>)
      if (std::string(name) != "rows" && std::string(name) != "cols") parameters.emplace_back(name, member);
  });
  return parameters;
}

template <class Format>
auto view(const Format& f) {
  typename Format::template in<typename Format::space::view> result;
  for_each_member_pair(result, f, [](auto& to, const auto& from) { to = from; });
  return result;
}

template <class Space, class Format>
auto copy_to(const Format& f) {
  typename Format::template in<Space> result;
  for_each_member_pair(result, f, [](auto& to, const auto& from) {
    if constexpr (is_array<std::remove_cvref_t<decltype(from)>>)
      to = copy_to<Space>(from, Format::space::where);
    else
      to = from;
  });
  return result;
}

}  // namespace sparsmith
