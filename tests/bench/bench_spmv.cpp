// Times every kernel of every format on a matrix, beside the vendor's CSR product (csr/omp on a CPU) in the
// same minutes, with warm and with cold caches. Every result is checked first, and again after the timed
// runs. The race itself is in analyze/recommend; here it is asked for and printed.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "analyze/recommend/race.hpp"
#include "analyze/recommend/verdict.hpp"
#include "convert/io/generators.hpp"
#include "convert/io/read.hpp"
#include "tests/bench/scipy.hpp"
#include "tools/command_line.hpp"
#include "tools/kernel_names.hpp"

namespace sparsmith {
namespace {

const char* short_name(operation op) {
  return op == operation::multiply ? "ax" : "atx";
}

struct options {
  common_options common;
  std::vector<std::string> matrices, kernels, formats;
  std::string block, tile = "auto";
  std::vector<operation> operations = {operation::multiply, operation::transposed};
  bool single_values = false;
  int samples = 30;
  bool warm_only = false, csv = false, list = false, scipy = false;
  conversion_options conversion;

  bool names_format(format_kind format) const {
    return std::find(formats.begin(), formats.end(), name_of(format)) != formats.end();
  }
};

// What was measured on one matrix.
struct bench_result {
  std::string name, problem;
  double scipy_seconds = -1;  // of SciPy's csr @ x; negative where it was not measured
  matrix_result found;
};

struct machine {
  std::string device, backend;
  double copy = 0;  // bytes per second
};

// ---- the list of kernels ----

// CSC is only there for the vendor's pair from two copies, under the names of CSR; its lines are not listed.
std::vector<listed_kernel> measured_kernels() {
  std::vector<listed_kernel> all = all_kernels();
  std::erase_if(all, [](const listed_kernel& k) { return k.format == format_kind::csc; });
  return all;
}

void print_list(const std::vector<listed_kernel>& all, bool as_json) {
  json document{{"schema", "sparsmith.kernels/1"}, {"kernels", json::array()}};
  std::string group;
  for (const listed_kernel& k : all) {
    std::vector<std::string> operations, repeatable;
    for (const operation op : both_operations) {
      if (!k.info.computes(op)) continue;
      operations.emplace_back(as_json ? short_name(op) : name_of(op));
      if (k.info.repeatable(op)) repeatable.push_back(operations.back());
    }
    if (as_json) {
      document["kernels"].push_back({{"name", k.info.name},
                                     {"format", name_of(k.format)},
                                     {"backend", k.backend},
                                     {"operations", operations},
                                     {"repeatable", repeatable},
                                     {"vendor", k.info.vendor},
                                     {"source", k.info.source},
                                     {"description", k.info.description}});
      continue;
    }
    if (group.empty())
      fmt::print("{:<24} {:<7} {:<10} {:<10} {:<15} {}\n", "kernel", "backend", "products", "same bits",
                 "source", "description");
    if (group != name_of(k.format)) fmt::print("\n{}\n", name_of(k.format));
    group = name_of(k.format);
    const auto joined = [](const std::vector<std::string>& names) {
      return names.empty() ? "no" : fmt::format("{}", fmt::join(names, ", "));
    };
    fmt::print("  {:<22} {:<7} {:<10} {:<10} {:<15} {}{}\n", k.info.name, k.backend, joined(operations),
               joined(repeatable), k.info.source, k.info.vendor ? "[vendor] " : "", k.info.description);
  }
  if (as_json) fmt::print("{}\n", document.dump(2));
}

// ---- the request ----

// The formats whose kernels are wanted; names that do not exist, or not on this backend, are refused.
std::vector<format_kind> formats_wanted(const options& wanted, const std::string& backend) {
  const std::vector<format_kind> of_kernels =
      formats_of_kernels("--kernel", wanted.kernels, measured_kernels(), backend);
  std::vector<format_kind> formats;
  for (const format_kind format : all_formats()) {
    if (!wanted.kernels.empty() &&
        std::find(of_kernels.begin(), of_kernels.end(), format) == of_kernels.end())
      continue;
    if (!wanted.formats.empty() && !wanted.names_format(format)) continue;
    if (format == format_kind::csc && backend == openmp::name) {
      if (wanted.names_format(format))
        throw error(failure::usage, "--format csc: measured with the vendor's kernels, which need a GPU");
      continue;
    }
    formats.push_back(format);
  }
  if (formats.empty()) throw error(failure::usage, "no kernel of --kernel belongs to a format of --format");
  return formats;
}

// Two copies of CSR, of A and of A^T, are what the vendor advises where both products are needed: A^T x from
// the second, with the vendor's kernels.
format_variant vendor_second_copy(const conversion_options& conversion, const std::string& backend) {
  format_variant copy{.format = format_kind::csc, .conversion = conversion};
  copy.operations = {operation::transposed};
  for (const listed_kernel& k : all_kernels())
    if (k.format == format_kind::csc && k.backend == backend && k.info.vendor)
      copy.kernels.emplace_back(k.info.name);
  return copy;
}

race_request request_of(const options& wanted, const std::string& backend) {
  race_request request;
  request.operations = wanted.operations;
  request.sampling = {wanted.samples, wanted.warm_only};

  conversion_options conversion = wanted.conversion;
  if (!wanted.block.empty()) conversion.bsr_block = parse_block(wanted.block);
  if (wanted.tile != "auto") {
    const block_size sides = parse_tile(wanted.tile);
    conversion.tile.height = sides.rows;
    conversion.tile.width = sides.cols;
  }
  // Layout tile takes powers of two up to a warp; unless it is asked for, other groups are for the other
  // layout alone.
  const std::int32_t group = conversion.blocks.group_size;
  if (is_lane_count(group) || wanted.names_format(format_kind::gcsb_tile)) conversion.tile.group_size = group;

  for (const format_kind format : formats_wanted(wanted, backend)) {
    require_options(conversion, format);
    if (format == format_kind::csc) {
      request.field.push_back({vendor_second_copy(conversion, backend)});
      continue;
    }
    for (format_variant& variant : variants_of(format, conversion)) {
      variant.kernels = wanted.kernels;
      request.field.push_back({std::move(variant)});
    }
  }
  return request;
}

// ---- printing ----

std::string fixed(double value) {
  return fmt::format("{:.2f}", value);
}
// Four figures, for columns that must stay narrow.
std::string micro(double seconds) {
  const double value = seconds * 1e6;
  return fmt::format("{:.{}f}", value, value < 10 ? 3 : value < 100 ? 2 : value < 1000 ? 1 : 0);
}

double giga_per_second(std::int64_t bytes, double seconds) {
  return seconds > 0 ? static_cast<double>(bytes) / seconds / 1e9 : 0;
}

double times(std::int64_t a, std::int64_t b) {
  return b == 0 ? 1.0 : static_cast<double>(a) / static_cast<double>(b);
}

// CSC is A^T stored as CSR, and what runs on it is known by CSR's name.
std::string shown_name(const format_result& f, const kernel_result& k) {
  const std::string name = k.info.name;
  return f.format == format_kind::csc ? "csr" + name.substr(name.find('/')) : name;
}

std::string kernel_label(const format_result& f, const kernel_result& k) {
  if (f.format == format_kind::csc) return shown_name(f, k) + " A^T";
  return f.note.empty() ? shown_name(f, k) : shown_name(f, k) + " " + f.note;
}

void print_formats(const matrix_result& m) {
  fmt::print("{:<21} {:>11} {:>7} {:>11}\n", "format", "bytes", "x CSR", "convert ms");
  for (const format_result& f : m.formats) {
    if (!f.refused.empty()) {
      fmt::print("{:<21} refused: {}\n", f.label(), f.refused);
      continue;
    }
    const std::string note = f.offset_bits > m.offset_bits ? "  64-bit offsets" : "";
    fmt::print("{:<21} {:>11} {:>7.3f} {:>11}{}\n", f.label(), format_bytes(f.bytes),
               times(f.bytes, m.csr_bytes()),
               f.format == format_kind::csr ? "-" : fixed(f.convert_seconds * 1e3), note);
  }
}

// Whether a kernel that does not apply here did run for another variant of its format.
bool ran_elsewhere(const matrix_result& m, const format_result& f, const kernel_result& k) {
  for (const format_result& g : m.formats)
    for (const kernel_result& other : g.kernels)
      if (other.not_run.empty() && other.op == k.op && shown_name(g, other) == shown_name(f, k)) return true;
  return false;
}

void print_text(const machine& on, const options& wanted, const race_request& request,
                const bench_result& result) {
  fmt::print("\n{}\n", result.name);
  if (!result.problem.empty()) {
    fmt::print("  NOT MEASURED: {}\n", result.problem);
    return;
  }
  const matrix_result& m = result.found;
  fmt::print("{} x {}, {} entries, {}-bit values, {}-bit offsets; CSR {}\n", with_commas(m.rows),
             with_commas(m.cols), with_commas(m.entries), m.value_bits, m.offset_bits,
             format_bytes(m.csr_bytes()));
  fmt::print("{}; a copy moves {:.1f} GB/s\n", on.device, on.copy / 1e9);
  std::vector<std::string> bases;
  for (const operation op : request.operations)
    bases.push_back(fmt::format("{} for {}", m.base_name(op), name_of(op)));
  fmt::print("base: {}; p10 - p90, GB/s, % copy and x base are of {} runs\n\n", fmt::join(bases, ", "),
             wanted.warm_only ? "warm" : "cold");
  print_formats(m);
  fmt::print("\n{:<21} {:<5} {:>10} {:>9} {:>16} {:>7} {:>7} {:>6} {:>7} {:>7} {:>9} {:>4}\n", "", "",
             "warm us", "cold us", "p10 - p90", "GB/s of", "GB/s", "% copy", "x base", "prepare", "held",
             "same");
  fmt::print("{:<21} {:<5} {:>10} {:>9} {:>16} {:>7} {:>7} {:>6} {:>7} {:>7} {:>9} {:>4}\n", "kernel", "",
             "median", "median", "", "CSR min", "actual", "of min", "", "ms", "beside", "bits");
  for (const format_result& f : m.formats) {
    for (const kernel_result& k : f.kernels) {
      const std::string label = kernel_label(f, k);
      if (!k.not_run.empty()) {
        if (!ran_elsewhere(m, f, k))
          fmt::print("{:<22} {:<5} not run: {}\n", label, name_of(k.op), k.not_run);
        continue;
      }
      if (!k.wrong.empty()) {
        fmt::print("{:<22} {:<5} WRONG RESULT: {}\n", label, name_of(k.op), k.wrong);
        continue;
      }
      const double seconds = k.time.headline();
      const double minimum = giga_per_second(m.csr_minimum_bytes(), seconds);
      fmt::print("{:<22} {:<5} {:>9} {:>9} {:>16} {:>7.1f} {:>7.1f} {:>6.1f} {:>7.3f} {:>7} {:>9} {:>4}\n",
                 label, name_of(k.op), fixed(k.time.warm.median * 1e6),
                 k.time.cold.samples > 0 ? fixed(k.time.cold.median * 1e6) : "-",
                 fmt::format("{} - {}", micro(k.time.shown().p10), micro(k.time.shown().p90)), minimum,
                 giga_per_second(m.actual_bytes(f, k), seconds), 100e9 * minimum / on.copy, f.ratio(k),
                 fixed(k.prepare_seconds * 1e3), k.prepared_bytes == 0 ? "-" : format_bytes(k.prepared_bytes),
                 k.info.repeatable(k.op) ? "yes" : "no");
    }
  }

  if (wanted.scipy && result.scipy_seconds < 0)
    fmt::print("SciPy's csr @ x was not measured: python3 has no SciPy\n");
  if (result.scipy_seconds >= 0)
    for (const format_result& f : m.formats)
      for (const kernel_result& k : f.kernels)
        if (k.timed() && k.op == operation::multiply && f.format == format_kind::csr)
          fmt::print("SciPy's csr @ x, one thread: {} us; {} is {:.2f} x as fast\n",
                     fixed(result.scipy_seconds * 1e6), k.info.name,
                     result.scipy_seconds / k.time.warm.median);

  if (m.entries == 0) return;  // nothing that could be fast or slow
  fmt::print("\n{:<21} {:>16} {:>7}\n", "best of ours", "us", "x base");
  const auto print_choice = [&](const std::string& what, const choice& c, const std::string& names) {
    const double after = c.repaid_after();
    fmt::print("{:<21} {:>16} {:>7.3f}  {}{}\n", what, fixed(c.seconds * 1e6), c.ratio(), names,
               !c.kernels[0]->info.vendor && c.names() == m.base_names[0] ? ", the base itself"
               : after < 0                                                ? ", never repaid"
               : after == 0
                   ? ", at no price"
                   : fmt::format(", repaid after {}", with_commas(static_cast<std::int64_t>(after) + 1)));
  };
  for (const operation op : both_operations)
    if (const choice c = best_of(m, {op}); c.format != nullptr) print_choice(name_of(op), c, c.names());
  const choice pair = best_of(m, {both_operations.begin(), both_operations.end()});
  if (pair.format != nullptr)
    print_choice("both, one copy", pair,
                 fmt::format("{}, {:.3f} x CSR", pair.names(), times(pair.format->bytes, m.csr_bytes())));
  const choice two = two_copies(m);
  if (two.format != nullptr) {
    fmt::print("{:<21} {:>16} {:>7.3f}  {} + {}\n", "vendor, one copy", fixed(two.base_seconds * 1e6), 1.0,
               m.base_names[0], m.base_names[1]);
    print_choice(
        "vendor, two copies", two,
        fmt::format("{} + {}, {:.3f} x CSR", m.base_names[0], shown_name(*two.format, *two.kernels[0]),
                    1 + times(two.format->bytes, m.csr_bytes())));
    if (pair.format != nullptr)
      fmt::print("{:<21} {:>16} {:>7.3f}  our one copy over the vendor's two\n", "", "",
                 pair.ratio() / two.ratio());
  } else if (pair.format != nullptr) {
    fmt::print("{:<21} {:>16} {:>7.3f}  {}\n", "base, one copy", fixed(pair.base_seconds * 1e6), 1.0,
               m.base_names[0]);
  }
  std::fflush(stdout);
}

json describe_regime(const machine& on, const matrix_result& m, const format_result& f,
                     const kernel_result& k, const timing& t, const timing& base) {
  if (t.samples == 0) return nullptr;
  const double minimum = giga_per_second(m.csr_minimum_bytes(), t.median);
  return {{"median_us", t.median * 1e6},
          {"p10_us", t.p10 * 1e6},
          {"p90_us", t.p90 * 1e6},
          {"samples", t.samples},
          {"gb_per_s_csr_minimum", minimum},
          {"gb_per_s_actual", giga_per_second(m.actual_bytes(f, k), t.median)},
          {"share_of_copy", minimum * 1e9 / on.copy},
          {"share_of_copy_actual", giga_per_second(m.actual_bytes(f, k), t.median) * 1e9 / on.copy},
          {"base_us", base.median * 1e6},
          {"times_base", base.median / t.median}};
}

json describe_choice(const choice& c) {
  if (c.format == nullptr) return nullptr;
  json kernels = json::array();
  for (const kernel_result* k : c.kernels) kernels.push_back(shown_name(*c.format, *k));
  const double after = c.repaid_after();
  return {{"format", name_of(c.format->format)},
          {"variant", c.format->note},
          {"kernels", kernels},
          {"us", c.seconds * 1e6},
          {"base_us", c.base_seconds * 1e6},
          {"times_base", c.ratio()},
          {"repaid_after", after < 0 ? json(nullptr) : json(after)}};
}

json describe_matrix(const machine& on, const options& wanted, const bench_result& result) {
  json document{{"name", result.name}};
  if (result.scipy_seconds >= 0) document["scipy_us"] = result.scipy_seconds * 1e6;
  if (!result.problem.empty()) {
    document["problem"] = result.problem;
    return document;
  }
  const matrix_result& m = result.found;
  document.update({{"rows", m.rows},
                   {"cols", m.cols},
                   {"entries", m.entries},
                   {"value_bits", m.value_bits},
                   {"offset_bits", m.offset_bits},
                   {"csr_bytes", m.csr_bytes()},
                   {"csr_minimum_bytes", m.csr_minimum_bytes()},
                   {"headline", wanted.warm_only ? "warm" : "cold"},
                   {"base", {{"ax", m.base_names[0]}, {"atx", m.base_names[1]}}},
                   {"formats", json::array()},
                   {"kernels", json::array()}});
  for (const format_result& f : m.formats) {
    json format{{"format", name_of(f.format)}, {"variant", f.note}};
    if (f.refused.empty())
      format.update({{"bytes", f.bytes},
                     {"times_csr", times(f.bytes, m.csr_bytes())},
                     {"convert_ms", f.convert_seconds * 1e3},
                     {"offset_bits", f.offset_bits},
                     {"parameters", as_json(f.parameters)}});
    else
      format["refused"] = f.refused;
    document["formats"].push_back(std::move(format));
    for (const kernel_result& k : f.kernels) {
      json line{{"kernel", shown_name(f, k)},
                {"format", name_of(f.format)},
                {"variant", f.note},
                {"of_transpose", f.format == format_kind::csc},
                {"operation", short_name(k.op)},
                {"vendor", k.info.vendor},
                {"source", k.info.source},
                {"repeatable", k.info.repeatable(k.op)}};
      if (!k.not_run.empty()) {
        line["not_run"] = k.not_run;
      } else if (!k.wrong.empty()) {
        line["wrong"] = k.wrong;
      } else {
        const regimes& base = f.base_of(k.op);
        line.update({{"prepare_ms", k.prepare_seconds * 1e3},
                     {"prepared_bytes", k.prepared_bytes},
                     {"warm", describe_regime(on, m, f, k, k.time.warm, base.warm)},
                     {"cold", describe_regime(on, m, f, k, k.time.cold, base.cold)}});
      }
      document["kernels"].push_back(std::move(line));
    }
  }
  document["best"] = {{"ax", describe_choice(best_of(m, {operation::multiply}))},
                      {"atx", describe_choice(best_of(m, {operation::transposed}))},
                      {"pair", describe_choice(best_of(m, {both_operations.begin(), both_operations.end()}))},
                      {"vendor_two_copies", describe_choice(two_copies(m))}};
  return document;
}

// ---- several matrices ----

void print_overall(const std::vector<bench_result>& matrices) {
  fmt::print("\nbest of ours in each format, x base over {} matrices: geometric mean, worst, ahead on\n",
             matrices.size());
  fmt::print("{:<21} {:>22} {:>22} {:>22}\n", "format", "A x", "A^T x", "both");
  format_ratios all;
  for (const bench_result& m : matrices) add_ratios(m.found, all);
  for (const auto& [format, ratios] : all) {
    fmt::print("{:<21}", format);
    for (const overall& o : ratios)
      fmt::print(" {:>22}", o.measured == 0 ? "-"
                                            : fmt::format("{:.3f} {:.3f} {}/{}", o.mean(), o.worst, o.ahead,
                                                          matrices.size()));
    fmt::print("\n");
  }
}

// What was not measured has a line as well: it counts as a loss.
void print_csv(const machine& on, const bench_result& result) {
  const matrix_result& m = result.found;
  const auto begin = [&](const std::string& format, const std::string& variant) {
    fmt::print("{},{},{},{},{},{},{}", csv_quoted(result.name), m.rows, m.cols, m.entries, m.value_bits,
               format, variant);
  };
  if (!result.problem.empty()) {
    begin("", "");
    fmt::print(",,,unreadable,,,,,,,,,,,,,,\n");
  }
  for (const format_result& f : m.formats) {
    if (!f.refused.empty()) {
      begin(name_of(f.format), f.note);
      fmt::print(",,,refused,,,,,,,,,,,,,,\n");
    }
    for (const kernel_result& k : f.kernels) {
      const double seconds = k.time.headline();
      begin(name_of(f.format), f.note);
      fmt::print(",{}", shown_name(f, k));
      const auto cold = [&](double value) {
        return k.time.cold.samples > 0 ? fmt::format("{:.6g}", value * 1e6) : std::string();
      };
      if (k.timed())
        fmt::print(
            ",{},ok,{:.6g},{:.6g},{:.6g},{},{},{},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{},{},{}\n",
            short_name(k.op), k.time.warm.median * 1e6, k.time.warm.p10 * 1e6, k.time.warm.p90 * 1e6,
            cold(k.time.cold.median), cold(k.time.cold.p10), cold(k.time.cold.p90),
            giga_per_second(m.csr_minimum_bytes(), seconds), giga_per_second(m.actual_bytes(f, k), seconds),
            giga_per_second(m.csr_minimum_bytes(), seconds) * 1e9 / on.copy, f.ratio(k),
            k.prepare_seconds * 1e3, k.prepared_bytes, f.bytes, k.info.repeatable(k.op) ? "yes" : "no");
      else
        fmt::print(",{},{},,,,,,,,,,,,,,\n", short_name(k.op), k.wrong.empty() ? "not run" : "wrong");
    }
  }
  std::fflush(stdout);
}
constexpr const char* csv_header =
    "matrix,rows,cols,entries,value_bits,format,variant,kernel,operation,result,warm_us,warm_p10_us,warm_p90_"
    "us,cold_us,cold_p10_us,cold_p90_us,"
    "gb_per_s_csr_minimum,gb_per_s_actual,share_of_copy,times_base,prepare_ms,prepared_bytes,format_bytes,"
    "repeatable\n";

// ---- the run ----

// SciPy's csr @ x on the same arrays, one thread; negative without SciPy.
template <class Offset, class Value>
double scipy_product_seconds(const csr<Offset, Value, host>& m, int samples) {
  const scratch_folder folder;
  dump(folder, "offsets", m.row_offsets);
  dump(folder, "cols", m.col_indices);
  dump(folder, "values", m.values);
  std::int64_t rows = 0;
  return python_seconds(folder,
                        fmt::format(R"(
offsets = numpy.fromfile(folder + "offsets", numpy.int{0})
cols = numpy.fromfile(folder + "cols", numpy.int32)
values = numpy.fromfile(folder + "values", numpy.float{1})
csr = scipy.sparse.csr_matrix((values, cols, offsets), shape=({2}, {3}))
x = numpy.linspace(-1, 1, {3}, dtype=values.dtype)
times = []
for i in range({4} + 2):
    start = time.perf_counter()
    y = csr @ x
    times.append(time.perf_counter() - start)
print(sorted(times[2:])[{4} // 2], len(y))
)",
                                    sizeof(Offset) * 8, sizeof(Value) * 8, m.rows, m.cols, samples),
                        rows);
}

template <class Backend, class Offset, class Value>
void bench_matrix(Backend on, const options& wanted, const race_request& request,
                  const progress_line& progress, matrix_entries&& source, bench_result& result) {
  const auto say = [&](const std::string& text) { progress.say(result.name + ": " + text); };
  assembly_report report;
  const auto matrix = assemble<Backend, Offset, Value>(on, std::move(source), false, report, nullptr);
  result.found = race<Backend, Offset, Value>(on, view(matrix), request, say);
  if (!wanted.scipy) return;
  say("SciPy");
  result.scipy_seconds = scipy_product_seconds(copy_to<host>(matrix), wanted.samples);
}

template <class Backend>
bench_result bench_one(Backend on, const options& wanted, const race_request& request,
                       const progress_line& progress, const std::string& name) {
  bench_result result;
  result.name = name;
  try {
    progress.say(name + ": reading");
    matrix_entries source = read_matrix(name);
    result.found.rows = source.entries.rows;
    result.found.cols = source.entries.cols;
    with_types(
        {needs_wide_offsets(most_entries(source)), wanted.single_values}, [&]<class Offset, class Value>() {
          bench_matrix<Backend, Offset, Value>(on, wanted, request, progress, std::move(source), result);
        });
  } catch (const error& problem) {
    // The other matrices are still worth measuring, unless the device is broken.
    if (problem.category() == failure::device) throw;
    if (problem.category() == failure::usage && wanted.matrices.size() == 1) throw;
    result.problem = problem.what();
    if (result.problem.rfind(name, 0) != 0) result.problem = name + ": " + result.problem;
  }
  progress.clear();
  return result;
}

void run(const options& wanted) {
  if (wanted.list) return print_list(measured_kernels(), wanted.common.as_json);
  if (wanted.matrices.empty())
    throw error(failure::usage, "name a matrix, a generator (gen:...) or --list (see --help)");
  const device_choice choice = choose_device(wanted.common);
  const progress_line progress(!wanted.common.quiet);
  std::vector<std::string> failed;
  on_backend(choice.use_gpu, [&](auto on) {
    const race_request request = request_of(wanted, on.name);
    progress.say("measuring a copy");
    const machine here{choice.note, on.name, copy_bandwidth(on)};
    json document{{"schema", "sparsmith.bench_spmv/1"},
                  {"version", SPARSMITH_VERSION},
                  {"device", here.device},
                  {"backend", here.backend},
                  {"threads", thread_count()},
                  {"copy_gb_per_s", here.copy / 1e9},
                  {"samples", wanted.samples},
                  {"matrices", json::array()}};
    if (wanted.csv) fmt::print(csv_header);
    std::vector<bench_result> done;
    for (const std::string& name : wanted.matrices) {
      const bench_result& m = done.emplace_back(bench_one(on, wanted, request, progress, name));
      if (wanted.common.as_json)
        document["matrices"].push_back(describe_matrix(here, wanted, m));
      else
        wanted.csv ? print_csv(here, m) : print_text(here, wanted, request, m);
      if (!m.problem.empty()) failed.push_back(m.problem);
      for (const format_result& f : m.found.formats)
        for (const kernel_result& k : f.kernels)
          if (!k.wrong.empty())
            failed.push_back(fmt::format("{}: WRONG RESULT of {} {}: {}", name, kernel_label(f, k),
                                         name_of(k.op), k.wrong));
    }
    if (done.size() > 1 && !wanted.csv && !wanted.common.as_json) print_overall(done);
    if (wanted.common.as_json) fmt::print("{}\n", document.dump(2));
  });
  if (failed.empty()) return;
  if (failed.size() == 1) throw std::runtime_error(failed[0]);
  for (const std::string& line : failed) fmt::print(stderr, "bench_spmv: {}\n", line);
  throw std::runtime_error(fmt::format("{} failed", failed.size()));
}

}  // namespace
}  // namespace sparsmith

int main(int argc, char** argv) {
  using namespace sparsmith;
  options wanted;
  conversion_options& conversion = wanted.conversion;
  // Enough for every format that could pay; ELL of a skewed matrix is refused rather than built.
  conversion.max_fill = 20;
  CLI::App app(
      "Checks and times every kernel of every format on matrices, beside the vendor's product in one run.",
      "bench_spmv");
  app.add_option("matrix", wanted.matrices,
                 "Matrices: files of any kind spconv reads, or generators (below)");
  app.add_flag("--list", wanted.list, "Print every kernel of every format, and measure nothing");
  app.add_option("--kernel", wanted.kernels, "Only this kernel; several with commas, or repeated")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option(
         "--format", wanted.formats,
         "Only this format; several with commas, or repeated (csc: the vendor's pair from two copies)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->transform(one_of(format_names()));
  add_choice(app, "--op", wanted.operations,
             {{"ax", {operation::multiply}},
              {"atx", {operation::transposed}},
              {"both", {operation::multiply, operation::transposed}}},
             "Products: ax, atx or both");
  add_choice(app, "--value", wanted.single_values, {{"f32", true}, {"f64", false}}, "Value type: f32 or f64");
  app.add_option("--samples", wanted.samples, "Samples of every median, over three rounds")
      ->check(between(1, 100000))
      ->capture_default_str();
  app.add_flag("--scipy", wanted.scipy, "Time SciPy's csr @ x on the same matrix as well");
  app.add_flag("--warm-only", wanted.warm_only, "Leave the runs with cold caches out");
  app.add_option("--block", wanted.block, "BSR: block size, RxC up to 64x64")->default_str("4x4");
  app.add_option("--beta", conversion.blocks.beta,
                 "CSB, eCSB, GCSB: block side, a power of two from 2 to 4096")
      ->capture_default_str();
  app.add_option("--group", conversion.blocks.group_size, "GCSB: blocks per group; layout tile: lanes")
      ->capture_default_str();
  app.add_option("--tile", wanted.tile,
                 "GCSB, layout tile: sides, such as 512x1024; auto takes them from the matrix")
      ->capture_default_str();
  app.add_option("--max-fill", conversion.max_fill, "Refuse a padded format above this many slots per entry")
      ->capture_default_str();
  auto* const csv = app.add_flag("--csv", wanted.csv, "Print one line a kernel and product, with commas");
  add_common_options(app, wanted.common);
  csv->excludes(app.get_option("--json"));
  add_help_ending(app,
                  {"bench_spmv --list", "bench_spmv gen:uniform?n=8192&density=0.01",
                   "bench_spmv bcsstk17.mtx.gz --format csr,gcsb_tile --op both --json",
                   "bench_spmv gen:rmat?scale=20 --kernel csr/hybrid --value f32 --device cuda"},
                  {"Exit status: 0 fine, 1 a wrong result or a run-time failure, 2 usage."});
  return run_tool(app, argc, argv, [&] { run(wanted); });
}
