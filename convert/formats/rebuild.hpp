// A matrix with values of another type: in the same format, with the same sizes and indices.
#pragma once

#include <utility>
#include <variant>

#include "convert/formats/format.hpp"

namespace sparsmith {

// Makes `to` a matrix in the format of `from` and calls visit(member of to, member of from) for every member;
// both are any_format. What visit does decides what `to` becomes.
template <class To, class From, class Visit>
void rebuild(To& to, From& from, const Visit& visit) {
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    ((from.index() == i ? for_each_member_pair(to.template emplace<i>(), std::get<i>(from), visit) : void()),
     ...);
  }
  (std::make_index_sequence<std::variant_size_v<To>>{});
}

}  // namespace sparsmith
