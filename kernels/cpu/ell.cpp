// ELL, SELL and HYB on OpenMP. A x of ELL and SELL: every thread owns a run of rows or slices and walks it
// slot by slot, a piece of rows at a time, so that memory is read in order while the sums stay in the nearest
// cache. Where pieces are small, or rows of different lengths stand side by side, it takes groups of rows
// whose sums stay in registers. Slices are groups of rows already, and are taken as wide ones where the CPU
// has vectors for them (wide_groups.hpp).
#include <bit>
#include <cstring>

#include "kernels/cpu/scatter.hpp"
#include "kernels/cpu/wide_groups.hpp"
#include "kernels/table.hpp"

namespace sparsmith {
namespace {

struct ell_tuning {
  // Rows whose sums stay in the nearest cache while their slots are read in order.
  static constexpr std::int64_t piece_rows = 512;
  // Rows of a group.
  static constexpr int group_rows = 8;
  // All of a group's slots are read before the next group's where that jumps little in memory: in slices of
  // one group, and where rows have at most so many slots in ELL and in slices of at most so many rows.
  static constexpr std::int64_t grouped_width = 8, grouped_slice = 16;
  // A piece whose rows differ by this many slots leaves those that not all of its rows have to groups: a
  // branch for each is guessed wrong too often. Fewer are mostly the edges of a mesh, which are guessed
  // right.
  static constexpr std::int64_t grouped_difference = 2;
  // Slices of more rows are as ELL is, where wide groups lost more than half on cold bands.
  static constexpr std::int64_t widest_slice = 64;
};
constexpr std::int64_t piece_rows = ell_tuning::piece_rows;
constexpr int group_rows = ell_tuning::group_rows;

// 16 bytes, which every CPU of 64 bits adds and multiplies at once. Compilers make vectors of the loops over
// a piece by themselves, but not of a group's, whose sums must not leave the registers.
template <class Value>
struct vector_of {
  static constexpr int lanes = 16 / sizeof(Value);
  typedef Value values __attribute__((vector_size(16)));
  typedef std::int32_t words __attribute__((vector_size(16)));
  // A lane of it is all ones or all zeros.
  typedef std::conditional_t<lanes == 4, std::int32_t, std::int64_t> choice __attribute__((vector_size(16)));

  static values load(const Value* from) {
    values v;
    std::memcpy(&v, from, sizeof v);
    return v;
  }
  static values gather(const Value* from, const std::int32_t* at) {
    if constexpr (lanes == 4)
      return values{from[at[0]], from[at[1]], from[at[2]], from[at[3]]};
    else
      return values{from[at[0]], from[at[1]]};
  }
  // As many words for each number as it has, so that they compare lane by lane without 64-bit integers, which
  // not every CPU compares.
  static words widened(const std::int32_t* numbers) {
    if constexpr (lanes == 4)
      return words{numbers[0], numbers[1], numbers[2], numbers[3]};
    else
      return words{numbers[0], numbers[0], numbers[1], numbers[1]};
  }
  static choice below(words a, words b) { return std::bit_cast<choice>(a < b); }
};

// Adds the slots of a group's rows from slot `from` on to their sums. `cols` and `values` are at slot 0 of
// the first row. Padding up to the longest row is read, but chosen away: see ell_layout.
template <class Value>
[[gnu::always_inline]] inline void add_group(const std::int32_t* lengths, std::int64_t from,
                                             const std::int32_t* cols, const Value* values,
                                             std::int64_t stride, const Value* x, Value* sums) {
  using vector = vector_of<Value>;
  constexpr int count = group_rows / vector::lanes;
  std::int32_t shortest = lengths[0], longest = lengths[0];
  for (int i = 1; i < group_rows; ++i) {
    shortest = std::min(shortest, lengths[i]);
    longest = std::max(longest, lengths[i]);
  }
  auto k = static_cast<std::int32_t>(from);
  if (k >= longest) return;
  cols += from * stride;
  values += from * stride;
  typename vector::values sum[count];
  typename vector::words length[count];
#pragma GCC unroll 4
  for (int v = 0; v < count; ++v) {
    sum[v] = vector::load(sums + v * vector::lanes);
    length[v] = vector::widened(lengths + v * vector::lanes);
  }
  const auto with_slot = [&](int v) {
    const int at = v * vector::lanes;
    return sum[v] + vector::load(values + at) * vector::gather(x, cols + at);
  };
  for (; k < shortest; ++k, cols += stride, values += stride)
#pragma GCC unroll 4
    for (int v = 0; v < count; ++v) sum[v] = with_slot(v);
  typename vector::words slot = typename vector::words{} + k;
  for (; k < longest; ++k, slot += 1, cols += stride, values += stride)
#pragma GCC unroll 4
    for (int v = 0; v < count; ++v) sum[v] = vector::below(slot, length[v]) ? with_slot(v) : sum[v];
#pragma GCC unroll 4
  for (int v = 0; v < count; ++v) std::memcpy(sums + v * vector::lanes, &sum[v], sizeof sum[v]);
}

// Slot k of the row at `position` + i is at first_slot + k * stride + i, for i below `rows`.
struct slot_piece {
  std::int64_t position, rows, first_slot, stride, width;
};

// A layout cuts its units into pieces and says which row is at a position and how many of its slots hold
// entries. What comes after is padding, which must not meet x: 0 times infinity is no number.
template <class Value>
struct ell_layout {
  std::int64_t rows, width;
  const std::int32_t* lengths;
  const std::int32_t* cols;
  const Value* values;

  std::int64_t units() const { return rows; }
  std::int64_t slots_before(std::int64_t row) const { return row * width; }
  std::int64_t row_at(std::int64_t position) const { return position; }
  bool in_groups() const { return width <= ell_tuning::grouped_width; }
  // None: the slots of a row lie too far apart where there are many of them.
  wide_group<Value> wide() const { return {}; }
  template <class Use>
  void pieces(std::int64_t first, std::int64_t last, Use use) const {
    for (std::int64_t row = first; row < last; row += piece_rows)
      use(slot_piece{row, std::min(piece_rows, last - row), row, rows, width});
  }
};

template <class Offset, class Value>
struct sell_layout {
  std::int64_t rows, slice;
  const std::int32_t* lengths;
  const std::int32_t* row_order;
  const Offset* slice_offsets;
  const std::int32_t* cols;
  const Value* values;

  std::int64_t units() const { return (rows + slice - 1) / slice; }
  std::int64_t slots_before(std::int64_t s) const { return slice_offsets[s]; }
  std::int64_t row_at(std::int64_t position) const { return row_order[position]; }
  bool in_groups() const { return slice % group_rows == 0 && slice <= ell_tuning::grouped_slice; }
  wide_group<Value> wide() const {
    return slice <= ell_tuning::widest_slice ? wide_group_for<Value>(slice) : wide_group<Value>{};
  }
  template <class Use>
  void pieces(std::int64_t first, std::int64_t last, Use use) const {
    for (std::int64_t s = first; s < last; ++s) {
      const std::int64_t start = slice_offsets[s], width = (slice_offsets[s + 1] - start) / slice;
      const std::int64_t filled = std::min(slice, rows - s * slice);
      for (std::int64_t i = 0; i < filled; i += piece_rows)
        use(slot_piece{s * slice + i, std::min(piece_rows, filled - i), start + i, slice, width});
    }
  }
};

template <class Layout>
struct slot_walk {
  Layout layout;
  template <class Each>
  void operator()(std::int64_t first, std::int64_t last, Each each) const {
    layout.pieces(first, last, [&](const slot_piece& piece) {
      for (std::int64_t k = 0; k < piece.width; ++k)
        for (std::int64_t i = 0; i < piece.rows; ++i) {
          const std::int64_t slot = piece.first_slot + k * piece.stride + i;
          if (k < layout.lengths[piece.position + i])
            each(layout.row_at(piece.position + i), layout.cols[slot], layout.values[slot]);
        }
    });
  }
};

template <class Value, class Layout>
class slots_omp {
 public:
  slots_omp(const Layout& layout, std::int64_t outputs, operation op)
      : layout_(layout), wide_(layout.wide()), bounds_(chunks_of(layout)) {
    if (op == operation::transposed)
      transposed_ = std::make_unique<scatter>(outputs, op, bounds_, slot_walk<Layout>{layout});
  }
  std::int64_t bytes() const { return transposed_ ? transposed_->bytes() : 0; }

  void run(Value alpha, const Value* x, Value beta, Value* y) const {
    if (transposed_) return transposed_->run(alpha, x, beta, y);
    const auto chunks = static_cast<std::int64_t>(bounds_.size()) - 1;
    const bool in_groups = layout_.in_groups();
#pragma omp parallel for schedule(static, 1)
    for (std::int64_t c = 0; c < chunks; ++c) {
      const std::int64_t first = bounds_[static_cast<std::size_t>(c)],
                         last = bounds_[static_cast<std::size_t>(c) + 1];
      if (wide_.rows > 0)
        layout_.pieces(first, last,
                       [&](const slot_piece& piece) { multiply_wide(piece, alpha, x, beta, y); });
      else if (in_groups)
        layout_.pieces(first, last, [&](const slot_piece& piece) {
          if (piece.stride == group_rows || piece.width <= ell_tuning::grouped_width)
            multiply_groups(piece, alpha, x, beta, y);
          else
            multiply(piece, alpha, x, beta, y);
        });
      else
        layout_.pieces(first, last, [&](const slot_piece& piece) { multiply(piece, alpha, x, beta, y); });
    }
  }

 private:
  void multiply(const slot_piece& piece, Value alpha, const Value* x, Value beta, Value* y) const {
    const std::int32_t* const lengths = layout_.lengths + piece.position;
    const std::int64_t shortest = *std::min_element(lengths, lengths + piece.rows);
    if (piece.width - shortest >= ell_tuning::grouped_difference)
      return multiply_unequal(piece, shortest, alpha, x, beta, y);
    Value sums[piece_rows];
    std::fill_n(sums, piece.rows, Value{0});
    for (std::int64_t k = 0; k < piece.width; ++k) {
      const std::int32_t* const cols = layout_.cols + piece.first_slot + k * piece.stride;
      const Value* const values = layout_.values + piece.first_slot + k * piece.stride;
      if (k < shortest)
        for (std::int64_t i = 0; i < piece.rows; ++i) sums[i] += values[i] * x[cols[i]];
      else
        for (std::int64_t i = 0; i < piece.rows; ++i)
          if (k < lengths[i]) sums[i] += values[i] * x[cols[i]];
    }
    put(piece.position, piece.rows, sums, alpha, beta, y);
  }

  // Apart from `multiply`, which is faster the fewer registers it needs.
  [[gnu::noinline]] void multiply_unequal(const slot_piece& piece, std::int64_t shortest, Value alpha,
                                          const Value* x, Value beta, Value* y) const {
    const std::int32_t* const lengths = layout_.lengths + piece.position;
    const std::int32_t* const cols = layout_.cols + piece.first_slot;
    const Value* const values = layout_.values + piece.first_slot;
    Value sums[piece_rows];
    std::fill_n(sums, piece.rows, Value{0});
    for (std::int64_t k = 0; k < shortest; ++k)
      for (std::int64_t i = 0; i < piece.rows; ++i)
        sums[i] += values[k * piece.stride + i] * x[cols[k * piece.stride + i]];
    std::int64_t i = 0;
    for (; i + group_rows <= piece.rows; i += group_rows)
      add_group(lengths + i, shortest, cols + i, values + i, piece.stride, x, sums + i);
    for (; i < piece.rows; ++i)
      sums[i] = sum_of_row(lengths[i], shortest, cols + i, values + i, piece.stride, x, sums[i]);
    put(piece.position, piece.rows, sums, alpha, beta, y);
  }

  void multiply_groups(const slot_piece& piece, Value alpha, const Value* x, Value beta, Value* y) const {
    const std::int32_t* const lengths = layout_.lengths + piece.position;
    const std::int32_t* const cols = layout_.cols + piece.first_slot;
    const Value* const values = layout_.values + piece.first_slot;
    std::int64_t i = 0;
    for (; i + group_rows <= piece.rows; i += group_rows) {
      Value sums[group_rows] = {};
      add_group(lengths + i, 0, cols + i, values + i, piece.stride, x, sums);
      put(piece.position + i, group_rows, sums, alpha, beta, y);
    }
    for (; i < piece.rows; ++i) {
      const Value sum = sum_of_row(lengths[i], 0, cols + i, values + i, piece.stride, x);
      put(piece.position + i, 1, &sum, alpha, beta, y);
    }
  }

  void multiply_wide(const slot_piece& piece, Value alpha, const Value* x, Value beta, Value* y) const {
    const std::int32_t* const lengths = layout_.lengths + piece.position;
    const std::int32_t* const cols = layout_.cols + piece.first_slot;
    const Value* const values = layout_.values + piece.first_slot;
    Value sums[most_wide_rows];
    std::int64_t i = 0;
    for (; i + wide_.rows <= piece.rows; i += wide_.rows) {
      wide_.sum(lengths + i, cols + i, values + i, piece.stride, x, sums);
      put(piece.position + i, wide_.rows, sums, alpha, beta, y);
    }
    for (; i < piece.rows; ++i) {
      const Value sum = sum_of_row(lengths[i], 0, cols + i, values + i, piece.stride, x);
      put(piece.position + i, 1, &sum, alpha, beta, y);
    }
  }

  // Slot by slot, as everywhere here: a product has the same bits whichever way its rows are taken.
  static Value sum_of_row(std::int32_t length, std::int64_t from, const std::int32_t* cols,
                          const Value* values, std::int64_t stride, const Value* x, Value sum = 0) {
    for (std::int64_t k = from; k < length; ++k) sum += values[k * stride] * x[cols[k * stride]];
    return sum;
  }

  void put(std::int64_t position, std::int64_t rows, const Value* sums, Value alpha, Value beta,
           Value* y) const {
    for (std::int64_t i = 0; i < rows; ++i) {
      Value& out = y[layout_.row_at(position + i)];
      out = beta == Value{0} ? alpha * sums[i] : beta * out + alpha * sums[i];
    }
  }

  using scatter = scatter_sum<Value, slot_walk<Layout>>;
  Layout layout_;
  wide_group<Value> wide_;
  std::vector<std::int64_t> bounds_;
  std::unique_ptr<scatter> transposed_;
};

template <class Value>
struct ell_omp : slots_omp<Value, ell_layout<Value>> {
  static constexpr kernel_info info{.name = "ell/omp",
                                    .description = "a run of rows for every thread, slot by slot",
                                    .source = "ours",
                                    .repeatable = {.multiply = true, .transposed = true},
                                    .facts = cpu_facts};
  using matrix = ell_view<Value, host>;

  ell_omp(openmp, const matrix& m, operation op)
      : slots_omp<Value, ell_layout<Value>>(
            {m.rows, m.width, m.row_lengths.data(), m.col_indices.data(), m.values.data()}, outputs(m, op),
            op) {}
};

template <class Offset, class Value>
struct sell_omp : slots_omp<Value, sell_layout<Offset, Value>> {
  static constexpr kernel_info info{.name = "sell/omp",
                                    .description = "a run of slices with equal work for every thread",
                                    .source = "ours",
                                    .repeatable = {.multiply = true, .transposed = true},
                                    .facts = cpu_facts};
  using matrix = sell_view<Offset, Value, host>;

  sell_omp(openmp, const matrix& m, operation op)
      : slots_omp<Value, sell_layout<Offset, Value>>(
            {m.rows, m.slice, m.row_lengths.data(), m.row_order.data(), m.slice_offsets.data(),
             m.col_indices.data(), m.values.data()},
            outputs(m, op), op) {}
};

// Units: the rows of the ELL part, then the entries of the rest.
template <class Value>
struct hyb_walk {
  hyb_view<Value, host> m;

  ell_layout<Value> front() const {
    return {m.rows, m.width, m.row_lengths.data(), m.ell_col_indices.data(), m.ell_values.data()};
  }
  std::int64_t units() const { return m.rows + m.rest_values.size(); }
  std::int64_t slots_before(std::int64_t unit) const {
    const std::int64_t row = std::min<std::int64_t>(unit, m.rows);
    return front().slots_before(row) + (unit - row);
  }
  template <class Each>
  void operator()(std::int64_t first, std::int64_t last, Each each) const {
    const std::int64_t rows = m.rows;
    slot_walk<ell_layout<Value>>{front()}(first, std::min(last, rows), each);
    for (std::int64_t e = std::max(first, rows) - rows; e < last - rows; ++e)
      each(m.rest_row_indices[e], m.rest_col_indices[e], m.rest_values[e]);
  }
};

template <class Value>
struct hyb_omp : scatter_sum<Value, hyb_walk<Value>> {
  static constexpr kernel_info info{.name = "hyb/omp",
                                    .description = "a run of rows or of the rest for every thread",
                                    .source = "ours",
                                    .repeatable = {.multiply = true, .transposed = true},
                                    .facts = cpu_facts};
  using matrix = hyb_view<Value, host>;

  hyb_omp(openmp, const matrix& m, operation op)
      : scatter_sum<Value, hyb_walk<Value>>(outputs(m, op), op, chunks_of(hyb_walk<Value>{m}), {m}) {}
};

}  // namespace

template <class Value>
struct table_of<ell_view<Value, host>> {
  static kernel_table<ell_view<Value, host>> lines() { return {kernel_of<ell_omp<Value>>()}; }
};
template <class Offset, class Value>
struct table_of<sell_view<Offset, Value, host>> {
  static kernel_table<sell_view<Offset, Value, host>> lines() {
    return {kernel_of<sell_omp<Offset, Value>>()};
  }
};
template <class Value>
struct table_of<hyb_view<Value, host>> {
  static kernel_table<hyb_view<Value, host>> lines() { return {kernel_of<hyb_omp<Value>>()}; }
};

template kernel_table<ell_view<float, host>> kernels_of(const ell_view<float, host>&);
template kernel_table<ell_view<double, host>> kernels_of(const ell_view<double, host>&);
template kernel_table<sell_view<std::int32_t, float, host>> kernels_of(
    const sell_view<std::int32_t, float, host>&);
template kernel_table<sell_view<std::int32_t, double, host>> kernels_of(
    const sell_view<std::int32_t, double, host>&);
template kernel_table<sell_view<std::int64_t, float, host>> kernels_of(
    const sell_view<std::int64_t, float, host>&);
template kernel_table<sell_view<std::int64_t, double, host>> kernels_of(
    const sell_view<std::int64_t, double, host>&);
template kernel_table<hyb_view<float, host>> kernels_of(const hyb_view<float, host>&);
template kernel_table<hyb_view<double, host>> kernels_of(const hyb_view<double, host>&);

}  // namespace sparsmith
