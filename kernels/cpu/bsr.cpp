// BSR on OpenMP: the BSR report's six schedules. They share the arithmetic (block_calls) and differ in how
// block rows, or parts of them, come to the threads. A x: a part of a block row is summed up first and then
// added to y, atomically where another thread may add to the same row. A^T x: every thread sums up the whole
// result, and these are added at the end. The default one also makes two products in one pass, of whole block
// rows.
#include <numeric>

#include "kernels/cpu/bsr_blocks.hpp"
#include "kernels/cpu/panels.hpp"
#include "kernels/table.hpp"
#include "kernels/vendor/mkl.hpp"

namespace sparsmith {
namespace {

struct bsr_tuning {
  // Chunks, or parts of rows, for every thread: those that a thread has finished early even out the others.
  static constexpr std::int64_t chunks_per_thread = 8;
};
constexpr std::int64_t chunks_per_thread = bsr_tuning::chunks_per_thread;

constexpr kernel_facts bsr_facts{
    .walk = kernel_facts::rows::balanced,
    .launches = {1, 1, 1, 1},
    .compiled_sides = sides_in_bits({2, 3, 4, 5, 8})};  // those of choose_add_blocks

// What a schedule calls, from inside a parallel region.
template <class Offset, class Value>
struct block_calls {
  bsr_view<Offset, Value, host> m;
  bool transposed;
  add_blocks_function<Offset, Value> add;
  Value* sums;
  std::int64_t sums_each;
  Value alpha;
  const Value* x;
  Value* y;

  std::int64_t block_rows() const { return m.row_offsets.size() - 1; }
  // Of the thread that runs: inside a task not the one that made it.
  Value* own_sums() const { return sums + sums_each * omp_get_thread_num(); }

  Value* start_row() const {
    Value* const own = own_sums();
    if (!transposed) std::fill_n(own, m.block_rows, Value{0});
    return own;
  }
  void add_part(std::int64_t row, std::int64_t first, std::int64_t last, Value* own) const {
    add(m, row, first, last, transposed ? x + row * m.block_rows : x, own);
  }
  template <bool Shared>
  void finish_row(std::int64_t row, const Value* own) const {
    if (transposed) return;
    const std::int64_t first = row * m.block_rows,
                       last = std::min<std::int64_t>(first + m.block_rows, m.rows);
    for (std::int64_t i = first; i < last; ++i) {
      const Value sum = alpha * own[i - first];
      if constexpr (Shared) {
#pragma omp atomic
        y[i] += sum;
      } else {
        y[i] += sum;
      }
    }
  }
  // The whole of what this thread has of a row; Shared where others may have some of it too.
  template <bool Shared>
  void add_row(std::int64_t row, std::int64_t first, std::int64_t last) const {
    Value* const own = start_row();
    add_part(row, first, last, own);
    finish_row<Shared>(row, own);
  }
};

// A schedule is made once for a matrix; every thread calls distribute().
template <class Offset, class Value>
struct granular_row {
  static constexpr kernel_info info{.name = "bsr/granular-row",
                                    .description = "threads take one block row after the other",
                                    .source = "BSR report",
                                    .repeatable = {.multiply = true},
                                    .history = true,
                                    .facts = bsr_facts};
  granular_row(const bsr_view<Offset, Value, host>&, int) {}

  void distribute(const block_calls<Offset, Value>& calls) {
    const std::int64_t rows = calls.block_rows();
#pragma omp for schedule(dynamic, 1)
    for (std::int64_t row = 0; row < rows; ++row)
      calls.template add_row<false>(row, calls.m.row_offsets[row], calls.m.row_offsets[row + 1]);
  }
};

// How many blocks of a row are handed out at once.
template <class Offset, class Value>
std::int64_t part_size(const bsr_view<Offset, Value, host>& m, int threads) {
  return std::max<std::int64_t>(1, m.col_indices.size() / (threads * chunks_per_thread));
}

// Naive: down to single blocks, threads wait for one another after every row, and all of them add to it.
template <bool Naive, class Offset, class Value>
struct intra_row {
  static constexpr kernel_info info{.name = Naive ? "bsr/intra-row-naive" : "bsr/intra-row",
                                    .description = Naive ? "threads share every block row and wait at its end"
                                                         : "threads share block rows without waiting",
                                    .source = "BSR report",
                                    .history = true,
                                    .facts = bsr_facts};
  std::int64_t least_part;

  intra_row(const bsr_view<Offset, Value, host>& m, int threads)
      : least_part(Naive ? 1 : part_size(m, threads)) {}

  void distribute(const block_calls<Offset, Value>& calls) {
    for (std::int64_t row = 0; row < calls.block_rows(); ++row) {
      const std::int64_t first = calls.m.row_offsets[row], last = calls.m.row_offsets[row + 1];
      Value* const own = calls.start_row();
      bool worked = Naive;
#pragma omp for schedule(guided, least_part) nowait
      for (std::int64_t b = first; b < last; ++b) {
        worked = true;
        calls.add_part(row, b, b + 1, own);
      }
      if constexpr (Naive) {
#pragma omp barrier
      }
      if (worked) calls.template finish_row<true>(row, own);
    }
  }
};
template <class Offset, class Value>
using intra_row_naive = intra_row<true, Offset, Value>;
template <class Offset, class Value>
using intra_row_improved = intra_row<false, Offset, Value>;

template <class Offset, class Value>
struct max_task {
  static constexpr kernel_info info{.name = "bsr/max-task",
                                    .description = "a task for every part of a block row",
                                    .source = "BSR report",
                                    .history = true,
                                    .facts = bsr_facts};
  std::int64_t most_blocks;

  max_task(const bsr_view<Offset, Value, host>& m, int threads) : most_blocks(part_size(m, threads)) {}

  void distribute(const block_calls<Offset, Value>& calls) {
    const std::int64_t rows = calls.block_rows();
#pragma omp for schedule(dynamic, 1)
    for (std::int64_t row = 0; row < rows; ++row) {
      const std::int64_t end = calls.m.row_offsets[row + 1];
      for (std::int64_t first = calls.m.row_offsets[row]; first < end; first += most_blocks) {
        const std::int64_t last = std::min(end, first + most_blocks);
#pragma omp task shared(calls) firstprivate(row, first, last)
        calls.template add_row<true>(row, first, last);
      }
    }
  }
};

template <class Offset, class Value>
struct fixed_task {
  static constexpr kernel_info info{
      .name = "bsr/fixed-task",
      .description = "tasks of equally many blocks, across rows, made by one thread",
      .source = "BSR report",
      .facts = bsr_facts};
  std::int64_t chunks;

  fixed_task(const bsr_view<Offset, Value, host>&, int threads) : chunks(threads * chunks_per_thread) {}

  void distribute(const block_calls<Offset, Value>& calls) {
#pragma omp single
    {
      const Offset* const offsets = calls.m.row_offsets.data();
      const std::int64_t blocks = calls.m.col_indices.size();
      std::int64_t first_row = 0;
      for (std::int64_t c = 0; c < chunks; ++c) {
        const std::int64_t first = blocks * c / chunks, last = blocks * (c + 1) / chunks;
        while (offsets[first_row + 1] <= first) ++first_row;
#pragma omp task shared(calls) firstprivate(first_row, first, last, offsets)
        for (std::int64_t row = first_row, from = first; from < last; from = offsets[++row])
          calls.template add_row<true>(row, from, std::min<std::int64_t>(last, offsets[row + 1]));
      }
    }
  }
};

// The same chunks, made once. A block row belongs to the chunk it starts in, which alone adds to y; what
// later chunks hold of it are carries, added afterwards in order.
template <class Offset, class Value>
struct preprocessed {
  static constexpr kernel_info info{
      .name = "bsr/preprocessed",
      .description = "chunks of equally many blocks, across rows, made beforehand",
      .source = "BSR report",
      .repeatable = {.multiply = true, .both = true, .normal = true},
      .computes = {true, true, true, true},
      .facts = bsr_facts};
  std::vector<std::int64_t> first_blocks;  // of every chunk, and the end
  std::vector<std::int64_t> first_rows;    // the first block row that starts in it or later
  array<Value, host> carries;              // a block row of every chunk

  preprocessed(const bsr_view<Offset, Value, host>& m, int threads)
      : carries(threads * chunks_per_thread * m.block_rows) {
    const std::int64_t chunks = threads * chunks_per_thread, blocks = m.col_indices.size();
    for (std::int64_t c = 0; c <= chunks; ++c) {
      first_blocks.push_back(blocks * c / chunks);
      first_rows.push_back(std::lower_bound(m.row_offsets.begin(), m.row_offsets.end(), first_blocks.back()) -
                           m.row_offsets.begin());
    }
  }
  std::int64_t bytes() const {
    return static_cast<std::int64_t>((first_blocks.size() + first_rows.size()) * sizeof(std::int64_t)) +
           carries.size() * std::int64_t{sizeof(Value)};
  }

  void distribute(const block_calls<Offset, Value>& calls) {
    const Offset* const offsets = calls.m.row_offsets.data();
    const std::int64_t height = calls.m.block_rows;
    const auto chunks = static_cast<std::int64_t>(first_blocks.size()) - 1;
#pragma omp for schedule(dynamic, 1)
    for (std::int64_t c = 0; c < chunks; ++c) {
      const auto at = static_cast<std::size_t>(c);
      const std::int64_t last = first_blocks[at + 1];
      if (has_carry(c, offsets)) {
        const std::int64_t row = first_rows[at] - 1;
        Value* const own = calls.start_row();
        calls.add_part(row, first_blocks[at], std::min<std::int64_t>(last, offsets[row + 1]), own);
        if (!calls.transposed) std::copy_n(own, height, carries.data() + c * height);
      }
      for (std::int64_t row = first_rows[at]; row < first_rows[at + 1]; ++row)
        calls.template add_row<false>(row, offsets[row], std::min<std::int64_t>(last, offsets[row + 1]));
    }
#pragma omp single
    for (std::int64_t c = 0; c < chunks; ++c)
      if (has_carry(c, offsets))
        calls.template finish_row<false>(first_rows[static_cast<std::size_t>(c)] - 1,
                                         carries.data() + c * height);
  }

 private:
  // Whether the chunk begins inside a block row.
  bool has_carry(std::int64_t c, const Offset* offsets) const {
    const auto at = static_cast<std::size_t>(c);
    return first_blocks[at] < std::min<std::int64_t>(first_blocks[at + 1], offsets[first_rows[at]]);
  }
};

// Two products in one pass: every thread has a run of block rows with about the same number of blocks. The
// sums of a block row are complete before its blocks, which are then in a cache, are added to columns.
template <class Offset, class Value>
class bsr_one_pass {
 public:
  using matrix = bsr_view<Offset, Value, host>;

  explicit bsr_one_pass(const matrix& m)
      : m_(m),
        bounds_(balanced_chunks(m.row_offsets.size() - 1, thread_count(),
                                [&](std::int64_t row) {
                                  return std::int64_t{m.row_offsets[row]} +
                                         row;  // a row costs something by itself
                                })),
        add_to_rows_(choose_add_blocks<false>(m)),
        add_to_columns_(choose_add_blocks<true>(m)),
        sums_each_((std::int64_t{m.block_rows} + 2 * line - 1) / line * line),
        row_sums_(chunks() * sums_each_),
        columns_(m.cols, chunks(), [&](std::int64_t c) {
          std::int64_t first = m.cols, last = 0;
          for (std::int64_t b = m.row_offsets[bounds_[static_cast<std::size_t>(c)]];
               b < m.row_offsets[bounds_[static_cast<std::size_t>(c) + 1]]; ++b) {
            const std::int64_t col = std::int64_t{m.col_indices[b]} * m.block_cols;
            first = std::min(first, col);
            last = std::max(last, std::min<std::int64_t>(m.cols, col + m.block_cols));
          }
          return std::pair{first, last};
        }) {}
  std::int64_t bytes() const { return row_sums_.size() * std::int64_t{sizeof(Value)} + columns_.bytes(); }

  void run_both(Value alpha, const Value* x, const Value* w, Value beta, Value* y, Value* z) {
    run(alpha, x, beta, z, [&](std::int64_t first, std::int64_t last, const Value* sums) {
      for (std::int64_t i = first; i < last; ++i) {
        const Value sum = alpha * sums[i - first];
        y[i] = beta == Value{0} ? sum : beta * y[i] + sum;
      }
      return w + first;
    });
  }
  void run_normal(Value alpha, const Value* x, Value beta, Value* z) {
    run(alpha, x, beta, z, [](std::int64_t, std::int64_t, const Value* sums) { return sums; });
  }

 private:
  static constexpr std::int64_t line = 64 / sizeof(Value);
  std::int64_t chunks() const { return static_cast<std::int64_t>(bounds_.size()) - 1; }

  // finish(first, last, sums) takes A x of rows [first, last) and says what each of them is to be
  // multiplied by for the columns.
  template <class Finish>
  void run(Value alpha, const Value* x, Value beta, Value* z, Finish finish) {
    columns_.run(alpha, beta, z, [&](std::int64_t c, Value* of_columns) {
      Value* const own = row_sums_.data() + c * sums_each_;
      for (std::int64_t row = bounds_[static_cast<std::size_t>(c)];
           row < bounds_[static_cast<std::size_t>(c) + 1]; ++row) {
        const std::int64_t from = m_.row_offsets[row], to = m_.row_offsets[row + 1],
                           first = row * m_.block_rows,
                           last = std::min<std::int64_t>(first + m_.block_rows, m_.rows);
        std::fill_n(own, m_.block_rows, Value{0});
        add_to_rows_(m_, row, from, to, x, own);
        add_to_columns_(m_, row, from, to, finish(first, last, own), of_columns);
      }
    });
  }

  matrix m_;
  std::vector<std::int64_t> bounds_;
  add_blocks_function<Offset, Value> add_to_rows_, add_to_columns_;
  std::int64_t sums_each_;  // no two threads write to the same line of cache
  array<Value, host> row_sums_;
  private_sums<Value> columns_;
};

template <template <class, class> class Schedule, class Offset, class Value>
class bsr_omp {
 public:
  static constexpr kernel_info info = Schedule<Offset, Value>::info;
  using matrix = bsr_view<Offset, Value, host>;

  bsr_omp(openmp, const matrix& m, operation op)
      : m_(m),
        transposed_(op == operation::transposed),
        threads_(thread_count()),
        schedule_(m, threads_),
        add_(transposed_ ? choose_add_blocks<true>(m) : choose_add_blocks<false>(m)) {
    if (op == operation::both || op == operation::normal) {
      one_pass_ = std::make_unique<bsr_one_pass<Offset, Value>>(m);
      return;
    }
    const std::int64_t width = m.block_cols;
    const std::int64_t needed = transposed_ ? (m.cols + width - 1) / width * width : m.block_rows;
    sums_each_ = (needed + 2 * line - 1) / line * line;  // no two threads write to the same line of cache
    sums_ = array<Value, host>(threads_ * sums_each_);
  }
  std::int64_t bytes() const {
    if (one_pass_) return one_pass_->bytes();
    std::int64_t total = sums_.size() * std::int64_t{sizeof(Value)};
    if constexpr (requires { schedule_.bytes(); }) total += schedule_.bytes();
    return total;
  }

  void run_both(Value alpha, const Value* x, const Value* w, Value beta, Value* y, Value* z) {
    one_pass_->run_both(alpha, x, w, beta, y, z);
  }

  void run(Value alpha, const Value* x, Value beta, Value* y) {
    if (one_pass_) return one_pass_->run_normal(alpha, x, beta, y);
    const block_calls<Offset, Value> calls{m_, transposed_, add_, sums_.data(), sums_each_, alpha, x, y};
    const std::int64_t outputs = transposed_ ? m_.cols : m_.rows;
#pragma omp parallel num_threads(threads_)
    {
      if (transposed_) std::fill_n(calls.own_sums(), sums_each_, Value{0});
#pragma omp for schedule(static)
      for (std::int64_t i = 0; i < outputs; ++i) y[i] = beta == Value{0} ? Value{0} : beta * y[i];
      schedule_.distribute(calls);
      if (transposed_) {
        const int threads = omp_get_num_threads();
#pragma omp barrier
#pragma omp for schedule(static)
        for (std::int64_t i = 0; i < outputs; ++i) {
          Value sum{0};
          for (int t = 0; t < threads; ++t) sum += sums_[t * sums_each_ + i];
          y[i] += alpha * sum;
        }
      }
    }
  }

 private:
  static constexpr std::int64_t line = 64 / sizeof(Value);
  matrix m_;
  bool transposed_;
  int threads_;  // as the sums are made for
  Schedule<Offset, Value> schedule_;
  add_blocks_function<Offset, Value> add_;
  std::int64_t sums_each_ = 0;
  array<Value, host> sums_;
  std::unique_ptr<bsr_one_pass<Offset, Value>> one_pass_;  // where two products are made in one pass
};

// Several vectors: a block's row is a run of neighbouring entries, so that the same panels of registers
// serve.
template <class Offset, class Value>
class bsr_many {
 public:
  using matrix = bsr_view<Offset, Value, host>;

  bsr_many(openmp, const matrix& m, operation op, std::int64_t vectors)
      : m_(m),
        vectors_(vectors),
        bounds_(balanced_chunks(
            m.row_offsets.size() - 1,
            thread_count() * (op == operation::multiply ? int{bsr_tuning::chunks_per_thread} : 1),
            [&](std::int64_t row) { return std::int64_t{m.row_offsets[row]} + row; })),
        neighbours_(m.block_cols) {
    std::iota(neighbours_.begin(), neighbours_.end(), 0);
    if (op == operation::multiply) {
      sums_each_ = m.block_rows * std::min(vectors, panel_tuning::widest);
      sums_ = array<Value, host>(chunks() * sums_each_);
    } else {
      columns_ = std::make_unique<panel_sums<Value>>(m.cols, vectors, chunks(), [&](std::int64_t c) {
        std::pair<std::int64_t, std::int64_t> touched{m.cols, 0};
        each_block(c, [&](std::int64_t, std::int64_t col, std::int64_t, std::int64_t width, const Value*) {
          touched = {std::min(touched.first, col), std::max(touched.second, col + width)};
        });
        return touched;
      });
    }
  }
  std::int64_t bytes() const {
    return (columns_ ? columns_->bytes() : 0) + sums_.size() * std::int64_t{sizeof(Value)};
  }

  void run(Value alpha, const Value* x, std::int64_t x_stride, Value beta, Value* y, std::int64_t y_stride) {
    if (columns_)
      return columns_->run(alpha, beta, y, y_stride,
                           [&](std::int64_t c, std::int64_t first, std::int64_t panel, Value* sums) {
                             each_block(c, [&](std::int64_t row, std::int64_t col, std::int64_t height,
                                               std::int64_t width, const Value* block) {
                               for (std::int64_t r = 0; r < height; ++r)
                                 code_.scatter(neighbours_.data(), block + r * m_.block_cols, width, 1,
                                               x + (row + r) * x_stride + first, panel,
                                               sums + col * columns_->stride(), columns_->stride());
                             });
                           });
#pragma omp parallel for schedule(dynamic, 1)
    for (std::int64_t c = 0; c < chunks(); ++c)
      each_panel(vectors_, panel_tuning::widest, [&](std::int64_t first, std::int64_t panel) {
        Value* const sums = sums_.data() + c * sums_each_;
        for (std::int64_t row = bounds_[static_cast<std::size_t>(c)];
             row < bounds_[static_cast<std::size_t>(c) + 1]; ++row) {
          std::fill_n(sums, m_.block_rows * panel, Value{0});
          each_block_of(row, [&](std::int64_t, std::int64_t col, std::int64_t height, std::int64_t width,
                                 const Value* block) {
            for (std::int64_t r = 0; r < height; ++r)
              code_.gather(neighbours_.data(), block + r * m_.block_cols, width, 1,
                           x + col * x_stride + first, x_stride, panel, sums + r * panel);
          });
          const std::int64_t top = row * m_.block_rows;
          for (std::int64_t r = 0; r < std::min<std::int64_t>(m_.block_rows, m_.rows - top); ++r)
            put_panel(alpha, sums + r * panel, beta, y + (top + r) * y_stride + first, panel);
        }
      });
  }

 private:
  std::int64_t chunks() const {
    return static_cast<std::int64_t>(bounds_.size()) - 1;
  }

  // use(first row, first column, rows and columns inside the matrix, values) of every block of a block row.
  template <class Use>
  void each_block_of(std::int64_t block_row, Use use) const {
    const std::int64_t row = block_row * m_.block_rows,
                       height = std::min<std::int64_t>(m_.block_rows, m_.rows - row);
    for (std::int64_t b = m_.row_offsets[block_row]; b < m_.row_offsets[block_row + 1]; ++b) {
      const std::int64_t col = std::int64_t{m_.col_indices[b]} * m_.block_cols;
      use(row, col, height, std::min<std::int64_t>(m_.block_cols, m_.cols - col),
          m_.values.data() + b * m_.block_rows * m_.block_cols);
    }
  }
  template <class Use>
  void each_block(std::int64_t c, Use use) const {
    for (std::int64_t row = bounds_[static_cast<std::size_t>(c)];
         row < bounds_[static_cast<std::size_t>(c) + 1]; ++row)
      each_block_of(row, use);
  }

  matrix m_;
  std::int64_t vectors_;
  std::vector<std::int64_t> bounds_;
  array<std::int32_t, host> neighbours_;  // 0, 1, ...: the columns of a block's row
  panel_code<Value> code_ = panel_code_here<Value>();
  std::int64_t sums_each_ = 0;
  array<Value, host> sums_;                     // of A x: those of a block row, of every chunk
  std::unique_ptr<panel_sums<Value>> columns_;  // of A^T x
};

// The schedule that is taken by default.
template <class Offset, class Value>
struct bsr_preprocessed : bsr_omp<preprocessed, Offset, Value> {
  using many = bsr_many<Offset, Value>;
  using bsr_omp<preprocessed, Offset, Value>::bsr_omp;
};

}  // namespace

template <class Offset, class Value>
struct table_of<bsr_view<Offset, Value, host>> {
  static kernel_table<bsr_view<Offset, Value, host>> lines() {
    if constexpr (is_complex<Value>)  // of the kernels of the reference documents the one to take
      return {kernel_of<bsr_preprocessed<Offset, Value>>()};
    else
      return with_vendor<bsr_view<Offset, Value, host>>(
          {kernel_of<bsr_omp<granular_row, Offset, Value>>(),
           kernel_of<bsr_omp<intra_row_naive, Offset, Value>>(),
           kernel_of<bsr_omp<intra_row_improved, Offset, Value>>(),
           kernel_of<bsr_omp<max_task, Offset, Value>>(), kernel_of<bsr_omp<fixed_task, Offset, Value>>(),
           kernel_of<bsr_preprocessed<Offset, Value>>()},
          mkl_bsr_kernels<Offset, Value>());
  }
};

template kernel_table<bsr_view<std::int32_t, float, host>> kernels_of(
    const bsr_view<std::int32_t, float, host>&);
template kernel_table<bsr_view<std::int32_t, double, host>> kernels_of(
    const bsr_view<std::int32_t, double, host>&);
template kernel_table<bsr_view<std::int64_t, float, host>> kernels_of(
    const bsr_view<std::int64_t, float, host>&);
template kernel_table<bsr_view<std::int64_t, double, host>> kernels_of(
    const bsr_view<std::int64_t, double, host>&);
template kernel_table<bsr_view<std::int32_t, complex64, host>> kernels_of(
    const bsr_view<std::int32_t, complex64, host>&);
template kernel_table<bsr_view<std::int32_t, complex128, host>> kernels_of(
    const bsr_view<std::int32_t, complex128, host>&);
template kernel_table<bsr_view<std::int64_t, complex64, host>> kernels_of(
    const bsr_view<std::int64_t, complex64, host>&);
template kernel_table<bsr_view<std::int64_t, complex128, host>> kernels_of(
    const bsr_view<std::int64_t, complex128, host>&);

}  // namespace sparsmith
