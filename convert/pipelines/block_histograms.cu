// Blocks by the number of their entries on CUDA. Where entries lie close together, 2 x 2 to 32 x 32 come from
// one walk and 3 x 3 and 5 x 5 from another (block_masks.hpp). Elsewhere 2 x 2, 4 x 4 and 8 x 8 do, and all
// other sizes have a walk each (block_counter.hpp): from 8 x 8 on the blocks of a size are written out, and
// larger ones that they divide add them up instead of entries. Which it is, a GPU finds out by itself:
// kernels of both ways are launched, and those of one return at once.
#include <algorithm>
#include <map>
#include <memory>

#include "convert/backend/device.hpp"
#include "convert/formats/sizes.hpp"
#include "convert/pipelines/block_counter.hpp"
#include "convert/pipelines/block_masks.hpp"
#include "convert/pipelines/structure.hpp"

namespace sparsmith {
namespace {

// Chosen by hand; bench_analyze shows what a change does.
struct histogram_tuning {
  // Thread blocks of a multiprocessor, in a launch in which all should have something to do.
  static constexpr std::int64_t busy_blocks = 8;
  // Those for short block rows are so many times as many: whoever is done early makes room for others.
  static constexpr std::int64_t short_times_busy = 4;
  // Blocks from that area on are written out for larger sizes; smaller ones may be nearly as many as entries.
  static constexpr std::int64_t least_listed_area = 64;
  static constexpr std::int64_t most_listing_blocks = 1024;  // thread blocks that look for bins in use
};

// All threads look for rows that are too long; where a warp has seen one the answer is known, and it takes no
// sample: along long rows that is slow.
template <class Offset>
__global__ void __launch_bounds__(count_tuning::threads)
    sample_closeness(std::uint32_t rows, const Offset* row_offsets, const std::int32_t* cols,
                     closeness* found) {
  const std::uint32_t thread = blockIdx.x * count_tuning::threads + threadIdx.x,
                      all_of_them = gridDim.x * count_tuning::threads;
  bool any_long = false;
  const auto look_at = [&](std::uint64_t row) {
    any_long |= row_offsets[row + 1] - row_offsets[row] > closeness_tuning::long_row;
  };
  for (std::uint64_t row = thread; row < rows; row += all_of_them) look_at(row);
  const std::uint32_t strips = rows / 32 + 1, warp = thread / 32;
  constexpr std::uint32_t warps = closeness_tuning::sampling_blocks * count_tuning::threads / 32;
  const bool samples = warp < min(warps, strips);
  const std::uint64_t strip = strips >= warps ? std::uint64_t{strips} * warp / warps : warp;
  const std::uint64_t own_row = strip * 32 + threadIdx.x % 32;
  if (samples && own_row < rows) look_at(own_row);
  __syncwarp();
  if (__any_sync(~0u, any_long)) {
    if (threadIdx.x % 32 == 0) found->any_long_row = true;
    return;
  }
  if (!samples) return;
  unsigned squares = 0, entries = 0;
  row_cursors<Offset> cursors(rows, row_offsets, cols, own_row, true);
  for (std::uint32_t block_col = 0, places = 0;
       squares < closeness_tuning::most_squares && cursors.template next<32>(block_col, places); ++squares)
    entries += __popc(places);
  __syncwarp();
  entries = __reduce_add_sync(~0u, entries);
  if (threadIdx.x % 32 != 0) return;
  atomicAdd(&found->entries, static_cast<unsigned long long>(entries));
  atomicAdd(&found->squares, static_cast<unsigned long long>(squares));
}

template <class Offset, class Squares>
__global__ void __launch_bounds__(count_tuning::threads, count_tuning::close_resident)
    count_close_rows(std::uint32_t rows, const Offset* row_offsets, const std::int32_t* cols, size_bins bins,
                     listing listed, const closeness* found) {
  if (!found->close()) return;
  __shared__ unsigned near_counts[Squares::near(Squares::sizes)];
  for (std::uint32_t i = threadIdx.x; i < Squares::near(Squares::sizes); i += count_tuning::threads)
    near_counts[i] = 0;
  __syncthreads();
  Squares squares;
  const std::uint64_t strips = (std::uint64_t{rows} + Squares::side - 1) / Squares::side;
  for (std::uint64_t strip = (std::uint64_t{blockIdx.x} * count_tuning::threads + threadIdx.x) / 32;
       strip < strips; strip += gridDim.x * (count_tuning::threads / 32))
    count_squares(rows, row_offsets, cols, static_cast<std::uint32_t>(strip), listed, squares, near_counts);
  __syncwarp();
  squares.flush(threadIdx.x % 32, near_counts);
  __syncthreads();
  for (int size = 0; size < Squares::sizes; ++size)
    for (std::uint32_t i = Squares::near(size) + threadIdx.x; i < Squares::near(size + 1);
         i += count_tuning::threads)
      if (bins.of[size] != nullptr && near_counts[i] > 0)
        atomicAdd(bins.of[size] + (i - Squares::near(size)), static_cast<unsigned long long>(near_counts[i]));
}

template <class Offset, class Tally>
__global__ void __launch_bounds__(count_tuning::threads, count_tuning::short_resident)
    count_short_rows(items<Offset> source, size_shape shape, size_bins bins, listing listed,
                     long_block_row* long_rows, long_block_rows* found, const closeness* unless_close) {
  if (unless_close != nullptr && unless_close->close()) return;
  extern __shared__ __align__(16) std::uint32_t scratch[];
  __shared__ shared_state shared;
  block_counter<Offset, Tally> counter(source, shape, listed, bins, scratch, short_words<Tally>, shared);
  for (std::int64_t first = std::int64_t{blockIdx.x} * shape.block_rows_each; first < shape.block_rows;
       first += std::int64_t{gridDim.x} * shape.block_rows_each)
    counter.count_chunk(static_cast<std::uint32_t>(first), scratch + short_words<Tally>, long_rows, found);
  counter.flush();
}

// The block rows on the list, each by the thread block that comes first.
template <class Offset, class Tally>
__global__ void __launch_bounds__(count_tuning::long_threads, count_tuning::long_resident)
    count_long_rows(items<Offset> source, size_shape shape, size_bins bins, listing listed,
                    const long_block_row* long_rows, long_block_rows* found, const closeness* unless_close) {
  if (unless_close != nullptr && unless_close->close()) return;
  extern __shared__ __align__(16) std::uint32_t scratch[];
  __shared__ shared_state shared;
  if (threadIdx.x == 0) shared.block_row = atomicAdd(&found->taken, 1u);
  __syncthreads();
  if (shared.block_row >= found->count) return;
  block_counter<Offset, Tally> counter(source, shape, listed, bins, scratch, count_tuning::long_words,
                                       shared);
  for (;;) {
    __syncthreads();
    const unsigned own = shared.block_row;
    if (own >= found->count) break;
    unsigned next = 0;
    if (threadIdx.x == 0) next = atomicAdd(&found->taken, 1u);  // comes while this one is counted
    counter.count_long(long_rows[own]);
    if (threadIdx.x == 0) shared.block_row = next;
  }
  counter.flush();
}

struct found_bin {
  std::int64_t bin;
  unsigned long long blocks;
};
__global__ void list_bins(std::int64_t bins, const unsigned long long* blocks, found_bin* found,
                          unsigned* count) {
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < bins;
       i += std::int64_t{gridDim.x} * blockDim.x)
    if (blocks[i] > 0) found[atomicAdd(count, 1u)] = {i, blocks[i]};
}

// The blocks of one size as they were written out.
struct block_list {
  block_size size;
  array<std::int32_t, device> cols, amounts, lengths;
  listing places() { return {cols.data(), amounts.data(), lengths.data()}; }
};

// Thread blocks that all have something to do.
std::int64_t busy_blocks() {
  return std::int64_t{multiprocessors()} * histogram_tuning::busy_blocks;
}

// The blocks of one size, or of those that a tally finds together.
template <class Offset, class Tally>
struct size_count_on_gpu {
  items<Offset> source;
  size_shape shape;
  size_bins bins;
  listing listed;
  long_block_row* long_rows;
  long_block_rows* found;
  const closeness* unless_close;

  // Those of short block rows. The others are listed.
  void count_short(CUstream_st* stream) const {
    launch(count_short_rows<Offset, Tally>, stream,
           std::min(groups_of(shape.block_rows, shape.block_rows_each),
                    histogram_tuning::short_times_busy * busy_blocks()),
           count_tuning::threads, short_words<Tally> + count_tuning::most_lines + 1);
  }
  // Those that are listed, by so many thread blocks a multiprocessor. Several calls share them.
  void count_long(CUstream_st* stream, int resident) const {
    launch(count_long_rows<Offset, Tally>, stream, std::int64_t{multiprocessors()} * resident,
           count_tuning::long_threads, count_tuning::long_words);
  }

 private:
  template <class Kernel>
  void launch(Kernel* kernel, CUstream_st* stream, std::int64_t blocks, int block_threads,
              std::uint32_t words) const {
    check_cuda(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                                    cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(words * 4)));
    kernel<<<static_cast<unsigned>(blocks), block_threads, words * 4, stream>>>(
        source, shape, bins, listed, long_rows, found, unless_close);
    check_cuda(cudaGetLastError());
  }
};

// A matrix whose blocks are counted, and what is used again for every size.
template <class Offset>
struct block_count {
  cuda on;
  std::int64_t rows;
  std::int32_t cols;
  std::int64_t entries;
  const Offset* row_offsets;
  const std::int32_t* col_indices;
  array<long_block_row, device> long_rows;
  array<long_block_rows, device> found;  // one for every launch
  array<closeness, device> sample;
  std::int64_t launches = 0;

  block_count(cuda where, const csr_pattern<Offset, device>& matrix, std::int64_t most_launches)
      : on(where),
        rows(matrix.rows),
        cols(matrix.cols),
        entries(matrix.entries()),
        row_offsets(matrix.row_offsets.data()),
        col_indices(matrix.col_indices.data()),
        long_rows(most_long_rows(1)),
        found(most_launches),
        sample(1) {
    check_cuda(cudaMemsetAsync(found.data(), 0,
                               static_cast<std::size_t>(most_launches) * sizeof(long_block_rows), on.stream));
  }

  // Block rows of so many rows that may be listed, with the windows of those that are cut.
  std::int64_t most_long_rows(std::int64_t rows_each) const {
    return groups_of(rows, rows_each) + entries / count_tuning::items_to_cut * count_tuning::most_windows;
  }

  void find_closeness() {
    check_cuda(cudaMemsetAsync(sample.data(), 0, sizeof(closeness), on.stream));
    const std::int64_t thread_blocks = std::max<std::int64_t>(
        closeness_tuning::sampling_blocks, std::min(groups_of(rows, count_tuning::threads), busy_blocks()));
    sample_closeness<<<static_cast<unsigned>(thread_blocks), count_tuning::threads, 0, on.stream>>>(
        static_cast<std::uint32_t>(rows), row_offsets, col_indices, sample.data());
    check_cuda(cudaGetLastError());
  }

  template <class Squares>
  void run_if_close(CUstream_st* stream, const size_bins& bins, block_list* list) {
    const std::int64_t warps = groups_of(rows, Squares::side),
                       thread_blocks = std::int64_t{multiprocessors()} * count_tuning::close_resident;
    count_close_rows<Offset, Squares>
        <<<static_cast<unsigned>(std::min(groups_of(warps, count_tuning::threads / 32), thread_blocks)),
           count_tuning::threads, 0, stream>>>(static_cast<std::uint32_t>(rows), row_offsets, col_indices,
                                               bins, list == nullptr ? listing{} : list->places(),
                                               sample.data());
    check_cuda(cudaGetLastError());
  }

  block_list list_of(block_size size) const {
    return {size, array<std::int32_t, device>(entries), array<std::int32_t, device>(entries),
            array<std::int32_t, device>(groups_of(rows, size.rows))};
  }

  // How blocks of `size`, and those that the tally finds within them, are counted: from entries or from
  // smaller blocks; written to `list` where there is one.
  template <class Tally>
  size_count_on_gpu<Offset, Tally> plan(block_size size, const block_list* smaller, const size_bins& bins,
                                        block_list* list, long_block_row* own_long_rows,
                                        const closeness* unless_close) {
    const auto row_count = static_cast<std::uint32_t>(rows);
    items<Offset> source{row_count, row_offsets, col_indices};
    std::int32_t width = 1;  // columns of an item
    if (smaller != nullptr) {
      source = {row_count,
                row_offsets,
                smaller->cols.data(),
                static_cast<std::uint32_t>(smaller->size.rows),
                smaller->lengths.data(),
                smaller->amounts.data()};
      width = smaller->size.cols;
    } else if (!Tally::rows_matter && groups_of(cols, size.cols) <= count_tuning::long_words) {
      // The entries of a block row lie one behind the other; apart they are where a table has no room for all
      // block columns, so that each row can be cut.
      source.height = static_cast<std::uint32_t>(size.rows);
    }
    const auto rows_each = static_cast<std::uint32_t>(size.rows);
    size_shape shape{static_cast<std::uint32_t>(groups_of(rows, source.height)),
                     static_cast<std::uint32_t>(groups_of(rows, size.rows)),
                     static_cast<std::uint32_t>(groups_of(cols, size.cols)),
                     divisor(rows_each / source.height),
                     divisor(static_cast<std::uint32_t>(size.cols / width)),
                     rows_each,
                     1};
    shape.block_rows_each = static_cast<std::uint32_t>(
        std::clamp<std::int64_t>(std::min({shape.block_rows / busy_blocks(),
                                           std::int64_t{count_tuning::most_lines / shape.lines_each.number},
                                           std::int64_t{0xfffffffe} / shape.block_cols}),
                                 1, count_tuning::most_block_rows));
    const listing listed = list == nullptr ? listing{} : list->places();
    return {source, shape, bins, listed, own_long_rows, found.data() + launches++, unless_close};
  }

  template <class Tally>
  void run(block_size size, const block_list* smaller, const size_bins& bins, block_list* list,
           const closeness* unless_close) {
    const auto counting = plan<Tally>(size, smaller, bins, list, long_rows.data(), unless_close);
    counting.count_short(on.stream);
    counting.count_long(on.stream, count_tuning::long_resident);
  }
};

template <class Offset>
block_histograms count_on_gpu(cuda on, const csr_pattern<Offset, device>& matrix,
                              std::vector<block_size> sizes, const std::function<void()>& meanwhile) {
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  block_histograms result;
  for (const block_size& size : sizes) result[size];
  const std::int64_t entries = matrix.entries();
  if (entries == 0 || sizes.empty()) {
    meanwhile();
    return result;
  }
  std::vector<std::int64_t> first_bins = {0};  // of each size
  for (const block_size& size : sizes) {
    const std::int64_t most = std::min(size.area(), entries);
    first_bins.push_back(first_bins.back() + std::max<std::int64_t>(most, count_tuning::near_bins) + 1);
  }
  array<unsigned long long, device> bins(first_bins.back());
  array<unsigned, device> found_count(1);
  check_cuda(cudaMemsetAsync(bins.data(), 0, static_cast<std::size_t>(bins.size()) * 8, on.stream));
  check_cuda(cudaMemsetAsync(found_count.data(), 0, 4, on.stream));
  block_count<Offset> count(on, matrix, std::ssize(sizes));
  const auto bins_of = [&](const block_size& size) -> unsigned long long* {
    const auto place = std::lower_bound(sizes.begin(), sizes.end(), size);
    return place == sizes.end() || *place != size
               ? nullptr
               : bins.data() + first_bins[static_cast<std::size_t>(place - sizes.begin())];
  };

  std::vector<block_list> lists;  // the last one whose sizes divide a size serves it
  const auto divides = [](const block_size& small, const block_size& large) {
    return small != large && large.rows % small.rows == 0 && large.cols % small.cols == 0;
  };
  const auto wanted_as_list = [&](const block_size& size) {
    return size.area() >= histogram_tuning::least_listed_area &&
           std::any_of(sizes.begin(), sizes.end(),
                       [&](const block_size& other) { return divides(size, other); });
  };
  const auto has = [&](std::int32_t side) { return bins_of({side, side}) != nullptr; };
  const auto has_any = [&](std::initializer_list<std::int32_t> sides) {
    return std::any_of(sides.begin(), sides.end(), has);
  };
  const auto in_a_walk = [](const block_size& size) {
    return size.rows == size.cols && (size.rows == 2 || size.rows == 3 || size.rows == 4 || size.rows == 5 ||
                                      size.rows == 8 || size.rows == 16 || size.rows == 32);
  };
  // Of the blocks that come from one walk only those of 32 x 32 are listed.
  const bool may_be_close = std::all_of(sizes.begin(), sizes.end(), [&](const block_size& size) {
    const bool needs_list = (has(8) && divides({8, 8}, size)) || (has(16) && divides({16, 16}, size));
    return in_a_walk(size) || !needs_list || (has(32) && divides({32, 32}, size));
  });
  const closeness* unless_close = nullptr;
  if (may_be_close) {
    count.find_closeness();
    unless_close = count.sample.data();
  }
  // What needs nothing of the others, and no other needs, runs beside them: it fills the GPU where they leave
  // it idle, at the end of every kernel. Its long block rows have part of the GPU; what is left of them comes
  // last.
  using of_15 = size_count_on_gpu<Offset, squares_of_15>;
  array<long_block_row, device> long_rows_of_15;
  std::unique_ptr<work_beside> beside;
  std::unique_ptr<of_15> counting_15;
  std::unique_ptr<queued_work> listed_15;
  if (has_any({3, 5})) {
    const size_bins own{{bins_of({3, 3}), bins_of({5, 5})}};
    long_rows_of_15 = array<long_block_row, device>(count.most_long_rows(15));
    beside = std::make_unique<work_beside>();
    if (may_be_close) count.template run_if_close<multiples_of_15>(beside->stream(), own, nullptr);
    counting_15 = std::make_unique<of_15>(count.template plan<squares_of_15>(
        {15, 15}, nullptr, own, nullptr, long_rows_of_15.data(), unless_close));
    counting_15->count_short(beside->stream());
    listed_15 = std::make_unique<queued_work>(beside->stream());
    counting_15->count_long(beside->stream(), count_tuning::long_resident - 1);
  }
  if (has_any({2, 4, 8})) {
    const bool listed = has(8) && wanted_as_list({8, 8});
    if (listed) lists.push_back(count.list_of({8, 8}));
    count.template run<squares_of_8>({8, 8}, nullptr, {{bins_of({2, 2}), bins_of({4, 4}), bins_of({8, 8})}},
                                     listed ? &lists.back() : nullptr, unless_close);
  }
  const auto run_powers_if_close = [&](block_list* list) {
    if (may_be_close)
      count.template run_if_close<powers_of_2>(
          on.stream,
          {{bins_of({2, 2}), bins_of({4, 4}), bins_of({8, 8}), bins_of({16, 16}), bins_of({32, 32})}}, list);
  };
  if (has_any({2, 4, 8, 16}) && !has(32)) run_powers_if_close(nullptr);
  for (const block_size& size : sizes) {
    if (in_a_walk(size) && size.rows <= 8) continue;
    const auto smaller = std::find_if(lists.rbegin(), lists.rend(),
                                      [&](const block_list& l) { return divides(l.size, size); });
    const bool wanted = wanted_as_list(size);
    block_list own;
    if (wanted) own = count.list_of(size);
    block_list* const list = wanted ? &own : nullptr;
    count.template run<any_size>(size, smaller == lists.rend() ? nullptr : &*smaller, {{bins_of(size)}}, list,
                                 in_a_walk(size) ? unless_close : nullptr);
    if (size == block_size{32, 32}) run_powers_if_close(list);
    if (!wanted) continue;
    // The list that served has a successor now, and takes much memory.
    if (smaller != lists.rend()) lists.erase(std::next(smaller).base());
    lists.push_back(std::move(own));
  }

  if (beside != nullptr) {
    listed_15->hold_back(on.stream);
    counting_15->count_long(on.stream, count_tuning::long_resident);
    beside->queued().hold_back(on.stream);
  }
  // Only the bins that hold something are copied back.
  array<found_bin, device> found(std::min(bins.size(), entries * std::ssize(sizes)));
  list_bins<<<static_cast<unsigned>(std::min(groups_of(bins.size(), count_tuning::threads),
                                             histogram_tuning::most_listing_blocks)),
              count_tuning::threads, 0, on.stream>>>(bins.size(), bins.data(), found.data(),
                                                     found_count.data());
  check_cuda(cudaGetLastError());
  meanwhile();
  const std::int64_t count_found = copy_to<host>(found_count, place::device)[0];
  const auto all = copy_to<host>(array_view<const found_bin>(found.data(), count_found), place::device);
  for (const found_bin& f : all) {
    const auto next = std::upper_bound(first_bins.begin(), first_bins.end(), f.bin);
    const auto s = static_cast<std::size_t>(next - first_bins.begin()) - 1;
    result[sizes[s]].push_back({f.bin - first_bins[s], static_cast<std::int64_t>(f.blocks)});
  }
  for (auto& [size, counts] : result)
    std::sort(counts.begin(), counts.end(),
              [](const size_count& a, const size_count& b) { return a.size < b.size; });
  return result;
}

}  // namespace

template <class Backend, class Offset>
block_histograms count_blocks_by_entries(Backend on, csr_pattern<Offset, space_on<Backend>> matrix,
                                         const std::vector<block_size>& sizes,
                                         const std::function<void()>& meanwhile) {
  for (const block_size& size : sizes) require_block_size(size);
  return count_on_gpu(on, matrix, sizes, meanwhile);
}

template block_histograms count_blocks_by_entries(cuda, csr_pattern<std::int32_t, device>,
                                                  const std::vector<block_size>&,
                                                  const std::function<void()>&);
template block_histograms count_blocks_by_entries(cuda, csr_pattern<std::int64_t, device>,
                                                  const std::vector<block_size>&,
                                                  const std::function<void()>&);

}  // namespace sparsmith
