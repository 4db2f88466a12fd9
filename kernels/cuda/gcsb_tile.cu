// gcsb/tile: products from GCSB's layout `tile` without atomics inside the loop. How many launches that takes
// (`tile_mode`) depends on how many thread blocks share a line of tiles, on the number of outputs, on a rest
// and on whether the tiles have numbers of their own for rows and columns.
#include "convert/formats/sizes.hpp"
#include "kernels/cuda/read_ahead.hpp"
#include "kernels/cuda/tile_both.hpp"
#include "kernels/cuda/tile_product.hpp"
#include "kernels/table.hpp"

namespace sparsmith {
namespace {

// Found on an H200 (docs/log), as are those of tile_limits.
struct tile_tuning {
  // Of a thread block. More warps share a window of x and add up their sums in shared memory, but wait for
  // each other where a line ends; six where shared memory leaves room for more of them than of four.
  static constexpr int warps = 4, most_warps = tile_limits::most_warps;
  // What a piece of a tile costs beside its steps, in groups: waiting for the other warps, and a window of x,
  // by its size.
  static constexpr std::int64_t piece_cost = 2, inputs_a_group = 256;
  // Of a share, with what its pieces cost: below that, starting a thread block and adding its sums to y costs
  // more than it brings.
  static constexpr std::int64_t least_share = 4;
  static constexpr std::int64_t rest_of_share = 128;  // entries of the rest: a group of each warp's lanes
  static constexpr int own_shared_bytes = 1024;       // of a kernel, beside those that it is launched with
  // Every output is written once where shares have about a line of their own: of many lines, so that few are
  // waited for, and visited by two shares on average. On small matrices waiting for the last share of a line
  // takes longer than a launch that clears y.
  static constexpr std::int64_t least_lines = 1024, most_visits = 2;
  // Of such a share, how much it may be longer or shorter to end where a line does: a sixth. No line of the
  // Laplacian has two visits then, and since it waits for memory, what one share does less another does
  // faster.
  static constexpr std::int64_t parts_to_line_end = 6;
  // Lines without a tile are written too then: not where they are most.
  static constexpr std::int64_t most_lines_a_tile = 4;
  // Outputs that the product's own first thread blocks scale, and of each of those: so few that they are done
  // long before the first sums are. It spares a launch.
  static constexpr std::int64_t most_cleared = 1 << 17, outputs_of_clearer = 4096, shares_a_clearer = 8;
  // Sums from which on they are added up in the tiles' numbers first, and brought into y's by another launch:
  // atomics on scattered addresses are slower than that.
  static constexpr std::int64_t many_scattered_sums = 1 << 18;
  // Bytes of entries and x that are brought ahead, less than for products by rows: a warp's own loads are two
  // groups ahead as it is, and larger matrices took longer with more.
  static constexpr std::int64_t most_read_ahead = 2 << 20;
  static constexpr int vector_threads = 256;  // of a thread block that walks x, y, the rest or a tile
  // Of a window of x, which comes in whole sectors.
  static constexpr int inputs_together = 8;
};

// gathered = x in the tiles' numbers, y = beta y, and sums = 0; what is null is left out.
template <class Value>
__global__ void prepare_vectors(const read_ahead ahead, std::int64_t inputs, const std::int32_t* order,
                                const Value* x, Value* gathered, std::int64_t outputs, Value beta, Value* y,
                                Value* sums) {
  let_next_kernel_start();
  ahead.bring();
  const std::int64_t first = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x,
                     stride = std::int64_t{gridDim.x} * blockDim.x;
  if (gathered != nullptr)
    for (std::int64_t i = first; i < inputs; i += stride) gathered[i] = x[order[i]];
  // One load at a time: with more registers fewer threads would wait for x at the same time.
  if (y != nullptr) scale_outputs<1>(first, stride, outputs, beta, y);
  if (sums != nullptr)
    for (std::int64_t i = first; i < outputs; i += stride) sums[i] = 0;
}

// The same for both products: of x and of w, and with y and z.
template <class Value>
__global__ void prepare_both(const read_ahead ahead, std::int64_t rows, std::int64_t cols,
                             const std::int32_t* row_order, const std::int32_t* col_order, const Value* x,
                             const Value* w, Value* gathered_x, Value* gathered_w, Value beta, Value* y,
                             Value* z) {
  let_next_kernel_start();
  ahead.bring();
  const std::int64_t first = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x,
                     stride = std::int64_t{gridDim.x} * blockDim.x;
  if (gathered_x != nullptr) {
    for (std::int64_t i = first; i < cols; i += stride) gathered_x[i] = x[col_order[i]];
    for (std::int64_t i = first; i < rows; i += stride) gathered_w[i] = w[row_order[i]];
  }
  scale_outputs<1>(first, stride, rows, beta, y);
  scale_outputs<1>(first, stride, cols, beta, z);
}

// y = beta y and what was added up in the tiles' numbers.
template <class Value>
__global__ void bring_sums(std::int64_t count, const std::int32_t* places, const Value* sums, Value beta,
                           Value* y) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::int32_t place = i < count ? places[i] : 0;
  wait_for_kernel_before();
  if (i < count) y[i] = updated(beta, y + i, sums[place]);
}

// places[order[i]] = i.
__global__ void invert_order(std::int64_t count, const std::int32_t* order, std::int32_t* places) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) places[order[i]] = static_cast<std::int32_t>(i);
}
__global__ void look_up_places(std::int64_t count, const std::int32_t* numbers, const std::int32_t* places,
                               std::int32_t* found) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) found[i] = places[numbers[i]];
}

// What the entries of every tile use of its window of x, all of a sector that is used in part: tiles at the
// edge of a band use little of it. A thread block for every tile.
template <bool Transposed, class Offset, class Index>
__global__ void find_used_inputs(const tile_cells cells, const Offset* tile_offsets, const Index* combined,
                                 used_inputs* used) {
  __shared__ unsigned first, end;
  if (threadIdx.x == 0) first = ~0u, end = 0;
  __syncthreads();
  const std::int64_t tile = blockIdx.x, last_slot = std::int64_t{tile_offsets[tile + 1]} * cells.lanes();
  unsigned low = ~0u, high = 0;
  for (std::int64_t slot = std::int64_t{tile_offsets[tile]} * cells.lanes() + threadIdx.x; slot < last_slot;
       slot += blockDim.x) {
    const std::uint32_t c = combined[slot];
    if (cells.is_padding(c)) continue;
    const std::uint32_t input = Transposed ? cells.row(c, cells.lane_of_slot(slot)) : cells.col(c);
    low = min(low, input);
    high = max(high, input + 1);
  }
  __syncwarp();
  low = __reduce_min_sync(~0u, low);
  high = __reduce_max_sync(~0u, high);
  if (threadIdx.x % 32 == 0) {
    atomicMin(&first, low);
    atomicMax(&end, high);
  }
  __syncthreads();
  constexpr unsigned unit = tile_tuning::inputs_together;
  if (threadIdx.x == 0)
    used[tile] = {static_cast<std::int32_t>(min(first, end) / unit * unit),
                  static_cast<std::int32_t>((end + unit - 1) / unit * unit)};
}

// Of a thread block: from 98 KiB on, which is enough for tiles of 2048 in fp64 with the fewest warps.
int most_tile_bytes() {
  return most_shared_bytes() - tile_tuning::own_shared_bytes;
}

template <class T>
array<T, device> upload(const std::vector<T>& items) {
  array<T, device> copy(static_cast<std::int64_t>(items.size()));
  copy_bytes(place::device, copy.data(), place::host, items.data(), copy.size() * std::int64_t{sizeof(T)});
  return copy;
}

// What the sharing out of tiles asks about a matrix, on the host.
template <class Offset, class Value>
gcsb_tile<Offset, float, host> outline_of_tiles(const gcsb_tile_view<Offset, Value, device>& m) {
  gcsb_tile<Offset, float, host> outline;
  outline.rows = m.rows;
  outline.cols = m.cols;
  outline.tile_height = m.tile_height;
  outline.tile_width = m.tile_width;
  outline.tile_rows = copy_to<host>(m.tile_rows, place::device);
  outline.tile_cols = copy_to<host>(m.tile_cols, place::device);
  outline.tile_offsets = copy_to<host>(m.tile_offsets, place::device);
  outline.tiles_by_column = copy_to<host>(m.tiles_by_column, place::device);
  return outline;
}

template <class Offset, class Value>
array<used_inputs, host> find_used(cuda on, const gcsb_tile_view<Offset, Value, device>& m, operation op) {
  const std::int64_t tiles = m.tile_rows.size();
  array<used_inputs, device> used(tiles);
  const auto find = [&](auto transposed, const auto* combined) {
    find_used_inputs<transposed.value>
        <<<static_cast<unsigned>(tiles), tile_tuning::vector_threads, 0, on.stream>>>(
            tile_cells(m.tile_height, m.tile_width, m.group_size), m.tile_offsets.data(), combined,
            used.data());
    check_cuda(cudaGetLastError());
  };
  if (tiles > 0)
    with_operation(op, [&](auto transposed) {
      if (m.combined32.size() > 0)
        find(transposed, m.combined32.data());
      else
        find(transposed, m.combined16.data());
    });
  return copy_to<host>(used, place::device);
}

template <class Offset, class Value>
struct gcsb_tile_kernel {
  // Launches are those of the mode `added`, as the model was fitted.
  static constexpr kernel_info info{
      .name = "gcsb/tile",
      .description = "warps sum up tiles in shared memory, no atomics in the loop",
      .source = "ours, layout tile",
      .facts = {.walk = kernel_facts::rows::balanced,
                .launches = {.multiply = 2, .transposed = 2},
                .launches_to_renumber = 1}};
  using matrix = gcsb_tile_view<Offset, Value, device>;

  gcsb_tile_kernel(cuda on, const matrix& m, operation op) : on_(on), m_(m), op_(op) {
    const tile_list list = list_tiles(outline_of_tiles(m), transposed(), find_used(on, m, op));
    const auto tiles = static_cast<std::int64_t>(list.tiles.size()), rest = m.rest_values.size();
    // One wave: more thread blocks than fit would only add more sums to y, and the last ones run alone.
    std::int64_t fitting = choose_warps();
    const auto count_for = [&](const tile_list& of, std::int64_t rest_entries) {
      const std::int64_t cost = of.groups + static_cast<std::int64_t>(of.tiles.size()) * piece_cost();
      return std::clamp<std::int64_t>(
          std::max(cost / tile_tuning::least_share, rest_entries / tile_tuning::rest_of_share), 1,
          fitting - clearers_);
    };
    const std::int64_t lines = groups_of(outputs(m, op), tile_outputs_count());
    const bool plain = m.renumbered == 0 && m.group_size == 32;
    tile_shares shares;
    if (plain && lines >= tile_tuning::least_lines && lines <= tiles * tile_tuning::most_lines_a_tile) {
      const tile_list all = with_all_lines(list, outputs(m, op), tile_outputs_count());
      shares = share_tiles(all, count_for(all, 0), piece_cost(), tile_tuning::parts_to_line_end);
      if (shares.visits <= lines * tile_tuning::most_visits) {
        mode_ = tile_mode::written;
        resident_with(warps_);  // for its limit of shared memory
      }
    }
    if (mode_ != tile_mode::written) {
      const unsigned clearers = blocks_for(outputs(m, op), tile_tuning::outputs_of_clearer);
      if (plain && rest == 0 && outputs(m, op) <= tile_tuning::most_cleared &&
          clearers * tile_tuning::shares_a_clearer <= fitting) {
        mode_ = tile_mode::cleared;
        fitting = choose_warps();
        clearers_ = clearers;
        counts_ = upload(std::vector<clear_counts>(1));
      }
      shares = share_tiles(list, count_for(list, rest), piece_cost());
    }
    pieces_ = upload(shares.pieces);
    if (transposed()) stored_groups_ = upload(stored_groups(list));
    shares_ = upload(shares.shares);
    if (mode_ == tile_mode::written) {
      slots_ = array<Value, device>(shares.slots * tile_outputs_count());
      arrivals_ = upload(std::vector<unsigned>(static_cast<std::size_t>(shares.slots)));
    }
    if (m.renumbered != 0) {
      gathered_ = array<Value, device>(inputs(m, op));
      if ((shares_.size() + lines) * tile_outputs_count() > tile_tuning::many_scattered_sums) add_up_apart();
    }
  }

  std::int64_t bytes() const {
    return pieces_.size() * std::int64_t{sizeof(tile_piece)} +
           shares_.size() * std::int64_t{sizeof(tile_share)} +
           arrivals_.size() * std::int64_t{sizeof(unsigned)} +
           counts_.size() * std::int64_t{sizeof(clear_counts)} +
           (stored_groups_.size() + places_.size() + rest_places_.size()) *
               std::int64_t{sizeof(std::int32_t)} +
           (gathered_.size() + sums_.size() + slots_.size()) * std::int64_t{sizeof(Value)};
  }

  void run(Value alpha, const Value* x, Value beta, Value* y) const {
    const bool renumbered = m_.renumbered != 0, apart = sums_.size() > 0;
    const std::int64_t in = inputs(m_, op_), out = outputs(m_, op_);
    constexpr int threads = tile_tuning::vector_threads;
    const bool prepared = mode_ == tile_mode::added && (renumbered || beta != Value{1});
    read_ahead ahead(tile_tuning::most_read_ahead);
    ahead.add(m_.values.data(), m_.values.size());
    ahead.add(m_.combined16.data(), m_.combined16.size());
    ahead.add(x, in);
    if (prepared)
      prepare_vectors<<<resident_blocks(std::max(in, out), threads), threads, 0, on_.stream>>>(
          ahead, in, (transposed() ? m_.row_order : m_.col_order).data(), x,
          renumbered ? gathered_.data() : nullptr, out, beta, apart ? nullptr : y,
          apart ? sums_.data() : nullptr);
    entry_list<Value> rest = entries_of(m_.rest_row_indices, m_.rest_col_indices, m_.rest_values, op_);
    if (apart) rest.outputs = rest_places_.data();
    const bool rest_apart = mode_ == tile_mode::written && rest.count > 0;
    with_kernel([&](auto kernel, auto arrays) {
      arrays.ahead = ahead;
      // Where x and the sums are long, the kernel that prepares them takes as long alone, and is waited for.
      const launch_size size{clearers_ + static_cast<unsigned>(shares_.size()),
                             static_cast<unsigned>(warps_) * 32, shared_bytes(warps_), prepared && !apart};
      launch(on_, size, kernel, arrays, rest_apart ? entry_list<Value>{} : rest, alpha,
             renumbered ? gathered_.data() : x, beta, x, apart ? sums_.data() : y);
    });
    if (rest_apart)
      launch(on_, launch_size{blocks_for(rest.count, threads), threads, 0, true}, add_rest<Value>, rest,
             alpha, x, y);
    if (apart)
      launch(on_, launch_size{blocks_for(out, threads), threads, 0, true}, bring_sums<Value>, out,
             places_.data(), sums_.data(), beta, y);
    check_cuda(cudaGetLastError());
  }

 private:
  bool transposed() const { return op_ == operation::transposed; }
  int tile_outputs_count() const { return transposed() ? m_.tile_width : m_.tile_height; }
  int tile_inputs_count() const { return transposed() ? m_.tile_height : m_.tile_width; }
  std::int64_t piece_cost() const {
    return tile_tuning::piece_cost + tile_inputs_count() / tile_tuning::inputs_a_group;
  }
  std::size_t shared_bytes(int warps) const {
    return tile_shared_bytes<Value>(transposed(), warps, tile_outputs_count(), tile_inputs_count());
  }
  void add_up_apart() {
    const auto& order = transposed() ? m_.col_order : m_.row_order;
    const auto& rest = transposed() ? m_.rest_col_indices : m_.rest_row_indices;
    constexpr int threads = tile_tuning::vector_threads;
    sums_ = array<Value, device>(order.size());
    places_ = array<std::int32_t, device>(order.size());
    invert_order<<<blocks_for(order.size(), threads), threads, 0, on_.stream>>>(order.size(), order.data(),
                                                                                places_.data());
    rest_places_ = array<std::int32_t, device>(rest.size());
    if (rest.size() > 0)
      look_up_places<<<blocks_for(rest.size(), threads), threads, 0, on_.stream>>>(
          rest.size(), rest.data(), places_.data(), rest_places_.data());
    check_cuda(cudaGetLastError());
  }
  // For the kernel of the mode; returns how many thread blocks the GPU has room for.
  std::int64_t choose_warps() {
    const int resident = resident_with(tile_tuning::warps),
              resident_with_most = resident_with(tile_tuning::most_warps);
    const bool most = resident_with_most * tile_tuning::most_warps > resident * tile_tuning::warps;
    warps_ = most ? tile_tuning::most_warps : tile_tuning::warps;
    return std::int64_t{most ? resident_with_most : resident} * multiprocessors();
  }
  // Thread blocks of so many warps that a multiprocessor has room for.
  int resident_with(int warps) const {
    int resident = 0;
    with_kernel([&](auto kernel, auto) {
      // The limit belongs to the function, which other matrices use too: it is always the same.
      check_cuda(
          cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most_tile_bytes()));
      check_cuda(
          cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, warps * 32, shared_bytes(warps)));
    });
    return resident;
  }
  // Calls use(kernel, arrays) with the kernel for this operation, width of indices and number of lanes.
  template <class Use>
  void with_kernel(Use use) const {
    if (m_.combined32.size() > 0)
      with_index(m_.combined32.data(), use);
    else
      with_index(m_.combined16.data(), use);
  }
  template <class Index, class Use>
  void with_index(const Index* combined, Use use) const {
    with_operation(op_, [&](auto transposed) {
      constexpr bool t = decltype(transposed)::value;
      const auto& order = t ? m_.col_order : m_.row_order;
      use(m_.group_size != 32           ? multiply_tiles<false, t, tile_mode::added, Value, Index>
          : mode_ == tile_mode::written ? multiply_tiles<true, t, tile_mode::written, Value, Index>
          : mode_ == tile_mode::cleared ? multiply_tiles<true, t, tile_mode::cleared, Value, Index>
                                        : multiply_tiles<true, t, tile_mode::added, Value, Index>,
          tile_arrays<Value, Index>{m_.values.data(), combined, shares_.data(), pieces_.data(),
                                    stored_groups_.data(),
                                    tile_cells(m_.tile_height, m_.tile_width, m_.group_size),
                                    tile_outputs_count(), tile_inputs_count(), outputs(m_, op_),
                                    m_.renumbered != 0 && sums_.size() == 0 ? order.data() : nullptr,
                                    arrivals_.data(), slots_.data(), clearers_, counts_.data()});
    });
  }

  cuda on_;
  matrix m_;
  operation op_;
  int warps_ = tile_tuning::warps;
  array<tile_piece, device> pieces_;
  array<tile_share, device> shares_;
  array<std::int32_t, device> stored_groups_;
  tile_mode mode_ = tile_mode::added;
  unsigned clearers_ = 0;
  mutable array<clear_counts, device> counts_;
  mutable array<unsigned, device> arrivals_;
  mutable array<Value, device> gathered_, sums_;  // in the tiles' numbers, where those are not the matrix's
  mutable array<Value, device> slots_;
  // Where sums are apart: each output's place in them, and that of the rest's outputs.
  array<std::int32_t, device> places_, rest_places_;
};

template <class Offset, class Value>
class gcsb_tile_both {
 public:
  static constexpr kernel_info info{
      .name = "gcsb/tile-both",
      .description = "both products of a tile while its entries are at hand, no atomics in the loop",
      .source = "ours, layout tile",
      .computes = {false, false, true, false},
      .facts = {.walk = kernel_facts::rows::balanced, .launches = {.both = 2}, .launches_to_renumber = 0}};
  using matrix = gcsb_tile_view<Offset, Value, device>;

  static std::string why_not(const matrix& m, operation) {
    const std::size_t bytes = tile_both_shared_bytes<Value>(m.tile_height, m.tile_width);
    return bytes <= static_cast<std::size_t>(most_tile_bytes())
               ? ""
               : "its tiles are too large for the sums of both products in shared memory";
  }

  gcsb_tile_both(cuda on, const matrix& m, operation)
      : on_(on), m_(m), shared_bytes_(tile_both_shared_bytes<Value>(m.tile_height, m.tile_width)) {
    const tile_list list = list_tiles(outline_of_tiles(m), false, find_used(on, m, operation::multiply));
    // Where a tile ends its columns' sums leave: that costs about what a window of x does.
    const std::int64_t piece_cost = tile_tuning::piece_cost + 2 * m.tile_width / tile_tuning::inputs_a_group;
    const std::int64_t cost = list.groups + static_cast<std::int64_t>(list.tiles.size()) * piece_cost;
    int resident = 0;
    with_kernel([&](auto kernel, auto) {
      check_cuda(
          cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most_tile_bytes()));
      check_cuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel,
                                                               tile_both_limits::warps * 32, shared_bytes_));
    });
    const tile_shares shares =
        share_tiles(list,
                    std::clamp<std::int64_t>(cost / tile_tuning::least_share, 1,
                                             std::int64_t{resident} * multiprocessors()),
                    piece_cost);
    pieces_ = upload(shares.pieces);
    shares_ = upload(shares.shares);
    if (m.renumbered != 0) {
      gathered_x_ = array<Value, device>(m.cols);
      gathered_w_ = array<Value, device>(m.rows);
    }
  }

  std::int64_t bytes() const {
    return pieces_.size() * std::int64_t{sizeof(tile_piece)} +
           shares_.size() * std::int64_t{sizeof(tile_share)} +
           (gathered_x_.size() + gathered_w_.size()) * std::int64_t{sizeof(Value)};
  }

  void run_both(Value alpha, const Value* x, const Value* w, Value beta, Value* y, Value* z) const {
    const bool renumbered = m_.renumbered != 0, prepared = renumbered || beta != Value{1};
    constexpr int threads = tile_tuning::vector_threads;
    read_ahead ahead(tile_tuning::most_read_ahead);
    ahead.add(m_.values.data(), m_.values.size());
    ahead.add(m_.combined16.data(), m_.combined16.size());
    ahead.add(x, m_.cols);
    if (prepared)
      prepare_both<<<resident_blocks(std::max(m_.rows, m_.cols), threads), threads, 0, on_.stream>>>(
          ahead, m_.rows, m_.cols, m_.row_order.data(), m_.col_order.data(), x, w,
          renumbered ? gathered_x_.data() : nullptr, gathered_w_.data(), beta, y, z);
    with_kernel([&](auto kernel, const auto& arrays) {
      launch(on_,
             launch_size{static_cast<unsigned>(shares_.size()), tile_both_limits::warps * 32, shared_bytes_,
                         prepared},
             kernel, arrays, alpha, renumbered ? gathered_x_.data() : x, renumbered ? gathered_w_.data() : w,
             y, z);
    });
    check_cuda(cudaGetLastError());
    if (m_.rest_values.size() > 0)
      add_entries_both(on_,
                       entries_of(m_.rest_row_indices, m_.rest_col_indices, m_.rest_values, operation::both),
                       alpha, x, w, y, z);
  }

 private:
  // Calls use(kernel, arrays) with the kernel for this width of indices and number of lanes.
  template <class Use>
  void with_kernel(Use use) const {
    if (m_.combined32.size() > 0)
      with_index(m_.combined32.data(), use);
    else
      with_index(m_.combined16.data(), use);
  }
  template <class Index, class Use>
  void with_index(const Index* combined, Use use) const {
    const bool renumbered = m_.renumbered != 0;
    use(m_.group_size == 32 ? multiply_tiles_both<true, Value, Index>
                            : multiply_tiles_both<false, Value, Index>,
        tile_both_arrays<Value, Index>{
            m_.values.data(), combined, shares_.data(), pieces_.data(),
            tile_cells(m_.tile_height, m_.tile_width, m_.group_size), m_.tile_height, m_.tile_width, m_.rows,
            m_.cols, renumbered ? m_.row_order.data() : nullptr, renumbered ? m_.col_order.data() : nullptr});
  }

  cuda on_;
  matrix m_;
  std::size_t shared_bytes_;
  array<tile_piece, device> pieces_;
  array<tile_share, device> shares_;
  mutable array<Value, device> gathered_x_, gathered_w_;  // in the tiles' numbers
};

}  // namespace

template <class Offset, class Value>
struct table_of<gcsb_tile_view<Offset, Value, device>> {
  static kernel_table<gcsb_tile_view<Offset, Value, device>> lines() {
    return {kernel_of<gcsb_tile_kernel<Offset, Value>>(), kernel_of<gcsb_tile_both<Offset, Value>>()};
  }
};

template kernel_table<gcsb_tile_view<std::int32_t, float, device>> kernels_of(
    const gcsb_tile_view<std::int32_t, float, device>&);
template kernel_table<gcsb_tile_view<std::int32_t, double, device>> kernels_of(
    const gcsb_tile_view<std::int32_t, double, device>&);
template kernel_table<gcsb_tile_view<std::int64_t, float, device>> kernels_of(
    const gcsb_tile_view<std::int64_t, float, device>&);
template kernel_table<gcsb_tile_view<std::int64_t, double, device>> kernels_of(
    const gcsb_tile_view<std::int64_t, double, device>&);

}  // namespace sparsmith
