// CSR to GCSB and back: the blocks of CSB are swizzled and interleaved.
#pragma once

#include "convert/pipelines/csr_to_csb.hpp"
#include "convert/pipelines/fill_limit.hpp"

namespace sparsmith {

// Chosen by hand; bench_convert shows what a change does.
struct interleave_tuning {
  // Groups are transposed in scratch where their blocks are so long and so many entries of each fit at a
  // time; others are copied lane by lane.
  static constexpr std::int64_t least_length = 24;
  static constexpr std::int32_t least_at_once = 16;
};

// Writes the slots of one group.
template <class Value>
struct interleave_body {
  std::int64_t blocks;
  std::int32_t group_size;
  const std::int32_t* order;
  offset_reader block_offsets;
  offset_reader group_offsets;
  index_reader index;
  const Value* values;
  index_writer out_index;
  Value* out_values;

  template <class Team>
  SPARSMITH_HOST_DEVICE void operator()(const Team& team, std::int64_t group) const {
    const std::int64_t first = group_offsets[group];
    const std::int64_t longest = (group_offsets[group + 1] - first) / group_size;
    const std::int32_t line_words = (group_size + 1) * static_cast<std::int32_t>(sizeof(Value) / 4 + 1);
    const std::int32_t at_once = (team.scratch_words() - 3 * group_size) / line_words;
    if (Team::threads > 32 && longest >= interleave_tuning::least_length &&
        at_once >= interleave_tuning::least_at_once)
      transpose_in_scratch(team, group, first, longest, at_once);
    else
      copy_lanes(team, group, first, longest);
  }

 private:
  struct lane_entries {
    std::int64_t from;
    std::int32_t count;
  };
  SPARSMITH_HOST_DEVICE lane_entries entries_of(std::int64_t group, std::int32_t lane) const {
    const std::int64_t p = group * group_size + lane;
    if (p >= blocks) return {0, 0};
    const std::int64_t from = block_offsets[order[p]];
    return {from, static_cast<std::int32_t>(block_offsets[order[p] + std::int64_t{1}] - from)};
  }
  // A thread keeps to one lane while the team is wide enough, so its block is looked up once.
  template <class Team>
  SPARSMITH_HOST_DEVICE void copy_lanes(const Team& team, std::int64_t group, std::int64_t first,
                                        std::int64_t longest) const {
    const std::int32_t abreast = team.size() > group_size ? team.size() / group_size : 1;
    if (team.rank() >= abreast * group_size) return;
    for (std::int32_t lane = team.rank() % group_size; lane < group_size; lane += team.size()) {
      const lane_entries own = entries_of(group, lane);
      const std::uint32_t last_index = own.count == 0 ? 0 : index[own.from + own.count - 1];
      for (std::int64_t k = team.rank() / group_size % abreast; k < longest; k += abreast) {
        const std::int64_t slot = first + k * group_size + lane;
        out_index.set(slot, k < own.count ? index[own.from + k] : last_index);
        out_values[slot] = k < own.count ? values[own.from + k] : Value{0};
      }
    }
  }
  // Long blocks are read one after the other and transposed in scratch, so that both sides are in one
  // piece. Lines of scratch are one longer than the group: their columns are in different banks.
  template <class Team>
  SPARSMITH_HOST_DEVICE void transpose_in_scratch(const Team& team, std::int64_t group, std::int64_t first,
                                                  std::int64_t longest, std::int32_t at_once) const {
    const std::int32_t line = group_size + 1;
    Value* const scratch_values = reinterpret_cast<Value*>(team.scratch());
    std::uint32_t* const scratch_index = reinterpret_cast<std::uint32_t*>(scratch_values + at_once * line);
    std::uint32_t* const from_low = scratch_index + at_once * line;
    std::uint32_t* const from_high = from_low + group_size;
    std::uint32_t* const counts = from_high + group_size;
    for (std::int32_t lane = team.rank(); lane < group_size; lane += team.size()) {
      const lane_entries own = entries_of(group, lane);
      from_low[lane] = static_cast<std::uint32_t>(own.from);
      from_high[lane] = static_cast<std::uint32_t>(own.from >> 32);
      counts[lane] = static_cast<std::uint32_t>(own.count);
    }
    team.sync();
    constexpr std::int32_t readers = 32;  // of one block
    for (std::int64_t start = 0; start < longest; start += at_once) {
      const auto count = static_cast<std::int32_t>(longest - start < at_once ? longest - start : at_once);
      for (std::int32_t lane = team.rank() / readers; lane < group_size; lane += team.size() / readers) {
        const std::int64_t from = static_cast<std::int64_t>(from_high[lane]) << 32 | from_low[lane];
        const std::int64_t entries = counts[lane];
        for (std::int32_t k = team.rank() % readers; k < count; k += readers) {
          const bool entry = start + k < entries;
          const std::int64_t shown = entry ? start + k : entries - 1;
          scratch_index[k * line + lane] = shown < 0 ? 0 : index[from + shown];
          scratch_values[k * line + lane] = entry ? values[from + shown] : Value{0};
        }
      }
      team.sync();
      const std::int64_t to = first + start * group_size;
      std::int32_t k = team.rank() / group_size, lane = team.rank() % group_size;
      const std::int32_t more_lines = team.size() / group_size, more_lanes = team.size() % group_size;
      for (std::int32_t i = team.rank(); i < count * group_size; i += team.size()) {
        out_index.set(to + i, scratch_index[k * line + lane]);
        out_values[to + i] = scratch_values[k * line + lane];
        k += more_lines;
        lane += more_lanes;
        if (lane >= group_size) {
          lane -= group_size;
          ++k;
        }
      }
      team.sync();
    }
  }
};

template <class Backend, class Offset, class Value>
gcsb<Offset, Value, space_on<Backend>> csr_to_gcsb(Backend on, csr<Offset, Value, view_on<Backend>> matrix,
                                                   const block_options& options, double max_fill,
                                                   stage_log* log) {
  using space = space_on<Backend>;
  require_options(options, format_kind::gcsb);
  const auto source = csr_to_csb(on, matrix, options, log);
  const std::int64_t blocks = source.block_offsets.size() - 1, entries = source.values.size();
  const std::int64_t group_size = options.group_size;
  if (blocks > std::numeric_limits<std::int32_t>::max())
    throw error(failure::resources, "more than 2147483647 blocks; use a larger beta", "beta");
  const Offset* const block_offsets = source.block_offsets.data();

  gcsb<Offset, Value, space> result;
  result.rows = matrix.rows;
  result.cols = matrix.cols;
  result.beta = options.beta;
  result.group_size = options.group_size;
  result.order = source.order;
  result.window = options.window;
  result.dense_blocks = source.dense_blocks;

  array<std::int32_t, space> order;
  {
    timed_stage timing(on, log, "swizzle blocks", blocks, blocks * 24);
    result.filled_blocks = blocks;
    if (options.thesis)
      result.filled_blocks = reduce(
          on, blocks, std::int64_t{0},
          [=] SPARSMITH_HOST_DEVICE(std::int64_t b) {
            return std::int64_t{block_offsets[b] < block_offsets[b + 1]};
          },
          sum_of<std::int64_t>{});
    order = order_by_falling_length(
        on, blocks, options.window > 0 ? options.window : blocks + 1,
        [=] SPARSMITH_HOST_DEVICE(std::int64_t b) { return block_offsets[b + 1] - block_offsets[b]; });
  }
  timed_stage timing(on, log, "interleave", entries, entries * (std::int64_t{sizeof(Value)} + 4) * 2);
  const std::int32_t* const block_at = order.data();
  result.block_indices = array<Offset, space>(blocks);
  Offset* const out_positions = result.block_indices.data();
  const Offset* const positions = source.dense_blocks != 0 ? nullptr : source.block_indices.data();
  for_each_index(on, blocks, [=] SPARSMITH_HOST_DEVICE(std::int64_t p) {
    out_positions[p] = positions == nullptr ? static_cast<Offset>(block_at[p]) : positions[block_at[p]];
  });
  const std::int64_t groups = groups_of(blocks, group_size);
  // A group's first block is its longest, unless a window ends inside it.
  const std::int64_t compared = options.window % group_size == 0 ? 1 : group_size;
  const auto slots_of = [=] SPARSMITH_HOST_DEVICE(std::int64_t g) {
    std::int64_t longest = 0;
    for (std::int64_t p = g * group_size; p < g * group_size + compared && p < blocks; ++p) {
      const std::int64_t count = block_offsets[block_at[p] + std::int64_t{1}] - block_offsets[block_at[p]];
      longest = longest < count ? count : longest;
    }
    return longest * group_size;
  };
  const std::int64_t slots = reduce(on, groups, std::int64_t{0}, slots_of, sum_of<std::int64_t>{});
  require_fill("gcsb", slots, entries, max_fill);
  if (slots > std::numeric_limits<Offset>::max())
    throw error(failure::resources, "GCSB needs more slots than 32-bit offsets can count; use 64-bit offsets",
                "offsets");
  result.group_offsets = offsets_from_lengths<Offset>(
      on, groups, [=] SPARSMITH_HOST_DEVICE(std::int64_t g) { return static_cast<Offset>(slots_of(g)); });
  combined_indices<space> index(slots, source.combined16.size() > 0 || entries == 0 ? 16 : 32);
  result.values = array<Value, space>(slots);
  for_each_team(on, groups, groups == 0 ? 0 : slots / groups,
                interleave_body<Value>{blocks,
                                       options.group_size,
                                       block_at,
                                       offset_reader(block_offsets),
                                       offset_reader(result.group_offsets.data()),
                                       {source.combined16.data(), source.combined32.data()},
                                       source.values.data(),
                                       index.writer(),
                                       result.values.data()});
  result.combined16 = std::move(index.narrow);
  result.combined32 = std::move(index.wide);
  return result;
}

template <class Backend, class Offset, class Value>
csr<Offset, Value, space_on<Backend>> gcsb_to_csr(Backend on, gcsb<Offset, Value, view_on<Backend>> matrix,
                                                  stage_log* log) {
  const std::int64_t blocks = matrix.block_indices.size(), filled = matrix.filled_blocks;
  const std::int64_t group_size = matrix.group_size;
  const index_reader index{matrix.combined16.data(), matrix.combined32.data()};
  const Offset* const group_offsets = matrix.group_offsets.data();
  coo<Value, space_on<Backend>> list;
  {
    timed_stage timing(on, log, "unpack gcsb", matrix.values.size(), bytes(matrix));
    // A block ends where its group does, or where an index repeats: that is padding.
    const auto offsets =
        offsets_from_lengths<std::int64_t>(on, blocks, [=] SPARSMITH_HOST_DEVICE(std::int64_t p) {
          if (p >= filled) return std::int64_t{0};
          const std::int64_t first = group_offsets[p / group_size] + p % group_size,
                             end = group_offsets[p / group_size + 1];
          std::int64_t count = 1;
          while (first + count * group_size < end &&
                 index[first + count * group_size] != index[first + (count - 1) * group_size])
            ++count;
          return count;
        });
    const std::int64_t entries = read_one(on, offsets.data() + blocks);
    list = empty_list<Value, space_on<Backend>>(matrix.rows, matrix.cols, entries);
    const auto places = places_of<Offset>(matrix);
    const Offset* const positions = matrix.block_indices.data();
    const Value* const values = matrix.values.data();
    const std::int64_t* const starts = offsets.data();
    std::int32_t* const rows = list.row_indices.data();
    std::int32_t* const cols = list.col_indices.data();
    Value* const out = list.values.data();
    for_each_index(on, blocks, [=] SPARSMITH_HOST_DEVICE(std::int64_t p) {
      const std::int64_t first = group_offsets[p / group_size] + p % group_size;
      for (std::int64_t k = 0; k < starts[p + 1] - starts[p]; ++k) {
        const std::int64_t slot = first + k * group_size;
        rows[starts[p] + k] = places.row(positions[p], index[slot]);
        cols[starts[p] + k] = places.col(positions[p], index[slot]);
        out[starts[p] + k] = values[slot];
      }
    });
  }
  return coo_to_csr<Backend, Offset, Value>(on, std::move(list), log);
}

}  // namespace sparsmith
