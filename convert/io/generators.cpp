// The generators, in one table that parsing and --help share. Reproducible by construction: every random
// number is a hash of (seed, stream, index), work is cut by the parameters and never by the number of
// threads, and the only floating-point operations are those IEEE 754 rounds exactly (no log or pow of libm;
// built with -ffp-contract=off).
#include "convert/io/generators.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

#include "convert/error.hpp"

namespace sparsmith {
namespace {

using host_coo = coo<double, host>;

constexpr double largest_dimension = 2147483647;

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

// ---- Arguments ----

std::string as_text(double value) {
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

enum class number { whole, real };

struct parameter {
  const char* name;
  number kind;
  const char* standard;  // the default: a number, or the name of an earlier parameter it is equal to
  double lowest;
  double highest;
  const char* meaning;
};

class arguments;

struct generator {
  const char* name;
  const char* purpose;
  std::vector<parameter> parameters;
  host_coo (*make)(const arguments&);
};

class arguments {
 public:
  arguments(const generator& which, std::string_view text) : which_(which), values_(which.parameters.size()) {
    while (!text.empty()) {
      const std::string_view piece = text.substr(0, text.find('&'));
      text.remove_prefix(std::min(piece.size() + 1, text.size()));
      const std::size_t equals = piece.find('=');
      if (equals == std::string_view::npos)
        refuse("\"" + std::string(piece) + "\" is not of the form name=value");
      const std::string name(piece.substr(0, equals));
      const std::optional<std::size_t> i = find(name);
      if (!i) refuse("unknown parameter \"" + name + "\"; known: " + known());
      if (values_[*i]) refuse("parameter \"" + name + "\" is given twice");
      values_[*i] = parse(which_.parameters[*i], piece.substr(equals + 1));
    }
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (values_[i]) continue;
      const parameter& p = which_.parameters[i];
      const std::optional<std::size_t> same_as = find(p.standard);
      values_[i] = same_as ? values_[*same_as] : parse(p, p.standard);
    }
  }

  double real(const char* name) const { return values_.at(find(name).value()).value(); }
  std::int64_t whole(const char* name) const { return static_cast<std::int64_t>(real(name)); }

  [[noreturn]] void refuse(const std::string& why, failure category = failure::usage) const {
    throw error(category, std::string("gen:") + which_.name + ": " + why);
  }

  // Refuses what can never be stored before time is spent on it; the allocations themselves check the rest.
  // Takes a double because the bytes of a full matrix of the largest dimension exceed an int64.
  void check_memory(double entry_count) const {
    const double needed = entry_count * (2 * sizeof(std::int32_t) + sizeof(double));
    const std::int64_t available = available_bytes(place::host);
    if (needed > static_cast<double>(available))
      refuse("about " + as_text(std::floor(entry_count)) + " entries do not fit into the " +
                 format_bytes(available) + " of memory available",
             failure::resources);
  }

 private:
  std::optional<std::size_t> find(std::string_view name) const {
    for (std::size_t i = 0; i < which_.parameters.size(); ++i)
      if (which_.parameters[i].name == name) return i;
    return std::nullopt;
  }

  std::string known() const {
    std::string list;
    for (const parameter& p : which_.parameters) list += (list.empty() ? "" : ", ") + std::string(p.name);
    return list;
  }

  double parse(const parameter& p, std::string_view text) const {
    const std::string shown = std::string(p.name) + "=" + std::string(text);
    const char* const end = text.data() + text.size();
    double value = 0;
    const auto [stop, status] = std::from_chars(text.data(), end, value);
    if (status != std::errc() || stop != end || (p.kind == number::whole && !is_digits(text)))
      refuse(shown + (p.kind == number::whole ? " is not a whole number" : " is not a number"));
    if (!(value >= p.lowest && value <= p.highest))
      refuse(shown + " is outside " + as_text(p.lowest) + ".." + as_text(p.highest));
    return value;
  }

  // A sign is let through so that -1 is reported as out of range, not as malformed.
  static bool is_digits(std::string_view text) {
    if (text.starts_with('-')) text.remove_prefix(1);
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
  }

  const generator& which_;
  std::vector<std::optional<double>> values_;
};

// ---- Building ----

// The table below keeps every dimension within an int32.
host_coo allocate_entries(const arguments& a, std::int64_t rows, std::int64_t cols, std::int64_t count) {
  a.check_memory(static_cast<double>(count));
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
host_coo build_by_rows(const arguments& a, std::int64_t rows, std::int64_t cols, Length length, Write write) {
  array<std::int64_t, host> offsets(rows + 1);
#pragma omp parallel for schedule(dynamic, 1024)
  for (std::int64_t row = 0; row < rows; ++row) offsets[row] = length(row);
  counts_to_offsets(offsets);
  host_coo m = allocate_entries(a, rows, cols, offsets[rows]);
#pragma omp parallel for schedule(dynamic, 64)
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t first = offsets[row];
    const std::int64_t count = offsets[row + 1] - first;
    std::fill_n(m.row_indices.data() + first, count, static_cast<std::int32_t>(row));
    write(row, m.col_indices.data() + first, m.values.data() + first, count);
  }
  return m;
}

// ---- The generators ----

// Walks the cells row by row and jumps from one entry to the next by geometrically distributed gaps, so the
// work is in the entries and not in the cells. The cells are cut into equal parts of about 64 K entries each,
// whatever the shape, which are walked once to count and once to write.
host_coo make_uniform(const arguments& a) {
  const std::int64_t rows = a.whole("rows");
  const std::int64_t cols = a.whole("cols");
  const double density = a.real("density");
  const std::uint64_t key = key_of(a.whole("seed"), stream::positions);
  const std::int64_t cells = rows * cols;
  const double expected = static_cast<double>(cells) * density;
  if (!(expected > 0)) return allocate_entries(a, rows, cols, 0);
  a.check_memory(expected);

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
  host_coo m = allocate_entries(a, rows, cols, offsets[parts]);
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
  fill_random_values(m, a.whole("seed"));
  return m;
}

// The matrix GCSB likes best: inside a block row every beta x beta block holds the same number of entries.
// That number rises linearly over the block rows from half to one and a half times the mean (less where a
// block would overflow), and the block rows are then shuffled. All sums are rounded cumulatively, so the
// total is the one asked for up to one entry per block column.
host_coo make_ideal(const arguments& a) {
  const std::int64_t n = a.whole("n");
  const std::int64_t beta = a.whole("beta");
  const double density = a.real("density");
  const std::int64_t seed = a.whole("seed");
  if (!std::has_single_bit(static_cast<std::uint64_t>(beta)))
    a.refuse("beta=" + std::to_string(beta) + " is not a power of two");
  if (n % beta != 0) a.refuse("beta=" + std::to_string(beta) + " does not divide n=" + std::to_string(n));
  a.check_memory(density * static_cast<double>(n) * static_cast<double>(n));

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
  host_coo m = allocate_entries(a, n, n, offsets[blocks]);

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
host_coo make_blockband(const arguments& a) {
  const std::int64_t n = a.whole("n");
  const std::int64_t block = a.whole("block");
  if (n % block != 0) a.refuse("block=" + std::to_string(block) + " does not divide n=" + std::to_string(n));
  const std::int64_t block_rows = n / block;
  const auto band =
      static_cast<std::int64_t>(std::floor(a.real("density") * static_cast<double>(block_rows) + 0.5));
  const std::uint64_t key = key_of(a.whole("seed"), stream::values);
  return build_by_rows(
      a, n, n, [=](std::int64_t) { return band * block; },
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

// The stencil of -Laplace on a grid of the given side with zero boundary: 2 * dimensions on the diagonal, -1
// for every neighbour. Neighbours are visited from the farthest below to the farthest above, which sorts the
// columns.
host_coo make_laplace(const arguments& a, int dimensions) {
  const std::int64_t side = a.whole("n");
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
      a, rows, rows,
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

host_coo make_laplace2d(const arguments& a) {
  return make_laplace(a, 2);
}
host_coo make_laplace3d(const arguments& a) {
  return make_laplace(a, 3);
}

// Chakrabarti, Zhan and Faloutsos (SDM 2004): every entry descends `scale` times into one of the four
// quadrants.
host_coo make_rmat(const arguments& a) {
  const std::int64_t levels = a.whole("scale");
  const std::int64_t n = std::int64_t{1} << levels;
  const std::int64_t count = n * a.whole("edges");
  // 0.4 + 0.3 + 0.3 is a little more than 1 in binary.
  if (a.real("a") + a.real("b") + a.real("c") > 1 + 1e-9) a.refuse("a + b + c is more than 1");
  const auto threshold = [](double p) { return static_cast<std::uint64_t>(p * 0x1p32); };
  const std::uint64_t to_b = threshold(a.real("a"));
  const std::uint64_t to_c = threshold(a.real("a") + a.real("b"));
  const std::uint64_t to_d = threshold(a.real("a") + a.real("b") + a.real("c"));
  const std::uint64_t key = key_of(a.whole("seed"), stream::positions);

  host_coo m = allocate_entries(a, n, n, count);
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
  fill_random_values(m, a.whole("seed"));
  return m;
}

host_coo make_diagonal(const arguments& a) {
  const std::int64_t n = a.whole("n");
  const std::int64_t band = a.whole("band");
  if (band % 2 == 0) a.refuse("band=" + std::to_string(band) + " is not odd");
  const std::int64_t reach = band / 2;
  const auto first = [=](std::int64_t row) { return std::max(row - reach, std::int64_t{0}); };
  const auto last = [=](std::int64_t row) { return std::min(row + reach, n - 1); };
  host_coo m = build_by_rows(
      a, n, n, [=](std::int64_t row) { return last(row) - first(row) + 1; },
      [=](std::int64_t row, std::int32_t* columns, double*, std::int64_t count) {
        for (std::int64_t i = 0; i < count; ++i) columns[i] = static_cast<std::int32_t>(first(row) + i);
      });
  fill_random_values(m, a.whole("seed"));
  return m;
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

host_coo make_powerlaw(const arguments& a) {
  const std::int64_t n = a.whole("n");
  const std::int64_t longest = a.whole("max");
  const std::int64_t seed = a.whole("seed");
  const double mean = a.real("mean");
  if (longest > n) a.refuse("max=" + std::to_string(longest) + " is more than n=" + std::to_string(n));
  if (n > 0 && mean > static_cast<double>(longest))
    a.refuse("mean=" + as_text(mean) + " is more than max=" + std::to_string(longest) + ", the longest row");
  const powerlaw_lengths length_of(n, mean, a.real("exponent"), longest);
  const permutation rank_of(key_of(seed, stream::shuffle), n);
  const std::uint64_t key = key_of(seed, stream::positions);
  host_coo m = build_by_rows(
      a, n, n, [=](std::int64_t row) { return length_of(rank_of(row)); },
      [=](std::int64_t row, std::int32_t* columns, double*, std::int64_t count) {
        const permutation column_of(hash(key, row), n);
        for (std::int64_t i = 0; i < count; ++i) columns[i] = static_cast<std::int32_t>(column_of(i));
        std::sort(columns, columns + count);
      });
  fill_random_values(m, seed);
  return m;
}

host_coo make_denserow(const arguments& a) {
  const std::int64_t n = a.whole("n");
  const std::int64_t dense = a.whole("dense");
  const std::int64_t degree = a.whole("degree");
  if (dense > n) a.refuse("dense=" + std::to_string(dense) + " is more than n=" + std::to_string(n));
  if (degree > n) a.refuse("degree=" + std::to_string(degree) + " is more than n=" + std::to_string(n));
  // As a line of slope dense / n is drawn in pixels: exactly `dense` rows are where it steps up.
  const auto is_dense = [=](std::int64_t row) {
    return ((row + 1) * dense + n / 2) / n != (row * dense + n / 2) / n;
  };
  const std::uint64_t key = key_of(a.whole("seed"), stream::positions);
  host_coo m = build_by_rows(
      a, n, n, [=](std::int64_t row) { return is_dense(row) ? n : degree; },
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
  fill_random_values(m, a.whole("seed"));
  return m;
}

// ---- The table ----

const std::vector<generator>& generators() {
  using enum number;
  const parameter seed = {"seed", whole, "1", 0, 4294967295, "another seed, another matrix"};
  static const std::vector<generator> table = {
      {"uniform",
       "every cell is nonzero with the same probability",
       {{"n", whole, "8192", 0, largest_dimension, "rows and columns of a square matrix"},
        {"rows", whole, "n", 0, largest_dimension, "rows"},
        {"cols", whole, "n", 0, largest_dimension, "columns"},
        {"density", real, "0.05", 0, 1, "probability of an entry"},
        seed},
       make_uniform},
      {"ideal",
       "all blocks of a block row equally full, block rows differently: the best case for GCSB",
       {{"n", whole, "8192", 1, largest_dimension, "rows and columns"},
        {"beta", whole, "32", 1, 1073741824, "side of a block, a power of two that divides n"},
        // 3,406,208 of 8192^2, the count of the GCSB thesis
        {"density", real, "0.0507564544677734375", 0, 1, "entries over cells"},
        seed},
       make_ideal},
      {"blockband",
       "full blocks in a band around the diagonal, rows sum to 1: the best case for BSR",
       {{"n", whole, "32000", 0, largest_dimension, "rows and columns"},
        {"block", whole, "5", 1, largest_dimension, "side of a block, divides n"},
        {"density", real, "0.05", 0, 1, "entries over cells"},
        seed},
       make_blockband},
      {"laplace2d",
       "5-point stencil on a square grid: short rows of equal length, for solvers",
       {{"n", whole, "1024", 0, 46340, "side of the grid; the matrix has n^2 rows"}},
       make_laplace2d},
      {"laplace3d",
       "7-point stencil on a cubic grid",
       {{"n", whole, "96", 0, 1290, "side of the grid; the matrix has n^3 rows"}},
       make_laplace3d},
      {"rmat",
       "recursive graph with hubs, unsorted and with duplicates: what real input looks like",
       {{"scale", whole, "16", 0, 30, "the matrix has 2^scale rows"},
        {"edges", whole, "16", 0, 65536, "entries drawn per row, duplicates included"},
        {"a", real, "0.57", 0, 1, "probability of the upper left quadrant"},
        {"b", real, "0.19", 0, 1, "of the upper right"},
        {"c", real, "0.19", 0, 1, "of the lower left; the rest is the lower right"},
        seed},
       make_rmat},
      {"diagonal",
       "a band around the diagonal: what diagonal formats are for",
       {{"n", whole, "8192", 0, largest_dimension, "rows and columns"},
        {"band", whole, "1", 1, largest_dimension, "number of diagonals, odd"},
        seed},
       make_diagonal},
      {"powerlaw",
       "row lengths of a power law, in random order: load imbalance",
       {{"n", whole, "65536", 0, largest_dimension, "rows and columns"},
        {"mean", real, "8", 0, largest_dimension, "entries per row on average"},
        {"exponent", real, "2.1", 1.01, 10, "the number of rows of length k falls as k^-exponent"},
        {"max", whole, "n", 0, largest_dimension, "longest row allowed"},
        seed},
       make_powerlaw},
      {"denserow",
       "a few full rows among short ones: the worst case for padded formats",
       {{"n", whole, "16384", 1, largest_dimension, "rows and columns"},
        {"dense", whole, "1", 0, largest_dimension, "number of full rows, evenly spread"},
        {"degree", whole, "3", 1, largest_dimension, "entries in each other row, the diagonal among them"},
        seed},
       make_denserow},
  };
  return table;
}

constexpr std::string_view prefix = "gen:";

}  // namespace

bool is_generator(const std::string& spec) {
  return spec.starts_with(prefix);
}

matrix_entries generate(const std::string& spec) {
  if (!is_generator(spec)) throw error(failure::usage, "\"" + spec + "\" does not start with gen:");
  const std::string_view request = std::string_view(spec).substr(prefix.size());
  const std::string_view name = request.substr(0, request.find('?'));
  std::string known;
  for (const generator& g : generators()) {
    known += (known.empty() ? "" : ", ") + std::string(g.name);
    if (g.name != name) continue;
    const arguments a(g, request.substr(std::min(name.size() + 1, request.size())));
    matrix_entries result;
    result.entries = g.make(a);
    result.origin = "generated";
    return result;
  }
  throw error(failure::usage, "unknown generator \"" + std::string(name) + "\"; known: " + known);
}

std::string describe_generators() {
  const auto padded = [](std::string text, std::size_t width) {
    text.resize(std::max(text.size() + 1, width), ' ');
    return text;
  };
  std::string text;
  for (const generator& g : generators()) {
    text += padded(std::string(prefix) + g.name, 16) + g.purpose + "\n";
    for (const parameter& p : g.parameters)
      text += "    " + padded(std::string(p.name) + "=" + p.standard, 32) +
              padded(as_text(p.lowest) + ".." + as_text(p.highest), 16) + p.meaning + "\n";
  }
  return text;
}

}  // namespace sparsmith
