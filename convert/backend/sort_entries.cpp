#include "convert/backend/sort_entries.hpp"

#include <omp.h>

#include <algorithm>
#include <vector>

namespace sparsmith {
namespace {

template <class Value>
struct entry {
  std::uint64_t key;
  Value value;
};

// Measured on 2 cores with 20 M entries: between 256 and 2048 buckets make no difference, and a digit of ten
// bits keeps its counters in the first-level cache.
constexpr std::int64_t most_buckets = 1024;
constexpr std::int64_t entries_per_bucket = 4096;
constexpr int most_digit_bits = 11;
constexpr std::int64_t small_bucket = 128;  // below this, comparing beats counting

// One pass of a radix sort: read(0), read(1), ... go to write(position, entry) in the order of one digit of
// their keys.
template <class Read, class Write>
void distribute(std::int64_t count, int shift, int digit, Read read, Write write) {
  const std::uint64_t mask = (std::uint64_t{1} << digit) - 1;
  std::int64_t position[1 << most_digit_bits];
  std::fill(position, position + mask + 1, 0);
  for (std::int64_t i = 0; i < count; ++i) ++position[read(i).key >> shift & mask];
  std::int64_t sum = 0;
  for (std::uint64_t d = 0; d <= mask; ++d) sum += std::exchange(position[d], sum);
  for (std::int64_t i = 0; i < count; ++i) {
    const auto moved = read(i);
    write(position[moved.key >> shift & mask]++, moved);
  }
}

// Sorts one bucket by key bits [low, high) and leaves it in keys and values. `source` is overwritten, and
// so is as much of `scratch`. Without scratch the entries go to and fro between source and the result.
template <class Value>
void sort_bucket(entry<Value>* source, std::int64_t count, int low, int high, entry<Value>* scratch,
                 std::uint64_t* keys, Value* values) {
  const auto emit = [=](std::int64_t p, const entry<Value>& e) {
    keys[p] = e.key;
    values[p] = e.value;
  };
  const bool by_comparing = count <= small_bucket;
  if (by_comparing && count > 1 && high > low) {
    const std::uint64_t above = high >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << high) - 1;
    std::stable_sort(source, source + count, [&](const entry<Value>& a, const entry<Value>& b) {
      return (a.key & above) >> low < (b.key & above) >> low;
    });
  }
  if (by_comparing || high <= low) {
    for (std::int64_t i = 0; i < count; ++i) emit(i, source[i]);
    return;
  }
  int passes = (high - low + most_digit_bits - 1) / most_digit_bits;
  if (scratch == nullptr) passes |= 1;  // the last of an odd number ends in the result
  const int digit = (high - low + passes - 1) / passes;
  for (int pass = 0; pass < passes; ++pass) {
    const int shift = low + pass * digit;
    const auto from_source = [=](std::int64_t i) { return source[i]; };
    const auto from_result = [=](std::int64_t i) { return entry<Value>{keys[i], values[i]}; };
    entry<Value>* const target = scratch == nullptr ? source : scratch;
    const auto to_target = [=](std::int64_t p, const entry<Value>& e) { target[p] = e; };
    if (scratch == nullptr && pass % 2 == 1) {
      distribute(count, shift, digit, from_result, to_target);
    } else if (scratch == nullptr || pass + 1 == passes) {
      distribute(count, shift, digit, from_source, emit);
    } else {
      distribute(count, shift, digit, from_source, to_target);
      std::swap(source, scratch);
    }
  }
}

}  // namespace

template <class Value>
sorted_entries<Value, host> sort_entries(openmp, array_view<const std::int32_t> major,
                                         array_view<const std::int32_t> minor, array_view<const Value> values,
                                         std::int64_t major_count, std::int64_t minor_count,
                                         bool minor_ordered) {
  const std::int64_t count = major.size();
  sorted_entries<Value, host> result;
  result.keys = array<std::uint64_t, host>(count);
  result.values = array<Value, host>(count);
  result.minor_bits = index_bits(minor_count);
  if (count == 0) return result;

  const int minor_bits = result.minor_bits;
  const auto key = [&](std::int64_t i) {
    return static_cast<std::uint64_t>(major[i]) << minor_bits | static_cast<std::uint64_t>(minor[i]);
  };
  const std::uint64_t largest_key = static_cast<std::uint64_t>(major_count) << minor_bits;
  const std::int64_t wanted = std::clamp<std::int64_t>(count / entries_per_bucket, 1, most_buckets);
  const int low = minor_ordered ? minor_bits : 0;
  int bucket_shift = low;
  while (static_cast<std::int64_t>((largest_key - 1) >> bucket_shift) >= wanted) ++bucket_shift;
  const std::int64_t buckets = static_cast<std::int64_t>((largest_key - 1) >> bucket_shift) + 1;

  // Partition: each thread counts and then moves a contiguous share of the input, which keeps the order
  // stable.
  array<entry<Value>, host> parted(count);
  std::vector<std::int64_t> bucket_start(static_cast<std::size_t>(buckets) + 1);
  // The threads' own memory is made here because nothing may be thrown in the parallel regions. What one
  // counts is not in the same lines of cache as what its neighbours do.
  const auto most_threads = static_cast<std::size_t>(omp_get_max_threads());
  const std::int64_t positions_each = buckets + 16;
  std::vector<std::int64_t> positions(static_cast<std::size_t>(positions_each) * most_threads);
#pragma omp parallel
  {
    const std::int64_t threads = omp_get_num_threads(), thread = omp_get_thread_num();
    const std::int64_t first = count * thread / threads, last = count * (thread + 1) / threads;
    std::int64_t* const position = positions.data() + positions_each * thread;
    for (std::int64_t i = first; i < last; ++i) ++position[key(i) >> bucket_shift];
#pragma omp barrier
#pragma omp single
    {
      std::int64_t sum = 0;
      for (std::int64_t b = 0; b < buckets; ++b) {
        bucket_start[static_cast<std::size_t>(b)] = sum;
        for (std::int64_t t = 0; t < threads; ++t)
          sum += std::exchange(positions[static_cast<std::size_t>(positions_each * t + b)], sum);
      }
      bucket_start.back() = sum;
    }
    for (std::int64_t i = first; i < last; ++i) {
      const std::uint64_t k = key(i);
      parted[position[k >> bucket_shift]++] = {k, values[i]};
    }
  }

  // A bucket far larger than the others (one dense row, say) goes without scratch.
  const std::int64_t usual = std::max<std::int64_t>(count / buckets * 4, small_bucket);
  std::vector<std::vector<entry<Value>>> scratches(most_threads);
  for (auto& scratch : scratches) scratch.resize(static_cast<std::size_t>(usual));
#pragma omp parallel for schedule(dynamic)
  for (std::int64_t b = 0; b < buckets; ++b) {
    const std::int64_t start = bucket_start[static_cast<std::size_t>(b)];
    const std::int64_t size = bucket_start[static_cast<std::size_t>(b) + 1] - start;
    entry<Value>* const scratch =
        size <= usual ? scratches[static_cast<std::size_t>(omp_get_thread_num())].data() : nullptr;
    sort_bucket(&parted[start], size, low, bucket_shift, scratch, &result.keys[start], &result.values[start]);
  }
  return result;
}

template sorted_entries<float, host> sort_entries(openmp, array_view<const std::int32_t>,
                                                  array_view<const std::int32_t>, array_view<const float>,
                                                  std::int64_t, std::int64_t, bool);
template sorted_entries<double, host> sort_entries(openmp, array_view<const std::int32_t>,
                                                   array_view<const std::int32_t>, array_view<const double>,
                                                   std::int64_t, std::int64_t, bool);
template sorted_entries<std::int32_t, host> sort_entries(openmp, array_view<const std::int32_t>,
                                                         array_view<const std::int32_t>,
                                                         array_view<const std::int32_t>, std::int64_t,
                                                         std::int64_t, bool);

}  // namespace sparsmith
