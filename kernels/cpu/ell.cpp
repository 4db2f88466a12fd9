// ELL, SELL and HYB on OpenMP. A x of ELL and SELL: every thread owns a run of rows or slices and walks it
// slot by slot, a piece of rows at a time, so that memory is read in order while the sums stay in the nearest
// cache.
#include "kernels/cpu/scatter.hpp"
#include "kernels/table.hpp"

namespace sparsmith {
namespace {

struct ell_tuning {
  // Rows whose sums stay in the nearest cache while their slots are read in order.
  static constexpr std::int64_t piece_rows = 512;
};
constexpr std::int64_t piece_rows = ell_tuning::piece_rows;

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
      : layout_(layout), bounds_(chunks_of(layout)) {
    if (op == operation::transposed)
      transposed_ = std::make_unique<scatter>(outputs, op, bounds_, slot_walk<Layout>{layout});
  }
  std::int64_t bytes() const { return transposed_ ? transposed_->bytes() : 0; }

  void run(Value alpha, const Value* x, Value beta, Value* y) const {
    if (transposed_) return transposed_->run(alpha, x, beta, y);
    const auto chunks = static_cast<std::int64_t>(bounds_.size()) - 1;
#pragma omp parallel for schedule(static, 1)
    for (std::int64_t c = 0; c < chunks; ++c)
      layout_.pieces(bounds_[static_cast<std::size_t>(c)], bounds_[static_cast<std::size_t>(c) + 1],
                     [&](const slot_piece& piece) { multiply(piece, alpha, x, beta, y); });
  }

 private:
  void multiply(const slot_piece& piece, Value alpha, const Value* x, Value beta, Value* y) const {
    Value sums[piece_rows];
    std::fill_n(sums, piece.rows, Value{0});
    const std::int32_t* const lengths = layout_.lengths + piece.position;
    const std::int64_t shortest = *std::min_element(lengths, lengths + piece.rows);
    for (std::int64_t k = 0; k < piece.width; ++k) {
      const std::int32_t* const cols = layout_.cols + piece.first_slot + k * piece.stride;
      const Value* const values = layout_.values + piece.first_slot + k * piece.stride;
      if (k < shortest)
        for (std::int64_t i = 0; i < piece.rows; ++i) sums[i] += values[i] * x[cols[i]];
      else
        for (std::int64_t i = 0; i < piece.rows; ++i)
          if (k < lengths[i]) sums[i] += values[i] * x[cols[i]];
    }
    for (std::int64_t i = 0; i < piece.rows; ++i) {
      Value& out = y[layout_.row_at(piece.position + i)];
      out = beta == Value{0} ? alpha * sums[i] : beta * out + alpha * sums[i];
    }
  }

  using scatter = scatter_sum<Value, slot_walk<Layout>>;
  Layout layout_;
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
