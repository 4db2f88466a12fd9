// CSR's table on CUDA, and CSC's: the documents' four (a thread or a warp per row, bins of rows, three
// classes of rows), ours (as many lanes per row as most rows ask for with more for the long ones), and the
// vendor's.
#include "kernels/cuda/csr.hpp"

#include "kernels/csc.hpp"
#include "kernels/vendor/cusparse.hpp"

namespace sparsmith {

template <class Offset, class Value>
struct table_of<csr_view<Offset, Value, device>> {
  using matrix = csr_view<Offset, Value, device>;
  template <template <class, class> class K>
  static kernel<matrix> line() {
    return line_of<K, csr_view, device>::on(matrix{});
  }

  static kernel_table<matrix> lines() {
    kernel_table<matrix> table = {line<csr_thread>(), line<csr_warp>(), line<csr_bins>(), line<csr_hybrid>(),
                                  line<csr_vector>()};
    for (auto& of_vendor : cusparse_csr_kernels<Offset, Value>()) table.push_back(of_vendor);
    return table;
  }
};

template <class Offset, class Value>
struct table_of<csr_half_view<Offset, Value, device>> {
  using matrix = csr_half_view<Offset, Value, device>;
  static kernel_table<matrix> lines() {
    return {line_of<csr_half_vector, csr_half_view, device>::on(matrix{})};
  }
};

template kernel_table<csr_view<std::int32_t, float, device>> kernels_of(
    const csr_view<std::int32_t, float, device>&);
template kernel_table<csr_view<std::int32_t, double, device>> kernels_of(
    const csr_view<std::int32_t, double, device>&);
template kernel_table<csr_view<std::int64_t, float, device>> kernels_of(
    const csr_view<std::int64_t, float, device>&);
template kernel_table<csr_view<std::int64_t, double, device>> kernels_of(
    const csr_view<std::int64_t, double, device>&);
template kernel_table<csc_view<std::int32_t, float, device>> kernels_of(
    const csc_view<std::int32_t, float, device>&);
template kernel_table<csc_view<std::int32_t, double, device>> kernels_of(
    const csc_view<std::int32_t, double, device>&);
template kernel_table<csc_view<std::int64_t, float, device>> kernels_of(
    const csc_view<std::int64_t, float, device>&);
template kernel_table<csc_view<std::int64_t, double, device>> kernels_of(
    const csc_view<std::int64_t, double, device>&);

template kernel_table<csr_half_view<std::int32_t, float, device>> kernels_of(
    const csr_half_view<std::int32_t, float, device>&);
template kernel_table<csr_half_view<std::int32_t, double, device>> kernels_of(
    const csr_half_view<std::int32_t, double, device>&);
template kernel_table<csr_half_view<std::int64_t, float, device>> kernels_of(
    const csr_half_view<std::int64_t, float, device>&);
template kernel_table<csr_half_view<std::int64_t, double, device>> kernels_of(
    const csr_half_view<std::int64_t, double, device>&);

}  // namespace sparsmith
