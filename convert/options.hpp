// What can be chosen about a conversion, and what must hold for the choice: every conversion checks the
// options that concern it (`require_options`), so that a caller who skips a tool's own checks still gets an
// error and not a wrong matrix. Messages name the quantity; a tool adds which of its flags sets it.
#pragma once

#include <cstdint>
#include <optional>

#include "convert/formats/formats.hpp"
#include "convert/formats/sizes.hpp"

namespace sparsmith {

struct sell_shape {
  std::int32_t slice = 32;
  std::int32_t sigma = 1024;
};

// What CSB, eCSB and GCSB share.
struct block_options {
  std::int32_t beta = 32;  // a power of two, 2..4096
  block_order order = block_order::morton;
  int index_bits = 0;                        // 16 or 32; 0: 16 where beta <= 256
  bool thesis = false;                       // 32-bit indices, empty blocks stored
  std::int32_t group_size = 32;              // GCSB
  std::int32_t window = 0;                   // GCSB: blocks per sorting window; 0: the whole matrix
  std::optional<ecsb_holding> holding = {};  // eCSB; by default the rule decides
};

// GCSB's layout `tile`.
enum class renumbering { automatic, length, none };  // automatic: where row or column lengths vary much
struct tile_options {
  std::int32_t height = 0, width = 0;  // powers of two from 256 to 2048; 0: chosen from the matrix
  std::int32_t group_size = 32;        // lanes, a power of two up to 32
  int index_bits = 0;                  // 16 or 32; 0: 16 where that is enough
  renumbering renumber = renumbering::automatic;
  std::int32_t rest_below = 64;  // entries a tile must have, or it goes to the rest

  // As half of a matrix takes them: its rows and columns keep their numbers, else its diagonal would lie
  // anywhere.
  tile_options of_half() const {
    tile_options half = *this;
    half.renumber = renumbering::none;
    return half;
  }
};

struct conversion_options {
  sell_shape sell = {};
  std::int32_t hyb_width = -1;  // negative: by Bell and Garland's rule
  double max_fill = 3;          // slots per entry of a padded format, at most
  block_size bsr_block = {4, 4};
  block_options blocks = {};
  tile_options tile = {};
  // DIA stores diagonals that have at least so many entries per row of the matrix; 0: all that have any.
  // Negative: by bytes, those that would take no fewer in the rest.
  double dia_share = -1;
};

// Whether a format cuts the matrix into beta x beta blocks.
inline bool has_beta(format_kind format) {
  return format == format_kind::csb || format == format_kind::ecsb || format == format_kind::gcsb;
}

inline bool is_power_of_two(std::int64_t number) {
  return number > 0 && (number & (number - 1)) == 0;
}

// Whether a tile can have so many lanes: the threads of a warp, or of a part of one.
inline bool is_lane_count(std::int64_t number) {
  return is_power_of_two(number) && number <= 32;
}

// Throw failure::usage where a conversion could not be right with these.
void require_max_fill(double max_fill);  // at least 1, and a number
void require_options(const sell_shape& shape);
void require_dia_share(double share);                                    // at most 1, and a number
void require_bsr_block(block_size block);                                // sides from 1 to 64
void require_options(const block_options& options, format_kind format);  // of CSB, eCSB or GCSB
void require_options(const tile_options& options);
void require_block_size(block_size size);  // to count blocks: sides of at least 1
// The same for any format, looking only at what concerns it and at the limit of fill.
void require_options(const conversion_options& options, format_kind format);

// Entries that a diagonal needs to be stored; at least one.
std::int64_t least_on_diagonal(double dia_share, std::int64_t rows, std::int64_t value_bytes);

}  // namespace sparsmith
