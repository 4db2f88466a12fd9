// Lines (rows of CSR, 32 neighbouring rows of SELL) that are too long for those who walk a line: they are cut
// into pieces for teams of their own, in the same launch as all the others. Most have one piece. Where a line
// has more, the team that comes last adds up what all of them left, in their order, so that sums repeat to
// the bit.
#pragma once

#include <limits>

#include "kernels/cuda/launch.hpp"

namespace sparsmith {

struct line_piece {
  std::int64_t first, last;  // of the line's entries, as the format counts them
  std::int32_t line;
  std::int32_t number, count;  // which of the line's pieces it is
};

// What a kernel gets.
template <class Value>
struct line_pieces {
  const line_piece* pieces = nullptr;
  unsigned count = 0;
  Value* sums = nullptr;        // `width` of every piece
  unsigned* arrived = nullptr;  // teams at a line, kept with its first piece
};

#ifdef __CUDACC__

struct line_range {
  std::int64_t first, last;
};

// Lines of more than `above` and at most `up_to` entries are cut into pieces of `size`.
struct line_cut {
  std::int64_t above, up_to, size;

  __device__ std::int32_t pieces_of(const line_range& r) const {
    const std::int64_t length = r.last - r.first;
    return length > above && length <= up_to ? static_cast<std::int32_t>((length + size - 1) / size) : 0;
  }
};

template <class Range>
__global__ void count_pieces(std::int64_t lines, Range range, line_cut cut, unsigned* count) {
  const std::int64_t line = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (line >= lines) return;
  if (const std::int32_t own = cut.pieces_of(range(line)); own > 0)
    atomicAdd(count, static_cast<unsigned>(own));
}

template <class Range>
__global__ void list_pieces(std::int64_t lines, Range range, line_cut cut, unsigned* next,
                            line_piece* pieces) {
  const std::int64_t line = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (line >= lines) return;
  const line_range r = range(line);
  const std::int32_t count = cut.pieces_of(r);
  if (count == 0) return;
  line_piece* const own = pieces + atomicAdd(next, static_cast<unsigned>(count));
  const std::int64_t length = r.last - r.first;
  for (std::int32_t i = 0; i < count; ++i)
    own[i] = {r.first + length * i / count, r.first + length * (i + 1) / count,
              static_cast<std::int32_t>(line), i, count};
}

// Whether the warp that asks, with piece `index`, is the last at its line; it then sees what the others left
// before they asked.
template <class Value>
__device__ bool last_at_line(const line_pieces<Value>& all, const line_piece& piece, unsigned index) {
  __threadfence();
  __syncwarp();
  unsigned last = 0;
  if (threadIdx.x % 32 == 0) {
    unsigned* const arrived = all.arrived + (index - static_cast<unsigned>(piece.number));
    last = atomicAdd(arrived, 1u) == static_cast<unsigned>(piece.count) - 1;
    if (last != 0) *arrived = 0;  // for the next run
  }
  __syncwarp();
  last = __shfl_sync(~0u, last, 0);
  if (last != 0) __threadfence();
  return last != 0;
}

// The pieces of lines 0 .. lines - 1, whose entries are range(line). A piece leaves `width` sums.
template <class Value>
class long_lines {
 public:
  long_lines() = default;
  template <class Range>
  long_lines(cuda on, std::int64_t lines, Range range, line_cut cut, int width) {
    constexpr int threads = 256;
    array<unsigned, device> count(1);
    check_cuda(cudaMemsetAsync(count.data(), 0, sizeof(unsigned), on.stream));
    count_pieces<<<blocks_for(lines, threads), threads, 0, on.stream>>>(lines, range, cut, count.data());
    check_cuda(cudaGetLastError());
    const std::int64_t pieces = copy_to<host>(count, place::device)[0];
    if (pieces == 0) return;
    pieces_ = array<line_piece, device>(pieces);
    sums_ = array<Value, device>(pieces * width);
    arrived_ = array<unsigned, device>(pieces);
    check_cuda(cudaMemsetAsync(count.data(), 0, sizeof(unsigned), on.stream));
    check_cuda(
        cudaMemsetAsync(arrived_.data(), 0, static_cast<std::size_t>(pieces) * sizeof(unsigned), on.stream));
    list_pieces<<<blocks_for(lines, threads), threads, 0, on.stream>>>(lines, range, cut, count.data(),
                                                                       pieces_.data());
    check_cuda(cudaGetLastError());
  }

  std::int64_t bytes() const {
    return pieces_.size() * std::int64_t{sizeof(line_piece)} + sums_.size() * std::int64_t{sizeof(Value)} +
           arrived_.size() * std::int64_t{sizeof(unsigned)};
  }
  unsigned count() const { return static_cast<unsigned>(pieces_.size()); }
  line_pieces<Value> view() const { return {pieces_.data(), count(), sums_.data(), arrived_.data()}; }

 private:
  array<line_piece, device> pieces_;
  mutable array<Value, device> sums_;
  mutable array<unsigned, device> arrived_;
};

#endif

}  // namespace sparsmith
