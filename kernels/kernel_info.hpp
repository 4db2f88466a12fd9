// What a kernel says about itself before it meets a matrix: its name, its properties, how it works as far as
// predictions depend on that (`kernel_facts`), and which matrices it would refuse, told from what is known of
// them before they are made (`matrix_outline`). All of it stands with the kernel's type; who predicts
// (analyze/recommend/model.hpp) knows no kernel by name.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>

#include "convert/formats/ecsb.hpp"
#include "convert/formats/sizes.hpp"

namespace sparsmith {

// What is computed: a product with A, one with A^T, or two products while A is read once: A x beside A^T w,
// and A^T (A x).
enum class operation { multiply, transposed, both, normal };
inline constexpr std::array plain_operations = {operation::multiply, operation::transposed};
inline constexpr std::array all_operations = {operation::multiply, operation::transposed, operation::both,
                                              operation::normal};

constexpr const char* name_of(operation op) {
  switch (op) {
    case operation::multiply:
      return "A x";
    case operation::transposed:
      return "A^T x";
    case operation::both:
      return "A x and A^T w";
    case operation::normal:
      return "A^T (A x)";
  }
  return "";
}
// What a matrix computes where its transpose computes `op`; the transpose of A has no part in A^T (A x).
constexpr operation turned(operation op) {
  return op == operation::multiply     ? operation::transposed
         : op == operation::transposed ? operation::multiply
                                       : op;
}

// What each of them has.
template <class T>
struct per_operation {
  T multiply = {}, transposed = {}, both = {}, normal = {};
  constexpr const T& operator()(operation op) const {
    return op == operation::multiply     ? multiply
           : op == operation::transposed ? transposed
           : op == operation::both       ? both
                                         : normal;
  }
};
template <class T>
constexpr per_operation<T> turned(const per_operation<T>& each) {
  return {each.transposed, each.multiply, each.both, {}};
}

// How a kernel works, beside what its format's arrays tell. It is all about the arrays as they are stored: A
// x of a kernel of CSC, whose arrays are the CSR of A^T, is here what CSR's kernel calls A^T x. The weights
// of a prediction were fitted with these numbers, so that who changes one here fits them anew
// (docs/model/fit.py).
struct kernel_facts {
  // Who walks a row of CSR, ELL or SELL.
  enum class rows {
    unstated,       // a kernel that says so has no facts, and no predictions
    balanced,       // rows are cut wherever that balances the work: nobody waits for a row
    lanes,          // `lanes` neighbouring threads share a row
    fitting_lanes,  // 2 to 32 lanes, as most rows ask for; a row that takes them more than a round is a
                    // warp's
    classes         // a thread takes a short row, a warp a medium one, a thread block a long one
  };
  rows walk = rows::unstated;
  int lanes = 1;
  // Entries of a row that are walked at once, and the most that one team walks of a row; 0: all of it.
  int at_once = 1;
  std::int64_t longest_piece = 0;
  // Rows plus entries that a team walks one after another; 0: it takes one row.
  int items_in_turn = 0;
  // Of `fitting_lanes`: the loads of a lane in a round, and what a longer row costs beside its own, in lanes.
  int loads_at_once = 1, lanes_of_longer_row = 0;
  // Of `classes`: where medium and long rows begin, and the threads that take a long one.
  int shortest_medium_row = 0, shortest_long_row = 0, block_threads = 1;

  // Additions to y that threads share.
  enum class adds {
    none,
    every,  // one for every entry or slot
    runs    // one for every run of equal outputs in `run` entries
  };
  per_operation<adds> additions = {};
  int run = 1;

  per_operation<int> launches = {};
  int launches_to_renumber = 0;  // more, where the matrix has other numbers for rows and columns
  int launches_for_rest = 0;     // more, where diagonals leave a rest

  // The sides of square blocks of BSR, a bit each, that need no division to find an entry's place. The fit
  // takes them to be the same for all kernels of a backend.
  std::uint32_t compiled_sides = 0;

  // Layout tile: the thread blocks that share its steps, at least so many steps each, and from how many bytes
  // of sums a warp on there are half as many warps. The fit takes them to be as they are here.
  struct {
    int shares_a_processor = 4, least_steps = 64, bytes_of_sums = 8192;
  } tiles = {};

  constexpr bool stated() const { return walk != rows::unstated; }
  constexpr bool compiles_side(std::int64_t side) const {
    return side >= 0 && side < 32 && (compiled_sides >> side & 1) != 0;
  }
};

constexpr std::uint32_t sides_in_bits(std::initializer_list<int> sides) {
  std::uint32_t bits = 0;
  for (const int side : sides) bits |= std::uint32_t{1} << side;
  return bits;
}

// A matrix in its format as far as it is known before it is made, or as far as a kernel that has it needs to
// look; the rest is left as it is here, which nobody refuses.
struct matrix_outline {
  std::int64_t rows = 0, cols = 0;
  std::int64_t entries = 0, blocks = 0;
  block_size block = {1, 1};                 // of BSR
  bool rows_in_order = true;                 // of SELL: none is moved by its sorting windows
  std::optional<ecsb_holding> holding = {};  // of eCSB; empty where the conversion decides
  bool all_finite = true;                    // the values
};

struct kernel_info {
  const char* name;         // format/schedule: the same on the command line, in JSON and in tests
  const char* description;  // one line
  const char* source;       // the document that describes it, "ours", or the vendor's library
  // Whether a run gives the same bits every time, on the same machine with the same number of threads.
  per_operation<bool> repeatable = {};
  // How many entries before and after a row's own, in the order of storage, enter its rounding error: those
  // that share a prefix sum with it.
  std::int32_t rounding_neighbours = 0;
  bool vendor = false;
  // Of a document, and kept as it is described there, but on none of the matrices of docs/model within 5 % of
  // the best of its product, warm or cold. To convert, check and time for it costs a race time and does not
  // change its verdict: it takes part only where it is asked for (analyze/recommend/field.hpp).
  bool history = false;
  per_operation<bool> computes = {true, true, false, false};
  kernel_facts facts = {};
  // Whose fitted numbers predict it where it has none of its own: those of a library that not every build
  // has may never have been fitted.
  const char* predicted_as = nullptr;

  // What follows is for tables to fill in.
  // Products with several vectors read A once for many of them; else A is read for each.
  bool many_vectors = false;
  // Of the kernel whose code it runs where that has another name: CSC's run CSR's.
  const char* code_name = nullptr;
  // Why it would not take such a matrix, about the arrays as they are stored; null where it takes all.
  std::string (*why_not_expected)(const matrix_outline& matrix, operation op) = nullptr;

  constexpr const char* code() const { return code_name != nullptr ? code_name : name; }
};

// What a kernel that computes from the arrays of A says where they hold A^T.
constexpr kernel_info turned(kernel_info info) {
  info.repeatable = turned(info.repeatable);
  info.computes = turned(info.computes);
  return info;
}

inline std::string no_product_with(operation op) {
  if (op == operation::both || op == operation::normal)
    return std::string("it does not compute ") + name_of(op) + " in one pass";
  return std::string("it has no product with ") + (op == operation::multiply ? "A" : "A^T");
}

}  // namespace sparsmith
