// Work that several threads share: for_each_team(on, teams, work, body) calls body(team, index) once per
// index. On CUDA a team is a warp or a thread block with scratch in shared memory; on OpenMP it is one thread
// with scratch of its own. The body is a functor with a templated call operator, so that one source serves
// all three.
#pragma once

#include "convert/backend/backend.hpp"

#ifdef __CUDACC__
#include <algorithm>

#include "convert/backend/cuda_check.hpp"
#else
#include <omp.h>

#include <algorithm>
#include <bit>
#include <memory>
#endif

namespace sparsmith {

SPARSMITH_HOST_DEVICE inline int count_bits(std::uint32_t word) {
#ifdef __CUDA_ARCH__
  return __popc(word);
#else
  return __builtin_popcount(word);
#endif
}

// The number of the lowest bit set; there must be one.
SPARSMITH_HOST_DEVICE inline int lowest_bit(std::uint32_t word) {
#ifdef __CUDA_ARCH__
  return __ffs(static_cast<int>(word)) - 1;
#else
  return __builtin_ctz(word);
#endif
}

#ifdef __CUDACC__

// A part of a warp (Width 8), a warp (32) or a whole block. Every member must be called by all threads of the
// team, except the atomics and `rank`, `size`, `scratch`.
template <int Width>
class gpu_team {
 public:
  __device__ gpu_team(std::uint32_t* scratch, int words) : scratch_(scratch), words_(words) {}
  SPARSMITH_HOST_DEVICE int rank() const {
#ifdef __CUDA_ARCH__
    return static_cast<int>(threadIdx.x) % Width;
#else
    return 0;
#endif
  }
  static constexpr int threads = Width;
  SPARSMITH_HOST_DEVICE int size() const {
    return Width;
  }
  SPARSMITH_HOST_DEVICE std::uint32_t* scratch() const {
    return scratch_;
  }
  SPARSMITH_HOST_DEVICE int scratch_words() const {
    return words_;
  }
  SPARSMITH_HOST_DEVICE void sync() const {
#ifdef __CUDA_ARCH__
    if constexpr (Width <= 32)
      __syncwarp(lanes());
    else
      __syncthreads();
#endif
  }
  SPARSMITH_HOST_DEVICE void set_bits(std::uint32_t* word, std::uint32_t bits) const {
#ifdef __CUDA_ARCH__
    if ((*static_cast<volatile std::uint32_t*>(word) & bits) != bits) atomicOr(word, bits);
#endif
  }
  // Adds and returns what was there.
  SPARSMITH_HOST_DEVICE std::int32_t add(std::int32_t* counter, std::int32_t amount) const {
#ifdef __CUDA_ARCH__
    return atomicAdd(counter, amount);
#else
    return 0;
#endif
  }
  // The bits that any thread of the team has set.
  SPARSMITH_HOST_DEVICE std::uint32_t any_bits(std::uint32_t bits) const {
    static_assert(Width == 32);
#ifdef __CUDA_ARCH__
    together();
    return __reduce_or_sync(~0u, bits);
#else
    return bits;
#endif
  }
  // The same where no thread sets other bits than that of its own rank.
  SPARSMITH_HOST_DEVICE std::uint32_t any_own_bits(std::uint32_t bits) const {
    static_assert(Width == 32);
#ifdef __CUDA_ARCH__
    together();
    return __ballot_sync(~0u, bits != 0);
#else
    return bits;
#endif
  }
  // Of the lanes that want the same thing, one each thread, one wins it: an urgent one where there is any,
  // and of those the first from lane `first` upwards and around. Returns the bits of this thread's lanes that
  // win. What is wanted has so many bits, and each is voted on; a lane that wants nothing has a negative
  // number.
  SPARSMITH_HOST_DEVICE std::uint32_t winners(const std::int32_t (&wanted)[1], int bits, std::uint32_t urgent,
                                              std::int32_t first, std::uint32_t*) const {
    static_assert(Width == 32);
#ifdef __CUDA_ARCH__
    together();
    unsigned all = __ballot_sync(~0u, wanted[0] >= 0);
    for (int bit = 0; bit < bits; ++bit) {
      const bool own = (wanted[0] >> bit & 1) != 0;
      const unsigned set = __ballot_sync(~0u, own);
      all &= own ? set : ~set;
    }
    const unsigned same = (all & urgent) != 0 ? all & urgent : all, ahead = same & ~0u << first;
    const int winner = __ffs(static_cast<int>(ahead != 0 ? ahead : same)) - 1;
    return wanted[0] >= 0 && winner == rank() ? 1u << winner : 0u;
#else
    (void)wanted, (void)bits, (void)urgent, (void)first;
    return 0;
#endif
  }
  // add(counter, 1), for a counter of this team alone; neighbouring threads mostly want the same one.
  SPARSMITH_HOST_DEVICE std::int32_t next(std::int32_t* counter) const {
#ifdef __CUDA_ARCH__
    // The first of a run takes the numbers for all of it.
    const unsigned active = __activemask(), lane = threadIdx.x % 32;
    const auto address = reinterpret_cast<std::uintptr_t>(counter);
    const std::uintptr_t left = __shfl_up_sync(active, address, 1);
    const bool starts = lane == 0 || (active >> (lane - 1) & 1) == 0 || left != address;
    const unsigned heads = __ballot_sync(active, starts) | ~active;
    const int head = 31 - __clz(heads & (~0u >> (31 - lane)));
    const unsigned later = lane == 31 ? 0 : heads >> (head + 1);
    const int length = (head == 31 ? 0 : later == 0 ? 31 - head : __ffs(static_cast<int>(later)) - 1) + 1;
    std::int32_t base = 0;
    if (static_cast<int>(lane) == head) base = atomicAdd(counter, length);
    return __shfl_sync(active, base, head) + static_cast<std::int32_t>(lane) - head;
#else
    return 0;
#endif
  }
  // The same for counters that other teams use at the same time.
  SPARSMITH_HOST_DEVICE std::int32_t add_shared(std::int32_t* counter, std::int32_t amount) const {
    return add(counter, amount);
  }
  SPARSMITH_HOST_DEVICE std::int32_t next_shared(std::int32_t* counter) const {
    return next(counter);
  }
  // The distinct ones of the threads' numbers, at most one each and none negative, as a rising list; returns
  // how many. A thread without a number has the largest there is.
  SPARSMITH_HOST_DEVICE std::int32_t list_distinct(std::int32_t number, std::int32_t* list) const {
    static_assert(Width <= 32);
#ifdef __CUDA_ARCH__
    together();
    for (int size = 2; size <= Width; size *= 2)
      for (int step = size / 2; step > 0; step /= 2) {
        const std::int32_t other = __shfl_xor_sync(lanes(), number, step);
        const bool rising = (rank() & size) == 0, lower = (rank() & step) == 0;
        number = rising == lower ? (number < other ? number : other) : (number < other ? other : number);
      }
    const std::int32_t left = __shfl_up_sync(lanes(), number, 1, Width);
    const bool first = number != 0x7fffffff && (rank() == 0 || left != number);
    const unsigned firsts = __ballot_sync(lanes(), first) >> (threadIdx.x % 32 / Width * Width);
    if (first) list[__popc(firsts & ((1u << rank()) - 1))] = number;
    sync();
    return __popc(firsts);
#else
    (void)number, (void)list;
    return 0;
#endif
  }
  SPARSMITH_HOST_DEVICE std::int32_t smallest(std::int32_t value) const {
#ifdef __CUDA_ARCH__
    together();
    value = __reduce_min_sync(lanes(), value);
    if constexpr (Width > 32) {
      const std::int32_t* const all = values_of_warps(value);
      for (int w = 0; w < Width / 32; ++w) value = all[w] < value ? all[w] : value;
    }
#endif
    return value;
  }
  SPARSMITH_HOST_DEVICE std::int32_t largest(std::int32_t value) const {
#ifdef __CUDA_ARCH__
    together();
    value = __reduce_max_sync(lanes(), value);
    if constexpr (Width > 32) {
      const std::int32_t* const all = values_of_warps(value);
      for (int w = 0; w < Width / 32; ++w) value = all[w] > value ? all[w] : value;
    }
#endif
    return value;
  }
  // Replaces data[i] by the sum of all before it, in place, and returns the total.
  SPARSMITH_HOST_DEVICE std::int32_t exclusive_sum(std::int32_t* data, int count) const {
#ifdef __CUDA_ARCH__
    together();
    std::int32_t before = 0;
    for (int start = 0; start < count; start += Width) {
      const int i = start + rank();
      const std::int32_t own = i < count ? data[i] : 0;
      std::int32_t sum = own;
      constexpr int part = Width < 32 ? Width : 32;
      for (int step = 1; step < part; step *= 2) {
        const std::int32_t left = __shfl_up_sync(lanes(), sum, step, part);
        if (rank() % part >= step) sum += left;
      }
      std::int32_t total = 0;
      if constexpr (Width <= 32) {
        total = __shfl_sync(lanes(), sum, part - 1, part);
      } else {
        __shared__ std::int32_t warp_sums[Width / 32];
        if (rank() % 32 == 31) warp_sums[rank() / 32] = sum;
        __syncthreads();
        std::int32_t warps_before = 0;
        for (int w = 0; w < Width / 32; ++w) {
          if (w < rank() / 32) warps_before += warp_sums[w];
          total += warp_sums[w];
        }
        sum += warps_before;
        __syncthreads();
      }
      if (i < count) data[i] = before + sum - own;
      before += total;
    }
    sync();
    return before;
#else
    (void)data, (void)count;
    return 0;
#endif
  }

 private:
#ifdef __CUDA_ARCH__
  // The lanes of the warp that belong to this team.
  __device__ static unsigned lanes() {
    if constexpr (Width < 32) return ((1u << Width) - 1) << (threadIdx.x % 32 / Width * Width);
    return ~0u;
  }
  // Exchanges between threads that come out of loops of different length gave wrong results (nvcc 13.0): they
  // meet first.
  __device__ static void together() {
    __syncwarp(lanes());
  }
  __device__ const std::int32_t* values_of_warps(std::int32_t value) const {
    __shared__ std::int32_t warp_values[Width < 32 ? 1 : Width / 32];
    __syncthreads();
    if (rank() % 32 == 0) warp_values[rank() / 32] = value;
    __syncthreads();
    return warp_values;
  }
#endif
  std::uint32_t* scratch_;
  int words_;
};

// Registers are held back so that enough warps are resident to hide the latency of memory, which is what the
// bodies wait for.
template <int Width, int Threads, class Body>
__global__ void __launch_bounds__(Threads, 1024 / Threads)
    run_teams(std::int64_t teams, int words_per_team, Body body) {
  extern __shared__ __align__(16) std::uint32_t team_scratch[];
  const int team_in_block = static_cast<int>(threadIdx.x) / Width;
  const gpu_team<Width> team(team_scratch + team_in_block * words_per_team, words_per_team);
  const std::int64_t stride = std::int64_t{gridDim.x} * (Threads / Width);
  for (std::int64_t i = std::int64_t{blockIdx.x} * (Threads / Width) + team_in_block; i < teams;
       i += stride) {
    body(team, i);
    team.sync();
  }
}

// A block for every team: 256 threads, or 1024 for a few teams with so much work that one of them would be
// waited for. They are left to the hardware to balance.
template <int Threads, class Body>
void for_each_block(cuda on, std::int64_t teams, Body body) {
  if (teams == 0) return;
  // 24 KiB for 256 threads leave room for as many blocks as the threads allow; every GPU from sm_80 on has
  // the 96 KiB for 1024, but wants to be asked for them.
  constexpr int words = 24 * Threads;
  const auto kernel = run_teams<Threads, Threads, Body>;
  if constexpr (words * 4 > 48 * 1024)
    check_cuda(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                                    cudaFuncAttributeMaxDynamicSharedMemorySize, words * 4));
  const std::int64_t blocks = std::min<std::int64_t>(teams, 1 << 20);
  kernel<<<static_cast<unsigned>(blocks), Threads, words * 4, on.stream>>>(teams, words, body);
  check_cuda(cudaGetLastError());
}

// `work` is how many items a team has on average: few items go to part of a warp, many to a block. A team has
// at least `least_words` words of scratch, which may be up to 6144.
template <class Body>
void for_each_team(cuda on, std::int64_t teams, std::int64_t work, Body body, int least_words = 0) {
  if (teams == 0) return;
  constexpr int threads = 256;
  // As much for the teams of a block as for_each_block has.
  constexpr int part_words = 64, warp_words = 768;
  // Small teams walk on to the next one, which is cheaper than starting a block for it.
  constexpr std::int64_t most_shared_blocks = 1 << 13;
  if (work <= 16 && least_words <= part_words) {
    constexpr int width = 8;
    const std::int64_t blocks =
        std::min((teams + threads / width - 1) / (threads / width), most_shared_blocks);
    run_teams<width, threads>
        <<<static_cast<unsigned>(blocks), threads, part_words*(threads / width) * 4, on.stream>>>(
            teams, part_words, body);
  } else if (work <= 512 && least_words <= warp_words) {
    const std::int64_t blocks = std::min((teams + threads / 32 - 1) / (threads / 32), most_shared_blocks);
    run_teams<32, threads>
        <<<static_cast<unsigned>(blocks), threads, warp_words*(threads / 32) * 4, on.stream>>>(
            teams, warp_words, body);
  } else {
    for_each_block<threads>(on, teams, body);
  }
  check_cuda(cudaGetLastError());
}

// The same with exactly a warp for every team and so many words of scratch.
template <class Body>
void for_each_warp(cuda on, std::int64_t teams, int words, Body body) {
  if (teams == 0) return;
  constexpr int threads = 128;
  const std::int64_t blocks = std::min<std::int64_t>((teams + threads / 32 - 1) / (threads / 32), 1 << 20);
  run_teams<32, threads>
      <<<static_cast<unsigned>(blocks), threads, words*(threads / 32) * 4, on.stream>>>(teams, words, body);
  check_cuda(cudaGetLastError());
}

#else

class single_team {
 public:
  single_team(std::uint32_t* scratch, int words) : scratch_(scratch), words_(words) {}
  static constexpr int threads = 1;
  int rank() const { return 0; }
  int size() const { return 1; }
  std::uint32_t* scratch() const { return scratch_; }
  int scratch_words() const { return words_; }
  void sync() const {}
  void set_bits(std::uint32_t* word, std::uint32_t bits) const { *word |= bits; }
  std::int32_t add(std::int32_t* counter, std::int32_t amount) const {
    return std::exchange(*counter, static_cast<std::int32_t>(static_cast<std::uint32_t>(*counter) +
                                                             static_cast<std::uint32_t>(amount)));
  }
  std::int32_t add_shared(std::int32_t* counter, std::int32_t amount) const {
    return __atomic_fetch_add(counter, amount, __ATOMIC_RELAXED);
  }
  // `seen` has a word for everything there is to want, and one more in front that counts the calls.
  template <int lanes>
  std::uint32_t winners(const std::int32_t (&wanted)[lanes], int, std::uint32_t urgent, std::int32_t first,
                        std::uint32_t* seen) const {
    static_assert(lanes == 32);
    const std::uint32_t call = ++seen[0];
    std::uint32_t* const last_call = seen + 1;
    std::uint32_t wanting = 0, won = 0;
    for (int i = 0; i < lanes; ++i)
      if (wanted[i] >= 0) wanting |= 1u << i;
    const auto give = [&](std::uint32_t among) {
      for (std::uint32_t turns = std::rotr(among, first); turns != 0; turns &= turns - 1) {
        const int lane = (lowest_bit(turns) + first) % lanes;
        if (last_call[wanted[lane]] == call) continue;
        last_call[wanted[lane]] = call;
        won |= 1u << lane;
      }
    };
    give(wanting & urgent);
    give(wanting & ~urgent);
    return won;
  }
  std::uint32_t any_bits(std::uint32_t bits) const { return bits; }
  std::uint32_t any_own_bits(std::uint32_t bits) const { return bits; }
  std::int32_t next(std::int32_t* counter) const { return (*counter)++; }
  std::int32_t next_shared(std::int32_t* counter) const {
    return __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
  }
  std::int32_t smallest(std::int32_t value) const { return value; }
  std::int32_t largest(std::int32_t value) const { return value; }
  std::int32_t exclusive_sum(std::int32_t* data, int count) const {
    std::int32_t sum = 0;
    for (int i = 0; i < count; ++i) sum += std::exchange(data[i], sum);
    return sum;
  }

 private:
  std::uint32_t* scratch_;
  int words_;
};

template <class Body>
void for_each_team(openmp, std::int64_t teams, std::int64_t, Body body, int = 0) {
  constexpr int words = 1 << 16;
  const int at_once =
      static_cast<int>(std::clamp<std::int64_t>(teams / (std::int64_t{omp_get_max_threads()} * 16), 1, 64));
  // Of all threads, made here because nothing may be thrown in there; each clears its own.
  const auto scratch =
      std::make_unique_for_overwrite<std::uint32_t[]>(std::size_t{words} * omp_get_max_threads());
#pragma omp parallel
  {
    std::uint32_t* const own = scratch.get() + std::size_t{words} * omp_get_thread_num();
    std::fill_n(own, words, 0);
    const single_team team(own, words);
#pragma omp for schedule(dynamic, at_once)
    for (std::int64_t i = 0; i < teams; ++i) body(team, i);
  }
}

template <int Threads, class Body>
void for_each_block(openmp on, std::int64_t teams, Body body) {
  if (teams > 0) for_each_team(on, teams, 0, body);
}

template <class Body>
void for_each_warp(openmp on, std::int64_t teams, int, Body body) {
  for_each_team(on, teams, 0, body);
}

#endif

}  // namespace sparsmith
