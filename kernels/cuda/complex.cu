// Complex values on a GPU: one plain kernel a format, for A x and A^T x, beside the vendor's. A complex
// addition to y is two real ones, of the parts: no other thread sees a half of it that matters, since sums of
// parts are sums. What a format's rows are is a small struct, so that most formats share one kernel, and the
// operation is known when it runs: there are few instantiations.
#include <algorithm>
#include <bit>

#include "kernels/csc.hpp"
#include "kernels/cuda/entries.hpp"
#include "kernels/cuda/launch.hpp"
#include "kernels/table.hpp"
#include "kernels/vendor/cusparse.hpp"

namespace sparsmith {
namespace {

struct complex_tuning {
  static constexpr int threads = 256;  // of a thread block
  // Of a tile's outputs in shared memory; those of larger tiles go to y one by one.
  static constexpr std::int64_t bytes_of_sums = 48 << 10;
};
constexpr int threads = complex_tuning::threads, warp = 32;

template <class Part>
__device__ void add_to(complex_number<Part>* to, complex_number<Part> value) {
  atomicAdd(&to->real, value.real);
  atomicAdd(&to->imaginary, value.imaginary);
}
template <class Part>
__device__ complex_number<Part> from_lane_beside(complex_number<Part> value, int step) {
  return {__shfl_xor_sync(~0u, value.real, step), __shfl_xor_sync(~0u, value.imaginary, step)};
}
template <class Part>
__device__ complex_number<Part> from_lane_before(complex_number<Part> value, int step) {
  return {__shfl_up_sync(~0u, value.real, step), __shfl_up_sync(~0u, value.imaginary, step)};
}

// ---- rows ----

// Where the entries of rows are: row p of the storage is row(p) of the matrix and has slots(p) slots; the
// k-th is at slot(p, k), in column(p, k), which past the edge of a block is no column.
template <class Offset>
struct csr_rows {
  std::int32_t count, cols;
  const Offset* offsets;
  const std::int32_t* columns;

  __device__ std::int32_t row(std::int32_t p) const { return p; }
  __device__ std::int64_t slots(std::int32_t p) const { return std::int64_t{offsets[p + 1]} - offsets[p]; }
  __device__ std::int64_t slot(std::int32_t p, std::int64_t k) const { return offsets[p] + k; }
  __device__ std::int64_t column(std::int32_t p, std::int64_t k) const { return columns[slot(p, k)]; }
};

template <class Offset>
struct bsr_rows {
  std::int32_t count, cols, block_rows, block_cols;
  const Offset* offsets;
  const std::int32_t* columns;

  __device__ std::int32_t row(std::int32_t p) const { return p; }
  __device__ std::int64_t slots(std::int32_t p) const {
    const std::int32_t line = p / block_rows;
    return (std::int64_t{offsets[line + 1]} - offsets[line]) * block_cols;
  }
  __device__ std::int64_t block(std::int32_t p, std::int64_t k) const {
    return offsets[p / block_rows] + k / block_cols;
  }
  __device__ std::int64_t slot(std::int32_t p, std::int64_t k) const {
    return (block(p, k) * block_rows + p % block_rows) * block_cols + k % block_cols;
  }
  __device__ std::int64_t column(std::int32_t p, std::int64_t k) const {
    return std::int64_t{columns[block(p, k)]} * block_cols + k % block_cols;
  }
};

struct ell_rows {
  std::int32_t count, cols;
  const std::int32_t* lengths;
  const std::int32_t* columns;

  __device__ std::int32_t row(std::int32_t p) const { return p; }
  __device__ std::int64_t slots(std::int32_t p) const { return lengths[p]; }
  __device__ std::int64_t slot(std::int32_t p, std::int64_t k) const { return k * count + p; }
  __device__ std::int64_t column(std::int32_t p, std::int64_t k) const { return columns[slot(p, k)]; }
};

template <class Offset>
struct sell_rows {
  std::int32_t count, cols, slice;
  const std::int32_t* order;
  const std::int32_t* lengths;
  const Offset* slice_offsets;
  const std::int32_t* columns;

  __device__ std::int32_t row(std::int32_t p) const { return order[p]; }
  __device__ std::int64_t slots(std::int32_t p) const { return lengths[p]; }
  __device__ std::int64_t slot(std::int32_t p, std::int64_t k) const {
    return slice_offsets[p / slice] + k * slice + p % slice;
  }
  __device__ std::int64_t column(std::int32_t p, std::int64_t k) const { return columns[slot(p, k)]; }
};

// So many neighbouring lanes share a row. y = alpha A x + beta y, or y += alpha A^T x.
template <class Rows, class Value>
__global__ void __launch_bounds__(threads)
    walk_rows(Rows rows, int lanes, bool transposed, const Value* __restrict__ values, Value alpha,
              const Value* __restrict__ x, Value beta, Value* y) {
  const std::int64_t thread = std::int64_t{blockIdx.x} * threads + threadIdx.x, place = thread / lanes;
  const bool own = place < rows.count;  // the lanes of a warp stay together
  const auto p = static_cast<std::int32_t>(own ? place : 0);
  const int lane = static_cast<int>(thread % lanes);
  const std::int64_t slots = own ? rows.slots(p) : 0;
  const std::int32_t row = rows.row(p);
  if (transposed) {
    if (slots == 0) return;
    const Value factor = alpha * x[row];
    for (std::int64_t k = lane; k < slots; k += lanes)
      if (const std::int64_t col = rows.column(p, k); col < rows.cols)
        add_to(y + col, values[rows.slot(p, k)] * factor);
    return;
  }
  Value sum{};
  for (std::int64_t k = lane; k < slots; k += lanes)
    if (const std::int64_t col = rows.column(p, k); col < rows.cols) sum += values[rows.slot(p, k)] * x[col];
  for (int step = lanes / 2; step > 0; step /= 2) sum += from_lane_beside(sum, step);
  if (own && lane == 0) y[row] = updated(beta, y + row, alpha * sum);
}

// A power of two up to a warp, as many as rows have slots in the mean.
int lanes_for(std::int64_t slots, std::int64_t rows) {
  const std::int64_t mean = rows == 0 ? 1 : std::max<std::int64_t>(1, slots / rows);
  return static_cast<int>(std::min<std::uint64_t>(warp, std::bit_floor(static_cast<std::uint64_t>(mean))));
}

template <class Rows, class Value>
void multiply_rows(cuda on, const Rows& rows, int lanes, operation op, const Value* values, Value alpha,
                   const Value* x, Value beta, Value* y) {
  const bool transposed = op == operation::transposed;
  if (transposed) scale(on, rows.cols, beta, y);
  if (rows.count == 0) return;
  walk_rows<<<blocks_for(std::int64_t{rows.count} * lanes, threads), threads, 0, on.stream>>>(
      rows, lanes, transposed, values, alpha, x, beta, y);
  check_cuda(cudaGetLastError());
}

// ---- lists of entries ----

// A warp takes 32 neighbouring entries at a time and sums runs of equal outputs; the end of a run adds.
template <class Value>
__global__ void __launch_bounds__(threads)
    add_runs(entry_list<Value> list, Value alpha, const Value* __restrict__ x, Value* y) {
  const int lane = static_cast<int>(threadIdx.x) % warp;
  const std::int64_t stride = std::int64_t{gridDim.x} * threads;
  for (std::int64_t e = std::int64_t{blockIdx.x} * threads + threadIdx.x; e - lane < list.count;
       e += stride) {
    const bool there = e < list.count;
    const std::int32_t output = there ? list.outputs[e] : -1;
    Value sum = there ? list.values[e] * x[list.inputs[e]] : Value{};
    const std::int32_t before = __shfl_up_sync(~0u, output, 1), after = __shfl_down_sync(~0u, output, 1);
    const unsigned starts = __ballot_sync(~0u, lane == 0 || before != output);
    const int start = warp - 1 - __clz(static_cast<int>(starts & (~0u >> (warp - 1 - lane))));
    for (int step = 1; step < warp; step *= 2) {
      const Value other = from_lane_before(sum, step);
      if (lane - step >= start) sum += other;
    }
    if (there && (lane == warp - 1 || after != output)) add_to(y + output, alpha * sum);
  }
}

template <class Value>
void add_list(cuda on, const entry_list<Value>& list, Value alpha, const Value* x, Value* y) {
  if (list.count == 0) return;
  add_runs<<<resident_blocks(list.count, threads), threads, 0, on.stream>>>(list, alpha, x, y);
  check_cuda(cudaGetLastError());
}

// ---- diagonals ----

// A thread for every output, which lies a diagonal's offset away from its input.
template <class Value>
__global__ void __launch_bounds__(threads)
    walk_diagonals(dia_view<Value, device> m, bool transposed, Value alpha, const Value* __restrict__ x,
                   Value beta, Value* y) {
  const std::int64_t output = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (output >= (transposed ? m.cols : m.rows)) return;
  Value sum{};
  for (std::int64_t d = 0; d < m.offsets.size(); ++d) {
    const std::int64_t offset = m.offsets[d], input = transposed ? output - offset : output + offset;
    if (input < 0 || input >= (transposed ? m.rows : m.cols)) continue;
    sum += m.values[d * m.rows + (transposed ? input : output)] * x[input];
  }
  y[output] = updated(beta, y + output, alpha * sum);
}

// ---- tiles ----

template <class Offset, class Value>
struct tile_arrays {
  tile_cells cells;
  std::int32_t rows, cols, tile_height, tile_width;
  const std::int32_t *tile_rows, *tile_cols;
  const Offset* tile_offsets;
  const std::uint16_t* combined16;
  const std::uint32_t* combined32;
  const Value* values;
  const std::int32_t *row_order, *col_order;  // null unless renumbered
};

// A thread block for every tile. The tile's outputs are summed up in shared memory where they have room
// there.
template <class Offset, class Value>
__global__ void __launch_bounds__(threads)
    walk_tiles(tile_arrays<Offset, Value> m, bool transposed, bool shared, Value alpha,
               const Value* __restrict__ x, Value* y) {
  extern __shared__ double room[];
  Value* const sums = reinterpret_cast<Value*>(room);
  const std::int32_t side = transposed ? m.tile_width : m.tile_height;
  const std::int64_t tile = blockIdx.x;
  const std::int64_t top = std::int64_t{m.tile_rows[tile]} * m.tile_height,
                     left = std::int64_t{m.tile_cols[tile]} * m.tile_width;
  const std::int64_t first_output = transposed ? left : top, last = transposed ? m.cols : m.rows;
  const std::int32_t* const output_order = transposed ? m.col_order : m.row_order;
  const std::int32_t* const input_order = transposed ? m.row_order : m.col_order;
  const auto place = [](const std::int32_t* order, std::int64_t number) {
    return order != nullptr ? std::int64_t{order[number]} : number;
  };
  if (shared) {
    for (std::int32_t i = static_cast<std::int32_t>(threadIdx.x); i < side; i += threads) sums[i] = Value{};
    __syncthreads();
  }
  const std::int64_t lanes = m.cells.lanes(), end = m.tile_offsets[tile + 1] * lanes;
  for (std::int64_t slot = m.tile_offsets[tile] * lanes + threadIdx.x; slot < end; slot += threads) {
    const std::uint32_t index = m.combined16 != nullptr ? m.combined16[slot] : m.combined32[slot];
    if (m.cells.is_padding(index)) continue;
    const std::int64_t row = m.cells.row(index, m.cells.lane_of_slot(slot)), col = m.cells.col(index);
    const Value product = m.values[slot] * x[place(input_order, transposed ? top + row : left + col)];
    const std::int64_t output = transposed ? col : row;
    if (shared)
      add_to(sums + output, product);
    else
      add_to(y + place(output_order, first_output + output), alpha * product);
  }
  if (!shared) return;
  __syncthreads();
  for (std::int32_t i = static_cast<std::int32_t>(threadIdx.x); i < side; i += threads)
    if (first_output + i < last && !sums[i].is_zero())
      add_to(y + place(output_order, first_output + i), alpha * sums[i]);
}

// ---- the kernels ----

constexpr kernel_facts facts_of(kernel_facts::rows walk, int lanes) {
  return {.walk = walk,
          .lanes = lanes,
          .additions = {.transposed = kernel_facts::adds::every},
          .launches = {.multiply = 1, .transposed = 2}};
}
constexpr kernel_info info_of(const char* name, const char* description, const char* predicted_as,
                              kernel_facts facts) {
  return {.name = name,
          .description = description,
          .source = "ours",
          .repeatable = {.multiply = true},
          .facts = facts,
          .predicted_as = predicted_as};
}

// What kernels of rows have in common: `Format` says how its rows are stored.
template <class Format>
struct rows_kernel {
  static constexpr kernel_info info = Format::info;
  using matrix = typename Format::matrix;
  using value = typename matrix::value_type;

  rows_kernel(cuda on, const matrix& m, operation op)
      : on_(on), op_(op), m_(m), lanes_(Format::spread ? lanes_for(slots(m), m.rows) : 1) {}

  void run(value alpha, const value* x, value beta, value* y) const {
    multiply_rows(on_, Format::rows_of(m_), lanes_, op_, Format::values_of(m_), alpha, x, beta, y);
    if constexpr (requires { m_.rest_values; })
      add_list(on_, entries_of(m_.rest_row_indices, m_.rest_col_indices, m_.rest_values, op_), alpha, x, y);
  }

 private:
  cuda on_;
  operation op_;
  matrix m_;
  int lanes_;
};

template <class Offset, class Value>
struct csr_format {
  static constexpr kernel_info info =
      info_of("csr/complex", "as many lanes for a row as rows have entries in the mean", "csr/vector",
              facts_of(kernel_facts::rows::fitting_lanes, 1));
  static constexpr bool spread = true;
  using matrix = csr_view<Offset, Value, device>;
  static csr_rows<Offset> rows_of(const matrix& m) {
    return {m.rows, m.cols, m.row_offsets.data(), m.col_indices.data()};
  }
  static const Value* values_of(const matrix& m) { return m.values.data(); }
};
template <class Offset, class Value>
struct bsr_format {
  static constexpr kernel_info info =
      info_of("bsr/complex", "as many lanes for a row as rows of blocks have slots in the mean",
              "bsr/row-major", facts_of(kernel_facts::rows::fitting_lanes, 1));
  static constexpr bool spread = true;
  using matrix = bsr_view<Offset, Value, device>;
  static bsr_rows<Offset> rows_of(const matrix& m) {
    return {m.rows, m.cols, m.block_rows, m.block_cols, m.row_offsets.data(), m.col_indices.data()};
  }
  static const Value* values_of(const matrix& m) { return m.values.data(); }
};
template <class Value>
struct ell_format {
  static constexpr kernel_info info =
      info_of("ell/complex", "a thread for every row", "ell/thread", facts_of(kernel_facts::rows::lanes, 1));
  static constexpr bool spread = false;
  using matrix = ell_view<Value, device>;
  static ell_rows rows_of(const matrix& m) {
    return {m.rows, m.cols, m.row_lengths.data(), m.col_indices.data()};
  }
  static const Value* values_of(const matrix& m) { return m.values.data(); }
};
template <class Offset, class Value>
struct sell_format {
  static constexpr kernel_info info = info_of("sell/complex", "a thread for every row", "sell/thread",
                                              facts_of(kernel_facts::rows::lanes, 1));
  static constexpr bool spread = false;
  using matrix = sell_view<Offset, Value, device>;
  static sell_rows<Offset> rows_of(const matrix& m) {
    return {m.rows,
            m.cols,
            m.slice,
            m.row_order.data(),
            m.row_lengths.data(),
            m.slice_offsets.data(),
            m.col_indices.data()};
  }
  static const Value* values_of(const matrix& m) { return m.values.data(); }
};
// The rest adds to y with atomics.
constexpr kernel_info with_rest(kernel_info info) {
  info.repeatable = {};
  info.facts.launches = {.multiply = 2, .transposed = 3};
  return info;
}
template <class Value>
struct hyb_format {
  static constexpr kernel_info info =
      with_rest(info_of("hyb/complex", "a thread for every row, the rest as coo/complex", "hyb/thread",
                        facts_of(kernel_facts::rows::lanes, 1)));
  static constexpr bool spread = false;
  using matrix = hyb_view<Value, device>;
  static ell_rows rows_of(const matrix& m) {
    return {m.rows, m.cols, m.row_lengths.data(), m.ell_col_indices.data()};
  }
  static const Value* values_of(const matrix& m) { return m.ell_values.data(); }
};

template <class Value>
struct coo_complex {
  static constexpr kernel_info info{
      .name = "coo/complex",
      .description = "a warp sums runs of equal outputs, two atomics a run",
      .source = "ours",
      .facts = {.walk = kernel_facts::rows::balanced,
                .additions = {kernel_facts::adds::runs, kernel_facts::adds::every},
                .run = warp,
                .launches = {.multiply = 2, .transposed = 2}},
      .predicted_as = "coo/segscan-32"};
  using matrix = coo_view<Value, device>;

  coo_complex(cuda on, const matrix& m, operation op)
      : on_(on), list_(entries_of(m.row_indices, m.col_indices, m.values, op)), outputs_(outputs(m, op)) {}
  void run(Value alpha, const Value* x, Value beta, Value* y) const {
    scale(on_, outputs_, beta, y);
    add_list(on_, list_, alpha, x, y);
  }

 private:
  cuda on_;
  entry_list<Value> list_;
  std::int64_t outputs_;
};

template <class Value>
struct dia_complex {
  static constexpr kernel_info info = [] {
    kernel_info of = with_rest(info_of("dia/complex", "a thread for every output, the rest as coo/complex",
                                       "dia/rows", facts_of(kernel_facts::rows::lanes, 1)));
    of.facts.additions = {};
    of.facts.launches = {.multiply = 2, .transposed = 2};
    return of;
  }();
  using matrix = dia_view<Value, device>;

  dia_complex(cuda on, const matrix& m, operation op) : on_(on), op_(op), m_(m) {}
  void run(Value alpha, const Value* x, Value beta, Value* y) const {
    walk_diagonals<<<blocks_for(outputs(m_, op_), threads), threads, 0, on_.stream>>>(
        m_, op_ == operation::transposed, alpha, x, beta, y);
    check_cuda(cudaGetLastError());
    add_list(on_, entries_of(m_.rest_row_indices, m_.rest_col_indices, m_.rest_values, op_), alpha, x, y);
  }

 private:
  cuda on_;
  operation op_;
  matrix m_;
};

template <class Offset, class Value>
struct tile_complex {
  static constexpr kernel_info info{
      .name = "gcsb/tile-complex",
      .description = "a thread block for every tile, whose outputs are summed in shared memory",
      .source = "ours",
      .facts = {.walk = kernel_facts::rows::balanced,
                .additions = {kernel_facts::adds::every, kernel_facts::adds::every},
                .launches = {.multiply = 3, .transposed = 3}},
      .predicted_as = "gcsb/tile"};
  using matrix = gcsb_tile_view<Offset, Value, device>;

  tile_complex(cuda on, const matrix& m, operation op)
      : on_(on),
        op_(op),
        m_(m),
        arrays_{tile_cells(m.tile_height, m.tile_width, m.group_size),
                m.rows,
                m.cols,
                m.tile_height,
                m.tile_width,
                m.tile_rows.data(),
                m.tile_cols.data(),
                m.tile_offsets.data(),
                m.combined16.size() > 0 ? m.combined16.data() : nullptr,
                m.combined32.data(),
                m.values.data(),
                m.renumbered != 0 ? m.row_order.data() : nullptr,
                m.renumbered != 0 ? m.col_order.data() : nullptr} {}

  void run(Value alpha, const Value* x, Value beta, Value* y) const {
    scale(on_, outputs(m_, op_), beta, y);
    const bool transposed = op_ == operation::transposed;
    const std::int64_t bytes = (transposed ? m_.tile_width : m_.tile_height) * std::int64_t{sizeof(Value)};
    const bool shared = bytes <= complex_tuning::bytes_of_sums;
    if (m_.tile_rows.size() > 0) {
      walk_tiles<<<blocks_for(m_.tile_rows.size(), 1), threads, static_cast<std::size_t>(shared ? bytes : 0),
                   on_.stream>>>(arrays_, transposed, shared, alpha, x, y);
      check_cuda(cudaGetLastError());
    }
    add_list(on_, entries_of(m_.rest_row_indices, m_.rest_col_indices, m_.rest_values, op_), alpha, x, y);
  }

 private:
  cuda on_;
  operation op_;
  matrix m_;
  tile_arrays<Offset, Value> arrays_;
};

template <class Kernel, class Table>
kernel_table<typename Kernel::matrix> with_vendors(const Table& of_vendor) {
  kernel_table<typename Kernel::matrix> table = {kernel_of<Kernel>()};
  table.insert(table.end(), of_vendor.begin(), of_vendor.end());
  return table;
}

}  // namespace

template <class Part>
struct table_of<coo_view<complex_number<Part>, device>> {
  static auto lines() {
    return with_vendors<coo_complex<complex_number<Part>>>(cusparse_coo_kernels<complex_number<Part>>());
  }
};
template <class Offset, class Part>
struct table_of<csr_view<Offset, complex_number<Part>, device>> {
  using value = complex_number<Part>;
  static auto lines() {
    return with_vendors<rows_kernel<csr_format<Offset, value>>>(cusparse_csr_kernels<Offset, value>());
  }
};
template <class Part>
struct table_of<ell_view<complex_number<Part>, device>> {
  static kernel_table<ell_view<complex_number<Part>, device>> lines() {
    return {kernel_of<rows_kernel<ell_format<complex_number<Part>>>>()};
  }
};
template <class Offset, class Part>
struct table_of<sell_view<Offset, complex_number<Part>, device>> {
  using value = complex_number<Part>;
  static auto lines() {
    return with_vendors<rows_kernel<sell_format<Offset, value>>>(cusparse_sell_kernels<Offset, value>());
  }
};
template <class Part>
struct table_of<hyb_view<complex_number<Part>, device>> {
  static kernel_table<hyb_view<complex_number<Part>, device>> lines() {
    return {kernel_of<rows_kernel<hyb_format<complex_number<Part>>>>()};
  }
};
template <class Part>
struct table_of<dia_view<complex_number<Part>, device>> {
  static kernel_table<dia_view<complex_number<Part>, device>> lines() {
    return {kernel_of<dia_complex<complex_number<Part>>>()};
  }
};
template <class Offset, class Part>
struct table_of<bsr_view<Offset, complex_number<Part>, device>> {
  using value = complex_number<Part>;
  static auto lines() {
    return with_vendors<rows_kernel<bsr_format<Offset, value>>>(cusparse_bsr_kernels<Offset, value>());
  }
};
template <class Offset, class Part>
struct table_of<gcsb_tile_view<Offset, complex_number<Part>, device>> {
  static kernel_table<gcsb_tile_view<Offset, complex_number<Part>, device>> lines() {
    return {kernel_of<tile_complex<Offset, complex_number<Part>>>()};
  }
};

#define SPARSMITH_INSTANTIATE(V)                                                     \
  template kernel_table<coo_view<V, device>> kernels_of(const coo_view<V, device>&); \
  template kernel_table<ell_view<V, device>> kernels_of(const ell_view<V, device>&); \
  template kernel_table<hyb_view<V, device>> kernels_of(const hyb_view<V, device>&); \
  template kernel_table<dia_view<V, device>> kernels_of(const dia_view<V, device>&);
#define SPARSMITH_INSTANTIATE_WITH_OFFSETS(O, V)                                             \
  template kernel_table<csr_view<O, V, device>> kernels_of(const csr_view<O, V, device>&);   \
  template kernel_table<csc_view<O, V, device>> kernels_of(const csc_view<O, V, device>&);   \
  template kernel_table<sell_view<O, V, device>> kernels_of(const sell_view<O, V, device>&); \
  template kernel_table<bsr_view<O, V, device>> kernels_of(const bsr_view<O, V, device>&);   \
  template kernel_table<gcsb_tile_view<O, V, device>> kernels_of(const gcsb_tile_view<O, V, device>&);
SPARSMITH_INSTANTIATE(complex64)
SPARSMITH_INSTANTIATE(complex128)
SPARSMITH_INSTANTIATE_WITH_OFFSETS(std::int32_t, complex64)
SPARSMITH_INSTANTIATE_WITH_OFFSETS(std::int32_t, complex128)
SPARSMITH_INSTANTIATE_WITH_OFFSETS(std::int64_t, complex64)
SPARSMITH_INSTANTIATE_WITH_OFFSETS(std::int64_t, complex128)

}  // namespace sparsmith
