// Every kernel of every table on a matrix, in all its operations, against the float64 reference: outputs are
// poisoned, alpha and beta are 0, 1 and -0.5, what lies past the end of y must not change, kernels that say
// so give the same bits twice, and a line runs the code that its name stands for.
#pragma once

#include <cstring>
#include <future>
#include <map>
#include <set>

#include "convert/convert.hpp"
#include "kernels/measure.hpp"
#include "kernels/reference.hpp"
#include "kernels/registry.hpp"
#include "tests/battery.hpp"
#include "tests/catch.hpp"
#include "tests/kernels/kernel_code.hpp"

namespace sparsmith::testing {

struct kernel_tally {
  std::map<std::string, std::int64_t> runs;               // by kernel
  std::map<std::string, std::set<std::string>> refusals;  // reasons by kernel, of what it computes
  std::int64_t total() const {
    std::int64_t sum = 0;
    for (const auto& [name, count] : runs) sum += count;
    return sum;
  }
};

// The lines of every table on one backend.
template <class Backend>
std::vector<kernel_info> kernels_on() {
  std::vector<kernel_info> kernels;
  for (const listed_kernel& k : all_kernels())
    if (k.backend == Backend::name) kernels.push_back(k.info);
  return kernels;
}

// Variants of the parameters that kernels care about. Together they visit every kernel.
inline std::vector<conversion_options> kernel_variants() {
  std::vector<conversion_options> all(4);
  for (conversion_options& o : all) o.max_fill = no_limit;
  all[0].blocks.holding = ecsb_holding::coo;
  all[0].tile = {256, 256, 32, 0, renumbering::none, 0};
  all[1].sell = {5, 12};
  all[1].hyb_width = 2;
  all[1].bsr_block = {5, 5};
  all[1].blocks.beta = 4;
  all[1].blocks.group_size = 7;
  all[1].blocks.holding = ecsb_holding::ell;
  all[1].dia_share = 0.3;
  all[1].tile = {512, 256, 8, 0, renumbering::length, 20};
  all[2].sell = {8, 1};  // rows in their own order, as the vendor's kernel wants them
  all[2].bsr_block = {3, 7};
  all[2].blocks.beta = 512;
  all[2].blocks.order = block_order::row;
  all[2].blocks.holding = ecsb_holding::hybrid;
  all[2].dia_share = 0.0001;  // all of a small matrix, but not the nearly empty ones of a large one
  all[2].tile = {2048, 1024, 16, 32, renumbering::length, 30};
  all[3].bsr_block = {33, 2};
  all[3].blocks.thesis = true;
  all[3].tile = {256, 512, 2, 0, renumbering::none, 1};
  return all;
}

template <class Value>
array<Value, host> random_vector(std::int64_t count, std::uint64_t seed) {
  random_source random(seed);
  array<Value, host> x(count);
  for (std::int64_t i = 0; i < count; ++i)
    x[i] = static_cast<Value>(static_cast<int>(random.below(2000)) - 999.5) / Value{1000};  // never 0
  return x;
}

// Small integers: every sum of them is exact, in any order and with any neighbours.
template <class Value>
array<Value, host> integer_vector(std::int64_t count, std::int64_t step) {
  array<Value, host> x(count);
  for (std::int64_t i = 0; i < count; ++i)
    x[i] = static_cast<Value>(i * step % 7 == 0 ? 5 : i * step % 7 - 3);
  return x;
}
template <class Offset, class Value>
csr<Offset, Value, host> with_integers(csr<Offset, Value, host>&& m) {
  const int sign = mirror_sign(m);
  m.values = integer_vector<Value>(m.values.size(), 5);
  // What has mirror images keeps them.
  std::map<std::pair<std::int32_t, std::int32_t>, Value> above;
  for (std::int32_t row = m.rows - 1; row >= 0 && sign != 0; --row)
    for (Offset e = m.row_offsets[row]; e < m.row_offsets[row + 1]; ++e) {
      const std::int32_t col = m.col_indices[e];
      if (col < row)
        above[{col, row}] = static_cast<Value>(sign) * m.values[e];
      else if (col == row && sign < 0)
        m.values[e] = 0;
      else if (col > row)
        m.values[e] = above.at({row, col});
    }
  return std::move(m);
}

struct check_options {
  bool with_vendor = true;
  // The matrix holds small integers: results must be equal, where the bound for long rows would let much
  // pass. Kernels are also run as they are timed, which on a GPU is from a graph.
  bool exact = false;
};

constexpr std::int64_t guard = 64;

template <class Value>
bool same_bits(const array<Value, host>& a, const array<Value, host>& b) {
  return a.size() == b.size() &&
         (a.size() == 0 ||
          std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(Value)) == 0);
}

// y as a run leaves it, with its guard.
template <class Backend, class Value>
array<Value, host> run_kernel(Backend on, const prepared_kernel<Value>& ready, Value alpha,
                              const array<Value, space_on<Backend>>& x, Value beta,
                              const array<Value, host>& y) {
  auto result = copy_to<space_on<Backend>>(y, place::host);
  ready.run(alpha, alpha == Value{0} ? nullptr : x.data(), beta, result.data());
  synchronize(on);
  return copy_to<host>(result, space_on<Backend>::where);
}

template <class Value>
std::int64_t first_wrong(const reference_product& expected, const array<Value, host>& y) {
  for (std::int64_t i = 0; i < expected.y.size(); ++i)
    if (!within(static_cast<double>(y[i]), expected.y[i], expected.bound[i])) return i;
  return -1;
}

template <class Backend, class Offset, class Value>
void check_kernels(Backend on, const std::string& name, const csr<Offset, Value, host>& matrix,
                   const std::vector<conversion_options>& variants, kernel_tally& tally,
                   check_options how = {}) {
  using space = space_on<Backend>;
  const auto source = copy_to<space>(matrix);
  const Backend timed =
      capturable(on);  // where kernels are run, so that they can be run from a graph as well
  const Value factors[] = {0, 1, Value{-0.5}};

  struct expectation {
    Value alpha, beta;
    array<Value, host> y;                               // before, with the guard
    std::map<std::int32_t, reference_product> product;  // by rounding neighbours
  };
  struct direction {
    array<Value, host> x;
    array<Value, space> device_x;
    std::vector<expectation> expected;
  };
  std::map<operation, direction> directions;
  for (const operation op : all_operations) {
    direction& d = directions[op];
    d.x = how.exact ? integer_vector<Value>(inputs(matrix, op), 3)
                    : random_vector<Value>(inputs(matrix, op), 11);
    d.device_x = copy_to<space>(d.x, place::host);
    for (const Value alpha : factors)
      for (const Value beta : factors) {
        const std::int64_t count = outputs(matrix, op) + guard;
        expectation e{
            alpha, beta, how.exact ? integer_vector<Value>(count, 2) : random_vector<Value>(count, 12), {}};
        if (beta == Value{0})
          std::fill(e.y.begin(), e.y.end() - guard, std::numeric_limits<Value>::quiet_NaN());
        for (const std::int32_t neighbours : {0, 32, 1024}) {
          reference_product& product = e.product[neighbours];
          product = multiply_reference(matrix, op, alpha, d.x.data(), beta, e.y.data(), neighbours);
          if (how.exact) std::fill(product.bound.begin(), product.bound.end(), 0.0);
        }
        d.expected.push_back(std::move(e));
      }
  }

  const bool finite = std::all_of(matrix.values.begin(), matrix.values.end(),
                                  [](Value value) { return std::isfinite(value); });
  const auto formats = formats_for(matrix);
  for (const conversion_options& options : variants)
    for (const format_kind format : formats) {
      any_format<Offset, Value, space> converted;
      try {
        converted = from_csr<Backend, Offset, Value>(on, view(source), format, options, nullptr);
      } catch (const error& e) {
        // Only for want of offsets or memory; the conversions have tests of their own.
        REQUIRE(e.category() == failure::resources);
        continue;
      }
      std::visit(
          [&](const auto& m) {
            const auto shown = view(m);
            for (const auto& line : kernels_of(shown)) {
              if (line.info.vendor && !how.with_vendor) continue;
              for (auto& [op, d] : directions) {
                INFO(name << ", " << line.info.name << ", " << name_of(op) << ", value " << sizeof(Value)
                          << ", offset " << sizeof(Offset));
                // A x, which is no number where the matrix holds none, then meets fill as x does.
                if (op == operation::normal && !finite &&
                    (format == format_kind::bsr || format == format_kind::dia))
                  continue;
                if (const std::string why = line.why_not(shown, op); !why.empty()) {
                  if (line.info.computes(op)) tally.refusals[line.info.name].insert(why);
                  continue;
                }
                const auto ready = line.prepare(timed, shown, op);
                INFO("which runs " << code_behind(ready));
                // Of CSC's both at once, CSR's is behind what lets the vectors change places.
                if (op != operation::both || line.info.code_name == nullptr)
                  CHECK(runs_code_of(line.info.name, ready));
                for (const expectation& e : d.expected) {
                  const auto y = run_kernel(timed, ready, e.alpha, d.device_x, e.beta, e.y);
                  ++tally.runs[line.info.name];
                  const reference_product& product = e.product.at(line.info.rounding_neighbours);
                  if (const std::int64_t wrong = first_wrong(product, y); wrong >= 0) {
                    FAIL_CHECK("alpha " << e.alpha << ", beta " << e.beta << ": y[" << wrong << "] is "
                                        << y[wrong] << ", not " << product.y[wrong] << " within "
                                        << product.bound[wrong]);
                    break;
                  }
                  const bool guarded =
                      std::memcmp(y.end() - guard, e.y.end() - guard, guard * sizeof(Value)) == 0;
                  if (!guarded) {
                    FAIL_CHECK("writes past the end of y");
                    break;
                  }
                  if (line.info.repeatable(op) &&
                      !same_bits(y, run_kernel(timed, ready, e.alpha, d.device_x, e.beta, e.y))) {
                    FAIL_CHECK("says that it gives the same bits every time, and does not");
                    break;
                  }
                }
                if (how.exact) {
                  const expectation& e = d.expected[3];  // alpha 1, beta 0
                  auto y = copy_to<space>(e.y, place::host);
                  take_samples(timed,
                               [&, &x = d.device_x] { ready.run(e.alpha, x.data(), e.beta, y.data()); },
                               {1, 1, 0, false});
                  CHECK(first_wrong(e.product.at(line.info.rounding_neighbours),
                                    copy_to<host>(y, space::where)) == -1);
                }
              }
            }
          },
          converted);
    }
}

// Every kernel, prepared by this thread and run by another one, which on a CPU may offer another number of
// threads than it was prepared for; 0: as many as a new thread has.
template <class Backend>
void check_from_another_thread(Backend on, const csr<std::int32_t, double, host>& matrix, int threads,
                               kernel_tally& tally) {
  using space = space_on<Backend>;
  const auto source = copy_to<space>(matrix);
  for (const conversion_options& options : kernel_variants())
    for (const format_kind format : formats_for(matrix)) {
      const auto converted =
          from_csr<Backend, std::int32_t, double>(on, view(source), format, options, nullptr);
      std::visit(
          [&](const auto& m) {
            const auto shown = view(m);
            for (const auto& line : kernels_of(shown))
              for (const operation op : all_operations) {
                if (!line.why_not(shown, op).empty()) continue;
                INFO(line.info.name << ", " << name_of(op) << ", run by " << threads << " threads");
                const auto x = random_vector<double>(inputs(matrix, op), 11);
                const auto own_x = copy_to<space>(x, place::host);
                const auto expected = multiply_reference<std::int32_t, double>(
                    matrix, op, 1.0, x.data(), 0.0, nullptr, line.info.rounding_neighbours);
                const auto before = random_vector<double>(outputs(matrix, op) + guard, 12);
                const auto ready = line.prepare(on, shown, op);
                const auto y = std::async(std::launch::async, [&] {
                                 if (threads > 0) set_thread_count(threads);
                                 return run_kernel(on, ready, 1.0, own_x, 0.0, before);
                               }).get();
                ++tally.runs[line.info.name];
                CHECK(first_wrong(expected, y) == -1);
                CHECK(std::memcmp(y.end() - guard, before.end() - guard, guard * sizeof(double)) == 0);
              }
          },
          converted);
    }
}

// One format of every kind that is padded, in the shapes that its kernels walk differently.
inline std::vector<std::pair<format_kind, conversion_options>> padded_variants() {
  std::vector<std::pair<format_kind, conversion_options>> all;
  const auto add = [&](format_kind format, auto choose) {
    conversion_options options;
    options.max_fill = no_limit;
    choose(options);
    all.emplace_back(format, options);
  };
  add(format_kind::ell, [](conversion_options&) {});
  for (const std::int32_t slice : {4, 8, 16, 20, 32, 64})
    for (const std::int32_t sigma : {1, 256})
      add(format_kind::sell, [&](conversion_options& o) { o.sell = {slice, sigma}; });
  for (const std::int32_t width : {3, 30})
    add(format_kind::hyb, [&](conversion_options& o) { o.hyb_width = width; });
  for (const ecsb_holding holding : {ecsb_holding::ell, ecsb_holding::hybrid})
    add(format_kind::ecsb, [&](conversion_options& o) {
      o.blocks.beta = 4;
      o.blocks.holding = holding;
    });
  for (const std::int32_t group : {7, 32})
    add(format_kind::gcsb, [&](conversion_options& o) {
      o.blocks.beta = 4;
      o.blocks.group_size = group;
    });
  for (const std::int32_t lanes : {8, 32})
    add(format_kind::gcsb_tile,
        [&](conversion_options& o) { o.tile = {256, 256, lanes, 0, renumbering::none, 0}; });
  for (const double share : {-1.0, 0.0, 0.1})
    add(format_kind::dia, [&](conversion_options& o) { o.dia_share = share; });
  for (const block_size block : {block_size{3, 3}, {5, 5}, {7, 3}, {2, 11}})
    add(format_kind::bsr, [&](conversion_options& o) { o.bsr_block = block; });
  return all;
}

// A row's padding repeats its last column, and that of an empty row the first: 0 times the infinities and
// NaNs there would make no number of what is infinite, or 0. Rows end before, at and after every border
// between the ways to walk them: equal rows, rows that differ by one slot or by many, narrow and wide ones.
// The zeros that fill a block of BSR or a diagonal of DIA do meet x, which is finite there; those of a block
// or a diagonal that reaches over the edge must not meet what lies behind it.
template <class Value, class Backend>
void check_padding(Backend on, kernel_tally& tally) {
  using space = space_on<Backend>;
  const auto length_in = [](int way, int row) {
    return way == 0 ? 7 : way == 1 ? 6 + row % 2 : way == 2 ? row * 5 % 9 : row * 7 % 23;
  };
  for (int way = 0; way < 4; ++way)
    for (const std::int32_t rows : {7, 8, 33, 1100}) {
      named_matrix m{"", rows, 40, {}};
      for (std::int32_t row = 0; row < rows; ++row)
        for (std::int32_t k = 0; k < length_in(way, row); ++k)
          m.entries.push_back({row, (row + k) % 40, 1.0 + (row + 3 * k) % 5});
      const auto matrix = coo_to_csr<openmp, std::int32_t, Value>(openmp{}, as_coo_of<Value>(m), nullptr);
      const auto source = copy_to<space>(matrix);
      for (const auto& variant : padded_variants()) {
        const format_kind format = variant.first;  // no bindings: clang 14 does not let lambdas see them
        const conversion_options& options = variant.second;
        const auto converted =
            from_csr<Backend, std::int32_t, Value>(on, view(source), format, options, nullptr);
        for (const operation op : all_operations) {
          const std::int64_t in = inputs(matrix, op), out = outputs(matrix, op);
          auto x = integer_vector<Value>(in + guard, 3);
          std::fill(x.end() - guard, x.end(), std::numeric_limits<Value>::quiet_NaN());
          if (format != format_kind::bsr && format != format_kind::dia)
            for (std::int64_t i = 0; i < in; i += 9)
              x[i] = i % 27 == 18 ? std::numeric_limits<Value>::quiet_NaN()
                                  : std::numeric_limits<Value>::infinity();
          const auto expected = multiply_reference<std::int32_t, Value>(matrix, op, 1, x.data(), 0, nullptr);
          const auto own_x = copy_to<space>(x, place::host);
          const array<Value, host> before = integer_vector<Value>(out, 2);
          std::visit(
              [&](const auto& stored) {
                const auto shown = view(stored);
                for (const auto& line : kernels_of(shown)) {
                  if (line.info.vendor || line.info.rounding_neighbours > 0 ||
                      !line.why_not(shown, op).empty())
                    continue;
                  const auto ready = line.prepare(on, shown, op);
                  const auto y = run_kernel(on, ready, Value{1}, own_x, Value{0}, before);
                  ++tally.runs[line.info.name];
                  const std::int64_t wrong = first_wrong(expected, y);
                  INFO(line.info.name << ", " << name_of(op) << ", " << rows << " rows of kind " << way
                                      << ", slice " << options.sell.slice << ", sigma "
                                      << options.sell.sigma);
                  INFO("y[" << wrong << "] is " << (wrong < 0 ? Value{0} : y[wrong]));
                  CHECK(wrong == -1);
                }
              },
              converted);
        }
      }
    }
}

// An infinite x where a half has nothing but entries: the triangle below the diagonal is fill in BSR's
// blocks, and entries on the main diagonal have no mirror images, also where DIA has them in its rest.
template <class Value, class Backend>
void check_infinities_of_halves(Backend on, kernel_tally& tally) {
  using space = space_on<Backend>;
  named_matrix full{"full", 7, 7, {}}, open{"few on the main diagonal", 40, 40, {{0, 0, 5}, {20, 20, 3}}},
      long_band{"of many tiles", 1100, 1100, {}};
  for (std::int32_t i = 0; i < 1100; ++i) {
    long_band.entries.push_back({i, i, i % 7 == 0 ? 0.0 : 1.0 + i % 5});
    for (const std::int32_t j : {i + 1, i + 300})
      if (j < 1100) {
        long_band.entries.push_back({i, j, 2.0 + i % 3});
        long_band.entries.push_back({j, i, 2.0 + i % 3});
      }
  }
  for (std::int32_t i = 0; i < 49; ++i) full.entries.push_back({i / 7, i % 7, 1.0 + i / 7 + i % 7});
  for (std::int32_t i = 0; i < 39; ++i) {
    open.entries.push_back({i, i + 1, 2.0 + i % 3});
    open.entries.push_back({i + 1, i, 2.0 + i % 3});
  }
  std::vector<std::pair<format_kind, conversion_options>> variants(4);
  variants[0].first = format_kind::csr_half;
  variants[1].first = format_kind::dia_half;
  variants[1].second.dia_share = 0.5;
  variants[2].first = variants[3].first = format_kind::gcsb_tile_half;
  variants[2].second.tile.rest_below = 0;
  variants[3].second.tile.rest_below = 1000;  // all entries are the rest
  for (const block_size block : {block_size{2, 2}, {3, 2}, {2, 3}, {4, 4}}) {
    variants.emplace_back(format_kind::bsr_half, conversion_options{});
    variants.back().second.bsr_block = block;
  }
  // Where tiles are not square, the main diagonal of one begins anywhere.
  for (const auto& [height, width, lanes] : {std::tuple{256, 512, 8}, {512, 256, 32}}) {
    variants.emplace_back(format_kind::gcsb_tile_half, conversion_options{});
    variants.back().second.tile = {height, width, lanes, 0, renumbering::none, 0};
  }
  for (const named_matrix* const m : {&full, &open, &long_band})
    for (const auto& variant : variants) {
      // Whose fill above it does meet x.
      if (m != &full && variant.first == format_kind::bsr_half) continue;
      conversion_options options = variant.second;
      options.max_fill = no_limit;
      const auto matrix = coo_to_csr<openmp, std::int32_t, Value>(openmp{}, as_coo_of<Value>(*m), nullptr);
      const auto source = copy_to<space>(matrix);
      const auto converted =
          from_csr<Backend, std::int32_t, Value>(on, view(source), variant.first, options, nullptr);
      for (const std::int32_t at : {0, 1, 3, 6, m->cols / 2, m->cols * 6 / 11, m->cols - 1}) {
        auto x = integer_vector<Value>(m->cols, 3);
        x[at] = std::numeric_limits<Value>::infinity();
        const auto own_x = copy_to<space>(x, place::host);
        const auto expected =
            multiply_reference<std::int32_t, Value>(matrix, operation::multiply, 1, x.data(), 0, nullptr);
        const array<Value, host> before = integer_vector<Value>(m->rows, 2);
        std::visit(
            [&](const auto& stored) {
              const auto shown = view(stored);
              for (const auto& line : kernels_of(shown))
                for (const operation op : plain_operations) {
                  const auto ready = line.prepare(on, shown, op);
                  const auto y = run_kernel(on, ready, Value{1}, own_x, Value{0}, before);
                  ++tally.runs[line.info.name];
                  INFO(line.info.name << ", " << name_of(op) << ", x[" << at << "] of " << m->name);
                  CHECK(first_wrong(expected, y) == -1);
                }
            },
            converted);
      }
    }
}

// The battery and a few generated matrices; int64 offsets on some.
template <class Backend>
void check_battery(Backend on, kernel_tally& tally) {
  int number = 0;
  for (const named_matrix& m : battery()) {
    const auto assembled = [&]<class Offset, class Value>() {
      return coo_to_csr<openmp, Offset, Value>(openmp{}, as_coo_of<Value>(m), nullptr);
    };
    check_kernels(on, m.name, assembled.template operator()<std::int32_t, float>(), kernel_variants(), tally);
    check_kernels(on, m.name, assembled.template operator()<std::int32_t, double>(), kernel_variants(),
                  tally);
    if (++number % 4 != 0) continue;
    check_kernels(on, m.name, assembled.template operator()<std::int64_t, float>(), kernel_variants(), tally);
    check_kernels(on, m.name, assembled.template operator()<std::int64_t, double>(), kernel_variants(),
                  tally);
  }
}

}  // namespace sparsmith::testing
