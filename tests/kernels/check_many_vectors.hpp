// Products with several vectors of every kernel of every table, vector by vector against the float64
// reference: by rows and by columns, with strides that leave room, whose values nobody may read or write.
#pragma once

#include <numeric>

#include "tests/kernels/check_kernels.hpp"

namespace sparsmith::testing {

template <class Value>
struct block_of_vectors {
  vector_layout as;
  std::int64_t length, stride;
  array<Value, host> values;

  // Room of three values after every line; all of it is `filling` at first.
  block_of_vectors(vector_layout layout, std::int64_t count, Value filling)
      : as(layout),
        length(count),
        stride((as.by_rows ? as.count : count) + 3),
        values(stride * (as.by_rows ? count : as.count) + guard) {
    std::fill(values.begin(), values.end(), filling);
  }
  Value& at(std::int64_t vector, std::int64_t i) {
    return values[as.by_rows ? i * stride + vector : vector * stride + i];
  }
};

// The vectors of one product and what is right for them, for as many as are asked for.
template <class Offset, class Value>
struct known_products {
  operation op;
  Value alpha, beta;
  std::vector<array<Value, host>> x, y;
  std::vector<reference_product> right;

  known_products(const csr<Offset, Value, host>& m, operation wanted, Value by, Value plus, int vectors,
                 bool with_nan)
      : op(wanted), alpha(by), beta(plus) {
    for (int v = 0; v < vectors; ++v) {
      x.push_back(random_vector<Value>(inputs(m, op), 20 + static_cast<std::uint64_t>(v)));
      if (with_nan && v == 1)
        std::fill(x.back().begin(), x.back().end(), std::numeric_limits<Value>::quiet_NaN());
      y.push_back(random_vector<Value>(outputs(m, op), 500 + static_cast<std::uint64_t>(v)));
      right.push_back(multiply_reference(m, op, alpha, x.back().data(), beta, y.back().data()));
    }
  }
};

template <class Backend, class Matrix, class Offset, class Value>
void check_many(Backend on, const kernel<Matrix>& line, const Matrix& shown,
                const known_products<Offset, Value>& known, vector_layout as) {
  using space = space_on<Backend>;
  const Value nan = std::numeric_limits<Value>::quiet_NaN(), untouched = Value{-77};
  const std::int64_t in = inputs(shown, known.op), out = outputs(shown, known.op);
  block_of_vectors<Value> x(as, in, nan), y(as, out, untouched);
  for (std::int64_t v = 0; v < as.count; ++v) {
    for (std::int64_t i = 0; i < in; ++i) x.at(v, i) = known.x[static_cast<std::size_t>(v)][i];
    for (std::int64_t i = 0; i < out; ++i)
      y.at(v, i) = known.beta == Value{0} ? nan : known.y[static_cast<std::size_t>(v)][i];
  }
  const auto own_x = copy_to<space>(x.values, place::host);
  auto own_y = copy_to<space>(y.values, place::host);
  const auto ready = line.prepare_many(on, shown, known.op, as);
  const auto run = [&] {
    ready.run(known.alpha, known.alpha == Value{0} ? nullptr : own_x.data(), x.stride, known.beta,
              own_y.data(), y.stride);
    synchronize(on);
    return copy_to<host>(own_y, space::where);
  };
  const auto first = run();
  std::int64_t wrong = 0, written = 0;
  block_of_vectors<Value> left(as, out, untouched);
  left.values = copy_to<host>(first, place::host);
  for (std::int64_t v = 0; v < as.count; ++v)
    for (std::int64_t i = 0; i < out; ++i) {
      const auto& right = known.right[static_cast<std::size_t>(v)];
      // The reference widens nothing for kernels with neighbours, none of which is among these.
      wrong += !within(static_cast<double>(left.at(v, i)), right.y[i], right.bound[i]);
      left.at(v, i) = untouched;
    }
  for (std::int64_t i = 0; i < left.values.size(); ++i) written += left.values[i] != untouched;
  CHECK(wrong == 0);
  CHECK(written == 0);
  if (line.info.repeatable(known.op)) {
    own_y = copy_to<space>(y.values, place::host);
    CHECK(same_bits(first, run()));
  }
}

// Every line that takes several vectors, in all formats of the variants. With a vector that is no number,
// which must not come into another one's product; blocks and diagonals whose fill would meet it are left out
// then.
template <class Backend, class Offset, class Value>
void check_many_vectors(Backend on, const std::string& name, const csr<Offset, Value, host>& matrix,
                        const std::vector<conversion_options>& variants, bool with_nan, kernel_tally& tally) {
  using space = space_on<Backend>;
  const auto source = copy_to<space>(matrix);
  struct question {
    std::int64_t vectors;
    Value alpha, beta;
  };
  const question questions[] = {{1, 1, 0},  {2, Value{-0.5}, 1}, {3, 1, Value{-0.5}},
                                {8, 1, 0},  {8, 0, 0},           {17, Value{-0.5}, Value{-0.5}},
                                {32, 1, 1}, {33, 0, 2},          {128, 1, 0}};
  for (const question& asked : questions)
    for (const operation op : plain_operations) {
      const known_products<Offset, Value> known(matrix, op, asked.alpha, asked.beta,
                                                static_cast<int>(asked.vectors), with_nan);
      for (const conversion_options& options : variants)
        for (const format_kind format : formats_for(matrix)) {
          if (with_nan && name_of(format).find("bsr") != std::string::npos) continue;
          if (with_nan && name_of(format).find("dia") != std::string::npos) continue;
          const auto converted = from_csr<Backend, Offset, Value>(on, view(source), format, options, nullptr);
          std::visit(
              [&](const auto& m) {
                const auto shown = view(m);
                for (const auto& line : kernels_of(shown)) {
                  if (!line.prepare_many || line.info.vendor || line.info.rounding_neighbours > 0 ||
                      !line.why_not(shown, op).empty())
                    continue;
                  for (const bool by_rows : {true, false}) {
                    INFO(name << ", " << line.info.name << ", " << name_of(op) << ", " << asked.vectors
                              << " vectors by " << (by_rows ? "rows" : "columns") << ", alpha " << asked.alpha
                              << ", beta " << asked.beta << ", value " << sizeof(Value));
                    check_many(on, line, shown, known, {asked.vectors, by_rows});
                    ++tally.runs[line.info.name];
                  }
                }
              },
              converted);
        }
    }
}

}  // namespace sparsmith::testing
