// The parallel building blocks of the pipelines, under the same names on both backends: for_each_index,
// reduce, inclusive_scan and sort_entries. Every loop of a pipeline is a kernel of its own, and with Thrust's
// loops and reductions they took minutes to compile: on CUDA both are written here, and Thrust's scan and
// CUB's sort are in one object each (scan.cu, sort_entries.cu). Thrust's OpenMP scan is sequential and its
// OpenMP sort slow, so that backend brings its own. Only pipelines include this.
#pragma once

#ifdef __CUDACC__
#include <algorithm>
#include <cub/block/block_reduce.cuh>

#include "convert/backend/cuda_check.hpp"
#else
#include <omp.h>
#include <thrust/execution_policy.h>
#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/system/omp/execution_policy.h>
#include <thrust/transform_reduce.h>

#include <vector>
#endif

#include "convert/backend/backend.hpp"
#include "convert/backend/sort_entries.hpp"

namespace sparsmith {

template <class Number>
struct larger {
  SPARSMITH_HOST_DEVICE Number operator()(Number a, Number b) const { return a < b ? b : a; }
};
template <class Number>
struct sum_of {
  SPARSMITH_HOST_DEVICE Number operator()(Number a, Number b) const { return a + b; }
};

// Counts one more, whoever else does the same.
SPARSMITH_HOST_DEVICE inline void count_one(std::int32_t* counter) {
#ifdef __CUDA_ARCH__
  atomicAdd(counter, 1);
#else
  __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
#endif
}

// for_each_index(on, count, f): f(i) for every i in [0, count), in any order.
// reduce(on, count, initial, get, op): get(0) op get(1) op ... for an operation whose order does not matter.
// reduce_to(on, out, count, get, op): the same of at least one, left where the backend works; T{} changes
// nothing.
// inclusive_scan(on, count, get, out, op): out[i] = get(0) op ... op get(i).
// scan_in_place(on, count, data, op): the same of what is there.

#ifdef __CUDACC__

// Internal linkage, here and wherever a helper of several pipelines has lambdas: nvcc tells host-device
// lambdas apart by their enclosing function, and two objects that instantiate the same one would share, and
// overwrite, its tables.
namespace {

struct index_launch {
  static constexpr int threads = 256;
  static constexpr std::int64_t most_blocks = 1 << 20;  // of a loop; threads walk on from there
  // Of a reduction: as many blocks as a large GPU holds.
  static constexpr std::int64_t most_partial_results = 1024;
  static unsigned blocks(std::int64_t count, std::int64_t most) {
    return static_cast<unsigned>(std::min((count + threads - 1) / threads, most));
  }
};

template <class Function>
__global__ void __launch_bounds__(index_launch::threads) run_each_index(std::int64_t count, Function f) {
  const std::int64_t stride = std::int64_t{gridDim.x} * index_launch::threads;
  for (std::int64_t i = std::int64_t{blockIdx.x} * index_launch::threads + threadIdx.x; i < count;
       i += stride)
    f(i);
}

template <class Function>
void for_each_index(cuda on, std::int64_t count, Function f) {
  if (count == 0) return;
  run_each_index<<<index_launch::blocks(count, index_launch::most_blocks), index_launch::threads, 0,
                   on.stream>>>(count, f);
  check_cuda(cudaGetLastError());
}

// What each thread block finds, which holds at least one index.
template <class T, class Get, class Operation>
__global__ void __launch_bounds__(index_launch::threads)
    reduce_blocks(std::int64_t count, Get get, Operation op, T* results) {
  using block_reduce = cub::BlockReduce<T, index_launch::threads>;
  __shared__ typename block_reduce::TempStorage storage;
  const std::int64_t stride = std::int64_t{gridDim.x} * index_launch::threads;
  const std::int64_t block_first = std::int64_t{blockIdx.x} * index_launch::threads;
  std::int64_t i = block_first + threadIdx.x;
  T found{};
  if (i < count) {
    found = get(i);
    i += stride;
    // Four are loaded before the first is used, so that a thread waits for memory once and not four times.
    for (; i + 3 * stride < count; i += 4 * stride) {
      const T a = get(i), b = get(i + stride), c = get(i + 2 * stride), d = get(i + 3 * stride);
      found = op(found, op(op(a, b), op(c, d)));
    }
    for (; i < count; i += stride) found = op(found, get(i));
  }
  __syncwarp();
  const auto there = static_cast<int>(min(count - block_first, std::int64_t{index_launch::threads}));
  found = block_reduce(storage).Reduce(found, op, there);
  if (threadIdx.x == 0) results[blockIdx.x] = found;
}

template <class T>
struct listed_results {
  const T* results;
  __device__ T operator()(std::int64_t i) const { return results[i]; }
};

template <class T, class Get, class Operation>
void reduce_to(cuda on, T* out, std::int64_t count, Get get, Operation op) {
  const unsigned blocks = index_launch::blocks(count, index_launch::most_partial_results);
  array<T, device> results(blocks == 1 ? 0 : blocks);
  reduce_blocks<T>
      <<<blocks, index_launch::threads, 0, on.stream>>>(count, get, op, blocks == 1 ? out : results.data());
  check_cuda(cudaGetLastError());
  if (blocks > 1) {
    reduce_blocks<T><<<1, index_launch::threads, 0, on.stream>>>(std::int64_t{blocks},
                                                                 listed_results<T>{results.data()}, op, out);
    check_cuda(cudaGetLastError());
  }
}

template <class T, class Get, class Operation>
T reduce(cuda on, std::int64_t count, T initial, Get get, Operation op) {
  if (count == 0) return initial;
  array<T, device> result(1);
  reduce_to(on, result.data(), count, get, op);
  T found{};
  copy_bytes(place::host, &found, place::device, result.data(), sizeof(T));
  return op(initial, found);
}

}  // namespace

// Instantiated for sums and maxima of 32 and 64 bits (scan.cu).
template <class T, class Operation>
void scan_in_place(cuda on, std::int64_t count, T* data, Operation op);

namespace {

// `get` is written out first and scanned in place: one scan per type serves every pipeline.
template <class T, class Get, class Operation>
void inclusive_scan(cuda on, std::int64_t count, Get get, T* out, Operation op) {
  if (count == 0) return;
  for_each_index(on, count, [=] SPARSMITH_HOST_DEVICE(std::int64_t i) { out[i] = get(i); });
  scan_in_place(on, count, out, op);
}

}  // namespace

#else

template <class Function>
void for_each_index(openmp, std::int64_t count, Function f) {
  if (count == 0) return;
  thrust::for_each_n(thrust::omp::par, thrust::counting_iterator<std::int64_t>(0), count, f);
}

template <class T, class Get, class Operation>
T reduce(openmp, std::int64_t count, T initial, Get get, Operation op) {
  if (count == 0) return initial;
  const thrust::counting_iterator<std::int64_t> first(0);
  return thrust::transform_reduce(thrust::omp::par, first, first + count, get, initial, op);
}

template <class T, class Get, class Operation>
void reduce_to(openmp on, T* out, std::int64_t count, Get get, Operation op) {
  *out = reduce(on, count, T{}, get, op);
}

template <class T, class Get, class Operation>
void inclusive_scan(openmp, std::int64_t count, Get get, T* out, Operation op) {
  if (count == 0) return;
  std::vector<T> totals(static_cast<std::size_t>(omp_get_max_threads()));
#pragma omp parallel
  {
    const std::int64_t threads = omp_get_num_threads(), thread = omp_get_thread_num();
    const std::int64_t first = count * thread / threads, last = count * (thread + 1) / threads;
    if (first < last) {
      T total = get(first);
      for (std::int64_t i = first + 1; i < last; ++i) total = op(total, get(i));
      totals[static_cast<std::size_t>(thread)] = total;
    }
#pragma omp barrier
    if (first < last) {
      // Every thread before this one with work to do contributes; with fewer items than threads some have
      // none.
      bool any = false;
      T total{};
      for (std::int64_t before = 0; before < thread; ++before) {
        if (count * before / threads == count * (before + 1) / threads) continue;
        total = any ? op(total, totals[static_cast<std::size_t>(before)])
                    : totals[static_cast<std::size_t>(before)];
        any = true;
      }
      for (std::int64_t i = first; i < last; ++i) {
        total = any ? op(total, get(i)) : get(i);
        any = true;
        out[i] = total;
      }
    }
  }
}

template <class T, class Operation>
void scan_in_place(openmp on, std::int64_t count, T* data, Operation op) {
  inclusive_scan(
      on, count, [=](std::int64_t i) { return data[i]; }, data, op);
}

#endif

}  // namespace sparsmith
