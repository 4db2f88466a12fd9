// What must hold for each format. Returns the first thing that does not, for people; empty where all is well.
// Host code on purpose: it checks what the pipelines built, so it shares nothing with them.
#pragma once

#include <string>

#include "convert/formats/formats.hpp"

namespace sparsmith {

template <class Value>
std::string find_invalid(const coo<Value, host>& matrix);  // sorted by (row, column), no duplicates
template <class Offset, class Value>
std::string find_invalid(const csr<Offset, Value, host>& matrix);
template <class Offset, class Value>
std::string find_invalid(const csc<Offset, Value, host>& matrix);
template <class Value>
std::string find_invalid(const ell<Value, host>& matrix);
template <class Offset, class Value>
std::string find_invalid(const sell<Offset, Value, host>& matrix);
template <class Value>
std::string find_invalid(const hyb<Value, host>& matrix);
template <class Value>
std::string find_invalid(const dia<Value, host>& matrix);

template <class Offset, class Value>
std::string find_invalid(const bsr<Offset, Value, host>& matrix);
template <class Offset, class Value>
std::string find_invalid(const csb<Offset, Value, host>& matrix);
template <class Offset, class Value>
std::string find_invalid(const ecsb<Offset, Value, host>& matrix);
template <class Offset, class Value>
std::string find_invalid(const gcsb<Offset, Value, host>& matrix);
template <class Offset, class Value>
std::string find_invalid(const gcsb_tile<Offset, Value, host>& matrix);

// Half of a matrix: valid as what it stores, with nothing below the diagonal.
template <class Upper>
std::string find_invalid(const half<Upper>& matrix);

// Of the one it holds.
template <class Offset, class Value>
std::string find_invalid(const any_format<Offset, Value, host>& matrix);

}  // namespace sparsmith
