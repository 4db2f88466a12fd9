// Options that make no sense are refused by the library itself, whichever way a conversion is called.
#include "convert/options.hpp"

#include <functional>
#include <limits>

#include "analyze/structure/hypersparse.hpp"
#include "convert/convert.hpp"
#include "convert/io/generators.hpp"
#include "convert/pipelines/structure.hpp"
#include "tests/battery.hpp"
#include "tests/catch.hpp"

using namespace sparsmith;
using namespace sparsmith::testing;

namespace {

using matrix = csr<std::int32_t, double, host>;

matrix small_matrix() {
  return coo_to_csr<openmp, std::int32_t, double>(openmp{}, as_coo(random_matrix("small", 40, 50, 300, 9)),
                                                  nullptr);
}

// What a caller could have chosen otherwise, where the call is refused as a usage error.
std::string refused_quantity(const std::function<void()>& call) {
  try {
    call();
  } catch (const error& problem) {
    INFO(problem.what());
    CHECK(problem.category() == failure::usage);
    return problem.quantity();
  }
  return "nothing was refused";
}

// Every way to a format, or to its price, that does not go through from_csr.
std::vector<std::function<void()>> direct_calls(const matrix& m, format_kind format,
                                                const conversion_options& options) {
  const openmp on;
  const double limit = options.max_fill;
  const auto v = view(m);
  switch (format) {
    case format_kind::ell:
      return {[=] { csr_to_ell(on, v, limit, nullptr); }};
    case format_kind::sell:
      return {[=] { csr_to_sell(on, v, options.sell, limit, nullptr); }};
    case format_kind::hyb:
      return {[=] { csr_to_hyb(on, v, options.hyb_width, limit, nullptr); }};
    case format_kind::dia:
      return {[=] { csr_to_dia(on, v, options.dia_share, limit, nullptr); }};
    case format_kind::bsr:
      return {[=] { csr_to_bsr(on, v, options.bsr_block, limit, nullptr); }};
    case format_kind::csb:
      return {[=] { csr_to_csb(on, v, options.blocks, nullptr); }};
    case format_kind::ecsb:
      return {[=] { csr_to_ecsb(on, v, options.blocks, limit, nullptr); }};
    case format_kind::gcsb:
      return {[=] { csr_to_gcsb(on, v, options.blocks, limit, nullptr); }};
    case format_kind::gcsb_tile:
      return {[=] { csr_to_gcsb_tile(on, v, options.tile, limit, nullptr); }};
    default:
      return {};
  }
}

// Every conversion to one of the formats names `quantity` once `spoil` has been at the options.
void check_refused(const std::string& what, const std::string& quantity,
                   const std::vector<format_kind>& formats,
                   const std::function<void(conversion_options&)>& spoil) {
  const matrix m = small_matrix();
  conversion_options options;
  options.max_fill = no_limit;
  for (const format_kind format : formats) {
    INFO(what << ", " << name_of(format));
    for (const auto& call : direct_calls(m, format, options)) call();  // it is the spoiling that is refused
  }
  spoil(options);
  for (const format_kind format : formats) {
    INFO(what << ", " << name_of(format));
    CHECK(refused_quantity([&] { require_options(options, format); }) == quantity);
    CHECK(refused_quantity([&] {
            from_csr<openmp, std::int32_t, double>(openmp{}, view(m), format, options, nullptr);
          }) == quantity);
    const auto calls = direct_calls(m, format, options);
    CHECK_FALSE(calls.empty());
    for (const auto& call : calls) CHECK(refused_quantity(call) == quantity);
  }
}

const std::vector<format_kind> blocked = {format_kind::csb, format_kind::ecsb, format_kind::gcsb};
const std::vector<format_kind> padded = {format_kind::ell,  format_kind::sell,     format_kind::hyb,
                                         format_kind::dia,  format_kind::bsr,      format_kind::ecsb,
                                         format_kind::gcsb, format_kind::gcsb_tile};

}  // namespace

TEST_CASE("slices and sorting windows of SELL have at least one row") {
  const matrix m = small_matrix();
  for (const std::int32_t none : {0, -1}) {
    check_refused("slice", "slice", {format_kind::sell}, [&](auto& o) { o.sell.slice = none; });
    check_refused("sigma", "sigma", {format_kind::sell}, [&](auto& o) { o.sell.sigma = none; });
    CHECK(refused_quantity([&] { count_sell_slots(openmp{}, pattern_of(m), {none, 8}); }) == "slice");
    CHECK(refused_quantity([&] { count_sell_slots(openmp{}, pattern_of(m), {8, none}); }) == "sigma");
  }
}

TEST_CASE("beta is a power of two from 2 to 4096") {
  for (const std::int32_t beta : {3, 1, 0, -4, 8192, 4095})
    check_refused("beta " + std::to_string(beta), "beta", blocked, [&](auto& o) { o.blocks.beta = beta; });
}

TEST_CASE("combined indices have 16 or 32 bits, and room for the block") {
  check_refused("16 bits, beta 512", "index", blocked, [](auto& o) {
    o.blocks.index_bits = 16;
    o.blocks.beta = 512;
  });
  check_refused("8 bits", "index", blocked, [](auto& o) { o.blocks.index_bits = 8; });
  check_refused("64 bits", "index", {format_kind::gcsb_tile}, [](auto& o) { o.tile.index_bits = 64; });
  check_refused("16 bits, large tile", "index", {format_kind::gcsb_tile}, [](auto& o) {
    o.tile.index_bits = 16;
    o.tile.height = o.tile.width = 2048;
  });
}

TEST_CASE("sides of a block of BSR are from 1 to 64") {
  for (const block_size block : {block_size{0, 4}, {4, 0}, {65, 65}, {64, 65}, {-1, 4}})
    check_refused("block", "block", {format_kind::bsr}, [&](auto& o) { o.bsr_block = block; });
}

TEST_CASE("a diagonal of DIA has at most one entry a row") {
  for (const double share : {1.01, std::numeric_limits<double>::infinity(), std::nan("")})
    check_refused("share", "diagonals", {format_kind::dia}, [&](auto& o) { o.dia_share = share; });
}

TEST_CASE("groups and sorting windows of GCSB") {
  check_refused("group", "group", {format_kind::gcsb}, [](auto& o) { o.blocks.group_size = 0; });
  check_refused("group", "group", {format_kind::gcsb}, [](auto& o) { o.blocks.group_size = 65537; });
  check_refused("window", "window", {format_kind::gcsb}, [](auto& o) { o.blocks.window = -1; });
  check_refused("window and thesis", "window", {format_kind::gcsb}, [](auto& o) {
    o.blocks.thesis = true;
    o.blocks.window = 4;
  });
}

TEST_CASE("tiles have two sides, powers of two from 256 to 2048, and lanes that are one up to 32") {
  const matrix m = small_matrix();
  const auto refused = [&](const char* quantity, const tile_options& tile) {
    INFO(tile.height << " x " << tile.width << ", " << tile.group_size << " lanes");
    check_refused("tile", quantity, {format_kind::gcsb_tile}, [&](auto& o) { o.tile = tile; });
    CHECK(refused_quantity([&] { price_tiles(openmp{}, pattern_of(m), tile); }) == quantity);
  };
  refused("tile", {.height = 100, .width = 100});
  refused("tile", {.height = 300, .width = 300});
  refused("tile", {.height = 256, .width = 4096});
  refused("tile", {.height = 512, .width = 0});
  refused("tile", {.height = 0, .width = 512});
  refused("tile", {.height = -256, .width = 256});
  for (const std::int32_t lanes : {48, 64, 0, -1}) refused("group", {.group_size = lanes});
  refused("rest", {.rest_below = -1});
}

TEST_CASE("a limit on fill is a number of at least 1") {
  for (const double limit : {std::numeric_limits<double>::quiet_NaN(), 0.5, 0.0, -1.0})
    check_refused("limit " + std::to_string(limit), "max-fill", padded, [&](auto& o) { o.max_fill = limit; });
  CHECK(refused_quantity([] { require_max_fill(1); }) == "nothing was refused");
}

TEST_CASE("a limit on fill is looked at also where nothing is padded") {
  const matrix m = small_matrix();
  conversion_options options;
  options.max_fill = 0.5;
  for (const format_kind format : all_formats()) {
    INFO(name_of(format));
    CHECK(refused_quantity([&] {
            from_csr<openmp, std::int32_t, double>(openmp{}, view(m), format, options, nullptr);
          }) == "max-fill");
  }
}

TEST_CASE("a format that there is none of is refused") {
  const matrix m = small_matrix();
  CHECK(refused_quantity([&] {
          from_csr<openmp, std::int32_t, double>(openmp{}, view(m), static_cast<format_kind>(99), {},
                                                 nullptr);
        }) == "");
}

// Sides that are chosen from the matrix may turn out too large for what was asked.
TEST_CASE("16 bits that do not hold the tile that is chosen are refused") {
  const matrix m = small_matrix();
  conversion_options options;
  options.max_fill = no_limit;
  options.tile.index_bits = 16;
  options.tile.group_size = 1;
  CHECK_NOTHROW(require_options(options, format_kind::gcsb_tile));
  for (const auto& call : direct_calls(m, format_kind::gcsb_tile, options))
    CHECK(refused_quantity(call) == "index");
  CHECK(refused_quantity([&] {
          from_csr<openmp, std::int32_t, double>(openmp{}, view(m), format_kind::gcsb_tile, options, nullptr);
        }) == "index");
}

TEST_CASE("blocks to count by have sides of at least 1") {
  const matrix m = small_matrix();
  for (const block_size none : {block_size{0, 4}, {4, 0}, {-1, 2}, {2, -1}}) {
    INFO(none.rows << " x " << none.cols);
    CHECK(refused_quantity([&] {
            count_blocks_by_entries(openmp{}, pattern_of(m), std::vector<block_size>{{4, 4}, none});
          }) == "block");
    CHECK(refused_quantity([&] { count_nonempty_blocks(openmp{}, pattern_of(m), none); }) == "block");
  }
  assembly_report report;
  const auto few =
      assemble_hypersparse<std::int32_t, double>(generate("gen:diagonal?n=9"), false, report, nullptr);
  for (const std::int32_t beta : {0, -1}) {
    CHECK(refused_quantity([&] { block_entry_counts(openmp{}, pattern_of(m), beta); }) == "block");
    CHECK(refused_quantity([&] { block_entry_counts(openmp{}, pattern_of(few), beta); }) == "block");
    CHECK(refused_quantity([&] { count_group_lengths(openmp{}, pattern_of(few), {beta}); }) == "block");
  }
}

TEST_CASE("what does not concern a format does not stop it") {
  const matrix m = small_matrix();
  conversion_options options;
  options.max_fill = no_limit;
  options.sell.slice = 0;
  options.bsr_block = {0, 0};
  options.tile.group_size = 48;
  options.blocks.group_size = 0;
  for (const format_kind format : {format_kind::csr, format_kind::hyb, format_kind::csb, format_kind::ecsb}) {
    INFO(name_of(format));
    const auto made = from_csr<openmp, std::int32_t, double>(openmp{}, view(m), format, options, nullptr);
    CHECK(identical(to_csr<openmp, std::int32_t, double>(openmp{}, made, nullptr), m));
  }
}

TEST_CASE("the largest numbers there are do not overflow") {
  const matrix m = small_matrix();
  constexpr std::int32_t most = std::numeric_limits<std::int32_t>::max();
  const auto same = [&](format_kind format, const conversion_options& options) {
    INFO(name_of(format));
    const auto made = from_csr<openmp, std::int32_t, double>(openmp{}, view(m), format, options, nullptr);
    CHECK(identical(to_csr<openmp, std::int32_t, double>(openmp{}, made, nullptr), m));
  };
  // More padding than any memory holds is refused by its figure.
  const auto too_large = [&](format_kind format, const conversion_options& options) {
    INFO(name_of(format));
    try {
      from_csr<openmp, std::int32_t, double>(openmp{}, view(m), format, options, nullptr);
      FAIL("nothing was refused");
    } catch (const error& problem) {
      CHECK(problem.category() == failure::resources);
      CHECK(problem.quantity() == "max-fill");
    }
  };
  conversion_options options;
  options.max_fill = 1e6;
  options.sell.sigma = options.blocks.window = options.tile.rest_below = most;
  for (const format_kind format : {format_kind::sell, format_kind::gcsb, format_kind::gcsb_tile})
    same(format, options);
  options.sell.slice = options.hyb_width = most;
  for (const format_kind format : {format_kind::sell, format_kind::hyb}) too_large(format, options);
}
