// Blocks by the number of their entries on CUDA. A block row is counted by a warp or by a whole thread block
// (block_counter.hpp). From 8 x 8 on the blocks of a size are written out, and larger ones that they divide
// add them up instead of entries.
#include <algorithm>
#include <map>

#include "convert/backend/device.hpp"
#include "convert/pipelines/block_counter.hpp"
#include "convert/pipelines/structure.hpp"

namespace sparsmith {
namespace {

// `bins` are of the whole histogram, by entries.
template <class Offset, int FieldBits, bool Adding, bool Listing>
__global__ void __launch_bounds__(threads, 4)
    count_short(items<Offset> source, size_shape shape, unsigned long long* bins, listing listed,
                std::int32_t* long_rows, long_block_rows* found) {
  extern __shared__ std::uint32_t scratch[];
  __shared__ shared_state shared;
  clear(scratch, static_cast<int>(shape.warp_words) * warps, shared);
  block_counter<Offset, FieldBits, Adding, Listing> counter(source, shape, listed, bins, scratch, shared);
  for (std::int64_t first = std::int64_t{blockIdx.x} * shape.block_rows_each; first < shape.block_rows;
       first += std::int64_t{gridDim.x} * shape.block_rows_each)
    counter.count_chunk(static_cast<std::uint32_t>(first), long_rows, found);
  counter.flush();
}

// The block rows on the list, each by the thread block that comes first.
template <class Offset, int FieldBits, bool Adding, bool Listing>
__global__ void __launch_bounds__(all_threads, 3)
    count_long(items<Offset> source, size_shape shape, unsigned long long* bins, listing listed,
               const std::int32_t* long_rows, long_block_rows* found) {
  extern __shared__ std::uint32_t scratch[];
  __shared__ shared_state shared;
  if (found->count == 0) return;
  clear(scratch, scratch_words, shared);
  block_counter<Offset, FieldBits, Adding, Listing> counter(source, shape, listed, bins, scratch, shared);
  for (;;) {
    if (threadIdx.x == 0) shared.block_row = atomicAdd(&found->taken, 1u);
    __syncthreads();
    const unsigned next = shared.block_row;
    if (next >= found->count) break;
    counter.count_with_all(long_rows[next]);
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
};

template <class Offset>
void count_size(cuda on, std::int64_t rows, std::int32_t cols, std::int64_t entries,
                const Offset* row_offsets, const std::int32_t* col_indices, block_size size,
                const block_list* smaller, unsigned long long* bins, block_list* list) {
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
  }
  const auto block_rows = static_cast<std::uint32_t>(size.rows);
  size_shape shape{static_cast<std::uint32_t>(groups_of(rows, source.height)),
                   static_cast<std::uint32_t>(groups_of(rows, size.rows)),
                   static_cast<std::uint32_t>(groups_of(cols, size.cols)),
                   block_rows / source.height,
                   divisor(static_cast<std::uint32_t>(size.cols / width)),
                   block_rows,
                   1,
                   0,
                   scratch_words / warps};
  const std::int64_t mean = entries / shape.block_rows, places = std::int64_t{size.rows} * size.cols;
  const std::int64_t resident = std::int64_t{multiprocessors()} * 3;  // thread blocks, by shared memory
  const std::int64_t chunk_entries = 8192, most_chunks = 16 * resident;
  shape.block_rows_each = static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(chunk_entries / (mean + 1), warps, most_block_rows));
  if (smaller == nullptr) shape.lanes = mean <= 8 ? 8 : mean <= 16 ? 16 : mean <= 40 ? 32 : 0;
  // Counters that nobody needs would keep other thread blocks out.
  if (shape.lanes > 0) shape.warp_words = 512;
  listing listed;
  if (list != nullptr) {
    *list = {size, array<std::int32_t, device>(entries), array<std::int32_t, device>(entries),
             array<std::int32_t, device>(shape.block_rows)};
    listed = {list->cols.data(), list->amounts.data(), list->lengths.data()};
  }
  array<std::int32_t, device> long_rows(shape.block_rows);
  array<long_block_rows, device> found(1);
  check_cuda(cudaMemsetAsync(found.data(), 0, sizeof(long_block_rows), on.stream));
  const auto chunks =
      static_cast<unsigned>(std::min(groups_of(shape.block_rows, shape.block_rows_each), most_chunks));
  const auto launch = [&](auto* count_short_rows, auto* count_long_rows) {
    for (const auto* kernel :
         {reinterpret_cast<const void*>(count_short_rows), reinterpret_cast<const void*>(count_long_rows)})
      check_cuda(
          cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, scratch_words * 4));
    count_short_rows<<<chunks, threads, shape.warp_words * warps * 4, on.stream>>>(
        source, shape, bins, listed, long_rows.data(), found.data());
    check_cuda(cudaGetLastError());
    count_long_rows<<<static_cast<unsigned>(resident), all_threads, scratch_words * 4, on.stream>>>(
        source, shape, bins, listed, long_rows.data(), found.data());
    check_cuda(cudaGetLastError());
  };
  const auto with_fields = [&]<int FieldBits>() {
    if (smaller == nullptr)
      list == nullptr
          ? launch(count_short<Offset, FieldBits, false, false>, count_long<Offset, FieldBits, false, false>)
          : launch(count_short<Offset, FieldBits, false, true>, count_long<Offset, FieldBits, false, true>);
    else
      list == nullptr
          ? launch(count_short<Offset, FieldBits, true, false>, count_long<Offset, FieldBits, true, false>)
          : launch(count_short<Offset, FieldBits, true, true>, count_long<Offset, FieldBits, true, true>);
  };
  if (places < 1 << 8)
    with_fields.template operator()<8>();
  else if (places < 1 << 16)
    with_fields.template operator()<16>();
  else
    with_fields.template operator()<32>();
}

template <class Offset>
block_histograms count_on_gpu(cuda on, std::vector<block_size> sizes, std::int64_t rows, std::int32_t cols,
                              std::int64_t entries, const Offset* row_offsets,
                              const std::int32_t* col_indices) {
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  block_histograms result;
  for (const block_size& size : sizes) result[size] = {};
  if (entries == 0 || sizes.empty()) return result;

  std::vector<std::int64_t> first_bins = {0};  // of each size
  for (const block_size& size : sizes) {
    const std::int64_t most = std::min(size.area(), entries);
    first_bins.push_back(first_bins.back() + std::max<std::int64_t>(most, near_bins) + 1);
  }
  array<unsigned long long, device> bins(first_bins.back());
  array<unsigned, device> found_count(1);
  check_cuda(cudaMemsetAsync(bins.data(), 0, static_cast<std::size_t>(bins.size()) * 8, on.stream));
  check_cuda(cudaMemsetAsync(found_count.data(), 0, 4, on.stream));

  std::vector<block_list> lists;  // the last one whose sizes divide a size serves it
  constexpr std::int32_t least_listed = 64;
  const auto divides = [](const block_size& small, const block_size& large) {
    return small != large && large.rows % small.rows == 0 && large.cols % small.cols == 0;
  };
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    const auto smaller = std::find_if(lists.rbegin(), lists.rend(),
                                      [&](const block_list& l) { return divides(l.size, sizes[s]); });
    const bool wanted = sizes[s].area() >= least_listed &&
                        std::any_of(sizes.begin(), sizes.end(),
                                    [&](const block_size& size) { return divides(sizes[s], size); });
    block_list own;
    count_size(on, rows, cols, entries, row_offsets, col_indices, sizes[s],
               smaller == lists.rend() ? nullptr : &*smaller, bins.data() + first_bins[s],
               wanted ? &own : nullptr);
    if (!wanted) continue;
    // The list that served has a successor now, and takes much memory.
    if (smaller != lists.rend()) lists.erase(std::next(smaller).base());
    lists.push_back(std::move(own));
  }

  // Only the bins that hold something are copied back.
  array<found_bin, device> found(std::min(bins.size(), entries * std::ssize(sizes)));
  list_bins<<<static_cast<unsigned>(std::min<std::int64_t>(groups_of(bins.size(), threads), 1024)), threads,
              0, on.stream>>>(bins.size(), bins.data(), found.data(), found_count.data());
  check_cuda(cudaGetLastError());
  const std::int64_t count = copy_to<host>(found_count, place::device)[0];
  const auto all = copy_to<host>(array_view<const found_bin>(found.data(), count), place::device);
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
                                         const std::vector<block_size>& sizes) {
  for (const block_size& size : sizes) require_block_size(size);
  return count_on_gpu(on, sizes, matrix.rows, matrix.cols, matrix.entries(), matrix.row_offsets.data(),
                      matrix.col_indices.data());
}

template block_histograms count_blocks_by_entries(cuda, csr_pattern<std::int32_t, device>,
                                                  const std::vector<block_size>&);
template block_histograms count_blocks_by_entries(cuda, csr_pattern<std::int64_t, device>,
                                                  const std::vector<block_size>&);

}  // namespace sparsmith
