// Every conversion, as declarations a caller can include without Thrust. Each is one source compiled for both
// backends (openmp.cpp, cuda.cu) and for the four combinations of offset and value type. All are
// deterministic: the same input gives the same bytes on either backend and with any number of threads. A
// pipeline appends the cost of its stages to the log; without one it does not wait for the device.
#pragma once

#include "convert/backend/backend.hpp"
#include "convert/formats/formats.hpp"

namespace sparsmith {

template <class Backend>
using space_on = typename Backend::space;
template <class Backend>
using view_on = typename Backend::space::view;

// Adds the mirrored entry of every one off the diagonal, negated where `skew`. The diagonal stays as it is.
template <class Backend, class Value>
coo<Value, space_on<Backend>> expand_symmetry(Backend on, coo<Value, space_on<Backend>>&& entries, bool skew,
                                              stage_log* log);

struct narrowing {
  std::int64_t changed = 0;     // values a float does not hold exactly
  std::int64_t overflowed = 0;  // finite values that became infinite
};
template <class Backend>
coo<float, space_on<Backend>> narrow_values(Backend on, coo<double, space_on<Backend>>&& entries,
                                            narrowing* result, stage_log* log);

// Sorts where the order is not already right, sums duplicates from first to last, compresses the rows.
template <class Backend, class Offset, class Value>
csr<Offset, Value, space_on<Backend>> coo_to_csr(Backend on, coo<Value, space_on<Backend>>&& entries,
                                                 stage_log* log);

template <class Backend, class Offset, class Value>
std::int64_t count_zeros(Backend on, csr<Offset, Value, view_on<Backend>> matrix);
template <class Backend, class Offset, class Value>
csr<Offset, Value, space_on<Backend>> drop_zeros(Backend on, csr<Offset, Value, view_on<Backend>> matrix,
                                                 stage_log* log);

template <class Backend, class Offset, class Value>
coo<Value, space_on<Backend>> csr_to_coo(Backend on, csr<Offset, Value, view_on<Backend>> matrix,
                                         stage_log* log);

template <class Backend, class Offset, class Value>
csc<Offset, Value, space_on<Backend>> csr_to_csc(Backend on, csr<Offset, Value, view_on<Backend>> matrix,
                                                 stage_log* log);
template <class Backend, class Offset, class Value>
csr<Offset, Value, space_on<Backend>> csc_to_csr(Backend on, csc<Offset, Value, view_on<Backend>> matrix,
                                                 stage_log* log);

// A padded format that would store more than `max_fill` slots per entry is refused before it is built.
template <class Backend, class Offset, class Value>
ell<Value, space_on<Backend>> csr_to_ell(Backend on, csr<Offset, Value, view_on<Backend>> matrix,
                                         double max_fill, stage_log* log);
template <class Backend, class Offset, class Value>
csr<Offset, Value, space_on<Backend>> ell_to_csr(Backend on, ell<Value, view_on<Backend>> matrix,
                                                 stage_log* log);

struct sell_shape {
  std::int32_t slice = 32;
  std::int32_t sigma = 1024;
};
template <class Backend, class Offset, class Value>
sell<Offset, Value, space_on<Backend>> csr_to_sell(Backend on, csr<Offset, Value, view_on<Backend>> matrix,
                                                   sell_shape shape, double max_fill, stage_log* log);
template <class Backend, class Offset, class Value>
csr<Offset, Value, space_on<Backend>> sell_to_csr(Backend on, sell<Offset, Value, view_on<Backend>> matrix,
                                                  stage_log* log);

// A negative width asks for Bell and Garland's rule.
template <class Backend, class Offset, class Value>
hyb<Value, space_on<Backend>> csr_to_hyb(Backend on, csr<Offset, Value, view_on<Backend>> matrix,
                                         std::int32_t width, double max_fill, stage_log* log);
template <class Backend, class Offset, class Value>
csr<Offset, Value, space_on<Backend>> hyb_to_csr(Backend on, hyb<Value, view_on<Backend>> matrix,
                                                 stage_log* log);

}  // namespace sparsmith
