// Complex values on a GPU: every kernel, ours and the vendor's, on the battery with imaginary parts; the
// race; and the library's products, with A^T x and A^H x told apart.
#include <complex>
#include <iostream>

#include "analyze/recommend/recommend.hpp"
#include "tests/gpu/gpu_here.hpp"
#include "tests/kernels/check_complex_kernels.hpp"
#include "tools/library/sparsmith.hpp"

using namespace sparsmith;
using namespace sparsmith::testing;

TEST_CASE("every kernel of complex values on CUDA is right on the battery, A^T x and A^H x told apart") {
  if (!gpu_here()) return;
  if constexpr (has_cuda) {
    std::map<std::string, int> runs;
    for (const conversion_options& options : shapes()) {
      check_complex<cuda, std::int32_t, float>({}, options, runs);
      check_complex<cuda, std::int32_t, double>({}, options, runs);
    }
    check_complex<cuda, std::int64_t, float>({}, shapes()[1], runs);
    check_complex<cuda, std::int64_t, double>({}, shapes()[0], runs);
    for (const auto& [name, count] : runs) std::cout << name << " " << count << " runs\n";
    for (const listed_kernel& k : all_kernels(true)) {
      if (k.backend != cuda::name) continue;
      INFO(k.info.name);
      CHECK(runs[k.info.name] > 0);
      if (k.info.computes.transposed) CHECK(runs[k.info.name + std::string(" adjoint")] > 0);
    }
  }
}

TEST_CASE("complex matrices are raced on CUDA, and nobody is wrong") {
  if (!gpu_here()) return;
  if constexpr (has_cuda)
    for (const value_width values : {value_width::c64, value_width::c128}) {
      const matrix a = read("gen:rmat?scale=12&edges=8", {.where = run_on::gpu, .values = values});
      const advice said = recommend(a, {.exhaustive = true});
      REQUIRE(said);
      const matrix_result& found = said.found->found;
      CHECK(found.complex_values);
      int ran = 0;
      for (const variant_result& f : found.variants)
        for (const contestant_result& k : f.contestants) {
          INFO(f.label() << " " << k.info.name << ": " << k.wrong);
          CHECK(k.wrong.empty());
          ran += k.timed() ? 1 : 0;
        }
      CHECK(ran > 8);
      CHECK(!found.base_name(operation::multiply).empty());
      CHECK(said.convert(a).format() == said.format);
    }
}

TEST_CASE("the library multiplies complex matrices on the GPU as on the CPU") {
  if (!gpu_here()) return;
  if constexpr (has_cuda) {
    using complex = std::complex<double>;
    const std::vector<std::int32_t> rows = {0, 0, 1, 2, 2, 3}, cols = {0, 2, 1, 0, 2, 1};
    const std::vector<complex> values = {{1, 2}, {0, -1}, {3, 0}, {-2, 5}, {4, 4}, {0, 0.5}};
    const matrix here = from_entries(4, 3, rows, cols, values, {.where = run_on::cpu});
    const matrix there = copy_to(here, run_on::gpu);
    const std::vector<complex> x = {{1, -1}, {2, 0}, {0, 3}}, w = {{1, 1}, {0, 2}, {-1, 0}, {5, -2}};
    for (const char* const format : {"csr", "csc", "coo", "ell", "sell", "hyb", "dia", "bsr", "gcsb_tile"}) {
      INFO(format);
      const matrix a = convert(here, format, {.max_fill = 1000}),
                   b = convert(there, format, {.max_fill = 1000});
      std::vector<complex> y(4, {1, 1}), z(3, {2, -1}), v(3, {0, 1}), y_there = y, z_there = z, v_there = v;
      const auto products = [&](const matrix& m, auto& to_y, auto& to_z, auto& to_v) {
        m.multiply(complex(1, 2), x, complex(0, 1), to_y);
        m.multiply_transposed(complex(2, -1), w, complex(1, 1), to_z);
        m.multiply_adjoint(complex(2, -1), w, complex(1, 1), to_v);
      };
      products(a, y, z, v);
      products(b, y_there, z_there, v_there);
      const auto near = [](const std::vector<complex>& p, const std::vector<complex>& q) {
        return std::equal(p.begin(), p.end(), q.begin(), q.end(),
                          [](complex one, complex other) { return std::abs(one - other) < 1e-12; });
      };
      CHECK(near(y, y_there));
      CHECK(near(z, z_there));
      CHECK(near(v, v_there));
      CHECK(!near(z, v));
    }
  }
}
