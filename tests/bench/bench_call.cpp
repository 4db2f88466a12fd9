// What a product of the library costs whoever calls it from C++, which bench_python.py shows beside the calls
// from Python: bench_call [cuda]. Of a matrix of 100 x 100, the least of 50 rounds; on a GPU what queueing
// one costs.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <vector>

#include "convert/backend/memory.hpp"
#include "tools/library/sparsmith.hpp"

using namespace sparsmith;

namespace {

template <class Call, class Wait>
double microseconds(int calls, Call call, Wait wait) {
  call();
  double least = 1e9;
  for (int round = 0; round < 50; ++round) {
    wait();
    const auto began = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i) call();
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - began;
    least = std::min(least, took.count() / calls);
  }
  return least;
}

void on_cpu(const char* name, const char* spec) {
  read_options here;
  here.where = run_on::cpu;
  const matrix m = read(spec, here);
  const std::vector<double> x(static_cast<std::size_t>(m.cols()), 1.0);
  std::vector<double> y(static_cast<std::size_t>(m.rows()));
  std::printf("%s %.2f\n", name,
              microseconds(
                  2000, [&] { m.multiply(1.0, x, 0.0, y); }, [] {}));
}

#if SPARSMITH_HAS_CUDA
void on_gpu(const char* name, const char* spec) {
  read_options there;
  there.where = run_on::gpu;
  const matrix m = read(spec, there);
  array<double, device> x(m.cols()), y(m.rows());
  const device_span<const double> from(x.data(), static_cast<std::size_t>(x.size()));
  const device_span<double> to(y.data(), static_cast<std::size_t>(y.size()));
  std::printf("%s %.2f\n", name,
              microseconds(
                  200, [&] { m.multiply(1.0, from, 0.0, to); }, [&] { m.wait(); }));
}
#endif

}  // namespace

int main(int count, char** arguments) {
  const bool cuda = count > 1 && std::strcmp(arguments[1], "cuda") == 0;
#if SPARSMITH_HAS_CUDA
  const auto run = cuda ? on_gpu : on_cpu;
#else
  if (cuda) return std::puts("built without CUDA"), 1;
  const auto run = on_cpu;
#endif
  run("entries", "gen:uniform?n=100&density=0.05");
  run("none", "gen:uniform?n=100&density=0");
}
