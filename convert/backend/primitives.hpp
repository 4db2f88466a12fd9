// The parallel building blocks of the pipelines, under the same names on both backends: for_each_index,
// reduce, inclusive_scan and sort_entries. Thrust does the work where it is good at it; Thrust's OpenMP scan
// is sequential and its OpenMP sort slow, so that backend brings its own. Only pipelines include this: the
// headers are heavy.
#pragma once

#include <thrust/execution_policy.h>
#include <thrust/for_each.h>
#include <thrust/functional.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/transform_reduce.h>
#ifdef __CUDACC__
#include <thrust/scan.h>
#include <thrust/system/cuda/execution_policy.h>
#else
#include <omp.h>
#include <thrust/system/omp/execution_policy.h>

#include <vector>
#endif

#include "convert/backend/backend.hpp"
#include "convert/backend/sort_entries.hpp"

namespace sparsmith {

#ifdef __CUDACC__

// Gives Thrust its temporary memory from our own allocator, so that it is counted and pooled like any other.
struct thrust_device_memory {
  using value_type = char;
  char* allocate(std::ptrdiff_t bytes) {
    return static_cast<char*>(sparsmith::allocate(place::device, bytes));
  }
  void deallocate(char* memory, std::size_t bytes) {
    release(place::device, memory, static_cast<std::int64_t>(bytes));
  }
};

template <class Use>
auto with_policy(cuda, Use use) {
  thrust_device_memory memory;
  return use(thrust::cuda::par_nosync(memory));
}

#else

template <class Use>
auto with_policy(openmp, Use use) {
  return use(thrust::omp::par);
}

#endif

// f(i) for every i in [0, count), in any order.
template <class Backend, class Function>
void for_each_index(Backend on, std::int64_t count, Function f) {
  if (count == 0) return;
  with_policy(on, [&](auto policy) {
    thrust::for_each_n(policy, thrust::counting_iterator<std::int64_t>(0), count, f);
    return 0;
  });
}

// get(0) op get(1) op ... for an operation whose order does not matter.
template <class Backend, class T, class Get, class Operation>
T reduce(Backend on, std::int64_t count, T initial, Get get, Operation op) {
  if (count == 0) return initial;
  return with_policy(on, [&](auto policy) {
    const thrust::counting_iterator<std::int64_t> first(0);
    return thrust::transform_reduce(policy, first, first + count, get, initial, op);
  });
}

// Counts one more, whoever else does the same.
SPARSMITH_HOST_DEVICE inline void count_one(std::int32_t* counter) {
#ifdef __CUDA_ARCH__
  atomicAdd(counter, 1);
#else
  __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
#endif
}

#ifdef __CUDACC__

// Internal linkage, here and wherever a helper of several pipelines has lambdas: nvcc tells host-device
// lambdas apart by their enclosing function, and two objects that instantiate the same one would share, and
// overwrite, its tables.
namespace {

// out[i] = get(0) op ... op get(i). `get` is written out first and scanned in place: one scan kernel per type
// serves every pipeline, which keeps the build short.
template <class T, class Get, class Operation>
void inclusive_scan(cuda on, std::int64_t count, Get get, T* out, Operation op) {
  if (count == 0) return;
  for_each_index(on, count, [=] SPARSMITH_HOST_DEVICE(std::int64_t i) { out[i] = get(i); });
  with_policy(on, [&](auto policy) { return thrust::inclusive_scan(policy, out, out + count, out, op); });
}

}  // namespace

#else

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

#endif

}  // namespace sparsmith
