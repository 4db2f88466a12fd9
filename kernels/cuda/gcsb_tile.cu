// gcsb/tile: products from GCSB's layout `tile` without atomics inside the loop. How many launches that takes
// (`tile_mode`) depends on how many thread blocks share a line of tiles, on the number of outputs, on a rest
// and on whether the tiles have numbers of their own for rows and columns.
#include "convert/formats/sizes.hpp"
#include "kernels/cuda/gcsb_tile.hpp"
#include "kernels/cuda/read_ahead.hpp"
#include "kernels/cuda/tile_setup.hpp"
#include "kernels/table.hpp"

namespace sparsmith {
namespace {

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

}  // namespace

template <class Offset, class Value>
struct table_of<gcsb_tile_view<Offset, Value, device>> {
  static kernel_table<gcsb_tile_view<Offset, Value, device>> lines() {
    return {kernel_of<gcsb_tile_kernel<Offset, Value>>(),
            line_of<gcsb_tile_both, gcsb_tile_view, device>::on(gcsb_tile_view<Offset, Value, device>{})};
  }
};

template <class Offset, class Value>
struct table_of<gcsb_tile_half_view<Offset, Value, device>> {
  using matrix = gcsb_tile_half_view<Offset, Value, device>;
  static kernel_table<matrix> lines() {
    return {line_of<gcsb_tile_half_both, gcsb_tile_half_view, device>::on(matrix{})};
  }
};

#define SPARSMITH_INSTANTIATE(O, V)                                                                    \
  template kernel_table<gcsb_tile_view<O, V, device>> kernels_of(const gcsb_tile_view<O, V, device>&); \
  template kernel_table<gcsb_tile_half_view<O, V, device>> kernels_of(                                 \
      const gcsb_tile_half_view<O, V, device>&);
SPARSMITH_INSTANTIATE(std::int32_t, float)
SPARSMITH_INSTANTIATE(std::int32_t, double)
SPARSMITH_INSTANTIATE(std::int64_t, float)
SPARSMITH_INSTANTIATE(std::int64_t, double)

}  // namespace sparsmith
