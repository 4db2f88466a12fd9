// Steps that several pipelines share: offsets from sorted indices, indices from offsets, and the arrays of a
// compressed format from sorted entries.
#pragma once

#include "convert/backend/primitives.hpp"
#include "convert/backend/team.hpp"
#include "convert/formats/coo.hpp"

namespace sparsmith {

// The first place of a row, between two, at which the column is no less.
template <class Offset>
SPARSMITH_HOST_DEVICE Offset first_not_below(const std::int32_t* cols, Offset low, Offset high,
                                             std::int64_t col) {
  while (low < high) {
    const Offset middle = low + (high - low) / 2;
    if (cols[middle] < col)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

namespace {  // see primitives.hpp

template <class Backend, class T>
void fill(Backend on, array<T, typename Backend::space>& target, T value) {
  T* const out = target.data();
  for_each_index(on, target.size(), [=] SPARSMITH_HOST_DEVICE(std::int64_t i) { out[i] = value; });
}

// offsets[0] = 0, offsets[i + 1] = length(0) + ... + length(i).
template <class Offset, class Backend, class Length>
array<Offset, typename Backend::space> offsets_from_lengths(Backend on, std::int64_t count, Length length) {
  array<Offset, typename Backend::space> offsets(count + 1);
  Offset* const out = offsets.data();
  inclusive_scan(
      on, count + 1,
      [=] SPARSMITH_HOST_DEVICE(std::int64_t i) {
        return i == 0 ? Offset{0} : static_cast<Offset>(length(i - 1));
      },
      out, sum_of<Offset>{});
  return offsets;
}

// The same from lengths that are already written down.
template <class Offset, class Backend, class Length>
array<Offset, typename Backend::space> offsets_from_counts(
    Backend on, const array<Length, typename Backend::space>& counts) {
  const Length* const count = counts.data();
  return offsets_from_lengths<Offset>(
      on, counts.size(), [=] SPARSMITH_HOST_DEVICE(std::int64_t i) { return static_cast<Offset>(count[i]); });
}

// Finishes offsets in which the last entry of every non-empty line l has left its end at [l + 1] and
// everything else is 0: an empty line ends where the one before it ends.
template <class Backend, class Offset>
void close_offset_gaps(Backend on, array<Offset, typename Backend::space>& offsets) {
  scan_in_place(on, offsets.size(), offsets.data(), larger<Offset>{});
}

// Offsets of lines whose entries are sorted by line.
template <class Offset, class Backend>
array<Offset, typename Backend::space> offsets_of_sorted(Backend on, const std::int32_t* line_of,
                                                         std::int64_t entries, std::int64_t lines) {
  array<Offset, typename Backend::space> offsets(lines + 1);
  fill(on, offsets, Offset{0});
  Offset* const out = offsets.data();
  for_each_index(on, entries, [=] SPARSMITH_HOST_DEVICE(std::int64_t i) {
    if (i + 1 == entries || line_of[i + 1] != line_of[i])
      out[std::int64_t{line_of[i]} + 1] = static_cast<Offset>(i + 1);
  });
  close_offset_gaps(on, offsets);
  return offsets;
}

// The line of every entry, the inverse of offsets: each non-empty line marks its first entry, a running
// maximum carries the mark on. Work is spread over entries, so one dense line does not hold up the rest.
template <class Backend, class Offset>
array<std::int32_t, typename Backend::space> expand_offsets(Backend on, const Offset* offsets,
                                                            std::int64_t lines, std::int64_t entries) {
  array<std::int32_t, typename Backend::space> indices(entries);
  fill(on, indices, std::int32_t{0});
  std::int32_t* const out = indices.data();
  for_each_index(on, lines, [=] SPARSMITH_HOST_DEVICE(std::int64_t l) {
    if (offsets[l] < offsets[l + 1]) out[offsets[l]] = static_cast<std::int32_t>(l);
  });
  scan_in_place(on, entries, out, larger<std::int32_t>{});
  return indices;
}

template <class Backend, class Offset>
Offset read_one(Backend, const Offset* where) {
  Offset value{};
  copy_bytes(place::host, &value, Backend::space::where, where, sizeof(Offset));
  return value;
}

template <class Offset, class Value, class Space>
struct compressed_entries {
  array<Offset, Space> offsets;
  array<std::int32_t, Space> indices;
  array<Value, Space> values;
};

// Sorted entries without duplicates: unpack the minor index, mark where each line ends.
template <class Offset, class Backend, class Value>
compressed_entries<Offset, Value, typename Backend::space> compress(
    Backend on, sorted_entries<Value, typename Backend::space>&& sorted, std::int64_t lines) {
  using space = typename Backend::space;
  const std::int64_t count = sorted.keys.size();
  compressed_entries<Offset, Value, space> result;
  result.offsets = array<Offset, space>(lines + 1);
  fill(on, result.offsets, Offset{0});
  result.indices = array<std::int32_t, space>(count);
  const std::uint64_t* const keys = sorted.keys.data();
  const int minor_bits = sorted.minor_bits;
  const std::uint64_t minor_mask = (std::uint64_t{1} << minor_bits) - 1;
  Offset* const offsets = result.offsets.data();
  std::int32_t* const indices = result.indices.data();
  for_each_index(on, count, [=] SPARSMITH_HOST_DEVICE(std::int64_t i) {
    const std::uint64_t key = keys[i];
    indices[i] = static_cast<std::int32_t>(key & minor_mask);
    if (i + 1 == count || keys[i + 1] >> minor_bits != key >> minor_bits)
      offsets[(key >> minor_bits) + 1] = static_cast<Offset>(i + 1);
  });
  close_offset_gaps(on, result.offsets);
  result.values = std::move(sorted.values);
  return result;
}

// Sorted entries in chunks, each the work of a warp, which never waits for another one: only their firsts are
// counted, and no entry needs a number that is written down.
struct sorted_chunks {
  static constexpr std::int64_t size = 512;
  // What a thread reads before it uses the first, so that it waits for memory once and not for each.
  static constexpr int at_once = 4;
  const std::uint64_t* keys;
  std::int64_t entries;

  std::int64_t count() const { return (entries + size - 1) / size; }
  SPARSMITH_HOST_DEVICE std::int64_t end(std::int64_t chunk) const {
    return (chunk + 1) * size < entries ? (chunk + 1) * size : entries;
  }
  // Nearly all chunks are inner ones: full, with entries before and after them, so that nobody has to ask
  // what is there. In the others, what is past the ends of the list is read as the entry at the end.
  SPARSMITH_HOST_DEVICE bool is_inner(std::int64_t chunk) const {
    return chunk > 0 && (chunk + 1) * size < entries;
  }
  template <bool Inner>
  SPARSMITH_HOST_DEVICE std::int64_t inside(std::int64_t i) const {
    return Inner ? i : i < 0 ? 0 : i < entries ? i : entries - 1;
  }
  template <bool Inner>
  SPARSMITH_HOST_DEVICE std::uint64_t key(std::int64_t i) const {
    return keys[inside<Inner>(i)];
  }
  // Whether this is the first entry of its coordinate, which none past the end is.
  template <bool Inner>
  SPARSMITH_HOST_DEVICE bool is_first(std::int64_t i) const {
    return (!Inner && i == 0) | (key<Inner>(i) != key<Inner>(i - 1));
  }
};

struct count_distinct_body {
  sorted_chunks chunks;
  std::int32_t* counts;

  template <class Team>
  SPARSMITH_HOST_DEVICE void operator()(const Team& team, std::int64_t chunk) const {
    const std::int32_t count =
        chunks.is_inner(chunk) ? count_firsts<true>(team, chunk) : count_firsts<false>(team, chunk);
    if (team.rank() == 0) counts[chunk] = count;
  }

 private:
  template <bool Inner, class Team>
  SPARSMITH_HOST_DEVICE std::int32_t count_firsts(const Team& team, std::int64_t chunk) const {
    constexpr int at_once = sorted_chunks::at_once;
    const std::uint32_t own_bit = 1u << team.rank();
    std::int32_t count = 0;
    for (std::int64_t start = chunk * sorted_chunks::size; start < chunks.end(chunk);
         start += at_once * team.size()) {
      bool first[at_once];
      for (int k = 0; k < at_once; ++k)
        first[k] = chunks.is_first<Inner>(start + team.rank() + k * team.size());
      for (int k = 0; k < at_once; ++k) count += count_bits(team.any_own_bits(first[k] ? own_bit : 0));
    }
    return count;
  }
};

// Sums the values of every coordinate from first to last.
template <class Offset, class Value>
struct sum_chunk_body {
  sorted_chunks chunks;
  int minor_bits;
  const Value* values;
  const Offset* first_positions;  // of every chunk
  Offset* offsets;
  std::int32_t* indices;
  Value* sums;

  template <class Team>
  SPARSMITH_HOST_DEVICE void operator()(const Team& team, std::int64_t chunk) const {
    if (chunks.is_inner(chunk))
      sum_entries<true>(team, chunk);
    else
      sum_entries<false>(team, chunk);
  }

 private:
  template <bool Inner, class Team>
  SPARSMITH_HOST_DEVICE void sum_entries(const Team& team, std::int64_t chunk) const {
    constexpr int at_once = sorted_chunks::at_once;
    constexpr std::uint64_t no_key = ~std::uint64_t{0};  // a key has 62 bits at most
    const std::uint32_t own_bit = 1u << team.rank();
    const std::uint32_t minor_mask = (1u << minor_bits) - 1;
    const Offset position = first_positions[chunk];
    std::int32_t* const own_indices = indices + position;
    Value* const own_sums = sums + position;
    std::uint32_t written = 0;
    for (std::int64_t start = chunk * sorted_chunks::size; start < chunks.end(chunk);
         start += at_once * team.size()) {
      const std::int64_t own_start = start + team.rank();
      std::uint64_t key[at_once], next_key[at_once];
      Value sum[at_once];
      bool first[at_once];
      for (int k = 0; k < at_once; ++k) {
        const std::int64_t i = own_start + k * team.size();
        first[k] = chunks.is_first<Inner>(i);
        key[k] = chunks.key<Inner>(i);
        next_key[k] = Inner || i + 1 < chunks.entries ? chunks.key<Inner>(i + 1) : no_key;
        sum[k] = values[chunks.inside<Inner>(i)];
      }
      for (int k = 0; k < at_once; ++k) {
        const std::uint32_t firsts = team.any_own_bits(first[k] ? own_bit : 0);
        if (first[k]) {
          for (std::int64_t next = own_start + k * team.size() + 1; next_key[k] == key[k];) {
            sum[k] += values[next];
            next_key[k] = ++next < chunks.entries ? chunks.keys[next] : no_key;
          }
          const std::uint32_t to = written + static_cast<std::uint32_t>(count_bits(firsts & (own_bit - 1)));
          own_indices[to] = static_cast<std::int32_t>(static_cast<std::uint32_t>(key[k]) & minor_mask);
          own_sums[to] = sum[k];
          if (next_key[k] > (key[k] | minor_mask))  // the next one is of another line
            offsets[(key[k] >> minor_bits) + 1] = position + static_cast<Offset>(to + 1);
        }
        written += static_cast<std::uint32_t>(count_bits(firsts));
      }
    }
  }
};

// The same where a coordinate may occur several times in a row: its values are summed.
template <class Offset, class Backend, class Value>
compressed_entries<Offset, Value, typename Backend::space> compress_and_sum(
    Backend on, sorted_entries<Value, typename Backend::space>&& sorted, std::int64_t lines) {
  using space = typename Backend::space;
  const sorted_chunks chunks{sorted.keys.data(), sorted.keys.size()};
  array<Offset, space> first_positions;
  {
    array<std::int32_t, space> counts(chunks.count());
    for_each_warp(on, chunks.count(), 0, count_distinct_body{chunks, counts.data()});
    first_positions = offsets_from_counts<Offset>(on, counts);
  }
  const std::int64_t distinct = read_one(on, first_positions.data() + chunks.count());
  if (distinct == chunks.entries) return compress<Offset>(on, std::move(sorted), lines);

  compressed_entries<Offset, Value, space> result;
  result.offsets = array<Offset, space>(lines + 1);
  fill(on, result.offsets, Offset{0});
  result.indices = array<std::int32_t, space>(distinct);
  result.values = array<Value, space>(distinct);
  for_each_warp(
      on, chunks.count(), 0,
      sum_chunk_body<Offset, Value>{chunks, sorted.minor_bits, sorted.values.data(), first_positions.data(),
                                    result.offsets.data(), result.indices.data(), result.values.data()});
  close_offset_gaps(on, result.offsets);
  return result;
}

// 0 .. count - 1 by falling length inside every window of so many; equal lengths keep their order.
template <class Backend, class Length>
array<std::int32_t, typename Backend::space> order_by_falling_length(Backend on, std::int64_t count,
                                                                     std::int64_t window, Length length) {
  using space = typename Backend::space;
  const std::int32_t longest = reduce(
      on, count, std::int32_t{0},
      [=] SPARSMITH_HOST_DEVICE(std::int64_t i) { return static_cast<std::int32_t>(length(i)); },
      larger<std::int32_t>{});
  array<std::int32_t, space> window_of(count), shortness(count), number(count);
  std::int32_t* const out_window = window_of.data();
  std::int32_t* const out_shortness = shortness.data();
  std::int32_t* const out_number = number.data();
  for_each_index(on, count, [=] SPARSMITH_HOST_DEVICE(std::int64_t i) {
    out_window[i] = static_cast<std::int32_t>(i / window);
    out_shortness[i] = longest - static_cast<std::int32_t>(length(i));
    out_number[i] = static_cast<std::int32_t>(i);
  });
  return sort_entries<std::int32_t>(on, window_of, shortness, number, (count + window - 1) / window,
                                    std::int64_t{longest} + 1, false)
      .values;
}

// In 64 bits: a line may be a row of blocks, and hold more entries than a row has columns.
template <class Backend, class Offset>
std::int64_t longest_line(Backend on, const Offset* offsets, std::int64_t lines) {
  return reduce(
      on, lines, std::int64_t{0},
      [=] SPARSMITH_HOST_DEVICE(std::int64_t l) { return std::int64_t{offsets[l + 1] - offsets[l]}; },
      larger<std::int64_t>{});
}

// Entries of the longest group of so many lines.
template <class Backend, class Offset>
std::int64_t longest_group(Backend on, const Offset* offsets, std::int64_t lines, std::int64_t size) {
  return reduce(
      on, (lines + size - 1) / size, std::int64_t{0},
      [=] SPARSMITH_HOST_DEVICE(std::int64_t g) {
        const std::int64_t end = (g + 1) * size < lines ? (g + 1) * size : lines;
        return std::int64_t{offsets[end] - offsets[g * size]};
      },
      larger<std::int64_t>{});
}

// The largest width that at least a third of the rows fill: bisection, because counting the rows that fill a
// given width is one cheap pass and needs no histogram.
template <class Backend, class Offset>
std::int64_t bell_garland_width(Backend on, const Offset* offsets, std::int64_t rows) {
  std::int64_t low = 0, high = longest_line(on, offsets, rows);
  while (low < high) {
    const std::int64_t middle = low + (high - low + 1) / 2;
    const std::int64_t filling = reduce(
        on, rows, std::int64_t{0},
        [=] SPARSMITH_HOST_DEVICE(std::int64_t r) {
          return std::int64_t{offsets[r + 1] - offsets[r] >= middle};
        },
        sum_of<std::int64_t>{});
    if (filling * 3 >= rows)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

}  // namespace

template <class Value, class Space>
coo<Value, Space> empty_list(std::int32_t rows, std::int32_t cols, std::int64_t entries) {
  return {rows, cols, array<std::int32_t, Space>(entries), array<std::int32_t, Space>(entries),
          array<Value, Space>(entries)};
}

}  // namespace sparsmith
