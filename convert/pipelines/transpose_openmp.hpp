// The transposition of compressed lines by threads of a CPU: each entry goes to the line of its index, in the
// order of the lines it comes from. Where that keeps to memory that a cache holds, entries are put straight
// to their places. Elsewhere they are first parted into buckets of neighbouring lines, which the result's own
// arrays hold, and every bucket is then put in order while it is in the cache.
#pragma once

#include <omp.h>

#include <algorithm>
#include <vector>

#include "convert/backend/own_memory.hpp"
#include "convert/pipelines/compress.hpp"

namespace sparsmith {
namespace {  // as what it gives back

template <class Offset, class Value>
class transposition {
 public:
  transposition(array_view<const Offset> offsets, array_view<const std::int32_t> indices,
                array_view<const Value> values, std::int64_t index_count)
      : from_(offsets.data()),
        indices_(indices.data()),
        values_(values.data()),
        lines_(offsets.size() - 1),
        count_(values.size()),
        index_count_(index_count),
        temporary_(count_) {
    result_.offsets = array<Offset, host>(index_count + 1);
    result_.indices = array<std::int32_t, host>(count_);
    result_.values = array<Value, host>(count_);
    to_ = result_.offsets.data();
    out_indices_ = result_.indices.data();
    out_values_ = result_.values.data();
  }

  compressed_entries<Offset, Value, host> run() {
    to_[0] = 0;
    if (count_ == 0)
      std::fill_n(to_, index_count_ + 1, Offset{0});
    else if (stays_in_cache() || !place_by_bucket())
      place_all();
    return std::move(result_);
  }

 private:
  // Chosen by times on two cores each of a Neoverse-V1 and of a Xeon; docs/log has them.
  struct tuning {
    // Bytes of the result that the entries of one line may spread over. Short lines of it share lines of
    // cache, so that far fewer of those are loaded than there are entries.
    static constexpr std::int64_t most_spread_of_short = 8 << 20;
#ifdef __x86_64__
    // Writes become visible in their order there: one that misses the cache holds up all behind it, also
    // while a bucket is put in order. So entries go straight to places that were asked for `asked_ahead`
    // entries before, up to a spread from which buckets are as fast.
    static constexpr std::int64_t most_spread = 8 << 20, asked_ahead = 16;
#else
    static constexpr std::int64_t most_spread = 32 << 10, asked_ahead = 0;
#endif
    static constexpr std::int64_t short_line = 16;
    static constexpr std::int64_t cache_line = 64;
    static constexpr std::int64_t sampled_lines = 4096;
    // More streams at a time than this and they push each other out of the first-level cache.
    static constexpr int bucket_bits = 8;
    static constexpr int most_lines_bits = 16;  // of a bucket, whose counters should stay in the cache
    // What entries are copied to in order to put a bucket in order is small beside the matrix.
    static constexpr std::int64_t least_part_spare = 9;
    static constexpr int counters = 4;  // taken in turns: adding to the same one twice in a row waits
  };

  // f(line, its first entry, its end) for the entries [first, last), in order.
  template <class Function>
  void for_each_line_of(std::int64_t first, std::int64_t last, Function f) const {
    std::int64_t line = std::upper_bound(from_, from_ + lines_, static_cast<Offset>(first)) - from_ - 1;
    for (std::int64_t e = first; e < last; ++line) {
      const std::int64_t end = std::min<std::int64_t>(from_[line + 1], last);
      f(static_cast<std::int32_t>(line), e, end);
      e = end;
    }
  }

  // Whether the entries of a line of the input lie close enough together in the result.
  bool stays_in_cache() const {
    std::int64_t span = 0, sampled = 0;
    const std::int64_t step = std::max<std::int64_t>(lines_ / tuning::sampled_lines, 1);
    for (std::int64_t line = 0; line < lines_; line += step) {
      if (from_[line] == from_[line + 1]) continue;
      const std::int32_t left = indices_[from_[line]], right = indices_[from_[line + 1] - 1];
      span += std::max(left, right) - std::min(left, right) + 1;
      ++sampled;
    }
    const std::int64_t length = count_ / index_count_ + 1;  // of a line of the result
    const std::int64_t line_bytes =
        std::min<std::int64_t>(length * (4 + std::int64_t{sizeof(Value)}), 2 * tuning::cache_line);
    const std::int64_t most =
        length <= tuning::short_line ? tuning::most_spread_of_short : tuning::most_spread;
    return sampled > 0 && span / sampled <= most / line_bytes;
  }

  // Puts entries that are somewhere else to their places. keys[i] says the line of the i-th of them,
  // values[i] its value, and for_each_of(first, last, put) hands them on in order by calls of put(first, end,
  // index_of). The lines begin at `start`; they leave their ends in `ends`, which are the places of the last
  // thread: when it has put its entries there, each has moved on to the end of its line. The other threads
  // have theirs in `more`.
  template <class Key, class ForEach>
  void place(int most_threads, const Key* keys, const Value* values, std::int64_t count, Offset* ends,
             std::int64_t lines, std::int64_t start, Offset* more, ForEach for_each_of) {
    std::vector<Offset> totals(static_cast<std::size_t>(most_threads) + 1);
    totals[0] = static_cast<Offset>(start);
#pragma omp parallel num_threads(most_threads)
    {
      const std::int64_t threads = omp_get_num_threads(), thread = omp_get_thread_num();
      const std::int64_t first = count * thread / threads, last = count * (thread + 1) / threads;
      const auto places_of = [=](std::int64_t t) { return t + 1 == threads ? ends : more + lines * t; };
      Offset* const places = places_of(thread);
      std::fill_n(places, lines, Offset{0});
      for (std::int64_t i = first; i < last; ++i) ++places[keys[i]];
#pragma omp barrier
      // From counts to places: lines one behind the other, and in each the threads.
      const std::int64_t first_line = lines * thread / threads, end_line = lines * (thread + 1) / threads;
      Offset total = 0;
      for (std::int64_t t = 0; t < threads; ++t) {
        const Offset* const counts = places_of(t);
        for (std::int64_t l = first_line; l < end_line; ++l) total += counts[l];
      }
      totals[static_cast<std::size_t>(thread) + 1] = total;
#pragma omp barrier
      Offset next = 0;
      for (std::int64_t t = 0; t <= thread; ++t) next += totals[static_cast<std::size_t>(t)];
      constexpr std::int64_t at_once = 512;
      Offset starts[at_once];
      for (std::int64_t line = first_line; line < end_line; line += at_once) {
        const std::int64_t size = std::min(at_once, end_line - line);
        std::fill_n(starts, size, Offset{0});
        for (std::int64_t t = 0; t < threads; ++t) {
          const Offset* const counts = places_of(t) + line;
          for (std::int64_t k = 0; k < size; ++k) starts[k] += counts[k];
        }
        for (std::int64_t k = 0; k < size; ++k) next += std::exchange(starts[k], next);
        for (std::int64_t t = 0; t < threads; ++t) {
          Offset* const of_thread = places_of(t) + line;
          for (std::int64_t k = 0; k < size; ++k) starts[k] += std::exchange(of_thread[k], starts[k]);
        }
      }
#pragma omp barrier
      std::int32_t* const out_indices = out_indices_;
      Value* const out_values = out_values_;
      for_each_of(first, last, [=](std::int64_t i, std::int64_t end, auto index_of) {
        // The place of the second is on its way while the first is written.
        for (; i + 1 < end; i += 2) {
          if constexpr (tuning::asked_ahead > 0)
            for (const std::int64_t later : {i + tuning::asked_ahead, i + tuning::asked_ahead + 1}) {
              const Offset then = places[keys[std::min(later, last - 1)]];
              __builtin_prefetch(out_indices + then, 1);
              __builtin_prefetch(out_values + then, 1);
            }
          const Offset at = places[keys[i]]++, next_at = places[keys[i + 1]]++;
          const Value value = values[i], next_value = values[i + 1];
          out_indices[at] = index_of(i);
          out_values[at] = value;
          out_indices[next_at] = index_of(i + 1);
          out_values[next_at] = next_value;
        }
        if (i == end) return;
        const Offset at = places[keys[i]]++;
        out_indices[at] = index_of(i);
        out_values[at] = values[i];
      });
    }
  }

  // Straight from the input.
  void place_all() {
    const std::int64_t places_bytes = index_count_ * std::int64_t{sizeof(Offset)};
    const auto threads = static_cast<int>(
        std::min<std::int64_t>(temporary_.size() * 2 / places_bytes + 1, omp_get_max_threads()));
    place(threads, indices_, values_, count_, to_ + 1, index_count_, 0,
          reinterpret_cast<Offset*>(temporary_.data()),
          [this](std::int64_t first, std::int64_t last, auto put) {
            for_each_line_of(first, last, [&](std::int32_t line, std::int64_t e, std::int64_t end) {
              put(e, end, [=](std::int64_t) { return line; });
            });
          });
  }

  // Not where one bucket has so much of the entries that there is no room to put them in order.
  bool place_by_bucket() {
    const int shift = std::clamp(index_bits(index_count_) - tuning::bucket_bits, 0, tuning::most_lines_bits);
    const std::int64_t buckets = ((index_count_ - 1) >> shift) + 1;
    const std::int64_t usual = count_ / buckets * 2 + 1, most_spare = count_ / tuning::least_part_spare;
    std::vector<std::int64_t> starts(static_cast<std::size_t>(buckets) + 1);
    {
      const int shares = omp_get_max_threads();
      thread_places places = count_buckets(shares, shift, starts);
      for (std::size_t b = 0; b + 1 < starts.size(); ++b)
        if (starts[b + 1] - starts[b] > std::max(most_spare, usual)) return false;
      part(shares, shift, places);
    }
    const auto bucket_at = [&](std::int64_t b) {
      const std::int64_t first = starts[static_cast<std::size_t>(b)], line = b << shift;
      return bucket{first, starts[static_cast<std::size_t>(b) + 1] - first, to_ + 1 + line,
                    std::min(index_count_ - line, std::int64_t{1} << shift)};
    };
    // Entries are copied out of a bucket and then put to their places. Where buckets are alike each thread
    // has one at a time; those far larger than the others are for all threads together.
    const int threads = threads_with_own(usual, most_spare);
    std::int64_t spare = usual * threads;
    for (std::int64_t b = 0; b < buckets; ++b) spare = std::max(spare, bucket_at(b).size);
    array<std::int32_t, host> spare_indices(spare);
    array<Value, host> spare_values(spare);
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (std::int64_t b = 0; b < buckets; ++b)
      if (const bucket own = bucket_at(b); own.size <= usual)
        order(own, spare_indices.data() + omp_get_thread_num() * usual,
              spare_values.data() + omp_get_thread_num() * usual);
    std::vector<Offset> more;
    for (std::int64_t b = 0; b < buckets; ++b)
      if (const bucket large = bucket_at(b); large.size > usual) {
        more.resize(static_cast<std::size_t>(large.lines * omp_get_max_threads()));
        order_together(large, spare_indices.data(), spare_values.data(), more.data());
      }
    return true;
  }

  struct bucket {
    std::int64_t first, size;  // entries
    Offset* ends;              // of its lines
    std::int64_t lines;
  };

  // Counts what each line has and leaves in `ends` where it begins.
  void find_places(const bucket& own) {
    const std::uint16_t* const keys = temporary_.data() + own.first;
    std::fill_n(own.ends, own.lines, Offset{0});
    for (std::int64_t i = 0; i < own.size; ++i) ++own.ends[keys[i]];
    auto next = static_cast<Offset>(own.first);
    for (std::int64_t l = 0; l < own.lines; ++l) next += std::exchange(own.ends[l], next);
  }

  void order(const bucket& own, std::int32_t* indices, Value* values) {
    find_places(own);
    const std::uint16_t* const keys = temporary_.data() + own.first;
    std::int32_t* const out_indices = out_indices_;
    Value* const out_values = out_values_;
    std::copy_n(out_indices + own.first, own.size, indices);
    std::copy_n(out_values + own.first, own.size, values);
    for (std::int64_t i = 0; i < own.size; ++i) {
      const Offset at = own.ends[keys[i]]++;
      out_indices[at] = indices[i];
      out_values[at] = values[i];
    }
  }

  void order_together(const bucket& own, std::int32_t* indices, Value* values, Offset* more) {
    const int threads = omp_get_max_threads();
#pragma omp parallel for schedule(static)
    for (int part = 0; part < threads; ++part) {
      const std::int64_t first = own.size * part / threads, size = own.size * (part + 1) / threads - first;
      std::copy_n(out_indices_ + own.first + first, size, indices + first);
      std::copy_n(out_values_ + own.first + first, size, values + first);
    }
    place(threads, temporary_.data() + own.first, values, own.size, own.ends, own.lines, own.first, more,
          [=](std::int64_t first, std::int64_t last, auto put) {
            put(first, last, [=](std::int64_t i) { return indices[i]; });
          });
  }

  // Where a thread puts the next entry of bucket b, at [b * counters]; what one thread counts is not in the
  // same lines of cache as what its neighbours do.
  struct thread_places {
    std::int64_t each;
    std::vector<std::int64_t> all;

    thread_places(std::int64_t buckets, int threads)
        : each(buckets * tuning::counters + 16), all(static_cast<std::size_t>(each * threads)) {}
    std::int64_t* of(std::int64_t thread) { return all.data() + each * thread; }
  };

  thread_places count_buckets(int threads, int shift, std::vector<std::int64_t>& starts) const {
    thread_places places(static_cast<std::int64_t>(starts.size()) - 1, threads);
#pragma omp parallel for num_threads(threads) schedule(static, 1)
    for (int share = 0; share < threads; ++share) {
      std::int64_t* const counts = places.of(share);
      for (std::int64_t e = count_ * share / threads; e < count_ * (share + 1) / threads; ++e)
        ++counts[(indices_[e] >> shift) * tuning::counters + e % tuning::counters];
    }
    std::int64_t next = 0;
    for (std::size_t b = 0; b + 1 < starts.size(); ++b) {
      starts[b] = next;
      for (int share = 0; share < threads; ++share) {
        std::int64_t* const of_bucket = places.of(share) + static_cast<std::int64_t>(b) * tuning::counters;
        const std::int64_t place = next;
        for (int c = 0; c < tuning::counters; ++c) next += of_bucket[c];
        of_bucket[0] = place;
      }
    }
    starts.back() = next;
    return places;
  }

  // Entries into their buckets, and the line of each within its bucket into the temporary.
  void part(int threads, int shift, thread_places& places) {
#pragma omp parallel for num_threads(threads) schedule(static, 1)
    for (int share = 0; share < threads; ++share) {
      const std::int64_t first = count_ * share / threads, last = count_ * (share + 1) / threads;
      std::int64_t* const place = places.of(share);
      const std::int32_t within = static_cast<std::int32_t>((std::int64_t{1} << shift) - 1);
      std::int32_t* const out_indices = out_indices_;
      Value* const out_values = out_values_;
      std::uint16_t* const out_within = temporary_.data();
      // Entries of one bucket mostly come in runs.
      std::int64_t current = indices_[first] >> shift, at = place[current * tuning::counters];
      for_each_line_of(first, last, [&](std::int32_t line, std::int64_t e, std::int64_t end) {
        for (; e < end; ++e, ++at) {
          const std::int32_t index = indices_[e];
          if (index >> shift != current) {
            place[current * tuning::counters] = at;
            current = index >> shift;
            at = place[current * tuning::counters];
          }
          out_within[at] = static_cast<std::uint16_t>(index & within);
          out_indices[at] = line;
          out_values[at] = values_[e];
        }
      });
    }
  }

  const Offset* from_;
  const std::int32_t* indices_;
  const Value* values_;
  const std::int64_t lines_, count_, index_count_;
  array<std::uint16_t, host> temporary_;
  compressed_entries<Offset, Value, host> result_;
  Offset* to_;
  std::int32_t* out_indices_;
  Value* out_values_;
};

}  // namespace
}  // namespace sparsmith
