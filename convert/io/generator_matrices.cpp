// The matrices of the generators. Reproducible by construction: every random number is a hash of (seed,
// stream, index), work is cut by the parameters and never by the number of threads, and the only
// floating-point operations are those IEEE 754 rounds exactly (no log or pow of libm; built with
// -ffp-contract=off).
#include "convert/io/generator_matrices.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace sparsmith {
namespace {

using host_coo = coo<double, host>;

// ---- Random numbers ----

// Weyl increment and finaliser of splitmix64 (Steele, Lea and Flood, OOPSLA 2014).
constexpr std::uint64_t weyl_step = 0x9e3779b97f4a7c15;

std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// What the numbers are for, so that values and positions drawn from one seed are independent.
enum class stream : std::uint64_t { positions = 1, values = 2, shuffle = 3 };

std::uint64_t key_of(std::int64_t seed, stream purpose) {
  return mix(mix(static_cast<std::uint64_t>(seed) + weyl_step) +
             static_cast<std::uint64_t>(purpose) * weyl_step);
}

std::uint64_t hash(std::uint64_t key, std::int64_t index) {
  return mix(key + (static_cast<std::uint64_t>(index) + 1) * weyl_step);
}

// Uniform in (0, 1], in steps of 2^-53: never 0, so its logarithm is finite.
double unit(std::uint64_t bits) {
  return static_cast<double>((bits >> 11) + 1) * 0x1p-53;
}

// A whole number in 1..2^24; times 2^-24 it is a value in (0, 1] that a float holds exactly.
std::int64_t weight(std::uint64_t bits) {
  return static_cast<std::int64_t>(bits >> 40) + 1;
}

// A pseudo-random bijection of 0..size-1 that needs no memory: an unbalanced Feistel network on the next
// power of two, walked until it lands inside. Its first k images are k distinct numbers, which is how cells
// are drawn without replacement.
class permutation {
 public:
  permutation(std::uint64_t key, std::int64_t size) : key_(key), size_(static_cast<std::uint64_t>(size)) {
    const int bits = size > 0 ? static_cast<int>(std::bit_width(size_ - 1)) : 0;
    low_bits_ = bits / 2;
    low_mask_ = (std::uint64_t{1} << low_bits_) - 1;
    high_mask_ = (std::uint64_t{1} << (bits - low_bits_)) - 1;
  }

  std::int64_t operator()(std::int64_t index) const {
    auto x = static_cast<std::uint64_t>(index);
    do {
      std::uint64_t low = x & low_mask_;
      std::uint64_t high = x >> low_bits_;
      std::uint64_t round_key = key_;
      for (int round = 0; round < 3; ++round) {
        high ^= scramble(low ^ (round_key += weyl_step)) & high_mask_;
        low ^= scramble(high ^ (round_key += weyl_step)) & low_mask_;
      }
      x = (high << low_bits_) | low;
    } while (x >= size_);
    return static_cast<std::int64_t>(x);
  }

 private:
  static std::uint64_t scramble(std::uint64_t x) {
    x *= 0xbf58476d1ce4e5b9;
    return ((x ^ (x >> 29)) * 0x94d049bb133111eb) >> 32;
  }

  std::uint64_t key_;
  std::uint64_t size_;
  std::uint64_t low_mask_;
  std::uint64_t high_mask_;
  int low_bits_;
};

// ---- Logarithm and exponential from + - * / alone: within 1e-14, the same everywhere ----

constexpr double ln2_high = 0x1.62e42feep-1;  // 32 bits, so that its product with an exponent is exact
constexpr double ln2_low = 0x1.a39ef35793c76p-33;

// ln((1 + s) / (1 - s)) for |s| <= 0.172, by the series of the inverse hyperbolic tangent.
double log_ratio(double s) {
  const double q = s * s;
  double sum = 1.0 / 17;  // unrolled by hand: as a loop it divides at run time and costs a third of `uniform`
  sum = sum * q + 1.0 / 15;
  sum = sum * q + 1.0 / 13;
  sum = sum * q + 1.0 / 11;
  sum = sum * q + 1.0 / 9;
  sum = sum * q + 1.0 / 7;
  sum = sum * q + 1.0 / 5;
  sum = sum * q + 1.0 / 3;
  sum = sum * q + 1.0;
  return 2 * s * sum;
}

// ln x of a positive normal number.
double natural_log(double x) {
  // The split x = m * 2^e with m in [sqrt(1/2), sqrt(2)), without a branch that random numbers would
  // mispredict.
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
  const std::int64_t e = static_cast<std::int64_t>(bits - 0x3fe6a09e667f3bcd) >> 52;
  const double m = std::bit_cast<double>(bits - (static_cast<std::uint64_t>(e) << 52));
  const double exponent = static_cast<double>(e);
  return exponent * ln2_high + (log_ratio((m - 1) / (m + 1)) + exponent * ln2_low);
}

// ln(1 - p), also where 1 - p would round p away.
double log_of_complement(double p) {
  return p < 0.25 ? log_ratio(-p / (2 - p)) : natural_log(1 - p);
}

// (e^x - 1) / x for |x| <= 0.5, its limit 1 at 0 included.
double relative_growth_near_zero(double x) {
  double sum = 1;
  for (int divisor = 16; divisor > 1; --divisor) sum = sum * x / divisor + 1;
  return sum;
}

// e^x for x up to 700.
double exponential(double x) {
  if (x < -700) return 0;
  const double k = std::floor(x * 1.4426950408889634 + 0.5);
  const double rest = (x - k * ln2_high) - k * ln2_low;
  const double power =
      std::bit_cast<double>((static_cast<std::uint64_t>(static_cast<std::int64_t>(k) + 1023)) << 52);
  return (1 + rest * relative_growth_near_zero(rest)) * power;
}

double relative_growth(double x) {
  return std::abs(x) <= 0.5 ? relative_growth_near_zero(x) : (exponential(x) - 1) / x;
}

// ---- Building ----

// The table below keeps every dimension within an int32.
host_coo allocate_entries(const generator_arguments& asked, std::int64_t rows, std::int64_t cols,
                          std::int64_t count) {
  asked.check_memory(static_cast<double>(count));
  host_coo result;
  result.rows = static_cast<std::int32_t>(rows);
  result.cols = static_cast<std::int32_t>(cols);
  result.row_indices = array<std::int32_t, host>(count);
  result.col_indices = array<std::int32_t, host>(count);
  result.values = array<double, host>(count);
  return result;
}

void fill_random_values(host_coo& m, std::int64_t seed) {
  const std::uint64_t key = key_of(seed, stream::values);
  const std::int64_t count = m.values.size();
#pragma omp parallel for
  for (std::int64_t i = 0; i < count; ++i) m.values[i] = static_cast<double>(weight(hash(key, i))) * 0x1p-24;
}

// Turns counts[0..n-1] into the offset of each; counts[n] becomes the total.
void counts_to_offsets(array<std::int64_t, host>& counts) {
  std::int64_t total = 0;
  for (std::int64_t i = 0; i + 1 < counts.size(); ++i) total += std::exchange(counts[i], total);
  counts[counts.size() - 1] = total;
}

// A matrix whose rows are made independently: length(row) entries, whose columns and values write(row,
// columns, values, length) puts in place. Rows are handed out in small portions because a few may be very
// long.
template <class Length, class Write>
host_coo build_by_rows(const generator_arguments& asked, std::int64_t rows, std::int64_t cols, Length length,
                       Write write) {
  array<std::int64_t, host> offsets(rows + 1);
#pragma omp parallel for schedule(dynamic, 1024)
  for (std::int64_t row = 0; row < rows; ++row) offsets[row] = length(row);
  counts_to_offsets(offsets);
  host_coo m = allocate_entries(asked, rows, cols, offsets[rows]);
#pragma omp parallel for schedule(dynamic, 64)
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t first = offsets[row];
    const std::int64_t count = offsets[row + 1] - first;
    std::fill_n(m.row_indices.data() + first, count, static_cast<std::int32_t>(row));
    write(row, m.col_indices.data() + first, m.values.data() + first, count);
  }
  return m;
}

// The stencil of -Laplace on a grid of the given side with zero boundary: 2 * dimensions on the diagonal, -1
// for every neighbour. Neighbours are visited from the farthest below to the farthest above, which sorts the
// columns.
host_coo make_laplace(const generator_arguments& asked, int dimensions) {
  const std::int64_t side = asked.whole("n");
  std::int64_t rows = 1;
  for (int d = 0; d < dimensions; ++d) rows *= side;
  const auto for_each_neighbour = [=](std::int64_t row, auto&& visit) {
    std::int64_t stride = rows;
    for (int d = 0; d < dimensions; ++d) {
      stride /= side;
      if (row / stride % side > 0) visit(row - stride, -1.0);
    }
    visit(row, 2.0 * dimensions);
    stride = 1;
    for (int d = 0; d < dimensions; ++d) {
      if (row / stride % side < side - 1) visit(row + stride, -1.0);
      stride *= side;
    }
  };
  return build_by_rows(
      asked, rows, rows,
      [=](std::int64_t row) {
        std::int64_t count = 0;
        for_each_neighbour(row, [&](std::int64_t, double) { ++count; });
        return count;
      },
      [=](std::int64_t row, std::int32_t* columns, double* values, std::int64_t) {
        for_each_neighbour(row, [&](std::int64_t column, double value) {
          *columns++ = static_cast<std::int32_t>(column);
          *values++ = value;
        });
      });
}

// Row lengths of a power law cut off at `longest`, without sampling noise, which would leave the mean at the
// mercy of a few rows. Take the Pareto density x^-exponent on [x0, longest], with x0 such that the mean comes
// out right; cut it into n slices of equal probability, rank 0 the topmost; a row is as long as the mean of
// its slice. The slices are summed and rounded cumulatively, so all lengths together are round(n * mean).
//
// In units of `longest`, with tail index a = exponent - 1, the length at survival probability v is t^(-1/a)
// where t = 1 + v * b and b = x0^-a - 1. Its integral from 0 to v is G(t) / b with G(t) = (t^e - 1) / e, e =
// 1 - 1 / a, written such that exponent 2 (e = 0, G = ln t) is nothing special.
class powerlaw_lengths {
 public:
  powerlaw_lengths(std::int64_t n, double mean, double exponent, std::int64_t longest)
      : n_(n), longest_(longest), power_(1 - 1 / (exponent - 1)) {
    const double target = longest > 0 ? mean / static_cast<double>(longest) : 0;
    total_ = std::floor(static_cast<double>(n) * mean + 0.5);
    flat_ = target >= 1 || target <= 0;
    if (flat_) return;
    // The mean falls from 1 to 0 as ln(1 + b) rises.
    double low = 0;
    double high = 600;
    for (int step = 0; step < 100; ++step) {
      const double middle = 0.5 * (low + high);
      const double b = exponential(middle) - 1;
      (b <= 0 || integral(1 + b) > target * b ? low : high) = middle;
    }
    b_ = exponential(high) - 1;
    whole_integral_ = integral(1 + b_);
  }

  std::int64_t operator()(std::int64_t rank) const {
    return std::clamp(entries_before(rank + 1) - entries_before(rank), std::int64_t{0}, longest_);
  }

 private:
  double integral(double t) const {
    const double log_t = natural_log(t);
    return log_t * relative_growth(power_ * log_t);
  }

  std::int64_t entries_before(std::int64_t rank) const {
    const double v = static_cast<double>(rank) / static_cast<double>(n_);
    const double part = flat_ ? v : integral(1 + v * b_) / whole_integral_;
    return static_cast<std::int64_t>(std::floor(total_ * part + 0.5));
  }

  std::int64_t n_;
  std::int64_t longest_;
  double power_;
  double total_ = 0;
  bool flat_ = false;
  double b_ = 0;
  double whole_integral_ = 0;
};

}  // namespace

// ---- The generators ----

// Walks the cells row by row and jumps from one entry to the next by geometrically distributed gaps, so the
// work is in the entries and not in the cells. The cells are cut into equal parts of about 64 K entries each,
// whatever the shape, which are walked once to count and once to write.
host_coo make_uniform(const generator_arguments& asked) {
  const std::int64_t rows = asked.whole("rows");
  const std::int64_t cols = asked.whole("cols");
  const double density = asked.real("density");
  const std::uint64_t key = key_of(asked.whole("seed"), stream::positions);
  const std::int64_t cells = rows * cols;
  const double expected = static_cast<double>(cells) * density;
  if (!(expected > 0)) return allocate_entries(asked, rows, cols, 0);
  asked.check_memory(expected);

  const auto parts = static_cast<std::int64_t>(expected / 65536) + 1;
  const auto part_begin = [=](std::int64_t part) {
    return part * (cells / parts) + std::min(part, cells % parts);
  };
  // P(gap >= k) = (1 - density)^k.
  const double gap_scale = density < 1 ? 1 / log_of_complement(density) : 0;
  const auto walk = [=](std::int64_t part, auto&& visit) {
    const std::uint64_t part_key = hash(key, part);
    const std::int64_t end = part_begin(part + 1);
    std::int64_t cell = part_begin(part);
    for (std::int64_t i = 0;; ++i, ++cell) {
      const double gap = natural_log(unit(hash(part_key, i))) * gap_scale;
      if (!(gap < static_cast<double>(end - cell)))
        break;  // past the end, or not a number (density below 1e-308)
      cell += static_cast<std::int64_t>(gap);
      if (cell >= end) break;  // end - cell was rounded up
      visit(cell);
    }
  };

  array<std::int64_t, host> offsets(parts + 1);
#pragma omp parallel for schedule(dynamic)
  for (std::int64_t part = 0; part < parts; ++part) {
    std::int64_t count = 0;
    walk(part, [&](std::int64_t) { ++count; });
    offsets[part] = count;
  }
  counts_to_offsets(offsets);
  host_coo m = allocate_entries(asked, rows, cols, offsets[parts]);
#pragma omp parallel for schedule(dynamic)
  for (std::int64_t part = 0; part < parts; ++part) {
    std::int64_t to = offsets[part];
    std::int64_t row = part_begin(part) / cols;
    std::int64_t row_begin = row * cols;
    walk(part, [&](std::int64_t cell) {
      if (cell - row_begin >= cols) {  // a division for a new row only
        row = cell / cols;
        row_begin = row * cols;
      }
      m.row_indices[to] = static_cast<std::int32_t>(row);
      m.col_indices[to] = static_cast<std::int32_t>(cell - row_begin);
      ++to;
    });
  }
  fill_random_values(m, asked.whole("seed"));
  return m;
}

// The matrix GCSB likes best: inside a block row every beta x beta block holds the same number of entries.
// That number rises linearly over the block rows from half to one and a half times the mean (less where a
// block would overflow), and the block rows are then shuffled. All sums are rounded cumulatively, so the
// total is the one asked for up to one entry per block column.
host_coo make_ideal(const generator_arguments& asked) {
  const std::int64_t n = asked.whole("n");
  const std::int64_t beta = asked.whole("beta");
  const double density = asked.real("density");
  const std::int64_t seed = asked.whole("seed");
  if (!std::has_single_bit(static_cast<std::uint64_t>(beta)))
    asked.refuse("beta=" + std::to_string(beta) + " is not a power of two");
  if (n % beta != 0) asked.refuse("beta=" + std::to_string(beta) + " does not divide n=" + std::to_string(n));
  asked.check_memory(density * static_cast<double>(n) * static_cast<double>(n));

  const std::int64_t blocks = n / beta;  // in a block row, and block rows
  const double column_total = std::floor(density * static_cast<double>(n) * static_cast<double>(beta) + 0.5);
  const double spread = density > 0 ? std::min(0.5, (1 - density) / density) : 0;
  const auto entries_before_rank = [=](std::int64_t rank) {
    const double part = static_cast<double>(rank) / static_cast<double>(blocks);
    return static_cast<std::int64_t>(std::floor(column_total * (part * (1 - spread + spread * part)) + 0.5));
  };
  const permutation rank_of(key_of(seed, stream::shuffle), blocks);
  // The bound guards the draw below against a last bit gone the wrong way when blocks are all but full.
  const auto block_entries = [=](std::int64_t block_row) {
    const std::int64_t rank = rank_of(block_row);
    return std::min(entries_before_rank(rank + 1) - entries_before_rank(rank), beta * beta);
  };

  array<std::int64_t, host> offsets(blocks + 1);
  for (std::int64_t k = 0; k < blocks; ++k) offsets[k] = block_entries(k) * blocks;
  counts_to_offsets(offsets);
  host_coo m = allocate_entries(asked, n, n, offsets[blocks]);

  // Each block is drawn twice: to count its rows, then to write them. Blocks come from left to right, so only
  // what one block adds to a row has to be sorted.
  const std::uint64_t key = key_of(seed, stream::positions);
  array<std::int64_t, host> sorted_to(n);
  array<std::int64_t, host> written_to(n);
#pragma omp parallel for schedule(dynamic)
  for (std::int64_t k = 0; k < blocks; ++k) {
    const std::int64_t count = block_entries(k);
    const std::int64_t first_row = k * beta;
    const auto for_each_cell = [&](std::int64_t block, auto&& visit) {
      const permutation cell_of(hash(key, k * blocks + block), beta * beta);
      for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t cell = cell_of(i);
        visit(first_row + cell / beta, block * beta + cell % beta);
      }
    };
    if (count == 0) continue;
    std::fill_n(written_to.data() + first_row, beta, 0);
    for (std::int64_t block = 0; block < blocks; ++block)
      for_each_cell(block, [&](std::int64_t row, std::int64_t) { ++written_to[row]; });
    std::int64_t to = offsets[k];
    for (std::int64_t row = first_row; row < first_row + beta; ++row) {
      const std::int64_t length = written_to[row];
      std::fill_n(m.row_indices.data() + to, length, static_cast<std::int32_t>(row));
      sorted_to[row] = written_to[row] = to;
      to += length;
    }
    for (std::int64_t block = 0; block < blocks; ++block) {
      for_each_cell(block, [&](std::int64_t row, std::int64_t col) {
        m.col_indices[written_to[row]++] = static_cast<std::int32_t>(col);
      });
      for (std::int64_t row = first_row; row < first_row + beta; ++row) {
        std::sort(m.col_indices.data() + sorted_to[row], m.col_indices.data() + written_to[row]);
        sorted_to[row] = written_to[row];
      }
    }
  }
  fill_random_values(m, seed);
  return m;
}

// Full blocks in a band, the same number in every block row: the band moves inward at the edges instead of
// being cut. A value is its random weight over the row's sum of weights; the sum is of whole numbers and
// therefore exact.
host_coo make_blockband(const generator_arguments& asked) {
  const std::int64_t n = asked.whole("n");
  const std::int64_t block = asked.whole("block");
  if (n % block != 0)
    asked.refuse("block=" + std::to_string(block) + " does not divide n=" + std::to_string(n));
  const std::int64_t block_rows = n / block;
  const auto band =
      static_cast<std::int64_t>(std::floor(asked.real("density") * static_cast<double>(block_rows) + 0.5));
  const std::uint64_t key = key_of(asked.whole("seed"), stream::values);
  return build_by_rows(
      asked, n, n, [=](std::int64_t) { return band * block; },
      [=](std::int64_t row, std::int32_t* columns, double* values, std::int64_t count) {
        const std::int64_t first_block =
            std::clamp(row / block - band / 2, std::int64_t{0}, block_rows - band);
        const std::uint64_t row_key = hash(key, row);
        std::int64_t sum = 0;
        for (std::int64_t i = 0; i < count; ++i) sum += weight(hash(row_key, i));
        for (std::int64_t i = 0; i < count; ++i) {
          columns[i] = static_cast<std::int32_t>(first_block * block + i);
          values[i] = static_cast<double>(weight(hash(row_key, i))) / static_cast<double>(sum);
        }
      });
}

host_coo make_laplace2d(const generator_arguments& asked) {
  return make_laplace(asked, 2);
}
host_coo make_laplace3d(const generator_arguments& asked) {
  return make_laplace(asked, 3);
}

// Chakrabarti, Zhan and Faloutsos (SDM 2004): every entry descends `scale` times into one of the four
// quadrants.
host_coo make_rmat(const generator_arguments& asked) {
  const std::int64_t levels = asked.whole("scale");
  const std::int64_t n = std::int64_t{1} << levels;
  const std::int64_t count = n * asked.whole("edges");
  // 0.4 + 0.3 + 0.3 is a little more than 1 in binary.
  if (asked.real("a") + asked.real("b") + asked.real("c") > 1 + 1e-9)
    asked.refuse("a + b + c is more than 1");
  const auto threshold = [](double p) { return static_cast<std::uint64_t>(p * 0x1p32); };
  const std::uint64_t to_b = threshold(asked.real("a"));
  const std::uint64_t to_c = threshold(asked.real("a") + asked.real("b"));
  const std::uint64_t to_d = threshold(asked.real("a") + asked.real("b") + asked.real("c"));
  const std::uint64_t key = key_of(asked.whole("seed"), stream::positions);

  host_coo m = allocate_entries(asked, n, n, count);
#pragma omp parallel for
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint64_t entry_key = hash(key, i);
    std::uint64_t row = 0;
    std::uint64_t col = 0;
    std::uint64_t bits = 0;
    for (std::int64_t level = 0; level < levels; ++level) {
      bits = level % 2 == 0 ? hash(entry_key, level) : bits >> 32;  // one hash serves two levels
      const std::uint64_t draw = bits & 0xffffffff;
      const bool lower = draw >= to_c;
      row = row * 2 + lower;
      col = col * 2 + (draw >= (lower ? to_d : to_b));
    }
    m.row_indices[i] = static_cast<std::int32_t>(row);
    m.col_indices[i] = static_cast<std::int32_t>(col);
  }
  fill_random_values(m, asked.whole("seed"));
  return m;
}

host_coo make_diagonal(const generator_arguments& asked) {
  const std::int64_t n = asked.whole("n");
  const std::int64_t band = asked.whole("band");
  if (band % 2 == 0) asked.refuse("band=" + std::to_string(band) + " is not odd");
  const std::int64_t half_band = band / 2;
  const auto first = [=](std::int64_t row) { return std::max(row - half_band, std::int64_t{0}); };
  const auto last = [=](std::int64_t row) { return std::min(row + half_band, n - 1); };
  host_coo m = build_by_rows(
      asked, n, n, [=](std::int64_t row) { return last(row) - first(row) + 1; },
      [=](std::int64_t row, std::int32_t* columns, double*, std::int64_t count) {
        for (std::int64_t i = 0; i < count; ++i) columns[i] = static_cast<std::int32_t>(first(row) + i);
      });
  fill_random_values(m, asked.whole("seed"));
  return m;
}

host_coo make_powerlaw(const generator_arguments& asked) {
  const std::int64_t n = asked.whole("n");
  const std::int64_t longest = asked.whole("max");
  const std::int64_t seed = asked.whole("seed");
  const double mean = asked.real("mean");
  if (longest > n) asked.refuse("max=" + std::to_string(longest) + " is more than n=" + std::to_string(n));
  if (n > 0 && mean > static_cast<double>(longest))
    asked.refuse("mean=" + asked.as_text(mean) + " is more than max=" + std::to_string(longest) +
                 ", the longest row");
  const powerlaw_lengths length_of(n, mean, asked.real("exponent"), longest);
  const permutation rank_of(key_of(seed, stream::shuffle), n);
  const std::uint64_t key = key_of(seed, stream::positions);
  host_coo m = build_by_rows(
      asked, n, n, [=](std::int64_t row) { return length_of(rank_of(row)); },
      [=](std::int64_t row, std::int32_t* columns, double*, std::int64_t count) {
        const permutation column_of(hash(key, row), n);
        for (std::int64_t i = 0; i < count; ++i) columns[i] = static_cast<std::int32_t>(column_of(i));
        std::sort(columns, columns + count);
      });
  fill_random_values(m, seed);
  return m;
}

host_coo make_denserow(const generator_arguments& asked) {
  const std::int64_t n = asked.whole("n");
  const std::int64_t dense = asked.whole("dense");
  const std::int64_t degree = asked.whole("degree");
  if (dense > n) asked.refuse("dense=" + std::to_string(dense) + " is more than n=" + std::to_string(n));
  if (degree > n) asked.refuse("degree=" + std::to_string(degree) + " is more than n=" + std::to_string(n));
  // As a line of slope dense / n is drawn in pixels: exactly `dense` rows are where it steps up.
  const auto is_dense = [=](std::int64_t row) {
    return ((row + 1) * dense + n / 2) / n != (row * dense + n / 2) / n;
  };
  const std::uint64_t key = key_of(asked.whole("seed"), stream::positions);
  host_coo m = build_by_rows(
      asked, n, n, [=](std::int64_t row) { return is_dense(row) ? n : degree; },
      [=](std::int64_t row, std::int32_t* columns, double*, std::int64_t count) {
        if (count == n) {
          for (std::int64_t i = 0; i < n; ++i) columns[i] = static_cast<std::int32_t>(i);
          return;
        }
        // The diagonal, and others drawn from the n - 1 columns beside it.
        const permutation other(hash(key, row), n - 1);
        columns[0] = static_cast<std::int32_t>(row);
        for (std::int64_t i = 1; i < count; ++i) {
          const std::int64_t column = other(i - 1);
          columns[i] = static_cast<std::int32_t>(column + (column >= row));
        }
        std::sort(columns, columns + count);
      });
  fill_random_values(m, asked.whole("seed"));
  return m;
}

// Made column by column, as such matrices come in files.
host_coo make_lopsided(const generator_arguments& asked) {
  const std::int64_t rows = asked.whole("rows"), cols = asked.whole("cols");
  const std::int64_t longest = asked.whole("longest"), degree = asked.whole("degree");
  if (longest > cols)
    asked.refuse("longest=" + std::to_string(longest) + " is more than cols=" + std::to_string(cols));
  if (degree > rows)
    asked.refuse("degree=" + std::to_string(degree) + " is more than rows=" + std::to_string(rows));
  const std::int64_t seed = asked.whole("seed"), long_row = rows / 2;
  const permutation rank_of(key_of(seed, stream::shuffle), cols);
  const std::uint64_t key = key_of(seed, stream::positions);
  host_coo m = build_by_rows(
      asked, cols, rows, [=](std::int64_t col) { return degree - (rank_of(col) >= longest); },
      [=](std::int64_t col, std::int32_t* its_rows, double*, std::int64_t count) {
        const permutation other(hash(key, col), rows - 1);
        for (std::int64_t i = 0; i < degree - 1; ++i) {
          const std::int64_t row = other(i);
          its_rows[i] = static_cast<std::int32_t>(row + (row >= long_row));
        }
        if (count == degree) its_rows[degree - 1] = static_cast<std::int32_t>(long_row);
        std::sort(its_rows, its_rows + count);
      });
  std::swap(m.rows, m.cols);
  std::swap(m.row_indices, m.col_indices);
  fill_random_values(m, seed);
  return m;
}

}  // namespace sparsmith
