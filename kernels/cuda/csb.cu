// CSB, eCSB and GCSB on a GPU, as in the thesis: every thread walks the entries of one block (or of a part of
// a block row, or a single entry) and adds to y with atomics. While the output stays the same it keeps the
// sum, so that an atomic serves several entries where their order allows it.
#include <bit>

#include "convert/formats/block_index.hpp"
#include "convert/formats/sizes.hpp"
#include "kernels/cuda/overlap.hpp"
#include "kernels/table.hpp"

namespace sparsmith {
namespace {

struct csb_tuning {
  static constexpr int threads = 128;    // of a thread block
  static constexpr int slots_ahead = 4;  // loaded before the first is used
  // eCSB's block rows: of one, a thread walks at least so many slots; more where the slots would otherwise
  // ask for more threads than a GPU holds at once.
  static constexpr std::int64_t least_share = 4;
  static constexpr std::int64_t threads_per_multiprocessor = 2048;
};
constexpr int threads = csb_tuning::threads;

// A thread that meets another output adds what it has to y; the model takes every slot to be one addition.
constexpr kernel_facts facts_of(int launches) {
  return {.walk = kernel_facts::rows::balanced,
          .additions = {kernel_facts::adds::every, kernel_facts::adds::every, kernel_facts::adds::every, {}},
          .launches = {launches, launches, launches + 1, 0}};
}

struct cell {
  std::int32_t row, col;
};

// The blocks of a matrix: a block's position is row-major, block row * blocks a row + block column.
template <class Offset>
struct block_grid {
  Offset blocks_per_row;
  int side_bits;

  template <class Matrix>
  explicit block_grid(const Matrix& m)
      : blocks_per_row(static_cast<Offset>(groups_of(m.cols, m.beta))),
        side_bits(std::countr_zero(static_cast<unsigned>(m.beta))) {}

  // The upper left cell of a block.
  __device__ cell corner(Offset position) const {
    const Offset block_row = position / blocks_per_row;
    return {static_cast<std::int32_t>(block_row) << side_bits,
            static_cast<std::int32_t>(position - block_row * blocks_per_row) << side_bits};
  }
  __device__ cell inside(const cell& corner, std::uint32_t index) const {
    const block_cells cells{side_bits, block_order::row};
    return {corner.row + static_cast<std::int32_t>(cells.row_of(index)),
            corner.col + static_cast<std::int32_t>(cells.col_of(index))};
  }
};

// What a walk reads and adds to: x for y in the products with A, w for z in those with A^T. A kernel of one
// product has one of each, under both names.
template <class Value>
struct walk_vectors {
  const Value* x;
  const Value* w;
  Value* y;
  Value* z;
};

// y += alpha A x, z += alpha A^T w, or both, for the slots first, first + stride, ... below last;
// cell_of(slot) is the place of a slot. A slot at the same place as the one before is padding: entries are
// all different. Of both, rows are those that keep their sum, and columns get an atomic for every entry.
template <operation Op, class Cells, class Value>
__device__ void add_slots(std::int64_t first, std::int64_t last, std::int64_t stride, const Cells& cell_of,
                          const Value* __restrict__ values, Value alpha, const walk_vectors<Value>& v) {
  constexpr int ahead = csb_tuning::slots_ahead;
  constexpr bool transposed = Op == operation::transposed;
  const Value* __restrict__ x = transposed ? v.w : v.x;
  const Value* __restrict__ w = v.w;
  Value* const y = transposed ? v.z : v.y;
  std::int32_t output = -1, input = -1;  // of the last entry
  Value sum = 0;
  for (std::int64_t slot = first; slot < last; slot += ahead * stride) {
    cell cells[ahead];
    Value products[ahead], others[Op == operation::both ? ahead : 1];
#pragma unroll
    for (int i = 0; i < ahead; ++i) {
      // Past the end it reads a slot again, and forgets it below: a branch would wait for every load.
      const std::int64_t own = slot + i * stride, at = own < last ? own : slot;
      cells[i] = cell_of(at);
      products[i] = values[at];
    }
#pragma unroll
    for (int i = 0; i < ahead; ++i) {
      if constexpr (Op == operation::both) others[i] = products[i] * w[cells[i].row];
      products[i] *= x[transposed ? cells[i].row : cells[i].col];
    }
    if (slot == first) wait_for_kernel_before();  // which may be the one that scales outputs
#pragma unroll
    for (int i = 0; i < ahead; ++i) {
      const std::int32_t to = transposed ? cells[i].col : cells[i].row;
      const std::int32_t from = transposed ? cells[i].row : cells[i].col;
      if (slot + i * stride >= last || (to == output && from == input)) continue;
      if (to != output) {
        if (output >= 0) atomicAdd(y + output, alpha * sum);
        sum = 0;
      }
      output = to;
      input = from;
      sum += products[i];
      if constexpr (Op == operation::both) atomicAdd(v.z + from, alpha * others[i]);
    }
  }
  if (output >= 0) atomicAdd(y + output, alpha * sum);
}

// The cells of the slots of one block.
template <class Offset>
struct cells_of_block {
  block_grid<Offset> grid;
  cell corner;
  index_reader combined;
  __device__ cell operator()(std::int64_t slot) const { return grid.inside(corner, combined[slot]); }
};

// The cells of slots that name their blocks.
template <class Offset>
struct cells_of_slots {
  block_grid<Offset> grid;
  const Offset* positions;
  index_reader combined;
  __device__ cell operator()(std::int64_t slot) const {
    return grid.inside(grid.corner(positions[slot]), combined[slot]);
  }
};

__device__ std::int64_t own_thread() {
  return std::int64_t{blockIdx.x} * threads + threadIdx.x;
}

// Without `positions`, block b is at position b.
template <operation Op, class Offset, class Value>
__global__ void __launch_bounds__(threads)
    walk_blocks(std::int64_t blocks, block_grid<Offset> grid, const Offset* offsets, const Offset* positions,
                index_reader combined, const Value* values, Value alpha, const walk_vectors<Value> vectors) {
  const std::int64_t b = own_thread();
  if (b >= blocks) return;
  const cell corner = grid.corner(positions == nullptr ? static_cast<Offset>(b) : positions[b]);
  add_slots<Op>(offsets[b], offsets[b + 1], 1, cells_of_block<Offset>{grid, corner, combined}, values, alpha,
                vectors);
}

template <operation Op, class Offset, class Value>
__global__ void __launch_bounds__(threads)
    walk_lanes(std::int64_t blocks, block_grid<Offset> grid, std::int32_t group_size,
               const Offset* group_offsets, const Offset* positions, index_reader combined,
               const Value* values, Value alpha, const walk_vectors<Value> vectors) {
  const std::int64_t b = own_thread();
  if (b >= blocks) return;
  const std::int64_t group = b / group_size, lane = b % group_size;
  add_slots<Op>(group_offsets[group] + lane, group_offsets[group + 1], group_size,
                cells_of_block<Offset>{grid, grid.corner(positions[b]), combined}, values, alpha, vectors);
}

template <operation Op, class Offset, class Value>
__global__ void __launch_bounds__(threads)
    add_each(std::int64_t count, cells_of_slots<Offset> cells, const Value* values, Value alpha,
             const walk_vectors<Value> vectors) {
  const std::int64_t e = own_thread();
  if (e >= count) return;
  const cell place = cells(e);
  const Value value = alpha * values[e];
  const Value of_row = Op != operation::transposed ? value * vectors.x[place.col] : Value{0},
              of_col = Op != operation::multiply ? value * vectors.w[place.row] : Value{0};
  wait_for_kernel_before();
  if constexpr (Op != operation::transposed) atomicAdd(vectors.y + place.row, of_row);
  if constexpr (Op != operation::multiply) atomicAdd(vectors.z + place.col, of_col);
}

// Each block row's slots are walked by several threads, `share` slots each: block rows alone are too few to
// keep a GPU busy.
template <operation Op, class Offset, class Value>
__global__ void __launch_bounds__(threads)
    walk_block_rows(std::int64_t block_rows, std::int64_t width, std::int64_t share, const Offset* offsets,
                    cells_of_slots<Offset> cells, const Value* values, Value alpha,
                    const walk_vectors<Value> vectors) {
  const std::int64_t part = own_thread() / block_rows, b = own_thread() % block_rows;
  const std::int64_t first = part * share;
  const std::int64_t length = min(width, std::int64_t{offsets[b + 1]} - offsets[b]);
  const std::int64_t last = min(length, first + share);
  add_slots<Op>(first * block_rows + b, last * block_rows, block_rows, cells, values, alpha, vectors);
}

// Calls use(operation) with the one that walks compute.
template <class Use>
void with_walk(operation op, Use use) {
  if (op == operation::both)
    use(operation_constant<operation::both>{});
  else
    with_product(op, use);
}

// What is added to is scaled first. Whether the last launch did that.
template <class Matrix, class Value>
bool scale_for(cuda on, const Matrix& m, operation op, Value beta, const walk_vectors<Value>& v) {
  bool scaled = false;
  if (op != operation::transposed) scaled = scale(on, m.rows, beta, v.y);
  if (op != operation::multiply) scaled = scale(on, m.cols, beta, v.z);
  return scaled;
}

template <class Offset, class Value>
struct csb_block {
  static constexpr kernel_info info{.name = "csb/block",
                                    .description = "a thread for every block",
                                    .source = "GCSB thesis",
                                    .history = true,
                                    .computes = {true, true, true, false},
                                    .facts = facts_of(2)};
  using matrix = csb_view<Offset, Value, device>;

  csb_block(cuda on, const matrix& m, operation op) : on_(on), m_(m), op_(op) {}

  void run(Value alpha, const Value* x, Value beta, Value* y) const { run_any(alpha, beta, {x, x, y, y}); }
  void run_both(Value alpha, const Value* x, const Value* w, Value beta, Value* y, Value* z) const {
    run_any(alpha, beta, {x, w, y, z});
  }

 private:
  void run_any(Value alpha, Value beta, const walk_vectors<Value>& vectors) const {
    const bool scaled = scale_for(on_, m_, op_, beta, vectors);
    const std::int64_t blocks = m_.block_offsets.size() - 1;
    with_walk(op_, [&](auto op) {
      launch(on_, launch_size{blocks_for(blocks, threads), threads, 0, scaled},
             walk_blocks<op.value, Offset, Value>, blocks, block_grid<Offset>(m_), m_.block_offsets.data(),
             m_.dense_blocks != 0 ? nullptr : m_.block_indices.data(),
             index_reader{m_.combined16.data(), m_.combined32.data()}, m_.values.data(), alpha, vectors);
    });
  }

  cuda on_;
  matrix m_;
  operation op_;
};

template <class Offset, class Value>
struct gcsb_lane {
  static constexpr kernel_info info{.name = "gcsb/lane",
                                    .description = "a thread for every block, a lane of its group",
                                    .source = "GCSB thesis",
                                    .history = true,
                                    .computes = {true, true, true, false},
                                    .facts = facts_of(2)};
  using matrix = gcsb_view<Offset, Value, device>;

  gcsb_lane(cuda on, const matrix& m, operation op) : on_(on), m_(m), op_(op) {}

  void run(Value alpha, const Value* x, Value beta, Value* y) const { run_any(alpha, beta, {x, x, y, y}); }
  void run_both(Value alpha, const Value* x, const Value* w, Value beta, Value* y, Value* z) const {
    run_any(alpha, beta, {x, w, y, z});
  }

 private:
  void run_any(Value alpha, Value beta, const walk_vectors<Value>& vectors) const {
    const bool scaled = scale_for(on_, m_, op_, beta, vectors);
    with_walk(op_, [&](auto op) {
      launch(on_, launch_size{blocks_for(m_.filled_blocks, threads), threads, 0, scaled},
             walk_lanes<op.value, Offset, Value>, m_.filled_blocks, block_grid<Offset>(m_), m_.group_size,
             m_.group_offsets.data(), m_.block_indices.data(),
             index_reader{m_.combined16.data(), m_.combined32.data()}, m_.values.data(), alpha, vectors);
    });
  }

  cuda on_;
  matrix m_;
  operation op_;
};

constexpr kernel_info ecsb_infos[] = {
    {.name = "ecsb/coo",
     .description = "a thread for every entry",
     .source = "GCSB thesis",
     .computes = {true, true, true, false},
     .facts = facts_of(2)},
    {.name = "ecsb/ell",
     .description = "threads walk parts of block rows",
     .source = "GCSB thesis",
     .history = true,
     .computes = {true, true, true, false},
     .facts = facts_of(2)},
    {.name = "ecsb/hyb",
     .description = "threads walk parts of block rows, then a thread for every entry of the rest",
     .source = "GCSB thesis",
     .history = true,
     .computes = {true, true, true, false},
     .facts = facts_of(3)}};

template <ecsb_holding Holding, class Offset, class Value>
struct ecsb_kernel {
  static constexpr kernel_info info = ecsb_infos[static_cast<int>(Holding)];
  using matrix = ecsb_view<Offset, Value, device>;

  static std::string why_not_expected(const matrix_outline& known, operation) {
    const ecsb_holding held = known.holding.value_or(Holding);
    if (held == Holding) return {};
    return std::string("the matrix is held as ") + name_of(held) + ", not as " + name_of(Holding);
  }
  static matrix_outline outline_of(const matrix& m) {
    return {.holding = static_cast<ecsb_holding>(m.holding)};
  }

  ecsb_kernel(cuda on, const matrix& m, operation op) : on_(on), m_(m), op_(op) {}

  void run(Value alpha, const Value* x, Value beta, Value* y) const { run_any(alpha, beta, {x, x, y, y}); }
  void run_both(Value alpha, const Value* x, const Value* w, Value beta, Value* y, Value* z) const {
    run_any(alpha, beta, {x, w, y, z});
  }

 private:
  void run_any(Value alpha, Value beta, const walk_vectors<Value>& vectors) const {
    const bool scaled = scale_for(on_, m_, op_, beta, vectors);
    if constexpr (Holding != ecsb_holding::coo) add_block_rows(alpha, vectors);
    if constexpr (Holding != ecsb_holding::ell)
      add_rest(scaled && Holding == ecsb_holding::coo, alpha, vectors);  // the other half adds meanwhile
  }
  void add_block_rows(Value alpha, const walk_vectors<Value>& vectors) const {
    const std::int64_t slot_count = m_.ell_values.size(), block_rows = m_.block_row_offsets.size() - 1;
    if (slot_count == 0) return;
    const std::int64_t resident = multiprocessors() * csb_tuning::threads_per_multiprocessor;
    const std::int64_t share = std::max(csb_tuning::least_share, groups_of(slot_count, resident));
    const std::int64_t walks = groups_of(m_.width, share) * block_rows;
    const cells_of_slots<Offset> cells{block_grid<Offset>(m_),
                                       m_.ell_block_indices.data(),
                                       {m_.ell_combined16.data(), m_.ell_combined32.data()}};
    with_walk(op_, [&](auto op) {
      walk_block_rows<op.value><<<blocks_for(walks, threads), threads, 0, on_.stream>>>(
          block_rows, m_.width, share, m_.block_row_offsets.data(), cells, m_.ell_values.data(), alpha,
          vectors);
    });
    check_cuda(cudaGetLastError());
  }
  // `early`: before the kernel that scales y has ended.
  void add_rest(bool early, Value alpha, const walk_vectors<Value>& vectors) const {
    const std::int64_t count = m_.rest_values.size();
    if (count == 0) return;
    const cells_of_slots<Offset> cells{block_grid<Offset>(m_),
                                       m_.rest_block_indices.data(),
                                       {m_.rest_combined16.data(), m_.rest_combined32.data()}};
    with_walk(op_, [&](auto op) {
      launch(on_, launch_size{blocks_for(count, threads), threads, 0, early},
             add_each<op.value, Offset, Value>, count, cells, m_.rest_values.data(), alpha, vectors);
    });
  }

  cuda on_;
  matrix m_;
  operation op_;
};

}  // namespace

template <class Offset, class Value>
struct table_of<csb_view<Offset, Value, device>> {
  static kernel_table<csb_view<Offset, Value, device>> lines() {
    return {kernel_of<csb_block<Offset, Value>>()};
  }
};

template <class Offset, class Value>
struct table_of<ecsb_view<Offset, Value, device>> {
  static kernel_table<ecsb_view<Offset, Value, device>> lines() {
    return {kernel_of<ecsb_kernel<ecsb_holding::coo, Offset, Value>>(),
            kernel_of<ecsb_kernel<ecsb_holding::ell, Offset, Value>>(),
            kernel_of<ecsb_kernel<ecsb_holding::hybrid, Offset, Value>>()};
  }
};

template <class Offset, class Value>
struct table_of<gcsb_view<Offset, Value, device>> {
  static kernel_table<gcsb_view<Offset, Value, device>> lines() {
    return {kernel_of<gcsb_lane<Offset, Value>>()};
  }
};

template kernel_table<csb_view<std::int32_t, float, device>> kernels_of(
    const csb_view<std::int32_t, float, device>&);
template kernel_table<csb_view<std::int32_t, double, device>> kernels_of(
    const csb_view<std::int32_t, double, device>&);
template kernel_table<csb_view<std::int64_t, float, device>> kernels_of(
    const csb_view<std::int64_t, float, device>&);
template kernel_table<csb_view<std::int64_t, double, device>> kernels_of(
    const csb_view<std::int64_t, double, device>&);
template kernel_table<ecsb_view<std::int32_t, float, device>> kernels_of(
    const ecsb_view<std::int32_t, float, device>&);
template kernel_table<ecsb_view<std::int32_t, double, device>> kernels_of(
    const ecsb_view<std::int32_t, double, device>&);
template kernel_table<ecsb_view<std::int64_t, float, device>> kernels_of(
    const ecsb_view<std::int64_t, float, device>&);
template kernel_table<ecsb_view<std::int64_t, double, device>> kernels_of(
    const ecsb_view<std::int64_t, double, device>&);
template kernel_table<gcsb_view<std::int32_t, float, device>> kernels_of(
    const gcsb_view<std::int32_t, float, device>&);
template kernel_table<gcsb_view<std::int32_t, double, device>> kernels_of(
    const gcsb_view<std::int32_t, double, device>&);
template kernel_table<gcsb_view<std::int64_t, float, device>> kernels_of(
    const gcsb_view<std::int64_t, float, device>&);
template kernel_table<gcsb_view<std::int64_t, double, device>> kernels_of(
    const gcsb_view<std::int64_t, double, device>&);

}  // namespace sparsmith
