// The library's face on a GPU: vectors of the host and of the device, borrowed arrays there, streams of
// others, also such that do not wait for the default one.
#include <thread>

#include "tests/gpu/gpu_here.hpp"
#include "tests/library/refusal.hpp"
#include "tests/whole_formats.hpp"
#include "tools/library/sparsmith.hpp"
#include "tools/library/visit.hpp"

#if SPARSMITH_HAS_CUDA
#include <cuda_runtime_api.h>
#endif

using namespace sparsmith;
using namespace sparsmith::testing;

#if SPARSMITH_HAS_CUDA
namespace {

const char* const example = "gen:powerlaw?n=3000&seed=2";

// Memory that is CUDA's and not ours.
template <class T>
class cuda_memory {
 public:
  explicit cuda_memory(const std::vector<T>& items) : size_(items.size()) {
    REQUIRE(cudaMalloc(reinterpret_cast<void**>(&data_), size_ * sizeof(T)) == cudaSuccess);
    REQUIRE(cudaMemcpy(data_, items.data(), size_ * sizeof(T), cudaMemcpyHostToDevice) == cudaSuccess);
  }
  cuda_memory(const cuda_memory&) = delete;
  ~cuda_memory() { (void)cudaFree(data_); }
  device_span<T> get() const { return {data_, size_}; }
  device_span<const T> read() const { return {data_, size_}; }
  std::vector<T> items() const {
    std::vector<T> all(size_);
    REQUIRE(cudaMemcpy(all.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost) == cudaSuccess);
    return all;
  }

 private:
  T* data_ = nullptr;
  std::size_t size_;
};

std::vector<double> numbers(std::int64_t count) {
  std::vector<double> all(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<double>(static_cast<int>(i * 7 % 11) - 5);
  return all;
}

bool near(const std::vector<double>& a, const std::vector<double>& b) {
  bool same = a.size() == b.size();
  for (std::size_t i = 0; same && i < a.size(); ++i)
    same = std::abs(a[i] - b[i]) <= 1e-9 * (1 + std::abs(b[i]));
  return same;
}

// What a CPU computes, y = 2 A x - y with y all ones, or the same with A^T.
std::vector<double> expected(bool transposed) {
  const matrix a = read(example, {.where = run_on::cpu});
  std::vector<double> y(static_cast<std::size_t>(transposed ? a.cols() : a.rows()), 1.0);
  if (transposed)
    a.multiply_transposed(2.0, numbers(a.rows()), -1.0, y);
  else
    a.multiply(2.0, numbers(a.cols()), -1.0, y);
  return y;
}

struct any_stream {
  cudaStream_t handle = nullptr;
  explicit any_stream(unsigned flags) { REQUIRE(cudaStreamCreateWithFlags(&handle, flags) == cudaSuccess); }
  any_stream(const any_stream&) = delete;
  ~any_stream() { (void)cudaStreamDestroy(handle); }
};

}  // namespace

TEST_CASE("vectors of the host with a matrix on the GPU, in every format") {
  if (!gpu_here()) return;
  const matrix a = read(example);
  REQUIRE(a.on_gpu());
  for (const std::string& format : testing::whole_format_names()) {
    INFO(format);
    conversion_options options;
    options.max_fill = 1e6;
    if (format == "ell") continue;  // a row as long as the matrix is wide
    const matrix m = convert(a, format, options);
    std::vector<double> y(static_cast<std::size_t>(a.rows()), 1.0),
        v(static_cast<std::size_t>(a.cols()), 1.0);
    m.multiply(2.0, numbers(a.cols()), -1.0, y);
    m.multiply_transposed(2.0, numbers(a.rows()), -1.0, v);
    CHECK(near(y, expected(false)));
    CHECK(near(v, expected(true)));
    // The same in one pass, or one after the other where the format has no kernel for that.
    std::vector<double> both_y(y.size(), 1.0), both_v(v.size(), 1.0), normal(v.size(), 1.0), then = normal;
    m.multiply_both(2.0, numbers(a.cols()), numbers(a.rows()), -1.0, both_y, both_v);
    CHECK(near(both_y, y));
    CHECK(near(both_v, v));
    m.multiply_normal(2.0, numbers(a.cols()), -1.0, normal);
    m.multiply(1.0, numbers(a.cols()), 0.0, y);
    m.multiply_transposed(2.0, y, -1.0, then);
    CHECK(near(normal, then));
    CHECK(copy_to(m, run_on::cpu).format() == format);
  }
  const matrix back = copy_to(copy_to(a, run_on::cpu), run_on::gpu);
  CHECK(back.on_gpu());
  CHECK(back.bytes() == a.bytes());
}

TEST_CASE("device vectors on streams of the caller, non-blocking ones too, in their order") {
  if (!gpu_here()) return;
  const matrix read_in = read(example);
  for (const unsigned flags : {cudaStreamDefault, cudaStreamNonBlocking}) {
    for (const char* const format : {"csr", "bsr", "gcsb_tile", "csc"}) {
      INFO(format << " flags " << flags);
      const any_stream stream(flags);
      conversion_options options;
      options.max_fill = 1e6;
      const matrix a = convert(read_in, format, options).on(stream.handle);
      const auto n = static_cast<std::size_t>(a.cols());
      const std::vector<double> x = numbers(a.cols()), ones(n, 1.0);
      const cuda_memory<double> device_x(std::vector<double>(n, 0.0)), device_y(ones);
      std::vector<double> result(n);
      // x is still on its way when the product is asked for, and is spoiled right after.
      for (int round = 0; round < 20; ++round) {
        const std::size_t bytes = n * sizeof(double);
        cudaMemcpyAsync(device_x.get().data(), x.data(), bytes, cudaMemcpyHostToDevice, stream.handle);
        cudaMemcpyAsync(device_y.get().data(), ones.data(), bytes, cudaMemcpyHostToDevice, stream.handle);
        a.multiply(2.0, device_x.read(), -1.0, device_y.get());
        cudaMemsetAsync(device_x.get().data(), 0xff, bytes, stream.handle);
        cudaMemcpyAsync(result.data(), device_y.get().data(), bytes, cudaMemcpyDeviceToHost, stream.handle);
        a.wait();
        CHECK(near(result, expected(false)));
      }
      std::vector<double> y = ones;
      a.multiply(2.0, x, -1.0, y);  // with copies, on the same stream
      CHECK(near(y, expected(false)));
    }
  }
}

TEST_CASE("a product on a stream is captured into a graph once it is prepared") {
  if (!gpu_here()) return;
  for (const unsigned flags : {cudaStreamDefault, cudaStreamNonBlocking}) {
    INFO("flags " << flags);
    const any_stream stream(flags);
    const matrix a = read(example).on(stream.handle);
    const auto n = static_cast<std::size_t>(a.cols());
    const cuda_memory<double> x(numbers(a.cols())), y(std::vector<double>(n, 1.0));
    a.prepare();
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t ready = nullptr;
    REQUIRE(cudaStreamBeginCapture(stream.handle, cudaStreamCaptureModeThreadLocal) == cudaSuccess);
    a.multiply(2.0, x.read(), -1.0, y.get());
    REQUIRE(cudaStreamEndCapture(stream.handle, &graph) == cudaSuccess);
    REQUIRE(cudaGraphInstantiate(&ready, graph, 0) == cudaSuccess);
    REQUIRE(cudaGraphLaunch(ready, stream.handle) == cudaSuccess);
    a.wait();
    CHECK(near(y.items(), expected(false)));
    (void)cudaGraphExecDestroy(ready);
    (void)cudaGraphDestroy(graph);
  }
}

TEST_CASE("CSR in memory of the GPU is borrowed and checked") {
  if (!gpu_here()) return;
  const std::vector<std::int32_t> offsets = {0, 2, 3}, columns = {0, 2, 1}, unsorted = {2, 0, 1};
  const std::vector<float> values = {1, 2, 3};
  const cuda_memory<std::int32_t> o(offsets), c(columns), wrong(unsorted);
  const cuda_memory<float> v(values);
  const matrix a = borrow_csr(2, 3, o.get(), c.get(), v.get());
  CHECK(a.on_gpu());
  CHECK(a.borrowed());
  const auto* const lent = view_as<csr<std::int32_t, float, view_of<device>>>(a);
  REQUIRE(lent != nullptr);
  CHECK(lent->values.data() == v.get().data());
  std::vector<float> y(2);
  a.multiply(1.0, std::vector<float>{1, 1, 1}, 0.0, y);
  CHECK(y == std::vector<float>{3, 3});
  const cuda_memory<float> x(std::vector<float>{1, 1, 1}), device_y(std::vector<float>(2));
  a.multiply(1.0, x.read(), 0.0, device_y.get());
  a.wait();
  CHECK(device_y.items() == y);
  CHECK(refusal([&] { borrow_csr(2, 3, o.get(), wrong.get(), v.get()); }) ==
        "CSR: row 0: columns are not sorted, 0 comes after 2");
  CHECK(borrow_csr(2, 3, o.get(), wrong.get(), v.get(), {.trusted = true}).entries() == 3);
  CHECK(refusal([&] {
          borrow_csr(2, 3, device_span(offsets.data(), 3), c.get(), v.get());
        }).find("memory that the GPU cannot reach") != std::string::npos);
  CHECK(refusal([&] {
          std::vector<float> host_y(2);
          a.multiply(1.0, x.read(), 0.0, device_span(host_y.data(), 2));
        }) == "y is a device_span of memory that the GPU cannot reach");
  CHECK(refusal([&] { a.on(cudaStreamPerThread); }).find("cudaStreamPerThread") == 0);
  CHECK(a.on(cudaStreamLegacy).stream() == nullptr);
}

TEST_CASE("a thread that has not used CUDA yet multiplies vectors of the GPU") {
  if (!gpu_here()) return;
  const matrix a = read(example);
  const auto n = static_cast<std::size_t>(a.cols());
  const cuda_memory<double> x(numbers(a.cols())), y(std::vector<double>(n, 1.0));
  a.prepare();
  std::string said;
  std::thread([&] {
    try {
      a.multiply(2.0, x.read(), -1.0, y.get());
      a.wait();
    } catch (const error& problem) {
      said = problem.what();
    }
  }).join();
  CHECK(said.empty());
  CHECK(near(y.items(), expected(false)));
}

TEST_CASE("advice for a matrix on the GPU is followed there") {
  if (!gpu_here()) return;
  const matrix a = read(example);
  const advice said = recommend(a, {.mix = {10, 1}, .budget = 2});
  REQUIRE(said);
  const matrix m = said.convert(a);
  CHECK(m.on_gpu());
  CHECK(m.kernel() == said.kernel);
  std::vector<double> y(static_cast<std::size_t>(a.rows()), 1.0);
  m.multiply(2.0, numbers(a.cols()), -1.0, y);
  CHECK(near(y, expected(false)));
}
#else
TEST_CASE("the face on a GPU") {
  CHECK_FALSE(gpu_here());
}
#endif
