// BSR's table on CUDA: the BSR report's four kernels, which share chunks of equally many blocks and add with
// atomics, our own, which streams every block row (transposed: every block column) through a few warps and
// needs none, and the vendor's.
#include "kernels/cuda/bsr.hpp"

#include "kernels/table.hpp"
#include "kernels/vendor/cusparse.hpp"

namespace sparsmith {

template <class Offset, class Value>
struct table_of<bsr_view<Offset, Value, device>> {
  using matrix = bsr_view<Offset, Value, device>;
  template <template <class, class> class K>
  static kernel<matrix> line() {
    return line_of<K, bsr_view, device>::on(matrix{});
  }

  static kernel_table<matrix> lines() {
    kernel_table<matrix> table = {line<bsr_row_major>(), line<bsr_private>(), line<bsr_team>(),
                                  line<bsr_unrolled>(),  line<bsr_stream>(),  line<bsr_both>()};
    for (auto& of_vendor : cusparse_bsr_kernels<Offset, Value>()) table.push_back(of_vendor);
    return table;
  }
};

template <class Offset, class Value>
struct table_of<bsr_half_view<Offset, Value, device>> {
  using matrix = bsr_half_view<Offset, Value, device>;
  static kernel_table<matrix> lines() {
    return {line_of<bsr_half_rows, bsr_half_view, device>::on(matrix{})};
  }
};

template kernel_table<bsr_view<std::int32_t, float, device>> kernels_of(
    const bsr_view<std::int32_t, float, device>&);
template kernel_table<bsr_view<std::int32_t, double, device>> kernels_of(
    const bsr_view<std::int32_t, double, device>&);
template kernel_table<bsr_view<std::int64_t, float, device>> kernels_of(
    const bsr_view<std::int64_t, float, device>&);
template kernel_table<bsr_view<std::int64_t, double, device>> kernels_of(
    const bsr_view<std::int64_t, double, device>&);

template kernel_table<bsr_half_view<std::int32_t, float, device>> kernels_of(
    const bsr_half_view<std::int32_t, float, device>&);
template kernel_table<bsr_half_view<std::int32_t, double, device>> kernels_of(
    const bsr_half_view<std::int32_t, double, device>&);
template kernel_table<bsr_half_view<std::int64_t, float, device>> kernels_of(
    const bsr_half_view<std::int64_t, float, device>&);
template kernel_table<bsr_half_view<std::int64_t, double, device>> kernels_of(
    const bsr_half_view<std::int64_t, double, device>&);

}  // namespace sparsmith
