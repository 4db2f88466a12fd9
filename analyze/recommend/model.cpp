#include "analyze/recommend/model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "analyze/recommend/model_table.hpp"

namespace sparsmith {
namespace {

// What is known of a kernel's way to work beside its format.
struct kernel_facts {
  std::string_view name;
  // How many neighbouring threads share a row; 0: as csr/vector shares them; -1: rows are cut where that
  // balances them; -2: a thread for short rows, a warp for medium ones, a block for long ones.
  int lanes;
  // Additions to y in A x and in A^T x: none, one an entry (slot), one for every run of equal outputs in so
  // many entries.
  enum class adds { none, every, runs } ax, atx;
  int run = 32;
  int launches_ax = 1, launches_atx = 2;
};
using adds = kernel_facts::adds;

constexpr kernel_facts cuda_kernels[] = {
    {"csr/thread", 1, adds::none, adds::every},
    {"csr/warp", 32, adds::none, adds::every},
    {"csr/vector", 0, adds::none, adds::every},
    {"csr/bins", 32, adds::none, adds::every},
    {"csr/hybrid", -2, adds::none, adds::every},
    {"csr/merge", -1, adds::none, adds::every, 32, 2},
    {"csr/cusparse-alg1", -1, adds::none, adds::every},
    {"csr/cusparse-alg2", -1, adds::none, adds::every, 32, 2, 2},
    {"coo/atomic", -1, adds::every, adds::every, 32, 2, 2},
    {"coo/stride-1", -1, adds::every, adds::every, 32, 2, 2},
    {"coo/stride-warp", -1, adds::every, adds::every, 32, 2, 2},
    {"coo/stride-block", -1, adds::every, adds::every, 32, 2, 2},
    {"coo/stride-grid", -1, adds::every, adds::every, 32, 2, 2},
    {"coo/scan-32", -1, adds::runs, adds::every, 32, 2, 2},
    {"coo/scan-1024", -1, adds::runs, adds::every, 1024, 2, 2},
    {"coo/segscan-32", -1, adds::runs, adds::every, 32, 2, 2},
    {"coo/segscan-1024", -1, adds::runs, adds::every, 1024, 2, 2},
    {"coo/segscan-32-block", -1, adds::runs, adds::every, 32, 2, 2},
    {"coo/cusparse-alg1", -1, adds::runs, adds::every, 128, 2, 2},
    {"coo/cusparse-alg2", -1, adds::none, adds::every, 128, 2, 2},
    {"ell/thread", 1, adds::none, adds::every},
    {"ell/split", 1, adds::none, adds::every},
    {"sell/thread", 1, adds::none, adds::every},
    {"sell/split", 1, adds::none, adds::every},
    {"sell/cusparse", 1, adds::none, adds::every},
    {"hyb/thread", 1, adds::none, adds::every, 32, 2, 3},
    {"bsr/row-major", -1, adds::none, adds::every},
    {"bsr/private", -1, adds::none, adds::every},
    {"bsr/team", -1, adds::none, adds::every},
    {"bsr/unrolled", -1, adds::none, adds::every},
    {"bsr/stream", 32, adds::none, adds::none, 32, 1, 1},
    {"bsr/cusparse", 32, adds::none, adds::every},
    {"bsr/cusparse-bsrmv", 32, adds::none, adds::every},
    {"csb/block", -1, adds::every, adds::every, 32, 2, 2},
    {"gcsb/lane", -1, adds::every, adds::every, 32, 2, 2},
    {"ecsb/coo", -1, adds::every, adds::every, 32, 2, 2},
    {"ecsb/ell", -1, adds::every, adds::every, 32, 2, 2},
    {"ecsb/hyb", -1, adds::every, adds::every, 32, 3, 3},
    {"gcsb/tile", -1, adds::none, adds::none, 32, 3, 3},
};

// CSC's kernels are CSR's.
std::string own_name(const kernel_info& kernel) {
  const std::string name = kernel.name;
  return name.starts_with("csc/") ? "csr" + name.substr(3) : name;
}

const kernel_facts* facts_of(const std::string& backend, const std::string& name) {
  // A CPU's threads sum up for themselves: no atomics, and rows are not shared.
  static constexpr kernel_facts on_cpu{"", -1, adds::none, adds::none, 1, 1, 1};
  if (backend == openmp::name) return &on_cpu;
  for (const kernel_facts& f : cuda_kernels)
    if (f.name == name) return &f;
  return nullptr;
}

double number(std::int64_t count) {
  return static_cast<double>(count);
}

// What the terms are computed from: one product as the arrays of its format see it.
struct product {
  const kernel_facts* facts = nullptr;
  bool transposed = false;  // the product with A^T of what is stored
  double inputs = 0, outputs = 0;
  double slots = 0, arrays = 0, vectors = 0, lane_slots = 0, atomics = 0, contended = 0, chain = 0,
         blocks = 0, lines = 0, launches = 0;
};

double lanes_slots(const model_matrix::side& rows, int lanes) {
  double sum = 0;
  for (const size_count& l : rows.lengths) sum += number(l.count) * std::ceil(number(l.size) / lanes) * lanes;
  return sum;
}

// What the kernels of layout tile cut their work into; the numbers are those of the kernel that was fitted.
struct tile_chunks {
  double steps = 0, count = 0;
};
tile_chunks chunks_of(const format_cost& cost, double outputs, double out_side, int processors) {
  const double steps = number(cost.slots - cost.rest) / cost.options.tile.group_size;
  const double each = std::clamp(steps / (16.0 * std::max(processors, 1)), 64.0, 1024.0);
  return {each, std::max(std::ceil(outputs / out_side), steps / each)};
}

// CSR, by rows: lanes that wait for others, and entries that one after another are walked.
void walk_rows(const std::string& backend, const std::string& name, const model_matrix& matrix, product& p) {
  const model_matrix::side& rows = matrix.rows;
  const double count = number(rows.count), longest = number(rows.longest), entries = number(matrix.entries);
  if (backend == openmp::name) {
    // The less a row's length can be foreseen, the more often the end of its loop is not.
    double bits = 0;
    for (const size_count& l : rows.lengths)
      bits -= number(l.count) / count * std::log2(number(l.count) / count);
    p.lane_slots = entries + count * bits;
    return;
  }
  const int lanes = p.facts->lanes;
  if (lanes == 0) {
    // As many lanes as cost least in rounds of 4 loads; a row that needs more rounds is a warp's, or a piece
    // of it a thread block's.
    double least = std::numeric_limits<double>::infinity();
    for (int own = 2; own <= 32; own *= 2) {
      double cost = 0;
      for (const size_count& l : rows.lengths) {
        const double rounds = std::max(1.0, std::ceil(number(l.size) / 128));
        cost += number(l.count) * (own == 32                   ? 32 * rounds
                                   : number(l.size) <= 4 * own ? own
                                                               : own + 8 + 32 * rounds);
      }
      least = std::min(least, cost);
    }
    p.lane_slots = 4 * least;
    p.chain = std::min(longest, 2048.0) / 256;
  } else if (lanes == 1) {
    p.lane_slots = matrix.thread_slots;
    p.chain = longest;
  } else if (lanes > 1) {
    p.lane_slots = lanes_slots(rows, lanes);
    p.chain = longest / lanes;
    // A warp walks the rows of a bin, of 512 rows and entries, one after another.
    if (name == "csr/bins") p.chain += std::min(512 / (rows.mean + 1), count);
  } else if (lanes == -2) {
    // Shorter than 16 entries, than 2048, and longer: a thread, a warp, a block of 256 threads each.
    p.lane_slots = 0;
    for (const size_count& l : rows.lengths) {
      const double length = number(l.size), team = length < 16 ? 1 : length < 2048 ? 32 : 256;
      p.lane_slots += number(l.count) * std::ceil(length / team) * team;
      p.chain = std::max(p.chain, length / team);
    }
  } else {
    p.lane_slots = entries + count;
  }
}

// BSR: some squares have code of their own; others are walked place by place, on a GPU by as many lanes as a
// warp has.
void walk_blocks(const std::string& backend, const model_matrix& matrix, block_size block, product& p) {
  const bool own_code =
      block.rows == block.cols &&
      (backend == openmp::name ? block.rows == 8 || (block.rows >= 2 && block.rows <= 5)
                               : (block.rows >= 2 && block.rows <= 6) || block.rows == 8 || block.rows == 16);
  p.lane_slots = p.slots * (1 + (own_code ? 0 : std::ceil(number(block.area()) / 32)));
  p.chain =
      (p.transposed ? number(matrix.cols.longest) * block.cols : number(matrix.rows.longest) * block.rows) /
      32;
}

// Layout tile: a warp keeps a sum for every output of its tile. The more bytes that takes, the fewer warps
// there are; and every chunk adds its sums to y.
void walk_tiles(const model_matrix& matrix, const format_cost& cost, int processors, product& p) {
  const double side = p.transposed ? cost.options.tile.width : cost.options.tile.height;
  const tile_chunks chunks = chunks_of(cost, p.outputs, side, processors);
  p.lane_slots = p.slots * (1 + side * matrix.value_bytes / 8192);
  p.chain = chunks.steps;
  p.outputs += chunks.count * side;
}

// Additions that threads share, of them those to the fullest output.
void count_atomics(const model_matrix& matrix, const format_cost& cost, product& p) {
  const adds how = p.transposed ? p.facts->atx : p.facts->ax;
  const double heaviest = number((p.transposed ? matrix.cols : matrix.rows).longest),
               rest = number(cost.rest);
  if (how == adds::every) {
    p.atomics = p.slots;
    p.contended = heaviest;
  } else if (how == adds::runs) {
    p.atomics = number(matrix.rows.count) + number(matrix.entries) / p.facts->run;
    p.contended = heaviest / p.facts->run;
  } else if (cost.format == format_kind::hyb) {
    p.atomics = rest / 4;
    p.contended = heaviest / 32;
  } else if (cost.format == format_kind::gcsb_tile) {
    p.atomics = rest;
    p.contended = rest > 0 ? heaviest / 32 : 0;
  }
}

product product_of(const std::string& backend, const kernel_info& kernel, operation op,
                   const model_matrix& given, const format_cost& cost, bool of_transpose, int processors) {
  product p;
  const std::string name = own_name(kernel);
  p.facts = facts_of(backend, name);
  if (p.facts == nullptr) return p;
  // CSC is A^T stored as CSR.
  const bool turned_over = of_transpose || cost.format == format_kind::csc;
  const model_matrix matrix = turned_over ? given.turned() : given;
  p.transposed = (op == operation::transposed) != turned_over;
  p.outputs = number((p.transposed ? matrix.cols : matrix.rows).count);
  p.inputs = number((p.transposed ? matrix.rows : matrix.cols).count);
  p.slots = p.lane_slots = number(std::max(cost.slots, matrix.entries));
  p.arrays = number(cost.bytes);
  p.vectors = (p.inputs + p.outputs) * matrix.value_bytes;
  p.blocks = number(cost.blocks);
  p.lines = matrix.x_lines;
  p.launches = p.transposed ? p.facts->launches_atx : p.facts->launches_ax;

  switch (cost.format) {
    case format_kind::csr:
    case format_kind::csc:
      walk_rows(backend, name, matrix, p);
      break;
    case format_kind::bsr:
      walk_blocks(backend, matrix, cost.options.bsr_block, p);
      break;
    case format_kind::ell:
    case format_kind::sell:
      p.chain = number(matrix.rows.longest);
      // A thread block takes 256 slots of 32 rows, 8 warps 8 slots at once.
      if (name.ends_with("/split")) p.chain = std::min(p.chain, 256.0) / 64;
      break;
    case format_kind::hyb:
      p.chain = number(cost.width);
      break;
    case format_kind::csb:
    case format_kind::gcsb:
      p.chain = cost.blocks > 0 ? p.slots / p.blocks : 0;
      break;
    case format_kind::gcsb_tile:
      walk_tiles(matrix, cost, processors, p);
      p.launches = 2 + (cost.renumbered ? 1 : 0);
      break;
    case format_kind::coo:
    case format_kind::ecsb:
      break;
  }
  if (backend == openmp::name) p.chain = 0;  // chunks of equal work
  count_atomics(matrix, cost, p);
  return p;
}

}  // namespace

model_matrix model_matrix::turned() const {
  model_matrix other = *this;
  std::swap(other.rows, other.cols);
  // Neighbouring columns are as unlike as columns are.
  other.thread_slots = number(entries) * (1 + other.rows.variation);
  return other;
}

model_matrix model_matrix_of(const matrix_features& features, std::int64_t unsorted_slots, int value_bytes) {
  const auto side_of = [](const length_features& l) {
    return model_matrix::side{l.lines, l.distribution, l.mean, l.variation, l.lengths.most};
  };
  model_matrix m;
  m.rows = side_of(features.row_lengths);
  m.cols = side_of(features.col_lengths);
  m.entries = features.entries;
  m.x_lines = number(features.x_lines);
  m.thread_slots = number(unsorted_slots);
  m.value_bytes = value_bytes;
  m.all_finite = features.nans == 0 && features.infinities == 0;
  return m;
}

std::string why_not_expected(const kernel_info& kernel, operation op, const model_matrix& matrix,
                             const format_cost& cost, bool of_transpose) {
  const operation stored_op = of_transpose ? turned(op) : op;
  if (!kernel.computes(stored_op))
    return std::string("it has no product with ") + (stored_op == operation::multiply ? "A" : "A^T");
  const std::string_view name = kernel.name;
  if (name == "sell/cusparse" && cost.options.sell.sigma > 1)
    return "cuSPARSE's SELL keeps rows in their order, and these are sorted by length";
  if (name == "ecsb/coo" || name == "ecsb/ell" || name == "ecsb/hyb") {
    const ecsb_holding own = name == "ecsb/coo"   ? ecsb_holding::coo
                             : name == "ecsb/ell" ? ecsb_holding::ell
                                                  : ecsb_holding::hybrid;
    const ecsb_holding held = cost.options.blocks.holding.value_or(own);
    if (held != own)
      return std::string("the matrix is held as ") + name_of(held) + ", not as " + name_of(own);
  }
  if (name.starts_with("bsr/cusparse")) {
    const block_size block = cost.options.bsr_block;
    if (block.rows != block.cols) return "cuSPARSE takes square blocks";
    if (name == "bsr/cusparse-bsrmv" && block.rows < 2) return "bsrmv takes blocks of side 2 or more";
    if (matrix.rows.count % block.rows != 0 || matrix.cols.count % block.cols != 0)
      return "cuSPARSE reads x and writes y by whole blocks, and these hang over the edge of the matrix";
  }
  if (name.starts_with("coo/scan-") && !matrix.all_finite)
    return "prefix sums would carry values that are not finite into other rows";
  return {};
}

kernel_work work_of(const std::string& backend, const kernel_info& kernel, operation op,
                    const model_matrix& matrix, const format_cost& cost, bool of_transpose) {
  const product p = product_of(backend, kernel, op, matrix, cost, of_transpose, 1);
  if (p.facts == nullptr) return {};
  // A chunk of tiles is no row that somebody waits for: it is cut to fit the GPU.
  const double longest = cost.format == format_kind::gcsb_tile ? 0 : p.chain;
  return {p.arrays + p.vectors, p.atomics, p.launches, longest};
}

model_terms terms_of(const machine_rates& rates, const std::string& backend, const kernel_info& kernel,
                     operation op, const model_matrix& matrix, const format_cost& cost, bool of_transpose,
                     bool warm) {
  const product p = product_of(backend, kernel, op, matrix, cost, of_transpose, rates.processors);
  if (p.facts == nullptr) return {};
  const double cache = number(rates.cache_bytes);
  // What is left in the cache from one product to the next: all of it, or with what is beyond it less and
  // less.
  const double resident = p.arrays + p.vectors;
  const double kept = !warm ? 0 : resident <= 0.5 * cache ? 1 : std::max(0.0, 1.5 - resident / cache);
  const double read = kept / rates.cached_read_bytes + (1 - kept) / rates.read_bytes;
  // x is gathered from the cache, but for the first time where nothing is kept, and where it does not fit.
  const double x_bytes = p.inputs * matrix.value_bytes;
  const double beyond = std::max(0.0, 1 - cache / std::max(x_bytes, 1.0));
  const double first_time = (1 - kept) * std::min(p.lines, x_bytes / 128);
  const double gather = 1 / rates.cached_gathers;
  constexpr double step = 1e-9;  // of a chain of dependent entries: the fit says how many ns one takes
  return {p.launches * rates.launch_seconds,
          p.arrays * read,
          p.vectors * read,
          p.outputs * gather,
          p.slots * gather,
          p.lines * gather,
          (first_time + p.lines * beyond) / rates.gathers,
          std::max(0.0, p.lane_slots - p.slots) * gather,
          p.atomics / rates.atomics,
          p.contended / rates.contended_atomics,
          p.chain * step,
          p.blocks * gather};
}

prediction predict(const machine_rates& rates, const std::string& backend, const kernel_info& kernel,
                   operation op, const model_matrix& matrix, const format_cost& cost, bool of_transpose) {
  prediction expected;
  expected.warm_terms = terms_of(rates, backend, kernel, op, matrix, cost, of_transpose, true);
  expected.cold_terms = terms_of(rates, backend, kernel, op, matrix, cost, of_transpose, false);
  // A second copy in CSR's format is fitted as CSC's kernels are: by what it does.
  const bool turned_over = of_transpose || cost.format == format_kind::csc;
  const operation stored_op = turned_over ? turned(op) : op;
  const std::string name = own_name(kernel);
  for (const fitted_kernel& f : fitted_kernels()) {
    if (backend != f.backend || name != f.kernel || stored_op != f.op) continue;
    for (std::size_t i = 0; i < term_names.size(); ++i) {
      expected.warm += f.warm[i] * expected.warm_terms[i];
      expected.cold += f.cold[i] * expected.cold_terms[i];
    }
  }
  return expected;
}

double predict_conversion(const machine_rates& rates, const std::string& backend, const model_matrix& matrix,
                          const format_cost& cost, bool of_transpose) {
  if (cost.format == format_kind::csr && !of_transpose) return 0;
  const double entries = number(matrix.entries), bytes = number(cost.bytes);
  double seconds = 0;
  const auto add = [&](format_kind format) {
    for (const fitted_conversion& f : fitted_conversions())
      if (backend == f.backend && format == f.format)
        seconds += f.launches * rates.launch_seconds + f.entries * entries / rates.cached_gathers +
                   f.bytes * bytes / rates.read_bytes;
  };
  if (of_transpose) add(format_kind::csc);
  if (cost.format != format_kind::csr) add(cost.format);
  return seconds;
}

double model_record(const std::string& backend, const objective& wanted) {
  const bool ax = wanted.asks_for(operation::multiply), atx = wanted.asks_for(operation::transposed);
  for (const model_figures& f : fitted_figures())
    if (backend == f.backend) return f.share[ax && atx ? 2 : atx ? 1 : 0][wanted.warm ? 0 : 1];
  return 0;
}

std::string model_machine(const std::string& backend) {
  for (const model_figures& f : fitted_figures())
    if (backend == f.backend) return f.machine;
  return {};
}

}  // namespace sparsmith
