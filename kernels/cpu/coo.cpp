// COO on OpenMP: every thread sums up a run of entries of the same length.
#include "kernels/cpu/panels.hpp"
#include "kernels/table.hpp"
#include "kernels/vendor/mkl.hpp"

namespace sparsmith {
namespace {

template <class Value>
struct coo_walk {
  coo_view<Value, host> m;
  template <class Each>
  void operator()(std::int64_t first, std::int64_t last, Each each) const {
    // Several runs in turns: entries of the same row follow one another, and each addition to a sum would
    // have to wait for the one before.
    constexpr std::int64_t runs = 4;
    const std::int64_t length = (last - first) / runs;
    for (std::int64_t i = 0; i < length; ++i)
      for (std::int64_t r = 0; r < runs; ++r) visit(first + r * length + i, each);
    for (std::int64_t e = first + runs * length; e < last; ++e) visit(e, each);
  }

 private:
  template <class Each>
  void visit(std::int64_t e, Each each) const {
    each(m.row_indices[e], m.col_indices[e], m.values[e]);
  }
};

template <class Value>
struct coo_omp : scatter_sum<Value, coo_walk<Value>> {
  static constexpr kernel_info info{.name = "coo/omp",
                                    .description = "a run of entries for every thread",
                                    .source = "ours",
                                    .repeatable = {.multiply = true, .transposed = true, .both = true},
                                    .computes = {.multiply = true, .transposed = true, .both = true},
                                    .facts = cpu_facts};
  using matrix = coo_view<Value, host>;
  struct many : panel_scatter<Value, coo_walk<Value>> {
    many(openmp, const matrix& m, operation op, std::int64_t vectors)
        : panel_scatter<Value, coo_walk<Value>>(m.rows, m.cols, op, vectors, runs_of(m), {m}) {}
  };

  coo_omp(openmp, const matrix& m, operation op)
      : scatter_sum<Value, coo_walk<Value>>(m.rows, m.cols, op, runs_of(m), {m}) {}

 private:
  static std::vector<std::int64_t> runs_of(const matrix& m) {
    return balanced_chunks(m.values.size(), thread_count(), [](std::int64_t e) { return e; });
  }
};

}  // namespace

template <class Value>
struct table_of<coo_view<Value, host>> {
  static kernel_table<coo_view<Value, host>> lines() {
    if constexpr (is_complex<Value>)
      return {kernel_of<coo_omp<Value>>()};
    else
      return with_vendor<coo_view<Value, host>>({kernel_of<coo_omp<Value>>()}, mkl_coo_kernels<Value>());
  }
};

template kernel_table<coo_view<float, host>> kernels_of(const coo_view<float, host>&);
template kernel_table<coo_view<double, host>> kernels_of(const coo_view<double, host>&);
template kernel_table<coo_view<complex64, host>> kernels_of(const coo_view<complex64, host>&);
template kernel_table<coo_view<complex128, host>> kernels_of(const coo_view<complex128, host>&);

}  // namespace sparsmith
