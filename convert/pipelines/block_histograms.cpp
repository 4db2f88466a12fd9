// Blocks by the number of their entries on OpenMP. A size whose sides are multiples of another's adds up the
// blocks of that one instead of entries, so that sizes form chains: 2 x 2, 4 x 4, 8 x 8 and so on are one,
// 3 x 3 and 5 x 5 one each.
#include <omp.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "convert/backend/own_memory.hpp"
#include "convert/backend/parallel_guard.hpp"
#include "convert/formats/sizes.hpp"
#include "convert/pipelines/structure.hpp"

namespace sparsmith {
namespace {

struct counter_tuning {
  static constexpr std::size_t few_entries = 1 << 12;  // blocks with fewer have a counter by number
  // Counters of all block columns may take so many times the matrix; beyond that they are looked up.
  static constexpr std::int64_t times_matrix = 16;
};

using histogram = std::map<std::int64_t, std::int64_t>;

// One size of a chain, for one thread.
class size_counter {
 public:
  // `counters` has one for every block column; without it they are looked up, which takes memory for those
  // in use only.
  size_counter(block_size size, std::int32_t* counters) : size_(size), counters_(counters) {}

  void add(std::int32_t block_col, std::int32_t entries) {
    if (counters_ == nullptr) {
      found_[block_col] += entries;
      return;
    }
    if (counters_[block_col] == 0) touched_.push_back(block_col);
    counters_[block_col] += entries;
  }

  // The end of a block row: every block is complete. `next` takes the blocks over, where there is one.
  void finish(size_counter* next) {
    const std::int32_t ratio = next == nullptr ? 1 : next->size_.cols / size_.cols;
    const auto count = [&](std::int32_t block_col, std::int32_t entries) {
      if (static_cast<std::size_t>(entries) < blocks_.size())
        ++blocks_[static_cast<std::size_t>(entries)];
      else
        ++full_blocks_[entries];
      if (next != nullptr) next->add(block_col / ratio, entries);
    };
    for (const std::int32_t block_col : touched_) count(block_col, std::exchange(counters_[block_col], 0));
    for (const auto& [block_col, entries] : found_) count(block_col, entries);
    touched_.clear();
    found_.clear();
  }

  void add_to(histogram& total) const {
    for (std::size_t n = 0; n < blocks_.size(); ++n)
      if (blocks_[n] > 0) total[static_cast<std::int64_t>(n)] += blocks_[n];
    for (const auto& [entries, blocks] : full_blocks_) total[entries] += blocks;
  }

  const block_size& size() const { return size_; }

 private:
  block_size size_;
  std::int32_t* counters_;  // of the open block row
  std::vector<std::int32_t> touched_;
  std::unordered_map<std::int32_t, std::int32_t> found_;
  std::vector<std::int64_t> blocks_ = std::vector<std::int64_t>(counter_tuning::few_entries);  // by entries
  histogram full_blocks_;
};

using chain = std::vector<block_size>;

// Every size goes to the chain whose last one divides it, the largest such; else it begins one.
std::vector<chain> make_chains(std::vector<block_size> sizes) {
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  std::vector<chain> chains;
  for (const block_size& size : sizes) {
    chain* best = nullptr;
    for (chain& c : chains) {
      const block_size& last = c.back();
      if (size.rows % last.rows == 0 && size.cols % last.cols == 0 &&
          (best == nullptr || best->back().rows * best->back().cols < last.rows * last.cols))
        best = &c;
    }
    if (best == nullptr)
      chains.push_back({size});
    else
      best->push_back(size);
  }
  return chains;
}

std::int64_t counters_of(const chain& sizes, std::int32_t cols) {
  std::int64_t counters = 0;
  for (const block_size& size : sizes) counters += groups_of(cols, size.cols);
  return counters;
}

// Rows first..last, which are whole block rows of the chain's largest size.
template <class Offset>
void walk_rows(std::vector<size_counter>& links, std::int64_t rows, std::int64_t first, std::int64_t last,
               const Offset* row_offsets, const std::int32_t* cols) {
  const auto width = static_cast<std::uint32_t>(links[0].size().cols);
  for (std::int64_t row = first; row < last; ++row) {
    const Offset end = row_offsets[row + 1];
    for (Offset e = row_offsets[row]; e < end;) {
      const std::uint32_t block_col = static_cast<std::uint32_t>(cols[e]) / width;
      const std::uint64_t next_col = (std::uint64_t{block_col} + 1) * width;
      const Offset start = e++;
      while (e < end && static_cast<std::uint64_t>(cols[e]) < next_col) ++e;
      links[0].add(static_cast<std::int32_t>(block_col), static_cast<std::int32_t>(e - start));
    }
    for (std::size_t l = 0; l < links.size(); ++l) {
      if ((row + 1) % links[l].size().rows != 0 && row + 1 < rows) break;
      links[l].finish(l + 1 < links.size() ? &links[l + 1] : nullptr);
    }
  }
}

template <class Offset>
std::map<block_size, histogram> count_on_threads(const std::vector<chain>& chains, std::int64_t rows,
                                                 std::int32_t cols, const Offset* row_offsets,
                                                 const std::int32_t* col_indices, std::int64_t matrix_bytes) {
  std::int64_t counters_each = 0, height = 1;
  for (const chain& c : chains) {
    counters_each += counters_of(c, cols);
    height = std::max<std::int64_t>(height, c.back().rows);
  }
  // Where columns are far more than entries, even one thread would have more counters than the matrix has.
  const bool looked_up = counters_each * 4 > counter_tuning::times_matrix * matrix_bytes;
  const int threads = threads_with_own(counters_each * 4, matrix_bytes);
  array<std::int32_t, host> counters(looked_up ? 0 : counters_each * threads);
  std::map<block_size, histogram> totals;
  parallel_guard guard;  // lists and histograms grow with what is found
#pragma omp parallel num_threads(threads)
  {
    std::int32_t* memory = nullptr;
    if (!looked_up) {
      memory = counters.data() + counters_each * omp_get_thread_num();
      std::fill_n(memory, counters_each, 0);
    }
    std::vector<std::vector<size_counter>> own;
    guard.run([&] {
      for (const chain& c : chains) {
        own.emplace_back();
        for (const block_size& size : c) {
          own.back().emplace_back(size, memory);
          if (!looked_up) memory += groups_of(cols, size.cols);
        }
      }
    });
    // Each stretch of rows is walked once for every chain, while it is in the cache. A chain's block row
    // belongs to the stretch that it starts in.
#pragma omp for schedule(dynamic)
    for (std::int64_t stretch = 0; stretch < groups_of(rows, height); ++stretch)
      guard.run([&] {
        for (std::vector<size_counter>& links : own) {
          const std::int64_t tallest = links.back().size().rows;
          const auto start = [&](std::int64_t row) {
            return std::min(rows, groups_of(std::min(row, rows), tallest) * tallest);
          };
          walk_rows(links, rows, start(stretch * height), start((stretch + 1) * height), row_offsets,
                    col_indices);
        }
      });
#pragma omp critical
    guard.run([&] {
      for (const std::vector<size_counter>& links : own)
        for (const size_counter& one : links) one.add_to(totals[one.size()]);
    });
  }
  guard.rethrow();
  return totals;
}

}  // namespace

template <class Backend, class Offset>
block_histograms count_blocks_by_entries(Backend, csr_pattern<Offset, space_on<Backend>> matrix,
                                         const std::vector<block_size>& sizes,
                                         const std::function<void()>& meanwhile) {
  for (const block_size& size : sizes) require_block_size(size);
  meanwhile();
  const auto totals = count_on_threads(make_chains(sizes), matrix.rows, matrix.cols,
                                       matrix.row_offsets.data(), matrix.col_indices.data(), matrix.bytes());
  block_histograms result;
  for (const block_size& size : sizes) {
    std::vector<size_count>& list = result[size];
    list.clear();
    for (const auto& [entries, blocks] : totals.at(size)) list.push_back({entries, blocks});
  }
  return result;
}

template block_histograms count_blocks_by_entries(openmp, csr_pattern<std::int32_t, host>,
                                                  const std::vector<block_size>&,
                                                  const std::function<void()>&);
template block_histograms count_blocks_by_entries(openmp, csr_pattern<std::int64_t, host>,
                                                  const std::vector<block_size>&,
                                                  const std::function<void()>&);

}  // namespace sparsmith
