// What walks GCSB's layout `tile` once for two products: A x beside A^T w, and the product with a symmetric
// matrix of which half is stored, where an entry is its mirror image's as well.
#include "kernels/cuda/gcsb_tile.hpp"
#include "kernels/cuda/mirror_images.hpp"
#include "kernels/cuda/read_ahead.hpp"
#include "kernels/cuda/tile_both.hpp"
#include "kernels/cuda/tile_setup.hpp"
#include "kernels/line_here.hpp"

namespace sparsmith {
namespace {

// x and w in the tiles' numbers, where they are not the matrix's, and y = beta y, z = beta z.
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

// The tiles of a matrix in shares of equal cost, walked once for two products.
template <bool Half, class Offset, class Value>
class tiles_walked_once {
 public:
  using matrix = gcsb_tile_view<Offset, Value, device>;

  static std::string why_not(const matrix& m) {
    const std::size_t bytes = tile_both_shared_bytes<Value>(m.tile_height, m.tile_width);
    return bytes <= static_cast<std::size_t>(most_tile_bytes())
               ? ""
               : "its tiles are too large for sums of rows and of columns in shared memory";
  }

  tiles_walked_once(cuda on, const matrix& m)
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
  }

  std::int64_t bytes() const {
    return pieces_.size() * std::int64_t{sizeof(tile_piece)} +
           shares_.size() * std::int64_t{sizeof(tile_share)};
  }
  read_ahead ahead(const Value* x) const {
    read_ahead ranges(tile_tuning::most_read_ahead);
    ranges.add(m_.values.data(), m_.values.size());
    ranges.add(m_.combined16.data(), m_.combined16.size());
    ranges.add(x, m_.cols);
    return ranges;
  }

  // y += alpha A x and z += alpha mirror A^T w, x and w in the tiles' numbers. Prepared: the launch before
  // makes what this one reads.
  void run(bool prepared, Value alpha, const Value* x, Value mirror, const Value* w, Value* y,
           Value* z) const {
    with_kernel([&](auto kernel, const auto& arrays) {
      launch(on_,
             launch_size{static_cast<unsigned>(shares_.size()), tile_both_limits::warps * 32, shared_bytes_,
                         prepared},
             kernel, arrays, alpha, x, mirror, w, y, z);
    });
    check_cuda(cudaGetLastError());
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
    use(m_.group_size == 32 ? multiply_tiles_both<true, Half, Value, Index>
                            : multiply_tiles_both<false, Half, Value, Index>,
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
};

}  // namespace

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
    return tiles_walked_once<false, Offset, Value>::why_not(m);
  }

  gcsb_tile_both(cuda on, const matrix& m, operation) : on_(on), m_(m), tiles_(on, m) {
    if (m.renumbered != 0) {
      gathered_x_ = array<Value, device>(m.cols);
      gathered_w_ = array<Value, device>(m.rows);
    }
  }

  std::int64_t bytes() const {
    return tiles_.bytes() + (gathered_x_.size() + gathered_w_.size()) * std::int64_t{sizeof(Value)};
  }

  void run_both(Value alpha, const Value* x, const Value* w, Value beta, Value* y, Value* z) const {
    const bool renumbered = m_.renumbered != 0, prepared = renumbered || beta != Value{1};
    constexpr int threads = tile_tuning::vector_threads;
    if (prepared)
      prepare_both<<<resident_blocks(std::max(m_.rows, m_.cols), threads), threads, 0, on_.stream>>>(
          tiles_.ahead(x), m_.rows, m_.cols, m_.row_order.data(), m_.col_order.data(), x, w,
          renumbered ? gathered_x_.data() : nullptr, gathered_w_.data(), beta, y, z);
    tiles_.run(prepared, alpha, renumbered ? gathered_x_.data() : x, Value{1},
               renumbered ? gathered_w_.data() : w, y, z);
    if (m_.rest_values.size() > 0)
      add_entries_both(on_,
                       entries_of(m_.rest_row_indices, m_.rest_col_indices, m_.rest_values, operation::both),
                       alpha, x, w, y, z);
  }

 private:
  cuda on_;
  matrix m_;
  tiles_walked_once<false, Offset, Value> tiles_;
  mutable array<Value, device> gathered_x_, gathered_w_;  // in the tiles' numbers
};

template <class Offset, class Value>
class gcsb_tile_half_both {
 public:
  static constexpr kernel_info info{
      .name = "gcsb/tile-half",
      .description = "a tile and its mirror image at once, as gcsb/tile-both",
      .source = "ours, layout tile",
      .facts = {.walk = kernel_facts::rows::balanced, .launches = {.multiply = 2, .transposed = 2}}};
  using matrix = gcsb_tile_half_view<Offset, Value, device>;

  static std::string why_not(const matrix& m, operation) {
    return tiles_walked_once<true, Offset, Value>::why_not(m.upper);
  }

  gcsb_tile_half_both(cuda on, const matrix& m, operation op)
      : on_(on),
        m_(m.upper),
        mirror_(m.mirror()),
        sign_(sign_of_product(m, op)),
        tiles_(on, m.upper),
        rest_(m.upper.rest_row_indices, m.upper.rest_col_indices, m.upper.rest_values) {}
  std::int64_t bytes() const { return tiles_.bytes() + rest_.bytes(); }

  void run(Value alpha, const Value* x, Value beta, Value* y) const {
    alpha *= sign_;
    const bool prepared = scale(on_, m_.rows, beta, y);
    tiles_.run(prepared, alpha, x, mirror_, x, y, y);
    add_entries(on_,
                entries_of(m_.rest_row_indices, m_.rest_col_indices, m_.rest_values, operation::multiply),
                alpha, x, y);
    add_entries(on_, rest_.list(), alpha * mirror_, x, y);
  }

 private:
  cuda on_;
  gcsb_tile_view<Offset, Value, device> m_;
  Value mirror_, sign_;
  tiles_walked_once<true, Offset, Value> tiles_;
  mirror_images<Value> rest_;
};

template struct line_of<gcsb_tile_both, gcsb_tile_view, device>;
template struct line_of<gcsb_tile_half_both, gcsb_tile_half_view, device>;

}  // namespace sparsmith
