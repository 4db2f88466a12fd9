// ELL, SELL and HYB on OpenMP. A x of ELL and SELL: every thread owns a run of rows or slices and walks it
// slot by slot, a piece of rows at a time, so that memory is read in order while the sums stay in the nearest
// cache. Where pieces are small, or rows of different lengths stand side by side, it takes groups of rows
// whose sums stay in registers. Slices are groups of rows already, and are taken as wide ones where the CPU
// has vectors for them (wide_groups.hpp). Where two products are made in one pass, the rows whose sums are
// complete are added to columns while their slots are in a cache.
#include <bit>
#include <cstring>

#include "kernels/cpu/panels.hpp"
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

// The same of complex values, whose parts a vector would have to take apart: row by row.
template <class Part>
void add_group(const std::int32_t* lengths, std::int64_t from, const std::int32_t* cols,
               const complex_number<Part>* values, std::int64_t stride, const complex_number<Part>* x,
               complex_number<Part>* sums) {
  for (int i = 0; i < group_rows; ++i)
    for (std::int64_t k = from; k < lengths[i]; ++k)
      sums[i] += values[k * stride + i] * x[cols[k * stride + i]];
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
    if constexpr (!is_complex<Value>)
      if (slice <= ell_tuning::widest_slice) return wide_group_for<Value>(slice);
    return {};
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
  slots_omp(const Layout& layout, std::int64_t rows, std::int64_t cols, operation op)
      : layout_(layout), wide_(layout.wide()), bounds_(chunks_of(layout)) {
    if (op == operation::transposed)
      transposed_ = std::make_unique<scatter>(rows, cols, op, bounds_, slot_walk<Layout>{layout});
    if (op == operation::both || op == operation::normal)
      columns_ = std::make_unique<private_sums<Value>>(cols, chunks(), [&](std::int64_t c) {
        return touched_by<Value>(slot_walk<Layout>{layout}, operation::transposed,
                                 bounds_[static_cast<std::size_t>(c)],
                                 bounds_[static_cast<std::size_t>(c) + 1]);
      });
  }
  std::int64_t bytes() const { return transposed_ ? transposed_->bytes() : columns_ ? columns_->bytes() : 0; }

  void run_both(Value alpha, const Value* x, const Value* w, Value beta, Value* y, Value* z) const {
    columns_->run(alpha, beta, z, [&](std::int64_t c, Value* of_columns) {
      multiply_chunk(c, x, [&](const slot_piece& piece, const Value* sums) {
        put(piece, sums, alpha, beta, y);
        Value factors[piece_rows];
        for (std::int64_t i = 0; i < piece.rows; ++i) factors[i] = w[layout_.row_at(piece.position + i)];
        add_to_columns(piece, factors, of_columns);
      });
    });
  }

  void run(Value alpha, const Value* x, Value beta, Value* y) const {
    if (transposed_) return transposed_->run(alpha, x, beta, y);
    if (columns_)
      return columns_->run(alpha, beta, y, [&](std::int64_t c, Value* of_columns) {
        multiply_chunk(c, x, [&](const slot_piece& piece, const Value* sums) {
          add_to_columns(piece, sums, of_columns);
        });
      });
#pragma omp parallel for schedule(static, 1)
    for (std::int64_t c = 0; c < chunks(); ++c)
      multiply_chunk(c, x,
                     [&](const slot_piece& piece, const Value* sums) { put(piece, sums, alpha, beta, y); });
  }

 private:
  std::int64_t chunks() const {
    return static_cast<std::int64_t>(bounds_.size()) - 1;
  }

  // finish(piece, sums) takes A x of the rows of a piece, or of a part of one, which is a piece too.
  template <class Finish>
  void multiply_chunk(std::int64_t c, const Value* x, Finish finish) const {
    const std::int64_t first = bounds_[static_cast<std::size_t>(c)],
                       last = bounds_[static_cast<std::size_t>(c) + 1];
    if (wide_.rows > 0)
      layout_.pieces(first, last, [&](const slot_piece& piece) { multiply_wide(piece, x, finish); });
    else if (layout_.in_groups())
      layout_.pieces(first, last, [&](const slot_piece& piece) {
        if (piece.stride == group_rows || piece.width <= ell_tuning::grouped_width)
          multiply_groups(piece, x, finish);
        else
          multiply(piece, x, finish);
      });
    else
      layout_.pieces(first, last, [&](const slot_piece& piece) { multiply(piece, x, finish); });
  }

  template <class Finish>
  void multiply(const slot_piece& piece, const Value* x, Finish finish) const {
    const std::int32_t* const lengths = layout_.lengths + piece.position;
    const std::int64_t shortest = *std::min_element(lengths, lengths + piece.rows);
    if (piece.width - shortest >= ell_tuning::grouped_difference)
      return multiply_unequal(piece, shortest, x, finish);
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
    finish(piece, sums);
  }

  // Apart from `multiply`, which is faster the fewer registers it needs.
  template <class Finish>
  [[gnu::noinline]] void multiply_unequal(const slot_piece& piece, std::int64_t shortest, const Value* x,
                                          Finish finish) const {
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
    finish(piece, sums);
  }

  template <class Finish>
  void multiply_groups(const slot_piece& piece, const Value* x, Finish finish) const {
    const std::int32_t* const lengths = layout_.lengths + piece.position;
    const std::int32_t* const cols = layout_.cols + piece.first_slot;
    const Value* const values = layout_.values + piece.first_slot;
    std::int64_t i = 0;
    for (; i + group_rows <= piece.rows; i += group_rows) {
      Value sums[group_rows] = {};
      add_group(lengths + i, 0, cols + i, values + i, piece.stride, x, sums);
      finish(part_of(piece, i, group_rows), sums);
    }
    multiply_singly(piece, i, x, finish);
  }

  template <class Finish>
  void multiply_wide(const slot_piece& piece, const Value* x, Finish finish) const {
    const std::int32_t* const lengths = layout_.lengths + piece.position;
    const std::int32_t* const cols = layout_.cols + piece.first_slot;
    const Value* const values = layout_.values + piece.first_slot;
    Value sums[most_wide_rows];
    std::int64_t i = 0;
    for (; i + wide_.rows <= piece.rows; i += wide_.rows) {
      wide_.sum(lengths + i, cols + i, values + i, piece.stride, x, sums);
      finish(part_of(piece, i, wide_.rows), sums);
    }
    multiply_singly(piece, i, x, finish);
  }

  // The rows from i on, which are fewer than a group.
  template <class Finish>
  void multiply_singly(const slot_piece& piece, std::int64_t i, const Value* x, Finish finish) const {
    for (; i < piece.rows; ++i) {
      const std::int64_t slot = piece.first_slot + i;
      const Value sum = sum_of_row(layout_.lengths[piece.position + i], 0, layout_.cols + slot,
                                   layout_.values + slot, piece.stride, x);
      finish(part_of(piece, i, 1), &sum);
    }
  }

  static slot_piece part_of(const slot_piece& piece, std::int64_t i, std::int64_t rows) {
    return {piece.position + i, rows, piece.first_slot + i, piece.stride, piece.width};
  }

  // Slot by slot, as everywhere here: a product has the same bits whichever way its rows are taken.
  static Value sum_of_row(std::int32_t length, std::int64_t from, const std::int32_t* cols,
                          const Value* values, std::int64_t stride, const Value* x, Value sum = {}) {
    for (std::int64_t k = from; k < length; ++k) sum += values[k * stride] * x[cols[k * stride]];
    return sum;
  }

  void put(const slot_piece& piece, const Value* sums, Value alpha, Value beta, Value* y) const {
    for (std::int64_t i = 0; i < piece.rows; ++i) {
      Value& out = y[layout_.row_at(piece.position + i)];
      out = beta == Value{0} ? alpha * sums[i] : beta * out + alpha * sums[i];
    }
  }

  // Every row times its factor.
  void add_to_columns(const slot_piece& piece, const Value* factors, Value* of_columns) const {
    const std::int32_t* const lengths = layout_.lengths + piece.position;
    for (std::int64_t k = 0; k < piece.width; ++k) {
      const std::int32_t* const cols = layout_.cols + piece.first_slot + k * piece.stride;
      const Value* const values = layout_.values + piece.first_slot + k * piece.stride;
      for (std::int64_t i = 0; i < piece.rows; ++i)
        if (k < lengths[i]) of_columns[cols[i]] += values[i] * factors[i];
    }
  }

  using scatter = scatter_sum<Value, slot_walk<Layout>>;
  Layout layout_;
  wide_group<Value> wide_;
  std::vector<std::int64_t> bounds_;
  std::unique_ptr<scatter> transposed_;
  std::unique_ptr<private_sums<Value>> columns_;  // where two products are made in one pass
};

// Several vectors: row by row, whose slots lie a stride apart, and those of its neighbours between them.
template <class Value, class Layout>
class slots_many {
 public:
  slots_many(const Layout& layout, std::int64_t cols, operation op, std::int64_t vectors)
      : layout_(layout), vectors_(vectors), bounds_(chunks_of(layout)) {
    if (op == operation::transposed)
      columns_ = std::make_unique<panel_sums<Value>>(cols, vectors, chunks(), [&](std::int64_t c) {
        return touched_by<Value>(slot_walk<Layout>{layout}, op, bounds_[static_cast<std::size_t>(c)],
                                 bounds_[static_cast<std::size_t>(c) + 1]);
      });
  }
  std::int64_t bytes() const { return columns_ ? columns_->bytes() : 0; }

  void run(Value alpha, const Value* x, std::int64_t x_stride, Value beta, Value* y, std::int64_t y_stride) {
    if (columns_)
      return columns_->run(alpha, beta, y, y_stride,
                           [&](std::int64_t c, std::int64_t first, std::int64_t width, Value* sums) {
                             each_row(c, [&](std::int64_t row, const std::int32_t* cols, const Value* values,
                                             std::int64_t length, std::int64_t stride) {
                               code_.scatter(cols, values, length, stride, x + row * x_stride + first, width,
                                             sums, columns_->stride());
                             });
                           });
#pragma omp parallel for schedule(static, 1)
    for (std::int64_t c = 0; c < chunks(); ++c)
      each_row(c, [&](std::int64_t row, const std::int32_t* cols, const Value* values, std::int64_t length,
                      std::int64_t stride) {
        each_panel(vectors_, panel_tuning::widest, [&](std::int64_t first, std::int64_t width) {
          Value sums[panel_tuning::widest] = {};
          code_.gather(cols, values, length, stride, x + first, x_stride, width, sums);
          put_panel(alpha, sums, beta, y + row * y_stride + first, width);
        });
      });
  }

 private:
  std::int64_t chunks() const {
    return static_cast<std::int64_t>(bounds_.size()) - 1;
  }

  template <class Use>
  void each_row(std::int64_t c, Use use) const {
    layout_.pieces(bounds_[static_cast<std::size_t>(c)], bounds_[static_cast<std::size_t>(c) + 1],
                   [&](const slot_piece& piece) {
                     for (std::int64_t i = 0; i < piece.rows; ++i)
                       use(layout_.row_at(piece.position + i), layout_.cols + piece.first_slot + i,
                           layout_.values + piece.first_slot + i,
                           std::int64_t{layout_.lengths[piece.position + i]}, piece.stride);
                   });
  }

  Layout layout_;
  std::int64_t vectors_;
  std::vector<std::int64_t> bounds_;
  panel_code<Value> code_ = panel_code_here<Value>();
  std::unique_ptr<panel_sums<Value>> columns_;  // of A^T x
};

template <class Value>
struct ell_omp : slots_omp<Value, ell_layout<Value>> {
  static constexpr kernel_info info{.name = "ell/omp",
                                    .description = "a run of rows for every thread, slot by slot",
                                    .source = "ours",
                                    .repeatable = {true, true, true, true},
                                    .computes = {true, true, true, true},
                                    .facts = cpu_facts};
  using matrix = ell_view<Value, host>;

  static ell_layout<Value> layout_of(const matrix& m) {
    return {m.rows, m.width, m.row_lengths.data(), m.col_indices.data(), m.values.data()};
  }
  struct many : slots_many<Value, ell_layout<Value>> {
    many(openmp, const matrix& m, operation op, std::int64_t vectors)
        : slots_many<Value, ell_layout<Value>>(layout_of(m), m.cols, op, vectors) {}
  };

  ell_omp(openmp, const matrix& m, operation op)
      : slots_omp<Value, ell_layout<Value>>(layout_of(m), m.rows, m.cols, op) {}
};

template <class Offset, class Value>
struct sell_omp : slots_omp<Value, sell_layout<Offset, Value>> {
  static constexpr kernel_info info{.name = "sell/omp",
                                    .description = "a run of slices with equal work for every thread",
                                    .source = "ours",
                                    .repeatable = {true, true, true, true},
                                    .computes = {true, true, true, true},
                                    .facts = cpu_facts};
  using matrix = sell_view<Offset, Value, host>;

  static sell_layout<Offset, Value> layout_of(const matrix& m) {
    return {m.rows,
            m.slice,
            m.row_lengths.data(),
            m.row_order.data(),
            m.slice_offsets.data(),
            m.col_indices.data(),
            m.values.data()};
  }
  struct many : slots_many<Value, sell_layout<Offset, Value>> {
    many(openmp, const matrix& m, operation op, std::int64_t vectors)
        : slots_many<Value, sell_layout<Offset, Value>>(layout_of(m), m.cols, op, vectors) {}
  };

  sell_omp(openmp, const matrix& m, operation op)
      : slots_omp<Value, sell_layout<Offset, Value>>(layout_of(m), m.rows, m.cols, op) {}
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
                                    .repeatable = {.multiply = true, .transposed = true, .both = true},
                                    .computes = {.multiply = true, .transposed = true, .both = true},
                                    .facts = cpu_facts};
  using matrix = hyb_view<Value, host>;
  struct many : panel_scatter<Value, hyb_walk<Value>> {
    many(openmp, const matrix& m, operation op, std::int64_t vectors)
        : panel_scatter<Value, hyb_walk<Value>>(m.rows, m.cols, op, vectors, chunks_of(hyb_walk<Value>{m}),
                                                {m}) {}
  };

  hyb_omp(openmp, const matrix& m, operation op)
      : scatter_sum<Value, hyb_walk<Value>>(m.rows, m.cols, op, chunks_of(hyb_walk<Value>{m}), {m}) {}
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
template kernel_table<ell_view<complex64, host>> kernels_of(const ell_view<complex64, host>&);
template kernel_table<ell_view<complex128, host>> kernels_of(const ell_view<complex128, host>&);
template kernel_table<sell_view<std::int32_t, complex64, host>> kernels_of(
    const sell_view<std::int32_t, complex64, host>&);
template kernel_table<sell_view<std::int32_t, complex128, host>> kernels_of(
    const sell_view<std::int32_t, complex128, host>&);
template kernel_table<sell_view<std::int64_t, complex64, host>> kernels_of(
    const sell_view<std::int64_t, complex64, host>&);
template kernel_table<sell_view<std::int64_t, complex128, host>> kernels_of(
    const sell_view<std::int64_t, complex128, host>&);
template kernel_table<hyb_view<complex64, host>> kernels_of(const hyb_view<complex64, host>&);
template kernel_table<hyb_view<complex128, host>> kernels_of(const hyb_view<complex128, host>&);

}  // namespace sparsmith
