// DIA on a GPU: a thread takes a few outputs and walks the diagonals, with the loads of several on their way
// at once; neighbouring threads read neighbouring values and neighbouring entries of x. Outputs are rows in
// A x and columns in A^T x: both gather, so that nothing is added to memory that others add to; both at once
// are two gathers, of which the second finds the values in the cache. A^T (A x) adds a row's sum to
// neighbouring places of neighbouring rows. Half of a symmetric matrix is one gather, over its diagonals and
// their mirror images. The rest goes through COO's segmented sums.
#include <optional>

#include "kernels/cuda/mirror_images.hpp"
#include "kernels/cuda/overlap.hpp"
#include "kernels/cuda/read_ahead.hpp"
#include "kernels/table.hpp"

namespace sparsmith {
namespace {

// As they were fastest on an H200; ptxas spills next to nothing with them for sm_90.
constexpr int threads = 256;  // of a thread block
template <class Value>
struct dia_tuning {
  // Of a thread, as many apart as a block has threads: whatever the offset, a warp then reads whole sectors.
  static constexpr int outputs = sizeof(Value) == 4 ? 4 : 2;
  // Diagonals whose loads are on their way at once.
  static constexpr int together = sizeof(Value) == 4 ? 4 : 8;
  static constexpr unsigned block_outputs = threads * outputs;
  static constexpr int blocks_at_once = sizeof(Value) == 4 ? 4 : 3;  // of a multiprocessor
};
// Offsets that come with the launch: threads then need not wait for them.
constexpr int most_in_launch = 64;

// Offsets as a launch brings them, or where they are stored.
struct offsets_in_launch {
  std::int32_t offsets[most_in_launch];
  __device__ std::int32_t operator[](std::int64_t d) const { return offsets[d]; }
};
struct offsets_in_memory {
  const std::int32_t* offsets;
  __device__ std::int32_t operator[](std::int64_t d) const { return __ldg(offsets + d); }
};

// Rows or columns are the outputs of a matrix; rows of the whole those of one of which half is stored.
enum class outputs_are { rows, columns, rows_of_whole };

// Output i takes input i + shift, where there is one, times the value in the row of the two. Once: values are
// not looked at again.
template <outputs_are Outputs, bool Once, class Offsets, class Value>
struct diagonal_walk {
  using tuning = dia_tuning<Value>;
  static constexpr int each = tuning::outputs;
  static constexpr bool whole = Outputs == outputs_are::rows_of_whole;
  Offsets offsets;
  std::int64_t diagonals;  // with the mirror images of the first few
  std::uint32_t rows, inputs, outputs;
  const Value* values;
  const Value* x;
  std::int64_t mirrored = 0;  // how many come as mirror images first, so that shifts rise
  Value mirror = 1;           // which these are multiplied by

  // The stored diagonal that is the d-th of the walk: mirror images come from the outermost inwards.
  __device__ std::int64_t stored(std::int64_t d) const {
    if constexpr (!whole) return d;
    return d < mirrored ? diagonals - mirrored - 1 - d : d - mirrored;
  }
  __device__ bool is_mirrored(std::int64_t d) const {
    return whole ? d < mirrored : Outputs == outputs_are::columns;
  }
  __device__ std::int64_t shift(std::int64_t d) const {
    const std::int64_t offset = offsets[stored(d)];
    return is_mirrored(d) ? -offset : offset;
  }

  // Whether all outputs of a thread block have inputs on diagonals first..last, whose shifts rise, or fall
  // where outputs are columns.
  __device__ bool all_inside(std::int64_t first_output, std::int64_t first, std::int64_t last) const {
    constexpr bool fall = Outputs == outputs_are::columns;
    const std::int64_t low = shift(fall ? last : first), high = shift(fall ? first : last);
    return first_output + tuning::block_outputs <= outputs && first_output + low >= 0 &&
           first_output + tuning::block_outputs + high <= inputs;
  }

  // Adds `Count` diagonals, or as many as there are. All loads come before the first use. Sums of indices
  // and shifts are taken modulo 2^32, in which what lies outside is never below the number of inputs.
  template <int Count, bool Guarded>
  __device__ __forceinline__ void add(std::int64_t start, std::uint32_t first, Value (&sum)[each]) const {
    Value value[Count][each], input[Count][each];
#pragma unroll
    for (int k = 0; k < Count; ++k) {
      const bool there = !Guarded || start + k < diagonals;
      const std::uint32_t by = there ? static_cast<std::uint32_t>(shift(start + k)) : 0;
      const bool from_column = is_mirrored(start + k);
      const Value* const diagonal = values + stored(start + k) * std::int64_t{rows};
      const Value factor = whole && from_column ? mirror : Value{1};
#pragma unroll
      for (int i = 0; i < each; ++i) {
        const std::uint32_t out = first + i * threads, in = out + by;
        const bool inside = !Guarded || (there && out < outputs && in < inputs);
        const Value* const at = diagonal + (from_column ? in : out);
        value[k][i] = !inside ? Value{0} : Once ? __ldcs(at) : __ldg(at);
        input[k][i] = inside ? factor * __ldg(x + in) : Value{0};
      }
    }
#pragma unroll
    for (int k = 0; k < Count; ++k)
#pragma unroll
      for (int i = 0; i < each; ++i) sum[i] += value[k][i] * input[k][i];
  }

  // The same of so many, which is the same for all threads: nearly all thread blocks ask nothing else.
  template <int Most>
  __device__ __forceinline__ void add_few(int count, std::int64_t start, std::uint32_t first,
                                          Value (&sum)[each]) const {
    if constexpr (Most > 0) {
      if (count == Most)
        add<Most, false>(start, first, sum);
      else
        add_few<Most - 1>(count, start, first, sum);
    }
  }
};

// The sums of a thread's outputs.
template <class Walk, class Value>
__device__ __forceinline__ void sum_diagonals(const Walk& walk, Value (&sum)[Walk::each]) {
  constexpr int together = Walk::tuning::together;
  const std::uint32_t block_first = blockIdx.x * Walk::tuning::block_outputs,
                      first = block_first + threadIdx.x;
  for (std::int64_t start = 0; start < walk.diagonals; start += together) {
    const auto count = static_cast<int>(min(walk.diagonals - start, std::int64_t{together}));
    if (walk.all_inside(block_first, start, start + count - 1))
      walk.template add_few<together>(count, start, first, sum);
    else
      walk.template add<together, true>(start, first, sum);
  }
}

template <class Value>
__device__ void write_sums(std::uint32_t outputs, Value alpha, const Value (&sum)[dia_tuning<Value>::outputs],
                           Value beta, Value* y) {
#pragma unroll
  for (int i = 0; i < dia_tuning<Value>::outputs; ++i)
    if (const std::uint32_t out = blockIdx.x * dia_tuning<Value>::block_outputs + threadIdx.x + i * threads;
        out < outputs)
      y[out] = updated(beta, y + out, alpha * sum[i]);
}

// y = alpha A x + beta y, or the same with A^T, or with the whole matrix of which A is the half.
template <outputs_are Outputs, class Offsets, class Value>
__global__ void __launch_bounds__(threads, dia_tuning<Value>::blocks_at_once)
    add_diagonals(diagonal_walk<Outputs, Outputs != outputs_are::rows_of_whole, Offsets, Value> walk,
                  read_ahead ahead, Value alpha, Value beta, Value* y) {
  ahead.bring();
  Value sum[dia_tuning<Value>::outputs] = {};
  sum_diagonals(walk, sum);
  write_sums(walk.outputs, alpha, sum, beta, y);
}

// Both, of which one may have fewer outputs.
template <class Offsets, class Value>
__global__ void __launch_bounds__(threads, dia_tuning<Value>::blocks_at_once)
    add_diagonals_both(diagonal_walk<outputs_are::rows, false, Offsets, Value> rows,
                       diagonal_walk<outputs_are::columns, false, Offsets, Value> cols, read_ahead ahead,
                       Value alpha, Value beta, Value* y, Value* z) {
  ahead.bring();
  Value sum[dia_tuning<Value>::outputs] = {};
  sum_diagonals(rows, sum);
  write_sums(rows.outputs, alpha, sum, beta, y);
  Value other[dia_tuning<Value>::outputs] = {};
  sum_diagonals(cols, other);
  write_sums(cols.outputs, alpha, other, beta, z);
}

// z += alpha A^T (A x): a row's sum, and then the row times it. Neighbouring threads add to neighbouring
// places.
template <class Offsets, class Value>
__global__ void __launch_bounds__(threads, dia_tuning<Value>::blocks_at_once)
    add_diagonals_normal(diagonal_walk<outputs_are::rows, false, Offsets, Value> walk, read_ahead ahead,
                         Value alpha, Value* z) {
  ahead.bring();
  Value sum[dia_tuning<Value>::outputs] = {};
  sum_diagonals(walk, sum);
  wait_for_kernel_before();  // which scales z
  for (std::int64_t d = 0; d < walk.diagonals; ++d) {
    const auto by = static_cast<std::uint32_t>(walk.shift(d));
    const Value* const diagonal = walk.values + d * std::int64_t{walk.rows};
#pragma unroll
    for (int i = 0; i < dia_tuning<Value>::outputs; ++i) {
      const std::uint32_t row = blockIdx.x * dia_tuning<Value>::block_outputs + threadIdx.x + i * threads,
                          col = row + by;
      if (row < walk.rows && col < walk.inputs) atomicAdd(z + col, __ldg(diagonal + row) * (alpha * sum[i]));
    }
  }
}

// A matrix as its kernels are launched for it.
template <class Value>
class launched_diagonals {
 public:
  explicit launched_diagonals(const dia_view<Value, device>& m) : m_(m) {
    if (m.offsets.size() > most_in_launch) return;
    copy_bytes(place::host, few_.emplace().offsets, place::device, m.offsets.data(),
               m.offsets.size() * std::int64_t{sizeof(std::int32_t)});
  }

  // Calls use(offsets) with those that come along with a launch, or with those in memory.
  template <class Use>
  void with_offsets(Use use) const {
    if (few_)
      use(*few_);
    else
      use(offsets_in_memory{m_.offsets.data()});
  }
  template <outputs_are Outputs, bool Once, class Offsets>
  diagonal_walk<Outputs, Once, Offsets, Value> walk(const Offsets& offsets, const Value* x,
                                                    std::int64_t mirrored = 0, Value mirror = 1) const {
    const auto rows = static_cast<std::uint32_t>(m_.rows), cols = static_cast<std::uint32_t>(m_.cols);
    constexpr bool to_columns = Outputs == outputs_are::columns;
    return {offsets,
            mirrored + m_.offsets.size(),
            rows,
            to_columns ? rows : cols,
            to_columns ? cols : rows,
            m_.values.data(),
            x,
            mirrored,
            mirror};
  }
  read_ahead ahead(const Value* x, std::int64_t count) const {
    read_ahead ranges;
    ranges.add(m_.values.data(), m_.values.size());
    ranges.add(x, count);
    return ranges;
  }

 private:
  dia_view<Value, device> m_;
  std::optional<offsets_in_launch> few_;
};

template <class Value>
class dia_rows {
  using tuning = dia_tuning<Value>;

 public:
  static constexpr kernel_info info{
      .name = "dia/rows",
      .description =
          "a thread for a few outputs, several diagonals at a time, the rest as coo/segscan-32-block",
      .source = "ours",
      .computes = {true, true, true, true},
      .facts = {.walk = kernel_facts::rows::lanes,
                .lanes = 1,
                .at_once = tuning::together,
                .additions = {.normal = kernel_facts::adds::every},
                .launches = {.multiply = 1, .transposed = 1, .both = 1, .normal = 2},
                .launches_for_rest = 1}};
  using matrix = dia_view<Value, device>;

  static std::string why_not(const matrix& m, operation op) {
    return op == operation::normal && m.rest_values.size() > 0
               ? "a row's sum is not known where a part of it is in the rest"
               : "";
  }

  dia_rows(cuda on, const matrix& m, operation op) : on_(on), m_(m), op_(op), launched_(m) {}

  void run(Value alpha, const Value* x, Value beta, Value* y) const {
    if (op_ == operation::normal) return run_normal(alpha, x, beta, y);
    const auto count = static_cast<std::uint32_t>(outputs(m_, op_));
    launched_.with_offsets([&](const auto& offsets) {
      with_operation(op_, [&](auto transposed) {
        constexpr auto to = transposed.value ? outputs_are::columns : outputs_are::rows;
        add_diagonals<to><<<blocks_for(count, tuning::block_outputs), threads, 0, on_.stream>>>(
            launched_.template walk<to, true>(offsets, x), launched_.ahead(x, inputs(m_, op_)), alpha, beta,
            y);
      });
    });
    check_cuda(cudaGetLastError());
    add_entries(on_, entries_of(m_.rest_row_indices, m_.rest_col_indices, m_.rest_values, op_), alpha, x, y);
  }

  void run_both(Value alpha, const Value* x, const Value* w, Value beta, Value* y, Value* z) const {
    launched_.with_offsets([&](const auto& offsets) {
      const auto blocks = blocks_for(std::max(m_.rows, m_.cols), tuning::block_outputs);
      add_diagonals_both<<<blocks, threads, 0, on_.stream>>>(
          launched_.template walk<outputs_are::rows, false>(offsets, x),
          launched_.template walk<outputs_are::columns, false>(offsets, w), launched_.ahead(x, m_.cols),
          alpha, beta, y, z);
    });
    check_cuda(cudaGetLastError());
    add_entries_both(on_, entries_of(m_.rest_row_indices, m_.rest_col_indices, m_.rest_values, op_), alpha, x,
                     w, y, z);
  }

 private:
  void run_normal(Value alpha, const Value* x, Value beta, Value* z) const {
    const bool early = scale(on_, m_.cols, beta, z);
    launched_.with_offsets([&]<class Offsets>(const Offsets& offsets) {
      launch(on_, launch_size{blocks_for(m_.rows, tuning::block_outputs), threads, 0, early},
             add_diagonals_normal<Offsets, Value>,
             launched_.template walk<outputs_are::rows, false>(offsets, x), launched_.ahead(x, m_.cols),
             alpha, z);
    });
  }
  cuda on_;
  matrix m_;
  operation op_;
  launched_diagonals<Value> launched_;
};

template <class Value>
class dia_half_rows {
  using tuning = dia_tuning<Value>;

 public:
  static constexpr kernel_info info{.name = "dia/half",
                                    .description = "as dia/rows, over diagonals and their mirror images",
                                    .source = "ours",
                                    .facts = {.walk = kernel_facts::rows::lanes,
                                              .lanes = 1,
                                              .at_once = tuning::together,
                                              .launches = {.multiply = 1, .transposed = 1},
                                              .launches_for_rest = 2}};
  using matrix = dia_half_view<Value, device>;

  dia_half_rows(cuda on, const matrix& m, operation op)
      : on_(on),
        m_(m.upper),
        mirror_(m.mirror()),
        sign_(sign_of_product(m, op)),
        launched_(m.upper),
        images_(m_.rest_row_indices, m_.rest_col_indices, m_.rest_values) {
    std::int32_t first = -1;
    if (m_.offsets.size() > 0)
      copy_bytes(place::host, &first, place::device, m_.offsets.data(), std::int64_t{sizeof first});
    on_main_ = first == 0 ? 1 : 0;
  }
  std::int64_t bytes() const { return images_.bytes(); }

  void run(Value alpha, const Value* x, Value beta, Value* y) const {
    alpha *= sign_;
    launched_.with_offsets([&](const auto& offsets) {
      constexpr auto to = outputs_are::rows_of_whole;
      add_diagonals<to><<<blocks_for(m_.rows, tuning::block_outputs), threads, 0, on_.stream>>>(
          launched_.template walk<to, false>(offsets, x, m_.offsets.size() - on_main_, mirror_),
          launched_.ahead(x, m_.cols), alpha, beta, y);
    });
    check_cuda(cudaGetLastError());
    add_entries(on_,
                entries_of(m_.rest_row_indices, m_.rest_col_indices, m_.rest_values, operation::multiply),
                alpha, x, y);
    add_entries(on_, images_.list(), alpha * mirror_, x, y);
  }

 private:
  cuda on_;
  dia_view<Value, device> m_;
  Value mirror_, sign_;
  launched_diagonals<Value> launched_;
  std::int64_t on_main_ = 0;     // diagonals that are their own mirror images
  mirror_images<Value> images_;  // of the rest
};

}  // namespace

template <class Value>
struct table_of<dia_view<Value, device>> {
  static kernel_table<dia_view<Value, device>> lines() { return {kernel_of<dia_rows<Value>>()}; }
};

template <class Value>
struct table_of<dia_half_view<Value, device>> {
  static kernel_table<dia_half_view<Value, device>> lines() { return {kernel_of<dia_half_rows<Value>>()}; }
};

template kernel_table<dia_half_view<float, device>> kernels_of(const dia_half_view<float, device>&);
template kernel_table<dia_half_view<double, device>> kernels_of(const dia_half_view<double, device>&);
template kernel_table<dia_view<float, device>> kernels_of(const dia_view<float, device>&);
template kernel_table<dia_view<double, device>> kernels_of(const dia_view<double, device>&);

}  // namespace sparsmith
