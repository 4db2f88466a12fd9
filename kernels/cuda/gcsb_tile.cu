// gcsb/tile: products from GCSB's layout `tile` without atomics inside the loop. Two launches: one brings x
// into the tiles' numbers and scales y, the other walks the tiles and the rest, and starts before the first
// has ended. Where there are many sums in other numbers than y's, a third adds them to y: atomics on
// scattered addresses are slower than that.
#include "convert/formats/sizes.hpp"
#include "kernels/cuda/tile_product.hpp"
#include "kernels/table.hpp"

namespace sparsmith {
namespace {

struct tile_tuning {
  // Of a thread block. More warps share a window and add up their sums in shared memory, but wait for each
  // other where a tile ends: two where tiles are short.
  static constexpr int warps = 4, warps_of_short_tiles = 2;
  static constexpr std::int64_t groups_of_short_tiles = 24;  // on average
  // What a piece of a tile costs beside its steps, in groups: a window of x, and waiting for the other warps.
  static constexpr std::int64_t piece_cost = 3;
  // Of a share: below that, starting a thread block and adding its sums to y costs more than it brings.
  static constexpr std::int64_t least_share = 16;
  static constexpr std::int64_t rest_per_group = 64;  // entries of the rest that cost as much as a group
  static constexpr int most_shared_bytes = 227 * 1024;
  // Sums from which on they are added up in the tiles' numbers first.
  static constexpr std::int64_t many_scattered_sums = 1 << 18;
  static constexpr int vector_threads = 256;  // of a thread block that renumbers x or the sums
};

// gathered = x in the tiles' numbers, y = beta y, and sums = 0; what is null is left out.
template <class Value>
__global__ void prepare_vectors(std::int64_t inputs, const std::int32_t* order, const Value* x,
                                Value* gathered, std::int64_t outputs, Value beta, Value* y, Value* sums) {
  let_next_kernel_start();
  const std::int64_t first = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x,
                     stride = std::int64_t{gridDim.x} * blockDim.x;
  if (gathered != nullptr)
    for (std::int64_t i = first; i < inputs; i += stride) gathered[i] = x[order[i]];
  if (beta != Value{1})
    for (std::int64_t i = first; i < outputs; i += stride) y[i] = updated(beta, y + i, Value{0});
  if (sums != nullptr)
    for (std::int64_t i = first; i < outputs; i += stride) sums[i] = 0;
}

template <class Value>
__global__ void add_sums(std::int64_t count, const std::int32_t* order, const Value* sums, Value* y) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) y[order[i]] += sums[i];
}

template <class T>
array<T, device> upload(const std::vector<T>& items) {
  array<T, device> copy(static_cast<std::int64_t>(items.size()));
  copy_bytes(place::device, copy.data(), place::host, items.data(), copy.size() * std::int64_t{sizeof(T)});
  return copy;
}

template <class Offset, class Value>
struct gcsb_tile_kernel {
  static constexpr kernel_info info{
      "gcsb/tile", "warps sum up tiles in shared memory, no atomics in the loop", "ours, layout tile"};
  using matrix = gcsb_tile_view<Offset, Value, device>;

  gcsb_tile_kernel(cuda on, const matrix& m, operation op) : on_(on), m_(m), op_(op) {
    gcsb_tile<Offset, float, host> outline;
    outline.tile_height = m.tile_height;
    outline.tile_width = m.tile_width;
    outline.tile_rows = copy_to<host>(m.tile_rows, place::device);
    outline.tile_cols = copy_to<host>(m.tile_cols, place::device);
    outline.tile_offsets = copy_to<host>(m.tile_offsets, place::device);
    outline.tiles_by_column = copy_to<host>(m.tiles_by_column, place::device);
    const tile_list list = list_tiles(outline, transposed());
    const auto tiles = static_cast<std::int64_t>(list.tiles.size());
    warps_ = list.groups < tiles * tile_tuning::groups_of_short_tiles ? tile_tuning::warps_of_short_tiles
                                                                      : tile_tuning::warps;
    int resident = 0;
    with_kernel([&](auto kernel, auto) {
      // The limit belongs to the function, which other matrices use too: it is always the same.
      check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      tile_tuning::most_shared_bytes));
      check_cuda(
          cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, warps_ * 32, shared_bytes()));
    });
    // One wave: more thread blocks than fit would only add more sums to y, and the last ones run alone.
    const std::int64_t fitting = std::int64_t{resident} * multiprocessors(),
                       cost = list.groups + tiles * tile_tuning::piece_cost +
                              m.rest_values.size() / tile_tuning::rest_per_group;
    const tile_shares shares = share_tiles(
        list, std::clamp<std::int64_t>(cost / tile_tuning::least_share, 1, fitting), tile_tuning::piece_cost);
    pieces_ = upload(shares.pieces);
    shares_ = upload(shares.shares);
    if (m.renumbered != 0) {
      gathered_ = array<Value, device>(inputs(m, op));
      const std::int64_t lines = groups_of(outputs(m, op), tile_outputs());
      if ((shares_.size() + lines) * tile_outputs() > tile_tuning::many_scattered_sums)
        sums_ = array<Value, device>(outputs(m, op));
    }
  }

  std::int64_t bytes() const {
    return pieces_.size() * std::int64_t{sizeof(tile_piece)} +
           shares_.size() * std::int64_t{sizeof(tile_share)} +
           (gathered_.size() + sums_.size()) * std::int64_t{sizeof(Value)};
  }

  void run(Value alpha, const Value* x, Value beta, Value* y) const {
    const bool renumbered = m_.renumbered != 0, apart = sums_.size() > 0;
    const std::int64_t in = inputs(m_, op_), out = outputs(m_, op_);
    const auto& in_order = transposed() ? m_.row_order : m_.col_order;
    const auto& out_order = transposed() ? m_.col_order : m_.row_order;
    constexpr int threads = tile_tuning::vector_threads;
    const bool prepared = renumbered || beta != Value{1};
    if (prepared)
      prepare_vectors<<<resident_blocks(std::max(in, out), threads), threads, 0, on_.stream>>>(
          in, in_order.data(), x, renumbered ? gathered_.data() : nullptr, out, beta, y,
          apart ? sums_.data() : nullptr);
    const entry_list<Value> rest = entries_of(m_.rest_row_indices, m_.rest_col_indices, m_.rest_values, op_);
    with_kernel([&](auto kernel, const auto& arrays) {
      const launch_size size{static_cast<unsigned>(shares_.size()), static_cast<unsigned>(warps_) * 32,
                             shared_bytes(), prepared};
      launch(on_, size, kernel, arrays, rest, alpha, renumbered ? gathered_.data() : x,
             apart ? sums_.data() : y, x, y);
    });
    if (apart)
      add_sums<<<blocks_for(out, threads), threads, 0, on_.stream>>>(out, out_order.data(), sums_.data(), y);
    check_cuda(cudaGetLastError());
  }

 private:
  bool transposed() const { return op_ == operation::transposed; }
  int tile_outputs() const { return transposed() ? m_.tile_width : m_.tile_height; }
  int tile_inputs() const { return transposed() ? m_.tile_height : m_.tile_width; }
  std::size_t shared_bytes() const {
    return tile_shared_bytes<Value>(transposed(), warps_, tile_outputs(), tile_inputs());
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
      use(m_.group_size == 32 ? multiply_tiles<true, t, Value, Index>
                              : multiply_tiles<false, t, Value, Index>,
          tile_arrays<Value, Index>{m_.values.data(), combined, shares_.data(), pieces_.data(),
                                    tile_cells(m_.tile_height, m_.tile_width, m_.group_size), tile_outputs(),
                                    tile_inputs(), outputs(m_, op_), inputs(m_, op_),
                                    m_.renumbered != 0 && sums_.size() == 0 ? order.data() : nullptr});
    });
  }

  cuda on_;
  matrix m_;
  operation op_;
  int warps_ = tile_tuning::warps;
  array<tile_piece, device> pieces_;
  array<tile_share, device> shares_;
  mutable array<Value, device> gathered_, sums_;  // in the tiles' numbers, where those are not the matrix's
};

}  // namespace

template <class Offset, class Value>
struct table_of<gcsb_tile_view<Offset, Value, device>> {
  static kernel_table<gcsb_tile_view<Offset, Value, device>> lines() {
    return {kernel_of<gcsb_tile_kernel<Offset, Value>>()};
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
