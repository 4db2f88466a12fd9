// COO on a GPU: one kernel that deals entries to threads in several ways and adds up 1, 32 or 1024 neighbours
// before the atomics, so that a row costs few of them. It is right for entries in any order: runs of equal
// outputs only make the sums longer.
#include <string_view>

#include "kernels/cuda/all_finite.hpp"
#include "kernels/cuda/entries.hpp"
#include "kernels/cuda/overlap.hpp"
#include "kernels/table.hpp"
#include "kernels/vendor/cusparse.hpp"

namespace sparsmith {
namespace {

constexpr int warp = 32;

struct coo_tuning {
  // Of a thread block: the most there can be, as sums over a thread block are over so many entries.
  static constexpr int threads = 1024;
  // Of entries loaded before the first is used, where a schedule does so: as many as leave registers for two
  // thread blocks on a multiprocessor.
  static constexpr int value_bytes_ahead = 16;
  static constexpr int finite_threads = 256;  // of a thread block that looks for values that are not finite
  static constexpr int both_threads = 256;    // of a thread block that makes both products
};
constexpr int threads = coo_tuning::threads;

// Which entries a thread takes: `sharing` neighbouring threads share a chunk of sharing * per_thread entries,
// and a thread's next entry lies `sharing` away. All threads take the same number; some lie past the end.
struct entry_map {
  std::int64_t sharing, per_thread;

  __device__ std::int64_t first() const {
    const std::int64_t thread = std::int64_t{blockIdx.x} * threads + threadIdx.x;
    return thread / sharing * sharing * per_thread + thread % sharing;
  }
};

// The lane where the run of `lane` starts, when runs start at the set bits; lane 0 always starts one.
__device__ int run_start(unsigned starts, int lane) {
  return warp - 1 - __clz(static_cast<int>((starts | 1u) & (~0u >> (warp - 1 - lane))));
}

// The sum of `value` over the lanes start .. lane, where `start` is the same for all of these.
template <class Value>
__device__ Value sum_since(int start, int lane, Value value) {
  for (int step = 1; step < warp; step *= 2) {
    const Value before = __shfl_up_sync(~0u, value, step);
    if (lane - step >= start) value += before;
  }
  return value;
}

// Sums over Width neighbouring entries: one, a warp's or a thread block's. Segmented: only across equal
// outputs, and the end of a run adds the sum. Otherwise a sum holds all of the Width before it, and what the
// end of a run adds is taken off the next run again. Ahead: so many entries are loaded before the first is
// used.
//
// Entries past the end have output -1 and product 0. Threads that exchange sums leave the loop together.
template <int Width, bool Segmented, int Ahead, class Value>
__global__ void __launch_bounds__(threads)
    add_sums(entry_list<Value> list, entry_map map, Value alpha, const Value* __restrict__ x, Value* y) {
  const int place = static_cast<int>(threadIdx.x) % Width;
  const int lane = static_cast<int>(threadIdx.x) % warp;
  std::int64_t e = map.first();
  for (std::int64_t taken = 0; taken < map.per_thread && e - place < list.count; taken += Ahead) {
    std::int32_t outputs[Ahead], inputs[Ahead];
    Value products[Ahead];
#pragma unroll
    for (int i = 0; i < Ahead; ++i) {
      // Past the end it reads the last entry, and forgets it below: a branch would wait for every load.
      const std::int64_t own = e + i * map.sharing, at = own < list.count ? own : list.count - 1;
      outputs[i] = list.outputs[at];
      inputs[i] = list.inputs[at];
      products[i] = list.values[at];
    }
#pragma unroll
    for (int i = 0; i < Ahead; ++i) products[i] *= x[inputs[i]];
    if (taken == 0) wait_for_kernel_before();  // which may be the one that scales y
#pragma unroll
    for (int i = 0; i < Ahead; ++i, e += map.sharing) {
      const std::int32_t output = e < list.count ? outputs[i] : -1;
      Value sum = e < list.count ? products[i] : Value{0};
      std::int32_t next = -1;
      if constexpr (Width > 1) {
        __syncwarp();  // the threads come from different branches
        const std::int32_t neighbour = __shfl_down_sync(~0u, output, 1);
        if (lane < warp - 1)
          next = neighbour;
        else if (place < Width - 1 && e + 1 < list.count)
          next = list.outputs[e + 1];  // the next warp's
        __syncwarp();
        const unsigned ends = Segmented ? __ballot_sync(~0u, next != output) : 0u;
        const int start = run_start(ends << 1, lane);
        sum = sum_since(start, lane, sum);

        if constexpr (Width > warp) {
          // What every warp hands on, and whether it does so without what was handed to it. Each warp scans
          // these for itself, which takes one barrier; the next round uses the other half, so that nothing
          // is overwritten while it is read.
          static_assert(Width == threads && Width / warp == warp && Ahead == 1);
          __shared__ Value handed[2][warp];
          __shared__ int starts[2][warp];
          const int half = static_cast<int>(taken % 2), own = place / warp;
          if (lane == warp - 1) {
            const bool ended = ends >> lane != 0;
            handed[half][own] = ended ? Value{0} : sum;
            starts[half][own] = ended || start > 0;
          }
          __syncthreads();
          const unsigned warp_starts = __ballot_sync(~0u, starts[half][lane]);
          const Value carries = sum_since(run_start(warp_starts, lane), lane, handed[half][lane]);
          const Value carry = __shfl_sync(~0u, carries, own > 0 ? own - 1 : 0);
          if (start == 0 && own > 0) sum += carry;
        }
      }
      if (output >= 0 && next != output) {
        atomicAdd(y + output, alpha * sum);
        if (!Segmented && next >= 0) atomicAdd(y + next, -alpha * sum);
      }
    }
  }
}

struct coo_schedule {
  kernel_info info;
  struct dealing {
    int width;
    bool segmented, ahead;
    std::int64_t sharing;  // of entry_map; 0: the whole grid shares
    bool resident = true;  // the grid is what the GPU holds at once; otherwise a thread has one entry
  } how;
};

constexpr const char* report = "COO report";
// Every entry is an atomic in A^T x, whose outputs come in no order; in A x, in the order of rows, a run of
// equal outputs is one where neighbours are added up first.
constexpr kernel_facts each_an_atomic{.walk = kernel_facts::rows::balanced,
                                      .additions = {kernel_facts::adds::every, kernel_facts::adds::every},
                                      .launches = {.multiply = 2, .transposed = 2}};
constexpr kernel_facts runs_of(int width) {
  kernel_facts facts = each_an_atomic;
  facts.additions.multiply = kernel_facts::adds::runs;
  facts.run = width;
  return facts;
}

constexpr coo_schedule schedules[] = {
    {.info = {.name = "coo/atomic",
              .description = "a thread for every entry, an atomic each",
              .source = "GCSB thesis, COO report",
              .history = true,
              .facts = each_an_atomic},
     .how = {.width = 1, .segmented = true, .ahead = false, .sharing = threads, .resident = false}},
    {.info = {.name = "coo/stride-1",
              .description = "a thread takes neighbouring entries, an atomic each",
              .source = report,
              .history = true,
              .facts = each_an_atomic},
     .how = {.width = 1, .segmented = true, .ahead = true, .sharing = 1}},
    {.info = {.name = "coo/stride-warp",
              .description = "a thread takes entries a warp apart, an atomic each",
              .source = report,
              .history = true,
              .facts = each_an_atomic},
     .how = {.width = 1, .segmented = true, .ahead = true, .sharing = warp}},
    {.info = {.name = "coo/stride-block",
              .description = "a thread takes entries a thread block apart, an atomic each",
              .source = report,
              .history = true,
              .facts = each_an_atomic},
     .how = {.width = 1, .segmented = true, .ahead = true, .sharing = threads}},
    {.info = {.name = "coo/stride-grid",
              .description = "a thread takes entries the whole grid apart, an atomic each",
              .source = report,
              .history = true,
              .facts = each_an_atomic},
     .how = {.width = 1, .segmented = true, .ahead = true, .sharing = 0}},
    {.info = {.name = "coo/scan-32",
              .description = "prefix sums of a warp, two atomics a run",
              .source = report,
              .rounding_neighbours = 32,
              .facts = runs_of(32)},
     .how = {.width = 32, .segmented = false, .ahead = false, .sharing = 0}},
    {.info = {.name = "coo/scan-1024",
              .description = "prefix sums of a thread block, two atomics a run",
              .source = report,
              .rounding_neighbours = 1024,
              .facts = runs_of(1024)},
     .how = {.width = 1024, .segmented = false, .ahead = false, .sharing = 0}},
    {.info = {.name = "coo/segscan-32",
              .description = "a warp sums runs of equal outputs, an atomic a run",
              .source = report,
              .facts = runs_of(32)},
     .how = {.width = 32, .segmented = true, .ahead = false, .sharing = 0}},
    {.info = {.name = "coo/segscan-1024",
              .description = "a thread block sums runs of equal outputs, an atomic a run",
              .source = report,
              .history = true,
              .facts = runs_of(1024)},
     .how = {.width = 1024, .segmented = true, .ahead = false, .sharing = 0}},
    {.info = {.name = "coo/segscan-32-block",
              .description = "segscan-32 with entries a thread block apart, unrolled",
              .source = report,
              .facts = runs_of(32)},
     .how = {.width = 32, .segmented = true, .ahead = true, .sharing = threads}},
};

constexpr int schedule_named(std::string_view name) {
  int i = 0;
  while (schedules[i].info.name != name) ++i;
  return i;
}

// `early`: before the kernel that scales y has ended.
template <int Schedule, class Value>
void add_by(cuda on, const entry_list<Value>& list, bool early, Value alpha, const Value* x, Value* y) {
  constexpr auto how = schedules[Schedule].how;
  constexpr int ahead = how.ahead ? coo_tuning::value_bytes_ahead / static_cast<int>(sizeof(Value)) : 1;
  const std::int64_t rounds = (list.count + ahead - 1) / ahead;  // of all threads together
  const unsigned blocks = how.resident ? resident_blocks(rounds, threads) : blocks_for(rounds, threads);
  const std::int64_t grid = std::int64_t{blocks} * threads;
  const entry_map map{how.sharing == 0 ? grid : how.sharing, (rounds + grid - 1) / grid * ahead};
  launch(on, launch_size{blocks, threads, 0, early}, add_sums<how.width, how.segmented, ahead, Value>, list,
         map, alpha, x, y);
}

// Both products: a warp sums runs of equal rows for y, and every entry is an atomic on z. Neighbouring lanes
// take neighbouring entries, `Ahead` of them at a time.
template <int Ahead, class Value>
__global__ void __launch_bounds__(coo_tuning::both_threads)
    add_both(entry_list<Value> list, Value alpha, const Value* __restrict__ x, const Value* __restrict__ w,
             Value* y, Value* z) {
  const int lane = static_cast<int>(threadIdx.x) % warp;
  const std::int64_t warps = std::int64_t{gridDim.x} * (coo_tuning::both_threads / warp);
  for (std::int64_t number = (std::int64_t{blockIdx.x} * coo_tuning::both_threads + threadIdx.x) / warp;
       number * warp * Ahead < list.count; number += warps) {
    const std::int64_t first = number * warp * Ahead + lane;
    std::int32_t rows[Ahead], cols[Ahead];
    Value sums[Ahead], values[Ahead];
#pragma unroll
    for (int i = 0; i < Ahead; ++i) {
      // Past the end it reads the last entry, and forgets it below.
      const std::int64_t at = min(first + i * warp, list.count - 1);
      rows[i] = list.outputs[at];
      cols[i] = list.inputs[at];
      values[i] = alpha * list.values[at];
    }
#pragma unroll
    for (int i = 0; i < Ahead; ++i) {
      sums[i] = values[i] * x[cols[i]];
      values[i] *= w[rows[i]];
    }
    wait_for_kernel_before();  // which may be the one that scales y and z
#pragma unroll
    for (int i = 0; i < Ahead; ++i) {
      const bool there = first + i * warp < list.count;
      if (there) atomicAdd(z + cols[i], values[i]);
      const std::int32_t row = there ? rows[i] : -1;
      __syncwarp();
      std::int32_t next = __shfl_down_sync(~0u, row, 1);
      if (lane == warp - 1) next = -1;
      const unsigned ends = __ballot_sync(~0u, next != row);
      const Value sum = sum_since(run_start(ends << 1, lane), lane, there ? sums[i] : Value{0});
      if (row >= 0 && next != row) atomicAdd(y + row, sum);
    }
  }
}

// `early`: before the kernel that scales has ended.
template <class Value>
void launch_both(cuda on, const entry_list<Value>& list, bool early, Value alpha, const Value* x,
                 const Value* w, Value* y, Value* z) {
  constexpr int ahead = coo_tuning::value_bytes_ahead / static_cast<int>(sizeof(Value)),
                threads_each = coo_tuning::both_threads;
  launch(on,
         launch_size{resident_blocks((list.count + ahead - 1) / ahead, threads_each), threads_each, 0, early},
         add_both<ahead, Value>, list, alpha, x, w, y, z);
}

template <class Value>
__global__ void find_not_finite(const Value* values, std::int64_t count, int* found) {
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t e = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; e < count; e += stride)
    if (!isfinite(values[e])) *found = 1;
}

}  // namespace

// On the default stream, which waits for whatever made the matrix.
template <class Value>
bool all_finite(const array_view<const Value>& values) {
  if (values.size() == 0) return true;
  array<int, device> found(1);
  int result = 0;
  copy_bytes(place::device, found.data(), place::host, &result, sizeof(result));
  find_not_finite<<<resident_blocks(values.size(), coo_tuning::finite_threads), coo_tuning::finite_threads>>>(
      values.data(), values.size(), found.data());
  check_cuda(cudaGetLastError());
  copy_bytes(place::host, &result, place::device, found.data(), sizeof(result));
  return result == 0;
}

template bool all_finite(const array_view<const float>&);
template bool all_finite(const array_view<const double>&);

namespace {

template <int Schedule, class Value>
struct coo_kernel {
  static constexpr kernel_info info = schedules[Schedule].info;
  using matrix = coo_view<Value, device>;

  static std::string why_not_expected(const matrix_outline& known, operation) {
    return schedules[Schedule].how.segmented || known.all_finite
               ? ""
               : "prefix sums would carry values that are not finite into other rows";
  }
  static matrix_outline outline_of(const matrix& m) {
    return {.all_finite = schedules[Schedule].how.segmented || all_finite(m.values)};
  }

  coo_kernel(cuda on, const matrix& m, operation op)
      : on_(on), list_(entries_of(m.row_indices, m.col_indices, m.values, op)), outputs_(outputs(m, op)) {}

  void run(Value alpha, const Value* x, Value beta, Value* y) const {
    const bool scaled = scale(on_, outputs_, beta, y);
    add_by<Schedule>(on_, list_, scaled, alpha, x, y);
  }

 private:
  cuda on_;
  entry_list<Value> list_;
  std::int64_t outputs_;
};

template <class Value>
struct coo_both {
  static constexpr kernel_info info{.name = "coo/both",
                                    .description = "a warp sums runs of rows, columns get an atomic an entry",
                                    .source = "ours",
                                    .computes = {false, false, true, false},
                                    .facts = {.walk = kernel_facts::rows::balanced,
                                              .additions = {.both = kernel_facts::adds::every},
                                              .run = warp,
                                              .launches = {.both = 3}}};
  using matrix = coo_view<Value, device>;

  coo_both(cuda on, const matrix& m, operation op)
      : on_(on),
        list_(entries_of(m.row_indices, m.col_indices, m.values, op)),
        rows_(m.rows),
        cols_(m.cols) {}

  void run_both(Value alpha, const Value* x, const Value* w, Value beta, Value* y, Value* z) const {
    scale(on_, rows_, beta, y);
    const bool scaled = scale(on_, cols_, beta, z);
    launch_both(on_, list_, scaled, alpha, x, w, y, z);
  }

 private:
  cuda on_;
  entry_list<Value> list_;
  std::int64_t rows_, cols_;
};

}  // namespace

template <class Value>
void add_entries_both(cuda on, const entry_list<Value>& list, Value alpha, const Value* x, const Value* w,
                      Value* y, Value* z) {
  if (list.count > 0) launch_both(on, list, false, alpha, x, w, y, z);
}

template void add_entries_both(cuda, const entry_list<float>&, float, const float*, const float*, float*,
                               float*);
template void add_entries_both(cuda, const entry_list<double>&, double, const double*, const double*, double*,
                               double*);

template <class Value>
void add_entries(cuda on, const entry_list<Value>& list, Value alpha, const Value* x, Value* y) {
  if (list.count > 0) add_by<schedule_named("coo/segscan-32-block")>(on, list, false, alpha, x, y);
}

template void add_entries(cuda, const entry_list<float>&, float, const float*, float*);
template void add_entries(cuda, const entry_list<double>&, double, const double*, double*);

template <class Value>
struct table_of<coo_view<Value, device>> {
  static kernel_table<coo_view<Value, device>> lines() {
    auto table = []<int... Schedule>(std::integer_sequence<int, Schedule...>) {
      return kernel_table<coo_view<Value, device>>{kernel_of<coo_kernel<Schedule, Value>>()...};
    }
    (std::make_integer_sequence<int, std::size(schedules)>{});
    table.push_back(kernel_of<coo_both<Value>>());
    for (const auto& line : cusparse_coo_kernels<Value>()) table.push_back(line);
    return table;
  }
};

template kernel_table<coo_view<float, device>> kernels_of(const coo_view<float, device>&);
template kernel_table<coo_view<double, device>> kernels_of(const coo_view<double, device>&);

}  // namespace sparsmith
