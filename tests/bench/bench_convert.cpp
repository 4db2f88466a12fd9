// What conversion costs, beside its peers in one run on the same data: COO -> CSR against SciPy's tocsr and
// one CUB sort of the same pairs; `spconv f.mtx --to csr` against fast_matrix_market's own reading of the
// file.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fast_matrix_market/fast_matrix_market.hpp>
#include <filesystem>
#include <fstream>

#include "convert/backend/sort_entries.hpp"
#include "convert/convert.hpp"
#include "convert/io/matrix_market.hpp"
#include "convert/io/read.hpp"
#include "convert/pipelines/structure.hpp"
#include "kernels/measure.hpp"
#include "tests/bench/cub_sort.hpp"
#include "tests/bench/scipy.hpp"
#include "tests/bench/vendor.hpp"
#include "tools/command_line.hpp"

namespace sparsmith {
namespace {

namespace fs = std::filesystem;

struct options {
  std::int64_t entries = 20'000'000;
  std::int64_t rows = 1'000'000;
  std::int64_t text_megabytes = 200;
  int samples = 7;
  int threads = 0;
  bool skip_text = false, skip_lists = false, skip_blocks = false;
  std::vector<std::string> matrices = {"gen:blockband", "gen:uniform?n=45100&density=0.0071",
                                       "gen:laplace3d?n=160"};
};

double median(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  return samples[samples.size() / 2];
}

std::uint64_t hash(std::uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

// Uniformly random places in random order; every twentieth entry repeats the place of another one.
template <class Value>
coo<Value, host> random_entries(std::int64_t count, std::int64_t rows) {
  coo<Value, host> list{static_cast<std::int32_t>(rows), static_cast<std::int32_t>(rows),
                        array<std::int32_t, host>(count), array<std::int32_t, host>(count),
                        array<Value, host>(count)};
#pragma omp parallel for
  for (std::int64_t i = 0; i < count; ++i) {
    const auto place = static_cast<std::uint64_t>(i % 20 == 19 ? i / 2 : i);
    list.row_indices[i] = static_cast<std::int32_t>(hash(place * 2 + 1) % static_cast<std::uint64_t>(rows));
    list.col_indices[i] = static_cast<std::int32_t>(hash(place * 2 + 2) % static_cast<std::uint64_t>(rows));
    list.values[i] = static_cast<Value>(hash(static_cast<std::uint64_t>(i)) >> 40) * Value(0x1p-24);
  }
  return list;
}

// Times one conversion after another, each on a fresh copy of the entries, which is made outside the timing.
template <class Backend, class Value>
double conversion_seconds(Backend on, const coo<Value, host>& entries, int samples,
                          std::int64_t& result_entries) {
  std::vector<double> seconds;
  const auto resident = copy_to<space_on<Backend>>(entries);
  for (int i = 0; i < samples + 2; ++i) {
    auto input = copy_to<space_on<Backend>>(resident);
    synchronize(on);
    const double start = seconds_now();
    const auto m = coo_to_csr<Backend, std::int32_t, Value>(on, std::move(input), nullptr);
    synchronize(on);
    if (i >= 2) seconds.push_back(seconds_now() - start);
    result_entries = m.values.size();
  }
  return median(seconds);
}

template <class Value>
double scipy_tocsr_seconds(const scratch_folder& folder, const coo<Value, host>& entries, int samples,
                           std::int64_t& result_entries) {
  dump(folder, "rows", entries.row_indices);
  dump(folder, "cols", entries.col_indices);
  dump(folder, "values", entries.values);
  return python_seconds(folder,
                        fmt::format(R"(
rows, cols = (numpy.fromfile(folder + name, numpy.int32) for name in ("rows", "cols"))
values = numpy.fromfile(folder + "values", numpy.float{})
coo = scipy.sparse.coo_matrix((values, (rows, cols)), shape=({}, {}))
times = []
for i in range({} + 1):
    start = time.perf_counter()
    csr = coo.tocsr()
    times.append(time.perf_counter() - start)
print(sorted(times[1:])[len(times[1:]) // 2], csr.nnz)
)",
                                    sizeof(Value) * 8, entries.rows, entries.cols, samples),
                        result_entries);
}

// SciPy only blocks what the blocks divide, so it gets the shape rounded up.
double scipy_tobsr_seconds(const scratch_folder& folder, const csr<std::int32_t, float, host>& m, int block,
                           std::int64_t& result_blocks) {
  dump(folder, "offsets", m.row_offsets);
  dump(folder, "cols", m.col_indices);
  dump(folder, "values", m.values);
  const auto rounded = [&](std::int32_t size) { return (size + block - 1) / block * block; };
  return python_seconds(folder,
                        fmt::format(R"(
offsets, cols = (numpy.fromfile(folder + name, numpy.int32) for name in ("offsets", "cols"))
values = numpy.fromfile(folder + "values", numpy.float32)
offsets = numpy.concatenate([offsets, numpy.full({0} + 1 - len(offsets), offsets[-1], numpy.int32)])
csr = scipy.sparse.csr_matrix((values, cols, offsets), shape=({0}, {1}))
start = time.perf_counter()
bsr = csr.tobsr(({2}, {2}))
print(time.perf_counter() - start, len(bsr.indices))
)",
                                    rounded(m.rows), rounded(m.cols), block),
                        result_blocks);
}

void print_row(const char* what, double seconds, std::int64_t entries, const std::string& note) {
  fmt::print("  {:<34} {:>9.2f} ms {:>9.1f} M entries/s  {}\n", what, seconds * 1e3,
             static_cast<double>(entries) / seconds / 1e6, note);
  std::fflush(stdout);
}

template <class Value>
void bench_coo_to_csr(const options& o, const scratch_folder& folder) {
  fmt::print("\nCOO -> CSR, unsorted, 5 % duplicates: {} entries, {} rows, {}-bit values (medians of {})\n",
             o.entries, o.rows, sizeof(Value) * 8, o.samples);
  const auto entries = random_entries<Value>(o.entries, o.rows);
  std::int64_t distinct = 0, other = 0;
  const double scipy = scipy_tocsr_seconds(folder, entries, 3, other);
  const auto against = [&](double seconds) {
    if (scipy < 0) return std::string();
    return fmt::format("{:.2f} x as fast as SciPy{}", scipy / seconds,
                       other == distinct ? "" : ", OTHER RESULT");
  };
  set_thread_count(1);
  const double one = conversion_seconds(openmp{}, entries, o.samples, distinct);
  print_row("OpenMP, 1 thread", one, o.entries, against(one));
  set_thread_count(o.threads);
  const double all = conversion_seconds(openmp{}, entries, o.samples, distinct);
  print_row(fmt::format("OpenMP, {} threads", thread_count()).c_str(), all, o.entries, against(all));
  if (scipy >= 0)
    print_row("SciPy tocsr (one thread)", scipy, o.entries, "");
  else
    fmt::print("  SciPy: not installed\n");
  if constexpr (has_cuda) {
    if (!find_gpu().usable) {
      fmt::print("  CUDA: {}\n", find_gpu().description);
      return;
    }
    std::int64_t on_gpu = 0;
    const double gpu = conversion_seconds(cuda{}, entries, o.samples, on_gpu);
    const int bits = index_bits(o.rows);
    array<std::uint64_t, host> keys(o.entries);
    for (std::int64_t i = 0; i < o.entries; ++i)
      keys[i] = static_cast<std::uint64_t>(entries.row_indices[i]) << bits |
                static_cast<std::uint64_t>(entries.col_indices[i]);
    const auto device_keys = copy_to<device>(keys, place::host);
    const auto device_values = copy_to<device>(entries.values, place::host);
    const double sort = cub_sort_seconds<Value>(device_keys, device_values, bits * 2, o.samples);
    print_row("CUDA, device-resident", gpu, o.entries,
              fmt::format("{:.2f} x as fast as the CUB sort{}", sort / gpu,
                          on_gpu == distinct ? "" : ", OTHER RESULT"));
    print_row("one CUB sort of the same pairs", sort, o.entries, "");
  }
}

// Medians of a conversion that leaves its source alone.
template <class Backend, class Work>
double repeated_seconds(Backend on, int samples, Work work) {
  std::vector<double> seconds;
  for (int i = 0; i < samples + 2; ++i) {
    synchronize(on);
    const double start = seconds_now();
    const auto result = work();
    synchronize(on);
    if (i >= 2) seconds.push_back(seconds_now() - start);
  }
  return median(seconds);
}

array<std::int64_t, host> widened(const array<std::int32_t, host>& narrow) {
  array<std::int64_t, host> wide(narrow.size());
  std::copy(narrow.begin(), narrow.end(), wide.begin());
  return wide;
}

// The stages of one conversion of `source` on the GPU, and the most memory it held.
template <class Source, class Convert>
void print_stages(const Source& source, Convert convert) {
  stage_log log;
  reset_peak_bytes(place::device);
  const std::int64_t before = peak_bytes(place::device);
  const auto result = convert(&log);
  for (const stage& s : log) fmt::print("    {:<18} {:>8.3f} ms\n", s.name, s.seconds * 1e3);
  fmt::print("    {:.3f} x the bytes of CSR, peak {:.2f} x input + output\n",
             static_cast<double>(bytes(result)) / static_cast<double>(bytes(source)),
             static_cast<double>(peak_bytes(place::device) - before + bytes(source)) /
                 static_cast<double>(bytes(source) + bytes(result)));
}

void bench_blocks(const options& o, const scratch_folder& folder) {
  constexpr double no_limit = 1e300;
  const block_options blocks;
  for (const std::string& spec : o.matrices) {
    assembly_report report;
    const auto m = assemble<openmp, std::int32_t, float>(openmp{}, read_matrix(spec), false, report, nullptr);
    const std::int64_t entries = m.values.size();
    fmt::print("\nCSR -> blocked, {}: {} rows, {} entries, 32-bit values (medians of {})\n", spec, m.rows,
               entries, o.samples);
    std::int64_t scipy_blocks = 0;
    const double scipy = scipy_tobsr_seconds(folder, m, 4, scipy_blocks);
    const int few = std::min(o.samples, 3);
    const double bsr_cpu = repeated_seconds(openmp{}, few, [&] {
      return csr_to_bsr(openmp{}, view(m), {4, 4}, no_limit, nullptr);
    });
    const std::int64_t own_blocks = count_nonempty_blocks(openmp{}, pattern_of(m), {4, 4});
    print_row(fmt::format("OpenMP, {} threads, BSR 4x4", thread_count()).c_str(), bsr_cpu, entries,
              scipy < 0 ? ""
                        : fmt::format("{:.2f} x as fast as SciPy{}", scipy / bsr_cpu,
                                      own_blocks == scipy_blocks ? "" : ", OTHER RESULT"));
    if (scipy >= 0) print_row("SciPy tobsr (one thread)", scipy, entries, "");
    // Positions of blocks may need 64 bits where the entries do not.
    const csr<std::int64_t, float, host> wide{m.rows, m.cols, widened(m.row_offsets),
                                              copy_to<host>(m.col_indices, place::host),
                                              copy_to<host>(m.values, place::host)};
    const double gcsb_cpu = repeated_seconds(
        openmp{}, few, [&] { return csr_to_gcsb(openmp{}, view(wide), blocks, no_limit, nullptr); });
    print_row(fmt::format("OpenMP, {} threads, GCSB 32/32", thread_count()).c_str(), gcsb_cpu, entries, "");
    const double tile_cpu = repeated_seconds(
        openmp{}, few, [&] { return csr_to_gcsb_tile(openmp{}, view(m), {}, no_limit, nullptr); });
    print_row(fmt::format("OpenMP, {} threads, GCSB tile", thread_count()).c_str(), tile_cpu, entries, "");
    if constexpr (has_cuda) {
      if (!find_gpu().usable) continue;
      const auto d = copy_to<device>(m);
      const double spmv = cusparse_spmv_seconds(d, 50);
      print_row("cuSPARSE SpMV, the unit", spmv, entries, "");
      const auto price = [&](double seconds) { return fmt::format("{:.1f} SpMVs", seconds / spmv); };
      const double vendor = cusparse_csr_to_bsr_seconds(d, 4, o.samples);
      print_row("cuSPARSE csr2bsr 4x4", vendor, entries, price(vendor));
      const double bsr_gpu = repeated_seconds(cuda{}, o.samples, [&] {
        return csr_to_bsr(cuda{}, view(d), {4, 4}, no_limit, nullptr);
      });
      print_row("CUDA, BSR 4x4", bsr_gpu, entries,
                price(bsr_gpu) + fmt::format(", {:.2f} x as fast as cuSPARSE", vendor / bsr_gpu));
      const auto wide_d = copy_to<device>(wide);
      const double gcsb_gpu = repeated_seconds(
          cuda{}, o.samples, [&] { return csr_to_gcsb(cuda{}, view(wide_d), blocks, no_limit, nullptr); });
      print_row("CUDA, GCSB 32/32", gcsb_gpu, entries, price(gcsb_gpu));
      print_stages(wide_d,
                   [&](stage_log* log) { return csr_to_gcsb(cuda{}, view(wide_d), blocks, no_limit, log); });
      const double tile_gpu = repeated_seconds(
          cuda{}, o.samples, [&] { return csr_to_gcsb_tile(cuda{}, view(d), {}, no_limit, nullptr); });
      print_row("CUDA, GCSB tile", tile_gpu, entries, price(tile_gpu));
      print_stages(d, [&](stage_log* log) { return csr_to_gcsb_tile(cuda{}, view(d), {}, no_limit, log); });
    }
  }
}

void bench_text(const options& o, const scratch_folder& folder) {
  namespace fmm = fast_matrix_market;
  const std::int64_t count = o.text_megabytes * 1'000'000 / 33;
  const auto random = random_entries<double>(count, o.rows);
  coo<double, host> by_column = copy_to<host>(random);
  const auto sorted = sort_entries<double>(openmp{}, random.col_indices, random.row_indices, random.values,
                                           o.rows, o.rows, false);
  for (std::int64_t i = 0; i < count; ++i) {
    by_column.col_indices[i] = static_cast<std::int32_t>(sorted.keys[i] >> sorted.minor_bits);
    by_column.row_indices[i] =
        static_cast<std::int32_t>(sorted.keys[i] & ((std::uint64_t{1} << sorted.minor_bits) - 1));
    by_column.values[i] = sorted.values[i];
  }
  const std::string path = (folder.path / "matrix.mtx").string();
  for (const bool by_columns : {true, false}) {
    {
      std::ofstream out(path);
      write_matrix_market(out, by_columns ? by_column : random, {});
    }
    fmt::print("\nspconv f.mtx --to csr, entries {}: {:.0f} MB, {} entries (medians of {})\n",
               by_columns ? "column by column" : "in random order",
               static_cast<double>(fs::file_size(path)) / 1e6, count, o.samples);
    std::vector<double> library, tool;
    for (int i = 0; i < o.samples + 1; ++i) {  // alternating; the first of each warms the page cache
      const double start = seconds_now();
      {
        std::ifstream in(path);
        fmm::matrix_market_header header;
        std::vector<std::int32_t> rows, cols;
        std::vector<double> values;
        fmm::read_options read;
        read.num_threads = thread_count();
        fmm::read_matrix_market_triplet(in, header, rows, cols, values, read);
      }
      const double between = seconds_now();
      const std::string command =
          fmt::format("{} {} --to csr --quiet --device cpu --threads {}", SPARSMITH_SPCONV, path, o.threads);
      if (std::system(command.c_str()) != 0) throw std::runtime_error("spconv failed");
      const double end = seconds_now();
      if (i == 0) continue;
      library.push_back(between - start);
      tool.push_back(end - between);
    }
    print_row("fast_matrix_market, reading only", median(library), count, "");
    print_row("spconv, the whole process", median(tool), count,
              fmt::format("{:.2f} x as fast as the reading", median(library) / median(tool)));
  }
}

void run(const options& o) {
  set_thread_count(o.threads);
  fmt::print("machine: {} threads, GPU: {}\n", thread_count(), find_gpu().description);
  const scratch_folder folder;
  if (!o.skip_lists) {
    bench_coo_to_csr<double>(o, folder);
    bench_coo_to_csr<float>(o, folder);
  }
  if (!o.skip_blocks) bench_blocks(o, folder);
  if (!o.skip_text) bench_text(o, folder);
}

}  // namespace
}  // namespace sparsmith

int main(int argc, char** argv) {
  using namespace sparsmith;
  options o;
  CLI::App app("Conversion speed beside SciPy, CUB and fast_matrix_market, in one run on the same data.",
               "bench_convert");
  app.add_option("--entries", o.entries, "Entries of the COO list")->capture_default_str();
  app.add_option("--rows", o.rows, "Rows and columns")->capture_default_str();
  app.add_option("--megabytes", o.text_megabytes, "Size of the .mtx file")->capture_default_str();
  app.add_option("--samples", o.samples, "Samples per median")->capture_default_str();
  app.add_option("--threads", o.threads, "CPU threads; 0 means all")->capture_default_str();
  app.add_option("--matrix", o.matrices, "Matrices for the blocked conversions")->capture_default_str();
  app.add_flag("--skip-lists", o.skip_lists, "Leave the COO part out");
  app.add_flag("--skip-blocks", o.skip_blocks, "Leave the blocked part out");
  app.add_flag("--skip-text", o.skip_text, "Leave the .mtx part out");
  return run_tool(app, argc, argv, [&] { run(o); });
}
