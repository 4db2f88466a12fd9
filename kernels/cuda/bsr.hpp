// BSR's own kernels on CUDA, by the files that have them.
#pragma once

#include "kernels/line.hpp"

namespace sparsmith {

// bsr_chunks.cu
template <class Offset, class Value>
struct bsr_row_major;
template <class Offset, class Value>
struct bsr_private;
template <class Offset, class Value>
struct bsr_team;
template <class Offset, class Value>
struct bsr_unrolled;
// bsr_stream.cu
template <class Offset, class Value>
struct bsr_stream;
template <class Offset, class Value>
class bsr_both;
template <class Offset, class Value>
class bsr_half_rows;

// The squares that bsr/stream has code of its own for, which the model takes for those of all of BSR's
// kernels on CUDA.
inline constexpr std::uint32_t cuda_bsr_sides = sides_in_bits({2, 3, 4, 5, 6, 8, 16});

}  // namespace sparsmith
