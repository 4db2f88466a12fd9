// Complex values in conversions. Values move last: a conversion moves their numbers, as doubles, and the
// numbers say at its end which value goes where. So no pipeline is compiled for complex values, and these are
// all that is. What adds values up does so for real and imaginary parts apart.
#pragma once

#include "convert/backend/primitives.hpp"
#include "convert/pipelines/csr_to_half.hpp"
#include "convert/pipelines/pipelines.hpp"

namespace sparsmith {

// Whether all bits of a value are 0, as those of a slot without an entry: -0 is a value that must come back.
template <class Part>
SPARSMITH_HOST_DEVICE bool is_blank(complex_number<Part> value) {
  return bits_of(value.real) == 0 && bits_of(value.imaginary) == 0;
}

template <class Backend, class Value>
void number_values(Backend on, array_view<const Value> values, std::int64_t before, double* numbers) {
  for_each_index(on, values.size(), [=] SPARSMITH_HOST_DEVICE(std::int64_t i) {
    numbers[i] = is_blank(values[i]) ? 0.0 : static_cast<double>(before + i + 1);
  });
}

template <class Backend, class Value>
void take_values(Backend on, array_view<const double> numbers, array_view<const Value> from,
                 std::int64_t before, Value* to) {
  const auto first = static_cast<double>(before), last = static_cast<double>(before + from.size());
  for_each_index(on, numbers.size(), [=] SPARSMITH_HOST_DEVICE(std::int64_t i) {
    const double number = numbers[i];
    if (number > first && number <= last)
      to[i] = from[static_cast<std::int64_t>(number) - 1 - before];
    else if (before == 0)
      to[i] = Value{0, 0};
  });
}

template <class Backend>
array<complex128, space_on<Backend>> join_parts(Backend on, array_view<const double> real,
                                                array_view<const double> imaginary, stage_log* log) {
  timed_stage timing(on, log, "join parts", real.size(), real.size() * 32);
  array<complex128, space_on<Backend>> result(real.size());
  complex128* const out = result.data();
  for_each_index(on, real.size(), [=] SPARSMITH_HOST_DEVICE(std::int64_t i) {
    out[i] = {real[i], imaginary[i]};
  });
  return result;
}

template <class Backend, class Value>
std::int64_t count_complex_zeros(Backend on, array_view<const Value> values) {
  return reduce(
      on, values.size(), std::int64_t{0},
      [=] SPARSMITH_HOST_DEVICE(std::int64_t i) { return std::int64_t{values[i].is_zero()}; },
      sum_of<std::int64_t>{});
}

// Numbers of those that are not zero, for drop_zeros.
template <class Backend>
array<double, space_on<Backend>> number_nonzeros(Backend on, array_view<const complex128> values) {
  array<double, space_on<Backend>> numbers(values.size());
  double* const out = numbers.data();
  for_each_index(on, values.size(), [=] SPARSMITH_HOST_DEVICE(std::int64_t i) {
    out[i] = values[i].is_zero() ? 0.0 : static_cast<double>(i + 1);
  });
  return numbers;
}

// What a float makes of a part.
struct narrowed_part {
  bool changed, overflowed;
};
SPARSMITH_HOST_DEVICE inline narrowed_part narrowed(double wide) {
  const auto narrow = static_cast<float>(wide);
  // A NaN stays a NaN: it compares unequal to itself, so it is neither.
  return {wide == wide && static_cast<double>(narrow) != wide, wide - wide == 0 && narrow - narrow != 0};
}

template <class Backend>
array<complex64, space_on<Backend>> narrow_complex(Backend on, array_view<const complex128> wide,
                                                   narrowing* result, stage_log* log) {
  const std::int64_t count = wide.size();
  timed_stage timing(on, log, "narrow values", count, count * 24);
  array<complex64, space_on<Backend>> narrow(count);
  complex64* const out = narrow.data();
  for_each_index(on, count, [=] SPARSMITH_HOST_DEVICE(std::int64_t i) {
    out[i] = {static_cast<float>(wide[i].real), static_cast<float>(wide[i].imaginary)};
  });
  result->changed = reduce(
      on, count, std::int64_t{0},
      [=] SPARSMITH_HOST_DEVICE(std::int64_t i) {
        return std::int64_t{narrowed(wide[i].real).changed || narrowed(wide[i].imaginary).changed};
      },
      sum_of<std::int64_t>{});
  result->overflowed = reduce(
      on, count, std::int64_t{0},
      [=] SPARSMITH_HOST_DEVICE(std::int64_t i) {
        return std::int64_t{narrowed(wide[i].real).overflowed || narrowed(wide[i].imaginary).overflowed};
      },
      sum_of<std::int64_t>{});
  return narrow;
}

}  // namespace sparsmith
