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

// Entries two steps apart, into sums that are there already, for every number of vectors that takes another
// way through the registers.
template <class Value>
void check_panel_code() {
  constexpr std::int64_t entries = 23, step = 2, stride = 150;
  array<std::int32_t, host> cols(entries * step);
  for (std::int64_t e = 0; e < cols.size(); ++e) cols[e] = static_cast<std::int32_t>(e * 7 % 31);
  const auto values = random_vector<Value>(entries * step, 1), x = random_vector<Value>(31 * stride, 2);
  for (std::int64_t width = 1; width <= 140; ++width) {
    INFO(width << " vectors of " << sizeof(Value) << " bytes");
    const auto before = random_vector<Value>(31 * stride, 3);
    auto gathered = copy_to<host>(before, place::host), scattered = copy_to<host>(before, place::host);
    for (std::int64_t e = 0; e < entries * step; e += step)
      for (std::int64_t v = 0; v < width; ++v) {
        gathered[v] += values[e] * x[cols[e] * stride + v];
        scattered[cols[e] * stride + v] += values[e] * x[v];
      }
    for (const int bits : {128, 256, 512}) {
      const auto code = panel_code_with<Value>(bits);
      auto own = copy_to<host>(before, place::host);
      code.gather(cols.data(), values.data(), entries, step, x.data(), stride, width, own.data());
      CHECK(same_bits(own, gathered));
      own = copy_to<host>(before, place::host);
      code.scatter(cols.data(), values.data(), entries, step, x.data(), width, own.data(), stride);
      CHECK(same_bits(own, scattered));
    }
  }
}

TEST_CASE("panels have the same bits with registers of every width") {
  check_panel_code<float>();
  check_panel_code<double>();
}

// Few of them, so that a matrix of many columns does not take its memory several times over.
TEST_CASE("sums that threads have for themselves take so much memory and no more") {
  const auto sums_of = [](std::int64_t outputs) {
    return panel_sums<double>(outputs, 100, 3, [=](std::int64_t) {
      return std::pair{std::int64_t{0}, outputs};
    });
  };
  CHECK(sums_of(1000).stride() == 32);
  CHECK(sums_of(1000).bytes() == 3 * 1000 * 32 * 8);
  CHECK(sums_of(1'398'101).stride() == 32);  // the most that are below 2^30 bytes
  CHECK(sums_of(1'398'102).stride() == 16);
  CHECK(sums_of(20'000'000).stride() == 2);
}
