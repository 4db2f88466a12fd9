// What reading and assembling did to a matrix: plain data.
#pragma once

#include <cstdint>
#include <string>

namespace sparsmith {

// Everything a user should know before trusting the result.
struct assembly_report {
  std::int64_t stored = 0;             // entries as they came
  std::int64_t expanded = 0;           // added by symmetry
  std::int64_t duplicates_summed = 0;  // entries that went into another
  std::int64_t stored_twice = 0;       // pairs of mirror images both stored, of a matrix said to be symmetric
  std::int64_t explicit_zeros = 0;     // stored zeros, kept or dropped
  bool zeros_dropped = false;
  std::int64_t narrowed = 0;     // values a float does not hold exactly
  std::int64_t rounded = 0;      // integers a double does not hold exactly
  std::int64_t array_zeros = 0;  // zeros of a dense array, never entries
  std::string note = {};         // of the reader: other matrices in the archive

  bool operator==(const assembly_report&) const = default;
};

// What the matrix probably was not meant to be, in one line; empty where nothing looks wrong. A file that
// says symmetric and stores both triangles gets the values that it asks for, each twice what its writer had;
// an archive may hold other matrices, one of which was meant.
std::string doubt_about(const assembly_report& report);

}  // namespace sparsmith
