// CSB, eCSB, GCSB and GCSB's layout `tile` on OpenMP: blocks share rows and columns alike, so either product
// sums up in memory of the thread's own and differs only in which place of an entry names the output; both at
// once sum up in two such places.
#include "convert/formats/block_index.hpp"
#include "kernels/cpu/panels.hpp"
#include "kernels/table.hpp"

namespace sparsmith {
namespace {

struct csb_tuning {
  // Lanes or block rows that are walked abreast: memory is read in order, and their corners are looked up
  // once.
  static constexpr std::int64_t abreast = 64;
};
constexpr std::int64_t abreast = csb_tuning::abreast;

struct cell {
  std::int64_t row, col;
};

// The beta x beta blocks of a matrix.
struct block_grid {
  std::int64_t beta, blocks_across;
  block_cells cells;

  template <class Matrix>
  explicit block_grid(const Matrix& m)
      : beta(m.beta),
        blocks_across((m.cols + std::int64_t{m.beta} - 1) / m.beta),
        cells{std::countr_zero(static_cast<unsigned>(m.beta)), static_cast<block_order>(m.order)} {}

  cell corner_of(std::int64_t position) const {
    return {position / blocks_across * beta, position % blocks_across * beta};
  }
  cell place(const cell& corner, std::uint32_t combined) const {
    return {corner.row + cells.row_of(combined), corner.col + cells.col_of(combined)};
  }
};

// Units: the stored blocks.
template <class Offset, class Value>
struct csb_walk {
  static constexpr kernel_info info{.name = "csb/omp",
                                    .description = "a run of blocks with equal work for every thread",
                                    .source = "ours",
                                    .repeatable = {.multiply = true, .transposed = true, .both = true},
                                    .computes = {.multiply = true, .transposed = true, .both = true},
                                    .facts = cpu_facts};
  using matrix = csb_view<Offset, Value, host>;
  matrix m;
  block_grid grid{m};

  std::int64_t units() const { return m.block_offsets.size() - 1; }
  std::int64_t slots_before(std::int64_t block) const { return m.block_offsets[block]; }
  template <class Each>
  void operator()(std::int64_t first, std::int64_t last, Each each) const {
    const index_reader index{m.combined16.data(), m.combined32.data()};
    for (std::int64_t b = first; b < last; ++b) {
      const cell corner = grid.corner_of(m.dense_blocks != 0 ? b : std::int64_t{m.block_indices[b]});
      for (std::int64_t e = m.block_offsets[b]; e < m.block_offsets[b + 1]; ++e) {
        const cell at = grid.place(corner, index[e]);
        each(at.row, at.col, m.values[e]);
      }
    }
  }
};

// Units: the block rows of the ELL part, then the entries of the rest.
template <class Offset, class Value>
struct ecsb_walk {
  static constexpr kernel_info info{.name = "ecsb/omp",
                                    .description = "a run of block rows or of the rest for every thread",
                                    .source = "ours",
                                    .repeatable = {.multiply = true, .transposed = true, .both = true},
                                    .computes = {.multiply = true, .transposed = true, .both = true},
                                    .facts = cpu_facts};
  using matrix = ecsb_view<Offset, Value, host>;
  matrix m;
  block_grid grid{m};

  std::int64_t block_rows() const { return m.block_row_offsets.size() - 1; }
  std::int64_t units() const { return block_rows() + m.rest_values.size(); }
  std::int64_t slots_before(std::int64_t unit) const {
    const std::int64_t block_row = std::min(unit, block_rows());
    return block_row * m.width + (unit - block_row);
  }
  template <class Each>
  void operator()(std::int64_t first, std::int64_t last, Each each) const {
    for (std::int64_t b = first; b < std::min(last, block_rows()); b += abreast)
      front(b, std::min({b + abreast, last, block_rows()}), each);
    rest(std::max(first, block_rows()) - block_rows(), last - block_rows(), each);
  }

 private:
  template <class Each>
  void front(std::int64_t first, std::int64_t last, Each each) const {
    const index_reader index{m.ell_combined16.data(), m.ell_combined32.data()};
    for (std::int64_t k = 0; k < m.width; ++k)
      for (std::int64_t b = first; b < last; ++b) {
        if (k >= m.block_row_offsets[b + 1] - m.block_row_offsets[b]) continue;
        const std::int64_t slot = k * block_rows() + b;
        // The block row is known, which spares a division.
        const std::int64_t block_col = m.ell_block_indices[slot] - b * grid.blocks_across;
        const cell at = grid.place({b * grid.beta, block_col * grid.beta}, index[slot]);
        each(at.row, at.col, m.ell_values[slot]);
      }
  }
  template <class Each>
  void rest(std::int64_t first, std::int64_t last, Each each) const {
    const index_reader index{m.rest_combined16.data(), m.rest_combined32.data()};
    cell corner{};
    for (std::int64_t e = first; e < last; ++e) {
      // The entries of a block follow one another.
      if (e == first || m.rest_block_indices[e] != m.rest_block_indices[e - 1])
        corner = grid.corner_of(m.rest_block_indices[e]);
      const cell at = grid.place(corner, index[e]);
      each(at.row, at.col, m.rest_values[e]);
    }
  }
};

// Units: the groups.
template <class Offset, class Value>
struct gcsb_walk {
  static constexpr kernel_info info{.name = "gcsb/omp",
                                    .description = "a run of groups with equal work for every thread",
                                    .source = "ours",
                                    .repeatable = {.multiply = true, .transposed = true, .both = true},
                                    .computes = {.multiply = true, .transposed = true, .both = true},
                                    .facts = cpu_facts};
  using matrix = gcsb_view<Offset, Value, host>;
  matrix m;
  block_grid grid{m};

  std::int64_t units() const { return m.group_offsets.size() - 1; }
  std::int64_t slots_before(std::int64_t group) const { return m.group_offsets[group]; }
  template <class Each>
  void operator()(std::int64_t first, std::int64_t last, Each each) const {
    for (std::int64_t g = first; g < last; ++g) {
      const std::int64_t lanes = std::min<std::int64_t>(m.group_size, m.filled_blocks - g * m.group_size);
      for (std::int64_t lane = 0; lane < lanes; lane += abreast)
        walk_lanes(g, lane, std::min(abreast, lanes - lane), each);
    }
  }

 private:
  template <class Each>
  void walk_lanes(std::int64_t group, std::int64_t first_lane, std::int64_t lanes, Each each) const {
    const index_reader index{m.combined16.data(), m.combined32.data()};
    cell corners[abreast];
    for (std::int64_t i = 0; i < lanes; ++i)
      corners[i] = grid.corner_of(m.block_indices[group * m.group_size + first_lane + i]);
    const std::int64_t first_line = m.group_offsets[group];
    for (std::int64_t line = first_line; line < m.group_offsets[group + 1]; line += m.group_size)
      for (std::int64_t i = 0; i < lanes; ++i) {
        const std::int64_t slot = line + first_lane + i;
        if (line > first_line && index[slot] == index[slot - m.group_size]) continue;  // padding
        const cell at = grid.place(corners[i], index[slot]);
        each(at.row, at.col, m.values[slot]);
      }
  }
};

// The model was fitted as if this were launched as often as the GPU's is.
constexpr kernel_facts tile_facts{.walk = kernel_facts::rows::balanced,
                                  .launches = {.multiply = 2, .transposed = 2, .both = 2},
                                  .launches_to_renumber = 1};

// Units: the tiles, then the entries of the rest.
template <class Offset, class Value>
struct gcsb_tile_walk {
  static constexpr kernel_info info{.name = "gcsb/tile-omp",
                                    .description = "a run of tiles or of the rest for every thread",
                                    .source = "ours",
                                    .repeatable = {.multiply = true, .transposed = true, .both = true},
                                    .computes = {.multiply = true, .transposed = true, .both = true},
                                    .facts = tile_facts};
  using matrix = gcsb_tile_view<Offset, Value, host>;
  matrix m;
  tile_cells cells{m.tile_height, m.tile_width, m.group_size};

  std::int64_t units() const { return m.tile_rows.size() + m.rest_values.size(); }
  std::int64_t slots_before(std::int64_t unit) const {
    const std::int64_t tile = std::min(unit, m.tile_rows.size());
    return std::int64_t{m.tile_offsets[tile]} * m.group_size + (unit - tile);
  }
  template <class Each>
  void operator()(std::int64_t first, std::int64_t last, Each each) const {
    const index_reader index{m.combined16.data(), m.combined32.data()};
    const std::int64_t tiles = m.tile_rows.size();
    for (std::int64_t t = first; t < std::min(last, tiles); ++t) {
      const std::int64_t top = std::int64_t{m.tile_rows[t]} * m.tile_height,
                         left = std::int64_t{m.tile_cols[t]} * m.tile_width;
      for (std::int64_t step = m.tile_offsets[t]; step < m.tile_offsets[t + 1]; ++step)
        for (std::int32_t lane = 0; lane < m.group_size; ++lane) {
          const std::int64_t slot = cells.slot(step, lane);
          if (cells.is_padding(index[slot])) continue;
          const std::int64_t row = top + cells.row(index[slot], static_cast<std::uint32_t>(lane)),
                             col = left + cells.col(index[slot]);
          if (m.renumbered != 0)
            each(m.row_order[row], m.col_order[col], m.values[slot]);
          else
            each(row, col, m.values[slot]);
        }
    }
    for (std::int64_t e = std::max(first, tiles) - tiles; e < last - tiles; ++e)
      each(m.rest_row_indices[e], m.rest_col_indices[e], m.rest_values[e]);
  }
};

template <class Walk>
struct blocks_omp : scatter_sum<typename Walk::matrix::value_type, Walk> {
  static constexpr kernel_info info = Walk::info;
  using matrix = typename Walk::matrix;
  struct many : panel_scatter<typename matrix::value_type, Walk> {
    many(openmp, const matrix& m, operation op, std::int64_t vectors)
        : panel_scatter<typename matrix::value_type, Walk>(m.rows, m.cols, op, vectors, chunks_of(Walk{m}),
                                                           Walk{m}) {}
  };

  blocks_omp(openmp, const matrix& m, operation op)
      : scatter_sum<typename matrix::value_type, Walk>(m.rows, m.cols, op, chunks_of(Walk{m}), Walk{m}) {}
};

template <class Offset, class Value>
class gcsb_tile_half_omp {
 public:
  static constexpr kernel_info info{.name = "gcsb/tile-half-omp",
                                    .description = "as gcsb/tile-omp, an entry and its mirror image at once",
                                    .source = "ours",
                                    .repeatable = products_of_half,
                                    .facts = cpu_facts};
  using matrix = gcsb_tile_half_view<Offset, Value, host>;

  gcsb_tile_half_omp(openmp, const matrix& m, operation op)
      : gcsb_tile_half_omp(walk{{m.upper}, m.mirror()}, sign_of_product(m, op)) {}
  std::int64_t bytes() const { return sums_.bytes(); }

  void run(Value alpha, const Value* x, Value beta, Value* y) { sums_.run(sign_ * alpha, x, beta, y); }

 private:
  using walk = with_mirror_images<gcsb_tile_walk<Offset, Value>, Value>;

  gcsb_tile_half_omp(const walk& entries, Value sign)
      : sign_(sign),
        sums_(entries.half.m.rows, entries.half.m.cols, operation::multiply, chunks_of(entries), entries) {}

  Value sign_;
  scatter_sum<Value, walk> sums_;
};

}  // namespace

template <class Offset, class Value>
struct table_of<csb_view<Offset, Value, host>> {
  static kernel_table<csb_view<Offset, Value, host>> lines() {
    return {kernel_of<blocks_omp<csb_walk<Offset, Value>>>()};
  }
};
template <class Offset, class Value>
struct table_of<ecsb_view<Offset, Value, host>> {
  static kernel_table<ecsb_view<Offset, Value, host>> lines() {
    return {kernel_of<blocks_omp<ecsb_walk<Offset, Value>>>()};
  }
};
template <class Offset, class Value>
struct table_of<gcsb_view<Offset, Value, host>> {
  static kernel_table<gcsb_view<Offset, Value, host>> lines() {
    return {kernel_of<blocks_omp<gcsb_walk<Offset, Value>>>()};
  }
};
template <class Offset, class Value>
struct table_of<gcsb_tile_view<Offset, Value, host>> {
  static kernel_table<gcsb_tile_view<Offset, Value, host>> lines() {
    return {kernel_of<blocks_omp<gcsb_tile_walk<Offset, Value>>>()};
  }
};
template <class Offset, class Value>
struct table_of<gcsb_tile_half_view<Offset, Value, host>> {
  static kernel_table<gcsb_tile_half_view<Offset, Value, host>> lines() {
    return {kernel_of<gcsb_tile_half_omp<Offset, Value>>()};
  }
};

#define SPARSMITH_INSTANTIATE_WHOLE(O, V)                                                \
  template kernel_table<csb_view<O, V, host>> kernels_of(const csb_view<O, V, host>&);   \
  template kernel_table<ecsb_view<O, V, host>> kernels_of(const ecsb_view<O, V, host>&); \
  template kernel_table<gcsb_view<O, V, host>> kernels_of(const gcsb_view<O, V, host>&); \
  template kernel_table<gcsb_tile_view<O, V, host>> kernels_of(const gcsb_tile_view<O, V, host>&);
SPARSMITH_INSTANTIATE_WHOLE(std::int32_t, complex64)
SPARSMITH_INSTANTIATE_WHOLE(std::int32_t, complex128)
SPARSMITH_INSTANTIATE_WHOLE(std::int64_t, complex64)
SPARSMITH_INSTANTIATE_WHOLE(std::int64_t, complex128)
#define SPARSMITH_INSTANTIATE(O, V) \
  SPARSMITH_INSTANTIATE_WHOLE(O, V) \
  template kernel_table<gcsb_tile_half_view<O, V, host>> kernels_of(const gcsb_tile_half_view<O, V, host>&);
SPARSMITH_INSTANTIATE(std::int32_t, float)
SPARSMITH_INSTANTIATE(std::int32_t, double)
SPARSMITH_INSTANTIATE(std::int64_t, float)
SPARSMITH_INSTANTIATE(std::int64_t, double)

}  // namespace sparsmith
