// Half of a symmetric or skew-symmetric matrix on OpenMP: an entry above the diagonal is read once and makes
// two products, its own and its mirror image's. In CSR and BSR the latter go to sums that every thread has
// for itself; in DIA both are gathered, so that a diagonal is read twice, the second time from a cache. A^T
// is A, or the negated A, and has the same kernels.
#include <algorithm>

#include "kernels/cpu/bsr_blocks.hpp"
#include "kernels/cpu/diagonal_stretch.hpp"
#include "kernels/cpu/scatter.hpp"
#include "kernels/table.hpp"

namespace sparsmith {
namespace {

template <class Offset, class Value>
class csr_half_omp {
 public:
  static constexpr kernel_info info{
      .name = "csr/half-omp",
      .description = "runs of rows for every thread, an entry and its mirror image at once",
      .source = "ours",
      .repeatable = products_of_half,
      .facts = cpu_facts};
  using matrix = csr_half_view<Offset, Value, host>;

  csr_half_omp(openmp, const matrix& m, operation op)
      : m_(m.upper),
        mirror_(m.mirror()),
        sign_(sign_of_product(m, op)),
        bounds_(balanced_chunks(m_.rows, thread_count(),
                                [&](std::int64_t r) {
                                  return std::int64_t{m_.row_offsets[r]} + r;  // a row costs something itself
                                })),
        sums_(m_.cols, static_cast<std::int64_t>(bounds_.size()) - 1, [&](std::int64_t c) {
          const std::int64_t first = bounds_[static_cast<std::size_t>(c)];
          std::int64_t last = bounds_[static_cast<std::size_t>(c) + 1];
          for (std::int64_t row = first; row < bounds_[static_cast<std::size_t>(c) + 1]; ++row)
            if (m_.row_offsets[row] < m_.row_offsets[row + 1])
              last = std::max(last, std::int64_t{m_.col_indices[m_.row_offsets[row + 1] - 1]} + 1);
          return std::pair{first, last};
        }) {}
  std::int64_t bytes() const { return sums_.bytes(); }

  void run(Value alpha, const Value* x, Value beta, Value* y) {
    sums_.run(sign_ * alpha, beta, y, [&](std::int64_t c, Value* sums) {
      for (std::int64_t row = bounds_[static_cast<std::size_t>(c)];
           row < bounds_[static_cast<std::size_t>(c) + 1]; ++row)
        sums[row] += add_row(row, x, sums);
    });
  }

 private:
  // Adds what the row has for others, and gives its own sum.
  Value add_row(std::int64_t row, const Value* x, Value* sums) const {
    const std::int32_t* const cols = m_.col_indices.data();
    const Value* const values = m_.values.data();
    const Value own_x = x[row], mirrored_x = mirror_ * own_x;
    Value own[4] = {0, 0, 0, 0};
    std::int64_t e = m_.row_offsets[row];
    const std::int64_t end = m_.row_offsets[row + 1];
    if (e < end && cols[e] == row) own[3] = values[e++] * own_x;
    const auto take = [&](std::int64_t at, Value& sum) {
      sum += values[at] * x[cols[at]];
      sums[cols[at]] += values[at] * mirrored_x;
    };
    for (; e + 3 < end; e += 4)
      for (int k = 0; k < 4; ++k) take(e + k, own[k]);
    for (; e < end; ++e) take(e, own[0]);
    return (own[0] + own[1]) + (own[2] + own[3]);
  }

  csr_view<Offset, Value, host> m_;
  Value mirror_, sign_;
  std::vector<std::int64_t> bounds_;
  private_sums<Value> sums_;
};

template <class Offset, class Value>
class bsr_half_omp {
 public:
  static constexpr kernel_info info{
      .name = "bsr/half-omp",
      .description = "runs of block rows for every thread, a block and its mirror image at once",
      .source = "ours",
      .repeatable = products_of_half,
      .facts = {.walk = kernel_facts::rows::balanced,
                .launches = {1, 1, 1, 1},
                .compiled_sides = sides_in_bits({2, 3, 4, 5, 8})}};  // those of choose_add_blocks
  using matrix = bsr_half_view<Offset, Value, host>;

  bsr_half_omp(openmp, const matrix& m, operation op)
      : m_(m.upper),
        mirror_(m.mirror()),
        sign_(sign_of_product(m, op)),
        bounds_(balanced_chunks(m_.row_offsets.size() - 1, thread_count(),
                                [&](std::int64_t row) {
                                  return std::int64_t{m_.row_offsets[row]} + row;  // as above
                                })),
        add_to_rows_(choose_add_blocks<false>(m_)),
        add_to_columns_(choose_add_blocks<true>(m_)),
        sums_(m_.cols, static_cast<std::int64_t>(bounds_.size()) - 1,
              [&](std::int64_t c) { return touched(c); }) {}
  std::int64_t bytes() const { return sums_.bytes(); }

  void run(Value alpha, const Value* x, Value beta, Value* y) {
    sums_.run(sign_ * alpha, beta, y, [&](std::int64_t c, Value* sums) {
      for (std::int64_t row = bounds_[static_cast<std::size_t>(c)];
           row < bounds_[static_cast<std::size_t>(c) + 1]; ++row)
        add_block_row(row, x, sums);
    });
  }

 private:
  static constexpr int most_rows = 64;  // of a block

  std::pair<std::int64_t, std::int64_t> touched(std::int64_t c) const {
    const std::int64_t first_row = bounds_[static_cast<std::size_t>(c)],
                       last_row = bounds_[static_cast<std::size_t>(c) + 1];
    std::int64_t last = std::min<std::int64_t>(m_.rows, last_row * m_.block_rows);
    for (std::int64_t b = m_.row_offsets[first_row]; b < m_.row_offsets[last_row]; ++b)
      last = std::max(last,
                      std::min<std::int64_t>(m_.cols, (std::int64_t{m_.col_indices[b]} + 1) * m_.block_cols));
    return {first_row * m_.block_rows, last};
  }

  void add_block_row(std::int64_t row, const Value* x, Value* sums) const {
    const std::int64_t first = row * m_.block_rows,
                       last = std::min<std::int64_t>(first + m_.block_rows, m_.rows);
    std::int64_t b = m_.row_offsets[row];
    const std::int64_t end = m_.row_offsets[row + 1];
    for (; b < end && std::int64_t{m_.col_indices[b]} * m_.block_cols < last; ++b)
      add_on_diagonal(b, first, last, x, sums);
    if (b == end) return;
    // Blocks that lie above the diagonal as a whole.
    Value own[most_rows] = {}, mirrored_x[most_rows];
    for (std::int64_t i = first; i < last; ++i) mirrored_x[i - first] = mirror_ * x[i];
    add_to_rows_(m_, row, b, end, x, own);
    add_to_columns_(m_, row, b, end, mirrored_x, sums);
    for (std::int64_t i = first; i < last; ++i) sums[i] += own[i - first];
  }
  // A block that may hold places on and below the diagonal, where nothing but fill is below.
  void add_on_diagonal(std::int64_t b, std::int64_t first, std::int64_t last, const Value* x,
                       Value* sums) const {
    const std::int64_t width = m_.block_cols, first_col = m_.col_indices[b] * width,
                       last_col = std::min<std::int64_t>(first_col + width, m_.cols);
    const Value* const block = m_.values.data() + b * m_.block_rows * width;
    for (std::int64_t i = first; i < last; ++i)
      for (std::int64_t j = std::max(i, first_col); j < last_col; ++j) {
        const Value value = block[(i - first) * width + (j - first_col)];
        sums[i] += value * x[j];
        if (i != j) sums[j] += value * (mirror_ * x[i]);
      }
  }

  bsr_view<Offset, Value, host> m_;
  Value mirror_, sign_;
  std::vector<std::int64_t> bounds_;
  add_blocks_function<Offset, Value> add_to_rows_, add_to_columns_;
  private_sums<Value> sums_;
};

// The entries of DIA's rest.
template <class Value>
struct rest_walk {
  dia_view<Value, host> m;

  std::int64_t units() const { return m.rest_values.size(); }
  std::int64_t slots_before(std::int64_t unit) const { return unit; }
  template <class Each>
  void operator()(std::int64_t first, std::int64_t last, Each each) const {
    for (std::int64_t e = first; e < last; ++e)
      each(m.rest_row_indices[e], m.rest_col_indices[e], m.rest_values[e]);
  }
};

template <class Value>
class dia_half_omp {
 public:
  static constexpr kernel_info info{
      .name = "dia/half-omp",
      .description = "a run of outputs for every thread, diagonals and their mirror images, then the rest",
      .source = "ours",
      .repeatable = products_of_half,
      .facts = cpu_facts};
  using matrix = dia_half_view<Value, host>;

  dia_half_omp(openmp, const matrix& m, operation op)
      : m_(m.upper), mirror_(m.mirror()), sign_(sign_of_product(m, op)) {
    const with_mirror_images<rest_walk<Value>, Value> walk{{m_}, mirror_};
    if (m_.rest_values.size() > 0)
      rest_ = std::make_unique<rest>(m_.rows, m_.cols, operation::multiply, chunks_of(walk), walk);
  }
  std::int64_t bytes() const { return rest_ ? rest_->bytes() : 0; }

  void run(Value alpha, const Value* x, Value beta, Value* y) const {
    alpha *= sign_;
    constexpr std::int64_t piece = stretch_tuning::piece_outputs;
    const std::int64_t pieces = (m_.rows + piece - 1) / piece;
#pragma omp parallel for schedule(static)
    for (std::int64_t p = 0; p < pieces; ++p) {
      const std::int64_t first = p * piece, last = std::min<std::int64_t>(m_.rows, first + piece);
      Value sums[piece];
      sum_up(first, last, x, sums);
      for (std::int64_t i = first; i < last; ++i)
        y[i] = beta == Value{0} ? alpha * sums[i - first] : beta * y[i] + alpha * sums[i - first];
    }
    if (rest_) rest_->run(alpha, x, Value{1}, y);
  }

 private:
  using rest = scatter_sum<Value, with_mirror_images<rest_walk<Value>, Value>>;

  // In the order of their columns, as DIA adds them: first the mirror images, of the farthest diagonal first.
  void sum_up(std::int64_t first, std::int64_t last, const Value* x, Value* sums) const {
    const std::int64_t on_main = m_.offsets.size() > 0 && m_.offsets[0] == 0 ? 1 : 0;
    const std::int64_t mirrored = diagonals_that_meet(m_, operation::transposed, first, last).second,
                       own = diagonals_that_meet(m_, operation::multiply, first, last).second;
    const auto stretch = [&](operation op, std::int64_t d) { return stretch_of(m_, op, d, first, last, x); };
    std::fill_n(sums, last - first, Value{0});
    add_stretches(mirrored - on_main, last - first, sums,
                  [&](std::int64_t k) { return stretch(operation::transposed, mirrored - 1 - k); });
    if (mirror_ < 0)
      for (std::int64_t i = 0; i < last - first; ++i) sums[i] = -sums[i];
    add_stretches(own, last - first, sums, [&](std::int64_t k) { return stretch(operation::multiply, k); });
  }

  dia_view<Value, host> m_;
  Value mirror_, sign_;
  std::unique_ptr<rest> rest_;
};

}  // namespace

template <class Offset, class Value>
struct table_of<csr_half_view<Offset, Value, host>> {
  static kernel_table<csr_half_view<Offset, Value, host>> lines() {
    return {kernel_of<csr_half_omp<Offset, Value>>()};
  }
};
template <class Offset, class Value>
struct table_of<bsr_half_view<Offset, Value, host>> {
  static kernel_table<bsr_half_view<Offset, Value, host>> lines() {
    return {kernel_of<bsr_half_omp<Offset, Value>>()};
  }
};
template <class Value>
struct table_of<dia_half_view<Value, host>> {
  static kernel_table<dia_half_view<Value, host>> lines() { return {kernel_of<dia_half_omp<Value>>()}; }
};

#define SPARSMITH_INSTANTIATE(O, V)                                                              \
  template kernel_table<csr_half_view<O, V, host>> kernels_of(const csr_half_view<O, V, host>&); \
  template kernel_table<bsr_half_view<O, V, host>> kernels_of(const bsr_half_view<O, V, host>&);
SPARSMITH_INSTANTIATE(std::int32_t, float)
SPARSMITH_INSTANTIATE(std::int32_t, double)
SPARSMITH_INSTANTIATE(std::int64_t, float)
SPARSMITH_INSTANTIATE(std::int64_t, double)
template kernel_table<dia_half_view<float, host>> kernels_of(const dia_half_view<float, host>&);
template kernel_table<dia_half_view<double, host>> kernels_of(const dia_half_view<double, host>&);

}  // namespace sparsmith
