#include "analyze/recommend/model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "analyze/recommend/model_table.hpp"

namespace sparsmith {
namespace {

using adds = kernel_facts::adds;

double number(std::int64_t count) {
  return static_cast<double>(count);
}

// What the terms are computed from: one product as the arrays of its format see it.
struct product {
  kernel_facts facts = {};
  bool transposed = false;  // the product with A^T of what is stored
  adds additions = adds::none;
  double inputs = 0, outputs = 0;
  double slots = 0, arrays = 0, vectors = 0, lane_slots = 0, atomics = 0, contended = 0, chain = 0,
         blocks = 0, lines = 0, launches = 0;
  double fresh = 1;      // share of the entries above which, in the row before, none is stored
  double meeting = 0;    // launches that clear y for sums that several thread blocks add
  double scattered = 0;  // atomic additions of fresh entries
  double crowded = 0;    // additions, the fewer lines of outputs they go to the more each counts
};

double lanes_slots(const model_matrix::side& rows, int lanes) {
  double sum = 0;
  for (const size_count& l : rows.lengths) sum += number(l.count) * std::ceil(number(l.size) / lanes) * lanes;
  return sum;
}

// Thread blocks of layout tile share the steps evenly, and where they are more than there are lines of tiles
// with the same outputs, several add their sums to the same ones.
struct tile_shares_expected {
  double steps = 0, count = 0, lines = 0;  // steps of all
  bool meet() const { return count > lines; }
};
tile_shares_expected shares_of(const kernel_facts& facts, const format_cost& cost, double slots,
                               double outputs, double out_side, int processors) {
  const double steps = slots / cost.options.tile.group_size;
  return {steps,
          std::clamp<double>(steps / facts.tiles.least_steps, 1,
                             facts.tiles.shares_a_processor * std::max(processors, 1)),
          std::ceil(outputs / out_side)};
}

// How many times an addition counts that goes to one of so few outputs: many meet in a line of the cache, the
// more the less evenly they are spread. Found on an H200, where 2000 lines and more are as good as any
// number.
double crowding(double outputs, double variation, int value_bytes) {
  constexpr double line_bytes = 128, enough_lines = 2000;
  const double lines = std::max(outputs * value_bytes / line_bytes, 0.5);
  return std::sqrt(enough_lines / std::max(lines / (1 + variation * variation), 0.5));
}

// Entries of the longest row that one after another are walked.
double chain_of(const kernel_facts& facts, double longest) {
  return (facts.longest_piece > 0 ? std::min(longest, number(facts.longest_piece)) : longest) / facts.at_once;
}

// Loads of all lanes, in whole rounds, with as many lanes a row as cost least; a row that needs more rounds
// is a warp's, or a piece of it a thread block's.
double least_rounds(const kernel_facts& facts, const model_matrix::side& rows) {
  double least = std::numeric_limits<double>::infinity();
  for (int own = 2; own <= 32; own *= 2) {
    double cost = 0;
    for (const size_count& l : rows.lengths) {
      const double rounds = std::max(1.0, std::ceil(number(l.size) / (32 * facts.loads_at_once)));
      cost += number(l.count) * (own == 32 ? 32 * rounds
                                 : number(l.size) <= facts.loads_at_once * own
                                     ? own
                                     : own + facts.lanes_of_longer_row + 32 * rounds);
    }
    least = std::min(least, cost);
  }
  return facts.loads_at_once * least;
}

// CSR, by rows: lanes that wait for others, and entries that one after another are walked.
void walk_rows(const std::string& backend, const model_matrix& matrix, product& p) {
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
  switch (p.facts.walk) {
    case kernel_facts::rows::fitting_lanes:
      p.lane_slots = least_rounds(p.facts, rows);
      p.chain = chain_of(p.facts, longest);
      break;
    case kernel_facts::rows::lanes:
      p.lane_slots = p.facts.lanes == 1 ? matrix.thread_slots : lanes_slots(rows, p.facts.lanes);
      p.chain = chain_of(p.facts, longest);
      if (p.facts.items_in_turn > 0) p.chain += std::min(p.facts.items_in_turn / (rows.mean + 1), count);
      break;
    case kernel_facts::rows::classes:
      p.lane_slots = 0;
      for (const size_count& l : rows.lengths) {
        const double length = number(l.size), team = length < p.facts.shortest_medium_row ? 1
                                                     : length < p.facts.shortest_long_row
                                                         ? 32
                                                         : p.facts.block_threads;
        p.lane_slots += number(l.count) * std::ceil(length / team) * team;
        p.chain = std::max(p.chain, length / team);
      }
      break;
    case kernel_facts::rows::balanced:
    case kernel_facts::rows::unstated:
      p.lane_slots = entries + count;
      break;
  }
}

// BSR: some squares have code of their own; others are walked place by place, on a GPU by as many lanes as a
// warp has.
void walk_blocks(const model_matrix& matrix, block_size block, product& p) {
  const bool own_code = block.rows == block.cols && p.facts.compiles_side(block.rows);
  p.lane_slots = p.slots * (1 + (own_code ? 0 : std::ceil(number(block.area()) / 32)));
  p.chain =
      (p.transposed ? number(matrix.cols.longest) * block.cols : number(matrix.rows.longest) * block.rows) /
      32;
}

// Layout tile: a warp keeps a sum for every output of its tile. The more bytes that takes, the fewer warps
// there are. Where shares meet, y is cleared first and each adds its sums to it.
void walk_tiles(const std::string& backend, const model_matrix& matrix, const format_cost& cost,
                int processors, product& p) {
  const double side = p.transposed ? cost.options.tile.width : cost.options.tile.height;
  p.lane_slots = p.slots * (1 + side * matrix.value_bytes / p.facts.tiles.bytes_of_sums);
  if (backend == openmp::name) return;
  const tile_shares_expected shares = shares_of(p.facts, cost, p.slots, p.outputs, side, processors);
  p.chain = shares.steps / shares.count;
  // Sums of the mirror images leave where a tile ends.
  if (cost.format == format_kind::gcsb_tile_half) p.atomics = number(cost.blocks) * cost.options.tile.width;
  if (!shares.meet()) return;
  p.meeting = 1;
  p.atomics += shares.count * side;
  p.contended = shares.count / shares.lines;
  p.crowded = p.atomics * matrix.value_bytes / 128 * crowding(p.outputs, 0, matrix.value_bytes);
}

// Additions that threads share, of them those to the fullest output.
void count_atomics(const model_matrix& matrix, const format_cost& cost, product& p) {
  const adds how = p.additions;
  const double heaviest = number((p.transposed ? matrix.cols : matrix.rows).longest),
               rest = number(cost.rest);
  if (how == adds::every) {
    p.atomics = p.slots;
    p.contended = heaviest;
  } else if (how == adds::runs) {
    p.atomics = number(matrix.rows.count) + number(matrix.entries) / p.facts.run;
    p.contended = heaviest / p.facts.run;
  } else if (cost.format == format_kind::hyb) {
    p.atomics = rest / 4;
    p.contended = heaviest / 32;
  } else if (cost.format == format_kind::dia || cost.format == format_kind::dia_half) {
    p.atomics = rest / (cost.format == format_kind::dia_half ? 2 : 4);  // every entry of a half twice
    p.contended = rest > 0 ? heaviest / 32 : 0;
  } else if (is_in_tiles(cost.format)) {
    p.atomics += cost.format == format_kind::gcsb_tile_half ? 2 * rest : rest;
    p.contended += rest > 0 ? heaviest / 32 : 0;
  }
}

// One product, or its part of two in one pass: those are `whole`, and add as the kernel says of them.
product part_of(const std::string& backend, const kernel_facts& facts, operation whole, operation op,
                const model_matrix& given, const format_cost& cost, bool of_transpose, int processors) {
  product p;
  p.facts = facts;
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
  p.fresh = matrix.entries > 0 ? 1 - matrix.below / number(matrix.entries) : 1;
  const operation stored_op = p.transposed ? operation::transposed : operation::multiply;
  p.additions = facts.additions(is_plain(whole) ? stored_op : whole);
  p.launches = facts.launches(is_plain(whole) ? stored_op : whole) +
               (cost.renumbered ? facts.launches_to_renumber : 0) +
               (cost.rest > 0 ? facts.launches_for_rest : 0);

  switch (cost.format) {
    case format_kind::csr:
    case format_kind::csc:
    case format_kind::csr_half:
      walk_rows(backend, matrix, p);
      break;
    case format_kind::bsr:
    case format_kind::bsr_half:
      walk_blocks(matrix, cost.options.bsr_block, p);
      break;
    case format_kind::ell:
    case format_kind::sell:
      p.chain = chain_of(p.facts, number(matrix.rows.longest));
      break;
    case format_kind::hyb:
      p.chain = number(cost.width);
      break;
    case format_kind::csb:
    case format_kind::gcsb:
      p.chain = cost.blocks > 0 ? p.slots / p.blocks : 0;
      break;
    case format_kind::gcsb_tile:
    case format_kind::gcsb_tile_half:
      walk_tiles(backend, matrix, cost, processors, p);
      break;
    case format_kind::dia:
    case format_kind::dia_half:
      p.chain = number(cost.blocks);
      break;
    case format_kind::coo:
    case format_kind::ecsb:
      break;
  }
  if (backend == openmp::name) p.chain = 0;  // chunks of equal work
  const double shared_sums = p.atomics;
  count_atomics(matrix, cost, p);
  p.scattered = (p.atomics - shared_sums) * p.fresh;
  if (p.transposed) p.crowded += p.scattered * crowding(p.outputs, matrix.cols.variation, matrix.value_bytes);
  return p;
}

product product_of(const std::string& backend, const kernel_info& kernel, operation op,
                   const model_matrix& matrix, const format_cost& cost, bool of_transpose, int processors) {
  if (!kernel.facts.stated()) return {};
  const auto part = [&](const kernel_facts& facts, operation of_part) {
    return part_of(backend, facts, op, of_part, matrix, cost, of_transpose, processors);
  };
  if (is_plain(op)) return part(kernel.facts, op);
  // Additions that are shared count with A^T's product alone; where A's has as many, the fit makes up for it.
  const operation stored_multiply =
      of_transpose || cost.format == format_kind::csc ? operation::transposed : operation::multiply;
  kernel_facts alone = kernel.facts;
  alone.additions = {};
  product p = part(alone, stored_multiply);
  const product second = part(kernel.facts, turned(stored_multiply));
  // The arrays are read once; the rest is done for each.
  p.inputs += second.inputs;
  p.outputs += second.outputs;
  p.vectors += second.vectors;
  p.slots += second.slots;
  p.lane_slots += second.lane_slots;
  p.atomics += second.atomics;
  p.contended += second.contended;
  p.chain += second.chain;
  p.blocks += second.blocks;
  p.lines += second.lines;
  p.scattered += second.scattered;
  p.crowded += second.crowded;
  p.meeting += second.meeting;
  return p;
}

}  // namespace

model_matrix model_matrix::turned() const {
  model_matrix other = *this;
  std::swap(other.rows, other.cols);
  std::swap(other.below, other.beside);
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
  m.below = number(features.row_below);
  m.beside = number(features.next_column);
  m.thread_slots = number(unsorted_slots);
  m.value_bytes = value_bytes;
  m.all_finite = features.nans == 0 && features.infinities == 0;
  return m;
}

matrix_outline outline_of(const model_matrix& matrix, const format_cost& cost, bool of_transpose) {
  matrix_outline known;
  known.rows = matrix.rows.count;
  known.cols = matrix.cols.count;
  if (of_transpose || cost.format == format_kind::csc) std::swap(known.rows, known.cols);
  known.entries = matrix.entries;
  known.blocks = cost.blocks;
  known.block = cost.options.bsr_block;
  known.rows_in_order = cost.options.sell.sigma <= 1;
  known.holding = cost.options.blocks.holding;
  known.all_finite = matrix.all_finite;
  return known;
}

std::string why_not_expected(const kernel_info& kernel, operation op, const model_matrix& matrix,
                             const format_cost& cost, bool of_transpose) {
  const operation of_format = of_transpose ? turned(op) : op;
  if (!kernel.computes(of_format)) return no_product_with(of_format);
  if (kernel.why_not_expected == nullptr) return {};
  return kernel.why_not_expected(outline_of(matrix, cost, of_transpose),
                                 cost.format == format_kind::csc ? turned(of_format) : of_format);
}

kernel_work work_of(const std::string& backend, const kernel_info& kernel, operation op,
                    const model_matrix& matrix, const format_cost& cost, bool of_transpose) {
  const product p = product_of(backend, kernel, op, matrix, cost, of_transpose, 1);
  if (!p.facts.stated()) return {};
  // A chunk of tiles is no row that somebody waits for: it is cut to fit the GPU.
  const double longest = is_in_tiles(cost.format) ? 0 : p.chain;
  return {p.arrays + p.vectors, p.atomics, p.launches, longest};
}

model_terms terms_of(const machine_rates& rates, const std::string& backend, const kernel_info& kernel,
                     operation op, const model_matrix& matrix, const format_cost& cost, bool of_transpose,
                     bool warm) {
  const product p = product_of(backend, kernel, op, matrix, cost, of_transpose, rates.processors);
  if (!p.facts.stated()) return {};
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
          p.blocks * gather,
          std::sqrt(p.launches * rates.launch_seconds * p.arrays * read),
          p.slots * p.fresh * gather,
          p.scattered / rates.atomics,
          p.crowded / rates.atomics,
          p.meeting * rates.launch_seconds};
}

prediction predict(const machine_rates& rates, const std::string& backend, const kernel_info& kernel,
                   operation op, const model_matrix& matrix, const format_cost& cost, bool of_transpose) {
  prediction expected;
  expected.warm_terms = terms_of(rates, backend, kernel, op, matrix, cost, of_transpose, true);
  expected.cold_terms = terms_of(rates, backend, kernel, op, matrix, cost, of_transpose, false);
  // A second copy in CSR's format is fitted as CSC's kernels are: by what it does.
  const bool turned_over = of_transpose || cost.format == format_kind::csc;
  const operation stored_op = turned_over ? turned(op) : op;
  const auto is_fitted = [&](std::string_view name) {
    return std::any_of(fitted_kernels().begin(), fitted_kernels().end(), [&](const fitted_kernel& f) {
      return backend == f.backend && name == f.kernel && stored_op == f.op;
    });
  };
  std::string_view code = kernel.code();
  if (kernel.predicted_as != nullptr && !is_fitted(code)) code = kernel.predicted_as;
  for (const fitted_kernel& f : fitted_kernels()) {
    if (backend != f.backend || code != f.kernel || stored_op != f.op) continue;
    for (std::size_t i = 0; i < term_names.size(); ++i) {
      expected.warm += expected.warm_parts[i] = f.warm[i] * expected.warm_terms[i];
      expected.cold += expected.cold_parts[i] = f.cold[i] * expected.cold_terms[i];
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

matrix_place place_of(const model_matrix& m) {
  const double entries = std::max(number(m.entries), 1.0);
  const auto over_mean = [](const model_matrix::side& s) {
    return s.mean > 0 ? 0.3 * std::log(std::max(number(s.longest), 1.0) / s.mean) : 0;
  };
  const auto size = [](double count) { return 0.3 * std::log(std::max(count, 1.0)); };
  return {size(entries),
          size(number(m.rows.count)),
          size(number(m.cols.count)),
          0.5 * std::log(0.1 + m.rows.variation),
          0.5 * std::log(0.1 + m.cols.variation),
          over_mean(m.rows),
          over_mean(m.cols),
          2 * m.x_lines / entries,
          2 * m.below / entries};
}

model_record record_of(const std::string& backend, const model_matrix& matrix, const objective& wanted) {
  constexpr std::size_t nearest = 10;
  const bool ax = wanted.asks_for(operation::multiply), atx = wanted.asks_for(operation::transposed);
  const std::size_t in = wanted.warm ? 0 : 1;
  std::size_t of = ax && atx ? 2 : atx ? 1 : 0;
  model_record record;
  for (const model_figures& f : fitted_figures())
    if (backend == f.backend) {
      // Where no pass for both was measured, the choice is one of two products.
      if (const std::size_t together = wanted.one_pass == operation::normal ? 4 : 3;
          wanted.one_pass && f.share[together][in] > 0)
        of = together;
      record.share = f.share[of][in];
      record.strangers = f.strangers[of][in];
      record.machine = f.machine;
    }
  const matrix_place here = place_of(matrix);
  std::vector<std::pair<double, double>> cases;  // how far away, and its share
  for (const fitted_case& f : fitted_cases()) {
    if (backend != f.backend || f.share[of][in] <= 0) continue;
    double distance = 0;
    for (std::size_t i = 0; i < here.size(); ++i) distance += (here[i] - f.place[i]) * (here[i] - f.place[i]);
    cases.emplace_back(distance, f.share[of][in]);
  }
  std::sort(cases.begin(), cases.end());
  cases.resize(std::min(cases.size(), nearest));
  if (cases.empty()) return record;
  std::vector<double> shares;
  for (const auto& [distance, share] : cases) shares.push_back(share);
  std::sort(shares.begin(), shares.end());
  record.near = static_cast<int>(shares.size());
  record.near_median = (shares[(shares.size() - 1) / 2] + shares[shares.size() / 2]) / 2;
  record.near_worst = shares.front();
  return record;
}

}  // namespace sparsmith
