// Products with several vectors on the CPU, on the battery's shapes.
#include "tests/kernels/check_many_vectors.hpp"

#include "kernels/cpu/panels.hpp"

using namespace sparsmith;
using namespace sparsmith::testing;

TEST_CASE("every kernel takes several vectors, by rows and by columns") {
  kernel_tally tally;
  const auto variants = kernel_variants();
  std::vector<named_matrix> all = battery();
  const auto symmetric = mirrored_battery();
  all.insert(all.end(), symmetric.begin(), symmetric.begin() + 3);
  std::size_t turn = 0;
  for (const named_matrix& named : all) {
    if (std::max(named.rows, named.cols) > 4000 || named.entries.size() > 5000) continue;
    ++turn;
    set_thread_count(turn % 2 == 0 ? 1 : 3);
    const std::vector<conversion_options> own = {variants[turn % variants.size()]};
    const auto matrix = [&]<class Offset, class Value>() {
      return coo_to_csr<openmp, Offset, Value>(openmp{}, as_coo_of<Value>(named), nullptr);
    };
    check_many_vectors<openmp>({}, named.name, matrix.operator()<std::int32_t, double>(), own, false, tally);
    if (turn % 3 == 0)
      check_many_vectors<openmp>({}, named.name, matrix.operator()<std::int32_t, float>(), own, true, tally);
    if (turn % 5 == 0)
      check_many_vectors<openmp>({}, named.name, matrix.operator()<std::int64_t, float>(), own, false, tally);
  }
  set_thread_count(0);
  for (const kernel_info& info : kernels_on<openmp>())
    if (!info.vendor) {
      INFO(info.name);
      CHECK(tally.runs[info.name] > 0);
    }
}
